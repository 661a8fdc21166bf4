// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A body that is no longer finite goes back to its last good state and stops; the others go on.

#include "world/step.h"

#include "math/vec3.h"

#include <stdatomic.h>

void spSaveGoodStates(spWorld* world)
{
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body != NULL && body->running)
        {
            spCopyPositions(body, body->goodX, body->x);
            body->backend->copy(body->goodV, body->v, 0, body->nodeCount);
        }
    }
}

typedef struct spFiniteContext
{
    const spBody* body;
    atomic_bool bad;
} spFiniteContext;

static void spCheckFiniteStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    spFiniteContext* c = context;
    const spBody* body = c->body;
    int first = body->order.patchBegin[begin], last = body->order.patchBegin[end];
    if (body->backend->isFinite(body->x, first, last) == false ||
        body->backend->isFinite(body->v, first, last) == false)
    {
        atomic_store(&c->bad, true);
    }
}

// What a body that was stopped felt in the step is of no use, and need not be finite
static void spForgetForces(spWorld* world, spBody* body)
{
    body->contactForce = (spVec3){0, 0, 0};
    body->pinForce = (spVec3){0, 0, 0};
    int count = 0;
    for (int i = 0; i < world->contactCount; ++i)
    {
        if (SP_ID_EQUALS(world->contacts[i].body, body->id) == false &&
            SP_ID_EQUALS(world->contacts[i].otherBody, body->id) == false)
        {
            world->contacts[count++] = world->contacts[i];
        }
    }
    world->contactCount = count;
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        spCollider* collider = world->colliders[i];
        if (collider != NULL &&
            (spIsFinite3(collider->force) == false || spIsFinite3(collider->torque) == false))
        {
            collider->force = (spVec3){0, 0, 0};
            collider->torque = (spVec3){0, 0, 0};
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        spLink* link = world->links[i];
        if (link != NULL && spIsFinite3(link->force) == false)
        {
            link->force = (spVec3){0, 0, 0};
        }
    }
}

// A body that is no longer finite goes back to where it was before the step, and stops
void spStopBadBodies(spStep* step)
{
    spWorld* world = step->world;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body == NULL || body->running == false)
        {
            continue;
        }
        spFiniteContext context = {.body = body};
        spParallelFor(step->team, spCheckFiniteStage, body->order.patchCount, 4, &context);
        if (atomic_load(&context.bad))
        {
            spCopyPositions(body, body->x, body->goodX);
            body->backend->copy(body->v, body->goodV, 0, body->nodeCount);
            body->running = false;
            body->rowCount = 0;
            spForgetForces(world, body);
            step->report.flags |= sp_stepNonFinite;
            if (SP_IS_NULL(step->report.stoppedBody))
            {
                step->report.stoppedBody = body->id;
            }
            spLog(&world->def.logger, sp_logWarning,
                  "%s turned non-finite at %g s and was stopped at its last good state; its stable step is "
                  "%g s",
                  body->name, world->time, body->stableStep);
        }
    }
}
