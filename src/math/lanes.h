// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The number type R of the kernels, in as many lanes as SP_LANES says: 1, 4, 8 or 16.
//
// A translation unit defines SP_LANES, includes this header, then kernel headers. A kernel is written once
// over R with
// + - * / and the names below. Each of them is correctly rounded and spMulAdd rounds twice, so that every
// width, and the scalar build, gives the same bits. Widths come from the compiler's vector types: a width
// that the processor level of the translation unit does not have is split by the compiler.
//
// Nodes are four numbers (spVec4). spGather3 and spScatter3 go between nodes in memory and lanes by
// whole-node loads and a transpose, which beats gather and scatter instructions on current processors.

#pragma once

#include "base/node.h"

#include <math.h>
#include <string.h>

#ifndef SP_LANES
#error "define SP_LANES before including math/lanes.h"
#endif

#define SP_KERNEL static inline

#ifdef SOUPLE_DOUBLE_PRECISION
typedef int64_t spMaskInt;
#define spScalarSqrt sqrt
#else
typedef int32_t spMaskInt;
#define spScalarSqrt sqrtf
#endif

#if SP_LANES == 1

typedef spReal R;
typedef spMaskInt RMask;

SP_KERNEL R spSplat(spReal a)
{
    return a;
}

SP_KERNEL R spLoad(const spReal* a)
{
    return *a;
}

SP_KERNEL void spStore(spReal* a, R value)
{
    *a = value;
}

SP_KERNEL R spSqrt(R a)
{
    return spScalarSqrt(a);
}

SP_KERNEL R spSelect(RMask mask, R a, R b)
{
    return mask ? a : b;
}

#else

typedef spReal R __attribute__((vector_size(SP_LANES * sizeof(spReal))));
typedef spMaskInt RMask __attribute__((vector_size(SP_LANES * sizeof(spReal))));
typedef R RMemory __attribute__((may_alias)); // lanes that lie in an array of spReal

SP_KERNEL R spSplat(spReal a)
{
    return a - (R){0};
}

// a is aligned to a block
SP_KERNEL R spLoad(const spReal* a)
{
    return *(const RMemory*)a;
}

SP_KERNEL void spStore(spReal* a, R value)
{
    *(RMemory*)a = value;
}

// The compiler turns this loop into the vector instruction
SP_KERNEL R spSqrt(R a)
{
    _Alignas(sizeof(R)) spReal lanes[SP_LANES];
    memcpy(lanes, &a, sizeof(R));
    for (int i = 0; i < SP_LANES; ++i)
    {
        lanes[i] = spScalarSqrt(lanes[i]);
    }
    memcpy(&a, lanes, sizeof(R));
    return a;
}

SP_KERNEL R spSelect(RMask mask, R a, R b)
{
    return (R)((mask & (RMask)a) | (~mask & (RMask)b));
}

#endif

SP_KERNEL R spMulAdd(R a, R b, R c)
{
    return a * b + c;
}

SP_KERNEL R spMax(R a, R b)
{
    return spSelect(a > b, a, b);
}

SP_KERNEL R spMin(R a, R b)
{
    return spSelect(a < b, a, b);
}

typedef struct RVec3
{
    R x, y, z;
} RVec3;

