// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Implicit methods. The end of a substep is x = baseX + r v, M (v - baseV) = r f(x, v):
//
//   backward Euler   r = h, baseX = x0, baseV = v0
//   BDF2             r = (1 + w) / (1 + 2 w) h, bases from two past states, w = h / last h
//   IMEX             f(x0, 0) - (r K0 + D0) v in place of f(x, v), K0 and D0 constant bounds on K and D
//   quasi-static     r = 1, M = 0: v is the displacement
//
// This file is the driver, which gives one substep after the other to its solver:
//
//   implicit_solver.c      one substep: bases, preconditioner, Newton, results
//   refresh.c              when preconditioners are asked for and taken in use
//   newton.c               Newton's method with line search
//   linearisation.c        one linear system: right-hand side, matrix, conjugate gradients with an active set
//   implicit_rows.c        what node rows do in it
//   static_rows.c          contacts of a static step
//   merit.c                the incremental potential, and the bound on it
//   rescue.c               the body as a rigid one, where that bound is exceeded
//   implicit_compliance.c  what the body lends to rows between bodies
//
// Baraff, Witkin. Large Steps in Cloth Simulation. 1998
// Eberhardt, Etzmuss, Hauth. Implicit-Explicit Schemes for Fast Animation with Particle Systems. 2000

#include "method/implicit.h"

#include "base/error.h"
#include "base/timer.h"
#include "math/vec3.h"

#include <math.h>

static bool spCreateImplicit(spBody* body, spError* error)
{
    if (body->methodDef.filter.type != sp_filterNone)
    {
        return spFail(
            error, sp_errorBadArgument,
            "implicit methods have no velocity filter: set the filter to none or choose an explicit "
            "method");
    }
    spImplicitDef def = {.type = body->methodDef.type, .solver = body->methodDef.solver};
    body->methodState = spCreateImplicitSolver(body, &def, error);
    if (body->methodState == NULL)
    {
        return false;
    }
    body->stableStep = INFINITY;
    body->solverReport = (spSolverReport){.factorStep = -1};
    return true;
}

static void spDestroyImplicit(spBody* body)
{
    spDestroyImplicitSolver(body->methodState, body);
    body->methodState = NULL;
}

static void spBeginImplicit(spBody* body, spReal dt, spTeam* team)
{
    SP_UNUSED(dt);
    SP_UNUSED(team);
    body->stableStep = INFINITY;
    body->stableStepDirty = false;
    spPrepareSolver(body->methodState, body, body->rowCapacity);
}

static void spPauseImplicit(spBody* body)
{
    spPauseSolver(body->methodState);
}

static bool spCheckImplicitChoice(const spBody* body, const spChoice* choice, spError* error)
{
    return spCheckSolverChoice(body->methodState, choice, error);
}

// What a step costs in which each substep has one linearisation and one iteration
static double spGetLeastSeconds(const spSolverReport* before, const spSolverReport* after, double spent,
                                int substepCount)
{
    double count = (double)substepCount, solve = after->solveSeconds - before->solveSeconds;
    double steps = (double)(after->newtonSteps - before->newtonSteps);
    double iterations = (double)(after->iterations - before->iterations);
    return fmax(spent - solve, 0.0) * fmin(1.0, count / fmax(steps, 1.0)) +
           solve * fmin(1.0, count / fmax(iterations, 1.0));
}

// The parts of a problem that are the same in all substeps
static spSubstepProblem spStartProblem(spBody* body, const spAdvanceContext* context, int substepCount)
{
    return (spSubstepProblem){
        .x = body->x,
        .v = body->v,
        .h = context->dt / (spReal)substepCount,
        .time = body->time,
        .gravity = spScale3(body->gravityScale, context->gravity),
        .rows = body->rows,
        .rowCount = body->rowCount,
        .patchRow = body->patchRow,
        .colliders = context->colliders,
        .poses = context->poses,
        .stepDt = context->stepDt,
        .restitutionThreshold = context->restitutionThreshold,
        .multipliers = &body->multipliers,
        .timing = context->choices == NULL ? sp_factorByAge
                  : context->decided       ? sp_factorDecided
                                           : sp_factorWhenMade,
        .factorStep = -1,
        .again = context->again,
        .report = &body->solverReport,
        .team = context->team,
    };
}

