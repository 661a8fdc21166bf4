// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A body that runs into something and does not deform: what implicit steps with contact are measured against,
// begin again from, and end with when nothing else is left.
//
// The end of a step has the least of (v - v~) M (v - v~) / 2 + elastic energy among all motions that contacts
// allow. So it has no more of that than a body that just stops before it runs into anything. A solve that
// ends with more has the wrong contacts, or did not come near its end: contacts that pull squash a body, and
// what a stiff one is squashed by throws it in the next steps.
//
// Contacts of the body as a whole are solved by Gauss-Seidel over the rows, with friction. It holds what is
// stiff well enough; which rows push there is a good guess for the rest.

#include "method/implicit.h"

#include "body/contact_law.h"

#include <math.h>
#include <string.h>

// Passes over the rows at most, and the change of velocity, over the largest, with which they end
#define SP_WHOLE_SWEEPS 60
#define SP_WHOLE_TOLERANCE 1e-4
// Energy of motion over what a substep of free fall gives, up to which a body that was solved is at rest
#define SP_MOTION_RATIO 0.1
// Passes that look for a translation that suits all rows
#define SP_STOP_PASSES 4
// Of the energy of a step, that rounding may add
#define SP_CLIMB_SHARE 1e-3

static bool spIsFreeContact(const spImplicitStep* s, int row)
{
    const spRow* r = s->body->rows + row;
    return r->law == sp_rowContact && s->body->x[r->a.node].w > 0;
}

void spFindHiddenMass(const spImplicitStep* s)
{
    const spBody* body = s->body;
    const spSolverDef* solver = &s->state->def.solver;
    double digits = sizeof(spReal) == sizeof(float) ? 1e5 : 1e13, sum = 0.0, mass = 0.0;
    for (int node = 0; s->assembled && node < body->nodeCount; ++node)
    {
        spVec4 d = s->state->system.sparse.diagonal[0][node];
        sum += ((double)d.x + (double)d.y + (double)d.z) / 3.0;
        mass += (double)s->mass * (double)body->mass[node];
    }
    // Newton's steps look at the force itself
    double seen = solver->newtonSteps == 1 ? fmin(digits, 10.0 / (double)solver->tolerance) : digits;
    s->state->blind = sum > seen * mass;
    // A complete factor knows more than the tolerance asks for
    bool complete = solver->preconditioner == sp_preconditionCholesky;
    s->state->hidden = s->state->blind && (complete == false || sum > digits * mass);
}

bool spNeedsJudgement(const spImplicitStep* s)
{
    bool contacts = false, rigid = false;
    for (int i = 0; i < s->body->rowCount; ++i)
    {
        const spRow* row = s->body->rows + i;
        contacts = contacts || spIsFreeContact(s, i);
        rigid = rigid || (row->law == sp_rowHold && s->state->rows[i].status == sp_statusStick);
    }
    return rigid == false && s->isStatic == false &&
           (contacts || (s->body->heldCount == 0 && s->state->blind));
}

// Where the nodes are at the start of the substep
static const spVec4* spGetStart(const spImplicitStep* s)
{
    return s->state->def.type == sp_bdf2 ? s->state->past[0] : s->state->baseX;
}

void spFindFlight(spImplicitStep* s)
{
    const spBody* body = s->body;
    spVec4* p = s->state->cg.b;
    spVec3 g = s->force.gravity;
    spReal r = s->reach;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec4 v = s->state->baseV[node];
        spVec4 f = body->nodeForces != NULL ? body->nodeForces[node] : (spVec4){0};
        spReal m = body->mass[node];
        p[node] = (spVec4){m * (v.x + r * g.x) + r * f.x, m * (v.y + r * g.y) + r * f.y,
                           m * (v.z + r * g.z) + r * f.z, 0};
    }
    s->flight = spFindWholeMotion(body, spGetStart(s), p, false);
}

