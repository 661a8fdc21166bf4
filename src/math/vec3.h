// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Vectors of three spReal, by value. Lengths are taken through double, so that they neither overflow nor
// vanish while the vector itself is in the range of float.

#pragma once

#include "souple/base.h"

#include <math.h>
#include <stdbool.h>

static inline spVec3 spMakeVec3(spReal x, spReal y, spReal z)
{
    spVec3 a = {x, y, z};
    return a;
}

static inline spVec3 spAdd3(spVec3 a, spVec3 b)
{
    return spMakeVec3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline spVec3 spSub3(spVec3 a, spVec3 b)
{
    return spMakeVec3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline spVec3 spNeg3(spVec3 a)
{
    return spMakeVec3(-a.x, -a.y, -a.z);
}

// s a
static inline spVec3 spScale3(spReal s, spVec3 a)
{
    return spMakeVec3(s * a.x, s * a.y, s * a.z);
}

// a + s b
static inline spVec3 spMulAdd3(spVec3 a, spReal s, spVec3 b)
{
    return spMakeVec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

// a - s b
static inline spVec3 spMulSub3(spVec3 a, spReal s, spVec3 b)
{
    return spMakeVec3(a.x - s * b.x, a.y - s * b.y, a.z - s * b.z);
}

// Component by component
static inline spVec3 spMul3(spVec3 a, spVec3 b)
{
    return spMakeVec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline spVec3 spMin3(spVec3 a, spVec3 b)
{
    return spMakeVec3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline spVec3 spMax3(spVec3 a, spVec3 b)
{
    return spMakeVec3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

static inline spVec3 spAbs3(spVec3 a)
{
    return spMakeVec3(a.x < 0 ? -a.x : a.x, a.y < 0 ? -a.y : a.y, a.z < 0 ? -a.z : a.z);
}

// (1 - t) a + t b: exact at both ends
static inline spVec3 spLerp3(spVec3 a, spVec3 b, spReal t)
{
    return spMulAdd3(spScale3(1 - t, a), t, b);
}

static inline spReal spDot3(spVec3 a, spVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline spVec3 spCross3(spVec3 a, spVec3 b)
{
    return spMakeVec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline spReal spLengthSquared3(spVec3 a)
{
    return spDot3(a, a);
}

static inline spReal spLength3(spVec3 a)
{
    double x = a.x, y = a.y, z = a.z;
    return (spReal)sqrt(x * x + y * y + z * z);
}

static inline spReal spDistance3(spVec3 a, spVec3 b)
{
    return spLength3(spSub3(a, b));
}

// The unit vector along a and, where wanted, the length of a. Zero, and what is too short or too long to
// have a direction, gives the zero vector and the length 0.
static inline spVec3 spNormalizeLength3(spVec3 a, spReal* length)
{
    double x = a.x, y = a.y, z = a.z;
    double l = sqrt(x * x + y * y + z * z);
    bool usable = l > 0.0 && isfinite(l);
    double inverse = usable ? 1.0 / l : 0.0;
    if (length != NULL)
    {
        *length = usable ? (spReal)l : 0;
    }
    return usable ? spMakeVec3((spReal)(inverse * x), (spReal)(inverse * y), (spReal)(inverse * z))
                  : spMakeVec3(0, 0, 0);
}

static inline spVec3 spNormalize3(spVec3 a)
{
    return spNormalizeLength3(a, NULL);
}

// A unit vector at a right angle to the unit vector a
static inline spVec3 spPerpendicular3(spVec3 a)
{
    // Crossing with the axis that a is furthest from cannot cancel: the result is at least sqrt(2/3) long
    spVec3 b = spAbs3(a);
    spVec3 axis = b.x <= b.y && b.x <= b.z ? spMakeVec3(1, 0, 0)
                                           : (b.y <= b.z ? spMakeVec3(0, 1, 0) : spMakeVec3(0, 0, 1));
    return spNormalize3(spCross3(a, axis));
}

static inline bool spIsFinite3(spVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
