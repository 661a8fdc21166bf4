// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench volumes-pile-Nk: forty rigid tori of N thousand triangles together, which lie in and on each other, are found
// by volume. souple bench volumes-few-Nk: nine of them.
//
// What is told is processor time of detection, of all threads, for each step and each triangle, and that of the measurement
// of all volumes, which looks at two to eight times as many pixels along each edge.

#include "bench.h"
#include "cli/tools.h"
#include "volume_pile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct spVolumeTimes
{
    double* detection; // processor time of each step, ms
    double measurement, volume;
    double rows;
    int triangles, taken;
    uint64_t hash;
} spVolumeTimes;

static bool spTimeVolumes(const spBenchFamily* family, const spVolumePileDef* def, spVolumeTimes* times,
                          spError* error)
{
    spVolumePile pile = spBuildVolumePile(def);
    *error = pile.error;
    if (pile.world == NULL)
    {
        return false;
    }
    for (int i = 0; i < family->warmup + family->steps && spIsInterrupted() == false; ++i)
    {
        double spent = spTimePileDetection(&pile);
        if (i >= family->warmup)
        {
            times->detection[times->taken++] = spent;
            times->rows += (double)spWorld_GetReport(pile.world).rowCount;
        }
    }
    double start = spGetProcessorClock();
    times->volume = spWorld_MeasureOverlap(pile.world, (spThing){0}, (spThing){0});
    times->measurement = 1e3 * (spGetProcessorClock() - start);
    times->triangles = pile.triangles;
    times->hash = spWorld_GetStateHash(pile.world);
    spDestroyWorld(pile.world);
    return true;
}

void spRunVolumePile(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    spNameBenchmark(family, size, name, sizeof(name));
    int tori = family->variant;
    // Four quads around for one across
    int across = spMaxInt((int)lround(sqrt(1000.0 * size / tori / 8.0)), 3);
    for (int t = 0; t < run->threadCount && spIsInterrupted() == false; ++t)
    {
        spVolumePileDef def = {.count = tori,
                               .around = 4 * across,
                               .across = across,
                               .workerCount = run->threads[t],
                               .laneCount = run->lanes};
        spVolumeTimes times = {.detection = malloc((size_t)(family->steps * run->repeat) * sizeof(double))};
        spError error = {.message = "out of memory"};
        bool ok = times.detection != NULL;
        for (int i = 0; ok && i < run->repeat && spIsInterrupted() == false; ++i)
        {
            ok = spTimeVolumes(family, &def, &times, &error);
        }
        if (ok && times.taken > 0)
        {
            spBenchTimes detection = spSummarizeTimes(times.detection, times.taken);
            spHashText hash;
            spFormatHash(hash, times.hash);
            const spCell cells[] = {
                SP_TEXT_CELL("name", "name", -20, name),
                SP_WHOLE_CELL("threads", "threads", 7, run->threads[t]),
                SP_WHOLE_CELL("triangles", "triangles", 9, times.triangles),
                SP_NUMBER_CELL("rows", "rows", 6, "%.0f", times.rows / times.taken),
                SP_NUMBER_CELL(NULL, "detection", 9, "%.2f", detection.median),
                SP_NUMBER_CELL("nsPerTriangle", "ns/tri", 7, "%.1f",
                               1e6 * detection.median / times.triangles),
                SP_NUMBER_CELL("measurementMs", "measured", 9, "%.1f", times.measurement),
                SP_NUMBER_CELL("overlap", "overlap", 10, "%.4g", times.volume),
                SP_TEXT_CELL("stateHash", "state hash", 0, hash),
            };
            json_t* json = spTellRow(&run->table, cells, SP_CELL_COUNT(cells));
            json_object_set_new(json, "detectionProcessorMs", spMakeTimesJson(&detection));
            json_array_append_new(run->results, json);
        }
        else if (spIsInterrupted() == false)
        {
            spFailBench(run, name, error.message);
        }
        free(times.detection);
    }
}
