// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Hinges for SP_LANES lanes: what the loops of element_loop.h call, and the table of that width.

#include "element/bend.h"
#include "element/bend_kernel.h"
#include "element/element_loop.h"

SP_KERNEL spHingeData spLoadHinges(const spElementUse* use, const spLanesAt* at)
{
    const spBendSet* set = (const spBendSet*)use->set;
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK;
    const spReal* data = set->data + spGetLanesPlace(at);
    R weight = spLoad(data + size);
    spHingeData h;
    h.rest = spLoad(data);
    h.k = spSplat(set->stiffness) * weight;
    h.c = spSplat(set->damping) * weight;
    h.fading = spLoad(data + 2 * size);
    return h;
}

SP_KERNEL spHingeVectors spGatherHinge(const spVec4* a, const spLanesAt* at)
{
    RVec3 edges[3];
    spGatherEdges(a, at->nodes, edges);
    return spMakeHinge(edges);
}

SP_KERNEL void spEvaluateBends(const spElementUse* use, int law, bool damped, const spLanesAt* at, RVec3* f)
{
    SP_UNUSED(law);
    spHingeData h = spLoadHinges(use, at);
    spHingeVectors d = spGatherHinge(use->state->x, at), v = d;
    if (damped)
    {
        v = spGatherHinge(use->state->v, at);
    }
    spHingeVectors forces = spGetHingeForces(&d, damped ? &v : NULL, &h);
    spBalanceHinge(&forces, f);
}

static void spAddBendForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spBendSet* set = (const spBendSet*)base;
    spElementUse use = {.set = base, .blocks = &set->blocks, .state = state};
    set->damping > 0 ? spAddElements(&use, 4, patch, spEvaluateBends, 0, true, f)
                     : spAddElements(&use, 4, patch, spEvaluateBends, 0, false, f);
}

SP_KERNEL void spEvaluateBendDifference(const spElementUse* use, int law, bool project, const spLanesAt* at,
                                        RVec3* f)
{
    SP_UNUSED(law);
    spHingeData h = spLoadHinges(use, at);
    spHingeVectors d = spGatherHinge(use->state->x, at);
    spHingeVectors dx = spGatherHinge(use->difference->dx, at), dv = spGatherHinge(use->difference->dv, at);
    spHingeVectors forces = spGetHingeDifference(&d, &dx, &dv, &h, project);
    spBalanceHinge(&forces, f);
}

static void spAddBendDifference(const spElementSet* base, const spNodeState* state,
                                const spDifference* difference, int patch, spVec4* df)
{
    const spBendSet* set = (const spBendSet*)base;
    spElementUse use = {.set = base, .blocks = &set->blocks, .state = state, .difference = difference};
    spAddElements(&use, 4, patch, spEvaluateBendDifference, 0, difference->project, df);
}

SP_KERNEL void spWriteBendPairs(const spElementUse* use, int law, bool project, const spLanesAt* at,
                                spVec4* to)
{
    SP_UNUSED(law);
    spHingeData h = spLoadHinges(use, at);
    h.k = spSplat(use->fill->stiffness) * h.k;
    h.c = spSplat(use->fill->damping) * h.c;
    spHingeVectors d = spGatherHinge(use->state->x, at);
    RMat3 axes = spMakeDiagonalR(spSplat(1)), none = spMakeDiagonalR(spSplat(0));
    spPairLanes all;
    for (int j = 1; j < 4; ++j)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            spHingeVectors unit = spMakeHinge(&none.cx);
            (&unit.e)[j - 1] = (&axes.cx)[axis];
            spHingeVectors f = spGetHingeDifference(&d, &unit, &unit, &h, project);
            spSetPairColumn(&all, j, axis, &f.e);
        }
    }
    spStorePairs(&all, at->nodes, to);
}

static void spFillBendPairs(const spElementSet* base, const spNodeState* state, const spFill* fill, int patch,
                            spVec4* pairs)
{
    const spBendSet* set = (const spBendSet*)base;
    spElementUse use = {.set = base, .blocks = &set->blocks, .state = state, .fill = fill};
    spWriteElements(&use, 4, patch, 18, spWriteBendPairs, 0, fill->project || fill->bound, pairs);
}

static const spConstraintKind* spGetBendRows(const spElementSet* base, bool energy)
{
    SP_UNUSED(base);
    SP_UNUSED(energy);
    return &SP_LANES_NAME(spBendRows);
}

const spElementKind SP_LANES_NAME(spBendKind) = {
    .name = "bend",
    .flags = sp_kindConservative,
    .addForces = spAddBendForces,
    .addDifference = spAddBendDifference,
    .getRows = spGetBendRows,
    .getEnergy = spGetBendSetEnergy,
    .getStiffness = spGetBendStiffness,
    .getPairForm = spGetBlockForm,
    .fillPairs = spFillBendPairs,
    .isDamped = spIsBendSetDamped,
    .addBounds = spAddBendSetBounds,
    .getBlocks = spGetBendBlocks,
    .remap = spRemapBendSet,
    .destroy = spDestroyBendSet,
};
