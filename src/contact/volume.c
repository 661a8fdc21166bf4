// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/volume.h"

#include "mesh/sort.h"

#include <math.h>
#include <string.h>

// Part of a ray in which two surfaces are open
typedef struct spSpan
{
    int32_t surfaces[2];
    int32_t layers[2]; // at its ends
    int32_t pixel;     // 64 times the active tile, and its number there
} spSpan;

// Part of a span in a block
typedef struct spPiece
{
    int32_t span;
    int32_t region; // block of an intersection; then its volume
    double share;
} spPiece;

// A block that an intersection has something in
typedef struct spRegion
{
    int64_t pair;
    int32_t block[3];
    int32_t root; // of its part, the smallest region of it
    int32_t volume;
} spRegion;

typedef struct spTally
{
    const spVolumesDef* def;
    const spLayers* layers;
    spSpan* spans[3]; // of each axis
    int spanCounts[3];
    spPiece* pieces; // axis by axis
    int pieceCount, pieceFirst[4];
    spRegion* regions;
    int regionCount, regionCapacity;
    int32_t* table; // open addressing: region + 1, or 0
    int tableSize;
    spVolumes* out;
    int32_t* piecesOf; // of each volume: its pieces, by axis and in their order
    int32_t* firstPiece;
    int32_t* marks; // for each worker and node, on both sides: last volume that has it
    int32_t* places;
    int64_t markCount;
    spDVec3* ways; // of volumes of a surface with itself: which way side 0 looks
} spTally;

// ---- spans ----

// A surface in a walk along a ray
typedef struct spOpening
{
    int32_t surface;
    int32_t winding;
    int32_t opened[2]; // layers with which the winding became 1, and 2
} spOpening;

typedef struct spWalk
{
    spTally* tally;
    const spLayerImage* image;
    int32_t* counts;     // of spans, of each active tile; then where they begin
    spOpening* openings; // for each worker: surfaces that have been seen on the ray
    spSpan* out;         // NULL while they are counted
} spWalk;

static bool spIsAsked(const spVolumesDef* def, int a, int b)
{
    return def->isAsked == NULL ? a != b : def->isAsked(a, b, def->context);
}

static void spAddSpan(const spWalk* w, int tile, int a, int b, int low, int high, int pixel)
{
    if (spIsAsked(w->tally->def, a, b))
    {
        if (w->out != NULL)
        {
            w->out[w->counts[tile]] = (spSpan){{a, b}, {low, high}, tile * SP_TILE_PIXELS + pixel};
        }
        w->counts[tile] += 1;
    }
}

// What ends when a surface is left with this layer: its spans with all that are still open
static void spCloseSurface(const spWalk* w, int tile, int pixel, const spOpening* openings, int count,
                           const spOpening* own, int layer)
{
    for (int i = 0; i < count; ++i)
    {
        const spOpening* other = openings + i;
        if (other->winding > 0 && other->surface != own->surface)
        {
            bool first = own->surface < other->surface;
            int begin = spMaxInt(own->opened[0], other->opened[0]);
            spAddSpan(w, tile, first ? own->surface : other->surface, first ? other->surface : own->surface,
                      begin, layer, pixel);
        }
    }
}

static void spWalkPixel(const spWalk* w, int tile, int pixel, spOpening* openings)
{
    const int32_t* first = w->image->first + (size_t)tile * SP_TILE_PIXELS + (size_t)pixel;
    int count = 0;
    for (int i = first[0]; i < first[1]; ++i)
    {
        uint64_t layer = w->image->layers[i];
        int surface = spGetLayerSurface(w->tally->layers, spGetLayerTriangle(layer)), k = 0;
        while (k < count && openings[k].surface != surface)
        {
            k += 1;
        }
        if (k == count)
        {
            openings[count++] = (spOpening){.surface = surface};
        }
        spOpening* own = openings + k;
        if (spDoesLayerEnter(layer))
        {
            own->winding += 1;
            if (own->winding == 1 || own->winding == 2)
            {
                own->opened[own->winding - 1] = i;
            }
            continue;
        }
        if (own->winding == 2)
        {
            spAddSpan(w, tile, surface, surface, own->opened[1], i, pixel);
        }
        if (own->winding == 1)
        {
            spCloseSurface(w, tile, pixel, openings, count, own, i);
        }
        own->winding -= 1;
    }
}

