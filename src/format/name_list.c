// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "format/name_list.h"

#include "format/format.h"
#include "mesh/sort.h"

spNameList spMakeNameList(spHeap* heap)
{
    return (spNameList){.heap = heap};
}

void spFreeNameList(spNameList* list)
{
    spFree(list->heap, list->uses);
    *list = (spNameList){.heap = list->heap};
}

bool spAddName(spNameList* list, spWord name, int place, spError* error)
{
    void* uses = list->uses;
    bool ok = spReserve(list->heap, &uses, list->count, &list->capacity, list->count + 1, sizeof(spNameUse));
    list->uses = uses;
    if (!ok)
    {
        return spFailMemory(error, "the groups of a file", (size_t)list->count * sizeof(spNameUse));
    }
    list->uses[list->count++] = (spNameUse){.name = name, .place = place};
    return true;
}

// What the sort is about
typedef struct spNameOrder
{
    const spNameUse* uses;
    bool anyCase;
} spNameOrder;

static int spCompareNames(const spNameOrder* order, int32_t a, int32_t b)
{
    spWord x = order->uses[a].name, y = order->uses[b].name;
    size_t length = x.length < y.length ? x.length : y.length;
    for (size_t i = 0; i < length; ++i)
    {
        unsigned char c = (unsigned char)x.text[i], d = (unsigned char)y.text[i];
        c = order->anyCase && c >= 'A' && c <= 'Z' ? c | 0x20 : c;
        d = order->anyCase && d >= 'A' && d <= 'Z' ? d | 0x20 : d;
        if (c != d)
        {
            return c < d ? -1 : 1;
        }
    }
    return (x.length > y.length) - (x.length < y.length);
}

static bool spNameComesBefore(int32_t a, int32_t b, const void* context)
{
    int order = spCompareNames(context, a, b);
    return order < 0 || (order == 0 && a < b);
}

bool spNumberNames(spNameList* list, bool anyCase, spError* error)
{
    list->nameCount = 0;
    if (list->count == 0)
    {
        return true;
    }
    spNameOrder context = {list->uses, anyCase};
    size_t size = spArraySize(list->count, sizeof(int32_t));
    int32_t* order = spAlloc(list->heap, size);
    int32_t* firsts = spAlloc(list->heap, size); // the first use of the same name
    bool ok = order != NULL && firsts != NULL;
    if (ok)
    {
        for (int i = 0; i < list->count; ++i)
        {
            order[i] = i;
        }
        spSortIndices(order, firsts, list->count, spNameComesBefore, &context);
        for (int i = 0; i < list->count; ++i)
        {
            bool same = i > 0 && spCompareNames(&context, order[i - 1], order[i]) == 0;
            firsts[order[i]] = same ? firsts[order[i - 1]] : order[i];
        }
        for (int i = 0; i < list->count; ++i)
        {
            spNameUse* use = list->uses + i;
            list->nameCount += firsts[i] == i;
            use->region = firsts[i] == i ? list->nameCount : list->uses[firsts[i]].region;
            spParseRegionName(use->name, &use->region);
        }
    }
    else
    {
        spFailMemory(error, "the groups of a file", 2 * size);
    }
    spFree(list->heap, firsts);
    spFree(list->heap, order);
    return ok;
}
