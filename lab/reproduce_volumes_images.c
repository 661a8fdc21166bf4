// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Layered depth images and their volumes beside what Courtecuisse 2011 (chapter 4) asks of them: images against a slow
// ray caster, volumes against closed forms and against spans of the rays.

#include "reproduce_volumes.h"

#include "cli/tools.h"
#include "contact/volume.h"
#include "testbed/closed_surface.h"
#include "testbed/random.h"
#include "testbed/ray_caster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_MOST_SURFACES 40
#define SP_MOST_RAY 256

// Surfaces in one image
typedef struct spScene
{
    spHeap heap;
    spArena arena;
    spClosedSurface shapes[SP_MOST_SURFACES];
    spLayerSurface surfaces[SP_MOST_SURFACES];
    spBox region;
    spLayersDef def;
    spLayers layers;
    int count;
} spScene;

static void spAddShape(spScene* scene, spClosedSurface shape)
{
    spBox box = spGetClosedSurfaceBox(&shape);
    int i = scene->count++;
    scene->shapes[i] = shape;
    scene->surfaces[i] = spGetLayerSurfaceOf(scene->shapes + i);
    scene->region =
        i == 0 ? box
               : (spBox){spDMin(scene->region.lower, box.lower), spDMax(scene->region.upper, box.upper)};
}

// Makes the images. What cannot be made is told.
static bool spDrawScene(spReproduction* r, spScene* scene, double pixel)
{
    scene->heap = spMakeHeap(NULL);
    spInitArena(&scene->arena, &scene->heap);
    scene->def = (spLayersDef){.arena = &scene->arena,
                               .surfaces = scene->surfaces,
                               .surfaceCount = scene->count,
                               .regions = &scene->region,
                               .regionCount = 1,
                               .pixel = pixel};
    bool made = spMakeLayers(&scene->def, &scene->layers) == sp_layersMade;
    if (made == false)
    {
        spError error = {.code = sp_errorOutOfMemory, .message = "no memory for images"};
        spReportFailure(r, "volumes", &error);
    }
    return made;
}

static void spClearScene(spScene* scene)
{
    spFreeArena(&scene->arena);
    for (int i = 0; i < scene->count; ++i)
    {
        spFreeClosedSurface(scene->shapes + i);
    }
    scene->count = 0;
}

// A ball, a torus and a box in random poses
static spClosedSurface spMakeRandomShape(int kind, uint64_t* seed)
{
    const spDVec3 zero = {0.0, 0.0, 0.0};
    spDVec3 axis = {spRandomRange(seed, -1.0, 1.0), spRandomRange(seed, -1.0, 1.0), 0.3};
    spDVec3 shift = {spRandomRange(seed, -0.4, 0.4), spRandomRange(seed, -0.4, 0.4),
                     spRandomRange(seed, -0.4, 0.4)};
    spClosedSurface s = kind == 0   ? spMakeSphereSurface(zero, 0.6, 3)
                        : kind == 1 ? spMakeTorusSurface(zero, 0.6, 0.2, 30, 14)
                                    : spMakeBoxSurface((spDVec3){-0.5, -0.5, -0.5}, (spDVec3){0.5, 0.5, 0.5});
    spPoseClosedSurface(&s, axis, spRandomRange(seed, 0.0, 6.0), shift);
    return s;
}

// ---- images ----

typedef struct spRayCount
{
    int64_t pixels, layers;
    int wrong; // pixels whose layers are not those of the ray
    int open;  // pixels where surfaces are not left as often as they are entered
} spRayCount;

static void spCompareWithRays(const spScene* scene, spRayCount* count)
{
    uint64_t rays[SP_MOST_RAY];
    for (int axis = 0; axis < 3; ++axis)
    {
        const spLayerImage* image = scene->layers.images + axis;
        for (int i = 0; i < image->activeCount * SP_TILE_PIXELS; ++i)
        {
            int first = image->first[i], layers = image->first[i + 1] - first, sum = 0;
            int cast =
                spCastRay(&scene->layers, axis, i / SP_TILE_PIXELS, i % SP_TILE_PIXELS, rays, SP_MOST_RAY);
            bool same = cast == layers && cast <= SP_MOST_RAY &&
                        memcmp(rays, image->layers + first, (size_t)cast * sizeof(uint64_t)) == 0;
            for (int k = first; k < first + layers; ++k)
            {
                sum += spDoesLayerEnter(image->layers[k]) ? 1 : -1;
            }
            count->wrong += same == false;
            count->open += sum != 0;
            count->pixels += 1;
            count->layers += layers;
        }
    }
}

