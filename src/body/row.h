// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows: relations over nodes that a step must keep.
//
// Rows come in groups that share a point: a contact is one normal row, unilateral, and two friction rows; a
// hold is three bilateral rows. A group whose one side is a single node and whose other side is a collider or
// a place in space is a *node row*: the body's own method holds it in every substep. Everything else (two
// bodies) is solved in the response stage, through points, which are rows of a map.

#pragma once

#include "body/collider.h"
#include "math/mat3.h"

// Nodes that start inside a collider leave it at most this fast, m/s: pushing them out at once would tear the
// body
#define SP_PUSH_SPEED ((spReal)5)

typedef enum spRowLaw
{
    sp_rowContact, // stay outside of a collider: unilateral, with Coulomb friction and restitution
    sp_rowHold,    // stay at an anchor in the frame of a collider, or in space when there is none
} spRowLaw;

typedef struct spNodeRow
{
    int32_t node;
    int32_t collider; // slot, -1 for space
    int32_t link;     // slot of the link that a hold belongs to, -1 for a contact
    spRowLaw law;
    spVec3 anchor;      // hold: in the collider's frame, or in space at the start of the step, m
    spVec3 anchorStep;  // hold in space: motion of the anchor over the step, m
    spReal compliance;  // hold: m/N
    spReal maxForce;    // hold: N, 0 for no limit
    spReal friction;    // contact
    spReal restitution; // contact
    spVec3 normal;      // contact: when it was last looked at
    spReal gap;         // contact: distance minus contact radius, m
    spVec3 impulse;     // on the node, summed over the step, N s
} spNodeRow;

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

// A row of a map: a weighted sum of up to four nodes
typedef struct spPoint
{
    int32_t nodes[4];
    spReal weights[4];
    int count;
} spPoint;

// A 3x3 block of the compliance between two points of a body: velocity of the one for an impulse on the other
typedef struct spComplianceBlock
{
    int32_t i, j;
    spMat3 block; // 1/kg
} spComplianceBlock;
