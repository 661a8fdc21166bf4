// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple reproduce anderson: its parts, their rows, runs and files, in small; what bad options say.

#define WORK SOUPLE_BINARY_DIR "/test/cli_anderson"

#include "test/cli_test.h"

static double GetOurs(const json_t* rows, const char* start)
{
    size_t i;
    const json_t* row;
    json_array_foreach(rows, i, row)
    {
        if (strncmp(json_string_value(json_object_get(row, "quantity")), start, strlen(start)) == 0)
        {
            return json_number_value(json_object_get(row, "ours"));
        }
    }
    fail_msg("there is no row '%s'", start);
    return 0.0;
}

// Runs one part; every row agrees and every file is there
static const json_t* RunPart(const char* arguments, json_t** json)
{
    char command[160];
    snprintf(command, sizeof(command), "reproduce anderson --quick --json --out out %s", arguments);
    *json = RunJson(command, 0);
    const json_t* experiment = json_array_get(json_object_get(*json, "experiments"), 0);
    assert_string_equal(json_string_value(json_object_get(experiment, "name")), "anderson");
    const json_t* files = json_object_get(experiment, "files");
    assert_true(json_array_size(files) > 0);
    for (size_t i = 0; i < json_array_size(files); ++i)
    {
        assert_true(Exists(json_string_value(json_array_get(files, i))));
    }
    return experiment;
}

static const json_t* FindRun(const json_t* runs, double young, const char* solver)
{
    size_t i;
    const json_t* run;
    json_array_foreach(runs, i, run)
    {
        if (json_number_value(json_object_get(run, "youngModulus")) == young &&
            strcmp(json_string_value(json_object_get(run, "solver")), solver) == 0)
        {
            return run;
        }
    }
    fail_msg("there is no run of '%s'", solver);
    return NULL;
}

// Sweeps or milliseconds to a target; -1 for never
static double GetTarget(const json_t* run, const char* key, const char* target)
{
    const json_t* value = json_object_get(json_object_get(run, key), target);
    assert_true(json_is_number(value) || json_is_null(value));
    return json_is_null(value) ? -1.0 : json_number_value(value);
}

// Dual and primal residual and energy after every sweep of the plain solver
static void CheckSweeps(const char* path, int sweeps)
{
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    static char line[8192];
    static const char head[] = "sweep,gaussSeidel: r/r0,gaussSeidel: primal [kg m],gaussSeidel: energy [J],";
    assert_non_null(fgets(line, sizeof(line), file));
    assert_memory_equal(line, head, sizeof(head) - 1);
    double first = 0.0, sweep, dual, primal, energy;
    for (int i = 0; i <= sweeps; ++i)
    {
        assert_non_null(fgets(line, sizeof(line), file));
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf", &sweep, &dual, &primal, &energy), 4);
        CHECK_NEAR(sweep, i, 0.0);
        assert_true(isfinite(dual) && isfinite(primal) && isfinite(energy) && primal >= 0.0);
        first = i == 0 ? energy : first;
        assert_int_equal(dual < 0.1, i == sweeps);
    }
    CHECK_LESS(energy, first);
    fclose(file);
}

