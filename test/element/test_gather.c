// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Two other ways to the forces of tets, which the engine does not take (Courtecuisse 2011, chapter 3): elements that
// add straight to their nodes, colour by colour, where ours have slots that the nodes gather; and a stored matrix of
// 12 x 12 numbers for each tet, where ours compute.

#include "math/mat3.h"
#include "math/vec3.h"
#include "mesh/colour.h"
#include "test/element_test.h"
#include "testbed/worlds.h"
#include "world/world.h"

static spTestWorld BuildShakenBeam(int size, spTetLaw law)
{
    spTestDef def = spDefaultTestDef();
    spTetDef tets = spDefaultTetDef();
    tets.law = law;
    tets.youngModulus = (spReal)1e5;
    spTestWorld test = spBuildTetBeam(&def, size, &tets);
    assert_non_null(test.world);
    uint64_t seed = 36;
    Shake(spGetBody(test.world, test.body), 0.2 * 0.25 / size, &seed);
    return test;
}

typedef struct ColourContext
{
    const spTetSet* set;
    spNodeState state;
    const int32_t* elements; // part by part
    const int32_t* begin;    // first of each part
    int firstPart;
    spVec3* f;
} ColourContext;

// Parts of one colour: nobody else adds to their nodes
static void AddParts(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const ColourContext* c = context;
    for (int i = c->begin[c->firstPart + begin]; i < c->begin[c->firstPart + end]; ++i)
    {
        int e = c->elements[i];
        spMat3 p = spGetTetStressOf(c->set, e, spGetTetGradient(c->set, &c->state, e));
        spMat3 rows = spTransposeMat3(c->set->inverses[e]);
        const spVec3 gradients[3] = {rows.cx, rows.cy, rows.cz};
        const int32_t* nodes = c->set->tets[e].nodes;
        for (int k = 0; k < 3; ++k)
        {
            spVec3 force = spScale3(-c->set->volumes[e], spMulMV3(p, gradients[k]));
            c->f[nodes[k + 1]] = spAdd3(c->f[nodes[k + 1]], force);
            c->f[nodes[0]] = spSub3(c->f[nodes[0]], force);
        }
    }
}

static void AddColours(spTestWorld* test, int workerCount, spVec3* f)
{
    spBody* body = spGetBody(test->world, test->body);
    const spTetSet* set = (const spTetSet*)body->sets[test->tets];
    int count = set->base.elementCount;
    spHeap heap = spMakeHeap(NULL);
    int32_t* nodes = malloc((size_t)count * 4 * sizeof(int32_t));
    for (int e = 0; e < count; ++e)
    {
        memcpy(nodes + 4 * e, set->tets[e].nodes, sizeof(set->tets[e].nodes));
    }
    spElementList list = {nodes, count, 4, NULL};
    spSweepOrder order;
    assert_true(spOrderByColours(&order, &heap, &list, 1, body->nodeCount));
    int32_t* begin = calloc((size_t)order.partCount + 1, sizeof(int32_t));
    int32_t* elements = malloc((size_t)count * sizeof(int32_t));
    for (int part = 0, k = 0; part < order.partCount; ++part)
    {
        for (int e = 0; e < count; ++e)
        {
            if (order.partOf[e] == part)
            {
                elements[k++] = e;
            }
        }
        begin[part + 1] = k;
    }
    assert_int_equal(begin[order.partCount], count);
    spTeamDef teamDef = {.workerCount = workerCount};
    spTeam* team = spCreateTeam(&heap, &teamDef, NULL);
    assert_non_null(team);
    memset(f, 0, (size_t)body->nodeCount * sizeof(spVec3));
    ColourContext context = {
        .set = set, .state = spGetNodeState(body), .elements = elements, .begin = begin, .f = f};
    spBeginTeam(team);
    for (int colour = 0; colour < order.colourCount; ++colour)
    {
        context.firstPart = order.colourBegin[colour];
        spParallelFor(team, AddParts, order.colourBegin[colour + 1] - context.firstPart, 1, &context);
    }
    spEndTeam(team);
    print_message("%d tets, %d colours, %d parts, %d threads\n", count, order.colourCount, order.partCount,
                  workerCount);
    assert_true(order.colourCount > 10 && order.partCount > order.colourCount);
    spDestroyTeam(&heap, team);
    free(elements);
    free(begin);
    free(nodes);
    spFreeSweepOrder(&order, &heap);
    assert_int_equal(heap.byteCount, 0);
}

// C1-F36: what elements add to their nodes colour by colour, on any number of threads, is what the nodes gather
static void TestColoursAgainstGather(void** state)
{
    SP_UNUSED(state);
    const spTetLaw laws[] = {sp_tetLinear, sp_tetCorotational, sp_tetStVenantKirchhoff};
    for (int i = 0; i < SP_COUNT(laws); ++i)
    {
        spTestWorld test = BuildShakenBeam(6, laws[i]);
        spBody* body = spGetBody(test.world, test.body);
        int n = body->nodeCount;
        spVec3 *alone = calloc((size_t)n, sizeof(spVec3)), *shared = calloc((size_t)n, sizeof(spVec3));
        AddColours(&test, 1, alone);
        AddColours(&test, 3, shared);
        assert_memory_equal(alone, shared, (size_t)n * sizeof(spVec3));
        EvaluateForces(body);
        double apart = 0.0, largest = 0.0;
        for (int k = 0; k < n; ++k)
        {
            apart = fmax(apart, (double)spLength3(spSub3(alone[k], spXyz(body->f[k]))));
            largest = fmax(largest, (double)spLength3(alone[k]));
        }
        print_message("colours and gather differ by %.1e of the largest force\n", apart / largest);
        CHECK_LESS(apart, (sizeof(spReal) == sizeof(double) ? 1e-13 : 2e-6) * largest);
        free(alone);
        free(shared);
        spDestroyTestWorld(&test);
    }
}

// C1-F27: what forces and their differences read of a tet of one material, with the padding of the blocks: nodes,
// slots, the inverse of the rest edges and the volume, no rotation. 84 bytes in the thesis, 592 with a stored matrix.
static void TestBytesOfATet(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = BuildShakenBeam(13, sp_tetCorotational);
    const spTetSet* set = (const spTetSet*)spGetBody(test.world, test.body)->sets[test.tets];
    const spBlocks* blocks = &set->blocks;
    size_t indices = 0;
    for (int i = 0; i < blocks->blockCount; ++i)
    {
        indices += blocks->slotPlace[i] >= 0 ? 8 : 4;
    }
    size_t numbers = (size_t)blocks->blockCount * SP_TET_DATA;
    size_t bytes = SP_BLOCK * (numbers * sizeof(spReal) + indices * sizeof(int32_t));
    double each = (double)bytes / set->base.elementCount;
    double stored = 144.0 * sizeof(spReal) + 4.0 * sizeof(int32_t);
    print_message("%d tets: %.1f bytes each, %.0f with a stored matrix\n", set->base.elementCount, each,
                  stored);
    assert_int_equal(set->materialStride, 0);
    CHECK_LESS(each, sizeof(spReal) == sizeof(float) ? 84.0 : 144.0);
    CHECK_LESS(each, stored / 7.0);
    spDestroyTestWorld(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestColoursAgainstGather),
        cmocka_unit_test(TestBytesOfATet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
