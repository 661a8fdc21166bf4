// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Quickhull: begin with a tet, give every point to one face that sees it, and for the furthest point of a face
// replace all faces that see it by a cone from it to the rim of what they were.
//
// Rounding may leave a rim that does not close, or a hull that is not convex to within its tolerance. Then all is
// done again with a larger tolerance, which takes more points for points of the faces.
//
// Barber, Dobkin, Huhdanpaa. The Quickhull Algorithm for Convex Hulls. 1996

#include "mesh/hull.h"

#include "base/error.h"
#include "mesh/mesh_math.h"

#include <string.h>

// Tolerances as shares of the size of the cloud: the first one, the last one, and the factor between two
#define SP_FIRST_TOLERANCE 1.0e-12
#define SP_LAST_TOLERANCE 1.0e-4
#define SP_TOLERANCE_FACTOR 100.0

// A cloud that is thinner than this share of its size has no inside
#define SP_THIN_CLOUD 1.0e-9

typedef struct spHullFace
{
    int32_t v[3];
    int32_t across[3]; // face on the other side of the edge from v[j] to v[j + 1]
    int32_t first;     // of the points that see it; -1 for none
    bool gone, seen;
    spDVec3 normal;
    double offset;
} spHullFace;

// An edge of the rim: it runs from a to b in the face that goes
typedef struct spRimEdge
{
    int32_t a, b, face; // that stays
} spRimEdge;

typedef struct spHull
{
    spHeap* heap;
    const spDVec3* points;
    int pointCount;
    double tolerance; // m
    int32_t* next;    // point after a point in the list of its face
    int32_t* startOf; // new face whose rim edge begins at a point; -1 for none
    spHullFace* faces;
    int faceCount, faceCapacity;
    int32_t* stack;
    int stackCount, stackCapacity;
    spRimEdge* rim;
    int rimCount, rimCapacity;
    bool outOfMemory;
} spHull;

static double spGetHeight(const spHull* hull, int face, int point)
{
    const spHullFace* f = hull->faces + face;
    return spDDot(f->normal, hull->points[point]) - f->offset;
}

static int spAddFace(spHull* hull, int32_t a, int32_t b, int32_t c)
{
    if (spReserve(hull->heap, (void**)&hull->faces, hull->faceCount, &hull->faceCapacity, hull->faceCount + 1,
                  sizeof(spHullFace)) == false)
    {
        hull->outOfMemory = true;
        return -1;
    }
    spHullFace* f = hull->faces + hull->faceCount;
    *f = (spHullFace){.v = {a, b, c}, .across = {-1, -1, -1}, .first = -1};
    spDVec3 normal = spTriangleNormal(hull->points, f->v);
    double length = spDLength(normal);
    f->normal = length > 0.0 ? spDScale(1.0 / length, normal) : normal;
    f->offset = spDDot(f->normal, hull->points[a]);
    return hull->faceCount++;
}

// Gives a point to the face of a range that it is furthest above
static void spGivePoint(spHull* hull, int point, int begin, int end)
{
    double most = hull->tolerance;
    int best = -1;
    for (int i = begin; i < end; ++i)
    {
        double height = hull->faces[i].gone ? 0.0 : spGetHeight(hull, i, point);
        if (height > most)
        {
            most = height;
            best = i;
        }
    }
    if (best >= 0)
    {
        hull->next[point] = hull->faces[best].first;
        hull->faces[best].first = point;
    }
}

// ---- the first tet ----

static int spFindFurthest(const spHull* hull, double (*measure)(const spHull*, const int32_t*, int),
                          const int32_t* known, double* most)
{
    int best = 0;
    *most = -1.0;
    for (int i = 0; i < hull->pointCount; ++i)
    {
        double value = measure(hull, known, i);
        if (value > *most)
        {
            *most = value;
            best = i;
        }
    }
    return best;
}

static double spMeasurePoint(const spHull* hull, const int32_t* known, int i)
{
    return spDDistance(hull->points[i], hull->points[known[0]]);
}

static double spMeasureLine(const spHull* hull, const int32_t* known, int i)
{
    spDVec3 along = spDSub(hull->points[known[1]], hull->points[known[0]]);
    return spDLength(spDCross(along, spDSub(hull->points[i], hull->points[known[0]]))) / spDLength(along);
}

static double spMeasurePlane(const spHull* hull, const int32_t* known, int i)
{
    spDVec3 normal = spTriangleNormal(hull->points, known);
    return fabs(spDDot(normal, spDSub(hull->points[i], hull->points[known[0]]))) / spDLength(normal);
}

