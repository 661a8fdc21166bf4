// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The block between two nodes comes from the column of the one that was asked for later, read at the earlier one,
// and serves transposed for the other way round: so the blocks follow from the factor and the order of the nodes
// alone, whenever they are made.

#include "method/compliance_cache.h"

#include "math/mat3.h"

#include <string.h>

// Nodes whose columns are made together, three each
#define SP_NODES_TOGETHER 5

void spFreeComplianceCache(spHeap* heap, spComplianceCache* cache)
{
    spFree(heap, cache->places);
    spFree(heap, cache->cells);
    spFree(heap, cache->a);
    spFree(heap, cache->z);
    *cache = (spComplianceCache){0};
}

bool spHasCompliance(const spFactor* factor)
{
    const spPreconditioner* p = factor != NULL ? spGetFrontFactor(factor) : NULL;
    return p != NULL && p->kind->applyMany != NULL;
}

void spClearComplianceCache(spComplianceCache* cache)
{
    for (int i = 0; i < cache->count && cache->places != NULL; ++i)
    {
        if (cache->nodes[i] < cache->placeCount)
        {
            cache->places[cache->nodes[i]] = -1;
        }
    }
    cache->count = 0;
    cache->stale = false;
}

// Room for the places of all nodes, and for columns
static bool spFitBody(spComplianceCache* cache, const spBody* body)
{
    if (cache->placeCount == body->nodeCount)
    {
        return true;
    }
    size_t size = spArraySize(3 * SP_NODES_TOGETHER, spArraySize(body->nodeCount, sizeof(spVec4)));
    spClearComplianceCache(cache);
    spFreeComplianceCache(body->heap, cache);
    cache->places = spAlloc(body->heap, spArraySize(body->nodeCount, sizeof(int32_t)));
    cache->a = spAlloc(body->heap, size);
    cache->z = spAlloc(body->heap, size);
    if (cache->places == NULL || cache->a == NULL || cache->z == NULL)
    {
        spFreeComplianceCache(body->heap, cache);
        return false;
    }
    cache->placeCount = body->nodeCount;
    memset(cache->places, -1, (size_t)body->nodeCount * sizeof(int32_t));
    return true;
}

static spReal* spGetCells(const spComplianceCache* cache, int column, int entry)
{
    return cache->cells + ((size_t)column * 9 + (size_t)entry) * (size_t)cache->capacity;
}

// Room for so many nodes; those that there are keep their blocks
static bool spGrowCache(spComplianceCache* cache, spHeap* heap, int count)
{
    if (count <= cache->capacity)
    {
        return true;
    }
    int capacity = cache->capacity > 0 ? cache->capacity : 16;
    while (capacity < count)
    {
        capacity *= 2;
    }
    spComplianceCache grown = *cache;
    grown.capacity = capacity;
    grown.cells = spAlloc(heap, spArraySize(9 * (int64_t)capacity * capacity, sizeof(spReal)));
    if (grown.cells == NULL)
    {
        return false;
    }
    for (int column = 0; cache->stale == false && column < cache->count; ++column)
    {
        for (int entry = 0; entry < 9; ++entry)
        {
            memcpy(spGetCells(&grown, column, entry), spGetCells(cache, column, entry),
                   (size_t)cache->count * sizeof(spReal));
        }
    }
    spFree(heap, cache->cells);
    *cache = grown;
    return true;
}

