// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tables of numbers, each described once: on the screen, in a report, as JSON.

#pragma once

#include "report_tools.h"

#include <jansson.h>

// One cell of a row, and its column
typedef struct spCell
{
    const char* key;    // in JSON; NULL: not there
    const char* head;   // on the screen and in reports, in up to two lines; NULL: not there
    int width;          // on the screen, to the left when negative
    const char* format; // of a number; NULL for a whole one
    double number;      // what is not finite is a dash
    const char* text;   // instead of the number
} spCell;

#define SP_TEXT_CELL(key, head, width, value) ((spCell){key, head, width, NULL, 0.0, value})
#define SP_WHOLE_CELL(key, head, width, value) ((spCell){key, head, width, NULL, value, NULL})
#define SP_NUMBER_CELL(key, head, width, format, value) ((spCell){key, head, width, format, value, NULL})
#define SP_CELL_COUNT(cells) ((int)(sizeof(cells) / sizeof((cells)[0])))

typedef struct spTable
{
    bool print;
    spDraft* draft; // the rows go to its last part; NULL for none
    char head[512]; // on the screen, of the rows before
} spTable;

// Prints a row, its heads before it when they are not those of the row before, and adds it to the report.
// Returns its JSON object.
json_t* spTellRow(spTable* table, const spCell* cells, int cellCount);

// A hash of a state, as commands write it
typedef char spHashText[20];
void spFormatHash(spHashText text, uint64_t hash);