SP_KERNEL R spDotR(RVec3 a, RVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SP_KERNEL RVec3 spScaleR(R s, RVec3 a)
{
    return (RVec3){s * a.x, s * a.y, s * a.z};
}

SP_KERNEL RVec3 spAddR(RVec3 a, RVec3 b)
{
    return (RVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

// One node as a vector of four
typedef spReal spQuad __attribute__((vector_size(4 * sizeof(spReal))));
typedef spQuad spQuadMemory __attribute__((may_alias)); // one that lies in an spVec4

SP_KERNEL spQuad spLoadQuad(const spVec4* a)
{
    return *(const spQuadMemory*)a;
}

SP_KERNEL void spStoreQuad(spVec4* a, spQuad value)
{
    *(spQuadMemory*)a = value;
}

#if SP_LANES == 1

// nodes[to] - nodes[from]
SP_KERNEL RVec3 spGatherDifference(const spVec4* nodes, const int32_t* from, const int32_t* to)
{
    const spVec4* a = nodes + *from;
    const spVec4* b = nodes + *to;
    return (RVec3){b->x - a->x, b->y - a->y, b->z - a->z};
}

// nodes[plus] += f, nodes[minus] -= f. No two lanes share a node.
SP_KERNEL void spScatterPair(spVec4* nodes, const int32_t* plus, const int32_t* minus, RVec3 f)
{
    spQuad force = {f.x, f.y, f.z, 0};
    spStoreQuad(nodes + *plus, spLoadQuad(nodes + *plus) + force);
    spStoreQuad(nodes + *minus, spLoadQuad(nodes + *minus) - force);
}

#else

// Groups of four lanes: group g of a joined vector holds one node. Lane order is natural when vector k of a
// transpose joins the nodes k, k + 4, k + 8, k + 12.
#if SP_LANES == 4
#define SP_SHUFFLE(a, b, i0, i1, i2, i3) __builtin_shufflevector(a, b, i0, i1, i2, i3)
#define SP_OTHER 4
#elif SP_LANES == 8
#define SP_SHUFFLE(a, b, i0, i1, i2, i3)                                                                     \
    __builtin_shufflevector(a, b, i0, i1, i2, i3, i0 + 4, i1 + 4, i2 + 4, i3 + 4)
#define SP_OTHER 8
#else
#define SP_SHUFFLE(a, b, i0, i1, i2, i3)                                                                     \
    __builtin_shufflevector(a, b, i0, i1, i2, i3, i0 + 4, i1 + 4, i2 + 4, i3 + 4, i0 + 8, i1 + 8, i2 + 8,    \
                            i3 + 8, i0 + 12, i1 + 12, i2 + 12, i3 + 12)
#define SP_OTHER 16
#endif

SP_KERNEL R spJoinNodes(const spVec4* nodes, const int32_t* index)
{
#if SP_LANES == 4
    return spLoadQuad(nodes + index[0]);
#elif SP_LANES == 8
    return __builtin_shufflevector(spLoadQuad(nodes + index[0]), spLoadQuad(nodes + index[4]), 0, 1, 2, 3, 4,
                                   5, 6, 7);
#else
    typedef spReal spOctet __attribute__((vector_size(8 * sizeof(spReal))));
    spOctet lower = __builtin_shufflevector(spLoadQuad(nodes + index[0]), spLoadQuad(nodes + index[4]), 0, 1,
                                            2, 3, 4, 5, 6, 7);
    spOctet upper = __builtin_shufflevector(spLoadQuad(nodes + index[8]), spLoadQuad(nodes + index[12]), 0, 1,
                                            2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

// nodes[to] - nodes[from]
SP_KERNEL RVec3 spGatherDifference(const spVec4* nodes, const int32_t* from, const int32_t* to)
{
    R d0 = spJoinNodes(nodes, to + 0) - spJoinNodes(nodes, from + 0);
    R d1 = spJoinNodes(nodes, to + 1) - spJoinNodes(nodes, from + 1);
    R d2 = spJoinNodes(nodes, to + 2) - spJoinNodes(nodes, from + 2);
    R d3 = spJoinNodes(nodes, to + 3) - spJoinNodes(nodes, from + 3);
    R xy01 = SP_SHUFFLE(d0, d1, 0, SP_OTHER, 1, SP_OTHER + 1);
    R xy23 = SP_SHUFFLE(d2, d3, 0, SP_OTHER, 1, SP_OTHER + 1);
    R zw01 = SP_SHUFFLE(d0, d1, 2, SP_OTHER + 2, 3, SP_OTHER + 3);
    R zw23 = SP_SHUFFLE(d2, d3, 2, SP_OTHER + 2, 3, SP_OTHER + 3);
    RVec3 d;
    d.x = SP_SHUFFLE(xy01, xy23, 0, 1, SP_OTHER, SP_OTHER + 1);
    d.y = SP_SHUFFLE(xy01, xy23, 2, 3, SP_OTHER + 2, SP_OTHER + 3);
    d.z = SP_SHUFFLE(zw01, zw23, 0, 1, SP_OTHER, SP_OTHER + 1);
    return d;
}

SP_KERNEL void spAddQuadPair(spVec4* nodes, int32_t plus, int32_t minus, spQuad force)
{
    spStoreQuad(nodes + plus, spLoadQuad(nodes + plus) + force);
    spStoreQuad(nodes + minus, spLoadQuad(nodes + minus) - force);
}

#define SP_EXTRACT_QUAD(a, group)                                                                            \
    __builtin_shufflevector(a, a, 4 * (group), 4 * (group) + 1, 4 * (group) + 2, 4 * (group) + 3)

// nodes[plus] += f, nodes[minus] -= f. No two lanes share a node.
SP_KERNEL void spScatterPair(spVec4* nodes, const int32_t* plus, const int32_t* minus, RVec3 f)
{
    R zero = {0};
    R xy02 = SP_SHUFFLE(f.x, f.y, 0, SP_OTHER, 1, SP_OTHER + 1);
    R xy24 = SP_SHUFFLE(f.x, f.y, 2, SP_OTHER + 2, 3, SP_OTHER + 3);
    R zw02 = SP_SHUFFLE(f.z, zero, 0, SP_OTHER, 1, SP_OTHER + 1);
    R zw24 = SP_SHUFFLE(f.z, zero, 2, SP_OTHER + 2, 3, SP_OTHER + 3);
    R f0 = SP_SHUFFLE(xy02, zw02, 0, 1, SP_OTHER, SP_OTHER + 1);
    R f1 = SP_SHUFFLE(xy02, zw02, 2, 3, SP_OTHER + 2, SP_OTHER + 3);
    R f2 = SP_SHUFFLE(xy24, zw24, 0, 1, SP_OTHER, SP_OTHER + 1);
    R f3 = SP_SHUFFLE(xy24, zw24, 2, 3, SP_OTHER + 2, SP_OTHER + 3);
    spAddQuadPair(nodes, plus[0], minus[0], SP_EXTRACT_QUAD(f0, 0));
    spAddQuadPair(nodes, plus[1], minus[1], SP_EXTRACT_QUAD(f1, 0));
    spAddQuadPair(nodes, plus[2], minus[2], SP_EXTRACT_QUAD(f2, 0));
    spAddQuadPair(nodes, plus[3], minus[3], SP_EXTRACT_QUAD(f3, 0));
#if SP_LANES >= 8
    spAddQuadPair(nodes, plus[4], minus[4], SP_EXTRACT_QUAD(f0, 1));
    spAddQuadPair(nodes, plus[5], minus[5], SP_EXTRACT_QUAD(f1, 1));
    spAddQuadPair(nodes, plus[6], minus[6], SP_EXTRACT_QUAD(f2, 1));
    spAddQuadPair(nodes, plus[7], minus[7], SP_EXTRACT_QUAD(f3, 1));
#endif
#if SP_LANES == 16
    spAddQuadPair(nodes, plus[8], minus[8], SP_EXTRACT_QUAD(f0, 2));
    spAddQuadPair(nodes, plus[9], minus[9], SP_EXTRACT_QUAD(f1, 2));
    spAddQuadPair(nodes, plus[10], minus[10], SP_EXTRACT_QUAD(f2, 2));
    spAddQuadPair(nodes, plus[11], minus[11], SP_EXTRACT_QUAD(f3, 2));
    spAddQuadPair(nodes, plus[12], minus[12], SP_EXTRACT_QUAD(f0, 3));
    spAddQuadPair(nodes, plus[13], minus[13], SP_EXTRACT_QUAD(f1, 3));
    spAddQuadPair(nodes, plus[14], minus[14], SP_EXTRACT_QUAD(f2, 3));
    spAddQuadPair(nodes, plus[15], minus[15], SP_EXTRACT_QUAD(f3, 3));
#endif
}

#endif
