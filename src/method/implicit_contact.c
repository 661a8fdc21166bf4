// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contacts of an implicit substep by their law, over the compliance of a complete factor. In each round
//
//   1. the linearisation is solved with the impulses p of the contacts as loads: A dv = b + J^T p;
//   2. block Gauss-Seidel over W = J C J^T, C = R P^-1 R^T, finds the p + dp that keep the law: velocities along
//      the normal no less than their targets, no pull, friction in its cone;
//   3. dv takes C J^T dp in, and is where the next solve begins.
//
// P is the matrix of an earlier step and R the rotations since, so that C is near the inverse of A: two or three
// rounds solve A and the law together.
//
// Courtecuisse. Nouvelles architectures paralleles pour simulations interactives medicales. 2011, chapter 5

#include "body/contact_law.h"
#include "linear/mixing.h"
#include "method/implicit_substep.h"

#include <math.h>
#include <string.h>

#define SP_LAW_ROUNDS 12
#define SP_LATER_ROUNDS 4 // of a linearisation that is not the first: others may follow
#define SP_LAW_SWEEPS 200
// When so many have brought them no nearer to the end than by this share, every other one goes backwards: friction along
// a curve is passed on from contact to contact, and sweeps against its way may go round in a circle for ever
#define SP_CIRCLE_SWEEPS 20
#define SP_CIRCLE_SHARE 0.1

// The first rounds solve to so many times the tolerance, but no more than this, and until the law asks for less than
// this share of the first change
#define SP_COARSE 30.0
#define SP_MOST_COARSE 0.01
#define SP_COARSE_SHARE 0.1
// Or one more round leaves more than this share of the one before
#define SP_COARSE_GAIN 0.5

// Sweeps end when none changes a velocity by more than this share of what the first one changed
#define SP_SWEEP_TOLERANCE 1e-3
// Or this one of what ends the rounds
#define SP_SWEEP_SHARE 0.05
// Rounds end when a velocity changes by less than this share of what gravity gives in the step, and this one of what
// the impulses do to their own nodes
#define SP_WEIGHT_TOLERANCE 1e-3
#define SP_IMPULSE_TOLERANCE 1e-4
// Or by less than this share of what it changed in the first round: gaps are measured, what is left now is left to do
// in the next step
#define SP_LAW_SHARE 0.05
// Or by rounding of positions, in units of the last place
#define SP_LAW_ROUNDING 4.0

// Rows that exerted something when they were solved last: most are of nodes that were only near
static int spCountPushes(const spMultipliers* multipliers)
{
    int count = 0;
    for (int i = 0; i < multipliers->count; ++i)
    {
        count += spLengthSquared3(multipliers->entries[i].force) > 0;
    }
    return count;
}

bool spPrefersLaw(const spSubstep* s)
{
    // Springs that are pushed together give way all of a sudden: a factor of a moment ago does not know of that. They
    // come here where an active set does not settle, and stay as long as that takes rounds.
    return s->body->tetCount > 0 || s->solver->refresh.lastRounds > 1;
}

bool spCanSolveByLaw(const spSubstep* s)
{
    const spImplicitSolver* solver = s->solver;
    // A truncated solve leaves the body somewhere else than its matrix knows of: to move all of it would throw it
    bool known = solver->limit.truncated == false;
    // More than fit would be left to the active set in the end
    bool few = spCountPushes(s->problem->multipliers) <= SP_COMPLIANCE_NODES;
    return known && few && s->isStatic == false && s->fill.bound == false &&
           solver->inertia == sp_inertiaResolved && spHasCompliance(solver->factor);
}

static spMat3 spGetTurn(const spImplicitSolver* solver, int node)
{
    const spMat3* turns = spGetFactorTurns(solver->factor);
    return turns != NULL ? turns[node] : spIdentityMat3();
}

// Velocity above what the contact asks for
static spVec3 spGetRate(const spSubstep* s, int row)
{
    return spSub3(spXyz(s->v[s->problem->rows[row].a.node]), s->solver->rowSolves[row].velocity);
}

// Contacts that push, or would end inside. Returns how many; -1 when they are too many, or without memory.
static int spListLawRows(spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    int32_t nodes[SP_COMPLIANCE_NODES];
    int count = 0;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        const spRowSolve* r = solver->rowSolves + i;
        if (r->status == sp_statusLaw &&
            (spLengthSquared3(r->impulse) > 0 || spDot3(row->normal, spGetRate(s, i)) < 0))
        {
            if (count == SP_COMPLIANCE_NODES)
            {
                return -1;
            }
            nodes[count] = row->a.node;
            solver->lawRows[count++].row = i;
        }
    }
    if (count == 0)
    {
        return 0;
    }
    spComplianceCache* cache = &solver->compliance;
    spComplianceResult listed =
        spListCompliance(cache, s->body, solver->factor, nodes, count, s->problem->team);
    if (listed != sp_complianceListed)
    {
        s->lacking = s->lacking || listed == sp_complianceNoMemory;
        return -1;
    }
    for (int k = 0; k < count; ++k)
    {
        spLawRow* l = solver->lawRows + k;
        l->place = cache->places[nodes[k]];
        l->turn = spGetTurn(solver, nodes[k]);
        spMat3 block = spGetComplianceBlock(cache, l->place, l->place);
        l->diagonal = spMulMat3(spMulMat3(l->turn, block), spTransposeMat3(l->turn));
        l->rate = spGetRate(s, l->row);
        spRowSolve* r = solver->rowSolves + l->row;
        r->scale = r->scale > 0.0 ? r->scale : sqrt((double)spTrace3(l->diagonal) / 3.0);
        l->change = (spVec3){0, 0, 0};
    }
    return count;
}

