// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/volume_rows.h"

#include "contact/volume_pairs.h"

#include <math.h>
#include <string.h>

// Pixels across a window, and cells along its longest edge, at most; half of them at least. More cells than blocks of pixels
// make finer images
#define SP_CONTACT_RESOLUTION 64
#define SP_CONTACT_CELLS 4
// Of the mean edge: what is left of an overlap, so that a contact that rests is found again
#define SP_REST_DEPTH 1e-3
// What is deeper than that when a step begins is undone by this share in the step where explicit methods move the nodes of
// the contact alone, which would tear the body; rounds see to it by themselves that things come out slowly
#define SP_DEEP_SHARE ((spReal)0.1)
// Of the area that is seen: with less gradient a volume has no direction, as that of what is inside as a whole
#define SP_LEAST_GRADIENT 0.25

// ---- which pairs ----

static spDetectorEntry* spFindDetector(const spDetectors* d, uint64_t a, uint64_t b)
{
    uint64_t first = a < b ? a : b, second = a < b ? b : a;
    for (int i = 0; i < d->count; ++i)
    {
        if (d->entries[i].first == first && d->entries[i].second == second)
        {
            return d->entries + i;
        }
    }
    return NULL;
}

// The entry of a pair, new where there is none. NULL without memory.
static spDetectorEntry* spNeedDetector(spHeap* heap, spDetectors* d, uint64_t a, uint64_t b)
{
    spDetectorEntry* entry = spFindDetector(d, a, b);
    if (entry != NULL)
    {
        return entry;
    }
    if (spReserve(heap, (void**)&d->entries, d->count, &d->capacity, d->count + 1, sizeof(spDetectorEntry)) ==
        false)
    {
        return NULL;
    }
    entry = d->entries + d->count++;
    *entry = (spDetectorEntry){.first = a < b ? a : b, .second = a < b ? b : a};
    return entry;
}

bool spSetDetector(spHeap* heap, spDetectors* d, uint64_t a, uint64_t b, spDetector detector)
{
    spDetectorEntry* entry = spNeedDetector(heap, d, a, b);
    if (entry != NULL)
    {
        entry->hasDetector = true;
        entry->detector = detector;
    }
    return entry != NULL;
}

spDetector spGetDetector(const spDetectors* d, uint64_t a, uint64_t b)
{
    const spDetectorEntry* entry = spFindDetector(d, a, b);
    return entry != NULL && entry->hasDetector ? entry->detector : d->general;
}

bool spSetVolumeCells(spHeap* heap, spDetectors* d, uint64_t a, uint64_t b, int cells)
{
    spDetectorEntry* entry = spNeedDetector(heap, d, a, b);
    if (entry != NULL)
    {
        entry->cells = cells;
    }
    return entry != NULL;
}

int spGetVolumeCells(const spDetectors* d, uint64_t a, uint64_t b)
{
    const spDetectorEntry* entry = spFindDetector(d, a, b);
    return entry != NULL && entry->cells > 0 ? entry->cells : SP_CONTACT_CELLS;
}

void spRemoveDetectors(spDetectors* d, uint64_t body)
{
    int count = 0;
    for (int i = 0; i < d->count; ++i)
    {
        if (d->entries[i].first != body && d->entries[i].second != body)
        {
            d->entries[count++] = d->entries[i];
        }
    }
    d->count = count;
}

static bool spIsVolumePair(const spTouchContext* c, const spBodyPair* pair)
{
    const spBody *a = c->bodies[pair->first], *b = c->bodies[pair->second];
    return a->contactSurface->closed && b->contactSurface->closed &&
           spGetDetector(c->detectors, SP_ID_NUMBER(a->id), SP_ID_NUMBER(b->id)) == sp_detectorVolume;
}

int spSplitPairs(const spTouchContext* c, spBodyPair* pairs, int pairCount, spBodyPair* temp)
{
    int near = 0, volumes = 0;
    for (int i = 0; i < pairCount; ++i)
    {
        if (spIsVolumePair(c, pairs + i))
        {
            temp[volumes++] = pairs[i];
        }
        else
        {
            pairs[near++] = pairs[i];
        }
    }
    memcpy(pairs + near, temp, (size_t)volumes * sizeof(spBodyPair));
    return near;
}

// ---- rows ----

typedef struct spVolumeRows
{
    const spTouchContext* context;
    const spPairVolumes* pair;
    const spBody* bodies[2];
    uint64_t key;
    spReal restDepth; // m
} spVolumeRows;

