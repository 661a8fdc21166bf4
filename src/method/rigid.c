// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rigid bodies. The state is that of the centre, in double; nodes are written from a shape that never
// changes, so that distances never drift. Where users set positions, the shape is taken anew from them.
//
// A substep is half a kick, free motion, half a kick: order 2, exact in free fall, and the rotation keeps
// momentum and energy (rigid_turn.c). Held nodes act as in RATTLE: the motion before and the motion after
// follow them, and the body is brought to them in between (rigid_yield.c). Contacts let the body go as far as
// they do, then stop its velocity (rigid_rows.c). Where other bodies, or holds, pull at the body, all of the
// kick comes first, as it does for them: what is held still by a force then stands still.
// Andersen. RATTLE: A "Velocity" Version of the SHAKE Algorithm for Molecular Dynamics Calculations. 1983

#include "method/rigid.h"

#include "base/error.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Share of the largest moment of inertia below which there is none
#define SP_LEAST_INERTIA 1e-12

// Held nodes that do not fit the body by more than this share of its size are told
#define SP_HELD_MISFIT 1e-4

// Tries to reach held nodes by what they push, and distance over the size of the body at which they are
// reached
#define SP_MAX_SHOTS 16
#define SP_HELD_ROUNDING 1e-14

// ---- state and nodes ----

static void spDestroyRigid(spBody* body)
{
    spRigid* rigid = body->methodState;
    if (rigid != NULL)
    {
        spFree(body->heap, rigid->shape);
        spFree(body->heap, rigid->rows);
        spFree(body->heap, rigid);
        body->methodState = NULL;
    }
}

static bool spCreateRigid(spBody* body, spError* error)
{
    if (body->methodDef.filter.type != sp_filterNone)
    {
        return spFail(
            error, sp_errorBadArgument,
            "a rigid body has no velocity filter: set the filter to none or choose an explicit method");
    }
    size_t size = spArraySize(body->nodeCount, 3 * sizeof(double));
    spRigid* rigid = spAllocZeroed(body->heap, sizeof(spRigid));
    body->methodState = rigid;
    if (rigid != NULL)
    {
        rigid->shape = spAllocZeroed(body->heap, size);
    }
    if (rigid == NULL || rigid->shape == NULL)
    {
        spDestroyRigid(body);
        return spFailMemory(error, "the method of a body", size);
    }
    body->stableStep = INFINITY;
    body->solverReport = (spSolverReport){.factorStep = -1};
    return true;
}

// Inertia, its inverse and the root of that, from the shape
static void spMeasureRigid(const spBody* body, spRigid* rigid)
{
    spRigidMass* mass = &rigid->mass;
    double sums[6] = {0}, a[9], vectors[9], values[3], most = 0.0;
    body->backend->sumShape(sums, rigid->shape, body->mass, 0, body->nodeCount);
    const double inertia[9] = {sums[0], sums[5], sums[4], sums[5], sums[1],
                               sums[3], sums[4], sums[3], sums[2]};
    memcpy(a, inertia, sizeof(a));
    spDiagonalize(3, a, vectors, values);
    for (int i = 0; i < 3; ++i)
    {
        most = fmax(most, values[i]);
    }
    *mass = (spRigidMass){.mass = mass->mass, .size = sqrt(most / mass->mass)};
    for (int i = 0; i < 3; ++i)
    {
        if (!(values[i] > SP_LEAST_INERTIA * most))
        {
            continue;
        }
        for (int k = 0; k < 9; ++k)
        {
            double part = vectors[3 * (k / 3) + i] * vectors[3 * (k % 3) + i];
            mass->inertia[k] += values[i] * part;
            mass->inverse[k] += part / values[i];
            mass->root[k] += part / sqrt(values[i]);
        }
    }
    rigid->measured = true;
}

