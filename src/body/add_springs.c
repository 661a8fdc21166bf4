// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Springs on a body.

#include "base/error.h"
#include "body/hold.h"
#include "body/sets.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/sort.h"

#include <string.h>

// Volume of the tets (or area of the triangles) that each edge shares, after Van Gelder: every element counts
// whole for each of its edges. Found by sorting the edges of all elements together with the given ones.
static bool spSumAroundEdges(const spBody* body, const int32_t* edges, int edgeCount, double* sums)
{
    int n = body->tetCount > 0 ? 4 : 3;
    int perElement = n == 4 ? 6 : 3;
    int elementCount = n == 4 ? body->tetCount : body->triangleCount;
    const int32_t* elements = n == 4 ? body->tets : body->triangles;
    int64_t total = (int64_t)edgeCount + (int64_t)elementCount * perElement;
    if (total > INT32_MAX)
    {
        return false;
    }
    size_t tupleSize = spArraySize(total, 2 * sizeof(int32_t));
    size_t orderSize = spArraySize(total, sizeof(int32_t));
    int32_t* tuples = spAlloc(body->heap, tupleSize);
    int32_t* order = spAlloc(body->heap, orderSize);
    bool ok = tuples != NULL && order != NULL;
    if (ok)
    {
        memcpy(tuples, edges, (size_t)edgeCount * 2 * sizeof(int32_t));
        int32_t* next = tuples + 2 * (size_t)edgeCount;
        for (int i = 0; i < elementCount; ++i)
        {
            for (int k = 0; k < perElement; ++k)
            {
                const int32_t* e = elements + (size_t)i * n;
                *next++ = e[n == 4 ? spTetEdges[k][0] : k];
                *next++ = e[n == 4 ? spTetEdges[k][1] : (k + 1) % 3];
            }
        }
        for (int64_t i = 0; i < total; ++i)
        {
            spSortTuple(tuples + 2 * i, 2);
        }
        ok = spSortTuples(body->heap, tuples, 2, (int)total, body->nodeCount, order);
    }
    for (int64_t begin = 0; ok && begin < total;)
    {
        int64_t end = begin;
        double sum = 0.0;
        while (end < total && spSameTuple(tuples, 2, order[begin], order[end]))
        {
            if (order[end] >= edgeCount)
            {
                const int32_t* e = elements + (size_t)((order[end] - edgeCount) / perElement) * n;
                spVec3 p[4];
                for (int k = 0; k < n; ++k)
                {
                    p[k] = spXyz(body->x[body->order.rank[e[k]]]);
                }
                spVec3 normal = spCross3(spSub3(p[1], p[0]), spSub3(p[2], p[0]));
                sum += n == 4 ? fabs((double)spDot3(normal, spSub3(p[3], p[0]))) / 6.0
                              : 0.5 * (double)spLength3(normal);
            }
            ++end;
        }
        for (int64_t i = begin; i < end; ++i)
        {
            if (order[i] < edgeCount)
            {
                sums[order[i]] = sum;
            }
        }
        begin = end;
    }
    spFree(body->heap, tuples);
    spFree(body->heap, order);
    return ok;
}

bool spCheckActivation(spReal amplitude, spReal frequency, spReal phase, spError* error)
{
    return (amplitude > -1 && amplitude < 1 && frequency >= 0 && isfinite(frequency) && isfinite(phase)) ||
           spFail(
               error, sp_errorBadArgument,
               "an activation needs -1 < amplitude (%g) < 1, a frequency (%g Hz) that is not negative and a "
               "finite phase",
               (double)amplitude, (double)frequency);
}

