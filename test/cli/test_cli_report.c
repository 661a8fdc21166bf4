// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reports and films as a user makes them: souple report, --report of other commands, souple view RECORDING,
// souple export --to mp4.

#define WORK SOUPLE_BINARY_DIR "/test/cli_report"

#include "souple/view.h"
#include "test/cli_test.h"
#include "test/read_file.h"
#include "test/report_messages.h"
#include "test/xml_check.h"

// A report is the page, the title of its own, and a pack
static void CheckReport(const char* name, const char* title)
{
    char path[1024];
    snprintf(path, sizeof(path), WORK "/%s", name);
    char* text = ReadWholeFile(path, NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "id=\"pack\">"));
    assert_null(strstr(text, "<!--PACK-->"));
    if (strstr(text, title) == NULL)
    {
        print_error("%s has no %s\n", name, title);
        fail();
    }
    free(text);
}

// Its words are in its messages
static void ExpectInReport(const char* name, const char* words)
{
    char path[1024];
    snprintf(path, sizeof(path), WORK "/%s", name);
    char* text = ReadWholeFile(path, NULL);
    assert_non_null(text);
    Messages* messages = ReadMessages(text);
    bool found = false;
    for (int i = 0; i < messages->count; ++i)
    {
        char* message = strndup((const char*)messages->items[i] + 4, messages->sizes[i] - 4);
        found = found || strstr(message, words) != NULL;
        free(message);
    }
    if (found == false)
    {
        fail_msg("%s does not say: %s", name, words);
    }
    FreeMessages(messages);
    free(text);
}

static bool SkipWithoutPage(void)
{
    if (spHasPage() == false)
    {
        Expect("report some.souple", 2, "no page");
        Expect("run " SCENES "/tet_beam.json --report=r.html", 2, "no page");
        Expect("compare " SCENES "/tet_beam.json -m verlet --report r.html", 2, "no page");
    }
    return spHasPage() == false;
}

static void TestRun(void** state)
{
    (void)state;
    if (SkipWithoutPage())
    {
        return;
    }
    Expect("run " SCENES "/tet_beam.json --steps 10 --out run --report", 0, "Report: run/tet_beam.html");
    CheckReport("run/tet_beam.html", "<title>tet_beam</title>");
    assert_true(Exists("run/tet_beam.souple"));

    // With a file alone no recording stays
    Expect("run " SCENES "/tet_beam.json --steps 10 --report=alone.html", 0, "Report: alone.html");

    // Named after its file; what `check` warns of is said
    FILE* file = fopen(WORK "/nameless.json", "w");
    assert_non_null(file);
    fputs("{\"souple\": 1, \"duration\": 0.1, \"bodies\": [{\"name\": \"beam\", \"mesh\": {\"generator\": "
          "\"beam\", "
          "\"cells\": [2, 1, 1]}, \"tets\": {\"law\": \"corotational\", \"mooney\": 0.5}}]}",
          file);
    fclose(file);
    Expect("run nameless.json --report=named.html", 0, "warning: bodies[0].tets.mooney");
    // So is what was chosen
    Expect("run nameless.json --report=named.html", 0,
           "beam is moved by symplecticEuler, chosen automatically: ");
    ExpectInReport("named.html", "beam is moved by symplecticEuler, chosen automatically: ");
    ExpectInReport("named.html", "mooney");
    file = fopen(WORK "/two.json", "w");
    assert_non_null(file);
    fputs("{\"souple\": 1, \"duration\": 0.1, \"bodies\": [{\"name\": \"a\", \"mesh\": {\"generator\": "
          "\"box\"}, "
          "\"tets\": {}}, {\"name\": \"b\", \"transform\": {\"position\": [3, 0, 0]}, \"mesh\": "
          "{\"generator\": "
          "\"box\"}, \"tets\": {}}]}",
          file);
    fclose(file);
    Expect("run two.json", 0, "a and 1 other are moved by symplecticEuler, chosen automatically: ");
    Expect("run nameless.json --quiet --report=named.html", 0, "");
    CheckReport("named.html", "<title>nameless</title>");
    CheckReport("alone.html", "<title>tet_beam</title>");
    assert_int_equal(system("ls " WORK "/alone.html.* 2> /dev/null | grep -q ."), 256);
    json_t* json = RunJson("run " SCENES "/tet_beam.json --steps 10 --report=json.html --json", 0);
    assert_null(json_object_get(json, "recording"));
    json_decref(json);
    assert_true(Exists("json.html"));

    Expect("run " SCENES "/tet_beam.json --steps 10 --report", 2, "where should the report go");
    Expect("run " SCENES "/tet_beam.json --steps 10 --report=no/such/folder.html", 2, "no/such/folder.html");
    Expect("run " SCENES "/tet_beam.json --help", 0, "--report[=FILE]");
}

