// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the tests of scenes share: scenes from texts, and runs of them.

#pragma once

#include "souple/scene.h"
#include "test/memory_test.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

#define BODY "\"bodies\": [{\"mesh\": {\"generator\": \"box\"}, \"springs\": {}}]"

// A body with a name, on one line
#define NAMED(name)                                                                                          \
    "{\"name\": \"" name "\", \"mesh\": {\"generator\": \"ball\", \"resolution\": 2}, \"springs\": {}}"

static inline spScene* Parse(const char* text)
{
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene(text, strlen(text), NULL, NULL, &error);
    if (scene == NULL)
    {
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    }
    return scene;
}

// def may be NULL
static inline spRun* StartWith(const spScene* scene, const spRunDef* def)
{
    spError error = SP_ZERO_INIT;
    spRunDef plain = spDefaultRunDef();
    spRun* run = spCreateRun(scene, def != NULL ? def : &plain, &error);
    if (run == NULL)
    {
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    }
    return run;
}

static inline spRun* Start(const spScene* scene)
{
    return StartWith(scene, NULL);
}

static inline uint64_t RunSteps(const spScene* scene, int threads, int steps)
{
    spError error = SP_ZERO_INIT;
    spRunDef def = spDefaultRunDef();
    def.threadCount = threads;
    spRun* run = spCreateRun(scene, &def, &error);
    if (run == NULL)
    {
        print_error("%s: %s\n", spScene_GetName(scene), error.message);
    }
    assert_non_null(run);
    for (int i = 0; i < steps; ++i)
    {
        assert_int_equal(spRun_Step(run), 0);
        for (int j = 0; j < spRun_GetMeasurementCount(run); ++j)
        {
            assert_true(isfinite(spRun_GetMeasurement(run, j)));
        }
    }
    uint64_t hash = spWorld_GetStateHash(spRun_GetWorld(run));
    spDestroyRun(run);
    return hash;
}