static void spReproduceRays(spReproduction* r)
{
    spRayCount count = {0};
    uint64_t seed = 19;
    for (int round = 0; round < (r->quick ? 3 : 30); ++round)
    {
        spScene scene = {0};
        spAddShape(&scene, spMakeRandomShape(round % 3, &seed));
        spAddShape(&scene, spMakeRandomShape((round + 1) % 3, &seed));
        if (spDrawScene(r, &scene, r->quick ? 0.05 : 0.02))
        {
            spCompareWithRays(&scene, &count);
        }
        spClearScene(&scene);
    }
    spReportTarget(r, "F1: pixels whose layers are not those of a ray caster", "", "0, bit for bit",
                   count.wrong, count.layers > 0 && count.wrong == 0);
    spReportTarget(r, "F3: pixels left other than as often as entered", "", "0", count.open,
                   count.layers > 0 && count.open == 0);
    spReportNote(r, "%lld layers on %lld pixels of balls, tori and boxes in random poses.",
                 (long long)count.layers, (long long)count.pixels);
}

// Random triangles: those listed in a tile must meet it, and those that cover a pixel of it must be listed
static void spReproduceTiles(spReproduction* r)
{
    int n = r->quick ? 5000 : 100000, wrong = 0;
    uint64_t seed = 5;
    spClosedSurface s = spAllocClosedSurface(3 * n, n);
    for (int i = 0; i < s.nodeCount; ++i)
    {
        double size = i / 3 % 10 == 0 ? 0.5 : 0.03;
        uint64_t place = 77 + (uint64_t)(i / 3);
        double p[3];
        for (int k = 0; k < 3; ++k)
        {
            p[k] = spRandomRange(&place, 0.0, 1.0) + spRandomRange(&seed, -size, size);
        }
        spSetClosedNode(&s, i, p[0], p[1], p[2]);
        s.triangles[i] = i;
    }
    spScene scene = {0};
    spAddShape(&scene, s);
    scene.region = (spBox){{0.0, 0.0, 0.0}, {0.99, 0.99, 0.99}};
    bool drawn = s.nodeCount > 0 && spDrawScene(r, &scene, 1.0 / 96.0);
    int64_t listed = 0;
    for (int axis = 0; drawn && axis < 3; ++axis)
    {
        const spLayerImage* image = scene.layers.images + axis;
        int far = scene.layers.blocks[axis] * SP_TILE_SIZE * SP_SUBPIXELS;
        for (int tile = 0; tile < image->activeCount; ++tile)
        {
            int next = image->tileFirst[tile], end = image->tileFirst[tile + 1];
            for (int i = 0; i < n; ++i)
            {
                int32_t nodes[3];
                spGetLayerNodes(&scene.layers, 0, i, nodes);
                bool behind = image->corners[nodes[0]].at[axis] > far &&
                              image->corners[nodes[1]].at[axis] > far &&
                              image->corners[nodes[2]].at[axis] > far;
                bool has = next < end && image->tileTriangles[next] == i;
                bool meets = behind == false && spDoesTriangleMeetTile(image, nodes, tile), hit = false;
                for (int k = 0; meets && has == false && hit == false && k < SP_TILE_PIXELS; ++k)
                {
                    int32_t u, v;
                    spGetPixelCentre(image, tile, k, &u, &v);
                    hit = spDoesRayHit(image, nodes, u, v);
                }
                wrong += (has && meets == false) || hit;
                next += has;
                listed += has;
            }
            wrong += next != end;
        }
    }
    spClearScene(&scene);
    char quantity[96];
    snprintf(quantity, sizeof(quantity), "F2: wrong pairs of tiles and %d random triangles", n);
    spReportTarget(r, quantity, "", "0", wrong, listed > n && wrong == 0);
}

