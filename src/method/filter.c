// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// With b the weight of a neighbour and B their sum, the node itself counting 1, a reading is a share `own` of
// the node and shares of its neighbours:
//
//                     own                  neighbour        sum
//   preserving        1 - B / (2 (1 + B))  b / (2 (1 + B))  1
//   literal           1/2                  b / (2 (1 + B))  (1 + 2 B) / (2 + 2 B)
//   sum-normalised    (1 + B) / (1 + 2 B)  b / (1 + 2 B)    1
//   first formula     1 / (1 + B)          b / (1 + B)      1
//
// Every multiplier of a mode is positive when own shares are larger than those of all neighbours together:
// always, but for the first formula. There the smallest multiplier is found by iteration.

#include "method/filter.h"

#include "base/error.h"
#include "body/edit.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Rounds that look for a negative multiplier
#define SP_SIGN_ROUNDS 400

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

// Neighbours of each node, those that several edges name once, in order of their offset
static void spFillNeighbours(spFilter* filter, const spBody* body, const int32_t* edges, int edgeCount)
{
    int32_t* begin = filter->rows.begin;
    spFilterEntry* entries = filter->rows.entries;
    memset(begin, 0, (size_t)(body->nodeCount + 1) * sizeof(int32_t));
    for (int i = 0; i < 2 * edgeCount; ++i)
    {
        begin[body->order.rank[edges[i]] + 1] += 1;
    }
    for (int node = 0; node < body->nodeCount; ++node)
    {
        begin[node + 1] += begin[node];
    }
    // Every begin moves to its end while it is filled, and is then the begin of the next
    for (int i = 0; i < 2 * edgeCount; ++i)
    {
        int node = body->order.rank[edges[i]], other = body->order.rank[edges[i ^ 1]];
        entries[begin[node]++] = (spFilterEntry){4 * other, 0};
    }
    int count = 0, first = 0;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        int last = begin[node];
        begin[node] = count;
        for (int i = first; i < last; ++i)
        {
            // By insertion: rows are short
            spFilterEntry entry = entries[i];
            int at = count;
            while (at > begin[node] && entries[at - 1].offset > entry.offset)
            {
                at -= 1;
            }
            if (at > begin[node] && entries[at - 1].offset == entry.offset)
            {
                continue;
            }
            memmove(entries + at + 1, entries + at, (size_t)(count - at) * sizeof(spFilterEntry));
            entries[at] = entry;
            count += 1;
        }
        first = last;
    }
    begin[body->nodeCount] = count;
}

static void spSetLength(spFilter* filter, int node, int other, spReal length)
{
    for (int i = filter->rows.begin[node]; i < filter->rows.begin[node + 1]; ++i)
    {
        if (filter->rows.entries[i].offset == 4 * other)
        {
            filter->rows.entries[i].weight = length;
        }
    }
}

