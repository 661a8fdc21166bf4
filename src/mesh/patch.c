// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/patch.h"

#include "mesh/order.h"
#include "mesh/sweep_order.h"

#include <string.h>

// Blocks that are being filled at the same time, one bit each
#define SP_OPEN_BLOCKS 64

typedef struct spBlockBuilder
{
    spBlocks* blocks;
    spHeap* heap;
    int blockCapacity;
    const int32_t* elementNodes;
    uint64_t* openOf; // per node: open blocks that hold it
    int32_t open[SP_OPEN_BLOCKS][SP_BLOCK];
    int openCount[SP_OPEN_BLOCKS];
    uint64_t openMask; // blocks with at least one element
} spBlockBuilder;

static bool spGrowBlocks(spBlockBuilder* b, int needed)
{
    if (needed <= b->blockCapacity)
    {
        return true;
    }
    int n = b->blocks->nodesPerElement;
    int capacity = b->blockCapacity;
    int kept = b->blocks->blockCount;
    if (spReserve(b->heap, (void**)&b->blocks->elements, kept, &capacity, needed,
                  SP_BLOCK * sizeof(int32_t)) == false)
    {
        return false;
    }
    int nodeCapacity = b->blockCapacity;
    if (spReserve(b->heap, (void**)&b->blocks->nodes, kept, &nodeCapacity, capacity,
                  (size_t)n * SP_BLOCK * sizeof(int32_t)) == false)
    {
        // Keep one capacity for both arrays: the grown one is cut back in name only when it can be given back
        // whole
        spFree(b->heap, b->blocks->elements);
        b->blocks->elements = NULL;
        spFree(b->heap, b->blocks->nodes);
        b->blocks->nodes = NULL;
        b->blockCapacity = 0;
        return false;
    }
    b->blockCapacity = capacity;
    return true;
}

// Closes an open block: writes its nodes, and repeats lane 0 in empty lanes
static bool spCloseBlock(spBlockBuilder* b, int position)
{
    spBlocks* blocks = b->blocks;
    int n = blocks->nodesPerElement;
    if (spGrowBlocks(b, blocks->blockCount + 1) == false)
    {
        return false;
    }
    int32_t* elements = blocks->elements + (size_t)blocks->blockCount * SP_BLOCK;
    int32_t* nodes = blocks->nodes + (size_t)blocks->blockCount * n * SP_BLOCK;
    for (int lane = 0; lane < SP_BLOCK; ++lane)
    {
        bool filled = lane < b->openCount[position];
        int32_t element = b->open[position][filled ? lane : 0];
        elements[lane] = filled ? element : -1;
        for (int k = 0; k < n; ++k)
        {
            int32_t node = b->elementNodes[(size_t)element * n + k];
            nodes[k * SP_BLOCK + lane] = 4 * node;
            b->openOf[node] &= ~(1ull << position);
        }
    }
    b->openCount[position] = 0;
    b->openMask &= ~(1ull << position);
    blocks->blockCount += 1;
    return true;
}

static bool spPlaceElement(spBlockBuilder* b, int32_t element)
{
    int n = b->blocks->nodesPerElement;
    const int32_t* nodes = b->elementNodes + (size_t)element * n;
    uint64_t taken = 0;
    for (int k = 0; k < n; ++k)
    {
        taken |= b->openOf[nodes[k]];
    }
    // The fullest block that holds none of the nodes; an empty one when there is none
    int position = -1;
    for (uint64_t free = ~taken & b->openMask; free != 0; free &= free - 1)
    {
        int candidate = __builtin_ctzll(free);
        if (position < 0 || b->openCount[candidate] > b->openCount[position])
        {
            position = candidate;
        }
    }
    if (position < 0 && ~b->openMask != 0)
    {
        position = __builtin_ctzll(~b->openMask);
    }
    if (position < 0)
    {
        // Every block is open and holds one of the nodes: close the fullest
        position = 0;
        for (int i = 1; i < SP_OPEN_BLOCKS; ++i)
        {
            position = b->openCount[i] > b->openCount[position] ? i : position;
        }
        if (spCloseBlock(b, position) == false)
        {
            return false;
        }
    }
    b->openMask |= 1ull << position;
    b->open[position][b->openCount[position]++] = element;
    for (int k = 0; k < n; ++k)
    {
        b->openOf[nodes[k]] |= 1ull << position;
    }
    return b->openCount[position] < SP_BLOCK || spCloseBlock(b, position);
}

