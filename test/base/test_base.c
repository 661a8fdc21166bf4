// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The base: errors, heap, arena, ids, hash; the array operations of the CPU backend against plain loops in
// double; and a backend that counts, for what a step asks of it.

#include "base/arena.h"
#include "base/backend.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/id_pool.h"
#include "base/memory.h"
#include "body/body.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

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

// ---------------------------------------------------------------------------------------------------------
// Backend

#define NODES 133

#ifdef SOUPLE_DOUBLE_PRECISION
#define ROUNDING 4e-16
#else
#define ROUNDING 4e-7
#endif

// Aligned as the body's arrays are
typedef struct Arrays
{
    spVec4 x[NODES], v[NODES], f[NODES], stageX[NODES], stageV[NODES], sumX[NODES], sumV[NODES];
} Arrays;

static spVec4 RandomNode(uint64_t* seed, double w)
{
    return (spVec4){(spReal)spRandomRange(seed, -1, 1), (spReal)spRandomRange(seed, -1, 1),
                    (spReal)spRandomRange(seed, -1, 1), (spReal)w};
}

static void FillArrays(Arrays* a, uint64_t seed)
{
    for (int i = 0; i < NODES; ++i)
    {
        // Every fifth node is held: its inverse mass is 0
        a->x[i] = RandomNode(&seed, i % 5 == 0 ? 0.0 : spRandomRange(&seed, 0.1, 2.0));
        a->v[i] = RandomNode(&seed, 0.0);
        a->f[i] = RandomNode(&seed, 0.0);
        a->stageX[i] = RandomNode(&seed, 0.0);
        a->stageX[i].w = a->x[i].w;
        a->stageV[i] = RandomNode(&seed, 0.0);
        a->sumX[i] = RandomNode(&seed, 0.0);
        a->sumV[i] = RandomNode(&seed, 0.0);
    }
}

static double Get(const spVec4* a, int i, int k)
{
    return k == 0 ? (double)a[i].x : k == 1 ? (double)a[i].y : (double)a[i].z;
}

// The same operation in double, component by component
typedef enum Operation
{
    opDrift,
    opKickDrift,
    opDriftKick,
    opRungeStage,
    opRungeFinish,
    opCopy,
    opCount
} Operation;

