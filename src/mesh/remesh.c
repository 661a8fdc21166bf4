// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Even triangles of a wanted size. Each pass splits edges that are too long, collapses those that are too
// short, flips edges towards six triangles around a vertex (four at a border), smooths vertices along the
// surface and puts them back onto the surface that was given. Borders and sharp edges are lines of their
// own: vertices of a line move and collapse along it alone, and where lines meet or end they stay.
//
// Botsch, Kobbelt. A Remeshing Approach to Multiresolution Modeling. 2004 Rivara. New longest-edge
// algorithms for the refinement and/or improvement of unstructured triangulations. 1997

#include "base/error.h"
#include "mesh/generate.h"
#include "mesh/rebuild.h"
#include "mesh/triangle_tree.h"

#define SP_PI 3.14159265358979323846

#define SP_LONG (4.0 / 3.0)
#define SP_SHORT (4.0 / 5.0)

// Triangles at most
#define SP_REMESH_LIMIT 10000000

// A flip may not turn a triangle by more than has this cosine
#define SP_FLIP_TURN 0.9
// And may make triangles that are flatter than those before as long as they are not flatter than this
#define SP_FLIP_FLATNESS 0.3

// What a vertex may do
typedef enum spVertexSort
{
    sp_vertexFree,
    sp_vertexOnLine,
    sp_vertexFixed,
} spVertexSort;

spRemeshMeshDef spDefaultRemeshMeshDef(void)
{
    return (spRemeshMeshDef){.featureAngle = 40.0, .passes = 8, .internalValue = SP_DEF_COOKIE};
}

// ---- geometry ----

static int32_t spGetTop(const spCornerTable* t, int32_t c)
{
    return t->vertex[spPreviousCorner(c)];
}

static spDVec3 spGetSide(const spCornerTable* t, int32_t c)
{
    return spDSub(t->x[t->vertex[spNextCorner(c)]], t->x[t->vertex[c]]);
}

static spDVec3 spGetNormal(spDVec3 a, spDVec3 b, spDVec3 c)
{
    return spDCross(spDSub(b, a), spDSub(c, a));
}

static spDVec3 spGetCornerNormal(const spCornerTable* t, int32_t c)
{
    return spGetNormal(t->x[t->vertex[c]], t->x[t->vertex[spNextCorner(c)]], t->x[spGetTop(t, c)]);
}

static double spGetCosine(spDVec3 a, spDVec3 b)
{
    double lengths = spDLength(a) * spDLength(b);
    return lengths > 0.0 ? spDDot(a, b) / lengths : 1.0;
}

// Marks borders and edges at which the surface turns by more than an angle
static void spMarkSharp(spCornerTable* t, double cosine)
{
    for (int32_t c = 0; c < t->cornerCount; ++c)
    {
        int32_t twin = t->twin[c];
        t->sharp[c] = twin < 0 || spGetCosine(spGetCornerNormal(t, c), spGetCornerNormal(t, twin)) < cosine;
    }
}

// cosine: of the angle by which a line turns at a corner
static spVertexSort spGetSort(const spCornerTable* t, int32_t v, double cosine)
{
    int32_t fan[SP_FAN_LIMIT];
    int count = t->locked[v] ? 0 : spCollectFan(t, v, fan, NULL), lines = 0;
    spDVec3 ways[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < count; ++i)
    {
        int32_t last = spPreviousCorner(fan[i]);
        if (t->sharp[fan[i]])
        {
            ways[lines++ & 1] = spGetSide(t, fan[i]);
        }
        if (t->twin[last] < 0 && t->sharp[last])
        {
            ways[lines++ & 1] = spDScale(-1.0, spGetSide(t, last));
        }
    }
    if (count > 0 && lines == 0)
    {
        return sp_vertexFree;
    }
    bool straight = lines == 2 && spGetCosine(ways[0], spDScale(-1.0, ways[1])) >= cosine;
    return straight ? sp_vertexOnLine : sp_vertexFixed;
}

// ---- passes ----

