// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What rows between bodies exert acts on the bodies as loads, inside their substeps, beginning with what they
// exerted in the last slice: what is at rest stays so, whatever the response knows of the bodies. Then
//
//   1. the gaps at the end are measured;
//   2. the compliance W that the bodies lend says what multipliers would close them;
//   3. the bodies go back to the start of the slice and take it again with these loads.
//
// W is not what a body truly does: a factor is older than the matrix, the masses of nodes know nothing of
// elements. 1 to 3 is a fixed-point iteration p -> G(p), Uzawa's for holds, and Anderson's mixing makes it
// converge fast: for linear bodies it is GMRES on the true Schur complement, preconditioned by W. What is left
// is told, and the next slice begins with it: gaps are measured, not summed up.

#include "contact/rounds.h"

#include "body/contact_law.h"
#include "contact/contact_surface.h"
#include "contact/response_rows.h"
#include "linear/mixing.h"

#include <float.h>
#include <string.h>

#define SP_MAX_ROUNDS 12
// With contacts: those that are not solved then end with what the model asks of them
#define SP_CONTACT_ROUNDS 10
#define SP_MAX_SWEEPS 100
// Sweeps end when none changes a relative velocity by more than this share of the largest change
#define SP_LINK_SWEEPS 1e-5
#define SP_TOUCH_SWEEPS 1e-3
// Or, with contacts, this share of what gravity gives in the slice. Where two contacts say nearly the same, but not
// quite, all that sweeps do is to pass load from one to the other.
#define SP_WEIGHT_SWEEPS 1e-4

// Rounds end when the largest gap is down to this share of that of the first round
#define SP_GAP_TOLERANCE 1e-2
#define SP_GAP_MOST 1e-3 // of positions, at the most
// Or to rounding, in units of the last place of positions; gaps above this share of positions are told
#define SP_GAP_ROUNDING 16.0
#define SP_GAP_SHARE 1e-6

// Contacts: share of the first residual, and of the size of the bodies, at which they are solved
#define SP_CONTACT_TOLERANCE 0.1
#define SP_CONTACT_SHARE 2e-6
// What is left above this share of that size is told
#define SP_CONTACT_TOLD 1e-4

// Contacts give way by this share of what their bodies do. Both surfaces have vertices, and what holds those of the one
// nearly holds those of the other: without it nothing would say which of them carries the load.
#define SP_CONTACT_SOFTNESS ((spReal)3e-2)
#define SP_SOFT_SHARE ((spReal)1e-3)

// Rounds end after so many that are not much better than those before
#define SP_PATIENCE 4
// Or when a body was linearised so often: forces that are as far from linear as that do not follow the model
#define SP_MOST_LINEARISATIONS 40

// A body at the start of the slice
typedef struct spStart
{
    spVec4* x; // NULL when the body does not take the slice again
    spVec4* v;
    spVec4* loads;
    spVec3* impulses; // of its node rows
    spVec3 pinForce;
    double time;
    int linearised; // linearisations before the first round
} spStart;

typedef struct spRounds
{
    const spRoundsContext* context;
    spResponse r;
    spStart* starts; // by slot
    spReal* rest;    // of contacts: distance of the points along the normal at which the gap is 0, m
    spVec3* begin;   // of contacts: distance of the points where they began to stick, m
    bool* hits;      // of contacts: comes faster than a contact gives way
    spReal* bounce;  // of contacts: speed along the normal after the impact, m/s; 0 for none
    spMixing m;      // of impulses, each times the root of the compliance of its row, so that they compare
    double* scale;   // of each row
} spRounds;

// ---- bodies ----

static bool spIsIn(const spRounds* n, int slot)
{
    const spBody* body = n->context->response.bodies[slot];
    return body != NULL && body->running && body->island == n->context->island;
}

