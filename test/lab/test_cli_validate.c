// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple validate: its cases pass against the real CalculiX, and it says what is wrong when CalculiX is
// missing, fails or prints nonsense.

#define WORK SOUPLE_BINARY_DIR "/test/cli_validate"

#include "test/cli_test.h"

static double GetNumber(const json_t* object, const char* key)
{
    const json_t* value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const json_t* FindCase(const json_t* json, const char* list, const char* name)
{
    size_t i;
    const json_t* row;
    const json_t* last = NULL;
    json_array_foreach(json_object_get(json, list), i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "name")), name) == 0)
        {
            last = row;
        }
    }
    assert_non_null(last);
    return last;
}

static void TestUsage(void** state)
{
    SP_UNUSED(state);
    Expect("validate --list", 0, "cantilever-large ");
    Expect("validate --list", 0, "frequency-beam ");
    Expect("validate cantilevr", 2, "there is no case 'cantilevr'; 'souple validate --list'");
    Expect("validate --liste", 2, "did you mean --list?");
    Expect("help validate", 0, "usage: souple validate [CASE...]");
    Expect("help exit-codes", 0, "validate      a limit is missed");
    Expect("validate element-large --beside none.json", 2, "none.json");
    WriteFile("odd.json", "{\"machine\": 3}");
    Expect("validate element-large --beside odd.json", 2, "is not what 'souple validate --json' prints");
    WriteFile("broken.json", "{");
    Expect("validate element-large --beside broken.json", 2, "broken.json");
    WriteFile("file", "x");
    Expect("validate element-large --keep file/x", 2, "cannot make the folder file/x");
    Expect("validate liver --mesh nowhere.msh", 2, "nowhere.msh");
}

// Every case that takes little time, against the real program
static void TestAgainstCalculix(void** state)
{
    SP_UNUSED(state);
    static const char* const names[] = {"element-large", "twist", "press", "twist-large", "liver", "cut"};
    int count = SP_COUNT(names);
    json_t* json =
        RunJson("validate element-large twist press twist-large liver cut frequency-bar frequency-beam "
                "--json --keep deep/files",
                0);
    assert_int_equal(json_array_size(json_object_get(json, "cases")), count);
    assert_true(Exists("deep/files/twist.inp") && Exists("deep/files/twist.dat"));
    bool twice = sizeof(spReal) == sizeof(double);
    for (int i = 0; i < count; ++i)
    {
        const json_t* row = FindCase(json, "cases", names[i]);
        assert_true(json_is_true(json_object_get(row, "passed")));
        // What CalculiX prints is rounded by 5e-7 of itself
        CHECK_LESS(GetNumber(row, "difference"), twice ? 2e-6 : 2e-5);
        CHECK_LESS(GetNumber(row, "stepped"), twice ? 2e-6 : 2e-5);
        CHECK_LESS(GetNumber(row, "residual"), twice ? 1.0001e-8 : 1e-3);
    }
    // Without the cut it sags by 170 mm
    CHECK_NEAR(GetNumber(FindCase(json, "cases", "cut"), "ours"), 0.4239, 2e-3);
    const json_t* bar = FindCase(json, "frequencies", "frequency-bar");
    CHECK_NEAR(GetNumber(bar, "order"), 2.0, 0.1);
    CHECK_NEAR(GetNumber(bar, "frequency"), GetNumber(bar, "reference"), 2e-3);
    const json_t* beam = FindCase(json, "frequencies", "frequency-beam");
    CHECK_NEAR(GetNumber(beam, "order"), 2.0, 0.4);
    CHECK_NEAR(GetNumber(beam, "difference"), 0.026, 0.01);
    json_decref(json);

    // The other precision beside
    Expect("validate element-large --json > other.json", 0, "");
    Expect("validate element-large --beside other.json", 0, twice ? "double" : "float");
    Expect("validate element-large --quiet", 0, "");
}

// A program called ccx that is none
static void WriteFake(const char* text)
{
    WriteFile("bin/ccx", text);
    assert_int_equal(system("chmod +x '" WORK "/bin/ccx'"), 0);
}

static void TestBadCalculix(void** state)
{
    SP_UNUSED(state);
    char before[8192];
    snprintf(before, sizeof(before), "%s", getenv("PATH"));
    assert_int_equal(system("mkdir -p '" WORK "/bin' '" WORK "/none'"), 0);
    setenv("PATH", WORK "/none", 1);
    Expect("validate element-large", 2, "install the package calculix-ccx");
    setenv("PATH", WORK "/bin:/usr/bin:/bin", 1);
    WriteFake("#!/bin/sh\nexit 0\n");
    Expect("validate element-large", 2, "element-large.dat");
    WriteFake("#!/bin/sh\necho ' *ERROR in gnarl: no luck'\nexit 201\n");
    Expect("validate element-large", 2, "ERROR in gnarl: no luck");
    static const char* const wrong[] = {
        "nothing",
        " displacements (vx,vy,vz)\\n 1 0 0 0\\n 2 0 0 0\\n 3 0 0 0\\n",
        " displacements (vx,vy,vz)\\n 1 0 0 0\\n 2 0 0 0\\n 3 0 0 0\\n 4 nan 0 0\\n",
        " displacements (vx,vy,vz)\\n 1 0 0 0\\n 2 0 0 0\\n 4 0 0 0\\n 3 0 0 0\\n",
        " displacements (vx,vy,vz)\\n 1 0 0 0\\n 2 0 0 0\\n 3 0 0 0\\n 4 0 0\\n",
        " displacements (vx,vy,vz)\\n 1 0 0 0\\n 2 0 0 0\\n 3 0 0 0\\n 4 0 0 0 0\\n",
        " displacements (vx,vy,vz)\\n 1 0 0 0\\n 2 0 0 0\\n 3 0 0 0\\n 4 0 0 1\\n 5 0 0 0\\n",
    };
    for (int i = 0; i < (int)(sizeof(wrong) / sizeof(wrong[0])); ++i)
    {
        char script[512];
        snprintf(script, sizeof(script), "#!/bin/sh\nprintf '%s' > element-large.dat\n", wrong[i]);
        WriteFake(script);
        Expect("validate element-large", 2, "element-large.dat is not what was asked for");
    }
    // A wrong answer in the right form is a missed limit, and the table says so
    WriteFake("#!/bin/sh\nprintf ' displacements\\n 1 0 0 0\\n 2 0 0 0\\n 3 0 0 0\\n 4 0.1 0 0.1\\n' "
              "> element-large.dat\n");
    Expect("validate element-large", 1, "MISSED");
    WriteFake("#!/bin/sh\nprintf 'E I G E N V A L U E\\n 1 -2 -3 -4 0\\n' > frequency-beam.dat\n");
    Expect("validate frequency-beam", 2, "frequency-beam.dat is not what was asked for");
    setenv("PATH", before, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(TestUsage, SetUp),
        cmocka_unit_test_setup(TestAgainstCalculix, SetUp),
        cmocka_unit_test_setup(TestBadCalculix, SetUp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
