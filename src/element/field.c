// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Drag: f = -c v.
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

static void spAddDragDifference(const spElementSet* base, const spNodeState* state,
                                const spDifference* difference, int patch, spVec4* df)
{
    spNodeState shifted = *state;
    shifted.v = difference->dv;
    spAddDragForces(base, &shifted, patch, df);
}

static double spGetDragEnergy(const spElementSet* base, const spNodeState* state)
{
    SP_UNUSED(base);
    SP_UNUSED(state);
    return 0.0;
}

static void spAddDragBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    spMat3 block = spScaleMat3(((const spFieldSet*)base)->def.coefficient, spIdentityMat3());
    for (int node = 0; node < state->nodeCount; ++node)
    {
        bounds->damping[node] = spAddMat3(bounds->damping[node], block);
    }
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
    const spFieldDef* def = &((const spFieldSet*)base)->def;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        spReal force = spGetGroundForce(def, spGetGroundDistance(def, state->x + node));
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

static double spGetGroundEnergy(const spElementSet* base, const spNodeState* state)
{
    const spFieldDef* def = &((const spFieldSet*)base)->def;
    double k = def->coefficient, cutoff = def->cutoff, least = def->minDistance;
    double energy = 0.0;
    for (int node = 0; node < state->nodeCount; ++node)
    {
        double distance = spGetGroundDistance(def, state->x + node);
        if (distance >= cutoff)
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

static void spDestroyFieldSet(spElementSet* base, spHeap* heap)
{
    spFree(heap, base, sizeof(spFieldSet));
}

const spElementKind spDragKind = {
    .name = "drag",
    .flags = sp_kindField,
    .addForces = spAddDragForces,
    .addDifference = spAddDragDifference,
    .getEnergy = spGetDragEnergy,
    .addBounds = spAddDragBounds,
    .destroy = spDestroyFieldSet,
};

const spElementKind spRepulsiveGroundKind = {
    .name = "repulsive ground",
    .flags = sp_kindField | sp_kindConservative | sp_kindSteep,
    .addForces = spAddGroundForces,
    .addDifference = spAddGroundDifference,
    .getEnergy = spGetGroundEnergy,
    .addBounds = spAddGroundBounds,
    .destroy = spDestroyFieldSet,
};

spFieldSet* spCreateFieldSet(spHeap* heap, const spFieldDef* def)
{
    spFieldSet* set = spAllocZeroed(heap, sizeof(spFieldSet));
    if (set != NULL)
    {
        set->base.kind = def->type == sp_fieldDrag ? &spDragKind : &spRepulsiveGroundKind;
        set->def = *def;
    }
    return set;
}
