// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Nodes go from their place at the start of the step to the one at its end along a line. Two facets that nothing
// separates on the way may pass each other. A plane separates them when one is in front of it and the other behind
// at all times:
//
//   n fixed           at both ends: places are linear in time, and so is the offset of the plane
//   n from n0 to n1   n(t) (a(t) - b(t)) is a parabola, which is positive when its Bernstein coefficients are:
//                     n0 (a0 - b0), (n0 (a1 - b1) + n1 (a0 - b0)) / 2, n1 (a1 - b1)
//
// n0 and n1 are the directions of least distance. Such planes divide the motions of the nodes as in A. Chen et al.,
// Offset Geometric Contact, 2025, but they move along, so that nothing is lost where bodies move together.
//
// Pairs without a plane are pushed apart along n0, both sides by their masses, until all have one: motion along the
// plane stays free, and no node is pushed further than it came. Where that does not end, nodes go back towards where their pair was at the start, moved along with it, again and
// again, and to the start itself at last, where all was apart. Held nodes stay where they are told to be: a pair that they force together is waived, and so
// is one that met at the start; it is looked at again in every step.
//
// Pairs are found anew after every change, until nothing changes any more: what is certified is the state itself.

#include "contact/certify.h"

#include "contact/intersect.h"
#include "contact/overlap.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Of the mean edge: distance that pushed nodes keep; half of it is enough
#define SP_LEAST_DISTANCE 2e-3
// Rounds over all pairs for one search
#define SP_MAX_PUSH_ROUNDS 40
// Searches in which pairs are pushed, then in which nodes go back half of their way, before they go back altogether
#define SP_PUSH_SEARCHES 8
#define SP_HALF_SEARCHES 12
#define SP_MAX_SEARCHES 200

typedef enum spRemedy
{
    sp_remedyPush,
    sp_remedyHalf,
    sp_remedyReturn,
} spRemedy;

typedef struct spGuard
{
    const spTouchContext* context;
    spGuardedPairs* list;
    spMotionTree* trees; // by slot
    spVec4** free;       // by slot: where nodes would have gone
    spRemedy remedy;
    int slots[2]; // of the bodies whose pairs are looked for
    double least;
    bool outOfMemory;
} spGuard;

void spFreeGuardedPairs(spHeap* heap, spGuardedPairs* pairs)
{
    spFree(heap, pairs->pairs);
    *pairs = (spGuardedPairs){0};
}

// ---- finding pairs ----

static spFacet spGetFacet(const spGuard* guard, const spGuardedPair* pair, int side, bool start)
{
    const spBody* body = guard->context->bodies[pair->slots[side]];
    const spVec4* x = start ? body->goodX : body->x;
    spFacet facet = {.count = pair->counts[side]};
    for (int k = 0; k < facet.count; ++k)
    {
        facet.p[k] = spGetDouble(x[pair->nodes[side][k]]);
    }
    return facet;
}

static double spGetCoordinate(spDVec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

// Whether the facets are apart along an axis by this much
static bool spIsApartAlong(const spFacet* a, const spFacet* b, int axis, bool above, double distance)
{
    double first = INFINITY, last = -INFINITY;
    const spFacet *upper = above ? a : b, *lower = above ? b : a;
    for (int k = 0; k < upper->count; ++k)
    {
        first = fmin(first, spGetCoordinate(upper->p[k], axis));
    }
    for (int k = 0; k < lower->count; ++k)
    {
        last = fmax(last, spGetCoordinate(lower->p[k], axis));
    }
    return first - last > distance;
}

static bool spIsPlain(const spGuard* guard, const spGuardedPair* pair)
{
    spFacet a0 = spGetFacet(guard, pair, 0, true), a1 = spGetFacet(guard, pair, 0, false);
    spFacet b0 = spGetFacet(guard, pair, 1, true), b1 = spGetFacet(guard, pair, 1, false);
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int above = 0; above < 2; ++above)
        {
            if (spIsApartAlong(&a0, &b0, axis, above == 1, pair->least) &&
                spIsApartAlong(&a1, &b1, axis, above == 1, pair->least))
            {
                return true;
            }
        }
    }
    return false;
}