static spRigidPlace spGetRigidPlace(const spRigid* rigid)
{
    spRigidPlace place;
    double p[3], w[3];
    spMatrixFromTurn(place.rotation, rigid->now.turn);
    spMulTD(p, place.rotation, rigid->now.momentum);
    spMulD(w, rigid->mass.inverse, p);
    spMulD(place.spin, place.rotation, w);
    memcpy(place.centre, rigid->now.centre, sizeof(place.centre));
    memcpy(place.velocity, rigid->now.velocity, sizeof(place.velocity));
    return place;
}

static void spPlaceRigid(spBody* body, const spRigid* rigid)
{
    spRigidPlace place = spGetRigidPlace(rigid);
    body->backend->placeShape(body->x, body->v, body->roles, rigid->shape, &place, 0, body->nodeCount);
}

// The motion of the nodes, as a whole
static void spTakeMotion(const spBody* body, spRigid* rigid)
{
    double sums[6] = {0}, rotation[9];
    spMatrixFromTurn(rotation, rigid->now.turn);
    body->backend->sumShapeLoads(sums, body->v, body->mass, rigid->shape, rotation, 0, body->nodeCount);
    for (int k = 0; k < 3; ++k)
    {
        rigid->now.velocity[k] = sums[k] / rigid->mass.mass;
        rigid->now.momentum[k] = sums[3 + k];
    }
    rigid->now.driven = INFINITY;
}

// Nodes as they are become the shape
static void spTakeShape(spBody* body, spRigid* rigid)
{
    spRigidSums sums = {0};
    body->backend->sumRigid(&sums, body->mass, body->x, body->v, true, 0, body->nodeCount);
    rigid->mass.mass = sums.mass;
    rigid->now = (spRigidState){.turn = {0.0, 0.0, 0.0, 1.0}, .driven = INFINITY};
    body->newJoint = true;
    for (int k = 0; k < 3; ++k)
    {
        rigid->now.centre[k] = sums.first[k] / sums.mass;
    }
    body->backend->takeShape(rigid->shape, body->x, rigid->now.centre, 0, body->nodeCount);
    spMeasureRigid(body, rigid);
    spTakeMotion(body, rigid);
    rigid->known = true;
}

// Follows what users have done to the nodes
static void spFollowNodes(spBody* body, spRigid* rigid)
{
    if (rigid->known == false)
    {
        spTakeShape(body, rigid);
        return;
    }
    if (rigid->measured == false)
    {
        spRigidSums sums = {0};
        body->backend->sumRigid(&sums, body->mass, body->x, body->v, true, 0, body->nodeCount);
        rigid->mass.mass = sums.mass;
        spMeasureRigid(body, rigid);
    }
    spRigidPlace place = spGetRigidPlace(rigid);
    int moved =
        body->backend->findMoved(body->x, body->v, body->roles, rigid->shape, &place, 0, body->nodeCount);
    if ((moved & 1) != 0)
    {
        spTakeShape(body, rigid);
    }
    else if (moved != 0)
    {
        spTakeMotion(body, rigid);
    }
}

static void spBeginRigid(spBody* body, spReal dt, spTeam* team)
{
    SP_UNUSED(dt);
    SP_UNUSED(team);
    spRigid* rigid = body->methodState;
    spMultipliers* list = &body->multipliers;
    body->stableStep = INFINITY;
    body->stableStepDirty = false;
    rigid->failed = spReserve(body->heap, (void**)&rigid->rows, 0, &rigid->rowCapacity, body->rowCapacity,
                              sizeof(spRigidRow)) == false ||
                    spReserve(body->heap, (void**)&list->entries, list->count, &list->capacity,
                              body->rowCapacity, sizeof(spMultiplier)) == false;
    spFollowNodes(body, rigid);
    spTakeJoint(body, rigid);
    rigid->now.pushed = 0.0;
    memset(rigid->now.exerted, 0, sizeof(rigid->now.exerted));
}

