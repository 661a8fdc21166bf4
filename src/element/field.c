// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Drag: f = -c v. Mass drag: f = -c m v, Rayleigh's mass term.
//
// Coherence: f = k (u - v), u the mean velocity of the neighbours, weighted by their masses. Where it would
// make the node faster or turn it round it is left out. Over a step h the velocity goes the share s = h k / m
// of the way from v to u: its size is convex in s and its component along v linear, so that |u| <= |v| and
// u . v >= 0 are enough for every s up to 1. The bounds below keep steps under m / k, where s is 1.
//
// Drag that acts longer than m / c turns a velocity round: it bounds the step by that as well, although twice
// that would still be stable.
//
// Debunne. Animation multiresolution d'objets deformables en temps-reel. 2000
//
// Repulsive ground: f = K (1/d^2 - 1/cutoff^2) along the normal for d = max(distance, minDistance), nothing
// beyond the cutoff. Lowering the force by its value at the cutoff makes it continuous; its potential is K
// (1/d - 1/cutoff + (d - cutoff)/cutoff^2), linear below minDistance.

#include "element/field.h"

#include "math/vec3.h"

static void spAddDragForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    spReal c = ((const spFieldSet*)base)->def.coefficient;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        f[node].x -= c * state->v[node].x;
        f[node].y -= c * state->v[node].y;
        f[node].z -= c * state->v[node].z;
    }
}

static void spAddMassDragForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spFieldSet* set = (const spFieldSet*)base;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        spReal c = set->def.coefficient * set->mass[node];
        f[node].x -= c * state->v[node].x;
        f[node].y -= c * state->v[node].y;
        f[node].z -= c * state->v[node].z;
    }
}

static void spAddDragDifference(const spElementSet* base, const spNodeState* state,
                                const spDifference* difference, int patch, spVec4* df)
{
    spNodeState shifted = *state;
    shifted.v = difference->dv;
    spAddDragForces(base, &shifted, patch, df);
}

static void spAddMassDragDifference(const spElementSet* base, const spNodeState* state,
                                    const spDifference* difference, int patch, spVec4* df)
{
    spNodeState shifted = *state;
    shifted.v = difference->dv;
    spAddMassDragForces(base, &shifted, patch, df);
}

static void spAddDragDiagonal(const spElementSet* base, const spNodeState* state, const spFill* fill,
                              spMat3* diagonal)
{
    spReal c = fill->damping * ((const spFieldSet*)base)->def.coefficient;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        diagonal[node] = spMulAddMat3(diagonal[node], c, spIdentityMat3());
    }
}

static void spAddMassDragDiagonal(const spElementSet* base, const spNodeState* state, const spFill* fill,
                                  spMat3* diagonal)
{
    const spFieldSet* set = (const spFieldSet*)base;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        spReal c = fill->damping * set->def.coefficient * set->mass[node];
        diagonal[node] = spMulAddMat3(diagonal[node], c, spIdentityMat3());
    }
}

static double spGetDragEnergy(const spElementSet* base, const spNodeState* state)
{
    SP_UNUSED(base);
    SP_UNUSED(state);
    return 0.0;
}

static void spAddDragBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    spReal c = ((const spFieldSet*)base)->def.coefficient;
    spMat3 block = spScaleMat3(c, spIdentityMat3());
    double lightest = INFINITY;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        bounds->damping[node] = spAddMat3(bounds->damping[node], block);
        lightest = bounds->mass[node] > 0 ? fmin(lightest, (double)bounds->mass[node]) : lightest;
    }
    bounds->turnRate += (double)c / lightest;
}

static void spAddMassDragBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    spReal c = ((const spFieldSet*)base)->def.coefficient;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        bounds->damping[node] = spMulAddMat3(bounds->damping[node], c * bounds->mass[node], spIdentityMat3());
    }
    bounds->turnRate += (double)c;
}

