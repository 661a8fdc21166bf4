// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/surface.h"

#include "base/error.h"
#include "mesh/mesh_math.h"
#include "mesh/sort.h"

// Lengths within these can be squared and cubed
#define SP_LARGEST_EXTENT 1.0e60
#define SP_SMALLEST_EXTENT 1.0e-60

bool spBuildSurface(spHeap* heap, const int32_t* triangles, int triangleCount, int vertexCount,
                    spSurface* surface)
{
    *surface = (spSurface){.triangles = triangles, .triangleCount = triangleCount};
    if (triangleCount == 0)
    {
        return true;
    }
    int64_t most = 3 * (int64_t)triangleCount;
    surface->pairs = spAlloc(heap, spArraySize(most, 2 * sizeof(int32_t)));
    surface->halves = spAlloc(heap, spArraySize(most, sizeof(int32_t)));
    surface->sorted = spAlloc(heap, spArraySize(most, sizeof(int32_t)));
    if (surface->pairs == NULL || surface->halves == NULL || surface->sorted == NULL)
    {
        spFreeSurface(heap, surface);
        return false;
    }
    for (int i = 0; i < triangleCount; ++i)
    {
        const int32_t* t = triangles + 3 * i;
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0])
        {
            continue;
        }
        for (int j = 0; j < 3; ++j)
        {
            int32_t a = t[j], b = t[(j + 1) % 3];
            surface->pairs[2 * (int64_t)surface->count] = a < b ? a : b;
            surface->pairs[2 * (int64_t)surface->count + 1] = a < b ? b : a;
            surface->halves[surface->count++] = 3 * i + j;
        }
    }
    if (!spSortTuples(heap, surface->pairs, 2, surface->count, vertexCount, surface->sorted))
    {
        spFreeSurface(heap, surface);
        return false;
    }
    return true;
}

void spFreeSurface(spHeap* heap, spSurface* surface)
{
    spFree(heap, surface->pairs);
    spFree(heap, surface->halves);
    spFree(heap, surface->sorted);
    *surface = (spSurface){0};
}

int spFindEdgeEnd(const spSurface* surface, int begin)
{
    int end = begin + 1;
    while (end < surface->count &&
           spSameTuple(surface->pairs, 2, surface->sorted[begin], surface->sorted[end]))
    {
        ++end;
    }
    return end;
}

static bool spRunsUp(const spSurface* surface, int32_t half)
{
    const int32_t* t = surface->triangles + 3 * (half / 3);
    return t[half % 3] < t[(half % 3 + 1) % 3];
}

bool spRunAlike(const spSurface* surface, int32_t a, int32_t b)
{
    return spRunsUp(surface, a) == spRunsUp(surface, b);
}

void spLinkHalves(const spSurface* surface, int32_t* links)
{
    for (int64_t i = 0; i < 3 * (int64_t)surface->triangleCount; ++i)
    {
        links[i] = -1;
    }
    for (int begin = 0, end; begin < surface->count; begin = end)
    {
        end = spFindEdgeEnd(surface, begin);
        if (end - begin == 2)
        {
            int32_t a = spGetHalf(surface, begin), b = spGetHalf(surface, begin + 1);
            links[a] = b;
            links[b] = a;
        }
    }
}

bool spFindClosed(spHeap* heap, const int32_t* triangles, int triangleCount, int vertexCount, bool* closed)
{
    spSurface surface;
    *closed = false;
    if (triangleCount <= 0)
    {
        return true;
    }
    if (spBuildSurface(heap, triangles, triangleCount, vertexCount, &surface) == false)
    {
        return false;
    }
    *closed = surface.count == 3 * triangleCount;
    for (int begin = 0; *closed && begin < surface.count;)
    {
        int end = spFindEdgeEnd(&surface, begin);
        *closed = end - begin == 2 &&
                  spRunAlike(&surface, spGetHalf(&surface, begin), spGetHalf(&surface, begin + 1)) == false;
        begin = end;
    }
    spFreeSurface(heap, &surface);
    return true;
}

bool spFindBox(const spMesh* surface, spDVec3* lower, spDVec3* upper, spError* error)
{
    *lower = *upper = surface->vertices[0];
    for (int i = 1; i < surface->vertexCount; ++i)
    {
        *lower = spDMin(*lower, surface->vertices[i]);
        *upper = spDMax(*upper, surface->vertices[i]);
    }
    double extent = spDDistance(*lower, *upper);
    if (!(extent >= SP_SMALLEST_EXTENT && extent <= SP_LARGEST_EXTENT))
    {
        return spFail(error, sp_errorBadMesh, "the surface is %g m large; it must be between %g and %g m",
                      extent, SP_SMALLEST_EXTENT, SP_LARGEST_EXTENT);
    }
    return true;
}
