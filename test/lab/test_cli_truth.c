// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple reproduce --all --report: every experiment once, those that can in small. Every row belongs to a row
// of docs/seeds.md, rows that are unlike what was published are known by name and say why, every file is
// there.

#define WORK SOUPLE_BINARY_DIR "/test/cli_truth"

#include "test/cli_test.h"
#include "test/read_file.h"

// A row that differs. Those that compare times may agree on another machine; the others must differ: who
// mends one takes its name off.
typedef struct Unlike
{
    const char* experiment;
    const char* part;     // what its heading contains
    const char* quantity; // what it begins with
    bool always;
} Unlike;

static const Unlike s_unlike[] = {
    {"slides", "gas-filled ring", "n = 32: lattice", false},
    {"slides", "gas-filled ring", "n = 32: one layer", false},
    {"slides", "gas-filled ring", "n = 64: one layer", false},
    {"slides", "gas-filled ring", "frames computed in 0.40 s, disc of the same height", false},
    {"slides", "icosphere of the same height", "n = 21: lattice", false},
    {"slides", "icosphere of the same height", "n = 41: lattice", false},
    {"filter", "Largest stable step", "most over all kernels, readings and widths", true},
    {"filter", "Cost", "10 x 10: cost of the filter in a step", false},
    {"filter", "Cost", "10 x 10: time saved by larger steps", false},
    {"filter", "Cost", "20 x 20: cost of the filter in a step", false},
    {"filter", "Cost", "20 x 20: time saved by larger steps", false},
    {"filter", "Cost", "40 x 40: cost of the filter in a step", false},
    {"filter", "Cost", "40 x 40: time saved by larger steps", false},
    {"filter", "Cost", "60 x 60: cost of the filter in a step", false},
    {"filter", "Cost", "60 x 60: time saved by larger steps", false},
    {"operators", "Hybrid", "spread of the frequency between meshes", true},
    {"operators", "Hybrid", "damped: spread of the frequency between meshes", true},
    {"operators", "as printed", "27 points, 48 tets: frequency", true},
    {"operators", "as printed", "57 points, 108 tets: frequency", true},
    {"operators", "as printed", "125 points, 384 tets: frequency", true},
    {"operators", "Cost", "Green-Lagrange over Cauchy", false},
    {"multires", "Cube", "57 points at the wall, 125 beyond", true},
    {"multires", "Free bar", "conserving: energy at most over that at the start", true},
    {"volumes", "Contacts", "F13: steps until 5 mm are half a pixel", true},
    {"volumes", "Penalty", "F10: most energy on the way", false},
};

// Rows of docs/seeds.md stand by these: they are there, are judged, and agree
static const struct
{
    const char *experiment, *quantity; // what it begins with
} s_needed[] = {
    {"filter", "how many times less"},
    {"multires", "27 points at the wall, 125 beyond: frequency"},
    {"multires", "conserving: change of momentum"},
    {"multires", "conserving, damped: most that energy rises in a step"},
    {"cutting", "one cut, 62 tets: iterations of the next step"},
    {"cutting", "   iterations until 60 tets are cut, most"},
    {"cutting", "   factors taken in use meanwhile"},
    {"cutting", "a tet goes: difference after one cut"},
    {"cutting", "a tet goes: difference after 200 cuts"},
    {"cutting", "a node parts: difference after one cut"},
    {"cutting", "ours: a body that lost 200 tets beside one made so"},
    {"volumes", "F1: pixels whose layers"},
    {"volumes", "F2: wrong pairs"},
    {"volumes", "F3: pixels left other"},
    {"volumes", "F4: layers lost"},
    {"volumes", "F5: volume of two balls"},
    {"volumes", "F6: its gradient"},
    {"volumes", "F6: gradient over differences"},
    {"volumes", "F6: sum of gradients"},
    {"volumes", "F7: sum of volumes"},
    {"volumes", "F8: a torus folded"},
    {"volumes", "F9: steps to part"},
    {"volumes", "F10: most that the energy of two balls"},
    {"volumes", "F10: stable steps"},
    {"volumes", "F11: contacts of a block"},
    {"volumes", "F11: most volume later"},
    {"volumes", "F11: strongest pull"},
    {"volumes", "F11: force times open gap"},
    {"volumes", "F12: sums over up to"},
    {"volumes", "F12: left after one step, 16 cells"},
    {"volumes", "F13: steps without contact"},
    {"volumes", "F14: acceleration on a slope of 0.9"},
    {"volumes", "F14: acceleration on a slope of 1.5"},
    {"volumes", "F15: distance from contact by distance, 18 cells"},
    {"volumes", "F16: viscous friction"},
    {"volumes", "F16: force when all move together"},
};

