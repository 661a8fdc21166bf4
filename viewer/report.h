// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A report in the making: what its parts share. Each part puts its messages into the pack.

#pragma once

#include "base/error.h"
#include "base/json.h"
#include "pack.h"
#include "souple/view.h"

// Rows of series at most; numbers in all columns at most
#define SP_SERIES_ROWS 5000
#define SP_SERIES_NUMBERS 4000000

typedef struct spReport
{
    const spReportDef* def;
    const spRecording* recording; // NULL without one
    spPack* pack;
    spBuffer message; // the one in the making
    bool outOfMemory;

    double* times; // of each row, s; they only grow
    int* frames;   // of the recording: those that are taken
    int frameCount;
    bool pressed;                   // contacts were recorded
    spViewContact* contacts;        // of one frame
    bool thinned;                   // series
    float tops[sp_viewColourCount]; // what the last colours stand for; 0 where nothing has it
} spReport;

// Finds the times of all rows. Time goes on where a state was restored. Returns false without memory.
bool spFindTimes(spReport* report);

// Chooses frames within the limits, and finds what the last colours stand for. Returns false without
// memory.
bool spChooseFrames(spReport* report);

// These put messages. Memory that runs out is noted in the report.
void spPutHello(spReport* report);
void spPutScene(spReport* report);
void spPutSeries(spReport* report);
void spPutFrames(spReport* report);
bool spPutSections(spReport* report, spError* error);

// A text as JSON; bytes that are not UTF-8 become question marks, NULL the empty text
json_t* spMakeText(const char* text);

// The title: of the definition, else of the scene, else of its file, else "Souple". To be freed; NULL without memory.
char* spMakeTitle(const spReport* report);
