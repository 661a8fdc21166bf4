// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/near.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Leaves that one thread looks at, and how many near ones it has room for until they are counted
#define SP_CHUNK 32
#define SP_LEVELS 5 // 2^5 leaves
#define SP_CHUNK_ROOM (SP_CHUNK * 48)
// How many leaves may be near a chunk to be narrowed down together
#define SP_NEAR_ROOM 2048

void spFreeNear(spHeap* heap, spNearList* list)
{
    for (int i = 0; list != NULL && i < 2; ++i)
    {
        spFree(heap, list->sides[i].first);
        spFree(heap, list->sides[i].leaves);
        spFree(heap, list->sides[i].hints);
        spFree(heap, list->sides[i].clear);
    }
    spFree(heap, list);
}

// ---- leaves ----

typedef struct spLeafSearch
{
    const spContactSurface *from, *on;
    spNearSide* side;
    int32_t* scratch; // SP_CHUNK_ROOM for each chunk
    int32_t* narrow;  // room of each worker for the levels of a chunk
} spLeafSearch;

static int spGetChunkCount(const spContactSurface* s)
{
    return (s->leafCount + SP_CHUNK - 1) / SP_CHUNK;
}

// Leaves of a list whose boxes come within the margin of a box, in the same order
static int spFilterLeaves(const spContactSurface* s, const spExtent* box, spReal margin, const int32_t* from,
                          int count, int32_t* to)
{
    const spExtent* boxes = spGetLeafBox(s, 0);
    int kept = 0;
    for (int i = 0; i < count; ++i)
    {
        const spExtent* other = boxes + from[i];
        // Without branches: nobody can tell beforehand which way they go
        int meet = (box->lower.x <= other->upper.x + margin) & (other->lower.x <= box->upper.x + margin) &
                   (box->lower.y <= other->upper.y + margin) & (other->lower.y <= box->upper.y + margin) &
                   (box->lower.z <= other->upper.z + margin) & (other->lower.z <= box->upper.z + margin);
        to[kept] = from[i];
        kept += meet;
    }
    return kept;
}

// Where a chunk writes what it finds
typedef struct spChunkOutput
{
    int32_t* out;
    int count, room;
} spChunkOutput;

// From a node of the tree down to its leaves, with fewer near leaves at each of them. `level` has room for all of
// `count` on every level below.
static void spNarrowLeaves(const spLeafSearch* c, int node, const int32_t* near, int count, int32_t* level,
                           spChunkOutput* out)
{
    int kept = spFilterLeaves(c->on, c->from->boxes + node, c->side->margin, near, count, level);
    int leaf = node - (c->from->leafCount - 1);
    if (leaf < 0)
    {
        spNarrowLeaves(c, 2 * node + 1, level, kept, level + kept, out);
        spNarrowLeaves(c, 2 * node + 2, level, kept, level + kept, out);
        return;
    }
    c->side->first[leaf + 1] = kept;
    for (int i = 0; i < kept && out->count + i < out->room; ++i)
    {
        out->out[out->count + i] = level[i];
    }
    out->count += kept;
}

// Counts what is near each leaf, and writes down what there is room for
static void spSearchChunks(int begin, int end, int workerIndex, void* context)
{
    const spLeafSearch* c = context;
    int32_t* near = c->narrow + (size_t)workerIndex * (SP_LEVELS + 2) * SP_NEAR_ROOM;
    for (int chunk = begin; chunk < end; ++chunk)
    {
        spChunkOutput out = {c->scratch + (size_t)chunk * SP_CHUNK_ROOM, 0, SP_CHUNK_ROOM};
        int first = SP_CHUNK * chunk, last = spMinInt(first + SP_CHUNK, c->from->leafCount);
        // The node of the tree above all leaves of the chunk
        int node = c->from->leafCount - 1 + first;
        for (int size = 1; size < last - first; size *= 2)
        {
            node = (node - 1) / 2;
        }
        int count = spFindLeaves(c->on, c->from->boxes + node, c->side->margin, near, SP_NEAR_ROOM);
        if (count <= SP_NEAR_ROOM)
        {
            spNarrowLeaves(c, node, near, count, near + SP_NEAR_ROOM, &out);
            continue;
        }
        for (int leaf = first; leaf < last; ++leaf)
        {
            int room = spMaxInt(out.room - out.count, 0);
            int found = spFindLeaves(c->on, spGetLeafBox(c->from, leaf), c->side->margin,
                                     out.out + out.room - room, room);
            c->side->first[leaf + 1] = found;
            out.count += found;
        }
    }
}

