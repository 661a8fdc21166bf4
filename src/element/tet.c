// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/tet.h"

#include "element/relayout.h"
#include "element/tet_precise.h"
#include "math/decompose.h"
#include "math/vec3.h"

#include <string.h>

void spGetLame(double youngModulus, double poissonRatio, double* lambda, double* mu)
{
    *lambda = youngModulus * poissonRatio / ((1.0 + poissonRatio) * (1.0 - 2.0 * poissonRatio));
    *mu = youngModulus / (2.0 * (1.0 + poissonRatio));
}

// Material of blocks. Empty lanes write to a trash slot, so any numbers do: those of the first tet.
static void spFillModuli(const spTetSet* set, const int32_t* elements, int blockCount, spReal* moduli)
{
    for (int i = 0; i < blockCount * SP_BLOCK; ++i)
    {
        const spTet* tet = set->tets + (elements[i] < 0 ? 0 : elements[i]);
        double lambda, mu;
        spGetLame((double)tet->youngModulus, (double)tet->poissonRatio, &lambda, &mu);
        spReal* place = moduli + (size_t)(i / SP_BLOCK) * 2 * SP_BLOCK + i % SP_BLOCK;
        place[0] = (spReal)mu;
        place[SP_BLOCK] = (spReal)lambda;
    }
}

