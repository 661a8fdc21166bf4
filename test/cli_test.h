// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Running the souple command as a user does, for tests. It is found at SOUPLE_BINARY_DIR/souple. A test
// defines WORK, the folder that it runs in, before it includes this.

#pragma once

#include "base/core.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <jansson.h>

#define SCENES SOUPLE_SOURCE_DIR "/scenes"

// What a command printed, both streams together or one of them, and its exit code
typedef struct Result
{
    char text[65536];
    int code;
} Result;

static inline void Run(Result* result, const char* arguments)
{
    char command[2048];
    snprintf(command, sizeof(command), "cd '" WORK "' && '" SOUPLE_BINARY_DIR "/souple' %s", arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t size = fread(result->text, 1, sizeof(result->text) - 1, pipe);
    result->text[size] = 0;
    char rest[4096];
    while (fread(rest, 1, sizeof(rest), pipe) > 0)
    {
    }
    int status = pclose(pipe);
    result->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Runs and compares the exit code and a part of what both streams say
static inline void Expect(const char* arguments, int code, const char* part)
{
    static Result s_result;
    char command[1024];
    snprintf(command, sizeof(command), "%s 2>&1", arguments);
    Run(&s_result, command);
    if (s_result.code != code || strstr(s_result.text, part) == NULL)
    {
        print_error("souple %s\nexpected exit code %d and \"%s\", got %d and:\n%s\n", arguments, code, part,
                    s_result.code, s_result.text);
        fail();
    }
}

// Runs, and reads exactly one JSON object from stdout
static inline json_t* RunJson(const char* arguments, int code)
{
    static Result s_result;
    Run(&s_result, arguments);
    json_error_t error;
    json_t* json = json_loads(s_result.text, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL || s_result.code != code)
    {
        print_error("souple %s: exit code %d, %s\n%s\n", arguments, s_result.code,
                    json == NULL ? error.text : "JSON is fine", s_result.text);
    }
    assert_true(json_is_object(json));
    assert_int_equal(s_result.code, code);
    return json;
}

static inline bool Exists(const char* name)
{
    char path[1024];
    struct stat status;
    snprintf(path, sizeof(path), WORK "/%s", name);
    return stat(path, &status) == 0 && status.st_size > 0;
}

static inline void WriteFile(const char* name, const char* text)
{
    char path[1024];
    snprintf(path, sizeof(path), WORK "/%s", name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline int SetUp(void** state)
{
    SP_UNUSED(state);
    return system("rm -rf '" WORK "' && mkdir -p '" WORK "'");
}
