// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One job at a time. The stepping thread writes the back slot while no job is under way, then hands it over;
// from then on it belongs to the worker until `stage` says done. The worker reads rest data and materials of
// the element sets while it assembles, so whoever changes those waits for it first (spPauseFactor); the long
// part, making the factor, reads nothing of the body.

#include "method/factor.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/timer.h"

#include <pthread.h>
#include <string.h>

typedef enum spFactorStage
{
    sp_factorIdle,
    sp_factorAsked,
    sp_factorReading, // the worker reads the body
    sp_factorMaking,
    sp_factorDone,
    sp_factorQuit,
} spFactorStage;

typedef struct spFactorSlot
{
    spPreconditioner* preconditioner;
    spVec4* x; // the state that it is made at
    spVec4* v;
    spFactorRequest request;
    uint64_t hash; // of that state
    bool made;
    double seconds;
} spFactorSlot;

struct spFactor
{
    spBody* body;
    bool asynchronous;
    spFill fill;         // that the system was made for
    spBodySystem system; // of the worker
    spBlockRows rows;
    spFactorSlot slots[2];
    int front;
    int64_t count;
    spMat3* turns;
    spVec4* sums[3];
    bool turned; // the rotations count

    pthread_t thread;
    bool hasThread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    spFactorStage stage;
};

static spFactorSlot* spGetBack(spFactor* f)
{
    return f->slots + (1 - f->front);
}

static spFactorSlot* spGetFront(const spFactor* f)
{
    return (spFactorSlot*)f->slots + f->front;
}

static void spSetFactorStage(spFactor* f, spFactorStage stage)
{
    pthread_mutex_lock(&f->mutex);
    // Once asked to quit, it stays so
    f->stage = f->stage == sp_factorQuit ? sp_factorQuit : stage;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->mutex);
}

static void spReadBody(spFactor* f, spFactorSlot* slot)
{
    spBody* body = f->body;
    // Not spGetNodeState: it reads the time of the body, which goes on
    spForceContext force = {.body = body,
                            .state = {.x = slot->x,
                                      .v = slot->v,
                                      .patchBegin = body->order.patchBegin,
                                      .nodeCount = body->nodeCount,
                                      .patchCount = body->order.patchCount,
                                      .time = slot->request.time}};
    spAssembleSystem(&f->system, body, &force, slot->request.mass, &slot->request.fill, true);
}

static void spMakeFactor(spFactor* f, spFactorSlot* slot, double start)
{
    spFillSystemRows(&f->rows, &f->system, slot->x);
    f->rows.x = slot->x;
    spPreconditioner* p = slot->preconditioner;
    slot->made = p->kind->build(p, &f->rows);
    slot->seconds = spGetSeconds() - start;
}

static void* spRunFactorThread(void* context)
{
    spFactor* f = context;
    pthread_mutex_lock(&f->mutex);
    while (f->stage != sp_factorQuit)
    {
        if (f->stage != sp_factorAsked)
        {
            pthread_cond_wait(&f->changed, &f->mutex);
            continue;
        }
        f->stage = sp_factorReading;
        spFactorSlot* slot = spGetBack(f);
        pthread_mutex_unlock(&f->mutex);
        double start = spGetSeconds();
        spReadBody(f, slot);
        spSetFactorStage(f, sp_factorMaking);
        spMakeFactor(f, slot, start);
        spSetFactorStage(f, sp_factorDone);
        pthread_mutex_lock(&f->mutex);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

static bool spAllocFactor(spFactor* f, spBody* body, const spSolverDef* solver,
                          const spFactorRequest* request, spError* error)
{
    spSystemNeeds needs = {.sparse = true};
    if (spCreateBodySystem(&f->system, body, &request->fill, &needs, error) == false)
    {
        return false;
    }
    spHeap* heap = body->heap;
    size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
    int64_t turnCount = (int64_t)body->nodeCount + f->system.sparse.slots.slotCount;
    bool ok = spCreateSystemRows(&f->rows, &f->system, heap);
    f->turns = spAlloc(heap, spArraySize(body->nodeCount, sizeof(spMat3)));
    ok = ok && f->turns != NULL;
    for (int k = 0; k < 3; ++k)
    {
        f->sums[k] = spAlloc(heap, spArraySize(turnCount, sizeof(spVec4)));
        ok = ok && f->sums[k] != NULL;
    }
    for (int i = 0; i < 2; ++i)
    {
        f->slots[i].request.step = -1;
        f->slots[i].x = spAllocZeroed(heap, size);
        f->slots[i].v = spAllocZeroed(heap, size);
        ok = ok && f->slots[i].x != NULL && f->slots[i].v != NULL;
    }
    if (ok == false)
    {
        return spFailMemory(error, "a preconditioner", size);
    }
    const spPreconditionerKind* kind = spFindPreconditioner(solver->preconditioner);
    spPreconditionerDef def = {.allocator = heap->allocator,
                               .pattern = &f->rows,
                               .patchBegin = body->order.patchBegin,
                               .patchCount = body->order.patchCount,
                               .laneCount = body->laneCount,
                               .dropTolerance = solver->dropTolerance};
    for (int i = 0; i < 2; ++i)
    {
        // Made in the step it needs no second one
        if (i == 0 || f->asynchronous)
        {
            f->slots[i].preconditioner = kind->create(&def, error);
            if (f->slots[i].preconditioner == NULL)
            {
                return false;
            }
        }
    }
    return true;
}

spFactor* spCreateFactor(spBody* body, const spSolverDef* solver, const spFactorRequest* request,
                         spError* error)
{
    spFactor* f = spAllocZeroed(body->heap, sizeof(spFactor));
    if (f == NULL)
    {
        spFailMemory(error, "a preconditioner", sizeof(spFactor));
        return NULL;
    }
    f->body = body;
    f->asynchronous = solver->asynchronous;
    f->fill = request->fill;
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, NULL);
    bool ok = spAllocFactor(f, body, solver, request, error);
    if (ok && f->asynchronous)
    {
        f->hasThread = pthread_create(&f->thread, NULL, spRunFactorThread, f) == 0;
        ok = f->hasThread ||
             spFail(error, sp_errorThread, "no thread for the preconditioner of %s", body->name);
    }
    if (ok == false)
    {
        spDestroyFactor(f, body);
        return NULL;
    }
    return f;
}

void spDestroyFactor(spFactor* f, spBody* body)
{
    if (f == NULL)
    {
        return;
    }
    if (f->hasThread)
    {
        spSetFactorStage(f, sp_factorQuit);
        pthread_join(f->thread, NULL);
    }
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->mutex);
    spHeap* heap = body->heap;
    for (int i = 0; i < 2; ++i)
    {
        spPreconditioner* p = f->slots[i].preconditioner;
        if (p != NULL)
        {
            p->kind->destroy(p);
        }
        spFree(heap, f->slots[i].x);
        spFree(heap, f->slots[i].v);
    }
    for (int k = 0; k < 3; ++k)
    {
        spFree(heap, f->sums[k]);
    }
    spFree(heap, f->turns);
    spDestroySystemRows(&f->rows, heap);
    spDestroyBodySystem(&f->system, body);
    spFree(heap, f);
}

