// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows of a rigid body, as two problems over its 6x6 compliance, each by block Gauss-Seidel.
//
//   displacement   where contacts and holds let the body go in h. Gaps are those of the trial that knows no
//                  rows; what is inside comes out at a limited speed, and leaves no velocity behind
//   motion         velocities at the end: contacts that were reached stop, or bounce with the speed that the node
//                  had on its way through the surface; rigid holds move with their anchors
//
// Both begin with what rows exerted last, and with the rows that did. Contacts exert what the second problem
// says, holds what both say.

#include "method/rigid.h"

#include "body/contact_law.h"

#include <math.h>

#define SP_MAX_SWEEPS 2000

// The last sweep changes no velocity by more than this share of the largest one: rounding, so that what rests
// does not creep. Where that takes many sweeps, as for faces that slide, the second is enough; ten times as
// much is told.
static const double s_fineTolerance = sizeof(spReal) == sizeof(float) ? 4e-7 : 1e-11;
#define SP_FINE_SWEEPS 40
#define SP_ROW_TOLERANCE 1e-5

// Yield over that of the centre below which a node cannot be moved, and softness of a hold where it cannot
#define SP_LEAST_YIELD 1e-7
#define SP_HOLD_SOFTNESS 1e-6

// Normals of the start and of the trial that belong to one surface
#define SP_SAME_NORMAL ((spReal)0.9)

static spVec3 spNarrow(const double a[3])
{
    return (spVec3){(spReal)a[0], (spReal)a[1], (spReal)a[2]};
}

static void spWiden(double to[3], spVec3 a)
{
    to[0] = (double)a.x;
    to[1] = (double)a.y;
    to[2] = (double)a.z;
}

static spVec3 spGetPlace(const spRigidState* state, const double arm[3])
{
    const double* c = state->centre;
    const double p[3] = {c[0] + arm[0], c[1] + arm[1], c[2] + arm[2]};
    return spNarrow(p);
}

static spVec3 spGetVelocityAt(const double u[6], const double arm[3])
{
    double v[3];
    spGetArmVelocity(u, arm, v);
    return spNarrow(v);
}

static spSurfaceHit spHitAt(const spRigidStep* s, const spRow* row, spVec3 p)
{
    const spPose* pose = s->context->poses + row->b.slot;
    return spFindGap(s->context->colliders[row->b.slot], pose, s->body->contactRadius, p, &row->from);
}

// ---- displacement ----

static void spStartMove(const spRigidStep* s, spRow* row, spRigidRow* r, const double u[6], spVec3 trial)
{
    spReal h = (spReal)s->h;
    const spPose* pose = s->context->poses + row->b.slot;
    spVec3 p = spGetPlace(&s->rigid->now, r->arm), v = spGetVelocityAt(u, r->arm);
    spVec3 surface = spGetSurfaceVelocity(pose, p);
    spSurfaceHit first = spHitAt(s, row, p), hit = spHitAt(s, row, trial);
    if (!(spDot3(first.normal, hit.normal) > SP_SAME_NORMAL))
    {
        // Past an edge, or out of the other side: the surface that it came from counts
        hit = first;
        hit.distance += h * spDot3(first.normal, v);
    }
    spReal vn = spDot3(hit.normal, v), rate = vn - spDot3(hit.normal, surface);
    spReal reach = spGetPushReach(rate, h), gap = hit.distance > -reach ? hit.distance : -reach;
    row->normal = hit.normal;
    row->gap = hit.distance;
    spWiden(r->target, spMulAdd3(spGetTangent(surface, hit.normal), vn - gap / h, hit.normal));
    // Speed at the surface: what the way to it adds to the square of that at the start
    spVec3 before = spSub3(spGetVelocityAt(s->start, r->arm), surface);
    spReal speed = spDot3(before, hit.normal), more = (rate - speed) / (spReal)(s->share * s->h);
    spReal square = speed * speed - 2 * more * (first.distance > 0 ? first.distance : 0);
    r->impact = square > 0 && rate < 0 ? -(spReal)sqrt((double)square) : 0;
    spReal yield = spDot3(hit.normal, spMulMV3(r->w, hit.normal));
    r->active = (double)yield * s->rigid->mass.mass > SP_LEAST_YIELD;
}

static void spStartHold(const spRigidStep* s, const spRow* row, spRigidRow* r, const double u[6],
                        spVec3 trial)
{
    spReal h = (spReal)s->h, least = (spReal)(SP_HOLD_SOFTNESS / s->rigid->mass.mass);
    spVec3 anchor = spGetAnchor(row, s->context->poses, s->fraction);
    spVec3 v = spGetVelocityAt(u, r->arm);
    spWiden(r->target, spMulSub3(v, 1 / h, spSub3(trial, anchor)));
    spReal soft = row->compliance / (h * h);
    r->soft = soft > least ? soft : least;
    r->most = row->maxForce * h;
    r->active = true;
}

