// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple doctor: what this build has, under which licences, what a missing part would bring, and whether a
// small world runs on this machine.

#include "commands.h"
#include "machine.h"
#include "options.h"
#include "souple/view.h"
#include "tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef SOUPLE_CHOLMOD_VERSION
#define SOUPLE_CHOLMOD_VERSION ""
#endif

// Which part of CHOLMOD makes factors, and what that means for the licence
#ifdef SOUPLE_SUPERNODAL
#define SP_CHOLMOD_USE "complete Cholesky factor, supernodal"
#define SP_CHOLMOD_LICENCE "LGPL-2.1+; with its supernodal part, as here, GPL-2+"
#else
#define SP_CHOLMOD_USE                                                                                       \
    "complete Cholesky factor, simplicial; -DSOUPLE_SUPERNODAL=ON would bring the supernodal one, several "  \
    "times faster"
#define SP_CHOLMOD_LICENCE "LGPL-2.1+; with its supernodal part, not in this build, GPL-2+"
#endif

#ifndef SOUPLE_BULLET_VERSION
#define SOUPLE_BULLET_VERSION ""
#endif

#ifndef SOUPLE_PNG_VERSION
#define SOUPLE_PNG_VERSION ""
#endif

#ifndef SOUPLE_WEBSOCKETS_VERSION
#define SOUPLE_WEBSOCKETS_VERSION ""
#endif

#ifndef SOUPLE_ZLIB_VERSION
#define SOUPLE_ZLIB_VERSION ""
#endif

#define SP_PAGE_USE "the live page and reports: souple view, souple run --report"

// What brings the page where it is missing
#ifdef SOUPLE_VIEW
#define SP_PAGE_REMEDY "; needs Node.js and npm when Souple is built"
#else
#define SP_PAGE_REMEDY "; this build was configured with SOUPLE_VIEW=OFF"
#endif

// What is inside the page
#ifndef SOUPLE_THREE_VERSION
#define SOUPLE_THREE_VERSION ""
#define SOUPLE_UPLOT_VERSION ""
#endif

typedef struct spPart
{
    const char* name;
    const char* version; // "" when this build lacks it
    const char* licence;
    const char* use;
} spPart;

// Another program that some commands call
typedef struct spHelper
{
    const char* name;
    const char* use;
    const char* remedy; // what brings it
    char path[512];     // "" when it is not there
} spHelper;

// A ball falls on the ground for half a second. Returns what is wrong; NULL when all is well.
static const char* spTestWorld(double* millisecondsPerStep, char* message, size_t size)
{
    static const char s_scene[] =
        "{\"souple\": 1, \"duration\": 0.5, \"bodies\": {\"mesh\": {\"generator\": \"ball\", \"radius\": "
        "0.2, \"resolution\": 3},"
        "\"transform\": {\"position\": [0, 0.5, 0]}, \"springs\": {\"youngModulus\": 20000, \"damping\": 1}},"
        "\"colliders\": {\"shape\": \"plane\"}, \"measurements\": {\"type\": \"height\", \"body\": "
        "\"body\"}}";
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene(s_scene, sizeof(s_scene) - 1, NULL, NULL, &error);
    spRunDef def = spDefaultRunDef();
    spRun* run = scene != NULL ? spCreateRun(scene, &def, &error) : NULL;
    const char* trouble = NULL;
    if (run == NULL)
    {
        snprintf(message, size, "%s", error.message);
        trouble = message;
    }
    else
    {
        double start = spGetClock();
        uint32_t flags = 0;
        while (!spRun_IsDone(run))
        {
            flags |= spRun_Step(run);
        }
        *millisecondsPerStep = 1e3 * (spGetClock() - start) / (double)spRun_GetStepCount(run);
        double height = spRun_GetMeasurement(run, 0);
        if (flags != 0)
        {
            snprintf(message, size, "a small test world reported trouble (flags 0x%x)", (unsigned)flags);
            trouble = message;
        }
        else if (!(height > 0.0 && height < 0.5))
        {
            trouble = "a ball that should fall to the ground did not";
        }
    }
    spDestroyRun(run);
    spDestroyScene(scene);
    return trouble;
}

