// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/order.h"

#include <float.h>
#include <string.h>

// Pieces of this size are not sorted any further: they fit in a few cache lines
#define SP_LEAF_SIZE 8

typedef struct spOrderItem
{
    double position[3];
    int32_t vertex;
} spOrderItem;

// Ties are broken by vertex number, so that the order never depends on how the selection went
static bool spItemBefore(const spOrderItem* a, const spOrderItem* b, int axis)
{
    if (a->position[axis] != b->position[axis])
    {
        return a->position[axis] < b->position[axis];
    }
    return a->vertex < b->vertex;
}

static void spSwapItems(spOrderItem* a, spOrderItem* b)
{
    spOrderItem t = *a;
    *a = *b;
    *b = t;
}

// Quickselect: afterwards items[0..middle) come before items[middle..count) along the axis
static void spSelectItems(spOrderItem* items, int count, int middle, int axis)
{
    int low = 0, high = count - 1;
    uint32_t random = 0x9E3779B9u;
    while (low < high)
    {
        // Places that no mesh can be made for: the order that comes out does not depend on them
        random = random * 1664525u + 1013904223u;
        spSwapItems(items + low, items + low + (int)((random >> 8) % (uint32_t)(high - low + 1)));
        random = random * 1664525u + 1013904223u;
        spSwapItems(items + high, items + low + (int)((random >> 8) % (uint32_t)(high - low + 1)));

        // Median of three as pivot, moved to items[high]
        int mid = low + (high - low) / 2;
        if (spItemBefore(items + mid, items + low, axis))
        {
            spSwapItems(items + mid, items + low);
        }
        if (spItemBefore(items + high, items + low, axis))
        {
            spSwapItems(items + high, items + low);
        }
        if (spItemBefore(items + mid, items + high, axis))
        {
            spSwapItems(items + mid, items + high);
        }
        int store = low;
        for (int i = low; i < high; ++i)
        {
            if (spItemBefore(items + i, items + high, axis))
            {
                spSwapItems(items + i, items + store);
                store += 1;
            }
        }
        spSwapItems(items + store, items + high);
        if (store == middle)
        {
            return;
        }
        if (store < middle)
        {
            low = store + 1;
        }
        else
        {
            high = store - 1;
        }
    }
}

