// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Newton's method first; where it does not converge, dynamic relaxation goes on, unless there are rows, which that
// does not know.
//
// That is a motion with masses and a damping that are chosen to come to rest soon, not to be true. Steps are
// 1 long:
//
//   v = ((2 - c) v + 2 f/m) / (2 + c),  x = x + v
//
// Masses follow the bounds on the stiffness of each node, so that all of them are about equally near to the
// limit of stability, and are then scaled by the largest eigenvalue that a few rounds of power iteration
// find. The damping c = 2 w is critical for the frequency w that the motion has now, Rayleigh's quotient w^2
// = v.K v / v.m v: as the fast modes die, it sinks to that of the slowest one. K v comes from the elements,
// not from the change of the forces, which near the end is nothing but rounding. A quotient near 4, the
// limit, says that the masses are too small.
//
// Underwood. Dynamic Relaxation. 1983

#include "method/relax.h"

#include "base/error.h"
#include "math/vec3.h"

// Rounds of power iteration, and the largest eigenvalue that the masses are scaled to
#define SP_POWER_ROUNDS 20
#define SP_FIRST_QUOTIENT 2.8

// Rayleigh's quotient above which masses grow, and by how much
#define SP_QUOTIENT_LIMIT 3.4
#define SP_MASS_GROWTH 1.3

// Force over the load at the start that says that the motion runs away: it starts with at most 1
#define SP_RUNAWAY 20.0

// Iterations between two quotients
#define SP_QUOTIENT_INTERVAL 8

// Iterations between two looks at the bounds, and without any progress after which it is given up
#define SP_BOUND_INTERVAL 200
#define SP_PATIENCE 5000

// What each patch adds up
typedef struct spRelaxSums
{
    double free, held, load; // squares of the forces, N^2
} spRelaxSums;

typedef struct spRelaxation
{
    spForceContext force;
    spVec4* v;     // of the relaxation; w is the mass
    spVec4* probe; // of the power iteration
    spMat3* scratch;
    spRelaxSums* sums; // of each patch
    spDifference difference;
    double massShare;
    spReal keep, push; // v = keep v + push f/m
    bool first;
} spRelaxation;

// Masses from the bounds at the present shape. They only grow, so that the motion loses its energy.
static void spSetRelaxMasses(spRelaxation* r)
{
    spBody* body = r->force.body;
    body->backend->clearMatrices(r->scratch, 0, 2 * body->nodeCount);
    spBounds bounds = {.mass = body->mass,
                       .stiffness = r->scratch,
                       .damping = r->scratch + body->nodeCount,
                       .gravity = body->gravity};
    spMeasureForces(&r->force);
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->addBounds(body->sets[i], &r->force.state, &bounds);
    }
    double largest = body->backend->growMasses(r->v, bounds.stiffness, body->mass, r->massShare,
                                               bounds.globalStiffness, 0, body->nodeCount);
    // A node that nothing holds still needs a mass
    body->backend->raiseMasses(r->v, (spReal)(largest > 0.0 ? 1e-6 * largest : 1.0), 0, body->nodeCount);
}

static void spRelaxDifferenceStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRelaxation* r = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spAddPatchDifference(&r->force, &r->difference, patch);
    }
}

static void spRelaxGatherStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRelaxation* r = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spSumPatchForces(&r->force, patch);
    }
}

// Rayleigh's quotient of a motion; leaves minus the stiffness times the motion in body->f
static double spGetQuotient(spRelaxation* r, const spVec4* motion)
{
    spBody* body = r->force.body;
    int patchCount = r->force.state.patchCount;
    r->difference = (spDifference){.dx = motion, .dv = r->force.state.v};
    spMeasureDifference(&r->force, &r->difference);
    spParallelFor(r->force.team, spRelaxDifferenceStage, patchCount, 1, r);
    spParallelFor(r->force.team, spRelaxGatherStage, patchCount, 1, r);
    double sums[2] = {0};
    body->backend->sumQuotient(sums, motion, body->f, r->v, 0, body->nodeCount);
    return sums[1] > 0.0 ? sums[0] / sums[1] : 0.0;
}

// The largest eigenvalue of the stiffness over the masses, from below
static double spEstimateQuotient(spRelaxation* r)
{
    spBody* body = r->force.body;
    const spBackend* backend = body->backend;
    backend->startProbe(r->probe, body->roles, body->order.order, 0, body->nodeCount);
    double largest = 0.0;
    for (int round = 0; round < SP_POWER_ROUNDS; ++round)
    {
        largest = fmax(largest, spGetQuotient(r, r->probe));
        double length = backend->stepProbe(r->probe, body->f, r->v, body->roles, 0, body->nodeCount);
        spReal scale = (spReal)(length > 0.0 ? 1.0 / length : 0.0);
        backend->scale(r->probe, scale, r->probe, 0, body->nodeCount);
    }
    return largest;
}

