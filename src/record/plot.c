// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Line plots: ranges, ticks and margins, whatever the file is.

#include "record/plot.h"

#include "base/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Values beyond this count as not finite, so that differences do not overflow
#define SP_PLOT_LARGEST 1e300

// Width of a character in the legend, pixels
#define SP_SVG_CHARACTER 6.6
#define SP_PNG_CHARACTER 7.4

// After Okabe and Ito; the yellow is left out, it is too pale for lines
static const uint32_t SP_PLOT_COLORS[SP_PLOT_COLOR_COUNT] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                                             0xE69F00, 0x56B4E9, 0x4D4D4D, 0x7A5C99};

spPlotDef spDefaultPlotDef(void)
{
    spPlotDef def = {0};
    def.xMin = (double)NAN;
    def.xMax = (double)NAN;
    def.yMin = (double)NAN;
    def.yMax = (double)NAN;
    def.width = 800;
    def.height = 500;
    def.internalValue = SP_DEF_COOKIE;
    return def;
}

uint32_t spGetSeriesColor(int index)
{
    return SP_PLOT_COLORS[index % SP_PLOT_COLOR_COUNT];
}

// ---------------------------------------------------------------------------------------------------------
// Axes

bool spCanPlot(const spAxis* axis, double value)
{
    return fabs(value) < SP_PLOT_LARGEST && (!axis->isLog || value >= DBL_MIN);
}

// A value as the axis counts: itself, or its exponent
static double spScaleValue(const spAxis* axis, double value)
{
    return axis->isLog ? log10(value) : value;
}

double spToPixel(const spAxis* axis, double value)
{
    double share = (spScaleValue(axis, value) - axis->low) / (axis->high - axis->low);

    // Far outside is as good as very far outside, and what reads the file has no trouble with it
    share = share < -20.0 ? -20.0 : (share > 20.0 ? 20.0 : share);
    return axis->start + share * (axis->end - axis->start);
}

// Range from the data and the user, widened where it is empty
static void spSetRange(spAxis* axis, double low, double high, bool hasData, double userLow, double userHigh)
{
    axis->low = hasData ? low : (axis->isLog ? -1.0 : 0.0);
    axis->high = hasData ? high : 1.0;
    double least = axis->isLog ? 0.2 : 1e-9 * fmax(fabs(axis->low), fabs(axis->high));
    if (axis->high - axis->low <= least)
    {
        double grow = axis->isLog ? 0.5 : (axis->low != 0.0 ? 0.1 * fabs(axis->low) : 1.0);
        axis->low -= grow;
        axis->high += grow;
    }
    else
    {
        double grow = 0.03 * (axis->high - axis->low);
        axis->low -= grow;
        axis->high += grow;
    }

    axis->low = isnan(userLow) ? axis->low : spScaleValue(axis, userLow);
    axis->high = isnan(userHigh) ? axis->high : spScaleValue(axis, userHigh);
    if (!(axis->high > axis->low))
    {
        // One end is given and all data are beyond it
        double size = fmax(fabs(axis->low), fabs(axis->high));
        double grow = axis->isLog || size == 0.0 ? 1.0 : 0.1 * size;
        axis->high = isnan(userHigh) ? axis->low + grow : axis->high;
        axis->low = isnan(userLow) ? axis->high - grow : axis->low;
    }
}

static void spAddTick(spAxis* axis, double value, bool hasLabel)
{
    if (axis->tickCount < SP_MAX_TICKS)
    {
        axis->ticks[axis->tickCount] = value;
        axis->hasLabel[axis->tickCount] = hasLabel;
        axis->tickCount += 1;
    }
}

// Multiples of 1, 2 or 5 times a power of ten, about `wanted` of them
static void spSetLinearTicks(spAxis* axis, int wanted)
{
    double rough = (axis->high - axis->low) / wanted;
    double power = pow(10.0, floor(log10(rough)));
    double m = rough / power;
    double step = (m < 1.5 ? 1.0 : (m < 3.5 ? 2.0 : (m < 7.5 ? 5.0 : 10.0))) * power;
    double first = ceil(axis->low / step - 1e-9);
    for (int i = 0; i < SP_MAX_TICKS && (first + i) * step <= axis->high + 1e-9 * step; ++i)
    {
        spAddTick(axis, (first + i) * step, true);
    }

    // Numbers that are large or small share one power of ten, written once
    double largest = fmax(fabs(axis->low), fabs(axis->high));
    int exponent = (int)floor(log10(largest) + 1e-9);
    axis->exponent = exponent >= 5 || exponent <= -4 ? exponent : 0;
    int digits = axis->exponent - (int)floor(log10(step) + 1e-9);
    axis->decimals = digits < 0 ? 0 : (digits > 12 ? 12 : digits);
}

