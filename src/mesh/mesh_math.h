// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Vector arithmetic in double for mesh geometry.

#pragma once

#include "base/node.h"
#include "souple/base.h"

#include <math.h>

// Of a node
static inline spDVec3 spGetDouble(spVec4 a)
{
    return (spDVec3){(double)a.x, (double)a.y, (double)a.z};
}

static inline spDVec3 spDAdd(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline spDVec3 spDSub(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline spDVec3 spDScale(double s, spDVec3 a)
{
    return (spDVec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline spDVec3 spDMulAdd(spDVec3 a, double s, spDVec3 b)
{
    return (spDVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double spDDot(spDVec3 a, spDVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline spDVec3 spDCross(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double spDLength(spDVec3 a)
{
    return sqrt(spDDot(a, a));
}

static inline double spDDistance(spDVec3 a, spDVec3 b)
{
    return spDLength(spDSub(a, b));
}

static inline double spDDet(spDVec3 a, spDVec3 b, spDVec3 c)
{
    return spDDot(a, spDCross(b, c));
}

static inline spDVec3 spDMin(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}

static inline spDVec3 spDMax(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}

static inline bool spDIsFinite(spDVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// Signed volume of a tet, m^3
static inline double spTetVolume(const spDVec3* vertices, const int32_t* tet)
{
    spDVec3 a = vertices[tet[0]];
    return spDDet(spDSub(vertices[tet[1]], a), spDSub(vertices[tet[2]], a), spDSub(vertices[tet[3]], a)) /
           6.0;
}

// Normal of a triangle, as long as twice its area
static inline spDVec3 spTriangleNormal(const spDVec3* vertices, const int32_t* triangle)
{
    spDVec3 a = vertices[triangle[0]];
    return spDCross(spDSub(vertices[triangle[1]], a), spDSub(vertices[triangle[2]], a));
}
