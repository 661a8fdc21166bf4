// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Writing VTK's XML file for unstructured grids: as text, or in base64 with blocks compressed by zlib.

#include "format/grid_write.h"
#include "format/vtu_array.h"

static bool spPutPoints(spVtuWriter* writer, const spMesh* mesh, spError* error)
{
    spPutText(writer->output, "<Points>\n");
    bool ok = spPutVtuArray(writer, sp_numberDouble, NULL, 3, mesh->vertices, 3 * (int64_t)mesh->vertexCount,
                            error);
    spPutText(writer->output, "</Points>\n<PointData>\n");
    for (int i = 0; ok && i < mesh->valueCount; ++i)
    {
        const spMeshValues* values = mesh->values + i;
        ok = values->part != sp_meshVertices ||
             spPutVtuArray(writer, sp_numberDouble, values->name, values->components, values->data,
                           (int64_t)values->count * values->components, error);
    }
    spPutText(writer->output, "</PointData>\n");
    return ok;
}

static bool spPutCells(spVtuWriter* writer, spGridOut* grid, spError* error)
{
    spPutText(writer->output, "<Cells>\n");
    bool ok = spPutVtuArray(writer, sp_numberInt32, "connectivity", 1, grid->connectivity,
                            grid->connectivityCount, error) &&
              spPutVtuArray(writer, sp_numberInt32, "offsets", 1, grid->ends, grid->cellCount, error) &&
              spPutVtuArray(writer, sp_numberUint8, "types", 1, grid->types, grid->cellCount, error);
    spPutText(writer->output, "</Cells>\n<CellData>\n");
    int components;
    const char* name;
    for (int i = 0; ok && (name = spGetCellValues(grid, i, &components)) != NULL; ++i)
    {
        ok = spPutVtuArray(writer, sp_numberDouble, name, components, grid->values,
                           (int64_t)grid->cellCount * components, error);
    }
    spPutText(writer->output, "</CellData>\n");
    return ok;
}

static bool spWriteVtuFile(const spMesh* mesh, spOutput* output, spVtuForm form, spError* error)
{
    spGridOut grid;
    if (!spOpenGridOut(&grid, mesh, error))
    {
        return false;
    }
    spVtuWriter writer = {output, spMakeHeap(&mesh->heap.allocator), form};
    spBeginVtu(&writer);
    spPutVtuPiece(&writer, mesh->vertexCount, grid.cellCount);
    bool ok = spPutPoints(&writer, mesh, error) && spPutCells(&writer, &grid, error);
    spEndVtu(&writer);
    spCloseGridOut(&grid);
    return ok;
}

bool spWriteVtuText(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVtuFile(mesh, output, sp_vtuText, error);
}

bool spWriteVtu(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVtuFile(mesh, output, sp_vtuCompressed, error);
}
