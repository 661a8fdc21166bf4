// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The array operations of the CPU. Included once for each number of lanes, so that the compiler has the
// instructions of that processor level; none of them depends on the number.

#include "base/backend.h"

#include <string.h>

// The w of x is the inverse mass, that of v and f is 0: whole quads can be added
static spQuadMemory* spAsQuads(spVec4* a)
{
    return (spQuadMemory*)a;
}

static const spQuadMemory* spAsConstQuads(const spVec4* a)
{
    return (const spQuadMemory*)a;
}

static void spDriftNodes(spVec4* x, const spVec4* v, spReal h, int begin, int end)
{
    spQuadMemory* xs = spAsQuads(x);
    const spQuadMemory* vs = spAsConstQuads(v);
    for (int i = begin; i < end; ++i)
    {
        xs[i] += h * vs[i];
    }
}

static void spKickDriftNodes(spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end)
{
    spQuadMemory* xs = spAsQuads(x);
    spQuadMemory* vs = spAsQuads(v);
    const spQuadMemory* fs = spAsConstQuads(f);
    for (int i = begin; i < end; ++i)
    {
        spQuad moved = vs[i] + (h * x[i].w) * fs[i];
        vs[i] = moved;
        xs[i] += hx * moved;
    }
}

static void spDriftKickNodes(spVec4* x, spVec4* v, const spVec4* f, spReal h, int begin, int end)
{
    spDriftNodes(x, v, h, begin, end);
    spKickDriftNodes(x, v, f, h, 0, begin, end);
}

static void spRungeStageNodes(const spVec4* x, const spVec4* v, const spVec4* f, const spRungeArrays* arrays,
                              spReal weight, spReal advance, int begin, int end)
{
    spQuadMemory* stageX = spAsQuads(arrays->stageX);
    spQuadMemory* stageV = spAsQuads(arrays->stageV);
    spQuadMemory* sumX = spAsQuads(arrays->sumX);
    spQuadMemory* sumV = spAsQuads(arrays->sumV);
    for (int i = begin; i < end; ++i)
    {
        spQuad slopeX = stageV[i];
        spQuad slopeV = x[i].w * spAsConstQuads(f)[i];
        sumX[i] += weight * slopeX;
        sumV[i] += weight * slopeV;
        stageX[i] = spAsConstQuads(x)[i] + advance * slopeX;
        stageV[i] = spAsConstQuads(v)[i] + advance * slopeV;
    }
}

static void spRungeFinishNodes(spVec4* x, spVec4* v, const spRungeArrays* arrays, spReal h, int begin,
                               int end)
{
    spDriftNodes(x, arrays->sumX, h, begin, end);
    spDriftNodes(v, arrays->sumV, h, begin, end);
}

static void spKickNodes(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, spReal h, int begin,
                        int end)
{
    spQuadMemory* tos = spAsQuads(to);
    const spQuadMemory* vs = spAsConstQuads(v);
    const spQuadMemory* fs = spAsConstQuads(f);
    for (int i = begin; i < end; ++i)
    {
        tos[i] = vs[i] + (h * x[i].w) * fs[i];
    }
}

static void spKickSolveNodes(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f,
                             const spReal* matrices, spReal h, int begin, int end)
{
    const spQuadMemory* vs = spAsConstQuads(v);
    const spQuadMemory* fs = spAsConstQuads(f);
    for (int i = begin; i < end; ++i)
    {
        const spReal* m = matrices + 9 * (size_t)i;
        spQuad a = vs[i] + (h * x[i].w) * fs[i];
        to[i] = (spVec4){m[0] * a[0] + m[3] * a[1] + m[6] * a[2], m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
                         m[2] * a[0] + m[5] * a[1] + m[8] * a[2], 0};
    }
}

// turn x (x - centre)
static inline spQuad spGetRotationAt(const spRotation* rotation, const spVec4* x)
{
    spVec3 c = rotation->centre, t = rotation->turn;
    spReal rx = x->x - c.x, ry = x->y - c.y, rz = x->z - c.z;
    return (spQuad){t.y * rz - t.z * ry, t.z * rx - t.x * rz, t.x * ry - t.y * rx, 0};
}

