// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The rescue of a substep that exceeds its energy bound: the body is taken as rigid. Its contacts are solved
// by Gauss-Seidel over the rows, with friction. Which rows push there, and how it moves, is a good guess to
// solve again from; where that fails too, the substep ends with that motion, which is close to the truth for
// a stiff body.

#include "method/implicit_substep.h"

#include "body/contact_law.h"
#include "linear/node_math.h"

#include <math.h>

// Passes over the rows at most, and the change of velocity, over the largest, with which they end
#define SP_RIGID_SWEEPS 60
#define SP_RIGID_TOLERANCE 1e-4
// Passes that look for a translation that suits all rows
#define SP_STOP_PASSES 4
// Share of the largest change of speed that rows ask for, which a translation leaves in a body that is squeezed
#define SP_SQUEEZE_SHARE 0.5

bool spIsFreeContact(const spSubstep* s, int row)
{
    const spRow* r = s->problem->rows + row;
    return r->law == sp_rowContact && s->x[r->a.node].w > 0;
}

spRigidMotion spFindFreeMotion(const spSubstep* s)
{
    const spBody* body = s->body;
    spVec4* p = s->solver->cg.b;
    body->backend->setLoadImpulses(p, body->mass, s->solver->baseV, NULL, s->effectiveStep,
                                   s->problem->gravity, spGetLoads(body), 0, body->nodeCount);
    return spFindRigidMotion(body, spGetStart(s), p, false);
}

// The velocity that a row asks for: at the node, with the whole substep to get there. pushed: with what only
// moves it out
static void spGetWanted(const spSubstep* s, int index, bool pushed, double v[3])
{
    const spRow* row = s->problem->rows + index;
    const spRowSolve* r = s->solver->rowSolves + index;
    spVec3 from = spXyz(spGetStart(s)[row->a.node]), base = spXyz(s->solver->baseX[row->a.node]);
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

static void spGetNormal(const spRow* row, double n[3])
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

bool spIsSqueezed(const spSubstep* s)
{
    const double* from = s->bound.freeMotion.velocity;
    double v[3], asked = 0.0, left = 0.0;
    spFindStop(s, v);
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        double n[3], wanted[3];
        if (spIsFreeContact(s, i))
        {
            spGetNormal(s->problem->rows + i, n);
            spGetWanted(s, i, true, wanted);
            asked = fmax(asked, spDot(n, wanted) - spDot(n, from));
            left = fmax(left, spDot(n, wanted) - spDot(n, v));
        }
    }
    return left > SP_SQUEEZE_SHARE * asked;
}

// One row. Returns the change of velocity.
static double spPushRow(const spSubstep* s, spRigidMotion* w, int index, bool pushed)
{
    const spRow* row = s->problem->rows + index;
    spRowSolve* r = s->solver->rowSolves + index;
    spVec4 x = spGetStart(s)[row->a.node];
    double arm[3] = {(double)x.x - w->centre[0], (double)x.y - w->centre[1], (double)x.z - w->centre[2]};
    double wanted[3], v[3];
    spGetWanted(s, index, pushed, wanted);
    spGetRigidVelocity(w, arm, v);
    spVec3 rate = {(spReal)(v[0] - wanted[0]), (spReal)(v[1] - wanted[1]), (spReal)(v[2] - wanted[2])};
    spMat3 compliance = spGetRigidCompliance(w, arm);
    spVec3 change = spSolveContact(r->rigid, rate, compliance, row->normal, row->friction);
    spApplyRigidImpulse(w, arm, (double[3]){(double)change.x, (double)change.y, (double)change.z});
    r->rigid = spAdd3(r->rigid, change);
    return (double)spLength3(spMulMV3(compliance, change));
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
static void spTakeRigidStatus(const spRow* row, spRowSolve* r, spVec3 impulse)
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
    s->body->backend->setFree(solver->cg.x, (spVec3){0, 0, 0}, solver->iterateV, s->x, 0, count);
    if (free)
    {
        spRigidMotion w = spFindContactMotion(s, true);
        s->body->backend->addRigid(solver->cg.x, &w, 1.0, spGetStart(s), 0, count);
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
            const spRow* row = s->problem->rows + i;
            double v[3];
            spGetWanted(s, i, true, v);
            spVec3 wanted = {(spReal)v[0], (spReal)v[1], (spReal)v[2]};
            spVec3 end = spMoveRigidly(w, (double)s->h, start[row->a.node]);
            spVec3 missing = spMulAdd3(spSub3(spXyz(start[row->a.node]), end), s->h, wanted);
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
    spRigidMotion velocity = spFindContactMotion(s, false);
    s->body->backend->moveRigidly(s->x, s->v, spGetStart(s), &motion, lift, &velocity, (double)s->h, 0,
                                  s->body->nodeCount);
    if (s->force.state.remainder > 0)
    {
        spClearRemainders(s->body, s->x);
    }
}

// A body with held nodes stands still but for them
static void spEndHeld(const spSubstep* s)
{
    int count = s->body->nodeCount;
    s->body->backend->setHeld(s->v, s->solver->iterateV, s->x, 0, count);
    spSetSubstepPositions(s, s->x, spGetStart(s), s->h, s->v, 0, count);
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
