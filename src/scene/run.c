// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Runs: building the world of a scene, and stepping it.

#include "scene/run.h"

#include <math.h>
#include <string.h>

spRunDef spDefaultRunDef(void)
{
    return (spRunDef){.internalValue = SP_DEF_COOKIE};
}

static bool spCheckRunDef(const spRunDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "spCreateRun: the definition did not come from spDefaultRunDef");
    }
    if (!(def->dt >= 0.0 && def->dt <= 10.0) || !(def->duration >= 0.0 && def->duration <= 1e6))
    {
        return spFail(error, sp_errorBadArgument,
                      "spCreateRun: dt must be in 0..10 s and duration in 0..1e6 s");
    }
    if (def->stepCount < 0)
    {
        return spFail(error, sp_errorBadArgument, "spCreateRun: stepCount %lld must not be negative",
                      (long long)def->stepCount);
    }
    if (def->threadCount < 0 || def->threadCount > SP_MAX_WORKERS)
    {
        return spFail(error, sp_errorBadArgument, "spCreateRun: threadCount must be in 0..%d",
                      SP_MAX_WORKERS);
    }
    return true;
}

// Rounds that bodies that start inside each other have to come apart
#define SP_UNTANGLE_ROUNDS 400

// Slower than this bodies of a live run may sleep, where the scene does not say, m/s
#define SP_LIVE_SLEEP_SPEED ((spReal)0.002)

static bool spMeasuresIntersections(const spSceneData* data)
{
    const spMeasurementData* measurements = data->measurements.data;
    for (int i = 0; i < data->measurements.count; ++i)
    {
        if (measurements[i].type == sp_measureIntersections)
        {
            return true;
        }
    }
    return false;
}

static spWorld* spBuildWorld(spRun* run, const spRunDef* def, spProblems* problems)
{
    const spSceneData* data = &run->scene->data;
    spWorldDef worldDef = spDefaultWorldDef();
    spFillDef(data, &worldDef);
    worldDef.workerCount = def->threadCount > 0 ? def->threadCount : data->threads;
    worldDef.laneCount = def->laneCount;
    worldDef.allocator = def->allocator;
    worldDef.logger = def->logger;
    worldDef.countIntersections = worldDef.countIntersections || spMeasuresIntersections(data);
    if (def->live && spIsGiven(&data->head, &data->sleepSpeed) == false)
    {
        worldDef.sleepSpeed = SP_LIVE_SLEEP_SPEED;
    }
    spError error = {0};
    spWorld* world = spCreateWorld(&worldDef, &error);
    if (world == NULL)
    {
        spReportError(problems, &error);
    }
    return world;
}

static bool spBuildBodies(spRun* run, spProblems* problems)
{
    const spSceneData* data = &run->scene->data;
    run->bodies = spAllocZeroed(&run->heap, spArraySize(data->bodies.count, sizeof(spRunBody)));
    run->colliders = spAllocZeroed(&run->heap, spArraySize(data->colliders.count, sizeof(spColliderId)));
    if ((run->bodies == NULL && data->bodies.count > 0) ||
        (run->colliders == NULL && data->colliders.count > 0))
    {
        return false;
    }
    for (int i = 0; i < data->bodies.count; ++i)
    {
        const spBodyData* body = (const spBodyData*)data->bodies.data + i;
        spBuildSceneBody(run->scene, run->world, body, &run->heap, &run->bodies[i], problems);
        run->scratchCount = spMaxInt(run->scratchCount, run->bodies[i].nodeCount + body->nodeRoom);
    }
    for (int i = 0; i < data->colliders.count; ++i)
    {
        const spColliderData* collider = (const spColliderData*)data->colliders.data + i;
        run->colliders[i] = spBuildSceneCollider(run->scene, run->world, collider, &run->heap, problems);
    }
    for (int i = 0; i < data->pairs.count; ++i)
    {
        const spPairData* pair = (const spPairData*)data->pairs.data + i;
        spBodyId body = run->bodies[spFindBodyIndex(run->scene, pair->body)].id;
        spThing other =
            pair->otherBody[0] != 0
                ? spBodyThing(run->bodies[spFindBodyIndex(run->scene, pair->otherBody)].id)
                : spColliderThing(run->colliders[spFindColliderIndex(run->scene, pair->collider)]);
        spBuildScenePair(run->world, pair, body, other, problems);
    }
    run->scratch = spAlloc(&run->heap, spArraySize(run->scratchCount, sizeof(spVec3)));
    run->forces = spAlloc(&run->heap, spArraySize(run->scratchCount, sizeof(spDVec3)));
    return run->scratchCount == 0 || (run->scratch != NULL && run->forces != NULL);
}

