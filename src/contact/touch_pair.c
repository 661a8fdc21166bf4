// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/touch_pair.h"

#include "math/vec3.h"

#include <math.h>

// Of the mean edge: beyond this distance a vertex beside an edge or a corner has a direction of its own
#define SP_DIRECTION_DISTANCE ((spReal)0.05)
// Of the mean edge: how far behind an open surface something may be that was in front of it
#define SP_THROUGH ((spReal)0.25)
// Slope against the normal of two edges, up to which a face beside them counts as flat
#define SP_FLAT_SLOPE ((spReal)0.1)

spSurfacePair spMakeSurfacePair(spBody* const* bodies, int slotA, int slotB)
{
    const spBody *a = bodies[slotA], *b = bodies[slotB];
    spSurfacePair p = {
        .bodyA = a,
        .bodyB = b,
        .a = a->contactSurface,
        .b = b->contactSurface,
        .xa = a->backend->view(a->x, 0, a->nodeCount),
        .xb = b->backend->view(b->x, 0, b->nodeCount),
        .va = a->backend->view(a->v, 0, a->nodeCount),
        .vb = b->backend->view(b->v, 0, b->nodeCount),
        .slotA = slotA,
        .slotB = slotB,
    };
    return p;
}

// ---- vertices ----

// Among the faces of b around a place, the one that looks most against a face of vertex `vertex` of a; returns the
// cosine between them
static spReal spFindOpposed(const spSurfacePair* p, int vertex, const spNearest* at, spVec3* normal)
{
    const spContactSurface *a = p->a, *b = p->b;
    int half = 3 * at->triangle, corner = -1, faces[64], count = 0;
    faces[count++] = at->triangle;
    for (int k = 0; k < 3; ++k)
    {
        int across = b->across[spNextCorner(half + k)];
        corner = at->weights[k] > 1 - SP_ON_EDGE ? half + k : corner;
        if (at->weights[k] < SP_ON_EDGE && across >= 0)
        {
            faces[count++] = across / 3;
        }
    }
    if (corner >= 0)
    {
        int place = b->place[b->triangles[corner]];
        count = 0;
        for (int i = b->first[place]; i < b->first[place + 1] && count < 64; ++i)
        {
            faces[count++] = b->corners[i] / 3;
        }
    }
    spReal least = 2;
    for (int i = 0; i < count; ++i)
    {
        spVec3 face = spGetNormal(b, p->xb, faces[i]);
        for (int k = a->first[vertex]; k < a->first[vertex + 1]; ++k)
        {
            spReal cosine = spDot3(face, spGetNormal(a, p->xa, a->corners[k] / 3));
            if (cosine < least)
            {
                least = cosine;
                *normal = face;
            }
        }
    }
    return least;
}

bool spFacesAway(const spSurfacePair* p, int vertex, spVec3 direction)
{
    const spContactSurface* a = p->a;
    bool away = a->closed;
    for (int k = a->first[vertex]; away && k < a->first[vertex + 1]; ++k)
    {
        away = spDot3(direction, spGetNormal(a, p->xa, a->corners[k] / 3)) >= SP_OPPOSED;
    }
    return away;
}

bool spIsOnEdge(const spNearest* at)
{
    return at->weights[0] < SP_ON_EDGE || at->weights[1] < SP_ON_EDGE || at->weights[2] < SP_ON_EDGE;
}

spReal spFindSigned(const spSurfacePair* p, int vertex, const spNearest* at, spVec3 d, spVec3* normal)
{
    spReal distance = (spReal)sqrt((double)at->distance2);
    spVec3 pseudo = spGetPseudonormal(p->b, p->xb, at);
    bool outside = spDot3(d, pseudo) >= 0;
    *normal = spGetNormal(p->b, p->xb, at->triangle);
    bool shallow = outside || distance < SP_DIRECTION_DISTANCE * p->b->meanEdge;
    if (spIsOnEdge(at) == false)
    {
        return shallow && spFacesAway(p, vertex, *normal) ? (spReal)INFINITY : outside ? distance : -distance;
    }
    if (outside == false || distance < SP_DIRECTION_DISTANCE * p->b->meanEdge)
    {
        spVec3 opposed = *normal;
        if (spFindOpposed(p, vertex, at, &opposed) < SP_OPPOSED)
        {
            *normal = opposed;
            return spDot3(d, opposed);
        }
        *normal = spNormalize3(pseudo);
        return spDot3(d, *normal);
    }
    *normal = spNormalize3(d);
    return spFacesAway(p, vertex, *normal) ? (spReal)INFINITY : distance;
}

// What b exerted on a vertex of a in the last step, N
static spVec3 spFindLastForce(const spSurfacePair* p, int vertex)
{
    uint32_t node = (uint32_t)p->bodyA->order.order[p->a->vertices[vertex]];
    spVec3 force = spFindMultiplier(p->multipliers, spMakeRowKey(p->vertexKey, node)).force;
    spVec3 fast = spFindMultiplier(p->multipliers, spMakeRowKey(p->fastKey, node)).force;
    return spAdd3(force, fast);
}

