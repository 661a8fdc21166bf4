// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Holds a surface that is collapsed edge by edge near the one that it came from. Samples of the old surface,
// its vertices and the middles of its triangles, belong to vertices of the new one; each is near a triangle
// of its vertex, before and after every collapse. The vertices and middles of the new one are near the old
// surface.

#pragma once

#include "mesh/corner_table.h"
#include "mesh/triangle_tree.h"

typedef struct spSurfaceBound
{
    spTriangleTree tree; // of the old surface
    spDVec3* samples;    // m
    int32_t* next;       // of each sample: another one of the same vertex; -1 for none
    int32_t* first;      // of each vertex: a sample; -1 for none
    double distance;     // what is near, m
} spSurfaceBound;

// surface: what the table was made from; it must outlive this. Free it also when this fails.
bool spMakeSurfaceBound(spHeap* heap, const spMesh* surface, double distance, spSurfaceBound* bound,
                        spError* error);
void spFreeSurfaceBound(spHeap* heap, spSurfaceBound* bound);

// Whether everything stays near when a half-edge collapses to a place; only for one that can collapse
bool spStaysNear(const spSurfaceBound* bound, const spCornerTable* t, int32_t c, spDVec3 x);

// After a collapse: what belonged to the first vertex belongs to the second one
void spMoveSamples(spSurfaceBound* bound, const spCornerTable* t, int32_t from, int32_t to);