// Preconditioners that a thread makes come into use by the clock
static bool spMakeLive(spRun* run, spProblems* problems)
{
    for (int i = 0; i < run->scene->data.bodies.count; ++i)
    {
        spMethodDef method = spBody_GetMethod(run->world, run->bodies[i].id);
        if (method.solver.age == 0 || method.filter.type != sp_filterNone)
        {
            continue;
        }
        method.solver.age = 0;
        if (!spBody_SetMethod(run->world, run->bodies[i].id, &method))
        {
            spReportWorld(problems, run->world, &run->bodies[i].data->head, NULL,
                          "its method cannot be live");
            return false;
        }
    }
    return true;
}

// A step that is left open is 1/60 s, cut into as many parts as the bodies with a fixed number of substeps
// need to stay within their share of the stable step. Others cut it into substeps by themselves.
static void spChooseSteps(spRun* run, const spRunDef* def)
{
    const double most = 10000.0;
    run->dt = def->dt > 0.0 ? def->dt : spScene_GetTimeStep(run->scene);
    if (def->dt == 0.0 && run->scene->data.dt == 0.0)
    {
        double parts = 1.0;
        for (int i = 0; i < run->scene->data.bodies.count; ++i)
        {
            spMethodDef method = spBody_GetMethod(run->world, run->bodies[i].id);
            double stable = spBody_GetStableStep(run->world, run->bodies[i].id);
            bool given = method.type != sp_methodAuto || method.filter.type != sp_filterNone;
            if (given && method.substeps > 0 && stable > 0.0)
            {
                parts = fmax(parts, ceil(run->dt / ((double)method.safety * stable * method.substeps)));
            }
        }
        run->dt /= fmin(parts, most);
    }
    double duration = def->duration > 0.0 ? def->duration : run->scene->data.duration;
    run->stepCount =
        def->stepCount > 0 ? def->stepCount : (int64_t)fmax(1.0, ceil(duration / run->dt - 1e-6));
    run->duration = (double)run->stepCount * run->dt;
}

void spSetTimeStep(spRun* run, double dt)
{
    run->dt = dt;
    run->stepCount = run->stepsDone + (int64_t)fmax(0.0, ceil((run->duration - run->covered) / dt - 1e-6));
}

spRun* spBuildRun(const spScene* scene, const spRunDef* def, spProblems* problems)
{
    problems->places = &scene->places;
    spHeap heap = spMakeHeap(&def->allocator);
    spRun* run = spAllocZeroed(&heap, sizeof(spRun));
    spError error = {0};
    if (run == NULL)
    {
        spFailMemory(&error, "run", sizeof(spRun));
        spReportError(problems, &error);
        return NULL;
    }
    run->heap = heap;
    run->scene = scene;
    run->logger = def->logger;
    run->live = def->live;
    run->world = spBuildWorld(run, def, problems);
    if (run->world != NULL)
    {
        bool good = spBuildBodies(run, problems);
        if (good && problems->errorCount == 0 && (!def->live || spMakeLive(run, problems)))
        {
            spChooseSteps(run, def);
            good = spBuildTimeline(run, problems) && spBuildMeasurements(run, problems);
        }
        if (good && problems->errorCount == 0 && def->untangle)
        {
            run->untangled = true;
            spWorld_Untangle(run->world, SP_UNTANGLE_ROUNDS, &run->untangleReport);
        }
        if (!good)
        {
            spFailMemory(&error, "run", 0);
            spReportError(problems, &error);
        }
    }
    if (problems->errorCount > 0)
    {
        spDestroyRun(run);
        return NULL;
    }
    if (spWorld_ChooseMethods(run->world, (spReal)run->dt) == false)
    {
        spFailMemory(&error, "run", 0);
        spReportError(problems, &error);
        spDestroyRun(run);
        return NULL;
    }
    spTakeMeasurements(run);
    return run;
}

// Bodies that start from equilibrium go there. Not to converge is for the report of the run.
static void spRelaxBodies(spRun* run, spProblems* problems)
{
    for (int i = 0; i < run->scene->data.bodies.count; ++i)
    {
        spRunBody* body = &run->bodies[i];
        const spRelaxData* relax = &body->data->relax;
        if (!spIsGiven(&body->data->head, relax) || !relax->active)
        {
            continue;
        }
        spRelaxDef def = spDefaultRelaxDef();
        spFillDef(relax, &def);
        body->relaxed = spBody_Relax(run->world, body->id, &def, &body->relaxResult);
        if (!body->relaxed)
        {
            spReportWorld(problems, run->world, &body->data->head, relax, "this body cannot be relaxed");
        }
    }
    spTakeMeasurements(run);
}

