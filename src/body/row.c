// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Holding node rows. With one node on one side and nothing that yields on the other, every row can be solved
// by itself, right after the trial substep; multipliers begin at zero and are changes of velocity:
//
//   contact   gap < 0: back to the surface; normal velocity 0, or reflected; friction gives back the tangential
//             way of this substep with what it takes from the velocity, so that what sticks does not creep
//   backtrack back along the way of this substep to the surface, reflect, go on for the rest of the substep;
//             a few times
//   hold      an implicit spring to the anchor: dx = -g w / (w + compliance / h^2), dv = dx / h

#include "body/row.h"

#include "base/hash.h"
#include "body/body.h"
#include "body/contact_law.h"
#include "linear/precise.h"

uint64_t spMakePairKey(spRowLaw law, uint64_t first, uint64_t second)
{
    const uint64_t pair[] = {(uint64_t)law, first, second};
    return spHashBytes(SP_HASH_SEED, pair, sizeof(pair));
}

// A node that rows move
typedef struct spHeldNode
{
    spVec4* x;
    spVec4* v;
    int remainder; // from its position; 0 where there is none
    spReal mass;
} spHeldNode;

static void spMoveNode(const spHeldNode* node, spVec3 dx, spVec3 dv)
{
    spVec4 *x = node->x, *v = node->v;
    if (node->remainder > 0)
    {
        spWideQuad way = {(double)dx.x, (double)dx.y, (double)dx.z, 0.0};
        spPutPrecise(x, node->remainder, 0, spGetPrecise(x, node->remainder, 0) + way);
    }
    else
    {
        *x = (spVec4){x->x + dx.x, x->y + dx.y, x->z + dx.z, x->w};
    }
    *v = (spVec4){v->x + dv.x, v->y + dv.y, v->z + dv.z, 0};
}

static void spHoldContact(spRow* row, const spHoldContext* context, const spHeldNode* node)
{
    const spVec4 *x = node->x, *v = node->v;
    const spPose* pose = context->poses + row->b.slot;
    spVec3 p = spXyz(*x);
    spSurfaceHit hit =
        spFindGap(context->colliders[row->b.slot], pose, context->contactRadius, p, &row->from);
    row->normal = hit.normal;
    row->gap = hit.distance;
    if (row->gap >= 0)
    {
        return;
    }
    spVec3 relative = spSub3(spXyz(*v), spGetSurfaceVelocity(pose, p));
    spReal vn = spDot3(relative, hit.normal);

    // Normal: position to the surface, velocity stopped or reflected
    spReal reach = spGetPushReach(vn, context->h);
    spReal push = -row->gap < reach ? -row->gap : reach;
    spReal bounce = spGetBounceSpeed(vn, row->restitution, context->restitutionThreshold);
    spReal dvn = spSolveNormal(0, vn - bounce, 1);
    spVec3 dx = spScale3(push, hit.normal);
    spVec3 dv = spScale3(dvn, hit.normal);

    // Friction
    spVec3 slip = spMulSub3(relative, vn, hit.normal);
    spReal speed = spLength3(slip);
    if (speed > 0)
    {
        spReal taken = spGetShare(speed, row->friction * dvn);
        dv = spMulSub3(dv, taken, slip);
        dx = spMulSub3(dx, context->h * taken, slip);
    }
    spMoveNode(node, dx, dv);
    row->gap += push;
    row->impulse = spMulAdd3(row->impulse, node->mass, dv);
}

// Impacts that one node may have in one substep
#define SP_MAX_IMPACTS 3

