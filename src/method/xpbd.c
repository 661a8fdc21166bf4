// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// XPBD: extended position based dynamics.
//
//   v += h (g + f / m), x~ = x + h v          fields from outside implicitly, node by node
//   lambda = 0, x = x~
//   sweeps: every element projects the positions of its nodes on its rows; rows of all nodes; node rows
//   v = (x - start) / h
//
// A sweep of Gauss-Seidel runs colour by colour, the parts of a colour at once (mesh/sweep_order.h).
// Converged, the end is that of a step of backward Euler but for what J has turned since a multiplier was
// added. Macklin, Mueller, Chentanez. XPBD: Position-Based Simulation of Compliant Constrained Dynamics. 2016
// Boukadida. Acceleration de la simulation des corps mous pour les applications en temps reel. 2020

#include "method/xpbd.h"

#include "base/error.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "mesh/colour.h"
#include "mesh/zone.h"

#include <math.h>

// Nodes that a zone has at least: lanes need elements that share none
#define SP_ZONE_NODES 192

// One sweep of so many is for what else a substep of the automatic solver does
#define SP_OTHER_SHARE 16

// Most that Anderson's window may hold
#define SP_MAX_WINDOW 20

static void spFreeLayout(spBody* body, spXpbdState* state)
{
    spHeap* heap = body->heap;
    for (int i = 0; i < state->setCount; ++i)
    {
        spDestroyConstraints(state->sets + i, heap);
    }
    spFree(heap, state->partial);
    spFreeSweepOrder(&state->order, heap);
    spFree(heap, state->lambda);
    body->backend->release(heap, state->blocks);
    spDestroyAccelerator(heap, state->accelerator);
    body->backend->release(heap, state->gradient);
    spFree(heap, state->wholeMass);
    spFree(heap, state->wholeWay);
    spFree(heap, state->wholeWeight);
    state->wholeMass = NULL;
    state->wholeWay = NULL;
    state->wholeWeight = NULL;
    state->blocks = NULL;
    state->gradient = NULL;
    state->accelerator = NULL;
    state->lambda = NULL;
    state->partial = NULL;
    state->lambdaCount = 0;
    state->setCount = 0;
    state->wholeCount = 0;
    state->laidOut = false;
    state->filled = false;
}

static void spDestroyXpbd(spBody* body)
{
    spXpbdState* state = body->methodState;
    if (state == NULL)
    {
        return;
    }
    spEndNewton(body);
    spFreeLayout(body, state);
    body->backend->release(body->heap, state->start);
    body->backend->release(body->heap, state->predicted);
    body->backend->release(body->heap, state->work);
    body->backend->release(body->heap, state->velocity);
    spFree(body->heap, state->pushes);
    spFree(body->heap, state->monitor.target);
    spFree(body->heap, state);
    body->methodState = NULL;
}

static bool spCheckXpbd(const spMethodDef* def, spError* error)
{
    const spXpbdDef* d = &def->xpbd;
    if ((unsigned)d->solver >= sp_xpbdSolverCount || (unsigned)d->accelerator >= sp_acceleratorCount ||
        (unsigned)d->tetRows >= sp_tetRowsCount || (unsigned)d->order >= sp_xpbdOrderCount)
    {
        return spFail(error, sp_errorBadArgument,
                      "xpbd: solver %d, accelerator %d, tetRows %d or order %d does not exist",
                      (int)d->solver, (int)d->accelerator, (int)d->tetRows, (int)d->order);
    }
    if (d->iterations < 1 || d->window < 1 || d->window > SP_MAX_WINDOW || !(d->relaxation > 0) ||
        !(d->conditionLimit > 1) || !(d->radius > 0 && d->radius < 1) || d->delay < 0)
    {
        return spFail(error, sp_errorBadArgument,
                      "xpbd: iterations %d must be at least 1, window %d in 1..%d, relaxation %g above 0, "
                      "conditionLimit %g above 1, radius %g in (0, 1), delay %d not negative",
                      d->iterations, d->window, SP_MAX_WINDOW, (double)d->relaxation,
                      (double)d->conditionLimit, (double)d->radius, d->delay);
    }
    if (def->filter.type != sp_filterNone)
    {
        return spFail(error, sp_errorBadArgument,
                      "xpbd has no velocity filter: set the filter to none or choose an explicit method");
    }
    return true;
}

