// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/layers.h"

#include <math.h>
#include <string.h>

// Snapped corners are at most this far from the window: beyond it, shapes change, and stay closed
#define SP_FAR ((double)(1 << 29))
// Triangles in a task, at least
#define SP_TRIANGLE_TASK 1024
// Layers of a pixel that are sorted by insertion
#define SP_FEW 24

// Triangles of a range that may cover a pixel
typedef struct spTriangleTask
{
    int firstTriangle, lastTriangle; // of all surfaces
    int32_t* visible;                // those that cover the centre of a pixel with their boxes
    int visibleCount;
    int32_t* counts; // of each active tile; then where they go
    bool finite;
} spTriangleTask;

typedef struct spRaster
{
    spLayers* layers;
    spLayerImage* image;
    spTriangleTask* tasks;
    int taskCount;
    int32_t* place;  // of each tile: among the active ones, or -1
    uint64_t* masks; // of each pair: pixels that are covered
    int32_t* totals; // of each active tile: layers
} spRaster;

int spGetLayerSurface(const spLayers* layers, int triangle)
{
    int low = 0, high = layers->def->surfaceCount;
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2;
        bool before = layers->firstTriangle[middle] <= triangle;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    return low;
}

// The same for triangles that rise, from the surface of the last one
static int spFollowSurface(const spLayers* layers, int surface, int triangle)
{
    while (triangle >= layers->firstTriangle[surface + 1])
    {
        surface += 1;
    }
    return surface;
}

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
    units = fmin(fmax(units, -SP_FAR), SP_FAR);
    return (int32_t)floor(units + 0.5);
}

typedef struct spSnapTask
{
    const spLayers* layers;
    spLayerImage* image;
    int surface;
} spSnapTask;

static void spSnapNodes(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSnapTask* task = context;
    const spLayers* layers = task->layers;
    spLayerImage* image = task->image;
    const spVec4* x = layers->def->surfaces[task->surface].x;
    int first = layers->firstNode[task->surface], axis = image->axis;
    double scale = SP_SUBPIXELS / layers->pixel;
    double ou = spGetComponent(layers->origin, (axis + 1) % 3);
    double ov = spGetComponent(layers->origin, (axis + 2) % 3);
    double ow = spGetComponent(layers->origin, axis);
    for (int i = begin; i < end; ++i)
    {
        const double p[3] = {(double)x[i].x, (double)x[i].y, (double)x[i].z};
        image->u[first + i] = spSnap(scale * (p[(axis + 1) % 3] - ou));
        image->v[first + i] = spSnap(scale * (p[(axis + 2) % 3] - ov));
        image->w[first + i] = (float)(p[axis] - ow);
    }
}

static bool spSnapCorners(spLayers* layers, spLayerImage* image)
{
    const spLayersDef* def = layers->def;
    int64_t count = layers->firstNode[def->surfaceCount];
    image->u = spArenaAlloc(def->arena, spArraySize(count + 1, sizeof(int32_t)));
    image->v = spArenaAlloc(def->arena, spArraySize(count + 1, sizeof(int32_t)));
    image->w = spArenaAlloc(def->arena, spArraySize(count + 1, sizeof(float)));
    if (image->u == NULL || image->v == NULL || image->w == NULL)
    {
        return false;
    }
    for (int i = 0; i < def->surfaceCount; ++i)
    {
        spSnapTask task = {layers, image, i};
        spParallelFor(def->team, spSnapNodes, def->surfaces[i].nodeCount, SP_TRIANGLE_TASK, &task);
    }
    return true;
}

// ---- triangles ----

// Corners of a triangle in an image, counterclockwise, and the pixels whose centres are in its box
typedef struct spFlat
{
    int64_t u[3], v[3];
    int32_t lower[2], upper[2]; // upper < lower: none
    bool enters;
} spFlat;

static int32_t spGetFirstPixel(int64_t units)
{
    return (int32_t)((units - SP_SUBPIXELS / 2 + SP_SUBPIXELS - 1) >> 8);
}

static int32_t spGetLastPixel(int64_t units)
{
    return (int32_t)((units - SP_SUBPIXELS / 2) >> 8);
}

static void spSpanPixels(const int64_t p[3], int limit, int32_t* lower, int32_t* upper)
{
    int64_t low = p[0] < p[1] ? p[0] : p[1], high = p[0] < p[1] ? p[1] : p[0];
    low = p[2] < low ? p[2] : low;
    high = p[2] > high ? p[2] : high;
    int32_t first = spGetFirstPixel(low), last = spGetLastPixel(high);
    *lower = first > 0 ? first : 0;
    *upper = last < limit - 1 ? last : limit - 1;
}

