// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The part of a symmetric matrix that couples nodes, in 3x3 blocks, one for each pair of neighbours:
//
//   (A x)_i = sum_j E_ij (x_i - x_j),  E_ji = E_ij^T
//
// Products work on differences of neighbours: a uniform x gives exactly zero, and what is smooth keeps its
// digits in single precision. Pairs lie in blocks of SP_BLOCK lanes that share no node, patch by patch, as
// elements do (mesh/patch.h). The pattern is made once. The numbers are collected, pair by pair, from what
// the element sets write for each of their elements: no two threads write to the same place, and the order
// of the sums is always the same.

#pragma once

#include "base/backend.h"
#include "element/element.h"
#include "linear/rows.h"

// What one element set adds
typedef struct spPairSource
{
    spPairForm form;
    int nodesPerPlace; // that the set writes for each place of its blocks
    spReal factor;     // b of sp_pairsGradients
    spVec4* pairs;     // what the set writes (pairCount), then three nodes of zeros
    int64_t pairCount;
    int32_t* firstRound; // of each block of pairs (blockCount + 1)
    int32_t*
        offsets; // in pairs, of what each lane takes in a round: one for sp_pairsBlocks, two for gradients
    int64_t offsetCount;
} spPairSource;

typedef struct spSparse
{
    int nodeCount;
    int patchCount;
    const int32_t* patchBegin;
    spBlocks blocks; // of pairs, the lower node first
    spSlots slots;
    spReal* values; // E by columns (blockCount x 9 x SP_BLOCK)
    spVec4*
        diagonal[2]; // sums of E over the pairs of a node, (xx, yy, zz) and (xy, yz, xz): nodes, then slots
    spPairSource* sources;
    int sourceCount;
    int32_t* pairPlace; // block * SP_BLOCK + lane of each pair
    int32_t* rowBegin;  // pairs by their higher node: what spBlockRows needs (nodeCount + 1)
    int32_t* rowColumns;
    int pairCount;
    const spBackend* kernels;
} spSparse;

typedef struct spSparseDef
{
    const spElementSet* const* sets; // those without pairs are passed over
    int setCount;
    const spFill* fill; // the form of the pairs depends on it
    const int32_t* patchBegin;
    int patchCount;
    const spBackend* backend;
} spSparseDef;

// Returns false, with all freed, when there is no memory.
bool spCreateSparse(spSparse* a, spHeap* heap, const spSparseDef* def);
void spDestroySparse(spSparse* a, spHeap* heap);

// Whether sets still hand their pairs over in the form that the pattern was made for
bool spFitsSparse(const spSparse* a, const spElementSet* const* sets, int setCount, const spFill* fill);

// Fills in the numbers at a state. diagonal holds the sums afterwards.
void spFillSparse(spSparse* a, const spElementSet* const* sets, int setCount, const spNodeState* state,
                  const spFill* fill, spTeam* team);

// A block of pairs and lanes: E of a pair
spMat3 spGetPairBlock(const spSparse* a, int pair);
// The sum of E over the pairs of a node
spMat3 spGetDiagonalSum(const spSparse* a, int node);
