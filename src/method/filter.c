// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/filter.h"

#include "base/error.h"
#include "body/edit.h"
#include "linear/filter_rows.h"

#include <math.h>
#include <string.h>

static bool spCheckFilterDef(const spBody* body, const spFilterDef* def, spError* error)
{
    if ((unsigned)def->type > sp_filterGaussian || (unsigned)def->reading >= sp_filterReadingCount)
    {
        return spFail(error, sp_errorBadArgument, "filter: type %d or reading %d does not exist",
                      (int)def->type, (int)def->reading);
    }
    if (!(def->lambda > 0 && isfinite(def->lambda)))
    {
        return spFail(error, sp_errorBadArgument, "filter: lambda %g must be positive and finite",
                      (double)def->lambda);
    }
    if (def->edges == NULL && body->edgeCount == 0)
    {
        return spFail(error, sp_errorBadArgument,
                      "filter: %s has no edges yet: add its springs first and set the method then, or give "
                      "the edges",
                      body->name);
    }
    if (def->edges != NULL && def->edgeCount <= 0)
    {
        return spFail(error, sp_errorBadArgument, "filter: the number of edges %d must be positive",
                      def->edgeCount);
    }
    for (int i = 0; def->edges != NULL && i < def->edgeCount; ++i)
    {
        int a = def->edges[2 * (size_t)i], b = def->edges[2 * (size_t)i + 1];
        if (a < 0 || a >= body->userCount || b < 0 || b >= body->userCount || a == b)
        {
            return spFail(error, sp_errorBadIndex,
                          "filter: edge %d joins node %d to node %d; %s has %d nodes, and an edge joins two "
                          "of them",
                          i, a, b, body->name, body->userCount);
        }
    }
    return true;
}

// Lengths of all neighbour edges in place of weights: at rest where a spring tells it, else as they are now.
// Returns their mean.
static double spFillLengths(spFilter* filter, const spBody* body)
{
    spFillFilterLengths(&filter->rows, body->nodeCount, body->x);
    for (int set = 0; set < body->setCount; ++set)
    {
        const spSpringSet* springs = spGetSpringSet(body, set);
        for (int i = 0; springs != NULL && i < springs->base.elementCount; ++i)
        {
            const spSpring* spring = springs->springs + i;
            spSetFilterLength(&filter->rows, spring->nodes[0], spring->nodes[1], spring->rest);
            spSetFilterLength(&filter->rows, spring->nodes[1], spring->nodes[0], spring->rest);
        }
    }
    int count = filter->rows.begin[body->nodeCount];
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)filter->rows.entries[i].weight;
    }
    return sum / count;
}

static bool spLayFilterSlices(spFilter* filter, const spBody* body, spError* error)
{
    size_t size = spArraySize(spPlaceFilterSlices(&filter->rows, body->nodeCount), sizeof(spFilterSlice));
    filter->rows.slices = spAlloc(body->heap, size);
    if (filter->rows.slices == NULL)
    {
        return spFailMemory(error, "the filter of a body", size);
    }
    spFillFilterSlices(&filter->rows, body->nodeCount);
    return true;
}

