// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What simplifying and remeshing have in common: from a mesh to its surface as a corner table, and from what
// has become of that to a mesh and to how far it is from the old one.

#pragma once

#include "mesh/corner_table.h"
#include "souple/remesh.h"

// Changes a table that was made from a surface
typedef bool spRebuildFcn(spCornerTable* table, const spMesh* surface, const void* def,
                          spRemeshReport* report, spError* error);

// report may be NULL, and the distance is not measured then. NULL when something fails.
spMesh* spRebuildSurface(const spMesh* mesh, const spAllocator* allocator, spRebuildFcn* rebuild,
                         const void* def, spRemeshReport* report, spError* error);
