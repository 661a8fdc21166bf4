// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Included once per level by precise<n>.c, which names its function by the lanes that others have there: of double
// half as many fit. From here on spReal is double, so that the kernels are over double; what
// lies in memory was declared before, and keeps its precision.

#include "element/tet_precise.h"

typedef spReal spStoredReal;
#define spReal double
#ifndef SOUPLE_DOUBLE_PRECISION
#define SOUPLE_DOUBLE_PRECISION
#endif

#include "element/tet_kernel.h"

typedef double spWideQuad __attribute__((vector_size(4 * sizeof(double))));

SP_KERNEL spWideQuad spWidenAt(const spVec4* a, size_t node)
{
    return __builtin_convertvector(((const spQuadMemory*)a)[node], spWideQuad);
}

// Edges of the lanes from the first node; remainder 0: there are none
SP_KERNEL void spGatherWideEdges(const spVec4* a, int remainder, const int32_t* offsets, RVec3* edges)
{
    SP_ALIGNAS(sizeof(R)) double lanes[3][3][SP_LANES];
    for (int lane = 0; lane < SP_LANES; ++lane)
    {
        spWideQuad n[4];
        SP_UNROLL
        for (int k = 0; k < 4; ++k)
        {
            size_t node = (size_t)offsets[k * SP_BLOCK + lane] / 4;
            n[k] = spWidenAt(a, node);
            n[k] = remainder > 0 ? n[k] + spWidenAt(a, node + (size_t)remainder) : n[k];
        }
        SP_UNROLL
        for (int k = 0; k < 3; ++k)
        {
            spWideQuad edge = n[k + 1] - n[0];
            lanes[k][0][lane] = edge[0];
            lanes[k][1][lane] = edge[1];
            lanes[k][2][lane] = edge[2];
        }
    }
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        edges[k] = spMakeVecR(spLoad(lanes[k][0]), spLoad(lanes[k][1]), spLoad(lanes[k][2]));
    }
}

// Numbers in memory of either precision
SP_KERNEL R spWidenNumbers(const spStoredReal* numbers)
{
    SP_ALIGNAS(sizeof(R)) double lanes[SP_LANES];
    for (int lane = 0; lane < SP_LANES; ++lane)
    {
        lanes[lane] = (double)numbers[lane];
    }
    return spLoad(lanes);
}

SP_KERNEL spTetData spLoadPreciseTets(const spTetSet* set, int block, int lane)
{
    const double* data = set->preciseData + (size_t)block * SP_TET_DATA * SP_BLOCK + lane;
    const spStoredReal* moduli = set->moduli + (size_t)block * (size_t)set->materialStride + lane;
    spTetData t;
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        t.rows[k] =
            spMakeVecR(spGetNumber(data, 3 * k), spGetNumber(data, 3 * k + 1), spGetNumber(data, 3 * k + 2));
    }
    t.volume = spGetNumber(data, 9);
    t.material.mu = spWidenNumbers(moduli);
    t.material.la = spWidenNumbers(moduli + SP_BLOCK);
    t.material.mooney = spSplat((double)set->mooney);
    return t;
}

SP_KERNEL RMat3 spGatherPreciseGradient(const spTetData* t, const spVec4* a, int remainder,
                                        const int32_t* offsets)
{
    RVec3 edges[3];
    spGatherWideEdges(a, remainder, offsets, edges);
    return spMakeGradient(t->rows, edges);
}

// a[slots of node k] += f[k], rounded
SP_KERNEL void spAddRoundedForces(const int32_t* slots, const RVec3* f, spVec4* to)
{
    for (int k = 0; k < 4; ++k)
    {
        for (int lane = 0; lane < SP_LANES; ++lane)
        {
            spQuadMemory* node = (spQuadMemory*)to + slots[k * SP_BLOCK + lane] / 4;
            *node += (spQuad){(spStoredReal)spGetLane(f[k].x, lane), (spStoredReal)spGetLane(f[k].y, lane),
                              (spStoredReal)spGetLane(f[k].z, lane), 0};
        }
    }
}

