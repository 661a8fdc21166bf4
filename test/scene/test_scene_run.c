// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a run makes of a scene: motion, events, materials, methods, measurements.

#include "scene/scene_internal.h"

#include "test/scene_test.h"

// ---------------------------------------------------------------------------------------------------------
// Runs

static void TestFreeFall(void** state)
{
    SP_UNUSED(state);
    spScene* scene =
        Parse("{\"souple\": 1, \"dt\": 0.001, \"duration\": 0.5, \"bodies\": [{\"name\": \"b\", \"mesh\": "
              "{\"generator\": \"box\"},"
              "\"transform\": {\"position\": [0, 10, 0], \"scale\": 0.5}, \"springs\": {}, \"velocity\": [1, "
              "0, 0]}],"
              "\"measurements\": [{\"type\": \"height\", \"body\": \"b\"}, {\"type\": \"momentum\", "
              "\"component\": \"x\"},"
              "{\"type\": \"position\", \"body\": \"b\", \"point\": [9, 99, 9], \"component\": \"x\"},"
              "{\"type\": \"velocity\", \"body\": \"b\", \"node\": 3, \"component\": \"magnitude\"}]}");
    spRun* run = Start(scene);
    CHECK_NEAR(spRun_GetMeasurement(run, 0), 10.25, 1e-5);
    while (!spRun_IsDone(run))
    {
        assert_int_equal(spRun_Step(run), 0);
    }
    assert_int_equal(spRun_GetStepCount(run), 500);
    CHECK_NEAR(spRun_GetTime(run), 0.5, 1e-5);
    CHECK_NEAR(spRun_GetMeasurement(run, 0), 10.25 - 0.5 * 9.81 * 0.25, 5e-3);
    CHECK_NEAR(spRun_GetMeasurement(run, 1), 125.0, 1e-2); // 0.5^3 m^3 of water at 1 m/s
    CHECK_NEAR(spRun_GetMeasurement(run, 2), 0.25 + 0.5, 1e-3);
    CHECK_NEAR(spRun_GetMeasurement(run, 3), sqrt(1.0 + 4.905 * 4.905), 2e-2);
    assert_string_equal(spRun_GetMeasurementName(run, 0), "height mean of b");
    assert_string_equal(spRun_GetMeasurementUnit(run, 1), "kg m/s");
    assert_true(isnan(spRun_GetMeasurement(run, 4)));
    assert_string_equal(spRun_GetMeasurementName(run, -1), "");
    assert_false(SP_IS_NULL(spRun_FindBody(run, "b")));
    assert_true(SP_IS_NULL(spRun_FindBody(run, "c")));
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestPlacement(void** state)
{
    SP_UNUSED(state);
    // x to y about z, then the other way through three angles; the first vertex of a beam is its origin
    spScene* scene = Parse("{\"souple\": 1, \"bodies\": ["
                           "{\"name\": \"p\", \"mesh\": {\"generator\": \"beam\"}, \"springs\": {}, "
                           "\"transform\": {\"position\": [1, 2, 3],"
                           " \"rotation\": {\"axis\": [0, 0, 5], \"angle\": 90}}},"
                           "{\"name\": \"q\", \"mesh\": {\"generator\": \"beam\"}, \"springs\": {}, "
                           "\"transform\": {\"rotation\": {\"euler\": [90, 0, 90]}}}]}");
    spRun* run = Start(scene);
    spVec3View p = spBody_GetPositions(spRun_GetWorld(run), spRun_FindBody(run, "p"));
    CHECK_NEAR(p.data[0].x, 1, 1e-5);
    CHECK_NEAR(p.data[p.count - 1].x, 1 - 0.25, 1e-5);
    CHECK_NEAR(p.data[p.count - 1].y, 2 + 1, 1e-5);
    CHECK_NEAR(p.data[p.count - 1].z, 3 + 0.25, 1e-5);

    // The far corner (1, 0.25, 0.25): about x to (1, -0.25, 0.25), then about z to (0.25, 1, 0.25)
    spVec3View q = spBody_GetPositions(spRun_GetWorld(run), spRun_FindBody(run, "q"));
    CHECK_NEAR(q.data[q.count - 1].x, 0.25, 1e-5);
    CHECK_NEAR(q.data[q.count - 1].y, 1, 1e-5);
    CHECK_NEAR(q.data[q.count - 1].z, 0.25, 1e-5);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// Names of mesh files are relative to the scene; written elsewhere they still lead to the same file
static void TestMeshFiles(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    spRoundMeshDef def = spDefaultRoundMeshDef();
    spMesh* mesh = spMakeBallMesh(&def, &error);
    assert_true(spSaveMesh(mesh, SOUPLE_BINARY_DIR "/test/scene_ball.msh", &error));
    spDestroyMesh(mesh);
    const char* text = "{\"souple\": 1, \"bodies\": [{\"mesh\": \"scene_ball.msh\", \"material\": "
                       "\"rubber\", \"springs\": {}}]}";
    spScene* scene = spParseScene(text, strlen(text), SOUPLE_BINARY_DIR "/test", NULL, &error);
    assert_non_null(scene);
    uint64_t hash = RunSteps(scene, 1, 2);
    assert_true(spSaveScene(scene, SOUPLE_BINARY_DIR "/scene_elsewhere.json", false, &error));
    spDestroyScene(scene);
    scene = spLoadScene(SOUPLE_BINARY_DIR "/scene_elsewhere.json", NULL, &error);
    assert_non_null(scene);
    assert_string_equal(spScene_GetName(scene), "scene_elsewhere");
    assert_true(RunSteps(scene, 1, 2) == hash);
    spDestroyScene(scene);
    remove(SOUPLE_BINARY_DIR "/scene_elsewhere.json");
    remove(SOUPLE_BINARY_DIR "/test/scene_ball.msh");
}

// A smooth path passes its keyframes exactly, with the velocity of the cubic, and starts and ends at rest
static void TestSmoothMotion(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(
        "{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"colliders\": ["
        "{\"name\": \"k\", \"shape\": \"convex\", \"mesh\": {\"generator\": \"box\"}, \"motion\": "
        "{\"smooth\": true, "
        "\"keyframes\": [{\"time\": 0, \"position\": [0, 0, 0]}, {\"time\": 0.5, \"position\": [2, 1, 0]}, "
        "{\"time\": 1, \"position\": [2, 3, 0], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": 90}}]}}]}");
    spRun* run = Start(scene);
    spWorld* world = spRun_GetWorld(run);
    spColliderId k = spRun_FindCollider(run, "k");
    spVec3 x[101];
    x[0] = spCollider_GetTransform(world, k).position;
    for (int i = 1; i <= 100; ++i)
    {
        spRun_Step(run);
        x[i] = spCollider_GetTransform(world, k).position;
    }
    CHECK_NEAR(x[50].x, 2.0, 1e-5);
    CHECK_NEAR(x[50].y, 1.0, 1e-5);
    CHECK_NEAR(x[100].y, 3.0, 1e-5);
    CHECK_NEAR(spCollider_GetTransform(world, k).rotation.y, sin(0.25 * 3.14159265), 1e-5);
    // Halfway: the mean of both ends and an eighth of the way at their velocities, (2, 3) m/s at the keyframe
    CHECK_NEAR(x[25].x, 0.875, 1e-5);
    CHECK_NEAR(x[25].y, 0.3125, 1e-5);
    CHECK_NEAR(x[75].x, 2.125, 1e-5);
    CHECK_NEAR(x[75].y, 2.1875, 1e-5);
    CHECK_LESS((x[1].y - x[0].y) / 0.01, 0.1);
    CHECK_LESS((x[100].y - x[99].y) / 0.01, 0.3);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// Colliders from meshes and terrains hold what falls on them; a pair that does not touch lets it pass
