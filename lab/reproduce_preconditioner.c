// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Courtecuisse. Nouvelles architectures paralleles pour simulations interactives medicales. 2011, section
// 3.4: preconditioners that are made on a thread of their own while the simulation goes on, and turned with
// the nodes. The thesis does not say what the beam measures, which unit its moduli have, and how long a step
// is: ours is 1 m long, the moduli are in kPa, a step is 0.02 s. Iterations are compared, and what follows
// from them; times of the thesis are those of its machine (quad-core i7 at 3.07 GHz with a GTX 480) and stand
// beside ours for information.

#include "reproduce_preconditioner.h"

#include "cli/tools.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SP_PART_COUNT 6

// On the beam of three materials, m/s^2: it bends by three quarters of its length. With 9.81 m/s^2 the soft
// end folds under the rest.
#define SP_TABLE_GRAVITY 5.0

// ---- runs ----

double spGetBeamTolerance(void)
{
    return sizeof(spReal) == sizeof(double) ? 1e-7 : 1e-4;
}

spSolverDef spMakeBeamSolver(spPreconditionerType type, bool asynchronous, bool warp, int refresh, int age)
{
    spSolverDef solver = spDefaultMethodDef().solver;
    solver.preconditioner = type;
    solver.tolerance = (spReal)spGetBeamTolerance();
    solver.maxIterations = 10000;
    solver.asynchronous = asynchronous;
    solver.warp = warp;
    solver.refresh = refresh;
    solver.age = age;
    return solver;
}

// Processor time of the calling thread, s: what other programs do is not in it
static double spGetOwnClock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void spTakeStep(const spTestWorld* test, double dt, spSolveRun* run)
{
    double start = spGetSeconds(), ownStart = spGetOwnClock();
    spWorld_Step(test->world, (spReal)dt);
    double own = spGetOwnClock() - ownStart, wall = spGetSeconds() - start;
    if (run->count == SP_MOST_STEPS)
    {
        return;
    }
    spSolverReport report = spBody_GetSolverReport(test->world, test->body);
    int i = run->count;
    run->steps[i] = i;
    run->iterations[i] = report.iterations;
    run->stepMs[i] = 1e3 * wall;
    run->ownMs[i] = 1e3 * own;
    run->assembleMs[i] = 1e3 * report.assembleSeconds;
    run->solveMs[i] = 1e3 * report.solveSeconds;
    run->buildMs[i] = 1e3 * report.buildSeconds;
    run->factorSteps[i] = report.factorStep;
    run->unsolved += report.converged ? 0 : 1;
    run->factorCount = report.factorCount;
    run->waits = report.waitCount;
    run->count += 1;
}

// The value that a share of the values lies below. Sorts them.
static double spGetQuantile(double* values, int count, double share)
{
    spSortNumbers(values, count);
    return count > 0 ? values[(int)(share * (count - 1) + 0.5)] : (double)NAN;
}

void spSummarizeRun(spSolveRun* run)
{
    double times[SP_MOST_STEPS], own[SP_MOST_STEPS], handOvers[SP_MOST_STEPS], spikes[SP_MOST_STEPS];
    double assemblies[SP_MOST_STEPS];
    int n = run->count - 1, last = 0, spikeCount = 0;
    for (int i = 1; i <= n; ++i)
    {
        run->meanIterations += run->iterations[i] / n;
        run->meanStep += run->stepMs[i] / n;
        assemblies[i - 1] = run->assembleMs[i];
        run->meanSolve += run->solveMs[i] / n;
        run->meanBuild += run->buildMs[i] / n;
        times[i - 1] = run->stepMs[i];
        own[i - 1] = run->ownMs[i];
        if (run->factorSteps[i] != run->factorSteps[i - 1])
        {
            handOvers[run->handOvers] = run->stepMs[i];
            run->handOvers += 1;
            run->longest = i - last > run->longest ? i - last : run->longest;
            last = i;
            if (i < n)
            {
                spikes[spikeCount] = run->ownMs[i] / run->ownMs[i + 1];
                spikeCount += 1;
            }
        }
        int age = (int)(i - run->factorSteps[i]);
        run->oldest = age > run->oldest ? age : run->oldest;
    }
    // The last factor has served until the end
    run->longest = n + 1 - last > run->longest ? n + 1 - last : run->longest;
    run->medianStep = spGetQuantile(times, n, 0.5);
    run->highRatio = spGetQuantile(times, n, 0.95) / run->medianStep;
    run->mostRatio = spGetQuantile(times, n, 1.0) / run->medianStep;
    run->medianAssemble = spGetQuantile(assemblies, n, 0.5);
    run->medianOwn = spGetQuantile(own, n, 0.5);
    run->ownRatio = spGetQuantile(own, n, 1.0) / run->medianOwn;
    run->spike = spGetQuantile(spikes, spikeCount, 0.5);
    run->handOver = spGetQuantile(handOvers, run->handOvers, 0.5);
}

