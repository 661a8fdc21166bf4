// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Fewer triangles: the edge whose collapse costs least goes first. A vertex remembers the planes of the
// triangles that it stands for as a quadric, the sum of squared distances from them, weighted by area; a
// border adds planes across its triangles. An edge collapses to where the sum of its two quadrics is least.
// Where a distance is asked for, both surfaces are measured before each collapse (surface_bound.h).
//
// Garland, Heckbert. Surface Simplification Using Quadric Error Metrics. 1997
// Lindstrom, Turk. Fast and Memory Efficient Polygonal Simplification. 1998

#include "base/error.h"
#include "mesh/generate.h"
#include "mesh/mesh_math.h"
#include "mesh/rebuild.h"
#include "mesh/surface_bound.h"

// Weight of the planes across borders, over that of the triangles beside them
#define SP_BORDER_WEIGHT 100.0
// A round over all edges that takes away no more than this part of the triangles is the last one
#define SP_LEAST_GAIN 0.01

// Collapses between two calls of progress
#define SP_PROGRESS_COLLAPSES 1024

// A quadric is flat where its determinant is below this share of the cube of its trace
#define SP_FLAT_QUADRIC 1e-9

// Squared distance from planes: x A x + 2 b x + c. Lengths are in units of the extent of the surface, from
// its first vertex.
typedef struct spQuadric
{
    double xx, xy, xz, yy, yz, zz;
    spDVec3 b;
    double c;
} spQuadric;

// An edge that may collapse: to be had as long as neither end has changed
typedef struct spCollapse
{
    double cost;
    int32_t corner;
    int32_t from, to;
    uint32_t stamps[2];
    spDVec3 x;
} spCollapse;

typedef struct spSimplifier
{
    spCornerTable* table;
    spQuadric* quadrics; // of each vertex
    uint32_t* stamps;    // of each vertex: how often it has changed
    spCollapse* queue;   // a heap, least cost first
    int count, capacity;
    spSurfaceBound* bound; // NULL without one
    spDVec3 origin;
    double extent; // m
} spSimplifier;

spSimplifyMeshDef spDefaultSimplifyMeshDef(void)
{
    return (spSimplifyMeshDef){
        .triangleCount = 1000, .maxDistance = INFINITY, .internalValue = SP_DEF_COOKIE};
}

// ---- quadrics ----

static void spAddPlane(spQuadric* q, spDVec3 normal, spDVec3 point, double weight)
{
    double d = -spDDot(normal, point);
    q->xx += weight * normal.x * normal.x;
    q->xy += weight * normal.x * normal.y;
    q->xz += weight * normal.x * normal.z;
    q->yy += weight * normal.y * normal.y;
    q->yz += weight * normal.y * normal.z;
    q->zz += weight * normal.z * normal.z;
    q->b = spDMulAdd(q->b, weight * d, normal);
    q->c += weight * d * d;
}

static spQuadric spAddQuadrics(const spQuadric* a, const spQuadric* b)
{
    return (spQuadric){a->xx + b->xx, a->xy + b->xy, a->xz + b->xz,      a->yy + b->yy,
                       a->yz + b->yz, a->zz + b->zz, spDAdd(a->b, b->b), a->c + b->c};
}

static double spGetCost(const spQuadric* q, spDVec3 x)
{
    double square = x.x * (q->xx * x.x + 2.0 * (q->xy * x.y + q->xz * x.z)) +
                    x.y * (q->yy * x.y + 2.0 * q->yz * x.z) + q->zz * x.z * x.z;
    return fmax(0.0, square + 2.0 * spDDot(q->b, x) + q->c);
}

// Where the quadric is least; false where it is flat
static bool spFindLeast(const spQuadric* q, spDVec3* x)
{
    spDVec3 r0 = {q->xx, q->xy, q->xz}, r1 = {q->xy, q->yy, q->yz}, r2 = {q->xz, q->yz, q->zz};
    double det = spDDet(r0, r1, r2), trace = q->xx + q->yy + q->zz;
    if (!(det > SP_FLAT_QUADRIC * trace * trace * trace))
    {
        return false;
    }
    spDVec3 c0 = spDCross(r1, r2), c1 = spDCross(r2, r0), c2 = spDCross(r0, r1);
    *x = spDScale(-1.0 / det, (spDVec3){spDDot(c0, q->b), spDDot(c1, q->b), spDDot(c2, q->b)});
    return true;
}

