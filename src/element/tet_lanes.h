// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tetrahedra for SP_LANES lanes: what the loops of element_loop.h call, and the table of that width.

#include "element/element_loop.h"
#include "element/tet_kernel.h"
#include "element/tet_precise.h"
#include "element/tet_rows.h"

SP_KERNEL spTetData spLoadTets(const spElementUse* use, const spLanesAt* at)
{
    const spTetSet* set = (const spTetSet*)use->set;
    const spReal* data = set->data + (size_t)at->block * SP_TET_DATA * SP_BLOCK + at->lane;
    const spReal* moduli = set->moduli + (size_t)at->block * (size_t)set->materialStride + at->lane;
    spTetData t;
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        t.rows[k] =
            spMakeVecR(spGetNumber(data, 3 * k), spGetNumber(data, 3 * k + 1), spGetNumber(data, 3 * k + 2));
    }
    t.volume = spGetNumber(data, 9);
    t.material.mu = t.volume * spGetNumber(moduli, 0);
    t.material.la = t.volume * spGetNumber(moduli, 1);
    t.material.mooney = spSplat(set->mooney);
    return t;
}

SP_KERNEL RMat3 spGatherGradient(const spTetData* t, const spVec4* a, const spLanesAt* at)
{
    RVec3 edges[3];
    spGatherEdges(a, at->nodes, edges);
    return spMakeGradient(t->rows, edges);
}

// Adds the stress of the velocities v
SP_KERNEL RMat3 spAddDampingStress(RMat3 p, const spElementUse* use, spTetLaw law, RMat3 gradient,
                                   const spTetData* t, const spVec4* v, const spLanesAt* at)
{
    const spTetSet* set = (const spTetSet*)use->set;
    return spAddMatR(p, spGetDampingStress(law, set->dampingModel == sp_dampStrainRate, gradient,
                                           spGatherGradient(t, v, at),
                                           spScaleMaterial(t->material, set->damping)));
}

SP_KERNEL void spEvaluateTets(const spElementUse* use, int law, bool damped, const spLanesAt* at, RVec3* f)
{
    spTetData t = spLoadTets(use, at);
    RMat3 gradient = spGatherGradient(&t, use->state->x, at);
    RMat3 p = spGetTetStress((spTetLaw)law, gradient, t.material);
    if (damped)
    {
        p = spAddDampingStress(p, use, (spTetLaw)law, gradient, &t, use->state->v, at);
    }
    spGetStressForces(t.rows, p, f);
}

SP_KERNEL void spEvaluateTetDifference(const spElementUse* use, int law, bool project, const spLanesAt* at,
                                       RVec3* f)
{
    const spDifference* difference = use->difference;
    spTetData t = spLoadTets(use, at);
    RMat3 gradient = spGatherGradient(&t, use->state->x, at);
    RMat3 p = spGetTetDifference((spTetLaw)law, gradient, spGatherGradient(&t, difference->dx, at),
                                 t.material, project);
    if (((const spTetSet*)use->set)->damping > 0)
    {
        p = spAddDampingStress(p, use, (spTetLaw)law, gradient, &t, difference->dv, at);
    }
    spGetStressForces(t.rows, p, f);
}

// Law and flag are known before the loop
#define SP_RUN_LAW(law, evaluate, flag)                                                                      \
    case law:                                                                                                \
        flag ? spAddElements(use, 4, patch, evaluate, law, true, f)                                          \
             : spAddElements(use, 4, patch, evaluate, law, false, f);                                        \
        break

#define SP_RUN_LAWS(evaluate, flag)                                                                          \
    switch (set->law)                                                                                        \
    {                                                                                                        \
        SP_RUN_LAW(sp_tetLinear, evaluate, flag);                                                            \
        SP_RUN_LAW(sp_tetCorotational, evaluate, flag);                                                      \
        SP_RUN_LAW(sp_tetCorotationalEdge, evaluate, flag);                                                  \
        SP_RUN_LAW(sp_tetStVenantKirchhoff, evaluate, flag);                                                 \
        SP_RUN_LAW(sp_tetHybrid, evaluate, flag);                                                            \
        SP_RUN_LAW(sp_tetNeoHookean, evaluate, flag);                                                        \
        SP_RUN_LAW(sp_tetMooneyRivlin, evaluate, flag);                                                      \
        default:                                                                                             \
            break;                                                                                           \
    }