// The velocity that a row asks for: at the node, with the whole substep to get there. pushed: with what only
// moves it out
static void spGetWanted(const spImplicitStep* s, int index, bool pushed, double v[3])
{
    const spRow* row = s->body->rows + index;
    const spRowSolve* r = s->state->rows + index;
    spVec3 from = spXyz(spGetStart(s)[row->a.node]), base = spXyz(s->state->baseX[row->a.node]);
    spVec3 way = spSub3(spMulAdd3(base, s->reach, r->velocity), from);
    spReal along = spDot3(row->normal, way) / s->h - (pushed ? 0 : r->push);
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

void spFillStop(spImplicitStep* s, spVec4* dv)
{
    const spBody* body = s->body;
    const spImplicitState* state = s->state;
    double v[3] = {0, 0, 0}, lost = 0.0, mass = 0.0;
    if (body->heldCount == 0)
    {
        for (int i = 0; i < 3; ++i)
        {
            v[i] = s->flight.velocity[i];
        }
        for (int i = 0; i < SP_STOP_PASSES * body->rowCount; ++i)
        {
            int row = i % body->rowCount;
            double n[3], wanted[3];
            if (spIsFreeContact(s, row))
            {
                spGetNormal(body->rows + row, n);
                spGetWanted(s, row, true, wanted);
                double more = fmax(0.0, spDot(n, wanted) - spDot(n, v));
                for (int k = 0; k < 3; ++k)
                {
                    v[k] += more * n[k];
                }
            }
        }
    }
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec3 from = spXyz(state->way[node]), base = spXyz(state->baseV[node]);
        if (body->x[node].w == 0)
        {
            dv[node] = (spVec4){0};
            continue;
        }
        spVec3 to = {(spReal)v[0], (spReal)v[1], (spReal)v[2]};
        spVec3 change = spSub3(to, from);
        dv[node] = (spVec4){change.x, change.y, change.z, 0};
        mass += (double)body->mass[node];
        lost += 0.5 * (double)body->mass[node] * (double)spLengthSquared3(spSub3(to, base));
    }
    double fall = (double)s->reach * (double)spLength3(s->force.gravity);
    s->lost = lost;
    s->least = 0.5 * mass * fall * fall;
}

static double spGetElasticEnergy(const spImplicitStep* s, const spVec4* x)
{
    const spBody* body = s->body;
    spNodeState nodes = s->force.state;
    double sum = 0.0;
    nodes.x = x;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spElementKind* kind = body->sets[i]->kind;
        sum += (kind->flags & sp_kindField) == 0 ? kind->getEnergy(body->sets[i], &nodes) : 0.0;
    }
    return sum;
}

double spGetMissedEnergy(const spImplicitStep* s)
{
    const spBody* body = s->body;
    const spBodySystem* system = &s->state->system;
    double sum = 0.0;
    bool complete = s->state->def.solver.preconditioner == sp_preconditionCholesky;
    if (s->assembled == false || (complete && s->state->hasty == false && s->state->hidden == false))
    {
        return 0.0;
    }
    for (int i = 0; i < body->rowCount; ++i)
    {
        const spRow* row = body->rows + i;
        if (spIsFreeContact(s, i))
        {
            const spPose* pose = s->context->poses + row->b.slot;
            spVec3 p = spXyz(body->x[row->a.node]);
            spSurfaceHit hit = spQueryShape(&s->context->colliders[row->b.slot]->def, pose->transform, p);
            double gap = (double)hit.distance - (double)body->contactRadius;
            double depth = fmin(fmax(-gap, 0.0), (double)(s->h * SP_PUSH_SPEED));
            double stiffness = (double)spTrace3(spGetDiagonalSum(&system->sparse, row->a.node)) / 3.0;
            sum += 0.5 * depth * depth * stiffness / (double)s->fill.stiffness;
        }
    }
    return sum;
}

bool spIsThrown(const spImplicitStep* s, bool solved)
{
    const spBody* body = s->body;
    double change = 0.0, moving = 0.0;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec3 base = spXyz(s->state->baseV[node]), dv = spSub3(spXyz(body->v[node]), base);
        double m = body->x[node].w > 0 ? 0.5 * (double)body->mass[node] : 0.0;
        change += m * (double)spLengthSquared3(dv);
        moving += m * (double)spLengthSquared3(base);
    }
    if (solved && s->state->blind == false && moving + s->lost <= SP_MOTION_RATIO * s->least)
    {
        return false;
    }
    double before = spGetElasticEnergy(s, s->state->baseX), after = spGetElasticEnergy(s, body->x);
    if (s->state->def.type == sp_bdf2)
    {
        // Two past states of a stiff body that turns lead to one that is torn
        before = fmin(before, 2.0 * spGetElasticEnergy(s, spGetStart(s)) + moving);
    }
    return !(after + change + spGetMissedEnergy(s) <= before + 2.0 * s->lost + s->least);
}

// What backward Euler makes small, J: elastic energy, that of the change of velocity, less the work of loads
static double spGetStepEnergy(const spImplicitStep* s, const spVec4* v, const spVec4* x)
{
    const spBody* body = s->body;
    double sum = spGetElasticEnergy(s, x);
    for (int node = 0; node < body->nodeCount; ++node)
    {
        if (body->x[node].w > 0)
        {
            spVec3 u = spXyz(v[node]), dv = spSub3(u, spXyz(s->state->baseV[node]));
            spVec3 f = body->nodeForces != NULL ? spXyz(body->nodeForces[node]) : (spVec3){0};
            f = spMulAdd3(f, body->mass[node], s->force.gravity);
            sum += 0.5 * (double)body->mass[node] * (double)spLengthSquared3(dv);
            sum -= (double)s->reach * (double)spDot3(f, u);
        }
    }
    return sum;
}

