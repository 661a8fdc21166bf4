// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Each body lends a compliance C over points on it, frozen until the correction. With u the velocity of the
// points, a row between points a and b has the relative velocity u_a - u_b, and
//
//   hold, rigid       u_a - u_b = 0                                   and x_a - x_b - anchor = 0
//   hold, compliant   (W + c / dt^2) impulse = -(u_a - u_b + g / dt)    an implicit spring with gap g
//   contact           u_n >= 0 or reflected, impulse_n >= 0, friction in the cone;  gap >= 0
//
// Positions and velocities are two problems with the same C, each solved by block Gauss-Seidel in row order:
// a penetration is moved out without giving the node a velocity for it.

#include "contact/response_rows.h"

#include "body/contact_law.h"

#include <string.h>

#define SP_MAX_SWEEPS 400
// After so many they are plain ones, which settle: with contacts between bodies sooner, many of which say nearly the same
#define SP_CONJUGATE_SWEEPS (SP_MAX_SWEEPS - 1)
#define SP_CONJUGATE_TOUCHES 20

// What the method of a body may leave of a contact that it holds, as a share of how far the body falls in a step
#define SP_HELD_SHARE ((spReal)0.1)

// A sweep that changes no relative velocity by more than this share of the largest one is the last
#define SP_ROW_TOLERANCE 1e-5
// Of contacts between bodies, many of which say nearly the same: both surfaces have vertices
#define SP_TOUCH_TOLERANCE 2e-3

// A penetration that is more than rounding, of a contact that the method of its body does not hold already
static bool spIsMissedContact(const spResponse* r, const spBody* body, const spRow* row)
{
    if (r->context->solveContacts == false || row->law != sp_rowContact || row->gap >= 0 ||
        body->running == false)
    {
        return false;
    }
    int node = row->a.node;
    spVec4 x = body->backend->view(body->x, node, node + 1)[node];
    bool held = spLengthSquared3(spFindMultiplier(&body->multipliers, row->key).force) > 0;
    spReal fall = (spReal)body->gravity * r->context->dt * r->context->dt;
    spReal least = spGetGapRounding(spXyz(x), body->contactRadius) + (held ? SP_HELD_SHARE * fall : 0);
    return row->gap < -least && x.w > 0;
}

// A contact with a collider that the method of its body holds, and goes on to hold while rows between bodies are solved
static bool spIsHeldContact(const spResponse* r, const spBody* body, const spRow* row)
{
    const spResponseContext* c = r->context;
    return c->modelHeld && body->running && body->island == c->island && row->law == sp_rowContact &&
           body->method->repeats(body) &&
           spLengthSquared3(spFindMultiplier(&body->multipliers, row->key).force) > 0;
}

// Counts the points of every body and the rows. Returns false when there is nothing to do or no memory.
static bool spCountResponse(spResponse* r, spResponseResult* result)
{
    const spResponseContext* c = r->context;
    r->bodyPoint = spArenaAlloc(c->arena, spArraySize(c->bodyCount + 1, sizeof(int)));
    if (r->bodyPoint == NULL)
    {
        result->outOfMemory = true;
        return false;
    }
    memset(r->bodyPoint, 0, (size_t)(c->bodyCount + 1) * sizeof(int));
    for (int i = 0; i < c->bodyCount; ++i)
    {
        const spBody* body = c->bodies[i];
        for (int k = 0; body != NULL && k < body->rowCount; ++k)
        {
            if (spIsMissedContact(r, body, body->rows + k) || spIsHeldContact(r, body, body->rows + k))
            {
                r->bodyPoint[i + 1] += 1;
                r->rowCount += 1;
            }
        }
    }
    for (int k = 0; k < c->pairCount; ++k)
    {
        r->bodyPoint[c->pairs[k].a.slot + 1] += 1;
        r->bodyPoint[c->pairs[k].b.slot + 1] += 1;
    }
    r->rowCount += c->pairCount;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        r->bodyPoint[i + 1] += r->bodyPoint[i];
    }
    r->pointCount = r->bodyPoint[c->bodyCount];
    if (r->rowCount == 0)
    {
        return false;
    }
    r->rows = spArenaAlloc(c->arena, spArraySize(r->rowCount, sizeof(spSolvedRow)));
    r->sides = spArenaAlloc(c->arena, spArraySize(r->pointCount, sizeof(spRowSide)));
    r->pointBlock = spArenaAlloc(c->arena, spArraySize(r->pointCount + 1, sizeof(int)));
    r->pointEntry = spArenaAlloc(c->arena, spArraySize(r->pointCount + 1, sizeof(int)));
    r->impulses = spArenaAlloc(c->arena, spArraySize(r->pointCount, sizeof(spVec3)));
    r->shifts = spArenaAlloc(c->arena, spArraySize(r->pointCount, sizeof(spVec3)));
    result->outOfMemory = r->rows == NULL || r->sides == NULL || r->pointBlock == NULL ||
                          r->pointEntry == NULL || r->impulses == NULL || r->shifts == NULL;
    return result->outOfMemory == false;
}

