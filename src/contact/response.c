// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Each body lends a compliance C over points on it, frozen until the correction. With u the velocity of the
// points, a row between points a and b has the relative velocity u_a - u_b, and
//
//   link, rigid       u_a - u_b = 0                                   and x_a - x_b - anchor = 0
//   link, compliant   (W + c / dt^2) impulse = -(u_a - u_b + g / dt)    an implicit spring with gap g
//   contact           u_n >= 0 or reflected, impulse_n >= 0, friction in the cone;  gap >= 0
//
// Positions and velocities are two problems with the same C, each solved by block Gauss-Seidel in row order:
// a penetration is moved out without giving the node a velocity for it.

#include "contact/response.h"

#include "body/contact_law.h"

#include <string.h>

#define SP_MAX_SWEEPS 100

// A sweep that changes no relative velocity by more than this share of the largest one is the last
#define SP_ROW_TOLERANCE 1e-5

// A row while it is solved
typedef struct spSolvedRow
{
    spRow* row;      // a contact of its body, or made here for a link
    int a, b;        // points; b is -1 for a collider
    spVec3 gap;      // x_a - x_b - anchor, m; of a contact along the normal
    spVec3 target;   // relative velocity that it asks for, m/s
    spVec3 impulse;  // N s
    spVec3 shift;    // kg m
    spMat3 diagonal; // of W, 1/kg
} spSolvedRow;

typedef struct spResponse
{
    const spResponseContext* context;
    spSolvedRow* rows;
    int rowCount;
    spRow* linkRows; // one for each node of a link
    int linkRowCount;
    spRowSide* sides; // of the points, body by body
    spRowNode* pool;
    int* bodyPoint; // first point of each body (bodyCount + 1)
    int pointCount;
    int poolCount;
    spComplianceList compliance;
    int* pointBlock; // first block of each point, blocks ordered by i (pointCount + 1)
    spVec3* u;       // velocity, or displacement, of each point
} spResponse;

// A penetration that is more than rounding
static bool spIsMissedContact(const spResponse* r, const spBody* body, const spRow* row)
{
    if (r->context->solveContacts == false || row->law != sp_rowContact || row->gap >= 0 ||
        body->running == false)
    {
        return false;
    }
    int node = row->a.node;
    spVec4 x = body->backend->view(body->x, node, node + 1)[node];
    spReal size = (spReal)(fabs((double)x.x) + fabs((double)x.y) + fabs((double)x.z));
    spReal rounding =
        (sizeof(spReal) == sizeof(float) ? (spReal)1e-6 : (spReal)1e-14) * (size + body->contactRadius);
    return row->gap < -rounding && x.w > 0;
}

static bool spIsPairLink(const spResponse* r, int link)
{
    const spLink* l = r->context->links[link];
    return r->context->solveLinks && l != NULL && l->otherBody >= 0 && r->context->bodies[l->body]->running &&
           r->context->bodies[l->otherBody]->running;
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
            if (spIsMissedContact(r, body, body->rows + k))
            {
                r->bodyPoint[i + 1] += 1;
                r->rowCount += 1;
            }
        }
    }
    for (int k = 0; k < c->linkCount; ++k)
    {
        if (spIsPairLink(r, k))
        {
            r->bodyPoint[c->links[k]->body + 1] += c->links[k]->nodeCount;
            r->bodyPoint[c->links[k]->otherBody + 1] += c->links[k]->nodeCount;
            r->linkRowCount += c->links[k]->nodeCount;
        }
    }
    r->rowCount += r->linkRowCount;
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
    r->linkRows = spArenaAlloc(c->arena, spArraySize(r->linkRowCount, sizeof(spRow)));
    r->sides = spArenaAlloc(c->arena, spArraySize(r->pointCount, sizeof(spRowSide)));
    r->pool = spArenaAlloc(c->arena, spArraySize(r->linkRowCount, 3 * sizeof(spRowNode)));
    r->pointBlock = spArenaAlloc(c->arena, spArraySize(r->pointCount + 1, sizeof(int)));
    r->u = spArenaAlloc(c->arena, spArraySize(r->pointCount, sizeof(spVec3)));
    bool linked = r->linkRowCount == 0 || (r->linkRows != NULL && r->pool != NULL);
    result->outOfMemory =
        r->rows == NULL || linked == false || r->sides == NULL || r->pointBlock == NULL || r->u == NULL;
    return result->outOfMemory == false;
}