static void TestBackendOperations(void** state)
{
    SP_UNUSED(state);
    const spBackend* backend = &spCpuBackend;
    const double h = (double)(spReal)0.37, hx = (double)(spReal)0.21, weight = 2.0;
    const int ranges[][2] = {{0, NODES}, {0, 0}, {5, 6}, {17, 64}, {NODES - 1, NODES}};
    for (int r = 0; r < SP_COUNT(ranges); ++r)
    {
        int begin = ranges[r][0], end = ranges[r][1];
        for (int op = 0; op < opCount; ++op)
        {
            static Arrays before, after;
            FillArrays(&before, 1000 + (uint64_t)op);
            after = before;
            spRungeArrays arrays = {after.stageX, after.stageV, after.sumX, after.sumV};
            switch (op)
            {
                case opDrift:
                    backend->drift(after.x, after.v, (spReal)h, begin, end);
                    break;
                case opKickDrift:
                    backend->kickDrift(after.x, after.v, after.f, (spReal)h, (spReal)hx, begin, end);
                    break;
                case opDriftKick:
                    backend->driftKick(after.x, after.v, after.f, (spReal)h, begin, end);
                    break;
                case opRungeStage:
                    backend->rungeStage(after.x, after.v, after.f, &arrays, (spReal)weight, (spReal)h, begin,
                                        end);
                    break;
                case opRungeFinish:
                    backend->rungeFinish(after.x, after.v, &arrays, (spReal)h, begin, end);
                    break;
                default:
                    backend->copy(after.sumX, after.f, begin, end);
                    break;
            }
            for (int i = 0; i < NODES; ++i)
            {
                bool inside = i >= begin && i < end;
                double w = (double)before.x[i].w;
                // The inverse mass never changes, and the fourth numbers of the others stay 0
                assert_true(after.x[i].w == before.x[i].w && after.stageX[i].w == before.x[i].w);
                assert_true(after.v[i].w == 0 && after.f[i].w == 0 && after.stageV[i].w == 0 &&
                            after.sumX[i].w == 0 && after.sumV[i].w == 0);
                for (int k = 0; k < 3; ++k)
                {
                    double x = Get(before.x, i, k), v = Get(before.v, i, k), f = Get(before.f, i, k);
                    double stageX = Get(before.stageX, i, k), stageV = Get(before.stageV, i, k);
                    double sumX = Get(before.sumX, i, k), sumV = Get(before.sumV, i, k);
                    switch (inside ? op : opCount)
                    {
                        case opDrift:
                            x += h * v;
                            break;
                        case opKickDrift:
                            v += h * w * f;
                            x += hx * v;
                            break;
                        case opDriftKick:
                            x += h * v;
                            v += h * w * f;
                            break;
                        case opRungeStage:
                            sumX += weight * stageV;
                            sumV += weight * w * f;
                            stageX = x + h * stageV;
                            stageV = v + h * w * f;
                            break;
                        case opRungeFinish:
                            x += h * sumX;
                            v += h * sumV;
                            break;
                        case opCopy:
                            sumX = f;
                            break;
                        default:
                            break;
                    }
                    double slack = inside && op != opCopy ? 8 * ROUNDING : 0.0;
                    CHECK_NEAR(Get(after.x, i, k), x, slack);
                    CHECK_NEAR(Get(after.v, i, k), v, slack);
                    CHECK_NEAR(Get(after.f, i, k), f, 0.0);
                    CHECK_NEAR(Get(after.stageX, i, k), stageX, slack);
                    CHECK_NEAR(Get(after.stageV, i, k), stageV, slack);
                    CHECK_NEAR(Get(after.sumX, i, k), sumX, slack);
                    CHECK_NEAR(Get(after.sumV, i, k), sumV, slack);
                }
            }
        }
    }
}

static void TestBackendFindsWhatIsNotFinite(void** state)
{
    SP_UNUSED(state);
    static Arrays a;
    FillArrays(&a, 3);
    a.x[4].x = (spReal)3e38; // large is fine
    assert_true(spCpuBackend.isFinite(a.x, 0, NODES));
    assert_true(spCpuBackend.isFinite(a.x, 9, 9));
    const spReal bad[] = {(spReal)NAN, (spReal)INFINITY, (spReal)-INFINITY};
    for (int k = 0; k < SP_COUNT(bad); ++k)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            for (int node = 0; node < NODES; node += 11)
            {
                spVec4 saved = a.x[node];
                spReal* place = axis == 0 ? &a.x[node].x : axis == 1 ? &a.x[node].y : &a.x[node].z;
                *place = bad[k];
                assert_false(spCpuBackend.isFinite(a.x, 0, NODES));
                assert_false(spCpuBackend.isFinite(a.x, node, node + 1));
                assert_true(spCpuBackend.isFinite(a.x, 0, node));
                assert_true(spCpuBackend.isFinite(a.x, node + 1, NODES));
                a.x[node] = saved;
            }
        }
    }
}

// A filling that does what the CPU does, and counts calls and the bytes of the nodes that they touch. Tables
// carry no context: the counts are global to this test.
typedef struct Counts
{
    int drift, kickDrift, driftKick, rungeStage, rungeFinish, kick, kickSolve, filterDrift, rotation, copy,
        isFinite;
    int64_t bytes;
} Counts;

static Counts s_counts;

static void CountBytes(int arrays, int begin, int end)
{
    s_counts.bytes += (int64_t)arrays * (end - begin) * (int64_t)sizeof(spVec4);
}

static void CountDrift(spVec4* x, const spVec4* v, spReal h, int begin, int end)
{
    s_counts.drift += 1;
    CountBytes(2, begin, end);
    spCpuBackend.drift(x, v, h, begin, end);
}

