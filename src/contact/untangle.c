// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Round by round, what overlaps is moved a little.
//
// Where one of two bodies is closed and one of them is free, they move as a whole, by their masses: along the sum of the
// ways from vertices that are inside to the nearest place of the surface. Where these cancel each other (box in box), or
// have led nowhere for some rounds, along the axis on which their hulls are apart soonest. Nothing deforms.
//
// Sheets, bodies that are held, and bodies in themselves are moved node by node such that the line along which they
// intersect gets shorter (Volino, Magnenat-Thalmann. Resolving Surface Collisions through Intersection Contour
// Minimization. 2006): an edge that crosses a triangle with normal N goes along R - 2 (E R) / (E N) N, where E is the
// direction of the edge and R the way of the line from it into its face; the triangle goes the other way. Neighbours
// follow. Vertices below a closed surface that is held go to its nearest place.

#include "contact/untangle.h"

#include "contact/intersect.h"
#include "contact/overlap.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Of the mean edge: most that a node moves in a round, where it moves by itself
#define SP_LOCAL_STEP 0.2
// Rounds after which ways that lead nowhere are given up for the hulls
#define SP_PATIENCE 30
// Of the sum of the lengths of the ways: below this they cancel each other
#define SP_CANCEL 0.3
// Cosine between edge and normal, at the least
#define SP_LEAST_COSINE 0.2
// Of a way: ways down count as so much longer
#define SP_DOWN_COST 3.0
// How often moved nodes take their neighbours along
#define SP_SMOOTH_ROUNDS 2

typedef struct spUntangling
{
    const spTouchContext* context;
    spVec3 gravity;
    int round;
    spVec4** starts; // by slot: where nodes were
    spVec4** moves;  // by slot: sum of the moves of each node, and how many there are
    spVec3* shifts;  // by slot: of the whole body
    bool* changed;   // by slot
    int pairCount, tangledCount;
    double depth;
} spUntangling;

static bool spIsFreeBody(const spUntangling* u, int slot)
{
    const spBody* body = u->context->bodies[slot];
    for (int i = 0; i < u->context->linkCount; ++i)
    {
        const spLink* link = u->context->links[i];
        if (link != NULL && (link->body == slot || link->otherBody == slot))
        {
            return false;
        }
    }
    return body->heldCount == 0;
}

static double spGetBodyMass(const spBody* body)
{
    double sum = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        sum += (double)body->mass[i];
    }
    return sum;
}

// ---- bodies as a whole ----

// Adds the ways out of b of the vertices of a, and how deep they are
static void spSumWays(const spMotionTree* a, const spMotionTree* b, double sign, spDVec3* sum, double* total,
                      double* deepest)
{
    for (int i = 0; b->surface->closed && i < a->surface->vertexCount; ++i)
    {
        spDVec3 way;
        double distance = spFindVertexDistance(a, i, b, &way);
        if (distance < 0.0)
        {
            *sum = spDMulAdd(*sum, sign, way);
            *total -= distance;
            *deepest = fmax(*deepest, -distance);
        }
    }
}

// How far a must go along an axis to be beyond b
static double spGetWayBeyond(const spMotionTree* a, const spMotionTree* b, spDVec3 axis)
{
    double first = INFINITY, last = -INFINITY;
    for (int i = 0; i < a->surface->vertexCount; ++i)
    {
        first = fmin(first, spDDot(axis, spGetDouble(a->to[a->surface->vertices[i]])));
    }
    for (int i = 0; i < b->surface->vertexCount; ++i)
    {
        last = fmax(last, spDDot(axis, spGetDouble(b->to[b->surface->vertices[i]])));
    }
    return fmax(last - first, 0.0);
}

// The shortest way of a out of the hull of b along an axis
static spDVec3 spFindWayBeyond(const spUntangling* u, const spOverlap* overlap)
{
    spDVec3 best = {0.0, 0.0, 0.0};
    double least = INFINITY;
    for (int k = 0; k < 6; ++k)
    {
        double sign = k % 2 == 0 ? 1.0 : -1.0;
        spDVec3 axis = {k / 2 == 0 ? sign : 0.0, k / 2 == 1 ? sign : 0.0, k / 2 == 2 ? sign : 0.0};
        double way = spGetWayBeyond(overlap->trees[0], overlap->trees[1], axis);
        double down =
            axis.x * (double)u->gravity.x + axis.y * (double)u->gravity.y + axis.z * (double)u->gravity.z;
        // The one that can move goes up rather than down; so does the first of two
        bool second = spIsFreeBody(u, overlap->slots[0]) == false;
        double cost = way * ((second ? -down : down) > 0.0 ? SP_DOWN_COST : 1.0);
        if (cost < least)
        {
            least = cost;
            best = spDScale(way, axis);
        }
    }
    return best;
}

