// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Writing VTK's older file, version 3.0, which every program reads: as text, or binary (big-endian).

#include "format/grid_write.h"

#include <string.h>

typedef struct spVtkWriter
{
    spOutput* output;
    bool binary;
} spVtkWriter;

// Numbers of a file in big-endian order
static void spPutSwapped(spOutput* output, const void* value, size_t size)
{
    uint8_t bytes[8];
    memcpy(bytes, value, size);
    for (size_t i = 0; i < size / 2; ++i)
    {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = byte;
    }
    spPutBytes(output, bytes, size);
}

static void spPutWhole(const spVtkWriter* writer, int32_t value, const char* after)
{
    if (writer->binary)
    {
        spPutSwapped(writer->output, &value, sizeof(value));
        return;
    }
    spPutInteger(writer->output, value);
    spPutText(writer->output, after);
}

static void spPutReals(const spVtkWriter* writer, const double* values, int64_t count, int perLine)
{
    for (int64_t i = 0; i < count; ++i)
    {
        if (writer->binary)
        {
            spPutSwapped(writer->output, values + i, sizeof(double));
            continue;
        }
        spPutReal(writer->output, values[i]);
        spPutText(writer->output, (i + 1) % perLine == 0 ? "\n" : " ");
    }
    spPutText(writer->output, writer->binary ? "\n" : "");
}

// One word: spaces and what has a meaning become '_'
static void spPutVtkName(const spVtkWriter* writer, const char* name)
{
    for (; *name != 0; ++name)
    {
        char text[2] = {(unsigned char)*name > 32 && strchr("\"%", *name) == NULL ? *name : '_', 0};
        spPutText(writer->output, text);
    }
}

static void spPutVtkValues(const spVtkWriter* writer, const char* name, int components, const double* values,
                           int count)
{
    spPutVtkName(writer, name);
    spPutFormat(writer->output, " %d %d double\n", components, count);
    spPutReals(writer, values, (int64_t)count * components, components);
}

static int spCountCellValues(spGridOut* grid)
{
    int count = 0, components;
    while (spGetCellValues(grid, count, &components) != NULL)
    {
        count += 1;
    }
    return count;
}

static void spPutVtkCells(const spVtkWriter* writer, spGridOut* grid)
{
    spPutFormat(writer->output, "CELLS %d %lld\n", grid->cellCount,
                (long long)(grid->connectivityCount + grid->cellCount));
    for (int i = 0, begin = 0; i < grid->cellCount; ++i)
    {
        int end = grid->ends[i];
        spPutWhole(writer, end - begin, " ");
        for (; begin < end; ++begin)
        {
            spPutWhole(writer, grid->connectivity[begin], begin + 1 == end ? "\n" : " ");
        }
    }
    spPutFormat(writer->output, "%sCELL_TYPES %d\n", writer->binary ? "\n" : "", grid->cellCount);
    for (int i = 0; i < grid->cellCount; ++i)
    {
        spPutWhole(writer, grid->types[i], "\n");
    }
    spPutText(writer->output, writer->binary ? "\n" : "");
    int count = spCountCellValues(grid);
    if (count > 0)
    {
        spPutFormat(writer->output, "CELL_DATA %d\nFIELD FieldData %d\n", grid->cellCount, count);
    }
    for (int i = 0; i < count; ++i)
    {
        int components;
        const char* name = spGetCellValues(grid, i, &components);
        spPutVtkValues(writer, name, components, grid->values, grid->cellCount);
    }
}

static void spPutVtkPointData(const spVtkWriter* writer, const spMesh* mesh)
{
    int count = spMesh_GetValueCount(mesh, sp_meshVertices);
    if (count > 0)
    {
        spPutFormat(writer->output, "POINT_DATA %d\nFIELD FieldData %d\n", mesh->vertexCount, count);
    }
    for (int i = 0; i < count; ++i)
    {
        spPutVtkValues(writer, spMesh_GetValueName(mesh, sp_meshVertices, i),
                       spMesh_GetValueComponents(mesh, sp_meshVertices, i),
                       spMesh_GetValues(mesh, sp_meshVertices, i), mesh->vertexCount);
    }
}

static bool spWriteVtkFile(const spMesh* mesh, spOutput* output, bool binary, spError* error)
{
    spGridOut grid;
    if (!spOpenGridOut(&grid, mesh, error))
    {
        return false;
    }
    spVtkWriter writer = {output, binary};
    spPutFormat(output, "# vtk DataFile Version 3.0\nmesh written by souple\n%s\nDATASET UNSTRUCTURED_GRID\n",
                binary ? "BINARY" : "ASCII");
    spPutFormat(output, "POINTS %d double\n", mesh->vertexCount);
    spPutReals(&writer, &mesh->vertices[0].x, 3 * (int64_t)mesh->vertexCount, 3);
    spPutVtkCells(&writer, &grid);
    spPutVtkPointData(&writer, mesh);
    spCloseGridOut(&grid);
    return true;
}

bool spWriteVtkText(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVtkFile(mesh, output, false, error);
}

bool spWriteVtk(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVtkFile(mesh, output, true, error);
}
