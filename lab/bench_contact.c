// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench contact-cloth-N: three sheets of N x N nodes, each touching itself, lie over a sphere.
// souple bench contact-pile-N: N soft blocks of 480 tets are poured into a box.
//
// What counts is detection: time per triangle and step, told beside the rows that it made, what solving them takes and
// what is left of the step. Sheets are timed while they drape, the pile when it has fallen together: in a box that
// grows with N, so that every pile is as high.
//
// Times are processor time of the stepping thread, cut into stages by their shares of the wall clock.

#include "bench_contact_scenes.h"
#include "cli/tools.h"
#include "testbed/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    LAYERS = 3,
    PILE_LAYERS = 8
};

typedef struct spContactScene
{
    spWorld* world; // NULL when it could not be built; error says why
    int triangles;  // of all bodies
    spError error;
} spContactScene;

// What a run of one number of threads gave
typedef struct spContactTimes
{
    // ms of each step
    double* detection;
    double* response;              // solving rows between bodies
    double* rest;                  // of the step without both
    double rows, contacts, sweeps; // of all steps together
    uint32_t flags;
    uint64_t hash;
    int triangles;
} spContactTimes;

static bool spAddSheet(spContactScene* scene, const spTestDef* def, int count, double height)
{
    spClothMeshDef sheet = spDefaultClothMeshDef();
    sheet.corner = (spDVec3){-0.5, height, -0.5};
    sheet.sizeX = sheet.sizeZ = 1.0;
    sheet.countX = sheet.countZ = count;
    spMesh* mesh = spMakeClothMesh(&sheet, &scene->error);
    if (mesh == NULL)
    {
        return false;
    }
    spBodyDef body = spDefaultBodyDef();
    body.mesh = mesh;
    body.method = def->method;
    body.density = (spReal)0.4;
    body.selfContact = true;
    spBodyId id = spCreateBody(scene->world, &body);
    spSpringDef springs = spDefaultSpringDef();
    springs.stiffness = 2;
    springs.damping = (spReal)1e-3;
    spFieldDef air = spDefaultFieldDef();
    air.type = sp_fieldMassDrag;
    air.coefficient = 5;
    bool ok = SP_IS_NULL(id) == false && spBody_AddSprings(scene->world, id, &springs) >= 0 &&
              spBody_AddField(scene->world, id, &air) >= 0;
    scene->triangles += spMesh_GetTriangleCount(mesh);
    spDestroyMesh(mesh);
    return ok;
}

// Sheets a little apart from each other, the lowest on a sphere
static bool spFillSheets(spContactScene* scene, const spTestDef* def, int count)
{
    double radius = 0.3, spacing = 0.3 / (count - 1);
    spColliderDef sphere = spDefaultColliderDef();
    sphere.shape = sp_shapeSphere;
    sphere.radius = (spReal)radius;
    sphere.transform.position = (spVec3){0, (spReal)(-radius - spacing), 0};
    bool ok = SP_IS_NULL(spCreateCollider(scene->world, &sphere)) == false;
    for (int i = 0; ok && i < LAYERS; ++i)
    {
        ok = spAddSheet(scene, def, count, spacing * i);
    }
    return ok;
}

static bool spAddBlock(spContactScene* scene, const spTestDef* def, spVec3 at, uint64_t* seed)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.size = (spDVec3){0.08, 0.1, 0.08};
    box.origin = (spDVec3){-0.04, -0.05, -0.04};
    box.cells[0] = box.cells[2] = 4;
    box.cells[1] = 5;
    spMesh* mesh = spMakeBoxMesh(&box, &scene->error);
    if (mesh == NULL)
    {
        return false;
    }
    spBodyDef body = spDefaultBodyDef();
    body.mesh = mesh;
    body.method = def->method;
    body.density = 1000;
    body.transform.position = at;
    spReal turn = (spReal)spRandomRange(seed, -0.5, 0.5);
    body.transform.rotation = (spQuat){(spReal)sin((double)turn), 0, 0, (spReal)cos((double)turn)};
    spBodyId id = spCreateBody(scene->world, &body);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)2e4;
    tets.poissonRatio = (spReal)0.3;
    bool ok = SP_IS_NULL(id) == false && spBody_AddTets(scene->world, id, &tets) >= 0;
    scene->triangles += 2 * 2 * (4 * 4 + 2 * 4 * 5);
    spDestroyMesh(mesh);
    return ok;
}

// A box that is open above, with blocks in layers
static bool spFillBox(spContactScene* scene, const spTestDef* def, int count)
{
    const int side = (int)ceil(sqrt((double)count / PILE_LAYERS));
    const spReal spacing = (spReal)0.14, half = spacing * (spReal)side / 2, h = (spReal)sqrt(0.5);
    const spTransform walls[] = {
        {{0, 0, 0}, {0, 0, 0, 1}},     {{-half, 0, 0}, {0, 0, -h, h}}, {{half, 0, 0}, {0, 0, h, h}},
        {{0, 0, -half}, {h, 0, 0, h}}, {{0, 0, half}, {-h, 0, 0, h}},
    };
    bool ok = true;
    for (int i = 0; ok && i < 5; ++i)
    {
        spColliderDef wall = spDefaultColliderDef();
        wall.transform = walls[i];
        ok = SP_IS_NULL(spCreateCollider(scene->world, &wall)) == false;
    }
    uint64_t seed = 1;
    for (int i = 0; ok && i < count; ++i)
    {
        int x = i % side, z = i / side % side, y = i / (side * side);
        spVec3 at = {spacing * ((spReal)x + (spReal)0.5) - half, spacing * ((spReal)y + (spReal)0.5),
                     spacing * ((spReal)z + (spReal)0.5) - half};
        ok = spAddBlock(scene, def, at, &seed);
    }
    return ok;
}

