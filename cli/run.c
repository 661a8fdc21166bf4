// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple run: plays a scene, records it, exports the recording, and says what happened.

#include "body_notes.h"
#include "commands.h"
#include "options.h"
#include "report_tools.h"
#include "solver_notes.h"
#include "souple/element.h"
#include "souple/scene.h"
#include "tools.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct spRunOptions
{
    const char* scenePath;
    double duration, dt;
    int steps, threads, lanes;
    const char* out;
    const char* report; // file, "" for one in the folder; NULL for none
    const char* exportList;
    unsigned formats;
    const char* colour;
    double budget; // ms
    bool json, quiet, velocities, stress, live, untangle;
    spWarningList warnings;
    int argc;
    char** argv;
} spRunOptions;

// What happened in a run
typedef struct spRunResult
{
    int64_t steps;
    double simulatedSeconds, wallSeconds;
    double* stepTimes; // ms of each step
    int64_t stepCapacity;
    uint32_t flags;
    int64_t flagCounts[32];
    int mostSubsteps;
    double leastStableStep; // s
    spSolverNotes* solvers; // of each body
    int bodyCount;
    int firstFrameError;
    bool interrupted;
    bool notRelaxed;   // a body did not come to its equilibrium
    int64_t lateSteps; // live: steps that ended after the time that they lead to
    char recordingPath[4096];
    bool passing; // the recording is there for the report alone
} spRunResult;

static void spNoteStep(spRunResult* result, uint32_t flags, double milliseconds)
{
    if (result->steps == result->stepCapacity)
    {
        int64_t capacity = result->stepCapacity > 0 ? 2 * result->stepCapacity : 1024;
        double* grown = realloc(result->stepTimes, (size_t)capacity * sizeof(double));
        if (grown != NULL)
        {
            result->stepTimes = grown;
            result->stepCapacity = capacity;
        }
    }
    if (result->steps < result->stepCapacity)
    {
        result->stepTimes[result->steps] = milliseconds;
    }
    result->steps += 1;
    result->flags |= flags;
    for (int i = 0; i < SP_FLAG_WORD_COUNT; ++i)
    {
        result->flagCounts[i] += (flags & g_flagWords[i].flag) != 0;
    }
}

// After sorting: the time that a share of the steps stays within
static double spGetPercentile(const spRunResult* result, double share)
{
    int64_t count = result->steps < result->stepCapacity ? result->steps : result->stepCapacity;
    int64_t rank = (int64_t)ceil(share * (double)count) - 1;
    return count > 0 ? result->stepTimes[rank < 0 ? 0 : rank] : 0.0;
}

// ---------------------------------------------------------------------------------------------------------
// Playing

// Wall clock that a step of a live run has, s
static double spGetBudget(const spRunOptions* options, const spRun* run)
{
    return options->budget > 0.0 ? 1e-3 * options->budget : spRun_GetTimeStep(run);
}

static spRecorder* spStartRecorder(const spRunOptions* options, const spScene* scene, spRun* run,
                                   spRunResult* result, spError* error)
{
    char stem[256];
    spGetStem(stem, sizeof(stem), options->scenePath);
    size_t size = sizeof(result->recordingPath);
    result->passing = options->out == NULL;
    bool fits = result->passing ? snprintf(result->recordingPath, size, "%s.%ld.part.souple", options->report,
                                           (long)getpid()) < (int)size
                                : spMakeFileName(result->recordingPath, size, options->out, stem, ".souple");
    if (fits == false)
    {
        snprintf(error->message, sizeof(error->message), "the name of the folder is too long");
        return NULL;
    }
    int count = spRun_GetMeasurementCount(run);
    const char** names = calloc((size_t)count + 1, sizeof(char*));
    const char** units = calloc((size_t)count + 1, sizeof(char*));
    spRecorder* recorder = NULL;
    if (names == NULL || units == NULL)
    {
        snprintf(error->message, sizeof(error->message), "out of memory");
    }
    else
    {
        for (int i = 0; i < count; ++i)
        {
            names[i] = spRun_GetMeasurementName(run, i);
            units[i] = spRun_GetMeasurementUnit(run, i);
        }
        spSceneOutput output = spScene_GetOutput(scene);
        spCamera camera = {output.cameraPosition, output.cameraTarget, output.cameraUp, output.fieldOfView};
        spRecorderDef def = spDefaultRecorderDef();
        def.path = result->recordingPath;
        def.sceneText = spScene_GetText(scene, NULL);
        def.measurementNames = names;
        def.measurementUnits = units;
        def.measurementCount = count;
        spPictureColor color = output.pictureColor;
        if (options->colour != NULL)
        {
            spParseColour(options->colour, &color);
        }
        bool ofTets = options->stress || (options->formats & sp_exportVtu) != 0;
        // Who reads a report chooses the colour
        bool reported = options->report != NULL;
        def.storeVelocities = options->velocities || color == sp_colorVelocity || reported;
        def.storeStress = ofTets || color == sp_colorStress || reported;
        def.storeStrain = color == sp_colorStrain || reported;
        def.storeModulus = color == sp_colorModulus || reported;
        def.storeLevels = color == sp_colorLevel || reported;
        def.storeRegions = color == sp_colorRegion || reported;
        def.storeTetStates = ofTets;
        def.storeContacts = output.contacts || color == sp_colorPressure || reported;
        def.camera = output.hasCamera ? &camera : NULL;
        spPlayInfo play = {.scenePath = options->scenePath,
                           .dt = spRun_GetTimeStep(run),
                           .budget = options->live ? spGetBudget(options, run) : 0.0,
                           .live = options->live,
                           .untangle = options->untangle};
        def.play = &play;
        recorder = spCreateRecorder(spRun_GetWorld(run), &def, error);
    }
    free(names);
    free(units);
    return recorder;
}

