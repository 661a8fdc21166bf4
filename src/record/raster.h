// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A rasteriser in two halves: this one decides which triangle each sample sees, shading.c decides what colour
// that is, once per pixel and triangle instead of once per sample.
//
// A pixel has n = 1, 4, 9 or 16 samples, each on a row of its own with its own shift to the side, so that
// edges of any direction get n + 1 shades:
//
//     +---------+
//     |   x     |   row 0 of 4
//     |        x|   row 1
//     | x       |   row 2
//     |      x  |   row 3
//     +---------+
//
// Triangles are never clipped: their edge functions are set up in homogeneous coordinates (Olano, Greer.
// Triangle Scan Conversion using 2D Homogeneous Coordinates. 1997), where a corner behind the eye is an
// ordinary corner. Depth is 1/w: larger is nearer, 0 is infinitely far, and it is affine on the screen.

#pragma once

#include "base/memory.h"
#include "record/float3.h"

#define SP_MAX_SAMPLES 16

// A camera as the rasteriser needs it. Pixel (0, 0) is the upper left corner.
typedef struct spView
{
    spFloat3 eye;
    spFloat3 right;
    spFloat3 up;
    spFloat3 forward;
    float focal; // pixels at distance 1
    float centerX;
    float centerY;
    float nearest; // what is nearer than this is not drawn, m
    int width;
    int height;
} spView;

// One triangle as shading needs it: edge[i] . (x - originX, y - originY, 1) = lambda[i] / w at pixel (x, y)
typedef struct spTriangleSetup
{
    float edge[3][3];
    float originX;
    float originY;
} spTriangleSetup;

typedef struct spRaster
{
    int width;
    int height;
    int sampleCount;              // per pixel
    float shiftX[SP_MAX_SAMPLES]; // where samples are inside a pixel
    float shiftY[SP_MAX_SAMPLES];
    float* depth;  // [(y * sampleCount + k) * width + x]
    uint32_t* ids; // likewise; 0 is nothing
    size_t depthSize;
    size_t idSize;
} spRaster;

// `samples` per side of a pixel, 1 to 4. Returns false when there is no memory.
bool spCreateRaster(spRaster* raster, spHeap* heap, int width, int height, int samples);
void spFreeRaster(spRaster* raster, spHeap* heap);

// Homogeneous pixel coordinates: (px w, py w, w)
void spProject(const spView* view, spFloat3 x, double m[3]);

// Edge functions of a triangle, and the pixels that it may touch: box[0] <= x < box[2], box[1] <= y < box[3]. Returns false
// when nothing of it is seen, it has no area, or a point is not finite.
bool spSetUpTriangle(const spView* view, const spFloat3 x[3], int box[4], spTriangleSetup* setup);

// Draws a triangle with three points of the world. Points that are not finite and triangles without area
// draw nothing, in which case setup is not filled and false is returned.
bool spRasterTriangle(spRaster* raster, const spView* view, const spFloat3 x[3], uint32_t id,
                      spTriangleSetup* setup);

// What a light, or the ground, sees: for each cell the largest depth of the triangles over it
typedef struct spDepthMap
{
    int size;   // cells along each side
    spFloat3 u; // cell coordinates of a point x are (u . x - originU) * scale and likewise for v
    spFloat3 v;
    spFloat3 w; // depth is w . x
    float originU;
    float originV;
    float scale;     // cells per metre
    float* depth;    // [v * size + u]; SP_EMPTY_DEPTH where there is nothing
    float* coverage; // for the caller: made from depth, blurred
    float* scratch;
} spDepthMap;

#define SP_EMPTY_DEPTH (-3.0e38f)

bool spCreateDepthMap(spDepthMap* map, spHeap* heap, int size);
void spFreeDepthMap(spDepthMap* map, spHeap* heap);
void spClearDepthMap(spDepthMap* map);

// Draws a triangle into the map
void spRasterDepth(spDepthMap* map, const spFloat3 x[3]);

// The same with one value in place of the depth
void spRasterValue(spDepthMap* map, const spFloat3 x[3], float value);

// Blurs the coverage with a box of 2 * radius + 1 cells, twice along each side
void spBlurCoverage(spDepthMap* map, int radius);

// Coverage at cell coordinates (u, v), linear between cells; 0 outside the map
static inline float spSampleCoverage(const spDepthMap* map, float u, float v)
{
    u -= 0.5f;
    v -= 0.5f;
    float limit = (float)(map->size - 1);
    if (!(u >= 0.0f && v >= 0.0f && u < limit && v < limit))
    {
        return 0.0f;
    }
    int iu = (int)u;
    int iv = (int)v;
    float fu = u - (float)iu;
    float fv = v - (float)iv;
    const float* p = map->coverage + (size_t)iv * (size_t)map->size + iu;
    const float* q = p + map->size;
    return (1.0f - fv) * ((1.0f - fu) * p[0] + fu * p[1]) + fv * ((1.0f - fu) * q[0] + fu * q[1]);
}
