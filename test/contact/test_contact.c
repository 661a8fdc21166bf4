// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact and rows: rest without jitter, restitution, friction cone, forces that can be read, every shape,
// driven colliders, backtracking, the repulsive ground, links, response against a dense reference.

#include "base/arena.h"
#include "contact/response.h"
#include "math/vec3.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#define G 9.81

// One particle
static spTestWorld MakeParticle(spVec3 x, spVec3 v, spReal mass, const spMethodDef* method)
{
    spTestWorld test = {.springs = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    test.world = spCreateWorld(&worldDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = &x;
    bodyDef.positionCount = 1;
    bodyDef.nodeMass = mass;
    bodyDef.velocity = v;
    bodyDef.friction = 1;
    if (method != NULL)
    {
        bodyDef.method = *method;
    }
    test.body = spCreateBody(test.world, &bodyDef);
    assert_false(SP_IS_NULL(test.body));
    return test;
}

static spVec3 GetPosition(const spTestWorld* test)
{
    return spBody_GetPositions(test->world, test->body).data[0];
}

static spVec3 GetVelocity(const spTestWorld* test)
{
    return spBody_GetVelocities(test->world, test->body).data[0];
}

static void TestRestWithoutJitter(void** state)
{
    SP_UNUSED(state);
    for (int type = 0; type < sp_quasiStatic; ++type)
    {
        for (int mode = sp_contactRows; mode <= sp_contactBacktrack; ++mode)
        {
            spMethodDef method = spDefaultMethodDef();
            method.type = (spMethodType)type;
            method.contact = (spContactMode)mode;
            method.substeps = 4;
            spTestWorld test = MakeParticle((spVec3){0, (spReal)0.3, 0}, (spVec3){0, 0, 0}, 2, &method);
            spColliderId ground = spAddTestGround(test.world, (spReal)0.5, 0);
            for (int i = 0; i < 120; ++i)
            {
                spWorld_Step(test.world, (spReal)(1.0 / 60.0));
            }
            spVec3 x = GetPosition(&test);
            for (int i = 0; i < 60; ++i)
            {
                spWorld_Step(test.world, (spReal)(1.0 / 60.0));
                CHECK_NEAR(GetPosition(&test).y, x.y, 1e-7);
                CHECK_NEAR(GetVelocity(&test).y, 0.0, 1e-6);
                // The weight can be read on both sides
                CHECK_NEAR(spBody_GetContactForce(test.world, test.body).y, 2 * G, 0.01 * 2 * G);
                CHECK_NEAR(spCollider_GetForce(test.world, ground).y, -2 * G, 0.01 * 2 * G);
                assert_int_equal(spWorld_GetContactCount(test.world), 1);
            }
            CHECK_NEAR(x.y, 0.0, 1e-6);
            spContact contact;
            assert_int_equal(spWorld_GetContacts(test.world, &contact, 1), 1);
            CHECK_NEAR(contact.normal.y, 1.0, 1e-6);
            CHECK_NEAR(contact.force.y, 2 * G, 0.01 * 2 * G);
            spDestroyTestWorld(&test);
        }
    }
}

// S6: rebound height e^2 h0, and nothing below the ground
static void TestRestitution(void** state)
{
    SP_UNUSED(state);
    const double es[] = {0.0, 0.3, 0.7, 1.0};
    for (int mode = sp_contactRows; mode <= sp_contactBacktrack; ++mode)
    {
        for (int k = 0; k < SP_COUNT(es); ++k)
        {
            spMethodDef method = spDefaultMethodDef();
            method.type = sp_verlet;
            method.contact = (spContactMode)mode;
            method.substeps = 40;
            spTestWorld test = MakeParticle((spVec3){0, 1, 0}, (spVec3){0, 0, 0}, 1, &method);
            spAddTestGround(test.world, 0, (spReal)es[k]);
            double top = 0.0, lowest = 1.0;
            bool touched = false;
            for (int i = 0; i < 300; ++i)
            {
                spWorld_Step(test.world, (spReal)(1.0 / 240.0));
                double y = (double)GetPosition(&test).y;
                bool falling = (double)GetVelocity(&test).y < 0.0;
                lowest = fmin(lowest, y);
                if (spWorld_GetContactCount(test.world) > 0)
                {
                    if (touched && top > 0.0)
                    {
                        break; // the second impact
                    }
                    touched = true;
                }
                top = touched && !(falling && top == 0.0) ? fmax(top, y) : top;
            }
            printf("mode %d, restitution %.1f: rebound to %.4f m, lowest %g m\n", mode, es[k], top, lowest);
            CHECK_NEAR(top, es[k] * es[k], 0.01 * fmax(es[k] * es[k], 0.02));
            CHECK_LESS(-1e-9, lowest);
            spDestroyTestWorld(&test);
        }
    }
}

// Sticks below the angle of friction, slides above it with the right acceleration
static void TestFrictionCone(void** state)
{
    SP_UNUSED(state);
    const double mu = 0.5;
    const double slopes[] = {0.40, 0.49, 0.51, 0.8};
    for (int k = 0; k < SP_COUNT(slopes); ++k)
    {
        double angle = atan(slopes[k]);
        spTestWorld test = MakeParticle((spVec3){0, 0, 0}, (spVec3){0, 0, 0}, 1, NULL);
        spBody_SetContact(test.world, test.body, (spReal)mu, 0);
        spColliderDef def = spDefaultColliderDef();
        def.friction = (spReal)mu;
        def.transform.rotation = (spQuat){0, 0, (spReal)sin(angle / 2), (spReal)cos(angle / 2)};
        spCreateCollider(test.world, &def);
        for (int i = 0; i < 120; ++i)
        {
            spWorld_Step(test.world, (spReal)(1.0 / 120.0));
        }
        spVec3 x = GetPosition(&test);
        double way = -(double)x.x / cos(angle);
        double a = G * (sin(angle) - mu * cos(angle));
        double want = slopes[k] < mu ? 0.0 : 0.5 * a;
        printf("slope %.2f: slid %.5f m, theory %.5f m\n", slopes[k], way, want);
        CHECK_NEAR(way, want, 0.02 * want + 1e-4);
        // The force stays in the cone
        spVec3 f = spBody_GetContactForce(test.world, test.body);
        double fn = -sin(angle) * (double)f.x + cos(angle) * (double)f.y;
        double ft = cos(angle) * (double)f.x + sin(angle) * (double)f.y;
        CHECK_LESS(fabs(ft), mu * fn * (1.0 + 1e-6));
        // What slides, slides down, and the force is on the cone
        CHECK_LESS(slopes[k] < mu ? 0.0 : mu * fn * (1.0 - 1e-6) - ft, slopes[k] < mu ? 1.0 : 1e-12);
        CHECK_NEAR(fn, G * cos(angle), 0.01 * G);
        spDestroyTestWorld(&test);
    }
}

static void TestShapes(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        spShape shape;
        spReal top;
    } cases[] = {{sp_shapePlane, 0},
                 {sp_shapeSphere, (spReal)0.5},
                 {sp_shapeCapsule, 1},
                 {sp_shapeBox, (spReal)0.25},
                 {sp_shapeCylinder, (spReal)0.5}};
    for (int k = 0; k < SP_COUNT(cases); ++k)
    {
        spTestWorld test = MakeParticle((spVec3){0, 2, 0}, (spVec3){0, 0, 0}, 1, NULL);
        spColliderDef def = spDefaultColliderDef();
        def.shape = cases[k].shape;
        def.halfSize = (spVec3){(spReal)0.3, (spReal)0.25, (spReal)0.3};
        spCreateCollider(test.world, &def);
        for (int i = 0; i < 180; ++i)
        {
            spWorld_Step(test.world, (spReal)(1.0 / 60.0));
        }
        CHECK_NEAR(GetPosition(&test).y, cases[k].top, 1e-5);
        spDestroyTestWorld(&test);
    }
    // A corner of a box pushes out along the nearest face from inside, and radially from outside
    spColliderDef box = spDefaultColliderDef();
    box.shape = sp_shapeBox;
    spSurfaceHit hit =
        spQueryShape(&(spCollider){.def = box}, box.transform, (spVec3){(spReal)0.45, 0, 0}, NULL);
    CHECK_NEAR(hit.distance, -0.05, 1e-6);
    CHECK_NEAR(hit.normal.x, 1.0, 1e-6);
    hit = spQueryShape(&(spCollider){.def = box}, box.transform, (spVec3){(spReal)0.8, (spReal)0.9, 0}, NULL);
    CHECK_NEAR(hit.distance, 0.5, 1e-6);
    CHECK_NEAR(hit.normal.x, 0.6, 1e-6);
}

// Distance and normal of a cylinder from above, beside, at the rim and inside, near and far larger than wide
static void TestCylinder(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        double radius, halfHeight;
        double point[3], distance, normal[3];
    } cases[] = {
        {0.5, 1, {0.1, 1.5, 0.2}, 0.5, {0, 1, 0}},     {0.5, 1, {0.6, 0.3, 0.8}, 0.5, {0.6, 0, 0.8}},
        {0.5, 1, {0, -1.4, 0.8}, 0.5, {0, -0.8, 0.6}}, {0.5, 1, {0, 0, 0}, -0.5, {1, 0, 0}},
        {0.5, 1, {0.1, -0.9, 0}, -0.1, {0, -1, 0}},    {0.5, 1, {0, 0.2, -0.4}, -0.1, {0, 0, -1}},
        {20, 30, {0, 1, 18}, -2, {0, 0, 1}},           {20, 3, {1, -2, 1}, -1, {0, -1, 0}},
    };
    spColliderDef def = spDefaultColliderDef();
    def.shape = sp_shapeCylinder;
    spTransform place = {{1, 2, 3}, {0, 0, (spReal)0.6, (spReal)0.8}};
    for (int i = 0; i < SP_COUNT(cases); ++i)
    {
        def.radius = (spReal)cases[i].radius;
        def.halfHeight = (spReal)cases[i].halfHeight;
        const double *x = cases[i].point, *n = cases[i].normal;
        spVec3 point = spTransformPoint(place, (spVec3){(spReal)x[0], (spReal)x[1], (spReal)x[2]});
        spSurfaceHit hit = spQueryShape(&(spCollider){.def = def}, place, point, NULL);
        spVec3 normal = spInvRotate(place.rotation, hit.normal);
        CHECK_NEAR(hit.distance, cases[i].distance, 1e-5);
        CHECK_NEAR(normal.x, n[0], 1e-4);
        CHECK_NEAR(normal.y, n[1], 1e-4);
        CHECK_NEAR(normal.z, n[2], 1e-4);
    }
    spTestWorld test = MakeParticle((spVec3){0, 2, 0}, (spVec3){0, 0, 0}, 1, NULL);
    def.halfHeight = 0;
    assert_true(SP_IS_NULL(spCreateCollider(test.world, &def)));
    spDestroyTestWorld(&test);
    assert_string_equal(spShape_GetName(sp_shapeCylinder), "cylinder");
    assert_int_equal(spShape_GetSizes(sp_shapeCylinder), sp_sizeRadius | sp_sizeHalfHeight);
    assert_string_equal(spShape_GetName(sp_shapeCount), "unknown");
}