spPoints spGetPoints(const spResponse* r, int body)
{
    int first = r->bodyPoint[body];
    return (spPoints){.sides = r->sides + first,
                      .pool = r->context->pool,
                      .count = r->bodyPoint[body + 1] - first,
                      .jump = r->context->solveContacts,
                      .dt = r->context->dt};
}

static void spFillMissed(spResponse* r, spSolvedRow* s, const spBody* body, spRow* row, int point)
{
    const spResponseContext* c = r->context;
    spPose pose = spGetColliderPose(c->colliders[row->b.slot], 1, c->dt);
    int node = row->a.node;
    spMultiplier last = spFindMultiplier(c->multipliers, row->key);
    row->force = last.force;
    row->age = last.age;
    spVec3 surface = spGetSurfaceVelocity(&pose, spXyz(body->backend->view(body->x, node, node + 1)[node]));
    spVec3 v = spXyz(body->backend->view(body->v, node, node + 1)[node]);
    spReal vn = spDot3(spSub3(v, surface), row->normal);
    spReal reach = spGetPushReach(vn, c->dt);
    spReal bounce = spGetBounceSpeed(vn, row->restitution, c->restitutionThreshold);
    r->sides[point] = row->a;
    *s = (spSolvedRow){
        .row = row,
        .a = point,
        .b = -1,
        .contact = true,
        .normal = row->normal,
        .friction = row->friction,
        .gap = spScale3(-row->gap < reach ? row->gap : -reach, row->normal),
        .target = spMulAdd3(surface, bounce, row->normal),
    };
}

spVec3 spReadSide(const spResponse* r, const spRowSide* side, const spVec4* values)
{
    return spSumSide(side, r->context->pool, values);
}

static void spFillPair(spResponse* r, spSolvedRow* s, spRow* row, int a, int b)
{
    const spResponseContext* c = r->context;
    const spBody *bodyA = c->bodies[row->a.slot], *bodyB = c->bodies[row->b.slot];
    r->sides[a] = row->a;
    r->sides[b] = row->b;
    *s = (spSolvedRow){.row = row, .a = a, .b = b};
    if (row->law == sp_rowContact)
    {
        spVec3 v = spSub3(spReadSide(r, &row->a, bodyA->v), spReadSide(r, &row->b, bodyB->v));
        spReal vn = spDot3(v, row->normal), reach = spGetPushReach(vn, c->dt);
        // What is still apart may come as near as that
        spReal speed = row->gap > 0 ? -row->gap / c->dt
                                    : spGetBounceSpeed(vn, row->restitution, c->restitutionThreshold);
        s->gap = spScale3(-row->gap < reach ? row->gap : -reach, row->normal);
        s->target = spScale3(speed, row->normal);
        s->contact = true;
        s->normal = row->normal;
        s->friction = row->friction;
        return;
    }
    spVec3 x = spSub3(spReadSide(r, &row->a, bodyA->x), spReadSide(r, &row->b, bodyB->x));
    s->gap = spSub3(x, row->anchor);
}

static void spFillResponse(spResponse* r, int* cursor)
{
    const spResponseContext* c = r->context;
    int next = 0;
    memcpy(cursor, r->bodyPoint, (size_t)c->bodyCount * sizeof(int));
    for (int i = 0; i < c->bodyCount; ++i)
    {
        const spBody* body = c->bodies[i];
        for (int k = 0; body != NULL && k < body->rowCount; ++k)
        {
            if (spIsMissedContact(r, body, body->rows + k))
            {
                spFillMissed(r, r->rows + next++, body, body->rows + k, cursor[i]++);
            }
            else if (spIsHeldContact(r, body, body->rows + k))
            {
                r->sides[cursor[i]] = body->rows[k].a;
                r->rows[next++] =
                    (spSolvedRow){.row = body->rows + k, .a = cursor[i]++, .b = -1, .held = true};
            }
        }
    }
    for (int k = 0; k < c->pairCount; ++k)
    {
        int a = cursor[c->pairs[k].a.slot]++, b = cursor[c->pairs[k].b.slot]++;
        spFillPair(r, r->rows + next++, c->pairs + k, a, b);
    }
    SP_ASSERT(next == r->rowCount);
}

