// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// XPBD benchmarks of souple bench: plain sweeps of Gauss-Seidel over the beam and the cloth of the workloads,
// a fixed number in each step, timed with everything else in the step. Beams of tets run alone. Distances
// between nodes have Bullet's links beside them when the build has it: the same nodes, masses, pairs and
// pins, the pairs once in the order of the workloads and once in the order that Bullet makes for speed. All
// are measured in turns, so that what else the machine does falls on all, and compared by processor time.

#include "bench.h"
#include "cli/tools.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double youngModulus = 1e6; // Pa
static const double poissonRatio = 0.4;
static const double gravity = 9.81; // m/s^2
static const double peerBendShare =
    0.3;                         // of the error that Bullet's links against bending take away in a sweep
static const int earlyStep = 30; // after which the tip is told beside that of the last step

// Bullet's links in both orders
#define SP_PEER_COUNT 2
static const char* const s_peerNames[SP_PEER_COUNT] = {"Bullet", "Bullet sorted"};
static const char* const s_peerKeys[SP_PEER_COUNT] = {"peer", "sortedPeer"};

// What is stepped, as the other engine needs it
typedef struct spXpbdScene
{
    spMesh* mesh;
    spIndexList collected; // pairs of a beam
    const int32_t* pairs;  // whose distance is kept; NULL for tets
    int pairCount;
    int stretchCount; // the first so many are kept exactly
    double* masses;   // of all nodes, kg; 0 for fixed ones
    spTipNodes tipNodes;
    int tipCount; // steps of a run, warm-up included
} spXpbdScene;

// One benchmark at one number of threads
static bool spHasDistances(const spBenchFamily* family)
{
    return family->variant == sp_benchDistanceBeam || family->variant == sp_benchDistanceCloth;
}

static spTestWorld spBuildXpbd(const spBenchRun* run, const spBenchFamily* family, int size, int threads)
{
    spTestDef def = spDefaultTestDef();
    def.workerCount = threads;
    def.laneCount = run->lanes;
    def.method.type = sp_xpbd;
    def.method.substeps = family->substeps;
    def.method.xpbd.solver = sp_xpbdGaussSeidel;
    def.method.xpbd.accelerator = sp_accelerateNone;
    def.method.xpbd.iterations = family->iterations;
    if (family->variant == sp_benchDistanceCloth)
    {
        return spBuildDistanceCloth(&def, size);
    }
    if (family->variant == sp_benchDistanceBeam)
    {
        return spBuildDistanceBeam(&def, size);
    }
    def.method.xpbd.order = family->variant == sp_benchColourBeam ? sp_xpbdColours : sp_xpbdZones;
    def.method.xpbd.tetRows = family->variant == sp_benchEnergyBeam ? sp_tetRowsEnergy : sp_tetRowsLaw;
    spTetDef tets = spDefaultTetDef();
    tets.law = family->variant == sp_benchGreenBeam ? sp_tetStVenantKirchhoff : sp_tetCorotational;
    tets.youngModulus = (spReal)youngModulus;
    tets.poissonRatio = (spReal)poissonRatio;
    return spBuildTetBeam(&def, size, &tets);
}

// ---------------------------------------------------------------------------------------------------------
// The scene

// Masses as our body has them
static bool spCopySceneMasses(spXpbdScene* scene, const spTestWorld* test)
{
    int count = spBody_GetNodeCount(test->world, test->body);
    spReal* masses = malloc((size_t)count * sizeof(spReal));
    scene->masses = malloc((size_t)count * sizeof(double));
    bool ok = masses != NULL && scene->masses != NULL;
    if (ok)
    {
        spBody_CopyMasses(test->world, test->body, masses, count);
        for (int i = 0; i < count; ++i)
        {
            bool fixed = spBody_GetNodeRole(test->world, test->body, i) == sp_nodeFixed;
            scene->masses[i] = fixed ? 0.0 : (double)masses[i];
        }
    }
    free(masses);
    return ok;
}

static bool spMakeXpbdScene(const spBenchRun* run, const spBenchFamily* family, int size, spXpbdScene* scene,
                            spError* error)
{
    *scene = (spXpbdScene){.tipCount = family->warmup + family->steps};
    if (family->variant == sp_benchDistanceCloth)
    {
        // The side opposite to the fixed corners
        scene->tipNodes = (spTipNodes){.first = size - 1, .stride = size, .count = size};
        scene->mesh = spMakeDistanceClothMesh(size, &scene->stretchCount, error);
        scene->pairs = scene->mesh != NULL ? spMesh_GetEdges(scene->mesh) : NULL;
        scene->pairCount = scene->mesh != NULL ? spMesh_GetEdgeCount(scene->mesh) : 0;
    }
    else
    {
        int count = (size + 1) * (size + 1);
        scene->tipNodes = (spTipNodes){.first = 4 * size * count, .stride = 1, .count = count};
        scene->mesh = spMakeBeamMesh(size, error);
    }
    if (scene->mesh != NULL && family->variant == sp_benchDistanceBeam &&
        spMesh_CollectEdges(scene->mesh, &scene->collected, error))
    {
        scene->pairs = scene->collected.data;
        scene->pairCount = scene->collected.count;
        scene->stretchCount = scene->collected.count;
    }
    if (scene->mesh == NULL || spHasDistances(family) == false)
    {
        return scene->mesh != NULL;
    }
    spTestWorld test = spBuildXpbd(run, family, size, 1);
    bool ok = scene->pairs != NULL && test.world != NULL && spCopySceneMasses(scene, &test);
    *error = test.world == NULL ? test.error : *error;
    spDestroyTestWorld(&test);
    return ok;
}

