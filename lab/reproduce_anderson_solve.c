// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One step of XPBD from the same start by one solver after the other. Sweeps are recorded: residuals, energy
// and the distance to the true end of the step, which costs more than they do. Milliseconds are those of
// whole steps that record nothing.

#include "cli/tools.h"
#include "reproduce_anderson.h"

#include <math.h>
#include <stdlib.h>

typedef struct spSolverRow
{
    spXpbdSolver solver;
    spAccelerator accelerator;
    double relaxation;
    int window;
} spSolverRow;

const char* const g_bentSolverNames[sp_bentSolverCount] = {
    "gaussSeidel", "sor 1.5",    "lambdaSor 1.5", "lambdaSor 10", "chebyshev 0.9", "printed 1",
    "printed 10",  "anderson 2", "anderson 5",    "anderson 10",  "auto",
};

static const spSolverRow s_solvers[sp_bentSolverCount] = {
    {sp_xpbdGaussSeidel, sp_accelerateNone, 1.0, 5},
    {sp_xpbdGaussSeidel, sp_accelerateSor, 1.5, 5},
    {sp_xpbdGaussSeidel, sp_accelerateLambdaSor, 1.5, 5},
    {sp_xpbdGaussSeidel, sp_accelerateLambdaSor, 10.0, 5},
    {sp_xpbdGaussSeidel, sp_accelerateChebyshev, 1.0, 5},
    {sp_xpbdGaussSeidel, sp_accelerateAndersonPrinted, 1.0, 5},
    {sp_xpbdGaussSeidel, sp_accelerateAndersonPrinted, 10.0, 5},
    {sp_xpbdGaussSeidel, sp_accelerateAnderson, 1.0, 2},
    {sp_xpbdGaussSeidel, sp_accelerateAnderson, 1.0, 5},
    {sp_xpbdGaussSeidel, sp_accelerateAnderson, 1.0, 10},
    {sp_xpbdAuto, sp_accelerateNone, 1.0, 5},
};

// Sweeps whose time the automatic solver gets
#define SP_LONG_SWEEPS 1500

static const int s_budgets[] = {1,  2,  3,   4,   5,   6,   7,   8,   9,    10,   11,  12,
                                13, 14, 15,  16,  18,  20,  22,  25,  30,   35,   40,  50,
                                60, 80, 100, 150, 200, 300, 500, 700, 1000, 1500, 2500};
#define SP_BUDGET_COUNT ((int)(sizeof(s_budgets) / sizeof(s_budgets[0])))

spMethodDef spMakeBentMethod(spBentSolver solver, int iterations)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_xpbd;
    method.xpbd.solver = s_solvers[solver].solver;
    method.xpbd.accelerator = s_solvers[solver].accelerator;
    method.xpbd.relaxation = (spReal)s_solvers[solver].relaxation;
    method.xpbd.window = s_solvers[solver].window;
    // The thesis limits the condition of its window to this
    if (s_solvers[solver].accelerator == sp_accelerateAndersonPrinted)
    {
        method.xpbd.conditionLimit = (spReal)1e3;
    }
    method.xpbd.iterations = iterations;
    return method;
}

// A step at rest, so that what is kept from step to step is there, then to the start
static bool spStartStep(const spBentBody* body, spBentSolver solver, int iterations)
{
    spMethodDef method = spMakeBentMethod(solver, iterations);
    if (spBody_SetMethod(body->test.world, body->test.body, &method) == false)
    {
        return false;
    }
    spPlaceBody(body, body->rest);
    spWorld_Step(body->test.world, (spReal)SP_BENT_DT);
    spPlaceBody(body, body->start);
    return true;
}

// Milliseconds of a whole step, best of three
static double spTimeStep(const spReproduction* r, const spBentBody* body, spBentSolver solver, int iterations)
{
    double best = INFINITY;
    for (int i = 0; i < (r->quick ? 1 : 3); ++i)
    {
        if (spStartStep(body, solver, iterations))
        {
            double start = spGetClock();
            spWorld_Step(body->test.world, (spReal)SP_BENT_DT);
            best = fmin(best, 1e3 * (spGetClock() - start));
        }
    }
    return best;
}

// The first record whose value is below a share of the first one; -1 when there is none
static int spFindBelow(const spSweepRun* run, bool residual, double level)
{
    const spSweepRecord* first = run->records;
    for (int i = 1; i < run->count; ++i)
    {
        const spSweepRecord* record = run->records + i;
        if (residual ? record->dual < level * first->dual : record->distance < level * first->distance)
        {
            return i;
        }
    }
    return -1;
}

int spFindResidual(const spSweepRun* run, double level)
{
    int i = run->diverged ? -1 : spFindBelow(run, true, level);
    return i < 0 ? -1 : (int)run->at[i];
}

// What is left after divergence are plain sweeps from the start: they do not count for this solver. Ends
// where it was worst.
static void spCutDivergence(spSweepRun* run)
{
    int worst = 0;
    for (int i = 0; i < run->count; ++i)
    {
        worst = run->records[i].dual > run->records[worst].dual ? i : worst;
    }
    run->count = worst + 1;
}

