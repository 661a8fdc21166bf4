// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Explicit methods: forward Euler, symplectic Euler, Verlet (half drift, kick, half drift), Runge-Kutta 4.
//
// A substep is two stages over patches for each force evaluation, with a barrier between them: elements add
// their forces; then each patch sums the slots of its nodes, moves them, and holds the rows on them.
//
// Stability limits for a mode of frequency w and damping rate b, x'' = -w^2 x - b x':
//   symplectic, Verlet   b h + w^2 h^2 / 2 < 2            (damping is evaluated with the old velocity)
//   forward Euler        h < b / w^2, and h < 2 / b when overdamped; nothing when b = 0
//   Runge-Kutta 4        h |lambda| < 2.78, lambda the larger root of lambda^2 + b lambda + w^2
// with w and b of the fastest modes. Bounds of the element kinds come from above, power iteration on the
// forces from below; what is taken is the smaller of the bound and a little more than the iteration finds.

#include "base/error.h"
#include "mesh/sort.h"
#include "method/method.h"
#include "method/spectrum.h"

#include <math.h>
#include <string.h>

// Steps between two estimates of the stable step while substeps are automatic: stiffness changes with the
// shape
#define SP_ESTIMATE_INTERVAL 32

// Rounds of power iteration at most: when something has changed, and when only the shape has
#define SP_FULL_ROUNDS 64
#define SP_FEW_ROUNDS 6
// A round that changes less than this share ends the iteration, which is then short of the eigenvalue by less
// than the margin
#define SP_ROUND_TOLERANCE 5e-4
#define SP_EIGENVALUE_MARGIN 0.05

typedef struct spExplicitState
{
    spMat3* scratch; // for the bounds
    spSpectrum spectrum;
    spRungeArrays arrays; // Runge-Kutta only
} spExplicitState;

typedef struct spSubstep
{
    spForceContext force;
    spHoldContext hold;
    spExplicitState* state;
    spMethodType type;
    bool holdRows;
    spReal h;
    int stage; // of Runge-Kutta
} spSubstep;

static void spDestroyExplicit(spBody* body)
{
    spExplicitState* state = body->methodState;
    if (state == NULL)
    {
        return;
    }
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    spFreeSpectrum(&state->spectrum, body);
    spFree(body->heap, state->scratch, 2 * (size_t)body->nodeCount * sizeof(spMat3));
    spFree(body->heap, state->arrays.stageX, size);
    spFree(body->heap, state->arrays.stageV, size);
    spFree(body->heap, state->arrays.sumX, size);
    spFree(body->heap, state->arrays.sumV, size);
    spFree(body->heap, state, sizeof(spExplicitState));
    body->methodState = NULL;
}

static bool spCreateExplicit(spBody* body, spError* error)
{
    spExplicitState* state = spAllocZeroed(body->heap, sizeof(spExplicitState));
    body->methodState = state;
    bool ok = state != NULL;
    if (ok)
    {
        state->scratch = spAlloc(body->heap, spArraySize(body->nodeCount, 2 * sizeof(spMat3)));
        ok = state->scratch != NULL && spCreateSpectrum(&state->spectrum, body);
    }
    if (ok && body->methodDef.type == sp_rungeKutta4)
    {
        size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
        state->arrays.stageX = spAlloc(body->heap, size);
        state->arrays.stageV = spAlloc(body->heap, size);
        state->arrays.sumX = spAlloc(body->heap, size);
        state->arrays.sumV = spAlloc(body->heap, size);
        ok = state->arrays.stageX != NULL && state->arrays.stageV != NULL && state->arrays.sumX != NULL &&
             state->arrays.sumV != NULL;
    }
    if (ok == false)
    {
        spDestroyExplicit(body);
        return spFailMemory(error, "the method of a body", (size_t)body->nodeCount * sizeof(spMat3));
    }
    return true;
}

