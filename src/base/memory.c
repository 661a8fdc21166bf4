// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void* spDefaultAlloc(size_t size, size_t alignment, void* context)
{
    SP_UNUSED(context);
    return aligned_alloc(alignment, size);
}

static void spDefaultFree(void* memory, size_t size, void* context)
{
    SP_UNUSED(size);
    SP_UNUSED(context);
    free(memory);
}

spHeap spMakeHeap(const spAllocator* allocator)
{
    spHeap heap = {0};
    if (allocator != NULL && allocator->alloc != NULL && allocator->free != NULL)
    {
        heap.allocator = *allocator;
    }
    else
    {
        heap.allocator.alloc = spDefaultAlloc;
        heap.allocator.free = spDefaultFree;
    }
    return heap;
}

// A cache line in front of each allocation holds its size. Sizes are rounded up to whole cache lines:
// aligned_alloc asks for it, and arrays of different threads stay apart.
static size_t spAddHeader(size_t size)
{
    return SP_CACHE_LINE + ((size + SP_CACHE_LINE - 1) & ~(size_t)(SP_CACHE_LINE - 1));
}

void* spAlloc(spHeap* heap, size_t size)
{
    if (size == 0 || size > SIZE_MAX / 2)
    {
        return NULL;
    }
    size_t whole = spAddHeader(size);
    size_t* header = heap->allocator.alloc(whole, SP_CACHE_LINE, heap->allocator.context);
    if (header == NULL)
    {
        return NULL;
    }
    *header = whole;
    heap->byteCount += whole;
    return (char*)header + SP_CACHE_LINE;
}

void* spAllocZeroed(spHeap* heap, size_t size)
{
    void* memory = spAlloc(heap, size);
    if (memory != NULL)
    {
        memset(memory, 0, size);
    }
    return memory;
}

void spFree(spHeap* heap, void* memory)
{
    if (memory == NULL)
    {
        return;
    }
    void* header = (char*)memory - SP_CACHE_LINE;
    size_t whole = *(const size_t*)header;
    SP_ASSERT(heap->byteCount >= whole);
    heap->byteCount -= whole;
    heap->allocator.free(header, whole, heap->allocator.context);
}

size_t spArraySize(int64_t count, size_t size)
{
    if (count <= 0 || size == 0 || (uint64_t)count > (SIZE_MAX / 2) / size)
    {
        return 0;
    }
    return (size_t)count * size;
}

bool spReserve(spHeap* heap, void** data, int count, int* capacity, int needed, size_t size)
{
    if (needed <= *capacity)
    {
        return true;
    }
    int64_t grown = *capacity > INT_MAX / 2 ? INT_MAX : (int64_t)*capacity * 2;
    if (grown < 16)
    {
        grown = 16;
    }
    if (grown < needed)
    {
        grown = needed;
    }
    void* memory = spAlloc(heap, spArraySize(grown, size));
    if (memory == NULL)
    {
        return false;
    }
    if (count > 0)
    {
        memcpy(memory, *data, (size_t)count * size);
    }
    spFree(heap, *data);
    *data = memory;
    *capacity = (int)grown;
    return true;
}