static void spWalkTiles(int begin, int end, int workerIndex, void* context)
{
    const spWalk* w = context;
    spOpening* openings = w->openings + (size_t)workerIndex * (size_t)w->tally->layers->def->surfaceCount;
    for (int tile = begin; tile < end; ++tile)
    {
        for (uint64_t bits = w->image->crowded[tile]; bits != 0; bits &= bits - 1)
        {
            spWalkPixel(w, tile, __builtin_ctzll(bits), openings);
        }
    }
}

static bool spFindSpans(spTally* t, int axis)
{
    const spLayersDef* def = t->layers->def;
    spWalk w = {.tally = t, .image = t->layers->images + axis};
    int tiles = w.image->activeCount;
    w.counts = spArenaAlloc(def->arena, spArraySize((int64_t)tiles + 1, sizeof(int32_t)));
    w.openings =
        spArenaAlloc(def->arena, spArraySize((int64_t)def->surfaceCount * spGetTeamSize(def->team) + 1,
                                             sizeof(spOpening)));
    if (w.counts == NULL || w.openings == NULL)
    {
        return false;
    }
    memset(w.counts, 0, (size_t)(tiles + 1) * sizeof(int32_t));
    spParallelFor(def->team, spWalkTiles, tiles, 8, &w);
    int64_t sum = 0;
    for (int i = 0; i < tiles; ++i)
    {
        int32_t count = w.counts[i];
        w.counts[i] = (int32_t)sum;
        sum += count;
        if (sum > INT32_MAX / 8)
        {
            return false;
        }
    }
    w.out = t->spans[axis] = spArenaAlloc(def->arena, spArraySize(sum + 1, sizeof(spSpan)));
    t->spanCounts[axis] = (int)sum;
    t->out->spanCount += (int)sum;
    if (w.out == NULL)
    {
        return false;
    }
    spParallelFor(def->team, spWalkTiles, tiles, 8, &w);
    return true;
}

// ---- regions ----

static uint64_t spHashRegion(int64_t pair, const int32_t block[3])
{
    uint64_t k = (uint64_t)pair * 0x9E3779B97F4A7C15ull;
    k ^= (uint64_t)(uint32_t)block[0] | (uint64_t)(uint32_t)block[1] << 21 |
         (uint64_t)(uint32_t)block[2] << 42;
    k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9ull;
    k = (k ^ (k >> 27)) * 0x94D049BB133111EBull;
    return k ^ (k >> 31);
}

// Place of a region in the table, or of the gap where it belongs
static int spFindRegionPlace(const spTally* t, int64_t pair, const int32_t block[3])
{
    uint64_t mask = (uint64_t)t->tableSize - 1;
    uint64_t place = spHashRegion(pair, block) & mask;
    while (t->table[place] != 0)
    {
        const spRegion* r = t->regions + t->table[place] - 1;
        if (r->pair == pair && memcmp(r->block, block, sizeof(r->block)) == 0)
        {
            break;
        }
        place = (place + 1) & mask;
    }
    return (int)place;
}