// A lift carries a particle, a wall pushes one, a fast fall does not tunnel
static void TestDrivenCollider(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeParticle((spVec3){0, 0, 0}, (spVec3){0, 0, 0}, 1, NULL);
    spColliderId lift = spAddTestGround(test.world, (spReal)0.5, 0);
    for (int i = 1; i <= 60; ++i)
    {
        spTransform target = spCollider_GetTransform(test.world, lift);
        target.position.y = (spReal)(i / 60.0);
        target.position.x = (spReal)(i / 120.0);
        assert_true(spCollider_MoveTo(test.world, lift, target));
        spWorld_Step(test.world, (spReal)(1.0 / 60.0));
    }
    CHECK_NEAR(GetPosition(&test).y, 1.0, 1e-4);
    CHECK_NEAR(GetVelocity(&test).y, 1.0, 1e-3);
    // Friction takes it along sideways
    CHECK_NEAR(GetVelocity(&test).x, 0.5, 1e-2);
    spDestroyTestWorld(&test);

    test = MakeParticle((spVec3){0, 50, 0}, (spVec3){0, -200, 0}, 1, NULL);
    spColliderDef thin = spDefaultColliderDef();
    thin.shape = sp_shapeBox;
    thin.halfSize = (spVec3){1, (spReal)0.05, 1};
    spCreateCollider(test.world, &thin);
    spMethodDef method = spDefaultMethodDef();
    method.substeps = 100;
    spBody_SetMethod(test.world, test.body, &method);
    for (int i = 0; i < 60; ++i)
    {
        spWorld_Step(test.world, (spReal)(1.0 / 60.0));
    }
    CHECK_NEAR(GetPosition(&test).y, 0.05, 1e-4);
    spDestroyTestWorld(&test);
}

