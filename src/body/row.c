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

uint64_t spMakePairKey(spRowLaw law, uint64_t first, uint64_t second)
{
    const uint64_t pair[] = {(uint64_t)law, first, second};
    return spHashBytes(SP_HASH_SEED, pair, sizeof(pair));
}

static void spMoveNode(spVec4* x, spVec4* v, spVec3 dx, spVec3 dv)
{
    *x = (spVec4){x->x + dx.x, x->y + dx.y, x->z + dx.z, x->w};
    *v = (spVec4){v->x + dv.x, v->y + dv.y, v->z + dv.z, 0};
}

static void spHoldContact(spRow* row, const spHoldContext* context, spReal mass, spVec4* x, spVec4* v)
{
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
    spMoveNode(x, v, dx, dv);
    row->gap += push;
    row->impulse = spMulAdd3(row->impulse, mass, dv);
}

// Impacts that one node may have in one substep
#define SP_MAX_IMPACTS 3

static void spBacktrackContact(spRow* row, const spHoldContext* context, spReal mass, spVec4* x, spVec4* v)
{
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
        spMoveNode(x, v, dx, dv);
        row->impulse = spMulAdd3(row->impulse, mass, dv);
        if (bounce == 0)
        {
            row->gap = 0;
            return;
        }
    }
}

static void spHoldAnchor(spRow* row, const spHoldContext* context, spReal mass, spVec4* x, spVec4* v)
{
    spVec3 anchor = spGetAnchor(row, context->poses, context->fraction);
    spReal h = context->h;
    spReal yield = x->w / (x->w + row->compliance / (h * h));
    spVec3 dx = spScale3(yield, spSub3(anchor, spXyz(*x)));
    spVec3 dv = spScale3(1 / h, dx);
    spReal force = mass * spLength3(dv) / h;
    if (row->maxForce > 0)
    {
        spReal share = spGetShare(force, row->maxForce);
        dx = spScale3(share, dx);
        dv = spScale3(share, dv);
    }
    spMoveNode(x, v, dx, dv);
    row->impulse = spMulAdd3(row->impulse, mass, dv);
}

void spHoldPatchRows(spBody* body, const spHoldContext* context, int patch)
{
    for (int i = body->patchRow[patch]; i < body->patchRow[patch + 1]; ++i)
    {
        spRow* row = body->rows + i;
        spVec4* x = body->x + row->a.node;
        spVec4* v = body->v + row->a.node;
        if (x->w == 0)
        {
            continue;
        }
        if (row->law == sp_rowContact && context->backtrack)
        {
            spBacktrackContact(row, context, body->mass[row->a.node], x, v);
        }
        else if (row->law == sp_rowContact)
        {
            spHoldContact(row, context, body->mass[row->a.node], x, v);
        }
        else
        {
            spHoldAnchor(row, context, body->mass[row->a.node], x, v);
        }
    }
}
