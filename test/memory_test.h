// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// An allocator for tests that fails on request and counts what is out.

#pragma once

#include "souple/base.h"

#include <stdlib.h>

typedef struct FailingAllocator
{
    int failAt;     // this allocation fails, counted from 0; -1: none
    bool failAfter; // and all after it
    int count;      // allocations asked for
    int64_t out;    // bytes out
    int64_t peak;
} FailingAllocator;

// Preconditioners are made on a thread of their own
static inline void* FailingAlloc(size_t size, size_t alignment, void* context)
{
    FailingAllocator* failing = context;
    int number = __atomic_fetch_add(&failing->count, 1, __ATOMIC_RELAXED);
    if (failing->failAt >= 0 &&
        (number == failing->failAt || (failing->failAfter && number > failing->failAt)))
    {
        return NULL;
    }
    void* memory = aligned_alloc(alignment, size);
    if (memory != NULL)
    {
        int64_t out = __atomic_add_fetch(&failing->out, (int64_t)size, __ATOMIC_RELAXED);
        failing->peak = out > failing->peak ? out : failing->peak;
    }
    return memory;
}

static inline void FailingFree(void* memory, size_t size, void* context)
{
    FailingAllocator* failing = context;
    __atomic_sub_fetch(&failing->out, (int64_t)size, __ATOMIC_RELAXED);
    free(memory);
}

static inline spAllocator MakeFailingAllocator(FailingAllocator* failing)
{
    return (spAllocator){FailingAlloc, FailingFree, failing};
}