static bool spFindFirstTet(const spHull* hull, int32_t* tet, double* size, spError* error)
{
    double wide, high;
    tet[0] = 0;
    tet[0] = spFindFurthest(hull, spMeasurePoint, tet, size);
    tet[1] = spFindFurthest(hull, spMeasurePoint, tet, size);
    if (!(*size > 0.0))
    {
        return spFail(
            error, sp_errorBadMesh,
            "the vertices are all at one place: a convex hull needs four that are not in one plane");
    }
    tet[2] = spFindFurthest(hull, spMeasureLine, tet, &wide);
    if (!(wide > SP_THIN_CLOUD * *size))
    {
        return spFail(error, sp_errorBadMesh,
                      "the vertices lie on a line: a convex hull needs four that are not in one plane");
    }
    tet[3] = spFindFurthest(hull, spMeasurePlane, tet, &high);
    if (!(high > SP_THIN_CLOUD * *size))
    {
        return spFail(
            error, sp_errorBadMesh,
            "the vertices lie in one plane: a convex hull needs an inside; use the shape \"mesh\" for "
            "a thin sheet");
    }
    return true;
}

static void spStartHull(spHull* hull, const int32_t* given)
{
    int32_t t[4];
    memcpy(t, given, sizeof(t));
    if (spTetVolume(hull->points, t) < 0.0)
    {
        t[2] = given[3];
        t[3] = given[2];
    }
    for (int f = 0; f < 4 && hull->outOfMemory == false; ++f)
    {
        const int* corners = spTetFaces[f];
        spAddFace(hull, t[corners[0]], t[corners[1]], t[corners[2]]);
    }
    for (int f = 0; f < 4 && hull->outOfMemory == false; ++f)
    {
        for (int j = 0; j < 3; ++j)
        {
            // The face that has the edge the other way round
            int32_t a = hull->faces[f].v[j], b = hull->faces[f].v[(j + 1) % 3];
            for (int k = 0; k < 12; ++k)
            {
                const int32_t* v = hull->faces[k / 3].v;
                hull->faces[f].across[j] =
                    v[k % 3] == b && v[(k % 3 + 1) % 3] == a ? k / 3 : hull->faces[f].across[j];
            }
        }
    }
    for (int i = 0; i < hull->pointCount && hull->outOfMemory == false; ++i)
    {
        spGivePoint(hull, i, 0, 4);
    }
}

// ---- growing ----

// Collects the faces that see a point, on the stack, and their rim
static bool spFindRim(spHull* hull, int face, int point)
{
    hull->rimCount = 0;
    hull->stackCount = 0;
    hull->stack[hull->stackCount++] = face;
    hull->faces[face].seen = true;
    for (int i = 0; i < hull->stackCount; ++i)
    {
        int f = hull->stack[i];
        for (int j = 0; j < 3; ++j)
        {
            int other = hull->faces[f].across[j];
            if (hull->faces[other].seen)
            {
                continue;
            }
            if (spGetHeight(hull, other, point) > hull->tolerance)
            {
                hull->faces[other].seen = true;
                if (spReserve(hull->heap, (void**)&hull->stack, hull->stackCount, &hull->stackCapacity,
                              hull->stackCount + 1, sizeof(int32_t)) == false)
                {
                    return false;
                }
                hull->stack[hull->stackCount++] = other;
                continue;
            }
            if (spReserve(hull->heap, (void**)&hull->rim, hull->rimCount, &hull->rimCapacity,
                          hull->rimCount + 1, sizeof(spRimEdge)) == false)
            {
                return false;
            }
            const int32_t* v = hull->faces[f].v;
            hull->rim[hull->rimCount++] = (spRimEdge){v[j], v[(j + 1) % 3], other};
        }
    }
    return true;
}

// The cone from the point to the rim. Returns false where the rim is no simple loop.
static bool spCloseCone(spHull* hull, int point)
{
    int first = hull->faceCount;
    bool simple = true;
    for (int i = 0; i < hull->rimCount && hull->outOfMemory == false; ++i)
    {
        spRimEdge e = hull->rim[i];
        int face = spAddFace(hull, e.a, e.b, point);
        if (face < 0)
        {
            return false;
        }
        simple = simple && hull->startOf[e.a] < 0;
        hull->startOf[e.a] = face;
        hull->faces[face].across[0] = e.face;
        for (int j = 0; j < 3; ++j)
        {
            spHullFace* other = hull->faces + e.face;
            if (other->v[j] == e.b && other->v[(j + 1) % 3] == e.a)
            {
                other->across[j] = face;
            }
        }
    }
    for (int i = 0; i < hull->rimCount; ++i)
    {
        int face = first + i, next = hull->startOf[hull->rim[i].b];
        simple = simple && next >= 0;
        if (simple)
        {
            hull->faces[face].across[1] = next;
            hull->faces[next].across[2] = face;
        }
    }
    for (int i = 0; i < hull->rimCount; ++i)
    {
        hull->startOf[hull->rim[i].a] = -1;
    }
    return simple;
}

