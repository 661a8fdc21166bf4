// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The side of a plane is the sign of a determinant: in double where its rounding cannot change the sign, else in pairs
// of doubles (Shewchuk. Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates. 1997).

#include "contact/intersect.h"

#include "mesh/triangle_math.h"

#include <math.h>

// Of the sum of the sizes of all terms of a determinant: its rounding
#define SP_ROUNDING 1e-15
#define SP_PAIR_ROUNDING 1e-30
// Sine of the angle below which edges are parallel
#define SP_PARALLEL 1e-6

// ---- pairs of doubles ----

typedef struct spPair
{
    double high, low;
} spPair;

static spPair spAddExactly(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (spPair){sum, (a - (sum - part)) + (b - part)};
}

static spPair spAddPairs(spPair a, spPair b)
{
    spPair sum = spAddExactly(a.high, b.high);
    return spAddExactly(sum.high, sum.low + (a.low + b.low));
}

static spPair spMulPairs(spPair a, spPair b)
{
    double product = a.high * b.high;
    double rest = fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high);
    return spAddExactly(product, rest);
}

static spPair spMulSubPairs(spPair a, spPair b, spPair c, spPair d)
{
    spPair other = spMulPairs(c, d);
    return spAddPairs(spMulPairs(a, b), (spPair){-other.high, -other.low});
}

static void spSubExactly(spDVec3 a, spDVec3 b, spPair out[3])
{
    out[0] = spAddExactly(a.x, -b.x);
    out[1] = spAddExactly(a.y, -b.y);
    out[2] = spAddExactly(a.z, -b.z);
}

static double spGetPairDeterminant(spDVec3 a, spDVec3 b, spDVec3 c, spDVec3 d)
{
    spPair u[3], v[3], w[3], sum = {0.0, 0.0};
    spSubExactly(b, a, u);
    spSubExactly(c, a, v);
    spSubExactly(d, a, w);
    for (int k = 0; k < 3; ++k)
    {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        sum = spAddPairs(sum, spMulPairs(w[k], spMulSubPairs(u[i], v[j], u[j], v[i])));
    }
    return sum.high;
}

// ---- sides ----

int spGetSideOfPlane(spDVec3 a, spDVec3 b, spDVec3 c, spDVec3 d)
{
    spDVec3 u = spDSub(b, a), v = spDSub(c, a), w = spDSub(d, a);
    double det = spDDot(w, spDCross(u, v));
    double most = fabs(w.x) * (fabs(u.y * v.z) + fabs(u.z * v.y)) +
                  fabs(w.y) * (fabs(u.z * v.x) + fabs(u.x * v.z)) +
                  fabs(w.z) * (fabs(u.x * v.y) + fabs(u.y * v.x));
    double rounding = SP_ROUNDING * most;
    if (!(fabs(det) > rounding))
    {
        det = spGetPairDeterminant(a, b, c, d);
        rounding = SP_PAIR_ROUNDING * most;
    }
    return det > rounding ? 1 : det < -rounding ? -1 : 0;
}

bool spDoesEdgeCross(spDVec3 p, spDVec3 q, const spDVec3 t[3])
{
    if (spGetSideOfPlane(t[0], t[1], t[2], p) * spGetSideOfPlane(t[0], t[1], t[2], q) >= 0)
    {
        return false;
    }
    int first = spGetSideOfPlane(p, q, t[0], t[1]), second = spGetSideOfPlane(p, q, t[1], t[2]);
    int third = spGetSideOfPlane(p, q, t[2], t[0]);
    bool left = first >= 0 && second >= 0 && third >= 0, right = first <= 0 && second <= 0 && third <= 0;
    return left != right;
}

// Whether the plane of b has all corners of a on one side
static bool spIsAside(const spDVec3 a[3], const spDVec3 b[3])
{
    spDVec3 normal = spDCross(spDSub(b[1], b[0]), spDSub(b[2], b[0]));
    double d[3], size = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        spDVec3 arm = spDSub(a[k], b[0]);
        d[k] = spDDot(arm, normal);
        size = fmax(size, spDLength(arm));
    }
    double rounding = 4.0 * SP_ROUNDING * size * spDDistance(b[1], b[0]) * spDDistance(b[2], b[0]);
    return (d[0] > rounding && d[1] > rounding && d[2] > rounding) ||
           (d[0] < -rounding && d[1] < -rounding && d[2] < -rounding);
}

bool spDoTrianglesCross(const spDVec3 a[3], const spDVec3 b[3], const int shared[2])
{
    if (shared[0] >= 0)
    {
        int i = shared[0], j = shared[1];
        return spDoesEdgeCross(a[(i + 1) % 3], a[(i + 2) % 3], b) ||
               spDoesEdgeCross(b[(j + 1) % 3], b[(j + 2) % 3], a);
    }
    if (spIsAside(a, b) || spIsAside(b, a))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        if (spDoesEdgeCross(a[k], a[(k + 1) % 3], b) || spDoesEdgeCross(b[k], b[(k + 1) % 3], a))
        {
            return true;
        }
    }
    return false;
}

// ---- distances ----

