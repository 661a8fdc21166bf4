// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// An attached surface is only drawn: it costs nothing in a step, and its positions are found when
// somebody asks. Each of its vertices is tied to the tet, or the triangle of a body without tets, that held
// it at rest.

#include "base/error.h"
#include "body/edit.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

void spFreeAttachedSurface(spHeap* heap, spAttachedSurface* surface)
{
    if (surface == NULL)
    {
        return;
    }
    spFree(heap, surface->triangles);
    spFree(heap, surface->nodes);
    spFree(heap, surface->weights);
    spFree(heap, surface->view);
    spFree(heap, surface);
}

static spAttachedSurface* spAllocSurface(spHeap* heap, int vertexCount, int triangleCount, spError* error)
{
    spAttachedSurface* surface = spAllocZeroed(heap, sizeof(spAttachedSurface));
    if (surface != NULL)
    {
        surface->vertexCount = vertexCount;
        surface->triangleCount = triangleCount;
        surface->triangles = spAlloc(heap, spArraySize(triangleCount, 3 * sizeof(int32_t)));
        surface->nodes = spAlloc(heap, spArraySize(vertexCount, 4 * sizeof(int32_t)));
        surface->weights = spAlloc(heap, spArraySize(vertexCount, 3 * sizeof(spReal)));
        surface->view = spAlloc(heap, spArraySize(vertexCount, sizeof(spVec3)));
        if (surface->triangles != NULL && surface->nodes != NULL && surface->weights != NULL &&
            surface->view != NULL)
        {
            return surface;
        }
    }
    spFreeAttachedSurface(heap, surface);
    spFailMemory(error, "the surface of a body", spArraySize(vertexCount, 4 * sizeof(int32_t)));
    return NULL;
}

// The tets of all sets in the user's numbering, for a body whose mesh has none. NULL without tets or memory.
static int32_t* spGatherSetTets(const spBody* body, int* tetCount)
{
    int count = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spTetSet* set = spGetTetSet(body, i);
        count += set != NULL ? set->base.elementCount : 0;
    }
    *tetCount = count;
    int32_t* tets = count > 0 ? spAlloc(body->heap, spArraySize(count, 4 * sizeof(int32_t))) : NULL;
    int32_t* next = tets;
    for (int i = 0; tets != NULL && i < body->setCount; ++i)
    {
        const spTetSet* set = spGetTetSet(body, i);
        for (int k = 0; set != NULL && k < 4 * set->base.elementCount; ++k)
        {
            *next++ = body->order.order[set->tets[k / 4].nodes[k % 4]];
        }
    }
    return tets;
}

// What carries the surface, at rest: the tets of the body, else its triangles
static spMesh* spMakeCarrier(const spBody* body, spError* error)
{
    int setTetCount = 0;
    int32_t* setTets = body->tetCount == 0 ? spGatherSetTets(body, &setTetCount) : NULL;
    spMesh* carrier = NULL;
    if (setTetCount > 0 && setTets == NULL)
    {
        spFailMemory(error, "the surface of a body", spArraySize(setTetCount, 4 * sizeof(int32_t)));
    }
    else if (body->tetCount + setTetCount + body->triangleCount == 0)
    {
        spFail(error, sp_errorBadArgument,
               "%s has neither tets nor triangles, which a surface could be tied to", body->name);
    }
    else
    {
        spMeshDef def = spDefaultMeshDef();
        def.vertices = body->rest;
        def.vertexCount = body->userCount;
        def.tets = setTets != NULL ? setTets : body->tets;
        def.tetCount = setTets != NULL ? setTetCount : body->tetCount;
        def.triangles = def.tetCount == 0 ? body->triangles : NULL;
        def.triangleCount = def.tetCount == 0 ? body->triangleCount : 0;
        def.allocator = body->heap->allocator;
        carrier = spCreateMesh(&def, error);
    }
    spFree(body->heap, setTets);
    return carrier;
}

