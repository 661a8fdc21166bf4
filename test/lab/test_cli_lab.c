// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where the souple command finds souple-lab: beside itself, where an installation has it, in PATH; what it
// says where there is none.

#define WORK SOUPLE_BINARY_DIR "/test/cli_lab"

#include "test/cli_test.h"

#include <signal.h>

static Result s_result;

// Runs a souple in a folder of the test, with a PATH that has nothing of ours unless it is given
static void ExpectCopy(const char* path, const char* arguments, int code, const char* part)
{
    char command[2048];
    snprintf(command, sizeof(command), "cd '" WORK "' && PATH=%s:/usr/bin:/bin %s 2>&1", path, arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = fread(s_result.text, 1, sizeof(s_result.text) - 1, pipe);
    s_result.text[size] = 0;
    int status = pclose(pipe);
    if (WIFEXITED(status) == false || WEXITSTATUS(status) != code || strstr(s_result.text, part) == NULL)
    {
        print_error("%s\nexpected exit code %d and \"%s\", got status 0x%x and:\n%s\n", arguments, code, part,
                    (unsigned)status, s_result.text);
        fail();
    }
}

// alone/: the command without the lab. tree/: an installation. apart/: the lab without the command.
static int SetUpCopies(void** state)
{
    return SetUp(state) != 0 ||
           system("cd '" WORK "' && mkdir -p alone tree/bin tree/libexec/souple apart && "
                  "ln -f '" SOUPLE_BINARY_DIR
                  "/souple' alone/souple && ln -f alone/souple tree/bin/souple && "
                  "ln -f '" SOUPLE_BINARY_DIR "/souple-lab' tree/libexec/souple/souple-lab && "
                  "ln -f tree/libexec/souple/souple-lab apart/souple-lab") != 0;
}

static void TestMissing(void** state)
{
    SP_UNUSED(state);
    ExpectCopy(
        "/nowhere", "alone/souple bench --list", 127,
        "'souple bench' needs souple-lab, which is not installed: build Souple with -DSOUPLE_LAB=ON\n");
    assert_int_equal(strcspn(s_result.text, "\n"), strlen(s_result.text) - 1); // one sentence
    ExpectCopy("/nowhere", "alone/souple reproduce slides", 127, "souple-lab");
    ExpectCopy("/nowhere", "alone/souple validate", 127, "souple-lab");
    Expect("help exit-codes", 0, "  127  bench, reproduce, validate: souple-lab");

    // What it is for and how it is called is known all the same
    ExpectCopy("/nowhere", "alone/souple help bench", 0, "usage: souple bench [BENCHMARK...]");
    ExpectCopy("/nowhere", "alone/souple bench --help", 0, "--threads=COUNTS");
    ExpectCopy("/nowhere", "alone/souple bench --therads 2", 2, "did you mean --threads?");
    ExpectCopy("/nowhere", "alone/souple doctor", 0, "souple-lab    missing  would bring souple bench");
}

static void TestPlaces(void** state)
{
    SP_UNUSED(state);
    ExpectCopy("/nowhere", "tree/bin/souple bench --list", 0, "spring-cloth-100");
    ExpectCopy("/nowhere", "tree/bin/souple doctor", 0, "tree/bin/../libexec/souple/souple-lab: ");
    ExpectCopy("'" WORK "/apart'", "alone/souple reproduce --list", 0, "slides");
    ExpectCopy("'" WORK "/apart'", "alone/souple doctor", 0, "cli_lab/apart/souple-lab: ");
    // The one beside the command comes first
    WriteFile("false", "#!/bin/sh\nexit 77\n");
    assert_int_equal(system("cd '" WORK "' && chmod +x false && mkdir -p both && "
                            "ln -f alone/souple both/souple && mv false both/souple-lab"),
                     0);
    ExpectCopy("'" WORK "/apart'", "both/souple bench 'a name'", 77, "");
    // What cannot be started is told
    assert_int_equal(system("cd '" WORK "' && printf '\\0' > both/souple-lab"), 0);
    ExpectCopy("/nowhere", "both/souple bench", 127, "both/souple-lab: Exec format error");
}

// Arguments, exit codes and signals are those of the lab
static void TestThrough(void** state)
{
    SP_UNUSED(state);
    Expect("bench nonsense-3", 2, "there is no benchmark 'nonsense-3'");
    Expect("validate nonsense", 2, "there is no case 'nonsense'");
    Expect("reproduce --list slides extra", 2, "too many arguments");
    Expect("bench spring-cloth-3 --repeat 1 > /dev/full", 2, "");
    Run(&s_result, "bench spring-cloth-3 spring-cloth-3 --threads 1,2 --repeat 1 | grep -c spring-cloth-3");
    assert_string_equal(s_result.text, "4\n");
    WriteFile("killed", "#!/bin/sh\nkill -TERM $$\n");
    assert_int_equal(system("cd '" WORK "' && chmod +x killed && mkdir -p signal && "
                            "ln -f alone/souple signal/souple && mv killed signal/souple-lab"),
                     0);
    int status = system("'" WORK "/signal/souple' bench");
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGTERM : WEXITSTATUS(status) == 128 + SIGTERM);
}

// Meshes that it needs are installed with it
static void TestData(void** state)
{
    SP_UNUSED(state);
    ExpectCopy("/nowhere", "tree/bin/souple validate liver", 2,
               "liver: liver_like.msh is not installed with");
    assert_int_equal(system("cd '" WORK "' && mkdir -p tree/share/souple/data && "
                            "cp '" SOUPLE_SOURCE_DIR "/data/liver_like.msh' tree/share/souple/data"),
                     0);
    // CalculiX may be there or not
    ExpectCopy("/nowhere", "tree/bin/souple validate liver 2>&1 | grep -c liver_like.msh", 1, "0\n");
}

// The lab by itself
static void TestAlone(void** state)
{
    SP_UNUSED(state);
    ExpectCopy("/nowhere", "apart/souple-lab --help", 0, "  validate    compare solid bodies");
    ExpectCopy("/nowhere", "apart/souple-lab", 2, "usage: souple-lab COMMAND");
    ExpectCopy("/nowhere", "apart/souple-lab benhc", 2, "did you mean \"bench\"?");
    ExpectCopy("/nowhere", "apart/souple-lab bench --list", 0, "torture-1");
    ExpectCopy("/nowhere", "apart/souple-lab bench --help=man", 2, "--help takes no value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestMissing), cmocka_unit_test(TestPlaces), cmocka_unit_test(TestThrough),
        cmocka_unit_test(TestData),    cmocka_unit_test(TestAlone),
    };
    return cmocka_run_group_tests(tests, SetUpCopies, NULL);
}
