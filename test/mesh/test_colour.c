// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The colouring of elements for Gauss-Seidel: that no two elements of a colour share a node, how many colours
// there are and how even they are, on generated meshes, on random graphs and on what cannot be coloured.

#include "mesh/colour.h"
#include "test/sweep_order_test.h"

// Elements of each colour, of all lists together
static int* CountColours(const spSweepOrder* order, const spElementList* lists, int listCount)
{
    int* sizes = calloc((size_t)order->colourCount + 1, sizeof(int));
    int elementCount = 0;
    for (int s = 0; s < listCount; ++s)
    {
        elementCount += lists[s].count;
    }
    for (int i = 0; i < elementCount; ++i)
    {
        int colour = 0;
        while (order->partOf[i] >= order->colourBegin[colour + 1])
        {
            colour += 1;
        }
        sizes[colour] += 1;
    }
    return sizes;
}

// Whether the last colour is a remainder: too small for a colour, or with nodes that are shared
static bool HasRemainder(const spSweepOrder* order, const spElementList* lists, int listCount)
{
    int first = order->colourCount > 0 ? order->colourBegin[order->colourCount - 1] : 0, size = 0;
    int* owner = malloc(((size_t)order->nodeCount + 1) * sizeof(int));
    bool shared = false;
    const int32_t* partOf = order->partOf;
    memset(owner, -1, (size_t)order->nodeCount * sizeof(int));
    for (int s = 0; s < listCount; partOf += lists[s++].count)
    {
        int n = lists[s].nodesPerElement;
        for (int i = 0; i < lists[s].count * n; ++i)
        {
            int node = lists[s].nodes[i];
            if (partOf[i / n] >= first)
            {
                size += i % n == 0 ? 1 : 0;
                shared = shared || (owner[node] >= 0 && owner[node] != size);
                owner[node] = size;
            }
        }
    }
    free(owner);
    return order->colourCount > 0 && (shared || size < SP_COLOUR_BLOCKS * SP_BLOCK);
}

// No two elements of a colour share a node, but for those of a remainder, which is one part
static void CheckColours(const spSweepOrder* order, const spElementList* lists, int listCount)
{
    int* owner = malloc(((size_t)order->nodeCount + 1) * sizeof(int));
    bool remainder = HasRemainder(order, lists, listCount);
    int colours = order->colourCount - (remainder ? 1 : 0);
    if (remainder)
    {
        assert_int_equal(order->colourBegin[colours] + 1, order->partCount);
    }
    for (int colour = 0; colour < colours; ++colour)
    {
        const int32_t* partOf = order->partOf;
        int element = 0;
        memset(owner, -1, (size_t)order->nodeCount * sizeof(int));
        for (int s = 0; s < listCount; partOf += lists[s++].count)
        {
            int n = lists[s].nodesPerElement;
            for (int i = 0; i < lists[s].count * n; ++i)
            {
                int part = partOf[i / n], node = lists[s].nodes[i], self = element + i / n;
                if (part >= order->colourBegin[colour] && part < order->colourBegin[colour + 1])
                {
                    assert_true(owner[node] < 0 || owner[node] == self);
                    owner[node] = self;
                }
            }
            element += lists[s].count;
        }
    }
    free(owner);
}

// Elements that one element meets at most
static int GetLargestDegree(const spElementList* lists, int listCount, int nodeCount)
{
    int* around = calloc((size_t)nodeCount + 1, sizeof(int));
    int largest = 0;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int s = 0; s < listCount; ++s)
        {
            int n = lists[s].nodesPerElement;
            for (int i = 0; i < lists[s].count; ++i)
            {
                int sum = 0;
                for (int k = 0; k < n; ++k)
                {
                    int node = lists[s].nodes[i * n + k];
                    around[node] += pass == 0 ? 1 : 0;
                    sum += around[node] - 1;
                }
                largest = pass == 1 ? spMaxInt(largest, sum) : 0;
            }
        }
    }
    free(around);
    return largest;
}

