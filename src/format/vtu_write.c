// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Writing VTK's XML file for unstructured grids: as text, or in base64 with blocks compressed by zlib.

#include "format/bytes.h"
#include "format/grid_write.h"
#include "format/packed.h"

typedef struct spVtuWriter
{
    spOutput* output;
    spHeap heap;
    bool compressed;
} spVtuWriter;

static void spPutNumber(spOutput* output, spNumberType type, const void* data, int64_t i)
{
    switch (type)
    {
        case sp_numberUint8:
            spPutInteger(output, ((const uint8_t*)data)[i]);
            break;
        case sp_numberInt32:
            spPutInteger(output, ((const int32_t*)data)[i]);
            break;
        default:
            spPutReal(output, ((const double*)data)[i]);
            break;
    }
}

// name may be NULL; count numbers, `components` on each line
static bool spPutArray(spVtuWriter* writer, spNumberType type, const char* name, int components,
                       const void* data, int64_t count, spError* error)
{
    static const char* const names[sp_numberTypeCount] = {
        [sp_numberUint8] = "UInt8", [sp_numberInt32] = "Int32", [sp_numberDouble] = "Float64"};
    spOutput* output = writer->output;
    spPutFormat(output, "<DataArray type=\"%s\"", names[type]);
    if (name != NULL)
    {
        spPutText(output, " Name=");
        spPutName(output, name);
    }
    spPutFormat(output, " NumberOfComponents=\"%d\" format=\"%s\">\n", components,
                writer->compressed ? "binary" : "ascii");
    if (writer->compressed)
    {
        char* text;
        size_t size, capacity;
        if (!spPack(&writer->heap, data, (size_t)count * spGetNumberSize(type), &text, &size, &capacity,
                    error))
        {
            return false;
        }
        spPutBytes(output, text, size);
        spFree(&writer->heap, text);
        spPutText(output, "\n");
    }
    for (int64_t i = 0; !writer->compressed && i < count; ++i)
    {
        spPutNumber(output, type, data, i);
        spPutText(output, (i + 1) % components == 0 ? "\n" : " ");
    }
    spPutText(output, "</DataArray>\n");
    return true;
}

static bool spPutPoints(spVtuWriter* writer, const spMesh* mesh, spError* error)
{
    spPutText(writer->output, "<Points>\n");
    bool ok =
        spPutArray(writer, sp_numberDouble, NULL, 3, mesh->vertices, 3 * (int64_t)mesh->vertexCount, error);
    spPutText(writer->output, "</Points>\n<PointData>\n");
    for (int i = 0; ok && i < mesh->valueCount; ++i)
    {
        const spMeshValues* values = mesh->values + i;
        ok = values->part != sp_meshVertices ||
             spPutArray(writer, sp_numberDouble, values->name, values->components, values->data,
                        (int64_t)values->count * values->components, error);
    }
    spPutText(writer->output, "</PointData>\n");
    return ok;
}

static bool spPutCells(spVtuWriter* writer, spGridOut* grid, spError* error)
{
    spPutText(writer->output, "<Cells>\n");
    bool ok = spPutArray(writer, sp_numberInt32, "connectivity", 1, grid->connectivity,
                         grid->connectivityCount, error) &&
              spPutArray(writer, sp_numberInt32, "offsets", 1, grid->ends, grid->cellCount, error) &&
              spPutArray(writer, sp_numberUint8, "types", 1, grid->types, grid->cellCount, error);
    spPutText(writer->output, "</Cells>\n<CellData>\n");
    int components;
    const char* name;
    for (int i = 0; ok && (name = spGetCellValues(grid, i, &components)) != NULL; ++i)
    {
        ok = spPutArray(writer, sp_numberDouble, name, components, grid->values,
                        (int64_t)grid->cellCount * components, error);
    }
    spPutText(writer->output, "</CellData>\n");
    return ok;
}

static bool spWriteVtuFile(const spMesh* mesh, spOutput* output, bool compressed, spError* error)
{
    spGridOut grid;
    if (!spOpenGridOut(&grid, mesh, error))
    {
        return false;
    }
    spVtuWriter writer = {output, spMakeHeap(&mesh->heap.allocator), compressed};
    spPutText(output, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\" header_type=\"UInt64\"");
    spPutText(output, compressed ? " compressor=\"vtkZLibDataCompressor\">\n" : ">\n");
    spPutFormat(output, "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
                mesh->vertexCount, grid.cellCount);
    bool ok = spPutPoints(&writer, mesh, error) && spPutCells(&writer, &grid, error);
    spPutText(output, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    spCloseGridOut(&grid);
    return ok;
}

bool spWriteVtuText(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVtuFile(mesh, output, false, error);
}

bool spWriteVtu(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVtuFile(mesh, output, true, error);
}