static bool spStepBeam(const spTestWorld* test, const spSolverBeamDef* def, spLoadFcn* fcn, int stepCount,
                       spSolveRun* run)
{
    spLoad load = {.test = test,
                   .def = def,
                   .nodeCount = spBody_GetNodeCount(test->world, test->body),
                   .stepCount = stepCount};
    spVec3* positions = calloc(2 * (size_t)load.nodeCount, sizeof(spVec3));
    if (positions == NULL)
    {
        return false;
    }
    spBody_CopyPositions(test->world, test->body, positions, load.nodeCount);
    load.rest = positions;
    load.work = positions + load.nodeCount;
    for (load.step = 0; load.step < stepCount; ++load.step)
    {
        if (fcn != NULL)
        {
            fcn(&load);
        }
        spTakeStep(test, SP_BEAM_DT, run);
    }
    free(positions);
    return true;
}

bool spRunBeam(spReproduction* r, const spSolverBeamDef* def, spLoadFcn* load, int stepCount, spSolveRun* run)
{
    *run = (spSolveRun){0};
    spTestWorld test = spBuildSolverBeam(def);
    if (test.world == NULL)
    {
        // A build without CHOLMOD says so, and the other rows go on
        if (test.error.code == sp_errorUnsupported)
        {
            spReportNote(r, "not in this build: %s", test.error.message);
        }
        else
        {
            spReportFailure(r, "beam", &test.error);
        }
        return false;
    }
    bool ran = spStepBeam(&test, def, load, stepCount, run);
    spDestroyTestWorld(&test);
    spSummarizeRun(run);
    return ran;
}

spVec3 spTurnZ(spVec3 v, double angle)
{
    double c = cos(angle), s = sin(angle), x = (double)v.x, y = (double)v.y;
    return (spVec3){(spReal)(c * x - s * y), (spReal)(s * x + c * y), v.z};
}

spVec3 spTurnX(spVec3 v, double angle)
{
    double c = cos(angle), s = sin(angle), y = (double)v.y, z = (double)v.z;
    return (spVec3){v.x, (spReal)(c * y - s * z), (spReal)(s * y + c * z)};
}

void spShrinkBeam(const spReproduction* r, spSolverBeamDef* def)
{
    if (r->quick)
    {
        def->cells[0] = 10;
        def->cells[1] = def->cells[2] = 3;
    }
}

// ---- figure 3.16a: preconditioners on a beam of three materials ----

typedef struct spTableRow
{
    const char* name;
    spPreconditionerType type;
    bool asynchronous;
    double iterations, build, solve, total; // of the thesis, ms
} spTableRow;