static spDVec3 spGetPlace(const spSimplifier* s, int32_t vertex)
{
    return spDScale(1.0 / s->extent, spDSub(s->table->x[vertex], s->origin));
}

// Of the triangles, and of planes across the borders
static void spMakeQuadrics(spSimplifier* s)
{
    const spCornerTable* t = s->table;
    for (int32_t c = 0; c < t->cornerCount; c += 3)
    {
        spDVec3 x[3];
        for (int k = 0; k < 3; ++k)
        {
            x[k] = spGetPlace(s, t->vertex[c + k]);
        }
        spDVec3 normal = spDCross(spDSub(x[1], x[0]), spDSub(x[2], x[0]));
        double area = spDLength(normal);
        if (!(area > 0.0))
        {
            continue;
        }
        normal = spDScale(1.0 / area, normal);
        for (int k = 0; k < 3; ++k)
        {
            spAddPlane(s->quadrics + t->vertex[c + k], normal, x[k], 0.5 * area / 3.0);
            if (t->twin[c + k] < 0)
            {
                spDVec3 side = spDSub(x[(k + 1) % 3], x[k]), across = spDCross(side, normal);
                across = spDScale(1.0 / fmax(spDLength(across), 1e-300), across);
                double weight = SP_BORDER_WEIGHT * spDDot(side, side);
                spAddPlane(s->quadrics + t->vertex[c + k], across, x[k], weight);
                spAddPlane(s->quadrics + t->vertex[c + (k + 1) % 3], across, x[k], weight);
            }
        }
    }
}

// ---- the queue ----