static bool spCreateXpbd(spBody* body, spError* error)
{
    if (spCheckXpbd(&body->methodDef, error) == false)
    {
        return false;
    }
    size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
    spXpbdState* state = spAllocZeroed(body->heap, sizeof(spXpbdState));
    body->methodState = state;
    bool ok = state != NULL;
    if (ok)
    {
        state->def = body->methodDef;
        state->start = body->backend->allocate(body->heap, size);
        state->predicted = body->backend->allocate(body->heap, size);
        state->work = body->backend->allocate(body->heap, size);
        state->velocity = body->backend->allocate(body->heap, size);
        ok = state->start != NULL && state->predicted != NULL && state->work != NULL &&
             state->velocity != NULL;
    }
    if (ok == false)
    {
        spDestroyXpbd(body);
        return spFailMemory(error, "the method of a body", 4 * size);
    }
    body->stableStep = INFINITY;
    body->solverReport = (spSolverReport){.factorStep = -1};
    return true;
}

// ---- layout ----

bool spIsField(const spElementSet* set)
{
    return set->kind->getRows == NULL && set->kind->getRow == NULL;
}

// The order of sweeps, from the elements of all sets that have rows
static bool spOrderSweeps(spBody* body, spXpbdState* state, const spConstraintKind** kinds)
{
    spHeap* heap = body->heap;
    spElementList lists[SP_MAX_SETS];
    int count = 0;
    bool ok = true;
    for (int i = 0; i < body->setCount && ok; ++i)
    {
        if (kinds[i] != NULL)
        {
            ok = spListElements(lists + count, body->sets[i]->kind->getBlocks(body->sets[i]), heap);
            count += 1;
        }
    }
    bool colours = state->def.xpbd.order == sp_xpbdColours;
    ok = ok && (colours ? spOrderByColours(&state->order, heap, lists, count, body->nodeCount)
                        : spOrderByZones(&state->order, heap, lists, count, body->nodeCount, SP_ZONE_NODES));
    for (int i = 0; i < count; ++i)
    {
        spFreeElementList(lists + i, heap);
    }
    return ok;
}

// Share of each element in a step of Jacobi: one over the largest number of elements around one of its nodes
static bool spFillShares(spBody* body, spXpbdState* state)
{
    size_t size = spArraySize(body->nodeCount, sizeof(int32_t));
    int32_t* around = spAllocZeroed(body->heap, size);
    bool ok = around != NULL;
    for (int pass = 0; pass < 2 && ok; ++pass)
    {
        for (int i = 0; i < state->setCount && ok; ++i)
        {
            spConstraints* c = state->sets + i;
            int n = c->blocks.nodesPerElement;
            if (pass == 1)
            {
                c->share =
                    spAllocZeroed(body->heap, spArraySize(c->blocks.blockCount, SP_BLOCK * sizeof(spReal)));
                ok = c->share != NULL;
            }
            for (int k = 0; ok && k < c->blocks.blockCount * SP_BLOCK; ++k)
            {
                int most = 1;
                for (int j = 0; j < n && c->blocks.elements[k] >= 0; ++j)
                {
                    int32_t node =
                        c->blocks.nodes[((size_t)(k / SP_BLOCK) * n + j) * SP_BLOCK + k % SP_BLOCK] / 4;
                    around[node] += pass == 0 ? 1 : 0;
                    most = spMaxInt(most, around[node]);
                }
                if (pass == 1 && c->blocks.elements[k] >= 0)
                {
                    c->share[k] = 1 / (spReal)most;
                }
            }
        }
    }
    spFree(body->heap, around);
    return ok;
}

