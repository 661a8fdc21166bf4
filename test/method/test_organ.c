// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Irregular meshes in contact: one that stands, falls, or is squeezed between the ground and a plate. What a step
// takes is counted, not timed.

#include "base/core.h"
#include "math/vec3.h"
#include "testbed/check.h"
#include "testbed/solid_body.h"
#include "testbed/worlds.h"

#include <math.h>
#include <stdio.h>

#define SIZE 0.25 // of the longest side, m
#define FRAME (1.0 / 60.0)

typedef struct Organ
{
    spWorld* world;
    spBodyId body;
    double height; // m
} Organ;

// Its longest side `size`, its lowest vertex at a height. Returns how high it is, m.
static double LoadOrgan(const char* name, double size, double at, spMesh** loaded)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/data/%s", SOUPLE_SOURCE_DIR, name);
    spMesh* mesh = spLoadMesh(path, NULL, NULL);
    assert_non_null(mesh);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    spDVec3 low = report.lower, high = report.upper;
    double scale = size / fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    spTransform to = {{0, (spReal)(at - scale * low.y), 0}, {0, 0, 0, 1}};
    assert_true(spMesh_Transform(mesh, (spDVec3){scale, scale, scale}, to, NULL));
    *loaded = mesh;
    return scale * (high.y - low.y);
}

// On the ground
static Organ MakeOrgan(const char* name, spTetLaw law, spMethodType type)
{
    spMesh* mesh;
    double height = LoadOrgan(name, SIZE, 0.0, &mesh);
    spWorldDef worldDef = spDefaultWorldDef();
    Organ organ = {.world = spCreateWorld(&worldDef, NULL), .height = height};
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.mesh = mesh;
    def.law = law;
    def.youngModulus = 1e5;
    def.poissonRatio = 0.4;
    def.drag = 5.0;
    def.method = spDefaultMethodDef();
    def.method.type = type;
    organ.body = spAddSolidBody(organ.world, &def);
    assert_false(SP_IS_NULL(organ.body));
    spAddTestGround(organ.world, (spReal)0.5, 0);
    return organ;
}

static spColliderId AddPlate(const Organ* organ)
{
    spColliderDef plate = spDefaultColliderDef();
    plate.shape = sp_shapeBox;
    plate.halfSize = (spVec3){1, (spReal)0.05, 1};
    plate.transform.position.y = (spReal)(organ->height + 0.05);
    return spCreateCollider(organ->world, &plate);
}

// Its lower face to this height
static void MovePlate(const Organ* organ, spColliderId plate, double height)
{
    spTransform to = spCollider_GetTransform(organ->world, plate);
    to.position.y = (spReal)(height + 0.05);
    assert_true(spCollider_MoveTo(organ->world, plate, to));
}

static double GetHighest(const Organ* organ)
{
    double high = -INFINITY;
    spVec3View x = spBody_GetPositions(organ->world, organ->body);
    for (int i = 0; i < x.count; ++i)
    {
        high = fmax(high, (double)x.data[i].y);
    }
    return high;
}

// Squeezed to 0.6 of its height within 40 steps, released, and given as long to come back. What closes on a body does
// work on it: that is no throw, which would be mended by moving it rigidly, into the plate. Factors are made anew when
// they are old, not in every step.
static void TestSqueeze(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_backwardEuler, sp_bdf2, sp_xpbd};
    for (int i = 0; i < SP_COUNT(types); ++i)
    {
        Organ organ = MakeOrgan("liver_like.msh", sp_tetNeoHookean, types[i]);
        spColliderId plate = AddPlate(&organ);
        for (int step = 0; step < 120; ++step)
        {
            double share = fmin(1.0, step / 40.0), low = organ.height * (1.0 - 0.4 * share);
            MovePlate(&organ, plate, step < 60 ? low : organ.height);
            uint32_t flags = spWorld_Step(organ.world, (spReal)FRAME);
            assert_int_equal(flags & (sp_stepSolverStopped | sp_stepNotConverged), 0);
            if (step < 60)
            {
                CHECK_LESS(GetHighest(&organ), low + 2e-3);
            }
        }
        assert_int_equal(spBody_CountInvertedTets(organ.world, organ.body), 0);
        CHECK_LESS(spBody_GetSolverReport(organ.world, organ.body).factorCount, 15);
        spDestroyWorld(organ.world);
    }
}

