// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One step of the world, stage by stage.

#include "world/guard.h"
#include "world/sleep.h"

#include "base/error.h"
#include "base/timer.h"
#include "contact/approach.h"
#include "contact/detect.h"
#include "contact/island.h"
#include "contact/rounds.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>
#include <stdatomic.h>

typedef struct spStep
{
    spWorld* world;
    spTeam* team;
    spReal dt;
    spReal askedDt;
    double budget; // s; 0 for none
    spStepReport report;
    spAdvanceContext* advances; // by body slot
    spAdvanceResult* results;
    uint32_t* earlier; // flags of the slices before this one
    spBodyTime* times;
    spIslands islands;  // of bodies that advance together
    double detectionMs; // of contacts between bodies, within other stages
    double clock;       // s, when the last stage ended
    bool outOfMemory;
    spError error; // what keeps the step from being done
} spStep;

// Bodies of one patch are run side by side, each on one thread; larger ones one after the other, each on all
// threads
static bool spIsSmall(const spBody* body)
{
    return body->order.patchCount == 1;
}

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

static const spCollider* const* spGetColliders(const spWorld* world)
{
    return (const spCollider* const*)world->colliders;
}

// ---- commands ----

void spFindBodyRows(spWorld* world, int slot, bool isStatic, spTeam* team, spReal dt, uint32_t* flags)
{
    spBody* body = world->bodies[slot];
    spDetectContext context = {
        .team = team,
        .body = body,
        .bodySlot = slot,
        .colliders = spGetColliders(world),
        .colliderCount = world->colliderIds.slotCount,
        .links = world->links,
        .linkCount = world->linkIds.slotCount,
        .pairs = &world->pairTable,
        .dt = dt,
        .reach = world->def.contactSkin + 2 * dt * dt * spLength3(world->def.gravity),
        .contactCounts = spArenaAlloc(&world->arena, spArraySize(body->order.patchCount, sizeof(int))),
    };
    // Without inertia a node may go any way
    context.reach += isStatic ? (spReal)spGetBodySize(body) : 0;
    if (context.contactCounts == NULL || spDetectRows(&context) == false)
    {
        *flags |= sp_stepOutOfMemory;
    }
}

void spFindRows(spWorld* world, spTeam* team, spReal dt, uint32_t* flags)
{
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (body != NULL && body->running)
        {
            spFindBodyRows(world, i, body->methodDef.type == sp_quasiStatic, team, dt, flags);
        }
    }
}

bool spApproach(spWorld* world, int slot)
{
    spBody* body = world->bodies[slot];
    spUpdateHeldNodes(body);
    bool held = body->heldCount > 0 || body->methodDef.contact == sp_contactOff;
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        const spLink* link = world->links[i];
        held = held || (link != NULL && (link->body == slot || link->otherBody == slot));
    }
    return held == false && spApproachColliders(&(spApproachContext){
                                .body = body,
                                .colliders = spGetColliders(world),
                                .colliderCount = world->colliderIds.slotCount,
                                .pairs = &world->pairTable,
                                .gravity = world->def.gravity,
                            });
}

// Bodies without inertia that nothing held in the last step
static bool spApproachAll(spWorld* world)
{
    bool moved = false;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (body != NULL && body->running && body->methodDef.type == sp_quasiStatic &&
            (body->multipliers.count == 0 || world->rowsDirty))
        {
            moved = spApproach(world, i) || moved;
        }
    }
    return moved;
}

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
static void spFindGroups(spStep* step)
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

// What bodies do where they would look at the clock, or how long they may take
static void spPrepareClock(spStep* step)
{
    spWorld* world = step->world;
    if (step->outOfMemory)
    {
        spFailMemory(&step->error, "a step", world->arena.used);
        return;
    }
    spIslandContext islands = spGetIslandContext(step);
    spCountSlices(&islands, &step->islands, step->dt, &step->report.flags);
    if (spPrepareChoices(world, step->advances, step->dt, &step->error) && step->budget > 0.0)
    {
        spShareBudget(world, step->dt, step->budget, step->times);
    }
}

void spClearForces(spWorld* world)
{
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        if (world->colliders[i] != NULL)
        {
            world->colliders[i]->force = (spVec3){0, 0, 0};
            world->colliders[i]->torque = (spVec3){0, 0, 0};
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        if (world->links[i] != NULL)
        {
            world->links[i]->force = (spVec3){0, 0, 0};
        }
    }
    world->contactCount = 0;
}

