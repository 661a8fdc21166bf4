// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Blocks and slots: how local elements are laid out for lanes and threads.
//
// An element belongs to the patch of its lowest node. The elements of a patch are packed into blocks of
// SP_BLOCK whose lanes never share a node; lanes that stay empty repeat the nodes of lane 0 and write to a
// trash slot of the patch.
//
//   node state   [ nodes of patch 0 | nodes of patch 1 | ... ]
//   forces       [ nodes of patch 0 | nodes of patch 1 | ... | slots of patch 0 | slots of patch 1 | ... ]
//
// A patch adds straight into its own nodes. For a node of another patch it has a private slot; those are
// summed into the node afterwards by the patch that owns the node, in patch order. So patches can run on any
// thread in any order and give the same bits.
//
// Blocks name nodes and slots by the offset of their first number, 4 * index: what the kernels load with.

#pragma once

#include "base/memory.h"
#include "base/node.h"

typedef struct spBlocks
{
    int nodesPerElement;
    int elementCount;
    int blockCount;
    int patchCount;
    int32_t* patchBlock; // first block of each patch (patchCount + 1)
    int32_t* nodes;      // offsets, 4 * node (blockCount x nodesPerElement x SP_BLOCK)
    int32_t* slots;      // offsets of where forces go, for the blocks that have a place here, same shape
    int32_t* slotPlace;  // place of each block in slots; -1 when all its forces go to its nodes (blockCount)
    int slotBlockCount;  // blocks that have a place
    int32_t* elements;   // element in each lane, -1 for an empty one (blockCount x SP_BLOCK)
} spBlocks;

// elementNodes: nodesPerElement node indices for each element. Returns false, with all freed, when there is
// no memory.
bool spBuildBlocks(spBlocks* blocks, spHeap* heap, const int32_t* elementNodes, int elementCount,
                   int nodesPerElement, const int32_t* patchBegin, int patchCount);
void spFreeBlocks(spBlocks* blocks, spHeap* heap);

// Elements sorted by their lowest node, by counting: n node indices for each element. Returns false when there
// is no memory.
bool spSortByLowestNode(int32_t* sorted, spHeap* heap, const int32_t* elementNodes, int elementCount, int n,
                        int nodeCount);

// Where the forces of a block go: nodesPerElement x SP_BLOCK offsets
static inline const int32_t* spGetBlockSlots(const spBlocks* blocks, int block)
{
    size_t size = (size_t)blocks->nodesPerElement * SP_BLOCK;
    int place = blocks->slotPlace[block];
    return place < 0 ? blocks->nodes + (size_t)block * size : blocks->slots + (size_t)place * size;
}

// Slots of all element sets of a body together
typedef struct spSlots
{
    int nodeCount;
    int patchCount;
    int slotCount;      // trash included
    int entryCount;     // nodes that other patches write to
    int referenceCount; // slots without trash
    int32_t*
        patchSlot; // first slot of each patch, counted from nodeCount (patchCount + 1); the last one is trash
    int32_t* patchEntry; // first entry of each patch that owns nodes (patchCount + 1)
    int32_t* entryNode;  // (entryCount)
    int32_t* entryBegin; // first reference of each entry (entryCount + 1)
    int32_t* references; // slots of each entry, in patch order (referenceCount)
} spSlots;

// Builds the slots for sets of blocks and fills in their slot indices. Returns false, with all freed, when
// there is no memory.
bool spBuildSlots(spSlots* slots, spHeap* heap, spBlocks** sets, int setCount, const int32_t* patchBegin,
                  int patchCount);
void spFreeSlots(spSlots* slots, spHeap* heap);

// Adds the slots of other patches into the nodes of a patch, in patch order. f: nodes, then slots.
void spSumSlots(const spSlots* slots, spVec4* f, int patch);
