// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Joints and motors of rigid bodies against closed forms.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include "souple/souple.h"

#include <math.h>

static const double gravity = 9.81;
static const double dt = 1.0 / 120.0;

static spWorld* MakeWorld(void)
{
    spWorldDef def = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&def, NULL);
    assert_non_null(world);
    return world;
}

typedef struct Box
{
    spVec3 origin, size;
    spReal density;
    int cells;
    bool rigid;
} Box;

static spBodyId AddBox(spWorld* world, const Box* given)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = (spDVec3){(double)given->origin.x, (double)given->origin.y, (double)given->origin.z};
    box.size = (spDVec3){(double)given->size.x, (double)given->size.y, (double)given->size.z};
    box.cells[0] = box.cells[1] = box.cells[2] = given->cells;
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    assert_non_null(mesh);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = given->density;
    def.method.type = given->rigid ? sp_rigid : sp_backwardEuler;
    spBodyId body = spCreateBody(world, &def);
    assert_false(SP_IS_NULL(body));
    spDestroyMesh(mesh);
    return body;
}

// A rigid cube of 0.2 m around the origin, 8 kg, with a joint at its middle
static spBodyId AddCube(spWorld* world, const spJointDef* joint)
{
    const Box box = {.origin = {(spReal)-0.1, (spReal)-0.1, (spReal)-0.1},
                     .size = {(spReal)0.2, (spReal)0.2, (spReal)0.2},
                     .density = 1000,
                     .cells = 2,
                     .rigid = true};
    spBodyId body = AddBox(world, &box);
    assert_true(spBody_SetJoint(world, body, joint));
    return body;
}

// Moment of inertia about a line through a point along z, from the nodes, and the mass
static double GetInertia(const spWorld* world, spBodyId body, spVec3 point, double* mass)
{
    spVec3 x[512];
    spReal masses[512];
    int count = spBody_CopyPositions(world, body, x, 512);
    spBody_CopyMasses(world, body, masses, 512);
    double sum = 0.0;
    *mass = 0.0;
    for (int i = 0; i < count; ++i)
    {
        double a = (double)(x[i].x - point.x), b = (double)(x[i].y - point.y);
        sum += (double)masses[i] * (a * a + b * b);
        *mass += (double)masses[i];
    }
    return sum;
}

// A slider on a slope falls along it by its share of gravity, and stays on its axis
static void TestSliderFalls(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld();
    spJointDef joint = spDefaultJointDef();
    joint.type = sp_jointSlider;
    joint.axis = (spVec3){3, -4, 0};
    spBodyId body = AddCube(world, &joint);
    double off = 0.0, turned = 0.0, mass;
    spVec3 first[512], x[512];
    int count = spBody_CopyPositions(world, body, first, 512);
    GetInertia(world, body, (spVec3){0, 0, 0}, &mass);
    for (int i = 0; i < 120; ++i)
    {
        spWorld_Step(world, (spReal)dt);
        spVec3 c = spBody_GetCenter(world, body);
        off = fmax(off, hypot(0.8 * (double)c.x + 0.6 * (double)c.y, (double)c.z));
        spBody_CopyPositions(world, body, x, 512);
        for (int k = 0; k < count; ++k)
        {
            turned = fmax(turned, fabs((double)(x[k].x - c.x - first[k].x)));
            turned = fmax(turned, fabs((double)(x[k].y - c.y - first[k].y)));
        }
    }
    spJointState s = spBody_GetJointState(world, body);
    double fall = 0.5 * 0.8 * gravity;
    print_message("slider: %.1e m off its axis, %.1e m turned, %.5f of %.5f m, force %.4f %.4f N\n", off,
                  turned, (double)s.position, fall, (double)s.force.x, (double)s.force.y);
    CHECK_LESS(off, 1e-4);
    CHECK_LESS(turned, 1e-4);
    CHECK_NEAR(s.position, fall, 1e-3 * fall);
    CHECK_NEAR(s.speed, 2.0 * fall, 1e-3 * fall);
    // What is left of gravity across the axis
    CHECK_NEAR(s.force.x, 0.6 * 0.8 * mass * gravity, 1e-3 * mass * gravity);
    CHECK_NEAR(s.force.y, 0.6 * 0.6 * mass * gravity, 1e-3 * mass * gravity);
    assert_true(s.motor == 0);
    spDestroyWorld(world);
}

