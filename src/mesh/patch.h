// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Blocks and slots: how local elements are laid out for lanes and threads.
//
// An element belongs to the patch of its lowest node. The elements of a patch are packed into blocks of
// SP_BLOCK whose lanes never share a node; lanes that stay empty repeat the nodes of lane 0 and write to
// trash slots of the patch, one for each lane: additions to one place would wait for each other.
//
//   node state   [ nodes of patch 0 | nodes of patch 1 | ... ]
//   forces       [ nodes of patch 0 | nodes of patch 1 | ... | slots of patch 0 | slots of patch 1 | ... ]
//
// A patch adds straight into its own nodes. For a node of another patch it has a private slot; those are
// summed into the node afterwards by the patch that owns the node, in patch order. So patches can run on any
// thread in any order and give the same bits.
//
// In a body with room the blocks and the slots of each patch have a region that is longer than what is used;
// spare blocks are empty, spare slots stand for no node. An edit packs the regions of some patches anew.
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

// What the patch that owns nodes sums: entries are those of its nodes that other patches write to
typedef struct spPatchSum
{
    int entryCount;
    int32_t* nodes;      // (entryCount); the others lie behind it
    int32_t* begin;      // first reference of each entry (entryCount + 1)
    int32_t* references; // slots of each entry, in patch order
} spPatchSum;

// At the end of the slots of a patch
#define SP_TRASH_SLOTS SP_BLOCK

// Slots of all element sets of a body together
typedef struct spSlots
{
    int nodeCount;
    int patchCount;
    int slotCount;      // trash and spare ones included
    int32_t* patchSlot; // first slot of each patch, counted from nodeCount (patchCount + 1); the last ones
                        // of each are trash
    int32_t* slotNode;  // node that each slot stands for, -1 for trash and spare ones (slotCount)
    spPatchSum* sums;   // (patchCount)
} spSlots;

// Builds the slots for sets of blocks and fills in their slot indices. Returns false, with all as it was, when
// there is no memory. With room every patch gets spare slots, and every block a place for its own, so that
// edits can change them.
bool spBuildSlots(spSlots* slots, spHeap* heap, spBlocks** sets, int setCount, const int32_t* patchBegin,
                  int patchCount, bool room);
void spFreeSlots(spSlots* slots, spHeap* heap);

// Adds the slots of other patches into the nodes of a patch, in patch order. f: nodes, then slots.
void spSumSlots(const spSlots* slots, spVec4* f, int patch);

// ---- edits ----

// New blocks of some patches of a set beside the old ones, each as large as the region of its patch. The set
// has data of its own for them.
typedef struct spRepack
{
    int patchCount;
    int32_t* patches;  // that change, rising
    int32_t* begin;    // first block of each here (patchCount + 1)
    int32_t* elements; // as in spBlocks
    int32_t* nodes;
    bool overflow; // a patch has not enough blocks: the set must be laid out anew
} spRepack;

// What to pack: elements of the patches that change, with their nodes from now on
typedef struct spRepackDef
{
    const int32_t* patches; // rising
    int patchCount;
    const int32_t* elements; // in any order
    const int32_t* nodes;    // nodesPerElement for each
    int elementCount;
    const int32_t* patchBegin;
} spRepackDef;

// Moves the blocks of every patch apart, so that each has some to spare. Empty blocks repeat nodes of an
// element and write to trash. False, with all as it was, when there is no memory.
bool spSpreadBlocks(spBlocks* blocks, spHeap* heap, int more);

// Packs patches as spBuildBlocks does: the layout of a patch follows from its elements alone. False, with all
// freed, when there is no memory.
bool spPackPatches(spRepack* repack, spHeap* heap, const spBlocks* blocks, const spRepackDef* def);
// Exchanges the blocks of those patches for the new ones, or back again
void spSwapBlocks(spBlocks* blocks, spRepack* repack);
void spFreeRepack(spRepack* repack, spHeap* heap);

// New slots of some patches, and new sums of the patches whose nodes they stand for
typedef struct spSlotUpdate
{
    int patchCount;
    const int32_t* patches; // whose blocks have changed, rising
    int32_t* begin;         // first of the nodes of each (patchCount + 1)
    int32_t* nodes;         // that they have slots for
    int ownerCount;
    int32_t* owners;  // patches with new sums, rising
    spPatchSum* sums; // (ownerCount)
    int32_t* slotOf;  // scratch, of each node
    bool overflow;    // a patch has not enough slots: all must be built anew
} spSlotUpdate;

// Finds the slots of patches whose blocks have been exchanged, without changing anything. False, with all
// freed, when there is no memory. `patches` must live as long as the update.
bool spPrepareSlots(spSlotUpdate* update, spHeap* heap, const spSlots* slots, spBlocks** sets, int setCount,
                    const int32_t* patchBegin, const int32_t* patches, int count);
// Takes them in. The update then holds what was there before.
void spApplySlots(spSlotUpdate* update, spSlots* slots, spBlocks** sets, int setCount,
                  const int32_t* patchBegin);
void spFreeSlotUpdate(spSlotUpdate* update, spHeap* heap);