static void spFilterDriftNodes(spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows,
                               spReal strength, const spRotation* rotation, spReal h, int begin, int end)
{
    spQuadMemory* xs = spAsQuads(x);
    spQuadMemory* vs = spAsQuads(v);
    const spQuadMemory* froms = spAsConstQuads(from);
    const spReal* numbers = (const spReal*)from;
    const spFilterEntry* entry = rows->entries + rows->begin[begin];
    for (int i = begin; i < end; ++i)
    {
        const spFilterEntry* last = rows->entries + rows->begin[i + 1];
        // Differences, so that equal velocities stay what they are to the last bit
        spQuad old = froms[i];
        spQuad sum = rows->own[i] * old;
        for (; entry < last; ++entry)
        {
            sum += entry->weight * (*(const spQuadMemory*)(numbers + entry->offset) - old);
        }
        if (x[i].w > 0)
        {
            spQuad filtered = old + strength * sum;
            vs[i] = rotation == NULL ? filtered : filtered + spGetRotationAt(rotation, x + i);
        }
        xs[i] += h * vs[i];
    }
}

static void spTakeRotationFromNodes(spVec4* v, const spVec4* x, const spRotation* rotation, int begin,
                                    int end)
{
    spQuadMemory* vs = spAsQuads(v);
    for (int i = begin; i < end; ++i)
    {
        vs[i] -= spGetRotationAt(rotation, x + i);
    }
}

static void spSumRotationOfNodes(spVec4* sums, const spVec4* x, const spVec4* v, int begin, int end)
{
    const spQuad from = {x[0].x, x[0].y, x[0].z, 0};
    const spQuadMemory* vs = spAsConstQuads(v);
    spQuad first = {0}, momentum = {0}, spin = {0}, square = {0}, mixed = {0};
    for (int i = begin; i < end; ++i)
    {
        spReal m = 1 / x[i].w;
        spQuad p = spAsConstQuads(x)[i] - from;
        p[3] = 1;
        spQuad mp = m * p;
        spQuad mpNext = __builtin_shufflevector(mp, mp, 1, 2, 0, 3),
               mpAfter = __builtin_shufflevector(mp, mp, 2, 0, 1, 3);
        spQuad u = vs[i];
        spQuad uNext = __builtin_shufflevector(u, u, 1, 2, 0, 3),
               uAfter = __builtin_shufflevector(u, u, 2, 0, 1, 3);
        first += mp;
        momentum += m * u;
        spin += mpNext * uAfter - mpAfter * uNext;
        square += mp * p;
        mixed += mpNext * __builtin_shufflevector(p, p, 2, 0, 1, 3);
    }
    spQuadMemory* out = spAsQuads(sums);
    out[0] = first;
    out[1] = momentum;
    out[2] = spin;
    out[3] = square;
    out[4] = mixed;
}

static void* spAllocateArray(spHeap* heap, size_t size)
{
    return spAllocZeroed(heap, size);
}

static void spReleaseArray(spHeap* heap, void* array)
{
    spFree(heap, array);
}

static void spCopyAcross(void* to, const void* from, size_t size)
{
    memcpy(to, from, size);
}

static void spGatherListed(spVec4* host, const spVec4* array, const int32_t* nodes, int count)
{
    for (int i = 0; i < count; ++i)
    {
        host[i] = array[nodes[i]];
    }
}

static void spScatterListed(spVec4* array, const spVec4* host, const int32_t* nodes, int count)
{
    for (int i = 0; i < count; ++i)
    {
        array[nodes[i]] = host[i];
    }
}

static void spClearNodes(spVec4* a, int begin, int end)
{
    memset(a + begin, 0, (size_t)(end - begin) * sizeof(spVec4));
}

static void spCopyNodes(spVec4* to, const spVec4* from, int begin, int end)
{
    memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof(spVec4));
}

static bool spAreNodesFinite(const spVec4* a, int begin, int end)
{
    // 0 times a finite number is 0; times infinity or NaN it is NaN
    spReal x = 0, y = 0, z = 0;
    for (int i = begin; i < end; ++i)
    {
        x += 0 * a[i].x;
        y += 0 * a[i].y;
        z += 0 * a[i].z;
    }
    return x + y + z == 0;
}