// Keeps what advancing changes
static bool spKeepStart(const spRounds* n, int slot)
{
    const spResponseContext* c = &n->context->response;
    spBody* body = c->bodies[slot];
    spStart* start = n->starts + slot;
    *start = (spStart){.pinForce = body->pinForce, .time = body->time};
    size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
    start->loads = spArenaAlloc(c->arena, size);
    if (body->method->repeats(body) == false)
    {
        return start->loads != NULL;
    }
    start->x = spArenaAlloc(c->arena, size);
    start->v = spArenaAlloc(c->arena, size);
    start->impulses = spArenaAlloc(c->arena, spArraySize(body->rowCount, sizeof(spVec3)));
    if (start->loads == NULL || start->x == NULL || start->v == NULL ||
        (body->rowCount > 0 && start->impulses == NULL))
    {
        return false;
    }
    body->backend->copy(start->x, body->x, 0, body->nodeCount);
    body->backend->copy(start->v, body->v, 0, body->nodeCount);
    for (int i = 0; i < body->rowCount; ++i)
    {
        start->impulses[i] = body->rows[i].impulse;
    }
    return true;
}

static void spPutBack(const spRounds* n, int slot)
{
    spBody* body = n->context->response.bodies[slot];
    const spStart* start = n->starts + slot;
    body->backend->copy(body->x, start->x, 0, body->nodeCount);
    body->backend->copy(body->v, start->v, 0, body->nodeCount);
    body->pinForce = start->pinForce;
    body->time = start->time;
    for (int i = 0; i < body->rowCount; ++i)
    {
        body->rows[i].impulse = start->impulses[i];
    }
}

static spVec3 spGetTotal(const spRounds* n, int row)
{
    const double *p = n->m.p + 3 * (size_t)row, scale = 1.0 / n->scale[row];
    return (spVec3){(spReal)(scale * p[0]), (spReal)(scale * p[1]), (spReal)(scale * p[2])};
}

static void spLoadSide(const spRounds* n, const spRowSide* side, spVec3 force)
{
    spVec4* loads = n->starts[side->slot].loads;
    for (int k = 0; k < side->count; ++k)
    {
        spRowNode at = spGetSideNode(side, n->context->response.pool, k);
        spVec4* f = loads + at.node;
        *f = (spVec4){f->x + at.weight * force.x, f->y + at.weight * force.y, f->z + at.weight * force.z, 0};
    }
}

// What the user and the rows exert
static void spSetLoads(const spRounds* n)
{
    const spResponseContext* c = &n->context->response;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        if (spIsIn(n, i) == false)
        {
            continue;
        }
        spBody* body = c->bodies[i];
        if (body->nodeForces != NULL)
        {
            body->backend->copy(n->starts[i].loads, body->nodeForces, 0, body->nodeCount);
        }
        else
        {
            body->backend->clear(n->starts[i].loads, 0, body->nodeCount);
        }
        body->loads = n->starts[i].loads;
    }
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        const spRow* row = n->r.rows[k].row;
        if (n->r.rows[k].held)
        {
            continue;
        }
        spVec3 force = spScale3(1 / c->dt, spGetTotal(n, k));
        spLoadSide(n, &row->a, force);
        spLoadSide(n, &row->b, spNeg3(force));
    }
}

static void spAdvanceAll(const spRounds* n, bool again)
{
    const spResponseContext* c = &n->context->response;
    spSetLoads(n);
    for (int i = 0; i < c->bodyCount; ++i)
    {
        if (spIsIn(n, i) == false || (again && n->starts[i].x == NULL))
        {
            continue;
        }
        if (again)
        {
            spPutBack(n, i);
        }
        n->context->advance(n->context->step, i, again);
    }
    for (int i = 0; i < c->bodyCount; ++i)
    {
        if (c->bodies[i] != NULL)
        {
            c->bodies[i]->loads = NULL;
        }
    }
}

// ---- rows ----

static spVec3 spReadApart(const spRounds* n, const spRow* row, bool positions)
{
    spBody* const* bodies = n->context->response.bodies;
    const spBody *a = bodies[row->a.slot], *b = bodies[row->b.slot];
    return spSub3(spReadSide(&n->r, &row->a, positions ? a->x : a->v),
                  spReadSide(&n->r, &row->b, positions ? b->x : b->v));
}

