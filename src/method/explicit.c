// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Explicit methods: forward Euler, symplectic Euler, Verlet (half drift, kick, half drift), Runge-Kutta 4,
// and symplectic Euler that is implicit in each node alone.
//
// A substep is two stages over patches for each force evaluation, with a barrier between them: elements add
// their forces; then each patch sums the slots of its nodes, moves them, and holds the rows on them. A
// velocity filter needs the velocities of all neighbours, so that there the second stage ends with
// velocities, and a third one filters them, moves the nodes and holds the rows. Keeping the rotation adds a
// stage between, which takes it off.
//
// Local implicit: v = (I + h^2 D / m)^-1 (v + h f / m), x += h v, with D the stiffness of the node when all
// others are at rest. The inverses are made before the first substep, for as long as h and D stay.
// Debunne. Animation multiresolution d'objets deformables en temps reel. 2000
// How far each method goes is told in estimate.h.

#include "base/error.h"
#include "base/timer.h"
#include "body/edit.h"
#include "method/estimate.h"
#include "method/method.h"

#include <limits.h>
#include <math.h>

// Steps between two estimates of the stable step while substeps are automatic: stiffness changes with the
// shape
#define SP_ESTIMATE_INTERVAL 32

// Share of a mean edge that nodes may move against the body before it is estimated again, where stiffness
// grows without bound
#define SP_ESTIMATE_TRAVEL 0.25
// And that they may move in a substep, whatever the stiffness
#define SP_SUBSTEP_TRAVEL 0.5
// Slices that a step is cut into for that, at most
#define SP_MAX_SLICES 64

typedef struct spExplicitState
{
    spEstimator estimator;
    spRungeArrays arrays; // Runge-Kutta only
    spFilter filter;
    bool filtered;
    spMat3* inverses;   // local implicit: (I + h^2 D / m)^-1 of every node
    spReal inverseStep; // the h of the inverses, 0 when they are to be made anew
    double meanEdge;    // m, at creation
    double travel;      // m, of the fastest node against the body since the last estimate
    spReal sliceDt;     // s, of the step that sliceCount is for
    int sliceCount;     // substeps of a step that goes in slices
    int calmSteps;      // steps in a row for which half of them would do
} spExplicitState;

typedef struct spSubstep
{
    spForceContext force;
    spHoldContext hold;
    spExplicitState* state;
    spMethodType type;
    bool holdRows;
    spReal h;
    int stage;       // of Runge-Kutta
    spReal strength; // of the filter, 0 for none
    bool keepRotation;
    spRotation rotation;
    double filterSeconds;
} spSubstep;

static void spDestroyExplicit(spBody* body)
{
    spExplicitState* state = body->methodState;
    if (state == NULL)
    {
        return;
    }
    spFreeEstimator(&state->estimator, body);
    spFreeFilter(&state->filter, body);
    body->backend->release(body->heap, state->arrays.stageX);
    body->backend->release(body->heap, state->arrays.stageV);
    body->backend->release(body->heap, state->arrays.sumX);
    body->backend->release(body->heap, state->arrays.sumV);
    body->backend->release(body->heap, state->inverses);
    spFree(body->heap, state);
    body->methodState = NULL;
}

static bool spAllocExplicit(spBody* body, spExplicitState* state)
{
    size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
    bool ok = spCreateEstimator(&state->estimator, body);
    if (ok && body->methodDef.type == sp_rungeKutta4)
    {
        state->arrays.stageX = body->backend->allocate(body->heap, size);
        state->arrays.stageV = body->backend->allocate(body->heap, size);
        state->arrays.sumX = body->backend->allocate(body->heap, size);
        state->arrays.sumV = body->backend->allocate(body->heap, size);
        ok = state->arrays.stageX != NULL && state->arrays.stageV != NULL && state->arrays.sumX != NULL &&
             state->arrays.sumV != NULL;
    }
    if (ok && body->methodDef.type == sp_localImplicit)
    {
        state->inverses = body->backend->allocate(body->heap, spArraySize(body->nodeCount, sizeof(spMat3)));
        ok = state->inverses != NULL;
    }
    return ok;
}

