// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Equilibria in contact: quasi-static steps and relaxation feel colliders and friction. Implicit steps go on from
// the contacts that they had.

#include "base/core.h"
#include "testbed/check.h"

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Rest
{
    spWorld* world;
    spBodyId body;
    spColliderId ground;
    double weight; // N
} Rest;

typedef struct RestDef
{
    double young;
    double friction;
    double height; // of the lowest nodes above the ground, m
    spMethodType type;
    int workers;
    const spMesh* mesh; // a block of 0.4 m when NULL
} RestDef;

static Rest Build(const RestDef* def)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->workers;
    Rest r = {.world = spCreateWorld(&worldDef, NULL)};
    spColliderDef ground = spDefaultColliderDef();
    ground.friction = (spReal)def->friction;
    r.ground = spCreateCollider(r.world, &ground);
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = (spDVec3){-0.2, def->height, -0.2};
    box.size = (spDVec3){0.4, 0.4, 0.4};
    spMesh* mesh = def->mesh == NULL ? spMakeBoxMesh(&box, NULL) : NULL;
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = def->mesh == NULL ? mesh : def->mesh;
    bodyDef.friction = (spReal)def->friction;
    bodyDef.contactRadius = 0;
    bodyDef.method.type = def->type;
    r.body = spCreateBody(r.world, &bodyDef);
    spDestroyMesh(mesh);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)def->young;
    tets.poissonRatio = (spReal)0.3;
    assert_true(spBody_AddTets(r.world, r.body, &tets) >= 0);
    int count = spBody_GetPositions(r.world, r.body).count;
    spReal* masses = calloc((size_t)count, sizeof(spReal));
    spBody_CopyMasses(r.world, r.body, masses, count);
    for (int i = 0; i < count; ++i)
    {
        r.weight += 9.81 * (double)masses[i];
    }
    free(masses);
    return r;
}

// The lowest node, m
static double GetLowest(const Rest* r)
{
    spVec3View x = spBody_GetPositions(r->world, r->body);
    double lowest = 1e9;
    for (int i = 0; i < x.count; ++i)
    {
        lowest = fmin(lowest, (double)x.data[i].y);
    }
    return lowest;
}

static void Print(const char* what, const Rest* r, uint32_t flags)
{
    spSolverReport s = spBody_GetSolverReport(r->world, r->body);
    spVec3 f = spBody_GetContactForce(r->world, r->body);
    print_message("%s: flags %x, %d linearisations, %d iterations, force over weight %.7f up, %.4f aside, "
                  "lowest %.2e m\n",
                  what, flags, s.newtonSteps, s.iterations, (double)f.y / r->weight,
                  hypot((double)f.x, (double)f.z) / r->weight, GetLowest(r));
}

// Forces are those that hold the load, wherever they are read
static void CheckForces(const Rest* r, spVec3 load, double tolerance)
{
    spVec3 f = spBody_GetContactForce(r->world, r->body), g = spCollider_GetForce(r->world, r->ground);
    CHECK_NEAR(f.x, -load.x, tolerance * r->weight);
    CHECK_NEAR(f.y, -load.y, tolerance * r->weight);
    CHECK_NEAR(f.z, -load.z, tolerance * r->weight);
    CHECK_NEAR(g.y, load.y, tolerance * r->weight);
    spContact contacts[256];
    int count = spWorld_GetContacts(r->world, contacts, 256);
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        double pressed = (double)contacts[i].force.y,
               side = hypot((double)contacts[i].force.x, (double)contacts[i].force.z);
        sum += pressed;
        assert_true(pressed >= 0.0 && side <= 0.5001 * pressed);
        CHECK_LESS(fabs((double)contacts[i].gap), 1e-6);
    }
    CHECK_NEAR(sum, -load.y, tolerance * r->weight);
}

// A block goes down to the ground, and is held there by its weight, in steps and by relaxation
static void TestBlockRests(void** state)
{
    SP_UNUSED(state);
    const double youngs[] = {1e5, 1e6}, frictions[] = {0.0, 0.5};
    for (int k = 0; k < 4; ++k)
    {
        RestDef def = {.young = youngs[k % 2],
                       .friction = frictions[k / 2],
                       .height = 0.5,
                       .type = sp_quasiStatic,
                       .workers = 1};
        Rest r = Build(&def);
        for (int i = 0; i < 2; ++i)
        {
            uint32_t flags = spWorld_Step(r.world, (spReal)0.01);
            Print("step", &r, flags);
            assert_true(flags == 0);
            CheckForces(&r, (spVec3){0, (spReal)-r.weight, 0}, k % 2 == 0 ? 1e-4 : 1e-3);
            CHECK_NEAR(GetLowest(&r), 0.0, 1e-6);
        }
        spDestroyWorld(r.world);
        r = Build(&def);
        spRelaxDef relax = spDefaultRelaxDef();
        spRelaxResult result;
        assert_true(spBody_Relax(r.world, r.body, &relax, &result));
        Print("relaxation", &r, 0);
        assert_true(result.converged && result.residual < relax.tolerance);
        CheckForces(&r, (spVec3){0, (spReal)-r.weight, 0}, sizeof(spReal) == 8 ? 1e-10 : 1e-4);
        CHECK_NEAR(GetLowest(&r), 0.0, 1e-6);
        spDestroyWorld(r.world);
    }
}

