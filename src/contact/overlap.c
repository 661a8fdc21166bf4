// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/overlap.h"

#include "contact/intersect.h"
#include "mesh/triangle_math.h"

#include <math.h>

bool spMakeMissingSurfaces(const spTouchContext* c)
{
    bool ok = true;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        spBody* body = c->bodies[i];
        bool none = false;
        if (body == NULL || body->running == false || body->methodDef.contact == sp_contactOff)
        {
            continue;
        }
        if (body->contactSurface != NULL && body->contactSurface->version != body->topologyVersion)
        {
            spDestroyContactSurface(body->heap, body->contactSurface);
            body->contactSurface = NULL;
        }
        if (body->contactSurface == NULL)
        {
            body->contactSurface = spCreateContactSurface(body, &none);
            ok = ok && (body->contactSurface != NULL || none);
        }
    }
    return ok;
}

// ---- distance ----

static double spGetBoxWay2(const spExtent* box, spDVec3 p)
{
    double x = fmax(fmax((double)box->lower.x - p.x, p.x - (double)box->upper.x), 0.0);
    double y = fmax(fmax((double)box->lower.y - p.y, p.y - (double)box->upper.y), 0.0);
    double z = fmax(fmax((double)box->lower.z - p.z, p.z - (double)box->upper.z), 0.0);
    return x * x + y * y + z * z;
}

// How often the segment crosses the surface, odd or even
static bool spCrossesOddly(const spMotionTree* tree, spDVec3 p, spDVec3 q)
{
    spExtent box = {{(spReal)fmin(p.x, q.x), (spReal)fmin(p.y, q.y), (spReal)fmin(p.z, q.z)},
                    {(spReal)fmax(p.x, q.x), (spReal)fmax(p.y, q.y), (spReal)fmax(p.z, q.z)}};
    int stack[64], count = 0;
    bool odd = false;
    stack[count++] = 0;
    while (count > 0)
    {
        int node = stack[--count];
        if (spBoxesMeet(tree->boxes + node, &box, 0) == false)
        {
            continue;
        }
        if (node < tree->leafCount - 1)
        {
            stack[count++] = 2 * node + 1;
            stack[count++] = 2 * node + 2;
            continue;
        }
        int leaf = node - (tree->leafCount - 1), n = tree->surface->triangleCount;
        for (int i = (int)((int64_t)n * leaf / tree->leafCount);
             i < (int)((int64_t)n * (leaf + 1) / tree->leafCount); ++i)
        {
            spDVec3 t[3];
            spGetTriangleCorners(tree->surface, tree->to, tree->surface->sorted[i], t);
            odd ^= spDoesEdgeCross(p, q, t);
        }
    }
    return odd;
}

static double spFindSurfaceDistance(const spMotionTree* tree, spDVec3 point, spDVec3* way)
{
    int stack[64], count = 0;
    double best = INFINITY;
    *way = (spDVec3){0.0, 0.0, 0.0};
    stack[count++] = 0;
    while (count > 0)
    {
        int node = stack[--count];
        if (!(spGetBoxWay2(tree->boxes + node, point) < best))
        {
            continue;
        }
        if (node < tree->leafCount - 1)
        {
            int near = 2 * node + 1, far = near + 1;
            bool swap = spGetBoxWay2(tree->boxes + far, point) < spGetBoxWay2(tree->boxes + near, point);
            stack[count++] = swap ? near : far;
            stack[count++] = swap ? far : near;
            continue;
        }
        int leaf = node - (tree->leafCount - 1), n = tree->surface->triangleCount;
        for (int i = (int)((int64_t)n * leaf / tree->leafCount);
             i < (int)((int64_t)n * (leaf + 1) / tree->leafCount); ++i)
        {
            spDVec3 t[3];
            int feature;
            spGetTriangleCorners(tree->surface, tree->to, tree->surface->sorted[i], t);
            spDVec3 to = spDSub(spFindTrianglePlace(point, t[0], t[1], t[2], &feature), point);
            if (spDDot(to, to) < best)
            {
                best = spDDot(to, to);
                *way = to;
            }
        }
    }
    // Away from all axes, so that it does not run along edges
    const spExtent* all = tree->boxes;
    double size = (double)(all->upper.x - all->lower.x);
    spDVec3 out = {(double)all->upper.x + 0.1 * size + 1e-3, point.y + 0.0137 * size,
                   point.z + 0.0071 * size};
    return spCrossesOddly(tree, point, out) ? -sqrt(best) : sqrt(best);
}

