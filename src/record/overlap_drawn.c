// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "record/overlap_drawn.h"

#include "contact/volume.h"
#include "mesh/surface.h"
#include "record/drawn.h"

#include <math.h>

// Closed surfaces of a frame
typedef struct spClosedBodies
{
    spLayerSurface* surfaces;
    spBox* boxes;
    int* bodies;
    int count;
} spClosedBodies;

static bool spAddClosedBody(spArena* arena, const spDrawnBody* drawn, int body, spClosedBodies* closed)
{
    bool isClosed = false;
    if (drawn->triangleCount == 0)
    {
        return true;
    }
    if (!spFindClosed(arena->heap, drawn->triangles, drawn->triangleCount, drawn->x.count, &isClosed))
    {
        return false;
    }
    spVec4* x = isClosed ? spArenaAlloc(arena, (size_t)drawn->x.count * sizeof(spVec4)) : NULL;
    if (x == NULL)
    {
        return !isClosed;
    }
    spBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < drawn->x.count; ++i)
    {
        const float* p = drawn->x.data + 3 * i;
        x[i] = (spVec4){(spReal)p[0], (spReal)p[1], (spReal)p[2], 0};
        spDVec3 at = {(double)p[0], (double)p[1], (double)p[2]};
        if (!isfinite(at.x + at.y + at.z))
        {
            return true; // a body that blew up has no volume
        }
        box = (spBox){spDMin(box.lower, at), spDMax(box.upper, at)};
    }
    closed->surfaces[closed->count] =
        (spLayerSurface){x, drawn->x.count, drawn->triangles, drawn->triangleCount};
    closed->boxes[closed->count] = box;
    closed->bodies[closed->count++] = body;
    return true;
}

static bool spAreOthers(int surfaceA, int surfaceB, const void* context)
{
    (void)context;
    return surfaceA != surfaceB;
}

// What boxes of two bodies have in common. Returns the longest edge of it all.
static double spFindRegions(const spClosedBodies* closed, spBox* regions, int* count)
{
    double longest = 0.0;
    *count = 0;
    for (int i = 0; i < closed->count; ++i)
    {
        for (int k = 0; k < i; ++k)
        {
            spBox box = {spDMax(closed->boxes[i].lower, closed->boxes[k].lower),
                         spDMin(closed->boxes[i].upper, closed->boxes[k].upper)};
            spDVec3 size = spDSub(box.upper, box.lower);
            if (size.x > 0.0 && size.y > 0.0 && size.z > 0.0)
            {
                regions[(*count)++] = box;
                longest = fmax(longest, fmax(size.x, fmax(size.y, size.z)));
            }
        }
    }
    return longest;
}

static spFloat3 spPlaceOnRay(const spLayers* layers, const spLayerImage* image, int tile, int pixel,
                             uint64_t layer)
{
    int32_t at[2];
    spGetPixelCentre(image, tile, pixel, at, at + 1);
    double p[3];
    double unit = layers->pixel / SP_SUBPIXELS;
    p[image->axis] = spGetComponent(layers->origin, image->axis) + (double)spGetLayerDepth(layer);
    for (int k = 0; k < 2; ++k)
    {
        int axis = (image->axis + 1 + k) % 3;
        p[axis] = spGetComponent(layers->origin, axis) + unit * at[k];
    }
    return spMakeF3((float)p[0], (float)p[1], (float)p[2]);
}

// Walks all rays of an image with the set of bodies that are open: counts the spans in which two of them are, or writes them
static int spWalkRays(const spLayers* layers, const spLayerImage* image, const spClosedBodies* closed,
                      int* open, spDrawnSpan* spans)
{
    int count = 0;
    for (int i = 0; i < SP_TILE_PIXELS * image->activeCount; ++i)
    {
        int openCount = 0;
        memset(open, 0, (size_t)closed->count * sizeof(int));
        for (int k = image->first[i]; k < image->first[i + 1]; ++k)
        {
            uint64_t layer = image->layers[k];
            int surface = spGetLayerSurface(layers, spGetLayerTriangle(layer));
            if (openCount >= 2)
            {
                if (spans != NULL)
                {
                    uint64_t before = image->layers[k - 1];
                    int tile = i / SP_TILE_PIXELS, pixel = i % SP_TILE_PIXELS;
                    int last = spGetLayerSurface(layers, spGetLayerTriangle(before));
                    spans[count] = (spDrawnSpan){{spPlaceOnRay(layers, image, tile, pixel, before),
                                                  spPlaceOnRay(layers, image, tile, pixel, layer)},
                                                 {closed->bodies[last], closed->bodies[surface]}};
                }
                count += 1;
            }
            int was = open[surface];
            open[surface] += spDoesLayerEnter(layer) ? 1 : -1;
            openCount += (open[surface] > 0 ? 1 : 0) - (was > 0 ? 1 : 0);
        }
    }
    return count;
}