// Blocks in the order of their first point. False without memory.
static bool spSortBlocks(spResponse* r)
{
    spComplianceList* list = &r->compliance;
    memset(r->pointBlock, 0, (size_t)(r->pointCount + 1) * sizeof(int));
    if (list->count == 0)
    {
        return true;
    }
    spComplianceBlock* sorted =
        spArenaAlloc(r->context->arena, spArraySize(list->count, sizeof(spComplianceBlock)));
    if (sorted == NULL)
    {
        return false;
    }
    for (int k = 0; k < list->count; ++k)
    {
        r->pointBlock[list->blocks[k].i + 1] += 1;
    }
    for (int i = 0; i < r->pointCount; ++i)
    {
        r->pointBlock[i + 1] += r->pointBlock[i];
    }
    for (int k = list->count - 1; k >= 0; --k)
    {
        sorted[--r->pointBlock[list->blocks[k].i + 1]] = list->blocks[k];
    }
    memmove(r->pointBlock, r->pointBlock + 1, (size_t)r->pointCount * sizeof(int));
    r->pointBlock[r->pointCount] = list->count;
    list->blocks = sorted;
    return true;
}

// Where the nodes of each point are: bodies have appended them in the order of the points. False without memory.
static bool spFindEntries(spResponse* r)
{
    const spComplianceList* list = &r->compliance;
    memset(r->pointEntry, 0, (size_t)(r->pointCount + 1) * sizeof(int));
    for (int k = 0; k < list->entryCount; ++k)
    {
        r->pointEntry[list->entries[k].point + 1] += 1;
    }
    for (int i = 0; i < r->pointCount; ++i)
    {
        r->pointEntry[i + 1] += r->pointEntry[i];
    }
    r->motion = spArenaAlloc(r->context->arena, spArraySize(list->nodeCount, sizeof(spVec3)));
    return list->nodeCount == 0 || r->motion != NULL;
}

// What an impulse on a point does to another one through nodes that they share, 1/kg
static spReal spGetNodalYield(const spResponse* r, int point, int other)
{
    spReal sum = 0;
    for (int i = r->pointEntry[point]; i < r->pointEntry[point + 1]; ++i)
    {
        for (int k = r->pointEntry[other]; k < r->pointEntry[other + 1]; ++k)
        {
            const spNodalEntry *a = r->compliance.entries + i, *b = r->compliance.entries + k;
            sum += a->node == b->node ? a->weight * b->push : 0;
        }
    }
    return sum;
}

// W = C_aa + C_bb - C_ab - C_ba; the last two where both points lie on one body
static void spFindDiagonal(const spResponse* r, spSolvedRow* row)
{
    row->diagonal = spZeroMat3();
    bool blocks = false;
    for (int side = 0; side < 2; ++side)
    {
        int point = side == 0 ? row->a : row->b;
        for (int i = point < 0 ? 0 : r->pointBlock[point]; point >= 0 && i < r->pointBlock[point + 1]; ++i)
        {
            const spComplianceBlock* block = r->compliance.blocks + i;
            bool own = block->j == row->a || block->j == row->b;
            spReal sign = block->j == point ? 1 : own ? -1 : 0;
            row->diagonal = sign != 0 ? spMulAddMat3(row->diagonal, sign, block->block) : row->diagonal;
            blocks = true;
        }
    }
    spReal even = spGetNodalYield(r, row->a, row->a);
    if (row->b >= 0)
    {
        bool own = row->row->a.slot == row->row->b.slot;
        even += spGetNodalYield(r, row->b, row->b) - (own ? 2 * spGetNodalYield(r, row->a, row->b) : 0);
    }
    row->even = blocks ? 0 : even;
    row->diagonal = spMulAddMat3(row->diagonal, even, spIdentityMat3());
}

