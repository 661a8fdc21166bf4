// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contacts of a static step: an augmented Lagrangian. Each is a spring about its multiplier l, which is the
// contact law with a compliance 1/k. With the gap g and the slip s since the start of the step:
//
//   p_n = max(0, l_n - k g),   p_t = l_t - k s, brought back to |p_t| <= mu p_n
//
// Newton's method ends where these forces balance all others. Then multipliers take them over, and so on, until
// what presses has no gap and what sticks has not slipped. k is about the stiffness of the node itself: a larger
// one takes fewer rounds, but its force shows how positions are rounded.
//
// Simo, Laursen. An Augmented Lagrangian Treatment of Contact Problems Involving Friction. 1992

#include "method/implicit_substep.h"

#include "body/contact_law.h"

#include <math.h>

// Rounds at most
#define SP_MULTIPLIER_ROUNDS 60

// k over the stiffness of the node, and at least so much for each kilogram, N/m
#define SP_PENALTY_RATIO ((spReal)2)
#define SP_LEAST_RATE ((spReal)1e3)

// Iterations of a linearisation from which on the preconditioner is made anew, with the contacts that there are
#define SP_OLD_ITERATIONS 12

// Share of k along the slip
#define SP_SLIDE_SHARE ((spReal)0.02)

// Nodes move in one linearisation by no more than this share of the size of the body
#define SP_STEP_SHARE 0.2

// ---- one row ----

static spVec3 spGetEnd(const spSubstep* s, const spRow* row, const spVec4* v)
{
    spVec3 base = spXyz(s->solver->baseX[row->a.node]);
    return spMulAdd3(base, s->effectiveStep, spXyz(v[row->a.node]));
}

static spVec3 spSolvePenalty(const spRow* row, const spRowSolve* r, spSurfaceHit hit, spVec3 end)
{
    spVec3 n = hit.normal;
    spReal w = 1 / r->stiffness, total = spDot3(n, r->multiplier);
    total = total > 0 ? total : 0;
    spReal pressed = total + spSolveNormal(total, hit.distance, w);
    spVec3 slip = spGetTangent(spSub3(end, r->anchor), n), side = spGetTangent(r->multiplier, n);
    return spMulAdd3(spSolveFriction(side, slip, w, row->friction * pressed), pressed, n);
}

spVec3 spGetPenaltyForce(const spSubstep* s, int index, const spVec4* v)
{
    const spRow* row = s->problem->rows + index;
    spVec3 end = spGetEnd(s, row, v);
    return spSolvePenalty(row, s->solver->rowSolves + index, spFindRowGap(s, row, end), end);
}

// What a row resists in each direction: all where it sticks, along the normal and across the slip where it
// slides, and a little along it, so that rounding does not move a body that slides freely. A row that is about to
// touch counts as closed.
static spMat3 spGetPenaltyStiffness(const spSubstep* s, int index)
{
    const spRow* row = s->problem->rows + index;
    const spRowSolve* r = s->solver->rowSolves + index;
    spVec3 end = spGetEnd(s, row, s->v);
    spSurfaceHit hit = spFindRowGap(s, row, end);
    spReal k = r->stiffness, rounding = spGetGapRounding(end, s->body->contactRadius);
    spVec3 n = hit.normal;
    spReal pressed = spDot3(n, r->multiplier) - k * hit.distance;
    if (pressed < -k * rounding)
    {
        return spZeroMat3();
    }
    spVec3 trial = spMulSub3(r->multiplier, k, spSub3(end, r->anchor));
    trial = spGetTangent(trial, n);
    spReal length = spLength3(trial), most = row->friction * pressed;
    if (row->friction > 0 && (!(length > most) || pressed <= k * rounding))
    {
        return spScaleMat3(k, spIdentityMat3());
    }
    spMat3 normal = spOuter3(n, n), side = spSubMat3(spIdentityMat3(), normal);
    spMat3 block = spAddMat3(spScaleMat3(k, normal), spScaleMat3(SP_SLIDE_SHARE * k, side));
    if (most > 0)
    {
        spVec3 along = spScale3(1 / length, trial);
        block = spMulAddMat3(block, k * most / length, spSubMat3(side, spOuter3(along, along)));
    }
    return block;
}

// ---- all rows ----

// Where a node goes that keeps its place on a collider over the substep
static spVec3 spCarryPlace(const spSubstep* s, const spRow* row, spVec3 p)
{
    const spSubstepProblem* problem = s->problem;
    spReal fraction = problem->fraction - s->h / problem->stepDt;
    spPose before =
        spGetColliderPose(problem->colliders[row->b.slot], fraction > 0 ? fraction : 0, problem->stepDt);
    return spTransformPoint(problem->poses[row->b.slot].transform, spInvTransformPoint(before.transform, p));
}

