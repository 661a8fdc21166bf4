// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/raster.h"

#include "element/lane_count.h"

#include <math.h>
#include <string.h>

// Snapped corners are at most this far from the window: beyond it, shapes change, and stay closed
#define SP_FAR ((double)(1 << 29))
// Triangles in a task, at least
#define SP_TRIANGLE_TASK 1024

// ---- window ----

// The smallest box of whole blocks around the regions, which are not empty
static bool spPlaceWindow(spLayers* layers)
{
    const spLayersDef* def = layers->def;
    spBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < def->regionCount; ++i)
    {
        box.lower = spDMin(box.lower, def->regions[i].lower);
        box.upper = spDMax(box.upper, def->regions[i].upper);
    }
    spDVec3 size = spDSub(box.upper, box.lower);
    double most = fmax(size.x, fmax(size.y, size.z));
    int align = def->align > 1 ? def->align : 1;
    if (!(size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0) || spDIsFinite(size) == false ||
        !(def->pixel > 0.0) || align >= SP_MOST_BLOCKS / 4)
    {
        return false;
    }
    layers->pixel = fmax(def->pixel, most / (double)(SP_TILE_SIZE * (SP_MOST_BLOCKS - 2 * align)));
    double block = SP_TILE_SIZE * layers->pixel;
    double origin[3];
    for (int k = 0; k < 3; ++k)
    {
        double first = floor(spGetComponent(box.lower, k) / (block * align)) * align;
        double last = floor(spGetComponent(box.upper, k) / block) + 1.0;
        // Beyond that blocks have no numbers any more
        if (!(fabs(first) < 1e15))
        {
            return false;
        }
        layers->from[k] = (int64_t)first;
        layers->blocks[k] = (int)fmin(last - first, SP_MOST_BLOCKS);
        origin[k] = first * block;
    }
    layers->origin = (spDVec3){origin[0], origin[1], origin[2]};
    return true;
}

// Tiles that a region covers
static void spMarkRegion(spRaster* r, const spBox* region)
{
    const spLayers* layers = r->layers;
    int first[2], last[2];
    for (int k = 0; k < 2; ++k)
    {
        int axis = (r->image->axis + 1 + k) % 3;
        double block = SP_TILE_SIZE * layers->pixel, origin = spGetComponent(layers->origin, axis);
        double from = floor((spGetComponent(region->lower, axis) - origin) / block);
        double to = floor((spGetComponent(region->upper, axis) - origin) / block);
        first[k] = (int)fmax(from, 0.0);
        last[k] = (int)fmin(to, r->image->tiles[k] - 1);
    }
    for (int v = first[1]; v <= last[1]; ++v)
    {
        for (int u = first[0]; u <= last[0]; ++u)
        {
            r->place[v * r->image->tiles[0] + u] = 0;
        }
    }
}

static bool spListActive(spRaster* r)
{
    const spLayersDef* def = r->layers->def;
    spLayerImage* image = r->image;
    int count = image->tiles[0] * image->tiles[1];
    r->place = spArenaAlloc(def->arena, spArraySize(count, sizeof(int32_t)));
    image->active = spArenaAlloc(def->arena, spArraySize(count, sizeof(int32_t)));
    if (r->place == NULL || image->active == NULL)
    {
        return false;
    }
    memset(r->place, 0xFF, (size_t)count * sizeof(int32_t));
    for (int i = 0; i < def->regionCount; ++i)
    {
        spMarkRegion(r, def->regions + i);
    }
    for (int i = 0; i < count; ++i)
    {
        if (r->place[i] == 0)
        {
            r->place[i] = image->activeCount;
            image->active[image->activeCount++] = i;
        }
    }
    return true;
}

// ---- corners ----

static int32_t spSnap(double units)
{
    // What is no number is below all others
    units = units > -SP_FAR ? units : -SP_FAR;
    units = (units < SP_FAR ? units : SP_FAR) + 0.5;
    int32_t whole = (int32_t)units;
    return whole - (units < (double)whole);
}

typedef struct spSnapTask
{
    const spLayers* layers;
    int surface;
} spSnapTask;

static void spSnapNodes(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSnapTask* task = context;
    const spLayers* layers = task->layers;
    const spVec4* x = layers->def->surfaces[task->surface].x;
    spLayerCorner* corners = layers->corners + layers->firstNode[task->surface];
    double scale = SP_SUBPIXELS / layers->pixel;
    for (int i = begin; i < end; ++i)
    {
        const double p[3] = {(double)x[i].x - layers->origin.x, (double)x[i].y - layers->origin.y,
                             (double)x[i].z - layers->origin.z};
        spLayerCorner* c = corners + i;
        for (int k = 0; k < 3; ++k)
        {
            c->at[k] = spSnap(scale * p[k]);
            c->depth[k] = (float)p[k];
        }
        c->at[3] = 0;
        c->depth[3] = 0.0f;
    }
}

