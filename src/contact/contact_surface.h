// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The surface of a body as contact sees it: its triangles in a box tree, their neighbours, and their normals now.
//
// Triangles are sorted along a Morton curve once and cut into 2^n leaves of up to eight; node i of the tree has the
// children 2 i + 1 and 2 i + 2. In every step the boxes are refitted. Whatever the tree looks like, what is
// found is the same: among equally near triangles it is the one with the smallest number.
//
// How far the surface has moved out of shape since a reference is known in every step: lists of what is near
// (near.h) live as long as that is little.

#pragma once

#include "base/team.h"
#include "body/body.h"
#include "math/vec3.h"

#define SP_LEAF_SIZE 8

typedef struct spExtent
{
    spVec3 lower, upper;
} spExtent;

// Spheres around the triangles of a leaf, one beside the other, and around the velocities of their corners; those that a
// leaf does not have are NAN
typedef struct spLeafSpheres
{
    spReal x[SP_LEAF_SIZE], y[SP_LEAF_SIZE], z[SP_LEAF_SIZE];
    spReal r[SP_LEAF_SIZE];
    spReal vx[SP_LEAF_SIZE], vy[SP_LEAF_SIZE], vz[SP_LEAF_SIZE];
    spReal vr[SP_LEAF_SIZE];
} spLeafSpheres;

typedef struct spContactSurface
{
    uint32_t version; // topologyVersion of the body that it was made for
    bool closed;      // there is an inside: distances are signed
    bool solid;       // the inside is filled with tets
    int triangleCount;
    int32_t* triangles; // nodes of the body, three for each
    int32_t* across;    // half edge on the other side of half edge 3 t + j (from corner j to j + 1), or -1
    int vertexCount;
    int32_t* vertices;     // nodes, rising
    int32_t* first;        // of each vertex: its corners in `corners` (vertexCount + 1)
    int32_t* corners;      // half edges that begin at the vertex, rising
    int32_t* place;        // of each node of the body: its vertex, or -1
    int32_t* sorted;       // triangles by leaves
    int leafCount;         // a power of two
    int32_t* leafBegin;    // of each leaf: its triangles in `sorted` (leafCount + 1)
    int32_t* leafFirst;    // of each leaf: its vertices in leafVertices (leafCount + 1)
    int32_t* leafVertices; // every vertex in the first leaf that has a triangle at it
    spReal meanEdge;       // at rest, m
    spReal thickness;      // what keeps its distance from others by itself, m

    // Now
    spVec3* normals;        // of the triangles at the start of the step, unit length
    spExtent* boxes;        // of the nodes of the tree: 2 leafCount - 1
    spExtent* swept;        // the same with the motion against `velocity` in a time, made on demand
    spReal sweptSpan;       // that they were made for in this step, 0 for none
    spLeafSpheres* spheres; // of the leaves
    spExtent* speeds;       // of the nodes of the tree: least and largest velocities, m/s
    uint32_t* sharp; // of each leaf: bit 3 i + j where half edge j of its triangle i can touch as an edge
    spVec3 velocity; // mean of its vertices, m/s
    spReal spread;   // largest difference of the velocity of a vertex from that, m/s

    // Since the reference
    spVec3* reference; // of the vertices, m
    spVec3 shift;      // mean motion of the vertices, m
    spReal drift;      // largest motion of a vertex beside that, m
    uint32_t epoch;    // grows when the reference is made anew
} spContactSurface;

// Returns NULL without memory, or, with *none, when the body has no triangles.
spContactSurface* spCreateContactSurface(spBody* body, bool* none);
void spDestroyContactSurface(spHeap* heap, spContactSurface* surface);

// Everything under "now", and how far the vertices have moved
void spRefitContactSurface(spContactSurface* surface, const spBody* body, spTeam* team);
// Boxes around the motion against the mean velocity in a time, once in each step
void spSweepContactSurface(spContactSurface* surface, const spBody* body, spReal span);

// Where a point is nearest to a surface
typedef struct spNearest
{
    int triangle;      // -1 when nothing is within the limit
    spReal weights[3]; // of its corners
    spReal distance2;  // m^2
} spNearest;

