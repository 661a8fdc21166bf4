// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench, reproduce, validate: souple-lab takes the place of this process, so that exit code and
// signals are its own. It is looked for beside this program, where `make install` puts it, and in PATH.

#include "commands.h"
#include "lab_options.h"
#include "options.h"
#include "tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool spFindLab(char* path, size_t size)
{
    static const char* const places[] = {SP_LAB, SOUPLE_LIBEXEC "/" SP_LAB};
    return spFindBeside(path, size, places, 2) || spFindProgram(path, size, SP_LAB);
}

static int spCallLab(int argc, char** argv)
{
    char path[2048];
    if (spFindLab(path, sizeof(path)) == false)
    {
        spFailUsage("'souple %s' needs " SP_LAB ", which is not installed: build Souple with -DSOUPLE_LAB=ON",
                    argv[0]);
        return SP_EXIT_MISSING;
    }
    char** arguments = calloc((size_t)argc + 2, sizeof(char*));
    if (arguments != NULL)
    {
        arguments[0] = path;
        memcpy(arguments + 1, argv, (size_t)argc * sizeof(char*));
        execv(path, arguments);
    }
    spFailUsage("cannot run %s: %s", path, strerror(errno));
    free(arguments);
    return SP_EXIT_MISSING;
}

int spRunBench(int argc, char** argv)
{
    spBenchOptions options;
    int code = spParseBench(&options, argc, argv);
    return code == SP_GO_ON ? spCallLab(argc, argv) : code;
}

int spRunReproduce(int argc, char** argv)
{
    spReproduceOptions options;
    int code = spParseReproduce(&options, argc, argv);
    return code == SP_GO_ON ? spCallLab(argc, argv) : code;
}

int spRunValidate(int argc, char** argv)
{
    spValidateOptions options;
    int code = spParseValidate(&options, argc, argv);
    return code == SP_GO_ON ? spCallLab(argc, argv) : code;
}
