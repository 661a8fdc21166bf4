// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bending of the surface of a body.

#include "base/error.h"
#include "body/hold.h"
#include "body/sets.h"
#include "mesh/surface.h"

static bool spCheckBendDef(const spBody* body, const spBendDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the bend definition does not come from spDefaultBendDef");
    }
    if (!(def->stiffness >= 0 && isfinite(def->stiffness)) || !(def->damping >= 0 && isfinite(def->damping)))
    {
        return spFail(error, sp_errorBadArgument, "bending stiffness %g and damping %g must not be negative",
                      (double)def->stiffness, (double)def->damping);
    }
    if (!(def->youngModulus >= 0 && isfinite(def->youngModulus)) ||
        !(def->poissonRatio > -1 && def->poissonRatio <= (spReal)0.5))
    {
        return spFail(error, sp_errorBadArgument,
                      "Young's modulus %g Pa must not be negative, and Poisson's ratio %g lies above -1 and "
                      "not above 0.5",
                      (double)def->youngModulus, (double)def->poissonRatio);
    }
    if (def->youngModulus > 0 && !(def->thickness > 0 && isfinite(def->thickness)))
    {
        return spFail(error, sp_errorBadArgument,
                      "bending from Young's modulus needs the thickness of the sheet, not %g m",
                      (double)def->thickness);
    }
    if (body->triangleCount == 0)
    {
        return spFail(error, sp_errorBadArgument, "bending needs triangles: the mesh of %s has none",
                      body->name);
    }
    return spCheckRoom(body, error);
}

// The hinge at an edge of two triangles, in node numbering. False when there is none.
static bool spFindBend(const spBody* body, const spSurface* surface, int place, bool flat, spBend* bend)
{
    int32_t first = spGetHalf(surface, place), second = spGetHalf(surface, place + 1);
    const int32_t* a = surface->triangles + 3 * (size_t)(first / 3);
    const int32_t* b = surface->triangles + 3 * (size_t)(second / 3);
    int32_t tips[2] = {a[(first % 3 + 2) % 3], b[(second % 3 + 2) % 3]};
    if (tips[0] == tips[1])
    {
        return false;
    }
    const int32_t nodes[4] = {a[first % 3], a[(first % 3 + 1) % 3], tips[0], tips[1]};
    for (int k = 0; k < 4; ++k)
    {
        bend->nodes[k] = body->order.rank[nodes[k]];
    }
    return spMakeBend(body->x, flat, bend);
}

// Bends has room for one hinge for each half edge. Returns their number; -1 without memory.
static int spFindBends(const spBody* body, bool flat, spBend* bends)
{
    spSurface surface;
    if (spBuildSurface(body->heap, body->triangles, body->triangleCount, body->nodeCount, &surface) == false)
    {
        return -1;
    }
    int count = 0;
    for (int begin = 0; begin < surface.count;)
    {
        int end = spFindEdgeEnd(&surface, begin);
        if (end - begin == 2 && spFindBend(body, &surface, begin, flat, bends + count))
        {
            count += 1;
        }
        begin = end;
    }
    spFreeSurface(body->heap, &surface);
    return count;
}

int spAddBendSet(spBody* body, const spBendDef* def, spError* error)
{
    if (spCheckBendDef(body, def, error) == false)
    {
        return -1;
    }
    // An inner edge takes two half edges
    size_t size = spArraySize(3 * (int64_t)body->triangleCount / 2, sizeof(spBend));
    spBend* bends = spAlloc(body->heap, size);
    int count = bends != NULL ? spFindBends(body, def->flat, bends) : -1;
    spBendSet* set = NULL;
    spFollow follow = {0};
    spHold hold = {.nodes = bends != NULL ? bends[0].nodes : NULL,
                   .stride = sizeof(spBend),
                   .count = count,
                   .nodeCount = 4,
                   .first = 0x7,
                   .second = 0xB};
    if (count > 0 && spHoldElements(&follow, body, &hold))
    {
        spBendSetDef setDef = {.bends = bends,
                               .bendCount = count,
                               .patchBegin = body->order.patchBegin,
                               .patchCount = body->order.patchCount,
                               .laneCount = body->laneCount,
                               .follow = &follow,
                               .tetRoom = body->tetRoom};
        set = spCreateBendSet(body->heap, &setDef);
    }
    spFreeFollow(&follow, body->heap);
    spFree(body->heap, bends);
    if (count == 0)
    {
        spFail(error, sp_errorBadArgument,
               "the surface of %s has no edge with exactly two triangles that could bend", body->name);
        return -1;
    }
    if (set == NULL)
    {
        spFailMemory(error, "the hinges of a body", size);
        return -1;
    }
    double t = (double)def->thickness, nu = (double)def->poissonRatio;
    double k = (double)def->youngModulus * t * t * t / (36.0 * (1.0 - nu * nu));
    set->stiffness = def->youngModulus > 0 ? (spReal)k : def->stiffness;
    set->damping = def->damping;
    return spAppendLocalSet(body, &set->base, error);
}
