// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple run --live and souple replay: pace, decisions in the recording, the same bits again.

#define WORK SOUPLE_BINARY_DIR "/test/cli_replay"

#include "record/chunk.h"
#include "souple/scene.h"
#include "test/cli_test.h"

#include <signal.h>
#include <unistd.h>

// Simulated time over wall clock, at least, with others on the machine. Builds with asserts and sanitizers
// are slow.
#ifdef NDEBUG
#define SLOWEST 0.25
#else
#define SLOWEST 0.05
#endif

// An implicit beam whose preconditioner a thread makes, and explicit masses on springs over a ground, in one place
static void WriteScene(const char* name, double young)
{
    char text[1200];
    snprintf(
        text, sizeof(text),
        "{\"souple\": 1, \"bodyContacts\": false, \"dt\": 0.016666666666666666, \"duration\": 0.5, "
        "\"bodies\": ["
        "{\"name\": \"beam\", \"mesh\": {\"generator\": \"beam\", \"cells\": [16, 4, 4]}, "
        "\"tets\": {\"law\": \"corotational\", \"youngModulus\": %g}, \"pins\": [0, 1, 2, 3, 4], "
        "\"method\": {\"type\": \"backwardEuler\", \"solver\": {\"preconditioner\": \"incompleteCholesky\", "
        "\"asynchronous\": true, \"refresh\": 1, \"age\": 3}}}, "
        "{\"name\": \"lattice\", \"mesh\": {\"generator\": \"lattice\"}, \"nodeMass\": 0.01, "
        "\"springs\": {\"stiffness\": 100}}], "
        "\"colliders\": {\"name\": \"ground\", \"shape\": \"plane\", \"transform\": {\"position\": [0, -0.3, "
        "0]}}, "
        "\"output\": {\"frameRate\": 30}}",
        young);
    WriteFile(name, text);
}

static void CheckSame(const char* arguments, bool live, int64_t leastDecisions)
{
    json_t* json = RunJson(arguments, 0);
    assert_true(json_is_true(json_object_get(json, "same")));
    assert_int_equal(json_is_true(json_object_get(json, "live")), live);
    assert_true(json_integer_value(json_object_get(json, "steps")) > 10);
    assert_true(json_integer_value(json_object_get(json, "framesCompared")) > 10);
    assert_true(json_integer_value(json_object_get(json, "decisions")) >= leastDecisions);
    json_decref(json);
}

static void TestReplay(void** state)
{
    SP_UNUSED(state);
    WriteScene("scene.json", 3e5);
    json_decref(RunJson("run scene.json --out plain --json", 0));
    CheckSame("replay plain/scene.souple --json", false, 0);
    Expect("replay plain/scene.souple --threads 2 --lanes 1", 0, "The same bits.");
    Expect("replay plain/scene.souple --quiet", 0, "");

    // A scene whose step is left open plays with the step that was chosen then
    json_decref(RunJson("run " SCENES "/demo.json --steps 40 --out demo --json", 0));
    Expect("replay demo/demo.souple", 0, "40 steps played again, with 0 decisions of the clock");
}

static void TestLive(void** state)
{
    SP_UNUSED(state);
    WriteScene("live.json", 3e5);
    json_t *json = NULL, *live = NULL;
    double ratio = 0.0;
    // Never faster than the clock, and no slower than a loaded machine explains. A moment in which that stands still
    // is no slow run: the best of some counts.
    for (int i = 0; i < 4 && ratio <= SLOWEST; ++i)
    {
        json_decref(json);
        json = RunJson("run live.json --live --out live --json", 0);
        live = json_object_get(json, "live");
        assert_true(json_number_value(json_object_get(json, "wallSeconds")) > 0.45);
        ratio = json_number_value(json_object_get(live, "realTime"));
        assert_true(ratio < 1.05);
    }
    assert_true(ratio > SLOWEST);
    double frames = json_number_value(json_object_get(live, "framesPerSecond"));
    assert_true(frames > 60.0 * SLOWEST && frames < 63.0);
    assert_true(fabs(json_number_value(json_object_get(live, "budgetMs")) - 16.6667) < 0.01);
    assert_true(json_is_integer(json_object_get(live, "lateSteps")));
    json_decref(json);
    CheckSame("replay live/live.souple --json", true, 1);

    // A budget that cannot suffice: every step is stopped and shortened, and still the same bits come back
    json = RunJson("run live.json --live --budget 0.05 --duration 0.02 --out small --json", 0);
    const char* status = json_string_value(json_object_get(json, "status"));
    assert_non_null(strstr(status, "deadlineMissed"));
    assert_non_null(strstr(status, "solverStopped"));
    int64_t steps = json_integer_value(json_object_get(json, "steps"));
    assert_true(steps > 2);
    json_decref(json);
    json = RunJson("replay small/live.souple --threads 2 --json", 0);
    assert_true(json_is_true(json_object_get(json, "same")));
    assert_int_equal(json_integer_value(json_object_get(json, "steps")), steps);
    assert_true(json_integer_value(json_object_get(json, "decisions")) >= steps);
    json_decref(json);
    Expect("run live.json --live --duration 0.1", 0, "frames per second");
}