static uint64_t spHashSlot(const spFactorSlot* slot, int nodeCount)
{
    uint64_t hash = spHashBytes(SP_HASH_SEED, slot->x, (size_t)nodeCount * sizeof(spVec4));
    return spHashBytes(hash, &slot->request.step, sizeof(slot->request.step));
}

// Runs or starts the job for what stands in the back slot
static void spStartJob(spFactor* f)
{
    spFactorSlot* slot = spGetBack(f);
    slot->made = false;
    slot->hash = spHashSlot(slot, f->body->nodeCount);
    f->count += 1;
    if (f->asynchronous)
    {
        spSetFactorStage(f, sp_factorAsked);
        return;
    }
    double start = spGetSeconds();
    spFactorSlot* front = spGetFront(f);
    if (slot->preconditioner == NULL)
    {
        slot->preconditioner = front->preconditioner;
        front->preconditioner = NULL;
    }
    spReadBody(f, slot);
    spMakeFactor(f, slot, start);
    f->stage = sp_factorDone;
}

void spRequestFactor(spFactor* f, const spVec4* x, const spVec4* v, const spFactorRequest* request)
{
    spFactorSlot* slot = spGetBack(f);
    memcpy(slot->x, x, (size_t)f->body->nodeCount * sizeof(spVec4));
    memcpy(slot->v, v, (size_t)f->body->nodeCount * sizeof(spVec4));
    slot->request = *request;
    spStartJob(f);
}

static spFactorStage spGetFactorStage(spFactor* f)
{
    pthread_mutex_lock(&f->mutex);
    spFactorStage stage = f->stage;
    pthread_mutex_unlock(&f->mutex);
    return stage;
}

bool spIsFactorAsked(const spFactor* f)
{
    return spGetFactorStage((spFactor*)f) != sp_factorIdle;
}

bool spIsFactorDone(spFactor* f)
{
    return spGetFactorStage(f) == sp_factorDone;
}

double spTakeFactor(spFactor* f)
{
    double waited = 0.0;
    pthread_mutex_lock(&f->mutex);
    if (f->stage != sp_factorDone)
    {
        double start = spGetSeconds();
        while (f->stage != sp_factorDone)
        {
            pthread_cond_wait(&f->changed, &f->mutex);
        }
        waited = spGetSeconds() - start;
    }
    f->stage = sp_factorIdle;
    pthread_mutex_unlock(&f->mutex);
    // One that is made in the step has no other to fall back to
    if (spGetBack(f)->made || f->asynchronous == false)
    {
        f->front = 1 - f->front;
        f->turned = false;
    }
    return waited;
}

void spPauseFactor(spFactor* f)
{
    if (f->asynchronous)
    {
        pthread_mutex_lock(&f->mutex);
        while (f->stage == sp_factorAsked || f->stage == sp_factorReading)
        {
            pthread_cond_wait(&f->changed, &f->mutex);
        }
        pthread_mutex_unlock(&f->mutex);
    }
}

