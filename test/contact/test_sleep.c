// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies that rest fall asleep, read as they did, and wake when something comes near or is told to them.

#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <math.h>

static const spReal dt = (spReal)(1.0 / 60.0);
static const double gravity = 9.81;

static spBodyId AddBox(spWorld* world, spDVec3 origin, spMethodType type)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = origin;
    box.size = (spDVec3){0.1, 0.1, 0.1};
    box.cells[0] = box.cells[1] = box.cells[2] = 2;
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = 1000;
    def.friction = (spReal)0.5;
    def.method.type = type;
    spBodyId body = spCreateBody(world, &def);
    assert_false(SP_IS_NULL(body));
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)1e6;
    tets.poissonRatio = (spReal)0.3;
    assert_true(spBody_AddTets(world, body, &tets) >= 0);
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = 10;
    assert_true(spBody_AddField(world, body, &drag) >= 0);
    spDestroyMesh(mesh);
    return body;
}

static spWorld* MakeWorld(int workers, spReal speed)
{
    spWorldDef def = spDefaultWorldDef();
    def.workerCount = workers;
    def.sleepSpeed = speed;
    spWorld* world = spCreateWorld(&def, NULL);
    assert_non_null(world);
    return world;
}

static void Run(spWorld* world, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(world, dt);
    }
}

// Two boxes on each other and one far away, all asleep
typedef struct Rest
{
    spWorld* world;
    spColliderId ground;
    spBodyId low, high, far;
} Rest;

static Rest MakeRest(int workers, spMethodType type)
{
    Rest rest = {.world = MakeWorld(workers, (spReal)0.01)};
    rest.ground = spAddTestGround(rest.world, (spReal)0.5, 0);
    rest.low = AddBox(rest.world, (spDVec3){0, 0, 0}, type);
    rest.high = AddBox(rest.world, (spDVec3){0.003, 0.1, -0.003}, type);
    rest.far = AddBox(rest.world, (spDVec3){2, 0, 0}, type);
    Run(rest.world, 180);
    return rest;
}

static void CheckForces(const Rest* rest)
{
    CHECK_NEAR(spCollider_GetForce(rest->world, rest->ground).y, -3 * gravity, 0.05 * gravity);
    CHECK_NEAR(spBody_GetContactForce(rest->world, rest->far).y, gravity, 0.05 * gravity);
    CHECK_NEAR(spWorld_GetPairForce(rest->world, rest->high, rest->low).y, gravity, 0.05 * gravity);
    assert_true(spWorld_GetContactCount(rest->world) > 0);
}

static void CheckAsleep(const Rest* rest, bool pile, bool far)
{
    assert_int_equal(spBody_IsAsleep(rest->world, rest->low), pile);
    assert_int_equal(spBody_IsAsleep(rest->world, rest->high), pile);
    assert_int_equal(spBody_IsAsleep(rest->world, rest->far), far);
}

static void TestFallAsleep(void** state)
{
    SP_UNUSED(state);
    static const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_bdf2, sp_xpbd};
    for (int m = 0; m < SP_COUNT(types); ++m)
    {
        Rest rest = MakeRest(1, types[m]);
        CheckAsleep(&rest, true, true);
        assert_int_equal(spWorld_GetReport(rest.world).sleepingCount, 3);
        CheckForces(&rest);
        spVec3 before = spBody_GetCenter(rest.world, rest.high);
        uint32_t flags = spWorld_Step(rest.world, dt);
        Run(rest.world, 60);
        spVec3 after = spBody_GetCenter(rest.world, rest.high);
        assert_true(flags == 0 && before.x == after.x && before.y == after.y && before.z == after.z);
        assert_true(spBody_IsRunning(rest.world, rest.low));
        CheckForces(&rest);
        CHECK_NEAR(spWorld_GetTime(rest.world), 241.0 / 60.0, 1e-5);
        // Awake again it stays where it was
        assert_true(spBody_Wake(rest.world, rest.low));
        CheckAsleep(&rest, false, true);
        Run(rest.world, 10);
        after = spBody_GetCenter(rest.world, rest.high);
        printf("method %d: %.2e m after waking\n", types[m], (double)fabs((double)(after.y - before.y)));
        CHECK_NEAR(after.y, before.y, 5e-4);
        CheckForces(&rest);
        spDestroyWorld(rest.world);
    }
}

// Everything that may change how a body moves wakes it, and what lies on it; what is far sleeps on
static void TestCommands(void** state)
{
    SP_UNUSED(state);
    for (int command = 0; command < 8; ++command)
    {
        Rest rest = MakeRest(1, sp_backwardEuler);
        CheckAsleep(&rest, true, true);
        bool all = false;
        const int32_t pin = 0;
        spVec3 velocity = {0, 1, 0};
        spVec3 velocities[27];
        spLinkDef link = spDefaultLinkDef();
        switch (command)
        {
            case 0:
                assert_true(spBody_PinNodes(rest.world, rest.high, &pin, 1));
                break;
            case 1:
                for (int i = 0; i < 27; ++i)
                {
                    velocities[i] = velocity;
                }
                assert_true(spBody_SetVelocities(rest.world, rest.high, velocities, 27));
                break;
            case 2:
                assert_true(spBody_SetContact(rest.world, rest.low, 0, 0));
                break;
            case 3:
                spDestroyBody(rest.world, rest.low);
                assert_false(spBody_IsAsleep(rest.world, rest.high));
                Run(rest.world, 20);
                assert_true(spBody_GetCenter(rest.world, rest.high).y < (spReal)0.1);
                spDestroyWorld(rest.world);
                continue;
            case 4:
                link.body = rest.low;
                link.nodes = &pin;
                link.nodeCount = 1;
                assert_false(SP_IS_NULL(spCreateLink(rest.world, &link)));
                break;
            case 5:
                assert_true(spWorld_SetGravity(rest.world, (spVec3){0, 1, 0}));
                all = true;
                break;
            case 6:
                spDestroyCollider(rest.world, rest.ground);
                all = true;
                break;
            default:
                assert_true(spBody_SetNodeForce(rest.world, rest.low, 0, velocity));
                break;
        }
        spWorld_Step(rest.world, dt);
        CheckAsleep(&rest, false, all == false);
        spDestroyWorld(rest.world);
    }
}