static bool spFailTriangles(double size, spError* error)
{
    return spFail(error, sp_errorLimit, "edges of %g m need more than %d triangles; ask for a larger size",
                  size, SP_REMESH_LIMIT);
}

// Squared length of an edge that can be split; those between locked vertices may have three triangles
static double spGetSplitLength2(const spCornerTable* t, int32_t c)
{
    spDVec3 side = spGetSide(t, c);
    bool fixed = t->locked[t->vertex[c]] && t->locked[t->vertex[spNextCorner(c)]];
    return fixed ? 0.0 : spDDot(side, side);
}

// The longest edge of both its triangles, reached from an edge by going to a longer one of its triangles as
// long as there is one (Rivara). To split only such edges comes to an end: what it makes is shorter by a
// factor.
static int32_t spFindLongest(const spCornerTable* t, int32_t c)
{
    for (int32_t last = -1; last != c;)
    {
        last = c;
        double longest = spGetSplitLength2(t, c);
        int32_t sides[2] = {last, t->twin[last]};
        for (int i = 0; i < 4; ++i)
        {
            int32_t side = sides[i / 2];
            side = side < 0 ? last : (i & 1 ? spPreviousCorner(side) : spNextCorner(side));
            double length = spGetSplitLength2(t, side);
            c = length > longest ? side : c;
            longest = fmax(longest, length);
        }
    }
    return c;
}

static bool spSplitLong(spCornerTable* t, double size, spError* error)
{
    double limit2 = SP_LONG * SP_LONG * size * size;
    for (int32_t c = 0; c < t->cornerCount; ++c)
    {
        while (t->vertex[c] >= 0 && spGetSplitLength2(t, c) > limit2)
        {
            if (t->triangleCount >= SP_REMESH_LIMIT)
            {
                return spFailTriangles(size, error);
            }
            int32_t split = spFindLongest(t, c);
            if (spSplitEdge(t, split, spDMulAdd(t->x[t->vertex[split]], 0.5, spGetSide(t, split)), error) ==
                false)
            {
                return false;
            }
        }
    }
    return true;
}

// Whether all edges at the end would be short enough
static bool spStaysShort(const spCornerTable* t, int32_t from, spDVec3 x, double size)
{
    int32_t fan[SP_FAN_LIMIT];
    int count = spCollectFan(t, from, fan, NULL);
    bool fits = true;
    for (int i = 0; fits && i < count; ++i)
    {
        fits = spDDistance(t->x[t->vertex[spNextCorner(fan[i])]], x) <= SP_LONG * size &&
               spDDistance(t->x[spGetTop(t, fan[i])], x) <= SP_LONG * size;
    }
    return fits;
}

// Collapses a short edge, from the end that may go. Returns whether it did.
static bool spTryCollapse(spCornerTable* t, int32_t c, double size, double cosine)
{
    int32_t a = t->vertex[c], b = t->vertex[spNextCorner(c)];
    spVertexSort from = spGetSort(t, a, cosine), to = spGetSort(t, b, cosine);
    bool goes = from == sp_vertexFree || (from == sp_vertexOnLine && t->sharp[c] && to != sp_vertexFree);
    if (goes == false)
    {
        return false;
    }
    spDVec3 x =
        from == sp_vertexFree && to == sp_vertexFree ? spDMulAdd(t->x[a], 0.5, spGetSide(t, c)) : t->x[b];
    if (spStaysShort(t, a, x, size) == false || spStaysShort(t, b, x, size) == false ||
        spCanCollapse(t, c, x) == false)
    {
        return false;
    }
    spCollapseEdge(t, c, x);
    return true;
}

static void spCollapseShort(spCornerTable* t, double size, double cosine)
{
    for (int32_t c = 0; c < t->cornerCount; ++c)
    {
        spDVec3 side = t->vertex[c] >= 0 ? spGetSide(t, c) : (spDVec3){size, size, size};
        if (spDDot(side, side) < SP_SHORT * SP_SHORT * size * size)
        {
            // A border has no half-edge that runs back: its other direction is not tried
            spTryCollapse(t, c, size, cosine);
        }
    }
}