static spPoints spGetPoints(const spResponse* r, int body)
{
    int first = r->bodyPoint[body];
    return (spPoints){r->sides + first, r->pool, r->bodyPoint[body + 1] - first, r->context->solveContacts};
}

static void spFillContact(spResponse* r, spSolvedRow* s, const spBody* body, spRow* row, int point)
{
    const spResponseContext* c = r->context;
    spPose pose = spGetColliderPose(c->colliders[row->b.slot], 1, c->dt);
    int node = row->a.node;
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
        .gap = spScale3(-row->gap < reach ? row->gap : -reach, row->normal),
        .target = spMulAdd3(surface, bounce, row->normal),
    };
}

// A link holds two bodies; the points of the other one get entries in the pool
static void spFillLink(spResponse* r, spSolvedRow* s, const spLink* link, int index, int* cursor)
{
    spBody* const* bodies = r->context->bodies;
    spRow* row = r->linkRows + r->linkRowCount++;
    *row = (spRow){
        .key = spMakeRowKey(spMakePairKey(sp_rowHold, SP_ID_NUMBER(link->id), 0), (uint32_t)index),
        .a = {.slot = link->body, .node = link->nodes[index], .count = 1},
        .b = link->points[index],
        .law = sp_rowHold,
        .anchor = link->anchors[index],
        .compliance = link->compliance,
        .maxForce = link->maxForce,
        .link = (int32_t)link->id.index1 - 1,
    };
    if (row->b.count > 1)
    {
        const spRowNode* entries = link->pool + row->b.node;
        row->b.node = r->poolCount;
        memcpy(r->pool + r->poolCount, entries, (size_t)row->b.count * sizeof(spRowNode));
        r->poolCount += row->b.count;
    }
    *s = (spSolvedRow){.row = row, .a = cursor[link->body]++, .b = cursor[link->otherBody]++};
    r->sides[s->a] = row->a;
    r->sides[s->b] = row->b;
    spVec3 a = spSumSide(&row->a, r->pool, bodies[link->body]->x);
    spVec3 b = spSumSide(&row->b, r->pool, bodies[link->otherBody]->x);
    s->gap = spSub3(spSub3(a, b), row->anchor);
}

static void spFillResponse(spResponse* r, int* cursor)
{
    const spResponseContext* c = r->context;
    int next = 0;
    r->linkRowCount = 0;
    memcpy(cursor, r->bodyPoint, (size_t)c->bodyCount * sizeof(int));
    for (int i = 0; i < c->bodyCount; ++i)
    {
        const spBody* body = c->bodies[i];
        for (int k = 0; body != NULL && k < body->rowCount; ++k)
        {
            if (spIsMissedContact(r, body, body->rows + k))
            {
                spFillContact(r, r->rows + next++, body, body->rows + k, cursor[i]++);
            }
        }
    }
    for (int k = 0; k < c->linkCount; ++k)
    {
        for (int i = 0; spIsPairLink(r, k) && i < c->links[k]->nodeCount; ++i)
        {
            spFillLink(r, r->rows + next++, c->links[k], i, cursor);
        }
    }
    SP_ASSERT(next == r->rowCount);
}

// Lets every body freeze its compliance, and orders the blocks by their first point
static bool spFreezeResponse(spResponse* r)
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
    spComplianceList* list = &r->compliance;
    spComplianceBlock* sorted = spArenaAlloc(c->arena, spArraySize(list->count, sizeof(spComplianceBlock)));
    if (sorted == NULL)
    {
        return false;
    }
    memset(r->pointBlock, 0, (size_t)(r->pointCount + 1) * sizeof(int));
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

    for (int k = 0; k < r->rowCount; ++k)
    {
        spSolvedRow* row = r->rows + k;
        row->diagonal = spZeroMat3();
        for (int side = 0; side < 2; ++side)
        {
            int point = side == 0 ? row->a : row->b;
            for (int i = point < 0 ? 0 : r->pointBlock[point]; point >= 0 && i < r->pointBlock[point + 1];
                 ++i)
            {
                // W = C_aa + C_bb - C_ab - C_ba; the last two where both points lie on one body
                bool own = sorted[i].j == row->a || sorted[i].j == row->b;
                spReal sign = sorted[i].j == point ? 1 : own ? -1 : 0;
                row->diagonal =
                    sign != 0 ? spMulAddMat3(row->diagonal, sign, sorted[i].block) : row->diagonal;
            }
        }
    }
    return true;
}