static void spShowRun(spBar* bar, spRun* run, const spRunResult* result)
{
    char text[96];
    double spent = spGetSeconds() - bar->start;
    double end = (double)spRun_GetStepCount(run) * spRun_GetTimeStep(run);
    snprintf(text, sizeof(text), "%.2f of %.2f s, %.2gx real time, ", result->simulatedSeconds, end,
             result->simulatedSeconds / fmax(spent, 1e-9));
    spShowBar(bar, (double)result->steps / (double)spRun_GetStepCount(run), text);
}

// Waits until the wall clock is where the run is. `origin` is when the run began.
static void spKeepPace(double* origin, spRunResult* result)
{
    const double mostLag = 0.25;
    double ahead = *origin + result->simulatedSeconds - spGetSeconds();
    result->lateSteps += ahead < 0.0;
    if (ahead < -mostLag)
    {
        // Too far behind to catch up: slow motion from here on, not a rush later
        *origin -= ahead + mostLag;
    }
    while (ahead > 0.0 && !spIsInterrupted())
    {
        struct timespec pause = {(time_t)ahead, (long)(1e9 * (ahead - floor(ahead)))};
        nanosleep(&pause, NULL);
        ahead = *origin + result->simulatedSeconds - spGetSeconds();
    }
}

// The loop. A frame is recorded whenever its time has come, a row after every step.
static bool spPlay(spRun* run, spRecorder* recorder, double frameRate, const spRunOptions* options,
                   spRunResult* result)
{
    spWorld* world = spRun_GetWorld(run);
    spBar bar = spMakeBar("run ", !options->quiet && !options->json);
    double start = spGetSeconds(), origin = start;
    int64_t frame = 1;
    bool good = recorder == NULL || spRecorder_AddFrame(recorder, world, spRun_GetMeasurements(run));
    while (good && !spRun_IsDone(run) && !spIsInterrupted())
    {
        uint32_t flags = options->live ? spRun_StepBudget(run, spGetBudget(options, run)) : spRun_Step(run);
        spNoteStep(result, flags, spWorld_GetProfile(world).step);
        for (int i = 0; i < result->bodyCount; ++i)
        {
            spNoteSolver(&result->solvers[i], world, 1e-3 * spWorld_GetProfile(world).step);
        }
        spStepReport report = spWorld_GetReport(world);
        result->mostSubsteps =
            report.substepCount > result->mostSubsteps ? report.substepCount : result->mostSubsteps;
        result->leastStableStep = fmin(result->leastStableStep, report.stableStep);
        result->simulatedSeconds += (double)report.dtTaken;
        if ((flags & SP_RUN_EVENT_FAILED) != 0 && !options->quiet)
        {
            spError error = spRun_GetLastError(run);
            spClearBar(&bar);
            spFailFile(options->scenePath, &error);
        }
        if (recorder != NULL)
        {
            const double* values = spRun_GetMeasurements(run);
            // A state that was restored takes the clock with it
            frame = (int64_t)fmin((double)frame, floor(spRun_GetTime(run) * frameRate) + 1.0);
            bool due = spRun_GetTime(run) >= (double)frame / frameRate - 0.5 * spRun_GetTimeStep(run);
            good = due || spRun_IsDone(run) ? spRecorder_AddFrame(recorder, world, values)
                                            : spRecorder_AddMeasurements(recorder, world, values);
            while (due && (double)frame / frameRate <= spRun_GetTime(run) + 0.5 * spRun_GetTimeStep(run))
            {
                frame += 1;
            }
        }
        spShowRun(&bar, run, result);
        if (options->live)
        {
            spKeepPace(&origin, result);
        }
    }
    spClearBar(&bar);
    result->wallSeconds = spGetSeconds() - start;
    result->interrupted = spIsInterrupted();
    return good;
}

