// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Closed shells for gas: a ring of points in the plane, and the icosphere, in one or more layers.

#include "base/error.h"
#include "mesh/generate.h"
#include "mesh/mesh_math.h"

#include <string.h>

#define SP_PI 3.14159265358979323846

// Most subdivisions of an icosphere: 655 362 vertices
#define SP_MAX_LEVEL 8

spShellMeshDef spDefaultShellMeshDef(void)
{
    return (spShellMeshDef){
        .radius = 0.5,
        .layers = 1,
        .layerDistance = 0.1,
        .points = 32,
        .level = 2,
        .internalValue = SP_DEF_COOKIE,
    };
}

static bool spCheckShellDef(const spShellMeshDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the shell definition must come from spDefaultShellMeshDef");
    }
    if (!spCheckPoint(def->center, "the centre of a shell", error) ||
        !spCheckPositive(def->radius, "the radius of a shell", error) ||
        !spCheckCount(def->layers, 1, SP_MESH_LIMIT, "the number of layers of a shell", error) ||
        !spCheckPositive(def->layerDistance, "the distance between the layers of a shell", error))
    {
        return false;
    }
    if ((def->layers - 1) * def->layerDistance >= def->radius)
    {
        return spFail(error, sp_errorBadArgument,
                      "%d layers with a distance of %g do not fit into a shell of radius %g", def->layers,
                      def->layerDistance, def->radius);
    }
    return true;
}

static void spPutEdge(spMesh* mesh, int32_t a, int32_t b)
{
    SP_ASSERT(mesh->edgeCount < mesh->edgeCapacity);
    mesh->edges[2 * mesh->edgeCount] = a;
    mesh->edges[2 * mesh->edgeCount + 1] = b;
    mesh->edgeCount += 1;
}

spMesh* spMakeDiscMesh(const spShellMeshDef* def, spError* error)
{
    if (!spCheckShellDef(def, error) ||
        !spCheckCount(def->points, 3, SP_MESH_LIMIT, "the number of points of a ring", error))
    {
        return NULL;
    }
    int points = def->points;
    double pointCount = (double)def->layers * points;
    double edgeCount = pointCount + 3.0 * (def->layers - 1.0) * points;
    spMesh* mesh = spStartGenerator(&def->allocator, "a disc", pointCount, edgeCount, 0.0, 0.0, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    for (int layer = 0; layer < def->layers; ++layer)
    {
        double r = def->radius - layer * def->layerDistance;
        for (int i = 0; i < points; ++i)
        {
            double angle = 2.0 * SP_PI * i / points;
            spDVec3 p = {r * cos(angle), r * sin(angle), 0.0};
            mesh->vertices[mesh->vertexCount++] = spDAdd(def->center, p);
        }
    }
    for (int layer = 0; layer < def->layers; ++layer)
    {
        for (int i = 0; i < points; ++i)
        {
            spPutEdge(mesh, layer * points + i, layer * points + (i + 1) % points);
        }
    }
    for (int layer = 0; layer + 1 < def->layers; ++layer)
    {
        int outer = layer * points, inner = outer + points;
        for (int i = 0; i < points; ++i)
        {
            spPutEdge(mesh, outer + i, inner + i);
            spPutEdge(mesh, outer + i, inner + (i + 1) % points);
            spPutEdge(mesh, outer + i, inner + (i + points - 1) % points);
        }
    }
    return mesh;
}

static spDVec3 spUnit(spDVec3 a)
{
    return spDScale(1.0 / spDLength(a), a);
}

// The icosahedron of radius 1 in the outer layer, triangles wound outwards
static void spPutIcosahedron(spMesh* mesh)
{
    static const int8_t triangles[20][3] = {
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1},
    };
    double g = 0.5 * (1.0 + sqrt(5.0));
    const spDVec3 vertices[12] = {
        {-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
        {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1},
    };
    for (int i = 0; i < 12; ++i)
    {
        mesh->vertices[mesh->vertexCount++] = spUnit(vertices[i]);
    }
    for (int i = 0; i < 20; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            mesh->triangles[3 * i + j] = triangles[i][j];
        }
    }
    mesh->triangleCount = 20;
}

// Number of the edge (a, b) among those of its smaller vertex; a vertex of an icosphere has at most six. A
// slot holds larger vertex + 1 and edge number; 0 is free.
typedef struct spEdgeSlot
{
    int32_t other1;
    int32_t edge;
} spEdgeSlot;

// Finds or makes the edge
static int32_t spTakeEdge(spMesh* mesh, spEdgeSlot* slots, int32_t a, int32_t b)
{
    int32_t low = spMinInt(a, b), high = spMaxInt(a, b);
    spEdgeSlot* slot = slots + 6 * low;
    while (slot->other1 != 0 && slot->other1 != high + 1)
    {
        ++slot;
    }
    if (slot->other1 == 0)
    {
        slot->other1 = high + 1;
        slot->edge = mesh->edgeCount;
        spPutEdge(mesh, low, high);
    }
    return slot->edge;
}

