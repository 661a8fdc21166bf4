// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The souple command as a user runs it: output, files and exit codes.

#define WORK SOUPLE_BINARY_DIR "/test/cli"

#include "test/cli_test.h"
#include "test/read_file.h"

#include <signal.h>
#include <unistd.h>

static void TestUsage(void** state)
{
    SP_UNUSED(state);
    Expect("--version", 0, "souple 0.");
    Expect("", 2, "commands:");
    Expect("--help", 0, "commands:");
    Expect("help", 0, "scene-format");
    Expect("rnu", 2, "unknown command \"rnu\"; did you mean \"run\"?");
    Expect("xyzzyxyzzy", 2, "'souple help' lists all");
    Expect("run", 2, "usage: souple run SCENE");
    Expect("run a b", 2, "too many arguments: \"b\"");
    Expect("run x.json --thread 2", 2, "unknown option --thread; did you mean --threads?");
    Expect("run x.json -z", 2, "unknown option -z");
    Expect("run x.json --ot o", 2, "did you mean --out?");
    Expect("run x.json --threads", 2, "--threads needs a value");
    Expect("run x.json --threads two", 2, "--threads needs a whole number, but got \"two\"");
    Expect("run x.json --threads=100", 2, "must be from 1 to 64");
    Expect("run x.json --dt nan", 2, "--dt needs a number");
    Expect("run x.json --json=yes", 2, "takes no value");
    Expect("run x.json --export png", 2, "--export needs --out");
    Expect("run x.json --out o --export pgn", 2, "did you mean \"png\"?");
    Expect("run x.json --steps 3 --duration 1", 2, "exclude each other");
    Expect("run no-such-file.json", 2, "no-such-file.json");
    Expect("run -- --odd-name.json", 2, "--odd-name.json");
    Expect("mesh", 2, "actions:");
    Expect("mesh inof", 2, "did you mean \"info\"?");
    Expect("mesh make bal -o a.vtu", 2, "did you mean \"ball\"?");
    Expect("mesh make ball", 2, "-o is missing");
    Expect("mesh make ball -o a.xyz", 2, "a.xyz");
    Expect("mesh info no-such.msh", 2, "no-such.msh");
    Expect("export x.souple --to png", 2, "--out is missing");
    Expect("export no-such.souple --to png --out o", 2, "no-such.souple");
}

static void TestHelp(void** state)
{
    SP_UNUSED(state);
    static const char* const s_commands[] = {"run", "check", "export", "doctor", "help"};
    for (int i = 0; i < SP_COUNT(s_commands); ++i)
    {
        char arguments[64];
        snprintf(arguments, sizeof(arguments), "help %s", s_commands[i]);
        Expect(arguments, 0, "usage: souple");
        snprintf(arguments, sizeof(arguments), "%s --help", s_commands[i]);
        Expect(arguments, 0, "options:");
    }
    Expect("help mesh", 0, "actions:");
    Expect("mesh make --help", 0, "--resolution=COUNT");
    Expect("help units", 0, "SI");
    Expect("help exit-codes", 0, "130");
    Expect("help materials", 0, "rubber");
    Expect("help scene-format", 0, "restitution");
    Expect("help scene-fromat", 2, "did you mean \"scene-format\"?");
    Expect("materials", 0, "spinal cord");
    json_decref(RunJson("materials --json", 0));

    // The page in docs is what the command prints
    assert_int_equal(system("'" SOUPLE_BINARY_DIR
                            "/souple' help scene-format --markdown | cmp -s - '" SOUPLE_SOURCE_DIR
                            "/docs/scene_format.md'"),
                     0);
}

static void TestDoctor(void** state)
{
    SP_UNUSED(state);
    Expect("doctor", 0, "Jansson");
    json_t* json = RunJson("doctor --json", 0);
    assert_true(json_is_true(json_object_get(json, "works")));
    assert_true(json_integer_value(json_object_get(json, "lanes")) >= 1);
    size_t index;
    json_t* part;
    bool named = false;
    json_array_foreach(json_object_get(json, "parts"), index, part)
    {
        // What is there has a version, what is not says what it would bring
        bool present = json_is_true(json_object_get(part, "present"));
        assert_int_equal(json_string_length(json_object_get(part, "version")) > 0, present);
        assert_true(json_string_length(json_object_get(part, "use")) > 0);
        assert_true(json_string_length(json_object_get(part, "licence")) > 0);
        if (strcmp(json_string_value(json_object_get(part, "name")), "CHOLMOD") == 0)
        {
            // Its licence depends on the part of it that is used
            named = true;
            assert_non_null(strstr(json_string_value(json_object_get(part, "licence")), "GPL-2+"));
            assert_non_null(strstr(json_string_value(json_object_get(part, "use")), "Cholesky"));
        }
    }
    assert_true(named);
    assert_true(json_array_size(json_object_get(json, "programs")) > 0);
    json_decref(json);
    Expect("doctor", 0, "libwebsockets");
    Expect("doctor", 0, "ffmpeg");
}

static void TestCheck(void** state)
{
    SP_UNUSED(state);
    Expect("check " SCENES "/*.json", 0, "demo.json: fine");
    WriteFile("bad.json", "{\n  \"souple\": 1,\n  \"gravty\": 1,\n  \"duration\": -1\n}\n");
    Expect("check bad.json", 2, "bad.json:3:3: gravty: unknown key \"gravty\"; did you mean \"gravity\"?");
    Expect("check bad.json", 2, "bad.json:4:15: duration: must be greater than 0 s, but is -1");
    Expect("run bad.json", 2, "bad.json:3:3: ");
    json_t* json = RunJson("check bad.json --json", 2);
    assert_true(json_is_false(json_object_get(json, "good")));
    assert_int_equal(json_array_size(json_object_get(json, "problems")),
                     3); // and the warning that it is empty
    json_decref(json);
    Expect("check no-such.json", 2, "no-such.json");
}

