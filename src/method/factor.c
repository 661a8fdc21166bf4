// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One job at a time. The stepping thread writes the back slot while no job is under way, then hands it over;
// from then on it belongs to the worker until `stage` says done, but for the list of edits since, which the
// worker never looks at. The worker reads element sets, their materials and rest data while it assembles, after
// an edit also to find the pattern, so whoever changes those waits for it first (spPauseFactor); the long part,
// making the factor, reads nothing of the body.

#include "base/error.h"
#include "base/hash.h"
#include "base/timer.h"
#include "method/factor_slot.h"

#include <pthread.h>

typedef enum spFactorStage
{
    sp_factorIdle,
    sp_factorAsked,
    sp_factorReading, // the worker reads the body
    sp_factorMaking,
    sp_factorDone,
    sp_factorQuit,
} spFactorStage;

struct spFactor
{
    spBody* body;
    spSolverDef solver;
    bool asynchronous;
    spFill fill;         // that the system is made for
    spHeap heap;         // of the worker
    spBodySystem system; // of the worker
    bool hasSystem;
    spFactorSlot slots[2];
    int front;
    int64_t serial; // of the front one: another number for another one
    int64_t count;
    spMat3* turns;
    spVec4* sums[3];
    int sumCount;
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

static spFactorMatrixDef spGetMatrixDef(spFactor* f)
{
    return (spFactorMatrixDef){.solver = &f->solver, .body = f->body, .heap = &f->heap};
}

// System and matrix of the slot for the elements that the body has now
static bool spFindPattern(spFactor* f, spFactorSlot* slot, spError* error)
{
    uint32_t version = f->body->topologyVersion;
    if (f->hasSystem && f->system.version != version)
    {
        spDestroyBodySystem(&f->system, f->body);
        f->hasSystem = false;
    }
    if (f->hasSystem == false)
    {
        spSystemNeeds needs = {.sparse = true, .heap = &f->heap};
        f->hasSystem = spCreateBodySystem(&f->system, f->body, &f->fill, &needs, error);
    }
    if (f->hasSystem && (slot->matrix == NULL || slot->matrix->version != version))
    {
        spFactorMatrixDef def = spGetMatrixDef(f);
        spDestroyFactorMatrix(slot->matrix, &f->heap);
        slot->matrix = spCreateSystemMatrix(&def, &f->system, error);
    }
    return f->hasSystem && slot->matrix != NULL;
}

// False without memory for another pattern
static bool spReadBody(spFactor* f, spFactorSlot* slot)
{
    spBody* body = f->body;
    spError error = {0};
    if (spFindPattern(f, slot, &error) == false)
    {
        return false;
    }
    // Not spGetNodeState: it reads the time of the body, which goes on
    spForceContext force = {.body = body,
                            .state = {.x = slot->x,
                                      .v = slot->v,
                                      .patchBegin = body->order.patchBegin,
                                      .nodeCount = body->nodeCount,
                                      .patchCount = body->order.patchCount,
                                      .time = slot->request.time}};
    spAssembleSystem(&f->system, body, &force, slot->request.mass, &slot->request.fill, true);
    spAddSlotContacts(slot, body, &f->system);
    return true;
}

static void spBuildSlot(spFactorSlot* slot, double start)
{
    spFactorMatrix* matrix = slot->matrix;
    matrix->rows.x = slot->x;
    slot->made = matrix->preconditioner->kind->build(matrix->preconditioner, &matrix->rows);
    slot->seconds = spGetSeconds() - start;
}

static void spMakeFactor(spFactor* f, spFactorSlot* slot, double start)
{
    spFillSystemRows(&slot->matrix->rows, &f->system, slot->x);
    spBuildSlot(slot, start);
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
        bool read = spReadBody(f, slot);
        spSetFactorStage(f, sp_factorMaking);
        if (read)
        {
            spMakeFactor(f, slot, start);
        }
        spSetFactorStage(f, sp_factorDone);
        pthread_mutex_lock(&f->mutex);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

bool spFitTurns(spFactor* f, const spSparse* a)
{
    spHeap* heap = f->body->heap;
    int count = a->nodeCount + a->slots.slotCount;
    bool ok = true;
    for (int k = 0; k < 3 && count > f->sumCount; ++k)
    {
        spFree(heap, f->sums[k]);
        f->sums[k] = spAlloc(heap, spArraySize(count, sizeof(spVec4)));
        ok = ok && f->sums[k] != NULL;
    }
    f->sumCount = ok ? spMaxInt(count, f->sumCount) : 0;
    return ok;
}

static bool spAllocFactor(spFactor* f, spBody* body, const spFactorRequest* request, spError* error)
{
    spHeap* heap = body->heap;
    size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
    f->turns = spAlloc(heap, spArraySize(body->nodeCount, sizeof(spMat3)));
    bool ok = f->turns != NULL;
    for (int i = 0; i < 2; ++i)
    {
        f->slots[i].request.step = -1;
        f->slots[i].x = spAllocZeroed(heap, size);
        f->slots[i].v = spAllocZeroed(heap, size);
        ok = ok && f->slots[i].x != NULL && f->slots[i].v != NULL;
        for (int k = 0; k < 2 && request->contacts[0] != NULL; ++k)
        {
            f->slots[i].contacts[k] = spAllocZeroed(heap, size);
            ok = ok && f->slots[i].contacts[k] != NULL;
        }
    }
    if (ok == false)
    {
        return spFailMemory(error, "a preconditioner", size);
    }
    // Made in the step it needs no second one
    return spFindPattern(f, f->slots, error) &&
           (f->asynchronous == false || spFindPattern(f, f->slots + 1, error));
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
    f->heap = spMakeHeap(&body->heap->allocator);
    f->solver = *solver;
    f->asynchronous = solver->asynchronous;
    f->fill = request->fill;
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->changed, NULL);
    bool ok = spAllocFactor(f, body, request, error);
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
        spDropOutlived(f->slots + i);
        spDestroyFactorMatrix(f->slots[i].matrix, &f->heap);
        spFree(heap, f->slots[i].x);
        spFree(heap, f->slots[i].v);
        spFree(heap, f->slots[i].contacts[0]);
        spFree(heap, f->slots[i].contacts[1]);
    }
    for (int k = 0; k < 3; ++k)
    {
        spFree(heap, f->sums[k]);
    }
    spFree(heap, f->turns);
    if (f->hasSystem)
    {
        spDestroyBodySystem(&f->system, body);
    }
    spFree(heap, f);
}

