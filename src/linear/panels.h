// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A complete Cholesky factor L L^T, laid out for substitution.
//
// A supernode is a run of columns whose rows below the run are the same. Its local rows are its own columns
// first, then the rows below. Sixteen columns of it are a panel, sixteen local rows a tile, four columns of a
// panel a strip:
//
//   own columns    | D       |            D: diagonal tile of a panel, holds the inverse of the triangle
//                  | L   D   |            L: tiles below it, as they are in the factor
//   rows below     | L   L   |
//                  | L   L   |            memory: panel by panel, strip by strip, tile by tile, and in a
//                    0   1    panel       tile four columns of sixteen numbers
//
// So both sweeps read the numbers once, in order. The last panel of a supernode may have fewer columns: they
// are filled up to four with zeros, and rows below that share its diagonal tile hold L D^-1, so that one
// product serves all rows of the tile. Sums over rows are made in sixteen parts, row by row modulo sixteen,
// which are folded 8, 4, 2, 1: the same bits for every number of lanes, and for one right-hand side or many.

#pragma once

#include "base/memory.h"
#include "base/node.h"

// Right-hand sides that are solved at once
#define SP_PANEL_COLUMNS SP_BLOCK

// Threads that solve for many right-hand sides at most
#define SP_PANEL_TASKS 4

typedef struct spPanels
{
    int unknownCount;
    int supernodeCount;
    int largestTileCount; // of one supernode
    int32_t* columnBegin; // first column of each supernode (supernodeCount + 1)
    int64_t* rowBegin;    // first row below of each supernode (supernodeCount + 1)
    int64_t* numberBegin; // first number of each supernode (supernodeCount + 1)
    int32_t* rows;        // rows below, rising in each supernode
    spReal* numbers;
    spReal* x;     // scratch of each task: unknowns, sixteen right-hand sides each
    spReal* local; // scratch of each task: local rows of one supernode, the same
} spPanels;

// One supernode of a factor in double, in either form of CHOLMOD: columns of one dense array `stride` apart,
// or, when `begin` is not NULL, compressed columns
typedef struct spSupernode
{
    int firstColumn;
    int columnCount;
    int rowCount;        // own columns included
    const int32_t* rows; // own columns first
    const double* numbers;
    const int32_t* begin; // first number of each column of the matrix
    int64_t stride;
} spSupernode;

typedef spSupernode spGetSupernodeFcn(const void* factor, int supernode);

// Lays out the panels for a factor. Returns false, with all freed, when there is no memory.
bool spCreatePanels(spPanels* panels, spHeap* heap, int unknownCount, int supernodeCount,
                    spGetSupernodeFcn* get, const void* factor);
void spDestroyPanels(spPanels* panels, spHeap* heap);

// Copies the numbers of a factor of that layout. False when the factor is not finite or a diagonal number is
// not positive.
bool spFillPanels(spPanels* panels, spGetSupernodeFcn* get, const void* factor);

// Scratch of a task
static inline spReal* spGetPanelX(const spPanels* panels, int task)
{
    return panels->x + (size_t)task * (size_t)panels->unknownCount * SP_PANEL_COLUMNS;
}

static inline spReal* spGetPanelLocal(const spPanels* panels, int task)
{
    return panels->local + (size_t)task * (size_t)panels->largestTileCount * SP_BLOCK * SP_PANEL_COLUMNS;
}

// The loops in so many lanes. x is replaced by the solution: one number for each unknown, or
// SP_PANEL_COLUMNS. x and local are scratch of a task.
typedef struct spPanelLanes
{
    void (*solve)(const spPanels* panels, spReal* x, spReal* local);
    void (*solveMany)(const spPanels* panels, spReal* x, spReal* local);
} spPanelLanes;

const spPanelLanes* spGetPanelLanes(int laneCount);