static void spAddTetForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spTetSet* set = (const spTetSet*)base;
    if (state->remainder > 0 && set->preciseData != NULL)
    {
        set->addPreciseForces(set, state, patch, f);
        return;
    }
    const spElementUse* use = &(spElementUse){.set = base, .blocks = &set->blocks, .state = state};
    SP_RUN_LAWS(spEvaluateTets, set->damping > 0)
}

static void spAddTetDifference(const spElementSet* base, const spNodeState* state,
                               const spDifference* difference, int patch, spVec4* f)
{
    const spTetSet* set = (const spTetSet*)base;
    const spElementUse* use =
        &(spElementUse){.set = base, .blocks = &set->blocks, .state = state, .difference = difference};
    SP_RUN_LAWS(spEvaluateTetDifference, difference->project)
}

SP_KERNEL void spWriteTetGradients(const spElementUse* use, int law, bool flag, const spLanesAt* at,
                                   spVec4* to)
{
    SP_UNUSED(flag);
    const spGradientForm* form = use->own;
    spTetData t = spLoadTets(use, at);
    R a = spSplat(form->aMu) * t.material.mu + spSplat(form->aLa) * t.material.la;
    R c = (spSplat(form->cMu) * t.material.mu + spSplat(form->cLa) * t.material.la) / a;
    RVec3 g[4];
    spGetTurnedGradients((spTetLaw)law, spGatherGradient(&t, use->state->x, at), t.rows, a, g);
    SP_UNROLL
    for (int k = 0; k < 4; ++k)
    {
        spStoreNodes(to + k, 4, g[k], c);
    }
}

SP_KERNEL void spWriteTetPairs(const spElementUse* use, int law, bool project, const spLanesAt* at,
                               spVec4* to)
{
    const spTetSet* set = (const spTetSet*)use->set;
    const spFill* fill = use->fill;
    spTetData t = spLoadTets(use, at);
    spTetSystem system = SP_ZERO_INIT;
    system.law = (spTetLaw)law;
    system.project = project;
    system.damped = set->damping > 0 && fill->damping > 0;
    system.viscous = set->dampingModel == sp_dampStrainRate;
    system.stiff = spScaleMaterial(t.material, fill->stiffness);
    system.damping = spScaleMaterial(t.material, fill->damping * set->damping);
    system.f = spGatherGradient(&t, use->state->x, at);
    spPrepareTetSystem(&system);
    spPairLanes all;
    for (int j = 0; j < 3; ++j)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            RVec3 f[4];
            spGetSystemColumn(&system, t.rows, t.rows[j], axis, f);
            spSetPairColumn(&all, j + 1, axis, f + 1);
        }
    }
    spStorePairs(&all, at->nodes, to);
}

SP_KERNEL void spRunGradients(const spElementUse* use, int patch, spVec4* pairs, spTetLaw law)
{
    spWriteElements(use, 4, patch, 4, spWriteTetGradients, law, false, pairs);
}

// Blocks are one function for all laws: choosing among them is nothing beside the arithmetic, and each of its
// own would take the compiler long
static void spFillTetPairs(const spElementSet* base, const spNodeState* state, const spFill* fill, int patch,
                           spVec4* pairs)
{
    const spTetSet* set = (const spTetSet*)base;
    spGradientForm form = spGetGradientForm(set, fill);
    spElementUse use = {.set = base, .blocks = &set->blocks, .state = state, .fill = fill, .own = &form};
    spTetLaw law = set->law;
    if (spGetTetPairForm(base, fill) != sp_pairsGradients)
    {
        spWriteElements(&use, 4, patch, 18, spWriteTetPairs, law, fill->project, pairs);
        return;
    }
    if (fill->bound == false && law == sp_tetCorotational)
    {
        spRunGradients(&use, patch, pairs, sp_tetCorotational);
    }
    else if (fill->bound == false && law == sp_tetCorotationalEdge)
    {
        spRunGradients(&use, patch, pairs, sp_tetCorotationalEdge);
    }
    else
    {
        spRunGradients(&use, patch, pairs, sp_tetLinear);
    }
}