// Every round of contacts multiplies: from the elements that costs more than to fill the matrix once
static void TestRoundsMultiplyByPairs(void** state)
{
    SP_UNUSED(state);
    Organ organ = MakeOrgan("liver_like.msh", sp_tetNeoHookean, sp_backwardEuler);
    int dear = 0;
    for (int step = 0; step < 100; ++step)
    {
        spWorld_Step(organ.world, (spReal)FRAME);
        spSolverReport report = spBody_GetSolverReport(organ.world, organ.body);
        dear += report.operatorType == sp_operatorMatrixFree && report.iterations > 2;
    }
    CHECK_LESS(dear, 5);
    spDestroyWorld(organ.world);
}

// The time of the sweeps, 8 iterations over a factor, bounds what XPBD's automatic solver does in contact too: four times
// as much for a solve with rows, of which an active set has six. It ends where backward Euler ends.
static void TestXpbdIsBounded(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        const char* name;
        spTetLaw law;
        int steps;
    } cases[] = {{"liver_like.msh", sp_tetNeoHookean, 120}, {"raptor_like.msh", sp_tetCorotational, 25}};
    for (int i = 0; i < SP_COUNT(cases); ++i)
    {
        Organ organs[2];
        for (int k = 0; k < 2; ++k)
        {
            organs[k] = MakeOrgan(cases[i].name, cases[i].law, k == 0 ? sp_backwardEuler : sp_xpbd);
        }
        for (int step = 0; step < cases[i].steps; ++step)
        {
            spWorld_Step(organs[0].world, (spReal)FRAME);
            spWorld_Step(organs[1].world, (spReal)FRAME);
            spSolverReport report = spBody_GetSolverReport(organs[1].world, organs[1].body);
            CHECK_LESS(report.iterations, 200);
            CHECK_LESS(report.newtonSteps, 8);
        }
        double apart = 0.0;
        spVec3View a = spBody_GetPositions(organs[0].world, organs[0].body),
                   b = spBody_GetPositions(organs[1].world, organs[1].body);
        for (int n = 0; n < a.count; ++n)
        {
            apart = fmax(apart, (double)spDistance3(a.data[n], b.data[n]));
        }
        // The second one is still on its way, where a little makes a great difference
        CHECK_LESS(apart, i == 0 ? 0.02 * SIZE : SIZE);
        spDestroyWorld(organs[0].world);
        spDestroyWorld(organs[1].world);
    }
}

// A body of 7356 tets falls on another one at 2.8 m/s: five edges of its mesh in a step. The impact is taken in slices,
// and rounds that lead nowhere end: in one slice, with all rounds, hundreds of tets ended inside out.
static void TestFallsOnOrgan(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_backwardEuler, sp_xpbd};
    for (int i = 0; i < SP_COUNT(types); ++i)
    {
        Organ organ = MakeOrgan("liver_like.msh", sp_tetNeoHookean, sp_backwardEuler);
        spSolidBodyDef def = spDefaultSolidBodyDef();
        LoadOrgan("bunny_tet.msh", 0.2, organ.height + 0.02, &def.mesh);
        def.law = sp_tetNeoHookean;
        def.youngModulus = 1e5;
        def.poissonRatio = 0.45;
        def.velocity.y = (spReal)-2.8;
        def.method.type = types[i];
        spBodyId body = spAddSolidBody(organ.world, &def);
        assert_false(SP_IS_NULL(body));
        int iterations = 0, slices = 0;
        for (int step = 0; step < 15; ++step)
        {
            spWorld_Step(organ.world, (spReal)FRAME);
            spStepReport report = spWorld_GetReport(organ.world);
            assert_int_equal(report.flags & (sp_stepNonFinite | sp_stepOutOfMemory), 0);
            slices = spMaxInt(slices, report.substepCount);
            iterations = spMaxInt(iterations, spBody_GetSolverReport(organ.world, body).iterations);
        }
        printf("method %d: %d slices, %d iterations at most, %d and %d tets inside out\n", types[i], slices,
               iterations, spBody_CountInvertedTets(organ.world, body),
               spBody_CountInvertedTets(organ.world, organ.body));
        CHECK_LESS(1, slices);
        CHECK_LESS(iterations, 5000);
        assert_int_equal(spBody_CountInvertedTets(organ.world, body), 0);
        assert_int_equal(spBody_CountInvertedTets(organ.world, organ.body), 0);
        spDestroyWorld(organ.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSqueeze),
        cmocka_unit_test(TestRoundsMultiplyByPairs),
        cmocka_unit_test(TestXpbdIsBounded),
        cmocka_unit_test(TestFallsOnOrgan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
