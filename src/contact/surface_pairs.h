// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Triangles of contact surfaces that may meet: box trees over what they pass through from one moment to another, and
// all pairs whose boxes meet.

#pragma once

#include "base/arena.h"
#include "contact/contact_surface.h"
#include "mesh/mesh_math.h"

typedef struct spMotionTree
{
    const spContactSurface* surface;
    const spVec4 *from, *to; // nodes of the body at both moments
    int leafCount;           // a power of two
    spExtent* boxes;         // node i has the children 2 i + 1 and 2 i + 2: 2 leafCount - 1
} spMotionTree;

// Memory comes from the arena; false when there is none. `to` may be `from`.
bool spBuildMotionTree(spArena* arena, const spContactSurface* surface, const spVec4* from, const spVec4* to,
                       spMotionTree* tree);
// The same at other places, in the same memory
void spFitMotionTree(spMotionTree* tree);
spExtent spGetTriangleExtent(const spMotionTree* tree, int triangle);

// Calls visit for all pairs of triangles whose boxes come within a margin, always in the same order. A tree with
// itself: each pair once, and no triangle with itself. Stops when visit returns false, and returns that.
typedef bool spVisitPairFcn(int triangleA, int triangleB, void* context);
bool spVisitTrianglePairs(const spMotionTree* a, const spMotionTree* b, spReal margin, spVisitPairFcn* visit,
                          void* context);

// How many corners two triangles of one surface share; `shared` gets the corner of each when it is one, else -1
int spFindSharedCorners(const spContactSurface* surface, int a, int b, int shared[2]);

void spGetTriangleCorners(const spContactSurface* surface, const spVec4* x, int triangle, spDVec3 out[3]);
