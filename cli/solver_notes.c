// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "solver_notes.h"

#include "souple/scene.h"
#include "tools.h"

#include <math.h>
#include <stdio.h>

static bool spIsImplicit(spMethodType type)
{
    return type == sp_backwardEuler || type == sp_bdf2 || type == sp_imex || type == sp_quasiStatic;
}

// What a count that starts again from zero with every new method has gained
static int64_t spGetGain(int64_t now, int64_t before)
{
    return now >= before ? now - before : now;
}

static void spNoteSweeps(spSolverNotes* notes, const spMethodDef* method, const spSolverReport* report,
                         double stepSeconds)
{
    notes->sweepMethod = *method;
    notes->sweepReport = *report;
    notes->sweepSteps += 1;
    notes->sweeps += report->sweeps;
    notes->mostSweeps = report->sweeps > notes->mostSweeps ? report->sweeps : notes->mostSweeps;
    notes->rejected += report->rejected;
    notes->divergedSteps += report->diverged;
    notes->unsweptSteps += report->forceResidual > 0.0 && !report->converged;
    notes->worstSwept = fmax(notes->worstSwept, report->converged ? 0.0 : report->forceResidual);
    notes->sweepStepSeconds += stepSeconds;
    notes->sweepSeconds += report->solveSeconds;
}

void spNoteSolver(spSolverNotes* notes, const spWorld* world, double stepSeconds)
{
    spMethodDef method = spBody_GetMethod(world, notes->body);
    method.type = spBody_GetMethodChoice(world, notes->body).type;
    bool xpbd = method.type == sp_xpbd;
    if (!spIsImplicit(method.type) && !xpbd)
    {
        notes->report = (spSolverReport){0};
        return;
    }
    spSolverReport report = spBody_GetSolverReport(world, notes->body);
    if (report.sweeping)
    {
        notes->report = (spSolverReport){0};
        spNoteSweeps(notes, &method, &report, stepSeconds);
        return;
    }
    bool another = method.type != notes->method.type || report.factorCount < notes->report.factorCount ||
                   report.factorStep < notes->report.factorStep;
    bool taken = another || report.factorStep != notes->report.factorStep || notes->steps == 0;
    notes->stepsOfMethod = another ? 1 : notes->stepsOfMethod + 1;
    notes->steps += 1;
    notes->iterations += report.iterations;
    notes->newtonSteps += report.newtonSteps;
    notes->mostIterations =
        report.iterations > notes->mostIterations ? report.iterations : notes->mostIterations;
    notes->mostNewtonSteps =
        report.newtonSteps > notes->mostNewtonSteps ? report.newtonSteps : notes->mostNewtonSteps;
    notes->worstResidual = fmax(notes->worstResidual, report.residual);
    notes->worstForceResidual =
        report.rounded ? notes->worstForceResidual : fmax(notes->worstForceResidual, report.forceResidual);
    if (!report.converged && xpbd)
    {
        notes->stoppedBudget += 1;
    }
    else if (!report.converged)
    {
        bool linear = report.residual > (double)method.solver.tolerance;
        bool newton = !linear && report.newtonSteps > 1;
        bool rounded = !newton && report.rounded;
        notes->stoppedNewton += newton;
        notes->stoppedRounding += rounded;
        notes->stoppedLinear += linear && !rounded;
        notes->stoppedContact += !linear && !newton && !rounded;
        notes->worstStopped =
            linear || rounded ? fmax(notes->worstStopped, report.residual) : notes->worstStopped;
    }
    notes->factorCount += spGetGain(report.factorCount, notes->report.factorCount);
    notes->waitCount += spGetGain(report.waitCount, notes->report.waitCount);
    notes->stepSeconds += stepSeconds;
    notes->assembleSeconds += report.assembleSeconds;
    notes->solveSeconds += report.solveSeconds;
    notes->factorSeconds += taken && report.factorStep >= 0 ? report.buildSeconds : 0.0;
    notes->waitSeconds += report.waitSeconds;
    notes->method = method;
    notes->report = report;
}

// Steps between the state that the preconditioner in use was made from and the last step
static int64_t spGetAge(const spSolverNotes* notes)
{
    int substeps = notes->method.substeps > 1 ? notes->method.substeps : 1;
    int64_t age = notes->stepsOfMethod - 1 - notes->report.factorStep / substeps;
    return age > 0 ? age : 0;
}

static double spGetShare(const spSolverNotes* notes, double seconds)
{
    return seconds / fmax(notes->stepSeconds, 1e-12);
}

static bool spHasFactor(const spSolverNotes* notes)
{
    return notes->report.factorStep >= 0;
}