static void spShiftBodies(const spUntangling* u, const spOverlap* overlap)
{
    const spMotionTree *a = overlap->trees[0], *b = overlap->trees[1];
    bool free[2] = {spIsFreeBody(u, overlap->slots[0]), spIsFreeBody(u, overlap->slots[1])};
    double mass[2];
    for (int k = 0; k < 2; ++k)
    {
        mass[k] = spGetBodyMass(u->context->bodies[overlap->slots[k]]);
    }
    spDVec3 sum = {0.0, 0.0, 0.0}, way;
    double total = 0.0, deepest = 0.0;
    double apart = (double)(a->surface->thickness + b->surface->thickness) +
                   0.01 * (double)(a->surface->meanEdge + b->surface->meanEdge);
    spSumWays(a, b, 1.0, &sum, &total, &deepest);
    spSumWays(b, a, -1.0, &sum, &total, &deepest);
    double length = spDLength(sum);
    if (u->round >= SP_PATIENCE || overlap->contained || !(length > SP_CANCEL * total) || length == 0.0)
    {
        way = spFindWayBeyond(u, overlap);
        length = spDLength(way);
        way = length > 0.0 ? spDMulAdd(way, apart / length, way) : way;
    }
    else
    {
        way = spDScale((deepest + apart) / length, sum);
    }
    double share = free[0] == false ? 0.0 : free[1] == false ? 1.0 : mass[1] / (mass[0] + mass[1]);
    for (int k = 0; k < 2; ++k)
    {
        double part = k == 0 ? share : share - 1.0;
        spVec3 shift = {(spReal)(part * way.x), (spReal)(part * way.y), (spReal)(part * way.z)};
        u->shifts[overlap->slots[k]] = spAdd3(u->shifts[overlap->slots[k]], shift);
    }
}

// ---- nodes by themselves ----

static void spAddMove(const spUntangling* u, int slot, int node, spDVec3 move)
{
    spVec4* sum = u->moves[slot] + node;
    sum->x += (spReal)move.x;
    sum->y += (spReal)move.y;
    sum->z += (spReal)move.z;
    sum->w += 1;
}

// The way of an edge p q of a triangle that crosses another one, along which the line gets shorter. False when that
// cannot be told.
static bool spFindContourWay(const spDVec3 own[3], int edge, const spDVec3 other[3], spDVec3* way)
{
    spDVec3 p = own[edge], q = own[(edge + 1) % 3], apex = own[(edge + 2) % 3];
    spDVec3 n = spDCross(spDSub(other[1], other[0]), spDSub(other[2], other[0]));
    spDVec3 m = spDCross(spDSub(q, p), spDSub(apex, p)), e = spDSub(q, p), r = spDCross(n, m);
    double ln = spDLength(n), le = spDLength(e), lr = spDLength(r);
    if (!(ln > 0.0 && le > 0.0 && lr > 1e-6 * ln * spDLength(m)))
    {
        return false;
    }
    n = spDScale(1.0 / ln, n);
    e = spDScale(1.0 / le, e);
    r = spDScale(1.0 / lr, r);
    // Into the face
    spDVec3 inwards = spDSub(spDSub(apex, p), spDScale(spDDot(e, spDSub(apex, p)), e));
    r = spDDot(r, inwards) < 0.0 ? spDScale(-1.0, r) : r;
    double en = spDDot(e, n);
    en = fabs(en) > SP_LEAST_COSINE ? en : en < 0.0 ? -SP_LEAST_COSINE : SP_LEAST_COSINE;
    *way = spDMulAdd(r, -2.0 * spDDot(e, r) / en, n);
    double length = spDLength(*way);
    *way = spDScale(1.0 / length, *way);
    return length > 0.0;
}

typedef struct spContour
{
    const spUntangling* u;
    const spOverlap* overlap;
} spContour;