static int spFindLongestAxis(const spOrderItem* items, int count)
{
    double lower[3] = {DBL_MAX, DBL_MAX, DBL_MAX};
    double upper[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (int i = 0; i < count; ++i)
    {
        for (int a = 0; a < 3; ++a)
        {
            double p = items[i].position[a];
            lower[a] = p < lower[a] ? p : lower[a];
            upper[a] = p > upper[a] ? p : upper[a];
        }
    }
    int axis = 0;
    for (int a = 1; a < 3; ++a)
    {
        if (upper[a] - lower[a] > upper[axis] - lower[axis])
        {
            axis = a;
        }
    }
    return axis;
}

// Sorts by bisection. Above patch size the cut goes between whole patches. Depth is at most log2(nodeCount)
// + 1.
static void spBisectItems(spOrderItem* items, int count, int patchCount)
{
    if (count <= SP_LEAF_SIZE && patchCount <= 1)
    {
        // Leaf: by vertex number
        for (int i = 1; i < count; ++i)
        {
            for (int j = i; j > 0 && items[j].vertex < items[j - 1].vertex; --j)
            {
                spSwapItems(items + j, items + j - 1);
            }
        }
        return;
    }
    int leftPatches = patchCount / 2;
    int middle = patchCount > 1 ? (int)((int64_t)count * leftPatches / patchCount) : count / 2;
    int axis = spFindLongestAxis(items, count);
    spSelectItems(items, count, middle, axis);
    spBisectItems(items, middle, leftPatches);
    spBisectItems(items + middle, count - middle, patchCount > 1 ? patchCount - leftPatches : 0);
}

// The patch boundaries of the same bisection
static int32_t* spCutPatches(int32_t* boundary, int begin, int count, int patchCount)
{
    if (patchCount == 1)
    {
        *boundary = begin;
        return boundary + 1;
    }
    int leftPatches = patchCount / 2;
    int middle = (int)((int64_t)count * leftPatches / patchCount);
    boundary = spCutPatches(boundary, begin, middle, leftPatches);
    return spCutPatches(boundary, begin + middle, count - middle, patchCount - leftPatches);
}

bool spOrderNodes(spNodeOrder* order, spHeap* heap, const double* positions, int nodeCount, int patchSize)
{
    int patchCount = spMaxInt(1, (nodeCount + patchSize - 1) / patchSize);
    *order = (spNodeOrder){.nodeCount = nodeCount, .vertexCount = nodeCount, .patchCount = patchCount};
    order->rank = spAlloc(heap, spArraySize(nodeCount, sizeof(int32_t)));
    order->order = spAlloc(heap, spArraySize(nodeCount, sizeof(int32_t)));
    order->patchBegin = spAlloc(heap, spArraySize(patchCount + 1, sizeof(int32_t)));
    size_t itemSize = positions != NULL ? spArraySize(nodeCount, sizeof(spOrderItem)) : 0;
    spOrderItem* items = spAlloc(heap, itemSize);
    if (order->rank == NULL || order->order == NULL || order->patchBegin == NULL ||
        (positions != NULL && items == NULL))
    {
        spFree(heap, items);
        spFreeNodeOrder(order, heap);
        return false;
    }
    if (positions != NULL)
    {
        for (int i = 0; i < nodeCount; ++i)
        {
            memcpy(items[i].position, positions + 3 * (size_t)i, sizeof(items[i].position));
            items[i].vertex = i;
        }
        spBisectItems(items, nodeCount, patchCount);
    }
    for (int i = 0; i < nodeCount; ++i)
    {
        int vertex = positions != NULL ? items[i].vertex : i;
        order->order[i] = vertex;
        order->rank[vertex] = i;
    }
    *spCutPatches(order->patchBegin, 0, nodeCount, patchCount) = nodeCount;
    spFree(heap, items);
    return true;
}

bool spAddSpareNodes(spNodeOrder* order, spHeap* heap, int count, int patchSize)
{
    // An eighth of a patch serves a cut through it; what is more goes behind the others
    int each = spMinInt((count + order->patchCount - 1) / order->patchCount, patchSize / 8);
    int apart = spMaxInt(0, count - each * order->patchCount);
    int apartCount = (apart + patchSize - 1) / patchSize;
    spNodeOrder wide = {.nodeCount = order->nodeCount + count,
                        .vertexCount = order->vertexCount,
                        .patchCount = order->patchCount + apartCount};
    wide.rank = spAlloc(heap, spArraySize(wide.nodeCount, sizeof(int32_t)));
    wide.order = spAlloc(heap, spArraySize(wide.nodeCount, sizeof(int32_t)));
    wide.patchBegin = spAlloc(heap, spArraySize(wide.patchCount + 1, sizeof(int32_t)));
    if (wide.rank == NULL || wide.order == NULL || wide.patchBegin == NULL)
    {
        spFreeNodeOrder(&wide, heap);
        return false;
    }
    memset(wide.rank, -1, (size_t)wide.nodeCount * sizeof(int32_t));
    memset(wide.order, -1, (size_t)wide.nodeCount * sizeof(int32_t));
    int next = 0, left = count;
    for (int patch = 0; patch < wide.patchCount; ++patch)
    {
        wide.patchBegin[patch] = next;
        bool apartPatch = patch >= order->patchCount;
        for (int i = order->patchBegin[spMinInt(patch, order->patchCount)];
             apartPatch == false && i < order->patchBegin[patch + 1]; ++i)
        {
            wide.order[next] = order->order[i];
            wide.rank[order->order[i]] = next++;
        }
        int spare = spMinInt(left, apartPatch ? patchSize : each);
        left -= spare;
        next += spare;
    }
    wide.patchBegin[wide.patchCount] = next;
    spFreeNodeOrder(order, heap);
    *order = wide;
    return true;
}

void spFreeNodeOrder(spNodeOrder* order, spHeap* heap)
{
    spFree(heap, order->rank);
    spFree(heap, order->order);
    spFree(heap, order->patchBegin);
    *order = (spNodeOrder){0};
}

int spFindPatch(const int32_t* patchBegin, int patchCount, int node)
{
    int low = 0, high = patchCount;
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2;
        if (patchBegin[middle] <= node)
        {
            low = middle;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}
