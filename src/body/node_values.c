// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the elements around a node feel or are made of, as one number for each node: for drawing.

#include "body/body.h"
#include "math/vec3.h"

#include <math.h>

// Sums over the tets around each node: the number that `stress` chooses, weighted by volume. Returns false
// when there are no tets or there is no memory.
static bool spMeanOfTets(const spBody* body, bool stress, spReal* values)
{
    bool any = false;
    for (int i = 0; i < body->setCount; ++i)
    {
        any |= body->sets[i]->kind->addLevels != NULL;
    }
    size_t size = spArraySize(body->nodeCount + body->slots.slotCount, sizeof(spVec4));
    spVec4* levels = any ? spAllocZeroed(body->heap, size) : NULL;
    if (levels == NULL)
    {
        return false;
    }
    spNodeState state = spGetNodeState(body);
    for (int patch = 0; patch < state.patchCount; ++patch)
    {
        for (int i = 0; i < body->setCount; ++i)
        {
            if (body->sets[i]->kind->addLevels != NULL)
            {
                body->sets[i]->kind->addLevels(body->sets[i], &state, patch, stress, levels);
            }
        }
    }
    for (int patch = 0; patch < state.patchCount; ++patch)
    {
        spSumSlots(&body->slots, levels, patch);
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        spVec4 level = levels[body->order.rank[i]];
        spReal value = stress ? level.x : level.y;
        values[i] = level.z > 0 ? value / level.z : 0;
    }
    spFree(body->heap, levels);
    return true;
}

// Adds |l / l0 - 1| of what joins two nodes to both of them
static void spAddStretch(const spBody* body, const int32_t* nodes, spReal rest, spReal* sums, spReal* counts)
{
    spReal length = spLength3(spSub3(spXyz(body->x[nodes[1]]), spXyz(body->x[nodes[0]])));
    spReal strain = rest > 0 ? (spReal)fabs((double)(length / rest) - 1.0) : 0;
    for (int end = 0; end < 2; ++end)
    {
        sums[nodes[end]] += strain;
        counts[nodes[end]] += 1;
    }
}

// The mean over the springs, with the activation of the moment, and kept distances around each node. Returns
// false when there are none or there is no memory.
static bool spMeanOfSprings(const spBody* body, spReal* values)
{
    bool any = false;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spConstraintSet* kept = spGetConstraintSet(body, i);
        any |= spGetSpringSet(body, i) != NULL || (kept != NULL && kept->type == sp_constraintDistance);
    }
    size_t size = spArraySize(2 * (int64_t)body->nodeCount, sizeof(spReal));
    spReal* sums = any ? spAllocZeroed(body->heap, size) : NULL;
    if (sums == NULL)
    {
        return false;
    }
    spReal* counts = sums + body->nodeCount;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spSpringSet* set = spGetSpringSet(body, i);
        spReal factor = set != NULL ? spGetActivation(set, body->time) : 1;
        for (int k = 0; set != NULL && k < set->base.elementCount; ++k)
        {
            spAddStretch(body, set->springs[k].nodes, factor * set->springs[k].rest, sums, counts);
        }
        const spConstraintSet* kept = spGetConstraintSet(body, i);
        bool distances = kept != NULL && kept->type == sp_constraintDistance;
        for (int k = 0; distances && k < kept->base.elementCount; ++k)
        {
            spAddStretch(body, kept->nodes + 2 * (size_t)k, kept->rest[k], sums, counts);
        }
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        int node = body->order.rank[i];
        values[i] = counts[node] > 0 ? sums[node] / counts[node] : 0;
    }
    spFree(body->heap, sums);
    return true;
}

int spSumNodeStress(const spBody* body, spReal* stress)
{
    bool rigid = body->methodDef.type == sp_rigid;
    return rigid == false && spMeanOfTets(body, true, stress) ? body->userCount : 0;
}

int spSumNodeStrain(const spBody* body, spReal* strain)
{
    bool rigid = body->methodDef.type == sp_rigid;
    return rigid == false && (spMeanOfTets(body, false, strain) || spMeanOfSprings(body, strain))
               ? body->userCount
               : 0;
}

// Sums of volumes times moduli, and of volumes, around each node
static void spAddModuli(const spTetSet* set, spReal* sums, spReal* volumes)
{
    for (int k = 0; k < set->base.elementCount; ++k)
    {
        for (int corner = 0; corner < 4; ++corner)
        {
            int node = set->tets[k].nodes[corner];
            sums[node] += set->volumes[k] * set->tets[k].youngModulus;
            volumes[node] += set->volumes[k];
        }
    }
}

int spSumNodeModulus(const spBody* body, spReal* modulus)
{
    bool any = false;
    for (int i = 0; i < body->setCount; ++i)
    {
        any |= spGetTetSet(body, i) != NULL;
    }
    bool rigid = body->methodDef.type == sp_rigid;
    size_t size = spArraySize(2 * (int64_t)body->nodeCount, sizeof(spReal));
    spReal* sums = any && rigid == false ? spAllocZeroed(body->heap, size) : NULL;
    if (sums == NULL)
    {
        return 0;
    }
    spReal* volumes = sums + body->nodeCount;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spTetSet* set = spGetTetSet(body, i);
        if (set != NULL)
        {
            spAddModuli(set, sums, volumes);
        }
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        int node = body->order.rank[i];
        modulus[i] = volumes[node] > 0 ? sums[node] / volumes[node] : 0;
    }
    spFree(body->heap, sums);
    return body->userCount;
}

int spFindNodeRegions(const spBody* body, spReal* regions)
{
    bool any = false;
    if (body->methodDef.type == sp_rigid)
    {
        return 0;
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        regions[i] = -INFINITY;
    }
    for (int i = 0; i < body->setCount; ++i)
    {
        const spTetSet* set = spGetTetSet(body, i);
        for (int k = 0; set != NULL && k < 4 * set->base.elementCount; ++k)
        {
            const spTet* tet = set->tets + k / 4;
            int user = body->order.order[tet->nodes[k % 4]];
            any = any || tet->region != 0;
            if (user < body->userCount && (spReal)tet->region > regions[user])
            {
                regions[user] = (spReal)tet->region;
            }
        }
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        regions[i] = isfinite(regions[i]) ? regions[i] : 0;
    }
    return any ? body->userCount : 0;
}
