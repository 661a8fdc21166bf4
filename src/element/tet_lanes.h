// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The loops over blocks of tetrahedra for SP_LANES lanes, and the table of that width. Included once per
// width by lanes<n>.c, which is compiled for the processor level that has them.
//
//   F = D B     D the edges from node 0 in columns, B the inverse of the rest edges
//   force on node k = -V P b_k, b_k row k of B; node 0 takes the opposite of the sum

#include "math/lanes.h"

#include "element/pair_lanes.h"
#include "element/tet_law.h"
#include "element/tet_rows.h"

typedef struct spTetLanes
{
    const int32_t* nodes; // SP_BLOCK apart
    const int32_t* slots;
    RVec3 rows[3];          // of B
    spTetMaterial material; // times the volume
} spTetLanes;

SP_KERNEL spTetLanes spLoadTets(const spTetSet* set, int block, int lane)
{
    const spReal* data = set->data + (size_t)block * SP_TET_DATA * SP_BLOCK + lane;
    const spReal* moduli = set->moduli + (size_t)block * (size_t)set->materialStride + lane;
    spTetLanes t;
    t.nodes = set->blocks.nodes + (size_t)block * 4 * SP_BLOCK + lane;
    t.slots = spGetBlockSlots(&set->blocks, block) + lane;
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        t.rows[k] = (RVec3){spLoad(data + (3 * k) * SP_BLOCK), spLoad(data + (3 * k + 1) * SP_BLOCK),
                            spLoad(data + (3 * k + 2) * SP_BLOCK)};
    }
    R volume = spLoad(data + 9 * SP_BLOCK);
    t.material =
        (spTetMaterial){volume * spLoad(moduli), volume * spLoad(moduli + SP_BLOCK), spSplat(set->mooney)};
    return t;
}

// D B
SP_KERNEL RMat3 spMakeGradient(const spTetLanes* t, const RVec3* edges)
{
    RMat3 f;
    f.cx = spAddR(spAddR(spScaleR(t->rows[0].x, edges[0]), spScaleR(t->rows[1].x, edges[1])),
                  spScaleR(t->rows[2].x, edges[2]));
    f.cy = spAddR(spAddR(spScaleR(t->rows[0].y, edges[0]), spScaleR(t->rows[1].y, edges[1])),
                  spScaleR(t->rows[2].y, edges[2]));
    f.cz = spAddR(spAddR(spScaleR(t->rows[0].z, edges[0]), spScaleR(t->rows[1].z, edges[1])),
                  spScaleR(t->rows[2].z, edges[2]));
    return f;
}

SP_KERNEL RMat3 spGatherGradient(const spTetLanes* t, const spVec4* nodes)
{
    RVec3 edges[3];
    spGatherEdges(nodes, t->nodes, edges);
    return spMakeGradient(t, edges);
}

// Adds the forces of a stress that is multiplied by the volume already
SP_KERNEL void spScatterStress(const spTetLanes* t, RMat3 p, spVec4* f)
{
    RVec3 sum = {spSplat(0), spSplat(0), spSplat(0)};
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        RVec3 h = spMulMVR(p, t->rows[k]);
        sum = spAddR(sum, h);
        h = (RVec3){spSplat(0) - h.x, spSplat(0) - h.y, spSplat(0) - h.z};
        spScatterNode(f, t->slots + (k + 1) * SP_BLOCK, h);
    }
    spScatterNode(f, t->slots, sum);
}

SP_KERNEL spTetMaterial spScaleMaterial(spTetMaterial m, spReal s)
{
    m.mu = spSplat(s) * m.mu;
    m.la = spSplat(s) * m.la;
    return m;
}

// The stress of the velocities v, by the model of the set
SP_KERNEL RMat3 spGetDampingStress(const spTetSet* set, const spTetLanes* t, RMat3 gradient, const spVec4* v,
                                   spTetLaw law)
{
    RMat3 rate = spGatherGradient(t, v);
    spTetMaterial viscous = spScaleMaterial(t->material, set->damping);
    return set->dampingModel == sp_dampStrainRate ? spGetTetViscousStress(law, gradient, rate, viscous)
                                                  : spGetTetDifference(law, gradient, rate, viscous, true);
}

SP_KERNEL void spRunTets(const spTetSet* set, const spNodeState* state, int patch, spVec4* f, spTetLaw law,
                         bool damped)
{
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spTetLanes t = spLoadTets(set, block, lane);
            RMat3 gradient = spGatherGradient(&t, state->x);
            RMat3 p = spGetTetStress(law, gradient, t.material);
            if (damped)
            {
                p = spAddMatR(p, spGetDampingStress(set, &t, gradient, state->v, law));
            }
            spScatterStress(&t, p, f);
        }
    }
}

