// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Stiff bodies that fall on the ground in long steps: they lose energy there and come to rest on it, whatever
// solves the step, also where it cannot be solved.

#include "base/core.h"
#include "testbed/bent_beam.h"
#include "testbed/check.h"

#define G 9.81

#ifdef SOUPLE_DOUBLE_PRECISION
static const bool isDouble = true;
#else
static const bool isDouble = false;
#endif

typedef struct Fall
{
    double speed;  // largest of a node, m/s
    double gain;   // of kinetic and potential energy over that of the fall at most, J
    double spike;  // of all energy, J
    double lowest; // of all nodes and steps, m
    double last;   // largest speed at the end, m/s
} Fall;

static double GetSpeed(const spTestWorld* test)
{
    spVec3View v = spBody_GetVelocities(test->world, test->body);
    double most = 0.0;
    for (int i = 0; i < v.count; ++i)
    {
        most = fmax(most, hypot(hypot((double)v.data[i].x, (double)v.data[i].y), (double)v.data[i].z));
    }
    return most;
}

// The energy of the fall is that after the step `from`
static Fall Run(const spTestWorld* test, double dt, int steps, int from)
{
    Fall fall = {.lowest = INFINITY};
    double before = 0.0;
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(test->world, (spReal)dt);
        spEnergy e = spBody_GetEnergy(test->world, test->body);
        double total = e.kinetic + e.elastic + e.potential;
        before = i <= from ? total : before;
        fall.gain = fmax(fall.gain, total - e.elastic - before);
        fall.spike = fmax(fall.spike, total - before);
        fall.last = GetSpeed(test);
        fall.speed = fmax(fall.speed, fall.last);
        fall.lowest = fmin(fall.lowest, spGetLowestHeight(test));
    }
    return fall;
}

// A beam of 0.1 m that starts bent, with its tip up, 0.1 m above the ground
static void TestBentBeam(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        spPreconditionerType preconditioner;
        double young, rate;
        spMethodType type;
    } cases[] = {
        {sp_preconditionBlockJacobi, 1e6, 60, sp_backwardEuler},
        {sp_preconditionBlockJacobi, 1e9, 60, sp_backwardEuler},
        {sp_preconditionAuto, 1e6, 60, sp_backwardEuler},
        {sp_preconditionAuto, 1e7, 30, sp_backwardEuler},
        {sp_preconditionAuto, 1e8, 60, sp_backwardEuler},
        {sp_preconditionAuto, 1e9, 60, sp_backwardEuler},
        {sp_preconditionAuto, 1e9, 240, sp_backwardEuler},
        {sp_preconditionMultilevel, 1e6, 60, sp_backwardEuler},
        {sp_preconditionMultilevel, 1e8, 60, sp_backwardEuler},
        {sp_preconditionMultilevel, 1e9, 60, sp_backwardEuler},
        {sp_preconditionAuto, 1e7, 60, sp_xpbd},
        {sp_preconditionAuto, 1e9, 60, sp_xpbd},
    };
    const double height = 0.1;
    for (int k = 0; k < SP_COUNT(cases); ++k)
    {
        if (isDouble && cases[k].young > 1e8 && cases[k].type == sp_backwardEuler)
        {
            continue; // see the limits in implicit.md
        }
        spBentBeamDef def = spDefaultBentBeamDef();
        def.held = false;
        def.bent = true;
        def.young = cases[k].young;
        def.gravity = G;
        def.test.method.type = cases[k].type;
        def.test.method.solver.preconditioner = cases[k].preconditioner;
        spTestWorld test = spBuildBentBeam(&def);
        assert_non_null(test.world);
        spColliderDef ground = spDefaultColliderDef();
        ground.transform.position.y = (spReal)-height;
        spCreateCollider(test.world, &ground);
        double rate = cases[k].rate, mass = 1000.0 * 1e-4 * spGetBentBeamLength(0);
        // It springs back first, which backward Euler damps
        Fall fall = Run(&test, 1.0 / rate, (int)(0.5 * rate), (int)(0.07 * rate));
        printf(
            "%g Pa, %g steps/s, preconditioner %d, method %d: %.3g m/s at most, %.2g at the end, gains %.2g, "
            "with strain %.2g of %.2g J, lowest %.2g m\n",
            cases[k].young, rate, (int)cases[k].preconditioner, (int)cases[k].type, fall.speed, fall.last,
            fall.gain, fall.spike, mass * G * height, fall.lowest + height);
        // The end that hits last is whipped down
        CHECK_LESS(fall.speed, 2.0 * sqrt(2.0 * G * (height + 0.03)));
        CHECK_LESS(fall.gain, 0.1 * mass * G * height);
        CHECK_LESS(fall.spike, 10.0 * mass * G * height);
        CHECK_LESS(-1e-3, fall.lowest + height);
        spDestroyTestWorld(&test);
    }
}