// An impulse on a point moves all points that the compliance couples to it
static void spPushPoint(spResponse* r, int point, spVec3 impulse)
{
    for (int k = r->pointBlock[point]; k < r->pointBlock[point + 1]; ++k)
    {
        const spComplianceBlock* block = r->compliance.blocks + k;
        r->u[block->j] = spAdd3(r->u[block->j], spMulTMV3(block->block, impulse));
    }
}

static void spPushRow(spResponse* r, const spSolvedRow* row, spVec3 impulse)
{
    spPushPoint(r, row->a, impulse);
    if (row->b >= 0)
    {
        spPushPoint(r, row->b, spNeg3(impulse));
    }
}

static spVec3 spGetRowVelocity(const spResponse* r, const spSolvedRow* row)
{
    return row->b >= 0 ? spSub3(r->u[row->a], r->u[row->b]) : r->u[row->a];
}

// The change of impulse, or shift, that one row asks for
static spVec3 spSolveRow(const spSolvedRow* s, spVec3 u, spVec3 total, bool positions, spReal dt)
{
    const spRow* row = s->row;
    if (row->law == sp_rowContact)
    {
        spVec3 rate = positions ? spAdd3(u, s->gap) : spSub3(u, s->target);
        return spSolveContact(total, rate, s->diagonal, row->normal, positions ? 0 : row->friction);
    }
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
    for (int k = 0; c->multipliers != NULL && c->multipliers->count > 0 && k < r->rowCount; ++k)
    {
        spSolvedRow* row = r->rows + k;
        if (positions && (row->row->law != sp_rowHold || row->row->compliance > 0))
        {
            continue;
        }
        spMultiplier last = spFindMultiplier(c->multipliers, row->row->key);
        spVec3* total = positions ? &row->shift : &row->impulse;
        *total = spScale3(positions ? c->dt * c->dt : c->dt, last.force);
        row->row->age = last.age;
        spPushRow(r, row, *total);
        largest = fmax(largest, (double)spLength3(spMulMV3(row->diagonal, *total)));
    }
    return largest;
}

// Keeps what they exert now. False when there is no memory.
static bool spKeepMultipliers(const spResponse* r)
{
    const spResponseContext* c = r->context;
    spMultipliers* list = c->multipliers;
    if (list == NULL)
    {
        return true;
    }
    list->count = 0;
    if (spReserve(c->heap, (void**)&list->entries, 0, &list->capacity, r->rowCount, sizeof(spMultiplier)) ==
        false)
    {
        return false;
    }
    for (int k = 0; k < r->rowCount; ++k)
    {
        const spSolvedRow* row = r->rows + k;
        spVec3 force = spScale3(1 / c->dt, row->impulse);
        // A body that is about to be stopped leaves nothing for the others
        force = spIsFinite3(force) ? force : (spVec3){0, 0, 0};
        int32_t age = row->row->age < INT32_MAX / 2 ? row->row->age + 1 : row->row->age;
        list->entries[list->count++] = (spMultiplier){row->row->key, force, age};
    }
    spSortMultipliers(list);
    return true;
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
    double largest = spStartWarm(r, positions);
    spSweepResult result = {0};
    for (result.count = 0; result.count < SP_MAX_SWEEPS; ++result.count)
    {
        result.change = 0.0;
        for (int k = 0; k < r->rowCount; ++k)
        {
            spSolvedRow* row = r->rows + k;
            spVec3* total = positions ? &row->shift : &row->impulse;
            spVec3 change = spSolveRow(row, spGetRowVelocity(r, row), *total, positions, r->context->dt);
            *total = spAdd3(*total, change);
            spPushRow(r, row, change);
            double moved = spLength3(spMulMV3(row->diagonal, change));
            result.change = fmax(result.change, moved);
            largest = fmax(largest, moved);
        }
        result.tolerance = SP_ROW_TOLERANCE * largest + rounding;
        if (result.change <= result.tolerance)
        {
            result.count += 1;
            break;
        }
    }
    return result;
}

