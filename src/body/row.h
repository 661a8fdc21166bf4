// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows: relations between two sides that a step must keep (the law is in contact_law.h).
//
// A side is a point of a body, the weighted sum of some nodes; or a collider; or a place in space. A row whose
// sides are one node and a collider or space is a *node row*: the body's own method holds it in every substep.
// Every other row (two bodies) is solved in the response stage, over the compliance that the bodies lend.

#pragma once

#include "base/backend.h"
#include "base/node.h"
#include "body/collider.h"
#include "math/mat3.h"

typedef enum spRowLaw
{
    sp_rowContact, // stay outside of a collider: unilateral, with Coulomb friction and restitution
    sp_rowHold,    // stay at an anchor in the frame of side b
    sp_rowLawCount,
} spRowLaw;

// A node of a side, and its weight
typedef struct spRowNode
{
    int32_t node;
    spReal weight;
} spRowNode;

typedef struct spRowSide
{
    int32_t slot;  // of a body or of a collider; -1 for space
    int32_t node;  // of a body: the node where it is only one, of weight 1; else its first entry in a pool
    int32_t count; // nodes; 0 for a collider and for space
} spRowSide;

typedef struct spRow
{
    uint64_t key;   // the same as long as the contact or the hold lives, whatever the numbering
    spRowSide a, b; // a is a point of a body
    spRowLaw law;
    int32_t age; // solves in a row that its force has been kept over
    union
    {
        struct // contact
        {
            spVec3 normal; // from b to a, when it was last looked at
            spReal gap;    // distance minus contact radius, m
            spReal friction;
            spReal restitution;
            spVec3
                from; // node rows: where the node was at the start of the step, in the frame of the collider, m
            // Between bodies: half edge of a where two edges meet, else -1; triangle or half edge of b
            int32_t features[2];
            spReal thickness; // between bodies: distance along the normal at which they touch, m
            spReal area;      // of a volume between bodies, seen along the normal, m^2; else 0
            spVec3 slip;      // between bodies: of a along b since they stick, m
        };
        struct // hold
        {
            spVec3 anchor; // in the frame of a collider, in space at the start of the step, or from body b, m
            spVec3 anchorStep; // in space: motion of the anchor over the step, m
            spReal compliance; // m/N
            spReal maxForce;   // N, 0 for no limit
            int32_t link;      // slot
        };
    };
    spVec3 force;   // on a, when it was last solved in the response: where the next solve begins, N
    spVec3 impulse; // on a, summed over the step, N s
} spRow;

// Points of one body: sides, whose entries lie in a pool
typedef struct spPoints
{
    const spRowSide* sides;
    const spRowNode* pool;
    int count;
    bool jump; // rows on them act all of a sudden: impacts
    spReal dt; // that the body has just covered, s
} spPoints;

static inline spRowNode spGetSideNode(const spRowSide* side, const spRowNode* pool, int index)
{
    return side->count == 1 ? (spRowNode){side->node, 1} : pool[side->node + index];
}

// The value at a point, from those at the nodes
static inline spVec3 spSumSide(const spRowSide* side, const spRowNode* pool, const spVec4* values)
{
    spVec3 sum = {0, 0, 0};
    for (int k = 0; k < side->count; ++k)
    {
        spRowNode n = spGetSideNode(side, pool, k);
        spVec4 v = values[n.node];
        sum.x += n.weight * v.x;
        sum.y += n.weight * v.y;
        sum.z += n.weight * v.z;
    }
    return sum;
}

// Keys: a seed for two things that meet, by their ids, then one for each of their rows, by a number that does
// not change with numbering. Rows of one pair never share a key.
#define SP_ID_NUMBER(id) ((uint64_t)(id).generation << 32 | (id).index1)
uint64_t spMakePairKey(spRowLaw law, uint64_t first, uint64_t second);
static inline uint64_t spMakeRowKey(uint64_t pairKey, uint32_t number)
{
    uint64_t k = pairKey + number;
    k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9ull;
    k = (k ^ (k >> 27)) * 0x94D049BB133111EBull;
    return k ^ (k >> 31);
}

// What node rows are held against during one substep
typedef struct spHoldContext
{
    const spCollider* const* colliders; // by slot
    const spPose* poses;                // at the end of the substep, by slot
    spReal fraction;                    // of the step that has passed at the end of the substep
    spReal h;                           // the substep, s
    spReal contactRadius;
    spReal restitutionThreshold; // m/s
    bool backtrack;              // contacts go back to the moment of impact
    spReal restSpeed;            // backtracking: impacts slower than this stop, m/s
} spHoldContext;

// A 3x3 block of the compliance between two points of a body: velocity of the one for an impulse on the other
typedef struct spComplianceBlock
{
    int32_t i, j;
    spMat3 block; // 1/kg
} spComplianceBlock;

// A row on a point of a body, which is the weighted sum of some nodes
struct spHeldPoint
{
    spRow* row;
    int32_t begin, count; // of its entries in a pool
};

// Holds rows on points after a trial substep, one after the other: nodes take their shares of it, by their weights
void spHoldPointRows(spVec4* x, spVec4* v, const spHeldPoint* points, int count, const spGhostEntry* entries,
                     const spHoldContext* context);
