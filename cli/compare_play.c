// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Playing a scene for a comparison: where the nodes are at given times, what it cost, how far two such tracks
// are apart. Between two steps nodes follow the cubic through their positions and velocities, so that any
// step can be compared with any other.

#include "compare.h"

#include "souple/souple.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// A body is at rest when its kinetic energy stays below this share of the largest it had, for so many frames
#define SP_REST_SHARE 1e-6
#define SP_REST_FRAMES 10

// A time that is nearer to a step than this part of it needs no state before the step
#define SP_TIME_TOLERANCE 1e-3

// ---------------------------------------------------------------------------------------------------------
// Tracks

static bool spCreateTrack(spTrack* track, spWorld* world, int frameCount)
{
    int count = spWorld_GetBodyCount(world);
    spBodyId* ids = calloc((size_t)count + 1, sizeof(spBodyId));
    track->firstNodes = calloc((size_t)count + 1, sizeof(int));
    if (ids == NULL || track->firstNodes == NULL)
    {
        free(ids);
        return false;
    }
    track->bodyCount = spWorld_GetBodies(world, ids, count);
    for (int i = 0; i < track->bodyCount; ++i)
    {
        track->firstNodes[i + 1] = track->firstNodes[i] + spBody_GetNodeCount(world, ids[i]);
    }
    free(ids);
    track->nodeCount = track->firstNodes[track->bodyCount];
    track->frameCount = frameCount;
    track->x = calloc((size_t)frameCount * (size_t)track->nodeCount + 1, sizeof(spVec3));
    track->energy = calloc((size_t)frameCount, sizeof(double));
    track->kinetic = calloc((size_t)frameCount, sizeof(double));
    return track->x != NULL && track->energy != NULL && track->kinetic != NULL;
}

static void spFreeTrack(spTrack* track)
{
    free(track->firstNodes);
    free(track->x);
    free(track->energy);
    free(track->kinetic);
    *track = (spTrack){0};
}

// The state of a world between steps
typedef struct spState
{
    spVec3* x;
    spVec3* v;
    double energy, kinetic;
} spState;

static bool spKeepState(const spTrack* track, spWorld* world, spState* state)
{
    spBodyId* ids = calloc((size_t)track->bodyCount + 1, sizeof(spBodyId));
    if (ids == NULL)
    {
        return false;
    }
    state->energy = state->kinetic = 0.0;
    spWorld_GetBodies(world, ids, track->bodyCount);
    for (int i = 0; i < track->bodyCount; ++i)
    {
        int first = track->firstNodes[i], count = track->firstNodes[i + 1] - first;
        spEnergy energy = spBody_GetEnergy(world, ids[i]);
        spBody_CopyPositions(world, ids[i], state->x + first, count);
        if (state->v != NULL)
        {
            spBody_CopyVelocities(world, ids[i], state->v + first, count);
        }
        state->energy += energy.kinetic + energy.elastic + energy.potential;
        state->kinetic += energy.kinetic;
    }
    free(ids);
    return true;
}

bool spKeepFrame(spTrack* track, spWorld* world, int frameCount, int frame)
{
    if (track->x == NULL && spCreateTrack(track, world, frameCount) == false)
    {
        return false;
    }
    spState state = {.x = track->x + (size_t)frame * (size_t)track->nodeCount};
    bool good = spKeepState(track, world, &state);
    track->energy[frame] = state.energy;
    track->kinetic[frame] = state.kinetic;
    return good;
}

// A frame inside a step of length h that ended in `after`: the share s of the step, 0..1, has passed. A share
// of nearly one needs no state before.
static void spInterpolateFrame(spTrack* track, int frame, const spState* before, const spState* after,
                               double h, double s)
{
    spVec3* x = track->x + (size_t)frame * (size_t)track->nodeCount;
    bool near = fabs(s - 1.0) <= SP_TIME_TOLERANCE;
    double a = (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s), b = s * (1.0 - s) * (1.0 - s) * h;
    double c = s * s * (3.0 - 2.0 * s), d = s * s * (s - 1.0) * h;
    for (int i = 0; i < track->nodeCount; ++i)
    {
        const spReal* x1 = &after->x[i].x;
        const spReal* v1 = &after->v[i].x;
        for (int k = 0; k < 3; ++k)
        {
            double value = near ? (double)x1[k] + (s - 1.0) * h * (double)v1[k]
                                : a * (double)(&before->x[i].x)[k] + b * (double)(&before->v[i].x)[k] +
                                      c * (double)x1[k] + d * (double)v1[k];
            (&x[i].x)[k] = (spReal)value;
        }
    }
    track->energy[frame] = near ? after->energy : (1.0 - s) * before->energy + s * after->energy;
    track->kinetic[frame] = near ? after->kinetic : (1.0 - s) * before->kinetic + s * after->kinetic;
}

