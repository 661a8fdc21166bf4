// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "report_tools.h"

#include "commands.h"
#include "machine.h"
#include "options.h"
#include "souple/scene.h"
#include "souple/view.h"
#include "tools.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// One part. Texts are the draft's.
typedef struct spDraftedPart
{
    char* heading;
    char* text;
    spReportTable table; // its cells grow
    const char** cells;
    int cellCapacity;
    spPlotDef* plot;
} spDraftedPart;

struct spDraft
{
    spDraftedPart* parts;
    int partCount, partCapacity;
    void** blocks; // all memory but that of arrays that grow
    int blockCount, blockCapacity;
    bool failed; // memory ran out
};

// ---------------------------------------------------------------------------------------------------------
// Memory

// Room for one more in an array that grows. Returns false, with the draft marked, without memory.
static bool spGrow(spDraft* draft, void** array, int count, int* capacity, size_t size)
{
    if (count < *capacity)
    {
        return true;
    }
    int grown = *capacity > 0 ? 2 * *capacity : 16;
    void* data = realloc(*array, (size_t)grown * size);
    draft->failed |= data == NULL;
    if (data == NULL)
    {
        return false;
    }
    *array = data;
    *capacity = grown;
    return true;
}

// Memory that lives as long as the draft; NULL without memory
static void* spKeep(spDraft* draft, size_t size)
{
    void* block = NULL;
    if (spGrow(draft, (void**)&draft->blocks, draft->blockCount, &draft->blockCapacity, sizeof(void*)))
    {
        block = calloc(1, size > 0 ? size : 1);
        draft->failed |= block == NULL;
        draft->blocks[draft->blockCount] = block;
        draft->blockCount += block != NULL ? 1 : 0;
    }
    return block;
}

static char* spKeepText(spDraft* draft, const char* text)
{
    char* copy = text != NULL ? spKeep(draft, strlen(text) + 1) : NULL;
    return copy != NULL ? strcpy(copy, text) : NULL;
}

static double* spKeepNumbers(spDraft* draft, const double* values, int count)
{
    double* copy = spKeep(draft, (size_t)count * sizeof(double));
    return copy != NULL ? memcpy(copy, values, (size_t)count * sizeof(double)) : NULL;
}

spDraft* spMakeDraft(void)
{
    spDraft* draft = calloc(1, sizeof(spDraft));
    if (draft == NULL)
    {
        spFailUsage("no memory for a report");
    }
    return draft;
}

void spDestroyDraft(spDraft* draft)
{
    if (draft == NULL)
    {
        return;
    }
    for (int i = 0; i < draft->partCount; ++i)
    {
        free(draft->parts[i].cells);
    }
    for (int i = 0; i < draft->blockCount; ++i)
    {
        free(draft->blocks[i]);
    }
    free(draft->parts);
    free(draft->blocks);
    free(draft);
}

// ---------------------------------------------------------------------------------------------------------
// Telling

void spDraftPart(spDraft* draft, const char* heading)
{
    if (draft != NULL &&
        spGrow(draft, (void**)&draft->parts, draft->partCount, &draft->partCapacity, sizeof(spDraftedPart)))
    {
        draft->parts[draft->partCount++] = (spDraftedPart){.heading = spKeepText(draft, heading)};
    }
}

// The parts from `first` on but `last`, in the other order
static void spTurnRound(spDraft* draft, int first, int last)
{
    for (--last; first < last; ++first, --last)
    {
        spDraftedPart part = draft->parts[first];
        draft->parts[first] = draft->parts[last];
        draft->parts[last] = part;
    }
}

void spDraftToFront(spDraft* draft, int count)
{
    if (draft != NULL && count <= draft->partCount)
    {
        spTurnRound(draft, 0, draft->partCount - count);
        spTurnRound(draft, draft->partCount - count, draft->partCount);
        spTurnRound(draft, 0, draft->partCount);
    }
}

// The last part; NULL when there is none
static spDraftedPart* spGetPart(spDraft* draft)
{
    return draft != NULL && draft->partCount > 0 ? draft->parts + draft->partCount - 1 : NULL;
}

void spDraftText(spDraft* draft, const char* format, ...)
{
    spDraftedPart* part = spGetPart(draft);
    if (part == NULL)
    {
        return;
    }
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    size_t before = part->text != NULL ? strlen(part->text) : 0;
    char* text = spKeep(draft, before + strlen(line) + 3);
    if (text != NULL)
    {
        snprintf(text, before + strlen(line) + 3, "%s%s%s", before > 0 ? part->text : "",
                 before > 0 ? "\n\n" : "", line);
        part->text = text;
    }
}

