// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Signed distances from a closed surface on a regular grid. Between its points they are interpolated along the
// three axes, so that a look-up takes the same time for any surface. Detail below the size of a cell is lost:
// sharp edges become round.

#pragma once

#include "mesh/triangle_tree.h"

typedef struct spDistanceGrid
{
    spDVec3 lower; // of the surface, m; the grid is larger by SP_GRID_MARGIN cells on all sides
    spDVec3 upper;
    spDVec3 origin;
    double cell;   // m
    int counts[3]; // points along each axis
    float* values; // m
} spDistanceGrid;

// Cells along the longest side of the surface, at least and at most
#define SP_LEAST_RESOLUTION 4
#define SP_MOST_RESOLUTION 512

bool spBuildDistanceGrid(spHeap* heap, const spTriangleTree* tree, int resolution, spDistanceGrid* grid,
                         spError* error);
void spFreeDistanceGrid(spHeap* heap, spDistanceGrid* grid);

// The distance at a point and its gradient, whose length is about 1. Outside of the grid: of the box of the
// surface, which is nearer.
double spSampleDistance(const spDistanceGrid* grid, spDVec3 point, spDVec3* gradient);