// Builds, checks everything, and builds again to the same bits
static spSweepOrder Colour(spHeap* heap, const spElementList* lists, int listCount, int nodeCount)
{
    spSweepOrder order, again;
    size_t elementCount = 0;
    assert_true(spOrderByColours(&order, heap, lists, listCount, nodeCount));
    CheckLayout(&order, heap, lists, listCount);
    CheckColours(&order, lists, listCount);
    assert_true(order.colourCount <= GetLargestDegree(lists, listCount, nodeCount) + 1);
    for (int i = 0; i < order.partCount; ++i)
    {
        assert_int_equal(order.parts[i], i);
    }
    for (int s = 0; s < listCount; ++s)
    {
        elementCount += (size_t)lists[s].count;
    }
    assert_true(spOrderByColours(&again, heap, lists, listCount, nodeCount));
    assert_int_equal(order.colourCount, again.colourCount);
    assert_memory_equal(order.colourBegin, again.colourBegin,
                        ((size_t)order.colourCount + 1) * sizeof(int32_t));
    if (elementCount > 0)
    {
        assert_memory_equal(order.partOf, again.partOf, elementCount * sizeof(int32_t));
    }
    spFreeSweepOrder(&again, heap);
    return order;
}

static void TestRandomGraphs(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        int nodes, edges, tets, parts, reach;
    } cases[] = {
        {4000, 12000, 9000, 1, 30},
        {4000, 12000, 9000, 5, 30},
        {4000, 300, 0, 1, 30},
        {4000, 8000, 3000, 3, 4000},
        {900, 2000, 500, 20, 45},
        {50, 100, 60, 2, 25},
        {4, 3, 1, 1, 4},
        {2, 1, 0, 1, 2},
        {1, 0, 0, 1, 1},
        {300, 0, 0, 1, 1},
        {2000, 1999, 0, 1, 2},
        {20000, 0, 60000, 1, 60},
        {300, 30000, 0, 1, 300},
    };
    for (int k = 0; k < SP_COUNT(cases); ++k)
    {
        spHeap heap = spMakeHeap(NULL);
        int nodes = cases[k].nodes, parts = cases[k].parts, reach = cases[k].reach;
        Elements edges = MakeElements(nodes, cases[k].edges, 2, parts, reach, 11 + (uint64_t)k);
        Elements tets = MakeElements(nodes, cases[k].tets, 4, parts, reach, 97 + (uint64_t)k);
        spElementList lists[2] = {{edges.nodes, edges.count, 2, NULL}, {tets.nodes, tets.count, 4, NULL}};
        spSweepOrder order = Colour(&heap, lists, 2, nodes);
        printf("%d nodes, %d edges, %d tets in %d parts: %d colours, %d parts\n", nodes, edges.count,
               tets.count, parts, order.colourCount, order.partCount);
        spFreeSweepOrder(&order, &heap);
        free(edges.nodes);
        free(tets.nodes);
        assert_int_equal(heap.byteCount, 0);
    }
}

// Boxes as bodies have them: tets alone, and with a spring along two edges of each. Colours are even, and little
// is left over.
static void TestMeshes(void** state)
{
    SP_UNUSED(state);
    for (int cells = 6; cells <= 24; cells *= 2)
    {
        spHeap heap = spMakeHeap(NULL);
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.cells[0] = 2 * cells;
        def.cells[1] = def.cells[2] = cells;
        spMesh* mesh = spMakeBoxMesh(&def, NULL);
        int nodeCount = spMesh_GetVertexCount(mesh);
        // The nodes of a tet are also those of two springs
        spElementList lists[2] = {{spMesh_GetTets(mesh), spMesh_GetTetCount(mesh), 4, NULL},
                                  {spMesh_GetTets(mesh), 2 * spMesh_GetTetCount(mesh), 2, NULL}};
        for (int listCount = 1; listCount <= 2; ++listCount)
        {
            spSweepOrder order = Colour(&heap, lists, listCount, nodeCount);
            int* sizes = CountColours(&order, lists, listCount);
            int total = lists[0].count + (listCount == 2 ? lists[1].count : 0);
            bool remainder = HasRemainder(&order, lists, listCount);
            int colours = order.colourCount - (remainder ? 1 : 0), left = remainder ? sizes[colours] : 0;
            double average = (double)(total - left) / colours, largest = 0.0;
            for (int colour = 0; colour < colours; ++colour)
            {
                largest = fmax(largest, sizes[colour]);
                assert_true(sizes[colour] >= SP_COLOUR_BLOCKS * SP_BLOCK);
            }
            printf("%d tets%s: %d colours of %.0f elements, at most %.0f; %d left over\n", lists[0].count,
                   listCount == 2 ? " and springs" : "", colours, average, largest, left);
            CHECK_LESS(largest, (listCount == 1 ? 1.1 : 1.4) * average);
            CHECK_LESS(left, (cells == 6 ? 0.1 : 0.001) * total);
            free(sizes);
            spFreeSweepOrder(&order, &heap);
        }
        spDestroyMesh(mesh);
        assert_int_equal(heap.byteCount, 0);
    }
}