// Columns of the nodes from `first` to `last`, of which there are at most SP_NODES_TOGETHER
static void spMakeColumns(spComplianceCache* cache, const spFactor* factor, int first, int last, spTeam* team)
{
    spPreconditioner* p = spGetFrontFactor(factor);
    size_t n = (size_t)cache->placeCount;
    int columns = 3 * (last - first);
    memset(cache->a, 0, (size_t)columns * n * sizeof(spVec4));
    for (int k = 0; k < columns; ++k)
    {
        spVec4* unit = cache->a + n * (size_t)k + cache->nodes[first + k / 3];
        *unit = (spVec4){k % 3 == 0, k % 3 == 1, k % 3 == 2, 0};
    }
    p->kind->applyMany(p, team, cache->a, cache->z, columns);
    for (int place = first; place < last; ++place)
    {
        for (int other = 0; other <= place; ++other)
        {
            for (int k = 0; k < 3; ++k)
            {
                spVec4 z = cache->z[n * (size_t)(3 * (place - first) + k) + (size_t)cache->nodes[other]];
                const spReal column[3] = {z.x, z.y, z.z};
                for (int row = 0; row < 3; ++row)
                {
                    spGetCells(cache, place, 3 * row + k)[other] = column[row];
                    spGetCells(cache, other, 3 * k + row)[place] = column[row];
                }
            }
        }
    }
}

static void spMakeBlocks(spComplianceCache* cache, const spFactor* factor, int first, spTeam* team)
{
    while (first < cache->count)
    {
        int last = spMinInt(first + SP_NODES_TOGETHER, cache->count);
        spMakeColumns(cache, factor, first, last, team);
        first = last;
    }
}

spComplianceResult spListCompliance(spComplianceCache* cache, const spBody* body, const spFactor* factor,
                                    const int32_t* nodes, int count, spTeam* team)
{
    int64_t serial = spGetFactorSerial(factor);
    if (spFitBody(cache, body) == false)
    {
        return sp_complianceNoMemory;
    }
    if (cache->serial != serial)
    {
        spClearComplianceCache(cache);
    }
    bool stale = cache->stale;
    int before = cache->count, added = before;
    for (int i = 0; i < count; ++i)
    {
        if (cache->places[nodes[i]] < 0)
        {
            if (added == SP_COMPLIANCE_NODES)
            {
                // What is not touched any more gives way; too many that are do not fit
                bool all = before == 0;
                cache->count = added;
                spClearComplianceCache(cache);
                return all ? sp_complianceTooMany : spListCompliance(cache, body, factor, nodes, count, team);
            }
            cache->places[nodes[i]] = added;
            cache->nodes[added++] = nodes[i];
        }
    }
    bool room = spGrowCache(cache, body->heap, added);
    cache->count = added;
    if (room == false)
    {
        spClearComplianceCache(cache);
        return sp_complianceNoMemory;
    }
    spMakeBlocks(cache, factor, stale ? 0 : before, team);
    cache->serial = serial;
    cache->stale = false;
    return sp_complianceListed;
}

void spWalkCompliance(spComplianceCache* cache, const spBody* body, spFactor* factor, spWalkMemoryFcn* fcn,
                      void* walk)
{
    int64_t serial = spGetFactorSerial(factor);
    if (cache->serial != serial)
    {
        spClearComplianceCache(cache);
    }
    spWalkFactor(factor, fcn, walk);
    int32_t count = cache->count, nodes[SP_COMPLIANCE_NODES] = {0};
    memcpy(nodes, cache->nodes, (size_t)count * sizeof(int32_t));
    fcn(walk, sp_pieceCount, &count, sizeof(count));
    fcn(walk, sp_pieceAny, nodes, sizeof(nodes));
    bool same = count == cache->count && memcmp(nodes, cache->nodes, (size_t)count * sizeof(int32_t)) == 0;
    cache->stale = cache->stale || same == false || serial != spGetFactorSerial(factor);
    // Of this factor: where another takes its place before the nodes are asked for, they give way as they would have
    cache->serial = spGetFactorSerial(factor);
    if (same)
    {
        return;
    }
    bool fits = count <= SP_COMPLIANCE_NODES && spFitBody(cache, body);
    spClearComplianceCache(cache);
    cache->stale = true;
    for (int i = 0; fits && i < count; ++i)
    {
        if (nodes[i] >= 0 && nodes[i] < cache->placeCount && cache->places[nodes[i]] < 0)
        {
            cache->places[nodes[i]] = cache->count;
            cache->nodes[cache->count++] = nodes[i];
        }
    }
}