static bool spCreateExplicit(spBody* body, spError* error)
{
    spExplicitState* state = spAllocZeroed(body->heap, sizeof(spExplicitState));
    body->methodState = state;
    if (state == NULL || spAllocExplicit(body, state) == false)
    {
        spDestroyExplicit(body);
        return spFailMemory(error, "the method of a body", (size_t)body->nodeCount * sizeof(spMat3));
    }
    spRefreshTopology(body);
    for (int i = 0; i < body->edgeCount; ++i)
    {
        const int32_t* edge = body->edges + 2 * (size_t)i;
        spVec3 a = spXyz(body->x[body->order.rank[edge[0]]]), b = spXyz(body->x[body->order.rank[edge[1]]]);
        state->meanEdge += (double)spDistance3(a, b) / body->edgeCount;
    }
    state->filtered = body->methodDef.filter.type != sp_filterNone;
    if (state->filtered && spCreateFilter(&state->filter, body, error) == false)
    {
        spDestroyExplicit(body);
        return false;
    }
    return true;
}

static const spFilter* spGetFilter(const spExplicitState* state)
{
    return state->filtered ? &state->filter : NULL;
}

static double spGetExplicitStableStep(spBody* body)
{
    const spExplicitState* state = body->methodState;
    return spGetStableStepNow(&state->estimator, body, spGetFilter(state));
}

static void spEstimate(spBody* body, spTeam* team)
{
    spExplicitState* state = body->methodState;
    spUpdateStableStep(&state->estimator, body, spGetFilter(state), team);
    state->inverseStep = 0;
    state->travel = 0.0;
}

static void spBeginExplicit(spBody* body, spReal dt, spTeam* team)
{
    SP_UNUSED(dt);
    if (body->stableStepDirty)
    {
        spEstimate(body, team);
    }
}

static void spAdaptExplicit(spBody* body, spTeam* team)
{
    body->estimateAge += 1;
    // The stiffness of nodes turns with the body, whoever chooses the substeps
    bool follows = body->methodDef.substeps == 0 || body->methodDef.type == sp_localImplicit;
    bool due = follows && body->estimateAge >= SP_ESTIMATE_INTERVAL;
    for (int i = 0; i < body->setCount; ++i)
    {
        due = due || (body->sets[i]->kind->flags & sp_kindSteep) != 0;
    }
    if (due)
    {
        spEstimate(body, team);
    }
}

static void spRemapExplicit(spBody* body, const spBirth* birth)
{
    spExplicitState* state = body->methodState;
    for (int i = 0; i < sp_modesCount; ++i)
    {
        spInherit(birth, state->estimator.spectrum.last[i], sizeof(spVec4));
    }
    spInherit(birth, state->estimator.local, sizeof(spMat3));
}

static bool spWalkExplicitMemory(spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    spExplicitState* state = body->methodState;
    spSpectrum* spectrum = &state->estimator.spectrum;
    for (int i = 0; i < sp_modesCount; ++i)
    {
        fcn(walk, sp_pieceAny, spectrum->last[i], (size_t)body->nodeCount * sizeof(spVec4));
        fcn(walk, sp_pieceFlag, &spectrum->known[i], sizeof(spectrum->known[i]));
    }
    fcn(walk, sp_pieceAny, &state->estimator.memory, sizeof(state->estimator.memory));
    fcn(walk, sp_pieceAny, &state->travel, sizeof(state->travel));
    fcn(walk, sp_pieceAny, &state->sliceDt, sizeof(state->sliceDt));
    fcn(walk, sp_pieceCount, &state->sliceCount, sizeof(state->sliceCount));
    fcn(walk, sp_pieceCount, &state->calmSteps, sizeof(state->calmSteps));
    if (state->estimator.local != NULL)
    {
        fcn(walk, sp_pieceAny, state->estimator.local, (size_t)body->nodeCount * sizeof(spMat3));
        state->inverseStep = 0;
    }
    return true;
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
    if (s->force.state.remainder > 0)
    {
        body->backend->setPositionsPrecise(body->x, s->force.state.remainder, body->x, s->h / 2, body->v,
                                           patchBegin[begin], patchBegin[end]);
        return;
    }
    body->backend->drift(body->x, body->v, s->h / 2, patchBegin[begin], patchBegin[end]);
}

// A kick, then a drift, of positions with remainders
static void spKickDriftPrecise(const spSubstep* s, spReal hx, int begin, int end)
{
    spBody* body = s->force.body;
    body->backend->kick(body->v, body->x, body->v, body->f, s->h, begin, end);
    body->backend->setPositionsPrecise(body->x, s->force.state.remainder, body->x, hx, body->v, begin, end);
}

