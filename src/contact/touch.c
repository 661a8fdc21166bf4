// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A vertex has one row with each surface that it is near: at its nearest place there. Edges have rows with edges that
// they cross, where both stick out: flat surfaces touch by their vertices.
//
// What is fast, so that it may come from farther away than a triangle is long, has rows where its straight way meets
// a surface, with the plane of that impact (sweep_test.h).
//
// Everything is measured in tasks of some leaves of one surface: once to count rows, then they are written to where
// they belong, in an order that no thread changes.

#include "contact/touch.h"

#include "contact/broad.h"
#include "contact/near.h"
#include "contact/sweep_test.h"
#include "contact/touch_pair.h"
#include "contact/volume_rows.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Of the mean edge: how deep edges, and surfaces of one body, may be in each other to be pushed apart
#define SP_DEPTH ((spReal)0.5)
// Of the mean edge of the other surface: what comes from farther away is fast
#define SP_FAST ((spReal)1)
// The same of what moves in a straight line within the step alone
#define SP_FAST_WAY ((spReal)0.5)
// Of both mean edges: slack of lists of what is near
#define SP_SLACK ((spReal)0.3)
// Leaves in a task
#define SP_TASK_SIZE 32
// Rows between edges that a task keeps for each of its leaves until there is room for them; where there are more they
// are found again
#define SP_LEAF_EDGES 4

// What is looked for
typedef enum spTaskKind
{
    sp_taskVertices,
    sp_taskEdges,
    sp_taskFastVertices,
    sp_taskFastEdges,
} spTaskKind;

// What was found for a vertex; triangle is -1 for nothing
typedef struct spVertexHit
{
    spNearest at;
    spVec3 normal, offset;
    spReal gap;
} spVertexHit;

// Two edges that may touch
typedef struct spEdgeHit
{
    int half, other; // half edges of a and b
    spReal s, t;     // where on them
    spVec3 normal, offset;
    spReal gap;
} spEdgeHit;

typedef struct spTask
{
    const spSurfacePair* pair;
    spTaskKind kind;
    int firstLeaf, lastLeaf;
    int firstHit;     // of the vertices of the first leaf
    spEdgeHit* edges; // of tasks that look for edges: SP_LEAF_EDGES for each leaf
    int rowCount;
    int firstRow, firstEntry; // in the list of rows
} spTask;

typedef struct spSearch
{
    const spTouchContext* context;
    spTask* tasks;
    int taskCount;
    spVertexHit* hits; // of each vertex of each pair
    spVertexHit* fastHits;
    spEdgeHit* edges; // of tasks that look for edges
    int edgeCount;    // of which room is given away
    int32_t* marks;   // of the nodes of a body, for each worker: last vertex whose neighbour it is
    int markCount;
} spSearch;

// Where the rows of a task go; while they are counted, those of edges to where they are kept
typedef struct spRowOutput
{
    spRow* rows;
    spRowNode* pool;
    spEdgeHit* edges;
    int edgeRoom;
    int rowCount, entryCount;
    int firstEntry;
} spRowOutput;

void spFreeTouches(spHeap* heap, spTouches* touches)
{
    for (int i = 0; i < touches->nearCount; ++i)
    {
        spFreeNear(heap, touches->near[i]);
    }
    spFree(heap, touches->near);
    spFree(heap, touches->rows);
    spFree(heap, touches->pool);
    *touches = (spTouches){0};
}

// ---- rows ----

static int spWriteSide(spRowOutput* out, spRowSide* side, const int32_t* nodes, const spReal* weights,
                       int count)
{
    side->count = count;
    side->node = count == 1 ? nodes[0] : out->firstEntry + out->entryCount;
    for (int i = 0; count > 1 && i < count; ++i)
    {
        out->pool[out->entryCount++] = (spRowNode){nodes[i], weights[i]};
    }
    return count;
}

static spRow* spWriteRow(spRowOutput* out, const spSurfacePair* p, uint64_t key, spVec3 normal, spVec3 offset)
{
    spRow* row = out->rows + out->rowCount++;
    *row = (spRow){
        .key = key,
        .a = {.slot = p->slotA},
        .b = {.slot = p->slotB},
        .law = sp_rowContact,
        .friction = p->friction,
        .restitution = p->restitution,
        .normal = normal,
        .gap = spDot3(offset, normal) - p->thickness,
        .thickness = p->thickness,
        .from = offset,
    };
    return row;
}

static void spWriteVertexRow(spRowOutput* out, const spSurfacePair* p, uint64_t pairKey, int vertex,
                             const spVertexHit* hit)
{
    int32_t node = p->a->vertices[vertex];
    uint64_t key = spMakeRowKey(pairKey, (uint32_t)p->bodyA->order.order[node]);
    spRow* row = spWriteRow(out, p, key, hit->normal, hit->offset);
    row->gap = hit->gap;
    row->features[0] = -1;
    row->features[1] = hit->at.triangle;
    spWriteSide(out, &row->a, &node, NULL, 1);
    spWriteSide(out, &row->b, p->b->triangles + 3 * (size_t)hit->at.triangle, hit->at.weights, 3);
}

static uint64_t spMakeEdgeKey(const spSurfacePair* p, const int32_t a[2], const int32_t b[2])
{
    const int32_t *userA = p->bodyA->order.order, *userB = p->bodyB->order.order;
    uint64_t key =
        spMakePairKey(sp_rowContact, p->edgeKey, (uint64_t)userA[a[0]] << 32 | (uint32_t)userA[a[1]]);
    return spMakePairKey(sp_rowContact, key, (uint64_t)userB[b[0]] << 32 | (uint32_t)userB[b[1]]);
}

