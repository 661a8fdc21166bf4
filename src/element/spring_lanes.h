// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Springs for SP_LANES lanes: what the loops of element_loop.h call, and the table of that width.

#include "element/constraint.h"
#include "element/element_loop.h"
#include "element/spring.h"
#include "element/spring_kernel.h"

SP_KERNEL spSpringData spLoadSprings(const spElementUse* use, bool active, const spLanesAt* at)
{
    const spSpringSet* set = (const spSpringSet*)use->set;
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK, block = (size_t)at->block;
    const spReal* data = set->data + at->lane;
    spSpringData s;
    s.rest = spLoad(data + block * SP_BLOCK);
    s.rest = active ? spSplat(*(const spReal*)use->own) * s.rest : s.rest;
    s.k = spLoad(data + size + block * (size_t)set->stiffnessStride);
    s.c = spLoad(data + 2 * size + block * (size_t)set->dampingStride);
    return s;
}

typedef enum spSpringVariant
{
    sp_variantPlain,
    sp_variantDamped,
    sp_variantTension,
} spSpringVariant;

SP_KERNEL void spEvaluateSprings(const spElementUse* use, int variant, bool active, const spLanesAt* at,
                                 RVec3* f)
{
    const spNodeState* state = use->state;
    spSpringData s = spLoadSprings(use, active, at);
    if (variant == sp_variantPlain)
    {
        *f = spGetSpringForce(spGatherDifference(state->x, at->nodes, at->nodes + SP_BLOCK), &s);
        return;
    }
    RVec3 d, dv;
    spGatherDifferences(state->x, state->v, at->nodes, at->nodes + SP_BLOCK, &d, &dv);
    *f = variant == sp_variantDamped ? spGetDampedSpringForce(d, dv, &s) : spGetTensionForce(d, dv, &s);
}

SP_KERNEL void spRunSprings(const spElementUse* use, int patch, spVec4* f, spSpringVariant variant,
                            bool active)
{
    spAddElements(use, 2, patch, spEvaluateSprings, variant, active, f);
}

static void spAddSpringForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spSpringSet* set = (const spSpringSet*)base;
    spReal activation = spGetActivation(set, state->time);
    spElementUse use = {.set = base, .blocks = &set->blocks, .state = state, .own = &activation};
    bool tension = set->law == sp_springTension;
    if (set->amplitude != 0.0)
    {
        tension ? spRunSprings(&use, patch, f, sp_variantTension, true)
                : spRunSprings(&use, patch, f, sp_variantDamped, true);
    }
    else if (tension)
    {
        spRunSprings(&use, patch, f, sp_variantTension, false);
    }
    else if (set->damped)
    {
        spRunSprings(&use, patch, f, sp_variantDamped, false);
    }
    else
    {
        spRunSprings(&use, patch, f, sp_variantPlain, false);
    }
}

SP_KERNEL void spEvaluateSpringDifference(const spElementUse* use, int law, bool project, const spLanesAt* at,
                                          RVec3* f)
{
    spSpringData s = spLoadSprings(use, true, at);
    RVec3 d = spGatherDifference(use->state->x, at->nodes, at->nodes + SP_BLOCK), dx, dv;
    spGatherDifferences(use->difference->dx, use->difference->dv, at->nodes, at->nodes + SP_BLOCK, &dx, &dv);
    spPrepareSpring(d, law == sp_springTension, project, &s);
    *f = spGetSpringDifference(d, dx, dv, &s);
}

static void spAddSpringDifference(const spElementSet* base, const spNodeState* state,
                                  const spDifference* difference, int patch, spVec4* df)
{
    const spSpringSet* set = (const spSpringSet*)base;
    spReal activation = spGetActivation(set, state->time);
    spElementUse use = {
        .set = base, .blocks = &set->blocks, .state = state, .difference = difference, .own = &activation};
    spAddElements(&use, 2, patch, spEvaluateSpringDifference, (int)set->law, difference->project, df);
}

SP_KERNEL void spWriteSpringPairs(const spElementUse* use, int law, bool project, const spLanesAt* at,
                                  spVec4* to)
{
    const spFill* fill = use->fill;
    spSpringData s = spLoadSprings(use, true, at);
    s.k = spSplat(fill->stiffness) * s.k;
    s.c = spSplat(fill->damping) * s.c;
    RVec3 d = spGatherDifference(use->state->x, at->nodes, at->nodes + SP_BLOCK);
    spPrepareSpring(d, law == sp_springTension, project, &s);
    RMat3 axes = spMakeDiagonalR(spSplat(1));
    SP_UNROLL
    for (int axis = 0; axis < 3; ++axis)
    {
        RVec3 unit = (&axes.cx)[axis];
        spStoreNodes(to + axis, 3, spGetSpringDifference(d, unit, unit, &s), spSplat(0));
    }
}

static void spFillSpringPairs(const spElementSet* base, const spNodeState* state, const spFill* fill,
                              int patch, spVec4* pairs)
{
    // The bound is that of rest length 0, for slack springs too
    const spSpringSet* set = (const spSpringSet*)base;
    spReal activation = fill->bound ? 0 : spGetActivation(set, state->time);
    spElementUse use = {
        .set = base, .blocks = &set->blocks, .state = state, .fill = fill, .own = &activation};
    spWriteElements(&use, 2, patch, 3, spWriteSpringPairs, fill->bound ? (int)sp_springHooke : (int)set->law,
                    fill->project && fill->bound == false, pairs);
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
    .remap = spRemapSpringSet,
    .destroy = spDestroySpringSet,
};
