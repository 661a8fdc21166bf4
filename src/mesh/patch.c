// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/patch.h"

#include "mesh/order.h"
#include "mesh/sweep_order.h"

#include <string.h>

// Blocks that are being filled at the same time, one bit each
#define SP_OPEN_BLOCKS 64

// Blocks of a patch for each that it has to spare, in a body with room
#define SP_SPARE_SHARE 8

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
    for (int i = 0; ok && list->elements != NULL && i < blocks->blockCount * SP_BLOCK; ++i)
    {
        int32_t* element = blocks->elements + i;
        *element = *element >= 0 ? list->elements[*element] : -1;
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

// ---- edits ----

// An empty block of a patch: nodes of some element, in every lane
static void spClearBlock(int32_t* elements, int32_t* nodes, int n, const int32_t* like)
{
    for (int i = 0; i < n * SP_BLOCK; ++i)
    {
        nodes[i] = like[i / SP_BLOCK * SP_BLOCK];
        elements[i % SP_BLOCK] = -1;
    }
}

bool spSpreadBlocks(spBlocks* blocks, spHeap* heap, int more)
{
    int n = blocks->nodesPerElement, patchCount = blocks->patchCount;
    spBlocks wide = *blocks;
    wide.patchBlock = spAllocZeroed(heap, spArraySize(patchCount + 1, sizeof(int32_t)));
    for (int patch = 0; wide.patchBlock != NULL && patch < patchCount; ++patch)
    {
        int used = blocks->patchBlock[patch + 1] - blocks->patchBlock[patch];
        wide.patchBlock[patch + 1] = wide.patchBlock[patch] + used + used / SP_SPARE_SHARE + more;
    }
    wide.blockCount = wide.patchBlock != NULL ? wide.patchBlock[patchCount] : 0;
    size_t size = spArraySize(wide.blockCount, SP_BLOCK * sizeof(int32_t));
    wide.elements = spAlloc(heap, size);
    wide.nodes = spAlloc(heap, size * (size_t)n);
    wide.slotPlace = spAlloc(heap, spArraySize(wide.blockCount, sizeof(int32_t)));
    if (wide.elements == NULL || wide.nodes == NULL || wide.slotPlace == NULL)
    {
        wide.slots = NULL;
        spFreeBlocks(&wide, heap);
        return false;
    }
    for (int patch = 0; patch < patchCount; ++patch)
    {
        for (int block = wide.patchBlock[patch]; block < wide.patchBlock[patch + 1]; ++block)
        {
            int from = blocks->patchBlock[patch] + block - wide.patchBlock[patch];
            int32_t* elements = wide.elements + (size_t)block * SP_BLOCK;
            int32_t* nodes = wide.nodes + (size_t)block * n * SP_BLOCK;
            wide.slotPlace[block] = -1;
            if (from < blocks->patchBlock[patch + 1])
            {
                memcpy(elements, blocks->elements + (size_t)from * SP_BLOCK, SP_BLOCK * sizeof(int32_t));
                memcpy(nodes, blocks->nodes + (size_t)from * n * SP_BLOCK,
                       (size_t)n * SP_BLOCK * sizeof(int32_t));
            }
            else
            {
                spClearBlock(elements, nodes, n, blocks->nodes);
            }
        }
    }
    spFreeBlocks(blocks, heap);
    wide.slots = NULL;
    *blocks = wide;
    return true;
}

typedef struct spKey
{
    uint64_t value;
    int32_t place; // where it comes from
} spKey;

// Sorts by the bytes of the values, those that are the same everywhere left out
static bool spSortKeys(spKey* keys, int count, spHeap* heap)
{
    spKey* other = spAlloc(heap, spArraySize(count, sizeof(spKey)));
    uint64_t any = 0;
    for (int i = 0; i < count; ++i)
    {
        any |= keys[i].value ^ keys[0].value;
    }
    spKey *from = keys, *to = other;
    for (int shift = 0; other != NULL && shift < 64; shift += 8)
    {
        int begin[257] = {0};
        if ((any >> shift & 0xFF) == 0)
        {
            continue;
        }
        for (int i = 0; i < count; ++i)
        {
            begin[(from[i].value >> shift & 0xFF) + 1] += 1;
        }
        for (int i = 0; i < 256; ++i)
        {
            begin[i + 1] += begin[i];
        }
        for (int i = 0; i < count; ++i)
        {
            to[begin[from[i].value >> shift & 0xFF]++] = from[i];
        }
        spKey* swap = from;
        from = to;
        to = swap;
    }
    if (other != NULL && from == other)
    {
        memcpy(keys, other, (size_t)count * sizeof(spKey));
    }
    spFree(heap, other);
    return other != NULL || count == 0;
}

// The elements of a def, sorted as spBuildBlocks packs them: by lowest node, then by number
typedef struct spSortedElements
{
    int32_t* nodes;
    int32_t* ids;
    int32_t* begin; // of each patch (patchCount + 1)
    int32_t* count; // 0, 1, 2 ...
} spSortedElements;

static bool spSortTouched(spSortedElements* sorted, spHeap* heap, const spRepackDef* def, int n)
{
    int count = def->elementCount;
    spKey* keys = spAlloc(heap, spArraySize(count, sizeof(spKey)));
    sorted->nodes = spAlloc(heap, spArraySize(count, (size_t)n * sizeof(int32_t)));
    sorted->ids = spAlloc(heap, spArraySize(count, sizeof(int32_t)));
    sorted->count = spAlloc(heap, spArraySize(count, sizeof(int32_t)));
    sorted->begin = spAlloc(heap, spArraySize(def->patchCount + 1, sizeof(int32_t)));
    bool ok = sorted->begin != NULL && (count == 0 || (keys != NULL && sorted->nodes != NULL &&
                                                       sorted->ids != NULL && sorted->count != NULL));
    for (int i = 0; ok && i < count; ++i)
    {
        uint64_t lowest = (uint64_t)spGetLowestNode(def->nodes + (size_t)i * n, n);
        keys[i] = (spKey){lowest << 32 | (uint64_t)def->elements[i], i};
    }
    ok = ok && spSortKeys(keys, count, heap);
    for (int i = 0; ok && i < count; ++i)
    {
        int from = keys[i].place;
        memcpy(sorted->nodes + (size_t)i * n, def->nodes + (size_t)from * n, (size_t)n * sizeof(int32_t));
        sorted->ids[i] = def->elements[from];
        sorted->count[i] = i;
    }
    for (int patch = 0, i = 0; ok && patch <= def->patchCount; ++patch)
    {
        int32_t first = patch < def->patchCount ? def->patchBegin[def->patches[patch]] : INT32_MAX;
        while (i < count && (int32_t)(keys[i].value >> 32) < first)
        {
            i += 1;
        }
        sorted->begin[patch] = i;
    }
    spFree(heap, keys);
    return ok;
}

// Copies what was packed to the places of the regions, and fills up with empty blocks
static bool spFillRegions(spRepack* r, spHeap* heap, const spBlocks* blocks, const spBlocks* packed,
                          const int32_t* ids)
{
    int n = blocks->nodesPerElement;
    for (int i = 0; i < r->patchCount; ++i)
    {
        int region = blocks->patchBlock[r->patches[i] + 1] - blocks->patchBlock[r->patches[i]];
        r->overflow |= packed->patchBlock[i + 1] - packed->patchBlock[i] > region;
        r->begin[i + 1] = r->begin[i] + region;
    }
    int total = r->begin[r->patchCount];
    r->elements = spAlloc(heap, spArraySize(total, SP_BLOCK * sizeof(int32_t)));
    r->nodes = spAlloc(heap, spArraySize(total, (size_t)n * SP_BLOCK * sizeof(int32_t)));
    if (total > 0 && (r->elements == NULL || r->nodes == NULL))
    {
        return false;
    }
    for (int i = 0; r->overflow == false && i < r->patchCount; ++i)
    {
        for (int block = r->begin[i]; block < r->begin[i + 1]; ++block)
        {
            int from = packed->patchBlock[i] + block - r->begin[i];
            int32_t* elements = r->elements + (size_t)block * SP_BLOCK;
            int32_t* nodes = r->nodes + (size_t)block * n * SP_BLOCK;
            if (from >= packed->patchBlock[i + 1])
            {
                spClearBlock(elements, nodes, n, packed->blockCount > 0 ? packed->nodes : blocks->nodes);
                continue;
            }
            memcpy(nodes, packed->nodes + (size_t)from * n * SP_BLOCK,
                   (size_t)n * SP_BLOCK * sizeof(int32_t));
            for (int lane = 0; lane < SP_BLOCK; ++lane)
            {
                int local = packed->elements[(size_t)from * SP_BLOCK + lane];
                elements[lane] = local < 0 ? -1 : ids[local];
            }
        }
    }
    return true;
}

bool spPackPatches(spRepack* r, spHeap* heap, const spBlocks* blocks, const spRepackDef* def)
{
    int n = blocks->nodesPerElement;
    *r = (spRepack){.patchCount = def->patchCount};
    spSortedElements sorted = {0};
    spBlocks packed = {
        .nodesPerElement = n, .elementCount = def->elementCount, .patchCount = def->patchCount};
    r->patches = spAlloc(heap, spArraySize(def->patchCount, sizeof(int32_t)));
    r->begin = spAllocZeroed(heap, spArraySize(def->patchCount + 1, sizeof(int32_t)));
    bool ok = r->begin != NULL && (def->patchCount == 0 || r->patches != NULL) &&
              spSortTouched(&sorted, heap, def, n);
    if (ok && def->patchCount > 0)
    {
        memcpy(r->patches, def->patches, (size_t)def->patchCount * sizeof(int32_t));
    }
    if (ok && def->elementCount > 0)
    {
        int nodeCount = def->patchBegin[blocks->patchCount];
        ok = spPackBlocks(&packed, heap, sorted.nodes, nodeCount, sorted.count, sorted.begin);
    }
    else if (ok)
    {
        packed.patchBlock = spAllocZeroed(heap, spArraySize(def->patchCount + 1, sizeof(int32_t)));
        ok = packed.patchBlock != NULL;
    }
    ok = ok && spFillRegions(r, heap, blocks, &packed, sorted.ids);
    spFreeBlocks(&packed, heap);
    spFree(heap, sorted.nodes);
    spFree(heap, sorted.ids);
    spFree(heap, sorted.begin);
    spFree(heap, sorted.count);
    if (ok == false)
    {
        spFreeRepack(r, heap);
    }
    return ok;
}

static void spSwapInts(int32_t* a, int32_t* b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        int32_t t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

void spSwapBlocks(spBlocks* blocks, spRepack* r)
{
    size_t n = (size_t)blocks->nodesPerElement;
    for (int i = 0; i < r->patchCount; ++i)
    {
        size_t to = (size_t)blocks->patchBlock[r->patches[i]], from = (size_t)r->begin[i];
        size_t count = (size_t)(r->begin[i + 1] - r->begin[i]);
        spSwapInts(blocks->elements + to * SP_BLOCK, r->elements + from * SP_BLOCK, count * SP_BLOCK);
        spSwapInts(blocks->nodes + to * n * SP_BLOCK, r->nodes + from * n * SP_BLOCK, count * n * SP_BLOCK);
    }
}

void spFreeRepack(spRepack* r, spHeap* heap)
{
    spFree(heap, r->patches);
    spFree(heap, r->begin);
    spFree(heap, r->elements);
    spFree(heap, r->nodes);
    *r = (spRepack){0};
}
