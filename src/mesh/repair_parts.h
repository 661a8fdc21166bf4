// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Steps of spMesh_Repair: edges are turned; on request only, whole parts go and holes are closed.

#pragma once

#include "mesh/mesh.h"

// Turns the long edges of triangles whose corners lie in a line, so that no hole is left where they were.
// Triangles that are there twice must be gone.
bool spTurnCaps(spMesh* mesh, spRepairReport* report, spError* error);

// Keeps the connected part with the most tets, or triangles where there are no tets, or edges
bool spKeepLargestPart(spMesh* mesh, spRepairReport* report, spError* error);

// Closes holes of the triangles with at most so many edges, by a triangle or a fan around a new vertex in the
// middle. Triangles must be wound consistently. A hole that touches another one at a vertex stays.
bool spCloseHoles(spMesh* mesh, int mostEdges, spRepairReport* report, spError* error);
