// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Element kinds and fields against their energies: force = -dE/dx, difference = derivative of the force,
// momentum, rigid motion; and every number of lanes against the scalar filling, bit for bit.

#include "body/body.h"
#include "method/method.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#ifdef SOUPLE_DOUBLE_PRECISION
#define STEP 1e-6
#define FORCE_TOLERANCE 1e-6
#define SUM_TOLERANCE 1e-12
#else
#define STEP 1e-3
#define FORCE_TOLERANCE 2e-2
#define SUM_TOLERANCE 2e-5
#endif

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
        springDef.law = law;
        springDef.stiffness = 100;
        springDef.damping = damping;
        test.springs = spBody_AddSprings(test.world, test.body, &springDef);
        assert_true(test.springs >= 0);
    }
    if (gas)
    {
        spGasDef gasDef = spDefaultGasDef();
        gasDef.restPressure = 50;
        gasDef.ambient = true;
        test.gas = spBody_AddGas(test.world, test.body, &gasDef);
        assert_true(test.gas >= 0);
    }
    spDestroyMesh(mesh);
    return test;
}

// Zeroed nodes with the alignment that the kernels load with
static spVec4* AllocNodes(int count)
{
    size_t size = ((size_t)count * sizeof(spVec4) + 63) / 64 * 64;
    spVec4* nodes = aligned_alloc(64, size);
    memset(nodes, 0, size);
    return nodes;
}

static void Shake(spBody* body, double amount, uint64_t* seed)
{
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->x[i].x += (spReal)spRandomRange(seed, -amount, amount);
        body->x[i].y += (spReal)spRandomRange(seed, -amount, amount);
        body->x[i].z += (spReal)spRandomRange(seed, -amount, amount);
    }
}

static void EvaluateForces(spBody* body)
{
    spForceContext context = {.body = body, .state = spGetNodeState(body)};
    spMeasureForces(&context);
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spAddPatchForces(&context, p);
    }
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spSumPatchForces(&context, p);
    }
}

// body->f = change of the forces for dx and dv
static void EvaluateDifference(spBody* body, const spVec4* dx, const spVec4* dv)
{
    spForceContext context = {.body = body, .state = spGetNodeState(body)};
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
}

static double GetEnergy(spBody* body)
{
    spEnergy e = spGetBodyEnergy(body, (spVec3){0, 0, 0});
    return e.elastic + e.potential;
}

// Directional derivative of the energy along random directions against the force
static void CheckForceIsGradient(spBody* body, uint64_t seed)
{
    printf("seed %llu\n", (unsigned long long)seed);
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    spVec4* saved = AllocNodes(body->nodeCount);
    spVec4* d = AllocNodes(body->nodeCount);
    memset(body->v, 0, size);
    memcpy(saved, body->x, size);
    for (int round = 0; round < 5; ++round)
    {
        double work = 0.0, scale = 0.0;
        EvaluateForces(body);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            d[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                            (spReal)spRandomRange(&seed, -1, 1), 0};
            double along =
                (double)body->f[i].x * d[i].x + (double)body->f[i].y * d[i].y + (double)body->f[i].z * d[i].z;
            work += along;
            scale += fabs(along);
        }
        double energy[2];
        for (int side = 0; side < 2; ++side)
        {
            spReal h = (spReal)(side == 0 ? STEP : -STEP);
            for (int i = 0; i < body->nodeCount; ++i)
            {
                body->x[i].x = saved[i].x + h * d[i].x;
                body->x[i].y = saved[i].y + h * d[i].y;
                body->x[i].z = saved[i].z + h * d[i].z;
            }
            energy[side] = GetEnergy(body);
        }
        memcpy(body->x, saved, size);
        CHECK_NEAR(-(energy[0] - energy[1]) / (2.0 * STEP), work, FORCE_TOLERANCE * scale);
    }
    free(saved);
    free(d);
}

// Central difference of the force against addDifference
static void CheckDifference(spBody* body, uint64_t seed)
{
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    spVec4* saved = AllocNodes(body->nodeCount);
    spVec4* dx = AllocNodes(body->nodeCount);
    spVec4* dv = AllocNodes(body->nodeCount);
    spVec4* plus = AllocNodes(body->nodeCount);
    memset(body->v, 0, size);
    memcpy(saved, body->x, size);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        dx[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                         (spReal)spRandomRange(&seed, -1, 1), 0};
    }
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->x[i] = (spVec4){saved[i].x + (spReal)STEP * dx[i].x, saved[i].y + (spReal)STEP * dx[i].y,
                              saved[i].z + (spReal)STEP * dx[i].z, saved[i].w};
    }
    EvaluateForces(body);
    memcpy(plus, body->f, size);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->x[i] = (spVec4){saved[i].x - (spReal)STEP * dx[i].x, saved[i].y - (spReal)STEP * dx[i].y,
                              saved[i].z - (spReal)STEP * dx[i].z, saved[i].w};
    }
    EvaluateForces(body);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        plus[i].x -= body->f[i].x;
        plus[i].y -= body->f[i].y;
        plus[i].z -= body->f[i].z;
    }
    memcpy(body->x, saved, size);

    EvaluateDifference(body, dx, dv);
    double error = 0.0, scale = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double want[3] = {(double)plus[i].x / (2 * STEP), (double)plus[i].y / (2 * STEP),
                          (double)plus[i].z / (2 * STEP)};
        double got[3] = {body->f[i].x, body->f[i].y, body->f[i].z};
        for (int k = 0; k < 3; ++k)
        {
            error = fmax(error, fabs(want[k] - got[k]));
            scale = fmax(scale, fabs(want[k]));
        }
    }
    CHECK_LESS(error, FORCE_TOLERANCE * scale);
    free(saved);
    free(dx);
    free(dv);
    free(plus);
}

static void CheckMomentum(spBody* body)
{
    EvaluateForces(body);
    double sum[3] = {0}, torque[3] = {0}, scale = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double x = body->x[i].x, y = body->x[i].y, z = body->x[i].z;
        double u = body->f[i].x, v = body->f[i].y, w = body->f[i].z;
        sum[0] += u, sum[1] += v, sum[2] += w;
        torque[0] += y * w - z * v, torque[1] += z * u - x * w, torque[2] += x * v - y * u;
        scale += fabs(u) + fabs(v) + fabs(w);
    }
    for (int k = 0; k < 3; ++k)
    {
        CHECK_LESS(fabs(sum[k]), SUM_TOLERANCE * scale);
        CHECK_LESS(fabs(torque[k]), SUM_TOLERANCE * scale);
    }
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
            EvaluateDifference(body, dx, dv);
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
