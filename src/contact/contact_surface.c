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

// Cosine between the faces of an edge that is flat: it touches by its vertices
#define SP_FLAT ((spReal)0.94)

// Of the mean edge: how far vertices may move out of shape until the reference is made anew
#define SP_MOST_DRIFT ((spReal)0.125)

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
    spFree(heap, surface->leafBegin);
    spFree(heap, surface->leafFirst);
    spFree(heap, surface->leafVertices);
    spFree(heap, surface->normals);
    spFree(heap, surface->boxes);
    spFree(heap, surface->swept);
    spFree(heap, surface->spheres);
    spFree(heap, surface->speeds);
    spFree(heap, surface->sharp);
    spFree(heap, surface->reference);
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
    s->leafBegin = spAlloc(heap, spArraySize((int64_t)s->leafCount + 1, sizeof(int32_t)));
    s->leafFirst = spAllocZeroed(heap, spArraySize((int64_t)s->leafCount + 1, sizeof(int32_t)));
    s->leafVertices = spAlloc(heap, spArraySize(nodeCount, sizeof(int32_t)));
    s->boxes = spAlloc(heap, spArraySize(2 * (int64_t)s->leafCount - 1, sizeof(spExtent)));
    s->swept = spAlloc(heap, spArraySize(2 * (int64_t)s->leafCount - 1, sizeof(spExtent)));
    s->spheres = spAlloc(heap, spArraySize(s->leafCount, sizeof(spLeafSpheres)));
    s->speeds = spAlloc(heap, spArraySize(2 * (int64_t)s->leafCount - 1, sizeof(spExtent)));
    s->sharp = spAllocZeroed(heap, spArraySize(s->leafCount, sizeof(uint32_t)));
    s->reference = spAlloc(heap, spArraySize(nodeCount, sizeof(spVec3)));
    return s->triangles != NULL && s->across != NULL && s->vertices != NULL && s->first != NULL &&
           s->corners != NULL && s->place != NULL && s->sorted != NULL && s->normals != NULL &&
           s->leafBegin != NULL && s->leafFirst != NULL && s->leafVertices != NULL && s->boxes != NULL &&
           s->swept != NULL && s->spheres != NULL && s->speeds != NULL && s->sharp != NULL &&
           s->reference != NULL;
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

