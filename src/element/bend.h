// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bending of a surface over its inner edges: what the body needs to make and change a set of hinges.

#pragma once

#include "element/constraint.h"
#include "element/follow.h"
#include "element/lane_count.h"

#include "souple/element.h"

// One hinge, in node numbering: both ends of the edge, then the tips of its two triangles
typedef struct spBend
{
    int32_t nodes[4];
    spReal rest;   // angle, rad
    spReal weight; // 3 l0^2 / A: from the stiffness of the surface to that of the hinge
    spReal fading; // one over the square of twice an area below which the hinge fades out, 1/m^4
} spBend;

typedef struct spBendSet
{
    spElementSet base;
    spReal stiffness; // J
    spReal damping;   // J s
    spBend* bends;
    spBlocks blocks;
    spReal* data;    // rest angles, weights, fading: three arrays of blockCount x SP_BLOCK
    spFollow follow; // edits: a hinge is whole or gone
} spBendSet;

typedef struct spBendSetDef
{
    const spBend* bends; // copied
    int bendCount;
    const int32_t* patchBegin;
    int patchCount;
    int laneCount;    // 1, 4, 8 or 16
    spFollow* follow; // what holds them, for a body with room: the set takes it; else NULL
    int tetRoom;
} spBendSetDef;

// The slots of the blocks are filled in by the body. Returns NULL when there is no memory.
spBendSet* spCreateBendSet(spHeap* heap, const spBendSetDef* def);

// Fills in a hinge with the given nodes from the rest shape. False when one of the triangles has no area:
// such a hinge has no angle.
bool spMakeBend(const spVec4* x, bool flat, spBend* bend);

// The kind, one table for each number of lanes
SP_DECLARE_KINDS(spBendKind);

// Its rows for XPBD
SP_DECLARE_CONSTRAINTS(spBendRows);

// Scalar parts that all tables share
void spFillBendRows(spConstraints* c, const spConstraintFill* fill);
double spGetBendSetEnergy(const spElementSet* base, const spNodeState* state);
int spGetBendStiffness(const spElementSet* base, const spNodeState* state, int element, bool project,
                       int32_t* nodes, spMat3* blocks);
bool spIsBendSetDamped(const spElementSet* base);
spBlocks* spGetBendBlocks(spElementSet* base);
void spAddBendSetBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds);
bool spRemapBendSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error);
void spDestroyBendSet(spElementSet* base, spHeap* heap);
