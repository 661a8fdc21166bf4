// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Constraints on a body.

#include "base/error.h"
#include "body/hold.h"
#include "body/sets.h"
#include "math/vec3.h"
#include "mesh/path.h"

#include <string.h>

// Share of the longest edge, to the power of the dimension, below which a triangle or a tet counts as flat
#define SP_FLAT_SHARE 1e-7

// Constraints while they are collected, in the user's node numbers and then in the body's
typedef struct spConstraintList
{
    int32_t* nodes;
    size_t nodeSize;
    spReal* rest;
    size_t restSize;
    int count;
} spConstraintList;

static void spFreeConstraintList(spHeap* heap, spConstraintList* list)
{
    spFree(heap, list->nodes);
    spFree(heap, list->rest);
    *list = (spConstraintList){0};
}

static bool spAllocConstraintList(spHeap* heap, spConstraintList* list, int count, int nodesPerElement,
                                  spError* error)
{
    list->count = count;
    list->nodeSize = spArraySize(count, (size_t)nodesPerElement * sizeof(int32_t));
    list->restSize = spArraySize(count, sizeof(spReal));
    list->nodes = spAlloc(heap, list->nodeSize);
    list->rest = spAlloc(heap, list->restSize);
    if (list->nodes == NULL || list->rest == NULL)
    {
        spFreeConstraintList(heap, list);
        return spFailMemory(error, "constraints", list->nodeSize + list->restSize);
    }
    return true;
}

static bool spCheckConstraintDef(const spBody* body, const spConstraintDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef,
                      "the constraint definition does not come from spDefaultConstraintDef");
    }
    if ((unsigned)def->type >= sp_constraintTypeCount)
    {
        return spFail(error, sp_errorBadArgument, "constraint type %d does not exist", (int)def->type);
    }
    if (body->methodDef.type != sp_xpbd)
    {
        return spFail(
            error, sp_errorBadArgument,
            "constraints need the method sp_xpbd: give it to %s before adding them, or use springs, "
            "tets and gas, which every method can move",
            body->name);
    }
    if (!(def->compliance >= 0 && isfinite(def->compliance)) ||
        !(def->damping >= 0 && isfinite(def->damping)))
    {
        return spFail(error, sp_errorBadArgument, "compliance %g and damping %g s must not be negative",
                      (double)def->compliance, (double)def->damping);
    }
    if (!(def->restScale > 0 && isfinite(def->restScale)))
    {
        return spFail(error, sp_errorBadArgument, "rest scale %g must be positive", (double)def->restScale);
    }
    if (def->nodes != NULL && def->count <= 0 && def->type != sp_constraintBodyVolume)
    {
        return spFail(error, sp_errorBadArgument, "the number of constraints, %d, must be positive",
                      def->count);
    }
    return spCheckRoom(body, error);
}

// ---- tethers ----

// From every free node to the nearest held one along the edges of the mesh, as long as the path
static bool spListTethers(spBody* body, spConstraintList* list, spError* error)
{
    spHeap* heap = body->heap;
    size_t lengthSize = spArraySize(body->edgeCount, sizeof(double));
    size_t sourceSize = spArraySize(body->userCount, sizeof(bool));
    size_t nearestSize = spArraySize(body->userCount, sizeof(int32_t));
    size_t distanceSize = spArraySize(body->userCount, sizeof(double));
    double* lengths = spAlloc(heap, lengthSize);
    bool* sources = spAlloc(heap, sourceSize);
    int32_t* nearest = spAlloc(heap, nearestSize);
    double* distances = spAlloc(heap, distanceSize);
    bool ok = lengths != NULL && sources != NULL && nearest != NULL && distances != NULL;
    int held = 0, count = 0;
    if (ok)
    {
        for (int i = 0; i < body->edgeCount; ++i)
        {
            const int32_t nodes[2] = {body->order.rank[body->edges[2 * (size_t)i]],
                                      body->order.rank[body->edges[2 * (size_t)i + 1]]};
            lengths[i] = spMeasureConstraint(sp_constraintDistance, body->x, nodes);
        }
        for (int i = 0; i < body->userCount; ++i)
        {
            sources[i] = body->roles[body->order.rank[i]] != sp_nodeFree;
            held += sources[i] ? 1 : 0;
        }
        ok = spFindNearest(heap, body->edges, lengths, body->edgeCount, sources, body->userCount, nearest,
                           distances);
    }
    for (int i = 0; ok && i < body->userCount; ++i)
    {
        count += nearest[i] >= 0 && sources[i] == false ? 1 : 0;
    }
    if (ok == false)
    {
        spFailMemory(error, "tethers", lengthSize + nearestSize + distanceSize);
    }
    else if (count == 0)
    {
        ok = spFail(
            error, sp_errorBadArgument,
            "tethers lead from free nodes to fixed ones, but %s has %d fixed nodes and none of its edges "
            "leads to one: fix some with spBody_PinNodes first, or give the nodes of the tethers",
            body->name, held);
    }
    ok = ok && spAllocConstraintList(heap, list, count, 2, error);
    for (int i = 0, next = 0; ok && i < body->userCount; ++i)
    {
        if (nearest[i] >= 0 && sources[i] == false)
        {
            list->nodes[2 * (size_t)next] = nearest[i];
            list->nodes[2 * (size_t)next + 1] = i;
            list->rest[next++] = (spReal)distances[i];
        }
    }
    spFree(heap, lengths);
    spFree(heap, sources);
    spFree(heap, nearest);
    spFree(heap, distances);
    return ok;
}

