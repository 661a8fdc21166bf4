// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The area of the surface around a node, a third of each of its triangles where they are now, as somebody sees it
// who looks at it from one side: what presses on the bottom of a box does not press on its walls.

#pragma once

#include "body/body.h"

// Which triangles each node has, for one topology
typedef struct spNodeFans
{
    uint32_t version;   // topologyVersion of the body that they were made for
    int32_t* first;     // of each node, in the user's numbering: its triangles in `triangles` (userCount + 1)
    int32_t* triangles; // rising
} spNodeFans;

// Makes the fans of a body anew where its topology has changed. False without memory: there are then none.
bool spUpdateNodeFans(spBody* body);
// NULL is allowed
void spFreeNodeFans(spHeap* heap, spNodeFans* fans);

// m^2; 0 without triangles or fans. The node is the user's; the direction, of length 1, leads to who looks at it.
spReal spGetNodeArea(const spBody* body, int node, spVec3 direction);