// Weight of a whole body on the ground, and nothing moves any more
static void TestBodyAtRest(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildSpringDrop(&def, 4);
    double mass = 0.125 * 1000.0;
    for (int i = 0; i < 600; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
    }
    spEnergy e = spBody_GetEnergy(test.world, test.body);
    CHECK_LESS(e.kinetic, 1e-4);
    CHECK_NEAR(spBody_GetContactForce(test.world, test.body).y, mass * G, 0.005 * mass * G);
    CHECK_LESS(-1e-6, spGetLowestHeight(&test));
    spDestroyTestWorld(&test);
}

// C2-F21: after every step each gap is at least -1e-6 m, each force presses, and one of the two is 0: their
// product is below 1e-6 N m. Implicit methods catch a node in the step before it arrives; with backward Euler it is
// then the gap that the node will have a step later that is 0. BDF2, whose steps look further back, is held to
// contacts that have pressed before.
static void CheckComplementarity(spMethodType type, double h)
{
    enum
    {
        nodes = 64
    };
    spTestDef def = spDefaultTestDef();
    def.method.type = type;
    def.method.substeps = 1;
    spTestWorld test = spBuildLattice(&def, 8, 400, (spReal)0.2, (spReal)0.1);
    spAddTestGround(test.world, (spReal)0.3, 0);
    assert_int_equal(spBody_GetNodeCount(test.world, test.body), nodes);
    double lowest = 0.0, pull = 0.0, product = 0.0;
    int pressed = 0;
    for (int i = 0; i < (int)(1.0 / h); ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)h), 0);
        spContact contacts[nodes];
        int count = spWorld_GetContacts(test.world, contacts, nodes);
        for (int c = 0; c < count; ++c)
        {
            double force = (double)spDot3(contacts[c].force, contacts[c].normal);
            double gap = (double)contacts[c].gap;
            double v = (double)spBody_GetVelocities(test.world, test.body).data[contacts[c].node].y;
            double ahead = contacts[c].age > 1 ? gap : type == sp_bdf2 ? 0.0 : gap + h * v;
            lowest = fmin(lowest, gap);
            pull = fmin(pull, force);
            product = fmax(product, fabs(force) * fmin(fabs(gap), fabs(ahead)));
            pressed += contacts[c].age > 1 && force > 1e-3 ? 1 : 0;
        }
    }
    printf("method %d, %g s: gap %.1e m, pull %.1e N, gap times force %.1e N m, %d times pressed\n", type, h,
           lowest, pull, product, pressed);
    assert_true(pressed > 100);
    CHECK_LESS(-1e-6, lowest);
    CHECK_LESS(-1e-6, pull);
    CHECK_LESS(product, 1e-6);
    spDestroyTestWorld(&test);
}

