// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The base: errors, heap, arena, ids, hash.

#include "base/arena.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/id_pool.h"
#include "base/memory.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

static void TestErrorNames(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; i < sp_errorCodeCount; ++i)
    {
        assert_memory_equal(spErrorCode_GetName((spErrorCode)i), "sp_error", 8);
    }
    assert_string_equal(spErrorCode_GetName((spErrorCode)999), "unknown error");
}

static void TestErrorMessages(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    assert_false(spFailAt(&error, sp_errorFileFormat, 3, 7, "%s is %d", "it", 5));
    assert_int_equal(error.code, sp_errorFileFormat);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 7);
    assert_string_equal(error.message, "it is 5");
    // Too long a message is cut, not written past its end
    char text[2 * SP_ERROR_MESSAGE_SIZE];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = 0;
    assert_false(spFail(&error, sp_errorLimit, "%s", text));
    assert_int_equal(strlen(error.message), SP_ERROR_MESSAGE_SIZE - 1);
    assert_int_equal(error.line, 0);
    assert_false(spFailMemory(&error, "a thing", 1234));
    assert_int_equal(error.code, sp_errorOutOfMemory);
    assert_non_null(strstr(error.message, "a thing needs 1234 bytes"));
    assert_false(spFail(NULL, sp_errorLimit, "nobody listens"));
}

static void TestHeapCountsBytes(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    void* data = NULL;
    int capacity = 0;
    assert_true(spReserve(&heap, &data, 0, &capacity, 100, sizeof(int)));
    assert_true(capacity >= 100);
    assert_true(heap.byteCount >= 400);
    assert_int_equal((uintptr_t)data % SP_CACHE_LINE, 0);
    spFree(&heap, data);
    assert_int_equal(heap.byteCount, 0);
    assert_null(spAlloc(&heap, spArraySize(INT64_MAX, 16)));
    assert_null(spAlloc(&heap, 0));
    assert_int_equal(spArraySize(-1, 16), 0);
    spFree(&heap, NULL);
    assert_int_equal(heap.byteCount, 0);
}

// Memory that ends after some allocations
static void* AllocSome(size_t size, size_t alignment, void* context)
{
    int* left = context;
    if (*left == 0)
    {
        return NULL;
    }
    *left -= 1;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void FreeSome(void* memory, size_t size, void* context)
{
    SP_UNUSED(size);
    SP_UNUSED(context);
    free(memory);
}

static void TestReserve(void** state)
{
    SP_UNUSED(state);
    int left = 2;
    spAllocator allocator = {AllocSome, FreeSome, &left};
    spHeap heap = spMakeHeap(&allocator);
    int* data = NULL;
    int capacity = 0;
    assert_true(spReserve(&heap, (void**)&data, 0, &capacity, 3, sizeof(int)));
    int first = capacity;
    for (int i = 0; i < first; ++i)
    {
        data[i] = i;
    }
    // What fits changes nothing; growing at least doubles and keeps the entries
    assert_true(spReserve(&heap, (void**)&data, first, &capacity, first, sizeof(int)));
    assert_int_equal(capacity, first);
    assert_true(spReserve(&heap, (void**)&data, first, &capacity, first + 1, sizeof(int)));
    assert_true(capacity >= 2 * first);
    for (int i = 0; i < first; ++i)
    {
        assert_int_equal(data[i], i);
    }
    // No memory: everything stays
    int* before = data;
    int second = capacity;
    assert_false(spReserve(&heap, (void**)&data, first, &capacity, 10 * second, sizeof(int)));
    assert_ptr_equal(data, before);
    assert_int_equal(capacity, second);
    assert_int_equal(data[first - 1], first - 1);
    assert_int_equal(heap.byteCount, SP_CACHE_LINE + (size_t)second * sizeof(int));
    spFree(&heap, data);
    assert_int_equal(heap.byteCount, 0);
}

static void TestArena(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    spArena arena;
    spInitArena(&arena, &heap);
    assert_null(spArenaAlloc(&arena, 0));
    assert_null(spArenaAlloc(&arena, SIZE_MAX));
    assert_int_equal(heap.byteCount, 0);

    // The first step finds nothing there: all of it comes from the heap, aligned, apart and writable
    unsigned char* blocks[20];
    for (int i = 0; i < 20; ++i)
    {
        size_t size = 1 + 37 * (size_t)i;
        blocks[i] = spArenaAlloc(&arena, size);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % SP_CACHE_LINE, 0);
        memset(blocks[i], i, size);
    }
    for (int i = 0; i < 20; ++i)
    {
        assert_int_equal(blocks[i][0], i);
        assert_int_equal(blocks[i][37 * i], i);
    }
    size_t used = arena.used;
    assert_int_equal(used % SP_CACHE_LINE, 0);
    assert_int_equal(arena.peak, used);

    // At the reset it grows to what was needed: the same step allocates nothing
    spResetArena(&arena);
    assert_true(arena.capacity >= used);
    assert_int_equal(arena.used, 0);
    size_t bytes = heap.byteCount;
    assert_int_equal(bytes, SP_CACHE_LINE + arena.capacity);
    for (int round = 0; round < 3; ++round)
    {
        for (int i = 0; i < 20; ++i)
        {
            blocks[i] = spArenaAlloc(&arena, 1 + 37 * (size_t)i);
            assert_true((char*)blocks[i] >= arena.memory &&
                        (char*)blocks[i] + 1 + 37 * i <= arena.memory + arena.capacity);
            assert_true(i == 0 || blocks[i] >= blocks[i - 1] + 37 * (i - 1) + 1);
        }
        assert_int_equal(heap.byteCount, bytes);
        spResetArena(&arena);
        assert_int_equal(heap.byteCount, bytes);
    }

    // Rewinding hands the same memory out again, and keeps what was before the mark
    unsigned char* kept = spArenaAlloc(&arena, 100);
    memset(kept, 7, 100);
    size_t mark = arena.used;
    void* first = spArenaAlloc(&arena, 200);
    spRewindArena(&arena, mark);
    assert_ptr_equal(spArenaAlloc(&arena, 50), first);
    assert_int_equal(kept[99], 7);
    spRewindArena(&arena, mark);

    // Rewound overflow: the arena grows by the peak, not by the sum
    size_t peak = 0;
    for (int i = 0; i < 100; ++i)
    {
        spRewindArena(&arena, mark);
        assert_non_null(spArenaAlloc(&arena, arena.capacity));
        peak = arena.used;
    }
    assert_int_equal(arena.peak, peak);
    spResetArena(&arena);
    assert_true(arena.capacity >= peak && arena.capacity < 2 * peak);
    assert_int_equal(heap.byteCount, SP_CACHE_LINE + arena.capacity);
    spFreeArena(&arena);
    assert_int_equal(heap.byteCount, 0);
}

