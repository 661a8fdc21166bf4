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

bool spFreezeNodes(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                   spComplianceList* list)
{
    int64_t most = 0;
    for (int i = 0; i < points->count; ++i)
    {
        most += points->sides[i].count;
    }
    spPointEntry* entries = spArenaAlloc(arena, spArraySize(most, sizeof(spPointEntry)));
    int32_t* order = spArenaAlloc(arena, spArraySize(most, 2 * sizeof(int32_t)));
    if (most > INT32_MAX || entries == NULL || order == NULL)
    {
        return false;
    }
    int count = 0;
    for (int i = 0; i < points->count; ++i)
    {
        for (int a = 0; a < points->sides[i].count; ++a)
        {
            spRowNode n = spGetSideNode(points->sides + i, points->pool, a);
            order[count] = count;
            entries[count++] = (spPointEntry){n.node, i, n.weight};
        }
    }
    spSortIndices(order, order + most, count, spIsEntryBefore, entries);
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
        spReal w = body->backend->view(body->x, node, node + 1)[node].w;
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
