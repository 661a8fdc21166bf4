// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Node rows inside an implicit step: a set of active rows is guessed, solved with, and checked, a few times.
//
//   contact   active when the node would end inside: its normal velocity is then given, such that it ends on
//             the surface. It opens when that takes a pull. With friction it first sticks, unless its multiplier
//             says that it slid before, or friction could not stop it; when to stick takes more than friction can
//             give, it slides with as much as it can. In a static step it is a spring (static_rows.c).
//   hold      rigid: the velocity that leads to the anchor; with compliance: a spring, in the matrix. When it
//             takes more than the most that it may give, it gives just that.
//
// Which constraint exerts what is A dv - b at its node.

#include "method/implicit_substep.h"

#include "body/contact_law.h"

#include <math.h>
#include <string.h>

// Change of friction between two rounds that counts
#define SP_FRICTION_CHANGE ((spReal)0.05)

// A contact looks ahead to where its node slides when the normal turns by no more than this on the way, rad
#define SP_MOST_TURN ((spReal)0.1)

// A neighbour lies below a node when the way to it goes down by more than this share of its length
#define SP_SHIELD_SLOPE ((spReal)0.5)

static spVec3 spGetRowAnchor(const spSubstep* s, const spRow* row)
{
    return spGetAnchor(row, s->problem->poses, s->problem->fraction);
}

spSurfaceHit spFindRowGap(const spSubstep* s, const spRow* row, spVec3 p)
{
    const spSubstepProblem* problem = s->problem;
    const spPose* pose = problem->poses + row->b.slot;
    return spFindGap(problem->colliders[row->b.slot], pose, s->body->contactRadius, p, &row->from);
}

// A row that sticks, unless it slid when it was last solved, which its multiplier on the rim of the cone says,
// and still slips against that friction: then it slides on with it
static void spStartFriction(const spSubstep* s, const spRow* row, spRowSolve* r, spVec3 slip)
{
    spVec3 force = spFindMultiplier(s->problem->multipliers, row->key).force;
    spReal pressed = spDot3(row->normal, force);
    spVec3 side = spGetTangent(force, row->normal);
    bool slides = pressed > 0 && spDot3(slip, side) < 0 &&
                  spLength3(side) >= (1 - SP_FRICTION_CHANGE) * row->friction * pressed;
    r->status = slides || row->friction <= 0 ? sp_statusSlide : sp_statusStick;
    r->impulse = slides ? spScale3(s->effectiveStep, side) : (spVec3){0, 0, 0};
}

// As part of the active set: whether the node would end inside
static void spGuessContact(const spSubstep* s, const spRow* row, spRowSolve* r)
{
    spVec3 v = spXyz(s->v[row->a.node]);
    spReal fall = s->h * spDot3(row->normal, s->force.gravity);
    if (spDot3(row->normal, v) + (fall < 0 ? fall : 0) < spDot3(row->normal, r->velocity))
    {
        spStartFriction(s, row, r, spGetTangent(spSub3(v, r->velocity), row->normal));
    }
}

// Begins with what it exerted in the last substep
static void spStartLaw(const spSubstep* s, const spRow* row, spRowSolve* r)
{
    spVec3 force = spFindMultiplier(s->problem->multipliers, row->key).force;
    spReal pressed = spDot3(row->normal, force);
    r->status = sp_statusLaw;
    r->impulse = pressed > 0 ? spScale3(s->effectiveStep, force) : (spVec3){0, 0, 0};
}

bool spHasLastingContact(const spSubstep* s)
{
    bool lasts = false;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        lasts = lasts || (row->law == sp_rowContact &&
                          spFindMultiplier(s->problem->multipliers, row->key).age > SP_LASTING);
    }
    return lasts;
}

bool spEnterLaw(spSubstep* s)
{
    spWorkLimit* limit = &s->solver->limit;
    if (spHasLastingContact(s) == false)
    {
        return false;
    }
    bool truncated = limit->truncated;
    limit->truncated = false;
    s->byLaw = spCanSolveByLaw(s);
    limit->truncated = truncated && s->byLaw == false;
    // What was tried in vain does not count
    s->workBefore = spGetWork(s);
    for (int i = 0; i < s->problem->rowCount && s->byLaw; ++i)
    {
        const spRow* row = s->problem->rows + i;
        if (row->law == sp_rowContact && s->x[row->a.node].w > 0)
        {
            spStartLaw(s, row, s->solver->rowSolves + i);
        }
    }
    return s->byLaw;
}

