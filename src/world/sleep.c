// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies fall asleep together with all that is near them: bodies whose boxes, with the distance of contact around them,
// meet, or that a link joins. What is alone is a group of one. So nothing that is awake is near something that
// sleeps, and whatever comes near wakes it. While a step runs, bodies that sleep look like bodies that were stopped.

#include "world/sleep.h"

#include "contact/contact_surface.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#include <math.h>

// How long a body must be slow, s
#define SP_CALM_TIME ((spReal)0.5)

static spExtent spGetSleepBox(const spBody* body)
{
    return (spExtent){body->sleepLower, body->sleepUpper};
}

static bool spAreBeside(const spBody* a, const spBody* b)
{
    spExtent boxA = spGetSleepBox(a), boxB = spGetSleepBox(b);
    return spBoxesMeet(&boxA, &boxB, 0);
}

// ---- waking ----

static void spWakeOne(spWorld* world, spBody* body)
{
    body->asleep = false;
    body->calmTime = 0;
    world->rowsDirty = true;
}

// Wakes what is beside a body that was woken, and so on
static void spWakeBeside(spWorld* world)
{
    bool woken = true;
    while (woken)
    {
        woken = false;
        for (int i = 0; i < world->bodyIds.slotCount; ++i)
        {
            spBody* body = world->bodies[i];
            for (int k = 0; body != NULL && body->asleep && k < world->bodyIds.slotCount; ++k)
            {
                const spBody* other = world->bodies[k];
                if (other != NULL && other->asleep == false && other->running && spAreBeside(body, other))
                {
                    spWakeOne(world, body);
                    woken = true;
                }
            }
        }
        for (int i = 0; i < world->linkIds.slotCount; ++i)
        {
            const spLink* link = world->links[i];
            if (link == NULL || link->otherBody < 0)
            {
                continue;
            }
            spBody *a = world->bodies[link->body], *b = world->bodies[link->otherBody];
            if (a->asleep != b->asleep)
            {
                spWakeOne(world, a->asleep ? a : b);
                woken = true;
            }
        }
    }
}

void spWakeBody(spWorld* world, spBody* body)
{
    body->calmTime = 0;
    if (body->asleep)
    {
        spWakeOne(world, body);
        spWakeBeside(world);
    }
}

void spWakeAll(spWorld* world)
{
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        if (world->bodies[i] != NULL && world->bodies[i]->asleep)
        {
            spWakeOne(world, world->bodies[i]);
        }
    }
}

void spWakeNear(spWorld* world, const spCollider* collider)
{
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body == NULL || body->asleep == false)
        {
            continue;
        }
        spVec3 middle = spLerp3(body->sleepLower, body->sleepUpper, (spReal)0.5);
        spReal reach = spDistance3(body->sleepUpper, middle);
        spReal distance = spQueryShape(collider, collider->def.transform, middle, NULL).distance;
        if (collider->moving)
        {
            spReal way = spDistance3(collider->target.position, collider->def.transform.position);
            spReal there = spQueryShape(collider, collider->target, middle, NULL).distance;
            distance = distance < there ? distance : there;
            // One of both is never farther than half of the way
            reach += way / 2 + collider->turnReach;
        }
        if (!(distance > reach))
        {
            spWakeBody(world, body);
        }
    }
}

// ---- in a step ----

// Nodes, what they may move in a step, and the distance of contact around them
static void spFitSleepBox(const spWorld* world, spBody* body, spReal dt)
{
    const spVec4* x = body->backend->view(body->x, 0, body->nodeCount);
    const spVec4* v = body->backend->view(body->v, 0, body->nodeCount);
    spVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < body->nodeCount; ++i)
    {
        if (body->roles[i] != sp_nodeGone)
        {
            spVec3 now = spXyz(x[i]), then = spMulAdd3(now, 2 * dt, spXyz(v[i]));
            lower = spMin3(lower, spMin3(now, then));
            upper = spMax3(upper, spMax3(now, then));
        }
    }
    const spContactSurface* surface = body->contactSurface;
    spReal margin = world->def.contactSkin + body->contactRadius +
                    (surface != NULL ? surface->thickness : 0) + 2 * dt * dt * spLength3(world->def.gravity);
    spVec3 around = {margin, margin, margin};
    body->sleepLower = spSub3(lower, around);
    body->sleepUpper = spAdd3(upper, around);
}

static bool spHasSleepers(const spWorld* world)
{
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        if (world->bodies[i] != NULL && world->bodies[i]->asleep)
        {
            return true;
        }
    }
    return false;
}

void spBeginSleep(spWorld* world, spReal dt)
{
    if (spHasSleepers(world) == false)
    {
        return;
    }
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body != NULL && body->running && body->asleep == false)
        {
            spFitSleepBox(world, body, dt);
        }
    }
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        spCollider* collider = world->colliders[i];
        if (collider != NULL && (collider->moving || collider->disturbed))
        {
            spWakeNear(world, collider);
            collider->disturbed = false;
        }
    }
    spWakeBeside(world);
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body != NULL && body->asleep)
        {
            body->running = false;
        }
    }
}