void spDraftTable(spDraft* draft, const char* const* columns, int columnCount)
{
    spDraftedPart* part = spGetPart(draft);
    const char** copies = part != NULL && part->table.columns == NULL
                              ? spKeep(draft, (size_t)columnCount * sizeof(char*))
                              : NULL;
    if (copies != NULL)
    {
        for (int i = 0; i < columnCount; ++i)
        {
            copies[i] = spKeepText(draft, columns[i]);
        }
        part->table.columns = copies;
        part->table.columnCount = columnCount;
    }
}

void spDraftRow(spDraft* draft, const char* const* cells)
{
    spDraftedPart* part = spGetPart(draft);
    for (int i = 0; part != NULL && i < part->table.columnCount; ++i)
    {
        int count = part->table.rowCount * part->table.columnCount + i;
        if (spGrow(draft, (void**)&part->cells, count, &part->cellCapacity, sizeof(char*)) == false)
        {
            return;
        }
        part->cells[count] = spKeepText(draft, cells[i]);
    }
    if (part != NULL && part->table.columnCount > 0)
    {
        part->table.rowCount += 1;
        part->table.cells = part->cells;
    }
}

static spPlotDef* spKeepPlot(spDraft* draft, const spPlotDef* plot)
{
    spPlotDef* copy = spKeep(draft, sizeof(spPlotDef));
    spPlotSeries* series = spKeep(draft, (size_t)plot->seriesCount * sizeof(spPlotSeries));
    if (copy == NULL || series == NULL)
    {
        return NULL;
    }
    *copy = *plot;
    copy->title = spKeepText(draft, plot->title);
    copy->xLabel = spKeepText(draft, plot->xLabel);
    copy->yLabel = spKeepText(draft, plot->yLabel);
    copy->series = series;
    for (int i = 0; i < plot->seriesCount; ++i)
    {
        const spPlotSeries* from = plot->series + i;
        series[i] = (spPlotSeries){spKeepText(draft, from->name), spKeepNumbers(draft, from->x, from->count),
                                   spKeepNumbers(draft, from->y, from->count), from->count, from->style};
    }
    return copy;
}

spPlotDef spMakePlot(const char* title, const char* xLabel, const char* yLabel, const spPlotSeries* series,
                     int seriesCount)
{
    spPlotDef plot = spDefaultPlotDef();
    plot.title = title;
    plot.xLabel = xLabel;
    plot.yLabel = yLabel;
    plot.series = series;
    plot.seriesCount = seriesCount;
    return plot;
}

