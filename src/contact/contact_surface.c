// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Nearest places follow C. Ericson, Real-Time Collision Detection, 2005, sections 5.1.5 and 5.1.9.

#include "contact/contact_surface.h"

#include "body/edit.h"
#include "math/vec3.h"
#include "mesh/mesh_math.h"
#include "mesh/morton.h"
#include "mesh/surface.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SP_LEAF_SIZE 4

// Of the mean edge: how far surfaces that are open keep from what they touch, where no radius is given
#define SP_SHEET_THICKNESS ((spReal)0.1)

// ---- making ----

void spDestroyContactSurface(spHeap* heap, spContactSurface* surface)
{
    if (surface == NULL)
    {
        return;
    }
    spFree(heap, surface->triangles);
    spFree(heap, surface->across);
    spFree(heap, surface->vertices);
    spFree(heap, surface->first);
    spFree(heap, surface->corners);
    spFree(heap, surface->place);
    spFree(heap, surface->sorted);
    spFree(heap, surface->normals);
    spFree(heap, surface->boxes);
    spFree(heap, surface);
}

static bool spAllocSurface(spHeap* heap, spContactSurface* s, int nodeCount)
{
    int64_t n = s->triangleCount;
    s->leafCount = 1;
    while ((int64_t)s->leafCount * SP_LEAF_SIZE < n)
    {
        s->leafCount *= 2;
    }
    s->triangles = spAlloc(heap, spArraySize(3 * n, sizeof(int32_t)));
    s->across = spAlloc(heap, spArraySize(3 * n, sizeof(int32_t)));
    s->vertices = spAlloc(heap, spArraySize(nodeCount, sizeof(int32_t)));
    s->first = spAllocZeroed(heap, spArraySize((int64_t)nodeCount + 1, sizeof(int32_t)));
    s->corners = spAlloc(heap, spArraySize(3 * n, sizeof(int32_t)));
    s->place = spAlloc(heap, spArraySize(nodeCount, sizeof(int32_t)));
    s->sorted = spAlloc(heap, spArraySize(n, sizeof(int32_t)));
    s->normals = spAlloc(heap, spArraySize(n, sizeof(spVec3)));
    s->boxes = spAlloc(heap, spArraySize(2 * (int64_t)s->leafCount - 1, sizeof(spExtent)));
    return s->triangles != NULL && s->across != NULL && s->vertices != NULL && s->first != NULL &&
           s->corners != NULL && s->place != NULL && s->sorted != NULL && s->normals != NULL &&
           s->boxes != NULL;
}

static void spListVertices(spContactSurface* s, int nodeCount)
{
    for (int i = 0; i < nodeCount; ++i)
    {
        s->place[i] = -1;
    }
    for (int h = 0; h < 3 * s->triangleCount; ++h)
    {
        s->place[s->triangles[h]] = 0;
    }
    for (int i = 0; i < nodeCount; ++i)
    {
        if (s->place[i] == 0)
        {
            s->place[i] = s->vertexCount;
            s->vertices[s->vertexCount++] = i;
        }
    }
    for (int h = 0; h < 3 * s->triangleCount; ++h)
    {
        s->first[s->place[s->triangles[h]] + 1] += 1;
    }
    for (int i = 0; i < s->vertexCount; ++i)
    {
        s->first[i + 1] += s->first[i];
    }
    // From the last to the first, so that the corners of a vertex rise
    for (int h = 3 * s->triangleCount - 1; h >= 0; --h)
    {
        s->corners[--s->first[s->place[s->triangles[h]] + 1]] = h;
    }
    memmove(s->first, s->first + 1, (size_t)s->vertexCount * sizeof(int32_t));
    s->first[s->vertexCount] = 3 * s->triangleCount;
}

static bool spLinkTriangles(spHeap* heap, spContactSurface* s, int nodeCount)
{
    spSurface edges;
    if (spBuildSurface(heap, s->triangles, s->triangleCount, nodeCount, &edges) == false)
    {
        return false;
    }
    spLinkHalves(&edges, s->across);
    spFreeSurface(heap, &edges);
    return true;
}

static spVec3 spGetCorner(const spContactSurface* s, const spVec4* x, int half)
{
    return spXyz(x[s->triangles[half]]);
}

static bool spSortTriangles(spHeap* heap, spContactSurface* s, const spBody* body)
{
    spDVec3* middles = spAlloc(heap, spArraySize(s->triangleCount, sizeof(spDVec3)));
    bool ok = middles != NULL;
    double sum = 0.0;
    for (int t = 0; ok && t < s->triangleCount; ++t)
    {
        spDVec3 p[3];
        for (int k = 0; k < 3; ++k)
        {
            p[k] = body->rest[body->order.order[s->triangles[3 * (size_t)t + k]]];
        }
        middles[t] = (spDVec3){(p[0].x + p[1].x + p[2].x) / 3, (p[0].y + p[1].y + p[2].y) / 3,
                               (p[0].z + p[1].z + p[2].z) / 3};
        for (int k = 0; k < 3; ++k)
        {
            spDVec3 a = p[k], b = p[(k + 1) % 3];
            sum += sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
        }
        s->sorted[t] = t;
    }
    spDVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    for (int t = 0; ok && t < s->triangleCount; ++t)
    {
        lower = spDMin(lower, middles[t]);
        upper = spDMax(upper, middles[t]);
    }
    ok = ok && spSortAlongCurve(heap, middles, s->triangleCount, lower, upper, s->sorted, s->triangleCount);
    s->meanEdge = ok ? (spReal)(sum / (3.0 * s->triangleCount)) : 0;
    spFree(heap, middles);
    return ok;
}

