// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Volumes in worlds: measured, and as contacts.

#include "testbed/check.h"
#include "testbed/solid_body.h"

#include <math.h>
#include <string.h>

static const spReal dt = 1 / (spReal)60;

static spWorld* MakeWorld(spDetector detector, spVec3 gravity, int workers)
{
    spWorldDef def = spDefaultWorldDef();
    def.detector = detector;
    def.gravity = gravity;
    def.workerCount = workers;
    spWorld* world = spCreateWorld(&def, NULL);
    assert_non_null(world);
    return world;
}

static spBodyId AddBox(spWorld* world, spDVec3 origin, spDVec3 size, spMethodType type, double friction)
{
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.mesh = spMakeSolidBox(origin, size, 4);
    def.method.type = type;
    def.friction = friction;
    spBodyId body = spAddSolidBody(world, &def);
    assert_true(spBody_IsValid(world, body));
    return body;
}

static spBodyId AddBall(spWorld* world, spDVec3 center, double radius, spMethodType type)
{
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.mesh = spMakeSolidBall(center, radius, 4);
    def.method.type = type;
    spBodyId body = spAddSolidBody(world, &def);
    assert_true(spBody_IsValid(world, body));
    return body;
}

static spVec3 GetCentre(const spWorld* world, spBodyId body)
{
    spVec3 x[512], sum = {0, 0, 0};
    int count = spBody_CopyPositions(world, body, x, 512);
    for (int i = 0; i < count; ++i)
    {
        sum.x += x[i].x / (spReal)count;
        sum.y += x[i].y / (spReal)count;
        sum.z += x[i].z / (spReal)count;
    }
    return sum;
}

// ---- measured ----

static void TestOverlap(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(sp_detectorDistance, (spVec3){0, 0, 0}, 1);
    spBodyId a = AddBox(world, (spDVec3){0, 0, 0}, (spDVec3){1, 1, 1}, sp_symplecticEuler, 0.5);
    spBodyId b = AddBox(world, (spDVec3){0.47, 0.52, 0.77}, (spDVec3){1, 1, 1}, sp_symplecticEuler, 0.5);
    spBodyId c = AddBox(world, (spDVec3){5, 5, 5}, (spDVec3){1, 1, 1}, sp_symplecticEuler, 0.5);
    spBoxMeshDef box = spDefaultBoxMeshDef(); // stands on y = 0, centred in x and z
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    spColliderDef colliderDef = spDefaultColliderDef();
    colliderDef.shape = sp_shapeMesh;
    colliderDef.mesh = mesh;
    colliderDef.transform.position = (spVec3){5, 5, (spReal)5.75};
    spColliderId collider = spCreateCollider(world, &colliderDef);
    assert_true(spCollider_IsValid(world, collider));
    spDestroyMesh(mesh);
    const spThing all = {0};
    double pair = 0.53 * 0.48 * 0.23, withCollider = 0.5 * 1.0 * 0.75;
    CHECK_NEAR(spWorld_MeasureOverlap(world, spBodyThing(a), spBodyThing(b)), pair, 0.01 * pair);
    CHECK_NEAR(spWorld_MeasureOverlap(world, spBodyThing(b), all), pair, 0.01 * pair);
    CHECK_NEAR(spWorld_MeasureOverlap(world, spBodyThing(a), spBodyThing(c)), 0.0, 0.0);
    CHECK_NEAR(spWorld_MeasureOverlap(world, spBodyThing(a), spBodyThing(a)), 0.0, 0.0);
    CHECK_NEAR(spWorld_MeasureOverlap(world, spColliderThing(collider), all), withCollider,
               0.01 * withCollider);
    CHECK_NEAR(spWorld_MeasureOverlap(world, all, all), pair + withCollider, 0.01 * (pair + withCollider));
    spIntersection found[4];
    assert_int_equal(spWorld_FindIntersections(world, found, 4), 1);
    CHECK_NEAR(found[0].volume, pair, 0.01 * pair);
    spDestroyBody(world, b);
    CHECK_NEAR(spWorld_MeasureOverlap(world, spBodyThing(b), all), 0.0, 0.0);
    CHECK_NEAR(spWorld_MeasureOverlap(NULL, all, all), 0.0, 0.0);
    spDestroyWorld(world);
}

// ---- contacts ----

static const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_xpbd, sp_rigid};

