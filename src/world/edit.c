// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What holds an index of a node or an element, and what becomes of it in an edit. Nodes never move: those that
// are born take spare places.
//
//   element sets, their blocks       remap of their kind; the patches that change are packed anew
//                                    (element/relayout.h; what is no cell of the mesh: element/follow.h)
//   slots of the body                of those patches, and sums of the patches that own their nodes (mesh/slots.c)
//   order, masses, rest              the copy beside its parent                                     (here)
//   roles, pins, driven nodes        the copy has the role of its parent, and its target            (here)
//   forces on nodes                  stay where they are; none on a node that is gone               (here)
//   edges, surface, tets of the mesh follow when they are asked for                                 (body/edit.c)
//   attached surface                 refuses
//   rows                             found anew in the next step                                    (here)
//   links                            refuse to lose a node                                          (here)
//   method, its filter and memory    remap of the method; what depends on elements is made anew in the
//                                    next step, by topologyVersion                                  (method/)
//   watch of the energy              begins anew                                                    (here)
//   snapshots                        spWalkTopology                                                 (here)
//   recordings                       write the topology again when its version has changed          (record/)

#include "world/edit.h"

#include "base/error.h"
#include "body/edit.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- is it an edit ----

// The def as it is taken apart
typedef struct spEditWork
{
    spBody* body;
    const spEditDef* def;
    spEditPlan* plan;
    int32_t* places;  // of the copies
    int32_t* around;  // tets around the nodes of tets that change, once the edit is in; by user's number
    int32_t* changed; // nodes of those tets, before and after
    int changedCount;
} spEditWork;

static bool spCheckLists(const spBody* body, const spEditDef* def, spError* error)
{
    bool negative = def->removedCount < 0 || def->copyCount < 0 || def->tetCount < 0;
    if (negative || (def->removed == NULL && def->removedCount > 0) ||
        (def->parents == NULL && def->copyCount > 0) ||
        ((def->tets == NULL || def->tetNodes == NULL) && def->tetCount > 0) ||
        (int64_t)def->removedCount + def->tetCount > body->edit->tetCount)
    {
        return spFail(error, sp_errorBadArgument, "%s: a list of an edit is NULL or too long", body->name);
    }
    if (def->removedCount + def->tetCount == 0)
    {
        return spFail(error, sp_errorBadArgument, "%s: an edit changes at least one tet", body->name);
    }
    if (def->copyCount > body->nodeCount - body->userCount)
    {
        return spFail(error, sp_errorLimit,
                      "%s has room for %d more nodes, not for %d: give it more (nodeRoom of its definition)",
                      body->name, body->nodeCount - body->userCount, def->copyCount);
    }
    for (int i = 0; i < def->copyCount; ++i)
    {
        int parent = def->parents[i];
        bool known = 0 <= parent && parent < body->userCount;
        if (known == false || body->edit->around[parent] == 0)
        {
            return spFail(error, sp_errorBadIndex, "%s: copy %d has no parent: node %d is not there",
                          body->name, i, parent);
        }
    }
    return true;
}

static bool spCheckTet(const spBody* body, int tet, spError* error)
{
    const spEditData* e = body->edit;
    if (tet < 0 || tet >= e->tetCount || e->removed[tet] != 0)
    {
        return spFail(error, sp_errorBadIndex, "%s: tet %d is not there", body->name, tet);
    }
    return true;
}

// Whether a tet may have this node for that one: it is the same, or a copy of it
static bool spIsCopyOf(const spEditWork* w, int node, int of)
{
    int copy = node - w->body->userCount;
    return node == of || (copy >= 0 && copy < w->def->copyCount && w->def->parents[copy] == of);
}

