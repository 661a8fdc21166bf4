// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "format/grid_write.h"

#include "format/vtu_array.h"

#include <math.h>
#include <string.h>

static const uint8_t vtkKinds[3] = {sp_vtkLine, sp_vtkTriangle, sp_vtkTet};

bool spOpenGridOut(spGridOut* out, const spMesh* mesh, spError* error)
{
    *out = (spGridOut){.mesh = mesh, .heap = spMakeHeap(&mesh->heap.allocator)};
    const int counts[3] = {mesh->edgeCount, mesh->triangleCount, mesh->tetCount};
    const int32_t* elements[3] = {mesh->edges, mesh->triangles, mesh->tets};
    int64_t cellCount = (int64_t)counts[0] + counts[1] + counts[2];
    out->connectivityCount = 2 * (int64_t)counts[0] + 3 * (int64_t)counts[1] + 4 * (int64_t)counts[2];
    if (out->connectivityCount > INT32_MAX)
    {
        return spFail(error, sp_errorLimit, "the mesh has too many cells for a VTK file; use .msh");
    }
    out->cellCount = (int)cellCount;
    out->valueSize = (size_t)cellCount * 9 * sizeof(double);
    out->connectivity = spAlloc(&out->heap, (size_t)out->connectivityCount * sizeof(int32_t));
    out->ends = spAlloc(&out->heap, (size_t)cellCount * sizeof(int32_t));
    out->types = spAlloc(&out->heap, (size_t)cellCount);
    out->values = spAlloc(&out->heap, out->valueSize);
    if (cellCount > 0 &&
        (out->connectivity == NULL || out->ends == NULL || out->types == NULL || out->values == NULL))
    {
        spCloseGridOut(out);
        return spFailMemory(error, "writing a mesh", out->valueSize);
    }
    int64_t at = 0;
    int cell = 0;
    for (int kind = 0; kind < 3; ++kind)
    {
        int size = kind + 2;
        if (counts[kind] > 0)
        {
            memcpy(out->connectivity + at, elements[kind],
                   (size_t)counts[kind] * (size_t)size * sizeof(int32_t));
        }
        for (int i = 0; i < counts[kind]; ++i, ++cell)
        {
            at += size;
            out->ends[cell] = (int32_t)at;
            out->types[cell] = vtkKinds[kind];
        }
    }
    return true;
}

void spCloseGridOut(spGridOut* out)
{
    spHeap* heap = &out->heap;
    spFree(heap, out->connectivity);
    spFree(heap, out->ends);
    spFree(heap, out->types);
    spFree(heap, out->values);
}

// Triangles and tets may both have an array of one name: it is told once, with the triangles
static bool spIsTold(const spMesh* mesh, int index)
{
    const spMeshValues* values = mesh->values + index;
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        const spMeshValues* other = mesh->values + i;
        if (values->part == sp_meshTets && other->part == sp_meshTriangles &&
            other->components == values->components && strcmp(other->name, values->name) == 0)
        {
            return true;
        }
    }
    return false;
}

static void spCopyPart(spGridOut* out, const spMeshValues* values)
{
    const spMesh* mesh = out->mesh;
    int64_t first = (int64_t)mesh->edgeCount + (values->part == sp_meshTets ? mesh->triangleCount : 0);
    if (values->count > 0)
    {
        memcpy(out->values + first * values->components, values->data,
               (size_t)values->count * (size_t)values->components * sizeof(double));
    }
}

const char* spGetCellValues(spGridOut* out, int index, int* components)
{
    const spMesh* mesh = out->mesh;
    const char* region = "region";
    *components = 1;
    for (int64_t i = 0; i < (int64_t)out->cellCount * 9; ++i)
    {
        out->values[i] = (double)NAN;
    }
    if (mesh->tetCount > 0 && index == 0)
    {
        int first = mesh->edgeCount + mesh->triangleCount;
        for (int i = 0; i < out->cellCount; ++i)
        {
            out->values[i] = i >= first ? (double)mesh->tetRegions[i - first] : 0.0;
        }
        const double* values = spFindTriangleRegions(mesh);
        for (int i = 0; values != NULL && i < mesh->triangleCount; ++i)
        {
            out->values[mesh->edgeCount + i] = isfinite(values[i]) ? values[i] : 0.0;
        }
        return region;
    }
    index -= mesh->tetCount > 0;
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        const spMeshValues* values = mesh->values + i;
        bool isRegion = mesh->tetCount > 0 && values->components == 1 && strcmp(values->name, region) == 0;
        if (values->part == sp_meshVertices || isRegion || spIsTold(mesh, i) || index-- > 0)
        {
            continue;
        }
        *components = values->components;
        spCopyPart(out, values);
        for (int j = 0; values->part == sp_meshTriangles && j < mesh->valueCount; ++j)
        {
            const spMeshValues* other = mesh->values + j;
            if (other->part == sp_meshTets && other->components == values->components &&
                strcmp(other->name, values->name) == 0)
            {
                spCopyPart(out, other);
            }
        }
        return values->name;
    }
    return NULL;
}
