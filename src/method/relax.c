// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Newton's method first; where it does not converge, dynamic relaxation goes on.
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
#include "math/decompose.h"
#include "math/vec3.h"
#include "method/equilibrium.h"
#include "method/filter.h"

#include <string.h>

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
    memset(r->scratch, 0, 2 * (size_t)body->nodeCount * sizeof(spMat3));
    spBounds bounds = {.mass = body->mass,
                       .stiffness = r->scratch,
                       .damping = r->scratch + body->nodeCount,
                       .gravity = body->gravity};
    spMeasureForces(&r->force);
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->addBounds(body->sets[i], &r->force.state, &bounds);
    }
    double largest = 0.0;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        double stiffness = spGetLargestEigenvalue3(bounds.stiffness[node]) +
                           bounds.globalStiffness * (double)body->mass[node];
        double mass = r->massShare * stiffness;
        r->v[node].w = (spReal)fmax((double)r->v[node].w, mass);
        largest = fmax(largest, (double)r->v[node].w);
    }
    // A node that nothing holds still needs a mass
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spReal least = (spReal)(largest > 0.0 ? 1e-6 * largest : 1.0);
        r->v[node].w = r->v[node].w > least ? r->v[node].w : least;
    }
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
    double work = 0.0, inertia = 0.0;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec3 d = spXyz(motion[node]);
        work -= (double)spDot3(d, spXyz(body->f[node]));
        inertia += (double)r->v[node].w * (double)spLengthSquared3(d);
    }
    return inertia > 0.0 ? work / inertia : 0.0;
}

// The largest eigenvalue of the stiffness over the masses, from below
static double spEstimateQuotient(spRelaxation* r)
{
    spBody* body = r->force.body;
    spVec4* probe = r->probe;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        int user = body->order.order[node];
        bool still = body->roles[node] != sp_nodeFree;
        probe[node] =
            still ? (spVec4){0} : (spVec4){spGetNoise(user, 0), spGetNoise(user, 1), spGetNoise(user, 2), 0};
    }
    double largest = 0.0;
    for (int round = 0; round < SP_POWER_ROUNDS; ++round)
    {
        double quotient = spGetQuotient(r, probe), length = 0.0;
        largest = fmax(largest, quotient);
        for (int node = 0; node < body->nodeCount; ++node)
        {
            spReal s = body->roles[node] == sp_nodeFree ? -1 / r->v[node].w : 0;
            spVec3 next = spScale3(s, spXyz(body->f[node]));
            probe[node] = (spVec4){next.x, next.y, next.z, 0};
            length = fmax(length, (double)spLength3(next));
        }
        spReal scale = (spReal)(length > 0.0 ? 1.0 / length : 0.0);
        for (int node = 0; node < body->nodeCount; ++node)
        {
            spVec3 d = spScale3(scale, spXyz(probe[node]));
            probe[node] = (spVec4){d.x, d.y, d.z, 0};
        }
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

static void spRelaxSumStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRelaxation* r = context;
    const spBody* body = r->force.body;
    for (int patch = begin; patch < end; ++patch)
    {
        spSumPatchForces(&r->force, patch);
        spRelaxSums sums = {0};
        for (int node = body->order.patchBegin[patch]; node < body->order.patchBegin[patch + 1]; ++node)
        {
            spVec4 f = body->f[node];
            double square = (double)f.x * f.x + (double)f.y * f.y + (double)f.z * f.z;
            if (body->roles[node] != sp_nodeFree)
            {
                sums.held += square;
                continue;
            }
            spVec3 load = spScale3(body->mass[node], r->force.gravity);
            load = body->nodeForces != NULL ? spAdd3(load, spXyz(body->nodeForces[node])) : load;
            sums.free += square;
            sums.load += (double)spLengthSquared3(load);
        }
        r->sums[patch] = sums;
    }
}

static void spRelaxMoveStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRelaxation* r = context;
    spBody* body = r->force.body;
    for (int node = body->order.patchBegin[begin]; node < body->order.patchBegin[end]; ++node)
    {
        spVec4 f = body->f[node];
        if (body->roles[node] == sp_nodeFree)
        {
            spVec4* v = r->v + node;
            spReal push = r->push / v->w;
            v->x = r->keep * v->x + push * f.x;
            v->y = r->keep * v->y + push * f.y;
            v->z = r->keep * v->z + push * f.z;
            body->x[node].x += v->x;
            body->x[node].y += v->y;
            body->x[node].z += v->z;
        }
    }
}

static void spStopRelaxation(spRelaxation* r)
{
    for (int node = 0; node < r->force.body->nodeCount; ++node)
    {
        r->v[node].x = r->v[node].y = r->v[node].z = 0;
    }
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
        memset(r->v, 0, (size_t)body->nodeCount * sizeof(spVec4));
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
            body->backend->copy(body->x, body->goodX, 0, body->nodeCount);
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
static bool spRelaxByNewton(spRelaxation* r, const spRelaxDef* def, spVec3 gravity, spRelaxResult* result)
{
    spBody* body = r->force.body;
    spSolverReport report = {0};
    spError error = {0};
    spFindRelaxResidual(r, 0.0, result);
    double start = result->force;
    if (spSolveEquilibrium(body, def->tolerance, def->maxIterations, gravity, r->force.team, &report,
                           &error) == false)
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
        body->backend->copy(body->x, body->goodX, 0, body->nodeCount);
        return false;
    }
    result->converged = report.converged;
    return report.converged;
}

bool spRelaxBody(spBody* body, const spRelaxDef* def, spVec3 gravity, spTeam* team, spRelaxResult* result,
                 spError* error)
{
    spHeap* heap = body->heap;
    size_t nodeSize = spArraySize(body->nodeCount, sizeof(spVec4));
    size_t scratchSize = spArraySize(body->nodeCount, 2 * sizeof(spMat3));
    size_t sumSize = spArraySize(body->order.patchCount, sizeof(spRelaxSums));
    spRelaxation r = {
        .force = {.body = body, .state = spGetNodeState(body), .team = team},
        .v = spAllocZeroed(heap, nodeSize),
        .probe = spAllocZeroed(heap, nodeSize),
        .scratch = spAlloc(heap, scratchSize),
        .sums = spAllocZeroed(heap, sumSize),
        .massShare = 0.25,
        .first = true,
    };
    *result = (spRelaxResult){0};
    bool ok = r.v != NULL && r.probe != NULL && r.scratch != NULL && r.sums != NULL;
    if (ok)
    {
        r.force.gravity = spScale3(body->gravityScale, gravity);
        memset(body->v, 0, nodeSize);
        body->backend->copy(body->goodX, body->x, 0, body->nodeCount);
        if (def->dynamic || spRelaxByNewton(&r, def, gravity, result) == false)
        {
            spRunRelaxation(&r, def, result);
        }
        if (body->backend->isFinite(body->x, 0, body->nodeCount) == false)
        {
            body->backend->copy(body->x, body->goodX, 0, body->nodeCount);
        }
    }
    else
    {
        spFailMemory(error, "the relaxation of a body", 2 * nodeSize + scratchSize);
    }
    spFree(heap, r.v);
    spFree(heap, r.probe);
    spFree(heap, r.scratch);
    spFree(heap, r.sums);
    return ok;
}
