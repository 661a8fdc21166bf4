// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the fuzz targets share: a check that stays in every build, memory with a limit, and a limit on the
// work that a body may ask for.

#pragma once

#include "souple/body.h"
#include "souple/world.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define CHECK(condition)                                                                                     \
    do                                                                                                       \
    {                                                                                                        \
        if (!(condition))                                                                                    \
        {                                                                                                    \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

// An allocator that says no above a limit. Threads of solvers use it too.
typedef struct Bounded
{
    atomic_size_t used;
    size_t limit;
} Bounded;

static inline void* AllocBounded(size_t size, size_t alignment, void* context)
{
    Bounded* bounded = context;
    if (size > bounded->limit || atomic_fetch_add(&bounded->used, size) > bounded->limit - size)
    {
        size <= bounded->limit ? atomic_fetch_sub(&bounded->used, size) : 0;
        return NULL;
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void FreeBounded(void* memory, size_t size, void* context)
{
    Bounded* bounded = context;
    CHECK(atomic_fetch_sub(&bounded->used, size) >= size);
    free(memory);
}

static inline spAllocator MakeBounded(Bounded* bounded, size_t limit)
{
    atomic_init(&bounded->used, 0);
    bounded->limit = limit;
    return (spAllocator){AllocBounded, FreeBounded, bounded};
}

// What a scene may rightly ask for is more than a fuzzer has time for
static inline bool IsQuick(spWorld* world, double dt)
{
    spBodyId bodies[64];
    int count = spWorld_GetBodies(world, bodies, 64);
    double work = 0.0;
    for (int i = 0; i < count; ++i)
    {
        spMethodDef method = spBody_GetMethod(world, bodies[i]);
        double stable = spBody_GetStableStep(world, bodies[i]) * (double)method.safety;
        double needed = dt / stable < method.maxSubsteps ? dt / stable : method.maxSubsteps;
        bool implicit = method.type >= sp_backwardEuler;
        double substeps = method.substeps > 0 ? method.substeps : implicit ? 1.0 : needed;
        double newton = method.solver.newtonSteps > 0   ? method.solver.newtonSteps
                        : method.type == sp_quasiStatic ? 50.0
                                                        : 1.0;
        double each = implicit == false        ? 1.0
                      : method.type == sp_xpbd ? method.xpbd.iterations
                                               : 0.02 * newton * method.solver.maxIterations;
        work += substeps * each * (spBody_GetNodeCount(world, bodies[i]) + 10);
    }
    return count < 64 && work < 1e4;
}

// Positions of all bodies, of few
static inline void CheckFinite(spWorld* world)
{
    spBodyId bodies[4];
    int count = spWorld_GetBodies(world, bodies, 4);
    for (int i = 0; i < count; ++i)
    {
        spVec3View x = spBody_GetPositions(world, bodies[i]);
        for (int k = 0; k < x.count; ++k)
        {
            CHECK(isfinite(x.data[k].x) && isfinite(x.data[k].y) && isfinite(x.data[k].z));
        }
    }
}