static void spTellFactor(const spSolverNotes* notes)
{
    int64_t age = spGetAge(notes);
    printf("  %lld preconditioner%s made%s, the one in use %lld step%s old", (long long)notes->factorCount,
           notes->factorCount == 1 ? "" : "s", notes->report.asynchronous ? " on a thread of its own" : "",
           (long long)age, age == 1 ? "" : "s");
    if (notes->waitCount > 0)
    {
        printf("; %lld step%s waited for one, %.3g ms together", (long long)notes->waitCount,
               notes->waitCount == 1 ? "" : "s", 1e3 * notes->waitSeconds);
    }
    printf(".\n");
}

static void spTellStopped(const spSolverNotes* notes)
{
    const spSolverDef* solver = &notes->method.solver;
    if (notes->stoppedLinear > 0)
    {
        printf(
            "  In %lld of %lld steps the linear system was not solved to %.2g within %d iterations; the "
            "worst residual was %.3g: raise maxIterations of the solver, or take another preconditioner.\n",
            (long long)notes->stoppedLinear, (long long)notes->steps, (double)solver->tolerance,
            solver->maxIterations, notes->worstStopped);
    }
    if (notes->stoppedRounding > 0)
    {
        printf("  In %lld of %lld steps rounding left a residual of up to %.3g, more than the tolerance of "
               "%.2g: "
               "more iterations do not help; a tolerance of %.1g, smaller steps or the double build do.\n",
               (long long)notes->stoppedRounding, (long long)notes->steps, notes->worstStopped,
               (double)solver->tolerance, notes->worstStopped);
    }
    if (notes->stoppedContact > 0)
    {
        printf("  In %lld of %lld steps the forces of contacts had not settled when the rounds for them were "
               "over: "
               "smaller steps help.\n",
               (long long)notes->stoppedContact, (long long)notes->steps);
    }
    if (notes->stoppedNewton > 0)
    {
        printf(
            "  In %lld of %lld steps the net force did not come down to %.2g of the load; at worst %.2g was "
            "left: raise newtonSteps or newtonTolerance of the solver, or take smaller steps.\n",
            (long long)notes->stoppedNewton, (long long)notes->steps, (double)solver->newtonTolerance,
            notes->worstForceResidual);
    }
    if (notes->stoppedBudget > 0)
    {
        printf("  In %lld of %lld steps the time of the sweeps was over before the net force came down; at "
               "worst %.2g of the load was left: raise iterations of xpbd, or take smaller steps.\n",
               (long long)notes->stoppedBudget, (long long)notes->steps, notes->worstForceResidual);
    }
}

void spTellSolver(const spSolverNotes* notes, const char* name)
{
    if (notes->steps == 0)
    {
        return;
    }
    double count = (double)notes->steps;
    printf(
        "%s: %s%s, %s operator, preconditioner %s; %.3g iterations in a step (%d at most), residual %.2g "
        "at most",
        name, spGetMethodWord(notes->method.type), notes->method.type == sp_xpbd ? " by Newton's method" : "",
        spGetOperatorWord(notes->report.operatorType), spGetPreconditionerWord(notes->report.preconditioner),
        (double)notes->iterations / count, notes->mostIterations, notes->worstResidual);
    if (notes->method.solver.newtonSteps > 1 || notes->worstForceResidual > 0.0)
    {
        printf("; %.3g linearisations in a step (%d at most), net force %.2g of the load at most",
               (double)notes->newtonSteps / count, notes->mostNewtonSteps, notes->worstForceResidual);
    }
    printf(".\n");
    if (spHasFactor(notes))
    {
        spTellFactor(notes);
    }
    printf("  Of the time of the steps %.0f %% filled the matrix, %.0f %% solved",
           1e2 * spGetShare(notes, notes->assembleSeconds), 1e2 * spGetShare(notes, notes->solveSeconds));
    if (spHasFactor(notes))
    {
        printf("; making preconditioners took %.0f %%%s", 1e2 * spGetShare(notes, notes->factorSeconds),
               notes->report.asynchronous ? " beside them" : "");
    }
    printf(".\n");
    spTellStopped(notes);
}

static json_t* spMakeMeanJson(int64_t sum, int64_t count, int most)
{
    json_t* json = json_object();
    json_object_set_new(json, "mean", spMakeJsonNumber((double)sum / (double)count));
    json_object_set_new(json, "most", json_integer(most));
    return json;
}