static void TestComplementarity(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_symplecticEuler, sp_verlet, sp_rungeKutta4, sp_backwardEuler, sp_bdf2};
    for (int i = 0; i < SP_COUNT(types); ++i)
    {
        CheckComplementarity(types[i], 1e-3);
    }
    CheckComplementarity(sp_backwardEuler, 1.0 / 60.0);
    CheckComplementarity(sp_bdf2, 1.0 / 60.0);
}

// A node that starts inside comes out without being shot away
static void TestDeepStart(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeParticle((spVec3){0, (spReal)-0.4, 0}, (spVec3){0, 0, 0}, 1, NULL);
    spAddTestGround(test.world, 0, 0);
    double fastest = 0.0;
    for (int i = 0; i < 60; ++i)
    {
        spWorld_Step(test.world, (spReal)(1.0 / 60.0));
        fastest = fmax(fastest, fabs((double)GetVelocity(&test).y));
    }
    CHECK_NEAR(GetPosition(&test).y, 0.0, 1e-5);
    CHECK_LESS(fastest, 0.5);
    spDestroyTestWorld(&test);
}

// S5: resting height sqrt(K / (m g)); energy of a bounce at dt = 0.45 d / v
static void TestRepulsiveGround(void** state)
{
    SP_UNUSED(state);
    const double ks[] = {1.0, 0.1, 0.01};
    for (int k = 0; k < SP_COUNT(ks); ++k)
    {
        double height = sqrt(ks[k] / G);
        spTestWorld test = MakeParticle((spVec3){0, (spReal)(1.2 * height), 0}, (spVec3){0, 0, 0}, 1, NULL);
        spFieldDef field = spDefaultFieldDef();
        field.type = sp_fieldRepulsiveGround;
        field.coefficient = (spReal)ks[k];
        assert_true(spBody_AddField(test.world, test.body, &field) >= 0);
        spFieldDef drag = spDefaultFieldDef();
        drag.coefficient = 5;
        assert_true(spBody_AddField(test.world, test.body, &drag) >= 0);
        for (int i = 0; i < 600; ++i)
        {
            spWorld_Step(test.world, (spReal)(1.0 / 60.0));
        }
        printf("K = %g: rests at %.5f m, theory %.5f m\n", ks[k], (double)GetPosition(&test).y, height);
        CHECK_NEAR(GetPosition(&test).y, height, 0.01 * height);
        spDestroyTestWorld(&test);
    }

    // Bounce from 1 m with K = 0.1: v = sqrt(2 g), closest approach 2 K / (m v^2)
    double v = sqrt(2.0 * G), d = 2.0 * 0.1 / (v * v);
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_rungeKutta4;
    method.substeps = 1;
    spTestWorld test = MakeParticle((spVec3){0, 1, 0}, (spVec3){0, 0, 0}, 1, &method);
    spFieldDef field = spDefaultFieldDef();
    field.type = sp_fieldRepulsiveGround;
    field.coefficient = (spReal)0.1;
    spBody_AddField(test.world, test.body, &field);
    spEnergy e0 = spBody_GetEnergy(test.world, test.body);
    double dt = 0.45 * d / v;
    for (int i = 0; i < (int)(0.9 / dt); ++i)
    {
        spWorld_Step(test.world, (spReal)dt);
    }
    spEnergy e1 = spBody_GetEnergy(test.world, test.body);
    double before = e0.kinetic + e0.potential, after = e1.kinetic + e1.potential;
    printf("bounce: energy error %.4f %%\n", 100.0 * fabs(after - before) / before);
    CHECK_LESS(fabs(after - before), 1e-3 * before);
    CHECK_LESS(0.3, GetPosition(&test).y);
    spDestroyTestWorld(&test);
}

