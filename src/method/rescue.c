// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The rescue of a substep that exceeds its energy bound: the body is taken as rigid. Its contacts are solved
// by Gauss-Seidel over the rows, with friction. Which rows push there, and how it moves, is a good guess to
// solve again from; where that fails too, the substep ends with that motion, which is close to the truth for
// a stiff body.

#include "method/implicit_substep.h"

#include "math/vec3.h"
#include "method/implicit_nodes.h"

#include <math.h>

// Passes over the rows at most, and the change of velocity, over the largest, with which they end
#define SP_RIGID_SWEEPS 60
#define SP_RIGID_TOLERANCE 1e-4
// Passes that look for a translation that suits all rows
#define SP_STOP_PASSES 4

bool spIsFreeContact(const spSubstep* s, int row)
{
    const spNodeRow* r = s->problem->rows + row;
    return r->law == sp_rowContact && s->x[r->node].w > 0;
}

spRigidMotion spFindFreeMotion(const spSubstep* s)
{
    const spBody* body = s->body;
    spVec4* p = s->solver->cg.b;
    spFillLoadImpulses(p, body->mass, s->solver->baseV, NULL, s->effectiveStep, s->problem->gravity,
                       body->nodeForces, 0, body->nodeCount);
    return spFindRigidMotion(body->mass, spGetStart(s), p, false, body->nodeCount);
}

// The velocity that a row asks for: at the node, with the whole substep to get there. pushed: with what only
// moves it out
static void spGetWanted(const spSubstep* s, int index, bool pushed, double v[3])
{
    const spNodeRow* row = s->problem->rows + index;
    const spRowSolve* r = s->solver->rowSolves + index;
    spVec3 from = spXyz(spGetStart(s)[row->node]), base = spXyz(s->solver->baseX[row->node]);
    spVec3 displacement = spSub3(spMulAdd3(base, s->effectiveStep, r->velocity), from);
    spReal along = spDot3(row->normal, displacement) / s->h - (pushed ? 0 : r->push);
    spVec3 wanted = spMulAdd3(r->velocity, along - spDot3(row->normal, r->velocity), row->normal);
    v[0] = (double)wanted.x;
    v[1] = (double)wanted.y;
    v[2] = (double)wanted.z;
}

static double spDot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void spGetNormal(const spNodeRow* row, double n[3])
{
    n[0] = (double)row->normal.x;
    n[1] = (double)row->normal.y;
    n[2] = (double)row->normal.z;
}

void spFindStop(const spSubstep* s, double v[3])
{
    int rowCount = s->problem->rowCount;
    for (int k = 0; k < 3; ++k)
    {
        v[k] = s->bound.freeMotion.velocity[k];
    }
    for (int i = 0; i < SP_STOP_PASSES * rowCount; ++i)
    {
        int row = i % rowCount;
        double n[3], wanted[3];
        if (spIsFreeContact(s, row))
        {
            spGetNormal(s->problem->rows + row, n);
            spGetWanted(s, row, true, wanted);
            double more = fmax(0.0, spDot(n, wanted) - spDot(n, v));
            for (int k = 0; k < 3; ++k)
            {
                v[k] += more * n[k];
            }
        }
    }
}

// One row: the normal first, then friction against the normal impulse as it is now. Returns the change of
// velocity.
static double spPushRow(const spSubstep* s, spRigidMotion* w, int index, bool pushed)
{
    const spNodeRow* row = s->problem->rows + index;
    spRowSolve* r = s->solver->rowSolves + index;
    spVec4 x = spGetStart(s)[row->node];
    double arm[3] = {(double)x.x - w->centre[0], (double)x.y - w->centre[1], (double)x.z - w->centre[2]};
    double n[3], wanted[3], v[3], p[3], side[3];
    double old[3] = {(double)r->rigid.x, (double)r->rigid.y, (double)r->rigid.z};
    spGetNormal(row, n);
    spGetWanted(s, index, pushed, wanted);
    spGetRigidVelocity(w, arm, v);
    double before = spDot(old, n), compliance = spGetRigidCompliance(w, arm, n);
    double along = spDot(n, v) - spDot(n, wanted), now = fmax(0.0, before - along / compliance);
    double length = 0.0, slip = 0.0, changed = fabs(now - before) * compliance;
    for (int k = 0; k < 3; ++k)
    {
        p[k] = (now - before) * n[k];
        side[k] = old[k] - before * n[k];
    }
    spApplyRigidImpulse(w, arm, p);
    spGetRigidVelocity(w, arm, v);
    along = spDot(n, v) - spDot(n, wanted);
    for (int k = 0; k < 3; ++k)
    {
        v[k] -= wanted[k] + along * n[k];
        slip += v[k] * v[k];
    }
    slip = sqrt(slip);
    double ease =
        slip > 0.0 ? spGetRigidCompliance(w, arm, (double[3]){v[0] / slip, v[1] / slip, v[2] / slip}) : 0.0;
    for (int k = 0; k < 3; ++k)
    {
        p[k] = -side[k];
        side[k] -= slip > 0.0 ? v[k] / ease : 0.0;
        length += side[k] * side[k];
    }
    length = sqrt(length);
    double most = (double)row->friction * now, share = length > most ? most / length : 1.0, moved = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        side[k] *= share;
        p[k] += side[k];
        moved += p[k] * p[k];
    }
    spApplyRigidImpulse(w, arm, p);
    r->rigid = (spVec3){(spReal)(now * n[0] + side[0]), (spReal)(now * n[1] + side[1]),
                        (spReal)(now * n[2] + side[2])};
    return fmax(changed, sqrt(moved) * ease);
}

