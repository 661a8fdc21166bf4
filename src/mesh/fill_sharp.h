// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Sharp edges and corners of a surface, in tets that were filled into it and have them cut off.

#pragma once

#include "mesh/mesh.h"

// Moves nodes of the boundary onto corners, and onto edges at which the surface turns by more than an angle, where
// all angles stay within those of the stencils. Nothing else changes.
// @param surface triangles alone
// @param angle degrees
// @param size of the tets, m; nodes move by no more
bool spSharpenMesh(spHeap* heap, const spMesh* surface, double angle, double size, spMesh* mesh,
                   spError* error);