static bool spIsSlow(const spBody* body, spReal speed)
{
    const spVec4* v = body->backend->view(body->v, 0, body->nodeCount);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        if (!(spLengthSquared3(spXyz(v[i])) < speed * speed))
        {
            return false;
        }
    }
    return true;
}

// Groups of bodies that are beside each other or linked; the first body of each stands for it
static void spGroupBodies(spWorld* world, int32_t* parents)
{
    int count = world->bodyIds.slotCount;
    for (int i = 0; i < count; ++i)
    {
        parents[i] = i;
    }
    for (int i = 0; i < count; ++i)
    {
        for (int k = i + 1; k < count; ++k)
        {
            const spBody *a = world->bodies[i], *b = world->bodies[k];
            if (a != NULL && b != NULL && a->running && b->running && spAreBeside(a, b))
            {
                parents[spFindRoot(parents, k)] = spFindRoot(parents, i);
            }
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        const spLink* link = world->links[i];
        if (link != NULL && link->otherBody >= 0)
        {
            parents[spFindRoot(parents, link->otherBody)] = spFindRoot(parents, link->body);
        }
    }
}

// A group in which all have been calm for long enough sleeps
static void spFallAsleep(spWorld* world, spReal dt)
{
    int count = world->bodyIds.slotCount;
    size_t mark = world->arena.used;
    int32_t* parents = spArenaAlloc(&world->arena, spArraySize(count, sizeof(int32_t)));
    bool* restless = spArenaAlloc(&world->arena, spArraySize(count, sizeof(bool)));
    if (parents == NULL || restless == NULL)
    {
        return;
    }
    for (int i = 0; i < count; ++i)
    {
        restless[i] = false;
        if (world->bodies[i] != NULL && world->bodies[i]->running && world->bodies[i]->asleep == false)
        {
            spFitSleepBox(world, world->bodies[i], dt);
        }
    }
    spGroupBodies(world, parents);
    for (int i = 0; i < count; ++i)
    {
        const spBody* body = world->bodies[i];
        restless[spFindRoot(parents, i)] |= body != NULL && body->running && body->calmTime < SP_CALM_TIME;
    }
    for (int i = 0; i < count; ++i)
    {
        spBody* body = world->bodies[i];
        if (body != NULL && body->running && body->asleep == false &&
            restless[spFindRoot(parents, i)] == false)
        {
            body->asleep = true;
            body->backend->clear(body->v, 0, body->nodeCount);
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        if (world->links[i] != NULL)
        {
            world->links[i]->restForce = world->links[i]->force;
        }
    }
    spRewindArena(&world->arena, mark);
}

void spEndSleep(spWorld* world, spReal dt, spStepReport* report)
{
    bool ready = false;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body == NULL)
        {
            continue;
        }
        if (body->asleep)
        {
            body->running = true;
            body->time = world->time + (double)dt;
            continue;
        }
        bool calm = world->def.sleepSpeed > 0 && body->running && spIsSlow(body, world->def.sleepSpeed);
        body->calmTime = calm ? body->calmTime + dt : 0;
        ready = ready || body->calmTime >= SP_CALM_TIME;
    }
    if (ready)
    {
        spFallAsleep(world, dt);
    }
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        report->sleepingCount += world->bodies[i] != NULL && world->bodies[i]->asleep;
    }
}

// ---- forces ----

static bool spSleepsIn(const spWorld* world, spBodyId id)
{
    const spBody* body = spGetBody(world, id);
    return body != NULL && body->asleep;
}

static void spPressOnCollider(const spWorld* world, const spContact* contact)
{
    spCollider* collider = spGetCollider(world, contact->collider);
    if (collider != NULL)
    {
        spVec3 arm = spSub3(contact->position, collider->def.transform.position);
        collider->force = spSub3(collider->force, contact->force);
        collider->torque = spSub3(collider->torque, spCross3(arm, contact->force));
    }
}

void spKeepSleepingForces(spWorld* world, int contactCount)
{
    world->contactCount = 0;
    for (int i = 0; i < contactCount; ++i)
    {
        const spContact contact = world->contacts[i];
        if (spSleepsIn(world, contact.body))
        {
            spPressOnCollider(world, &contact);
            world->contacts[world->contactCount++] = contact;
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        spLink* link = world->links[i];
        if (link != NULL && world->bodies[link->body]->asleep)
        {
            link->force = link->restForce;
        }
    }
}

bool spBody_IsAsleep(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->asleep;
}

bool spBody_Wake(spWorld* world, spBodyId id)
{
    return spUseBody(world, id) != NULL;
}
