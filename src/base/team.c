// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A stage is published as a handful of atomics: the function, its context, the number of chunks. Chunks are
// claimed from one counter per worker, so that a worker meets the same part of the data stage after stage;
// who runs out takes from the others. A counter holds (stage number << 32 | chunks left), and a claim is a
// compare-and-swap on both: a helper that read a stage which has ended meanwhile cannot claim from the next
// one with the old function in hand, and finds nothing left in its own, whatever it read of the next.
//
//   caller    publish s ... claim, run ... wait until doneCount == chunkCount ... publish s + 1
//   helper    see s, read the stage, claim (fails when s has ended), run, doneCount += 1

#include "base/team.h"

#include "base/error.h"
#include "base/timer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

// Spins before a waiting thread lets others run: matters when there are more workers than processors
#define SP_SPIN_COUNT 4000

// How long a thread of our own spins for the next round before it sleeps
#define SP_SPIN_SECONDS 0.0005

// Chunks per worker in one stage: more evens out the load, fewer costs less
#define SP_CHUNKS_PER_WORKER 8

// Parts of a claim counter
#define SP_OWNER_BEGUN 0x80000000u // the owner of the range has claimed from it
#define SP_LEFT_MASK 0x7FFFFFFFu   // chunks not yet claimed

typedef struct spClaim
{
    _Alignas(SP_CACHE_LINE)
        atomic_uint_fast64_t left; // stage << 32 | SP_OWNER_BEGUN | chunks left in this range
} spClaim;

typedef struct spHelper
{
    spTeam* team;
    int workerIndex;
    pthread_t thread;
    void* task;
} spHelper;

struct spTeam
{
    spTeamDef def;
    spHelper helpers[SP_MAX_WORKERS];
    int threadCount;
    pthread_t caller; // of spBeginTeam

    // The stage
    _Alignas(SP_CACHE_LINE) atomic_uint stage; // number of the stage now published
    _Atomic(spRangeFcn*) fcn;
    _Atomic(void*) context;
    atomic_int itemCount;
    atomic_int chunkCount;
    _Alignas(SP_CACHE_LINE) atomic_int doneCount;
    _Alignas(SP_CACHE_LINE) atomic_bool running; // between spBeginTeam and spEndTeam
    spClaim claims[SP_MAX_WORKERS];

    // Threads of our own between two rounds. They spin for a while before they sleep: whoever wakes a thread
    // tends to get it onto its own processor, where the two would share one.
    _Alignas(SP_CACHE_LINE) atomic_uint round; // counts spBeginTeam
    atomic_int activeCount;                    // threads that have not ended the present round
    atomic_bool quit;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int sleeperCount;
};

// A short wait, some ten nanoseconds. Without the processor's own instruction for it: under a hypervisor that
// traps it, a wait becomes a tenth of a millisecond.
static void spRelax(void)
{
    for (int i = 0; i < 32; ++i)
    {
        __asm__ volatile("" ::: "memory");
    }
}

static void spSpin(int* spins)
{
    if (++*spins < SP_SPIN_COUNT)
    {
        spRelax();
    }
    else
    {
        sched_yield();
    }
}

// Range of chunks that belongs to one worker
static void spGetHome(int chunkCount, int workerCount, int workerIndex, int* begin, int* end)
{
    *begin = (int)((int64_t)chunkCount * workerIndex / workerCount);
    *end = (int)((int64_t)chunkCount * (workerIndex + 1) / workerCount);
}

