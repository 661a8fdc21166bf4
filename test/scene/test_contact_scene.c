// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contacts in scenes: who touches whom, what is measured, colliders that events drive, joints with motors.

#include "base/core.h"
#include "test/scene_test.h"

#define GROUND "{\"name\": \"ground\", \"shape\": \"plane\"}"
#define CUBE(name, y, more)                                                                                  \
    "{\"name\": \"" name                                                                                     \
    "\", \"mesh\": {\"generator\": \"box\", \"size\": [0.1, 0.1, 0.1], \"cells\": [2, 2, 2]}, "              \
    "\"transform\": {\"position\": [0, " y ", 0]}, " more "}"
#define SOFT                                                                                                 \
    "\"tets\": {\"youngModulus\": 1e6}, \"fields\": {\"type\": \"massDrag\", \"coefficient\": 10}, "         \
    "\"method\": \"backwardEuler\""

static void Play(spRun* run)
{
    while (!spRun_IsDone(run))
    {
        // Contacts between bodies may be solved a little worse than asked for while they settle
        assert_int_equal(spRun_Step(run) & ~(uint32_t)sp_stepNotConverged, 0);
    }
}

static double Measure(const spRun* run, const char* name)
{
    for (int i = 0; spRun_GetMeasurementName(run, i)[0] != 0; ++i)
    {
        if (strcmp(spRun_GetMeasurementName(run, i), name) == 0)
        {
            return spRun_GetMeasurement(run, i);
        }
    }
    fail_msg("no measurement %s", name);
    return NAN;
}

static void CheckRefused(const char* text, const char* why)
{
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene(text, strlen(text), NULL, NULL, &error);
    assert_null(scene);
    if (strstr(error.message, why) == NULL)
    {
        fail_msg("\"%s\" does not say \"%s\"", error.message, why);
    }
}

// Two cubes on each other: force and torque between any two of them
static void TestMeasurements(void** state)
{
    SP_UNUSED(state);
    spScene* scene =
        Parse("{\"souple\": 1, \"duration\": 1.5, \"colliders\": [" GROUND
              "], \"bodies\": [" CUBE("low", "0", SOFT) ", " CUBE(
                  "high", "0.1",
                  SOFT) "], \"measurements\": ["
                        "{\"name\": \"up\", \"type\": \"contactForce\", \"body\": \"high\", \"otherBody\": "
                        "\"low\"},"
                        "{\"name\": \"down\", \"type\": \"contactForce\", \"body\": \"low\", \"otherBody\": "
                        "\"high\"},"
                        "{\"name\": \"floor\", \"type\": \"contactForce\", \"body\": \"low\", "
                        "\"otherCollider\": \"ground\"},"
                        "{\"name\": \"under\", \"type\": \"contactForce\", \"collider\": \"ground\", "
                        "\"otherBody\": \"low\"},"
                        "{\"name\": \"nothing\", \"type\": \"contactForce\", \"collider\": \"ground\", "
                        "\"otherBody\": \"high\"},"
                        "{\"name\": \"all\", \"type\": \"contactForce\", \"body\": \"low\"},"
                        "{\"name\": \"torque\", \"type\": \"contactTorque\", \"body\": \"low\", "
                        "\"otherCollider\": \"ground\", \"point\": [1, 0, 0], \"component\": \"z\"},"
                        "{\"name\": \"count\", \"type\": \"contactCount\", \"body\": \"low\", "
                        "\"otherCollider\": \"ground\"},"
                        "{\"name\": \"pressure\", \"type\": \"contactPressure\", \"body\": \"low\", "
                        "\"otherCollider\": \"ground\"},"
                        "{\"name\": \"depth\", \"type\": \"contactDepth\", \"body\": \"low\"},"
                        "{\"name\": \"slip\", \"type\": \"contactSlip\", \"collider\": \"ground\"}]}");
    spRun* run = Start(scene);
    Play(run);
    const double g = 9.81;
    CHECK_NEAR(Measure(run, "up"), g, 0.02 * g);
    CHECK_NEAR(Measure(run, "down"), -Measure(run, "up"), 1e-5);
    CHECK_NEAR(Measure(run, "floor"), 2 * g, 0.02 * g);
    CHECK_NEAR(Measure(run, "under"), -Measure(run, "floor"), 1e-5);
    assert_true(Measure(run, "nothing") == 0.0);
    CHECK_NEAR(Measure(run, "all"), Measure(run, "floor") + Measure(run, "down"), 1e-4);
    CHECK_NEAR(Measure(run, "torque"), -2 * g, 0.03 * g);
    assert_true(Measure(run, "count") == 9.0);
    assert_true(Measure(run, "pressure") > 0.9 * 2 * g / 0.01 &&
                Measure(run, "pressure") < 10 * 2 * g / 0.01);
    assert_true(Measure(run, "depth") >= 0.0 && Measure(run, "depth") < 1e-3);
    assert_true(Measure(run, "slip") < 1e-3);
    assert_string_equal(spRun_GetMeasurementUnit(run, 6), "N m");
    assert_string_equal(spRun_GetMeasurementUnit(run, 7), "");
    assert_string_equal(spRun_GetMeasurementUnit(run, 8), "Pa");
    assert_string_equal(spRun_GetMeasurementUnit(run, 10), "m/s");
    spDestroyRun(run);
    spDestroyScene(scene);
    CheckRefused("{\"souple\": 1, " BODY ", \"measurements\": {\"type\": \"contactCount\"}}", "on what");
    CheckRefused("{\"souple\": 1, " BODY ", \"colliders\": [" GROUND
                 "], \"measurements\": {\"type\": \"contactForce\", \"collider\": \"ground\", "
                 "\"otherCollider\": \"ground\"}}",
                 "do not touch each other");
}