static uint64_t spHashSlot(const spFactorSlot* slot, int nodeCount)
{
    size_t size = (size_t)nodeCount * sizeof(spVec4);
    uint64_t hash = spHashBytes(SP_HASH_SEED, slot->x, size);
    hash = slot->contacts[0] != NULL ? spHashBytes(hash, slot->contacts[0], size) : hash;
    return spHashBytes(hash, &slot->request.step, sizeof(slot->request.step));
}

// Made in the step: with the matrix that the front one has, unless that one knows of edits that it does not
static void spBorrowMatrix(spFactor* f, spFactorSlot* slot, spFactorSlot* from)
{
    if (from->matrix != NULL && from->matrix->version == f->body->topologyVersion)
    {
        spDestroyFactorMatrix(slot->matrix, &f->heap);
        slot->matrix = from->matrix;
        from->matrix = NULL;
        from->made = false;
    }
}

static void spMakeInStep(spFactor* f, spFactorSlot* slot)
{
    double start = spGetSeconds();
    spBorrowMatrix(f, slot, slot == spGetFront(f) ? spGetBack(f) : spGetFront(f));
    if (spReadBody(f, slot))
    {
        spMakeFactor(f, slot, start);
    }
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
    spMakeInStep(f, slot);
    f->stage = sp_factorDone;
}

