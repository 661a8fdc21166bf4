// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/enclosure.h"

#define SP_LANES 1
#include "math/lanes.h"

#include "element/gas_kernel.h"

#include <string.h>

static inline spQuad spLoadNode(const spVec4* x, int node)
{
    return *(const spQuadMemory*)(x + node);
}

// x and y of a node in double, relative to an origin
typedef double spPlace __attribute__((vector_size(2 * sizeof(double))));

static inline spPlace spGetPlace(const spVec4* x)
{
    typedef spReal spNarrow __attribute__((vector_size(2 * sizeof(spReal))));
    spNarrow narrow;
    memcpy(&narrow, x, sizeof(narrow));
    return __builtin_convertvector(narrow, spPlace);
}

// Area under a range of edges. An edge mostly starts where the last one ended.
static double spSumEdges(const spEnclosure* e, const spVec4* x, int begin, int end)
{
    spPlace origin = spGetPlace(x + e->faces[0]), b = {0};
    int32_t last = -1;
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        const int32_t* edge = e->faces + 2 * (size_t)i;
        spPlace a = edge[0] == last ? b : spGetPlace(x + edge[0]) - origin;
        b = spGetPlace(x + edge[1]) - origin;
        last = edge[1];
        sum += spGetEdgeArea((const double*)&a, (const double*)&b);
    }
    return sum;
}

// Volume of a range of faces, relative to a node near them
static double spSumFaces(const spEnclosure* e, const spVec4* x, int begin, int end)
{
    if (e->planar)
    {
        return spSumEdges(e, x, begin, end);
    }
    const spVec4* origin = x + e->faces[0];
    double sum = 0.0;
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

// Times dA/dx of a node of an outline; fan: previous and next node
static inline spQuad spScaleOutlineGradient(spReal factor, const spVec4* x, const int32_t* fan)
{
    spQuad half = {(spReal)0.5 * factor, (spReal)-0.5 * factor, 0, 0};
    spQuad d = spLoadNode(x, fan[1]) - spLoadNode(x, fan[0]);
    return half * __builtin_shufflevector(d, d, 1, 0, 2, 3);
}

// u x v, 0 in the fourth number: twice the area vector of the face with the edges u and v
static inline spQuad spCrossQuads(spQuad u, spQuad v)
{
    return __builtin_shufflevector(u, u, 1, 2, 0, 3) * __builtin_shufflevector(v, v, 2, 0, 1, 3) -
           __builtin_shufflevector(u, u, 2, 0, 1, 3) * __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

// Times dV/dx of a node of a surface; fan: the other nodes of each of its faces
static inline spQuad spScaleFanGradient(spReal factor, const spVec4* x, int node, const int32_t* fan,
                                        const int32_t* end)
{
    spQuad a = spLoadNode(x, node), g = {0};
    for (; fan < end; fan += 2)
    {
        g += spCrossQuads(spLoadNode(x, fan[0]) - a, spLoadNode(x, fan[1]) - a);
    }
    return factor * ((spReal)(1.0 / 6.0) * g);
}

// 0 where the volume does not depend on the node
static inline spQuad spScaleGradient(spReal factor, const spEnclosure* e, const spVec4* x, int node)
{
    const int32_t* fan = e->fans + 2 * (size_t)e->fanBegin[node];
    const int32_t* end = e->fans + 2 * (size_t)e->fanBegin[node + 1];
    return e->planar && fan < end ? spScaleOutlineGradient(factor, x, fan)
                                  : spScaleFanGradient(factor, x, node, fan, end);
}

spVec3 spGetVolumeGradient(const spEnclosure* e, const spVec4* x, int node)
{
    spQuad g = spScaleGradient(1, e, x, node);
    return (spVec3){g[0], g[1], g[2]};
}

void spFillVolumeGradients(const spEnclosure* e, const spVec4* x, spReal factor, int begin, int end,
                           spVec4* gradients)
{
    for (int node = begin; node < end; ++node)
    {
        *(spQuadMemory*)(gradients + node) = spScaleGradient(factor, e, x, node);
    }
}

// Half of the nodes of a ring are not on its outline: without a branch for each
static void spAddOutlineGradients(const spEnclosure* e, const spVec4* x, spReal factor, int begin, int end,
                                  spVec4* to)
{
    for (int i = e->fanBegin[begin], last = e->fanBegin[end]; i < last; ++i)
    {
        *(spQuadMemory*)(to + e->outline[i]) += spScaleOutlineGradient(factor, x, e->fans + 2 * (size_t)i);
    }
}

void spAddVolumeGradients(const spEnclosure* e, const spVec4* x, spReal factor, int begin, int end,
                          spVec4* to)
{
    if (e->planar)
    {
        spAddOutlineGradients(e, x, factor, begin, end, to);
        return;
    }
    for (int node = begin; node < end; ++node)
    {
        if (spIsOnEnclosure(e, node))
        {
            *(spQuadMemory*)(to + node) += spScaleGradient(factor, e, x, node);
        }
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
            e->outline[e->fanBegin[face[0] + 1] - 1] = face[0];
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
    e->outline = planar ? spAlloc(heap, spArraySize(faceCount, sizeof(int32_t))) : NULL;
    e->partial = spAlloc(heap, spArraySize(spGetSumBlockCount(faceCount), sizeof(double)));
    if (e->faces == NULL || e->fanBegin == NULL || e->fans == NULL || (planar && e->outline == NULL) ||
        e->partial == NULL)
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
    spFree(heap, e->outline);
    spFree(heap, e->partial);
    *e = (spEnclosure){0};
}
