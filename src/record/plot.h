// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A plot that has been laid out: plot.c finds axes, ticks and margins, plot_svg.c writes text, plot_png.c
// draws pixels.

#pragma once

#include "record/output.h"

// Ticks that an axis has at most
#define SP_MAX_TICKS 128

// Colours of series, one after the other
#define SP_PLOT_COLOR_COUNT 8

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
    spBytes text; // what has been written; in between, scratch for labels
    spAxis x;
    spAxis y;
    double left, right, top, bottom; // of the frame, pixels
    double legendLeft;
    double characterWidth; // of names in the legend, pixels
    bool hasLegend;
    bool hasData;
} spPlot;

// Colour of a series, 0xRRGGBB
uint32_t spGetSeriesColor(int index);

// Whether a value can be shown on an axis, and where
bool spCanPlot(const spAxis* axis, double value);
double spToPixel(const spAxis* axis, double value);

// Adds the label of a tick, UTF-8
void spPrintTickLabel(spBytes* text, const spAxis* axis, int tick);

// Adds an exponent of ten, UTF-8
void spPrintSuperscript(spBytes* text, int value);

// Writes a plot that has been laid out
void spPrintPlot(spPlot* plot);

// Draws a plot that has been laid out into a PNG file
bool spDrawPlot(spPlot* plot, const char* path, spError* error);
