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
    size_t peak; // the most that was used since the last reset
    spArenaOverflow* overflow;
} spArena;

void spInitArena(spArena* arena, spHeap* heap);
void spFreeArena(spArena* arena);

// Returns memory aligned to a cache line, valid until the next reset; NULL when there is none or size is 0.
void* spArenaAlloc(spArena* arena, size_t size);

// Gives back what was handed out since the mark (arena->used at that time). Blocks that did not fit stay
// until the reset.
void spRewindArena(spArena* arena, size_t mark);

// Gives everything back. Grows the arena when the last step overflowed; failing to grow is harmless.
void spResetArena(spArena* arena);
