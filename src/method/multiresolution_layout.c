// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What takes part in a step. Elements are those around active nodes. With the coupling that conserves, an element counts
// for as many quarters as it has active nodes, so that material counts once where levels meet, and forces on ghosts go on
// to what they follow: forces are then the gradient of one energy of the active nodes. With that of the seed elements
// count in whole, and forces on ghosts are lost.
//
// Every element has a step, the shortest that one of its nodes asks for: 2 / w of the node, w bounded by the stiffness of
// the elements that see it, times what the level leaves of that bound. Ghosts ask for what those that they follow ask for. Lists hold
// elements whose steps lie within a factor of two.

#include "method/multiresolution.h"

#include <math.h>
#include <string.h>

// Blocks that are being filled at a time
#define SP_OPEN_BLOCKS 64

void spFreeLayout(spBody* body, spLayout* layout)
{
    spHeap* heap = body->heap;
    spFree(heap, layout->nodes);
    spFree(heap, layout->places);
    body->backend->release(heap, layout->x);
    body->backend->release(heap, layout->v);
    body->backend->release(heap, layout->f);
    body->backend->release(heap, layout->given);
    spFree(heap, layout->stiffness);
    spFree(heap, layout->mass);
    spFree(heap, layout->steps);
    spFree(heap, layout->ghosts);
    spFree(heap, layout->entries);
    spFree(heap, layout->held);
    spFree(heap, layout->elements);
    spFree(heap, layout->lists);
    spTetSet* set = &layout->set;
    spFree(heap, set->tets);
    spFree(heap, set->inverses);
    spFree(heap, set->volumes);
    spFree(heap, set->data);
    spFree(heap, set->moduli);
    spFreeBlocks(&set->blocks, heap);
    *layout = (spLayout){0};
}

void spMarkActive(spBody* body)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    int all = spCountAll(body), fine = spGetFirstFine(body);
    // On, for a moment, then active
    for (int i = 0; i < all; ++i)
    {
        int parent = h->parents[i];
        bool on = parent < 0 || (m->active[parent] != 0 && m->divided[parent] != 0);
        m->divided[i] = on && i < fine && m->divided[i] != 0 && h->down[i].count > 0;
        m->active[i] = on;
    }
    m->fillCount = 0;
    for (int i = fine - 1; i >= 0; --i)
    {
        if (m->divided[i] != 0)
        {
            m->fill[m->fillCount++] = h->down[i];
        }
    }
    for (int i = 0; i < all; ++i)
    {
        if (m->active[i] == 0)
        {
            m->fill[m->fillCount++] = h->up[i];
        }
        m->active[i] = m->active[i] != 0 && m->divided[i] == 0;
    }
    // A node is held with the nearest one below it, when that is no single node of many
    for (int i = 0; i < all; ++i)
    {
        m->heldNodes[i] = 0;
        m->sorted[i] = 0;
    }
    for (int i = all - 1; i >= 0; --i)
    {
        m->sorted[i] += i >= fine && body->roles[i - fine] != sp_nodeFree;
        int leaf = h->leaves[i] - fine;
        bool holds = leaf >= 0 && body->roles[leaf] != sp_nodeFree && 8 * m->sorted[i] >= h->leafCount[i];
        m->heldNodes[i] = holds || (h->down[i].count == 0 && m->sorted[i] > 0);
        if (h->parents[i] >= 0)
        {
            m->sorted[h->parents[i]] += m->sorted[i];
        }
    }
    m->dirty = true;
}

void spFillAll(spBody* body, spVec4* a)
{
    const spMulti* m = spGetMulti(body);
    body->backend->fillGhosts(a, m->fill, m->fillCount, body->hierarchy->entries);
}

// ---- what takes part ----