static spVec3 spGetHeldForce(const spRounds* n, const spRow* row)
{
    return spFindMultiplier(&n->context->response.bodies[row->a.slot]->multipliers, row->key).force;
}

// A contact that its body holds: the law is kept, and what is left is how it slides
static void spMeasureHeld(const spRounds* n, int index)
{
    const spResponseContext* c = &n->context->response;
    spSolvedRow* s = n->r.rows + index;
    const spRow* row = s->row;
    spPose pose = spGetColliderPose(c->colliders[row->b.slot], 1, c->dt);
    spVec3 x = spReadSide(&n->r, &row->a, c->bodies[row->a.slot]->x);
    spVec3 v = spScale3(1 / c->dt, spSub3(x, n->begin[index]));
    s->target = spGetTangent(spSub3(v, spGetSurfaceVelocity(&pose, x)), row->normal);
    s->impulse = spScale3(c->dt, spGetHeldForce(n, row));
}

// Measures the gaps: what rows ask of relative velocities, in the mean over the slice, goes to their targets.
// Returns the largest gap, or force times compliance that is missing, m.
static double spMeasureRows(spRounds* n)
{
    const spReal dt = n->context->response.dt;
    double largest = 0.0;
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        spSolvedRow* s = n->r.rows + k;
        spRow* row = s->row;
        if (s->held)
        {
            spMeasureHeld(n, k);
            continue;
        }
        spVec3 apart = spReadApart(n, row, true);
        if (row->law == sp_rowHold)
        {
            s->gap = spSub3(apart, row->anchor);
            s->target = spScale3(1 / dt, s->gap);
            spVec3 left = spMulAdd3(s->gap, row->compliance / dt, spGetTotal(n, k));
            largest = row->maxForce > 0 ? largest : fmax(largest, (double)spLength3(left));
            continue;
        }
        // Velocities in the mean over the slice, whatever the method: what sticks ends where it began
        spReal bounce = n->bounce[k];
        row->gap = spDot3(apart, row->normal) - n->rest[k];
        spReal rate = bounce > 0 ? spDot3(spReadApart(n, row, false), row->normal) - bounce : row->gap / dt;
        spVec3 slip = spScale3(1 / dt, spSub3(apart, n->begin[k]));
        s->target = spMulAdd3(spGetTangent(slip, row->normal), rate, row->normal);
    }
    return largest;
}

// How far a contact gives way at the most, m
static spReal spGetMostGiven(const spRounds* n, const spRow* row)
{
    spBody* const* bodies = n->context->response.bodies;
    const spContactSurface *a = bodies[row->a.slot]->contactSurface, *b = bodies[row->b.slot]->contactSurface;
    return SP_SOFT_SHARE * (a->meanEdge < b->meanEdge ? a->meanEdge : b->meanEdge);
}

// Of a contact: velocity that it gives way by, for an impulse, 1/kg. What hits finds it hard, and no
// contact gives way by more than a share of the edges of its surfaces.
static spReal spGetSoftness(const spRounds* n, int index)
{
    const spSolvedRow* s = n->r.rows + index;
    spReal pressed = spDot3(spGetTotal(n, index), s->row->normal);
    spReal soft = SP_CONTACT_SOFTNESS * spTrace3(s->diagonal) / 3;
    spReal speed = spGetMostGiven(n, s->row) / n->context->response.dt;
    return n->hits[index] ? 0 : soft * pressed > speed ? speed / pressed : soft;
}

