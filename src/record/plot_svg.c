// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Line plots as SVG: text that is put together in one go.

#include "record/plot.h"

#include <math.h>
#include <stdlib.h>

// Points that are nearer than this to the last one drawn are left out, pixels
#define SP_PLOT_STEP 0.2

#define SP_PLOT_FONT "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\""

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

// Dashes tell series apart that share a colour
static const char* spGetSeriesDash(const spPlotSeries* series, int index)
{
    return series->style == sp_plotDashed ? " stroke-dasharray=\"7 4\""
           : index >= SP_PLOT_COLOR_COUNT ? " stroke-dasharray=\"2 3\""
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
    spPrintText(text, "<path fill=\"#%06X\" stroke=\"#FFFFFF\" stroke-width=\"0.8\" d=\"",
                (unsigned)spGetSeriesColor(index));
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
                "<path fill=\"none\" stroke=\"#%06X\" stroke-width=\"1.8\" stroke-linejoin=\"round\" "
                "stroke-linecap=\"round\"%s d=\"",
                (unsigned)spGetSeriesColor(index), spGetSeriesDash(series, index));
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
        if (series->style != sp_plotPoints)
        {
            spPrintText(text, "<path stroke=\"#%06X\" stroke-width=\"2.4\"%s d=\"M",
                        (unsigned)spGetSeriesColor(i), spGetSeriesDash(series, i));
            spPrintPixel(text, plot->legendLeft);
            spPrintText(text, " ");
            spPrintPixel(text, y);
            spPrintText(text, "h24\"/>\n");
        }
        if (series->style == sp_plotPoints || series->style == sp_plotMarked)
        {
            spPrintText(text, "<path fill=\"#%06X\" d=\"", (unsigned)spGetSeriesColor(i));
            spPrintMarker(text, plot->legendLeft + 12.0, y, i);
            spPrintText(text, "\"/>\n");
        }
        spBeginLabel(text, plot->legendLeft + 31.0, y + 4.3, "font-size=\"13\"");
        spPrintXml(text, series->name);
        spPrintText(text, "</text>\n");
        y += 20.0;
    }
}

void spPrintPlot(spPlot* plot)
{
    const spPlotDef* def = plot->def;
    spBytes* text = &plot->text;
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
        if (def->series[i].style != sp_plotPoints)
        {
            spPrintPath(plot, def->series + i, i);
        }
        if (def->series[i].style == sp_plotPoints || def->series[i].style == sp_plotMarked)
        {
            spPrintPoints(plot, def->series + i, i);
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
