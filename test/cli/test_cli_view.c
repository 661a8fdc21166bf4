// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple view: which scenes it offers, what it refuses, and the recording that it leaves.

#define WORK SOUPLE_BINARY_DIR "/test/cli_view"
#include "souple/view.h"
#include "test/cli_test.h"

static int MakeWork(void** state)
{
    (void)state;
    return system("rm -rf '" WORK "' && mkdir -p '" WORK "/scenes' '" WORK "/empty' && cp '" SCENES
                  "/lattice.json' '" SCENES "/driven.json' '" WORK "/scenes'");
}

static void TestRefusals(void** state)
{
    (void)state;
    Expect("view not_there.json --no-open --no-record", 2, "not_there.json");
    Expect("view empty --no-open", 2, "there are no scene files");
    Expect("view --port 70000", 2, "--port must be from 0 to 65535");
    Expect("view scenes --address 0.0.0.0 --no-open", 2, "--token");
    Expect("view scenes --token short --no-open --no-record", 2, "16 to 128 letters and digits");
    Expect("view scenes --address nowhere --token auto --no-open --no-record", 2, "is not one");
    Expect("view scenes --origin 'evil org' --no-open --no-record", 2, "origin");
    Expect("view scenes --record a --no-record", 2, "exclude each other");
    Expect("view scenes --no-opne", 2, "did you mean --no-open?");
    Expect("help view", 0, "usage: souple view");
    Expect("help", 0, "view ");
}

static void TestRuns(void** state)
{
    (void)state;
    Expect("view scenes/lattice.json --no-open --duration 0.7", 0, "lattice.json runs at http://127.0.0.1:");
    assert_true(Exists("out/view/lattice.souple"));
    Expect("replay out/view/lattice.souple", 0, "The same bits.");
    Expect("view scenes --no-open --duration 0.1 --no-record --paused", 0, "driven.json runs at");
    // Where there are no scenes, those that came with the command
    Expect("view --no-open --duration 0.1 --no-record", 0, "driven.json runs at");
    assert_int_equal(system("mv '" WORK "/scenes' '" WORK "/other'"), 0);
    Expect("view --no-open --duration 0.1 --no-record --paused", 0, "scenes/attachment.json runs at");
    assert_int_equal(system("mv '" WORK "/other' '" WORK "/scenes'"), 0);
    Expect("view --no-open --duration 0.1 --record own/place.souple --token auto", 0, "/?token=");
    assert_true(Exists("own/place.souple"));
    Expect("view scenes/lattice.json --no-open --duration 0.3 --budget 5 --threads 2 --no-record", 0,
           "ssh -L");
}

// What a page adds to a step: the numbers mean nothing here, but they are all there
static void TestBench(void** state)
{
    (void)state;
    static const char* const keys[] = {"msPerStep", "msPerStepWatched", "ratio",        "framesPerSecond",
                                       "publishMs", "latencyMs",        "latencyMsP99", "bytesPerVertex"};
    Expect("bench --list", 0, "view-50k");
    json_t* json = RunJson("bench view-1k --repeat 1 --json", 0);
    const json_t* bench = json_array_get(json_object_get(json, "benchmarks"), 0);
    for (int i = 0; i < 8; ++i)
    {
        double value = json_number_value(json_object_get(bench, keys[i]));
        if (!(value > 0.0))
        {
            print_error("%s: %g\n", keys[i], value);
            fail();
        }
    }
    CHECK_LESS(json_number_value(json_object_get(bench, "bytesPerVertex")), 8.0);
    assert_int_equal(json_integer_value(json_object_get(bench, "triangles")), 1058);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRefusals),
        cmocka_unit_test(TestRuns),
        cmocka_unit_test(TestBench),
    };
    if (!spHasView())
    {
        print_message("this build has no live page\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, MakeWork, NULL);
}