static bool spReserveElements(spBody* body, spLayout* layout)
{
    const spHierarchy* h = body->hierarchy;
    int tets = h->tetBegin[h->levelCount], all = spCountAll(body);
    spHeap* heap = body->heap;
    if (layout->elements != NULL)
    {
        return true;
    }
    layout->nodes = spAlloc(heap, spArraySize(all, sizeof(int32_t)));
    layout->places = spAlloc(heap, spArraySize(all, sizeof(int32_t)));
    layout->x = body->backend->allocate(heap, spArraySize(all, sizeof(spVec4)));
    layout->v = body->backend->allocate(heap, spArraySize(all, sizeof(spVec4)));
    layout->f = body->backend->allocate(heap, spArraySize(all + SP_TRASH_SLOTS, sizeof(spVec4)));
    layout->given = body->backend->allocate(heap, spArraySize(all, sizeof(spVec4)));
    layout->stiffness = spAlloc(heap, spArraySize(all, sizeof(double)));
    layout->mass = spAlloc(heap, spArraySize(all, sizeof(spReal)));
    layout->steps = spAlloc(heap, spArraySize(all, sizeof(double)));
    layout->held = spAlloc(heap, spArraySize(all, sizeof(int32_t)));
    layout->elements = spAlloc(heap, spArraySize(tets, sizeof(int32_t)));
    layout->lists = spAlloc(heap, (size_t)tets);
    spTetSet* set = &layout->set;
    set->tets = spAlloc(heap, spArraySize(tets, sizeof(spTet)));
    set->inverses = spAlloc(heap, spArraySize(tets, sizeof(spMat3)));
    set->volumes = spAlloc(heap, spArraySize(tets, sizeof(spReal)));
    set->blocks.patchBlock = spAllocZeroed(heap, (SP_MAX_LISTS + 1) * sizeof(int32_t));
    bool ok = layout->nodes != NULL && layout->places != NULL && layout->x != NULL && layout->v != NULL &&
              layout->f != NULL && layout->given != NULL && layout->stiffness != NULL &&
              layout->mass != NULL && layout->steps != NULL && layout->held != NULL &&
              layout->elements != NULL && layout->lists != NULL && set->tets != NULL &&
              set->inverses != NULL && set->volumes != NULL && set->blocks.patchBlock != NULL &&
              // Ghosts of each list
              spReserve(heap, (void**)&layout->ghosts, 0, &layout->ghostCapacity, 2 * all, sizeof(spGhost)) &&
              spReserve(heap, (void**)&layout->entries, 0, &layout->entryCapacity, h->entryCount,
                        sizeof(spGhostEntry));
    if (ok == false)
    {
        spFreeLayout(body, layout);
    }
    return ok;
}

static void spAddNode(spLayout* layout, int index)
{
    layout->places[index] = layout->total;
    layout->nodes[layout->total++] = index;
}

static void spCollectElements(spBody* body, spLayout* layout)
{
    const spHierarchy* h = body->hierarchy;
    const spMulti* m = spGetMulti(body);
    int all = spCountAll(body);
    layout->total = 0;
    layout->elementCount = 0;
    layout->heldCount = 0;
    for (int i = 0; i < all; ++i)
    {
        layout->places[i] = -1;
        if (m->active[i] != 0)
        {
            layout->mass[layout->total] = (spReal)h->mass[i];
            if (m->heldNodes[i] != 0)
            {
                layout->held[layout->heldCount++] = layout->total;
            }
            spAddNode(layout, i);
        }
    }
    layout->activeCount = layout->total;
    for (int i = 0; i < layout->activeCount; ++i)
    {
        int own = layout->nodes[i];
        for (int k = h->tetsOfBegin[own]; k < h->tetsOfBegin[own + 1]; ++k)
        {
            // The first of its active nodes takes an element in
            const int32_t* nodes = h->tets[h->tetsOf[k]];
            bool first = true;
            for (int j = 0; j < 4; ++j)
            {
                first = first && !(m->active[nodes[j]] != 0 && nodes[j] < own);
            }
            if (first)
            {
                layout->elements[layout->elementCount++] = h->tetsOf[k];
            }
        }
    }
}

