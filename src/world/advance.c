// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies advance: alone, or slice by slice in an island with the rows between them.

#include "world/step.h"

#include "base/error.h"
#include "base/timer.h"
#include "contact/rounds.h"
#include "math/vec3.h"
#include "world/guard.h"

#include <math.h>

static spIslandContext spGetIslandContext(const spStep* step)
{
    spWorld* world = step->world;
    return (spIslandContext){
        .arena = &world->arena,
        .bodies = world->bodies,
        .bodyCount = world->bodyIds.slotCount,
        .links = world->links,
        .linkCount = world->linkIds.slotCount,
        .touches = &world->touches,
        .multipliers = world->multipliers + sp_rowHold,
    };
}

// What bodies may touch of each other in the step, and which of them advance together
void spFindGroups(spStep* step)
{
    spWorld* world = step->world;
    spTouchContext context = spGetTouchContext(world, step->dt);
    context.team = step->team;
    spIslandContext islands = spGetIslandContext(step);
    double start = spGetSeconds();
    bool found = spThickenSurfaces(world, &context) && spFindTouches(&context);
    step->detectionMs += 1000.0 * (spGetSeconds() - start);
    found = spFindIslands(&islands, &step->islands) && found;
    step->report.flags |= found ? 0 : sp_stepOutOfMemory;
    step->report.rowCount += step->islands.rowCount;
}

void spCountGroupSlices(spStep* step)
{
    spIslandContext islands = spGetIslandContext(step);
    spCountSlices(&islands, &step->islands, step->dt, &step->report.flags);
}

// Over the whole step, or over one of several slices of it
static void spAdvanceBody(spStep* step, int slot, spTeam* team, int slices)
{
    spBody* body = step->world->bodies[slot];
    spAdvanceResult* total = step->results + slot;
    spBodyTime* time = step->times + slot;
    double start = spGetSeconds();
    step->advances[slot].team = team;
    step->advances[slot].deadline = time->allowed > 0.0 ? start + time->allowed / slices : 0.0;
    spAdvanceResult result = body->backend->advance(body, step->advances + slot);
    time->taken += spGetSeconds() - start;
    time->least += result.leastSeconds;
    time->substeps += result.substepCount;
    total->flags |= result.flags;
    total->substepCount += result.substepCount;
    total->forceEvaluations += result.forceEvaluations;
    total->filterSeconds += result.filterSeconds;
    total->filterStrength = fmax(total->filterStrength, result.filterStrength);
    total->solverIterations += result.solverIterations;
    total->solverResidual = fmax(total->solverResidual, result.solverResidual);
    total->disobeyed = total->disobeyed || result.disobeyed;
    total->outOfMemory = total->outOfMemory || result.outOfMemory;
    total->flags |= result.outOfMemory ? sp_stepOutOfMemory : 0;
}

static void spAdvanceSmallBodies(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    spStep* step = context;
    for (int i = begin; i < end; ++i)
    {
        spBody* body = step->world->bodies[i];
        if (body != NULL && body->running && spIsSmall(body) && body->island < 0)
        {
            spAdvanceBody(step, i, NULL, 1);
        }
    }
}

// The same over a slice, or over the last slice once more: then no clock stops it, and what it has said before
// does not count
static void spAdvanceInSlice(void* context, int slot, bool again)
{
    spStep* step = context;
    spAdvanceContext* advance = step->advances + slot;
    spAdvanceResult* total = step->results + slot;
    int slices = step->world->bodies[slot]->slices;
    double taken = step->times[slot].taken;
    if (again == false)
    {
        step->earlier[slot] = total->flags;
        spAdvanceBody(step, slot, step->team, slices);
        step->sliceMs += 1000.0 * (step->times[slot].taken - taken);
        return;
    }
    spAdvanceContext kept = *advance;
    double allowed = step->times[slot].allowed;
    int substeps = total->substepCount;
    total->flags = step->earlier[slot];
    advance->again = true;
    advance->choices = NULL;
    step->times[slot].allowed = 0.0;
    spAdvanceBody(step, slot, step->team, slices);
    step->sliceMs += 1000.0 * (step->times[slot].taken - taken);
    step->times[slot].allowed = allowed;
    total->substepCount = substeps;
    *advance = kept;
}

void spTellResponse(spStep* step, const spResponseResult* result)
{
    step->report.sweepCount += result->sweepCount;
    step->report.rowResidual = fmax(step->report.rowResidual, result->residual);
    step->report.flags |= result->converged ? 0 : sp_stepNotConverged;
    step->report.flags |= result->outOfMemory ? sp_stepOutOfMemory : 0;
}

spResponseContext spGetResponseContext(const spStep* step, spReal dt)
{
    spWorld* world = step->world;
    return (spResponseContext){
        .arena = &world->arena,
        .heap = &world->heap,
        .bodies = world->bodies,
        .bodyCount = world->bodyIds.slotCount,
        .colliders = spGetColliders(world),
        .dt = dt,
        .restitutionThreshold = world->def.restitutionThreshold,
    };
}

// Whether a contact between bodies can act in a slice of dt: before its bodies have moved, or after
static bool spMayAct(const spStep* step, spRow* row, spReal dt, bool moved)
{
    if (row->law == sp_rowHold)
    {
        return true;
    }
    spBody* const* bodies = step->world->bodies;
    spRowNode* pool = step->islands.pool;
    spRefreshTouch(row, pool, bodies);
    if (moved)
    {
        return row->gap <= 0;
    }
    spVec3 v = spSub3(spSumSide(&row->a, pool, bodies[row->a.slot]->v),
                      spSumSide(&row->b, pool, bodies[row->b.slot]->v));
    spReal approach = -spDot3(v, row->normal);
    spReal reach = 2 * dt * (approach > 0 ? approach : 0) + 2 * dt * dt * spLength3(step->world->def.gravity);
    return row->gap < reach || spLengthSquared3(row->force) > 0;
}