// Gives every vertex to the first leaf that has a triangle at it
static bool spShareVertices(spHeap* heap, spContactSurface* s)
{
    bool* taken = spAllocZeroed(heap, spArraySize(s->vertexCount, sizeof(bool)));
    int count = 0;
    for (int leaf = 0; taken != NULL && leaf < s->leafCount; ++leaf)
    {
        s->leafFirst[leaf] = count;
        for (int i = 3 * spGetLeafBegin(s, leaf); i < 3 * spGetLeafBegin(s, leaf + 1); ++i)
        {
            int vertex = s->place[s->triangles[3 * (size_t)s->sorted[i / 3] + i % 3]];
            if (taken[vertex] == false)
            {
                taken[vertex] = true;
                s->leafVertices[count++] = vertex;
            }
        }
    }
    s->leafFirst[s->leafCount] = count;
    spFree(heap, taken);
    return taken != NULL;
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
    if (ok)
    {
        spListVertices(s, body->nodeCount);
        for (int leaf = 0; leaf <= s->leafCount; ++leaf)
        {
            s->leafBegin[leaf] = (int32_t)((int64_t)s->triangleCount * leaf / s->leafCount);
        }
        ok = spShareVertices(heap, s);
    }
    if (ok == false)
    {
        spDestroyContactSurface(heap, s);
        return NULL;
    }
    // The first refit makes the reference
    s->drift = (spReal)INFINITY;
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

spVec3 spGetVertexNormal(const spContactSurface* s, const spVec4* x, int vertex)
{
    spVec3 sum = {0, 0, 0};
    spVec3 at = spXyz(x[s->vertices[vertex]]);
    for (int i = s->first[vertex]; i < s->first[vertex + 1]; ++i)
    {
        int half = s->corners[i], next = spNextCorner(half), last = spNextCorner(next);
        spVec3 e = spNormalize3(spSub3(spXyz(x[s->triangles[next]]), at));
        spVec3 f = spNormalize3(spSub3(spXyz(x[s->triangles[last]]), at));
        double cosine = fmin(fmax((double)spDot3(e, f), -1.0), 1.0);
        sum = spMulAdd3(sum, (spReal)acos(cosine), spGetNormal(s, x, half / 3));
    }
    return sum;
}

spVec3 spGetPseudonormal(const spContactSurface* s, const spVec4* x, const spNearest* at)
{
    int zeros = 0, other = 0, one = 0;
    for (int k = 0; k < 3; ++k)
    {
        zeros += at->weights[k] == 0;
        other = at->weights[k] == 0 ? k : other;
        one = at->weights[k] != 0 ? k : one;
    }
    int half = 3 * at->triangle;
    if (zeros == 2)
    {
        return spGetVertexNormal(s, x, s->place[s->triangles[half + one]]);
    }
    spVec3 normal = spGetNormal(s, x, at->triangle);
    if (zeros == 1)
    {
        // The edge across from a corner begins at the next one
        int across = s->across[spNextCorner(half + other)];
        normal = across >= 0 ? spAdd3(normal, spGetNormal(s, x, across / 3)) : normal;
    }
    return normal;
}

spVec3 spGetOffset(const spContactSurface* s, const spVec4* x, spVec3 p, const spNearest* at)
{
    const int32_t* t = s->triangles + 3 * (size_t)at->triangle;
    spVec3 d = spScale3(at->weights[0], spSub3(p, spXyz(x[t[0]])));
    d = spMulAdd3(d, at->weights[1], spSub3(p, spXyz(x[t[1]])));
    return spMulAdd3(d, at->weights[2], spSub3(p, spXyz(x[t[2]])));
}

bool spIsInside(const spContactSurface* s, const spVec4* x, spVec3 p, const spNearest* at)
{
    return spDot3(spGetOffset(s, x, p, at), spGetPseudonormal(s, x, at)) < 0;
}

spNearest spMeasureTriangle(const spContactSurface* s, const spVec4* x, spVec3 p, int triangle)
{
    // From the point, so that it does not matter how far from the origin all of it is
    spVec3 a = spSub3(spGetCorner(s, x, 3 * triangle), p), b = spSub3(spGetCorner(s, x, 3 * triangle + 1), p);
    spVec3 c = spSub3(spGetCorner(s, x, 3 * triangle + 2), p);
    spNearest at = {.triangle = triangle};
    spFindTriangleWeights((spVec3){0, 0, 0}, a, b, c, at.weights);
    spVec3 q = spMulAdd3(spMulAdd3(spScale3(at.weights[0], a), at.weights[1], b), at.weights[2], c);
    at.distance2 = spLengthSquared3(q);
    return at;
}

static spExtent spEmptyExtent(void)
{
    return (spExtent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static spExtent spJoinExtents(const spExtent* a, const spExtent* b)
{
    return (spExtent){spMin3(a->lower, b->lower), spMax3(a->upper, b->upper)};
}

static void spJoinBoxes(const spContactSurface* s, spExtent* boxes)
{
    for (int i = s->leafCount - 2; i >= 0; --i)
    {
        boxes[i] = spJoinExtents(boxes + 2 * i + 1, boxes + 2 * i + 2);
    }
}

typedef struct spRefit
{
    spContactSurface* surface;
    const spVec4 *x, *v;
} spRefit;

// The middle of the corners of a triangle; r: how far they are from it at most
static spVec3 spFitSphere(const spContactSurface* s, const spVec4* values, int triangle, spReal* r)
{
    spVec3 a = spGetCorner(s, values, 3 * triangle), b = spGetCorner(s, values, 3 * triangle + 1);
    spVec3 c = spGetCorner(s, values, 3 * triangle + 2);
    spVec3 ab = spSub3(b, a), ac = spSub3(c, a);
    spVec3 middle = spMulAdd3(a, (spReal)(1.0 / 3.0), spAdd3(ab, ac));
    spReal ra = spLengthSquared3(spSub3(a, middle)), rb = spLengthSquared3(spSub3(b, middle));
    spReal rc = spLengthSquared3(spSub3(c, middle)), most = ra > rb ? ra : rb;
    *r = (spReal)sqrt((double)(most > rc ? most : rc)) * (spReal)1.0001;
    return middle;
}

static void spFitSpheres(const spContactSurface* s, const spVec4* x, const spVec4* v, int triangle,
                         spLeafSpheres* out, int at)
{
    spVec3 middle = spFitSphere(s, x, triangle, out->r + at);
    out->x[at] = middle.x, out->y[at] = middle.y, out->z[at] = middle.z;
    middle = spFitSphere(s, v, triangle, out->vr + at);
    out->vx[at] = middle.x, out->vy[at] = middle.y, out->vz[at] = middle.z;
}

static void spRefitLeaves(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRefit* refit = context;
    spContactSurface* s = refit->surface;
    for (int leaf = begin; leaf < end; ++leaf)
    {
        spExtent box = spEmptyExtent(), speeds = box;
        spLeafSpheres* spheres = s->spheres + leaf;
        int first = spGetLeafBegin(s, leaf), last = spGetLeafBegin(s, leaf + 1);
        for (int i = first; i < last; ++i)
        {
            int t = s->sorted[i];
            for (int k = 0; k < 3; ++k)
            {
                spVec3 corner = spGetCorner(s, refit->x, 3 * t + k), v = spGetCorner(s, refit->v, 3 * t + k);
                box = (spExtent){spMin3(box.lower, corner), spMax3(box.upper, corner)};
                speeds = (spExtent){spMin3(speeds.lower, v), spMax3(speeds.upper, v)};
            }
            spFitSpheres(s, refit->x, refit->v, t, spheres, i - first);
            s->normals[t] = spGetNormal(s, refit->x, t);
        }
        for (int i = last - first; i < SP_LEAF_SIZE; ++i)
        {
            spheres->x[i] = spheres->y[i] = spheres->z[i] = spheres->r[i] = NAN;
            spheres->vx[i] = spheres->vy[i] = spheres->vz[i] = spheres->vr[i] = NAN;
        }
        s->boxes[s->leafCount - 1 + leaf] = box;
        s->speeds[s->leafCount - 1 + leaf] = speeds;
    }
}

// Each edge belongs to one of its half edges; flat ones touch by their vertices
bool spIsSharp(const spContactSurface* s, int half)
{
    int across = s->across[half];
    return across < half && (across < 0 || spDot3(s->normals[half / 3], s->normals[across / 3]) < SP_FLAT);
}

static void spMarkSharpEdges(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    spContactSurface* s = ((const spRefit*)context)->surface;
    for (int leaf = begin; leaf < end; ++leaf)
    {
        uint32_t bits = 0;
        int first = 3 * spGetLeafBegin(s, leaf), last = 3 * spGetLeafBegin(s, leaf + 1);
        for (int i = first; i < last; ++i)
        {
            bits |= spIsSharp(s, 3 * s->sorted[i / 3] + i % 3) ? 1u << (i - first) : 0u;
        }
        s->sharp[leaf] = bits;
    }
}

static spVec3 spFindMean(const spContactSurface* s, const spVec4* values, const spVec3* reference)
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spVec3 value = spXyz(values[s->vertices[i]]);
        value = reference != NULL ? spSub3(value, reference[i]) : value;
        sum[0] += (double)value.x;
        sum[1] += (double)value.y;
        sum[2] += (double)value.z;
    }
    return (spVec3){(spReal)(sum[0] / s->vertexCount), (spReal)(sum[1] / s->vertexCount),
                    (spReal)(sum[2] / s->vertexCount)};
}

// How far the vertices have moved since the reference, beside their mean motion
static void spMeasureDrift(spContactSurface* s, const spVec4* x)
{
    s->shift = spFindMean(s, x, s->reference);
    spReal most = 0;
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spVec3 d = spSub3(spSub3(spXyz(x[s->vertices[i]]), s->reference[i]), s->shift);
        spReal d2 = spLengthSquared3(d);
        // What is no number is far away
        most = d2 <= most ? most : d2;
    }
    s->drift = (spReal)sqrt((double)most);
}

