// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Between nodes in memory and lanes, for the loops around the kernels.
//
// Nodes are four numbers (spVec4). They go into lanes and back by whole-node loads and a transpose, which beats
// gather and scatter instructions on current processors.

#pragma once

#include "math/lanes_mat3.h"
#include "math/mat3.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

// Nodes are named by offset: the index of their first number, which saves a shift per load.
SP_KERNEL spQuad spLoadQuad(const spVec4* nodes, int64_t offset)
{
    return *(const spQuadMemory*)((const spReal*)nodes + offset);
}

SP_KERNEL void spStoreQuad(spVec4* nodes, int64_t offset, spQuad value)
{
    *(spQuadMemory*)((spReal*)nodes + offset) = value;
}

// Each node takes as much of it as its fourth number says
SP_KERNEL void spAddWeightedPair(spVec4* nodes, int64_t plus, int64_t minus, spQuad f)
{
    spQuad a = spLoadQuad(nodes, plus), b = spLoadQuad(nodes, minus);
    spStoreQuad(nodes, plus, a + __builtin_shufflevector(a, a, 3, 3, 3, 3) * f);
    spStoreQuad(nodes, minus, b - __builtin_shufflevector(b, b, 3, 3, 3, 3) * f);
}

SP_KERNEL void spAddQuadPair(spVec4* nodes, int64_t plus, int64_t minus, spQuad force)
{
    spStoreQuad(nodes, plus, spLoadQuad(nodes, plus) + force);
    spStoreQuad(nodes, minus, spLoadQuad(nodes, minus) - force);
}

#if SP_LANES == 1

// a[to] - a[from]
SP_KERNEL RVec3 spGatherDifference(const spVec4* a, const int32_t* from, const int32_t* to)
{
    spQuad d = spLoadQuad(a, *to) - spLoadQuad(a, *from);
    return spMakeVecR(d[0], d[1], d[2]);
}

// The same of two arrays
SP_KERNEL void spGatherDifferences(const spVec4* a, const spVec4* b, const int32_t* from, const int32_t* to,
                                   RVec3* da, RVec3* db)
{
    *da = spGatherDifference(a, from, to);
    *db = spGatherDifference(b, from, to);
}

// nodes[plus] += f, nodes[minus] -= f. No two lanes share a node.
SP_KERNEL void spScatterPair(spVec4* nodes, const int32_t* plus, const int32_t* minus, RVec3 f)
{
    spAddQuadPair(nodes, *plus, *minus, (spQuad){f.x, f.y, f.z, 0});
}

// nodes[plus] += w f, nodes[minus] -= w f, w the fourth number of each. No two lanes share a node.
SP_KERNEL void spScatterWeightedPair(spVec4* nodes, const int32_t* plus, const int32_t* minus, RVec3 f)
{
    spAddWeightedPair(nodes, *plus, *minus, (spQuad){f.x, f.y, f.z, 0});
}

// a[nodes[k]] - a[nodes[0]] for k = 1, 2, 3; nodes lie SP_BLOCK apart
SP_KERNEL void spGatherEdges(const spVec4* a, const int32_t* nodes, RVec3* edges)
{
    for (int k = 0; k < 3; ++k)
    {
        edges[k] = spGatherDifference(a, nodes, nodes + (k + 1) * SP_BLOCK);
    }
}

// nodes[to] += f. No two lanes share a node.
SP_KERNEL void spScatterNode(spVec4* nodes, const int32_t* to, RVec3 f)
{
    spStoreQuad(nodes, *to, spLoadQuad(nodes, *to) + (spQuad){f.x, f.y, f.z, 0});
}

// a[nodes]; w, when it is not NULL, takes the fourth number
SP_KERNEL RVec3 spGatherNodes(const spVec4* a, const int32_t* nodes, R* w)
{
    spQuad q = spLoadQuad(a, *nodes);
    if (w != NULL)
    {
        *w = q[3];
    }
    return spMakeVecR(q[0], q[1], q[2]);
}

// to[stride * lane] = (f, w)
SP_KERNEL void spStoreNodes(spVec4* to, int stride, RVec3 f, R w)
{
    SP_UNUSED(stride);
    spStoreQuad(to, 0, (spQuad){f.x, f.y, f.z, w});
}

// Lanes where a is larger than b
SP_KERNEL RMask spIsLarger(const int32_t* a, const int32_t* b)
{
    return *a > *b ? -1 : 0;
}

