// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The loops over blocks of springs for SP_LANES lanes, and the table of that width. Included once per width
// by spring_lanes<n>.c, which is compiled for the processor level that has them.

#include "math/lanes.h"

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
    const spReal* data = set->data + (size_t)block * 3 * SP_BLOCK + lane;
    spSpringLanes s;
    s.n0 = set->blocks.nodes + index;
    s.n1 = s.n0 + SP_BLOCK;
    s.s0 = set->blocks.slots + index;
    s.s1 = s.s0 + SP_BLOCK;
    s.rest = spLoad(data);
    s.k = spLoad(data + SP_BLOCK);
    s.c = spLoad(data + 2 * SP_BLOCK);
    return s;
}

static void spAddSpringForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spSpringSet* set = (const spSpringSet*)base;
    const spVec4* x = state->x;
    const spVec4* v = state->v;
    int begin = set->blocks.patchBlock[patch];
    int end = set->blocks.patchBlock[patch + 1];
    if (set->law == sp_springTension)
    {
        for (int block = begin; block < end; ++block)
        {
            for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
            {
                spSpringLanes s = spLoadSprings(set, block, lane);
                RVec3 d = spGatherDifference(x, s.n0, s.n1);
                RVec3 dv = spGatherDifference(v, s.n0, s.n1);
                spScatterPair(f, s.s0, s.s1, spGetTensionForce(d, dv, s.rest, s.k, s.c));
            }
        }
    }
    else if (set->damped)
    {
        for (int block = begin; block < end; ++block)
        {
            for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
            {
                spSpringLanes s = spLoadSprings(set, block, lane);
                RVec3 d = spGatherDifference(x, s.n0, s.n1);
                RVec3 dv = spGatherDifference(v, s.n0, s.n1);
                spScatterPair(f, s.s0, s.s1, spGetDampedSpringForce(d, dv, s.rest, s.k, s.c));
            }
        }
    }
    else
    {
        for (int block = begin; block < end; ++block)
        {
            for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
            {
                spSpringLanes s = spLoadSprings(set, block, lane);
                RVec3 d = spGatherDifference(x, s.n0, s.n1);
                spScatterPair(f, s.s0, s.s1, spGetSpringForce(d, s.rest, s.k));
            }
        }
    }
}

static void spAddSpringDifference(const spElementSet* base, const spNodeState* state, const spVec4* dx,
                                  const spVec4* dv, int patch, spVec4* df)
{
    const spSpringSet* set = (const spSpringSet*)base;
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spSpringLanes s = spLoadSprings(set, block, lane);
            RVec3 d = spGatherDifference(state->x, s.n0, s.n1);
            RVec3 ddx = spGatherDifference(dx, s.n0, s.n1);
            RVec3 ddv = spGatherDifference(dv, s.n0, s.n1);
            if (set->law == sp_springTension)
            {
                // A slack spring has no stiffness
                RMask taut = spGetSpringShape(d).length > s.rest;
                s.k = spSelect(taut, s.k, spSplat(0));
                s.c = spSelect(taut, s.c, spSplat(0));
            }
            spScatterPair(df, s.s0, s.s1, spGetSpringDifference(d, ddx, ddv, s.rest, s.k, s.c));
        }
    }
}

#define SP_JOIN_NAME(a, b) a##b
#define SP_KIND_NAME(lanes) SP_JOIN_NAME(spSpringKind, lanes)

const spElementKind SP_KIND_NAME(SP_LANES) = {
    .name = "spring",
    .flags = sp_kindConservative,
    .addForces = spAddSpringForces,
    .addDifference = spAddSpringDifference,
    .getEnergy = spGetSpringSetEnergy,
    .addBounds = spAddSpringSetBounds,
    .destroy = spDestroySpringSet,
};