// Triangles in front of each other, all behind one pixel
static void spReproduceManyLayers(spReproduction* r)
{
    int n = r->quick ? 50000 : 500000;
    spClosedSurface s = spAllocClosedSurface(3 * n, 2 * n);
    uint64_t seed = 1;
    for (int i = 0; i < n && s.nodeCount > 0; ++i)
    {
        double z = spRandomRange(&seed, 0.0, 1.0);
        spSetClosedNode(&s, 3 * i, 0.4, 0.4, z);
        spSetClosedNode(&s, 3 * i + 1, 0.6, 0.4, z);
        spSetClosedNode(&s, 3 * i + 2, 0.5, 0.7, z);
        spSetClosedTriangle(&s, 2 * i, 3 * i, 3 * i + 1, 3 * i + 2);
        spSetClosedTriangle(&s, 2 * i + 1, 3 * i, 3 * i + 2, 3 * i + 1);
    }
    spScene scene = {0};
    spAddShape(&scene, s);
    scene.region = (spBox){{0.0, 0.0, 0.0}, {0.9, 0.9, 0.9}};
    int lost = 2 * n;
    if (s.nodeCount > 0 && spDrawScene(r, &scene, 1.0))
    {
        const spLayerImage* image = scene.layers.images + 2;
        lost -= image->first[1] - image->first[0];
    }
    spClearScene(&scene);
    char quantity[96];
    snprintf(quantity, sizeof(quantity), "F4: layers lost of %d behind one pixel", 2 * n);
    spReportTarget(r, quantity, "", "0", lost, lost == 0);
}

// What an axis of the image of twenty tori takes
static void spReproduceStages(spReproduction* r)
{
    spScene scene = {0};
    int around = r->quick ? 40 : 98, across = r->quick ? 10 : 25;
    for (int i = 0; i < 20; ++i)
    {
        spDVec3 center = {0.9 * (i % 5), 0.9 * (i / 5 % 2), 0.19 * (i / 10)};
        spAddShape(&scene, spMakeTorusSurface(center, 0.35, 0.1, around, across));
    }
    double spent = INFINITY;
    for (int round = 0; round < 5; ++round)
    {
        double start = spGetProcessorClock();
        bool drawn = spDrawScene(r, &scene, 0.02);
        double now = 1e3 * (spGetProcessorClock() - start) / 3.0;
        spFreeArena(&scene.arena);
        spent = drawn ? fmin(spent, now) : NAN;
    }
    char quantity[96];
    snprintf(quantity, sizeof(quantity), "F1: image of an axis, 20 tori, %d triangles, on a GPU",
             20 * 2 * around * across);
    spReportRow(r, quantity, "ms", "1.3 ms", spent, sp_notJudged);
    spClearScene(&scene);
}

void spReproduceImages(spReproduction* r)
{
    spStartPart(r, "Images");
    spReproduceRays(r);
    spReproduceTiles(r);
    spReproduceManyLayers(r);
    spReproduceStages(r);
}

// ---- volumes ----

static double spSumVolumes(const spVolumes* v)
{
    double sum = 0.0;
    for (int i = 0; i < v->count; ++i)
    {
        sum += v->volumes[i].volume;
    }
    return sum;
}

static spVolumes spMeasureScene(spReproduction* r, spScene* scene, double pixel)
{
    spVolumes volumes = {0};
    spVolumesDef def = {.layers = &scene->layers};
    if (spDrawScene(r, scene, pixel))
    {
        spFindVolumes(&def, &volumes);
    }
    return volumes;
}

typedef struct spLens
{
    double volume, slope; // m^3, m^2
    double sum;           // of all gradients, m^2
} spLens;

// Two balls of 5120 triangles
static spLens spMeasureLens(spReproduction* r, double distance, double pixel)
{
    spDVec3 axis = {1.0, 0.7, 0.4}, shift = spDScale(distance / spDLength(axis), axis);
    spScene scene = {0};
    spAddShape(&scene, spMakeSphereSurface((spDVec3){0.0, 0.0, 0.0}, 1.0, 4));
    spAddShape(&scene, spMakeSphereSurface(shift, 1.0, 4));
    spVolumes v = spMeasureScene(r, &scene, pixel);
    spLens lens = {NAN, NAN, NAN};
    if (v.count == 1)
    {
        spDVec3 all = {0.0, 0.0, 0.0}, second = {0.0, 0.0, 0.0};
        for (int i = 0; i < v.nodeCount; ++i)
        {
            all = spDAdd(all, v.nodes[i].gradient);
            second = i >= v.volumes[0].first[1] ? spDAdd(second, v.nodes[i].gradient) : second;
        }
        lens = (spLens){v.volumes[0].volume, spDDot(second, spDScale(1.0 / distance, shift)), spDLength(all)};
    }
    spClearScene(&scene);
    return lens;
}

