// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Node rows inside the sweeps. Each has a multiplier that only grows as far as it is needed: what was pushed
// too far in one sweep is taken back in the next.
//
//   contact   normal: gap >= 0 with a push >= 0; friction: what slides against the surface in this substep is
//             taken back, at most mu times the push along the normal
//   hold      x at the anchor, with compliance and a largest force
//
// At the end velocities follow from positions. What a contact has pushed leaves the surface with the speed
// that restitution gives it, no matter how deep it was.

#include "body/contact_law.h"
#include "method/xpbd.h"

static spSurfaceHit spQueryRow(const spXpbdStep* s, const spRow* row, spVec3 p)
{
    const spHoldContext* c = &s->hold;
    return spFindGap(c->colliders[row->b.slot], c->poses + row->b.slot, c->contactRadius, p, &row->from);
}

void spStartPushes(const spXpbdStep* s)
{
    const spBody* body = s->body;
    for (int i = 0; i < body->rowCount; ++i)
    {
        const spRow* row = body->rows + i;
        spRowPush* push = s->state->pushes + i;
        *push = (spRowPush){.impulse = row->impulse};
        if (row->law == sp_rowContact)
        {
            spVec3 p = spXyz(body->x[row->a.node]);
            spSurfaceHit hit = spQueryRow(s, row, p);
            spVec3 surface = spGetSurfaceVelocity(s->hold.poses + row->b.slot, p);
            push->approach = spDot3(spSub3(spXyz(body->v[row->a.node]), surface), hit.normal);
            // Against what comes towards it a node goes as fast as that; from deep inside not faster than
            // this
            spReal least = hit.distance + spGetPushReach(push->approach, s->h);
            push->least = least < 0 ? least : 0;
        }
    }
}

static spRowLambda* spGetRowLambda(const spXpbdStep* s, int index)
{
    return (spRowLambda*)(s->state->lambda + s->state->rowBegin + SP_ROW_NUMBERS * (int64_t)index);
}

static spVec3 spProjectContact(const spXpbdStep* s, spRow* row, const spRowPush* push, spRowLambda* lambda,
                               spVec3 p)
{
    spSurfaceHit hit = spQueryRow(s, row, p);
    row->normal = hit.normal;
    row->gap = hit.distance;
    spReal more = spSolveNormal(lambda->normal, row->gap - push->least, 1);
    lambda->normal += more;
    spVec3 dx = spScale3(more, hit.normal);

    // What slides is the way of the node in this substep against that of the surface below it
    spVec3 surface = spScale3(s->h, spGetSurfaceVelocity(s->hold.poses + row->b.slot, p));
    spVec3 way = spSub3(spSub3(p, spXyz(s->state->start[row->a.node])), surface);
    spVec3 slip = spGetTangent(way, hit.normal);
    spVec3 along = spSolveFriction(lambda->along, slip, 1, row->friction * lambda->normal);
    dx = spAdd3(dx, spSub3(along, lambda->along));
    lambda->along = along;
    row->gap += more;
    return dx;
}

static spVec3 spProjectHold(const spXpbdStep* s, const spRow* row, spRowLambda* lambda, spVec3 p, spReal w)
{
    spVec3 anchor = spGetAnchor(row, s->hold.poses, s->hold.fraction);
    spVec3 now = spSolveHold(lambda->along, spSub3(p, anchor), w, row->compliance / (s->h * s->h));
    now = row->maxForce > 0 ? spLimitLength(now, row->maxForce * s->h * s->h) : now;
    spVec3 dx = spScale3(w, spSub3(now, lambda->along));
    lambda->along = now;
    return dx;
}

void spProjectPatchRows(const spXpbdStep* s, int patch)
{
    spBody* body = s->body;
    for (int i = body->patchRow[patch]; i < body->patchRow[patch + 1]; ++i)
    {
        spRow* row = body->rows + i;
        spVec4* x = body->x + row->a.node;
        if (x->w > 0)
        {
            spRowLambda* lambda = spGetRowLambda(s, i);
            spVec3 dx = row->law == sp_rowContact
                            ? spProjectContact(s, row, s->state->pushes + i, lambda, spXyz(*x))
                            : spProjectHold(s, row, lambda, spXyz(*x), x->w);
            *x = (spVec4){x->x + dx.x, x->y + dx.y, x->z + dx.z, x->w};
        }
    }
}

spVec3 spGetPush(const spXpbdStep* s, const spReal* lambda, int index)
{
    const spRow* row = s->body->rows + index;
    const spReal* n = lambda + s->state->rowBegin + SP_ROW_NUMBERS * (int64_t)index;
    spVec3 along = {n[1], n[2], n[3]};
    return row->law == sp_rowHold ? spScale3(s->body->x[row->a.node].w, along)
                                  : spMulAdd3(along, n[0], row->normal);
}

void spFinishPushes(const spXpbdStep* s)
{
    spBody* body = s->body;
    for (int i = 0; i < body->rowCount; ++i)
    {
        spRow* row = body->rows + i;
        spVec3 way = spGetPush(s, s->state->lambda, i);
        spVec4* predicted = s->state->predicted + row->a.node;
        *predicted = (spVec4){predicted->x + way.x, predicted->y + way.y, predicted->z + way.z, predicted->w};
        const spRowPush* push = s->state->pushes + i;
        const spRowLambda* lambda = spGetRowLambda(s, i);
        spVec4* v = body->v + row->a.node;
        spReal mass = body->mass[row->a.node];
        if (row->law == sp_rowHold)
        {
            row->impulse = spMulAdd3(row->impulse, 1 / s->h, lambda->along);
        }
        else if (lambda->normal > 0 && body->x[row->a.node].w > 0)
        {
            spVec3 surface = spGetSurfaceVelocity(s->hold.poses + row->b.slot, spXyz(body->x[row->a.node]));
            spReal vn = spDot3(spSub3(spXyz(*v), surface), row->normal);
            spReal dv = spGetBounceSpeed(push->approach, row->restitution, s->hold.restitutionThreshold) - vn;
            *v = (spVec4){v->x + dv * row->normal.x, v->y + dv * row->normal.y, v->z + dv * row->normal.z, 0};
            row->impulse = spMulAdd3(row->impulse, mass / s->h, way);
            row->impulse = spMulAdd3(row->impulse, mass * dv, row->normal);
        }
    }
}