static void spReportTableRow(spReproduction* r, const spTableRow* row, const spSolveRun* run)
{
    char quantity[80], published[40];
    // Fewer iterations than published support what the thesis says
    bool complete = row->type == sp_preconditionCholesky && row->asynchronous == false;
    double most = complete ? 1.0 + 1e-9 : 2.0 * row->iterations;
    bool agrees = run->meanIterations <= most;
    if (row->type == sp_preconditionNone)
    {
        agrees = agrees && run->meanIterations >= 0.5 * row->iterations;
    }
    snprintf(quantity, sizeof(quantity), "%s: iterations", row->name);
    snprintf(published, sizeof(published), "%.2f", row->iterations);
    spReportRow(r, quantity, "", published, run->meanIterations, spInFull(r, agrees));
    if (row->type != sp_preconditionNone)
    {
        snprintf(quantity, sizeof(quantity), "%s: making it%s", row->name,
                 row->asynchronous ? ", on its thread" : "");
        snprintf(published, sizeof(published), row->asynchronous ? "%.2f ms" : "%.2f ms", row->build);
        spReportRow(r, quantity, "ms", published, run->meanBuild, sp_notJudged);
    }
    snprintf(quantity, sizeof(quantity), "%s: solve", row->name);
    snprintf(published, sizeof(published), "%.2f ms", row->solve);
    spReportRow(r, quantity, "ms", published, run->meanSolve, sp_notJudged);
    snprintf(quantity, sizeof(quantity), "%s: whole step", row->name);
    snprintf(published, sizeof(published), "%.2f ms", row->total);
    spReportRow(r, quantity, "ms", published, run->meanStep, sp_notJudged);
}

static spSolverBeamDef spMakeThirds(const spReproduction* r, double gravity)
{
    spSolverBeamDef def = spDefaultSolverBeamDef();
    spShrinkBeam(r, &def);
    def.moduli[0] = 1e6;
    def.moduli[1] = 5e4;
    def.moduli[2] = 1e4;
    def.gravity = gravity;
    return def;
}

// What the factor does elsewhere: on one material, where it should do as well, and under the whole of
// gravity. Where products come from the elements, the step assembles no matrix.
static void spReportElsewhere(spReproduction* r, int stepCount)
{
    static spSolveRun run;
    spSolverBeamDef def = spDefaultSolverBeamDef();
    spShrinkBeam(r, &def);
    def.test.method.solver = spMakeBeamSolver(sp_preconditionCholesky, true, true, 1, SP_FACTOR_AGE);
    def.test.method.solver.operatorType = sp_operatorMatrixFree;
    if (spRunBeam(r, &def, NULL, stepCount, &run))
    {
        spReportRow(r, "Cholesky, async, 1000 kPa everywhere: iterations", "", "below 10", run.meanIterations,
                    run.meanIterations < 10.0);
        spReportRow(r, "   products from elements: assembly in the step, median", "ms", "none",
                    run.medianAssemble, spInFull(r, run.medianAssemble < 0.1 * run.medianStep));
    }
    spSolverDef solver = def.test.method.solver;
    def = spMakeThirds(r, 9.81);
    def.test.method.solver = solver;
    if (spRunBeam(r, &def, NULL, stepCount, &run))
    {
        spReportRow(r, "Cholesky, async, 9.81 m/s^2, folds under itself: iterations", "", "below 10",
                    run.meanIterations, spInFull(r, run.meanIterations < 10.0));
    }
}

// With a fixed age, steps that are faster than those of the thesis wait for the factor. Times that count are
// those of factors that are taken as soon as they are there.
static void spReportSoon(spReproduction* r, int stepCount, double plainStep)
{
    static const spPreconditionerType types[2] = {sp_preconditionIncomplete, sp_preconditionCholesky};
    static const char* const names[2] = {"incomplete Cholesky, as soon as it is there",
                                         "Cholesky, as soon as it is there"};
    static const double thesis[2][2] = {{8.71, 10.79}, {6.02, 11.98}};
    static spSolveRun run;
    double best = INFINITY;
    for (int i = 0; i < 2; ++i)
    {
        spSolverBeamDef def = spMakeThirds(r, SP_TABLE_GRAVITY);
        def.test.method.solver = spMakeBeamSolver(types[i], true, true, 1, 0);
        if (spRunBeam(r, &def, NULL, stepCount, &run))
        {
            char quantity[80], published[40];
            snprintf(quantity, sizeof(quantity), "%s: iterations", names[i]);
            snprintf(published, sizeof(published), "%.2f", thesis[i][0]);
            spReportRow(r, quantity, "", published, run.meanIterations,
                        spInFull(r, run.meanIterations <= 2.0 * thesis[i][0]));
            snprintf(quantity, sizeof(quantity), "%s: whole step", names[i]);
            snprintf(published, sizeof(published), "%.2f ms", thesis[i][1]);
            spReportRow(r, quantity, "ms", published, run.meanStep, sp_notJudged);
            best = fmin(best, run.meanStep);
        }
    }
    spReportRow(r, "plain step over the faster of these", "x", "11.7 x", plainStep / best,
                spInFull(r, best < plainStep));
}