static void spStartRow(const spRigidStep* s, int index, const double u[6], const spRigidState* trial,
                       const double trialRotation[9])
{
    spRow* row = s->body->rows + index;
    spRigidRow* r = s->rigid->rows + index;
    double arm[3];
    *r = (spRigidRow){0};
    spMultiplier last = spFindMultiplier(&s->body->multipliers, row->key);
    row->age = last.age;
    if (s->body->roles[row->a.node] != sp_nodeFree)
    {
        return;
    }
    spGetArm(s->rigid, s->yield.rotation, row->a.node, r->arm);
    spGetArm(s->rigid, trialRotation, row->a.node, arm);
    r->w = spGetYieldAt(&s->yield, r->arm, 1.0, r->arm, 1.0);
    r->total = spScale3((spReal)(s->share * s->h), last.force);
    if (row->law == sp_rowContact)
    {
        spStartMove(s, row, r, u, spGetPlace(trial, arm));
    }
    else
    {
        spStartHold(s, row, r, u, spGetPlace(trial, arm));
    }
}

// ---- Gauss-Seidel ----

static void spPushRigid(const spRigidStep* s, const spRigidRow* r, spVec3 impulse, double u[6])
{
    double p[3];
    spWiden(p, impulse);
    spAddYield(&s->yield, r->arm, 1.0, p, u);
}

static spVec3 spSolveRow(const spRow* row, const spRigidRow* r, const double u[6])
{
    double v[3];
    spGetArmVelocity(u, r->arm, v);
    spVec3 rate = {(spReal)(v[0] - r->target[0]), (spReal)(v[1] - r->target[1]),
                   (spReal)(v[2] - r->target[2])};
    if (row->law == sp_rowContact)
    {
        return spSolveContact(r->total, rate, r->w, row->normal, row->friction);
    }
    spVec3 change = spSolveHoldBlock(r->total, rate, r->w, r->soft);
    return r->most > 0 ? spSub3(spLimitLength(spAdd3(r->total, change), r->most), r->total) : change;
}

// Sweeps over the working rows, back and forth, until they are solved. Returns the change of the last one.
static double spSweepWorking(spRigidStep* s, double u[6], double* largest, int* sweeps)
{
    int count = s->body->rowCount;
    double change = 0.0;
    for (int sweep = 0; *sweeps < SP_MAX_SWEEPS; ++sweep)
    {
        change = 0.0;
        for (int k = 0; k < count; ++k)
        {
            int index = sweep % 2 == 0 ? k : count - 1 - k;
            spRigidRow* r = s->rigid->rows + index;
            if (r->working)
            {
                spVec3 more = spSolveRow(s->body->rows + index, r, u);
                r->total = spAdd3(r->total, more);
                spPushRigid(s, r, more, u);
                change = fmax(change, (double)spLength3(spMulMV3(r->w, more)));
            }
        }
        *largest = fmax(*largest, change);
        *sweeps += 1;
        if (!(change > (sweep < SP_FINE_SWEEPS ? s_fineTolerance : SP_ROW_TOLERANCE) * *largest))
        {
            break;
        }
    }
    return change;
}

// The speed at which the worst of the other contacts goes inside; -1 when there is none
static int spFindWorst(const spRigidStep* s, const double u[6], double* speed)
{
    int worst = -1;
    *speed = 0.0;
    for (int k = 0; k < s->body->rowCount; ++k)
    {
        const spRigidRow* r = s->rigid->rows + k;
        if (r->active && r->working == false)
        {
            spVec3 n = s->body->rows[k].normal;
            double v[3];
            spGetArmVelocity(u, r->arm, v);
            double in = (double)n.x * (r->target[0] - v[0]) + (double)n.y * (r->target[1] - v[1]) +
                        (double)n.z * (r->target[2] - v[2]);
            worst = in > *speed ? k : worst;
            *speed = fmax(*speed, in);
        }
    }
    return worst;
}

// A body has six directions: of the hundreds of contacts of a face a few are enough. Rows that work are
// solved by block Gauss-Seidel; the worst of the others joins them, until none is left.
static void spSolveWorking(spRigidStep* s, double u[6])
{
    double change = 0.0, largest = 0.0, worst = 0.0;
    int sweeps = 0;
    for (int k = 0; k < s->body->rowCount; ++k)
    {
        spRigidRow* r = s->rigid->rows + k;
        r->working = r->active && (s->body->rows[k].law == sp_rowHold || spLengthSquared3(r->total) > 0);
        if (r->working)
        {
            spPushRigid(s, r, r->total, u);
            largest = fmax(largest, (double)spLength3(spMulMV3(r->w, r->total)));
        }
    }
    for (int round = 0; round <= s->body->rowCount; ++round)
    {
        change = spSweepWorking(s, u, &largest, &sweeps);
        int next = spFindWorst(s, u, &worst);
        largest = fmax(largest, worst);
        if (next < 0 || !(worst > s_fineTolerance * largest) || sweeps >= SP_MAX_SWEEPS)
        {
            break;
        }
        s->rigid->rows[next].working = true;
    }
    s->sweeps += sweeps;
    s->unsolved = s->unsolved || fmax(change, worst) > 10.0 * SP_ROW_TOLERANCE * largest;
}