json_t* spMakeSolverJson(const spSolverNotes* notes)
{
    if (notes->steps == 0)
    {
        return NULL;
    }
    json_t* json = json_object();
    json_object_set_new(json, "method", json_string(spGetMethodWord(notes->method.type)));
    json_object_set_new(json, "operator", json_string(spGetOperatorWord(notes->report.operatorType)));
    json_object_set_new(json, "preconditioner",
                        json_string(spGetPreconditionerWord(notes->report.preconditioner)));
    json_object_set_new(json, "steps", json_integer(notes->steps));
    json_object_set_new(json, "stopped",
                        json_integer(notes->stoppedLinear + notes->stoppedRounding + notes->stoppedContact +
                                     notes->stoppedNewton + notes->stoppedBudget));
    json_object_set_new(json, "iterations",
                        spMakeMeanJson(notes->iterations, notes->steps, notes->mostIterations));
    json_object_set_new(json, "newtonSteps",
                        spMakeMeanJson(notes->newtonSteps, notes->steps, notes->mostNewtonSteps));
    json_object_set_new(json, "residual", spMakeJsonNumber(notes->worstResidual));
    json_object_set_new(json, "forceResidual", spMakeJsonNumber(notes->worstForceResidual));
    json_object_set_new(json, "factors", json_integer(notes->factorCount));
    json_object_set_new(json, "factorAge", spHasFactor(notes) ? json_integer(spGetAge(notes)) : json_null());
    json_object_set_new(json, "waits", json_integer(notes->waitCount));
    json_object_set_new(json, "waitSeconds", spMakeJsonNumber(notes->waitSeconds));
    json_object_set_new(json, "assembleShare", spMakeJsonNumber(spGetShare(notes, notes->assembleSeconds)));
    json_object_set_new(json, "solveShare", spMakeJsonNumber(spGetShare(notes, notes->solveSeconds)));
    json_object_set_new(json, "factorShare", spMakeJsonNumber(spGetShare(notes, notes->factorSeconds)));
    return json;
}

void spTellSweeps(const spSolverNotes* notes, const char* name)
{
    if (notes->sweepSteps == 0)
    {
        return;
    }
    const spXpbdDef* xpbd = &notes->sweepMethod.xpbd;
    printf("%s: xpbd, solver %s, accelerator %s; %.3g sweeps in a step (%d at most); dual residual %.2g and "
           "primal residual %.2g kg m in the last step.\n",
           name, spGetXpbdSolverWord(xpbd->solver), spGetAcceleratorWord(xpbd->accelerator),
           (double)notes->sweeps / (double)notes->sweepSteps, notes->mostSweeps,
           notes->sweepReport.dualResidual, notes->sweepReport.primalResidual);
    printf("  Of the time of the steps %.0f %% were sweeps",
           1e2 * notes->sweepSeconds / fmax(notes->sweepStepSeconds, 1e-12));
    if (notes->rejected > 0)
    {
        printf("; %lld mixture%s rejected", (long long)notes->rejected,
               notes->rejected == 1 ? " was" : "s were");
    }
    printf(".\n");
    if (notes->unsweptSteps > 0)
    {
        printf("  In %lld of %lld steps sweeps were not enough: up to %.2g of the load was left as force, "
               "and the "
               "body is softer by about as much: take the solver auto, or more iterations or substeps.\n",
               (long long)notes->unsweptSteps, (long long)notes->sweepSteps, notes->worstSwept);
    }
    if (notes->divergedSteps > 0)
    {
        printf("  In %lld of %lld steps the accelerator made it worse and was left out for the rest of a "
               "substep: take another one, or none.\n",
               (long long)notes->divergedSteps, (long long)notes->sweepSteps);
    }
}

json_t* spMakeSweepsJson(const spSolverNotes* notes)
{
    if (notes->sweepSteps == 0)
    {
        return NULL;
    }
    const spXpbdDef* xpbd = &notes->sweepMethod.xpbd;
    json_t* json = json_object();
    json_object_set_new(json, "solver", json_string(spGetXpbdSolverWord(xpbd->solver)));
    json_object_set_new(json, "accelerator", json_string(spGetAcceleratorWord(xpbd->accelerator)));
    json_object_set_new(json, "steps", json_integer(notes->sweepSteps));
    json_object_set_new(json, "sweeps", spMakeMeanJson(notes->sweeps, notes->sweepSteps, notes->mostSweeps));
    json_object_set_new(json, "rejected", json_integer(notes->rejected));
    json_object_set_new(json, "diverged", json_integer(notes->divergedSteps));
    json_object_set_new(json, "dualResidual", spMakeJsonNumber(notes->sweepReport.dualResidual));
    json_object_set_new(json, "primalResidual", spMakeJsonNumber(notes->sweepReport.primalResidual));
    json_object_set_new(json, "solveShare",
                        spMakeJsonNumber(notes->sweepSeconds / fmax(notes->sweepStepSeconds, 1e-12)));
    return json;
}