static bool spFillBlocks(spBlockBuilder* b, const int32_t* sorted, const int32_t* patchElement)
{
    for (int patch = 0; patch < b->blocks->patchCount; ++patch)
    {
        b->blocks->patchBlock[patch] = b->blocks->blockCount;
        for (int i = patchElement[patch]; i < patchElement[patch + 1]; ++i)
        {
            if (spPlaceElement(b, sorted[i]) == false)
            {
                return false;
            }
        }
        for (int position = 0; position < SP_OPEN_BLOCKS; ++position)
        {
            if (b->openCount[position] > 0 && spCloseBlock(b, position) == false)
            {
                return false;
            }
        }
    }
    b->blocks->patchBlock[b->blocks->patchCount] = b->blocks->blockCount;
    return true;
}

// Cuts the arrays to their final size. Until slots are built, forces go to the nodes.
static bool spTrimBlocks(spBlockBuilder* b)
{
    spBlocks* blocks = b->blocks;
    int n = blocks->nodesPerElement;
    size_t elementSize = spArraySize(blocks->blockCount, SP_BLOCK * sizeof(int32_t));
    size_t nodeSize = elementSize * (size_t)n;
    int32_t* elements = spAlloc(b->heap, elementSize);
    int32_t* nodes = spAlloc(b->heap, nodeSize);
    size_t placeSize = spArraySize(blocks->blockCount, sizeof(int32_t));
    int32_t* slotPlace = spAlloc(b->heap, placeSize);
    if (elements == NULL || nodes == NULL || slotPlace == NULL)
    {
        spFree(b->heap, elements);
        spFree(b->heap, nodes);
        spFree(b->heap, slotPlace);
        return false;
    }
    memcpy(elements, blocks->elements, elementSize);
    memcpy(nodes, blocks->nodes, nodeSize);
    spFree(b->heap, blocks->elements);
    spFree(b->heap, blocks->nodes);
    blocks->elements = elements;
    blocks->nodes = nodes;
    blocks->slotPlace = slotPlace;
    b->blockCapacity = blocks->blockCount;
    for (int block = 0; block < blocks->blockCount; ++block)
    {
        blocks->slotPlace[block] = -1;
    }
    return true;
}

static int32_t spGetLowestNode(const int32_t* nodes, int n)
{
    int32_t lowest = nodes[0];
    for (int k = 1; k < n; ++k)
    {
        lowest = nodes[k] < lowest ? nodes[k] : lowest;
    }
    return lowest;
}

bool spSortByLowestNode(int32_t* sorted, spHeap* heap, const int32_t* elementNodes, int elementCount, int n,
                        int nodeCount)
{
    size_t size = spArraySize(nodeCount + 1, sizeof(int32_t));
    int32_t* nodeElement = spAllocZeroed(heap, size);
    if (nodeElement == NULL)
    {
        return false;
    }
    for (int i = 0; i < elementCount; ++i)
    {
        nodeElement[spGetLowestNode(elementNodes + (size_t)i * n, n) + 1] += 1;
    }
    for (int i = 0; i < nodeCount; ++i)
    {
        nodeElement[i + 1] += nodeElement[i];
    }
    for (int i = 0; i < elementCount; ++i)
    {
        sorted[nodeElement[spGetLowestNode(elementNodes + (size_t)i * n, n)]++] = i;
    }
    spFree(heap, nodeElement);
    return true;
}

// Packs sorted elements, patch by patch. Frees all when there is no memory.
static bool spPackBlocks(spBlocks* blocks, spHeap* heap, const int32_t* elementNodes, int nodeCount,
                         const int32_t* sorted, const int32_t* patchElement)
{
    spBlockBuilder builder = {.blocks = blocks, .heap = heap, .elementNodes = elementNodes};
    size_t openSize = spArraySize(nodeCount, sizeof(uint64_t));
    blocks->patchBlock = spAlloc(heap, spArraySize(blocks->patchCount + 1, sizeof(int32_t)));
    builder.openOf = spAllocZeroed(heap, openSize);
    bool ok = blocks->patchBlock != NULL && builder.openOf != NULL &&
              spFillBlocks(&builder, sorted, patchElement) && spTrimBlocks(&builder);
    spFree(heap, builder.openOf);
    if (ok == false)
    {
        blocks->blockCount = builder.blockCapacity;
        spFreeBlocks(blocks, heap);
    }
    return ok;
}