// The rigid motion that contacts leave; their impulses are left in the rows
static spRigidMotion spFindContactMotion(const spSubstep* s, bool pushed)
{
    spRigidMotion w = s->bound.freeMotion;
    double largest = 0.0;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        s->solver->rowSolves[i].rigid = (spVec3){0, 0, 0};
    }
    for (int sweep = 0; sweep < SP_RIGID_SWEEPS; ++sweep)
    {
        double change = 0.0;
        for (int i = 0; i < s->problem->rowCount; ++i)
        {
            if (spIsFreeContact(s, i))
            {
                change = fmax(change, spPushRow(s, &w, i, pushed));
            }
        }
        largest = fmax(largest, change);
        if (change <= SP_RIGID_TOLERANCE * largest)
        {
            break;
        }
    }
    return w;
}

// Rows as the rigid motion leaves them
static void spTakeRigidStatus(const spNodeRow* row, spRowSolve* r, spVec3 impulse)
{
    spReal pressed = spDot3(impulse, row->normal);
    spVec3 side = spMulSub3(impulse, pressed, row->normal);
    bool sticks = spLength3(side) < (spReal)0.999 * row->friction * pressed;
    r->status = !(pressed > 0) ? sp_statusOpen : sticks ? sp_statusStick : sp_statusSlide;
    r->slid = r->status == sp_statusSlide;
    r->impulse = r->slid ? side : (spVec3){0, 0, 0};
}

void spStartFromRigidMotion(const spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    int count = s->body->nodeCount;
    bool free = s->body->heldCount == 0;
    spFillFree(solver->cg.x, (spVec3){0, 0, 0}, solver->iterateV, s->x, 0, count);
    if (free)
    {
        spRigidMotion w = spFindContactMotion(s, true);
        spAddRigidMotion(&w, 1.0, spGetStart(s), count, solver->cg.x);
    }
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        if (spIsFreeContact(s, i))
        {
            spRowSolve* r = solver->rowSolves + i;
            spTakeRigidStatus(s->problem->rows + i, r, free ? r->rigid : (spVec3){0, 0, 0});
        }
    }
}

// How far the rows want the body out of where a rotation has taken it, as a translation
static spVec3 spFindLift(const spSubstep* s, const spRigidMotion* w)
{
    const spVec4* start = spGetStart(s);
    spVec3 lift = {0, 0, 0};
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        if (spIsFreeContact(s, i))
        {
            const spNodeRow* row = s->problem->rows + i;
            double v[3];
            spGetWanted(s, i, true, v);
            spVec3 wanted = {(spReal)v[0], (spReal)v[1], (spReal)v[2]};
            spVec3 end = spMoveRigidly(w, (double)s->h, start[row->node]);
            spVec3 missing = spMulAdd3(spSub3(spXyz(start[row->node]), end), s->h, wanted);
            spReal more = spDot3(row->normal, spSub3(missing, lift));
            lift = more > 0 ? spMulAdd3(lift, more, row->normal) : lift;
        }
    }
    return lift;
}

// Of a free body
static void spEndFree(const spSubstep* s)
{
    spRigidMotion motion = spFindContactMotion(s, true);
    spVec3 lift = spFindLift(s, &motion);
    // What only moves nodes out leaves no velocity
    spRigidMotion after = spFindContactMotion(s, false);
    spMoveNodesRigidly(s->x, s->v, spGetStart(s), &motion, &after, (double)s->h, lift, s->body->nodeCount);
}

// A body with held nodes stands still but for them
static void spEndHeld(const spSubstep* s)
{
    int count = s->body->nodeCount;
    spFillHeld(s->v, s->solver->iterateV, s->x, 0, count);
    spFillPositions(s->x, spGetStart(s), s->h, s->v, 0, count);
}

void spEndWithRigidMotion(spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    bool free = s->body->heldCount == 0;
    s->phase = sp_phaseRigid;
    (free ? spEndFree : spEndHeld)(s);
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        if (spIsFreeContact(s, i))
        {
            spRowSolve* r = solver->rowSolves + i;
            r->status = sp_statusForce;
            r->impulse = free ? r->rigid : (spVec3){0, 0, 0};
            r->push = 0;
        }
    }
    // What pins exert is not known then
    for (int i = 0; i < solver->patchConstraint[s->body->order.patchCount]; ++i)
    {
        solver->rawProduct[i] = solver->rawB[i];
    }
}
