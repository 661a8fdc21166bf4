// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Solid bodies as a whole: cantilevers against beam theory, Rayleigh's damping of a mode, volume kept by
// lambda, and the way back to rest after a push.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include <stdlib.h>

// Mean sag of the end of the beam of W1, m, in equilibrium under gravity
static double GetSag(int m, const spTetDef* tets)
{
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildTetBeam(&def, m, tets);
    assert_non_null(test.world);
    spRelaxDef relax = spDefaultRelaxDef();
    relax.tolerance = sizeof(spReal) == 8 ? 1e-8 : 1e-3;
    spRelaxResult result;
    assert_true(spBody_Relax(test.world, test.body, &relax, &result));
    assert_true(result.converged);
    spVec3View x = spBody_GetPositions(test.world, test.body);
    int end = (m + 1) * (m + 1);
    double sag = 0.0;
    for (int i = 0; i < end; ++i)
    {
        int row = i / (m + 1);
        sag += (0.25 * row / m - (double)x.data[x.count - end + i].y) / end;
    }
    spDestroyTestWorld(&test);
    return sag;
}

// Twice the modulus, half the sag, given once or for each tet
static void TestModulus(void** state)
{
    SP_UNUSED(state);
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetLinear;
    tets.youngModulus = (spReal)1e6;
    double soft = GetSag(3, &tets);
    tets.youngModulus = (spReal)2e6;
    double stiff = GetSag(3, &tets);
    CHECK_NEAR(soft / stiff, 2.0, sizeof(spReal) == 8 ? 1e-5 : 0.02);
    int count = 6 * 12 * 3 * 3;
    spReal* moduli = malloc((size_t)count * sizeof(spReal));
    for (int i = 0; i < count; ++i)
    {
        moduli[i] = (spReal)2e6;
    }
    tets.youngModulus = 1;
    tets.youngModuli = moduli;
    CHECK_NEAR(GetSag(3, &tets), stiff, sizeof(spReal) == 8 ? 1e-9 : 1e-3 * stiff);
    // The half at the wall ten times as stiff: the beam sags less, but not ten times
    for (int i = 0; i < count / 2; ++i)
    {
        moduli[i] = (spReal)2e7;
    }
    double half = GetSag(3, &tets);
    print_message("sag %.4f m, %.4f m with a stiff half\n", stiff, half);
    assert_true(half < 0.5 * stiff && half > 0.05 * stiff);
    free(moduli);
}

// Towards bending and shear of a beam: 1.5 rho g L^4 / (E h^2) + rho g L^2 / (2 (5/6) G)
static void TestCantilever(void** state)
{
    SP_UNUSED(state);
    double young = 1e6, load = 1000 * 9.81,
           theory = 1.5 * load / (young * 0.0625) + load / (5.0 / 3.0 * 0.5 * young);
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetLinear;
    tets.youngModulus = (spReal)young;
    tets.poissonRatio = 0;
    double last = 1.0;
    for (int m = 2; m <= 8; m *= 2)
    {
        double error = 1.0 - GetSag(m, &tets) / theory;
        print_message("%d cells across: %.2f %% short of beam theory\n", m, 100 * error);
        CHECK_LESS(error, (sizeof(spReal) == 8 ? 0.45 : 0.6) * last);
        last = error;
    }
    CHECK_LESS(fabs(last), sizeof(spReal) == 8 ? 0.06 : 0.12);
}

