// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Threads: one worker, the library's own threads, and the user's task system give the same bits.

#include "souple/souple.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

typedef struct Task
{
    spTaskFcn* task;
    void* taskContext;
    pthread_t thread;
    bool started;
} Task;

// The simplest task system there is: a thread for each task. A real program hands tasks to the pool that it
// has anyway. A world never has more than SP_MAX_WORKERS tasks at a time.
typedef struct Tasks
{
    Task tasks[SP_MAX_WORKERS];
    int count;
} Tasks;

static void* RunTask(void* context)
{
    Task* task = context;
    task->task(task->taskContext);
    return NULL;
}

// A task lasts until the end of the step: it must not be run in here
static void* EnqueueTask(spTaskFcn* fcn, void* taskContext, void* userContext)
{
    Tasks* tasks = userContext;
    Task* task = tasks->tasks + tasks->count % SP_MAX_WORKERS;
    tasks->count += 1;
    *task = (Task){.task = fcn, .taskContext = taskContext};
    task->started = pthread_create(&task->thread, NULL, RunTask, task) == 0;
    return task;
}

static void FinishTask(void* handle, void* userContext)
{
    (void)userContext;
    Task* task = handle;
    if (task->started)
    {
        pthread_join(task->thread, NULL);
    }
    else
    {
        RunTask(task); // there was no thread to be had; late is not too late
    }
}

// A beam that swings down, large enough to be shared by several threads. Returns the hash, or 0 on failure.
static uint64_t RunBeam(const spWorldDef* worldDef)
{
    spError error = SP_ZERO_INIT;
    spWorld* world = spCreateWorld(worldDef, &error);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.size = (spDVec3){1.0, 0.25, 0.25};
    meshDef.cells[0] = 40;
    meshDef.cells[1] = 10;
    meshDef.cells[2] = 10;
    spMesh* mesh = spMakeBoxMesh(&meshDef, &error);
    if (world == NULL || mesh == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        spDestroyMesh(mesh);
        spDestroyWorld(world);
        return 0;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    spBodyId beam = spCreateBody(world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.youngModulus = 1e5f;
    springDef.damping = 0.1f;
    spBody_AddSprings(world, beam, &springDef);
    spDestroyMesh(mesh);
    for (int32_t node = 0; node < 11 * 11; ++node)
    {
        spBody_PinNodes(world, beam, &node, 1); // the end at small x
    }
    for (int i = 0; i < 20; ++i)
    {
        spWorld_Step(world, 0.005f);
    }
    uint64_t hash = spWorld_GetStateHash(world);
    printf("%d workers: hash %016" PRIx64 ", %d springs\n", spWorld_GetWorkerCount(world), hash,
           spBody_GetElementCount(world, beam));
    spDestroyWorld(world);
    return hash;
}

int main(void)
{
    spWorldDef worldDef = spDefaultWorldDef();
    uint64_t one = RunBeam(&worldDef);

    worldDef.workerCount = 4; // threads of the library's own, the caller included
    uint64_t four = RunBeam(&worldDef);

    static Tasks tasks;
    worldDef.workerCount = 3;
    worldDef.enqueueTask = EnqueueTask;
    worldDef.finishTask = FinishTask;
    worldDef.taskContext = &tasks;
    uint64_t own = RunBeam(&worldDef);
    printf("own task system: %d tasks in 20 steps\n", tasks.count);
    return one != 0 && one == four && one == own && tasks.count > 0 ? 0 : 1;
}
