// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The frame of `souple reproduce`: an experiment runs simulations, reports rows (what was published beside
// what we measure), and saves tables and plots. One file per work, reproduce_<name>.c.

#pragma once

#include "cli/report_tools.h"
#include "souple/record.h"

#include <jansson.h>

// One run of one experiment
typedef struct spReproduction
{
    const char* name;
    const char* work; // that it is of
    char title[256];  // of the part that runs
    char folder[512]; // where tables and plots go
    bool json;        // rows are collected instead of printed
    bool quick;       // small sizes and few steps, for tests: rows about times and sizes are not judged
    const char* part; // the only part to run; NULL means all
    const char* mesh; // file of the body, for experiments that take one; NULL means their own
    spDraft* draft;   // report in the making; NULL for none
    json_t* rows;
    json_t* runs; // objects of an experiment's own, for --json; none by default
    json_t* files;
    int deviations; // rows that are not as published and should be
    int unjudged;   // rows that say nothing about the work's claim
    int held;       // rows that are what we ask of them where nothing was published
    int failures;   // files that could not be written, worlds that could not be built
} spReproduction;

// Whether ours supports the work's claim
typedef enum spVerdict
{
    sp_differs = 0,
    sp_agrees = 1,
    sp_notJudged, // the numbers stand side by side and are not comparable
} spVerdict;

// A verdict that only the full sizes and times allow
static inline spVerdict spInFull(const spReproduction* r, bool agrees)
{
    return r->quick ? sp_notJudged : agrees ? sp_agrees : sp_differs;
}

// Starts a part of the experiment: a heading on the screen
void spStartPart(spReproduction* r, const char* title);

// One row. published and unit may be "" where the work has no number.
void spReportRow(spReproduction* r, const char* quantity, const char* unit, const char* published,
                 double ours, spVerdict verdict);

// One row that is held against a target of our own: the page says holds or short
void spReportTarget(spReproduction* r, const char* quantity, const char* unit, const char* target,
                    double ours, spVerdict verdict);

// A sentence about what was seen
void spReportNote(spReproduction* r, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Path of a file in the folder, which is made when it is not there; the file then counts as left by the
// experiment. False, with the reason reported, when that fails.
bool spNameFile(spReproduction* r, char* path, size_t size, const char* file);

// Writes columns as CSV, and series as an SVG plot, into the folder
typedef struct spColumn
{
    const char* name; // with the unit, as in "time [s]"
    const double* values;
} spColumn;

void spSaveColumns(spReproduction* r, const char* file, const spColumn* columns, int columnCount,
                   int rowCount);
void spSaveFigure(spReproduction* r, const char* file, const spPlotDef* plot);

// The same as PNG where this build can write that, else as SVG. `file` has no ending.
void spSaveBestFigure(spReproduction* r, const char* file, const spPlotDef* plot);

// Writes a picture of red, green and blue bytes, row by row from the top, as PNG into the folder
void spSaveImage(spReproduction* r, const char* file, const uint8_t* rgb, int width, int height);

// A world could not be built
void spReportFailure(spReproduction* r, const char* what, const spError* error);

// What a row is about: the row of docs/seeds.md, and why ours is unlike what was published, or why nothing
// judges it. Both are "" where there is nothing to say.
typedef struct spRowNote
{
    const char* seed;
    const char* why;
} spRowNote;

spRowNote spFindRowNote(const spReproduction* r, const char* quantity, const char* published,
                        spVerdict verdict);

// The experiments
void spReproduceSlides(spReproduction* r);
void spReproduceFilter(spReproduction* r);
void spReproduceOperators(spReproduction* r);
void spReproduceMultires(spReproduction* r);
void spReproducePreconditioner(spReproduction* r);
void spReproduceCutting(spReproduction* r);
void spReproduceAnderson(spReproduction* r);
void spReproduceVolumes(spReproduction* r);
