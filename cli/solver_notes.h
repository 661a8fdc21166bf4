// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the solver of an implicit body did over a whole run.

#pragma once

#include "souple/body.h"

#include <jansson.h>

typedef struct spSolverNotes
{
    spBodyId body;
    spMethodDef method;    // in the last step
    spSolverReport report; // of the last step
    int64_t steps;         // by an implicit method
    int64_t stepsOfMethod; // since the method was set
    int64_t iterations, newtonSteps;
    int mostIterations, mostNewtonSteps;
    double worstResidual, worstForceResidual;
    int64_t stoppedLinear, stoppedNewton; // steps that ended short of a tolerance
    int64_t factorCount, waitCount;
    double stepSeconds, assembleSeconds, solveSeconds, factorSeconds, waitSeconds;
} spSolverNotes;

// After every step
// @param stepSeconds wall clock of the whole step
void spNoteSolver(spSolverNotes* notes, const spWorld* world, double stepSeconds);

// Prints a paragraph, or makes an object; nothing and NULL for a body that had no implicit method
void spTellSolver(const spSolverNotes* notes, const char* name);
json_t* spMakeSolverJson(const spSolverNotes* notes);