typedef struct spTurnContext
{
    spFactor* f;
    const spVec4* now;
} spTurnContext;

static void spSumTurnsStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spTurnContext* c = context;
    const spSparse* a = &c->f->system.sparse;
    for (int patch = begin; patch < end; ++patch)
    {
        a->kernels->sumTurns(a, spGetFront(c->f)->x, c->now, patch, c->f->sums);
    }
}

static void spFindTurnsStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spTurnContext* c = context;
    const spSparse* a = &c->f->system.sparse;
    for (int patch = begin; patch < end; ++patch)
    {
        for (int k = 0; k < 3; ++k)
        {
            spSumSlots(&a->slots, c->f->sums[k], patch);
        }
        a->kernels->findTurns(c->f->sums, a->patchBegin[patch], a->patchBegin[patch + 1], c->f->turns);
    }
}

void spTurnFactor(spFactor* f, const spVec4* x, spTeam* team)
{
    spTurnContext context = {f, x};
    spParallelFor(team, spSumTurnsStage, f->body->order.patchCount, 1, &context);
    spParallelFor(team, spFindTurnsStage, f->body->order.patchCount, 1, &context);
    f->turned = true;
}

spPreconditioner* spGetFrontFactor(const spFactor* f)
{
    const spFactorSlot* slot = spGetFront(f);
    return slot->made ? slot->preconditioner : NULL;
}

const spMat3* spGetFactorTurns(const spFactor* f)
{
    return f->turned ? f->turns : NULL;
}

int64_t spGetFactorStep(const spFactor* f, bool back)
{
    return f->slots[back ? 1 - f->front : f->front].request.step;
}

uint32_t spGetFactorVersion(const spFactor* f)
{
    return spGetFront(f)->request.version;
}

int64_t spGetFactorCount(const spFactor* f)
{
    return f->count;
}

double spGetFactorSeconds(const spFactor* f)
{
    return spGetFront(f)->seconds;
}

// The bytes of a snapshot may come from anywhere: a request that cannot be true counts as none
static void spWalkRequest(spFactor* f, spFactorRequest* request, spWalkMemoryFcn* fcn, void* walk)
{
    fcn(walk, sp_pieceAny, &request->mass, sizeof(request->mass));
    fcn(walk, sp_pieceAny, &request->fill.stiffness, sizeof(request->fill.stiffness));
    fcn(walk, sp_pieceAny, &request->fill.damping, sizeof(request->fill.damping));
    fcn(walk, sp_pieceFlag, &request->fill.project, sizeof(request->fill.project));
    fcn(walk, sp_pieceAny, &request->time, sizeof(request->time));
    fcn(walk, sp_pieceAny, &request->step, sizeof(request->step));
    fcn(walk, sp_pieceAny, &request->version, sizeof(request->version));
    request->fill.bound = f->fill.bound;
    request->fill.blocks = f->fill.blocks;
    const spBody* body = f->body;
    bool fits = spFitsSparse(&f->system.sparse, (const spElementSet* const*)body->sets, body->setCount,
                             &request->fill);
    if (fits == false || request->step < 0 || request->step > INT64_MAX / 2)
    {
        request->step = -1;
    }
}

void spWalkFactor(spFactor* f, spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    // The worker owns the back slot while it works on it
    bool asked = spIsFactorAsked(f);
    if (asked)
    {
        pthread_mutex_lock(&f->mutex);
        while (f->stage != sp_factorDone)
        {
            pthread_cond_wait(&f->changed, &f->mutex);
        }
        pthread_mutex_unlock(&f->mutex);
    }
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    uint64_t hashes[2];
    fcn(walk, sp_pieceFlag, &asked, sizeof(asked));
    for (int i = 0; i < 2; ++i)
    {
        spFactorSlot* slot = i == 0 ? spGetFront(f) : spGetBack(f);
        hashes[i] = slot->hash;
        fcn(walk, sp_pieceAny, slot->x, size);
        fcn(walk, sp_pieceAny, slot->v, size);
        spWalkRequest(f, &slot->request, fcn, walk);
        fcn(walk, sp_pieceAny, &slot->hash, sizeof(slot->hash));
    }
    // Whether something else has been read back than what was made
    spGetFront(f)->made = spGetFront(f)->made && spGetFront(f)->hash == hashes[0];
    if (spGetFront(f)->hash != hashes[0] && spGetFront(f)->request.step >= 0)
    {
        spFactorSlot* slot = spGetFront(f);
        if (slot->preconditioner == NULL)
        {
            slot->preconditioner = spGetBack(f)->preconditioner;
            spGetBack(f)->preconditioner = NULL;
        }
        spReadBody(f, slot);
        spMakeFactor(f, slot, spGetSeconds());
    }
    if (asked && spGetBack(f)->request.step >= 0)
    {
        spFactorSlot* slot = spGetBack(f);
        if (slot->hash != hashes[1] || f->stage != sp_factorDone)
        {
            spSetFactorStage(f, sp_factorIdle);
            f->count -= 1;
            spStartJob(f);
        }
    }
    else
    {
        spSetFactorStage(f, sp_factorIdle);
    }
    f->turned = false;
}
