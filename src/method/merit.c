// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The merit function of an implicit substep, its incremental potential: backward Euler ends at the least of
//
//   E(v) = 1/2 (v - baseV)^T M (v - baseV) + elastic energy at baseX + r v - work of loads, r f.v
//
// among the motions that contacts allow, and each linearisation at the least of its quadratic model
//
//   E(v + dv) - E(v) = dv A dv / 2 - b dv
//
// So the end has no more of it than any other motion that contacts allow, and such motions are what it is
// compared with: to stand still, to move on as before, and to stop before the body runs into anything. An
// end with more has the wrong contacts, or was not solved: contacts that pull squash a body, and a stiff body
// that was squashed flies off in the next steps.
//
// Kane, Marsden, Ortiz, West. Variational Integrators and the Newmark Algorithm. 2000

#include "method/implicit_substep.h"

#include "body/contact_law.h"

#include <math.h>

// Energy of motion over that of a substep of free fall, up to which a body that was solved is at rest
#define SP_MOTION_RATIO 0.1
// Share of the incremental potential, or of the elastic energy, that rounding may add
#define SP_ROUNDING_SHARE 1e-3

// ---- terms of the incremental potential ----

// v may be NULL for 0
static double spGetInertia(const spSubstep* s, const spVec4* v)
{
    return s->body->backend->sumInertia(s->body->mass, v, s->solver->baseV, s->x, 0, s->body->nodeCount);
}

static double spGetElasticEnergy(const spSubstep* s, const spVec4* x)
{
    const spBody* body = s->body;
    spNodeState nodes = s->force.state;
    double sum = 0.0;
    nodes.x = x;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spElementKind* kind = body->sets[i]->kind;
        sum += (kind->flags & sp_kindField) == 0 ? kind->getEnergy(body->sets[i], &nodes) : 0.0;
    }
    return sum;
}

static double spGetIncrementalPotential(const spSubstep* s, const spVec4* v, const spVec4* x)
{
    const spBody* body = s->body;
    double power = body->backend->sumLoadPower(body->mass, s->problem->gravity, spGetLoads(body), v, s->x, 0,
                                               body->nodeCount);
    return spGetInertia(s, v) + spGetElasticEnergy(s, x) - (double)s->effectiveStep * power;
}

// Contacts that were missed cost elastic energy too, once the response pushes their nodes out: each alone,
// unless a complete factor moves the whole body with it
static double spGetMissedEnergy(const spSubstep* s)
{
    const spImplicitSolver* solver = s->solver;
    double sum = 0.0;
    bool complete = solver->def.preconditioner == sp_preconditionCholesky;
    if (s->assembled == false ||
        (complete && solver->limit.truncated == false && solver->inertia != sp_inertiaLost))
    {
        return 0.0;
    }
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        if (spIsFreeContact(s, i))
        {
            double gap = (double)spFindRowGap(s, row, spXyz(s->x[row->a.node])).distance;
            double depth = fmin(fmax(-gap, 0.0), (double)(s->h * SP_PUSH_SPEED));
            double stiffness = (double)spTrace3(spGetDiagonalSum(&solver->system.sparse, row->a.node)) / 3.0;
            sum += 0.5 * depth * depth * stiffness / (double)s->fill.stiffness;
        }
    }
    return sum;
}

// ---- the bound ----

// The work that contacts do beyond what stopping would take: by convexity the end has no more than E(stop) plus the
// impulses times what the stop misses. Nothing where the stop suits all contacts; what closes on a body from two sides,
// or on one that is held, squashes it, and that is no throw. Forces that are bounded, not followed, say nothing about it.
static double spGetSqueezeWork(const spSubstep* s)
{
    double stop[3] = {0, 0, 0}, sum = 0.0;
    if (s->fill.bound)
    {
        return 0.0;
    }
    if (s->body->heldCount == 0)
    {
        spFindStop(s, stop);
    }
    spVec3 v = {(spReal)stop[0], (spReal)stop[1], (spReal)stop[2]};
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        const spRowSolve* r = s->solver->rowSolves + i;
        if (spIsFreeContact(s, i) && r->status != sp_statusOpen)
        {
            double missed = (double)spDot3(row->normal, spSub3(r->velocity, v));
            double pressed = (double)spDot3(row->normal, spGetRowImpulse(s, i));
            sum += fmax(0.0, missed) * fmax(0.0, pressed);
        }
    }
    return sum;
}

static bool spNeedsEnergyBound(const spSubstep* s)
{
    bool contacts = false, rigid = false;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRow* row = s->problem->rows + i;
        contacts = contacts || spIsFreeContact(s, i);
        rigid = rigid || (row->law == sp_rowHold && s->solver->rowSolves[i].status == sp_statusStick);
    }
    bool unresolved = s->body->heldCount == 0 && s->solver->inertia != sp_inertiaResolved;
    // What other bodies exert does work that this bound knows nothing of
    bool alone = s->body->loads == NULL;
    return rigid == false && s->isStatic == false && (contacts || (unresolved && alone));
}

void spStartEnergyBound(spSubstep* s)
{
    s->bound = (spEnergyBound){.active = spNeedsEnergyBound(s)};
    if (s->bound.active)
    {
        // What closes on a body from two sides does work on it: no motion as a whole suits its contacts, and to
        // stop is nothing to compare with
        s->bound.freeMotion = spFindFreeMotion(s);
        s->bound.active = s->body->heldCount > 0 || spIsSqueezed(s) == false;
    }
}

