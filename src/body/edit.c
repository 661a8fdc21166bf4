// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/edit.h"

#include "mesh/mesh.h"
#include "mesh/mesh_math.h"

#include <math.h>
#include <string.h>

uint32_t spGetSetVersion(const spBody* body)
{
    return body->topologyVersion - (body->edit != NULL ? body->edit->edits : 0);
}

int spGetRootNode(const spEditData* e, int node)
{
    while (e->parents[node] >= 0)
    {
        node = e->parents[node];
    }
    return node;
}

double spGetRestMeasure(const spBody* body, const int32_t* nodes)
{
    const spDVec3* p = body->rest;
    spDVec3 u = spDSub(p[nodes[1]], p[nodes[0]]), v = spDSub(p[nodes[2]], p[nodes[0]]),
            normal = spDCross(u, v);
    return body->edit->corners == 3 ? 0.5 * sqrt(spDDot(normal, normal))
                                    : fabs(spDDot(normal, spDSub(p[nodes[3]], p[nodes[0]]))) / 6.0;
}

// What an edit takes apart: tets, or triangles where there are none
static void spCopyCells(const spBody* body, spEditData* e)
{
    const int32_t* from = e->corners == 4 ? body->tets : body->triangles;
    for (int i = 0; i < e->tetCount; ++i)
    {
        for (int k = 0; k < SP_CELL; ++k)
        {
            e->tets[SP_CELL * (size_t)i + k] = k < e->corners ? from[(size_t)e->corners * i + k] : 0;
        }
    }
}

bool spCreateEditData(spBody* body, spError* error)
{
    spHeap* heap = body->heap;
    spEditData* e = spAllocZeroed(heap, sizeof(spEditData));
    body->edit = e;
    if (e == NULL)
    {
        return spFailMemory(error, "a body with room", sizeof(spEditData));
    }
    int n = body->nodeCount;
    pthread_mutex_init(&e->mutex, NULL);
    e->corners = body->tetCount > 0 ? 4 : 3;
    e->tetCount = body->tetCount > 0 ? body->tetCount : body->triangleCount;
    e->meshCount = body->userCount;
    e->tets = spAlloc(heap, spArraySize(e->tetCount, 4 * sizeof(int32_t)));
    e->removed = spAllocZeroed(heap, spArraySize(e->tetCount, 1));
    e->open = spAllocZeroed(heap, spArraySize(e->tetCount, 1));
    e->cutX[0] = spAllocZeroed(heap, spArraySize(n, sizeof(spVec3)));
    e->cutX[1] = spAllocZeroed(heap, spArraySize(n, sizeof(spVec3)));
    e->parents = spAlloc(heap, spArraySize(n, sizeof(int32_t)));
    e->around = spAllocZeroed(heap, spArraySize(n, sizeof(int32_t)));
    e->volume = spAllocZeroed(heap, spArraySize(n, sizeof(double)));
    e->density = spAllocZeroed(heap, spArraySize(n, sizeof(double)));
    if (e->tets == NULL || e->removed == NULL || e->open == NULL || e->cutX[0] == NULL ||
        e->cutX[1] == NULL || e->parents == NULL || e->around == NULL || e->volume == NULL ||
        e->density == NULL)
    {
        return spFailMemory(error, "a body with room", spArraySize(n, sizeof(double)));
    }
    spCopyCells(body, e);
    memset(e->parents, -1, (size_t)n * sizeof(int32_t));
    for (int i = 0; i < e->tetCount; ++i)
    {
        double volume = spGetRestMeasure(body, e->tets + 4 * (size_t)i);
        for (int k = 0; k < e->corners; ++k)
        {
            e->around[e->tets[4 * (size_t)i + k]] += 1;
            e->volume[e->tets[4 * (size_t)i + k]] += volume;
        }
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        double mass = (double)body->mass[body->order.rank[i]];
        e->density[i] = e->volume[i] > 0.0 ? mass / e->volume[i] : 0.0;
    }
    e->bare = spAllocZeroed(heap, spArraySize(body->triangleCount, 1));
    return (e->bare != NULL &&
            spBuildCellFans(&e->fans, heap, e->tets, e->tetCount, e->corners, e->meshCount) &&
            spBuildCellRuns(body)) ||
           spFailMemory(error, "a body with room", spArraySize(e->tetCount, 4 * sizeof(int32_t)));
}

void spDestroyEditData(spBody* body)
{
    spEditData* e = body->edit;
    if (e != NULL)
    {
        spDestroyEditPlan(body, e->restored);
        pthread_mutex_destroy(&e->mutex);
        void* all[] = {e->tets,    e->removed, e->parents, e->around,  e->volume,
                       e->density, e->open,    e->bare,    e->cutX[0], e->cutX[1]};
        spFreeCellFans(&e->fans, body->heap);
        spFreeCellRuns(&e->runs, body->heap);
        for (int i = 0; i < (int)(sizeof(all) / sizeof(all[0])); ++i)
        {
            spFree(body->heap, all[i]);
        }
        spFree(body->heap, e);
        body->edit = NULL;
    }
}

// ---- plans ----

