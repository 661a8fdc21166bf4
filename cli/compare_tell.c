// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What `souple compare` found: as a table, as JSON, as CSV, as a plot.

#include "compare.h"

#include "commands.h"
#include "machine.h"
#include "options.h"
#include "souple/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Errors above this are of runs that blew up: they would press all others together in a plot
#define SP_PLOT_WORST 10.0

static double spGetCost(const spEntry* entry)
{
    return 1e3 * entry->processorSeconds / fmax(entry->simulatedSeconds, 1e-12);
}

// Whether an error is large enough to be told from what the reference itself is uncertain about
static bool spIsCertain(const spComparison* comparison, const spEntry* entry)
{
    return !(entry->difference.error < 10.0 * comparison->reference.change);
}

static void spFormatEntryStatus(const spComparison* comparison, const spEntry* entry, char* buffer,
                                size_t size)
{
    spFormatFlags(entry->flags, buffer, size);
    size_t at = strlen(buffer);
    if (entry->stopped)
    {
        snprintf(buffer + at, size - at, " at %.3g s", entry->stopTime);
    }
    else if (comparison->settle && entry->settled == false)
    {
        snprintf(buffer + at, size - at, ", still moving");
    }
}

// ---------------------------------------------------------------------------------------------------------
// Table

// What is compared with what, in sentences, a line each
static void spFormatIntroduction(const spComparison* comparison, char* buffer, size_t size)
{
    const spReference* reference = &comparison->reference;
    char about[160], how[SP_METHOD_SIZE + 80], change[160];
    snprintf(about, sizeof(about), "compared where they come to rest, after %.4g s at most",
             comparison->duration);
    if (comparison->settle == false)
    {
        snprintf(about, sizeof(about), "compared at %d times in %.4g s", comparison->frameCount - 1,
                 comparison->duration);
    }
    snprintf(how, sizeof(how), "static equilibrium by relaxation, %.2g of the load left",
             reference->residual);
    if (reference->relaxed == false)
    {
        snprintf(how, sizeof(how), "%s, steps of %.4g ms", reference->entry.method,
                 1e3 * reference->entry.dt);
    }
    snprintf(change, sizeof(change), "how far it has converged was not looked at");
    if (isnan(reference->change) == 0)
    {
        snprintf(change, sizeof(change), "the last %s changed it by %.2g",
                 reference->relaxed ? "tenth of the residual" : "halving", reference->change);
    }
    snprintf(buffer, size,
             "%s: %d %s, %d nodes, %s.\n"
             "Reference: %s; %s.\n"
             "%s"
             "Errors are over the largest displacement in the reference, %.4g m.",
             spScene_GetName(comparison->scene), comparison->bodyCount,
             comparison->bodyCount == 1 ? "body" : "bodies", comparison->entries[0].track.nodeCount, about,
             how, change,
             isnan(reference->change) || reference->converged
                 ? ""
                 : "That is more than a tenth of the smallest error, and further ones do not help: errors "
                   "with ~ mean little.\n",
             reference->size);
}

// "1.23e-04", with a mark when it means little, or "-"
static void spFormatError(const spComparison* comparison, const spEntry* entry, double value, char* buffer,
                          size_t size)
{
    if (isnan(value))
    {
        snprintf(buffer, size, "-");
        return;
    }
    snprintf(buffer, size, "%s%.2e", spIsCertain(comparison, entry) ? "" : "~", value);
}

// The columns of the table: name, unit, characters on the screen. The first is as wide as it must be.
#define SP_COLUMN_COUNT 11
static const struct
{
    const char* name;
    const char* unit;
    int width;
} s_columns[SP_COLUMN_COUNT] = {
    {"method", "", 0},         {"step", "ms", 8},      {"steps", "", 8},    {"forces", "per step", 8},
    {"solver", "per step", 8}, {"cost/step", "ms", 9}, {"cost", "ms/s", 9}, {"error", "rms", 10},
    {"largest", "", 10},       {"energy", "drift", 9}, {"status", "", 0},
};

typedef struct spCells
{
    char texts[SP_COLUMN_COUNT][SP_METHOD_SIZE];
} spCells;