spRun* spCreateRun(const spScene* scene, const spRunDef* def, spError* error)
{
    if (scene == NULL)
    {
        spFail(error, sp_errorBadArgument, "spCreateRun: scene is NULL");
        return NULL;
    }
    if (!spCheckRunDef(def, error))
    {
        return NULL;
    }
    spSceneProblem kept[SP_KEPT_WARNINGS];
    spProblems problems = {.data = kept, .capacity = SP_KEPT_WARNINGS};
    spRun* run = spBuildRun(scene, def, &problems);
    if (run != NULL)
    {
        spKeepWarnings(&run->warnings, &problems);
        spRelaxBodies(run, &problems);
        spError noMemory = {0};
        if (problems.errorCount == 0 && !spSaveState(run, "start", &noMemory))
        {
            spReportError(&problems, &noMemory);
        }
    }
    if (problems.errorCount > 0)
    {
        spDestroyRun(run);
        run = NULL;
    }
    if (run == NULL && error != NULL)
    {
        *error = problems.first;
    }
    return run;
}

void spDestroyRun(spRun* run)
{
    if (run == NULL)
    {
        return;
    }
    const spSceneData* data = &run->scene->data;
    spFreeStates(run);
    spFreeTimeline(run);
    for (int i = 0; run->bodies != NULL && i < data->bodies.count; ++i)
    {
        spFreeSceneTets(&run->bodies[i], &run->heap);
        spFreeDrivenPins(&run->bodies[i], &run->heap);
    }
    spFree(&run->heap, run->measurements);
    spFree(&run->heap, run->values);
    spFree(&run->heap, run->scratch);
    spFree(&run->heap, run->forces);
    spFree(&run->heap, run->bodies);
    spFree(&run->heap, run->colliders);
    spDestroyWorld(run->world);
    spHeap heap = run->heap;
    spFree(&heap, run);
}

uint32_t spRun_PlayEvents(spRun* run)
{
    if (!run->played)
    {
        run->playedFlags = spPlayTimeline(run);
        run->played = true;
    }
    return run->playedFlags;
}

// What follows a step of the world
static uint32_t spFinishStep(spRun* run, uint32_t flags)
{
    run->played = false;
    run->stepsDone += 1;
    spReal taken = spWorld_GetReport(run->world).dtTaken;
    run->covered += taken == (spReal)run->dt ? run->dt : (double)taken;
    spNoteInversions(run);
    spTakeMeasurements(run);
    return flags;
}

uint32_t spRun_Step(spRun* run)
{
    uint32_t flags = spRun_PlayEvents(run);
    return spFinishStep(run, flags | spWorld_Step(run->world, (spReal)run->dt));
}

uint32_t spRun_StepBudget(spRun* run, double budget)
{
    run->paced = true;
    uint32_t flags = spRun_PlayEvents(run);
    return spFinishStep(run, flags | spWorld_StepBudget(run->world, (spReal)run->dt, budget));
}

bool spRun_IsDone(const spRun* run)
{
    return run->paced ? run->covered >= run->duration - 0.5 * run->dt : run->stepsDone >= run->stepCount;
}

double spRun_GetTime(const spRun* run)
{
    return spWorld_GetTime(run->world);
}

double spRun_GetTimeStep(const spRun* run)
{
    return run->dt;
}

int64_t spRun_GetStepCount(const spRun* run)
{
    return run->stepCount;
}

spWorld* spRun_GetWorld(spRun* run)
{
    return run->world;
}

spError spRun_GetLastError(const spRun* run)
{
    return run->lastError;
}

spBodyId spRun_FindBody(const spRun* run, const char* name)
{
    int index = name != NULL ? spFindBodyIndex(run->scene, name) : -1;
    return index >= 0 ? run->bodies[index].id : (spBodyId){0};
}

bool spRun_GetRelaxResult(const spRun* run, const char* name, spRelaxResult* result)
{
    int index = name != NULL ? spFindBodyIndex(run->scene, name) : -1;
    if (index < 0 || !run->bodies[index].relaxed)
    {
        return false;
    }
    *result = run->bodies[index].relaxResult;
    return true;
}

bool spRun_GetUntangleReport(const spRun* run, spUntangleReport* report)
{
    if (run->untangled)
    {
        *report = run->untangleReport;
    }
    return run->untangled;
}

spColliderId spRun_FindCollider(const spRun* run, const char* name)
{
    int index = name != NULL ? spFindColliderIndex(run->scene, name) : -1;
    return index >= 0 ? run->colliders[index] : (spColliderId){0};
}

int spRun_GetMeasurementCount(const spRun* run)
{
    return run->measurementCount;
}

const char* spRun_GetMeasurementName(const spRun* run, int measurement)
{
    bool good = measurement >= 0 && measurement < run->measurementCount;
    return good ? run->measurements[measurement].data->name : "";
}

const char* spRun_GetMeasurementUnit(const spRun* run, int measurement)
{
    bool good = measurement >= 0 && measurement < run->measurementCount;
    return good ? run->measurements[measurement].unit : "";
}

double spRun_GetMeasurement(const spRun* run, int measurement)
{
    bool good = measurement >= 0 && measurement < run->measurementCount;
    return good ? run->values[measurement] : (double)NAN;
}

const double* spRun_GetMeasurements(const spRun* run)
{
    return run->values;
}