// ---------------------------------------------------------------------------------------------------------
// Telling

// What there is to say about the tets of a body
typedef struct spTetSummary
{
    int count;
    int inverted;
    int flat;
    spTetLaw law;       // of the first set
    bool restores;      // the laws of all sets
    double maxVonMises; // Pa
} spTetSummary;

static spTetSummary spSumTets(const spWorld* world, spBodyId id)
{
    spTetSummary summary = {.law = sp_tetLawCount, .restores = true};
    for (int set = 0; set < spBody_GetSetCount(world, id); ++set)
    {
        int count = spBody_GetTetCount(world, id, set);
        spTetState* states = calloc((size_t)count + 1, sizeof(spTetState));
        if (count == 0 || states == NULL)
        {
            free(states);
            continue;
        }
        spTetLaw law = spBody_GetTetLaw(world, id, set);
        summary.law = summary.count == 0 ? law : summary.law;
        summary.restores = summary.restores && spTetLawRestores(law);
        summary.count += spBody_CopyTetStates(world, id, set, states, count);
        for (int i = 0; i < count; ++i)
        {
            summary.maxVonMises = fmax(summary.maxVonMises, (double)states[i].vonMises);
        }
        free(states);
    }
    summary.inverted = spBody_CountInvertedTets(world, id);
    summary.flat = spBody_CountFlatTets(world, id);
    return summary;
}

// All bodies of a world; to be freed
static spBodyId* spListBodies(const spWorld* world, int* count)
{
    *count = spWorld_GetBodyCount(world);
    spBodyId* ids = calloc((size_t)*count + 1, sizeof(spBodyId));
    *count = ids != NULL ? spWorld_GetBodies(world, ids, *count) : 0;
    return ids;
}

static json_t* spMakeRelaxJson(const spRelaxResult* relax)
{
    json_t* json = json_object();
    json_object_set_new(json, "converged", json_boolean(relax->converged));
    json_object_set_new(json, "iterations", json_integer(relax->iterations));
    json_object_set_new(json, "residual", spMakeJsonNumber(relax->residual));
    json_object_set_new(json, "force", spMakeJsonNumber(relax->force));
    return json;
}

static json_t* spMakeBodiesJson(const spRun* run, spWorld* world, const spRunResult* result)
{
    json_t* list = json_array();
    int count = 0;
    spBodyId* ids = spListBodies(world, &count);
    for (int i = 0; i < count; ++i)
    {
        spTetSummary tets = spSumTets(world, ids[i]);
        spRelaxResult relax;
        spEnergy energy = spBody_GetEnergy(world, ids[i]);
        json_t* body = json_object();
        json_object_set_new(body, "name", json_string(spBody_GetName(world, ids[i])));
        json_object_set_new(body, "nodes", json_integer(spBody_GetNodeCount(world, ids[i])));
        json_object_set_new(body, "elements", json_integer(spBody_GetElementCount(world, ids[i])));
        json_object_set_new(body, "kineticEnergy", spMakeJsonNumber(energy.kinetic));
        json_object_set_new(body, "elasticEnergy", spMakeJsonNumber(energy.elastic));
        json_object_set_new(body, "potentialEnergy", spMakeJsonNumber(energy.potential));
        json_object_set_new(body, "volume", spMakeJsonNumber(spBody_GetVolume(world, ids[i])));
        json_object_set_new(body, "running", json_boolean(spBody_IsRunning(world, ids[i])));
        spMethodChoice choice = spBody_GetMethodChoice(world, ids[i]);
        json_object_set_new(body, "method", json_string(spGetMethodWord(choice.type)));
        if (choice.automatic)
        {
            json_object_set_new(body, "methodReason", json_string(choice.reason));
        }
        if (tets.count > 0)
        {
            json_object_set_new(body, "law", json_string(spGetTetLawName(tets.law)));
            json_object_set_new(body, "tets", json_integer(tets.count));
            json_object_set_new(body, "inverted", json_integer(tets.inverted));
            spInversionReport inversions = {0};
            spRun_GetInversions(run, spBody_GetName(world, ids[i]), &inversions);
            json_object_set_new(body, "mostInverted", json_integer(inversions.most));
            json_object_set_new(body, "flat", json_integer(tets.flat));
            json_object_set_new(body, "maxVonMises", spMakeJsonNumber(tets.maxVonMises));
        }
        if (spRun_GetRelaxResult(run, spBody_GetName(world, ids[i]), &relax))
        {
            json_object_set_new(body, "relax", spMakeRelaxJson(&relax));
        }
        json_t* solver = i < result->bodyCount ? spMakeSolverJson(&result->solvers[i]) : NULL;
        if (solver != NULL)
        {
            json_object_set_new(body, "solver", solver);
        }
        json_t* sweeps = i < result->bodyCount ? spMakeSweepsJson(&result->solvers[i]) : NULL;
        if (sweeps != NULL)
        {
            json_object_set_new(body, "sweeps", sweeps);
        }
        json_array_append_new(list, body);
    }
    free(ids);
    return list;
}

