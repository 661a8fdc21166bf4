// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Element kinds and fields against their energies: force = -dE/dx, difference = derivative of the force,
// momentum, rigid motion; and every number of lanes against the scalar filling, bit for bit.

#include "test/element_test.h"

#include "body/body.h"
#include "method/method.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static spTestWorld MakeBall(int laneCount, spSpringLaw law, spReal damping, bool springs, bool gas)
{
    spTestWorld test = {.springs = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    worldDef.laneCount = laneCount;
    test.world = spCreateWorld(&worldDef, NULL);
    spShellMeshDef meshDef = spDefaultShellMeshDef();
    meshDef.level = 2;
    meshDef.layers = 2;
    spMesh* mesh = spMakeIcosphereMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = (spReal)0.01;
    test.body = spCreateBody(test.world, &bodyDef);
    if (springs)
    {
        spSpringDef springDef = spDefaultSpringDef();
        springDef.damping = 1;
        springDef.law = law;
        springDef.stiffness = 100;
        springDef.damping = damping;
        test.springs = spBody_AddSprings(test.world, test.body, &springDef);
        assert_true(test.springs >= 0);
    }
    if (gas)
    {
        spGasDef gasDef = spDefaultGasDef();
        gasDef.ambient = false;
        gasDef.restPressure = 50;
        gasDef.ambient = true;
        test.gas = spBody_AddGas(test.world, test.body, &gasDef);
        assert_true(test.gas >= 0);
    }
    spDestroyMesh(mesh);
    return test;
}

static void TestDerivatives(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        spSpringLaw law;
        bool springs, gas;
    } cases[] = {
        {sp_springHooke, true, false}, {sp_springNormalised, true, false}, {sp_springTension, true, false},
        {sp_springHooke, false, true}, {sp_springHooke, true, true},
    };
    for (int k = 0; k < SP_COUNT(cases); ++k)
    {
        uint64_t seed = 1000 + (uint64_t)k;
        spTestWorld test = MakeBall(0, cases[k].law, 0, cases[k].springs, cases[k].gas);
        spBody* body = spGetBody(test.world, test.body);
        // A tension spring has a kink at its rest length: stretch the ball away from it
        spReal stretch = cases[k].law == sp_springTension ? (spReal)1.4 : (spReal)1.1;
        for (int i = 0; i < body->nodeCount; ++i)
        {
            body->x[i].x *= stretch;
            body->x[i].y *= stretch;
            body->x[i].z *= stretch;
        }
        Shake(body, 0.01, &seed);
        CheckForceIsGradient(body, seed);
        CheckDifference(body, seed);
        CheckMomentum(body);
        spDestroyTestWorld(&test);
    }
}

static void TestFieldDerivatives(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeBall(0, sp_springHooke, 0, false, false);
    spFieldDef fieldDef = spDefaultFieldDef();
    fieldDef.type = sp_fieldRepulsiveGround;
    fieldDef.coefficient = (spReal)0.3;
    fieldDef.offset = -1;
    assert_true(spBody_AddField(test.world, test.body, &fieldDef) >= 0);
    spBody* body = spGetBody(test.world, test.body);
    CheckForceIsGradient(body, 5);
    CheckDifference(body, 5);
    spDestroyTestWorld(&test);
}

// A rigid motion of the rest shape gives no force; a rigid spin no damping
static void TestRigidMotion(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeBall(0, sp_springHooke, 3, true, true);
    spBody* body = spGetBody(test.world, test.body);
    spReal c = (spReal)cos(0.7), s = (spReal)sin(0.7);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        spVec4 x = body->x[i];
        body->x[i] = (spVec4){c * x.x - s * x.y + 2, s * x.x + c * x.y - 1, x.z + 3, x.w};
        body->v[i] = (spVec4){-5 * body->x[i].y + 1, 5 * body->x[i].x, 2, 0};
    }
    EvaluateForces(body);
    double largest = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        largest = fmax(largest,
                       fabs((double)body->f[i].x) + fabs((double)body->f[i].y) + fabs((double)body->f[i].z));
    }
