// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/system.h"

#include "base/error.h"
#include "body/edit.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const spElementSet* const* spGetSets(const spBody* body)
{
    return (const spElementSet* const*)body->sets;
}

static bool spHasDiagonal(const spBody* body)
{
    for (int i = 0; i < body->setCount; ++i)
    {
        if (body->sets[i]->kind->addDiagonal != NULL)
        {
            return true;
        }
    }
    return false;
}

// Whether the pairs are the same in every state
static bool spIsConstant(const spBody* body, const spFill* fill)
{
    for (int i = 0; i < body->setCount; ++i)
    {
        const spElementSet* set = body->sets[i];
        bool bounded = fill->bound && set->kind->bounded;
        if (set->kind->fillPairs != NULL && set->constant == false && bounded == false)
        {
            return false;
        }
    }
    return true;
}

static int spCountColumns(const spBody* body)
{
    int count = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        count += body->sets[i]->kind->getColumn != NULL;
    }
    return count;
}

bool spCreateBodySystem(spBodySystem* s, spBody* body, const spFill* fill, const spSystemNeeds* needs,
                        spError* error)
{
    spHeap* heap = needs->heap != NULL ? needs->heap : body->heap;
    *s = (spBodySystem){.backend = body->backend,
                        .heap = heap,
                        .fill = *fill,
                        .version = body->topologyVersion,
                        .setVersion = spGetSetVersion(body),
                        .constant = spIsConstant(body, fill)};
    size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
    s->columnCount = spCountColumns(body);
    if (s->columnCount > SP_MAX_COLUMNS)
    {
        s->columnCount = 0;
        return spFail(error, sp_errorBadArgument,
                      "%s has more than %d gases: implicit methods take no more; use an explicit method",
                      body->name, SP_MAX_COLUMNS);
    }
    bool ok = true;
    if (needs->sparse)
    {
        spSparseDef def = {.sets = spGetSets(body),
                           .setCount = body->setCount,
                           .fill = fill,
                           .patchBegin = body->order.patchBegin,
                           .patchCount = body->order.patchCount,
                           .backend = body->backend};
        ok = spCreateSparse(&s->sparse, heap, &def);
        s->hasSparse = ok;
        int64_t count = (int64_t)body->nodeCount + s->sparse.slots.slotCount;
        s->product = ok ? body->backend->allocate(heap, spArraySize(count, sizeof(spVec4))) : NULL;
        ok = s->product != NULL;
    }
    s->ownA = body->backend->allocate(heap, size);
    s->ownC = body->backend->allocate(heap, size);
    ok = ok && s->ownA != NULL && s->ownC != NULL;
    if (spHasDiagonal(body))
    {
        s->diagonal = body->backend->allocate(heap, spArraySize(body->nodeCount, sizeof(spMat3)));
        ok = ok && s->diagonal != NULL;
    }
    if (needs->local)
    {
        s->localA = body->backend->allocate(heap, size);
        s->localC = body->backend->allocate(heap, size);
        ok = ok && s->localA != NULL && s->localC != NULL;
    }
    if (needs->matrixFree)
    {
        s->dx = body->backend->allocate(heap, size);
        s->dv = body->backend->allocate(heap, size);
        ok = ok && s->dx != NULL && s->dv != NULL;
    }
    for (int i = 0; i < s->columnCount; ++i)
    {
        s->columns[i].g = body->backend->allocate(heap, size);
        s->columns[i].solved = body->backend->allocate(heap, size);
        ok = ok && s->columns[i].g != NULL && s->columns[i].solved != NULL;
    }
    if (ok == false)
    {
        spDestroyBodySystem(s, body);
        return spFailMemory(error, "the linear system of a body", size);
    }
    return true;
}

void spDestroyBodySystem(spBodySystem* s, spBody* body)
{
    spHeap* heap = s->heap;
    if (s->hasSparse)
    {
        body->backend->release(heap, s->product);
        spDestroySparse(&s->sparse, heap);
    }
    spVec4* all[] = {s->ownA, s->ownC, s->localA, s->localC, s->dx, s->dv};
    for (int i = 0; i < (int)(sizeof(all) / sizeof(all[0])); ++i)
    {
        body->backend->release(heap, all[i]);
    }
    body->backend->release(heap, s->diagonal);
    for (int i = 0; i < s->columnCount; ++i)
    {
        body->backend->release(heap, s->columns[i].g);
        body->backend->release(heap, s->columns[i].solved);
    }
    *s = (spBodySystem){0};
}

bool spFitsBodySystem(const spBodySystem* s, const spBody* body, const spFill* fill)
{
    return s->version == body->topologyVersion && spFitsButForEdits(s, body, fill);
}

bool spFitsButForEdits(const spBodySystem* s, const spBody* body, const spFill* fill)
{
    return s->setVersion == spGetSetVersion(body) &&
           (s->hasSparse == false || spFitsSparse(&s->sparse, spGetSets(body), body->setCount, fill));
}

void spAddToOwn(spBodySystem* s, int node, spReal stiffness)
{
    s->ownA[node].x += stiffness;
    s->ownA[node].y += stiffness;
    s->ownA[node].z += stiffness;
}

void spAddBlocksToOwn(spBodySystem* s, const spBody* body, const spVec4* a, const spVec4* c)
{
    if (s->crossed == false)
    {
        s->backend->clear(s->ownC, 0, body->nodeCount);
        s->crossed = true;
    }
    s->backend->addScaled(s->ownA, 1, a, 0, body->nodeCount);
    s->backend->addScaled(s->ownC, 1, c, 0, body->nodeCount);
}