// A grab holds against gravity, gives the force, follows the hand, and lets go
static void TestGrab(void** state)
{
    SP_UNUSED(state);
    for (int rigid = 0; rigid < 2; ++rigid)
    {
        spTestWorld test = MakeParticle((spVec3){0, 1, 0}, (spVec3){0, 0, 0}, 2, NULL);
        int32_t node = 0;
        spLinkDef def = spDefaultLinkDef();
        def.body = test.body;
        def.nodes = &node;
        def.nodeCount = 1;
        def.stiffness = rigid ? 0 : 1000;
        spLinkId link = spCreateLink(test.world, &def);
        assert_false(SP_IS_NULL(link));
        for (int i = 0; i < 300; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
        }
        double sag = rigid ? 0.0 : 2 * G / 1000.0;
        CHECK_NEAR(GetPosition(&test).y, 1.0 - sag, 0.01 * sag + 1e-5);
        CHECK_NEAR(spLink_GetForce(test.world, link).y, 2 * G, 0.01 * 2 * G);
        for (int i = 1; i <= 60; ++i)
        {
            assert_true(spLink_MoveTo(test.world, link, (spVec3){(spReal)(i / 60.0), 0, 0}));
            spWorld_Step(test.world, (spReal)(1.0 / 60.0));
        }
        CHECK_NEAR(GetPosition(&test).x, 1.0, rigid ? 1e-5 : 0.2);
        spDestroyLink(test.world, link);
        assert_false(spLink_IsValid(test.world, link));
        double y = (double)GetPosition(&test).y;
        for (int i = 0; i < 30; ++i)
        {
            spWorld_Step(test.world, (spReal)(1.0 / 60.0));
        }
        CHECK_LESS(GetPosition(&test).y, y - 1.0);
        spDestroyTestWorld(&test);
    }
}

// Two bodies glued together fall as one and keep their momentum; hung up, the link carries the weight
static void TestAttachBodies(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildLattice(&def, 4, 400, (spReal)0.2, 2);
    spVec3 x[2] = {{(spReal)0.1, (spReal)1.9, 0}, {(spReal)0.2, (spReal)1.9, 0}};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = x;
    bodyDef.positionCount = 2;
    bodyDef.nodeMass = (spReal)0.05;
    spBodyId weight = spCreateBody(test.world, &bodyDef);
    int32_t nodes[2] = {0, 1};
    spLinkDef linkDef = spDefaultLinkDef();
    linkDef.body = weight;
    linkDef.nodes = nodes;
    linkDef.nodeCount = 2;
    linkDef.otherBody = test.body;
    spLinkId link = spCreateLink(test.world, &linkDef);
    assert_false(SP_IS_NULL(link));
    // Pin the top row of the lattice: vertex (i, 3) is i * 4 + 3
    int32_t pins[4] = {3, 7, 11, 15};
    spBody_PinNodes(test.world, test.body, pins, 4);
    for (int i = 0; i < 1200; ++i)
    {
        uint32_t flags = spWorld_Step(test.world, (spReal)(1.0 / 240.0));
        assert_int_equal(flags, 0);
    }
    CHECK_NEAR(spLink_GetForce(test.world, link).y, 0.1 * G, 0.02 * 0.1 * G);
    CHECK_NEAR(spBody_GetPinForce(test.world, test.body).y, (16 * 0.01 + 0.1) * G, 0.02 * 0.26 * G);
    spEnergy e = spBody_GetEnergy(test.world, test.body);
    CHECK_LESS(e.kinetic, 1e-5);
    // Going with the body takes the link along
    spDestroyBody(test.world, weight);
    assert_false(spLink_IsValid(test.world, link));
    assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 240.0)), 0);
    spDestroyTestWorld(&test);
}

// What hangs on a link between bodies hangs at the same height whatever the step: bodies that are joined
// substep together
static void TestLinkDoesNotDependOnStep(void** state)
{
    SP_UNUSED(state);
    double reference = 0.0;
    const double steps[] = {1e-3, 4e-3, 8e-3, 1.0 / 60.0};
    for (int k = 0; k < SP_COUNT(steps); ++k)
    {
        spTestDef def = spDefaultTestDef();
        spTestWorld test = spBuildGasBall(&def, 2, 2, 1, 2);
        int n = spBody_GetNodeCount(test.world, test.body);
        for (int32_t i = 0; i < n; ++i)
        {
            spBody_PinNodes(test.world, test.body, &i, 1);
        }
        spShellMeshDef meshDef = spDefaultShellMeshDef();
        meshDef.center = (spDVec3){0, 1.45, 0};
        spMesh* mesh = spMakeIcosphereMesh(&meshDef, NULL);
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.mesh = mesh;
        bodyDef.nodeMass = (spReal)(2.0 / spMesh_GetVertexCount(mesh));
        spBodyId ball = spCreateBody(test.world, &bodyDef);
        spSpringDef springDef = spDefaultSpringDef();
        springDef.damping = 1;
        springDef.stiffness = 400;
        springDef.damping = 4;
        spBody_AddSprings(test.world, ball, &springDef);
        spGasDef gasDef = spDefaultGasDef();
        gasDef.ambient = false;
        gasDef.restPressure = 200;
        gasDef.ambient = true;
        assert_true(spBody_AddGas(test.world, ball, &gasDef) >= 0);
        // The topmost nodes
        int32_t nodes[6];
        int count = 0;
        for (int i = 0; i < spMesh_GetVertexCount(mesh) && count < 6; ++i)
        {
            if (spMesh_GetVertices(mesh)[i].y > 1.45 + 0.47)
            {
                nodes[count++] = i;
            }
        }
        assert_true(count >= 3);
        spLinkDef linkDef = spDefaultLinkDef();
        linkDef.body = ball;
        linkDef.nodes = nodes;
        linkDef.nodeCount = count;
        linkDef.otherBody = test.body;
        spLinkId link = spCreateLink(test.world, &linkDef);
        assert_false(SP_IS_NULL(link));
        uint32_t flags = 0;
        for (int i = 0; i < (int)(4.0 / steps[k]); ++i)
        {
            flags |= spWorld_Step(test.world, (spReal)steps[k]);
        }
        double y = (double)spBody_GetCenter(test.world, ball).y;
        printf("hanging at %.4f m with steps of %.1f ms, link force %.3f N\n", y, 1e3 * steps[k],
               (double)spLink_GetForce(test.world, link).y);
        reference = k == 0 ? y : reference;
        CHECK_NEAR(y, reference, 0.01);
        CHECK_NEAR(spLink_GetForce(test.world, link).y, 2 * G, 0.05 * 2 * G);
        assert_int_equal(flags, 0);
        spDestroyMesh(mesh);
        spDestroyTestWorld(&test);
    }
}