// Doubles the table and the regions
static bool spGrowRegions(spTally* t)
{
    spArena* arena = t->layers->def->arena;
    int size = t->tableSize > 0 ? 2 * t->tableSize : 256;
    spRegion* regions = spArenaAlloc(arena, spArraySize(size / 2, sizeof(spRegion)));
    int32_t* table = spArenaAlloc(arena, spArraySize(size, sizeof(int32_t)));
    if (regions == NULL || table == NULL || size > INT32_MAX / 4)
    {
        return false;
    }
    memset(table, 0, (size_t)size * sizeof(int32_t));
    for (int i = 0; i < t->regionCount; ++i)
    {
        regions[i] = t->regions[i];
    }
    t->regions = regions;
    t->regionCapacity = size / 2;
    t->table = table;
    t->tableSize = size;
    for (int i = 0; i < t->regionCount; ++i)
    {
        t->table[spFindRegionPlace(t, regions[i].pair, regions[i].block)] = i + 1;
    }
    return true;
}

// The region of a pair in a block; -1 without memory
static int spFindRegion(spTally* t, int64_t pair, const int32_t block[3])
{
    if (t->regionCount == t->regionCapacity && spGrowRegions(t) == false)
    {
        return -1;
    }
    int place = spFindRegionPlace(t, pair, block);
    if (t->table[place] == 0)
    {
        t->regions[t->regionCount] =
            (spRegion){.pair = pair, .block = {block[0], block[1], block[2]}, .root = t->regionCount};
        t->table[place] = ++t->regionCount;
    }
    return t->table[place] - 1;
}

// The blocks that a span goes through
typedef struct spCut
{
    double z[2]; // m from the corner of the window
    int32_t block[3];
    int axis, first, last;
} spCut;

static int spFindBlock(const spLayers* layers, int axis, double z)
{
    double block = floor(z / (SP_TILE_SIZE * layers->pixel));
    return (int)fmin(fmax(block, 0.0), (double)(layers->blocks[axis] - 1));
}

static spCut spCutSpan(const spTally* t, int axis, const spSpan* span)
{
    const spLayerImage* image = t->layers->images + axis;
    int tile = image->active[span->pixel / SP_TILE_PIXELS];
    spCut cut = {.axis = axis};
    for (int k = 0; k < 2; ++k)
    {
        cut.z[k] = (double)spGetLayerDepth(image->layers[span->layers[k]]);
    }
    cut.block[(axis + 1) % 3] = tile % image->tiles[0];
    cut.block[(axis + 2) % 3] = tile / image->tiles[0];
    cut.first = spFindBlock(t->layers, axis, cut.z[0]);
    cut.last = spFindBlock(t->layers, axis, cut.z[1]);
    // What rounding has put into the wrong order, by next to nothing
    cut.last = cut.last < cut.first ? cut.first : cut.last;
    return cut;
}

// Share of a span up to the far wall of a block
static double spGetShareUpTo(const spTally* t, const spCut* cut, int block)
{
    double wall = (block + 1) * (SP_TILE_SIZE * t->layers->pixel);
    return block == cut->last ? 1.0 : fmin(fmax((wall - cut->z[0]) / (cut->z[1] - cut->z[0]), 0.0), 1.0);
}

static bool spCutSpans(spTally* t)
{
    const spLayersDef* def = t->layers->def;
    int64_t sum = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int i = 0; i < t->spanCounts[axis]; ++i)
        {
            spCut cut = spCutSpan(t, axis, t->spans[axis] + i);
            sum += cut.last - cut.first + 1;
        }
    }
    t->pieces = sum < INT32_MAX / 8 ? spArenaAlloc(def->arena, spArraySize(sum + 1, sizeof(spPiece))) : NULL;
    for (int axis = 0; t->pieces != NULL && axis < 3; ++axis)
    {
        t->pieceFirst[axis] = t->pieceCount;
        for (int i = 0; i < t->spanCounts[axis]; ++i)
        {
            const spSpan* span = t->spans[axis] + i;
            spCut cut = spCutSpan(t, axis, span);
            int64_t pair = (int64_t)span->surfaces[0] * def->surfaceCount + span->surfaces[1];
            double before = 0.0;
            for (int block = cut.first; block <= cut.last; ++block)
            {
                cut.block[axis] = block;
                int region = spFindRegion(t, pair, cut.block);
                if (region < 0)
                {
                    return false;
                }
                double share = spGetShareUpTo(t, &cut, block);
                t->pieces[t->pieceCount++] = (spPiece){i, region, share - before};
                before = share;
            }
        }
    }
    t->pieceFirst[3] = t->pieceCount;
    return t->pieces != NULL;
}

