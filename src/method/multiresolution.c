// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies of levels: resolution that follows the motion, in space and in time.
//
// Nodes drift, and elements kick them: list b of elements in the middle of every 2^b substeps, so that each kicks with a step
// of its own (Lew et al. 2003, Tuckerman et al. 1992). Lists are shifted against each other such that no substep has more
// than two of them: the shortest, and one of the others (the W-cycle of Debunne). A step ends with all of them at one time,
// is the same backwards, and keeps momentum, whatever the lists: an element pushes all of its nodes at once.
//
// Rows are held on points: a contact on a finest node pushes the active nodes that it follows. One contact for each
// active node and collider is held, the deepest below it.
//
// Debunne. Animation multiresolution d'objets deformables en temps-reel. 2000
// Lew, Marsden, Ortiz, West. Asynchronous variational integrators. 2003
// Tuckerman, Berne, Martyna. Reversible multiple time scale molecular dynamics. 1992

#include "method/multiresolution.h"

#include "base/error.h"
#include "body/body.h"
#include "element/field.h"

#include <math.h>
#include <string.h>

static void spDestroyMulti(spBody* body)
{
    spMulti* m = spGetMulti(body);
    spHeap* heap = body->heap;
    if (m == NULL)
    {
        return;
    }
    spFreeLayout(body, &m->layout);
    body->backend->release(heap, m->x);
    body->backend->release(heap, m->v);
    body->backend->release(heap, m->loads);
    spFree(heap, m->rest);
    spFree(heap, m->staging);
    spFree(heap, m->divided);
    spFree(heap, m->active);
    spFree(heap, m->heldNodes);
    spFree(heap, m->calm);
    spFree(heap, m->fill);
    spFree(heap, m->tets);
    spFree(heap, m->inverses);
    spFree(heap, m->volumes);
    spFree(heap, m->candidates);
    spFree(heap, m->sorted);
    spFree(heap, m->errors);
    spFree(heap, m->points);
    spFree(heap, m->pointHead);
    spFree(heap, m->pointNext);
    spFree(heap, m->pointEntries);
    spFree(heap, m);
    body->methodState = NULL;
}

static bool spAllocMulti(spBody* body, spMulti* m)
{
    const spHierarchy* h = body->hierarchy;
    int all = spCountAll(body), tets = h->tetBegin[h->levelCount];
    spHeap* heap = body->heap;
    size_t size = spArraySize(all, sizeof(spVec4));
    m->x = body->backend->allocate(heap, size);
    m->v = body->backend->allocate(heap, size);
    m->loads = body->backend->allocate(heap, 2 * size);
    m->rest = spAlloc(heap, size);
    m->staging = spAlloc(heap, size);
    m->divided = spAllocZeroed(heap, (size_t)all);
    m->active = spAllocZeroed(heap, (size_t)all);
    m->heldNodes = spAllocZeroed(heap, (size_t)all);
    m->calm = spAllocZeroed(heap, spArraySize(all, sizeof(int32_t)));
    m->fill = spAlloc(heap, spArraySize(all, sizeof(spGhost)));
    m->tets = spAlloc(heap, spArraySize(tets, sizeof(spTet)));
    m->inverses = spAlloc(heap, spArraySize(tets, sizeof(spMat3)));
    m->volumes = spAlloc(heap, spArraySize(tets, sizeof(spReal)));
    m->candidates = spAlloc(heap, spArraySize(all, sizeof(int32_t)));
    m->sorted = spAlloc(heap, spArraySize(all, sizeof(int32_t)));
    m->errors = spAlloc(heap, spArraySize(all, sizeof(double)));
    m->pointHead = spAlloc(heap, spArraySize(all, sizeof(int32_t)));
    return m->x != NULL && m->v != NULL && m->loads != NULL && m->rest != NULL && m->staging != NULL &&
           m->divided != NULL && m->active != NULL && m->heldNodes != NULL && m->calm != NULL &&
           m->fill != NULL && m->tets != NULL && m->inverses != NULL && m->volumes != NULL &&
           m->candidates != NULL && m->sorted != NULL && m->errors != NULL && m->pointHead != NULL;
}