// Hands the impulses to the bodies, and to whoever wants to read them
static void spCorrectBodies(spResponse* r, spVec3* impulses, spVec3* shifts)
{
    const spResponseContext* c = r->context;
    for (int k = 0; k < r->rowCount; ++k)
    {
        const spSolvedRow* s = r->rows + k;
        spRow* row = s->row;
        impulses[s->a] = s->impulse;
        shifts[s->a] = s->shift;
        if (s->b >= 0)
        {
            impulses[s->b] = spNeg3(s->impulse);
            shifts[s->b] = spNeg3(s->shift);
        }
        if (row->law == sp_rowHold)
        {
            spLink* link = c->links[row->link];
            link->force = spMulAdd3(link->force, 1 / c->stepDt, s->impulse);
        }
        else
        {
            row->impulse = spAdd3(row->impulse, s->impulse);
            row->gap +=
                spDot3(s->shift, row->normal) * spDot3(row->normal, spMulMV3(s->diagonal, row->normal));
        }
    }
    for (int i = 0; i < c->bodyCount; ++i)
    {
        spPoints points = spGetPoints(r, i);
        int first = r->bodyPoint[i];
        if (points.count > 0)
        {
            c->bodies[i]->method->correct(c->bodies[i], &points, impulses + first, shifts + first);
        }
    }
}

spResponseResult spSolveRows(const spResponseContext* context)
{
    spResponseResult result = {.converged = true};
    spResponse r = {.context = context};
    if (spCountResponse(&r, &result) == false)
    {
        if (context->multipliers != NULL)
        {
            context->multipliers->count = 0;
        }
        return result;
    }
    result.rowCount = r.rowCount;
    int* cursor = spArenaAlloc(context->arena, spArraySize(context->bodyCount, sizeof(int)));
    spVec3* impulses = spArenaAlloc(context->arena, spArraySize(r.pointCount, 2 * sizeof(spVec3)));
    if (cursor == NULL || impulses == NULL)
    {
        result.outOfMemory = true;
        return result;
    }
    spFillResponse(&r, cursor);
    if (spFreezeResponse(&r) == false)
    {
        result.outOfMemory = true;
        return result;
    }

    memset(r.u, 0, (size_t)r.pointCount * sizeof(spVec3));
    double sizes[2] = {0.0, 0.0}; // of positions and velocities
    for (int i = 0; i < context->bodyCount; ++i)
    {
        for (int k = r.bodyPoint[i]; k < r.bodyPoint[i + 1]; ++k)
        {
            sizes[0] =
                fmax(sizes[0], (double)spLength3(spSumSide(r.sides + k, r.pool, context->bodies[i]->x)));
        }
    }
    spSweepResult positions = spSweepRows(&r, true, sizes[0]);
    for (int i = 0; i < context->bodyCount; ++i)
    {
        for (int k = r.bodyPoint[i]; k < r.bodyPoint[i + 1]; ++k)
        {
            r.u[k] = spSumSide(r.sides + k, r.pool, context->bodies[i]->v);
            sizes[1] = fmax(sizes[1], (double)spLength3(r.u[k]));
        }
    }
    spSweepResult velocities = spSweepRows(&r, false, sizes[1]);
    result.outOfMemory = spKeepMultipliers(&r) == false;
    spCorrectBodies(&r, impulses, impulses + r.pointCount);

    result.sweepCount = positions.count + velocities.count;
    result.residual = fmax(velocities.change, positions.change / (double)context->dt);
    result.converged =
        positions.change <= 10.0 * positions.tolerance && velocities.change <= 10.0 * velocities.tolerance;
    return result;
}