static void TestBeams(void** state)
{
    SP_UNUSED(state);
    json_t* json;
    const json_t* experiment = RunPart("--part beams", &json);
    const json_t* rows = json_object_get(experiment, "rows");
    const json_t* runs = json_object_get(experiment, "runs");
    CHECK_NEAR(GetOurs(rows, "460 tets: nodes"), 216.0, 0.0);
    CHECK_NEAR(GetOurs(rows, "460 tets: mass"), 11.5, 0.005);
    CHECK_NEAR(GetOurs(rows, "460 tets, lambdaSor 10: moduli"), 2.0, 0.0);
    CHECK_NEAR(GetOurs(rows, "460 tets, anderson 5: moduli with a larger r"), 0.0, 0.0);
    assert_int_equal(json_array_size(runs), 22);

    // The reference program takes 50 and 342 sweeps in the order of the mesh
    const json_t *soft = FindRun(runs, 1e3, "gaussSeidel"), *stiff = FindRun(runs, 1e4, "gaussSeidel");
    double softSweeps = GetTarget(soft, "residualSweepsTo", "0.1");
    double stiffSweeps = GetTarget(stiff, "residualSweepsTo", "0.1");
    assert_true(softSweeps > 40.0 && softSweeps < 60.0);
    assert_true(stiffSweeps > 270.0 && stiffSweeps < 410.0);
    assert_true(GetTarget(soft, "sweepsTo", "0.1") > 0.0 && GetTarget(soft, "msTo", "0.1") > 0.0);
    assert_string_equal(json_string_value(json_object_get(soft, "mesh")), "beam");
    assert_int_equal(json_integer_value(json_object_get(soft, "tets")), 460);
    assert_true(json_number_value(json_object_get(soft, "msPerSweep")) > 0.0);
    assert_true(json_number_value(json_object_get(soft, "finalResidual")) < 1e-3);
    assert_string_not_equal(json_string_value(json_object_get(soft, "truth")), "not converged");

    const json_t* mixed = FindRun(runs, 1e4, "anderson 5");
    double sweeps = GetTarget(mixed, "residualSweepsTo", "0.1");
    assert_true(sweeps > 0.0 && sweeps < stiffSweeps / 3.0);
    assert_true(GetTarget(mixed, "sweepsTo", "0.1") < GetTarget(stiff, "sweepsTo", "0.1") / 3.0);
    const json_t* wild = FindRun(runs, 1e4, "lambdaSor 10");
    assert_true(json_is_true(json_object_get(wild, "diverged")));
    CHECK_NEAR(GetTarget(wild, "sweepsTo", "0.1"), -1.0, 0.0);

    // More time for the automatic solver, less error
    const json_t* budgets = json_object_get(FindRun(runs, 1e3, "auto"), "budgets");
    size_t count = json_array_size(budgets);
    assert_true(count > 1);
    const json_t *first = json_array_get(budgets, 0), *last = json_array_get(budgets, count - 1);
    assert_int_equal(json_integer_value(json_object_get(first, "iterations")), 1);
    assert_true(json_number_value(json_object_get(last, "trueError")) <
                json_number_value(json_object_get(first, "trueError")));
    assert_true(json_number_value(json_object_get(last, "ms")) > 0.0);
    assert_true(Exists("out/anderson/beams.csv"));
    CheckSweeps(WORK "/out/anderson/sweeps_460_1e+04.csv", (int)stiffSweeps);
    json_decref(json);
}

// A mesh of the user as it is
static void TestBodies(void** state)
{
    SP_UNUSED(state);
    json_t* json;
    const json_t* runs = json_object_get(RunPart("--part bodies", &json), "runs");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(runs, 0), "tets")), 384);
    json_decref(json);
    Expect("mesh make ball --radius 0.05 --resolution 1 -o small.msh", 0, "48 tets");
    runs = json_object_get(RunPart("--part bodies --mesh small.msh", &json), "runs");
    const json_t* run = FindRun(runs, 1e3, "gaussSeidel");
    assert_string_equal(json_string_value(json_object_get(run, "mesh")), "small.msh");
    assert_int_equal(json_integer_value(json_object_get(run, "tets")), 48);
    json_decref(json);
}

