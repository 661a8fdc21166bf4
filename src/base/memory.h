// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Memory: every allocation of the library goes through an spHeap, which wraps the user's allocator and counts
// bytes. Growable arrays are plain pointers with a count and a capacity, grown by spReserve.

#pragma once

#include "base/core.h"

// The user's allocator with a count of the bytes that are out. Not thread-safe: one heap per mesh, world or
// scene, used by the thread that holds that object.
typedef struct spHeap
{
    spAllocator allocator;
    size_t byteCount;
} spHeap;

spHeap spMakeHeap(const spAllocator* allocator);

// All memory is aligned to a cache line and knows its own size. Returns NULL for size 0 and when there is no
// memory.
void* spAlloc(spHeap* heap, size_t size);
void* spAllocZeroed(spHeap* heap, size_t size);
void spFree(spHeap* heap, void* memory);

// count * size, or 0 (which spAlloc answers with NULL) when that overflows or either is negative
size_t spArraySize(int64_t count, size_t size);

// Grows *data to at least `needed` entries of `size` bytes, at least doubling; keeps `count` entries.
// Returns false, with everything unchanged, when there is no memory.
bool spReserve(spHeap* heap, void** data, int count, int* capacity, int needed, size_t size);