static void spCopyChunks(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spLeafSearch* c = context;
    const int32_t* first = c->side->first;
    for (int chunk = begin; chunk < end; ++chunk)
    {
        int leaf = SP_CHUNK * chunk, last = spMinInt(leaf + SP_CHUNK, c->from->leafCount);
        int count = first[last] - first[leaf];
        if (count == 0)
        {
            continue;
        }
        if (count <= SP_CHUNK_ROOM)
        {
            memcpy(c->side->leaves + first[leaf], c->scratch + (size_t)chunk * SP_CHUNK_ROOM,
                   (size_t)count * sizeof(int32_t));
            continue;
        }
        for (; leaf < last; ++leaf)
        {
            spFindLeaves(c->on, spGetLeafBox(c->from, leaf), c->side->margin, c->side->leaves + first[leaf],
                         first[leaf + 1] - first[leaf]);
        }
    }
}

static bool spListLeaves(const spNearContext* c, const spContactSurface* from, const spContactSurface* on,
                         spNearSide* side)
{
    int chunks = spGetChunkCount(from);
    size_t mark = c->arena->used;
    spLeafSearch search = {.from = from, .on = on, .side = side};
    search.scratch = spArenaAlloc(c->arena, spArraySize((int64_t)chunks * SP_CHUNK_ROOM, sizeof(int32_t)));
    search.narrow = spArenaAlloc(c->arena, spArraySize((int64_t)spGetTeamSize(c->team) * (SP_LEVELS + 2),
                                                       SP_NEAR_ROOM * sizeof(int32_t)));
    bool ok = search.scratch != NULL && search.narrow != NULL &&
              spReserve(c->heap, (void**)&side->first, 0, &side->firstCapacity, from->leafCount + 1,
                        sizeof(int32_t));
    if (ok)
    {
        spParallelFor(c->team, spSearchChunks, chunks, 1, &search);
        side->first[0] = 0;
        int64_t sum = 0;
        for (int i = 1; i <= from->leafCount; ++i)
        {
            sum += side->first[i];
            ok = ok && sum < INT32_MAX;
            side->first[i] = ok ? (int32_t)sum : 0;
        }
        ok = ok &&
             spReserve(c->heap, (void**)&side->leaves, 0, &side->leafCapacity, (int)sum, sizeof(int32_t));
    }
    if (ok)
    {
        spParallelFor(c->team, spCopyChunks, chunks, 1, &search);
    }
    spRewindArena(c->arena, mark);
    return ok;
}

// ---- who is inside ----

typedef struct spInsideSearch
{
    const spContactSurface *from, *on;
    const spVec4 *x, *xOn;
    spNearSide* side;
    spReal moved; // since the values that are there were true
} spInsideSearch;

static void spFindInside(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spInsideSearch* c = context;
    for (int i = begin; i < end; ++i)
    {
        spReal* clear = c->side->clear + i;
        *clear = *clear - c->moved;
        if (*clear > c->side->margin)
        {
            continue;
        }
        spVec3 p = spXyz(c->x[c->from->vertices[i]]);
        spReal outside = (spReal)sqrt((double)spGetBoxDistance2(c->on->boxes, p));
        *clear = outside;
        if (!(outside > 0))
        {
            spNearest at = spFindNearestTriangle(c->on, c->xOn, p, (spReal)INFINITY, NULL, NULL);
            bool inside = at.triangle < 0 || spIsInside(c->on, c->xOn, p, &at);
            *clear = inside ? -1 : (spReal)sqrt((double)at.distance2);
        }
    }
}