static void spFreeXpbdScene(spXpbdScene* scene)
{
    free(scene->masses);
    spFreeIndexList(&scene->collected);
    spDestroyMesh(scene->mesh);
}

// ---------------------------------------------------------------------------------------------------------
// Both engines

// One run, its steps added to the result
static bool spRunOurs(const spBenchRun* run, const spBenchFamily* family, int size, const spXpbdScene* scene,
                      spSideResult* result)
{
    spTestWorld test = spBuildXpbd(run, family, size, result->threads);
    if (test.world == NULL)
    {
        result->error = test.error;
        return false;
    }
    result->nodes = spBody_GetNodeCount(test.world, test.body);
    result->elements = spBody_GetElementCount(test.world, test.body);
    spBenchSide* side = &result->ours;
    double rest = spGetTipHeight(&test, scene->tipNodes);
    for (int i = 0; i < scene->tipCount; ++i)
    {
        double wallStart = spGetSeconds(), processorStart = spGetProcessorClock();
        result->flags |= spWorld_Step(test.world, (spReal)family->dt);
        if (i >= family->warmup)
        {
            spAddTimes(side, wallStart, processorStart);
            int sweeps = (int)spWorld_GetReport(test.world).solverIterations;
            spAddSolve(side, result->elements, sweeps, 0.0, 1e-3 * spWorld_GetProfile(test.world).advance,
                       0.0);
        }
        side->tip[i] = spGetTipHeight(&test, scene->tipNodes) - rest;
    }
    result->hash = spWorld_GetStateHash(test.world);
    spDestroyTestWorld(&test);
    return true;
}

