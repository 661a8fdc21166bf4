// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Wind on the surface of a body.

#include "base/error.h"
#include "body/hold.h"
#include "body/sets.h"
#include "math/vec3.h"

static bool spCheckWindDef(const spBody* body, const spWindDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the wind definition does not come from spDefaultWindDef");
    }
    if (spIsFinite3(def->velocity) == false)
    {
        return spFail(error, sp_errorBadArgument, "the velocity of the wind is not finite");
    }
    if (!(def->gustAmplitude >= 0 && isfinite(def->gustAmplitude)) ||
        !(def->gustFrequency >= 0 && isfinite(def->gustFrequency)))
    {
        return spFail(error, sp_errorBadArgument, "gusts of amplitude %g and %g Hz: neither may be negative",
                      (double)def->gustAmplitude, (double)def->gustFrequency);
    }
    if (!(def->density >= 0 && isfinite(def->density)) ||
        !(def->normalDrag >= 0 && isfinite(def->normalDrag)) ||
        !(def->tangentDrag >= 0 && isfinite(def->tangentDrag)))
    {
        return spFail(error, sp_errorBadArgument,
                      "a fluid of density %g kg/m^3 with drag %g across and %g along: none may be negative",
                      (double)def->density, (double)def->normalDrag, (double)def->tangentDrag);
    }
    if (body->triangleCount == 0)
    {
        return spFail(error, sp_errorBadArgument,
                      "wind needs triangles: the mesh of %s has none; sp_fieldDrag acts on nodes",
                      body->name);
    }
    return spCheckRoom(body, error);
}

int spAddWindSet(spBody* body, const spWindDef* def, spError* error)
{
    if (spCheckWindDef(body, def, error) == false)
    {
        return -1;
    }
    size_t size = spArraySize(body->triangleCount, 3 * sizeof(int32_t));
    int32_t* triangles = spAlloc(body->heap, size);
    spWindSet* set = NULL;
    int count = 0;
    for (int i = 0; triangles != NULL && i < body->triangleCount; ++i)
    {
        // A triangle with a repeated node has no area
        const int32_t* t = body->triangles + 3 * (size_t)i;
        for (int k = 0; t[0] != t[1] && t[1] != t[2] && t[2] != t[0] && k < 3; ++k)
        {
            triangles[count++] = body->order.rank[t[k]];
        }
    }
    spFollow follow = {0};
    spHold hold = {.nodes = triangles,
                   .stride = 3 * sizeof(int32_t),
                   .count = count / 3,
                   .nodeCount = 3,
                   .first = 0x7,
                   .second = 0x7};
    if (triangles != NULL && spHoldElements(&follow, body, &hold))
    {
        spWindSetDef setDef = {.wind = def,
                               .triangles = triangles,
                               .triangleCount = count / 3,
                               .patchBegin = body->order.patchBegin,
                               .patchCount = body->order.patchCount,
                               .laneCount = body->laneCount,
                               .follow = &follow,
                               .tetRoom = body->tetRoom};
        set = spCreateWindSet(body->heap, &setDef);
    }
    spFreeFollow(&follow, body->heap);
    spFree(body->heap, triangles);
    if (set == NULL)
    {
        spFailMemory(error, "the wind on a body", size);
        return -1;
    }
    return spAppendLocalSet(body, &set->base, error);
}