// A motor accelerates by its limit over the mass until it is as fast as it should be
static void TestSliderMotor(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld();
    spJointDef joint = spDefaultJointDef();
    joint.type = sp_jointSlider;
    joint.axis = (spVec3){2, 0, 0};
    joint.motorSpeed = (spReal)1.5;
    joint.motorLimit = 16;
    spBodyId body = AddCube(world, &joint);
    double mass;
    GetInertia(world, body, (spVec3){0, 0, 0}, &mass);
    for (int i = 1; i <= 240; ++i)
    {
        spWorld_Step(world, (spReal)dt);
        spJointState s = spBody_GetJointState(world, body);
        double expected = fmin(16.0 / mass * i * dt, 1.5);
        CHECK_NEAR(s.speed, expected, 1e-4);
        CHECK_NEAR(spBody_GetCenter(world, body).x, s.position, 1e-5);
        CHECK_NEAR(s.force.y, mass * gravity, 1e-3 * mass * gravity);
        if (expected < 1.49)
        {
            CHECK_NEAR(s.motor, 16.0, 1e-3);
            CHECK_NEAR(s.force.x, 16.0, 0.01);
        }
    }
    CHECK_NEAR(spBody_GetJointState(world, body).motor, 0.0, 1e-3);
    // It brakes as hard as it drives
    assert_true(spBody_SetMotor(world, body, 0, 8));
    spWorld_Step(world, (spReal)dt);
    CHECK_NEAR(spBody_GetJointState(world, body).speed, 1.5 - 8.0 / mass * dt, 1e-4);
    spDestroyWorld(world);
}

// A motor turns a hinge by its torque over the inertia, and holds a lever against gravity
static void TestHingeMotor(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld();
    spWorld_SetGravity(world, (spVec3){0, 0, 0});
    spJointDef joint = spDefaultJointDef();
    joint.type = sp_jointHinge;
    joint.axis = (spVec3){0, 0, 1};
    joint.point = (spVec3){(spReal)-0.1, 0, 0};
    joint.motorSpeed = 100;
    joint.motorLimit = (spReal)0.5;
    spBodyId body = AddCube(world, &joint);
    double mass, inertia = GetInertia(world, body, joint.point, &mass);
    for (int i = 0; i < 60; ++i)
    {
        spWorld_Step(world, (spReal)dt);
    }
    spJointState s = spBody_GetJointState(world, body);
    double speed = 0.5 / inertia * 60 * dt;
    print_message("hinge: %.5f of %.5f rad/s, %.5f rad\n", (double)s.speed, speed, (double)s.position);
    CHECK_NEAR(s.speed, speed, 1e-3 * speed);
    CHECK_NEAR(s.position, 0.5 * speed * 60 * dt, 0.02 * speed);
    CHECK_NEAR(s.motor, 0.5, 1e-4);
    CHECK_NEAR(s.torque.z, 0.5, 5e-3);
    // The hinge pulls the middle inwards
    double inwards = mass * speed * speed * 0.1;
    double pull = sqrt((double)s.force.x * (double)s.force.x + (double)s.force.y * (double)s.force.y);
    CHECK_NEAR(pull, hypot(inwards, mass * 0.5 / inertia * 0.1), 0.05 * pull);
    spDestroyWorld(world);

    // Speed 0: a brake, which carries the lever as long as its limit does
    world = MakeWorld();
    joint.motorSpeed = 0;
    joint.motorLimit = (spReal)(1.2 * mass * gravity * 0.1);
    body = AddCube(world, &joint);
    for (int i = 0; i < 120; ++i)
    {
        spWorld_Step(world, (spReal)dt);
    }
    s = spBody_GetJointState(world, body);
    CHECK_NEAR(s.position, 0.0, 1e-5);
    CHECK_NEAR(s.motor, mass * gravity * 0.1, 1e-3 * mass * gravity);
    CHECK_NEAR(s.force.y, mass * gravity, 1e-3 * mass * gravity);
    assert_true(spBody_SetMotor(world, body, 0, (spReal)(0.8 * mass * gravity * 0.1)));
    for (int i = 0; i < 30; ++i)
    {
        spWorld_Step(world, (spReal)dt);
    }
    double expected = -0.2 * mass * gravity * 0.1 / inertia * 30 * dt;
    CHECK_NEAR(spBody_GetJointState(world, body).speed, expected, 0.05 * fabs(expected));
    spDestroyWorld(world);
}

// A ball joint is what a pin is
static void TestBall(void** state)
{
    SP_UNUSED(state);
    double heights[2];
    for (int k = 0; k < 2; ++k)
    {
        spWorld* world = MakeWorld();
        spJointDef joint = spDefaultJointDef();
        joint.point = (spVec3){(spReal)-0.1, (spReal)-0.1, (spReal)-0.1};
        spBodyId body = AddCube(world, k == 0 ? &joint : NULL);
        int32_t corner = 0;
        if (k == 1)
        {
            spVec3 x[512];
            int count = spBody_CopyPositions(world, body, x, 512);
            for (int i = 0; i < count; ++i)
            {
                corner =
                    x[i].x < (spReal)-0.09 && x[i].y < (spReal)-0.09 && x[i].z < (spReal)-0.09 ? i : corner;
            }
            assert_true(spBody_PinNodes(world, body, &corner, 1));
        }
        for (int i = 0; i < 100; ++i)
        {
            spWorld_Step(world, (spReal)dt);
        }
        heights[k] = (double)spBody_GetCenter(world, body).y;
        spDestroyWorld(world);
    }
    CHECK_NEAR(heights[0], heights[1], 1e-4);
}

