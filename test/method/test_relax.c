// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Dynamic relaxation: known equilibria, the residual it states, every kind of element, bad input.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include <stdlib.h>

static const double tight = sizeof(spReal) == 8 ? 1e-8 : 1e-3;

static spRelaxResult Relax(const spTestWorld* test)
{
    spRelaxDef def = spDefaultRelaxDef();
    spRelaxResult result;
    assert_true(spBody_Relax(test->world, test->body, &def, &result));
    print_message("%d iterations, residual %.3g, %s\n", result.iterations, result.residual,
                  result.converged ? "converged" : "not converged");
    return result;
}

// Two masses on springs under gravity: stretch m g / k
static void TestHangingSprings(void** state)
{
    SP_UNUSED(state);
    spWorldDef worldDef = spDefaultWorldDef();
    spTestWorld test = {.world = spCreateWorld(&worldDef, NULL)};
    const spVec3 places[3] = {{0, 0, 0}, {0, -1, 0}, {0, -2, 0}};
    const int32_t edges[4] = {0, 1, 1, 2}, pin = 0;
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = places;
    bodyDef.positionCount = 3;
    bodyDef.nodeMass = 2;
    test.body = spCreateBody(test.world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.damping = 1;
    springDef.edges = edges;
    springDef.edgeCount = 2;
    springDef.stiffness = 500;
    assert_true(spBody_AddSprings(test.world, test.body, &springDef) >= 0);
    assert_true(spBody_PinNodes(test.world, test.body, &pin, 1));
    assert_true(Relax(&test).converged);
    spVec3View x = spBody_GetPositions(test.world, test.body);
    double stretch = 2 * 9.81 / 500;
    CHECK_NEAR(x.data[1].y, -1 - 2 * stretch, 10 * tight);
    CHECK_NEAR(x.data[2].y, -2 - 3 * stretch, 10 * tight);
    spDestroyTestWorld(&test);
}

// A bar that hangs from one end: the other sinks by rho g L^2 / (2 E) when it does not get thinner; every law
// agrees for so small a strain, and the report of the equilibrium is true
static void TestHangingBar(void** state)
{
    SP_UNUSED(state);
    for (int law = 0; law < sp_tetLawCount; ++law)
    {
        spTestDef def = spDefaultTestDef();
        spTetDef tets = spDefaultTetDef();
        tets.law = (spTetLaw)law;
        tets.youngModulus = (spReal)1e6;
        tets.poissonRatio = 0;
        spTestWorld test = spBuildTetBeam(&def, 3, &tets);
        assert_non_null(test.world);
        spWorld_SetGravity(test.world, (spVec3){(spReal)9.81, 0, 0});
        spRelaxResult result = Relax(&test);
        assert_true(result.converged);
        spVec3View x = spBody_GetPositions(test.world, test.body);
        // The mean of the end: corners have more or less mass as the cells are cut
        double want = 1 + 1000 * 9.81 / (2 * 1e6), end = 0.0;
        for (int i = x.count - 16; i < x.count; ++i)
        {
            end += (double)x.data[i].x / 16;
        }
        // The hybrid operator has other conditions at free surfaces, and with them another stiffness
        CHECK_NEAR(end, want, (law == sp_tetHybrid ? 0.6 : 0.02) * (want - 1));
        // It is an equilibrium: nothing moves
        spWorld_Step(test.world, (spReal)1e-3);
        spVec3View v = spBody_GetVelocities(test.world, test.body);
        for (int i = 0; i < v.count; ++i)
        {
            CHECK_LESS(fabs((double)v.data[i].x), 9.81e-3 * (sizeof(spReal) == 8 ? 1e-3 : 0.1));
        }
        spDestroyTestWorld(&test);
    }
}

// Large deflection; any number of workers gives the same bits
static void TestLargeDeflection(void** state)
{
    SP_UNUSED(state);
    const spTetLaw laws[] = {sp_tetCorotational, sp_tetStVenantKirchhoff, sp_tetNeoHookean,
                             sp_tetMooneyRivlin};
    double tip[4];
    for (int k = 0; k < 4; ++k)
    {
        uint64_t hash = 0;
        for (int workers = 1; workers <= 2; ++workers)
        {
            spTestDef def = spDefaultTestDef();
            def.workerCount = workers;
            spTetDef tets = spDefaultTetDef();
            tets.law = laws[k];
            tets.youngModulus = (spReal)1e5;
            tets.poissonRatio = (spReal)0.3;
            spTestWorld test = spBuildTetBeam(&def, 4, &tets);
            assert_true(Relax(&test).converged);
            spVec3View x = spBody_GetPositions(test.world, test.body);
            tip[k] = (double)x.data[x.count - 1].y - 0.25;
            assert_true(workers == 1 || hash == spWorld_GetStateHash(test.world));
            hash = spWorld_GetStateHash(test.world);
            spDestroyTestWorld(&test);
        }
        print_message("%s: tip sinks by %.4f m\n", spGetTetLawName(laws[k]), -tip[k]);
        assert_true(tip[k] < -0.2 && tip[k] > -1.1);
        CHECK_NEAR(tip[k], tip[0], 0.15 * fabs(tip[0]));
    }
}

// One tet, three nodes held, the fourth pulled so hard that it stiffens on the way: s (s^2 - 1) / 2 (lambda +
// 2 mu) area along the pull for St Venant-Kirchhoff
static void TestPulledTet(void** state)
{
    SP_UNUSED(state);
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    spTestWorld test = {.world = spCreateWorld(&worldDef, NULL)};
    const spDVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t nodes[4] = {0, 1, 2, 3};
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = corners;
    meshDef.vertexCount = 4;
    meshDef.tets = nodes;
    meshDef.tetCount = 1;
    spMesh* mesh = spCreateMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetStVenantKirchhoff;
    tets.lameLambda = 40000;
    tets.lameMu = 40000;
    assert_int_equal(spBody_AddTets(test.world, test.body, &tets), 0);
    spBody_PinNodes(test.world, test.body, nodes, 3);
    for (int k = 0; k < 3; ++k)
    {
        double s = 1.2 + 0.6 * k, force = s * (s * s - 1) / 2 * 120000 / 6;
        spBody_SetNodeForce(test.world, test.body, 3, (spVec3){0, 0, (spReal)force});
        assert_true(Relax(&test).converged);
        CHECK_NEAR(spBody_GetPositions(test.world, test.body).data[3].z, s, 10 * tight);
    }
    spDestroyTestWorld(&test);
}

// A ball of gas and springs finds the pressure that its skin can carry
static void TestGasBall(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildGasBall(&def, 2, 2, 1, 2);
    spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
    const int32_t pin = 0;
    spBody_PinNodes(test.world, test.body, &pin, 1);
    spRelaxResult result = Relax(&test);
    assert_true(result.converged);
    spDestroyTestWorld(&test);
}

static void TestBadInput(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    spTetDef tets = spDefaultTetDef();
    spTestWorld test = spBuildTetBeam(&def, 1, &tets);
    spRelaxDef relax = spDefaultRelaxDef();
    spRelaxResult result;
    assert_false(spBody_Relax(test.world, test.body, NULL, &result));
    relax.tolerance = 0;
    assert_false(spBody_Relax(test.world, test.body, &relax, &result));
    relax = spDefaultRelaxDef();
    relax.maxIterations = 0;
    assert_false(spBody_Relax(test.world, test.body, &relax, &result));
    relax.maxIterations = 3;
    relax.dynamic = true;
    assert_true(spBody_Relax(test.world, test.body, &relax, &result));
    assert_false(result.converged);
    assert_int_equal(result.iterations, 3);
    assert_true(spBody_Relax(test.world, test.body, &relax, NULL));
    assert_false(spBody_Relax(test.world, (spBodyId){0}, &relax, &result));
    spDestroyTestWorld(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestHangingSprings),  cmocka_unit_test(TestHangingBar),
        cmocka_unit_test(TestLargeDeflection), cmocka_unit_test(TestPulledTet),
        cmocka_unit_test(TestGasBall),         cmocka_unit_test(TestBadInput),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