static void CountKickDrift(spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end)
{
    s_counts.kickDrift += 1;
    CountBytes(3, begin, end);
    spCpuBackend.kickDrift(x, v, f, h, hx, begin, end);
}

static void CountDriftKick(spVec4* x, spVec4* v, const spVec4* f, spReal h, int begin, int end)
{
    s_counts.driftKick += 1;
    CountBytes(3, begin, end);
    spCpuBackend.driftKick(x, v, f, h, begin, end);
}

static void CountRungeStage(const spVec4* x, const spVec4* v, const spVec4* f, const spRungeArrays* arrays,
                            spReal weight, spReal advance, int begin, int end)
{
    s_counts.rungeStage += 1;
    CountBytes(7, begin, end);
    spCpuBackend.rungeStage(x, v, f, arrays, weight, advance, begin, end);
}

static void CountRungeFinish(spVec4* x, spVec4* v, const spRungeArrays* arrays, spReal h, int begin, int end)
{
    s_counts.rungeFinish += 1;
    CountBytes(4, begin, end);
    spCpuBackend.rungeFinish(x, v, arrays, h, begin, end);
}

static void CountKick(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, spReal h, int begin,
                      int end)
{
    s_counts.kick += 1;
    CountBytes(4, begin, end);
    spCpuBackend.kick(to, x, v, f, h, begin, end);
}

static void CountKickSolve(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f,
                           const spReal* matrices, spReal h, int begin, int end)
{
    s_counts.kickSolve += 1;
    CountBytes(4, begin, end);
    spCpuBackend.kickSolve(to, x, v, f, matrices, h, begin, end);
}

static void CountFilterDrift(spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows,
                             spReal strength, const spRotation* rotation, spReal h, int begin, int end)
{
    s_counts.filterDrift += 1;
    CountBytes(3, begin, end);
    spCpuBackend.filterDrift(x, v, from, rows, strength, rotation, h, begin, end);
}

static void CountTakeRotation(spVec4* v, const spVec4* x, const spRotation* rotation, int begin, int end)
{
    s_counts.rotation += 1;
    CountBytes(2, begin, end);
    spCpuBackend.takeRotation(v, x, rotation, begin, end);
}

static void CountSumRotation(spVec4* sums, const spVec4* x, const spVec4* v, spVec3 origin, int begin,
                             int end)
{
    s_counts.rotation += 1;
    CountBytes(2, begin, end);
    spCpuBackend.sumRotation(sums, x, v, origin, begin, end);
}

static void CountCopy(spVec4* to, const spVec4* from, int begin, int end)
{
    s_counts.copy += 1;
    CountBytes(2, begin, end);
    spCpuBackend.copy(to, from, begin, end);
}

static bool CountIsFinite(const spVec4* a, int begin, int end)
{
    s_counts.isFinite += 1;
    CountBytes(1, begin, end);
    return spCpuBackend.isFinite(a, begin, end);
}

static const spBackend s_countingBackend = {
    .name = "counting",
    .drift = CountDrift,
    .kickDrift = CountKickDrift,
    .driftKick = CountDriftKick,
    .rungeStage = CountRungeStage,
    .rungeFinish = CountRungeFinish,
    .kick = CountKick,
    .kickSolve = CountKickSolve,
    .filterDrift = CountFilterDrift,
    .takeRotation = CountTakeRotation,
    .sumRotation = CountSumRotation,
    .copy = CountCopy,
    .isFinite = CountIsFinite,
};

