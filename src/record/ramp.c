// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The anchors were chosen in OKLab (Ottosson 2020): lightness 0.28 to 0.93 in even steps, hue from 300 to 106
// degrees, as much chroma as a screen shows. Between them colours are mixed.

#include "record/ramp.h"

#include "record/shading.h"
#include "record/stroke_text.h"

#include <stdio.h>

static const uint32_t SP_RAMP_ANCHORS[] = {0x350D5D, 0x332F7F, 0x235197, 0x0673A1, 0x0C92A4,
                                           0x00B2A0, 0x55CF88, 0xABE263, 0xF8EE42};

void spGetRampColor(float share, uint8_t color[3])
{
    int last = SP_COUNT(SP_RAMP_ANCHORS) - 1;
    share = share > 0.0f ? (share < 1.0f ? share : 1.0f) : 0.0f; // also for NaN
    int below = (int)(share * (float)last);
    below = below < last ? below : last - 1;
    float part = share * (float)last - (float)below;
    for (int k = 0; k < 3; ++k)
    {
        float a = (float)(SP_RAMP_ANCHORS[below] >> (16 - 8 * k) & 0xFF);
        float b = (float)(SP_RAMP_ANCHORS[below + 1] >> (16 - 8 * k) & 0xFF);
        color[k] = (uint8_t)(a + part * (b - a) + 0.5f);
    }
}

void spMakeRamp(spFloat3* ramp)
{
    for (int i = 0; i < SP_RAMP_SIZE; ++i)
    {
        uint8_t c[3];
        spGetRampColor((float)i / (float)(SP_RAMP_SIZE - 1), c);
        ramp[i] = spMakeColor((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | (uint32_t)c[2]);
    }
}

// A number below the bar, its middle at x but inside the picture
static void spDrawTick(uint8_t* rgb, int width, int height, float x, float y, double value,
                       const spTextStyle* style)
{
    char text[32];
    snprintf(text, sizeof(text), "%.3g", value);
    float size = spMeasureText(text, style);
    float most = (float)width - 4.0f * style->unit - size;
    float left = x - 0.5f * size;
    spDrawText(rgb, width, height, left < most ? left : most, y, text, style);
}

// The prefix of a unit that makes a number 1 to 1000, where one of these does
static const char* spFindPrefix(double value, double* factor)
{
    static const struct
    {
        const char* name;
        double factor;
    } prefixes[] = {{"G", 1e9}, {"M", 1e6}, {"k", 1e3}, {"", 1.0}, {"m", 1e-3}, {"u", 1e-6}};
    int i = 0;
    while (i + 1 < SP_COUNT(prefixes) && value < prefixes[i].factor)
    {
        ++i;
    }
    *factor = prefixes[i].factor;
    return prefixes[i].name;
}

// Lightens a rectangle, as far as it lies in the picture
static void spDrawPlate(uint8_t* rgb, int width, int height, int left, int top, int right, int bottom)
{
    for (int y = spMaxInt(top, 0); y < spMinInt(bottom, height); ++y)
    {
        for (int x = spMaxInt(left, 0); x < spMinInt(right, width); ++x)
        {
            uint8_t* pixel = rgb + 3 * ((size_t)y * (size_t)width + (size_t)x);
            for (int k = 0; k < 3; ++k)
            {
                pixel[k] = (uint8_t)(255 - (255 - pixel[k]) / 8);
            }
        }
    }
}

void spDrawLegend(uint8_t* rgb, int width, int height, const spLegend* legend)
{
    float least = (float)(height < width ? height : width);
    float unit = least / 330.0f;
    unit = unit < 1.1f ? 1.1f : unit;
    spTextStyle style = {unit, 0.85f * unit, {52, 62, 76}, 0.85f};

    // On a plate of its own, so that it can be read on anything
    //
    //  title
    //  |########|    bar
    //  0   5   10
    int barWidth = (int)(0.36f * least);
    int barHeight = (int)(6.0f * unit);
    int right = width - (int)(14.0f * unit);
    int left = right - barWidth;
    int top = height - (int)(8.0f * unit) - (int)(11.0f * unit) - barHeight;
    double factor;
    const char* prefix = spFindPrefix(legend->high, &factor);
    char title[80];
    if (legend->unit == NULL)
    {
        factor = 1.0;
        snprintf(title, sizeof(title), "%.50s", legend->title);
    }
    else
    {
        bool share = legend->unit[0] == 0;
        factor = share ? 0.01 : factor;
        snprintf(title, sizeof(title), "%.50s [%s%.10s]", legend->title, share ? "%" : prefix, legend->unit);
    }
    int titleLeft = spMinInt(left, right - (int)spMeasureText(title, &style));
    int margin = (int)(7.0f * unit);
    spDrawPlate(rgb, width, height, titleLeft - margin, top - (int)(17.0f * unit), right + margin,
                height - (int)(3.0f * unit));
    for (int y = top; y < top + barHeight; ++y)
    {
        for (int x = left; x < right; ++x)
        {
            if (x >= 0 && y >= 0 && x < width && y < height)
            {
                float share = ((float)(x - left) + 0.5f) / (float)barWidth;
                spGetRampColor(share, rgb + 3 * ((size_t)y * (size_t)width + (size_t)x));
            }
        }
    }
    spDrawText(rgb, width, height, (float)titleLeft, (float)top - 4.0f * unit, title, &style);
    float base = (float)(top + barHeight) + 9.0f * unit;
    for (int i = 0; i <= 2; ++i)
    {
        double value = (legend->low + 0.5 * i * (legend->high - legend->low)) / factor;
        spDrawTick(rgb, width, height, (float)left + 0.5f * (float)(i * barWidth), base, value, &style);
    }
}

void spDrawNames(uint8_t* rgb, int width, int height, char (*names)[40], const uint32_t* colors, int count)
{
    float least = (float)(height < width ? height : width);
    float unit = fmaxf(least / 330.0f, 1.1f);
    spTextStyle style = {unit, 0.85f * unit, {52, 62, 76}, 0.85f};
    float widest = 0.0f;
    for (int i = 0; i < count; ++i)
    {
        widest = fmaxf(widest, spMeasureText(names[i], &style));
    }
    int row = (int)(12.0f * unit), margin = (int)(7.0f * unit), size = (int)(8.0f * unit);
    int right = width - 2 * margin, left = right - (int)widest - size - margin;
    int top = height - margin - count * row;
    spDrawPlate(rgb, width, height, left - margin, top - margin, right + margin, height - margin / 2);
    for (int i = 0; i < count; ++i)
    {
        int y0 = top + i * row;
        for (int y = spMaxInt(y0, 0); y < spMinInt(y0 + size, height); ++y)
        {
            for (int x = spMaxInt(left, 0); x < spMinInt(left + size, width); ++x)
            {
                uint8_t* pixel = rgb + 3 * ((size_t)y * (size_t)width + (size_t)x);
                for (int k = 0; k < 3; ++k)
                {
                    pixel[k] = (uint8_t)(colors[i] >> (16 - 8 * k) & 0xFF);
                }
            }
        }
        spDrawText(rgb, width, height, (float)(left + size + margin / 2), (float)(y0 + size), names[i],
                   &style);
    }
}
