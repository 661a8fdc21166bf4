// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Implicit benchmarks of souple bench: the cantilever of the workloads by backward Euler, in our engine and,
// when the build has it, in Bullet, on the same mesh and to the same residual. Both are measured in turns, so
// that what else the machine does falls on both. They are compared by processor time of all threads, which
// other programs disturb least.

#include "bench.h"
#include "cli/tools.h"
#include "peer.h"
#include "souple/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double youngModulus = 1e6; // Pa
static const double poissonRatio = 0.4;
static const double density = 1000.0; // kg/m^3
static const double gravity = 9.81;   // m/s^2
static const double tolerance = 1e-3;
static const double unreachable = 1e-30; // tolerance of runs that count iterations
static const int maxIterations = 10000;

// One benchmark at one number of threads
typedef struct spImplicitResult
{
    spSideResult base;
    spTipNodes tipNodes;
    int tipCount;          // steps of a run, warm-up included
    spSolverReport report; // ours, of the last step
} spImplicitResult;

// ---------------------------------------------------------------------------------------------------------
// Ours

// One run, its steps added to the result
static bool spRunOurs(const spBenchRun* run, const spBenchFamily* family, int size, spImplicitResult* result)
{
    spTestDef def = spDefaultTestDef();
    def.workerCount = result->base.threads;
    def.laneCount = run->lanes;
    def.method.type = sp_backwardEuler;
    def.method.substeps = family->substeps;
    def.method.solver.preconditioner = (spPreconditionerType)family->variant;
    def.method.solver.tolerance = (spReal)(family->iterations > 0 ? unreachable : tolerance);
    def.method.solver.maxIterations = family->iterations > 0 ? family->iterations : maxIterations;
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    tets.youngModulus = (spReal)youngModulus;
    tets.poissonRatio = (spReal)poissonRatio;
    spTestWorld test =
        family->iterations > 0 ? spBuildTetBlock(&def, size, &tets) : spBuildTetBeam(&def, size, &tets);
    if (test.world == NULL)
    {
        result->base.error = test.error;
        return false;
    }
    spBenchSide* side = &result->base.ours;
    double rest = spGetTipHeight(&test, result->tipNodes);
    for (int i = 0; i < result->tipCount; ++i)
    {
        double wallStart = spGetClock(), processorStart = spGetProcessorClock();
        result->base.flags |= spWorld_Step(test.world, (spReal)family->dt);
        if (i >= family->warmup)
        {
            spAddTimes(side, wallStart, processorStart);
            spSolverReport report = spBody_GetSolverReport(test.world, test.body);
            spAddSolve(side, result->base.elements, report.iterations, report.residual, report.solveSeconds,
                       report.assembleSeconds);
            side->buildSeconds = report.buildSeconds;
            result->report = report;
        }
        side->tip[i] = spGetTipHeight(&test, result->tipNodes) - rest;
    }
    result->base.hash = spWorld_GetStateHash(test.world);
    spDestroyTestWorld(&test);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// The other engine

static bool spRunPeer(const spBenchFamily* family, int size, const spMesh* mesh, spTipNodes tipNodes,
                      int tipCount, spBenchSide* side)
{
    spPeerDef def = {
        .vertices = &spMesh_GetVertices(mesh)->x,
        .vertexCount = spMesh_GetVertexCount(mesh),
        .tets = spMesh_GetTets(mesh),
        .tetCount = spMesh_GetTetCount(mesh),
        .fixedCount = (size + 1) * (size + 1),
        .youngModulus = youngModulus,
        .poissonRatio = poissonRatio,
        .density = density,
        .gravity = gravity,
        .tolerance = tolerance,
        .maxIterations = maxIterations,
    };
    spPeer* peer = spCreatePeer(&def);
    if (peer == NULL)
    {
        fprintf(stderr, "souple: %s%d: there is not enough memory for Bullet\n", family->stem, size);
        return false;
    }
    double rest = spGetPeerTipHeight(peer, tipNodes);
    for (int i = 0; i < tipCount; ++i)
    {
        double wallStart = spGetClock(), processorStart = spGetProcessorClock();
        spStepPeer(peer, family->dt);
        if (i >= family->warmup)
        {
            spAddTimes(side, wallStart, processorStart);
            spPeerReport report = spGetPeerReport(peer);
            spAddSolve(side, def.tetCount, report.iterations, report.residual, report.solveSeconds, 0.0);
        }
        side->tip[i] = spGetPeerTipHeight(peer, tipNodes) - rest;
    }
    spDestroyPeer(peer);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Side by side

static json_t* spTellSide(spBenchRun* run, const spImplicitResult* result, const spBenchSide* side,
                          const char* engine, int threads)
{
    bool ours = side == &result->base.ours;
    spHashText hash;
    spFormatHash(hash, result->base.hash);
    const spCell cells[] = {
        SP_TEXT_CELL(NULL, "name", -24, result->base.name),
        SP_TEXT_CELL(NULL, "engine", -8, engine),
        SP_WHOLE_CELL(NULL, "threads", 7, threads),
        SP_WHOLE_CELL(NULL, "nodes", 8, result->base.nodes),
        SP_WHOLE_CELL(NULL, "tets", 8, result->base.elements),
        SP_NUMBER_CELL("iterations", "iters", 7, "%.1f", side->iterations / side->stepCount),
        SP_NUMBER_CELL("residual", "residual", 9, "%.2e", side->residual),
        SP_NUMBER_CELL(NULL, "ms/step", 9, "%.3f", side->wallTimes.median),
        SP_NUMBER_CELL(NULL, "cpu ms", 9, "%.3f", side->processorTimes.median),
        SP_NUMBER_CELL(NULL, "cpu mean", 9, "%.3f", side->processorTimes.mean),
        SP_NUMBER_CELL("nsPerElementIteration", "ns/tet/it", 9, "%.3f", side->nsPerElementIteration),
        SP_NUMBER_CELL("millionElementIterationsPerSecond", "Mtet*it/s", 9, "%.1f",
                       1e3 / side->nsPerElementIteration),
        SP_NUMBER_CELL(ours ? "assembleNsPerElement" : NULL, "ns/tet", 8, "%.2f",
                       ours ? side->assembleNsPerElement : NAN),
        SP_NUMBER_CELL(NULL, "tip mm", 9, "%.3f", 1e3 * side->tip[result->tipCount - 1]),
        SP_TEXT_CELL(ours ? "stateHash" : NULL, "state hash", 0, ours ? hash : ""),
    };
    return spTellRow(&run->table, cells, SP_CELL_COUNT(cells));
}

static json_t* spTellImplicit(spBenchRun* run, const spImplicitResult* result, const spBenchSide* peer)
{
    const spBenchSide* ours = &result->base.ours;
    json_t* told = result->base.ran ? spTellSide(run, result, ours, "Souple", result->base.threads) : NULL;
    json_t* json = spMakeSideJson(&result->base, told, result->tipCount);
    if (result->base.ran)
    {
        json_object_set_new(json, "solveMs", json_real(ours->solveMs));
        json_object_set_new(json, "buildMs", json_real(1e3 * ours->buildSeconds));
        json_object_set_new(json, "operator", json_string(spGetOperatorWord(result->report.operatorType)));
        json_object_set_new(json, "preconditioner",
                            json_string(spGetPreconditionerWord(result->report.preconditioner)));
    }
    if (peer->stepCount > 0)
    {
        told = spTellSide(run, result, peer, "Bullet", 1);
        json_object_set_new(json, "peer",
                            spMakePeerJson(run, &result->base, peer, "Bullet", told, result->tipCount));
    }
    return json;
}

// Measures ours on one number of threads. The other engine has one thread: it is measured with the first
// number and its numbers stay for the others.
static void spRunThreads(spBenchRun* run, const spBenchFamily* family, int size, const spMesh* mesh,
                         int tipNodes, int threads, spBenchSide* peer)
{
    spImplicitResult result = {
        .base = {.threads = threads,
                 .nodes = spMesh_GetVertexCount(mesh),
                 .elements = spMesh_GetTetCount(mesh)},
        .tipNodes = {.first = spMesh_GetVertexCount(mesh) - tipNodes, .stride = 1, .count = tipNodes},
        .tipCount = family->warmup + family->steps,
    };
    spNameBenchmark(family, size, result.base.name, sizeof(result.base.name));
    bool ours = spAllocateSide(&result.base.ours, family->steps * run->repeat, result.tipCount);
    bool theirs = family->iterations == 0 && peer->stepCount == 0 && spGetPeerVersion()[0] != 0;
    for (int i = 0; i < run->repeat && (ours || theirs) && spIsInterrupted() == false; ++i)
    {
        ours = ours && spRunOurs(run, family, size, &result);
        theirs = theirs && spRunPeer(family, size, mesh, result.tipNodes, result.tipCount, peer);
    }
    // So many plain iterations do not solve the system: what they cost is asked, not what becomes of the body
    bool solves = family->iterations == 0;
    spJudgeResult(run, &result.base, ours, sp_stepNonFinite | (solves ? sp_stepUnstable : 0));
    spSummarizeSide(peer);
    json_array_append_new(run->results, spTellImplicit(run, &result, peer));
    spFreeSide(&result.base.ours);
}

void spRunImplicitBeam(spBenchRun* run, const spBenchFamily* family, int size)
{
    spError error = {0};
    int tipNodes = (size + 1) * (size + 1);
    spMesh* mesh =
        family->iterations > 0 ? spMakeBlockMesh(size, &tipNodes, &error) : spMakeBeamMesh(size, &error);
    spBenchSide peer;
    if (spAllocateSide(&peer, family->steps * run->repeat, family->warmup + family->steps) == false ||
        mesh == NULL)
    {
        char name[64];
        spNameBenchmark(family, size, name, sizeof(name));
        spFailBench(run, name, error.message);
    }
    else
    {
        for (int t = 0; t < run->threadCount && spIsInterrupted() == false; ++t)
        {
            spRunThreads(run, family, size, mesh, tipNodes, run->threads[t], &peer);
        }
    }
    spFreeSide(&peer);
    spDestroyMesh(mesh);
}
