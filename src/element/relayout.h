// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// New blocks of a set when some of its elements change nodes, come or go in an edit: of the patches that they leave
// and come to, or of all patches where there is no room.

#pragma once

#include "element/element.h"
#include "mesh/patch.h"

typedef struct spRelayout
{
    spRepack repack;
    bool whole;
    spBlocks blocks; // when the set is laid out anew
} spRelayout;

typedef struct spRelayoutDef
{
    const spBlocks* blocks; // of the set
    const int32_t* changed; // elements that change, rising
    const int32_t* nodes;   // so many of each from now on, the first -1 where it is gone
    int stride;             // from those of one to those of the next
    int changedCount;
    const void* now;       // nodes of all elements as they are, gone or not
    size_t nowStride;      // bytes from one to the next
    const spReal* present; // of each element: 0 where it is gone
} spRelayoutDef;

// Blocks that each patch has to spare for elements that edits add
static inline int spGetSpareBlocks(int tetRoom, int patchCount)
{
    return 2 + tetRoom / (SP_BLOCK * patchCount);
}

// False without memory; spFreeRelayout comes after it in any case. Counts the blocks and marks the patches in remap.
bool spPrepareRelayout(spRelayout* layout, spHeap* heap, const spRelayoutDef* def, spRemap* remap);
// Elements of the new blocks, whose number it returns
int spGetNewBlocks(const spRelayout* layout, const int32_t** elements);
// Exchanges what the set has for what was prepared, or back again
void spExchangeRelayout(spRelayout* layout, spBlocks* blocks);
void spFreeRelayout(spRelayout* layout, spHeap* heap);