// 10 000 springs on one node, alone and beside springs that are coloured as if they were not there; the same
// tet 10 000 times; elements that name a node twice; nothing
static void TestOddInput(void** state)
{
    SP_UNUSED(state);
    enum
    {
        springCount = 10000
    };
    spHeap heap = spMakeHeap(NULL);
    int32_t* star = malloc(2 * springCount * sizeof(int32_t));
    int32_t* pairs = malloc(2 * springCount * sizeof(int32_t));
    int32_t* tets = malloc(4 * springCount * sizeof(int32_t));
    for (int i = 0; i < springCount; ++i)
    {
        star[2 * i] = i + 1;
        star[2 * i + 1] = 0;
        pairs[2 * i] = 10001 + 2 * i;
        pairs[2 * i + 1] = 10001 + (i % 100 == 7 ? 2 * i : 2 * i + 1);
        memcpy(tets + 4 * i, (int32_t[]){3, 1, 2, 0}, 4 * sizeof(int32_t));
    }
    spElementList one = {star, springCount, 2, NULL},
                  both[3] = {{NULL, 0, 4, NULL}, one, {pairs, springCount, 2, NULL}};
    spSweepOrder order = Colour(&heap, &one, 1, 10001);
    assert_int_equal(order.colourCount, 1);
    assert_int_equal(order.partCount, 1);
    spFreeSweepOrder(&order, &heap);
    // The pairs are a colour, with the one spring of the star that first had it
    order = Colour(&heap, both, 3, 30001);
    assert_int_equal(order.colourCount, 2);
    int* sizes = CountColours(&order, both, 3);
    assert_int_equal(sizes[0], springCount + 1);
    assert_int_equal(sizes[1], springCount - 1);
    free(sizes);
    spFreeSweepOrder(&order, &heap);
    spElementList same = {tets, springCount, 4, NULL};
    order = Colour(&heap, &same, 1, 4);
    assert_int_equal(order.partCount, 1);
    spFreeSweepOrder(&order, &heap);
    order = Colour(&heap, both, 1, 5);
    assert_int_equal(order.colourCount, 0);
    spFreeSweepOrder(&order, &heap);
    order = Colour(&heap, NULL, 0, 0);
    assert_int_equal(order.partCount, 0);
    spFreeSweepOrder(&order, &heap);
    free(star);
    free(pairs);
    free(tets);
    assert_int_equal(heap.byteCount, 0);
}

// Every allocation failing in turn: no leak, no crash
static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    Elements e = MakeElements(2000, 6000, 4, 2, 40, 5);
    spElementList list = {e.nodes, e.count, e.n, NULL};
    FailingAllocator failing = {.failAt = -1};
    spAllocator allocator = MakeFailingAllocator(&failing);
    bool done = false;
    for (int k = 0; done == false; ++k)
    {
        failing = (FailingAllocator){.failAt = k};
        spHeap heap = spMakeHeap(&allocator);
        spSweepOrder order;
        done = spOrderByColours(&order, &heap, &list, 1, 2000);
        assert_true(done || (order.colourBegin == NULL && order.partCount == 0));
        spFreeSweepOrder(&order, &heap);
        assert_int_equal(heap.byteCount, 0);
        assert_int_equal(failing.out, 0);
        assert_true(k < 100);
    }
    free(e.nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRandomGraphs),
        cmocka_unit_test(TestMeshes),
        cmocka_unit_test(TestOddInput),
        cmocka_unit_test(TestFailingAllocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
