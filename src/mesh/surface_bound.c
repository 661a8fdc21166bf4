// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/surface_bound.h"

#include "base/error.h"
#include "mesh/mesh_math.h"

#include <string.h>

bool spMakeSurfaceBound(spHeap* heap, const spMesh* surface, double distance, spSurfaceBound* bound,
                        spError* error)
{
    *bound = (spSurfaceBound){.distance = distance};
    int vertexCount = surface->vertexCount, count = vertexCount + surface->triangleCount;
    size_t size = spArraySize(count, sizeof(spDVec3));
    bound->samples = spAlloc(heap, size);
    bound->next = spAlloc(heap, spArraySize(count, sizeof(int32_t)));
    bound->first = spAlloc(heap, spArraySize(vertexCount, sizeof(int32_t)));
    if (bound->samples == NULL || bound->next == NULL || bound->first == NULL)
    {
        return spFailMemory(error, "a surface", size);
    }
    memset(bound->first, 0xFF, spArraySize(vertexCount, sizeof(int32_t)));
    for (int i = 0; i < count; ++i)
    {
        const int32_t* t = surface->triangles + 3 * (int64_t)(i - vertexCount);
        int32_t owner = i < vertexCount ? i : t[0];
        bound->samples[i] = spGetSample(surface->vertices, vertexCount, surface->triangles, i);
        bound->next[i] = bound->first[owner];
        bound->first[owner] = i;
    }
    return spBuildTriangleTree(heap, surface, &bound->tree, error);
}

void spFreeSurfaceBound(spHeap* heap, spSurfaceBound* bound)
{
    spFree(heap, bound->samples);
    spFree(heap, bound->next);
    spFree(heap, bound->first);
    if (bound->tree.normals != NULL)
    {
        spFreeTriangleTree(heap, &bound->tree);
    }
    *bound = (spSurfaceBound){0};
}

// What is around an edge: the triangles of its ends, but those that a collapse takes away
typedef struct spEdgeRing
{
    spDVec3 sides[2 * SP_FAN_LIMIT][2]; // the two corners of each that stay where they are
    int32_t begins[2 * SP_FAN_LIMIT], ends[2 * SP_FAN_LIMIT]; // their numbers
    int count;
} spEdgeRing;

static void spCollectRing(const spCornerTable* t, int32_t vertex, int32_t other, spEdgeRing* ring)
{
    int32_t fan[SP_FAN_LIMIT];
    int count = spCollectFan(t, vertex, fan, NULL);
    for (int i = 0; i < count; ++i)
    {
        int32_t b = t->vertex[spNextCorner(fan[i])], c = t->vertex[spPreviousCorner(fan[i])];
        if (b != other && c != other)
        {
            ring->sides[ring->count][0] = t->x[b];
            ring->sides[ring->count][1] = t->x[c];
            ring->begins[ring->count] = b;
            ring->ends[ring->count++] = c;
        }
    }
}

static bool spIsNear(const spSurfaceBound* bound, spDVec3 p, spDVec3 a, spDVec3 b, spDVec3 c)
{
    int feature;
    return spDDistance(p, spFindTrianglePlace(p, a, b, c, &feature)) <= bound->distance;
}

static bool spIsNearRing(const spSurfaceBound* bound, const spEdgeRing* ring, spDVec3 x, spDVec3 p)
{
    bool near = false;
    for (int i = 0; !near && i < ring->count; ++i)
    {
        near = spIsNear(bound, p, x, ring->sides[i][0], ring->sides[i][1]);
    }
    return near;
}

// Whether a place is near one of the triangles of a fan, but those with a or b
static bool spIsNearFan(const spSurfaceBound* bound, const spCornerTable* t, const int32_t* fan, int count,
                        int32_t a, int32_t b, spDVec3 p)
{
    bool near = false;
    for (int i = 0; !near && i < count; ++i)
    {
        int32_t v[3] = {t->vertex[fan[i]], t->vertex[spNextCorner(fan[i])],
                        t->vertex[spPreviousCorner(fan[i])]};
        bool without = v[1] != a && v[1] != b && v[2] != a && v[2] != b;
        near = without && spIsNear(bound, p, t->x[v[0]], t->x[v[1]], t->x[v[2]]);
    }
    return near;
}

