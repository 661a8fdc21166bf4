// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Debunne's operators: tensors per edge, and his benchmark of the cube on the wall in a short version. The
// whole of it is `souple reproduce operators`.

#include "math/mat3.h"
#include "math/vec3.h"
#include "method/system.h"
#include "test/element_test.h"
#include "testbed/debunne_cube.h"
#include "world/world.h"

#define RATE 800.0
#define COUNT 2400 // 3 s

static spTestWorld Build(int level, spCubeModel model, double scale, double damping)
{
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildDebunneCube(&def, level, model, scale, damping);
    if (test.world == NULL)
    {
        print_error("%s\n", test.error.message);
    }
    assert_non_null(test.world);
    return test;
}

static void TestMeshes(void** state)
{
    SP_UNUSED(state);
    static const int points[] = {27, 57, 125}, tets[] = {48, 108, 384};
    for (int k = 0; k < SP_CUBE_LEVELS; ++k)
    {
        spError error = SP_ZERO_INIT;
        spMesh* mesh = spMakeDebunneCube(k, &error);
        assert_non_null(mesh);
        assert_int_equal(spMesh_GetVertexCount(mesh), points[k]);
        assert_int_equal(spMesh_GetTetCount(mesh), tets[k]);
        spDestroyMesh(mesh);
        spTestWorld test = Build(k, sp_cubeHybrid, 1.0, 0.0);
        spReal masses[125];
        double mass = 0.0;
        for (int i = 0; i < spBody_CopyMasses(test.world, test.body, masses, 125); ++i)
        {
            mass += masses[i];
        }
        CHECK_NEAR(mass, 1.0, 1e-5);
        CHECK_NEAR(spBody_GetVolume(test.world, test.body), 1e-3, 1e-8);
        spDestroyTestWorld(&test);
    }
}

// The pairs of a body's own system at rest: 1 of the stiffness, nothing of the mass
static void AssemblePairs(spBodySystem* s, spBody* body)
{
    spFill fill = {.stiffness = 1};
    spSystemNeeds needs = {.sparse = true};
    spError error = {0};
    assert_true(spCreateBodySystem(s, body, &fill, &needs, &error));
    spForceContext force = {.body = body, .state = spGetNodeState(body)};
    spMeasureForces(&force);
    spAssembleSystem(s, body, &force, 0, &fill, true);
}

// What the pairs give for displacements, with the sign of a force
static void MultiplyPairs(spBodySystem* s, const spVec4* u, spVec4* f)
{
    spOperator op = spGetPairOperator(s);
    for (int p = 0; p < s->sparse.patchCount; ++p)
    {
        op.multiply(op.context, u, p);
    }
    for (int p = 0; p < s->sparse.patchCount; ++p)
    {
        spSumSlots(op.slots, op.product, p);
    }
    for (int i = 0; i < s->sparse.nodeCount; ++i)
    {
        f[i] =
            (spVec4){-op.sign * op.product[i].x, -op.sign * op.product[i].y, -op.sign * op.product[i].z, 0};
    }
}

// The pair of a against b, as it is stored or turned over: T^ab = -E_ab
static spMat3 FindTensor(const spSparse* pairs, int a, int b)
{
    int high = a > b ? a : b, low = a > b ? b : a;
    for (int k = pairs->rowBegin[high]; k < pairs->rowBegin[high + 1]; ++k)
    {
        if (pairs->rowColumns[k] == low)
        {
            // A block has the lower node first
            spMat3 e = spScaleMat3(-1, spGetPairBlock(pairs, k));
            return a == low ? e : spTransposeMat3(e);
        }
    }
    return spZeroMat3();
}

