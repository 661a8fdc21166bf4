// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Constraints that users give: distances, tethers, areas, volumes of tets, and the volume of the whole body.
// They have rows and an energy but no forces, so that only XPBD moves a body that has them.
//
//   distance, tether   C = |x1 - x0| - rest         energy C^2 / (2 compliance)
//   area               C = (A - A0) / sqrt(A0)      the same, which makes A0 ((A - A0) / A0)^2 / (2
//   compliance) volume             C = (V - V0) / sqrt(V0)      the same
//
// Forces of a constraint are as large as they must be: what a compliance of 0 keeps has no stiffness to take
// them from.

#pragma once

#include "element/constraint.h"
#include "element/enclosure.h"
#include "element/follow.h"

#include "souple/element.h"

typedef struct spConstraintSet
{
    spElementSet base;
    spConstraintType type;
    int laneCount;
    spReal compliance;     // m/N, or 1/Pa
    spReal damping;        // as a time, s
    int nodesPerElement;   // 2, 3 or 4
    int32_t* nodes;        // (elementCount x nodesPerElement); NULL for the whole volume
    spReal* rest;          // m, m^2 or m^3, of each element; NULL for the whole volume
    spBlocks blocks;       // empty for the whole volume
    spFollow follow;       // edits: parts are as compliant as they are small
    spEnclosure enclosure; // of the whole volume
    double restVolume;     // of the whole volume, m^3
    double leastSquare;    // what J J^T of the whole volume counts for each node at least, in the mean
    double volume;         // of the whole volume, from measure, m^3
} spConstraintSet;

typedef struct spConstraintSetDef
{
    spConstraintType type;
    const int32_t* nodes; // of each constraint; for the whole volume the triangles around it
    int count;            // of constraints, or of those triangles
    const spReal* rest;   // of each constraint; not used for the whole volume
    spReal compliance;
    spReal damping;
    const int32_t* patchBegin;
    int patchCount;
    int nodeCount;
    int laneCount;    // 1, 4, 8 or 16
    spFollow* follow; // what holds them, for a body with room: the set takes it; else NULL
    int tetRoom;
} spConstraintSetDef;

// Returns NULL when there is no memory. A whole volume still needs spSetRestVolume.
spConstraintSet* spCreateConstraintSet(spHeap* heap, const spConstraintSetDef* def);

// Sets the whole volume to be kept, m^3, > 0, for a body that has its shape at x.
void spSetRestVolume(spConstraintSet* set, const spVec4* x, double volume);

// Nodes of each constraint: 2, 3 or 4; those of a triangle for the whole volume
int spCountConstraintNodes(spConstraintType type);

// Length, area or volume of a constraint between these nodes, in double
double spMeasureConstraint(spConstraintType type, const spVec4* x, const int32_t* nodes);

// The kinds: of constraints between a few nodes, and of the one on the whole volume
extern const spElementKind spConstraintSetKind;
extern const spElementKind spWholeVolumeKind;

// Rows, for each number of lanes
SP_DECLARE_CONSTRAINTS(spGivenDistanceRows);
SP_DECLARE_CONSTRAINTS(spGivenTetherRows);
SP_DECLARE_CONSTRAINTS(spAreaRows);
SP_DECLARE_CONSTRAINTS(spVolumeRows);

// Scalar parts that all numbers of lanes share
void spFillGivenDistanceRows(spConstraints* c, const spConstraintFill* fill);
void spFillExtentRows(spConstraints* c, const spConstraintFill* fill);