// Multipliers of everything, with room for as many node rows as there have ever been
static bool spAllocMultipliers(spBody* body, spXpbdState* state)
{
    spHeap* heap = body->heap;
    spFree(heap, state->lambda);
    spDestroyAccelerator(heap, state->accelerator);
    state->lambdaCount = state->rowBegin + SP_ROW_NUMBERS * (int64_t)state->rowCapacity;
    state->lambda = spAllocZeroed(heap, spArraySize(state->lambdaCount, sizeof(spReal)));
    state->accelerator =
        spCreateAccelerator(heap, &state->sweeping, body->nodeCount, state->lambdaCount, state->rowBegin);
    for (int i = 0; i < state->setCount && state->lambda != NULL; ++i)
    {
        state->sets[i].lambda = state->lambda + state->sets[i].lambdaBegin;
    }
    return (state->lambda != NULL || state->lambdaCount == 0) && state->accelerator != NULL;
}

static bool spLayOut(spBody* body, spXpbdState* state)
{
    spHeap* heap = body->heap;
    const spConstraintKind* kinds[SP_MAX_SETS] = {0};
    bool hasFields = false;
    spFreeLayout(body, state);
    for (int i = 0; i < body->setCount; ++i)
    {
        const spElementKind* kind = body->sets[i]->kind;
        bool energy = state->def.xpbd.tetRows == sp_tetRowsEnergy;
        kinds[i] = kind->getRows != NULL ? kind->getRows(body->sets[i], energy) : NULL;
        if (kind->getRow != NULL)
        {
            state->wholeSets[state->wholeCount++] = i;
        }
        hasFields = hasFields || spIsField(body->sets[i]);
    }
    if (spOrderSweeps(body, state, kinds) == false)
    {
        return false;
    }
    const int32_t* partOf = state->order.partOf;
    int64_t lambdaCount = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        if (kinds[i] != NULL)
        {
            spConstraints* c = state->sets + state->setCount;
            if (spCreateConstraints(c, heap, body->sets[i], kinds[i], &state->order, partOf) == false)
            {
                return false;
            }
            state->setCount += 1;
            partOf += c->blocks.elementCount;
            c->lambdaBegin = lambdaCount;
            lambdaCount += spGetLambdaCount(c);
        }
    }
    if (state->def.xpbd.solver == sp_xpbdJacobi && spFillShares(body, state) == false)
    {
        return false;
    }
    bool whole = state->wholeCount > 0;
    state->wholeBegin = lambdaCount;
    state->rowBegin = lambdaCount + (whole ? SP_MAX_SETS : 0);
    state->partialCount = spMaxInt(state->order.partCount, spGetSumBlockCount(body->nodeCount));
    state->partial = spAlloc(heap, spArraySize(state->partialCount, sizeof(double)));
    state->sweeping = state->def.xpbd;
    if (state->sweeping.solver == sp_xpbdAuto)
    {
        // Soft bodies need few sweeps, and come here with forces; others may need many. What else a substep
        // does takes its time too.
        state->sweeping.iterations -= state->sweeping.iterations / SP_OTHER_SHARE;
        state->sweeping.accelerator = spHasForces(body) ? sp_accelerateNone : sp_accelerateAnderson;
    }
    if (whole)
    {
        size_t sumSize = (size_t)spGetSumBlockCount(body->nodeCount) * sizeof(double);
        state->gradient = body->backend->allocate(heap, spArraySize(body->nodeCount, sizeof(spVec4)));
        state->wholeMass = spAlloc(heap, sumSize);
        state->wholeWay = spAlloc(heap, sumSize);
        state->wholeWeight = spAlloc(heap, sumSize);
    }
    state->blocks =
        hasFields ? body->backend->allocate(heap, spArraySize(body->nodeCount, sizeof(spMat3))) : NULL;
    if (spAllocMultipliers(body, state) == false || state->partial == NULL ||
        (hasFields && state->blocks == NULL) ||
        (whole && (state->gradient == NULL || state->wholeMass == NULL || state->wholeWay == NULL ||
                   state->wholeWeight == NULL)))
    {
        return false;
    }
    state->laidOut = true;
    state->topologyVersion = body->topologyVersion;
    return true;
}