// What a hand does in the scene, with states that are saved and restored
static const struct
{
    int step;
    const char* text;
} s_acts[] = {
    {2, "{\"type\": \"grab\", \"name\": \"hand\", \"body\": \"beam\", \"nodes\": {\"nearest\": {\"point\": "
        "[1, 0.25, "
        "0], \"count\": 4}}, \"stiffness\": 200}"},
    {3, "{\"type\": \"move\", \"grab\": \"hand\", \"offset\": [0, 0.1, 0.05], \"duration\": 0.1}"},
    {5, "{\"type\": \"poke\", \"position\": [0.35, 0.9, 0], \"radius\": 0.2}"},
    {6, "{\"type\": \"poke\", \"position\": [0.35, 0.5, 0], \"radius\": 0.2}"},
    {8, "{\"type\": \"save\", \"name\": \"eight\"}"},
    {10, "{\"type\": \"release\", \"grab\": \"hand\"}"},
    {10, "{\"type\": \"lift\"}"},
    {11, "{\"type\": \"set\", \"body\": \"lattice\", \"method\": \"xpbd\"}"},
    {12, "{\"type\": \"pin\", \"body\": \"lattice\", \"nodes\": [3]}"},
    {15, "{\"type\": \"restore\", \"name\": \"eight\"}"},
    {20, "{\"type\": \"restore\", \"name\": \"start\"}"},
};