static bool spCheckLevelsDef(const spLevelsDef* def, spError* error)
{
    bool good = (unsigned)def->coupling < sp_couplingCount && def->splitError >= 0 &&
                isfinite(def->splitError) && def->mergeError >= 0 && isfinite(def->mergeError) &&
                def->budget >= 0 && isfinite(def->budget);
    bool ordered = def->splitError == 0 || def->mergeError < def->splitError;
    return (good && ordered) ||
           spFail(error, sp_errorBadArgument,
                  "levels: coupling %d must exist, split error %g m and merge error %g m must not be "
                  "negative and the "
                  "second less than the first, nor budget %g be negative",
                  (int)def->coupling, (double)def->splitError, (double)def->mergeError, (double)def->budget);
}

static bool spTakesMulti(const spBody* body, spElementSort sort, const void* def, spError* error)
{
    bool takes = sort == sp_sortTets    ? spFindTets(body) == NULL && ((const spTetDef*)def)->tets == NULL
                 : sort == sp_sortField ? ((const spFieldDef*)def)->type == sp_fieldMassDrag
                                        : false;
    return takes || spFail(error, sp_errorUnsupported,
                           "%s moves by multiresolution, which takes one set of all tets of its mesh, and "
                           "mass drag: take another "
                           "method, such as symplecticEuler, for anything else",
                           body->name);
}

// Sets that the body has already
static bool spCheckSets(const spBody* body, spError* error)
{
    int tetSets = 0;
    bool good = true;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spTetSet* set = spGetTetSet(body, i);
        const spFieldSet* field = spGetFieldSet(body, i);
        tetSets += set != NULL;
        good = good && (set != NULL || (field != NULL && field->def.type == sp_fieldMassDrag));
        good = good && (set == NULL || set->base.elementCount == body->tetCount);
        for (int k = 0; good && set != NULL && k < 4 * body->tetCount; ++k)
        {
            good = set->tets[k / 4].nodes[k % 4] == body->order.rank[body->tets[k]];
        }
    }
    return (good && tetSets <= 1) || spFail(error, sp_errorUnsupported,
                                            "%s has elements that multiresolution does not move: it takes "
                                            "one set of all tets of the mesh, and mass "
                                            "drag",
                                            body->name);
}

static bool spCreateMulti(spBody* body, spError* error)
{
    const spHierarchy* h = body->hierarchy;
    if (h == NULL)
    {
        return spFail(error, sp_errorUnsupported,
                      "%s has one mesh only: the method multiresolution needs coarser ones beside it "
                      "(spBodyDef::levels, \"levels\" in a scene)",
                      body->name);
    }
    if (body->methodDef.filter.type != sp_filterNone)
    {
        return spFail(
            error, sp_errorUnsupported,
            "multiresolution has no velocity filter: set the filter to none or choose an explicit method");
    }
    if (spCheckLevelsDef(&body->methodDef.levels, error) == false)
    {
        return false;
    }
    if (spCheckSets(body, error) == false)
    {
        return false;
    }
    spMulti* m = spAllocZeroed(body->heap, sizeof(spMulti));
    body->methodState = m;
    if (m == NULL || spAllocMulti(body, m) == false)
    {
        spDestroyMulti(body);
        return spFailMemory(error, "the levels of a body", (size_t)spCountAll(body) * 200);
    }
    for (int i = 0; i < spCountAll(body); ++i)
    {
        spVec3 p = {(spReal)h->rest[i].x, (spReal)h->rest[i].y, (spReal)h->rest[i].z};
        p = spTransformPoint(body->placement, p);
        m->rest[i] = (spVec4){p.x, p.y, p.z, 0};
    }
    body->backend->upload(m->x, m->rest, spArraySize(spCountAll(body), sizeof(spVec4)));
    m->matrixVersion = body->matrixVersion;
    spMarkActive(body);
    return true;
}

// ---- nodes that users see ----

