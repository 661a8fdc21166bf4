// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The experiments on XPBD and its accelerators: reproduce_anderson.c has the tables,
// reproduce_anderson_body.c the bodies, their start and the true end of the step,
// reproduce_anderson_solve.c the runs of the solvers, reproduce_anderson_settle.c how far beams hang in the
// end, reproduce_anderson_shape.c what Young's modulus and Poisson's ratio do to the shape.

#pragma once

#include "reproduce.h"
#include "testbed/worlds.h"

// Time step, s
#define SP_BENT_DT (1.0 / 60.0)

#define SP_BENT_POISSON 0.4

// Young's moduli, Pa
#define SP_MODULUS_COUNT 7
extern const double g_bentModuli[SP_MODULUS_COUNT];

// What residuals and errors are to fall below, as shares of those at the start
#define SP_TARGET_COUNT 3
extern const double g_bentTargets[SP_TARGET_COUNT];
extern const char* const g_bentTargetNames[SP_TARGET_COUNT];

// Bodies: the three beams first, then two of the size of the animals
#define SP_BEAM_COUNT 3
#define SP_BENT_COUNT 5

typedef struct spBentRow
{
    const char* name;
    int cells[3];            // beams: along x, y and z, five tets each
    double cell;             // beams: side of a cell, m
    double size[3];          // bodies: m
    double density;          // kg/m^3
    int nodeCount, tetCount; // published
    double mass;             // published, or what the grid of a beam weighs, g
    int sweepCap;            // sweeps at most
} spBentRow;
extern const spBentRow g_bentRows[SP_BENT_COUNT];

// A body with one end held, and how a step of it starts and truly ends
typedef struct spBentBody
{
    const char* name;
    spTestWorld test;
    int nodeCount, tetCount, heldCount;
    double mass;   // g
    double length; // of what is not held, along x, m
    int sweepCap;
    double young;    // Pa
    spVec3* rest;    // m
    spVec3* start;   // stretched, bent and twisted, m
    spVec3* truth;   // where a step of backward Euler ends, m
    spVec3* now;     // room for as many
    spVec3* still;   // zeros, m/s
    spReal* masses;  // kg
    double distance; // from start to truth, weighted by mass, sqrt(kg) m
    const char* end; // how Newton's method came to the truth: "converged", "rounded", "not converged"
    int newtonSteps;
} spBentBody;

// Builds body `index` of the table, or in its place the mesh that the user names. False, with the reason
// reported, when that fails.
bool spBuildBentBody(spReproduction* r, int index, spTetLaw law, double gravity, spBentBody* body);
void spDestroyBentBody(spBentBody* body);

// Sets Young's modulus and the method. False, with the reason reported, when that fails.
bool spSetBent(spReproduction* r, const spBentBody* body, double young, const spMethodDef* method);

// Sets Young's modulus, and finds where the step from the start truly ends
bool spFindTruth(spReproduction* r, spBentBody* body, double young);

// Puts the nodes somewhere, at rest
void spPlaceBody(const spBentBody* body, const spVec3* positions);

// Distance from where the body is to the truth, over that of the start
double spGetTrueError(const spBentBody* body);

// A solver of XPBD with its numbers
typedef enum spBentSolver
{
    sp_bentPlain = 0,
    sp_bentSor,
    sp_bentLambdaSor,     // 1.5
    sp_bentLambdaSorFast, // 10
    sp_bentChebyshev,
    sp_bentPrinted,     // 1
    sp_bentPrintedFast, // 10
    sp_bentAnderson2,
    sp_bentAnderson5,
    sp_bentAnderson10,
    sp_bentAuto,
    sp_bentSolverCount
} spBentSolver;
extern const char* const g_bentSolverNames[sp_bentSolverCount];

spMethodDef spMakeBentMethod(spBentSolver solver, int iterations);

// What a solver did from the start. Numbers of sweeps are -1 where a target was not met.
typedef struct spSweepRun
{
    bool done;              // it ran at all
    spSweepRecord* records; // before the first sweep and after each; of the automatic solver one for each
                            // budget, with distance and seconds alone
    double* at;             // sweeps of each record
    int count;              // of records
    int sweepsTo[SP_TARGET_COUNT];         // until the true error is below
    double msTo[SP_TARGET_COUNT];          // of a whole step with so many sweeps, best of some; NaN for never
    int residualSweepsTo[SP_TARGET_COUNT]; // until the dual residual is below
    double finalResidual;                  // dual, over that of the start; NaN for the automatic solver
    double finalError;
    double msPerSweep;
    int capSweeps; // plain: so many are not enough for a true error of 0.1; 0 where that was met
    double capMs;  // of a whole step with them; else NaN
    bool diverged;
    int rejected; // mixtures
} spSweepRun;

// Runs a solver from the start. `records` and `at` have room for the cap of the body and one more.
void spRunBentSolver(spReproduction* r, const spBentBody* body, spBentSolver solver, spSweepRun* run);

// Sweeps until the dual residual is below a share of that at the start; -1 for never
int spFindResidual(const spSweepRun* run, double level);

// Milliseconds of a sweep, in parts
typedef struct spSweepCost
{
    double sweep, mix, move, measure, total;
} spSweepCost;
spSweepCost spTimeSweeps(const spReproduction* r, const spBentBody* body, spBentSolver solver, int sweeps);

// How far the free end has come down, m
double spGetDrop(const spBentBody* body);

// Parts in another file
void spReproduceSag(spReproduction* r);
void spReproduceSettle(spReproduction* r);
void spReproducePoisson(spReproduction* r);