spContactSurface* spCreateContactSurface(spBody* body, bool* none)
{
    spHeap* heap = body->heap;
    spRefreshTopology(body);
    *none = body->triangleCount == 0;
    spContactSurface* s = *none ? NULL : spAllocZeroed(heap, sizeof(spContactSurface));
    if (s == NULL)
    {
        return NULL;
    }
    s->version = body->topologyVersion;
    s->closed = body->closed;
    s->solid = body->tetCount > 0;
    s->triangleCount = body->triangleCount;
    bool ok = spAllocSurface(heap, s, body->nodeCount);
    for (int h = 0; ok && h < 3 * s->triangleCount; ++h)
    {
        s->triangles[h] = body->order.rank[body->triangles[h]];
    }
    ok = ok && spLinkTriangles(heap, s, body->nodeCount) && spSortTriangles(heap, s, body);
    if (ok == false)
    {
        spDestroyContactSurface(heap, s);
        return NULL;
    }
    spListVertices(s, body->nodeCount);
    s->thickness = body->contactRadius;
    if (s->closed == false && s->thickness == 0)
    {
        s->thickness = SP_SHEET_THICKNESS * s->meanEdge;
    }
    return s;
}

// ---- every step ----

spVec3 spGetNormal(const spContactSurface* s, const spVec4* x, int triangle)
{
    spVec3 a = spGetCorner(s, x, 3 * triangle);
    spVec3 ab = spSub3(spGetCorner(s, x, 3 * triangle + 1), a);
    spVec3 ac = spSub3(spGetCorner(s, x, 3 * triangle + 2), a);
    return spNormalize3(spCross3(ab, ac));
}

spNearest spMeasureTriangle(const spContactSurface* s, const spVec4* x, spVec3 p, int triangle)
{
    spVec3 a = spGetCorner(s, x, 3 * triangle), b = spGetCorner(s, x, 3 * triangle + 1);
    spVec3 c = spGetCorner(s, x, 3 * triangle + 2);
    spNearest at = {.triangle = triangle};
    spFindTriangleWeights(p, a, b, c, at.weights);
    spVec3 q = spMulAdd3(spMulAdd3(spScale3(at.weights[0], a), at.weights[1], b), at.weights[2], c);
    at.distance2 = spLengthSquared3(spSub3(p, q));
    return at;
}

static int spGetLeafBegin(const spContactSurface* s, int leaf)
{
    return (int)((int64_t)s->triangleCount * leaf / s->leafCount);
}

static spExtent spEmptyExtent(void)
{
    return (spExtent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static spExtent spJoinExtents(const spExtent* a, const spExtent* b)
{
    return (spExtent){spMin3(a->lower, b->lower), spMax3(a->upper, b->upper)};
}

void spRefitContactSurface(spContactSurface* s, const spBody* body, spReal dt)
{
    const spVec4* x = body->backend->view(body->x, 0, body->nodeCount);
    const spVec4* v = body->backend->view(body->v, 0, body->nodeCount);
    for (int leaf = 0; leaf < s->leafCount; ++leaf)
    {
        spExtent box = spEmptyExtent();
        for (int i = spGetLeafBegin(s, leaf); i < spGetLeafBegin(s, leaf + 1); ++i)
        {
            int t = s->sorted[i];
            for (int k = 0; k < 3; ++k)
            {
                int node = s->triangles[3 * (size_t)t + k];
                spVec3 now = spXyz(x[node]), then = spMulAdd3(now, dt, spXyz(v[node]));
                box.lower = spMin3(box.lower, spMin3(now, then));
                box.upper = spMax3(box.upper, spMax3(now, then));
            }
            s->normals[t] = spGetNormal(s, x, t);
        }
        s->boxes[s->leafCount - 1 + leaf] = box;
    }
    for (int i = s->leafCount - 2; i >= 0; --i)
    {
        s->boxes[i] = spJoinExtents(s->boxes + 2 * i + 1, s->boxes + 2 * i + 2);
    }
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spVec4 velocity = v[s->vertices[i]];
        sum[0] += (double)velocity.x;
        sum[1] += (double)velocity.y;
        sum[2] += (double)velocity.z;
    }
    s->velocity = (spVec3){(spReal)(sum[0] / s->vertexCount), (spReal)(sum[1] / s->vertexCount),
                           (spReal)(sum[2] / s->vertexCount)};
    s->spread = 0;
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spReal speed = spDistance3(spXyz(v[s->vertices[i]]), s->velocity);
        s->spread = speed > s->spread ? speed : s->spread;
    }
}

// ---- searching ----

