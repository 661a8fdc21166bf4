// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Random elements, and what every order of Gauss-Seidel sweeps promises, for the tests of its layouts.

#pragma once

#include "mesh/sweep_order.h"
#include "mesh_test.h"

#include <stdlib.h>
#include <string.h>

// Elements of one sort
typedef struct Elements
{
    int32_t* nodes;
    int count;
    int n;
} Elements;

// Random elements of near nodes, in parts that do not touch each other. Some nodes have none.
static inline Elements MakeElements(int nodeCount, int count, int n, int partCount, int reach, uint64_t seed)
{
    Elements e = {malloc((size_t)count * (size_t)n * sizeof(int32_t)), count, n};
    int part = nodeCount / partCount;
    for (int i = 0; i < count; ++i)
    {
        int first = (int)(spNextRandom(&seed) % (uint64_t)partCount) * part;
        int base = (int)(spNextRandom(&seed) % (uint64_t)part);
        for (int k = 0; k < n;)
        {
            int near = spMinInt(part, spMaxInt(reach, n));
            int node = first + (base + (int)(spNextRandom(&seed) % (uint64_t)near)) % part;
            bool used = false;
            for (int j = 0; j < k; ++j)
            {
                used = used || e.nodes[i * n + j] == node;
            }
            if (used == false)
            {
                e.nodes[i * n + k++] = node;
            }
        }
    }
    return e;
}

// Every part in one colour, every element in a part; parts of one colour share no node, over all lists together
static inline void CheckOrder(const spSweepOrder* order, const spElementList* lists, int listCount)
{
    int* colourOf = malloc((size_t)(order->partCount + 1) * sizeof(int));
    int* owner = malloc((size_t)order->nodeCount * sizeof(int));
    memset(colourOf, -1, (size_t)(order->partCount + 1) * sizeof(int));
    assert_int_equal(order->colourBegin[0], 0);
    assert_int_equal(order->colourBegin[order->colourCount], order->partCount);
    for (int colour = 0; colour < order->colourCount; ++colour)
    {
        assert_true(order->colourBegin[colour] <= order->colourBegin[colour + 1]);
        for (int i = order->colourBegin[colour]; i < order->colourBegin[colour + 1]; ++i)
        {
            assert_in_range(order->parts[i], 0, order->partCount - 1);
            assert_int_equal(colourOf[order->parts[i]], -1);
            colourOf[order->parts[i]] = colour;
        }
    }
    for (int colour = 0; colour < order->colourCount; ++colour)
    {
        const int32_t* partOf = order->partOf;
        memset(owner, -1, (size_t)order->nodeCount * sizeof(int));
        for (int s = 0; s < listCount; partOf += lists[s++].count)
        {
            int n = lists[s].nodesPerElement;
            for (int i = 0; i < n * lists[s].count; ++i)
            {
                int node = lists[s].nodes[i], part = partOf[i / n];
                assert_in_range(part, 0, order->partCount - 1);
                if (colourOf[part] == colour)
                {
                    assert_true(owner[node] < 0 || owner[node] == part);
                    owner[node] = part;
                }
            }
        }
    }
    free(colourOf);
    free(owner);
}

// Every element once, in the block of its part; lanes of a block share no node; empty lanes repeat lane 0
static inline void CheckBlocks(const spBlocks* blocks, const spSweepOrder* order, const spElementList* list,
                               const int32_t* partOf)
{
    int n = list->nodesPerElement;
    int* hits = calloc((size_t)list->count, sizeof(int));
    int* seen = malloc((size_t)order->nodeCount * sizeof(int)); // block and lane that last held the node
    memset(seen, -1, (size_t)order->nodeCount * sizeof(int));
    assert_int_equal(blocks->patchBlock[0], 0);
    assert_int_equal(blocks->patchBlock[order->partCount], blocks->blockCount);
    for (int part = 0; part < order->partCount; ++part)
    {
        for (int block = blocks->patchBlock[part]; block < blocks->patchBlock[part + 1]; ++block)
        {
            for (int lane = 0; lane < SP_BLOCK; ++lane)
            {
                int place = block * SP_BLOCK + lane, element = blocks->elements[place];
                for (int k = 0; k < n; ++k)
                {
                    const int32_t* row = blocks->nodes + (block * n + k) * SP_BLOCK;
                    if (element < 0)
                    {
                        assert_int_equal(row[lane], row[0]);
                        continue;
                    }
                    int node = row[lane] / 4;
                    assert_int_equal(node, list->nodes[element * n + k]);
                    assert_true(seen[node] < block * SP_BLOCK || seen[node] == place);
                    seen[node] = place;
                }
                if (element >= 0)
                {
                    assert_int_equal(partOf[element], part);
                    hits[element] += 1;
                }
            }
            assert_true(blocks->elements[block * SP_BLOCK] >= 0);
        }
    }
    for (int i = 0; i < list->count; ++i)
    {
        assert_int_equal(hits[i], 1);
    }
    free(hits);
    free(seen);
}

// The same for an order and the blocks of all of its lists
static inline void CheckLayout(const spSweepOrder* order, spHeap* heap, const spElementList* lists,
                               int listCount)
{
    const int32_t* partOf = order->partOf;
    CheckOrder(order, lists, listCount);
    for (int s = 0; s < listCount; partOf += lists[s++].count)
    {
        spBlocks blocks;
        if (lists[s].count > 0)
        {
            assert_true(spBuildPartBlocks(&blocks, heap, lists + s, order, partOf));
            CheckBlocks(&blocks, order, lists + s, partOf);
            spFreeBlocks(&blocks, heap);
        }
    }
}