// False when it covers no pixel
static bool spFlatten(const spLayerImage* image, const int32_t nodes[3], spFlat* f)
{
    for (int k = 0; k < 3; ++k)
    {
        f->u[k] = image->u[nodes[k]];
        f->v[k] = image->v[nodes[k]];
    }
    spSpanPixels(f->u, image->tiles[0] * SP_TILE_SIZE, f->lower, f->upper);
    spSpanPixels(f->v, image->tiles[1] * SP_TILE_SIZE, f->lower + 1, f->upper + 1);
    if (f->upper[0] < f->lower[0] || f->upper[1] < f->lower[1])
    {
        return false;
    }
    int64_t area = (f->u[1] - f->u[0]) * (f->v[2] - f->v[0]) - (f->v[1] - f->v[0]) * (f->u[2] - f->u[0]);
    f->enters = area < 0;
    if (area < 0)
    {
        int64_t u = f->u[1], v = f->v[1];
        f->u[1] = f->u[2], f->v[1] = f->v[2];
        f->u[2] = u, f->v[2] = v;
    }
    return area != 0;
}

// An edge as a function that is 0 or more on what it lets in
typedef struct spEdge
{
    int64_t du, dv; // by a pixel along u and v
    int64_t at;     // at the centre of the first pixel of a tile
} spEdge;

static spEdge spMakeEdge(const spFlat* f, int k, int tileU, int tileV)
{
    int n = k == 2 ? 0 : k + 1;
    int64_t du = f->u[n] - f->u[k], dv = f->v[n] - f->v[k];
    int64_t u = (int64_t)tileU * SP_TILE_SIZE * SP_SUBPIXELS + SP_SUBPIXELS / 2;
    int64_t v = (int64_t)tileV * SP_TILE_SIZE * SP_SUBPIXELS + SP_SUBPIXELS / 2;
    bool inclusive = dv < 0 || (dv == 0 && du < 0);
    return (spEdge){.du = -dv * SP_SUBPIXELS,
                    .dv = du * SP_SUBPIXELS,
                    .at = du * (v - f->v[k]) - dv * (u - f->u[k]) - (inclusive ? 0 : 1)};
}

// Whether a triangle may cover the centre of a pixel of a tile: no edge has all of them outside
static bool spMeetsTile(const spFlat* f, int tileU, int tileV)
{
    const int last = SP_TILE_SIZE - 1;
    for (int k = 0; k < 3; ++k)
    {
        spEdge e = spMakeEdge(f, k, tileU, tileV);
        int64_t best = e.at + (e.du > 0 ? last * e.du : 0) + (e.dv > 0 ? last * e.dv : 0);
        if (best < 0)
        {
            return false;
        }
    }
    return true;
}

// Calls for the tiles of a triangle: what is done there is counting, or filling
static void spVisitTiles(const spRaster* r, const spFlat* f, int32_t* cursor, int32_t* out, int32_t triangle)
{
    int u0 = f->lower[0] / SP_TILE_SIZE, u1 = f->upper[0] / SP_TILE_SIZE;
    int v0 = f->lower[1] / SP_TILE_SIZE, v1 = f->upper[1] / SP_TILE_SIZE;
    for (int v = v0; v <= v1; ++v)
    {
        for (int u = u0; u <= u1; ++u)
        {
            int place = r->place[v * r->image->tiles[0] + u];
            if (place >= 0 && spMeetsTile(f, u, v))
            {
                if (out != NULL)
                {
                    out[cursor[place]] = triangle;
                }
                cursor[place] += 1;
            }
        }
    }
}

static void spFindVisible(const spRaster* r, spTriangleTask* task)
{
    const spLayers* layers = r->layers;
    int surface = 0;
    task->finite = true;
    for (int i = task->firstTriangle; i < task->lastTriangle; ++i)
    {
        int32_t nodes[3];
        spFlat f;
        surface = spFollowSurface(layers, surface, i);
        spGetLayerNodes(layers, surface, i, nodes);
        float sum = r->image->w[nodes[0]] + r->image->w[nodes[1]] + r->image->w[nodes[2]];
        task->finite = task->finite && isfinite(sum);
        if (spFlatten(r->image, nodes, &f))
        {
            task->visible[task->visibleCount++] = i;
            spVisitTiles(r, &f, task->counts, NULL, i);
        }
    }
}

static void spCountTiles(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRaster* r = context;
    for (int i = begin; i < end; ++i)
    {
        spFindVisible(r, r->tasks + i);
    }
}