static void spTellJson(const spPart* parts, int partCount, const spHelper* helpers, int helperCount,
                       const char* processor, const char* trouble, double milliseconds)
{
    struct utsname system;
    uname(&system);
    json_t* list = json_array();
    for (int i = 0; i < partCount; ++i)
    {
        json_t* part = json_object();
        json_object_set_new(part, "name", json_string(parts[i].name));
        json_object_set_new(part, "present", json_boolean(parts[i].version[0] != 0));
        json_object_set_new(part, "version", json_string(parts[i].version));
        json_object_set_new(part, "licence", json_string(parts[i].licence));
        json_object_set_new(part, "use", json_string(parts[i].use));
        json_array_append_new(list, part);
    }
    json_t* programs = json_array();
    for (int i = 0; i < helperCount; ++i)
    {
        json_t* helper = json_object();
        json_object_set_new(helper, "name", json_string(helpers[i].name));
        json_object_set_new(helper, "present", json_boolean(helpers[i].path[0] != 0));
        json_object_set_new(helper, "path", json_string(helpers[i].path));
        json_object_set_new(helper, "use", json_string(helpers[i].use));
        json_array_append_new(programs, helper);
    }
    json_t* json = json_object();
    json_object_set_new(json, "version", json_string(spGetVersionText()));
    json_object_set_new(json, "precision", json_string(sizeof(spReal) == 8 ? "double" : "float"));
    json_object_set_new(json, "lanes", json_integer(spGetLaneCount()));
    json_object_set_new(json, "maxThreads", json_integer(SP_MAX_WORKERS));
    json_object_set_new(json, "processors", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(json, "processor", json_string(processor));
    json_object_set_new(json, "system",
                        json_sprintf("%s %s %s", system.sysname, system.release, system.machine));
    json_object_set_new(json, "parts", list);
    json_object_set_new(json, "programs", programs);
    json_object_set_new(json, "works", json_boolean(trouble == NULL));
    json_object_set_new(json, "msPerTestStep", spMakeJsonNumber(milliseconds));
    spPrintJson(json);
}

int spRunDoctor(int argc, char** argv)
{
    bool json = false;
    const spOption table[] = {
        {"json", sp_optionFlag, NULL, &json, "print one JSON object instead of words", 0, 0, 0},
    };
    static const char* const examples[] = {"souple doctor", "souple doctor --json > doctor.json", NULL};
    const spUsage usage = {
        .usage = "souple doctor [options]",
        .description = "Tells what this build has, under which licences, what a missing part would bring, "
                       "what machine this is,\n"
                       "and whether a small world runs on it. Part of every report of a bug.",
        .options = table,
        .optionCount = 1,
        .examples = examples,
        .trouble = "the small world does not run",
    };
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, NULL, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    const char* png =
        !spHasPng() ? "" : (SOUPLE_PNG_VERSION[0] != 0 ? SOUPLE_PNG_VERSION : "unknown version");
    char page[32] = "";
#ifdef SOUPLE_VIEW
    if (spHasPage())
    {
        snprintf(page, sizeof(page), "%.0f kB", 1e-3 * (double)spGetPageSize());
    }
#endif
    const spPart parts[] = {
        {"Jansson", spGetJsonVersion(), "MIT", "scene files and JSON output"},
        {"libpng", png, "PNG Reference Library License 2", "pictures as PNG: souple run --export png"},
        {"CHOLMOD", SOUPLE_CHOLMOD_VERSION, SP_CHOLMOD_LICENCE, SP_CHOLMOD_USE},
        {"Bullet", SOUPLE_BULLET_VERSION, "zlib",
         "a second engine beside ours: souple bench implicit-beam-8"},
        {"libwebsockets", SOUPLE_WEBSOCKETS_VERSION, "MIT", "the connection of the live page: souple view"},
        {"zlib", SOUPLE_ZLIB_VERSION, "zlib", "reports"},
        {"page", page, "MIT; bundled by esbuild, MIT",
         page[0] != 0 ? SP_PAGE_USE : SP_PAGE_USE SP_PAGE_REMEDY},
        {"three.js", SOUPLE_THREE_VERSION, "MIT", "the 3D view inside the page"},
        {"uPlot", SOUPLE_UPLOT_VERSION, "MIT", "the plots inside the page"},
    };
    spHelper helpers[] = {
        {SP_LAB, "souple bench, reproduce and validate", "-DSOUPLE_LAB=ON when Souple is built", ""},
        {"ffmpeg", "films: souple run --export mp4", "Debian: ffmpeg", ""},
        {"xdg-open", "a browser that opens by itself: souple view", "Debian: xdg-utils", ""},
        {"ccx", "CalculiX beside ours: souple validate", "Debian: calculix-ccx", ""},
    };
    int helperCount = (int)(sizeof(helpers) / sizeof(helpers[0]));
    spFindLab(helpers[0].path, sizeof(helpers[0].path));
    for (int i = 1; i < helperCount; ++i)
    {
        spFindProgram(helpers[i].path, sizeof(helpers[i].path), helpers[i].name);
    }
    int partCount = (int)(sizeof(parts) / sizeof(parts[0]));
    char processor[128], message[600];
    double milliseconds = 0.0;
    spGetProcessor(processor, sizeof(processor));
    const char* trouble = spTestWorld(&milliseconds, message, sizeof(message));
    if (json)
    {
        spTellJson(parts, partCount, helpers, helperCount, processor, trouble, milliseconds);
        return trouble == NULL ? SP_EXIT_FINE : SP_EXIT_TROUBLE;
    }
    struct utsname system;
    uname(&system);
    printf("souple %s, MIT licence\n", spGetVersionText());
    printf("  state in %s precision, kernels with %d lanes, up to %d threads\n",
           sizeof(spReal) == 8 ? "double" : "float", spGetLaneCount(), SP_MAX_WORKERS);
    printf("\nlibraries:\n");
    for (int i = 0; i < partCount; ++i)
    {
        if (parts[i].version[0] != 0)
        {
            printf("  %-13s %-8s %s (%s)\n", parts[i].name, parts[i].version, parts[i].use, parts[i].licence);
        }
        else
        {
            printf("  %-13s missing  would bring %s\n", parts[i].name, parts[i].use);
        }
    }
    printf("\nprograms:\n");
    for (int i = 0; i < helperCount; ++i)
    {
        if (helpers[i].path[0] != 0)
        {
            printf("  %-13s %s: %s\n", helpers[i].name, helpers[i].path, helpers[i].use);
        }
        else
        {
            printf("  %-13s missing  would bring %s (%s)\n", helpers[i].name, helpers[i].use,
                   helpers[i].remedy);
        }
    }
    printf("\nmachine:\n  %s, %ld in use\n  %s %s %s\n", processor, sysconf(_SC_NPROCESSORS_ONLN),
           system.sysname, system.release, system.machine);
    if (trouble == NULL)
    {
        printf("\nA small test world runs as it should, %.2g ms a step.\n", milliseconds);
    }
    else
    {
        printf("\nSomething is wrong: %s.\n", trouble);
    }
    return trouble == NULL ? SP_EXIT_FINE : SP_EXIT_TROUBLE;
}