// Mean of the neighbours of a node, by mass; zero without neighbours
static spVec3 spGetNeighbourMean(const spFieldSet* set, const spVec4* a, int node)
{
    spVec3 sum = {0, 0, 0};
    spReal mass = 0;
    for (int i = set->neighbourBegin[node]; i < set->neighbourBegin[node + 1]; ++i)
    {
        int other = set->neighbours[i];
        mass += set->mass[other];
        sum = spMulAdd3(sum, set->mass[other], spXyz(a[other]));
    }
    return mass > 0 ? spScale3(1 / mass, sum) : sum;
}

static bool spIsCoherenceOn(const spFieldSet* set, const spVec4* v, int node, spVec3* mean)
{
    if (set->neighbourBegin[node] == set->neighbourBegin[node + 1])
    {
        return false;
    }
    *mean = spGetNeighbourMean(set, v, node);
    spVec3 own = spXyz(v[node]);
    return spDot3(*mean, *mean) <= spDot3(own, own) && spDot3(*mean, own) >= 0;
}

static void spAddCoherenceForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spFieldSet* set = (const spFieldSet*)base;
    spReal k = set->def.coefficient;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        spVec3 mean;
        if (spIsCoherenceOn(set, state->v, node, &mean))
        {
            f[node].x += k * (mean.x - state->v[node].x);
            f[node].y += k * (mean.y - state->v[node].y);
            f[node].z += k * (mean.z - state->v[node].z);
        }
    }
}

// Neighbours do not act on each other alike, which makes the matrix unsymmetric: project leaves them out
static void spAddCoherenceDifference(const spElementSet* base, const spNodeState* state,
                                     const spDifference* difference, int patch, spVec4* df)
{
    const spFieldSet* set = (const spFieldSet*)base;
    const spVec4* dv = difference->dv;
    spReal k = set->def.coefficient;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        spVec3 mean;
        if (spIsCoherenceOn(set, state->v, node, &mean))
        {
            spVec3 change = difference->project ? (spVec3){0, 0, 0} : spGetNeighbourMean(set, dv, node);
            df[node].x += k * (change.x - dv[node].x);
            df[node].y += k * (change.y - dv[node].y);
            df[node].z += k * (change.z - dv[node].z);
        }
    }
}

static void spAddCoherenceDiagonal(const spElementSet* base, const spNodeState* state, const spFill* fill,
                                   spMat3* diagonal)
{
    const spFieldSet* set = (const spFieldSet*)base;
    spReal k = fill->damping * set->def.coefficient;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        spVec3 mean;
        if (spIsCoherenceOn(set, state->v, node, &mean))
        {
            diagonal[node] = spMulAddMat3(diagonal[node], k, spIdentityMat3());
        }
    }
}

// A row of the matrix is k and at most k more for its neighbours
static void spAddCoherenceBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    spReal k = ((const spFieldSet*)base)->def.coefficient;
    spMat3 block = spScaleMat3(2 * k, spIdentityMat3());
    double lightest = INFINITY;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        bounds->damping[node] = spAddMat3(bounds->damping[node], block);
        lightest = bounds->mass[node] > 0 ? fmin(lightest, (double)bounds->mass[node]) : lightest;
    }
    bounds->turnRate += (double)k / lightest;
}

// Distance of a node from the ground
static spReal spGetGroundDistance(const spFieldDef* def, const spVec4* x)
{
    return spDot3(def->normal, spXyz(*x)) - def->offset;
}

static spReal spGetGroundForce(const spFieldDef* def, spReal distance)
{
    if (distance >= def->cutoff)
    {
        return 0;
    }
    spReal d = distance > def->minDistance ? distance : def->minDistance;
    return def->coefficient * (1 / (d * d) - 1 / (def->cutoff * def->cutoff));
}

static spReal spGetGroundStiffness(const spFieldDef* def, spReal distance)
{
    bool bent = distance > def->minDistance && distance < def->cutoff;
    return bent ? 2 * def->coefficient / (distance * distance * distance) : 0;
}