static bool spWalkRigidMemory(spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    spRigid* rigid = body->methodState;
    fcn(walk, sp_pieceFlag, &rigid->known, sizeof(rigid->known));
    fcn(walk, sp_pieceAny, &rigid->now, sizeof(rigid->now));
    fcn(walk, sp_pieceAny, rigid->anchor, sizeof(rigid->anchor));
    fcn(walk, sp_pieceAny, rigid->upright, sizeof(rigid->upright));
    fcn(walk, sp_pieceAny, rigid->shape, (size_t)body->nodeCount * 3 * sizeof(double));
    rigid->measured = false;
    return true;
}

// ---- loads ----

typedef enum spRigidLoad
{
    sp_loadGiven, // forces of the user, of other bodies and of fields that do not brake
    sp_loadDrag,  // fields that do
} spRigidLoad;

static bool spIsDrag(const spBody* body, int set)
{
    const spFieldSet* field = spGetFieldSet(body, set);
    return field != NULL && (field->def.type == sp_fieldDrag || field->def.type == sp_fieldMassDrag);
}

// Fields and wind; elements exert nothing inside a rigid body, nor do its own nodes drag at each other
static bool spIsOuter(const spBody* body, int set)
{
    const spFieldSet* field = spGetFieldSet(body, set);
    uint32_t flags = body->sets[set]->kind->flags;
    return field != NULL ? field->def.type != sp_fieldCoherence
                         : (flags & (sp_kindConservative | sp_kindRows)) == 0;
}

static bool spHasLoad(const spBody* body, spRigidLoad load)
{
    bool found = load == sp_loadGiven && spGetLoads(body) != NULL;
    for (int i = 0; i < body->setCount; ++i)
    {
        found = found || (spIsOuter(body, i) && spIsDrag(body, i) == (load == sp_loadDrag));
    }
    return found;
}

static void spSumLoad(const spRigidStep* s, spRigidLoad load, double sums[6])
{
    spBody* body = s->body;
    spNodeState state = spGetNodeState(body);
    memset(sums, 0, 6 * sizeof(double));
    if (spHasLoad(body, load) == false)
    {
        return;
    }
    const spVec4* given = load == sp_loadGiven ? spGetLoads(body) : NULL;
    body->backend->startForces(body->f, body->mass, (spVec3){0, 0, 0}, given, 0, body->nodeCount);
    body->backend->clear(body->f, body->nodeCount, body->nodeCount + body->slots.slotCount);
    for (int i = 0; i < body->setCount; ++i)
    {
        if (spIsOuter(body, i) && spIsDrag(body, i) == (load == sp_loadDrag))
        {
            const spElementKind* kind = body->sets[i]->kind;
            if (kind->measure != NULL)
            {
                kind->measure(body->sets[i], &state, s->context->team);
            }
            for (int patch = 0; patch < state.patchCount; ++patch)
            {
                kind->addForces(body->sets[i], &state, patch, body->f);
            }
        }
    }
    for (int patch = 0; patch < state.patchCount; ++patch)
    {
        body->backend->sumSlots(&body->slots, body->f, patch);
    }
    body->backend->sumShapeLoads(sums, body->f, NULL, s->rigid->shape, s->yield.rotation, 0, body->nodeCount);
}

// What the loads do in h. Drag never turns a motion round: it is implicit along it.
static void spKickRigid(spRigidStep* s, double h)
{
    spRigidState* now = &s->rigid->now;
    const spVec3 g = spScale3(s->body->gravityScale, s->context->gravity);
    double m = s->rigid->mass.mass, load[6], drag[6], u[6],
           weight[3] = {m * (double)g.x, m * (double)g.y, m * (double)g.z};
    spSumLoad(s, sp_loadGiven, load);
    spSumLoad(s, sp_loadDrag, drag);
    spGetMotion(&s->yield, &s->rigid->mass, now, u);
    double power = 0.0, energy = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        power += drag[k] * u[k] + drag[3 + k] * u[3 + k];
        energy += m * u[k] * u[k] + now->momentum[k] * u[3 + k];
    }
    double share = power < 0.0 && energy > 0.0 ? 1.0 / (1.0 - h * power / energy) : 1.0;
    for (int k = 0; k < 3; ++k)
    {
        double f = weight[k] + load[k] + share * drag[k];
        now->velocity[k] += h * f / m;
        double torque = load[3 + k] + share * drag[3 + k];
        now->momentum[k] += h * torque;
        s->given[k] += h * f;
        s->given[3 + k] += h * torque;
    }
}