// Lengths of all neighbour edges in place of weights: at rest where a spring tells it, else as they are now.
// Returns their mean.
static double spFillLengths(spFilter* filter, const spBody* body)
{
    for (int node = 0; node < body->nodeCount; ++node)
    {
        for (int i = filter->rows.begin[node]; i < filter->rows.begin[node + 1]; ++i)
        {
            spFilterEntry* entry = filter->rows.entries + i;
            entry->weight = spDistance3(spXyz(body->x[node]), spXyz(body->x[entry->offset / 4]));
        }
    }
    for (int set = 0; set < body->setCount; ++set)
    {
        const spSpringSet* springs = spGetSpringSet(body, set);
        for (int i = 0; springs != NULL && i < springs->base.elementCount; ++i)
        {
            const spSpring* spring = springs->springs + i;
            spSetLength(filter, spring->nodes[0], spring->nodes[1], spring->rest);
            spSetLength(filter, spring->nodes[1], spring->nodes[0], spring->rest);
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

static void spFillWeights(spFilter* filter, const spBody* body, const spFilterDef* def, double meanLength)
{
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spFilterEntry* entries = filter->rows.entries + filter->rows.begin[node];
        int count = filter->rows.begin[node + 1] - filter->rows.begin[node];
        double total = 0.0;
        for (int i = 0; i < count; ++i)
        {
            double d = (double)def->lambda * (double)entries[i].weight / meanLength;
            double b = exp(def->type == sp_filterGaussian ? -d * d : -d);
            entries[i].weight = (spReal)b;
            total += b;
        }
        double scale = 0.5 / (1.0 + total);
        scale = def->reading == sp_filterSumNormalised ? 1.0 / (1.0 + 2.0 * total) : scale;
        scale = def->reading == sp_filterFirstFormula ? 1.0 / (1.0 + total) : scale;
        for (int i = 0; i < count; ++i)
        {
            entries[i].weight = (spReal)(scale * (double)entries[i].weight);
        }
        bool kept = def->reading != sp_filterLiteral;
        filter->rows.own[node] = kept ? 0 : (spReal)((1.0 + 2.0 * total) / (2.0 + 2.0 * total) - 1.0);
    }
}

spReal spGetNoise(int node, int axis)
{
    uint64_t z = ((uint64_t)node * 3 + (uint64_t)axis + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (spReal)((double)((z ^ (z >> 31)) >> 40) * 0x1.0p-23 - 1.0);
}

// The smallest multiplier of a mode when every row sums to 1: 1 minus the largest eigenvalue of I - S, which
// is symmetric in the inner product of 1 + B
static double spFindSmallestMultiplier(const spFilter* filter, const spBody* body, spVec4* from, spVec4* to)
{
    const spFilterRows* rows = &filter->rows;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        int user = body->order.order[node];
        from[node] = (spVec4){user >= 0 ? spGetNoise(user, 0) : 0, 0, 0, 0};
    }
    double largest = 1.0;
    for (int round = 0; round < SP_SIGN_ROUNDS; ++round)
    {
        double product = 0.0, norm2 = 0.0;
        spReal scale = (spReal)(1.0 / largest);
        for (int node = 0; node < body->nodeCount; ++node)
        {
            spReal sum = 0, shares = 0;
            for (int i = rows->begin[node]; i < rows->begin[node + 1]; ++i)
            {
                const spFilterEntry* entry = rows->entries + i;
                sum += entry->weight * (from[node].x - from[entry->offset / 4].x);
                shares += entry->weight;
            }
            double inverse = 1.0 / (1.0 - (double)shares);
            to[node] = (spVec4){scale * sum, 0, 0, 0};
            product += inverse * (double)from[node].x * (double)sum;
            norm2 += inverse * (double)from[node].x * (double)from[node].x;
        }
        largest = norm2 > 0.0 ? fmax(product / norm2, 1e-12) : 1e-12;
        spVec4* swap = from;
        from = to;
        to = swap;
    }
    return 1.0 - largest;
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
    filter->v = spAllocZeroed(heap, stateSize);
    filter->sums = spAlloc(heap, sumSize);
    filter->work = spAllocZeroed(heap, stateSize);
    bool ok = (edgeSize == 0 || filter->edges != NULL) && filter->rows.begin != NULL &&
              filter->rows.entries != NULL && filter->rows.own != NULL && filter->v != NULL &&
              filter->sums != NULL && filter->work != NULL;
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
        spFillNeighbours(filter, body, def->edges != NULL ? def->edges : body->edges, edgeCount);
        double meanLength = spFillLengths(filter, body);
        if (!(meanLength > 0.0))
        {
            ok = spFail(error, sp_errorBadArgument, "filter: all edges have length 0, lambda has no unit");
        }
        else
        {
            spFillWeights(filter, body, def, meanLength);
        }
    }
    if (ok && def->reading == sp_filterFirstFormula)
    {
        double least = spFindSmallestMultiplier(filter, body, filter->v, filter->work);
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
    spFree(heap, filter->v);
    spFree(heap, filter->work);
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
        rotation.centre = spAdd3(spXyz(body->x[0]), c);
        rotation.turn = spMulMV3(inverse, (spVec3){(spReal)L[0], (spReal)L[1], (spReal)L[2]});
    }
    return rotation;
}