static void spAddGuarded(spGuard* guard, const spGuardedPair* pair)
{
    spGuardedPairs* list = guard->list;
    if (spIsPlain(guard, pair))
    {
        return;
    }
    guard->outOfMemory =
        guard->outOfMemory || spReserve(guard->context->heap, (void**)&list->pairs, list->count,
                                        &list->capacity, list->count + 1, sizeof(spGuardedPair)) == false;
    if (guard->outOfMemory == false)
    {
        list->pairs[list->count++] = *pair;
    }
}

// Triangles that share a corner may meet elsewhere: then the edge of one that is across from it goes through the other
static bool spGuardTriangles(int triangleA, int triangleB, void* context)
{
    spGuard* guard = context;
    const spContactSurface* a = guard->trees[guard->slots[0]].surface;
    const spContactSurface* b = guard->trees[guard->slots[1]].surface;
    spGuardedPair pair = {
        .slots = {guard->slots[0], guard->slots[1]}, .counts = {3, 3}, .least = guard->least};
    memcpy(pair.nodes[0], a->triangles + 3 * (size_t)triangleA, sizeof(pair.nodes[0]));
    memcpy(pair.nodes[1], b->triangles + 3 * (size_t)triangleB, sizeof(pair.nodes[1]));
    int shared[2] = {-1, -1};
    int count = a == b ? spFindSharedCorners(a, triangleA, triangleB, shared) : 0;
    if (count == 0)
    {
        spAddGuarded(guard, &pair);
    }
    for (int side = 0; count == 1 && side < 2; ++side)
    {
        spGuardedPair edge = pair;
        edge.counts[side] = 2;
        for (int k = 0; k < 2; ++k)
        {
            edge.nodes[side][k] = pair.nodes[side][(shared[side] + 1 + k) % 3];
        }
        spAddGuarded(guard, &edge);
    }
    return guard->outOfMemory == false;
}

// Distance that two bodies keep: of their edges, and never lost in the rounding of places
static double spGetKeptDistance(const spMotionTree* a, const spMotionTree* b)
{
    double edge = 0.5 * (double)(a->surface->meanEdge + b->surface->meanEdge), far = 0.0;
    const spExtent* boxes[2] = {a->boxes, b->boxes};
    for (int k = 0; k < 2; ++k)
    {
        spVec3 corner = spMax3(spAbs3(boxes[k]->lower), spAbs3(boxes[k]->upper));
        far = fmax(far, fmax((double)corner.x, fmax((double)corner.y, (double)corner.z)));
    }
    double rounding = sizeof(spReal) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
    return fmax(SP_LEAST_DISTANCE * edge, 16.0 * rounding * far);
}

static void spFindGuardedPairs(spGuard* guard)
{
    const spTouchContext* c = guard->context;
    guard->list->count = 0;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        if (guard->trees[i].surface != NULL)
        {
            spFitMotionTree(guard->trees + i);
        }
    }
    for (int i = 0; i < c->bodyCount; ++i)
    {
        for (int k = i; k < c->bodyCount && guard->trees[i].surface != NULL; ++k)
        {
            if (guard->trees[k].surface == NULL || spMayPairTouch(c, i, k) == false)
            {
                continue;
            }
            guard->slots[0] = i;
            guard->slots[1] = k;
            guard->least = spGetKeptDistance(guard->trees + i, guard->trees + k);
            spVisitTrianglePairs(guard->trees + i, guard->trees + k, (spReal)guard->least, spGuardTriangles,
                                 guard);
        }
    }
}

// ---- planes ----

static double spGetRounding(const spFacet* a, const spFacet* b)
{
    return 1e-14 * (spDLength(a->p[0]) + spDLength(b->p[0]));
}

static void spLookAtStart(const spGuard* guard, spGuardedPair* pair)
{
    if (pair->known == false)
    {
        spFacet a = spGetFacet(guard, pair, 0, true), b = spGetFacet(guard, pair, 1, true);
        spFindFacetGap(&a, &b, &pair->normal);
        pair->gap = spGetSeparation(&a, &b, pair->normal);
        pair->gap = pair->gap > spGetRounding(&a, &b) ? pair->gap : 0.0;
        pair->known = true;
    }
}

// The smallest n0 (a1 - b1) + n1 (a0 - b0)
static double spGetMiddle(const spFacet* a0, const spFacet* a1, const spFacet* b0, const spFacet* b1,
                          spDVec3 n0, spDVec3 n1)
{
    double first = INFINITY, last = -INFINITY;
    for (int k = 0; k < a0->count; ++k)
    {
        first = fmin(first, spDDot(n0, a1->p[k]) + spDDot(n1, a0->p[k]));
    }
    for (int k = 0; k < b0->count; ++k)
    {
        last = fmax(last, spDDot(n0, b1->p[k]) + spDDot(n1, b0->p[k]));
    }
    return first - last;
}

