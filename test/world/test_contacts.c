// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contacts as users read them: both sides, areas, slip, ages, forces of pairs, fields on nodes, events.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include "souple/souple.h"

#include <math.h>
#include <string.h>

static const double gravity = 9.81;

enum
{
    MOST_CONTACTS = 512,
    MOST_NODES = 1024,
};

static spWorld* MakeWorld(int workers)
{
    spWorldDef def = spDefaultWorldDef();
    def.workerCount = workers;
    spWorld* world = spCreateWorld(&def, NULL);
    assert_non_null(world);
    return world;
}

// A box of 0.1 m and 1 kg whose lowest corner is at the origin
static spBodyId AddBox(spWorld* world, spVec3 origin, spVec3 velocity, spMethodType type)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = (spDVec3){(double)origin.x, (double)origin.y, (double)origin.z};
    box.size = (spDVec3){0.1, 0.1, 0.1};
    box.cells[0] = box.cells[1] = box.cells[2] = 2;
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    assert_non_null(mesh);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = 1000;
    def.velocity = velocity;
    def.method.type = type;
    spBodyId body = spCreateBody(world, &def);
    assert_false(SP_IS_NULL(body));
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)1e6;
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = 10;
    if (type != sp_rigid)
    {
        assert_true(spBody_AddTets(world, body, &tets) >= 0 && spBody_AddField(world, body, &drag) >= 0);
    }
    spDestroyMesh(mesh);
    return body;
}

static void Run(spWorld* world, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(world, (spReal)(1.0 / 60.0));
    }
}

static void CheckOpposite(spVec3 a, spVec3 b)
{
    CHECK_NEAR(a.x, -b.x, 1e-5);
    CHECK_NEAR(a.y, -b.y, 1e-5);
    CHECK_NEAR(a.z, -b.z, 1e-5);
}

// Forces on nodes add up to the force on the body. Returns how much presses on its lowest face by its pressures.
static double CheckFields(const spWorld* world, spBodyId body)
{
    static spVec3 forces[MOST_NODES], x[MOST_NODES];
    static spReal pressures[MOST_NODES];
    int count = spBody_GetNodeCount(world, body), triangleCount = 0;
    assert_int_equal(spBody_CopyContactForces(world, body, forces, MOST_NODES), count);
    assert_int_equal(spBody_CopyContactPressures(world, body, pressures, MOST_NODES), count);
    assert_int_equal(spBody_CopyContactForces(world, body, forces, count - 1), 0);
    assert_int_equal(spBody_CopyContactPressures(world, body, NULL, count), 0);
    assert_int_equal(spBody_CopyPositions(world, body, x, MOST_NODES), count);
    double sum[3] = {0}, lowest = INFINITY, pressed = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sum[0] += (double)forces[i].x;
        sum[1] += (double)forces[i].y;
        sum[2] += (double)forces[i].z;
        lowest = fmin(lowest, (double)x[i].y);
        assert_true(pressures[i] >= 0);
    }
    spVec3 whole = spBody_GetContactForce(world, body);
    CHECK_NEAR(sum[0], whole.x, 1e-4);
    CHECK_NEAR(sum[1], whole.y, 1e-4);
    CHECK_NEAR(sum[2], whole.z, 1e-4);
    const int32_t* triangles = spBody_GetTriangles(world, body, &triangleCount);
    for (int t = 0; t < triangleCount; ++t)
    {
        spVec3 a = x[triangles[3 * t]], b = x[triangles[3 * t + 1]], c = x[triangles[3 * t + 2]];
        double area =
            0.5 * fabs((double)(b.x - a.x) * (double)(c.z - a.z) - (double)(b.z - a.z) * (double)(c.x - a.x));
        bool below =
            (double)a.y < lowest + 0.01 && (double)b.y < lowest + 0.01 && (double)c.y < lowest + 0.01;
        for (int k = 0; below && k < 3; ++k)
        {
            pressed += (double)pressures[triangles[3 * t + k]] * area / 3.0;
        }
    }
    return pressed;
}