// An arena without memory says so, stays usable, and loses nothing
static void TestArenaWithoutMemory(void** state)
{
    SP_UNUSED(state);
    int left = 2;
    spAllocator allocator = {AllocSome, FreeSome, &left};
    spHeap heap = spMakeHeap(&allocator);
    spArena arena;
    spInitArena(&arena, &heap);
    assert_non_null(spArenaAlloc(&arena, 1000));
    spResetArena(&arena);
    size_t capacity = arena.capacity;
    assert_true(capacity >= 1000);
    assert_non_null(spArenaAlloc(&arena, 1000));
    assert_null(spArenaAlloc(&arena, 10 * capacity));
    spResetArena(&arena);
    assert_int_equal(arena.capacity, capacity);
    assert_non_null(spArenaAlloc(&arena, 1000));
    spFreeArena(&arena);
    assert_int_equal(heap.byteCount, 0);
}

static void TestIdPool(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    spIdPool pool = {0};
    assert_int_equal(spFindSlot(&pool, 0, 0), -1);
    assert_int_equal(spFindSlot(&pool, 1, 1), -1);
    spSlotId ids[50];
    for (int i = 0; i < 50; ++i)
    {
        ids[i] = spTakeSlot(&pool, &heap);
        assert_int_equal(ids[i].index1, i + 1);
        assert_int_equal(ids[i].generation % 2, 1);
    }
    for (int i = 0; i < 50; ++i)
    {
        assert_int_equal(spFindSlot(&pool, ids[i].index1, ids[i].generation), i);
        spSlotId same = spGetSlotId(&pool, i);
        assert_true(same.index1 == ids[i].index1 && same.generation == ids[i].generation);
    }
    assert_int_equal(spFindSlot(&pool, 51, 1), -1);
    assert_int_equal(spFindSlot(&pool, UINT32_MAX, 1), -1);

    // A released slot is stale at once and is used again, under another generation
    spReleaseSlot(&pool, 7);
    spReleaseSlot(&pool, 21);
    assert_int_equal(spFindSlot(&pool, ids[7].index1, ids[7].generation), -1);
    // Nor is the generation of a free slot an id
    assert_int_equal(spFindSlot(&pool, ids[7].index1, ids[7].generation + 1), -1);
    spSlotId again = spTakeSlot(&pool, &heap);
    assert_int_equal(again.index1, 22);
    assert_int_not_equal(again.generation, ids[21].generation);
    assert_int_equal(spFindSlot(&pool, again.index1, again.generation), 21);
    assert_int_equal(spFindSlot(&pool, ids[21].index1, ids[21].generation), -1);
    assert_int_equal(spTakeSlot(&pool, &heap).index1, 8);
    assert_int_equal(spTakeSlot(&pool, &heap).index1, 51);

    // Random use against a plain table
    uint64_t seed = 5;
    uint32_t live[200] = {0};
    int slotCount = pool.slotCount;
    for (int i = 0; i < slotCount; ++i)
    {
        live[i] = spGetSlotId(&pool, i).generation;
    }
    for (int round = 0; round < 20000; ++round)
    {
        int slot = (int)(spNextRandom(&seed) % 120);
        if (live[slot] != 0)
        {
            uint32_t old = live[slot];
            spReleaseSlot(&pool, slot);
            live[slot] = 0;
            assert_int_equal(spFindSlot(&pool, (uint32_t)slot + 1, old), -1);
        }
        else
        {
            spSlotId id = spTakeSlot(&pool, &heap);
            assert_true(id.index1 >= 1 && id.index1 <= 200);
            assert_int_equal(live[id.index1 - 1], 0);
            live[id.index1 - 1] = id.generation;
        }
    }
    for (int i = 0; i < pool.slotCount; ++i)
    {
        assert_int_equal(spFindSlot(&pool, (uint32_t)i + 1, live[i]), live[i] != 0 ? i : -1);
    }
    spFreeIdPool(&pool, &heap);
    assert_int_equal(heap.byteCount, 0);

    int left = 0;
    spAllocator allocator = {AllocSome, FreeSome, &left};
    spHeap empty = spMakeHeap(&allocator);
    assert_int_equal(spTakeSlot(&pool, &empty).index1, 0);
    assert_int_equal(pool.slotCount, 0);
}