static bool spGrow(spHull* hull, int face)
{
    int best = hull->faces[face].first;
    for (int i = best; i >= 0; i = hull->next[i])
    {
        best = spGetHeight(hull, face, i) > spGetHeight(hull, face, best) ? i : best;
    }
    int first = hull->faceCount;
    if (spFindRim(hull, face, best) == false)
    {
        hull->outOfMemory = true;
        return false;
    }
    if (spCloseCone(hull, best) == false)
    {
        return false;
    }
    for (int i = 0; i < hull->stackCount; ++i)
    {
        spHullFace* f = hull->faces + hull->stack[i];
        f->gone = true;
        for (int point = f->first, next; point >= 0; point = next)
        {
            next = hull->next[point];
            if (point != best)
            {
                spGivePoint(hull, point, first, hull->faceCount);
            }
        }
    }
    return true;
}

// ---- the result ----

// No point above any face by more than the tolerance allows for, and no face without a normal
static bool spIsConvex(const spHull* hull)
{
    for (int i = 0; i < hull->faceCount; ++i)
    {
        const spHullFace* f = hull->faces + i;
        for (int j = 0; f->gone == false && j < 3; ++j)
        {
            const spHullFace* other = hull->faces + f->across[j];
            bool turned = spDDot(f->normal, f->normal) == 0.0;
            for (int k = 0; k < 3; ++k)
            {
                turned = turned || spGetHeight(hull, i, other->v[k]) > 4.0 * hull->tolerance;
            }
            if (turned)
            {
                return false;
            }
        }
    }
    return true;
}

static spMesh* spWriteHull(spHull* hull, const spAllocator* allocator, spError* error)
{
    spMesh* mesh = spAllocMesh(allocator, error);
    bool ok = mesh != NULL;
    memset(hull->startOf, -1, spArraySize(hull->pointCount, sizeof(int32_t)));
    for (int i = 0; ok && i < hull->faceCount; ++i)
    {
        const spHullFace* f = hull->faces + i;
        for (int j = 0; ok && f->gone == false && j < 3; ++j)
        {
            if (hull->startOf[f->v[j]] < 0)
            {
                hull->startOf[f->v[j]] = mesh->vertexCount;
                ok = spAddVertex(mesh, hull->points[f->v[j]], error);
            }
        }
        ok = ok && (f->gone || spAddTriangle(mesh, hull->startOf[f->v[0]], hull->startOf[f->v[1]],
                                             hull->startOf[f->v[2]], error));
    }
    if (ok == false)
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    return mesh;
}

// Returns whether the hull is whole
static bool spTryHull(spHull* hull, const int32_t* tet)
{
    hull->faceCount = 0;
    memset(hull->startOf, -1, spArraySize(hull->pointCount, sizeof(int32_t)));
    spStartHull(hull, tet);
    bool good = hull->outOfMemory == false;
    for (int i = 0; good && i < hull->faceCount; ++i)
    {
        good = hull->faces[i].gone || hull->faces[i].first < 0 || spGrow(hull, i);
    }
    return good && spIsConvex(hull);
}

spMesh* spMakeHullMesh(const spDVec3* points, int count, const spAllocator* allocator, spError* error)
{
    spHeap heap = spMakeHeap(allocator);
    spHull hull = {.heap = &heap, .points = points, .pointCount = count};
    spMesh* mesh = NULL;
    int32_t tet[4];
    double size = 0.0;
    if (count < 1)
    {
        spFail(error, sp_errorBadMesh, "the mesh has no vertices: a convex hull needs four");
        return NULL;
    }
    if (spFindFirstTet(&hull, tet, &size, error) == false)
    {
        return NULL;
    }
    hull.next = spAlloc(&heap, spArraySize(count, sizeof(int32_t)));
    hull.startOf = spAlloc(&heap, spArraySize(count, sizeof(int32_t)));
    hull.outOfMemory =
        hull.next == NULL || hull.startOf == NULL ||
        spReserve(&heap, (void**)&hull.stack, 0, &hull.stackCapacity, 64, sizeof(int32_t)) == false;
    bool whole = false;
    for (double share = SP_FIRST_TOLERANCE;
         whole == false && hull.outOfMemory == false && share <= SP_LAST_TOLERANCE;
         share *= SP_TOLERANCE_FACTOR)
    {
        hull.tolerance = share * size;
        whole = spTryHull(&hull, tet);
    }
    if (hull.outOfMemory)
    {
        spFailMemory(error, "a convex hull", spArraySize(count, sizeof(spHullFace)));
    }
    else if (whole == false)
    {
        spFail(error, sp_errorBadMesh, "the vertices are too close to one plane for a convex hull");
    }
    else
    {
        mesh = spWriteHull(&hull, allocator, error);
    }
    spFree(&heap, hull.next);
    spFree(&heap, hull.startOf);
    spFree(&heap, hull.faces);
    spFree(&heap, hull.stack);
    spFree(&heap, hull.rim);
    SP_ASSERT(heap.byteCount == 0);
    return mesh;
}