static void spMoveCrossing(const spContour* contour, int side, int triangle, int edge, int otherTriangle,
                           const spDVec3 own[3], const spDVec3 other[3])
{
    const spOverlap* overlap = contour->overlap;
    spDVec3 way;
    if (spDoesEdgeCross(own[edge], own[(edge + 1) % 3], other) == false ||
        spFindContourWay(own, edge, other, &way) == false)
    {
        return;
    }
    const spContactSurface *a = overlap->trees[side]->surface, *b = overlap->trees[1 - side]->surface;
    way = spDScale(SP_LOCAL_STEP * (double)(a->meanEdge < b->meanEdge ? a->meanEdge : b->meanEdge), way);
    for (int k = 0; k < 2; ++k)
    {
        spAddMove(contour->u, overlap->slots[side], a->triangles[3 * triangle + (edge + k) % 3], way);
    }
    for (int k = 0; k < 3; ++k)
    {
        spAddMove(contour->u, overlap->slots[1 - side], b->triangles[3 * otherTriangle + k],
                  spDScale(-1.0, way));
    }
}

static bool spMovePair(int triangleA, int triangleB, void* context)
{
    const spContour* contour = context;
    const spMotionTree *a = contour->overlap->trees[0], *b = contour->overlap->trees[1];
    int shared[2] = {-1, -1};
    if (a == b && spFindSharedCorners(a->surface, triangleA, triangleB, shared) > 1)
    {
        return true;
    }
    spDVec3 p[3], q[3];
    spGetTriangleCorners(a->surface, a->to, triangleA, p);
    spGetTriangleCorners(b->surface, b->to, triangleB, q);
    for (int edge = 0; edge < 3; ++edge)
    {
        // Of triangles with a common corner, edges across from it
        if (shared[0] < 0 || edge == (shared[0] + 1) % 3)
        {
            spMoveCrossing(contour, 0, triangleA, edge, triangleB, p, q);
        }
        if (shared[1] < 0 || edge == (shared[1] + 1) % 3)
        {
            spMoveCrossing(contour, 1, triangleB, edge, triangleA, q, p);
        }
    }
    return true;
}

// Vertices of a side that are below the closed surface of the other go to its nearest place and a little further
static bool spMoveOut(const spUntangling* u, const spOverlap* overlap, int side)
{
    const spMotionTree *a = overlap->trees[side], *b = overlap->trees[1 - side];
    bool any = false;
    for (int i = 0; a != b && b->surface->closed && i < a->surface->vertexCount; ++i)
    {
        spDVec3 way;
        if (spFindVertexDistance(a, i, b, &way) < 0.0)
        {
            double length = spDLength(way), most = SP_LOCAL_STEP * (double)a->surface->meanEdge;
            double to = fmin(length + 0.1 * most, most);
            spAddMove(u, overlap->slots[side], a->surface->vertices[i],
                      spDScale(length > 0.0 ? to / length : 0.0, way));
            any = true;
        }
    }
    return any;
}

static void spMoveNodes(const spUntangling* u, const spOverlap* overlap)
{
    spContour contour = {u, overlap};
    bool first = spMoveOut(u, overlap, 0), second = spMoveOut(u, overlap, 1);
    if (first == false && second == false)
    {
        spVisitTrianglePairs(overlap->trees[0], overlap->trees[1], 0, spMovePair, &contour);
    }
}

// ---- rounds ----

static void spPlanOverlap(const spOverlap* overlap, void* context)
{
    spUntangling* u = context;
    u->pairCount += overlap->pairCount;
    u->tangledCount += 1;
    u->depth = fmax(u->depth, overlap->depth);
    bool apart = overlap->slots[0] != overlap->slots[1];
    bool closed = overlap->trees[0]->surface->closed || overlap->trees[1]->surface->closed;
    bool free = spIsFreeBody(u, overlap->slots[0]) || spIsFreeBody(u, overlap->slots[1]);
    if (apart && closed && free)
    {
        spShiftBodies(u, overlap);
    }
    else
    {
        spMoveNodes(u, overlap);
    }
}

// Nodes that do not move by themselves go half as far as the mean of their neighbours that do
static void spSpreadMoves(const spContactSurface* s, spVec4* moves)
{
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spVec4 sum = {0, 0, 0, 0};
        for (int k = s->first[i]; moves[s->vertices[i]].w == 0 && k < s->first[i + 1]; ++k)
        {
            spVec4 next = moves[s->triangles[spNextCorner(s->corners[k])]];
            if (next.w > 0)
            {
                sum = (spVec4){sum.x + next.x / next.w, sum.y + next.y / next.w, sum.z + next.z / next.w,
                               sum.w - 2};
            }
        }
        if (sum.w < 0)
        {
            moves[s->vertices[i]] = sum;
        }
    }
    // Negative while neighbours are looked at: what has just been moved takes nobody along
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spVec4* move = moves + s->vertices[i];
        move->w = move->w < 0 ? -move->w : move->w;
    }
}