// Marks a node that takes part; whatever it follows is to take part too. Marks are -2 until ghosts have places.
static void spNeed(spLayout* layout, int32_t* list, int* count, int index)
{
    if (layout->places[index] == -1)
    {
        layout->places[index] = -2;
        list[(*count)++] = index;
    }
}

static void spCollectGhosts(spBody* body, spLayout* layout)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    int count = 0;
    int32_t* list = m->sorted;
    for (int i = 0; i < 4 * layout->elementCount; ++i)
    {
        spNeed(layout, list, &count, h->tets[layout->elements[i / 4]][i % 4]);
    }
    for (int i = 0; i < count; ++i)
    {
        const spGhost* row = spGetRow(m, h, list[i]);
        for (int k = 0; k < row->count; ++k)
        {
            spNeed(layout, list, &count, h->entries[row->begin + k].node);
        }
    }
    // In the order in which all nodes follow
    for (int i = 0; i < m->fillCount; ++i)
    {
        if (layout->places[m->fill[i].node] == -2)
        {
            spAddNode(layout, m->fill[i].node);
        }
    }
}

static void spFillElements(spBody* body, spLayout* layout)
{
    const spMulti* m = spGetMulti(body);
    const spTetSet* source = spFindTets(body);
    spTetSet* set = &layout->set;
    bool whole = body->methodDef.levels.coupling == sp_couplingGhost;
    set->base = source->base;
    set->base.elementCount = layout->elementCount;
    set->law = source->law;
    set->dampingModel = source->dampingModel;
    set->damping = source->damping;
    set->mooney = source->mooney;
    for (int i = 0; i < layout->elementCount; ++i)
    {
        int element = layout->elements[i], quarters = 0;
        set->tets[i] = m->tets[element];
        set->inverses[i] = m->inverses[element];
        for (int k = 0; k < 4; ++k)
        {
            quarters += m->active[m->tets[element].nodes[k]] != 0;
            set->tets[i].nodes[k] = layout->places[m->tets[element].nodes[k]];
        }
        set->volumes[i] = whole ? m->volumes[element] : (spReal)0.25 * (spReal)quarters * m->volumes[element];
    }
}

// ---- steps ----

// The gradient of what an element sees of each active node, which may reach it through ghosts
typedef struct spReach
{
    const spHierarchy* h;
    const spMulti* m;
    const spLayout* layout;
    spVec4* gradients; // by place, 1/m; of those that are listed
    int32_t* places;
    int count;
    bool back; // through ghosts
} spReach;

static void spReachNode(spReach* reach, int place, spVec3 gradient)
{
    const spLayout* layout = reach->layout;
    if (reach->back && place >= layout->activeCount)
    {
        const spGhost* row = spGetRow(reach->m, reach->h, layout->nodes[place]);
        for (int k = 0; k < row->count; ++k)
        {
            const spGhostEntry* e = reach->h->entries + row->begin + k;
            spReachNode(reach, layout->places[e->node], spScale3(e->weight, gradient));
        }
        return;
    }
    spVec4* sum = reach->gradients + place;
    if (sum->w == 0)
    {
        *sum = (spVec4){0, 0, 0, 1};
        reach->places[reach->count++] = place;
    }
    *sum = (spVec4){sum->x + gradient.x, sum->y + gradient.y, sum->z + gradient.z, 1};
}

