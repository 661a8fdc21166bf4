// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the solver of an implicit body, or the sweeps of xpbd, did over a whole run.

#pragma once

#include "souple/body.h"

#include <jansson.h>

typedef struct spSolverNotes
{
    spBodyId body;
    spMethodDef method;    // in the last step
    spSolverReport report; // of the last step
    int64_t steps;         // by an implicit method, or by Newton's method in xpbd
    int64_t stepsOfMethod; // since the method was set
    int64_t iterations, newtonSteps;
    int mostIterations, mostNewtonSteps;
    double worstResidual, worstForceResidual;
    int64_t stoppedLinear, stoppedNewton; // steps that ended short of a tolerance
    int64_t stoppedRounding;              // because of rounding
    int64_t stoppedContact;               // because contacts had not settled
    double worstStopped;                  // residual of a linear system in them
    int64_t stoppedBudget;                // the same of xpbd, whose time was over
    int64_t factorCount, waitCount;
    double stepSeconds, assembleSeconds, solveSeconds, factorSeconds, waitSeconds;

    // Steps of xpbd by sweeps
    spMethodDef sweepMethod;    // in the last one of them
    spSolverReport sweepReport; // of the last one of them
    int64_t sweepSteps;
    int64_t sweeps, rejected;
    int mostSweeps;
    int64_t divergedSteps;
    int64_t unsweptSteps; // that sweeps left force in
    double worstSwept;    // force that was left, over the load
    double sweepStepSeconds, sweepSeconds;
} spSolverNotes;

// After every step
// @param stepSeconds wall clock of the whole step
void spNoteSolver(spSolverNotes* notes, const spWorld* world, double stepSeconds);

// Prints a paragraph, or makes an object; nothing and NULL for a body that had no implicit method
void spTellSolver(const spSolverNotes* notes, const char* name);
json_t* spMakeSolverJson(const spSolverNotes* notes);

// The same about sweeps; nothing and NULL for a body that had none
void spTellSweeps(const spSolverNotes* notes, const char* name);
json_t* spMakeSweepsJson(const spSolverNotes* notes);