static void spFormatStatus(const spRunResult* result, char* buffer, size_t size)
{
    spFormatFlags(result->flags, buffer, size);
    if (result->notRelaxed)
    {
        size_t at = result->flags != 0 ? strlen(buffer) : 0;
        snprintf(buffer + at, size - at, "%snotRelaxed", at > 0 ? "," : "");
    }
}

static json_t* spMakeIntersectionsJson(spWorld* world)
{
    spIntersection found[SP_MAX_WARNINGS];
    int count = spWorld_FindIntersections(world, found, SP_MAX_WARNINGS);
    json_t* json = json_array();
    for (int i = 0; i < count && i < SP_MAX_WARNINGS; ++i)
    {
        json_t* entry = json_object();
        json_object_set_new(entry, "body", json_string(spBody_GetName(world, found[i].body)));
        json_object_set_new(entry, "otherBody", json_string(spBody_GetName(world, found[i].otherBody)));
        json_object_set_new(entry, "pairs", json_integer(found[i].pairCount));
        json_object_set_new(entry, "depth", spMakeJsonNumber((double)found[i].depth));
        json_object_set_new(entry, "volume", spMakeJsonNumber(found[i].volume));
        json_array_append_new(json, entry);
    }
    return json;
}

// Bodies that are inside each other at the end
static void spTellIntersections(spWorld* world)
{
    spIntersection found[SP_MAX_WARNINGS];
    int count = spWorld_FindIntersections(world, found, SP_MAX_WARNINGS);
    for (int i = 0; i < count && i < SP_MAX_WARNINGS; ++i)
    {
        bool self = SP_ID_EQUALS(found[i].body, found[i].otherBody);
        if (found[i].contained)
        {
            printf("At the end one of %s and %s is inside the other, %.3g m deep.\n",
                   spBody_GetName(world, found[i].body), spBody_GetName(world, found[i].otherBody),
                   (double)found[i].depth);
        }
        else
        {
            printf("At the end %d pairs of triangles of %s and %s intersect, up to %.3g m deep.\n",
                   found[i].pairCount, spBody_GetName(world, found[i].body),
                   self ? "itself" : spBody_GetName(world, found[i].otherBody), (double)found[i].depth);
        }
    }
}