void spLeaveLaw(spSubstep* s)
{
    s->byLaw = false;
    s->solver->limit.truncated = s->solver->limit.iterations > 0;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        spRowSolve* r = s->solver->rowSolves + i;
        if (r->status == sp_statusLaw)
        {
            r->status = sp_statusOpen;
            r->impulse = (spVec3){0, 0, 0};
            spGuessContact(s, s->problem->rows + i, r);
        }
    }
}

// Where the surface curves, what a contact asks for is that of the place where its node goes along it: with the normal
// of where it begins, what friction exerts would lag behind, and draw to the side. Past an edge that place says nothing.
static spSurfaceHit spFindHitAhead(const spSubstep* s, const spRow* row, spSurfaceHit hit, spVec3* p)
{
    spVec3 v = spXyz(s->v[row->a.node]);
    spVec3 ahead = spMulAdd3(*p, s->effectiveStep, spGetTangent(v, hit.normal));
    spSurfaceHit there = spFindRowGap(s, row, ahead);
    spReal turned = spLengthSquared3(spSub3(there.normal, hit.normal));
    if (!(turned > 0 && turned < SP_MOST_TURN * SP_MOST_TURN))
    {
        return hit;
    }
    *p = ahead;
    return there;
}

static void spStartContact(spSubstep* s, spRow* row, spRowSolve* r)
{
    const spPose* pose = s->problem->poses + row->b.slot;
    spVec3 p = spXyz(s->x[row->a.node]), v = spXyz(s->v[row->a.node]);
    spVec3 base = spXyz(s->solver->baseX[row->a.node]);
    spSurfaceHit hit = spFindRowGap(s, row, p);
    row->normal = hit.normal;
    row->gap = hit.distance;
    spVec3 surface = spGetSurfaceVelocity(pose, p);
    hit = spFindHitAhead(s, row, hit, &p);
    row->normal = hit.normal;
    // The velocity along the normal at which it ends on the surface
    spReal least = (-hit.distance - spDot3(hit.normal, spSub3(base, p))) / s->effectiveStep;
    spReal along = spDot3(hit.normal, surface), vn = spDot3(hit.normal, v) - along;
    spReal out = least - along;
    r->push = 0;
    if (row->gap < 0)
    {
        r->push = out < SP_PUSH_SPEED ? (out > 0 ? out : 0) : SP_PUSH_SPEED;
        least = along + r->push;
    }
    spReal bounce = spGetBounceSpeed(vn, row->restitution, s->problem->restitutionThreshold);
    if (bounce > 0 && along + bounce > least)
    {
        least = along + bounce;
        r->push = 0;
    }
    r->velocity = spMulAdd3(surface, least - along, hit.normal);
    if (s->byLaw)
    {
        spStartLaw(s, row, r);
        return;
    }
    spGuessContact(s, row, r);
}

void spStartRows(spSubstep* s)
{
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        spRow* row = s->problem->rows + i;
        spRowSolve* r = s->solver->rowSolves + i;
        *r = (spRowSolve){0};
        row->age = spFindMultiplier(s->problem->multipliers, row->key).age;
        // Contacts of a static step are not part of the active set
        if (s->x[row->a.node].w == 0 || (row->law == sp_rowContact && s->isStatic))
        {
            continue;
        }
        if (row->law == sp_rowContact)
        {
            spStartContact(s, row, r);
            continue;
        }
        spVec3 base = spXyz(s->solver->baseX[row->a.node]);
        r->status = row->compliance > 0 ? sp_statusSoft : sp_statusStick;
        r->velocity = spScale3(1 / s->effectiveStep, spSub3(spGetRowAnchor(s, row), base));
    }
    if (s->isStatic)
    {
        spStartPenalties(s);
    }
}

void spAddRowStiffness(spSubstep* s)
{
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        if (s->solver->rowSolves[i].status == sp_statusSoft)
        {
            const spRow* row = s->problem->rows + i;
            spAddToOwn(&s->solver->system, row->a.node, s->fill.stiffness / row->compliance);
        }
    }
    spAddPenaltyStiffness(s);
}

