// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The `souple` command: a table of subcommands. Help, man page and completion list them from it.

#include "commands.h"
#include "machine.h"
#include "options.h"
#include "tools.h"
#include "usage.h"

#include <stdio.h>
#include <string.h>

static const spCommand s_commands[] = {
    {"run", "play a scene file and record what happens", spRunRun},
    {"view", "run a scene live in the browser, to look at and to pull", spRunView},
    {"report", "make one HTML file from a recording, to be mailed", spRunReport},
    {"check", "name everything that is wrong with a scene file", spRunCheck},
    {"export", "make pictures, tables and meshes from a recording", spRunExport},
    {"replay", "play the scene of a recording again and compare every bit", spRunReplay},
    {"mesh", "examine, convert, repair and make meshes", spRunMesh},
    {"bench", SP_BENCH_SUMMARY, spRunBench},
    {"compare", "play a scene by several methods: error against cost", spRunCompare},
    {"reproduce", SP_REPRODUCE_SUMMARY, spRunReproduce},
    {"validate", SP_VALIDATE_SUMMARY, spRunValidate},
    {"materials", "list the materials that scenes know by name", spRunMaterials},
    {"doctor", "tell what this build has and what it lacks", spRunDoctor},
    {"completion", "print a script that lets a shell complete commands and options", spRunCompletion},
    {"help", "explain a command or a topic", spRunHelp},
};

#define SP_COMMAND_COUNT ((int)(sizeof(s_commands) / sizeof(s_commands[0])))

const spUsageForm g_usageForms[] = {
    {"man", spTellUsageForMan},   {"bash", spTellUsageForBash}, {"zsh", spTellUsageForZsh},
    {"fish", spTellUsageForFish}, {"trouble", spTellTrouble},   {NULL, NULL},
};

const spCommand* spGetCommands(int* count)
{
    *count = SP_COMMAND_COUNT;
    return s_commands;
}

const spCommand* spFindCommand(const char* name)
{
    for (int i = 0; i < SP_COMMAND_COUNT; ++i)
    {
        if (strcmp(s_commands[i].name, name) == 0)
        {
            return &s_commands[i];
        }
    }
    return NULL;
}

int main(int argc, char** argv)
{
    if (argc < 2)
    {
        char* help[] = {"help", NULL};
        spRunHelp(1, help);
        return SP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0)
    {
        printf("souple %s\n", spGetVersionText());
        return spEndOutput(SP_EXIT_FINE);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
    {
        return spEndOutput(spRunHelp(argc - 1, argv + 1));
    }
    const spCommand* command = spFindCommand(argv[1]);
    if (command != NULL)
    {
        return spEndOutput(command->run(argc - 1, argv + 1));
    }
    const char* names[SP_COMMAND_COUNT];
    for (int i = 0; i < SP_COMMAND_COUNT; ++i)
    {
        names[i] = s_commands[i].name;
    }
    const char* nearest = spFindNearest(argv[1], names, SP_COMMAND_COUNT);
    if (nearest != NULL)
    {
        return spFailUsage("unknown command \"%s\"; did you mean \"%s\"?", argv[1], nearest);
    }
    return spFailUsage("unknown command \"%s\"; 'souple help' lists all", argv[1]);
}
