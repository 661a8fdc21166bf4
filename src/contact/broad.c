// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/broad.h"

#include "contact/contact_surface.h"
#include "math/vec3.h"
#include "mesh/sort.h"

static bool spMayTouch(const spBody* body)
{
    return body != NULL && body->running && body->methodDef.contact != sp_contactOff &&
           body->contactSurface != NULL;
}

static bool spAreLinked(const spTouchContext* c, int a, int b)
{
    for (int k = 0; k < c->linkCount; ++k)
    {
        const spLink* link = c->links[k];
        if (link != NULL &&
            ((link->body == a && link->otherBody == b) || (link->body == b && link->otherBody == a)))
        {
            return true;
        }
    }
    return false;
}

static bool spShareGroups(const spBody* a, const spBody* b)
{
    return (a->group & b->touches) != 0 && (b->group & a->touches) != 0;
}

bool spMayPairTouch(const spTouchContext* c, int a, int b)
{
    const spBody *first = c->bodies[a], *second = c->bodies[b];
    if (spMayTouch(first) == false || spMayTouch(second) == false)
    {
        return false;
    }
    return a == b ? first->selfContact
                  : c->betweenBodies && spAreLinked(c, a, b) == false && spShareGroups(first, second);
}

// How far beyond its box a body may touch in the step, whatever others do
static spReal spGetOwnReach(const spTouchContext* c, int slot)
{
    const spContactSurface* s = c->bodies[slot]->contactSurface;
    return c->reach + s->thickness + 2 * c->dt * (spLength3(s->velocity) + s->spread);
}

static spReal spGetBegin(const spTouchContext* c, int slot)
{
    return c->bodies[slot]->contactSurface->boxes[0].lower.x - spGetOwnReach(c, slot);
}

static bool spIsBoxBefore(int32_t a, int32_t b, const void* context)
{
    return spGetBegin(context, a) < spGetBegin(context, b);
}

static bool spAreNear(const spTouchContext* c, int first, int second)
{
    const spContactSurface *a = c->bodies[first]->contactSurface, *b = c->bodies[second]->contactSurface;
    spReal speed = spDistance3(a->velocity, b->velocity) + a->spread + b->spread;
    spReal margin = c->reach + a->thickness + b->thickness + 2 * c->dt * speed;
    return spBoxesMeet(a->boxes, b->boxes, margin) && spShareGroups(c->bodies[first], c->bodies[second]) &&
           spAreLinked(c, first, second) == false;
}

// Room for pairs, grown within the arena
typedef struct spPairList
{
    spArena* arena;
    spBodyPair* pairs;
    int count, capacity;
} spPairList;

static bool spAddPair(spPairList* list, int a, int b)
{
    if (list->count == list->capacity)
    {
        int capacity = 2 * list->capacity + 64;
        spBodyPair* grown = spArenaAlloc(list->arena, spArraySize(capacity, sizeof(spBodyPair)));
        if (grown == NULL)
        {
            return false;
        }
        for (int i = 0; i < list->count; ++i)
        {
            grown[i] = list->pairs[i];
        }
        list->pairs = grown;
        list->capacity = capacity;
    }
    list->pairs[list->count++] = (spBodyPair){spMinInt(a, b), spMaxInt(a, b)};
    return true;
}

static bool spIsPairBefore(int32_t a, int32_t b, const void* context)
{
    const spBodyPair *first = (const spBodyPair*)context + a, *second = (const spBodyPair*)context + b;
    return first->first < second->first || (first->first == second->first && first->second < second->second);
}

// The pairs in their order, in new room
static spBodyPair* spSortPairs(const spPairList* list)
{
    spBodyPair* sorted = spArenaAlloc(list->arena, spArraySize(list->count, sizeof(spBodyPair)));
    int32_t* order = spArenaAlloc(list->arena, spArraySize(list->count, 2 * sizeof(int32_t)));
    for (int i = 0; sorted != NULL && order != NULL && i < list->count; ++i)
    {
        order[i] = i;
    }
    if (sorted == NULL || order == NULL)
    {
        return NULL;
    }
    spSortIndices(order, order + list->count, list->count, spIsPairBefore, list->pairs);
    for (int i = 0; i < list->count; ++i)
    {
        sorted[i] = list->pairs[order[i]];
    }
    return sorted;
}

bool spFindPairs(const spTouchContext* c, spBodyPair** pairs, int* pairCount)
{
    spPairList list = {.arena = c->arena};
    int32_t* order = spArenaAlloc(c->arena, spArraySize(c->bodyCount, 2 * sizeof(int32_t)));
    int count = 0;
    bool ok = c->bodyCount == 0 || order != NULL;
    for (int i = 0; ok && i < c->bodyCount; ++i)
    {
        if (spMayTouch(c->bodies[i]))
        {
            order[count++] = i;
        }
    }
    if (count > 0)
    {
        spSortIndices(order, order + c->bodyCount, count, spIsBoxBefore, c);
    }
    for (int i = 0; ok && i < count; ++i)
    {
        spReal end = c->bodies[order[i]]->contactSurface->boxes[0].upper.x + spGetOwnReach(c, order[i]);
        ok = c->bodies[order[i]]->selfContact == false || spAddPair(&list, order[i], order[i]);
        for (int k = i + 1; ok && c->betweenBodies && k < count; ++k)
        {
            if (spGetBegin(c, order[k]) > end)
            {
                break;
            }
            int first = spMinInt(order[i], order[k]), second = spMaxInt(order[i], order[k]);
            ok = spAreNear(c, first, second) == false || spAddPair(&list, first, second);
        }
    }
    *pairCount = ok ? list.count : 0;
    *pairs = *pairCount > 0 ? spSortPairs(&list) : NULL;
    return ok && (*pairCount == 0 || *pairs != NULL);
}
