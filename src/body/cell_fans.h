// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Who is beside whom among the cells of a mesh, which are its tets, or the triangles of a sheet: the cells around each
// vertex, and the one across each side. Both are of the mesh as it was given; edits do not change them.

#pragma once

#include "base/memory.h"

// Numbers of a cell in an array of cells, whether it has four corners or three
#define SP_CELL 4

typedef struct spCellFans
{
    int32_t* begin;   // of each vertex: its corners in `corners` (vertexCount + 1)
    int32_t* corners; // 4 cell + k, rising
    int32_t* across;  // side k of a cell, which is opposite its corner k: the same side of the other cell, as
                      // 4 cell + k, or -1 at the border (4 cellCount)
    bool tangled;     // a cell has a corner twice, or a side has more than two cells
} spCellFans;

// False without memory
// @param corners of a cell: 4, or 3
bool spBuildCellFans(spCellFans* fans, spHeap* heap, const int32_t* cells, int cellCount, int corners,
                     int vertexCount);
void spFreeCellFans(spCellFans* fans, spHeap* heap);