void spStartPenalties(spSubstep* s)
{
    const spSparse* a = &s->solver->system.sparse;
    spAssembleSystem(&s->solver->system, s->body, &s->force, s->mass, &s->fill, true);
    s->size = spGetBodySize(s->body);
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        spRowSolve* r = s->solver->rowSolves + i;
        if (spIsFreeContact(s, i))
        {
            int node = row->a.node;
            spReal own = spTrace3(spGetDiagonalSum(a, node)) / 3, least = SP_LEAST_RATE * s->body->mass[node];
            r->status = sp_statusPenalty;
            r->stiffness = SP_PENALTY_RATIO * own > least ? SP_PENALTY_RATIO * own : least;
            r->anchor = spCarryPlace(s, row, spXyz(s->x[node]));
            r->multiplier = spFindMultiplier(s->problem->multipliers, row->key).force;
            s->hasPenalties = true;
        }
    }
}

bool spFillPenaltyStiffness(const spSubstep* s, spVec4* a, spVec4* c)
{
    bool touches = false;
    s->body->backend->clear(a, 0, s->body->nodeCount);
    s->body->backend->clear(c, 0, s->body->nodeCount);
    for (int i = 0; s->hasPenalties && i < s->problem->rowCount; ++i)
    {
        if (s->solver->rowSolves[i].status == sp_statusPenalty)
        {
            spMat3 block = spGetPenaltyStiffness(s, i);
            int node = s->problem->rows[i].a.node;
            touches = touches || spTrace3(block) > 0;
            a[node] = (spVec4){a[node].x + block.cx.x, a[node].y + block.cy.y, a[node].z + block.cz.z, 0};
            c[node] = (spVec4){c[node].x + block.cy.x, c[node].y + block.cz.y, c[node].z + block.cz.x, 0};
        }
    }
    return touches;
}

void spAddPenaltyStiffness(spSubstep* s)
{
    const spCgVectors* cg = &s->solver->cg;
    s->touches = s->hasPenalties && spFillPenaltyStiffness(s, cg->z, cg->t);
    if (s->touches)
    {
        spAddBlocksToOwn(&s->solver->system, s->body, cg->z, cg->t);
    }
}

double spGetPenaltyNorm2(const spSubstep* s)
{
    double sum = 0.0;
    for (int i = 0; s->hasPenalties && i < s->problem->rowCount; ++i)
    {
        if (s->solver->rowSolves[i].status == sp_statusPenalty)
        {
            sum += (double)spLengthSquared3(spGetPenaltyForce(s, i, s->v));
        }
    }
    return sum;
}

double spGetStaticShare(const spSubstep* s)
{
    double moved = s->touches ? s->body->backend->maxLength(s->solver->cg.x, 0, s->body->nodeCount) : 0.0;
    return moved > SP_STEP_SHARE * s->size ? SP_STEP_SHARE * s->size / moved : 1.0;
}

void spRenewForContacts(const spSubstep* s, int iterations)
{
    if (s->touches && iterations > SP_OLD_ITERATIONS)
    {
        spRenewPreconditioner(s);
    }
}

// ---- multipliers ----

// Multipliers take over the forces. Whether these have settled: by a share of their norm, and with gaps of less
// than a thousandth of it of the body, or no further than positions resolve
static bool spUpdateMultipliers(spSubstep* s, double tolerance)
{
    double change = 0.0, sum = 0.0, deepest = 0.0;
    bool resolved = true;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        spRowSolve* r = s->solver->rowSolves + i;
        if (r->status == sp_statusPenalty)
        {
            spVec3 force = spGetPenaltyForce(s, i, s->v), more = spSub3(force, r->multiplier);
            spReal moved = spLength3(more) / r->stiffness;
            resolved =
                resolved && moved <= spGetGapRounding(spXyz(s->x[row->a.node]), s->body->contactRadius);
            deepest = fmax(deepest, (double)moved);
            change += (double)spLengthSquared3(more);
            sum += (double)spLengthSquared3(force);
            r->multiplier = force;
        }
    }
    bool small = change <= tolerance * tolerance * sum && deepest <= 1e-3 * tolerance * s->size;
    return resolved || small;
}

uint32_t spSolveStaticRows(spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    const spFill fill = s->fill;
    uint32_t flags = 0;
    for (int round = 0; round < SP_MULTIPLIER_ROUNDS; ++round)
    {
        s->fill = fill;
        flags = spSolveNewton(s);
        bool settled = spUpdateMultipliers(s, (double)solver->def.newtonTolerance);
        if (settled || (flags & sp_stepSolverStopped) != 0)
        {
            return flags;
        }
    }
    s->problem->report->converged = false;
    return flags | sp_stepSolverStopped;
}