// Whether the samples of a vertex are near what the edge (a, b) becomes, or near triangles that stay as they
// are
static bool spKeepsSamples(const spSurfaceBound* bound, const spCornerTable* t, const spEdgeRing* ring,
                           spDVec3 x, int32_t a, int32_t b, int32_t vertex)
{
    int32_t fan[SP_FAN_LIMIT];
    int count = vertex != a && vertex != b ? spCollectFan(t, vertex, fan, NULL) : 0;
    bool near = true;
    for (int32_t i = bound->first[vertex]; near && i >= 0; i = bound->next[i])
    {
        near = spIsNearRing(bound, ring, x, bound->samples[i]) ||
               spIsNearFan(bound, t, fan, count, a, b, bound->samples[i]);
    }
    return near;
}

// All vertices around begin one of the triangles, but the last one at a border
static bool spIsBeginning(const spEdgeRing* ring, int32_t vertex)
{
    bool found = false;
    for (int i = 0; !found && i < ring->count; ++i)
    {
        found = ring->begins[i] == vertex;
    }
    return found;
}

static bool spIsNearOld(const spSurfaceBound* bound, spDVec3 p)
{
    return spFindSurfacePlace(&bound->tree, p, bound->distance).triangle >= 0;
}

bool spStaysNear(const spSurfaceBound* bound, const spCornerTable* t, int32_t c, spDVec3 x)
{
    int32_t a = t->vertex[c], b = t->vertex[spNextCorner(c)];
    spEdgeRing ring;
    ring.count = 0;
    spCollectRing(t, a, b, &ring);
    spCollectRing(t, b, a, &ring);
    bool near = spIsNearOld(bound, x);
    for (int i = 0; near && i < ring.count; ++i)
    {
        near = spIsNearOld(bound, spGetTriangleMiddle(x, ring.sides[i][0], ring.sides[i][1]));
    }
    near = near && spKeepsSamples(bound, t, &ring, x, a, b, a) && spKeepsSamples(bound, t, &ring, x, a, b, b);
    for (int i = 0; near && i < ring.count; ++i)
    {
        near = spKeepsSamples(bound, t, &ring, x, a, b, ring.begins[i]) &&
               (spIsBeginning(&ring, ring.ends[i]) || spKeepsSamples(bound, t, &ring, x, a, b, ring.ends[i]));
    }
    return near;
}

// Gives samples of a vertex that are no longer near its own triangles to a neighbour
static void spGiveSamples(spSurfaceBound* bound, const spCornerTable* t, int32_t vertex, int32_t to)
{
    int32_t fan[SP_FAN_LIMIT];
    int count = spCollectFan(t, vertex, fan, NULL);
    for (int32_t* link = bound->first + vertex; *link >= 0;)
    {
        int32_t sample = *link;
        if (spIsNearFan(bound, t, fan, count, -1, -1, bound->samples[sample]))
        {
            link = bound->next + sample;
            continue;
        }
        *link = bound->next[sample];
        bound->next[sample] = bound->first[to];
        bound->first[to] = sample;
    }
}

void spMoveSamples(spSurfaceBound* bound, const spCornerTable* t, int32_t from, int32_t to)
{
    int32_t* end = bound->first + from;
    while (*end >= 0)
    {
        end = bound->next + *end;
    }
    *end = bound->first[to];
    bound->first[to] = bound->first[from];
    bound->first[from] = -1;
    int32_t fan[SP_FAN_LIMIT];
    int count = spCollectFan(t, to, fan, NULL);
    for (int i = 0; i < count; ++i)
    {
        spGiveSamples(bound, t, t->vertex[spNextCorner(fan[i])], to);
        spGiveSamples(bound, t, t->vertex[spPreviousCorner(fan[i])], to);
    }
}