bool spFreezeResponse(spResponse* r)
{
    const spResponseContext* c = r->context;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        spPoints points = spGetPoints(r, i);
        if (points.count > 0 && c->bodies[i]->method->freeze(c->bodies[i], &points, r->bodyPoint[i], c->arena,
                                                             &r->compliance) == false)
        {
            return false;
        }
    }
    if (spSortBlocks(r) == false || spFindEntries(r) == false)
    {
        return false;
    }
    for (int k = 0; k < r->rowCount; ++k)
    {
        spFindDiagonal(r, r->rows + k);
    }
    return spMakeCoupling(&r->coupling, c->arena, r->compliance.blocks, r->pointBlock, r->pointCount);
}

void spClearMotion(spResponse* r)
{
    spClearCoupled(&r->coupling);
    if (r->compliance.nodeCount > 0)
    {
        memset(r->motion, 0, (size_t)r->compliance.nodeCount * sizeof(spVec3));
    }
}

// An impulse on a point moves all points that the compliance couples to it
static void spPushPoint(spResponse* r, int point, spVec3 impulse)
{
    spPushCoupled(&r->coupling, point, impulse);
    for (int k = r->pointEntry[point]; k < r->pointEntry[point + 1]; ++k)
    {
        const spNodalEntry* at = r->compliance.entries + k;
        r->motion[at->node] = spMulAdd3(r->motion[at->node], at->push, impulse);
    }
}

void spPushRow(spResponse* r, const spSolvedRow* row, spVec3 impulse)
{
    spPushPoint(r, row->a, impulse);
    if (row->b >= 0)
    {
        spPushPoint(r, row->b, spNeg3(impulse));
    }
}

static spVec3 spGetPointMotion(const spResponse* r, int point)
{
    spVec3 u = spGetCoupled(&r->coupling, point);
    for (int k = r->pointEntry[point]; k < r->pointEntry[point + 1]; ++k)
    {
        const spNodalEntry* at = r->compliance.entries + k;
        u = spMulAdd3(u, at->weight, r->motion[at->node]);
    }
    return u;
}

spVec3 spGetRowVelocity(const spResponse* r, const spSolvedRow* row)
{
    spVec3 u = spGetPointMotion(r, row->a);
    return row->b >= 0 ? spSub3(u, spGetPointMotion(r, row->b)) : u;
}

// How far a change of the multiplier of a row moves its sides
static spVec3 spGetOwnMotion(const spSolvedRow* s, spVec3 change)
{
    return s->even > 0 ? spScale3(s->even, change) : spMulMV3(s->diagonal, change);
}

// Sweeps of Gauss-Seidel are taken for steps down a gradient, and made conjugate (Silcowitz, Niebe, Erleben. A
// Nonsmooth Nonlinear Conjugate Gradient Method for Interactive Contact Force Problems. 2010). What that does to the
// laws the next sweep mends.
bool spGoOn(spResponse* r, double* last)
{
    double now = 0.0;
    for (int k = 0; k < r->rowCount; ++k)
    {
        const spSolvedRow* s = r->rows + k;
        now += (double)spDot3(s->change, spGetOwnMotion(s, s->change));
    }
    spReal share = *last > 0.0 && now <= *last ? (spReal)(now / *last) : 0;
    *last = now;
    for (int k = 0; k < r->rowCount; ++k)
    {
        spSolvedRow* s = r->rows + k;
        spVec3 more = spScale3(share, s->direction);
        s->direction = spAdd3(more, s->change);
        s->change = more;
        if (share > 0)
        {
            spPushRow(r, s, more);
        }
    }
    return share > 0;
}

// The change of impulse, or shift, that one row asks for
static spVec3 spSolveRow(const spSolvedRow* s, spVec3 u, spVec3 total, bool positions, spReal dt)
{
    if (s->contact)
    {
        spVec3 rate = positions ? spAdd3(u, s->gap) : spSub3(u, s->target);
        spReal friction = positions ? 0 : s->friction;
        return s->even > 0 ? spSolveEvenContact(total, rate, s->even, s->normal, friction)
                           : spSolveContact(total, rate, s->diagonal, s->normal, friction);
    }
    const spRow* row = s->row;
    if (row->compliance > 0 && positions)
    {
        return (spVec3){0, 0, 0};
    }
    // A compliant hold is an implicit spring
    spReal soft = row->compliance / (dt * dt);
    spVec3 rate = positions ? spAdd3(u, s->gap) : row->compliance > 0 ? spMulAdd3(u, 1 / dt, s->gap) : u;
    spVec3 change = spSolveHoldBlock(total, rate, s->diagonal, soft);
    if (row->maxForce > 0 && positions == false)
    {
        change = spSub3(spLimitLength(spAdd3(total, change), row->maxForce * dt), total);
    }
    return change;
}

