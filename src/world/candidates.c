// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows of bodies with colliders and links: candidates for the next step, and the first touch of bodies without inertia.

#include "world/step.h"

#include "contact/approach.h"
#include "contact/detect.h"
#include "math/vec3.h"

void spFindBodyRows(spWorld* world, int slot, bool isStatic, spTeam* team, spReal dt, uint32_t* flags)
{
    spBody* body = world->bodies[slot];
    spDetectContext context = {
        .team = team,
        .body = body,
        .bodySlot = slot,
        .colliders = spGetColliders(world),
        .colliderCount = world->colliderIds.slotCount,
        .links = world->links,
        .linkCount = world->linkIds.slotCount,
        .pairs = &world->pairTable,
        .dt = dt,
        .reach = world->def.contactSkin + 2 * dt * dt * spLength3(world->def.gravity),
        .contactCounts = spArenaAlloc(&world->arena, spArraySize(body->order.patchCount, sizeof(int))),
    };
    // Without inertia a node may go any way
    context.reach += isStatic ? (spReal)spGetBodySize(body) : 0;
    if (context.contactCounts == NULL || spDetectRows(&context) == false)
    {
        *flags |= sp_stepOutOfMemory;
    }
}

void spFindRows(spWorld* world, spTeam* team, spReal dt, uint32_t* flags)
{
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (body != NULL && body->running)
        {
            spFindBodyRows(world, i, body->methodDef.type == sp_quasiStatic, team, dt, flags);
        }
    }
}

bool spApproach(spWorld* world, int slot)
{
    spBody* body = world->bodies[slot];
    spUpdateHeldNodes(body);
    bool held = body->heldCount > 0 || body->methodDef.contact == sp_contactOff;
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        const spLink* link = world->links[i];
        held = held || (link != NULL && (link->body == slot || link->otherBody == slot));
    }
    return held == false && spApproachColliders(&(spApproachContext){
                                .body = body,
                                .colliders = spGetColliders(world),
                                .colliderCount = world->colliderIds.slotCount,
                                .pairs = &world->pairTable,
                                .gravity = world->def.gravity,
                            });
}

// Bodies without inertia that nothing held in the last step
bool spApproachAll(spWorld* world)
{
    bool moved = false;
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (body != NULL && body->running && body->methodDef.type == sp_quasiStatic &&
            (body->multipliers.count == 0 || world->rowsDirty))
        {
            moved = spApproach(world, i) || moved;
        }
    }
    return moved;
}