static bool spRunLinks(const spBenchFamily* family, int size, const spXpbdScene* scene, bool reorder,
                       spBenchSide* side)
{
    spPeerLinksDef def = {
        .vertices = &spMesh_GetVertices(scene->mesh)->x,
        .masses = scene->masses,
        .vertexCount = spMesh_GetVertexCount(scene->mesh),
        .links = scene->pairs,
        .linkCount = scene->pairCount,
        .stiffCount = scene->stretchCount,
        .softShare = peerBendShare,
        .iterations = family->iterations,
        .gravity = gravity,
        .reorder = reorder,
    };
    spPeer* peer = spCreatePeerLinks(&def);
    if (peer == NULL)
    {
        fprintf(stderr, "souple: %s%d: there is not enough memory for Bullet\n", family->stem, size);
        return false;
    }
    double rest = spGetPeerTipHeight(peer, scene->tipNodes);
    for (int i = 0; i < scene->tipCount; ++i)
    {
        double wallStart = spGetSeconds(), processorStart = spGetProcessorClock();
        spStepPeer(peer, family->dt);
        if (i >= family->warmup)
        {
            spAddTimes(side, wallStart, processorStart);
            spPeerReport report = spGetPeerReport(peer);
            spAddSolve(side, def.linkCount, report.iterations, report.residual, report.solveSeconds, 0.0);
        }
        side->tip[i] = spGetPeerTipHeight(peer, scene->tipNodes) - rest;
    }
    spDestroyPeer(peer);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// What they tell

// Nanoseconds of the whole step per element and sweep
static double spGetStepNs(const spBenchSide* side, int elements)
{
    return 1e6 * side->wallTimes.median / (elements * (side->iterations / side->stepCount));
}

static json_t* spTellSide(spBenchRun* run, const spSideResult* result, const spXpbdScene* scene,
                          const spBenchSide* side, const char* engine, int threads)
{
    bool ours = side == &result->ours;
    spHashText hash;
    spFormatHash(hash, result->hash);
    const spCell cells[] = {
        SP_TEXT_CELL(NULL, "name", -24, result->name),
        SP_TEXT_CELL(NULL, "engine", -13, engine),
        SP_WHOLE_CELL(NULL, "threads", 7, threads),
        SP_WHOLE_CELL(NULL, "nodes", 8, result->nodes),
        SP_WHOLE_CELL(NULL, "elements", 8, result->elements),
        SP_NUMBER_CELL("iterations", "sweeps", 6, "%.1f", side->iterations / side->stepCount),
        SP_NUMBER_CELL(NULL, "ms/step", 9, "%.3f", side->wallTimes.median),
        SP_NUMBER_CELL(NULL, "p95", 9, "%.3f", side->wallTimes.p95),
        SP_NUMBER_CELL(NULL, "cpu ms", 9, "%.3f", side->processorTimes.median),
        SP_NUMBER_CELL("nsPerElementIteration", "ns/el/sw", 8, "%.3f", spGetStepNs(side, result->elements)),
        SP_NUMBER_CELL("solverNsPerElementIteration", "solver", 8, "%.3f", side->nsPerElementIteration),
        SP_NUMBER_CELL("stepsPerSecond", "steps/s", 9, "%.1f", 1e3 / side->wallTimes.median),
        SP_NUMBER_CELL(NULL, "tip 30 mm", 9, "%.3f", 1e3 * side->tip[earlyStep - 1]),
        SP_NUMBER_CELL(NULL, "tip mm", 9, "%.3f", 1e3 * side->tip[scene->tipCount - 1]),
        SP_TEXT_CELL(ours ? "stateHash" : NULL, "state hash", 0, ours ? hash : ""),
    };
    return spTellRow(&run->table, cells, SP_CELL_COUNT(cells));
}

static json_t* spTellXpbd(spBenchRun* run, const spSideResult* result, const spXpbdScene* scene,
                          const spBenchSide* peers)
{
    json_t* told[1 + SP_PEER_COUNT] = {NULL};
    if (result->ran)
    {
        told[0] = spTellSide(run, result, scene, &result->ours, "Souple", result->threads);
    }
    for (int i = 0; i < SP_PEER_COUNT && peers[i].stepCount > 0; ++i)
    {
        told[1 + i] = spTellSide(run, result, scene, peers + i, s_peerNames[i], 1);
    }
    json_t* json = spMakeSideJson(result, told[0], scene->tipCount);
    for (int i = 0; i < SP_PEER_COUNT && told[1 + i] != NULL; ++i)
    {
        json_object_set_new(
            json, s_peerKeys[i],
            spMakePeerJson(run, result, peers + i, s_peerNames[i], told[1 + i], scene->tipCount));
    }
    return json;
}

// Measures ours on one number of threads. The other engine has one thread: it is measured with the first
// number and its numbers stay for the others.
static void spRunThreads(spBenchRun* run, const spBenchFamily* family, int size, const spXpbdScene* scene,
                         int threads, spBenchSide* peers)
{
    spSideResult result = {
        .threads = threads,
        .nodes = spMesh_GetVertexCount(scene->mesh),
        .elements = scene->pairs != NULL ? scene->pairCount : spMesh_GetTetCount(scene->mesh),
    };
    spNameBenchmark(family, size, result.name, sizeof(result.name));
    bool ours = spAllocateSide(&result.ours, family->steps * run->repeat, scene->tipCount);
    bool theirs = scene->pairs != NULL && peers[0].stepCount == 0 && spGetPeerVersion()[0] != 0;
    for (int i = 0; i < run->repeat && (ours || theirs) && spIsInterrupted() == false; ++i)
    {
        ours = ours && spRunOurs(run, family, size, scene, &result);
        for (int k = 0; k < SP_PEER_COUNT; ++k)
        {
            theirs = theirs && spRunLinks(family, size, scene, k == 1, peers + k);
        }
    }
    spJudgeResult(run, &result, ours, sp_stepNonFinite | sp_stepUnstable);
    for (int k = 0; k < SP_PEER_COUNT; ++k)
    {
        spSummarizeSide(peers + k);
    }
    json_array_append_new(run->results, spTellXpbd(run, &result, scene, peers));
    spFreeSide(&result.ours);
}

void spRunXpbd(spBenchRun* run, const spBenchFamily* family, int size)
{
    spError error = {0};
    spXpbdScene scene;
    spBenchSide peers[SP_PEER_COUNT] = {0};
    bool ok = spMakeXpbdScene(run, family, size, &scene, &error);
    for (int k = 0; k < SP_PEER_COUNT; ++k)
    {
        ok = ok && spAllocateSide(peers + k, family->steps * run->repeat, scene.tipCount);
    }
    if (ok == false)
    {
        char name[64];
        spNameBenchmark(family, size, name, sizeof(name));
        spFailBench(run, name, error.message);
    }
    for (int t = 0; ok && t < run->threadCount && spIsInterrupted() == false; ++t)
    {
        spRunThreads(run, family, size, &scene, run->threads[t], peers);
    }
    for (int k = 0; k < SP_PEER_COUNT; ++k)
    {
        spFreeSide(peers + k);
    }
    spFreeXpbdScene(&scene);
}