static void spWriteEdgeRow(spRowOutput* out, const spSurfacePair* p, const spEdgeHit* hit)
{
    const int32_t *a = p->a->triangles, *b = p->b->triangles;
    const int32_t nodesA[2] = {a[hit->half], a[spNextCorner(hit->half)]};
    const int32_t nodesB[2] = {b[hit->other], b[spNextCorner(hit->other)]};
    const spReal weightsA[2] = {1 - hit->s, hit->s}, weightsB[2] = {1 - hit->t, hit->t};
    spRow* row = spWriteRow(out, p, spMakeEdgeKey(p, nodesA, nodesB), hit->normal, hit->offset);
    row->gap = hit->gap;
    row->features[0] = hit->half;
    row->features[1] = hit->other;
    spWriteSide(out, &row->a, nodesA, weightsA, 2);
    spWriteSide(out, &row->b, nodesB, weightsB, 2);
}

// Counts a row between two edges and keeps it, or writes it
static void spAddEdgeRow(spRowOutput* out, const spEdgeOfPair* edge, int half, const spCrossing* c,
                         spVec3 offset)
{
    const spEdgeHit hit = {
        edge->half, half, c->s, c->t, c->normal, offset, c->distance - edge->pair->thickness};
    if (out->rows != NULL)
    {
        spWriteEdgeRow(out, edge->pair, &hit);
        return;
    }
    if (out->rowCount < out->edgeRoom)
    {
        out->edges[out->rowCount] = hit;
    }
    out->rowCount += 1;
}

// ---- reach ----

// How far away what moves at this velocity may be to touch in the step, m
static spReal spGetReach(const spSurfacePair* p, spVec3 velocity)
{
    spReal reach = p->base + p->span * (spDistance3(velocity, p->b->velocity) + p->b->spread);
    return reach < p->most ? reach : p->most;
}

// The same at a triangle of b, by how its corners move against that
static spReal spGetTriangleReach(const spSurfacePair* p, spVec3 velocity, int triangle)
{
    spReal most = 0;
    for (int k = 0; k < 3; ++k)
    {
        spVec3 v = spXyz(p->vb[p->b->triangles[3 * (size_t)triangle + k]]);
        spReal speed2 = spLengthSquared3(spSub3(velocity, v));
        most = speed2 > most ? speed2 : most;
    }
    return p->base + p->span * (spReal)sqrt((double)most);
}

static bool spIsSelf(const spSurfacePair* p)
{
    return p->bodyA == p->bodyB;
}

// ---- vertices near a surface ----

// A vertex that looks for what is near it
typedef struct spVertexSearch
{
    const spSurfacePair* pair;
    int vertex;
    spVec3 x, v;
    bool all;       // also what moves too little against it to touch in the step
    int32_t* marks; // of a body with itself: nodes of neighbours have this mark
    int32_t mark;
    spVec3 normal; // of the vertex where it may touch what looks at it only; else zero
} spVertexSearch;

// Marks the vertex and its neighbours, which do not touch it
static void spMarkNeighbours(const spVertexSearch* v)
{
    const spContactSurface* s = v->pair->a;
    v->marks[s->vertices[v->vertex]] = v->mark;
    for (int i = s->first[v->vertex]; i < s->first[v->vertex + 1]; ++i)
    {
        int next = spNextCorner(s->corners[i]);
        v->marks[s->triangles[next]] = v->mark;
        v->marks[s->triangles[spNextCorner(next)]] = v->mark;
    }
}

// Neighbours do not touch; nor do the two sides of a wall from the inside
static bool spMayMeet(const spVertexSearch* v, int triangle)
{
    const spContactSurface* s = v->pair->b;
    if (v->marks == NULL)
    {
        return true;
    }
    const int32_t* t = s->triangles + 3 * (size_t)triangle;
    if (v->marks[t[0]] == v->mark || v->marks[t[1]] == v->mark || v->marks[t[2]] == v->mark)
    {
        return false;
    }
    return s->closed == false || spDot3(s->normals[triangle], v->normal) < SP_OPPOSED;
}

static void spTryTriangle(const spVertexSearch* v, int triangle, spNearest* best)
{
    if (spMayMeet(v, triangle))
    {
        spNearest at = spMeasureTriangle(v->pair->b, v->pair->xb, v->x, triangle);
        if (spIsNearer(&at, best))
        {
            spReal reach = v->all ? (spReal)INFINITY : spGetTriangleReach(v->pair, v->v, triangle);
            *best = at.distance2 < reach * reach ? at : *best;
        }
    }
}

// Which triangles of a leaf have spheres within a distance, as bits
static uint32_t spTestSpheres(const spLeafSpheres* s, spVec3 p, spReal distance)
{
    uint32_t bits = 0;
    for (int i = 0; i < SP_LEAF_SIZE; ++i)
    {
        spReal x = s->x[i] - p.x, y = s->y[i] - p.y, z = s->z[i] - p.z, r = s->r[i] + distance;
        bits |= (uint32_t)(x * x + y * y + z * z <= r * r) << i;
    }
    return bits;
}

// Whether a triangle of a leaf may be as near a vertex as it must be by how its corners move against that: where
// |x| <= r + base + span (|v| + vr), without roots
static bool spMayComeNear(const spLeafSpheres* s, int i, const spVertexSearch* v)
{
    spReal span = v->pair->span, reach = (s->r[i] + v->pair->base + span * s->vr[i]) * (spReal)1.001;
    spVec3 x = {s->x[i] - v->x.x, s->y[i] - v->x.y, s->z[i] - v->x.z};
    spVec3 u = {s->vx[i] - v->v.x, s->vy[i] - v->v.y, s->vz[i] - v->v.z};
    spReal motion2 = span * span * spLengthSquared3(u) * SP_ROUNDING;
    spReal more = spLengthSquared3(x) - reach * reach - motion2;
    return !(more > 0 && more * more > 4 * reach * reach * motion2 * SP_ROUNDING);
}