// ---------------------------------------------------------------------------------------------------------
// Playing

// Times of steps, which grow as needed
typedef struct spTimes
{
    double* data;
    int64_t count, capacity;
} spTimes;

static bool spAddTime(spTimes* times, double seconds)
{
    if (times->count == times->capacity)
    {
        int64_t capacity = times->capacity > 0 ? 2 * times->capacity : 1024;
        double* grown = realloc(times->data, (size_t)capacity * sizeof(double));
        if (grown == NULL)
        {
            return false;
        }
        times->data = grown;
        times->capacity = capacity;
    }
    times->data[times->count++] = seconds;
    return true;
}

// One step, timed and counted. Returns false when there is no memory.
static bool spTakeStep(spRun* run, spEntry* entry, spTimes* times)
{
    double start = spGetProcessorClock();
    uint32_t flags = spRun_Step(run);
    double seconds = spGetProcessorClock() - start;
    spStepReport report = spWorld_GetReport(spRun_GetWorld(run));
    entry->steps += 1;
    entry->processorSeconds += seconds;
    entry->forceEvaluations += report.forceEvaluations;
    entry->solverIterations += report.solverIterations;
    entry->solverResidual = fmax(entry->solverResidual, report.solverResidual);
    entry->flags |= flags;
    if ((flags & sp_stepNonFinite) != 0 && entry->stopped == false)
    {
        entry->stopped = true;
        entry->stopTime = spRun_GetTime(run);
    }
    return spAddTime(times, seconds);
}

static void spShowEntry(spComparison* comparison, const spEntry* entry, double time)
{
    char text[96];
    snprintf(text, sizeof(text), "%.40s, %.3g ms, ", entry->method, 1e3 * entry->dt);
    double done = time / comparison->duration;
    spShowBar(&comparison->bar, comparison->share + comparison->part * done, text);
}

// To the last time of comparison
static bool spPlayTrack(spComparison* comparison, spEntry* entry, spRun* run, spTimes* times,
                        spState states[2])
{
    spWorld* world = spRun_GetWorld(run);
    double dt = spRun_GetTimeStep(run);
    for (int frame = 1;
         frame < comparison->frameCount && entry->stopped == false && spIsInterrupted() == false;)
    {
        double before = spRun_GetTime(run), due = comparison->times[frame];
        if (due < before + (1.0 - SP_TIME_TOLERANCE) * dt &&
            spKeepState(&entry->track, world, &states[0]) == false)
        {
            return false;
        }
        if (spTakeStep(run, entry, times) == false)
        {
            return false;
        }
        double now = spRun_GetTime(run);
        if (now <= before)
        {
            break; // a step that covers no time never will
        }
        double limit = now + SP_TIME_TOLERANCE * dt;
        if (due <= limit && spKeepState(&entry->track, world, &states[1]) == false)
        {
            return false;
        }
        for (; frame < comparison->frameCount && comparison->times[frame] <= limit; ++frame)
        {
            double share = (comparison->times[frame] - before) / (now - before);
            spInterpolateFrame(&entry->track, frame, &states[0], &states[1], now - before, share);
        }
        spShowEntry(comparison, entry, now);
    }
    return true;
}

// Until everything is at rest, or the scene is over
static bool spPlayToRest(spComparison* comparison, spEntry* entry, spRun* run, spTimes* times)
{
    spWorld* world = spRun_GetWorld(run);
    double frameTime = 1.0 / spScene_GetOutput(comparison->scene).frameRate;
    double next = frameTime, most = 0.0;
    int still = 0;
    while (spRun_IsDone(run) == false && entry->stopped == false && spIsInterrupted() == false)
    {
        if (spTakeStep(run, entry, times) == false)
        {
            return false;
        }
        if (spRun_GetTime(run) >= next)
        {
            next += frameTime;
            if (spKeepFrame(&entry->track, world, 2, 1) == false)
            {
                return false;
            }
            double kinetic = entry->track.kinetic[1];
            most = fmax(most, kinetic);
            still = kinetic <= SP_REST_SHARE * most ? still + 1 : 0;
            entry->settled = still >= SP_REST_FRAMES;
            if (entry->settled && comparison->mayEndEarly)
            {
                break;
            }
        }
        spShowEntry(comparison, entry, spRun_GetTime(run));
    }
    return spKeepFrame(&entry->track, world, 2, 1);
}

spRun* spStartEntry(const spComparison* comparison, const spEntry* entry, spScene** scene, spError* error)
{
    bool own = strcmp(entry->method, "scene") != 0;
    *scene = own ? spCopySceneWithMethod(comparison->scene, entry->method, NULL, error) : NULL;
    if (own && *scene == NULL)
    {
        return NULL;
    }
    spRunDef def = spDefaultRunDef();
    def.dt = entry->dt;
    def.duration = comparison->duration;
    def.threadCount = comparison->threads;
    def.laneCount = comparison->lanes;
    spRun* run = spCreateRun(own ? *scene : comparison->scene, &def, error);
    if (run == NULL && own)
    {
        error->line = error->column = 0; // of a text that nobody has seen
    }
    return run;
}