// Two boxes half inside each other: said before, and mended on request
static void TestUntangle(void** state)
{
    SP_UNUSED(state);
    WriteFile("tangled.json",
              "{\"souple\": 1, \"duration\": 0.05, \"gravity\": [0, 0, 0], \"bodies\": [\n"
              "{\"name\": \"left\", \"mesh\": {\"generator\": \"box\"}, \"tets\": {\"youngModulus\": 1e5}},\n"
              "{\"name\": \"right\", \"mesh\": {\"generator\": \"box\"}, \"tets\": {\"youngModulus\": 1e5},\n"
              " \"transform\": {\"position\": [0.21, 0.03, 0.04]}}], \"sleepSpeed\": 0.01,\n"
              "\"measurements\": [{\"name\": \"inside\", \"type\": \"intersections\"},\n"
              "{\"name\": \"sleeping\", \"type\": \"sleeping\"}]}");
    Expect("check tangled.json", 0, "it starts inside \"left\"");
    Expect("check tangled.json", 0, "souple run --untangle");
    json_t* json = RunJson("run tangled.json --steps 1 --json", 0);
    assert_true(json_number_value(json_object_get(json_object_get(json, "measurements"), "inside")) > 0);
    assert_int_equal(json_array_size(json_object_get(json, "intersections")), 1);
    json_decref(json);
    Expect("run tangled.json --untangle --out tangled", 0, "Untangled in ");
    Expect("replay tangled/tangled.souple", 0, "");
    json = RunJson("run tangled.json --untangle --json", 0);
    assert_true(json_number_value(json_object_get(json_object_get(json, "measurements"), "inside")) == 0);
    assert_int_equal(json_array_size(json_object_get(json, "intersections")), 0);
    json_decref(json);
}

static void TestRunAsJson(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("run " SCENES "/demo.json --steps=20 --json", 0);
    static const char* const s_keys[] = {"scene",       "steps",     "simulatedSeconds",
                                         "wallSeconds", "msPerStep", "stateHash",
                                         "status",      "bodies",    "measurements"};
    for (int i = 0; i < SP_COUNT(s_keys); ++i)
    {
        assert_non_null(json_object_get(json, s_keys[i]));
    }
    assert_int_equal(json_integer_value(json_object_get(json, "steps")), 20);
    CHECK_NEAR(json_number_value(json_object_get(json, "simulatedSeconds")), 20.0 / 60.0, 1e-5);
    assert_string_equal(json_string_value(json_object_get(json, "status")), "ok");
    assert_int_equal(json_string_length(json_object_get(json, "stateHash")), 16);
    json_t* times = json_object_get(json, "msPerStep");
    double median = json_number_value(json_object_get(times, "median"));
    double most = json_number_value(json_object_get(times, "max"));
    assert_true(median > 0.0 && median <= json_number_value(json_object_get(times, "p95")));
    assert_true(json_number_value(json_object_get(times, "p99")) <= most);
    json_t* body = json_array_get(json_object_get(json, "bodies"), 0);
    assert_string_equal(json_string_value(json_object_get(body, "name")), "torus");
    assert_true(json_integer_value(json_object_get(body, "nodes")) > 100);
    assert_true(json_number_value(json_object_get(body, "kineticEnergy")) > 0.0);
    assert_true(json_number_value(json_object_get(json_object_get(json, "measurements"), "ball height")) >
                0.0);

    // The same bits with other numbers of threads and lanes
    static const char* const s_variants[] = {"--threads 2", "--lanes 1", "--lanes=4 --threads=2"};
    // A build without SIMD has one lane
    int variantCount = spGetLaneCount() >= 4 ? SP_COUNT(s_variants) : SP_COUNT(s_variants) - 1;
    for (int i = 0; i < variantCount; ++i)
    {
        char arguments[512];
        snprintf(arguments, sizeof(arguments), "run " SCENES "/demo.json --steps 20 --json %s",
                 s_variants[i]);
        json_t* other = RunJson(arguments, 0);
        assert_string_equal(json_string_value(json_object_get(other, "stateHash")),
                            json_string_value(json_object_get(json, "stateHash")));
        json_decref(other);
    }
    json_decref(json);
}

static void TestRunAndExport(void** state)
{
    SP_UNUSED(state);
    Expect("run " SCENES "/gas_disc.json --duration 0.2 --out out/deep/folder --export vtu,obj,csv,svg", 0,
           "Recording: out/deep/folder/gas_disc.souple");
    assert_true(Exists("out/deep/folder/gas_disc.souple"));
    assert_true(Exists("out/deep/folder/gas_disc.csv"));
    assert_true(Exists("out/deep/folder/vtu/gas_disc.pvd"));
    assert_true(Exists("out/deep/folder/obj/gas_disc_000000.obj"));
    assert_true(Exists("out/deep/folder/gas_disc_plot1.svg"));
    Expect("export out/deep/folder/gas_disc.souple --to csv,obj --out again --stride 5 --quiet", 0, "");
    assert_true(Exists("again/gas_disc.csv"));
    assert_true(Exists("again/obj/gas_disc_000000.obj"));
    Expect("export out/deep/folder/gas_disc.souple --to csv --out o --first 99999", 2, "--first");

    // A run with the same recording twice is the same file content apart from timings; quiet says nothing
    static Result s_result;
    Run(&s_result, "run " SCENES "/gas_disc.json --steps 3 --quiet 2>&1");
    assert_int_equal(s_result.code, 0);
    assert_string_equal(s_result.text, "");

    // Files where folders should be
    WriteFile("file", "x");
    Expect("run " SCENES "/gas_disc.json --steps 1 --out file/x", 2, "cannot make the folder file/x");
    Expect("export file --to csv --out o", 2, "file");
}

