// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What both formats of VTK hold: points, cells given by the ends of their lists of points and by type, and
// arrays of numbers on points and cells. A reader fills a grid, spFinishGrid puts it into the mesh; a file
// may have several.

#pragma once

#include "format/format.h"

// Numbers of all points or cells of a grid
typedef struct spGridValues
{
    spWord name; // in the file
    int components;
    bool ofCells;
    double* data;
    int64_t count, capacity; // numbers
} spGridValues;

typedef struct spGrid
{
    spMesh* mesh;
    int firstVertex; // of this grid in the mesh
    int64_t pointCount;
    int32_t* connectivity; // points of all cells
    int32_t* ends;         // where the points of each cell end
    uint8_t* types;        // of each cell
    int connectivityCount, connectivityCapacity;
    int endCount, endCapacity;
    int typeCount, typeCapacity;
    spGridValues values[SP_MAX_MESH_VALUES];
    int valueCount;
    spMiddleNodes middle; // of all grids
} spGrid;

// Empties it for the next grid of the file; memory is kept
void spStartGrid(spGrid* grid, int64_t pointCount);

// An empty array to be filled; NULL when there are too many or too many components: it is then passed over
spGridValues* spAddGridValues(spGrid* grid, spWord name, int components, bool ofCells);
bool spPushGridValue(spGrid* grid, spGridValues* values, double value, spError* error);

// Room for so many more; the caller counts what it adds
bool spReserveConnectivity(spGrid* grid, int64_t more, spError* error);
bool spReserveCells(spGrid* grid, int64_t more, spError* error); // ends and types

// Puts points' values and cells with their values into the mesh, whose vertices from firstVertex on are the
// points. `line` is for errors, 0 when there is none.
bool spFinishGrid(spGrid* grid, int line, spError* error);

// After the last grid: drops middle nodes, frees everything. `ok` is what it was before; returns what it is.
bool spEndGrids(spGrid* grid, bool ok, spError* error);
