// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The refresh policy: when a new preconditioner is asked for, and when it is taken in use.

#include "method/implicit_substep.h"

#include "base/timer.h"

// A preconditioner is refreshed by need when iterations exceed this many times those after the last refresh,
// and some
#define SP_REFRESH_RATIO 1.5
#define SP_REFRESH_MORE 3
// Steps between two refreshes at least, where solves are truncated
#define SP_TRUNCATED_INTERVAL 12

// Rounds of contacts after which one that is made in the step is made again; of springs, which stiffen along a way that
// turns with them, any
#define SP_MANY_ROUNDS 6

// Iterations of a solve that was stopped: more than any other
#define SP_MANY_ITERATIONS (INT32_MAX / 2)

// Whether a new preconditioner should be asked for: the body was edited, materials or roles have changed, the
// last one could not be made, it is old enough, or iterations have risen. None is made in the step after an edit.
static bool spNeedsRefresh(const spSubstep* s)
{
    const spImplicitSolver* solver = s->solver;
    const spRefreshState* refresh = &solver->refresh;
    if (spIsFactorEdited(solver->factor))
    {
        return solver->def.asynchronous || spIsFactorCut(solver->factor, refresh->stepBegin) == false;
    }
    if (spGetFactorVersion(solver->factor) != s->body->matrixVersion ||
        spGetFrontFactor(solver->factor) == NULL)
    {
        return true;
    }
    int64_t last = spGetFactorStep(solver->factor, false);
    if (solver->def.refresh > 0)
    {
        return refresh->steps - last >= solver->def.refresh;
    }
    // Contacts are solved over it, in rounds: there it pays sooner
    int many = s->body->tetCount > 0 ? SP_MANY_ROUNDS : 1;
    if (solver->def.asynchronous == false && refresh->lastRounds > many)
    {
        return refresh->steps > last;
    }
    double ratio = refresh->lastRounds > 1 ? 1.0 : SP_REFRESH_RATIO;
    double most = ratio * refresh->bestIterations + SP_REFRESH_MORE;
    int interval = solver->limit.truncated ? SP_TRUNCATED_INTERVAL : 1;
    bool known = refresh->bestIterations > 0 || solver->limit.truncated;
    return known && refresh->steps > last + interval && (double)refresh->lastIterations > most;
}

// Whether the clock, or what was decided before, says when a preconditioner is taken in use
static bool spIsTimed(const spSubstep* s)
{
    const spSolverDef* def = &s->solver->def;
    return def->age == 0 && def->asynchronous && s->problem->timing != sp_factorByAge;
}

// Whether the preconditioner that was asked for is to be used from now on
static bool spIsFactorDue(const spSubstep* s)
{
    const spImplicitSolver* solver = s->solver;
    int64_t step = spGetFactorStep(solver->factor, true);
    if (spIsTimed(s))
    {
        return s->problem->timing == sp_factorDecided ? s->problem->factorStep == step
                                                      : spIsFactorDone(solver->factor);
    }
    // Nor is one waited for in the step after an edit
    return solver->refresh.steps - step >= solver->def.age &&
           spIsFactorCut(solver->factor, solver->refresh.stepBegin) == false;
}

static void spAskForFactor(const spSubstep* s)
{
    spFactorRequest request = {.mass = s->mass,
                               .fill = s->fill,
                               .time = s->problem->time,
                               .step = s->solver->refresh.steps,
                               .version = s->body->matrixVersion};
    request.fill.project = true;
    if (s->isStatic)
    {
        const spCgVectors* cg = &s->solver->cg;
        spFillPenaltyStiffness(s, cg->z, cg->t);
        request.contacts[0] = cg->z;
        request.contacts[1] = cg->t;
    }
    spRequestFactor(s->solver->factor, s->x, s->v, &request);
}

// Waits for the one that was asked for
static void spTakeAsked(const spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    double waited = spTakeFactor(solver->factor);
    s->problem->report->waitSeconds = waited;
    solver->refresh.waitCount += waited > 0.0;
    solver->refresh.bestIterations = 0;
}

static bool spKeepsFactor(const spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    return spKeepFactor(solver->factor, &solver->system, s->problem->team, solver->refresh.steps);
}

void spRenewPreconditioner(const spSubstep* s)
{
    spFactor* f = s->solver->factor;
    if (f != NULL && s->solver->def.asynchronous == false)
    {
        spAskForFactor(s);
        spTakeFactor(f);
        s->solver->refresh.bestIterations = 0;
        s->problem->report->factorCount = spGetFactorCount(f);
    }
}

int64_t spRefreshPreconditioner(const spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    spFactor* f = solver->factor;
    spSolverReport* report = s->problem->report;
    int64_t taken = -1;
    if (spIsFactorAsked(f) && spIsFactorDue(s))
    {
        taken = spIsTimed(s) ? spGetFactorStep(f, true) : -1;
        spTakeAsked(s);
    }
    bool kept = spKeepsFactor(s);
    if (kept == false && spIsFactorAsked(f))
    {
        spTakeAsked(s);
        kept = spKeepsFactor(s);
    }
    if (kept == false)
    {
        // The first one is waited for: there is nothing to go on with
        spAskForFactor(s);
        spTakeFactor(f);
        solver->refresh.bestIterations = 0;
    }
    if (spIsFactorAsked(f) == false && spNeedsRefresh(s))
    {
        spAskForFactor(s);
        if (solver->def.asynchronous == false)
        {
            spTakeFactor(f);
            solver->refresh.bestIterations = 0;
        }
    }
    if (solver->def.warp && spGetFactorStep(f, false) < solver->refresh.steps)
    {
        spTurnFactor(f, &solver->system.sparse, s->x, s->problem->team);
    }
    report->factorStep = spGetFactorStep(f, false);
    report->factorCount = spGetFactorCount(f);
    report->waitCount = solver->refresh.waitCount;
    report->buildSeconds = spGetFactorSeconds(f);
    return taken;
}

void spRecordIterations(const spSubstep* s, int iterations)
{
    spRefreshState* refresh = &s->solver->refresh;
    // A solve that was stopped would have needed more, nobody knows how many
    bool stopped = s->problem->stop->stopped || (s->solver->limit.truncated && s->solver->unconverged);
    refresh->lastIterations = stopped ? SP_MANY_ITERATIONS : iterations;
    if (stopped == false && (refresh->bestIterations == 0 || iterations < refresh->bestIterations))
    {
        refresh->bestIterations = iterations;
    }
}
