// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Layered depth images made the slow way, for contact/layers.h to be compared with: every ray with every triangle.

#pragma once

#include "contact/layers.h"

#include <stdlib.h>

static inline int spGetSign(int64_t a)
{
    return (a > 0) - (a < 0);
}

// Side of the edge from a to b on which a point just right of (u, v), and less below it, is
static inline int spFindRaySide(const spLayerImage* image, int32_t a, int32_t b, int32_t u, int32_t v)
{
    int64_t du = spGetCornerU(image, b) - spGetCornerU(image, a);
    int64_t dv = spGetCornerV(image, b) - spGetCornerV(image, a);
    int64_t cross = du * (v - spGetCornerV(image, a)) - dv * (u - spGetCornerU(image, a));
    return cross != 0 ? spGetSign(cross) : dv != 0 ? spGetSign(-dv) : spGetSign(-du);
}

// Whether the ray through the centre of a pixel, a little to the right and less below, goes through a triangle
static inline bool spDoesRayHit(const spLayerImage* image, const int32_t nodes[3], int32_t u, int32_t v)
{
    int a = spFindRaySide(image, nodes[0], nodes[1], u, v),
        b = spFindRaySide(image, nodes[1], nodes[2], u, v);
    int c = spFindRaySide(image, nodes[2], nodes[0], u, v);
    return a != 0 && a == b && b == c;
}

static inline int spCompareLayers(const void* a, const void* b)
{
    uint64_t first = *(const uint64_t*)a, second = *(const uint64_t*)b;
    return (first > second) - (first < second);
}

// Layers of one pixel of an active tile, from scratch, sorted; returns how many, at most capacity are written
static inline int spCastRay(const spLayers* layers, int axis, int tile, int pixel, uint64_t* out,
                            int capacity)
{
    const spLayerImage* image = layers->images + axis;
    int32_t u, v;
    int count = 0;
    spGetPixelCentre(image, tile, pixel, &u, &v);
    for (int s = 0; s < layers->def->surfaceCount; ++s)
    {
        for (int i = layers->firstTriangle[s]; i < layers->firstTriangle[s + 1]; ++i)
        {
            int32_t nodes[3];
            spGetLayerNodes(layers, s, i, nodes);
            if (spDoesRayHit(image, nodes, u, v) && count++ < capacity)
            {
                // Seen against w, corners that run clockwise are those of what is entered
                bool enters = spFindRaySide(image, nodes[0], nodes[1], u, v) < 0;
                spLayerPlane plane = spMakeLayerPlane(image, nodes);
                out[count - 1] = spPackLayer(spGetPlaneDepth(&plane, u, v), enters, i);
            }
        }
    }
    qsort(out, (size_t)(count < capacity ? count : capacity), sizeof(uint64_t), spCompareLayers);
    return count;
}

typedef struct spPolygon
{
    double p[16][2];
    int count;
} spPolygon;

// What of a polygon is where sign * p[axis] <= sign * limit
static inline spPolygon spClipPolygon(const spPolygon* in, int axis, double limit, double sign)
{
    spPolygon out = {.count = 0};
    for (int i = 0; i < in->count; ++i)
    {
        const double *a = in->p[i], *b = in->p[(i + 1) % in->count];
        double da = sign * (a[axis] - limit), db = sign * (b[axis] - limit);
        if (da <= 0.0)
        {
            out.p[out.count][0] = a[0];
            out.p[out.count++][1] = a[1];
        }
        if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0))
        {
            double t = da / (da - db);
            out.p[out.count][axis] = limit;
            out.p[out.count][1 - axis] = a[1 - axis] + t * (b[1 - axis] - a[1 - axis]);
            out.count += 1;
        }
    }
    return out;
}

// Whether a triangle has a place in common with the rectangle of pixel centres of a tile, by clipping
static inline bool spDoesTriangleMeetTile(const spLayerImage* image, const int32_t nodes[3], int tile)
{
    int32_t low[2], high[2];
    spGetPixelCentre(image, tile, 0, low, low + 1);
    spGetPixelCentre(image, tile, SP_TILE_PIXELS - 1, high, high + 1);
    spPolygon polygon = {.count = 3};
    for (int k = 0; k < 3; ++k)
    {
        polygon.p[k][0] = (double)spGetCornerU(image, nodes[k]);
        polygon.p[k][1] = (double)spGetCornerV(image, nodes[k]);
    }
    for (int axis = 0; axis < 2; ++axis)
    {
        polygon = spClipPolygon(&polygon, axis, low[axis], -1.0);
        polygon = spClipPolygon(&polygon, axis, high[axis], 1.0);
    }
    return polygon.count > 0;
}