// ---- a substep ----

void spMoveRigid(const spRigidMass* mass, spRigidState* state, const double velocity[3],
                 const double momentum[3], double h)
{
    for (int k = 0; k < 3; ++k)
    {
        state->centre[k] += h * velocity[k];
    }
    spTurnFreely(mass, momentum, h, state->turn);
}

// Moves the body by w over h. Held nodes push at where they are at the start, such that the body arrives at
// where they are at the end: that is added to the motion u with which it arrives.
static void spShootAtHeldNodes(spRigidStep* s, double w[6], double u[6])
{
    spRigid* rigid = s->rigid;
    const spRigidState from = rigid->now;
    double last = INFINITY;
    for (int round = 0; round < SP_MAX_SHOTS; ++round)
    {
        spRigidState move = from;
        spSetMotion(&s->yield, &move, w);
        rigid->now = from;
        spMoveRigid(&rigid->mass, &rigid->now, move.velocity, move.momentum, s->h);
        double change[6] = {0}, left = spFindHeldMove(s->body, rigid, &s->yield, change);
        if (!(left > SP_HELD_ROUNDING * rigid->mass.size && left < 0.5 * last))
        {
            break;
        }
        last = left;
        for (int k = 0; k < 6; ++k)
        {
            w[k] += change[k] / s->h;
            u[k] += change[k] / s->h;
        }
    }
    s->heldDistance = fmax(s->heldDistance, spReachHeldNodes(s->body, rigid));
}

// Moves the body as far as held nodes and rows let it, and leaves the motion with which it arrives
static void spMoveBody(spRigidStep* s)
{
    spRigid* rigid = s->rigid;
    spRigidState* now = &rigid->now;
    double u[6], w[6], given[6] = {0}, l[3];
    spGetMotion(&s->yield, &rigid->mass, now, u);
    if (s->yield.held)
    {
        spKeepHeldMotion(s->body, rigid, &s->yield, 1.0 / s->h, u);
        spDriveMotor(s, u);
        spSetMotion(&s->yield, now, u);
    }
    memcpy(w, u, sizeof(w));
    if (s->body->rowCount > 0)
    {
        spSolveRigidMove(s, w, given);
    }
    spRigidState move = *now;
    if (memcmp(w, u, sizeof(w)) != 0)
    {
        spSetMotion(&s->yield, &move, w);
    }
    if (s->yield.held)
    {
        spShootAtHeldNodes(s, w, given);
    }
    else
    {
        spMoveRigid(&rigid->mass, now, move.velocity, move.momentum, s->h);
    }
    spMulD(l, s->yield.inertia, given + 3);
    for (int k = 0; k < 3; ++k)
    {
        now->velocity[k] += given[k];
        now->momentum[k] += l[k];
    }
}

// Linear, and angular about the centre
static void spGetMomentum(const spRigid* rigid, double momentum[6])
{
    for (int k = 0; k < 3; ++k)
    {
        momentum[k] = rigid->mass.mass * rigid->now.velocity[k];
        momentum[3 + k] = rigid->now.momentum[k];
    }
}