static void spRecordSolver(const spReproduction* r, const spBentBody* body, spBentSolver solver,
                           spSweepRun* run)
{
    const spTestWorld* test = &body->test;
    if (spStartStep(body, solver, body->sweepCap) == false ||
        spBody_RecordSweeps(test->world, test->body, run->records, body->sweepCap + 1, body->truth) == false)
    {
        return;
    }
    spWorld_Step(test->world, (spReal)SP_BENT_DT);
    spSolverReport report = spBody_GetSolverReport(test->world, test->body);
    run->count = spBody_GetSweepRecordCount(test->world, test->body);
    run->done = run->count > 1;
    run->diverged = report.diverged;
    run->rejected = report.rejected;
    for (int i = 0; i < run->count; ++i)
    {
        run->at[i] = i;
    }
    if (run->done == false)
    {
        return;
    }
    run->msPerSweep = 1e3 * run->records[run->count - 1].seconds / (run->count - 1);
    if (run->diverged)
    {
        spCutDivergence(run);
    }
    const spSweepRecord* last = run->records + run->count - 1;
    run->finalResidual = last->dual / run->records[0].dual;
    run->finalError = last->distance / run->records[0].distance;
    for (int k = 0; k < SP_TARGET_COUNT; ++k)
    {
        int sweeps = run->diverged ? -1 : spFindBelow(run, false, g_bentTargets[k]);
        run->residualSweepsTo[k] = spFindResidual(run, g_bentTargets[k]);
        run->sweepsTo[k] = sweeps;
        run->msTo[k] = sweeps < 0 ? (double)NAN : spTimeStep(r, body, solver, sweeps);
    }
    // How long plain sweeps have not been enough: more of them than are recorded where those end soon
    if (solver == sp_bentPlain && run->sweepsTo[0] < 0)
    {
        run->capSweeps = r->quick || body->sweepCap > SP_LONG_SWEEPS ? body->sweepCap : SP_LONG_SWEEPS;
        run->capMs = spTimeStep(r, body, solver, run->capSweeps);
        if (spGetTrueError(body) < g_bentTargets[0])
        {
            run->capSweeps = body->sweepCap;
            run->capMs = spTimeStep(r, body, solver, run->capSweeps);
        }
    }
}

// The automatic solver is given the time of more and more sweeps
static void spRunBudgets(const spReproduction* r, const spBentBody* body, spSweepRun* run)
{
    run->done = true;
    run->records[0] = (spSweepRecord){.distance = body->distance};
    run->at[0] = 0.0;
    run->count = 1;
    run->finalError = 1.0;
    for (int i = 0; i < SP_BUDGET_COUNT && s_budgets[i] <= body->sweepCap; ++i)
    {
        double ms = spTimeStep(r, body, sp_bentAuto, s_budgets[i]);
        run->finalError = spGetTrueError(body);
        run->records[run->count] =
            (spSweepRecord){.distance = run->finalError * body->distance, .seconds = 1e-3 * ms};
        run->at[run->count] = s_budgets[i];
        run->msPerSweep = ms / s_budgets[i];
        run->count += 1;
        for (int k = 0; k < SP_TARGET_COUNT; ++k)
        {
            if (run->sweepsTo[k] < 0 && run->finalError < g_bentTargets[k])
            {
                run->sweepsTo[k] = s_budgets[i];
                run->msTo[k] = ms;
            }
        }
        if (run->sweepsTo[SP_TARGET_COUNT - 1] > 0)
        {
            break;
        }
    }
}

void spRunBentSolver(spReproduction* r, const spBentBody* body, spBentSolver solver, spSweepRun* run)
{
    *run = (spSweepRun){.records = run->records,
                        .at = run->at,
                        .finalResidual = (double)NAN,
                        .finalError = (double)NAN,
                        .msPerSweep = (double)NAN,
                        .capMs = (double)NAN};
    for (int k = 0; k < SP_TARGET_COUNT; ++k)
    {
        run->sweepsTo[k] = run->residualSweepsTo[k] = -1;
        run->msTo[k] = (double)NAN;
    }
    if (solver == sp_bentAuto)
    {
        spRunBudgets(r, body, run);
    }
    else
    {
        spRecordSolver(r, body, solver, run);
    }
    if (run->done == false)
    {
        spError error = spWorld_GetLastError(body->test.world);
        spReportFailure(r, g_bentSolverNames[solver], &error);
    }
}

spSweepCost spTimeSweeps(const spReproduction* r, const spBentBody* body, spBentSolver solver, int sweeps)
{
    spSweepCost best = {.total = INFINITY};
    // Many short runs: one of them is not disturbed by other programs
    for (int i = 0; i < (r->quick ? 1 : 20); ++i)
    {
        if (spStartStep(body, solver, sweeps) == false)
        {
            continue;
        }
        spWorld_Step(body->test.world, (spReal)SP_BENT_DT);
        spSolverReport report = spBody_GetSolverReport(body->test.world, body->test.body);
        double scale = 1e3 / sweeps, other = report.mixSeconds + report.moveSeconds + report.measureSeconds;
        if (scale * report.solveSeconds < best.total)
        {
            best = (spSweepCost){.sweep = scale * (report.solveSeconds - other),
                                 .mix = scale * report.mixSeconds,
                                 .move = scale * report.moveSeconds,
                                 .measure = scale * report.measureSeconds,
                                 .total = scale * report.solveSeconds};
        }
    }
    return best;
}