// Squared frequency and damping rate of the fastest modes. When `keep` is set, the next iterations start
// where this one ends.
static void spFindFrequencies(spBody* body, spTeam* team, bool keep, double* frequency2, double* damping)
{
    spExplicitState* state = body->methodState;
    double found[sp_modesCount];
    spBoundFrequencies(body, state->scratch, &found[sp_stiffnessModes], &found[sp_dampingModes]);
    for (int modes = 0; spHasSteadyForces(body) && modes < sp_modesCount; ++modes)
    {
        spModesQuery query = {
            .modes = (spModes)modes,
            .team = team,
            .bounds = state->scratch + (size_t)modes * (size_t)body->nodeCount,
            .bound = found[modes],
            .tolerance = SP_ROUND_TOLERANCE,
            .maxRounds = body->stableStepDirty ? SP_FULL_ROUNDS : SP_FEW_ROUNDS,
        };
        double eigenvalue = spFindLargestEigenvalue(&state->spectrum, body, &query);
        found[modes] = fmin(found[modes], (1.0 + SP_EIGENVALUE_MARGIN) * eigenvalue);
        if (keep)
        {
            spKeepVector(&state->spectrum, body, (spModes)modes);
        }
    }
    *frequency2 = found[sp_stiffnessModes];
    *damping = found[sp_dampingModes];
}

// The limit of the method for a squared frequency and a damping rate
static double spGetStabilityLimit(spMethodType type, double w2, double b)
{
    if (w2 == 0.0 && b == 0.0)
    {
        return INFINITY;
    }
    switch (type)
    {
        case sp_forwardEuler:
            return w2 > 0.0 ? fmin(b / w2, b > 0.0 ? 2.0 / b : 0.0) : 2.0 / b;
        case sp_rungeKutta4:
        {
            double root = 0.25 * b * b - w2;
            double largest = root > 0.0 ? 0.5 * b + sqrt(root) : sqrt(w2);
            return 2.78 / largest;
        }
        default:
            return w2 > 0.0 ? (sqrt(b * b + 4.0 * w2) - b) / w2 : 2.0 / b;
    }
}

static double spFindStableStep(spBody* body, spTeam* team, bool keep)
{
    double w2, b;
    spFindFrequencies(body, team, keep, &w2, &b);
    double limit = spGetStabilityLimit(body->methodDef.type, w2, b);
    return body->turnRate > 0.0 ? fmin(limit, 1.0 / body->turnRate) : limit;
}

// Keeps nothing, so that asking does not change the motion
double spEstimateStableStep(spBody* body)
{
    return spFindStableStep(body, NULL, false);
}

static void spEstimate(spBody* body, spTeam* team)
{
    body->stableStep = spFindStableStep(body, team, true);
    body->stableStepDirty = false;
    body->estimateAge = 0;
}

static void spBeginExplicit(spBody* body, spTeam* team)
{
    if (body->stableStepDirty)
    {
        spEstimate(body, team);
    }
}

static void spAdaptExplicit(spBody* body, spTeam* team)
{
    body->estimateAge += 1;
    bool due = body->methodDef.substeps == 0 && body->estimateAge >= SP_ESTIMATE_INTERVAL;
    for (int i = 0; i < body->setCount; ++i)
    {
        due = due || (body->sets[i]->kind->flags & sp_kindSteep) != 0;
    }
    if (due)
    {
        spEstimate(body, team);
    }
}

static void* spGetExplicitMemory(spBody* body, size_t* size)
{
    spExplicitState* state = body->methodState;
    *size = state->spectrum.memorySize;
    return state->spectrum.memory;
}

// Stage functions: patches [begin, end)

static void spForceStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSubstep* s = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spAddPatchForces(&s->force, patch);
    }
}

static void spDriftStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSubstep* s = context;
    spBody* body = s->force.body;
    const int32_t* patchBegin = body->order.patchBegin;
    body->backend->drift(body->x, body->v, s->h / 2, patchBegin[begin], patchBegin[end]);
}

// Moves the nodes of a patch by the forces just found
static void spMovePatch(const spSubstep* s, int begin, int end)
{
    spBody* body = s->force.body;
    const spBackend* backend = body->backend;
    const spRungeArrays* arrays = &s->state->arrays;
    spReal h = s->h;
    switch (s->type)
    {
        case sp_forwardEuler:
            backend->driftKick(body->x, body->v, body->f, h, begin, end);
            break;
        case sp_verlet:
            backend->kickDrift(body->x, body->v, body->f, h, h / 2, begin, end);
            break;
        case sp_rungeKutta4:
        {
            static const spReal weights[4] = {1, 2, 2, 1};
            static const spReal advances[4] = {(spReal)0.5, (spReal)0.5, 1, 0};
            backend->rungeStage(body->x, body->v, body->f, arrays, weights[s->stage], advances[s->stage] * h,
                                begin, end);
            if (s->stage == 3)
            {
                backend->rungeFinish(body->x, body->v, arrays, h / 6, begin, end);
            }
            break;
        }
        default:
            backend->kickDrift(body->x, body->v, body->f, h, h, begin, end);
            break;
    }
}

