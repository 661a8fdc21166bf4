// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench contact-drop, contact-beam, contact-compliance, gauss-seidel: bodies that fall on the ground, on
// each other and on Bullet's ground; what 50 touched points cost a step; rows of a sheet that lies on another.

#include "bench_contact_scenes.h"

#include "cli/tools.h"
#include "testbed/solid_body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// ---- steps ----

double spGetThreadClock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool spBeginContactSteps(spContactSteps* steps, int capacity)
{
    *steps = (spContactSteps){.times = malloc((size_t)capacity * sizeof(double)), .capacity = capacity};
    return steps->times != NULL;
}

void spEndContactSteps(spContactSteps* steps)
{
    free(steps->times);
    *steps = (spContactSteps){0};
}

void spTakeContactStep(spContactSteps* steps, spWorld* world, double dt)
{
    double start = spGetThreadClock();
    steps->flags |= spWorld_Step(world, (spReal)dt);
    double ms = 1e3 * (spGetThreadClock() - start);
    spProfile profile = spWorld_GetProfile(world);
    spStepReport report = spWorld_GetReport(world);
    if (steps->count < steps->capacity)
    {
        steps->times[steps->count++] = ms;
    }
    steps->detection += profile.detection;
    steps->response += profile.response + profile.check;
    steps->rows += report.rowCount;
    steps->sweeps += report.sweepCount;
}

spContactCost spSummarizeContactSteps(spContactSteps* steps)
{
    int count = steps->count > 0 ? steps->count : 1;
    spContactCost cost = {.detection = steps->detection / count,
                          .response = steps->response / count,
                          .rows = steps->rows / count,
                          .sweeps = steps->sweeps / count};
    if (steps->count > 0)
    {
        cost.median = spSummarizeTimes(steps->times, steps->count).median;
        cost.longest = steps->times[steps->count - 1];
    }
    return cost;
}

json_t* spMakeContactCostJson(const spContactCost* cost)
{
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "processorMs", cost->median, "longestMs",
                     cost->longest, "detectionMs", cost->detection, "responseMs", cost->response, "rows",
                     cost->rows, "sweeps", cost->sweeps);
}

// A row of the table, and its JSON
static json_t* spTellCost(spBenchRun* run, const char* name, const char* setting, int threads, int nodes,
                          spContactSteps* steps)
{
    spContactCost cost = spSummarizeContactSteps(steps);
    const spCell cells[] = {
        SP_TEXT_CELL("name", "name", -26, name),
        SP_TEXT_CELL("setting", "setting", -30, setting),
        SP_WHOLE_CELL("threads", "threads", 7, threads),
        SP_WHOLE_CELL("nodes", "nodes", 7, nodes),
        SP_NUMBER_CELL(NULL, "processor\nms/step", 9, "%.3f", cost.median),
        SP_NUMBER_CELL(NULL, "longest", 9, "%.3f", cost.longest),
        SP_NUMBER_CELL(NULL, "detection\n[ms]", 9, "%.3f", cost.detection),
        SP_NUMBER_CELL(NULL, "response\n[ms]", 9, "%.3f", cost.response),
        SP_NUMBER_CELL(NULL, "rows", 7, "%.0f", cost.rows),
        SP_NUMBER_CELL(NULL, "sweeps", 7, "%.1f", cost.sweeps),
    };
    json_t* json = spTellRow(&run->table, cells, SP_CELL_COUNT(cells));
    json_object_set_new(json, "cost", spMakeContactCostJson(&cost));
    json_object_set_new(json, "flags", json_integer(steps->flags));
    json_array_append(run->results, json);
    return json;
}

static spWorld* spMakeBenchWorld(const spBenchRun* run, int threads)
{
    spWorldDef def = spDefaultWorldDef();
    def.workerCount = threads;
    def.laneCount = run->lanes;
    return spCreateWorld(&def, NULL);
}

