// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Differences of forces from a stored matrix of 12 x 12 numbers for each tet, beside ours, which compute what they need
// from the inverse of the rest edges (Courtecuisse 2011, section 3.2.2): the same numbers, and who takes longer. The
// matrices lie as our elements do, in blocks of lanes, so that the compiler multiplies them side by side.

#include "math/mat3.h"
#include "math/vec3.h"
#include "test/element_test.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <time.h>

#define ROWS 12

typedef struct Stored
{
    const spBlocks* blocks;
    spReal* numbers; // (blockCount x ROWS x ROWS x SP_BLOCK)
} Stored;

static Stored StoreMatrices(const spElementSet* set, const spNodeState* state, bool project)
{
    const spBlocks* blocks = &((const spTetSet*)set)->blocks;
    Stored stored = {blocks, calloc((size_t)blocks->blockCount * ROWS * ROWS * SP_BLOCK, sizeof(spReal))};
    assert_non_null(stored.numbers);
    for (int i = 0; i < blocks->blockCount * SP_BLOCK; ++i)
    {
        int32_t nodes[4];
        spMat3 k[16];
        if (blocks->elements[i] < 0)
        {
            continue;
        }
        assert_int_equal(set->kind->getStiffness(set, state, blocks->elements[i], project, nodes, k), 4);
        spReal* to = stored.numbers + (size_t)(i / SP_BLOCK) * ROWS * ROWS * SP_BLOCK + i % SP_BLOCK;
        for (int row = 0; row < ROWS; ++row)
        {
            for (int column = 0; column < ROWS; ++column)
            {
                const spReal* block = &k[4 * (row / 3) + column / 3].cx.x;
                to[(row * ROWS + column) * SP_BLOCK] = block[3 * (column % 3) + row % 3];
            }
        }
    }
    return stored;
}

// f -= K u. Lanes of a block share no node.
static void MultiplyStored(const Stored* stored, const spVec4* u, spVec4* f)
{
    for (int block = 0; block < stored->blocks->blockCount; ++block)
    {
        const spReal* k = stored->numbers + (size_t)block * ROWS * ROWS * SP_BLOCK;
        const int32_t* nodes = stored->blocks->nodes + (size_t)block * 4 * SP_BLOCK;
        spReal in[ROWS][SP_BLOCK], out[ROWS][SP_BLOCK];
        for (int i = 0; i < 4 * SP_BLOCK; ++i)
        {
            const spReal* v = (const spReal*)u + nodes[i];
            in[3 * (i / SP_BLOCK)][i % SP_BLOCK] = v[0];
            in[3 * (i / SP_BLOCK) + 1][i % SP_BLOCK] = v[1];
            in[3 * (i / SP_BLOCK) + 2][i % SP_BLOCK] = v[2];
        }
        for (int row = 0; row < ROWS; ++row)
        {
            spReal sum[SP_BLOCK] = {0};
            for (int column = 0; column < ROWS; ++column, k += SP_BLOCK)
            {
                for (int lane = 0; lane < SP_BLOCK; ++lane)
                {
                    sum[lane] += k[lane] * in[column][lane];
                }
            }
            memcpy(out[row], sum, sizeof(sum));
        }
        for (int i = 0; i < 4 * SP_BLOCK; ++i)
        {
            spReal* v = (spReal*)f + nodes[i];
            v[0] -= out[3 * (i / SP_BLOCK)][i % SP_BLOCK];
            v[1] -= out[3 * (i / SP_BLOCK) + 1][i % SP_BLOCK];
            v[2] -= out[3 * (i / SP_BLOCK) + 2][i % SP_BLOCK];
        }
    }
}

static double GetProcessorTime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// C1-F27: the shortest processor time of products in turns, on one thread. Stored matrices wait for memory, so that more
// lanes than the compiler uses here would not help them.
static void TestStoredMatrices(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    spTestWorld test = spBuildTetBeam(&def, 13, &tets);
    assert_non_null(test.world);
    spBody* body = spGetBody(test.world, test.body);
    int n = body->nodeCount;
    uint64_t seed = 27;
    Shake(body, 0.002, &seed);
    spNodeState nodeState = spGetNodeState(body);
    Stored stored = StoreMatrices(body->sets[test.tets], &nodeState, true);
    spVec4 *u = AllocNodes(n), *v = AllocNodes(n), *f = AllocNodes(n);
    for (int i = 0; i < n; ++i)
    {
        u[i].x = (spReal)spRandomRange(&seed, -1, 1);
        u[i].y = (spReal)spRandomRange(&seed, -1, 1);
        u[i].z = (spReal)spRandomRange(&seed, -1, 1);
    }
    double best[2] = {INFINITY, INFINITY};
    for (int round = 0; round < 15; ++round)
    {
        double start = GetProcessorTime();
        EvaluateDifference(body, u, v, true);
        double middle = GetProcessorTime();
        memset(f, 0, (size_t)n * sizeof(spVec4));
        MultiplyStored(&stored, u, f);
        best[0] = fmin(best[0], middle - start);
        best[1] = fmin(best[1], GetProcessorTime() - middle);
    }
    double apart = 0.0, largest = 0.0;
    for (int i = 0; i < n; ++i)
    {
        apart = fmax(apart, (double)spLength3(spSub3(spXyz(f[i]), spXyz(body->f[i]))));
        largest = fmax(largest, (double)spLength3(spXyz(f[i])));
    }
    print_message("%d tets: %.2f ms, %.2f ms with stored matrices, %.2f times; differ by %.1e\n",
                  body->sets[test.tets]->elementCount, 1e3 * best[0], 1e3 * best[1], best[1] / best[0],
                  apart / largest);
    CHECK_LESS(apart, 1e-5 * largest);
    CHECK_LESS(best[0], best[1]);
    free(stored.numbers);
    free(u);
    free(v);
    free(f);
    spDestroyTestWorld(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestStoredMatrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