// What a step asks of the backend, for every method, on a body of one patch and on one of many
static void TestCallsOfAStep(void** state)
{
    SP_UNUSED(state);
    const int sizes[2] = {8, 80};
    for (int k = 0; k < 2; ++k)
    {
        for (int run = 0; run < 2 * sp_backwardEuler; ++run)
        {
            const int substeps = 5;
            int type = run / 2;
            bool filtered = run % 2 == 1;
            spTestDef def = spDefaultTestDef();
            def.method.type = (spMethodType)type;
            def.method.substeps = substeps;
            def.method.filter.type = filtered ? sp_filterExponential : sp_filterNone;
            spTestWorld plain = spBuildLattice(&def, sizes[k], 400, (spReal)0.1, (spReal)0.01);
            spTestWorld counted = spBuildLattice(&def, sizes[k], 400, (spReal)0.1, (spReal)0.01);
            spAddTestGround(plain.world, (spReal)0.5, 0);
            spAddTestGround(counted.world, (spReal)0.5, 0);
            spBody* body = spGetBody(counted.world, counted.body);
            assert_string_equal(body->backend->name, "cpu");
            body->backend = &s_countingBackend;
            int patches = body->order.patchCount;
            int64_t nodeBytes = (int64_t)body->nodeCount * (int64_t)sizeof(spVec4);
            assert_true(k == 0 ? patches == 1 : patches > 3);
            for (int step = 0; step < 50; ++step)
            {
                spWorld_Step(plain.world, (spReal)1e-3);
                s_counts = (Counts){0};
                spWorld_Step(counted.world, (spReal)1e-3);
                bool euler = type == sp_symplecticEuler, runge = type == sp_rungeKutta4;
                bool verlet = type == sp_verlet, forward = type == sp_forwardEuler;
                bool local = type == sp_localImplicit;
                int each = substeps * patches;
                assert_int_equal(s_counts.kickDrift, (euler || verlet) && filtered == false ? each : 0);
                assert_int_equal(s_counts.driftKick, forward && filtered == false ? each : 0);
                assert_int_equal(s_counts.kick, (euler || verlet || forward) && filtered ? each : 0);
                assert_int_equal(s_counts.kickSolve, local ? each : 0);
                assert_int_equal(s_counts.filterDrift, filtered ? each : 0);
                assert_in_range(s_counts.rotation, filtered ? each + substeps : 0, filtered ? 2 * each : 0);
                assert_int_equal(s_counts.rungeStage, runge ? 4 * substeps * patches : 0);
                assert_int_equal(s_counts.rungeFinish, runge ? substeps * patches : 0);
                // Drifts, copies and checks may take several patches in one call, but touch every node once.
                // The state before the step is kept, and the one after it checked
                bool drifts = verlet || (forward && filtered) || (local && filtered == false);
                assert_in_range(s_counts.drift, drifts ? substeps : 0, drifts ? each : 0);
                int copies = runge ? (filtered ? 3 : 2) : 0;
                assert_in_range(s_counts.copy, 2 + copies * substeps, 2 + copies * each);
                assert_in_range(s_counts.isFinite, 2, 2 * patches);
                int64_t arrays = 2 * 2 + 2;
                arrays += substeps * (runge ? 4 * 7 + 4 : filtered || local ? 4 : 3);
                arrays += substeps * (2 * copies + (drifts ? 2 : 0) + (filtered ? 2 * 2 + 3 : 0));
                assert_int_equal(s_counts.bytes, arrays * nodeBytes);
            }
            // Nothing but the table changed: the same bits
            assert_true(spWorld_GetStateHash(plain.world) == spWorld_GetStateHash(counted.world));
            spDestroyTestWorld(&plain);
            spDestroyTestWorld(&counted);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestErrorNames),
        cmocka_unit_test(TestErrorMessages),
        cmocka_unit_test(TestHeapCountsBytes),
        cmocka_unit_test(TestReserve),
        cmocka_unit_test(TestArena),
        cmocka_unit_test(TestArenaWithoutMemory),
        cmocka_unit_test(TestIdPool),
        cmocka_unit_test(TestHash),
        cmocka_unit_test(TestBackendOperations),
        cmocka_unit_test(TestBackendFindsWhatIsNotFinite),
        cmocka_unit_test(TestCallsOfAStep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
