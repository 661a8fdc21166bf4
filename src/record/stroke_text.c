// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A small stroke font. A glyph is a list of polylines on a grid; each point is two digits, x and y, with the
// baseline at y = 2, small letters up to 6, capitals up to 8. A blank starts a new line; a line of one point
// is a dot.

#include "record/stroke_text.h"

#include <math.h>
#include <stddef.h>

#define SP_BASELINE 2.0f
#define SP_GAP 1.9f
#define SP_BLANK 2.6f

static const char* const SP_GLYPHS[95] = {
    "",                                 // blank
    "0804 02",                          // !
    "0806 2826",                        // "
    "1218 3238 0444 0646",              // #
    "473818070615354443321203 2921",    // $
    "0708181707 3233434232 0248",       // %
    "4216172837360403122244",           // &
    "0806",                             // '
    "19070311",                         // (
    "09171301",                         // )
    "2723 0644 4604",                   // *
    "2723 0545",                        // +
    "1201",                             // ,
    "0535",                             // -
    "02",                               // .
    "0139",                             // /
    "120307183847433212",               // 0
    "071812 0222",                      // 1
    "07183847460242",                   // 2
    "0718384746354443321203 1535",      // 3
    "32380444",                         // 4
    "480805354443321203",               // 5
    "38180703123243443505",             // 6
    "084812",                           // 7
    "15060718384746351504031232434435", // 8
    "12324347381807061545",             // 9
    "03 06",                            // :
    "1201 16",                          // ;
    "370533",                           // <
    "0444 0646",                        // =
    "073503",                           // >
    "07183847462524 22",                // ?
    "3616143436 344447381807031242",    // @
    "022842 1434",                      // A
    "02083847463505 3544433202",        // B
    "4738180703123243",                 // C
    "02082846442202",                   // D
    "48080242 0535",                    // E
    "480802 0535",                      // F
    "47381807031232434525",             // G
    "0208 4248 0545",                   // H
    "0208",                             // I
    "3833221203",                       // J
    "0208 4804 2642",                   // K
    "080242",                           // L
    "0208254842",                       // M
    "02084248",                         // N
    "120307183847433212",               // O
    "02083847463505",                   // P
    "120307183847433212 2442",          // Q
    "02083847463505 2542",              // R
    "473818070615354443321203",         // S
    "0848 2822",                        // T
    "080312324348",                     // U
    "082248",                           // V
    "0812263248",                       // W
    "0248 0842",                        // X
    "082548 2522",                      // Y
    "08480242",                         // Z
    "19090111",                         // [
    "0931",                             // backslash
    "09191101",                         // ]
    "061826",                           // ^
    "0141",                             // _
    "0817",                             // `
    "1636454212031444",                 // a
    "08023243453606",                   // b
    "461605031242",                     // c
    "48421203051646",                   // d
    "044445361605031242",               // e
    "38281712 0636",                    // f
    "461605031242 46413010",            // g
    "0802 06364542",                    // h
    "0602 08",                          // i
    "161100 18",                        // j
    "0802 3603 1432",                   // k
    "080312",                           // l
    "0602 06162522 25364542",           // m
    "0602 06364542",                    // n
    "120305163645433212",               // o
    "0600 063645433202",                // p
    "4640 461605031242",                // q
    "0602 042636",                      // r
    "4616051434433202",                 // s
    "18132232 0636",                    // t
    "06031242 4642",                    // u
    "062246",                           // v
    "0612253246",                       // w
    "0246 0642",                        // x
    "0622 461000",                      // y
    "06460242",                         // z
    "29181605141221",                   // {
    "0901",                             // |
    "09181625141201",                   // }
    "04153445",                         // ~
};

static const char* spGetGlyph(char c)
{
    return c >= ' ' && c <= '~' ? SP_GLYPHS[c - ' '] : SP_GLYPHS['?' - ' '];
}

// Units from the start of a glyph to the start of the next one
static float spGetAdvance(const char* glyph)
{
    int widest = -1;
    for (const char* p = glyph; *p != 0; p += *p == ' ' ? 1 : 2)
    {
        widest = *p != ' ' && *p - '0' > widest ? *p - '0' : widest;
    }
    return widest < 0 ? SP_BLANK : (float)widest + SP_GAP;
}

float spMeasureText(const char* text, const spTextStyle* style)
{
    float units = 0.0f;
    for (const char* p = text; *p != 0; ++p)
    {
        units += spGetAdvance(spGetGlyph(*p));
    }
    return units * style->unit;
}

static float spMeasureSegment(float px, float py, const float a[2], const float b[2])
{
    float dx = b[0] - a[0];
    float dy = b[1] - a[1];
    float length = dx * dx + dy * dy;
    float t = length > 0.0f ? ((px - a[0]) * dx + (py - a[1]) * dy) / length : 0.0f;
    t = t < 0.0f ? 0.0f : (t > 1.0f ? 1.0f : t);
    float ex = px - a[0] - t * dx;
    float ey = py - a[1] - t * dy;
    return sqrtf(ex * ex + ey * ey);
}

// Distance of a point, in units, to the nearest stroke of a glyph
static float spMeasureGlyph(const char* glyph, float px, float py)
{
    float nearest = 1e9f;
    float last[2] = {0};
    int points = 0;
    for (const char* p = glyph; *p != 0;)
    {
        if (*p == ' ')
        {
            points = 0;
            p += 1;
            continue;
        }
        float next[2] = {(float)(p[0] - '0'), (float)(p[1] - '0')};
        float distance = spMeasureSegment(px, py, points > 0 ? last : next, next);
        nearest = distance < nearest ? distance : nearest;
        last[0] = next[0], last[1] = next[1];
        points += 1;
        p += 2;
    }
    return nearest;
}

void spDrawText(uint8_t* rgb, int width, int height, float x, float y, const char* text,
                const spTextStyle* style)
{
    float u = style->unit;
    for (const char* p = text; *p != 0; ++p)
    {
        const char* glyph = spGetGlyph(*p);
        float advance = spGetAdvance(glyph) * u;
        int x0 = (int)floorf(x - style->width - 1.0f);
        int x1 = (int)ceilf(x + advance + style->width);
        int y0 = (int)floorf(y - 7.5f * u - style->width);
        int y1 = (int)ceilf(y + 2.5f * u + style->width);
        for (int py = y0 < 0 ? 0 : y0; py < y1 && py < height; ++py)
        {
            for (int px = x0 < 0 ? 0 : x0; px < x1 && px < width; ++px)
            {
                float gx = ((float)px + 0.5f - x) / u;
                float gy = SP_BASELINE - ((float)py + 0.5f - y) / u;
                float distance = spMeasureGlyph(glyph, gx, gy) * u;
                float cover = 0.5f * style->width + 0.5f - distance;
                cover = style->opacity * (cover < 0.0f ? 0.0f : (cover > 1.0f ? 1.0f : cover));
                uint8_t* pixel = rgb + 3 * ((size_t)py * (size_t)width + (size_t)px);
                for (int k = 0; cover > 0.0f && k < 3; ++k)
                {
                    float mixed = (float)pixel[k] + cover * ((float)style->color[k] - (float)pixel[k]);
                    pixel[k] = (uint8_t)(mixed + 0.5f);
                }
            }
        }
        x += advance;
    }
}
