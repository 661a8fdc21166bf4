// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What `souple compare` found: as a table, as JSON, as CSV, as a plot.

#include "compare.h"

#include "commands.h"
#include "machine.h"
#include "options.h"

#include <errno.h>
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

static void spTellReference(const spComparison* comparison)
{
    const spReference* reference = &comparison->reference;
    if (reference->relaxed)
    {
        printf("Reference: static equilibrium by relaxation, %.2g of the load left", reference->residual);
    }
    else
    {
        printf("Reference: %s, steps of %.4g ms", reference->entry.method, 1e3 * reference->entry.dt);
    }
    if (isnan(reference->change))
    {
        printf("; how far it has converged was not looked at.\n");
        return;
    }
    printf("; the last %s changed it by %.2g.\n", reference->relaxed ? "tenth of the residual" : "halving",
           reference->change);
    if (reference->converged == false)
    {
        printf("That is more than a tenth of the smallest error, and further ones do not help: errors with ~ "
               "mean "
               "little.\n");
    }
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

static void spTellEntry(const spComparison* comparison, const spEntry* entry, int width)
{
    char status[200], error[32], largest[32], drift[32] = "-";
    double steps = fmax((double)entry->steps, 1.0);
    spFormatEntryStatus(comparison, entry, status, sizeof(status));
    spFormatError(comparison, entry, entry->difference.error, error, sizeof(error));
    spFormatError(comparison, entry, entry->difference.largest, largest, sizeof(largest));
    if (isfinite(entry->difference.drift))
    {
        snprintf(drift, sizeof(drift), "%+.1e", entry->difference.drift);
    }
    printf("%-*s %8.4g %8lld %8.4g %8.4g %9.4g %9.4g %10s %10s %9s  %s\n", width, entry->method,
           1e3 * entry->dt, (long long)entry->steps, (double)entry->forceEvaluations / steps,
           (double)entry->solverIterations / steps, 1e3 * entry->medianStep, spGetCost(entry), error, largest,
           drift, status);
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
    printf("%s: %d %s, %d nodes, ", spScene_GetName(comparison->scene), comparison->bodyCount,
           comparison->bodyCount == 1 ? "body" : "bodies", comparison->entries[0].track.nodeCount);
    if (comparison->settle)
    {
        printf("compared where they come to rest, after %.4g s at most.\n", comparison->duration);
    }
    else
    {
        printf("compared at %d times in %.4g s.\n", comparison->frameCount - 1, comparison->duration);
    }
    spTellReference(comparison);
    printf("Errors are over the largest displacement in the reference, %.4g m.\n\n",
           comparison->reference.size);
    printf("%-*s %8s %8s %8s %8s %9s %9s %10s %10s %9s  %s\n", width, "method", "step", "steps", "forces",
           "solver", "cost/step", "cost", "error", "largest", "energy", "status");
    printf("%-*s %8s %8s %8s %8s %9s %9s %10s %10s %9s\n", width, "", "ms", "", "per step", "per step", "ms",
           "ms/s", "rms", "", "drift");
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
    FILE* file = fopen(path, "w");
    if (file == NULL)
    {
        return spFailUsage("cannot write %s: %s", path, strerror(errno));
    }
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
    bool bad = ferror(file) != 0;
    return fclose(file) != 0 || bad ? spFailUsage("cannot write %s: is the disk full?", path) : SP_EXIT_FINE;
}

static int spCompareCosts(const void* a, const void* b)
{
    double x = spGetCost(*(const spEntry*const*)a), y = spGetCost(*(const spEntry*const*)b);
    return (x > y) - (x < y);
}

int spPlotComparison(const spComparison* comparison, const char* path)
{
    // The runs of one method are one line, from cheap to expensive
    double x[SP_MAX_ENTRIES], y[SP_MAX_ENTRIES];
    spPlotSeries series[SP_MAX_ENTRIES];
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
    char title[160];
    snprintf(title, sizeof(title), "%.80s: error against cost", spScene_GetName(comparison->scene));
    spPlotDef plot = spDefaultPlotDef();
    plot.title = title;
    plot.xLabel = "processor time [ms per simulated second]";
    plot.yLabel = comparison->settle ? "error of the shape at rest" : "error (rms over nodes and times)";
    plot.series = series;
    plot.seriesCount = seriesCount;
    plot.xLog = true;
    plot.yLog = true;
    plot.width = 900;
    plot.height = 540;
    spError error = SP_ZERO_INIT;
    if (spSavePlot(&plot, path, &error) == false)
    {
        return spFailUsage("%s", error.message);
    }
    if (comparison->quiet == false && comparison->json == false)
    {
        printf("\nPlot: %s\n", path);
    }
    return SP_EXIT_FINE;
}
