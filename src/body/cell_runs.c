// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/cell_runs.h"

#include "body/edit.h"
#include "mesh/mesh_math.h"

#include <math.h>

// Centres are rounded: a box is larger by so much of the body
#define SP_ROUNDING 1e-9

static void spReach(spCellRuns* runs, int cell, int place)
{
    uint64_t* set = runs->reached + (size_t)runs->runs[cell] * (size_t)runs->words;
    set[place / SP_RUN / 64] |= (uint64_t)1 << (place / SP_RUN % 64);
}

void spReachNode(spBody* body, int cell, int place)
{
    spEditData* e = body->edit;
    spReach(&e->runs, cell, place);
    for (int k = 0; k < e->corners; ++k)
    {
        int across = e->fans.across[SP_CELL * (size_t)cell + k];
        if (across >= 0)
        {
            spReach(&e->runs, across / SP_CELL, place);
        }
    }
}

static int spGetLowestPlace(const spBody* body, int cell)
{
    const spEditData* e = body->edit;
    int lowest = body->nodeCount;
    for (int k = 0; k < e->corners; ++k)
    {
        lowest = spMinInt(lowest, body->order.rank[e->tets[SP_CELL * (size_t)cell + k]]);
    }
    return lowest;
}

// By counting
static void spOrderCells(const spBody* body, spCellRuns* runs, int32_t* begin)
{
    for (int i = 0; i < runs->cellCount; ++i)
    {
        begin[spGetLowestPlace(body, i) + 1] += 1;
    }
    for (int i = 0; i < body->nodeCount; ++i)
    {
        begin[i + 1] += begin[i];
    }
    for (int i = 0; i < runs->cellCount; ++i)
    {
        int place = begin[spGetLowestPlace(body, i)]++;
        runs->cells[place] = i;
        runs->runs[i] = place / SP_RUN;
    }
}

bool spBuildCellRuns(spBody* body)
{
    spHeap* heap = body->heap;
    spEditData* e = body->edit;
    spCellRuns* runs = &e->runs;
    runs->cellCount = e->tetCount;
    runs->cellRunCount = (e->tetCount + SP_RUN - 1) / SP_RUN;
    runs->nodeRunCount = (body->nodeCount + SP_RUN - 1) / SP_RUN;
    runs->words = (runs->nodeRunCount + 63) / 64;
    int32_t* begin = spAllocZeroed(heap, spArraySize((int64_t)body->nodeCount + 1, sizeof(int32_t)));
    runs->cells = spAlloc(heap, spArraySize(e->tetCount, sizeof(int32_t)));
    runs->runs = spAlloc(heap, spArraySize(e->tetCount, sizeof(int32_t)));
    runs->reached =
        spAllocZeroed(heap, spArraySize((int64_t)runs->cellRunCount * runs->words, sizeof(uint64_t)));
    runs->lower = spAlloc(heap, spArraySize(runs->nodeRunCount, sizeof(spDVec3)));
    runs->upper = spAlloc(heap, spArraySize(runs->nodeRunCount, sizeof(spDVec3)));
    runs->centers = spAlloc(heap, spArraySize(e->tetCount, sizeof(*runs->centers)));
    runs->asked = spAllocZeroed(heap, spArraySize(e->tetCount, sizeof(uint32_t)));
    bool ok = begin != NULL && runs->cells != NULL && runs->runs != NULL && runs->reached != NULL &&
              runs->lower != NULL && runs->upper != NULL && runs->centers != NULL && runs->asked != NULL;
    if (ok)
    {
        spOrderCells(body, runs, begin);
    }
    for (int i = 0; ok && i < SP_CELL * e->tetCount; ++i)
    {
        if (i % SP_CELL < e->corners)
        {
            spReachNode(body, i / SP_CELL, body->order.rank[e->tets[i]]);
        }
    }
    spDVec3 lower = body->rest[0], upper = lower;
    for (int i = 1; i < body->userCount; ++i)
    {
        lower = spDMin(lower, body->rest[i]);
        upper = spDMax(upper, body->rest[i]);
    }
    runs->size = spDDistance(lower, upper);
    spFree(heap, begin);
    return ok;
}

void spFreeCellRuns(spCellRuns* runs, spHeap* heap)
{
    spFree(heap, runs->cells);
    spFree(heap, runs->runs);
    spFree(heap, runs->reached);
    spFree(heap, runs->lower);
    spFree(heap, runs->upper);
    spFree(heap, runs->centers);
    spFree(heap, runs->asked);
}

static spDVec3 spToDouble(spVec3 p)
{
    return (spDVec3){(double)p.x, (double)p.y, (double)p.z};
}

void spRefitCellRuns(spBody* body, const spVec3* a, const spVec3* b)
{
    spCellRuns* runs = &body->edit->runs;
    runs->question += 1;
    for (int run = 0; run < runs->nodeRunCount; ++run)
    {
        spDVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
        int end = spMinInt((run + 1) * SP_RUN, body->nodeCount);
        for (int place = run * SP_RUN; place < end; ++place)
        {
            int user = body->order.order[place];
            if (user >= 0)
            {
                spDVec3 p = spToDouble(a[user]), q = spToDouble(b[user]);
                lower = spDMin(lower, spDMin(p, q));
                upper = spDMax(upper, spDMax(p, q));
            }
        }
        runs->lower[run] = lower;
        runs->upper[run] = upper;
    }
}

static spDVec3 spGetCenterOf(const spVec3* x, const int32_t* nodes, int corners)
{
    spDVec3 sum = {0};
    for (int k = 0; k < corners; ++k)
    {
        sum = spDAdd(sum, spToDouble(x[nodes[k]]));
    }
    return spDScale(1.0 / corners, sum);
}

const spDVec3* spGetCellCenters(spBody* body, const spVec3* a, const spVec3* b, int cell)
{
    const spEditData* e = body->edit;
    spCellRuns* runs = &body->edit->runs;
    if (runs->asked[cell] != runs->question)
    {
        const int32_t* nodes = e->tets + SP_CELL * (size_t)cell;
        runs->asked[cell] = runs->question;
        runs->centers[cell][0] = spGetCenterOf(a, nodes, e->corners);
        runs->centers[cell][1] = a == b ? runs->centers[cell][0] : spGetCenterOf(b, nodes, e->corners);
    }
    return runs->centers[cell];
}

bool spIsRunNear(const spCellRuns* runs, int run, spDVec3 lower, spDVec3 upper)
{
    const uint64_t* set = runs->reached + (size_t)run * (size_t)runs->words;
    spDVec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int word = 0; word < runs->words; ++word)
    {
        int node = 64 * word;
        for (uint64_t bits = set[word]; bits != 0; bits >>= 1, ++node)
        {
            if ((bits & 1) != 0)
            {
                low = spDMin(low, runs->lower[node]);
                high = spDMax(high, runs->upper[node]);
            }
        }
    }
    double more = SP_ROUNDING * runs->size;
    return low.x - more <= upper.x && high.x + more >= lower.x && low.y - more <= upper.y &&
           high.y + more >= lower.y && low.z - more <= upper.z && high.z + more >= lower.z;
}
