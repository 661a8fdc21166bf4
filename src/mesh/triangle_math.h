// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Places of triangles: where they are measured, and the one that is nearest to a point, after C. Ericson,
// Real-Time Collision Detection, 2005, section 5.1.5.

#pragma once

#include "mesh/mesh_math.h"

// What part of a triangle (a, b, c) a place lies on: corner 0 to 2; edge 3 from a to b, 4 from b to c, 5
// from c to a; or its face
typedef enum spFeature
{
    sp_featureCorner = 0,
    sp_featureEdge = 3,
    sp_featureFace = 6,
    sp_featureCount
} spFeature;

static inline spDVec3 spGetTriangleMiddle(spDVec3 a, spDVec3 b, spDVec3 c)
{
    return spDScale(1.0 / 3.0, spDAdd(spDAdd(a, b), c));
}

// Where a surface is measured: at its vertices, and after these at the middles of its triangles
static inline spDVec3 spGetSample(const spDVec3* vertices, int vertexCount, const int32_t* triangles,
                                  int sample)
{
    if (sample < vertexCount)
    {
        return vertices[sample];
    }
    const int32_t* t = triangles + 3 * (int64_t)(sample - vertexCount);
    return spGetTriangleMiddle(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
}

// The six regions outside are tested from corner to corner and edge to edge; what is left lies above the face
static inline spDVec3 spFindTrianglePlace(spDVec3 p, spDVec3 a, spDVec3 b, spDVec3 c, int* feature)
{
    spDVec3 ab = spDSub(b, a), ac = spDSub(c, a), ap = spDSub(p, a);
    double d1 = spDDot(ab, ap), d2 = spDDot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0)
    {
        *feature = sp_featureCorner;
        return a;
    }
    spDVec3 bp = spDSub(p, b);
    double d3 = spDDot(ab, bp), d4 = spDDot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3)
    {
        *feature = sp_featureCorner + 1;
        return b;
    }
    spDVec3 cp = spDSub(p, c);
    double d5 = spDDot(ab, cp), d6 = spDDot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6)
    {
        *feature = sp_featureCorner + 2;
        return c;
    }
    double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
    {
        *feature = sp_featureEdge;
        return spDMulAdd(a, d1 / (d1 - d3), ab);
    }
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
    {
        *feature = sp_featureEdge + 2;
        return spDMulAdd(a, d2 / (d2 - d6), ac);
    }
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
    {
        *feature = sp_featureEdge + 1;
        return spDMulAdd(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), spDSub(c, b));
    }
    double scale = 1.0 / (va + vb + vc);
    *feature = sp_featureFace;
    return spDMulAdd(spDMulAdd(a, vb * scale, ab), vc * scale, ac);
}
