// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colliders as triangles, for drawing and for exporters.

#pragma once

#include "base/memory.h"
#include "souple/record.h"

// Vertices in the world with their normals, and triangles that turn counter-clockwise seen from outside
typedef struct spShapeMesh
{
    float* positions; // 3 each
    float* normals;   // 3 each
    int vertexCount;
    int vertexCapacity; // of both arrays
    int32_t* triangles; // 3 each
    int triangleCount;
    int triangleCapacity;
} spShapeMesh;

// Replaces what the mesh held. A plane has no triangles here. Returns false when there is no memory.
bool spBuildShape(spHeap* heap, spShapeMesh* mesh, const spColliderDef* def, const spTransform* transform);

void spFreeShape(spHeap* heap, spShapeMesh* mesh);
