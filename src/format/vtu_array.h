// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The frame of VTK's XML files for unstructured grids, and the arrays in it, for all who write such files. What
// stands between them (<Points>, <Cells>, <PointData>, <CellData>) is the caller's.

#pragma once

#include "format/bytes.h"
#include "format/format.h"

// VTK's numbers for sorts of cells
enum
{
    sp_vtkVertex = 1,
    sp_vtkLine = 3,
    sp_vtkTriangle = 5,
    sp_vtkTet = 10,
};

// How numbers of arrays are written
typedef enum spVtuForm
{
    sp_vtuText = 0,
    sp_vtuBinary,     // base64
    sp_vtuCompressed, // by zlib, in base64
} spVtuForm;

typedef struct spVtuWriter
{
    spOutput* output;
    spHeap heap;
    spVtuForm form;
} spVtuWriter;

void spBeginVtu(spVtuWriter* writer); // what is of the whole grid may follow
void spPutVtuPiece(spVtuWriter* writer, int64_t pointCount, int64_t cellCount);
void spEndVtu(spVtuWriter* writer);

// `count` numbers, `components` of them together. The name may be NULL. Returns false without memory, and for
// compressed data in a build without zlib.
bool spPutVtuArray(spVtuWriter* writer, spNumberType type, const char* name, int components, const void* data,
                   int64_t count, spError* error);
