// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/path.h"

#include <string.h>

typedef struct spPaths
{
    const int32_t* edges;
    const double* lengths;
    double* distances;
    int32_t* nearest;
    int32_t* around; // edges around each node, from begin[node] on (2 x edgeCount)
    int32_t* begin;  // (nodeCount + 2)
    int32_t* queue;  // binary heap of nodes, the nearest first (nodeCount)
    int32_t* places; // of the nodes in the queue, -1 before and after (nodeCount)
    int queueCount;
} spPaths;

// Equal distances by number, so that there is one order
static bool spIsNearer(const spPaths* p, int32_t a, int32_t b)
{
    return p->distances[a] < p->distances[b] || (p->distances[a] == p->distances[b] && a < b);
}

static void spPutAt(spPaths* p, int place, int32_t node)
{
    p->queue[place] = node;
    p->places[node] = place;
}

// A node that is new in the queue, or has come nearer
static void spRaise(spPaths* p, int32_t node)
{
    int place = p->places[node] >= 0 ? p->places[node] : p->queueCount++;
    while (place > 0 && spIsNearer(p, node, p->queue[(place - 1) / 2]))
    {
        spPutAt(p, place, p->queue[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    spPutAt(p, place, node);
}

static int32_t spTakeNearest(spPaths* p)
{
    int32_t first = p->queue[0], last = p->queue[--p->queueCount];
    int place = 0;
    p->places[first] = -1;
    while (p->queueCount > 0)
    {
        int child = 2 * place + 1;
        child += child + 1 < p->queueCount && spIsNearer(p, p->queue[child + 1], p->queue[child]) ? 1 : 0;
        if (child >= p->queueCount || spIsNearer(p, last, p->queue[child]))
        {
            spPutAt(p, place, last);
            break;
        }
        spPutAt(p, place, p->queue[child]);
        place = child;
    }
    return first;
}

static void spCollectEdges(spPaths* p, int edgeCount, int nodeCount)
{
    memset(p->begin, 0, (size_t)(nodeCount + 2) * sizeof(int32_t));
    for (int i = 0; i < 2 * edgeCount; ++i)
    {
        p->begin[p->edges[i] + 2] += 1;
    }
    for (int node = 0; node <= nodeCount; ++node)
    {
        p->begin[node + 1] += p->begin[node];
    }
    // begin[node + 1] is where the next one of node goes, and ends as the first of node + 1
    for (int i = 0; i < 2 * edgeCount; ++i)
    {
        p->around[p->begin[p->edges[i] + 1]++] = i / 2;
    }
}

static void spWalk(spPaths* p, const bool* sources, int nodeCount)
{
    for (int node = 0; node < nodeCount; ++node)
    {
        p->places[node] = -1;
        p->distances[node] = 0.0;
        p->nearest[node] = sources[node] ? node : -1;
    }
    for (int node = 0; node < nodeCount; ++node)
    {
        if (sources[node])
        {
            spRaise(p, node);
        }
    }
    while (p->queueCount > 0)
    {
        int32_t node = spTakeNearest(p);
        for (int i = p->begin[node]; i < p->begin[node + 1]; ++i)
        {
            const int32_t* edge = p->edges + 2 * (size_t)p->around[i];
            int32_t other = edge[0] == node ? edge[1] : edge[0];
            double distance = p->distances[node] + p->lengths[p->around[i]];
            bool first = p->nearest[other] < 0;
            if (first || (p->places[other] >= 0 && distance < p->distances[other]))
            {
                p->nearest[other] = p->nearest[node];
                p->distances[other] = distance;
                spRaise(p, other);
            }
        }
    }
}

bool spFindNearest(spHeap* heap, const int32_t* edges, const double* lengths, int edgeCount,
                   const bool* sources, int nodeCount, int32_t* nearest, double* distances)
{
    size_t aroundSize = spArraySize(edgeCount, 2 * sizeof(int32_t));
    size_t beginSize = spArraySize(nodeCount + 2, sizeof(int32_t));
    size_t nodeSize = spArraySize(nodeCount, sizeof(int32_t));
    spPaths p = {.edges = edges,
                 .lengths = lengths,
                 .distances = distances,
                 .nearest = nearest,
                 .around = spAlloc(heap, aroundSize),
                 .begin = spAlloc(heap, beginSize),
                 .queue = spAlloc(heap, nodeSize),
                 .places = spAlloc(heap, nodeSize)};
    bool ok = p.around != NULL && p.begin != NULL && p.queue != NULL && p.places != NULL;
    if (ok)
    {
        spCollectEdges(&p, edgeCount, nodeCount);
        spWalk(&p, sources, nodeCount);
    }
    spFree(heap, p.around);
    spFree(heap, p.begin);
    spFree(heap, p.queue);
    spFree(heap, p.places);
    return ok;
}