static spMethodDef spMakeBenchMethod(spMethodType type)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = type;
    return method;
}

static spMesh* spMakeCells(spDVec3 origin, spDVec3 size, int nx, int ny, int nz)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = origin;
    box.size = size;
    box.cells[0] = nx;
    box.cells[1] = ny;
    box.cells[2] = nz;
    return spMakeBoxMesh(&box, NULL);
}

// ---- a cube that falls, Bullet beside it ----

static const double s_dropHeight = 0.05, s_dropYoung = 1e5, s_dropPoisson = 0.3; // m, Pa

static spMesh* spMakeDropMesh(int cells, double above)
{
    return spMakeSolidBox((spDVec3){-0.25, above, -0.25}, (spDVec3){0.5, 0.5, 0.5}, cells);
}

// On the ground, or on another cube that lies there
static spWorld* spBuildDrop(const spBenchRun* run, int cells, int threads, spMethodType type, bool onBody)
{
    spWorld* world = spMakeBenchWorld(run, threads);
    bool good = world != NULL && SP_IS_NULL(spAddTestGround(world, (spReal)0.5, 0)) == false;
    for (int i = 0; i < (onBody ? 2 : 1) && good; ++i)
    {
        spSolidBodyDef def = spDefaultSolidBodyDef();
        bool lies = onBody && i == 0;
        def.mesh = spMakeDropMesh(cells, lies ? 0.0 : onBody ? 0.5 + s_dropHeight : s_dropHeight);
        def.youngModulus = s_dropYoung;
        def.poissonRatio = s_dropPoisson;
        def.method = spMakeBenchMethod(type);
        good = SP_IS_NULL(spAddSolidBody(world, &def)) == false;
    }
    if (good == false)
    {
        spDestroyWorld(world);
    }
    return good ? world : NULL;
}

// Median of Bullet's step, ms of the stepping thread; NaN when this build lacks it
static double spDropPeer(int cells, int stepCount, double dt)
{
    spMesh* mesh = spMakeDropMesh(cells, s_dropHeight);
    spPeerDef def = {.ground = true,
                     .youngModulus = s_dropYoung,
                     .poissonRatio = s_dropPoisson,
                     .density = 1000.0,
                     .gravity = 9.81,
                     .tolerance = 1e-4,
                     .maxIterations = 300};
    spPeer* peer = NULL;
    if (mesh != NULL && spGetPeerVersion()[0] != 0)
    {
        def.vertices = &spMesh_GetVertices(mesh)->x;
        def.vertexCount = spMesh_GetVertexCount(mesh);
        def.tets = spMesh_GetTets(mesh);
        def.tetCount = spMesh_GetTetCount(mesh);
        peer = spCreatePeer(&def);
    }
    spDestroyMesh(mesh);
    double* times = peer != NULL ? malloc((size_t)stepCount * sizeof(double)) : NULL;
    double median = NAN;
    for (int i = 0; i < stepCount && times != NULL && spIsInterrupted() == false; ++i)
    {
        double start = spGetThreadClock();
        spStepPeer(peer, dt);
        times[i] = 1e3 * (spGetThreadClock() - start);
    }
    if (times != NULL)
    {
        median = spSummarizeTimes(times, stepCount).median;
    }
    free(times);
    if (peer != NULL)
    {
        spDestroyPeer(peer);
    }
    return median;
}