static void spRelaxForceStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRelaxation* r = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spAddPatchForces(&r->force, patch);
    }
}

// Adds what Newton's method left in the node rows. Returns the sum of its squares, N^2.
static double spAddRowForces(const spBody* body, int patch)
{
    double sum = 0.0;
    for (int i = body->rowCount > 0 ? body->patchRow[patch] : 0;
         i < body->rowCount && i < body->patchRow[patch + 1]; ++i)
    {
        const spRow* row = body->rows + i;
        spVec4* f = body->f + row->a.node;
        *f = (spVec4){f->x + row->impulse.x, f->y + row->impulse.y, f->z + row->impulse.z, 0};
        sum += (double)spLengthSquared3(row->impulse);
    }
    return sum;
}

static void spRelaxSumStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRelaxation* r = context;
    const spBody* body = r->force.body;
    for (int patch = begin; patch < end; ++patch)
    {
        double sums[3];
        spSumPatchForces(&r->force, patch);
        double rows = spAddRowForces(body, patch);
        body->backend->sumForces(sums, body->f, body->mass, body->roles, r->force.gravity, body->nodeForces,
                                 body->order.patchBegin[patch], body->order.patchBegin[patch + 1]);
        r->sums[patch] = (spRelaxSums){.free = sums[0], .held = sums[1] + rows, .load = sums[2]};
    }
}

static void spRelaxMoveStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRelaxation* r = context;
    spBody* body = r->force.body;
    body->backend->relaxStep(body->x, r->v, body->f, body->roles, r->keep, r->push,
                             body->order.patchBegin[begin], body->order.patchBegin[end]);
}

static void spStopRelaxation(spRelaxation* r)
{
    const spBody* body = r->force.body;
    body->backend->stop(r->v, 0, body->nodeCount);
    r->first = true;
}

static spRelaxSums spAddRelaxSums(const spRelaxation* r)
{
    spRelaxSums total = {0};
    for (int patch = 0; patch < r->force.state.patchCount; ++patch)
    {
        const spRelaxSums* s = r->sums + patch;
        total.free += s->free, total.held += s->held, total.load += s->load;
    }
    return total;
}

static void spRunRelaxation(spRelaxation* r, const spRelaxDef* def, spRelaxResult* result)
{
    spBody* body = r->force.body;
    spTeam* team = r->force.team;
    int patchCount = r->force.state.patchCount;
    double best = INFINITY, firstForce = 0.0, firstScale = 0.0;
    int bestIteration = 0;
    spSetRelaxMasses(r);
    double quotient = spEstimateQuotient(r);
    if (quotient > 0.0)
    {
        r->massShare *= quotient / SP_FIRST_QUOTIENT;
        body->backend->clear(r->v, 0, body->nodeCount);
        spSetRelaxMasses(r);
    }
    quotient = 0.0;
    for (int i = 0; i < def->maxIterations; ++i)
    {
        if (i % SP_QUOTIENT_INTERVAL == SP_QUOTIENT_INTERVAL - 1)
        {
            quotient = spGetQuotient(r, r->v);
        }
        spMeasureForces(&r->force);
        spParallelFor(team, spRelaxForceStage, patchCount, 1, r);
        spParallelFor(team, spRelaxSumStage, patchCount, 1, r);
        spRelaxSums sums = spAddRelaxSums(r);
        firstForce = i == 0 ? sums.free : firstForce;
        double scale = sqrt(fmax(sums.load + sums.held, firstForce));
        result->iterations = i + 1;
        result->force = sqrt(sums.free);
        result->residual = sums.free == 0.0 ? 0.0 : result->force / scale;
        if (result->residual <= def->tolerance)
        {
            result->converged = true;
            return;
        }
        firstScale = i == 0 ? scale : firstScale;
        if (!(result->force < SP_RUNAWAY * firstScale) && firstScale > 0.0)
        {
            // Too fast: once more from the start with larger masses
            r->massShare *= 4.0;
            quotient = 0.0;
            spCopyPositions(body, body->x, body->goodX);
            spStopRelaxation(r);
            spSetRelaxMasses(r);
            continue;
        }
        if (result->residual < 0.99 * best)
        {
            best = result->residual;
            bestIteration = i;
        }
        if (i - bestIteration > SP_PATIENCE)
        {
            return;
        }
        bool tooFast = quotient > SP_QUOTIENT_LIMIT;
        if (tooFast || (i > 0 && i % SP_BOUND_INTERVAL == 0))
        {
            double growth = tooFast ? fmax(SP_MASS_GROWTH, quotient / SP_FIRST_QUOTIENT) : 1.0;
            r->massShare *= growth;
            quotient /= growth;
            spSetRelaxMasses(r);
        }
        double c = 2.0 * sqrt(fmax(quotient, 0.0));
        c = c < 1.9 ? c : 1.9;
        r->keep = (spReal)((2.0 - c) / (2.0 + c));
        r->push = (spReal)(2.0 / (2.0 + c));
        if (r->first)
        {
            // From rest: half a step
            r->push = (spReal)0.5;
        }
        r->first = false;
        spParallelFor(team, spRelaxMoveStage, patchCount, 4, r);
    }
}

