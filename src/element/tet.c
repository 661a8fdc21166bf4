// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/tet.h"

#include "math/decompose.h"
#include "math/vec3.h"

#include <string.h>

void spGetLame(double youngModulus, double poissonRatio, double* lambda, double* mu)
{
    *lambda = youngModulus * poissonRatio / ((1.0 + poissonRatio) * (1.0 - 2.0 * poissonRatio));
    *mu = youngModulus / (2.0 * (1.0 + poissonRatio));
}

void spFillTetMaterial(spTetSet* set)
{
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK;
    set->materialStride = 0;
    for (size_t i = 0; i < size; ++i)
    {
        // Empty lanes write to a trash slot, so any numbers do: those of the first tet
        int element = set->blocks.elements[i];
        const spTet* tet = set->tets + (element < 0 ? 0 : element);
        double lambda, mu;
        spGetLame((double)tet->youngModulus, (double)tet->poissonRatio, &lambda, &mu);
        spReal* place = set->moduli + i / SP_BLOCK * 2 * SP_BLOCK + i % SP_BLOCK;
        place[0] = (spReal)mu;
        place[SP_BLOCK] = (spReal)lambda;
        if (place[0] != set->moduli[0] || place[SP_BLOCK] != set->moduli[SP_BLOCK])
        {
            set->materialStride = 2 * SP_BLOCK;
        }
    }
}

// The frame of the first two edges: the axes along them, in columns
static spMat3 spMakeEdgeFrame(spVec3 a, spVec3 b)
{
    spVec3 x = spNormalize3(a);
    spVec3 z = spNormalize3(spCross3(a, b));
    return spMakeMat3(x, spCross3(z, x), z);
}

// Inverse edges and volume of each element, then the blocks
static void spFillTetShapes(spTetSet* set, const spVec4* x)
{
    for (int i = 0; i < set->base.elementCount; ++i)
    {
        const int32_t* n = set->tets[i].nodes;
        spVec3 a = spXyz(x[n[0]]);
        spMat3 edges =
            spMakeMat3(spSub3(spXyz(x[n[1]]), a), spSub3(spXyz(x[n[2]]), a), spSub3(spXyz(x[n[3]]), a));
        set->volumes[i] = (spReal)(spDeterminant3(edges) / 6.0);
        if (set->law == sp_tetCorotationalEdge)
        {
            edges = spMulTMat3(spMakeEdgeFrame(edges.cx, edges.cy), edges);
        }
        spInvertMat3(edges, set->inverses + i);
    }
    for (int i = 0; i < set->blocks.blockCount * SP_BLOCK; ++i)
    {
        int element = set->blocks.elements[i];
        element = element < 0 ? 0 : element;
        const spMat3* b = set->inverses + element;
        spReal* place = set->data + (size_t)(i / SP_BLOCK) * SP_TET_DATA * SP_BLOCK + i % SP_BLOCK;
        const spReal numbers[SP_TET_DATA] = {b->cx.x, b->cy.x, b->cz.x, b->cx.y, b->cy.y,
                                             b->cz.y, b->cx.z, b->cy.z, b->cz.z, set->volumes[element]};
        for (int k = 0; k < SP_TET_DATA; ++k)
        {
            place[k * SP_BLOCK] = numbers[k];
        }
    }
}

