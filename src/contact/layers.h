// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Layered depth images: for each pixel all crossings of its ray with some surfaces, by depth, along the three axes
// (Faure, Barbier, Allard, Falipou. Image-based Collision Detection and Response between Arbitrary Volume Objects. 2008;
// Courtecuisse. New parallel architectures for interactive medical simulation. 2011, chapter 4).
//
// Corners are snapped to 1/256 of a pixel, and what a pixel is covered by is told by integers, with a top-left rule:
// as if its centre were a little to the right and less below. A closed surface is thus entered as often as it is left,
// on every pixel. Depths are floats, measured from the corner of the window.
//
// Everything is counted before it is written, so that nothing overflows: the pairs of tiles and triangles, then the
// layers of each pixel. Threads share triangles, then tiles; the order of what comes out does not depend on them. Most
// triangles of a fine mesh cover no centre of a pixel: what they cost is one look at three corners for all axes. Triangles behind
// the window have no layers: what is open at its far end is left there.

#pragma once

#include "base/arena.h"
#include "base/team.h"
#include "contact/contact_surface.h"
#include "mesh/element_tree.h"

// Pixels along an edge of a tile; tiles of the three axes make up blocks of space
#define SP_TILE_SIZE 8
#define SP_TILE_PIXELS (SP_TILE_SIZE * SP_TILE_SIZE)
// Units that corners are snapped to, of a pixel
#define SP_SUBPIXELS 256
// Blocks along an edge of the window, at most
#define SP_MOST_BLOCKS 2048

typedef struct spLayerSurface
{
    const spVec4* x; // nodes
    int nodeCount;
    const int32_t* triangles; // three nodes each, counterclockwise from outside
    int triangleCount;
} spLayerSurface;

typedef struct spLayersDef
{
    spArena* arena;
    spTeam* team;
    const spLayerSurface* surfaces;
    int surfaceCount;
    const spBox* regions; // only what lies in one of them is looked at, m
    int regionCount;
    double pixel;  // edge of a pixel, m; larger where the window would have too many blocks
    int laneCount; // 1, 4, 8 or 16; 0 for what the processor has
    int align;     // the window begins at a multiple of so many blocks in space; 0 is 1
} spLayersDef;

// A node, once for all axes
typedef struct spLayerCorner
{
    int32_t at[4];  // along x, y, z in 1/256 pixel from the corner of the window; the fourth fills the lanes
    float depth[4]; // along x, y, z from there, m; not finite where the node is not
} spLayerCorner;

// One axis: u and v span the image, w is the depth. With u, v, w in the order of x, y, z or turned, so that what looks
// against w is entered.
typedef struct spLayerImage
{
    int axis;                     // of w
    int tiles[2];                 // along u and v
    const spLayerCorner* corners; // of all nodes
    int32_t* active;   // tiles that something is looked at in, rising: number across and up the image
    int activeCount;   // tiles
    int32_t* first;    // of each pixel of each active tile: its layers (64 activeCount + 1)
    uint64_t* layers;  // see spGetLayerDepth and so on
    uint64_t* crowded; // of each active tile: pixels where something is open inside of something, bit 8 y + x
    int32_t pairCount; // of tiles and triangles
    int32_t* tileFirst;     // of each active tile: its triangles in tileTriangles (activeCount + 1)
    int32_t* tileTriangles; // that cover a pixel of it, rising
    uint64_t* tileMasks;    // the pixels, bit 8 y + x
} spLayerImage;

typedef struct spLayers
{
    const spLayersDef* def;
    double pixel;    // m
    spDVec3 origin;  // corner of the window, m
    int blocks[3];   // that the window is made of
    int64_t from[3]; // number of the first block, counted from the origin of space
    int* firstNode;  // of each surface, among the nodes of all (surfaceCount + 1)
    int* firstTriangle;
    int32_t* surfaceAt; // the surface of every 128th triangle
    spLayerCorner* corners;
    spLayerImage images[3];
} spLayers;

// What became of it
typedef enum spLayersResult
{
    sp_layersMade,
    sp_layersNotFinite,   // a corner of a triangle is not a number, or infinite
    sp_layersOutOfMemory, // or more than 2^31 layers
} spLayersResult;

// Makes the images, in the arena. Nothing in the regions is an image without tiles.
spLayersResult spMakeLayers(const spLayersDef* def, spLayers* layers);

// ---- layers ----

