// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The edges of a surface, each with the triangles that share it.

#pragma once

#include "mesh/mesh.h"

// Half edge h = 3 * triangle + j runs from corner j to corner j + 1. Half edges of one edge stand together in
// `sorted`, in ascending order. Triangles with a repeated vertex take no part.
typedef struct spSurface
{
    const int32_t* triangles; // of the caller
    int triangleCount;
    int32_t* pairs;  // smaller and larger vertex of each half edge that takes part
    int32_t* halves; // the half edge of each pair
    int32_t* sorted; // pairs by their vertices
    int count;       // pairs
} spSurface;

// Returns false, with nothing to free, without memory
bool spBuildSurface(spHeap* heap, const int32_t* triangles, int triangleCount, int vertexCount,
                    spSurface* surface);
void spFreeSurface(spHeap* heap, spSurface* surface);

// The half edges sorted[begin] to sorted[end - 1] belong to one edge. Returns end.
int spFindEdgeEnd(const spSurface* surface, int begin);

// Half edge at a place in the sorted list
static inline int32_t spGetHalf(const spSurface* surface, int place)
{
    return surface->halves[surface->sorted[place]];
}

// True when two half edges of the same edge run in the same direction
bool spRunAlike(const spSurface* surface, int32_t a, int32_t b);

// links[h]: the half edge across half edge h where an edge has exactly two triangles, else -1
void spLinkHalves(const spSurface* surface, int32_t* links);

// Finds whether every edge of the triangles has exactly two of them, running in opposite directions; not so
// for no triangles, nor for one with a repeated vertex. Returns false without memory.
bool spFindClosed(spHeap* heap, const int32_t* triangles, int triangleCount, int vertexCount, bool* closed);

// The box around a surface, which is neither so large nor so small that numbers end
bool spFindBox(const spMesh* surface, spDVec3* lower, spDVec3* upper, spError* error);
