// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The loops over blocks of triangles in the wind for SP_LANES lanes, and the table of that width. Included
// once per width by lanes<n>.c, which is compiled for the processor level that has them.

#include "math/lanes.h"
#include "math/lanes_mat3.h"

#include "element/wind.h"
#include "element/wind_kernel.h"

// The sum of the three nodes of an element; nodes lie SP_BLOCK apart
SP_KERNEL spQuad spSumQuads(const spVec4* a, const int32_t* nodes)
{
    return spLoadQuad(a, nodes[0]) + spLoadQuad(a, nodes[SP_BLOCK]) + spLoadQuad(a, nodes[2 * SP_BLOCK]);
}

// Mean of the three nodes of each lane
SP_KERNEL RVec3 spGatherMean(const spVec4* a, const int32_t* nodes)
{
#if SP_LANES == 1
    spQuad sum = spSumQuads(a, nodes);
    RVec3 sums = {sum[0], sum[1], sum[2]};
#else
    R n[4];
    for (int k = 0; k < 4; ++k)
    {
        spQuad quads[SP_GROUPS];
        for (int g = 0; g < SP_GROUPS; ++g)
        {
            quads[g] = spSumQuads(a, nodes + 4 * g + k);
        }
        memcpy(&n[k], quads, sizeof(R));
    }
    RVec3 sums = spTransposeNodes(n[0], n[1], n[2], n[3]);
#endif
    return spScaleR(spSplat((spReal)(1.0 / 3.0)), sums);
}

SP_KERNEL spWindShape spGatherWind(const spWindSet* set, const spNodeState* state, const int32_t* nodes,
                                   RVec3 wind)
{
    RVec3 e1 = spGatherDifference(state->x, nodes, nodes + SP_BLOCK);
    RVec3 e2 = spGatherDifference(state->x, nodes, nodes + 2 * SP_BLOCK);
    return spGetWindShape(e1, e2, spSubR(wind, spGatherMean(state->v, nodes)), set->def.oneSided);
}

// A third of the force on each node
SP_KERNEL void spScatterThirds(spVec4* f, const int32_t* slots, RVec3 force)
{
    RVec3 third = spScaleR(spSplat((spReal)(1.0 / 3.0)), force);
    spScatterNode(f, slots, third);
    spScatterNode(f, slots + SP_BLOCK, third);
    spScatterNode(f, slots + 2 * SP_BLOCK, third);
}

// difference NULL: the forces, else their change with the velocities. That with the positions is left out: it
// is small beside that of any elastic force, and has no symmetric matrix. Projected, every node feels its own
// velocity instead of the mean of three, which is never less.
SP_KERNEL void spRunWind(const spWindSet* set, const spNodeState* state, const spDifference* difference,
                         int patch, spVec4* f)
{
    spVec3 velocity = spGetWindVelocity(set, state->time);
    RVec3 wind = {spSplat(velocity.x), spSplat(velocity.y), spSplat(velocity.z)};
    R normal = spSplat((spReal)0.25 * set->def.density * set->def.normalDrag);
    R tangent = spSplat((spReal)0.25 * set->def.density * set->def.tangentDrag);
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        const int32_t* nodes = set->blocks.nodes + (size_t)block * 3 * SP_BLOCK;
        const int32_t* slots = spGetBlockSlots(&set->blocks, block);
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spWindShape s = spGatherWind(set, state, nodes + lane, wind);
            if (difference == NULL)
            {
                spScatterThirds(f, slots + lane, spGetWindForce(&s, normal, tangent));
            }
            else if (difference->project)
            {
                for (int k = 0; k < 3; ++k)
                {
                    RVec3 dv = spGatherNodes(difference->dv, nodes + lane + k * SP_BLOCK, NULL);
                    RVec3 dw = spScaleR(spSplat((spReal)(-1.0 / 3.0)), dv);
                    spScatterNode(f, slots + lane + k * SP_BLOCK,
                                  spGetWindDifference(&s, dw, normal, tangent));
                }
            }
            else
            {
                RVec3 dw = spScaleR(spSplat(-1), spGatherMean(difference->dv, nodes + lane));
                spScatterThirds(f, slots + lane, spGetWindDifference(&s, dw, normal, tangent));
            }
        }
    }
}

static void spAddWindForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    spRunWind((const spWindSet*)base, state, NULL, patch, f);
}

static void spAddWindDifference(const spElementSet* base, const spNodeState* state,
                                const spDifference* difference, int patch, spVec4* df)
{
    spRunWind((const spWindSet*)base, state, difference, patch, df);
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
    .destroy = spDestroyWindSet,
};

// ---- one element, in one translation unit ----

#if SP_LANES == 1

void spAddWindDiagonal(const spElementSet* base, const spNodeState* state, const spFill* fill,
                       spMat3* diagonal)
{
    const spWindSet* set = (const spWindSet*)base;
    spVec3 velocity = spGetWindVelocity(set, state->time);
    RVec3 wind = {velocity.x, velocity.y, velocity.z};
    R normal = (spReal)0.25 * set->def.density * set->def.normalDrag;
    R tangent = (spReal)0.25 * set->def.density * set->def.tangentDrag;
    R third = fill->damping * (spReal)(1.0 / 3.0);
    const RVec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < base->elementCount; ++i)
    {
        int32_t nodes[3 * SP_BLOCK];
        for (int k = 0; k < 3; ++k)
        {
            nodes[k * SP_BLOCK] = 4 * set->triangles[3 * (size_t)i + (size_t)k];
        }
        spWindShape s = spGatherWind(set, state, nodes, wind);
        RMat3 block = {spGetWindDifference(&s, axes[0], normal, tangent),
                       spGetWindDifference(&s, axes[1], normal, tangent),
                       spGetWindDifference(&s, axes[2], normal, tangent)};
        for (int k = 0; k < 3; ++k)
        {
            spMat3* sum = diagonal + set->triangles[3 * (size_t)i + (size_t)k];
            *sum = spMulAddMat3(*sum, third, spGetMatLane(&block, 0));
        }
    }
}

#endif
