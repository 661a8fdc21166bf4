// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Slots: for each patch the nodes of others that it writes to, in the order in which its blocks name them,
// and for each patch the slots that stand for its own nodes. Built for a whole body, or for the patches that
// an edit has changed.
//
// Slots lie behind the nodes in one array of forces, not in an array of their own: then blocks scatter to one
// base, whether a force goes to a node or to a slot. Two bases cost 18 to 25 % of a step of springs in a
// prototype. Edits lose nothing by it, because the node count has the spare nodes in it: slots never move.

#include "mesh/order.h"
#include "mesh/patch.h"

#include <stdlib.h>
#include <string.h>

// Spare slots of a patch in a body with room, for each that it has, and beside that
#define SP_SPARE_SHARE 4
#define SP_SPARE_SLOTS 64

// Walks the lanes of a patch that hold an element with a node of another patch. Calls with the place in the
// node array.
typedef void spForeignFcn(int set, size_t place, int32_t node, void* context);

static void spVisitForeign(spBlocks** sets, int setCount, const int32_t* patchBegin, int patch,
                           spForeignFcn* fcn, void* context)
{
    for (int s = 0; s < setCount; ++s)
    {
        spBlocks* blocks = sets[s];
        int n = blocks->nodesPerElement;
        for (int block = blocks->patchBlock[patch]; block < blocks->patchBlock[patch + 1]; ++block)
        {
            for (int k = 0; k < n; ++k)
            {
                for (int lane = 0; lane < SP_BLOCK; ++lane)
                {
                    size_t place = ((size_t)block * n + k) * SP_BLOCK + lane;
                    int32_t node = blocks->nodes[place] / 4;
                    bool empty = blocks->elements[(size_t)block * SP_BLOCK + lane] < 0;
                    if (empty == false && (node < patchBegin[patch] || node >= patchBegin[patch + 1]))
                    {
                        fcn(s, place, node, context);
                    }
                }
            }
        }
    }
}

// ---- the nodes of others that a patch writes to ----

// A growing list of them. slotOf is -1 for nodes that the present patch has not named.
typedef struct spForeignList
{
    spHeap* heap;
    int32_t* slotOf;
    int32_t* nodes;
    int count;
    int capacity;
    bool ok;
} spForeignList;

static void spListForeign(int set, size_t place, int32_t node, void* context)
{
    SP_UNUSED(set);
    SP_UNUSED(place);
    spForeignList* list = context;
    if (list->slotOf[node] >= 0)
    {
        return;
    }
    list->ok = list->ok && spReserve(list->heap, (void**)&list->nodes, list->count, &list->capacity,
                                     list->count + 1, sizeof(int32_t));
    if (list->ok)
    {
        list->slotOf[node] = list->count;
        list->nodes[list->count++] = node;
    }
}

// Appends the nodes of one patch
static void spListPatch(spForeignList* list, spBlocks** sets, int setCount, const int32_t* patchBegin,
                        int patch)
{
    int first = list->count;
    spVisitForeign(sets, setCount, patchBegin, patch, spListForeign, list);
    for (int i = first; i < list->count; ++i)
    {
        list->slotOf[list->nodes[i]] = -1;
    }
}

// ---- sums ----

static bool spAllocSum(spPatchSum* sum, spHeap* heap, int entryCount, int referenceCount)
{
    sum->entryCount = entryCount;
    sum->nodes = spAlloc(heap, spArraySize(2 * (int64_t)entryCount + 1 + referenceCount, sizeof(int32_t)));
    sum->begin = sum->nodes != NULL ? sum->nodes + entryCount : NULL;
    sum->references = sum->nodes != NULL ? sum->begin + entryCount + 1 : NULL;
    return sum->nodes != NULL;
}

static int spCompareKeys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// A sum from keys of a node and a slot each. Slots rise with the patches that they belong to.
static bool spMakeSum(spPatchSum* sum, spHeap* heap, uint64_t* keys, int count)
{
    if (count > 0)
    {
        qsort(keys, (size_t)count, sizeof(uint64_t), spCompareKeys);
    }
    int entryCount = 0;
    for (int i = 0; i < count; ++i)
    {
        entryCount += i == 0 || keys[i] >> 32 != keys[i - 1] >> 32;
    }
    if (spAllocSum(sum, heap, entryCount, count) == false)
    {
        return false;
    }
    int entry = 0;
    for (int i = 0; i < count; ++i)
    {
        if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32)
        {
            sum->nodes[entry] = (int32_t)(keys[i] >> 32);
            sum->begin[entry++] = i;
        }
        sum->references[i] = (int32_t)(uint32_t)keys[i];
    }
    sum->begin[entry] = count;
    return true;
}

