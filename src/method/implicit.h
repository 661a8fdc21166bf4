// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inside of implicit methods, shared by implicit.c and implicit_*.c.

#pragma once

#include "method/factor.h"
#include "method/method.h"
#include "method/whole.h"

// What a node row does in this step
typedef enum spRowStatus
{
    sp_statusOpen,  // nothing
    sp_statusSlide, // keeps its normal velocity; friction is a given impulse
    sp_statusStick, // keeps all of its velocity
    sp_statusSoft,  // a spring to the anchor
    sp_statusForce, // a given impulse: as much as a hold may give
} spRowStatus;

typedef struct spRowSolve
{
    spRowStatus status;
    spVec3 velocity; // that a constraint asks for at the end, m/s
    spVec3 impulse;  // given: friction, or the most of a hold, N s
    spReal push;     // speed along the normal that only moves the node out, m/s
    bool slid;       // has slid in this step: it does not stick again
    bool shielded;   // a neighbour that is not held either lies between it and the surface
    spVec3 whole;    // impulse on a body that does not deform, N s
} spRowSolve;

typedef struct spImplicitState
{
    spMethodDef def; // the solver with `auto` decided
    spBodySystem system;
    bool hasSystem;
    int iterationLimit; // conjugate gradients of a substep, all systems together; 0 for none
    int linearCost;     // what a linearisation counts as among them
    bool hasty;         // may end before it has converged: keeps momentum and energy in hand then
    bool rough;         // the last substep ended so
    bool blind;         // the residual of the last substep says nothing of how the whole moves: the mass of
                        // nodes is hidden beside their stiffness, by the tolerance or by rounding
    bool hidden;        // and the preconditioner does not know it either
    double massNorm;    // root of the sum of squares of the masses, kg
    double extent;      // of the farthest node when the method was set, m
    bool failed;        // no memory for it: the body stands still and the step says so
    spFactor* factor;
    spCgVectors cg;
    spVec4* baseX; // x = baseX + reach v
    spVec4* baseV; // M (v - baseV) = reach f
    spVec4* f;     // forces at the last linearisation
    spVec4* way;   // scratch: displacements, positions before a line search
    spVec4* lastDv;
    bool hasLastDv;

    // BDF2: the state before the last step, and that after it
    spVec4* past[2];
    spVec4* seen[2];
    spReal pastDt; // 0 without one

    // Constraints of the step
    spConstraint* constraints; // room for nodeCount
    int32_t* constraintOf;     // of each node, -1 for none
    int32_t* patchConstraint;
    spVec3* rawB;
    spVec3* rawProduct;
    spVec3* prescribed; // velocity of constrained nodes
    spRowSolve* rows;
    int rowCapacity;

    // Refreshing the preconditioner
    int64_t steps;      // since the method was set
    int bestIterations; // in a step soon after a refresh
    int lastIterations;
    int64_t waitCount;
} spImplicitState;

// One substep while it is solved
typedef struct spImplicitStep
{
    spBody* body;
    spImplicitState* state;
    const spAdvanceContext* context;
    spForceContext force;
    spReal h;      // of the substep
    spReal reach;  // share of h that the end counts with: h, or 2/3 h
    double weight; // root of the sum of squares over nodes, times reach, N s
    spReal mass;   // factor of M: 1, or as much as keeps a static system regular
    spFill fill;
    bool isStatic;
    bool prescribed; // constraints ask for motion beyond that of the first guess
    spReal fraction; // of the step that has passed at the end
    spStop stop;
    int64_t given;         // step whose preconditioner is to be taken in use, chosen before; -1 for none
    int64_t taken;         // that which was; -1 for none
    double refreshSeconds; // spent on the preconditioner
    bool careful;          // rows are taken in from below, and in the end only let go
    bool closing;          // the latter
    bool whole;            // ended as a body that does not deform
    bool judged;           // is measured by such a body
    bool assembled;        // the pairs hold the matrix of this substep
    spWholeMotion flight;  // of such a body if nothing were in its way
    double lost;           // what a body loses that stops before it runs into anything, J
    double least;          // what a substep of free fall from rest gives it, J
    int spentBefore;       // conjugate gradients of the substeps before, linearisations counted in
} spImplicitStep;

// ---- implicit_rows.c ----

// Makes the first guess at which rows act. Poses are those at the end of the substep.
void spStartRows(spImplicitStep* s);
// What rows add to the matrix, after it was assembled
void spAddRowStiffness(spImplicitStep* s);
// What rows add to the right-hand side
void spAddRowImpulses(spImplicitStep* s, spVec4* b);
// Constraints from held nodes and rows, and what they ask of the change of velocity, into cg.x
void spBuildConstraints(spImplicitStep* s);
// Whether rows act differently from what was assumed, after a solve with velocities in body->v
bool spCheckRows(spImplicitStep* s);
// Work of soft holds, and of those that give their most, along a change of velocity, J
double spGetHoldWork(const spImplicitStep* s, const spVec4* dv);
// Impulses to the rows and the pins; what only moved nodes out is taken from their velocity
void spFinishRows(spImplicitStep* s);

// ---- implicit_whole.c ----

// Finds out whether the mass of nodes is hidden beside their stiffness
void spFindHiddenMass(const spImplicitStep* s);
// Whether the substep is to be measured by a body that does not deform: it may run into something, or its
// mass is hidden. Not where a row holds it rigidly.
bool spNeedsJudgement(const spImplicitStep* s);
// The motion that such a body would go on with if nothing were in its way
void spFindFlight(spImplicitStep* s);
// The change of velocity with which the body stops, without turning or deforming, before it runs into
// anything; one with held nodes stands still
void spFillStop(spImplicitStep* s, spVec4* dv);
// Whether the substep, as it stands, has more energy than that leaves. What rests and was solved is not
// asked.
bool spIsThrown(const spImplicitStep* s, bool solved);
// Whether the substep ends with more energy than the body has that stops, and, unless it is held where it is,
// than the one that flies on
bool spClimbs(const spImplicitStep* s);
// Elastic energy that contacts cost which were missed, where the response moves each node alone, J
double spGetMissedEnergy(const spImplicitStep* s);
// Starts with the motion, and the rows, of a body that does not deform; dv is left in cg.x
void spGuessAsWhole(spImplicitStep* s);
// Ends the substep so
void spEndAsWhole(spImplicitStep* s);

// ---- implicit_compliance.c ----

bool spFreezeImplicit(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                      spComplianceList* list);
void spCorrectImplicit(spBody* body, const spPoints* points, const spVec3* impulses, const spVec3* shifts);