static bool spCheckSpringDef(const spBody* body, const spSpringDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the spring definition does not come from spDefaultSpringDef");
    }
    if ((unsigned)def->law >= sp_springLawCount)
    {
        return spFail(error, sp_errorBadArgument, "spring law %d does not exist", (int)def->law);
    }
    if (!(def->stiffness >= 0 && isfinite(def->stiffness)) || !isfinite(def->damping) ||
        !(def->dampingRatio >= 0 && isfinite(def->dampingRatio)))
    {
        return spFail(error, sp_errorBadArgument,
                      "spring stiffness %g and damping ratio %g must not be negative, damping %g finite",
                      (double)def->stiffness, (double)def->dampingRatio, (double)def->damping);
    }
    if (!(def->restScale > 0 && isfinite(def->restScale)))
    {
        return spFail(error, sp_errorBadArgument, "rest scale %g must be positive", (double)def->restScale);
    }
    if (spCheckActivation(def->activationAmplitude, def->activationFrequency, def->activationPhase, error) ==
        false)
    {
        return false;
    }
    if (!(def->youngModulus >= 0 && isfinite(def->youngModulus)) ||
        !(def->thickness >= 0 && isfinite(def->thickness)))
    {
        return spFail(error, sp_errorBadArgument,
                      "Young's modulus %g Pa and thickness %g m must not be negative",
                      (double)def->youngModulus, (double)def->thickness);
    }
    if (def->youngModulus > 0 && body->tetCount == 0 && (body->triangleCount == 0 || def->thickness == 0))
    {
        return spFail(
            error, sp_errorBadArgument,
            "springs from Young's modulus need tets, or triangles and a thickness; %s has %d tets, %d "
            "triangles, thickness %g m",
            body->name, body->tetCount, body->triangleCount, (double)def->thickness);
    }
    if (def->edges == NULL && body->edgeCount == 0)
    {
        return spFail(error, sp_errorBadArgument,
                      "springs need edges: none are given and the mesh of %s has none", body->name);
    }
    return spCheckRoom(body, error);
}

// One damping for all springs. Waves run along a chain of the mean spring and the mean mass.
static void spSetDampingRatio(const spBody* body, spSpringSet* set, double ratio)
{
    double mass = 0.0, stiffness = 0.0, length = 0.0;
    int count = set->base.elementCount - set->base.spareCount;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        mass += (double)body->mass[i] / body->userCount;
    }
    for (int i = 0; i < count; ++i)
    {
        stiffness += (double)spGetSpringModulus(set, set->springs + i) / count;
        length += (double)set->springs[i].rest / count;
    }
    double speed = mass > 0.0 ? length * sqrt(stiffness / mass) : 0.0;
    spReal damping = (spReal)(stiffness * spGetDampingTime(body, ratio, speed));
    for (int i = 0; i < set->base.elementCount; ++i)
    {
        set->springs[i].damping = isfinite(damping) ? damping : 0;
    }
    spFillSpringData(set);
}