// What an impulse at a place does to the velocities at all of them, in the frame of the factor
static void spPushPlaces(const spComplianceCache* cache, int place, spVec3 p, spReal* u[3])
{
    size_t stride = (size_t)cache->capacity;
    const spReal* c = cache->cells + 9 * stride * (size_t)place;
    for (int k = 0; k < 3; ++k)
    {
        const spReal *x = c + (size_t)(3 * k) * stride, *y = x + stride, *z = y + stride;
        spReal* to = u[k];
        for (int i = 0; i < cache->count; ++i)
        {
            to[i] += x[i] * p.x + y[i] * p.y + z[i] * p.z;
        }
    }
}

// Gauss-Seidel over the compliance. Returns the largest change of a velocity that came out, m/s.
static double spSweepLaw(spSubstep* s, int count, double tolerance)
{
    spImplicitSolver* solver = s->solver;
    const spComplianceCache* cache = &solver->compliance;
    spReal values[3][SP_COMPLIANCE_NODES] = {{0}};
    spReal* u[3] = {values[0], values[1], values[2]};
    double largest = 0.0;
    double before = INFINITY; // what one moved so many sweeps ago
    bool circles = false;
    for (int sweep = 0; sweep < SP_LAW_SWEEPS; ++sweep)
    {
        double moved = 0.0;
        bool back = circles && sweep % 2 == 1;
        for (int k = 0; k < count; ++k)
        {
            spLawRow* l = solver->lawRows + (back ? count - 1 - k : k);
            const spRow* row = s->problem->rows + l->row;
            spVec3 pushed = spMulMV3(l->turn, spMakeVec3(u[0][l->place], u[1][l->place], u[2][l->place]));
            spVec3 total = spAdd3(solver->rowSolves[l->row].impulse, l->change);
            spVec3 change =
                spSolveContact(total, spAdd3(l->rate, pushed), l->diagonal, row->normal, row->friction);
            l->change = spAdd3(l->change, change);
            spPushPlaces(cache, l->place, spMulTMV3(l->turn, change), u);
            moved = fmax(moved, (double)spLength3(spMulMV3(l->diagonal, change)));
        }
        largest = fmax(largest, moved);
        if (moved <= fmax(SP_SWEEP_TOLERANCE * largest, SP_SWEEP_SHARE * tolerance))
        {
            break;
        }
        if (sweep % SP_CIRCLE_SWEEPS == 0)
        {
            bool near = moved > (1.0 - SP_CIRCLE_SHARE) * before;
            circles = circles || (near && s->body->tetCount == 0);
            before = moved;
        }
    }
    double most = 0.0;
    for (int k = 0; k < count; ++k)
    {
        int place = solver->lawRows[k].place;
        most = fmax(most, (double)spLength3(spMakeVec3(u[0][place], u[1][place], u[2][place])));
    }
    return most;
}

// The change that is too small to go on for, m/s
static double spGetLawTolerance(const spSubstep* s, int count)
{
    const spImplicitSolver* solver = s->solver;
    const double epsilon = sizeof(spReal) == sizeof(float) ? 1.2e-7 : 2.2e-16;
    double speed = 0.0, r = (double)s->effectiveStep;
    for (int k = 0; k < count; ++k)
    {
        const spLawRow* l = solver->lawRows + k;
        spVec3 total = spAdd3(solver->rowSolves[l->row].impulse, l->change);
        speed = fmax(speed, (double)spLength3(spMulMV3(l->diagonal, total)));
    }
    return SP_WEIGHT_TOLERANCE * r * (double)spLength3(s->problem->gravity) + SP_IMPULSE_TOLERANCE * speed +
           SP_LAW_ROUNDING * epsilon * solver->extent / r;
}

// ---- rounds ----

static void spWriteScaled(double* to, double scale, spVec3 p)
{
    to[0] = scale * (double)p.x;
    to[1] = scale * (double)p.y;
    to[2] = scale * (double)p.z;
}