static bool spSnapCorners(spLayers* layers)
{
    const spLayersDef* def = layers->def;
    int64_t count = layers->firstNode[def->surfaceCount];
    layers->corners = spArenaAlloc(def->arena, spArraySize(count + 1, sizeof(spLayerCorner)));
    for (int i = 0; layers->corners != NULL && i < def->surfaceCount; ++i)
    {
        spSnapTask task = {layers, i};
        spParallelFor(def->team, spSnapNodes, def->surfaces[i].nodeCount, SP_TRIANGLE_TASK, &task);
    }
    return layers->corners != NULL;
}

// ---- triangles ----

// Each task has places of its own in each tile
static void spFillTiles(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRaster* r = context;
    for (int i = begin; i < end; ++i)
    {
        const spTriangleTask* task = r->tasks + i;
        for (int k = 0; k < task->pairCount; ++k)
        {
            const spTilePair* pair = task->pairs + k;
            int at = task->counts[pair->place]++;
            r->image->tileTriangles[at] = pair->triangle;
            r->image->tileMasks[at] = pair->mask;
        }
    }
}

static bool spOpenTasks(spRaster* r)
{
    const spLayersDef* def = r->layers->def;
    int triangles = r->layers->firstTriangle[def->surfaceCount];
    int most = 4 * spGetTeamSize(def->team), wanted = triangles / SP_TRIANGLE_TASK + 1;
    r->taskCount = spMinInt(most > 0 ? most : 1, wanted);
    r->tasks = spArenaAlloc(def->arena, spArraySize(r->taskCount, sizeof(spTriangleTask)));
    int32_t* visible = spArenaAlloc(def->arena, spArraySize(3 * ((int64_t)triangles + 1), sizeof(int32_t)));
    for (int i = 0; r->tasks != NULL && visible != NULL && i < r->taskCount; ++i)
    {
        int first = (int)((int64_t)triangles * i / r->taskCount);
        r->tasks[i] = (spTriangleTask){.firstTriangle = first,
                                       .lastTriangle = (int)((int64_t)triangles * (i + 1) / r->taskCount)};
        for (int axis = 0; axis < 3; ++axis)
        {
            r->tasks[i].visible[axis] = visible + (size_t)axis * ((size_t)triangles + 1) + first;
        }
    }
    return r->tasks != NULL && visible != NULL;
}

// Room for the pairs of each task, and for its counts of each tile
static bool spOpenPairs(spRaster* r)
{
    const spLayersDef* def = r->layers->def;
    int64_t sum = 0, tiles = r->image->activeCount;
    for (int i = 0; i < r->taskCount; ++i)
    {
        sum += r->tasks[i].bounds[r->image->axis];
    }
    if (sum > INT32_MAX / 2)
    {
        return false;
    }
    spTilePair* pairs = spArenaAlloc(def->arena, spArraySize(sum + 1, sizeof(spTilePair)));
    int32_t* counts = spArenaAlloc(def->arena, spArraySize(2 * r->taskCount * tiles + 1, sizeof(int32_t)));
    if (pairs == NULL || counts == NULL)
    {
        return false;
    }
    memset(counts, 0, (size_t)(2 * r->taskCount * tiles) * sizeof(int32_t));
    for (int i = 0; i < r->taskCount; ++i)
    {
        r->tasks[i].pairs = pairs;
        r->tasks[i].counts = counts + 2 * i * tiles;
        r->tasks[i].layers = counts + (2 * i + 1) * tiles;
        pairs += r->tasks[i].bounds[r->image->axis];
    }
    return true;
}

// Where the pairs of each tile, and of each task in it, and its layers begin
static bool spScanTiles(spRaster* r)
{
    spLayerImage* image = r->image;
    int64_t pairs = 0, layers = 0;
    for (int tile = 0; tile < image->activeCount; ++tile)
    {
        image->tileFirst[tile] = (int32_t)pairs;
        image->first[(size_t)tile * SP_TILE_PIXELS] = (int32_t)layers;
        for (int i = 0; i < r->taskCount; ++i)
        {
            int32_t count = r->tasks[i].counts[tile];
            r->tasks[i].counts[tile] = (int32_t)pairs;
            pairs += count;
            layers += r->tasks[i].layers[tile];
        }
        if (pairs > INT32_MAX / 2 || layers > INT32_MAX / 2)
        {
            return false;
        }
    }
    image->tileFirst[image->activeCount] = (int32_t)pairs;
    image->first[(size_t)image->activeCount * SP_TILE_PIXELS] = (int32_t)layers;
    image->pairCount = (int32_t)pairs;
    return true;
}