#define SP_RUN_LAW(law)                                                                                      \
    case law:                                                                                                \
        set->damping > 0 ? spRunTets(set, state, patch, f, law, true)                                        \
                         : spRunTets(set, state, patch, f, law, false);                                      \
        break

static void spAddTetForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spTetSet* set = (const spTetSet*)base;
    switch (set->law)
    {
        SP_RUN_LAW(sp_tetLinear);
        SP_RUN_LAW(sp_tetCorotational);
        SP_RUN_LAW(sp_tetCorotationalEdge);
        SP_RUN_LAW(sp_tetStVenantKirchhoff);
        SP_RUN_LAW(sp_tetHybrid);
        SP_RUN_LAW(sp_tetNeoHookean);
        SP_RUN_LAW(sp_tetMooneyRivlin);
        default:
            break;
    }
}

SP_KERNEL void spRunDifference(const spTetSet* set, const spNodeState* state, const spDifference* difference,
                               int patch, spVec4* df, spTetLaw law, bool project)
{
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spTetLanes t = spLoadTets(set, block, lane);
            RMat3 gradient = spGatherGradient(&t, state->x);
            RMat3 p =
                spGetTetDifference(law, gradient, spGatherGradient(&t, difference->dx), t.material, project);
            if (set->damping > 0)
            {
                p = spAddMatR(p, spGetDampingStress(set, &t, gradient, difference->dv, law));
            }
            spScatterStress(&t, p, df);
        }
    }
}

#define SP_RUN_DIFFERENCE(law)                                                                               \
    case law:                                                                                                \
        difference->project ? spRunDifference(set, state, difference, patch, df, law, true)                  \
                            : spRunDifference(set, state, difference, patch, df, law, false);                \
        break

static void spAddTetDifference(const spElementSet* base, const spNodeState* state,
                               const spDifference* difference, int patch, spVec4* df)
{
    const spTetSet* set = (const spTetSet*)base;
    switch (set->law)
    {
        SP_RUN_DIFFERENCE(sp_tetLinear);
        SP_RUN_DIFFERENCE(sp_tetCorotational);
        SP_RUN_DIFFERENCE(sp_tetCorotationalEdge);
        SP_RUN_DIFFERENCE(sp_tetStVenantKirchhoff);
        SP_RUN_DIFFERENCE(sp_tetHybrid);
        SP_RUN_DIFFERENCE(sp_tetNeoHookean);
        SP_RUN_DIFFERENCE(sp_tetMooneyRivlin);
        default:
            break;
    }
}

// E = -((g_i.g_j) I + b g_j g_i^T + c g_i g_j^T): gradients in the frame of the element, times the root of
// the volume and what stands before g_i.g_j
SP_KERNEL void spRunGradients(const spTetSet* set, const spNodeState* state, const spFill* fill, int patch,
                              spVec4* pairs, spTetLaw law)
{
    spGradientForm form = spGetGradientForm(set, fill);
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spTetLanes t = spLoadTets(set, block, lane);
            R a = spSplat(form.aMu) * t.material.mu + spSplat(form.aLa) * t.material.la;
            R c = (spSplat(form.cMu) * t.material.mu + spSplat(form.cLa) * t.material.la) / a;
            R scale = spSqrt(a), zero = spSplat(0);
            RMat3 r = {{scale, zero, zero}, {zero, scale, zero}, {zero, zero, scale}};
            if (law == sp_tetCorotational || law == sp_tetCorotationalEdge)
            {
                R trace;
                RMat3 f = spGatherGradient(&t, state->x);
                r = law == sp_tetCorotational ? spGetPolarRotationR(f, &trace) : spGetEdgeRotationR(f);
                r = spScaleMatR(scale, r);
            }
            spVec4* to = pairs + 4 * ((size_t)block * SP_BLOCK + (size_t)lane);
            RVec3 sum = {zero, zero, zero};
            SP_UNROLL
            for (int k = 0; k < 3; ++k)
            {
                RVec3 g = spMulMVR(r, t.rows[k]);
                sum = spAddR(sum, g);
                spStoreNodes(to + k + 1, 4, g, c);
            }
            spStoreNodes(to, 4, (RVec3){zero - sum.x, zero - sum.y, zero - sum.z}, c);
        }
    }
}

