// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The worker threads: every item exactly once, in any number of stages, with threads of our own and with task
// systems that run helpers at once, late, on the spot, or one after the other. Runs under the thread
// sanitizer.

#include "base/team.h"
#include "testbed/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define ITEMS 1000

typedef struct Work
{
    int hits[ITEMS];
    double values[ITEMS];
} Work;

static void HitItems(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    Work* work = context;
    for (int i = begin; i < end; ++i)
    {
        work->hits[i] += 1;
        work->values[i] = work->values[i] * 0.5 + i;
    }
}

static void RunStages(spTeam* team, int stages)
{
    static Work work;
    memset(&work, 0, sizeof(work));
    for (int round = 0; round < 5; ++round)
    {
        spBeginTeam(team);
        for (int stage = 0; stage < stages; ++stage)
        {
            spParallelFor(team, HitItems, ITEMS, 7, &work);
        }
        spEndTeam(team);
    }
    for (int i = 0; i < ITEMS; ++i)
    {
        assert_int_equal(work.hits[i], 5 * stages);
    }
}

static void TestOwnThreads(void** state)
{
    SP_UNUSED(state);
    const int workers[] = {1, 2, 3, 8};
    for (int i = 0; i < SP_COUNT(workers); ++i)
    {
        spHeap heap = spMakeHeap(NULL);
        spTeamDef def = {.workerCount = workers[i]};
        spTeam* team = spCreateTeam(&heap, &def, NULL);
        assert_non_null(team);
        assert_int_equal(spGetTeamSize(team), workers[i]);
        RunStages(team, 200);
        spDestroyTeam(&heap, team);
        assert_int_equal(heap.byteCount, 0);
    }
}

// Stages of few and of many chunks in turn: a helper that comes late to one must not take from the next
static void CountItems(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    atomic_fetch_add((atomic_int*)context, end - begin);
}

static void TestStagesOfDifferentSizes(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    spTeamDef def = {.workerCount = 8};
    spTeam* team = spCreateTeam(&heap, &def, NULL);
    assert_non_null(team);
    spBeginTeam(team);
    for (int stage = 0; stage < 200000; ++stage)
    {
        int count = stage % 2 == 0 ? 3 : 64;
        atomic_int total = 0;
        spParallelFor(team, CountItems, count, 1, &total);
        assert_int_equal(atomic_load(&total), count);
    }
    spEndTeam(team);
    spDestroyTeam(&heap, team);
}

// A task system that runs everything when it is waited for: the helpers then find nothing left to do
typedef struct LateTask
{
    spTaskFcn* task;
    void* context;
} LateTask;

static LateTask lateTasks[SP_MAX_WORKERS];
static int lateCount;

static void* EnqueueLate(spTaskFcn* task, void* taskContext, void* userContext)
{
    SP_UNUSED(userContext);
    LateTask* late = lateTasks + lateCount++;
    *late = (LateTask){task, taskContext};
    return late;
}

static void FinishLate(void* handle, void* userContext)
{
    SP_UNUSED(userContext);
    LateTask* late = handle;
    late->task(late->context);
    lateCount -= 1;
}

static void TestLateTasks(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    spTeamDef def = {.workerCount = 4, .enqueueTask = EnqueueLate, .finishTask = FinishLate};
    spTeam* team = spCreateTeam(&heap, &def, NULL);
    RunStages(team, 50);
    spDestroyTeam(&heap, team);
}

// A task system that runs everything on the spot
static void* EnqueueInline(spTaskFcn* task, void* taskContext, void* userContext)
{
    SP_UNUSED(userContext);
    task(taskContext);
    return NULL;
}

static void FinishInline(void* handle, void* userContext)
{
    SP_UNUSED(handle);
    SP_UNUSED(userContext);
}

static void TestInlineTasks(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    spTeamDef def = {.workerCount = 4, .enqueueTask = EnqueueInline, .finishTask = FinishInline};
    spTeam* team = spCreateTeam(&heap, &def, NULL);
    RunStages(team, 50);
    spDestroyTeam(&heap, team);
}

// A task system with a thread for each task
typedef struct ThreadTask
{
    pthread_t thread;
    spTaskFcn* task;
    void* context;
} ThreadTask;

static void* RunTask(void* context)
{
    ThreadTask* task = context;
    task->task(task->context);
    return NULL;
}

static void* EnqueueThread(spTaskFcn* task, void* taskContext, void* userContext)
{
    ThreadTask* tasks = userContext;
    int i = 0;
    while (tasks[i].task != NULL)
    {
        i += 1;
    }
    tasks[i].task = task;
    tasks[i].context = taskContext;
    pthread_create(&tasks[i].thread, NULL, RunTask, tasks + i);
    return tasks + i;
}

static void FinishThread(void* handle, void* userContext)
{
    SP_UNUSED(userContext);
    ThreadTask* task = handle;
    pthread_join(task->thread, NULL);
    task->task = NULL;
}

static void TestThreadTasks(void** state)
{
    SP_UNUSED(state);
    ThreadTask tasks[SP_MAX_WORKERS] = {0};
    spHeap heap = spMakeHeap(NULL);
    spTeamDef def = {
        .workerCount = 3, .enqueueTask = EnqueueThread, .finishTask = FinishThread, .taskContext = tasks};
    spTeam* team = spCreateTeam(&heap, &def, NULL);
    RunStages(team, 100);
    spDestroyTeam(&heap, team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestOwnThreads),  cmocka_unit_test(TestStagesOfDifferentSizes),
        cmocka_unit_test(TestLateTasks),   cmocka_unit_test(TestInlineTasks),
        cmocka_unit_test(TestThreadTasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