void spSolveRigidMove(spRigidStep* s, double u[6], double held[6])
{
    spRigidState trial = s->rigid->now;
    double rotation[9];
    spMoveRigid(&s->rigid->mass, &trial, u, trial.momentum, s->h);
    spMatrixFromTurn(rotation, trial.turn);
    for (int k = 0; k < s->body->rowCount; ++k)
    {
        spStartRow(s, k, u, &trial, rotation);
    }
    spSolveWorking(s, u);
    for (int k = 0; k < s->body->rowCount; ++k)
    {
        const spRow* row = s->body->rows + k;
        spRigidRow* r = s->rigid->rows + k;
        r->moved = r->active ? r->total : (spVec3){0, 0, 0};
        if (row->law == sp_rowHold && r->active)
        {
            spPushRigid(s, r, r->moved, held);
        }
    }
}

// ---- motion ----

static void spStartStop(const spRigidStep* s, spRow* row, spRigidRow* r, spVec3 p)
{
    const spPose* pose = s->context->poses + row->b.slot;
    spSurfaceHit hit = spHitAt(s, row, p);
    row->normal = hit.normal;
    row->gap = hit.distance;
    bool reached =
        spDot3(r->moved, hit.normal) > 0 || row->gap <= spGetGapRounding(p, s->body->contactRadius);
    spReal bounce =
        reached ? spGetBounceSpeed(r->impact, row->restitution, s->context->restitutionThreshold) : 0;
    r->bounces = bounce > 0;
    r->total = spScale3((spReal)s->h, spFindMultiplier(&s->body->multipliers, row->key).force);
    r->active = r->active && reached;
    spWiden(r->target, spMulAdd3(spGetSurfaceVelocity(pose, p), bounce, hit.normal));
}

static void spStartFollow(const spRigidStep* s, const spRow* row, spRigidRow* r)
{
    spVec3 anchor = spGetAnchor(row, s->context->poses, s->fraction);
    spVec3 v = row->b.slot >= 0 ? spGetSurfaceVelocity(s->context->poses + row->b.slot, anchor)
                                : spScale3(1 / s->context->stepDt, row->anchorStep);
    r->total = (spVec3){0, 0, 0};
    r->soft = (spReal)(SP_HOLD_SOFTNESS / s->rigid->mass.mass);
    // A hold that gives way to forces gives way to velocities
    r->active = r->active && row->compliance == 0 && row->maxForce == 0;
    spWiden(r->target, v);
}

// What rows exert, for whoever reads it and for the next solve
static void spTellRow(spRigidStep* s, spRow* row, const spRigidRow* r)
{
    spVec3 stop = r->active ? r->total : (spVec3){0, 0, 0};
    spVec3 impulse = row->law == sp_rowHold ? spAdd3(r->moved, stop) : stop;
    double p[3];
    spWiden(p, impulse);
    spAddAt(s->given, r->arm, 1.0, p);
    row->impulse = spAdd3(row->impulse, impulse);
    spVec3 force = spScale3((spReal)(1.0 / s->h), r->bounces ? (spVec3){0, 0, 0} : impulse);
    if (spLengthSquared3(force) > 0 && spIsFinite3(force))
    {
        spMultipliers* list = &s->body->multipliers;
        int32_t age = row->age < INT32_MAX / 2 ? row->age + 1 : row->age;
        list->entries[list->count++] = (spMultiplier){.key = row->key, .force = force, .age = age};
    }
}

bool spSolveRigidMotion(spRigidStep* s, double u[6])
{
    spBody* body = s->body;
    bool acts = false;
    for (int k = 0; k < body->rowCount; ++k)
    {
        spRow* row = body->rows + k;
        spRigidRow* r = s->rigid->rows + k;
        if (r->active)
        {
            spGetArm(s->rigid, s->yield.rotation, row->a.node, r->arm);
            r->w = spGetYieldAt(&s->yield, r->arm, 1.0, r->arm, 1.0);
            if (row->law == sp_rowContact)
            {
                spStartStop(s, row, r, spGetPlace(&s->rigid->now, r->arm));
            }
            else
            {
                spStartFollow(s, row, r);
            }
        }
    }
    spSolveWorking(s, u);
    body->multipliers.count = 0;
    for (int k = 0; k < body->rowCount; ++k)
    {
        acts = acts || s->rigid->rows[k].active;
        spTellRow(s, body->rows + k, s->rigid->rows + k);
    }
    spSortMultipliers(&body->multipliers);
    return acts;
}