// The nearest place among what is listed for a leaf
static spNearest spSearchLeaves(const spVertexSearch* v, int leaf, spReal limit)
{
    const spSurfacePair* p = v->pair;
    const spContactSurface* b = p->b;
    int32_t* hint = p->near->hints + v->vertex;
    spNearest best = {.triangle = -1, .distance2 = limit * limit};
    if (*hint >= 0)
    {
        spTryTriangle(v, *hint, &best);
    }
    spReal bound2 = best.distance2 * SP_ROUNDING;
    for (int i = p->near->first[leaf]; i < p->near->first[leaf + 1]; ++i)
    {
        int other = p->near->leaves[i];
        spReal distance2 = spGetBoxDistance2(spGetLeafBox(b, other), v->x);
        if (!(distance2 <= bound2))
        {
            continue;
        }
        spReal reach = p->base + p->span * spGetLargestSpeed(spGetLeafSpeeds(b, other), v->v);
        spReal reach2 = v->all ? bound2 : reach * reach * SP_ROUNDING;
        spReal limit2 = reach2 < bound2 ? reach2 : bound2;
        if (!(distance2 <= limit2))
        {
            continue;
        }
        uint32_t bits = spTestSpheres(b->spheres + other, v->x, (spReal)sqrt((double)limit2));
        for (int k = 0; bits != 0; ++k, bits >>= 1)
        {
            if ((bits & 1) != 0 && (v->all || spMayComeNear(b->spheres + other, k, v)))
            {
                spTryTriangle(v, b->sorted[spGetLeafBegin(b, other) + k], &best);
            }
        }
        bound2 = best.distance2 * SP_ROUNDING;
    }
    *hint = best.triangle;
    return best;
}

// The nearest place around a vertex that is inside of a closed surface: whoever is must be found, however deep
static spNearest spFindAround(spVertexSearch* v, int leaf)
{
    const spSurfacePair* p = v->pair;
    spNearest at = {.triangle = -1};
    if (p->b->closed == false || p->near->clear[v->vertex] > p->near->used)
    {
        return at;
    }
    v->all = true;
    at = spSearchLeaves(v, leaf, p->near->complete);
    if (at.triangle < 0 && p->near->clear[v->vertex] < 0)
    {
        at = spFindNearestTriangle(p->b, p->xb, v->x, (spReal)INFINITY, NULL, NULL);
    }
    v->all = false;
    at.triangle = at.triangle >= 0 && spIsInside(p->b, p->xb, v->x, &at) ? at.triangle : -1;
    return at;
}

// Of a vertex with another surface
static spVertexHit spTouchVertex(spVertexSearch* v, int leaf, spReal reach)
{
    const spSurfacePair* p = v->pair;
    const spContactSurface* b = p->b;
    spVertexHit hit = {.at.triangle = -1};
    spNearest at = spFindAround(v, leaf);
    if (at.triangle < 0)
    {
        at = spSearchLeaves(v, leaf, reach);
    }
    if (at.triangle < 0)
    {
        return hit;
    }
    spVec3 d = spGetOffset(b, p->xb, v->x, &at), normal;
    spReal distance = b->closed ? spFindSigned(p, v->vertex, &at, d, &normal)
                                : spFindUnsigned(p, v->vertex, &at, d, &normal);
    if (distance < reach && spLengthSquared3(normal) > 0)
    {
        hit = (spVertexHit){.at = at, .normal = normal, .offset = d, .gap = distance - p->thickness};
    }
    return hit;
}

// Of a vertex with its own surface
static spVertexHit spTouchVertexSelf(spVertexSearch* v, int leaf, spReal reach)
{
    const spSurfacePair* p = v->pair;
    const spContactSurface* s = p->a;
    spVertexHit hit = {.at.triangle = -1};
    spReal most = SP_DEPTH * s->meanEdge;
    spMarkNeighbours(v);
    v->normal = s->closed ? spNormalize3(spGetVertexNormal(s, p->xa, v->vertex)) : v->normal;
    v->all = s->closed;
    spNearest at = spSearchLeaves(v, leaf, s->closed && most > reach ? most : reach);
    if (at.triangle < 0)
    {
        return hit;
    }
    spVec3 d = spGetOffset(s, p->xa, v->x, &at), normal = spGetNormal(s, p->xa, at.triangle);
    spReal distance = s->closed ? spDot3(d, normal) : spFindUnsigned(p, v->vertex, &at, d, &normal);
    if (distance < reach && distance > -most && spLengthSquared3(normal) > 0)
    {
        hit = (spVertexHit){.at = at, .normal = normal, .offset = d, .gap = distance - p->thickness};
    }
    return hit;
}

static void spFindVertices(const spSearch* search, spTask* task, int worker)
{
    const spSurfacePair* p = task->pair;
    bool self = spIsSelf(p);
    for (int leaf = task->firstLeaf; leaf < task->lastLeaf; ++leaf)
    {
        for (int i = p->a->leafFirst[leaf]; i < p->a->leafFirst[leaf + 1]; ++i)
        {
            int hit = task->firstHit + i - p->a->leafFirst[task->firstLeaf];
            spVertexSearch v = {.pair = p, .vertex = p->a->leafVertices[i], .mark = hit};
            int node = p->a->vertices[v.vertex];
            v.x = spXyz(p->xa[node]);
            v.v = spXyz(p->va[node]);
            v.marks = self ? search->marks + (size_t)worker * search->markCount : NULL;
            spReal reach = spGetReach(p, spXyz(p->va[node]));
            search->hits[hit] = self ? spTouchVertexSelf(&v, leaf, reach) : spTouchVertex(&v, leaf, reach);
            task->rowCount += search->hits[hit].at.triangle >= 0;
        }
    }
}

// ---- edges near edges ----

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

// Whether the edge of a body may touch half edge `half` of another one, or a lower one of its own
static bool spMayMeetEdge(const spEdgeOfPair* edge, int half)
{
    const spSurfacePair* p = edge->pair;
    if (spIsSelf(p) == false)
    {
        return true;
    }
    const int32_t nodes[2] = {p->b->triangles[half], p->b->triangles[spNextCorner(half)]};
    return half < edge->half && spAreNeighbours(p->a, edge->nodes, nodes) == false;
}