// Moves the nodes of a patch by the forces just found
static void spMovePatch(const spSubstep* s, int begin, int end)
{
    spBody* body = s->force.body;
    const spBackend* backend = body->backend;
    const spRungeArrays* arrays = &s->state->arrays;
    spReal h = s->h;
    if (s->force.state.remainder > 0)
    {
        spKickDriftPrecise(s, s->type == sp_verlet ? h / 2 : h, begin, end);
        return;
    }
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
        case sp_localImplicit:
            backend->kickSolve(body->v, body->x, body->v, body->f, &s->state->inverses[0].cx.x, h, begin,
                               end);
            backend->drift(body->x, body->v, h, begin, end);
            break;
        default:
            backend->kickDrift(body->x, body->v, body->f, h, h, begin, end);
            break;
    }
}

// Whether forces just found end the substep: Runge-Kutta needs more
static bool spIsLastEvaluation(const spSubstep* s)
{
    return s->type != sp_rungeKutta4 || s->stage == 3;
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
        if (spIsLastEvaluation(s) && s->holdRows)
        {
            body->backend->holdRows(body, &s->hold, patch);
        }
    }
}

// New velocities of a patch, into the filter; nodes move only where the method does that with the old ones
static void spKickPatch(const spSubstep* s, int begin, int end)
{
    spBody* body = s->force.body;
    const spBackend* backend = body->backend;
    spVec4* to = s->state->filter.v;
    switch (s->type)
    {
        case sp_forwardEuler:
            backend->drift(body->x, body->v, s->h, begin, end);
            backend->kick(to, body->x, body->v, body->f, s->h, begin, end);
            break;
        case sp_rungeKutta4:
            spMovePatch(s, begin, end);
            backend->copy(to, body->v, begin, end);
            break;
        case sp_localImplicit:
            backend->kickSolve(to, body->x, body->v, body->f, &s->state->inverses[0].cx.x, s->h, begin, end);
            break;
        default:
            backend->kick(to, body->x, body->v, body->f, s->h, begin, end);
            break;
    }
}

static void spKickStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSubstep* s = context;
    spBody* body = s->force.body;
    const spFilter* filter = &s->state->filter;
    for (int patch = begin; patch < end; ++patch)
    {
        int first = body->order.patchBegin[patch], last = body->order.patchBegin[patch + 1];
        spSumPatchForces(&s->force, patch);
        spKickPatch(s, first, last);
        if (s->keepRotation)
        {
            body->backend->sumRotation(filter->sums + (size_t)patch * SP_ROTATION_SUMS, body->x, filter->v,
                                       first, last);
        }
    }
}

static void spTakeRotationStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSubstep* s = context;
    spBody* body = s->force.body;
    const int32_t* patchBegin = body->order.patchBegin;
    body->backend->takeRotation(s->state->filter.v, body->x, &s->rotation, patchBegin[begin],
                                patchBegin[end]);
}

