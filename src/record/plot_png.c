// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Line plots as pixels. Everything is a stroke or a convex shape, and how much of a pixel it covers comes
// from the distance to its edge; text is drawn with strokes. Lengths are those of the layout, drawn twice as
// large.

#include "base/error.h"
#include "record/plot.h"
#include "record/stroke_text.h"

#include <math.h>
#include <string.h>

// Pixels of the file for each pixel of the layout, along each side
#define SP_PLOT_SCALE 2

#define SP_INK 0x2B333Bu
#define SP_FRAME 0x5B6570u

// Pixels, and the rectangle that may be drawn on, in pixels of the file
typedef struct spCanvas
{
    uint8_t* rgb;
    int width, height;
    int left, top, right, bottom;
} spCanvas;

static void spBlend(spCanvas* canvas, int x, int y, uint32_t color, double cover)
{
    uint8_t* pixel = canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x);
    cover = cover < 0.0 ? 0.0 : (cover > 1.0 ? 1.0 : cover);
    for (int k = 0; k < 3; ++k)
    {
        double ink = (double)(color >> (16 - 8 * k) & 0xFFu);
        pixel[k] = (uint8_t)((double)pixel[k] + cover * (ink - (double)pixel[k]) + 0.5);
    }
}

// Whole pixels between two bounds, inside the part that may be drawn on
static void spSetSpan(double low, double high, int least, int most, int* begin, int* end)
{
    *begin = low > least ? (int)fmin(low, most) : least;
    *end = high + 1.0 < most ? (int)fmax(high + 1.0, least) : most;
}

// A straight line with round ends. Coordinates and width are those of the layout.
static void spDrawStroke(spCanvas* canvas, double x0, double y0, double x1, double y1, double width,
                         uint32_t color)
{
    double s = SP_PLOT_SCALE, r = 0.5 * s * width;
    x0 *= s, y0 *= s, x1 *= s, y1 *= s;
    int xBegin, xEnd, yBegin, yEnd;
    spSetSpan(fmin(x0, x1) - r - 1.0, fmax(x0, x1) + r + 1.0, canvas->left, canvas->right, &xBegin, &xEnd);
    spSetSpan(fmin(y0, y1) - r - 1.0, fmax(y0, y1) + r + 1.0, canvas->top, canvas->bottom, &yBegin, &yEnd);
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    for (int y = yBegin; y < yEnd; ++y)
    {
        for (int x = xBegin; x < xEnd; ++x)
        {
            double px = x + 0.5 - x0, py = y + 0.5 - y0;
            double t = square > 0.0 ? (px * dx + py * dy) / square : 0.0;
            t = t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t);
            double distance = hypot(px - t * dx, py - t * dy);
            if (distance < r + 0.5)
            {
                spBlend(canvas, x, y, color, r + 0.5 - distance);
            }
        }
    }
}

// Frames and grids: lines that cover whole pixels of the layout are sharp, and end where they end
static void spDrawRule(spCanvas* canvas, double x0, double y0, double x1, double y1, uint32_t color)
{
    int s = SP_PLOT_SCALE;
    int left = (int)lround(s * fmin(x0, x1)) - s / 2, right = (int)lround(s * fmax(x0, x1)) + (s + 1) / 2;
    int top = (int)lround(s * fmin(y0, y1)) - s / 2, bottom = (int)lround(s * fmax(y0, y1)) + (s + 1) / 2;
    for (int y = top < 0 ? 0 : top; y < bottom && y < canvas->height; ++y)
    {
        for (int x = left < 0 ? 0 : left; x < right && x < canvas->width; ++x)
        {
            spBlend(canvas, x, y, color, 1.0);
        }
    }
}

// The markers of plot_svg.c: circle, square, diamond, triangle, grown by an edge all around
static double spMeasureMarker(int shape, double x, double y, double grow)
{
    switch (shape % 4)
    {
        case 0:
            return hypot(x, y) - 4.0 - grow;
        case 1:
            return fmax(fabs(x), fabs(y)) - 3.5 - grow;
        case 2:
            return (fabs(x) + fabs(y) - 5.0) * 0.70710678 - grow;
        default:
            return fmax(y - 3.5, (8.0 * fabs(x) - 4.5 * (y + 4.5)) / 9.1787799) - grow;
    }
}

