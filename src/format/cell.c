// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the readers of cells share: turning a cell into edges, triangles or a tet, names of regions, and
// removing the middle nodes of second-order cells.

#include "format/format.h"

#include <math.h>
#include <string.h>

// Files may have more cells than can be counted
static void spCountUp(int* count)
{
    *count += *count < INT32_MAX;
}

bool spAddCell(spMesh* mesh, spCellKind kind, const int32_t* corners, int count, int32_t region,
               spError* error)
{
    switch (kind)
    {
        case sp_cellUnknown:
            spCountUp(&mesh->loadReport.skippedCells);
            break;
        case sp_cellPoint:
            break;
        case sp_cellLine:
            for (int i = 1; i < count; ++i)
            {
                if (!spAddEdge(mesh, corners[i - 1], corners[i], error))
                {
                    return false;
                }
            }
            break;
        case sp_cellPolygon:
            for (int i = 2; i < count; ++i)
            {
                if (!spAddTriangle(mesh, corners[0], corners[i - 1], corners[i], error))
                {
                    return false;
                }
            }
            break;
        case sp_cellStrip:
            for (int i = 2; i < count; ++i)
            {
                int32_t a = corners[i - 2], b = corners[i - 1];
                bool odd = i % 2 != 0;
                if (!spAddTriangle(mesh, odd ? b : a, odd ? a : b, corners[i], error))
                {
                    return false;
                }
            }
            break;
        case sp_cellPixel:
            return spAddTriangle(mesh, corners[0], corners[1], corners[3], error) &&
                   spAddTriangle(mesh, corners[0], corners[3], corners[2], error);
        case sp_cellTet:
            return spAddTet(mesh, corners, region, error);
    }
    return true;
}

void spMarkTriangles(spMesh* mesh, int first, int64_t region)
{
    if (region == 0 || first == mesh->triangleCount)
    {
        return;
    }
    spMeshValues* values = spStartValues(mesh, sp_meshTriangles, "region", 6, 1);
    for (int i = first; values != NULL && i < mesh->triangleCount; ++i)
    {
        values->data[i] = (double)region;
    }
}

const double* spFindTriangleRegions(const spMesh* mesh)
{
    int index = spMesh_FindValues(mesh, sp_meshTriangles, "region");
    bool fits = spMesh_GetValueComponents(mesh, sp_meshTriangles, index) == 1;
    return fits ? spMesh_GetValues(mesh, sp_meshTriangles, index) : NULL;
}

int32_t spRoundRegion(double value)
{
    double rounded = floor(value + 0.5);
    return rounded >= INT32_MIN && rounded <= INT32_MAX ? (int32_t)rounded : 0;
}

int32_t spClampRegion(int64_t region)
{
    return region > INT32_MAX ? INT32_MAX : (region < INT32_MIN ? INT32_MIN : (int32_t)region);
}

bool spParseRegionName(spWord name, int32_t* region)
{
    spWord start = {name.text, name.length < 7 ? name.length : 7};
    if (!spWordIsAnyCase(start, "region_"))
    {
        return false;
    }
    bool minus = name.length > 7 && (name.text[7] | 0x20) == 'm';
    spScanner scanner = spMakeScanner(name.text + 7 + minus, name.length - 7 - minus);
    int64_t number;
    if (!spScanInteger(&scanner, &number) || !spAtEnd(&scanner) || number < 0 || number > INT32_MAX)
    {
        return false;
    }
    *region = (int32_t)(minus ? -number : number);
    return true;
}

void spPutRegionName(spOutput* output, int32_t region)
{
    spPutText(output, region < 0 ? "REGION_M" : "REGION_");
    spPutInteger(output, region < 0 ? -(int64_t)region : region);
}

static void spMarkUsed(uint8_t* used, const int32_t* indices, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
    {
        used[indices[i]] = 1;
    }
}

