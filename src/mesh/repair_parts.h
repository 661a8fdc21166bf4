// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What spMesh_Repair does on request only: whole parts go, holes are closed.

#pragma once

#include "mesh/mesh.h"

// Keeps the connected part with the most tets, or triangles where there are no tets, or edges
bool spKeepLargestPart(spMesh* mesh, spRepairReport* report, spError* error);

// Closes holes of the triangles with at most so many edges, by a triangle or a fan around a new vertex in the
// middle. Triangles must be wound consistently. A hole that touches another one at a vertex stays.
bool spCloseHoles(spMesh* mesh, int mostEdges, spRepairReport* report, spError* error);
