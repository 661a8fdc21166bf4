// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "world/split.h"

#include "base/error.h"
#include "body/edit.h"

#include <string.h>

static int spGetLargestFan(const spCellFans* fans, int vertexCount)
{
    int most = 0;
    for (int i = 0; i < vertexCount; ++i)
    {
        most = spMaxInt(most, fans->begin[i + 1] - fans->begin[i]);
    }
    return most;
}

bool spBeginSplit(spSplit* split, spBody* body, spError* error)
{
    *split = (spSplit){.body = body};
    const spEditData* e = body->edit;
    if (spCheckEditable(body, error) == false)
    {
        return false;
    }
    spHeap* heap = body->heap;
    size_t tetSize = spArraySize(e->tetCount, sizeof(int32_t));
    size_t fanSize = spArraySize(spGetLargestFan(&e->fans, e->meshCount), sizeof(int32_t));
    split->gone = spAlloc(heap, spArraySize(e->tetCount, 1));
    split->open = spAlloc(heap, spArraySize(e->tetCount, 1));
    split->touched = spAllocZeroed(heap, spArraySize(body->userCount, 1));
    split->changed = spAlloc(heap, tetSize);
    split->removed = spAlloc(heap, tetSize);
    split->fan = spAlloc(heap, fanSize);
    split->parts = spAlloc(heap, fanSize);
    if (split->gone == NULL || split->open == NULL || split->touched == NULL || split->changed == NULL ||
        split->removed == NULL || split->fan == NULL || split->parts == NULL)
    {
        return spFailMemory(error, "an edit", tetSize);
    }
    memcpy(split->gone, e->removed, (size_t)e->tetCount);
    memcpy(split->open, e->open, (size_t)e->tetCount);
    memset(split->changed, -1, tetSize);
    return true;
}

void spEndSplit(spSplit* split)
{
    void* all[] = {split->gone,    split->open, split->touched,  split->changed, split->removed,
                   split->parents, split->tets, split->tetNodes, split->fan,     split->parts};
    for (int i = 0; i < SP_COUNT(all); ++i)
    {
        spFree(split->body->heap, all[i]);
    }
}

void spRemoveTet(spSplit* split, int tet)
{
    const int32_t* nodes = split->body->edit->tets + 4 * (size_t)tet;
    for (int k = 0; k < split->body->edit->corners && split->gone[tet] == 0; ++k)
    {
        split->touched[nodes[k]] = 1;
    }
    if (split->gone[tet] == 0)
    {
        split->gone[tet] = 1;
        split->removed[split->def.removedCount++] = tet;
    }
}

void spOpenFace(spSplit* split, int face)
{
    const spEditData* e = split->body->edit;
    int across = e->fans.across[face];
    uint8_t bit = (uint8_t)(1 << face % 4);
    if (across < 0 || (split->open[face / 4] & bit) != 0)
    {
        return;
    }
    split->open[face / 4] |= bit;
    split->open[across / 4] |= (uint8_t)(1 << across % 4);
    split->faceCount += 1;
    for (int k = 0; k < e->corners; ++k)
    {
        split->touched[e->tets[4 * (size_t)(face / 4) + (size_t)k]] |= k != face % 4;
    }
}

// ---- the tets around a node ----

// Corners of tets that stay at a node
static int spListFan(spSplit* split, int node)
{
    const spEditData* e = split->body->edit;
    int root = spGetRootNode(e, node), count = 0;
    for (int i = e->fans.begin[root]; i < e->fans.begin[root + 1]; ++i)
    {
        int corner = e->fans.corners[i];
        if (split->gone[corner / 4] == 0 && e->tets[corner] == node)
        {
            split->parts[count] = -1;
            split->fan[count++] = corner;
        }
    }
    return count;
}

// Puts everything that hangs together with one corner into its part; returns how many corners that are
static int spFillPart(spSplit* split, int count, int first, int part)
{
    const spEditData* e = split->body->edit;
    int size = 0;
    split->parts[first] = part;
    // Few corners: whoever joins last is looked at in the next round
    for (int begun = -1; begun != size;)
    {
        begun = size;
        size = 0;
        for (int i = 0; i < count; ++i)
        {
            int corner = split->fan[i], tet = corner / 4;
            for (int k = 0; k < e->corners && split->parts[i] < 0; ++k)
            {
                int across = e->fans.across[4 * tet + k];
                bool closed = k != corner % 4 && across >= 0 && (split->open[tet] >> k & 1) == 0;
                for (int j = 0; closed && j < count; ++j)
                {
                    split->parts[i] =
                        split->fan[j] / 4 == across / 4 && split->parts[j] == part ? part : split->parts[i];
                }
            }
            size += split->parts[i] == part;
        }
    }
    return size;
}

// The place of a tet among those that change
static int spChangeTet(spSplit* split, int tet)
{
    spHeap* heap = split->body->heap;
    int place = split->changed[tet];
    if (place >= 0)
    {
        return place;
    }
    place = split->def.tetCount;
    if (spReserve(heap, (void**)&split->tets, place, &split->tetCapacity, place + 1, sizeof(int32_t)) ==
            false ||
        spReserve(heap, (void**)&split->tetNodes, 4 * place, &split->nodeCapacity, 4 * place + 4,
                  sizeof(int32_t)) == false)
    {
        return -1;
    }
    split->tets[place] = tet;
    memcpy(split->tetNodes + 4 * (size_t)place, split->body->edit->tets + 4 * (size_t)tet,
           4 * sizeof(int32_t));
    split->changed[tet] = place;
    split->def.tetCount += 1;
    return place;
}

