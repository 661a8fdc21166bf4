// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A preconditioner that outlives an edit. P was made for the matrix before it; nodes have been copied since,
// and what held some of them together is gone:
//
//   z = G P^-1 G^T r + S A_SS^-1 S^T r
//
// G gives every copy what its parent gets, S picks the nodes of the tets that the edit has changed: P knows the
// body but not the cut, the dense block the cut but not the body. Positive definite, as the first part is not
// negative and the two together leave nothing out: what G^T takes to zero is a difference between a copy and its
// parent, and both are in S.

#pragma once

#include "linear/preconditioner.h"
#include "linear/sparse.h"

typedef struct spOutlivedDef
{
    spPreconditioner* old;  // P; stays the caller's
    const int32_t* nodes;   // copies, each behind its parent where that is a copy too
    const int32_t* parents; // of each copy
    int copyCount;
    const int32_t* changed; // S: nodes of the tets that have changed, rising; those without mass left out
    int changedCount;
    const spSparse* matrix; // A after the edit, at the state that P was made at
    const spVec4* ownA;     // what it has at the changed nodes alone: (xx, yy, zz), then (xy, yz, xz)
    const spVec4* ownC;
} spOutlivedDef;

// NULL, with a sentence, without memory or when the block is not positive definite
spPreconditioner* spCreateOutlived(const spAllocator* allocator, const spOutlivedDef* def, spError* error);
