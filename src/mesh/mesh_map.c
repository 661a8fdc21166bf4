// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Points carried by a mesh: W has four weights in each row. Forces go back through W^T, so power is the same
// on both sides.

#include "base/error.h"
#include "mesh/element_tree.h"
#include "mesh/mesh_math.h"

// A point counts as on a triangle when it is this much of the triangle's size away
#define SP_ON_SURFACE 1.0e-9

struct spMeshMap
{
    spHeap heap;
    int32_t* indices; // 4 for each point
    double* weights;  // 4 for each point
    int pointCount;
    int outsideCount;
};

void spDestroyMeshMap(spMeshMap* map)
{
    if (map == NULL)
    {
        return;
    }
    spHeap heap = map->heap;
    spFree(&heap, map->indices);
    spFree(&heap, map->weights);
    spFree(&heap, map);
}

static spMeshMap* spAllocMap(const spAllocator* allocator, int pointCount, spError* error)
{
    spHeap heap = spMakeHeap(allocator);
    spMeshMap* map = spAllocZeroed(&heap, sizeof(spMeshMap));
    if (map == NULL)
    {
        spFailMemory(error, "a mesh map", sizeof(spMeshMap));
        return NULL;
    }
    map->heap = heap;
    map->pointCount = pointCount;
    map->indices = spAlloc(&map->heap, spArraySize(pointCount, 4 * sizeof(int32_t)));
    map->weights = spAlloc(&map->heap, spArraySize(pointCount, 4 * sizeof(double)));
    if (pointCount > 0 && (map->indices == NULL || map->weights == NULL))
    {
        spFailMemory(error, "a mesh map", spArraySize(pointCount, 4 * sizeof(double)));
        spDestroyMeshMap(map);
        return NULL;
    }
    return map;
}

// A point counts as outside a tet, or off the triangle that carries it
static bool spIsOutside(const spElementTree* tree, const spElementHit* hit)
{
    if (tree->tupleSize == 4)
    {
        return hit->outside;
    }
    const int32_t* t = tree->elements + 3 * (int64_t)hit->element;
    double size = sqrt(spDLength(spTriangleNormal(tree->vertices, t)));
    return !(hit->distance <= SP_ON_SURFACE * size);
}

static bool spFillMap(const spElementTree* tree, const spDVec3* points, spMeshMap* map, spError* error)
{
    for (int i = 0; i < map->pointCount; ++i)
    {
        spElementHit hit = spFindElement(tree, points[i]);
        const int32_t* vertices = tree->elements + (int64_t)hit.element * tree->tupleSize;
        for (int j = 0; j < 4; ++j)
        {
            map->indices[4 * (int64_t)i + j] = vertices[j < tree->tupleSize ? j : 0];
            map->weights[4 * (int64_t)i + j] = hit.weights[j];
            if (!isfinite(hit.weights[j]))
            {
                return spFail(error, sp_errorBadArgument,
                              "point %d at (%g, %g, %g) is too far from the mesh to be carried by it", i,
                              points[i].x, points[i].y, points[i].z);
            }
        }
        map->outsideCount += spIsOutside(tree, &hit);
    }
    return true;
}

spMeshMap* spCreateMeshMap(const spMesh* mesh, const spDVec3* points, int pointCount, spError* error)
{
    if (mesh == NULL || pointCount < 0 || pointCount > SP_MESH_LIMIT || (points == NULL && pointCount > 0))
    {
        spFail(error, sp_errorBadArgument,
               "a mesh map needs a mesh and between 0 and %d points, their array not NULL", SP_MESH_LIMIT);
        return NULL;
    }
    for (int i = 0; i < pointCount; ++i)
    {
        if (!spDIsFinite(points[i]))
        {
            spFail(error, sp_errorBadArgument, "point %d is not finite: (%g, %g, %g)", i, points[i].x,
                   points[i].y, points[i].z);
            return NULL;
        }
    }
    spHeap heap = spMakeQueryHeap(mesh);
    spElementTree tree;
    if (!spBuildElementTree(&heap, mesh, &tree, error))
    {
        return NULL;
    }
    spMeshMap* map = spAllocMap(&mesh->heap.allocator, pointCount, error);
    if (map != NULL && !spFillMap(&tree, points, map, error))
    {
        spDestroyMeshMap(map);
        map = NULL;
    }
    spFreeElementTree(&heap, &tree);
    return map;
}

int spMeshMap_GetPointCount(const spMeshMap* map)
{
    return map->pointCount;
}

const int32_t* spMeshMap_GetIndices(const spMeshMap* map)
{
    return map->indices;
}

const double* spMeshMap_GetWeights(const spMeshMap* map)
{
    return map->weights;
}

int spMeshMap_GetOutsideCount(const spMeshMap* map)
{
    return map->outsideCount;
}

void spMeshMap_Apply(const spMeshMap* map, const spDVec3* x, spDVec3* y)
{
    for (int64_t i = 0; i < map->pointCount; ++i)
    {
        spDVec3 sum = {0.0, 0.0, 0.0};
        for (int j = 0; j < 4; ++j)
        {
            sum = spDMulAdd(sum, map->weights[4 * i + j], x[map->indices[4 * i + j]]);
        }
        y[i] = sum;
    }
}

void spMeshMap_ApplyTranspose(const spMeshMap* map, const spDVec3* g, spDVec3* f)
{
    for (int64_t i = 0; i < map->pointCount; ++i)
    {
        for (int j = 0; j < 4; ++j)
        {
            spDVec3* force = f + map->indices[4 * i + j];
            *force = spDMulAdd(*force, map->weights[4 * i + j], g[i]);
        }
    }
}
