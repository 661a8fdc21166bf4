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
//
// Anderson. Iterative Procedures for Nonlinear Integral Equations. 1965
// Walker, Ni. Anderson Acceleration for Fixed-Point Iterations. 2011

#include "contact/rounds.h"

#include "body/contact_law.h"
#include "contact/response_rows.h"

#include <float.h>
#include <string.h>

#define SP_MAX_ROUNDS 12
// With contacts: those that are not solved then end with what the model asks of them
#define SP_CONTACT_ROUNDS 6
#define SP_MAX_SWEEPS 100
// Sweeps end when none changes a relative velocity by more than this share of the largest change
#define SP_LINK_SWEEPS 1e-5
#define SP_TOUCH_SWEEPS 1e-3

// Past rounds that are mixed
#define SP_WINDOW 8

// Rounds end when the largest gap is down to this share of that of the first round
#define SP_GAP_TOLERANCE 1e-2
#define SP_GAP_MOST 1e-3 // of positions, at the most
// Or to rounding, in units of the last place of positions; gaps above this share of positions are told
#define SP_GAP_ROUNDING 16.0
#define SP_GAP_SHARE 1e-6

// Contacts: share of the first residual, and of positions, at which they are solved
#define SP_CONTACT_TOLERANCE 0.1
#define SP_CONTACT_SHARE 1e-5
// What is left above this share of positions is told
#define SP_CONTACT_TOLD 1e-4

// A direction of which the others leave less than this is noise
#define SP_LEAST_PART 1e-3

// Rounds end after so many that bring the residual down to no less than this share
#define SP_PATIENCE 4
#define SP_BETTER 0.8

// Mixing that makes the residual grow by more than this starts anew from the best round
#define SP_WORSE 2.0

// A body at the start of the slice
typedef struct spStart
{
    spVec4* x; // NULL when the body does not take the slice again
    spVec4* v;
    spVec4* loads;
    spVec3* impulses; // of its node rows
    spVec3 pinForce;
    double time;
} spStart;

typedef struct spRounds
{
    const spRoundsContext* context;
    spResponse r;
    spStart* starts; // by slot
    spReal* rest;    // of contacts: distance of the points along the normal at which the gap is 0, m
    spReal* bounce;  // of contacts: speed along the normal after the impact, m/s; 0 for none
    int size;        // numbers of a vector: three for each row
    double* p;       // impulses, each times the root of the compliance of its row, so that they compare
    double* f;       // G(p) - p
    double* lastP;   // of the last round
    double* lastF;
    double* best; // of the round with the least residual
    double* bestF;
    double least;   // its norm
    double* steps;  // between rounds, of p: SP_WINDOW vectors
    double* change; // and of f
    double* basis;  // orthonormal, of the changes
    double* scale;  // of each row
    int mixed;      // columns of the window
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
    const double *p = n->p + 3 * (size_t)row, scale = 1.0 / n->scale[row];
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
        spVec3 apart = spReadApart(n, row, true);
        if (row->law == sp_rowHold)
        {
            s->gap = spSub3(apart, row->anchor);
            s->target = spScale3(1 / dt, s->gap);
            spVec3 left = spMulAdd3(s->gap, row->compliance / dt, spGetTotal(n, k));
            largest = row->maxForce > 0 ? largest : fmax(largest, (double)spLength3(left));
            continue;
        }
        spVec3 v = spReadApart(n, row, false);
        spReal bounce = n->bounce[k];
        row->gap = spDot3(apart, row->normal) - n->rest[k];
        spReal rate = bounce > 0 ? spDot3(v, row->normal) - bounce : row->gap / dt;
        s->target = spMulAdd3(spGetTangent(v, row->normal), rate, row->normal);
    }
    return largest;
}