bool spPlayEntry(spComparison* comparison, spEntry* entry, spError* error)
{
    spScene* scene = NULL;
    spRun* run = spStartEntry(comparison, entry, &scene, error);
    if (run == NULL)
    {
        spDestroyScene(scene);
        return false;
    }
    spTimes times = {0};
    spState states[2] = {{0}};
    int frameCount = comparison->settle ? 2 : comparison->frameCount;
    bool good = spKeepFrame(&entry->track, spRun_GetWorld(run), frameCount, 0);
    entry->dt = spRun_GetTimeStep(run);
    for (int i = 0; i < 2 && good; ++i)
    {
        states[i].x = calloc((size_t)entry->track.nodeCount + 1, sizeof(spVec3));
        states[i].v = calloc((size_t)entry->track.nodeCount + 1, sizeof(spVec3));
        good = states[i].x != NULL && states[i].v != NULL;
    }
    good = good && (comparison->settle ? spPlayToRest(comparison, entry, run, &times)
                                       : spPlayTrack(comparison, entry, run, &times, states));
    if (good == false)
    {
        snprintf(error->message, sizeof(error->message), "no memory for what \"%.100s\" does", entry->method);
    }
    if (times.count > 0)
    {
        spSortNumbers(times.data, times.count);
        entry->medianStep = times.data[times.count / 2];
    }
    entry->simulatedSeconds = spRun_GetTime(run);
    for (int i = 0; i < 2; ++i)
    {
        free(states[i].x);
        free(states[i].v);
    }
    free(times.data);
    spDestroyRun(run);
    spDestroyScene(scene);
    return good;
}

void spFreeEntry(spEntry* entry)
{
    spFreeTrack(&entry->track);
    free(entry->difference.bodyError);
    entry->difference.bodyError = NULL;
}

// ---------------------------------------------------------------------------------------------------------
// Differences

static double spGetSquare(spVec3 a, spVec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return x * x + y * y + z * z;
}

double spGetSize(const spTrack* track, int body)
{
    int first = body < 0 ? 0 : track->firstNodes[body];
    int end = body < 0 ? track->nodeCount : track->firstNodes[body + 1];
    double most = 0.0;
    for (int frame = 1; frame < track->frameCount; ++frame)
    {
        const spVec3* x = track->x + (size_t)frame * (size_t)track->nodeCount;
        for (int i = first; i < end; ++i)
        {
            most = fmax(most, spGetSquare(x[i], track->x[i]));
        }
    }
    return sqrt(most);
}

void spCompareEntries(const spEntry* reference, const spEntry* entry, spDifference* difference)
{
    const spTrack* a = &reference->track;
    const spTrack* b = &entry->track;
    int bodyCount = b->bodyCount;
    if (difference->bodyError == NULL)
    {
        difference->bodyError = calloc((size_t)bodyCount + 1, sizeof(double));
    }
    double size = spGetSize(a, -1), sum = 0.0, most = 0.0;
    bool same = a->nodeCount == b->nodeCount && a->frameCount == b->frameCount && entry->stopped == false;
    for (int body = 0; body < bodyCount; ++body)
    {
        double bodySum = 0.0;
        int first = b->firstNodes[body], end = b->firstNodes[body + 1];
        for (int frame = 1; same && frame < b->frameCount; ++frame)
        {
            size_t offset = (size_t)frame * (size_t)b->nodeCount;
            for (int i = first; i < end; ++i)
            {
                double square = spGetSquare(a->x[offset + (size_t)i], b->x[offset + (size_t)i]);
                bodySum += square;
                most = fmax(most, square);
            }
        }
        sum += bodySum;
        // A body that hardly moves has no size of its own
        double bodySize = fmax(spGetSize(a, body), 1e-6 * size);
        double values = fmax((double)(end - first) * (b->frameCount - 1), 1.0);
        if (difference->bodyError != NULL)
        {
            difference->bodyError[body] = same ? sqrt(bodySum / values) / bodySize : (double)NAN;
        }
    }
    double kinetic = 0.0, drift = 0.0;
    for (int frame = 0; same && frame < b->frameCount; ++frame)
    {
        double change = b->energy[frame] - a->energy[frame];
        kinetic = fmax(kinetic, a->kinetic[frame]);
        drift = fabs(change) > fabs(drift) ? change : drift;
    }
    difference->error = same ? sqrt(sum / ((double)b->nodeCount * (b->frameCount - 1))) / size : (double)NAN;
    difference->largest = same ? sqrt(most) / size : (double)NAN;
    difference->drift = same && kinetic > 0.0 ? drift / kinetic : (double)NAN;
}
