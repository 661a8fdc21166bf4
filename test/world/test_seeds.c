// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows of the seeds' checklists, beyond the slides, that what is built today already answers. docs/seeds.md
// lists them all.

#include "body/body.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

// Courtecuisse, part 1, F1: a mesh of tets from a file; the lumped masses add up to density times volume
static void TestLumpedMass(void** state)
{
    SP_UNUSED(state);
    const char* path = SOUPLE_BINARY_DIR "/test/seeds_ball.msh";
    spRoundMeshDef meshDef = spDefaultRoundMeshDef();
    spMesh* made = spMakeBallMesh(&meshDef, NULL);
    assert_true(spSaveMesh(made, path, NULL));
    spMesh* mesh = spLoadMesh(path, NULL, NULL);
    assert_non_null(mesh);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = 1060;
    spBodyId body = spCreateBody(world, &bodyDef);
    int count = spBody_GetNodeCount(world, body);
    assert_int_equal(count, spMesh_GetVertexCount(made));
    spReal* masses = malloc((size_t)count * sizeof(spReal));
    assert_non_null(masses);
    assert_int_equal(spBody_CopyMasses(world, body, masses, count), count);
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        assert_true(masses[i] > 0);
        sum += (double)masses[i];
    }
    CHECK_NEAR(sum, 1060.0 * report.volume, 1e-6 * sum);
    free(masses);
    spDestroyWorld(world);
    spDestroyMesh(mesh);
    spDestroyMesh(made);
    remove(path);
}

// Largest eigenvalue of M^-1 K of a body at rest, by the power method
static double FindLargestEigenvalue(spBody* body)
{
    size_t size = ((size_t)body->nodeCount * sizeof(spVec4) + 63) / 64 * 64;
    spVec4* dx = aligned_alloc(64, size);
    spVec4* dv = aligned_alloc(64, size);
    assert_true(dx != NULL && dv != NULL);
    memset(dx, 0, size);
    memset(dv, 0, size);
    uint64_t seed = 31;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        dx[i].x = (spReal)spRandomRange(&seed, -1, 1);
        dx[i].y = (spReal)spRandomRange(&seed, -1, 1);
    }
    spForceContext context = {.body = body, .state = spGetNodeState(body)};
    double eigenvalue = 0.0;
    for (int round = 0; round < 2000; ++round)
    {
        spDifference difference = {.dx = dx, .dv = dv};
        spMeasureDifference(&context, &difference);
        for (int p = 0; p < body->order.patchCount; ++p)
        {
            spAddPatchDifference(&context, &difference, p);
        }
        for (int p = 0; p < body->order.patchCount; ++p)
        {
            spSumPatchForces(&context, p);
        }
        double norm = 0.0;
        for (int i = 0; i < body->nodeCount; ++i)
        {
            double w = -(double)body->x[i].w;
            norm += w * w * ((double)body->f[i].x * body->f[i].x + (double)body->f[i].y * body->f[i].y);
        }
        eigenvalue = sqrt(norm);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            spReal w = (spReal)(-(double)body->x[i].w / eigenvalue);
            dx[i].x = w * body->f[i].x;
            dx[i].y = w * body->f[i].y;
        }
    }
    free(dx);
    free(dv);
    return eigenvalue;
}

// Whether small vibrations of a free lattice stay small
static bool StaysBounded(spMethodType type, double stiffness, double dt)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = type;
    def.method.substeps = 1;
    spTestWorld test = spBuildLattice(&def, 6, (spReal)stiffness, 0, 0);
    spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
    uint64_t seed = 9;
    spVec3 v[36];
    for (int i = 0; i < 36; ++i)
    {
        v[i] =
            (spVec3){(spReal)spRandomRange(&seed, -1e-3, 1e-3), (spReal)spRandomRange(&seed, -1e-3, 1e-3), 0};
    }
    spBody_SetVelocities(test.world, test.body, v, 36);
    double start = spBody_GetEnergy(test.world, test.body).kinetic;
    bool bounded = true;
    for (int i = 0; bounded && i < 3000; ++i)
    {
        bounded = (spWorld_Step(test.world, (spReal)dt) & sp_stepNonFinite) == 0;
        spEnergy e = spBody_GetEnergy(test.world, test.body);
        bounded = bounded && e.kinetic + e.elastic < 1000.0 * start;
    }
    spDestroyTestWorld(&test);
    return bounded;
}