static void spRunRigidSubstep(spRigidStep* s)
{
    spBody* body = s->body;
    spRigid* rigid = s->rigid;
    double before[6], impulse[6], u[6];
    for (int i = 0; i < body->heldCount; ++i)
    {
        body->backend->drift(body->x, body->v, (spReal)s->h, body->held[i], body->held[i] + 1);
    }
    spGetMomentum(rigid, before);
    memset(s->given, 0, sizeof(s->given));
    s->yield = spFindYield(body, rigid);
    spGetMotion(&s->yield, &rigid->mass, &rigid->now, s->start);
    spKickRigid(s, s->share * s->h);
    spMoveBody(s);

    s->yield = spFindYield(body, rigid);
    if (s->share < 1.0)
    {
        spPlaceRigid(body, rigid);
        spKickRigid(s, (1.0 - s->share) * s->h);
    }
    spGetMotion(&s->yield, &rigid->mass, &rigid->now, u);
    spKeepHeldMotion(body, rigid, &s->yield, 0.0, u);
    bool acts = body->rowCount > 0 && spSolveRigidMotion(s, u);
    if (acts || s->yield.held)
    {
        spSetMotion(&s->yield, &rigid->now, u);
    }
    spPlaceRigid(body, rigid);
    if (spIsHeld(body))
    {
        // What loads and rows have not done
        double rate = 1.0 / (double)s->context->stepDt;
        spGetMomentum(rigid, impulse);
        for (int k = 0; k < 6; ++k)
        {
            impulse[k] -= before[k] + s->given[k];
        }
        spTellJoint(body, rigid, impulse, (double)s->context->stepDt);
        body->pinForce =
            spAdd3(body->pinForce, (spVec3){(spReal)(rate * impulse[0]), (spReal)(rate * impulse[1]),
                                            (spReal)(rate * impulse[2])});
    }
}

static bool spHasHolds(const spBody* body)
{
    bool found = false;
    for (int i = 0; i < body->rowCount; ++i)
    {
        found = found || body->rows[i].law == sp_rowHold;
    }
    return found;
}

static spAdvanceResult spAdvanceRigid(spBody* body, const spAdvanceContext* context)
{
    spRigid* rigid = body->methodState;
    int count = context->substepCount > 0 ? context->substepCount : spMaxInt(1, body->methodDef.substeps);
    spAdvanceResult result = {.substepCount = count, .forceEvaluations = count};
    if (rigid->failed)
    {
        result.flags = sp_stepSolverStopped;
        result.outOfMemory = true;
        return result;
    }
    if (context->again)
    {
        rigid->now = rigid->begin;
    }
    rigid->begin = rigid->now;
    spRigidStep s = {
        .body = body,
        .rigid = rigid,
        .context = context,
        .h = (double)context->dt / count,
        .share = body->island >= 0 || spHasHolds(body) || spHasMotor(body) ? 1.0 : 0.5,
    };
    if (body->rowCount == 0)
    {
        body->multipliers.count = 0;
    }
    for (int i = 0; i < count; ++i)
    {
        spReal covered = context->dt * (spReal)(i + 1) / (spReal)count;
        s.fraction = context->startFraction + covered / context->stepDt;
        if (body->rowCount > 0)
        {
            spMovePoses(context, s.fraction);
        }
        spRunRigidSubstep(&s);
    }
    bool misfit = s.heldDistance > SP_HELD_MISFIT * rigid->mass.size && body->heldCount > 1;
    result.flags |= s.unsolved || misfit ? sp_stepNotConverged : 0;
    result.solverIterations = s.sweeps;
    body->time += (double)context->dt;
    return result;
}

// ---- rows between bodies ----

// A point: its weight, 1 for a place on the body, and its arm
static double spGetPointArm(const spRigid* rigid, const double rotation[9], const spPoints* points, int index,
                            double arm[3])
{
    double weight = 0.0;
    memset(arm, 0, 3 * sizeof(double));
    for (int k = 0; k < points->sides[index].count; ++k)
    {
        spRowNode n = spGetSideNode(points->sides + index, points->pool, k);
        double a[3];
        spGetArm(rigid, rotation, n.node, a);
        weight += (double)n.weight;
        for (int i = 0; i < 3; ++i)
        {
            arm[i] += (double)n.weight * a[i];
        }
    }
    return weight;
}

