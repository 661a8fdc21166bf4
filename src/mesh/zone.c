// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/zone.h"

#include <string.h>

// Levels of a zone at least: with two, what an element of one zone reaches lies before the next zone but one
#define SP_ZONE_LEVELS 2

// Elements around each node, of all lists together
typedef struct spAround
{
    int32_t* begin;  // (nodeCount + 1)
    int32_t* places; // number of the list, then of the element in it, for each
    int count;
} spAround;

typedef struct spLeveller
{
    const spElementList* lists;
    spAround around;
    int32_t* level; // of each node, -1 before it is reached
    int32_t* queue; // nodes in the order in which they were reached
    int reached;
} spLeveller;

static bool spCollectAround(spAround* a, spHeap* heap, const spElementList* lists, int listCount,
                            int nodeCount)
{
    a->begin = spAllocZeroed(heap, spArraySize(nodeCount + 2, sizeof(int32_t)));
    if (a->begin == NULL)
    {
        return false;
    }
    for (int i = 0; i < listCount; ++i)
    {
        a->count += lists[i].count * lists[i].nodesPerElement;
        for (int k = 0; k < lists[i].count * lists[i].nodesPerElement; ++k)
        {
            a->begin[lists[i].nodes[k] + 2] += 1;
        }
    }
    for (int node = 0; node <= nodeCount; ++node)
    {
        a->begin[node + 1] += a->begin[node];
    }
    a->places = spAlloc(heap, spArraySize(a->count, 2 * sizeof(int32_t)));
    if (a->places == NULL && a->count > 0)
    {
        return false;
    }
    // begin[node + 1] is where the next one of node goes, and ends as the first of node + 1
    for (int i = 0; i < listCount; ++i)
    {
        for (int k = 0; k < lists[i].count * lists[i].nodesPerElement; ++k)
        {
            int32_t* place = a->places + 2 * (size_t)a->begin[lists[i].nodes[k] + 1]++;
            place[0] = i;
            place[1] = k / lists[i].nodesPerElement;
        }
    }
    return true;
}

// Reaches everything that hangs together with `first`, from level `level` on. Returns the highest level.
static int spReach(spLeveller* l, int32_t first, int level)
{
    int head = l->reached;
    l->queue[l->reached++] = first;
    l->level[first] = level;
    while (head < l->reached)
    {
        int32_t node = l->queue[head++];
        level = l->level[node];
        for (int i = l->around.begin[node]; i < l->around.begin[node + 1]; ++i)
        {
            const int32_t* place = l->around.places + 2 * (size_t)i;
            const spElementList* list = l->lists + place[0];
            const int32_t* nodes = list->nodes + (size_t)place[1] * list->nodesPerElement;
            for (int k = 0; k < list->nodesPerElement; ++k)
            {
                if (l->level[nodes[k]] < 0)
                {
                    l->level[nodes[k]] = level + 1;
                    l->queue[l->reached++] = nodes[k];
                }
            }
        }
    }
    return level;
}

// From the node that is farthest from any, so that there are many levels with few nodes each
static int spReachPart(spLeveller* l, int32_t any, int level)
{
    int begin = l->reached;
    spReach(l, any, level);
    int32_t far = l->queue[l->reached - 1];
    for (int i = begin; i < l->reached; ++i)
    {
        l->level[l->queue[i]] = -1;
    }
    l->reached = begin;
    return spReach(l, far, level);
}

// Cuts the levels into zones. levelSize becomes the zone of each level.
static int spCutLevels(int32_t* levelSize, int levelCount, int leastNodes)
{
    int zone = 0, levels = 0, nodes = 0, lastBegin = 0;
    for (int level = 0; level < levelCount; ++level)
    {
        if (levels >= SP_ZONE_LEVELS && nodes >= leastNodes)
        {
            zone += 1;
            levels = 0;
            nodes = 0;
            lastBegin = level;
        }
        levels += 1;
        nodes += levelSize[level];
        levelSize[level] = zone;
    }
    if (zone > 0 && (levels < SP_ZONE_LEVELS || nodes < leastNodes))
    {
        // What is left over goes with the zone before
        for (int level = lastBegin; level < levelCount; ++level)
        {
            levelSize[level] = zone - 1;
        }
        zone -= 1;
    }
    return zone + 1;
}

