// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Nodal compliance: points move each other only through nodes that they share, found by sorting.

#include "mesh/sort.h"
#include "method/method.h"

typedef struct spPointEntry
{
    int32_t node, point;
    spReal weight;
} spPointEntry;

static bool spIsEntryBefore(int32_t a, int32_t b, const void* context)
{
    const spPointEntry* entries = context;
    return entries[a].node < entries[b].node;
}

// Blocks of all pairs of entries that share a node
static bool spPairEntries(const spBackend* backend, const spVec4* x, const spPointEntry* entries, int count,
                          int firstPoint, spArena* arena, spComplianceList* list)
{
    int32_t* order = spArenaAlloc(arena, spArraySize(count, 2 * sizeof(int32_t)));
    if (order == NULL)
    {
        return false;
    }
    for (int i = 0; i < count; ++i)
    {
        order[i] = i;
    }
    spSortIndices(order, order + count, count, spIsEntryBefore, entries);
    for (int begin = 0; begin < count;)
    {
        int32_t node = entries[order[begin]].node;
        int end = begin;
        while (end < count && entries[order[end]].node == node)
        {
            end += 1;
        }
        int same = end - begin;
        if (spGrowCompliance(list, arena, same * same) == false)
        {
            return false;
        }
        spReal w = backend->view(x, node, node + 1)[node].w;
        for (int k = 0; k < same * same; ++k)
        {
            const spPointEntry* a = entries + order[begin + k / same];
            const spPointEntry* b = entries + order[begin + k % same];
            list->blocks[list->count++] =
                (spComplianceBlock){firstPoint + a->point, firstPoint + b->point,
                                    spScaleMat3(w * a->weight * b->weight, spIdentityMat3())};
        }
        begin = end;
    }
    return true;
}

bool spFreezeNodes(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                   spComplianceList* list)
{
    int64_t most = 0;
    for (int i = 0; i < points->count; ++i)
    {
        most += points->sides[i].count;
    }
    spPointEntry* entries = spArenaAlloc(arena, spArraySize(most, sizeof(spPointEntry)));
    if (most > INT32_MAX || entries == NULL)
    {
        return false;
    }
    int count = 0;
    for (int i = 0; i < points->count; ++i)
    {
        for (int a = 0; a < points->sides[i].count; ++a)
        {
            spRowNode n = spGetSideNode(points->sides + i, points->pool, a);
            entries[count++] = (spPointEntry){n.node, i, n.weight};
        }
    }
    return spPairEntries(body->backend, body->x, entries, count, firstPoint, arena, list);
}

bool spFreezeEntries(const spBackend* backend, const spVec4* x, const int32_t* begin,
                     const spGhostEntry* followed, int pointCount, int firstPoint, spArena* arena,
                     spComplianceList* list)
{
    int count = begin[pointCount];
    spPointEntry* entries = spArenaAlloc(arena, spArraySize(count, sizeof(spPointEntry)));
    for (int i = 0; entries != NULL && i < pointCount; ++i)
    {
        for (int k = begin[i]; k < begin[i + 1]; ++k)
        {
            entries[k] = (spPointEntry){followed[k].node, i, followed[k].weight};
        }
    }
    return count == 0 ||
           (entries != NULL && spPairEntries(backend, x, entries, count, firstPoint, arena, list));
}

void spCorrectNodes(spBody* body, const spPoints* points, const spVec3* impulses, const spVec3* shifts)
{
    for (int i = 0; i < points->count; ++i)
    {
        for (int a = 0; a < points->sides[i].count; ++a)
        {
            spRowNode n = spGetSideNode(points->sides + i, points->pool, a);
            body->backend->pushNode(body->x, body->v, n.node, n.weight, impulses[i], shifts[i]);
        }
    }
}