// A cube of 0.5 m and 125 kg falls by 1 m, flat or on an edge
static void TestCube(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_xpbd, sp_backwardEuler, sp_bdf2};
    const double youngs[] = {1e5, 1e7, 1e9}, rates[] = {30, 60}, tilts[] = {0.0, 0.3};
    for (int k = 0; k < 3 * 3 * 2 * 2; ++k)
    {
        double young = youngs[k / 3 % 3], rate = rates[k / 9 % 2], tilt = tilts[k / 18], c = cos(0.5 * tilt),
               s = sin(0.5 * tilt);
        if (types[k % 3] == sp_bdf2 && young > 1e8)
        {
            continue; // see the limits in implicit.md
        }
        spTestWorld test = {.springs = -1, .gas = -1, .tets = -1};
        spWorldDef worldDef = spDefaultWorldDef();
        test.world = spCreateWorld(&worldDef, NULL);
        spBoxMeshDef meshDef = spDefaultBoxMeshDef();
        meshDef.origin = (spDVec3){-0.25, -0.25, -0.25};
        meshDef.size = (spDVec3){0.5, 0.5, 0.5};
        meshDef.cells[0] = meshDef.cells[1] = meshDef.cells[2] = 4;
        spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.mesh = mesh;
        bodyDef.method.type = types[k % 3];
        bodyDef.transform.rotation = (spQuat){(spReal)(0.6 * s), 0, (spReal)(0.8 * s), (spReal)c};
        bodyDef.transform.position.y = (spReal)(1.25 + 0.25 * tilt);
        test.body = spCreateBody(test.world, &bodyDef);
        spDestroyMesh(mesh);
        spTetDef tets = spDefaultTetDef();
        tets.youngModulus = (spReal)young;
        assert_int_equal(spBody_AddTets(test.world, test.body, &tets), 0);
        spAddTestGround(test.world, (spReal)0.5, 0);
        // BDF2 takes hardly any energy out of a body without damping, which bounces for longer
        double time = types[k % 3] == sp_bdf2 ? 10.0 : 4.0;
        Fall fall = Run(&test, 1.0 / rate, (int)(time * rate), 0);
        printf("method %d, %g Pa, %g steps/s, tilt %g: %.3g m/s at most, %.2g at the end, gains %.2g, with "
               "strain %.2g J, lowest "
               "%.2g m, at %.4f m\n",
               (int)types[k % 3], young, rate, tilt, fall.speed, fall.last, fall.gain, fall.spike,
               fall.lowest, spGetMeanHeight(&test));
        CHECK_LESS(fall.speed, 2.0 * sqrt(2.0 * G));
        CHECK_LESS(fall.gain, 0.1 * 125.0 * G);
        // Contacts that were missed strain a stiff body for a step
        CHECK_LESS(fall.spike, 10.0 * 125.0 * G);
        CHECK_LESS(-0.01, fall.lowest);
        CHECK_NEAR(spGetMeanHeight(&test), young < 1e6 ? 0.243 : 0.25, 0.01);
        spDestroyTestWorld(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBentBeam),
        cmocka_unit_test(TestCube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
