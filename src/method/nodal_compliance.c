// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Nodal compliance: points move each other only through nodes that they share. There are as many pairs of points at a
// node as it has points squared, so that no blocks are made: an impulse goes to the nodes of its point, and whoever
// wants to know how a point moves asks its nodes.

#include "method/method.h"

#include <string.h>

// Numbers for nodes, from those that the list has already, in the order in which points name them
typedef struct spNodalList
{
    spComplianceList* list;
    int32_t* numbers; // of each node, -1 for none yet
} spNodalList;

// Room for so many entries. False when there is no memory.
static bool spOpenNodal(spNodalList* nodal, spComplianceList* list, int64_t entries, int nodeCount,
                        spArena* arena)
{
    *nodal = (spNodalList){list, spArenaAlloc(arena, spArraySize(nodeCount, sizeof(int32_t)))};
    if (nodal->numbers == NULL || entries > INT32_MAX / 2 - list->entryCount ||
        spGrowNodal(list, arena, (int)entries) == false)
    {
        return false;
    }
    memset(nodal->numbers, 0xff, (size_t)nodeCount * sizeof(int32_t));
    return true;
}

static void spAddNodal(const spNodalList* nodal, int point, spReal weight, int32_t node, spReal w)
{
    spComplianceList* list = nodal->list;
    int32_t* number = nodal->numbers + node;
    *number = *number < 0 ? list->nodeCount++ : *number;
    list->entries[list->entryCount++] = (spNodalEntry){point, *number, weight, weight * w};
}

bool spFreezeNodes(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                   spComplianceList* list)
{
    int64_t most = 0;
    for (int i = 0; i < points->count; ++i)
    {
        most += points->sides[i].count;
    }
    spNodalList nodal;
    if (spOpenNodal(&nodal, list, most, body->nodeCount, arena) == false)
    {
        return false;
    }
    for (int i = 0; i < points->count; ++i)
    {
        for (int a = 0; a < points->sides[i].count; ++a)
        {
            spRowNode n = spGetSideNode(points->sides + i, points->pool, a);
            spReal w = body->backend->view(body->x, n.node, n.node + 1)[n.node].w;
            spAddNodal(&nodal, firstPoint + i, n.weight, n.node, w);
        }
    }
    return true;
}

bool spFreezeEntries(const spBackend* backend, const spVec4* x, int nodeCount, const int32_t* begin,
                     const spGhostEntry* followed, int pointCount, int firstPoint, spArena* arena,
                     spComplianceList* list)
{
    spNodalList nodal;
    if (spOpenNodal(&nodal, list, begin[pointCount], nodeCount, arena) == false)
    {
        return false;
    }
    for (int i = 0; i < pointCount; ++i)
    {
        for (int k = begin[i]; k < begin[i + 1]; ++k)
        {
            const spGhostEntry* at = followed + k;
            spReal w = backend->view(x, at->node, at->node + 1)[at->node].w;
            spAddNodal(&nodal, firstPoint + i, at->weight, at->node, w);
        }
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
