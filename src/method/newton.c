// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Newton's method over one implicit substep. A single linearisation is taken as it is unless it leads too
// far; with more than one the next ones stand at the iterates, and a step along dv is cut where the force
// along it has turned round. Near the end their stiffness is exact, as long as that helps.

#include "method/implicit_substep.h"

#include "body/sets.h"
#include "math/vec3.h"
#include "method/spectrum.h"

#include <math.h>
#include <string.h>

// Solves for which rows act, at most; a rescue has twice as many
#define SP_ROW_ROUNDS 6

// Cuts of a Newton step, and the force along it that is let pass, as a share of that at its start
#define SP_LINE_CUTS 8
#define SP_LINE_SHARE 0.5
// Net force over load from which on the exact stiffness is used, and what a step with it must leave of it
#define SP_EXACT_LIMIT 0.1
#define SP_EXACT_GAIN 0.7

// Steps of Newton's method that are rounding: this many units in the last place of the farthest node
#define SP_ROUNDING_STEPS 4

// Tolerance up to which a solve starts from the last change. What a loose one leaves of it would stay from step to
// step and drive the body: conjugate gradients from nothing take energy out, whatever their tolerance, and reach a
// loose one in fewer iterations.
#define SP_WARM_TOLERANCE 0.01

// Linearisations of a substep whose first one leads too far, and what they may leave of the force
#define SP_RESCUE_STEPS 16
#define SP_RESCUE_TOLERANCE 0.05
// Conjugate gradients after which no other one is tried, with contacts by the law
#define SP_RESCUE_WORK 1000
// Share of the kinetic energy that these forces may have the first time
#define SP_RESCUE_ENERGY 1e-4
// Strain energy that straight paths may leave in a body that turns, as a share of its kinetic energy
#define SP_TURN_ENERGY 1e-3
// A body moves rigidly when no more than this share of its kinetic energy is in other motion
#define SP_DEFORMING_SHARE 0.01

typedef struct spNewton
{
    int limit; // linearisations
    double tolerance;
    double load;       // that the residual is measured against, N s
    bool project;      // never use the exact stiffness
    bool atIterate;    // the last linearisation stood at baseX + r v
    spCgResult linear; // the last solve
    bool turned;       // linearised again because the turn has stretched the body
    uint32_t flags;
} spNewton;

// ---- norms over what is free ----

// Leaves in cg.t what constraints leave of a; what stands at them can be much larger than all the rest
static const spVec4* spKeepFree(const spSubstep* s, const spVec4* a)
{
    const spImplicitSolver* solver = s->solver;
    spVec4* free = solver->cg.t;
    s->body->backend->copy(free, a, 0, s->body->nodeCount);
    s->body->backend->project(free, solver->constraints, solver->patchConstraint[s->body->order.patchCount],
                              NULL);
    return free;
}

static double spDotFree(const spSubstep* s, const spVec4* a, const spVec4* b)
{
    return s->solver->system.backend->dot(spKeepFree(s, a), b, 0, s->body->nodeCount);
}

static double spGetFreeNorm(const spSubstep* s, const spVec4* a)
{
    const spVec4* free = spKeepFree(s, a);
    return sqrt(s->solver->system.backend->dot(free, free, 0, s->body->nodeCount));
}

// Of what all constraints exert, contacts by the law, and those of a static step
static double spGetReactionNorm(const spSubstep* s)
{
    const spImplicitSolver* solver = s->solver;
    double sum = 0.0;
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        const spRowSolve* r = solver->rowSolves + i;
        sum += r->status == sp_statusLaw ? (double)spLengthSquared3(r->impulse) : 0.0;
    }
    for (int i = 0; i < solver->patchConstraint[s->body->order.patchCount]; ++i)
    {
        sum += (double)spLengthSquared3(spSub3(solver->rawProduct[i], solver->rawB[i]));
    }
    return sqrt(sum + spGetPenaltyNorm2(s));
}

// ---- one linearisation ----