// A bar along x swings in its first mode, which Rayleigh's damping takes off at (alpha + beta w^2) / 2. The
// mesh is not symmetric and passes a little on to bending: what an undamped bar loses that way is subtracted.
static void TestRayleigh(void** state)
{
    SP_UNUSED(state);
    const double pi = 3.14159265358979323846;
    const double alphas[4] = {0, 2, 0, 1}, betas[4] = {0, 0, 0.003, 0.0015};
    double leak = 0.0;
    for (int k = 0; k < 4; ++k)
    {
        double alpha = alphas[k], beta = betas[k];
        spTestDef def = spDefaultTestDef();
        spTetDef tets = spDefaultTetDef();
        tets.law = sp_tetLinear;
        tets.youngModulus = (spReal)1e6;
        tets.poissonRatio = 0;
        tets.damping = (spReal)beta;
        tets.dampingModel = sp_dampRayleigh;
        spTestWorld test = spBuildTetBeam(&def, 3, &tets);
        spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
        spFieldDef field = spDefaultFieldDef();
        field.type = sp_fieldMassDrag;
        field.coefficient = (spReal)alpha;
        assert_true(spBody_AddField(test.world, test.body, &field) >= 0);
        int count = spBody_GetNodeCount(test.world, test.body);
        spVec3* rest = malloc((size_t)count * sizeof(spVec3));
        spVec3* start = malloc((size_t)count * sizeof(spVec3));
        spReal* mass = malloc((size_t)count * sizeof(spReal));
        spBody_CopyPositions(test.world, test.body, rest, count);
        spBody_CopyMasses(test.world, test.body, mass, count);
        for (int i = 0; i < count; ++i)
        {
            start[i] = rest[i];
            start[i].x += (spReal)(0.01 * sin(0.5 * pi * (double)rest[i].x));
        }
        spBody_SetPositions(test.world, test.body, start, count);
        // Its amplitude in the mode; peaks by parabola through three steps
        double w = 0.5 * pi * sqrt(1e6 / 1000), dt = 2 * pi / w / 400, before = 0.0, now = 0.0, peaks[12],
               times[12];
        int found = 0;
        for (int step = 0; step < 5000 && found < 12; ++step)
        {
            spWorld_Step(test.world, (spReal)dt);
            spVec3View x = spBody_GetPositions(test.world, test.body);
            double next = 0.0;
            for (int i = 0; i < count; ++i)
            {
                next += (double)mass[i] * ((double)x.data[i].x - (double)rest[i].x) *
                        sin(0.5 * pi * (double)rest[i].x);
            }
            if (now > before && now > next)
            {
                double slope = 0.5 * (next - before), bend = next - 2 * now + before;
                times[found] = dt * (step - slope / bend);
                peaks[found++] = now - 0.5 * slope * slope / bend;
            }
            before = now;
            now = next;
        }
        assert_int_equal(found, 12);
        double rate = log(peaks[0] / peaks[11]) / (times[11] - times[0]), want = 0.5 * (alpha + beta * w * w);
        print_message("alpha %g, beta %g: decay %.4f 1/s, theory %.4f\n", alpha, beta, rate - leak, want);
        CHECK_NEAR(rate - leak, want, k == 0 ? 0.2 : 0.02 * want);
        leak = k == 0 ? rate : leak;
        free(rest);
        free(start);
        free(mass);
        spDestroyTestWorld(&test);
    }
}

