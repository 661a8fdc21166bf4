// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A report in the making, as commands tell it: parts with paragraphs, a table, plots. All functions do
// nothing with a draft that is NULL, so that a command tells everything once, whether a report is wanted or
// not.

#pragma once

#include "souple/record.h"
#include "tools.h"

typedef struct spDraft spDraft;

// SP_GO_ON when this build makes reports; else the reason is printed, and the exit code returned
int spCheckReports(void);

// NULL when there is no memory, which is printed
spDraft* spMakeDraft(void);
void spDestroyDraft(spDraft* draft);

// Begins a part. The rest goes to the last one.
void spDraftPart(spDraft* draft, const char* heading);

// Adds a paragraph
void spDraftText(spDraft* draft, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Gives the part a table, unless it has one, and adds rows to it
void spDraftTable(spDraft* draft, const char* const* columns, int columnCount);
void spDraftRow(spDraft* draft, const char* const* cells);

// Adds a plot, everything copied. A second one makes a part of its own, under the title of the plot.
void spDraftPlot(spDraft* draft, const spPlotDef* plot);

// Puts the last parts before all others: what is only known at the end, and read first
void spDraftToFront(spDraft* draft, int count);

// What `souple check` warns of, when there is anything
void spDraftWarnings(spDraft* draft, const spWarningList* warnings);

// What a recording measured: tables of measurements and of steps
void spDraftRecording(spDraft* draft, const spRecording* recording);

// A plot with linear axes; the texts and the series stay where they are
spPlotDef spMakePlot(const char* title, const char* xLabel, const char* yLabel, const spPlotSeries* series,
                     int seriesCount);

typedef struct spReportPlan
{
    const char* path;
    const char* title;             // NULL: of the scene
    const char* summary;           // NULL: none
    const spRecording* recording;  // NULL: none
    struct spRun* run;             // whose bodies are told; NULL: none
    const spWarningList* warnings; // of its start; NULL: none
    int frameLimit;                // 0: as many as a report takes
    bool storeTets;
    int argc; // what the command was called with
    char** argv;
    bool quiet;
} spReportPlan;

// Writes the report, with machine, version, date and command. Returns an exit code; what went wrong is
// printed.
int spSaveDraft(const spDraft* draft, const spReportPlan* plan);

// The whole report of a recording: the plan but for its recording. Returns an exit code.
int spReportRecording(const char* path, spReportPlan* plan);
