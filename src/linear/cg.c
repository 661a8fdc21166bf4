// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// An iteration is four stages over patches: multiply; sum slots and find d.q; step and precondition; turn the
// direction. A preconditioner that is not local stands between the third and the fourth.
//
// The residual that is carried along drifts away from the true one in single precision. When it says that the
// tolerance is reached, the true one is computed; if that is still above, the iteration starts again from
// there, as long as that helps.

#include "linear/cg.h"

#include "base/timer.h"

#include <math.h>

#define SP_MAX_RESTARTS 4

// A restart must at least bring the true residual down to this share
#define SP_RESTART_GAIN 0.7

// A solve that iterations bring no further has converged up to so many times its tolerance, and up to the second
// number where the rounding of one product, this many times, explains it
#define SP_ROUNDING_FACTOR 3.0
#define SP_ROUNDING_LIMIT 10.0
#define SP_ROUNDING_PRODUCTS 2.0

bool spCreateCgVectors(spCgVectors* v, const spBackend* backend, spHeap* heap, int nodeCount, int patchCount)
{
    size_t size = spArraySize(nodeCount, sizeof(spVec4));
    spVec4** all[] = {&v->x, &v->b, &v->r, &v->d, &v->z, &v->t};
    bool ok = true;
    for (int i = 0; i < 6; ++i)
    {
        *all[i] = backend->allocate(heap, size);
        ok = ok && *all[i] != NULL;
    }
    v->partial = spAlloc(heap, spArraySize(patchCount, 2 * sizeof(double)));
    if (ok == false || v->partial == NULL)
    {
        spDestroyCgVectors(v, backend, heap);
        return false;
    }
    return true;
}

void spDestroyCgVectors(spCgVectors* v, const spBackend* backend, spHeap* heap)
{
    spVec4* all[] = {v->x, v->b, v->r, v->d, v->z, v->t};
    for (int i = 0; i < 6; ++i)
    {
        backend->release(heap, all[i]);
    }
    spFree(heap, v->partial);
    *v = (spCgVectors){0};
}

typedef struct spCgStage
{
    const spSystem* system;
    const spCgVectors* v;
    const spVec4* d; // what is multiplied
    spReal alpha, beta;
    spReal columnSums[SP_MAX_COLUMNS];
    spVec4* a; // vectors of a dot product, or of a rotation
    const spVec4* b;
    spVec3* raw; // what a vector has at constrained nodes before it is filtered; NULL when nobody asks
    bool back;
} spCgStage;

// Takes from a vector what the constraints forbid; raw, where it is not NULL, has what stood there before
static void spFilterPatch(const spSystem* s, spVec4* a, int patch, spVec3* raw)
{
    int first = s->patchConstraint[patch], count = s->patchConstraint[patch + 1] - first;
    if (count > 0)
    {
        s->backend->project(a, s->constraints + first, count, raw != NULL ? raw + first : NULL);
    }
}

static void spMultiplyStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCgStage* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        c->system->op.multiply(c->system->op.context, c->d, patch);
    }
}

// The rest of the product; d.q
static void spFinishStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCgStage* c = context;
    const spSystem* s = c->system;
    for (int patch = begin; patch < end; ++patch)
    {
        int first = s->patchBegin[patch], last = s->patchBegin[patch + 1];
        spVec4* q = s->op.product;
        s->backend->sumSlots(s->op.slots, q, patch);
        c->v->partial[patch] = s->backend->finishProduct(q, c->d, s->ownA, s->ownC, s->op.sign, first, last);
        for (int i = 0; i < s->columnCount; ++i)
        {
            s->backend->addScaled(q, c->columnSums[i], s->columns[i].g, first, last);
        }
        spFilterPatch(s, q, patch, s->rawProduct);
    }
}

static void spDotStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCgStage* c = context;
    const int32_t* patchBegin = c->system->patchBegin;
    for (int patch = begin; patch < end; ++patch)
    {
        c->v->partial[patch] = c->system->backend->dot(c->a, c->b, patchBegin[patch], patchBegin[patch + 1]);
    }
}

static double spDotAll(spCgStage* c, spVec4* a, const spVec4* b, spTeam* team)
{
    c->a = a;
    c->b = b;
    spParallelFor(team, spDotStage, c->system->patchCount, 1, c);
    return spSumBlocks(c->v->partial, c->system->patchCount);
}

// q = S A d. Returns d.q.
static double spMultiplyAll(spCgStage* c, const spVec4* d, spTeam* team)
{
    const spSystem* s = c->system;
    double columns = 0.0;
    for (int i = 0; i < s->columnCount; ++i)
    {
        double along = spDotAll(c, s->columns[i].g, d, team);
        c->columnSums[i] = (spReal)((double)s->columns[i].c * along);
        columns += (double)s->columns[i].c * along * along;
    }
    c->d = d;
    if (s->op.prepare != NULL)
    {
        s->op.prepare(s->op.context, d, team);
    }
    spParallelFor(team, spMultiplyStage, s->patchCount, 1, c);
    spParallelFor(team, spFinishStage, s->patchCount, 1, c);
    return spSumBlocks(c->v->partial, s->patchCount) + columns;
}

