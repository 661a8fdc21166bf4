// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Triangles in the wind for SP_LANES lanes: what the loops of element_loop.h call, and the table of that width.

#include "element/element_loop.h"
#include "element/wind.h"
#include "element/wind_kernel.h"

#define SP_THIRD ((spReal)(1.0 / 3.0))

SP_KERNEL spWindFluid spGetWindFluid(const spElementSet* base, const spNodeState* state)
{
    const spWindDef* def = &((const spWindSet*)base)->def;
    spVec3 velocity = spGetWindVelocity((const spWindSet*)base, state->time);
    spWindFluid fluid;
    fluid.velocity = spMakeVecR(spSplat(velocity.x), spSplat(velocity.y), spSplat(velocity.z));
    fluid.normal = spSplat((spReal)0.25 * def->density * def->normalDrag);
    fluid.tangent = spSplat((spReal)0.25 * def->density * def->tangentDrag);
    return fluid;
}

SP_KERNEL RVec3 spGatherMean(const spVec4* a, const int32_t* nodes)
{
    return spScaleR(spSplat(SP_THIRD), spGatherSum(a, nodes));
}

SP_KERNEL spWindShape spGatherWind(const spElementUse* use, const int32_t* nodes)
{
    const spWindFluid* fluid = use->own;
    RVec3 e1 = spGatherDifference(use->state->x, nodes, nodes + SP_BLOCK);
    RVec3 e2 = spGatherDifference(use->state->x, nodes, nodes + 2 * SP_BLOCK);
    return spGetWindShape(e1, e2, spSubR(fluid->velocity, spGatherMean(use->state->v, nodes)),
                          ((const spWindSet*)use->set)->def.oneSided);
}

// A third of the force on each node
SP_KERNEL void spShareThirds(RVec3 force, RVec3* f)
{
    f[0] = spScaleR(spSplat(SP_THIRD), force);
    f[1] = f[0];
    f[2] = f[0];
}

SP_KERNEL void spEvaluateWind(const spElementUse* use, int law, bool flag, const spLanesAt* at, RVec3* f)
{
    SP_UNUSED(law);
    SP_UNUSED(flag);
    spWindShape s = spGatherWind(use, at->nodes);
    spShareThirds(spGetWindForce(&s, use->own), f);
}

static void spAddWindForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    spWindFluid fluid = spGetWindFluid(base, state);
    spElementUse use = {
        .set = base, .blocks = &((const spWindSet*)base)->blocks, .state = state, .own = &fluid};
    spAddElements(&use, 3, patch, spEvaluateWind, 0, false, f);
}

// The change with the velocities. That with the positions is left out: it is small beside that of any elastic
// force, and has no symmetric matrix. Projected, every node feels its own velocity instead of the mean of
// three, which is never less.
SP_KERNEL void spEvaluateWindDifference(const spElementUse* use, int law, bool project, const spLanesAt* at,
                                        RVec3* f)
{
    SP_UNUSED(law);
    const spVec4* dv = use->difference->dv;
    spWindShape s = spGatherWind(use, at->nodes);
    if (project == false)
    {
        RVec3 dw = spScaleR(spSplat(-1), spGatherMean(dv, at->nodes));
        spShareThirds(spGetWindDifference(&s, dw, use->own), f);
        return;
    }
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        RVec3 dw = spScaleR(spSplat(-SP_THIRD), spGatherNodes(dv, at->nodes + k * SP_BLOCK, NULL));
        f[k] = spGetWindDifference(&s, dw, use->own);
    }
}

static void spAddWindDifference(const spElementSet* base, const spNodeState* state,
                                const spDifference* difference, int patch, spVec4* df)
{
    spWindFluid fluid = spGetWindFluid(base, state);
    spElementUse use = {.set = base,
                        .blocks = &((const spWindSet*)base)->blocks,
                        .state = state,
                        .difference = difference,
                        .own = &fluid};
    spAddElements(&use, 3, patch, spEvaluateWindDifference, 0, difference->project, df);
}

const spElementKind SP_LANES_NAME(spWindKind) = {
    .name = "wind",
    .flags = sp_kindSteep,
    .addForces = spAddWindForces,
    .addDifference = spAddWindDifference,
    .addDiagonal = spAddWindDiagonal,
    .getEnergy = spGetWindEnergy,
    .addBounds = spAddWindBounds,
    .getBlocks = spGetWindBlocks,
    .remap = spRemapWindSet,
    .destroy = spDestroyWindSet,
};

// ---- one element, in one translation unit ----

#if SP_LANES == 1

void spAddWindDiagonal(const spElementSet* base, const spNodeState* state, const spFill* fill,
                       spMat3* diagonal)
{
    spWindFluid fluid = spGetWindFluid(base, state);
    spElementUse use = {
        .set = base, .blocks = &((const spWindSet*)base)->blocks, .state = state, .own = &fluid};
    const spFollow* follow = &((const spWindSet*)base)->follow;
    const int32_t* triangles = ((const spWindSet*)base)->triangles;
    R third = fill->damping * SP_THIRD;
    const RVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < base->elementCount; ++i)
    {
        if (spGetPart(follow, i) == 0)
        {
            continue;
        }
        int32_t nodes[3 * SP_BLOCK];
        for (int k = 0; k < 3; ++k)
        {
            nodes[k * SP_BLOCK] = 4 * triangles[3 * (size_t)i + (size_t)k];
        }
        spWindShape s = spGatherWind(&use, nodes);
        RMat3 block = {spGetWindDifference(&s, axes[0], use.own), spGetWindDifference(&s, axes[1], use.own),
                       spGetWindDifference(&s, axes[2], use.own)};
        for (int k = 0; k < 3; ++k)
        {
            spMat3* sum = diagonal + triangles[3 * (size_t)i + (size_t)k];
            *sum = spMulAddMat3(*sum, third, spGetMatLane(&block, 0));
        }
    }
}

#endif