SP_KERNEL void spAddPreciseLaw(const spTetSet* set, spTetLaw law, const spNodeState* state, int patch,
                               spVec4* to)
{
    const spBlocks* blocks = &set->blocks;
    for (int i = blocks->patchBlock[patch] * SP_BLOCK; i < blocks->patchBlock[patch + 1] * SP_BLOCK;
         i += SP_LANES)
    {
        int block = i / SP_BLOCK, lane = i % SP_BLOCK;
        const int32_t* offsets = blocks->nodes + (size_t)block * 4 * SP_BLOCK + lane;
        spTetData t = spLoadPreciseTets(set, block, lane);
        t.material.mu = t.volume * t.material.mu;
        t.material.la = t.volume * t.material.la;
        RMat3 gradient = spGatherPreciseGradient(&t, state->x, state->remainder, offsets);
        RMat3 p = spGetTetStress(law, gradient, t.material);
        if (set->damping > 0)
        {
            bool viscous = set->dampingModel == sp_dampStrainRate;
            RMat3 rate = spGatherPreciseGradient(&t, state->v, 0, offsets);
            spTetMaterial damping = t.material;
            damping.mu = spSplat((double)set->damping) * damping.mu;
            damping.la = spSplat((double)set->damping) * damping.la;
            p = spAddMatR(p, viscous ? spGetDampingStress(law, true, gradient, rate, damping)
                                     : spGetDampingStress(law, false, gradient, rate, damping));
        }
        RVec3 f[4];
        spGetStressForces(t.rows, p, f);
        spAddRoundedForces(spGetBlockSlots(blocks, block) + lane, f, to);
    }
}

void SP_PRECISE_NAME(spAddPreciseTets)(const spTetSet* set, const spNodeState* state, int patch, spVec4* f)
{
#define SP_RUN_PRECISE(law)                                                                                  \
    case law:                                                                                                \
        spAddPreciseLaw(set, law, state, patch, f);                                                          \
        break
    switch (set->law)
    {
        SP_RUN_PRECISE(sp_tetLinear);
        SP_RUN_PRECISE(sp_tetCorotational);
        SP_RUN_PRECISE(sp_tetStVenantKirchhoff);
        SP_RUN_PRECISE(sp_tetHybrid);
        SP_RUN_PRECISE(sp_tetNeoHookean);
        SP_RUN_PRECISE(sp_tetMooneyRivlin);
        default:
            break;
    }
#undef SP_RUN_PRECISE
}

#if SP_LANES == 1

double spGetPreciseTetEnergy(const spTetSet* set, const spNodeState* state)
{
    const spBlocks* blocks = &set->blocks;
    double energy = 0.0;
    for (int i = 0; i < blocks->patchBlock[blocks->patchCount] * SP_BLOCK; ++i)
    {
        if (blocks->elements[i] >= 0)
        {
            int block = i / SP_BLOCK, lane = i % SP_BLOCK;
            const int32_t* offsets = blocks->nodes + (size_t)block * 4 * SP_BLOCK + lane;
            spTetData t = spLoadPreciseTets(set, block, lane);
            RMat3 gradient = spGatherPreciseGradient(&t, state->x, state->remainder, offsets);
            RVec3 n = spGetEnergyNumbers(set->law, gradient, t.material);
            energy += t.volume * spGetDensityOf(set, n.x, n.y, n.z, t.material.mu, t.material.la);
        }
    }
    return energy;
}

spPreciseForcesFcn* spPickPreciseForces(int laneCount)
{
#ifdef SOUPLE_DISABLE_SIMD
    SP_UNUSED(laneCount);
    return spAddPreciseTets1;
#else
    return laneCount >= 8 ? spAddPreciseTets8 : laneCount >= 4 ? spAddPreciseTets4 : spAddPreciseTets1;
#endif
}

#endif