void spRequestFactor(spFactor* f, const spVec4* x, const spVec4* v, const spFactorRequest* request)
{
    spFactorSlot* slot = spGetBack(f);
    f->body->backend->download(slot->x, x, (size_t)f->body->nodeCount * sizeof(spVec4));
    f->body->backend->download(slot->v, v, (size_t)f->body->nodeCount * sizeof(spVec4));
    for (int k = 0; k < 2 && slot->contacts[k] != NULL; ++k)
    {
        f->body->backend->download(slot->contacts[k], request->contacts[k],
                                   (size_t)f->body->nodeCount * sizeof(spVec4));
    }
    slot->request = *request;
    slot->edits = (spFactorEdits){0};
    spDropOutlived(slot);
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
    // One that was made in the step, where there was the old one, has no other to fall back to
    if (spGetBack(f)->made || spGetFront(f)->matrix == NULL)
    {
        f->front = 1 - f->front;
        f->serial += 1;
        f->turned = false;
        spInheritSlot(spGetFront(f));
        spDropOutlived(spGetBack(f));
    }
    if (f->asynchronous == false && spGetFront(f)->matrix != NULL)
    {
        spDestroyFactorMatrix(spGetBack(f)->matrix, &f->heap);
        spGetBack(f)->matrix = NULL;
        spGetBack(f)->made = false;
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
    const spSparse* a;
    const spVec4* now;
} spTurnContext;

static void spSumTurnsStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spTurnContext* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        c->a->backend->sumTurns(c->a, spGetFront(c->f)->x, c->now, patch, c->f->sums);
    }
}

static void spFindTurnsStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spTurnContext* c = context;
    const spSparse* a = c->a;
    for (int patch = begin; patch < end; ++patch)
    {
        for (int k = 0; k < 3; ++k)
        {
            a->backend->sumSlots(&a->slots, c->f->sums[k], patch);
        }
        a->backend->findTurns(c->f->sums, a->patchBegin[patch], a->patchBegin[patch + 1], c->f->turns);
    }
}

void spTurnFactor(spFactor* f, const spSparse* a, const spVec4* x, spTeam* team)
{
    spTurnContext context = {f, a, x};
    spParallelFor(team, spSumTurnsStage, f->body->order.patchCount, 1, &context);
    spParallelFor(team, spFindTurnsStage, f->body->order.patchCount, 1, &context);
    f->turned = true;
}

spPreconditioner* spGetFrontFactor(const spFactor* f)
{
    const spFactorSlot* slot = spGetFront(f);
    spPreconditioner* own = slot->made ? slot->matrix->preconditioner : NULL;
    return slot->edits.edited ? slot->outlived : own;
}

// ---- edits ----

void spRemapFactor(spFactor* f, const spBirth* birth)
{
    spMarkSlot(spGetFront(f), birth);
    spMarkSlot(spGetBack(f), birth);
    spInheritSlot(spGetFront(f));
    f->serial += 1;
    f->turned = false;
}

bool spIsFactorEdited(const spFactor* f)
{
    return spGetFront(f)->edits.edited;
}

bool spIsFactorCut(const spFactor* f, int64_t step)
{
    const spFactorEdits* e = &spGetFront(f)->edits;
    return e->edited && (e->pending || e->step >= step);
}

bool spKeepFactor(spFactor* f, spBodySystem* system, spTeam* team, int64_t step)
{
    spFactorSlot* slot = spGetFront(f);
    if (slot->request.step >= 0 && slot->edits.edited &&
        spOutliveEdits(slot, f->body, system, team, step) == false)
    {
        // Given up: neither it nor what a snapshot may hold of it counts
        spDropOutlived(slot);
        slot->request.step = -1;
        slot->made = false;
        slot->hash = 0;
    }
    return slot->request.step >= 0;
}

const spMat3* spGetFactorTurns(const spFactor* f)
{
    return f->turned ? f->turns : NULL;
}