// The next impulses: those that the law asks for, mixed with past rounds, in m->p
static void spMixLaw(spSubstep* s, spMixing* m, int count, bool first, bool last)
{
    spImplicitSolver* solver = s->solver;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRowSolve* r = solver->rowSolves + i;
        spWriteScaled(m->p + 3 * (size_t)i, r->scale, r->impulse);
        spWriteScaled(m->f + 3 * (size_t)i, 0.0, (spVec3){0, 0, 0});
    }
    for (int k = 0; k < count; ++k)
    {
        const spLawRow* l = solver->lawRows + k;
        spWriteScaled(m->f + 3 * (size_t)l->row, solver->rowSolves[l->row].scale, l->change);
    }
    spTakeRound(m, first);
    if (last)
    {
        // Nothing is left inside for the sake of a guess
        memcpy(m->p, m->best, (size_t)m->size * sizeof(double));
        spAddScaled(m->p, 1.0, m->bestF, m->size);
        return;
    }
    spMixRounds(m);
}

// Impulses, as far as the law allows them, and dv take the step to m->p in
static void spTakeImpulses(spSubstep* s, const spMixing* m)
{
    spImplicitSolver* solver = s->solver;
    const spBackend* backend = s->body->backend;
    spVec4 *a = solver->cg.t, *z = solver->cg.z;
    backend->clear(a, 0, s->body->nodeCount);
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        spRowSolve* r = solver->rowSolves + i;
        if (r->status != sp_statusLaw || r->scale == 0.0)
        {
            continue;
        }
        const double *p = m->p + 3 * (size_t)i, scale = 1.0 / r->scale;
        spVec3 impulse = {(spReal)(scale * p[0]), (spReal)(scale * p[1]), (spReal)(scale * p[2])};
        impulse = spKeepInCone(impulse, row->normal, row->friction);
        spVec3 change = spMulTMV3(spGetTurn(solver, row->a.node), spSub3(impulse, r->impulse));
        spVec4* to = a + row->a.node;
        *to = (spVec4){to->x + change.x, to->y + change.y, to->z + change.z, 0};
        r->impulse = impulse;
    }
    backend->precondition(spGetFrontFactor(solver->factor), s->problem->team, a, z);
    backend->addTurned(solver->cg.x, s->x, spGetFactorTurns(solver->factor), z, 0, s->body->nodeCount);
    spMoveAlong(s, 1);
}

// Whether contacts push already
static bool spIsPushed(const spSubstep* s)
{
    bool pushed = false;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRowSolve* r = s->solver->rowSolves + i;
        pushed = pushed || (r->status == sp_statusLaw && spLengthSquared3(r->impulse) > 0);
    }
    return pushed;
}

spCgResult spSolveContacts(spSubstep* s, bool first)
{
    spImplicitSolver* solver = s->solver;
    spMixing m = spStartMixing(solver->mixing, 3 * s->problem->rowCount);
    int rounds = first ? SP_LAW_ROUNDS : SP_LATER_ROUNDS;
    spCgResult result = {0};
    bool solved = false, last = false, fresh = true;
    double start = 0.0, before = INFINITY; // changes of the first round, and of the last one
    s->coarse = spIsPushed(s) ? fmin(SP_COARSE, SP_MOST_COARSE / (double)solver->def.tolerance) : 1.0;
    for (int round = 0; last == false; ++round)
    {
        s->body->backend->copy(s->v, solver->iterateV, 0, s->body->nodeCount);
        spBuildConstraints(s);
        result = spSolveLinear(s, first && round == 0);
        s->solveCount += 1;
        spMoveAlong(s, 1);
        int count = result.late || result.indefinite ? 0 : spListLawRows(s);
        if (count < 0)
        {
            s->byLaw = false;
            break;
        }
        bool held = spCheckRows(s) == false;
        double tolerance = fmax(spGetLawTolerance(s, count), SP_LAW_SHARE * start);
        double change = count > 0 ? spSweepLaw(s, count, tolerance) : 0.0;
        start = round == 0 ? change : start;
        s->prescribed = s->prescribed || start > tolerance;
        bool kept = change <= tolerance && held, coarse = s->coarse > 1.0;
        solved = (kept && coarse == false) || result.late || result.indefinite;
        // What is left when the work is used up is left to the next step
        last = solved || round == rounds - 1 || spGetRowWorkLeft(s) == 0;
        if (change > 0.0)
        {
            spMixLaw(s, &m, count, fresh, last);
            spTakeImpulses(s, &m);
            fresh = false;
        }
        if (coarse && (change <= SP_COARSE_SHARE * start || change > SP_COARSE_GAIN * before))
        {
            // What coarse rounds have told does not hold for finer ones
            s->coarse = 1.0;
            fresh = true;
            m.count = 0;
        }
        before = change;
    }
    s->coarse = 1.0;
    result.converged = result.converged && solved;
    return result;
}

void spKeepLaw(spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    int count = spListLawRows(s);
    if (count > 0 && spSweepLaw(s, count, spGetLawTolerance(s, count)) > 0.0)
    {
        spMixing m = spStartMixing(solver->mixing, 3 * s->problem->rowCount);
        s->body->backend->copy(solver->iterateV, s->v, 0, s->body->nodeCount);
        s->body->backend->clear(solver->cg.x, 0, s->body->nodeCount);
        spMixLaw(s, &m, count, true, true);
        spTakeImpulses(s, &m);
    }
}