// Takes over what users, or a response, have done to nodes: all levels follow from the finest
void spFollowFineNodes(spBody* body)
{
    const spBackend* backend = body->backend;
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    int fine = spGetFirstFine(body), count = body->nodeCount;
    spVec4 *x = m->x + fine, *v = m->v + fine;
    for (int i = 0; i < body->heldCount; ++i)
    {
        int held = body->held[i];
        backend->copy(x, body->x, held, held + 1);
        backend->copy(v, body->v, held, held + 1);
    }
    // Positions without their inverse masses
    backend->clear(m->loads, 0, 2 * count);
    backend->setPositions(m->loads, x, 0, v, 0, count);
    backend->setPositions(m->loads + count, body->x, 0, v, 0, count);
    if (backend->isSame(m->loads, m->loads + count, 0, count) && backend->isSame(v, body->v, 0, count))
    {
        return;
    }
    backend->setPositions(x, body->x, 0, v, 0, count);
    backend->copy(v, body->v, 0, count);
    for (int i = fine - 1; i >= 0; --i)
    {
        backend->fillGhosts(m->x, h->inner + i, 1, h->entries);
        backend->fillGhosts(m->v, h->inner + i, 1, h->entries);
    }
}

// Nodes that follow, and those that users see
void spShowNodes(spBody* body)
{
    const spBackend* backend = body->backend;
    spMulti* m = spGetMulti(body);
    int fine = spGetFirstFine(body), count = body->nodeCount;
    spFillAll(body, m->x);
    spFillAll(body, m->v);
    for (int i = 0; i < body->heldCount; ++i)
    {
        int held = body->held[i];
        backend->copy(m->x + fine, body->x, held, held + 1);
        backend->copy(m->v + fine, body->v, held, held + 1);
    }
    backend->copy(body->v, m->v + fine, 0, count);
    backend->setPositions(body->x, m->x + fine, 0, body->v, 0, count);
}

// Nodes of other levels that are held move with the node below them
static void spDriveHeldNodes(spBody* body)
{
    const spBackend* backend = body->backend;
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    const spLayout* layout = &m->layout;
    for (int i = 0; i < layout->heldCount; ++i)
    {
        spVec4 v = {0, 0, 0, 0};
        int32_t place = layout->held[i], leaf = h->leaves[layout->nodes[place]] - spGetFirstFine(body);
        if (leaf >= 0 && body->roles[leaf] != sp_nodeFree)
        {
            backend->gather(&v, body->v, &leaf, 1);
        }
        backend->scatter(layout->v, &v, &place, 1);
    }
}

// ---- rows ----

// Entries that a point follows, in hierarchy numbers, with room in an array or in an arena
typedef struct spFollowed
{
    spGhostEntry* entries;
    int count, capacity;
    spArena* arena; // grows there; NULL: the room is all there is
} spFollowed;

static bool spMakeRoom(spFollowed* list)
{
    if (list->count < list->capacity)
    {
        return true;
    }
    int capacity = spMaxInt(64, 2 * list->capacity);
    size_t size = spArraySize(capacity, sizeof(spGhostEntry));
    spGhostEntry* entries = list->arena != NULL ? spArenaAlloc(list->arena, size) : NULL;
    if (entries == NULL)
    {
        return false;
    }
    if (list->count > 0)
    {
        memcpy(entries, list->entries, (size_t)list->count * sizeof(spGhostEntry));
    }
    list->entries = entries;
    list->capacity = capacity;
    return true;
}

// Adds the active nodes that a node follows. False when there is no room.
static bool spAddFollowed(const spBody* body, spFollowed* list, int index, spReal weight)
{
    const spHierarchy* h = body->hierarchy;
    const spMulti* m = spGetMulti(body);
    if (m->active[index] != 0)
    {
        bool ok = spMakeRoom(list);
        if (ok)
        {
            list->entries[list->count++] = (spGhostEntry){index, weight};
        }
        return ok;
    }
    const spGhost* row = spGetRow(m, h, index);
    bool ok = true;
    for (int k = 0; ok && k < row->count; ++k)
    {
        const spGhostEntry* e = h->entries + row->begin + k;
        ok = spAddFollowed(body, list, e->node, weight * e->weight);
    }
    return ok;
}

static int spGetActiveAbove(const spBody* body, int index)
{
    const spMulti* m = spGetMulti(body);
    while (m->active[index] == 0)
    {
        index = body->hierarchy->parents[index];
    }
    return index;
}

