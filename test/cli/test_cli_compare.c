// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple compare: errors fall as the orders of the methods say, costs are counted, wrong input is told.

#define WORK SOUPLE_BINARY_DIR "/test/cli_compare"

#include "souple/record.h"
#include "test/cli_test.h"

#include <math.h>

// A box of springs without damping that hangs from its upper side
#define BOX(name, more)                                                                                      \
    "{\"name\": \"" name "\", \"mesh\": {\"generator\": \"box\", \"size\": [1, 1, 1]}, \"nodeMass\": 1, "    \
    "\"springs\": {\"stiffness\": 400, \"damping\": " more "}, "                                             \
    "\"pins\": {\"box\": {\"lower\": [-9, 0.49, -9], \"upper\": [9, 9, 9]}}}"
#define HEAD "{\"souple\": 1, \"duration\": 1, \"dt\": 0.01, \"output\": {\"frameRate\": 20}, "

static int MakeScenes(void** state)
{
    int failed = SetUp(state);
    WriteFile("box.json", HEAD
              "\"bodies\": " BOX("box", "0") ", \"measurements\": "
                                             "{\"name\": \"low\", \"type\": \"height\", \"body\": \"box\"}}");
    // In the same place
    WriteFile("two.json",
              HEAD "\"bodyContacts\": false, \"bodies\": [" BOX("a", "0") ", " BOX("b", "5") "]}");
    WriteFile("damped.json", HEAD "\"bodies\": " BOX("box", "40") "}");
    WriteFile("rest.json", HEAD "\"gravity\": [0, 0, 0], \"bodies\": " BOX("box", "0") "}");
    WriteFile("empty.json", HEAD "\"colliders\": {\"shape\": \"plane\"}}");
    WriteFile("wrong.json", HEAD "\"bodies\": [{\"mash\": 1}]}");
    return failed;
}

