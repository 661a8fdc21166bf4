// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/enclosure.h"

#define SP_LANES 1
#include "math/lanes.h"

#include "element/gas_kernel.h"

#include <string.h>

static RVec3 spLoadNode(const spVec4* x)
{
    return (RVec3){x->x, x->y, x->z};
}

// Volume of a range of faces, relative to a node near them
static double spSumFaces(const spEnclosure* e, const spVec4* x, int begin, int end)
{
    const spVec4* origin = x + e->faces[0];
    double sum = 0.0;
    if (e->planar)
    {
        for (int i = begin; i < end; ++i)
        {
            const spVec4* a = x + e->faces[2 * (size_t)i];
            const spVec4* b = x + e->faces[2 * (size_t)i + 1];
            double p[2] = {(double)a->x - (double)origin->x, (double)a->y - (double)origin->y};
            double q[2] = {(double)b->x - (double)origin->x, (double)b->y - (double)origin->y};
            sum += spGetEdgeArea(p, q);
        }
        return sum;
    }
    for (int i = begin; i < end; ++i)
    {
        double p[3][3];
        for (int k = 0; k < 3; ++k)
        {
            const spVec4* node = x + e->faces[3 * (size_t)i + k];
            p[k][0] = (double)node->x - (double)origin->x;
            p[k][1] = (double)node->y - (double)origin->y;
            p[k][2] = (double)node->z - (double)origin->z;
        }
        sum += spGetFaceVolume(p[0], p[1], p[2]);
    }
    return sum;
}

double spGetEnclosedVolume(const spEnclosure* e, const spVec4* x)
{
    // Same blocks and same order as with a team
    double volume = 0.0;
    for (int begin = 0; begin < e->faceCount; begin += SP_SUM_BLOCK)
    {
        volume += spSumFaces(e, x, begin, spMinInt(begin + SP_SUM_BLOCK, e->faceCount));
    }
    return volume;
}

typedef struct spMeasureContext
{
    spEnclosure* enclosure;
    const spVec4* x;
} spMeasureContext;

static void spMeasureBlocks(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spMeasureContext* c = context;
    spEnclosure* e = c->enclosure;
    for (int block = begin; block < end; ++block)
    {
        int first = block * SP_SUM_BLOCK;
        e->partial[block] = spSumFaces(e, c->x, first, spMinInt(first + SP_SUM_BLOCK, e->faceCount));
    }
}

double spMeasureEnclosure(spEnclosure* e, const spVec4* x, spTeam* team)
{
    spMeasureContext context = {e, x};
    int blockCount = spGetSumBlockCount(e->faceCount);
    spParallelFor(team, spMeasureBlocks, blockCount, 1, &context);
    return spSumBlocks(e->partial, blockCount);
}

spVec3 spGetVolumeGradient(const spEnclosure* e, const spVec4* x, int node)
{
    int begin = e->fanBegin[node], end = e->fanBegin[node + 1];
    if (e->planar)
    {
        // One entry: previous and next node of the outline
        const spVec4* b = x + e->fans[2 * (size_t)begin];
        const spVec4* c = x + e->fans[2 * (size_t)begin + 1];
        return (spVec3){(spReal)0.5 * (c->y - b->y), (spReal)0.5 * (b->x - c->x), 0};
    }
    spVec3 g = {0, 0, 0};
    RVec3 a = spLoadNode(x + node);
    for (int i = begin; i < end; ++i)
    {
        RVec3 n = spGetFaceNormal(a, spLoadNode(x + e->fans[2 * (size_t)i]),
                                  spLoadNode(x + e->fans[2 * (size_t)i + 1]));
        g.x += n.x;
        g.y += n.y;
        g.z += n.z;
    }
    const spReal sixth = (spReal)(1.0 / 6.0);
    return (spVec3){sixth * g.x, sixth * g.y, sixth * g.z};
}

void spFillVolumeGradients(const spEnclosure* e, const spVec4* x, spReal factor, int begin, int end,
                           spVec4* gradients)
{
    for (int node = begin; node < end; ++node)
    {
        spVec3 g = spIsOnEnclosure(e, node) ? spGetVolumeGradient(e, x, node) : (spVec3){0, 0, 0};
        gradients[node] = (spVec4){factor * g.x, factor * g.y, factor * g.z, 0};
    }
}

// The faces around each node, each with its other two nodes in face order; planar: previous and next node
static void spBuildFans(spEnclosure* e)
{
    int n = e->nodesPerFace;
    int faceCount = e->faceCount;
    memset(e->fanBegin, 0, (size_t)(e->nodeCount + 1) * sizeof(int32_t));
    if (e->planar)
    {
        // Every node of a closed outline ends one edge and starts one: one entry for each
        for (int i = 0; i < faceCount; ++i)
        {
            e->fanBegin[e->faces[2 * i] + 1] += 1;
        }
    }
    else
    {
        for (int i = 0; i < faceCount * n; ++i)
        {
            e->fanBegin[e->faces[i] + 1] += 1;
        }
    }
    for (int i = 0; i < e->nodeCount; ++i)
    {
        e->fanBegin[i + 1] += e->fanBegin[i];
    }
    // Fill from the back, so that fanBegin ends where it started
    for (int i = faceCount - 1; i >= 0; --i)
    {
        const int32_t* face = e->faces + (size_t)i * n;
        if (e->planar)
        {
            e->fans[2 * (size_t)(e->fanBegin[face[0] + 1] - 1) + 1] = face[1];
            e->fans[2 * (size_t)(e->fanBegin[face[1] + 1] - 1)] = face[0];
            continue;
        }
        for (int k = 0; k < 3; ++k)
        {
            int32_t* entry = e->fans + 2 * (size_t)(--e->fanBegin[face[k] + 1]);
            entry[0] = face[(k + 1) % 3];
            entry[1] = face[(k + 2) % 3];
        }
    }
    if (e->planar == false)
    {
        // Every begin has moved to its own start: shift back
        memmove(e->fanBegin, e->fanBegin + 1, (size_t)e->nodeCount * sizeof(int32_t));
        e->fanBegin[e->nodeCount] = 3 * faceCount;
    }
}

bool spCreateEnclosure(spEnclosure* e, spHeap* heap, const int32_t* faces, int faceCount, bool planar,
                       int nodeCount)
{
    *e = (spEnclosure){
        .planar = planar, .nodeCount = nodeCount, .faceCount = faceCount, .nodesPerFace = planar ? 2 : 3};
    size_t faceSize = spArraySize((int64_t)faceCount * e->nodesPerFace, sizeof(int32_t));
    e->faces = spAlloc(heap, faceSize);
    e->fanBegin = spAlloc(heap, spArraySize(nodeCount + 1, sizeof(int32_t)));
    e->fans = spAlloc(heap, spArraySize((int64_t)faceCount * 3 * 2, sizeof(int32_t)));
    e->partial = spAlloc(heap, spArraySize(spGetSumBlockCount(faceCount), sizeof(double)));
    if (e->faces == NULL || e->fanBegin == NULL || e->fans == NULL || e->partial == NULL)
    {
        spFreeEnclosure(e, heap);
        return false;
    }
    memcpy(e->faces, faces, faceSize);
    spBuildFans(e);
    return true;
}

void spFreeEnclosure(spEnclosure* e, spHeap* heap)
{
    spFree(heap, e->faces);
    spFree(heap, e->fanBegin);
    spFree(heap, e->fans);
    spFree(heap, e->partial);
    *e = (spEnclosure){0};
}