static spVec3 spSolveRow(const spRounds* n, int index, spVec3 rate, spVec3 total)
{
    const spSolvedRow* s = n->r.rows + index;
    spReal dt = n->context->response.dt;
    const spRow* row = s->row;
    if (s->held)
    {
        return spSolveContact(total, rate, s->diagonal, row->normal, row->friction);
    }
    if (row->law == sp_rowContact)
    {
        spReal soft = spGetSoftness(n, index);
        if (s->even > 0)
        {
            return spSolveEvenContact(total, spMulAdd3(rate, soft, total), s->even + soft, row->normal,
                                      row->friction);
        }
        return spSolveContact(total, spMulAdd3(rate, soft, total),
                              spMulAddMat3(s->diagonal, soft, spIdentityMat3()), row->normal, row->friction);
    }
    spVec3 change = spSolveHoldBlock(total, rate, s->diagonal, row->compliance / (dt * dt));
    return row->maxForce > 0 ? spSub3(spLimitLength(spAdd3(total, change), row->maxForce * dt), total)
                             : change;
}

// What gravity gives in the slice, m/s
static double spGetFallSpeed(const spRounds* n)
{
    const spResponseContext* c = &n->context->response;
    double gravity = 0.0;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        gravity = spIsIn(n, i) ? fmax(gravity, c->bodies[i]->gravity) : gravity;
    }
    return gravity * (double)c->dt;
}

static void spAddChange(const spRounds* n, int row)
{
    spSolvedRow* s = n->r.rows + row;
    if (s->held)
    {
        s->impulse = spAdd3(s->impulse, s->change);
        return;
    }
    double *f = n->m.f + 3 * (size_t)row, scale = n->scale[row];
    f[0] += scale * (double)s->change.x;
    f[1] += scale * (double)s->change.y;
    f[2] += scale * (double)s->change.z;
}

// p + f of a row while f is solved for
static spVec3 spGetModelTotal(const spRounds* n, int row)
{
    const spSolvedRow* s = n->r.rows + row;
    const double *f = n->m.f + 3 * (size_t)row, scale = 1.0 / n->scale[row];
    spVec3 change = {(spReal)(scale * f[0]), (spReal)(scale * f[1]), (spReal)(scale * f[2])};
    return s->held ? s->impulse : spAdd3(spGetTotal(n, row), change);
}

// f = G(p) - p: Gauss-Seidel over the compliance that the bodies lend, from the gaps that were measured.
// Returns the sweeps that it took.
static int spSolveModel(spRounds* n)
{
    spResponse* r = &n->r;
    spClearMotion(r);
    memset(n->m.f, 0, (size_t)n->m.size * sizeof(double));
    double least = spHasTouches(r) ? SP_WEIGHT_SWEEPS * spGetFallSpeed(n) : 0.0;
    double last = 0.0, largest = 0.0, share = spHasTouches(r) ? SP_TOUCH_SWEEPS : SP_LINK_SWEEPS;
    for (int sweep = 1; sweep <= SP_MAX_SWEEPS; ++sweep)
    {
        double moved = 0.0;
        for (int k = 0; k < r->rowCount; ++k)
        {
            spSolvedRow* s = r->rows + k;
            spVec3 rate = spAdd3(s->target, spGetRowVelocity(r, s));
            s->change = spSolveRow(n, k, rate, spGetModelTotal(n, k));
            spPushRow(r, s, s->change);
            spAddChange(n, k);
            moved = fmax(moved, (double)spLength3(spMulMV3(s->diagonal, s->change)));
        }
        largest = fmax(largest, moved);
        if (moved <= fmax(share * largest, least))
        {
            return sweep;
        }
        bool more = sweep < SP_MAX_SWEEPS && spGoOn(r, &last);
        for (int k = 0; more && k < r->rowCount; ++k)
        {
            spAddChange(n, k);
        }
    }
    return SP_MAX_SWEEPS;
}

// ---- mixing ----