// The pull of a soft hold on a node of this velocity, over the step, N s
static spVec3 spGetSoftImpulse(const spSubstep* s, const spRow* row, spVec3 v)
{
    spVec3 end = spMulAdd3(spXyz(s->solver->baseX[row->a.node]), s->effectiveStep, v);
    return spScale3(s->effectiveStep / row->compliance, spSub3(spGetRowAnchor(s, row), end));
}

void spAddRowImpulses(const spSubstep* s, spVec4* b)
{
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        const spRowSolve* r = s->solver->rowSolves + i;
        spVec3 v = spXyz(s->v[row->a.node]);
        spVec3 impulse = r->status == sp_statusSoft      ? spGetSoftImpulse(s, row, v)
                         : r->status == sp_statusPenalty ? spGetPenaltyForce(s, i, s->v)
                                                         : r->impulse;
        if (r->status != sp_statusOpen && r->status != sp_statusStick)
        {
            b[row->a.node].x += impulse.x;
            b[row->a.node].y += impulse.y;
            b[row->a.node].z += impulse.z;
        }
    }
}

static void spConstrain(spSubstep* s, int node, bool all, spVec3 normal, spVec3 velocity, int* count)
{
    spImplicitSolver* solver = s->solver;
    int32_t* place = solver->constraintOf + node;
    if (*place < 0)
    {
        *place = (*count)++;
        solver->constraints[*place] = (spConstraint){.node = node, .all = all, .normal = normal};
        solver->constraintV[*place] = velocity;
        return;
    }
    spConstraint* c = solver->constraints + *place;
    if (c->all == false && all == false && spDot3(c->normal, normal) < (spReal)0.999)
    {
        // Two surfaces: the velocity that suits both, by turns
        spVec3 v = solver->constraintV[*place], first = v;
        for (int i = 0; i < 4; ++i)
        {
            v = spMulAdd3(v, spDot3(normal, spSub3(velocity, v)), normal);
            v = spMulAdd3(v, spDot3(c->normal, spSub3(first, v)), c->normal);
        }
        solver->constraintV[*place] = v;
        c->all = true;
    }
    else if (c->all == false && all)
    {
        c->all = true;
        solver->constraintV[*place] = velocity;
    }
}

void spBuildConstraints(spSubstep* s)
{
    spBody* body = s->body;
    spImplicitSolver* solver = s->solver;
    memset(solver->constraintOf, -1, (size_t)body->nodeCount * sizeof(int32_t));
    int count = 0, held = 0;
    for (int patch = 0; patch < body->order.patchCount; ++patch)
    {
        solver->patchConstraint[patch] = count;
        for (; held < body->heldCount && body->held[held] < body->order.patchBegin[patch + 1]; ++held)
        {
            spVec4 v;
            body->backend->gather(&v, s->v, body->held + held, 1);
            spConstrain(s, body->held[held], true, (spVec3){0, 0, 0}, spXyz(v), &count);
        }
        for (int i = s->problem->rowCount > 0 ? s->problem->patchRow[patch] : 0;
             s->problem->rowCount > 0 && i < s->problem->patchRow[patch + 1]; ++i)
        {
            const spRowSolve* r = solver->rowSolves + i;
            if (r->status == sp_statusSlide || r->status == sp_statusStick)
            {
                const spRow* row = s->problem->rows + i;
                spConstrain(s, row->a.node, r->status == sp_statusStick, row->normal, r->velocity, &count);
            }
        }
    }
    solver->patchConstraint[body->order.patchCount] = count;
    s->prescribed =
        body->backend->prescribe(solver->cg.x, s->v, solver->constraints, solver->constraintV, count);
}

// What the constraint of a node exerts, N s
static spVec3 spGetReaction(const spSubstep* s, int node)
{
    int place = s->solver->constraintOf[node];
    return place < 0 ? (spVec3){0, 0, 0} : spSub3(s->solver->rawProduct[place], s->solver->rawB[place]);
}