static void spMoveStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSubstep* s = context;
    spBody* body = s->force.body;
    for (int patch = begin; patch < end; ++patch)
    {
        spSumPatchForces(&s->force, patch);
        spMovePatch(s, body->order.patchBegin[patch], body->order.patchBegin[patch + 1]);
        bool last = s->type != sp_rungeKutta4 || s->stage == 3;
        if (last && s->holdRows)
        {
            spHoldPatchRows(body, &s->hold, patch);
        }
    }
}

static void spStartRungeStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSubstep* s = context;
    spBody* body = s->force.body;
    const spRungeArrays* arrays = &s->state->arrays;
    int first = body->order.patchBegin[begin], last = body->order.patchBegin[end];
    body->backend->copy(arrays->stageX, body->x, first, last);
    body->backend->copy(arrays->stageV, body->v, first, last);
    memset(arrays->sumX + first, 0, (size_t)(last - first) * sizeof(spVec4));
    memset(arrays->sumV + first, 0, (size_t)(last - first) * sizeof(spVec4));
}

// Forces of one evaluation, then the motion that follows from them
static void spEvaluate(spSubstep* s, spTeam* team)
{
    int patchCount = s->force.state.patchCount;
    spMeasureForces(&s->force);
    spParallelFor(team, spForceStage, patchCount, 1, s);
    spParallelFor(team, spMoveStage, patchCount, 1, s);
}

// The force that held fixed and driven nodes during a substep, as an impulse
static spVec3 spSumPinImpulse(const spBody* body, spReal h)
{
    double sum[3] = {0};
    for (int i = 0; i < body->heldCount; ++i)
    {
        const spVec4* f = body->f + body->held[i];
        sum[0] -= (double)f->x * h;
        sum[1] -= (double)f->y * h;
        sum[2] -= (double)f->z * h;
    }
    return (spVec3){(spReal)sum[0], (spReal)sum[1], (spReal)sum[2]};
}

static void spRunSubstep(spSubstep* s, spTeam* team)
{
    int patchCount = s->force.state.patchCount;
    double start = s->force.state.time;
    switch (s->type)
    {
        case sp_verlet:
            spParallelFor(team, spDriftStage, patchCount, 1, s);
            s->force.state.time = start + 0.5 * (double)s->h;
            spEvaluate(s, team);
            break;
        case sp_rungeKutta4:
        {
            static const double times[4] = {0.0, 0.5, 0.5, 1.0};
            const spRungeArrays* arrays = &s->state->arrays;
            spParallelFor(team, spStartRungeStage, patchCount, 1, s);
            for (s->stage = 0; s->stage < 4; ++s->stage)
            {
                s->force.state.x = arrays->stageX;
                s->force.state.v = arrays->stageV;
                s->force.state.time = start + times[s->stage] * (double)s->h;
                spEvaluate(s, team);
            }
            break;
        }
        default:
            spEvaluate(s, team);
            break;
    }
    s->force.state.time = start + (double)s->h;
}

static int spCountExplicitSubsteps(const spBody* body, spReal dt, uint32_t* flags)
{
    int count = body->methodDef.substeps;
    double most = (double)body->methodDef.maxSubsteps;
    if (count == 0)
    {
        double wanted = body->stableStep > 0.0
                            ? ceil((double)dt / ((double)body->methodDef.safety * body->stableStep))
                            : most + 1.0;
        if (wanted > most)
        {
            *flags |= sp_stepUnstable;
        }
        return (int)fmax(1.0, fmin(wanted, most));
    }
    if ((double)dt / count > body->stableStep)
    {
        *flags |= sp_stepUnstable;
    }
    return count;
}

