// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What shapes that are made from arrays keep: mesh, convex hull, height field and distance field. It is made when
// a collider is created, and does not change.

#pragma once

#include "mesh/distance_grid.h"
#include "souple/collider.h"

typedef struct spShapeData
{
    spMesh* surface;      // its triangles, to be touched and drawn
    spTriangleTree tree;  // over them
    spDistanceGrid grid;  // of a distance field
    double halfThickness; // of a mesh that is not closed, m
    spBox box;            // around all that is solid, m
    spReal* heights;      // of a height field, m
} spShapeData;

// Makes the data that the shape of a definition needs, if it needs any. Returns false with a sentence.
bool spMakeShapeData(spHeap* heap, const spColliderDef* def, spShapeData** data, spError* error);
void spFreeShapeData(spHeap* heap, spShapeData* data);

// The height of the ground below or above a place, which is taken to the rim where it is outside of the field, m
double spGetFieldHeight(const spColliderDef* def, double* x, double* z);