bool spBuildBlocks(spBlocks* blocks, spHeap* heap, const int32_t* elementNodes, int elementCount,
                   int nodesPerElement, const int32_t* patchBegin, int patchCount)
{
    int n = nodesPerElement;
    *blocks = (spBlocks){.nodesPerElement = n, .elementCount = elementCount, .patchCount = patchCount};
    size_t sortedSize = spArraySize(elementCount, sizeof(int32_t));
    size_t patchSize = spArraySize(patchCount + 1, sizeof(int32_t));
    int32_t* sorted = spAlloc(heap, sortedSize);
    int32_t* patchElement = spAlloc(heap, patchSize);
    bool ok = sorted != NULL && patchElement != NULL &&
              spSortByLowestNode(sorted, heap, elementNodes, elementCount, n, patchBegin[patchCount]);
    if (ok)
    {
        int i = 0;
        for (int patch = 0; patch <= patchCount; ++patch)
        {
            while (i < elementCount &&
                   spGetLowestNode(elementNodes + (size_t)sorted[i] * n, n) < patchBegin[patch])
            {
                i += 1;
            }
            patchElement[patch] = i;
        }
        ok = spPackBlocks(blocks, heap, elementNodes, patchBegin[patchCount], sorted, patchElement);
    }
    spFree(heap, sorted);
    spFree(heap, patchElement);
    return ok;
}

bool spBuildPartBlocks(spBlocks* blocks, spHeap* heap, const spElementList* list, const spSweepOrder* order,
                       const int32_t* partOf)
{
    int n = list->nodesPerElement, count = list->count, partCount = order->partCount;
    *blocks = (spBlocks){.nodesPerElement = n, .elementCount = count, .patchCount = partCount};
    size_t sortedSize = spArraySize(count, sizeof(int32_t));
    int32_t* byNode = spAlloc(heap, sortedSize);
    int32_t* sorted = spAlloc(heap, sortedSize);
    int32_t* partElement = spAllocZeroed(heap, spArraySize(partCount + 2, sizeof(int32_t)));
    bool ok = byNode != NULL && sorted != NULL && partElement != NULL &&
              spSortByLowestNode(byNode, heap, list->nodes, count, n, order->nodeCount);
    if (ok)
    {
        for (int i = 0; i < count; ++i)
        {
            partElement[partOf[i] + 2] += 1;
        }
        for (int part = 0; part < partCount; ++part)
        {
            partElement[part + 1] += partElement[part];
        }
        for (int i = 0; i < count; ++i)
        {
            sorted[partElement[partOf[byNode[i]] + 1]++] = byNode[i];
        }
        ok = spPackBlocks(blocks, heap, list->nodes, order->nodeCount, sorted, partElement);
    }
    spFree(heap, byNode);
    spFree(heap, sorted);
    spFree(heap, partElement);
    return ok;
}

void spFreeBlocks(spBlocks* blocks, spHeap* heap)
{
    spFree(heap, blocks->patchBlock);
    spFree(heap, blocks->elements);
    spFree(heap, blocks->nodes);
    spFree(heap, blocks->slotPlace);
    spFree(heap, blocks->slots);
    *blocks = (spBlocks){0};
}

// Walks the lanes of a patch that hold an element with a node of another patch. Calls with the place in the
// node array.
typedef void spForeignFcn(int set, size_t place, int32_t node, int patch, void* context);

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
                        fcn(s, place, node, patch, context);
                    }
                }
            }
        }
    }
}

// The new slots of one set while they are built: all blocks, to be cut to those that need them
typedef struct spSlotLayout
{
    int32_t* all;   // (blockCount x nodesPerElement x SP_BLOCK)
    int32_t* kept;  // (keptCount x nodesPerElement x SP_BLOCK)
    int32_t* place; // (blockCount)
    int keptCount;
} spSlotLayout;

typedef struct spSlotBuilder
{
    spSlots* slots;
    spSlotLayout* layouts; // one for each set
    int32_t* slotOf;       // per node: slot of the present patch
    int32_t* lastPatch;    // per node: patch that slotOf belongs to, -1 for none
    int32_t* refCount;     // per node: patches that have a slot for it
    int next;
} spSlotBuilder;

static void spCountForeign(int set, size_t place, int32_t node, int patch, void* context)
{
    SP_UNUSED(set);
    SP_UNUSED(place);
    spSlotBuilder* b = context;
    if (b->lastPatch[node] != patch)
    {
        b->lastPatch[node] = patch;
        b->refCount[node] += 1;
        b->next += 1;
    }
}

