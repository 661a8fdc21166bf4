// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "drawn.h"

#include "corners.h"
#include "souple/edit.h"
#include "souple/element.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SP_LESS(a, b) ((b) < (a) ? (b) : (a))
#define SP_MORE(a, b) ((b) > (a) ? (b) : (a))

void spFreeDrawn(spDrawn* drawn)
{
    free(drawn->vertexNodes);
    free(drawn->triangles);
    free(drawn->edges);
    free(drawn->tets);
    free(drawn->bare);
    free(drawn->start);
    *drawn = (spDrawn){0};
}

static void* spAllocateItems(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

static bool spDrawAttached(spDrawn* drawn, const spWorld* world, spBodyId body)
{
    int count = spBody_GetSurfaceVertexCount(world, body);
    const int32_t* triangles = spBody_GetSurfaceTriangles(world, body, &drawn->triangleCount);
    size_t triangleBytes = 3 * (size_t)drawn->triangleCount * sizeof(int32_t);
    int32_t* nodes = spAllocateItems(4 * (size_t)count, sizeof(int32_t));
    spReal* weights = spAllocateItems(4 * (size_t)count, sizeof(spReal));
    drawn->vertexNodes = spAllocateItems((size_t)count, sizeof(int32_t));
    drawn->triangles = malloc(triangleBytes + 1);
    bool good = nodes != NULL && weights != NULL && drawn->vertexNodes != NULL && drawn->triangles != NULL;
    if (good)
    {
        drawn->attached = true;
        drawn->vertexCount = count;
        memcpy(drawn->triangles, triangles, triangleBytes);
        spBody_CopySurfaceWeights(world, body, nodes, weights, count);
        for (int i = 0; i < count; ++i)
        {
            int best = 4 * i;
            for (int k = 4 * i + 1; k < 4 * i + 4; ++k)
            {
                best = weights[k] > weights[best] ? k : best;
            }
            drawn->vertexNodes[i] = nodes[best];
        }
    }
    free(nodes);
    free(weights);
    return good;
}

// The nodes that some corners use, and the corners in their numbers
static bool spDrawCorners(spDrawn* drawn, const int32_t* corners, int cornerCount, int32_t** result)
{
    *result = spAllocateItems((size_t)cornerCount, sizeof(int32_t));
    drawn->vertexNodes = spAllocateItems((size_t)drawn->nodeCount, sizeof(int32_t));
    int count = *result != NULL && drawn->vertexNodes != NULL
                    ? spNumberVertices(corners, cornerCount, drawn->nodeCount, drawn->vertexNodes, *result)
                    : -1;
    drawn->vertexCount = count > 0 ? count : 0;
    return count >= 0;
}

// Nodes alone: a cloud of points
static bool spDrawNodes(spDrawn* drawn)
{
    drawn->vertexNodes = spAllocateItems((size_t)drawn->nodeCount, sizeof(int32_t));
    for (int i = 0; drawn->vertexNodes != NULL && i < drawn->nodeCount; ++i)
    {
        drawn->vertexNodes[i] = i;
    }
    drawn->vertexCount = drawn->nodeCount;
    return drawn->vertexNodes != NULL;
}

static bool spCopyBare(spDrawn* drawn, const spWorld* world, spBodyId body)
{
    int count = 0;
    const uint8_t* bare = spBody_GetBareTriangles(world, body, &count);
    if (bare == NULL || count == 0)
    {
        return true;
    }
    drawn->bare = malloc((size_t)drawn->triangleCount);
    if (drawn->bare != NULL)
    {
        memcpy(drawn->bare, bare, (size_t)drawn->triangleCount);
    }
    return drawn->bare != NULL;
}

static bool spDrawSurface(spDrawn* drawn, const spWorld* world, spBodyId body)
{
    if (spBody_GetSurfaceVertexCount(world, body) > 0)
    {
        return spDrawAttached(drawn, world, body);
    }
    const int32_t* triangles = spBody_GetTriangles(world, body, &drawn->triangleCount);
    if (triangles != NULL && drawn->triangleCount > 0)
    {
        return spDrawCorners(drawn, triangles, 3 * drawn->triangleCount, &drawn->triangles) &&
               spCopyBare(drawn, world, body);
    }
    drawn->triangleCount = 0;
    const int32_t* edges = spBody_GetEdges(world, body, &drawn->edgeCount);
    if (edges != NULL && drawn->edgeCount > 0)
    {
        return spDrawCorners(drawn, edges, 2 * drawn->edgeCount, &drawn->edges);
    }
    drawn->edgeCount = 0;
    return spDrawNodes(drawn);
}

static bool spCopyTets(spDrawn* drawn, const spWorld* world, spBodyId body)
{
    int count = 0;
    for (int set = 0; set < spBody_GetSetCount(world, body); ++set)
    {
        count += spBody_GetTetCount(world, body, set);
    }
    drawn->tets = spAllocateItems(4 * (size_t)count, sizeof(int32_t));
    for (int set = 0; drawn->tets != NULL && set < spBody_GetSetCount(world, body); ++set)
    {
        drawn->tetCount += spBody_CopyTets(world, body, set, drawn->tets + 4 * (size_t)drawn->tetCount,
                                           count - drawn->tetCount);
    }
    return drawn->tets != NULL;
}

static float spGetSize(const spVec3* x, int count)
{
    spVec3 low = count > 0 ? x[0] : (spVec3){0}, high = low;
    for (int i = 1; i < count; ++i)
    {
        low = (spVec3){SP_LESS(low.x, x[i].x), SP_LESS(low.y, x[i].y), SP_LESS(low.z, x[i].z)};
        high = (spVec3){SP_MORE(high.x, x[i].x), SP_MORE(high.y, x[i].y), SP_MORE(high.z, x[i].z)};
    }
    float size[3] = {(float)(high.x - low.x), (float)(high.y - low.y), (float)(high.z - low.z)};
    return sqrtf(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
}

bool spMakeDrawn(spDrawn* drawn, spWorld* world, spBodyId body)
{
    *drawn = (spDrawn){.version = spBody_GetTopologyVersion(world, body),
                       .nodeCount = spBody_GetNodeCount(world, body)};
    drawn->start = spAllocateItems((size_t)drawn->nodeCount, sizeof(spVec3));
    if (drawn->start == NULL || spDrawSurface(drawn, world, body) == false ||
        spCopyTets(drawn, world, body) == false)
    {
        spFreeDrawn(drawn);
        return false;
    }
    spBody_CopyPositions(world, body, drawn->start, drawn->nodeCount);
    drawn->size = spGetSize(drawn->start, drawn->nodeCount);
    return true;
}