// Sliding: as much friction as the normal impulse allows, against the slip
static bool spUpdateFriction(spRowSolve* r, const spRow* row, spReal pressed, spVec3 against)
{
    spReal length = spLength3(against);
    spVec3 impulse = length > 0 ? spScale3(row->friction * pressed / length, against) : (spVec3){0, 0, 0};
    bool changed = spDistance3(impulse, r->impulse) > SP_FRICTION_CHANGE * row->friction * pressed;
    r->impulse = impulse;
    return changed;
}

static bool spCheckContact(spSubstep* s, const spRow* row, spRowSolve* r)
{
    spVec3 n = row->normal;
    spVec3 v = spXyz(s->v[row->a.node]);
    if (r->status == sp_statusOpen)
    {
        // Inside at the end by more than rounding?
        spVec3 p = spXyz(s->x[row->a.node]);
        spReal gap = spFindRowGap(s, row, p).distance;
        if (gap >= -spGetGapRounding(p, s->body->contactRadius) || s->phase == sp_phaseRelease ||
            (s->phase == sp_phaseLayers && r->shielded))
        {
            return false;
        }
        // Whether friction of the push that it takes out could stop the node
        spVec3 slip = spGetTangent(spSub3(v, r->velocity), n);
        bool sticks = spLength3(slip) * s->effectiveStep <= row->friction * -gap;
        r->status = sticks && r->slid == false && row->friction > 0 ? sp_statusStick : sp_statusSlide;
        return true;
    }
    spVec3 reaction = spGetReaction(s, row->a.node);
    spReal pressed = spDot3(n, reaction);
    if (pressed < 0)
    {
        r->status = sp_statusOpen;
        r->impulse = (spVec3){0, 0, 0};
        return true;
    }
    if (r->status == sp_statusStick)
    {
        spVec3 side = spMulSub3(reaction, pressed, n);
        if (spLength3(side) <= row->friction * pressed)
        {
            return false;
        }
        r->status = sp_statusSlide;
        r->slid = true;
        spUpdateFriction(r, row, pressed, side);
        return true;
    }
    if (row->friction <= 0)
    {
        return false;
    }
    spVec3 slip = spSub3(v, r->velocity);
    slip = spGetTangent(slip, n);
    // Friction that turns the slip round is too much: the row sticks, or, where it did not, half of it is enough
    if (spDot3(slip, r->impulse) > 0)
    {
        if (r->slid == false)
        {
            r->status = sp_statusStick;
            r->impulse = (spVec3){0, 0, 0};
            return true;
        }
        r->impulse = spScale3((spReal)0.5, r->impulse);
        return true;
    }
    return spUpdateFriction(r, row, pressed, spNeg3(slip));
}

static bool spCheckHold(spSubstep* s, const spRow* row, spRowSolve* r)
{
    if (row->maxForce <= 0 || r->status == sp_statusForce || r->status == sp_statusOpen)
    {
        return false;
    }
    spVec3 v = spXyz(s->v[row->a.node]);
    spVec3 pull = r->status == sp_statusSoft ? spGetSoftImpulse(s, row, v) : spGetReaction(s, row->a.node);
    spReal most = row->maxForce * s->effectiveStep, length = spLength3(pull);
    if (length <= most)
    {
        return false;
    }
    if (r->status == sp_statusSoft)
    {
        spAddToOwn(&s->solver->system, row->a.node, -s->fill.stiffness / row->compliance);
    }
    r->status = sp_statusForce;
    r->impulse = spScale3(most / length, pull);
    return true;
}

// Where a body goes deep, all of its nodes do: to bring them all to the surface would squash it. What lies
// behind others, along the normal at the start, is taken in after them. cg.d and cg.z are used.
static void spMarkShielded(spSubstep* s)
{
    spBody* body = s->body;
    spImplicitSolver* solver = s->solver;
    spVec4 *ends = solver->cg.d, *marks = solver->cg.z; // normal and gap at the end; whether it is shielded
    body->backend->clear(ends, 0, body->nodeCount);
    body->backend->clear(marks, 0, body->nodeCount);
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        if (row->law == sp_rowContact && solver->rowSolves[i].status == sp_statusOpen)
        {
            spVec3 n = row->normal;
            spReal gap = spFindRowGap(s, row, spXyz(s->x[row->a.node])).distance;
            ends[row->a.node] = gap < ends[row->a.node].w ? (spVec4){n.x, n.y, n.z, gap} : ends[row->a.node];
        }
    }
    if (solver->system.hasSparse)
    {
        body->backend->markShielded(marks, ends, &solver->system.sparse, solver->baseX, SP_SHIELD_SLOPE);
    }
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        solver->rowSolves[i].shielded = marks[s->problem->rows[i].a.node].x > 0;
    }
}

