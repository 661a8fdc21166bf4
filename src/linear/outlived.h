// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A preconditioner that outlives an edit. P was made for the matrix before it; nodes have been copied since,
// and what held some of them together is gone:
//
//   z = T r + (I - T A) G P^-1 G^T (I - A T) r,   T = S A_SS^-1 S^T
//
// G gives every copy what its parent gets, S picks the nodes of the tets that the edit has changed: P knows the
// body but not the cut, the dense block the cut but not the body. The block is solved before P, which gets what it
// leaves, and again behind it: after that nothing is left at S. Positive definite whatever P is, as neither part is
// negative and the two together leave nothing out: what G^T takes to zero is a difference between a copy and its
// parent, and both are in S. (Two-level Schwarz with exact local solves, balanced as Mandel 1993 has it.)

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
