// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A vertex has one row with each surface that it is near: at its nearest place there. Surfaces that are closed have
// an inside, and the sign of the distance comes from the normal of the nearest face, edge or vertex (Baerentzen,
// Aanaes. Signed Distance Computation Using the Angle Weighted Pseudonormal. 2005). Where that place is an edge
// or a corner and the vertex is on it or inside, a distance has no direction, and the faces that look at each
// other give the normal: a box that stands on another one, corner on corner, stands on its face.
//
// Edges have rows with edges that they cross, where both stick out: flat surfaces touch by their vertices.

#include "contact/touch.h"

#include "contact/contact_surface.h"
#include "math/vec3.h"
#include "mesh/sort.h"

#include <math.h>

// Of a weight, or of the length of an edge: this close to an edge or a corner counts as on it
#define SP_ON_EDGE ((spReal)0.02)
// Of the mean edge: beyond this distance a vertex beside an edge or a corner has a direction of its own
#define SP_DIRECTION_DISTANCE ((spReal)0.05)
// Cosine between faces that look at each other, at the most
#define SP_OPPOSED ((spReal)-0.3)
// Cosine between the faces of an edge that is flat
#define SP_FLAT ((spReal)0.94)
// Slope against the normal of two edges, up to which a face beside them counts as flat
#define SP_FLAT_SLOPE ((spReal)0.1)
// Of the mean edge: how deep edges, and surfaces of one body, may be in each other to be pushed apart
#define SP_DEPTH ((spReal)0.5)

// Two surfaces that may touch
typedef struct spSurfacePair
{
    const spTouchContext* context;
    const spBody *bodyA, *bodyB;
    const spContactSurface *a, *b;
    const spVec4 *xa, *xb;
    int slotA, slotB;
    spReal thickness; // distance of the surfaces at which they touch, m
    spReal friction, restitution;
    uint64_t vertexKey; // of vertices of a on b
    uint64_t edgeKey;
    bool ok;
} spSurfacePair;

// ---- rows ----

void spFreeTouches(spHeap* heap, spTouches* touches)
{
    spFree(heap, touches->rows);
    spFree(heap, touches->pool);
    *touches = (spTouches){0};
}

// The gap along the normal of the row
static spReal spMeasureTouch(const spRow* row, const spRowNode* pool, spBody* const* bodies)
{
    spVec3 a = spSumSide(&row->a, pool, bodies[row->a.slot]->x);
    spVec3 b = spSumSide(&row->b, pool, bodies[row->b.slot]->x);
    return spDot3(spSub3(a, b), row->normal) - row->thickness;
}

static spRow* spAddRow(spSurfacePair* p, uint64_t key, spVec3 normal, spReal gap)
{
    spTouches* list = p->context->touches;
    p->ok = p->ok && spReserve(p->context->heap, (void**)&list->rows, list->rowCount, &list->rowCapacity,
                               list->rowCount + 1, sizeof(spRow));
    if (p->ok == false)
    {
        return NULL;
    }
    spRow* row = list->rows + list->rowCount++;
    *row = (spRow){
        .key = key,
        .a = {.slot = p->slotA},
        .b = {.slot = p->slotB},
        .law = sp_rowContact,
        .friction = p->friction,
        .restitution = p->restitution,
        .normal = normal,
        .gap = gap,
        .thickness = p->thickness,
    };
    return row;
}

static bool spAddNodes(spSurfacePair* p, spRowSide* side, const int32_t* nodes, const spReal* weights,
                       int count)
{
    spTouches* list = p->context->touches;
    p->ok = p->ok && spReserve(p->context->heap, (void**)&list->pool, list->poolCount, &list->poolCapacity,
                               list->poolCount + count, sizeof(spRowNode));
    side->count = count;
    side->node = count == 1 ? nodes[0] : list->poolCount;
    for (int i = 0; p->ok && count > 1 && i < count; ++i)
    {
        list->pool[list->poolCount++] = (spRowNode){nodes[i], weights[i]};
    }
    return p->ok;
}

// ---- vertices ----

static spVec3 spGetVertexNormal(const spContactSurface* s, const spVec4* x, int vertex)
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

// The normal that tells inside from outside at a place of a closed surface; its length does not matter
static spVec3 spGetPseudonormal(const spContactSurface* s, const spVec4* x, const spNearest* at)
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