static bool s_seen[SP_COUNT(s_unlike)], s_agreed[SP_COUNT(s_needed)];
static char* s_seeds; // docs/seeds.md

static const char* GetText(const json_t* object, const char* key)
{
    const json_t* value = json_object_get(object, key);
    assert_true(json_is_string(value));
    return json_string_value(value);
}

static void CheckUnlike(const char* experiment, const json_t* row)
{
    const char *part = GetText(row, "part"), *quantity = GetText(row, "quantity");
    if (strlen(GetText(row, "why")) == 0)
    {
        fail_msg("%s, %s, %s differs and says no reason", experiment, part, quantity);
    }
    for (int i = 0; i < SP_COUNT(s_unlike); ++i)
    {
        const Unlike* known = s_unlike + i;
        if (strcmp(known->experiment, experiment) == 0 && strstr(part, known->part) != NULL &&
            strncmp(quantity, known->quantity, strlen(known->quantity)) == 0)
        {
            s_seen[i] = true;
            return;
        }
    }
    fail_msg("%s, %s: unlike what was published: %s, ours %g, published %s", experiment, part, quantity,
             json_number_value(json_object_get(row, "ours")), GetText(row, "published"));
}

static void NoteAgreement(const char* experiment, const json_t* row)
{
    for (int i = 0; i < SP_COUNT(s_needed); ++i)
    {
        s_agreed[i] = s_agreed[i] || (strcmp(s_needed[i].experiment, experiment) == 0 &&
                                      strncmp(GetText(row, "quantity"), s_needed[i].quantity,
                                              strlen(s_needed[i].quantity)) == 0);
    }
}

// Every row has what it should have, and the counts are those of the rows
static void CheckRows(const json_t* experiment)
{
    const char* name = GetText(experiment, "name");
    size_t i;
    const json_t* row;
    int unlike = 0, notJudged = 0, held = 0;
    json_array_foreach(json_object_get(experiment, "rows"), i, row)
    {
        char cell[32];
        assert_true(strlen(GetText(row, "quantity")) > 0);
        GetText(row, "unit");
        GetText(row, "published");
        snprintf(cell, sizeof(cell), "\n| %s | ", GetText(row, "row"));
        if (strstr(s_seeds, cell) == NULL)
        {
            fail_msg("%s, %s: docs/seeds.md has no row '%s'", name, GetText(row, "quantity"),
                     GetText(row, "row"));
        }
        const json_t *ours = json_object_get(row, "ours"), *agrees = json_object_get(row, "agrees");
        assert_true(json_is_number(ours) || json_is_null(ours));
        assert_true(json_is_boolean(agrees) || json_is_null(agrees));
        assert_int_equal(strlen(GetText(row, "why")) > 0, json_is_true(agrees) == false);
        notJudged += json_is_null(agrees) ? 1 : 0;
        // What nothing was published for does not count as agreement
        const char* verdict = GetText(row, "verdict");
        assert_int_equal(strcmp(verdict, "agrees") == 0 || strcmp(verdict, "holds") == 0,
                         json_is_true(agrees));
        assert_false(strcmp(verdict, "agrees") == 0 && strlen(GetText(row, "published")) == 0);
        held += strcmp(verdict, "holds") == 0 ? 1 : 0;
        if (json_is_false(agrees))
        {
            CheckUnlike(name, row);
            unlike += 1;
        }
        else if (json_is_true(agrees))
        {
            NoteAgreement(name, row);
        }
    }
    assert_int_equal(json_integer_value(json_object_get(experiment, "deviations")), unlike);
    assert_int_equal(json_integer_value(json_object_get(experiment, "notJudged")), notJudged);
    assert_int_equal(json_integer_value(json_object_get(experiment, "held")), held);
    print_message("%s: %d rows, %d differ, %d hold, %d not judged\n", name, (int)i, unlike, held, notJudged);
}