// Depth as an integer that rises with it, then whether it enters, then the triangle: layers are sorted as integers,
// and what leaves comes before what enters at the same depth.
static inline uint64_t spPackLayer(float depth, bool enters, int triangle)
{
    union
    {
        float f;
        uint32_t bits;
    } at = {depth + 0.0f};
    uint32_t key = (at.bits & 0x80000000u) != 0 ? ~at.bits : at.bits | 0x80000000u;
    return (uint64_t)key << 32 | (uint64_t)enters << 31 | (uint32_t)triangle;
}

static inline float spGetLayerDepth(uint64_t layer)
{
    uint32_t key = (uint32_t)(layer >> 32);
    union
    {
        uint32_t bits;
        float f;
    } at = {(key & 0x80000000u) != 0 ? key & 0x7FFFFFFFu : ~key};
    return at.f;
}

static inline bool spDoesLayerEnter(uint64_t layer)
{
    return (layer & 0x80000000u) != 0;
}

// Among the triangles of all surfaces
static inline int spGetLayerTriangle(uint64_t layer)
{
    return (int)(layer & 0x7FFFFFFFu);
}

#define SP_SURFACE_SHIFT 7

// The surface that a triangle belongs to
static inline int spGetLayerSurface(const spLayers* layers, int triangle)
{
    int surface = layers->surfaceAt[triangle >> SP_SURFACE_SHIFT];
    while (triangle >= layers->firstTriangle[surface + 1])
    {
        surface += 1;
    }
    return surface;
}

// Nodes of a triangle among those of all surfaces
static inline void spGetLayerNodes(const spLayers* layers, int surface, int triangle, int32_t nodes[3])
{
    const int32_t* t = layers->def->surfaces[surface].triangles;
    int64_t first = 3 * (int64_t)(triangle - layers->firstTriangle[surface]);
    for (int k = 0; k < 3; ++k)
    {
        nodes[k] = layers->firstNode[surface] + t[first + k];
    }
}

// A node in the image of an axis, in 1/256 pixel
static inline int64_t spGetCornerU(const spLayerImage* image, int32_t node)
{
    return image->corners[node].at[image->axis == 2 ? 0 : image->axis + 1];
}

static inline int64_t spGetCornerV(const spLayerImage* image, int32_t node)
{
    return image->corners[node].at[image->axis == 0 ? 2 : image->axis - 1];
}

// A triangle as a function of the place in the image: shares of the second and the third corner, and the depth
typedef struct spLayerPlane
{
    int64_t u, v;           // the first corner
    int64_t bu, bv, cu, cv; // the others as seen from it
    double area;            // twice that of the triangle
    double w[3];            // depths, m
} spLayerPlane;

static inline spLayerPlane spMakeLayerPlane(const spLayerImage* image, const int32_t nodes[3])
{
    int64_t u = spGetCornerU(image, nodes[0]), v = spGetCornerV(image, nodes[0]);
    spLayerPlane p = {
        .u = u,
        .v = v,
        .bu = spGetCornerU(image, nodes[1]) - u,
        .bv = spGetCornerV(image, nodes[1]) - v,
        .cu = spGetCornerU(image, nodes[2]) - u,
        .cv = spGetCornerV(image, nodes[2]) - v,
        .w = {(double)image->corners[nodes[0]].depth[image->axis],
              (double)image->corners[nodes[1]].depth[image->axis],
              (double)image->corners[nodes[2]].depth[image->axis]},
    };
    p.area = (double)(p.bu * p.cv - p.bv * p.cu);
    return p;
}

static inline void spGetPlaneWeights(const spLayerPlane* p, int64_t u, int64_t v, double weights[2])
{
    weights[0] = (double)((u - p->u) * p->cv - (v - p->v) * p->cu) / p->area;
    weights[1] = (double)(p->bu * (v - p->v) - p->bv * (u - p->u)) / p->area;
}

static inline float spGetPlaneDepth(const spLayerPlane* p, int64_t u, int64_t v)
{
    double t[2];
    spGetPlaneWeights(p, u, v, t);
    return (float)(p->w[0] + t[0] * (p->w[1] - p->w[0]) + t[1] * (p->w[2] - p->w[0]));
}

// The centre of a pixel of an active tile, in 1/256 pixel
static inline void spGetPixelCentre(const spLayerImage* image, int tile, int pixel, int32_t* u, int32_t* v)
{
    int number = image->active[tile];
    *u = (number % image->tiles[0] * SP_TILE_SIZE + pixel % SP_TILE_SIZE) * SP_SUBPIXELS + SP_SUBPIXELS / 2;
    *v = (number / image->tiles[0] * SP_TILE_SIZE + pixel / SP_TILE_SIZE) * SP_SUBPIXELS + SP_SUBPIXELS / 2;
}

static inline double spGetComponent(spDVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}