// Takes in what the user has changed, and prepares every body
static void spRunCommands(spStep* step)
{
    spWorld* world = step->world;
    int slotCount = world->bodyIds.slotCount;
    spResetArena(&world->arena);
    step->report.stableStep = INFINITY;
    step->advances = spArenaAlloc(&world->arena, spArraySize(slotCount, sizeof(spAdvanceContext)));
    step->results = spArenaAlloc(&world->arena, spArraySize(slotCount, sizeof(spAdvanceResult)));
    step->earlier = spArenaAlloc(&world->arena, spArraySize(slotCount, sizeof(uint32_t)));
    step->times = spArenaAlloc(&world->arena, spArraySize(slotCount, sizeof(spBodyTime)));
    step->outOfMemory = slotCount > 0 && (step->advances == NULL || step->results == NULL ||
                                          step->earlier == NULL || step->times == NULL);
    step->outOfMemory = step->outOfMemory || spChooseMethods(world, step->askedDt) == false;
    world->rowsDirty = spApproachAll(world) || world->rowsDirty;
    if (world->rowsDirty || spHasMovingCollider(world) || spHasMovingLink(world))
    {
        uint32_t flags = 0;
        spFindRows(world, NULL, step->dt, &flags);
        // What was not found is looked for again when the step cannot be made
        world->rowsDirty = (flags & sp_stepOutOfMemory) != 0;
        step->report.flags |= flags;
    }
    spFindGroups(step);
    for (int i = 0; i < slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body == NULL)
        {
            continue;
        }
        step->report.bodyCount += 1;
        step->report.nodeCount += body->userCount;
        step->report.elementCount += body->elementCount;
        step->report.rowCount += body->rowCount;
        if (body->running == false || step->outOfMemory)
        {
            continue;
        }
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
        step->results[i] = (spAdvanceResult){0};
        step->times[i] = (spBodyTime){0};
        step->advances[i] = (spAdvanceContext){
            .dt = step->dt,
            .stepDt = step->dt,
            .gravity = world->def.gravity,
            .colliders = spGetColliders(world),
            .colliderCount = world->colliderIds.slotCount,
            .poses = spArenaAlloc(&world->arena, poseSize),
            .restitutionThreshold = world->def.restitutionThreshold,
        };
        step->outOfMemory = step->outOfMemory || (poseSize > 0 && step->advances[i].poses == NULL);
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

// ---- free motion ----

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
    if (again == false)
    {
        step->earlier[slot] = total->flags;
        spAdvanceBody(step, slot, step->team, slices);
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
    step->times[slot].allowed = allowed;
    total->substepCount = substeps;
    *advance = kept;
}

static void spTellResponse(spStep* step, const spResponseResult* result)
{
    step->report.sweepCount += result->sweepCount;
    step->report.rowResidual = fmax(step->report.rowResidual, result->residual);
    step->report.flags |= result->converged ? 0 : sp_stepNotConverged;
    step->report.flags |= result->outOfMemory ? sp_stepOutOfMemory : 0;
}

static spResponseContext spGetResponseContext(const spStep* step, spReal dt)
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
    step->detectionMs += 1000.0 * (spGetSeconds() - start);
    spResponseResult result = island->repeats ? spSolveRounds(&context) : spSolveRows(&context.response);
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

static void spSaveGoodStates(spWorld* world)
{
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body != NULL && body->running)
        {
            spCopyPositions(body, body->goodX, body->x);
            body->backend->copy(body->goodV, body->v, 0, body->nodeCount);
        }
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

// ---- rows between bodies, to be read by users and kept for the next step ----

// The nodes of a side; of a volume, which may have many, the three that carry most of it
static spContactSide spDescribeSide(const spStep* step, const spRowSide* side)
{
    const spBody* body = step->world->bodies[side->slot];
    spContactSide out = {0};
    for (int k = 0; k < side->count; ++k)
    {
        // Rising by weight from the end, as long as there is room
        spRowNode n = spGetSideNode(side, step->islands.pool, k);
        int at = out.count < 3 ? out.count++ : 3;
        for (; side->count > 3 && at > 0 && out.weights[at - 1] < n.weight; --at)
        {
            if (at < 3)
            {
                out.nodes[at] = out.nodes[at - 1];
                out.weights[at] = out.weights[at - 1];
            }
        }
        if (at < 3)
        {
            out.nodes[at] = body->order.order[n.node];
            out.weights[at] = n.weight;
        }
    }
    spReal sum = out.weights[0] + out.weights[1] + out.weights[2];
    for (int k = 0; side->count > 3 && k < 3; ++k)
    {
        out.weights[k] /= sum;
    }
    return out;
}

static void spHarvestTouch(spStep* step, spRow* row)
{
    spWorld* world = step->world;
    spBody *a = world->bodies[row->a.slot], *b = world->bodies[row->b.slot];
    spVec3 force = spScale3(1 / step->dt, row->impulse);
    spRefreshTouch(row, step->islands.pool, world->bodies);
    if (a != b)
    {
        a->contactForce = spAdd3(a->contactForce, force);
        b->contactForce = spSub3(b->contactForce, force);
    }
    if (spReserve(&world->heap, (void**)&world->contacts, world->contactCount, &world->contactCapacity,
                  world->contactCount + 1, sizeof(spContact)) == false)
    {
        step->report.flags |= sp_stepOutOfMemory;
        return;
    }
    spContactSide side = spDescribeSide(step, &row->a);
    world->contacts[world->contactCount++] = (spContact){
        .body = a->id,
        .node = side.nodes[0],
        .otherBody = b->id,
        .side = side,
        .otherSide = spDescribeSide(step, &row->b),
        .position = spSumSide(&row->a, step->islands.pool, a->x),
        .normal = row->normal,
        .gap = isfinite(row->gap) ? row->gap : 0,
        .force = force,
        .area = row->area,
        .age = row->age,
        .key = row->key,
    };
}

static void spHarvestPairs(spStep* step)
{
    spWorld* world = step->world;
    spMultipliers* list = world->multipliers + sp_rowHold;
    list->count = 0;
    bool room = spReserve(&world->heap, (void**)&list->entries, 0, &list->capacity, step->islands.rowCount,
                          sizeof(spMultiplier));
    step->report.flags |= room ? 0 : sp_stepOutOfMemory;
    for (int k = 0; k < step->islands.rowCount; ++k)
    {
        spRow* row = step->islands.rows + k;
        if (row->law == sp_rowHold)
        {
            spLink* link = world->links[row->link];
            link->force = spMulAdd3(link->force, 1 / step->dt, row->impulse);
        }
        else if (spLengthSquared3(row->impulse) > 0)
        {
            spHarvestTouch(step, row);
        }
        if (room && spLengthSquared3(row->force) > 0)
        {
            spVec3 slip = row->law == sp_rowContact ? row->slip : (spVec3){0, 0, 0};
            list->entries[list->count++] =
                (spMultiplier){.key = row->key, .force = row->force, .slip = slip, .age = row->age};
        }
    }
    spSortMultipliers(list);
}

static void spRunFreeMotion(spStep* step)
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
        spTellTrouble(step, i);
        step->report.flags |= step->results[i].flags;
        step->report.substepCount = spMaxInt(step->report.substepCount, step->results[i].substepCount);
        step->report.forceEvaluations += step->results[i].forceEvaluations;
        step->report.filterSeconds += step->results[i].filterSeconds;
        step->report.filterStrength = fmax(step->report.filterStrength, step->results[i].filterStrength);
        step->report.solverIterations += step->results[i].solverIterations;
        step->report.solverResidual = fmax(step->report.solverResidual, step->results[i].solverResidual);
        spFinishDrivenNodes(body);
        body->time = world->time + (double)step->dt;
    }
    spKeepDecisions(world, step->advances, step->dt != step->askedDt ? (double)step->dt : 0.0);
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

