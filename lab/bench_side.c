// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What benchmarks with another engine beside ours share: times of steps, and the height of a free end.

#include "bench.h"
#include "cli/tools.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool spAllocateSide(spBenchSide* side, int stepCount, int tipCount)
{
    *side = (spBenchSide){0};
    side->wall = malloc(((size_t)stepCount * 5 + (size_t)tipCount) * sizeof(double));
    if (side->wall == NULL)
    {
        return false;
    }
    side->processor = side->wall + stepCount;
    side->solve = side->processor + stepCount;
    side->elementSolve = side->solve + stepCount;
    side->elementAssemble = side->elementSolve + stepCount;
    side->tip = side->elementAssemble + stepCount;
    return true;
}

void spFreeSide(spBenchSide* side)
{
    free(side->wall);
    *side = (spBenchSide){0};
}

void spAddTimes(spBenchSide* side, double wallStart, double processorStart)
{
    side->processor[side->stepCount] = 1e3 * (spGetProcessorClock() - processorStart);
    side->wall[side->stepCount] = 1e3 * (spGetClock() - wallStart);
}

void spAddSolve(spBenchSide* side, int elements, int iterations, double residual, double solveSeconds,
                double assembleSeconds)
{
    side->solve[side->stepCount] = 1e3 * solveSeconds;
    side->elementSolve[side->stepCount] = 1e9 * solveSeconds / (fmax(iterations, 1.0) * elements);
    side->elementAssemble[side->stepCount] = 1e9 * assembleSeconds / elements;
    side->iterations += iterations;
    side->residual = fmax(side->residual, residual);
    side->stepCount += 1;
}

void spSummarizeSide(spBenchSide* side)
{
    if (side->stepCount > 0)
    {
        side->wallTimes = spSummarizeTimes(side->wall, side->stepCount);
        side->processorTimes = spSummarizeTimes(side->processor, side->stepCount);
        side->solveMs = spSummarizeTimes(side->solve, side->stepCount).median;
        side->nsPerElementIteration = spSummarizeTimes(side->elementSolve, side->stepCount).median;
        side->assembleNsPerElement = spSummarizeTimes(side->elementAssemble, side->stepCount).median;
    }
}

double spGetTipHeight(const spTestWorld* test, spTipNodes nodes)
{
    spVec3View x = spBody_GetPositions(test->world, test->body);
    double sum = 0.0;
    for (int i = 0; i < nodes.count; ++i)
    {
        sum += (double)x.data[nodes.first + i * nodes.stride].y;
    }
    return sum / nodes.count;
}

double spGetPeerTipHeight(const spPeer* peer, spTipNodes nodes)
{
    double sum = 0.0;
    for (int i = 0; i < nodes.count; ++i)
    {
        sum += spGetPeerHeight(peer, nodes.first + i * nodes.stride);
    }
    return sum / nodes.count;
}

// Largest difference of the tips in any step over the largest tip
static double spGetTipDifference(const spBenchSide* ours, const spBenchSide* peer, int tipCount)
{
    double difference = 0.0, largest = 0.0;
    for (int i = 0; i < tipCount; ++i)
    {
        difference = fmax(difference, fabs(ours->tip[i] - peer->tip[i]));
        largest = fmax(largest, fabs(peer->tip[i]));
    }
    return difference / largest;
}

json_t* spMakeTimesJson(const spBenchTimes* times)
{
    json_t* json = json_object();
    json_object_set_new(json, "median", json_real(times->median));
    json_object_set_new(json, "mean", json_real(times->mean));
    json_object_set_new(json, "p95", json_real(times->p95));
    json_object_set_new(json, "best", json_real(times->best));
    return json;
}

void spJudgeResult(spBenchRun* run, spSideResult* result, bool ours, uint32_t bad)
{
    if (ours == false && result->error.message[0] == 0)
    {
        snprintf(result->error.message, sizeof(result->error.message), "there is not enough memory");
    }
    if ((result->flags & bad) != 0)
    {
        snprintf(result->error.message, sizeof(result->error.message),
                 "the body did not stay stable: its times mean nothing");
        ours = false;
    }
    if (ours == false)
    {
        spFailBench(run, result->name, result->error.message);
    }
    result->ran = ours && result->ours.stepCount > 0;
    spSummarizeSide(&result->ours);
}

// Completes what a row told with the times and tips of all steps
static json_t* spCompleteSide(json_t* json, const spBenchSide* side, int tipCount)
{
    json_t* tip = json_array();
    for (int i = 0; i < tipCount; ++i)
    {
        json_array_append_new(tip, spMakeJsonNumber(side->tip[i]));
    }
    json_object_set_new(json, "msPerStep", spMakeTimesJson(&side->wallTimes));
    json_object_set_new(json, "processorMsPerStep", spMakeTimesJson(&side->processorTimes));
    json_object_set_new(json, "tip", tip);
    return json;
}

json_t* spMakeSideJson(const spSideResult* result, json_t* told, int tipCount)
{
    json_t* json = told != NULL ? spCompleteSide(told, &result->ours, tipCount) : json_object();
    json_object_set_new(json, "name", json_string(result->name));
    json_object_set_new(json, "threads", json_integer(result->threads));
    json_object_set_new(json, "nodes", json_integer(result->nodes));
    json_object_set_new(json, "elements", json_integer(result->elements));
    if (result->ran)
    {
        json_object_set_new(json, "flags", json_integer(result->flags));
    }
    else
    {
        json_object_set_new(json, "error", json_string(result->error.message));
    }
    return json;
}

json_t* spMakePeerJson(spBenchRun* run, const spSideResult* result, const spBenchSide* peer,
                       const char* engine, json_t* told, int tipCount)
{
    double ratio = NAN, difference = NAN;
    if (result->ran)
    {
        ratio = result->ours.processorTimes.median / peer->processorTimes.median;
        difference = spGetTipDifference(&result->ours, peer, tipCount);
    }
    if (result->ran && run->json == false)
    {
        printf("%-24s ours over %s's processor time: %.4f; tips differ by %.2f %% at most\n", result->name,
               engine, ratio, 100.0 * difference);
        fflush(stdout);
    }
    json_t* json = spCompleteSide(told, peer, tipCount);
    json_object_set_new(json, "name", json_string("Bullet"));
    json_object_set_new(json, "version", json_string(spGetPeerVersion()));
    json_object_set_new(json, "ratio", spMakeJsonNumber(ratio));
    json_object_set_new(json, "tipDifference", spMakeJsonNumber(difference));
    return json;
}