// Bounds the stiffness of nodes: an element's is at most that of its material times its volume times the square of the
// sum, over the nodes that it sees, of gradient times motion. A coarse node moves all nodes of a fine element that
// follow it nearly alike, so that little of their stiffness is its own.
static void spBoundNodes(spBody* body, spLayout* layout)
{
    spMulti* m = spGetMulti(body);
    const spTetSet* set = &layout->set;
    spNodeState state = {.x = layout->x, .v = layout->v, .nodeCount = layout->total};
    spReach reach = {.h = body->hierarchy,
                     .m = m,
                     .layout = layout,
                     .gradients = m->staging,
                     .places = m->candidates,
                     .back = body->methodDef.levels.coupling == sp_couplingConserving};
    memset(m->staging, 0, (size_t)layout->total * sizeof(spVec4));
    memset(layout->stiffness, 0, (size_t)layout->total * sizeof(double));
    for (int i = 0; i < layout->elementCount; ++i)
    {
        spVec3 gradients[4];
        double sum = 0.0, modulus = (double)set->volumes[i] * spBoundTetModulus(set, &state, i);
        spGetTetGradients(set, i, gradients);
        reach.count = 0;
        for (int k = 0; k < 4; ++k)
        {
            spReachNode(&reach, set->tets[i].nodes[k], gradients[k]);
        }
        for (int k = 0; k < reach.count; ++k)
        {
            sum += (double)spLength3(spXyz(m->staging[reach.places[k]]));
        }
        for (int k = 0; k < reach.count; ++k)
        {
            spVec4* gradient = m->staging + reach.places[k];
            layout->stiffness[reach.places[k]] += modulus * sum * (double)spLength3(spXyz(*gradient));
            *gradient = (spVec4){0, 0, 0, 0};
        }
    }
}

static void spFindSteps(spBody* body, spLayout* layout)
{
    const spHierarchy* h = body->hierarchy;
    const spMulti* m = spGetMulti(body);
    double damping = (double)layout->set.damping;
    spBoundNodes(body, layout);
    double drag = 0.0;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spFieldSet* field = spGetFieldSet(body, i);
        drag += field != NULL ? (double)field->def.coefficient : 0.0;
    }
    for (int i = 0; i < layout->total; ++i)
    {
        layout->steps[i] = INFINITY;
        if (i < layout->activeCount)
        {
            double w2 = m->factors[spGetNodeLevel(h, layout->nodes[i])] * layout->stiffness[i] /
                        (double)layout->mass[i];
            // h^2 w^2 + 2 h c <= 4
            double c = damping * w2 + drag;
            layout->steps[i] = 4.0 / (c + sqrt(c * c + 4.0 * w2));
            continue;
        }
        const spGhost* row = spGetRow(m, h, layout->nodes[i]);
        for (int k = 0; k < row->count; ++k)
        {
            layout->steps[i] =
                fmin(layout->steps[i], layout->steps[layout->places[h->entries[row->begin + k].node]]);
        }
    }
}

static double spGetElementStep(const spLayout* layout, int index)
{
    double step = INFINITY;
    for (int k = 0; k < 4; ++k)
    {
        step = fmin(step, layout->steps[layout->set.tets[index].nodes[k]]);
    }
    return step;
}

// Lists of elements: list b takes steps of 2^b times the shortest
static void spSortByStep(spBody* body, spLayout* layout, spReal dt)
{
    double shortest = INFINITY, longest = 0.0, safety = (double)body->methodDef.safety;
    for (int i = 0; i < layout->elementCount; ++i)
    {
        double step = safety * spGetElementStep(layout, i);
        shortest = fmin(shortest, step);
        longest = fmax(longest, step);
    }
    double most = fmin(shortest, (double)dt);
    if (body->methodDef.substeps > 0)
    {
        most = (double)dt / body->methodDef.substeps;
    }
    most = fmax(most, (double)dt / body->methodDef.maxSubsteps);
    layout->needed = shortest;
    layout->longest = longest;
    layout->listCount = 1;
    while (layout->listCount < SP_MAX_LISTS && ldexp(most, layout->listCount) <= fmin(longest, (double)dt))
    {
        layout->listCount += 1;
    }
    // As long as they divide dt
    double coarse = ldexp(most, layout->listCount - 1);
    layout->shortest = ldexp((double)dt / ceil((double)dt / coarse - 1e-9), 1 - layout->listCount);
    memset(layout->listElements, 0, sizeof(layout->listElements));
    for (int i = 0; i < layout->elementCount; ++i)
    {
        double step = safety * spGetElementStep(layout, i);
        int list = 0;
        while (list + 1 < layout->listCount && ldexp(layout->shortest, list + 1) <= step)
        {
            list += 1;
        }
        layout->lists[i] = (uint8_t)list;
        layout->listElements[list] += 1;
    }
}

