// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Solves one substep of an implicit method on given arrays. The implicit methods, the automatic solver of
// XPBD and static equilibrium each own such a solver and call it. Of the body it reads the elements, masses,
// roles and loads, and uses its force array as scratch; everything else comes in and goes out through the
// problem and its result.

#pragma once

#include "method/method.h"

typedef struct spImplicitSolver spImplicitSolver;

typedef struct spImplicitDef
{
    spMethodType type; // backward Euler, BDF2, IMEX or quasi-static
    spSolverDef solver;
} spImplicitDef;

// How much work a substep may take
typedef struct spWorkLimit
{
    int iterations;        // conjugate gradients of a substep, all systems together; 0 for no limit
    int linearisationCost; // what a linearisation counts as among them
    bool truncated; // a substep may end at the limit, before it has converged: it then keeps its momentum
} spWorkLimit;

// When a preconditioner that a thread has made is taken in use
typedef enum spFactorTiming
{
    sp_factorByAge,    // so many steps after it was asked for, waiting if need be
    sp_factorWhenMade, // as soon as it is there
    sp_factorDecided,  // in the step that was decided before
} spFactorTiming;

// One substep
typedef struct spSubstepProblem
{
    spVec4* x; // position and inverse mass; from the start of the substep to its end
    spVec4* v;
    spReal h;
    double time;    // at the end
    spVec3 gravity; // times gravityScale

    // Node rows, which their impulses are added to
    spRow* rows;
    int rowCount;
    const int32_t* patchRow;            // first row of each patch (patchCount + 1)
    const spCollider* const* colliders; // by slot
    const spPose* poses;                // at the end, by slot
    spReal fraction;                    // of the step that has passed at the end
    spReal stepDt;                      // of the whole step: forces of pins are means over it
    spReal restitutionThreshold;
    spMultipliers* multipliers; // what they exerted last, and do now; not NULL where there are rows

    bool again; // the last substep once more, from its start, with other loads
    spStop* stop;
    spFactorTiming timing;
    int64_t factorStep;     // decided: the step whose preconditioner is to be taken in use; -1 for none
    spSolverReport* report; // that the substep is added to
    spTeam* team;
} spSubstepProblem;

typedef struct spSubstepResult
{
    uint32_t flags;        // spStepFlags
    spVec3 pinForce;       // on the held nodes, its share of the mean over the step, N
    int64_t factorStep;    // the step whose preconditioner was taken in use; -1 for none
    double refreshSeconds; // spent on the preconditioner
} spSubstepResult;

// Returns NULL, with a sentence, when there is no memory, the def is bad or the build lacks the library.
spImplicitSolver* spCreateImplicitSolver(spBody* body, const spImplicitDef* def, spError* error);
void spDestroyImplicitSolver(spImplicitSolver* solver, spBody* body);

// Right after creation
void spLimitWork(spImplicitSolver* solver, const spWorkLimit* limit);

// Makes what depends on the elements, again when they have changed, and room for node rows. False without
// memory: there is nothing to solve with until it succeeds.
bool spPrepareSolver(spImplicitSolver* solver, spBody* body, int rowCapacity);
bool spIsSolverReady(const spImplicitSolver* solver);
// Whether memory lacked for it, or for its preconditioner
bool spIsSolverLacking(const spImplicitSolver* solver);

// Waits until no thread reads the body
void spPauseSolver(spImplicitSolver* solver);

// The def with what was automatic decided
const spSolverDef* spGetSolverDef(const spImplicitSolver* solver);
// A report that substeps are added to
spSolverReport spStartReport(const spImplicitSolver* solver);

spSubstepResult spSolveImplicitSubstep(spImplicitSolver* solver, spBody* body,
                                       const spSubstepProblem* problem);

// Whether a choice for the next step can be kept; a sentence when not
bool spCheckSolverChoice(const spImplicitSolver* solver, const spChoice* choice, spError* error);

// After an edit: copies take over what is remembered of their parents
void spRemapSolver(spImplicitSolver* solver, const spBirth* birth);

// What snapshots keep; as spMethodKind has it
bool spWalkSolver(spImplicitSolver* solver, spBody* body, spWalkMemoryFcn* fcn, void* walk);

// ---- implicit_compliance.c ----

// The compliance after the last substep; as spMethodKind has it
bool spFreezeSolver(spImplicitSolver* solver, const spBody* body, const spPoints* points, int firstPoint,
                    spArena* arena, spComplianceList* list);
void spCorrectSolver(spImplicitSolver* solver, spBody* body, const spPoints* points, const spVec3* impulses,
                     const spVec3* shifts);