// Columns of E. One function for all laws: choosing among them is nothing beside the arithmetic, and each of
// its own would take the compiler long.
static void spRunPairs(const spTetSet* set, const spNodeState* state, const spFill* fill, int patch,
                       spVec4* pairs)
{
    spTetLaw law = set->law;
    bool project = fill->project;
    R zero = spSplat(0);
    bool prepared = project && spIsHyperelastic(law);
    bool damped = set->damping > 0 && fill->damping > 0;
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spTetLanes t = spLoadTets(set, block, lane);
            RMat3 gradient = spGatherGradient(&t, state->x);
            spTetMaterial stiff = spScaleMaterial(t.material, fill->stiffness);
            spTetMaterial viscous = spScaleMaterial(t.material, fill->damping * set->damping);
            spProjection projection;
            if (prepared)
            {
                projection = spMakeProjection(law, gradient, stiff);
            }
            // Rayleigh's damping is another share of the projected stiffness
            bool rayleigh = damped && set->dampingModel == sp_dampRayleigh;
            spProjection second;
            if (rayleigh && spIsHyperelastic(law))
            {
                second = spMakeProjection(law, gradient, viscous);
            }
            spPairLanes all;
            for (int j = 0; j < 3; ++j)
            {
                RVec3 b = t.rows[j];
                for (int axis = 0; axis < 3; ++axis)
                {
                    RVec3 columns[3] = {{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}};
                    (&columns[0].x)[axis] = b.x;
                    (&columns[1].x)[axis] = b.y;
                    (&columns[2].x)[axis] = b.z;
                    RMat3 d = {columns[0], columns[1], columns[2]};
                    RMat3 p = prepared ? spProjectDifference(&projection, d)
                                       : spGetTetDifference(law, gradient, d, stiff, project);
                    if (rayleigh)
                    {
                        p = spAddMatR(p, spIsHyperelastic(law)
                                             ? spProjectDifference(&second, d)
                                             : spGetTetDifference(law, gradient, d, viscous, true));
                    }
                    else if (damped)
                    {
                        p = spAddMatR(p, spGetTetViscousStress(law, gradient, d, viscous));
                    }
                    RVec3 forces[3];
                    for (int i = 0; i < 3; ++i)
                    {
                        RVec3 f = spMulMVR(p, t.rows[i]);
                        forces[i] = (RVec3){zero - f.x, zero - f.y, zero - f.z};
                    }
                    spSetPairColumn(&all, j + 1, axis, forces);
                }
            }
            spStorePairs(&all, t.nodes, pairs + 18 * ((size_t)block * SP_BLOCK + (size_t)lane));
        }
    }
}

static void spFillTetPairs(const spElementSet* base, const spNodeState* state, const spFill* fill, int patch,
                           spVec4* pairs)
{
    const spTetSet* set = (const spTetSet*)base;
    if (spGetTetPairForm(base, fill) == sp_pairsGradients)
    {
        if (fill->bound == false && set->law == sp_tetCorotational)
        {
            spRunGradients(set, state, fill, patch, pairs, sp_tetCorotational);
        }
        else if (fill->bound == false && set->law == sp_tetCorotationalEdge)
        {
            spRunGradients(set, state, fill, patch, pairs, sp_tetCorotationalEdge);
        }
        else
        {
            spRunGradients(set, state, fill, patch, pairs, sp_tetLinear);
        }
        return;
    }
    spRunPairs(set, state, fill, patch, pairs);
}

// Root of 3/2 of the square of the deviator
SP_KERNEL R spGetVonMisesR(RSym3 a)
{
    R x = a.xx - a.yy, y = a.yy - a.zz, z = a.zz - a.xx;
    return spSqrt(spHalf(x * x + y * y + z * z) + spSplat(3) * (a.xy * a.xy + a.xz * a.xz + a.yz * a.yz));
}

// Twice the symmetric part
SP_KERNEL RSym3 spGetTwiceSymmetricR(RMat3 a)
{
    R two = spSplat(2);
    return (RSym3){two * a.cx.x,    two * a.cy.y,    two * a.cz.z,
                   a.cy.x + a.cx.y, a.cz.x + a.cx.z, a.cz.y + a.cy.z};
}