// A block on another one that is fixed: it stays, and what it presses with is its weight
static void TestBlockRests(void** state)
{
    (void)state;
    for (int k = 0; k < (int)(sizeof(types) / sizeof(types[0])); ++k)
    {
        spWorld* world = MakeWorld(sp_detectorVolume, (spVec3){0, (spReal)-9.81, 0}, 1);
        spBodyId ground =
            AddBox(world, (spDVec3){-0.2, -0.1, -0.2}, (spDVec3){0.4, 0.1, 0.4}, sp_backwardEuler, 0.5);
        assert_true(spPinBeyond(world, ground, (spVec3){0, -1, 0}, 0.05) > 0);
        spBodyId block = AddBox(world, (spDVec3){-0.05, 0.0, -0.05}, (spDVec3){0.1, 0.1, 0.1}, types[k], 0.5);
        double weight = 9.81 * spGetSolidMass(world, block), force = 0.0;
        int off = 0, mean = 0;
        for (int i = 0; i < 120; ++i)
        {
            spWorld_Step(world, dt);
            spThing one = spBodyThing(block), other = spBodyThing(ground);
            spPairLoad load = spWorld_GetPairLoad(world, one, other, (spVec3){0, 0, 0});
            off += i > 30 && load.contactCount == 0;
            if (i >= 60)
            {
                force += (double)load.force.y;
                mean += 1;
            }
        }
        spVec3 centre = GetCentre(world, block);
        double volume = spWorld_MeasureOverlap(world, spBodyThing(block), spBodyThing(ground));
        print_message("%d: force %.4f of weight, centre %.6f %.6f %.6f, overlap %.3g m^3, off %d\n", types[k],
                      force / mean / weight, (double)centre.x, (double)centre.y, (double)centre.z, volume,
                      off);
        assert_int_equal(off, 0);
        CHECK_NEAR(force / mean, weight, 0.02 * weight);
        CHECK_NEAR(centre.x, 0.0, 5e-3);
        CHECK_NEAR(centre.y, 0.05, 2e-3);
        CHECK_LESS(volume, 0.01 * 2e-4);
        spDestroyWorld(world);
    }
}

// C2-F9: two balls that begin 20 % inside each other part in ten steps, without flying apart
static void TestDeepStart(void** state)
{
    (void)state;
    for (int k = 0; k < (int)(sizeof(types) / sizeof(types[0])); ++k)
    {
        spWorld* world = MakeWorld(sp_detectorVolume, (spVec3){0, 0, 0}, 1);
        spBodyId a = AddBall(world, (spDVec3){0, 0, 0}, 0.1, types[k]);
        spBodyId b = AddBall(world, (spDVec3){0.16, 0.01, 0.02}, 0.1, types[k]);
        double begin = spWorld_MeasureOverlap(world, spBodyThing(a), spBodyThing(b)), energy = 0.0;
        double left = begin;
        int steps = 0;
        for (; steps < 10 && left > 0.01 * begin; ++steps)
        {
            spWorld_Step(world, dt);
            left = spWorld_MeasureOverlap(world, spBodyThing(a), spBodyThing(b));
            energy = fmax(energy, spGetSolidEnergy(world, a) + spGetSolidEnergy(world, b));
        }
        print_message("%d: %.3g m^3, %.2g of it after %d steps, energy %.3g J\n", types[k], begin,
                      left / begin, steps, energy);
        CHECK_LESS(left, 0.01 * begin);
        // What it takes to press the balls out of each other where they are (Hertz): 8/15 E' sqrt(R) d^2.5, 20 J here
        double depth = 0.2 - sqrt(0.16 * 0.16 + 0.01 * 0.01 + 0.02 * 0.02);
        CHECK_LESS(energy, 0.2 * 8.0 / 15.0 * 1e6 / (2.0 * 0.91) * sqrt(0.05) * pow(depth, 2.5));
        spDestroyWorld(world);
    }
}

