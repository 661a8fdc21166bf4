// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "table.h"

#include "tools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SP_MAX_CELLS 20

typedef char spCellText[80];

static void spFormatCell(const spCell* cell, spCellText text)
{
    const size_t size = sizeof(spCellText);
    if (cell->text != NULL || isfinite(cell->number) == 0)
    {
        snprintf(text, size, "%s", cell->text != NULL ? cell->text : "-");
        return;
    }
    snprintf(text, size, cell->format != NULL ? cell->format : "%.0f", cell->number);
}

static json_t* spMakeCellJson(const spCell* cell)
{
    return cell->text != NULL     ? json_string(cell->text)
           : cell->format != NULL ? spMakeJsonNumber(cell->number)
                                  : json_integer((json_int_t)cell->number);
}

// Texts in their columns, without spaces at the end
static void spFormatLine(char* line, size_t size, const spCell* cells, int cellCount, spCellText* texts)
{
    size_t at = 0;
    for (int i = 0; i < cellCount && at < size; ++i)
    {
        if (cells[i].head != NULL)
        {
            at +=
                (size_t)snprintf(line + at, size - at, "%s%*s", at > 0 ? " " : "", cells[i].width, texts[i]);
        }
    }
    for (at = strlen(line); at > 0 && line[at - 1] == ' '; --at)
    {
        line[at - 1] = 0;
    }
}

// Heads have one line or two, of which the second is the lower
static void spFormatHeads(char* heads, size_t size, const spCell* cells, int cellCount)
{
    spCellText lines[2][SP_MAX_CELLS];
    bool two = false;
    for (int i = 0; i < cellCount; ++i)
    {
        const char* head = cells[i].head != NULL ? cells[i].head : "";
        const char* lower = strchr(head, '\n');
        snprintf(lines[0][i], sizeof(spCellText), "%.*s", lower != NULL ? (int)(lower - head) : 0, head);
        snprintf(lines[1][i], sizeof(spCellText), "%s", lower != NULL ? lower + 1 : head);
        two = two || lower != NULL;
    }
    heads[0] = 0;
    if (two)
    {
        spFormatLine(heads, size - 1, cells, cellCount, lines[0]);
        strcat(heads, "\n");
    }
    size_t at = strlen(heads);
    spFormatLine(heads + at, size - at, cells, cellCount, lines[1]);
}

static void spPrintRow(spTable* table, const spCell* cells, int cellCount, spCellText* texts)
{
    char heads[sizeof(table->head)], line[512];
    spFormatHeads(heads, sizeof(heads), cells, cellCount);
    spFormatLine(line, sizeof(line), cells, cellCount, texts);
    if (strcmp(heads, table->head) != 0)
    {
        puts(heads);
        memcpy(table->head, heads, sizeof(heads));
    }
    puts(line);
    fflush(stdout);
}

static void spDraftCells(spDraft* draft, const spCell* cells, int cellCount, spCellText* texts)
{
    spCellText heads[SP_MAX_CELLS];
    const char *columns[SP_MAX_CELLS], *row[SP_MAX_CELLS];
    int count = 0;
    for (int i = 0; i < cellCount; ++i)
    {
        if (cells[i].head != NULL)
        {
            snprintf(heads[i], sizeof(spCellText), "%s", cells[i].head);
            heads[i][strcspn(heads[i], "\n")] = strchr(heads[i], '\n') != NULL ? ' ' : 0;
            columns[count] = heads[i];
            row[count++] = texts[i];
        }
    }
    spDraftTable(draft, columns, count);
    spDraftRow(draft, row);
}

json_t* spTellRow(spTable* table, const spCell* cells, int cellCount)
{
    spCellText texts[SP_MAX_CELLS];
    json_t* json = json_object();
    for (int i = 0; i < cellCount; ++i)
    {
        spFormatCell(cells + i, texts[i]);
        if (cells[i].key != NULL)
        {
            json_object_set_new(json, cells[i].key, spMakeCellJson(cells + i));
        }
    }
    if (table->print)
    {
        spPrintRow(table, cells, cellCount, texts);
    }
    spDraftCells(table->draft, cells, cellCount, texts);
    return json;
}

void spFormatHash(spHashText text, uint64_t hash)
{
    snprintf(text, sizeof(spHashText), "%016llx", (unsigned long long)hash);
}