void spFillTetMaterial(spTetSet* set)
{
    size_t size = (size_t)set->blocks.blockCount * 2 * SP_BLOCK;
    spFillModuli(set, set->blocks.elements, set->blocks.blockCount, set->moduli);
    set->materialStride = 0;
    for (size_t i = 0; i < size; ++i)
    {
        if (set->moduli[i] != set->moduli[i / SP_BLOCK % 2 * SP_BLOCK])
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

// Rest data of blocks
static void spFillShapes(const spTetSet* set, const int32_t* elements, int blockCount, spReal* data)
{
    for (int i = 0; i < blockCount * SP_BLOCK; ++i)
    {
        int element = elements[i] < 0 ? 0 : elements[i];
        const spMat3* b = set->inverses + element;
        spReal* place = data + (size_t)(i / SP_BLOCK) * SP_TET_DATA * SP_BLOCK + i % SP_BLOCK;
        const spReal numbers[SP_TET_DATA] = {b->cx.x, b->cy.x, b->cz.x, b->cx.y, b->cy.y,
                                             b->cz.y, b->cx.z, b->cy.z, b->cz.z, set->volumes[element]};
        for (int k = 0; k < SP_TET_DATA; ++k)
        {
            place[k * SP_BLOCK] = numbers[k];
        }
    }
}

// The inverse of the rest edges of a tet, as its law has it. Returns its volume, m^3.
spReal spGetRestShape(spTetLaw law, const spVec4* x, const int32_t n[4], spMat3* inverse)
{
    spVec3 a = spXyz(x[n[0]]);
    spMat3 edges =
        spMakeMat3(spSub3(spXyz(x[n[1]]), a), spSub3(spXyz(x[n[2]]), a), spSub3(spXyz(x[n[3]]), a));
    spReal volume = (spReal)(spDeterminant3(edges) / 6.0);
    if (law == sp_tetCorotationalEdge)
    {
        edges = spMulTMat3(spMakeEdgeFrame(edges.cx, edges.cy), edges);
    }
    spInvertMat3(edges, inverse);
    return volume;
}

// Inverse edges and volume of each element, then the blocks
static void spFillTetShapes(spTetSet* set, const spVec4* x)
{
    for (int i = 0; i < set->base.elementCount; ++i)
    {
        set->volumes[i] = spGetRestShape(set->law, x, set->tets[i].nodes, set->inverses + i);
    }
    spFillShapes(set, set->blocks.elements, set->blocks.blockCount, set->data);
}

void spFillTetBlocks(spTetSet* set)
{
    spFillShapes(set, set->blocks.elements, set->blocks.blockCount, set->data);
    spFillTetMaterial(set);
}

// The same numbers from the same nodes in double precision
static void spFillPreciseShapes(spTetSet* set, const spVec4* x)
{
    for (int i = 0; i < set->blocks.blockCount * SP_BLOCK; ++i)
    {
        int element = set->blocks.elements[i] < 0 ? 0 : set->blocks.elements[i];
        const int32_t* n = set->tets[element].nodes;
        double e[3][3], c[3][3]; // edges, and the cross products of the other two
        for (int k = 0; k < 3; ++k)
        {
            spVec4 a = x[n[0]], b = x[n[k + 1]];
            e[k][0] = (double)b.x - (double)a.x;
            e[k][1] = (double)b.y - (double)a.y;
            e[k][2] = (double)b.z - (double)a.z;
        }
        for (int k = 0; k < 3; ++k)
        {
            const double *p = e[(k + 1) % 3], *q = e[(k + 2) % 3];
            c[k][0] = p[1] * q[2] - p[2] * q[1];
            c[k][1] = p[2] * q[0] - p[0] * q[2];
            c[k][2] = p[0] * q[1] - p[1] * q[0];
        }
        double determinant = e[0][0] * c[0][0] + e[0][1] * c[0][1] + e[0][2] * c[0][2];
        double* place = set->preciseData + (size_t)(i / SP_BLOCK) * SP_TET_DATA * SP_BLOCK + i % SP_BLOCK;
        for (int k = 0; k < 9; ++k)
        {
            place[k * SP_BLOCK] = c[k / 3][k % 3] / determinant;
        }
        place[9 * SP_BLOCK] = determinant / 6.0;
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
        ok = spBuildBlocks(&set->blocks, heap, nodes, count, 4, def->patchBegin, def->patchCount) &&
             (def->room == false ||
              spSpreadBlocks(&set->blocks, heap, spGetSpareBlocks(def->tetRoom, def->patchCount)));
    }
    if (ok && def->room)
    {
        set->ofMesh = def->ofMesh;
        set->allVolumes = spAlloc(heap, spArraySize(count, sizeof(spReal)));
        ok = set->allVolumes != NULL;
    }
    spFree(heap, nodes);
    if (ok)
    {
        int blocks = set->blocks.blockCount;
        set->data = spAlloc(heap, spArraySize(blocks, SP_TET_DATA * SP_BLOCK * sizeof(spReal)));
        set->moduli = spAlloc(heap, spArraySize(blocks, 2 * SP_BLOCK * sizeof(spReal)));
        ok = set->data != NULL && set->moduli != NULL;
        if (def->precise)
        {
            set->preciseData = spAlloc(heap, spArraySize(blocks, SP_TET_DATA * SP_BLOCK * sizeof(double)));
            set->addPreciseForces = spPickPreciseForces(def->laneCount);
            ok = ok && set->preciseData != NULL;
        }
    }
    if (ok == false)
    {
        spDestroyTetSet(&set->base, heap);
        return NULL;
    }
    spFillTetShapes(set, def->x);
    spFillTetMaterial(set);
    if (set->preciseData != NULL)
    {
        spFillPreciseShapes(set, def->x);
    }
    if (set->allVolumes != NULL)
    {
        memcpy(set->allVolumes, set->volumes, (size_t)count * sizeof(spReal));
    }
    return set;
}

void spDestroyTetSet(spElementSet* base, spHeap* heap)
{
    spTetSet* set = (spTetSet*)base;
    spFree(heap, set->tets);
    spFree(heap, set->inverses);
    spFree(heap, set->volumes);
    spFree(heap, set->allVolumes);
    spFree(heap, set->data);
    spFree(heap, set->preciseData);
    spFree(heap, set->moduli);
    spFreeBlocks(&set->blocks, heap);
    spFree(heap, set);
}

// ---- edits ----

// What an edit has prepared: blocks, and tets that change
typedef struct spTetRemap
{
    spRelayout layout;
    spReal* data; // of its blocks
    spReal* moduli;
    int32_t (*nodes)[4]; // of the tets that change
    spReal* volumes;
} spTetRemap;

static void spEndTetRemap(spTetSet* set, spHeap* heap)
{
    if (set->next != NULL)
    {
        spFreeRelayout(&set->next->layout, heap);
        spFree(heap, set->next->data);
        spFree(heap, set->next->moduli);
        spFree(heap, set->next->nodes);
        spFree(heap, set->next->volumes);
        spFree(heap, set->next);
        set->next = NULL;
    }
}

static bool spPrepareTetRemap(spTetSet* set, spHeap* heap, spRemap* remap)
{
    spTetRemap* next = spAllocZeroed(heap, sizeof(spTetRemap));
    set->next = next;
    if (next == NULL)
    {
        return false;
    }
    spRelayoutDef def = {.blocks = &set->blocks,
                         .changed = remap->tets,
                         .nodes = remap->nodes,
                         .stride = 4,
                         .changedCount = remap->tetCount,
                         .now = set->tets[0].nodes,
                         .nowStride = sizeof(spTet),
                         .present = set->volumes};
    next->nodes = spAlloc(heap, spArraySize(remap->tetCount, sizeof(*next->nodes)));
    next->volumes = spAlloc(heap, spArraySize(remap->tetCount, sizeof(spReal)));
    bool ok =
        next->nodes != NULL && next->volumes != NULL && spPrepareRelayout(&next->layout, heap, &def, remap);
    if (ok)
    {
        const int32_t* elements;
        int count = spGetNewBlocks(&next->layout, &elements);
        next->data = spAlloc(heap, spArraySize(count, SP_TET_DATA * SP_BLOCK * sizeof(spReal)));
        next->moduli = spAlloc(heap, spArraySize(count, 2 * SP_BLOCK * sizeof(spReal)));
        ok = count == 0 || (next->data != NULL && next->moduli != NULL);
        for (int i = 0; ok && i < remap->tetCount; ++i)
        {
            int tet = remap->tets[i];
            bool gone = remap->nodes[4 * (size_t)i] < 0;
            memcpy(next->nodes[i], gone ? set->tets[tet].nodes : remap->nodes + 4 * (size_t)i,
                   sizeof(next->nodes[i]));
            // Lanes take the volume that a tet has now
            next->volumes[i] = set->volumes[tet];
            set->volumes[tet] = gone ? 0 : set->allVolumes[tet];
        }
        if (ok)
        {
            spFillShapes(set, elements, count, next->data);
            spFillModuli(set, elements, count, next->moduli);
        }
        for (int i = 0; ok && i < remap->tetCount; ++i)
        {
            spReal volume = set->volumes[remap->tets[i]];
            set->volumes[remap->tets[i]] = next->volumes[i];
            next->volumes[i] = volume;
        }
    }
    return ok;
}

static void spSwapNumbers(spReal* a, spReal* b, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        spReal t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

static void spExchangeTets(spTetSet* set, const spRemap* remap)
{
    spTetRemap* next = set->next;
    if (next->layout.whole)
    {
        spReal *data = set->data, *moduli = set->moduli;
        set->data = next->data;
        set->moduli = next->moduli;
        next->data = data;
        next->moduli = moduli;
    }
    const spRepack* r = &next->layout.repack;
    for (int i = 0; next->layout.whole == false && i < r->patchCount; ++i)
    {
        size_t to = (size_t)set->blocks.patchBlock[r->patches[i]] * SP_BLOCK,
               from = (size_t)r->begin[i] * SP_BLOCK;
        size_t count = (size_t)(r->begin[i + 1] - r->begin[i]) * SP_BLOCK;
        spSwapNumbers(set->data + to * SP_TET_DATA, next->data + from * SP_TET_DATA, count * SP_TET_DATA);
        spSwapNumbers(set->moduli + to * 2, next->moduli + from * 2, count * 2);
    }
    spExchangeRelayout(&next->layout, &set->blocks);
    for (int i = 0; i < remap->tetCount; ++i)
    {
        int tet = remap->tets[i];
        int32_t old[4];
        spReal volume = set->volumes[tet];
        memcpy(old, set->tets[tet].nodes, sizeof(old));
        memcpy(set->tets[tet].nodes, next->nodes[i], sizeof(old));
        memcpy(next->nodes[i], old, sizeof(old));
        set->goneCount += (next->volumes[i] == 0) - (volume == 0);
        set->volumes[tet] = next->volumes[i];
        next->volumes[i] = volume;
    }
}

bool spRemapTetSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error)
{
    spTetSet* set = (spTetSet*)base;
    switch (phase)
    {
        case sp_remapPrepare:
            if (set->ofMesh == false)
            {
                return spFail(
                    error, sp_errorUnsupported,
                    "a set of tets that were given one by one cannot follow an edit: leave `tets` of "
                    "its definition NULL to take those of the mesh");
            }
            if (spPrepareTetRemap(set, heap, remap) == false)
            {
                spEndTetRemap(set, heap);
                return spFailMemory(error, "an edit", sizeof(spTetRemap));
            }
            return true;
        case sp_remapExchange:
            spExchangeTets(set, remap);
            return true;
        default:
            spEndTetRemap(set, heap);
            return true;
    }
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

// The laws with rotations and without have that of rest
double spBoundTetModulus(const spTetSet* set, const spNodeState* state, int element)
{
    double lambda, mu;
    spGetLame((double)set->tets[element].youngModulus, (double)set->tets[element].poissonRatio, &lambda, &mu);
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

void spGetTetGradients(const spTetSet* set, int element, spVec3 gradients[4])
{
    spMat3 b = spTransposeMat3(set->inverses[element]);
    gradients[0] = spScale3(-1, spAdd3(spAdd3(b.cx, b.cy), b.cz));
    gradients[1] = b.cx;
    gradients[2] = b.cy;
    gradients[3] = b.cz;
}

void spAddTetSetBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    // The stiffness of an element is bounded by four times its diagonal blocks, and those by modulus times
    // volume times the square of the gradient of the node
    const spTetSet* set = (const spTetSet*)base;
    for (int i = 0; i < base->elementCount; ++i)
    {
        const spTet* tet = set->tets + i;
        double modulus = 4.0 * (double)set->volumes[i] * spBoundTetModulus(set, state, i);
        spVec3 gradients[4];
        spGetTetGradients(set, i, gradients);
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

// Strain is small for these
static bool spIsSmallLaw(spTetLaw law)
{
    return law == sp_tetLinear || law == sp_tetHybrid;
}

spMat3 spGetCauchyStress(const spTetSet* set, const spNodeState* state, int element)
{
    spMat3 f = spGetTetGradient(set, state, element);
    spMat3 p = spGetTetStressOf(set, element, f);
    if (spIsSmallLaw(set->law))
    {
        return spSymmetricPart3(p);
    }
    // P F^T / J
    double j = fabs(spDeterminant3(f));
    return spScaleMat3((spReal)(1.0 / fmax(j, (double)SP_FLAT_VOLUME_RATIO)),
                       spSymmetricPart3(spMulMatT3(p, f)));
}

spTetState spGetTetState(const spTetSet* set, const spNodeState* state, int element)
{
    spMat3 f = spGetTetGradient(set, state, element);
    spTetState result = {.volumeRatio = (spReal)spDeterminant3(f)};
    spMat3 axes;
    spMat3 stress = spGetCauchyStress(set, state, element);
    spMat3 strain = spIsSmallLaw(set->law)
                        ? spSubMat3(spSymmetricPart3(f), spIdentityMat3())
                        : spScaleMat3((spReal)0.5, spSubMat3(spMulTMat3(f, f), spIdentityMat3()));
    spDecomposeSymmetric3(stress, &axes, &result.principalStress);
    spDecomposeSymmetric3(strain, &axes, &result.principalStrain);
    spVec3 s = result.principalStress;
    double a = (double)s.x - s.y, b = (double)s.y - s.z, c = (double)s.z - s.x;
    result.vonMises = (spReal)sqrt(0.5 * (a * a + b * b + c * c));
    return result;
}