// Claims and runs chunks of a stage until none is left
static void spWorkOnStage(spTeam* team, unsigned stage, int workerIndex)
{
    spRangeFcn* fcn = atomic_load_explicit(&team->fcn, memory_order_relaxed);
    void* context = atomic_load_explicit(&team->context, memory_order_relaxed);
    int itemCount = atomic_load_explicit(&team->itemCount, memory_order_relaxed);
    int chunkCount = atomic_load_explicit(&team->chunkCount, memory_order_relaxed);
    int workerCount = team->def.workerCount;

    for (int i = 0; i < workerCount; ++i)
    {
        int owner = workerIndex + i < workerCount ? workerIndex + i : workerIndex + i - workerCount;
        int begin, end;
        spGetHome(chunkCount, workerCount, owner, &begin, &end);
        spClaim* claim = team->claims + owner;
        uint_fast64_t seen = atomic_load_explicit(&claim->left, memory_order_acquire);
        while ((unsigned)(seen >> 32) == stage)
        {
            // The last chunk of a worker that has begun is left to it: taking it would move its data to
            // another cache for the sake of a few microseconds. One that has not begun may never come.
            int left = (int)(seen & SP_LEFT_MASK);
            bool own = i == 0;
            bool begun = (seen & SP_OWNER_BEGUN) != 0;
            if (left < (own || begun == false ? 1 : 2))
            {
                break;
            }
            uint_fast64_t claimed = (seen - 1) | (own ? SP_OWNER_BEGUN : 0);
            if (atomic_compare_exchange_weak_explicit(&claim->left, &seen, claimed, memory_order_acq_rel,
                                                      memory_order_acquire))
            {
                int chunk = end - left;
                int first = (int)((int64_t)itemCount * chunk / chunkCount);
                int last = (int)((int64_t)itemCount * (chunk + 1) / chunkCount);
                fcn(first, last, workerIndex, context);
                atomic_fetch_add_explicit(&team->doneCount, 1, memory_order_release);
                seen = atomic_load_explicit(&claim->left, memory_order_acquire);
            }
        }
    }
}

// What a helper does between spBeginTeam and spEndTeam
static void spHelp(spHelper* helper)
{
    spTeam* team = helper->team;
    unsigned last = 0;
    int spins = 0;
    while (atomic_load_explicit(&team->running, memory_order_acquire))
    {
        unsigned stage = atomic_load_explicit(&team->stage, memory_order_acquire);
        if (stage == last)
        {
            spSpin(&spins);
            continue;
        }
        spWorkOnStage(team, stage, helper->workerIndex);
        last = stage;
        spins = 0;
    }
}

static void spHelpTask(void* context)
{
    // A task system may run a task right where it is enqueued: the caller cannot help itself
    spHelper* helper = context;
    if (pthread_equal(pthread_self(), helper->team->caller) == 0)
    {
        spHelp(helper);
    }
}

static bool spIsNextRound(spTeam* team, unsigned round)
{
    return atomic_load_explicit(&team->round, memory_order_acquire) != round ||
           atomic_load_explicit(&team->quit, memory_order_acquire);
}

// Waits for the next round, or the end
static void spAwaitRound(spTeam* team, unsigned round)
{
    double start = spGetSeconds();
    while (spGetSeconds() - start < SP_SPIN_SECONDS)
    {
        for (int i = 0; i < 64; ++i)
        {
            if (spIsNextRound(team, round))
            {
                return;
            }
            spRelax();
        }
        sched_yield();
    }
    pthread_mutex_lock(&team->mutex);
    team->sleeperCount += 1;
    while (spIsNextRound(team, round) == false)
    {
        pthread_cond_wait(&team->wake, &team->mutex);
    }
    team->sleeperCount -= 1;
    pthread_mutex_unlock(&team->mutex);
}

static void spWakeSleepers(spTeam* team)
{
    pthread_mutex_lock(&team->mutex);
    if (team->sleeperCount > 0)
    {
        pthread_cond_broadcast(&team->wake);
    }
    pthread_mutex_unlock(&team->mutex);
}

static void* spRunThread(void* context)
{
    spHelper* helper = context;
    spTeam* team = helper->team;
    unsigned round = 0;
    for (;;)
    {
        spAwaitRound(team, round);
        if (atomic_load_explicit(&team->quit, memory_order_acquire))
        {
            return NULL;
        }
        round = atomic_load_explicit(&team->round, memory_order_acquire);
        spHelp(helper);
        atomic_fetch_sub_explicit(&team->activeCount, 1, memory_order_release);
    }
}

