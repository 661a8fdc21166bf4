// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/wind.h"

#include "math/vec3.h"

#include <string.h>

#define SP_PI 3.14159265358979323846

spWindSet* spCreateWindSet(spHeap* heap, const spWindSetDef* def)
{
    spWindSet* set = spAllocZeroed(heap, sizeof(spWindSet));
    if (set == NULL)
    {
        return NULL;
    }
    int given = def->triangleCount, total = spGetPlaceCount(def->follow, given);
    set->base.kind = SP_PICK_KIND(def->laneCount, spWindKind);
    set->base.elementCount = total;
    set->base.spareCount = total - given;
    set->def = *def->wind;
    size_t size = 3 * sizeof(int32_t);
    set->triangles = spAlloc(heap, spArraySize(total, size));
    bool ok = set->triangles != NULL;
    for (int i = 0; ok && i < total; ++i)
    {
        int from = i < given ? i : spGetGiven(def->follow, i);
        memcpy(set->triangles + 3 * (size_t)i, def->triangles + 3 * (size_t)from, size);
    }
    ok = ok &&
         spBuildBlocks(&set->blocks, heap, def->triangles, given, 3, def->patchBegin, def->patchCount) &&
         spTakeFollow(&set->follow, def->follow, heap, &set->blocks, def->tetRoom, def->patchCount);
    if (ok == false)
    {
        spDestroyWindSet(&set->base, heap);
        return NULL;
    }
    return set;
}

bool spRemapWindSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error)
{
    spWindSet* set = (spWindSet*)base;
    spFollower f = {.set = base,
                    .follow = &set->follow,
                    .blocks = &set->blocks,
                    .nodes = set->triangles,
                    .stride = 3 * sizeof(int32_t)};
    return spRemapFollower(&f, heap, remap, phase, error);
}

void spDestroyWindSet(spElementSet* base, spHeap* heap)
{
    spWindSet* set = (spWindSet*)base;
    spFree(heap, set->triangles);
    spFreeFollow(&set->follow, heap);
    spFreeBlocks(&set->blocks, heap);
    spFree(heap, set);
}

spVec3 spGetWindVelocity(const spWindSet* set, double time)
{
    double gust =
        1.0 + (double)set->def.gustAmplitude * sin(2.0 * SP_PI * (double)set->def.gustFrequency * time);
    return spScale3((spReal)gust, set->def.velocity);
}

double spGetWindEnergy(const spElementSet* base, const spNodeState* state)
{
    SP_UNUSED(base);
    SP_UNUSED(state);
    return 0.0;
}

spBlocks* spGetWindBlocks(spElementSet* base)
{
    return &((spWindSet*)base)->blocks;
}

// The derivative of the force is at most rho C A u for the speed u, C the larger coefficient. It acts on the
// mean velocity of the nodes, a third of it on each: (u0 + u1 + u2)^2 / 9 <= sum u_i^2 / 3. A triangle that
// falls gets faster until the fluid carries its weight, rho C A u^2 / 2 = m g: that speed counts too, or else
// a body at rest would have no bound. About half the mean mass of its nodes is that of the triangle.
void spAddWindBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    const spWindSet* set = (const spWindSet*)base;
    spVec3 wind = spGetWindVelocity(set, state->time);
    spReal largest = set->def.normalDrag > set->def.tangentDrag ? set->def.normalDrag : set->def.tangentDrag;
    double drag = (double)set->def.density * (double)largest;
    for (int i = 0; i < base->elementCount; ++i)
    {
        if (spGetPart(&set->follow, i) == 0)
        {
            continue;
        }
        const int32_t* nodes = set->triangles + 3 * (size_t)i;
        spVec3 p[3], v = {0, 0, 0};
        double mass = 0.0;
        for (int k = 0; k < 3; ++k)
        {
            p[k] = spXyz(state->x[nodes[k]]);
            v = spMulAdd3(v, (spReal)(1.0 / 3.0), spXyz(state->v[nodes[k]]));
            mass += (double)bounds->mass[nodes[k]] / 6.0;
        }
        double area = 0.5 * (double)spLength3(spCross3(spSub3(p[1], p[0]), spSub3(p[2], p[0])));
        double speed = (double)spDistance3(wind, v);
        // drag * area * speed, with the speed that gravity may add under the root
        double slope = drag * area * speed;
        double rate = sqrt(slope * slope + 2.0 * drag * area * mass * bounds->gravity);
        spMat3 block = spScaleMat3((spReal)(rate / 3.0), spIdentityMat3());
        for (int k = 0; k < 3; ++k)
        {
            bounds->damping[nodes[k]] = spAddMat3(bounds->damping[nodes[k]], block);
        }
    }
}