static bool spFreezeRigid(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                          spComplianceList* list)
{
    const spRigid* rigid = body->methodState;
    spRigidYield yield = spFindYield(body, rigid);
    double(*arms)[4] = spArenaAlloc(arena, spArraySize(points->count, sizeof(*arms)));
    if ((int64_t)points->count * points->count > INT32_MAX || arms == NULL ||
        spGrowCompliance(list, arena, points->count * points->count) == false)
    {
        return false;
    }
    for (int i = 0; i < points->count; ++i)
    {
        arms[i][3] = spGetPointArm(rigid, yield.rotation, points, i, arms[i]);
    }
    for (int i = 0; i < points->count; ++i)
    {
        for (int j = 0; j < points->count; ++j)
        {
            spMat3 block = spGetYieldAt(&yield, arms[i], arms[i][3], arms[j], arms[j][3]);
            list->blocks[list->count++] = (spComplianceBlock){firstPoint + i, firstPoint + j, block};
        }
    }
    return true;
}

// What impulses, or shifts, on points do
static void spSumPoints(const spRigid* rigid, const spRigidYield* yield, const spPoints* points,
                        const spVec3* impulses, double u[6])
{
    for (int i = 0; i < points->count; ++i)
    {
        double arm[3], weight = spGetPointArm(rigid, yield->rotation, points, i, arm);
        const double p[3] = {(double)impulses[i].x, (double)impulses[i].y, (double)impulses[i].z};
        spAddYield(yield, arm, weight, p, u);
    }
}

static void spCorrectRigid(spBody* body, const spPoints* points, const spVec3* impulses, const spVec3* shifts)
{
    spRigid* rigid = body->methodState;
    spRigidState* now = &rigid->now;
    spRigidYield yield = spFindYield(body, rigid);
    double u[6], change[6] = {0}, shift[6] = {0}, before[6], impulse[6], given[6] = {0};
    spGetMomentum(rigid, before);
    spSumPoints(rigid, &yield, points, impulses, change);
    spSumPoints(rigid, &yield, points, shifts, shift);
    double l[3];
    spMulD(l, yield.inertia, change + 3);
    for (int k = 0; k < 3; ++k)
    {
        now->velocity[k] += change[k];
        now->momentum[k] += l[k];
        now->centre[k] += shift[k];
    }
    spTurnBy(now->turn, shift + 3);
    if (yield.held)
    {
        spReachHeldNodes(body, rigid);
        yield = spFindYield(body, rigid);
        spGetMotion(&yield, &rigid->mass, now, u);
        spKeepHeldMotion(body, rigid, &yield, 0.0, u);
        spSetMotion(&yield, now, u);
        spGetMomentum(rigid, impulse);
        for (int i = 0; i < points->count; ++i)
        {
            double arm[3], weight = spGetPointArm(rigid, yield.rotation, points, i, arm);
            const double p[3] = {(double)impulses[i].x, (double)impulses[i].y, (double)impulses[i].z};
            spAddAt(given, arm, weight, p);
        }
        for (int k = 0; k < 6; ++k)
        {
            impulse[k] -= before[k] + given[k];
        }
        spTellJoint(body, rigid, impulse, (double)points->dt * (body->island >= 0 ? body->slices : 1));
    }
    spPlaceRigid(body, rigid);
}

const spMethodKind spRigidMethod = {
    .name = "rigid",
    .create = spCreateRigid,
    .destroy = spDestroyRigid,
    .begin = spBeginRigid,
    .getStableStep = spGetAnyStep,
    .countSubsteps = spCountGivenSubsteps,
    .advance = spAdvanceRigid,
    .freeze = spFreezeRigid,
    .correct = spCorrectRigid,
    .repeats = spRepeatsNever,
    .adapt = spAdaptNothing,
    .walkMemory = spWalkRigidMemory,
};