// Whether two edges touch before they have moved
static bool spMeetEdges(const spEdgeOfPair* edge, int half, spReal reach, spCrossing* c)
{
    const spSurfacePair* p = edge->pair;
    spReal length = p->a->meanEdge < p->b->meanEdge ? p->a->meanEdge : p->b->meanEdge;
    if (spCrossEdges(edge, half, (spVec3){0, 0, 0}, c) == false || !(c->distance < reach) ||
        !(c->distance > -SP_DEPTH * length))
    {
        return false;
    }
    int32_t nodes[2];
    spVec3 v[2];
    spGetEdge(p->b, p->vb, half, nodes, v);
    spVec3 va = spLerp3(spXyz(p->va[edge->nodes[0]]), spXyz(p->va[edge->nodes[1]]), c->s);
    return c->distance < p->base + p->span * spDistance3(va, spLerp3(v[0], v[1], c->t));
}

static spReal spGetEdgeReach(const spEdgeOfPair* edge)
{
    const spSurfacePair* p = edge->pair;
    spReal reach0 = spGetReach(p, spXyz(p->va[edge->nodes[0]]));
    spReal reach1 = spGetReach(p, spXyz(p->va[edge->nodes[1]]));
    return reach0 > reach1 ? reach0 : reach1;
}

static spEdgeOfPair spTakeEdge(const spSurfacePair* p, int half)
{
    spEdgeOfPair edge = {.pair = p, .half = half};
    spGetEdge(p->a, p->xa, half, edge.nodes, edge.ends);
    return edge;
}

// With the sharp edges of a leaf
static void spTouchLeafEdges(const spEdgeOfPair* edge, int leaf, spReal reach, spRowOutput* out)
{
    const spSurfacePair* p = edge->pair;
    spExtent box = {spMin3(edge->ends[0], edge->ends[1]), spMax3(edge->ends[0], edge->ends[1])};
    if (spBoxesMeet(spGetLeafBox(p->b, leaf), &box, reach) == false)
    {
        return;
    }
    // An edge that crosses this one is no farther from it than it may be, or than it may be deep
    spReal depth = SP_DEPTH * (p->a->meanEdge < p->b->meanEdge ? p->a->meanEdge : p->b->meanEdge);
    spReal within = (reach > depth ? reach : depth) + spDistance3(edge->ends[0], edge->ends[1]) / 2;
    uint32_t near = spTestSpheres(p->b->spheres + leaf, spLerp3(edge->ends[0], edge->ends[1], (spReal)0.5),
                                  within * (spReal)1.001);
    int first = 3 * spGetLeafBegin(p->b, leaf), bits = (int)p->b->sharp[leaf];
    for (int i = first; bits != 0; ++i, bits >>= 1)
    {
        int half = 3 * p->b->sorted[i / 3] + i % 3;
        spCrossing c;
        if ((bits & 1) != 0 && (near >> (i - first) / 3 & 1) != 0 && spMeetEdges(edge, half, reach, &c) &&
            spMayMeetEdge(edge, half))
        {
            spAddEdgeRow(out, edge, half, &c, spScale3(c.distance, c.normal));
        }
    }
}

static void spFindEdges(const spTask* task, spRowOutput* out)
{
    const spSurfacePair* p = task->pair;
    for (int leaf = task->firstLeaf; leaf < task->lastLeaf; ++leaf)
    {
        int first = 3 * spGetLeafBegin(p->a, leaf), bits = (int)p->a->sharp[leaf];
        for (int i = first; bits != 0; ++i, bits >>= 1)
        {
            if ((bits & 1) == 0)
            {
                continue;
            }
            spEdgeOfPair edge = spTakeEdge(p, 3 * p->a->sorted[i / 3] + i % 3);
            spReal reach = spGetEdgeReach(&edge);
            for (int k = p->near->first[leaf]; k < p->near->first[leaf + 1]; ++k)
            {
                if (p->b->sharp[p->near->leaves[k]] != 0)
                {
                    spTouchLeafEdges(&edge, p->near->leaves[k], reach, out);
                }
            }
        }
    }
}

// ---- what is fast ----

// How a node moves against the mean motion of b
static spVec3 spGetWay(const spSurfacePair* p, const spVec4* v, int node)
{
    return spScale3(p->sweep, spSub3(spXyz(v[node]), p->b->velocity));
}

static bool spIsFast(const spSurfacePair* p, spVec3 way)
{
    return spLength3(way) + p->sweep * p->b->spread > SP_FAST_WAY * p->b->meanEdge;
}

// Whether a node of the one side moves far against one of the other
static bool spIsWayLong(const spSurfacePair* p, const spVec3 d[4], int first)
{
    spReal most = 0;
    for (int i = 0; i < first; ++i)
    {
        for (int k = first; k < 4; ++k)
        {
            spReal way2 = spLengthSquared3(spSub3(d[i], d[k]));
            most = way2 > most ? way2 : most;
        }
    }
    spReal least = SP_FAST_WAY * p->b->meanEdge;
    return most > least * least;
}

typedef struct spWaySearch
{
    const spSurfacePair* pair;
    const spVertexSearch* vertex;
    spVec3 x, way;
    spImpact impact; // the first one
    int triangle;    // -1 for none
} spWaySearch;

static void spTryImpact(int triangle, void* context)
{
    spWaySearch* s = context;
    const spSurfacePair* p = s->pair;
    spVec3 x[4] = {s->x}, d[4] = {s->way};
    for (int k = 0; k < 3; ++k)
    {
        int node = p->b->triangles[3 * (size_t)triangle + k];
        x[k + 1] = spXyz(p->xb[node]);
        d[k + 1] = spGetWay(p, p->vb, node);
    }
    spImpact impact;
    if (spIsWayLong(p, d, 1) && spMayMeet(s->vertex, triangle) && spSweepVertex(x, d, p->base, &impact) &&
        (s->triangle < 0 || impact.time < s->impact.time ||
         (impact.time == s->impact.time && triangle < s->triangle)))
    {
        s->impact = impact;
        s->triangle = triangle;
    }
}

