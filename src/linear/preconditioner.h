// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Preconditioners: a symmetric positive definite P near A whose inverse is cheap to apply. Made in two parts,
// one that depends on the pattern alone and is made once, and one with the numbers, made again and again
// without new memory. A preconditioner is built by one thread at a time, which may be another one than the
// thread that applies it; it has a heap of its own for that.

#pragma once

#include "base/error.h"
#include "base/node.h"
#include "base/team.h"
#include "linear/rows.h"

#include "souple/body.h"

typedef struct spPreconditioner spPreconditioner;

typedef struct spPreconditionerDef
{
    spAllocator allocator;
    const spBlockRows* pattern; // numbers are not looked at; must live as long as the preconditioner
    const int32_t* patchBegin;  // nodes that a thread works on at a time: [patchBegin[p], patchBegin[p + 1])
    int patchCount;
    int laneCount;
    spReal dropTolerance; // of the incomplete factor
} spPreconditionerDef;

typedef struct spPreconditionerKind
{
    const char* name;

    // The part that depends on the pattern. NULL without memory, or when this build lacks the library, with a
    // sentence that says so.
    spPreconditioner* (*create)(const spPreconditionerDef* def, spError* error);
    void (*destroy)(spPreconditioner* p);

    // The numbers, from a matrix of that pattern. False when the matrix is not positive definite or there is
    // no memory; the preconditioner must then not be applied.
    bool (*build)(spPreconditioner* p, const spBlockRows* matrix);

    // z = P^-1 r. Reads and writes no other state than scratch memory of p; the result does not depend on the
    // number of workers. r and z are nodeCount long, w is 0.
    void (*apply)(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z);

    // The same for many right-hand sides at once, column after column, each nodeCount long. NULL: one by one.
    void (*applyMany)(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z, int columnCount);
} spPreconditionerKind;

// Every preconditioner starts with this
struct spPreconditioner
{
    const spPreconditionerKind* kind;
    spHeap heap;
    double buildSeconds; // of the last build
    int64_t factorSize;  // numbers that are not zero in the factor; 0 without one
};

// The table of a type; NULL for sp_preconditionAuto and sp_preconditionNone
const spPreconditionerKind* spFindPreconditioner(spPreconditionerType type);

extern const spPreconditionerKind spJacobiKind, spBlockJacobiKind, spSsorKind, spIncompleteKind,
    spCholeskyKind, spMultilevelKind;

// What kinds share: memory for `size` bytes of one, zeroed, with a heap of its own, and its end.
void* spAllocPreconditioner(const spPreconditionerDef* def, const spPreconditionerKind* kind, size_t size,
                            spError* error);
void spFreePreconditioner(spPreconditioner* p);