// Mixing knows nothing of laws: back to what rows may exert
static void spKeepLaws(const spRounds* n)
{
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        const spRow* row = n->r.rows[k].row;
        spVec3 total = spGetTotal(n, k);
        if (n->r.rows[k].held)
        {
            continue;
        }
        if (row->law == sp_rowContact)
        {
            total = spKeepInCone(total, row->normal, row->friction);
        }
        else if (row->maxForce > 0)
        {
            total = spLimitLength(total, row->maxForce * n->context->response.dt);
        }
        else
        {
            continue;
        }
        n->m.p[3 * k] = n->scale[k] * (double)total.x;
        n->m.p[3 * k + 1] = n->scale[k] * (double)total.y;
        n->m.p[3 * k + 2] = n->scale[k] * (double)total.z;
    }
}

// ---- the slice ----

// What is inside at the start of a slice comes out little by little, since a gap that closes leaves a velocity: how
// deep it may still be at the end, m, negative
static spReal spGetLeftDepth(spReal gap, spReal dt)
{
    const spReal kept = (spReal)0.8, speed = (spReal)0.5;
    spReal left = kept * gap > gap + dt * speed ? gap + dt * speed : kept * gap;
    return gap < 0 ? left : 0;
}

static bool spStartRounds(spRounds* n)
{
    spArena* arena = n->context->response.arena;
    int size = 3 * n->r.rowCount;
    double* memory = spArenaAlloc(arena, spArraySize((int64_t)spGetMixingSize(size), sizeof(double)));
    n->scale = spArenaAlloc(arena, spArraySize(n->r.rowCount, sizeof(double)));
    n->rest = spArenaAlloc(arena, spArraySize(n->r.rowCount, sizeof(spReal)));
    n->bounce = spArenaAlloc(arena, spArraySize(n->r.rowCount, sizeof(spReal)));
    n->begin = spArenaAlloc(arena, spArraySize(n->r.rowCount, sizeof(spVec3)));
    n->hits = spArenaAlloc(arena, spArraySize(n->r.rowCount, sizeof(bool)));
    if (memory == NULL || n->hits == NULL || n->begin == NULL || n->scale == NULL || n->rest == NULL ||
        n->bounce == NULL)
    {
        return false;
    }
    n->m = spStartMixing(memory, size);
    const spResponseContext* c = &n->context->response;
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        spSolvedRow* s = n->r.rows + k;
        spVec3 last = s->held ? (spVec3){0, 0, 0} : s->row->force;
        n->scale[k] = 1.0;
        n->m.p[3 * k] = (double)(c->dt * last.x);
        n->m.p[3 * k + 1] = (double)(c->dt * last.y);
        n->m.p[3 * k + 2] = (double)(c->dt * last.z);
        if (s->held)
        {
            n->begin[k] = spReadSide(&n->r, &s->row->a, c->bodies[s->row->a.slot]->x);
        }
        else if (s->row->law == sp_rowContact)
        {
            n->bounce[k] = s->row->gap < 0 ? spDot3(s->target, s->row->normal) : 0;
            // What sticks goes back to where it began to, so that what solves leave does not add up
            n->begin[k] = spSub3(spReadApart(n, s->row, true), spGetTangent(s->row->slip, s->row->normal));
            spReal away = spDot3(spReadApart(n, s->row, false), s->row->normal);
            n->hits[k] = c->dt * away < -spGetMostGiven(n, s->row);
            n->rest[k] = s->row->thickness + spGetLeftDepth(s->row->gap, c->dt);
        }
    }
    return true;
}

// Impulses are compared by what they do: each is scaled by the compliance of its row
static void spScaleRows(spRounds* n)
{
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        double w = (double)spTrace3(n->r.rows[k].diagonal) / 3.0;
        n->scale[k] = w > 0.0 ? sqrt(w) : 1.0;
        for (int i = 0; i < 3; ++i)
        {
            n->m.p[3 * k + i] *= n->scale[k];
        }
    }
}

static double spGetLargestPosition(const spRounds* n)
{
    const spResponseContext* c = &n->context->response;
    double largest = 0.0;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        for (int k = n->r.bodyPoint[i]; k < n->r.bodyPoint[i + 1]; ++k)
        {
            largest = fmax(largest, (double)spLength3(spReadSide(&n->r, n->r.sides + k, c->bodies[i]->x)));
        }
    }
    return largest;
}

