// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/relayout.h"

#include "mesh/order.h"

#include <string.h>

// Place of a value in a rising list, or -1
static int spFindSorted(const int32_t* sorted, int count, int32_t value)
{
    int low = 0, high = count;
    while (low < high)
    {
        int middle = (low + high) / 2;
        low = sorted[middle] < value ? middle + 1 : low;
        high = sorted[middle] < value ? high : middle;
    }
    return low < count && sorted[low] == value ? low : -1;
}

static const int32_t* spGetNodesNow(const spRelayoutDef* def, int element)
{
    return (const int32_t*)((const char*)def->now + (size_t)element * def->nowStride);
}

static int spFindOwner(const spRemap* remap, const int32_t* nodes, int count)
{
    int32_t lowest = nodes[0];
    for (int k = 1; k < count; ++k)
    {
        lowest = nodes[k] < lowest ? nodes[k] : lowest;
    }
    return spFindPatch(remap->patchBegin, remap->patchCount, lowest);
}

// Elements with their nodes from now on
typedef struct spListed
{
    int32_t* elements;
    int32_t* nodes;
    int count;
} spListed;

static bool spAllocListed(spListed* list, spHeap* heap, int64_t most, int n)
{
    list->elements = spAlloc(heap, spArraySize(most + 1, sizeof(int32_t)));
    list->nodes = spAlloc(heap, spArraySize(most + 1, (size_t)n * sizeof(int32_t)));
    return list->elements != NULL && list->nodes != NULL;
}

static void spFreeListed(spListed* list, spHeap* heap)
{
    spFree(heap, list->elements);
    spFree(heap, list->nodes);
}

// Appends an element unless it is gone
static void spListElement(spListed* list, const spRelayoutDef* def, int32_t element)
{
    int n = def->blocks->nodesPerElement;
    int place = spFindSorted(def->changed, def->changedCount, element);
    const int32_t* nodes =
        place >= 0 ? def->nodes + (size_t)place * (size_t)def->stride : spGetNodesNow(def, element);
    bool gone = place >= 0 ? nodes[0] < 0 : def->present[element] == 0;
    if (gone == false)
    {
        list->elements[list->count] = element;
        memcpy(list->nodes + (size_t)list->count * (size_t)n, nodes, (size_t)n * sizeof(int32_t));
        list->count += 1;
    }
}

// All elements laid out anew
static bool spLayAnew(spRelayout* layout, spHeap* heap, const spRelayoutDef* def, const spRemap* remap)
{
    int total = def->blocks->elementCount, n = def->blocks->nodesPerElement;
    spListed list = {0};
    bool ok = spAllocListed(&list, heap, total, n);
    for (int i = 0; ok && i < total; ++i)
    {
        spListElement(&list, def, i);
    }
    ok = ok && spBuildBlocks(&layout->blocks, heap, list.nodes, list.count, n, remap->patchBegin,
                             remap->patchCount);
    for (int i = 0; ok && i < layout->blocks.blockCount * SP_BLOCK; ++i)
    {
        int32_t* element = layout->blocks.elements + i;
        *element = *element >= 0 ? list.elements[*element] : -1;
    }
    ok = ok && spSpreadBlocks(&layout->blocks, heap, spGetSpareBlocks(remap->tetRoom, remap->patchCount));
    layout->blocks.elementCount = total;
    layout->whole = true;
    spFreeListed(&list, heap);
    return ok;
}

// Patches that elements leave or come to
static int spListOwners(const spRelayoutDef* def, const spRemap* remap, uint8_t* own, int32_t* patches)
{
    int n = def->blocks->nodesPerElement, count = 0;
    for (int i = 0; i < def->changedCount; ++i)
    {
        const int32_t* nodes = def->nodes + (size_t)i * (size_t)def->stride;
        bool here = def->present[def->changed[i]] != 0;
        if (here)
        {
            own[spFindOwner(remap, spGetNodesNow(def, def->changed[i]), n)] = 1;
        }
        if (nodes[0] >= 0)
        {
            own[spFindOwner(remap, nodes, n)] = 1;
        }
    }
    for (int patch = 0; patch < remap->patchCount; ++patch)
    {
        patches[count] = patch;
        count += own[patch];
    }
    return count;
}

// Those patches packed anew
static bool spRepackPatches(spRelayout* layout, spHeap* heap, const spRelayoutDef* def, spRemap* remap)
{
    const spBlocks* blocks = def->blocks;
    uint8_t* own = spAllocZeroed(heap, spArraySize(remap->patchCount, 1));
    int32_t* patches = spAlloc(heap, spArraySize(remap->patchCount, sizeof(int32_t)));
    spListed list = {0};
    int patchCount = 0;
    int64_t most = def->changedCount;
    bool ok = own != NULL && patches != NULL;
    if (ok)
    {
        patchCount = spListOwners(def, remap, own, patches);
    }
    for (int i = 0; i < patchCount; ++i)
    {
        most += (blocks->patchBlock[patches[i] + 1] - blocks->patchBlock[patches[i]]) * SP_BLOCK;
    }
    ok = ok && spAllocListed(&list, heap, most, blocks->nodesPerElement);
    for (int i = 0; ok && i < patchCount; ++i)
    {
        int begin = blocks->patchBlock[patches[i]], end = blocks->patchBlock[patches[i] + 1];
        for (int place = begin * SP_BLOCK; place < end * SP_BLOCK; ++place)
        {
            if (blocks->elements[place] >= 0)
            {
                spListElement(&list, def, blocks->elements[place]);
            }
        }
    }
    // Those that come are in no block
    for (int i = 0; ok && i < def->changedCount; ++i)
    {
        if (def->present[def->changed[i]] == 0)
        {
            spListElement(&list, def, def->changed[i]);
        }
    }
    spRepackDef packDef = {.patches = patches,
                           .patchCount = patchCount,
                           .elements = list.elements,
                           .nodes = list.nodes,
                           .elementCount = list.count,
                           .patchBegin = remap->patchBegin};
    ok = ok && spPackPatches(&layout->repack, heap, blocks, &packDef);
    for (int i = 0; ok && i < patchCount; ++i)
    {
        remap->touched[patches[i]] = 1;
    }
    spFree(heap, own);
    spFree(heap, patches);
    spFreeListed(&list, heap);
    return ok;
}

bool spPrepareRelayout(spRelayout* layout, spHeap* heap, const spRelayoutDef* def, spRemap* remap)
{
    *layout = (spRelayout){0};
    bool ok = spRepackPatches(layout, heap, def, remap);
    if (ok && (layout->repack.overflow || remap->whole))
    {
        ok = spLayAnew(layout, heap, def, remap);
        remap->whole = true;
    }
    const int32_t* elements;
    remap->blockCount += ok ? spGetNewBlocks(layout, &elements) : 0;
    return ok;
}

int spGetNewBlocks(const spRelayout* layout, const int32_t** elements)
{
    *elements = layout->whole ? layout->blocks.elements : layout->repack.elements;
    return layout->whole ? layout->blocks.blockCount : layout->repack.begin[layout->repack.patchCount];
}

void spExchangeRelayout(spRelayout* layout, spBlocks* blocks)
{
    if (layout->whole)
    {
        spBlocks old = *blocks;
        *blocks = layout->blocks;
        layout->blocks = old;
    }
    else
    {
        spSwapBlocks(blocks, &layout->repack);
    }
}

void spFreeRelayout(spRelayout* layout, spHeap* heap)
{
    spFreeRepack(&layout->repack, heap);
    spFreeBlocks(&layout->blocks, heap);
}