bool spCreateFilter(spFilter* filter, spBody* body, spError* error)
{
    spFilterDef* def = &body->methodDef.filter;
    *filter = (spFilter){0};
    if (spCheckFilterDef(body, def, error) == false)
    {
        return false;
    }
    spRefreshTopology(body);
    spHeap* heap = body->heap;
    int edgeCount = def->edges != NULL ? def->edgeCount : body->edgeCount;
    size_t edgeSize = def->edges != NULL ? spArraySize(edgeCount, 2 * sizeof(int32_t)) : 0;
    size_t stateSize = spArraySize(body->nodeCount, sizeof(spVec4));
    size_t sumSize = spArraySize(body->order.patchCount, SP_ROTATION_SUMS * sizeof(spVec4));
    filter->entryCount = 2 * edgeCount;
    filter->edgeCount = edgeCount;
    filter->edges = spAlloc(heap, edgeSize);
    filter->rows.begin = spAlloc(heap, spArraySize(body->nodeCount + 1, sizeof(int32_t)));
    filter->rows.entries = spAlloc(heap, spArraySize(filter->entryCount, sizeof(spFilterEntry)));
    filter->rows.own = spAlloc(heap, spArraySize(body->nodeCount, sizeof(spReal)));
    filter->rows.sliceBegin =
        spAlloc(heap, spArraySize(spGetFilterSliceCount(body->nodeCount) + 1, sizeof(int32_t)));
    filter->v = body->backend->allocate(heap, stateSize);
    filter->sums = spAlloc(heap, sumSize);
    filter->work = body->backend->allocate(heap, stateSize);
    bool ok = (edgeSize == 0 || filter->edges != NULL) && filter->rows.begin != NULL &&
              filter->rows.entries != NULL && filter->rows.own != NULL && filter->rows.sliceBegin != NULL &&
              filter->v != NULL && filter->sums != NULL && filter->work != NULL;
    if (ok == false)
    {
        spFailMemory(error, "the filter of a body", (size_t)filter->entryCount * sizeof(spFilterEntry));
    }
    else
    {
        if (def->edges != NULL)
        {
            memcpy(filter->edges, def->edges, edgeSize);
            def->edges = filter->edges;
        }
        spFillFilterNeighbours(&filter->rows, body->nodeCount, body->order.rank,
                               def->edges != NULL ? def->edges : body->edges, edgeCount);
        double meanLength = spFillLengths(filter, body);
        if (!(meanLength > 0.0))
        {
            ok = spFail(error, sp_errorBadArgument, "filter: all edges have length 0, lambda has no unit");
        }
        else
        {
            spFillFilterWeights(&filter->rows, body->nodeCount, def, meanLength);
            ok = spLayFilterSlices(filter, body, error);
        }
    }
    if (ok && def->reading == sp_filterFirstFormula)
    {
        double least = spFindSmallestMultiplier(&filter->rows, body->nodeCount, body->order.order, filter->v,
                                                filter->work);
        filter->negative = least < 0.0;
        if (filter->negative && def->allowNegative == false)
        {
            ok = spFail(error, sp_errorBadArgument,
                        "filter: the first formula with lambda %g turns modes over (multiplier %g), which no "
                        "step survives: take a larger lambda, the preserving reading, or allowNegative",
                        (double)def->lambda, least);
        }
    }
    if (ok == false)
    {
        spFreeFilter(filter, body);
    }
    return ok;
}

void spFreeFilter(spFilter* filter, const spBody* body)
{
    spHeap* heap = body->heap;
    spFree(heap, filter->edges);
    spFree(heap, filter->rows.begin);
    spFree(heap, filter->rows.entries);
    spFree(heap, filter->rows.own);
    spFree(heap, filter->rows.sliceBegin);
    spFree(heap, filter->rows.slices);
    body->backend->release(heap, filter->v);
    body->backend->release(heap, filter->work);
    spFree(heap, filter->sums);
    *filter = (spFilter){0};
}

spRotation spFindRotation(const spFilter* filter, const spBody* body)
{
    double sum[SP_ROTATION_SUMS][4] = {0};
    for (int i = 0; i < body->order.patchCount * SP_ROTATION_SUMS; ++i)
    {
        const spVec4* part = filter->sums + i;
        double* to = sum[i % SP_ROTATION_SUMS];
        to[0] += (double)part->x;
        to[1] += (double)part->y;
        to[2] += (double)part->z;
        to[3] += (double)part->w;
    }
    // About the centre of mass: L = sum m x x v - M c x u, and the same for m x x^T
    const double *first = sum[0], *momentum = sum[1];
    double mass = first[3], L[3], square[3], mixed[3];
    for (int k = 0; k < 3; ++k)
    {
        int next = (k + 1) % 3, after = (k + 2) % 3;
        L[k] = sum[2][k] - (first[next] * momentum[after] - first[after] * momentum[next]) / mass;
        square[k] = sum[3][k] - first[k] * first[k] / mass;
        mixed[k] = sum[4][k] - first[next] * first[after] / mass;
    }
    // Nodes on a line have no inertia about it: a millionth of the whole stands in
    double least = 1e-6 * (square[0] + square[1] + square[2]);
    spReal ixx = (spReal)(square[1] + square[2] + least), iyy = (spReal)(square[2] + square[0] + least),
           izz = (spReal)(square[0] + square[1] + least);
    spReal iyz = (spReal)-mixed[0], izx = (spReal)-mixed[1], ixy = (spReal)-mixed[2];
    spMat3 inverse;
    spRotation rotation = {0};
    if (spInvertMat3(spMakeMat3((spVec3){ixx, ixy, izx}, (spVec3){ixy, iyy, iyz}, (spVec3){izx, iyz, izz}),
                     &inverse))
    {
        spVec3 c = {(spReal)(first[0] / mass), (spReal)(first[1] / mass), (spReal)(first[2] / mass)};
        spVec4 origin;
        body->backend->download(&origin, body->x, sizeof(origin));
        rotation.centre = spAdd3(spXyz(origin), c);
        rotation.turn = spMulMV3(inverse, (spVec3){(spReal)L[0], (spReal)L[1], (spReal)L[2]});
    }
    return rotation;
}