static void spReproduceTable(spReproduction* r)
{
    static const spTableRow rows[] = {
        {"none", sp_preconditionNone, false, 654.03, 0.0, 126.44, 126.44},
        {"Jacobi", sp_preconditionJacobi, false, 356.96, 0.15, 86.42, 86.58},
        {"SSOR", sp_preconditionSsor, false, 116.72, 30.60, 55.61, 86.21},
        {"incomplete Cholesky", sp_preconditionIncomplete, false, 6.07, 107.24, 7.29, 114.54},
        {"Cholesky", sp_preconditionCholesky, false, 1.00, 39.27, 3.13, 42.40},
        {"Jacobi, async", sp_preconditionJacobi, true, 357.99, 0.16, 93.18, 93.34},
        {"SSOR, async", sp_preconditionSsor, true, 116.76, 0.26, 62.70, 62.97},
        {"incomplete Cholesky, async", sp_preconditionIncomplete, true, 8.71, 0.03, 10.76, 10.79},
        {"Cholesky, async", sp_preconditionCholesky, true, 6.02, 0.06, 11.92, 11.98},
    };
    enum
    {
        rowCount = sizeof(rows) / sizeof(rows[0]),
        inStep = 5 // rows that make it in every step
    };
    static spSolveRun run;
    double columns[9][rowCount];
    int stepCount = r->quick ? 12 : 60, made = 0, unsolved = 0;
    bool ordered = true;
    double last = INFINITY, plain = NAN;
    spStartPart(r, r->quick ? "Preconditioners: beam of 1000, 50 and 10 kPa, 540 tets, under gravity"
                            : "Preconditioners: beam of 1000, 50 and 10 kPa, 3000 tets, under gravity");
    spReportNote(r, "Gravity %g m/s^2: the soft end drops by three quarters of the length.",
                 SP_TABLE_GRAVITY);
    spReportNote(r, "Made in every step, or asynchronous: a new one every %d steps, turned with the nodes.",
                 SP_FACTOR_AGE + 1);
    for (int i = 0; i < rowCount; ++i)
    {
        spSolverBeamDef def = spMakeThirds(r, SP_TABLE_GRAVITY);
        bool apart = rows[i].asynchronous;
        def.test.method.solver = spMakeBeamSolver(rows[i].type, apart, apart, 1, apart ? SP_FACTOR_AGE : 0);
        if (spRunBeam(r, &def, NULL, stepCount, &run) == false)
        {
            continue;
        }
        spReportTableRow(r, rows + i, &run);
        unsolved += run.unsolved;
        if (i < inStep)
        {
            ordered = ordered && run.meanIterations < last;
            last = run.meanIterations;
        }
        plain = i == 0 ? run.meanStep : plain;
        double values[9] = {i,
                            run.meanIterations,
                            run.meanBuild,
                            run.meanSolve,
                            run.meanStep,
                            rows[i].iterations,
                            rows[i].build,
                            rows[i].solve,
                            rows[i].total};
        for (int c = 0; c < 9; ++c)
        {
            columns[c][made] = values[c];
        }
        made += 1;
    }
    spReportRow(r, "each with fewer iterations than the one before (1 = yes)", "", "yes", ordered, ordered);
    spReportRow(r, "steps that did not reach the residual", "", "", unsolved, unsolved == 0);
    spReportSoon(r, stepCount, plain);
    spReportElsewhere(r, stepCount);
    const spColumn table[9] = {{"row (as printed; from 5 on asynchronous)", columns[0]},
                               {"iterations", columns[1]},
                               {"making [ms]", columns[2]},
                               {"solve [ms]", columns[3]},
                               {"step [ms]", columns[4]},
                               {"thesis: iterations", columns[5]},
                               {"thesis: making [ms]", columns[6]},
                               {"thesis: solve [ms]", columns[7]},
                               {"thesis: step [ms]", columns[8]}};
    spSaveColumns(r, "table.csv", table, 9, made);
}

