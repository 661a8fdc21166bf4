// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows between bodies while these move within a step.

#include "contact/touch.h"
#include "contact/touch_pair.h"
#include "math/vec3.h"

#include <math.h>

// Of the gap: how far the sides may move against each other until a row is measured anew
#define SP_STALE ((spReal)0.25)
// Of the mean edge: what is farther from the place that was found is beside it
#define SP_BESIDE ((spReal)1.5)

// Walks from a triangle to its neighbours as long as they are nearer
static spNearest spWalkNearest(const spContactSurface* s, const spVec4* x, spVec3 point, int triangle)
{
    spNearest best = spMeasureTriangle(s, x, point, triangle);
    for (int hops = 0; hops < 4; ++hops)
    {
        spNearest last = best;
        for (int k = 0; k < 3; ++k)
        {
            // Where the place is on an edge or at a corner, all triangles around its ends may be nearer
            int place = s->place[s->triangles[3 * last.triangle + k]];
            bool beside = last.weights[k] > 0 && spIsOnEdge(&last);
            for (int i = s->first[place]; beside && i < s->first[place + 1]; ++i)
            {
                spNearest other = spMeasureTriangle(s, x, point, s->corners[i] / 3);
                best = other.distance2 < best.distance2 ? other : best;
            }
        }
        if (best.triangle == last.triangle)
        {
            break;
        }
    }
    return best;
}

static void spRefreshVertex(const spSurfacePair* p, spRow* row, spRowNode* pool)
{
    const spContactSurface* b = p->b;
    int node = row->a.node;
    spVec3 x = spXyz(p->xa[node]), normal;
    bool self = p->slotA == p->slotB;
    spNearest at = self ? spMeasureTriangle(b, p->xb, x, row->features[1])
                        : spWalkNearest(b, p->xb, x, row->features[1]);
    spVec3 d = spGetOffset(b, p->xb, x, &at);
    spReal distance;
    if (b->closed)
    {
        distance = self ? spDot3(d, normal = spGetNormal(b, p->xb, at.triangle))
                        : spFindSigned(p, p->a->place[node], &at, d, &normal);
    }
    else
    {
        // Sheets have no inside: what was on one side of them at the start of the step stays there, and a corner of a solid
        // that is wrapped in one, where the direction turns with the folds, outside of what it sticks out of
        normal = spNormalizeLength3(d, &distance);
        bool through = spDot3(normal, row->normal) < 0 || spIsThrough(p, p->a->place[node], &at, normal);
        normal = distance == 0 ? row->normal : through ? spNeg3(normal) : normal;
        distance = through ? -distance : distance;
    }
    if (spLengthSquared3(normal) == 0)
    {
        return;
    }
    row->normal = normal;
    row->gap = distance - row->thickness;
    row->features[1] = at.triangle;
    for (int k = 0; k < 3; ++k)
    {
        pool[row->b.node + k] = (spRowNode){b->triangles[3 * (size_t)at.triangle + k], at.weights[k]};
    }
}

static void spRefreshEdges(const spSurfacePair* p, spRow* row, spRowNode* pool)
{
    spEdgeOfPair edge = {.pair = p, .half = row->features[0]};
    spCrossing c;
    spGetEdge(p->a, p->xa, edge.half, edge.nodes, edge.ends);
    if (spCrossEdges(&edge, row->features[1], row->normal, &c) == false)
    {
        row->gap = (spReal)INFINITY;
        return;
    }
    row->normal = c.normal;
    row->gap = c.distance - row->thickness;
    pool[row->a.node].weight = 1 - c.s;
    pool[row->a.node + 1].weight = c.s;
    pool[row->b.node].weight = 1 - c.t;
    pool[row->b.node + 1].weight = c.t;
}

static spVec3 spFindOffset(const spRow* row, const spRowNode* pool, const spBody* a, const spBody* b)
{
    return spSub3(spSumSide(&row->a, pool, a->x), spSumSide(&row->b, pool, b->x));
}

static bool spIsBeside(const spRow* row, spVec3 offset, spReal edge)
{
    spVec3 beside = spMulSub3(offset, spDot3(offset, row->normal), row->normal);
    return !(spLengthSquared3(beside) <= SP_BESIDE * SP_BESIDE * edge * edge);
}

// A plane that was passed counts where the way through it, straight since the row was last measured, leads through what
// was found there. What goes by beside that is told by `from`, which is no number any more.
static void spJudgePassage(spRow* row, spVec3 offset, spReal last, spReal edge)
{
    if (last > 0 && spIsBeside(row, spLerp3(row->from, offset, last / (last - row->gap)), edge))
    {
        row->from.x = (spReal)NAN;
    }
    row->gap = isnan(row->from.x) ? (spReal)INFINITY : row->gap;
}

void spRefreshTouch(spRow* row, spRowNode* pool, spBody* const* bodies)
{
    const spBody *a = bodies[row->a.slot], *b = bodies[row->b.slot];
    spVec3 offset = spFindOffset(row, pool, a, b);
    spReal last = spDot3(row->from, row->normal) - row->thickness;
    row->gap = spDot3(offset, row->normal) - row->thickness;
    if (row->area > 0)
    {
        return; // a volume is measured once in a step
    }
    spReal edge = b->contactSurface->meanEdge, most = edge > row->thickness ? edge : row->thickness;
    bool still = last > 0 && spLengthSquared3(spSub3(offset, row->from)) < SP_STALE * SP_STALE * last * last;
    // Beyond that the plane counts that was found before the motion: of an impact to come, or one that was passed
    if (still || !(row->gap < most))
    {
        return;
    }
    bool beside = spIsBeside(row, offset, edge);
    if (!(row->gap > -most) || (beside && row->gap < 0))
    {
        spJudgePassage(row, offset, last, edge);
        return;
    }
    if (beside || isnan(row->from.x))
    {
        row->gap = (spReal)INFINITY;
        return;
    }
    spSurfacePair p = spMakeSurfacePair(bodies, row->a.slot, row->b.slot);
    if (row->features[0] >= 0)
    {
        spRefreshEdges(&p, row, pool);
    }
    else
    {
        spRefreshVertex(&p, row, pool);
    }
    row->from = spFindOffset(row, pool, a, b);
}