// Whether a block holds against this load over its weight, by a step and by relaxation alike
static bool DoesHold(double along, double down, bool pushed)
{
    bool holds[2];
    for (int k = 0; k < 2; ++k)
    {
        RestDef def = {.young = 1e6, .friction = 0.5, .type = sp_quasiStatic, .workers = 1};
        Rest r = Build(&def);
        int count = spBody_GetPositions(r.world, r.body).count;
        spVec3 load = {(spReal)(along * r.weight), (spReal)(-down * r.weight), 0};
        for (int i = 0; pushed && i < count; ++i)
        {
            spBody_SetNodeForce(r.world, r.body, i, (spVec3){load.x / (spReal)count, 0, 0});
        }
        spWorld_SetGravity(r.world, (spVec3){pushed ? 0 : (spReal)(9.81 * along), (spReal)(-9.81 * down), 0});
        if (k == 0)
        {
            uint32_t flags = spWorld_Step(r.world, (spReal)0.01);
            Print("step", &r, flags);
            holds[k] = (flags & sp_stepSolverStopped) == 0;
        }
        else
        {
            spRelaxDef relax = spDefaultRelaxDef();
            spRelaxResult result;
            relax.maxIterations = 5000;
            assert_true(spBody_Relax(r.world, r.body, &relax, &result));
            Print("relaxation", &r, 0);
            holds[k] = result.converged;
        }
        if (holds[k])
        {
            CheckForces(&r, load, 1e-3);
        }
        spDestroyWorld(r.world);
    }
    assert_true(holds[0] == holds[1]);
    return holds[0];
}

// With friction 0.5
static void TestSlopes(void** state)
{
    SP_UNUSED(state);
    const double slopes[] = {0.1, 0.3, 0.45, 0.48, 0.55, 0.8};
    for (int k = 0; k < SP_COUNT(slopes); ++k)
    {
        double down = 1 / sqrt(1 + slopes[k] * slopes[k]);
        print_message("slope %g\n", slopes[k]);
        assert_true(DoesHold(slopes[k] * down, down, false) == (slopes[k] < 0.5));
    }
}

static void TestSidePush(void** state)
{
    SP_UNUSED(state);
    assert_true(DoesHold(0.9 * 0.5, 1, true));
    assert_true(DoesHold(1.2 * 0.5, 1, true) == false);
}

// A block that was pushed aside and is let go stays where it is
static void TestNoCreep(void** state)
{
    SP_UNUSED(state);
    RestDef def = {.young = 1e6, .friction = 0.5, .type = sp_quasiStatic, .workers = 1};
    Rest r = Build(&def);
    spWorld_SetGravity(r.world, (spVec3){4, (spReal)-9.81, 0});
    assert_true(spWorld_Step(r.world, (spReal)0.01) == 0);
    double before = (double)spBody_GetPositions(r.world, r.body).data[0].x;
    for (int i = 0; i < 20; ++i)
    {
        assert_true(spWorld_Step(r.world, (spReal)0.01) == 0);
    }
    CHECK_NEAR(spBody_GetPositions(r.world, r.body).data[0].x, before, 1e-6);
    spDestroyWorld(r.world);
}

// Friction carries a block along with the ground
static void TestMovingGround(void** state)
{
    SP_UNUSED(state);
    RestDef def = {.young = 1e6, .friction = 0.5, .type = sp_quasiStatic, .workers = 1};
    Rest r = Build(&def);
    spTransform t = {.rotation = {0, 0, 0, 1}};
    for (int i = 0; i < 3; ++i)
    {
        t.position.x += (spReal)0.1;
        t.position.y += (spReal)0.05;
        assert_true(spCollider_MoveTo(r.world, r.ground, t));
        assert_true(spWorld_Step(r.world, (spReal)0.01) == 0);
    }
    CHECK_NEAR(GetLowest(&r), 0.15, 1e-6);
    CHECK_NEAR(spBody_GetPositions(r.world, r.body).data[0].x, -0.2 + 0.3, 1e-3);
    spDestroyWorld(r.world);
}

// A body that hangs on a link to space
static void TestLinkHolds(void** state)
{
    SP_UNUSED(state);
    RestDef def = {.young = 1e6, .friction = 0.5, .height = 0.5, .type = sp_symplecticEuler, .workers = 1};
    Rest r = Build(&def);
    const int32_t nodes[] = {4, 24, 104, 124};
    spLinkDef linkDef = spDefaultLinkDef();
    linkDef.body = r.body;
    linkDef.nodes = nodes;
    linkDef.nodeCount = 4;
    spLinkId link = spCreateLink(r.world, &linkDef);
    spRelaxDef relax = spDefaultRelaxDef();
    spRelaxResult result;
    assert_true(spBody_Relax(r.world, r.body, &relax, &result));
    assert_true(result.converged);
    CHECK_NEAR(spLink_GetForce(r.world, link).y, r.weight, 1e-3 * r.weight);
    assert_true(GetLowest(&r) > 0.4);
    spDestroyWorld(r.world);
}