// Nodes held to a turning collider follow it
static void TestAttachToCollider(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildLattice(&def, 4, 400, (spReal)0.2, 2);
    spColliderDef colliderDef = spDefaultColliderDef();
    colliderDef.shape = sp_shapeSphere;
    colliderDef.radius = (spReal)0.05;
    colliderDef.transform.position = (spVec3){(spReal)0.15, (spReal)2.5, 0};
    spColliderId handle = spCreateCollider(test.world, &colliderDef);
    int32_t top[4] = {3, 7, 11, 15};
    spLinkDef linkDef = spDefaultLinkDef();
    linkDef.body = test.body;
    linkDef.nodes = top;
    linkDef.nodeCount = 4;
    linkDef.collider = handle;
    spLinkId link = spCreateLink(test.world, &linkDef);
    assert_false(SP_IS_NULL(link));
    for (int i = 1; i <= 240; ++i)
    {
        double angle = 0.5 * i / 240.0;
        spTransform target = colliderDef.transform;
        target.position.x += (spReal)(0.5 * i / 240.0);
        target.rotation = (spQuat){0, 0, (spReal)sin(angle / 2), (spReal)cos(angle / 2)};
        spCollider_MoveTo(test.world, handle, target);
        assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 240.0)), 0);
    }
    // Node 3 started at (0, 2.3): (-0.15, -0.2) from the handle
    spVec3View x = spBody_GetPositions(test.world, test.body);
    double c = cos(0.5), s = sin(0.5);
    CHECK_NEAR(x.data[3].x, 0.65 + c * -0.15 - s * -0.2, 1e-4);
    CHECK_NEAR(x.data[3].y, 2.5 + s * -0.15 + c * -0.2, 1e-4);
    spDestroyTestWorld(&test);
}

// Driven nodes arrive exactly, fixed ones stay exactly
static void TestRoles(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildLattice(&def, 4, 400, (spReal)0.2, 2);
    int32_t pin = 3;
    spVec3 fixed = spBody_GetPositions(test.world, test.body).data[3];
    assert_true(spBody_PinNodes(test.world, test.body, &pin, 1));
    for (int i = 1; i <= 60; ++i)
    {
        spVec3 target = {1, 2, (spReal)(0.01 * i)};
        assert_true(spBody_DriveNode(test.world, test.body, 15, target));
        assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
        spVec3View x = spBody_GetPositions(test.world, test.body);
        assert_memory_equal(x.data + 15, &target, sizeof(target));
        assert_memory_equal(x.data + 3, &fixed, sizeof(fixed));
    }
    assert_int_equal(spBody_GetNodeRole(test.world, test.body, 3), sp_nodeFixed);
    assert_int_equal(spBody_GetNodeRole(test.world, test.body, 15), sp_nodeDriven);
    int32_t both[2] = {3, 15};
    assert_true(spBody_FreeNodes(test.world, test.body, both, 2));
    spWorld_Step(test.world, (spReal)(1.0 / 60.0));
    assert_true((double)spBody_GetPositions(test.world, test.body).data[3].y != (double)fixed.y);
    spDestroyTestWorld(&test);
}

// S15: a gas body dropped from 0.2 m keeps more than half of its volume
static void TestGasDrop(void** state)
{
    SP_UNUSED(state);
    for (int solid = 0; solid < 2; ++solid)
    {
        spTestDef def = spDefaultTestDef();
        spTestWorld test =
            solid ? spBuildGasBall(&def, 3, 2, 1, (spReal)0.2) : spBuildGasDisc(&def, 48, 2, 1, (spReal)0.2);
        assert_non_null(test.world);
        spAddTestGround(test.world, (spReal)0.5, (spReal)0.3);
        double v0 = spBody_GetVolume(test.world, test.body), least = v0;
        for (int i = 0; i < 240; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
            least = fmin(least, spBody_GetVolume(test.world, test.body));
        }
        printf("%s: least volume %.3f of the first\n", solid ? "ball" : "disc", least / v0);
        CHECK_LESS(0.5 * v0, least);
        CHECK_LESS(-1e-5, spGetLowestHeight(&test));
        spDestroyTestWorld(&test);
    }
}

