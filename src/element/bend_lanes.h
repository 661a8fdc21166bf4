// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The loops over blocks of hinges for SP_LANES lanes, and the table of that width. Included once per width by
// bend_lanes<n>.c, which is compiled for the processor level that has them.

#include "math/lanes.h"
#include "math/lanes_mat3.h"

#include "element/bend.h"
#include "element/bend_kernel.h"
#include "element/pair_lanes.h"

// Data of the lanes that start at `lane` of a block
SP_KERNEL spHingeData spLoadHinges(const spBendSet* set, int block, int lane)
{
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK;
    const spReal* data = set->data + (size_t)block * SP_BLOCK + (size_t)lane;
    R weight = spLoad(data + size);
    spHingeData h;
    h.rest = spLoad(data);
    h.k = spSplat(set->stiffness) * weight;
    h.c = spSplat(set->damping) * weight;
    h.fading = spLoad(data + 2 * size);
    return h;
}

SP_KERNEL spHingeVectors spGatherHinge(const spVec4* a, const int32_t* nodes)
{
    RVec3 edges[3];
    spGatherEdges(a, nodes, edges);
    return (spHingeVectors){edges[0], edges[1], edges[2]};
}

SP_KERNEL void spScatterHinge(spVec4* f, const int32_t* slots, const spHingeVectors* forces)
{
    RVec3 sum = spAddR(spAddR(forces->e, forces->a), forces->b);
    spScatterNode(f, slots, spScaleR(spSplat(-1), sum));
    spScatterNode(f, slots + SP_BLOCK, forces->e);
    spScatterNode(f, slots + 2 * SP_BLOCK, forces->a);
    spScatterNode(f, slots + 3 * SP_BLOCK, forces->b);
}

SP_KERNEL void spRunBends(const spBendSet* set, const spNodeState* state, int patch, spVec4* f, bool damped)
{
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        const int32_t* nodes = set->blocks.nodes + (size_t)block * 4 * SP_BLOCK;
        const int32_t* slots = spGetBlockSlots(&set->blocks, block);
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spHingeData h = spLoadHinges(set, block, lane);
            spHingeVectors d = spGatherHinge(state->x, nodes + lane);
            spHingeVectors forces;
            if (damped)
            {
                spHingeVectors v = spGatherHinge(state->v, nodes + lane);
                forces = spGetHingeForces(&d, &v, &h);
            }
            else
            {
                forces = spGetHingeForces(&d, NULL, &h);
            }
            spScatterHinge(f, slots + lane, &forces);
        }
    }
}

static void spAddBendForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spBendSet* set = (const spBendSet*)base;
    if (set->damping > 0)
    {
        spRunBends(set, state, patch, f, true);
    }
    else
    {
        spRunBends(set, state, patch, f, false);
    }
}

static void spAddBendDifference(const spElementSet* base, const spNodeState* state,
                                const spDifference* difference, int patch, spVec4* df)
{
    const spBendSet* set = (const spBendSet*)base;
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        const int32_t* nodes = set->blocks.nodes + (size_t)block * 4 * SP_BLOCK;
        const int32_t* slots = spGetBlockSlots(&set->blocks, block);
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spHingeData h = spLoadHinges(set, block, lane);
            spHingeVectors d = spGatherHinge(state->x, nodes + lane);
            spHingeVectors dx = spGatherHinge(difference->dx, nodes + lane);
            spHingeVectors dv = spGatherHinge(difference->dv, nodes + lane);
            spHingeVectors forces = spGetHingeDifference(&d, &dx, &dv, &h, difference->project);
            spScatterHinge(df, slots + lane, &forces);
        }
    }
}

static void spFillBendPairs(const spElementSet* base, const spNodeState* state, const spFill* fill, int patch,
                            spVec4* pairs)
{
    const spBendSet* set = (const spBendSet*)base;
    R zero = spSplat(0), one = spSplat(1);
    RVec3 none = {zero, zero, zero}, axes[3] = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        const int32_t* nodes = set->blocks.nodes + (size_t)block * 4 * SP_BLOCK;
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spHingeData h = spLoadHinges(set, block, lane);
            h.k = spSplat(fill->stiffness) * h.k;
            h.c = spSplat(fill->damping) * h.c;
            spHingeVectors d = spGatherHinge(state->x, nodes + lane);
            spPairLanes all;
            for (int j = 1; j < 4; ++j)
            {
                for (int axis = 0; axis < 3; ++axis)
                {
                    spHingeVectors unit = {none, none, none};
                    (&unit.e)[j - 1] = axes[axis];
                    spHingeVectors f =
                        spGetHingeDifference(&d, &unit, &unit, &h, fill->project || fill->bound);
                    spSetPairColumn(&all, j, axis, &f.e);
                }
            }
            spStorePairs(&all, nodes + lane, pairs + 18 * ((size_t)block * SP_BLOCK + (size_t)lane));
        }
    }
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
    .destroy = spDestroyBendSet,
};
