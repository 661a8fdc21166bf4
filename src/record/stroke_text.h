// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Text in pictures, drawn with strokes: no font file, any size, smooth.

#pragma once

#include <stdint.h>

typedef struct spTextStyle
{
    float unit;       // pixels per unit; capitals are 6 units high
    float width;      // of a stroke, pixels
    uint8_t color[3]; // sRGB
    float opacity;    // 0 to 1
} spTextStyle;

// Width of a text, pixels
float spMeasureText(const char* text, const spTextStyle* style);

// Draws text with its baseline starting at (x, y). Characters that are not printable ASCII become '?'.
void spDrawText(uint8_t* rgb, int width, int height, float x, float y, const char* text,
                const spTextStyle* style);
