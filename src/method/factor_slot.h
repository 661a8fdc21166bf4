// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One preconditioner of a body: the matrix that it was made from, with a pattern of its own, and the state that
// the matrix comes from. It goes on through edits of the body: it then knows which nodes were copied and which
// were changed since, and an outlived one stands around it (linear/outlived.h), whose dense block is that of the
// body as it is now at the state of the slot, so that both are turned with the nodes together.

#pragma once

#include "method/factor.h"

// Changed nodes up to which a preconditioner is kept: a dense block of more costs as much as a new one
#define SP_OUTLIVED_NODES 256

typedef struct spFactorMatrix
{
    uint32_t version; // of the body's elements; 0 for those of an edited body that were read from a snapshot
    spBlockRows rows;
    spPreconditioner* preconditioner;
} spFactorMatrix;

// Edits since it was asked for, in the numbering of the body
typedef struct spFactorEdits
{
    int64_t step;                       // of the solver, in which they were taken in
    bool edited;                        // there are any
    bool pending;                       // some are not taken in yet
    bool tooMany;                       // nodes, to go on with it
    int32_t changed[SP_OUTLIVED_NODES]; // nodes of tets that changed, before and after, rising
    int32_t changedCount;
    int32_t copies[SP_OUTLIVED_NODES]; // each behind its parent where that is a copy too
    int32_t parents[SP_OUTLIVED_NODES];
    int32_t copyCount;
    int32_t inherited; // copies that have x and v of their parents already
} spFactorEdits;

typedef struct spFactorSlot
{
    spFactorMatrix* matrix;
    spVec4* x; // the state that it is made at
    spVec4* v;
    spVec4* contacts[2]; // NULL where requests have none
    spFactorRequest request;
    uint64_t hash; // of that state
    bool made;
    double seconds;
    spFactorEdits edits;
    spPreconditioner* outlived; // NULL until it is needed
    uint32_t outlivedVersion;   // of the elements that it was made for
} spFactorSlot;

// What a preconditioner is made with, beside a matrix
typedef struct spFactorMatrixDef
{
    const spSolverDef* solver;
    const spBody* body;
    spHeap* heap;
} spFactorMatrixDef;

// With room for so many blocks below the diagonal; pattern and preconditioner are still to come. NULL without
// memory.
spFactorMatrix* spCreateFactorMatrix(spHeap* heap, int nodeCount, int blockCount);
void spDestroyFactorMatrix(spFactorMatrix* matrix, spHeap* heap);
// For the pattern of a system. NULL, with a sentence, without memory or the library.
spFactorMatrix* spCreateSystemMatrix(const spFactorMatrixDef* def, const spBodySystem* system,
                                     spError* error);

// What contacts add to the blocks of a system that was assembled at the state of the slot
void spAddSlotContacts(const spFactorSlot* slot, const spBody* body, spBodySystem* system);

// Notes an edit
void spMarkSlot(spFactorSlot* slot, const spBirth* birth);
// Gives copies the state of their parents
void spInheritSlot(spFactorSlot* slot);
// Puts an outlived preconditioner around the one of the slot. system: of the body as it is now; its numbers are
// lost. False when the slot must be given up.
bool spOutliveEdits(spFactorSlot* slot, spBody* body, spBodySystem* system, spTeam* team, int64_t step);
void spDropOutlived(spFactorSlot* slot);

// What snapshots keep of edits: lists, and the matrix, which cannot be made again. Returns the matrix that was
// read, or NULL.
spFactorMatrix* spWalkSlotEdits(spFactorSlot* slot, const spFactorMatrixDef* def, spWalkMemoryFcn* fcn,
                                void* walk);