static void spFillTiles(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRaster* r = context;
    for (int i = begin; i < end; ++i)
    {
        const spTriangleTask* task = r->tasks + i;
        int surface = 0;
        for (int k = 0; k < task->visibleCount; ++k)
        {
            int32_t nodes[3];
            spFlat f;
            surface = spFollowSurface(r->layers, surface, task->visible[k]);
            spGetLayerNodes(r->layers, surface, task->visible[k], nodes);
            spFlatten(r->image, nodes, &f);
            spVisitTiles(r, &f, task->counts, r->image->tileTriangles, task->visible[k]);
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
    int32_t* visible = spArenaAlloc(def->arena, spArraySize((int64_t)triangles + 1, sizeof(int32_t)));
    int32_t* counts =
        spArenaAlloc(def->arena, spArraySize((int64_t)r->taskCount * r->image->activeCount, sizeof(int32_t)));
    if (r->tasks == NULL || visible == NULL || counts == NULL)
    {
        return false;
    }
    memset(counts, 0, (size_t)r->taskCount * (size_t)r->image->activeCount * sizeof(int32_t));
    for (int i = 0; i < r->taskCount; ++i)
    {
        int first = (int)((int64_t)triangles * i / r->taskCount);
        r->tasks[i] = (spTriangleTask){
            .firstTriangle = first,
            .lastTriangle = (int)((int64_t)triangles * (i + 1) / r->taskCount),
            .visible = visible + first,
            .counts = counts + (size_t)i * (size_t)r->image->activeCount,
        };
    }
    return true;
}

// Lists the triangles of each tile, rising
static spLayersResult spListTiles(spRaster* r)
{
    const spLayersDef* def = r->layers->def;
    spLayerImage* image = r->image;
    image->tileFirst =
        spArenaAlloc(def->arena, spArraySize((int64_t)image->activeCount + 1, sizeof(int32_t)));
    if (image->tileFirst == NULL || spOpenTasks(r) == false)
    {
        return sp_layersOutOfMemory;
    }
    spParallelFor(def->team, spCountTiles, r->taskCount, 1, r);
    int64_t sum = 0;
    for (int i = 0; i < r->taskCount; ++i)
    {
        if (r->tasks[i].finite == false)
        {
            return sp_layersNotFinite;
        }
    }
    for (int tile = 0; tile < image->activeCount; ++tile)
    {
        image->tileFirst[tile] = (int32_t)sum;
        for (int i = 0; i < r->taskCount; ++i)
        {
            int32_t count = r->tasks[i].counts[tile];
            r->tasks[i].counts[tile] = (int32_t)sum;
            sum += count;
        }
        if (sum > INT32_MAX / 2)
        {
            return sp_layersOutOfMemory;
        }
    }
    image->tileFirst[image->activeCount] = (int32_t)sum;
    image->pairCount = (int32_t)sum;
    image->tileTriangles = spArenaAlloc(def->arena, spArraySize(sum + 1, sizeof(int32_t)));
    if (image->tileTriangles == NULL)
    {
        return sp_layersOutOfMemory;
    }
    spParallelFor(def->team, spFillTiles, r->taskCount, 1, r);
    return sp_layersMade;
}

// ---- pixels ----

// Pixels of a tile that a triangle covers, bit 8 y + x
static uint64_t spCoverTile(const spFlat* f, int tileU, int tileV)
{
    spEdge a = spMakeEdge(f, 0, tileU, tileV), b = spMakeEdge(f, 1, tileU, tileV);
    spEdge c = spMakeEdge(f, 2, tileU, tileV);
    int u0 = spMaxInt(f->lower[0] - tileU * SP_TILE_SIZE, 0);
    int u1 = spMinInt(f->upper[0] - tileU * SP_TILE_SIZE, SP_TILE_SIZE - 1);
    int v0 = spMaxInt(f->lower[1] - tileV * SP_TILE_SIZE, 0);
    int v1 = spMinInt(f->upper[1] - tileV * SP_TILE_SIZE, SP_TILE_SIZE - 1);
    uint64_t mask = 0;
    for (int v = v0; v <= v1; ++v)
    {
        int64_t ea = a.at + v * a.dv + u0 * a.du, eb = b.at + v * b.dv + u0 * b.du;
        int64_t ec = c.at + v * c.dv + u0 * c.du;
        for (int u = u0; u <= u1; ++u)
        {
            mask |= (uint64_t)((ea | eb | ec) >= 0) << (SP_TILE_SIZE * v + u);
            ea += a.du, eb += b.du, ec += c.du;
        }
    }
    return mask;
}

static void spCountLayers(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRaster* r = context;
    const spLayerImage* image = r->image;
    for (int tile = begin; tile < end; ++tile)
    {
        int32_t counts[SP_TILE_PIXELS] = {0}, sum = 0;
        int u = image->active[tile] % image->tiles[0], v = image->active[tile] / image->tiles[0];
        int surface = 0;
        for (int i = image->tileFirst[tile]; i < image->tileFirst[tile + 1]; ++i)
        {
            int32_t nodes[3];
            spFlat f;
            surface = spFollowSurface(r->layers, surface, image->tileTriangles[i]);
            spGetLayerNodes(r->layers, surface, image->tileTriangles[i], nodes);
            spFlatten(image, nodes, &f);
            uint64_t mask = spCoverTile(&f, u, v);
            r->masks[i] = mask;
            for (uint64_t bits = mask; bits != 0; bits &= bits - 1)
            {
                counts[__builtin_ctzll(bits)] += 1;
            }
        }
        for (int i = 0; i < SP_TILE_PIXELS; ++i)
        {
            image->first[(size_t)tile * SP_TILE_PIXELS + (size_t)i] = sum;
            sum += counts[i];
        }
        r->totals[tile] = sum;
    }
}

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

// No two layers are equal: they are of different triangles
static void spSortLayers(uint64_t* items, int count)
{
    if (count <= SP_FEW)
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

static void spFillTileLayers(const spRaster* r, int tile, int32_t base)
{
    const spLayerImage* image = r->image;
    int32_t* first = image->first + (size_t)tile * SP_TILE_PIXELS;
    int32_t cursor[SP_TILE_PIXELS];
    for (int i = 0; i < SP_TILE_PIXELS; ++i)
    {
        first[i] += base;
        cursor[i] = first[i];
    }
    int surface = 0;
    for (int i = image->tileFirst[tile]; i < image->tileFirst[tile + 1]; ++i)
    {
        int32_t nodes[3];
        int triangle = image->tileTriangles[i];
        surface = spFollowSurface(r->layers, surface, triangle);
        spGetLayerNodes(r->layers, surface, triangle, nodes);
        int64_t au = image->u[nodes[0]], av = image->v[nodes[0]];
        bool enters = (image->u[nodes[1]] - au) * (image->v[nodes[2]] - av) -
                          (image->v[nodes[1]] - av) * (image->u[nodes[2]] - au) <
                      0;
        for (uint64_t bits = r->masks[i]; bits != 0; bits &= bits - 1)
        {
            int pixel = __builtin_ctzll(bits);
            int32_t u, v;
            spGetPixelCentre(image, tile, pixel, &u, &v);
            image->layers[cursor[pixel]++] =
                spPackLayer(spFindLayerDepth(image, nodes, u, v), enters, triangle);
        }
    }
    for (int i = 0; i < SP_TILE_PIXELS; ++i)
    {
        spSortLayers(image->layers + first[i], cursor[i] - first[i]);
    }
}

static void spFillLayers(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spRaster* r = context;
    for (int tile = begin; tile < end; ++tile)
    {
        spFillTileLayers(r, tile, r->totals[tile]);
    }
}

static spLayersResult spDrawLayers(spRaster* r)
{
    const spLayersDef* def = r->layers->def;
    spLayerImage* image = r->image;
    int64_t pixels = (int64_t)image->activeCount * SP_TILE_PIXELS, sum = 0;
    image->first = spArenaAlloc(def->arena, spArraySize(pixels + 1, sizeof(int32_t)));
    r->masks = spArenaAlloc(def->arena, spArraySize((int64_t)image->pairCount + 1, sizeof(uint64_t)));
    r->totals = spArenaAlloc(def->arena, spArraySize(image->activeCount, sizeof(int32_t)));
    if (image->first == NULL || r->masks == NULL || r->totals == NULL)
    {
        return sp_layersOutOfMemory;
    }
    spParallelFor(def->team, spCountLayers, image->activeCount, 4, r);
    for (int tile = 0; tile < image->activeCount; ++tile)
    {
        int32_t count = r->totals[tile];
        r->totals[tile] = (int32_t)sum;
        sum += count;
        if (sum > INT32_MAX / 2)
        {
            return sp_layersOutOfMemory;
        }
    }
    image->first[pixels] = (int32_t)sum;
    image->layers = spArenaAlloc(def->arena, spArraySize(sum + 1, sizeof(uint64_t)));
    if (image->layers == NULL)
    {
        return sp_layersOutOfMemory;
    }
    spParallelFor(def->team, spFillLayers, image->activeCount, 4, r);
    return sp_layersMade;
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
    return true;
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
    for (int k = 0; k < 3; ++k)
    {
        spLayerImage* image = layers->images + k;
        spRaster r = {.layers = layers, .image = image};
        image->axis = k;
        image->tiles[0] = layers->blocks[(k + 1) % 3];
        image->tiles[1] = layers->blocks[(k + 2) % 3];
        if (spListActive(&r) == false || spSnapCorners(layers, image) == false)
        {
            return sp_layersOutOfMemory;
        }
        spLayersResult result = spListTiles(&r);
        result = result == sp_layersMade ? spDrawLayers(&r) : result;
        if (result != sp_layersMade)
        {
            return result;
        }
    }
    return sp_layersMade;
}
