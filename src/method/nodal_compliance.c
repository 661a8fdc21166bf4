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

bool spFreezeNodes(const spBody* body, const spPoint* points, int pointCount, int firstPoint, spArena* arena,
                   spComplianceList* list)
{
    int most = 4 * pointCount;
    spPointEntry* entries = spArenaAlloc(arena, spArraySize(most, sizeof(spPointEntry)));
    int32_t* order = spArenaAlloc(arena, spArraySize(most, 2 * sizeof(int32_t)));
    if (entries == NULL || order == NULL)
    {
        return false;
    }
    int count = 0;
    for (int i = 0; i < pointCount; ++i)
    {
        for (int a = 0; a < points[i].count; ++a)
        {
            order[count] = count;
            entries[count++] = (spPointEntry){points[i].nodes[a], i, points[i].weights[a]};
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
        spReal w = body->x[node].w;
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

void spCorrectNodes(spBody* body, const spPoint* points, const spVec3* impulses, const spVec3* shifts,
                    int pointCount)
{
    for (int i = 0; i < pointCount; ++i)
    {
        for (int a = 0; a < points[i].count; ++a)
        {
            spVec4* x = body->x + points[i].nodes[a];
            spVec4* v = body->v + points[i].nodes[a];
            spReal w = points[i].weights[a] * x->w;
            v->x += w * impulses[i].x;
            v->y += w * impulses[i].y;
            v->z += w * impulses[i].z;
            x->x += w * shifts[i].x;
            x->y += w * shifts[i].y;
            x->z += w * shifts[i].z;
        }
    }
}