// ---- parts ----

static int spFindRegionRoot(spRegion* regions, int region)
{
    while (regions[region].root != region)
    {
        regions[region].root = regions[regions[region].root].root;
        region = regions[region].root;
    }
    return region;
}

// Number of the cell of a block, counted from the origin of space
static int64_t spGetCell(const spTally* t, const int32_t block[3], int axis)
{
    int64_t number = t->layers->from[axis] + block[axis], size = t->def->cellBlocks;
    return size <= 0 ? 0 : number >= 0 ? number / size : -((size - 1 - number) / size);
}

static void spJoinNeighbours(spTally* t, int region)
{
    const spRegion* own = t->regions + region;
    for (int k = 0; k < 13; ++k)
    {
        int32_t block[3] = {own->block[0] + k % 3 - 1, own->block[1] + k / 3 % 3 - 1,
                            own->block[2] + k / 9 - 1};
        bool same = block[0] >= 0 && block[1] >= 0 && block[2] >= 0;
        for (int axis = 0; same && axis < 3; ++axis)
        {
            same = spGetCell(t, block, axis) == spGetCell(t, own->block, axis);
        }
        int place = same ? spFindRegionPlace(t, own->pair, block) : 0;
        if (same && t->table[place] != 0)
        {
            int a = spFindRegionRoot(t->regions, region),
                b = spFindRegionRoot(t->regions, t->table[place] - 1);
            t->regions[spMaxInt(a, b)].root = spMinInt(a, b);
        }
    }
}

static int spCompareCells(const spTally* t, const spRegion* a, const spRegion* b)
{
    if (a->pair != b->pair)
    {
        return a->pair < b->pair ? -1 : 1;
    }
    for (int axis = 2; axis >= 0; --axis)
    {
        int64_t first = spGetCell(t, a->block, axis), second = spGetCell(t, b->block, axis);
        if (first != second)
        {
            return first < second ? -1 : 1;
        }
    }
    return 0;
}

// By pair, cell, and the first block in space
static bool spIsRegionBefore(int32_t first, int32_t second, const void* context)
{
    const spTally* t = context;
    const spRegion *a = t->regions + first, *b = t->regions + second;
    int order = spCompareCells(t, a, b);
    for (int axis = 2; order == 0 && axis >= 0; --axis)
    {
        order = a->block[axis] - b->block[axis];
    }
    return order < 0;
}

static spBox spGetBlockBox(const spLayers* layers, const int32_t block[3])
{
    double size = SP_TILE_SIZE * layers->pixel;
    spDVec3 at = {size * block[0], size * block[1], size * block[2]};
    spDVec3 lower = spDAdd(layers->origin, at);
    return (spBox){lower, spDAdd(lower, (spDVec3){size, size, size})};
}

