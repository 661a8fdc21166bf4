// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Slots with generations behind the public ids. A pool hands out slot numbers; the objects themselves lie in
// arrays of pointers that their owner keeps.

#pragma once

#include "base/memory.h"

typedef struct spSlot
{
    uint32_t generation; // odd while the slot is in use
    int32_t nextFree;    // slot + 1 of the next free slot, 0 at the end of the list
} spSlot;

typedef struct spIdPool
{
    spSlot* slots;
    int slotCount;
    int capacity;
    int32_t firstFree; // slot + 1, 0 when no slot is free
} spIdPool;

typedef struct spSlotId
{
    uint32_t index1;
    uint32_t generation;
} spSlotId;

void spFreeIdPool(spIdPool* pool, spHeap* heap);

// Returns the null id when there is no memory. The slot is index1 - 1.
spSlotId spTakeSlot(spIdPool* pool, spHeap* heap);
void spReleaseSlot(spIdPool* pool, int slot);

// The slot behind an id, or -1 when the id is null or stale.
int spFindSlot(const spIdPool* pool, uint32_t index1, uint32_t generation);
spSlotId spGetSlotId(const spIdPool* pool, int slot);
