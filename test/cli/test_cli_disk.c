// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The command on a bad day: killed while it writes, on a full disk, without a folder to write to, with nobody
// who reads what it says. A disk is full when a limit on the size of files is reached: writing fails then
// with EFBIG.

#define WORK SOUPLE_BINARY_DIR "/test/cli_disk"

#include "souple/record.h"
#include "test/cli_test.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define COMMAND SOUPLE_BINARY_DIR "/souple"

// Small, but with many frames
static const char s_scene[] =
    "{\"souple\": 1, \"dt\": 0.002, \"duration\": 2, \"output\": {\"frameRate\": 500, "
    "\"picture\": {\"width\": 64, \"height\": 48}}, "
    "\"bodies\": [{\"name\": \"box\", \"mesh\": {\"generator\": \"box\"}, \"springs\": {}, "
    "\"transform\": {\"position\": [0, 0.2, 0]}}], \"colliders\": [{\"shape\": \"plane\"}], "
    "\"measurements\": [{\"type\": \"height\", \"body\": \"box\"}]}";

static int SetUpFiles(void** state)
{
    if (SetUp(state) != 0)
    {
        return -1;
    }
    WriteFile("box.json", s_scene);
    Expect("run box.json --out good --duration 0.03 --quiet", 0, "");
    Expect("run box.json --out long --quiet", 0, "");
    Expect("mesh make box -o box.msh", 0, "");
    return 0;
}

// ---- killed ----

// Starts the command with these arguments, ended by NULL, in the folder of the test
static pid_t Start(const char* const* arguments)
{
    pid_t child = fork();
    if (child == 0)
    {
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        if (chdir(WORK) == 0)
        {
            execv(COMMAND, (char* const*)arguments);
        }
        _exit(127);
    }
    assert_true(child > 0);
    return child;
}

static int Wait(pid_t child)
{
    int status = 0;
    assert_true(waitpid(child, &status, 0) == child);
    return status;
}

static void Sleep(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&pause, NULL);
}

static bool HasReports(void)
{
    return system("cd '" WORK "' && '" COMMAND "' report good/box.souple has.html --quiet 2> /dev/null") == 0;
}

// Seconds that a command takes when nobody disturbs it
static double Measure(const char* const* arguments)
{
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int status = Wait(Start(arguments));
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
}

// What is there is the beginning of the whole recording. Returns the number of frames.
static int CheckBeginning(const char* path, const spRecording* whole)
{
    spError error = SP_ZERO_INIT;
    struct stat status;
    if (stat(path, &status) != 0 || status.st_size < 16)
    {
        return 0; // killed before it began
    }
    spRecording* cut = spLoadRecording(path, NULL, &error);
    if (cut == NULL)
    {
        // Only what comes before the first chunk
        if (status.st_size > 4096)
        {
            fail_msg("%ld bytes of a recording: %s", (long)status.st_size, error.message);
        }
        return 0;
    }
    int count = spRecording_GetFrameCount(cut);
    assert_true(count <= spRecording_GetFrameCount(whole));
    for (int i = 0; i < count; ++i)
    {
        assert_true(spRecording_GetStateHash(cut, i) == spRecording_GetStateHash(whole, i));
        spPointView a = spRecording_GetPositions(cut, i, 0), b = spRecording_GetPositions(whole, i, 0);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.data, b.data, 3 * (size_t)a.count * sizeof(float));
    }
    if (spRecording_IsComplete(cut) == false)
    {
        assert_true(spRecording_GetDamage(cut) != NULL && spRecording_GetDamage(cut)[0] != 0);
    }
    spDestroyRecording(cut);
    return count;
}

static void TestKilledRun(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    spRecording* whole = spLoadRecording(WORK "/long/box.souple", NULL, &error);
    assert_non_null(whole);
    const char* const run[] = {COMMAND, "run", "box.json", "--out", "kill", "--quiet", NULL};
    double seconds = Measure(run);
    uint64_t seed = 20;
    int cut = 0, frames = 0;
    int runs = 20;
    // On a machine whose load changes all of them may end too soon or too late
    for (int i = 0; i < runs; ++i)
    {
        pid_t child = Start(run);
        Sleep(seconds * spRandomRange(&seed, 0.0, 1.0));
        kill(child, SIGKILL);
        int status = Wait(child);
        int count = CheckBeginning(WORK "/kill/box.souple", whole);
        cut += WIFSIGNALED(status) && count > 0;
        frames += count;
        runs += cut == 0 && i == runs - 1 && runs < 200;
    }
    print_message("%d of %d runs of %.0f ms cut off, %d frames read\n", cut, runs, 1e3 * seconds, frames);
    assert_true(cut > 0);
    spDestroyRecording(whole);
}