static double GetNumber(const json_t* object, const char* key)
{
    json_t* value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const char* GetText(const json_t* object, const char* key)
{
    json_t* value = json_object_get(object, key);
    assert_true(json_is_string(value));
    return json_string_value(value);
}

static const json_t* GetRun(const json_t* json, size_t index)
{
    const json_t* run = json_array_get(json_object_get(json, "runs"), index);
    assert_true(json_is_object(run));
    return run;
}

// Halving the step: symplectic Euler gains a factor of two, Verlet of four
static void TestOrders(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("compare box.json --json --methods symplecticEuler:substeps=1,verlet:substeps=1 "
                           "--steps 1/50,1/100,0.005",
                           0);
    assert_int_equal(json_array_size(json_object_get(json, "runs")), 6);
    static const double s_steps[3] = {0.02, 0.01, 0.005};
    for (size_t i = 0; i < 6; ++i)
    {
        const json_t* run = GetRun(json, i);
        assert_string_equal(GetText(run, "method"),
                            i < 3 ? "symplecticEuler:substeps=1" : "verlet:substeps=1");
        CHECK_NEAR(GetNumber(run, "dt"), s_steps[i % 3], 1e-9);
        CHECK_NEAR(GetNumber(run, "steps"), 1.0 / s_steps[i % 3], 0);
        CHECK_NEAR(GetNumber(run, "forceEvaluations"), 1.0 / s_steps[i % 3], 0);
        CHECK_NEAR(GetNumber(run, "solverIterations"), 0, 0);
        assert_true(GetNumber(run, "msPerStep") > 0.0);
        assert_true(GetNumber(run, "msPerSecond") > 0.0);
        assert_true(GetNumber(run, "largest") > GetNumber(run, "error"));
        assert_true(fabs(GetNumber(run, "energyDrift")) < 0.2);
        assert_string_equal(GetText(run, "status"), "ok");
        assert_true(json_is_true(json_object_get(run, "certain")));
        assert_true(json_is_null(json_object_get(run, "stopTime")));
        if (i % 3 > 0)
        {
            double ratio = GetNumber(GetRun(json, i - 1), "error") / GetNumber(run, "error");
            print_message("%s: %.3f\n", GetText(run, "method"), ratio);
            CHECK_NEAR(ratio, i < 3 ? 2.1 : 4.0, i < 3 ? 0.3 : 0.2);
        }
    }
    // The reference is ten times surer than the smallest error
    const json_t* reference = json_object_get(json, "reference");
    assert_string_equal(GetText(reference, "method"), "rungeKutta4:substeps=1");
    assert_true(json_is_true(json_object_get(reference, "converged")));
    assert_true(GetNumber(reference, "change") <= 0.1 * GetNumber(GetRun(json, 5), "error"));
    assert_true(GetNumber(reference, "dt") < 0.01);
    CHECK_NEAR(GetNumber(reference, "size"), 0.2187, 0.002);
    CHECK_NEAR(GetNumber(json, "times"), 20, 0);
    CHECK_NEAR(GetNumber(json, "nodes"), 125, 0);
    assert_non_null(json_object_get(json, "machine"));
    json_decref(json);
}

// More sweeps of xpbd come nearer to the implicit step that they solve, and are counted
static void TestSweeps(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("compare box.json --json -m xpbd:solver=gaussSeidel:iterations=2,"
                           "xpbd:solver=gaussSeidel:iterations=80 --steps 1/60 --duration 0.5 "
                           "--reference backwardEuler:newtonSteps=20@1/60",
                           0);
    const json_t* few = GetRun(json, 0);
    const json_t* many = GetRun(json, 1);
    CHECK_NEAR(GetNumber(few, "solverIterations"), 30 * 2, 0);
    CHECK_NEAR(GetNumber(many, "solverIterations"), 30 * 80, 0);
    print_message("2 sweeps %.2g, 80 sweeps %.2g\n", GetNumber(few, "error"), GetNumber(many, "error"));
    assert_true(GetNumber(many, "error") < 0.6 * GetNumber(few, "error"));
    assert_string_equal(GetText(many, "status"), "ok");
    json_decref(json);
}

// The same twice is the same; "scene" is what the scene has; any step can be compared with any other
static void TestSameMethods(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("compare two.json --json -m verlet,verlet,scene,symplecticEuler,verlet@1/70 "
                           "--reference verlet:substeps=1@0.0005",
                           0);
    assert_true(GetNumber(GetRun(json, 0), "error") > 1e-5);
    assert_true(GetNumber(GetRun(json, 0), "error") == GetNumber(GetRun(json, 1), "error"));
    assert_true(GetNumber(GetRun(json, 2), "error") == GetNumber(GetRun(json, 3), "error"));
    assert_true(GetNumber(GetRun(json, 0), "error") < GetNumber(GetRun(json, 2), "error"));
    // A step that hits no time of comparison is no worse than others of its size
    double between = GetNumber(GetRun(json, 4), "error"), at = GetNumber(GetRun(json, 0), "error");
    assert_true(between > at && between < 4.0 * at);
    const json_t* bodies = json_object_get(GetRun(json, 0), "bodies");
    assert_int_equal(json_array_size(bodies), 2);
    assert_string_equal(GetText(json_array_get(bodies, 1), "name"), "b");
    assert_true(GetNumber(json_array_get(bodies, 0), "error") > 0.0);
    const json_t* reference = json_object_get(json, "reference");
    CHECK_NEAR(GetNumber(reference, "dt"), 0.0005, 1e-12);
    assert_true(json_is_null(json_object_get(reference, "change")));
    json_decref(json);
    Expect("compare two.json -m verlet --steps 1/50", 0, "errors of bodies");
}

static void TestTableAndFiles(void** state)
{
    SP_UNUSED(state);
    const char* command = "compare box.json --methods symplecticEuler,verlet:substeps=2 --steps 1/40,1/80 "
                          "--csv table.csv --plot plot.svg";
    Expect(command, 0, "box: 1 body, 125 nodes, compared at 20 times in 1 s.");
    Expect(command, 0, "Reference: rungeKutta4:substeps=1, steps of ");
    Expect(command, 0, "verlet:substeps=2");
    Expect(command, 0, "Plot: plot.svg");
    assert_true(Exists("table.csv") && Exists("plot.svg"));
    char line[400];
    int lines = 0;
    FILE* file = fopen(WORK "/table.csv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL)
    {
        assert_memory_equal(
            line, lines == 0 ? "method,step [s]," : (lines < 3 ? "symplecticEuler,0.0" : "verlet:sub"), 10);
        lines += 1;
    }
    fclose(file);
    assert_int_equal(lines, 5);
    if (spHasPng())
    {
        Expect("compare box.json -q -m verlet --plot plot.png", 0, "");
        assert_true(Exists("plot.png"));
    }
    Expect("help compare", 0, "usage: souple compare SCENE --methods METHODS");
    Expect("help", 0, "compare ");
}

// A run that does not come to its end is told, not dropped
static void TestStopped(void** state)
{
    SP_UNUSED(state);
    // Doubles grow for longer
#ifdef SOUPLE_DOUBLE_PRECISION
#define BLOW_UP "box.json -m verlet,symplecticEuler:substeps=1@0.3 --duration 40"
#else
#define BLOW_UP "box.json -m verlet,symplecticEuler:substeps=1@0.3 --duration 4"
#endif
    json_t* json = RunJson("compare " BLOW_UP " --json", 1);
    const json_t* run = GetRun(json, 1);
    assert_true(json_is_null(json_object_get(run, "error")));
    assert_true(GetNumber(run, "stopTime") > 0.0);
    assert_non_null(strstr(GetText(run, "status"), "nonFinite"));
    assert_true(GetNumber(GetRun(json, 0), "error") > 0.0);
    json_decref(json);
    Expect("compare " BLOW_UP, 1, "nonFinite,unstable at ");
}

// Everything comes to the same rest, which a relaxation finds too
static void TestSettle(void** state)
{
    SP_UNUSED(state);
    json_t* json =
        RunJson("compare damped.json --json --settle -m symplecticEuler,rungeKutta4 --duration 30", 0);
    for (size_t i = 0; i < 2; ++i)
    {
        const json_t* run = GetRun(json, i);
        assert_true(json_is_true(json_object_get(run, "settled")));
        assert_true(GetNumber(run, "simulatedSeconds") < 29.0);
        assert_true(GetNumber(run, "error") < 1e-2);
    }
    assert_string_equal(GetText(json_object_get(json, "reference"), "method"), "relaxation");
    json_decref(json);
    Expect("compare box.json --settle -m verlet", 0, "still moving");
}

static void TestBadInput(void** state)
{
    SP_UNUSED(state);
    Expect("compare", 2, "something is missing");
    Expect("compare box.json", 2, "--methods is missing");
    Expect("compare box.json -m verlot", 2, "unknown method \"verlot\"; there are: symplecticEuler");
    Expect("compare box.json -m verlet:substep=2", 2, "unknown key \"substep\"; did you mean \"substeps\"?");
    Expect("compare box.json -m verlet:substeps=0.5", 2, "method \"verlet:substeps=0.5\": ");
    Expect("compare box.json -m xpbd:solver=gauss", 2, "did you mean \"gaussSeidel\"?");
    Expect("compare box.json -m xpbd:iterations=0", 2, "method \"xpbd:iterations=0\": ");
    Expect("compare box.json -m verlet,", 2, "a method is missing");
    Expect("compare box.json -m verlet@fast", 2, "\"fast\" is no time step");
    Expect("compare box.json -m verlet@1/0", 2, "\"1/0\" is no time step");
    Expect("compare box.json -m verlet@1/", 2, "is no time step");
    Expect("compare box.json -m verlet --steps 1/60,,", 2, "\"\" is no time step");
    Expect("compare box.json -m verlet --steps -1", 2, "\"-1\" is no time step");
    Expect("compare box.json -m verlet --reference nothing", 2, "unknown method \"nothing\"");
    Expect("compare box.json -m verlet --reference scene", 2, "--reference scene needs a step");
    Expect("compare box.json -m verlet --reference forwardEuler:substeps=1@0.5 --duration 400", 2,
           "turns non-finite at");
    Expect("compare box.json -m verlet --plot plot.jpg", 2, "--plot writes .png and .svg files");
    Expect("compare box.json -m verlet --csv no/folder.csv", 2,
           "cannot write 'no/folder.csv': No such file or directory; create its folder");
    Expect("compare box.json -m verlet --plot no/folder.svg", 2, "no/folder.svg");
    Expect("compare box.json -m verlet --lanes 3", 2, "--lanes must be 1, 4, 8 or 16");
    Expect("compare box.json -m verlet --method verlet", 2, "did you mean --methods?");
    Expect("compare none.json -m verlet", 2, "none.json");
    Expect("compare wrong.json -m verlet", 2, "wrong.json:1:");
    Expect("compare empty.json -m verlet", 2, "the scene has no bodies");
    Expect("compare rest.json -m verlet", 2, "nothing moves in the reference");
    char many[1000] = "compare box.json -m verlet";
    for (int i = 0; i < 70; ++i)
    {
        strcat(many, ",verlet");
    }
    Expect(many, 2, "more than 64 runs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSweeps),        cmocka_unit_test(TestOrders),  cmocka_unit_test(TestSameMethods),
        cmocka_unit_test(TestTableAndFiles), cmocka_unit_test(TestStopped), cmocka_unit_test(TestSettle),
        cmocka_unit_test(TestBadInput),
    };
    return cmocka_run_group_tests(tests, MakeScenes, NULL);
}