#else

// Groups of four lanes: group g of a joined vector holds one node. Lane order is natural when vector k of a
// transpose joins the nodes k, k + 4, k + 8, k + 12.
#if SP_LANES == 4
#define SP_SHUFFLE(a, b, i0, i1, i2, i3) __builtin_shufflevector(a, b, i0, i1, i2, i3)
#elif SP_LANES == 8
#define SP_SHUFFLE(a, b, i0, i1, i2, i3)                                                                     \
    __builtin_shufflevector(a, b, i0, i1, i2, i3, i0 + 4, i1 + 4, i2 + 4, i3 + 4)
#else
#define SP_SHUFFLE(a, b, i0, i1, i2, i3)                                                                     \
    __builtin_shufflevector(a, b, i0, i1, i2, i3, i0 + 4, i1 + 4, i2 + 4, i3 + 4, i0 + 8, i1 + 8, i2 + 8,    \
                            i3 + 8, i0 + 12, i1 + 12, i2 + 12, i3 + 12)
#endif

#define SP_GROUPS (SP_LANES / 4)
#define SP_OTHER SP_LANES // first lane of the second operand of a shuffle

// The k-th offset of each group
typedef struct spOffsets
{
    int64_t of[SP_GROUPS];
} spOffsets;

SP_KERNEL spOffsets spLoadOffsets(const int32_t* offsets, int k)
{
    spOffsets loaded;
    for (int g = 0; g < SP_GROUPS; ++g)
    {
        loaded.of[g] = offsets[4 * g + k];
    }
    return loaded;
}

// One offset of each group, which lie one after the other
SP_KERNEL spOffsets spLoadOffsetsInRow(const int32_t* offsets)
{
    spOffsets loaded;
    for (int g = 0; g < SP_GROUPS; ++g)
    {
        loaded.of[g] = offsets[g];
    }
    return loaded;
}

// Two nodes side by side
typedef spReal spOctet __attribute__((vector_size(8 * sizeof(spReal))));

SP_KERNEL spOctet spJoinPair(const spVec4* nodes, int64_t first, int64_t second)
{
#if defined(__AVX__) && !defined(SOUPLE_DOUBLE_PRECISION)
    // The second load goes straight into the upper half
    __m256 pair = _mm256_castps128_ps256((__m128)spLoadQuad(nodes, first));
    return (spOctet)_mm256_insertf128_ps(pair, (__m128)spLoadQuad(nodes, second), 1);
#else
    return __builtin_shufflevector(spLoadQuad(nodes, first), spLoadQuad(nodes, second), 0, 1, 2, 3, 4, 5, 6,
                                   7);
#endif
}

#if SP_LANES == 16
SP_KERNEL R spJoinOctets(spOctet lower, spOctet upper)
{
#if defined(__AVX512F__) && !defined(SOUPLE_DOUBLE_PRECISION)
    return (R)_mm512_castpd_ps(_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512((__m256)lower)),
                                                  _mm256_castps_pd((__m256)upper), 1));
#else
    return __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}
#endif

// nodes[j] - nodes[i] for one offset of each group, side by side
SP_KERNEL R spJoinDifference(const spVec4* nodes, const spOffsets* i, const spOffsets* j)
{
#if SP_LANES == 4
    return spLoadQuad(nodes, j->of[0]) - spLoadQuad(nodes, i->of[0]);
#elif SP_LANES == 8
    return spJoinPair(nodes, j->of[0], j->of[1]) - spJoinPair(nodes, i->of[0], i->of[1]);
#else
    // Subtracting pairs before joining them saves half of the joins, which cross the processor's halves
    spOctet lower = spJoinPair(nodes, j->of[0], j->of[1]) - spJoinPair(nodes, i->of[0], i->of[1]);
    spOctet upper = spJoinPair(nodes, j->of[2], j->of[3]) - spJoinPair(nodes, i->of[2], i->of[3]);
    return spJoinOctets(lower, upper);
#endif
}