// Plays a scene live with acts, in the way of the page, and records it
static void PlayActs(const char* scenePath, const char* path, bool live)
{
    spError error = SP_ZERO_INIT;
    spScene* scene = spLoadScene(scenePath, NULL, &error);
    assert_non_null(scene);
    spRunDef runDef = spDefaultRunDef();
    runDef.live = live;
    spRun* run = spCreateRun(scene, &runDef, &error);
    assert_non_null(run);
    spWorld* world = spRun_GetWorld(run);
    spPlayInfo play = {.scenePath = scenePath, .dt = spRun_GetTimeStep(run), .live = live};
    spRecorderDef def = spDefaultRecorderDef();
    def.path = path;
    def.sceneText = spScene_GetText(scene, NULL);
    def.play = &play;
    spRecorder* recorder = spCreateRecorder(world, &def, &error);
    assert_non_null(recorder);
    assert_true(spRecorder_AddFrame(recorder, world, NULL));
    int next = 0;
    for (int step = 0; step < 30; ++step)
    {
        for (; next < SP_COUNT(s_acts) && s_acts[next].step == step; ++next)
        {
            size_t size = strlen(s_acts[next].text);
            assert_true(spRun_Act(run, s_acts[next].text, size, &error));
            assert_true(spRecorder_AddAct(recorder, s_acts[next].text, size));
        }
        spRun_Step(run);
        assert_true(step % 2 == 1 ? spRecorder_AddFrame(recorder, world, NULL)
                                  : spRecorder_AddMeasurements(recorder, world, NULL));
    }
    assert_true(spCloseRecorder(recorder, &error));
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestActs(void** state)
{
    SP_UNUSED(state);
    WriteScene("acts.json", 3e5);
    PlayActs(WORK "/acts.json", WORK "/acts.souple", false);
    PlayActs(WORK "/acts.json", WORK "/live_acts.souple", true);
    CheckSame("replay acts.souple --json", false, 0);
    CheckSame("replay acts.souple --threads 2 --json", false, 0);
    CheckSame("replay live_acts.souple --json", true, 1);
    CheckSame("replay live_acts.souple --threads 2 --lanes 1 --json", true, 1);
    Expect("replay acts.souple", 0, "and 11 acts");
    json_t* json = RunJson("replay acts.souple --json", 0);
    assert_int_equal(json_integer_value(json_object_get(json, "acts")), SP_COUNT(s_acts));
    json_decref(json);
    // A scene that saves and restores by itself, and pokes
    WriteFile("circles.json",
              "{\"souple\": 1, \"dt\": 0.01, \"duration\": 0.5, \"bodies\": {\"name\": \"net\", \"mesh\": "
              "{\"generator\": "
              "\"lattice\"}, \"nodeMass\": 0.01, \"springs\": {\"stiffness\": 100}}, \"events\": ["
              "{\"time\": 0.05, \"type\": \"poke\", \"position\": [0.3, 1, 0], \"radius\": 0.2}, "
              "{\"time\": 0.06, \"type\": \"poke\", \"position\": [0.3, 0.5, 0], \"radius\": 0.2}, "
              "{\"time\": 0.1, \"type\": \"save\", \"name\": \"a\"}, "
              "{\"time\": 0.15, \"type\": \"set\", \"body\": \"net\", \"method\": \"xpbd\"}, "
              "{\"time\": 0.2, \"type\": \"restore\", \"name\": \"a\"}]}");
    json_decref(RunJson("run circles.json --out circles --json", 0));
    CheckSame("replay circles/circles.souple --threads 2 --json", false, 0);
    json_decref(RunJson("run circles.json --live --out circles --json", 0));
    CheckSame("replay circles/circles.souple --json", true, 0);

    // Exports stand a clock that goes back
    Expect("export acts.souple --to csv,vtu,sheet --out acts_export", 0, "");
}

// Another material in the scene of a recording, of as many letters; with the checksum set right, or left
static void Forge(const char* from, const char* to, bool mend)
{
    static uint8_t s_data[1 << 22];
    FILE* file = fopen(from, "rb");
    assert_non_null(file);
    size_t size = fread(s_data, 1, sizeof(s_data), file);
    fclose(file);
    spCrcTable crc;
    spMakeCrcTable(&crc);
    bool forged = false;
    for (size_t at = SP_RECORD_HEADER_SIZE; at + SP_CHUNK_HEADER_SIZE < size && forged == false;
         at += SP_CHUNK_HEADER_SIZE + (size_t)spPadLength(spGetU64(s_data + at + 8)))
    {
        uint8_t* text = s_data + at + SP_CHUNK_HEADER_SIZE;
        if (spGetU32(s_data + at) == sp_chunkScene)
        {
            char* place = strstr((char*)text, "\"youngModulus\": 300000");
            assert_non_null(place);
            place[16] = '2';
            uint32_t sum = spHashChunk(&crc, sp_chunkScene, spGetU64(s_data + at + 8), text);
            memcpy(s_data + at + 4, &sum, mend ? sizeof(sum) : 0);
            forged = true;
        }
    }
    assert_true(forged);
    file = fopen(to, "wb");
    assert_non_null(file);
    fwrite(s_data, 1, size, file);
    fclose(file);
}

// What differs is found, and said
static void TestDifference(void** state)
{
    SP_UNUSED(state);
    WriteScene("soft.json", 3e5);
    json_decref(RunJson("run soft.json --live --out differs --json", 0));
    Forge(WORK "/differs/soft.souple", WORK "/differs/damaged.souple", false);
    Forge(WORK "/differs/soft.souple", WORK "/differs/forged.souple", true);
    Expect("replay differs/damaged.souple", 2, "checksum");
    Expect("replay differs/forged.souple", 1, "It differs at step ");
    json_t* json = RunJson("replay differs/forged.souple --json", 1);
    assert_true(json_is_false(json_object_get(json, "same")));
    assert_true(json_integer_value(json_object_get(json, "differenceStep")) > 0);
    assert_true(strlen(json_string_value(json_object_get(json, "difference"))) > 10);
    json_decref(json);

    Expect("replay differs/soft.souple --folder differs", 0, "The same bits.");
    Expect("replay no-such.souple", 2, "no-such.souple");
    Expect("replay", 2, "usage: souple replay RECORDING");
    Expect("replay soft.json", 2, "not a Souple recording");
    Expect("run soft.json --budget 3", 2, "--budget needs --live");
    Expect("run soft.json --live --budget -3", 2, "--budget");
    Expect("help replay", 0, "compares");
}

// Ctrl-C ends a live run between two steps; what was recorded can be played again
static void TestInterrupt(void** state)
{
    SP_UNUSED(state);
    WriteScene("long.json", 3e5);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        execl(SOUPLE_BINARY_DIR "/souple", "souple", "run", WORK "/long.json", "--live", "--duration", "1000",
              "--out", WORK "/cut", "--quiet", (char*)NULL);
        _exit(99);
    }
    for (int i = 0; i < 100 && !Exists("cut/long.souple"); ++i)
    {
        usleep(100000);
    }
    usleep(800000);
    int status = 0;
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    Expect("replay cut/long.souple", 0, "The same bits.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestReplay),     cmocka_unit_test(TestLive),      cmocka_unit_test(TestActs),
        cmocka_unit_test(TestDifference), cmocka_unit_test(TestInterrupt),
    };
    return cmocka_run_group_tests(tests, SetUp, NULL);
}
