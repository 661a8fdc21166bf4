// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Springs: what the body needs to make and change a set of them.

#pragma once

#include "element/follow.h"
#include "element/lane_count.h"
#include "mesh/patch.h"

#include "souple/element.h"

// One spring as it was given, in node numbering
typedef struct spSpring
{
    int32_t nodes[2];
    spReal rest;      // m
    spReal stiffness; // as given: N/m, N for the normalised law, N/m^2 for the proportional one
    spReal damping;   // N s/m
    spReal share;     // stiffness over Young's modulus where it came from one, else 0
} spSpring;

typedef struct spSpringSet
{
    spElementSet base;
    spSpringLaw law;
    bool damped;         // any spring has a damper
    bool derived;        // stiffness came from Young's modulus: the shares are there
    spReal youngModulus; // that it comes from now, Pa; 0 when stiffness was given
    double amplitude;    // of the activation; 0 for none
    double frequency;    // of the activation, Hz
    double phase;        // of the activation, rad
    spSpring* springs;
    spBlocks blocks;
    spReal* data;        // rest lengths, stiffnesses in N/m, dampings: three arrays of blockCount x SP_BLOCK
    int stiffnessStride; // from block to block: SP_BLOCK, or 0 when all are the same, which saves loading
                         // them
    int dampingStride;
    spFollow follow; // edits: springs behind those that were given are parts of them
} spSpringSet;

typedef struct spSpringSetDef
{
    const spSpring* springs; // copied
    int springCount;
    spSpringLaw law;
    const int32_t* patchBegin;
    int patchCount;
    int laneCount;    // 1, 4, 8 or 16
    spFollow* follow; // what holds them, for a body with room: the set takes it; else NULL
    int tetRoom;
} spSpringSetDef;

// The slots of the blocks are filled in by the body. Returns NULL when there is no memory.
spSpringSet* spCreateSpringSet(spHeap* heap, const spSpringSetDef* def);

// Fills the block data from the springs: after their numbers have changed.
void spFillSpringData(spSpringSet* set);

// Stiffness in N/m whatever the law, and damping in N s/m, of the part that there is
spReal spGetSpringModulus(const spSpringSet* set, const spSpring* spring);
spReal spGetSpringDamping(const spSpringSet* set, const spSpring* spring);

// phase in degrees
void spSetActivation(spSpringSet* set, spReal amplitude, spReal frequency, spReal phase);

// The factor on the rest lengths at a time; exactly 1 without activation
spReal spGetActivation(const spSpringSet* set, double time);

// The kind, one table for each number of lanes
SP_DECLARE_KINDS(spSpringKind);

// Scalar parts that all tables share
double spGetSpringSetEnergy(const spElementSet* base, const spNodeState* state);
int spGetSpringStiffness(const spElementSet* base, const spNodeState* state, int element, bool project,
                         int32_t* nodes, spMat3* blocks);
bool spIsSpringSetDamped(const spElementSet* base);
spBlocks* spGetSpringBlocks(spElementSet* base);
void spAddSpringSetBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds);
bool spRemapSpringSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error);
void spDestroySpringSet(spElementSet* base, spHeap* heap);