// Kills a command at random moments. Every file that is there then, or was before, is that of the same
// command when nobody disturbed it; what was left is taken over by the next one, which leaves nothing else.
static void CheckKilled(const char* name, const char* const* whole, const char* const* cut, int kills)
{
    assert_int_equal(system("cd '" WORK "' && rm -rf whole cut && mkdir whole cut"), 0);
    double seconds = Measure(whole);
    uint64_t seed = 21;
    int left = 0;
    for (int i = 0; i < kills; ++i)
    {
        pid_t child = Start(cut);
        Sleep(seconds * spRandomRange(&seed, 0.0, 1.0));
        kill(child, SIGKILL);
        left += WIFSIGNALED(Wait(child));
        kills += left == 0 && i == kills - 1 && kills < 100; // as in TestKilledRun
        int code = system("cd '" WORK "' && find cut -type f ! -name '*.part*' | while read -r f; do "
                          "cmp \"$f\" \"whole/${f#cut/}\" || exit 1; done");
        assert_int_equal(code, 0);
    }
    print_message("%s: %d of %d ways of %.0f ms cut off\n", name, left, kills, 1e3 * seconds);
    assert_true(left > 0);
    int status = Wait(Start(cut));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(system("cd '" WORK "' && diff -r cut whole"), 0);
}

static void TestKilledExport(void** state)
{
    SP_UNUSED(state);
    const char* const whole[] = {COMMAND, "export", "good/box.souple", "--to", "csv,svg,vtu,obj,png,sheet",
                                 "--out", "whole",  "--quiet",         NULL};
    const char* const cut[] = {COMMAND, "export", "good/box.souple", "--to", "csv,svg,vtu,obj,png,sheet",
                               "--out", "cut",    "--quiet",         NULL};
    CheckKilled("export", whole, cut, 8);
    WriteFile("cut/box.csv.part", "left by somebody who was killed");
    assert_true(WIFEXITED(Wait(Start(cut))));
    assert_int_equal(system("cd '" WORK "' && diff -r cut whole"), 0);
}

static void TestKilledFilm(void** state)
{
    SP_UNUSED(state);
    const char* const whole[] = {COMMAND, "export", "good/box.souple", "--to", "mp4",
                                 "--out", "whole",  "--quiet",         NULL};
    const char* const cut[] = {COMMAND, "export", "good/box.souple", "--to", "mp4",
                               "--out", "cut",    "--quiet",         NULL};
    if (system("command -v ffmpeg > /dev/null") != 0)
    {
        print_message("no ffmpeg here\n");
        return;
    }
    CheckKilled("film", whole, cut, 6);
}

static void TestKilledReport(void** state)
{
    SP_UNUSED(state);
    // The command, which stands in a report, has no folders outside of the working one
    const char* const whole[] = {COMMAND,   "report", "long/box.souple", WORK "/whole/box.html",
                                 "--quiet", NULL};
    const char* const cut[] = {COMMAND, "report", "long/box.souple", WORK "/cut/box.html", "--quiet", NULL};
    setenv("SOURCE_DATE_EPOCH", "1800000000", 1);
    if (HasReports() == false)
    {
        print_message("this build has no page\n");
        return;
    }
    CheckKilled("report", whole, cut, 6);
}

static void TestKilledMesh(void** state)
{
    SP_UNUSED(state);
    static const char* const s_endings[] = {"vtu", "msh"};
    for (int i = 0; i < SP_COUNT(s_endings); ++i)
    {
        char wholePath[32], cutPath[32];
        snprintf(wholePath, sizeof(wholePath), "whole/box.%s", s_endings[i]);
        snprintf(cutPath, sizeof(cutPath), "cut/box.%s", s_endings[i]);
        const char* const whole[] = {COMMAND, "mesh", "make", "box", "--cells", "24", "-o", wholePath, NULL};
        const char* const cut[] = {COMMAND, "mesh", "make", "box", "--cells", "24", "-o", cutPath, NULL};
        CheckKilled(s_endings[i], whole, cut, 6);
    }
}

