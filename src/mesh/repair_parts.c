// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/repair_parts.h"

#include "base/error.h"
#include "mesh/surface.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------
// The largest part

// Keeps the elements of one part. Returns how many stay.
static int spKeepElements(spMesh* mesh, int32_t* elements, int32_t* regions, spMeshPart part, int tupleSize,
                          int count, const int32_t* labels, int kept, uint8_t* keep)
{
    int stay = 0;
    for (int i = 0; i < count; ++i)
    {
        const int32_t* element = elements + (int64_t)i * tupleSize;
        keep[i] = labels[element[0]] == kept;
        if (keep[i])
        {
            memmove(elements + (int64_t)stay * tupleSize, element, (size_t)tupleSize * sizeof(int32_t));
            if (regions != NULL)
            {
                regions[stay] = regions[i];
            }
            stay += 1;
        }
    }
    spKeepValues(mesh, part, keep, count);
    return stay;
}

// The part with the most of the best elements that there are
static int spFindLargest(const spMesh* mesh, const int32_t* labels, int partCount, int32_t* counts)
{
    const int32_t* elements = mesh->tetCount > 0        ? mesh->tets
                              : mesh->triangleCount > 0 ? mesh->triangles
                                                        : mesh->edges;
    int tupleSize = mesh->tetCount > 0 ? 4 : mesh->triangleCount > 0 ? 3 : 2;
    int count = mesh->tetCount > 0        ? mesh->tetCount
                : mesh->triangleCount > 0 ? mesh->triangleCount
                                          : mesh->edgeCount;
    memset(counts, 0, (size_t)partCount * sizeof(int32_t));
    for (int i = 0; i < count; ++i)
    {
        counts[labels[elements[(int64_t)i * tupleSize]]] += 1;
    }
    int largest = 0;
    for (int i = 1; i < partCount; ++i)
    {
        largest = counts[i] > counts[largest] ? i : largest;
    }
    return largest;
}

bool spKeepLargestPart(spMesh* mesh, spRepairReport* report, spError* error)
{
    int most = mesh->edgeCount > mesh->triangleCount ? mesh->edgeCount : mesh->triangleCount;
    most = mesh->tetCount > most ? mesh->tetCount : most;
    size_t labelSize = spArraySize(mesh->vertexCount, sizeof(int32_t)), keepSize = spArraySize(most, 1);
    int32_t* labels = spAlloc(&mesh->heap, labelSize);
    int32_t* counts = spAlloc(&mesh->heap, labelSize);
    uint8_t* keep = spAlloc(&mesh->heap, keepSize);
    bool ok = labels != NULL && counts != NULL && (keep != NULL || most == 0);
    int partCount = 0;
    if (ok)
    {
        spLabelComponents(mesh, labels, &partCount);
    }
    else
    {
        spFailMemory(error, "the parts of a mesh", 2 * labelSize + keepSize);
    }
    if (ok && partCount > 1)
    {
        int largest = spFindLargest(mesh, labels, partCount, counts);
        mesh->edgeCount = spKeepElements(mesh, mesh->edges, NULL, sp_meshPartCount, 2, mesh->edgeCount,
                                         labels, largest, keep);
        mesh->triangleCount = spKeepElements(mesh, mesh->triangles, NULL, sp_meshTriangles, 3,
                                             mesh->triangleCount, labels, largest, keep);
        mesh->tetCount = spKeepElements(mesh, mesh->tets, mesh->tetRegions, sp_meshTets, 4, mesh->tetCount,
                                        labels, largest, keep);
        report->droppedParts = partCount - 1;
    }
    spFree(&mesh->heap, labels);
    spFree(&mesh->heap, counts);
    spFree(&mesh->heap, keep);
    return ok;
}

// ---------------------------------------------------------------------------------------------------------
// Holes

// next[v]: where the open edge that starts at v leads; -1 without one, -2 when there are several
static void spFindOpenEdges(const spSurface* surface, int32_t* next, int vertexCount)
{
    for (int i = 0; i < vertexCount; ++i)
    {
        next[i] = -1;
    }
    for (int begin = 0; begin < surface->count;)
    {
        int end = spFindEdgeEnd(surface, begin);
        if (end - begin == 1)
        {
            int32_t half = spGetHalf(surface, begin);
            const int32_t* triangle = surface->triangles + 3 * (int64_t)(half / 3);
            int32_t from = triangle[half % 3], to = triangle[(half % 3 + 1) % 3];
            next[from] = next[from] == -1 ? to : -2;
        }
        begin = end;
    }
}

// The number of edges of the hole that a vertex is on; 0 when it is too large or does not close
static int spCountHole(const int32_t* next, int32_t start, int most)
{
    int32_t at = start;
    for (int count = 1; count <= most; ++count)
    {
        at = next[at];
        if (at < 0)
        {
            return 0;
        }
        if (at == start)
        {
            return count;
        }
    }
    return 0;
}

static bool spFillHole(spMesh* mesh, int32_t* next, int32_t start, int count, spError* error)
{
    // A new triangle runs along an open edge the other way
    if (count == 3)
    {
        int32_t second = next[start], third = next[second];
        if (!spAddTriangle(mesh, start, third, second, error))
        {
            return false;
        }
    }
    else
    {
        spDVec3 sum = {0};
        int32_t at = start;
        for (int i = 0; i < count; ++i, at = next[at])
        {
            spDVec3 p = mesh->vertices[at];
            sum = (spDVec3){sum.x + p.x, sum.y + p.y, sum.z + p.z};
        }
        int32_t middle = mesh->vertexCount;
        if (!spAddVertex(mesh, (spDVec3){sum.x / count, sum.y / count, sum.z / count}, error))
        {
            return false;
        }
        at = start;
        for (int i = 0; i < count; ++i, at = next[at])
        {
            if (!spAddTriangle(mesh, next[at], at, middle, error))
            {
                return false;
            }
        }
    }
    for (int i = 0; i < count; ++i)
    {
        int32_t after = next[start];
        next[start] = -1;
        start = after;
    }
    return true;
}

bool spCloseHoles(spMesh* mesh, int mostEdges, spRepairReport* report, spError* error)
{
    spHeap* heap = &mesh->heap;
    int vertexCount = mesh->vertexCount, before = mesh->triangleCount;
    size_t size = spArraySize(vertexCount, sizeof(int32_t));
    int32_t* next = spAlloc(heap, size);
    spSurface surface = {0};
    if (next == NULL || !spBuildSurface(heap, mesh->triangles, mesh->triangleCount, vertexCount, &surface))
    {
        spFree(heap, next);
        return spFailMemory(error, "the holes of a mesh", size);
    }
    spFindOpenEdges(&surface, next, vertexCount);
    spFreeSurface(heap, &surface);
    bool ok = true;
    for (int32_t i = 0; ok && i < vertexCount; ++i)
    {
        int count = next[i] >= 0 ? spCountHole(next, i, mostEdges) : 0;
        if (count >= 3)
        {
            ok = spFillHole(mesh, next, i, count, error);
            report->closedHoles += ok;
        }
    }
    report->addedTriangles = mesh->triangleCount - before;
    spFree(heap, next);
    return ok && spFinishValues(mesh, error);
}
