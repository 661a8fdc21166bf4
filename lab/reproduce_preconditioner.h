// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The experiments on preconditioners: reproduce_preconditioner.c has the frame and the tables,
// reproduce_preconditioner_age.c what becomes of old factors, reproduce_preconditioner_hand.c the body in a
// hand.

#pragma once

#include "reproduce.h"
#include "testbed/solver_beam.h"

#define SP_MOST_STEPS 600

// Time step of the beams, s
#define SP_BEAM_DT 0.02

// Steps from asking for a preconditioner to using it, where runs must repeat. The next one is asked for a
// step later: there is a new one every four steps, as in the thesis.
#define SP_FACTOR_AGE 3

// What the solver did in every step of a run. The first step makes what later ones use again: means are over
// the others.
typedef struct spSolveRun
{
    int count;
    double steps[SP_MOST_STEPS]; // numbers of the steps, from 0
    double iterations[SP_MOST_STEPS];
    double stepMs[SP_MOST_STEPS];     // wall clock of the whole step, ms
    double ownMs[SP_MOST_STEPS];      // processor time of the stepping thread, ms
    double assembleMs[SP_MOST_STEPS]; // filling the matrix, ms
    double solveMs[SP_MOST_STEPS];    // conjugate gradients, ms
    double buildMs[SP_MOST_STEPS];    // making the preconditioner that was used, on whatever thread, ms
    int64_t factorSteps[SP_MOST_STEPS];
    double meanIterations, meanStep, medianAssemble, meanSolve, meanBuild, medianStep; // ms
    int unsolved;        // steps above the tolerance
    int64_t factorCount; // preconditioners made
    int handOvers;       // steps that took in a new one
    int longest;         // steps from one to the next at most
    int oldest;          // most steps that one was old when it was used
    double handOver;     // median of the steps that took in a new one, ms; NaN without any
    int64_t waits;       // steps that waited for one
    double spike;        // steps that took in a new one over the next step, processor time, median
    double highRatio;    // the slowest in twenty over the median
    double mostRatio;    // the slowest over the median
    double medianOwn;    // processor time of the stepping thread, ms
    double ownRatio;     // most processor time of a step over the median
} spSolveRun;

// A load: called before every step. `rest` are the positions of all nodes at the start, m.
typedef struct spLoad
{
    const spTestWorld* test;
    const spSolverBeamDef* def;
    const spVec3* rest;
    spVec3* work; // as many
    int nodeCount;
    int step, stepCount;
} spLoad;
typedef void spLoadFcn(const spLoad* load);

// Residual that is asked for: the thesis' 1e-7, or what single precision reaches everywhere
double spGetBeamTolerance(void);

// A solver with that tolerance
spSolverDef spMakeBeamSolver(spPreconditionerType type, bool asynchronous, bool warp, int refresh, int age);

// Makes a beam as small as a test has the time for, when a quick run is asked for
void spShrinkBeam(const spReproduction* r, spSolverBeamDef* def);

// Steps a world and writes down what the solver did
void spTakeStep(const spTestWorld* test, double dt, spSolveRun* run);
void spSummarizeRun(spSolveRun* run);

// Builds a beam and steps it. False, with the reason reported, when it cannot be built. `load` may be NULL.
bool spRunBeam(spReproduction* r, const spSolverBeamDef* def, spLoadFcn* load, int stepCount,
               spSolveRun* run);

// v turned by an angle, rad, about the z axis, and about the x axis
spVec3 spTurnZ(spVec3 v, double angle);
spVec3 spTurnX(spVec3 v, double angle);

// Parts in other files
void spReproduceAge(spReproduction* r);
void spReproducePolicies(spReproduction* r);
void spReproduceModels(spReproduction* r);
void spReproduceHand(spReproduction* r);
