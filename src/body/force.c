// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Forces of a body patch by patch, bounds on its frequencies, energy and volume.

#include "body/body.h"

#include "math/decompose.h"
#include "math/vec3.h"

#include <string.h>

void spMeasureForces(const spForceContext* context)
{
    spBody* body = context->body;
    for (int i = 0; i < body->setCount; ++i)
    {
        spElementSet* set = body->sets[i];
        if (set->kind->measure != NULL)
        {
            set->kind->measure(set, &context->state, context->team);
        }
    }
}

// Asks for the nodes of the next patch while this one is worked on: bodies that do not fit in the cache wait
// less
static void spPrefetchPatch(const spNodeState* state, int patch)
{
    const int nodesPerLine = SP_CACHE_LINE / (int)sizeof(spVec4);
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; node += nodesPerLine)
    {
        __builtin_prefetch(state->x + node, 0, 2);
        __builtin_prefetch(state->v + node, 0, 2);
    }
}

void spAddPatchForces(const spForceContext* context, int patch)
{
    spBody* body = context->body;
    if (patch + 1 < context->state.patchCount)
    {
        spPrefetchPatch(&context->state, patch + 1);
    }
    spVec4* f = body->f;
    int begin = context->state.patchBegin[patch], end = context->state.patchBegin[patch + 1];
    spVec3 g = context->gravity;
    for (int node = begin; node < end; ++node)
    {
        spReal m = body->mass[node];
        f[node] = (spVec4){m * g.x, m * g.y, m * g.z, 0};
    }
    if (body->nodeForces != NULL)
    {
        for (int node = begin; node < end; ++node)
        {
            f[node].x += body->nodeForces[node].x;
            f[node].y += body->nodeForces[node].y;
            f[node].z += body->nodeForces[node].z;
        }
    }
    for (int slot = body->slots.patchSlot[patch]; slot < body->slots.patchSlot[patch + 1]; ++slot)
    {
        f[body->nodeCount + slot] = (spVec4){0};
    }
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->addForces(body->sets[i], &context->state, patch, f);
    }
}

void spMeasureDifference(const spForceContext* context, const spDifference* difference)
{
    spMeasureForces(context);
    spBody* body = context->body;
    for (int i = 0; i < body->setCount; ++i)
    {
        spElementSet* set = body->sets[i];
        if (set->kind->measureDifference != NULL)
        {
            set->kind->measureDifference(set, &context->state, difference);
        }
    }
}

void spAddPatchDifference(const spForceContext* context, const spDifference* difference, int patch)
{
    spBody* body = context->body;
    int begin = context->state.patchBegin[patch], end = context->state.patchBegin[patch + 1];
    int firstSlot = body->slots.patchSlot[patch], endSlot = body->slots.patchSlot[patch + 1];
    memset(body->f + begin, 0, (size_t)(end - begin) * sizeof(spVec4));
    memset(body->f + body->nodeCount + firstSlot, 0, (size_t)(endSlot - firstSlot) * sizeof(spVec4));
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->addDifference(body->sets[i], &context->state, difference, patch, body->f);
    }
}

void spSumPatchForces(const spForceContext* context, int patch)
{
    spBody* body = context->body;
    spSumSlots(&body->slots, body->f, patch);
}

void spBoundFrequencies(spBody* body, spMat3* scratch, double* frequency2, double* damping)
{
    *frequency2 = 0.0;
    *damping = 0.0;
    body->turnRate = 0.0;
    if (body->setCount == 0)
    {
        return;
    }
    spBounds bounds = {.mass = body->mass,
                       .stiffness = scratch,
                       .damping = scratch + body->nodeCount,
                       .gravity = body->gravity};
    memset(scratch, 0, 2 * (size_t)body->nodeCount * sizeof(spMat3));
    spForceContext context = {.body = body, .state = spGetNodeState(body)};
    spMeasureForces(&context);
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->addBounds(body->sets[i], &context.state, &bounds);
    }
    for (int node = 0; node < body->nodeCount; ++node)
    {
        double w = body->x[node].w;
        if (w > 0.0)
        {
            *frequency2 = fmax(*frequency2, w * spGetLargestEigenvalue3(bounds.stiffness[node]));
            *damping = fmax(*damping, w * spGetLargestEigenvalue3(bounds.damping[node]));
        }
    }
    *frequency2 += bounds.globalStiffness;
    *damping += bounds.globalDamping;
    body->turnRate = bounds.turnRate;
}

double spGetBodyVolume(const spBody* body)
{
    spNodeState state = spGetNodeState(body);
    for (int i = 0; i < body->setCount; ++i)
    {
        const spGasSet* gas = spGetGasSet(body, i);
        if (gas != NULL)
        {
            return spGetGasVolume(gas, &state);
        }
    }
    if (body->closed == false)
    {
        return 0.0;
    }
    double volume = 0.0;
    spVec3 origin = spXyz(body->x[0]);
    for (int i = 0; i < body->triangleCount; ++i)
    {
        double p[3][3];
        for (int k = 0; k < 3; ++k)
        {
            spVec3 q = spXyz(body->x[body->order.rank[body->triangles[3 * (size_t)i + k]]]);
            p[k][0] = (double)q.x - (double)origin.x;
            p[k][1] = (double)q.y - (double)origin.y;
            p[k][2] = (double)q.z - (double)origin.z;
        }
        volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                  p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                  p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return volume / 6.0;
}

double spGetKineticEnergy(const spBody* body)
{
    double energy = 0.0;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec4 v = body->v[node];
        double squared = (double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z;
        energy += body->roles[node] != sp_nodeFixed ? 0.5 * (double)body->mass[node] * squared : 0.0;
    }
    return energy;
}

spEnergy spGetBodyEnergy(const spBody* body, const spVec4* positions, spVec3 gravity)
{
    spEnergy energy = {.kinetic = spGetKineticEnergy(body)};
    spNodeState state = spGetNodeState(body);
    state.x = positions;
    for (int i = 0; i < body->setCount; ++i)
    {
        double e = body->sets[i]->kind->getEnergy(body->sets[i], &state);
        if ((body->sets[i]->kind->flags & sp_kindField) != 0)
        {
            energy.potential += e;
        }
        else
        {
            energy.elastic += e;
        }
    }
    for (int node = 0; node < body->nodeCount; ++node)
    {
        double m = body->mass[node];
        spVec4 x = positions[node];
        energy.potential -= m * (double)body->gravityScale *
                            ((double)gravity.x * x.x + (double)gravity.y * x.y + (double)gravity.z * x.z);
    }
    return energy;
}