static void TestReport(void** state)
{
    (void)state;
    if (SkipWithoutPage())
    {
        return;
    }
    Expect("run " SCENES "/tet_beam.json --steps 10 --out report -q", 0, "");
    Expect("report report/tet_beam.souple", 0, "Report: report/tet_beam.html");
    CheckReport("report/tet_beam.html", "<title>tet_beam</title>");
    Expect("report report/tet_beam.souple two.html --title 'a </title> & b' --frames 3 --tets --quiet", 0,
           "");
    CheckReport("two.html", "<title>a &lt;/title&gt; &amp; b</title>");
    Expect("report report/nothing.souple", 2, "nothing.souple");
    Expect("report " SCENES "/tet_beam.json", 2, "not a Souple recording");
    Expect("report report/tet_beam.souple no/such/folder.html", 2, "no/such/folder.html");
    Expect("report", 2, "usage");
    Expect("report report/tet_beam.souple x.html --frames 0", 2, "--frames");

    // Cut off: what there is
    assert_int_equal(system("head -c 40000 " WORK "/report/tet_beam.souple > " WORK "/cut.souple"), 0);
    Expect("report cut.souple", 0, "not complete");
    CheckReport("cut.html", "<title>tet_beam</title>");

    // Played in a browser
    if (spHasView())
    {
        Expect("view report/tet_beam.souple --no-open --duration 0.2", 0, "is played at http://127.0.0.1:");
    }
}

static void TestOthers(void** state)
{
    (void)state;
    if (SkipWithoutPage())
    {
        return;
    }
    Expect("compare " SCENES
           "/tet_beam.json -m scene,backwardEuler@1/100 --duration 0.05 --report compare.html",
           0, "Report: compare.html");
    CheckReport("compare.html", "<title>tet_beam: methods compared</title>");
    Expect("validate frequency-bar --report validate.html", 0, "Report: validate.html");
    CheckReport("validate.html", "<title>Solid bodies against CalculiX and theory</title>");
    // Whether all rows agree is not the point here
    static Result s_result;
    Run(&s_result, "reproduce anderson --part poisson --quick --out reproduce --report reproduce.html");
    assert_true(s_result.code < 2);
    CheckReport("reproduce.html", "<title>Published experiments, run again</title>");
}

static bool HasProgram(const char* test)
{
    return system(test) == 0;
}

static void TestFilm(void** state)
{
    (void)state;
    Expect("run " SCENES "/tet_beam.json --steps 20 --out film -q", 0, "");
    Expect("export film/tet_beam.souple --to mp5 --out film", 2, "mp4");
    if (HasProgram("command -v ffmpeg > /dev/null 2>&1") == false)
    {
        Expect("export film/tet_beam.souple --to mp4 --out film", 2, "ffmpeg");
        return;
    }
    // Odd sizes become even
    Expect("export film/tet_beam.souple --to mp4 --out film --width 161 --height 91", 0, "Exported mp4");
    size_t size = 0;
    char* film = ReadWholeFile(WORK "/film/tet_beam.mp4", &size);
    assert_true(film != NULL && size > 1000);
    assert_memory_equal(film + 4, "ftyp", 4);
    free(film);
    assert_int_equal(system("ls " WORK "/film/*.part 2> /dev/null | grep -q ."), 256);
    if (HasProgram("command -v ffprobe > /dev/null 2>&1"))
    {
        int frames =
            system("ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames -of "
                   "csv=p=0 " WORK "/film/tet_beam.mp4 | grep -q '^160,90,[0-9]'");
        assert_int_equal(frames, 0);
    }
    // An ffmpeg that fails: its words, and no file
    assert_int_equal(system("mkdir -p " WORK
                            "/bad && printf '#!/bin/sh\\necho out of film >&2\\nexit 1\\n' > " WORK
                            "/bad/ffmpeg && chmod +x " WORK "/bad/ffmpeg"),
                     0);
    assert_int_equal(system("cd " WORK " && PATH=" WORK "/bad " SOUPLE_BINARY_DIR
                            "/souple export film/tet_beam.souple --to mp4 --out bad_film 2> bad.txt"),
                     512);
    char* words = ReadWholeFile(WORK "/bad.txt", NULL);
    assert_non_null(strstr(words, "out of film"));
    free(words);
    assert_false(Exists("bad_film/tet_beam.mp4"));
    assert_int_equal(system("cd " WORK " && PATH=/nowhere " SOUPLE_BINARY_DIR
                            "/souple export film/tet_beam.souple --to mp4 --out bad_film 2> bad.txt"),
                     512);
    words = ReadWholeFile(WORK "/bad.txt", NULL);
    assert_non_null(strstr(words, "not in PATH"));
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRun),
        cmocka_unit_test(TestReport),
        cmocka_unit_test(TestOthers),
        cmocka_unit_test(TestFilm),
    };
    return cmocka_run_group_tests(tests, SetUp, NULL);
}
