// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The linear system of a body: mass M + stiffness K + damping D, with K and D from all its element sets at
// a state. Assembled in pairs of neighbours, or multiplied from the elements; global kinds add one column
// each.

#pragma once

#include "body/body.h"
#include "linear/cg.h"

typedef struct spBodySystem
{
    const spBackend* backend;
    spHeap* heap;
    spSparse sparse;
    bool hasSparse;
    spReal mass; // factor of M
    spFill fill;
    spVec4* ownA; // mass and what acts on nodes alone: (xx, yy, zz), then (xy, yz, xz)
    spVec4* ownC;
    bool crossed;     // whether ownC counts
    spMat3* diagonal; // what acts on nodes alone; NULL when no set has any
    spVec4* localA;   // inverse blocks of the nodes, or inverse diagonals
    spVec4* localC;
    spColumn columns[SP_MAX_COLUMNS];
    int columnCount;
    uint32_t version;       // of the body's elements that the pattern was made for
    uint32_t setVersion;    // the same, edits left out
    uint32_t matrixVersion; // that the pairs were filled for
    bool constant;          // they are the same in every state
    bool filled;

    spVec4* product; // of the pairs: nodes, then slots

    // Matrix-free
    spForceContext force;
    spDifference difference;
    spVec4* dx;
    spVec4* dv;
} spBodySystem;

// What is needed beside the state
typedef struct spSystemNeeds
{
    bool sparse;
    bool matrixFree;
    bool local;
    spHeap* heap; // that it lives in; NULL for the body's
} spSystemNeeds;

bool spCreateBodySystem(spBodySystem* s, spBody* body, const spFill* fill, const spSystemNeeds* needs,
                        spError* error);
void spDestroyBodySystem(spBodySystem* s, spBody* body);

// Whether the pattern still fits the element sets of the body, and whether it would but for edits
bool spFitsBodySystem(const spBodySystem* s, const spBody* body, const spFill* fill);
bool spFitsButForEdits(const spBodySystem* s, const spBody* body, const spFill* fill);

// Fills in own, and the columns of global kinds; the pairs too when `pairs` is set. Pairs that are the same
// in every state are filled again only for another fill, material or role.
void spAssembleSystem(spBodySystem* s, spBody* body, const spForceContext* force, spReal mass,
                      const spFill* fill, bool pairs);

// Adds to the block of one node, or to those of all nodes, before anything is made from them
void spAddToOwn(spBodySystem* s, int node, spReal stiffness);
void spAddBlocksToOwn(spBodySystem* s, const spBody* body, const spVec4* a, const spVec4* c);

// Inverse blocks of the nodes from the numbers as they stand: whole, or of their diagonals alone
void spMakeLocal(spBodySystem* s, const spBody* body, bool whole, spTeam* team);

// The operator over the pairs, or over the elements at the state of the last assembly
spOperator spGetPairOperator(spBodySystem* s);
spOperator spGetElementOperator(spBodySystem* s, spBody* body);

// Rows for preconditioners, with a pattern of their own: made once, and filled in. spDestroyRows frees them.
bool spCreateSystemRows(spBlockRows* rows, const spBodySystem* s, spHeap* heap);
// x: nodes of no inverse mass are held
void spFillSystemRows(spBlockRows* rows, const spBodySystem* s, const spVec4* x);
