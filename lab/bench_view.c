// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench view-Nk: what a live page adds to the steps of a cloth of N thousand triangles. A client in
// this process reads frames as fast as they come, 60 in a second at most, over loopback. Stretches of steps
// with and without it take turns, so that what else the machine does counts for both.

#include "bench.h"
#include "cli/tools.h"
#include "souple/view.h"
#include "testbed/view_client.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Pairs of stretches in each run, and how long a stretch is, s
#define SP_PAIR_COUNT 12
#define SP_STRETCH_SECONDS 0.25

// What the client waits for at most, s
#define SP_CLIENT_PATIENCE 10.0

// Kind of a message with a frame, and where its number is
#define SP_KIND_FRAME 3
#define SP_FRAME_NUMBER_AT 8

// The client, on a thread of its own
typedef struct spReader
{
    pthread_t thread;
    int port;
    atomic_bool wanted; // it should be there
    atomic_bool there;  // it has had a frame since it came
    atomic_bool failed;
    atomic_bool quit;
    atomic_int frames;
    atomic_size_t frameSize; // bytes of the last one
} spReader;

// What was found for one number of threads
typedef struct spViewBench
{
    char name[64];
    int threads, nodes, triangles;
    double* without; // ms per step of each stretch, sorted by spSummarizeTimes
    double* with;
    double* ratios;
    int pairCount;
    double frames, seconds; // of stretches with the client
    double bytesPerVertex;
    spBenchTimes withoutTimes, withTimes, ratio;
    spViewStats stats;
    double publishMs; // of each frame, on the thread that steps
} spViewBench;

// ---------------------------------------------------------------------------------------------------------
// The client