// A plate on a slider presses a soft block with the force of its motor
static void TestPress(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld();
    spColliderId ground = spAddTestGround(world, (spReal)0.5, 0);
    const Box soft = {
        .origin = {0, 0, 0}, .size = {(spReal)0.2, (spReal)0.2, (spReal)0.2}, .density = 100, .cells = 3};
    const Box hard = {.origin = {(spReal)-0.05, (spReal)0.21, (spReal)-0.05},
                      .size = {(spReal)0.3, (spReal)0.05, (spReal)0.3},
                      .density = 200,
                      .cells = 1,
                      .rigid = true};
    spBodyId block = AddBox(world, &soft), plate = AddBox(world, &hard);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)2e4;
    assert_true(spBody_AddTets(world, block, &tets) >= 0);
    spJointDef joint = spDefaultJointDef();
    joint.type = sp_jointSlider;
    joint.axis = (spVec3){0, -1, 0};
    joint.motorSpeed = (spReal)0.2;
    joint.motorLimit = 60;
    assert_true(spBody_SetJoint(world, plate, &joint));
    double mass, low = INFINITY;
    GetInertia(world, plate, (spVec3){0, 0, 0}, &mass);
    for (int i = 0; i < 480; ++i)
    {
        spWorld_Step(world, (spReal)dt);
        spVec3 c = spBody_GetCenter(world, plate);
        low = fmin(low, (double)c.y);
        CHECK_NEAR(c.x, 0.1, 1e-4);
        CHECK_NEAR(c.z, 0.1, 1e-4);
    }
    spPairLoad load = spWorld_GetPairLoad(world, spBodyThing(plate), spBodyThing(block), (spVec3){0, 0, 0});
    double force = 60.0 + mass * gravity;
    print_message(
        "press: %.3f of %.3f N between plate and block, %.3f N on the ground, motor %.3f N, %.4f m\n",
        (double)load.force.y, force, (double)spCollider_GetForce(world, ground).y,
        (double)spBody_GetJointState(world, plate).motor, low);
    CHECK_NEAR(spBody_GetJointState(world, plate).motor, 60.0, 0.5);
    CHECK_NEAR(load.force.y, force, 0.02 * force);
    assert_true(low < 0.225);
    spDestroyWorld(world);
}

static void TestRefused(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld();
    const Box soft = {.size = {1, 1, 1}, .density = 100, .cells = 1};
    spBodyId block = AddBox(world, &soft);
    spJointDef joint = spDefaultJointDef();
    assert_false(spBody_SetJoint(world, block, &joint));
    spMethodDef rigid = spDefaultMethodDef();
    rigid.type = sp_rigid;
    assert_true(spBody_SetMethod(world, block, &rigid));
    assert_false(spBody_SetMotor(world, block, 1, 1));
    joint.motorLimit = 1;
    assert_false(spBody_SetJoint(world, block, &joint));
    joint.type = sp_jointHinge;
    joint.axis = (spVec3){0, 0, 0};
    assert_false(spBody_SetJoint(world, block, &joint));
    joint.axis = (spVec3){0, NAN, 1};
    assert_false(spBody_SetJoint(world, block, &joint));
    joint.axis = (spVec3){0, 1, 1};
    joint.motorLimit = -1;
    assert_false(spBody_SetJoint(world, block, &joint));
    joint.motorLimit = 1;
    joint.internalValue = 0;
    assert_false(spBody_SetJoint(world, block, &joint));
    assert_int_equal(spBody_GetJoint(world, block).type, sp_jointNone);
    joint.internalValue = spDefaultJointDef().internalValue;
    assert_true(spBody_SetJoint(world, block, &joint));
    assert_false(spBody_SetMotor(world, block, INFINITY, 1));
    assert_int_equal(spBody_GetJoint(world, block).type, sp_jointHinge);
    // What is not rigid any more has no joint
    spMethodDef method = spDefaultMethodDef();
    assert_true(spBody_SetMethod(world, block, &method));
    assert_int_equal(spBody_GetJoint(world, block).type, sp_jointNone);
    assert_true(spBody_GetJointState(world, (spBodyId){0}).motor == 0);
    spDestroyWorld(world);
}

// A state in the middle of a motion goes on with the same bits
static void TestRestore(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld();
    spJointDef joint = spDefaultJointDef();
    joint.type = sp_jointHinge;
    joint.axis = (spVec3){0, 0, 1};
    joint.motorSpeed = 2;
    joint.motorLimit = 5;
    AddCube(world, &joint);
    for (int i = 0; i < 20; ++i)
    {
        spWorld_Step(world, (spReal)dt);
    }
    spSnapshot* snapshot = spWorld_Save(world);
    uint64_t hashes[2];
    for (int k = 0; k < 2; ++k)
    {
        for (int i = 0; i < 20; ++i)
        {
            spWorld_Step(world, (spReal)dt);
        }
        hashes[k] = spWorld_GetStateHash(world);
        assert_true(spWorld_Restore(world, snapshot));
    }
    assert_true(hashes[0] == hashes[1]);
    spDestroySnapshot(snapshot);
    spDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSliderFalls), cmocka_unit_test(TestSliderMotor),
        cmocka_unit_test(TestHingeMotor),  cmocka_unit_test(TestBall),
        cmocka_unit_test(TestPress),       cmocka_unit_test(TestRefused),
        cmocka_unit_test(TestRestore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
