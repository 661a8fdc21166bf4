// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One step of the world, stage by stage.

#include "world/step.h"

#include "base/error.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "world/guard.h"
#include "world/sleep.h"

#include <math.h>

// Whether there is anything to share: one small body keeps one thread busy
static bool spHasParallelWork(const spWorld* world)
{
    int running = 0;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (body != NULL && body->running)
        {
            running += spIsSmall(body) ? 1 : 2;
        }
    }
    return running > 1;
}

// ---- commands ----

static bool spHasMovingCollider(const spWorld* world)
{
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        if (world->colliders[i] != NULL && world->colliders[i]->moving)
        {
            return true;
        }
    }
    return false;
}

static bool spHasMovingLink(const spWorld* world)
{
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        const spLink* link = world->links[i];
        if (link != NULL && (link->target.x != link->offset.x || link->target.y != link->offset.y ||
                             link->target.z != link->offset.z))
        {
            return true;
        }
    }
    return false;
}

// What bodies do where they would look at the clock, or how long they may take
static void spPrepareClock(spStep* step)
{
    spWorld* world = step->world;
    if (step->outOfMemory)
    {
        spFailMemory(&step->error, "a step", world->arena.used);
        return;
    }
    spCountGroupSlices(step);
    if (spPrepareChoices(world, step->advances, step->dt, &step->error) && step->budget > 0.0)
    {
        spShareBudget(world, step->dt, step->budget, step->times);
    }
}

static void spAllocateStep(spStep* step)
{
    spArena* arena = &step->world->arena;
    int slotCount = step->world->bodyIds.slotCount;
    spResetArena(arena);
    step->advances = spArenaAlloc(arena, spArraySize(slotCount, sizeof(spAdvanceContext)));
    step->results = spArenaAlloc(arena, spArraySize(slotCount, sizeof(spAdvanceResult)));
    step->earlier = spArenaAlloc(arena, spArraySize(slotCount, sizeof(uint32_t)));
    step->times = spArenaAlloc(arena, spArraySize(slotCount, sizeof(spBodyTime)));
    step->outOfMemory = slotCount > 0 && (step->advances == NULL || step->results == NULL ||
                                          step->earlier == NULL || step->times == NULL);
}

// Contact candidates that a hand has moved away from
static void spRenewRows(spStep* step)
{
    spWorld* world = step->world;
    world->rowsDirty = spApproachAll(world) || world->rowsDirty;
    if (world->rowsDirty || spHasMovingCollider(world) || spHasMovingLink(world))
    {
        uint32_t flags = 0;
        spFindRows(world, NULL, step->dt, &flags);
        // What was not found is looked for again when the step cannot be made
        world->rowsDirty = (flags & sp_stepOutOfMemory) != 0;
        step->report.flags |= flags;
    }
}

static void spBeginBody(spStep* step, int slot)
{
    spWorld* world = step->world;
    spBody* body = world->bodies[slot];
    body->contactForce = (spVec3){0, 0, 0};
    body->pinForce = (spVec3){0, 0, 0};
    body->gravity = fabs((double)body->gravityScale) * (double)spLength3(world->def.gravity);
    spUpdateHeldNodes(body);
    spStartDrivenNodes(body, step->dt);
    body->method->begin(body, step->dt, step->team);
    if (body->stableStep < step->report.stableStep)
    {
        step->report.stableStep = body->stableStep;
    }
    size_t poseSize = spArraySize(world->colliderIds.slotCount, sizeof(spPose));
    step->results[slot] = (spAdvanceResult){0};
    step->times[slot] = (spBodyTime){0};
    step->advances[slot] = (spAdvanceContext){
        .dt = step->dt,
        .stepDt = step->dt,
        .gravity = world->def.gravity,
        .colliders = spGetColliders(world),
        .colliderCount = world->colliderIds.slotCount,
        .poses = spArenaAlloc(&world->arena, poseSize),
        .restitutionThreshold = world->def.restitutionThreshold,
    };
    step->outOfMemory = step->outOfMemory || (poseSize > 0 && step->advances[slot].poses == NULL);
}

// Takes in what the user has changed, and prepares every body
static void spRunCommands(spStep* step)
{
    spWorld* world = step->world;
    int slotCount = world->bodyIds.slotCount;
    step->report.stableStep = INFINITY;
    spAllocateStep(step);
    step->outOfMemory = step->outOfMemory || spChooseMethods(world, step->askedDt) == false;
    spRenewRows(step);
    spFindGroups(step);
    for (int i = 0; i < slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (body == NULL)
        {
            continue;
        }
        step->report.bodyCount += 1;
        step->report.nodeCount += body->userCount;
        step->report.elementCount += body->elementCount;
        step->report.rowCount += body->rowCount;
        if (body->running && step->outOfMemory == false)
        {
            spBeginBody(step, i);
        }
    }
    int contactCount = world->contactCount;
    spClearForces(world);
    spKeepSleepingForces(world, contactCount);
    spPrepareClock(step);
    for (int i = 0; i < slotCount && step->error.code == sp_errorNone; ++i)
    {
        if (world->bodies[i] != NULL && world->bodies[i]->running)
        {
            spBeginWatch(world->bodies[i], world->def.gravity);
        }
    }
}

// ---- detection ----

static void spRunDetection(spStep* step)
{
    spHarvestAllRows(step);
    spFindRows(step->world, step->team, step->dt, &step->report.flags);
}

// ---- response ----