int spAddSpringSet(spBody* body, const spSpringDef* def, spError* error)
{
    if (spCheckSpringDef(body, def, error) == false)
    {
        return -1;
    }
    const int32_t* edges = def->edges != NULL ? def->edges : body->edges;
    int count = def->edges != NULL ? def->edgeCount : body->edgeCount;
    if (count <= 0)
    {
        spFail(error, sp_errorBadArgument, "the number of springs, %d, must be positive", count);
        return -1;
    }
    spHeap* heap = body->heap;
    size_t springSize = spArraySize(count, sizeof(spSpring));
    size_t sumSize = def->youngModulus > 0 ? spArraySize(count, sizeof(double)) : 0;
    spSpring* springs = spAlloc(heap, springSize);
    double* sums = spAlloc(heap, sumSize);
    bool ok = springs != NULL && (sumSize == 0 || sums != NULL);
    if (ok && sums != NULL)
    {
        memset(sums, 0, sumSize);
        for (int i = 0; ok && i < 2 * count; ++i)
        {
            ok = spCheckNode(body, "spring", i / 2, edges[i], error);
        }
        if (ok && spSumAroundEdges(body, edges, count, sums) == false)
        {
            ok = spFailMemory(error, "the volumes around springs", sumSize);
        }
    }
    else if (ok == false)
    {
        spFailMemory(error, "springs", springSize);
    }
    for (int i = 0; ok && i < count; ++i)
    {
        int a = edges[2 * (size_t)i], b = edges[2 * (size_t)i + 1];
        ok = spCheckNode(body, "spring", i, a, error) && spCheckNode(body, "spring", i, b, error);
        if (ok && a == b)
        {
            ok = spFail(error, sp_errorBadIndex, "spring %d joins node %d to itself", i, a);
        }
        if (ok == false)
        {
            break;
        }
        spSpring* s = springs + i;
        s->nodes[0] = body->order.rank[a];
        s->nodes[1] = body->order.rank[b];
        spReal length = spDistance3(spXyz(body->x[s->nodes[0]]), spXyz(body->x[s->nodes[1]]));
        s->rest = def->restScale * (def->restLengths != NULL ? def->restLengths[i] : length);
        s->stiffness = def->stiffnesses != NULL ? def->stiffnesses[i] : def->stiffness;
        s->damping = def->damping > 0 ? def->damping : 0;
        s->share = 0;
        if (sums != NULL)
        {
            double measure = sums[i] * (body->tetCount > 0 ? 1.0 : (double)def->thickness);
            double k = (double)def->youngModulus * measure / ((double)length * (double)length);
            k = def->law == sp_springNormalised ? k * (double)s->rest : k;
            s->stiffness = (spReal)(def->law == sp_springProportional ? k / (double)s->rest : k);
            s->share = s->stiffness / def->youngModulus;
        }
        if (!(s->rest >= 0 && isfinite(s->rest)) || !(s->stiffness >= 0 && isfinite(s->stiffness)))
        {
            ok =
                spFail(error, sp_errorBadArgument,
                       "spring %d has rest length %g m and stiffness %g: neither may be negative or infinite",
                       i, (double)s->rest, (double)s->stiffness);
        }
        if (ok && def->law == sp_springNormalised && s->rest == 0)
        {
            ok = spFail(error, sp_errorBadArgument,
                        "spring %d has rest length 0: the normalised law divides by it; use sp_springHooke",
                        i);
        }
    }
    spSpringSet* set = NULL;
    if (ok)
    {
        spFollow follow = {0};
        spHold hold = {.nodes = springs[0].nodes,
                       .stride = sizeof(spSpring),
                       .count = count,
                       .nodeCount = 2,
                       .first = 0x1,
                       .second = 0x2};
        spSpringSetDef setDef = {.springs = springs,
                                 .springCount = count,
                                 .law = def->law,
                                 .patchBegin = body->order.patchBegin,
                                 .patchCount = body->order.patchCount,
                                 .laneCount = body->laneCount,
                                 .follow = &follow,
                                 .tetRoom = body->tetRoom};
        set = spHoldElements(&follow, body, &hold) ? spCreateSpringSet(heap, &setDef) : NULL;
        spFreeFollow(&follow, heap);
        ok = set != NULL || spFailMemory(error, "springs", springSize);
    }
    if (ok)
    {
        set->derived = def->youngModulus > 0;
        set->youngModulus = def->youngModulus;
        spSetActivation(set, def->activationAmplitude, def->activationFrequency, def->activationPhase);
        if (def->damping < 0)
        {
            spSetDampingRatio(body, set, (double)def->dampingRatio);
        }
    }
    spFree(heap, springs);
    spFree(heap, sums);
    if (ok == false)
    {
        return -1;
    }
    // A body that came without edges is drawn by its springs
    if (body->edgeCount == 0)
    {
        size_t size = spArraySize(count, 2 * sizeof(int32_t));
        body->edges = spAlloc(heap, size);
        if (body->edges == NULL)
        {
            spDestroySpringSet(&set->base, heap);
            spFailMemory(error, "the edges of a body", size);
            return -1;
        }
        memcpy(body->edges, edges, size);
        body->edgeCount = count;
    }
    return spAppendLocalSet(body, &set->base, error);
}
