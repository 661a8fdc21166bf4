// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Wind and drag of a fluid on triangles: what the body needs to make and change a set of them.

#pragma once

#include "element/follow.h"
#include "element/lane_count.h"

#include "souple/element.h"

typedef struct spWindSet
{
    spElementSet base;
    spWindDef def;
    int32_t* triangles; // in node numbering (elementCount x 3)
    spBlocks blocks;
    spFollow follow; // edits
} spWindSet;

typedef struct spWindSetDef
{
    const spWindDef* wind;
    const int32_t* triangles; // in node numbering, copied
    int triangleCount;
    const int32_t* patchBegin;
    int patchCount;
    int laneCount;    // 1, 4, 8 or 16
    spFollow* follow; // what holds them, for a body with room: the set takes it; else NULL
    int tetRoom;
} spWindSetDef;

// The slots of the blocks are filled in by the body. Returns NULL when there is no memory.
spWindSet* spCreateWindSet(spHeap* heap, const spWindSetDef* def);

// Velocity of the fluid at a time, m/s
spVec3 spGetWindVelocity(const spWindSet* set, double time);

// The kind, one table for each number of lanes
SP_DECLARE_KINDS(spWindKind);

// Scalar parts that all tables share
double spGetWindEnergy(const spElementSet* base, const spNodeState* state);
spBlocks* spGetWindBlocks(spElementSet* base);
void spAddWindDiagonal(const spElementSet* base, const spNodeState* state, const spFill* fill,
                       spMat3* diagonal);
void spAddWindBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds);
bool spRemapWindSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error);
void spDestroyWindSet(spElementSet* base, spHeap* heap);
