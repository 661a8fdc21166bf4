// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The surface of a mesh as something to be near to: the nearest place of its triangles, and on which side of it a
// point lies. The normal of a corner is the sum of those of its triangles, weighted by their angles there, that of
// an edge the sum of two: where the surface is closed, the side of that normal is the true one for every point.
//
// Baerentzen, Aanaes. Signed Distance Computation Using the Angle Weighted Pseudonormal. 2005

#pragma once

#include "mesh/element_tree.h"
#include "mesh/triangle_math.h"

typedef struct spTriangleTree
{
    spElementTree boxes;
    spDVec3* normals;     // of unit length, sp_featureCount for each triangle
    bool closed;          // every edge has two triangles that run along it in opposite directions
    double volume;        // inside, where it is closed; negative when the triangles look inwards, m^3
    spDVec3 lower, upper; // smallest and largest coordinates, m
} spTriangleTree;

// A copy of what a mesh shows to the outside, its triangles or the boundary of its tets, with vertices at the same
// place joined and triangles without area left out. Triangles of different winding are turned alike; where all
// are wound alike they stay as they are. NULL when nothing is left, or without memory.
spMesh* spMakeSurfaceMesh(const spMesh* mesh, const spAllocator* allocator, spError* error);

// surface: as from spMakeSurfaceMesh. It must outlive the tree.
bool spBuildTriangleTree(spHeap* heap, const spMesh* surface, spTriangleTree* tree, spError* error);
void spFreeTriangleTree(spHeap* heap, spTriangleTree* tree);

typedef struct spSurfacePlace
{
    int triangle; // -1 when nothing is so near
    int feature;
    spDVec3 point;
    double distance; // m
} spSurfacePlace;

// The place nearest to a point, if it is nearer than a limit, m
spSurfacePlace spFindSurfacePlace(const spTriangleTree* tree, spDVec3 point, double limit);

static inline spDVec3 spGetPlaceNormal(const spTriangleTree* tree, const spSurfacePlace* place)
{
    return tree->normals[(int64_t)sp_featureCount * place->triangle + place->feature];
}

// Distance from a closed surface, negative inside, m
double spGetSignedDistance(const spTriangleTree* tree, spDVec3 point, double limit);