static void TestCost(void** state)
{
    SP_UNUSED(state);
    json_t* json;
    const json_t* rows = json_object_get(RunPart("--part cost", &json), "rows");
    double printed = GetOurs(rows, "460 tets, printed 10: sweep over");
    double anderson = GetOurs(rows, "460 tets, anderson 5: sweep over");
    json_decref(json);

    // The ratios are those of the table, and the parts of a sweep are all of it. Plain sweeps mix nothing.
    FILE* file = fopen(WORK "/out/anderson/cost.csv", "r");
    assert_non_null(file);
    char line[512];
    assert_non_null(fgets(line, sizeof(line), file));
    double all[4];
    for (int i = 0; i < 4; ++i)
    {
        double tets, solver, sweep, positions, residual, mixing;
        assert_non_null(fgets(line, sizeof(line), file));
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &tets, &solver, &sweep, &positions,
                                &residual, &mixing, all + i),
                         7);
        CHECK_NEAR(sweep + positions + residual + mixing, all[i], 0.02 * all[i]);
        assert_true(sweep > 0.0 && (i == 0 ? mixing == 0.0 : mixing > 0.0));
    }
    fclose(file);
    CHECK_NEAR(printed, all[1] / all[0], 1e-6 * printed);
    CHECK_NEAR(anderson, all[2] / all[0], 1e-6 * anderson);
    Expect("reproduce anderson --quick --part cost --out out", 0, "mixing");
}

static void TestShapes(void** state)
{
    SP_UNUSED(state);
    json_t* json;
    const json_t* rows = json_object_get(RunPart("--part sag", &json), "rows");
    double soft = GetOurs(rows, "460 tets, 1e+04 Pa: the free"), stiff = GetOurs(rows, "460 tets, 1e+06 Pa");
    assert_true(soft > 100.0 && soft < 130.0 && stiff > 10.0 && stiff < 20.0);
    CHECK_NEAR(GetOurs(rows, "460 tets, 1e+07 Pa: over the sag"), 0.66, 0.02);
    assert_true(Exists("out/anderson/sag_460.souple"));
    json_decref(json);
    rows = json_object_get(RunPart("--part poisson", &json), "rows");
    CHECK_NEAR(GetOurs(rows, "Poisson's ratio 0.49: measured"), 0.49, 0.01);
    assert_true(Exists("out/anderson/poisson.csv"));
    json_decref(json);
}

// Stiffness means something, and Green's strain takes as many sweeps as elsewhere
static void TestSettle(void** state)
{
    SP_UNUSED(state);
    json_t* json;
    const json_t* rows = json_object_get(RunPart("--part settle", &json), "rows");
    CHECK_NEAR(GetOurs(rows, "460 tets, 1e+05 Pa, 1/60 s: sag over equilibrium, auto"), 1.0, 0.02);
    assert_true(Exists("out/anderson/settle.csv"));
    json_decref(json);
    rows = json_object_get(RunPart("--part green", &json), "rows");
    CHECK_NEAR(GetOurs(rows, "460 tets, 1e+03 Pa, gaussSeidel: r/r0 0.1"), 50.0, 8.0);
    CHECK_NEAR(GetOurs(rows, "460 tets, 1e+04 Pa, gaussSeidel: true error 0.1"), 98.0, 15.0);
    assert_true(Exists("out/anderson/green.csv"));
    json_decref(json);
}

static void TestUsage(void** state)
{
    SP_UNUSED(state);
    Expect("reproduce --list", 0, "anderson ");
    Expect("reproduce anderson --part nothing", 2,
           "the experiment 'anderson' has no part 'nothing'; its parts are "
           "beams,green,bodies,cost,sag,settle,poisson");
    Expect("reproduce anderson --quick --part bodies --mesh nothing.node", 2, "nothing.node");
    WriteFile("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    Expect("reproduce anderson --quick --part bodies --mesh flat.obj", 2, "the mesh has no tets");
    WriteFile("file", "");
    Expect("reproduce anderson --quick --part cost --out file/x", 2, "cannot make the folder file/x");
    Expect("help reproduce", 0, "'anderson' instead of its two bodies");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestUsage), cmocka_unit_test(TestBeams),  cmocka_unit_test(TestBodies),
        cmocka_unit_test(TestCost),  cmocka_unit_test(TestShapes), cmocka_unit_test(TestSettle),
    };
    return cmocka_run_group_tests(tests, SetUp, NULL);
}