// F19: implicit steps multiply with one tensor for each pair of nodes, summed once. Of the laws that are linear these
// are the mass tensors: they give the forces that the elements give one by one, for any displacement, and each is the
// sum of what the elements of its edge have there, both ways round.
static void TestTensors(void** state)
{
    SP_UNUSED(state);
    const double tolerance = sizeof(spReal) == sizeof(double) ? 1e-12 : 1e-5;
    for (int run = 0; run < 2 * SP_CUBE_LEVELS; ++run)
    {
        spTestWorld test = Build(run / 2, run % 2 == 0 ? sp_cubeHybrid : sp_cubeCauchy, 1.0, 0.0);
        spBody* body = spGetBody(test.world, test.body);
        spElementSet* set = body->sets[test.tets];
        int n = body->nodeCount;
        spBodySystem system;
        AssemblePairs(&system, body);
        spMat3* sums = calloc((size_t)n * (size_t)n, sizeof(spMat3));
        spNodeState nodeState = spGetNodeState(body);
        for (int e = 0; e < set->elementCount; ++e)
        {
            int32_t nodes[4];
            spMat3 blocks[16];
            assert_int_equal(set->kind->getStiffness(set, &nodeState, e, false, nodes, blocks), 4);
            for (int i = 0; i < 16; ++i)
            {
                spMat3* t = sums + (size_t)nodes[i / 4] * (size_t)n + nodes[i % 4];
                *t = spAddMat3(*t, blocks[i]);
            }
        }
        double wrong = 0.0, norm = 0.0;
        int pairCount = 0;
        for (int i = 0; i < n * n; ++i)
        {
            if (i / n != i % n)
            {
                spMat3 tensor = FindTensor(&system.sparse, i / n, i % n);
                wrong = fmax(wrong, spNormMat3(spSubMat3(tensor, sums[i])));
                norm = fmax(norm, spNormMat3(sums[i]));
                pairCount += i / n < i % n && spNormMat3(sums[i]) > 0;
            }
        }
        spVec4 *u = AllocNodes(n), *f = AllocNodes(n);
        memcpy(u, body->x, (size_t)n * sizeof(spVec4));
        uint64_t seed = 19;
        Shake(body, 0.02, &seed);
        for (int i = 0; i < n; ++i)
        {
            u[i] = (spVec4){body->x[i].x - u[i].x, body->x[i].y - u[i].y, body->x[i].z - u[i].z, 0};
        }
        MultiplyPairs(&system, u, f);
        EvaluateForces(body);
        double apart = 0.0, largest = 0.0;
        for (int i = 0; i < n; ++i)
        {
            apart = fmax(apart, (double)spLength3(spSub3(spXyz(f[i]), spXyz(body->f[i]))));
            largest = fmax(largest, (double)spLength3(spXyz(body->f[i])));
        }
        print_message("%d tets, %d pairs: forces apart by %.1e, tensors by %.1e\n", set->elementCount,
                      system.sparse.pairCount, apart / largest, wrong / norm);
        assert_true(system.sparse.pairCount >= pairCount && pairCount > n);
        CHECK_LESS(apart, tolerance * largest);
        CHECK_LESS(wrong, tolerance * norm);
        free(sums);
        free(u);
        free(f);
        spDestroyBodySystem(&system, body);
        spDestroyTestWorld(&test);
    }
}

// Runs a model on all meshes. Returns the spread of the frequency.
static double RunModel(spCubeModel model, double scale, double damping, spSwing swing[SP_CUBE_LEVELS])
{
    static double curve[COUNT];
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < SP_CUBE_LEVELS; ++k)
    {
        spTestWorld test = Build(k, model, scale, damping);
        assert_true(spTraceCube(&test, k, curve, COUNT));
        swing[k] = spMeasureSwing(curve, COUNT, 1.0 / RATE);
        least = fmin(least, swing[k].frequency);
        most = fmax(most, swing[k].frequency);
        print_message("model %d on mesh %d: %.3f Hz, %.1f mm about %.1f mm\n", model, k, swing[k].frequency,
                      1e3 * swing[k].amplitude, 1e3 * swing[k].mean);
        spDestroyTestWorld(&test);
    }
    return (most - least) / (0.5 * (most + least));
}

// F20: 4.08, 4.12 and 4.16 Hz, the same amplitude, no growth (24 s here, 300 s in the experiment). The
// frequencies spread by 2.4 % in 3 s and by 2.3 % in 10 s; 2 % is asked for, see TestHybridConverges.
static void TestHybrid(void** state)
{
    SP_UNUSED(state);
    static const double thesis[SP_CUBE_LEVELS] = {4.08, 4.12, 4.16};
    spSwing swing[SP_CUBE_LEVELS];
    CHECK_NEAR(RunModel(sp_cubeHybrid, 1.0, 0.0, swing), 0.0235, 0.0015);
    for (int k = 0; k < SP_CUBE_LEVELS; ++k)
    {
        CHECK_NEAR(swing[k].frequency, thesis[k], 0.01 * thesis[k]);
        CHECK_NEAR(swing[k].amplitude, swing[0].amplitude, 0.03 * swing[0].amplitude);
        static double curve[COUNT];
        spTestWorld test = Build(k, sp_cubeHybrid, 1.0, 0.0);
        for (int part = 0; part < 8; ++part)
        {
            assert_true(spTraceCube(&test, k, curve, COUNT));
            CHECK_LESS(spMeasureSwing(curve, COUNT, 1.0 / RATE).amplitude, 1.05 * swing[k].amplitude);
        }
        spDestroyTestWorld(&test);
    }
    CHECK_NEAR(RunModel(sp_cubeHybrid, 1.0, 3e-4, swing), 0.0235, 0.0015);
}