static int spCompareChanges(const void* a, const void* b)
{
    const int32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Tets that change, rising, with their nodes from now on in the user's numbering
static bool spListChanges(spEditWork* w, spError* error)
{
    const spEditDef* def = w->def;
    const spEditData* e = w->body->edit;
    int count = def->removedCount + def->tetCount;
    int32_t(*changes)[5] = spAlloc(w->body->heap, spArraySize(count, 5 * sizeof(int32_t)));
    bool ok = changes != NULL || spFailMemory(error, "an edit", 5 * sizeof(int32_t));
    for (int i = 0; ok && i < count; ++i)
    {
        bool gone = i < def->removedCount;
        int tet = gone ? def->removed[i] : def->tets[i - def->removedCount];
        memset(changes[i], -1, sizeof(changes[i]));
        changes[i][0] = tet;
        ok = spCheckTet(w->body, tet, error);
        changes[i][4] = gone ? -1 : 0;
        for (int k = 0; ok && gone == false && k < e->corners; ++k)
        {
            int node = def->tetNodes[4 * (size_t)(i - def->removedCount) + k];
            changes[i][k + 1] = node;
            ok = spIsCopyOf(w, node, e->tets[4 * (size_t)tet + k]) ||
                 spFail(error, sp_errorBadIndex,
                        "%s: corner %d of tet %d takes node %d, which is no copy of its own", w->body->name,
                        k, tet, node);
        }
    }
    if (ok)
    {
        qsort(changes, (size_t)count, sizeof(changes[0]), spCompareChanges);
    }
    for (int i = 0; ok && i < count; ++i)
    {
        ok = i == 0 || changes[i][0] != changes[i - 1][0] ||
             spFail(error, sp_errorBadArgument, "%s: tet %d changes twice in one edit", w->body->name,
                    changes[i][0]);
        w->plan->tets[i] = changes[i][0];
        memcpy(w->plan->userNodes + 4 * (size_t)i, changes[i] + 1, 4 * sizeof(int32_t));
    }
    spFree(w->body->heap, changes);
    return ok;
}

// Counts the tets around the nodes of those that change as they will be
static bool spCountAround(spEditWork* w, spError* error)
{
    const spEditData* e = w->body->edit;
    size_t size = spArraySize(w->body->nodeCount, sizeof(int32_t));
    w->around = spAlloc(w->body->heap, size);
    if (w->around == NULL)
    {
        return spFailMemory(error, "an edit", size);
    }
    memcpy(w->around, e->around, size);
    for (int i = 0; i < w->plan->remap.tetCount; ++i)
    {
        const int32_t* to = w->plan->userNodes + 4 * (size_t)i;
        for (int k = 0; k < e->corners; ++k)
        {
            w->around[e->tets[4 * (size_t)w->plan->tets[i] + k]] -= 1;
            w->around[to[0] < 0 ? 0 : to[k]] += to[0] >= 0;
        }
    }
    for (int i = 0; i < w->def->copyCount; ++i)
    {
        if (w->around[w->body->userCount + i] == 0)
        {
            return spFail(error, sp_errorBadArgument, "%s: no tet takes copy %d of node %d", w->body->name, i,
                          w->def->parents[i]);
        }
    }
    return true;
}

static bool spCheckLinkedNode(const spEditWork* w, int node, spError* error)
{
    int user = w->body->order.order[node];
    return w->around[user] > 0 || w->body->roles[node] == sp_nodeGone ||
           spFail(error, sp_errorUnsupported,
                  "%s: the edit takes the last tet of node %d, which a link holds: destroy the link first",
                  w->body->name, user);
}

static bool spCheckLinks(const spEditWork* w, const spWorld* world, spError* error)
{
    int slot = (int)w->body->id.index1 - 1;
    bool ok = true;
    for (int i = 0; ok && i < world->linkIds.slotCount; ++i)
    {
        const spLink* link = world->links[i];
        for (int k = 0; ok && link != NULL && link->body == slot && k < link->nodeCount; ++k)
        {
            ok = spCheckLinkedNode(w, link->nodes[k], error);
        }
        for (int k = 0; ok && link != NULL && link->otherBody == slot && k < link->nodeCount; ++k)
        {
            for (int j = 0; ok && j < link->points[k].count; ++j)
            {
                ok = spCheckLinkedNode(w, spGetSideNode(link->points + k, link->pool, j).node, error);
            }
        }
    }
    return ok;
}

// ---- places ----

// A spare node in the patch of the parent, else in one behind the others, else anywhere: the first there is
static int spFindSpare(const spBody* body, uint8_t* taken, int parent)
{
    const spNodeOrder* order = &body->order;
    int home = spFindPatch(order->patchBegin, order->patchCount, parent);
    for (int i = 0; i <= order->patchCount; ++i)
    {
        int patch = i == 0 ? home : order->patchCount - i;
        for (int node = order->patchBegin[patch]; node < order->patchBegin[patch + 1]; ++node)
        {
            if (order->order[node] < 0 && taken[node] == 0)
            {
                taken[node] = 1;
                return node;
            }
        }
    }
    return -1;
}

static bool spPlaceCopies(spEditWork* w, spError* error)
{
    spBody* body = w->body;
    int count = w->def->copyCount;
    w->places = spAlloc(body->heap, spArraySize(count, sizeof(int32_t)));
    uint8_t* taken = spAllocZeroed(body->heap, spArraySize(body->nodeCount, 1));
    bool ok = taken != NULL && (count == 0 || w->places != NULL);
    for (int i = 0; ok && i < count; ++i)
    {
        w->places[i] = spFindSpare(body, taken, body->order.rank[w->def->parents[i]]);
    }
    spFree(body->heap, taken);
    for (int i = 0; ok && i < 4 * w->plan->remap.tetCount; ++i)
    {
        int user = w->plan->userNodes[i], copy = user - body->userCount;
        bool none = i % 4 >= body->edit->corners && user >= 0;
        w->plan->nodes[i] = user < 0 ? -1 : none ? 0 : copy >= 0 ? w->places[copy] : body->order.rank[user];
    }
    return ok || spFailMemory(error, "an edit", (size_t)count * sizeof(int32_t));
}

// In the numbering of the body, before the tets move
static bool spListChangedNodes(spEditWork* w, spError* error)
{
    const spBody* body = w->body;
    int count = 4 * w->plan->remap.tetCount;
    w->changed = spAlloc(body->heap, spArraySize(2 * (int64_t)count, sizeof(int32_t)));
    for (int i = 0; w->changed != NULL && i < count; ++i)
    {
        if (i % 4 >= body->edit->corners)
        {
            continue;
        }
        int before = body->edit->tets[4 * (size_t)w->plan->tets[i / 4] + (size_t)(i % 4)];
        w->changed[w->changedCount++] = body->order.rank[before];
        w->changed[w->changedCount] = w->plan->nodes[i];
        w->changedCount += w->plan->nodes[i] >= 0;
    }
    return w->changed != NULL || spFailMemory(error, "an edit", (size_t)count * sizeof(int32_t));
}

// Places for the targets of copies of driven nodes
static bool spReserveTargets(spEditWork* w, spError* error)
{
    spBody* body = w->body;
    return body->drivenIndex == NULL ||
           spReserve(body->heap, (void**)&body->driven, body->drivenCount, &body->drivenCapacity,
                     body->drivenCount + w->def->copyCount, sizeof(spDrivenNode)) ||
           spFailMemory(error, "the targets of driven nodes", sizeof(spDrivenNode));
}

// ---- taking it in: nothing fails from here on ----

static void spBearNode(spBody* body, int parentUser, int place)
{
    spEditData* e = body->edit;
    int user = body->userCount++, parent = body->order.rank[parentUser];
    body->order.vertexCount += 1;
    body->order.order[place] = user;
    body->order.rank[user] = place;
    e->parents[user] = parentUser;
    e->density[user] = e->density[parentUser];
    e->volume[user] = 0.0;
    e->around[user] = 0;
    body->rest[user] = body->rest[parentUser];
    e->cutX[0][user] = e->cutX[0][parentUser];
    e->cutX[1][user] = e->cutX[1][parentUser];
    body->x[place] = body->x[parent];
    body->v[place] = body->v[parent];
    body->goodX[place] = body->goodX[parent];
    body->goodV[place] = body->goodV[parent];
    body->roles[place] = body->roles[parent];
    if (body->nodeForces != NULL)
    {
        body->nodeForces[place] = (spVec4){0};
    }
    if (body->drivenIndex != NULL && body->drivenIndex[parent] >= 0)
    {
        body->drivenIndex[place] = body->drivenCount;
        body->driven[body->drivenCount++] =
            (spDrivenNode){place, body->driven[body->drivenIndex[parent]].target};
    }
}

// The mass of the tets around a node, and what follows from it
static void spSetNodeMass(spBody* body, int user)
{
    spEditData* e = body->edit;
    int node = body->order.rank[user];
    if (e->around[user] == 0)
    {
        e->volume[user] = 0.0;
        body->roles[node] = sp_nodeGone;
        body->v[node] = (spVec4){0};
        if (body->nodeForces != NULL)
        {
            body->nodeForces[node] = (spVec4){0};
        }
    }
    body->mass[node] = (spReal)(e->density[user] * e->volume[user]);
    body->x[node].w = body->roles[node] == sp_nodeFree ? 1 / body->mass[node] : 0;
}

static void spMoveTets(spEditWork* w)
{
    spBody* body = w->body;
    spEditData* e = body->edit;
    for (int i = 0; i < w->plan->remap.tetCount; ++i)
    {
        int tet = w->plan->tets[i];
        int32_t* nodes = e->tets + 4 * (size_t)tet;
        const int32_t* to = w->plan->userNodes + 4 * (size_t)i;
        double volume = spGetRestMeasure(body, nodes);
        for (int k = 0; k < e->corners; ++k)
        {
            bool stays = to[0] >= 0 && to[k] == nodes[k];
            e->volume[nodes[k]] -= stays ? 0.0 : volume;
            e->around[nodes[k]] -= stays ? 0 : 1;
            if (to[0] >= 0 && stays == false)
            {
                e->volume[to[k]] += volume;
                e->around[to[k]] += 1;
            }
        }
    }
    for (int i = 0; i < w->plan->remap.tetCount; ++i)
    {
        int tet = w->plan->tets[i];
        int32_t* nodes = e->tets + 4 * (size_t)tet;
        const int32_t* to = w->plan->userNodes + 4 * (size_t)i;
        for (int k = 0; k < e->corners; ++k)
        {
            bool stays = to[0] >= 0 && to[k] == nodes[k];
            if (stays == false)
            {
                spSetNodeMass(body, nodes[k]);
                spSetNodeMass(body, to[0] >= 0 ? to[k] : nodes[k]);
            }
        }
        bool gone = to[0] < 0;
        e->removed[tet] = gone;
        e->removedCount += gone;
        if (gone == false)
        {
            memcpy(nodes, to, 4 * sizeof(int32_t));
        }
        for (int k = 0; gone == false && k < e->corners; ++k)
        {
            spReachNode(body, tet, body->order.rank[to[k]]);
        }
    }
}

static int spCountTetSets(const spBody* body)
{
    int count = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        count += spGetTetSet(body, i) != NULL;
    }
    return count;
}

