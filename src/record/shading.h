// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What samples look like: light, materials, ground, shadows, background; and the last step of a picture, from
// samples to pixels. Colours are linear until the very end.
//
// Light comes from behind the left shoulder of the camera. Shadows on the ground are the blurred outline of
// everything as the light sees it; where something is close above the ground, a second, softer map makes the
// ground darker still, so that one sees whether it touches.

#pragma once

#include "record/ramp.h"
#include "record/raster.h"

#define SP_MAX_GROUNDS 8

// How a triangle is shaded
enum
{
    sp_drawTube = 1,    // normals are the part across the view only: a round thread or a ball
    sp_drawWire = 2,    // with its edges
    sp_drawDull = 4,    // without highlights: colliders
    sp_drawFlat = 8,    // its colour as it is
    sp_drawMapped = 32, // its colour is that of the values at its corners
    sp_drawCaster = 16, // not seen, only throws a shadow: a thread or a ball turned towards the light
};

typedef struct spDrawTriangle
{
    spFloat3 x[3];
    spFloat3 n[3];
    spFloat3 color; // linear
    float value[3]; // at the corners, 0 to 1; with sp_drawMapped
    float opacity;  // share of the light from behind that it keeps back, 0 to 1
    uint32_t flags;
    spTriangleSetup setup;
} spDrawTriangle;

// A coordinate of the point that a pixel sees at depth w: base + w * slope . (x, y, 1)
typedef struct spCoordinate
{
    float base;
    float slope[3];
} spCoordinate;

// A plane that points upwards
typedef struct spGround
{
    spFloat3 normal;
    float offset;     // normal . x of its points
    float height;     // of the eye above it
    float inverse[3]; // 1/w at pixel (x, y) is inverse . (x, y, 1)

    // What shading needs of a point, ready for all pixels
    spCoordinate grid[2]; // in cells
    spCoordinate shadow[2];
    spCoordinate contact[2];
    float center[2]; // of what moves, in cells
    float ahead[2];  // how far the view runs along each line of the grid, 0 to 1
} spGround;

typedef struct spStage
{
    spView view;
    spFloat3 light;  // towards it
    spFloat3 center; // middle of what moves
    float radius;    // and its size: the ground fades out with the distance from there
    float cell;      // of the grid on the ground, m
    spGround grounds[SP_MAX_GROUNDS];
    int groundCount;
    bool hasShadows;
    spDepthMap shadow;               // as the light sees it
    spDepthMap contact;              // as the ground sees it
    const spDrawTriangle* triangles; // id 1 is the first
    uint8_t gamma[4096];             // linear to sRGB
    spFloat3 ramp[SP_RAMP_SIZE];     // of values
} spStage;

// Colours as people write them, 0xRRGGBB, made linear
spFloat3 spMakeColor(uint32_t rgb);

// The colour of a value; below 0 and above 1 the first and the last one
spFloat3 spLookUpRamp(const spStage* stage, float value);

// Fills the tables and the light from the view
void spLightStage(spStage* stage);

// Adds a plane when the camera is in front of it and there is room
void spAddGround(spStage* stage, spFloat3 normal, float offset);

// Draws the shadow maps. `center` and `radius` hold everything that is seen in this frame.
void spDrawShadows(spStage* stage, const spDrawTriangle* triangles, int triangleCount, spFloat3 center,
                   float radius);

// The colour of a triangle at a place of the picture, in pixels
spFloat3 spShadeTriangle(const spStage* stage, const spDrawTriangle* triangle, float x, float y);

// Before pixels are made: what the grounds need
void spPrepareGrounds(spStage* stage);

struct spFragments;

// Turns samples into pixels, 3 bytes each: the rows that have fragments, or all rows when there are none of them
void spResolveRows(const spStage* stage, const spRaster* raster, const struct spFragments* fragments,
                   uint8_t* rgb);
