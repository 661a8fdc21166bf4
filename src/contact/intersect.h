// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Two triangles: whether they intersect, how far they are from each other, and along what. All in double.

#pragma once

#include "mesh/mesh_math.h"

// Corners of a triangle, or ends of an edge
typedef struct spFacet
{
    spDVec3 p[3];
    int count; // 3 or 2
} spFacet;

// On which side of the plane (a, b, c) d is: 1 where a, b, c run counterclockwise as seen from there, -1 on the other
// side, 0 on the plane. Exact for numbers of float that are within 2^29 of each other.
int spGetSideOfPlane(spDVec3 a, spDVec3 b, spDVec3 c, spDVec3 d);

// Whether the edge from p to q goes through the triangle. An end that is just on its plane does not.
bool spDoesEdgeCross(spDVec3 p, spDVec3 q, const spDVec3 triangle[3]);

// Whether an edge of one goes through the other. `shared` has the corner of each that they share, or -1; what they
// share does not count.
bool spDoTrianglesCross(const spDVec3 a[3], const spDVec3 b[3], const int shared[2]);

// The shortest way that takes two triangles that cross apart, m
double spGetCrossingDepth(const spDVec3 a[3], const spDVec3 b[3]);

// Distance along a unit vector from the last of b to the first of a; negative when they overlap along it
double spGetSeparation(const spFacet* a, const spFacet* b, spDVec3 normal);

// Least distance between corners, edges and faces, and the unit vector from b to a there. Where the facets do not
// cross this is the separation along it.
double spFindFacetGap(const spFacet* a, const spFacet* b, spDVec3* normal);