void spRunContactDrop(spBenchRun* run, const spBenchFamily* family, int size)
{
    static const struct
    {
        const char* name;
        spMethodType type;
        bool onBody;
    } settings[] = {
        {"backwardEuler on the ground", sp_backwardEuler, false},
        {"xpbd on the ground", sp_xpbd, false},
        {"symplecticEuler on the ground", sp_symplecticEuler, false},
        {"backwardEuler on its like", sp_backwardEuler, true},
        {"symplecticEuler on its like", sp_symplecticEuler, true},
    };
    char name[64];
    spNameBenchmark(family, size, name, sizeof(name));
    double theirs = spDropPeer(size, family->steps, family->dt);
    for (int i = 0; i < SP_CELL_COUNT(settings) && spIsInterrupted() == false; ++i)
    {
        spWorld* world = spBuildDrop(run, size, run->threads[0], settings[i].type, settings[i].onBody);
        spContactSteps steps = {0};
        if (world == NULL || spBeginContactSteps(&steps, family->steps) == false)
        {
            spFailBench(run, name, "");
            spDestroyWorld(world);
            continue;
        }
        for (int k = 0; k < family->steps && spIsInterrupted() == false; ++k)
        {
            spTakeContactStep(&steps, world, family->dt);
        }
        json_t* json = spTellCost(run, name, settings[i].name, run->threads[0],
                                  spWorld_GetReport(world).nodeCount, &steps);
        double ours = spSummarizeContactSteps(&steps).median;
        json_object_set_new(json, "peerProcessorMs", spMakeJsonNumber(theirs));
        json_object_set_new(json, "ratio", spMakeJsonNumber(settings[i].onBody ? NAN : ours / theirs));
        if (run->json == false && settings[i].onBody == false && isfinite(theirs))
        {
            printf("%-26s ours over Bullet's processor time: %.4f (%.3f ms)\n", name, ours / theirs, theirs);
        }
        json_decref(json);
        spEndContactSteps(&steps);
        spDestroyWorld(world);
    }
}

// ---- SOFA's falling beam ----

// 5 x 5 x N nodes, 625 of them with 25, 0.1 m apart, friction 0.5: falls on a floor and on a step of it
static spWorld* spBuildFallingBeam(const spBenchRun* run, int length, bool onBodies, int* nodes)
{
    spWorld* world = spMakeBenchWorld(run, run->threads[0]);
    if (world == NULL)
    {
        return NULL;
    }
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.youngModulus = 1e5;
    def.friction = 0.5;
    def.method = spMakeBenchMethod(sp_backwardEuler);
    double span = 0.1 * (length - 1);
    def.mesh = spMakeCells((spDVec3){0.0, 0.35, 0.0}, (spDVec3){span, 0.4, 0.4}, length - 1, 4, 4);
    spBodyId beam = spAddSolidBody(world, &def);
    *nodes = spBody_GetNodeCount(world, beam);
    bool good = SP_IS_NULL(beam) == false;
    if (onBodies)
    {
        def.mesh = spMakeCells((spDVec3){-1.0, -0.5, -1.0}, (spDVec3){span + 2.0, 0.5, 2.4}, 8, 1, 6);
        spBodyId floor = spAddSolidBody(world, &def);
        def.mesh = spMakeCells((spDVec3){-0.1, 0.0, -0.1}, (spDVec3){0.3, 0.3, 0.6}, 2, 2, 4);
        spBodyId step = spAddSolidBody(world, &def);
        good = good && spPinBeyond(world, floor, (spVec3){0, 0, 0}, -1.0) > 0 &&
               spPinBeyond(world, step, (spVec3){0, 0, 0}, -1.0) > 0;
    }
    else
    {
        spColliderDef box = spDefaultColliderDef();
        box.shape = sp_shapeBox;
        box.halfSize = (spVec3){(spReal)0.15, (spReal)0.15, (spReal)0.3};
        box.transform.position = (spVec3){(spReal)0.05, (spReal)0.15, (spReal)0.2};
        good = good && SP_IS_NULL(spAddTestGround(world, (spReal)0.5, 0)) == false &&
               SP_IS_NULL(spCreateCollider(world, &box)) == false;
    }
    if (good == false)
    {
        spDestroyWorld(world);
    }
    return good ? world : NULL;
}