// Room for a row and its entries
static spRow* spAddRow(const spVolumeRows* r, int entryCount)
{
    spTouches* t = r->context->touches;
    spHeap* heap = r->context->heap;
    if (spReserve(heap, (void**)&t->rows, t->rowCount, &t->rowCapacity, t->rowCount + 1, sizeof(spRow)) ==
            false ||
        spReserve(heap, (void**)&t->pool, t->poolCount, &t->poolCapacity, t->poolCount + entryCount,
                  sizeof(spRowNode)) == false)
    {
        return NULL;
    }
    const spBody *a = r->bodies[0], *b = r->bodies[1];
    spRow* row = t->rows + t->rowCount++;
    *row = (spRow){
        .a = {.slot = r->pair->slots[0]},
        .b = {.slot = r->pair->slots[1]},
        .law = sp_rowContact,
        .features = {-1, -1},
        .friction = (spReal)sqrt((double)(a->friction * b->friction)),
        .restitution = a->restitution > b->restitution ? a->restitution : b->restitution,
    };
    return row;
}

static void spAddEntry(spTouches* t, spRowSide* side, int32_t node, spReal weight)
{
    side->node = side->count == 0 ? t->poolCount : side->node;
    t->pool[t->poolCount++] = (spRowNode){node, weight};
    side->count += 1;
}

// A side of one node is that node
static void spFinishSide(const spTouches* t, spRowSide* side)
{
    side->node = side->count == 1 ? t->pool[side->node].node : side->node;
}

// The row asks for a gap where the bodies will be, and has it where they are now: its sides are as far apart
// along the normal as they would be then, less the gap
static void spFinishRow(const spVolumeRows* r, spRow* row, spReal depth)
{
    spTouches* t = r->context->touches;
    spFinishSide(t, &row->a);
    spFinishSide(t, &row->b);
    spVec3 then = spSub3(spSumSide(&row->a, t->pool, r->pair->sides[0]->surface.x),
                         spSumSide(&row->b, t->pool, r->pair->sides[1]->surface.x));
    spVec3 now =
        spSub3(spSumSide(&row->a, t->pool, r->bodies[0]->x), spSumSide(&row->b, t->pool, r->bodies[1]->x));
    row->thickness = spDot3(then, row->normal) + depth - r->restDepth;
    row->from = now;
    row->gap = spDot3(now, row->normal) - row->thickness;
    bool hasty = spMovesNodesAlone(r->bodies[0]) || spMovesNodesAlone(r->bodies[1]);
    if (hasty && row->gap < -r->restDepth)
    {
        spReal left = (1 - SP_DEEP_SHARE) * (-row->gap - r->restDepth);
        row->thickness -= left;
        row->gap += left;
    }
}

static double spGetSeenArea(const spVolume* v)
{
    return fmax(v->areas[0], fmax(v->areas[1], v->areas[2]));
}

static bool spAddVolumeRow(const spVolumeRows* r, const spVolume* v)
{
    double area = spDLength(v->gradient);
    if (!(area > SP_LEAST_GRADIENT * spGetSeenArea(v)))
    {
        return true;
    }
    spRow* row = spAddRow(r, v->count[0] + v->count[1]);
    if (row == NULL)
    {
        return false;
    }
    spDVec3 n = spDScale(-1.0 / area, v->gradient);
    row->normal = (spVec3){(spReal)n.x, (spReal)n.y, (spReal)n.z};
    row->area = (spReal)area;
    uint64_t key = spMakePairKey(sp_rowContact, r->key, (uint64_t)v->cell[0]);
    key = spMakePairKey(sp_rowContact, key, (uint64_t)v->cell[1]);
    key = spMakePairKey(sp_rowContact, key, (uint64_t)v->cell[2]);
    row->key = spMakeRowKey(key, (uint32_t)v->part);
    for (int side = 0; side < 2; ++side)
    {
        for (int k = v->first[side]; k < v->first[side] + v->count[side]; ++k)
        {
            const spVolumeNode* node = r->pair->volumes.nodes + k;
            double weight = spDDot(node->gradient, n) * (side == 0 ? -1.0 : 1.0) / area;
            spAddEntry(r->context->touches, side == 0 ? &row->a : &row->b, node->node, (spReal)weight);
        }
    }
    spFinishRow(r, row, (spReal)(v->volume / area));
    return true;
}

// All vertices of a surface alike
static void spAddWholeSide(const spVolumeRows* r, spRowSide* side, const spBody* body)
{
    const spContactSurface* s = body->contactSurface;
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spAddEntry(r->context->touches, side, s->vertices[i], 1 / (spReal)s->vertexCount);
    }
}

