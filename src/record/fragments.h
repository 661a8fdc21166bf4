// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What is seen through: for every sample of a band of rows all transparent triangles that cover it, the nearest first
// (an A-buffer: Carpenter. The A-buffer, an antialiased hidden surface method. 1984; Courtecuisse 2011, section 4.2,
// draws layered depth images that way).
//
// Two triangles that share an edge must not both cover a sample on it, which would show as a dark speck, and one of them must.
// So corners are snapped to 1/288 of a pixel, on which all samples lie, and edges are told by whole numbers, with a
// top-left rule. Fragments are counted before they are written: a thousand layers are a thousand layers.

#pragma once

#include "record/raster.h"
#include "record/shading.h"

typedef struct spFragments
{
    int firstRow; // of pixels
    int rowCount;
    int32_t* first; // of each sample of the band, in the order of the raster: its fragments (samples + 1)
    int firstCapacity;
    uint64_t* keys; // see spGetFragmentDepth and so on
    int keyCapacity;
    int*
        seen; // of each triangle that is seen: its number, then x0, y0, x1, y1 of the pixels that it may cover
    int seenCount;
    int seenCapacity;
} spFragments;

// Looks at all triangles once, and fills the setup of those that are transparent. Returns false without memory.
bool spFindTransparent(spFragments* fragments, spHeap* heap, const spView* view, spDrawTriangle* triangles,
                       int triangleCount);

// Fragments of some rows that are nearer than what the raster has there. Returns false without memory, or when they are more
// than 2^31.
bool spGatherFragments(spFragments* fragments, spHeap* heap, const spRaster* raster, const spView* view,
                       const spDrawTriangle* triangles, int firstRow, int rowCount);
void spFreeFragments(spFragments* fragments, spHeap* heap);

// Keys rise with the distance from the eye, and then with the number of the triangle
static inline uint64_t spPackFragment(float depth, int triangle)
{
    union
    {
        float f;
        uint32_t bits;
    } at = {depth};
    return (uint64_t)(~at.bits) << 32 | (uint32_t)triangle;
}

// 1/w, as in the raster
static inline float spGetFragmentDepth(uint64_t key)
{
    union
    {
        uint32_t bits;
        float f;
    } at = {~(uint32_t)(key >> 32)};
    return at.f;
}

static inline int spGetFragmentTriangle(uint64_t key)
{
    return (int)(uint32_t)key;
}