static void TestHash(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 77;
    unsigned char bytes[100];
    for (int i = 0; i < 100; ++i)
    {
        bytes[i] = (unsigned char)spNextRandom(&seed);
    }
    for (size_t size = 1; size <= 100; ++size)
    {
        uint64_t hash = spHashBytes(SP_HASH_SEED, bytes, size);
        assert_true(spHashBytes(SP_HASH_SEED, bytes, size) == hash);
        assert_false(spHashBytes(SP_HASH_SEED + 1, bytes, size) == hash);
        assert_false(spHashBytes(SP_HASH_SEED, bytes, size - 1) == hash);
        // Any bit of any byte counts
        for (size_t i = 0; i < size; ++i)
        {
            for (int bit = 0; bit < 8; ++bit)
            {
                bytes[i] ^= (unsigned char)(1 << bit);
                assert_false(spHashBytes(SP_HASH_SEED, bytes, size) == hash);
                bytes[i] ^= (unsigned char)(1 << bit);
            }
        }
        // Split at multiples of 8 bytes
        for (size_t split = 0; split <= size; split += 8)
        {
            uint64_t half = spHashBytes(SP_HASH_SEED, bytes, split);
            assert_true(spHashBytes(half, bytes + split, size - split) == hash);
        }
    }
    // Order counts, and so does the number of zeros
    const uint64_t ab[2] = {1, 2}, ba[2] = {2, 1}, zeros[4] = {0};
    assert_false(spHashBytes(SP_HASH_SEED, ab, 16) == spHashBytes(SP_HASH_SEED, ba, 16));
    for (size_t size = 1; size < 32; ++size)
    {
        assert_false(spHashBytes(SP_HASH_SEED, zeros, size) == spHashBytes(SP_HASH_SEED, zeros, size + 1));
    }
    assert_true(spHashBytes(SP_HASH_SEED, NULL, 0) == SP_HASH_SEED);

    // Neighbouring numbers spread evenly over the lowest byte
    const int count = 100000;
    int seen[256] = {0};
    for (int i = 0; i < count; ++i)
    {
        seen[spHashBytes(SP_HASH_SEED, &i, sizeof(i)) % 256] += 1;
    }
    for (int i = 0; i < 256; ++i)
    {
        assert_in_range(seen[i], count / 256 - 150, count / 256 + 150);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestErrorNames),      cmocka_unit_test(TestErrorMessages),
        cmocka_unit_test(TestHeapCountsBytes), cmocka_unit_test(TestReserve),
        cmocka_unit_test(TestArena),           cmocka_unit_test(TestArenaWithoutMemory),
        cmocka_unit_test(TestIdPool),          cmocka_unit_test(TestHash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