spEditPlan* spCreateEditPlan(spBody* body, int tetCount)
{
    spHeap* heap = body->heap;
    spEditPlan* plan = spAllocZeroed(heap, sizeof(spEditPlan));
    if (plan == NULL)
    {
        return NULL;
    }
    plan->tets = spAlloc(heap, spArraySize(tetCount, sizeof(int32_t)));
    plan->nodes = spAlloc(heap, spArraySize(tetCount, 4 * sizeof(int32_t)));
    plan->userNodes = spAlloc(heap, spArraySize(tetCount, 4 * sizeof(int32_t)));
    plan->patches = spAlloc(heap, spArraySize(body->order.patchCount, sizeof(int32_t)));
    plan->remap = (spRemap){.tets = plan->tets,
                            .nodes = plan->nodes,
                            .tetCount = tetCount,
                            .cells = body->edit->tets,
                            .removed = body->edit->removed,
                            .rank = body->order.rank,
                            .patchBegin = body->order.patchBegin,
                            .patchCount = body->order.patchCount,
                            .tetRoom = body->tetRoom,
                            .touched = spAllocZeroed(heap, spArraySize(body->order.patchCount, 1))};
    if (plan->tets == NULL || plan->nodes == NULL || plan->userNodes == NULL || plan->patches == NULL ||
        plan->remap.touched == NULL)
    {
        spDestroyEditPlan(body, plan);
        return NULL;
    }
    return plan;
}

static void spRemapSets(spBody* body, spEditPlan* plan, spRemapPhase phase)
{
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->remap(body->sets[i], body->heap, &plan->remap, phase, NULL);
    }
}

// All sets, or none
static bool spPrepareSets(spBody* body, spEditPlan* plan, spError* error)
{
    bool ok = true;
    int done = 0;
    plan->remap.blockCount = 0;
    for (; ok && done < body->setCount; ++done)
    {
        spElementSet* set = body->sets[done];
        ok = set->kind->remap != NULL
                 ? set->kind->remap(set, body->heap, &plan->remap, sp_remapPrepare, error)
                 : spFail(error, sp_errorUnsupported,
                          "%s cannot be edited: its set %d (%s) acts through a closed surface, which an "
                          "edit would open: make the body without it",
                          body->name, done, set->kind->name);
    }
    for (int i = 0; ok == false && i < done - 1; ++i)
    {
        body->sets[i]->kind->remap(body->sets[i], body->heap, &plan->remap, sp_remapEnd, NULL);
    }
    return ok;
}

static int spGetLocalSets(const spBody* body, spBlocks** blocks)
{
    int count = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        if (body->sets[i]->kind->getBlocks != NULL)
        {
            blocks[count++] = body->sets[i]->kind->getBlocks(body->sets[i]);
        }
    }
    return count;
}

static bool spPreparePlanSlots(spBody* body, spEditPlan* plan)
{
    const spNodeOrder* order = &body->order;
    spBlocks* blocks[SP_MAX_SETS];
    int count = spGetLocalSets(body, blocks);
    for (int patch = 0; patch < order->patchCount; ++patch)
    {
        plan->patches[plan->patchCount] = patch;
        plan->patchCount += plan->remap.touched[patch];
    }
    bool ok = true;
    if (plan->remap.whole == false)
    {
        ok = spPrepareSlots(&plan->update, body->heap, &body->slots, blocks, count, order->patchBegin,
                            plan->patches, plan->patchCount);
        plan->remap.whole = ok && plan->update.overflow;
    }
    return ok;
}

static bool spBuildPlanSlots(spBody* body, spEditPlan* plan)
{
    spBlocks* blocks[SP_MAX_SETS];
    int count = spGetLocalSets(body, blocks);
    if (spBuildSlots(&plan->slots, body->heap, blocks, count, body->order.patchBegin, body->order.patchCount,
                     true) == false)
    {
        return false;
    }
    int64_t size = (int64_t)body->nodeCount + plan->slots.slotCount;
    plan->f = spAllocZeroed(body->heap, spArraySize(size, sizeof(spVec4)));
    return plan->f != NULL;
}

bool spPrepareEditPlan(spBody* body, spEditPlan* plan, spError* error)
{
    // Slots see the blocks that will be. Where they, or the blocks, do not fit their regions, sets are laid
    // out anew, all of them: what they have now stays whole beside that
    bool ok = spPrepareSets(body, plan, error);
    bool memory = true;
    if (ok && plan->remap.whole == false)
    {
        spRemapSets(body, plan, sp_remapExchange);
        memory = spPreparePlanSlots(body, plan);
        spRemapSets(body, plan, sp_remapExchange);
    }
    if (ok && memory && plan->remap.whole)
    {
        spRemapSets(body, plan, sp_remapEnd);
        ok = spPrepareSets(body, plan, error);
        if (ok)
        {
            spRemapSets(body, plan, sp_remapExchange);
            memory = spBuildPlanSlots(body, plan);
            spRemapSets(body, plan, sp_remapExchange);
        }
    }
    if (ok && memory == false)
    {
        spRemapSets(body, plan, sp_remapEnd);
        ok = spFailMemory(error, "an edit", sizeof(spEditPlan));
    }
    return ok;
}

