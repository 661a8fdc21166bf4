// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The threads that work on a step.
//
// Work has one shape: a range of items, cut into chunks, given to a function `(begin, end, workerIndex,
// context)`. The results must not depend on who does which chunk: what a chunk writes belongs to that chunk
// alone, and sums are made per fixed block of items and added in block order (spSumBlocks), never per worker.
//
// Between spBeginTeam and spEndTeam the helpers are awake and spin for the next spParallelFor, which then
// costs a fraction of a microsecond; so a method can run through hundreds of small stages. The caller works
// too and waits only for chunks that somebody has claimed, so the step makes progress even when a task system
// runs the helpers late, one after the other, or not at all.
//
// A NULL team, or one worker, makes every loop a plain loop on the caller.

#pragma once

#include "base/memory.h"

typedef void spRangeFcn(int begin, int end, int workerIndex, void* context);

typedef struct spTeam spTeam;

typedef struct spTeamDef
{
    int workerCount;
    spEnqueueTaskFcn* enqueueTask; // NULL means threads of our own
    spFinishTaskFcn* finishTask;
    void* taskContext;
} spTeamDef;

// Returns NULL when there is no memory or no thread to be had.
spTeam* spCreateTeam(spHeap* heap, const spTeamDef* def, spError* error);
void spDestroyTeam(spHeap* heap, spTeam* team);

int spGetTeamSize(const spTeam* team);

// Wake the helpers, and let them go. Pairs must not be nested.
void spBeginTeam(spTeam* team);
void spEndTeam(spTeam* team);

// Calls fcn over [0, count) in chunks of at least minRange items. Returns when all is done. Between
// spBeginTeam and spEndTeam it is shared; outside it is a plain loop.
void spParallelFor(spTeam* team, spRangeFcn* fcn, int count, int minRange, void* context);

// Blocks of a sum: item ranges of this size, whatever the number of workers
#define SP_SUM_BLOCK 1024

static inline int spGetSumBlockCount(int count)
{
    return (count + SP_SUM_BLOCK - 1) / SP_SUM_BLOCK;
}

// Adds partial sums in order
static inline double spSumBlocks(const double* partial, int blockCount)
{
    double sum = 0.0;
    for (int i = 0; i < blockCount; ++i)
    {
        sum += partial[i];
    }
    return sum;
}