static void spTellJson(const spRunOptions* options, const spScene* scene, spRun* run,
                       const spRunResult* result)
{
    spWorld* world = spRun_GetWorld(run);
    char status[200], hash[24];
    spFormatStatus(result, status, sizeof(status));
    snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)spWorld_GetStateHash(world));
    json_t* times = json_object();
    json_object_set_new(times, "median", spMakeJsonNumber(spGetPercentile(result, 0.5)));
    json_object_set_new(times, "p95", spMakeJsonNumber(spGetPercentile(result, 0.95)));
    json_object_set_new(times, "p99", spMakeJsonNumber(spGetPercentile(result, 0.99)));
    json_object_set_new(times, "max", spMakeJsonNumber(spGetPercentile(result, 1.0)));
    json_t* measurements = json_object();
    for (int i = 0; i < spRun_GetMeasurementCount(run); ++i)
    {
        json_object_set_new(measurements, spRun_GetMeasurementName(run, i),
                            spMakeJsonNumber(spRun_GetMeasurement(run, i)));
    }
    json_t* json = json_object();
    json_object_set_new(json, "scene", json_string(spScene_GetName(scene)));
    json_object_set_new(json, "file", json_string(options->scenePath));
    json_object_set_new(json, "steps", json_integer(result->steps));
    json_object_set_new(json, "dt", spMakeJsonNumber(spRun_GetTimeStep(run)));
    json_object_set_new(json, "stableStep", spMakeJsonNumber(result->leastStableStep));
    json_object_set_new(json, "substeps", json_integer(result->mostSubsteps));
    json_object_set_new(json, "threads", json_integer(spWorld_GetWorkerCount(world)));
    json_object_set_new(json, "simulatedSeconds", spMakeJsonNumber(result->simulatedSeconds));
    json_object_set_new(json, "wallSeconds", spMakeJsonNumber(result->wallSeconds));
    json_object_set_new(json, "msPerStep", times);
    if (options->live)
    {
        double wall = fmax(result->wallSeconds, 1e-9);
        json_t* live = json_object();
        json_object_set_new(live, "budgetMs", spMakeJsonNumber(1e3 * spGetBudget(options, run)));
        json_object_set_new(live, "framesPerSecond", spMakeJsonNumber((double)result->steps / wall));
        json_object_set_new(live, "realTime", spMakeJsonNumber(result->simulatedSeconds / wall));
        json_object_set_new(live, "lateSteps", json_integer(result->lateSteps));
        json_object_set_new(json, "live", live);
    }
    json_object_set_new(json, "stateHash", json_string(hash));
    json_object_set_new(json, "status", json_string(status));
    json_object_set_new(json, "interrupted", json_boolean(result->interrupted));
    json_object_set_new(json, "bodies", spMakeBodiesJson(run, world, result));
    json_object_set_new(json, "measurements", measurements);
    json_object_set_new(json, "intersections", spMakeIntersectionsJson(world));
    if (result->recordingPath[0] != 0 && result->passing == false)
    {
        json_object_set_new(json, "recording", json_string(result->recordingPath));
    }
    spPrintJson(json);
}

static void spTellBodies(spRun* run, const spRunResult* result)
{
    const spWorld* world = spRun_GetWorld(run);
    char note[SP_NOTE_SIZE];
    int count = 0;
    spBodyId* ids = spListBodies(world, &count);
    for (int i = 0; i < count; ++i)
    {
        const char* name = spBody_GetName(world, ids[i]);
        spTetSummary tets = spSumTets(world, ids[i]);
        spRelaxResult relax;
        if (spSayChoice(note, world, ids, count, i))
        {
            printf("%s\n", note);
        }
        if (spRun_GetRelaxResult(run, name, &relax))
        {
            printf("%s of %s %s after %d iterations, %.2g of the load left (%.3g N).\n",
                   relax.converged ? "Equilibrium" : "Trouble: the equilibrium", name,
                   relax.converged ? "found" : "was not found", relax.iterations, relax.residual,
                   relax.force);
        }
        if (i < result->bodyCount)
        {
            spTellSolver(&result->solvers[i], name);
            spTellSweeps(&result->solvers[i], name);
        }
        if (tets.count == 0)
        {
            continue;
        }
        printf("%s: %d tets (%s), %.3g Pa of von Mises stress at most, ", name, tets.count,
               spGetTetLawName(tets.law), tets.maxVonMises);
        printf("%.0d%s inside out", tets.inverted, tets.inverted == 0 ? "none" : "");
        if (tets.flat > 0)
        {
            printf(", %d flat (below %g of their volume: stress is told with a limit)", tets.flat,
                   (double)SP_FLAT_VOLUME_RATIO);
        }
        printf(".\n");
        if (spSayInversions(note, run, name))
        {
            printf("Trouble: %s\n", note);
        }
        if (!tets.restores)
        {
            printf("The law %s does not bring back tets that turn inside out: corotational, neoHookean and "
                   "mooneyRivlin do.\n",
                   spGetTetLawName(tets.law));
        }
    }
    free(ids);
}

