// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contacts as users read them. The step lists who pressed on what; here they get areas, slip and ages, and are
// compared with those of the step before: pairs that came are begins, pairs that went are ends.

#include "body/contact_law.h"
#include "body/node_area.h"
#include "math/vec3.h"
#include "mesh/sort.h"
#include "world/world.h"

// What rests on a few points need not press in every step: so many steps without a contact do not end a touch
#define SP_MOST_IDLE 3

void spFreeContactHistory(spHeap* heap, spContactHistory* history)
{
    spFreeMultipliers(heap, &history->pressed);
    spFreeMultipliers(heap, &history->lastPressed);
    spFree(heap, history->pairs.entries);
    spFree(heap, history->lastPairs.entries);
    spFree(heap, history->found.entries);
    spFree(heap, history->order);
    spFree(heap, history->temp);
    spFree(heap, history->begins);
    spFree(heap, history->ends);
    spFree(heap, history->hits);
}

// ---- one contact ----

// The value at a side, from an array of the body
static spVec3 spSumContactSide(const spBody* body, const spContactSide* side, const spVec4* values)
{
    spVec3 sum = {0, 0, 0};
    for (int k = 0; k < side->count; ++k)
    {
        int node = body->order.rank[side->nodes[k]];
        sum = spMulAdd3(sum, side->weights[k], spXyz(body->backend->view(values, node, node + 1)[node]));
    }
    return sum;
}

static spReal spSumSideArea(const spBody* body, const spContactSide* side, spVec3 direction)
{
    spReal sum = 0;
    for (int k = 0; body != NULL && k < side->count; ++k)
    {
        sum += side->weights[k] * spGetNodeArea(body, side->nodes[k], direction);
    }
    return sum;
}

// Velocity of the body relative to the other side: at the end of the step, or at its start
static spVec3 spGetContactVelocity(const spWorld* world, const spContact* c, bool atStart)
{
    const spBody *body = spGetBody(world, c->body), *other = spGetBody(world, c->otherBody);
    const spCollider* collider = spGetCollider(world, c->collider);
    spVec3 v = spSumContactSide(body, &c->side, atStart ? body->goodV : body->v);
    spVec3 from = {0, 0, 0};
    if (other != NULL)
    {
        from = spSumContactSide(other, &c->otherSide, atStart ? other->goodV : other->v);
    }
    else if (collider != NULL && collider->moving)
    {
        spPose pose = spGetColliderPose(collider, atStart ? 0 : 1, world->contactDt);
        from = spGetSurfaceVelocity(&pose, c->position);
    }
    return spSub3(v, from);
}

bool spDescribeContacts(spWorld* world)
{
    bool room = true;
    for (int i = 0; i < world->contactCount; ++i)
    {
        spContact* c = world->contacts + i;
        spBody *body = spGetBody(world, c->body), *other = spGetBody(world, c->otherBody);
        room = spUpdateNodeFans(body) && room;
        room = (other == NULL || spUpdateNodeFans(other)) && room;
        spReal area = spSumSideArea(body, &c->side, spScale3(-1, c->normal));
        // A volume has an area of its own
        c->area = c->area > 0 ? c->area : area > 0 ? area : spSumSideArea(other, &c->otherSide, c->normal);
        spVec3 v = spGetContactVelocity(world, c, false);
        c->slip = spMulSub3(v, spDot3(v, c->normal), c->normal);
    }
    return room;
}

// ---- ages ----

static void spSwapMultipliers(spMultipliers* a, spMultipliers* b)
{
    spMultipliers kept = *a;
    *a = *b;
    *b = kept;
}

// A contact may be listed twice: both entries have one age
static bool spCountAges(spWorld* world)
{
    spContactHistory* h = &world->history;
    spSwapMultipliers(&h->pressed, &h->lastPressed);
    h->pressed.count = 0;
    if (spReserve(&world->heap, (void**)&h->pressed.entries, 0, &h->pressed.capacity, world->contactCount,
                  sizeof(spMultiplier)) == false)
    {
        return false;
    }
    for (int i = 0; i < world->contactCount; ++i)
    {
        spContact* c = world->contacts + i;
        int32_t age = spFindMultiplier(&h->lastPressed, c->key).age;
        c->age = age < INT32_MAX / 2 ? age + 1 : age;
        h->pressed.entries[h->pressed.count++] =
            (spMultiplier){.key = c->key, .force = c->force, .age = c->age};
    }
    spSortMultipliers(&h->pressed);
    return true;
}