static void TestPictures(void** state)
{
    SP_UNUSED(state);
    static Result s_result;
    Run(&s_result, "doctor 2>&1");
    if (strstr(s_result.text, "libpng        missing") != NULL)
    {
        Expect("run " SCENES "/gas_disc.json --steps 2 --out pic --export png", 2, "png");
        return;
    }
    Expect("run " SCENES "/gas_disc.json --duration 0.1 --out pic", 0, "");
    Expect("export pic/gas_disc.souple --to png,sheet --out pic --width 160 --height 120 --last 1", 0, "");
    assert_true(Exists("pic/png/gas_disc_000000.png"));
    assert_true(Exists("pic/png/gas_disc_000001.png"));
    assert_false(Exists("pic/png/gas_disc_000002.png"));
    assert_true(Exists("pic/gas_disc_sheet.png"));
}

static void TestInterrupt(void** state)
{
    SP_UNUSED(state);
    // Ctrl-C in the middle of a long run keeps what was recorded
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        execl(SOUPLE_BINARY_DIR "/souple", "souple", "run", SCENES "/demo.json", "--duration", "100000",
              "--out", WORK "/cut", "--quiet", (char*)NULL);
        _exit(99);
    }
    for (int i = 0; i < 100 && !Exists("cut/demo.souple"); ++i)
    {
        usleep(100000);
    }
    usleep(500000);
    int status = 0;
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    assert_true(Exists("cut/demo.souple"));
    Expect("export cut/demo.souple --to csv --out cut", 0, "Exported csv");
    assert_true(Exists("cut/demo.csv"));
}

static void TestTrouble(void** state)
{
    SP_UNUSED(state);
    // Forward Euler far beyond its limit: the run ends, says so, and has exit code 1
    WriteFile("explode.json", "{\"souple\": 1, \"dt\": 0.05, \"duration\": 10, \"bodies\": [{\"mesh\": "
                              "{\"generator\": \"lattice\"}, \"nodeMass\": 0.01,"
                              "\"springs\": {\"stiffness\": 10000}, \"method\": {\"type\": \"forwardEuler\", "
                              "\"substeps\": 1}, \"pins\": 0}]}");
    Expect("run explode.json", 1, "Trouble in ");
    json_t* json = RunJson("run explode.json --json", 1);
    assert_non_null(strstr(json_string_value(json_object_get(json, "status")), "unstable"));
    json_decref(json);
    WriteFile("event.json", "{\"souple\": 1, \"duration\": 0.1, \"bodies\": [{\"name\": \"b\", \"mesh\": "
                            "{\"generator\": \"box\"}, \"springs\": {}}],\n"
                            "\"events\": {\"time\": 0, \"type\": \"pin\", \"body\": \"b\",\n"
                            "  \"nodes\": {\"sphere\": {\"center\": [50, 0, 0], \"radius\": 1}}}}");
    Expect("run event.json", 1, "event.json:3:12: events.nodes: no node of the body is in this region");
}

// What a run says about the solver of an implicit method
static void TestSolver(void** state)
{
    SP_UNUSED(state);
    static const char scene[] =
        "{\"souple\": 1, \"duration\": 0.2, \"bodies\": [{\"name\": \"beam\", \"mesh\": "
        "{\"generator\": \"beam\", \"cells\": [8, 2, 2]}, \"tets\": {\"youngModulus\": 1e6}, "
        "\"pins\": [0, 1, 2, 3], \"method\": {\"type\": \"bdf2\", \"solver\": %s}}]}";
    char text[600];
    snprintf(text, sizeof(text), scene,
             "{\"preconditioner\": \"ssor\", \"operator\": \"assembled\", \"refresh\": 4}");
    WriteFile("solver.json", text);
    json_t* json = RunJson("run solver.json --json", 0);
    json_t* solver = json_object_get(json_array_get(json_object_get(json, "bodies"), 0), "solver");
    assert_string_equal(json_string_value(json_object_get(solver, "method")), "bdf2");
    assert_string_equal(json_string_value(json_object_get(solver, "operator")), "assembled");
    assert_string_equal(json_string_value(json_object_get(solver, "preconditioner")), "ssor");
    assert_int_equal(json_integer_value(json_object_get(solver, "steps")), 12);
    assert_int_equal(json_integer_value(json_object_get(solver, "stopped")), 0);
    assert_int_equal(json_integer_value(json_object_get(solver, "factors")), 3); // of steps 0, 4 and 8
    assert_int_equal(json_integer_value(json_object_get(solver, "factorAge")), 3);
    json_t* iterations = json_object_get(solver, "iterations");
    double mean = json_number_value(json_object_get(iterations, "mean"));
    assert_true(mean >= 1.0 && mean <= (double)json_integer_value(json_object_get(iterations, "most")));
    double residual = json_number_value(json_object_get(solver, "residual"));
    assert_true(residual > 0.0 && residual < 2e-4);
    assert_true(json_number_value(json_object_get(solver, "solveShare")) > 0.0);
    json_decref(json);
    Expect("run solver.json", 0, "beam: bdf2, assembled operator, preconditioner ssor; ");
    Expect("run solver.json", 0, "3 preconditioners made, the one in use 3 steps old.");

    // Stopped short of the tolerance: which steps, how far they came, what to do
    snprintf(text, sizeof(text), scene, "{\"preconditioner\": \"jacobi\", \"maxIterations\": 2}");
    WriteFile("stopped.json", text);
    Expect("run stopped.json", 1, "within 2 iterations; the worst residual");
    Expect("run stopped.json", 1, "raise maxIterations of the solver");
    Expect("run stopped.json", 1, "was not solved to its tolerance and the best iterate was taken");
    json = RunJson("run stopped.json --json", 1);
    assert_string_equal(json_string_value(json_object_get(json, "status")), "solverStopped");
    solver = json_object_get(json_array_get(json_object_get(json, "bodies"), 0), "solver");
    assert_true(json_integer_value(json_object_get(solver, "stopped")) > 0);
    json_decref(json);

    // Explicit methods have none
    json = RunJson("run " SCENES "/tet_beam.json --steps 1 --json", 0);
    assert_null(json_object_get(json_array_get(json_object_get(json, "bodies"), 0), "solver"));
    json_decref(json);
}