static void spTellWords(const spRunOptions* options, const spScene* scene, spRun* run,
                        const spRunResult* result)
{
    spWorld* world = spRun_GetWorld(run);
    spStepReport report = spWorld_GetReport(world);
    int bodyCount = spScene_GetBodyCount(scene);
    printf("%s: %d %s with %d nodes and %d elements, %lld steps of %.3g ms, %.3g s simulated.\n",
           spScene_GetName(scene), bodyCount, bodyCount == 1 ? "body" : "bodies", report.nodeCount,
           report.elementCount, (long long)result->steps, 1e3 * spRun_GetTimeStep(run),
           result->simulatedSeconds);
    if (isfinite(result->leastStableStep))
    {
        printf("Steps are stable up to %.3g ms; the largest number of substeps in a step was %d.\n",
               1e3 * result->leastStableStep, result->mostSubsteps);
    }
    printf("It took %.3g s on %d %s, %.3g times as fast as real time; a step %.3g ms (median), %.3g ms at "
           "most.\n",
           result->wallSeconds, spWorld_GetWorkerCount(world),
           spWorld_GetWorkerCount(world) == 1 ? "thread" : "threads",
           result->simulatedSeconds / fmax(result->wallSeconds, 1e-9), spGetPercentile(result, 0.5),
           spGetPercentile(result, 1.0));
    if (options->live)
    {
        double wall = fmax(result->wallSeconds, 1e-9);
        printf("Live, with %.3g ms for a step: %.1f frames per second, %.3f simulated seconds in a second; "
               "%lld of %lld steps came late.\n",
               1e3 * spGetBudget(options, run), (double)result->steps / wall, result->simulatedSeconds / wall,
               (long long)result->lateSteps, (long long)result->steps);
    }
    for (int i = 0; i < spRun_GetMeasurementCount(run); ++i)
    {
        printf("  %-32s %12.6g %s\n", spRun_GetMeasurementName(run, i), spRun_GetMeasurement(run, i),
               spRun_GetMeasurementUnit(run, i));
    }
    spTellBodies(run, result);
    for (int i = 0; i < SP_FLAG_WORD_COUNT; ++i)
    {
        if (result->flagCounts[i] > 0)
        {
            printf("%s in %lld of %lld steps: %s.\n",
                   g_flagWords[i].flag == sp_stepMotionCut ? "The guarantee acted" : "Trouble",
                   (long long)result->flagCounts[i], (long long)result->steps, g_flagWords[i].meaning);
        }
    }
    spTellIntersections(world);
    if (result->interrupted)
    {
        printf("It was interrupted before its end%s.\n",
               options->out != NULL ? "; what was recorded is kept" : "");
    }
    if (result->recordingPath[0] != 0 && result->passing == false)
    {
        printf("Recording: %s\n", result->recordingPath);
    }
}

static int spExportRun(const spRunOptions* options, const spRunResult* result)
{
    spError error = SP_ZERO_INIT;
    spRecording* recording = spLoadRecording(result->recordingPath, NULL, &error);
    if (recording == NULL)
    {
        return spFailFile(result->recordingPath, &error);
    }
    char stem[256];
    spGetStem(stem, sizeof(stem), options->scenePath);
    spExportPlan plan = spMakeExportPlan();
    plan.folder = options->out;
    plan.name = stem;
    plan.formats = options->formats;
    plan.colour = options->colour;
    plan.quiet = options->quiet || options->json;
    int code = spExportRecording(recording, &plan);
    spDestroyRecording(recording);
    if (code == SP_EXIT_FINE && !plan.quiet)
    {
        printf("Exports (%s): %s\n", options->exportList, options->out);
    }
    return code;
}

static int spReportRun(const spRunOptions* options, spRun* run, const spRunResult* result)
{
    char stem[256], path[4096];
    spGetStem(stem, sizeof(stem), options->scenePath);
    if (options->report[0] == 0 && !spMakeFileName(path, sizeof(path), options->out, stem, ".html"))
    {
        return spFailUsage("the name of the folder is too long");
    }
    spReportPlan plan = {.path = options->report[0] != 0 ? options->report : path,
                         .run = run,
                         .warnings = &options->warnings,
                         .argc = options->argc,
                         .argv = options->argv,
                         .quiet = options->quiet || options->json};
    return spReportRecording(result->recordingPath, &plan);
}

// ---------------------------------------------------------------------------------------------------------
// The command