// Whether a vertex is so near to b, which is open, that it may have come through
static bool spIsShallow(const spSurfacePair* p, const spNearest* at)
{
    spReal deep = SP_THROUGH * p->b->meanEdge;
    deep = deep > p->thickness ? deep : p->thickness;
    return at->distance2 < deep * deep;
}

bool spIsThrough(const spSurfacePair* p, int vertex, const spNearest* at, spVec3 normal)
{
    if (p->a->closed == false || p->a == p->b || spIsShallow(p, at) == false ||
        !(spDot3(normal, spGetVertexNormal(p->a, p->xa, vertex)) > 0))
    {
        return false;
    }
    spVec3 x = spXyz(p->xa[p->a->vertices[vertex]]);
    spVec3 place = spSub3(x, spGetOffset(p->b, p->xb, x, at));
    spNearest own = spFindNearestTriangle(p->a, p->xa, place, (spReal)INFINITY, NULL, NULL);
    return own.triangle >= 0 && spIsInside(p->a, p->xa, place, &own);
}

spReal spFindUnsigned(const spSurfacePair* p, int vertex, const spNearest* at, spVec3 d, spVec3* normal)
{
    spReal distance;
    *normal = spNormalizeLength3(d, &distance);
    if (distance == 0)
    {
        *normal = spGetNormal(p->b, p->xb, at->triangle);
        spVec3 own = spGetVertexNormal(p->a, p->xa, vertex);
        *normal = spDot3(own, *normal) > 0 ? spNeg3(*normal) : *normal;
    }
    bool pressed = spIsShallow(p, at) && spDot3(spFindLastForce(p, vertex), *normal) < 0;
    if (pressed || spIsThrough(p, vertex, at, *normal))
    {
        *normal = spNeg3(*normal);
        return -distance;
    }
    return distance;
}

// ---- edges ----

void spGetEdge(const spContactSurface* s, const spVec4* x, int half, int32_t nodes[2], spVec3 ends[2])
{
    nodes[0] = s->triangles[half];
    nodes[1] = s->triangles[spNextCorner(half)];
    ends[0] = spXyz(x[nodes[0]]);
    ends[1] = spXyz(x[nodes[1]]);
}

// Whether an edge sticks out along a direction: its faces fall off from there
static bool spSticksOut(const spContactSurface* s, const spVec4* x, int half, spVec3 place, spVec3 direction)
{
    const int halves[2] = {half, s->across[half]};
    for (int k = 0; k < 2 && halves[k] >= 0; ++k)
    {
        int corner = spNextCorner(spNextCorner(halves[k]));
        // A face that lies flat on another one is neither above nor below
        spVec3 arm = spSub3(spXyz(x[s->triangles[corner]]), place);
        if (spDot3(arm, direction) > SP_FLAT_SLOPE * spLength3(arm))
        {
            return false;
        }
    }
    return true;
}

// From b to a, by what is outside of both
static spVec3 spGetOutward(const spEdgeOfPair* search, int half)
{
    const spSurfacePair* p = search->pair;
    int acrossA = p->a->across[search->half], acrossB = p->b->across[half];
    spVec3 a = spGetNormal(p->a, p->xa, search->half / 3), b = spGetNormal(p->b, p->xb, half / 3);
    a = acrossA >= 0 ? spAdd3(a, spGetNormal(p->a, p->xa, acrossA / 3)) : a;
    b = acrossB >= 0 ? spAdd3(b, spGetNormal(p->b, p->xb, acrossB / 3)) : b;
    return spSub3(b, a);
}

static spVec3 spMix(const spVec3 ends[2], spReal t)
{
    return spMulAdd3(spScale3(1 - t, ends[0]), t, ends[1]);
}

bool spCrossEdges(const spEdgeOfPair* search, int half, spVec3 side, spCrossing* out)
{
    const spSurfacePair* p = search->pair;
    int32_t nodes[2];
    spVec3 ends[2];
    spGetEdge(p->b, p->xb, half, nodes, ends);
    spFindSegmentWeights(search->ends[0], search->ends[1], ends[0], ends[1], &out->s, &out->t);
    if (spIsInner(out->s) == false || spIsInner(out->t) == false)
    {
        return false;
    }
    spVec3 ea = spSub3(search->ends[1], search->ends[0]), eb = spSub3(ends[1], ends[0]);
    spVec3 pa = spMix(search->ends, out->s), pb = spMix(ends, out->t), d = spSub3(pa, pb);
    spVec3 normal = spCross3(ea, eb);
    if (!(spLengthSquared3(normal) > (spReal)1e-3 * spLengthSquared3(ea) * spLengthSquared3(eb)))
    {
        return false;
    }
    normal = spNormalize3(normal);
    if (spLengthSquared3(side) == 0)
    {
        side = p->a->closed && p->b->closed ? spGetOutward(search, half) : d;
    }
    out->normal = spDot3(normal, side) < 0 ? spNeg3(normal) : normal;
    out->distance = spDot3(d, out->normal);
    return spSticksOut(p->a, p->xa, search->half, pa, spNeg3(out->normal)) &&
           spSticksOut(p->b, p->xb, half, pb, out->normal);
}