void spApplyEditPlan(spBody* body, spEditPlan* plan)
{
    spRemapSets(body, plan, sp_remapExchange);
    if (plan->remap.whole)
    {
        spSlots slots = body->slots;
        spVec4* f = body->f;
        body->slots = plan->slots;
        body->f = plan->f;
        plan->slots = slots;
        plan->f = f;
    }
    else
    {
        spBlocks* blocks[SP_MAX_SETS];
        int count = spGetLocalSets(body, blocks);
        spApplySlots(&plan->update, &body->slots, blocks, count, body->order.patchBegin);
    }
    spRemapSets(body, plan, sp_remapEnd);
}

void spDestroyEditPlan(spBody* body, spEditPlan* plan)
{
    if (plan != NULL)
    {
        spHeap* heap = body->heap;
        spFreeSlotUpdate(&plan->update, heap);
        spFreeSlots(&plan->slots, heap);
        spFree(heap, plan->f);
        spFree(heap, plan->remap.touched);
        spFree(heap, plan->patches);
        spFree(heap, plan->userNodes);
        spFree(heap, plan->nodes);
        spFree(heap, plan->tets);
        spFree(heap, plan);
    }
}

// ---- what users see ----

static spMesh* spMakeEditedMesh(const spBody* body)
{
    const spEditData* e = body->edit;
    size_t size = (size_t)e->corners * sizeof(int32_t);
    int32_t* cells = spAlloc(body->heap, spArraySize(e->tetCount, size));
    spMeshDef def = spDefaultMeshDef();
    int count = 0;
    for (int i = 0; cells != NULL && i < e->tetCount; ++i)
    {
        if (e->removed[i] == 0)
        {
            memcpy(cells + (size_t)e->corners * count++, e->tets + SP_CELL * (size_t)i, size);
        }
    }
    def.vertices = body->rest;
    def.vertexCount = body->userCount;
    def.tets = e->corners == 4 ? cells : NULL;
    def.tetCount = e->corners == 4 ? count : 0;
    def.triangles = e->corners == 3 ? cells : NULL;
    def.triangleCount = e->corners == 3 ? count : 0;
    def.allocator = body->heap->allocator;
    spMesh* mesh = cells != NULL ? spCreateMesh(&def, NULL) : NULL;
    spFree(body->heap, cells);
    return mesh;
}

// Whether a triangle of nodes was at the border of the mesh as it was given
static bool spWasBorder(const spEditData* e, const int32_t* triangle)
{
    int a = spGetRootNode(e, triangle[0]), b = spGetRootNode(e, triangle[1]),
        c = spGetRootNode(e, triangle[2]);
    bool found = false;
    for (int i = e->fans.begin[a]; found == false && i < e->fans.begin[a + 1]; ++i)
    {
        int tet = e->fans.corners[i] / 4, rest = 6 - e->fans.corners[i] % 4, others = 0;
        for (int k = 0; k < 4; ++k)
        {
            int root = spGetRootNode(e, e->tets[4 * tet + k]);
            bool other = root == b || root == c;
            rest -= other ? k : 0;
            others += other;
        }
        found = others == 2 && e->fans.across[4 * tet + rest] < 0;
    }
    return found;
}

// False without memory, with what was there
static bool spFindBare(spBody* body)
{
    spEditData* e = body->edit;
    uint8_t* bare = spAllocZeroed(body->heap, spArraySize(spMaxInt(body->triangleCount, 1), 1));
    int count = 0;
    // Triangles of a sheet have been there before
    for (int i = 0; bare != NULL && e->corners == 4 && i < body->triangleCount; ++i)
    {
        bare[i] = spWasBorder(e, body->triangles + 3 * (size_t)i) == false;
        count += bare[i];
    }
    if (bare != NULL)
    {
        spFree(body->heap, e->bare);
        e->bare = bare;
        e->bareCount = count;
    }
    return bare != NULL;
}

void spRefreshTopology(spBody* body)
{
    if (body->edit == NULL)
    {
        return;
    }
    pthread_mutex_lock(&body->edit->mutex);
    spMesh* mesh = body->edit->stale ? spMakeEditedMesh(body) : NULL;
    if (mesh != NULL)
    {
        spBody old = *body;
        body->edges = body->triangles = body->tets = NULL;
        bool ok = spCopyTopology(body, mesh, NULL) && spFindBare(body);
        const spBody* done = ok ? &old : body;
        spFree(body->heap, done->edges);
        spFree(body->heap, done->triangles);
        spFree(body->heap, done->tets);
        if (ok == false)
        {
            body->edges = old.edges;
            body->triangles = old.triangles;
            body->tets = old.tets;
            body->edgeCount = old.edgeCount;
            body->triangleCount = old.triangleCount;
            body->tetCount = old.tetCount;
            body->closed = old.closed;
        }
        body->edit->stale = ok == false;
    }
    spDestroyMesh(mesh);
    pthread_mutex_unlock(&body->edit->mutex);
}