// Two boxes on the ground: what everybody feels can be read from every side
static void TestBothSides(void** state)
{
    SP_UNUSED(state);
    static const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_xpbd};
    for (int i = 0; i < SP_COUNT(types); ++i)
    {
        spWorld* world = MakeWorld(1);
        spColliderId ground = spAddTestGround(world, (spReal)0.5, 0);
        // Faces of the same nodes: one of them on the other counts once
        spBodyId low = AddBox(world, (spVec3){0, 0, 0}, (spVec3){0, 0, 0}, types[i]);
        spBodyId high =
            AddBox(world, (spVec3){(spReal)0.003, (spReal)0.1, (spReal)0.002}, (spVec3){0, 0, 0}, types[i]);
        Run(world, 120);
        const spVec3 point = {(spReal)0.3, (spReal)-0.2, (spReal)0.1};
        const spThing nothing = {0};
        spPairLoad up = spWorld_GetPairLoad(world, spBodyThing(high), spBodyThing(low), point);
        spPairLoad down = spWorld_GetPairLoad(world, spBodyThing(low), spBodyThing(high), point);
        spPairLoad floor = spWorld_GetPairLoad(world, spBodyThing(low), spColliderThing(ground), point);
        spPairLoad under = spWorld_GetPairLoad(world, spColliderThing(ground), spBodyThing(low), point);
        spPairLoad all = spWorld_GetPairLoad(world, spBodyThing(low), nothing, point);
        CheckOpposite(up.force, down.force);
        CheckOpposite(up.torque, down.torque);
        CheckOpposite(floor.force, under.force);
        CheckOpposite(floor.torque, under.torque);
        assert_true(up.contactCount > 3 && up.contactCount == down.contactCount);
        CHECK_NEAR(up.force.y, gravity, 0.02 * gravity);
        CHECK_NEAR(floor.force.y, 2 * gravity, 0.02 * 2 * gravity);
        CHECK_NEAR(under.force.y, spCollider_GetForce(world, ground).y, 1e-4);
        CHECK_NEAR(all.force.y, floor.force.y + down.force.y, 1e-4);
        // About a point below the middle the ground pushes without a lever
        CHECK_NEAR(floor.torque.z / floor.force.y, 0.05 - 0.3, 2e-3);
        double pressed = CheckFields(world, low), carried = CheckFields(world, high);
        print_message(
            "method %d: ground %.4f N, by pressures %.4f; between %.4f N, by pressures %.4f; %g Pa at most, "
            "%g m deep\n",
            types[i], (double)floor.force.y, pressed, (double)up.force.y, carried, (double)floor.pressure,
            (double)floor.depth);
        CHECK_NEAR(pressed, floor.force.y, 1e-3 * 2 * gravity);
        CHECK_NEAR(carried, up.force.y, 1e-3 * gravity);
        assert_true((double)floor.pressure >= 0.98 * 2 * gravity / 0.01);
        assert_true(floor.depth >= 0 && floor.depth < (spReal)1e-3);
        assert_true(floor.slip < (spReal)1e-3);
        spDestroyWorld(world);
    }
}

// Contacts of a face cover it once, and age with every step in which they press
static void TestAreaAndAge(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld(1);
    spAddTestGround(world, (spReal)0.5, 0);
    AddBox(world, (spVec3){0, 0, 0}, (spVec3){0, 0, 0}, sp_backwardEuler);
    Run(world, 60);
    static spContact contacts[MOST_CONTACTS], later[MOST_CONTACTS];
    int count = spWorld_GetContacts(world, contacts, MOST_CONTACTS);
    assert_int_equal(count, 9);
    double area = 0.0;
    for (int i = 0; i < count; ++i)
    {
        area += (double)contacts[i].area;
        assert_true(contacts[i].age >= 20);
    }
    CHECK_NEAR(area, 0.01, 1e-4);
    Run(world, 7);
    assert_int_equal(spWorld_GetContacts(world, later, MOST_CONTACTS), count);
    for (int i = 0; i < count; ++i)
    {
        assert_true(later[i].key == contacts[i].key);
        assert_int_equal(later[i].age, contacts[i].age + 7);
    }
    spDestroyWorld(world);
}