// ---- all types ----

// What there is in the mesh of a type's elements, in the user's numbering
static const int32_t* spGetMeshElements(const spBody* body, spConstraintType type, int* count)
{
    switch (type)
    {
        case sp_constraintArea:
        case sp_constraintBodyVolume:
            *count = body->triangleCount;
            return body->triangles;
        case sp_constraintVolume:
            *count = body->tetCount;
            return body->tets;
        default:
            *count = body->edgeCount;
            return body->edges;
    }
}

// Nodes in the user's numbering; rest values only for tethers of the mesh
static bool spListConstraints(spBody* body, const spConstraintDef* def, spConstraintList* list,
                              spError* error)
{
    static const char* const needs[] = {"edges", "edges", "triangles", "tets", "a closed surface"};
    _Static_assert(SP_COUNT(needs) == sp_constraintTypeCount, "one for each type");
    bool whole = def->type == sp_constraintBodyVolume, own = def->nodes == NULL || whole;
    int count = def->count, n = spCountConstraintNodes(def->type);
    const int32_t* nodes = own ? spGetMeshElements(body, def->type, &count) : def->nodes;
    if (count <= 0 || (whole && body->closed == false))
    {
        return spFail(error, sp_errorBadArgument, "%s constraints need %s: the mesh of %s has none%s",
                      whole ? "body volume" : "these", needs[def->type], body->name,
                      whole ? "" : ", and no nodes are given");
    }
    if (own && def->type == sp_constraintTether)
    {
        return def->rest == NULL
                   ? spListTethers(body, list, error)
                   : spFail(error, sp_errorBadArgument,
                            "rest lengths are given for tethers of the mesh of %s, but not their nodes",
                            body->name);
    }
    if (spAllocConstraintList(body->heap, list, count, n, error) == false)
    {
        return false;
    }
    memcpy(list->nodes, nodes, list->nodeSize);
    return true;
}

// Whether the nodes of a constraint exist and differ; from there on they are the body's
static bool spTranslateConstraint(const spBody* body, int32_t* nodes, int count, int index, spError* error)
{
    for (int k = 0; k < count; ++k)
    {
        if (spCheckNode(body, "constraint", index, nodes[k], error) == false)
        {
            return false;
        }
        for (int j = 0; j < k; ++j)
        {
            if (nodes[j] == nodes[k])
            {
                return spFail(error, sp_errorBadIndex, "constraint %d uses node %d twice", index, nodes[k]);
            }
        }
    }
    for (int k = 0; k < count; ++k)
    {
        nodes[k] = body->order.rank[nodes[k]];
    }
    return true;
}