int64_t spGetFactorSerial(const spFactor* f)
{
    return f->serial;
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
    // Versions are those of one world: what counts is whether it knows of the last change
    bool current = request->version == f->body->matrixVersion;
    fcn(walk, sp_pieceFlag, &current, sizeof(current));
    request->version = f->body->matrixVersion - (current ? 0 : 1);
    request->fill.bound = f->fill.bound;
    request->fill.blocks = f->fill.blocks;
    const spBody* body = f->body;
    bool fits =
        f->hasSystem == false || spFitsSparse(&f->system.sparse, (const spElementSet* const*)body->sets,
                                              body->setCount, &request->fill);
    if (fits == false || request->step < 0 || request->step > INT64_MAX / 2)
    {
        request->step = -1;
    }
}

// Returns whether something else has been read back than what was made. matrix: that came with it, if it was
// made before an edit
static bool spWalkSlot(spFactor* f, spFactorSlot* slot, spFactorMatrix** matrix, spWalkMemoryFcn* fcn,
                       void* walk)
{
    size_t size = (size_t)f->body->nodeCount * sizeof(spVec4);
    uint64_t hash = slot->hash;
    fcn(walk, sp_pieceAny, slot->x, size);
    fcn(walk, sp_pieceAny, slot->v, size);
    for (int k = 0; k < 2 && slot->contacts[k] != NULL; ++k)
    {
        fcn(walk, sp_pieceAny, slot->contacts[k], size);
    }
    spWalkRequest(f, &slot->request, fcn, walk);
    fcn(walk, sp_pieceAny, &slot->hash, sizeof(slot->hash));
    if (f->body->edit != NULL)
    {
        spFactorMatrixDef def = spGetMatrixDef(f);
        *matrix = spWalkSlotEdits(slot, &def, fcn, walk);
    }
    return slot->hash != hash;
}

// Makes what was read back: from the matrix that came with it, or else from the body
static void spRemakeSlot(spFactor* f, spFactorSlot* slot, spFactorMatrix* matrix)
{
    slot->made = false;
    spDropOutlived(slot);
    if (slot->request.step >= 0 && slot->edits.edited == false)
    {
        spMakeInStep(f, slot);
    }
    else if (slot->request.step >= 0 && matrix != NULL)
    {
        spDestroyFactorMatrix(slot->matrix, &f->heap);
        slot->matrix = matrix;
        spBuildSlot(slot, spGetSeconds());
    }
}

void spWalkFactor(spFactor* f, spWalkMemoryFcn* fcn, void* walk)
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
    fcn(walk, sp_pieceFlag, &asked, sizeof(asked));
    spFactorMatrix* matrices[2] = {0};
    bool others[2];
    for (int i = 0; i < 2; ++i)
    {
        others[i] = spWalkSlot(f, i == 0 ? spGetFront(f) : spGetBack(f), matrices + i, fcn, walk);
    }
    if (others[0])
    {
        spRemakeSlot(f, spGetFront(f), matrices[0]);
        f->serial += 1;
    }
    bool edited = spGetBack(f)->edits.edited, starts = false;
    if (asked && spGetBack(f)->request.step >= 0)
    {
        if (others[1] || f->stage != sp_factorDone)
        {
            spSetFactorStage(f, sp_factorIdle);
            starts = edited == false;
            if (edited)
            {
                spRemakeSlot(f, spGetBack(f), matrices[1]);
                spSetFactorStage(f, sp_factorDone);
            }
        }
    }
    else
    {
        spSetFactorStage(f, sp_factorIdle);
    }
    for (int i = 0; i < 2; ++i)
    {
        bool taken = matrices[i] == spGetFront(f)->matrix || matrices[i] == spGetBack(f)->matrix;
        spDestroyFactorMatrix(taken ? NULL : matrices[i], &f->heap);
    }
    if (starts)
    {
        // From here on the back one belongs to the thread
        f->count -= 1;
        spStartJob(f);
    }
    f->turned = false;
}