// ---- table 3.1: sizes ----

static void spReproduceSizes(spReproduction* r)
{
    enum
    {
        sizeCount = 4
    };
    static const int cells[sizeCount][3] = {{10, 3, 3}, {20, 5, 5}, {25, 7, 7}, {40, 10, 10}};
    static const double thesis[sizeCount][4] = {{5.84, 4.40, 3.32, 1.76},
                                                {38.47, 5.01, 12.78, 3.01},
                                                {125.9, 5.56, 41.68, 3.02},
                                                {730.5, 6.09, 208.72, 3.50}};
    static const char* const units[4] = {"ms", "", "ms", ""};
    static const char* const names[4] = {"making a factor", "iterations", "step",
                                         "steps from factor to factor"};
    static spSolveRun run;
    double columns[9][sizeCount];
    int made = 0, sizes = r->quick ? 1 : sizeCount;
    spStartPart(r, "Sizes: beam of 1000 kPa, Cholesky, asynchronous, as soon as it is there, turned");
    for (int i = 0; i < sizes; ++i)
    {
        spSolverBeamDef def = spDefaultSolverBeamDef();
        memcpy(def.cells, cells[i], sizeof(def.cells));
        def.test.method.solver = spMakeBeamSolver(sp_preconditionCholesky, true, true, 1, 0);
        if (spRunBeam(r, &def, NULL, r->quick ? 20 : 100, &run) == false)
        {
            continue;
        }
        int tets = 6 * cells[i][0] * cells[i][1] * cells[i][2];
        double period = run.handOvers > 0 ? (double)(run.count - 1) / run.handOvers : (double)NAN;
        double ours[4] = {run.meanBuild, run.meanIterations, run.meanStep, period};
        columns[0][made] = tets;
        for (int k = 0; k < 4; ++k)
        {
            char quantity[80], published[40];
            snprintf(quantity, sizeof(quantity), "%d tets: %s", tets, names[k]);
            snprintf(published, sizeof(published), "%.2f %s", thesis[i][k], units[k]);
            // With steps that are faster, a factor is older when it comes; it must still do
            spVerdict verdict = k == 1 ? spInFull(r, ours[k] <= 2.0 * thesis[i][k]) : sp_notJudged;
            spReportRow(r, quantity, units[k], published, ours[k], verdict);
            columns[1 + k][made] = ours[k];
            columns[5 + k][made] = thesis[i][k];
        }
        made += 1;
    }
    spReportNote(r,
                 "The thesis makes factors on four threads, the simulation is on a GPU; ours are one thread "
                 "each.");
    const spColumn table[9] = {{"tets", columns[0]},
                               {"making [ms]", columns[1]},
                               {"iterations", columns[2]},
                               {"step [ms]", columns[3]},
                               {"steps from factor to factor", columns[4]},
                               {"thesis: making [ms]", columns[5]},
                               {"thesis: iterations", columns[6]},
                               {"thesis: step [ms]", columns[7]},
                               {"thesis: steps from factor to factor", columns[8]}};
    spSaveColumns(r, "sizes.csv", table, 9, made);
}

// ---- all ----

void spReproducePreconditioner(spReproduction* r)
{
    static const struct
    {
        const char* name;
        void (*run)(spReproduction* r);
    } parts[SP_PART_COUNT] = {
        {"table", spReproduceTable},       {"sizes", spReproduceSizes},   {"age", spReproduceAge},
        {"policies", spReproducePolicies}, {"models", spReproduceModels}, {"hand", spReproduceHand},
    };
    if (sizeof(spReal) < sizeof(double))
    {
        spReportNote(
            r,
            "In single precision residuals end between 1e-5 and 1e-4: %g is asked for, which only factors "
            "that fit no more miss now and then; a double build asks for the thesis' 1e-7.",
            spGetBeamTolerance());
    }
    for (int i = 0; i < SP_PART_COUNT; ++i)
    {
        if (r->part == NULL || strcmp(r->part, parts[i].name) == 0)
        {
            parts[i].run(r);
        }
    }
}