// What depends on the topology, whatever the change was
static void spMarkTopology(spWorld* world, spBody* body)
{
    body->topologyVersion += 1;
    body->edit->edits += 1;
    body->edit->stale = true;
    body->heldDirty = true;
    body->rowCount = 0;
    memset(body->patchRow, 0, (size_t)(body->order.patchCount + 1) * sizeof(int32_t));
    spMarkRoles(body);
    spForgetWatch(body);
    if (world != NULL)
    {
        world->rowsDirty = true;
    }
}

static void spTakeEdit(spEditWork* w, spWorld* world)
{
    spBody* body = w->body;
    int removed = body->edit->removedCount;
    spApplyEditPlan(body, w->plan);
    for (int i = 0; i < w->def->copyCount; ++i)
    {
        spBearNode(body, w->def->parents[i], w->places[i]);
    }
    spMoveTets(w);
    body->elementCount -= (body->edit->removedCount - removed) * spCountTetSets(body);
    spBirth birth = {.nodes = w->places,
                     .count = w->def->copyCount,
                     .changed = w->changed,
                     .changedCount = w->changedCount};
    birth.parents = w->around; // done with by now
    for (int i = 0; i < birth.count; ++i)
    {
        w->around[i] = body->order.rank[w->def->parents[i]];
    }
    body->method->remap(body, &birth);
    spMarkTopology(world, body);
}