// Ahmad A10 and Courtecuisse, part 1, F11: symplectic Euler is stable up to 2 / w within 2 %, Runge-Kutta 4
// up to 2.83 / w within 6 %, and both limits fall with the root of the stiffness
static void TestStepLimits(void** state)
{
    SP_UNUSED(state);
    const double stiffnesses[2] = {400.0, 6400.0};
    double frequencies[2];
    for (int k = 0; k < 2; ++k)
    {
        spTestDef def = spDefaultTestDef();
        spTestWorld test = spBuildLattice(&def, 6, (spReal)stiffnesses[k], 0, 0);
        double w = sqrt(FindLargestEigenvalue(spGetBody(test.world, test.body)));
        frequencies[k] = w;
        spDestroyTestWorld(&test);
        printf("k = %g: w = %.1f 1/s, 2 / w = %.4f ms\n", stiffnesses[k], w, 2e3 / w);
        assert_true(StaysBounded(sp_symplecticEuler, stiffnesses[k], 0.98 * 2.0 / w));
        assert_false(StaysBounded(sp_symplecticEuler, stiffnesses[k], 1.02 * 2.0 / w));
        assert_true(StaysBounded(sp_verlet, stiffnesses[k], 0.98 * 2.0 / w));
        assert_false(StaysBounded(sp_verlet, stiffnesses[k], 1.02 * 2.0 / w));
        assert_true(StaysBounded(sp_rungeKutta4, stiffnesses[k], 0.94 * 2.83 / w));
        assert_false(StaysBounded(sp_rungeKutta4, stiffnesses[k], 1.06 * 2.83 / w));
        assert_false(StaysBounded(sp_forwardEuler, stiffnesses[k], 0.5 * 2.0 / w));
    }
    CHECK_NEAR(frequencies[1] / frequencies[0], 4.0, 1e-3);
}

// Debunne F30: symplectic ("modified") Euler is Stoermer's x(n+1) = 2 x(n) - x(n-1) + a dt^2 to rounding, and
// Verlet is exact for a constant acceleration
static void TestStoermer(void** state)
{
    SP_UNUSED(state);
#ifdef SOUPLE_DOUBLE_PRECISION
    const double rounding = 1e-12;
#else
    const double rounding = 2e-5;
#endif
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spVec3 x[2] = {{0, 0, 0}, {0, -1, 0}};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = x;
    bodyDef.positionCount = 2;
    bodyDef.nodeMass = 2;
    bodyDef.method.substeps = 1;
    spBodyId body = spCreateBody(world, &bodyDef);
    int32_t edge[2] = {0, 1}, pin = 0;
    spSpringDef springDef = spDefaultSpringDef();
    springDef.damping = 1;
    springDef.edges = edge;
    springDef.edgeCount = 1;
    springDef.stiffness = 100;
    springDef.damping = 0;
    assert_true(spBody_AddSprings(world, body, &springDef) >= 0);
    assert_true(spBody_PinNodes(world, body, &pin, 1));
    // At rest at time 0 means x(-1) = x(0)
    double old = -1.0, now = -1.0, dt = (double)(spReal)0.01;
    for (int i = 0; i < 500; ++i)
    {
        spWorld_Step(world, (spReal)dt);
        double a = -9.81 - 100.0 / 2.0 * (now + 1.0);
        double next = 2.0 * now - old + a * dt * dt;
        old = now;
        now = next;
        CHECK_NEAR(spBody_GetPositions(world, body).data[1].y, now, rounding);
    }
    spDestroyBody(world, body);

    bodyDef.method.type = sp_verlet;
    body = spCreateBody(world, &bodyDef);
    for (int i = 1; i <= 100; ++i)
    {
        spWorld_Step(world, (spReal)dt);
        CHECK_NEAR(spBody_GetPositions(world, body).data[0].y, -0.5 * 9.81 * (i * dt) * (i * dt), rounding);
    }
    spDestroyWorld(world);
}