spAdvanceResult spAdvanceBySolver(spBody* body, spImplicitSolver* solver, const spAdvanceContext* context)
{
    int count = context->substepCount > 0 ? context->substepCount : spMaxInt(1, body->methodDef.substeps);
    spAdvanceResult result = {.substepCount = count};
    if (spIsSolverReady(solver) == false)
    {
        result.flags = sp_stepSolverStopped;
        result.outOfMemory = true;
        return result;
    }
    if (context->startFraction == 0 && context->again == false)
    {
        body->solverReport = spStartReport(solver);
    }
    const spSolverReport before = body->solverReport;
    spSubstepProblem problem = spStartProblem(body, context, count);
    double begin = spGetSeconds(), refreshSeconds = 0.0;
    for (int i = 0; i < count; ++i)
    {
        spReal covered = context->dt * (spReal)(i + 1) / (spReal)count;
        spStop stop = spMakeStop(context, i, count, begin);
        problem.stop = &stop;
        problem.time += (double)problem.h;
        problem.fraction = context->startFraction + covered / context->stepDt;
        if (problem.timing == sp_factorDecided)
        {
            problem.factorStep = context->choices[context->firstSubstep + i].factorStep;
        }
        if (body->rowCount > 0)
        {
            spMovePoses(context, problem.fraction);
        }
        spSubstepResult substep = spSolveImplicitSubstep(solver, body, &problem);
        body->pinForce = spAdd3(body->pinForce, substep.pinForce);
        refreshSeconds += substep.refreshSeconds;
        result.flags |= substep.flags;
        result.disobeyed = spTellChoice(context, i, &stop, substep.factorStep) == false || result.disobeyed;
    }
    double spent = spGetSeconds() - begin - refreshSeconds;
    result.leastSeconds = spGetLeastSeconds(&before, &body->solverReport, spent, count);
    body->time += (double)context->dt;
    result.forceEvaluations = body->solverReport.newtonSteps;
    result.solverIterations = body->solverReport.iterations - before.iterations;
    result.solverResidual = body->solverReport.residual;
    return result;
}

static spAdvanceResult spAdvanceImplicit(spBody* body, const spAdvanceContext* context)
{
    return spAdvanceBySolver(body, body->methodState, context);
}

static bool spFreezeImplicit(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                             spComplianceList* list)
{
    return spFreezeSolver(body->methodState, body, points, firstPoint, arena, list);
}

static void spCorrectImplicit(spBody* body, const spPoints* points, const spVec3* impulses,
                              const spVec3* shifts)
{
    spCorrectSolver(body->methodState, body, points, impulses, shifts);
}

static void spRemapImplicit(spBody* body, const spBirth* birth)
{
    spRemapSolver(body->methodState, birth);
}

static bool spWalkImplicitMemory(spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    return spWalkSolver(body->methodState, body, fcn, walk);
}

const spMethodKind spImplicitMethod = {
    .name = "implicit",
    .create = spCreateImplicit,
    .destroy = spDestroyImplicit,
    .begin = spBeginImplicit,
    .getStableStep = spGetAnyStep,
    .pause = spPauseImplicit,
    .countSubsteps = spCountGivenSubsteps,
    .checkChoice = spCheckImplicitChoice,
    .advance = spAdvanceImplicit,
    .freeze = spFreezeImplicit,
    .correct = spCorrectImplicit,
    .repeats = spRepeatsAlways,
    .adapt = spAdaptNothing,
    .walkMemory = spWalkImplicitMemory,
    .remap = spRemapImplicit,
};