// Ties are broken by the ends, so that the same surface always gives the same triangles
static bool spIsBefore(const spCollapse* a, const spCollapse* b)
{
    if (a->cost != b->cost)
    {
        return a->cost < b->cost;
    }
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

static void spSiftDown(spSimplifier* s, int i, spCollapse item)
{
    for (;;)
    {
        int child = 2 * i + 1;
        child += child + 1 < s->count && spIsBefore(s->queue + child + 1, s->queue + child);
        if (child >= s->count || spIsBefore(s->queue + child, &item) == false)
        {
            break;
        }
        s->queue[i] = s->queue[child];
        i = child;
    }
    s->queue[i] = item;
}

static bool spPush(spSimplifier* s, spCollapse item)
{
    if (spReserve(&s->table->heap, (void**)&s->queue, s->count, &s->capacity, s->count + 1,
                  sizeof(*s->queue)) == false)
    {
        return false;
    }
    int i = s->count++;
    for (; i > 0 && spIsBefore(&item, s->queue + (i - 1) / 2); i = (i - 1) / 2)
    {
        s->queue[i] = s->queue[(i - 1) / 2];
    }
    s->queue[i] = item;
    return true;
}

static spCollapse spPop(spSimplifier* s)
{
    spCollapse first = s->queue[0];
    s->count -= 1;
    if (s->count > 0)
    {
        spSiftDown(s, 0, s->queue[s->count]);
    }
    return first;
}

// Puts an edge in, with the best place for it
static bool spQueueEdge(spSimplifier* s, int32_t corner)
{
    const spCornerTable* t = s->table;
    int32_t a = t->vertex[corner], b = t->vertex[spNextCorner(corner)];
    if (t->locked[a] || t->locked[b])
    {
        return true;
    }
    spQuadric q = spAddQuadrics(s->quadrics + a, s->quadrics + b);
    spDVec3 ends[2] = {spGetPlace(s, a), spGetPlace(s, b)}, best;
    double far = spDDistance(ends[0], ends[1]);
    spDVec3 middle = spDScale(0.5, spDAdd(ends[0], ends[1]));
    if (spFindLeast(&q, &best) == false || !(spDDistance(best, middle) <= far))
    {
        spDVec3 tries[3] = {middle, ends[0], ends[1]};
        best = tries[0];
        for (int i = 1; i < 3; ++i)
        {
            best = spGetCost(&q, tries[i]) < spGetCost(&q, best) ? tries[i] : best;
        }
    }
    return spPush(s, (spCollapse){.cost = spGetCost(&q, best),
                                  .corner = corner,
                                  .from = a,
                                  .to = b,
                                  .stamps = {s->stamps[a], s->stamps[b]},
                                  .x = spDMulAdd(s->origin, s->extent, best)});
}

// Edges between neighbours of a vertex that has moved are looked at again when they come up
static bool spQueueFan(spSimplifier* s, int32_t vertex)
{
    const spCornerTable* t = s->table;
    int32_t fan[SP_FAN_LIMIT];
    int count = spCollectFan(t, vertex, fan, NULL);
    bool ok = true;
    for (int i = 0; ok && i < count; ++i)
    {
        int32_t last = spPreviousCorner(fan[i]);
        ok = spQueueEdge(s, fan[i]) && (t->twin[last] >= 0 || spQueueEdge(s, last));
    }
    return ok;
}

// ---- all of it ----

static bool spIsCurrent(const spSimplifier* s, const spCollapse* item)
{
    const spCornerTable* t = s->table;
    return t->vertex[item->corner] == item->from && t->vertex[spNextCorner(item->corner)] == item->to &&
           s->stamps[item->from] == item->stamps[0] && s->stamps[item->to] == item->stamps[1];
}

// Adds the plane in which a vertex of a fan keeps the volume below the fan
static void spAddVolumePlane(const spSimplifier* s, int32_t vertex, int32_t other, spDVec3* normal,
                             double* volume)
{
    const spCornerTable* t = s->table;
    int32_t fan[SP_FAN_LIMIT];
    int count = spCollectFan(t, vertex, fan, NULL);
    spDVec3 x = spGetPlace(s, vertex);
    for (int i = 0; i < count; ++i)
    {
        int32_t b = t->vertex[spNextCorner(fan[i])], c = t->vertex[spPreviousCorner(fan[i])];
        spDVec3 cross = spDCross(spGetPlace(s, b), spGetPlace(s, c));
        // The two triangles that go are in both fans
        bool twice = b == other || c == other;
        *volume += (twice ? 0.5 : 1.0) * spDDot(x, cross);
        *normal = twice ? *normal : spDAdd(*normal, cross);
    }
}

// Moves the place of an edge so that its collapse keeps the volume, across the quadric as little as can be
// (Lindstrom and Turk). Borders have no volume, and what would go far stays.
static spDVec3 spKeepVolume(const spSimplifier* s, const spCollapse* item)
{
    spDVec3 x = spDScale(1.0 / s->extent, spDSub(item->x, s->origin)), normal = {0.0, 0.0, 0.0};
    double volume = 0.0;
    spAddVolumePlane(s, item->from, item->to, &normal, &volume);
    spAddVolumePlane(s, item->to, item->from, &normal, &volume);
    double length2 = spDDot(normal, normal),
           far = spDDistance(spGetPlace(s, item->from), spGetPlace(s, item->to));
    double shift = (volume - spDDot(normal, x)) / fmax(length2, 1e-300);
    spDVec3 move = spDScale(shift, normal);
    return spDDot(move, move) <= far * far ? spDMulAdd(item->x, s->extent, move) : item->x;
}

// Collapses the first edge of the queue if it can be
static bool spCollapseFirst(spSimplifier* s)
{
    spCollapse item = spPop(s);
    spCornerTable* t = s->table;
    if (spIsCurrent(s, &item) == false)
    {
        return true;
    }
    item.x = spKeepVolume(s, &item);
    if (spCanCollapse(t, item.corner, item.x) == false ||
        (s->bound != NULL && spStaysNear(s->bound, t, item.corner, item.x) == false))
    {
        return true;
    }
    s->quadrics[item.to] = spAddQuadrics(s->quadrics + item.from, s->quadrics + item.to);
    s->stamps[item.to] += 1;
    spCollapseEdge(t, item.corner, item.x);
    if (s->bound != NULL)
    {
        spMoveSamples(s->bound, t, item.from, item.to);
    }
    return spQueueFan(s, item.to);
}

// Puts all edges in
static bool spQueueAll(spSimplifier* s)
{
    bool ok = true;
    s->count = 0;
    for (int32_t c = 0; ok && c < s->table->cornerCount; ++c)
    {
        ok = spIsFirstHalf(s->table, c) == false || spQueueEdge(s, c);
    }
    return ok;
}

// What could not collapse may do so when its neighbours have: all edges are tried again as long as that is
// worth it
static bool spCollapseAll(spSimplifier* s, const spSimplifyMeshDef* def, spError* error)
{
    spCornerTable* t = s->table;
    int first = t->triangleCount;
    bool ok = true;
    for (int before = 0, i = 0; ok && t->triangleCount > def->triangleCount; ++i)
    {
        double fraction = (double)(first - t->triangleCount) / (first - def->triangleCount);
        if (def->progress != NULL && i % SP_PROGRESS_COLLAPSES == 0 &&
            def->progress(fraction, def->progressContext) == false)
        {
            return spFail(error, sp_errorNone, "cancelled");
        }
        if (s->count == 0)
        {
            if (i > 0 && before - t->triangleCount <= SP_LEAST_GAIN * before)
            {
                break;
            }
            before = t->triangleCount;
            ok = spQueueAll(s);
        }
        ok = ok && (s->count == 0 || spCollapseFirst(s));
    }
    return ok || spFailMemory(error, "a surface", spArraySize(s->count, sizeof(spCollapse)));
}

static bool spSimplifySurface(spCornerTable* table, const spMesh* surface, const void* context,
                              spRemeshReport* report, spError* error)
{
    SP_UNUSED(report);
    const spSimplifyMeshDef* def = context;
    spHeap* heap = &table->heap;
    spSurfaceBound bound = {0};
    size_t size = spArraySize(surface->vertexCount, sizeof(spQuadric));
    spSimplifier s = {.table = table,
                      .quadrics = spAllocZeroed(heap, size),
                      .stamps = spAllocZeroed(heap, spArraySize(surface->vertexCount, sizeof(uint32_t))),
                      .origin = surface->vertices[0],
                      .extent = table->extent};
    bool ok = (s.quadrics != NULL && s.stamps != NULL) || spFailMemory(error, "a surface", size);
    if (ok && isfinite(def->maxDistance))
    {
        s.bound = &bound;
        ok = spMakeSurfaceBound(heap, surface, def->maxDistance, &bound, error);
    }
    if (ok)
    {
        spMakeQuadrics(&s);
        ok = spCollapseAll(&s, def, error);
    }
    spFreeSurfaceBound(heap, &bound);
    spFree(heap, s.queue);
    spFree(heap, s.stamps);
    spFree(heap, s.quadrics);
    return ok;
}

static bool spCheckSimplifyDef(const spMesh* mesh, const spSimplifyMeshDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef,
                      "the definition of a simplification must come from spDefaultSimplifyMeshDef");
    }
    if (mesh == NULL)
    {
        return spFail(error, sp_errorBadArgument, "a simplification needs a surface, which is NULL");
    }
    if (!(def->maxDistance > 0.0))
    {
        return spFail(error, sp_errorBadArgument,
                      "the largest distance of a simplification must be above 0, not %g m", def->maxDistance);
    }
    return spCheckCount(def->triangleCount, 1, SP_MESH_LIMIT, "the number of triangles", error);
}

spMesh* spSimplifyMesh(const spMesh* mesh, const spSimplifyMeshDef* def, spRemeshReport* report,
                       spError* error)
{
    return spCheckSimplifyDef(mesh, def, error)
               ? spRebuildSurface(mesh, &def->allocator, spSimplifySurface, def, report, error)
               : NULL;
}