// What slides says how fast, against ground that stands still or is driven
static void TestSlip(void** state)
{
    SP_UNUSED(state);
    for (int driven = 0; driven < 2; ++driven)
    {
        spWorld* world = MakeWorld(1);
        spColliderId ground = spAddTestGround(world, 0, 0);
        spVec3 velocity = {driven ? 0 : (spReal)0.5, 0, 0};
        spBodyId box = AddBox(world, (spVec3){0, 0, 0}, velocity, sp_rigid);
        spTransform place = spCollider_GetTransform(world, ground);
        for (int i = 0; i < 10; ++i)
        {
            place.position.x -= driven ? (spReal)(0.5 / 60.0) : 0;
            spCollider_MoveTo(world, ground, place);
            Run(world, 1);
        }
        spPairLoad load =
            spWorld_GetPairLoad(world, spBodyThing(box), spColliderThing(ground), (spVec3){0, 0, 0});
        CHECK_NEAR(load.slip, 0.5, 1e-4);
        spContact contact;
        assert_int_equal(spWorld_GetContacts(world, &contact, 1), 1);
        CHECK_NEAR(contact.slip.x, 0.5, 1e-4);
        CHECK_NEAR(contact.slip.y, 0.0, 1e-6);
        spDestroyWorld(world);
    }
}

static bool IsPair(const spTouchEvent* e, spBodyId body, spThing other)
{
    return SP_ID_EQUALS(e->first.body, body) && SP_ID_EQUALS(e->second.body, other.body) &&
           SP_ID_EQUALS(e->second.collider, other.collider);
}

// One box falls on the ground, another one on a third that is held: each begins once, hits with its speed, and ends when
// it is taken away
static void TestEvents(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld(1);
    spColliderId ground = spAddTestGround(world, (spReal)0.5, 0);
    spBodyId low = AddBox(world, (spVec3){0, (spReal)0.08, 0}, (spVec3){0, 0, 0}, sp_rigid);
    spBodyId held = AddBox(world, (spVec3){1, (spReal)0.3, 0}, (spVec3){0, 0, 0}, sp_rigid);
    spBodyId high = AddBox(world, (spVec3){(spReal)1.004, (spReal)0.51, 0}, (spVec3){0, 0, 0}, sp_rigid);
    int32_t all[27];
    for (int i = 0; i < 27; ++i)
    {
        all[i] = i;
    }
    assert_true(spBody_PinNodes(world, held, all, 27));
    int begins = 0, hits = 0;
    double speeds[2] = {0.0, 0.0};
    for (int i = 0; i < 120; ++i)
    {
        Run(world, 1);
        spContactEvents events = spWorld_GetContactEvents(world);
        for (int k = 0; k < events.beginCount; ++k, ++begins)
        {
            print_message("step %d: body %u begins with body %u or collider %u\n", i,
                          events.begins[k].first.body.index1, events.begins[k].second.body.index1,
                          events.begins[k].second.collider.index1);
            assert_true(IsPair(events.begins + k, begins == 0 ? low : held,
                               begins == 0 ? spColliderThing(ground) : spBodyThing(high)));
        }
        for (int k = 0; k < events.hitCount && hits < 2; ++k, ++hits)
        {
            speeds[hits] = (double)events.hits[k].speed;
            // From the second to the first: the ground is below, the other box above
            assert_true(hits == 0 ? events.hits[k].normal.y > (spReal)0.99
                                  : events.hits[k].normal.y < (spReal)-0.5);
        }
        assert_int_equal(events.endCount, 0);
    }
    print_message("%d begins, %d hits at %.3f and %.3f m/s\n", begins, hits, speeds[0], speeds[1]);
    assert_int_equal(begins, 2);
    assert_int_equal(hits, 2);
    // At the start of the step in which they met
    CHECK_NEAR(speeds[0], sqrt(2 * gravity * 0.08), gravity / 60.0);
    CHECK_NEAR(speeds[1], sqrt(2 * gravity * 0.11), gravity / 60.0);

    // A snapshot knows what touches: a restored world tells of no new contacts, and of the same ends
    spSnapshot* snapshot = spWorld_Save(world);
    for (int again = 0; again < 2; ++again)
    {
        assert_true(spWorld_Restore(world, snapshot));
        assert_int_equal(spWorld_GetContactEvents(world).endCount, 0);
        Run(world, 1);
        assert_int_equal(spWorld_GetContactEvents(world).beginCount, 0);
        spContact contact;
        assert_int_equal(spWorld_GetContacts(world, &contact, 1), 1);
        assert_true(contact.age > 20);
        static spVec3 x[MOST_NODES];
        int count = spBody_CopyPositions(world, high, x, MOST_NODES);
        for (int i = 0; i < count; ++i)
        {
            x[i].y += 1;
        }
        assert_true(spBody_SetPositions(world, high, x, count));
        // What does not press for a moment still touches
        Run(world, 1);
        assert_int_equal(spWorld_GetContactEvents(world).endCount, 0);
        for (int i = 0; i < 5 && spWorld_GetContactEvents(world).endCount == 0; ++i)
        {
            Run(world, 1);
        }
        spContactEvents events = spWorld_GetContactEvents(world);
        assert_int_equal(events.endCount, 1);
        assert_true(IsPair(events.ends, held, spBodyThing(high)));
    }
    spDestroySnapshot(snapshot);

    // What was destroyed touches no more
    spDestroyBody(world, low);
    Run(world, 1);
    assert_int_equal(spWorld_GetContactEvents(world).endCount, 1);
    assert_true(IsPair(spWorld_GetContactEvents(world).ends, low, spColliderThing(ground)));
    spDestroyWorld(world);
    assert_int_equal(spWorld_GetContactEvents(NULL).hitCount, 0);
}

