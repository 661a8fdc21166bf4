// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inside of XPBD, shared by xpbd.c, xpbd_rows.c and xpbd_measure.c.

#pragma once

#include "element/constraint.h"
#include "method/accelerate.h"
#include "method/implicit_solver.h"

// What a node row has done in this substep
typedef struct spRowPush
{
    spReal least;    // contact: gap that it must have at the end, m; 0, or less where it began inside
    spReal approach; // contact: speed along the normal at the start, m/s
    spVec3 impulse;  // of the row before this substep, N s
} spRowPush;

// Its multipliers. They lie behind those of the constraints, so that accelerators mix them with the
// positions: positions alone would not know how far a row may be taken back.
typedef struct spRowLambda
{
    spReal normal; // contact: pushed out along the normal, m, >= 0
    spVec3 along;  // contact: held back along the surface, m; hold: kg m
} spRowLambda;

#define SP_ROW_NUMBERS 4
_Static_assert(sizeof(spRowLambda) == SP_ROW_NUMBERS * sizeof(spReal), "they lie in an array of numbers");

// A row of all nodes where they are
typedef struct spFoundRow
{
    double value;      // C
    double compliance; // over h^2
    double damping;    // damping time over h
    double mass;       // J W J^T
    double way;        // J (x - start)
} spFoundRow;

// Share of the load that may be left as force where a step ends: more is told. Sweeps of the automatic solver that
// leave more than the second one are given up.
#define SP_FORCE_LEFT 0.2
#define SP_FORCE_SWEPT 0.01

// What solves a substep
typedef enum spSubstepSolver
{
    sp_solveSweeps = 0,
    sp_solveLocal, // Newton's method, preconditioned node by node
    sp_solveWhole, // Newton's method, with a factor or several levels
} spSubstepSolver;

// What records the sweeps of the next step
typedef struct spSweepMonitor
{
    spSweepRecord* records; // the user's; NULL when nothing is recorded
    int capacity;
    int count;
    spVec3* target; // of all nodes, in the user's order; NULL until there was one
    bool aimed;     // there is a target
    double paused;  // seconds that recording took since the first sweep
    double begin;
} spSweepMonitor;

typedef struct spXpbdState
{
    spMethodDef def;
    spXpbdDef sweeping; // the same with the accelerator decided

    // Layout of the constraints, for one version of the elements
    bool laidOut;
    bool failed;  // no memory for it: the body stands still and the step says so
    bool lacking; // no memory for the solver that would have been chosen: the step sweeps and says so
    bool denied;  // the same for the one that was to follow sweeps that were not enough
    uint32_t topologyVersion;
    spSweepOrder order;
    spConstraints sets[SP_MAX_SETS];
    int setCount;
    int wholeSets[SP_MAX_SETS]; // numbers of the sets with one row of all nodes
    int wholeCount;

    // Data of the constraints, for one version of materials and roles and one length of the substep
    bool filled;
    uint32_t matrixVersion;
    spReal filledStep;

    spReal* lambda; // of all sets; behind them one of each whole row, then those of node rows
    int64_t lambdaCount;
    int64_t wholeBegin;  // first of the whole rows
    int64_t rowBegin;    // first of the node rows
    spVec4* start;       // where the substep began
    spVec4* predicted;   // where it would end without constraints
    spVec4* work;        // displacements of Jacobi, J^T lambda
    spVec4* gradient;    // of a row of all nodes; NULL without any
    double* wholeMass;   // J W J^T of such a row, of blocks of nodes
    double* wholeWay;    // J (x - start), of blocks of nodes
    double* wholeWeight; // sum of W, of blocks of nodes
    spVec4* velocity;    // at the start of the substep, with forces from outside
    spMat3* blocks;      // fields: mass and what they add to it; NULL without any
    double* partial;     // sums of parts, or of nodes
    int partialCount;
    spAcceleratorState* accelerator;
    spRowPush* pushes;
    int rowCapacity;
    spSweepMonitor monitor;

    // The automatic solver: what it has chosen, from bounds for one version of materials, roles and elements,
    // and what solves the substeps by Newton's method; NULL while sweeps do
    spSubstepSolver chosen;
    spImplicitSolver* newton;
    double boundSquare;  // of frequencies, 1/s^2
    double boundDamping; // rates, 1/s
    uint32_t boundMatrix;
    uint32_t boundTopology;
} spXpbdState;

// One substep while it is solved
typedef struct spXpbdStep
{
    spBody* body;
    spXpbdState* state;
    const spAdvanceContext* context;
    spHoldContext hold;
    spVec3 gravity;
    spSweep sweep;
    spReal h;
    double time; // at its end
    spTeam* team;
    spStop stop;
    const int32_t* parts; // of the colour that is being swept
    bool pushing;         // node rows are being projected
} spXpbdStep;

// ---- xpbd_rows.c ----

// Where node rows begin, before the first sweep; x are the positions at the start
void spStartPushes(const spXpbdStep* s);
// Projects the node rows of a patch, as part of a sweep
void spProjectPatchRows(const spXpbdStep* s, int patch);
// How far these multipliers of a row move its node, m
spVec3 spGetPush(const spXpbdStep* s, const spReal* lambda, int index);
// Velocities of what was pushed out, and impulses to the rows; where they pushed counts as predicted from
// then on
void spFinishPushes(const spXpbdStep* s);

// ---- xpbd.c ----

// Runs a function over the parts of each colour, one colour after the other: item i is s->parts[i]
void spRunColours(spXpbdStep* s, spRangeFcn* fcn);

// Whether XPBD takes it as a force from outside
bool spIsField(const spElementSet* set);

// ---- xpbd_force.c ----

// Writes to the report how much force is left where a substep ends, and whether that is little. Elements have forces.
void spMeasureForce(const spXpbdStep* s);

// ---- xpbd_measure.c ----

// Finds a row of all nodes; its gradient goes to state->gradient
spFoundRow spFindWhole(const spXpbdStep* s, int index);
// |C + a lambda| over all rows, where x and lambda are
double spMeasureDual(spXpbdStep* s);
// |M (x - x~) - J^T lambda| over all nodes
double spMeasurePrimal(spXpbdStep* s);
// work = J^T of multipliers that are laid out as lambda, kg m
void spTransposeRows(spXpbdStep* s, const spReal* given);
// Writes a record when there is somebody to read it
void spRecordSweep(spXpbdStep* s);

// ---- xpbd_newton.c ----

// Whether all elements have forces, so that there is an implicit step to be solved
bool spHasForces(const spBody* body);
// In commands: decides what solves substeps of length h
void spChooseSolver(spBody* body, spReal h);
// After a step by sweeps: whether they left so much force over that Newton's method goes on
bool spGivesUpSweeps(const spBody* body);
// Has it go on
void spAdaptSolver(spBody* body, spTeam* team);
void spEndNewton(spBody* body);
// Advances the body by state->newton
spAdvanceResult spAdvanceNewton(spBody* body, const spAdvanceContext* context);
// The memory of the choice, and of Newton's method
bool spWalkNewton(spBody* body, spWalkMemoryFcn* fcn, void* walk);

// ---- what the world asks for ----

// Fills in the residuals of the report, where the body is now
void spReportXpbd(spBody* body);
// Records the sweeps of the next step; target in the user's numbering
bool spRecordXpbd(spBody* body, spSweepRecord* records, int capacity, const spVec3* target, spError* error);
int spGetXpbdRecordCount(const spBody* body);