spTetSet* spCreateTetSet(spHeap* heap, const spTetSetDef* def)
{
    spTetSet* set = spAllocZeroed(heap, sizeof(spTetSet));
    if (set == NULL)
    {
        return NULL;
    }
    int count = def->tetCount;
    set->base.kind = SP_PICK_KIND(def->laneCount, spTetKind);
    set->base.elementCount = count;
    set->base.stiffens =
        def->law == sp_tetStVenantKirchhoff || def->law == sp_tetNeoHookean || def->law == sp_tetMooneyRivlin;
    set->base.constant = def->law == sp_tetLinear || def->law == sp_tetHybrid;
    set->law = def->law;
    set->dampingModel = def->dampingModel;
    set->damping = def->damping;
    set->mooney = def->mooney;

    size_t nodeSize = spArraySize(count, 4 * sizeof(int32_t));
    int32_t* nodes = spAlloc(heap, nodeSize);
    set->tets = spAlloc(heap, spArraySize(count, sizeof(spTet)));
    set->inverses = spAlloc(heap, spArraySize(count, sizeof(spMat3)));
    set->volumes = spAlloc(heap, spArraySize(count, sizeof(spReal)));
    bool ok = nodes != NULL && set->tets != NULL && set->inverses != NULL && set->volumes != NULL;
    if (ok)
    {
        memcpy(set->tets, def->tets, (size_t)count * sizeof(spTet));
        for (int i = 0; i < count; ++i)
        {
            memcpy(nodes + 4 * (size_t)i, def->tets[i].nodes, sizeof(def->tets[i].nodes));
        }
        ok = spBuildBlocks(&set->blocks, heap, nodes, count, 4, def->patchBegin, def->patchCount);
    }
    spFree(heap, nodes);
    if (ok)
    {
        int blocks = set->blocks.blockCount;
        set->data = spAlloc(heap, spArraySize(blocks, SP_TET_DATA * SP_BLOCK * sizeof(spReal)));
        set->moduli = spAlloc(heap, spArraySize(blocks, 2 * SP_BLOCK * sizeof(spReal)));
        ok = set->data != NULL && set->moduli != NULL;
    }
    if (ok == false)
    {
        spDestroyTetSet(&set->base, heap);
        return NULL;
    }
    spFillTetShapes(set, def->x);
    spFillTetMaterial(set);
    return set;
}

void spDestroyTetSet(spElementSet* base, spHeap* heap)
{
    spTetSet* set = (spTetSet*)base;
    spFree(heap, set->tets);
    spFree(heap, set->inverses);
    spFree(heap, set->volumes);
    spFree(heap, set->data);
    spFree(heap, set->moduli);
    spFreeBlocks(&set->blocks, heap);
    spFree(heap, set);
}

bool spIsTetSetDamped(const spElementSet* base)
{
    return ((const spTetSet*)base)->damping > 0;
}

spBlocks* spGetTetBlocks(spElementSet* base)
{
    return &((spTetSet*)base)->blocks;
}

// Laws whose stiffness is that of Hooke's law or of the hybrid in a frame of the element, damping included
spPairForm spGetTetPairForm(const spElementSet* base, const spFill* fill)
{
    const spTetSet* set = (const spTetSet*)base;
    bool damped = set->damping > 0 && fill->damping > 0;
    switch (set->law)
    {
        case sp_tetLinear:
        case sp_tetHybrid:
            return sp_pairsGradients; // in every case
        case sp_tetCorotational:
        case sp_tetCorotationalEdge:
        {
            bool frozen = fill->project || set->law == sp_tetCorotationalEdge;
            bool same = damped == false || set->dampingModel == sp_dampRayleigh;
            return fill->bound || (frozen && same && fill->blocks == false) ? sp_pairsGradients
                                                                            : sp_pairsBlocks;
        }
        default:
            return fill->bound ? sp_pairsGradients : sp_pairsBlocks;
    }
}

spGradientForm spGetGradientForm(const spTetSet* set, const spFill* fill)
{
    spReal k = fill->stiffness, d = fill->damping * set->damping;
    if (fill->bound)
    {
        // The most is for a change of size, 2 mu + 3 lambda
        return (spGradientForm){.aMu = 2 * (k + d), .aLa = 3 * (k + d)};
    }
    if (set->law == sp_tetHybrid)
    {
        // Its strain-rate damping is that of Hooke's law
        spReal same = set->dampingModel == sp_dampRayleigh ? d : 0, hooke = d - same;
        k += same;
        return (spGradientForm){.aMu = k + hooke, .b = hooke / (k + hooke), .cMu = k, .cLa = k + hooke};
    }
    return (spGradientForm){.aMu = k + d, .b = 1, .cLa = k + d};
}

spReal spGetTetGradientFactor(const spElementSet* base, const spFill* fill)
{
    return spGetGradientForm((const spTetSet*)base, fill).b;
}