static spAdvanceResult spAdvanceExplicit(spBody* body, const spAdvanceContext* context)
{
    spAdvanceResult result = {0};
    result.substepCount = context->substepCount > 0
                              ? context->substepCount
                              : spCountExplicitSubsteps(body, context->dt, &result.flags);
    result.forceEvaluations = result.substepCount * (body->methodDef.type == sp_rungeKutta4 ? 4 : 1);

    spReal h = context->dt / (spReal)result.substepCount;
    spReal scale = body->gravityScale;
    spVec3 g = {scale * context->gravity.x, scale * context->gravity.y, scale * context->gravity.z};
    spSubstep s = {
        .force = {.body = body, .state = spGetNodeState(body), .gravity = g, .team = context->team},
        .hold = {.colliders = context->colliders,
                 .poses = context->poses,
                 .h = h,
                 .contactRadius = body->contactRadius,
                 .restitutionThreshold = context->restitutionThreshold,
                 .backtrack = body->methodDef.contact == sp_contactBacktrack,
                 .restSpeed = (spReal)sqrt((double)g.x * g.x + (double)g.y * g.y + (double)g.z * g.z) * h},
        .state = body->methodState,
        .type = body->methodDef.type,
        .holdRows = body->rowCount > 0,
        .h = h,
    };
    for (int i = 0; i < result.substepCount; ++i)
    {
        spReal covered = context->dt * (spReal)(i + 1) / (spReal)result.substepCount;
        s.hold.fraction = context->startFraction + covered / context->stepDt;
        for (int k = 0; s.holdRows && k < context->colliderCount; ++k)
        {
            if (context->colliders[k] != NULL)
            {
                context->poses[k] =
                    spGetColliderPose(context->colliders[k], s.hold.fraction, context->stepDt);
            }
        }
        spRunSubstep(&s, context->team);
        spVec3 pins = spSumPinImpulse(body, h / context->stepDt);
        body->pinForce =
            (spVec3){body->pinForce.x + pins.x, body->pinForce.y + pins.y, body->pinForce.z + pins.z};
    }
    body->time += (double)context->dt;
    return result;
}

typedef struct spPointEntry
{
    int32_t node, point;
    spReal weight;
} spPointEntry;

static bool spIsEntryBefore(int32_t a, int32_t b, const void* context)
{
    const spPointEntry* entries = context;
    return entries[a].node < entries[b].node;
}

// Nodal compliance: points move each other only through nodes that they share, found by sorting
static bool spFreezeExplicit(const spBody* body, const spPoint* points, int pointCount, int firstPoint,
                             spArena* arena, spComplianceList* list)
{
    int most = 4 * pointCount;
    spPointEntry* entries = spArenaAlloc(arena, spArraySize(most, sizeof(spPointEntry)));
    int32_t* order = spArenaAlloc(arena, spArraySize(most, 2 * sizeof(int32_t)));
    if (entries == NULL || order == NULL)
    {
        return false;
    }
    int count = 0;
    for (int i = 0; i < pointCount; ++i)
    {
        for (int a = 0; a < points[i].count; ++a)
        {
            order[count] = count;
            entries[count++] = (spPointEntry){points[i].nodes[a], i, points[i].weights[a]};
        }
    }
    spSortIndices(order, order + most, count, spIsEntryBefore, entries);
    for (int begin = 0; begin < count;)
    {
        int32_t node = entries[order[begin]].node;
        int end = begin;
        while (end < count && entries[order[end]].node == node)
        {
            end += 1;
        }
        int same = end - begin;
        if (spGrowCompliance(list, arena, same * same) == false)
        {
            return false;
        }
        spReal w = body->x[node].w;
        for (int k = 0; k < same * same; ++k)
        {
            const spPointEntry* a = entries + order[begin + k / same];
            const spPointEntry* b = entries + order[begin + k % same];
            list->blocks[list->count++] =
                (spComplianceBlock){firstPoint + a->point, firstPoint + b->point,
                                    spScaleMat3(w * a->weight * b->weight, spIdentityMat3())};
        }
        begin = end;
    }
    return true;
}

static void spCorrectExplicit(spBody* body, const spPoint* points, const spVec3* impulses,
                              const spVec3* shifts, int pointCount)
{
    for (int i = 0; i < pointCount; ++i)
    {
        for (int a = 0; a < points[i].count; ++a)
        {
            spVec4* x = body->x + points[i].nodes[a];
            spVec4* v = body->v + points[i].nodes[a];
            spReal w = points[i].weights[a] * x->w;
            v->x += w * impulses[i].x;
            v->y += w * impulses[i].y;
            v->z += w * impulses[i].z;
            x->x += w * shifts[i].x;
            x->y += w * shifts[i].y;
            x->z += w * shifts[i].z;
        }
    }
}

const spMethodKind spExplicitMethod = {
    .name = "explicit",
    .create = spCreateExplicit,
    .destroy = spDestroyExplicit,
    .begin = spBeginExplicit,
    .countSubsteps = spCountExplicitSubsteps,
    .advance = spAdvanceExplicit,
    .freeze = spFreezeExplicit,
    .correct = spCorrectExplicit,
    .adapt = spAdaptExplicit,
    .getMemory = spGetExplicitMemory,
};