static spVec3 spSolveRow(const spSolvedRow* s, spVec3 rate, spVec3 total, spReal dt)
{
    const spRow* row = s->row;
    if (row->law == sp_rowContact)
    {
        return spSolveContact(total, rate, s->diagonal, row->normal, row->friction);
    }
    spVec3 change = spSolveHoldBlock(total, rate, s->diagonal, row->compliance / (dt * dt));
    return row->maxForce > 0 ? spSub3(spLimitLength(spAdd3(total, change), row->maxForce * dt), total)
                             : change;
}

// f = G(p) - p: Gauss-Seidel over the compliance that the bodies lend, from the gaps that were measured.
// Returns the sweeps that it took.
static int spSolveModel(spRounds* n)
{
    spResponse* r = &n->r;
    memset(r->u, 0, (size_t)r->pointCount * sizeof(spVec3));
    memset(n->f, 0, (size_t)n->size * sizeof(double));
    double largest = 0.0, share = spHasTouches(r) ? SP_TOUCH_SWEEPS : SP_LINK_SWEEPS;
    for (int sweep = 1; sweep <= SP_MAX_SWEEPS; ++sweep)
    {
        double moved = 0.0;
        for (int k = 0; k < r->rowCount; ++k)
        {
            const spSolvedRow* s = r->rows + k;
            double* f = n->f + 3 * (size_t)k;
            spReal unscale = (spReal)(1.0 / n->scale[k]);
            spVec3 sofar = spScale3(unscale, (spVec3){(spReal)f[0], (spReal)f[1], (spReal)f[2]});
            spVec3 change = spSolveRow(s, spAdd3(s->target, spGetRowVelocity(r, s)),
                                       spAdd3(spGetTotal(n, k), sofar), r->context->dt);
            spPushRow(r, s, change);
            f[0] += n->scale[k] * (double)change.x;
            f[1] += n->scale[k] * (double)change.y;
            f[2] += n->scale[k] * (double)change.z;
            moved = fmax(moved, (double)spLength3(spMulMV3(s->diagonal, change)));
        }
        largest = fmax(largest, moved);
        if (moved <= share * largest)
        {
            return sweep;
        }
    }
    return SP_MAX_SWEEPS;
}

// ---- mixing ----

static double spDotRounds(const double* a, const double* b, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i)
    {
        sum += a[i] * b[i];
    }
    return sum;
}

static void spAddScaled(double* to, double share, const double* a, int size)
{
    for (int i = 0; i < size; ++i)
    {
        to[i] += share * a[i];
    }
}

// Takes from p the part of f that past changes explain: the least of |f - change gamma| by Gram and Schmidt,
// the newest first. p += f - (steps + change) gamma
static void spMixRounds(spRounds* n)
{
    int size = n->size;
    double factors[SP_WINDOW][SP_WINDOW], parts[SP_WINDOW], gamma[SP_WINDOW];
    int columns[SP_WINDOW], count = 0;
    for (int j = n->mixed - 1; j >= 0; --j)
    {
        double* q = n->basis + (size_t)count * (size_t)size;
        memcpy(q, n->change + (size_t)j * (size_t)size, (size_t)size * sizeof(double));
        double whole = sqrt(spDotRounds(q, q, size));
        for (int i = 0; i < count; ++i)
        {
            const double* other = n->basis + (size_t)i * (size_t)size;
            factors[i][count] = spDotRounds(other, q, size);
            spAddScaled(q, -factors[i][count], other, size);
        }
        double left = sqrt(spDotRounds(q, q, size));
        if (!(left > SP_LEAST_PART * whole))
        {
            continue;
        }
        for (int i = 0; i < size; ++i)
        {
            q[i] /= left;
        }
        factors[count][count] = left;
        parts[count] = spDotRounds(q, n->f, size);
        columns[count++] = j;
    }
    for (int i = count - 1; i >= 0; --i)
    {
        gamma[i] = parts[i];
        for (int k = i + 1; k < count; ++k)
        {
            gamma[i] -= factors[i][k] * gamma[k];
        }
        gamma[i] /= factors[i][i];
    }
    spAddScaled(n->p, 1.0, n->f, size);
    for (int i = 0; i < count; ++i)
    {
        size_t column = (size_t)columns[i] * (size_t)size;
        spAddScaled(n->p, -gamma[i], n->steps + column, size);
        spAddScaled(n->p, -gamma[i], n->change + column, size);
    }
}

