// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A list of blocks, each filled from its start.

#include "scene/pool.h"

#include <string.h>

#define SP_POOL_BLOCK ((size_t)16 << 10)
#define SP_POOL_ALIGNMENT 16

struct spPoolBlock
{
    spPoolBlock* next;
    size_t size; // of the whole block
    size_t used;
};

void* spPoolAlloc(spPool* pool, size_t size)
{
    size_t header = (sizeof(spPoolBlock) + SP_POOL_ALIGNMENT - 1) / SP_POOL_ALIGNMENT * SP_POOL_ALIGNMENT;
    if (size == 0 || size > SIZE_MAX / 2)
    {
        return NULL;
    }
    size = (size + SP_POOL_ALIGNMENT - 1) / SP_POOL_ALIGNMENT * SP_POOL_ALIGNMENT;
    spPoolBlock* block = pool->blocks;
    if (block == NULL || block->size - block->used < size)
    {
        size_t blockSize = header + (size > SP_POOL_BLOCK ? size : SP_POOL_BLOCK);
        block = spAllocZeroed(pool->heap, blockSize);
        if (block == NULL)
        {
            return NULL;
        }
        block->next = pool->blocks;
        block->size = blockSize;
        block->used = header;
        pool->blocks = block;
    }
    void* memory = (char*)block + block->used;
    block->used += size;
    return memory;
}

const char* spPoolCopy(spPool* pool, const char* text, size_t size)
{
    char* copy = spPoolAlloc(pool, size + 1);
    if (copy != NULL)
    {
        memcpy(copy, text, size);
        copy[size] = 0;
    }
    return copy;
}

void spFreePool(spPool* pool)
{
    while (pool->blocks != NULL)
    {
        spPoolBlock* next = pool->blocks->next;
        spFree(pool->heap, pool->blocks);
        pool->blocks = next;
    }
}
