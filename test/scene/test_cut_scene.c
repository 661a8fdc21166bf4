// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Cuts and carving in scenes: events, acts, states, recordings and what is exported from them.

#include "scene/run.h"

#include "souple/edit.h"
#include "souple/record.h"
#include "test/scene_test.h"

#define WORK SOUPLE_BINARY_DIR "/test"

// A bar that swings, held at one end; room and events are to be filled in
#define BAR(room, events)                                                                                    \
    "{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"bodies\": [{\"name\": \"bar\", \"mesh\": "             \
    "{\"generator\": \"beam\", \"size\": [0.6, 0.15, 0.15], \"cells\": [12, 3, 3], \"origin\": [0, 0, 0]}, " \
    "\"tets\": {\"youngModulus\": 200000, \"damping\": 0.01}, \"method\": {\"type\": "                       \
    "\"backwardEuler\"}" room                                                                                \
    ", \"pins\": {\"box\": {\"lower\": [-1, -1, -1], \"upper\": [0.001, 1, 1]}}}], \"events\": [" events     \
    "], \"measurements\": [{\"type\": \"pieces\", \"body\": \"bar\"}, {\"type\": \"height\", \"body\": "     \
    "\"bar\", \"of\": \"min\"}]}"
#define ROOM ", \"nodeRoom\": 800"
#define CUT                                                                                                  \
    "{\"time\": 0.1, \"type\": \"cut\", \"body\": \"bar\", \"duration\": 0.3, \"from\": {\"a\": [0.3, 0.3, " \
    "-1], \"b\": [0.3, 0.3, 1]}, \"to\": {\"a\": [0.33, -0.6, -1], \"b\": [0.33, -0.6, 1]}}"
#define CARVE                                                                                                \
    "{\"time\": 0.6, \"type\": \"carve\", \"body\": \"bar\", \"sphere\": {\"center\": [0.1, 0.1, 0.1], "     \
    "\"radius\": 0.06}}"

static uint32_t Steps(spRun* run, int count)
{
    uint32_t flags = 0;
    for (int i = 0; i < count; ++i)
    {
        flags |= spRun_Step(run);
    }
    return flags;
}