// Restored in the middle of a contact, the next steps have the same bits
static void TestRestoreKeepsBits(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_bdf2, sp_quasiStatic, sp_xpbd};
    for (int k = 0; k < 2 * SP_COUNT(types); ++k)
    {
        RestDef def = {.young = 1e5, .friction = 0.5, .type = types[k / 2], .workers = 1 + k % 2};
        Rest r = Build(&def);
        spWorld_SetGravity(r.world, (spVec3){(spReal)(k / 2 == 3 ? 3 : 6), (spReal)-9.81, 0});
        for (int i = 0; i < 5; ++i)
        {
            spWorld_Step(r.world, (spReal)0.01);
        }
        spSnapshot* snapshot = spWorld_Save(r.world);
        assert_non_null(snapshot);
        uint64_t hash = 0;
        for (int again = 0; again < 3; ++again)
        {
            // The last time in another world
            if (again == 2)
            {
                spDestroyWorld(r.world);
                r = Build(&def);
            }
            assert_true(again == 0 || spWorld_Restore(r.world, snapshot));
            for (int i = 0; i < 5; ++i)
            {
                spWorld_Step(r.world, (spReal)0.01);
            }
            assert_true(again == 0 || hash == spWorld_GetStateHash(r.world));
            hash = spWorld_GetStateHash(r.world);
        }
        spDestroySnapshot(snapshot);
        spDestroyWorld(r.world);
    }
}

static double GetSpeed(const Rest* r)
{
    spVec3View v = spBody_GetVelocities(r->world, r->body);
    double sum = 0.0;
    for (int i = 0; i < v.count; ++i)
    {
        sum += (double)v.data[i].x / v.count;
    }
    return sum;
}

// A block that slides gains g (sin - mu cos), once it has been compressed
static void TestBlockSlides(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_backwardEuler, sp_bdf2};
    for (int k = 0; k < 2; ++k)
    {
        RestDef def = {.young = 1e6, .friction = 0.3, .type = types[k], .workers = 1};
        Rest r = Build(&def);
        double c = 1 / sqrt(1 + 0.5 * 0.5), want = 9.81 * (0.5 - 0.3) * c;
        spWorld_SetGravity(r.world, (spVec3){(spReal)(9.81 * 0.5 * c), (spReal)(-9.81 * c), 0});
        double start = 0.0;
        for (int i = 0; i < 120; ++i)
        {
            start = i == 20 ? GetSpeed(&r) : start;
            spWorld_Step(r.world, (spReal)0.01);
        }
        print_message("method %d: acceleration over theory %.4f\n", (int)types[k],
                      (GetSpeed(&r) - start) / want);
        CHECK_NEAR(GetSpeed(&r) - start, want, 0.01 * want);
        spDestroyWorld(r.world);
    }
}

// Bodies that are not flat below, and tip over first: one linearisation takes few iterations
static void TestIrregularBodies(void** state)
{
    SP_UNUSED(state);
    const char* files[] = {"bunny_tet.msh", "liver_like.msh"};
    for (int k = 0; k < 2; ++k)
    {
        char path[512];
        snprintf(path, sizeof(path), "%s/data/%s", SOUPLE_SOURCE_DIR, files[k]);
        spMesh* mesh = spLoadMesh(path, NULL, NULL);
        assert_non_null(mesh);
        RestDef def = {.young = 1e5, .friction = 0.5, .type = sp_quasiStatic, .workers = 1, .mesh = mesh};
        Rest r = Build(&def);
        uint32_t flags = 0;
        for (int i = 0; i < 4; ++i)
        {
            flags = spWorld_Step(r.world, (spReal)0.01);
            Print(files[k], &r, flags);
            spSolverReport report = spBody_GetSolverReport(r.world, r.body);
            CHECK_LESS(report.iterations, 25 * report.newtonSteps + 1);
        }
        assert_true(flags == 0);
        CHECK_NEAR(spBody_GetContactForce(r.world, r.body).y, r.weight, 1e-4 * r.weight);
        spDestroyWorld(r.world);
        spDestroyMesh(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBlockRests),      cmocka_unit_test(TestSlopes),
        cmocka_unit_test(TestSidePush),        cmocka_unit_test(TestNoCreep),
        cmocka_unit_test(TestMovingGround),    cmocka_unit_test(TestLinkHolds),
        cmocka_unit_test(TestBlockSlides),     cmocka_unit_test(TestRestoreKeepsBits),
        cmocka_unit_test(TestIrregularBodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