static void spResetReference(spContactSurface* s, const spVec4* x)
{
    for (int i = 0; i < s->vertexCount; ++i)
    {
        s->reference[i] = spXyz(x[s->vertices[i]]);
    }
    s->shift = (spVec3){0, 0, 0};
    s->drift = 0;
    s->epoch += 1;
}

void spRefitContactSurface(spContactSurface* s, const spBody* body, spTeam* team)
{
    const spVec4* x = body->backend->view(body->x, 0, body->nodeCount);
    const spVec4* v = body->backend->view(body->v, 0, body->nodeCount);
    spRefit refit = {s, x, v};
    spParallelFor(team, spRefitLeaves, s->leafCount, 64, &refit);
    spParallelFor(team, spMarkSharpEdges, s->leafCount, 64, &refit);
    spJoinBoxes(s, s->boxes);
    spJoinBoxes(s, s->speeds);
    s->sweptSpan = 0;
    s->velocity = spFindMean(s, v, NULL);
    s->spread = 0;
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spReal speed = spDistance3(spXyz(v[s->vertices[i]]), s->velocity);
        s->spread = speed > s->spread ? speed : s->spread;
    }
    if (isfinite(s->drift))
    {
        spMeasureDrift(s, x);
    }
    if (!(s->drift < SP_MOST_DRIFT * s->meanEdge))
    {
        spResetReference(s, x);
    }
}