// How far a number of triangles is from what it should be
static int spGetExcess(const spCornerTable* t, int32_t v, int change)
{
    int32_t fan[SP_FAN_LIMIT];
    bool border = false;
    int count = spCollectFan(t, v, fan, &border) + change, wanted = border ? 3 : 6;
    return (count - wanted) * (count - wanted);
}

// Whether a flip turns no triangle much and makes none that is flat and flatter than the two before
static bool spKeepsShape(const spCornerTable* t, int32_t c)
{
    int32_t twin = t->twin[c];
    spDVec3 a = t->x[t->vertex[c]], b = t->x[t->vertex[twin]], p = t->x[spGetTop(t, c)],
            q = t->x[spGetTop(t, twin)];
    spDVec3 old = spDAdd(spGetNormal(a, b, p), spGetNormal(b, a, q));
    double before = fmin(spGetFlatness(a, b, p), spGetFlatness(b, a, q));
    double after = fmin(spGetFlatness(a, q, p), spGetFlatness(b, p, q));
    return after > fmin(before, SP_FLIP_FLATNESS) && spGetCosine(old, spGetNormal(a, q, p)) > SP_FLIP_TURN &&
           spGetCosine(old, spGetNormal(b, p, q)) > SP_FLIP_TURN;
}

static void spFlipUneven(spCornerTable* t)
{
    for (int32_t c = 0; c < t->cornerCount; ++c)
    {
        int32_t twin = t->vertex[c] >= 0 ? t->twin[c] : -1;
        if (twin < c || spCanFlip(t, c) == false)
        {
            continue;
        }
        int32_t a = t->vertex[c], b = t->vertex[twin], p = spGetTop(t, c), q = spGetTop(t, twin);
        int before =
            spGetExcess(t, a, 0) + spGetExcess(t, b, 0) + spGetExcess(t, p, 0) + spGetExcess(t, q, 0);
        int after =
            spGetExcess(t, a, -1) + spGetExcess(t, b, -1) + spGetExcess(t, p, 1) + spGetExcess(t, q, 1);
        if (after < before && spKeepsShape(t, c))
        {
            spFlipEdge(t, c);
        }
    }
}

// The mean of the neighbours, weighted by area, moved to along the surface; on a line that of the two
// neighbours there
static spDVec3 spFindSmooth(const spCornerTable* t, int32_t v, spVertexSort sort, const int32_t* fan,
                            int count)
{
    spDVec3 sum = {0.0, 0.0, 0.0}, normal = sum;
    double weights = 0.0;
    for (int i = 0; i < count; ++i)
    {
        int32_t last = spPreviousCorner(fan[i]), next = t->vertex[spNextCorner(fan[i])],
                top = t->vertex[last];
        spDVec3 area = spGetCornerNormal(t, fan[i]);
        double weight = spDLength(area);
        normal = spDAdd(normal, area);
        if (sort == sp_vertexFree)
        {
            sum = spDMulAdd(sum, 0.5 * weight, spDAdd(t->x[next], t->x[top]));
            weights += weight;
        }
        else
        {
            double ends[2] = {t->sharp[fan[i]] ? 1.0 : 0.0, t->twin[last] < 0 && t->sharp[last] ? 1.0 : 0.0};
            sum = spDMulAdd(spDMulAdd(sum, ends[0], t->x[next]), ends[1], t->x[top]);
            weights += ends[0] + ends[1];
        }
    }
    spDVec3 x = t->x[v];
    if (!(weights > 0.0))
    {
        return x;
    }
    spDVec3 move = spDSub(spDScale(1.0 / weights, sum), x);
    double length = spDDot(normal, normal);
    if (sort == sp_vertexFree && length > 0.0)
    {
        move = spDMulAdd(move, -spDDot(move, normal) / length, normal);
    }
    return spDAdd(x, move);
}