// Whether a plane separates the pair, which was apart, on its way; if not, along what it is to be pushed
static bool spIsDivided(const spGuard* guard, const spGuardedPair* pair, spDVec3* push)
{
    spFacet a1 = spGetFacet(guard, pair, 0, false), b1 = spGetFacet(guard, pair, 1, false);
    double enough = fmin(pair->gap, 0.5 * pair->least);
    *push = pair->normal;
    if (spGetSeparation(&a1, &b1, pair->normal) >= enough)
    {
        return true;
    }
    spDVec3 normal;
    spFindFacetGap(&a1, &b1, &normal);
    double gap = spGetSeparation(&a1, &b1, normal);
    if (!(gap > spGetRounding(&a1, &b1)))
    {
        return false;
    }
    spFacet a0 = spGetFacet(guard, pair, 0, true), b0 = spGetFacet(guard, pair, 1, true);
    if (!(spGetMiddle(&a0, &a1, &b0, &b1, pair->normal, normal) > 0.0))
    {
        return false;
    }
    *push = normal;
    return gap >= enough;
}

// ---- moving nodes ----

static bool spIsMovable(const spBody* body, int node)
{
    return body->methodDef.type == sp_rigid ? body->heldCount == 0 : body->x[node].w > 0;
}

static void spShiftNode(spBody* body, int node, spDVec3 shift)
{
    int first = node, last = node + 1;
    if (body->methodDef.type == sp_rigid)
    {
        first = 0;
        last = body->nodeCount;
    }
    for (int i = first; i < last; ++i)
    {
        body->x[i].x += (spReal)shift.x;
        body->x[i].y += (spReal)shift.y;
        body->x[i].z += (spReal)shift.z;
    }
}

// The longest way of a held node of a pair, m
static spReal spGetHeldWay(const spGuard* guard, const spGuardedPair* pair)
{
    spReal most = 0;
    for (int side = 0; side < 2; ++side)
    {
        const spBody* body = guard->context->bodies[pair->slots[side]];
        for (int k = 0; k < pair->counts[side]; ++k)
        {
            int node = pair->nodes[side][k];
            spReal way = spDistance3(spXyz(body->x[node]), spXyz(body->goodX[node]));
            most = spIsMovable(body, node) == false && way > most ? way : most;
        }
    }
    return most;
}

// Motion is cut, not made: a node is pushed no further than it has moved by itself, or than held nodes push it, and a
// little
static void spLimitPush(const spGuard* guard, const spGuardedPair* pair, int slot, int node)
{
    spBody* body = guard->context->bodies[slot];
    spVec3 wanted = spXyz(guard->free[slot][node]), start = spXyz(body->goodX[node]);
    spReal limit = spDistance3(wanted, start) + spGetHeldWay(guard, pair) + 2 * (spReal)pair->least, length;
    spVec3 push = spNormalizeLength3(spSub3(spXyz(body->x[node]), wanted), &length);
    if (length > limit && body->methodDef.type != sp_rigid)
    {
        spVec3 to = spMulAdd3(wanted, limit, push);
        body->x[node] = (spVec4){to.x, to.y, to.z, body->x[node].w};
    }
}

typedef struct spSideReach
{
    double extreme; // of all corners along the normal: the first of a, the last of b
    double held;    // of those that are held
    double yield;   // mean inverse mass of those that are not; 0 when there are none
} spSideReach;

static spSideReach spReachSide(const spGuard* guard, const spGuardedPair* pair, int side, spDVec3 normal)
{
    const spBody* body = guard->context->bodies[pair->slots[side]];
    double sign = side == 0 ? 1.0 : -1.0;
    spSideReach reach = {.extreme = INFINITY, .held = INFINITY};
    int movable = 0;
    for (int k = 0; k < pair->counts[side]; ++k)
    {
        int node = pair->nodes[side][k];
        double at = sign * spDDot(spGetDouble(body->x[node]), normal);
        reach.extreme = fmin(reach.extreme, at);
        if (spIsMovable(body, node))
        {
            bool rigid = body->methodDef.type == sp_rigid;
            reach.yield += rigid ? 1.0 / body->nodeCount / (double)body->mass[node] : (double)body->x[node].w;
            movable += 1;
        }
        else
        {
            reach.held = fmin(reach.held, at);
        }
    }
    reach.yield /= movable > 0 ? movable : 1;
    reach.extreme *= sign;
    reach.held *= sign;
    return reach;
}