bool spCheckEditable(const spBody* body, spError* error)
{
    if (body->edit == NULL)
    {
        return spFail(error, sp_errorUnsupported,
                      "%s has no room for edits: it needs a mesh of tets or triangles and a nodeRoom above 0",
                      body->name);
    }
    if (body->edit->fans.tangled)
    {
        return spFail(
            error, sp_errorUnsupported,
            "%s cannot be edited: a tet or triangle of its mesh has a node twice, or more than two share a "
            "side; souple mesh repair mends that",
            body->name);
    }
    if (body->surface != NULL)
    {
        return spFail(error, sp_errorUnsupported,
                      "%s has an attached surface, which does not follow an edit: remove it first",
                      body->name);
    }
    if (body->method->remap == NULL)
    {
        return spFail(error, sp_errorUnsupported,
                      "%s: its method (%s) does not follow an edit: set another one", body->name,
                      body->method->name);
    }
    return body->methodDef.filter.type == sp_filterNone ||
           spFail(error, sp_errorUnsupported,
                  "%s: the velocity filter of its method does not follow an edit: set the method without it",
                  body->name);
}

bool spTakeEditDef(spWorld* world, spBody* body, const spEditDef* def, spEditReport* report, spError* error)
{
    spEditWork w = {.body = body, .def = def};
    bool ok = spCheckEditable(body, error) && spCheckLists(body, def, error);
    if (ok)
    {
        w.plan = spCreateEditPlan(body, def->removedCount + def->tetCount);
        ok = w.plan != NULL || spFailMemory(error, "an edit", sizeof(spEditPlan));
    }
    ok = ok && spListChanges(&w, error) && spCountAround(&w, error) && spCheckLinks(&w, world, error) &&
         spPlaceCopies(&w, error) && spListChangedNodes(&w, error) && spReserveTargets(&w, error) &&
         spPrepareEditPlan(body, w.plan, error);
    if (ok)
    {
        spTakeEdit(&w, world);
        if (report != NULL)
        {
            *report = (spEditReport){.patchCount = w.plan->patchCount,
                                     .blockCount = w.plan->remap.blockCount,
                                     .whole = w.plan->remap.whole};
        }
    }
    spDestroyEditPlan(body, w.plan);
    spFree(body->heap, w.places);
    spFree(body->heap, w.around);
    spFree(body->heap, w.changed);
    return ok;
}

