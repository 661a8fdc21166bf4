// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/id_pool.h"

void spFreeIdPool(spIdPool* pool, spHeap* heap)
{
    spFree(heap, pool->slots);
    *pool = (spIdPool){0};
}

spSlotId spTakeSlot(spIdPool* pool, spHeap* heap)
{
    int slot;
    if (pool->firstFree != 0)
    {
        slot = pool->firstFree - 1;
        pool->firstFree = pool->slots[slot].nextFree;
    }
    else
    {
        if (spReserve(heap, (void**)&pool->slots, pool->slotCount, &pool->capacity, pool->slotCount + 1,
                      sizeof(spSlot)) == false)
        {
            return (spSlotId){0};
        }
        slot = pool->slotCount++;
        pool->slots[slot].generation = 0;
    }
    pool->slots[slot].generation += 1;
    return spGetSlotId(pool, slot);
}

void spReleaseSlot(spIdPool* pool, int slot)
{
    SP_ASSERT(0 <= slot && slot < pool->slotCount && (pool->slots[slot].generation & 1) == 1);
    pool->slots[slot].generation += 1;
    pool->slots[slot].nextFree = pool->firstFree;
    pool->firstFree = slot + 1;
}

int spFindSlot(const spIdPool* pool, uint32_t index1, uint32_t generation)
{
    if (index1 == 0 || index1 > (uint32_t)pool->slotCount || (generation & 1) == 0)
    {
        return -1;
    }
    return pool->slots[index1 - 1].generation == generation ? (int)(index1 - 1) : -1;
}

spSlotId spGetSlotId(const spIdPool* pool, int slot)
{
    return (spSlotId){(uint32_t)slot + 1, pool->slots[slot].generation};
}
