// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the clock decides: how a budget is shared, and the decisions that a step leaves and that another one
// obeys.
//
// A method writes a choice for each substep in which it looked at the clock. Those become the decisions of
// the step. Decisions for a step become choices before it starts; the method then looks at them instead.
//
// Costs are remembered for what they belong to: a substep of a body with an explicit method, a step of one
// that the clock may stop, and the rest of a step, which takes as long however short the step is. So a step
// that covered little time says as much about the next one as any other.

#include "base/error.h"
#include "world/world.h"

#include <math.h>

// Share of the budget that a step plans to use
#define SP_BUDGET_SHARE 0.85

// Weight of the last step in what is remembered of costs: what was slow once is soon forgotten
#define SP_COST_WEIGHT 0.3
#define SP_CHEAPER_WEIGHT 0.6

// A step that does not fit covers at least this share of what it would if all costs went down with its length
#define SP_LEAST_SHARE 0.5

static bool spIsStoppable(const spBody* body)
{
    return body != NULL && body->running && body->method->checkChoice != NULL;
}

// ---- budget ----

// Wall seconds of the bodies that the clock does not stop
static double spGetFixedCost(const spWorld* world, spReal dt)
{
    double sum = 0.0;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        uint32_t flags = 0;
        if (body == NULL || body->running == false || body->cost == 0.0)
        {
            continue;
        }
        int count = body->method->countSubsteps(body, dt, &flags);
        count = body->island >= 0 ? spMaxInt(count, body->slices) : count;
        sum += spIsStoppable(body) ? 0.0 : body->cost * count;
    }
    return world->overlap * sum;
}

spReal spPlanTime(const spWorld* world, spReal dt, double budget)
{
    double rest = world->stepCost, motion = spGetFixedCost(world, dt), planned = SP_BUDGET_SHARE * budget;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        rest += spIsStoppable(world->bodies[i]) ? world->overlap * world->bodies[i]->leastCost : 0.0;
    }
    if (rest + motion <= planned)
    {
        return dt;
    }
    double least = SP_LEAST_SHARE * planned / (rest + motion);
    double share = motion > 0.0 ? fmax(least, (planned - rest) / motion) : least;
    return (spReal)(share * (double)dt);
}

void spShareBudget(const spWorld* world, spReal dt, double budget, spBodyTime* times)
{
    double cost = 0.0, nodes = 0.0, newNodes = 0.0;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (spIsStoppable(body))
        {
            cost += body->cost;
            nodes += body->cost > 0.0 ? (double)body->nodeCount : 0.0;
            newNodes += body->cost > 0.0 ? 0.0 : (double)body->nodeCount;
        }
    }
    // A body without a past counts as much for each node as the others
    double costPerNode = nodes > 0.0 ? cost / nodes : 1.0;
    double all = cost + costPerNode * newNodes;
    double left = SP_BUDGET_SHARE * budget - world->stepCost - spGetFixedCost(world, dt);
    double seconds = fmax(left, 0.0) / (world->overlap > 0.0 ? world->overlap : 1.0);
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (spIsStoppable(body))
        {
            double own = body->cost > 0.0 ? body->cost : costPerNode * body->nodeCount;
            times[i].allowed = fmax(seconds * own / all, 1e-9);
        }
    }
}

static double spSmooth(double old, double now)
{
    double weight = now < old ? SP_CHEAPER_WEIGHT : SP_COST_WEIGHT;
    return old > 0.0 ? (1.0 - weight) * old + weight * now : now;
}

void spNoteCosts(spWorld* world, const spBodyTime* times, double advance, double whole)
{
    double all = 0.0;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body == NULL || body->running == false)
        {
            continue;
        }
        bool stoppable = body->method->checkChoice != NULL;
        all += times[i].taken;
        body->cost = spSmooth(body->cost, times[i].taken / (stoppable ? 1 : spMaxInt(1, times[i].substeps)));
        body->leastCost = stoppable ? spSmooth(body->leastCost, times[i].least) : 0.0;
    }
    world->overlap = spSmooth(world->overlap, all > 0.0 ? advance / all : 1.0);
    world->stepCost = spSmooth(world->stepCost, fmax(whole - advance, 0.0));
}

// ---- decisions ----

int spWorld_GetDecisionCount(const spWorld* world)
{
    return world != NULL ? world->decisionCount : 0;
}

int spWorld_GetDecisions(const spWorld* world, spDecision* decisions, int capacity)
{
    int count = world != NULL && decisions != NULL ? spMinInt(world->decisionCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        decisions[i] = world->decisions[i];
    }
    return count > 0 ? count : 0;
}

static bool spCheckTime(const spDecision* decisions, int index, spError* error)
{
    const spDecision* d = decisions + index;
    if (!(d->dt > 0.0 && isfinite(d->dt)) || d->factorStep != -1 || d->stopAfter != -1 || d->substep != 0)
    {
        return spFail(error, sp_errorBadArgument,
                      "decision %d names no body: it must have a time that is positive and finite, and no "
                      "substep, factorStep or stopAfter",
                      index);
    }
    for (int i = 0; i < index; ++i)
    {
        if (SP_IS_NULL(decisions[i].body))
        {
            return spFail(error, sp_errorBadArgument, "decisions %d and %d both set the time of the step", i,
                          index);
        }
    }
    return true;
}