// From nodes side by side to coordinates in lanes
SP_KERNEL RVec3 spTransposeNodes(R n0, R n1, R n2, R n3)
{
    R xy01 = SP_SHUFFLE(n0, n1, 0, SP_OTHER, 1, SP_OTHER + 1);
    R xy23 = SP_SHUFFLE(n2, n3, 0, SP_OTHER, 1, SP_OTHER + 1);
    R zw01 = SP_SHUFFLE(n0, n1, 2, SP_OTHER + 2, 3, SP_OTHER + 3);
    R zw23 = SP_SHUFFLE(n2, n3, 2, SP_OTHER + 2, 3, SP_OTHER + 3);
    RVec3 a;
    a.x = SP_SHUFFLE(xy01, xy23, 0, 1, SP_OTHER, SP_OTHER + 1);
    a.y = SP_SHUFFLE(xy01, xy23, 2, 3, SP_OTHER + 2, SP_OTHER + 3);
    a.z = SP_SHUFFLE(zw01, zw23, 0, 1, SP_OTHER, SP_OTHER + 1);
    return a;
}

// a[to] - a[from]
SP_KERNEL RVec3 spGatherDifference(const spVec4* a, const int32_t* from, const int32_t* to)
{
    R n[4];
    for (int k = 0; k < 4; ++k)
    {
        spOffsets i = spLoadOffsets(from, k), j = spLoadOffsets(to, k);
        n[k] = spJoinDifference(a, &i, &j);
    }
    return spTransposeNodes(n[0], n[1], n[2], n[3]);
}

// The same of two arrays at once, so that an offset is used up as soon as it is loaded: there are too few
// registers to keep them all
SP_KERNEL void spGatherDifferences(const spVec4* a, const spVec4* b, const int32_t* from, const int32_t* to,
                                   RVec3* da, RVec3* db)
{
    R na[4], nb[4];
    for (int k = 0; k < 4; ++k)
    {
        spOffsets i = spLoadOffsets(from, k), j = spLoadOffsets(to, k);
        na[k] = spJoinDifference(a, &i, &j);
        nb[k] = spJoinDifference(b, &i, &j);
    }
    *da = spTransposeNodes(na[0], na[1], na[2], na[3]);
    *db = spTransposeNodes(nb[0], nb[1], nb[2], nb[3]);
}

// a[nodes[k]] - a[nodes[0]] for k = 1, 2, 3; nodes lie SP_BLOCK apart
SP_KERNEL void spGatherEdges(const spVec4* a, const int32_t* nodes, RVec3* edges)
{
    R n[3][4];
    SP_UNROLL
    for (int k = 0; k < 4; ++k)
    {
        spOffsets first = spLoadOffsets(nodes, k);
        SP_UNROLL
        for (int e = 0; e < 3; ++e)
        {
            spOffsets other = spLoadOffsets(nodes + (e + 1) * SP_BLOCK, k);
            n[e][k] = spJoinDifference(a, &first, &other);
        }
    }
    SP_UNROLL
    for (int e = 0; e < 3; ++e)
    {
        edges[e] = spTransposeNodes(n[e][0], n[e][1], n[e][2], n[e][3]);
    }
}

#if SP_LANES == 16 && defined(__AVX512F__) && !defined(SOUPLE_DOUBLE_PRECISION)
#define SP_EXTRACT_QUAD(a, group) ((spQuad)_mm512_extractf32x4_ps((__m512)(a), group))
#else
#define SP_EXTRACT_QUAD(a, group)                                                                            \
    __builtin_shufflevector(a, a, 4 * (group), 4 * (group) + 1, 4 * (group) + 2, 4 * (group) + 3)
#endif

// One offset of each group, side by side
SP_KERNEL R spJoinNodes(const spVec4* nodes, const spOffsets* i)
{
#if SP_LANES == 4
    return spLoadQuad(nodes, i->of[0]);
#elif SP_LANES == 8
    return spJoinPair(nodes, i->of[0], i->of[1]);
#else
    spOctet lower = spJoinPair(nodes, i->of[0], i->of[1]), upper = spJoinPair(nodes, i->of[2], i->of[3]);
    return spJoinOctets(lower, upper);
#endif
}

// a[nodes]; w, when it is not NULL, takes the fourth number
SP_KERNEL RVec3 spGatherNodes(const spVec4* a, const int32_t* nodes, R* w)
{
    R n[4];
    for (int k = 0; k < 4; ++k)
    {
        spOffsets i = spLoadOffsets(nodes, k);
        n[k] = spJoinNodes(a, &i);
    }
    if (w != NULL)
    {
        R zw01 = SP_SHUFFLE(n[0], n[1], 2, SP_OTHER + 2, 3, SP_OTHER + 3);
        R zw23 = SP_SHUFFLE(n[2], n[3], 2, SP_OTHER + 2, 3, SP_OTHER + 3);
        *w = SP_SHUFFLE(zw01, zw23, 2, 3, SP_OTHER + 2, SP_OTHER + 3);
    }
    return spTransposeNodes(n[0], n[1], n[2], n[3]);
}

