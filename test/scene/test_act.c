// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Acts: events that come while a scene runs. What they do, what is refused, that they leave no memory behind,
// and that a recording of them gives the same bits again.

#include "scene/run.h"

#include "test/scene_test.h"

#define WORK SOUPLE_BINARY_DIR "/test"

// A cube of tets above a ground, with the method that is asked for
#define CUBE(method)                                                                                         \
    "{\"name\": \"cube\", \"mesh\": {\"generator\": \"box\", \"size\": [0.4, 0.4, 0.4], \"cells\": [2, 2, "  \
    "2]}, \"tets\": {\"youngModulus\": 20000, \"damping\": 0.02}, \"density\": 200, \"method\": " method "}"
#define GROUND                                                                                               \
    "\"colliders\": {\"name\": \"ground\", \"shape\": \"plane\", \"transform\": {\"position\": [0, -0.5, "   \
    "0]}}"

// Cube, sheet and net, each with a method of its own; events of the scene; a hold from the start
#define MIXED(solver)                                                                                        \
    "{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"bodies\": [" CUBE(                                     \
        "{\"type\": \"backwardEuler\"" solver                                                                \
        "}") ", "                                                                                            \
             "{\"name\": \"sheet\", \"mesh\": {\"generator\": \"cloth\", \"sizeX\": 0.6, \"sizeZ\": 0.6, "   \
             "\"countX\": 6, \"countZ\": 6}, \"transform\": {\"position\": [1, 0.5, 0]}, \"density\": 0.3, " \
             "\"springs\": {\"stiffness\": 100}, \"method\": \"xpbd\", \"pins\": [0]}, "                     \
             "{\"name\": \"net\", \"mesh\": {\"generator\": \"lattice\", \"counts\": [4, 4, 2]}, "           \
             "\"transform\": "                                                                               \
             "{\"position\": [-1.5, 0, 0]}, \"nodeMass\": 0.01, \"springs\": {\"stiffness\": 60, "           \
             "\"damping\": 0.1}}], " GROUND                                                                  \
             ", \"attachments\": {\"name\": \"hold\", \"body\": \"net\", \"nodes\": 0}, "                    \
             "\"events\": [{\"time\": 0.05, \"type\": \"grab\", \"name\": \"puller\", \"body\": \"cube\", "  \
             "\"nodes\": {\"nearest\": {\"point\": [0, 0.4, 0], \"count\": 4}}, \"stiffness\": 500}, "       \
             "{\"time\": 0.06, \"type\": \"move\", \"grab\": \"puller\", \"offset\": [0, 0.3, 0], "          \
             "\"duration\": 0.1}, "                                                                          \
             "{\"time\": 0.1, \"type\": \"force\", \"body\": \"net\", \"nodes\": [3, 7], \"force\": [0, 0, " \
             "0.2], "                                                                                        \
             "\"duration\": 0.1}, "                                                                          \
             "{\"time\": 0.25, \"type\": \"release\", \"grab\": \"puller\"}], "                              \
             "\"measurements\": [{\"type\": \"position\", \"body\": \"cube\"}, {\"type\": \"linkForce\", "   \
             "\"link\": "                                                                                    \
             "\"puller\"}]}"

static void Act(spRun* run, const char* text)
{
    spError error = SP_ZERO_INIT;
    if (!spRun_Act(run, text, strlen(text), &error))
    {
        fail_msg("%s: %s", text, error.message);
    }
}

static void Refuse(spRun* run, const char* text, const char* message)
{
    spError error = SP_ZERO_INIT;
    assert_false(spRun_Act(run, text, strlen(text), &error));
    assert_true(error.code != sp_errorNone);
    if (strstr(error.message, message) == NULL)
    {
        fail_msg("%s: \"%s\" does not say \"%s\"", text, error.message, message);
    }
}

static uint32_t Steps(spRun* run, int count)
{
    uint32_t flags = 0;
    for (int i = 0; i < count; ++i)
    {
        flags |= spRun_Step(run);
    }
    return flags;
}

static uint64_t Hash(spRun* run)
{
    return spWorld_GetStateHash(spRun_GetWorld(run));
}