// Numbers the volumes: those that are connected in a cell are one
static bool spNumberVolumes(spTally* t)
{
    spArena* arena = t->layers->def->arena;
    int surfaces = t->layers->def->surfaceCount;
    int32_t* order = spArenaAlloc(arena, spArraySize(2 * (int64_t)t->regionCount + 1, sizeof(int32_t)));
    t->out->volumes = spArenaAlloc(arena, spArraySize((int64_t)t->regionCount + 1, sizeof(spVolume)));
    if (order == NULL || t->out->volumes == NULL)
    {
        return false;
    }
    for (int i = 0; i < t->regionCount; ++i)
    {
        spJoinNeighbours(t, i);
        t->regions[i].volume = -1;
        order[i] = i;
    }
    spSortIndices(order, order + t->regionCount, t->regionCount, spIsRegionBefore, t);
    for (int i = 0; i < t->regionCount; ++i)
    {
        spRegion* r = t->regions + order[i];
        spRegion* root = t->regions + spFindRegionRoot(t->regions, order[i]);
        spBox box = spGetBlockBox(t->layers, r->block);
        if (root->volume < 0)
        {
            bool more = i > 0 && spCompareCells(t, t->regions + order[i - 1], r) == 0;
            int part = more ? t->out->volumes[t->out->count - 1].part + 1 : 0;
            root->volume = t->out->count++;
            t->out->volumes[root->volume] = (spVolume){
                .surfaces = {(int)(r->pair / surfaces), (int)(r->pair % surfaces)},
                .cell = {spGetCell(t, r->block, 0), spGetCell(t, r->block, 1), spGetCell(t, r->block, 2)},
                .part = part,
                .box = box,
            };
        }
        spBox* all = &t->out->volumes[root->volume].box;
        *all = (spBox){spDMin(all->lower, box.lower), spDMax(all->upper, box.upper)};
        r->volume = root->volume;
    }
    return true;
}

// ---- sums ----

// Lists the pieces of each volume, in their order
static bool spSortPieces(spTally* t)
{
    spArena* arena = t->layers->def->arena;
    int count = t->out->count;
    t->firstPiece = spArenaAlloc(arena, spArraySize((int64_t)count + 2, sizeof(int32_t)));
    t->piecesOf = spArenaAlloc(arena, spArraySize((int64_t)t->pieceCount + 1, sizeof(int32_t)));
    if (t->firstPiece == NULL || t->piecesOf == NULL)
    {
        return false;
    }
    memset(t->firstPiece, 0, (size_t)(count + 2) * sizeof(int32_t));
    for (int i = 0; i < t->pieceCount; ++i)
    {
        t->pieces[i].region = t->regions[t->pieces[i].region].volume;
        t->firstPiece[t->pieces[i].region + 2] += 1;
    }
    for (int i = 0; i < count; ++i)
    {
        t->firstPiece[i + 2] += t->firstPiece[i + 1];
    }
    for (int i = 0; i < t->pieceCount; ++i)
    {
        t->piecesOf[t->firstPiece[t->pieces[i].region + 1]++] = i;
    }
    return true;
}

// One end of a piece
typedef struct spEnd
{
    int surface;
    int side;
    int32_t nodes[3]; // among those of all surfaces
    double weights[3];
} spEnd;

static int spGetPieceAxis(const spTally* t, int piece)
{
    return (piece >= t->pieceFirst[1]) + (piece >= t->pieceFirst[2]);
}

static spDVec3 spGetTriangleWay(const spTally* t, int surface, int triangle)
{
    const spLayerSurface* s = t->layers->def->surfaces + surface;
    const int32_t* nodes = s->triangles + 3 * (int64_t)(triangle - t->layers->firstTriangle[surface]);
    spDVec3 p[3];
    for (int k = 0; k < 3; ++k)
    {
        spVec4 x = s->x[nodes[k]];
        p[k] = (spDVec3){(double)x.x, (double)x.y, (double)x.z};
    }
    spDVec3 n = spDCross(spDSub(p[1], p[0]), spDSub(p[2], p[0]));
    double length = spDLength(n);
    return length > 0.0 ? spDScale(1.0 / length, n) : n;
}

static spEnd spGetEnd(const spTally* t, int volume, int axis, const spSpan* span, int k)
{
    const spLayerImage* image = t->layers->images + axis;
    const spVolume* v = t->out->volumes + volume;
    int triangle = spGetLayerTriangle(image->layers[span->layers[k]]);
    spEnd end = {.surface = spGetLayerSurface(t->layers, triangle)};
    spGetLayerNodes(t->layers, end.surface, triangle, end.nodes);
    end.side = end.surface == v->surfaces[0] ? 0 : 1;
    if (v->surfaces[0] == v->surfaces[1])
    {
        end.side = spDDot(spGetTriangleWay(t, end.surface, triangle), t->ways[volume]) < 0.0;
    }
    return end;
}