static void spAddGroundForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spFieldSet* set = (const spFieldSet*)base;
    const spFieldDef* def = &set->def;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        spReal force =
            set->mass[node] > 0 ? spGetGroundForce(def, spGetGroundDistance(def, state->x + node)) : 0;
        f[node].x += force * def->normal.x;
        f[node].y += force * def->normal.y;
        f[node].z += force * def->normal.z;
    }
}

static void spAddGroundDifference(const spElementSet* base, const spNodeState* state,
                                  const spDifference* difference, int patch, spVec4* df)
{
    const spVec4* dx = difference->dx;
    const spFieldDef* def = &((const spFieldSet*)base)->def;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        spReal k = spGetGroundStiffness(def, spGetGroundDistance(def, state->x + node));
        spReal force = -k * spDot3(def->normal, spXyz(dx[node]));
        df[node].x += force * def->normal.x;
        df[node].y += force * def->normal.y;
        df[node].z += force * def->normal.z;
    }
}

static void spAddGroundDiagonal(const spElementSet* base, const spNodeState* state, const spFill* fill,
                                spMat3* diagonal)
{
    const spFieldDef* def = &((const spFieldSet*)base)->def;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        spReal k = spGetGroundStiffness(def, spGetGroundDistance(def, state->x + node));
        diagonal[node] =
            spMulAddMat3(diagonal[node], fill->stiffness * k, spOuter3(def->normal, def->normal));
    }
}

static double spGetGroundEnergy(const spElementSet* base, const spNodeState* state)
{
    const spFieldSet* set = (const spFieldSet*)base;
    const spFieldDef* def = &set->def;
    double k = def->coefficient, cutoff = def->cutoff, least = def->minDistance;
    double energy = 0.0;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        double distance = spGetGroundDistance(def, state->x + node);
        if (distance >= cutoff || set->mass[node] == 0)
        {
            continue;
        }
        double d = distance > least ? distance : least;
        energy += k * (1.0 / d - 1.0 / cutoff + (d - cutoff) / (cutoff * cutoff));
        if (distance < least)
        {
            energy += k * (1.0 / (least * least) - 1.0 / (cutoff * cutoff)) * (least - distance);
        }
    }
    return energy;
}

// What counts is not where a node is but where it will turn back: with u its speed at the ground if nothing
// stopped it, 1/dm = 1/d + m u^2 / (2 K). Steps must resolve that turn, dt <= 0.45 dm / u, which is about
// twelve times the stiffness there with the usual safety of 0.8.
static void spAddGroundBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    const spFieldDef* def = &((const spFieldSet*)base)->def;
    const double turn = 12.5;
    double k = def->coefficient;
    for (int node = 0; k > 0.0 && node < state->nodeCount; ++node)
    {
        double distance = spGetGroundDistance(def, state->x + node);
        double d = distance > (double)def->minDistance ? distance : (double)def->minDistance;
        double down = spDot3(def->normal, spXyz(state->v[node]));
        double u2 = down * down + 2.0 * bounds->gravity * d;
        double nearest = 1.0 / (1.0 / d + (double)bounds->mass[node] * u2 / (2.0 * k));
        nearest = nearest > (double)def->minDistance ? nearest : (double)def->minDistance;
        spReal stiffness = (spReal)(turn * 2.0 * k / (nearest * nearest * nearest));
        bounds->stiffness[node] =
            spMulAddMat3(bounds->stiffness[node], stiffness, spOuter3(def->normal, def->normal));
    }
}

// Drag and ground know no indices
static bool spRemapField(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error)
{
    SP_UNUSED(base);
    SP_UNUSED(heap);
    SP_UNUSED(remap);
    SP_UNUSED(phase);
    SP_UNUSED(error);
    return true;
}

void spDestroyFieldSet(spElementSet* base, spHeap* heap)
{
    spFieldSet* set = (spFieldSet*)base;
    if (set->neighbourBegin != NULL && set->neighbours != NULL)
    {
        spFree(heap, set->neighbours);
    }
    spFree(heap, set->neighbourBegin);
    spFree(heap, base);
}