// ---- impulses, to be read by users ----

void spHarvestRows(spWorld* world, int slot, spReal dt, uint32_t* flags)
{
    spBody* body = world->bodies[slot];
    for (int i = 0; i < body->rowCount; ++i)
    {
        spRow* row = body->rows + i;
        if (spLengthSquared3(row->impulse) == 0)
        {
            continue;
        }
        spVec3 force = spScale3(1 / dt, row->impulse);
        int node = row->a.node;
        spVec3 position = spXyz(body->backend->view(body->x, node, node + 1)[node]);
        row->impulse = (spVec3){0, 0, 0};
        if (row->b.slot >= 0)
        {
            spCollider* collider = world->colliders[row->b.slot];
            spVec3 arm = spSub3(position, collider->def.transform.position);
            collider->force = spSub3(collider->force, force);
            collider->torque = spSub3(collider->torque, spCross3(arm, force));
        }
        if (row->law == sp_rowHold)
        {
            spLink* link = world->links[row->link];
            link->force = spAdd3(link->force, force);
            continue;
        }
        body->contactForce = spAdd3(body->contactForce, force);
        if (spReserve(&world->heap, (void**)&world->contacts, world->contactCount, &world->contactCapacity,
                      world->contactCount + 1, sizeof(spContact)) == false)
        {
            *flags |= sp_stepOutOfMemory;
            continue;
        }
        world->contacts[world->contactCount++] = (spContact){
            .body = body->id,
            .node = body->order.order[row->a.node],
            .side = {.count = 1, .nodes = {body->order.order[row->a.node]}, .weights = {1}},
            .key = row->key,
            .collider = world->colliders[row->b.slot]->id,
            .position = position,
            .normal = row->normal,
            .gap = row->gap,
            .force = force,
        };
    }
}