static void spWeighEnd(const spTally* t, int axis, const spSpan* span, spEnd* end)
{
    const spLayerImage* image = t->layers->images + axis;
    int32_t u, v;
    spGetPixelCentre(image, span->pixel / SP_TILE_PIXELS, span->pixel % SP_TILE_PIXELS, &u, &v);
    spLayerPlane plane = spMakeLayerPlane(image, end->nodes);
    spGetPlaneWeights(&plane, u, v, end->weights + 1);
    end->weights[0] = 1.0 - end->weights[1] - end->weights[2];
}

// Which way most of the ends of a surface with itself look: the largest axis of the sum of their normals' squares
static spDVec3 spFindWay(const spTally* t, int volume)
{
    double m[6] = {0};
    for (int i = t->firstPiece[volume]; i < t->firstPiece[volume + 1]; ++i)
    {
        int piece = t->piecesOf[i], axis = spGetPieceAxis(t, piece);
        const spSpan* span = t->spans[axis] + t->pieces[piece].span;
        for (int k = 0; k < 2; ++k)
        {
            int triangle = spGetLayerTriangle(t->layers->images[axis].layers[span->layers[k]]);
            spDVec3 n = spGetTriangleWay(t, span->surfaces[0], triangle);
            double w = t->pieces[piece].share;
            m[0] += w * n.x * n.x, m[1] += w * n.y * n.y, m[2] += w * n.z * n.z;
            m[3] += w * n.x * n.y, m[4] += w * n.y * n.z, m[5] += w * n.z * n.x;
        }
    }
    spDVec3 way = m[0] >= m[1] && m[0] >= m[2] ? (spDVec3){1.0, 0.1, 0.01}
                  : m[1] >= m[2]               ? (spDVec3){0.01, 1.0, 0.1}
                                               : (spDVec3){0.1, 0.01, 1.0};
    for (int i = 0; i < 20; ++i)
    {
        spDVec3 next = {m[0] * way.x + m[3] * way.y + m[5] * way.z,
                        m[3] * way.x + m[1] * way.y + m[4] * way.z,
                        m[5] * way.x + m[4] * way.y + m[2] * way.z};
        double length = spDLength(next);
        way = length > 0.0 ? spDScale(1.0 / length, next) : way;
    }
    return way;
}

// Counts the nodes of each side, or sums up their gradients in places that were counted
static void spTallyVolume(const spTally* t, int volume, int worker, bool sum)
{
    spVolume* v = t->out->volumes + volume;
    double area = t->layers->pixel * t->layers->pixel, gradient[3] = {0.0, 0.0, 0.0};
    int32_t* marks = t->marks + (int64_t)worker * t->markCount;
    int32_t* places = t->places + (int64_t)worker * t->markCount;
    int mark = volume + 1, count[2] = {0, 0};
    for (int i = t->firstPiece[volume]; i < t->firstPiece[volume + 1]; ++i)
    {
        const spPiece* piece = t->pieces + t->piecesOf[i];
        int axis = spGetPieceAxis(t, t->piecesOf[i]);
        const spSpan* span = t->spans[axis] + piece->span;
        double a = area * piece->share, z[2] = {0.0, 0.0};
        for (int k = 0; k < 2; ++k)
        {
            spEnd end = spGetEnd(t, volume, axis, span, k);
            z[k] = (double)spGetLayerDepth(t->layers->images[axis].layers[span->layers[k]]);
            if (sum)
            {
                spWeighEnd(t, axis, span, &end);
                gradient[axis] += end.side == 0 ? (k == 0 ? -a : a) : 0.0;
            }
            for (int c = 0; c < 3; ++c)
            {
                int64_t at = 2 * (int64_t)end.nodes[c] + end.side;
                if (marks[at] != mark)
                {
                    marks[at] = mark;
                    places[at] = count[end.side]++;
                    if (sum)
                    {
                        t->out->nodes[v->first[end.side] + places[at]] =
                            (spVolumeNode){.node = end.nodes[c] - t->layers->firstNode[end.surface]};
                    }
                }
                if (sum)
                {
                    spDVec3* g = &t->out->nodes[v->first[end.side] + places[at]].gradient;
                    double part = (k == 0 ? -a : a) * end.weights[c];
                    g->x += axis == 0 ? part : 0.0;
                    g->y += axis == 1 ? part : 0.0;
                    g->z += axis == 2 ? part : 0.0;
                }
            }
        }
        v->seen[axis] += sum ? a * (z[1] - z[0]) : 0.0;
        v->areas[axis] += sum ? a : 0.0;
    }
    v->count[0] = count[0];
    v->count[1] = count[1];
    if (sum)
    {
        double all = v->areas[0] + v->areas[1] + v->areas[2];
        v->gradient = (spDVec3){gradient[0], gradient[1], gradient[2]};
        v->volume =
            all > 0.0 ? (v->areas[0] * v->seen[0] + v->areas[1] * v->seen[1] + v->areas[2] * v->seen[2]) / all
                      : 0.0;
    }
}