// Sums of all patches
static bool spMakeSums(spSlots* slots, spHeap* heap, const int32_t* patchBegin)
{
    int patchCount = slots->patchCount;
    int32_t* begin = spAllocZeroed(heap, spArraySize(patchCount + 2, sizeof(int32_t)));
    uint64_t* keys = spAlloc(heap, spArraySize(slots->slotCount, sizeof(uint64_t)));
    slots->sums = spAllocZeroed(heap, spArraySize(patchCount, sizeof(spPatchSum)));
    bool ok = begin != NULL && keys != NULL && slots->sums != NULL;
    for (int pass = 0; ok && pass < 2; ++pass)
    {
        for (int slot = 0; slot < slots->slotCount; ++slot)
        {
            int node = slots->slotNode[slot];
            int owner = node >= 0 ? spFindPatch(patchBegin, patchCount, node) : 0;
            if (node >= 0 && pass == 0)
            {
                begin[owner + 2] += 1;
            }
            else if (node >= 0)
            {
                keys[begin[owner + 1]++] = (uint64_t)node << 32 | (uint64_t)(slots->nodeCount + slot);
            }
        }
        for (int patch = 0; pass == 0 && patch <= patchCount; ++patch)
        {
            begin[patch + 1] += begin[patch];
        }
    }
    for (int patch = 0; ok && patch < patchCount; ++patch)
    {
        ok = spMakeSum(slots->sums + patch, heap, keys + begin[patch], begin[patch + 1] - begin[patch]);
    }
    spFree(heap, begin);
    spFree(heap, keys);
    return ok;
}

// ---- where the forces of blocks go ----

typedef struct spSlotFiller
{
    const int32_t* slotOf; // of the nodes of others that the present patch has named
    int32_t** all;         // of each set: offsets of all its blocks
} spSlotFiller;

static void spPutForeign(int set, size_t place, int32_t node, void* context)
{
    const spSlotFiller* filler = context;
    filler->all[set][place] = 4 * filler->slotOf[node];
}

// Own nodes are their own slots; empty lanes go to the trash slots of their patch; slotNode says the others
static void spFillPatchSlots(const spSlots* slots, spBlocks** sets, int setCount, const int32_t* patchBegin,
                             int patch, int32_t* slotOf, int32_t** all)
{
    int32_t trash = slots->nodeCount + slots->patchSlot[patch + 1] - SP_TRASH_SLOTS;
    for (int s = 0; s < setCount; ++s)
    {
        const spBlocks* blocks = sets[s];
        int size = blocks->nodesPerElement * SP_BLOCK;
        for (int block = blocks->patchBlock[patch]; block < blocks->patchBlock[patch + 1]; ++block)
        {
            for (int i = 0; i < size; ++i)
            {
                size_t place = (size_t)block * (size_t)size + (size_t)i;
                int lane = i % SP_BLOCK;
                bool empty = blocks->elements[(size_t)block * SP_BLOCK + lane] < 0;
                all[s][place] = empty ? 4 * (trash + lane) : blocks->nodes[place];
            }
        }
    }
    for (int slot = slots->patchSlot[patch]; slot < slots->patchSlot[patch + 1]; ++slot)
    {
        if (slots->slotNode[slot] >= 0)
        {
            slotOf[slots->slotNode[slot]] = slots->nodeCount + slot;
        }
    }
    spSlotFiller filler = {slotOf, all};
    spVisitForeign(sets, setCount, patchBegin, patch, spPutForeign, &filler);
}

static size_t spGetBlockBytes(const spBlocks* blocks)
{
    return (size_t)blocks->nodesPerElement * SP_BLOCK * sizeof(int32_t);
}

// Whether a block writes to others than its nodes
static bool spNeedsSlots(const spBlocks* blocks, const int32_t* all, int block)
{
    size_t bytes = spGetBlockBytes(blocks), at = (size_t)block * bytes / sizeof(int32_t);
    return memcmp(all + at, blocks->nodes + at, bytes) != 0;
}

// The new slots of one set while they are built
typedef struct spSlotLayout
{
    int32_t* all;   // (blockCount x nodesPerElement x SP_BLOCK)
    int32_t* kept;  // those of the blocks that need them
    int32_t* place; // (blockCount)
} spSlotLayout;