static void spFilterStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSubstep* s = context;
    spBody* body = s->force.body;
    bool moved = s->type == sp_forwardEuler || s->type == sp_rungeKutta4;
    spReal h = moved ? 0 : s->type == sp_verlet ? s->h / 2 : s->h;
    const spRotation* rotation = s->keepRotation ? &s->rotation : NULL;
    for (int patch = begin; patch < end; ++patch)
    {
        body->backend->filterDrift(body->x, body->v, s->state->filter.v, &s->state->filter.rows, s->strength,
                                   rotation, h, body->order.patchBegin[patch],
                                   body->order.patchBegin[patch + 1]);
        if (s->holdRows)
        {
            body->backend->holdRows(body, &s->hold, patch);
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
    body->backend->clear(arrays->sumX, first, last);
    body->backend->clear(arrays->sumV, first, last);
}

// Forces of one evaluation, then the motion that follows from them
static void spEvaluate(spSubstep* s, spTeam* team)
{
    int patchCount = s->force.state.patchCount;
    spBody* body = s->force.body;
    spMeasureForces(&s->force);
    spParallelFor(team, spForceStage, patchCount, 1, s);
    if (s->strength == 0 || spIsLastEvaluation(s) == false)
    {
        spParallelFor(team, spMoveStage, patchCount, 1, s);
        return;
    }
    spParallelFor(team, spKickStage, patchCount, 1, s);
    double start = spGetSeconds();
    if (s->keepRotation)
    {
        s->rotation = spFindRotation(&s->state->filter, body);
        spParallelFor(team, spTakeRotationStage, patchCount, 1, s);
    }
    spParallelFor(team, spFilterStage, patchCount, 1, s);
    s->filterSeconds += spGetSeconds() - start;
}

// The force that held fixed and driven nodes during a substep, as an impulse
static spVec3 spSumPinImpulse(const spBody* body, spReal h)
{
    double sum[3] = {0};
    body->backend->sumListed(sum, body->f, body->held, body->heldCount, -(double)h);
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

static void spInvertStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSubstep* s = context;
    const spBody* body = s->force.body;
    const int32_t* patchBegin = body->order.patchBegin;
    body->backend->invertShifted(s->state->inverses, s->state->estimator.local, s->h * s->h / 2,
                                 patchBegin[begin], patchBegin[end]);
}

// What substeps of this length need
static void spPrepareSubsteps(spSubstep* s, spTeam* team)
{
    const spBody* body = s->force.body;
    spExplicitState* state = s->state;
    if (state->filtered)
    {
        double wanted = (double)s->h / (double)body->methodDef.safety;
        s->strength = body->methodDef.filter.adaptive ? spChooseStrength(&state->estimator, wanted) : 1;
        s->keepRotation = body->methodDef.filter.keepRotation && body->heldCount == 0;
    }
    if (s->type == sp_localImplicit && state->inverseStep != s->h)
    {
        spParallelFor(team, spInvertStage, body->order.patchCount, 1, s);
        state->inverseStep = s->h;
    }
}

// Velocities of symplectic Euler are half a substep behind its positions, those of Verlet are not. A row that made
// both equal would feed in energy: h^4 w^4 / 16 of it in a substep, w the frequency of either side at the row. Both
// are the same scheme but for that half, so that Euler goes along with Verlet.
static spMethodType spGetTypeInIsland(const spBody* body, const spAdvanceContext* context)
{
    spMethodType type = body->methodDef.type;
    return type == sp_symplecticEuler && context->centred ? sp_verlet : type;
}

static spAdvanceResult spAdvanceSlice(spBody* body, const spAdvanceContext* context)
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
        .type = spGetTypeInIsland(body, context),
        .holdRows = body->rowCount > 0,
        .h = h,
    };
    spPrepareSubsteps(&s, context->team);
    for (int i = 0; i < result.substepCount; ++i)
    {
        spReal covered = context->dt * (spReal)(i + 1) / (spReal)result.substepCount;
        s.hold.fraction = context->startFraction + covered / context->stepDt;
        if (s.holdRows)
        {
            spMovePoses(context, s.hold.fraction);
        }
        spRunSubstep(&s, context->team);
        spVec3 pins = spSumPinImpulse(body, h / context->stepDt);
        body->pinForce =
            (spVec3){body->pinForce.x + pins.x, body->pinForce.y + pins.y, body->pinForce.z + pins.z};
    }
    body->time += (double)context->dt;
    body->substep = h;
    result.filterSeconds = s.filterSeconds;
    result.filterStrength = (double)s.strength;
    return result;
}

// Speed of the fastest node against the body as a whole, m/s
static double spGetInnerSpeed(const spBody* body)
{
    double mean[3];
    body->backend->findMean(mean, body->v, body->userCount, 0, body->nodeCount);
    return sqrt(body->backend->maxDistance2(body->v, mean, body->roles, 0, body->nodeCount));
}

// Substeps of a step in which nodes do not pass each other: the estimate is of small motion only
static int spCountForTravel(const spBody* body, spReal dt, uint32_t* flags)
{
    const spExplicitState* state = body->methodState;
    int count = spCountExplicitSubsteps(body, dt, flags);
    double most = SP_SUBSTEP_TRAVEL * state->meanEdge, way = spGetInnerSpeed(body) * (double)dt;
    if (most > 0.0 && way > most * count)
    {
        double needed = ceil(way / most);
        *flags |= needed > body->methodDef.maxSubsteps ? sp_stepUnstable : 0;
        count = (int)fmin(needed, body->methodDef.maxSubsteps);
    }
    return count;
}