static void spAssignForeign(int set, size_t place, int32_t node, int patch, void* context)
{
    spSlotBuilder* b = context;
    if (b->lastPatch[node] != patch)
    {
        b->lastPatch[node] = patch;
        b->slotOf[node] = b->slots->nodeCount + b->next;
        // refCount now holds the next free reference of the node
        b->slots->references[b->refCount[node]++] = b->slotOf[node];
        b->next += 1;
    }
    b->layouts[set].all[place] = 4 * b->slotOf[node];
}

// Own nodes are their own slots; empty lanes go to the trash slot of their patch
static void spFillPlainSlots(const spBlocks* blocks, const spSlots* slots, int32_t* all)
{
    int n = blocks->nodesPerElement;
    for (int patch = 0; patch < blocks->patchCount; ++patch)
    {
        int32_t trash = slots->nodeCount + slots->patchSlot[patch + 1] - 1;
        for (int block = blocks->patchBlock[patch]; block < blocks->patchBlock[patch + 1]; ++block)
        {
            for (int i = 0; i < n * SP_BLOCK; ++i)
            {
                size_t place = (size_t)block * n * SP_BLOCK + (size_t)i;
                bool empty = blocks->elements[(size_t)block * SP_BLOCK + i % SP_BLOCK] < 0;
                all[place] = empty ? 4 * trash : blocks->nodes[place];
            }
        }
    }
}

static size_t spGetBlockBytes(const spBlocks* blocks)
{
    return (size_t)blocks->nodesPerElement * SP_BLOCK * sizeof(int32_t);
}

static bool spAllocLayout(spSlotLayout* layout, spHeap* heap, const spBlocks* blocks)
{
    layout->all = spAlloc(heap, spArraySize(blocks->blockCount, spGetBlockBytes(blocks)));
    layout->place = spAlloc(heap, spArraySize(blocks->blockCount, sizeof(int32_t)));
    return layout->all != NULL && layout->place != NULL;
}

static void spFreeLayout(spSlotLayout* layout, spHeap* heap)
{
    spFree(heap, layout->all);
    spFree(heap, layout->place);
    spFree(heap, layout->kept);
}

// Keeps the slots of those blocks that write to others than their nodes
static bool spKeepNeededSlots(spSlotLayout* layout, spHeap* heap, const spBlocks* blocks)
{
    size_t bytes = spGetBlockBytes(blocks);
    int count = 0;
    for (int block = 0; block < blocks->blockCount; ++block)
    {
        size_t at = (size_t)block * bytes / sizeof(int32_t);
        bool same = memcmp(layout->all + at, blocks->nodes + at, bytes) == 0;
        layout->place[block] = same ? -1 : count++;
    }
    layout->kept = spAlloc(heap, spArraySize(count, bytes));
    if (count > 0 && layout->kept == NULL)
    {
        return false;
    }
    layout->keptCount = count;
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
    old.keptCount = blocks->slotBlockCount;
    blocks->slots = layout->kept;
    blocks->slotPlace = layout->place;
    blocks->slotBlockCount = layout->keptCount;
    *layout = old;
}

