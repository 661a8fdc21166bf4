// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/spring.h"

#include "math/vec3.h"

#include <string.h>

#define SP_PI 3.14159265358979323846

spReal spGetSpringModulus(const spSpringSet* set, const spSpring* spring)
{
    spReal part = spGetPart(&set->follow, (int)(spring - set->springs));
    if (set->law == sp_springProportional)
    {
        return part * (spring->stiffness * spring->rest);
    }
    bool normalised = set->law == sp_springNormalised && spring->rest > 0;
    return part * (normalised ? spring->stiffness / spring->rest : spring->stiffness);
}

spReal spGetSpringDamping(const spSpringSet* set, const spSpring* spring)
{
    return spGetPart(&set->follow, (int)(spring - set->springs)) * spring->damping;
}

void spSetActivation(spSpringSet* set, spReal amplitude, spReal frequency, spReal phase)
{
    set->amplitude = (double)amplitude;
    set->frequency = (double)frequency;
    set->phase = (double)phase * SP_PI / 180.0;
    // What comes and goes is known to the bounds only
    set->base.abrupt = set->law == sp_springTension || amplitude != 0;
}

spReal spGetActivation(const spSpringSet* set, double time)
{
    return set->amplitude == 0.0
               ? 1
               : (spReal)(1.0 + set->amplitude * sin(2.0 * SP_PI * set->frequency * time + set->phase));
}

// Numbers of the blocks [begin, end), which are loaded one by one from then on
static void spFillSpringBlocks(spElementSet* base, int begin, int end)
{
    spSpringSet* set = (spSpringSet*)base;
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK;
    spReal* rest = set->data;
    spReal* stiffness = rest + size;
    spReal* damping = stiffness + size;
    set->stiffnessStride = SP_BLOCK;
    set->dampingStride = SP_BLOCK;
    for (size_t i = (size_t)begin * SP_BLOCK; i < (size_t)end * SP_BLOCK; ++i)
    {
        // Empty lanes write to a trash slot, so any numbers do: those of the first spring
        int element = set->blocks.elements[i];
        const spSpring* spring = set->springs + (element < 0 ? 0 : element);
        rest[i] = spring->rest;
        stiffness[i] = spGetSpringModulus(set, spring);
        damping[i] = spGetSpringDamping(set, spring);
        set->damped = set->damped || spring->damping > 0;
    }
}

static bool spAreEqual(const spReal* numbers, size_t count)
{
    bool equal = true;
    for (size_t i = 1; equal && i < count; ++i)
    {
        equal = numbers[i] == numbers[0];
    }
    return equal;
}

void spFillSpringData(spSpringSet* set)
{
    set->damped = false;
    spFillSpringBlocks(&set->base, 0, set->blocks.blockCount);
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK;
    set->stiffnessStride = spAreEqual(set->data + size, size) ? 0 : SP_BLOCK;
    set->dampingStride = spAreEqual(set->data + 2 * size, size) ? 0 : SP_BLOCK;
}

spSpringSet* spCreateSpringSet(spHeap* heap, const spSpringSetDef* def)
{
    spSpringSet* set = spAllocZeroed(heap, sizeof(spSpringSet));
    if (set == NULL)
    {
        return NULL;
    }
    int given = def->springCount, total = spGetPlaceCount(def->follow, given);
    set->base.kind = SP_PICK_KIND(def->laneCount, spSpringKind);
    set->base.elementCount = total;
    set->base.spareCount = total - given;
    set->base.abrupt = def->law == sp_springTension;
    set->law = def->law;

    size_t pairSize = spArraySize(given, 2 * sizeof(int32_t));
    int32_t* pairs = spAlloc(heap, pairSize);
    set->springs = spAlloc(heap, spArraySize(total, sizeof(spSpring)));
    bool ok = pairs != NULL && set->springs != NULL;
    if (ok)
    {
        for (int i = 0; i < total; ++i)
        {
            set->springs[i] = def->springs[i < given ? i : spGetGiven(def->follow, i)];
        }
        for (int i = 0; i < given; ++i)
        {
            memcpy(pairs + 2 * (size_t)i, def->springs[i].nodes, sizeof(def->springs[i].nodes));
        }
        ok = spBuildBlocks(&set->blocks, heap, pairs, given, 2, def->patchBegin, def->patchCount) &&
             spTakeFollow(&set->follow, def->follow, heap, &set->blocks, def->tetRoom, def->patchCount);
    }
    spFree(heap, pairs);
    if (ok)
    {
        set->data = spAlloc(heap, spArraySize(set->blocks.blockCount, 3 * SP_BLOCK * sizeof(spReal)));
        ok = set->data != NULL;
    }
    if (ok == false)
    {
        spDestroySpringSet(&set->base, heap);
        return NULL;
    }
    spFillSpringData(set);
    return set;
}

