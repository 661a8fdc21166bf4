// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "format/grid.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct spVtkType
{
    uint8_t kind;        // spCellKind
    uint8_t nodeCount;   // 0: any number
    uint8_t cornerCount; // 0: all
} spVtkType;

// clang-format off
static const spVtkType vtkTypes[] = {
    [1] = {sp_cellPoint, 1, 1},    [2] = {sp_cellPoint, 0, 0},    [3] = {sp_cellLine, 2, 2},
    [4] = {sp_cellLine, 0, 0},     [5] = {sp_cellPolygon, 3, 3},  [6] = {sp_cellStrip, 0, 0},
    [7] = {sp_cellPolygon, 0, 0},  [8] = {sp_cellPixel, 4, 4},    [9] = {sp_cellPolygon, 4, 4},
    [10] = {sp_cellTet, 4, 4},
    // second order: edge, triangle, quad, tet, full quad, full triangle
    [21] = {sp_cellLine, 3, 2},    [22] = {sp_cellPolygon, 6, 3}, [23] = {sp_cellPolygon, 8, 4},
    [24] = {sp_cellTet, 10, 4},    [28] = {sp_cellPolygon, 9, 4}, [34] = {sp_cellPolygon, 7, 3},
    // any order, Lagrange and Bezier: curve, triangle, quad, tet
    [68] = {sp_cellLine, 0, 2},    [69] = {sp_cellPolygon, 0, 3}, [70] = {sp_cellPolygon, 0, 4},
    [71] = {sp_cellTet, 0, 4},
    [75] = {sp_cellLine, 0, 2},    [76] = {sp_cellPolygon, 0, 3}, [77] = {sp_cellPolygon, 0, 4},
    [78] = {sp_cellTet, 0, 4},
};
// clang-format on

void spStartGrid(spGrid* grid, int64_t pointCount)
{
    grid->firstVertex = grid->mesh->vertexCount;
    grid->pointCount = pointCount;
    grid->connectivityCount = 0;
    grid->endCount = 0;
    grid->typeCount = 0;
    for (int i = 0; i < grid->valueCount; ++i)
    {
        spGridValues* values = grid->values + i;
        spFree(&grid->mesh->heap, values->data);
    }
    grid->valueCount = 0;
}

spGridValues* spAddGridValues(spGrid* grid, spWord name, int components, bool ofCells)
{
    if (grid->valueCount == SP_MAX_MESH_VALUES || components < 1 || components > 9)
    {
        return NULL;
    }
    spGridValues* values = grid->values + grid->valueCount++;
    *values = (spGridValues){.name = name, .components = components, .ofCells = ofCells};
    return values;
}

bool spPushGridValue(spGrid* grid, spGridValues* values, double value, spError* error)
{
    if (values->count == values->capacity)
    {
        int64_t capacity = values->capacity > 0 ? 2 * values->capacity : 256;
        double* data = spAlloc(&grid->mesh->heap, (size_t)capacity * sizeof(double));
        if (data == NULL)
        {
            return spFailMemory(error, "the values of a file", (size_t)capacity * sizeof(double));
        }
        if (values->count > 0)
        {
            memcpy(data, values->data, (size_t)values->count * sizeof(double));
        }
        spFree(&grid->mesh->heap, values->data);
        values->data = data;
        values->capacity = capacity;
    }
    values->data[values->count++] = value;
    return true;
}

static bool spReserveMore(spGrid* grid, void** data, int count, int* capacity, int64_t more, size_t size,
                          spError* error)
{
    if (more > INT_MAX - count)
    {
        return spFail(error, sp_errorLimit, "the cells of the file have more than %d points", INT_MAX);
    }
    return spReserve(&grid->mesh->heap, data, count, capacity, count + (int)more, size) ||
           spFailMemory(error, "the cells of a file", (size_t)more * size);
}

bool spReserveConnectivity(spGrid* grid, int64_t more, spError* error)
{
    return spReserveMore(grid, (void**)&grid->connectivity, grid->connectivityCount,
                         &grid->connectivityCapacity, more, sizeof(int32_t), error);
}

bool spReserveCells(spGrid* grid, int64_t more, spError* error)
{
    return spReserveMore(grid, (void**)&grid->ends, grid->endCount, &grid->endCapacity, more, sizeof(int32_t),
                         error) &&
           spReserveMore(grid, (void**)&grid->types, grid->typeCount, &grid->typeCapacity, more, 1, error);
}

static bool spAddGridCell(spGrid* grid, int cell, int begin, int end, int line, spError* error)
{
    int typeNumber = grid->types[cell];
    spVtkType type = typeNumber < SP_COUNT(vtkTypes) ? vtkTypes[typeNumber] : (spVtkType){0};
    int count = end - begin;
    if (type.kind != sp_cellUnknown &&
        ((type.nodeCount > 0 && count != type.nodeCount) || count < type.cornerCount))
    {
        return spFailAt(error, sp_errorFileFormat, line, 0, "cell %d has type %d but %d vertices", cell,
                        typeNumber, count);
    }
    const int32_t* nodes = count > 0 ? grid->connectivity + begin : NULL;
    int corners = type.cornerCount > 0 ? type.cornerCount : count;
    return (type.kind == sp_cellUnknown ||
            spMarkMiddle(grid->mesh, &grid->middle, nodes, corners, count, error)) &&
           spAddCell(grid->mesh, (spCellKind)type.kind, nodes, corners, 0, error);
}