static int spParseRun(int argc, char** argv, spRunOptions* options)
{
    const spOption table[] = {
        {"duration", sp_optionNumber, "SECONDS", &options->duration,
         "simulated time in seconds instead of the scene's", 1e-9, 1e6, 0},
        {"steps", sp_optionInteger, "COUNT", &options->steps, "number of steps instead of a duration", 1, 1e8,
         0},
        {"dt", sp_optionNumber, "SECONDS", &options->dt, "time step in seconds instead of the scene's", 1e-9,
         10, 0},
        {"threads", sp_optionInteger, "COUNT", &options->threads,
         "threads that work on a step, by default as many as the scene says", 1, SP_MAX_WORKERS, 0},
        {"lanes", sp_optionInteger, "LANES", &options->lanes,
         "lanes of the kernels: 1, 4, 8 or 16; by default the most that the processor has", 1, 16, 0},
        {"untangle", sp_optionFlag, NULL, &options->untangle,
         "move bodies that start inside each other apart before the first step", 0, 0, 0},
        {"live", sp_optionFlag, NULL, &options->live,
         "as fast as the wall clock, each step within a budget of time", 0, 0, 0},
        {"budget", sp_optionNumber, "MS", &options->budget,
         "live: milliseconds that a step may take, instead of its time step", 1e-3, 1e6, 0},
        {"out", sp_optionText, "DIR", &options->out, "record to DIR/<scene>.souple; DIR is created", 0, 0,
         'o'},
        {"export", sp_optionText, "FORMATS", &options->exportList,
         "then export to DIR, as 'souple export' does: some of vtu,obj,png,csv,svg,sheet,mp4", 0, 0, 0},
        {"report", sp_optionMaybe, "FILE", &options->report,
         "leave a report that can be mailed, DIR/<scene>.html without FILE; with FILE it needs no --out", 0,
         0, 0},
        {"colour", sp_optionText, "COLOUR", &options->colour,
         "colour bodies in pictures by stress, strain, displacement, velocity, pressure, modulus, level, "
         "region or "
         "none, by default as the scene says",
         0, 0, 0},
        {"stress", sp_optionFlag, NULL, &options->stress, "record the stress of tets too", 0, 0, 0},
        {"velocities", sp_optionFlag, NULL, &options->velocities, "record velocities too", 0, 0, 0},
        {"json", sp_optionFlag, NULL, &options->json, "print one JSON object instead of words", 0, 0, 0},
        {"quiet", sp_optionFlag, NULL, &options->quiet, "print nothing but errors", 0, 0, 'q'},
    };
    static const char* const examples[] = {
        "souple run scenes/demo.json",
        "souple run scenes/demo.json --out out/demo --export png,csv",
        "souple run scenes/demo.json --steps=100 --threads 2 --json",
        "souple run scenes/tet_beam.json --out out/beam --export png,vtu --colour stress",
        "souple run scenes/implicit_beam.json --live --out out/live",
        "souple run scenes/demo.json --report=demo.html",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple run SCENE [options]",
        .description = "Plays a scene file to its end and says what happened. With --out it leaves a "
                       "recording, from which\n"
                       "'souple export' makes pictures, tables and meshes at any later time. Ctrl-C ends the "
                       "run and keeps what\n"
                       "was recorded.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
        .trouble = "a body turned non-finite, a step was unstable or not converged, an event failed, or an "
                   "equilibrium was not found",
    };
    int operandCount = 0;
    int result = spParseOptions(&usage, argc, argv, &options->scenePath, &operandCount);
    if (result != SP_GO_ON)
    {
        return result;
    }
    if (options->exportList != NULL)
    {
        if (options->out == NULL)
        {
            return spFailUsage("--export needs --out: where should the files go?");
        }
        options->formats = spParseFormats(options->exportList);
        if (options->formats == 0)
        {
            return SP_EXIT_USAGE;
        }
    }
    if (options->report != NULL)
    {
        if (options->report[0] == 0 && options->out == NULL)
        {
            return spFailUsage("where should the report go? Name a file, as in --report=report.html, or a "
                               "folder with --out");
        }
        result = spCheckReports();
        if (result != SP_GO_ON)
        {
            return result;
        }
    }
    spPictureColor color;
    if (options->colour != NULL && !spParseColour(options->colour, &color))
    {
        return SP_EXIT_USAGE;
    }
    if (options->budget > 0.0 && !options->live)
    {
        return spFailUsage("--budget needs --live: other runs take the time that they need");
    }
    if (options->steps > 0 && options->duration > 0.0)
    {
        return spFailUsage("--steps and --duration exclude each other");
    }
    return SP_GO_ON;
}

static void spTellUntangling(const spRunOptions* options, const spRun* run)
{
    spUntangleReport report;
    if (spRun_GetUntangleReport(run, &report) == false || options->quiet)
    {
        return;
    }
    if (report.tangledCount > 0)
    {
        fprintf(
            stderr,
            "souple run: untangling left %d pairs of bodies inside each other: %d pairs of triangles, %.3g m "
            "deep\n",
            report.tangledCount, report.pairCount, (double)report.depth);
    }
    else if (options->json == false)
    {
        printf("Untangled in %d rounds: %d bodies were moved, by %.3g m at most.\n", report.rounds,
               report.movedBodies, (double)report.moved);
    }
}