// Powers of ten, with 2 to 9 times them as short ticks; with few powers also 2 and 5 get labels
static void spSetLogTicks(spAxis* axis)
{
    int first = (int)ceil(axis->low - 1e-9);
    int last = (int)floor(axis->high + 1e-9);
    int decades = last - first + 1;
    int skip = decades > 10 ? (decades + 9) / 10 : 1;
    for (int k = first; k <= last; k += decades > 40 ? skip : 1)
    {
        spAddTick(axis, (double)k, (k - first) % skip == 0);
    }
    for (int k = first - 1; k <= last && decades <= 6; ++k)
    {
        for (int digit = 2; digit <= 9; ++digit)
        {
            double tick = (double)k + log10((double)digit);
            if (tick >= axis->low && tick <= axis->high)
            {
                spAddTick(axis, tick, decades <= 1 && (digit == 2 || digit == 5));
            }
        }
    }
}

void spPrintSuperscript(spBytes* text, int value)
{
    static const char* const digits[] = {"\u2070", "\u00B9", "\u00B2", "\u00B3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char decimal[16];
    snprintf(decimal, sizeof(decimal), "%d", value);
    for (const char* p = decimal; *p != 0; ++p)
    {
        spPrintText(text, "%s", *p == '-' ? "\u207B" : digits[*p - '0']);
    }
}

void spPrintTickLabel(spBytes* text, const spAxis* axis, int tick)
{
    if (axis->isLog)
    {
        double whole = floor(axis->ticks[tick] + 1e-9);
        int digit = (int)(pow(10.0, axis->ticks[tick] - whole) + 0.5);
        if (digit > 1)
        {
            spPrintText(text, "%d\u00B7", digit);
        }
        spPrintText(text, "10");
        spPrintSuperscript(text, (int)whole);
        return;
    }
    double value = axis->ticks[tick] / pow(10.0, axis->exponent);
    value = fabs(value) < 1e-12 ? 0.0 : value; // no "-0"
    char number[64];
    snprintf(number, sizeof(number), "%.*f", axis->decimals, value);
    for (char* p = number; *p != 0; ++p)
    {
        *p = *p == ',' ? '.' : *p;
    }
    spPrintText(text, "%s%s", number[0] == '-' ? "\u2212" : "", number[0] == '-' ? number + 1 : number);
}

// Longest label in characters, for the margin
static int spMeasureLabels(spPlot* plot, const spAxis* axis)
{
    int longest = 0;
    for (int i = 0; i < axis->tickCount; ++i)
    {
        size_t before = plot->text.count;
        spPrintTickLabel(&plot->text, axis, i);
        int length = 0;
        for (size_t k = before; !plot->text.failed && k < plot->text.count; ++k)
        {
            length += (plot->text.data[k] & 0xC0) != 0x80 ? 1 : 0;
        }
        plot->text.count = before;
        longest = axis->hasLabel[i] && length > longest ? length : longest;
    }
    return longest;
}

// Sets up axes, margins and ticks
static void spLayoutPlot(spPlot* plot)
{
    const spPlotDef* def = plot->def;
    plot->x.isLog = def->xLog;
    plot->y.isLog = def->yLog;
    double low[2] = {0}, high[2] = {0};
    double longestName = 0.0;
    for (int i = 0; i < def->seriesCount; ++i)
    {
        const spPlotSeries* series = def->series + i;
        double length = series->name != NULL ? (double)strlen(series->name) : 0.0;
        longestName = fmax(longestName, length);
        plot->hasLegend = plot->hasLegend || length > 0.0;
        for (int k = 0; k < series->count; ++k)
        {
            if (spCanPlot(&plot->x, series->x[k]) && spCanPlot(&plot->y, series->y[k]))
            {
                double v[2] = {spScaleValue(&plot->x, series->x[k]), spScaleValue(&plot->y, series->y[k])};
                for (int a = 0; a < 2; ++a)
                {
                    low[a] = !plot->hasData || v[a] < low[a] ? v[a] : low[a];
                    high[a] = !plot->hasData || v[a] > high[a] ? v[a] : high[a];
                }
                plot->hasData = true;
            }
        }
    }
    spSetRange(&plot->x, low[0], high[0], plot->hasData, def->xMin, def->xMax);
    spSetRange(&plot->y, low[1], high[1], plot->hasData, def->yMin, def->yMax);

    plot->top = def->title != NULL ? 44.0 : 20.0;
    plot->bottom = def->height - (def->xLabel != NULL ? 54.0 : 34.0);
    if (plot->y.isLog)
    {
        spSetLogTicks(&plot->y);
    }
    else
    {
        spSetLinearTicks(&plot->y, spClampInt((int)((plot->bottom - plot->top) / 55.0), 2, 12));
    }
    plot->left = (def->yLabel != NULL ? 40.0 : 18.0) + 8.0 * spMeasureLabels(plot, &plot->y);
    double legend = plot->hasLegend ? fmin(52.0 + plot->characterWidth * longestName, 0.4 * def->width) : 0.0;
    plot->right = fmax(def->width - 22.0 - legend, plot->left + 50.0);
    plot->legendLeft = plot->right + 16.0;
    if (plot->x.isLog)
    {
        spSetLogTicks(&plot->x);
    }
    else
    {
        spSetLinearTicks(&plot->x, spClampInt((int)((plot->right - plot->left) / 85.0), 2, 12));
    }
    plot->x.start = plot->left;
    plot->x.end = plot->right;
    plot->y.start = plot->bottom;
    plot->y.end = plot->top;
}

// ---------------------------------------------------------------------------------------------------------
// Checks

static bool spCheckAxis(double low, double high, bool isLog, const char* name, spError* error)
{
    bool bad = isinf(low) || isinf(high) || fabs(low) >= SP_PLOT_LARGEST || fabs(high) >= SP_PLOT_LARGEST ||
               (isLog && (low < DBL_MIN || high < DBL_MIN)) || high <= low;
    return !bad || spFail(error, sp_errorBadArgument, "plot: range %g to %g of the %s %s axis", low, high,
                          isLog ? "logarithmic" : "linear", name);
}

static bool spCheckPlot(const spPlotDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "plot: start from spDefaultPlotDef");
    }
    if (def->width < 200 || def->width > 4000 || def->height < 150 || def->height > 4000)
    {
        return spFail(error, sp_errorBadArgument,
                      "plot: %d by %d pixels; 200 to 4000 by 150 to 4000 are possible", def->width,
                      def->height);
    }
    if (def->seriesCount < 0 || (def->seriesCount > 0 && def->series == NULL))
    {
        return spFail(error, sp_errorBadArgument, "plot: %d series", def->seriesCount);
    }
    for (int i = 0; i < def->seriesCount; ++i)
    {
        const spPlotSeries* series = def->series + i;
        if (series->count < 0 || (series->count > 0 && (series->x == NULL || series->y == NULL)) ||
            (int)series->style < 0 || series->style >= sp_plotStyleCount)
        {
            return spFail(error, sp_errorBadArgument, "plot: series %d has no values or a bad style", i);
        }
    }
    return spCheckAxis(def->xMin, def->xMax, def->xLog, "x", error) &&
           spCheckAxis(def->yMin, def->yMax, def->yLog, "y", error);
}