// The normal of the triangle of an impact at that time, towards the vertex
static spVec3 spGetImpactNormal(const spWaySearch* s)
{
    const spSurfacePair* p = s->pair;
    spVec3 at[3];
    for (int k = 0; k < 3; ++k)
    {
        int node = p->b->triangles[3 * (size_t)s->triangle + k];
        at[k] = spMulAdd3(spXyz(p->xb[node]), s->impact.time, spGetWay(p, p->vb, node));
    }
    spVec3 normal = spNormalize3(spCross3(spSub3(at[1], at[0]), spSub3(at[2], at[0])));
    return spDot3(normal, s->impact.offset) < 0 ? spNeg3(normal) : normal;
}

// The row of a fast vertex where it meets the surface, unless what is near it is there already
static spVertexHit spHitVertex(const spVertexSearch* v, const spVertexHit* near, spVec3 way)
{
    const spSurfacePair* p = v->pair;
    spVertexHit hit = {.at.triangle = -1};
    spWaySearch search = {.pair = p, .vertex = v, .x = v->x, .way = way, .triangle = -1};
    spVisitWay(
        p->b,
        &(spWay){
            .p = v->x, .v = v->v, .span = p->sweep, .margin = p->base, .least = SP_FAST_WAY * p->b->meanEdge},
        spTryImpact, &search);
    if (search.triangle < 0)
    {
        return hit;
    }
    hit.at.triangle = search.triangle;
    memcpy(hit.at.weights, search.impact.weights + 1, sizeof(hit.at.weights));
    hit.offset = spGetOffset(p->b, p->xb, v->x, &hit.at);
    hit.normal = spGetImpactNormal(&search);
    hit.gap = spDot3(hit.offset, hit.normal) - p->thickness;
    spReal apart = near->at.triangle < 0 ? (spReal)INFINITY : spDistance3(hit.offset, near->offset);
    if (!(apart > 2 * p->b->meanEdge) || !(spLengthSquared3(hit.normal) > 0) ||
        spFacesAway(p, v->vertex, hit.normal))
    {
        hit.at.triangle = -1;
    }
    return hit;
}

static void spFindFastVertices(const spSearch* search, spTask* task, int worker)
{
    const spSurfacePair* p = task->pair;
    bool self = spIsSelf(p);
    for (int i = p->a->leafFirst[task->firstLeaf]; i < p->a->leafFirst[task->lastLeaf]; ++i)
    {
        int hit = task->firstHit + i - p->a->leafFirst[task->firstLeaf];
        spVertexSearch v = {.pair = p, .vertex = p->a->leafVertices[i], .mark = hit};
        int node = p->a->vertices[v.vertex];
        spVec3 way = spGetWay(p, p->va, node);
        search->fastHits[hit].at.triangle = -1;
        if (spIsFast(p, way) == false)
        {
            continue;
        }
        v.x = spXyz(p->xa[node]);
        v.v = spXyz(p->va[node]);
        if (self)
        {
            v.marks = search->marks + (size_t)worker * search->markCount;
            spMarkNeighbours(&v);
            v.normal = p->a->closed ? spNormalize3(spGetVertexNormal(p->a, p->xa, v.vertex)) : v.normal;
        }
        search->fastHits[hit] = spHitVertex(&v, search->hits + hit, way);
        task->rowCount += search->fastHits[hit].at.triangle >= 0;
    }
}

typedef struct spFastEdge
{
    spEdgeOfPair edge;
    spReal reach;
    spRowOutput* out;
} spFastEdge;

static void spTryEdgeImpact(const spFastEdge* fast, int half)
{
    const spEdgeOfPair* edge = &fast->edge;
    const spSurfacePair* p = edge->pair;
    int32_t nodes[4] = {edge->nodes[0], edge->nodes[1]};
    spVec3 x[4] = {edge->ends[0], edge->ends[1]}, d[4];
    spGetEdge(p->b, p->xb, half, nodes + 2, x + 2);
    for (int k = 0; k < 4; ++k)
    {
        d[k] = spGetWay(p, k < 2 ? p->va : p->vb, nodes[k]);
    }
    spImpact impact;
    spCrossing c;
    if (spIsWayLong(p, d, 2) == false || spMayMeetEdge(edge, half) == false ||
        spSweepEdges(x, d, p->base, &impact) == false || spIsInner(impact.weights[1]) == false ||
        spIsInner(impact.weights[3]) == false || spMeetEdges(edge, half, fast->reach, &c))
    {
        return;
    }
    spVec3 at[4];
    for (int k = 0; k < 4; ++k)
    {
        at[k] = spMulAdd3(x[k], impact.time, d[k]);
    }
    spVec3 ea = spSub3(at[1], at[0]), eb = spSub3(at[3], at[2]), normal = spCross3(ea, eb);
    if (!(spLengthSquared3(normal) > (spReal)1e-3 * spLengthSquared3(ea) * spLengthSquared3(eb)))
    {
        return;
    }
    normal = spNormalize3(normal);
    c = (spCrossing){.s = impact.weights[1], .t = impact.weights[3]};
    c.normal = spDot3(normal, impact.offset) < 0 ? spNeg3(normal) : normal;
    spVec3 offset = spSub3(spLerp3(x[0], x[1], c.s), spLerp3(x[2], x[3], c.t));
    c.distance = spDot3(offset, c.normal);
    spAddEdgeRow(fast->out, edge, half, &c, offset);
}

static void spTryTriangleEdges(int triangle, void* context)
{
    const spFastEdge* fast = context;
    for (int half = 3 * triangle; half < 3 * triangle + 3; ++half)
    {
        if (spIsSharp(fast->edge.pair->b, half))
        {
            spTryEdgeImpact(fast, half);
        }
    }
}

