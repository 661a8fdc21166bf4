// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The subcommands of `souple`, one file each. A command gets its own arguments (argv[0] is its name) and
// returns the exit code of the program. `--help` as an argument prints its help.

#pragma once

#include <stdbool.h>
#include <stddef.h>

// Exit codes, as `souple help exit-codes` explains them
#define SP_EXIT_FINE 0
#define SP_EXIT_TROUBLE 1
#define SP_EXIT_USAGE 2
#define SP_EXIT_MISSING 127 // souple-lab is not installed
#define SP_EXIT_INTERRUPTED 130

int spRunRun(int argc, char** argv);
int spRunCheck(int argc, char** argv);
int spRunExport(int argc, char** argv);
int spRunReplay(int argc, char** argv);
int spRunReport(int argc, char** argv);
int spRunMesh(int argc, char** argv);
int spRunCompletion(int argc, char** argv);
int spRunMaterials(int argc, char** argv);
int spRunDoctor(int argc, char** argv);
int spRunHelp(int argc, char** argv);
int spRunCompare(int argc, char** argv);
int spRunView(int argc, char** argv);

// souple-lab runs these (lab/); those of souple hand them on to it (lab.c)
int spRunBench(int argc, char** argv);
int spRunReproduce(int argc, char** argv);
int spRunValidate(int argc, char** argv);
bool spFindLab(char* path, size_t size); // false, and an empty path, when souple-lab is not there
#define SP_LAB "souple-lab"
#define SP_BENCH_SUMMARY "measure how fast this machine steps"
#define SP_REPRODUCE_SUMMARY "run published experiments, their numbers beside ours"
#define SP_VALIDATE_SUMMARY "compare solid bodies with CalculiX and with theory"

// One row of the table in main.c
typedef struct spCommand
{
    const char* name;
    const char* summary;
    int (*run)(int argc, char** argv);
} spCommand;

// The table, and the number of its rows
const spCommand* spGetCommands(int* count);

// The command with a name; NULL when there is none
const spCommand* spFindCommand(const char* name);
