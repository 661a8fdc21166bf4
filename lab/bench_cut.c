// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench cut-beam-M: four blades come down through a beam of tets, a little in every step of backward Euler.
// What an edit costs, how much the longest step is longer than the others, whether one waits: by the processor time of
// the stepping thread.
//
// souple bench torture-cut-N: so many blades, shapes and tets on bodies of every method, degenerate ones among them,
// with pins, hands, steps and states in between. None may crash, leave anything that is not finite, or lose mass.

#include "bench.h"
#include "bench_contact_scenes.h"
#include "cli/tools.h"
#include "testbed/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a beam that is cut ----

#define SP_CUTS 4
#define SP_CUT_STEPS 16

typedef struct spCutTimes
{
    double edits[SP_CUTS * SP_CUT_STEPS], steps[SP_CUTS * SP_CUT_STEPS], before[SP_CUT_STEPS]; // ms
    int faces, copies, pieces, editCount;
    int64_t waits;
    int iterations; // most in a step
} spCutTimes;

static spTestWorld spBuildCutBeam(int m, int threads, const spTestDef* test)
{
    spTestWorld out = {.springs = -1, .tets = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = threads;
    out.world = spCreateWorld(&worldDef, &out.error);
    spMesh* mesh = out.world != NULL ? spMakeBeamMesh(m, &out.error) : NULL;
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.method = test->method;
    def.nodeRoom = 20 * m * m;
    out.body = mesh != NULL ? spCreateBody(out.world, &def) : (spBodyId){0};
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)1e6;
    bool ok = SP_IS_NULL(out.body) == false && spBody_AddTets(out.world, out.body, &tets) >= 0;
    for (int32_t node = 0; ok && node < (m + 1) * (m + 1); ++node)
    {
        ok = spBody_PinNodes(out.world, out.body, &node, 1);
    }
    spDestroyMesh(mesh);
    if (ok == false && out.world != NULL)
    {
        out.error = spWorld_GetLastError(out.world);
        spDestroyTestWorld(&out);
    }
    return out;
}

// Right through the beam, from above where it is now
static spBlade spMakeCutBlade(const spTestWorld* test, int cut, int step)
{
    spVec3 center = spBody_GetCenter(test->world, test->body);
    double x = 0.8 - 0.15 * cut, top = (double)center.y + 0.4, deep = 0.75 / SP_CUT_STEPS;
    double high = top - deep * step, low = high - deep;
    spBlade blade = {.begin = {{(spReal)x, (spReal)high, -1}, {(spReal)(x + 0.03), (spReal)high, 1}},
                     .end = {{(spReal)x, (spReal)low, -1}, {(spReal)(x + 0.03), (spReal)low, 1}},
                     .follows = step > 0};
    return blade;
}

static bool spCutBeam(spTestWorld* test, double dt, spCutTimes* times)
{
    uint32_t flags = 0;
    for (int i = 0; i < 30 + SP_CUT_STEPS; ++i)
    {
        double start = spGetThreadClock();
        flags |= spWorld_Step(test->world, (spReal)dt);
        times->before[i % SP_CUT_STEPS] = 1e3 * (spGetThreadClock() - start);
    }
    int64_t waits = spBody_GetSolverReport(test->world, test->body).waitCount;
    bool ok = true;
    for (int i = 0; ok && i < SP_CUTS * SP_CUT_STEPS; ++i)
    {
        spBlade blade = spMakeCutBlade(test, i / SP_CUT_STEPS, i % SP_CUT_STEPS);
        spEditResult result;
        double start = spGetThreadClock();
        ok = spBody_Cut(test->world, test->body, &blade, &result);
        double cut = spGetThreadClock();
        flags |= spWorld_Step(test->world, (spReal)dt);
        times->steps[i] = 1e3 * (spGetThreadClock() - cut);
        times->faces += result.faceCount;
        times->copies += result.copyCount;
        times->edits[times->editCount] = 1e3 * (cut - start);
        times->editCount += result.copyCount > 0;
        int iterations = spBody_GetSolverReport(test->world, test->body).iterations;
        times->iterations = iterations > times->iterations ? iterations : times->iterations;
    }
    times->pieces = spBody_GetPieceCount(test->world, test->body);
    times->waits = spBody_GetSolverReport(test->world, test->body).waitCount - waits;
    test->error = spWorld_GetLastError(test->world);
    return ok && times->editCount > 0 && (flags & (sp_stepNonFinite | sp_stepUnstable)) == 0;
}