static bool spLevelNodes(spZones* zones, spHeap* heap, spLeveller* l, int leastNodes)
{
    int n = zones->nodeCount, levelCount = 0;
    memset(l->level, -1, (size_t)n * sizeof(int32_t));
    for (int node = 0; node < n; ++node)
    {
        if (l->level[node] < 0)
        {
            levelCount = spReachPart(l, node, levelCount) + 1;
        }
    }
    size_t size = spArraySize(levelCount, sizeof(int32_t));
    int32_t* zoneOfLevel = spAllocZeroed(heap, size);
    if (zoneOfLevel == NULL)
    {
        return false;
    }
    for (int node = 0; node < n; ++node)
    {
        zoneOfLevel[l->level[node]] += 1;
    }
    zones->zoneCount = spCutLevels(zoneOfLevel, levelCount, leastNodes);
    for (int node = 0; node < n; ++node)
    {
        zones->zoneOf[node] = zoneOfLevel[l->level[node]];
    }
    spFree(heap, zoneOfLevel);
    return true;
}

bool spBuildZones(spZones* zones, spHeap* heap, const spElementList* lists, int listCount, int nodeCount,
                  int leastNodes)
{
    size_t size = spArraySize(nodeCount, sizeof(int32_t));
    *zones = (spZones){.nodeCount = nodeCount, .zoneOf = spAlloc(heap, size)};
    spLeveller l = {.lists = lists, .level = spAlloc(heap, size), .queue = spAlloc(heap, size)};
    bool ok = zones->zoneOf != NULL && l.level != NULL && l.queue != NULL &&
              spCollectAround(&l.around, heap, lists, listCount, nodeCount) &&
              spLevelNodes(zones, heap, &l, leastNodes);
    spFree(heap, l.level);
    spFree(heap, l.queue);
    spFree(heap, l.around.begin);
    spFree(heap, l.around.places);
    if (ok == false)
    {
        spFreeZones(zones, heap);
    }
    return ok;
}

void spFreeZones(spZones* zones, spHeap* heap)
{
    spFree(heap, zones->zoneOf);
    *zones = (spZones){0};
}

// An element belongs to the lowest zone of its nodes
static void spFindElementZones(const spZones* zones, const spElementList* list, int32_t* zoneOf)
{
    int n = list->nodesPerElement;
    for (int i = 0; i < list->count; ++i)
    {
        zoneOf[i] = zones->zoneCount;
        for (int k = 0; k < n; ++k)
        {
            zoneOf[i] = spMinInt(zoneOf[i], zones->zoneOf[list->nodes[(size_t)i * n + k]]);
        }
    }
}

bool spOrderByZones(spSweepOrder* order, spHeap* heap, const spElementList* lists, int listCount,
                    int nodeCount, int leastNodes)
{
    spZones zones;
    *order = (spSweepOrder){0};
    if (spBuildZones(&zones, heap, lists, listCount, nodeCount, leastNodes) == false)
    {
        return false;
    }
    *order = (spSweepOrder){.nodeCount = nodeCount, .colourCount = 2, .partCount = zones.zoneCount};
    bool ok = spAllocSweepOrder(order, heap, lists, listCount);
    if (ok)
    {
        int even = (zones.zoneCount + 1) / 2;
        order->colourBegin[1] = even;
        order->colourBegin[2] = zones.zoneCount;
        for (int i = 0; i < zones.zoneCount; ++i)
        {
            order->parts[i] = i < even ? 2 * i : 2 * (i - even) + 1;
        }
        int32_t* zoneOf = order->partOf;
        for (int i = 0; i < listCount; ++i)
        {
            spFindElementZones(&zones, lists + i, zoneOf);
            zoneOf += lists[i].count;
        }
    }
    spFreeZones(&zones, heap);
    return ok;
}