static void spBeginXpbd(spBody* body, spReal dt, spTeam* team)
{
    SP_UNUSED(team);
    spXpbdState* state = body->methodState;
    spChooseSolver(body, dt / (spReal)spMaxInt(1, body->methodDef.substeps));
    body->stableStep = INFINITY;
    body->stableStepDirty = false;
    if (state->newton != NULL)
    {
        spPrepareSolver(state->newton, body, body->rowCapacity);
        return;
    }
    bool more = body->rowCapacity > state->rowCapacity;
    bool ok = more == false || spReserve(body->heap, (void**)&state->pushes, 0, &state->rowCapacity,
                                         body->rowCapacity, sizeof(spRowPush));
    if (ok && (state->laidOut == false || state->topologyVersion != body->topologyVersion))
    {
        ok = spLayOut(body, state);
    }
    else if (ok && more)
    {
        ok = spAllocMultipliers(body, state);
    }
    if (ok == false)
    {
        spFreeLayout(body, state);
    }
    state->failed = ok == false;
}

// ---- sweeps ----

static void spFillData(const spXpbdStep* s)
{
    spXpbdState* state = s->state;
    bool same = state->filled && state->filledStep == s->h && state->matrixVersion == s->body->matrixVersion;
    spConstraintFill fill = {.x = s->body->x, .h = (double)s->h, .time = s->time};
    for (int i = 0; i < state->setCount; ++i)
    {
        if (same == false || state->sets[i].timed)
        {
            state->sets[i].kind->fill(state->sets + i, &fill);
        }
    }
    state->filled = true;
    state->filledStep = s->h;
    state->matrixVersion = s->body->matrixVersion;
}

static void spProjectStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spXpbdStep* s = context;
    bool collect = s->sweep.to != NULL;
    for (int i = begin; i < end; ++i)
    {
        for (int k = 0; k < s->state->setCount; ++k)
        {
            const spConstraints* c = s->state->sets + k;
            (collect ? c->kind->collect : c->kind->project)(c, &s->sweep, s->parts[i]);
        }
    }
}

static void spPatchRowStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    for (int patch = begin; patch < end; ++patch)
    {
        spProjectPatchRows(context, patch);
    }
}

void spRunColours(spXpbdStep* s, spRangeFcn* fcn)
{
    const spSweepOrder* order = &s->state->order;
    for (int colour = 0; colour < order->colourCount; ++colour)
    {
        int begin = order->colourBegin[colour], end = order->colourBegin[colour + 1];
        s->parts = order->parts + begin;
        spParallelFor(s->team, fcn, end - begin, 1, s);
    }
}

typedef struct spPushStage
{
    const spXpbdStep* s;
    spReal push;
} spPushStage;

// x += W J^T push
static void spPushWholeStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spPushStage* stage = context;
    const spBody* body = stage->s->body;
    body->backend->push(body->x, stage->push, stage->s->state->gradient, body->order.patchBegin[begin],
                        body->order.patchBegin[end]);
}

// Rows of all nodes together: gas, and the volume of the body
static void spProjectWhole(const spXpbdStep* s, int index)
{
    spReal* lambda = s->state->lambda + s->state->wholeBegin + index;
    spFoundRow row = spFindWhole(s, index);
    double mass = row.mass * (1.0 + row.damping) + row.compliance;
    if (mass > 0.0)
    {
        double residual = row.value + row.compliance * (double)*lambda + row.damping * row.way;
        spPushStage stage = {.s = s, .push = (spReal)(-residual / mass)};
        *lambda += stage.push;
        spParallelFor(s->team, spPushWholeStage, s->body->order.patchCount, 1, &stage);
    }
}

static void spSweepAll(void* context)
{
    spXpbdStep* s = context;
    spXpbdState* state = s->state;
    if (state->def.xpbd.solver == sp_xpbdJacobi)
    {
        s->body->backend->clear(state->work, 0, s->body->nodeCount);
        s->sweep.to = state->work;
        spRunColours(s, spProjectStage);
        s->sweep.to = NULL;
        s->body->backend->drift(s->body->x, state->work, 1, 0, s->body->nodeCount);
    }
    else
    {
        spRunColours(s, spProjectStage);
    }
    for (int i = 0; i < state->wholeCount; ++i)
    {
        spProjectWhole(s, i);
    }
    if (s->pushing)
    {
        spParallelFor(s->team, spPatchRowStage, s->body->order.patchCount, 1, s);
    }
}

