// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Help of the souple command: every page has the same parts and fits, every example in it works, and the page
// on the command names every option.

#define WORK SOUPLE_BINARY_DIR "/test/cli_help"

#include "test/cli_test.h"

#define MAX_PAGES 64
#define MAX_COLUMNS 100
#define MAX_TOPIC_LINES 40

// A page of help: "run", "mesh info" or "units"
typedef struct Page
{
    char name[40];
    bool topic;
} Page;

static Page s_pages[MAX_PAGES];
static int s_pageCount;
static Result s_result;

// Adds the first words of the lines below a heading, which are indented by two
static void AddPages(const char* text, const char* heading, const char* before, bool topic)
{
    const char* line = strstr(text, heading);
    assert_non_null(line);
    line = strchr(line + 1, '\n') + 1;
    while (strncmp(line, "  ", 2) == 0)
    {
        // What goes on from the line before is indented deeper
        if (line[2] != ' ')
        {
            assert_true(s_pageCount < MAX_PAGES);
            Page* page = &s_pages[s_pageCount++];
            snprintf(page->name, sizeof(page->name), "%s%.*s", before, (int)strcspn(line + 2, " "), line + 2);
            page->topic = topic;
        }
        line = strchr(line, '\n') + 1;
    }
}

static void GetHelp(const Page* page)
{
    char arguments[100];
    snprintf(arguments, sizeof(arguments), page->topic ? "help %.40s" : "%.40s --help", page->name);
    Run(&s_result, arguments);
    assert_int_equal(s_result.code, 0);
}

static int SetUpHelp(void** state)
{
    if (SetUp(state) != 0)
    {
        return 1;
    }
    Run(&s_result, "help");
    AddPages(s_result.text, "\ncommands:\n", "", false);
    AddPages(s_result.text, "\ntopics of", "", true);
    Run(&s_result, "mesh --help");
    AddPages(s_result.text, "\nactions:\n", "mesh ", false);

    // What examples take for granted
    return system("cd '" WORK "' && ln -s '" SCENES "' scenes && PATH='" SOUPLE_BINARY_DIR "':$PATH && {\n"
                  "souple run scenes/demo.json --duration 0.2 --out out/demo\n"
                  "souple mesh make ball --resolution 2 -o liver.msh\n"
                  "souple mesh make ball --resolution 2 -o liver.vtu\n"
                  "souple mesh make box -o box.vtu\n"
                  "souple mesh make ball --resolution 2 -o ball.vtu\n"
                  "souple mesh convert ball.vtu part.stl\n"
                  "souple mesh convert ball.vtu scan.stl\n"
                  "} >/dev/null");
}

// Every page of a command has the same parts, and no page is wider than a terminal may be
static void TestParts(void** state)
{
    SP_UNUSED(state);
    assert_true(s_pageCount > 25);
    for (int i = 0; i < s_pageCount; ++i)
    {
        const Page* page = &s_pages[i];
        bool isLong = strcmp(page->name, "scene-format") == 0 || strcmp(page->name, "materials") == 0;
        GetHelp(page);
        const char* text = s_result.text;
        int lineCount = 0;
        for (const char* line = text; *line != 0; ++lineCount)
        {
            size_t size = strcspn(line, "\n");
            if (size > MAX_COLUMNS && isLong == false)
            {
                print_error("souple %s --help: %d columns: %.*s\n", page->name, (int)size, (int)size, line);
                fail();
            }
            line += size + (line[size] == '\n');
        }
        assert_non_null(strstr(text, "\nexamples:\n  "));
        if (page->topic == false)
        {
            assert_int_equal(strncmp(text, "usage: souple ", 14), 0);
            assert_non_null(strstr(text, "\noptions:\n"));
            assert_non_null(strstr(text, "\n  --help "));
            assert_non_null(strstr(text, "\nexit codes:\n  0    fine\n"));
        }
        else if (isLong == false && lineCount > MAX_TOPIC_LINES)
        {
            print_error("souple help %s has %d lines\n", page->name, lineCount);
            fail();
        }
    }
}

// Examples that take long, wait for somebody or need other programs: their options are read, no more
static bool IsQuick(const char* example)
{
    static const char* const s_slow[] = {
        "souple compare", "souple reproduce", "souple validate", "souple bench",
        "souple view",    "souple report",    "souple run",      "mp4"};
    if (strstr(example, "--list") != NULL)
    {
        return true;
    }
    bool slow = false;
    for (int i = 0; i < SP_COUNT(s_slow); ++i)
    {
        slow |= strstr(example, s_slow[i]) != NULL;
    }
    return slow == false || strstr(example, "--steps 10") != NULL || strstr(example, "--steps 50") != NULL;
}

static void TestExamples(void** state)
{
    SP_UNUSED(state);
    int count = 0;
    for (int i = 0; i < s_pageCount; ++i)
    {
        int pageCount = 0;
        GetHelp(&s_pages[i]);
        static char s_text[sizeof(s_result.text)];
        memcpy(s_text, s_result.text, sizeof(s_text));
        char* line = strstr(s_text, "\nexamples:\n") + 11;
        while (strncmp(line, "  ", 2) == 0)
        {
            char* end = strchr(line, '\n');
            *end = 0;
            char command[1024];
            // Behind everything else, --help comes to word only when all before it was understood
            snprintf(command, sizeof(command),
                     "cd '" WORK "' && PATH='" SOUPLE_BINARY_DIR "':$PATH && { %s%s; } 2>&1", line,
                     IsQuick(line) ? "" : " --help");
            FILE* pipe = popen(command, "r");
            assert_non_null(pipe);
            size_t size = fread(s_result.text, 1, sizeof(s_result.text) - 1, pipe);
            s_result.text[size] = 0;
            if (pclose(pipe) != 0)
            {
                print_error("an example of '%s' fails: %s\n%s\n", s_pages[i].name, line, s_result.text);
                fail();
            }
            ++count;
            ++pageCount;
            line = end + 1;
        }
        assert_true(pageCount >= 2);
    }
    print_message("%d examples\n", count);
}

