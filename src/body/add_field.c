// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Fields on a body.

#include "base/error.h"
#include "body/sets.h"
#include "math/vec3.h"

int spAddFieldSet(spBody* body, const spFieldDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        spFail(error, sp_errorBadDef, "the field definition does not come from spDefaultFieldDef");
        return -1;
    }
    bool ground = def->type == sp_fieldRepulsiveGround;
    if ((unsigned)def->type >= sp_fieldTypeCount || !(def->coefficient >= 0 && isfinite(def->coefficient)))
    {
        spFail(error, sp_errorBadArgument, "field type %d or its coefficient %g is out of range",
               (int)def->type, (double)def->coefficient);
        return -1;
    }
    if (ground && (fabs((double)spLength3(def->normal) - 1.0) > 1e-3 || !isfinite(def->offset) ||
                   !(def->minDistance > 0 && def->cutoff > def->minDistance && isfinite(def->cutoff))))
    {
        spFail(error, sp_errorBadArgument,
               "a repulsive ground needs a normal of length 1 and 0 < minDistance (%g m) < cutoff (%g m)",
               (double)def->minDistance, (double)def->cutoff);
        return -1;
    }
    if (def->type == sp_fieldCoherence && body->edgeCount == 0)
    {
        spFail(error, sp_errorBadArgument,
               "coherence acts between nodes that share an edge: the mesh of %s has none; add springs first",
               body->name);
        return -1;
    }
    if (spCheckRoom(body, error) == false)
    {
        return -1;
    }
    // Edges in node numbering
    size_t size = def->type == sp_fieldCoherence ? spArraySize(body->edgeCount, 2 * sizeof(int32_t)) : 0;
    int32_t* edges = spAlloc(body->heap, size);
    for (int i = 0; edges != NULL && i < 2 * body->edgeCount; ++i)
    {
        edges[i] = body->order.rank[body->edges[i]];
    }
    spFieldSet* set = NULL;
    if (size == 0 || edges != NULL)
    {
        set = spCreateFieldSet(body->heap, def, body->mass, body->nodeCount, edges, body->edgeCount);
    }
    spFree(body->heap, edges);
    if (set == NULL)
    {
        spFailMemory(error, "a field", sizeof(spFieldSet) + size);
        return -1;
    }
    return spAppendSet(body, &set->base);
}
