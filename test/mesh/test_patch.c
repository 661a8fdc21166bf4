// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Numbering, patches, blocks and slots: what the layout promises, on random graphs and on a cloth.

#include "mesh/order.h"
#include "mesh/patch.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct Graph
{
    int nodeCount;
    int edgeCount;
    double* positions;
    int32_t* edges; // in node numbering
    spNodeOrder order;
} Graph;

// Random edges between near nodes, with some far ones
static Graph MakeGraph(spHeap* heap, int nodeCount, int edgeCount, int patchSize, uint64_t seed)
{
    Graph g = {.nodeCount = nodeCount, .edgeCount = edgeCount};
    g.positions = malloc((size_t)nodeCount * 3 * sizeof(double));
    g.edges = malloc((size_t)edgeCount * 2 * sizeof(int32_t));
    for (int i = 0; i < 3 * nodeCount; ++i)
    {
        g.positions[i] = spRandomRange(&seed, -1.0, 1.0);
    }
    assert_true(spOrderNodes(&g.order, heap, g.positions, nodeCount, patchSize));
    for (int i = 0; i < edgeCount; ++i)
    {
        int a = (int)(spNextRandom(&seed) % (uint64_t)nodeCount);
        int reach = i % 10 == 0 ? nodeCount : 40;
        int b = a;
        while (b == a)
        {
            b = (a + (int)(spNextRandom(&seed) % (uint64_t)reach)) % nodeCount;
        }
        g.edges[2 * i] = a;
        g.edges[2 * i + 1] = b;
    }
    return g;
}

static void FreeGraph(spHeap* heap, Graph* g)
{
    spFreeNodeOrder(&g->order, heap);
    free(g->positions);
    free(g->edges);
}

static void TestOrder(void** state)
{
    SP_UNUSED(state);
    const int counts[] = {1, 2, 7, 8, 9, 511, 512, 513, 5000};
    for (int k = 0; k < SP_COUNT(counts); ++k)
    {
        spHeap heap = spMakeHeap(NULL);
        Graph g = MakeGraph(&heap, counts[k], 0, 512, 42);
        char* seen = calloc((size_t)counts[k], 1);
        for (int i = 0; i < counts[k]; ++i)
        {
            assert_int_equal(g.order.rank[g.order.order[i]], i);
            seen[g.order.order[i]] = 1;
        }
        for (int i = 0; i < counts[k]; ++i)
        {
            assert_int_equal(seen[i], 1);
        }
        assert_int_equal(g.order.patchBegin[0], 0);
        assert_int_equal(g.order.patchBegin[g.order.patchCount], counts[k]);
        for (int p = 0; p < g.order.patchCount; ++p)
        {
            int size = g.order.patchBegin[p + 1] - g.order.patchBegin[p];
            assert_true(size > 0 && size <= 512);
            assert_int_equal(spFindPatch(g.order.patchBegin, g.order.patchCount, g.order.patchBegin[p]), p);
            assert_int_equal(
                spFindPatch(g.order.patchBegin, g.order.patchCount, g.order.patchBegin[p + 1] - 1), p);
        }
        free(seen);
        FreeGraph(&heap, &g);
        assert_int_equal(heap.byteCount, 0);
    }
}

// All at one place: the order must still be a permutation, and cost no more than n log n
static void TestOrderOfCoincidentNodes(void** state)
{
    SP_UNUSED(state);
    int n = 20000;
    spHeap heap = spMakeHeap(NULL);
    double* positions = calloc((size_t)n, 3 * sizeof(double));
    spNodeOrder order;
    assert_true(spOrderNodes(&order, &heap, positions, n, 512));
    for (int i = 0; i < n; ++i)
    {
        assert_int_equal(order.rank[order.order[i]], i);
    }
    spFreeNodeOrder(&order, &heap);
    free(positions);
}