// C2-F9 with organs: two livers of which a fifth is in both part in ten steps, without hurting each other
static void TestOrgans(void** state)
{
    (void)state;
    static const double modulus = 3e4;
    for (int k = 0; k < 3; ++k)
    {
        spWorld* world = MakeWorld(sp_detectorVolume, (spVec3){0, 0, 0}, 1);
        spBodyId organs[2];
        for (int i = 0; i < 2; ++i)
        {
            spSolidBodyDef def = spDefaultSolidBodyDef();
            def.mesh = spLoadMesh(SOUPLE_SOURCE_DIR "/data/liver_like.msh", NULL, NULL);
            def.youngModulus = modulus;
            def.poissonRatio = 0.35;
            def.method.type = types[k];
            def.transform.position = (spVec3){0, i * (spReal)0.06, 0};
            organs[i] = spAddSolidBody(world, &def);
            assert_true(spBody_IsValid(world, organs[i]));
        }
        spThing a = spBodyThing(organs[0]), b = spBodyThing(organs[1]);
        double begin = spWorld_MeasureOverlap(world, a, b), left = begin, energy = 0.0;
        CHECK_NEAR(begin / spBody_GetVolume(world, organs[0]), 0.2, 0.02);
        int steps = 0, inverted = 0;
        for (; steps < 10 && left > 1e-3 * begin; ++steps)
        {
            spWorld_Step(world, dt);
            left = spWorld_MeasureOverlap(world, a, b);
            energy = fmax(energy, spGetSolidEnergy(world, organs[0]) + spGetSolidEnergy(world, organs[1]));
            inverted +=
                spBody_CountInvertedTets(world, organs[0]) + spBody_CountInvertedTets(world, organs[1]);
        }
        print_message("%d: %.2g of it after %d steps, energy %.3g J\n", types[k], left / begin, steps,
                      energy);
        CHECK_LESS(left, 1e-3 * begin);
        // Of what a pressure as large as the modulus would do over the volume
        CHECK_LESS(energy, (types[k] == sp_symplecticEuler ? 0.15 : 0.01) * modulus * begin);
        assert_true(inverted == 0 || types[k] == sp_symplecticEuler);
        spDestroyWorld(world);
    }
}

// A box that is inside another one as a whole has no direction from its volume, and comes out all the same
static void TestBoxInBox(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(sp_detectorVolume, (spVec3){0, 0, 0}, 1);
    spBodyId a = AddBox(world, (spDVec3){0, 0, 0}, (spDVec3){0.2, 0.2, 0.2}, sp_backwardEuler, 0.5);
    spBodyId b =
        AddBox(world, (spDVec3){0.12, 0.05, 0.05}, (spDVec3){0.05, 0.05, 0.05}, sp_backwardEuler, 0.5);
    for (int i = 0; i < 60; ++i)
    {
        spWorld_Step(world, dt);
    }
    CHECK_LESS(spWorld_MeasureOverlap(world, spBodyThing(a), spBodyThing(b)), 1e-3 * 0.05 * 0.05 * 0.05);
    spVec3 centre = GetCentre(world, b);
    assert_true((double)centre.x > 0.2);
    spDestroyWorld(world);
}

// C2-F14: friction of cells holds below its limit and gives way above it
static void TestIncline(void** state)
{
    (void)state;
    for (int slides = 0; slides < 2; ++slides)
    {
        double angle = atan(0.4 * (slides ? 1.5 : 0.9)), g = 9.81;
        spVec3 gravity = {(spReal)(g * sin(angle)), (spReal)(-g * cos(angle)), 0};
        spWorld* world = MakeWorld(sp_detectorVolume, gravity, 1);
        spBodyId ground =
            AddBox(world, (spDVec3){-0.2, -0.1, -0.2}, (spDVec3){2.0, 0.1, 0.4}, sp_backwardEuler, 0.4);
        assert_true(spPinBeyond(world, ground, (spVec3){0, -1, 0}, -1.0) > 0);
        spBodyId block =
            AddBox(world, (spDVec3){-0.05, 0.0, -0.05}, (spDVec3){0.1, 0.05, 0.1}, sp_rigid, 0.4);
        for (int i = 0; i < 30; ++i)
        {
            spWorld_Step(world, dt);
        }
        double begin = (double)GetCentre(world, block).x, speed = (double)spBody_GetMomentum(world, block).x;
        for (int i = 0; i < 30; ++i)
        {
            spWorld_Step(world, dt);
        }
        double mass = spGetSolidMass(world, block), moved = (double)GetCentre(world, block).x - begin;
        double rate = ((double)spBody_GetMomentum(world, block).x - speed) / mass / 0.5;
        double asked = slides ? g * (sin(angle) - 0.4 * cos(angle)) : 0.0;
        print_message("%g degrees: moved %.3g m, %.4f m/s^2, %.4f expected\n", angle * 57.29578, moved, rate,
                      asked);
        CHECK_NEAR(rate, asked, slides ? 0.05 * asked : 0.01);
        if (slides == 0)
        {
            CHECK_LESS(fabs(moved), 1e-3);
        }
        spDestroyWorld(world);
    }
}

