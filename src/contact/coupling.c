// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/coupling.h"

#include <string.h>

// Where the run ends that begins at a block
static int spFindRunEnd(const spComplianceBlock* blocks, int begin, int end)
{
    int k = begin + 1;
    while (k < end && blocks[k].j == blocks[k - 1].j + 1)
    {
        ++k;
    }
    return k;
}

static int spCountRuns(const spComplianceBlock* blocks, const int* pointBlock, int pointCount)
{
    int count = 0;
    for (int i = 0; i < pointCount; ++i)
    {
        for (int k = pointBlock[i]; k < pointBlock[i + 1]; k = spFindRunEnd(blocks, k, pointBlock[i + 1]))
        {
            count += 1;
        }
    }
    return count;
}

static void spFillCells(spReal* cells, const spComplianceBlock* blocks, int count)
{
    for (int k = 0; k < count; ++k)
    {
        const spVec3 columns[3] = {blocks[k].block.cx, blocks[k].block.cy, blocks[k].block.cz};
        for (int c = 0; c < 3; ++c)
        {
            cells[(3 * c) * count + k] = columns[c].x;
            cells[(3 * c + 1) * count + k] = columns[c].y;
            cells[(3 * c + 2) * count + k] = columns[c].z;
        }
    }
}

bool spMakeCoupling(spPointCoupling* coupling, spArena* arena, const spComplianceBlock* blocks,
                    const int* pointBlock, int pointCount)
{
    int runCount = spCountRuns(blocks, pointBlock, pointCount);
    spReal* cells = spArenaAlloc(arena, spArraySize(9 * (int64_t)pointBlock[pointCount], sizeof(spReal)));
    *coupling = (spPointCoupling){
        .runs = spArenaAlloc(arena, spArraySize(runCount, sizeof(spCouplingRun))),
        .pointRun = spArenaAlloc(arena, spArraySize(pointCount + 1, sizeof(int))),
        .pointCount = pointCount,
    };
    bool ok = (runCount == 0 || (cells != NULL && coupling->runs != NULL)) && coupling->pointRun != NULL;
    for (int axis = 0; axis < 3; ++axis)
    {
        coupling->u[axis] = spArenaAlloc(arena, spArraySize(pointCount, sizeof(spReal)));
        ok = ok && coupling->u[axis] != NULL;
    }
    if (ok == false)
    {
        return false;
    }
    runCount = 0;
    for (int i = 0; i < pointCount; ++i)
    {
        coupling->pointRun[i] = runCount;
        for (int k = pointBlock[i]; k < pointBlock[i + 1];)
        {
            int end = spFindRunEnd(blocks, k, pointBlock[i + 1]);
            spReal* run = cells + 9 * (size_t)k;
            spFillCells(run, blocks + k, end - k);
            coupling->runs[runCount++] = (spCouplingRun){blocks[k].j, end - k, run};
            k = end;
        }
    }
    coupling->pointRun[pointCount] = runCount;
    spClearCoupled(coupling);
    return true;
}

void spClearCoupled(spPointCoupling* coupling)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        memset(coupling->u[axis], 0, (size_t)coupling->pointCount * sizeof(spReal));
    }
}

void spPushCoupled(spPointCoupling* coupling, int point, spVec3 impulse)
{
    if (impulse.x == 0 && impulse.y == 0 && impulse.z == 0)
    {
        return; // most contacts that are near do not touch
    }
    for (int r = coupling->pointRun[point]; r < coupling->pointRun[point + 1]; ++r)
    {
        const spCouplingRun* run = coupling->runs + r;
        int count = run->count;
        for (int axis = 0; axis < 3; ++axis)
        {
            const spReal* restrict x = run->cells + (size_t)(3 * axis) * (size_t)count, * restrict y = x + count, * restrict z = y + count;
            spReal* restrict u = coupling->u[axis] + run->first;
            for (int k = 0; k < count; ++k)
            {
                u[k] += x[k] * impulse.x + y[k] * impulse.y + z[k] * impulse.z;
            }
        }
    }
}