bool spRemapSpringSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error)
{
    spSpringSet* set = (spSpringSet*)base;
    spFollower f = {.set = base,
                    .follow = &set->follow,
                    .blocks = &set->blocks,
                    .nodes = set->springs[0].nodes,
                    .stride = sizeof(spSpring),
                    .data = &set->data,
                    .numbers = 3,
                    .fill = spFillSpringBlocks};
    return spRemapFollower(&f, heap, remap, phase, error);
}

void spDestroySpringSet(spElementSet* base, spHeap* heap)
{
    spSpringSet* set = (spSpringSet*)base;
    spFree(heap, set->springs);
    spFree(heap, set->data);
    spFreeFollow(&set->follow, heap);
    spFreeBlocks(&set->blocks, heap);
    spFree(heap, set);
}

double spGetSpringSetEnergy(const spElementSet* base, const spNodeState* state)
{
    const spSpringSet* set = (const spSpringSet*)base;
    double energy = 0.0, activation = (double)spGetActivation(set, state->time);
    for (int i = 0; i < base->elementCount; ++i)
    {
        const spSpring* spring = set->springs + i;
        spVec3 d = spSub3(spXyz(state->x[spring->nodes[1]]), spXyz(state->x[spring->nodes[0]]));
        double stretch = sqrt((double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z) -
                         activation * (double)spring->rest;
        if (set->law != sp_springTension || stretch > 0.0)
        {
            energy += 0.5 * (double)spGetSpringModulus(set, spring) * stretch * stretch;
        }
    }
    return energy;
}

int spGetSpringStiffness(const spElementSet* base, const spNodeState* state, int element, bool project,
                         int32_t* nodes, spMat3* blocks)
{
    const spSpringSet* set = (const spSpringSet*)base;
    const spSpring* spring = set->springs + element;
    spReal length;
    spVec3 d = spSub3(spXyz(state->x[spring->nodes[1]]), spXyz(state->x[spring->nodes[0]]));
    spVec3 e = spNormalizeLength3(d, &length);
    spReal k = spGetSpringModulus(set, spring);
    spReal rest = spGetActivation(set, state->time) * spring->rest;
    if (set->law == sp_springTension && length <= rest)
    {
        k = 0;
    }
    spReal across = length > 0 ? 1 - rest / length : 0;
    across = project && across < 0 ? 0 : across;
    spMat3 block =
        spAddMat3(spScaleMat3(k * (1 - across), spOuter3(e, e)), spScaleMat3(k * across, spIdentityMat3()));
    for (int i = 0; i < 4; ++i)
    {
        nodes[i / 2] = spring->nodes[i / 2];
        blocks[i] = spScaleMat3(i / 2 == i % 2 ? 1 : -1, block);
    }
    return 2;
}

bool spIsSpringSetDamped(const spElementSet* base)
{
    return ((const spSpringSet*)base)->damped;
}

spBlocks* spGetSpringBlocks(spElementSet* base)
{
    return &((spSpringSet*)base)->blocks;
}

void spAddSpringSetBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    // A spring gives (d . (u1 - u0))^2 <= 2 (d . u1)^2 + 2 (d . u0)^2, so twice its diagonal blocks bound it.
    // Across its axis a spring is as stiff as its tension: k |1 - l0/l|, at most counted as k. A muscle is
    // tightest when its rest length is shortest.
    const spSpringSet* set = (const spSpringSet*)base;
    spReal shortest = (spReal)(1.0 - fabs(set->amplitude));
    for (int i = 0; i < base->elementCount; ++i)
    {
        const spSpring* spring = set->springs + i;
        spVec3 d = spSub3(spXyz(state->x[spring->nodes[1]]), spXyz(state->x[spring->nodes[0]]));
        spReal length;
        spVec3 e = spNormalizeLength3(d, &length);
        spReal k = spGetSpringModulus(set, spring);
        spReal across = length > 0 ? 1 - shortest * spring->rest / length : 1;
        across = k * (across < 0 ? 0 : across);
        spMat3 axis = spOuter3(e, e);
        spMat3 block =
            spAddMat3(spScaleMat3(2 * (k - across), axis), spScaleMat3(2 * across, spIdentityMat3()));
        for (int end = 0; end < 2; ++end)
        {
            int node = spring->nodes[end];
            bounds->stiffness[node] = spAddMat3(bounds->stiffness[node], block);
            bounds->damping[node] =
                spMulAddMat3(bounds->damping[node], 2 * spGetSpringDamping(set, spring), axis);
        }
    }
}