double spGetHoldWork(const spSubstep* s, const spVec4* dv)
{
    double work = 0.0;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        const spRowSolve* r = s->solver->rowSolves + i;
        if (row->law == sp_rowHold && (r->status == sp_statusSoft || r->status == sp_statusForce))
        {
            spVec3 v = spXyz(s->solver->iterateV[row->a.node]);
            spVec3 impulse = r->status == sp_statusSoft ? spGetSoftImpulse(s, row, v) : r->impulse;
            work += (double)spDot3(impulse, spXyz(dv[row->a.node]));
        }
    }
    return work;
}

bool spCheckRows(spSubstep* s)
{
    bool changed = false;
    if (s->phase == sp_phaseLayers)
    {
        spMarkShielded(s);
    }
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        spRowSolve* r = s->solver->rowSolves + i;
        if (s->x[row->a.node].w == 0 || (row->law == sp_rowContact && (s->isStatic || s->byLaw)))
        {
            continue;
        }
        changed |= row->law == sp_rowContact ? spCheckContact(s, row, r) : spCheckHold(s, row, r);
    }
    return changed;
}

// The next step begins with it
static void spKeepMultiplier(const spSubstep* s, const spRow* row, spVec3 impulse)
{
    spMultipliers* list = s->problem->multipliers;
    list->entries[list->count++] = (spMultiplier){
        .key = row->key, .force = spScale3(1 / s->effectiveStep, impulse), .age = row->age + 1};
}

spVec3 spGetRowImpulse(const spSubstep* s, int index)
{
    const spRow* row = s->problem->rows + index;
    const spRowSolve* r = s->solver->rowSolves + index;
    switch (r->status)
    {
        case sp_statusSoft:
            return spGetSoftImpulse(s, row, spXyz(s->v[row->a.node]));
        case sp_statusPenalty:
            return r->multiplier;
        case sp_statusStick:
            return spGetReaction(s, row->a.node);
        case sp_statusSlide:
            return spMulAdd3(r->impulse, spDot3(row->normal, spGetReaction(s, row->a.node)), row->normal);
        default:
            return r->impulse;
    }
}

spVec3 spFinishRows(const spSubstep* s)
{
    const spBody* body = s->body;
    spMultipliers* multipliers = s->problem->multipliers;
    if (multipliers != NULL)
    {
        multipliers->count = 0;
    }
    // An impulse over the effective step acts like one over the whole substep
    spReal share = s->h / s->effectiveStep;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        spRow* row = s->problem->rows + i;
        const spRowSolve* r = s->solver->rowSolves + i;
        if (r->status == sp_statusOpen || s->x[row->a.node].w == 0)
        {
            continue;
        }
        if (r->status == sp_statusPenalty)
        {
            spSurfaceHit hit = spFindRowGap(s, row, spXyz(s->x[row->a.node]));
            row->normal = hit.normal;
            row->gap = hit.distance;
        }
        spVec3 impulse = spGetRowImpulse(s, i);
        row->impulse = spMulAdd3(row->impulse, share, impulse);
        spKeepMultiplier(s, row, impulse);
        if (row->law == sp_rowContact && r->push > 0)
        {
            spVec4* v = s->v + row->a.node;
            *v = (spVec4){v->x - r->push * row->normal.x, v->y - r->push * row->normal.y,
                          v->z - r->push * row->normal.z, 0};
        }
    }
    if (multipliers != NULL)
    {
        spSortMultipliers(multipliers);
    }
    double sum[3] = {0};
    for (int i = 0; i < body->heldCount; ++i)
    {
        spVec3 reaction = spGetReaction(s, body->held[i]);
        sum[0] += (double)reaction.x;
        sum[1] += (double)reaction.y;
        sum[2] += (double)reaction.z;
    }
    double rate = (double)share / (double)s->problem->stepDt;
    return (spVec3){(spReal)(rate * sum[0]), (spReal)(rate * sum[1]), (spReal)(rate * sum[2])};
}