// Every option of every command is explained in docs/cli.md, in the part on that command
static void TestDocument(void** state)
{
    SP_UNUSED(state);
    static char s_document[262144];
    FILE* file = fopen(SOUPLE_SOURCE_DIR "/docs/cli.md", "rb");
    assert_non_null(file);
    size_t size = fread(s_document, 1, sizeof(s_document) - 1, file);
    fclose(file);
    assert_true(size < sizeof(s_document) - 1);
    s_document[size] = 0;
    int missing = 0;
    for (int i = 0; i < s_pageCount; ++i)
    {
        const Page* page = &s_pages[i];
        if (page->topic)
        {
            // The page lists topics too
            char name[64];
            snprintf(name, sizeof(name), "`%.40s`", page->name);
            missing += strstr(s_document, name) == NULL;
            if (strstr(s_document, name) == NULL)
            {
                print_error("docs/cli.md does not name the topic %s\n", page->name);
            }
            continue;
        }
        GetHelp(page);
        char heading[64];
        snprintf(heading, sizeof(heading), "\n## souple %.*s\n", (int)strcspn(page->name, " "), page->name);
        char* part = strstr(s_document, heading);
        if (part == NULL)
        {
            print_error("docs/cli.md has no part '%s'\n", heading + 1);
            ++missing;
            continue;
        }
        char* next = strstr(part + 4, "\n## ");
        if (next != NULL)
        {
            *next = 0;
        }
        const char* line = strstr(s_result.text, "\noptions:\n") + 10;
        for (; line[0] == ' '; line = strchr(line, '\n') + 1)
        {
            const char* name = strstr(line, "--");
            if (line[2] != '-' || name == NULL || strncmp(name, "--help", 6) == 0)
            {
                continue;
            }
            char option[64];
            snprintf(option, sizeof(option), "%.*s", (int)strcspn(name, "=[ \n"), name);
            if (strstr(part, option) == NULL)
            {
                print_error("docs/cli.md, souple %s: %s is missing\n", page->name, option);
                ++missing;
            }
        }
        if (next != NULL)
        {
            *next = '\n';
        }
    }
    assert_int_equal(missing, 0);
}

// Pieces of scenes that topics show can be used
static void TestPieces(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        const char* topic;
        const char* piece;
    } s_pieces[] = {
        {"methods", "\"method\": {\"type\": \"xpbd\", \"xpbd\": {\"iterations\": 20}}"},
        {"meshes", "\"mesh\": {\"generator\": \"ball\"}"},
        {"contact", "\"colliders\": [{\"shape\": \"plane\", \"friction\": 0.5, \"restitution\": 0.3}]"},
        {"acts",
         "{\"time\": 0.5, \"type\": \"grab\", \"name\": \"hand\", \"body\": \"ball\", \"nodes\": 12}"},
        {"acts",
         "{\"time\": 0.5, \"type\": \"move\", \"grab\": \"hand\", \"offset\": [0, 1, 0], \"duration\": 1}"},
        {"acts", "{\"time\": 2.0, \"type\": \"release\", \"grab\": \"hand\"}"},
    };
    for (int i = 0; i < SP_COUNT(s_pieces); ++i)
    {
        Page page = {.topic = true};
        snprintf(page.name, sizeof(page.name), "%s", s_pieces[i].topic);
        GetHelp(&page);
        // The page may break a line at any space
        for (char* c = s_result.text; *c != 0; ++c)
        {
            *c = *c == '\n' ? ' ' : *c;
        }
        if (strstr(s_result.text, s_pieces[i].piece) == NULL)
        {
            print_error("souple help %s does not show %s\n", page.name, s_pieces[i].piece);
            fail();
        }
    }
    char scene[2048];
    snprintf(scene, sizeof(scene),
             "{\"souple\": 1, \"duration\": 3, \"bodies\": [{\"name\": \"ball\", \"tets\": {}, %s, %s}], %s, "
             "\"events\": [%s, %s, %s]}",
             s_pieces[0].piece, s_pieces[1].piece, s_pieces[2].piece, s_pieces[3].piece, s_pieces[4].piece,
             s_pieces[5].piece);
    WriteFile("pieces.json", scene);
    Expect("check pieces.json", 0, "pieces.json: fine\n");
}

static void TestMistakes(void** state)
{
    SP_UNUSED(state);
    Expect("help metods", 2, "did you mean \"methods\"?");
    Expect("help xyzzyxyzzy", 2, "'souple help' lists commands and topics");
    Expect("completion bahs", 2, "did you mean \"bash\"?");
    Expect("completion powershell", 2, "known are bash, zsh and fish");
    Expect("completion", 2, "usage: souple completion SHELL");
    Expect("run --help=nonsense", 2, "--help takes no value");
    Expect("run x.json --nonsense", 2, "see souple run --help");
    Expect("mesh xyzzyxyzzy", 2, "known are info, convert, repair, make");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestParts),  cmocka_unit_test(TestExamples), cmocka_unit_test(TestDocument),
        cmocka_unit_test(TestPieces), cmocka_unit_test(TestMistakes),
    };
    return cmocka_run_group_tests(tests, SetUpHelp, NULL);
}
