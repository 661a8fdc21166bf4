// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Line plots as SVG. A plot is text that is put together in one go: frame, ticks, series, legend.

#include "base/error.h"
#include "record/output.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Values beyond this count as not finite, so that differences do not overflow
#define SP_PLOT_LARGEST 1e300

// Ticks that an axis has at most
#define SP_MAX_TICKS 128

// Points that are nearer than this to the last one drawn are left out, pixels
#define SP_PLOT_STEP 0.2

#define SP_PLOT_FONT "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""

// After Okabe and Ito; the yellow is left out, it is too pale for lines
static const char* const SP_PLOT_COLORS[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#4D4D4D", "#7A5C99"};

// One axis: values from low to high go to pixels from start to end. On a logarithmic axis low and high are
// exponents of ten.
typedef struct spAxis
{
    bool isLog;
    double low;
    double high;
    double start;
    double end;
    int exponent; // of ten, common to all labels of a linear axis
    double ticks[SP_MAX_TICKS];
    bool hasLabel[SP_MAX_TICKS];
    int tickCount;
    int decimals; // of the labels of a linear axis
} spAxis;

typedef struct spPlot
{
    const spPlotDef* def;
    spBytes text;
    spAxis x;
    spAxis y;
    double left, right, top, bottom; // of the frame, pixels
    double legendLeft;
    bool hasLegend;
    bool hasData;
} spPlot;

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

// ---------------------------------------------------------------------------------------------------------
// Axes

static bool spCanPlot(const spAxis* axis, double value)
{
    return fabs(value) < SP_PLOT_LARGEST && (!axis->isLog || value >= DBL_MIN);
}

// A value as the axis counts: itself, or its exponent
static double spScaleValue(const spAxis* axis, double value)
{
    return axis->isLog ? log10(value) : value;
}

static double spToPixel(const spAxis* axis, double value)
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

static void spPrintSuperscript(spBytes* text, int value)
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

static void spPrintTickLabel(spBytes* text, const spAxis* axis, int i)
{
    if (axis->isLog)
    {
        double whole = floor(axis->ticks[i] + 1e-9);
        int digit = (int)(pow(10.0, axis->ticks[i] - whole) + 0.5);
        if (digit > 1)
        {
            spPrintText(text, "%d\u00B7", digit);
        }
        spPrintText(text, "10");
        spPrintSuperscript(text, (int)whole);
        return;
    }
    double value = axis->ticks[i] / pow(10.0, axis->exponent);
    value = fabs(value) < 1e-12 ? 0.0 : value; // no "-0"
    char number[64];
    snprintf(number, sizeof(number), "%.*f", axis->decimals, value);
    for (char* p = number; *p != 0; ++p)
    {
        *p = *p == ',' ? '.' : *p;
    }
    spPrintText(text, "%s%s", number[0] == '-' ? "\u2212" : "", number[0] == '-' ? number + 1 : number);
}

// ---------------------------------------------------------------------------------------------------------
// Parts

static void spPrintPixel(spBytes* text, double value)
{
    // Hundredths of a pixel, without a locale's comma
    long hundredths = lround(100.0 * value);
    spPrintText(text, "%s%ld.%02ld", hundredths < 0 ? "-" : "", labs(hundredths) / 100,
                labs(hundredths) % 100);
}

static void spPrintAttribute(spBytes* text, const char* name, double value)
{
    spPrintText(text, " %s=\"", name);
    spPrintPixel(text, value);
    spPrintText(text, "\"");
}

static void spPrintLine(spBytes* text, double x1, double y1, double x2, double y2, const char* style)
{
    spPrintText(text, "<line");
    spPrintAttribute(text, "x1", x1);
    spPrintAttribute(text, "y1", y1);
    spPrintAttribute(text, "x2", x2);
    spPrintAttribute(text, "y2", y2);
    spPrintText(text, " %s/>\n", style);
}

static void spBeginLabel(spBytes* text, double x, double y, const char* style)
{
    spPrintText(text, "<text");
    spPrintAttribute(text, "x", x);
    spPrintAttribute(text, "y", y);
    spPrintText(text, " %s>", style);
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

static const char* spGetSeriesColor(int index)
{
    return SP_PLOT_COLORS[index % SP_COUNT(SP_PLOT_COLORS)];
}

// Dashes tell series apart that share a colour
static const char* spGetSeriesDash(const spPlotSeries* series, int index)
{
    return series->style == sp_plotDashed      ? " stroke-dasharray=\"7 4\""
           : index >= SP_COUNT(SP_PLOT_COLORS) ? " stroke-dasharray=\"2 3\""
                                               : "";
}

static void spPrintMarker(spBytes* text, double x, double y, int shape)
{
    static const char* const shapes[] = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m-3.5 -3.5h7v7h-7z",
                                         "m0 -5l5 5l-5 5l-5 -5z", "m0 -4.5l4.5 8h-9z"};
    spPrintText(text, "M");
    spPrintPixel(text, x);
    spPrintText(text, " ");
    spPrintPixel(text, y);
    spPrintText(text, "%s", shapes[shape % SP_COUNT(shapes)]);
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
    double legend = plot->hasLegend ? fmin(52.0 + 6.6 * longestName, 0.4 * def->width) : 0.0;
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

static void spPrintTicks(spPlot* plot, bool isX)
{
    spBytes* text = &plot->text;
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
        const char* grid = isMain ? "stroke=\"#E3E6EA\"" : "stroke=\"#F2F4F6\"";
        const char* mark = "stroke=\"#5B6570\"";
        double size = isMain ? 5.0 : 3.0;
        if (isX)
        {
            spPrintLine(text, p, plot->top, p, plot->bottom, grid);
            spPrintLine(text, p, plot->bottom, p, plot->bottom + size, mark);
        }
        else
        {
            spPrintLine(text, plot->left, p, plot->right, p, grid);
            spPrintLine(text, plot->left - size, p, plot->left, p, mark);
        }
        if (isMain)
        {
            spBeginLabel(text, isX ? p : plot->left - 9.0, isX ? plot->bottom + 19.0 : p + 4.3,
                         isX ? "text-anchor=\"middle\"" : "text-anchor=\"end\"");
            spPrintTickLabel(text, axis, i);
            spPrintText(text, "</text>\n");
        }
    }

    // The common power of ten of the labels
    if (!axis->isLog && axis->exponent != 0)
    {
        spBeginLabel(text, isX ? plot->right : plot->left, isX ? plot->bottom + 34.0 : plot->top - 7.0,
                     isX ? "text-anchor=\"end\"" : "text-anchor=\"start\"");
        spPrintText(text, "\u00D710");
        spPrintSuperscript(text, axis->exponent);
        spPrintText(text, "</text>\n");
    }
}

static void spPrintTitles(spPlot* plot)
{
    spBytes* text = &plot->text;
    const spPlotDef* def = plot->def;
    if (def->title != NULL)
    {
        spBeginLabel(text, 0.5 * (plot->left + plot->right), 26.0,
                     "text-anchor=\"middle\" font-size=\"16\" font-weight=\"600\"");
        spPrintXml(text, def->title);
        spPrintText(text, "</text>\n");
    }
    if (def->xLabel != NULL)
    {
        spBeginLabel(text, 0.5 * (plot->left + plot->right), def->height - 14.0,
                     "text-anchor=\"middle\" font-size=\"14\"");
        spPrintXml(text, def->xLabel);
        spPrintText(text, "</text>\n");
    }
    if (def->yLabel != NULL)
    {
        spPrintText(text, "<text text-anchor=\"middle\" font-size=\"14\" transform=\"translate(20 ");
        spPrintPixel(text, 0.5 * (plot->top + plot->bottom));
        spPrintText(text, ") rotate(-90)\">");
        spPrintXml(text, def->yLabel);
        spPrintText(text, "</text>\n");
    }
    if (!plot->hasData)
    {
        spBeginLabel(text, 0.5 * (plot->left + plot->right), 0.5 * (plot->top + plot->bottom),
                     "text-anchor=\"middle\" font-size=\"14\" fill=\"#8A939D\"");
        spPrintText(text, "no data</text>\n");
    }
}

static void spPrintPoints(spPlot* plot, const spPlotSeries* series, int index)
{
    spBytes* text = &plot->text;
    spPrintText(text, "<path fill=\"%s\" stroke=\"#FFFFFF\" stroke-width=\"0.8\" d=\"",
                spGetSeriesColor(index));
    for (int i = 0; i < series->count; ++i)
    {
        if (spCanPlot(&plot->x, series->x[i]) && spCanPlot(&plot->y, series->y[i]))
        {
            spPrintMarker(text, spToPixel(&plot->x, series->x[i]), spToPixel(&plot->y, series->y[i]), index);
        }
    }
    spPrintText(text, "\"/>\n");
}

// One path with a gap wherever a value is missing. A value between two gaps gets a dot: a line of no length
// with round ends.
static void spPrintPath(spPlot* plot, const spPlotSeries* series, int index)
{
    spBytes* text = &plot->text;
    spPrintText(text,
                "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\" "
                "stroke-linecap=\"round\"%s d=\"",
                spGetSeriesColor(index), spGetSeriesDash(series, index));
    bool isOpen = false;
    double lastX = 0.0, lastY = 0.0;
    for (int i = 0; i < series->count; ++i)
    {
        if (!spCanPlot(&plot->x, series->x[i]) || !spCanPlot(&plot->y, series->y[i]))
        {
            isOpen = false;
            continue;
        }
        double x = spToPixel(&plot->x, series->x[i]);
        double y = spToPixel(&plot->y, series->y[i]);
        bool endsHere = i + 1 == series->count || !spCanPlot(&plot->x, series->x[i + 1]) ||
                        !spCanPlot(&plot->y, series->y[i + 1]);
        if (isOpen && !endsHere && fabs(x - lastX) + fabs(y - lastY) < SP_PLOT_STEP)
        {
            continue;
        }
        spPrintText(text, isOpen ? "L" : "M");
        spPrintPixel(text, x);
        spPrintText(text, " ");
        spPrintPixel(text, y);
        if (!isOpen && endsHere)
        {
            spPrintText(text, "h0.01");
        }
        isOpen = true;
        lastX = x;
        lastY = y;
    }
    spPrintText(text, "\"/>\n");
}

static void spPrintLegend(spPlot* plot)
{
    spBytes* text = &plot->text;
    double y = plot->top + 10.0;
    for (int i = 0; i < plot->def->seriesCount; ++i)
    {
        const spPlotSeries* series = plot->def->series + i;
        if (series->name == NULL || series->name[0] == 0)
        {
            continue;
        }
        if (series->style == sp_plotPoints)
        {
            spPrintText(text, "<path fill=\"%s\" d=\"", spGetSeriesColor(i));
            spPrintMarker(text, plot->legendLeft + 12.0, y, i);
            spPrintText(text, "\"/>\n");
        }
        else
        {
            spPrintText(text, "<path stroke=\"%s\" stroke-width=\"2.4\"%s d=\"M", spGetSeriesColor(i),
                        spGetSeriesDash(series, i));
            spPrintPixel(text, plot->legendLeft);
            spPrintText(text, " ");
            spPrintPixel(text, y);
            spPrintText(text, "h24\"/>\n");
        }
        spBeginLabel(text, plot->legendLeft + 31.0, y + 4.3, "font-size=\"13\"");
        spPrintXml(text, series->name);
        spPrintText(text, "</text>\n");
        y += 20.0;
    }
}

static void spPrintPlot(spPlot* plot)
{
    const spPlotDef* def = plot->def;
    spBytes* text = &plot->text;
    spLayoutPlot(plot);
    spPrintText(text,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ",
                def->width, def->height, def->width, def->height);
    spPrintText(text, SP_PLOT_FONT " font-size=\"12.5\" fill=\"#2B333B\">\n<title>");
    spPrintXml(text, def->title != NULL ? def->title : "plot");
    spPrintText(text, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#FFFFFF\"/>\n", def->width,
                def->height);
    spPrintTicks(plot, true);
    spPrintTicks(plot, false);

    // Series stay inside the frame
    const double frame[4] = {plot->left, plot->top, plot->right - plot->left, plot->bottom - plot->top};
    static const char* const names[4] = {"x", "y", "width", "height"};
    spPrintText(text, "<clipPath id=\"frame\"><rect");
    for (int i = 0; i < 4; ++i)
    {
        spPrintAttribute(text, names[i], frame[i]);
    }
    spPrintText(text, "/></clipPath>\n<g clip-path=\"url(#frame)\">\n");
    for (int i = 0; i < def->seriesCount; ++i)
    {
        if (def->series[i].style == sp_plotPoints)
        {
            spPrintPoints(plot, def->series + i, i);
        }
        else
        {
            spPrintPath(plot, def->series + i, i);
        }
    }
    spPrintText(text, "</g>\n<rect fill=\"none\" stroke=\"#5B6570\"");
    for (int i = 0; i < 4; ++i)
    {
        spPrintAttribute(text, names[i], frame[i]);
    }
    spPrintText(text, "/>\n");
    spPrintTitles(plot);
    spPrintLegend(plot);
    spPrintText(text, "</svg>\n");
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

bool spSavePlot(const spPlotDef* def, const char* path, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "plot: start from spDefaultPlotDef");
    }
    if (path == NULL || def->width < 200 || def->width > 4000 || def->height < 150 || def->height > 4000)
    {
        return spFail(error, sp_errorBadArgument,
                      "plot: %d by %d pixels, or no path; 200 to 4000 by 150 to 4000 are possible",
                      def->width, def->height);
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
    if (!spCheckAxis(def->xMin, def->xMax, def->xLog, "x", error) ||
        !spCheckAxis(def->yMin, def->yMax, def->yLog, "y", error))
    {
        return false;
    }

    spHeap heap = spMakeHeap(NULL);
    spPlot plot = {.def = def, .text = {.heap = &heap}};
    spPrintPlot(&plot);
    bool ok = spSaveBytes(&plot.text, path, error);
    spFreeBytes(&plot.text);
    return ok;
}
