// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What `souple compare` found: as a table, as JSON, as CSV, as a plot.

#include "compare.h"

#include "commands.h"
#include "machine.h"
#include "options.h"
#include "souple/file.h"
#include "table.h"

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

// One run, on the screen and in the report; the method has a column as wide as given. Returns its JSON.
static json_t* spTellEntry(const spComparison* comparison, const spEntry* entry, spTable* table, int width)
{
    double steps = fmax((double)entry->steps, 1.0);
    const spDifference* difference = &entry->difference;
    char status[200], flags[200], error[32], largest[32];
    spFormatEntryStatus(comparison, entry, status, sizeof(status));
    spFormatFlags(entry->flags, flags, sizeof(flags));
    spFormatError(comparison, entry, difference->error, error, sizeof(error));
    spFormatError(comparison, entry, difference->largest, largest, sizeof(largest));
    const spCell cells[] = {
        SP_TEXT_CELL("method", "method\n", -width, entry->method),
        SP_NUMBER_CELL("dt", NULL, 0, "", entry->dt),
        SP_NUMBER_CELL(NULL, "step\n[ms]", 8, "%.4g", 1e3 * entry->dt),
        SP_WHOLE_CELL("steps", "steps\n", 8, (double)entry->steps),
        SP_NUMBER_CELL("simulatedSeconds", NULL, 0, "", entry->simulatedSeconds),
        SP_NUMBER_CELL(NULL, "forces\nper step", 8, "%.4g", (double)entry->forceEvaluations / steps),
        SP_NUMBER_CELL(NULL, "solver\nper step", 8, "%.4g", (double)entry->solverIterations / steps),
        SP_WHOLE_CELL("forceEvaluations", NULL, 0, (double)entry->forceEvaluations),
        SP_WHOLE_CELL("solverIterations", NULL, 0, (double)entry->solverIterations),
        SP_NUMBER_CELL("solverResidual", NULL, 0, "", entry->solverResidual),
        SP_NUMBER_CELL("msPerStep", "cost/step\n[ms]", 9, "%.4g", 1e3 * entry->medianStep),
        SP_NUMBER_CELL("msPerSecond", "cost\n[ms/s]", 9, "%.4g", spGetCost(entry)),
        SP_NUMBER_CELL("error", NULL, 0, "", difference->error),
        SP_NUMBER_CELL("largest", NULL, 0, "", difference->largest),
        SP_TEXT_CELL(NULL, "error\nrms", 10, error),
        SP_TEXT_CELL(NULL, "largest\n", 10, largest),
        SP_NUMBER_CELL("energyDrift", "energy\ndrift", 9, "%+.1e", difference->drift),
        SP_TEXT_CELL(NULL, "status\n", 0, status),
        SP_TEXT_CELL("status", NULL, 0, flags),
    };
    return spTellRow(table, cells, SP_CELL_COUNT(cells));
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
    spTable table = {.print = true};
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        json_decref(spTellEntry(comparison, &comparison->entries[i], &table, width));
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
    json_t* bodies = json_array();
    for (int body = 0; body < entry->track.bodyCount && entry->difference.bodyError != NULL; ++body)
    {
        json_t* item = json_object();
        json_object_set_new(item, "name", json_string(comparison->bodyNames[body]));
        json_object_set_new(item, "error", spMakeJsonNumber(entry->difference.bodyError[body]));
        json_array_append_new(bodies, item);
    }
    spTable none = {0};
    json_t* json = spTellEntry(comparison, entry, &none, 0);
    json_object_set_new(json, "certain", json_boolean(spIsCertain(comparison, entry)));
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
    json_t* json = spMakeMeasuredJson();
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
    char text[40] = "";
    if (isfinite(value))
    {
        snprintf(text, sizeof(text), "%.9g", value);
    }
    for (char* c = text; *c != 0; ++c)
    {
        *c = *c == ',' ? '.' : *c;
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
    spPlotDef plot =
        spMakePlot(result->title, "processor time [ms per simulated second]",
                   comparison->settle ? "error of the shape at rest" : "error (rms over nodes and times)",
                   series, seriesCount);
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
    char introduction[2048];
    spTable table = {.draft = draft};
    spFormatIntroduction(comparison, introduction, sizeof(introduction));
    spCostPlot plot;
    spMakeCostPlot(comparison, &plot);
    spDraftPart(draft, "Error against cost");
    spDraftText(draft, "%s", introduction);
    spDraftPlot(draft, &plot.plot);
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        json_decref(spTellEntry(comparison, &comparison->entries[i], &table, 0));
    }
    if (comparison->bodyCount > 1)
    {
        spDraftBodies(comparison, draft);
    }
}
