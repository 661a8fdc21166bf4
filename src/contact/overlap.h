// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What of bodies is inside each other now: pairs of triangles that intersect, and how deep.

#pragma once

#include "contact/surface_pairs.h"
#include "contact/touch.h"

typedef struct spOverlap
{
    int slots[2];                 // of the bodies; the same twice for a body with itself
    const spMotionTree* trees[2]; // of them
    int pairCount;                // of triangles that intersect
    double depth;                 // of the deepest pair or vertex, m
    bool contained;               // one is inside the other as a whole: no triangles intersect
} spOverlap;

// Makes contact surfaces where they are missing: of bodies that run and may touch. False without memory.
bool spMakeMissingSurfaces(const spTouchContext* context);

// Distance of a vertex of a surface from a closed surface at their second moment, negative inside, m, and the way to the
// nearest place. 1 where the vertex is outside of the box around the closed one.
double spFindVertexDistance(const spMotionTree* tree, int vertex, const spMotionTree* closed, spDVec3* way);

// Calls visit for all pairs of bodies that overlap, and bodies that overlap themselves, in the order of slots. deep:
// vertices that are inside of closed surfaces count with their distance from them, which takes longer. False without
// memory.
typedef void spVisitOverlapFcn(const spOverlap* overlap, void* context);
bool spVisitOverlaps(const spTouchContext* context, bool deep, spVisitOverlapFcn* visit, void* visitContext);