void spRunCutBeam(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    spNameBenchmark(family, size, name, sizeof(name));
    for (int i = 0; i < run->threadCount && spIsInterrupted() == false; ++i)
    {
        spTestDef def = spDefaultTestDef();
        def.method.type = sp_backwardEuler;
        def.method.solver.asynchronous = true;
        def.method.solver.age = 0; // as on the live page: whenever it is there
        spTestWorld test = spBuildCutBeam(size, run->threads[i], &def);
        spCutTimes times = {0};
        if (test.world == NULL || spCutBeam(&test, family->dt, &times) == false)
        {
            spFailBench(run, name, test.error.message);
            spDestroyTestWorld(&test);
            continue;
        }
        double longest = 0.0, slowest = 0.0;
        for (int k = 0; k < SP_CUTS * SP_CUT_STEPS; ++k)
        {
            longest = fmax(longest, times.steps[k]);
            slowest = k < times.editCount ? fmax(slowest, times.edits[k]) : slowest;
        }
        double median = spSummarizeTimes(times.steps, SP_CUTS * SP_CUT_STEPS).median;
        const spCell cells[] = {
            SP_TEXT_CELL("name", "benchmark", -14, name),
            SP_WHOLE_CELL("threads", "threads", 7, run->threads[i]),
            SP_WHOLE_CELL("elements", "tets", 7, spBody_GetElementCount(test.world, test.body)),
            SP_NUMBER_CELL("facesPerCut", "faces\na cut", 6, "%.1f", (double)times.faces / times.editCount),
            SP_WHOLE_CELL("pieces", "pieces", 6, times.pieces),
            SP_NUMBER_CELL("editMs", "edit\nms", 8, "%.3f",
                           spSummarizeTimes(times.edits, times.editCount).median),
            SP_NUMBER_CELL("editMostMs", "at\nmost", 8, "%.3f", slowest),
            SP_NUMBER_CELL("beforeMs", "step\nbefore", 8, "%.3f",
                           spSummarizeTimes(times.before, SP_CUT_STEPS).median),
            SP_NUMBER_CELL("stepMs", "step\nms", 8, "%.3f", median),
            SP_NUMBER_CELL("stepMostMs", "at\nmost", 8, "%.3f", longest),
            SP_NUMBER_CELL("longest", "longest /\nmedian", 9, "%.2f", longest / median),
            SP_WHOLE_CELL("iterations", "most\niterations", 10, times.iterations),
            SP_WHOLE_CELL("waits", "waits", 5, (double)times.waits),
        };
        json_array_append_new(run->results, spTellRow(&run->table, cells, SP_CELL_COUNT(cells)));
        spDestroyTestWorld(&test);
    }
}

// ---- torture ----

typedef struct spTortured
{
    int edits, refused, faces, tets, copies, bodies, stopped, nonFinite, lost;
    uint64_t seed;
    int edit; // in the body that is being cut
    spTestWorld test;
    spSnapshot* state;
} spTortured;

static spVec3 spGetRandomNode(spTortured* t)
{
    spVec3View x = spBody_GetPositions(t->test.world, t->test.body);
    return x.data[spNextRandom(&t->seed) % (uint64_t)x.count];
}

static spVec3 spGetRandomPlace(spTortured* t, double spread)
{
    spVec3 p = spGetRandomNode(t);
    return (spVec3){p.x + (spReal)spRandomRange(&t->seed, -spread, spread),
                    p.y + (spReal)spRandomRange(&t->seed, -spread, spread),
                    p.z + (spReal)spRandomRange(&t->seed, -spread, spread)};
}

// A blade of one of the sorts that make trouble, or a plain one
static spBlade spMakeRandomBlade(spTortured* t)
{
    uint64_t sort = spNextRandom(&t->seed) % 12;
    double spread = sort == 1 ? 1e-7 : sort == 2 ? 100.0 : 0.2;
    spBlade blade = {.follows = spNextRandom(&t->seed) % 4 == 0};
    for (int i = 0; i < 2; ++i)
    {
        blade.begin[i] = sort == 0 ? spGetRandomNode(t) : spGetRandomPlace(t, spread);
        blade.end[i] = sort == 0 || sort == 3 ? spGetRandomNode(t) : spGetRandomPlace(t, spread);
    }
    blade.begin[1] = sort == 4 ? blade.begin[0] : blade.begin[1];
    if (sort == 4 || sort == 5)
    {
        memcpy(blade.end, blade.begin, sizeof(blade.end)); // it rests
    }
    if (sort == 6) // it turns round: its ends change places
    {
        blade.end[0] = blade.begin[1];
        blade.end[1] = blade.begin[0];
    }
    blade.end[0].y = sort == 7 ? (spReal)NAN : blade.end[0].y;
    blade.begin[1].x = sort == 8 ? (spReal)1e30 : blade.begin[1].x;
    return blade;
}

static bool spStartTortured(spTortured* t)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = (spMethodType)(t->bodies % sp_rigid);
    spDestroySnapshot(t->state);
    spDestroyTestWorld(&t->test);
    t->state = NULL;
    t->edit = 0;
    t->test = spBuildCutBeam(2 + t->bodies % 3, 1, &def);
    t->bodies += 1;
    return t->test.world != NULL;
}