// Goes back once to where it was after a step, from some steps later
static uint64_t RunPile(int workers, int step, int later)
{
    spWorld* world = MakeWorld(sp_detectorVolume, (spVec3){0, (spReal)-9.81, 0}, workers);
    spBodyId ground =
        AddBox(world, (spDVec3){-0.2, -0.1, -0.2}, (spDVec3){0.4, 0.1, 0.4}, sp_backwardEuler, 0.5);
    spPinBeyond(world, ground, (spVec3){0, -1, 0}, 0.05);
    AddBall(world, (spDVec3){0.0, 0.1, 0.0}, 0.1, sp_backwardEuler);
    AddBall(world, (spDVec3){0.03, 0.3, 0.01}, 0.1, sp_symplecticEuler);
    for (int i = 0; i < 19; ++i)
    {
        spWorld_Step(world, dt);
        if (i == step && later > 0)
        {
            spSnapshot* snapshot = spWorld_Save(world);
            assert_non_null(snapshot);
            for (int k = 0; k < later; ++k)
            {
                spWorld_Step(world, dt);
            }
            assert_true(spWorld_Restore(world, snapshot));
            spDestroySnapshot(snapshot);
            later = 0;
        }
    }
    uint64_t hash = spWorld_GetStateHash(world);
    spDestroyWorld(world);
    return hash;
}

static void TestBits(void** state)
{
    (void)state;
    uint64_t hash = RunPile(1, 0, 0);
    assert_true(RunPile(3, 0, 0) == hash);
    assert_true(RunPile(1, 14, 3) == hash);
    // The step after it makes a new factor, for which nodes of the saved compliance give way
    assert_true(RunPile(2, 9, 1) == hash);
}

static void TestPairDetector(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(sp_detectorDistance, (spVec3){0, 0, 0}, 1);
    spBodyId a = AddBox(world, (spDVec3){0, 0, 0}, (spDVec3){1, 1, 1}, sp_symplecticEuler, 0.5);
    spBodyId b = AddBox(world, (spDVec3){2, 0, 0}, (spDVec3){1, 1, 1}, sp_symplecticEuler, 0.5);
    spBodyDef def = spDefaultBodyDef();
    spClothMeshDef cloth = spDefaultClothMeshDef();
    spMesh* mesh = spMakeClothMesh(&cloth, NULL);
    def.mesh = mesh;
    def.name = "sheet";
    spBodyId sheet = spCreateBody(world, &def);
    spDestroyMesh(mesh);
    assert_true(spBody_IsValid(world, sheet));
    assert_int_equal(spWorld_GetPairDetector(world, a, b), sp_detectorDistance);
    assert_true(spWorld_SetPairDetector(world, b, a, sp_detectorVolume));
    assert_int_equal(spWorld_GetPairDetector(world, a, b), sp_detectorVolume);
    assert_true(spWorld_SetPairDetector(world, a, a, sp_detectorVolume));
    assert_false(spWorld_SetPairDetector(world, a, sheet, sp_detectorVolume));
    spError error = spWorld_GetLastError(world);
    assert_non_null(strstr(error.message, "sheet is not closed"));
    assert_true(spWorld_SetPairDetector(world, a, sheet, sp_detectorDistance));
    assert_false(spWorld_SetPairDetector(world, a, b, (spDetector)7));
    // Cells leave the detector alone, and the other way round
    assert_int_equal(spWorld_GetPairCells(world, a, b), 4);
    assert_true(spWorld_SetPairCells(world, b, a, 16));
    assert_int_equal(spWorld_GetPairCells(world, a, b), 16);
    assert_int_equal(spWorld_GetPairDetector(world, a, b), sp_detectorVolume);
    assert_true(spWorld_SetPairDetector(world, a, b, sp_detectorDistance));
    assert_int_equal(spWorld_GetPairCells(world, a, b), 16);
    assert_true(spWorld_SetPairCells(world, a, sheet, 1));
    assert_int_equal(spWorld_GetPairDetector(world, a, sheet), sp_detectorDistance);
    assert_false(spWorld_SetPairCells(world, a, b, 65));
    error = spWorld_GetLastError(world);
    assert_non_null(strstr(error.message, "cells of a pair are 65: give 1 to 64"));
    assert_false(spWorld_SetPairCells(world, a, b, -1));
    assert_int_equal(spWorld_GetPairCells(world, a, b), 16);
    spDestroyBody(world, b);
    assert_int_equal(spWorld_GetPairCells(world, a, b), 0);
    assert_false(spWorld_SetPairDetector(world, a, b, sp_detectorVolume));
    assert_int_equal(spWorld_GetPairDetector(world, a, b), sp_detectorDistance);
    spDestroyWorld(world);
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.detector = (spDetector)9;
    assert_null(spCreateWorld(&worldDef, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestOverlap), cmocka_unit_test(TestBlockRests),   cmocka_unit_test(TestDeepStart),
        cmocka_unit_test(TestOrgans),  cmocka_unit_test(TestBoxInBox),     cmocka_unit_test(TestIncline),
        cmocka_unit_test(TestBits),    cmocka_unit_test(TestPairDetector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
