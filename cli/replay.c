// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple replay: plays the scene of a recording again, with what hands did and the clock decided then, and
// compares the bits.

#include "commands.h"
#include "options.h"
#include "souple/scene.h"
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spReplayOptions
{
    const char* recordingPath;
    const char* folder;
    int threads, lanes;
    bool json, quiet;
} spReplayOptions;

typedef struct spReplay
{
    const spRecording* recording;
    spPlayInfo play;
    spRun* run;
    spBodyId* bodies;
    int bodyCount;
    spDecision* decisions;
    int decisionCapacity;
    int64_t steps, decided, acts;
    int framesCompared;
    bool same;
    double differenceTime; // where it first differs, s
    int64_t differenceStep;
    spError difference; // only its message
} spReplay;

// Steps go forward one by one; only a state that was restored leads elsewhere
static bool spFollows(const spRecording* recording, int row)
{
    int64_t last = row > 0 ? spRecording_GetRow(recording, row - 1).stepCount : -1;
    return spRecording_GetRow(recording, row).stepCount == last + 1 ||
           (row > 0 && (spRecording_FindActs(recording, row, NULL) > 0 ||
                        strstr(spRecording_GetSceneText(recording), "\"restore\"") != NULL));
}

// What the recording must have. Returns an exit code, or SP_GO_ON.
static int spCheckReplay(spReplay* replay, const char* path)
{
    const spRecording* recording = replay->recording;
    if (!spRecording_IsComplete(recording))
    {
        fprintf(stderr, "souple: %s is not complete: %s\n", path, spRecording_GetDamage(recording));
    }
    if (spRecording_GetSceneText(recording) == NULL || !spRecording_GetPlayInfo(recording, &replay->play))
    {
        return spFailUsage("%s does not tell how its scene was played: record it again with 'souple run'",
                           path);
    }
    if (spRecording_GetNumberSize(recording) != (int)sizeof(spReal))
    {
        return spFailUsage("%s comes from a build in %s precision, this one has %s precision", path,
                           sizeof(spReal) == 4 ? "double" : "single",
                           sizeof(spReal) == 4 ? "single" : "double");
    }
    for (int i = 0; i < spRecording_GetRowCount(recording); ++i)
    {
        if (!spFollows(recording, i))
        {
            return spFailUsage("%s does not have every step from the start: step %d is missing", path, i);
        }
    }
    if (spRecording_GetRowCount(recording) < 2)
    {
        return spFailUsage("%s has no steps", path);
    }
    return SP_GO_ON;
}

static spScene* spReadReplayScene(const spReplay* replay, const spReplayOptions* options, spError* error)
{
    char folder[4096];
    const char* path = replay->play.scenePath;
    const char* slash = strrchr(path, '/');
    const char* base = options->folder;
    if (base == NULL && slash != NULL && (size_t)(slash - path) + 1 < sizeof(folder))
    {
        // "/scene.json" lies in "/"
        snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path), path);
        base = folder;
    }
    const char* text = spRecording_GetSceneText(replay->recording);
    return spParseScene(text, strlen(text), base, NULL, error);
}

static bool spListReplayBodies(spReplay* replay)
{
    const spWorld* world = spRun_GetWorld(replay->run);
    int count = spWorld_GetBodyCount(world);
    replay->bodies = calloc((size_t)count + 1, sizeof(spBodyId));
    replay->bodyCount = replay->bodies != NULL ? spWorld_GetBodies(world, replay->bodies, count) : 0;
    return replay->bodies != NULL;
}

static void spNoteDifference(spReplay* replay, int row, const char* what)
{
    replay->same = false;
    replay->differenceStep = spRecording_GetRow(replay->recording, row).stepCount;
    replay->differenceTime = spRecording_GetRow(replay->recording, row).time;
    snprintf(replay->difference.message, sizeof(replay->difference.message), "%s", what);
}