// ---- pairs ----

bool spIsPairBefore(const spTouchingPair* a, const spTouchingPair* b)
{
    return a->first != b->first         ? a->first < b->first
           : a->collider != b->collider ? b->collider
                                        : a->second < b->second;
}

static spTouchingPair spGetPairOf(const spContact* c)
{
    uint64_t body = SP_ID_NUMBER(c->body), other = SP_ID_NUMBER(c->otherBody);
    if (SP_IS_NULL(c->otherBody))
    {
        return (spTouchingPair){.first = body, .second = SP_ID_NUMBER(c->collider), .collider = true};
    }
    return body < other ? (spTouchingPair){.first = body, .second = other}
                        : (spTouchingPair){.first = other, .second = body};
}

static bool spIsContactBefore(int32_t a, int32_t b, const void* context)
{
    const spContact* contacts = context;
    spTouchingPair first = spGetPairOf(contacts + a), second = spGetPairOf(contacts + b);
    return spIsPairBefore(&first, &second);
}

static spThing spGetThing(uint64_t number, bool collider)
{
    uint32_t index1 = (uint32_t)number, generation = (uint32_t)(number >> 32);
    return collider ? spColliderThing((spColliderId){index1, generation})
                    : spBodyThing((spBodyId){index1, generation});
}

static spTouchEvent spMakeTouchEvent(const spTouchingPair* pair)
{
    return (spTouchEvent){spGetThing(pair->first, false), spGetThing(pair->second, pair->collider)};
}

// Room for all that a step can tell
static bool spReserveEvents(spWorld* world)
{
    spContactHistory* h = &world->history;
    spHeap* heap = &world->heap;
    int count = world->contactCount, last = h->lastPairs.count;
    return spReserve(heap, (void**)&h->order, 0, &h->orderCapacity, count, sizeof(int32_t)) &&
           spReserve(heap, (void**)&h->temp, 0, &h->tempCapacity, count, sizeof(int32_t)) &&
           spReserve(heap, (void**)&h->found.entries, 0, &h->found.capacity, count, sizeof(spTouchingPair)) &&
           spReserve(heap, (void**)&h->pairs.entries, 0, &h->pairs.capacity, count + last,
                     sizeof(spTouchingPair)) &&
           spReserve(heap, (void**)&h->begins, 0, &h->beginCapacity, count, sizeof(spTouchEvent)) &&
           spReserve(heap, (void**)&h->ends, 0, &h->endCapacity, last, sizeof(spTouchEvent)) &&
           spReserve(heap, (void**)&h->hits, 0, &h->hitCapacity, count, sizeof(spHitEvent));
}

// The fastest new contact of those of one pair, where it is fast enough
static void spFindHit(spWorld* world, const spTouchingPair* pair, int begin, int end)
{
    spContactHistory* h = &world->history;
    spReal fastest = world->def.hitSpeed;
    const spContact* hit = NULL;
    for (int i = begin; i < end; ++i)
    {
        const spContact* c = world->contacts + h->order[i];
        spReal speed = c->age == 1 ? -spDot3(spGetContactVelocity(world, c, true), c->normal) : 0;
        if (speed > fastest)
        {
            fastest = speed;
            hit = c;
        }
    }
    if (hit != NULL)
    {
        bool turned = SP_ID_NUMBER(hit->body) != pair->first;
        h->hits[h->hitCount++] = (spHitEvent){
            .first = spGetThing(pair->first, false),
            .second = spGetThing(pair->second, pair->collider),
            .position = hit->position,
            .normal = turned ? spScale3(-1, hit->normal) : hit->normal,
            .speed = fastest,
            .key = hit->key,
        };
    }
}