// Keeps the slots of those blocks that write to others than their nodes; with room all keep their place
static bool spKeepNeededSlots(spSlotLayout* layout, spHeap* heap, const spBlocks* blocks, bool room)
{
    size_t bytes = spGetBlockBytes(blocks);
    int count = 0;
    for (int block = 0; block < blocks->blockCount; ++block)
    {
        bool needed = spNeedsSlots(blocks, layout->all, block);
        layout->place[block] = needed ? (room ? block : count) : -1;
        count += needed;
    }
    if (room)
    {
        layout->kept = layout->all;
        layout->all = NULL;
        return true;
    }
    layout->kept = spAlloc(heap, spArraySize(count, bytes));
    if (count > 0 && layout->kept == NULL)
    {
        return false;
    }
    for (int block = 0; block < blocks->blockCount; ++block)
    {
        if (layout->place[block] >= 0)
        {
            memcpy((char*)layout->kept + (size_t)layout->place[block] * bytes,
                   (char*)layout->all + (size_t)block * bytes, bytes);
        }
    }
    return true;
}

// Exchanges what the set has for what was built; the old goes with the layout
static void spSwapLayout(spSlotLayout* layout, spBlocks* blocks)
{
    spSlotLayout old = {.all = layout->all, .kept = blocks->slots, .place = blocks->slotPlace};
    blocks->slots = layout->kept;
    blocks->slotPlace = layout->place;
    *layout = old;
}

static bool spLaySlots(const spSlots* slots, spHeap* heap, spBlocks** sets, int setCount,
                       const int32_t* patchBegin, int32_t* slotOf, bool room)
{
    spSlotLayout* layouts = spAllocZeroed(heap, spArraySize(setCount, sizeof(spSlotLayout)));
    int32_t** all = spAllocZeroed(heap, spArraySize(setCount, sizeof(int32_t*)));
    bool ok = setCount == 0 || (layouts != NULL && all != NULL);
    for (int s = 0; ok && s < setCount; ++s)
    {
        spSlotLayout* layout = layouts + s;
        layout->all = spAlloc(heap, spArraySize(sets[s]->blockCount, spGetBlockBytes(sets[s])));
        layout->place = spAlloc(heap, spArraySize(sets[s]->blockCount, sizeof(int32_t)));
        ok = layout->all != NULL && layout->place != NULL;
        all[s] = layout->all;
    }
    for (int patch = 0; ok && patch < slots->patchCount; ++patch)
    {
        spFillPatchSlots(slots, sets, setCount, patchBegin, patch, slotOf, all);
    }
    for (int s = 0; ok && s < setCount; ++s)
    {
        ok = spKeepNeededSlots(layouts + s, heap, sets[s], room);
    }
    for (int s = 0; layouts != NULL && s < setCount; ++s)
    {
        if (ok)
        {
            spSwapLayout(layouts + s, sets[s]);
        }
        spFree(heap, layouts[s].all);
        spFree(heap, layouts[s].kept);
        spFree(heap, layouts[s].place);
    }
    spFree(heap, layouts);
    spFree(heap, all);
    return ok;
}

static int32_t* spAllocSlotOf(spHeap* heap, int nodeCount)
{
    size_t size = spArraySize(nodeCount, sizeof(int32_t));
    int32_t* slotOf = spAlloc(heap, size);
    if (slotOf != NULL)
    {
        memset(slotOf, -1, size);
    }
    return slotOf;
}

