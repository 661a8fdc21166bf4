// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/arena.h"

// Sits in front of each block that did not fit
struct spArenaOverflow
{
    spArenaOverflow* next;
    size_t size;
};

void spInitArena(spArena* arena, spHeap* heap)
{
    *arena = (spArena){.heap = heap};
}

static void spFreeOverflow(spArena* arena)
{
    while (arena->overflow != NULL)
    {
        spArenaOverflow* next = arena->overflow->next;
        spFree(arena->heap, arena->overflow);
        arena->overflow = next;
    }
}

void spFreeArena(spArena* arena)
{
    spFreeOverflow(arena);
    spFree(arena->heap, arena->memory);
    *arena = (spArena){.heap = arena->heap};
}

void* spArenaAlloc(spArena* arena, size_t size)
{
    if (size == 0 || size > SIZE_MAX / 4)
    {
        return NULL;
    }
    size_t rounded = (size + SP_CACHE_LINE - 1) & ~(size_t)(SP_CACHE_LINE - 1);
    size_t begin = arena->used;
    arena->used += rounded;
    arena->peak = arena->used > arena->peak ? arena->used : arena->peak;
    if (arena->used <= arena->capacity)
    {
        return arena->memory + begin;
    }
    spArenaOverflow* block = spAlloc(arena->heap, rounded + SP_CACHE_LINE);
    if (block == NULL)
    {
        return NULL;
    }
    block->size = rounded + SP_CACHE_LINE;
    block->next = arena->overflow;
    arena->overflow = block;
    return (char*)block + SP_CACHE_LINE;
}

void spRewindArena(spArena* arena, size_t mark)
{
    SP_ASSERT(mark <= arena->used);
    arena->used = mark;
}

void spResetArena(spArena* arena)
{
    if (arena->overflow != NULL)
    {
        spFreeOverflow(arena);
        // Half as much again, so that a slowly growing number of contacts does not grow the arena every step
        size_t wanted = arena->peak + arena->peak / 2;
        void* memory = spAlloc(arena->heap, wanted);
        if (memory != NULL)
        {
            spFree(arena->heap, arena->memory);
            arena->memory = memory;
            arena->capacity = wanted;
        }
    }
    arena->used = 0;
    arena->peak = 0;
}