static bool spListInside(const spNearContext* c, const spBody* from, const spBody* on, spNearSide* side,
                         bool known, spReal moved)
{
    const spContactSurface* s = from->contactSurface;
    int count = s->vertexCount, kept = known ? count : 0;
    bool ok = spReserve(c->heap, (void**)&side->hints, kept, &side->hintCapacity, count, sizeof(int32_t)) &&
              spReserve(c->heap, (void**)&side->clear, kept, &side->clearCapacity, count, sizeof(spReal));
    if (ok == false)
    {
        return false;
    }
    for (int i = 0; known == false && i < s->vertexCount; ++i)
    {
        side->hints[i] = -1;
        side->clear[i] = -1;
    }
    if (on->contactSurface->closed && from != on)
    {
        spInsideSearch search = {
            .from = s,
            .on = on->contactSurface,
            .x = from->backend->view(from->x, 0, from->nodeCount),
            .xOn = on->backend->view(on->x, 0, on->nodeCount),
            .side = side,
            .moved = known ? moved : 0,
        };
        spParallelFor(c->team, spFindInside, s->vertexCount, 128, &search);
    }
    return true;
}

// ---- the list ----

// Whether it is about these surfaces at all
static bool spIsSame(const spNearList* list, const spBody* a, const spBody* b)
{
    return SP_ID_EQUALS(list->bodies[0], a->id) && SP_ID_EQUALS(list->bodies[1], b->id) &&
           list->versions[0] == a->contactSurface->version && list->versions[1] == b->contactSurface->version;
}

// How far the surfaces may have moved against each other since it was made
static spReal spGetUsed(const spNearList* list, const spContactSurface* a, const spContactSurface* b)
{
    if (a->epoch != list->epochs[0] || b->epoch != list->epochs[1])
    {
        return (spReal)INFINITY;
    }
    spReal used = a->drift + list->drifts[0] + b->drift + list->drifts[1] +
                  spDistance3(spSub3(b->shift, a->shift), list->offset);
    return used * (spReal)1.001;
}

static bool spMakeNear(spNearList* list, const spNearContext* c, bool known, spReal moved)
{
    const spBody* bodies[2] = {c->a, c->b};
    const spContactSurface *a = c->a->contactSurface, *b = c->b->contactSurface;
    int sides = c->a == c->b ? 1 : 2;
    bool ok = true;
    for (int i = 0; i < sides; ++i)
    {
        spNearSide* side = list->sides + i;
        side->margin = c->reach[i] + c->slack;
        side->complete = side->margin * (spReal)0.999;
        side->used = 0;
        ok = ok && spListLeaves(c, bodies[i]->contactSurface, bodies[1 - i]->contactSurface, side) &&
             spListInside(c, bodies[i], bodies[1 - i], side, known, moved);
    }
    list->bodies[0] = ok ? c->a->id : (spBodyId){0};
    list->bodies[1] = c->b->id;
    list->versions[0] = a->version;
    list->versions[1] = b->version;
    list->epochs[0] = a->epoch;
    list->epochs[1] = b->epoch;
    list->drifts[0] = a->drift;
    list->drifts[1] = b->drift;
    list->offset = spSub3(b->shift, a->shift);
    return ok;
}

bool spUpdateNear(spNearList* list, const spNearContext* c)
{
    const spContactSurface *a = c->a->contactSurface, *b = c->b->contactSurface;
    bool same = spIsSame(list, c->a, c->b);
    spReal used = same ? spGetUsed(list, a, b) : (spReal)INFINITY;
    bool holds = same;
    for (int i = 0; i < (c->a == c->b ? 1 : 2); ++i)
    {
        spNearSide* side = list->sides + i;
        side->complete = (side->margin - used) * (spReal)0.999;
        side->used = used;
        // What was outside and has come in since is not deeper than what is listed
        holds = holds && c->reach[i] <= side->complete && used <= side->complete;
    }
    return holds || spMakeNear(list, c, same && isfinite(used), used);
}
