// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "format/id_table.h"

#include "mesh/sort.h"

spIdTable spMakeIdTable(spHeap* heap, const char* what)
{
    return (spIdTable){.heap = heap, .what = what};
}

void spFreeIdTable(spIdTable* table)
{
    spFree(table->heap, table->ids);
    spFree(table->heap, table->lines);
    spFree(table->heap, table->order);
    *table = (spIdTable){.heap = table->heap, .what = table->what};
}

bool spAddId(spIdTable* table, int64_t id, int line, spError* error)
{
    int needed = table->count + 1;
    void* ids = table->ids;
    bool ok = spReserve(table->heap, &ids, table->count, &table->idCapacity, needed, sizeof(int64_t));
    table->ids = ids;
    void* lines = table->lines;
    ok = ok && spReserve(table->heap, &lines, table->count, &table->lineCapacity, needed, sizeof(int32_t));
    table->lines = lines;
    if (!ok)
    {
        return spFailMemory(error, "the node numbers of a file", (size_t)needed * sizeof(int64_t));
    }
    table->ids[table->count] = id;
    table->lines[table->count] = line;
    table->count += 1;
    return true;
}

static bool spIdComesBefore(int32_t a, int32_t b, const void* context)
{
    const int64_t* ids = context;
    return ids[a] < ids[b];
}

bool spFinishIds(spIdTable* table, spError* error)
{
    if (table->readyCount == table->count)
    {
        return true;
    }
    spFree(table->heap, table->order);
    table->order = NULL;
    table->orderCount = 0;
    bool consecutive = true;
    for (int i = 1; i < table->count && consecutive; ++i)
    {
        consecutive = table->ids[i] == table->ids[i - 1] + 1;
    }
    if (consecutive)
    {
        table->readyCount = table->count;
        return true;
    }
    size_t size = spArraySize(table->count, sizeof(int32_t));
    table->order = spAlloc(table->heap, size);
    table->orderCount = table->order != NULL ? table->count : 0;
    int32_t* temp = spAlloc(table->heap, size);
    bool ok = table->order != NULL && temp != NULL;
    if (ok)
    {
        for (int i = 0; i < table->count; ++i)
        {
            table->order[i] = i;
        }
        spSortIndices(table->order, temp, table->count, spIdComesBefore, table->ids);
    }
    else
    {
        spFailMemory(error, "the node numbers of a file", size);
    }
    spFree(table->heap, temp);
    for (int i = 1; ok && i < table->count; ++i)
    {
        int32_t a = table->order[i - 1], b = table->order[i];
        if (table->ids[a] == table->ids[b])
        {
            ok = spFailAt(error, sp_errorFileFormat, table->lines[b], 0,
                          "%s %lld comes a second time (first in line %d); give every %s its own number",
                          table->what, (long long)table->ids[b], table->lines[a], table->what);
        }
    }
    table->readyCount = ok ? table->count : 0;
    return ok;
}

int spCountSmallerIds(const spIdTable* table, int64_t id)
{
    int low = 0, high = table->count;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        if (table->ids[spGetRankedId(table, middle)] < id)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

int32_t spGetRankedId(const spIdTable* table, int rank)
{
    return table->order != NULL ? table->order[rank] : rank;
}

int32_t spFindId(const spIdTable* table, int64_t id)
{
    if (table->count == 0)
    {
        return -1;
    }
    if (table->order == NULL)
    {
        int64_t first = table->ids[0];
        return id >= first && id - first < table->count ? (int32_t)(id - first) : -1;
    }
    int rank = spCountSmallerIds(table, id);
    bool found = rank < table->count && table->ids[table->order[rank]] == id;
    return found ? table->order[rank] : -1;
}
