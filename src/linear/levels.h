// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Levels of the multilevel preconditioner. The first has three unknowns for each node; on the others a row is
// an aggregate of rows of the level before, with six unknowns: how it moves and how it turns. Vectors and
// blocks of the diagonal keep four and eight numbers for them. Other blocks are packed: their columns are
// read in fours and eights as well, with numbers of the next one at the end that are not used.

#pragma once

#include "linear/preconditioner.h"

// Aggregates have two rows at least, mostly ten and more
#define SP_MAX_MULTILEVELS 16

typedef spReal spOct __attribute__((vector_size(8 * sizeof(spReal)), may_alias));

// The same anywhere in memory
typedef spReal spLooseQuad
    __attribute__((vector_size(4 * sizeof(spReal)), aligned(sizeof(spReal)), may_alias));
typedef spReal spLooseOct
    __attribute__((vector_size(8 * sizeof(spReal)), aligned(sizeof(spReal)), may_alias));

typedef struct spLevelKernels spLevelKernels;

typedef struct spLevel
{
    int rowCount;
    int width;  // unknowns of a row: 3 or 6
    int stride; // numbers that a row of a vector has: 4 or 8

    // Rows that a thread works on at a time, one after the other
    int32_t* patchBegin; // (patchCount + 1)
    int patchCount;

    // The matrix beside its diagonal, both halves, columns rising
    int32_t* begin;   // (rowCount + 1)
    int32_t* inside;  // first block of each row in its patch (rowCount)
    int32_t* after;   // first block after the diagonal (rowCount)
    int32_t* outside; // first block after the patch (rowCount)
    int32_t* columns; // (blockCount)
    spReal* blocks;   // by columns (blockCount x width x width)
    spReal* diagonal; // (rowCount x width x stride)
    spReal* inverse;  // D'^-1 (rowCount x width x stride)
    spReal* added;    // share of the diagonal that sweeps add to it, D' = (1 + added) D (rowCount)

    // How the next level moves this one, P, by rows
    int32_t* aggregates; // row of the next level that each row is part of, -1 for none (rowCount)
    int32_t* moveBegin;  // (rowCount + 1)
    int32_t* moveColumns;
    spReal* moves;         // (moveCount x width x 6)
    int32_t* mixedBegin;   // pattern of A P (rowCount + 1)
    int32_t* mixedColumns; // rising
    // The same by columns
    int32_t* membersBegin; // (rows of the next level + 1)
    int32_t* members;      // rows of this level
    int32_t* memberPlaces; // their places in P

    // Where rows are, and how far what they stand for reaches: rotations are scaled by it
    spVec4* centers; // (rowCount)
    spReal* radii;   // (rowCount)

    spReal *r, *z, *old, *rest; // vectors (rowCount x stride)
} spLevel;

// The inner loops, for each width
struct spLevelKernels
{
    // (D' + L) z = r in the patch, from z = 0
    void (*sweepForth)(const spLevel* level, const spReal* r, spReal* z, int patch);
    // rest = r - A z after that
    void (*findRest)(const spLevel* level, const spReal* z, spReal* rest, int patch);
    // coarse = P^T rest, for rows of the next level
    void (*gatherRest)(const spLevel* level, const spReal* rest, spReal* coarse, int begin, int end);
    // z += P coarse, and a copy of it
    void (*addMoves)(const spLevel* level, const spReal* coarse, spReal* z, spReal* old, int patch);
    // (D' + L^T) (new z - z) = r - A z in the patch
    void (*sweepBack)(const spLevel* level, const spReal* r, spReal* z, const spReal* old, int patch);

    // P = (I - w D'^-1 A) times rigid moves
    void (*smoothMoves)(const spLevel* level, const spLevel* coarse, spReal relaxation, spOct* mixed,
                        int32_t* places);
    // P^T A P on and before the diagonal
    void (*project)(const spLevel* level, const spLevel* coarse, spOct* mixed, int32_t* places);
};

// Memory of levels: all of it is given back at once
#define SP_MAX_LEVEL_ARRAYS (SP_MAX_MULTILEVELS * 32)

typedef struct spMultilevel
{
    spPreconditioner base;
    const spBlockRows* pattern;
    const int32_t* patchBegin;
    int patchCount;
    const spLevelKernels *firstKernels, *nextKernels; // of the first level and of the others
    bool* active; // nodes with couplings, that the levels are for (nodeCount)
    bool* found;  // the same of the matrix in work (nodeCount)

    spLevel levels[SP_MAX_MULTILEVELS];
    int levelCount;
    bool isDense;    // the last level is small, with its inverse in full
    double* dense;   // the same in work
    spReal* solve;   // that inverse, by columns (8 rowCount x 8 rowCount)
    spOct* mixed;    // a row of A P
    int32_t* places; // (largest rowCount)

    void* arrays[SP_MAX_LEVEL_ARRAYS];
    size_t arraySizes[SP_MAX_LEVEL_ARRAYS];
    int arrayCount;
} spMultilevel;

// Memory for `count` things of `size` bytes, at least one. NULL without memory.
void* spTakeArray(spMultilevel* m, int64_t count, size_t size);
void spGiveArrays(spMultilevel* m);

// Makes all levels from the couplings of active nodes. False without memory.
bool spMakeLevels(spMultilevel* m);

extern const spLevelKernels spLevelKernels3, spLevelKernels6;
#ifndef SOUPLE_DISABLE_SIMD
extern const spLevelKernels spWideLevelKernels3, spWideLevelKernels6;
#endif