// Rows begin with what they exerted when they were last solved; a rigid hold moves its sides by as much in dt.
// Returns the largest change of a relative velocity, or displacement, by it.
static double spStartWarm(spResponse* r, bool positions)
{
    const spResponseContext* c = r->context;
    double largest = 0.0;
    for (int k = 0; k < r->rowCount; ++k)
    {
        spSolvedRow* row = r->rows + k;
        spVec3 last = row->row->force;
        if (spLengthSquared3(last) == 0 ||
            (positions && (row->row->law != sp_rowHold || row->row->compliance > 0)))
        {
            continue;
        }
        spVec3* total = positions ? &row->shift : &row->impulse;
        *total = spScale3(positions ? c->dt * c->dt : c->dt, last);
        spPushRow(r, row, *total);
        largest = fmax(largest, (double)spLength3(spGetOwnMotion(row, *total)));
    }
    return largest;
}

void spKeepForces(const spResponse* r)
{
    for (int k = 0; k < r->rowCount; ++k)
    {
        const spSolvedRow* s = r->rows + k;
        if (s->held)
        {
            continue;
        }
        spVec3 force = spScale3(1 / r->context->dt, s->impulse);
        // A body that is about to be stopped leaves nothing for the others
        s->row->force = spIsFinite3(force) ? force : (spVec3){0, 0, 0};
        s->row->age += s->row->age < INT32_MAX / 2;
    }
}

// Missed contacts are found anew in every step; their forces are kept by their keys
static bool spKeepMissed(const spResponse* r)
{
    const spResponseContext* c = r->context;
    spMultipliers* list = c->multipliers;
    list->count = 0;
    if (spReserve(c->heap, (void**)&list->entries, 0, &list->capacity, r->rowCount, sizeof(spMultiplier)) ==
        false)
    {
        return false;
    }
    for (int k = 0; k < r->rowCount; ++k)
    {
        const spRow* row = r->rows[k].row;
        list->entries[list->count++] = (spMultiplier){.key = row->key, .force = row->force, .age = row->age};
    }
    spSortMultipliers(list);
    return true;
}

bool spHasTouches(const spResponse* r)
{
    for (int k = 0; k < r->rowCount; ++k)
    {
        if (r->rows[k].row->law == sp_rowContact && r->rows[k].b >= 0)
        {
            return true;
        }
    }
    return false;
}

typedef struct spSweepResult
{
    int count;
    double change;
    double tolerance;
} spSweepResult;

// Gauss-Seidel over all rows: velocities, or positions. `scale` is the size of the numbers that the residuals
// are differences of: their rounding cannot be solved away.
static spSweepResult spSweepRows(spResponse* r, bool positions, double scale)
{
    double rounding = 16.0 * (sizeof(spReal) == sizeof(float) ? 6e-8 : 1.1e-16) * scale;
    double largest = spStartWarm(r, positions),
           share = spHasTouches(r) ? SP_TOUCH_TOLERANCE : SP_ROW_TOLERANCE;
    spSweepResult result = {0};
    double last = 0.0;
    int conjugate = spHasTouches(r) ? SP_CONJUGATE_TOUCHES : SP_CONJUGATE_SWEEPS;
    for (result.count = 0; result.count < SP_MAX_SWEEPS; ++result.count)
    {
        result.change = 0.0;
        for (int k = 0; k < r->rowCount; ++k)
        {
            spSolvedRow* row = r->rows + k;
            spVec3* total = positions ? &row->shift : &row->impulse;
            spVec3 change = spSolveRow(row, spGetRowVelocity(r, row), *total, positions, r->context->dt);
            row->change = change;
            if (change.x == 0 && change.y == 0 && change.z == 0)
            {
                continue;
            }
            *total = spAdd3(*total, change);
            spPushRow(r, row, change);
            // What is no number must not count
            double moved = spLength3(spGetOwnMotion(row, change));
            result.change = moved > result.change ? moved : result.change;
        }
        largest = fmax(largest, result.change);
        result.tolerance = share * largest + rounding;
        if (result.change <= result.tolerance)
        {
            result.count += 1;
            break;
        }
        bool more = result.count < conjugate && spGoOn(r, &last);
        for (int k = 0; more && k < r->rowCount; ++k)
        {
            spSolvedRow* row = r->rows + k;
            spVec3* total = positions ? &row->shift : &row->impulse;
            *total = spAdd3(*total, row->change);
        }
    }
    return result;
}