// BDF2 begins at the end that its past leads to. Linearised where the substep starts, forces would have the
// directions from there: in a body that turns by an angle they lag behind by it, and what should only bend its
// way drives it on. Backward Euler, whose forces are meant to be those of the end too, gets back by the lag what
// it loses in a turn.
static void spStartFromPrediction(spSubstep* s)
{
    const spBackend* backend = s->body->backend;
    spImplicitSolver* solver = s->solver;
    int count = s->body->nodeCount;
    backend->clear(solver->cg.x, 0, count);
    spMoveAlong(s, 0);
    backend->setRightSide(solver->cg.t, 0, solver->cg.x, 1, s->body->mass, s->v, solver->baseV, 0, count);
    s->changeNorm = sqrt(backend->dot(solver->cg.t, solver->cg.t, 0, count));
}

// At the start of the substep, or at an iterate
static void spLinearise(spSubstep* s, bool first)
{
    if (first)
    {
        spFindForces(s);
    }
    spAssemble(s);
    if (first)
    {
        if (s->predicted == false)
        {
            spAddDisplacement(s);
        }
        s->solver->inertia = spFindInertiaResolution(s);
        spStartEnergyBound(s);
    }
}

// A guess at dv: the last one, or nothing
static void spGuessStep(const spSubstep* s, bool first)
{
    const spImplicitSolver* solver = s->solver;
    if (first && solver->hasWarmStart)
    {
        s->body->backend->copy(solver->cg.x, solver->warmStart, 0, s->body->nodeCount);
    }
    else
    {
        s->body->backend->clear(solver->cg.x, 0, s->body->nodeCount);
    }
}

// With contacts by the law. False where they are too many: then the guess stands for an active set.
static bool spSolveByLaw(spSubstep* s, bool first, spCgResult* result)
{
    *result = spSolveContacts(s, first);
    if (s->byLaw == false)
    {
        s->body->backend->copy(s->v, s->solver->iterateV, 0, s->body->nodeCount);
        spLeaveLaw(s);
        spGuessStep(s, first);
    }
    return s->byLaw;
}

// Solves it, rows included. Where the result exceeds the energy bound it is solved again, from the rigid
// motion; failing that, the substep ends with the rigid motion.
static spCgResult spSolveLinearisation(spSubstep* s, bool first)
{
    spImplicitSolver* solver = s->solver;
    s->body->backend->copy(solver->iterateV, s->v, 0, s->body->nodeCount);
    double most = s->bound.active ? spGetModelBound(s) : INFINITY;
    spGuessStep(s, first);
    spCgResult result = {0};
    bool law = s->byLaw;
    if (law && spSolveByLaw(s, first, &result))
    {
        return result;
    }
    most = law && s->bound.active ? spGetModelBound(s) : most;
    result = spSolveActiveSet(s, first, SP_ROW_ROUNDS);
    if (s->unsettled && law == false && spPrefersLaw(s) == false && spEnterLaw(s))
    {
        spGuessStep(s, first);
        if (spSolveByLaw(s, first, &result))
        {
            return result;
        }
        result = spSolveActiveSet(s, first, SP_ROW_ROUNDS);
    }
    if (s->bound.active == false || spGetModelChange(s) <= most)
    {
        return result;
    }
    if (result.late == false)
    {
        spStartFromRigidMotion(s);
        s->phase = sp_phaseLayers;
        result = spSolveActiveSet(s, false, 2 * SP_ROW_ROUNDS);
        s->phase = sp_phaseNewton;
        if (spGetModelChange(s) <= most)
        {
            return result;
        }
    }
    spEndWithRigidMotion(s);
    result.converged = false;
    return result;
}

// Solves for the Newton step, dv in cg.x
static void spFindStep(spSubstep* s, spNewton* n, bool first)
{
    n->linear = spSolveLinearisation(s, first);
    s->problem->report->newtonSteps += 1;
    if (first && s->phase != sp_phaseRigid)
    {
        double reactions = n->limit > 1 ? spGetReactionNorm(s) : 0.0;
        n->load = fmax(spGetFreeNorm(s, s->solver->cg.b), fmax(s->weightNorm, s->changeNorm));
        n->load = fmax(n->load, reactions);
    }
    if (s->phase != sp_phaseRigid && n->linear.indefinite && s->fill.project == false)
    {
        // This step uses the positive part of the stiffness
        spMoveAlong(s, 0);
        s->fill.project = true;
        spAssemble(s);
        n->linear = spSolveLinearisation(s, false);
    }
}