// Substeps of a whole step for a body that goes in slices. They are doubled when the estimate asks for more,
// and halved when half of them have been enough for a while: a step that changes all the time would feed
// energy in.
static int spFitSubsteps(spBody* body, spReal dt, bool start, uint32_t* flags)
{
    spExplicitState* state = body->methodState;
    int needed = spCountExplicitSubsteps(body, dt, flags);
    if (state->sliceDt != dt || state->sliceCount < 1)
    {
        state->sliceDt = dt;
        // With room for the estimate to waver
        state->sliceCount = needed + needed / 8;
    }
    while (state->sliceCount < needed && state->sliceCount <= INT_MAX / 2)
    {
        state->sliceCount *= 2;
    }
    if (start)
    {
        bool calm = state->sliceCount % 2 == 0 && needed <= state->sliceCount / 2;
        state->calmSteps = calm ? state->calmSteps + 1 : 0;
        if (state->calmSteps >= SP_ESTIMATE_INTERVAL)
        {
            state->sliceCount /= 2;
            state->calmSteps = 0;
        }
        // Never fewer than needed; within a step only doubling keeps what is left a whole number of substeps
        state->sliceCount = spMinInt(state->sliceCount, body->methodDef.maxSubsteps);
    }
    return state->sliceCount;
}

// A body whose stiffness grows without bound goes in slices, each so short that no element changes much, and
// is estimated in between
static spAdvanceResult spAdvanceExplicit(spBody* body, const spAdvanceContext* context)
{
    spExplicitState* state = body->methodState;
    if (body->methodDef.substeps > 0)
    {
        return spAdvanceSlice(body, context);
    }
    if (spStiffens(body) == false)
    {
        spAdvanceContext whole = *context;
        uint32_t flags = 0;
        whole.substepCount =
            context->substepCount > 0 ? context->substepCount : spCountForTravel(body, context->dt, &flags);
        spAdvanceResult result = spAdvanceSlice(body, &whole);
        result.flags |= flags;
        return result;
    }
    if (context->substepCount > 0)
    {
        // Bodies that are linked go side by side: the world cuts the step, the next one follows the estimate
        state->travel += spGetInnerSpeed(body) * (double)context->dt;
        spAdvanceResult linked = spAdvanceSlice(body, context);
        if (state->travel >= SP_ESTIMATE_TRAVEL * state->meanEdge)
        {
            spEstimate(body, context->team);
        }
        return linked;
    }
    spAdvanceResult total = {0};
    spAdvanceContext slice = *context;
    double most = SP_ESTIMATE_TRAVEL * state->meanEdge;
    int count = spFitSubsteps(body, context->dt, true, &total.flags);
    for (int done = 0; done < count; done += slice.substepCount)
    {
        double h = (double)context->dt / count, speed = spGetInnerSpeed(body);
        int rest = count - done, least = spMaxInt(1, count / SP_MAX_SLICES);
        double room = fmax(most - state->travel, 0.0);
        slice.substepCount =
            speed * h * rest > room ? spMinInt(rest, spMaxInt(least, (int)(room / (speed * h)))) : rest;
        slice.dt = context->dt * (spReal)slice.substepCount / (spReal)count;
        slice.startFraction =
            context->startFraction + context->dt / context->stepDt * (spReal)done / (spReal)count;
        spAdvanceResult result = spAdvanceSlice(body, &slice);
        total.flags |= result.flags;
        total.substepCount += result.substepCount;
        total.forceEvaluations += result.forceEvaluations;
        total.filterSeconds += result.filterSeconds;
        total.filterStrength = fmax(total.filterStrength, result.filterStrength);
        state->travel += speed * h * slice.substepCount;
        if (state->travel >= 0.99 * most)
        {
            spEstimate(body, context->team);
            int more = spFitSubsteps(body, context->dt, false, &total.flags) / count;
            done *= more;
            slice.substepCount *= more;
            count *= more;
        }
    }
    return total;
}

const spMethodKind spExplicitMethod = {
    .name = "explicit",
    .create = spCreateExplicit,
    .destroy = spDestroyExplicit,
    .begin = spBeginExplicit,
    .getStableStep = spGetExplicitStableStep,
    .countSubsteps = spCountExplicitSubsteps,
    .advance = spAdvanceExplicit,
    .freeze = spFreezeNodes,
    .correct = spCorrectNodes,
    .repeats = spRepeatsNever,
    .adapt = spAdaptExplicit,
    .walkMemory = spWalkExplicitMemory,
    .remap = spRemapExplicit,
};