// ---- blocks ----

static bool spReserveBlocks(spBody* body, spLayout* layout, int needed)
{
    if (needed <= layout->blockCapacity)
    {
        return true;
    }
    const spHierarchy* h = body->hierarchy;
    spHeap* heap = body->heap;
    spTetSet* set = &layout->set;
    spBlocks* blocks = &set->blocks;
    // Room for all levels at once, so that it is enough for ever
    int capacity = spMaxInt(needed + needed / 2, h->tetBegin[h->levelCount] / 10 + 4 * SP_OPEN_BLOCKS);
    int old = layout->blockCapacity;
    size_t size = (size_t)4 * SP_BLOCK;
    int c[4] = {old, old, old, old};
    bool ok = spReserve(heap, (void**)&blocks->nodes, old, &c[0], capacity, size * sizeof(int32_t)) &&
              spReserve(heap, (void**)&blocks->slots, old, &c[1], capacity, size * sizeof(int32_t)) &&
              spReserve(heap, (void**)&blocks->slotPlace, old, &c[2], capacity, sizeof(int32_t)) &&
              spReserve(heap, (void**)&blocks->elements, old, &c[3], capacity, SP_BLOCK * sizeof(int32_t));
    if (ok)
    {
        spFree(heap, set->data);
        spFree(heap, set->moduli);
        set->data = spAlloc(heap, spArraySize(capacity, SP_TET_DATA * SP_BLOCK * sizeof(spReal)));
        set->moduli = spAlloc(heap, spArraySize(capacity, 2 * SP_BLOCK * sizeof(spReal)));
        ok = set->data != NULL && set->moduli != NULL;
    }
    layout->blockCapacity = ok ? capacity : 0;
    return ok;
}

typedef struct spPacking
{
    spLayout* layout;
    uint64_t* used; // of a node, open blocks that have it
    int32_t blocks[SP_OPEN_BLOCKS];
    int lanes[SP_OPEN_BLOCKS];
    uint64_t open;
} spPacking;

// Lanes that stay empty repeat the first one, and add to trash
static void spCloseBlock(spPacking* p, int place)
{
    spBlocks* blocks = &p->layout->set.blocks;
    int block = p->blocks[place];
    int32_t* nodes = blocks->nodes + (size_t)block * 4 * SP_BLOCK;
    int32_t* slots = blocks->slots + (size_t)block * 4 * SP_BLOCK;
    for (int lane = 0; lane < p->lanes[place]; ++lane)
    {
        for (int k = 0; k < 4; ++k)
        {
            p->used[nodes[k * SP_BLOCK + lane] / 4] &= ~((uint64_t)1 << place);
            slots[k * SP_BLOCK + lane] = nodes[k * SP_BLOCK + lane];
        }
    }
    for (int lane = p->lanes[place]; lane < SP_BLOCK; ++lane)
    {
        blocks->elements[(size_t)block * SP_BLOCK + (size_t)lane] = -1;
        for (int k = 0; k < 4; ++k)
        {
            nodes[k * SP_BLOCK + lane] = nodes[k * SP_BLOCK];
            slots[k * SP_BLOCK + lane] = 4 * (p->layout->total + lane);
        }
    }
    blocks->slotPlace[block] = p->lanes[place] < SP_BLOCK ? block : -1;
    p->open &= ~((uint64_t)1 << place);
}