spTeam* spCreateTeam(spHeap* heap, const spTeamDef* def, spError* error)
{
    spTeam* team = spAllocZeroed(heap, sizeof(spTeam));
    if (team == NULL)
    {
        spFailMemory(error, "the worker threads", sizeof(spTeam));
        return NULL;
    }
    team->def = *def;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->wake, NULL);
    for (int i = 0; i < def->workerCount; ++i)
    {
        team->helpers[i].team = team;
        team->helpers[i].workerIndex = i;
    }
    if (def->enqueueTask != NULL)
    {
        return team;
    }
    for (int i = 1; i < def->workerCount; ++i)
    {
        if (pthread_create(&team->helpers[i].thread, NULL, spRunThread, team->helpers + i) != 0)
        {
            spFail(error, sp_errorThread, "the system gave only %d of %d threads; use a smaller workerCount",
                   i, def->workerCount);
            spDestroyTeam(heap, team);
            return NULL;
        }
        team->threadCount += 1;
    }
    return team;
}

void spDestroyTeam(spHeap* heap, spTeam* team)
{
    if (team == NULL)
    {
        return;
    }
    atomic_store_explicit(&team->quit, true, memory_order_release);
    spWakeSleepers(team);
    for (int i = 1; i <= team->threadCount; ++i)
    {
        pthread_join(team->helpers[i].thread, NULL);
    }
    pthread_mutex_destroy(&team->mutex);
    pthread_cond_destroy(&team->wake);
    spFree(heap, team);
}

int spGetTeamSize(const spTeam* team)
{
    return team == NULL ? 1 : team->def.workerCount;
}

void spBeginTeam(spTeam* team)
{
    if (spGetTeamSize(team) == 1)
    {
        return;
    }
    team->caller = pthread_self();
    atomic_store_explicit(&team->running, true, memory_order_release);
    if (team->def.enqueueTask != NULL)
    {
        for (int i = 1; i < team->def.workerCount; ++i)
        {
            spHelper* helper = team->helpers + i;
            helper->task = team->def.enqueueTask(spHelpTask, helper, team->def.taskContext);
        }
        return;
    }
    atomic_store_explicit(&team->activeCount, team->threadCount, memory_order_relaxed);
    atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
    spWakeSleepers(team);
}

void spEndTeam(spTeam* team)
{
    if (spGetTeamSize(team) == 1)
    {
        return;
    }
    atomic_store_explicit(&team->running, false, memory_order_release);
    if (team->def.enqueueTask != NULL)
    {
        for (int i = 1; i < team->def.workerCount; ++i)
        {
            team->def.finishTask(team->helpers[i].task, team->def.taskContext);
        }
        return;
    }
    int spins = 0;
    while (atomic_load_explicit(&team->activeCount, memory_order_acquire) > 0)
    {
        spSpin(&spins);
    }
}

void spParallelFor(spTeam* team, spRangeFcn* fcn, int count, int minRange, void* context)
{
    if (count <= 0)
    {
        return;
    }
    int workerCount = spGetTeamSize(team);
    int chunkCount = spMinInt((count + minRange - 1) / minRange, workerCount * SP_CHUNKS_PER_WORKER);
    if (workerCount == 1 || chunkCount <= 1 ||
        atomic_load_explicit(&team->running, memory_order_relaxed) == false)
    {
        fcn(0, count, 0, context);
        return;
    }

    // All chunks of the last stage are done, so its counters are exhausted and nobody can claim: the fields
    // may change
    unsigned stage = atomic_load_explicit(&team->stage, memory_order_relaxed) + 1;
    if (stage == 0)
    {
        stage = 1;
    }
    atomic_store_explicit(&team->fcn, fcn, memory_order_relaxed);
    atomic_store_explicit(&team->context, context, memory_order_relaxed);
    atomic_store_explicit(&team->itemCount, count, memory_order_relaxed);
    atomic_store_explicit(&team->chunkCount, chunkCount, memory_order_relaxed);
    atomic_store_explicit(&team->doneCount, 0, memory_order_relaxed);
    for (int i = 0; i < workerCount; ++i)
    {
        int begin, end;
        spGetHome(chunkCount, workerCount, i, &begin, &end);
        uint_fast64_t left = (uint_fast64_t)(end - begin);
        atomic_store_explicit(&team->claims[i].left, (uint_fast64_t)stage << 32 | left, memory_order_release);
    }
    atomic_store_explicit(&team->stage, stage, memory_order_release);

    spWorkOnStage(team, stage, 0);
    int spins = 0;
    while (atomic_load_explicit(&team->doneCount, memory_order_acquire) < chunkCount)
    {
        spSpin(&spins);
    }
}