static void spFormatEntry(const spComparison* comparison, const spEntry* entry, spCells* cells)
{
    double steps = fmax((double)entry->steps, 1.0);
    const double numbers[] = {1e3 * entry->dt,
                              (double)entry->steps,
                              (double)entry->forceEvaluations / steps,
                              (double)entry->solverIterations / steps,
                              1e3 * entry->medianStep,
                              spGetCost(entry)};
    const size_t size = sizeof(cells->texts[0]);
    snprintf(cells->texts[0], size, "%s", entry->method);
    for (int i = 0; i < 6; ++i)
    {
        snprintf(cells->texts[1 + i], size, i == 1 ? "%.0f" : "%.4g", numbers[i]);
    }
    spFormatError(comparison, entry, entry->difference.error, cells->texts[7], size);
    spFormatError(comparison, entry, entry->difference.largest, cells->texts[8], size);
    snprintf(cells->texts[9], size, isfinite(entry->difference.drift) ? "%+.1e" : "-",
             entry->difference.drift);
    spFormatEntryStatus(comparison, entry, cells->texts[10], size);
}

static void spTellCells(const char* const* cells, int width)
{
    printf("%-*s", width, cells[0]);
    for (int i = 1; i + 1 < SP_COLUMN_COUNT; ++i)
    {
        printf(" %*s", s_columns[i].width, cells[i]);
    }
    const char* last = cells[SP_COLUMN_COUNT - 1];
    printf("%s%s\n", last[0] != 0 ? "  " : "", last);
}

static void spTellEntry(const spComparison* comparison, const spEntry* entry, int width)
{
    spCells cells;
    const char* texts[SP_COLUMN_COUNT];
    spFormatEntry(comparison, entry, &cells);
    for (int i = 0; i < SP_COLUMN_COUNT; ++i)
    {
        texts[i] = cells.texts[i];
    }
    spTellCells(texts, width);
}

// Errors of single bodies, where there are several
static void spTellBodies(const spComparison* comparison, int width)
{
    printf("\nerrors of bodies, each over its own largest displacement:\n");
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        const spEntry* entry = &comparison->entries[i];
        printf("%-*s %8.4g", width, entry->method, 1e3 * entry->dt);
        for (int body = 0; body < entry->track.bodyCount && entry->difference.bodyError != NULL; ++body)
        {
            char text[32];
            spFormatError(comparison, entry, entry->difference.bodyError[body], text, sizeof(text));
            printf("  %s %s", comparison->bodyNames[body], text);
        }
        printf("\n");
    }
}

void spTellComparison(const spComparison* comparison)
{
    int width = 6;
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        int length = (int)strlen(comparison->entries[i].method);
        width = length > width ? length : width;
    }
    char introduction[2048];
    spFormatIntroduction(comparison, introduction, sizeof(introduction));
    printf("%s\n\n", introduction);
    const char *names[SP_COLUMN_COUNT], *units[SP_COLUMN_COUNT];
    for (int i = 0; i < SP_COLUMN_COUNT; ++i)
    {
        names[i] = s_columns[i].name;
        units[i] = s_columns[i].unit;
    }
    spTellCells(names, width);
    spTellCells(units, width);
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        spTellEntry(comparison, &comparison->entries[i], width);
    }
    if (comparison->bodyCount > 1)
    {
        spTellBodies(comparison, width);
    }
}

// ---------------------------------------------------------------------------------------------------------
// JSON

static json_t* spMakeEntryJson(const spComparison* comparison, const spEntry* entry)
{
    char flags[200];
    spFormatFlags(entry->flags, flags, sizeof(flags));
    json_t* bodies = json_array();
    for (int body = 0; body < entry->track.bodyCount && entry->difference.bodyError != NULL; ++body)
    {
        json_t* item = json_object();
        json_object_set_new(item, "name", json_string(comparison->bodyNames[body]));
        json_object_set_new(item, "error", spMakeJsonNumber(entry->difference.bodyError[body]));
        json_array_append_new(bodies, item);
    }
    json_t* json = json_object();
    json_object_set_new(json, "method", json_string(entry->method));
    json_object_set_new(json, "dt", spMakeJsonNumber(entry->dt));
    json_object_set_new(json, "steps", json_integer(entry->steps));
    json_object_set_new(json, "simulatedSeconds", spMakeJsonNumber(entry->simulatedSeconds));
    json_object_set_new(json, "msPerStep", spMakeJsonNumber(1e3 * entry->medianStep));
    json_object_set_new(json, "msPerSecond", spMakeJsonNumber(spGetCost(entry)));
    json_object_set_new(json, "forceEvaluations", json_integer(entry->forceEvaluations));
    json_object_set_new(json, "solverIterations", json_integer(entry->solverIterations));
    json_object_set_new(json, "solverResidual", spMakeJsonNumber(entry->solverResidual));
    json_object_set_new(json, "error", spMakeJsonNumber(entry->difference.error));
    json_object_set_new(json, "largest", spMakeJsonNumber(entry->difference.largest));
    json_object_set_new(json, "energyDrift", spMakeJsonNumber(entry->difference.drift));
    json_object_set_new(json, "certain", json_boolean(spIsCertain(comparison, entry)));
    json_object_set_new(json, "status", json_string(flags));
    json_object_set_new(json, "stopTime", entry->stopped ? json_real(entry->stopTime) : json_null());
    if (comparison->settle)
    {
        json_object_set_new(json, "settled", json_boolean(entry->settled));
    }
    json_object_set_new(json, "bodies", bodies);
    return json;
}