// The present length, area or volume; what is flat or inside out has none to keep
static bool spTakeRest(const spBody* body, spConstraintType type, const int32_t* nodes, int index,
                       spReal* rest, spError* error)
{
    int n = spCountConstraintNodes(type);
    double size = spMeasureConstraint(type, body->x, nodes), longest = 0.0;
    for (int k = 0; k < n; ++k)
    {
        for (int j = 0; j < k; ++j)
        {
            longest = fmax(longest, (double)spDistance3(spXyz(body->x[nodes[j]]), spXyz(body->x[nodes[k]])));
        }
    }
    if (n > 2 && !(size > SP_FLAT_SHARE * pow(longest, n - 1)))
    {
        return spFail(
            error, sp_errorBadMesh,
            "constraint %d of %s has the %s %g m^%d: it is flat or inside out; leave it out, exchange two "
            "of its nodes, or give its rest value",
            index, body->name, n == 3 ? "area" : "volume", size, n - 1);
    }
    *rest = (spReal)size;
    return true;
}

// Translates nodes and finds rest values
static bool spFinishConstraints(const spBody* body, const spConstraintDef* def, spConstraintList* list,
                                spError* error)
{
    int n = spCountConstraintNodes(def->type);
    bool tethers = def->type == sp_constraintTether && def->nodes == NULL;
    for (int i = 0; i < list->count; ++i)
    {
        int32_t* nodes = list->nodes + (size_t)i * n;
        spReal* rest = list->rest + i;
        if (spTranslateConstraint(body, nodes, n, i, error) == false)
        {
            return false;
        }
        if (def->type == sp_constraintBodyVolume)
        {
            continue;
        }
        if (def->rest != NULL)
        {
            *rest = def->rest[i];
        }
        else if (tethers == false && spTakeRest(body, def->type, nodes, i, rest, error) == false)
        {
            return false;
        }
        *rest = def->restScale * *rest;
        if (!(*rest >= 0 && isfinite(*rest)) || (n > 2 && *rest == 0))
        {
            return spFail(error, sp_errorBadArgument,
                          "constraint %d has the rest value %g: it must be finite and %s", i, (double)*rest,
                          n > 2 ? "positive" : "not negative");
        }
    }
    return true;
}

int spAddConstraintSet(spBody* body, const spConstraintDef* def, spError* error)
{
    spConstraintList list = {0};
    spConstraintSet* set = NULL;
    bool ok = spCheckConstraintDef(body, def, error) && spListConstraints(body, def, &list, error) &&
              spFinishConstraints(body, def, &list, error);
    spFollow follow = {0};
    if (ok && def->type != sp_constraintBodyVolume)
    {
        int n = spCountConstraintNodes(def->type);
        spHold hold = {.nodes = list.nodes,
                       .stride = (size_t)n * sizeof(int32_t),
                       .count = list.count,
                       .nodeCount = n,
                       .first = n == 2 ? 0x1 : (1 << n) - 1,
                       .second = n == 2 ? 0x2 : (1 << n) - 1};
        ok = spHoldElements(&follow, body, &hold) || spFailMemory(error, "constraints", list.nodeSize);
    }
    if (ok)
    {
        spConstraintSetDef setDef = {.type = def->type,
                                     .nodes = list.nodes,
                                     .count = list.count,
                                     .rest = list.rest,
                                     .compliance = def->compliance,
                                     .damping = def->damping,
                                     .patchBegin = body->order.patchBegin,
                                     .patchCount = body->order.patchCount,
                                     .nodeCount = body->nodeCount,
                                     .laneCount = body->laneCount,
                                     .follow = &follow,
                                     .tetRoom = body->tetRoom};
        set = spCreateConstraintSet(body->heap, &setDef);
        ok = set != NULL || spFailMemory(error, "constraints", list.nodeSize);
    }
    spFreeFollow(&follow, body->heap);
    spFreeConstraintList(body->heap, &list);
    if (ok == false)
    {
        return -1;
    }
    if (def->type != sp_constraintBodyVolume)
    {
        return spAppendLocalSet(body, &set->base, error);
    }
    double present = spGetEnclosedVolume(&set->enclosure, body->x);
    double kept = (double)def->restScale * (def->rest != NULL ? (double)def->rest[0] : present);
    if (!(kept > 0.0 && isfinite(kept)))
    {
        spFail(
            error, sp_errorBadMesh,
            "the surface of %s encloses %g m^3, and the volume to keep would be %g m^3: it must be positive; "
            "triangles turn counter-clockwise seen from outside",
            body->name, present, kept);
        set->base.kind->destroy(&set->base, body->heap);
        return -1;
    }
    spSetRestVolume(set, body->x, kept);
    return spAppendSet(body, &set->base);
}
