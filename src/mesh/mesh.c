// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Creating, reading and transforming a mesh.

#include "mesh/mesh.h"

#include "base/error.h"
#include "mesh/mesh_math.h"

#include <limits.h>
#include <math.h>
#include <string.h>

spMesh* spAllocMesh(const spAllocator* allocator, spError* error)
{
    spHeap heap = spMakeHeap(allocator);
    spMesh* mesh = spAllocZeroed(&heap, sizeof(spMesh));
    if (mesh == NULL)
    {
        spFailMemory(error, "a mesh", sizeof(spMesh));
        return NULL;
    }
    mesh->heap = heap;
    mesh->formatName = "memory";
    return mesh;
}

void spDestroyMesh(spMesh* mesh)
{
    if (mesh == NULL)
    {
        return;
    }
    spFreeValues(mesh);
    spHeap heap = mesh->heap;
    spFree(&heap, mesh->vertices);
    spFree(&heap, mesh->edges);
    spFree(&heap, mesh->triangles);
    spFree(&heap, mesh->tets);
    spFree(&heap, mesh->tetRegions);
    spFree(&heap, mesh);
    SP_ASSERT(heap.byteCount == 0);
}

spHeap spMakeQueryHeap(const spMesh* mesh)
{
    return spMakeHeap(&mesh->heap.allocator);
}

// Makes room for `needed` entries; what names them in an error
static bool spGrowArray(spMesh* mesh, void** data, int count, int* capacity, int64_t needed, size_t size,
                        const char* what, spError* error)
{
    if (needed <= *capacity)
    {
        return true;
    }
    if (needed > SP_MESH_LIMIT)
    {
        return spFail(error, sp_errorLimit, "%lld %s are more than a mesh can hold (%d); split the mesh",
                      (long long)needed, what, SP_MESH_LIMIT);
    }
    if (!spReserve(&mesh->heap, data, count, capacity, (int)needed, size))
    {
        return spFailMemory(error, what, (size_t)needed * size);
    }
    return true;
}

bool spReserveVertices(spMesh* mesh, int64_t count, spError* error)
{
    void* data = mesh->vertices;
    bool ok = spGrowArray(mesh, &data, mesh->vertexCount, &mesh->vertexCapacity, count, sizeof(spDVec3),
                          "vertices", error);
    mesh->vertices = data;
    return ok;
}

bool spReserveEdges(spMesh* mesh, int64_t count, spError* error)
{
    void* data = mesh->edges;
    bool ok = spGrowArray(mesh, &data, mesh->edgeCount, &mesh->edgeCapacity, count, 2 * sizeof(int32_t),
                          "edges", error);
    mesh->edges = data;
    return ok;
}

bool spReserveTriangles(spMesh* mesh, int64_t count, spError* error)
{
    void* data = mesh->triangles;
    bool ok = spGrowArray(mesh, &data, mesh->triangleCount, &mesh->triangleCapacity, count,
                          3 * sizeof(int32_t), "triangles", error);
    mesh->triangles = data;
    return ok;
}

bool spReserveTets(spMesh* mesh, int64_t count, spError* error)
{
    void* data = mesh->tets;
    bool ok = spGrowArray(mesh, &data, mesh->tetCount, &mesh->tetCapacity, count, 4 * sizeof(int32_t),
                          "tetrahedra", error);
    mesh->tets = data;
    void* regions = mesh->tetRegions;
    ok = ok && spGrowArray(mesh, &regions, mesh->tetCount, &mesh->regionCapacity, count, sizeof(int32_t),
                           "region numbers", error);
    mesh->tetRegions = regions;
    return ok;
}

bool spAddVertex(spMesh* mesh, spDVec3 vertex, spError* error)
{
    if (!spReserveVertices(mesh, (int64_t)mesh->vertexCount + 1, error))
    {
        return false;
    }
    mesh->vertices[mesh->vertexCount++] = vertex;
    return true;
}

bool spAddEdge(spMesh* mesh, int32_t a, int32_t b, spError* error)
{
    if (!spReserveEdges(mesh, (int64_t)mesh->edgeCount + 1, error))
    {
        return false;
    }
    int32_t* edge = mesh->edges + 2 * mesh->edgeCount++;
    edge[0] = a;
    edge[1] = b;
    return true;
}

bool spAddTriangle(spMesh* mesh, int32_t a, int32_t b, int32_t c, spError* error)
{
    if (!spReserveTriangles(mesh, (int64_t)mesh->triangleCount + 1, error))
    {
        return false;
    }
    int32_t* triangle = mesh->triangles + 3 * mesh->triangleCount++;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
    return true;
}

bool spAddTet(spMesh* mesh, const int32_t vertices[4], int32_t region, spError* error)
{
    if (!spReserveTets(mesh, (int64_t)mesh->tetCount + 1, error))
    {
        return false;
    }
    memcpy(mesh->tets + 4 * mesh->tetCount, vertices, 4 * sizeof(int32_t));
    mesh->tetRegions[mesh->tetCount++] = region;
    return true;
}

