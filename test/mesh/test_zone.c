// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Zones of Gauss-Seidel and their blocks, and paths along edges: what the layout promises, on random graphs,
// on several parts at once, and on bodies of a few nodes.

#include "mesh/path.h"
#include "mesh/zone.h"
#include "test/sweep_order_test.h"

static int GetLowestZone(const spZones* zones, const int32_t* nodes, int n)
{
    int lowest = zones->zoneCount;
    for (int k = 0; k < n; ++k)
    {
        lowest = spMinInt(lowest, zones->zoneOf[nodes[k]]);
    }
    return lowest;
}

// An element reaches no farther than the next zone
static void CheckZones(const spZones* zones, const Elements* sorts, int sortCount)
{
    for (int node = 0; node < zones->nodeCount; ++node)
    {
        assert_in_range(zones->zoneOf[node], 0, zones->zoneCount - 1);
    }
    for (int s = 0; s < sortCount; ++s)
    {
        for (int i = 0; i < sorts[s].count * sorts[s].n; ++i)
        {
            int zone = GetLowestZone(zones, sorts[s].nodes + i / sorts[s].n * sorts[s].n, sorts[s].n);
            assert_in_range(zones->zoneOf[sorts[s].nodes[i]], zone, zone + 1);
        }
    }
}

static void TestZones(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        int nodes, edges, tets, parts, reach, least;
    } cases[] = {
        {4000, 12000, 9000, 1, 30, 192},
        {4000, 12000, 9000, 5, 30, 192},
        {4000, 300, 0, 1, 30, 192},
        {4000, 8000, 3000, 3, 4000, 64},
        {900, 2000, 500, 20, 45, 1},
        {50, 100, 60, 2, 25, 192},
        {4, 3, 1, 1, 4, 192},
        {2, 1, 0, 1, 2, 1},
        {1, 0, 0, 1, 1, 192},
        {300, 0, 0, 1, 1, 192},
        {2000, 1999, 0, 1, 2, 1},
    };
    for (int k = 0; k < SP_COUNT(cases); ++k)
    {
        spHeap heap = spMakeHeap(NULL);
        Elements sorts[2] = {
            MakeElements(cases[k].nodes, cases[k].edges, 2, cases[k].parts, cases[k].reach, 11 + (uint64_t)k),
            MakeElements(cases[k].nodes, cases[k].tets, 4, cases[k].parts, cases[k].reach, 97 + (uint64_t)k)};
        spElementList lists[2];
        for (int s = 0; s < 2; ++s)
        {
            lists[s] = (spElementList){sorts[s].nodes, sorts[s].count, sorts[s].n, NULL};
        }
        spZones zones;
        assert_true(spBuildZones(&zones, &heap, lists, 2, cases[k].nodes, cases[k].least));
        printf("%d nodes, %d edges, %d tets in %d parts: %d zones\n", cases[k].nodes, cases[k].edges,
               cases[k].tets, cases[k].parts, zones.zoneCount);
        CheckZones(&zones, sorts, 2);
        // As many nodes as were asked for, where the body has them
        int* sizes = calloc((size_t)zones.zoneCount, sizeof(int));
        for (int node = 0; node < cases[k].nodes; ++node)
        {
            sizes[zones.zoneOf[node]] += 1;
        }
        for (int zone = 0; zone < zones.zoneCount && zones.zoneCount > 1; ++zone)
        {
            assert_true(sizes[zone] >= cases[k].least);
        }
        free(sizes);
        spSweepOrder order;
        assert_true(spOrderByZones(&order, &heap, lists, 2, cases[k].nodes, cases[k].least));
        assert_int_equal(order.partCount, zones.zoneCount);
        for (int i = 0; i < sorts[0].count + sorts[1].count; ++i)
        {
            const Elements* e = sorts + (i < sorts[0].count ? 0 : 1);
            int element = i - (i < sorts[0].count ? 0 : sorts[0].count);
            assert_int_equal(order.partOf[i], GetLowestZone(&zones, e->nodes + element * e->n, e->n));
        }
        CheckLayout(&order, &heap, lists, 2);
        spFreeSweepOrder(&order, &heap);
        spFreeZones(&zones, &heap);
        free(sorts[0].nodes);
        free(sorts[1].nodes);
        assert_int_equal(heap.byteCount, 0);
    }
}

// A chain has as many zones as its nodes allow: work for many threads
static void TestChain(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    int32_t edges[2 * 1999];
    for (int i = 0; i < 1999; ++i)
    {
        // Numbers as they come do not matter
        edges[2 * i] = (i * 7) % 2000;
        edges[2 * i + 1] = ((i + 1) * 7) % 2000;
    }
    spElementList list = {edges, 1999, 2, NULL};
    spZones zones;
    assert_true(spBuildZones(&zones, &heap, &list, 1, 2000, 100));
    assert_int_equal(zones.zoneCount, 20);
    spFreeZones(&zones, &heap);
    // Nothing at all
    assert_true(spBuildZones(&zones, &heap, NULL, 0, 5, 192));
    assert_int_equal(zones.zoneCount, 1);
    spFreeZones(&zones, &heap);
    assert_int_equal(heap.byteCount, 0);
}

// Some force of an element on its node k: what counts is that every element has another one
static double GetTestForce(int element, int k)
{
    return (k % 2 == 0 ? 1.0 : -1.0) * sin(1.0 + 0.7 * element);
}