json_t* spMakeComparisonJson(const spComparison* comparison)
{
    const spReference* reference = &comparison->reference;
    json_t* ours = json_object();
    json_object_set_new(ours, "method", json_string(reference->entry.method));
    json_object_set_new(ours, "dt", reference->relaxed ? json_null() : spMakeJsonNumber(reference->entry.dt));
    json_object_set_new(ours, "change", spMakeJsonNumber(reference->change));
    json_object_set_new(ours, "converged", json_boolean(reference->converged));
    json_object_set_new(ours, "size", spMakeJsonNumber(reference->size));
    json_t* runs = json_array();
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        json_array_append_new(runs, spMakeEntryJson(comparison, &comparison->entries[i]));
    }
    json_t* json = json_object();
    json_object_set_new(json, "machine", spMakeMachineJson());
    json_object_set_new(json, "commit", json_string(spGetCommit()));
    json_object_set_new(json, "scene", json_string(spScene_GetName(comparison->scene)));
    json_object_set_new(json, "file", json_string(comparison->path));
    json_object_set_new(json, "duration", spMakeJsonNumber(comparison->duration));
    json_object_set_new(json, "times", json_integer(comparison->settle ? 1 : comparison->frameCount - 1));
    json_object_set_new(json, "settle", json_boolean(comparison->settle));
    json_object_set_new(json, "threads", json_integer(comparison->threads));
    json_object_set_new(json, "nodes", json_integer(comparison->entries[0].track.nodeCount));
    json_object_set_new(json, "reference", ours);
    json_object_set_new(json, "runs", runs);
    return json;
}

// ---------------------------------------------------------------------------------------------------------
// Files

// A number with a point whatever the locale says; nothing when it is not finite
static void spWriteNumber(FILE* file, double value)
{
    char text[SP_NUMBER_SIZE] = "";
    if (isfinite(value))
    {
        spFormatDigits(text, value, 9);
    }
    fprintf(file, ",%s", text);
}

int spWriteComparison(const spComparison* comparison, const char* path)
{
    spError error = SP_ZERO_INIT;
    spWholeFile whole;
    if (spOpenWholeFile(&whole, path, &error) == false)
    {
        return spFailUsage("%s", error.message);
    }
    FILE* file = whole.stream;
    fprintf(file, "method,step [s],steps,force evaluations,solver iterations,solver residual,"
                  "processor time per step [ms],processor time per simulated second [ms/s],error,largest,"
                  "energy drift,status\n");
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        const spEntry* entry = &comparison->entries[i];
        char status[200];
        spFormatEntryStatus(comparison, entry, status, sizeof(status));
        fprintf(file, "%s", entry->method);
        spWriteNumber(file, entry->dt);
        fprintf(file, ",%lld,%lld,%lld", (long long)entry->steps, (long long)entry->forceEvaluations,
                (long long)entry->solverIterations);
        const double numbers[] = {entry->solverResidual,     1e3 * entry->medianStep,
                                  spGetCost(entry),          entry->difference.error,
                                  entry->difference.largest, entry->difference.drift};
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); ++k)
        {
            spWriteNumber(file, numbers[k]);
        }
        fprintf(file, ",\"%s\"\n", status);
    }
    return spCloseWholeFile(&whole, true, &error) ? SP_EXIT_FINE : spFailUsage("%s", error.message);
}

static int spCompareCosts(const void* a, const void* b)
{
    double x = spGetCost(*(const spEntry*const*)a), y = spGetCost(*(const spEntry*const*)b);
    return (x > y) - (x < y);
}

// A plot and what it is made of
typedef struct spCostPlot
{
    spPlotDef plot;
    double x[SP_MAX_ENTRIES], y[SP_MAX_ENTRIES];
    spPlotSeries series[SP_MAX_ENTRIES];
    char title[160];
} spCostPlot;

