// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The stages of contact/raster.h for SP_LANES lanes. Included once for each width by raster<n>.c, which is compiled for the
// level of the processor that has them.

#include "contact/raster.h"

#include <string.h>

// Layers of a pixel that are sorted by insertion, and by counting which are before
#define SP_FEW 24
#define SP_MOST_RANKED 32
// Triangles of a tile whose corners are fetched before their turn
#define SP_AHEAD 6
// Width of triangles whose edges fit into 32 bits on every tile that they touch, in 1/256 pixel
#define SP_NARROW 8192

// The same for triangles that rise, from the surface of the last one
static int spFollowSurface(const spLayers* layers, int surface, int triangle)
{
    while (triangle >= layers->firstTriangle[surface + 1])
    {
        surface += 1;
    }
    return surface;
}

// ---- triangles ----

// Pixels whose centres are in the box of a triangle, along x, y and z
typedef struct spPixelBox
{
    int32_t low[4], high[4];   // in 1/256 pixel
    int32_t first[4], last[4]; // last < first: none
} spPixelBox;

static inline int32_t spLess(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t spMore(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline spPixelBox spGetPixelBox(const spLayers* layers, const int32_t limit[4], const int32_t nodes[3])
{
    const spLayerCorner *a = layers->corners + nodes[0], *b = layers->corners + nodes[1];
    const spLayerCorner* c = layers->corners + nodes[2];
    spPixelBox box;
    for (int k = 0; k < 4; ++k)
    {
        box.low[k] = spLess(spLess(a->at[k], b->at[k]), c->at[k]);
        box.high[k] = spMore(spMore(a->at[k], b->at[k]), c->at[k]);
        box.first[k] = spMore((box.low[k] - SP_SUBPIXELS / 2 + SP_SUBPIXELS - 1) >> 8, 0);
        box.last[k] = spLess((box.high[k] - SP_SUBPIXELS / 2) >> 8, limit[k]);
    }
    return box;
}

// Number of the last pixel along each direction of the window
static void spGetPixelLimits(const spLayers* layers, int32_t limit[4])
{
    for (int k = 0; k < 3; ++k)
    {
        limit[k] = layers->blocks[k] * SP_TILE_SIZE - 1;
    }
    limit[3] = 0;
}

typedef struct spEdge
{
    int64_t du, dv; // by a pixel along u and v
    int64_t at;     // at the centre of the first pixel of the window
} spEdge;

// A triangle in an image: edges as functions that are 0 or more on what they let in
typedef struct spFlat
{
    int32_t lower[2], upper[2]; // the pixels whose centres are in its box
    int32_t low[2];             // corner of the box, in 1/256 pixel
    bool narrow;
    int32_t du[3], dv[3],
        at[3];       // of narrow ones: edge k is at + dv u + du v at a place as seen from the corner
    spEdge edges[3]; // of others
} spFlat;

static inline spEdge spMakeEdge(const int64_t a[2], const int64_t b[2])
{
    int64_t du = b[0] - a[0], dv = b[1] - a[1];
    bool inclusive = dv < 0 || (dv == 0 && du < 0);
    return (spEdge){.du = -dv * SP_SUBPIXELS,
                    .dv = du * SP_SUBPIXELS,
                    .at = du * (SP_SUBPIXELS / 2 - a[1]) - dv * (SP_SUBPIXELS / 2 - a[0]) -
                          (inclusive ? 0 : 1)};
}

// False when it has no area
static bool spFlattenWide(int32_t corners[3][2], spFlat* f)
{
    int64_t p[3][2];
    for (int k = 0; k < 3; ++k)
    {
        p[k][0] = corners[k][0];
        p[k][1] = corners[k][1];
    }
    int64_t area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    // Counterclockwise
    int second = area < 0 ? 2 : 1;
    f->edges[0] = spMakeEdge(p[0], p[second]);
    f->edges[1] = spMakeEdge(p[second], p[3 - second]);
    f->edges[2] = spMakeEdge(p[3 - second], p[0]);
    return area != 0;
}

static inline bool spFlatten(const spLayerImage* image, const spPixelBox* box, const int32_t nodes[3],
                             spFlat* f)
{
    int au = image->axis == 2 ? 0 : image->axis + 1, av = image->axis == 0 ? 2 : image->axis - 1;
    int32_t p[3][2];
    for (int k = 0; k < 3; ++k)
    {
        p[k][0] = image->corners[nodes[k]].at[au];
        p[k][1] = image->corners[nodes[k]].at[av];
    }
    f->lower[0] = box->first[au], f->upper[0] = box->last[au];
    f->lower[1] = box->first[av], f->upper[1] = box->last[av];
    f->low[0] = box->low[au], f->low[1] = box->low[av];
    f->narrow = box->high[au] - box->low[au] <= SP_NARROW && box->high[av] - box->low[av] <= SP_NARROW;
    if (f->narrow == false)
    {
        return spFlattenWide(p, f);
    }
    int32_t area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    // Edges of what runs clockwise are turned round
    int32_t sign = area < 0 ? -1 : 1;
    for (int k = 0; k < 3; ++k)
    {
        int n = k == 2 ? 0 : k + 1;
        int32_t du = sign * (p[n][0] - p[k][0]), dv = sign * (p[n][1] - p[k][1]);
        int32_t inclusive = (dv < 0) | ((dv == 0) & (du < 0));
        f->du[k] = du;
        f->dv[k] = -dv;
        f->at[k] = dv * (p[k][0] - f->low[0]) - du * (p[k][1] - f->low[1]) - 1 + inclusive;
    }
    return area != 0;
}

// The rows of a tile: a lane each
typedef int32_t spRowLanes __attribute__((vector_size(32)));
typedef uint8_t spRowBytes __attribute__((vector_size(8)));

static inline uint64_t spCoverNarrow(const spFlat* f, int tileU, int tileV, int u0, int u1)
{
    const spRowLanes order = {0, 1, 2, 3, 4, 5, 6, 7};
    int32_t u = (tileU * SP_TILE_SIZE + u0) * SP_SUBPIXELS + SP_SUBPIXELS / 2 - f->low[0];
    int32_t v = tileV * SP_TILE_SIZE * SP_SUBPIXELS + SP_SUBPIXELS / 2 - f->low[1];
    spRowLanes e[3], rows = {0};
    for (int k = 0; k < 3; ++k)
    {
        e[k] = f->at[k] + f->dv[k] * u + f->du[k] * v + f->du[k] * SP_SUBPIXELS * order;
    }
    for (int x = u0; x <= u1; ++x)
    {
        rows |= ~((e[0] | e[1] | e[2]) >> 31) & (1 << x);
        e[0] += f->dv[0] * SP_SUBPIXELS, e[1] += f->dv[1] * SP_SUBPIXELS, e[2] += f->dv[2] * SP_SUBPIXELS;
    }
    spRowBytes bytes = __builtin_convertvector(rows, spRowBytes);
    uint64_t mask;
    memcpy(&mask, &bytes, sizeof(mask));
    return mask;
}

static uint64_t spCoverWide(const spEdge edges[3], int u0, int u1, int v0, int v1)
{
    uint64_t mask = 0;
    for (int v = v0; v <= v1; ++v)
    {
        for (int u = u0; u <= u1; ++u)
        {
            int64_t a = edges[0].at + v * edges[0].dv + u * edges[0].du;
            int64_t b = edges[1].at + v * edges[1].dv + u * edges[1].du;
            int64_t c = edges[2].at + v * edges[2].dv + u * edges[2].du;
            mask |= (uint64_t)((a | b | c) >= 0) << (SP_TILE_SIZE * v + u);
        }
    }
    return mask;
}

// Pixels of a tile that a triangle covers, bit 8 y + x
static inline uint64_t spCoverTile(const spFlat* f, int tileU, int tileV)
{
    const int last = SP_TILE_SIZE - 1;
    int u0 = spMaxInt(f->lower[0] - tileU * SP_TILE_SIZE, 0);
    int u1 = spMinInt(f->upper[0] - tileU * SP_TILE_SIZE, last);
    if (f->narrow)
    {
        return spCoverNarrow(f, tileU, tileV, u0, u1);
    }
    spEdge edges[3];
    bool inside = true;
    for (int k = 0; k < 3; ++k)
    {
        spEdge* e = edges + k;
        *e = f->edges[k];
        e->at += SP_TILE_SIZE * (tileU * e->du + tileV * e->dv);
        int64_t low = e->at + (e->du < 0 ? last * e->du : 0) + (e->dv < 0 ? last * e->dv : 0);
        int64_t high = e->at + (e->du > 0 ? last * e->du : 0) + (e->dv > 0 ? last * e->dv : 0);
        inside = inside && low >= 0;
        if (high < 0)
        {
            return 0;
        }
    }
    int v0 = spMaxInt(f->lower[1] - tileV * SP_TILE_SIZE, 0);
    int v1 = spMinInt(f->upper[1] - tileV * SP_TILE_SIZE, last);
    return inside ? ~0ull : spCoverWide(edges, u0, u1, v0, v1);
}

// Calls for the tiles of a triangle: lists those that it covers a pixel of, or counts them
static int spVisitTiles(const spRaster* r, const spFlat* f, int32_t triangle, spTriangleTask* task)
{
    int u0 = f->lower[0] / SP_TILE_SIZE, u1 = f->upper[0] / SP_TILE_SIZE;
    int v0 = f->lower[1] / SP_TILE_SIZE, v1 = f->upper[1] / SP_TILE_SIZE, count = 0;
    for (int v = v0; v <= v1; ++v)
    {
        for (int u = u0; u <= u1; ++u)
        {
            int place = r->place[v * r->image->tiles[0] + u];
            uint64_t mask = place >= 0 ? spCoverTile(f, u, v) : 0;
            if (mask != 0 && task != NULL)
            {
                task->pairs[task->pairCount++] = (spTilePair){triangle, place, mask};
                task->counts[place] += 1;
                task->layers[place] += __builtin_popcountll(mask);
            }
            count += mask != 0;
        }
    }
    return count;
}

static inline int64_t spCountBoxTiles(const spPixelBox* box, int au, int av)
{
    int64_t across = box->last[au] / SP_TILE_SIZE - box->first[au] / SP_TILE_SIZE + 1;
    return across * (box->last[av] / SP_TILE_SIZE - box->first[av] / SP_TILE_SIZE + 1);
}

static void spFindVisible(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRaster* r = context;
    const spLayers* layers = r->layers;
    int32_t limit[4], far[3];
    spGetPixelLimits(layers, limit);
    for (int k = 0; k < 3; ++k)
    {
        far[k] = (limit[k] + 1) * SP_SUBPIXELS;
    }
    for (int i = begin; i < end; ++i)
    {
        spTriangleTask* task = r->tasks + i;
        int surface = 0;
        float sum = 0.0f;
        for (int triangle = task->firstTriangle; triangle < task->lastTriangle; ++triangle)
        {
            int32_t nodes[3];
            surface = spFollowSurface(layers, surface, triangle);
            spGetLayerNodes(layers, surface, triangle, nodes);
            spPixelBox box = spGetPixelBox(layers, limit, nodes);
            for (int k = 0; k < 3; ++k)
            {
                // Zero times what is no number, or infinite, is no number
                const float* depth = layers->corners[nodes[k]].depth;
                sum += 0.0f * (depth[0] + depth[1] + depth[2]);
            }
            // What lies behind the window ends nothing in it
            bool behind[3] = {box.low[0] > far[0], box.low[1] > far[1], box.low[2] > far[2]};
            bool has[3] = {box.first[0] <= box.last[0], box.first[1] <= box.last[1],
                           box.first[2] <= box.last[2]};
            for (int axis = 0; axis < 3; ++axis)
            {
                int au = (axis + 1) % 3, av = (axis + 2) % 3;
                if (has[au] & has[av] & !behind[axis])
                {
                    int64_t tiles = spCountBoxTiles(&box, au, av);
                    task->visible[axis][task->visibleCount[axis]++] = triangle;
                    task->bounds[axis] += tiles <= SP_FEW_TILES ? tiles : 0;
                    task->large[axis] = task->large[axis] || tiles > SP_FEW_TILES;
                }
            }
        }
        task->finite = sum == 0.0f;
    }
}

// The triangle of a task that is the k-th one which an axis sees; false when it has no area there
static inline bool spFlattenVisible(const spRaster* r, const spTriangleTask* task, int k,
                                    const int32_t limit[4], int* surface, spFlat* f)
{
    int32_t nodes[3], triangle = task->visible[r->image->axis][k];
    *surface = spFollowSurface(r->layers, *surface, triangle);
    spGetLayerNodes(r->layers, *surface, triangle, nodes);
    spPixelBox box = spGetPixelBox(r->layers, limit, nodes);
    return spFlatten(r->image, &box, nodes, f);
}

static void spBoundLarge(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRaster* r = context;
    int axis = r->image->axis;
    int32_t limit[4];
    spGetPixelLimits(r->layers, limit);
    for (int i = begin; i < end; ++i)
    {
        spTriangleTask* task = r->tasks + i;
        int surface = 0;
        for (int k = 0; task->large[axis] && k < task->visibleCount[axis]; ++k)
        {
            spFlat f;
            if (spFlattenVisible(r, task, k, limit, &surface, &f))
            {
                int64_t across = f.upper[0] / SP_TILE_SIZE - f.lower[0] / SP_TILE_SIZE + 1;
                int64_t up = f.upper[1] / SP_TILE_SIZE - f.lower[1] / SP_TILE_SIZE + 1;
                task->bounds[axis] += across * up > SP_FEW_TILES ? spVisitTiles(r, &f, 0, NULL) : 0;
            }
        }
    }
}

static void spCoverTiles(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRaster* r = context;
    int32_t limit[4];
    spGetPixelLimits(r->layers, limit);
    for (int i = begin; i < end; ++i)
    {
        spTriangleTask* task = r->tasks + i;
        int surface = 0;
        task->pairCount = 0;
        for (int k = 0; k < task->visibleCount[r->image->axis]; ++k)
        {
            spFlat f;
            if (spFlattenVisible(r, task, k, limit, &surface, &f))
            {
                spVisitTiles(r, &f, task->visible[r->image->axis][k], task);
            }
        }
    }
}

// ---- pixels ----

static void spSiftDown(uint64_t* items, int root, int count)
{
    while (2 * root + 1 < count)
    {
        int child = 2 * root + 1;
        child += child + 1 < count && items[child] < items[child + 1];
        if (items[root] >= items[child])
        {
            return;
        }
        uint64_t swap = items[root];
        items[root] = items[child];
        items[child] = swap;
        root = child;
    }
}

static void spSortByInsertion(uint64_t* items, int count)
{
    for (int i = 1; i < count; ++i)
    {
        uint64_t item = items[i];
        int k = i;
        for (; k > 0 && items[k - 1] > item; --k)
        {
            items[k] = items[k - 1];
        }
        items[k] = item;
    }
}

#if SP_LANES == 16

typedef int64_t spKeyLanes __attribute__((vector_size(64)));

// The place of each item is the number of those before it: no branch depends on the items
static void spSortByRank(uint64_t* items, int count)
{
    spKeyLanes keys[SP_MOST_RANKED / 8], ranks[SP_MOST_RANKED / 8];
    int64_t* key = (int64_t*)keys;
    int blocks = (count + 7) / 8;
    for (int i = 0; i < 8 * blocks; ++i)
    {
        // Compared as signed numbers
        key[i] = i < count ? (int64_t)(items[i] ^ 1ull << 63) : INT64_MAX;
    }
    for (int b = 0; b < blocks; ++b)
    {
        spKeyLanes rank = {0}, own = keys[b];
        for (int i = 0; i < count; ++i)
        {
            rank -= own > key[i];
        }
        ranks[b] = rank;
    }
    for (int i = 0; i < count; ++i)
    {
        items[((const int64_t*)ranks)[i]] = (uint64_t)key[i] ^ 1ull << 63;
    }
}

#endif

// No two layers are equal: they are of different triangles
static void spSortLayers(uint64_t* items, int count)
{
#if SP_LANES == 16
    if (count > 4 && count <= SP_MOST_RANKED)
    {
        spSortByRank(items, count);
        return;
    }
#endif
    if (count <= SP_FEW)
    {
        spSortByInsertion(items, count);
        return;
    }
    for (int i = count / 2 - 1; i >= 0; --i)
    {
        spSiftDown(items, i, count);
    }
    for (int i = count - 1; i > 0; --i)
    {
        uint64_t swap = items[0];
        items[0] = items[i];
        items[i] = swap;
        spSiftDown(items, 0, i);
    }
}

// Whether something is open while something else is entered: else every layer that enters is followed by the one that
// leaves the same surface
static bool spIsCrowded(const spLayers* layers, const uint64_t* items, int count)
{
    if (count % 2 != 0)
    {
        return true;
    }
    for (int i = 0; i < count; i += 2)
    {
        if (spDoesLayerEnter(items[i]) == false || spDoesLayerEnter(items[i + 1]))
        {
            return true;
        }
        int first = spGetLayerTriangle(items[i]), second = spGetLayerTriangle(items[i + 1]);
        if (first >> SP_SURFACE_SHIFT != second >> SP_SURFACE_SHIFT &&
            spGetLayerSurface(layers, first) != spGetLayerSurface(layers, second))
        {
            return true;
        }
    }
    return false;
}

static inline const int32_t* spFindTriangle(const spLayers* layers, int triangle)
{
    int surface = spGetLayerSurface(layers, triangle);
    return layers->def->surfaces[surface].triangles +
           3 * (int64_t)(triangle - layers->firstTriangle[surface]);
}

static void spDrawTile(const spRaster* r, int tile)
{
    const spLayerImage* image = r->image;
    int32_t* first = image->first + (size_t)tile * SP_TILE_PIXELS;
    int32_t cursor[SP_TILE_PIXELS] = {0}, sum = first[0];
    for (int i = image->tileFirst[tile]; i < image->tileFirst[tile + 1]; ++i)
    {
        for (uint64_t bits = image->tileMasks[i]; bits != 0; bits &= bits - 1)
        {
            cursor[__builtin_ctzll(bits)] += 1;
        }
    }
    for (int i = 0; i < SP_TILE_PIXELS; ++i)
    {
        int32_t count = cursor[i];
        first[i] = cursor[i] = sum;
        sum += count;
    }
    int surface = 0, last = image->tileFirst[tile + 1];
    int32_t u, v;
    spGetPixelCentre(image, tile, 0, &u, &v);
    for (int i = image->tileFirst[tile]; i < last; ++i)
    {
        int32_t nodes[3];
        int triangle = image->tileTriangles[i];
        if (i + 2 * SP_AHEAD < last)
        {
            // Triangles of a tile come from all over the memory: they are fetched, then their corners
            int32_t next[3];
            __builtin_prefetch(spFindTriangle(r->layers, image->tileTriangles[i + 2 * SP_AHEAD]));
            spGetLayerNodes(r->layers, spGetLayerSurface(r->layers, image->tileTriangles[i + SP_AHEAD]),
                            image->tileTriangles[i + SP_AHEAD], next);
            __builtin_prefetch(image->corners + next[0]);
            __builtin_prefetch(image->corners + next[1]);
            __builtin_prefetch(image->corners + next[2]);
        }
        surface = spFollowSurface(r->layers, surface, triangle);
        spGetLayerNodes(r->layers, surface, triangle, nodes);
        spLayerPlane plane = spMakeLayerPlane(image, nodes);
        for (uint64_t bits = image->tileMasks[i]; bits != 0; bits &= bits - 1)
        {
            int pixel = __builtin_ctzll(bits);
            float depth = spGetPlaneDepth(&plane, u + SP_SUBPIXELS * (pixel % SP_TILE_SIZE),
                                          v + SP_SUBPIXELS * (pixel / SP_TILE_SIZE));
            image->layers[cursor[pixel]++] = spPackLayer(depth, plane.area < 0.0, triangle);
        }
    }
    uint64_t crowded = 0;
    for (int i = 0; i < SP_TILE_PIXELS; ++i)
    {
        uint64_t* items = image->layers + first[i];
        int count = cursor[i] - first[i];
        spSortLayers(items, count);
        crowded |= (uint64_t)spIsCrowded(r->layers, items, count) << i;
    }
    image->crowded[tile] = crowded;
}

static void spDrawTiles(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    for (int tile = begin; tile < end; ++tile)
    {
        spDrawTile(context, tile);
    }
}

#define SP_JOIN_RASTER(lanes) spRasterKernels##lanes
#define SP_RASTER_TABLE(lanes) SP_JOIN_RASTER(lanes)

const spRasterKernels SP_RASTER_TABLE(SP_LANES) = {
    .findVisible = spFindVisible,
    .boundLarge = spBoundLarge,
    .coverTiles = spCoverTiles,
    .drawTiles = spDrawTiles,
};