// ---- one substep ----

// Fields from outside, implicitly in each node alone: v += (M + h^2 K + h D)^-1 h f
static void spKickFields(const spXpbdStep* s)
{
    spBody* body = s->body;
    spMat3* blocks = s->state->blocks;
    spNodeState nodes = spGetNodeState(body);
    spFill fill = {.stiffness = s->h * s->h, .damping = s->h, .project = true};
    nodes.time = s->time;
    body->backend->clear(body->f, 0, body->nodeCount + body->slots.slotCount);
    body->backend->setMassBlocks(blocks, body->mass, 0, body->nodeCount);
    for (int i = 0; i < body->setCount; ++i)
    {
        const spElementSet* set = body->sets[i];
        if (spIsField(set) == false)
        {
            continue;
        }
        for (int patch = 0; patch < nodes.patchCount; ++patch)
        {
            set->kind->addForces(set, &nodes, patch, body->f);
        }
        if (set->kind->addDiagonal != NULL)
        {
            set->kind->addDiagonal(set, &nodes, &fill, blocks);
        }
    }
    for (int patch = 0; patch < nodes.patchCount; ++patch)
    {
        body->backend->sumSlots(&body->slots, body->f, patch);
    }
    body->backend->kickBlocks(body->v, body->x, body->f, blocks, s->h, 0, body->nodeCount);
}

static void spPredictStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spXpbdStep* s = context;
    spBody* body = s->body;
    spXpbdState* state = s->state;
    body->backend->predict(body->x, body->v, spGetLoads(body), s->gravity, s->h, state->start,
                           state->velocity, state->predicted, body->order.patchBegin[begin],
                           body->order.patchBegin[end]);
}

static void spVelocityStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spXpbdStep* s = context;
    spBody* body = s->body;
    body->backend->findVelocity(body->v, body->x, s->state->start, 1 / s->h, body->order.patchBegin[begin],
                                body->order.patchBegin[end]);
}

static double spMeasureContext(void* context)
{
    return spMeasureDual(context);
}

// x += M^-1 J^T increase
static void spMoveByRows(void* context, const spReal* increase)
{
    spXpbdStep* s = context;
    spBody* body = s->body;
    spTransposeRows(s, increase);
    body->backend->push(body->x, 1, s->state->work, 0, body->nodeCount);
}

static void spSolveSweeps(spXpbdStep* s)
{
    spXpbdState* state = s->state;
    spBody* body = s->body;
    spIterate iterate = {.backend = body->backend,
                         .x = body->x,
                         .nodeCount = body->nodeCount,
                         .mass = body->mass,
                         .lambda = state->lambda,
                         .lambdaCount = state->lambdaCount,
                         .context = s,
                         .sweep = spSweepAll,
                         .measure = spMeasureContext,
                         .move = spMoveByRows,
                         .team = s->team};
    int count = 0;
    double start = spGetSeconds();
    spResetAccelerator(state->accelerator);
    spRecordSweep(s);
    for (bool last = false; last == false; ++count)
    {
        last = count + 1 == state->sweeping.iterations || (count > 0 && spShouldStop(&s->stop));
        if (state->sweeping.accelerator == sp_accelerateNone)
        {
            spSweepAll(s);
        }
        else
        {
            spAccelerateSweep(state->accelerator, &iterate, last);
        }
        spRecordSweep(s);
    }
    spAcceleratorReport report = spGetAcceleratorReport(state->accelerator);
    body->solverReport.solveSeconds += spGetSeconds() - start;
    body->solverReport.sweeps += count;
    body->solverReport.rejected += report.rejected;
    body->solverReport.diverged = body->solverReport.diverged || report.diverged;
    body->solverReport.mixSeconds += report.mixSeconds;
    body->solverReport.moveSeconds += report.moveSeconds;
    body->solverReport.measureSeconds += report.measureSeconds;
}