// Cauchy's stress P F^T / J and Green's strain; P itself and the small strain for the laws of small strain.
// One function for all laws, as for pairs.
static void spAddTetLevels(const spElementSet* base, const spNodeState* state, int patch, bool stress,
                           spVec4* levels)
{
    const spTetSet* set = (const spTetSet*)base;
    bool small = set->law == sp_tetLinear || set->law == sp_tetHybrid;
    R third = spSplat((spReal)(1.0 / 3.0)), least = spSplat((spReal)1e-6);
    for (int block = set->blocks.patchBlock[patch]; block < set->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spTetLanes t = spLoadTets(set, block, lane);
            RMat3 f = spGatherGradient(&t, state->x);
            R volume = spLoad(set->data + ((size_t)block * SP_TET_DATA + 9) * SP_BLOCK + lane);
            RSym3 twiceStrain = small ? spGetTwiceSymmetricR(f) : spGramR(f);
            RVec3 level = {spSplat(0), volume * third * spGetVonMisesR(twiceStrain), volume};
            if (stress)
            {
                RMat3 p = spGetTetStress(set->law, f, t.material); // times the volume
                R j = spDotR(f.cx, spCrossR(f.cy, f.cz));
                R over = small ? spSplat(1) : spMax(spMax(j, spSplat(0) - j), least);
                p = small ? p : spMulMatTR(p, f);
                level.x = spHalf(spGetVonMisesR(spGetTwiceSymmetricR(p))) / over;
            }
            SP_UNROLL
            for (int k = 0; k < 4; ++k)
            {
                spScatterNode(levels, t.slots + k * SP_BLOCK, level);
            }
        }
    }
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
            return &SP_LANES_NAME(spStrainRows);
        case sp_tetStVenantKirchhoff:
            return energy ? &SP_LANES_NAME(spEnergyRows) : &SP_LANES_NAME(spGreenRows);
        default:
            return energy ? &SP_LANES_NAME(spEnergyRows) : &SP_LANES_NAME(spStrainRows);
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
    .addBounds = spAddTetSetBounds,
    .getBlocks = spGetTetBlocks,
    .remap = spRemapTetSet,
    .destroy = spDestroyTetSet,
};

// ---- one element, in one translation unit ----

#if SP_LANES == 1

static RMat3 spWidenMat3(spMat3 a)
{
    return (RMat3){{a.cx.x, a.cx.y, a.cx.z}, {a.cy.x, a.cy.y, a.cy.z}, {a.cz.x, a.cz.y, a.cz.z}};
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

// Energy of an element for each volume, J/m^3
static double spGetEnergyDensity(spTetLaw law, RMat3 f, spTetMaterial m)
{
    double mu = m.mu, la = m.la;
    RMat3 strain;
    switch (law)
    {
        case sp_tetHybrid:
        {
            RMat3 g = spAddDiagonalR(f, -1);
            double trace = spTraceR(g);
            return 0.5 * (mu * (double)spDotMatR(g, g) + (la + mu) * trace * trace);
        }
        case sp_tetCorotational:
        {
            R trace;
            strain = spSubMatR(f, spGetPolarRotationR(f, &trace));
            double t = (double)trace - 3.0;
            return mu * (double)spDotMatR(strain, strain) + 0.5 * la * t * t;
        }
        case sp_tetStVenantKirchhoff:
        {
            RSym3 e = spGetGreenStrainR(f); // twice
            double t = 0.5 * ((double)e.xx + (double)e.yy + (double)e.zz);
            double square = (double)e.xx * e.xx + (double)e.yy * e.yy + (double)e.zz * e.zz +
                            2.0 * ((double)e.xy * e.xy + (double)e.xz * e.xz + (double)e.yz * e.yz);
            return 0.25 * mu * square + 0.5 * la * t * t;
        }
        case sp_tetNeoHookean:
        case sp_tetMooneyRivlin:
        {
            RMat3 k = spCofactorR(f);
            double i1 = spDotMatR(f, f), i2 = spDotMatR(k, k), j = (double)spDotR(f.cx, k.cx) - 1.0;
            spInvariants n = spGetInvariants(law, m);
            double a = n.m, c2 = 0.5 * (double)n.b;
            return 0.5 * a * (i1 - 3.0 - log((i1 + 1.0) / 4.0)) + c2 * (i2 - 3.0) -
                   (0.75 * a + 4.0 * c2) * j + 0.5 * (double)n.bulk * j * j;
        }
        default:
            strain = law == sp_tetLinear ? f : spMulTMatR(spGetEdgeRotationR(f), f);
            strain = spAddDiagonalR(strain, -1);
            return 0.5 * (double)spDotMatR(strain, spLinearStressR(strain, m));
    }
}

double spGetTetSetEnergy(const spElementSet* base, const spNodeState* state)
{
    const spTetSet* set = (const spTetSet*)base;
    double energy = 0.0;
    for (int i = 0; i < base->elementCount; ++i)
    {
        RMat3 f = spWidenMat3(spGetTetGradient(set, state, i));
        energy += (double)set->volumes[i] * spGetEnergyDensity(set->law, f, spGetMaterialOf(set, i));
    }
    return energy;
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