// ---- line search ----

// Cuts the step along dv until the force along it has not turned round too far. The right-hand side at the
// end is left in solver->f, and with the rows in cg.b. full: takes the full step, because constraints
// prescribe motion and the force along dv says nothing
static void spSearchLine(const spSubstep* s, double slope, bool full)
{
    spImplicitSolver* solver = s->solver;
    spReal share = (spReal)spGetStaticShare(s);
    for (int cut = 0; cut <= SP_LINE_CUTS; ++cut)
    {
        spMoveAlong(s, share);
        spFindForces(s);
        s->body->backend->copy(solver->cg.b, solver->f, 0, s->body->nodeCount);
        spAddRowImpulses(s, solver->cg.b);
        double end = spDotFree(s, solver->cg.b, solver->cg.x);
        if ((full || !(end < -SP_LINE_SHARE * fabs(slope))) && isfinite(end))
        {
            return;
        }
        // Where a straight line between the two would cross zero, within bounds
        double zero = isfinite(end) && slope > 0.0 ? slope / (slope - end) : 0.1;
        share *= (spReal)fmin(0.7, fmax(0.1, zero));
    }
}

// Whether the last Newton step, taken in full, would move nodes by no more than positions resolve. A line
// search only sees rounding then: how much of the step it took says nothing.
static bool spIsRounding(const spSubstep* s)
{
    const double epsilon = sizeof(spReal) == sizeof(float) ? 1.2e-7 : 2.2e-16;
    const spBackend* backend = s->body->backend;
    double r = (double)s->effectiveStep,
           moved = r * backend->maxLength(s->solver->cg.x, 0, s->body->nodeCount);
    // With remainders it is velocities that are rounded
    bool precise = s->force.state.remainder > 0;
    double size = precise ? r * backend->maxLength(s->v, 0, s->body->nodeCount) : s->solver->extent;
    return moved <= SP_ROUNDING_STEPS * epsilon * size;
}

// ---- whether a single linearisation will do ----

// Whether neighbours have moved against each other by more than their own distance. most: the largest squared
// displacement, and distance between them
static bool spFindStretch(const spSubstep* s, double most[2])
{
    return s->body->backend->findStretch(most, &s->solver->system.sparse, s->solver->baseX, s->v,
                                         s->effectiveStep);
}

// Whether the step has left the region where a linearisation can be trusted: the stiffness grows without
// bound as elements deform, and some neighbours have moved against each other by more than their distance
static bool spLeavesTrustRegion(const spSubstep* s)
{
    double most[2];
    return s->fill.bound == false && spStiffens(s->body) && spFindStretch(s, most);
}

// Whether neighbours have moved against each other by more than the largest distance of any: what bounds the
// stiffness near the shape at rest may not do so there
static bool spLeavesBound(const spSubstep* s)
{
    double most[2];
    spFindStretch(s, most);
    return !(most[0] <= most[1]);
}

// Whether springs touch by the contact law, from a prediction: then the residual tells how good the step is
static bool spIsLawPredicted(const spSubstep* s)
{
    return s->predicted && s->byLaw && s->body->tetCount == 0;
}

// Evaluates the residual at the end of the step into cg.d, rows included; solver->f gets the right-hand side without
// them. False where the residual says nothing: forces are linear, bounded or prescribed, or the work is truncated.
static bool spFindEnd(const spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    bool constant = true;
    for (int i = 0; i < s->body->setCount; ++i)
    {
        constant = constant && s->body->sets[i]->constant;
    }
    if (constant || s->fill.bound || (s->prescribed && spIsLawPredicted(s) == false) ||
        solver->limit.truncated)
    {
        return false;
    }
    spFindForces(s);
    s->body->backend->copy(solver->cg.d, solver->f, 0, s->body->nodeCount);
    spAddRowImpulses(s, solver->cg.d);
    return true;
}