double spFindVertexDistance(const spMotionTree* tree, int vertex, const spMotionTree* closed, spDVec3* way)
{
    spVec4 x = tree->to[tree->surface->vertices[vertex]];
    spExtent box = {spXyz(x), spXyz(x)};
    return spBoxesMeet(closed->boxes, &box, 0) ? spFindSurfaceDistance(closed, spGetDouble(x), way) : 1.0;
}

// ---- counting ----

static bool spCountPair(int triangleA, int triangleB, void* context)
{
    spOverlap* overlap = context;
    const spMotionTree *first = overlap->trees[0], *second = overlap->trees[1];
    int shared[2] = {-1, -1};
    spDVec3 a[3], b[3];
    if (first == second && spFindSharedCorners(first->surface, triangleA, triangleB, shared) > 1)
    {
        return true;
    }
    spGetTriangleCorners(first->surface, first->to, triangleA, a);
    spGetTriangleCorners(second->surface, second->to, triangleB, b);
    if (spDoTrianglesCross(a, b, shared))
    {
        overlap->pairCount += 1;
        overlap->depth = fmax(overlap->depth, spGetCrossingDepth(a, b));
    }
    return true;
}

// How deep vertices of a are in b, which is closed. Returns whether all of them are inside.
static bool spFindDeepest(const spMotionTree* a, const spMotionTree* b, spOverlap* overlap)
{
    bool all = true;
    for (int i = 0; i < a->surface->vertexCount; ++i)
    {
        spDVec3 way;
        double distance = spFindVertexDistance(a, i, b, &way);
        overlap->depth = fmax(overlap->depth, -distance);
        all = all && distance < 0.0;
    }
    return all;
}

static void spMeasureOverlap(spOverlap* overlap, bool deep)
{
    spVisitTrianglePairs(overlap->trees[0], overlap->trees[1], 0, spCountPair, overlap);
    for (int k = 0; deep && overlap->slots[0] != overlap->slots[1] && k < 2; ++k)
    {
        const spMotionTree *a = overlap->trees[k], *b = overlap->trees[1 - k];
        if (b->surface->closed)
        {
            bool inside = spFindDeepest(a, b, overlap);
            overlap->contained = overlap->contained || (inside && overlap->pairCount == 0);
        }
    }
}

// Trees of all bodies that have a contact surface, by slot; NULL without memory
static spMotionTree* spBuildTrees(const spTouchContext* c)
{
    spMotionTree* trees = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spMotionTree)));
    for (int i = 0; trees != NULL && i < c->bodyCount; ++i)
    {
        const spBody* body = c->bodies[i];
        if (body != NULL && body->running && body->contactSurface != NULL)
        {
            const spVec4* x = body->backend->view(body->x, 0, body->nodeCount);
            trees = spBuildMotionTree(c->arena, body->contactSurface, x, x, trees + i) ? trees : NULL;
        }
    }
    return trees;
}

bool spVisitOverlaps(const spTouchContext* c, bool deep, spVisitOverlapFcn* visit, void* visitContext)
{
    if (c->bodyCount == 0)
    {
        return true;
    }
    size_t mark = c->arena->used;
    bool ok = spMakeMissingSurfaces(c);
    const spMotionTree* trees = ok ? spBuildTrees(c) : NULL;
    for (int i = 0; trees != NULL && i < c->bodyCount; ++i)
    {
        for (int k = i; k < c->bodyCount; ++k)
        {
            spOverlap overlap = {.slots = {i, k}, .trees = {trees + i, trees + k}};
            if (spMayPairTouch(c, i, k) && spBoxesMeet(trees[i].boxes, trees[k].boxes, 0))
            {
                spMeasureOverlap(&overlap, deep);
            }
            if (overlap.pairCount > 0 || overlap.contained)
            {
                visit(&overlap, visitContext);
            }
        }
    }
    spRewindArena(c->arena, mark);
    return trees != NULL;
}