// What bounds say may be this much farther, as a factor on squares, than what is measured: whatever the order in
// which triangles are looked at, the nearest one is among those that are measured
#define SP_ROUNDING ((spReal)1.001)

// Of equally near ones the one with the smallest number
static inline bool spIsNearer(const spNearest* a, const spNearest* b)
{
    return a->distance2 < b->distance2 ||
           (a->distance2 == b->distance2 && (b->triangle < 0 || a->triangle < b->triangle));
}

// Normal of a triangle with its corners where they are now
spVec3 spGetNormal(const spContactSurface* surface, const spVec4* x, int triangle);
// The nearest place of one triangle
spNearest spMeasureTriangle(const spContactSurface* surface, const spVec4* x, spVec3 p, int triangle);

// Triangles that a vertex of the surface itself cannot touch: NULL for none
typedef bool spPassesFcn(const spContactSurface* surface, int triangle, const void* context);

// The nearest place within a distance
spNearest spFindNearestTriangle(const spContactSurface* surface, const spVec4* x, spVec3 p, spReal limit,
                                spPassesFcn* passes, const void* context);

// Squared distance of a point from a box, 0 inside
static inline spReal spGetBoxDistance2(const spExtent* box, spVec3 p)
{
    spVec3 below = spMax3(spSub3(box->lower, p), (spVec3){0, 0, 0});
    return spLengthSquared3(spMax3(below, spSub3(p, box->upper)));
}

// Writes the leaves whose boxes come within a margin of the box, rising; returns their number, which may be more
// than there is room for
int spFindLeaves(const spContactSurface* surface, const spExtent* box, spReal margin, int32_t* leaves,
                 int room);

static inline const spExtent* spGetLeafSpeeds(const spContactSurface* s, int leaf)
{
    return s->speeds + s->leafCount - 1 + leaf;
}

// The largest difference of a velocity from those of a leaf, m/s, at least
static inline spReal spGetLargestSpeed(const spExtent* speeds, spVec3 v)
{
    spVec3 d = spMax3(spSub3(v, speeds->lower), spSub3(speeds->upper, v));
    return d.x + d.y + d.z;
}

// The way of a point, or of something around it
typedef struct spWay
{
    spVec3 p;
    spVec3 v;      // its velocity, m/s
    spReal spread; // by how much velocities around it differ from that, m/s
    spReal span;   // time that it goes on for, s
    spReal margin; // how near it something is to be, m
    spReal least;  // motion against it below which nothing counts, m
} spWay;

// Calls visit for all triangles that may come near a way
typedef void spVisitFcn(int triangle, void* context);
void spVisitWay(const spContactSurface* surface, const spWay* way, spVisitFcn* visit, void* context);

// The normal that tells inside from outside at a place of a closed surface; its length does not matter
spVec3 spGetPseudonormal(const spContactSurface* surface, const spVec4* x, const spNearest* at);
// The same at a vertex: the mean of its faces, weighted by their angles
spVec3 spGetVertexNormal(const spContactSurface* surface, const spVec4* x, int vertex);
// From a place to a point
spVec3 spGetOffset(const spContactSurface* surface, const spVec4* x, spVec3 p, const spNearest* at);
// Whether a point whose nearest place that is lies inside
bool spIsInside(const spContactSurface* surface, const spVec4* x, spVec3 p, const spNearest* at);
// Whether a half edge stands for an edge that can touch others by itself, now
bool spIsSharp(const spContactSurface* surface, int half);

// The places of least distance of the segments a0 a1 and b0 b1, as shares of their lengths
void spFindSegmentWeights(spVec3 a0, spVec3 a1, spVec3 b0, spVec3 b1, spReal* s, spReal* t);
// The nearest place of a triangle as weights of its corners
void spFindTriangleWeights(spVec3 p, spVec3 a, spVec3 b, spVec3 c, spReal weights[3]);

static inline int spGetLeafBegin(const spContactSurface* s, int leaf)
{
    return s->leafBegin[leaf];
}

static inline const spExtent* spGetLeafBox(const spContactSurface* s, int leaf)
{
    return s->boxes + s->leafCount - 1 + leaf;
}

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