#ifdef SOUPLE_DOUBLE_PRECISION
    CHECK_LESS(largest, 1e-11);
#else
    CHECK_LESS(largest, 5e-3);
#endif
    spDestroyTestWorld(&test);
}

// S9: sum of forces and torques of the pressure of a closed surface
static void TestPressureSums(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 99;
    spTestWorld test = MakeBall(0, sp_springHooke, 0, false, true);
    spBody* body = spGetBody(test.world, test.body);
    Shake(body, 0.05, &seed);
    CheckMomentum(body);
    spDestroyTestWorld(&test);
}

static void TestLanesGiveTheSameBits(void** state)
{
    SP_UNUSED(state);
    const int lanes[] = {1, 4, 8, 16};
    for (int law = 0; law < sp_springLawCount; ++law)
    {
        for (int damped = 0; damped < 2; ++damped)
        {
            spVec4* reference = NULL;
            for (int k = 0; k < SP_COUNT(lanes) && lanes[k] <= spGetLaneCount(); ++k)
            {
                uint64_t seed = 77;
                spTestWorld test = MakeBall(lanes[k], (spSpringLaw)law, (spReal)damped, true, false);
                spBody* body = spGetBody(test.world, test.body);
                Shake(body, 0.1, &seed);
                for (int i = 0; i < body->nodeCount; ++i)
                {
                    body->v[i].x = (spReal)spRandomRange(&seed, -1, 1);
                    body->v[i].z = (spReal)spRandomRange(&seed, -1, 1);
                }
                EvaluateForces(body);
                size_t size = (size_t)body->nodeCount * sizeof(spVec4);
                if (reference == NULL)
                {
                    reference = malloc(size);
                    memcpy(reference, body->f, size);
                }
                assert_memory_equal(reference, body->f, size);
                spDestroyTestWorld(&test);
            }
            free(reference);
        }
    }
}

// The bound must hold: the power method on M^-1 K never exceeds it, and it is not far off
static void TestFrequencyBound(void** state)
{
    SP_UNUSED(state);
    for (int gas = 0; gas < 2; ++gas)
    {
        uint64_t seed = 31;
        spTestWorld test = MakeBall(0, sp_springHooke, 0, true, gas == 1);
        spBody* body = spGetBody(test.world, test.body);
        spVec4* dx = AllocNodes(body->nodeCount);
        spVec4* dv = AllocNodes(body->nodeCount);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            dx[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                             (spReal)spRandomRange(&seed, -1, 1), 0};
        }
        double eigenvalue = 0.0;
        for (int round = 0; round < 300; ++round)
        {
            EvaluateDifference(body, dx, dv, false);
            double norm = 0.0;
            for (int i = 0; i < body->nodeCount; ++i)
            {
                spReal w = -body->x[i].w;
                dx[i] = (spVec4){w * body->f[i].x, w * body->f[i].y, w * body->f[i].z, 0};
                norm += (double)dx[i].x * dx[i].x + (double)dx[i].y * dx[i].y + (double)dx[i].z * dx[i].z;
            }
            eigenvalue = sqrt(norm);
            for (int i = 0; i < body->nodeCount; ++i)
            {
                dx[i].x /= (spReal)eigenvalue;
                dx[i].y /= (spReal)eigenvalue;
                dx[i].z /= (spReal)eigenvalue;
            }
        }
        double bound = pow(2.0 / spBody_GetStableStep(test.world, test.body), 2.0);
        printf("largest eigenvalue %g, bound %g\n", eigenvalue, bound);
        CHECK_LESS(eigenvalue, bound * 1.001);
        CHECK_LESS(bound, 3.0 * eigenvalue);
        free(dx);
        free(dv);
        spDestroyTestWorld(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestDerivatives),          cmocka_unit_test(TestFieldDerivatives),
        cmocka_unit_test(TestRigidMotion),          cmocka_unit_test(TestPressureSums),
        cmocka_unit_test(TestLanesGiveTheSameBits), cmocka_unit_test(TestFrequencyBound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