static double FindGridFrequency(int cells)
{
    static double curve[3 * COUNT];
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildHybridGrid(&def, cells);
    assert_non_null(test.world);
    assert_true(spTraceCube(&test, SP_CUBE_LEVELS - 1, curve, 3 * COUNT));
    spDestroyTestWorld(&test);
    return spMeasureSwing(curve, 3 * COUNT, 1.0 / RATE).frequency;
}

// Why the frequency of F20 spreads: on grids of 2 to 8 cells it rises towards 4.18 Hz with the square of the
// size of a cell, as linear tets with lumped masses do. A cube of 27 points is 2.3 % below that of 125, and
// the frequency of the meshes in the thesis lies between those of ours.
static void TestHybridConverges(void** state)
{
    SP_UNUSED(state);
    double coarse = FindGridFrequency(2), middle = FindGridFrequency(4), fine = FindGridFrequency(8);
    print_message("hybrid on grids of 2, 4 and 8 cells: %.4f, %.4f, %.4f Hz\n", coarse, middle, fine);
    double order = log((middle - coarse) / (fine - middle)) / log(2.0);
    assert_true(order > 1.8 && order < 2.5);
    CHECK_NEAR(fine + (fine - middle) / 3.0, 4.184, 0.004);
}

// F21: 3.86, 3.67 and 3.40 Hz, which takes 0.6 of the printed constants, and the same with damping
static void TestGreenLagrange(void** state)
{
    SP_UNUSED(state);
    static const double thesis[SP_CUBE_LEVELS] = {3.86, 3.67, 3.40};
    spSwing swing[SP_CUBE_LEVELS];
    CHECK_LESS(RunModel(sp_cubeGreenLagrange, 0.6, 0.0, swing), 0.15);
    for (int k = 0; k < SP_CUBE_LEVELS; ++k)
    {
        CHECK_NEAR(swing[k].frequency, thesis[k], 0.05 * thesis[k]);
    }
    CHECK_LESS(RunModel(sp_cubeGreenLagrange, 0.6, 3e-4, swing), 0.15);
}

// F22: springs on the edges depend on the mesh more than the hybrid does, whatever their rule
static void TestSprings(void** state)
{
    SP_UNUSED(state);
    spSwing swing[SP_CUBE_LEVELS];
    double hybrid = RunModel(sp_cubeHybrid, 1.0, 0.0, swing);
    for (int model = sp_cubeConstantSprings; model <= sp_cubeVanGelder; ++model)
    {
        assert_true(RunModel((spCubeModel)model, 1.0, 0.0, swing) > hybrid);
        // They do not even sag alike
        double least = fmin(-swing[0].mean, fmin(-swing[1].mean, -swing[2].mean));
        double most = fmax(-swing[0].mean, fmax(-swing[1].mean, -swing[2].mean));
        assert_true(most > 1.2 * least);
    }
}

// A curve of a known frequency, with a ripple
static void TestSwing(void** state)
{
    SP_UNUSED(state);
    static double curve[COUNT];
    for (int i = 0; i < COUNT; ++i)
    {
        double t = i / RATE;
        curve[i] =
            2.0 - cos(2.0 * 3.14159265358979 * 4.0 * t) + 0.05 * sin(2.0 * 3.14159265358979 * 90.0 * t);
    }
    spSwing swing = spMeasureSwing(curve, COUNT, 1.0 / RATE);
    CHECK_NEAR(swing.frequency, 4.0, 0.01);
    CHECK_NEAR(swing.mean, 2.0, 1e-3);
    CHECK_NEAR(swing.amplitude, 1.04, 0.02);
    static const double still[3];
    CHECK_NEAR(spMeasureSwing(still, 3, 1.0).frequency, 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestMeshes),        cmocka_unit_test(TestTensors),
        cmocka_unit_test(TestHybrid),        cmocka_unit_test(TestHybridConverges),
        cmocka_unit_test(TestGreenLagrange), cmocka_unit_test(TestSprings),
        cmocka_unit_test(TestSwing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
