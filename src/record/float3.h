// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Vectors of three float for drawing, whatever spReal is.

#pragma once

#include "souple/base.h"

#include <math.h>

typedef struct spFloat3
{
    float x, y, z;
} spFloat3;

static inline spFloat3 spMakeF3(float x, float y, float z)
{
    spFloat3 a = {x, y, z};
    return a;
}

static inline spFloat3 spLoadF3(const float* p)
{
    return spMakeF3(p[0], p[1], p[2]);
}

static inline spFloat3 spAddF3(spFloat3 a, spFloat3 b)
{
    return spMakeF3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline spFloat3 spSubF3(spFloat3 a, spFloat3 b)
{
    return spMakeF3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline spFloat3 spScaleF3(float s, spFloat3 a)
{
    return spMakeF3(s * a.x, s * a.y, s * a.z);
}

// a + s b
static inline spFloat3 spMulAddF3(spFloat3 a, float s, spFloat3 b)
{
    return spMakeF3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

// Component by component
static inline spFloat3 spMulF3(spFloat3 a, spFloat3 b)
{
    return spMakeF3(a.x * b.x, a.y * b.y, a.z * b.z);
}

// (1 - t) a + t b
static inline spFloat3 spMixF3(spFloat3 a, spFloat3 b, float t)
{
    return spMulAddF3(spScaleF3(1.0f - t, a), t, b);
}

static inline float spDotF3(spFloat3 a, spFloat3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline spFloat3 spCrossF3(spFloat3 a, spFloat3 b)
{
    return spMakeF3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline float spLengthF3(spFloat3 a)
{
    return sqrtf(spDotF3(a, a));
}

// Zero stays zero
static inline spFloat3 spNormalizeF3(spFloat3 a)
{
    float length = spLengthF3(a);
    return spScaleF3(length > 0.0f ? 1.0f / length : 0.0f, a);
}

static inline bool spIsFiniteF3(spFloat3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline float spClampF(float a, float lower, float upper)
{
    return a < lower ? lower : (a > upper ? upper : a);
}

// The largest whole number not above a, for |a| < 2^31: a few instructions where floorf is a call
static inline float spFloorF(float a)
{
    float whole = (float)(int)a;
    return whole > a ? whole - 1.0f : whole;
}

// 0 below a, 1 above b, smooth between
static inline float spSmoothStep(float a, float b, float x)
{
    float t = spClampF((x - a) / (b - a), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}