static void spBacktrackContact(spRow* row, const spHoldContext* context, const spHeldNode* node)
{
    const spVec4 *x = node->x, *v = node->v;
    const spPose* pose = context->poses + row->b.slot;
    spReal left = context->h; // time of the substep that may still be taken back
    for (int impact = 0; impact <= SP_MAX_IMPACTS; ++impact)
    {
        spVec3 p = spXyz(*x);
        spSurfaceHit hit =
            spFindGap(context->colliders[row->b.slot], pose, context->contactRadius, p, &row->from);
        row->normal = hit.normal;
        row->gap = hit.distance;
        if (row->gap >= 0)
        {
            return;
        }
        spVec3 relative = spSub3(spXyz(*v), spGetSurfaceVelocity(pose, p));
        spReal vn = spDot3(relative, hit.normal);

        // Time since the impact, from the depth; at the last try, or when the node leaves already, stay at
        // the surface
        spReal since = vn < 0 ? row->gap / vn : 0;
        since = since < left ? since : left;
        left = since;
        spReal bounce = spGetBounceSpeed(vn, row->restitution, context->restSpeed);
        spReal dvn = spSolveNormal(0, vn - bounce, 1);
        spVec3 dv = spScale3(dvn, hit.normal);
        spVec3 slip = spMulSub3(relative, vn, hit.normal);
        spReal speed = spLength3(slip);
        if (speed > 0)
        {
            dv = spMulSub3(dv, spGetShare(speed, row->friction * dvn), slip);
        }
        spVec3 dx = spScale3(since, dv);
        if (vn >= 0 || impact == SP_MAX_IMPACTS || bounce == 0)
        {
            dx = spMulAdd3(dx, -row->gap - spDot3(dx, hit.normal), hit.normal);
        }
        spMoveNode(node, dx, dv);
        row->impulse = spMulAdd3(row->impulse, node->mass, dv);
        if (bounce == 0)
        {
            row->gap = 0;
            return;
        }
    }
}

static void spHoldAnchor(spRow* row, const spHoldContext* context, const spHeldNode* node)
{
    const spVec4* x = node->x;
    spVec3 anchor = spGetAnchor(row, context->poses, context->fraction);
    spReal h = context->h;
    spReal yield = x->w / (x->w + row->compliance / (h * h));
    spVec3 dx = spScale3(yield, spSub3(anchor, spXyz(*x)));
    spVec3 dv = spScale3(1 / h, dx);
    spReal force = node->mass * spLength3(dv) / h;
    if (row->maxForce > 0)
    {
        spReal share = spGetShare(force, row->maxForce);
        dx = spScale3(share, dx);
        dv = spScale3(share, dv);
    }
    spMoveNode(node, dx, dv);
    row->impulse = spMulAdd3(row->impulse, node->mass, dv);
}

static void spHoldRow(spRow* row, const spHoldContext* context, const spHeldNode* node)
{
    if (row->law == sp_rowContact && context->backtrack)
    {
        spBacktrackContact(row, context, node);
    }
    else if (row->law == sp_rowContact)
    {
        spHoldContact(row, context, node);
    }
    else
    {
        spHoldAnchor(row, context, node);
    }
}

void spHoldPatchRows(spBody* body, const spHoldContext* context, int patch)
{
    int remainder = spGetRemainder(body);
    for (int i = body->patchRow[patch]; i < body->patchRow[patch + 1]; ++i)
    {
        spRow* row = body->rows + i;
        spVec4* x = body->x + row->a.node;
        spHeldNode node = {x, body->v + row->a.node, remainder, body->mass[row->a.node]};
        if (x->w != 0)
        {
            spHoldRow(row, context, &node);
        }
    }
}

static void spAddToNode(spVec4* a, spReal s, spVec3 b)
{
    *a = (spVec4){a->x + s * b.x, a->y + s * b.y, a->z + s * b.z, a->w};
}

void spHoldPointRows(spVec4* x, spVec4* v, const spHeldPoint* points, int count, const spGhostEntry* entries,
                     const spHoldContext* context)
{
    for (int i = 0; i < count; ++i)
    {
        const spGhostEntry* e = entries + points[i].begin;
        spVec4 at = {0, 0, 0, 0}, rate = at;
        for (int k = 0; k < points[i].count; ++k)
        {
            spAddToNode(&at, e[k].weight, spXyz(x[e[k].node]));
            spAddToNode(&rate, e[k].weight, spXyz(v[e[k].node]));
            at.w += e[k].weight * e[k].weight * x[e[k].node].w;
        }
        if (!(at.w > 0))
        {
            continue;
        }
        spVec3 place = spXyz(at), velocity = spXyz(rate);
        spHeldNode point = {&at, &rate, 0, 1 / at.w};
        spHoldRow(points[i].row, context, &point);
        spVec3 dx = spSub3(spXyz(at), place), dv = spSub3(spXyz(rate), velocity);
        for (int k = 0; k < points[i].count; ++k)
        {
            spReal share = e[k].weight * x[e[k].node].w / at.w;
            spAddToNode(x + e[k].node, share, dx);
            spAddToNode(v + e[k].node, share, dv);
        }
    }
}