// Lanes where a is larger than b
SP_KERNEL RMask spIsLarger(const int32_t* a, const int32_t* b)
{
    RMask larger;
    for (int i = 0; i < SP_LANES; ++i)
    {
        larger[i] = a[i] > b[i] ? -1 : 0;
    }
    return larger;
}

// From coordinates in lanes to nodes side by side
SP_KERNEL void spTransposeLanes(RVec3 f, R w, R* f0, R* f1, R* f2, R* f3)
{
    R xy01 = SP_SHUFFLE(f.x, f.y, 0, SP_OTHER, 1, SP_OTHER + 1);
    R xy23 = SP_SHUFFLE(f.x, f.y, 2, SP_OTHER + 2, 3, SP_OTHER + 3);
    R zw01 = SP_SHUFFLE(f.z, w, 0, SP_OTHER, 1, SP_OTHER + 1);
    R zw23 = SP_SHUFFLE(f.z, w, 2, SP_OTHER + 2, 3, SP_OTHER + 3);
    *f0 = SP_SHUFFLE(xy01, zw01, 0, 1, SP_OTHER, SP_OTHER + 1);
    *f1 = SP_SHUFFLE(xy01, zw01, 2, 3, SP_OTHER + 2, SP_OTHER + 3);
    *f2 = SP_SHUFFLE(xy23, zw23, 0, 1, SP_OTHER, SP_OTHER + 1);
    *f3 = SP_SHUFFLE(xy23, zw23, 2, 3, SP_OTHER + 2, SP_OTHER + 3);
}

// nodes[plus] += f, nodes[minus] -= f. No two lanes share a node.
SP_KERNEL void spScatterPair(spVec4* nodes, const int32_t* plus, const int32_t* minus, RVec3 f)
{
    R f0, f1, f2, f3;
    spTransposeLanes(f, (R){0}, &f0, &f1, &f2, &f3);
#define SP_ADD_GROUP(group)                                                                                  \
    spAddQuadPair(nodes, plus[4 * (group)], minus[4 * (group)], SP_EXTRACT_QUAD(f0, group));                 \
    spAddQuadPair(nodes, plus[4 * (group) + 1], minus[4 * (group) + 1], SP_EXTRACT_QUAD(f1, group));         \
    spAddQuadPair(nodes, plus[4 * (group) + 2], minus[4 * (group) + 2], SP_EXTRACT_QUAD(f2, group));         \
    spAddQuadPair(nodes, plus[4 * (group) + 3], minus[4 * (group) + 3], SP_EXTRACT_QUAD(f3, group))
    SP_ADD_GROUP(0);
#if SP_LANES >= 8
    SP_ADD_GROUP(1);
#endif
#if SP_LANES == 16
    SP_ADD_GROUP(2);
    SP_ADD_GROUP(3);
#endif
#undef SP_ADD_GROUP
}

// nodes[plus] += w f, nodes[minus] -= w f, w the fourth number of each. No two lanes share a node.
SP_KERNEL void spScatterWeightedPair(spVec4* nodes, const int32_t* plus, const int32_t* minus, RVec3 f)
{
    R f0, f1, f2, f3;
    spTransposeLanes(f, (R){0}, &f0, &f1, &f2, &f3);
#define SP_ADD_GROUP(group)                                                                                  \
    spAddWeightedPair(nodes, plus[4 * (group)], minus[4 * (group)], SP_EXTRACT_QUAD(f0, group));             \
    spAddWeightedPair(nodes, plus[4 * (group) + 1], minus[4 * (group) + 1], SP_EXTRACT_QUAD(f1, group));     \
    spAddWeightedPair(nodes, plus[4 * (group) + 2], minus[4 * (group) + 2], SP_EXTRACT_QUAD(f2, group));     \
    spAddWeightedPair(nodes, plus[4 * (group) + 3], minus[4 * (group) + 3], SP_EXTRACT_QUAD(f3, group))
    SP_ADD_GROUP(0);
#if SP_LANES >= 8
    SP_ADD_GROUP(1);
#endif
#if SP_LANES == 16
    SP_ADD_GROUP(2);
    SP_ADD_GROUP(3);
#endif
#undef SP_ADD_GROUP
}