SP_KERNEL void spEvaluateTetLevels(const spElementUse* use, int law, bool stress, const spLanesAt* at,
                                   RVec3* f)
{
    spTetData t = spLoadTets(use, at);
    f[0] = spGetTetLevel((spTetLaw)law, spGatherGradient(&t, use->state->x, at), &t, stress);
    f[1] = f[2] = f[3] = f[0];
}

// One function for all laws, as for pairs
static void spAddTetLevels(const spElementSet* base, const spNodeState* state, int patch, bool stress,
                           spVec4* levels)
{
    const spTetSet* set = (const spTetSet*)base;
    spElementUse use = {.set = base, .blocks = &set->blocks, .state = state};
    spAddElements(&use, 4, patch, spEvaluateTetLevels, (int)set->law, stress, levels);
}

// ---- what is read of each element ----

// Energy of an element for each volume, J/m^3, from its numbers: of rubber it is a small difference of large ones
static inline double spGetEnergyDensity(const spTetSet* set, spVec3 n, double mu, double la)
{
    return spGetDensityOf(set, (double)n.x, (double)n.y, (double)n.z, mu, la);
}

SP_KERNEL void spTakeTetEnergy(const spElementUse* use, size_t place, int element, spVec3 numbers, void* to)
{
    const spTetSet* set = (const spTetSet*)use->set;
    const spReal* moduli = set->moduli + place / SP_BLOCK * (size_t)set->materialStride + place % SP_BLOCK;
    *(double*)to += (double)set->volumes[element] *
                    spGetEnergyDensity(set, numbers, (double)moduli[0], (double)moduli[SP_BLOCK]);
}

SP_KERNEL spTetMaterial spLoadModuli(const spTetSet* set, const spLanesAt* at)
{
    const spReal* moduli = set->moduli + (size_t)at->block * (size_t)set->materialStride + at->lane;
    spTetMaterial m = {spGetNumber(moduli, 0), spGetNumber(moduli, 1), spSplat(set->mooney)};
    return m;
}

SP_KERNEL RVec3 spReadTetEnergy(const spElementUse* use, int law, const spLanesAt* at)
{
    spTetData t = spLoadTets(use, at);
    return spGetEnergyNumbers((spTetLaw)law, spGatherGradient(&t, use->state->x, at),
                              spLoadModuli((const spTetSet*)use->set, at));
}

// One function for all laws, as for pairs
static double spGetTetSetEnergy(const spElementSet* base, const spNodeState* state)
{
    const spTetSet* set = (const spTetSet*)base;
    if (state->remainder > 0 && set->preciseData != NULL)
    {
        return spGetPreciseTetEnergy(set, state);
    }
    spElementUse use = {.set = base, .blocks = &set->blocks, .state = state};
    double energy = 0.0;
    spReadElements(&use, 4, spReadTetEnergy, (int)set->law, spTakeTetEnergy, &energy);
    return energy;
}

SP_KERNEL RVec3 spReadTetStress(const spElementUse* use, int law, const spLanesAt* at)
{
    spTetData t = spLoadTets(use, at);
    RVec3 level = spGetTetLevel((spTetLaw)law, spGatherGradient(&t, use->state->x, at), &t, true);
    return spMakeVecR(level.x / t.volume, level.y, level.z);
}

SP_KERNEL void spTakeTetStress(const spElementUse* use, size_t place, int element, spVec3 numbers, void* to)
{
    SP_UNUSED(use);
    SP_UNUSED(place);
    ((spReal*)to)[element] = numbers.x;
}

static void spGetTetSetStress(const spElementSet* base, const spNodeState* state, spReal* stress)
{
    const spTetSet* set = (const spTetSet*)base;
    spElementUse use = {.set = base, .blocks = &set->blocks, .state = state};
    spReadElements(&use, 4, spReadTetStress, (int)set->law, spTakeTetStress, stress);
}

static const spConstraintKind* spGetTetRows(const spElementSet* base, bool energy)
{
    switch (((const spTetSet*)base)->law)
    {
        case sp_tetNeoHookean:
            return &SP_LANES_NAME(spNeoHookeanRows);
        case sp_tetMooneyRivlin:
            return &SP_LANES_NAME(spMooneyRows);
        case sp_tetHybrid:
            return &SP_LANES_NAME(spEnergyRows);
        case sp_tetCorotationalEdge:
            return &SP_LANES_NAME(spEdgeStrainRows);
        case sp_tetStVenantKirchhoff:
            return energy ? &SP_LANES_NAME(spEnergyRows) : &SP_LANES_NAME(spGreenRows);
        case sp_tetLinear:
            return energy ? &SP_LANES_NAME(spEnergyRows) : &SP_LANES_NAME(spLinearStrainRows);
        default:
            return energy ? &SP_LANES_NAME(spEnergyRows) : &SP_LANES_NAME(spPolarStrainRows);
    }
}