static int spPlayScene(const spRunOptions* options, const spScene* scene, spRun* run)
{
    spError error = SP_ZERO_INIT;
    spRunResult result = {.leastStableStep = INFINITY};
    spRecorder* recorder = NULL;
    if (options->out != NULL || options->report != NULL)
    {
        if (options->out != NULL && !spMakeFolders(options->out))
        {
            return spFailUsage("cannot make the folder %s: %s", options->out, strerror(errno));
        }
        recorder = spStartRecorder(options, scene, run, &result, &error);
        if (recorder == NULL)
        {
            if (result.passing)
            {
                remove(result.recordingPath);
            }
            return spFailFile(result.recordingPath, &error);
        }
    }
    int bodyCount = 0;
    spBodyId* ids = spListBodies(spRun_GetWorld(run), &bodyCount);
    for (int i = 0; i < bodyCount; ++i)
    {
        spRelaxResult relax;
        bool relaxed = spRun_GetRelaxResult(run, spBody_GetName(spRun_GetWorld(run), ids[i]), &relax);
        result.notRelaxed |= relaxed && !relax.converged;
    }
    result.solvers = calloc((size_t)bodyCount + 1, sizeof(spSolverNotes));
    result.bodyCount = result.solvers != NULL ? bodyCount : 0;
    for (int i = 0; i < result.bodyCount; ++i)
    {
        result.solvers[i].body = ids[i];
    }
    free(ids);
    spTellUntangling(options, run);
    spCatchInterrupt();
    spPlay(run, recorder, spScene_GetOutput(scene).frameRate, options, &result);
    // Steps that a budget cut short are what a live run is about
    uint32_t expected = options->live ? sp_stepDeadlineMissed | sp_stepSolverStopped : 0;
    // What the guarantee is there for
    expected |= sp_stepMotionCut;
    bool trouble = (result.flags & ~expected) != 0 || result.notRelaxed;
    int code = trouble ? SP_EXIT_TROUBLE : SP_EXIT_FINE;
    if (recorder != NULL && !spCloseRecorder(recorder, &error))
    {
        code = spFailFile(result.recordingPath, &error);
    }
    int64_t count = result.steps < result.stepCapacity ? result.steps : result.stepCapacity;
    spSortNumbers(result.stepTimes, (int)count);
    if (options->json)
    {
        spTellJson(options, scene, run, &result);
    }
    else if (!options->quiet)
    {
        spTellWords(options, scene, run, &result);
    }
    fflush(stdout);
    if (options->formats != 0 && !result.interrupted && code != SP_EXIT_USAGE)
    {
        int exportCode = spExportRun(options, &result);
        code = exportCode != SP_EXIT_FINE ? exportCode : code;
    }
    // A run that was ended early is worth a look too
    if (options->report != NULL && code != SP_EXIT_USAGE)
    {
        int reportCode = spReportRun(options, run, &result);
        code = reportCode != SP_EXIT_FINE ? reportCode : code;
    }
    if (result.passing)
    {
        remove(result.recordingPath);
    }
    free(result.stepTimes);
    free(result.solvers);
    return result.interrupted ? SP_EXIT_INTERRUPTED : code;
}

int spRunRun(int argc, char** argv)
{
    spRunOptions options = {.argc = argc, .argv = argv};
    int code = spParseRun(argc, argv, &options);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spError error = SP_ZERO_INIT;
    spScene* scene = spLoadScene(options.scenePath, NULL, &error);
    if (scene == NULL)
    {
        return spFailFile(options.scenePath, &error);
    }
    spRunDef def = spDefaultRunDef();
    def.dt = options.dt;
    def.duration = options.duration;
    def.stepCount = options.steps;
    def.threadCount = options.threads;
    def.laneCount = options.lanes;
    def.live = options.live;
    def.untangle = options.untangle;
    spRun* run = spCreateRun(scene, &def, &error);
    if (run == NULL)
    {
        spDestroyScene(scene);
        return spFailFile(options.scenePath, &error);
    }
    options.warnings = spListWarnings(run);
    if (!options.quiet)
    {
        spTellWarnings(&options.warnings, options.scenePath);
    }
    code = spPlayScene(&options, scene, run);
    spDestroyRun(run);
    spDestroyScene(scene);
    return code;
}
