// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/pair_table.h"

#include <math.h>
#include <string.h>

// First place whose pair does not come before this one
static int spFindPair(const spPairTable* table, uint64_t body, uint64_t collider)
{
    int low = 0, high = table->count;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        const spPairEntry* e = table->entries + middle;
        bool before = e->body < body || (e->body == body && e->collider < collider);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static bool spIsPair(const spPairTable* table, int place, uint64_t body, uint64_t collider)
{
    return place < table->count && table->entries[place].body == body &&
           table->entries[place].collider == collider;
}

bool spSetPair(spHeap* heap, spPairTable* table, uint64_t body, uint64_t collider,
               const spPairMaterial* material)
{
    int place = spFindPair(table, body, collider);
    if (spIsPair(table, place, body, collider) == false)
    {
        if (spReserve(heap, (void**)&table->entries, table->count, &table->capacity, table->count + 1,
                      sizeof(spPairEntry)) == false)
        {
            return false;
        }
        memmove(table->entries + place + 1, table->entries + place,
                (size_t)(table->count - place) * sizeof(spPairEntry));
        table->count += 1;
    }
    table->entries[place] = (spPairEntry){body, collider, *material};
    return true;
}

void spRemovePairs(spPairTable* table, uint64_t body, uint64_t collider)
{
    int count = 0;
    for (int i = 0; i < table->count; ++i)
    {
        const spPairEntry* e = table->entries + i;
        bool goes = (body == 0 || e->body == body) && (collider == 0 || e->collider == collider);
        if (goes == false)
        {
            table->entries[count++] = *e;
        }
    }
    table->count = count;
}

spPairMaterial spGetPair(const spPairTable* table, const spBody* body, const spCollider* collider)
{
    uint64_t a = SP_ID_NUMBER(body->id), b = SP_ID_NUMBER(collider->id);
    int place = spFindPair(table, a, b);
    const spColliderDef* def = &collider->def;
    if (spIsPair(table, place, a, b))
    {
        return table->entries[place].material;
    }
    return (spPairMaterial){
        .touch = (body->group & def->touches) != 0 && (def->group & body->touches) != 0,
        .friction = (spReal)sqrt((double)(body->friction * def->friction)),
        .restitution = body->restitution > def->restitution ? body->restitution : def->restitution,
    };
}
