// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench, reproduce, validate: souple-lab takes the place of this process, so that exit code and
// signals are its own.

#include "lab.h"

#include "commands.h"
#include "lab_options.h"
#include "options.h"
#include "tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool spFindLab(char* buffer, size_t size)
{
    char folder[1024];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    folder[length > 0 ? length : 0] = 0;
    char* slash = strrchr(folder, '/');
    static const char* const places[] = {SP_LAB, SOUPLE_LIBEXEC "/" SP_LAB};
    for (int i = 0; slash != NULL && i < 2; ++i)
    {
        *slash = 0;
        if (spMakeFileName(buffer, size, folder, places[i], "") && access(buffer, X_OK) == 0)
        {
            return true;
        }
    }
    return spFindProgram(buffer, size, SP_LAB);
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