// Cubes of other groups fall through the ground and through each other
static void TestGroups(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(
        "{\"souple\": 1, \"duration\": 0.5, \"colliders\": [{\"name\": \"ground\", \"shape\": \"plane\", "
        "\"touches\": [1, 3]}], \"bodies\": [" CUBE("stays", "0.02", "\"method\": \"rigid\"") ", " CUBE(
            "falls", "0.3",
            "\"method\": \"rigid\", \"group\": 2") ", " CUBE("alone", "0.5",
                                                             "\"method\": \"rigid\", \"group\": [2, 3], "
                                                             "\"touches\": 32") ", " CUBE("shy", "0.7",
                                                                                          "\"method\": "
                                                                                          "\"rigid\", "
                                                                                          "\"group\": [4, "
                                                                                          "3], \"touches\": "
                                                                                          "\"all\"") "], "
                                                                                                     "\"measu"
                                                                                                     "rements"
                                                                                                     "\": ["
                                                                                                     "{\"type"
                                                                                                     "\": "
                                                                                                     "\"heigh"
                                                                                                     "t\", "
                                                                                                     "\"body"
                                                                                                     "\": "
                                                                                                     "\"stays"
                                                                                                     "\", "
                                                                                                     "\"of\":"
                                                                                                     " \"min"
                                                                                                     "\"}, "
                                                                                                     "{\"type"
                                                                                                     "\": "
                                                                                                     "\"heigh"
                                                                                                     "t\", "
                                                                                                     "\"body"
                                                                                                     "\": "
                                                                                                     "\"falls"
                                                                                                     "\", "
                                                                                                     "\"of\":"
                                                                                                     " \"min"
                                                                                                     "\"},"
                                                                                                     "{\"type"
                                                                                                     "\": "
                                                                                                     "\"heigh"
                                                                                                     "t\", "
                                                                                                     "\"body"
                                                                                                     "\": "
                                                                                                     "\"alone"
                                                                                                     "\", "
                                                                                                     "\"of\":"
                                                                                                     " \"min"
                                                                                                     "\"}]}");
    spRun* run = Start(scene);
    Play(run);
    CHECK_NEAR(spRun_GetMeasurement(run, 0), 0.0, 0.12); // others may land on it
    assert_true(spRun_GetMeasurement(run, 1) < 0.11);
    CHECK_NEAR(spRun_GetMeasurement(run, 2), 0.5 - 0.5 * 9.81 * 0.25, 0.02);
    spDestroyRun(run);
    spDestroyScene(scene);
    CheckRefused("{\"souple\": 1, \"bodies\": [{\"mesh\": {\"generator\": \"box\"}, \"group\": 33}]}", "33");
}