static bool spIsRegionName(spWord name)
{
    return spWordIs(name, "region") || spWordIs(name, "Region") || spWordIs(name, "REGION");
}

static bool spIsRegion(const spGridValues* values)
{
    return values->ofCells && values->components == 1 && spIsRegionName(values->name);
}

// Where the triangles or tets of each cell begin in the mesh: cellCount + 1 entries
typedef struct spCellPlaces
{
    int32_t* triangles;
    int32_t* tets;
} spCellPlaces;

// Hands the values of cells to what became of them
static bool spSpreadCellValues(spGrid* grid, const spGridValues* values, spMeshPart part,
                               const int32_t* places, int firstOfGrid)
{
    int cellCount = grid->endCount;
    if (places[cellCount] == firstOfGrid)
    {
        return true;
    }
    spMeshValues* array =
        spStartValues(grid->mesh, part, values->name.text, values->name.length, values->components);
    for (int i = 0; array != NULL && i < cellCount; ++i)
    {
        for (int j = places[i]; j < places[i + 1]; ++j)
        {
            memcpy(array->data + (int64_t)j * values->components,
                   values->data + (int64_t)i * values->components,
                   (size_t)values->components * sizeof(double));
        }
    }
    return array != NULL;
}

// Values that do not fit, or for which there is no room, do not keep a mesh from being read
static void spKeepGridValues(spGrid* grid, const spCellPlaces* places)
{
    spMesh* mesh = grid->mesh;
    for (int k = 0; k < grid->valueCount; ++k)
    {
        const spGridValues* values = grid->values + k;
        int64_t entries = values->ofCells ? grid->endCount : grid->pointCount;
        if (values->name.length == 0 || values->count != entries * values->components || entries == 0)
        {
            continue;
        }
        if (values->ofCells)
        {
            bool region = spIsRegion(values);
            for (int i = 0; region && i < grid->endCount; ++i)
            {
                for (int j = places->tets[i]; j < places->tets[i + 1]; ++j)
                {
                    mesh->tetRegions[j] = spRoundRegion(values->data[i]);
                }
            }
            spSpreadCellValues(grid, values, sp_meshTriangles, places->triangles, places->triangles[0]);
            if (!region)
            {
                spSpreadCellValues(grid, values, sp_meshTets, places->tets, places->tets[0]);
            }
            continue;
        }
        spMeshValues* array =
            spStartValues(mesh, sp_meshVertices, values->name.text, values->name.length, values->components);
        if (array != NULL)
        {
            memcpy(array->data + (int64_t)grid->firstVertex * values->components, values->data,
                   (size_t)values->count * sizeof(double));
        }
    }
}

static bool spAddGridCells(spGrid* grid, const spCellPlaces* places, int line, spError* error)
{
    int begin = 0;
    for (int i = 0; i < grid->endCount; ++i)
    {
        places->triangles[i] = grid->mesh->triangleCount;
        places->tets[i] = grid->mesh->tetCount;
        int end = grid->ends[i];
        if (end < begin || end > grid->connectivityCount)
        {
            return spFailAt(error, sp_errorFileFormat, line, 0,
                            "offset %d of cell %d must be between %d (the one before) and %d (the number of "
                            "vertices listed)",
                            end, i, begin, grid->connectivityCount);
        }
        if (!spAddGridCell(grid, i, begin, end, line, error))
        {
            return false;
        }
        begin = end;
    }
    places->triangles[grid->endCount] = grid->mesh->triangleCount;
    places->tets[grid->endCount] = grid->mesh->tetCount;
    return true;
}

bool spFinishGrid(spGrid* grid, int line, spError* error)
{
    if (grid->endCount != grid->typeCount)
    {
        return spFailAt(error, sp_errorFileFormat, line, 0,
                        "there are %d cells by their offsets, but %d by their types", grid->endCount,
                        grid->typeCount);
    }
    for (int i = 0; i < grid->connectivityCount; ++i)
    {
        int32_t point = grid->connectivity[i];
        if (point < 0 || point >= grid->pointCount)
        {
            return spFailAt(error, sp_errorFileFormat, line, 0,
                            "a cell uses point %d, but points are numbered from 0 to %lld", point,
                            (long long)grid->pointCount - 1);
        }
        grid->connectivity[i] += grid->firstVertex;
    }
    spHeap* heap = &grid->mesh->heap;
    size_t size = spArraySize(grid->endCount + 1, sizeof(int32_t));
    spCellPlaces places = {spAlloc(heap, size), spAlloc(heap, size)};
    bool ok = places.triangles != NULL && places.tets != NULL;
    if (!ok)
    {
        spFailMemory(error, "the cells of a file", 2 * size);
    }
    ok = ok && spAddGridCells(grid, &places, line, error);
    if (ok)
    {
        spKeepGridValues(grid, &places);
    }
    spFree(heap, places.triangles);
    spFree(heap, places.tets);
    return ok;
}

bool spEndGrids(spGrid* grid, bool ok, spError* error)
{
    spHeap* heap = &grid->mesh->heap;
    spStartGrid(grid, 0);
    spFree(heap, grid->connectivity);
    spFree(heap, grid->ends);
    spFree(heap, grid->types);
    return spDropMiddleNodes(grid->mesh, &grid->middle, ok, error);
}
