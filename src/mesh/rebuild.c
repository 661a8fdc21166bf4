// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/rebuild.h"

#include "mesh/triangle_tree.h"

// The farthest that a vertex or the middle of a triangle of one surface is away from the other
static bool spAddDistance(spHeap* heap, const spMesh* from, const spMesh* to, double* distance,
                          spError* error)
{
    spTriangleTree tree;
    if (spBuildTriangleTree(heap, to, &tree, error) == false)
    {
        return false;
    }
    for (int i = 0; i < from->vertexCount + from->triangleCount; ++i)
    {
        spDVec3 p = spGetSample(from->vertices, from->vertexCount, from->triangles, i);
        *distance = fmax(*distance, spFindSurfacePlace(&tree, p, INFINITY).distance);
    }
    spFreeTriangleTree(heap, &tree);
    return true;
}

spMesh* spRebuildSurface(const spMesh* mesh, const spAllocator* allocator, spRebuildFcn* rebuild,
                         const void* def, spRemeshReport* report, spError* error)
{
    spRemeshReport told = {0};
    if (report != NULL)
    {
        *report = told;
    }
    spMesh *surface = spMakeSurfaceMesh(mesh, allocator, error), *result = NULL;
    if (surface == NULL)
    {
        return NULL;
    }
    spCornerTable table;
    told.oldTriangleCount = surface->triangleCount;
    if (spMakeCornerTable(&table, surface, error))
    {
        told.lockedCount = table.lockedCount;
        result =
            rebuild(&table, surface, def, &told, error) ? spMakeCornerMesh(&table, allocator, error) : NULL;
    }
    spFreeCornerTable(&table);
    if (result != NULL && report != NULL)
    {
        spHeap heap = spMakeQueryHeap(surface);
        if (spAddDistance(&heap, surface, result, &told.maxDistance, error) == false ||
            spAddDistance(&heap, result, surface, &told.maxDistance, error) == false)
        {
            spDestroyMesh(result);
            result = NULL;
        }
        *report = told;
    }
    spDestroyMesh(surface);
    return result;
}