// Size of the smallest body that touches, m
static double spGetSmallestSize(const spRounds* n)
{
    const spResponseContext* c = &n->context->response;
    double smallest = DBL_MAX;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        const spContactSurface* surface = spIsIn(n, i) ? c->bodies[i]->contactSurface : NULL;
        double size =
            surface != NULL ? (double)spDistance3(surface->boxes[0].upper, surface->boxes[0].lower) : 0.0;
        smallest = size > 0.0 ? fmin(smallest, size) : smallest;
    }
    return smallest;
}

// Tells the bodies of the change of p since the last round
static void spCorrectByChange(spRounds* n, const double* before)
{
    spReal dt = n->context->response.dt;
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        spSolvedRow* s = n->r.rows + k;
        if (s->held)
        {
            // What the model asks of it besides is where its body begins
            spBody* body = n->context->response.bodies[s->row->a.slot];
            s->impulse = spMulSub3(s->impulse, dt, spGetHeldForce(n, s->row));
            s->shift = spScale3(dt, s->impulse);
            spAddToMultiplier(&body->multipliers, s->row->key, spScale3(1 / dt, s->impulse));
            continue;
        }
        double scale = 1.0 / n->scale[k];
        const double *now = n->m.p + 3 * (size_t)k, *then = before + 3 * (size_t)k;
        s->impulse = (spVec3){(spReal)(scale * (now[0] - then[0])), (spReal)(scale * (now[1] - then[1])),
                              (spReal)(scale * (now[2] - then[2]))};
        s->shift = spScale3(dt, s->impulse);
    }
    spCorrectBodies(&n->r);
}

// Once more with other impulses
static void spTakeAgain(spRounds* n, const double* before)
{
    spCorrectByChange(n, before);
    spAdvanceAll(n, true);
}

// How far contacts are from their laws: the largest displacement that the model asks of one, m
static double spMeasureContacts(const spRounds* n)
{
    double largest = 0.0;
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        const spSolvedRow* s = n->r.rows + k;
        const double *f = n->m.f + 3 * (size_t)k, scale = (double)n->context->response.dt / n->scale[k];
        if (s->row->law == sp_rowContact && s->held == false)
        {
            spVec3 change = {(spReal)(scale * f[0]), (spReal)(scale * f[1]), (spReal)(scale * f[2])};
            largest = fmax(largest, (double)spLength3(spMulMV3(s->diagonal, change)));
        }
    }
    return largest;
}

// Contacts that rounds have not solved end with what the model asks for, so that nothing is left inside of another
// body
static void spFinishContacts(spRounds* n)
{
    memcpy(n->m.lastP, n->m.p, (size_t)n->m.size * sizeof(double));
    spAddScaled(n->m.p, 1.0, n->m.f, n->m.size);
    spKeepLaws(n);
    spCorrectByChange(n, n->m.lastP);
}

// How far a contact has slipped since it sticks, m: no farther than it gives way before it slides
static spVec3 spGetSlip(const spRounds* n, int index)
{
    const spRow* row = n->r.rows[index].row;
    spReal pressed = spDot3(spGetTotal(n, index), row->normal);
    spReal depth = n->context->response.dt * spGetSoftness(n, index) * pressed;
    spVec3 slip = spGetTangent(spSub3(spReadApart(n, row, true), n->begin[index]), row->normal);
    return spLimitLength(slip, row->friction * depth);
}

static void spCountLinearisations(const spRounds* n)
{
    const spResponseContext* c = &n->context->response;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        if (spIsIn(n, i))
        {
            n->starts[i].linearised = c->bodies[i]->solverReport.newtonSteps;
        }
    }
}

// Whether a body had more linearisations than rounds are worth
static bool spIsHard(const spRounds* n)
{
    const spResponseContext* c = &n->context->response;
    bool hard = false;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        hard = hard || (spIsIn(n, i) && c->bodies[i]->solverReport.newtonSteps - n->starts[i].linearised >
                                            SP_MOST_LINEARISATIONS);
    }
    return hard;
}