// Pairs that press in this step, from contacts in their order
static void spListPairs(spWorld* world)
{
    spContactHistory* h = &world->history;
    for (int i = 0; i < world->contactCount; ++i)
    {
        h->order[i] = i;
    }
    spSortIndices(h->order, h->temp, world->contactCount, spIsContactBefore, world->contacts);
    for (int begin = 0, end = 0; begin < world->contactCount; begin = end)
    {
        spTouchingPair pair = spGetPairOf(world->contacts + h->order[begin]);
        end = begin + 1;
        while (end < world->contactCount &&
               spIsContactBefore(h->order[begin], h->order[end], world->contacts) == false)
        {
            end += 1;
        }
        h->found.entries[h->found.count++] = pair;
        spFindHit(world, &pair, begin, end);
    }
}

static bool spIsThere(const spWorld* world, uint64_t number, bool collider)
{
    spThing thing = spGetThing(number, collider);
    return collider ? spGetCollider(world, thing.collider) != NULL : spGetBody(world, thing.body) != NULL;
}

// Keeps a pair that does not press for a few steps, or tells that it has ended
static void spKeepPair(spWorld* world, spTouchingPair pair)
{
    spContactHistory* h = &world->history;
    pair.idle += 1;
    if (pair.idle <= SP_MOST_IDLE && spIsThere(world, pair.first, false) &&
        spIsThere(world, pair.second, pair.collider))
    {
        h->pairs.entries[h->pairs.count++] = pair;
        return;
    }
    h->ends[h->endCount++] = spMakeTouchEvent(&pair);
}

static void spComparePairs(spWorld* world)
{
    spContactHistory* h = &world->history;
    const spTouchingPair *now = h->found.entries, *last = h->lastPairs.entries;
    for (int i = 0, k = 0; i < h->found.count || k < h->lastPairs.count;)
    {
        bool came = k == h->lastPairs.count || (i < h->found.count && spIsPairBefore(now + i, last + k));
        bool went = i == h->found.count || (k < h->lastPairs.count && spIsPairBefore(last + k, now + i));
        if (went)
        {
            spKeepPair(world, last[k]);
        }
        else
        {
            h->pairs.entries[h->pairs.count++] = now[i];
        }
        if (came)
        {
            h->begins[h->beginCount++] = spMakeTouchEvent(now + i);
        }
        i += went ? 0 : 1;
        k += came ? 0 : 1;
    }
}

void spForgetEvents(spWorld* world)
{
    world->history.beginCount = 0;
    world->history.endCount = 0;
    world->history.hitCount = 0;
}

bool spFollowContacts(spWorld* world)
{
    spContactHistory* h = &world->history;
    spTouchingPairs kept = h->pairs;
    h->pairs = h->lastPairs;
    h->lastPairs = kept;
    h->pairs.count = 0;
    h->found.count = 0;
    spForgetEvents(world);
    if (spCountAges(world) == false || spReserveEvents(world) == false)
    {
        return false;
    }
    spListPairs(world);
    spComparePairs(world);
    return true;
}

// ---- reading ----

int spWorld_GetContactCount(const spWorld* world)
{
    return world != NULL ? world->contactCount : 0;
}

int spWorld_GetContacts(const spWorld* world, spContact* contacts, int capacity)
{
    int count = world != NULL && contacts != NULL ? spMinInt(world->contactCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        contacts[i] = world->contacts[i];
    }
    return spMaxInt(count, 0);
}

spContactEvents spWorld_GetContactEvents(const spWorld* world)
{
    if (world == NULL)
    {
        return (spContactEvents){0};
    }
    const spContactHistory* h = &world->history;
    return (spContactEvents){
        .begins = h->begins,
        .ends = h->ends,
        .hits = h->hits,
        .beginCount = h->beginCount,
        .endCount = h->endCount,
        .hitCount = h->hitCount,
    };
}

static bool spIsSameThing(spThing a, spThing b)
{
    return SP_ID_EQUALS(a.body, b.body) && SP_ID_EQUALS(a.collider, b.collider);
}

// 1 when a contact is on the side of a thing that touches the other one, -1 when it is on the other side, else 0
static int spGetSideOf(const spContact* c, spThing thing, spThing other)
{
    spThing a = spBodyThing(c->body), b = {c->otherBody, c->collider};
    bool any = SP_IS_NULL(other.body) && SP_IS_NULL(other.collider), self = spIsSameThing(a, b);
    if (any && self)
    {
        return 0;
    }
    if (spIsSameThing(a, thing) && (any || spIsSameThing(b, other)))
    {
        return 1;
    }
    return spIsSameThing(b, thing) && (any || spIsSameThing(a, other)) ? -1 : 0;
}