// A chain of particles, linked one to the next, the first to a pinned one
static spWorld* MakeChain(int count, spReal spacing)
{
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyId last = {0};
    for (int i = 0; i < count; ++i)
    {
        spVec3 x = {0, 2 - spacing * (spReal)i, 0};
        spBodyDef def = spDefaultBodyDef();
        def.positions = &x;
        def.positionCount = 1;
        def.nodeMass = 1;
        spBodyId body = spCreateBody(world, &def);
        int32_t node = 0;
        if (i == 0)
        {
            spBody_PinNodes(world, body, &node, 1);
        }
        else
        {
            spLinkDef link = spDefaultLinkDef();
            link.body = body;
            link.otherBody = last;
            link.nodes = &node;
            link.nodeCount = 1;
            assert_false(SP_IS_NULL(spCreateLink(world, &link)));
        }
        last = body;
    }
    return world;
}

// Rows begin with what they exerted before: what rests is solved in a few sweeps, however long the chain
static void TestWarmStart(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeChain(5, (spReal)0.1);
    int first = 0, last = 0;
    for (int i = 0; i < 40; ++i)
    {
        assert_int_equal(spWorld_Step(world, (spReal)0.01), 0);
        first = i == 0 ? spWorld_GetReport(world).sweepCount : first;
    }
    last = spWorld_GetReport(world).sweepCount;
    printf("sweeps: %d in the first step, %d in the last\n", first, last);
    CHECK_LESS(20, first);
    CHECK_LESS(last, first / 3);

    // Multipliers are part of snapshots: the same bits after them
    spSnapshot* snapshot = spWorld_Save(world);
    assert_non_null(snapshot);
    spWorld_Step(world, (spReal)0.01);
    uint64_t hash = spWorld_GetStateHash(world);
    int sweeps = spWorld_GetReport(world).sweepCount;
    spWorld_SetGravity(world, (spVec3){3, -5, 0});
    for (int i = 0; i < 5; ++i)
    {
        spWorld_Step(world, (spReal)0.01);
    }
    assert_true(spWorld_Restore(world, snapshot));
    spWorld_Step(world, (spReal)0.01);
    assert_true(spWorld_GetStateHash(world) == hash);
    assert_int_equal(spWorld_GetReport(world).sweepCount, sweeps);

    // And in a world that has never solved anything
    spWorld* other = MakeChain(5, (spReal)0.1);
    assert_true(spWorld_Restore(other, snapshot));
    spWorld_Step(other, (spReal)0.01);
    assert_true(spWorld_GetStateHash(other) == hash);
    spDestroySnapshot(snapshot);
    spDestroyWorld(other);
    spDestroyWorld(world);
}

// Two springs, each of a body with BDF2, end to end between two walls, joined by a rigid link in the middle
static double SwingLinked(int steps, double end, double* now)
{
    const double stiffness[2] = {30.0, 50.0}, mass = 0.5;
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyId bodies[2];
    int32_t ends[2] = {0, 1};
    for (int i = 0; i < 2; ++i)
    {
        spVec3 x[2] = {{i == 0 ? -1 : 1, 0, 0}, {0, 0, 0}};
        spBodyDef def = spDefaultBodyDef();
        def.positions = x;
        def.positionCount = 2;
        def.nodeMass = (spReal)mass;
        def.method.type = sp_bdf2;
        def.method.substeps = 1;
        def.method.solver.tolerance = (spReal)1e-6;
        bodies[i] = spCreateBody(world, &def);
        spSpringDef springs = spDefaultSpringDef();
        springs.damping = 1;
        springs.edges = ends;
        springs.edgeCount = 1;
        springs.stiffness = (spReal)stiffness[i];
        springs.damping = 0;
        assert_true(spBody_AddSprings(world, bodies[i], &springs) >= 0);
        spBody_PinNodes(world, bodies[i], ends, 1);
        spVec3 velocities[2] = {{0, 0, 0}, {1, 0, 0}};
        spBody_SetVelocities(world, bodies[i], velocities, 2);
    }
    spLinkDef link = spDefaultLinkDef();
    link.body = bodies[0];
    link.otherBody = bodies[1];
    link.nodes = ends + 1;
    link.nodeCount = 1;
    assert_false(SP_IS_NULL(spCreateLink(world, &link)));
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(world, (spReal)(end / steps));
    }
    *now = (double)spBody_GetPositions(world, bodies[0]).data[1].x;
    double apart = *now - (double)spBody_GetPositions(world, bodies[1]).data[1].x;
    CHECK_NEAR(apart, 0.0, 1e-5);
    spDestroyWorld(world);
    double w = sqrt((stiffness[0] + stiffness[1]) / (2.0 * mass));
    return sin(w * end) / w;
}