static void spStepStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCgStage* c = context;
    const spSystem* s = c->system;
    const spCgVectors* v = c->v;
    for (int patch = begin; patch < end; ++patch)
    {
        int first = s->patchBegin[patch], last = s->patchBegin[patch + 1];
        v->partial[patch] = s->backend->stepResidual(v->x, v->r, v->d, s->op.product, c->alpha, first, last);
        if (s->localA != NULL)
        {
            v->partial[s->patchCount + patch] =
                s->backend->applyLocal(v->z, v->r, s->localA, s->localC, first, last);
            spFilterPatch(s, v->z, patch, NULL);
        }
    }
}

static bool spIsPreconditioned(const spSystem* s)
{
    return s->localA != NULL || s->preconditioner != NULL;
}

static void spDirectionStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCgStage* c = context;
    const spSystem* s = c->system;
    const spVec4* z = spIsPreconditioned(s) ? c->v->z : c->v->r;
    s->backend->advanceDirection(c->v->d, z, c->beta, s->patchBegin[begin], s->patchBegin[end]);
}

// t = R^T r, or z = R z
static void spRotateStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCgStage* c = context;
    const spSystem* s = c->system;
    (c->back ? s->backend->rotate : s->backend->rotateBack)(c->a, s->rotations, c->b, s->patchBegin[begin],
                                                            s->patchBegin[end]);
}

static void spFilterStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCgStage* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spFilterPatch(c->system, c->a, patch, c->raw);
    }
}

static void spFilterAll(spCgStage* c, spVec4* a, spVec3* raw, spTeam* team)
{
    c->a = a;
    c->raw = raw;
    spParallelFor(team, spFilterStage, c->system->patchCount, 1, c);
}

// z = S P^-1 r
static void spPrecondition(spCgStage* c, spTeam* team)
{
    const spSystem* s = c->system;
    const spCgVectors* v = c->v;
    spPreconditioner* p = s->preconditioner;
    if (s->rotations != NULL)
    {
        c->a = v->t;
        c->b = v->r;
        c->back = false;
        spParallelFor(team, spRotateStage, s->patchCount, 1, c);
        s->backend->precondition(p, team, v->t, v->z);
        c->a = v->z;
        c->b = v->z;
        c->back = true;
        spParallelFor(team, spRotateStage, s->patchCount, 1, c);
    }
    else
    {
        s->backend->precondition(p, team, v->r, v->z);
    }
    spFilterAll(c, v->z, NULL, team);
}

static void spApplyLocalStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCgStage* c = context;
    const spSystem* s = c->system;
    for (int patch = begin; patch < end; ++patch)
    {
        s->backend->applyLocal(c->v->z, c->v->r, s->localA, s->localC, s->patchBegin[patch],
                               s->patchBegin[patch + 1]);
        spFilterPatch(s, c->v->z, patch, NULL);
    }
}

// z = P^-1 r with the first `count` columns in P
static void spPreconditionAll(spCgStage* c, int count, spTeam* team)
{
    const spSystem* s = c->system;
    if (s->localA != NULL)
    {
        spParallelFor(team, spApplyLocalStage, s->patchCount, 1, c);
    }
    else
    {
        spPrecondition(c, team);
    }
    for (int i = 0; i < count; ++i)
    {
        const spColumn* column = s->columns + i;
        double along = spDotAll(c, column->g, c->v->z, team);
        s->backend->addScaled(c->v->z, (spReal)(-(double)column->gain * along), column->solved, 0,
                              s->nodeCount);
    }
}

// What the correction of the preconditioner by each column needs, the ones before it included
static void spSolveColumns(spCgStage* c, spTeam* team)
{
    const spSystem* s = c->system;
    for (int i = 0; i < s->columnCount && spIsPreconditioned(s); ++i)
    {
        spColumn* column = s->columns + i;
        s->backend->copy(c->v->r, column->g, 0, s->nodeCount);
        spFilterAll(c, c->v->r, NULL, team);
        spPreconditionAll(c, i, team);
        s->backend->copy(column->solved, c->v->z, 0, s->nodeCount);
        double yield = column->c > 0 ? 1.0 / (double)column->c : INFINITY;
        column->gain = (spReal)(1.0 / (yield + spDotAll(c, column->g, column->solved, team)));
    }
}

// r = S (b - A x); returns r.r
static double spFindResidual(spCgStage* c, spTeam* team)
{
    const spCgVectors* v = c->v;
    int nodeCount = c->system->nodeCount;
    spMultiplyAll(c, v->x, team);
    c->system->backend->copy(v->r, v->b, 0, nodeCount);
    c->system->backend->addScaled(v->r, -1, c->system->op.product, 0, nodeCount);
    return spDotAll(c, v->r, v->r, team);
}