static void spHarvestAllRows(spStep* step)
{
    for (int i = 0; i < step->world->bodyIds.slotCount; ++i)
    {
        if (step->world->bodies[i] != NULL && step->world->bodies[i]->running)
        {
            spHarvestRows(step->world, i, step->dt, &step->report.flags);
        }
    }
}

// ---- detection ----

static void spRunDetection(spStep* step)
{
    spHarvestAllRows(step);
    spFindRows(step->world, step->team, step->dt, &step->report.flags);
}

// ---- response and correction ----

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

typedef struct spFiniteContext
{
    const spBody* body;
    atomic_bool bad;
} spFiniteContext;

static void spCheckFiniteStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    spFiniteContext* c = context;
    const spBody* body = c->body;
    int first = body->order.patchBegin[begin], last = body->order.patchBegin[end];
    if (body->backend->isFinite(body->x, first, last) == false ||
        body->backend->isFinite(body->v, first, last) == false)
    {
        atomic_store(&c->bad, true);
    }
}

// What a body that was stopped felt in the step is of no use, and need not be finite
static void spForgetForces(spWorld* world, spBody* body)
{
    body->contactForce = (spVec3){0, 0, 0};
    body->pinForce = (spVec3){0, 0, 0};
    int count = 0;
    for (int i = 0; i < world->contactCount; ++i)
    {
        if (SP_ID_EQUALS(world->contacts[i].body, body->id) == false &&
            SP_ID_EQUALS(world->contacts[i].otherBody, body->id) == false)
        {
            world->contacts[count++] = world->contacts[i];
        }
    }
    world->contactCount = count;
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        spCollider* collider = world->colliders[i];
        if (collider != NULL &&
            (spIsFinite3(collider->force) == false || spIsFinite3(collider->torque) == false))
        {
            collider->force = (spVec3){0, 0, 0};
            collider->torque = (spVec3){0, 0, 0};
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        spLink* link = world->links[i];
        if (link != NULL && spIsFinite3(link->force) == false)
        {
            link->force = (spVec3){0, 0, 0};
        }
    }
}

// A body that is no longer finite goes back to where it was before the step, and stops
static void spStopBadBodies(spStep* step)
{
    spWorld* world = step->world;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body == NULL || body->running == false)
        {
            continue;
        }
        spFiniteContext context = {.body = body};
        spParallelFor(step->team, spCheckFiniteStage, body->order.patchCount, 4, &context);
        if (atomic_load(&context.bad))
        {
            spCopyPositions(body, body->x, body->goodX);
            body->backend->copy(body->v, body->goodV, 0, body->nodeCount);
            body->running = false;
            body->rowCount = 0;
            spForgetForces(world, body);
            step->report.flags |= sp_stepNonFinite;
            if (SP_IS_NULL(step->report.stoppedBody))
            {
                step->report.stoppedBody = body->id;
            }
            spLog(&world->def.logger, sp_logWarning,
                  "%s turned non-finite at %g s and was stopped at its last good state; its stable step is "
                  "%g s",
                  body->name, world->time, body->stableStep);
        }
    }
}

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

static void spRunCorrection(spStep* step)
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
    profile.freeMotion = spTimeStage(&step, spRunFreeMotion);
    profile.freeMotion -= step.detectionMs - found;
    profile.detection = spTimeStage(&step, spRunDetection);
    profile.detection += step.detectionMs;
    profile.response = spTimeStage(&step, spRunResponse);
    profile.correction = spTimeStage(&step, spRunCorrection);
    profile.adapt = spTimeStage(&step, spRunAdapt);
    spEndTeam(team);
    profile.publish = spTimeStage(&step, spPublish);

    double seconds = step.clock - start;
    profile.step = 1000.0 * seconds;
    world->profile = profile;
    // The first step prepares what later ones find ready
    double once = world->stepCount == 1 ? 1e-3 * profile.commands : 0.0;
    spNoteCosts(world, step.times, 1e-3 * profile.freeMotion, seconds - once);
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