static spReal spGetPressed(const spContact* c)
{
    return spDot3(c->force, c->normal);
}

spPairLoad spWorld_GetPairLoad(const spWorld* world, spThing thing, spThing other, spVec3 point)
{
    spPairLoad load = {0};
    for (int i = 0; world != NULL && i < world->contactCount; ++i)
    {
        const spContact* c = world->contacts + i;
        int side = spGetSideOf(c, thing, other);
        if (side == 0)
        {
            continue;
        }
        // Both sides of a body that touches itself are on it
        spReal sign = spIsSameThing(thing, other) ? 0 : (spReal)side;
        load.force = spMulAdd3(load.force, sign, c->force);
        load.torque = spMulAdd3(load.torque, sign, spCross3(spSub3(c->position, point), c->force));
        load.contactCount += 1;
        spReal pressure = c->area > 0 ? spGetPressed(c) / c->area : 0, slip = spLength3(c->slip);
        load.pressure = pressure > load.pressure ? pressure : load.pressure;
        load.depth = -c->gap > load.depth ? -c->gap : load.depth;
        load.slip = slip > load.slip ? slip : load.slip;
    }
    return load;
}

spVec3 spWorld_GetPairForce(const spWorld* world, spBodyId body, spBodyId otherBody)
{
    if (SP_IS_NULL(body) || SP_IS_NULL(otherBody))
    {
        return (spVec3){0, 0, 0};
    }
    return spWorld_GetPairLoad(world, spBodyThing(body), spBodyThing(otherBody), (spVec3){0, 0, 0}).force;
}

// ---- fields of a body ----

static void spAddSideForces(const spContactSide* side, spVec3 force, spVec3* forces)
{
    for (int k = 0; k < side->count; ++k)
    {
        forces[side->nodes[k]] = spMulAdd3(forces[side->nodes[k]], side->weights[k], force);
    }
}

int spBody_CopyContactForces(const spWorld* world, spBodyId id, spVec3* forces, int capacity)
{
    const spBody* body = spGetBody(world, id);
    if (body == NULL || forces == NULL || capacity < body->userCount)
    {
        return 0;
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        forces[i] = (spVec3){0, 0, 0};
    }
    for (int i = 0; i < world->contactCount; ++i)
    {
        const spContact* c = world->contacts + i;
        if (SP_ID_EQUALS(c->body, id))
        {
            spAddSideForces(&c->side, c->force, forces);
        }
        if (SP_ID_EQUALS(c->otherBody, id))
        {
            spAddSideForces(&c->otherSide, spScale3(-1, c->force), forces);
        }
    }
    return body->userCount;
}

// The normal force of a contact, as a pressure at the nodes of one side
static void spAddSidePressures(const spBody* body, const spContactSide* side, spReal pressed,
                               spVec3 direction, spReal* pressures)
{
    for (int k = 0; k < side->count; ++k)
    {
        spReal area = spGetNodeArea(body, side->nodes[k], direction);
        pressures[side->nodes[k]] += area > 0 ? side->weights[k] * pressed / area : 0;
    }
}

int spBody_CopyContactPressures(const spWorld* world, spBodyId id, spReal* pressures, int capacity)
{
    const spBody* body = spGetBody(world, id);
    if (body == NULL || pressures == NULL || capacity < body->userCount || body->triangleCount == 0)
    {
        return 0;
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        pressures[i] = 0;
    }
    for (int i = 0; i < world->contactCount; ++i)
    {
        const spContact* c = world->contacts + i;
        if (SP_ID_EQUALS(c->body, id))
        {
            spAddSidePressures(body, &c->side, spGetPressed(c), spScale3(-1, c->normal), pressures);
        }
        if (SP_ID_EQUALS(c->otherBody, id))
        {
            spAddSidePressures(body, &c->otherSide, spGetPressed(c), c->normal, pressures);
        }
    }
    return body->userCount;
}