static bool spFillOverlap(spArena* arena, const spLayers* layers, const spVolumes* volumes,
                          const spClosedBodies* closed, spDrawnOverlap* overlap)
{
    double areas[3] = {0};
    overlap->pixel = (float)layers->pixel;
    overlap->gradients = spArenaAlloc(arena, ((size_t)volumes->nodeCount + 1) * sizeof(spDrawnGradient));
    if (overlap->gradients == NULL)
    {
        return false;
    }
    for (int i = 0; i < volumes->count; ++i)
    {
        const spVolume* volume = volumes->volumes + i;
        overlap->volume += volume->volume;
        for (int k = 0; k < 3; ++k)
        {
            areas[k] += volume->areas[k];
        }
        for (int side = 0; side < 2; ++side)
        {
            int surface = volume->surfaces[side];
            for (int k = volume->first[side]; k < volume->first[side] + volume->count[side]; ++k)
            {
                const spVolumeNode* node = volumes->nodes + k;
                spVec4 x = closed->surfaces[surface].x[node->node];
                overlap->gradients[overlap->gradientCount++] = (spDrawnGradient){
                    spMakeF3((float)x.x, (float)x.y, (float)x.z),
                    spMakeF3((float)node->gradient.x, (float)node->gradient.y, (float)node->gradient.z),
                    closed->bodies[surface]};
            }
        }
    }
    int axis = areas[0] >= areas[1] && areas[0] >= areas[2] ? 0 : areas[1] >= areas[2] ? 1 : 2;
    for (int i = 0; i < 3; ++i)
    {
        const spLayerImage* image = layers->images + i;
        if (image->axis != axis)
        {
            continue;
        }
        int* open = spArenaAlloc(arena, (size_t)closed->count * sizeof(int));
        int count = open != NULL ? spWalkRays(layers, image, closed, open, NULL) : 0;
        overlap->spans = spArenaAlloc(arena, ((size_t)count + 1) * sizeof(spDrawnSpan));
        if (open == NULL || overlap->spans == NULL)
        {
            return false;
        }
        overlap->spanCount = spWalkRays(layers, image, closed, open, overlap->spans);
    }
    return true;
}

static bool spFindOverlapOf(spArena* arena, const spClosedBodies* closed, int pixels, spDrawnOverlap* overlap)
{
    int regionCount;
    size_t most = (size_t)closed->count * (size_t)closed->count + 1;
    spBox* regions = spArenaAlloc(arena, most * sizeof(spBox));
    if (regions == NULL)
    {
        return false;
    }
    double longest = spFindRegions(closed, regions, &regionCount);
    if (regionCount == 0)
    {
        return true;
    }
    spLayersDef def = {.arena = arena,
                       .surfaces = closed->surfaces,
                       .surfaceCount = closed->count,
                       .regions = regions,
                       .regionCount = regionCount,
                       .pixel = longest / pixels};
    spLayers layers;
    spVolumes volumes;
    spVolumesDef volumesDef = {.layers = &layers, .isAsked = spAreOthers};
    return spMakeLayers(&def, &layers) == sp_layersMade && spFindVolumes(&volumesDef, &volumes) &&
           spFillOverlap(arena, &layers, &volumes, closed, overlap);
}

bool spFindDrawnOverlap(spArena* arena, const spRecording* recording, int frame, int pixels,
                        spDrawnOverlap* overlap)
{
    *overlap = (spDrawnOverlap){0};
    size_t bodyCount = (size_t)recording->bodyCount + 1;
    spClosedBodies closed = {.surfaces = spArenaAlloc(arena, bodyCount * sizeof(spLayerSurface)),
                             .boxes = spArenaAlloc(arena, bodyCount * sizeof(spBox)),
                             .bodies = spArenaAlloc(arena, bodyCount * sizeof(int))};
    bool ok = closed.surfaces != NULL && closed.boxes != NULL && closed.bodies != NULL;
    for (int body = 0; ok && body < recording->bodyCount; ++body)
    {
        spDrawnBody drawn = {0};
        ok = spGetDrawnBody(arena->heap, recording, frame, body, &drawn) &&
             spAddClosedBody(arena, &drawn, body, &closed);
        spFreeDrawnBody(arena->heap, &drawn);
    }
    return ok && spFindOverlapOf(arena, &closed, pixels, overlap);
}