// The largest stiffness for a change of F of size 1, in Pa, that the law can have at a deformation. The laws
// with rotations and without have that of rest.
static double spBoundModulus(const spTetSet* set, const spNodeState* state, int element, double lambda,
                             double mu)
{
    double rest = lambda + 2.0 * mu;
    if (set->law != sp_tetStVenantKirchhoff && set->law != sp_tetNeoHookean && set->law != sp_tetMooneyRivlin)
    {
        return rest;
    }
    spMat3 f = spGetTetGradient(set, state, element);
    double s2 = spGetLargestEigenvalue3(spMulTMat3(f, f)); // the largest stretch, squared
    double j = fabs(spDeterminant3(f)), s = sqrt(s2);
    switch (set->law)
    {
        case sp_tetStVenantKirchhoff:
            // F dE F^T, and dF times the stress where it pulls
            return rest * s2 + fmax(0.0, (0.5 * rest + lambda) * (s2 - 1.0));
        default:
        {
            double b = set->law == sp_tetMooneyRivlin ? mu * (double)set->mooney : 0.0;
            double m = 4.0 / 3.0 * (mu - b), bulk = lambda + 0.625 * m;
            return 1.5 * m + 4.0 * b * s2 + bulk * s2 * s2 + bulk * fabs(j - 1.0) * s +
                   (0.75 * m + 2.0 * b) * fabs(s - 1.0);
        }
    }
}

void spAddTetSetBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    // The stiffness of an element is bounded by four times its diagonal blocks, and those by modulus times
    // volume times the square of the gradient of the node
    const spTetSet* set = (const spTetSet*)base;
    for (int i = 0; i < base->elementCount; ++i)
    {
        const spTet* tet = set->tets + i;
        double lambda, mu;
        spGetLame((double)tet->youngModulus, (double)tet->poissonRatio, &lambda, &mu);
        double modulus = 4.0 * (double)set->volumes[i] * spBoundModulus(set, state, i, lambda, mu);
        spMat3 b = spTransposeMat3(set->inverses[i]);
        spVec3 gradients[4] = {spAdd3(spAdd3(b.cx, b.cy), b.cz), b.cx, b.cy, b.cz};
        for (int k = 0; k < 4; ++k)
        {
            spReal bound = (spReal)(modulus * (double)spLengthSquared3(gradients[k]));
            spMat3 block = spScaleMat3(bound, spIdentityMat3());
            int node = tet->nodes[k];
            bounds->stiffness[node] = spAddMat3(bounds->stiffness[node], block);
            bounds->damping[node] = spMulAddMat3(bounds->damping[node], set->damping, block);
        }
    }
}

spTetState spGetTetState(const spTetSet* set, const spNodeState* state, int element)
{
    spMat3 f = spGetTetGradient(set, state, element);
    spMat3 p = spGetTetStressOf(set, element, f);
    spTetState result = {.volumeRatio = (spReal)spDeterminant3(f)};
    spMat3 axes;
    bool small = set->law == sp_tetLinear || set->law == sp_tetHybrid;
    spMat3 stress = spSymmetricPart3(p), strain = spSubMat3(spSymmetricPart3(f), spIdentityMat3());
    if (small == false)
    {
        // Cauchy's stress P F^T / J; of an element without volume that of P alone
        double j = fabs(spDeterminant3(f));
        spMat3 green = spMulTMat3(f, f);
        strain = spScaleMat3((spReal)0.5, spSubMat3(green, spIdentityMat3()));
        stress = spSymmetricPart3(spMulMatT3(p, f));
        stress = spScaleMat3((spReal)(1.0 / fmax(j, 1e-6)), stress);
    }
    spDecomposeSymmetric3(stress, &axes, &result.principalStress);
    spDecomposeSymmetric3(strain, &axes, &result.principalStrain);
    spVec3 s = result.principalStress;
    double a = (double)s.x - s.y, b = (double)s.y - s.z, c = (double)s.z - s.x;
    result.vonMises = (spReal)sqrt(0.5 * (a * a + b * b + c * c));
    return result;
}
