// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The surface of a body as contact sees it: its triangles in a box tree, their neighbours, and their normals now.
//
// Triangles are sorted along a Morton curve once and cut into 2^n leaves; node i of the tree has the children
// 2 i + 1 and 2 i + 2. In every step the boxes are refitted to the motion. Whatever the tree looks like, what is
// found is the same: among equally near triangles it is the one with the smallest number.

#pragma once

#include "body/body.h"

typedef struct spExtent
{
    spVec3 lower, upper;
} spExtent;

typedef struct spContactSurface
{
    uint32_t version; // topologyVersion of the body that it was made for
    bool closed;      // there is an inside: distances are signed
    bool solid;       // the inside is filled with tets
    int triangleCount;
    int32_t* triangles; // nodes of the body, three for each
    int32_t* across;    // half edge on the other side of half edge 3 t + j (from corner j to j + 1), or -1
    int vertexCount;
    int32_t* vertices; // nodes, rising
    int32_t* first;    // of each vertex: its corners in `corners` (vertexCount + 1)
    int32_t* corners;  // half edges that begin at the vertex, rising
    int32_t* place;    // of each node of the body: its vertex, or -1
    int32_t* sorted;   // triangles by leaves
    int leafCount;     // a power of two
    spReal meanEdge;   // at rest, m

    // Now
    spVec3* normals;  // of the triangles at the start of the step, unit length
    spExtent* boxes;  // of the nodes of the tree, with the motion of a step: 2 leafCount - 1
    spVec3 velocity;  // mean of its vertices, m/s
    spReal spread;    // largest difference of the velocity of a vertex from that, m/s
    spReal thickness; // what keeps its distance from others by itself, m
} spContactSurface;

// Returns NULL without memory, or, with *none, when the body has no triangles.
spContactSurface* spCreateContactSurface(spBody* body, bool* none);
void spDestroyContactSurface(spHeap* heap, spContactSurface* surface);

// Normals, and boxes around the vertices where they are now and after a step of dt
void spRefitContactSurface(spContactSurface* surface, const spBody* body, spReal dt);

// Where a point is nearest to a surface
typedef struct spNearest
{
    int triangle;      // -1 when nothing is within the limit
    spReal weights[3]; // of its corners
    spReal distance2;  // m^2
} spNearest;

// Normal of a triangle with its corners where they are now
spVec3 spGetNormal(const spContactSurface* surface, const spVec4* x, int triangle);
// The nearest place of one triangle
spNearest spMeasureTriangle(const spContactSurface* surface, const spVec4* x, spVec3 p, int triangle);

// Triangles that a vertex of the surface itself cannot touch: NULL for none
typedef bool spPassesFcn(const spContactSurface* surface, int triangle, const void* context);

// The nearest place within a distance
spNearest spFindNearestTriangle(const spContactSurface* surface, const spVec4* x, spVec3 p, spReal limit,
                                spPassesFcn* passes, const void* context);

// Calls visit for all triangles whose boxes come within a margin of the box
typedef void spVisitFcn(int triangle, void* context);
void spVisitTriangles(const spContactSurface* surface, const spExtent* box, spReal margin, spVisitFcn* visit,
                      void* context);

// The places of least distance of the segments a0 a1 and b0 b1, as shares of their lengths
void spFindSegmentWeights(spVec3 a0, spVec3 a1, spVec3 b0, spVec3 b1, spReal* s, spReal* t);
// The nearest place of a triangle as weights of its corners
void spFindTriangleWeights(spVec3 p, spVec3 a, spVec3 b, spVec3 c, spReal weights[3]);

static inline int spNextCorner(int half)
{
    return half % 3 == 2 ? half - 2 : half + 1;
}

static inline bool spBoxesMeet(const spExtent* a, const spExtent* b, spReal margin)
{
    return a->lower.x <= b->upper.x + margin && b->lower.x <= a->upper.x + margin &&
           a->lower.y <= b->upper.y + margin && b->lower.y <= a->upper.y + margin &&
           a->lower.z <= b->upper.z + margin && b->lower.z <= a->upper.z + margin;
}
