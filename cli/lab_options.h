// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Options of the commands that souple-lab runs. The souple command reads them for help, man page and
// completion and to refuse what is wrong; souple-lab reads them again and runs the command.

#pragma once

#include <stdbool.h>

// Benchmarks or cases that can be named at once
#define SP_MAX_LAB_NAMES 256

// Parts of experiments that can be run alone
#define SP_PRECONDITIONER_PARTS "table,sizes,age,policies,models,hand"
#define SP_ANDERSON_PARTS "beams,green,bodies,cost,sag,settle,poisson"
#define SP_VOLUMES_PARTS "images,volumes,penalty,contacts,quality,costs"

typedef struct spBenchOptions
{
    const char* names[SP_MAX_LAB_NAMES];
    int nameCount;
    bool list, json;
    const char* threads; // numbers with commas
    const char* mesh;    // may be NULL
    int repeat, lanes;
} spBenchOptions;

typedef struct spReproduceOptions
{
    const char* name; // NULL: all experiments
    bool list, all, json, quick;
    const char *out, *part, *mesh, *report; // all but `out` may be NULL
} spReproduceOptions;

typedef struct spValidateOptions
{
    const char* names[SP_MAX_LAB_NAMES];
    int nameCount;
    bool list, json, quiet, quick;
    const char *beside, *keep, *mesh, *report; // may be NULL
} spValidateOptions;

// They return as spParseOptions does
int spParseBench(spBenchOptions* options, int argc, char** argv);
int spParseReproduce(spReproduceOptions* options, int argc, char** argv);
int spParseValidate(spValidateOptions* options, int argc, char** argv);