void spDraftPlot(spDraft* draft, const spPlotDef* plot)
{
    if (draft == NULL)
    {
        return;
    }
    if (draft->partCount == 0 || spGetPart(draft)->plot != NULL)
    {
        spDraftPart(draft, plot->title != NULL ? plot->title : "Plot");
    }
    spDraftedPart* part = spGetPart(draft);
    if (part != NULL)
    {
        part->plot = spKeepPlot(draft, plot);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Recordings

static void spDraftMeasurements(spDraft* draft, const spRecording* recording)
{
    static const char* const columns[] = {"measurement", "unit", "first", "least", "largest", "last"};
    int rowCount = spRecording_GetRowCount(recording);
    int count = spRecording_GetMeasurementCount(recording);
    if (count == 0 || rowCount == 0)
    {
        return;
    }
    spDraftPart(draft, "Measurements");
    spDraftTable(draft, columns, 6);
    for (int i = 0; i < count; ++i)
    {
        // First, least, largest, last
        double values[4] = {spRecording_GetMeasurement(recording, 0, i), (double)NAN, (double)NAN,
                            spRecording_GetMeasurement(recording, rowCount - 1, i)};
        for (int row = 0; row < rowCount; ++row)
        {
            double value = spRecording_GetMeasurement(recording, row, i);
            values[1] = fmin(values[1], value);
            values[2] = fmax(values[2], value);
        }
        char texts[4][32];
        const char* cells[6] = {spRecording_GetMeasurementName(recording, i),
                                spRecording_GetMeasurementUnit(recording, i)};
        for (int k = 0; k < 4; ++k)
        {
            snprintf(texts[k], sizeof(texts[k]), isfinite(values[k]) ? "%.5g" : "-", values[k]);
            cells[2 + k] = texts[k];
        }
        spDraftRow(draft, cells);
    }
}

static void spDraftNumber(spDraft* draft, const char* what, const char* unit, double value)
{
    char text[64];
    snprintf(text, sizeof(text), "%.5g%s%s", value, unit[0] != 0 ? " " : "", unit);
    const char* cells[2] = {what, text};
    spDraftRow(draft, cells);
}

// Steps that a recording has rows of; the first row may be of the start
static void spDraftSteps(spDraft* draft, const spRecording* recording)
{
    static const char* const columns[] = {"quantity", "value"};
    int rowCount = spRecording_GetRowCount(recording), count = 0;
    double* times = calloc((size_t)rowCount + 1, sizeof(double));
    double wall = 0.0, simulated = 0.0;
    int64_t iterations = 0, mostContacts = -1, flagCounts[SP_FLAG_WORD_COUNT] = {0};
    double worst = -1.0;
    for (int i = 0; times != NULL && i < rowCount; ++i)
    {
        spRecordRow row = spRecording_GetRow(recording, i);
        if (row.stepCount == 0)
        {
            continue;
        }
        times[count++] = row.profile.step;
        wall += 1e-3 * row.profile.step;
        simulated += row.dtTaken;
        iterations += row.solverIterations > 0 ? row.solverIterations : 0;
        mostContacts = row.contactCount > mostContacts ? row.contactCount : mostContacts;
        worst = row.solverResidual > worst ? row.solverResidual : worst;
        for (int k = 0; k < SP_FLAG_WORD_COUNT; ++k)
        {
            flagCounts[k] += (row.flags & g_flagWords[k].flag) != 0;
        }
    }
    if (count > 0)
    {
        spSortNumbers(times, count);
        spDraftPart(draft, "Steps");
        spDraftTable(draft, columns, 2);
        spDraftNumber(draft, "steps", "", count);
        spDraftNumber(draft, "simulated", "s", simulated);
        spDraftNumber(draft, "wall clock of the steps", "s", wall);
        spDraftNumber(draft, "simulated seconds in a second of steps", "", simulated / fmax(wall, 1e-12));
        spDraftNumber(draft, "a step, median", "ms", times[(count - 1) / 2]);
        spDraftNumber(draft, "a step, 99 % stay within", "ms", times[(int)(0.99 * (count - 1))]);
        spDraftNumber(draft, "a step, longest", "ms", times[count - 1]);
        if (iterations > 0)
        {
            spDraftNumber(draft, "iterations of solvers in a step, mean", "", (double)iterations / count);
            spDraftNumber(draft, "largest residual that a solver left", "", worst);
        }
        if (mostContacts > 0)
        {
            spDraftNumber(draft, "nodes in contact, most", "", (double)mostContacts);
        }
        for (int k = 0; k < SP_FLAG_WORD_COUNT; ++k)
        {
            if (flagCounts[k] > 0)
            {
                spDraftText(draft, "Trouble in %lld of %d steps: %s.", (long long)flagCounts[k], count,
                            g_flagWords[k].meaning);
            }
        }
    }
    free(times);
}

void spDraftWarnings(spDraft* draft, const spWarningList* warnings)
{
    for (int i = 0; i < warnings->count; ++i)
    {
        const spSceneProblem* w = warnings->data + i;
        if (i == 0)
        {
            spDraftPart(draft, "Warnings");
        }
        spDraftText(draft, "%s%s%s", w->path, w->path[0] != 0 ? ": " : "", w->message);
    }
}

void spDraftRecording(spDraft* draft, const spRecording* recording)
{
    spDraftMeasurements(draft, recording);
    spDraftSteps(draft, recording);
}

// ---------------------------------------------------------------------------------------------------------
// Saving

#ifdef SOUPLE_VIEW

int spCheckReports(void)
{
    return spHasPage()
               ? SP_GO_ON
               : spFailUsage("this build has no page to make reports of: it needs Node.js and npm when "
                             "it is built; 'souple doctor' tells");
}

// The command as it was called. Folders that are nobody's business lose their names.
static void spFormatCommand(char* buffer, size_t size, int argc, char** argv)
{
    size_t at = (size_t)snprintf(buffer, size, "souple");
    for (int i = 0; i < argc && at < size; ++i)
    {
        const char* equals = argv[i][0] == '-' ? strchr(argv[i], '=') : NULL;
        const char* value = equals != NULL ? equals + 1 : argv[i];
        bool far = value[0] == '/' || value[0] == '~' || strncmp(value, "../", 3) == 0;
        const char* slash = far ? strrchr(value, '/') : NULL;
        bool quoted = strpbrk(argv[i], " \t\n") != NULL;
        at +=
            (size_t)snprintf(buffer + at, size - at, " %s%.*s%s%s", quoted ? "'" : "", (int)(value - argv[i]),
                             argv[i], slash != NULL ? slash + 1 : value, quoted ? "'" : "");
    }
}

#define SP_FACT_COUNT 16

// Names and values by turns
typedef struct spFacts
{
    const char* items[2 * SP_FACT_COUNT];
    char texts[SP_FACT_COUNT][1024];
    int count;
} spFacts;

static void spAddFact(spFacts* facts, const char* name, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

static void spAddFact(spFacts* facts, const char* name, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(facts->texts[facts->count], sizeof(facts->texts[0]), format, arguments);
    va_end(arguments);
    facts->items[2 * facts->count] = name;
    facts->items[2 * facts->count + 1] = facts->texts[facts->count];
    facts->count += 1;
}

// Now, or what SOURCE_DATE_EPOCH says: two reports of the same are then the same bytes
static time_t spGetReportTime(void)
{
    const char* text = getenv("SOURCE_DATE_EPOCH");
    char* end = NULL;
    long long seconds = text != NULL ? strtoll(text, &end, 10) : 0;
    bool given = text != NULL && end != text && *end == 0 && seconds >= 0;
    return given ? (time_t)seconds : time(NULL);
}

static void spGatherFacts(spFacts* facts, json_t* machine, const spReportPlan* plan)
{
    facts->count = 0;
    char command[1024], date[64] = "";
    spFormatCommand(command, sizeof(command), plan->argc, plan->argv);
    time_t now = spGetReportTime();
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL)
    {
        strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &utc);
    }
    spAddFact(facts, "command", "%s", command);
    spAddFact(facts, "date", "%s", date);
    spAddFact(facts, "commit", "%s", spGetCommit());
    const char* key;
    json_t* value;
    json_object_foreach(machine, key, value)
    {
        if (facts->count == SP_FACT_COUNT)
        {
            break;
        }
        if (json_is_string(value))
        {
            spAddFact(facts, key, "%s", json_string_value(value));
        }
        else
        {
            spAddFact(facts, key, "%lld", (long long)json_integer_value(value));
        }
    }
}

static int spSaveParts(const spDraft* draft, const spReportPlan* plan, spReportSection* sections)
{
    for (int i = 0; i < draft->partCount; ++i)
    {
        const spDraftedPart* part = draft->parts + i;
        sections[i] = (spReportSection){.heading = part->heading,
                                        .text = part->text,
                                        .table = part->table.columns != NULL ? &part->table : NULL,
                                        .plot = part->plot};
    }
    json_t* machine = spMakeMachineJson();
    spFacts facts;
    spGatherFacts(&facts, machine, plan);
    spReportDef def = spDefaultReportDef();
    def.title = plan->title;
    def.summary = plan->summary;
    def.recording = plan->recording;
    def.sections = sections;
    def.sectionCount = draft->partCount;
    def.facts = facts.items;
    def.factCount = facts.count;
    def.frameLimit = plan->frameLimit > 0 ? plan->frameLimit : def.frameLimit;
    def.storeTets = plan->storeTets;
    spError error = SP_ZERO_INIT;
    bool good = spSaveReport(&def, plan->path, &error);
    json_decref(machine);
    if (good == false)
    {
        return spFailFile(plan->path, &error);
    }
    if (plan->quiet == false)
    {
        printf("Report: %s\n", plan->path);
    }
    return SP_EXIT_FINE;
}

int spSaveDraft(const spDraft* draft, const spReportPlan* plan)
{
    spReportSection* sections = calloc((size_t)draft->partCount + 1, sizeof(spReportSection));
    int code = sections != NULL && draft->failed == false ? spSaveParts(draft, plan, sections)
                                                          : spFailUsage("no memory for a report");
    free(sections);
    return code;
}

#else

int spCheckReports(void)
{
    return spFailUsage("this build makes no reports: it was configured with SOUPLE_VIEW=OFF");
}

int spSaveDraft(const spDraft* draft, const spReportPlan* plan)
{
    (void)draft;
    (void)plan;
    return spCheckReports();
}

#endif
