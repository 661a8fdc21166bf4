// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The loops over blocks of springs for SP_LANES lanes, and the table of that width. Included once per width
// by lanes<n>.c, which is compiled for the processor level that has them.

#include "math/lanes.h"

#include "element/constraint.h"
#include "element/spring.h"
#include "element/spring_kernel.h"

typedef struct spSpringLanes
{
    const int32_t* n0;
    const int32_t* n1;
    const int32_t* s0;
    const int32_t* s1;
    R rest, k, c;
} spSpringLanes;

// Data of the lanes that start at `lane` of a block
SP_KERNEL spSpringLanes spLoadSprings(const spSpringSet* set, int block, int lane)
{
    size_t index = (size_t)block * 2 * SP_BLOCK + (size_t)lane;
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK;
    const spReal* data = set->data + lane;
    spSpringLanes s;
    s.n0 = set->blocks.nodes + index;
    s.n1 = s.n0 + SP_BLOCK;
    s.s0 = spGetBlockSlots(&set->blocks, block) + lane;
    s.s1 = s.s0 + SP_BLOCK;
    s.rest = spLoad(data + (size_t)block * SP_BLOCK);
    s.k = spLoad(data + size + (size_t)block * (size_t)set->stiffnessStride);
    s.c = spLoad(data + 2 * size + (size_t)block * (size_t)set->dampingStride);
    return s;
}

typedef enum spSpringVariant
{
    sp_variantPlain,
    sp_variantDamped,
    sp_variantTension,
    sp_variantMuscle, // damped, with activation
    sp_variantThread, // tension, with activation
} spSpringVariant;

// activation: only the variants that have one look at it
SP_KERNEL RVec3 spEvaluateSprings(const spSpringLanes* s, const spNodeState* state, spReal activation,
                                  spSpringVariant variant)
{
    if (variant == sp_variantPlain)
    {
        return spGetSpringForce(spGatherDifference(state->x, s->n0, s->n1), s->rest, s->k);
    }
    RVec3 d, dv;
    spGatherDifferences(state->x, state->v, s->n0, s->n1, &d, &dv);
    bool active = variant == sp_variantMuscle || variant == sp_variantThread;
    R rest = active ? spSplat(activation) * s->rest : s->rest;
    return variant == sp_variantDamped || variant == sp_variantMuscle
               ? spGetDampedSpringForce(d, dv, rest, s->k, s->c)
               : spGetTensionForce(d, dv, rest, s->k, s->c);
}

// The next lanes are evaluated before the forces of the last ones are added, so that the long root and
// division overlap with the loads and stores of the scatter: one block alone fills the processor's window.
SP_KERNEL void spRunSprings(const spSpringSet* set, const spNodeState* state, int patch, spVec4* f,
                            spSpringVariant variant)
{
    int begin = set->blocks.patchBlock[patch];
    int end = set->blocks.patchBlock[patch + 1];
    if (begin == end)
    {
        return;
    }
    spReal activation = spGetActivation(set, state->time);
    spSpringLanes last = spLoadSprings(set, begin, 0);
    RVec3 force = spEvaluateSprings(&last, state, activation, variant);
    int lane = SP_LANES % SP_BLOCK;
    int block = begin + SP_LANES / SP_BLOCK;
    while (block < end)
    {
        spSpringLanes next = spLoadSprings(set, block, lane);
        RVec3 nextForce = spEvaluateSprings(&next, state, activation, variant);
        spScatterPair(f, last.s0, last.s1, force);
        last = next;
        force = nextForce;
        lane = (lane + SP_LANES) % SP_BLOCK;
        block += lane == 0 ? 1 : 0;
    }
    spScatterPair(f, last.s0, last.s1, force);
}