// A cube of 0.1 m on the ground plane y = 0, its bottom fixed
static spTestWorld MakeCube(const spTetDef* tets)
{
    spTestWorld test = {.springs = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    test.world = spCreateWorld(&worldDef, NULL);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.size = (spDVec3){0.1, 0.1, 0.1};
    meshDef.origin = (spDVec3){0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        meshDef.cells[k] = 6;
    }
    spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    assert_true(spBody_AddTets(test.world, test.body, tets) >= 0);
    spVec3View x = spBody_GetPositions(test.world, test.body);
    for (int32_t i = 0; i < x.count; ++i)
    {
        if (x.data[i].y == 0)
        {
            spBody_PinNodes(test.world, test.body, &i, 1);
        }
    }
    return test;
}

static bool IsUnderTool(spVec3 p)
{
    return (double)p.y > 0.0999 && (double)p.x > 0.03 && (double)p.x < 0.07 && (double)p.z > 0.03 &&
           (double)p.z < 0.07;
}

// The middle of the top pressed in by 2 cm: the more lambda, the less volume goes
static void TestVolumeAgainstLambda(void** state)
{
    SP_UNUSED(state);
    const double lambdas[3] = {0, 5e4, 5e5};
    double last = 1.0;
    for (int k = 0; k < 3; ++k)
    {
        spTetDef tets = spDefaultTetDef();
        tets.law = sp_tetNeoHookean;
        tets.lameMu = 7000;
        tets.lameLambda = (spReal)lambdas[k];
        spTestWorld test = MakeCube(&tets);
        double volume = spBody_GetVolume(test.world, test.body);
        spVec3View x = spBody_GetPositions(test.world, test.body);
        spVec3* places = malloc((size_t)x.count * sizeof(spVec3));
        for (int32_t i = 0; i < x.count; ++i)
        {
            places[i] = x.data[i];
            if (IsUnderTool(places[i]))
            {
                places[i].y -= (spReal)0.02;
                spBody_PinNodes(test.world, test.body, &i, 1);
            }
        }
        spBody_SetPositions(test.world, test.body, places, x.count);
        free(places);
        spRelaxDef relax = spDefaultRelaxDef();
        spRelaxResult result;
        assert_true(spBody_Relax(test.world, test.body, &relax, &result));
        assert_true(result.converged);
        double loss = 1.0 - spBody_GetVolume(test.world, test.body) / volume;
        print_message("lambda %g Pa: %.2f %% of the volume lost\n", lambdas[k], 100 * loss);
        CHECK_LESS(loss, 0.7 * last);
        last = loss;
        spDestroyTestWorld(&test);
    }
}

// Pushed in by nearly half its height for a while, then let go: back to a thousandth of its size
static void TestReturn(void** state)
{
    SP_UNUSED(state);
    const spTetLaw laws[] = {sp_tetCorotational, sp_tetStVenantKirchhoff, sp_tetNeoHookean,
                             sp_tetMooneyRivlin};
    for (int k = 0; k < SP_COUNT(laws); ++k)
    {
        spTetDef tets = spDefaultTetDef();
        tets.law = laws[k];
        tets.youngModulus = 20000;
        tets.damping = (spReal)0.02;
        spTestWorld test = MakeCube(&tets);
        int count = spBody_GetNodeCount(test.world, test.body);
        spVec3* rest = malloc((size_t)count * sizeof(spVec3));
        spBody_CopyPositions(test.world, test.body, rest, count);
        for (int step = 0; step < 200; ++step)
        {
            for (int i = 0; i < count; ++i)
            {
                if (IsUnderTool(rest[i]) && step < 60)
                {
                    spVec3 target = rest[i];
                    target.y -= (spReal)(0.045 * (step < 30 ? step / 30.0 : 1.0));
                    assert_true(spBody_DriveNode(test.world, test.body, i, target));
                }
                else if (IsUnderTool(rest[i]) && step == 60)
                {
                    spBody_FreeNodes(test.world, test.body, &(int32_t){i}, 1);
                }
            }
            assert_int_equal(spWorld_Step(test.world, (spReal)0.01), 0);
        }
        spVec3View x = spBody_GetPositions(test.world, test.body);
        double farthest = 0.0;
        for (int i = 0; i < count; ++i)
        {
            farthest = fmax(farthest, fabs((double)x.data[i].x - (double)rest[i].x) +
                                          fabs((double)x.data[i].y - (double)rest[i].y) +
                                          fabs((double)x.data[i].z - (double)rest[i].z));
        }
        print_message("%s: %.2g m away from rest\n", spGetTetLawName(laws[k]), farthest);
        CHECK_LESS(farthest, 1e-4);
        free(rest);
        spDestroyTestWorld(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestModulus),  cmocka_unit_test(TestCantilever),
        cmocka_unit_test(TestRayleigh), cmocka_unit_test(TestVolumeAgainstLambda),
        cmocka_unit_test(TestReturn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