double spGetSeparation(const spFacet* a, const spFacet* b, spDVec3 normal)
{
    double first = INFINITY, last = -INFINITY;
    for (int k = 0; k < a->count; ++k)
    {
        first = fmin(first, spDDot(a->p[k], normal));
    }
    for (int k = 0; k < b->count; ++k)
    {
        last = fmax(last, spDDot(b->p[k], normal));
    }
    return first - last;
}

// How far one of them must go along a direction, either way, until it is clear of the other
static void spTryDirection(const spFacet* a, const spFacet* b, spDVec3 direction, double least, double* depth)
{
    double length = spDLength(direction);
    if (length > least)
    {
        spDVec3 normal = spDScale(1.0 / length, direction);
        *depth = fmin(*depth, -spGetSeparation(a, b, normal));
        *depth = fmin(*depth, -spGetSeparation(a, b, spDScale(-1.0, normal)));
    }
}

double spGetCrossingDepth(const spDVec3 a[3], const spDVec3 b[3])
{
    const spFacet fa = {{a[0], a[1], a[2]}, 3}, fb = {{b[0], b[1], b[2]}, 3};
    double depth = INFINITY;
    spTryDirection(&fa, &fb, spDCross(spDSub(a[1], a[0]), spDSub(a[2], a[0])), 0.0, &depth);
    spTryDirection(&fa, &fb, spDCross(spDSub(b[1], b[0]), spDSub(b[2], b[0])), 0.0, &depth);
    for (int i = 0; i < 3; ++i)
    {
        spDVec3 u = spDSub(a[(i + 1) % 3], a[i]);
        for (int j = 0; j < 3; ++j)
        {
            // Edges that are parallel have no direction that the faces do not have
            spDVec3 v = spDSub(b[(j + 1) % 3], b[j]);
            spTryDirection(&fa, &fb, spDCross(u, v), SP_PARALLEL * spDLength(u) * spDLength(v), &depth);
        }
    }
    return isfinite(depth) ? fmax(depth, 0.0) : 0.0;
}

static double spClampPart(double t)
{
    return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
}

// The way from the segment b to the segment a where it is shortest (Ericson, section 5.1.9)
static spDVec3 spGetSegmentWay(const spDVec3 a[2], const spDVec3 b[2])
{
    spDVec3 u = spDSub(a[1], a[0]), v = spDSub(b[1], b[0]), r = spDSub(a[0], b[0]);
    double uu = spDDot(u, u), vv = spDDot(v, v), uv = spDDot(u, v), ur = spDDot(u, r), vr = spDDot(v, r);
    double det = uu * vv - uv * uv;
    double s = det > 0.0 ? spClampPart((uv * vr - ur * vv) / det) : 0.0;
    double t = vv > 0.0 ? spClampPart((uv * s + vr) / vv) : 0.0;
    s = uu > 0.0 ? spClampPart((uv * t - ur) / uu) : 0.0;
    return spDSub(spDMulAdd(r, s, u), spDScale(t, v));
}

// The way from a facet to a point
static spDVec3 spGetFacetWay(const spFacet* facet, spDVec3 point)
{
    const spDVec3* p = facet->p;
    if (facet->count == 3)
    {
        int feature;
        return spDSub(point, spFindTrianglePlace(point, p[0], p[1], p[2], &feature));
    }
    spDVec3 u = spDSub(p[1], p[0]);
    double uu = spDDot(u, u), t = uu > 0.0 ? spClampPart(spDDot(spDSub(point, p[0]), u) / uu) : 0.0;
    return spDSub(point, spDMulAdd(p[0], t, u));
}

typedef struct spBestWay
{
    spDVec3 way;
    double length2;
} spBestWay;

// What is not a number, as for a triangle without area, is not shorter
static void spTryWay(spBestWay* best, spDVec3 way, double sign)
{
    double length2 = spDDot(way, way);
    if (length2 < best->length2)
    {
        *best = (spBestWay){spDScale(sign, way), length2};
    }
}

double spFindFacetGap(const spFacet* a, const spFacet* b, spDVec3* normal)
{
    spBestWay best = {{0.0, 0.0, 0.0}, INFINITY};
    for (int k = 0; k < a->count; ++k)
    {
        spTryWay(&best, spGetFacetWay(b, a->p[k]), 1.0);
    }
    for (int k = 0; k < b->count; ++k)
    {
        spTryWay(&best, spGetFacetWay(a, b->p[k]), -1.0);
    }
    int edgesA = a->count == 3 ? 3 : 1, edgesB = b->count == 3 ? 3 : 1;
    for (int i = 0; i < edgesA; ++i)
    {
        const spDVec3 ea[2] = {a->p[i], a->p[(i + 1) % a->count]};
        for (int j = 0; j < edgesB; ++j)
        {
            const spDVec3 eb[2] = {b->p[j], b->p[(j + 1) % b->count]};
            spTryWay(&best, spGetSegmentWay(ea, eb), 1.0);
        }
    }
    double length = sqrt(best.length2);
    *normal = length > 0.0 ? spDScale(1.0 / length, best.way) : (spDVec3){0.0, 0.0, 0.0};
    return length;
}