// What was done before the step to a row. False when it cannot be done.
static bool spActAgain(spReplay* replay, int row)
{
    int first = 0;
    int count = spRecording_FindActs(replay->recording, row, &first);
    for (int i = first; i < first + count; ++i)
    {
        size_t size = 0;
        spError error = SP_ZERO_INIT;
        const char* text = spRecording_GetAct(replay->recording, i, &size);
        if (!spRun_Act(replay->run, text, size, &error))
        {
            spNoteDifference(replay, row, error.message);
            return false;
        }
        replay->acts += 1;
    }
    return true;
}

// What was decided in the step to a row. False when the world cannot do that.
static bool spDecideAgain(spReplay* replay, int row)
{
    int count = spRecording_GetDecisions(replay->recording, row, replay->bodies, replay->bodyCount, NULL, 0);
    if (count > replay->decisionCapacity)
    {
        spDecision* grown = realloc(replay->decisions, (size_t)count * sizeof(spDecision));
        if (grown == NULL)
        {
            spNoteDifference(replay, row, "there is no memory for its decisions");
            return false;
        }
        replay->decisions = grown;
        replay->decisionCapacity = count;
    }
    spRecording_GetDecisions(replay->recording, row, replay->bodies, replay->bodyCount, replay->decisions,
                             count);
    replay->decided += count;
    spWorld* world = spRun_GetWorld(replay->run);
    if (!spWorld_Decide(world, replay->decisions, count))
    {
        spNoteDifference(replay, row, spWorld_GetLastError(world).message);
        return false;
    }
    return true;
}

// Compares what stands in the recording of a row, and of the frame when it is its
static void spCompareRow(spReplay* replay, int row, int frame)
{
    const spWorld* world = spRun_GetWorld(replay->run);
    spRecordRow then = spRecording_GetRow(replay->recording, row);
    if (then.time != spWorld_GetTime(world) || then.stepCount != spWorld_GetStepCount(world))
    {
        spNoteDifference(replay, row, "the steps covered another time");
    }
    else if (frame >= 0)
    {
        replay->framesCompared += 1;
        if (spRecording_GetStateHash(replay->recording, frame) != spWorld_GetStateHash(world))
        {
            spNoteDifference(replay, row, "the state has another hash");
        }
    }
}

static void spPlayAgain(spReplay* replay, const spReplayOptions* options)
{
    const spRecording* recording = replay->recording;
    int rows = spRecording_GetRowCount(recording), frames = spRecording_GetFrameCount(recording), frame = 0;
    spBar bar = spMakeBar("replay ", !options->quiet && !options->json);
    for (int row = 0; row < rows && replay->same && !spIsInterrupted(); ++row)
    {
        if (!spActAgain(replay, row))
        {
            break;
        }
        if (row > 0)
        {
            // Events first: decisions are for the step that comes after them
            spRun_PlayEvents(replay->run);
            if (!spDecideAgain(replay, row))
            {
                break;
            }
            spRun_Step(replay->run);
            replay->steps += 1;
        }
        bool due = frame < frames && spRecording_GetFrameRow(recording, frame) == row;
        spCompareRow(replay, row, due ? frame : -1);
        frame += due;
        spShowBar(&bar, (double)row / (double)rows, "");
    }
    spClearBar(&bar);
}