// What pins exert is what free nodes have taken up beside forces from outside and their rows
static void spSumPins(const spXpbdStep* s)
{
    spBody* body = s->body;
    double sum[3] = {0};
    if (body->heldCount == 0)
    {
        return;
    }
    body->backend->sumPins(sum, body->x, body->v, s->state->velocity, body->mass, spGetLoads(body),
                           s->gravity, s->h, 0, body->nodeCount);
    double rate = 1.0 / (double)s->context->stepDt;
    for (int i = 0; i < body->rowCount; ++i)
    {
        spVec3 p = spSub3(body->rows[i].impulse, s->state->pushes[i].impulse);
        sum[0] -= (double)p.x;
        sum[1] -= (double)p.y;
        sum[2] -= (double)p.z;
    }
    body->pinForce =
        (spVec3){body->pinForce.x + (spReal)(rate * sum[0]), body->pinForce.y + (spReal)(rate * sum[1]),
                 body->pinForce.z + (spReal)(rate * sum[2])};
}

static void spRunXpbdSubstep(spXpbdStep* s)
{
    spBody* body = s->body;
    spXpbdState* state = s->state;
    int patchCount = body->order.patchCount;
    spFillData(s);
    s->pushing = body->rowCount > 0;
    if (s->pushing)
    {
        spStartPushes(s);
    }
    if (state->blocks != NULL)
    {
        spKickFields(s);
    }
    spParallelFor(s->team, spPredictStage, patchCount, 1, s);
    if (state->lambdaCount > 0)
    {
        body->backend->clearNumbers(state->lambda, 0, state->lambdaCount);
    }
    spSolveSweeps(s);
    spParallelFor(s->team, spVelocityStage, patchCount, 1, s);
    if (s->pushing)
    {
        spFinishPushes(s);
    }
    spSumPins(s);
    // Sweeps move what is rounded
    spClearRemainders(body, body->x);
}

static void spPauseXpbd(spBody* body)
{
    const spXpbdState* state = body->methodState;
    if (state != NULL)
    {
        spPauseSolver(state->newton);
    }
}

static spAdvanceResult spAdvanceXpbd(spBody* body, const spAdvanceContext* context)
{
    spXpbdState* state = body->methodState;
    if (state->newton != NULL)
    {
        return spAdvanceNewton(body, context);
    }
    spAdvanceResult result = {0};
    result.substepCount =
        context->substepCount > 0 ? context->substepCount : spMaxInt(1, body->methodDef.substeps);
    if (state->failed)
    {
        result.flags = sp_stepSolverStopped;
        result.outOfMemory = true;
        return result;
    }
    result.flags = state->lacking ? sp_stepSolverStopped : 0;
    if (context->startFraction == 0 && context->again == false)
    {
        body->solverReport = (spSolverReport){.sweeping = true, .factorStep = -1};
        state->monitor.count = 0;
        state->monitor.paused = 0.0;
    }
    spReal scale = body->gravityScale, h = context->dt / (spReal)result.substepCount;
    spXpbdStep s = {
        .body = body,
        .state = state,
        .context = context,
        .hold = {.colliders = context->colliders,
                 .poses = context->poses,
                 .h = h,
                 .contactRadius = body->contactRadius,
                 .restitutionThreshold = context->restitutionThreshold},
        .gravity = {scale * context->gravity.x, scale * context->gravity.y, scale * context->gravity.z},
        .sweep = {.x = body->x, .start = state->start},
        .h = h,
        .team = context->team,
    };
    double begin = spGetSeconds(), sweepBegin = body->solverReport.solveSeconds;
    int sweepsBefore = body->solverReport.sweeps;
    for (int i = 0; i < result.substepCount; ++i)
    {
        spReal covered = context->dt * (spReal)(i + 1) / (spReal)result.substepCount;
        s.stop = spMakeStop(context, i, result.substepCount, begin);
        s.hold.fraction = context->startFraction + covered / context->stepDt;
        s.time = body->time + (double)covered;
        if (body->rowCount > 0)
        {
            spMovePoses(context, s.hold.fraction);
        }
        spRunXpbdSubstep(&s);
        result.flags |= s.stop.stopped ? sp_stepSolverStopped : 0;
        result.disobeyed = spTellChoice(context, i, &s.stop, -1) == false || result.disobeyed;
    }
    if (spHasForces(body))
    {
        spMeasureForce(&s);
        bool told = body->solverReport.converged == false && spGivesUpSweeps(body) == false;
        result.flags |= told ? sp_stepSolverStopped : 0;
    }
    // Two sweeps of each substep run whatever the clock says
    double sweepSeconds = body->solverReport.solveSeconds - sweepBegin;
    double least = 2.0 * result.substepCount / spMaxInt(1, body->solverReport.sweeps - sweepsBefore);
    result.leastSeconds = spGetSeconds() - begin - sweepSeconds * fmax(0.0, 1.0 - least);
    body->time += (double)context->dt;
    state->monitor.records = NULL;
    result.forceEvaluations = body->solverReport.sweeps;
    result.solverIterations = body->solverReport.sweeps;
    return result;
}