// Courtecuisse, part 1, F14: a pinned node moves exactly 0; one held by a stiffness k drifts by m g / k
static void TestFixedNodes(void** state)
{
    SP_UNUSED(state);
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    const spVec3 start = {(spReal)0.3, (spReal)0.7, (spReal)-0.1};
    const int32_t node = 0;
    for (int k = 0; k < 4; ++k)
    {
        double stiffness = 500.0 * (1 << 2 * k);
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.positions = &start;
        bodyDef.positionCount = 1;
        bodyDef.nodeMass = 2;
        spBodyId held = spCreateBody(world, &bodyDef);
        spBodyId pinned = spCreateBody(world, &bodyDef);
        assert_true(spBody_PinNodes(world, pinned, &node, 1));
        spLinkDef linkDef = spDefaultLinkDef();
        linkDef.body = held;
        linkDef.nodes = &node;
        linkDef.nodeCount = 1;
        linkDef.stiffness = (spReal)stiffness;
        assert_false(SP_IS_NULL(spCreateLink(world, &linkDef)));
        for (int i = 0; i < 300; ++i)
        {
            assert_int_equal(spWorld_Step(world, (spReal)(1.0 / 60.0)), 0);
            assert_memory_equal(spBody_GetPositions(world, pinned).data, &start, sizeof(start));
        }
        double drift = (double)start.y - (double)spBody_GetPositions(world, held).data[0].y;
        CHECK_NEAR(drift, 2.0 * 9.81 / stiffness, 0.01 * 2.0 * 9.81 / stiffness);
        spDestroyBody(world, held);
        spDestroyBody(world, pinned);
    }
    spDestroyWorld(world);
}

// Courtecuisse, part 1, F15 and part 2, F49: a map and its transpose do the same virtual work, g . (W dx) =
// (W^T g) . dx
static void TestVirtualWork(void** state)
{
    SP_UNUSED(state);
    enum
    {
        count = 500
    };
    static spDVec3 points[count], g[count], moved[count];
    uint64_t seed = 66;
    spRoundMeshDef meshDef = spDefaultRoundMeshDef();
    spMesh* mesh = spMakeBallMesh(&meshDef, NULL);
    for (int i = 0; i < count; ++i)
    {
        points[i] = (spDVec3){spRandomRange(&seed, -0.6, 0.6), spRandomRange(&seed, -0.6, 0.6),
                              spRandomRange(&seed, -0.6, 0.6)};
        g[i] =
            (spDVec3){spRandomRange(&seed, -1, 1), spRandomRange(&seed, -1, 1), spRandomRange(&seed, -1, 1)};
    }
    spMeshMap* map = spCreateMeshMap(mesh, points, count, NULL);
    assert_non_null(map);
    int n = spMesh_GetVertexCount(mesh);
    spDVec3* dx = calloc((size_t)n, sizeof(spDVec3));
    spDVec3* f = calloc((size_t)n, sizeof(spDVec3));
    assert_true(dx != NULL && f != NULL);
    for (int i = 0; i < n; ++i)
    {
        dx[i] =
            (spDVec3){spRandomRange(&seed, -1, 1), spRandomRange(&seed, -1, 1), spRandomRange(&seed, -1, 1)};
    }
    spMeshMap_Apply(map, dx, moved);
    spMeshMap_ApplyTranspose(map, g, f);
    double above = 0.0, below = 0.0, scale = 0.0;
    for (int i = 0; i < count; ++i)
    {
        double work = g[i].x * moved[i].x + g[i].y * moved[i].y + g[i].z * moved[i].z;
        above += work;
        scale += fabs(work);
    }
    for (int i = 0; i < n; ++i)
    {
        below += f[i].x * dx[i].x + f[i].y * dx[i].y + f[i].z * dx[i].z;
    }
    CHECK_NEAR(above, below, 1e-13 * scale);
    free(dx);
    free(f);
    spDestroyMeshMap(map);
    spDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestLumpedMass), cmocka_unit_test(TestStepLimits),  cmocka_unit_test(TestStoermer),
        cmocka_unit_test(TestFixedNodes), cmocka_unit_test(TestVirtualWork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
