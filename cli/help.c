// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple help: commands and topics.

#include "commands.h"
#include "options.h"
#include "souple/scene.h"
#include "tools.h"

#include <stdio.h>
#include <string.h>

static void spWriteText(const char* text, size_t size, void* context)
{
    fwrite(text, 1, size, context);
}

static void spTellSceneFormat(bool markdown)
{
    spWriteSceneReference(spWriteText, stdout, markdown);
}

static void spTellUnits(bool markdown)
{
    (void)markdown;
    puts("Units are SI everywhere: in scene files, on the command line, in recordings and in the library.\n"
         "\n"
         "  length       m          mass        kg         time       s\n"
         "  force        N          energy      J          frequency  Hz\n"
         "  pressure     Pa         density     kg/m^3 (kg/m^2 for a sheet)\n"
         "  stiffness    N/m        damping     N s/m      drag       kg/s\n"
         "  angle        degrees in scene files, radians in the library\n"
         "\n"
         "y is up. A body in the xy plane (disc) has area m^2 and pressure N/m, per metre of depth.");
}

static void spTellMaterials(bool markdown)
{
    (void)markdown;
    char* arguments[] = {"materials", NULL};
    spRunMaterials(1, arguments);
}

static void spTellExitCodes(bool markdown)
{
    (void)markdown;
    puts("exit codes of souple:\n"
         "\n"
         "  0    fine\n"
         "  1    the run reported trouble: a body turned non-finite, a step was unstable, an event failed;\n"
         "       'souple doctor': the test world does not run; 'souple mesh info': not fit to simulate;\n"
         "       'souple compare': a run turned non-finite, or the reference is too uncertain;\n"
         "       'souple reproduce': a row is unlike what was published; 'souple validate': a limit is "
         "missed\n"
         "  2    bad usage or bad input: unknown option, wrong scene, unreadable file, disk full\n"
         "  130  interrupted by Ctrl-C; what was recorded by then is kept");
}

static const struct
{
    const char* name;
    const char* summary;
    void (*tell)(bool markdown);
} s_topics[] = {
    {"scene-format", "every key of a scene file (--markdown prints docs/scene_format.md)", spTellSceneFormat},
    {"units", "what numbers mean", spTellUnits},
    {"materials", "materials by name", spTellMaterials},
    {"exit-codes", "what the exit code says", spTellExitCodes},
};

#define SP_TOPIC_COUNT ((int)(sizeof(s_topics) / sizeof(s_topics[0])))

static void spTellOverview(void)
{
    int count = 0;
    const spCommand* commands = spGetCommands(&count);
    puts("souple simulates soft bodies in real time.\n\nusage: souple COMMAND [arguments]\n\ncommands:");
    for (int i = 0; i < count; ++i)
    {
        printf("  %-12s %s\n", commands[i].name, commands[i].summary);
    }
    puts("\ntopics of 'souple help TOPIC', beside the commands:");
    for (int i = 0; i < SP_TOPIC_COUNT; ++i)
    {
        printf("  %-12s %s\n", s_topics[i].name, s_topics[i].summary);
    }
    puts("\nexamples:\n"
         "  souple run scenes/demo.json --out out/demo --export png,csv\n"
         "  souple check scenes/demo.json\n"
         "  souple mesh make ball --radius 0.3 -o ball.vtu\n"
         "  souple help run");
}

int spRunHelp(int argc, char** argv)
{
    bool markdown = false;
    const spOption table[] = {
        {"markdown", sp_optionFlag, NULL, &markdown, "print scene-format as Markdown", 0, 0, 0},
    };
    const spUsage usage = {
        .usage = "souple help [TOPIC] [options]",
        .description = "Explains a command or a topic; without one, lists them all.",
        .options = table,
        .optionCount = 1,
        .maxOperands = 1,
    };
    const char* topic = NULL;
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, &topic, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    if (topic == NULL)
    {
        spTellOverview();
        return SP_EXIT_FINE;
    }
    const char* names[64];
    int nameCount = 0;
    for (int i = 0; i < SP_TOPIC_COUNT; ++i)
    {
        names[nameCount++] = s_topics[i].name;
        if (strcmp(s_topics[i].name, topic) == 0)
        {
            s_topics[i].tell(markdown);
            return SP_EXIT_FINE;
        }
    }
    const spCommand* command = spFindCommand(topic);
    if (command != NULL)
    {
        char name[32];
        snprintf(name, sizeof(name), "%s", topic);
        char help[] = "--help";
        char* arguments[] = {name, help, NULL};
        return command->run(2, arguments);
    }
    int commandCount = 0;
    const spCommand* commands = spGetCommands(&commandCount);
    for (int i = 0; i < commandCount && nameCount < 64; ++i)
    {
        names[nameCount++] = commands[i].name;
    }
    const char* nearest = spFindNearest(topic, names, nameCount);
    if (nearest != NULL)
    {
        return spFailUsage("no help on \"%s\"; did you mean \"%s\"?", topic, nearest);
    }
    return spFailUsage("no help on \"%s\"; 'souple help' lists commands and topics", topic);
}