void spCorrectBodies(spResponse* r)
{
    const spResponseContext* c = r->context;
    for (int k = 0; k < r->rowCount; ++k)
    {
        const spSolvedRow* s = r->rows + k;
        r->impulses[s->a] = s->impulse;
        r->shifts[s->a] = s->shift;
        if (s->b >= 0)
        {
            r->impulses[s->b] = spNeg3(s->impulse);
            r->shifts[s->b] = spNeg3(s->shift);
        }
    }
    for (int i = 0; i < c->bodyCount; ++i)
    {
        spPoints points = spGetPoints(r, i);
        int first = r->bodyPoint[i];
        if (points.count > 0)
        {
            c->bodies[i]->method->correct(c->bodies[i], &points, r->impulses + first, r->shifts + first);
        }
    }
}

// Friction between bodies gives back the tangential motion of the slice with what it takes from the velocity, so that
// what sticks does not creep
static void spGiveBackSlip(spResponse* r)
{
    for (int k = 0; k < r->rowCount; ++k)
    {
        spSolvedRow* s = r->rows + k;
        if (s->row->law == sp_rowContact && s->b >= 0)
        {
            s->shift = spMulAdd3(s->shift, r->context->dt, spGetTangent(s->impulse, s->row->normal));
        }
    }
}

// What rows have done, for whoever wants to read it
static void spTellRows(const spResponse* r)
{
    for (int k = 0; k < r->rowCount; ++k)
    {
        const spSolvedRow* s = r->rows + k;
        spRow* row = s->row;
        row->impulse = spAdd3(row->impulse, s->impulse);
        if (row->law == sp_rowContact)
        {
            row->gap +=
                spDot3(s->shift, row->normal) * spDot3(row->normal, spMulMV3(s->diagonal, row->normal));
        }
    }
}

bool spOpenResponse(spResponse* r, const spResponseContext* context, spResponseResult* result)
{
    *r = (spResponse){.context = context};
    *result = (spResponseResult){.converged = true};
    if (spCountResponse(r, result) == false)
    {
        if (context->solveContacts)
        {
            context->multipliers->count = 0;
        }
        return false;
    }
    result->rowCount = r->rowCount;
    int* cursor = spArenaAlloc(context->arena, spArraySize(context->bodyCount, sizeof(int)));
    result->outOfMemory = cursor == NULL;
    if (cursor != NULL)
    {
        spFillResponse(r, cursor);
    }
    return cursor != NULL;
}

spResponseResult spSolveRows(const spResponseContext* context)
{
    spResponseResult result;
    spResponse r;
    if (spOpenResponse(&r, context, &result) == false)
    {
        return result;
    }
    if (spFreezeResponse(&r) == false)
    {
        result.outOfMemory = true;
        return result;
    }

    spClearMotion(&r);
    double sizes[2] = {0.0, 0.0}; // of positions and velocities
    for (int i = 0; i < context->bodyCount; ++i)
    {
        for (int k = r.bodyPoint[i]; k < r.bodyPoint[i + 1]; ++k)
        {
            sizes[0] = fmax(sizes[0], (double)spLength3(spReadSide(&r, r.sides + k, context->bodies[i]->x)));
        }
    }
    spSweepResult positions = spSweepRows(&r, true, sizes[0]);
    spClearMotion(&r);
    for (int i = 0; i < context->bodyCount; ++i)
    {
        for (int k = r.bodyPoint[i]; k < r.bodyPoint[i + 1]; ++k)
        {
            spVec3 v = spReadSide(&r, r.sides + k, context->bodies[i]->v);
            spSetCoupled(&r.coupling, k, v);
            sizes[1] = fmax(sizes[1], (double)spLength3(v));
        }
    }
    spSweepResult velocities = spSweepRows(&r, false, sizes[1]);
    spGiveBackSlip(&r);
    spKeepForces(&r);
    result.outOfMemory = context->solveContacts && spKeepMissed(&r) == false;
    spTellRows(&r);
    spCorrectBodies(&r);

    result.sweepCount = positions.count + velocities.count;
    result.residual = fmax(velocities.change, positions.change / (double)context->dt);
    result.converged =
        positions.change <= 10.0 * positions.tolerance && velocities.change <= 10.0 * velocities.tolerance;
    return result;
}
