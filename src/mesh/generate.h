// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the generators share: checks of their definitions, and cutting a cell into tets.

#pragma once

#include "mesh/mesh.h"

// A mesh with room for these, or NULL with the error set. `what` names the generator in messages.
spMesh* spStartGenerator(const spAllocator* allocator, const char* what, double vertexCount, double edgeCount,
                         double triangleCount, double tetCount, spError* error);

// Checks a number of a definition: finite and > 0
bool spCheckPositive(double value, const char* what, spError* error);

// Checks a point of a definition: finite
bool spCheckPoint(spDVec3 point, const char* what, spError* error);

// Checks a count of a definition
bool spCheckCount(int value, int lower, int upper, const char* what, spError* error);

// Appends the six tets of Kuhn's split of a cell: one for each way to walk from node 0 to node 7 along the
// axes, in the order xyz, xzy, yxz, yzx, zxy, zyx. Node bits: 1 is +x, 2 is +y, 4 is +z. Room must have been
// reserved. `mirrored` when the three axes of the cell are left-handed, so that tets stay upright.
void spPutKuhnCell(spMesh* mesh, const int32_t nodes[8], bool mirrored);