// Mixing knows nothing of laws: back to what rows may exert
static void spKeepLaws(const spRounds* n)
{
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        const spRow* row = n->r.rows[k].row;
        spVec3 total = spGetTotal(n, k);
        if (row->law == sp_rowContact)
        {
            spReal normal = spDot3(total, row->normal);
            normal = normal > 0 ? normal : 0;
            total = spMulAdd3(spLimitLength(spGetTangent(total, row->normal), row->friction * normal), normal,
                              row->normal);
        }
        else if (row->maxForce > 0)
        {
            total = spLimitLength(total, row->maxForce * n->context->response.dt);
        }
        else
        {
            continue;
        }
        n->p[3 * k] = n->scale[k] * (double)total.x;
        n->p[3 * k + 1] = n->scale[k] * (double)total.y;
        n->p[3 * k + 2] = n->scale[k] * (double)total.z;
    }
}

// Remembers what the last step of p has done to f
static void spKeepChange(spRounds* n)
{
    size_t bytes = (size_t)n->size * sizeof(double);
    if (n->mixed == SP_WINDOW)
    {
        n->mixed -= 1;
        memmove(n->steps, n->steps + n->size, (SP_WINDOW - 1) * bytes);
        memmove(n->change, n->change + n->size, (SP_WINDOW - 1) * bytes);
    }
    double* step = n->steps + (size_t)n->mixed * (size_t)n->size;
    double* change = n->change + (size_t)n->mixed * (size_t)n->size;
    for (int i = 0; i < n->size; ++i)
    {
        step[i] = n->p[i] - n->lastP[i];
        change[i] = n->f[i] - n->lastF[i];
    }
    n->mixed += 1;
}