static bool spReservePoints(spBody* body)
{
    spMulti* m = spGetMulti(body);
    return spReserve(body->heap, (void**)&m->points, 0, &m->pointCapacity, body->rowCapacity,
                     sizeof(spHeldPoint)) &&
           spReserve(body->heap, (void**)&m->pointNext, 0, &m->pointNextCapacity, body->rowCapacity,
                     sizeof(int32_t)) &&
           spReserve(body->heap, (void**)&m->pointEntries, 0, &m->pointEntryCapacity, 64 * body->rowCapacity,
                     sizeof(spGhostEntry));
}

// A point for each row that is to be held
static void spMakePoints(spBody* body)
{
    spMulti* m = spGetMulti(body);
    int fine = spGetFirstFine(body);
    m->pointCount = 0;
    for (int i = 0; i < body->rowCount; ++i)
    {
        m->pointHead[spGetActiveAbove(body, fine + body->rows[i].a.node)] = -1;
    }
    for (int i = 0; i < body->rowCount; ++i)
    {
        spRow* row = body->rows + i;
        if (body->roles[row->a.node] != sp_nodeFree)
        {
            continue;
        }
        int above = spGetActiveAbove(body, fine + row->a.node), found = m->pointHead[above];
        while (found >= 0 && !(row->law == sp_rowContact && m->points[found].row->law == sp_rowContact &&
                               m->points[found].row->b.slot == row->b.slot))
        {
            found = m->pointNext[found];
        }
        if (found >= 0)
        {
            m->points[found].row = row->gap < m->points[found].row->gap ? row : m->points[found].row;
            continue;
        }
        m->points[m->pointCount] = (spHeldPoint){.row = row};
        m->pointNext[m->pointCount] = m->pointHead[above];
        m->pointHead[above] = m->pointCount++;
    }
    spFollowed list = {.entries = m->pointEntries, .capacity = m->pointEntryCapacity};
    for (int i = 0; i < m->pointCount; ++i)
    {
        spHeldPoint* point = m->points + i;
        int index = fine + point->row->a.node;
        point->begin = list.count;
        if (spAddFollowed(body, &list, index, 1) == false)
        {
            // Followed through too many levels: the active node above stands for it
            list.count = point->begin;
            spAddFollowed(body, &list, spGetActiveAbove(body, index), 1);
        }
        for (int k = point->begin; k < list.count; ++k)
        {
            list.entries[k].node = m->layout.places[list.entries[k].node];
        }
        point->count = list.count - point->begin;
    }
}

// ---- a step ----

static void spBeginMulti(spBody* body, spReal dt, spTeam* team)
{
    SP_UNUSED(team);
    spMulti* m = spGetMulti(body);
    bool stiffens = false;
    for (int i = 0; i < body->setCount; ++i)
    {
        stiffens = stiffens || body->sets[i]->stiffens;
    }
    spFollowFineNodes(body);
    if (m->matrixVersion != body->matrixVersion)
    {
        m->matrixVersion = body->matrixVersion;
        spMarkActive(body);
    }
    m->failed = spPrepareTets(body) == false || spReservePoints(body) == false;
    if (m->dirty)
    {
        spDivideForPins(body);
    }
    bool again = m->dirty || stiffens || m->layoutDt != dt;
    m->failed = m->failed || (again && spPrepareLayout(body, dt) == false);
    m->layoutDt = dt;
    body->stableStep = m->layout.needed;
    body->stableStepDirty = false;
}

static double spGetMultiStableStep(spBody* body)
{
    spMulti* m = spGetMulti(body);
    spFollowFineNodes(body);
    bool ok = spPrepareTets(body) &&
              (m->dirty == false || spPrepareLayout(body, m->layoutDt > 0 ? m->layoutDt : 1));
    return ok ? m->layout.needed / (double)body->methodDef.safety : 0.0;
}

// Substeps in a cycle of all lists
static int spGetCycle(const spLayout* layout)
{
    return 1 << (layout->listCount - 1);
}