static void TestTouch(void** state)
{
    SP_UNUSED(state);
    // A box falls on the pile: it wakes before it touches
    Rest rest = MakeRest(1, sp_backwardEuler);
    spBodyId falling = AddBox(rest.world, (spDVec3){0, 0.35, 0}, sp_backwardEuler);
    Run(rest.world, 1);
    CheckAsleep(&rest, true, true);
    Run(rest.world, 15);
    CheckAsleep(&rest, false, true);
    Run(rest.world, 20);
    spIntersection found[4];
    int count = spWorld_FindIntersections(rest.world, found, 4);
    for (int i = 0; i < count; ++i)
    {
        CHECK_LESS(found[i].depth, 0.01);
    }
    assert_true(spBody_GetCenter(rest.world, falling).y > (spReal)0.23);
    Run(rest.world, 240);
    CheckAsleep(&rest, true, true);
    assert_true(spBody_IsAsleep(rest.world, falling));

    // A collider that moves far away wakes nobody, one that comes near does
    spColliderDef ball = spDefaultColliderDef();
    ball.shape = sp_shapeSphere;
    ball.radius = (spReal)0.1;
    ball.transform.position = (spVec3){5, 1, 0};
    spColliderId hand = spCreateCollider(rest.world, &ball);
    Run(rest.world, 2);
    CheckAsleep(&rest, true, true);
    spTransform to = ball.transform;
    to.position.x = (spReal)4.9;
    assert_true(spCollider_MoveTo(rest.world, hand, to));
    Run(rest.world, 1);
    CheckAsleep(&rest, true, true);
    to.position = (spVec3){(spReal)2.05, (spReal)0.25, (spReal)0.05};
    assert_true(spCollider_MoveTo(rest.world, hand, to));
    Run(rest.world, 1);
    CheckAsleep(&rest, true, false);
    spDestroyWorld(rest.world);
}

// Sleep is part of the state, and does not depend on threads
static void TestBits(void** state)
{
    SP_UNUSED(state);
    Rest one = MakeRest(1, sp_backwardEuler), four = MakeRest(4, sp_backwardEuler);
    spSnapshot* snapshot = spWorld_Save(one.world);
    spVec3 push = {1, 0, 0};
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i)
    {
        CheckAsleep(&one, true, true);
        Run(one.world, 3);
        assert_true(spBody_SetNodeForce(one.world, one.low, 0, push));
        Run(one.world, 60);
        hashes[i] = spWorld_GetStateHash(one.world);
        assert_true(spWorld_Restore(one.world, snapshot));
    }
    assert_true(hashes[0] == hashes[1]);
    Run(four.world, 3);
    assert_true(spBody_SetNodeForce(four.world, four.low, 0, push));
    Run(four.world, 60);
    assert_true(spWorld_GetStateHash(four.world) == hashes[0]);
    spDestroySnapshot(snapshot);
    spDestroyWorld(one.world);
    spDestroyWorld(four.world);
}

// A rigid box alone sleeps as a soft one does
static void TestRigid(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld(1, (spReal)0.01);
    spColliderId ground = spAddTestGround(world, (spReal)0.5, 0);
    spBodyId box = AddBox(world, (spDVec3){0, 0.01, 0}, sp_rigid);
    Run(world, 120);
    assert_true(spBody_IsAsleep(world, box));
    CHECK_NEAR(spCollider_GetForce(world, ground).y, -gravity, 0.05 * gravity);
    assert_true(spBody_SetNodeForce(world, box, 0, (spVec3){0, 100, 0}));
    Run(world, 10);
    assert_true(spBody_IsAsleep(world, box) == false && spBody_GetCenter(world, box).y > (spReal)0.1);
    spDestroyWorld(world);
}

// Not asked for, nothing sleeps
static void TestOff(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld(1, 0);
    spAddTestGround(world, (spReal)0.5, 0);
    spBodyId box = AddBox(world, (spDVec3){0, 0, 0}, sp_backwardEuler);
    Run(world, 180);
    assert_false(spBody_IsAsleep(world, box));
    assert_int_equal(spWorld_GetReport(world).sleepingCount, 0);
    assert_false(spBody_Wake(world, (spBodyId){0}));
    spDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestFallAsleep), cmocka_unit_test(TestCommands), cmocka_unit_test(TestTouch),
        cmocka_unit_test(TestBits),       cmocka_unit_test(TestRigid),    cmocka_unit_test(TestOff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