static void CheckFinite(spRun* run, double far)
{
    spWorld* world = spRun_GetWorld(run);
    spBodyId bodies[8];
    int count = spWorld_GetBodies(world, bodies, 8);
    for (int k = 0; k < count; ++k)
    {
        spVec3View x = spBody_GetPositions(world, bodies[k]);
        for (int i = 0; i < x.count; ++i)
        {
            if (!(fabs((double)x.data[i].x) < far && fabs((double)x.data[i].y) < far &&
                  fabs((double)x.data[i].z) < far))
            {
                fail_msg("node %d of body %d is at (%g, %g, %g)", i, k, (double)x.data[i].x,
                         (double)x.data[i].y, (double)x.data[i].z);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------

static const struct
{
    const char* text;
    const char* message;
} s_bad[] = {
    {"", "an act has a text"},
    {"x", "not JSON"},
    {"{", "not JSON"},
    {"{} {}", "not JSON"},
    {"\xff\xfe", "not JSON"},
    {"[]", "one JSON object"},
    {"3", "not JSON"},
    {"{}", "\"type\" is missing"},
    {"{\"type\": 7}", "but is a number"},
    {"{\"type\": \"grap\"}", "did you mean \"grab\"?"},
    {"{\"type\": \"lift\", \"time\": 0}", "an act has no \"time\""},
    {"{\"type\": \"lift\", \"type\": \"lift\"}", "duplicate"},
    {"{\"type\": \"lift\", \"radius\": 1}", "has no meaning for type \"lift\""},
    {"{\"type\": \"lift\", \"quux\": 1}", "unknown key \"quux\""},
    {"{\"type\": \"poke\"}", "\"position\" is missing"},
    {"{\"type\": \"poke\", \"position\": [0, 0]}", "must be a list of 3 numbers"},
    {"{\"type\": \"poke\", \"position\": [0, 0, NaN]}", "not JSON"},
    {"{\"type\": \"poke\", \"position\": [0, 0, Infinity]}", "not JSON"},
    {"{\"type\": \"poke\", \"position\": [0, 0, 1e999]}", "not JSON"},
    {"{\"type\": \"poke\", \"position\": [0, 0, 1e300]}", "must be at most"},
    {"{\"type\": \"poke\", \"position\": [0, 0, 99999999999999999999]}", "not JSON"},
    {"{\"type\": \"poke\", \"position\": [0, 0, 0], \"radius\": 0}", "must be greater than 0"},
    {"{\"type\": \"poke\", \"position\": [0, 0, 0], \"radius\": -1}", "must be greater than 0"},
    {"{\"type\": \"poke\", \"position\": [0, 0, 0], \"radius\": \"big\"}", "must be a number"},
    {"{\"type\": \"grab\", \"body\": \"cube\", \"nodes\": 0}", "\"name\" is missing"},
    {"{\"type\": \"grab\", \"name\": \"\", \"body\": \"cube\", \"nodes\": 0}", "1 to 63 bytes"},
    {"{\"type\": \"grab\", \"name\": "
     "\"0123456789012345678901234567890123456789012345678901234567890123\", \"body\": \"cube\", \"nodes\": "
     "0}",
     "1 to 63 bytes"},
    {"{\"type\": \"grab\", \"name\": \"h\", \"body\": \"cub\", \"nodes\": 0}", "did you mean \"cube\"?"},
    {"{\"type\": \"grab\", \"name\": \"h\", \"body\": \"cube\", \"nodes\": 27}", "27"},
    {"{\"type\": \"grab\", \"name\": \"h\", \"body\": \"cube\", \"nodes\": -1}", "at least 0"},
    {"{\"type\": \"grab\", \"name\": \"h\", \"body\": \"cube\", \"nodes\": []}", ""},
    {"{\"type\": \"grab\", \"name\": \"h\", \"body\": \"cube\", \"nodes\": 0, \"stiffness\": -1}",
     "at least 0"},
    {"{\"type\": \"grab\", \"name\": \"h\", \"body\": 5, \"nodes\": 0}", "must be a text"},
    {"{\"type\": \"move\", \"grab\": \"h\", \"offset\": [0, 0, 0]}", "holds nothing"},
    {"{\"type\": \"move\", \"grab\": \"puller\", \"offset\": [0, 0, 0]}", "holds nothing"},
    {"{\"type\": \"release\", \"grab\": \"h\"}", "holds nothing"},
    {"{\"type\": \"release\", \"grab\": \"\"}", "holds nothing"},
    {"{\"type\": \"pin\", \"body\": \"cube\", \"nodes\": 4000001}", "at most"},
    {"{\"type\": \"force\", \"body\": \"cube\", \"nodes\": 0}", "\"force\" is missing"},
    {"{\"type\": \"set\"}", "sets nothing"},
    {"{\"type\": \"set\", \"dt\": 0}", "at least"},
    {"{\"type\": \"set\", \"dt\": 11}", "at most"},
    {"{\"type\": \"set\", \"gravity\": 3}", "list of 3 numbers"},
    {"{\"type\": \"set\", \"tets\": {\"youngModulus\": 5}}", "\"body\" is missing"},
    {"{\"type\": \"set\", \"body\": \"cube\", \"tets\": {\"poissonRatio\": 0.5}}", "at most"},
    {"{\"type\": \"set\", \"body\": \"cube\", \"stiffness\": 5}", "has 0 springs"},
    {"{\"type\": \"set\", \"body\": \"cube\", \"method\": {\"type\": \"fast\"}}", "unknown word"},
    {"{\"type\": \"set\", \"body\": \"cube\", \"tets\": {\"youngModulus\": 5}, \"method\": {\"type\": "
     "\"backwardEuler\", \"filter\": \"gaussian\"}}",
     "no velocity filter"},
    {"{\"type\": \"save\"}", "\"name\" is missing"},
    {"{\"type\": \"save\", \"name\": \"\"}", "1 to 63 bytes"},
    {"{\"type\": \"save\", \"name\": \"start\"}", "choose another name"},
    {"{\"type\": \"restore\", \"name\": \"end\"}", "no state \"end\""},
    {"{\"type\": \"set\", \"body\": \"sheet\", \"method\": {\"type\": \"xpbd\", \"substeps\": 1000000, "
     "\"xpbd\": {\"iterations\": 1000000}}}",
     "would stand still"},
    {"{\"type\": \"set\", \"body\": \"cube\", \"method\": {\"type\": \"bdf2\", \"substeps\": 1000000, "
     "\"solver\": {\"maxIterations\": 1000000}}}",
     "would stand still"},
};

static void TestBadActs(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(MIXED(""));
    spRun* run = StartWith(scene, NULL);
    Steps(run, 3);
    uint64_t hash = Hash(run);
    size_t bytes = run->heap.byteCount, worldBytes = spWorld_GetByteCount(run->world);
    for (int i = 0; i < SP_COUNT(s_bad); ++i)
    {
        Refuse(run, s_bad[i].text, s_bad[i].message);
        assert_true(Hash(run) == hash);
        assert_true(run->heap.byteCount == bytes);
        assert_true(spWorld_GetByteCount(run->world) == worldBytes);
    }
    if (sizeof(spReal) == sizeof(float))
    {
        Refuse(run, "{\"type\": \"poke\", \"position\": [0, 0, 0], \"radius\": 1e-300}", "too small");
        Refuse(run, "{\"type\": \"set\", \"body\": \"cube\", \"tets\": {\"youngModulus\": 1e-300}}",
               "too small");
    }
    assert_false(spRun_Act(run, NULL, 3, NULL));
    assert_false(spRun_Act(NULL, "{}", 2, NULL));

    // Too large, too deep, also where brackets are in texts; a text that ends in the middle of one
    char* text = malloc(SP_MAX_ACT_SIZE + 2);
    memset(text, ' ', SP_MAX_ACT_SIZE + 1);
    text[SP_MAX_ACT_SIZE + 1] = 0;
    Refuse(run, text, "at most 65536 bytes");
    memset(text, '[', SP_MAX_ACT_SIZE);
    text[SP_MAX_ACT_SIZE] = 0;
    Refuse(run, text, "brackets in each other");
    Refuse(run, "{\"type\": \"[[[[[[[[[[[[[[[[[[[[[[[[\"}", "unknown word");
    Refuse(run, "{\"type\": \"\\", "not JSON");
    Refuse(run, "{\"type\": \"\\\"[[[[[[[[[[[[[[[[[[[[\"}", "unknown word");
    spError error = SP_ZERO_INIT;
    assert_false(spRun_Act(run, "{\"type\": \"lift\"}\0", 17, &error));
    assert_true(Hash(run) == hash);

    // Lines and columns are those of the act
    assert_false(spRun_Act(run, "{\"type\":\n \"poke\", \"position\": 3}", 32, &error));
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 22);
    free(text);

    // Garbage made from good acts
    uint64_t seed = 71;
    const char* good =
        "{\"type\": \"grab\", \"name\": \"h\", \"body\": \"cube\", \"nodes\": {\"nearest\": {\"point\": "
        "[0, 0.4, 0], \"count\": 4}}, \"stiffness\": 500}";
    char bent[256];
    for (int i = 0; i < 3000; ++i)
    {
        size_t size = strlen(good);
        memcpy(bent, good, size);
        for (int k = 0; k < 3; ++k)
        {
            bent[(int)spRandomRange(&seed, 0, (int)size - 1)] = (char)(int)spRandomRange(&seed, 0, 255);
        }
        if (spRun_Act(run, bent, size, NULL))
        {
            spHandInfo info;
            assert_true(spRun_GetHand(run, 0, &info));
            spReleaseLink(run, &run->links[run->sceneLinkCount]);
        }
    }
    assert_true(run->heap.byteCount == bytes);
    Steps(run, 10);
    CheckFinite(run, 10.0);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// A cube of every method, held by springs of every stiffness: stable, and the force can be read
static void TestGrabStiffness(void** state)
{
    SP_UNUSED(state);
    static const char* const s_methods[] = {
        "\"symplecticEuler\"",
        "\"verlet\"",
        "\"backwardEuler\"",
        "\"localImplicit\"",
        "\"imex\"",
        "\"bdf2\"",
        "\"xpbd\"",
        "{\"type\": \"xpbd\", \"xpbd\": {\"solver\": \"gaussSeidel\"}}",
        "\"quasiStatic\"",
    };
    static const double s_stiffness[] = {1e-40, 1e-6, 1, 100, 1e4, 1e6, 1e9, 1e15, 0};
    for (int m = 0; m < 2 * SP_COUNT(s_methods); ++m)
    {
        // As heavy as wood, and as light as foam of soap
        bool light = m >= SP_COUNT(s_methods);
        const char* method = s_methods[m % SP_COUNT(s_methods)];
        char text[1000];
        snprintf(
            text, sizeof(text),
            "{\"souple\": 1, \"dt\": 0.0166666667, \"gravity\": [0, 0, 0], \"bodies\": {\"name\": "
            "\"cube\", \"mesh\": {\"generator\": \"box\", \"size\": [0.4, 0.4, 0.4], \"cells\": [2, 2, "
            "2]}, \"tets\": {\"youngModulus\": %g, \"damping\": 0.02}, \"density\": %g, \"method\": %s}}",
            light ? 20.0 : 20000.0, light ? 0.1 : 200.0, method);
        spScene* scene = Parse(text);
        for (int k = 0; k < SP_COUNT(s_stiffness); ++k)
        {
            spRun* run = StartWith(scene, NULL);
            if (strstr(method, "quasiStatic") != NULL)
            {
                Act(run, "{\"type\": \"pin\", \"body\": \"cube\", \"nodes\": {\"box\": {\"lower\": [-1, -1, "
                         "-1], \"upper\": [1, 0.01, 1]}}}");
            }
            snprintf(
                text, sizeof(text),
                "{\"type\": \"grab\", \"name\": \"hand\", \"body\": \"cube\", \"stiffness\": %g, \"nodes\": "
                "{\"nearest\": {\"point\": [0, 0.4, 0], \"count\": 3}}}",
                s_stiffness[k]);
            Act(run, text);
            uint32_t flags = 0;
            for (int i = 0; i < 90; ++i)
            {
                // A hand that jerks about, then holds still
                double t = i < 45 ? 0.1 * ((i / 5) % 3) : 0.1;
                snprintf(text, sizeof(text),
                         "{\"type\": \"move\", \"grab\": \"hand\", \"offset\": [%g, %g, 0]}", t, 0.5 * t);
                Act(run, text);
                flags |= spRun_Step(run);
            }
            if ((flags & (sp_stepNonFinite | sp_stepBadInput | SP_RUN_EVENT_FAILED)) != 0)
            {
                fail_msg("%s at %g N/m, %s: flags %x", method, s_stiffness[k], light ? "light" : "heavy",
                         flags);
            }
            CheckFinite(run, 3.0);
            spHandInfo info;
            assert_true(spRun_GetHand(run, 0, &info));
            assert_string_equal(info.name, "hand");
            assert_true(info.live && info.bodyIndex == 0);
            CHECK_NEAR(info.hand.x - info.point.x, 0, 5.0);
            if (s_stiffness[k] >= 1e4 || s_stiffness[k] == 0)
            {
                // Where the hand is
                CHECK_NEAR(info.hand.x, info.point.x, 0.02);
                CHECK_NEAR(info.hand.y, info.point.y, 0.02);
            }
            else if (s_stiffness[k] == 100 && !light)
            {
                // Three springs; the force is the mean over the step, so it lags by a part of it
                double want = 3 * 100 * (double)(info.hand.x - info.point.x);
                CHECK_NEAR(info.force.x, want, 0.2 * fabs(want) + 1.0);
            }
            assert_true(isfinite((double)info.force.x) && isfinite((double)info.force.y));
            spDestroyRun(run);
        }
        spDestroyScene(scene);
    }
}

static void TestHands(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(MIXED(""));
    spRun* run = StartWith(scene, NULL);
    spHandInfo info;
    assert_int_equal(spRun_GetHandCount(run), 0);
    assert_false(spRun_GetHand(run, 0, &info));
    Act(run,
        "{\"type\": \"grab\", \"name\": \"a\", \"body\": \"sheet\", \"nodes\": [30, 35], \"stiffness\": 20}");
    Refuse(run, "{\"type\": \"grab\", \"name\": \"a\", \"body\": \"sheet\", \"nodes\": [1]}",
           "holds already");
    Refuse(run, "{\"type\": \"grab\", \"name\": \"hold\", \"body\": \"sheet\", \"nodes\": [1]}",
           "holds already");
    Act(run, "{\"type\": \"move\", \"grab\": \"a\", \"offset\": [0, 0.1, 0], \"duration\": 0.05}");
    Steps(run, 6);
    assert_int_equal(spRun_GetHandCount(run), 2);
    assert_true(spRun_GetHand(run, 0, &info));
    assert_string_equal(info.name, "puller");
    assert_false(info.live);
    assert_int_equal(info.bodyIndex, 0);
    assert_true(spRun_GetHand(run, 1, &info));
    assert_string_equal(info.name, "a");
    assert_true(info.live && info.bodyIndex == 1);
    CHECK_NEAR(info.hand.y, 0.6, 1e-5);
    assert_true(info.force.y > 0);
    assert_false(spRun_GetHand(run, 2, &info));
    assert_false(spRun_GetHand(run, -1, &info));

    // The name of a grab of the scene may be taken once it has let go, and comes first then
    Steps(run, 25);
    assert_int_equal(spRun_GetHandCount(run), 1);
    Act(run, "{\"type\": \"grab\", \"name\": \"puller\", \"body\": \"sheet\", \"nodes\": [3]}");
    Act(run, "{\"type\": \"release\", \"grab\": \"puller\"}");
    Act(run, "{\"type\": \"release\", \"grab\": \"a\"}");

    // An attachment can be released too, and moved when it holds in space
    Act(run, "{\"type\": \"move\", \"grab\": \"hold\", \"offset\": [0, 0.2, 0]}");
    Steps(run, 1);
    Act(run, "{\"type\": \"release\", \"grab\": \"hold\"}");
    Refuse(run, "{\"type\": \"release\", \"grab\": \"hold\"}", "holds nothing");

    char text[200];
    for (int i = 0; i < SP_MAX_LIVE_GRABS; ++i)
    {
        snprintf(text, sizeof(text),
                 "{\"type\": \"grab\", \"name\": \"h%d\", \"body\": \"sheet\", \"nodes\": %d}", i, i);
        Act(run, text);
    }
    Refuse(run, "{\"type\": \"grab\", \"name\": \"one\", \"body\": \"sheet\", \"nodes\": 1}", "16 hands");
    assert_int_equal(spRun_GetHandCount(run), SP_MAX_LIVE_GRABS);
    assert_int_equal(Steps(run, 5), 0);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// ---------------------------------------------------------------------------------------------------------

// A sphere pushes bodies of every method, however violently it is moved
static void TestPoke(void** state)
{
    SP_UNUSED(state);
    static const char* const s_methods[] = {"\"symplecticEuler\"", "\"backwardEuler\"", "\"bdf2\"",
                                            "\"xpbd\"",
                                            "{\"type\": \"xpbd\", \"xpbd\": {\"solver\": \"gaussSeidel\"}}"};
    for (int m = 0; m < SP_COUNT(s_methods); ++m)
    {
        char text[1000];
        snprintf(
            text, sizeof(text),
            "{\"souple\": 1, \"dt\": 0.0166666667, \"bodies\": " CUBE("%s") ", \"colliders\": {\"shape\": "
                                                                            "\"plane\"}}",
            s_methods[m]);
        spScene* scene = Parse(text);
        spRun* run = StartWith(scene, NULL);
        spVec3 center, force;
        spReal radius;
        assert_false(spRun_GetTool(run, &center, &radius, &force));
        Act(run, "{\"type\": \"lift\"}");

        // Slowly, from the side
        for (int i = 0; i < 60; ++i)
        {
            snprintf(text, sizeof(text), "{\"type\": \"poke\", \"position\": [%g, 0.2, 0], \"radius\": 0.15}",
                     -0.5 + 0.006 * i);
            Act(run, text);
            assert_int_equal(Steps(run, 1) & (sp_stepNonFinite | SP_RUN_EVENT_FAILED), 0);
        }
        assert_true(spRun_GetTool(run, &center, &radius, &force));
        CHECK_NEAR(center.x, -0.5 + 0.006 * 59, 1e-5);
        CHECK_NEAR(radius, 0.15, 1e-6);
        assert_true(force.x < 0);
        spVec3View x = spBody_GetPositions(run->world, run->bodies[0].id);
        double mean = 0.0;
        for (int i = 0; i < x.count; ++i)
        {
            mean += (double)x.data[i].x / x.count;
        }
        assert_true(mean > 0.02);

        // Violently, and with a sphere that appears inside
        uint64_t seed = 5;
        for (int i = 0; i < 120; ++i)
        {
            snprintf(text, sizeof(text), "{\"type\": \"poke\", \"position\": [%g, %g, %g], \"radius\": %g}",
                     spRandomRange(&seed, -3, 3), spRandomRange(&seed, -1, 3), spRandomRange(&seed, -3, 3),
                     i % 40 < 20 ? 0.15 : 0.3);
            Act(run, text);
            assert_int_equal(Steps(run, 1) & (sp_stepNonFinite | SP_RUN_EVENT_FAILED), 0);
        }
        Act(run, "{\"type\": \"lift\"}");
        assert_false(spRun_GetTool(run, NULL, NULL, NULL));
        Act(run, "{\"type\": \"poke\", \"position\": [1e6, 1e6, -1e6], \"radius\": 1000}");
        Steps(run, 1);
        Act(run, "{\"type\": \"poke\", \"position\": [-1e6, 1e6, -1e6]}");
        Steps(run, 3);
        Act(run, "{\"type\": \"lift\"}");
        x = spBody_GetPositions(run->world, run->bodies[0].id);
        snprintf(text, sizeof(text), "{\"type\": \"poke\", \"position\": [%g, %g, %g], \"radius\": 0.1}",
                 (double)x.data[13].x, (double)x.data[13].y, (double)x.data[13].z);
        Act(run, text);
        assert_int_equal(Steps(run, 60) & (sp_stepNonFinite | SP_RUN_EVENT_FAILED), 0);
        CheckFinite(run, 30.0);
        spDestroyRun(run);
        spDestroyScene(scene);
    }
}

// The tool moves at 5 m/s at most
static void TestToolSpeed(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(MIXED(""));
    spRun* run = StartWith(scene, NULL);
    spVec3 center;
    spReal radius;
    Act(run, "{\"type\": \"poke\", \"position\": [0, 5, 0]}");
    assert_true(spRun_GetTool(run, &center, &radius, NULL));
    CHECK_NEAR(radius, 0.1, 1e-6);
    Steps(run, 1);
    Act(run, "{\"type\": \"poke\", \"position\": [0, 6, 0]}");
    Steps(run, 10);
    assert_true(spRun_GetTool(run, &center, NULL, NULL));
    CHECK_NEAR(center.y, 5.5, 1e-4);
    Steps(run, 11);
    assert_true(spRun_GetTool(run, &center, NULL, NULL));
    assert_true(center.y == 6);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// ---------------------------------------------------------------------------------------------------------

static void TestStates(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(MIXED(""));
    spRun* run = StartWith(scene, NULL);
    assert_int_equal(spRun_GetStateCount(run), 1);
    assert_string_equal(spRun_GetStateName(run, 0), "start");
    assert_string_equal(spRun_GetStateName(run, 1), "");

    // In the middle of the time line: a grab that moves, a force that pulls
    Steps(run, 12);
    uint64_t at = Hash(run);
    Act(run, "{\"type\": \"save\", \"name\": \"middle\"}");
    assert_true(Hash(run) == at);
    Steps(run, 28);
    uint64_t end = Hash(run);
    double y = spRun_GetMeasurement(run, 0);
    for (int i = 0; i < 3; ++i)
    {
        // The grab was released since, so it is made again
        Act(run, "{\"type\": \"restore\", \"name\": \"middle\"}");
        CHECK_NEAR(spRun_GetTime(run), 0.12, 1e-6);
        assert_int_equal(spRun_GetHandCount(run), 1);
        assert_int_equal(run->pullCount, 1);
        if (i == 1)
        {
            // What the hand does now goes with the next restore
            Act(run, "{\"type\": \"grab\", \"name\": \"a\", \"body\": \"net\", \"nodes\": [9]}");
            Act(run, "{\"type\": \"poke\", \"position\": [0, 0.5, 0]}");
            Act(run, "{\"type\": \"force\", \"body\": \"sheet\", \"nodes\": [9], \"force\": [0, 5, 0]}");
            Act(run, "{\"type\": \"pin\", \"body\": \"cube\", \"nodes\": [0]}");
            Act(run, "{\"type\": \"free\", \"body\": \"sheet\", \"nodes\": [0]}");
            Act(run, "{\"type\": \"release\", \"grab\": \"hold\"}");
            Act(run, "{\"type\": \"save\", \"name\": \"busy\"}");
            Steps(run, 7);
            continue;
        }
        Steps(run, 28);
        // The same bits; but after pins came and went factors are made anew
        assert_true(i == 2 || Hash(run) == end);
        CHECK_NEAR(spRun_GetMeasurement(run, 0), y, 1e-3);
    }
    Act(run, "{\"type\": \"restore\", \"name\": \"busy\"}");
    assert_int_equal(spRun_GetHandCount(run), 1);
    assert_false(spRun_GetTool(run, NULL, NULL, NULL));
    assert_int_equal(run->livePullCount, 0);
    assert_false(run->links[0].held);
    assert_int_equal(Steps(run, 5), 0);

    // From the beginning, events included
    Act(run, "{\"type\": \"restore\", \"name\": \"start\"}");
    assert_true(run->links[0].held);
    spVec3View x = spBody_GetPositions(run->world, run->bodies[0].id);
    CHECK_NEAR(x.data[0].y, 0, 1e-6);
    assert_int_equal(spRun_GetHandCount(run), 0);
    assert_int_equal(run->pullCount, 0);
    assert_int_equal(Steps(run, 40), 0);
    CHECK_NEAR(spRun_GetMeasurement(run, 0), y, 1e-3);

    // As many as fit; a name that is there is replaced
    char text[100];
    for (int i = 0; i < 20; ++i)
    {
        snprintf(text, sizeof(text), "{\"type\": \"save\", \"name\": \"s%d\"}", i % 13);
        Act(run, text);
    }
    assert_int_equal(spRun_GetStateCount(run), SP_MAX_STATES);
    Refuse(run, "{\"type\": \"save\", \"name\": \"more\"}", "16 states are saved already");
    Act(run, "{\"type\": \"save\", \"name\": \"s12\"}");
    spDestroyRun(run);
    spDestroyScene(scene);
}

// Methods, materials, gravity and time step stay; the stable step of an explicit body follows its material
static void TestRestoreKeepsSettings(void** state)
{
    SP_UNUSED(state);
    static const char* const s_methods[] = {
        "\"symplecticEuler\"",
        "\"backwardEuler\"",
        "{\"type\": \"bdf2\", \"solver\": {\"preconditioner\": \"jacobi\"}}",
        "\"xpbd\"",
        "{\"type\": \"xpbd\", \"xpbd\": {\"solver\": \"gaussSeidel\"}}",
        ("{\"type\": \"backwardEuler\", \"solver\": {\"preconditioner\": "
         "\"incompleteCholesky\", \"asynchronous\": true, \"age\": 2}}")};
    for (int from = 0; from < SP_COUNT(s_methods); ++from)
    {
        char text[1000];
        snprintf(text, sizeof(text), "{\"souple\": 1, \"dt\": 0.01, \"bodies\": " CUBE("%s") ", " GROUND "}",
                 s_methods[from]);
        spScene* scene = Parse(text);
        for (int to = 0; to < SP_COUNT(s_methods); ++to)
        {
            spRun* run = StartWith(scene, NULL);
            Steps(run, 5);
            Act(run, "{\"type\": \"save\", \"name\": \"five\"}");
            spVec3View x = spBody_GetPositions(run->world, run->bodies[0].id);
            spReal y = x.data[13].y;
            Steps(run, 5);
            snprintf(
                text, sizeof(text),
                "{\"type\": \"set\", \"body\": \"cube\", \"method\": %s, \"tets\": {\"youngModulus\": 5e5}, "
                "\"gravity\": [0, -5, 0], \"dt\": 0.02}",
                s_methods[to]);
            Act(run, text);
            Steps(run, 10);
            spMethodDef before = spBody_GetMethod(run->world, run->bodies[0].id);
            Act(run, "{\"type\": \"restore\", \"name\": \"five\"}");
            x = spBody_GetPositions(run->world, run->bodies[0].id);
            assert_true(x.data[13].y == y);
            CHECK_NEAR(spRun_GetTime(run), 0.05, 1e-6);
            spMethodDef after = spBody_GetMethod(run->world, run->bodies[0].id);
            assert_true(before.type == after.type &&
                        before.solver.preconditioner == after.solver.preconditioner);
            CHECK_NEAR(spWorld_GetGravity(run->world).y, -5, 1e-6);
            CHECK_NEAR(spRun_GetTimeStep(run), 0.02, 1e-12);
            spReal young;
            assert_true(
                spBody_GetTets(run->world, run->bodies[0].id, run->bodies[0].tetSet, &young, NULL, NULL));
            CHECK_NEAR(young, 5e5, 1);
            uint32_t flags = Steps(run, 60);
            if ((flags & (sp_stepNonFinite | sp_stepUnstable | SP_RUN_EVENT_FAILED)) != 0)
            {
                fail_msg("from %s to %s: flags %x", s_methods[from], s_methods[to], flags);
            }
            CheckFinite(run, 2.0);
            spDestroyRun(run);
        }
        spDestroyScene(scene);
    }
}

// The same events from a scene file; a scene that goes in circles ends
static void TestSceneEvents(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse("{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"bodies\": " CUBE(
        "\"backwardEuler\"") ", \"events\": ["
                             "{\"time\": 0, \"type\": \"pin\", \"body\": \"cube\", \"nodes\": 0}, "
                             "{\"time\": 0.05, \"type\": \"poke\", \"position\": [0, 0.6, 0], \"radius\": "
                             "0.2}, "
                             "{\"time\": 0.1, \"type\": \"save\", \"name\": \"a\"}, "
                             "{\"time\": 0.1, \"type\": \"set\", \"dt\": 0.005}, "
                             "{\"time\": 0.15, \"type\": \"lift\"}, "
                             "{\"time\": 0.2, \"type\": \"restore\", \"name\": \"a\"}, "
                             "{\"time\": 0.3, \"type\": \"lift\"}]}");
    spRun* run = StartWith(scene, NULL);
    assert_int_equal(Steps(run, 5), 0);
    assert_false(spRun_GetTool(run, NULL, NULL, NULL));
    assert_int_equal(Steps(run, 7), 0);
    assert_true(spRun_GetTool(run, NULL, NULL, NULL));
    CHECK_NEAR(spRun_GetTime(run), 0.11, 1e-6);
    int steps = 12;
    double latest = 0.0;
    while (!spRun_IsDone(run) && steps < 1000)
    {
        assert_int_equal(spRun_Step(run), 0);
        latest = fmax(latest, spRun_GetTime(run));
        steps += 1;
    }
    // 0.1 s in steps of 0.01 s, the rest in steps of half that
    assert_int_equal(steps, 10 + 180);
    assert_true(latest < 0.21);
    spDestroyRun(run);
    spDestroyScene(scene);

    // What saves and restores at the same moment still moves on
    scene = Parse("{\"souple\": 1, \"dt\": 0.01, \"duration\": 0.3, \"bodies\": " CUBE(
        "\"xpbd\"") ", \"events\": [{\"time\": 0.1, \"type\": \"save\", \"name\": \"a\"}, "
                    "{\"time\": 0.1, \"type\": \"restore\", \"name\": \"a\"}]}");
    run = StartWith(scene, NULL);
    for (steps = 0; !spRun_IsDone(run); ++steps)
    {
        spRun_Step(run);
    }
    assert_int_equal(steps, 30);
    spDestroyRun(run);
    spDestroyScene(scene);

    static const struct
    {
        const char* event;
        const char* message;
    } s_wrong[] = {
        {"{\"time\": 1, \"type\": \"restore\", \"name\": \"a\"}", "no event saves a state \"a\" before"},
        {"{\"time\": 1, \"type\": \"save\", \"name\": \"start\"}", "choose another name"},
        {"{\"time\": 1, \"type\": \"save\"}", "\"name\" is missing"},
        {"{\"time\": 1, \"type\": \"poke\"}", "\"position\" is missing"},
        {"[{\"time\": 1, \"type\": \"restore\", \"name\": \"a\"}, {\"time\": 2, \"type\": \"save\", "
         "\"name\": "
         "\"a\"}]",
         "no event saves"},
    };
    for (int i = 0; i < SP_COUNT(s_wrong); ++i)
    {
        char text[500];
        snprintf(text, sizeof(text), "{\"souple\": 1, \"events\": %s}", s_wrong[i].event);
        spError error = SP_ZERO_INIT;
        assert_null(spParseScene(text, strlen(text), NULL, NULL, &error));
        assert_non_null(strstr(error.message, s_wrong[i].message));
    }
}

// ---------------------------------------------------------------------------------------------------------

static void TestForces(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(MIXED(""));
    spRun* run = StartWith(scene, NULL);
    size_t bytes = 0;
    char text[200];
    for (int round = 0; round < 3; ++round)
    {
        for (int i = 0; i < SP_MAX_LIVE_FORCES; ++i)
        {
            snprintf(
                text, sizeof(text),
                "{\"type\": \"force\", \"body\": \"sheet\", \"nodes\": [%d, 9], \"force\": [0, 0.001, 0], "
                "\"duration\": 0.05}",
                i % 36);
            Act(run, text);
        }
        Refuse(run, text, "64 forces pull already");
        Steps(run, 6);
        assert_int_equal(run->livePullCount, 0);
        bytes = round == 1 ? run->heap.byteCount : bytes;
    }
    Steps(run, 30);
    assert_int_equal(run->pullCount, 0);
    assert_true(run->heap.byteCount <= bytes);

    // One without end pulls until the state is restored
    Act(run, "{\"type\": \"save\", \"name\": \"calm\"}");
    Act(run, "{\"type\": \"force\", \"body\": \"sheet\", \"nodes\": [9], \"force\": [0, 0.001, 0]}");
    Act(run, "{\"type\": \"save\", \"name\": \"pulled\"}");
    Steps(run, 20);
    assert_int_equal(run->livePullCount, 1);
    Act(run, "{\"type\": \"restore\", \"name\": \"pulled\"}");
    Steps(run, 10);
    uint64_t hash = Hash(run);
    Act(run, "{\"type\": \"restore\", \"name\": \"calm\"}");
    Steps(run, 10);
    assert_true(Hash(run) == hash);
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestTimeStep(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(MIXED(""));
    spRun* run = StartWith(scene, NULL);
    assert_int_equal(spRun_GetStepCount(run), 100);
    Steps(run, 20);
    Act(run, "{\"type\": \"set\", \"dt\": 0.02}");
    assert_int_equal(spRun_GetStepCount(run), 60);
    Act(run, "{\"type\": \"set\", \"dt\": 0.004}");
    assert_int_equal(spRun_GetStepCount(run), 220);
    Steps(run, 5);
    CHECK_NEAR(spRun_GetTime(run), 0.22, 1e-6);
    Act(run, "{\"type\": \"set\", \"dt\": 0.02, \"gravity\": [0, 0, 0]}");
    int steps = 0;
    for (; !spRun_IsDone(run); ++steps)
    {
        spRun_Step(run);
    }
    assert_int_equal(steps, 39);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// A million acts leave no memory behind; here fewer, of every kind
static void TestMemoryStays(void** state)
{
    SP_UNUSED(state);
    static const char* const s_acts[] = {
        "{\"type\": \"grab\", \"name\": \"a\", \"body\": \"cube\", \"nodes\": {\"sphere\": {\"center\": [0, "
        "0.2, "
        "0], \"radius\": 9}}}",
        "{\"type\": \"move\", \"grab\": \"a\", \"offset\": [0, 0.001, 0]}",
        "{\"type\": \"release\", \"grab\": \"a\"}",
        "{\"type\": \"grab\", \"name\": \"b\", \"body\": \"sheet\", \"nodes\": [7]}",
        "{\"type\": \"pin\", \"body\": \"sheet\", \"nodes\": [5]}",
        "{\"type\": \"free\", \"body\": \"sheet\", \"nodes\": [5]}",
        "{\"type\": \"poke\", \"position\": [0, 0.7, 0]}",
        "{\"type\": \"save\", \"name\": \"s\"}",
        "{\"type\": \"restore\", \"name\": \"s\"}",
        "{\"type\": \"lift\"}",
        "{\"type\": \"set\", \"body\": \"cube\", \"tets\": {\"youngModulus\": 21000}}",
        "{\"type\": \"set\", \"body\": \"sheet\", \"method\": {\"type\": \"xpbd\", \"xpbd\": "
        "{\"iterations\": 5}}}",
        "{\"type\": \"force\", \"body\": \"net\", \"nodes\": [3], \"force\": [0, 0, 0.1], \"duration\": "
        "0.001}",
    };
    spScene* scene = Parse(MIXED(""));
    spRun* run = StartWith(scene, NULL);
    Steps(run, 30);
    size_t bytes = 0, worldBytes = 0;
    for (int i = 0; i < 400; ++i)
    {
        for (int k = 0; k < SP_COUNT(s_acts); ++k)
        {
            spRun_Act(run, s_acts[k], strlen(s_acts[k]), NULL);
        }
        if (i % 40 == 0)
        {
            Steps(run, 2);
        }
        if (i == 40)
        {
            bytes = run->heap.byteCount;
            worldBytes = spWorld_GetByteCount(run->world);
        }
    }
    Steps(run, 2);
    assert_true(run->heap.byteCount <= bytes);
    // Contacts come and go, but 4800 acts that leave something behind would show
    assert_true(spWorld_GetByteCount(run->world) <= worldBytes + 131072);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// Without memory an act is refused and the run goes on
static void TestFailingMemory(void** state)
{
    SP_UNUSED(state);
    static const char* const s_acts[] = {
        "{\"type\": \"grab\", \"name\": \"a\", \"body\": \"cube\", \"nodes\": [1, 2]}",
        "{\"type\": \"force\", \"body\": \"cube\", \"nodes\": [1, 2], \"force\": [0, 1, 0]}",
        "{\"type\": \"pin\", \"body\": \"cube\", \"nodes\": [1, 2]}",
        "{\"type\": \"poke\", \"position\": [0, 0, 3]}",
        "{\"type\": \"save\", \"name\": \"a\"}",
        "{\"type\": \"restore\", \"name\": \"start\"}",
        ("{\"type\": \"set\", \"body\": \"cube\", \"method\": \"symplecticEuler\", \"tets\": "
         "{\"youngModulus\": 9000}}"),
    };
    spScene* scene = Parse(MIXED(""));
    FailingAllocator failing = {.failAt = -1, .failAfter = true};
    int points = 0;
    for (int k = 0; k < SP_COUNT(s_acts); ++k)
    {
        spRunDef def = spDefaultRunDef();
        def.allocator = MakeFailingAllocator(&failing);
        spRun* run = StartWith(scene, &def);
        Steps(run, 12);
        for (int i = 0;; ++i)
        {
            uint64_t hash = Hash(run);
            spError error = SP_ZERO_INIT;
            failing.count = 0;
            failing.failAt = i;
            bool good = spRun_Act(run, s_acts[k], strlen(s_acts[k]), &error);
            failing.failAt = -1;
            if (good)
            {
                break;
            }
            assert_true(error.code != sp_errorNone && error.message[0] != 0);
            assert_true(k == 5 || Hash(run) == hash);
            assert_true(i < 1000);
            points += 1;
        }
        Steps(run, 5);
        CheckFinite(run, 10.0);
        spDestroyRun(run);
        assert_true(failing.out == 0);
    }
    print_message("%d points of failure\n", points);
    spDestroyScene(scene);
}

// ---------------------------------------------------------------------------------------------------------

// What a hand does, step by step. Every kind of act.
static const struct
{
    int step;
    const char* text;
} s_played[] = {
    {0, "{\"type\": \"grab\", \"name\": \"hand\", \"body\": \"cube\", \"nodes\": {\"nearest\": {\"point\": "
        "[0.2, "
        "0.4, 0.2], \"count\": 3}}, \"stiffness\": 300}"},
    {1, "{\"type\": \"move\", \"grab\": \"hand\", \"offset\": [0.05, 0.1, 0]}"},
    {4, "{\"type\": \"move\", \"grab\": \"hand\", \"offset\": [0.1, 0.2, 0.1], \"duration\": 0.04}"},
    {6, "{\"type\": \"poke\", \"position\": [1.2, 0.6, 0.1], \"radius\": 0.12}"},
    {7, "{\"type\": \"poke\", \"position\": [1.2, 0.4, 0.1], \"radius\": 0.12}"},
    {9, "{\"type\": \"pin\", \"body\": \"net\", \"nodes\": [5]}"},
    {10, "{\"type\": \"save\", \"name\": \"ten\"}"},
    {11, "{\"type\": \"set\", \"body\": \"sheet\", \"method\": {\"type\": \"backwardEuler\"}}"},
    {12, "{\"type\": \"release\", \"grab\": \"hand\"}"},
    {13, "{\"type\": \"free\", \"body\": \"net\", \"nodes\": [5]}"},
    {14, "{\"type\": \"lift\"}"},
    {15,
     "{\"type\": \"force\", \"body\": \"net\", \"nodes\": [8], \"force\": [0.1, 0, 0], \"duration\": 0.05}"},
    {16, "{\"type\": \"set\", \"body\": \"cube\", \"tets\": {\"youngModulus\": 40000}}"},
    {17, "{\"type\": \"set\", \"dt\": 0.008, \"gravity\": [0, -4, 0]}"},
    {20, "{\"type\": \"restore\", \"name\": \"ten\"}"},
    {20, "{\"type\": \"poke\", \"position\": [0.3, 0.3, 0.1]}"},
    {28, "{\"type\": \"restore\", \"name\": \"start\"}"},
    {35, "{\"type\": \"restore\", \"name\": \"ten\"}"},
    {36, "{\"type\": \"grab\", \"name\": \"hand\", \"body\": \"sheet\", \"nodes\": [35]}"},
    {37, "{\"type\": \"move\", \"grab\": \"hand\", \"offset\": [0, 0.2, 0]}"},
};

#define PLAYED_STEPS 45

static void CheckPlayed(const char* text, bool live, double budget)
{
    spScene* scene = Parse(text);
    spRunDef def = spDefaultRunDef();
    def.live = live;
    spRun* run = StartWith(scene, &def);
    spRecorderDef recorderDef = spDefaultRecorderDef();
    recorderDef.path = WORK "/acts.souple";
    spError error = SP_ZERO_INIT;
    spRecorder* recorder = spCreateRecorder(run->world, &recorderDef, &error);
    assert_non_null(recorder);
    assert_true(spRecorder_AddFrame(recorder, run->world, NULL));
    int next = 0;
    for (int step = 0; step < PLAYED_STEPS; ++step)
    {
        for (; next < SP_COUNT(s_played) && s_played[next].step == step; ++next)
        {
            Act(run, s_played[next].text);
            assert_true(spRecorder_AddAct(recorder, s_played[next].text, strlen(s_played[next].text)));
        }
        budget > 0.0 ? spRun_StepBudget(run, budget) : spRun_Step(run);
        assert_true(spRecorder_AddFrame(recorder, run->world, NULL));
    }
    assert_true(spCloseRecorder(recorder, &error));
    spDestroyRun(run);

    spRecording* recording = spLoadRecording(WORK "/acts.souple", NULL, &error);
    assert_non_null(recording);
    assert_true(spRecording_IsComplete(recording));
    assert_int_equal(spRecording_GetRowCount(recording), PLAYED_STEPS + 1);
    assert_int_equal(spRecording_GetFrameCount(recording), PLAYED_STEPS + 1);
    assert_int_equal(spRecording_GetActCount(recording), SP_COUNT(s_played));
    int first = -1;
    assert_int_equal(spRecording_FindActs(recording, 21, &first), 2);
    assert_int_equal(first, 14);
    assert_int_equal(spRecording_FindActs(recording, 20, NULL), 0);
    assert_int_equal(spRecording_GetRow(recording, 20).stepCount, 20);
    assert_int_equal(spRecording_GetRow(recording, 21).stepCount, 11);

    for (int k = 0; k < 2; ++k)
    {
        def.threadCount = k + 1;
        run = StartWith(scene, &def);
        spBodyId bodies[4];
        int bodyCount = spWorld_GetBodies(run->world, bodies, 4);
        int decided = 0;
        for (int row = 0; row <= PLAYED_STEPS; ++row)
        {
            int count = spRecording_FindActs(recording, row, &first);
            for (int i = first; i < first + count; ++i)
            {
                size_t size;
                const char* act = spRecording_GetAct(recording, i, &size);
                assert_int_equal(size, strlen(act));
                Act(run, act);
            }
            if (row > 0)
            {
                spDecision decisions[64];
                spRun_PlayEvents(run);
                count = spRecording_GetDecisions(recording, row, bodies, bodyCount, decisions, 64);
                assert_true(count <= 64);
                decided += count;
                if (!spWorld_Decide(run->world, decisions, count))
                {
                    fail_msg("row %d: %s", row, spWorld_GetLastError(run->world).message);
                }
                spRun_Step(run);
            }
            if (spRecording_GetStateHash(recording, row) != Hash(run))
            {
                fail_msg("%s, %d threads: row %d differs", live ? "live" : "plain", k + 1, row);
            }
        }
        print_message("%s, %d threads: the same bits with %d decisions\n", live ? "live" : "plain", k + 1,
                      decided);
        spDestroyRun(run);
    }
    spDestroyRecording(recording);
    spDestroyScene(scene);
}

static void TestRecorded(void** state)
{
    SP_UNUSED(state);
#define ASYNCHRONOUS                                                                                         \
    ", \"solver\": {\"preconditioner\": \"incompleteCholesky\", \"asynchronous\": true, \"refresh\": 2, "    \
    "\"age\": 2}"
    CheckPlayed(MIXED(""), false, 0.0);
    CheckPlayed(MIXED(ASYNCHRONOUS), false, 0.0);
    CheckPlayed(MIXED(ASYNCHRONOUS), true, 0.0);
    CheckPlayed(MIXED(ASYNCHRONOUS), true, 2e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBadActs),     cmocka_unit_test(TestGrabStiffness),
        cmocka_unit_test(TestHands),       cmocka_unit_test(TestPoke),
        cmocka_unit_test(TestToolSpeed),   cmocka_unit_test(TestStates),
        cmocka_unit_test(TestSceneEvents), cmocka_unit_test(TestRestoreKeepsSettings),
        cmocka_unit_test(TestForces),      cmocka_unit_test(TestTimeStep),
        cmocka_unit_test(TestMemoryStays), cmocka_unit_test(TestFailingMemory),
        cmocka_unit_test(TestRecorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