// Lists the triangles of each tile, rising, and counts its layers
static bool spListTiles(spRaster* r)
{
    const spLayersDef* def = r->layers->def;
    spLayerImage* image = r->image;
    int64_t tiles = image->activeCount;
    image->tileFirst = spArenaAlloc(def->arena, spArraySize(tiles + 1, sizeof(int32_t)));
    image->first = spArenaAlloc(def->arena, spArraySize(tiles * SP_TILE_PIXELS + 1, sizeof(int32_t)));
    if (image->tileFirst == NULL || image->first == NULL)
    {
        return false;
    }
    spParallelFor(def->team, r->kernels->boundLarge, r->taskCount, 1, r);
    if (spOpenPairs(r) == false)
    {
        return false;
    }
    spParallelFor(def->team, r->kernels->coverTiles, r->taskCount, 1, r);
    if (spScanTiles(r) == false)
    {
        return false;
    }
    image->tileTriangles =
        spArenaAlloc(def->arena, spArraySize((int64_t)image->pairCount + 1, sizeof(int32_t)));
    image->tileMasks = spArenaAlloc(def->arena, spArraySize((int64_t)image->pairCount + 1, sizeof(uint64_t)));
    if (image->tileTriangles == NULL || image->tileMasks == NULL)
    {
        return false;
    }
    spParallelFor(def->team, spFillTiles, r->taskCount, 1, r);
    return true;
}

static bool spDrawLayers(spRaster* r)
{
    const spLayersDef* def = r->layers->def;
    spLayerImage* image = r->image;
    int64_t tiles = image->activeCount, count = image->first[tiles * SP_TILE_PIXELS];
    image->layers = spArenaAlloc(def->arena, spArraySize(count + 1, sizeof(uint64_t)));
    image->crowded = spArenaAlloc(def->arena, spArraySize(tiles + 1, sizeof(uint64_t)));
    if (image->layers == NULL || image->crowded == NULL)
    {
        return false;
    }
    spParallelFor(def->team, r->kernels->drawTiles, image->activeCount, 4, r);
    return true;
}

// ---- all of it ----

static bool spCountAll(spLayers* layers)
{
    const spLayersDef* def = layers->def;
    layers->firstNode = spArenaAlloc(def->arena, spArraySize((int64_t)def->surfaceCount + 1, sizeof(int)));
    layers->firstTriangle =
        spArenaAlloc(def->arena, spArraySize((int64_t)def->surfaceCount + 1, sizeof(int)));
    if (layers->firstNode == NULL || layers->firstTriangle == NULL)
    {
        return false;
    }
    int64_t nodes = 0, triangles = 0;
    for (int i = 0; i < def->surfaceCount; ++i)
    {
        layers->firstNode[i] = (int)nodes;
        layers->firstTriangle[i] = (int)triangles;
        nodes += def->surfaces[i].nodeCount;
        triangles += def->surfaces[i].triangleCount;
        if (nodes > INT32_MAX / 2 || triangles > INT32_MAX / 2)
        {
            return false;
        }
    }
    layers->firstNode[def->surfaceCount] = (int)nodes;
    layers->firstTriangle[def->surfaceCount] = (int)triangles;
    int blocks = (int)(triangles >> SP_SURFACE_SHIFT) + 1, surface = 0;
    layers->surfaceAt = spArenaAlloc(def->arena, spArraySize(blocks, sizeof(int32_t)));
    for (int i = 0; layers->surfaceAt != NULL && i < blocks; ++i)
    {
        while (surface < def->surfaceCount - 1 && i << SP_SURFACE_SHIFT >= layers->firstTriangle[surface + 1])
        {
            surface += 1;
        }
        layers->surfaceAt[i] = surface;
    }
    return layers->surfaceAt != NULL;
}

static const spRasterKernels* spPickRaster(int laneCount)
{
#ifdef SOUPLE_DISABLE_SIMD
    SP_UNUSED(laneCount);
    return &spRasterKernels1;
#else
    laneCount = laneCount > 0 ? laneCount : spGetBestLaneCount();
    return laneCount >= 16 ? &spRasterKernels16 : laneCount >= 8 ? &spRasterKernels8 : &spRasterKernels1;
#endif
}

spLayersResult spMakeLayers(const spLayersDef* def, spLayers* layers)
{
    *layers = (spLayers){.def = def};
    if (spCountAll(layers) == false)
    {
        return sp_layersOutOfMemory;
    }
    if (spPlaceWindow(layers) == false)
    {
        return sp_layersNotFinite;
    }
    spRaster r = {.layers = layers, .kernels = spPickRaster(def->laneCount)};
    if (spSnapCorners(layers) == false || spOpenTasks(&r) == false)
    {
        return sp_layersOutOfMemory;
    }
    spParallelFor(def->team, r.kernels->findVisible, r.taskCount, 1, &r);
    for (int i = 0; i < r.taskCount; ++i)
    {
        if (r.tasks[i].finite == false)
        {
            return sp_layersNotFinite;
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        r.image = layers->images + k;
        r.image->axis = k;
        r.image->tiles[0] = layers->blocks[(k + 1) % 3];
        r.image->tiles[1] = layers->blocks[(k + 2) % 3];
        r.image->corners = layers->corners;
        if (spListActive(&r) == false || spListTiles(&r) == false || spDrawLayers(&r) == false)
        {
            return sp_layersOutOfMemory;
        }
    }
    return sp_layersMade;
}