static void TestShapesInScenes(void** state)
{
    SP_UNUSED(state);
#define SHAPE_BODY(name, x)                                                                                  \
    "{\"name\": \"" name                                                                                     \
    "\", \"mesh\": {\"generator\": \"lattice\", \"counts\": [2, 2, 2]}, \"nodeMass\": 0.1, "                 \
    "\"springs\": [{\"stiffness\": 100, \"damping\": 0.5}], \"transform\": {\"position\": [" x ", 0.7, 0]}}"
    spScene* scene =
        Parse("{\"souple\": 1, \"duration\": 1.5, \"bodies\": [" SHAPE_BODY("a", "0") ", " SHAPE_BODY(
            "b", "0") ", " SHAPE_BODY("c", "3") "], \"colliders\": ["
                                                "{\"name\": \"m\", \"shape\": \"mesh\", \"mesh\": "
                                                "{\"generator\": \"box\", \"size\": [1, 1, 1]}, "
                                                "\"transform\": {\"scale\": [1, 0.5, 1]}}, {\"name\": \"h\", "
                                                "\"shape\": \"heightField\", \"terrain\": \"flat\", "
                                                "\"size\": 1, \"transform\": {\"position\": [3, 0.5, 0]}}], "
                                                "\"pairs\": [{\"body\": \"b\", \"collider\": \"m\", "
                                                "\"touch\": false}]}");
    spRun* run = Start(scene);
    spWorld* world = spRun_GetWorld(run);
    while (!spRun_IsDone(run))
    {
        spRun_Step(run);
    }
    CHECK_NEAR(spBody_GetPositions(world, spRun_FindBody(run, "a")).data[0].y, 0.5, 1e-3);
    CHECK_LESS(spBody_GetPositions(world, spRun_FindBody(run, "b")).data[0].y, -2.0);
    CHECK_NEAR(spBody_GetPositions(world, spRun_FindBody(run, "c")).data[0].y, 0.5, 1e-3);
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestMotionOfColliders(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(
        "{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"colliders\": ["
        "{\"name\": \"k\", \"shape\": \"sphere\", \"motion\": {\"keyframes\": [{\"time\": 0, \"position\": "
        "[0, 0, 0]},"
        " {\"time\": 0.5, \"position\": [2, 0, 0], \"rotation\": {\"axis\": [0, 1, 0], \"angle\": 90}}]}},"
        "{\"name\": \"s\", \"shape\": \"sphere\", \"transform\": {\"position\": [0, 5, 0]},"
        " \"motion\": {\"sinusoid\": {\"axis\": [0, 2, 0], \"amplitude\": 0.5, \"frequency\": 1}}},"
        "{\"name\": \"r\", \"shape\": \"box\", \"motion\": {\"spin\": {\"rate\": 180}}}]}");
    spRun* run = Start(scene);
    spWorld* world = spRun_GetWorld(run);
    for (int i = 0; i < 25; ++i)
    {
        spRun_Step(run);
    }
    spTransform k = spCollider_GetTransform(world, spRun_FindCollider(run, "k"));
    CHECK_NEAR(k.position.x, 1, 1e-4);
    CHECK_NEAR(k.rotation.y, sin(22.5 * 3.14159265 / 180), 1e-4);
    CHECK_NEAR(spCollider_GetTransform(world, spRun_FindCollider(run, "s")).position.y, 5.5, 1e-4);
    CHECK_NEAR(spCollider_GetTransform(world, spRun_FindCollider(run, "r")).rotation.y,
               sin(22.5 * 3.14159265 / 180), 1e-4);
    while (!spRun_IsDone(run))
    {
        spRun_Step(run);
    }
    CHECK_NEAR(spCollider_GetTransform(world, spRun_FindCollider(run, "k")).position.x, 2, 1e-5);
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestEvents(void** state)
{
    SP_UNUSED(state);
    // A node in space: pulled by a force for 0.5 s, then caught by a hand that carries it, then dropped
    spScene* scene = Parse(
        "{\"souple\": 1, \"dt\": 0.005, \"duration\": 3, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": "
        "\"n\","
        "\"mesh\": {\"generator\": \"lattice\", \"counts\": [2, 1, 1]}, \"nodeMass\": 2, \"springs\": "
        "{\"stiffness\": 2000, \"damping\": 20}}],"
        "\"events\": ["
        "{\"time\": 2.5, \"type\": \"set\", \"gravity\": [0, -1, 0]},"
        "{\"time\": 0.5, \"type\": \"force\", \"body\": \"n\", \"nodes\": \"all\", \"force\": [4, 0, 0], "
        "\"duration\": 0.5},"
        "{\"time\": 1.5, \"type\": \"grab\", \"name\": \"hand\", \"body\": \"n\", \"nodes\": \"all\"},"
        "{\"time\": 1.5, \"type\": \"move\", \"grab\": \"hand\", \"offset\": [0, 1, 0], \"duration\": 0.5},"
        "{\"time\": 2.25, \"type\": \"release\", \"grab\": \"hand\"}],"
        "\"measurements\": [{\"type\": \"position\", \"body\": \"n\", \"node\": 0, \"component\": \"x\"},"
        "{\"type\": \"position\", \"body\": \"n\", \"node\": 0, \"component\": \"y\"},"
        "{\"type\": \"velocity\", \"body\": \"n\", \"node\": 0, \"component\": \"x\"},"
        "{\"type\": \"velocity\", \"body\": \"n\", \"node\": 0, \"component\": \"y\"}]}");
    spRun* run = Start(scene);
    double x = 0;
    while (!spRun_IsDone(run))
    {
        assert_int_equal(spRun_Step(run), 0);
        double time = spRun_GetTime(run);
        if (time > 0.49 && time < 0.499)
        {
            CHECK_NEAR(spRun_GetMeasurement(run, 0), 0, 1e-6);
        }
        if (time > 1.2 && time < 1.4)
        {
            CHECK_NEAR(spRun_GetMeasurement(run, 2), 1.0, 1e-3); // 4 N on 2 kg for 0.5 s
            x = spRun_GetMeasurement(run, 0);
        }
        if (time > 2.05 && time < 2.24)
        {
            CHECK_NEAR(spRun_GetMeasurement(run, 1), 1.0, 1e-3); // where the hand went
            assert_true(spRun_GetMeasurement(run, 0) > x);
            CHECK_NEAR(spRun_GetMeasurement(run, 2), 0, 1e-2);
        }
    }
    CHECK_NEAR(spRun_GetMeasurement(run, 3), -0.5, 2e-2); // gravity of 1 m/s^2 for the last 0.5 s
    assert_int_equal(spRun_GetLastError(run).code, sp_errorNone);
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestEventThatFails(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse("{\"souple\": 1, \"duration\": 0.5, \"bodies\": [" NAMED(
        "b") "],\n"
             "\"events\": [{\"time\": 0.2, \"type\": \"pin\", \"body\": \"b\",\n"
             " \"nodes\": {\"sphere\": {\"center\": [50, 0, 0], \"radius\": 1}}}]}");
    spRun* run = Start(scene);
    int failures = 0;
    while (!spRun_IsDone(run))
    {
        failures += (spRun_Step(run) & SP_RUN_EVENT_FAILED) != 0;
    }
    assert_int_equal(failures, 1);
    assert_int_equal(spRun_GetLastError(run).line, 3);
    assert_non_null(strstr(spRun_GetLastError(run).message, "no node"));
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestRunDefinition(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse("{\"souple\": 1, \"duration\": 1, \"dt\": 0.1, " BODY "}");
    spError error = SP_ZERO_INIT;
    spRunDef zero = SP_ZERO_INIT;
    assert_null(spCreateRun(scene, &zero, &error));
    assert_int_equal(error.code, sp_errorBadDef);
    assert_null(spCreateRun(NULL, &zero, NULL));
    spRunDef def = spDefaultRunDef();
    def.dt = -1;
    assert_null(spCreateRun(scene, &def, &error));
    def.dt = 0.25;
    spRun* run = spCreateRun(scene, &def, &error);
    assert_int_equal(spRun_GetStepCount(run), 4);
    spDestroyRun(run);
    spDestroyRun(NULL);
    spDestroyScene(NULL);
    assert_null(spLoadScene("no-such-scene.json", NULL, &error));
    assert_int_equal(error.code, sp_errorFileNotFound);
    assert_null(spLoadScene(SOUPLE_SOURCE_DIR, NULL, &error));
    assert_false(spSaveScene(scene, "/no/such/folder/x.json", false, &error));
    assert_int_equal(error.code, sp_errorFileWrite);
    spDestroyScene(scene);
}

// ---------------------------------------------------------------------------------------------------------
// Tets

static void TestTets(void** state)
{
    SP_UNUSED(state);
    spScene* scene =
        Parse("{\"souple\": 1, \"dt\": 0.01, \"duration\": 0.2, \"bodies\": [ "
              "{\"name\": \"b\", \"mesh\": {\"generator\": \"beam\", \"cells\": [8, 2, 2]}, \"tets\": "
              "{\"law\": \"stVenantKirchhoff\", \"youngModulus\": 2e5, "
              "\"poissonRatio\": 0.3, \"damping\": 0.001, \"dampingModel\": \"rayleigh\"}, \"pins\": "
              "{\"box\": {\"lower\": [0, -1, -1], \"upper\": [0, 1, 1]}}}], "
              "\"events\": [{\"time\": 0.1, \"type\": \"set\", \"body\": \"b\", \"tets\": {\"youngModulus\": "
              "2e3}}], "
              "\"measurements\": [{\"type\": \"vonMises\", \"body\": \"b\"}, {\"type\": \"vonMises\", "
              "\"body\": \"b\", \"of\": \"mean\"}, "
              "{\"type\": \"vonMises\", \"body\": \"b\", \"of\": \"min\"}, {\"type\": \"strain\", \"body\": "
              "\"b\"}, {\"type\": \"inverted\"}, {\"type\": \"stableStep\"}]} ");
    spRun* run = Start(scene);
    spWorld* world = spRun_GetWorld(run);
    spBodyId body = spRun_FindBody(run, "b");
    assert_int_equal(spBody_GetTetLaw(world, body, 0), sp_tetStVenantKirchhoff);
    assert_string_equal(spRun_GetMeasurementUnit(run, 0), "Pa");
    assert_string_equal(spRun_GetMeasurementUnit(run, 3), "");
    CHECK_NEAR(spRun_GetMeasurement(run, 0), 0.0, 1.0);
    for (int i = 0; i < 10; ++i)
    {
        assert_int_equal(spRun_Step(run), 0);
    }

    // What is measured is what the world says
    enum
    {
        tetCount = 8 * 2 * 2 * 6
    };
    spTetState states[tetCount];
    assert_int_equal(spBody_CopyTetStates(world, body, 0, states, tetCount), tetCount);
    double largest = 0.0, smallest = INFINITY, sum = 0.0, strain = 0.0;
    for (int i = 0; i < tetCount; ++i)
    {
        largest = fmax(largest, (double)states[i].vonMises);
        smallest = fmin(smallest, (double)states[i].vonMises);
        strain = fmax(strain, (double)states[i].principalStrain.x);
        sum += (double)states[i].vonMises;
    }
    assert_true(largest > 100.0);
    // By another path than the states: to rounding
    const double rounding = sizeof(spReal) == sizeof(float) ? 1e-6 : 1e-14;
    CHECK_NEAR(spRun_GetMeasurement(run, 0), largest, rounding * largest);
    CHECK_NEAR(spRun_GetMeasurement(run, 1) / (sum / tetCount), 1.0, 1e-5); // all have the same volume
    CHECK_NEAR(spRun_GetMeasurement(run, 2), smallest, rounding * largest);
    CHECK_NEAR(spRun_GetMeasurement(run, 3), strain, 0);
    CHECK_NEAR(spRun_GetMeasurement(run, 4), 0, 0);

    // The event makes it a hundred times softer: the stable step grows tenfold, as far as damping lets it
    double before = spRun_GetMeasurement(run, 5);
    spRun_Step(run);
    spRun_Step(run);
    assert_true(spRun_GetMeasurement(run, 5) > 4.0 * before);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// The elastic energy of a box of 10 cm that hangs in equilibrium, which tells materials apart
static double HangBox(const char* body, const char* folder)
{
    char text[1000];
    snprintf(
        text, sizeof(text),
        "{\"souple\": 1, \"bodies\": [{\"pins\": {\"nearest\": {\"point\": [0, 5, 0], \"count\": 9}}, "
        "\"transform\": {\"scale\": 0.1}, \"relax\": true, %s}], \"measurements\": [{\"type\": \"energy\", "
        "\"part\": \"elastic\"}]}",
        body);
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene(text, strlen(text), folder, NULL, &error);
    spRun* run = scene != NULL ? Start(scene) : NULL;
    assert_non_null(run);
    double energy = spRun_GetMeasurement(run, 0);
    spDestroyRun(run);
    spDestroyScene(scene);
    return energy;
}

#define BOX "\"mesh\": {\"generator\": \"box\", \"cells\": [2, 2, 2]}"

// Where the numbers of a material come from
static void TestTetMaterials(void** state)
{
    SP_UNUSED(state);
    double byName = HangBox(BOX ", \"material\": \"muscle\"", NULL);
    double byKeys = HangBox(BOX ", \"density\": 1060, \"tets\": {\"law\": \"neoHookean\", \"youngModulus\": "
                                "7000, \"poissonRatio\": 0.45}",
                            NULL);
    double half = HangBox(BOX ", \"material\": \"muscle\", \"tets\": {\"youngModulus\": 14000}", NULL);
    assert_true(byName > 0.0);
    CHECK_NEAR(byName, byKeys, 0);
    assert_true(half < 0.7 * byName);

    // Lame's constants are another way to say the same: lambda = 5000, mu = 4000 are the liver's
    double lame = HangBox(BOX ", \"tets\": {\"lameLambda\": 5000, \"lameMu\": 4000}", NULL);
    double young =
        HangBox(BOX ", \"tets\": {\"youngModulus\": 10222.2222222, \"poissonRatio\": 0.277777777778}", NULL);
    CHECK_NEAR(lame / young, 1.0, 1e-4);

    // Springs say that a body is made of springs, whatever its material
    assert_true(HangBox(BOX ", \"material\": \"muscle\", \"springs\": {}", NULL) != byName);

    // A material without tets to be of is probably not meant
    const char* text =
        "{\"souple\": 1, \"bodies\": [{\"mesh\": {\"generator\": \"icosphere\"}, \"density\": 1, "
        "\"material\": \"rubber\"}]}";
    spSceneProblem problem;
    int count = 0;
    assert_true(spCheckSceneText(text, strlen(text), NULL, &problem, 1, &count));
    assert_int_equal(count, 1);
    assert_true(problem.warning && strstr(problem.message, "no tets") != NULL);
}

// A run tells what spCheckScene tells of its file, of reading, building and the start, and what it looks at for that
// does not move it
static void TestWarningsOfARun(void** state)
{
    SP_UNUSED(state);
    const char* text =
        "{\"souple\": 1, \"bodies\": [\n"
        "{\"mesh\": {\"generator\": \"box\"}, \"tets\": {\"youngModulus\": 1e5, \"mooney\": 0.3}},\n"
        "{\"mesh\": {\"generator\": \"box\", \"origin\": [0.3, 0.3, 0.3]}, \"tets\": {}},\n"
        "{\"mesh\": {\"generator\": \"icosphere\"}, \"transform\": {\"position\": [9, 0, 0]}, \"density\": "
        "1, \"material\": "
        "\"rubber\"},\n"
        "{\"mesh\": {\"generator\": \"box\", \"origin\": [5, 0, 0]}, \"tets\": {\"youngModulus\": 1e9},"
        "\"method\": {\"type\": \"symplecticEuler\", \"maxSubsteps\": 1}}]}";
    static const char* const words[] = {"mooneyRivlin", "no tets", "substeps", "starts inside"};
    spSceneProblem checked[8], told[8];
    int count = 0;
    assert_true(spCheckSceneText(text, strlen(text), NULL, checked, 8, &count));
    assert_int_equal(count, SP_COUNT(words));
    spScene* scene = Parse(text);
    spRun *run = Start(scene), *other = Start(scene);
    assert_int_equal(spRun_GetWarnings(run, told, 8), count);
    for (int i = 0; i < count; ++i)
    {
        assert_non_null(strstr(told[i].message, words[i]));
        assert_string_equal(told[i].message, checked[i].message);
        assert_string_equal(told[i].path, checked[i].path);
        assert_int_equal(told[i].line, checked[i].line);
        assert_int_equal(told[i].column, checked[i].column);
        assert_true(told[i].warning);
    }
    assert_int_equal(spRun_GetWarnings(run, told, 1), count);
    assert_int_equal(spRun_GetWarnings(run, NULL, 8), count);
    for (int i = 0; i < 5; ++i)
    {
        assert_int_equal(spRun_Step(run), spRun_Step(other));
    }
    assert_true(spWorld_GetStateHash(spRun_GetWorld(run)) == spWorld_GetStateHash(spRun_GetWorld(other)));
    spDestroyRun(run);
    spDestroyRun(other);
    spDestroyScene(scene);
}

// A box whose upper half is region 4 and has values of its own, in a file
static void SaveLayeredBox(const char* path)
{
    spError error = SP_ZERO_INIT;
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.cells[0] = def.cells[1] = def.cells[2] = 2;
    spMesh* box = spMakeBoxMesh(&def, &error);
    double values[48];
    for (int i = 0; i < 48; ++i)
    {
        double y = 0.0;
        for (int k = 0; k < 4; ++k)
        {
            y += 0.25 * spMesh_GetVertices(box)[spMesh_GetTets(box)[4 * i + k]].y;
        }
        assert_true(spMesh_SetTetRegion(box, i, y > 0.5 ? 4 : 0));
        values[i] = y > 0.5 ? 2e4 : 1e4;
    }
    assert_false(spMesh_SetTetRegion(box, 48, 1));
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = spMesh_GetVertices(box);
    meshDef.vertexCount = spMesh_GetVertexCount(box);
    meshDef.tets = spMesh_GetTets(box);
    meshDef.tetCount = 48;
    meshDef.tetRegions = spMesh_GetTetRegions(box);
    spMesh* mesh = spCreateMesh(&meshDef, &error);
    assert_true(spMesh_SetValues(mesh, sp_meshTets, "E", 1, values, &error));
    assert_true(spSaveMesh(mesh, path, &error));
    spDestroyMesh(mesh);
    spDestroyMesh(box);
}

static void TestTetRegions(void** state)
{
    SP_UNUSED(state);
    static const char* const folder = SOUPLE_BINARY_DIR "/test";
    SaveLayeredBox(SOUPLE_BINARY_DIR "/test/scene_layers.vtu");
    double soft = HangBox("\"mesh\": \"scene_layers.vtu\", \"tets\": {\"youngModulus\": 1e4}", folder);
    double same = HangBox("\"mesh\": \"scene_layers.vtu\", \"tets\": {\"youngModulus\": 1e4, \"regions\": "
                          "[{\"region\": 4, \"youngModulus\": 1e4, \"density\": 1000}]}",
                          folder);
    double mixed = HangBox("\"mesh\": \"scene_layers.vtu\", \"tets\": {\"youngModulus\": 1e4, \"regions\": "
                           "[{\"region\": 4, \"youngModulus\": 2e4}]}",
                           folder);
    double field = HangBox("\"mesh\": \"scene_layers.vtu\", \"tets\": {\"field\": \"E\"}", folder);
    CHECK_NEAR(same / soft, 1.0, 1e-4);
    assert_true(mixed < 0.95 * soft);
    CHECK_NEAR(field, mixed, 0);

    // Masses: half of a cubic metre has another density
    const char* text =
        "{\"souple\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"scene_layers.vtu\", \"density\": "
        "500, \"tets\": {\"regions\": {\"region\": 4, \"density\": 2000}}}]}";
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene(text, strlen(text), folder, NULL, &error);
    assert_non_null(scene);
    spRun* run = Start(scene);
    spReal masses[27];
    assert_int_equal(spBody_CopyMasses(spRun_GetWorld(run), spRun_FindBody(run, "b"), masses, 27), 27);
    double total = 0.0;
    for (int i = 0; i < 27; ++i)
    {
        total += (double)masses[i];
    }
    CHECK_NEAR(total, 0.5 * 500.0 + 0.5 * 2000.0, 1e-3);
    spDestroyRun(run);
    spDestroyScene(scene);

    const char* wrong =
        "{\"souple\": 1, \"bodies\": [{\"mesh\": \"scene_layers.vtu\", \"tets\": {\"field\": \"F\"}}]}";
    spSceneProblem problem;
    assert_false(spCheckSceneText(wrong, strlen(wrong), folder, &problem, 1, NULL));
    assert_non_null(strstr(problem.message, "no array of cell values named \"F\""));
    remove(SOUPLE_BINARY_DIR "/test/scene_layers.vtu");
}

// A body that starts from equilibrium stays there
static void TestRelax(void** state)
{
    SP_UNUSED(state);
    static const char* const forms[] = {"true", "{\"tolerance\": 1e-4}",
                                        "{\"maxIterations\": 3, \"dynamic\": true}", "false"};
    for (int i = 0; i < SP_COUNT(forms); ++i)
    {
        char text[1000];
        snprintf(
            text, sizeof(text),
            "{\"souple\": 1, \"dt\": 0.01, \"duration\": 0.2, \"bodies\": [{\"name\": \"b\", \"mesh\": "
            "{\"generator\": \"beam\", \"cells\": [8, 2, 2]}, \"tets\": {\"youngModulus\": 1e6}, \"relax\": "
            "%s, \"pins\": {\"box\": {\"lower\": [0, -1, -1], \"upper\": [0, 1, 1]}}}], \"measurements\": "
            "[{\"type\": \"position\", \"body\": \"b\", \"point\": [1, 0, 0]}]}",
            forms[i]);
        spScene* scene = Parse(text);
        spRun* run = Start(scene);
        spRelaxResult result = {0};
        assert_true(spRun_GetRelaxResult(run, "b", &result) == (i < 3));
        assert_false(spRun_GetRelaxResult(run, "x", &result));
        assert_false(spRun_GetRelaxResult(run, NULL, &result));
        assert_true(result.converged == (i < 2));
        double start = spRun_GetMeasurement(run, 0), change = 0.0;
        while (!spRun_IsDone(run))
        {
            spRun_Step(run);
            change = fmax(change, fabs(spRun_GetMeasurement(run, 0) - start));
        }
        if (i < 2)
        {
            assert_true(start < -0.01 && change < 0.05 * -start);
        }
        if (i == 3)
        {
            CHECK_NEAR(start, 0.0, 1e-6);
            assert_true(change > 0.01);
        }
        spDestroyRun(run);
        spDestroyScene(scene);
    }
}

static void TestColors(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse("{\"souple\": 1, " BODY
                           ", \"output\": {\"picture\": {\"colour\": \"velocity\", \"range\": [1, 2.5]}}}");
    spSceneOutput output = spScene_GetOutput(scene);
    assert_int_equal(output.pictureColor, sp_colorVelocity);
    CHECK_NEAR(output.pictureLow, 1.0, 0);
    CHECK_NEAR(output.pictureHigh, 2.5, 0);
    spError error = SP_ZERO_INIT;
    assert_true(spSaveScene(scene, SOUPLE_BINARY_DIR "/test/scene_colors.json", true, &error));
    spDestroyScene(scene);
    scene = spLoadScene(SOUPLE_BINARY_DIR "/test/scene_colors.json", NULL, &error);
    assert_non_null(scene);
    CHECK_NEAR(spScene_GetOutput(scene).pictureHigh, 2.5, 0);
    spDestroyScene(scene);
    remove(SOUPLE_BINARY_DIR "/test/scene_colors.json");
}

// Plays a scene as it is, and as it is read again from a file that was written with what differs from the
// defaults, and with everything
static void PlayCopies(const char* text, void (*play)(spRun* run))
{
    const char* path = SOUPLE_BINARY_DIR "/test/copied_scene.json";
    spScene* scene = Parse(text);
    for (int copied = 0; copied < 3; ++copied)
    {
        spError error = SP_ZERO_INIT;
        assert_true(copied == 0 || spSaveScene(scene, path, copied == 2, &error));
        spScene* copy = copied == 0 ? Parse(text) : spLoadScene(path, NULL, &error);
        assert_non_null(copy);
        spRun* run = Start(copy);
        play(run);
        spDestroyRun(run);
        spDestroyScene(copy);
    }
    remove(path);
    spDestroyScene(scene);
}

static spMethodDef GetRunMethod(spRun* run)
{
    spBodyId body;
    assert_int_equal(spWorld_GetBodies(spRun_GetWorld(run), &body, 1), 1);
    return spBody_GetMethod(spRun_GetWorld(run), body);
}

static void CheckSolver(const spSolverDef* solver)
{
    assert_int_equal(solver->operatorType, sp_operatorMatrixFree);
    assert_int_equal(solver->preconditioner, sp_preconditionIncomplete);
    CHECK_NEAR(solver->tolerance, 2e-3, 1e-9);
    assert_int_equal(solver->maxIterations, 77);
    assert_int_equal(solver->newtonSteps, 3);
    CHECK_NEAR(solver->newtonTolerance, 3e-3, 1e-9);
    assert_true(solver->asynchronous && solver->warp == false);
    assert_int_equal(solver->refresh, 5);
    assert_int_equal(solver->age, 4);
    CHECK_NEAR(solver->dropTolerance, 4e-3, 1e-9);
}

static void CheckSolverRun(spRun* run)
{
    spMethodDef method = GetRunMethod(run);
    assert_int_equal(method.type, sp_bdf2);
    CheckSolver(&method.solver);
    while (spRun_IsDone(run) == false)
    {
        assert_int_equal(spRun_Step(run), 0);
        spSolverReport report = spBody_GetSolverReport(spRun_GetWorld(run), spRun_FindBody(run, "box"));
        assert_true(report.iterations > 0 && report.residual > 0.0);
        assert_true(spRun_GetMeasurement(run, 0) == report.iterations);
        assert_true(spRun_GetMeasurement(run, 1) == report.residual);
    }
    assert_string_equal(spRun_GetMeasurementUnit(run, 0), "");
    method = GetRunMethod(run);
    assert_int_equal(method.type, sp_imex);
    assert_int_equal(method.solver.preconditioner, sp_preconditionSsor);
    assert_int_equal(method.solver.maxIterations, spDefaultMethodDef().solver.maxIterations);
}

// Every key of a solver reaches the body, from the start and by an event, and comes back from a written file
static void TestSolver(void** state)
{
    SP_UNUSED(state);
    const char* text =
        "{\"souple\": 1, \"duration\": 0.2, \"bodies\": [{\"name\": \"box\", \"mesh\": {\"generator\": "
        "\"box\", "
        "\"cells\": [2, 2, 2]}, \"tets\": {}, \"pins\": [0, 1, 2], \"method\": {\"type\": \"bdf2\", "
        "\"solver\": "
        "{\"operator\": \"matrixFree\", \"preconditioner\": \"incompleteCholesky\", \"tolerance\": 0.002, "
        "\"maxIterations\": 77, \"newtonSteps\": 3, \"newtonTolerance\": 0.003, \"asynchronous\": true, "
        "\"warp\": false, \"refresh\": 5, \"age\": 4, \"dropTolerance\": 0.004}}}], \"events\": [{\"time\": "
        "0.1, "
        "\"type\": \"set\", \"body\": \"box\", \"method\": {\"type\": \"imex\", \"solver\": \"ssor\"}}], "
        "\"measurements\": [{\"name\": \"i\", \"type\": \"iterations\", \"body\": \"box\"}, {\"name\": "
        "\"r\", "
        "\"type\": \"residual\", \"body\": \"box\"}]}";
    PlayCopies(text, CheckSolverRun);
    assert_string_equal(spGetMethodWord(sp_quasiStatic), "quasiStatic");
    assert_string_equal(spGetOperatorWord(sp_operatorMatrixFree), "matrixFree");
    assert_string_equal(spGetPreconditionerWord(sp_preconditionIncomplete), "incompleteCholesky");
    assert_string_equal(spGetPreconditionerWord(sp_preconditionMultilevel), "multilevel");
    assert_string_equal(spGetMethodWord((spMethodType)-1), "");
    assert_string_equal(spGetPreconditionerWord(sp_preconditionerTypeCount), "");
}

static void CheckXpbd(const spXpbdDef* xpbd)
{
    assert_int_equal(xpbd->solver, sp_xpbdGaussSeidel);
    assert_int_equal(xpbd->accelerator, sp_accelerateAndersonPrinted);
    assert_int_equal(xpbd->tetRows, sp_tetRowsEnergy);
    assert_int_equal(xpbd->order, sp_xpbdColours);
    assert_int_equal(xpbd->iterations, 7);
    CHECK_NEAR(xpbd->relaxation, 1.25, 0);
    assert_int_equal(xpbd->window, 3);
    CHECK_NEAR(xpbd->conditionLimit, 512, 0);
    assert_false(xpbd->safeguard);
    CHECK_NEAR(xpbd->radius, 0.75, 0);
    assert_int_equal(xpbd->delay, 4);
}

static void CheckConstraintRun(spRun* run)
{
    spWorld* world = spRun_GetWorld(run);
    // Two given pairs and two tethers; of the cube the edges of its floor, one area, its tets, its
    // surface
    assert_int_equal(spBody_GetElementCount(world, spRun_FindBody(run, "chain")), 4);
    assert_int_equal(spBody_GetElementCount(world, spRun_FindBody(run, "cube")), 16 + 1 + 48 + 1);
    while (spRun_IsDone(run) == false)
    {
        assert_int_equal(spRun_Step(run), 0);
        if (fabs(spRun_GetTime(run) - 2.9) < 0.01)
        {
            // The soft link carries two masses
            CHECK_NEAR(spRun_GetMeasurement(run, 0), -0.001 * 2 * 9.81, 0.001);
        }
    }
    CHECK_NEAR(spRun_GetMeasurement(run, 0), -0.002 * 2 * 9.81, 0.002);
    CHECK_NEAR(spRun_GetMeasurement(run, 1), 1.2, 0.01);
}

// Every type of constraints is made as the scene says, is changed by events, and comes back from a written
// file
static void TestConstraints(void** state)
{
    SP_UNUSED(state);
    // A chain of two links that hangs: exact, then soft by an event; and a cube with everything
    const char* text =
        "{\"souple\": 1, \"duration\": 6, \"bodies\": [{\"name\": \"chain\", \"mesh\": {\"generator\": "
        "\"lattice\", \"counts\": [1, 3, 1], \"spacing\": 0.5}, \"nodeMass\": 1, \"pins\": 2, \"method\": "
        "{\"type\": \"xpbd\", \"xpbd\": {\"solver\": \"gaussSeidel\", \"iterations\": 40}}, "
        "\"constraints\": [{\"type\": \"distance\", \"pairs\": [[0, 1]]}, {\"type\": \"distance\", "
        "\"pairs\": [[1, 2]], \"compliance\": 0.001, \"damping\": 0.1}, {\"type\": \"tether\", "
        "\"restScale\": "
        "1.08}]}, {\"name\": \"cube\", \"mesh\": {\"generator\": \"box\", \"cells\": [2, 2, 2]}, "
        "\"gravityScale\": 0, \"method\": \"xpbd\", \"constraints\": [{\"type\": \"distance\", \"region\": "
        "{\"box\": {\"lower\": [-1, 0, -1], \"upper\": [1, 0, 1]}}}, {\"type\": \"area\", \"triangles\": "
        "[[0, "
        "1, 3]]}, {\"type\": \"volume\", \"compliance\": 1e-6}, {\"type\": \"bodyVolume\", \"restScale\": "
        "1.2}]}], \"events\": [{\"time\": 3, \"type\": \"set\", \"body\": \"chain\", \"index\": 1, "
        "\"constraints\": {\"compliance\": 0.002}}, {\"time\": 3, \"type\": \"set\", \"body\": \"cube\", "
        "\"method\": {\"type\": \"xpbd\", \"xpbd\": {\"iterations\": 60}}}], \"measurements\": [{\"type\": "
        "\"position\", \"body\": \"chain\", \"node\": 0}, {\"type\": \"volume\", \"body\": \"cube\"}]}";
    PlayCopies(text, CheckConstraintRun);
}

static void CheckXpbdRun(spRun* run)
{
    spMethodDef method = GetRunMethod(run);
    assert_int_equal(method.type, sp_xpbd);
    CheckXpbd(&method.xpbd);
    while (spRun_IsDone(run) == false)
    {
        assert_int_equal(spRun_Step(run) & ~(uint32_t)sp_stepSolverStopped, 0);
        double time = spRun_GetTime(run) - 0.5 * spRun_GetTimeStep(run);
        if (time < 0.1 || time > 0.2)
        {
            // Two substeps of seven sweeps, then one of the default
            assert_true(spRun_GetMeasurement(run, 0) == (time < 0.1 ? 14 : 20));
        }
    }
    method = GetRunMethod(run);
    assert_int_equal(method.type, sp_xpbd);
    assert_int_equal(method.xpbd.solver, sp_xpbdJacobi);
    assert_int_equal(method.xpbd.window, spDefaultMethodDef().xpbd.window);
}

// Every key of xpbd reaches the body and comes back from a written file; events exchange the method and
// change the material while it runs
static void TestXpbd(void** state)
{
    SP_UNUSED(state);
    const char* text =
        "{\"souple\": 1, \"duration\": 0.4, \"bodies\": [{\"name\": \"box\", \"mesh\": {\"generator\": "
        "\"box\", \"cells\": [2, 2, 2]}, \"tets\": {}, \"pins\": [0, 1, 2], \"method\": {\"type\": "
        "\"xpbd\", \"substeps\": 2, \"xpbd\": {\"solver\": \"gaussSeidel\", \"accelerator\": "
        "\"andersonPrinted\", \"tetRows\": \"energy\", \"order\": \"colours\", \"iterations\": 7, "
        "\"relaxation\": 1.25, "
        "\"window\": 3, \"conditionLimit\": 512, \"safeguard\": false, \"radius\": 0.75, \"delay\": "
        "4}}}], \"events\": [{\"time\": 0.1, \"type\": \"set\", \"body\": \"box\", \"method\": "
        "\"backwardEuler\"}, {\"time\": 0.2, \"type\": \"set\", \"body\": \"box\", \"tets\": "
        "{\"youngModulus\": 2e5}, \"method\": {\"type\": \"xpbd\", \"xpbd\": \"jacobi\"}}], "
        "\"measurements\": [{\"name\": \"i\", \"type\": \"iterations\", \"body\": \"box\"}]}";
    PlayCopies(text, CheckXpbdRun);
    assert_string_equal(spGetMethodWord(sp_xpbd), "xpbd");
    assert_string_equal(spGetXpbdSolverWord(sp_xpbdJacobi), "jacobi");
    assert_string_equal(spGetXpbdSolverWord(sp_xpbdSolverCount), "");
    assert_string_equal(spGetAcceleratorWord(sp_accelerateChebyshev), "chebyshev");
    assert_string_equal(spGetAcceleratorWord((spAccelerator)-1), "");
}

// The scene that says so: many tets turn inside out under the plate, and all come back
static void TestInversion(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    spScene* scene = spLoadScene(SOUPLE_SOURCE_DIR "/scenes/inversion.json", NULL, &error);
    assert_non_null(scene);
    spRun* run = Start(scene);
    assert_string_equal(spRun_GetMeasurementName(run, 2), "inverted tets");
    double most = 0.0;
    while (!spRun_IsDone(run))
    {
        assert_int_equal(spRun_Step(run), 0);
        most = fmax(most, spRun_GetMeasurement(run, 2));
    }
    print_message("%g tets were inside out\n", most);
    assert_true(most > 300.0);
    CHECK_NEAR(spRun_GetMeasurement(run, 2), 0, 0);
    assert_true(spRun_GetMeasurement(run, 0) > 0.3);        // as high as before, but for its weight
    CHECK_NEAR(spRun_GetMeasurement(run, 1), 0.033, 0.003); // its volume too
    spDestroyRun(run);
    spDestroyScene(scene);
}

// Tets inside of a surface, which is drawn, also where its mesh file stands alone
static void TestFill(void** state)
{
    SP_UNUSED(state);
    const char* text =
        "{\"souple\": 1, \"duration\": 0.05, \"bodies\": [{\"name\": \"fish\", \"mesh\": {\"fill\": "
        "\"fish.obj\", \"size\": 0.06}, \"transform\": {\"scale\": 2}, \"tets\": {}}]}";
    spError error = SP_ZERO_INIT;
    spMesh* fish = spLoadMesh(SOUPLE_SOURCE_DIR "/scenes/fish.obj", NULL, &error);
    assert_non_null(fish);
    spScene* scene = spParseScene(text, strlen(text), SOUPLE_SOURCE_DIR "/scenes", NULL, &error);
    assert_non_null(scene);
    spRun* run = Start(scene);
    spWorld* world = spRun_GetWorld(run);
    spBodyId body = spRun_FindBody(run, "fish");
    assert_true(spBody_GetElementCount(world, body) > 1000);
    assert_int_equal(spBody_GetSurfaceVertexCount(world, body), spMesh_GetVertexCount(fish));
    while (!spRun_IsDone(run))
    {
        assert_int_equal(spRun_Step(run), 0);
    }
    spDestroyRun(run);
    spDestroyScene(scene);
    spDestroyMesh(fish);

    // Larger tets inside
    int counts[2];
    for (int i = 0; i < 2; ++i)
    {
        char graded[256];
        snprintf(graded, sizeof(graded),
                 "{\"souple\": 1, \"bodies\": [{\"mesh\": {\"fill\": \"fish.obj\", \"size\": 0.02, "
                 "\"growth\": %d, "
                 "\"sharp\": 40}, \"tets\": {}}]}",
                 i);
        scene = spParseScene(graded, strlen(graded), SOUPLE_SOURCE_DIR "/scenes", NULL, &error);
        assert_non_null(scene);
        run = Start(scene);
        spBodyId first;
        assert_int_equal(spWorld_GetBodies(spRun_GetWorld(run), &first, 1), 1);
        counts[i] = spBody_GetElementCount(spRun_GetWorld(run), first);
        spDestroyRun(run);
        spDestroyScene(scene);
    }
    print_message("%d tets, with larger ones inside %d\n", counts[0], counts[1]);
    assert_true(counts[1] < counts[0] && counts[1] > counts[0] / 2);

    const char* sheet =
        "{\"souple\": 1, \"bodies\": [{\"mesh\": {\"fill\": \"fish.obj\", \"size\": 4}, \"tets\": {}}]}";
    scene = spParseScene(sheet, strlen(sheet), SOUPLE_SOURCE_DIR "/scenes", NULL, &error);
    assert_non_null(scene);
    spRunDef def = spDefaultRunDef();
    assert_null(spCreateRun(scene, &def, &error));
    assert_non_null(strstr(error.message, "ask for a smaller size"));
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 44);
    spDestroyScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestFreeFall),      cmocka_unit_test(TestPlacement),
        cmocka_unit_test(TestMeshFiles),     cmocka_unit_test(TestMotionOfColliders),
        cmocka_unit_test(TestSmoothMotion),  cmocka_unit_test(TestShapesInScenes),
        cmocka_unit_test(TestEvents),        cmocka_unit_test(TestEventThatFails),
        cmocka_unit_test(TestRunDefinition), cmocka_unit_test(TestTets),
        cmocka_unit_test(TestTetMaterials),  cmocka_unit_test(TestTetRegions),
        cmocka_unit_test(TestRelax),         cmocka_unit_test(TestSolver),
        cmocka_unit_test(TestXpbd),          cmocka_unit_test(TestConstraints),
        cmocka_unit_test(TestInversion),     cmocka_unit_test(TestColors),
        cmocka_unit_test(TestFill),          cmocka_unit_test(TestWarningsOfARun),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