static void spFindFastEdges(const spTask* task, spRowOutput* out)
{
    const spSurfacePair* p = task->pair;
    for (int i = 3 * spGetLeafBegin(p->a, task->firstLeaf); i < 3 * spGetLeafBegin(p->a, task->lastLeaf); ++i)
    {
        int half = 3 * p->a->sorted[i / 3] + i % 3;
        if (spIsSharp(p->a, half) == false)
        {
            continue;
        }
        spFastEdge fast = {.edge = spTakeEdge(p, half), .out = out};
        spVec3 ways[2] = {spGetWay(p, p->va, fast.edge.nodes[0]), spGetWay(p, p->va, fast.edge.nodes[1])};
        if (spIsFast(p, ways[0]) || spIsFast(p, ways[1]))
        {
            // Its ends are around its middle, and move as that does, give or take half a difference
            const spVec3* ends = fast.edge.ends;
            spVec3 v0 = spXyz(p->va[fast.edge.nodes[0]]), v1 = spXyz(p->va[fast.edge.nodes[1]]);
            fast.reach = spGetEdgeReach(&fast.edge);
            spVisitWay(p->b,
                       &(spWay){.p = spLerp3(ends[0], ends[1], (spReal)0.5),
                                .v = spLerp3(v0, v1, (spReal)0.5),
                                .spread = spDistance3(v0, v1) / 2,
                                .span = p->sweep,
                                .margin = p->base + spDistance3(ends[0], ends[1]) / 2,
                                .least = SP_FAST_WAY * p->b->meanEdge},
                       spTryTriangleEdges, &fast);
        }
    }
}

// ---- tasks ----

static int spGetEdgeRoom(const spTask* task)
{
    return SP_LEAF_EDGES * (task->lastLeaf - task->firstLeaf);
}

static void spMeasureTasks(int begin, int end, int workerIndex, void* context)
{
    const spSearch* search = context;
    for (int i = begin; i < end; ++i)
    {
        spTask* task = search->tasks + i;
        spRowOutput count = {.edges = task->edges, .edgeRoom = spGetEdgeRoom(task)};
        switch (task->kind)
        {
            case sp_taskVertices:
                spFindVertices(search, task, workerIndex);
                break;
            case sp_taskFastVertices:
                spFindFastVertices(search, task, workerIndex);
                break;
            case sp_taskEdges:
                spFindEdges(task, &count);
                task->rowCount = count.rowCount;
                break;
            case sp_taskFastEdges:
                spFindFastEdges(task, &count);
                task->rowCount = count.rowCount;
                break;
        }
    }
}

// Vertices have three entries, those of the triangle; edges have two each
static int spGetEntryCount(const spTask* task)
{
    return task->rowCount * (task->kind == sp_taskVertices || task->kind == sp_taskFastVertices ? 3 : 4);
}

static void spWriteHits(const spTask* task, const spVertexHit* hits, uint64_t pairKey, spRowOutput* out)
{
    const spContactSurface* a = task->pair->a;
    for (int i = a->leafFirst[task->firstLeaf]; i < a->leafFirst[task->lastLeaf]; ++i)
    {
        const spVertexHit* hit = hits + task->firstHit + i - a->leafFirst[task->firstLeaf];
        if (hit->at.triangle >= 0)
        {
            spWriteVertexRow(out, task->pair, pairKey, a->leafVertices[i], hit);
        }
    }
}

// What was kept; where that is not all, everything anew
static void spWriteEdges(const spTask* task, void (*find)(const spTask* task, spRowOutput* out),
                         spRowOutput* out)
{
    if (task->rowCount > spGetEdgeRoom(task))
    {
        find(task, out);
        return;
    }
    for (int i = 0; i < task->rowCount; ++i)
    {
        spWriteEdgeRow(out, task->pair, task->edges + i);
    }
}

static void spWriteTasks(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSearch* search = context;
    const spTouches* touches = search->context->touches;
    for (int i = begin; i < end; ++i)
    {
        const spTask* task = search->tasks + i;
        const spSurfacePair* p = task->pair;
        spRowOutput out = {.rows = touches->rows + task->firstRow,
                           .pool = touches->pool + task->firstEntry,
                           .firstEntry = task->firstEntry};
        if (task->rowCount == 0)
        {
            continue;
        }
        switch (task->kind)
        {
            case sp_taskVertices:
                spWriteHits(task, search->hits, p->vertexKey, &out);
                break;
            case sp_taskFastVertices:
                spWriteHits(task, search->fastHits, p->fastKey, &out);
                break;
            case sp_taskEdges:
                spWriteEdges(task, spFindEdges, &out);
                break;
            case sp_taskFastEdges:
                spWriteEdges(task, spFindFastEdges, &out);
                break;
        }
    }
}

// Room for the rows that were counted. False without memory.
static bool spPlaceRows(const spSearch* search)
{
    spTouches* touches = search->context->touches;
    int64_t rows = 0, entries = 0;
    for (int i = 0; i < search->taskCount; ++i)
    {
        spTask* task = search->tasks + i;
        task->firstRow = (int)rows;
        task->firstEntry = (int)entries;
        rows += task->rowCount;
        entries += spGetEntryCount(task);
        if (entries > INT32_MAX / 2)
        {
            return false;
        }
    }
    spHeap* heap = search->context->heap;
    bool ok =
        spReserve(heap, (void**)&touches->rows, 0, &touches->rowCapacity, (int)rows, sizeof(spRow)) &&
        spReserve(heap, (void**)&touches->pool, 0, &touches->poolCapacity, (int)entries, sizeof(spRowNode));
    touches->rowCount = ok ? (int)rows : 0;
    touches->poolCount = ok ? (int)entries : 0;
    return ok;
}

// ---- pairs ----