static bool spCheckDecision(const spWorld* world, const spDecision* decisions, int index, spError* error)
{
    const spDecision* d = decisions + index;
    if (d->step != world->stepCount)
    {
        return spFail(error, sp_errorBadArgument, "decision %d is for step %lld; the next step is %lld",
                      index, (long long)d->step, (long long)world->stepCount);
    }
    if (SP_IS_NULL(d->body))
    {
        return spCheckTime(decisions, index, error);
    }
    const spBody* body = spGetBody(world, d->body);
    if (body == NULL)
    {
        return spFail(error, sp_errorStaleId,
                      "decision %d: the body id (%u) names one that is not there or was destroyed", index,
                      d->body.index1);
    }
    if (body->method->checkChoice == NULL)
    {
        return spFail(error, sp_errorBadArgument,
                      "decision %d: %s has an explicit method, which the clock does not stop", index,
                      body->name);
    }
    if (d->substep < 0 || d->dt != 0.0)
    {
        return spFail(error, sp_errorBadArgument,
                      "decision %d: of %s: substep %d must not be negative, and dt %g be 0", index,
                      body->name, d->substep, d->dt);
    }
    spError why = {0};
    spChoice choice = {d->factorStep, d->stopAfter};
    return body->method->checkChoice(body, &choice, &why) ||
           spFail(error, why.code, "decision %d: %s: %s", index, body->name, why.message);
}

bool spWorld_Decide(spWorld* world, const spDecision* decisions, int count)
{
    if (world == NULL)
    {
        return false;
    }
    spError error = {0};
    bool good = (count >= 0 && (count == 0 || decisions != NULL)) ||
                spFail(&error, sp_errorBadArgument, "%d decisions need an array of as many", count);
    for (int i = 0; good && i < count; ++i)
    {
        good = spCheckDecision(world, decisions, i, &error);
    }
    if (good && spReserve(&world->heap, (void**)&world->given, 0, &world->givenCapacity, count,
                          sizeof(spDecision)) == false)
    {
        good = spFailMemory(&error, "decisions", (size_t)count * sizeof(spDecision));
    }
    if (good == false)
    {
        return spRecordError(world, &error);
    }
    for (int i = 0; i < count; ++i)
    {
        world->given[i] = decisions[i];
    }
    world->givenCount = count;
    world->decided = true;
    return true;
}

spReal spGetDecidedTime(const spWorld* world, spReal dt)
{
    for (int i = 0; world->decided && i < world->givenCount; ++i)
    {
        if (SP_IS_NULL(world->given[i].body))
        {
            return (spReal)world->given[i].dt;
        }
    }
    return dt;
}

static bool spPlaceChoice(const spWorld* world, spAdvanceContext* advances, const spDecision* d,
                          spError* error)
{
    const spBody* body = spGetBody(world, d->body);
    if (body == NULL || body->running == false || body->method->checkChoice == NULL)
    {
        return spFail(
            error, sp_errorBadArgument,
            "a decision cannot be obeyed: its body (%u) is gone, stands still or has another method",
            d->body.index1);
    }
    spAdvanceContext* advance = advances + (d->body.index1 - 1);
    if (d->substep >= advance->choiceCount)
    {
        return spFail(error, sp_errorBadArgument,
                      "a decision cannot be obeyed: %s takes %d substeps, there is no substep %d", body->name,
                      advance->choiceCount, d->substep);
    }
    advance->choices[d->substep] = (spChoice){d->factorStep, d->stopAfter};
    return true;
}

bool spPrepareChoices(spWorld* world, spAdvanceContext* advances, spReal dt, spError* error)
{
    int total = 1;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (spIsStoppable(body) == false)
        {
            continue;
        }
        uint32_t flags = 0;
        int count = body->island >= 0 ? body->slices : body->method->countSubsteps(body, dt, &flags);
        size_t size = spArraySize(count, sizeof(spChoice));
        advances[i].choices = spArenaAlloc(&world->arena, size);
        advances[i].choiceCount = count;
        advances[i].decided = world->decided;
        if (advances[i].choices == NULL)
        {
            return spFailMemory(error, "a step", size);
        }
        for (int k = 0; k < count; ++k)
        {
            advances[i].choices[k] = (spChoice){-1, -1};
        }
        total += count;
    }
    // Room now, so that the end of the step needs none
    if (spReserve(&world->heap, (void**)&world->decisions, 0, &world->decisionCapacity, total,
                  sizeof(spDecision)) == false)
    {
        return spFailMemory(error, "decisions", (size_t)total * sizeof(spDecision));
    }
    for (int i = 0; world->decided && i < world->givenCount; ++i)
    {
        if (SP_IS_NULL(world->given[i].body) == false &&
            spPlaceChoice(world, advances, world->given + i, error) == false)
        {
            return false;
        }
    }
    return true;
}

void spKeepDecisions(spWorld* world, const spAdvanceContext* advances, double dt)
{
    world->decisionCount = 0;
    if (dt > 0.0)
    {
        world->decisions[world->decisionCount++] =
            (spDecision){.step = world->stepCount, .factorStep = -1, .stopAfter = -1, .dt = dt};
    }
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        for (int k = 0; spIsStoppable(world->bodies[i]) && k < advances[i].choiceCount; ++k)
        {
            spChoice choice = advances[i].choices[k];
            if (choice.factorStep >= 0 || choice.stopAfter >= 0)
            {
                world->decisions[world->decisionCount++] = (spDecision){
                    .step = world->stepCount,
                    .body = world->bodies[i]->id,
                    .substep = k,
                    .factorStep = choice.factorStep,
                    .stopAfter = choice.stopAfter,
                };
            }
        }
    }
}