bool spClimbs(const spImplicitStep* s)
{
    const spBody* body = s->body;
    spImplicitState* state = s->state;
    spVec4 *flight = state->cg.d, *still = state->cg.z;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec3 x = spMulAdd3(spXyz(state->baseX[node]), s->reach, spXyz(state->way[node]));
        flight[node] = (spVec4){x.x, x.y, x.z, 0};
    }
    memset(still, 0, (size_t)body->nodeCount * sizeof(spVec4));
    double end = spGetStepEnergy(s, body->v, body->x);
    bool anchored = body->heldCount > 0;
    for (int i = 0; i < body->heldCount; ++i)
    {
        anchored = anchored && spLengthSquared3(spXyz(body->v[body->held[i]])) == 0;
    }
    // A body that is free, or moved, may turn on its way, and is as much out of shape then
    double most = spGetStepEnergy(s, still, state->baseX);
    most = anchored ? most : fmax(most, spGetStepEnergy(s, state->way, flight));
    return !(end <= most + SP_CLIMB_SHARE * fabs(most));
}

// One row: the normal first, then friction against the normal impulse as it is now. Returns the change of
// velocity.
static double spPushRowWhole(const spImplicitStep* s, spWholeMotion* w, int index, bool pushed)
{
    const spRow* row = s->body->rows + index;
    spRowSolve* r = s->state->rows + index;
    spVec4 x = spGetStart(s)[row->a.node];
    double arm[3] = {(double)x.x - w->centre[0], (double)x.y - w->centre[1], (double)x.z - w->centre[2]};
    double n[3], wanted[3], v[3], p[3], side[3];
    double old[3] = {(double)r->whole.x, (double)r->whole.y, (double)r->whole.z};
    spGetNormal(row, n);
    spGetWanted(s, index, pushed, wanted);
    spGetWholeVelocity(w, arm, v);
    double before = spDot(old, n), yield = spGetWholeYield(w, arm, n);
    double along = spDot(n, v) - spDot(n, wanted), now = fmax(0.0, before - along / yield);
    double length = 0.0, slip = 0.0, changed = fabs(now - before) * yield;
    for (int k = 0; k < 3; ++k)
    {
        p[k] = (now - before) * n[k];
        side[k] = old[k] - before * n[k];
    }
    spPushWhole(w, arm, p);
    spGetWholeVelocity(w, arm, v);
    along = spDot(n, v) - spDot(n, wanted);
    for (int k = 0; k < 3; ++k)
    {
        v[k] -= wanted[k] + along * n[k];
        slip += v[k] * v[k];
    }
    slip = sqrt(slip);
    double ease =
        slip > 0.0 ? spGetWholeYield(w, arm, (double[3]){v[0] / slip, v[1] / slip, v[2] / slip}) : 0.0;
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
    spPushWhole(w, arm, p);
    r->whole = (spVec3){(spReal)(now * n[0] + side[0]), (spReal)(now * n[1] + side[1]),
                        (spReal)(now * n[2] + side[2])};
    return fmax(changed, sqrt(moved) * ease);
}

// The motion that contacts leave; their impulses are left in the rows
static spWholeMotion spFindStoppedMotion(const spImplicitStep* s, bool pushed)
{
    spWholeMotion w = s->flight;
    double largest = 0.0;
    for (int i = 0; i < s->body->rowCount; ++i)
    {
        s->state->rows[i].whole = (spVec3){0, 0, 0};
    }
    for (int sweep = 0; sweep < SP_WHOLE_SWEEPS; ++sweep)
    {
        double change = 0.0;
        for (int i = 0; i < s->body->rowCount; ++i)
        {
            if (spIsFreeContact(s, i))
            {
                change = fmax(change, spPushRowWhole(s, &w, i, pushed));
            }
        }
        largest = fmax(largest, change);
        if (change <= SP_WHOLE_TOLERANCE * largest)
        {
            break;
        }
    }
    return w;
}