static bool spCheckXpbdChoice(const spBody* body, const spChoice* choice, spError* error)
{
    const spXpbdState* state = body->methodState;
    if (state->newton != NULL)
    {
        return spCheckSolverChoice(state->newton, choice, error);
    }
    if (choice->factorStep != -1 || choice->stopAfter < -1)
    {
        return spFail(error, sp_errorBadArgument,
                      "sweeps have no preconditioner (factorStep %lld), and stopAfter %lld "
                      "must be at least -1",
                      (long long)choice->factorStep, (long long)choice->stopAfter);
    }
    return true;
}

static bool spFreezeXpbd(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                         spComplianceList* list)
{
    spImplicitSolver* newton = ((const spXpbdState*)body->methodState)->newton;
    return newton != NULL ? spFreezeSolver(newton, body, points, firstPoint, arena, list)
                          : spFreezeNodes(body, points, firstPoint, arena, list);
}

static void spCorrectXpbd(spBody* body, const spPoints* points, const spVec3* impulses, const spVec3* shifts)
{
    spImplicitSolver* newton = ((spXpbdState*)body->methodState)->newton;
    if (newton != NULL)
    {
        spCorrectSolver(newton, body, points, impulses, shifts);
        return;
    }
    spCorrectNodes(body, points, impulses, shifts);
}

// A fixed number of sweeps is no smooth function of the loads: what touches is held by the nodes alone, as in a
// sweep. What a link joins is not.
static bool spRepeatsXpbd(const spBody* body)
{
    const spXpbdState* state = body->methodState;
    return (state->newton != NULL && spHasForces(body)) || body->joined;
}

// Sweeps keep nothing from step to step
static void spRemapXpbd(spBody* body, const spBirth* birth)
{
    const spXpbdState* state = body->methodState;
    if (state->newton != NULL)
    {
        spRemapSolver(state->newton, birth);
    }
}

static bool spWalkXpbdMemory(spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    bool sweeps = ((const spXpbdState*)body->methodState)->def.xpbd.solver != sp_xpbdAuto;
    return sweeps || spWalkNewton(body, fcn, walk);
}

const spMethodKind spXpbdMethod = {
    .name = "xpbd",
    .create = spCreateXpbd,
    .destroy = spDestroyXpbd,
    .begin = spBeginXpbd,
    .getStableStep = spGetAnyStep,
    .pause = spPauseXpbd,
    .countSubsteps = spCountGivenSubsteps,
    .checkChoice = spCheckXpbdChoice,
    .advance = spAdvanceXpbd,
    .freeze = spFreezeXpbd,
    .correct = spCorrectXpbd,
    .repeats = spRepeatsXpbd,
    .adapt = spAdaptSolver,
    .walkMemory = spWalkXpbdMemory,
    .remap = spRemapXpbd,
};