static spSurfacePair spPreparePair(const spTouchContext* c, int slotA, int slotB)
{
    spSurfacePair p = spMakeSurfacePair(c->bodies, slotA, slotB);
    const spBody *a = p.bodyA, *b = p.bodyB;
    p.thickness = p.a->thickness + p.b->thickness;
    if (a == b && p.thickness > SP_DEPTH * p.a->meanEdge)
    {
        p.thickness = SP_DEPTH * p.a->meanEdge;
    }
    p.friction = (spReal)sqrt((double)(a->friction * b->friction));
    p.restitution = a->restitution > b->restitution ? a->restitution : b->restitution;
    p.vertexKey = spMakePairKey(sp_rowContact, SP_ID_NUMBER(a->id), ~SP_ID_NUMBER(b->id));
    p.edgeKey = spMakePairKey(sp_rowContact, ~SP_ID_NUMBER(a->id), ~SP_ID_NUMBER(b->id));
    p.fastKey = spMakePairKey(sp_rowContact, p.vertexKey, ~p.edgeKey);
    p.multipliers = c->multipliers;
    p.base = c->reach + p.thickness;
    p.span = 2 * c->dt;
    p.sweep = c->dt;
    spReal speed = spDistance3(p.a->velocity, p.b->velocity) + p.a->spread + p.b->spread;
    // What of a body itself is farther away than its neighbours comes near in a later step
    p.most = p.base + (a == b ? 2 : SP_FAST) * p.b->meanEdge;
    p.fast = a != b && p.span * speed > SP_FAST * p.b->meanEdge;
    return p;
}

// How near what must be listed is
static spReal spGetListReach(const spSurfacePair* p)
{
    spReal speed = spDistance3(p->a->velocity, p->b->velocity) + p->a->spread + p->b->spread;
    spReal reach = p->base + p->span * speed;
    reach = reach < p->most ? reach : p->most;
    spReal depth = spIsSelf(p) ? SP_DEPTH * p->a->meanEdge : 0;
    return reach > depth ? reach : depth;
}

static bool spIsListBefore(const spNearList* list, const spBodyPair* pair)
{
    return list->slots[0] < pair->first || (list->slots[0] == pair->first && list->slots[1] < pair->second);
}

static bool spIsListOf(const spNearList* list, const spBodyPair* pair)
{
    return list->slots[0] == pair->first && list->slots[1] == pair->second;
}

// Puts the lists into the order of the pairs; those of pairs that are not there any more become those of new ones,
// or stay behind. False without memory.
static bool spSortLists(const spTouchContext* c, const spBodyPair* pairs, int pairCount)
{
    spTouches* t = c->touches;
    spNearList** sorted = spArenaAlloc(c->arena, spArraySize(pairCount, sizeof(spNearList*)));
    spNearList** spare = spArenaAlloc(c->arena, spArraySize(t->nearCount, sizeof(spNearList*)));
    int spareCount = 0, next = 0;
    if ((pairCount > 0 && sorted == NULL) || (t->nearCount > 0 && spare == NULL) ||
        spReserve(c->heap, (void**)&t->near, t->nearCount, &t->nearCapacity, pairCount + t->nearCount,
                  sizeof(spNearList*)) == false)
    {
        return false;
    }
    for (int i = 0; i < pairCount; ++i)
    {
        while (next < t->pairCount && spIsListBefore(t->near[next], pairs + i))
        {
            spare[spareCount++] = t->near[next++];
        }
        sorted[i] = next < t->pairCount && spIsListOf(t->near[next], pairs + i) ? t->near[next++] : NULL;
    }
    while (next < t->nearCount)
    {
        spare[spareCount++] = t->near[next++];
    }
    bool ok = true;
    int made = 0;
    for (int i = 0; i < pairCount; ++i)
    {
        spNearList* list = sorted[i];
        list = list == NULL && spareCount > 0 ? spare[--spareCount] : list;
        list = list == NULL ? spAllocZeroed(c->heap, sizeof(spNearList)) : list;
        if (list != NULL)
        {
            list->slots[0] = pairs[i].first;
            list->slots[1] = pairs[i].second;
            t->near[made++] = list;
        }
        ok = ok && list != NULL;
    }
    t->pairCount = made;
    for (int i = 0; i < spareCount; ++i)
    {
        t->near[made + i] = spare[i];
    }
    t->nearCount = made + spareCount;
    return ok;
}

// Both directions of a pair, with their lists; for a body with itself there is one
static bool spPreparePairs(const spTouchContext* c, const spBodyPair* bodies, int pairCount,
                           spSurfacePair* pairs)
{
    bool ok = true;
    for (int i = 0; ok && i < pairCount; ++i)
    {
        spSurfacePair* p = pairs + 2 * (size_t)i;
        spNearList* list = c->touches->near[i];
        p[0] = spPreparePair(c, bodies[i].first, bodies[i].second);
        p[1] = spPreparePair(c, bodies[i].second, bodies[i].first);
        spReal edges = p->a->meanEdge + p->b->meanEdge;
        spNearContext near = {
            .heap = c->heap,
            .arena = c->arena,
            .team = c->team,
            .a = p->bodyA,
            .b = p->bodyB,
            .reach = {spGetListReach(p), spGetListReach(p + 1)},
            // What moves that far in a step needs new lists in the next one anyway
            .slack = p[0].fast || p[1].fast ? 0 : SP_SLACK * edges,
        };
        ok = spUpdateNear(list, &near);
        p[0].near = list->sides;
        p[1].near = list->sides + 1;
        for (int k = 0; ok && k < 2; ++k)
        {
            if (p[k].fast)
            {
                spSweepContactSurface(c->bodies[p[k].slotB]->contactSurface, p[k].bodyB, p[k].sweep);
            }
        }
    }
    return ok;
}

static int spCountTasks(const spSurfacePair* p)
{
    return (p->a->leafCount + SP_TASK_SIZE - 1) / SP_TASK_SIZE;
}