// A plate that events drive: to a place, smoothly, at a velocity; and again after a state was restored
static void TestDrive(void** state)
{
    SP_UNUSED(state);
    spScene* scene =
        Parse("{\"souple\": 1, \"duration\": 4, \"dt\": 0.01, \"gravity\": [0, 0, 0], \"bodies\": [" CUBE(
            "b", "5",
            "\"method\": \"rigid\"") "], \"colliders\": [{\"name\": \"plate\", \"shape\": \"box\", "
                                     "\"halfSize\": [0.5, 0.1, 0.5], \"motion\": {\"spin\": {\"rate\": 0}}}],"
                                     "\"events\": [{\"time\": 0.5, \"type\": \"drive\", \"collider\": "
                                     "\"plate\", \"position\": [0, 1, 0], \"duration\": 1},"
                                     "{\"time\": 1, \"type\": \"save\", \"name\": \"half\"},"
                                     "{\"time\": 2, \"type\": \"drive\", \"collider\": \"plate\", "
                                     "\"rotation\": {\"axis\": [0, 0, 1], \"angle\": 90}, \"duration\": 1, "
                                     "\"smooth\": true},"
                                     "{\"time\": 3, \"type\": \"drive\", \"collider\": \"plate\", "
                                     "\"velocity\": [1, 0, -2], \"duration\": 0.5}]}");
    spRun* run = Start(scene);
    spColliderId plate = spRun_FindCollider(run, "plate");
    const spWorld* world = spRun_GetWorld(run);
    assert_false(SP_IS_NULL(plate));
    spVec3 at[401];
    double turned[401];
    for (int i = 1; i <= 400; ++i)
    {
        spRun_Step(run);
        spTransform t = spCollider_GetTransform(world, plate);
        at[i] = t.position;
        turned[i] = 2.0 * asin(fmin(fabs((double)t.rotation.z), 1.0)) * 180.0 / 3.14159265358979;
    }
    CHECK_NEAR(at[50].y, 0.0, 1e-5);
    CHECK_NEAR(at[100].y, 0.5, 1e-4);
    CHECK_NEAR(at[160].y, 1.0, 1e-5);
    CHECK_NEAR(turned[225], 90.0 * 0.15625, 0.1); // t^2 (3 - 2 t) at a quarter
    CHECK_NEAR(turned[300], 90.0, 0.1);
    CHECK_NEAR(at[340].x, 0.4, 1e-4);
    CHECK_NEAR(at[400].x, 0.5, 1e-4);
    CHECK_NEAR(at[400].z, -1.0, 1e-4);
    // It goes on where it was
    spError error = SP_ZERO_INIT;
    const char* back = "{\"type\": \"restore\", \"name\": \"half\"}";
    assert_true(spRun_Act(run, back, strlen(back), &error));
    spRun_Step(run);
    CHECK_NEAR(spCollider_GetTransform(world, plate).position.y, 0.51, 1e-4);
    // A hand may do the same
    const char* act = "{\"type\": \"drive\", \"collider\": \"plate\", \"position\": [3, 0, 0]}";
    assert_true(spRun_Act(run, act, strlen(act), &error));
    spRun_Step(run);
    CHECK_NEAR(spCollider_GetTransform(world, plate).position.x, 3.0, 1e-5);
    spDestroyRun(run);
    spDestroyScene(scene);
    CheckRefused("{\"souple\": 1, " BODY ", \"colliders\": [" GROUND
                 "], \"events\": {\"time\": 0, \"type\": \"drive\", \"collider\": \"ground\"}}",
                 "where does it go");
    CheckRefused(
        "{\"souple\": 1, " BODY
        ", \"events\": {\"time\": 0, \"type\": \"drive\", \"collider\": \"plate\", \"velocity\": [1, 0, 0]}}",
        "plate");
}

// A slider with a motor: its force over the mass, until an event turns it off
static void TestJoint(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse("{\"souple\": 1, \"duration\": 1, \"dt\": 0.01, \"bodies\": [" CUBE(
        "b", "0",
        "\"method\": \"rigid\", \"joint\": {\"type\": \"slider\", \"axis\": [1, 0, 0], \"motorSpeed\": 100, "
        "\"motorLimit\": 2}") "],"
                              "\"events\": [{\"time\": 0.5, \"type\": \"set\", \"body\": \"b\", "
                              "\"motorLimit\": 0}],"
                              "\"measurements\": [{\"type\": \"jointPosition\", \"body\": \"b\"}, {\"type\": "
                              "\"jointForce\", \"body\": \"b\"}, {\"type\": \"motor\", \"body\": \"b\"},"
                              "{\"type\": \"velocity\", \"body\": \"b\", \"component\": \"x\"}, {\"type\": "
                              "\"jointTorque\", \"body\": \"b\", \"component\": \"z\"}]}");
    spRun* run = Start(scene);
    for (int i = 0; i < 50; ++i)
    {
        spRun_Step(run);
    }
    CHECK_NEAR(spRun_GetMeasurement(run, 2), 2.0, 1e-3);
    CHECK_NEAR(spRun_GetMeasurement(run, 3), 1.0, 1e-3); // 2 N on 1 kg for half a second
    Play(run);
    CHECK_NEAR(spRun_GetMeasurement(run, 0), 0.25 + 0.5, 0.01);
    CHECK_NEAR(spRun_GetMeasurement(run, 1), 9.81, 1e-3);
    CHECK_NEAR(spRun_GetMeasurement(run, 2), 0.0, 1e-6);
    CHECK_NEAR(spRun_GetMeasurement(run, 3), 1.0, 1e-3);
    // The weight hangs at the middle, the point of the joint is where it was at the start
    CHECK_NEAR(spRun_GetMeasurement(run, 4), 9.81 * 0.755, 0.1);
    assert_string_equal(spRun_GetMeasurementUnit(run, 0), "m");
    spDestroyRun(run);
    spDestroyScene(scene);
    CheckRefused(
        "{\"souple\": 1, \"bodies\": [{\"mesh\": {\"generator\": \"box\"}, \"tets\": {}, \"joint\": {}}]}",
        "only rigid bodies");
    CheckRefused("{\"souple\": 1, " BODY ", \"measurements\": {\"type\": \"motor\", \"body\": \"body\"}}",
                 "no joint");
    CheckRefused("{\"souple\": 1, " BODY
                 ", \"events\": {\"time\": 0, \"type\": \"set\", \"body\": \"body\", \"motorSpeed\": 1}}",
                 "motor");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestMeasurements),
        cmocka_unit_test(TestGroups),
        cmocka_unit_test(TestDrive),
        cmocka_unit_test(TestJoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