// Brings nodes of a side that are behind the plane, or too near to it, before it
static void spMoveSide(const spGuard* guard, const spGuardedPair* pair, int side, spDVec3 normal,
                       double plane)
{
    spBody* body = guard->context->bodies[pair->slots[side]];
    double sign = side == 0 ? 1.0 : -1.0;
    for (int k = 0; k < pair->counts[side]; ++k)
    {
        int node = pair->nodes[side][k];
        double missing = 0.5 * pair->least - sign * (spDDot(spGetDouble(body->x[node]), normal) - plane);
        if (missing > 0.0 && spIsMovable(body, node))
        {
            spShiftNode(body, node, spDScale(sign * missing, normal));
            spLimitPush(guard, pair, pair->slots[side], node);
        }
    }
}

static bool spPushPair(const spGuard* guard, const spGuardedPair* pair, spDVec3 normal)
{
    spSideReach a = spReachSide(guard, pair, 0, normal), b = spReachSide(guard, pair, 1, normal);
    double missing = pair->least - (a.extreme - b.extreme), half = 0.5 * pair->least;
    if (!(a.yield + b.yield > 0.0))
    {
        return false;
    }
    double plane = a.extreme + missing * a.yield / (a.yield + b.yield) - half;
    // Held nodes of one side do not give way
    plane = fmin(plane, a.held - half);
    plane = fmax(plane, b.held + half);
    spMoveSide(guard, pair, 0, normal, plane);
    spMoveSide(guard, pair, 1, normal, plane);
    return true;
}

// Mean motion of the nodes of a pair
static spVec3 spGetPairMotion(const spGuard* guard, const spGuardedPair* pair)
{
    spVec3 sum = {0, 0, 0};
    for (int side = 0; side < 2; ++side)
    {
        const spBody* body = guard->context->bodies[pair->slots[side]];
        for (int k = 0; k < pair->counts[side]; ++k)
        {
            int node = pair->nodes[side][k];
            sum = spAdd3(sum, spSub3(spXyz(body->x[node]), spXyz(body->goodX[node])));
        }
    }
    return spScale3(1 / (spReal)(pair->counts[0] + pair->counts[1]), sum);
}

// Half of the way back to where the pair was at the start of the step, moved along with it; or all of the way back to
// where each node was. False when nothing can go back further.
static bool spReturnPair(const spGuard* guard, const spGuardedPair* pair)
{
    bool moved = false, half = guard->remedy == sp_remedyHalf;
    spVec3 along = half ? spGetPairMotion(guard, pair) : (spVec3){0, 0, 0};
    for (int side = 0; side < 2; ++side)
    {
        spBody* body = guard->context->bodies[pair->slots[side]];
        bool rigid = body->methodDef.type == sp_rigid;
        for (int k = 0; k < (rigid ? 1 : pair->counts[side]); ++k)
        {
            int node = pair->nodes[side][k];
            spVec3 now = spXyz(body->x[node]), start = spAdd3(spXyz(body->goodX[node]), along);
            if (spIsMovable(body, node) == false || spDistance3(now, start) == 0)
            {
                continue;
            }
            moved = true;
            int first = rigid ? 0 : node, last = rigid ? body->nodeCount : node + 1;
            for (int i = first; i < last; ++i)
            {
                spVec3 from = spAdd3(spXyz(body->goodX[i]), along);
                spVec3 to = spLerp3(from, spXyz(body->x[i]), half && rigid == false ? (spReal)0.5 : 0);
                body->x[i] = (spVec4){to.x, to.y, to.z, body->x[i].w};
            }
        }
    }
    return moved;
}

// One search: pairs without a plane are dealt with until there are none, or none that can be. Returns whether anything
// moved.
static bool spDividePairs(spGuard* guard)
{
    bool changed = false;
    int rounds = SP_MAX_PUSH_ROUNDS;
    for (int round = 0; round < rounds; ++round)
    {
        bool moved = false;
        for (int i = 0; i < guard->list->count; ++i)
        {
            spGuardedPair* pair = guard->list->pairs + i;
            spDVec3 push;
            spLookAtStart(guard, pair);
            if (pair->gap > 0.0 && spIsDivided(guard, pair, &push) == false)
            {
                moved = (guard->remedy == sp_remedyPush ? spPushPair(guard, pair, push)
                                                        : spReturnPair(guard, pair)) ||
                        moved;
            }
        }
        if (moved == false)
        {
            break;
        }
        changed = true;
    }
    return changed;
}

