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

#include "math/quat.h"
#include "math/vec3.h"
#include "method/xpbd.h"

static spVec3 spGetSurfaceVelocity(const spPose* pose, spVec3 p)
{
    return spAdd3(pose->velocity, spCross3(pose->spin, spSub3(p, pose->transform.position)));
}

static spSurfaceHit spQueryRow(const spXpbdStep* s, const spNodeRow* row, spVec3 p)
{
    return spQueryShape(&s->hold.colliders[row->collider]->def, s->hold.poses[row->collider].transform, p);
}

void spStartPushes(const spXpbdStep* s)
{
    const spBody* body = s->body;
    for (int i = 0; i < body->rowCount; ++i)
    {
        const spNodeRow* row = body->rows + i;
        spRowPush* push = s->state->pushes + i;
        *push = (spRowPush){.impulse = row->impulse};
        if (row->law == sp_rowContact)
        {
            spVec3 p = spXyz(body->x[row->node]);
            spSurfaceHit hit = spQueryRow(s, row, p);
            spVec3 surface = spGetSurfaceVelocity(s->hold.poses + row->collider, p);
            spReal gap = hit.distance - s->hold.contactRadius;
            push->approach = spDot3(spSub3(spXyz(body->v[row->node]), surface), hit.normal);
            // Against what comes towards it a node goes as fast as that; from deep inside not faster than
            // this
            spReal least = gap + s->h * (SP_PUSH_SPEED + (push->approach < 0 ? -push->approach : 0));
            push->least = least < 0 ? least : 0;
        }
    }
}

static spRowLambda* spGetRowLambda(const spXpbdStep* s, int index)
{
    return (spRowLambda*)(s->state->lambda + s->state->rowBegin + SP_ROW_NUMBERS * (int64_t)index);
}

static spVec3 spProjectContact(const spXpbdStep* s, spNodeRow* row, const spRowPush* push,
                               spRowLambda* lambda, spVec3 p)
{
    spSurfaceHit hit = spQueryRow(s, row, p);
    row->normal = hit.normal;
    row->gap = hit.distance - s->hold.contactRadius;
    spReal more = push->least - row->gap;
    more = more < -lambda->normal ? -lambda->normal : more;
    lambda->normal += more;
    spVec3 dx = spScale3(more, hit.normal);

    // What slides is the way of the node in this substep against that of the surface below it
    spVec3 surface = spScale3(s->h, spGetSurfaceVelocity(s->hold.poses + row->collider, p));
    spVec3 way = spSub3(spSub3(p, spXyz(s->state->start[row->node])), surface);
    spVec3 slip = spMulSub3(way, spDot3(way, hit.normal), hit.normal);
    spVec3 wanted = spSub3(lambda->along, slip);
    spReal length = spLength3(wanted), most = row->friction * lambda->normal;
    if (length > most)
    {
        wanted = spScale3(length > 0 ? most / length : 0, wanted);
    }
    dx = spAdd3(dx, spSub3(wanted, lambda->along));
    lambda->along = wanted;
    row->gap += more;
    return dx;
}

static spVec3 spProjectHold(const spXpbdStep* s, const spNodeRow* row, spRowLambda* lambda, spVec3 p,
                            spReal w)
{
    spVec3 anchor = row->collider >= 0 ? spTransformPoint(s->hold.poses[row->collider].transform, row->anchor)
                                       : spMulAdd3(row->anchor, s->hold.fraction, row->anchorStep);
    spReal a = row->compliance / (s->h * s->h);
    spVec3 residual = spMulAdd3(spSub3(p, anchor), a, lambda->along);
    spVec3 now = spMulSub3(lambda->along, 1 / (w + a), residual);
    spReal most = row->maxForce * s->h * s->h, length = spLength3(now);
    if (row->maxForce > 0 && length > most)
    {
        now = spScale3(most / length, now);
    }
    spVec3 dx = spScale3(w, spSub3(now, lambda->along));
    lambda->along = now;
    return dx;
}

void spProjectPatchRows(const spXpbdStep* s, int patch)
{
    spBody* body = s->body;
    for (int i = body->patchRow[patch]; i < body->patchRow[patch + 1]; ++i)
    {
        spNodeRow* row = body->rows + i;
        spVec4* x = body->x + row->node;
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
    const spNodeRow* row = s->body->rows + index;
    const spReal* n = lambda + s->state->rowBegin + SP_ROW_NUMBERS * (int64_t)index;
    spVec3 along = {n[1], n[2], n[3]};
    return row->law == sp_rowHold ? spScale3(s->body->x[row->node].w, along)
                                  : spMulAdd3(along, n[0], row->normal);
}

void spFinishPushes(const spXpbdStep* s)
{
    spBody* body = s->body;
    for (int i = 0; i < body->rowCount; ++i)
    {
        spNodeRow* row = body->rows + i;
        spVec3 way = spGetPush(s, s->state->lambda, i);
        spVec4* predicted = s->state->predicted + row->node;
        *predicted = (spVec4){predicted->x + way.x, predicted->y + way.y, predicted->z + way.z, predicted->w};
        const spRowPush* push = s->state->pushes + i;
        const spRowLambda* lambda = spGetRowLambda(s, i);
        spVec4* v = body->v + row->node;
        spReal mass = body->mass[row->node];
        if (row->law == sp_rowHold)
        {
            row->impulse = spMulAdd3(row->impulse, 1 / s->h, lambda->along);
        }
        else if (lambda->normal > 0 && body->x[row->node].w > 0)
        {
            spVec3 surface = spGetSurfaceVelocity(s->hold.poses + row->collider, spXyz(body->x[row->node]));
            spReal vn = spDot3(spSub3(spXyz(*v), surface), row->normal);
            bool bounces = push->approach < -s->hold.restitutionThreshold;
            spReal dv = (bounces ? -row->restitution * push->approach : 0) - vn;
            *v = (spVec4){v->x + dv * row->normal.x, v->y + dv * row->normal.y, v->z + dv * row->normal.z, 0};
            row->impulse = spMulAdd3(row->impulse, mass / s->h, way);
            row->impulse = spMulAdd3(row->impulse, mass * dv, row->normal);
        }
    }
}