static bool spFillSlots(spSlotBuilder* b, spHeap* heap, spBlocks** sets, int setCount,
                        const int32_t* patchBegin)
{
    spSlots* slots = b->slots;
    int patchCount = slots->patchCount;

    // Count the slots of each patch, and one more for trash
    for (int i = 0; i < slots->nodeCount; ++i)
    {
        b->lastPatch[i] = -1;
    }
    int total = 0;
    for (int patch = 0; patch < patchCount; ++patch)
    {
        slots->patchSlot[patch] = total;
        b->next = 0;
        spVisitForeign(sets, setCount, patchBegin, patch, spCountForeign, b);
        total += b->next + 1;
        slots->referenceCount += b->next;
    }
    slots->patchSlot[patchCount] = total;
    slots->slotCount = total;

    // Entries: nodes with references, in node order, which is by owner
    for (int i = 0; i < slots->nodeCount; ++i)
    {
        slots->entryCount += b->refCount[i] > 0 ? 1 : 0;
    }
    slots->entryNode = spAlloc(heap, spArraySize(slots->entryCount, sizeof(int32_t)));
    slots->entryBegin = spAlloc(heap, spArraySize(slots->entryCount + 1, sizeof(int32_t)));
    slots->references = spAlloc(heap, spArraySize(slots->referenceCount, sizeof(int32_t)));
    if (slots->entryBegin == NULL ||
        (slots->entryCount > 0 && (slots->entryNode == NULL || slots->references == NULL)))
    {
        return false;
    }
    int entry = 0, reference = 0;
    for (int patch = 0; patch < patchCount; ++patch)
    {
        slots->patchEntry[patch] = entry;
        for (int node = patchBegin[patch]; node < patchBegin[patch + 1]; ++node)
        {
            int count = b->refCount[node];
            if (count > 0)
            {
                slots->entryNode[entry] = node;
                slots->entryBegin[entry] = reference;
                b->refCount[node] = reference;
                reference += count;
                entry += 1;
            }
        }
    }
    slots->patchEntry[patchCount] = entry;
    slots->entryBegin[entry] = reference;

    // Give out the slots, patch by patch, so that references of a node are in patch order
    for (int s = 0; s < setCount; ++s)
    {
        spFillPlainSlots(sets[s], slots, b->layouts[s].all);
    }
    for (int i = 0; i < slots->nodeCount; ++i)
    {
        b->lastPatch[i] = -1;
    }
    for (int patch = 0; patch < patchCount; ++patch)
    {
        b->next = slots->patchSlot[patch];
        spVisitForeign(sets, setCount, patchBegin, patch, spAssignForeign, b);
    }
    return true;
}

bool spBuildSlots(spSlots* slots, spHeap* heap, spBlocks** sets, int setCount, const int32_t* patchBegin,
                  int patchCount)
{
    int nodeCount = patchBegin[patchCount];
    *slots = (spSlots){.nodeCount = nodeCount, .patchCount = patchCount};
    size_t nodeSize = spArraySize(nodeCount, sizeof(int32_t));
    size_t layoutSize = spArraySize(setCount, sizeof(spSlotLayout));
    slots->patchSlot = spAllocZeroed(heap, spArraySize(patchCount + 1, sizeof(int32_t)));
    slots->patchEntry = spAllocZeroed(heap, spArraySize(patchCount + 1, sizeof(int32_t)));
    spSlotBuilder builder = {.slots = slots};
    builder.layouts = spAllocZeroed(heap, layoutSize);
    builder.slotOf = spAlloc(heap, nodeSize);
    builder.lastPatch = spAlloc(heap, nodeSize);
    builder.refCount = spAllocZeroed(heap, nodeSize);
    bool ok = slots->patchSlot != NULL && slots->patchEntry != NULL &&
              (setCount == 0 || builder.layouts != NULL) && builder.slotOf != NULL &&
              builder.lastPatch != NULL && builder.refCount != NULL;
    for (int s = 0; ok && s < setCount; ++s)
    {
        ok = spAllocLayout(builder.layouts + s, heap, sets[s]);
    }
    ok = ok && spFillSlots(&builder, heap, sets, setCount, patchBegin);
    for (int s = 0; ok && s < setCount; ++s)
    {
        ok = spKeepNeededSlots(builder.layouts + s, heap, sets[s]);
    }
    for (int s = 0; builder.layouts != NULL && s < setCount; ++s)
    {
        if (ok)
        {
            spSwapLayout(builder.layouts + s, sets[s]);
        }
        spFreeLayout(builder.layouts + s, heap);
    }
    spFree(heap, builder.layouts);
    spFree(heap, builder.slotOf);
    spFree(heap, builder.lastPatch);
    spFree(heap, builder.refCount);
    if (ok == false)
    {
        spFreeSlots(slots, heap);
    }
    return ok;
}

void spFreeSlots(spSlots* slots, spHeap* heap)
{
    spFree(heap, slots->patchSlot);
    spFree(heap, slots->patchEntry);
    spFree(heap, slots->entryNode);
    spFree(heap, slots->entryBegin);
    spFree(heap, slots->references);
    *slots = (spSlots){0};
}

void spSumSlots(const spSlots* slots, spVec4* f, int patch)
{
    for (int entry = slots->patchEntry[patch]; entry < slots->patchEntry[patch + 1]; ++entry)
    {
        spVec4 sum = f[slots->entryNode[entry]];
        for (int r = slots->entryBegin[entry]; r < slots->entryBegin[entry + 1]; ++r)
        {
            const spVec4* part = f + slots->references[r];
            sum.x += part->x;
            sum.y += part->y;
            sum.z += part->z;
        }
        f[slots->entryNode[entry]] = sum;
    }
}