// What a run says about the sweeps of xpbd
static void TestSweeps(void** state)
{
    SP_UNUSED(state);
    static const char scene[] =
        "{\"souple\": 1, \"duration\": 0.2, \"bodies\": [{\"name\": \"beam\", \"mesh\": "
        "{\"generator\": \"beam\", \"cells\": [8, 2, 2]}, \"tets\": {\"youngModulus\": 1e6}, "
        "\"pins\": [0, 1, 2, 3], \"method\": {\"type\": \"xpbd\", \"substeps\": 2, \"xpbd\": %s}}]}";
    char text[600];
    snprintf(text, sizeof(text), scene,
             "{\"solver\": \"gaussSeidel\", \"accelerator\": \"anderson\", \"iterations\": 12}");
    WriteFile("sweeps.json", text);
    // So few are not enough for it, which is said
    json_t* json = RunJson("run sweeps.json --json", 1);
    json_t* body = json_array_get(json_object_get(json, "bodies"), 0);
    json_t* sweeps = json_object_get(body, "sweeps");
    assert_null(json_object_get(body, "solver"));
    assert_string_equal(json_string_value(json_object_get(sweeps, "solver")), "gaussSeidel");
    assert_string_equal(json_string_value(json_object_get(sweeps, "accelerator")), "anderson");
    assert_int_equal(json_integer_value(json_object_get(sweeps, "steps")), 12);
    json_t* counts = json_object_get(sweeps, "sweeps");
    assert_int_equal(json_integer_value(json_object_get(counts, "most")), 24);
    CHECK_NEAR(json_number_value(json_object_get(counts, "mean")), 24, 0);
    assert_true(json_integer_value(json_object_get(sweeps, "rejected")) >= 0);
    assert_int_equal(json_integer_value(json_object_get(sweeps, "diverged")), 0);
    assert_true(json_number_value(json_object_get(sweeps, "dualResidual")) > 0.0);
    assert_true(json_number_value(json_object_get(sweeps, "primalResidual")) > 0.0);
    assert_true(json_number_value(json_object_get(sweeps, "solveShare")) > 0.0);
    json_decref(json);
    Expect("run sweeps.json", 1, "beam: xpbd, solver gaussSeidel, accelerator anderson; 24 sweeps in a step");
    Expect("run sweeps.json", 1, "kg m in the last step.");
    Expect("run sweeps.json", 1, "steps sweeps were not enough: up to");

    // An accelerator that makes it worse
    snprintf(text, sizeof(text), scene,
             "{\"solver\": \"gaussSeidel\", \"accelerator\": \"lambdaSor\", \"relaxation\": 10, "
             "\"iterations\": 60}");
    WriteFile("diverged.json", text);
    Expect("run diverged.json", 0, "of 12 steps the accelerator made it worse");
    json = RunJson("run diverged.json --json", 0);
    sweeps = json_object_get(json_array_get(json_object_get(json, "bodies"), 0), "sweeps");
    assert_true(json_integer_value(json_object_get(sweeps, "diverged")) > 0);
    json_decref(json);
}

