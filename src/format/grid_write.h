// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A mesh as both formats of VTK want it: edges, triangles and tets in one list of cells, and their values in
// one array for all cells.

#pragma once

#include "format/format.h"

// Cells and values of a mesh, for writing. Values of cells that have none are NaN.
typedef struct spGridOut
{
    const spMesh* mesh;
    spHeap heap;
    int cellCount;
    int32_t* connectivity;
    int64_t connectivityCount;
    int32_t* ends; // where the points of each cell end
    uint8_t* types;
    double* values; // room for one array of cells with 9 components
    size_t valueSize;
} spGridOut;

bool spOpenGridOut(spGridOut* out, const spMesh* mesh, spError* error);
void spCloseGridOut(spGridOut* out);

// Arrays of cells, "region" first where there are tets. Returns the name and fills out->values; NULL when
// there are no more.
const char* spGetCellValues(spGridOut* out, int index, int* components);