// Puts elements into the first open block that has none of their nodes
static bool spPackList(spBody* body, spPacking* p, int list)
{
    spLayout* layout = p->layout;
    spBlocks* blocks = &layout->set.blocks;
    for (int i = 0; i < layout->elementCount; ++i)
    {
        if (layout->lists[i] != list)
        {
            continue;
        }
        const int32_t* own = layout->set.tets[i].nodes;
        uint64_t taken = p->used[own[0]] | p->used[own[1]] | p->used[own[2]] | p->used[own[3]];
        uint64_t fits = p->open & ~taken;
        if (fits == 0 && ~p->open == 0)
        {
            spCloseBlock(p, 0);
        }
        int place = fits != 0 ? __builtin_ctzll(fits) : __builtin_ctzll(~p->open);
        if (fits == 0)
        {
            if (spReserveBlocks(body, layout, blocks->blockCount + 1) == false)
            {
                return false;
            }
            p->blocks[place] = blocks->blockCount++;
            p->lanes[place] = 0;
            p->open |= (uint64_t)1 << place;
        }
        int lane = p->lanes[place]++, block = p->blocks[place];
        blocks->elements[(size_t)block * SP_BLOCK + (size_t)lane] = i;
        for (int k = 0; k < 4; ++k)
        {
            blocks->nodes[((size_t)block * 4 + (size_t)k) * SP_BLOCK + (size_t)lane] = 4 * own[k];
            p->used[own[k]] |= (uint64_t)1 << place;
        }
        if (p->lanes[place] == SP_BLOCK)
        {
            spCloseBlock(p, place);
        }
    }
    while (p->open != 0)
    {
        spCloseBlock(p, __builtin_ctzll(p->open));
    }
    return true;
}

static bool spPackElements(spBody* body, spLayout* layout)
{
    spBlocks* blocks = &layout->set.blocks;
    // Steps are known: their place serves for the open blocks of a node
    spPacking p = {.layout = layout, .used = (uint64_t*)layout->steps};
    memset(p.used, 0, spArraySize(layout->total, sizeof(uint64_t)));
    blocks->nodesPerElement = 4;
    blocks->elementCount = layout->elementCount;
    blocks->patchCount = layout->listCount;
    blocks->blockCount = 0;
    for (int list = 0; list < layout->listCount; ++list)
    {
        blocks->patchBlock[list] = blocks->blockCount;
        if (spPackList(body, &p, list) == false)
        {
            return false;
        }
    }
    blocks->patchBlock[layout->listCount] = blocks->blockCount;
    spFillTetBlocks(&layout->set);
    return true;
}

// ---- ghosts of lists ----

static bool spListGhosts(spBody* body, spLayout* layout)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    int count = 0;
    layout->entryCount = 0;
    // Rows by places, one for each ghost
    for (int i = layout->activeCount; i < layout->total; ++i)
    {
        const spGhost* row = spGetRow(m, h, layout->nodes[i]);
        m->sorted[i] = layout->entryCount;
        for (int k = 0; k < row->count; ++k)
        {
            spGhostEntry e = h->entries[row->begin + k];
            layout->entries[layout->entryCount++] = (spGhostEntry){layout->places[e.node], e.weight};
        }
    }
    for (int list = 0; list < layout->listCount; ++list)
    {
        layout->ghostBegin[list] = count;
        for (int i = layout->activeCount; i < layout->total; ++i)
        {
            m->candidates[i] = 0;
        }
        for (int i = 0; i < layout->elementCount; ++i)
        {
            for (int k = 0; k < 4 && layout->lists[i] == list; ++k)
            {
                m->candidates[layout->set.tets[i].nodes[k]] = 1;
            }
        }
        for (int i = layout->total - 1; i >= layout->activeCount; --i)
        {
            const spGhost* row = spGetRow(m, h, layout->nodes[i]);
            for (int k = 0; k < row->count && m->candidates[i] != 0; ++k)
            {
                m->candidates[layout->places[h->entries[row->begin + k].node]] = 1;
            }
        }
        for (int i = layout->activeCount; i < layout->total; ++i)
        {
            if (m->candidates[i] == 0)
            {
                continue;
            }
            if (spReserve(body->heap, (void**)&layout->ghosts, count, &layout->ghostCapacity, count + 1,
                          sizeof(spGhost)) == false)
            {
                return false;
            }
            layout->ghosts[count++] = (spGhost){i, m->sorted[i], spGetRow(m, h, layout->nodes[i])->count};
        }
    }
    layout->ghostBegin[layout->listCount] = count;
    return true;
}