// Solves the rows of an island that act after a slice, or while its bodies take it again and again
static void spSolveIsland(spStep* step, int number, spReal dt)
{
    spWorld* world = step->world;
    const spIsland* island = step->islands.islands + number;
    spRow* rows = step->islands.rows + island->firstRow;
    size_t mark = world->arena.used;
    spRow* active = spArenaAlloc(&world->arena, spArraySize(island->rowCount, sizeof(spRow)));
    int32_t* places = spArenaAlloc(&world->arena, spArraySize(island->rowCount, sizeof(int32_t)));
    spRoundsContext context = {.response = spGetResponseContext(step, dt),
                               .island = number,
                               .advance = spAdvanceInSlice,
                               .step = step};
    context.response.modelHeld = true;
    context.response.island = number;
    context.response.pairs = active;
    context.response.pool = step->islands.pool;
    double start = spGetSeconds();
    for (int k = 0; active != NULL && places != NULL && k < island->rowCount; ++k)
    {
        if (spMayAct(step, rows + k, dt, island->repeats == false))
        {
            places[context.response.pairCount] = k;
            active[context.response.pairCount++] = rows[k];
        }
        else
        {
            rows[k].force = (spVec3){0, 0, 0};
            rows[k].age = 0;
        }
    }
    double found = spGetSeconds(), sliceMs = step->sliceMs;
    step->detectionMs += 1000.0 * (found - start);
    spResponseResult result = island->repeats ? spSolveRounds(&context) : spSolveRows(&context.response);
    step->responseMs += 1000.0 * (spGetSeconds() - found) - (step->sliceMs - sliceMs);
    result.outOfMemory = result.outOfMemory || active == NULL || places == NULL;
    spTellResponse(step, &result);
    for (int k = 0; k < context.response.pairCount; ++k)
    {
        rows[places[k]] = active[k];
    }
    spRewindArena(&world->arena, mark);
}

// The bodies of an island go side by side, a substep each, and their rows are solved after every one: rows that acted
// only once in a step would be as soft as the step is long
static void spAdvanceIsland(spStep* step, int number)
{
    spWorld* world = step->world;
    const spIsland* island = step->islands.islands + number;
    spReal dt = step->dt / (spReal)island->slices;
    for (int slice = 0; slice < island->slices; ++slice)
    {
        for (int i = 0; i < world->bodyIds.slotCount; ++i)
        {
            spBody* body = world->bodies[i];
            if (body != NULL && body->running && body->island == number)
            {
                step->advances[i].dt = dt;
                step->advances[i].startFraction = (spReal)slice / (spReal)island->slices;
                step->advances[i].substepCount = 1;
                step->advances[i].firstSubstep = slice;
                step->advances[i].centred = island->centred;
                if (island->repeats == false)
                {
                    spAdvanceInSlice(step, i, false);
                }
            }
        }
        spSolveIsland(step, number, dt);
    }
}

// What flags alone do not say
static void spTellTrouble(spStep* step, int slot)
{
    if (step->results[slot].outOfMemory)
    {
        spError error = {0};
        spFail(&error, sp_errorOutOfMemory, "out of memory: %s has not moved in step %lld",
               step->world->bodies[slot]->name, (long long)step->world->stepCount);
        spRecordError(step->world, &error);
    }
    if (step->results[slot].disobeyed)
    {
        spError error = {0};
        spFail(&error, sp_errorBadArgument,
               "%s: step %lld could not do what was decided for it: the decisions are those of another run",
               step->world->bodies[slot]->name, (long long)step->world->stepCount);
        spRecordError(step->world, &error);
    }
}

static void spReportBody(spStep* step, int slot)
{
    const spAdvanceResult* result = step->results + slot;
    spStepReport* report = &step->report;
    spTellTrouble(step, slot);
    report->flags |= result->flags;
    report->substepCount = spMaxInt(report->substepCount, result->substepCount);
    report->forceEvaluations += result->forceEvaluations;
    report->filterSeconds += result->filterSeconds;
    report->filterStrength = fmax(report->filterStrength, result->filterStrength);
    report->solverIterations += result->solverIterations;
    report->solverResidual = fmax(report->solverResidual, result->solverResidual);
}

// Colliders and links that were on their way have arrived
static void spArrive(spWorld* world)
{
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        spCollider* collider = world->colliders[i];
        if (collider != NULL && collider->moving)
        {
            collider->def.transform = collider->target;
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        if (world->links[i] != NULL)
        {
            world->links[i]->offset = world->links[i]->target;
        }
    }
}

void spRunAdvance(spStep* step)
{
    spWorld* world = step->world;
    spSaveGoodStates(world);
    spParallelFor(step->team, spAdvanceSmallBodies, world->bodyIds.slotCount, 1, step);
    for (int i = 0; i < step->islands.count; ++i)
    {
        spAdvanceIsland(step, i);
    }
    spHarvestPairs(step);
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body == NULL || body->running == false)
        {
            continue;
        }
        if (spIsSmall(body) == false && body->island < 0)
        {
            spAdvanceBody(step, i, step->team, 1);
        }
        spReportBody(step, i);
        spFinishDrivenNodes(body);
        body->time = world->time + (double)step->dt;
    }
    spKeepDecisions(world, step->advances, step->dt != step->askedDt ? (double)step->dt : 0.0);
    spArrive(world);
}