static void TestBlocksAndSlots(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    Graph g = MakeGraph(&heap, 3000, 20000, 256, 7);
    spBlocks blocks;
    assert_true(
        spBuildBlocks(&blocks, &heap, g.edges, g.edgeCount, 2, g.order.patchBegin, g.order.patchCount));
    spSlots slots;
    spBlocks* sets[1] = {&blocks};
    assert_true(spBuildSlots(&slots, &heap, sets, 1, g.order.patchBegin, g.order.patchCount, false));

    int* hits = calloc((size_t)g.edgeCount, sizeof(int));
    int filled = 0;
    for (int patch = 0; patch < blocks.patchCount; ++patch)
    {
        int first = g.order.patchBegin[patch], last = g.order.patchBegin[patch + 1];
        for (int block = blocks.patchBlock[patch]; block < blocks.patchBlock[patch + 1]; ++block)
        {
            int seen[2 * SP_BLOCK], seenCount = 0;
            for (int lane = 0; lane < SP_BLOCK; ++lane)
            {
                int element = blocks.elements[block * SP_BLOCK + lane];
                for (int k = 0; k < 2; ++k)
                {
                    int place = (block * 2 + k) * SP_BLOCK + lane;
                    int node = blocks.nodes[place] / 4;
                    int slot = spGetBlockSlots(&blocks, block)[k * SP_BLOCK + lane] / 4;
                    assert_int_equal(blocks.nodes[place] % 4, 0);
                    if (element < 0)
                    {
                        assert_int_equal(slot, slots.nodeCount + slots.patchSlot[patch + 1] - SP_TRASH_SLOTS +
                                                   lane);
                        continue;
                    }
                    assert_int_equal(node, g.edges[2 * element + k]);
                    // Own nodes are their own slot; others have one in the range of this patch
                    if (first <= node && node < last)
                    {
                        assert_int_equal(slot, node);
                    }
                    else
                    {
                        assert_in_range(slot, slots.nodeCount + slots.patchSlot[patch],
                                        slots.nodeCount + slots.patchSlot[patch + 1] - SP_TRASH_SLOTS - 1);
                    }
                    // Lanes never share a node
                    for (int s = 0; s < seenCount; ++s)
                    {
                        assert_int_not_equal(seen[s], node);
                    }
                    seen[seenCount++] = node;
                }
                if (element >= 0)
                {
                    hits[element] += 1;
                    filled += 1;
                }
            }
        }
    }
    for (int i = 0; i < g.edgeCount; ++i)
    {
        assert_int_equal(hits[i], 1);
    }
    // Few lanes stay empty
    assert_true(filled > blocks.blockCount * SP_BLOCK * 85 / 100);

    // Scatter ones through the slots: every node must end with its degree
    int* sums = calloc((size_t)(slots.nodeCount + slots.slotCount), sizeof(int));
    for (int i = 0; i < blocks.blockCount * 2 * SP_BLOCK; ++i)
    {
        sums[spGetBlockSlots(&blocks, i / (2 * SP_BLOCK))[i % (2 * SP_BLOCK)] / 4] += 1;
    }
    for (int patch = 0; patch < slots.patchCount; ++patch)
    {
        const spPatchSum* sum = slots.sums + patch;
        for (int r = 0, entry = -1; r < sum->begin[sum->entryCount]; ++r)
        {
            entry += r == sum->begin[entry + 1];
            sums[sum->nodes[entry]] += sums[sum->references[r]];
            assert_true(r == sum->begin[entry] || sum->references[r] > sum->references[r - 1]);
        }
    }
    int* degrees = calloc((size_t)g.nodeCount, sizeof(int));
    for (int i = 0; i < 2 * g.edgeCount; ++i)
    {
        degrees[g.edges[i]] += 1;
    }
    assert_memory_equal(sums, degrees, (size_t)g.nodeCount * sizeof(int));
    free(degrees);
    free(sums);
    free(hits);
    spFreeSlots(&slots, &heap);
    spFreeBlocks(&blocks, &heap);
    FreeGraph(&heap, &g);
    assert_int_equal(heap.byteCount, 0);
}

// The order that was given, cut into patches
static void TestKeptOrder(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    spNodeOrder order;
    assert_true(spOrderNodes(&order, &heap, NULL, 1300, 512));
    assert_int_equal(order.patchCount, 3);
    for (int i = 0; i < 1300; ++i)
    {
        assert_int_equal(order.rank[i], i);
        assert_int_equal(order.order[i], i);
    }
    assert_int_equal(order.patchBegin[0], 0);
    assert_int_equal(order.patchBegin[3], 1300);
    spFreeNodeOrder(&order, &heap);
    assert_int_equal(heap.byteCount, 0);
}

// One node in every edge: no two edges fit in a block
static void TestStar(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    Graph g = MakeGraph(&heap, 200, 199, 512, 3);
    for (int i = 0; i < 199; ++i)
    {
        g.edges[2 * i] = 100;
        g.edges[2 * i + 1] = i < 100 ? i : i + 1;
    }
    spBlocks blocks;
    assert_true(spBuildBlocks(&blocks, &heap, g.edges, 199, 2, g.order.patchBegin, g.order.patchCount));
    assert_int_equal(blocks.blockCount, 199);
    spFreeBlocks(&blocks, &heap);
    FreeGraph(&heap, &g);
}

// Every allocation failing in turn: no leak, no crash
static int allocationsLeft;

static void* FailingAlloc(size_t size, size_t alignment, void* context)
{
    SP_UNUSED(context);
    return allocationsLeft-- > 0 ? aligned_alloc(alignment, size) : NULL;
}

static void PlainFree(void* memory, size_t size, void* context)
{
    SP_UNUSED(size);
    SP_UNUSED(context);
    free(memory);
}

static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    spHeap plain = spMakeHeap(NULL);
    Graph g = MakeGraph(&plain, 600, 2000, 128, 11);
    spAllocator allocator = {FailingAlloc, PlainFree, NULL};
    bool done = false;
    for (int k = 0; done == false; ++k)
    {
        spHeap heap = spMakeHeap(&allocator);
        spBlocks blocks;
        spSlots slots;
        spBlocks* sets[1] = {&blocks};
        allocationsLeft = k;
        if (spBuildBlocks(&blocks, &heap, g.edges, g.edgeCount, 2, g.order.patchBegin, g.order.patchCount))
        {
            if (spBuildSlots(&slots, &heap, sets, 1, g.order.patchBegin, g.order.patchCount, false))
            {
                spFreeSlots(&slots, &heap);
                done = true;
            }
            spFreeBlocks(&blocks, &heap);
        }
        assert_int_equal(heap.byteCount, 0);
        assert_true(k < 100);
    }
    FreeGraph(&plain, &g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestOrder),          cmocka_unit_test(TestOrderOfCoincidentNodes),
        cmocka_unit_test(TestBlocksAndSlots), cmocka_unit_test(TestKeptOrder),
        cmocka_unit_test(TestStar),           cmocka_unit_test(TestFailingAllocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