static void spMakeCostPlot(const spComparison* comparison, spCostPlot* result)
{
    // The runs of one method are one line, from cheap to expensive
    double *x = result->x, *y = result->y;
    spPlotSeries* series = result->series;
    bool taken[SP_MAX_ENTRIES] = {false};
    int seriesCount = 0, count = 0;
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        if (taken[i])
        {
            continue;
        }
        const spEntry* same[SP_MAX_ENTRIES];
        int sameCount = 0;
        for (int k = i; k < comparison->entryCount; ++k)
        {
            const spEntry* entry = &comparison->entries[k];
            if (strcmp(entry->method, comparison->entries[i].method) == 0)
            {
                taken[k] = true;
                same[sameCount] = entry;
                sameCount += entry->difference.error <= SP_PLOT_WORST ? 1 : 0;
            }
        }
        qsort(same, (size_t)sameCount, sizeof(same[0]), spCompareCosts);
        series[seriesCount++] =
            (spPlotSeries){comparison->entries[i].method, x + count, y + count, sameCount, sp_plotMarked};
        for (int k = 0; k < sameCount; ++k, ++count)
        {
            x[count] = spGetCost(same[k]);
            y[count] = same[k]->difference.error;
        }
    }
    snprintf(result->title, sizeof(result->title), "%.80s: error against cost",
             spScene_GetName(comparison->scene));
    spPlotDef plot = spDefaultPlotDef();
    plot.title = result->title;
    plot.xLabel = "processor time [ms per simulated second]";
    plot.yLabel = comparison->settle ? "error of the shape at rest" : "error (rms over nodes and times)";
    plot.series = series;
    plot.seriesCount = seriesCount;
    plot.xLog = true;
    plot.yLog = true;
    plot.width = 900;
    plot.height = 540;
    result->plot = plot;
}

int spPlotComparison(const spComparison* comparison, const char* path)
{
    spCostPlot plot;
    spMakeCostPlot(comparison, &plot);
    spError error = SP_ZERO_INIT;
    if (spSavePlot(&plot.plot, path, &error) == false)
    {
        return spFailUsage("%s", error.message);
    }
    if (comparison->quiet == false && comparison->json == false)
    {
        printf("\nPlot: %s\n", path);
    }
    return SP_EXIT_FINE;
}

// Errors of single bodies, where there are several
static void spDraftBodies(const spComparison* comparison, spDraft* draft)
{
    const char** cells = calloc((size_t)comparison->bodyCount + 2, sizeof(char*));
    char(*texts)[32] = calloc((size_t)comparison->bodyCount + 2, sizeof(texts[0]));
    if (cells != NULL && texts != NULL)
    {
        cells[0] = "method";
        cells[1] = "step [ms]";
        for (int body = 0; body < comparison->bodyCount; ++body)
        {
            cells[2 + body] = comparison->bodyNames[body];
        }
        spDraftPart(draft, "Errors of bodies");
        spDraftText(draft, "Each over its own largest displacement.");
        spDraftTable(draft, cells, comparison->bodyCount + 2);
    }
    for (int i = 0; cells != NULL && texts != NULL && i < comparison->entryCount; ++i)
    {
        const spEntry* entry = &comparison->entries[i];
        snprintf(texts[1], sizeof(texts[1]), "%.4g", 1e3 * entry->dt);
        for (int body = 0; body < comparison->bodyCount; ++body)
        {
            bool known = entry->difference.bodyError != NULL && body < entry->track.bodyCount;
            spFormatError(comparison, entry, known ? entry->difference.bodyError[body] : (double)NAN,
                          texts[2 + body], sizeof(texts[0]));
        }
        for (int k = 0; k < comparison->bodyCount + 2; ++k)
        {
            cells[k] = k == 0 ? entry->method : texts[k];
        }
        spDraftRow(draft, cells);
    }
    free(cells);
    free(texts);
}

void spDraftComparison(const spComparison* comparison, spDraft* draft)
{
    char introduction[2048], heads[SP_COLUMN_COUNT][40];
    const char* cells[SP_COLUMN_COUNT];
    spFormatIntroduction(comparison, introduction, sizeof(introduction));
    for (int i = 0; i < SP_COLUMN_COUNT; ++i)
    {
        bool unit = s_columns[i].unit[0] != 0;
        snprintf(heads[i], sizeof(heads[i]), "%s%s%s%s", s_columns[i].name, unit ? " [" : "",
                 s_columns[i].unit, unit ? "]" : "");
        cells[i] = heads[i];
    }
    spCostPlot plot;
    spMakeCostPlot(comparison, &plot);
    spDraftPart(draft, "Error against cost");
    spDraftText(draft, "%s", introduction);
    spDraftTable(draft, cells, SP_COLUMN_COUNT);
    spDraftPlot(draft, &plot.plot);
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        spCells texts;
        spFormatEntry(comparison, &comparison->entries[i], &texts);
        for (int k = 0; k < SP_COLUMN_COUNT; ++k)
        {
            cells[k] = texts.texts[k];
        }
        spDraftRow(draft, cells);
    }
    if (comparison->bodyCount > 1)
    {
        spDraftBodies(comparison, draft);
    }
}
