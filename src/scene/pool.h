// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Memory that lives as long as a scene: many small pieces, freed all at once.

#pragma once

#include "base/memory.h"

typedef struct spPoolBlock spPoolBlock;

typedef struct spPool
{
    spHeap* heap;
    spPoolBlock* blocks;
} spPool;

// Zeroed memory, aligned for any type. NULL when there is none, and for size 0.
void* spPoolAlloc(spPool* pool, size_t size);

// A terminated copy; NULL when there is no memory
const char* spPoolCopy(spPool* pool, const char* text, size_t size);

void spFreePool(spPool* pool);
