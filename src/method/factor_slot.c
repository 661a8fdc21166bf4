// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/factor_slot.h"

#include "base/error.h"
#include "body/edit.h"
#include "linear/outlived.h"

#include <string.h>

// Pairs of nodes that an element has at most
#define SP_PAIRS_PER_ELEMENT 6

// ---- matrices ----

void spDestroyFactorMatrix(spFactorMatrix* matrix, spHeap* heap)
{
    if (matrix != NULL)
    {
        if (matrix->preconditioner != NULL)
        {
            matrix->preconditioner->kind->destroy(matrix->preconditioner);
        }
        spDestroyRows(&matrix->rows, heap);
        spFree(heap, matrix);
    }
}

spFactorMatrix* spCreateFactorMatrix(spHeap* heap, int nodeCount, int blockCount)
{
    spFactorMatrix* matrix = spAllocZeroed(heap, sizeof(spFactorMatrix));
    if (matrix != NULL && spCreateRows(&matrix->rows, heap, nodeCount, blockCount) == false)
    {
        spFree(heap, matrix);
        matrix = NULL;
    }
    return matrix;
}

static bool spAddPreconditioner(spFactorMatrix* matrix, const spFactorMatrixDef* def, spError* error)
{
    spPreconditionerDef preconditioner = {.allocator = def->heap->allocator,
                                          .pattern = &matrix->rows,
                                          .patchBegin = def->body->order.patchBegin,
                                          .patchCount = def->body->order.patchCount,
                                          .laneCount = def->body->laneCount,
                                          .dropTolerance = def->solver->dropTolerance};
    matrix->preconditioner =
        spFindPreconditioner(def->solver->preconditioner)->create(&preconditioner, error);
    return matrix->preconditioner != NULL;
}

spFactorMatrix* spCreateSystemMatrix(const spFactorMatrixDef* def, const spBodySystem* system, spError* error)
{
    spFactorMatrix* matrix = spAllocZeroed(def->heap, sizeof(spFactorMatrix));
    bool ok = (matrix != NULL && spCreateSystemRows(&matrix->rows, system, def->heap)) ||
              spFailMemory(error, "a preconditioner", sizeof(spFactorMatrix));
    if (ok == false || spAddPreconditioner(matrix, def, error) == false)
    {
        spDestroyFactorMatrix(matrix, def->heap);
        return NULL;
    }
    matrix->version = system->version;
    return matrix;
}

// ---- edits ----

static void spAddChanged(spFactorEdits* e, int32_t node)
{
    int place = 0;
    while (place < e->changedCount && e->changed[place] < node)
    {
        place += 1;
    }
    bool known = place < e->changedCount && e->changed[place] == node;
    e->tooMany = e->tooMany || (known == false && e->changedCount == SP_OUTLIVED_NODES);
    if (known == false && e->tooMany == false)
    {
        memmove(e->changed + place + 1, e->changed + place,
                (size_t)(e->changedCount - place) * sizeof(int32_t));
        e->changed[place] = node;
        e->changedCount += 1;
    }
}

void spMarkSlot(spFactorSlot* slot, const spBirth* birth)
{
    spFactorEdits* e = &slot->edits;
    e->edited = true;
    e->pending = true;
    for (int i = 0; i < birth->changedCount; ++i)
    {
        spAddChanged(e, birth->changed[i]);
    }
    e->tooMany = e->tooMany || e->copyCount + birth->count > SP_OUTLIVED_NODES;
    for (int i = 0; e->tooMany == false && i < birth->count; ++i)
    {
        e->copies[e->copyCount] = birth->nodes[i];
        e->parents[e->copyCount++] = birth->parents[i];
    }
}

void spAddSlotContacts(const spFactorSlot* slot, const spBody* body, spBodySystem* system)
{
    if (slot->contacts[0] != NULL)
    {
        spAddBlocksToOwn(system, body, slot->contacts[0], slot->contacts[1]);
    }
}

void spInheritSlot(spFactorSlot* slot)
{
    spFactorEdits* e = &slot->edits;
    for (; e->inherited < e->copyCount; ++e->inherited)
    {
        slot->x[e->copies[e->inherited]] = slot->x[e->parents[e->inherited]];
        slot->v[e->copies[e->inherited]] = slot->v[e->parents[e->inherited]];
        for (int k = 0; k < 2 && slot->contacts[k] != NULL; ++k)
        {
            slot->contacts[k][e->copies[e->inherited]] = slot->contacts[k][e->parents[e->inherited]];
        }
    }
}

void spDropOutlived(spFactorSlot* slot)
{
    if (slot->outlived != NULL)
    {
        slot->outlived->kind->destroy(slot->outlived);
        slot->outlived = NULL;
    }
}