static spReal spGetBoxDistance2(const spExtent* box, spVec3 p)
{
    spVec3 below = spMax3(spSub3(box->lower, p), (spVec3){0, 0, 0});
    return spLengthSquared3(spMax3(below, spSub3(p, box->upper)));
}

spNearest spFindNearestTriangle(const spContactSurface* s, const spVec4* x, spVec3 p, spReal limit,
                                spPassesFcn* passes, const void* context)
{
    int stack[64], count = 0;
    spReal limit2 = limit * limit;
    spNearest best = {.triangle = -1, .distance2 = limit2 < (spReal)FLT_MAX ? limit2 : (spReal)FLT_MAX};
    stack[count++] = 0;
    while (count > 0)
    {
        int node = stack[--count];
        if (!(spGetBoxDistance2(s->boxes + node, p) <= best.distance2))
        {
            continue;
        }
        if (node < s->leafCount - 1)
        {
            // The nearer one first
            int near = 2 * node + 1, far = near + 1;
            bool swap = spGetBoxDistance2(s->boxes + far, p) < spGetBoxDistance2(s->boxes + near, p);
            stack[count++] = swap ? near : far;
            stack[count++] = swap ? far : near;
            continue;
        }
        int leaf = node - (s->leafCount - 1);
        for (int i = spGetLeafBegin(s, leaf); i < spGetLeafBegin(s, leaf + 1); ++i)
        {
            int t = s->sorted[i];
            if (passes != NULL && passes(s, t, context))
            {
                continue;
            }
            spNearest at = spMeasureTriangle(s, x, p, t);
            if (at.distance2 < best.distance2 ||
                (at.distance2 == best.distance2 && (best.triangle < 0 || t < best.triangle)))
            {
                best = at;
            }
        }
    }
    return best;
}

void spVisitTriangles(const spContactSurface* s, const spExtent* box, spReal margin, spVisitFcn* visit,
                      void* context)
{
    int stack[64], count = 0;
    stack[count++] = 0;
    while (count > 0)
    {
        int node = stack[--count];
        if (spBoxesMeet(s->boxes + node, box, margin) == false)
        {
            continue;
        }
        if (node < s->leafCount - 1)
        {
            stack[count++] = 2 * node + 2;
            stack[count++] = 2 * node + 1;
            continue;
        }
        int leaf = node - (s->leafCount - 1);
        for (int i = spGetLeafBegin(s, leaf); i < spGetLeafBegin(s, leaf + 1); ++i)
        {
            visit(s->sorted[i], context);
        }
    }
}

void spFindTriangleWeights(spVec3 p, spVec3 a, spVec3 b, spVec3 c, spReal w[3])
{
    spVec3 ab = spSub3(b, a), ac = spSub3(c, a), ap = spSub3(p, a);
    spReal d1 = spDot3(ab, ap), d2 = spDot3(ac, ap);
    w[0] = 1, w[1] = 0, w[2] = 0;
    if (d1 <= 0 && d2 <= 0)
    {
        return;
    }
    spVec3 bp = spSub3(p, b);
    spReal d3 = spDot3(ab, bp), d4 = spDot3(ac, bp);
    if (d3 >= 0 && d4 <= d3)
    {
        w[0] = 0, w[1] = 1;
        return;
    }
    spReal vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
    {
        w[1] = d1 / (d1 - d3);
        w[0] = 1 - w[1];
        return;
    }
    spVec3 cp = spSub3(p, c);
    spReal d5 = spDot3(ab, cp), d6 = spDot3(ac, cp);
    if (d6 >= 0 && d5 <= d6)
    {
        w[0] = 0, w[2] = 1;
        return;
    }
    spReal vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
    {
        w[2] = d2 / (d2 - d6);
        w[0] = 1 - w[2];
        return;
    }
    spReal va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    {
        w[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        w[0] = 0, w[1] = 1 - w[2];
        return;
    }
    spReal scale = 1 / (va + vb + vc);
    w[1] = vb * scale;
    w[2] = vc * scale;
    w[0] = 1 - w[1] - w[2];
}

static spReal spClampShare(spReal t)
{
    return t > 0 ? (t < 1 ? t : 1) : 0;
}

void spFindSegmentWeights(spVec3 a0, spVec3 a1, spVec3 b0, spVec3 b1, spReal* s, spReal* t)
{
    spVec3 d1 = spSub3(a1, a0), d2 = spSub3(b1, b0), r = spSub3(a0, b0);
    spReal a = spLengthSquared3(d1), e = spLengthSquared3(d2), f = spDot3(d2, r), c = spDot3(d1, r);
    spReal b = spDot3(d1, d2), denominator = a * e - b * b;
    *s = denominator > 0 ? spClampShare((b * f - c * e) / denominator) : 0;
    *t = e > 0 ? (b * *s + f) / e : 0;
    if (!(*t >= 0))
    {
        *t = 0;
        *s = a > 0 ? spClampShare(-c / a) : 0;
    }
    else if (*t > 1)
    {
        *t = 1;
        *s = a > 0 ? spClampShare((b - c) / a) : 0;
    }
}