static bool spGiveCopy(spSplit* split, int node, int count, int part)
{
    spEditDef* def = &split->def;
    if (spReserve(split->body->heap, (void**)&split->parents, def->copyCount, &split->parentCapacity,
                  def->copyCount + 1, sizeof(int32_t)) == false)
    {
        return false;
    }
    int copy = split->body->userCount + def->copyCount;
    split->parents[def->copyCount++] = node;
    for (int i = 0; i < count; ++i)
    {
        int place = split->parts[i] == part ? spChangeTet(split, split->fan[i] / 4) : 0;
        if (place < 0)
        {
            return false;
        }
        if (split->parts[i] == part)
        {
            split->tetNodes[4 * (size_t)place + (size_t)(split->fan[i] % 4)] = copy;
        }
    }
    return true;
}

// The largest part keeps the node; among equals the first
static bool spPartNode(spSplit* split, int node)
{
    int count = spListFan(split, node), partCount = 0, largest = 0, most = 0;
    for (int i = 0; i < count; ++i)
    {
        if (split->parts[i] < 0)
        {
            int size = spFillPart(split, count, i, partCount);
            largest = size > most ? partCount : largest;
            most = spMaxInt(most, size);
            partCount += 1;
        }
    }
    bool ok = true;
    for (int part = 0; ok && part < partCount; ++part)
    {
        ok = part == largest || spGiveCopy(split, node, count, part);
    }
    return ok;
}

// ---- pieces ----

static void spFillPiece(const spEditData* e, uint8_t* seen, int32_t* stack, int first)
{
    int count = 0;
    stack[count++] = first;
    seen[first] = 1;
    while (count > 0)
    {
        int tet = stack[--count];
        for (int k = 0; k < e->corners; ++k)
        {
            int across = e->fans.across[4 * tet + k];
            if (across >= 0 && (e->open[tet] >> k & 1) == 0 && seen[across / 4] == 0)
            {
                seen[across / 4] = 1;
                stack[count++] = across / 4;
            }
        }
    }
}

// seen and stack: of as many as there are tets
static int spCountWith(const spEditData* e, uint8_t* seen, int32_t* stack)
{
    int count = 0;
    memcpy(seen, e->removed, (size_t)e->tetCount);
    for (int i = 0; i < e->tetCount; ++i)
    {
        if (seen[i] == 0)
        {
            spFillPiece(e, seen, stack, i);
            count += 1;
        }
    }
    return count;
}

int spCountPieces(const spBody* body)
{
    const spEditData* e = body->edit;
    uint8_t* seen = spAlloc(body->heap, spArraySize(e->tetCount, 1));
    int32_t* stack = spAlloc(body->heap, spArraySize(e->tetCount, sizeof(int32_t)));
    int count = seen != NULL && stack != NULL ? spCountWith(e, seen, stack) : 0;
    spFree(body->heap, seen);
    spFree(body->heap, stack);
    return count;
}

// ---- the edit ----

static double spGetTetMass(const spBody* body, int tet)
{
    const spEditData* e = body->edit;
    const int32_t* nodes = e->tets + 4 * (size_t)tet;
    double density = 0.0;
    for (int k = 0; k < e->corners; ++k)
    {
        density += e->density[nodes[k]];
    }
    return density * spGetRestMeasure(body, nodes);
}

static spEditResult spTellSplit(spSplit* split, int nodeCount)
{
    const spEditData* e = split->body->edit;
    spEditResult result = {.tetCount = split->def.removedCount,
                           .copyCount = split->def.copyCount,
                           .faceCount = split->faceCount};
    for (int i = 0; i < split->def.removedCount; ++i)
    {
        result.mass += spGetTetMass(split->body, split->removed[i]);
    }
    for (int i = 0; i < nodeCount; ++i)
    {
        result.nodeCount += split->touched[i] != 0 && e->around[i] == 0;
    }
    return result;
}

bool spTakeSplit(spSplit* split, spWorld* world, spEditResult* result, spError* error)
{
    spBody* body = split->body;
    spEditDef* def = &split->def;
    int nodeCount = body->userCount;
    for (int i = 0; i < nodeCount; ++i)
    {
        if (split->touched[i] != 0 && spPartNode(split, i) == false)
        {
            return spFailMemory(error, "an edit", sizeof(spSplit));
        }
    }
    def->removed = split->removed;
    def->parents = split->parents;
    def->tets = split->tets;
    def->tetNodes = split->tetNodes;
    if (def->removedCount + def->tetCount > 0 && spTakeEditDef(world, body, def, NULL, error) == false)
    {
        return false;
    }
    memcpy(body->edit->open, split->open, (size_t)body->edit->tetCount);
    if (result != NULL)
    {
        *result = spTellSplit(split, nodeCount);
    }
    return true;
}