bool spPrepareLayout(spBody* body, spReal dt)
{
    spMulti* m = spGetMulti(body);
    spLayout* layout = &m->layout;
    if (spReserveElements(body, layout) == false)
    {
        return false;
    }
    if (spFindTets(body) != NULL)
    {
        spCollectElements(body, layout);
        spCollectGhosts(body, layout);
        spFillElements(body, layout);
        spLoadLayout(body);
        spFindSteps(body, layout);
    }
    else
    {
        spCollectElements(body, layout);
        layout->elementCount = 0;
    }
    spSortByStep(body, layout, dt);
    // Without memory it stays to be made
    m->dirty =
        (spListGhosts(body, layout) && (layout->elementCount == 0 || spPackElements(body, layout))) == false;
    return m->dirty == false;
}

void spLoadLayout(spBody* body)
{
    const spBackend* backend = body->backend;
    spMulti* m = spGetMulti(body);
    spLayout* layout = &m->layout;
    int count = layout->total;
    size_t size = (size_t)count * sizeof(spVec4);
    backend->gather(m->staging, m->x, layout->nodes, count);
    for (int i = 0; i < count; ++i)
    {
        bool moves = i < layout->activeCount && m->heldNodes[layout->nodes[i]] == 0;
        m->staging[i].w = moves ? 1 / layout->mass[i] : 0;
    }
    backend->upload(layout->x, m->staging, size);
    backend->gather(m->staging, m->v, layout->nodes, count);
    backend->upload(layout->v, m->staging, size);
}

void spStoreLayout(spBody* body)
{
    const spBackend* backend = body->backend;
    spMulti* m = spGetMulti(body);
    const spLayout* layout = &m->layout;
    size_t size = (size_t)layout->activeCount * sizeof(spVec4);
    backend->download(m->staging, layout->x, size);
    backend->scatter(m->x, m->staging, layout->nodes, layout->activeCount);
    backend->download(m->staging, layout->v, size);
    backend->scatter(m->v, m->staging, layout->nodes, layout->activeCount);
}

void spMeasureLayout(spBody* body, spLevelsReport* report)
{
    const spBackend* backend = body->backend;
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    spLayout* layout = &m->layout;
    spLoadLayout(body);
    const spVec4* v = backend->view(layout->v, 0, layout->activeCount);
    for (int i = 0; i < layout->activeCount; ++i)
    {
        double mass = (double)layout->mass[i], x = (double)v[i].x, y = (double)v[i].y, z = (double)v[i].z;
        bool held = m->heldNodes[layout->nodes[i]] != 0;
        report->kinetic += held ? 0.0 : 0.5 * mass * (x * x + y * y + z * z);
        report->momentum.x += mass * x;
        report->momentum.y += mass * y;
        report->momentum.z += mass * z;
        report->activeCounts[spGetNodeLevel(h, layout->nodes[i])] += 1;
    }
    for (int list = 0; list < layout->listCount; ++list)
    {
        backend->fillGhosts(layout->x, layout->ghosts + layout->ghostBegin[list],
                            layout->ghostBegin[list + 1] - layout->ghostBegin[list], layout->entries);
    }
    spNodeState state = {
        .x = layout->x, .v = layout->v, .nodeCount = layout->total, .patchCount = layout->listCount};
    if (layout->elementCount > 0)
    {
        report->elastic = layout->set.base.kind->getEnergy(&layout->set.base, &state);
    }
    report->ghostCount = layout->total - layout->activeCount;
    report->listCount = layout->listCount;
    report->shortestStep = layout->shortest;
    report->longestStep = layout->longest;
}