static bool spIsOnEdge(const spNearest* at)
{
    return at->weights[0] < SP_ON_EDGE || at->weights[1] < SP_ON_EDGE || at->weights[2] < SP_ON_EDGE;
}

// Normal and distance of a vertex of a at a place of b, which is closed
static spReal spFindSigned(const spSurfacePair* p, int vertex, const spNearest* at, spVec3 d, spVec3* normal)
{
    spReal distance = (spReal)sqrt((double)at->distance2);
    spVec3 pseudo = spGetPseudonormal(p->b, p->xb, at);
    bool outside = spDot3(d, pseudo) >= 0;
    *normal = spGetNormal(p->b, p->xb, at->triangle);
    if (spIsOnEdge(at) == false)
    {
        return outside ? distance : -distance;
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
    return distance;
}

// The same where b is open: away from it, to the side where the vertex is
static spReal spFindUnsigned(const spSurfacePair* p, int vertex, const spNearest* at, spVec3 d,
                             spVec3* normal)
{
    spReal distance;
    *normal = spNormalizeLength3(d, &distance);
    if (distance == 0)
    {
        *normal = spGetNormal(p->b, p->xb, at->triangle);
        spVec3 own = spGetVertexNormal(p->a, p->xa, vertex);
        *normal = spDot3(own, *normal) > 0 ? spNeg3(*normal) : *normal;
    }
    return distance;
}

static spVec3 spGetPlace(const spContactSurface* s, const spVec4* x, const spNearest* at)
{
    const int32_t* t = s->triangles + 3 * (size_t)at->triangle;
    spVec3 q = spScale3(at->weights[0], spXyz(x[t[0]]));
    return spMulAdd3(spMulAdd3(q, at->weights[1], spXyz(x[t[1]])), at->weights[2], spXyz(x[t[2]]));
}

// How far a node may come in a step, and a little more
static spReal spGetReach(const spSurfacePair* p, spVec3 velocity)
{
    spReal speed = spDistance3(velocity, p->b->velocity) + p->b->spread;
    return p->context->reach + 2 * p->context->dt * speed;
}

static void spAddVertexRow(spSurfacePair* p, int vertex, const spNearest* at, spVec3 normal, spReal gap)
{
    const spContactSurface* b = p->b;
    int32_t node = p->a->vertices[vertex];
    spRow* row = spAddRow(p, spMakeRowKey(p->vertexKey, (uint32_t)p->bodyA->order.order[node]), normal, gap);
    if (row == NULL || spAddNodes(p, &row->a, &node, NULL, 1) == false ||
        spAddNodes(p, &row->b, b->triangles + 3 * (size_t)at->triangle, at->weights, 3) == false)
    {
        return;
    }
    row->features[0] = -1;
    row->features[1] = at->triangle;
}

static void spTouchVertex(spSurfacePair* p, int vertex)
{
    const spContactSurface* b = p->b;
    int node = p->a->vertices[vertex];
    spVec3 x = spXyz(p->xa[node]);
    spReal reach = spGetReach(p, spXyz(p->bodyA->v[node])) + p->thickness;
    spExtent point = {x, x};
    if (spBoxesMeet(b->boxes, &point, reach) == false)
    {
        return;
    }
    // Whoever is inside must be found, however deep
    bool mayBeInside = b->closed && spBoxesMeet(b->boxes, &point, 0);
    spNearest at = spFindNearestTriangle(b, p->xb, x, mayBeInside ? (spReal)INFINITY : reach, NULL, NULL);
    if (at.triangle < 0)
    {
        return;
    }
    spVec3 d = spSub3(x, spGetPlace(b, p->xb, &at)), normal;
    spReal distance =
        b->closed ? spFindSigned(p, vertex, &at, d, &normal) : spFindUnsigned(p, vertex, &at, d, &normal);
    if (distance < reach && spLengthSquared3(normal) > 0)
    {
        spAddVertexRow(p, vertex, &at, normal, distance - p->thickness);
    }
}

// ---- a body with itself ----

typedef struct spSelfFilter
{
    int vertex;
    spVec3 normal; // of the vertex where the surface is closed; else zero
} spSelfFilter;

// Neighbours do not touch; nor do the two sides of a wall from the inside
static bool spPassesSelf(const spContactSurface* s, int triangle, const void* context)
{
    const spSelfFilter* filter = context;
    const int32_t* t = s->triangles + 3 * (size_t)triangle;
    if (s->closed && !(spDot3(s->normals[triangle], filter->normal) < SP_OPPOSED))
    {
        return true;
    }
    int32_t own = s->vertices[filter->vertex];
    for (int k = 0; k < 3; ++k)
    {
        for (int i = s->first[filter->vertex]; i < s->first[filter->vertex + 1]; ++i)
        {
            int half = s->corners[i], next = spNextCorner(half), last = spNextCorner(next);
            if (t[k] == own || t[k] == s->triangles[next] || t[k] == s->triangles[last])
            {
                return true;
            }
        }
    }
    return false;
}

static void spTouchVertexSelf(spSurfacePair* p, int vertex)
{
    const spContactSurface* s = p->a;
    int node = s->vertices[vertex];
    spVec3 x = spXyz(p->xa[node]);
    spSelfFilter filter = {.vertex = vertex};
    filter.normal = s->closed ? spNormalize3(spGetVertexNormal(s, p->xa, vertex)) : filter.normal;
    spReal most = SP_DEPTH * s->meanEdge, reach = spGetReach(p, spXyz(p->bodyA->v[node])) + p->thickness;
    // Not farther than the neighbours: what is beyond them comes near in a later step
    reach = reach < 2 * s->meanEdge ? reach : 2 * s->meanEdge;
    spReal limit = s->closed && most > reach ? most : reach;
    spNearest at = spFindNearestTriangle(s, p->xa, x, limit, spPassesSelf, &filter);
    if (at.triangle < 0)
    {
        return;
    }
    spVec3 d = spSub3(x, spGetPlace(s, p->xa, &at)), normal = spGetNormal(s, p->xa, at.triangle);
    spReal distance = s->closed ? spDot3(d, normal) : spFindUnsigned(p, vertex, &at, d, &normal);
    if (distance < reach && distance > -most && spLengthSquared3(normal) > 0)
    {
        spAddVertexRow(p, vertex, &at, normal, distance - p->thickness);
    }
}

// ---- edges ----

// Each edge belongs to one of its half edges; flat ones of closed surfaces touch by their vertices
static bool spHasEdge(const spContactSurface* s, int half)
{
    int across = s->across[half];
    if (across < 0 || s->closed == false)
    {
        return across < half;
    }
    return across < half && spDot3(s->normals[half / 3], s->normals[across / 3]) < SP_FLAT;
}

static void spGetEdge(const spContactSurface* s, const spVec4* x, int half, int32_t nodes[2], spVec3 ends[2])
{
    nodes[0] = s->triangles[half];
    nodes[1] = s->triangles[spNextCorner(half)];
    ends[0] = spXyz(x[nodes[0]]);
    ends[1] = spXyz(x[nodes[1]]);
}

// Whether an edge sticks out along a direction: its faces fall off from there. Edges of open surfaces always do.
static bool spSticksOut(const spContactSurface* s, const spVec4* x, int half, spVec3 place, spVec3 direction)
{
    const int halves[2] = {half, s->across[half]};
    for (int k = 0; s->closed && k < 2 && halves[k] >= 0; ++k)
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

typedef struct spEdgeSearch
{
    spSurfacePair* pair;
    int half; // of a
    int32_t nodes[2];
    spVec3 ends[2];
    spReal reach;
} spEdgeSearch;

// From b to a, by what is outside of both
static spVec3 spGetOutward(const spEdgeSearch* search, int half)
{
    const spSurfacePair* p = search->pair;
    int acrossA = p->a->across[search->half], acrossB = p->b->across[half];
    spVec3 a = spAdd3(spGetNormal(p->a, p->xa, search->half / 3), spGetNormal(p->a, p->xa, acrossA / 3));
    spVec3 b = spAdd3(spGetNormal(p->b, p->xb, half / 3), spGetNormal(p->b, p->xb, acrossB / 3));
    return spSub3(b, a);
}

static spVec3 spMix(const spVec3 ends[2], spReal t)
{
    return spMulAdd3(spScale3(1 - t, ends[0]), t, ends[1]);
}

static bool spIsInner(spReal t)
{
    return t > SP_ON_EDGE && t < 1 - SP_ON_EDGE;
}

static uint64_t spMakeEdgeKey(const spSurfacePair* p, const int32_t a[2], const int32_t b[2])
{
    const int32_t *userA = p->bodyA->order.order, *userB = p->bodyB->order.order;
    uint64_t key =
        spMakePairKey(sp_rowContact, p->edgeKey, (uint64_t)userA[a[0]] << 32 | (uint32_t)userA[a[1]]);
    return spMakePairKey(sp_rowContact, key, (uint64_t)userB[b[0]] << 32 | (uint32_t)userB[b[1]]);
}

// Where two edges cross
typedef struct spCrossing
{
    spReal s, t; // shares of their lengths
    spVec3 normal;
    spReal distance;
} spCrossing;

// side: which way the normal looks, zero to find that out. False when they do not cross.
static bool spCrossEdges(const spEdgeSearch* search, int half, spVec3 side, spCrossing* out)
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
    spReal edge = p->a->meanEdge < p->b->meanEdge ? p->a->meanEdge : p->b->meanEdge;
    return out->distance > -SP_DEPTH * edge &&
           spSticksOut(p->a, p->xa, search->half, pa, spNeg3(out->normal)) &&
           spSticksOut(p->b, p->xb, half, pb, out->normal);
}

static void spTouchEdges(const spEdgeSearch* search, int half)
{
    spSurfacePair* p = search->pair;
    spCrossing c;
    if (spCrossEdges(search, half, (spVec3){0, 0, 0}, &c) == false || c.distance >= search->reach)
    {
        return;
    }
    const int32_t nodes[2] = {p->b->triangles[half], p->b->triangles[spNextCorner(half)]};
    spRow* row = spAddRow(p, spMakeEdgeKey(p, search->nodes, nodes), c.normal, c.distance - p->thickness);
    const spReal weightsA[2] = {1 - c.s, c.s}, weightsB[2] = {1 - c.t, c.t};
    if (row != NULL && spAddNodes(p, &row->a, search->nodes, weightsA, 2) &&
        spAddNodes(p, &row->b, nodes, weightsB, 2))
    {
        row->features[0] = search->half;
        row->features[1] = half;
    }
}

// Whether two edges of one body meet or are next to each other
static bool spAreNeighbours(const spContactSurface* s, const int32_t a[2], const int32_t b[2])
{
    for (int k = 0; k < 2; ++k)
    {
        int vertex = s->place[a[k]];
        for (int i = s->first[vertex]; i < s->first[vertex + 1]; ++i)
        {
            int next = spNextCorner(s->corners[i]), last = spNextCorner(next);
            const int32_t around[3] = {a[k], s->triangles[next], s->triangles[last]};
            for (int j = 0; j < 3; ++j)
            {
                if (around[j] == b[0] || around[j] == b[1])
                {
                    return true;
                }
            }
        }
    }
    return false;
}

static void spVisitEdges(int triangle, void* context)
{
    const spEdgeSearch* search = context;
    const spSurfacePair* p = search->pair;
    for (int half = 3 * triangle; half < 3 * triangle + 3; ++half)
    {
        if (spHasEdge(p->b, half) == false)
        {
            continue;
        }
        const int32_t nodes[2] = {p->b->triangles[half], p->b->triangles[spNextCorner(half)]};
        bool self = p->slotA == p->slotB;
        if (self == false || (half < search->half && spAreNeighbours(p->a, search->nodes, nodes) == false))
        {
            spTouchEdges(search, half);
        }
    }
}

static void spTouchEdge(spSurfacePair* p, int half)
{
    spEdgeSearch search = {.pair = p, .half = half};
    spGetEdge(p->a, p->xa, half, search.nodes, search.ends);
    spReal reach0 = spGetReach(p, spXyz(p->bodyA->v[search.nodes[0]]));
    spReal reach1 = spGetReach(p, spXyz(p->bodyA->v[search.nodes[1]]));
    search.reach = (reach0 > reach1 ? reach0 : reach1) + p->thickness;
    if (p->slotA == p->slotB && search.reach > 2 * p->a->meanEdge)
    {
        search.reach = 2 * p->a->meanEdge;
    }
    spExtent box = {spMin3(search.ends[0], search.ends[1]), spMax3(search.ends[0], search.ends[1])};
    spVisitTriangles(p->b, &box, search.reach, spVisitEdges, &search);
}

// ---- pairs of bodies ----

static spSurfacePair spMakePair(const spTouchContext* c, int slotA, int slotB)
{
    const spBody *a = c->bodies[slotA], *b = c->bodies[slotB];
    spSurfacePair p = {
        .context = c,
        .bodyA = a,
        .bodyB = b,
        .a = a->contactSurface,
        .b = b->contactSurface,
        .xa = a->backend->view(a->x, 0, a->nodeCount),
        .xb = b->backend->view(b->x, 0, b->nodeCount),
        .slotA = slotA,
        .slotB = slotB,
        .thickness = a->contactSurface->thickness + b->contactSurface->thickness,
        .friction = (spReal)sqrt((double)(a->friction * b->friction)),
        .restitution = a->restitution > b->restitution ? a->restitution : b->restitution,
        .ok = true,
    };
    p.vertexKey = spMakePairKey(sp_rowContact, SP_ID_NUMBER(a->id), ~SP_ID_NUMBER(b->id));
    p.edgeKey = spMakePairKey(sp_rowContact, ~SP_ID_NUMBER(a->id), ~SP_ID_NUMBER(b->id));
    return p;
}

static bool spTouchVertices(const spTouchContext* c, int slotA, int slotB)
{
    spSurfacePair p = spMakePair(c, slotA, slotB);
    for (int i = 0; p.ok && i < p.a->vertexCount; ++i)
    {
        spTouchVertex(&p, i);
    }
    return p.ok;
}

static bool spTouchBodies(const spTouchContext* c, int slotA, int slotB)
{
    bool ok = spTouchVertices(c, slotA, slotB) && spTouchVertices(c, slotB, slotA);
    spSurfacePair p = spMakePair(c, slotA, slotB);
    spReal reach = c->reach + p.thickness +
                   2 * c->dt * (spDistance3(p.a->velocity, p.b->velocity) + p.a->spread + p.b->spread);
    for (int half = 0; ok && p.ok && half < 3 * p.a->triangleCount; ++half)
    {
        int32_t nodes[2] = {p.a->triangles[half], p.a->triangles[spNextCorner(half)]};
        spVec3 e0 = spXyz(p.xa[nodes[0]]), e1 = spXyz(p.xa[nodes[1]]);
        spExtent box = {spMin3(e0, e1), spMax3(e0, e1)};
        if (spBoxesMeet(p.b->boxes, &box, reach) && spHasEdge(p.a, half))
        {
            spTouchEdge(&p, half);
        }
    }
    return ok && p.ok;
}

static bool spTouchSelf(const spTouchContext* c, int slot)
{
    spSurfacePair p = spMakePair(c, slot, slot);
    spReal most = SP_DEPTH * p.a->meanEdge;
    p.thickness = p.thickness < most ? p.thickness : most;
    for (int i = 0; p.ok && i < p.a->vertexCount; ++i)
    {
        spTouchVertexSelf(&p, i);
    }
    for (int half = 0; p.ok && half < 3 * p.a->triangleCount; ++half)
    {
        if (spHasEdge(p.a, half))
        {
            spTouchEdge(&p, half);
        }
    }
    return p.ok;
}

// ---- while bodies move ----

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
    spVec3 d = spSub3(x, spGetPlace(b, p->xb, &at));
    spReal distance;
    if (b->closed)
    {
        distance = self ? spDot3(d, normal = spGetNormal(b, p->xb, at.triangle))
                        : spFindSigned(p, p->a->place[node], &at, d, &normal);
    }
    else
    {
        // Sheets have no inside: what was on one side of them at the start of the step stays there
        normal = spNormalizeLength3(d, &distance);
        bool through = spDot3(normal, row->normal) < 0;
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

static void spRefreshEdges(spSurfacePair* p, spRow* row, spRowNode* pool)
{
    spEdgeSearch search = {.pair = p, .half = row->features[0]};
    spCrossing c;
    spGetEdge(p->a, p->xa, search.half, search.nodes, search.ends);
    if (spCrossEdges(&search, row->features[1], row->normal, &c) == false)
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

void spRefreshTouch(spRow* row, spRowNode* pool, spBody* const* bodies)
{
    const spBody *a = bodies[row->a.slot], *b = bodies[row->b.slot];
    spSurfacePair p = {
        .bodyA = a,
        .bodyB = b,
        .a = a->contactSurface,
        .b = b->contactSurface,
        .xa = a->backend->view(a->x, 0, a->nodeCount),
        .xb = b->backend->view(b->x, 0, b->nodeCount),
        .slotA = row->a.slot,
        .slotB = row->b.slot,
    };
    row->gap = spMeasureTouch(row, pool, bodies);
    if (!(row->gap < (p.b->meanEdge > row->thickness ? p.b->meanEdge : row->thickness)))
    {
        return;
    }
    if (row->features[0] >= 0)
    {
        spRefreshEdges(&p, row, pool);
    }
    else
    {
        spRefreshVertex(&p, row, pool);
    }
}

// ---- all bodies ----

static bool spMayTouch(const spBody* body)
{
    return body != NULL && body->running && body->methodDef.contact != sp_contactOff &&
           body->contactSurface != NULL;
}

// Makes and refits the surfaces. False without memory.
static bool spPrepareSurfaces(const spTouchContext* c)
{
    int candidates = 0;
    bool ok = true;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        const spBody* body = c->bodies[i];
        candidates += body != NULL && body->running && body->triangleCount > 0;
    }
    for (int i = 0; i < c->bodyCount; ++i)
    {
        spBody* body = c->bodies[i];
        bool wanted = body != NULL && body->running && body->methodDef.contact != sp_contactOff &&
                      (body->selfContact || (c->betweenBodies && candidates > 1));
        if (wanted == false)
        {
            continue;
        }
        if (body->contactSurface != NULL && body->contactSurface->version != body->topologyVersion)
        {
            spDestroyContactSurface(body->heap, body->contactSurface);
            body->contactSurface = NULL;
        }
        bool none = false;
        if (body->contactSurface == NULL)
        {
            body->contactSurface = spCreateContactSurface(body, &none);
            ok = ok && (body->contactSurface != NULL || none);
        }
        if (body->contactSurface != NULL)
        {
            spRefitContactSurface(body->contactSurface, body, c->dt);
        }
    }
    return ok;
}

static bool spIsBoxBefore(int32_t a, int32_t b, const void* context)
{
    const spTouchContext* c = context;
    return c->bodies[a]->contactSurface->boxes[0].lower.x < c->bodies[b]->contactSurface->boxes[0].lower.x;
}

static bool spAreLinked(const spTouchContext* c, int a, int b)
{
    for (int k = 0; k < c->linkCount; ++k)
    {
        const spLink* link = c->links[k];
        if (link != NULL &&
            ((link->body == a && link->otherBody == b) || (link->body == b && link->otherBody == a)))
        {
            return true;
        }
    }
    return false;
}

static bool spShareGroups(const spBody* a, const spBody* b)
{
    return (a->group & b->touches) != 0 && (b->group & a->touches) != 0;
}

// Sorts the boxes by where they begin and compares those that overlap along x
static bool spSweepBodies(const spTouchContext* c, int32_t* order, int32_t* temp)
{
    int count = 0;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        if (spMayTouch(c->bodies[i]))
        {
            order[count++] = i;
        }
    }
    spSortIndices(order, temp, count, spIsBoxBefore, c);
    bool ok = true;
    for (int i = 0; ok && i < count; ++i)
    {
        const spContactSurface* a = c->bodies[order[i]]->contactSurface;
        ok = c->bodies[order[i]]->selfContact == false || spTouchSelf(c, order[i]);
        for (int k = i + 1; ok && c->betweenBodies && k < count; ++k)
        {
            const spContactSurface* b = c->bodies[order[k]]->contactSurface;
            spReal margin = c->reach + a->thickness + b->thickness;
            if (b->boxes[0].lower.x > a->boxes[0].upper.x + margin + b->thickness)
            {
                break;
            }
            int first = spMinInt(order[i], order[k]), second = spMaxInt(order[i], order[k]);
            if (spBoxesMeet(a->boxes, b->boxes, margin) && spAreLinked(c, first, second) == false &&
                spShareGroups(c->bodies[first], c->bodies[second]))
            {
                ok = spTouchBodies(c, first, second);
            }
        }
    }
    return ok;
}

bool spFindTouches(const spTouchContext* c)
{
    c->touches->rowCount = 0;
    c->touches->poolCount = 0;
    int32_t* order = spArenaAlloc(c->arena, spArraySize(c->bodyCount, 2 * sizeof(int32_t)));
    bool ok = spPrepareSurfaces(c) && (c->bodyCount == 0 || order != NULL) &&
              (c->bodyCount == 0 || spSweepBodies(c, order, order + c->bodyCount));
    if (ok == false)
    {
        c->touches->rowCount = 0;
    }
    return ok;
}