bool spBuildSlots(spSlots* slots, spHeap* heap, spBlocks** sets, int setCount, const int32_t* patchBegin,
                  int patchCount, bool room)
{
    *slots = (spSlots){.nodeCount = patchBegin[patchCount], .patchCount = patchCount};
    slots->patchSlot = spAllocZeroed(heap, spArraySize(patchCount + 1, sizeof(int32_t)));
    spForeignList list = {.heap = heap, .slotOf = spAllocSlotOf(heap, slots->nodeCount)};
    int32_t* count = spAlloc(heap, spArraySize(patchCount, sizeof(int32_t)));
    list.ok = slots->patchSlot != NULL && list.slotOf != NULL && count != NULL;
    for (int patch = 0; list.ok && patch < patchCount; ++patch)
    {
        int first = list.count;
        spListPatch(&list, sets, setCount, patchBegin, patch);
        count[patch] = list.count - first;
        int spare = room ? count[patch] / SP_SPARE_SHARE + SP_SPARE_SLOTS : 0;
        slots->patchSlot[patch + 1] = slots->patchSlot[patch] + count[patch] + spare + SP_TRASH_SLOTS;
    }
    if (list.ok)
    {
        slots->slotCount = slots->patchSlot[patchCount];
        slots->slotNode = spAlloc(heap, spArraySize(slots->slotCount, sizeof(int32_t)));
        list.ok = slots->slotNode != NULL;
    }
    for (int patch = 0, next = 0; list.ok && patch < patchCount; ++patch)
    {
        for (int slot = slots->patchSlot[patch]; slot < slots->patchSlot[patch + 1]; ++slot)
        {
            bool used = slot - slots->patchSlot[patch] < count[patch];
            slots->slotNode[slot] = used ? list.nodes[next++] : -1;
        }
    }
    bool ok = list.ok && spMakeSums(slots, heap, patchBegin) &&
              spLaySlots(slots, heap, sets, setCount, patchBegin, list.slotOf, room);
    spFree(heap, list.slotOf);
    spFree(heap, list.nodes);
    spFree(heap, count);
    if (ok == false)
    {
        spFreeSlots(slots, heap);
    }
    return ok;
}

void spFreeSlots(spSlots* slots, spHeap* heap)
{
    for (int patch = 0; slots->sums != NULL && patch < slots->patchCount; ++patch)
    {
        spFree(heap, slots->sums[patch].nodes);
    }
    spFree(heap, slots->patchSlot);
    spFree(heap, slots->slotNode);
    spFree(heap, slots->sums);
    *slots = (spSlots){0};
}

void spSumSlots(const spSlots* slots, spVec4* f, int patch)
{
    const spPatchSum* own = slots->sums + patch;
    for (int entry = 0; entry < own->entryCount; ++entry)
    {
        spVec4 sum = f[own->nodes[entry]];
        for (int r = own->begin[entry]; r < own->begin[entry + 1]; ++r)
        {
            const spVec4* part = f + own->references[r];
            sum.x += part->x;
            sum.y += part->y;
            sum.z += part->z;
        }
        f[own->nodes[entry]] = sum;
    }
}

// ---- edits ----

static bool spIsListed(const int32_t* sorted, int count, int32_t value)
{
    int low = 0, high = count;
    while (low < high)
    {
        int middle = (low + high) / 2;
        low = sorted[middle] < value ? middle + 1 : low;
        high = sorted[middle] < value ? high : middle;
    }
    return low < count && sorted[low] == value;
}

// Patches that own a node which the changed ones had, or now have, a slot for
static bool spFindOwners(spSlotUpdate* u, spHeap* heap, const spSlots* slots, const int32_t* patchBegin)
{
    uint8_t* owns = spAllocZeroed(heap, spArraySize(slots->patchCount, 1));
    u->owners = spAlloc(heap, spArraySize(slots->patchCount, sizeof(int32_t)));
    bool ok = owns != NULL && u->owners != NULL;
    for (int i = 0; ok && i < u->patchCount; ++i)
    {
        int patch = u->patches[i];
        for (int slot = slots->patchSlot[patch]; slot < slots->patchSlot[patch + 1]; ++slot)
        {
            int node = slots->slotNode[slot];
            owns[node >= 0 ? spFindPatch(patchBegin, slots->patchCount, node) : patch] |= node >= 0;
        }
        for (int k = u->begin[i]; k < u->begin[i + 1]; ++k)
        {
            owns[spFindPatch(patchBegin, slots->patchCount, u->nodes[k])] = 1;
        }
    }
    for (int patch = 0; ok && patch < slots->patchCount; ++patch)
    {
        u->owners[u->ownerCount] = patch;
        u->ownerCount += owns[patch];
    }
    spFree(heap, owns);
    return ok;
}