static spContactScene spBuildContactScene(const spBenchFamily* family, int size, int threads, int lanes)
{
    spTestDef def = spDefaultTestDef();
    def.method.substeps = family->substeps;
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = threads;
    worldDef.laneCount = lanes;
    spContactScene scene = {0};
    scene.world = spCreateWorld(&worldDef, &scene.error);
    bool ok = scene.world != NULL && (family->variant == sp_benchSheets ? spFillSheets(&scene, &def, size)
                                                                        : spFillBox(&scene, &def, size));
    if (ok == false && scene.world != NULL)
    {
        scene.error = spWorld_GetLastError(scene.world);
        spDestroyWorld(scene.world);
        scene.world = NULL;
    }
    return scene;
}

// Steps of one run, after its warm-up; `taken` steps are timed already
static int spTimeContacts(spContactScene* scene, const spBenchFamily* family, int taken,
                          spContactTimes* times)
{
    for (int i = 0; i < family->warmup + family->steps && spIsInterrupted() == false; ++i)
    {
        double start = spGetThreadClock();
        times->flags |= spWorld_Step(scene->world, (spReal)family->dt);
        double ms = 1e3 * (spGetThreadClock() - start);
        if (i < family->warmup)
        {
            continue;
        }
        spProfile profile = spWorld_GetProfile(scene->world);
        spStepReport report = spWorld_GetReport(scene->world);
        double share = profile.step > 0.0 ? ms / profile.step : 0.0;
        times->detection[taken] = share * profile.detection;
        times->response[taken] = share * profile.response;
        times->rest[taken] = ms - times->detection[taken] - times->response[taken];
        taken += 1;
        times->rows += (double)report.rowCount;
        times->contacts += (double)report.contactCount;
        times->sweeps += (double)report.sweepCount;
    }
    times->hash = spWorld_GetStateHash(scene->world);
    times->triangles = scene->triangles;
    return taken;
}

static void spTellContacts(spBenchRun* run, const char* name, int threads, int taken, spContactTimes* times)
{
    spBenchTimes detection = spSummarizeTimes(times->detection, taken);
    spBenchTimes response = spSummarizeTimes(times->response, taken);
    spBenchTimes rest = spSummarizeTimes(times->rest, taken);
    spHashText hash;
    spFormatHash(hash, times->hash);
    const spCell cells[] = {
        SP_TEXT_CELL("name", "name", -24, name),
        SP_WHOLE_CELL("threads", "threads", 7, threads),
        SP_WHOLE_CELL("triangles", "triangles", 9, times->triangles),
        SP_NUMBER_CELL("rows", "rows", 8, "%.0f", times->rows / taken),
        SP_NUMBER_CELL("contacts", "contacts", 8, "%.0f", times->contacts / taken),
        SP_NUMBER_CELL("sweeps", "sweeps", 7, "%.0f", times->sweeps / taken),
        SP_NUMBER_CELL(NULL, "detection", 9, "%.3f", detection.median),
        SP_NUMBER_CELL(NULL, "response", 9, "%.3f", response.median),
        SP_NUMBER_CELL(NULL, "rest", 9, "%.3f", rest.median),
        SP_NUMBER_CELL("usPerTriangle", "us/tri", 7, "%.3f", 1e3 * detection.median / times->triangles),
        SP_TEXT_CELL("stateHash", "state hash", 0, hash),
        SP_WHOLE_CELL("flags", NULL, 0, times->flags),
    };
    json_t* json = spTellRow(&run->table, cells, SP_CELL_COUNT(cells));
    json_object_set_new(json, "detectionMsPerStep", spMakeTimesJson(&detection));
    json_object_set_new(json, "responseMsPerStep", spMakeTimesJson(&response));
    json_object_set_new(json, "restMsPerStep", spMakeTimesJson(&rest));
    json_array_append_new(run->results, json);
}

void spRunContactBench(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    spNameBenchmark(family, size, name, sizeof(name));
    int stepCount = family->steps * run->repeat;
    for (int t = 0; t < run->threadCount && spIsInterrupted() == false; ++t)
    {
        spContactTimes times = {.detection = malloc(3 * (size_t)stepCount * sizeof(double))};
        spError error = {.message = "out of memory"};
        times.response = times.detection != NULL ? times.detection + stepCount : NULL;
        times.rest = times.detection != NULL ? times.response + stepCount : NULL;
        bool ok = times.detection != NULL;
        int taken = 0;
        for (int i = 0; ok && i < run->repeat; ++i)
        {
            spContactScene scene = spBuildContactScene(family, size, run->threads[t], run->lanes);
            ok = scene.world != NULL;
            error = scene.error;
            taken = ok ? spTimeContacts(&scene, family, taken, &times) : 0;
            spDestroyWorld(scene.world);
        }
        if (ok && taken > 0 && (times.flags & (sp_stepNonFinite | sp_stepUnstable)) == 0)
        {
            spTellContacts(run, name, run->threads[t], taken, &times);
        }
        else if (spIsInterrupted() == false)
        {
            spFailBench(run, name, ok ? "a body did not stay stable: its times mean nothing" : error.message);
        }
        free(times.detection);
    }
}