// What a run says about tets, what it records of them, and what is made of that
static void TestTets(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("run " SCENES "/tet_beam.json --steps 3 --json", 0);
    json_t* body = json_array_get(json_object_get(json, "bodies"), 0);
    assert_string_equal(json_string_value(json_object_get(body, "law")), "corotational");
    assert_int_equal(json_integer_value(json_object_get(body, "inverted")), 0);
    assert_true(json_number_value(json_object_get(body, "maxVonMises")) > 100.0);
    assert_null(json_object_get(body, "relax"));
    json_decref(json);
    Expect("run " SCENES "/tet_beam.json --steps 1", 0, "beam: 810 tets (corotational)");
    Expect("run " SCENES "/tet_beam.json --steps 1", 0, "none inside out.");

    // Equilibrium that is not reached is trouble
    static const char hanging[] = "{\"souple\": 1, \"duration\": 0.05, \"bodies\": [{\"name\": \"b\", "
                                  "\"mesh\": {\"generator\": \"box\"}, "
                                  "\"tets\": {\"law\": \"corotationalEdge\", \"youngModulus\": 1e6}, "
                                  "\"relax\": %s, \"pins\": {\"box\": "
                                  "{\"lower\": [-1, 1, -1], \"upper\": [1, 1, 1]}}}]}";
    char text[600];
    snprintf(text, sizeof(text), hanging, "{\"maxIterations\": 2, \"dynamic\": true}");
    WriteFile("hanging.json", text);
    Expect("run hanging.json", 1, "Trouble: the equilibrium of b was not found after 2 iterations");
    json = RunJson("run hanging.json --json", 1);
    assert_string_equal(json_string_value(json_object_get(json, "status")), "notRelaxed");
    json_t* relax = json_object_get(json_array_get(json_object_get(json, "bodies"), 0), "relax");
    assert_true(json_is_false(json_object_get(relax, "converged")));
    assert_int_equal(json_integer_value(json_object_get(relax, "iterations")), 2);
    json_decref(json);
    snprintf(text, sizeof(text), hanging, "true");
    WriteFile("hanging.json", text);
    Expect("run hanging.json", 0, "Equilibrium of b found after");
    Expect("run hanging.json", 0, "The law corotationalEdge does not bring back tets that turn inside out");

    // Stress is recorded for VTU, for the colour and on request, not otherwise
    Expect("run " SCENES "/tet_beam.json --steps 2 --out tets --export vtu", 0, "Exports (vtu)");
    static Result s_result;
    Run(&s_result, "run " SCENES "/tet_beam.json --steps 2 --out tets --stress --colour none -q");
    assert_int_equal(s_result.code, 0);
    Expect("export tets/tet_beam.souple --to vtu --out tets", 0, "Exported vtu");
    FILE* file = fopen(WORK "/tets/vtu/tet_beam_000000.vtu", "rb");
    assert_non_null(file);
    int found = 0;
    while (fgets(s_result.text, sizeof(s_result.text), file) != NULL)
    {
        found += strstr(s_result.text, "Name=\"principalStress\"") != NULL;
        found += strstr(s_result.text, "Name=\"volumeRatio\"") != NULL;
        found += strstr(s_result.text, "Name=\"vonMises\"") != NULL;
    }
    fclose(file);
    assert_int_equal(found, 4); // von Mises stress is on points and on cells
    Expect("run " SCENES "/tet_beam.json --colour strss", 2, "did you mean \"stress\"?");
    Expect("export tets/tet_beam.souple --to png --out tets --colour xyzzy", 2, "known are none, stress");
    Run(&s_result, "doctor 2>&1");
    if (strstr(s_result.text, "libpng   missing") == NULL)
    {
        Expect("export tets/tet_beam.souple --to png --out tets --width 160 --height 120 --last 0", 0, "");
        Expect("export tets/tet_beam.souple --to png --out tets --colour velocity", 2, "--velocities");
        Expect("run " SCENES "/demo.json --steps 1 --out tets --export png --colour stress", 2, "no stress");

        // What is in a body that says how opaque it is can be seen; so it can when the command says it of all
        WriteFile(
            "inside.json",
            "{\"souple\": 1, \"duration\": 0.02, \"gravity\": [0, 0, 0], \"output\": {\"picture\": "
            "{\"width\": 96, "
            "\"height\": 72}}, \"bodies\": [{\"name\": \"skin\", \"mesh\": {\"generator\": \"icosphere\", "
            "\"radius\": 0.5, \"level\": 2}, "
            "\"opacity\": 0.3}, {\"name\": \"core\", \"mesh\": {\"generator\": \"icosphere\", \"radius\": "
            "0.2, \"level\": 2}}]}");
        Expect("run inside.json --out inside -q", 0, "");
        static const char* const ways[] = {"", "--opacity 1", "--opacity 0.3", "--opacity 0.3 --flat"};
        char* pictures[4];
        size_t sizes[4];
        for (int i = 0; i < 4; ++i)
        {
            char command[160];
            snprintf(command, sizeof(command),
                     "export inside/inside.souple --to png --out inside -q --last 0 %s", ways[i]);
            Expect(command, 0, "");
            pictures[i] = ReadWholeFile(WORK "/inside/png/inside_000000.png", &sizes[i]);
            for (int k = 0; k < i; ++k)
            {
                assert_false(sizes[i] == sizes[k] && memcmp(pictures[i], pictures[k], sizes[i]) == 0);
            }
        }
        for (int i = 0; i < 4; ++i)
        {
            free(pictures[i]);
        }
        Expect("export inside/inside.souple --to png --out inside --opacity 1.5", 2, "--opacity");
        WriteFile("inside2.json",
                  "{\"souple\": 1, \"output\": {\"picture\": {\"opacity\": -1}}, \"bodies\": []}");
        Expect("check inside2.json", 2, "opacity");
    }

    // A region made on the command line is there for a scene
    Expect("mesh make box --cells 4 -o plain.msh", 0, "384 tets");
    Expect("mesh convert plain.msh marked.vtu --center 0,0.5,0 --radius 0.4 --region 5", 0, "384 tets");
    Expect("mesh info marked.vtu", 0, "regions: 0 (");
    Expect("mesh info marked.vtu", 0, "), 5 (");
    Expect("mesh convert plain.msh skin.stl", 0, "the solid of 384 is lost");
    Expect("mesh convert plain.msh marked.vtu --center 9,9,9 --radius 0.4", 2,
           "has its middle in the sphere");
    WriteFile("marked.json",
              "{\"souple\": 1, \"duration\": 0.05, \"bodies\": [{\"mesh\": \"marked.vtu\", \"tets\": "
              "{\"regions\": {\"region\": 5, \"name\": \"stone\", \"youngModulus\": 1e6}}}]}");
    Expect("run marked.json", 0, "384 tets");
    Expect("run marked.json --colour region --out marked -q", 0, "");
}

// Tethers look for the nearest pinned node, options for the nearest word: each has its own function
static void TestTethers(void** state)
{
    SP_UNUSED(state);
    WriteFile("tethers.json",
              "{\"souple\": 1, \"dt\": 0.01, \"duration\": 0.05, \"bodies\": [{\"method\": \"xpbd\", "
              "\"density\": 1, "
              "\"mesh\": {\"generator\": \"cloth\"}, \"constraints\": [{\"type\": \"distance\"}, {\"type\": "
              "\"tether\"}], \"pins\": [{\"nodes\": [0]}]}]}");
    Expect("check tethers.json", 0, "");
    Expect("run tethers.json --quiet", 0, "");
}

