// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Forces of a body patch by patch, bounds on its frequencies, energy and volume.

#include "body/body.h"

#include "math/vec3.h"

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
    int firstSlot = body->slots.patchSlot[patch], endSlot = body->slots.patchSlot[patch + 1];
    body->backend->startForces(f, body->mass, context->gravity, spGetLoads(body), begin, end);
    body->backend->clear(f, body->nodeCount + firstSlot, body->nodeCount + endSlot);
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
    body->backend->clear(body->f, begin, end);
    body->backend->clear(body->f, body->nodeCount + firstSlot, body->nodeCount + endSlot);
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->addDifference(body->sets[i], &context->state, difference, patch, body->f);
    }
}

void spSumPatchForces(const spForceContext* context, int patch)
{
    spBody* body = context->body;
    body->backend->sumSlots(&body->slots, body->f, patch);
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
    body->backend->clearMatrices(scratch, 0, 2 * body->nodeCount);
    spForceContext context = {.body = body, .state = spGetNodeState(body)};
    spMeasureForces(&context);
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->addBounds(body->sets[i], &context.state, &bounds);
    }
    double largest[2] = {0};
    body->backend->boundFrequencies(largest, body->x, bounds.stiffness, bounds.damping, 0, body->nodeCount);
    *frequency2 = largest[0] + bounds.globalStiffness;
    *damping = largest[1] + bounds.globalDamping;
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
    return body->backend->sumKinetic(body->v, body->mass, body->roles, 0, body->nodeCount);
}

spEnergy spGetBodyEnergy(const spBody* body, const spVec4* positions, spVec3 gravity)
{
    spEnergy energy = {.kinetic = spGetKineticEnergy(body)};
    spNodeState state = spGetNodeState(body);
    state.x = positions;
    for (int i = 0; i < body->setCount; ++i)
    {
        bool field = (body->sets[i]->kind->flags & sp_kindField) != 0;
        if (field == false && body->methodDef.type == sp_rigid)
        {
            continue; // its elements exert nothing
        }
        double e = body->sets[i]->kind->getEnergy(body->sets[i], &state);
        energy.potential += field ? e : 0.0;
        energy.elastic += field ? 0.0 : e;
    }
    energy.potential = body->backend->addWeight(energy.potential, positions, body->mass, gravity,
                                                (double)body->gravityScale, 0, body->nodeCount);
    if (state.remainder > 0)
    {
        energy.potential = body->backend->addWeight(energy.potential, positions + state.remainder, body->mass,
                                                    gravity, (double)body->gravityScale, 0, body->nodeCount);
    }
    return energy;
}

double spGetBodySize(spBody* body)
{
    spVec3 first = spXyz(body->backend->view(body->x, 0, 1)[0]);
    body->backend->setFree(body->f, first, body->x, body->x, 0, body->nodeCount);
    return body->backend->maxLength(body->f, 0, body->nodeCount);
}