// Whether the step has overshot. From a prediction: more force is left than a rescue would leave. Else the force
// along dv has turned round where it ends by more than a line search lets pass, as it also has where a body turns,
// and the body has gained energy.
static bool spOvershoots(const spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    // Contacts that open and close in an active set leave force of their own
    if ((s->predicted && s->problem->rowCount == 0) || spIsLawPredicted(s))
    {
        double load = fmax(fmax(s->weightNorm, s->changeNorm), spGetReactionNorm(s));
        return !(spGetFreeNorm(s, solver->cg.d) <= SP_RESCUE_TOLERANCE * load) && spIsRounding(s) == false;
    }
    double slope = spDotFree(s, solver->cg.b, solver->cg.x);
    double end = spDotFree(s, solver->cg.d, solver->cg.x);
    return !(end >= -SP_LINE_SHARE * fabs(slope)) && spIsRounding(s) == false &&
           spRaisesIncrementalPotential(s);
}

// What a rescue may leave of the force. Without a past BDF2 begins where a straight way leads to, which stretches a
// body that turns: the energy that the first linearisation takes out again may be a thousand times that of the
// motion, and goes with the square of the force.
static double spGetRescueTolerance(const spSubstep* s)
{
    const spBody* body = s->body;
    if (s->predicted == false || s->solver->stepRatio > 0)
    {
        return SP_RESCUE_TOLERANCE;
    }
    double work = spDotFree(s, s->solver->cg.b, s->solver->cg.x);
    double kinetic = body->backend->sumInertia(body->mass, NULL, s->v, s->x, 0, body->nodeCount);
    return fmin(SP_RESCUE_TOLERANCE,
                sqrt(SP_RESCUE_ENERGY * kinetic / fmax(work, SP_RESCUE_ENERGY * kinetic)));
}

// Whether what the elements of a body exert has no torque
static bool spAreElementsFree(const spBody* body)
{
    bool free = true;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spTetSet* tets = spGetTetSet(body, i);
        free =
            free && body->sets[i]->constant == false && (tets == NULL || tets->law != sp_tetCorotationalEdge);
    }
    return free;
}

// Estimate of the strain energy that a turn leaves in the body: along straight paths nodes end outside of their circles,
// by half the square of the angle, and the residual pulls them back
static double spGetTurnEnergy(const spSubstep* s, const spRigidMotion* turn, const spVec4* left)
{
    const spBody* body = s->body;
    spVec4 *velocity = s->solver->onward, *inward = s->solver->cg.z;
    int count = body->nodeCount;
    spRigidMotion about = *turn, spin = {0};
    memset(about.velocity, 0, sizeof(about.velocity));
    memcpy(spin.spin, turn->spin, sizeof(spin.spin));
    body->backend->clear(velocity, 0, count);
    body->backend->addRigid(velocity, &about, 1.0, s->x, 0, count);
    body->backend->clear(inward, 0, count);
    body->backend->addRigid(inward, &spin, 1.0, velocity, 0, count);
    return 0.25 * (double)s->effectiveStep * spDotFree(s, left, inward);
}

// Whether the body moves rigidly but for a small share. motion: the rigid motion nearest to it
static bool spMovesRigidly(const spSubstep* s, spRigidMotion* motion)
{
    const spBody* body = s->body;
    const spBackend* backend = body->backend;
    spVec4* velocity = s->solver->onward;
    int count = body->nodeCount;
    *motion = spFindRigidMotion(body, s->x, s->v, true);
    backend->clear(velocity, 0, count);
    backend->addRigid(velocity, motion, 1.0, s->x, 0, count);
    double deforming = backend->sumInertia(body->mass, s->v, velocity, s->x, 0, count);
    return deforming <= SP_DEFORMING_SHARE * backend->sumInertia(body->mass, NULL, s->v, s->x, 0, count);
}

// Whether nothing but gravity acts on the body
static bool spFlies(const spSubstep* s)
{
    return s->body->heldCount == 0 && s->problem->rowCount == 0 && s->body->loads == NULL;
}