// The law of the edge frame alone is not conservative
const spElementKind SP_LANES_NAME(spTetKind) = {
    .name = "tet",
    .flags = sp_kindConservative,
    .bounded = true,
    .addForces = spAddTetForces,
    .addDifference = spAddTetDifference,
    .getStiffness = spGetTetStiffness,
    .getPairForm = spGetTetPairForm,
    .fillPairs = spFillTetPairs,
    .isDamped = spIsTetSetDamped,
    .getGradientFactor = spGetTetGradientFactor,
    .getRows = spGetTetRows,
    .addLevels = spAddTetLevels,
    .getEnergy = spGetTetSetEnergy,
    .getStress = spGetTetSetStress,
    .addBounds = spAddTetSetBounds,
    .getBlocks = spGetTetBlocks,
    .remap = spRemapTetSet,
    .destroy = spDestroyTetSet,
};

// ---- one element, in one translation unit ----

#if SP_LANES == 1

static RMat3 spWidenMat3(spMat3 a)
{
    return spMakeMatR(spMakeVecR(a.cx.x, a.cx.y, a.cx.z), spMakeVecR(a.cy.x, a.cy.y, a.cy.z),
                      spMakeVecR(a.cz.x, a.cz.y, a.cz.z));
}

static spTetMaterial spGetMaterialOf(const spTetSet* set, int element)
{
    double lambda, mu;
    const spTet* tet = set->tets + element;
    spGetLame((double)tet->youngModulus, (double)tet->poissonRatio, &lambda, &mu);
    return (spTetMaterial){(spReal)mu, (spReal)lambda, set->mooney};
}

spMat3 spGetTetGradient(const spTetSet* set, const spNodeState* state, int element)
{
    const int32_t* n = set->tets[element].nodes;
    spVec3 a = spXyz(state->x[n[0]]);
    spMat3 edges = spMakeMat3(spSub3(spXyz(state->x[n[1]]), a), spSub3(spXyz(state->x[n[2]]), a),
                              spSub3(spXyz(state->x[n[3]]), a));
    return spMulMat3(edges, set->inverses[element]);
}

spMat3 spGetTetStressOf(const spTetSet* set, int element, spMat3 gradient)
{
    RMat3 p = spGetTetStress(set->law, spWidenMat3(gradient), spGetMaterialOf(set, element));
    return spGetMatLane(&p, 0);
}

int spGetTetStiffness(const spElementSet* base, const spNodeState* state, int element, bool project,
                      int32_t* nodes, spMat3* blocks)
{
    const spTetSet* set = (const spTetSet*)base;
    spMat3 b = spTransposeMat3(set->inverses[element]); // its columns are the gradients of the nodes 1, 2, 3
    spVec3 gradients[4] = {
        spScale3(-1, spAdd3(spAdd3(b.cx, b.cy), b.cz)),
        b.cx,
        b.cy,
        b.cz,
    };
    RMat3 f = spWidenMat3(spGetTetGradient(set, state, element));
    spTetMaterial m = spScaleMaterial(spGetMaterialOf(set, element), set->volumes[element]);
    for (int j = 0; j < 4; ++j)
    {
        nodes[j] = set->tets[element].nodes[j];
        spVec3 columns[4][3];
        for (int axis = 0; axis < 3; ++axis)
        {
            spVec3 e = {axis == 0, axis == 1, axis == 2};
            RMat3 d = spWidenMat3(spOuter3(e, gradients[j]));
            RMat3 p = spGetTetDifference(set->law, f, d, m, project);
            for (int i = 0; i < 4; ++i)
            {
                columns[i][axis] = spMulMV3(spGetMatLane(&p, 0), gradients[i]);
            }
        }
        for (int i = 0; i < 4; ++i)
        {
            blocks[4 * i + j] = spMakeMat3(columns[i][0], columns[i][1], columns[i][2]);
        }
    }
    return 4;
}

#endif
