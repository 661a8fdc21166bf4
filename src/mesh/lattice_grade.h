// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A lattice whose cells are larger where the surface is far away: cells inside are put together, eight to
// one, again and again. A large cell has a point in its middle and its corners, as small ones have, and
// nothing between them but the corners of smaller cells beside it. Cells that share a corner differ by a
// factor of two at most. What is within a cell of the surface stays as it was, and so does the boundary of
// what is made.

#pragma once

#include "mesh/lattice_cut.h"

typedef struct spLatticeGrade
{
    const spLattice* lattice;
    int8_t* levels; // of each cell: it is part of one that is 2^level as large; NULL: all stay as they are
} spLatticeGrade;

// Cells below the surface may be larger than one at it by growth times their distance from it. With a growth
// of 0 nothing is put together.
bool spGradeLattice(spHeap* heap, const spCutLattice* cut, double growth, spLatticeGrade* grade,
                    spError* error);
void spFreeLatticeGrade(spHeap* heap, spLatticeGrade* grade);

#define SP_GRADED_TETS 16

// Whether the face between a cell and its next one along an axis is as in a lattice without large cells
bool spIsPlainFace(const spLatticeGrade* grade, const int cell[3], int axis);

// The points of the tets that a large cell, or a small one beside it, has at one of its faces, which is not
// a plain one: 2 * axis, and 1 more for the upper one. Nothing where the cell is not the first one of a
// large cell, or where these tets belong to its neighbour. Returns how many.
int spGetGradedTets(const spLatticeGrade* grade, const int cell[3], int face, int tets[SP_GRADED_TETS][4]);