bool spEditBody(spWorld* world, spBodyId id, const spEditDef* def, spEditReport* report)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    return body != NULL && (spTakeEditDef(world, body, def, report, &error) || spRecordError(world, &error));
}

// ---- snapshots ----

// The pieces, as arrays of one size whatever the edits were
typedef struct spTopologyPieces
{
    int32_t userCount;
    int32_t* tets;
    uint8_t* removed;
    uint8_t* open;
    spVec3* cutX[2];
    int64_t* cutStep;
    int32_t* cutCount;
    int32_t* rank;
    int32_t* parents;
    int32_t* around;
    double* volume;
    double* density;
    spReal* mass;
} spTopologyPieces;

#define SP_TOPOLOGY_PIECES 13

static void spListPieces(const spBody* body, spTopologyPieces* p, void** pieces[SP_TOPOLOGY_PIECES],
                         size_t sizes[SP_TOPOLOGY_PIECES])
{
    size_t n = (size_t)body->nodeCount, t = (size_t)body->edit->tetCount;
    void** const list[SP_TOPOLOGY_PIECES] = {(void**)&p->tets,    (void**)&p->removed, (void**)&p->rank,
                                             (void**)&p->parents, (void**)&p->around,  (void**)&p->volume,
                                             (void**)&p->density, (void**)&p->mass,    (void**)&p->open,
                                             (void**)&p->cutX[0], (void**)&p->cutX[1], (void**)&p->cutStep,
                                             (void**)&p->cutCount};
    const size_t bytes[SP_TOPOLOGY_PIECES] = {t * 4 * sizeof(int32_t),
                                              t,
                                              n * sizeof(int32_t),
                                              n * sizeof(int32_t),
                                              n * sizeof(int32_t),
                                              n * sizeof(double),
                                              n * sizeof(double),
                                              n * sizeof(spReal),
                                              t,
                                              n * sizeof(spVec3),
                                              n * sizeof(spVec3),
                                              sizeof(int64_t),
                                              sizeof(int32_t)};
    memcpy(pieces, list, sizeof(list));
    memcpy(sizes, bytes, sizeof(bytes));
}