static void TestStopped(void** state)
{
    SP_UNUSED(state);
    const int signals[] = {SIGTERM, SIGINT};
    for (int i = 0; i < SP_COUNT(signals); ++i)
    {
        const char* const run[] = {COMMAND, "run", "box.json", "--out", "stop", "--duration", "1000", NULL};
        pid_t child = Start(run);
        // Until it records
        for (int k = 0; k < 500 && Exists("stop/box.souple") == false; ++k)
        {
            Sleep(0.01);
        }
        Sleep(0.1);
        kill(child, signals[i]);
        int status = Wait(child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 130);
        spRecording* recording = spLoadRecording(WORK "/stop/box.souple", NULL, NULL);
        assert_true(recording != NULL && spRecording_IsComplete(recording));
        spDestroyRecording(recording);
        remove(WORK "/stop/box.souple");
    }
}

// ---- full disk ----

// As Expect, with files that may have no more than so many blocks of 512 bytes
static void ExpectLimited(int blocks, const char* arguments, const char* part)
{
    char command[2048], text[8192] = "";
    snprintf(command, sizeof(command),
             "cd '" WORK "' && (ulimit -f %d; trap '' XFSZ; exec '" COMMAND "' %s) 2>&1", blocks, arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    text[fread(text, 1, sizeof(text) - 1, pipe)] = 0;
    char rest[4096];
    while (fread(rest, 1, sizeof(rest), pipe) > 0)
    {
    }
    int status = pclose(pipe);
    const char* remedy = strstr(text, "limit for the size of files");
    if (WIFEXITED(status) == false || WEXITSTATUS(status) != 2 || strstr(text, part) == NULL ||
        remedy == NULL)
    {
        fail_msg("souple %s on a full disk\nexpected exit code 2, \"%s\" and what to do, got %d and:\n%s\n",
                 arguments, part, WIFEXITED(status) ? WEXITSTATUS(status) : -1, text);
    }
}

static void TestFullDisk(void** state)
{
    SP_UNUSED(state);
    // What is there stays, whatever the new one would be
    Expect("export good/box.souple --to csv,svg,vtu,obj,png,sheet --out full --quiet", 0, "");
    Expect("mesh convert box.msh full/box.vtu", 0, "");
    Expect("compare box.json -m forwardEuler:substeps=1@0.01 --duration 0.04 --csv full/c.csv --plot "
           "full/c.svg --quiet",
           0, "");
    bool reports = HasReports(), films = system("command -v ffmpeg > /dev/null") == 0;
    Expect(reports ? "report good/box.souple full/box.html --quiet" : "--version", 0, "");
    Expect(films ? "export good/box.souple --to mp4 --out full --quiet" : "--version", 0, "");
    assert_int_equal(system("cd '" WORK "' && rm -rf before && cp -r full before"), 0);
    static const struct
    {
        const char* arguments;
        const char* part;
    } s_cases[] = {
        {"export good/box.souple --to csv --out full", "full/box.csv"},
        {"export good/box.souple --to svg --out full", "full/box_plot1.svg"},
        {"export good/box.souple --to vtu --out full", "full/vtu/box_000000.vtu"},
        {"export good/box.souple --to obj --out full", "full/obj/box_000000.obj"},
        {"export good/box.souple --to png --out full", "full/png/box_000000.png"},
        {"export good/box.souple --to sheet --out full", "full/box_sheet.png"},
        {"export good/box.souple --to mp4 --out full", "full/box.mp4"},
        {"mesh convert box.msh full/box.vtu", "full/box.vtu"},
        {"mesh repair box.msh full/box.vtu", "full/box.vtu"},
        {"mesh make ball -o full/box.vtu", "full/box.vtu"},
        {"compare box.json -m verlet --duration 0.02 --csv full/c.csv --quiet", "full/c.csv"},
        {"compare box.json -m verlet --duration 0.02 --plot full/c.svg --quiet", "full/c.svg"},
        {"run box.json --duration 0.02 --report=full/box.html", "full/box.html"},
        {"report good/box.souple full/box.html", "full/box.html"},
    };
    for (int i = 0; i < SP_COUNT(s_cases); ++i)
    {
        bool isReport = strstr(s_cases[i].arguments, "report") != NULL;
        bool isFilm = strstr(s_cases[i].arguments, "mp4") != NULL;
        if ((isReport == false || reports) && (isFilm == false || films))
        {
            ExpectLimited(0, s_cases[i].arguments, s_cases[i].part);
        }
    }
    if (films)
    {
        // Room for its beginning: what ffmpeg cannot finish is no failure to it
        ExpectLimited(2, "export good/box.souple --to mp4 --out full", "full/box.mp4");
    }
    assert_int_equal(system("cd '" WORK "' && diff -r full before"), 0);
}

// The recording that did not fit reads up to where the disk was full
static void TestFullRecording(void** state)
{
    SP_UNUSED(state);
    spRecording* whole = spLoadRecording(WORK "/long/box.souple", NULL, NULL);
    assert_non_null(whole);
    ExpectLimited(200, "run box.json --out fullrun", "fullrun/box.souple");
    assert_true(CheckBeginning(WORK "/fullrun/box.souple", whole) > 10);
    Expect("export fullrun/box.souple --to csv --out fullrun", 0, "cut off");
    // Nothing at all
    ExpectLimited(0, "run box.json --out nothing", "nothing/box.souple");
    spDestroyRecording(whole);
}

static void TestNoFolder(void** state)
{
    SP_UNUSED(state);
    WriteFile("file", "not a folder");
    static const struct
    {
        const char* arguments;
        const char* part;
    } s_cases[] = {
        {"run box.json --out file/out", "file"},
        {"export good/box.souple --to csv --out file/out", "file"},
        {"report good/box.souple file/box.html", "file/box.html"},
        {"mesh convert box.msh file/box.vtu", "file/box.vtu"},
        {"mesh make ball -o file/box.vtu", "file/box.vtu"},
        {"compare box.json -m verlet --duration 0.02 --csv file/c.csv --quiet", "file/c.csv"},
        {"reproduce operators --quick --out file/out", "file/out"},
    };
    for (int i = 0; i < SP_COUNT(s_cases); ++i)
    {
        Expect(s_cases[i].arguments, 2, s_cases[i].part);
    }
    if (geteuid() == 0)
    {
        print_message("as root every folder can be written to\n");
        return;
    }
    assert_int_equal(mkdir(WORK "/locked", 0555), 0);
    Expect("run box.json --out locked", 2, "locked/box.souple");
    Expect("mesh convert box.msh locked/box.vtu", 2, "permissions");
    Expect("report good/box.souple locked/box.html", 2, "locked/box.html");
}

// ---- output that nobody takes ----

static void TestOutput(void** state)
{
    SP_UNUSED(state);
    static const char* const s_commands[] = {"--version",
                                             "--help",
                                             "help scene-format",
                                             "materials",
                                             "doctor --json",
                                             "run box.json --duration 0.02 --json",
                                             "mesh info box.msh --json"};
    for (int i = 0; i < SP_COUNT(s_commands); ++i)
    {
        static Result s_result;
        char arguments[256];
        snprintf(arguments, sizeof(arguments), "%s 2>&1 > /dev/full", s_commands[i]);
        Run(&s_result, arguments);
        assert_int_equal(s_result.code, 2);
        assert_non_null(strstr(s_result.text, "cannot write the output"));
        // A reader that goes away ends the command: by its signal, or at the end of a short text
        char command[1024];
        snprintf(command, sizeof(command),
                 "cd '" WORK "' && { '" COMMAND "' %s; echo $? > code; } | head -c 1 > /dev/null; "
                 "read -r code < code; [ $code = 0 ] || [ $code = 141 ] || [ $code = 2 ]",
                 s_commands[i]);
        if (system(command) != 0)
        {
            fail_msg("souple %s into a closed pipe", s_commands[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestKilledRun),  cmocka_unit_test(TestKilledExport),
        cmocka_unit_test(TestKilledFilm), cmocka_unit_test(TestKilledReport),
        cmocka_unit_test(TestKilledMesh), cmocka_unit_test(TestStopped),
        cmocka_unit_test(TestFullDisk),   cmocka_unit_test(TestFullRecording),
        cmocka_unit_test(TestNoFolder),   cmocka_unit_test(TestOutput),
    };
    return cmocka_run_group_tests(tests, SetUpFiles, NULL);
}