// Takes f at p in: what it tells is kept, the best round is where the next one starts from. Returns whether this
// one is much better than those before.
static bool spTakeRound(spRounds* n, bool first)
{
    size_t bytes = (size_t)n->size * sizeof(double);
    double now = sqrt(spDotRounds(n->f, n->f, n->size));
    if (first == false)
    {
        spKeepChange(n);
    }
    memcpy(n->lastP, n->p, bytes);
    memcpy(n->lastF, n->f, bytes);
    bool better = first || now < SP_BETTER * n->least;
    if (first || now < n->least)
    {
        n->least = now;
        memcpy(n->best, n->p, bytes);
        memcpy(n->bestF, n->f, bytes);
    }
    else if (now > SP_WORSE * n->least)
    {
        memcpy(n->p, n->best, bytes);
        memcpy(n->f, n->bestF, bytes);
    }
    return better;
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
    size_t size = spArraySize(3 * (int64_t)n->r.rowCount, sizeof(double));
    n->size = 3 * n->r.rowCount;
    double** vectors[] = {&n->p, &n->f, &n->lastP, &n->lastF, &n->best, &n->bestF};
    bool ok = true;
    for (int i = 0; i < SP_COUNT(vectors); ++i)
    {
        *vectors[i] = spArenaAlloc(arena, size);
        ok = ok && *vectors[i] != NULL;
    }
    n->steps = spArenaAlloc(arena, spArraySize(SP_WINDOW, size));
    n->change = spArenaAlloc(arena, spArraySize(SP_WINDOW, size));
    n->basis = spArenaAlloc(arena, spArraySize(SP_WINDOW, size));
    n->scale = spArenaAlloc(arena, size / 3);
    n->rest = spArenaAlloc(arena, spArraySize(n->r.rowCount, sizeof(spReal)));
    n->bounce = spArenaAlloc(arena, spArraySize(n->r.rowCount, sizeof(spReal)));
    if (ok == false || n->steps == NULL || n->change == NULL || n->basis == NULL || n->scale == NULL ||
        n->rest == NULL || n->bounce == NULL)
    {
        return false;
    }
    const spResponseContext* c = &n->context->response;
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        spSolvedRow* s = n->r.rows + k;
        spVec3 last = s->row->force;
        n->scale[k] = 1.0;
        n->p[3 * k] = (double)(c->dt * last.x);
        n->p[3 * k + 1] = (double)(c->dt * last.y);
        n->p[3 * k + 2] = (double)(c->dt * last.z);
        if (s->row->law == sp_rowContact)
        {
            n->bounce[k] = s->row->gap < 0 ? spDot3(s->target, s->row->normal) : 0;
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
            n->p[3 * k + i] *= n->scale[k];
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

// Tells the bodies of the change of p since the last round
static void spCorrectByChange(spRounds* n, const double* before)
{
    spReal dt = n->context->response.dt;
    for (int k = 0; k < n->r.rowCount; ++k)
    {
        spSolvedRow* s = n->r.rows + k;
        double scale = 1.0 / n->scale[k];
        const double *now = n->p + 3 * (size_t)k, *then = before + 3 * (size_t)k;
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
        const double *f = n->f + 3 * (size_t)k, scale = (double)n->context->response.dt / n->scale[k];
        if (s->row->law == sp_rowContact)
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
    memcpy(n->lastP, n->p, (size_t)n->size * sizeof(double));
    spAddScaled(n->p, 1.0, n->f, n->size);
    spKeepLaws(n);
    spCorrectByChange(n, n->lastP);
}

static void spRunRounds(spRounds* n, spResponseResult* result)
{
    const double epsilon = sizeof(spReal) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    double size = spGetLargestPosition(n), least = SP_GAP_ROUNDING * epsilon * size, goal = 0.0;
    double contactGoal = 0.0;
    bool last = false, contacts = spHasTouches(&n->r);
    double told = contacts ? SP_CONTACT_TOLD : SP_GAP_SHARE;
    int waited = 0, most = contacts ? SP_CONTACT_ROUNDS : SP_MAX_ROUNDS;
    for (int round = 0;; ++round)
    {
        double gap = spMeasureRows(n), left = 0.0;
        goal = round == 0 ? fmax(fmin(SP_GAP_TOLERANCE * gap, SP_GAP_MOST * size), least) : goal;
        if (contacts)
        {
            result->sweepCount += spSolveModel(n);
            left = spMeasureContacts(n);
            contactGoal = round == 0 ? fmax(SP_CONTACT_TOLERANCE * left, fmax(SP_CONTACT_SHARE * size, least))
                                     : contactGoal;
        }
        result->residual = fmax(gap, left) / (double)n->context->response.dt;
        result->converged = gap <= goal && left <= contactGoal;
        if (result->converged || last)
        {
            break;
        }
        result->sweepCount += contacts ? 0 : spSolveModel(n);
        waited = spTakeRound(n, round == 0) ? 0 : waited + 1;
        last = round == most || waited == SP_PATIENCE;
        if (last)
        {
            // The last one takes the best
            memcpy(n->p, n->best, (size_t)n->size * sizeof(double));
        }
        else
        {
            spMixRounds(n);
            spKeepLaws(n);
        }
        if (memcmp(n->p, n->lastP, (size_t)n->size * sizeof(double)) == 0)
        {
            break;
        }
        spTakeAgain(n, n->lastP);
    }
    if (contacts && result->converged == false)
    {
        spFinishContacts(n);
    }
    result->converged =
        result->converged || result->residual * (double)n->context->response.dt <= told * size;
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
    spRunRounds(&n, &result);
    for (int k = 0; k < n.r.rowCount; ++k)
    {
        spSolvedRow* s = n.r.rows + k;
        s->impulse = spGetTotal(&n, k);
        s->row->impulse = spAdd3(s->row->impulse, s->impulse);
    }
    spKeepForces(&n.r);
    return result;
}