static void spReproduceLens(spReproduction* r)
{
    double fine = r->quick ? 0.0125 : 0.00625;
    spLens coarse = spMeasureLens(r, 1.5, 0.05);
    double before = spMeasureLens(r, 1.49, fine).volume, after = spMeasureLens(r, 1.51, fine).volume;
    spLens middle = spMeasureLens(r, 1.5, fine);
    double slope = (after - before) / 0.02;
    spReportTarget(r, "F5: volume of two balls, pixel 0.05", "m^3", "0.35997 +- 1 %", coarse.volume,
                   fabs(coarse.volume / spGetLensVolume(1.0, 1.5) - 1.0) < 0.01);
    spReportTarget(r, "F6: its gradient along the axis", "m^2", "-1.3744 +- 1 %", coarse.slope,
                   fabs(coarse.slope / -1.3744 - 1.0) < 0.01);
    spReportTarget(r, "F6: gradient over differences of volumes", "", "1 +- 1 %", middle.slope / slope,
                   fabs(middle.slope / slope - 1.0) < 0.01);
    spReportTarget(r, "F6: sum of gradients over vertices", "m^2", "0 +- 1e-6", coarse.sum,
                   coarse.sum < 1e-6);
}

// How long a ray is inside of each two surfaces, added up for each axis: a count for each surface at every crossing
static void spSumByRays(const spScene* scene, double sums[3])
{
    uint64_t rays[SP_MOST_RAY];
    for (int axis = 0; axis < 3; ++axis)
    {
        const spLayerImage* image = scene->layers.images + axis;
        sums[axis] = 0.0;
        for (int i = 0; i < image->activeCount * SP_TILE_PIXELS; ++i)
        {
            int open[SP_MOST_SURFACES] = {0};
            double from = 0.0;
            int count =
                spCastRay(&scene->layers, axis, i / SP_TILE_PIXELS, i % SP_TILE_PIXELS, rays, SP_MOST_RAY);
            for (int k = 0; k < spMinInt(count, SP_MOST_RAY); ++k)
            {
                double to = (double)spGetLayerDepth(rays[k]);
                int inside = 0;
                for (int s = 0; s < scene->count; ++s)
                {
                    inside += open[s] > 0;
                }
                sums[axis] += (to - from) * 0.5 * inside * (inside - 1);
                from = to;
                open[spGetLayerSurface(&scene->layers, spGetLayerTriangle(rays[k]))] +=
                    spDoesLayerEnter(rays[k]) ? 1 : -1;
            }
        }
        sums[axis] *= scene->layers.pixel * scene->layers.pixel;
    }
}

// Tori in each other, all in one image
static void spReproducePileVolumes(spReproduction* r)
{
    spScene scene = {0};
    int tori = r->quick ? 10 : 40;
    for (int i = 0; i < tori; ++i)
    {
        spDVec3 center = {0.85 * (i % 5), 0.85 * (i / 5 % 2), 0.17 * (i / 10)};
        spAddShape(&scene, spMakeTorusSurface(center, 0.35, 0.1, 32, 12));
    }
    spVolumes v = spMeasureScene(r, &scene, r->quick ? 0.08 : 0.05);
    double seen[3] = {0.0, 0.0, 0.0}, rays[3], worst = v.count > 0 ? 0.0 : NAN;
    for (int i = 0; i < v.count; ++i)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            seen[axis] += v.volumes[i].seen[axis];
        }
    }
    spSumByRays(&scene, rays);
    for (int axis = 0; axis < 3; ++axis)
    {
        worst = fmax(worst, fabs(seen[axis] / rays[axis] - 1.0));
    }
    char quantity[96];
    snprintf(quantity, sizeof(quantity), "F7: sum of volumes of %d tori against rays", tori);
    spReportTarget(r, quantity, "", "1e-4", worst, worst < 1e-4);
    spReportNote(r, "%d pairs of them have %.4g m^3 in common.", v.count, spSumVolumes(&v));
    spClearScene(&scene);
}

static bool spAskForAll(int a, int b, const void* context)
{
    (void)a, (void)b, (void)context;
    return true;
}

// A torus whose ring is folded to an eight: where its tube crosses itself at a right angle, two cylinders have 16/3 r^3
// in common
static spClosedSurface spMakeFoldedTorus(double size, double tube, int around, int across)
{
    spClosedSurface s = spMakeTorusSurface((spDVec3){0.0, 0.0, 0.0}, size, tube, around, across);
    for (int i = 0; i < s.nodeCount; ++i)
    {
        double a = 2.0 * 3.14159265358979323846 * (i / across) / around;
        double b = 2.0 * 3.14159265358979323846 * (i % across) / across;
        // Gerono's eight, which runs through the origin at +-45 degrees
        spDVec3 center = {size * sin(a), size * sin(a) * cos(a), 0.0};
        spDVec3 along = {cos(a), cos(2.0 * a), 0.0};
        spDVec3 aside = spDScale(1.0 / spDLength(along), (spDVec3){along.y, -along.x, 0.0});
        spDVec3 p = spDMulAdd(center, tube * cos(b), aside);
        spSetClosedNode(&s, i, p.x, p.y, tube * sin(b));
    }
    return s;
}