// ---- the whole ----

static bool spOpenGuard(spGuard* guard)
{
    const spTouchContext* c = guard->context;
    guard->trees = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spMotionTree)));
    guard->free = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spVec4*)));
    if (guard->trees == NULL || guard->free == NULL)
    {
        return false;
    }
    for (int i = 0; i < c->bodyCount; ++i)
    {
        spBody* body = c->bodies[i];
        guard->trees[i] = (spMotionTree){0};
        guard->free[i] = NULL;
        if (body == NULL || body->running == false || body->contactSurface == NULL)
        {
            continue;
        }
        size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
        guard->free[i] = spArenaAlloc(c->arena, size);
        if (guard->free[i] == NULL || spBuildMotionTree(c->arena, body->contactSurface, body->goodX, body->x,
                                                        guard->trees + i) == false)
        {
            return false;
        }
        memcpy(guard->free[i], body->x, size);
    }
    return true;
}

// What a node has lost of its way it also loses of its velocity; that does not turn round
static void spTakeVelocity(spBody* body, int node, spVec3 lost, spReal dt)
{
    spReal length, speed;
    spVec3 back = spNormalizeLength3(lost, &length), v = spXyz(body->v[node]);
    speed = -spDot3(v, back);
    speed = speed < length / dt ? speed : length / dt;
    if (speed > 0 && body->roles[node] == sp_nodeFree)
    {
        v = spMulAdd3(v, speed, back);
        body->v[node] = (spVec4){v.x, v.y, v.z, body->v[node].w};
    }
}

static void spTellCuts(const spGuard* guard, spCertifyResult* result)
{
    for (int i = 0; i < guard->context->bodyCount; ++i)
    {
        spBody* body = guard->context->bodies[i];
        for (int k = 0; guard->free[i] != NULL && k < body->nodeCount; ++k)
        {
            spVec3 lost = spSub3(spXyz(body->x[k]), spXyz(guard->free[i][k]));
            if (spLengthSquared3(lost) > 0)
            {
                result->cutCount += 1;
                result->cutLength = fmax(result->cutLength, (double)spLength3(lost));
                spTakeVelocity(body, k, lost, guard->context->dt);
            }
        }
    }
}

// Pairs that meet at the end
static void spTellWaived(const spGuard* guard, spCertifyResult* result)
{
    for (int i = 0; i < guard->list->count; ++i)
    {
        const spGuardedPair* pair = guard->list->pairs + i;
        spFacet a = spGetFacet(guard, pair, 0, false), b = spGetFacet(guard, pair, 1, false);
        spDVec3 normal;
        spFindFacetGap(&a, &b, &normal);
        if (!(spGetSeparation(&a, &b, normal) > spGetRounding(&a, &b)))
        {
            if (result->waivedCount == 0)
            {
                memcpy(result->waivedSlots, pair->slots, sizeof(result->waivedSlots));
            }
            result->waivedCount += 1;
        }
    }
}

spCertifyResult spCertifyMotion(const spTouchContext* c, spGuardedPairs* list)
{
    spCertifyResult result = {0};
    spGuard guard = {.context = c, .list = list};
    size_t mark = c->arena->used;
    if (c->bodyCount == 0)
    {
        return result;
    }
    guard.outOfMemory = spMakeMissingSurfaces(c) == false || spOpenGuard(&guard) == false;
    bool moved = guard.outOfMemory == false;
    for (int search = 0; moved && search < SP_MAX_SEARCHES; ++search)
    {
        guard.remedy = search < SP_PUSH_SEARCHES                      ? sp_remedyPush
                       : search < SP_PUSH_SEARCHES + SP_HALF_SEARCHES ? sp_remedyHalf
                                                                      : sp_remedyReturn;
        spFindGuardedPairs(&guard);
        moved = guard.outOfMemory == false && spDividePairs(&guard);
    }
    if (guard.outOfMemory == false)
    {
        spTellCuts(&guard, &result);
        spTellWaived(&guard, &result);
    }
    result.outOfMemory = guard.outOfMemory;
    spRewindArena(c->arena, mark);
    return result;
}