static void spDrawMarker(spCanvas* canvas, double x, double y, int shape, uint32_t color)
{
    double s = SP_PLOT_SCALE, reach = s * 7.0;
    int xBegin, xEnd, yBegin, yEnd;
    spSetSpan(s * x - reach, s * x + reach, canvas->left, canvas->right, &xBegin, &xEnd);
    spSetSpan(s * y - reach, s * y + reach, canvas->top, canvas->bottom, &yBegin, &yEnd);
    for (int py = yBegin; py < yEnd; ++py)
    {
        for (int px = xBegin; px < xEnd; ++px)
        {
            double dx = (px + 0.5) / s - x, dy = (py + 0.5) / s - y;
            double edge = s * spMeasureMarker(shape, dx, dy, 0.8),
                   body = s * spMeasureMarker(shape, dx, dy, 0.0);
            if (edge < 0.5)
            {
                spBlend(canvas, px, py, 0xFFFFFFu, 0.5 - edge);
                spBlend(canvas, px, py, color, 0.5 - body);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Text

// One character of UTF-8 as what the stroke font has; *raised when it is a superscript
static char spTakeCharacter(const char** text, bool* raised)
{
    static const struct
    {
        const char* bytes;
        char ascii;
        bool raised;
    } s_known[] = {
        {"\u2070", '0', true},  {"\u00B9", '1', true},  {"\u00B2", '2', true},  {"\u00B3", '3', true},
        {"\u2074", '4', true},  {"\u2075", '5', true},  {"\u2076", '6', true},  {"\u2077", '7', true},
        {"\u2078", '8', true},  {"\u2079", '9', true},  {"\u207B", '-', true},  {"\u2212", '-', false},
        {"\u00D7", 'x', false}, {"\u00B7", 'x', false}, {"\u00B5", 'u', false},
    };
    *raised = false;
    const char* p = *text;
    if ((*p & 0x80) == 0)
    {
        *text += 1;
        return *p;
    }
    for (int i = 0; i < SP_COUNT(s_known); ++i)
    {
        size_t size = strlen(s_known[i].bytes);
        if (strncmp(p, s_known[i].bytes, size) == 0)
        {
            *text += size;
            *raised = s_known[i].raised;
            return s_known[i].ascii;
        }
    }
    for (*text += 1; (**text & 0xC0) == 0x80; *text += 1)
    {
    }
    return '?';
}

static spTextStyle spMakeTextStyle(double size, uint32_t color)
{
    spTextStyle style = {.unit = (float)(SP_PLOT_SCALE * size / 10.0),
                         .width = (float)(SP_PLOT_SCALE * size / 10.5),
                         .opacity = 1.0f};
    for (int k = 0; k < 3; ++k)
    {
        style.color[k] = (uint8_t)(color >> (16 - 8 * k) & 0xFFu);
    }
    return style;
}

// Draws, or only measures when there is no canvas. Returns the width in pixels of the file.
static float spWalkText(spCanvas* canvas, float x, float y, const char* text, const spTextStyle* style)
{
    spTextStyle small = *style;
    small.unit *= 0.72f;
    small.width *= 0.85f;
    float start = x;
    while (*text != 0)
    {
        bool raised;
        char word[2] = {spTakeCharacter(&text, &raised), 0};
        const spTextStyle* used = raised ? &small : style;
        if (canvas != NULL)
        {
            spDrawText(canvas->rgb, canvas->width, canvas->height, x, raised ? y - 3.2f * style->unit : y,
                       word, used);
        }
        x += spMeasureText(word, used);
    }
    return x - start;
}

// Text of a size in pixels of the layout. align is 0 left, 0.5 middle, 1 right.
static void spDrawLabel(spCanvas* canvas, double x, double y, double align, double size, uint32_t color,
                        const char* text)
{
    spTextStyle style = spMakeTextStyle(size, color);
    float width = spWalkText(NULL, 0.0f, 0.0f, text, &style);
    spWalkText(canvas, (float)(SP_PLOT_SCALE * x) - (float)align * width, (float)(SP_PLOT_SCALE * y), text,
               &style);
}

// Text that goes up, with its middle at y: drawn flat on a strip of its own, then turned
static bool spDrawUpright(spCanvas* canvas, spHeap* heap, double x, double y, double size, const char* text)
{
    spTextStyle style = spMakeTextStyle(size, SP_INK);
    int length = (int)spWalkText(NULL, 0.0f, 0.0f, text, &style) + 8, height = (int)(13.0f * style.unit);
    length = length < canvas->height ? length : canvas->height;
    size_t bytes = 3 * (size_t)length * (size_t)height;
    spCanvas strip = {.rgb = spAlloc(heap, bytes), .width = length, .height = height};
    if (strip.rgb == NULL)
    {
        return false;
    }
    memset(strip.rgb, 255, bytes);
    int baseline = (int)(9.0f * style.unit);
    spWalkText(&strip, 4.0f, (float)baseline, text, &style);
    int top = (int)(SP_PLOT_SCALE * y) - length / 2, left = (int)(SP_PLOT_SCALE * x) - baseline;
    for (int along = 0; along < length; ++along)
    {
        for (int across = 0; across < height; ++across)
        {
            int px = left + across, py = top + length - 1 - along;
            if (px >= 0 && px < canvas->width && py >= 0 && py < canvas->height)
            {
                memcpy(canvas->rgb + 3 * ((size_t)py * (size_t)canvas->width + (size_t)px),
                       strip.rgb + 3 * ((size_t)across * (size_t)length + (size_t)along), 3);
            }
        }
    }
    spFree(heap, strip.rgb);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Parts

// The label of a tick through the scratch of the plot
static const char* spMakeTickLabel(spPlot* plot, const spAxis* axis, int tick)
{
    plot->text.count = 0;
    if (tick >= 0)
    {
        spPrintTickLabel(&plot->text, axis, tick);
    }
    else
    {
        spPrintText(&plot->text, "\u00D710");
        spPrintSuperscript(&plot->text, axis->exponent);
    }
    spPutData(&plot->text, "", 1);
    return plot->text.failed ? "" : (const char*)plot->text.data;
}

static void spDrawTicks(spPlot* plot, spCanvas* canvas, bool isX)
{
    const spAxis* axis = isX ? &plot->x : &plot->y;
    for (int i = 0; i < axis->tickCount; ++i)
    {
        double share = (axis->ticks[i] - axis->low) / (axis->high - axis->low);
        double p = axis->start + share * (axis->end - axis->start);
        if (share < -1e-6 || share > 1.0 + 1e-6)
        {
            continue;
        }
        bool isMain = axis->hasLabel[i];
        uint32_t grid = isMain ? 0xE3E6EAu : 0xF2F4F6u;
        double size = isMain ? 5.0 : 3.0;
        if (isX)
        {
            spDrawRule(canvas, p, plot->top, p, plot->bottom, grid);
            spDrawRule(canvas, p, plot->bottom, p, plot->bottom + size, SP_FRAME);
        }
        else
        {
            spDrawRule(canvas, plot->left, p, plot->right, p, grid);
            spDrawRule(canvas, plot->left - size, p, plot->left, p, SP_FRAME);
        }
        if (isMain)
        {
            spDrawLabel(canvas, isX ? p : plot->left - 9.0, isX ? plot->bottom + 19.0 : p + 4.3,
                        isX ? 0.5 : 1.0, 12.5, SP_INK, spMakeTickLabel(plot, axis, i));
        }
    }
    if (!axis->isLog && axis->exponent != 0)
    {
        spDrawLabel(canvas, isX ? plot->right : plot->left, isX ? plot->bottom + 34.0 : plot->top - 7.0,
                    isX ? 1.0 : 0.0, 12.5, SP_INK, spMakeTickLabel(plot, axis, -1));
    }
}

// A line that may be dashed: *phase is how far it has come since the last dash began
static void spDrawDashes(spCanvas* canvas, const double from[2], const double to[2], double width,
                         uint32_t color, double on, double off, double* phase)
{
    double dx = to[0] - from[0], dy = to[1] - from[1], length = hypot(dx, dy);
    if (off == 0.0 || !(length > 0.0))
    {
        spDrawStroke(canvas, from[0], from[1], to[0], to[1], width, color);
        return;
    }
    for (double at = 0.0; at < length;)
    {
        bool draws = *phase < on;
        double end = fmin(length, at + (draws ? on : on + off) - *phase);
        if (draws)
        {
            double a = at / length, b = end / length;
            spDrawStroke(canvas, from[0] + a * dx, from[1] + a * dy, from[0] + b * dx, from[1] + b * dy,
                         width, color);
        }
        *phase += end - at;
        *phase = *phase >= on + off - 1e-9 ? 0.0 : (*phase > on - 1e-9 && draws ? on : *phase);
        at = end;
    }
}

// Dashes as plot_svg.c has them; round ends take their share
static void spGetDashes(const spPlotSeries* series, int index, double* on, double* off)
{
    bool dashed = series->style == sp_plotDashed, dotted = index >= SP_PLOT_COLOR_COUNT;
    *on = dashed ? 7.0 : 2.0;
    *off = dashed ? 4.0 : (dotted ? 3.0 : 0.0);
}

static void spDrawSeries(spPlot* plot, spCanvas* canvas, const spPlotSeries* series, int index)
{
    uint32_t color = spGetSeriesColor(index);
    bool marked = series->style == sp_plotPoints || series->style == sp_plotMarked;
    double on, off, phase = 0.0, last[2] = {0.0, 0.0};
    spGetDashes(series, index, &on, &off);
    for (int pass = series->style == sp_plotPoints ? 1 : 0; pass < (marked ? 2 : 1); ++pass)
    {
        bool isOpen = false;
        for (int i = 0; i < series->count; ++i)
        {
            if (!spCanPlot(&plot->x, series->x[i]) || !spCanPlot(&plot->y, series->y[i]))
            {
                isOpen = false;
                continue;
            }
            double p[2] = {spToPixel(&plot->x, series->x[i]), spToPixel(&plot->y, series->y[i])};
            if (pass == 1)
            {
                spDrawMarker(canvas, p[0], p[1], index, color);
            }
            else
            {
                // A value between two gaps is a dot
                spDrawDashes(canvas, isOpen ? last : p, p, 1.8, color, on, off, &phase);
            }
            isOpen = true;
            memcpy(last, p, sizeof(last));
        }
    }
}

static void spDrawLegend(const spPlot* plot, spCanvas* canvas)
{
    double y = plot->top + 10.0;
    for (int i = 0; i < plot->def->seriesCount; ++i)
    {
        const spPlotSeries* series = plot->def->series + i;
        if (series->name == NULL || series->name[0] == 0)
        {
            continue;
        }
        double on, off, phase = 0.0, from[2] = {plot->legendLeft, y}, to[2] = {plot->legendLeft + 24.0, y};
        spGetDashes(series, i, &on, &off);
        if (series->style != sp_plotPoints)
        {
            spDrawDashes(canvas, from, to, 2.2, spGetSeriesColor(i), on, off, &phase);
        }
        if (series->style == sp_plotPoints || series->style == sp_plotMarked)
        {
            spDrawMarker(canvas, plot->legendLeft + 12.0, y, i, spGetSeriesColor(i));
        }
        spDrawLabel(canvas, plot->legendLeft + 31.0, y + 4.3, 0.0, 12.5, SP_INK, series->name);
        y += 20.0;
    }
}

static bool spDrawTitles(spPlot* plot, spCanvas* canvas)
{
    const spPlotDef* def = plot->def;
    double middle = 0.5 * (plot->left + plot->right);
    if (def->title != NULL)
    {
        spDrawLabel(canvas, middle, 26.0, 0.5, 15.0, SP_INK, def->title);
    }
    if (def->xLabel != NULL)
    {
        spDrawLabel(canvas, middle, def->height - 14.0, 0.5, 13.5, SP_INK, def->xLabel);
    }
    if (!plot->hasData)
    {
        spDrawLabel(canvas, middle, 0.5 * (plot->top + plot->bottom), 0.5, 13.5, 0x8A939Du, "no data");
    }
    return def->yLabel == NULL ||
           spDrawUpright(canvas, plot->text.heap, 20.0, 0.5 * (plot->top + plot->bottom), 13.5, def->yLabel);
}

bool spDrawPlot(spPlot* plot, const char* path, spError* error)
{
    const spPlotDef* def = plot->def;
    spCanvas canvas = {.width = SP_PLOT_SCALE * def->width, .height = SP_PLOT_SCALE * def->height};
    size_t bytes = 3 * (size_t)canvas.width * (size_t)canvas.height;
    canvas.rgb = spAlloc(plot->text.heap, bytes);
    if (canvas.rgb == NULL)
    {
        return spFailMemory(error, "plot", bytes);
    }
    memset(canvas.rgb, 255, bytes);
    spDrawTicks(plot, &canvas, true);
    spDrawTicks(plot, &canvas, false);

    // Series stay inside the frame
    canvas.left = (int)(SP_PLOT_SCALE * plot->left), canvas.right = (int)(SP_PLOT_SCALE * plot->right);
    canvas.top = (int)(SP_PLOT_SCALE * plot->top), canvas.bottom = (int)(SP_PLOT_SCALE * plot->bottom);
    for (int i = 0; i < def->seriesCount; ++i)
    {
        spDrawSeries(plot, &canvas, def->series + i, i);
    }
    canvas.left = canvas.top = 0;
    canvas.right = canvas.width, canvas.bottom = canvas.height;
    spDrawRule(&canvas, plot->left, plot->top, plot->right, plot->top, SP_FRAME);
    spDrawRule(&canvas, plot->left, plot->bottom, plot->right, plot->bottom, SP_FRAME);
    spDrawRule(&canvas, plot->left, plot->top, plot->left, plot->bottom, SP_FRAME);
    spDrawRule(&canvas, plot->right, plot->top, plot->right, plot->bottom, SP_FRAME);
    bool ok = spDrawTitles(plot, &canvas) || spFailMemory(error, "plot", 0);
    spDrawLegend(plot, &canvas);
    ok = ok && spSavePng(canvas.rgb, canvas.width, canvas.height, path, error);
    spFree(plot->text.heap, canvas.rgb);
    return ok;
}