static void spFreePieces(spBody* body, spTopologyPieces* p)
{
    void** pieces[SP_TOPOLOGY_PIECES];
    size_t sizes[SP_TOPOLOGY_PIECES];
    spListPieces(body, p, pieces, sizes);
    for (int i = 0; i < SP_TOPOLOGY_PIECES; ++i)
    {
        spFree(body->heap, *pieces[i]);
    }
}

// Whether what was stored is a topology of this body: bytes may come from anywhere
static bool spIsTopology(const spBody* body, const spTopologyPieces* p, uint8_t* taken)
{
    const spEditData* e = body->edit;
    int n = body->nodeCount;
    bool good = p->userCount >= e->meshCount && p->userCount <= n && *p->cutCount >= 0 && *p->cutCount <= 2;
    for (int i = 0; good && i < p->userCount; ++i)
    {
        int place = p->rank[i];
        good = 0 <= place && place < n && taken[place] == 0 && p->around[i] >= 0 &&
               (i >= e->meshCount ? 0 <= p->parents[i] && p->parents[i] < i : place == body->order.rank[i]) &&
               isfinite(p->volume[i]) && isfinite(p->density[i]);
        taken[good ? place : 0] = 1;
    }
    for (int i = 0; good && i < n; ++i)
    {
        good = isfinite(p->mass[i]) && p->mass[i] >= 0 && (p->mass[i] == 0 || taken[i] != 0);
    }
    for (int i = 0; good && i < 4 * e->tetCount; ++i)
    {
        good = 0 <= p->tets[i] && p->tets[i] < p->userCount && p->removed[i / 4] <= 1 && p->open[i / 4] <= 15;
    }
    return good;
}

// The tets that differ from those of the body now, as a plan
static spEditPlan* spPlanDifference(spBody* body, const spTopologyPieces* p)
{
    const spEditData* e = body->edit;
    spEditPlan* plan = NULL;
    for (int pass = 0; pass < 2; ++pass)
    {
        int count = 0;
        for (int i = 0; i < e->tetCount; ++i)
        {
            const int32_t* now = e->tets + 4 * (size_t)i;
            const int32_t* to = p->tets + 4 * (size_t)i;
            bool same = e->removed[i] == p->removed[i];
            for (int k = 0; k < e->corners; ++k)
            {
                int had = now[k] < body->userCount ? body->order.rank[now[k]] : -1;
                same = same && (p->removed[i] != 0 || had == p->rank[to[k]]);
            }
            if (same)
            {
                continue;
            }
            for (int k = 0; pass == 1 && k < 4; ++k)
            {
                plan->nodes[4 * (size_t)count + k] = p->removed[i] != 0 ? -1
                                                     : k < e->corners   ? p->rank[to[k]]
                                                                        : 0;
            }
            if (pass == 1)
            {
                plan->tets[count] = i;
            }
            count += 1;
        }
        // One tet more: a plan is never empty
        plan = pass == 0 ? spCreateEditPlan(body, count + 1) : plan;
        if (plan == NULL)
        {
            return NULL;
        }
        plan->remap.tetCount = count;
    }
    return plan;
}

static bool spPrepareTopology(spBody* body, const spTopologyPieces* p, bool* noMemory)
{
    uint8_t* taken = spAllocZeroed(body->heap, spArraySize(body->nodeCount, 1));
    bool good = taken != NULL && spIsTopology(body, p, taken);
    *noMemory |= taken == NULL;
    spFree(body->heap, taken);
    if (good)
    {
        spError error = {0};
        spEditPlan* plan = spPlanDifference(body, p);
        good = plan != NULL && (plan->remap.tetCount == 0 || spPrepareEditPlan(body, plan, &error));
        *noMemory |= plan == NULL || error.code == sp_errorOutOfMemory;
        if (good == false)
        {
            spDestroyEditPlan(body, plan);
            return false;
        }
        body->edit->restored = plan;
    }
    return good;
}

