// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The number type R of the kernels, in as many lanes as SP_LANES says: 1, 4, 8 or 16.
//
// A translation unit defines SP_LANES, includes this header, then kernel headers. A kernel is written once
// over R with the arithmetic operators and the names below. Each of them is correctly rounded and products
// and sums are never fused, so that every width, and the scalar build, gives the same bits. Widths come from
// the compiler's vector types: a width that the processor level of the translation unit does not have is
// split by the compiler.
//
// With one lane this header and the kernels are also C++, for compilers of other processors.

#pragma once

#include "base/node.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifndef SP_LANES
#error "define SP_LANES before including math/lanes.h"
#endif

#if defined(__CUDACC__)
#define SP_DEVICE __host__ __device__
#else
#define SP_DEVICE
#endif
#define SP_KERNEL SP_DEVICE static inline __attribute__((always_inline))

// A kernel that is rare or long, not worth a copy at each call
#define SP_LONG_KERNEL SP_DEVICE static __attribute__((noinline, unused))

// A name with the number of lanes at its end
#define SP_JOIN_NAME(a, b) a##b
#define SP_JOIN_LANES(stem, lanes) SP_JOIN_NAME(stem, lanes)
#define SP_LANES_NAME(stem) SP_JOIN_LANES(stem, SP_LANES)

// Before a loop of a few rounds over things that must stay in registers
#if defined(__CUDACC__)
#define SP_UNROLL _Pragma("unroll")
#define SP_UNROLL_ALL _Pragma("unroll")
#elif defined(__clang__)
#define SP_UNROLL _Pragma("clang loop unroll(full)")
#define SP_UNROLL_ALL _Pragma("clang loop unroll(full)")
#else
#define SP_UNROLL _Pragma("GCC unroll 4")
#define SP_UNROLL_ALL _Pragma("GCC unroll 8")
#endif

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

SP_KERNEL void spStore(spReal* to, R a)
{
    *to = a;
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

// What is loaded and stored is aligned to a block
SP_KERNEL R spLoad(const spReal* a)
{
    return *(const RMemory*)a;
}

SP_KERNEL void spStore(spReal* to, R a)
{
    *(RMemory*)to = a;
}

// The compiler turns this loop into the vector instruction
SP_KERNEL R spSqrt(R a)
{
    SP_ALIGNAS(sizeof(R)) spReal lanes[SP_LANES];
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

SP_KERNEL RMask spNot(RMask mask)
{
#if SP_LANES == 1
    return mask == 0;
#else
    return ~mask;
#endif
}

// Whether the mask of any lane is set
SP_KERNEL bool spAny(RMask mask)
{
#if SP_LANES == 1
    return mask != 0;
#else
    int64_t words[sizeof(RMask) / sizeof(int64_t)];
    memcpy(words, &mask, sizeof(RMask));
    int64_t any = 0;
    for (size_t i = 0; i < sizeof(RMask) / sizeof(int64_t); ++i)
    {
        any |= words[i];
    }
    return any != 0;
#endif
}

SP_KERNEL R spMin(R a, R b)
{
    return spSelect(a < b, a, b);
}

SP_KERNEL R spMax(R a, R b)
{
    return spSelect(a > b, a, b);
}

// One of the numbers of an element, which lie a block apart
SP_KERNEL R spGetNumber(const spReal* numbers, int index)
{
    return spLoad(numbers + index * SP_BLOCK);
}

// So small that dividing by it still stays in range
#define SP_TINY_REAL ((spReal)1e-30)

#define SP_UNLIKELY(condition) __builtin_expect(condition, 0)

typedef struct RVec3
{
    R x, y, z;
} RVec3;

SP_KERNEL RVec3 spMakeVecR(R x, R y, R z)
{
    RVec3 a = {x, y, z};
    return a;
}

SP_KERNEL R spDotR(RVec3 a, RVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SP_KERNEL RVec3 spScaleR(R s, RVec3 a)
{
    return spMakeVecR(s * a.x, s * a.y, s * a.z);
}

SP_KERNEL RVec3 spAddR(RVec3 a, RVec3 b)
{
    return spMakeVecR(a.x + b.x, a.y + b.y, a.z + b.z);
}