// Files that are something else, cut off, or not there
static void TestWrongFiles(void** state)
{
    SP_UNUSED(state);
    WriteFile("empty", "");
    Expect("run empty", 2, "empty:1:1: not JSON");
    Expect("check empty", 2, "empty:1:1: not JSON");
    Expect("run .", 2, "it is a folder");
    Expect("check .", 2, "it is a folder");
    Expect("run ''", 2, "cannot read");
    Expect("mesh info .", 2, "it is a folder");
    Expect("mesh info empty", 2, "empty");
    Expect("export . --to csv --out o", 2, "Is a directory");
    Expect("export empty --to csv --out o", 2, "'empty' is not a Souple recording");
    WriteFile("latin.json", "{\"souple\": 1, \"name\": \"caf\xE9\"}");
    Expect("run latin.json", 2, "latin.json:1:26: not JSON: unable to decode byte 0xe9");
    // A byte order mark is no mistake, and does not shift columns
    WriteFile("mark.json", "\xEF\xBB\xBF{\"souple\": 1, \"gravty\": 1}");
    Expect("check mark.json", 2, "mark.json:1:15: gravty: unknown key");
    WriteFile("mark.json", "\xEF\xBB\xBF{\"souple\": 1, \"duration\": 0.1}");
    Expect("run mark.json", 0, "0 bodies");
    // The place is said once
    WriteFile("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    Expect("mesh info nan.obj", 2, "nan.obj:2:3: a coordinate of vertex 2 is not finite");
    WriteFile("huge.json", "{\"souple\": 1, \"bodies\": [{\"mesh\": {\"generator\": \"lattice\", \"counts\": "
                           "[1000000000, 1000000000, 1]}}]}");
    Expect("run huge.json", 2, "must be at most 1000, but is 1e9");
    Expect("run empty --steps 99999999999", 2, "--steps must be from 1 to 1e+08");
    Expect("run empty --threads 0", 2, "--threads must be from 1 to 64, but is 0");
    Expect("run " SCENES "/gas_disc.json --steps 1 --out ''", 2, "cannot make the folder");
    Expect("run " SCENES "/gas_disc.json --steps 1 > /dev/full", 2, "");

    // A recording cut in the middle, before its first frame, and with an empty range
    Expect("run " SCENES "/gas_disc.json --duration 0.2 --out whole --quiet", 0, "");
    assert_int_equal(system("cd '" WORK "/whole' && head -c 9000 gas_disc.souple > half.souple && "
                            "head -c 1000 gas_disc.souple > start.souple"),
                     0);
    Expect("export whole/half.souple --to csv,obj,svg --out half", 0, "half.souple is not complete: cut off");
    assert_true(Exists("half/half.csv"));
    assert_true(Exists("half/obj/half_000000.obj"));
    Expect("export whole/start.souple --to obj --out start", 2, "has no frames");
    Expect("export whole/gas_disc.souple --to obj --out o --first 5 --last 2", 2,
           "--first 5 is after --last 2");
}

static void TestMesh(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        const char* arguments;
        int tets, triangles; // 0: none, 1: some
    } s_meshes[] = {
        {"box --size 1,2,3 --cells 2,3,4", 1, 0},
        {"beam --five", 1, 0},
        {"ball --resolution 3", 1, 0},
        {"cylinder --height 2", 1, 0},
        {"torus --tube-radius=0.2", 1, 0},
        {"cloth --counts 5,1,7", 0, 1},
        {"icosphere --level 1", 0, 1},
        {"disc --points 12 --layers 2", 0, 0},
        {"lattice --counts 3 --spacing 0.5", 0, 1},
    };
    for (int i = 0; i < SP_COUNT(s_meshes); ++i)
    {
        char arguments[256];
        snprintf(arguments, sizeof(arguments), "mesh make %s -o mesh%d.vtu --json", s_meshes[i].arguments, i);
        json_t* made = RunJson(arguments, 0);
        snprintf(arguments, sizeof(arguments), "mesh info mesh%d.vtu --json", i);
        json_t* read = RunJson(arguments, 0);
        static const char* const s_counts[] = {"vertices", "triangles", "tets", "components",
                                               "boundaryTriangles"};
        for (int j = 0; j < SP_COUNT(s_counts); ++j)
        {
            assert_int_equal(json_integer_value(json_object_get(made, s_counts[j])),
                             json_integer_value(json_object_get(read, s_counts[j])));
        }
        assert_int_equal(json_integer_value(json_object_get(read, "tets")) > 0, s_meshes[i].tets);
        assert_true(json_is_array(json_object_get(read, "problems")));
        assert_true(json_is_boolean(json_object_get(read, "closed")));
        json_decref(made);
        json_decref(read);
    }
    json_t* box = RunJson("mesh info mesh0.vtu --json", 0);
    CHECK_NEAR(json_number_value(json_object_get(box, "volume")), 6.0, 1e-9);
    assert_int_equal(json_integer_value(json_object_get(box, "tets")), 6 * 2 * 3 * 4);
    assert_true(json_is_true(json_object_get(box, "closed")));
    assert_non_null(json_object_get(box, "format"));
    assert_non_null(json_object_get(box, "minDihedral"));
    assert_non_null(json_object_get(box, "maxDihedral"));
    json_decref(box);
    Expect("mesh info mesh0.vtu", 0, "Fit to simulate as a solid body.");
    Expect("mesh info mesh6.vtu", 0, "with or without gas");
    Expect("mesh info mesh6.vtu", 0, "souple mesh fill");
    Expect("mesh fill mesh6.vtu", 2, "-o is missing");
    Expect("mesh fill mesh5.vtu -o filled.vtu", 2, "the surface has no inside");
    Expect("mesh fill mesh6.vtu --size 1e-6 -o filled.vtu", 2, "the limit is 100000000");
    Expect("mesh fill mesh6.vtu --size 0.2 -o filled.vtu", 0, "Fit to simulate as a solid body.");
    Expect("mesh fill mesh6.vtu --sharp 181 -o filled.vtu", 2, "--sharp");
    Expect("mesh fill mesh6.vtu --growth -1 -o filled.vtu", 2, "--growth");
    Expect("mesh fill mesh0.vtu --size 0.1 --sharp 30 --growth 1 -o filled.vtu", 0, "100.00 % of the 6 m^3");
    json_t* filled = RunJson("mesh fill mesh6.vtu --tets 2000 -o filled.msh --json", 0);
    assert_true(json_integer_value(json_object_get(filled, "tets")) > 1500);
    assert_true(json_number_value(json_object_get(filled, "minDihedral")) > 10.7);
    assert_true(json_is_true(json_object_get(json_object_get(filled, "filled"), "surfaceClosed")));
    json_decref(filled);
    Expect("mesh levels mesh6.vtu", 2, "-o is missing");
    Expect("mesh levels mesh6.vtu --levels 8 -o level.vtu", 2, "--levels");
    Expect("mesh levels mesh6.vtu --ratio 1 -o level.vtu", 2, "--ratio");
    Expect("mesh levels mesh6.vtu --levels 7 --size 0.1 -o level.vtu", 2, "ask for fewer levels");
    assert_int_not_equal(access("level-0.vtu", F_OK), 0);
    Expect("mesh levels mesh6.vtu --levels 2 --size 0.1 -o level.vtu", 0, "level-1.vtu");
    Expect("mesh info level-1.vtu", 0, "Fit to simulate as a solid body.");
    json_t* result = RunJson("mesh levels mesh6.vtu --tets 3000 -o level.msh --json", 0);
    json_t* levels = json_object_get(result, "levels");
    assert_int_equal(json_array_size(levels), 3);
    for (size_t i = 0; i < 3; ++i)
    {
        json_t* level = json_array_get(levels, i);
        assert_true(json_number_value(json_object_get(level, "minDihedral")) > 10.7);
        assert_true(json_number_value(json_object_get(json_object_get(level, "filled"), "size")) > 0.0);
    }
    json_decref(result);
    // What a body of levels used of its budget of 60000 evaluations in a second, in a step of 1/60 s
    result = RunJson("run " SOUPLE_SOURCE_DIR "/test/browser/scenes/levels.json --steps 30 --json", 0);
    json_t* measured = json_object_get(result, "measurements");
    double load = json_number_value(json_object_get(measured, "share"));
    assert_true(load > 0.0 && load <= 1.0);
    CHECK_NEAR(60000.0 / 60.0 * load, json_number_value(json_object_get(measured, "evaluations")), 1e-3);
    json_decref(result);
    Expect("mesh simplify mesh6.vtu", 2, "something is missing");
    Expect("mesh simplify mesh6.vtu few.obj --triangles 0", 2, "--triangles");
    Expect("mesh simplify mesh6.vtu few.obj --triangles 40", 0,
           "few.obj: 40 triangles on 22 vertices, from 80");
    result = RunJson("mesh simplify mesh6.vtu few.obj --distance 0.1 --json", 0);
    json_t* few = json_object_get(result, "remeshed");
    assert_true(json_number_value(json_object_get(few, "maxDistance")) <= 0.1);
    assert_true(json_integer_value(json_object_get(result, "triangles")) <
                json_integer_value(json_object_get(few, "oldTriangles")) / 2);
    json_decref(result);
    Expect("mesh remesh mesh6.vtu even.obj --size -1", 2, "--size");
    Expect("mesh remesh mesh6.vtu even.obj --passes 0", 2, "--passes");
    Expect("mesh remesh mesh6.vtu even.obj --size 1e-9", 2, "ask for a larger size");
    Expect("mesh remesh mesh6.vtu even.obj --size 0.1", 0, "Fit to simulate as a shell");
    result = RunJson("mesh remesh mesh0.vtu even.stl --size 0.2 --json", 0);
    CHECK_NEAR(json_number_value(json_object_get(result, "volume")), 6.0, 1e-9);
    CHECK_NEAR(json_number_value(json_object_get(json_object_get(result, "remeshed"), "size")), 0.2, 1e-12);
    json_decref(result);
    Expect("mesh convert mesh0.vtu box.msh --scale 2", 0, "box.msh: 60 vertices");
    box = RunJson("mesh info box.msh --json", 0);
    CHECK_NEAR(json_number_value(json_object_get(box, "volume")), 48.0, 1e-9);
    json_decref(box);

    // An inverted tet: not fit, until it is repaired; a scene takes the mended file, or mends it itself
    WriteFile(
        "bad.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
        "$Elements\n1\n1 4 2 0 1 1 3 2 4\n$EndElements\n");
    Expect("mesh info bad.msh", 1, "Not fit to simulate");
    json_t* bad = RunJson("mesh info bad.msh --json", 1);
    json_t* problem = json_array_get(json_object_get(bad, "problems"), 0);
    assert_non_null(json_object_get(problem, "name"));
    assert_int_equal(json_integer_value(json_object_get(problem, "count")), 1);
    assert_int_equal(json_integer_value(json_object_get(problem, "first")), 0);
    assert_string_equal(json_string_value(json_object_get(problem, "text")),
                        "1 tet is inside out (tet 0); 'souple mesh repair' turns it upright");
    json_decref(bad);
    Expect("mesh repair bad.msh good.msh", 0, "1 tet turned upright");
    Expect("mesh repair good.msh good.msh", 0, "Nothing had to be repaired.");
    json_t* repaired = RunJson("mesh repair bad.msh good.msh --json", 0);
    json_t* counts = json_object_get(repaired, "repaired");
    assert_int_equal(json_integer_value(json_object_get(counts, "flippedTets")), 1);
    json_decref(repaired);
    Expect("mesh convert good.msh good.vtk --format vtk-ascii", 0, "good.vtk: 4 vertices");
    Expect("mesh info good.vtk", 0, "VTK ascii");
    Expect("mesh convert good.msh good.vtk --format xyz", 2, "xyz");
    Expect("mesh info good.msh", 0, "Fit to simulate as a solid body.");
    WriteFile("mesh.json",
              "{\"souple\": 1, \"duration\": 0.1, \"bodies\": [{\"mesh\": \"good.msh\", \"springs\": {}},"
              "{\"mesh\": {\"file\": \"bad.msh\", \"repair\": true}, \"springs\": {}}]}");
    Expect("run mesh.json", 0, "2 bodies with 8 nodes");
}