static void spAddSpringForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spSpringSet* set = (const spSpringSet*)base;
    bool tension = set->law == sp_springTension;
    if (set->amplitude != 0.0)
    {
        if (tension)
        {
            spRunSprings(set, state, patch, f, sp_variantThread);
        }
        else
        {
            spRunSprings(set, state, patch, f, sp_variantMuscle);
        }
    }
    else if (tension)
    {
        spRunSprings(set, state, patch, f, sp_variantTension);
    }
    else if (set->damped)
    {
        spRunSprings(set, state, patch, f, sp_variantDamped);
    }
    else
    {
        spRunSprings(set, state, patch, f, sp_variantPlain);
    }
}

static void spAddSpringDifference(const spElementSet* base, const spNodeState* state,
                                  const spDifference* difference, int patch, spVec4* df)
{
    const spSpringSet* set = (const spSpringSet*)base;
    R activation = spSplat(spGetActivation(set, state->time));
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spSpringLanes s = spLoadSprings(set, block, lane);
            s.rest = activation * s.rest;
            RVec3 ddx, ddv;
            RVec3 d = spGatherDifference(state->x, s.n0, s.n1);
            spGatherDifferences(difference->dx, difference->dv, s.n0, s.n1, &ddx, &ddv);
            if (set->law == sp_springTension)
            {
                // A slack spring has no stiffness
                RMask taut = spGetSpringShape(d).length > s.rest;
                s.k = spSelect(taut, s.k, spSplat(0));
                s.c = spSelect(taut, s.c, spSplat(0));
            }
            if (difference->project)
            {
                // A spring that is pressed pushes sideways: without that it never pushes away from rest
                s.rest = spMin(s.rest, spGetSpringShape(d).length);
            }
            spScatterPair(df, s.s0, s.s1, spGetSpringDifference(d, ddx, ddv, s.rest, s.k, s.c));
        }
    }
}

static void spFillSpringPairs(const spElementSet* base, const spNodeState* state, const spFill* fill,
                              int patch, spVec4* pairs)
{
    const spSpringSet* set = (const spSpringSet*)base;
    R activation = spSplat(spGetActivation(set, state->time)), zero = spSplat(0), one = spSplat(1);
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spSpringLanes s = spLoadSprings(set, block, lane);
            R rest = activation * s.rest;
            R k = spSplat(fill->stiffness) * s.k, c = spSplat(fill->damping) * s.c;
            RVec3 d = spGatherDifference(state->x, s.n0, s.n1);
            R length = spGetSpringShape(d).length;
            if (set->law == sp_springTension && fill->bound == false)
            {
                RMask taut = length > rest;
                k = spSelect(taut, k, zero);
                c = spSelect(taut, c, zero);
            }
            rest = fill->bound ? zero : fill->project ? spMin(rest, length) : rest;
            spVec4* to = pairs + 3 * ((size_t)block * SP_BLOCK + (size_t)lane);
            RVec3 axes[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
            SP_UNROLL
            for (int axis = 0; axis < 3; ++axis)
            {
                spStoreNodes(to + axis, 3, spGetSpringDifference(d, axes[axis], axes[axis], rest, k, c),
                             zero);
            }
        }
    }
}

static const spConstraintKind* spGetSpringRows(const spElementSet* base, bool energy)
{
    SP_UNUSED(energy);
    return ((const spSpringSet*)base)->law == sp_springTension ? &SP_LANES_NAME(spTetherRows)
                                                               : &SP_LANES_NAME(spDistanceRows);
}

const spElementKind SP_LANES_NAME(spSpringKind) = {
    .name = "spring",
    .flags = sp_kindConservative,
    .bounded = true,
    .addForces = spAddSpringForces,
    .addDifference = spAddSpringDifference,
    .getRows = spGetSpringRows,
    .getEnergy = spGetSpringSetEnergy,
    .getStiffness = spGetSpringStiffness,
    .getPairForm = spGetBlockForm,
    .fillPairs = spFillSpringPairs,
    .isDamped = spIsSpringSetDamped,
    .addBounds = spAddSpringSetBounds,
    .getBlocks = spGetSpringBlocks,
    .destroy = spDestroySpringSet,
};
