// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A lattice that a surface passes through: which points are inside, where the surface cuts edges, and which
// points have moved onto it. What is inside of it are the tets that stuffing.h makes of it.

#pragma once

#include "mesh/lattice.h"
#include "mesh/stuffing.h"
#include "mesh/winding.h"

typedef struct spLatticeCut
{
    spDVec3 position;
    int32_t ends[2];
    double part;  // of the edge, from its first end on
    int32_t node; // of the mesh that is made; -1 before it has one
} spLatticeCut;

// A point of which a neighbour is on the other side
typedef struct spLatticeBorder
{
    int32_t cuts[SP_LATTICE_NEIGHBOURS]; // of its edges; -1 for none
    spDVec3 position;                    // after it has moved
} spLatticeBorder;

typedef struct spCutLattice
{
    spLattice lattice;
    int8_t* sides;    // spSide of each point
    int32_t* borders; // of each point; -1 for none
    spLatticeBorder* border;
    spLatticeCut* cuts;
    int borderCount, borderCapacity;
    int cutCount, cutCapacity;
    int insideCount;   // points inside, before any moved
    double maxWinding; // largest size of a winding number that was met
} spCutLattice;

// What cutting needs to know of the surface
typedef struct spSolidSurface
{
    const spWindingTree* tree;
    spDVec3 lower, upper; // what lies beyond is outside
    bool closed;
} spSolidSurface;

// Called with the part of the work that is done; false stops
typedef bool spLatticeProgressFcn(double fraction, void* context);

// Returns false, with everything freed, without memory or when progress said so (message "cancelled")
bool spCutLatticeBy(spHeap* heap, const spSolidSurface* surface, const spLattice* lattice, spCutLattice* cut,
                    spLatticeProgressFcn* progress, void* progressContext, spError* error);
void spFreeCutLattice(spHeap* heap, spCutLattice* cut);

// Where a point is, moved or not
spDVec3 spGetCutPosition(const spCutLattice* cut, int point);

// The cut of the edge between two points that are on different sides
int spFindCut(const spCutLattice* cut, int a, int b);