SP_KERNEL void spAddQuad(spVec4* nodes, int64_t to, spQuad force)
{
    spStoreQuad(nodes, to, spLoadQuad(nodes, to) + force);
}

// nodes[to] += f. No two lanes share a node.
SP_KERNEL void spScatterNode(spVec4* nodes, const int32_t* to, RVec3 f)
{
    R f0, f1, f2, f3;
    spTransposeLanes(f, (R){0}, &f0, &f1, &f2, &f3);
#define SP_ADD_GROUP(group)                                                                                  \
    spAddQuad(nodes, to[4 * (group)], SP_EXTRACT_QUAD(f0, group));                                           \
    spAddQuad(nodes, to[4 * (group) + 1], SP_EXTRACT_QUAD(f1, group));                                       \
    spAddQuad(nodes, to[4 * (group) + 2], SP_EXTRACT_QUAD(f2, group));                                       \
    spAddQuad(nodes, to[4 * (group) + 3], SP_EXTRACT_QUAD(f3, group))
    SP_ADD_GROUP(0);
#if SP_LANES >= 8
    SP_ADD_GROUP(1);
#endif
#if SP_LANES == 16
    SP_ADD_GROUP(2);
    SP_ADD_GROUP(3);
#endif
#undef SP_ADD_GROUP
}

// to[stride * lane] = (f, w)
SP_KERNEL void spStoreNodes(spVec4* to, int stride, RVec3 f, R w)
{
    R f0, f1, f2, f3;
    spTransposeLanes(f, w, &f0, &f1, &f2, &f3);
    int64_t step = 4 * (int64_t)stride;
#define SP_STORE_GROUP(group)                                                                                \
    spStoreQuad(to, (4 * (group)) * step, SP_EXTRACT_QUAD(f0, group));                                       \
    spStoreQuad(to, (4 * (group) + 1) * step, SP_EXTRACT_QUAD(f1, group));                                   \
    spStoreQuad(to, (4 * (group) + 2) * step, SP_EXTRACT_QUAD(f2, group));                                   \
    spStoreQuad(to, (4 * (group) + 3) * step, SP_EXTRACT_QUAD(f3, group))
    SP_STORE_GROUP(0);
#if SP_LANES >= 8
    SP_STORE_GROUP(1);
#endif
#if SP_LANES == 16
    SP_STORE_GROUP(2);
    SP_STORE_GROUP(3);
#endif
#undef SP_STORE_GROUP
}

#endif

// The sum of the three nodes of an element, which lie SP_BLOCK apart
SP_KERNEL spQuad spSumQuads(const spVec4* a, const int32_t* nodes)
{
    return spLoadQuad(a, nodes[0]) + spLoadQuad(a, nodes[SP_BLOCK]) + spLoadQuad(a, nodes[2 * SP_BLOCK]);
}

SP_KERNEL RVec3 spGatherSum(const spVec4* a, const int32_t* nodes)
{
#if SP_LANES == 1
    spQuad sum = spSumQuads(a, nodes);
    return spMakeVecR(sum[0], sum[1], sum[2]);
#else
    R n[4];
    for (int k = 0; k < 4; ++k)
    {
        spQuad quads[SP_GROUPS];
        for (int g = 0; g < SP_GROUPS; ++g)
        {
            quads[g] = spSumQuads(a, nodes + 4 * g + k);
        }
        memcpy(&n[k], quads, sizeof(R));
    }
    return spTransposeNodes(n[0], n[1], n[2], n[3]);
#endif
}

// ---- one lane ----

SP_KERNEL spMat3 spGetMatLane(const RMat3* a, int lane)
{
    return spMakeMat3(
        spMakeVec3(spGetLane(a->cx.x, lane), spGetLane(a->cx.y, lane), spGetLane(a->cx.z, lane)),
        spMakeVec3(spGetLane(a->cy.x, lane), spGetLane(a->cy.y, lane), spGetLane(a->cy.z, lane)),
        spMakeVec3(spGetLane(a->cz.x, lane), spGetLane(a->cz.y, lane), spGetLane(a->cz.z, lane)));
}

SP_KERNEL void spSetVecLane(RVec3* a, int lane, spVec3 value)
{
    spSetLane(&a->x, lane, value.x);
    spSetLane(&a->y, lane, value.y);
    spSetLane(&a->z, lane, value.z);
}