static void* spTrimArray(spHeap* heap, void* data, int count, int* capacity, size_t size)
{
    if (count == *capacity)
    {
        return data;
    }
    size_t newSize = spArraySize(count, size);
    void* trimmed = spAlloc(heap, newSize);
    if (trimmed == NULL && count > 0)
    {
        return data;
    }
    if (count > 0)
    {
        memcpy(trimmed, data, newSize);
    }
    spFree(heap, data);
    *capacity = count;
    return trimmed;
}

void spTrimMesh(spMesh* mesh)
{
    spHeap* heap = &mesh->heap;
    mesh->vertices =
        spTrimArray(heap, mesh->vertices, mesh->vertexCount, &mesh->vertexCapacity, sizeof(spDVec3));
    mesh->edges = spTrimArray(heap, mesh->edges, mesh->edgeCount, &mesh->edgeCapacity, 2 * sizeof(int32_t));
    mesh->triangles =
        spTrimArray(heap, mesh->triangles, mesh->triangleCount, &mesh->triangleCapacity, 3 * sizeof(int32_t));
    mesh->tets = spTrimArray(heap, mesh->tets, mesh->tetCount, &mesh->tetCapacity, 4 * sizeof(int32_t));
    mesh->tetRegions =
        spTrimArray(heap, mesh->tetRegions, mesh->tetCount, &mesh->regionCapacity, sizeof(int32_t));
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        spMeshValues* values = mesh->values + i;
        values->data = spTrimArray(heap, values->data, values->count, &values->capacity,
                                   (size_t)values->components * sizeof(double));
    }
}

static void spRemapIndices(int32_t* indices, int64_t count, const int32_t* remap)
{
    for (int64_t i = 0; i < count; ++i)
    {
        indices[i] = remap[indices[i]];
    }
}

void spRemapVertices(spMesh* mesh, const int32_t* remap, int newCount)
{
    // New indices appear in ascending order, so a vertex that brings the next one is the first to have it
    int next = 0;
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        if (remap[i] == next)
        {
            spMoveVertexValues(mesh, i, next);
            mesh->vertices[next++] = mesh->vertices[i];
        }
    }
    spCutVertexValues(mesh, next);
    SP_ASSERT(next == newCount);
    mesh->vertexCount = newCount;
    spRemapIndices(mesh->edges, 2 * (int64_t)mesh->edgeCount, remap);
    spRemapIndices(mesh->triangles, 3 * (int64_t)mesh->triangleCount, remap);
    spRemapIndices(mesh->tets, 4 * (int64_t)mesh->tetCount, remap);
}

spMeshDef spDefaultMeshDef(void)
{
    spMeshDef def = {0};
    def.internalValue = SP_DEF_COOKIE;
    return def;
}

// Checks `count` tuples that the user gave
static bool spCheckElements(const int32_t* indices, int tupleSize, int count, int vertexCount,
                            const char* what, spError* error)
{
    if (count < 0 || count > SP_MESH_LIMIT)
    {
        return spFail(error, sp_errorBadArgument, "the number of %ss is %d, it must be between 0 and %d",
                      what, count, SP_MESH_LIMIT);
    }
    if (count > 0 && indices == NULL)
    {
        return spFail(error, sp_errorBadArgument, "%d %ss are announced but their array is NULL", count,
                      what);
    }
    for (int64_t i = 0; i < (int64_t)count * tupleSize; ++i)
    {
        if (indices[i] < 0 || indices[i] >= vertexCount)
        {
            return spFail(error, sp_errorBadIndex,
                          "%s %d uses vertex %d, but vertices are numbered from 0 to %d", what,
                          (int)(i / tupleSize), indices[i], vertexCount - 1);
        }
    }
    return true;
}

static bool spCheckMeshDef(const spMeshDef* def, spError* error)
{
    if (def == NULL)
    {
        return spFail(error, sp_errorBadArgument, "the mesh definition is NULL");
    }
    if (def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the mesh definition must come from spDefaultMeshDef");
    }
    if (def->vertexCount < 1 || def->vertexCount > SP_MESH_LIMIT || def->vertices == NULL)
    {
        return spFail(error, sp_errorBadArgument,
                      "a mesh needs between 1 and %d vertices, the definition gives %d", SP_MESH_LIMIT,
                      def->vertices == NULL ? 0 : def->vertexCount);
    }
    for (int i = 0; i < def->vertexCount; ++i)
    {
        if (!spDIsFinite(def->vertices[i]))
        {
            return spFail(error, sp_errorBadArgument, "vertex %d is not finite: (%g, %g, %g)", i,
                          def->vertices[i].x, def->vertices[i].y, def->vertices[i].z);
        }
    }
    return spCheckElements(def->edges, 2, def->edgeCount, def->vertexCount, "edge", error) &&
           spCheckElements(def->triangles, 3, def->triangleCount, def->vertexCount, "triangle", error) &&
           spCheckElements(def->tets, 4, def->tetCount, def->vertexCount, "tet", error);
}