// The dv with which the body stops, from the iterate, and the kinetic energy that goes with it; a body with
// held nodes stands still
static void spFillStop(spSubstep* s, spVec4* dv)
{
    const spBody* body = s->body;
    double stop[3] = {0, 0, 0};
    if (body->heldCount == 0)
    {
        spFindStop(s, stop);
    }
    spVec3 v = {(spReal)stop[0], (spReal)stop[1], (spReal)stop[2]};
    body->backend->setFree(dv, v, NULL, s->x, 0, body->nodeCount);
    s->bound.stopLoss = spGetInertia(s, dv);
    body->backend->setFree(dv, v, s->solver->iterateV, s->x, 0, body->nodeCount);
    double fall = (double)s->effectiveStep * (double)spLength3(s->problem->gravity);
    s->bound.fall = 0.5 * body->backend->sumFreeMass(body->mass, s->x, 0, body->nodeCount) * fall * fall;
    const spVec4* loads = spGetLoads(body);
    if (loads != NULL)
    {
        // And what the user and other bodies give, each node alone
        spVec4* thrown = s->solver->cg.z;
        double r = (double)s->effectiveStep;
        body->backend->weigh(thrown, s->x, loads, 0, body->nodeCount);
        s->bound.fall += 0.5 * r * r * s->solver->system.backend->dot(loads, thrown, 0, body->nodeCount);
    }
}

// ---- the quadratic model ----

static double spGetModel(const spSubstep* s, double curvature, const spVec4* dv)
{
    double work = s->solver->system.backend->dot(s->solver->f, dv, 0, s->body->nodeCount);
    return 0.5 * curvature - work - spGetHoldWork(s, dv);
}

double spGetModelBound(spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    spSystem system = spGetLinearSystem(s);
    spVec4* dv = solver->cg.d;
    spFillStop(s, dv);
    if (s->byLaw)
    {
        // Impulses that keep the law do not pull: what counts is the end
        return INFINITY;
    }
    double stop = spGetModel(s, spGetCurvature(&system, &solver->cg, dv, s->problem->team), dv);
    // As much again as stopping takes is allowed for friction, which does not minimise energy. At rest all of
    // that is rounding, hence the free fall.
    return s->bound.fall + s->bound.stopLoss + stop;
}

double spGetModelChange(const spSubstep* s)
{
    const spImplicitSolver* solver = s->solver;
    const spVec4* product = spUsesPairs(solver) ? solver->system.product : s->body->f;
    double curvature = solver->system.backend->dot(solver->cg.x, product, 0, s->body->nodeCount);
    // The product is without what stands at constraints
    curvature =
        s->body->backend->addConstraintWork(curvature, solver->cg.x, solver->constraints, solver->rawProduct,
                                            solver->patchConstraint[s->body->order.patchCount]);
    return spGetModel(s, curvature, solver->cg.x) + spGetMissedEnergy(s);
}

// ---- the end of a substep ----

// What held nodes that are moved take with them is stretched or squeezed: the elastic energy with all others where they
// stop, beyond that at the start
static double spGetDrivenEnergy(const spSubstep* s, double before)
{
    const spBody* body = s->body;
    spImplicitSolver* solver = s->solver;
    if (body->heldCount == 0 || body->backend->isZeroListed(s->v, body->held, body->heldCount))
    {
        return 0.0;
    }
    spVec4 *still = solver->cg.z, *end = solver->onward;
    body->backend->copy(still, s->v, 0, body->nodeCount);
    body->backend->setFree(still, (spVec3){0, 0, 0}, NULL, s->x, 0, body->nodeCount);
    spSetSubstepPositions(s, end, solver->baseX, s->effectiveStep, still, 0, body->nodeCount);
    return fmax(0.0, spGetElasticEnergy(s, end) - before);
}

// The work of loads does not count here, since the body that stops goes elsewhere than the one that was
// solved; the bound has what gravity gives in a substep of free fall instead
bool spExceedsEnergyBound(const spSubstep* s, bool solved)
{
    double change = spGetInertia(s, s->v), motion = spGetInertia(s, NULL);
    bool resolved = s->solver->inertia == sp_inertiaResolved;
    if (solved && resolved && motion + s->bound.stopLoss <= SP_MOTION_RATIO * s->bound.fall)
    {
        return false;
    }
    double before = spGetElasticEnergy(s, s->solver->baseX), after = spGetElasticEnergy(s, s->x);
    if (s->solver->type == sp_bdf2)
    {
        // Two past states of a stiff body that turns lead to one that is torn
        before = fmin(before, 2.0 * spGetElasticEnergy(s, spGetStart(s)) + motion);
    }
    double most = (1.0 + SP_ROUNDING_SHARE) * before + 2.0 * s->bound.stopLoss + s->bound.fall +
                  spGetSqueezeWork(s) + spGetDrivenEnergy(s, before);
    return !(after + change + spGetMissedEnergy(s) <= most);
}

bool spRaisesIncrementalPotential(const spSubstep* s)
{
    const spBody* body = s->body;
    spImplicitSolver* solver = s->solver;
    spVec4 *onward = solver->onward, *still = solver->cg.z;
    spSetSubstepPositions(s, onward, solver->baseX, s->effectiveStep, solver->iterateV, 0, body->nodeCount);
    body->backend->clear(still, 0, body->nodeCount);
    double end = spGetIncrementalPotential(s, s->v, s->x);
    bool anchored = body->heldCount > 0 && body->backend->isZeroListed(s->v, body->held, body->heldCount);
    // A body that is free, or moved, may turn as it moves on, and is as much out of shape then
    double most = spGetIncrementalPotential(s, still, solver->baseX);
    most = anchored ? most : fmax(most, spGetIncrementalPotential(s, solver->iterateV, onward));
    return !(end <= most + SP_ROUNDING_SHARE * fabs(most));
}