bool spOutliveEdits(spFactorSlot* slot, spBody* body, spBodySystem* system, spTeam* team, int64_t step)
{
    spFactorEdits* e = &slot->edits;
    if (slot->made == false || e->tooMany)
    {
        return false;
    }
    if (slot->outlived != NULL && slot->outlivedVersion == body->topologyVersion)
    {
        return true;
    }
    spDropOutlived(slot);
    spForceContext force = {.body = body, .state = spGetNodeState(body), .team = team};
    force.state.x = slot->x;
    force.state.v = slot->v;
    force.state.time = slot->request.time;
    spAssembleSystem(system, body, &force, slot->request.mass, &slot->request.fill, true);
    spAddSlotContacts(slot, body, system);
    // Nodes that are held stay in the block, whatever they will be in later steps
    int32_t nodes[SP_OUTLIVED_NODES];
    spVec4 ownA[SP_OUTLIVED_NODES], ownC[SP_OUTLIVED_NODES];
    int count = 0;
    for (int i = 0; i < e->changedCount; ++i)
    {
        nodes[count] = e->changed[i];
        count += body->mass[e->changed[i]] > 0;
    }
    body->backend->gather(ownA, system->ownA, nodes, count);
    body->backend->gather(ownC, system->ownC, nodes, count);
    spOutlivedDef def = {.old = slot->matrix->preconditioner,
                         .nodes = e->copies,
                         .parents = e->parents,
                         .copyCount = e->copyCount,
                         .changed = nodes,
                         .changedCount = count,
                         .matrix = &system->sparse,
                         .ownA = ownA,
                         .ownC = ownC};
    spError error = {0};
    slot->outlived = spCreateOutlived(&body->heap->allocator, &def, &error);
    slot->outlivedVersion = body->topologyVersion;
    e->step = e->pending ? step : e->step;
    e->pending = false;
    return slot->outlived != NULL;
}

// ---- snapshots ----

// Bytes of a snapshot may come from anywhere
static bool spAreEditsSound(const spFactorEdits* e, int nodeCount)
{
    bool sound = e->changedCount >= 0 && e->changedCount <= SP_OUTLIVED_NODES && e->copyCount >= 0 &&
                 e->copyCount <= SP_OUTLIVED_NODES && e->inherited >= 0 && e->inherited <= e->copyCount;
    for (int i = 0; sound && i < e->changedCount; ++i)
    {
        sound = e->changed[i] >= (i > 0 ? e->changed[i - 1] + 1 : 0) && e->changed[i] < nodeCount;
    }
    for (int i = 0; sound && i < e->copyCount; ++i)
    {
        sound = 0 <= e->copies[i] && e->copies[i] < nodeCount && 0 <= e->parents[i] &&
                e->parents[i] < nodeCount && e->copies[i] != e->parents[i];
    }
    return sound;
}

// Passes by what there is no memory for
static void spSkipPiece(spWalkMemoryFcn* fcn, void* walk, size_t size)
{
    unsigned char bytes[1024];
    for (size_t done = 0; done < size; done += sizeof(bytes))
    {
        fcn(walk, sp_pieceAny, bytes, size - done < sizeof(bytes) ? size - done : sizeof(bytes));
    }
}

static void spWalkEdits(spFactorEdits* e, int nodeCount, spWalkMemoryFcn* fcn, void* walk)
{
    fcn(walk, sp_pieceAny, &e->step, sizeof(e->step));
    fcn(walk, sp_pieceFlag, &e->edited, sizeof(e->edited));
    fcn(walk, sp_pieceFlag, &e->pending, sizeof(e->pending));
    fcn(walk, sp_pieceFlag, &e->tooMany, sizeof(e->tooMany));
    fcn(walk, sp_pieceCount, &e->changedCount, sizeof(e->changedCount));
    fcn(walk, sp_pieceCount, &e->copyCount, sizeof(e->copyCount));
    fcn(walk, sp_pieceCount, &e->inherited, sizeof(e->inherited));
    fcn(walk, sp_pieceAny, e->changed, sizeof(e->changed));
    fcn(walk, sp_pieceAny, e->copies, sizeof(e->copies));
    fcn(walk, sp_pieceAny, e->parents, sizeof(e->parents));
    if (spAreEditsSound(e, nodeCount) == false)
    {
        *e = (spFactorEdits){.edited = true, .tooMany = true};
    }
}

// Pairs of all elements that there have ever been
static int64_t spGetMostPairs(const spBody* body)
{
    int64_t count = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        count += body->edit->tetCount + body->sets[i]->elementCount;
    }
    int64_t most = SP_PAIRS_PER_ELEMENT * count;
    return most < INT32_MAX ? most : INT32_MAX;
}

spFactorMatrix* spWalkSlotEdits(spFactorSlot* slot, const spFactorMatrixDef* def, spWalkMemoryFcn* fcn,
                                void* walk)
{
    int nodeCount = def->body->nodeCount;
    bool kept = slot->edits.edited && slot->made;
    int64_t count = kept ? slot->matrix->rows.blockCount : -1, stored = count;
    spWalkEdits(&slot->edits, nodeCount, fcn, walk);
    const void* piece = fcn(walk, sp_pieceAny, &count, sizeof(count));
    if (piece != NULL)
    {
        memcpy(&stored, piece, sizeof(stored));
    }
    if (stored < 0 || stored > spGetMostPairs(def->body))
    {
        return NULL;
    }
    bool reads = piece != &count;
    spFactorMatrix* matrix = reads ? spCreateFactorMatrix(def->heap, nodeCount, (int)stored) : slot->matrix;
    const size_t sizes[4] = {((size_t)nodeCount + 1) * sizeof(int32_t), (size_t)stored * sizeof(int32_t),
                             (size_t)stored * sizeof(spMat3), (size_t)nodeCount * sizeof(spMat3)};
    if (matrix == NULL)
    {
        spSkipPiece(fcn, walk, sizes[0] + sizes[1] + sizes[2] + sizes[3]);
        return NULL;
    }
    spBlockRows* rows = &matrix->rows;
    void* const pieces[4] = {rows->begin, rows->columns, rows->blocks, rows->diagonal};
    for (int i = 0; i < 4; ++i)
    {
        fcn(walk, sp_pieceAny, pieces[i], sizes[i]);
    }
    spError error = {0};
    if (reads && (spAreRowsSound(rows) == false || spAddPreconditioner(matrix, def, &error) == false))
    {
        spDestroyFactorMatrix(matrix, def->heap);
        matrix = NULL;
    }
    return reads ? matrix : NULL;
}