static bool spEditRandomly(spTortured* t, spEditResult* result)
{
    spWorld* world = t->test.world;
    uint64_t sort = spNextRandom(&t->seed) % 10;
    if (sort < 7)
    {
        spBlade blade = spMakeRandomBlade(t);
        return spBody_Cut(world, t->test.body, &blade, result);
    }
    if (sort < 9)
    {
        spColliderDef shape = spDefaultColliderDef();
        shape.shape = sort == 7 ? sp_shapeSphere : sp_shapeCapsule;
        shape.radius = (spReal)spRandomRange(&t->seed, 0.0, 0.06);
        shape.halfHeight = (spReal)spRandomRange(&t->seed, -0.01, 0.2);
        shape.transform.position = spGetRandomPlace(t, 0.1);
        return spBody_Carve(world, t->test.body, &shape, result);
    }
    int32_t tets[3];
    for (int i = 0; i < 3; ++i)
    {
        tets[i] = (int32_t)(spNextRandom(&t->seed) % 400);
    }
    return spBody_RemoveTets(world, t->test.body, tets, 1 + (int)(spNextRandom(&t->seed) % 3), result);
}

// Pins, hands, steps and states between edits
static void spDisturb(spTortured* t)
{
    spWorld* world = t->test.world;
    int32_t node = (int32_t)(spNextRandom(&t->seed) % (uint64_t)spBody_GetNodeCount(world, t->test.body));
    uint64_t sort = spNextRandom(&t->seed) % 16;
    spLinkDef link = spDefaultLinkDef();
    link.body = t->test.body;
    link.nodes = &node;
    link.nodeCount = 1;
    link.stiffness = 100;
    if (sort == 0)
    {
        spBody_PinNodes(world, t->test.body, &node, 1);
    }
    else if (sort == 1)
    {
        spBody_FreeNodes(world, t->test.body, &node, 1);
    }
    else if (sort == 2 && t->edit < 20 && spBody_GetNodeRole(world, t->test.body, node) != sp_nodeGone)
    {
        spCreateLink(world, &link);
    }
    else if (sort == 3)
    {
        spDestroySnapshot(t->state);
        t->state = spWorld_Save(world);
    }
    else if (sort == 4 && t->state != NULL)
    {
        spWorld_Restore(world, t->state);
    }
    else if (sort < 8)
    {
        spWorld_Step(world, (spReal)(1.0 / 60.0));
    }
}

static double spSumMass(const spTestWorld* test)
{
    int count = spBody_GetNodeCount(test->world, test->body);
    spReal* masses = malloc((size_t)(count + 1) * sizeof(spReal));
    double sum = 0.0;
    count = masses != NULL ? spBody_CopyMasses(test->world, test->body, masses, count) : 0;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)masses[i];
    }
    free(masses);
    return sum;
}

static void spLookAt(spTortured* t)
{
    spVec3View x = spBody_GetPositions(t->test.world, t->test.body);
    bool finite = true;
    for (int i = 0; i < x.count; ++i)
    {
        finite = finite && isfinite((double)x.data[i].x) && isfinite((double)x.data[i].y) &&
                 isfinite((double)x.data[i].z);
    }
    int triangles = 0;
    spBody_GetTriangles(t->test.world, t->test.body, &triangles);
    t->nonFinite += finite == false || triangles < 0;
}

void spRunTortureCut(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    spNameBenchmark(family, size, name, sizeof(name));
    spTortured t = {.seed = 20261118};
    double start = spGetThreadClock();
    bool ok = spStartTortured(&t);
    for (; ok && t.edits < size && spIsInterrupted() == false; ++t.edits, ++t.edit)
    {
        double before = spSumMass(&t.test);
        spEditResult result = {0};
        bool done = spEditRandomly(&t, &result);
        double mass = spSumMass(&t.test) + result.mass;
        t.refused += done == false;
        t.faces += result.faceCount;
        t.tets += result.tetCount;
        t.copies += result.copyCount;
        t.lost += fabs(mass - before) > 1e-5 * before + 1e-9;
        spDisturb(&t);
        spLookAt(&t);
        if (spBody_IsRunning(t.test.world, t.test.body) == false || t.edit == 100)
        {
            t.stopped += t.edit < 100;
            ok = spStartTortured(&t);
        }
    }
    if (ok == false)
    {
        spFailBench(run, name, t.test.error.message);
    }
    const spCell cells[] = {
        SP_TEXT_CELL("name", "benchmark", -18, name),
        SP_WHOLE_CELL("edits", "edits", 7, t.edits),
        SP_WHOLE_CELL("bodies", "bodies", 6, t.bodies),
        SP_WHOLE_CELL("refused", "refused", 7, t.refused),
        SP_WHOLE_CELL("faces", "faces\nopened", 8, t.faces),
        SP_WHOLE_CELL("tets", "tets\ngone", 7, t.tets),
        SP_WHOLE_CELL("copies", "nodes\nmore", 7, t.copies),
        SP_WHOLE_CELL("stopped", "stopped", 7, t.stopped),
        SP_WHOLE_CELL("nonFinite", "not\nfinite", 7, t.nonFinite),
        SP_WHOLE_CELL("lost", "mass\nlost", 6, t.lost),
        SP_NUMBER_CELL("seconds", "s", 7, "%.1f", spGetThreadClock() - start),
    };
    json_array_append_new(run->results, spTellRow(&run->table, cells, SP_CELL_COUNT(cells)));
    run->trouble += t.nonFinite + t.lost > 0;
    spDestroySnapshot(t.state);
    spDestroyTestWorld(&t.test);
}
