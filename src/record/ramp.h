// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colours that stand for numbers, and the legend that says for which.
//
// The ramp goes from dark violet over blue and green to bright yellow in even steps of lightness, so that it
// also reads in grey and with any colour vision.

#pragma once

#include "record/float3.h"

#define SP_RAMP_SIZE 256

// Fills SP_RAMP_SIZE colours, linear
void spMakeRamp(spFloat3* ramp);

// The colour of a number as pictures show it, sRGB. 0 is the first, 1 the last colour; beyond and NaN count
// as the nearest, NaN as 0.
void spGetRampColor(float share, uint8_t color[3]);

typedef struct spLegend
{
    const char* title;
    const char*
        unit; // of low and high, written with a prefix that keeps numbers short; "" for shares, shown in percent;
              // NULL for counts
    double low, high; // what the first and the last colour stand for
} spLegend;

// Draws a bar with numbers into the lower right corner
void spDrawLegend(uint8_t* rgb, int width, int height, const spLegend* legend);

// Draws names into the lower right corner, each beside its colour (0xRRGGBB)
void spDrawNames(uint8_t* rgb, int width, int height, char (*names)[40], const uint32_t* colors, int count);