// What is wrong with a mesh, whether it is fit all the same, and what to do, each in words
static void TestMeshWords(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        const char* off; // behind the corners of two triangles and a tip
        const char* options;
        int code, repairCode;
        const char *problem, *verdict, *repaired;
    } s_surfaces[] = {
        {"1 0\n3 0 1 2\n", "", 0, 0, "2 vertices belong to nothing (first: vertex 3)",
         "It has 3 open edges, so it cannot hold gas; 'souple mesh repair FROM TO --holes=3'",
         "2 vertices dropped that nothing uses"},
        {"4 0\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", "", 0, 0, "1 vertex belongs to nothing (vertex 4)",
         "Fit to simulate as a shell, with or without gas", "1 vertex dropped"},
        {"4 0\n3 0 1 2\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", "", 0, 0,
         "3 edges of the surface have triangles that look to different sides (first: triangle 0)",
         "triangles do not all look outwards", "1 triangle turned round"},
        {"3 0\n3 0 2 1\n3 0 1 3\n3 0 3 2\n", "--holes 3", 0, 0, "closes holes of up to N edges",
         "It has 3 open edges", "1 hole closed\n  1 triangle added to close holes"},
        {"3 0\n3 0 1 2\n3 0 1 3\n3 0 1 4\n", "", 1, 1,
         "1 edge of the surface has more than two triangles (triangle 0)",
         "Not fit to simulate: at 1 edge more than two triangles meet", "Not fit to simulate: at 1 edge"},
        {"2 0\n3 0 1 2\n3 0 1 1\n", "", 1, 0, "1 triangle has no area (triangle 1)",
         "1 of its 2 triangles has no area", "1 triangle without area or there twice dropped"},
    };
    for (int i = 0; i < SP_COUNT(s_surfaces); ++i)
    {
        char text[400], arguments[200];
        snprintf(text, sizeof(text), "OFF\n5 %s", s_surfaces[i].off);
        // Points stand between the counts and the triangles
        char* triangles = strchr(text + 4, '\n') + 1;
        char rest[300];
        snprintf(rest, sizeof(rest), "%s", triangles);
        snprintf(triangles, sizeof(text) - (size_t)(triangles - text),
                 "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n%s", rest);
        WriteFile("words.off", text);
        Expect("mesh info words.off", s_surfaces[i].code, s_surfaces[i].problem);
        Expect("mesh info words.off", s_surfaces[i].code, s_surfaces[i].verdict);
        snprintf(arguments, sizeof(arguments), "mesh repair words.off mended.off %s", s_surfaces[i].options);
        Expect(arguments, s_surfaces[i].repairCode, s_surfaces[i].repaired);
    }

    // Two tets apart, the second flat; then both fine; then as large as a file in millimetres
    static const char s_head[] =
        "*VERTICES\n8 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 3 0 0\n6 4 0 0\n7 3 1 0\n";
    char text[400];
    snprintf(text, sizeof(text), "%s8 4 1 0\n*ELEMENTS\nTET\n2 4\n1 1 2 3 4\n2 5 6 7 8\n", s_head);
    WriteFile("two.veg", text);
    Expect("mesh info two.veg", 1, "of its 2 tets 1 is flat. 'souple mesh repair FROM TO' mends that.");
    Expect("mesh repair two.veg one.vtu", 0, "1 tet that was flat or there twice dropped");
    snprintf(text, sizeof(text), "%s8 3 0 1\n*ELEMENTS\nTET\n2 4\n1 1 2 3 4\n2 5 6 7 8\n", s_head);
    WriteFile("two.veg", text);
    Expect("mesh info two.veg", 0, "Fit to simulate as 2 solid bodies that do not hang together.");
    Expect("mesh info two.veg", 0, "1 part does not hang together with the first one (vertex 4)");
    Expect("mesh repair two.veg one.vtu --largest", 0, "1 smaller part dropped");
    Expect("mesh convert two.veg large.vtu --scale 1000", 0, "large.vtu: 8 vertices");
    Expect("mesh info large.vtu", 0, "it is 4000 m long; if the file is in millimetres");
    snprintf(text, sizeof(text), "%s8 3.3 0.3 0.01\n*ELEMENTS\nTET\n2 4\n1 1 2 3 4\n2 5 6 7 8\n", s_head);
    WriteFile("two.veg", text);
    Expect("mesh info two.veg", 0, "but slowly: its flattest tet has an angle of");

    // What a reader left out is told by info and by convert
    WriteFile("second.inp", "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,1,1\n*ELEMENT, TYPE=C3D10\n"
                            "1,1,2,3,4,5,5,5,5,5,5\n*ELEMENT, TYPE=C3D8\n2,1,2,3,4,1,2,3,4\n");
    Expect("mesh info second.inp", 0,
           "note: 1 cell is of second or higher order: the corners were kept, 1 middle");
    Expect("mesh convert second.inp first.msh", 0, "note: 1 cell is neither edge, polygon nor tet");
    json_t* info = RunJson("mesh info second.inp --json", 0);
    assert_int_equal(json_array_size(json_object_get(info, "notes")), 2);
    json_decref(info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestUsage),        cmocka_unit_test(TestHelp),      cmocka_unit_test(TestDoctor),
        cmocka_unit_test(TestCheck),        cmocka_unit_test(TestUntangle),  cmocka_unit_test(TestRunAsJson),
        cmocka_unit_test(TestRunAndExport), cmocka_unit_test(TestPictures),  cmocka_unit_test(TestInterrupt),
        cmocka_unit_test(TestTrouble),      cmocka_unit_test(TestSweeps),    cmocka_unit_test(TestSolver),
        cmocka_unit_test(TestTets),         cmocka_unit_test(TestTethers),   cmocka_unit_test(TestWrongFiles),
        cmocka_unit_test(TestMesh),         cmocka_unit_test(TestMeshWords),
    };
    return cmocka_run_group_tests(tests, SetUp, NULL);
}