static void spSmooth(spCornerTable* t, const spTriangleTree* tree, double cosine)
{
    for (int32_t v = 0; v < t->vertexCount; ++v)
    {
        spVertexSort sort = t->vertexEdge[v] >= 0 ? spGetSort(t, v, cosine) : sp_vertexFixed;
        if (sort == sp_vertexFixed)
        {
            continue;
        }
        int32_t fan[SP_FAN_LIMIT];
        int count = spCollectFan(t, v, fan, NULL);
        spDVec3 x = spFindSmooth(t, v, sort, fan, count);
        // A line keeps to where it was: a straight one does not bend, a curved one is not cut short
        spSurfacePlace place = spFindSurfacePlace(tree, x, INFINITY);
        bool along = sort == sp_vertexFree || place.feature != sp_featureFace;
        if (place.triangle >= 0 && along && spKeepsTriangles(t, fan, count, -1, place.point))
        {
            t->x[v] = place.point;
        }
    }
}

// ---- all of it ----

static double spGetMeanEdge(const spCornerTable* t)
{
    double sum = 0.0;
    int count = 0;
    for (int32_t c = 0; c < t->cornerCount; ++c)
    {
        if (spIsFirstHalf(t, c))
        {
            sum += spDLength(spGetSide(t, c));
            count += 1;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

// Says before any work that even triangles of this size would be too many. Long thin ones show on the way.
static bool spCheckTriangleCount(const spMesh* surface, double size, spError* error)
{
    double area = 0.0;
    for (int i = 0; i < surface->triangleCount; ++i)
    {
        area += 0.5 * spDLength(spTriangleNormal(surface->vertices, surface->triangles + 3 * (int64_t)i));
    }
    return area <= 0.43 * size * size * SP_REMESH_LIMIT || spFailTriangles(size, error);
}

static bool spTellProgress(const spRemeshMeshDef* def, double fraction, spError* error)
{
    return def->progress == NULL || def->progress(fraction, def->progressContext) ||
           spFail(error, sp_errorNone, "cancelled");
}

static bool spRemeshSurface(spCornerTable* t, const spMesh* surface, const void* context,
                            spRemeshReport* report, spError* error)
{
    const spRemeshMeshDef* def = context;
    double size = def->size > 0.0 ? def->size : spGetMeanEdge(t);
    spTriangleTree tree;
    report->size = size;
    if (spCheckTriangleCount(surface, size, error) == false ||
        spBuildTriangleTree(&t->heap, surface, &tree, error) == false)
    {
        return false;
    }
    double cosine = cos(def->featureAngle * (SP_PI / 180.0));
    spMarkSharp(t, cosine);
    bool ok = true;
    for (int pass = 0; ok && pass < def->passes; ++pass)
    {
        ok = spTellProgress(def, (double)pass / def->passes, error) && spSplitLong(t, size, error);
        if (ok)
        {
            spCollapseShort(t, size, cosine);
            spFlipUneven(t);
            spSmooth(t, &tree, cosine);
        }
    }
    spFreeTriangleTree(&t->heap, &tree);
    return ok;
}

static bool spCheckRemeshDef(const spMesh* mesh, const spRemeshMeshDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef,
                      "the definition of a remeshing must come from spDefaultRemeshMeshDef");
    }
    if (mesh == NULL)
    {
        return spFail(error, sp_errorBadArgument, "remeshing needs a surface, which is NULL");
    }
    if (!(def->featureAngle >= 0.0 && def->featureAngle <= 180.0))
    {
        return spFail(error, sp_errorBadArgument,
                      "the angle of sharp edges must be within 0 and 180 degrees, not %g", def->featureAngle);
    }
    return spCheckCount(def->passes, 1, 100, "the number of passes", error) &&
           (def->size == 0.0 || spCheckPositive(def->size, "the size of triangles", error));
}

spMesh* spRemeshMesh(const spMesh* mesh, const spRemeshMeshDef* def, spRemeshReport* report, spError* error)
{
    return spCheckRemeshDef(mesh, def, error)
               ? spRebuildSurface(mesh, &def->allocator, spRemeshSurface, def, report, error)
               : NULL;
}