void spGuessAsWhole(spImplicitStep* s)
{
    spBody* body = s->body;
    spImplicitState* state = s->state;
    bool free = body->heldCount == 0;
    spWholeMotion w = {0};
    if (free)
    {
        w = spFindStoppedMotion(s, true);
    }
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec4 v = state->way[node];
        state->cg.x[node] = body->x[node].w > 0 ? (spVec4){-v.x, -v.y, -v.z, 0} : (spVec4){0};
    }
    if (free)
    {
        spAddWholeMotion(&w, 1.0, spGetStart(s), body->nodeCount, state->cg.x);
    }
    for (int i = 0; i < body->rowCount; ++i)
    {
        if (spIsFreeContact(s, i) == false)
        {
            continue;
        }
        const spRow* row = body->rows + i;
        spRowSolve* r = state->rows + i;
        spVec3 p = free ? r->whole : (spVec3){0, 0, 0};
        spReal pressed = spDot3(p, row->normal);
        spVec3 side = spMulSub3(p, pressed, row->normal);
        bool sticks = spLength3(side) < (spReal)0.999 * row->friction * pressed;
        r->status = !(pressed > 0) ? sp_statusOpen : sticks ? sp_statusStick : sp_statusSlide;
        r->slid = r->status == sp_statusSlide;
        r->impulse = r->slid ? side : (spVec3){0, 0, 0};
    }
}

// As far as the motion goes in h, turned and not sheared: Cayley's rotation
static spVec3 spMoveWhole(const spWholeMotion* w, double h, spVec4 x)
{
    const double *c = w->centre, *t = w->turn;
    double q[3] = {0.5 * h * t[0], 0.5 * h * t[1], 0.5 * h * t[2]};
    double a[3] = {(double)x.x - c[0], (double)x.y - c[1], (double)x.z - c[2]};
    double share = 2.0 / (1.0 + spDot(q, q)), b[3], end[3];
    for (int k = 0; k < 3; ++k)
    {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        b[k] = a[k] + q[i] * a[j] - q[j] * a[i];
    }
    for (int k = 0; k < 3; ++k)
    {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        end[k] = c[k] + h * w->velocity[k] + a[k] + share * (q[i] * b[j] - q[j] * b[i]);
    }
    return (spVec3){(spReal)end[0], (spReal)end[1], (spReal)end[2]};
}

// What a turn is still missing of where the rows want it, as a translation
static spVec3 spFindLift(const spImplicitStep* s, const spWholeMotion* w)
{
    const spBody* body = s->body;
    const spVec4* start = spGetStart(s);
    spVec3 lift = {0, 0, 0};
    for (int i = 0; i < body->rowCount; ++i)
    {
        if (spIsFreeContact(s, i))
        {
            const spRow* row = body->rows + i;
            double v[3];
            spGetWanted(s, i, true, v);
            spVec3 wanted = {(spReal)v[0], (spReal)v[1], (spReal)v[2]};
            spVec3 end = spMoveWhole(w, (double)s->h, start[row->a.node]);
            spVec3 way = spMulAdd3(spSub3(spXyz(start[row->a.node]), end), s->h, wanted);
            spReal more = spDot3(row->normal, spSub3(way, lift));
            lift = more > 0 ? spMulAdd3(lift, more, row->normal) : lift;
        }
    }
    return lift;
}

void spEndAsWhole(spImplicitStep* s)
{
    spBody* body = s->body;
    spImplicitState* state = s->state;
    const spVec4* start = spGetStart(s);
    bool free = body->heldCount == 0;
    spWholeMotion way = {0}, w = {0};
    spVec3 lift = {0, 0, 0};
    double centre[3] = {0};
    if (free)
    {
        way = spFindStoppedMotion(s, true);
        lift = spFindLift(s, &way);
        // What only moves nodes out leaves no velocity
        w = spFindStoppedMotion(s, false);
        for (int k = 0; k < 3; ++k)
        {
            centre[k] = way.centre[k] + (double)s->h * way.velocity[k];
        }
    }
    for (int node = 0; node < body->nodeCount; ++node)
    {
        bool held = body->x[node].w == 0;
        spVec3 v = held ? spXyz(state->way[node]) : (spVec3){0, 0, 0};
        spVec3 x = spMulAdd3(spXyz(start[node]), s->h, v);
        if (free)
        {
            x = spMoveWhole(&way, (double)s->h, start[node]);
            double arm[3] = {(double)x.x - centre[0], (double)x.y - centre[1], (double)x.z - centre[2]};
            double u[3];
            spGetWholeVelocity(&w, arm, u);
            v = (spVec3){(spReal)u[0], (spReal)u[1], (spReal)u[2]};
            x = spAdd3(x, lift);
        }
        body->v[node] = (spVec4){v.x, v.y, v.z, 0};
        body->x[node] = (spVec4){x.x, x.y, x.z, body->x[node].w};
    }
    for (int i = 0; i < body->rowCount; ++i)
    {
        if (spIsFreeContact(s, i))
        {
            spRowSolve* r = state->rows + i;
            r->status = sp_statusForce;
            r->impulse = free ? r->whole : (spVec3){0, 0, 0};
            r->push = 0;
        }
    }
    // What pins exert is not known then
    for (int i = 0; i < state->patchConstraint[body->order.patchCount]; ++i)
    {
        state->rawProduct[i] = state->rawB[i];
    }
}
