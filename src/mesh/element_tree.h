// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A box tree over the tets or triangles of a mesh, to find the one nearest to a point.
//
// Elements are sorted along a Morton curve and cut into 2^n leaves of nearly the same number; node i has the
// children 2 i + 1 and 2 i + 2. Building is O(n log n), whatever the elements look like.

#pragma once

#include "mesh/mesh.h"
#include "mesh/mesh_math.h"

typedef struct spBox
{
    spDVec3 lower, upper;
} spBox;

typedef struct spElementTree
{
    const spDVec3* vertices; // of the mesh
    const int32_t* elements; // of the mesh
    int tupleSize;           // 3 or 4
    int elementCount;        // that have a shape
    int leafCount;           // a power of two
    int32_t* sorted;         // element numbers
    spBox* boxes;            // 2 leafCount - 1
    int sortedCapacity;
} spElementTree;

// Over the tets, or over the triangles when there are none. Elements without volume or area are left out.
bool spBuildElementTree(spHeap* heap, const spMesh* mesh, spElementTree* tree, spError* error);
void spFreeElementTree(spHeap* heap, spElementTree* tree);

// Squared distance of a point from a box, m^2
static inline double spBoxDistance2(const spBox* box, spDVec3 p)
{
    double dx = fmax(fmax(box->lower.x - p.x, p.x - box->upper.x), 0.0);
    double dy = fmax(fmax(box->lower.y - p.y, p.y - box->upper.y), 0.0);
    double dz = fmax(fmax(box->lower.z - p.z, p.z - box->upper.z), 0.0);
    return dx * dx + dy * dy + dz * dz;
}

// First place in `sorted` of a leaf, which is node leafCount - 1 + leaf
static inline int spLeafBegin(const spElementTree* tree, int leaf)
{
    return (int)((int64_t)tree->elementCount * leaf / tree->leafCount);
}

// A node that a search has still to look at; 64 of them are enough for any tree
typedef struct spTreeVisit
{
    int node;
    double distance2; // of its box from the point
} spTreeVisit;

// The children of a node, the nearer one on top. Returns the new depth of the stack.
static inline int spPushChildren(const spElementTree* tree, int node, spDVec3 point, spTreeVisit* stack,
                                 int depth)
{
    int child = 2 * node + 1;
    spTreeVisit first = {child, spBoxDistance2(tree->boxes + child, point)};
    spTreeVisit second = {child + 1, spBoxDistance2(tree->boxes + child + 1, point)};
    bool swap = second.distance2 < first.distance2;
    stack[depth] = swap ? first : second;
    stack[depth + 1] = swap ? second : first;
    return depth + 2;
}

// Where a point is
typedef struct spElementHit
{
    int element;       // -1 when there is none
    double weights[4]; // sum 1; extrapolate when the point is outside
    double distance;   // from the element, m; 0 inside
    bool outside;
} spElementHit;

// The element that contains the point, or the nearest one. Among equally near ones it is the one that
// extrapolates least.
spElementHit spFindElement(const spElementTree* tree, spDVec3 point);