// Whether the turn of a flying body has left more strain energy in it than it should, which the next steps would turn into
// motion. Linearising once more, with the directions at the end, removes it. Not for elements that exert a torque of their
// own: their error and that of the directions cancel.
static bool spIsStretchedByTurn(const spSubstep* s, spNewton* n, const spVec4* left)
{
    const spBody* body = s->body;
    spRigidMotion turn;
    if (s->predicted || spFlies(s) == false || spAreElementsFree(body) == false ||
        spMovesRigidly(s, &turn) == false)
    {
        return false;
    }
    double kinetic = body->backend->sumInertia(body->mass, NULL, s->v, s->x, 0, body->nodeCount);
    double stretch = spGetTurnEnergy(s, &turn, left);
    if (!(stretch > SP_TURN_ENERGY * kinetic))
    {
        return false;
    }
    double force = spGetFreeNorm(s, left);
    n->turned = true;
    n->limit = spMaxInt(n->limit, SP_RESCUE_STEPS);
    n->load = fmax(n->load, force);
    n->tolerance = fmin(SP_RESCUE_TOLERANCE, sqrt(SP_RESCUE_ENERGY * kinetic / stretch) * force / n->load);
    return true;
}

// Whether a single linearisation is enough. If not, it would throw the body, and the substep takes more of
// them, with line search.
static bool spIsSingleEnough(const spSubstep* s, spNewton* n)
{
    n->flags |= s->fill.bound && spLeavesBound(s) ? sp_stepUnstable : 0;
    bool far = spLeavesTrustRegion(s) || (s->bound.active && spExceedsEnergyBound(s, n->linear.converged));
    bool evaluated = (far == false || spFlies(s)) && spFindEnd(s);
    if (evaluated && spIsStretchedByTurn(s, n, s->solver->cg.d))
    {
        return false;
    }
    if (far || (evaluated && spOvershoots(s)))
    {
        n->limit = SP_RESCUE_STEPS;
        n->tolerance = spGetRescueTolerance(s);
        return false;
    }
    return true;
}

// ---- Newton's method ----

// After the line search: the residual, and whether it is the last
static bool spIsLastStep(spSubstep* s, const spNewton* n)
{
    spSolverReport* report = s->problem->report;
    double before = report->forceResidual;
    report->forceResidual = n->load > 0.0 ? spGetFreeNorm(s, s->solver->cg.b) / n->load : 0.0;
    // Far from the end, or where it does not help, the exact stiffness may lead anywhere
    bool far = report->forceResidual > SP_EXACT_LIMIT;
    bool helps = s->fill.project || report->forceResidual < SP_EXACT_GAIN * before;
    report->rounded = n->atIterate && n->linear.converged && n->linear.iterations > 0 &&
                      (s->fill.project || report->forceResidual < SP_EXACT_LIMIT) && spIsRounding(s);
    s->fill.project = n->project || far || helps == false;
    return report->forceResidual <= n->tolerance || report->rounded || spShouldStop(s->problem->stop) ||
           spGetWorkLeft(s) <= s->solver->limit.linearisationCost ||
           (s->byLaw && spGetWork(s) - s->workBefore > SP_RESCUE_WORK);
}

// Whether Newton's method would end with a body that its turn has stretched
static bool spEndsStretched(const spSubstep* s, spNewton* n, int k)
{
    bool over = s->problem->report->rounded || spShouldStop(s->problem->stop) || k + 1 >= SP_RESCUE_STEPS;
    return over == false && spIsRounding(s) == false && spIsStretchedByTurn(s, n, s->solver->cg.b);
}

static bool spIsConverged(const spSubstep* s, const spNewton* n)
{
    const spSolverReport* report = s->problem->report;
    double tolerance = fmax(n->tolerance, (double)s->solver->def.newtonTolerance);
    bool small = report->forceResidual <= tolerance || report->rounded;
    return s->phase != sp_phaseRigid && (n->limit == 1 ? n->linear.converged : small);
}