// Marks for every vertex there is so far
static bool spGrowMiddle(spMesh* mesh, spMiddleNodes* middle, spError* error)
{
    int count = mesh->vertexCount;
    if (middle->count >= count)
    {
        return true;
    }
    if (!spReserve(&mesh->heap, (void**)&middle->marks, middle->count, &middle->capacity, count, 1))
    {
        return spFailMemory(error, "the middle nodes of a file", (size_t)count);
    }
    memset(middle->marks + middle->count, 0, (size_t)(count - middle->count));
    middle->count = count;
    return true;
}

bool spMarkMiddle(spMesh* mesh, spMiddleNodes* middle, const int32_t* nodes, int begin, int end,
                  spError* error)
{
    if (begin >= end)
    {
        return true;
    }
    if (!spGrowMiddle(mesh, middle, error))
    {
        return false;
    }
    spCountUp(&mesh->loadReport.reducedCells);
    for (int i = begin; i < end; ++i)
    {
        middle->marks[nodes[i]] = 1;
    }
    return true;
}

static bool spDropMarked(spMesh* mesh, const uint8_t* marks, spError* error)
{
    spHeap* heap = &mesh->heap;
    size_t usedSize = spArraySize(mesh->vertexCount, 1);
    size_t remapSize = spArraySize(mesh->vertexCount, sizeof(int32_t));
    uint8_t* used = spAllocZeroed(heap, usedSize);
    int32_t* remap = spAlloc(heap, remapSize);
    bool ok = used != NULL && remap != NULL;
    if (ok)
    {
        spMarkUsed(used, mesh->edges, 2 * (int64_t)mesh->edgeCount);
        spMarkUsed(used, mesh->triangles, 3 * (int64_t)mesh->triangleCount);
        spMarkUsed(used, mesh->tets, 4 * (int64_t)mesh->tetCount);
        int newCount = 0;
        for (int i = 0; i < mesh->vertexCount; ++i)
        {
            remap[i] = marks[i] && !used[i] ? -1 : newCount++;
        }
        mesh->loadReport.droppedNodes = mesh->vertexCount - newCount;
        spRemapVertices(mesh, remap, newCount);
    }
    else
    {
        spFailMemory(error, "dropping middle nodes", usedSize + remapSize);
    }
    spFree(heap, remap);
    spFree(heap, used);
    return ok;
}

bool spDropMiddleNodes(spMesh* mesh, spMiddleNodes* middle, bool ok, spError* error)
{
    if (ok && middle->count > 0)
    {
        ok = spFinishValues(mesh, error) && spGrowMiddle(mesh, middle, error) &&
             spDropMarked(mesh, middle->marks, error);
    }
    spFree(&mesh->heap, middle->marks);
    *middle = (spMiddleNodes){0};
    return ok;
}

bool spGetSurfaceOut(const spMesh* mesh, spIndexList* surface, spError* error)
{
    if (mesh->triangleCount == 0)
    {
        return spMesh_CollectBoundary(mesh, surface, error);
    }
    spHeap heap = spMakeQueryHeap(mesh);
    size_t size = spArraySize(mesh->triangleCount, 3 * sizeof(int32_t));
    *surface = (spIndexList){.data = spAlloc(&heap, size), .tupleSize = 3, .allocator = heap.allocator};
    if (surface->data == NULL)
    {
        return spFailMemory(error, "the triangles of a mesh", size);
    }
    memcpy(surface->data, mesh->triangles, size);
    surface->count = mesh->triangleCount;
    return true;
}

bool spGetFacesOut(const spMesh* mesh, spIndexList* surface, spError* error)
{
    if (mesh->triangleCount == 0 && mesh->tetCount == 0)
    {
        return spFail(error, sp_errorUnsupported,
                      "the mesh has %d %s and neither triangles nor tets, and this format holds triangles "
                      "alone; write .obj, .ply or .vtu instead",
                      mesh->edgeCount, mesh->edgeCount == 1 ? "edge" : "edges");
    }
    return spGetSurfaceOut(mesh, surface, error);
}