static bool spApplyMoves(const spUntangling* u)
{
    bool moved = false;
    for (int i = 0; i < u->context->bodyCount; ++i)
    {
        spBody* body = u->context->bodies[i];
        if (u->moves[i] == NULL)
        {
            continue;
        }
        for (int k = 0; k < SP_SMOOTH_ROUNDS; ++k)
        {
            spSpreadMoves(body->contactSurface, u->moves[i]);
        }
        for (int k = 0; k < body->nodeCount; ++k)
        {
            spVec4 move = u->moves[i][k];
            spVec3 own = move.w > 0 ? spScale3(1 / move.w, spXyz(move)) : (spVec3){0, 0, 0};
            own = spAdd3(own, u->shifts[i]);
            if (body->x[k].w > 0 && spLengthSquared3(own) > 0)
            {
                spVec3 to = spAdd3(spXyz(body->x[k]), own);
                body->x[k] = (spVec4){to.x, to.y, to.z, body->x[k].w};
                moved = u->changed[i] = true;
            }
        }
    }
    return moved;
}

static bool spOpenUntangling(spUntangling* u)
{
    const spTouchContext* c = u->context;
    u->starts = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spVec4*)));
    u->moves = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spVec4*)));
    u->shifts = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spVec3)));
    u->changed = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(bool)));
    if (u->starts == NULL || u->moves == NULL || u->shifts == NULL || u->changed == NULL)
    {
        return false;
    }
    for (int i = 0; i < c->bodyCount; ++i)
    {
        spBody* body = c->bodies[i];
        u->changed[i] = false;
        u->moves[i] = u->starts[i] = NULL;
        if (body == NULL || body->running == false || body->contactSurface == NULL)
        {
            continue;
        }
        size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
        u->starts[i] = spArenaAlloc(c->arena, size);
        u->moves[i] = spArenaAlloc(c->arena, size);
        if (u->starts[i] == NULL || u->moves[i] == NULL)
        {
            return false;
        }
        memcpy(u->starts[i], body->x, size);
        spUpdateHeldNodes(body);
    }
    return true;
}

// Looks for overlaps and plans what to move. False without memory.
static bool spPlanRound(spUntangling* u)
{
    const spTouchContext* c = u->context;
    u->pairCount = u->tangledCount = 0;
    u->depth = 0.0;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        u->shifts[i] = (spVec3){0, 0, 0};
        if (u->moves[i] != NULL)
        {
            memset(u->moves[i], 0, (size_t)c->bodies[i]->nodeCount * sizeof(spVec4));
        }
    }
    return spVisitOverlaps(c, true, spPlanOverlap, u);
}

static void spTellUntangling(const spUntangling* u, spUntangleReport* report)
{
    *report = (spUntangleReport){.rounds = u->round,
                                 .pairCount = u->pairCount,
                                 .depth = (spReal)u->depth,
                                 .tangledCount = u->tangledCount};
    for (int i = 0; i < u->context->bodyCount; ++i)
    {
        const spBody* body = u->context->bodies[i];
        report->movedBodies += u->changed[i];
        for (int k = 0; u->changed[i] && k < body->nodeCount; ++k)
        {
            spReal way = spDistance3(spXyz(body->x[k]), spXyz(u->starts[i][k]));
            report->moved = way > report->moved ? way : report->moved;
        }
    }
}

bool spUntangleBodies(const spTouchContext* c, spVec3 gravity, int maxRounds, spUntangleReport* report)
{
    *report = (spUntangleReport){0};
    spUntangling u = {.context = c, .gravity = gravity};
    size_t mark = c->arena->used;
    bool ok = spMakeMissingSurfaces(c) && (c->bodyCount == 0 || spOpenUntangling(&u));
    for (; ok && c->bodyCount > 0; ++u.round)
    {
        ok = spPlanRound(&u);
        if (ok == false || u.tangledCount == 0 || u.round == maxRounds || spApplyMoves(&u) == false)
        {
            break;
        }
    }
    if (ok && c->bodyCount > 0)
    {
        spTellUntangling(&u, report);
    }
    spRewindArena(c->arena, mark);
    return ok;
}