// How far rounding takes a product: A (3 x) - 3 A x would be nothing in exact arithmetic. Leaves r as
// spFindResidual does.
static double spMeasureRounding(spCgStage* c, spTeam* team)
{
    const spCgVectors* v = c->v;
    const spBackend* backend = c->system->backend;
    int nodeCount = c->system->nodeCount;
    backend->copy(v->t, c->system->op.product, 0, nodeCount);
    backend->copy(v->d, v->x, 0, nodeCount);
    backend->addScaled(v->d, 2, v->x, 0, nodeCount);
    spMultiplyAll(c, v->d, team);
    backend->copy(v->r, c->system->op.product, 0, nodeCount);
    backend->addScaled(v->r, -3, v->t, 0, nodeCount);
    double rounding = sqrt(spDotAll(c, v->r, v->r, team)) / 3.0;
    spFindResidual(c, team);
    return rounding;
}

// d = z = P^-1 r; returns r.z
static double spStartDirection(spCgStage* c, spTeam* team)
{
    const spSystem* s = c->system;
    const spCgVectors* v = c->v;
    const spVec4* z = v->r;
    if (spIsPreconditioned(s))
    {
        spPreconditionAll(c, s->columnCount, team);
        z = v->z;
    }
    s->backend->copy(v->d, z, 0, s->nodeCount);
    return spDotAll(c, v->r, z, team);
}

// Iterates from the residual that stands in r, until it is below `goal`
static void spIterate(spCgStage* c, const spCgDef* def, double goal, double rr, spCgResult* result,
                      spTeam* team)
{
    const spSystem* s = c->system;
    const spCgVectors* v = c->v;
    double rz = spStartDirection(c, team);
    while (rr > goal && result->iterations < def->maxIterations)
    {
        if (def->stop != NULL && result->iterations > 0 && spShouldStop(def->stop))
        {
            result->late = true;
            break;
        }
        double dq = spMultiplyAll(c, v->d, team);
        if (!(dq > 0.0) || !(rz > 0.0))
        {
            result->indefinite = true;
            break;
        }
        c->alpha = (spReal)(rz / dq);
        spParallelFor(team, spStepStage, s->patchCount, 1, c);
        rr = spSumBlocks(v->partial, s->patchCount);
        double last = rz;
        rz = rr;
        if (s->localA != NULL && s->columnCount == 0)
        {
            rz = spSumBlocks(v->partial + s->patchCount, s->patchCount);
        }
        else if (spIsPreconditioned(s) && rr > goal)
        {
            spPreconditionAll(c, s->columnCount, team);
            rz = spDotAll(c, v->r, v->z, team);
        }
        result->iterations += 1;
        c->beta = (spReal)(rz / last);
        if (rr > goal)
        {
            spParallelFor(team, spDirectionStage, s->patchCount, 1, c);
        }
    }
}

bool spShouldStop(spStop* stop)
{
    if (stop->stopped == false)
    {
        stop->stopped = stop->decided ? stop->passed == stop->after
                                      : stop->deadline > 0.0 && spGetSeconds() > stop->deadline;
        stop->passed += stop->stopped ? 0 : 1;
    }
    return stop->stopped;
}

spCgResult spSolveCg(const spSystem* system, const spCgVectors* v, const spCgDef* def, spTeam* team)
{
    spCgStage c = {.system = system, .v = v};
    spCgResult result = {0};
    spFilterAll(&c, v->b, system->rawB, team);
    spSolveColumns(&c, team);
    double rr = spFindResidual(&c, team);
    // With nothing on the right-hand side but what constraints prescribe, that is the measure
    double bb = fmax(spDotAll(&c, v->b, v->b, team), rr);
    bb = fmax(bb, def->least * def->least);
    double goal = def->tolerance * def->tolerance * bb;
    for (int start = 0; start <= SP_MAX_RESTARTS && rr > goal; ++start)
    {
        double before = rr;
        spIterate(&c, def, goal, rr, &result, team);
        rr = spFindResidual(&c, team);
        bool stopped = result.late || result.indefinite || result.iterations >= def->maxIterations;
        if (stopped || !(rr < SP_RESTART_GAIN * SP_RESTART_GAIN * before))
        {
            // The residual that was carried along has reached the goal: all that is left is rounding
            result.rounded = stopped == false && rr > goal;
            break;
        }
    }
    double root = sqrt(rr), tolerated = sqrt(goal);
    result.residual = bb > 0.0 ? root / sqrt(bb) : 0.0;
    result.converged = rr <= goal;
    if (result.rounded)
    {
        result.converged = root <= fmax(SP_ROUNDING_FACTOR * tolerated, def->rounding) ||
                           (root <= SP_ROUNDING_LIMIT * tolerated &&
                            root <= SP_ROUNDING_PRODUCTS * spMeasureRounding(&c, team));
    }
    return result;
}

double spFindShare(const spSystem* system, const spCgVectors* v, const spVec4* along, spTeam* team)
{
    spCgStage c = {.system = system, .v = v};
    system->backend->copy(v->d, along, 0, system->nodeCount);
    spFilterAll(&c, v->d, NULL, team);
    double dq = spMultiplyAll(&c, v->d, team);
    return dq > 0.0 ? spDotAll(&c, v->b, v->d, team) / dq : 0.0;
}

double spGetCurvature(const spSystem* system, const spCgVectors* v, const spVec4* x, spTeam* team)
{
    spCgStage c = {.system = system, .v = v};
    return spMultiplyAll(&c, x, team);
}