void spRunContactBeam(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    spNameBenchmark(family, size, name, sizeof(name));
    for (int i = 0; i < 2 && spIsInterrupted() == false; ++i)
    {
        int nodes = 0;
        spWorld* world = spBuildFallingBeam(run, size, i == 1, &nodes);
        spContactSteps fall = {0}, steps = {0};
        if (world == NULL || spBeginContactSteps(&fall, family->warmup) == false ||
            spBeginContactSteps(&steps, family->steps) == false)
        {
            spFailBench(run, name, "");
        }
        else
        {
            for (int k = 0; k < family->warmup + family->steps && spIsInterrupted() == false; ++k)
            {
                spTakeContactStep(k < family->warmup ? &fall : &steps, world, family->dt);
            }
            json_t* json = spTellCost(run, name, i == 1 ? "on pinned bodies" : "on colliders",
                                      run->threads[0], nodes, &steps);
            spContactCost before = spSummarizeContactSteps(&fall);
            json_object_set_new(json, "falling", spMakeContactCostJson(&before));
            json_decref(json);
        }
        spEndContactSteps(&fall);
        spEndContactSteps(&steps);
        spDestroyWorld(world);
    }
}

// ---- compliance of touched points ----

// A beam of 4M x M x M cells, one end fixed. A grid of points on its top is linked to a pinned slab above it: rows
// between bodies without any detection. `touched` 0 leaves them out.
static spWorld* spBuildLinkedBeam(const spBenchRun* run, int m, int touched, spLinkId* link, spBodyId* beam)
{
    spWorld* world = spMakeBenchWorld(run, run->threads[0]);
    if (world == NULL)
    {
        return NULL;
    }
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.youngModulus = 1e5;
    def.method = spMakeBenchMethod(sp_backwardEuler);
    def.method.solver.preconditioner = sp_preconditionCholesky;
    def.mesh = spMakeBeamMesh(m, NULL);
    *beam = spAddSolidBody(world, &def);
    def.mesh = spMakeCells((spDVec3){-0.1, 0.3, -0.3}, (spDVec3){1.2, 0.1, 0.6}, 8, 1, 4);
    spBodyId slab = spAddSolidBody(world, &def);
    bool good = SP_IS_NULL(*beam) == false && SP_IS_NULL(slab) == false &&
                spPinBeyond(world, slab, (spVec3){0, 0, 0}, -1.0) > 0 &&
                spPinBeyond(world, *beam, (spVec3){-1, 0, 0}, -1e-6) > 0;
    int32_t nodes[256];
    int count = 0, total = good ? spBody_GetNodeCount(world, *beam) : 0;
    spVec3View x = spBody_GetPositions(world, *beam);
    double top = -INFINITY;
    for (int i = 0; i < total; ++i)
    {
        top = fmax(top, (double)x.data[i].y);
    }
    for (int i = 0; i < total && count < touched; ++i)
    {
        if ((double)x.data[i].y > top - 1e-6 && (double)x.data[i].x > 0.3)
        {
            nodes[count++] = i;
        }
    }
    spLinkDef linkDef = spDefaultLinkDef();
    linkDef.body = *beam;
    linkDef.otherBody = slab;
    linkDef.nodes = nodes;
    linkDef.nodeCount = count;
    *link = (spLinkId)SP_ZERO_INIT;
    if (good && count > 0)
    {
        *link = spCreateLink(world, &linkDef);
        good = SP_IS_NULL(*link) == false;
    }
    if (good == false)
    {
        spDestroyWorld(world);
    }
    return good ? world : NULL;
}