// BDF2 looks back over what links between bodies did: it stays of second order
static void TestLinkedOrder(void** state)
{
    SP_UNUSED(state);
    double error[3], now;
    for (int i = 0; i < 3; ++i)
    {
        double want = SwingLinked(160 << i, 1.3, &now);
        error[i] = fabs(now - want);
    }
    double order = log2(error[0] / error[2]) / 2.0;
    printf("errors %.2e %.2e %.2e m, order %.2f\n", error[0], error[1], error[2], order);
    CHECK_LESS(1.8, order);
}

// freeze and correct of the explicit method against the dense J M^-1 J^T, on random points
static void TestFrozenCompliance(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 17;
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildLattice(&def, 5, 400, 0, 0);
    spBody* body = spGetBody(test.world, test.body);
    enum
    {
        count = 12,
        nodes = 25
    };
    int32_t pin = 7;
    spBody_PinNodes(test.world, test.body, &pin, 1);
    spRowSide sides[count];
    spRowNode pool[4 * count];
    spPoints points = {sides, pool, count, false, 1};
    double j[count][nodes] = {{0}};
    for (int i = 0; i < count; ++i)
    {
        sides[i] = (spRowSide){.node = 4 * i, .count = 1 + (int)(spNextRandom(&seed) % 4)};
        for (int k = 0; k < sides[i].count; ++k)
        {
            pool[4 * i + k].node = (int)(spNextRandom(&seed) % nodes);
            pool[4 * i + k].weight = (spReal)spRandomRange(&seed, 0.1, 1.0);
        }
        // A single node is named by the side itself, with weight 1
        sides[i].node = sides[i].count == 1 ? pool[4 * i].node : sides[i].node;
        for (int k = 0; k < sides[i].count; ++k)
        {
            spRowNode n = spGetSideNode(sides + i, pool, k);
            j[i][n.node] += (double)n.weight;
        }
    }
    spHeap heap = spMakeHeap(NULL);
    spArena arena;
    spInitArena(&arena, &heap);
    spComplianceList list = {0};
    assert_true(body->method->freeze(body, &points, 0, &arena, &list));
    // It lends nodes, no blocks: points move each other through those that they share
    double w[count][count] = {{0}};
    assert_int_equal(list.count, 0);
    for (int i = 0; i < list.entryCount; ++i)
    {
        for (int k = 0; k < list.entryCount; ++k)
        {
            const spNodalEntry *a = list.entries + i, *b = list.entries + k;
            w[a->point][b->point] += a->node == b->node ? (double)a->weight * (double)b->push : 0.0;
        }
    }
    for (int a = 0; a < count; ++a)
    {
        for (int b = 0; b < count; ++b)
        {
            double want = 0.0;
            for (int n = 0; n < nodes; ++n)
            {
                want += j[a][n] * (double)body->x[n].w * j[b][n];
            }
            CHECK_NEAR(w[a][b], want, 1e-4 * (1.0 + fabs(want)));
            CHECK_NEAR(w[a][b], w[b][a], 1e-4 * (1.0 + fabs(want)));
        }
    }
    // correct gives the points the velocity that W promised
    spVec3 impulses[count], shifts[count];
    for (int i = 0; i < count; ++i)
    {
        impulses[i] = (spVec3){(spReal)spRandomRange(&seed, -1, 1), 0, 0};
        shifts[i] = (spVec3){0, 0, 0};
    }
    memset(body->v, 0, (size_t)body->nodeCount * sizeof(spVec4));
    body->method->correct(body, &points, impulses, shifts);
    for (int a = 0; a < count; ++a)
    {
        double got = 0.0, want = 0.0;
        got = (double)spSumSide(sides + a, pool, body->v).x;
        for (int b = 0; b < count; ++b)
        {
            want += w[a][b] * (double)impulses[b].x;
        }
        CHECK_NEAR(got, want, 1e-3 * (1.0 + fabs(want)));
    }
    spFreeArena(&arena);
    assert_int_equal(heap.byteCount, 0);
    spDestroyTestWorld(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRestWithoutJitter),
        cmocka_unit_test(TestRestitution),
        cmocka_unit_test(TestFrictionCone),
        cmocka_unit_test(TestShapes),
        cmocka_unit_test(TestCylinder),
        cmocka_unit_test(TestDrivenCollider),
        cmocka_unit_test(TestBodyAtRest),
        cmocka_unit_test(TestComplementarity),
        cmocka_unit_test(TestDeepStart),
        cmocka_unit_test(TestRepulsiveGround),
        cmocka_unit_test(TestGrab),
        cmocka_unit_test(TestAttachBodies),
        cmocka_unit_test(TestLinkDoesNotDependOnStep),
        cmocka_unit_test(TestAttachToCollider),
        cmocka_unit_test(TestRoles),
        cmocka_unit_test(TestGasDrop),
        cmocka_unit_test(TestWarmStart),
        cmocka_unit_test(TestLinkedOrder),
        cmocka_unit_test(TestFrozenCompliance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
