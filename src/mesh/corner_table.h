// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A surface whose triangles change: split, collapse and flip of edges. Corner c of triangle c / 3 is also
// the half-edge from its vertex to that of the next corner; its twin is the half-edge of the neighbour that
// runs back.
//
// Rossignac. 3D compression made simple: Edgebreaker with zip and wrap on a corner-table. 2001

#pragma once

#include "mesh/mesh.h"

// Triangles around a vertex, at most; vertices with more stay as they are
#define SP_FAN_LIMIT 128

typedef struct spCornerTable
{
    spHeap heap;
    spDVec3* x;          // of each vertex, m
    int32_t* vertexEdge; // a half-edge that begins there; -1: the vertex is gone
    uint8_t* locked;     // 1: neither it nor its triangles change
    int32_t* vertex;     // where each half-edge begins; -1: its triangle is gone
    int32_t* twin;       // -1 at a border
    uint8_t* sharp;      // of each half-edge: kept as an edge
    int vertexCount, vertexCapacity, edgeCapacity, lockedCapacity;
    int cornerCount, cornerCapacity, twinCapacity, sharpCapacity;
    int triangleCount; // that are there
    int lockedCount;
    spDVec3 lower; // of the surface that it was made from, m
    double extent;
} spCornerTable;

static inline int32_t spNextCorner(int32_t c)
{
    return c % 3 == 2 ? c - 2 : c + 1;
}

static inline int32_t spPreviousCorner(int32_t c)
{
    return c % 3 == 0 ? c + 2 : c - 1;
}

// surface: as from spMakeSurfaceMesh; neither too large nor too small to be squared. Vertices at edges of
// more than two triangles, or where fans meet in a point, are locked. Free it also when this fails.
bool spMakeCornerTable(spCornerTable* t, const spMesh* surface, spError* error);
void spFreeCornerTable(spCornerTable* t);

// The triangles that are left, with the vertices that they use in their order
spMesh* spMakeCornerMesh(spCornerTable* t, const spAllocator* allocator, spError* error);

// Half-edges that begin at a vertex, counter-clockwise, from the border if there is one. Returns how many; 0
// when there are more than SP_FAN_LIMIT. border: whether the vertex lies on one; may be NULL.
int spCollectFan(const spCornerTable* t, int32_t vertex, int32_t fan[SP_FAN_LIMIT], bool* border);

// Whether the half-edge stands for its edge: each edge has one such
static inline bool spIsFirstHalf(const spCornerTable* t, int32_t c)
{
    return t->vertex[c] >= 0 && (t->twin[c] < 0 || c < t->twin[c]);
}

// A new vertex in an edge, two or one triangles more
bool spSplitEdge(spCornerTable* t, int32_t c, spDVec3 x, spError* error);

// The edge between the two other corners instead
bool spCanFlip(const spCornerTable* t, int32_t c);
void spFlipEdge(spCornerTable* t, int32_t c);

// Twice the area of a triangle over its longest edge squared: 0.87 where its sides are equal, 0 for none
double spGetFlatness(spDVec3 a, spDVec3 b, spDVec3 c);

// Whether the triangles of a fan, but those with another vertex, keep their side and do not become slivers,
// or worse ones, when the vertex of the fan moves to x
bool spKeepsTriangles(const spCornerTable* t, const int32_t* fan, int count, int32_t other, spDVec3 x);

// The vertex where the half-edge begins becomes the one where it ends, at x. Possible: nothing is locked, the
// surface stays one where it was one (link condition), no triangle turns over.
bool spCanCollapse(const spCornerTable* t, int32_t c, spDVec3 x);
void spCollapseEdge(spCornerTable* t, int32_t c, spDVec3 x);