void spSweepContactSurface(spContactSurface* s, const spBody* body, spReal span)
{
    if (s->sweptSpan == span)
    {
        return;
    }
    const spVec4* x = body->backend->view(body->x, 0, body->nodeCount);
    const spVec4* v = body->backend->view(body->v, 0, body->nodeCount);
    for (int leaf = 0; leaf < s->leafCount; ++leaf)
    {
        spExtent box = s->boxes[s->leafCount - 1 + leaf];
        for (int i = 3 * spGetLeafBegin(s, leaf); i < 3 * spGetLeafBegin(s, leaf + 1); ++i)
        {
            int node = s->triangles[3 * (size_t)s->sorted[i / 3] + i % 3];
            spVec3 then = spMulAdd3(spXyz(x[node]), span, spSub3(spXyz(v[node]), s->velocity));
            box.lower = spMin3(box.lower, then);
            box.upper = spMax3(box.upper, then);
        }
        s->swept[s->leafCount - 1 + leaf] = box;
    }
    spJoinBoxes(s, s->swept);
    s->sweptSpan = span;
}

// ---- searching ----

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
        if (!(spGetBoxDistance2(s->boxes + node, p) <= best.distance2 * SP_ROUNDING))
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
            best = spIsNearer(&at, &best) ? at : best;
        }
    }
    return best;
}

int spFindLeaves(const spContactSurface* s, const spExtent* box, spReal margin, int32_t* leaves, int room)
{
    int stack[64], count = 0, found = 0;
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
        if (found < room)
        {
            leaves[found] = node - (s->leafCount - 1);
        }
        found += 1;
    }
    return found;
}

// Whether the way from p to p + d comes into a box that is larger by a margin
static bool spMeetsWay(const spExtent* box, spVec3 p, spVec3 d, spReal margin)
{
    const spReal lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const spReal upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    const spReal from[3] = {p.x, p.y, p.z}, way[3] = {d.x, d.y, d.z};
    spReal begin = 0, end = 1;
    for (int k = 0; k < 3; ++k)
    {
        spReal low = lower[k] - margin - from[k], high = upper[k] + margin - from[k];
        if (way[k] == 0)
        {
            end = low <= 0 && high >= 0 ? end : -1;
            continue;
        }
        spReal t0 = low / way[k], t1 = high / way[k];
        spReal first = t0 < t1 ? t0 : t1, last = t0 < t1 ? t1 : t0;
        begin = first > begin ? first : begin;
        end = last < end ? last : end;
    }
    return begin <= end;
}

// Whether something below a node of the tree moves enough against a way to come near it
static bool spMayCross(const spContactSurface* s, int node, const spWay* way)
{
    spReal moved = way->span * (spGetLargestSpeed(s->speeds + node, way->v) + way->spread);
    spReal most = way->margin + moved;
    return moved > way->least && spGetBoxDistance2(s->boxes + node, way->p) <= most * most * SP_ROUNDING;
}

void spVisitWay(const spContactSurface* s, const spWay* way, spVisitFcn* visit, void* context)
{
    int stack[64], count = 0;
    spVec3 d = spScale3(way->span, spSub3(way->v, s->velocity));
    spReal margin = way->margin + way->span * way->spread;
    stack[count++] = 0;
    while (count > 0)
    {
        int node = stack[--count], leaf = node - (s->leafCount - 1);
        // What moves along with the point is no danger, however far both come
        if (spMayCross(s, node, way) == false || spMeetsWay(s->swept + node, way->p, d, margin) == false)
        {
            continue;
        }
        if (leaf < 0)
        {
            stack[count++] = 2 * node + 2;
            stack[count++] = 2 * node + 1;
            continue;
        }
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
