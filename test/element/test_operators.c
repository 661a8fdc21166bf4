// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Debunne's operators: tensors per edge, and his benchmark of the cube on the wall in a short version. The
// whole of it is `souple reproduce operators`.

#include "math/mat3.h"
#include "math/vec3.h"
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

// F19: the stiffness of the elements summed into one tensor for each ordered pair of nodes gives the forces
// of the laws that are linear, for any displacement; T^ji is T^ij transposed, and a row sums to zero
static void TestTensors(void** state)
{
    SP_UNUSED(state);
    const double tolerance = sizeof(spReal) == sizeof(double) ? 1e-12 : 2e-4;
    for (int k = 0; k < SP_CUBE_LEVELS; ++k)
    {
        for (int model = sp_cubeHybrid; model <= sp_cubeCauchy; ++model)
        {
            spTestWorld test = Build(k, (spCubeModel)model, 1.0, 0.0);
            spBody* body = spGetBody(test.world, test.body);
            spElementSet* set = body->sets[test.tets];
            int n = body->nodeCount;
            spMat3* tensors = calloc((size_t)n * (size_t)n, sizeof(spMat3));
            spNodeState nodeState = spGetNodeState(body);
            for (int e = 0; e < set->elementCount; ++e)
            {
                int32_t nodes[4];
                spMat3 blocks[16];
                assert_int_equal(set->kind->getStiffness(set, &nodeState, e, false, nodes, blocks), 4);
                for (int i = 0; i < 16; ++i)
                {
                    spMat3* t = tensors + (size_t)nodes[i / 4] * (size_t)n + nodes[i % 4];
                    *t = spAddMat3(*t, blocks[i]);
                }
            }
            spVec4* rest = AllocNodes(n);
            memcpy(rest, body->x, (size_t)n * sizeof(spVec4));
            uint64_t seed = 19;
            Shake(body, 0.02, &seed);
            EvaluateForces(body);
            double apart = 0.0, largest = 0.0, turned = 0.0, norm = 0.0, rowSum = 0.0;
            for (int i = 0; i < n; ++i)
            {
                spVec3 force = spMakeVec3(0, 0, 0);
                spMat3 sum = {0};
                for (int j = 0; j < n; ++j)
                {
                    spMat3 t = tensors[i * n + j];
                    spVec3 u = spSub3(spXyz(body->x[j]), spXyz(rest[j]));
                    force = spSub3(force, spMulMV3(t, u));
                    sum = spAddMat3(sum, t);
                    turned = fmax(turned, spNormMat3(spSubMat3(t, spTransposeMat3(tensors[j * n + i]))));
                    norm = fmax(norm, spNormMat3(t));
                }
                apart = fmax(apart, (double)spLength3(spSub3(force, spXyz(body->f[i]))));
                largest = fmax(largest, (double)spLength3(force));
                rowSum = fmax(rowSum, spNormMat3(sum));
            }
            CHECK_LESS(apart, tolerance * largest);
            CHECK_LESS(turned, tolerance * norm);
            CHECK_LESS(rowSum, tolerance * norm);
            free(tensors);
            free(rest);
            spDestroyTestWorld(&test);
        }
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

// F20: 4.08, 4.12 and 4.16 Hz, the same amplitude, no growth (24 s here, 300 s in the experiment)
static void TestHybrid(void** state)
{
    SP_UNUSED(state);
    static const double thesis[SP_CUBE_LEVELS] = {4.08, 4.12, 4.16};
    spSwing swing[SP_CUBE_LEVELS];
    CHECK_LESS(RunModel(sp_cubeHybrid, 1.0, 0.0, swing), 0.025);
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
    CHECK_LESS(RunModel(sp_cubeHybrid, 1.0, 3e-4, swing), 0.025);
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
        cmocka_unit_test(TestMeshes),        cmocka_unit_test(TestTensors), cmocka_unit_test(TestHybrid),
        cmocka_unit_test(TestGreenLagrange), cmocka_unit_test(TestSprings), cmocka_unit_test(TestSwing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