const spElementKind spDragKind = {
    .name = "drag",
    .flags = sp_kindField,
    .addForces = spAddDragForces,
    .addDifference = spAddDragDifference,
    .addDiagonal = spAddDragDiagonal,
    .getEnergy = spGetDragEnergy,
    .addBounds = spAddDragBounds,
    .remap = spRemapField,
    .destroy = spDestroyFieldSet,
};

const spElementKind spMassDragKind = {
    .name = "mass drag",
    .flags = sp_kindField,
    .addForces = spAddMassDragForces,
    .addDifference = spAddMassDragDifference,
    .addDiagonal = spAddMassDragDiagonal,
    .getEnergy = spGetDragEnergy,
    .addBounds = spAddMassDragBounds,
    .remap = spRemapField,
    .destroy = spDestroyFieldSet,
};

const spElementKind spCoherenceKind = {
    .name = "coherence",
    .flags = sp_kindField,
    .addForces = spAddCoherenceForces,
    .addDifference = spAddCoherenceDifference,
    .addDiagonal = spAddCoherenceDiagonal,
    .getEnergy = spGetDragEnergy,
    .addBounds = spAddCoherenceBounds,
    .destroy = spDestroyFieldSet,
};

const spElementKind spRepulsiveGroundKind = {
    .name = "repulsive ground",
    .flags = sp_kindField | sp_kindConservative | sp_kindSteep,
    .addForces = spAddGroundForces,
    .addDifference = spAddGroundDifference,
    .addDiagonal = spAddGroundDiagonal,
    .getEnergy = spGetGroundEnergy,
    .addBounds = spAddGroundBounds,
    .remap = spRemapField,
    .destroy = spDestroyFieldSet,
};

// The other ends of the edges of each node. False without memory.
static bool spBuildNeighbours(spFieldSet* set, spHeap* heap, const int32_t* edges, int edgeCount)
{
    int n = set->nodeCount;
    set->neighbourBegin = spAllocZeroed(heap, spArraySize(n + 1, sizeof(int32_t)));
    if (set->neighbourBegin == NULL)
    {
        return false;
    }
    for (int i = 0; i < 2 * edgeCount; ++i)
    {
        set->neighbourBegin[edges[i]] += 1;
    }
    for (int node = 0; node < n; ++node)
    {
        set->neighbourBegin[node + 1] += set->neighbourBegin[node];
    }
    set->neighbours = spAlloc(heap, spArraySize(set->neighbourBegin[n], sizeof(int32_t)));
    // Filled from the back, so that every begin ends where it belongs
    for (int i = edgeCount - 1; set->neighbours != NULL && i >= 0; --i)
    {
        int32_t a = edges[2 * (size_t)i], b = edges[2 * (size_t)i + 1];
        set->neighbours[--set->neighbourBegin[b]] = a;
        set->neighbours[--set->neighbourBegin[a]] = b;
    }
    return set->neighbours != NULL;
}

spFieldSet* spCreateFieldSet(spHeap* heap, const spFieldDef* def, const spReal* mass, int nodeCount,
                             const int32_t* edges, int edgeCount)
{
    static const spElementKind* const kinds[sp_fieldTypeCount] = {
        [sp_fieldDrag] = &spDragKind,
        [sp_fieldRepulsiveGround] = &spRepulsiveGroundKind,
        [sp_fieldMassDrag] = &spMassDragKind,
        [sp_fieldCoherence] = &spCoherenceKind,
    };
    spFieldSet* set = spAllocZeroed(heap, sizeof(spFieldSet));
    if (set == NULL)
    {
        return NULL;
    }
    set->base.kind = kinds[def->type];
    set->def = *def;
    set->mass = mass;
    set->nodeCount = nodeCount;
    if (def->type == sp_fieldCoherence)
    {
        // It comes and goes with its filter
        set->base.abrupt = true;
        if (spBuildNeighbours(set, heap, edges, edgeCount) == false)
        {
            spDestroyFieldSet(&set->base, heap);
            return NULL;
        }
    }
    return set;
}