static int spCountMultiSubsteps(const spBody* body, spReal dt, uint32_t* flags)
{
    const spLayout* layout = &spGetMulti(body)->layout;
    if (layout->listCount == 0)
    {
        return 1;
    }
    // Bodies beside it go along with its longest steps
    double cycle = ldexp(layout->shortest, layout->listCount - 1);
    *flags |=
        layout->shortest * (double)body->methodDef.safety > 1.001 * layout->needed ? sp_stepUnstable : 0;
    return (int)fmin(fmax(ceil((double)dt / cycle - 1e-6), 1.0), body->methodDef.maxSubsteps);
}

typedef struct spMultiStep
{
    spBody* body;
    spMulti* m;
    spVec3 gravity;
    spReal h;      // of the shortest list, s
    spReal stepDt; // s
    bool back;     // forces on ghosts go back
    bool damped;
    bool loaded; // there are loads of users
    spVec3 pins;
} spMultiStep;

// Mass drag acts on every active node alone
static void spAddMassDrag(const spMultiStep* s)
{
    const spLayout* layout = &s->m->layout;
    const int32_t range[2] = {0, layout->activeCount};
    for (int i = 0; i < s->body->setCount; ++i)
    {
        const spFieldSet* field = spGetFieldSet(s->body, i);
        if (field != NULL)
        {
            spFieldSet own = *field;
            own.mass = layout->mass;
            spNodeState state = {.x = layout->x,
                                 .v = layout->v,
                                 .patchBegin = range,
                                 .nodeCount = layout->activeCount,
                                 .patchCount = 1};
            field->base.kind->addForces(&own.base, &state, 0, layout->f);
        }
    }
}

// The elements of a list push their nodes
static void spKickList(spMultiStep* s, int list)
{
    const spBackend* backend = s->body->backend;
    spLayout* layout = &s->m->layout;
    const spGhost* ghosts = layout->ghosts + layout->ghostBegin[list];
    int ghostCount = layout->ghostBegin[list + 1] - layout->ghostBegin[list], count = layout->activeCount;
    spReal h = (spReal)ldexp((double)s->h, list);
    if (list == 0)
    {
        backend->startForces(layout->f, layout->mass, s->gravity, s->loaded ? layout->given : NULL, 0, count);
        backend->clear(layout->f, count, layout->total + SP_TRASH_SLOTS);
        spAddMassDrag(s);
    }
    else
    {
        backend->clear(layout->f, 0, layout->total + SP_TRASH_SLOTS);
    }
    if (layout->listElements[list] > 0)
    {
        spNodeState state = {
            .x = layout->x, .v = layout->v, .nodeCount = layout->total, .patchCount = layout->listCount};
        backend->fillGhosts(layout->x, ghosts, ghostCount, layout->entries);
        if (s->damped)
        {
            backend->fillGhosts(layout->v, ghosts, ghostCount, layout->entries);
        }
        layout->set.base.kind->addForces(&layout->set.base, &state, list, layout->f);
        if (s->back)
        {
            backend->spreadGhosts(layout->f, ghosts, ghostCount, layout->entries);
        }
        s->m->evaluations += layout->listElements[list];
    }
    backend->kickDrift(layout->x, layout->v, layout->f, h, 0, 0, count);
    double sum[3] = {0};
    backend->sumListed(sum, layout->f, layout->held, layout->heldCount, -(double)h / (double)s->stepDt);
    s->pins = spAdd3(s->pins, (spVec3){(spReal)sum[0], (spReal)sum[1], (spReal)sum[2]});
}

// Loads on finest nodes go on to the active ones
static void spTakeLoads(spMultiStep* s)
{
    const spBackend* backend = s->body->backend;
    const spVec4* loads = spGetLoads(s->body);
    spMulti* m = s->m;
    s->loaded = loads != NULL;
    if (loads == NULL)
    {
        return;
    }
    int fine = spGetFirstFine(s->body);
    backend->clear(m->loads, 0, fine);
    backend->copy(m->loads + fine, loads, 0, s->body->nodeCount);
    backend->spreadGhosts(m->loads, m->fill, m->fillCount, s->body->hierarchy->entries);
    backend->gather(m->staging, m->loads, m->layout.nodes, m->layout.activeCount);
    backend->upload(m->layout.given, m->staging, (size_t)m->layout.activeCount * sizeof(spVec4));
}

