// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Blocks of the inverse of a complete factor between the nodes of a body that are touched. While a factor is in
// use they do not change: a node costs three columns once. They are those of the factor itself, without the
// rotations of the nodes, which change in every step.
//
// Courtecuisse. Nouvelles architectures paralleles pour simulations interactives medicales. 2011, chapter 5

#pragma once

#include "method/factor.h"

// Nodes at the most: columns of more, and what couples all to all, cost more than they save
#define SP_COMPLIANCE_NODES 256

typedef struct spComplianceCache
{
    int64_t serial; // of the factor that the blocks are of
    bool stale;     // the blocks of the nodes are to be made again: the nodes come from a snapshot
    int32_t count;
    int32_t nodes[SP_COMPLIANCE_NODES]; // in the order in which they were asked for
    int32_t* places;                    // of each node of the body, -1 for none
    int placeCount;
    spReal* cells; // 9 for each pair of nodes: column node, entry of the block by rows, row node
    int capacity;  // nodes that there is room for
    spVec4* a;     // right-hand sides and columns while they are made
    spVec4* z;
} spComplianceCache;

void spFreeComplianceCache(spHeap* heap, spComplianceCache* cache);

// Whether there is a front factor that has columns to give
bool spHasCompliance(const spFactor* factor);

typedef enum spComplianceResult
{
    sp_complianceListed,
    sp_complianceTooMany,
    sp_complianceNoMemory,
} spComplianceResult;

// Sees to it that the nodes are among those of the cache
spComplianceResult spListCompliance(spComplianceCache* cache, const spBody* body, const spFactor* factor,
                                    const int32_t* nodes, int count, spTeam* team);

// The block between two places, row and column
static inline spMat3 spGetComplianceBlock(const spComplianceCache* cache, int row, int column)
{
    size_t stride = (size_t)cache->capacity;
    const spReal* c = cache->cells + 9 * stride * (size_t)column + row;
    return spMakeMat3(spMakeVec3(c[0], c[3 * stride], c[6 * stride]),
                      spMakeVec3(c[stride], c[4 * stride], c[7 * stride]),
                      spMakeVec3(c[2 * stride], c[5 * stride], c[8 * stride]));
}

// What snapshots keep, with the factor, which is walked here too: which nodes, in which order. After they were read
// back the blocks are made again.
void spWalkCompliance(spComplianceCache* cache, const spBody* body, spFactor* factor, spWalkMemoryFcn* fcn,
                      void* walk);
// Forgets all nodes, for example after an edit
void spClearComplianceCache(spComplianceCache* cache);
