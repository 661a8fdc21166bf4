// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A body-centred cubic lattice: the corners and the middles of cubic cells. A point has 14 neighbours: 6 at the
// ends of long edges, along the axes, and 8 at the ends of short ones. The lattice is cut into tets, four
// around every face of a cell: two corners of the face and the two middles beside it.

#pragma once

#include "base/core.h"

#define SP_LONG_NEIGHBOURS 6
#define SP_LATTICE_NEIGHBOURS 14

typedef struct spLattice
{
    spDVec3 origin;  // the first corner, m
    double size;     // of a cell, m
    int cells[3];    // along each axis
    int cornerCount; // points at corners, first; those in middles come after them
    int pointCount;
} spLattice;

// Most points of a lattice
#define SP_LATTICE_LIMIT 100000000

// How many points a lattice around a box would have
double spCountLatticePoints(spDVec3 lower, spDVec3 upper, double size);

// A lattice around a box, whose outermost points all lie outside of the box
spLattice spMakeLattice(spDVec3 lower, spDVec3 upper, double size);

spDVec3 spGetLatticePoint(const spLattice* lattice, int point);

// A corner, or with middle = 1 the middle of a cell, by its place along each axis; -1 outside of the lattice
int spFindLatticePoint(const spLattice* lattice, int middle, int i, int j, int k);

// The neighbours of a point, -1 where there is none. Long edges come first; if b is neighbour i of a, then a is
// neighbour spTurnNeighbour(i) of b.
void spGetLatticeNeighbours(const spLattice* lattice, int point, int neighbours[SP_LATTICE_NEIGHBOURS]);

static inline int spTurnNeighbour(int neighbour)
{
    return neighbour < SP_LONG_NEIGHBOURS ? neighbour ^ 1 : SP_LONG_NEIGHBOURS + (7 ^ (neighbour - 6));
}

// The points of the four tets around the face between a cell and its next one along an axis, as stuffing.h
// wants them. Returns false where there is no next one.
// @param even as spStuffTet wants it
bool spGetLatticeTets(const spLattice* lattice, const int cell[3], int axis, int tets[4][4], bool even[4]);