static spAdvanceResult spAdvanceMulti(spBody* body, const spAdvanceContext* context)
{
    const spBackend* backend = body->backend;
    spMulti* m = spGetMulti(body);
    spLayout* layout = &m->layout;
    spAdvanceResult result = {0};
    if (m->failed)
    {
        result.flags = sp_stepSolverStopped;
        result.outOfMemory = true;
        return result;
    }
    int cycle = spGetCycle(layout);
    double cycles = ceil((double)context->dt / (layout->shortest * cycle) - 1e-6);
    int count = cycle * (int)fmax(cycles, 1.0);
    spReal scale = body->gravityScale, h = context->dt / (spReal)count;
    spMultiStep s = {
        .body = body,
        .m = m,
        .gravity = spScale3(scale, context->gravity),
        .h = h,
        .stepDt = context->stepDt,
        .back = body->methodDef.levels.coupling == sp_couplingConserving,
        .damped = layout->set.damping > 0,
    };
    spHoldContext hold = {
        .colliders = context->colliders,
        .poses = context->poses,
        .h = h,
        .contactRadius = body->contactRadius,
        .restitutionThreshold = context->restitutionThreshold,
        .backtrack = body->methodDef.contact == sp_contactBacktrack,
        .restSpeed = spLength3(s.gravity) * h,
    };
    m->evaluations = context->startFraction > 0 ? m->evaluations : 0.0;
    m->stepDt = (double)context->stepDt;
    spLoadLayout(body);
    spDriveHeldNodes(body);
    spTakeLoads(&s);
    m->pointCount = 0;
    if (body->rowCount > 0)
    {
        spMakePoints(body);
    }
    for (int i = 0; i < count; ++i)
    {
        // The list in the middle of whose step this moment is
        int list = i % cycle == 0 ? 0 : 1 + __builtin_ctz((unsigned)(i % cycle));
        if (list > 0)
        {
            spKickList(&s, list);
        }
        backend->drift(layout->x, layout->v, h / 2, 0, layout->activeCount);
        spKickList(&s, 0);
        backend->drift(layout->x, layout->v, h / 2, 0, layout->activeCount);
        if (m->pointCount > 0)
        {
            spReal covered = context->dt * (spReal)(i + 1) / (spReal)count;
            hold.fraction = context->startFraction + covered / context->stepDt;
            spMovePoses(context, hold.fraction);
            backend->holdPoints(layout->x, layout->v, m->points, m->pointCount, m->pointEntries, &hold);
        }
    }
    spStoreLayout(body);
    for (int i = 0; i < body->heldCount; ++i)
    {
        backend->drift(body->x, body->v, context->dt, body->held[i], body->held[i] + 1);
    }
    spShowNodes(body);
    body->pinForce = spAdd3(body->pinForce, s.pins);
    body->time += (double)context->dt;
    body->substep = h;
    spCountMultiSubsteps(body, context->dt, &result.flags);
    result.substepCount = count;
    result.forceEvaluations = count;
    return result;
}

// ---- rows between bodies ----

static bool spFreezeMulti(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                          spComplianceList* list)
{
    const spMulti* m = spGetMulti(body);
    int fine = spGetFirstFine(body);
    spFollowed followed = {.arena = arena};
    int32_t* begin = spArenaAlloc(arena, spArraySize(points->count + 1, sizeof(int32_t)));
    bool ok = begin != NULL;
    for (int i = 0; ok && i < points->count; ++i)
    {
        begin[i] = followed.count;
        for (int k = 0; ok && k < points->sides[i].count; ++k)
        {
            spRowNode n = spGetSideNode(points->sides + i, points->pool, k);
            ok =
                body->roles[n.node] != sp_nodeFree || spAddFollowed(body, &followed, fine + n.node, n.weight);
        }
        begin[i + 1] = followed.count;
    }
    return ok && spFreezeEntries(body->backend, m->x, spCountAll(body), begin, followed.entries,
                                 points->count, firstPoint, arena, list);
}