// The bar swings while the blade goes through it: nothing stays whole behind it
static void TestBlade(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(BAR(ROOM, CUT ", " CARVE));
    spRun* run = Start(scene);
    assert_int_equal(Steps(run, 25), 0);
    assert_true(spRun_GetMeasurement(run, 0) == 1.0);
    assert_int_equal(Steps(run, 20), 0);
    assert_true(spRun_GetMeasurement(run, 0) == 2.0);
    assert_int_equal(Steps(run, 55), 0);
    assert_true(spRun_GetMeasurement(run, 1) < -1.0); // it fell
    assert_true(spBody_CopyTetNumbers(run->world, spRun_FindBody(run, "bar"), NULL, 0) == 0);
    int32_t numbers[648];
    int left = spBody_CopyTetNumbers(run->world, spRun_FindBody(run, "bar"), numbers, 648);
    assert_true(left < 648 && left > 500);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// A state in the middle of a cut goes on as the run did that was not interrupted
static void TestStates(void** state)
{
    SP_UNUSED(state);
    spScene* scene =
        Parse(BAR(ROOM, CUT ", " CARVE ", {\"time\": 0.22, \"type\": \"save\", \"name\": \"half\"}"));
    spRun* run = Start(scene);
    Steps(run, 90);
    uint64_t hash = spWorld_GetStateHash(run->world);
    const char* back[] = {"{\"type\": \"restore\", \"name\": \"half\"}",
                          "{\"type\": \"restore\", \"name\": \"start\"}"};
    for (int i = 0; i < 2; ++i)
    {
        spError error = SP_ZERO_INIT;
        assert_true(spRun_Act(run, back[i], strlen(back[i]), &error));
        assert_int_equal(spBody_GetPieceCount(run->world, spRun_FindBody(run, "bar")), 1);
        Steps(run, i == 0 ? 68 : 90);
        assert_true(spWorld_GetStateHash(run->world) == hash);
    }
    spDestroyRun(run);
    spDestroyScene(scene);
}

// Acts: from a hand at any time, and refused with a sentence
static void TestActs(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(BAR(ROOM, ""));
    spRun* run = Start(scene);
    spBodyId bar = spRun_FindBody(run, "bar");
    Steps(run, 5);
    const char* good[] = {"{\"type\": \"cut\", \"body\": \"bar\", \"from\": {\"a\": [0.4, 1, -1], \"b\": "
                          "[0.4, 1, 1]}, \"to\": {\"a\": "
                          "[0.4, -1, -1], \"b\": [0.4, -1, 1]}}",
                          "{\"type\": \"carve\", \"body\": \"bar\", \"capsule\": {\"a\": [0.2, -1, 0.075], "
                          "\"b\": [0.2, 1, 0.075], "
                          "\"radius\": 0.04}}",
                          ("{\"type\": \"carve\", \"body\": \"bar\", \"box\": {\"lower\": [0.5, -1, -1], "
                           "\"upper\": [1, 1, 1]}}")};
    for (int i = 0; i < 3; ++i)
    {
        int32_t numbers[648];
        int before = spBody_CopyTetNumbers(run->world, bar, numbers, 648);
        spError error = SP_ZERO_INIT;
        assert_true(spRun_Act(run, good[i], strlen(good[i]), &error));
        assert_int_equal(spBody_CopyTetNumbers(run->world, bar, numbers, 648) < before, i > 0);
        assert_int_equal(Steps(run, 3), 0);
    }
    assert_true(spBody_GetPieceCount(run->world, bar) == 2);
    // A node that was carved away cannot be found any more: the hand takes one that is there
    const char* grab =
        "{\"type\": \"grab\", \"name\": \"h\", \"body\": \"bar\", \"stiffness\": 10, \"nodes\": "
        "{\"nearest\": {\"point\": [0.6, 0.1, 0.1], \"count\": 4}}}";
    spError error = SP_ZERO_INIT;
    assert_true(spRun_Act(run, grab, strlen(grab), &error));
    spHandInfo hand;
    assert_true(spRun_GetHand(run, 0, &hand));
    assert_true((double)hand.point.x < 0.55);
    assert_int_equal(Steps(run, 3), 0);
    const char* bad[][2] = {
        {"{\"type\": \"carve\", \"body\": \"bar\"}", "sphere"},
        {"{\"type\": \"cut\", \"body\": \"bar\"}", "from"},
        {"{\"type\": \"carve\", \"body\": \"bar\", \"sphere\": {\"center\": [0, 0, 0], \"radius\": 0}}",
         "radius"},
        {"{\"type\": \"cut\", \"body\": \"foot\", \"from\": {\"a\": [0, 0, 0], \"b\": [0, 0, 0]}, \"to\": "
         "{\"a\": [0, "
         "0, 0], \"b\": [0, 0, 0]}}",
         "foot"},
    };
    for (int i = 0; i < 4; ++i)
    {
        assert_false(spRun_Act(run, bad[i][0], strlen(bad[i][0]), &error));
        if (strstr(error.message, bad[i][1]) == NULL)
        {
            fail_msg("%s: %s", bad[i][0], error.message);
        }
    }
    spDestroyRun(run);
    spDestroyScene(scene);
    // A scene whose body has no room, and one whose room is used up
    const char* tight = BAR("", CUT);
    assert_null(spParseScene(tight, strlen(tight), NULL, NULL, &error));
    assert_non_null(strstr(error.message, "nodeRoom"));
    scene = Parse(BAR(", \"nodeRoom\": 5", CUT));
    run = Start(scene);
    assert_int_equal(Steps(run, 50), SP_RUN_EVENT_FAILED);
    assert_non_null(strstr(spRun_GetLastError(run).message, "room for"));
    spDestroyRun(run);
    spDestroyScene(scene);
}

// A bar with a strength tears off under its own weight, and one that has no room for that says so once
static void TestTears(void** state)
{
    SP_UNUSED(state);
    const char* rooms[] = {"500", "3"};
    for (int i = 0; i < 2; ++i)
    {
        char text[1000];
        snprintf(
            text, sizeof(text),
            "{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"bodies\": [{\"name\": \"bar\", \"mesh\": "
            "{\"generator\": \"beam\", \"size\": [0.1, 0.6, 0.1], \"cells\": [2, 12, 2]}, \"nodeRoom\": %s, "
            "\"tets\": {\"youngModulus\": 100000, \"damping\": 0.01, \"strength\": 5000, \"tears\": 4}, "
            "\"method\": \"backwardEuler\", \"pins\": {\"box\": {\"lower\": [-1, 0.599, -1], \"upper\": "
            "[1, 1, 1]}}}], \"measurements\": [{\"type\": \"pieces\", \"body\": \"bar\"}]}",
            rooms[i]);
        spScene* scene = Parse(text);
        spRun* run = Start(scene);
        int failed = 0;
        for (int k = 0; k < 60; ++k)
        {
            failed += (spRun_Step(run) & SP_RUN_EVENT_FAILED) != 0;
        }
        assert_int_equal(failed, i);
        assert_int_equal(spRun_GetMeasurement(run, 0) > 1.5, i == 0);
        spDestroyRun(run);
        spDestroyScene(scene);
    }
}

// A curtain with a strength tears off where it hangs, a cut takes its lower half off, what has no room says so in the scene
static void TestSheet(void** state)
{
    SP_UNUSED(state);
    const char* const parts[2][2] = {
        {", \"strength\": 0.5, \"tears\": 4", ""},
        {"", "{\"time\": 0.1, \"type\": \"cut\", \"body\": \"curtain\", \"from\": {\"a\": [-1, "
             "0.3, -1], \"b\": [-1, 0.3, 1]}, \"to\": {\"a\": [2, 0.31, -1], \"b\": [2, 0.31, 1]}}"}};
    for (int i = 0; i < 3; ++i)
    {
        char text[1500];
        snprintf(
            text, sizeof(text),
            "{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"bodies\": [{\"name\": \"curtain\", \"mesh\": "
            "{\"generator\": \"cloth\", \"sizeX\": 0.6, \"sizeZ\": 0.6, \"countX\": 9, \"countZ\": 9, "
            "\"origin\": [0, 0, 0]}, \"transform\": {\"rotation\": {\"axis\": [1, 0, 0], \"angle\": -90}}, "
            "%s\"density\": 0.2, \"springs\": {\"stiffness\": 100, \"damping\": 0.1%s}, \"method\": "
            "\"backwardEuler\", \"pins\": {\"box\": {\"lower\": [-1, 0.599, -1], \"upper\": [2, 1, 1]}}}], "
            "\"events\": [%s], \"measurements\": [{\"type\": \"pieces\", \"body\": \"curtain\"}]}",
            i < 2 ? "\"nodeRoom\": 200, " : "", parts[i % 2][0], parts[i % 2][1]);
        spError error = SP_ZERO_INIT;
        spScene* scene = spParseScene(text, strlen(text), NULL, NULL, &error);
        assert_int_equal(scene != NULL, i < 2);
        if (scene == NULL)
        {
            assert_non_null(strstr(error.message, "nodeRoom"));
            continue;
        }
        spRun* run = Start(scene);
        assert_int_equal(Steps(run, 60), 0);
        assert_true(spRun_GetMeasurement(run, 0) > 1.5);
        spDestroyRun(run);
        spDestroyScene(scene);
    }
}

static long GetSize(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

// A recording knows the body before and after, and all exports work at both
static void TestRecording(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(BAR(ROOM, CUT ", " CARVE));
    spRun* run = Start(scene);
    spError error = SP_ZERO_INIT;
    spRecorderDef recorderDef = spDefaultRecorderDef();
    recorderDef.path = WORK "/cut.souple";
    spRecorder* recorder = spCreateRecorder(run->world, &recorderDef, &error);
    assert_non_null(recorder);
    for (int i = 0; i <= 90; ++i)
    {
        assert_true(spRecorder_AddFrame(recorder, run->world, NULL));
        spRun_Step(run);
    }
    assert_true(spCloseRecorder(recorder, &error));
    spRecording* recording = spLoadRecording(WORK "/cut.souple", NULL, &error);
    assert_non_null(recording);
    assert_true(spRecording_IsComplete(recording));
    const int frames[3] = {5, 55, 90};
    int triangles[3], tets[3];
    for (int i = 0; i < 3; ++i)
    {
        spRecording_GetTets(recording, frames[i], 0, tets + i);
        spRecording_GetTriangles(recording, frames[i], 0, triangles + i);
        const uint8_t* bare = spRecording_GetBareTriangles(recording, frames[i], 0);
        assert_int_equal(bare != NULL, i > 0);
        int count = 0;
        for (int k = 0; bare != NULL && k < triangles[i]; ++k)
        {
            count += bare[k];
        }
        assert_true(i == 0 || count >= triangles[i] - triangles[0]);
    }
    assert_true(triangles[1] > triangles[0] && tets[1] == tets[0] && tets[2] < tets[1]);
    spPictureDef picture = spDefaultPictureDef();
    picture.width = 160;
    picture.height = 120;
    for (int i = 0; i < 3; ++i)
    {
        assert_true(spSavePicture(recording, frames[i], &picture, WORK "/cut.png", &error));
        assert_true(GetSize(WORK "/cut.png") > 500);
    }
    spExportDef export = spDefaultExportDef();
    export.folder = WORK "/cut_export";
    export.frameStride = 45;
    assert_true(spExportVtu(recording, &export, &error));
    assert_true(spExportObj(recording, &export, &error));
    char text[200000] = "";
    FILE* file = fopen(WORK "/cut_export/frame_000090.obj", "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 1000);
    fclose(file);
    assert_non_null(strstr(text, "\ng bare\nf "));
    spDestroyRecording(recording);
    spDestroyRun(run);
    spDestroyScene(scene);
    remove(WORK "/cut.souple");
    remove(WORK "/cut.png");
}

// The same bits with one thread and with several
static void TestThreads(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(BAR(ROOM, CUT ", " CARVE));
    assert_true(RunSteps(scene, 1, 70) == RunSteps(scene, 3, 70));
    spDestroyScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBlade),   cmocka_unit_test(TestStates), cmocka_unit_test(TestActs),
        cmocka_unit_test(TestTears),   cmocka_unit_test(TestSheet),  cmocka_unit_test(TestRecording),
        cmocka_unit_test(TestThreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