void spAssembleSystem(spBodySystem* s, spBody* body, const spForceContext* force, spReal mass,
                      const spFill* fill, bool pairs)
{
    bool same = s->constant && s->filled && s->matrixVersion == body->matrixVersion &&
                s->fill.stiffness == fill->stiffness && s->fill.damping == fill->damping &&
                s->fill.bound == fill->bound;
    s->mass = mass;
    s->fill = *fill;
    s->force = *force;
    s->crossed = s->diagonal != NULL;
    if (s->diagonal != NULL)
    {
        s->backend->clearMatrices(s->diagonal, 0, body->nodeCount);
    }
    int column = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spElementSet* set = body->sets[i];
        if (set->kind->addDiagonal != NULL)
        {
            set->kind->addDiagonal(set, &force->state, fill, s->diagonal);
        }
        if (set->kind->getColumn != NULL)
        {
            double c = set->kind->getColumn(set, &force->state, s->columns[column].g);
            s->columns[column++].c = (spReal)((double)fill->stiffness * c);
        }
    }
    body->backend->setOwn(s->ownA, s->ownC, body->mass, mass, s->diagonal, 0, body->nodeCount);
    if (pairs && same == false)
    {
        spFillSparse(&s->sparse, spGetSets(body), body->setCount, &force->state, fill, force->team);
        s->filled = true;
        s->matrixVersion = body->matrixVersion;
    }
}

// ---- blocks of the nodes ----

typedef struct spLocalContext
{
    spBodySystem* system;
    const spBody* body;
    bool whole;
} spLocalContext;

static void spMakeLocalStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spLocalContext* c = context;
    spBodySystem* s = c->system;
    const int32_t* patchBegin = c->body->order.patchBegin;
    s->backend->invertLocal(s->localA, s->localC, s->ownA, s->ownC, s->crossed ? 1 : 0, s->sparse.diagonal,
                            c->whole, patchBegin[begin], patchBegin[end]);
}

void spMakeLocal(spBodySystem* s, const spBody* body, bool whole, spTeam* team)
{
    spLocalContext context = {s, body, whole};
    spParallelFor(team, spMakeLocalStage, body->order.patchCount, 1, &context);
}

// ---- operators ----

static void spMultiplyPairPatch(void* context, const spVec4* d, int patch)
{
    const spBodySystem* s = context;
    s->sparse.backend->multiply(&s->sparse, d, patch, s->product);
}

typedef struct spElementProduct
{
    spBodySystem* system;
    const spVec4* d;
} spElementProduct;

static void spScaleStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spElementProduct* p = context;
    spBodySystem* s = p->system;
    const int32_t* patchBegin = s->force.state.patchBegin;
    s->backend->scaleTwo(s->dx, s->fill.stiffness, s->dv, s->fill.damping, p->d, patchBegin[begin],
                         patchBegin[end]);
}

// Elements take the change of the state; global kinds measure it. What acts on nodes alone comes with the
// elements here.
static void spPrepareElements(void* context, const spVec4* d, spTeam* team)
{
    spBodySystem* s = context;
    spElementProduct product = {s, d};
    spParallelFor(team, spScaleStage, s->force.state.patchCount, 1, &product);
    s->difference = (spDifference){.dx = s->dx, .dv = s->dv, .project = s->fill.project};
}

static void spMultiplyElementPatch(void* context, const spVec4* d, int patch)
{
    SP_UNUSED(d);
    const spBodySystem* s = context;
    spBody* body = s->force.body;
    int begin = body->order.patchBegin[patch], end = body->order.patchBegin[patch + 1];
    int firstSlot = body->slots.patchSlot[patch], endSlot = body->slots.patchSlot[patch + 1];
    s->backend->clear(body->f, begin, end);
    s->backend->clear(body->f, body->nodeCount + firstSlot, body->nodeCount + endSlot);
    for (int i = 0; i < body->setCount; ++i)
    {
        // Columns and blocks of nodes stand beside the operator in either case
        const spElementKind* kind = body->sets[i]->kind;
        if (kind->fillPairs != NULL)
        {
            kind->addDifference(body->sets[i], &s->force.state, &s->difference, patch, body->f);
        }
    }
}

spOperator spGetPairOperator(spBodySystem* s)
{
    return (spOperator){.context = s,
                        .multiply = spMultiplyPairPatch,
                        .product = s->product,
                        .slots = &s->sparse.slots,
                        .sign = 1};
}

spOperator spGetElementOperator(spBodySystem* s, spBody* body)
{
    return (spOperator){.context = s,
                        .prepare = spPrepareElements,
                        .multiply = spMultiplyElementPatch,
                        .product = body->f,
                        .slots = &body->slots,
                        .sign = -1};
}

// ---- rows ----

bool spCreateSystemRows(spBlockRows* rows, const spBodySystem* s, spHeap* heap)
{
    const spSparse* a = &s->sparse;
    if (spCreateRows(rows, heap, a->nodeCount, a->pairCount) == false)
    {
        return false;
    }
    memcpy(rows->begin, a->rowBegin, (size_t)(a->nodeCount + 1) * sizeof(int32_t));
    if (a->pairCount > 0)
    {
        memcpy(rows->columns, a->rowColumns, (size_t)a->pairCount * sizeof(int32_t));
    }
    return true;
}

void spFillSystemRows(spBlockRows* rows, const spBodySystem* s, const spVec4* x)
{
    s->backend->fillRows(rows, &s->sparse, s->ownA, s->ownC, s->crossed, x);
}
