// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Triangles without area whose corners lie in a line ("caps"): a vertex b on the long edge a c. To drop one
// opens a hole along that edge, and to close the hole makes it anew. Turning the edge a c in the two triangles
// that share it, the cap a b c and its neighbour a c d, gives a b d and b c d, which both have area and
// cover what the neighbour did (Botsch and Kobbelt 2001, A robust procedure to eliminate degenerate faces).

#include "mesh/repair_parts.h"

#include "base/error.h"
#include "mesh/mesh_math.h"
#include "mesh/surface.h"

#include <string.h>

// Triangles around a vertex that are looked at before an edge is turned towards it
#define SP_MOST_AROUND 256

enum
{
    sp_capFlat = 1,
    sp_capQueued = 2,
};

typedef struct spCaps
{
    spMesh* mesh;
    int32_t* links; // half edge across each half edge, -1 without one
    int32_t* queue; // flat triangles to look at
    uint8_t* state;
    int count; // in the queue
} spCaps;

static int32_t spNextHalf(int32_t half, int steps)
{
    return half - half % 3 + (half + steps) % 3;
}

// Corner at the start of a half edge
static int32_t spStartOf(const spCaps* caps, int32_t half)
{
    return caps->mesh->triangles[half];
}

static void spQueueCap(spCaps* caps, int32_t triangle)
{
    if (caps->state[triangle] == sp_capFlat)
    {
        caps->state[triangle] |= sp_capQueued;
        caps->queue[caps->count++] = triangle;
    }
}

static int32_t spFindLongestHalf(const spCaps* caps, int32_t triangle)
{
    const spDVec3* x = caps->mesh->vertices;
    int32_t best = 3 * triangle;
    double longest = -1.0;
    for (int32_t half = best, i = 0; i < 3; ++i, ++half)
    {
        double length = spDDistance(x[spStartOf(caps, half)], x[spStartOf(caps, spNextHalf(half, 1))]);
        best = length > longest ? half : best;
        longest = fmax(longest, length);
    }
    return best;
}

// Whether the triangles around a vertex, from a half edge at it on, have another vertex. Says so too where they
// are too many.
static bool spMeets(const spCaps* caps, int32_t half, int32_t vertex, int32_t other)
{
    int32_t first = half / 3;
    for (int i = 0; i < SP_MOST_AROUND; ++i)
    {
        int32_t across = caps->links[half];
        if (across < 0 || across / 3 == first)
        {
            return false;
        }
        const int32_t* corners = caps->mesh->triangles + 3 * (across / 3);
        if (corners[0] == other || corners[1] == other || corners[2] == other)
        {
            return true;
        }
        half = spNextHalf(across, spStartOf(caps, across) == vertex ? 2 : 1);
    }
    return true;
}

static void spLink(spCaps* caps, int32_t half, int32_t across)
{
    caps->links[half] = across;
    if (across >= 0)
    {
        caps->links[across] = half;
    }
}

static void spCopyTriangleValues(spMesh* mesh, int32_t from, int32_t to)
{
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        spMeshValues* values = mesh->values + i;
        if (values->part == sp_meshTriangles)
        {
            memcpy(values->data + (int64_t)to * values->components,
                   values->data + (int64_t)from * values->components,
                   (size_t)values->components * sizeof(double));
        }
    }
}

static bool spIsFlat(const spMesh* mesh, const int32_t* triangle)
{
    return spClassifyTriangle(mesh->vertices, triangle) != sp_elementFine;
}

// Turns the long edge of a flat triangle where that leaves two triangles with area, wound as the neighbour was
static bool spTurnLongEdge(spCaps* caps, int32_t cap)
{
    spMesh* mesh = caps->mesh;
    int32_t half = spFindLongestHalf(caps, cap), across = caps->links[half];
    if (across < 0)
    {
        return false;
    }
    int32_t neighbour = across / 3, towardsQ = spNextHalf(across, 1), towardsP = spNextHalf(across, 2);
    int32_t p = spStartOf(caps, across), q = spStartOf(caps, towardsQ), d = spStartOf(caps, towardsP);
    int32_t b = spStartOf(caps, spNextHalf(half, 2));
    bool alike = spStartOf(caps, half) == p;
    int32_t besideP = spNextHalf(half, alike ? 2 : 1), besideQ = spNextHalf(half, alike ? 1 : 2);
    const int32_t corners[2][3] = {{p, b, d}, {b, q, d}};
    if ((caps->state[neighbour] & sp_capFlat) != 0 || spIsFlat(mesh, corners[0]) ||
        spIsFlat(mesh, corners[1]) || spMeets(caps, besideP, b, d) || spMeets(caps, besideQ, b, d))
    {
        return false;
    }
    const int32_t around[4] = {caps->links[besideP], caps->links[towardsP], caps->links[besideQ],
                               caps->links[towardsQ]};
    memcpy(mesh->triangles + 3 * (int64_t)neighbour, corners[0], sizeof(corners[0]));
    memcpy(mesh->triangles + 3 * (int64_t)cap, corners[1], sizeof(corners[1]));
    spLink(caps, 3 * neighbour, around[0]);
    spLink(caps, 3 * neighbour + 2, around[1]);
    spLink(caps, 3 * cap, around[2]);
    spLink(caps, 3 * cap + 1, around[3]);
    spLink(caps, 3 * neighbour + 1, 3 * cap + 2);
    spCopyTriangleValues(mesh, neighbour, cap);
    caps->state[cap] = 0;
    for (int i = 0; i < 4; ++i)
    {
        if (around[i] >= 0)
        {
            spQueueCap(caps, around[i] / 3);
        }
    }
    return true;
}

bool spTurnCaps(spMesh* mesh, spRepairReport* report, spError* error)
{
    spHeap* heap = &mesh->heap;
    int count = mesh->triangleCount;
    size_t size = spArraySize(count, sizeof(int32_t));
    spSurface surface = {0};
    spCaps caps = {.mesh = mesh};
    caps.links = spAlloc(heap, 3 * size);
    caps.queue = spAlloc(heap, size);
    caps.state = spAllocZeroed(heap, spArraySize(count, 1));
    bool ok = caps.links != NULL && caps.queue != NULL && caps.state != NULL &&
              spBuildSurface(heap, mesh->triangles, count, mesh->vertexCount, &surface);
    if (ok)
    {
        spLinkHalves(&surface, caps.links);
        for (int i = 0; i < count; ++i)
        {
            caps.state[i] = spIsFlat(mesh, mesh->triangles + 3 * (int64_t)i) ? sp_capFlat : 0;
            spQueueCap(&caps, i);
        }
        while (caps.count > 0)
        {
            int32_t cap = caps.queue[--caps.count];
            caps.state[cap] &= sp_capFlat;
            report->turnedEdges += spTurnLongEdge(&caps, cap);
        }
    }
    else
    {
        spFailMemory(error, "triangles without area", 5 * size);
    }
    spFreeSurface(heap, &surface);
    spFree(heap, caps.links);
    spFree(heap, caps.queue);
    spFree(heap, caps.state);
    return ok;
}
