// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Memory for one step: blocks are handed out by moving a mark and all given back at once. When a step asks
// for more than there is, the rest comes from the heap, and the arena grows to the whole size at the next
// reset, so that the same step later allocates nothing.

#pragma once

#include "base/memory.h"

typedef struct spArenaOverflow spArenaOverflow;

typedef struct spArena
{
    spHeap* heap;
    char* memory;
    size_t capacity;
    size_t used; // since the last reset, overflow included
    spArenaOverflow* overflow;
} spArena;

void spInitArena(spArena* arena, spHeap* heap);
void spFreeArena(spArena* arena);

// Returns memory aligned to a cache line, valid until the next reset; NULL when there is none or size is 0.
void* spArenaAlloc(spArena* arena, size_t size);

// Gives everything back. Grows the arena when the last step overflowed; failing to grow is harmless.
void spResetArena(spArena* arena);