static void spTellReplay(const spReplay* replay, const spReplayOptions* options)
{
    if (options->json)
    {
        json_t* json = json_object();
        json_object_set_new(json, "recording", json_string(options->recordingPath));
        json_object_set_new(json, "same", json_boolean(replay->same));
        json_object_set_new(json, "steps", json_integer(replay->steps));
        json_object_set_new(json, "framesCompared", json_integer(replay->framesCompared));
        json_object_set_new(json, "decisions", json_integer(replay->decided));
        json_object_set_new(json, "acts", json_integer(replay->acts));
        json_object_set_new(json, "live", json_boolean(replay->play.live));
        json_object_set_new(json, "interrupted", json_boolean(spIsInterrupted()));
        if (!replay->same)
        {
            json_object_set_new(json, "differenceStep", json_integer(replay->differenceStep));
            json_object_set_new(json, "differenceTime", spMakeJsonNumber(replay->differenceTime));
            json_object_set_new(json, "difference", json_string(replay->difference.message));
        }
        spPrintJson(json);
        return;
    }
    if (options->quiet)
    {
        return;
    }
    printf("%s: %lld steps played again, with %lld decisions of the clock", options->recordingPath,
           (long long)replay->steps, (long long)replay->decided);
    if (replay->acts > 0)
    {
        printf(" and %lld acts", (long long)replay->acts);
    }
    printf("; %d frames compared.\n", replay->framesCompared);
    if (replay->same)
    {
        printf("The same bits%s.\n", spIsInterrupted() ? ", as far as it went" : "");
    }
    else
    {
        printf("It differs at step %lld (%.6g s): %s.\n", (long long)replay->differenceStep,
               replay->differenceTime, replay->difference.message);
    }
}

static int spReplayScene(spReplay* replay, const spReplayOptions* options)
{
    spError error = SP_ZERO_INIT;
    spScene* scene = spReadReplayScene(replay, options, &error);
    spRunDef def = spDefaultRunDef();
    def.dt = replay->play.dt;
    def.stepCount = spRecording_GetRowCount(replay->recording) - 1;
    def.threadCount = options->threads;
    def.laneCount = options->lanes;
    def.live = replay->play.live;
    def.untangle = replay->play.untangle;
    replay->run = scene != NULL ? spCreateRun(scene, &def, &error) : NULL;
    int code = SP_EXIT_USAGE;
    if (replay->run == NULL)
    {
        spFailFile(options->recordingPath, &error);
    }
    else if (spListReplayBodies(replay))
    {
        replay->same = true;
        spCatchInterrupt();
        spPlayAgain(replay, options);
        spTellReplay(replay, options);
        code = !replay->same ? SP_EXIT_TROUBLE : spIsInterrupted() ? SP_EXIT_INTERRUPTED : SP_EXIT_FINE;
    }
    free(replay->bodies);
    free(replay->decisions);
    spDestroyRun(replay->run);
    spDestroyScene(scene);
    return code;
}

int spRunReplay(int argc, char** argv)
{
    spReplayOptions options = {0};
    const spOption table[] = {
        {"folder", sp_optionText, "DIR", &options.folder,
         "where the meshes of the scene are now, by default where they were", 0, 0, 0},
        {"threads", sp_optionInteger, "COUNT", &options.threads,
         "threads that work on a step, by default as many as the scene says", 1, SP_MAX_WORKERS, 0},
        {"lanes", sp_optionInteger, "LANES", &options.lanes,
         "lanes of the kernels: 1, 4, 8 or 16; by default the most that the processor has", 1, 16, 0},
        {"json", sp_optionFlag, NULL, &options.json, "print one JSON object instead of words", 0, 0, 0},
        {"quiet", sp_optionFlag, NULL, &options.quiet, "print nothing but errors", 0, 0, 'q'},
    };
    static const char* const examples[] = {
        "souple replay out/demo/demo.souple",
        "souple replay out/demo/demo.souple --threads 2 --json",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple replay RECORDING [options]",
        .description = "Plays the scene of a recording again, step by step, with what hands did and the "
                       "clock decided then, and compares\n"
                       "the state at every frame. Says whether all bits are the same, or where they first "
                       "differ.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
        .trouble = "the run has other bits than the recording",
    };
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, &options.recordingPath, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spError error = SP_ZERO_INIT;
    spRecording* recording = spLoadRecording(options.recordingPath, NULL, &error);
    if (recording == NULL)
    {
        return spFailFile(options.recordingPath, &error);
    }
    spReplay replay = {.recording = recording};
    code = spCheckReplay(&replay, options.recordingPath);
    code = code == SP_GO_ON ? spReplayScene(&replay, &options) : code;
    spDestroyRecording(recording);
    return code;
}