// One is inside the other as a whole, or nearly: both as a whole, along the shortest way on which their boxes part
static bool spAddWholeRow(const spVolumeRows* r)
{
    const spBox *a = &r->pair->sides[0]->box, *b = &r->pair->sides[1]->box;
    double best = INFINITY;
    spVec3 normal = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
    {
        double up = spGetComponent(b->upper, axis) - spGetComponent(a->lower, axis);
        double down = spGetComponent(a->upper, axis) - spGetComponent(b->lower, axis);
        spReal sign = up <= down ? 1 : -1;
        if (fmin(up, down) < best)
        {
            best = fmin(up, down);
            normal = (spVec3){axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
        }
    }
    spRow* row =
        spAddRow(r, r->bodies[0]->contactSurface->vertexCount + r->bodies[1]->contactSurface->vertexCount);
    if (row == NULL)
    {
        return false;
    }
    row->normal = normal;
    row->key = spMakeRowKey(r->key, ~0u);
    for (int i = 0; i < r->pair->volumes.count; ++i)
    {
        row->area += (spReal)spGetSeenArea(r->pair->volumes.volumes + i);
    }
    spAddWholeSide(r, &row->a, r->bodies[0]);
    spAddWholeSide(r, &row->b, r->bodies[1]);
    spFinishRow(r, row, (spReal)best);
    return true;
}

// Whether what two bodies have in common leads out of it: not where one is inside the other
static bool spHasDirection(const spPairVolumes* pair)
{
    spDVec3 sum = {0.0, 0.0, 0.0};
    double areas[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < pair->volumes.count; ++i)
    {
        const spVolume* v = pair->volumes.volumes + i;
        sum = spDAdd(sum, v->gradient);
        for (int axis = 0; axis < 3; ++axis)
        {
            areas[axis] += v->areas[axis];
        }
    }
    return spDLength(sum) > SP_LEAST_GRADIENT * fmax(areas[0], fmax(areas[1], areas[2]));
}

static bool spAddPairRows(const spTouchContext* c, const spPairVolumes* pair)
{
    const spBody *a = c->bodies[pair->slots[0]], *b = c->bodies[pair->slots[1]];
    spReal edge = a->contactSurface->meanEdge;
    edge = b->contactSurface->meanEdge < edge ? b->contactSurface->meanEdge : edge;
    spVolumeRows r = {
        .context = c,
        .pair = pair,
        .bodies = {a, b},
        .key = spMakePairKey(sp_rowContact, ~SP_ID_NUMBER(a->id), SP_ID_NUMBER(b->id)),
        .restDepth = (spReal)SP_REST_DEPTH * edge,
    };
    if (a != b && pair->volumes.count > 0 && spHasDirection(pair) == false)
    {
        return spAddWholeRow(&r);
    }
    bool ok = true;
    for (int i = 0; ok && i < pair->volumes.count; ++i)
    {
        ok = spAddVolumeRow(&r, pair->volumes.volumes + i);
    }
    return ok;
}

// Opens the bodies of pairs, each of them once
static bool spOpenSides(const spTouchContext* c, const spBodyPair* pairs, int pairCount, spVolumeSide* sides)
{
    bool ok = true;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        sides[i].slot = -1;
    }
    for (int i = 0; ok && i < 2 * pairCount; ++i)
    {
        int slot = i % 2 == 0 ? pairs[i / 2].first : pairs[i / 2].second;
        ok = sides[slot].slot == slot || spOpenBodySide(c, slot, c->dt, sides + slot);
    }
    return ok;
}

bool spAddVolumeRows(const spTouchContext* c, const spBodyPair* pairs, int pairCount)
{
    if (pairCount == 0)
    {
        return true;
    }
    size_t begin = c->arena->used;
    spVolumeSide* sides = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spVolumeSide)));
    bool ok = sides != NULL && spOpenSides(c, pairs, pairCount, sides);
    size_t mark = c->arena->used;
    for (int i = 0; ok && i < pairCount; ++i)
    {
        const spVolumeSide *first = sides + pairs[i].first, *second = sides + pairs[i].second;
        if (spDoSidesMeet(first, second))
        {
            spPairVolumes pair;
            int cells = spGetVolumeCells(c->detectors, SP_ID_NUMBER(c->bodies[first->slot]->id),
                                         SP_ID_NUMBER(c->bodies[second->slot]->id));
            int resolution = spMaxInt(SP_CONTACT_RESOLUTION, SP_TILE_SIZE * cells);
            // One cell is no grid in space, whose walls would cut it
            spLayersResult result =
                spFindPairVolumes(c, first, second, resolution, cells > 1 ? cells : 0, &pair);
            ok = result == sp_layersMade ? spAddPairRows(c, &pair) : result != sp_layersOutOfMemory;
        }
        spRewindArena(c->arena, mark);
    }
    spRewindArena(c->arena, begin);
    return ok;
}