static void spRunResponse(spStep* step)
{
    spWorld* world = step->world;
    size_t mark = world->arena.used;
    spResponseContext context = spGetResponseContext(step, step->dt);
    context.multipliers = world->multipliers + sp_rowContact;
    context.solveContacts = true;
    spResponseResult result = spSolveRows(&context);
    spTellResponse(step, &result);
    spRewindArena(&world->arena, mark);
}

// ---- check ----

// Bodies that have gained energy, though nothing acted on them
static void spFindGains(spStep* step)
{
    spWorld* world = step->world;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body != NULL && body->running && spEndWatch(body, world->def.gravity))
        {
            step->report.flags |= sp_stepUnstable;
        }
    }
}

static void spRunCheck(spStep* step)
{
    spHarvestAllRows(step);
    spStopBadBodies(step);
    spGuardMotion(step->world, step->dt, &step->report);
    spFindGains(step);
}

// ---- adapt ----

static void spRunAdapt(spStep* step)
{
    for (int i = 0; i < step->world->bodyIds.slotCount; ++i)
    {
        spBody* body = step->world->bodies[i];
        if (body != NULL && body->running)
        {
            body->method->adapt(body, step->team);
        }
    }
}

// ---- publish ----

static void spPublish(spStep* step)
{
    spWorld* world = step->world;
    world->contactDt = step->dt;
    bool told = spDescribeContacts(world);
    told = spFollowContacts(world) && told;
    step->report.flags |= told ? 0 : sp_stepOutOfMemory;
    spEndSleep(world, step->dt, &step->report);
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        if (world->colliders[i] != NULL)
        {
            world->colliders[i]->moving = false;
        }
    }
    world->time += (double)step->dt;
    world->stepCount += 1;
    world->serial += 1;
    world->lastDt = step->dt;
    step->report.contactCount = world->contactCount;
    world->report = step->report;
}

// ---- the step ----

// Runs one stage and returns the milliseconds since the last one: one look at the clock for each
static double spTimeStage(spStep* step, void (*stage)(spStep* step))
{
    double last = step->clock;
    stage(step);
    step->clock = spGetSeconds();
    return 1000.0 * (step->clock - last);
}

// Budget 0 means none
static uint32_t spRunStep(spWorld* world, spReal askedDt, double budget)
{
    double start = spGetSeconds();
    spBeginSleep(world, askedDt);
    spTeam* team = spHasParallelWork(world) ? world->team : NULL;
    budget = world->decided ? 0.0 : budget;
    spReal dt = budget > 0.0 ? spPlanTime(world, askedDt, budget) : spGetDecidedTime(world, askedDt);
    uint32_t flags = dt < askedDt ? sp_stepDeadlineMissed : 0;
    spStep step = {.world = world,
                   .team = team,
                   .dt = dt,
                   .askedDt = askedDt,
                   .budget = budget,
                   .clock = start,
                   .report = {.flags = flags, .dtTaken = dt}};
    spProfile profile = {0};
    world->decisionCount = 0;

    spBeginTeam(team);
    profile.commands = spTimeStage(&step, spRunCommands);
    double found = step.detectionMs;
    profile.commands -= found;
    world->decided = false;
    if (step.error.code != sp_errorNone)
    {
        spEndTeam(team);
        // Nothing has moved yet: give up the step and say so
        spRecordError(world, &step.error);
        world->report = step.report;
        world->report.flags |= step.error.code == sp_errorOutOfMemory ? sp_stepOutOfMemory : sp_stepBadInput;
        world->report.dtTaken = 0;
        spEndSleep(world, 0, &world->report);
        return world->report.flags;
    }
    profile.advance = spTimeStage(&step, spRunAdvance);
    profile.advance -= step.detectionMs - found + step.responseMs;
    profile.detection = spTimeStage(&step, spRunDetection);
    profile.detection += step.detectionMs;
    profile.response = spTimeStage(&step, spRunResponse) + step.responseMs;
    profile.check = spTimeStage(&step, spRunCheck);
    profile.adapt = spTimeStage(&step, spRunAdapt);
    spEndTeam(team);
    profile.publish = spTimeStage(&step, spPublish);

    double seconds = step.clock - start;
    profile.step = 1000.0 * seconds;
    world->profile = profile;
    // The first step prepares what later ones find ready
    double once = world->stepCount == 1 ? 1e-3 * profile.commands : 0.0;
    spNoteCosts(world, step.times, 1e-3 * (profile.advance + step.responseMs), seconds - once);
    if (world->frameFcn != NULL)
    {
        world->frameFcn(world, world->frameContext);
    }
    return world->report.flags;
}

uint32_t spWorld_Step(spWorld* world, spReal dt)
{
    if (world == NULL)
    {
        return sp_stepBadInput;
    }
    if (!(dt > 0 && isfinite(dt)))
    {
        spError error = {0};
        spFail(&error, sp_errorBadArgument, "the time step %g s must be positive and finite", (double)dt);
        spRecordError(world, &error);
        world->report = (spStepReport){.flags = sp_stepBadInput};
        return sp_stepBadInput;
    }
    return spRunStep(world, dt, 0.0);
}

uint32_t spWorld_StepBudget(spWorld* world, spReal dt, double budget)
{
    if (world == NULL || !(dt > 0 && isfinite(dt)))
    {
        return spWorld_Step(world, dt);
    }
    if (!(budget > 0.0 && isfinite(budget)))
    {
        spError error = {0};
        spFail(&error, sp_errorBadArgument, "the budget %g s must be positive and finite", budget);
        spRecordError(world, &error);
        world->report = (spStepReport){.flags = sp_stepBadInput};
        return sp_stepBadInput;
    }
    return spRunStep(world, dt, budget);
}
