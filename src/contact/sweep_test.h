// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// When a vertex and a triangle, or two edges, that move in straight lines come near each other.

#pragma once

#include "base/node.h"

typedef struct spImpact
{
    spReal time;       // share of the motion
    spReal weights[4]; // of the nodes: where the sides are nearest each other at that time
    spVec3 offset;     // between these places at that time, from the second side to the first
} spImpact;

// Nodes are where x says and move by d. Returns false when they stay more than `distance` apart; who is as near as
// that already has an impact at 0. Sides: a vertex, then the corners of a triangle; or the ends of an edge, then
// those of the other.
bool spSweepVertex(const spVec3 x[4], const spVec3 d[4], spReal distance, spImpact* impact);
bool spSweepEdges(const spVec3 x[4], const spVec3 d[4], spReal distance, spImpact* impact);