// Adding up forces colour by colour straight into the nodes, a colour being one block of every other zone,
// gives the sum: its elements share no node, so that any number of threads may add them at once
static void TestColoursEqualSums(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    Elements e = MakeElements(3000, 20000, 2, 1, 40, 19);
    spElementList list = {e.nodes, e.count, e.n, NULL};
    spSweepOrder order;
    spBlocks blocks;
    assert_true(spOrderByZones(&order, &heap, &list, 1, 3000, 128));
    assert_true(spBuildPartBlocks(&blocks, &heap, &list, &order, order.partOf));
    assert_true(order.partCount > 4);
    double* sums = calloc(3000, sizeof(double));
    spReal* straight = calloc(3000, sizeof(spReal));
    int* seen = calloc(3000, sizeof(int));
    for (int i = 0; i < 2 * e.count; ++i)
    {
        sums[e.nodes[i]] += GetTestForce(i / 2, i % 2);
    }
    int stamp = 0, added = 0;
    for (int colour = 0; colour < 2; ++colour)
    {
        bool left = true;
        for (int round = 0; left; ++round)
        {
            left = false;
            stamp += 1;
            for (int zone = colour; zone < order.partCount; zone += 2)
            {
                int block = blocks.patchBlock[zone] + round;
                for (int i = 0; i < 2 * SP_BLOCK && block < blocks.patchBlock[zone + 1]; ++i)
                {
                    int element = blocks.elements[block * SP_BLOCK + i % SP_BLOCK];
                    int node = blocks.nodes[block * 2 * SP_BLOCK + i] / 4;
                    left = true;
                    if (element >= 0)
                    {
                        assert_int_not_equal(seen[node], stamp);
                        seen[node] = stamp;
                        straight[node] += (spReal)GetTestForce(element, i / SP_BLOCK);
                        added += 1;
                    }
                }
            }
        }
    }
    assert_int_equal(added, 2 * e.count);
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < 3000; ++i)
    {
        largest = fmax(largest, fabs(sums[i]));
        difference = fmax(difference, fabs(sums[i] - (double)straight[i]));
    }
    CHECK_LESS(difference, (sizeof(spReal) == sizeof(double) ? 1e-12 : 1e-6) * largest);
    free(sums);
    free(straight);
    free(seen);
    free(e.nodes);
    spFreeBlocks(&blocks, &heap);
    spFreeSweepOrder(&order, &heap);
    assert_int_equal(heap.byteCount, 0);
}

// Every allocation failing in turn: no leak, no crash
static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    Elements e = MakeElements(600, 2000, 4, 2, 40, 5);
    double* lengths = malloc(4000 * sizeof(double));
    bool sources[600] = {true};
    int32_t nearest[600];
    double distances[600];
    for (int i = 0; i < 4000; ++i)
    {
        lengths[i] = 1.0;
    }
    FailingAllocator failing = {.failAt = -1};
    spAllocator allocator = MakeFailingAllocator(&failing);
    bool done = false;
    for (int k = 0; done == false; ++k)
    {
        failing = (FailingAllocator){.failAt = k};
        spHeap heap = spMakeHeap(&allocator);
        spElementList list = {e.nodes, e.count, e.n, NULL};
        spSweepOrder order;
        spBlocks blocks;
        if (spOrderByZones(&order, &heap, &list, 1, 600, 64))
        {
            if (spBuildPartBlocks(&blocks, &heap, &list, &order, order.partOf))
            {
                done = spFindNearest(&heap, e.nodes, lengths, 4000, sources, 600, nearest, distances);
                spFreeBlocks(&blocks, &heap);
            }
            spFreeSweepOrder(&order, &heap);
        }
        assert_int_equal(heap.byteCount, 0);
        assert_int_equal(failing.out, 0);
        assert_true(k < 100);
    }
    free(lengths);
    free(e.nodes);
}

// Against repeated relaxation of all edges
static void TestPaths(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    uint64_t seed = 77;
    for (int k = 0; k < 20; ++k)
    {
        int n = 200;
        Elements e = MakeElements(n, 500, 2, 1 + k % 3, 20, seed++);
        double lengths[500], distances[200], expected[200];
        int32_t nearest[200];
        bool sources[200] = {false};
        for (int i = 0; i < 500; ++i)
        {
            lengths[i] = i % 7 == 0 ? 0.0 : spRandomRange(&seed, 0.1, 1.0);
        }
        for (int i = 0; i < n; ++i)
        {
            sources[i] = spNextRandom(&seed) % 40 == 0;
            expected[i] = sources[i] ? 0.0 : INFINITY;
        }
        for (int round = 0; round < n; ++round)
        {
            for (int i = 0; i < 500; ++i)
            {
                int a = e.nodes[2 * i], b = e.nodes[2 * i + 1];
                expected[a] = fmin(expected[a], expected[b] + lengths[i]);
                expected[b] = fmin(expected[b], expected[a] + lengths[i]);
            }
        }
        assert_true(spFindNearest(&heap, e.nodes, lengths, 500, sources, n, nearest, distances));
        for (int i = 0; i < n; ++i)
        {
            assert_int_equal(nearest[i] >= 0, isfinite(expected[i]) != 0);
            if (nearest[i] >= 0)
            {
                assert_true(sources[nearest[i]]);
                CHECK_NEAR(distances[i], expected[i], 1e-12);
            }
        }
        free(e.nodes);
    }
    assert_int_equal(heap.byteCount, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestZones),
        cmocka_unit_test(TestChain),
        cmocka_unit_test(TestColoursEqualSums),
        cmocka_unit_test(TestFailingAllocations),
        cmocka_unit_test(TestPaths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