// Lists the edges of the triangles, each once, from mesh->edgeCount on
static void spListLayerEdges(spMesh* mesh, spEdgeSlot* slots)
{
    memset(slots, 0, (size_t)mesh->vertexCount * 6 * sizeof(spEdgeSlot));
    for (int i = 0; i < mesh->triangleCount; ++i)
    {
        const int32_t* t = mesh->triangles + 3 * i;
        for (int j = 0; j < 3; ++j)
        {
            spTakeEdge(mesh, slots, t[j], t[(j + 1) % 3]);
        }
    }
}

// Cuts every triangle into four
static void spSubdivide(spMesh* mesh, spEdgeSlot* slots)
{
    mesh->edgeCount = 0;
    spListLayerEdges(mesh, slots);
    int firstMiddle = mesh->vertexCount;
    for (int i = 0; i < mesh->edgeCount; ++i)
    {
        spDVec3 a = mesh->vertices[mesh->edges[2 * i]], b = mesh->vertices[mesh->edges[2 * i + 1]];
        mesh->vertices[mesh->vertexCount++] = spUnit(spDAdd(a, b));
    }
    // Backwards, so that a triangle is read before its four parts are written over others
    for (int i = mesh->triangleCount - 1; i >= 0; --i)
    {
        int32_t t[3], m[3];
        memcpy(t, mesh->triangles + 3 * i, sizeof(t));
        for (int j = 0; j < 3; ++j)
        {
            m[j] = firstMiddle + spTakeEdge(mesh, slots, t[j], t[(j + 1) % 3]);
        }
        const int32_t parts[12] = {t[0], m[0], m[2], t[1], m[1], m[0], t[2], m[2], m[1], m[0], m[1], m[2]};
        memcpy(mesh->triangles + 12 * i, parts, sizeof(parts));
    }
    mesh->triangleCount *= 4;
    mesh->edgeCount = 0;
}

// Copies the unit sphere into every layer and joins the layers
static void spPutSphereLayers(spMesh* mesh, const spShellMeshDef* def)
{
    int perLayer = mesh->vertexCount;
    for (int layer = def->layers - 1; layer >= 0; --layer)
    {
        double r = def->radius - layer * def->layerDistance;
        for (int i = 0; i < perLayer; ++i)
        {
            mesh->vertices[layer * perLayer + i] = spDMulAdd(def->center, r, mesh->vertices[i]);
        }
    }
    mesh->vertexCount = def->layers * perLayer;

    int edgesPerLayer = mesh->edgeCount;
    for (int layer = 1; layer < def->layers; ++layer)
    {
        for (int i = 0; i < edgesPerLayer; ++i)
        {
            spPutEdge(mesh, mesh->edges[2 * i] + layer * perLayer, mesh->edges[2 * i + 1] + layer * perLayer);
        }
    }
    for (int layer = 0; layer + 1 < def->layers; ++layer)
    {
        int outer = layer * perLayer, inner = outer + perLayer;
        for (int i = 0; i < perLayer; ++i)
        {
            spPutEdge(mesh, outer + i, inner + i);
        }
        for (int i = 0; i < edgesPerLayer; ++i)
        {
            int32_t a = mesh->edges[2 * i], b = mesh->edges[2 * i + 1];
            spPutEdge(mesh, outer + a, inner + b);
            spPutEdge(mesh, outer + b, inner + a);
        }
    }
}

spMesh* spMakeIcosphereMesh(const spShellMeshDef* def, spError* error)
{
    if (!spCheckShellDef(def, error) ||
        !spCheckCount(def->level, 0, SP_MAX_LEVEL, "the level of an icosphere", error))
    {
        return NULL;
    }
    int faces = 1 << (2 * def->level);
    double perLayer = 10.0 * faces + 2.0, edgesPerLayer = 30.0 * faces;
    double gaps = def->layers - 1.0;
    double edgeCount = def->layers * edgesPerLayer + gaps * (perLayer + 2.0 * edgesPerLayer);
    spMesh* mesh = spStartGenerator(&def->allocator, "an icosphere", def->layers * perLayer, edgeCount,
                                    20.0 * faces, 0.0, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    size_t slotSize = spArraySize((int64_t)perLayer, 6 * sizeof(spEdgeSlot));
    spEdgeSlot* slots = spAlloc(&mesh->heap, slotSize);
    if (slots == NULL)
    {
        spFailMemory(error, "an icosphere", slotSize);
        spDestroyMesh(mesh);
        return NULL;
    }
    spPutIcosahedron(mesh);
    for (int level = 0; level < def->level; ++level)
    {
        spSubdivide(mesh, slots);
    }
    spListLayerEdges(mesh, slots);
    spFree(&mesh->heap, slots);
    spPutSphereLayers(mesh, def);
    return mesh;
}