static uint32_t spReadNumber(const uint8_t* bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

// Reads and answers frames as long as it is wanted
static void spWatch(spReader* reader)
{
    spTestClient client;
    if (spJoinView(&client, reader->port, NULL) != 101)
    {
        atomic_store(&reader->failed, true);
        return;
    }
    spSendMessage(&client, "{\"do\":\"show\",\"colour\":\"displacement\"}");
    while (atomic_load(&reader->wanted) && !atomic_load(&reader->quit))
    {
        if (!spReadMessage(&client, 0.1))
        {
            if (client.ended)
            {
                atomic_store(&reader->failed, true);
                break;
            }
            continue;
        }
        if (client.messageSize > 60 && spReadNumber(client.message) == SP_KIND_FRAME)
        {
            char seen[64];
            snprintf(seen, sizeof(seen), "{\"do\":\"seen\",\"frame\":%u}",
                     spReadNumber(client.message + SP_FRAME_NUMBER_AT));
            spSendMessage(&client, seen);
            atomic_fetch_add(&reader->frames, 1);
            atomic_store(&reader->frameSize, client.messageSize);
            atomic_store(&reader->there, true);
        }
    }
    spCloseTestClient(&client);
    atomic_store(&reader->there, false);
}

static void* spReadFrames(void* context)
{
    spReader* reader = context;
    struct timespec pause = {0, 1000000};
    while (!atomic_load(&reader->quit) && !atomic_load(&reader->failed))
    {
        if (atomic_load(&reader->wanted))
        {
            spWatch(reader);
        }
        nanosleep(&pause, NULL);
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------------------------
// The view

// A cloth that hangs by two corners. Returns its file, to be removed and freed; NULL when that fails.
static char* spWriteClothScene(int side)
{
    char* path = malloc(4096);
    if (path == NULL)
    {
        return NULL;
    }
    snprintf(path, 4096, "%s/souple_bench_XXXXXX", spGetTemporaryFolder());
    int handle = mkstemp(path);
    FILE* file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (file == NULL)
    {
        free(path);
        return NULL;
    }
    fprintf(
        file,
        "{\"souple\": 1, \"name\": \"bench\", \"dt\": %.9g, \"duration\": 10, \"bodies\": [{\"name\": "
        "\"cloth\", \"mesh\": {\"generator\": \"cloth\", \"countX\": %d, \"countZ\": %d, \"bend\": false}, "
        "\"density\": 0.2, \"springs\": {\"stiffness\": 50, \"damping\": 1e-4}, \"pins\": {\"nodes\": [0, "
        "%d]}, \"method\": {\"type\": \"symplecticEuler\", \"substeps\": 4}}]}",
        1.0 / 2400.0, side, side, side - 1);
    if (fclose(file) != 0)
    {
        remove(path);
        free(path);
        return NULL;
    }
    return path;
}

// Steps until the client is there, or gone
static bool spAwaitReader(spView* view, spReader* reader, bool there)
{
    double end = spGetClock() + SP_CLIENT_PATIENCE;
    atomic_store(&reader->wanted, there);
    while (atomic_load(&reader->there) != there || spView_GetStats(view).clientCount != there)
    {
        spView_Update(view);
        if (atomic_load(&reader->failed) || spGetClock() > end || spIsInterrupted())
        {
            return false;
        }
    }
    return true;
}

// Milliseconds of wall clock for each step, everything in between included
static double spTimeStretch(spView* view, double* seconds)
{
    int64_t steps = spView_GetStats(view).stepCount;
    double start = spGetClock(), now = start;
    while (now - start < SP_STRETCH_SECONDS)
    {
        spView_Update(view);
        now = spGetClock();
    }
    *seconds = now - start;
    return 1e3 * *seconds / (double)(spView_GetStats(view).stepCount - steps);
}

// One stretch. Returns its milliseconds per step; 0 when the client did not come or go.
static double spTimeWith(spView* view, spReader* reader, spViewBench* bench, bool watched)
{
    double seconds;
    if (!spAwaitReader(view, reader, watched))
    {
        return 0.0;
    }
    int frames = atomic_load(&reader->frames);
    double time = spTimeStretch(view, &seconds);
    bench->frames += watched ? atomic_load(&reader->frames) - frames : 0;
    bench->seconds += watched ? seconds : 0.0;
    return time;
}

// Pairs begin with and without the client by turns, so that a drift of the machine's clock cancels out
static bool spTimePairs(spView* view, spReader* reader, spViewBench* bench, int pairs)
{
    for (int i = 0; i < pairs; ++i)
    {
        double times[2];
        for (int k = 0; k < 2; ++k)
        {
            bool watched = (i + k) % 2 != 0;
            times[watched] = spTimeWith(view, reader, bench, watched);
            if (times[watched] <= 0.0)
            {
                return false;
            }
        }
        bench->without[bench->pairCount] = times[0];
        bench->with[bench->pairCount] = times[1];
        bench->ratios[bench->pairCount++] = times[1] / times[0];
    }
    return true;
}

static bool spMeasureView(spView* view, spViewBench* bench, int repeat)
{
    spReader reader = {.port = spView_GetPort(view)};
    double seconds;
    if (pthread_create(&reader.thread, NULL, spReadFrames, &reader) != 0)
    {
        return false;
    }
    spTimeStretch(view, &seconds); // caches and clocks get warm
    bool good = spTimePairs(view, &reader, bench, SP_PAIR_COUNT * repeat);
    bench->stats = spView_GetStats(view);
    bench->bytesPerVertex = (double)atomic_load(&reader.frameSize) / bench->nodes;
    bench->publishMs = 1e3 * bench->stats.publishSeconds / fmax((double)bench->stats.frameCount, 1.0);
    atomic_store(&reader.quit, true);
    pthread_join(reader.thread, NULL);
    return good;
}

// ---------------------------------------------------------------------------------------------------------
// Telling

static void spTellViewBench(spBenchRun* run, const spViewBench* bench)
{
    const spCell cells[] = {
        SP_TEXT_CELL("name", "name", -32, bench->name),
        SP_WHOLE_CELL("threads", "threads", 7, bench->threads),
        SP_WHOLE_CELL("nodes", "nodes", 9, bench->nodes),
        SP_WHOLE_CELL("triangles", "triangles", 9, bench->triangles),
        SP_NUMBER_CELL("msPerStep", "ms/step", 10, "%.3f", bench->withoutTimes.median),
        SP_NUMBER_CELL("msPerStepWatched", "watched", 10, "%.3f", bench->withTimes.median),
        SP_NUMBER_CELL("ratio", NULL, 0, "", bench->ratio.median),
        SP_NUMBER_CELL(NULL, "added", 8, "%.2f %%", 100.0 * (bench->ratio.median - 1.0)),
        SP_NUMBER_CELL("framesPerSecond", "frames/s", 8, "%.1f", bench->frames / bench->seconds),
        SP_NUMBER_CELL("publishMs", "publish ms", 10, "%.3f", bench->publishMs),
        SP_NUMBER_CELL("latencyMs", "latency ms", 10, "%.3f", 1e3 * bench->stats.latencySeconds),
        SP_NUMBER_CELL("latencyMsP99", "its p99", 10, "%.3f", 1e3 * bench->stats.highLatencySeconds),
        SP_NUMBER_CELL("bytesPerVertex", "bytes/v", 8, "%.2f", bench->bytesPerVertex),
    };
    json_array_append_new(run->results, spTellRow(&run->table, cells, SP_CELL_COUNT(cells)));
}

// Returns false, with the reason printed, when there is nothing to tell
static bool spBenchOne(const spBenchRun* run, spViewBench* bench, const char* scenePath)
{
    static const char page[] = "<!doctype html><title>bench</title>";
    spError error = SP_ZERO_INIT;
    spViewDef def = spDefaultViewDef();
    def.scenePaths = &scenePath;
    def.sceneCount = 1;
    def.threadCount = bench->threads;
    def.page = page;
    def.pageSize = sizeof(page) - 1;
    def.speed = 10.0; // more than it can do: steps follow each other without a pause
    spView* view = spCreateView(&def, &error);
    bool good = view != NULL && spMeasureView(view, bench, run->repeat) && bench->pairCount > 0;
    if (good)
    {
        bench->withoutTimes = spSummarizeTimes(bench->without, bench->pairCount);
        bench->withTimes = spSummarizeTimes(bench->with, bench->pairCount);
        bench->ratio = spSummarizeTimes(bench->ratios, bench->pairCount);
    }
    else if (spIsInterrupted() == false)
    {
        fprintf(stderr, "souple: %s: %s\n", bench->name,
                view == NULL ? error.message : "its client had no frames in time");
    }
    spDestroyView(view);
    return good;
}

void spRunViewBench(spBenchRun* run, const spBenchFamily* family, int size)
{
    // A sheet of n x n nodes has 2 (n - 1)^2 triangles
    int side = (int)ceil(sqrt(500.0 * size)) + 1;
    int capacity = SP_PAIR_COUNT * run->repeat;
    double* times = calloc(3 * (size_t)capacity, sizeof(double));
    char* scenePath = times != NULL ? spWriteClothScene(side) : NULL;
    if (scenePath == NULL)
    {
        fprintf(stderr, "souple: cannot write a scene file for %s%d\n", family->stem, size);
        run->trouble += 1;
        free(times);
        return;
    }
    for (int t = 0; t < run->threadCount && spIsInterrupted() == false; ++t)
    {
        spViewBench bench = {.threads = run->threads[t],
                             .nodes = side * side,
                             .triangles = 2 * (side - 1) * (side - 1),
                             .without = times,
                             .with = times + capacity,
                             .ratios = times + 2 * (size_t)capacity};
        spNameBenchmark(family, size, bench.name, sizeof(bench.name));
        if (spBenchOne(run, &bench, scenePath))
        {
            spTellViewBench(run, &bench);
        }
        else
        {
            run->trouble += 1;
        }
    }
    remove(scenePath);
    free(scenePath);
    free(times);
}
