// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// How layered depth images are drawn: the stages of layers.c that look at every triangle and every layer, once for each
// level of the processor (raster_lanes.h). All of them give the same bits.

#pragma once

#include "contact/layers.h"

// Triangles whose box has more tiles are looked at tile by tile before there is room for their pairs
#define SP_FEW_TILES 16

// A triangle that covers pixels of a tile
typedef struct spTilePair
{
    int32_t triangle;
    int32_t place; // of the tile among the active ones
    uint64_t mask; // the pixels
} spTilePair;

// A range of triangles
typedef struct spTriangleTask
{
    int firstTriangle, lastTriangle; // of all surfaces
    int32_t* visible[3];             // those that may cover a pixel, of each axis
    int visibleCount[3];
    int64_t bounds[3]; // pairs of tiles and triangles, at least as many as there are
    bool large[3];     // whether triangles with many tiles are not in the bounds yet
    bool finite;
    // Of the axis that is drawn
    spTilePair* pairs;
    int pairCount;
    int32_t* counts; // of each active tile; then where they go
    int32_t* layers; // of each active tile
} spTriangleTask;

typedef struct spRaster
{
    const struct spRasterKernels* kernels;
    spLayers* layers;
    spLayerImage* image;
    spTriangleTask* tasks;
    int taskCount;
    int32_t* place; // of each tile: among the active ones, or -1
} spRaster;

// Each of them takes tasks, the last one tiles of an image
typedef struct spRasterKernels
{
    spRangeFcn* findVisible; // for all axes: triangles whose boxes have the centre of a pixel in them
    spRangeFcn* boundLarge;  // adds triangles with many tiles to the bounds of the axis
    spRangeFcn* coverTiles;  // lists pairs
    spRangeFcn* drawTiles;
} spRasterKernels;

extern const spRasterKernels spRasterKernels1;
#ifndef SOUPLE_DISABLE_SIMD
extern const spRasterKernels spRasterKernels8, spRasterKernels16;
#endif