// The new sum of one owner: slots of patches that have not changed, and the new ones of those that have
static bool spUpdateSum(const spSlotUpdate* u, spHeap* heap, const spSlots* slots, const int32_t* patchBegin,
                        int owner, spPatchSum* to)
{
    const spPatchSum* old = slots->sums + owner;
    int first = patchBegin[owner], last = patchBegin[owner + 1];
    int64_t most = (int64_t)old->begin[old->entryCount] + u->begin[u->patchCount];
    uint64_t* keys = spAlloc(heap, spArraySize(most + 1, sizeof(uint64_t)));
    int count = 0;
    for (int entry = 0; keys != NULL && entry < old->entryCount; ++entry)
    {
        for (int r = old->begin[entry]; r < old->begin[entry + 1]; ++r)
        {
            int slot = old->references[r] - slots->nodeCount;
            int patch = spFindPatch(slots->patchSlot, slots->patchCount, slot);
            if (spIsListed(u->patches, u->patchCount, patch) == false)
            {
                keys[count++] = (uint64_t)old->nodes[entry] << 32 | (uint64_t)old->references[r];
            }
        }
    }
    for (int i = 0; keys != NULL && i < u->patchCount; ++i)
    {
        int slot = slots->nodeCount + slots->patchSlot[u->patches[i]];
        for (int k = u->begin[i]; k < u->begin[i + 1]; ++k, ++slot)
        {
            if (u->nodes[k] >= first && u->nodes[k] < last)
            {
                keys[count++] = (uint64_t)u->nodes[k] << 32 | (uint64_t)slot;
            }
        }
    }
    bool ok = keys != NULL && spMakeSum(to, heap, keys, count);
    spFree(heap, keys);
    return ok;
}

bool spPrepareSlots(spSlotUpdate* u, spHeap* heap, const spSlots* slots, spBlocks** sets, int setCount,
                    const int32_t* patchBegin, const int32_t* patches, int count)
{
    *u = (spSlotUpdate){.patchCount = count, .patches = patches};
    u->begin = spAllocZeroed(heap, spArraySize(count + 1, sizeof(int32_t)));
    u->slotOf = spAllocSlotOf(heap, slots->nodeCount);
    spForeignList list = {.heap = heap, .slotOf = u->slotOf, .ok = u->begin != NULL && u->slotOf != NULL};
    for (int i = 0; list.ok && i < count; ++i)
    {
        spListPatch(&list, sets, setCount, patchBegin, patches[i]);
        u->begin[i + 1] = list.count;
        int have = slots->patchSlot[patches[i] + 1] - slots->patchSlot[patches[i]] - SP_TRASH_SLOTS;
        u->overflow |= list.count - u->begin[i] > have;
    }
    u->nodes = list.nodes;
    bool ok = list.ok;
    if (ok && u->overflow == false)
    {
        ok = spFindOwners(u, heap, slots, patchBegin);
        u->sums = ok ? spAllocZeroed(heap, spArraySize(u->ownerCount, sizeof(spPatchSum))) : NULL;
        ok = ok && (u->ownerCount == 0 || u->sums != NULL);
    }
    for (int i = 0; ok && i < u->ownerCount; ++i)
    {
        ok = spUpdateSum(u, heap, slots, patchBegin, u->owners[i], u->sums + i);
    }
    if (ok == false)
    {
        spFreeSlotUpdate(u, heap);
    }
    return ok;
}

void spApplySlots(spSlotUpdate* u, spSlots* slots, spBlocks** sets, int setCount, const int32_t* patchBegin)
{
    int32_t* all[64];
    SP_ASSERT(setCount <= 64);
    for (int s = 0; s < setCount; ++s)
    {
        all[s] = sets[s]->slots;
    }
    for (int i = 0; i < u->patchCount; ++i)
    {
        int patch = u->patches[i], next = u->begin[i];
        for (int slot = slots->patchSlot[patch]; slot < slots->patchSlot[patch + 1]; ++slot)
        {
            slots->slotNode[slot] = next < u->begin[i + 1] ? u->nodes[next++] : -1;
        }
        spFillPatchSlots(slots, sets, setCount, patchBegin, patch, u->slotOf, all);
        for (int s = 0; s < setCount; ++s)
        {
            const spBlocks* blocks = sets[s];
            for (int block = blocks->patchBlock[patch]; block < blocks->patchBlock[patch + 1]; ++block)
            {
                blocks->slotPlace[block] = spNeedsSlots(blocks, all[s], block) ? block : -1;
            }
        }
    }
    for (int i = 0; i < u->ownerCount; ++i)
    {
        spPatchSum old = slots->sums[u->owners[i]];
        slots->sums[u->owners[i]] = u->sums[i];
        u->sums[i] = old;
    }
}

void spFreeSlotUpdate(spSlotUpdate* u, spHeap* heap)
{
    for (int i = 0; u->sums != NULL && i < u->ownerCount; ++i)
    {
        spFree(heap, u->sums[i].nodes);
    }
    spFree(heap, u->begin);
    spFree(heap, u->nodes);
    spFree(heap, u->owners);
    spFree(heap, u->sums);
    spFree(heap, u->slotOf);
    *u = (spSlotUpdate){0};
}