// Whether gravity and the user's forces are all that acts from outside
static bool spAreLoadsKnown(const spSubstep* s)
{
    bool known = s->problem->rowCount == 0 && spIsFree(s);
    for (int i = 0; i < s->body->setCount; ++i)
    {
        known = known && (s->body->sets[i]->kind->flags & sp_kindField) == 0;
    }
    return known;
}

// Gives a body that nothing holds the momentum that its loads leave it: where its solve was truncated, and, where
// forces are those at the end, always. Of a stiff body their sums are small differences of large numbers.
static void spRestoreMomentum(const spSubstep* s, bool turned)
{
    spImplicitSolver* solver = s->solver;
    const spBody* body = s->body;
    const spVec4* x = s->predicted ? s->x : solver->baseX;
    int count = body->nodeCount;
    body->backend->setLoadImpulses(solver->cg.d, body->mass, solver->baseV, s->v, s->effectiveStep,
                                   s->problem->gravity, spGetLoads(body), 0, count);
    spRigidMotion owed = spFindRigidMotion(body, x, solver->cg.d, false);
    spLimitRotation(&owed, (double)s->h);
    if (turned)
    {
        // A spin about the nodes where they end does not stretch the body again
        x = s->x;
        memcpy(owed.centre, spFindRigidMotion(body, x, s->v, true).centre, sizeof(owed.centre));
    }
    body->backend->clear(solver->cg.x, 0, count);
    body->backend->addRigid(solver->cg.x, &owed, 1.0, x, 0, count);
    body->backend->copy(solver->iterateV, s->v, 0, count);
    spMoveAlong(s, 1);
}

// Whether a body may have lost momentum that nothing took: by the forces of its end, or where its solve was truncated
static bool spOwesMomentum(const spSubstep* s, const spNewton* n)
{
    const spImplicitSolver* solver = s->solver;
    return s->predicted || n->turned ? s->phase != sp_phaseRigid && spAreElementsFree(s->body)
                                     : solver->limit.truncated && solver->unconverged;
}

uint32_t spSolveNewton(spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    spSolverReport* report = s->problem->report;
    spNewton n = {.limit = solver->def.newtonSteps,
                  .tolerance = spGetTolerance(s, (double)solver->def.newtonTolerance),
                  .project = s->fill.project};
    s->fill.project = true;
    if (s->predicted)
    {
        spStartFromPrediction(s);
    }
    for (int k = 0; k < n.limit; ++k)
    {
        n.atIterate = k > 0 || s->isStatic || s->predicted;
        spLinearise(s, k == 0);
        spFindStep(s, &n, k == 0);
        if (s->phase == sp_phaseRigid || (n.limit == 1 && spIsSingleEnough(s, &n)))
        {
            break;
        }
        spSearchLine(s, spDotFree(s, solver->cg.b, solver->cg.x), k == 0 && s->prescribed);
        bool last = spIsLastStep(s, &n);
        if (last && spEndsStretched(s, &n, k))
        {
            // With the same work again
            s->workBefore = spGetWork(s);
            last = false;
        }
        spRenewForContacts(s, n.linear.iterations);
        if (last)
        {
            break;
        }
    }
    if (s->bound.active && s->phase != sp_phaseRigid && n.limit > 1 &&
        spExceedsEnergyBound(s, n.linear.converged))
    {
        spEndWithRigidMotion(s);
    }
    if (s->byLaw && n.limit > 1 && s->phase != sp_phaseRigid)
    {
        spKeepLaw(s);
    }
    bool converged = spIsConverged(s, &n);
    report->converged = report->converged && converged;
    solver->unconverged = converged == false;
    if (spOwesMomentum(s, &n) && spAreLoadsKnown(s))
    {
        spRestoreMomentum(s, n.turned);
    }
    s->body->backend->copy(solver->warmStart, solver->cg.x, 0, s->body->nodeCount);
    solver->hasWarmStart = n.limit == 1 && s->phase != sp_phaseRigid && s->predicted == false &&
                           (double)solver->def.tolerance <= SP_WARM_TOLERANCE;
    return n.flags | (converged ? 0 : sp_stepSolverStopped);
}
