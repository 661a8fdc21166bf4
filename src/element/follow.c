// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/follow.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void spFreeFollow(spFollow* follow, spHeap* heap)
{
    void* all[] = {follow->begin,  follow->corners,    follow->weights, follow->jointBegin,
                   follow->joints, follow->usersBegin, follow->users,   follow->parts};
    for (int i = 0; i < SP_COUNT(all); ++i)
    {
        spFree(heap, all[i]);
    }
    *follow = (spFollow){0};
}

bool spTakeFollow(spFollow* to, spFollow* from, spHeap* heap, spBlocks* blocks, int tetRoom, int patchCount)
{
    if (from == NULL || from->parts == NULL)
    {
        return true;
    }
    bool ok = spSpreadBlocks(blocks, heap, spGetSpareBlocks(tetRoom, patchCount));
    if (ok)
    {
        *to = *from;
        *from = (spFollow){0};
        blocks->elementCount = to->placeCount;
    }
    return ok;
}

// Where the places of the parts of an element are: the first is its own
static int spGetPlace(const spFollow* follow, int given, int holder)
{
    int first = follow->begin[given];
    return holder == first ? given : follow->givenCount + holder - given - 1;
}

int spGetGiven(const spFollow* follow, int place)
{
    int low = 0, high = follow->givenCount;
    if (place < follow->givenCount)
    {
        return place;
    }
    // The last whose first other place is not behind it; elements without other places share that with the next
    while (high - low > 1)
    {
        int middle = (low + high) / 2;
        bool before = follow->givenCount + follow->begin[middle] - middle <= place;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    return low;
}

// ---- where elements will be ----

static int spFindCell(const spRemap* remap, int32_t cell)
{
    int low = 0, high = remap->tetCount;
    while (low < high)
    {
        int middle = (low + high) / 2;
        low = remap->tets[middle] < cell ? middle + 1 : low;
        high = remap->tets[middle] < cell ? high : middle;
    }
    return low < remap->tetCount && remap->tets[low] == cell ? low : -1;
}

// The node at a corner of a cell from now on, -1 where the cell is gone
static int32_t spGetCornerNode(const spRemap* remap, int32_t corner)
{
    int changed = spFindCell(remap, corner / 4);
    if (changed >= 0)
    {
        const int32_t* nodes = remap->nodes + 4 * (size_t)changed;
        return nodes[0] < 0 ? -1 : nodes[corner % 4];
    }
    return remap->removed[corner / 4] != 0 ? -1 : remap->rank[remap->cells[corner]];
}

// Nodes of an element as a holder has them. False when it does not hold it any more.
static bool spGetHeldNodes(const spFollow* follow, const spRemap* remap, int holder, int32_t* nodes)
{
    bool holds = true;
    for (int k = 0; k < follow->nodeCount; ++k)
    {
        nodes[k] = spGetCornerNode(remap, follow->corners[(size_t)holder * follow->nodeCount + k]);
        holds = holds && nodes[k] >= 0;
    }
    for (int i = follow->jointBegin[holder]; holds && i < follow->jointBegin[holder + 1]; ++i)
    {
        int32_t a = spGetCornerNode(remap, follow->joints[2 * (size_t)i]);
        holds = a >= 0 && a == spGetCornerNode(remap, follow->joints[2 * (size_t)i + 1]);
    }
    return holds;
}

// What becomes of one element: nodes and part at each of its holders, gone at those that follow another one
static void spPartElement(const spFollow* follow, const spRemap* remap, int given, int32_t* nodes,
                          spReal* parts, double* sums)
{
    int n = follow->nodeCount, begin = follow->begin[given], count = follow->begin[given + 1] - begin;
    double all = 0.0;
    for (int i = 0; i < count; ++i)
    {
        int32_t* own = nodes + (size_t)i * n;
        int leader = spGetHeldNodes(follow, remap, begin + i, own) ? 0 : i + 1;
        all += follow->weights[begin + i];
        while (leader < i && memcmp(nodes + (size_t)leader * n, own, (size_t)n * sizeof(int32_t)) != 0)
        {
            leader += 1;
        }
        sums[i] = 0.0;
        if (leader <= i)
        {
            sums[leader] += follow->weights[begin + i];
        }
        if (leader != i)
        {
            own[0] = -1;
        }
    }
    for (int i = 0; i < count; ++i)
    {
        // Nothing of an element is nothing, however its nodes lie
        parts[i] = all > 0.0 ? (spReal)(sums[i] / all) : 0;
        nodes[(size_t)i * n] = parts[i] > 0 ? nodes[(size_t)i * n] : -1;
    }
}

static int spCompareInts(const void* a, const void* b)
{
    int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

// Given elements that cells which change hold, rising and once each. Returns their number; -1 without memory.
static int spListAffected(const spFollow* follow, spHeap* heap, const spRemap* remap, int32_t** affected)
{
    int64_t total = 0;
    for (int i = 0; i < remap->tetCount; ++i)
    {
        total += follow->usersBegin[remap->tets[i] + 1] - follow->usersBegin[remap->tets[i]];
    }
    int32_t* list = spAlloc(heap, spArraySize(total + 1, sizeof(int32_t)));
    int count = 0, unique = 0;
    for (int i = 0; list != NULL && i < remap->tetCount; ++i)
    {
        for (int k = follow->usersBegin[remap->tets[i]]; k < follow->usersBegin[remap->tets[i] + 1]; ++k)
        {
            list[count++] = follow->users[k];
        }
    }
    if (count > 0)
    {
        qsort(list, (size_t)count, sizeof(int32_t), spCompareInts);
    }
    for (int i = 0; i < count; ++i)
    {
        if (i == 0 || list[i] != list[i - 1])
        {
            list[unique++] = list[i];
        }
    }
    *affected = list;
    return list != NULL ? unique : -1;
}

// ---- remap ----

static int32_t* spGetPlaceNodes(const spFollower* f, int place)
{
    return (int32_t*)((char*)f->nodes + (size_t)place * f->stride);
}

static void spEndFollow(spFollow* follow, spHeap* heap)
{
    spFreeRelayout(&follow->layout, heap);
    spFree(heap, follow->changed);
    spFree(heap, follow->nodes);
    spFree(heap, follow->newParts);
    spFree(heap, follow->data);
    follow->layout = (spRelayout){0};
    follow->changed = follow->nodes = NULL;
    follow->newParts = follow->data = NULL;
    follow->changedCount = 0;
}

// Appends a place when anything about it changes
static void spListPlace(const spFollower* f, int place, const int32_t* nodes, spReal part)
{
    spFollow* follow = f->follow;
    size_t size = (size_t)follow->nodeCount * sizeof(int32_t);
    bool gone = nodes[0] < 0;
    bool same = follow->parts[place] == part && (gone || memcmp(spGetPlaceNodes(f, place), nodes, size) == 0);
    if (same == false)
    {
        int i = follow->changedCount++;
        follow->changed[i] = place;
        follow->newParts[i] = part;
        memcpy(follow->nodes + (size_t)i * follow->nodeCount, nodes, size);
    }
}

// Places that change: first those of the elements themselves, then the others, so that they rise
static bool spListPlaces(const spFollower* f, spHeap* heap, const spRemap* remap, const int32_t* affected,
                         int count)
{
    spFollow* follow = f->follow;
    int n = follow->nodeCount;
    int64_t total = 0, most = 0;
    for (int i = 0; i < count; ++i)
    {
        int holders = follow->begin[affected[i] + 1] - follow->begin[affected[i]];
        total += holders;
        most = holders > most ? holders : most;
    }
    follow->changed = spAlloc(heap, spArraySize(total + 1, sizeof(int32_t)));
    follow->nodes = spAlloc(heap, spArraySize(total + 1, (size_t)n * sizeof(int32_t)));
    follow->newParts = spAlloc(heap, spArraySize(total + 1, sizeof(spReal)));
    int32_t* nodes = spAlloc(heap, spArraySize(most + 1, (size_t)n * sizeof(int32_t)));
    spReal* parts = spAlloc(heap, spArraySize(most + 1, sizeof(spReal)));
    double* sums = spAlloc(heap, spArraySize(most + 1, sizeof(double)));
    bool ok = follow->changed != NULL && follow->nodes != NULL && follow->newParts != NULL && nodes != NULL &&
              parts != NULL && sums != NULL;
    for (int pass = 0; ok && pass < 2; ++pass)
    {
        for (int i = 0; i < count; ++i)
        {
            int first = follow->begin[affected[i]], end = follow->begin[affected[i] + 1];
            spPartElement(follow, remap, affected[i], nodes, parts, sums);
            for (int h = pass == 0 ? first : first + 1; h < (pass == 0 ? first + 1 : end); ++h)
            {
                spListPlace(f, spGetPlace(follow, affected[i], h), nodes + (size_t)(h - first) * n,
                            parts[h - first]);
            }
        }
    }
    spFree(heap, nodes);
    spFree(heap, parts);
    spFree(heap, sums);
    return ok;
}

static bool spPrepareFollow(const spFollower* f, spHeap* heap, spRemap* remap)
{
    spFollow* follow = f->follow;
    int32_t* affected = NULL;
    int count = spListAffected(follow, heap, remap, &affected);
    bool ok = count >= 0 && spListPlaces(f, heap, remap, affected, count);
    spFree(heap, affected);
    spRelayoutDef def = {.blocks = f->blocks,
                         .changed = follow->changed,
                         .nodes = follow->nodes,
                         .stride = follow->nodeCount,
                         .changedCount = follow->changedCount,
                         .now = f->nodes,
                         .nowStride = f->stride,
                         .present = follow->parts};
    ok = ok && spPrepareRelayout(&follow->layout, heap, &def, remap);
    if (ok && follow->layout.whole && f->data != NULL)
    {
        size_t size = (size_t)f->numbers * SP_BLOCK * sizeof(spReal);
        follow->data = spAlloc(heap, spArraySize(follow->layout.blocks.blockCount, size));
        ok = follow->data != NULL || follow->layout.blocks.blockCount == 0;
    }
    return ok;
}

static void spExchangeFollow(const spFollower* f)
{
    spFollow* follow = f->follow;
    int n = follow->nodeCount;
    for (int i = 0; i < follow->changedCount; ++i)
    {
        int place = follow->changed[i];
        int32_t *now = spGetPlaceNodes(f, place), *next = follow->nodes + (size_t)i * n;
        spReal part = follow->parts[place];
        follow->parts[place] = follow->newParts[i];
        follow->newParts[i] = part;
        // What is gone keeps the nodes that it had, which are good ones
        for (int k = 0; k < n && next[0] >= 0; ++k)
        {
            int32_t node = now[k];
            now[k] = next[k];
            next[k] = node;
        }
    }
    spExchangeRelayout(&follow->layout, f->blocks);
    if (f->data == NULL)
    {
        return;
    }
    if (follow->layout.whole)
    {
        spReal* data = *f->data;
        *f->data = follow->data;
        follow->data = data;
        f->fill(f->set, 0, f->blocks->blockCount);
        return;
    }
    const spRepack* r = &follow->layout.repack;
    for (int i = 0; i < r->patchCount; ++i)
    {
        f->fill(f->set, f->blocks->patchBlock[r->patches[i]], f->blocks->patchBlock[r->patches[i] + 1]);
    }
}

bool spRemapFollower(const spFollower* f, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error)
{
    spFollow* follow = f->follow;
    switch (phase)
    {
        case sp_remapPrepare:
            if (follow->parts == NULL || follow->unheld >= 0)
            {
                return spFail(
                    error, sp_errorUnsupported,
                    "element %d of a set (%s) cannot follow an edit: no tet or triangle of the mesh has "
                    "all its nodes, and no few that are joined by faces or edges lead from one to the other",
                    spMaxInt(follow->unheld, 0), f->set->kind->name);
            }
            if (spPrepareFollow(f, heap, remap) == false)
            {
                spEndFollow(follow, heap);
                return spFailMemory(error, "an edit", sizeof(spFollow));
            }
            return true;
        case sp_remapExchange:
            spExchangeFollow(f);
            return true;
        default:
            spEndFollow(follow, heap);
            return true;
    }
}