static spPlot spMakePlot(const spPlotDef* def, spHeap* heap, double characterWidth)
{
    spPlot plot = {.def = def, .text = {.heap = heap}, .characterWidth = characterWidth};
    spLayoutPlot(&plot);
    return plot;
}

bool spWritePlot(const spPlotDef* def, spTextFcn* write, void* context, spError* error)
{
    if (!spCheckPlot(def, error))
    {
        return false;
    }
    spHeap heap = spMakeHeap(NULL);
    spPlot plot = spMakePlot(def, &heap, SP_SVG_CHARACTER);
    spPrintPlot(&plot);
    bool good = plot.text.failed == false || spFailMemory(error, "plot", plot.text.count);
    if (good)
    {
        write((const char*)plot.text.data, plot.text.count, context);
    }
    spFreeBytes(&plot.text);
    return good;
}

bool spSavePlot(const spPlotDef* def, const char* path, spError* error)
{
    if (!spCheckPlot(def, error))
    {
        return false;
    }
    if (path == NULL)
    {
        return spFail(error, sp_errorBadArgument, "plot: no path");
    }
    size_t length = strlen(path);
    bool pixels = length > 4 && strcmp(path + length - 4, ".png") == 0;
    spHeap heap = spMakeHeap(NULL);
    spPlot plot = spMakePlot(def, &heap, pixels ? SP_PNG_CHARACTER : SP_SVG_CHARACTER);
    bool ok = false;
    if (pixels)
    {
        ok = spDrawPlot(&plot, path, error);
    }
    else
    {
        spPrintPlot(&plot);
        ok = spSaveBytes(&plot.text, path, error);
    }
    spFreeBytes(&plot.text);
    return ok;
}