static void spRunRounds(spRounds* n, spResponseResult* result)
{
    const double epsilon = sizeof(spReal) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    double size = spGetLargestPosition(n), least = SP_GAP_ROUNDING * epsilon * size, goal = 0.0;
    double contactGoal = 0.0, body = spGetSmallestSize(n);
    bool last = false, contacts = spHasTouches(&n->r);
    double told = contacts ? fmax(SP_CONTACT_TOLD * body, least) : SP_GAP_SHARE * size;
    int waited = 0, most = contacts ? SP_CONTACT_ROUNDS : SP_MAX_ROUNDS;
    for (int round = 0;; ++round)
    {
        double gap = spMeasureRows(n), left = 0.0;
        goal = round == 0 ? fmax(fmin(SP_GAP_TOLERANCE * gap, SP_GAP_MOST * size), least) : goal;
        if (contacts)
        {
            result->sweepCount += spSolveModel(n);
            left = spMeasureContacts(n);
            contactGoal = round == 0 ? fmax(SP_CONTACT_TOLERANCE * left, fmax(SP_CONTACT_SHARE * body, least))
                                     : contactGoal;
        }
        result->residual = fmax(gap, left) / (double)n->context->response.dt;
        result->converged = gap <= goal && left <= contactGoal;
        if (result->converged || last)
        {
            break;
        }
        result->sweepCount += contacts ? 0 : spSolveModel(n);
        waited = spTakeRound(&n->m, round == 0) ? 0 : waited + 1;
        last = round == most || waited == SP_PATIENCE || (contacts && spIsHard(n));
        if (last)
        {
            // The last one takes the best
            memcpy(n->m.p, n->m.best, (size_t)n->m.size * sizeof(double));
        }
        else
        {
            spMixRounds(&n->m);
            spKeepLaws(n);
        }
        if (memcmp(n->m.p, n->m.lastP, (size_t)n->m.size * sizeof(double)) == 0)
        {
            break;
        }
        spTakeAgain(n, n->m.lastP);
    }
    if (contacts && result->converged == false)
    {
        spFinishContacts(n);
    }
    result->converged = result->converged || result->residual * (double)n->context->response.dt <= told;
}

spResponseResult spSolveRounds(const spRoundsContext* context)
{
    spRounds n = {.context = context};
    const spResponseContext* c = &context->response;
    spResponseResult result;
    bool open = spOpenResponse(&n.r, c, &result);
    n.starts = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spStart)));
    bool ok = result.outOfMemory == false && n.starts != NULL;
    for (int i = 0; ok && i < c->bodyCount; ++i)
    {
        ok = spIsIn(&n, i) == false || spKeepStart(&n, i);
    }
    ok = ok && (open == false || spStartRounds(&n));
    if (ok == false)
    {
        // Without links this time
        for (int i = 0; i < c->bodyCount; ++i)
        {
            if (spIsIn(&n, i))
            {
                context->advance(context->step, i, false);
            }
        }
        result.outOfMemory = true;
        return result;
    }
    spAdvanceAll(&n, false);
    if (open == false)
    {
        return result;
    }
    if (spFreezeResponse(&n.r) == false)
    {
        result.outOfMemory = true;
        return result;
    }
    spScaleRows(&n);
    spCountLinearisations(&n);
    spRunRounds(&n, &result);
    for (int k = 0; k < n.r.rowCount; ++k)
    {
        spSolvedRow* s = n.r.rows + k;
        if (s->held)
        {
            continue;
        }
        s->impulse = spGetTotal(&n, k);
        s->row->impulse = spAdd3(s->row->impulse, s->impulse);
        if (s->row->law == sp_rowContact)
        {
            s->row->slip = spGetSlip(&n, k);
        }
    }
    spKeepForces(&n.r);
    return result;
}