static void spReproduceFold(spReproduction* r)
{
    const double tube = 0.1;
    spScene scene = {0};
    spAddShape(&scene, spMakeFoldedTorus(1.0, tube, 400, 48));
    spVolumes v = {0};
    spVolumesDef def = {.layers = &scene.layers, .isAsked = spAskForAll};
    bool drawn = spDrawScene(r, &scene, r->quick ? 0.02 : 0.01) && spFindVolumes(&def, &v);
    double ratio = drawn ? spSumVolumes(&v) / (16.0 / 3.0 * tube * tube * tube) : NAN;
    spReportTarget(r, "F8: a torus folded through itself, over 16/3 r^3", "", "1 +- 3 %", ratio,
                   fabs(ratio - 1.0) < 0.03);
    spClearScene(&scene);
}

// What it takes to look for what surfaces have in common with themselves too
static void spReproduceSelfCost(spReproduction* r)
{
    spScene scene = {0};
    int around = r->quick ? 40 : 98, across = r->quick ? 10 : 25;
    for (int i = 0; i < 20; ++i)
    {
        spDVec3 center = {0.88 * (i % 5), 0.88 * (i / 5 % 2), 0.18 * (i / 10)};
        spAddShape(&scene, spMakeTorusSurface(center, 0.35, 0.1, around, across));
    }
    double spent[2] = {INFINITY, INFINITY};
    for (int round = 0; round < 10; ++round)
    {
        int self = round % 2;
        spVolumes v;
        spVolumesDef def = {.layers = &scene.layers, .isAsked = self ? spAskForAll : NULL};
        double start = spGetProcessorClock();
        bool ok = spDrawScene(r, &scene, 0.02) && spFindVolumes(&def, &v);
        double now = 1e3 * (spGetProcessorClock() - start);
        spFreeArena(&scene.arena);
        spent[self] = ok ? fmin(spent[self], now) : NAN;
    }
    double more = spent[1] / spent[0] - 1.0;
    spReportTarget(r, "F8: what bodies with themselves add to one image", "", "0.2 at most", more,
                   spInFull(r, more < 0.2));
    spClearScene(&scene);
}

// Sums over cells of four sizes against the whole
static void spReproduceCells(spReproduction* r)
{
    uint64_t seed = 12;
    spScene scene = {0};
    spAddShape(&scene, spMakeRandomShape(0, &seed));
    spAddShape(&scene, spMakeRandomShape(2, &seed));
    spVolumes whole = spMeasureScene(r, &scene, 1.0 / 128.0);
    double worst = whole.count == 1 ? 0.0 : NAN;
    int most = 1;
    for (int blocks = 8; blocks >= 1 && whole.count == 1; blocks /= 2)
    {
        spVolumesDef def = {.layers = &scene.layers, .cellBlocks = blocks};
        spVolumes cells = {0};
        spFindVolumes(&def, &cells);
        spDVec3 gradient = {0.0, 0.0, 0.0};
        double seen = 0.0;
        for (int i = 0; i < cells.count; ++i)
        {
            gradient = spDAdd(gradient, cells.volumes[i].gradient);
            seen += cells.volumes[i].seen[0] + cells.volumes[i].seen[1] + cells.volumes[i].seen[2];
        }
        const double* all = whole.volumes[0].seen;
        worst = fmax(worst, fabs(seen / (all[0] + all[1] + all[2]) - 1.0));
        worst = fmax(worst,
                     spDDistance(gradient, whole.volumes[0].gradient) / spDLength(whole.volumes[0].gradient));
        most = spMaxInt(most, cells.count);
    }
    char quantity[96];
    snprintf(quantity, sizeof(quantity), "F12: sums over up to %d cells against one", most);
    spReportTarget(r, quantity, "", "1e-6", worst, most > 8 && worst < 1e-6);
    spClearScene(&scene);
}

void spReproduceSurfaceVolumes(spReproduction* r)
{
    spStartPart(r, "Volumes");
    spReproduceLens(r);
    spReproducePileVolumes(r);
    spReproduceFold(r);
    spReproduceSelfCost(r);
    spReproduceCells(r);
}