static void spAddTasks(spSearch* search, const spSurfacePair* p, spTaskKind kind, int firstHit)
{
    bool edges = kind == sp_taskEdges || kind == sp_taskFastEdges;
    for (int leaf = 0; leaf < p->a->leafCount; leaf += SP_TASK_SIZE)
    {
        spTask* task = search->tasks + search->taskCount++;
        *task = (spTask){
            .pair = p,
            .kind = kind,
            .firstLeaf = leaf,
            .lastLeaf = spMinInt(leaf + SP_TASK_SIZE, p->a->leafCount),
            .firstHit = firstHit + p->a->leafFirst[leaf],
            .edges = edges ? search->edges + search->edgeCount : NULL,
        };
        search->edgeCount += edges ? spGetEdgeRoom(task) : 0;
    }
}

// Room for what the tasks need. False without memory.
static bool spAllocSearch(spSearch* search, const spSurfacePair* pairs, int pairCount)
{
    const spTouchContext* c = search->context;
    int64_t tasks = 0, hits = 0, edges = 0;
    bool fast = false;
    for (int i = 0; i < 2 * pairCount; ++i)
    {
        const spSurfacePair* p = pairs + i;
        tasks += 4 * (int64_t)spCountTasks(p);
        edges += i % 2 == 0 ? (int64_t)(p->fast ? 2 : 1) * SP_LEAF_EDGES * p->a->leafCount : 0;
        hits += p->a->vertexCount;
        fast = fast || p->fast;
        search->markCount =
            spIsSelf(p) ? spMaxInt(search->markCount, p->bodyA->nodeCount) : search->markCount;
    }
    int64_t marks = (int64_t)search->markCount * spGetTeamSize(c->team);
    search->tasks = spArenaAlloc(c->arena, spArraySize(tasks, sizeof(spTask)));
    search->hits = spArenaAlloc(c->arena, spArraySize(hits, sizeof(spVertexHit)));
    search->fastHits = fast ? spArenaAlloc(c->arena, spArraySize(hits, sizeof(spVertexHit))) : NULL;
    search->edges = spArenaAlloc(c->arena, spArraySize(edges, sizeof(spEdgeHit)));
    search->marks = spArenaAlloc(c->arena, spArraySize(marks, sizeof(int32_t)));
    bool ok = search->edges != NULL && edges < INT32_MAX && search->tasks != NULL && search->hits != NULL &&
              hits < INT32_MAX && tasks < INT32_MAX && (fast == false || search->fastHits != NULL) &&
              (marks == 0 || search->marks != NULL);
    for (int64_t i = 0; ok && i < marks; ++i)
    {
        search->marks[i] = -1;
    }
    return ok;
}

static void spAddNearTasks(spSearch* search, const spSurfacePair* pairs, int pairCount)
{
    int hit = 0;
    for (int i = 0; i < 2 * pairCount; ++i)
    {
        if (i % 2 == 0 || spIsSelf(pairs + i) == false)
        {
            spAddTasks(search, pairs + i, sp_taskVertices, hit);
        }
        if (i % 2 == 0)
        {
            spAddTasks(search, pairs + i, sp_taskEdges, 0);
        }
        hit += pairs[i].a->vertexCount;
    }
}

static void spAddFastTasks(spSearch* search, const spSurfacePair* pairs, int pairCount)
{
    int hit = 0;
    for (int i = 0; i < 2 * pairCount; ++i)
    {
        if (pairs[i].fast && (i % 2 == 0 || spIsSelf(pairs + i) == false))
        {
            spAddTasks(search, pairs + i, sp_taskFastVertices, hit);
        }
        if (pairs[i].fast && i % 2 == 0)
        {
            spAddTasks(search, pairs + i, sp_taskFastEdges, 0);
        }
        hit += pairs[i].a->vertexCount;
    }
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
            spRefitContactSurface(body->contactSurface, body, c->team);
        }
    }
    return ok;
}

static bool spSearchPairs(const spTouchContext* c, const spBodyPair* bodies, int pairCount)
{
    spSearch search = {.context = c};
    spSurfacePair* pairs = spArenaAlloc(c->arena, spArraySize(pairCount, 2 * sizeof(spSurfacePair)));
    if (pairs == NULL || spSortLists(c, bodies, pairCount) == false ||
        spPreparePairs(c, bodies, pairCount, pairs) == false ||
        spAllocSearch(&search, pairs, pairCount) == false)
    {
        return false;
    }
    // What is fast looks at what was found near it
    spAddNearTasks(&search, pairs, pairCount);
    int near = search.taskCount;
    spAddFastTasks(&search, pairs, pairCount);
    int fast = search.taskCount - near;
    spParallelFor(c->team, spMeasureTasks, near, 1, &search);
    search.tasks += near;
    spParallelFor(c->team, spMeasureTasks, fast, 1, &search);
    search.tasks -= near;
    bool ok = spPlaceRows(&search);
    if (ok)
    {
        spParallelFor(c->team, spWriteTasks, search.taskCount, 1, &search);
    }
    return ok;
}

bool spFindTouches(const spTouchContext* c)
{
    c->touches->rowCount = 0;
    c->touches->poolCount = 0;
    spBodyPair* pairs = NULL;
    int pairCount = 0;
    bool ok = spPrepareSurfaces(c) && spFindPairs(c, &pairs, &pairCount);
    if (ok && pairCount > 0)
    {
        spBodyPair* temp = spArenaAlloc(c->arena, spArraySize(pairCount, sizeof(spBodyPair)));
        int nearCount = temp != NULL ? spSplitPairs(c, pairs, pairCount, temp) : 0;
        ok = temp != NULL && (nearCount == 0 || spSearchPairs(c, pairs, nearCount)) &&
             spAddVolumeRows(c, pairs + nearCount, pairCount - nearCount);
    }
    if (ok == false)
    {
        c->touches->rowCount = 0;
    }
    return ok;
}
