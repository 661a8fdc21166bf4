// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple check: everything that is wrong with scene files.

#include "commands.h"
#include "options.h"
#include "souple/scene.h"
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_MAX_FILES 256
#define SP_MAX_PROBLEMS 500

static void spTellProblem(const char* path, const spSceneProblem* problem)
{
    const char* colon = problem->path[0] != 0 ? ": " : "";
    const char* warning = problem->warning ? "warning: " : "";
    if (problem->line > 0)
    {
        printf("%s:%d:%d: %s%s%s%s\n", path, problem->line, problem->column, warning, problem->path, colon,
               problem->message);
    }
    else
    {
        printf("%s: %s%s\n", path, warning, problem->message);
    }
}

static json_t* spMakeProblemJson(const char* path, const spSceneProblem* problem)
{
    json_t* json = json_object();
    json_object_set_new(json, "file", json_string(path));
    json_object_set_new(json, "line", json_integer(problem->line));
    json_object_set_new(json, "column", json_integer(problem->column));
    json_object_set_new(json, "path", json_stringn_nocheck(problem->path, strlen(problem->path)));
    json_object_set_new(json, "message", json_stringn_nocheck(problem->message, strlen(problem->message)));
    json_object_set_new(json, "severity", json_string(problem->warning ? "warning" : "error"));
    return json;
}

int spRunCheck(int argc, char** argv)
{
    bool json = false, quiet = false;
    const spOption table[] = {
        {"json", sp_optionFlag, NULL, &json, "print one JSON object instead of lines", 0, 0, 0},
        {"quiet", sp_optionFlag, NULL, &quiet, "print problems only", 0, 0, 'q'},
    };
    static const char* const examples[] = {"souple check scenes/demo.json", "souple check scenes/*.json",
                                           NULL};
    const spUsage usage = {
        .usage = "souple check SCENE... [options]",
        .description =
            "Reads scene files, loads their meshes, builds their worlds, and prints every problem as\n"
            "file:line:column: message. Warnings do not make a scene unfit: the exit code is 2 when one has "
            "errors.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = SP_MAX_FILES,
        .examples = examples,
    };
    const char* files[SP_MAX_FILES];
    int fileCount = 0;
    int code = spParseOptions(&usage, argc, argv, files, &fileCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spSceneProblem* problems = calloc(SP_MAX_PROBLEMS, sizeof(spSceneProblem));
    json_t* list = json_array();
    bool allGood = problems != NULL;
    for (int i = 0; problems != NULL && i < fileCount; ++i)
    {
        int count = 0;
        bool good = spCheckScene(files[i], problems, SP_MAX_PROBLEMS, &count);
        allGood &= good;
        int shown = count < SP_MAX_PROBLEMS ? count : SP_MAX_PROBLEMS;
        for (int j = 0; j < shown; ++j)
        {
            if (json)
            {
                json_array_append_new(list, spMakeProblemJson(files[i], &problems[j]));
            }
            else
            {
                spTellProblem(files[i], &problems[j]);
            }
        }
        if (!json && count > shown)
        {
            printf("%s: and %d more problems\n", files[i], count - shown);
        }
        if (!json && !quiet && good)
        {
            printf("%s: fine%s\n", files[i], count > 0 ? ", apart from the warnings" : "");
        }
    }
    free(problems);
    if (json)
    {
        json_t* object = json_object();
        json_object_set_new(object, "good", json_boolean(allGood));
        json_object_set(object, "problems", list);
        spPrintJson(object);
    }
    json_decref(list);
    return allGood ? SP_EXIT_FINE : SP_EXIT_USAGE;
}