// A cloth that lies on itself: forces inside of a body add up to nothing
static void TestSelf(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld(1);
    spBodyId low = AddBox(world, (spVec3){0, 0, 0}, (spVec3){0, 0, 0}, sp_symplecticEuler);
    spPairLoad load = spWorld_GetPairLoad(world, spBodyThing(low), spBodyThing(low), (spVec3){0, 0, 0});
    assert_int_equal(load.contactCount, 0);
    assert_true(spWorld_GetPairForce(world, low, (spBodyId){0}).y == 0);
    spDestroyWorld(world);
}

// The same contacts and events with any number of workers
static void TestWorkers(void** state)
{
    SP_UNUSED(state);
    static spContact all[2][MOST_CONTACTS];
    int counts[2] = {0};
    uint32_t events[2] = {0};
    for (int k = 0; k < 2; ++k)
    {
        spWorld* world = MakeWorld(k == 0 ? 1 : 3);
        spAddTestGround(world, (spReal)0.5, 0);
        for (int i = 0; i < 4; ++i)
        {
            AddBox(world, (spVec3){(spReal)(0.01 * i), (spReal)(0.12 * i), 0}, (spVec3){0, 0, 0},
                   i % 2 == 0 ? sp_symplecticEuler : sp_backwardEuler);
        }
        for (int i = 0; i < 40; ++i)
        {
            Run(world, 1);
            spContactEvents e = spWorld_GetContactEvents(world);
            events[k] = 31 * events[k] + (uint32_t)(e.beginCount + 5 * e.endCount + 7 * e.hitCount);
        }
        memset(all[k], 0, sizeof(all[k]));
        counts[k] = spWorld_GetContacts(world, all[k], MOST_CONTACTS);
        spDestroyWorld(world);
    }
    assert_true(counts[0] > 0 && counts[0] == counts[1] && events[0] == events[1]);
    for (int i = 0; i < counts[0]; ++i)
    {
        assert_true(all[0][i].key == all[1][i].key && all[0][i].age == all[1][i].age);
        assert_true(all[0][i].area == all[1][i].area && all[0][i].slip.x == all[1][i].slip.x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBothSides), cmocka_unit_test(TestAreaAndAge), cmocka_unit_test(TestSlip),
        cmocka_unit_test(TestEvents),    cmocka_unit_test(TestSelf),       cmocka_unit_test(TestWorkers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