void spRunContactCompliance(spBenchRun* run, const spBenchFamily* family, int size)
{
    static const int touched[] = {0, 50};
    char name[64], setting[64];
    double free = NAN;
    spNameBenchmark(family, size, name, sizeof(name));
    for (int i = 0; i < 2 && spIsInterrupted() == false; ++i)
    {
        spLinkId link;
        spBodyId beam;
        spWorld* world = spBuildLinkedBeam(run, size, touched[i], &link, &beam);
        spContactSteps first = {0}, steps = {0};
        if (world == NULL || spBeginContactSteps(&first, 1) == false ||
            spBeginContactSteps(&steps, family->steps) == false)
        {
            spFailBench(run, name, "");
        }
        else
        {
            spTakeContactStep(&first, world, family->dt);
            for (int k = 0; k < family->steps && spIsInterrupted() == false; ++k)
            {
                spTakeContactStep(&steps, world, family->dt);
            }
            snprintf(setting, sizeof(setting), "%d points, cold", touched[i]);
            json_decref(
                spTellCost(run, name, setting, run->threads[0], spBody_GetNodeCount(world, beam), &first));
            snprintf(setting, sizeof(setting), "%d points, later", touched[i]);
            json_t* json =
                spTellCost(run, name, setting, run->threads[0], spBody_GetNodeCount(world, beam), &steps);
            double median = spSummarizeContactSteps(&steps).median;
            free = i == 0 ? median : free;
            json_object_set_new(json, "msBeyondFree", spMakeJsonNumber(median - free));
            json_decref(json);
        }
        spEndContactSteps(&first);
        spEndContactSteps(&steps);
        spDestroyWorld(world);
    }
}

// ---- rows of a sheet on a sheet ----

// A slab of so many contacts, about, lies on a pinned one whose cells are a little larger
static spWorld* spBuildSheets(const spBenchRun* run, int contacts, int threads)
{
    spWorld* world = spMakeBenchWorld(run, threads);
    int side = (int)lround(sqrt((double)contacts)) - 1;
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.youngModulus = 1e5;
    def.drag = 5.0;
    def.mesh = spMakeCells((spDVec3){0.0, 0.0, 0.0}, (spDVec3){1.0, 0.05, 1.0}, side, 1, side);
    bool good = world != NULL && SP_IS_NULL(spAddSolidBody(world, &def)) == false;
    def.mesh = spMakeCells((spDVec3){-0.11, -0.1, -0.13}, (spDVec3){1.24, 0.1, 1.26}, side, 1, side);
    spBodyId floor = world != NULL ? spAddSolidBody(world, &def) : (spBodyId)SP_ZERO_INIT;
    good = good && SP_IS_NULL(floor) == false && spPinBeyond(world, floor, (spVec3){0, 0, 0}, -1.0) > 0;
    if (good == false)
    {
        spDestroyWorld(world);
    }
    return good ? world : NULL;
}

void spRunGaussSeidel(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    spNameBenchmark(family, size, name, sizeof(name));
    double single = NAN;
    for (int t = 0; t < run->threadCount && spIsInterrupted() == false; ++t)
    {
        // Three rows to a contact
        spWorld* world = spBuildSheets(run, (size + 2) / 3, run->threads[t]);
        spContactSteps steps = {0};
        if (world == NULL || spBeginContactSteps(&steps, family->steps) == false)
        {
            spFailBench(run, name, "");
            spDestroyWorld(world);
            continue;
        }
        for (int k = 0; k < family->warmup && spIsInterrupted() == false; ++k)
        {
            spWorld_Step(world, (spReal)family->dt);
        }
        double start = spGetSeconds();
        for (int k = 0; k < family->steps && spIsInterrupted() == false; ++k)
        {
            spTakeContactStep(&steps, world, family->dt);
        }
        double wall = 1e3 * (spGetSeconds() - start) / family->steps;
        char setting[64];
        snprintf(setting, sizeof(setting), "%d contacts", spWorld_GetContactCount(world));
        json_t* json =
            spTellCost(run, name, setting, run->threads[t], spWorld_GetReport(world).nodeCount, &steps);
        single = t == 0 ? wall : single;
        json_object_set_new(json, "msPerStep", spMakeJsonNumber(wall));
        json_object_set_new(json, "speedUp", spMakeJsonNumber(single / wall));
        json_object_set_new(json, "contacts", json_integer(spWorld_GetContactCount(world)));
        json_decref(json);
        spEndContactSteps(&steps);
        spDestroyWorld(world);
    }
}
