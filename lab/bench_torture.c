// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench torture: the grid of testbed/torture.h, or every n-th case of it, counted by how it
// ended. Cases run on as many threads as were asked for, each world on one.

#include "bench.h"
#include "cli/tools.h"
#include "testbed/torture.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SP_MOST_METHODS 16

typedef struct spGrid
{
    int stride;
    int count; // of cases that run
    spTortureResult* results;
    atomic_int next;
    atomic_int done;
} spGrid;

// counts[method][trouble][outcome]
typedef struct spGridCounts
{
    int counts[SP_MOST_METHODS][sp_troubleCount][sp_outcomeCount];
    int unexpected;
} spGridCounts;

static void* spRunCases(void* context)
{
    spGrid* grid = context;
    for (int i = atomic_fetch_add(&grid->next, 1); i < grid->count && spIsInterrupted() == false;
         i = atomic_fetch_add(&grid->next, 1))
    {
        spTortureCase c = spGetTortureCase(i * grid->stride);
        grid->results[i] = spRunTortureCase(&c);
        atomic_fetch_add(&grid->done, 1);
    }
    return NULL;
}

// On this thread and others; those that cannot be had are done without
static void spRunGrid(spGrid* grid, int threadCount, bool quiet)
{
    pthread_t threads[SP_MAX_WORKERS];
    int started = 0;
    for (; started < threadCount; ++started)
    {
        if (pthread_create(threads + started, NULL, spRunCases, grid) != 0)
        {
            break;
        }
    }
    if (started == 0)
    {
        spRunCases(grid);
    }
    spBar bar = spMakeBar("torture", quiet == false);
    const struct timespec pause = {.tv_nsec = 50000000};
    while (started > 0 && atomic_load(&grid->done) < grid->count && spIsInterrupted() == false)
    {
        char text[64];
        snprintf(text, sizeof(text), "%d of %d cases", atomic_load(&grid->done), grid->count);
        spShowBar(&bar, (double)atomic_load(&grid->done) / grid->count, text);
        nanosleep(&pause, NULL);
    }
    for (int i = 0; i < started; ++i)
    {
        pthread_join(threads[i], NULL);
    }
    spClearBar(&bar);
}

static json_t* spMakeCaseJson(int index, const spTortureCase* c, const spTortureResult* r)
{
    return json_pack("{s:i, s:s, s:s, s:s, s:f, s:f, s:f, s:s, s:i, s:f, s:f}", "case", index, "method",
                     spGetTortureMethodName(c->method), "trouble", spGetTroubleName(c->trouble), "law",
                     spGetTetLawName(c->law), "youngModulus", c->young, "poissonRatio", c->poisson, "dt",
                     c->dt, "outcome", spGetOutcomeName(r->outcome), "flags", (int)r->flags, "reach",
                     fmin(r->reach, 1e300), "allowed", r->allowed);
}

// Counts, and tells of those that nobody expects
static void spCountGrid(const spGrid* grid, spBenchRun* run, spGridCounts* counts, json_t* cases)
{
    for (int i = 0; i < grid->count; ++i)
    {
        spTortureCase c = spGetTortureCase(i * grid->stride);
        const spTortureResult* r = grid->results + i;
        counts->counts[c.method][c.trouble][r->outcome] += 1;
        if (spIsExpected(&c, r->outcome))
        {
            continue;
        }
        counts->unexpected += 1;
        json_array_append_new(cases, spMakeCaseJson(i * grid->stride, &c, r));
        if (run->json == false)
        {
            printf("%s: %s, %s, law %s, E %g Pa, nu %g, dt %g s: energy %+.2g, reaches %g of %g m\n",
                   spGetOutcomeName(r->outcome), spGetTortureMethodName(c.method),
                   spGetTroubleName(c.trouble), spGetTetLawName(c.law), c.young, c.poisson, c.dt, r->gain,
                   r->reach, r->allowed);
        }
    }
}

static void spPrintRow(const char* method, const char* trouble, const int* counts)
{
    printf("%-24s %-12s", method, trouble);
    for (int k = 0; k < sp_outcomeCount; ++k)
    {
        printf(" %9d", counts[k]);
    }
    printf("\n");
}

static void spTellGrid(const spGridCounts* counts, spBenchRun* run, json_t* rows)
{
    if (run->json == false)
    {
        printf("\n%-24s %-12s", "method", "trouble");
        for (int k = 0; k < sp_outcomeCount; ++k)
        {
            printf(" %9s", spGetOutcomeName((spTortureOutcome)k));
        }
        printf("\n");
    }
    int all[sp_outcomeCount] = {0};
    for (int m = 0; m < spGetTortureMethodCount(); ++m)
    {
        for (int t = 0; t < sp_troubleCount; ++t)
        {
            const int* row = counts->counts[m][t];
            json_t* json = json_pack("{s:s, s:s}", "method", spGetTortureMethodName(m), "trouble",
                                     spGetTroubleName((spTrouble)t));
            for (int k = 0; k < sp_outcomeCount; ++k)
            {
                json_object_set_new(json, spGetOutcomeName((spTortureOutcome)k), json_integer(row[k]));
                all[k] += row[k];
            }
            json_array_append_new(rows, json);
            if (run->json == false)
            {
                spPrintRow(spGetTortureMethodName(m), spGetTroubleName((spTrouble)t), row);
            }
        }
    }
    if (run->json == false)
    {
        spPrintRow("all", "", all);
    }
}

void spRunTorture(spBenchRun* run, const spBenchFamily* family, int size)
{
    spGrid grid = {.stride = size, .count = (spGetTortureCaseCount() + size - 1) / size};
    grid.results = calloc((size_t)grid.count, sizeof(spTortureResult));
    if (grid.results == NULL)
    {
        run->trouble += 1;
        return;
    }
    int threads = 1;
    for (int t = 0; t < run->threadCount; ++t)
    {
        threads = run->threads[t] > threads ? run->threads[t] : threads;
    }
    double start = spGetSeconds();
    spRunGrid(&grid, threads, run->json);
    if (spIsInterrupted() == false)
    {
        char name[64];
        spNameBenchmark(family, size, name, sizeof(name));
        spGridCounts counts = {0};
        json_t *cases = json_array(), *rows = json_array();
        spCountGrid(&grid, run, &counts, cases);
        spTellGrid(&counts, run, rows);
        json_array_append_new(run->results,
                              json_pack("{s:s, s:i, s:f, s:i, s:o, s:o}", "name", name, "cases", grid.count,
                                        "seconds", spGetSeconds() - start, "unexpected", counts.unexpected,
                                        "unexpectedCases", cases, "rows", rows));
        run->trouble += counts.unexpected > 0;
    }
    free(grid.results);
}