static void CheckFiles(const json_t* experiment)
{
    char folder[64];
    snprintf(folder, sizeof(folder), "deep/folder/%s/", GetText(experiment, "name"));
    const json_t* files = json_object_get(experiment, "files");
    int tables = 0;
    for (size_t i = 0; i < json_array_size(files); ++i)
    {
        const char* path = json_string_value(json_array_get(files, i));
        assert_memory_equal(path, folder, strlen(folder));
        assert_true(Exists(path));
        tables += strstr(path, ".csv") != NULL;
    }
    assert_true(tables >= 1);
}

static void TestAll(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        const char* name;
        size_t rowCount, fileCount; // at least
    } s_experiments[] = {{"slides", 53, 10},  {"filter", 57, 10},         {"operators", 76, 18},
                         {"multires", 60, 3}, {"preconditioner", 100, 6}, {"cutting", 26, 4},
                         {"anderson", 60, 6}, {"volumes", 50, 2}};
    static Result s_result;
    s_seeds = ReadWholeFile(SOUPLE_SOURCE_DIR "/docs/seeds.md", NULL);
    assert_non_null(s_seeds);
    // Builds without a page have no report
    Run(&s_result, "reproduce --all --quick --json --out deep/folder --report truth.html > truth.json");
    if (Exists("truth.html") == false)
    {
        Run(&s_result, "reproduce --all --quick --json --out deep/folder > truth.json");
    }
    // What was measured is unlike what was published: exit code 1 says so
    assert_int_equal(s_result.code, 1);
    json_t* json = json_load_file(WORK "/truth.json", JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json_object_get(json, "machine"));
    assert_non_null(json_object_get(json, "commit"));
    const json_t* experiments = json_object_get(json, "experiments");
    assert_int_equal(json_array_size(experiments), SP_COUNT(s_experiments));
    for (size_t i = 0; i < json_array_size(experiments); ++i)
    {
        const json_t* experiment = json_array_get(experiments, i);
        assert_string_equal(GetText(experiment, "name"), s_experiments[i].name);
        assert_true(strlen(GetText(experiment, "work")) > 0);
        assert_true(json_array_size(json_object_get(experiment, "rows")) >= s_experiments[i].rowCount);
        assert_true(json_array_size(json_object_get(experiment, "files")) >= s_experiments[i].fileCount);
        CheckRows(experiment);
        CheckFiles(experiment);
    }
    for (int i = 0; i < SP_COUNT(s_unlike); ++i)
    {
        if (s_unlike[i].always && s_seen[i] == false)
        {
            fail_msg("%s: '%s' agrees now: take it off the list", s_unlike[i].experiment,
                     s_unlike[i].quantity);
        }
    }
    for (int i = 0; i < SP_COUNT(s_needed); ++i)
    {
        if (s_agreed[i] == false)
        {
            fail_msg("%s: no row '%s' agrees", s_needed[i].experiment, s_needed[i].quantity);
        }
    }
    json_decref(json);
    free(s_seeds);
}

static void TestUsage(void** state)
{
    SP_UNUSED(state);
    Expect("reproduce slides --all", 2, "--all runs every experiment; leave 'slides' or --all out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestUsage),
        cmocka_unit_test(TestAll),
    };
    return cmocka_run_group_tests(tests, SetUp, NULL);
}