static void spCorrectMulti(spBody* body, const spPoints* points, const spVec3* impulses, const spVec3* shifts)
{
    const spBackend* backend = body->backend;
    spMulti* m = spGetMulti(body);
    int fine = spGetFirstFine(body), all = spCountAll(body);
    const spVec3* given[2] = {impulses, shifts};
    spVec4* to[2] = {m->v, m->x};
    for (int part = 0; part < 2; ++part)
    {
        backend->clear(m->loads, 0, all);
        for (int i = 0; i < points->count; ++i)
        {
            for (int k = 0; k < points->sides[i].count; ++k)
            {
                spRowNode n = spGetSideNode(points->sides + i, points->pool, k);
                int32_t index = fine + n.node;
                spVec4 sum;
                if (body->roles[n.node] == sp_nodeFree)
                {
                    backend->gather(&sum, m->loads, &index, 1);
                    spVec3 p = spMulAdd3(spXyz(sum), n.weight, given[part][i]);
                    sum = (spVec4){p.x, p.y, p.z, 0};
                    backend->scatter(m->loads, &sum, &index, 1);
                }
            }
        }
        backend->spreadGhosts(m->loads, m->fill, m->fillCount, body->hierarchy->entries);
        // Inverse masses are those of active nodes, 0 of all others
        backend->weigh(m->loads, m->x, m->loads, 0, all);
        backend->addScaled(to[part], 1, m->loads, 0, all);
    }
    spShowNodes(body);
}

// ---- for users ----

bool spReportLevels(spBody* body, spLevelsReport* report)
{
    spMulti* m = spGetMulti(body);
    spFollowFineNodes(body);
    if (spPrepareTets(body) == false ||
        (m->dirty && spPrepareLayout(body, m->layoutDt > 0 ? m->layoutDt : 1) == false))
    {
        return false;
    }
    spMeasureLayout(body, report);
    double budget = (double)body->methodDef.levels.budget * m->stepDt;
    report->evaluations = m->evaluations;
    report->load = budget > 0.0 ? m->evaluations / budget : 0.0;
    report->splitCount = m->splitCount;
    report->mergeCount = m->mergeCount;
    report->refusedCount = m->refusedCount;
    return true;
}

int spGetLevelAt(const spBody* body, int place)
{
    return spGetNodeLevel(body->hierarchy, spGetActiveAbove(body, spGetFirstFine(body) + place));
}

static void spAdaptMulti(spBody* body, spTeam* team)
{
    SP_UNUSED(team);
    spAdaptLevels(body);
}

static bool spWalkMultiMemory(spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    spMulti* m = spGetMulti(body);
    size_t all = (size_t)spCountAll(body);
    fcn(walk, sp_pieceAny, m->x, all * sizeof(spVec4));
    fcn(walk, sp_pieceAny, m->v, all * sizeof(spVec4));
    fcn(walk, sp_pieceAny, m->divided, all);
    fcn(walk, sp_pieceAny, m->calm, all * sizeof(int32_t));
    fcn(walk, sp_pieceAny, &m->evaluations, sizeof(m->evaluations));
    fcn(walk, sp_pieceAny, &m->stepDt, sizeof(m->stepDt));
    fcn(walk, sp_pieceCount, &m->splitCount, sizeof(m->splitCount));
    fcn(walk, sp_pieceCount, &m->mergeCount, sizeof(m->mergeCount));
    fcn(walk, sp_pieceCount, &m->refusedCount, sizeof(m->refusedCount));
    spMarkActive(body);
    return true;
}

const spMethodKind spMultiresolutionMethod = {
    .name = "multiresolution",
    .create = spCreateMulti,
    .destroy = spDestroyMulti,
    .begin = spBeginMulti,
    .getStableStep = spGetMultiStableStep,
    .countSubsteps = spCountMultiSubsteps,
    .advance = spAdvanceMulti,
    .freeze = spFreezeMulti,
    .correct = spCorrectMulti,
    .repeats = spRepeatsNever,
    .adapt = spAdaptMulti,
    .walkMemory = spWalkMultiMemory,
    .takes = spTakesMulti,
};