// What was read has been copied into the arrays of the body; order and the rest follow
static void spTakeTopology(spBody* body, int userCount)
{
    spEditData* e = body->edit;
    body->userCount = userCount;
    body->order.vertexCount = userCount;
    memset(body->order.order, -1, (size_t)body->nodeCount * sizeof(int32_t));
    for (int i = 0; i < userCount; ++i)
    {
        body->order.order[body->order.rank[i]] = i;
        body->rest[i] = e->parents[i] >= 0 ? body->rest[e->parents[i]] : body->rest[i];
    }
    int removed = 0;
    for (int i = 0; i < e->tetCount; ++i)
    {
        removed += e->removed[i];
    }
    body->elementCount -= (removed - e->removedCount) * spCountTetSets(body);
    e->removedCount = removed;
}

bool spWalkTopology(spBody* body, spWalkMemoryFcn* fcn, void* walk, spTopologyWalk mode, bool* noMemory)
{
    spEditData* e = body->edit;
    if (e == NULL)
    {
        return true;
    }
    spTopologyPieces own = {.tets = e->tets,
                            .removed = e->removed,
                            .open = e->open,
                            .cutX = {e->cutX[0], e->cutX[1]},
                            .cutStep = &e->cutStep,
                            .cutCount = &e->cutCount,
                            .rank = body->order.rank,
                            .parents = e->parents,
                            .around = e->around,
                            .volume = e->volume,
                            .density = e->density,
                            .mass = body->mass};
    spTopologyPieces stored = {0};
    void **pieces[SP_TOPOLOGY_PIECES], **copies[SP_TOPOLOGY_PIECES];
    size_t sizes[SP_TOPOLOGY_PIECES];
    int32_t userCount = body->userCount;
    if (mode == sp_topologyRead && e->restored->remap.tetCount > 0)
    {
        spApplyEditPlan(body, e->restored);
    }
    const void* piece = fcn(walk, sp_pieceCount, &userCount, sizeof(userCount));
    bool good = piece != NULL;
    if (good)
    {
        memcpy(&stored.userCount, piece, sizeof(stored.userCount));
    }
    spListPieces(body, &own, pieces, sizes);
    spListPieces(body, &stored, copies, sizes);
    for (int i = 0; i < SP_TOPOLOGY_PIECES; ++i)
    {
        piece = fcn(walk, sp_pieceAny, *pieces[i], sizes[i]);
        if (mode == sp_topologyCheck && good)
        {
            *copies[i] = spAlloc(body->heap, sizes[i]);
            *noMemory |= *copies[i] == NULL;
            good = piece != NULL && *copies[i] != NULL;
        }
        if (mode == sp_topologyCheck && good)
        {
            memcpy(*copies[i], piece, sizes[i]);
        }
    }
    if (mode == sp_topologyCheck)
    {
        good = good && spPrepareTopology(body, &stored, noMemory);
        spFreePieces(body, &stored);
    }
    else if (mode == sp_topologyRead)
    {
        bool changed = e->restored->remap.tetCount > 0 || userCount != body->userCount;
        spTakeTopology(body, userCount);
        for (int i = 0; i < 4 * e->restored->remap.tetCount; ++i)
        {
            int tet = e->restored->tets[i / 4];
            if (i % 4 < e->corners && e->removed[tet] == 0)
            {
                spReachNode(body, tet, body->order.rank[e->tets[4 * (size_t)tet + (size_t)(i % 4)]]);
            }
        }
        if (changed)
        {
            spMarkTopology(NULL, body);
        }
    }
    return good;
}

void spSettleRoles(spBody* body)
{
    for (int node = 0; node < body->nodeCount; ++node)
    {
        bool gone = body->mass[node] == 0;
        if (gone != (body->roles[node] == sp_nodeGone))
        {
            body->roles[node] = gone ? sp_nodeGone : sp_nodeFree;
            body->x[node].w = gone ? 0 : 1 / body->mass[node];
            body->v[node] = (spVec4){0};
        }
    }
}

void spEndTopologyWalk(spBody* body)
{
    if (body->edit != NULL && body->edit->restored != NULL)
    {
        spEditPlan* plan = body->edit->restored;
        // Sets hold what was prepared until somebody takes it, or not
        for (int i = 0; plan->remap.tetCount > 0 && i < body->setCount; ++i)
        {
            body->sets[i]->kind->remap(body->sets[i], body->heap, &plan->remap, sp_remapEnd, NULL);
        }
        spDestroyEditPlan(body, plan);
        body->edit->restored = NULL;
    }
}