static void spCountNodes(int begin, int end, int workerIndex, void* context)
{
    const spTally* t = context;
    for (int i = begin; i < end; ++i)
    {
        if (t->out->volumes[i].surfaces[0] == t->out->volumes[i].surfaces[1])
        {
            t->ways[i] = spFindWay(t, i);
        }
        spTallyVolume(t, i, workerIndex, false);
    }
}

static void spSumNodes(int begin, int end, int workerIndex, void* context)
{
    const spTally* t = context;
    for (int i = begin; i < end; ++i)
    {
        spTallyVolume(t, i, workerIndex, true);
    }
}

static bool spSumVolumes(spTally* t)
{
    const spLayersDef* def = t->layers->def;
    int workers = spGetTeamSize(def->team);
    t->markCount = 2 * (int64_t)t->layers->firstNode[def->surfaceCount];
    size_t size = spArraySize(t->markCount * workers + 1, sizeof(int32_t));
    t->marks = spArenaAlloc(def->arena, size);
    t->places = spArenaAlloc(def->arena, size);
    t->ways = spArenaAlloc(def->arena, spArraySize((int64_t)t->out->count + 1, sizeof(spDVec3)));
    if (t->marks == NULL || t->places == NULL || t->ways == NULL)
    {
        return false;
    }
    memset(t->marks, 0, size);
    spParallelFor(def->team, spCountNodes, t->out->count, 1, t);
    int64_t sum = 0;
    for (int i = 0; i < t->out->count; ++i)
    {
        spVolume* v = t->out->volumes + i;
        v->first[0] = (int)sum;
        v->first[1] = (int)sum + v->count[0];
        sum += v->count[0] + v->count[1];
    }
    t->out->nodes =
        sum < INT32_MAX ? spArenaAlloc(def->arena, spArraySize(sum + 1, sizeof(spVolumeNode))) : NULL;
    t->out->nodeCount = (int)sum;
    if (t->out->nodes == NULL)
    {
        return false;
    }
    memset(t->marks, 0, size);
    spParallelFor(def->team, spSumNodes, t->out->count, 1, t);
    return true;
}

bool spFindVolumes(const spVolumesDef* def, spVolumes* volumes)
{
    spTally t = {.def = def, .layers = def->layers, .out = volumes};
    *volumes = (spVolumes){0};
    bool ok = spGrowRegions(&t);
    for (int axis = 0; ok && axis < 3; ++axis)
    {
        ok = spFindSpans(&t, axis);
    }
    ok = ok && spCutSpans(&t) && spNumberVolumes(&t) && spSortPieces(&t) && spSumVolumes(&t);
    volumes->count = ok ? volumes->count : 0;
    return ok;
}