// Net force over load where the body is; a load that is less than `least` counts as that
static void spFindRelaxResidual(spRelaxation* r, double least, spRelaxResult* result)
{
    spTeam* team = r->force.team;
    spMeasureForces(&r->force);
    spParallelFor(team, spRelaxForceStage, r->force.state.patchCount, 1, r);
    spParallelFor(team, spRelaxSumStage, r->force.state.patchCount, 1, r);
    spRelaxSums sums = spAddRelaxSums(r);
    double scale = fmax(sqrt(sums.load + sums.held), least);
    result->force = sqrt(sums.free);
    result->residual = sums.free == 0.0 ? 0.0 : result->force / scale;
}

// By Newton's method. False when that did not do; the body is then where it started, or nearer to its goal.
static bool spRelaxByNewton(spRelaxation* r, const spEquilibriumDef* def, spRelaxResult* result)
{
    spBody* body = r->force.body;
    spSolverReport report = {0};
    spError error = {0};
    spFindRelaxResidual(r, 0.0, result);
    double start = result->force;
    if (spSolveEquilibrium(body, def, &report, &error) == false)
    {
        return false;
    }
    result->iterations = report.iterations + report.newtonSteps;
    bool finite = body->backend->isFinite(body->x, 0, body->nodeCount);
    if (finite)
    {
        spFindRelaxResidual(r, start, result);
    }
    if (finite == false || !(result->force < start || report.converged))
    {
        spCopyPositions(body, body->x, body->goodX);
        return false;
    }
    result->converged = report.converged;
    return report.converged;
}

bool spRelaxBody(spBody* body, const spRelaxDef* def, const spEquilibriumDef* around, spRelaxResult* result,
                 spError* error)
{
    spHeap* heap = body->heap;
    size_t nodeSize = spArraySize(body->nodeCount, sizeof(spVec4));
    size_t scratchSize = spArraySize(body->nodeCount, 2 * sizeof(spMat3));
    size_t sumSize = spArraySize(body->order.patchCount, sizeof(spRelaxSums));
    spRelaxation r = {
        .force = {.body = body, .state = spGetNodeState(body), .team = around->team},
        .v = body->backend->allocate(heap, nodeSize),
        .probe = body->backend->allocate(heap, nodeSize),
        .scratch = body->backend->allocate(heap, scratchSize),
        .sums = spAllocZeroed(heap, sumSize),
        .massShare = 0.25,
        .first = true,
    };
    *result = (spRelaxResult){0};
    bool ok = r.v != NULL && r.probe != NULL && r.scratch != NULL && r.sums != NULL;
    if (ok)
    {
        r.force.gravity = spScale3(body->gravityScale, around->gravity);
        body->backend->clear(body->v, 0, body->nodeCount);
        spCopyPositions(body, body->goodX, body->x);
        spEquilibriumDef newton = *around;
        newton.tolerance = def->tolerance;
        newton.maxIterations = def->maxIterations;
        bool done = def->dynamic == false && spRelaxByNewton(&r, &newton, result);
        if (done == false && body->rowCount == 0)
        {
            spRunRelaxation(&r, def, result);
        }
        if (body->backend->isFinite(body->x, 0, body->nodeCount) == false)
        {
            spCopyPositions(body, body->x, body->goodX);
        }
    }
    else
    {
        spFailMemory(error, "the relaxation of a body", 2 * nodeSize + scratchSize);
    }
    body->backend->release(heap, r.v);
    body->backend->release(heap, r.probe);
    body->backend->release(heap, r.scratch);
    spFree(heap, r.sums);
    return ok;
}
