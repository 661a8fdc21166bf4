// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Forces and contacts to be read, taken from the impulses of rows, and what the next step begins with.

#include "world/step.h"

#include "math/vec3.h"

#include <math.h>

void spClearForces(spWorld* world)
{
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        if (world->colliders[i] != NULL)
        {
            world->colliders[i]->force = (spVec3){0, 0, 0};
            world->colliders[i]->torque = (spVec3){0, 0, 0};
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        if (world->links[i] != NULL)
        {
            world->links[i]->force = (spVec3){0, 0, 0};
        }
    }
    world->contactCount = 0;
}

// The nodes of a side; of a volume, which may have many, the three that carry most of it
static spContactSide spDescribeSide(const spStep* step, const spRowSide* side)
{
    const spBody* body = step->world->bodies[side->slot];
    spContactSide out = {0};
    for (int k = 0; k < side->count; ++k)
    {
        // Rising by weight from the end, as long as there is room
        spRowNode n = spGetSideNode(side, step->islands.pool, k);
        int at = out.count < 3 ? out.count++ : 3;
        for (; side->count > 3 && at > 0 && out.weights[at - 1] < n.weight; --at)
        {
            if (at < 3)
            {
                out.nodes[at] = out.nodes[at - 1];
                out.weights[at] = out.weights[at - 1];
            }
        }
        if (at < 3)
        {
            out.nodes[at] = body->order.order[n.node];
            out.weights[at] = n.weight;
        }
    }
    spReal sum = out.weights[0] + out.weights[1] + out.weights[2];
    for (int k = 0; side->count > 3 && k < 3; ++k)
    {
        out.weights[k] /= sum;
    }
    return out;
}

static void spHarvestTouch(spStep* step, spRow* row)
{
    spWorld* world = step->world;
    spBody *a = world->bodies[row->a.slot], *b = world->bodies[row->b.slot];
    spVec3 force = spScale3(1 / step->dt, row->impulse);
    spRefreshTouch(row, step->islands.pool, world->bodies);
    if (a != b)
    {
        a->contactForce = spAdd3(a->contactForce, force);
        b->contactForce = spSub3(b->contactForce, force);
    }
    if (spReserve(&world->heap, (void**)&world->contacts, world->contactCount, &world->contactCapacity,
                  world->contactCount + 1, sizeof(spContact)) == false)
    {
        step->report.flags |= sp_stepOutOfMemory;
        return;
    }
    spContactSide side = spDescribeSide(step, &row->a);
    world->contacts[world->contactCount++] = (spContact){
        .body = a->id,
        .node = side.nodes[0],
        .otherBody = b->id,
        .side = side,
        .otherSide = spDescribeSide(step, &row->b),
        .position = spSumSide(&row->a, step->islands.pool, a->x),
        .normal = row->normal,
        .gap = isfinite(row->gap) ? row->gap : 0,
        .force = force,
        .area = row->area,
        .age = row->age,
        .key = row->key,
    };
}

void spHarvestPairs(spStep* step)
{
    spWorld* world = step->world;
    spMultipliers* list = world->multipliers + sp_rowHold;
    list->count = 0;
    bool room = spReserve(&world->heap, (void**)&list->entries, 0, &list->capacity, step->islands.rowCount,
                          sizeof(spMultiplier));
    step->report.flags |= room ? 0 : sp_stepOutOfMemory;
    for (int k = 0; k < step->islands.rowCount; ++k)
    {
        spRow* row = step->islands.rows + k;
        if (row->law == sp_rowHold)
        {
            spLink* link = world->links[row->link];
            link->force = spMulAdd3(link->force, 1 / step->dt, row->impulse);
        }
        else if (spLengthSquared3(row->impulse) > 0)
        {
            spHarvestTouch(step, row);
        }
        if (room && spLengthSquared3(row->force) > 0)
        {
            spVec3 slip = row->law == sp_rowContact ? row->slip : (spVec3){0, 0, 0};
            list->entries[list->count++] =
                (spMultiplier){.key = row->key, .force = row->force, .slip = slip, .age = row->age};
        }
    }
    spSortMultipliers(list);
}

void spHarvestRows(spWorld* world, int slot, spReal dt, uint32_t* flags)
{
    spBody* body = world->bodies[slot];
    for (int i = 0; i < body->rowCount; ++i)
    {
        spRow* row = body->rows + i;
        if (spLengthSquared3(row->impulse) == 0)
        {
            continue;
        }
        spVec3 force = spScale3(1 / dt, row->impulse);
        int node = row->a.node;
        spVec3 position = spXyz(body->backend->view(body->x, node, node + 1)[node]);
        row->impulse = (spVec3){0, 0, 0};
        if (row->b.slot >= 0)
        {
            spCollider* collider = world->colliders[row->b.slot];
            spVec3 arm = spSub3(position, collider->def.transform.position);
            collider->force = spSub3(collider->force, force);
            collider->torque = spSub3(collider->torque, spCross3(arm, force));
        }
        if (row->law == sp_rowHold)
        {
            spLink* link = world->links[row->link];
            link->force = spAdd3(link->force, force);
            continue;
        }
        body->contactForce = spAdd3(body->contactForce, force);
        if (spReserve(&world->heap, (void**)&world->contacts, world->contactCount, &world->contactCapacity,
                      world->contactCount + 1, sizeof(spContact)) == false)
        {
            *flags |= sp_stepOutOfMemory;
            continue;
        }
        world->contacts[world->contactCount++] = (spContact){
            .body = body->id,
            .node = body->order.order[row->a.node],
            .side = {.count = 1, .nodes = {body->order.order[row->a.node]}, .weights = {1}},
            .key = row->key,
            .collider = world->colliders[row->b.slot]->id,
            .position = position,
            .normal = row->normal,
            .gap = row->gap,
            .force = force,
        };
    }
}

void spHarvestAllRows(spStep* step)
{
    for (int i = 0; i < step->world->bodyIds.slotCount; ++i)
    {
        if (step->world->bodies[i] != NULL && step->world->bodies[i]->running)
        {
            spHarvestRows(step->world, i, step->dt, &step->report.flags);
        }
    }
}