spMesh* spCreateMesh(const spMeshDef* def, spError* error)
{
    if (!spCheckMeshDef(def, error))
    {
        return NULL;
    }
    spMesh* mesh = spAllocMesh(&def->allocator, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    if (!spReserveVertices(mesh, def->vertexCount, error) || !spReserveEdges(mesh, def->edgeCount, error) ||
        !spReserveTriangles(mesh, def->triangleCount, error) || !spReserveTets(mesh, def->tetCount, error))
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    mesh->vertexCount = def->vertexCount;
    memcpy(mesh->vertices, def->vertices, (size_t)def->vertexCount * sizeof(spDVec3));
    if (def->edgeCount > 0)
    {
        mesh->edgeCount = def->edgeCount;
        memcpy(mesh->edges, def->edges, (size_t)def->edgeCount * 2 * sizeof(int32_t));
    }
    if (def->triangleCount > 0)
    {
        mesh->triangleCount = def->triangleCount;
        memcpy(mesh->triangles, def->triangles, (size_t)def->triangleCount * 3 * sizeof(int32_t));
    }
    if (def->tetCount > 0)
    {
        mesh->tetCount = def->tetCount;
        memcpy(mesh->tets, def->tets, (size_t)def->tetCount * 4 * sizeof(int32_t));
        size_t regionSize = (size_t)def->tetCount * sizeof(int32_t);
        if (def->tetRegions != NULL)
        {
            memcpy(mesh->tetRegions, def->tetRegions, regionSize);
        }
        else
        {
            memset(mesh->tetRegions, 0, regionSize);
        }
    }
    return mesh;
}

int spMesh_GetVertexCount(const spMesh* mesh)
{
    return mesh->vertexCount;
}

int spMesh_GetEdgeCount(const spMesh* mesh)
{
    return mesh->edgeCount;
}

int spMesh_GetTriangleCount(const spMesh* mesh)
{
    return mesh->triangleCount;
}

int spMesh_GetTetCount(const spMesh* mesh)
{
    return mesh->tetCount;
}

const spDVec3* spMesh_GetVertices(const spMesh* mesh)
{
    return mesh->vertices;
}

const int32_t* spMesh_GetEdges(const spMesh* mesh)
{
    return mesh->edgeCount > 0 ? mesh->edges : NULL;
}

const int32_t* spMesh_GetTriangles(const spMesh* mesh)
{
    return mesh->triangleCount > 0 ? mesh->triangles : NULL;
}

const int32_t* spMesh_GetTets(const spMesh* mesh)
{
    return mesh->tetCount > 0 ? mesh->tets : NULL;
}

const int32_t* spMesh_GetTetRegions(const spMesh* mesh)
{
    return mesh->tetCount > 0 ? mesh->tetRegions : NULL;
}

bool spMesh_SetTetRegion(spMesh* mesh, int tet, int32_t region)
{
    if (mesh == NULL || tet < 0 || tet >= mesh->tetCount)
    {
        return false;
    }
    mesh->tetRegions[tet] = region;
    return true;
}

const char* spMesh_GetFormatName(const spMesh* mesh)
{
    return mesh->formatName;
}

spLoadReport spMesh_GetLoadReport(const spMesh* mesh)
{
    return mesh->loadReport;
}

bool spMesh_Transform(spMesh* mesh, spDVec3 scale, spTransform transform, spError* error)
{
    spDVec3 translation = {transform.position.x, transform.position.y, transform.position.z};
    spDVec3 q = {transform.rotation.x, transform.rotation.y, transform.rotation.z};
    double w = transform.rotation.w;
    if (!spDIsFinite(scale) || !spDIsFinite(translation))
    {
        return spFail(error, sp_errorBadArgument, "the scale or the translation of a mesh is not finite");
    }
    double length = sqrt(spDDot(q, q) + w * w);
    if (!(fabs(length - 1.0) < 1.0e-4))
    {
        return spFail(error, sp_errorBadArgument,
                      "the rotation of a mesh must be a unit quaternion, but its length is %g", length);
    }

    // The rotation may be a float's worth off unit length; coordinates are doubles
    q = spDScale(1.0 / length, q);
    w /= length;
    spDVec3 columns[3];
    for (int i = 0; i < 3; ++i)
    {
        // v + 2 w (q x v) + 2 q x (q x v)
        spDVec3 v = {i == 0, i == 1, i == 2};
        spDVec3 t = spDScale(2.0, spDCross(q, v));
        columns[i] = spDAdd(spDMulAdd(v, w, t), spDCross(q, t));
    }

    // First round: does every result fit? Second round: move
    for (int round = 0; round < 2; ++round)
    {
        for (int i = 0; i < mesh->vertexCount; ++i)
        {
            spDVec3 p = mesh->vertices[i];
            spDVec3 moved = spDScale(scale.x * p.x, columns[0]);
            moved = spDMulAdd(moved, scale.y * p.y, columns[1]);
            moved = spDMulAdd(moved, scale.z * p.z, columns[2]);
            moved = spDAdd(moved, translation);
            if (round == 1)
            {
                mesh->vertices[i] = moved;
            }
            else if (!spDIsFinite(moved))
            {
                return spFail(error, sp_errorBadArgument,
                              "vertex %d would leave the range of numbers; use a smaller scale", i);
            }
        }
    }
    return true;
}