// Ties the points to the nodes
static bool spTieSurface(const spBody* body, const spDVec3* points, spAttachedSurface* surface,
                         spError* error)
{
    spMesh* carrier = spMakeCarrier(body, error);
    spMeshMap* map = carrier != NULL ? spCreateMeshMap(carrier, points, surface->vertexCount, error) : NULL;
    for (int i = 0; map != NULL && i < surface->vertexCount; ++i)
    {
        const int32_t* nodes = spMeshMap_GetIndices(map) + 4 * (size_t)i;
        const double* weights = spMeshMap_GetWeights(map) + 4 * (size_t)i;
        surface->nodes[4 * (size_t)i] = body->order.rank[nodes[0]];
        for (int k = 1; k < 4; ++k)
        {
            surface->nodes[4 * (size_t)i + (size_t)k] = body->order.rank[nodes[k]];
            surface->weights[3 * (size_t)i + (size_t)k - 1] = (spReal)weights[k];
        }
    }
    bool ok = map != NULL;
    spDestroyMeshMap(map);
    spDestroyMesh(carrier);
    return ok;
}

// Numbers the vertices that triangles use, in their order, into `numbers`, -1 for the others
static int spNumberVertices(const spIndexList* triangles, int32_t* numbers, int vertexCount)
{
    int count = 0;
    for (int i = 0; i < vertexCount; ++i)
    {
        numbers[i] = -1;
    }
    for (int i = 0; i < 3 * triangles->count; ++i)
    {
        numbers[triangles->data[i]] = 0;
    }
    for (int i = 0; i < vertexCount; ++i)
    {
        numbers[i] = numbers[i] == 0 ? count++ : -1;
    }
    return count;
}

static spAttachedSurface* spMakeSurface(const spBody* body, const spMesh* mesh, const spIndexList* triangles,
                                        spError* error)
{
    spHeap* heap = body->heap;
    size_t numberSize = spArraySize(mesh->vertexCount, sizeof(int32_t));
    size_t pointSize = spArraySize(mesh->vertexCount, sizeof(spDVec3));
    int32_t* numbers = spAlloc(heap, numberSize);
    spDVec3* points = spAlloc(heap, pointSize);
    spAttachedSurface* surface = NULL;
    if (numbers == NULL || points == NULL)
    {
        spFailMemory(error, "the surface of a body", numberSize + pointSize);
    }
    else
    {
        int vertexCount = spNumberVertices(triangles, numbers, mesh->vertexCount);
        surface = spAllocSurface(heap, vertexCount, triangles->count, error);
    }
    if (surface != NULL)
    {
        for (int i = 0; i < mesh->vertexCount; ++i)
        {
            if (numbers[i] >= 0)
            {
                points[numbers[i]] = mesh->vertices[i];
            }
        }
        for (int i = 0; i < 3 * triangles->count; ++i)
        {
            surface->triangles[i] = numbers[triangles->data[i]];
        }
        if (spTieSurface(body, points, surface, error) == false)
        {
            spFreeAttachedSurface(heap, surface);
            surface = NULL;
        }
    }
    spFree(heap, numbers);
    spFree(heap, points);
    return surface;
}

bool spAttachSurface(spBody* body, const spMesh* mesh, spError* error)
{
    spAttachedSurface* surface = NULL;
    spRefreshTopology(body);
    if (mesh != NULL)
    {
        spIndexList triangles = {0};
        bool ok = spMesh_CollectBoundary(mesh, &triangles, error);
        if (ok && triangles.count == 0)
        {
            ok = spFail(error, sp_errorBadMesh,
                        "a surface for %s needs triangles: the mesh has neither triangles nor tets",
                        body->name);
        }
        surface = ok ? spMakeSurface(body, mesh, &triangles, error) : NULL;
        spFreeIndexList(&triangles);
        if (surface == NULL)
        {
            return false;
        }
    }
    spFreeAttachedSurface(body->heap, body->surface);
    body->surface = surface;
    body->surfaceVersion += 1;
    return true;
}

void spMapSurface(const spBody* body, spVec3* positions, int count)
{
    const spQuadMemory* x = (const spQuadMemory*)body->x;
    const int32_t* nodes = body->surface->nodes;
    const spReal* weights = body->surface->weights;
    for (int i = 0; i < count; ++i, nodes += 4, weights += 3)
    {
        // One register holds one node; the fourth number is not used
        spQuad a = x[nodes[0]];
        spQuad sum = a;
        for (int k = 1; k < 4; ++k)
        {
            sum += weights[k - 1] * (x[nodes[k]] - a);
        }
        positions[i] = (spVec3){sum[0], sum[1], sum[2]};
    }
}
