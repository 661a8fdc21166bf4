// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Two surfaces, and how vertices and edges of the one are placed to the other.
//
// Surfaces that are closed have an inside, and the sign of the distance comes from the normal of the nearest face, edge or
// vertex (Baerentzen, Aanaes. Signed Distance Computation Using the Angle Weighted Pseudonormal. 2005). Where that
// place is an edge or a corner and the vertex is on it or inside, a distance has no direction, and the faces that look
// at each other give the normal: a box that stands on another one, corner on corner, stands on its face.

#pragma once

#include "body/multipliers.h"
#include "contact/near.h"

// Of a weight, or of the length of an edge: this close to an edge or a corner counts as on it
#define SP_ON_EDGE ((spReal)0.02)
// Cosine between faces that look at each other, at the most
#define SP_OPPOSED ((spReal)-0.3)

// Vertices and edges of a, and the surface b that they may touch
typedef struct spSurfacePair
{
    const spBody *bodyA, *bodyB;
    const spContactSurface *a, *b;
    const spVec4 *xa, *xb;
    const spVec4 *va, *vb;
    int slotA, slotB;
    spReal thickness; // distance of the surfaces at which they touch, m
    spReal friction, restitution;
    uint64_t vertexKey; // of vertices of a on b
    uint64_t edgeKey;
    uint64_t fastKey; // of vertices of a that come to b from far away
    const spNearSide* near;
    const spMultipliers* multipliers; // of the last step
    spReal base;                      // distance at which what rests may touch in the step, m
    spReal span;                      // time in which what moves may, s
    spReal sweep;                     // time that the ways of what is fast are looked at for, s
    spReal most;                      // how far away something may be to become a row before it has moved, m
    bool fast;                        // some of it may come from farther away
} spSurfacePair;

// The pair of two bodies with contact surfaces
spSurfacePair spMakeSurfacePair(spBody* const* bodies, int slotA, int slotB);

bool spIsOnEdge(const spNearest* at);

// Whether none of the faces of a vertex of a looks against a direction from b: what is in the middle of a flat face is
// not hit from the side
bool spFacesAway(const spSurfacePair* p, int vertex, spVec3 direction);

// Normal and distance of a vertex of a at a place of b, which is closed; d is from the place to the vertex
spReal spFindSigned(const spSurfacePair* pair, int vertex, const spNearest* at, spVec3 d, spVec3* normal);
// Whether a vertex of a, which is closed, has come through b, which is open: it looks away from a place inside of a
bool spIsThrough(const spSurfacePair* pair, int vertex, const spNearest* at, spVec3 normal);
// The same where b is open: away from it, to the side where the vertex is, or where b has pressed it to in the last step;
// what has come through goes back
spReal spFindUnsigned(const spSurfacePair* pair, int vertex, const spNearest* at, spVec3 d, spVec3* normal);

// An edge of a
typedef struct spEdgeOfPair
{
    const spSurfacePair* pair;
    int half;
    int32_t nodes[2];
    spVec3 ends[2];
} spEdgeOfPair;

void spGetEdge(const spContactSurface* surface, const spVec4* x, int half, int32_t nodes[2], spVec3 ends[2]);

// Where two edges cross
typedef struct spCrossing
{
    spReal s, t; // shares of their lengths
    spVec3 normal;
    spReal distance;
} spCrossing;

// Where an edge crosses half edge `half` of b. side: which way the normal looks, zero to find that out. False when they do
// not cross, or one of them does not stick out.
bool spCrossEdges(const spEdgeOfPair* edge, int half, spVec3 side, spCrossing* out);

static inline bool spIsInner(spReal t)
{
    return t > SP_ON_EDGE && t < 1 - SP_ON_EDGE;
}
