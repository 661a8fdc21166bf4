// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What becomes of one tet of a body-centred cubic lattice that a surface passes through.
//
// Vertices 0 and 1 of a lattice tet are the ends of a long edge, 2 and 3 of another one; the other four edges
// are short (sqrt(3) / 2 of a long one). Tets that share a face cut it along the same diagonal: the rule looks
// at the face alone.

#pragma once

#include "base/core.h"

// Where a lattice vertex is
typedef enum spSide
{
    sp_outside = -1,
    sp_onSurface = 0, // it was moved there
    sp_inside = 1,
} spSide;

// A vertex moves to a cut point that is nearer than this part of a long or short edge. With these two numbers
// all angles between faces are within 10.77 and 164.74 degrees, wherever the surface is (test_fill.c).
#define SP_SNAP_LONG 0.2851
#define SP_SNAP_SHORT 0.3986

// Whether an edge between two vertices of a lattice tet is long
static inline bool spIsLongEdge(int a, int b)
{
    return (a ^ b) == 1;
}

// The edge of spTetEdges between two vertices of a tet
int spFindTetEdge(int a, int b);

// The part of a lattice tet that is inside, as at most three tets. Their corners are vertices of the lattice
// tet, 0 to 3, and the cut points of its edges, 4 + number in spTetEdges; they may be left-handed.
// @param even whether an even number of the coordinates of vertex 0 are smaller than those of vertex 2
// @return how many
int spStuffTet(const int8_t sides[4], bool even, uint8_t tets[3][4]);
