// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The convex hull of points, as triangles.

#pragma once

#include "mesh/mesh.h"

// A mesh with the triangles of the hull, wound outwards, and their vertices only. Points that are no further from
// it than rounding count as inside. NULL for points in one plane, on a line or at one place, or without memory.
spMesh* spMakeHullMesh(const spDVec3* points, int count, const spAllocator* allocator, spError* error);
