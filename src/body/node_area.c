// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/node_area.h"

#include "body/edit.h"
#include "math/vec3.h"

#include <string.h>

void spFreeNodeFans(spHeap* heap, spNodeFans* fans)
{
    if (fans != NULL)
    {
        spFree(heap, fans->first);
        spFree(heap, fans->triangles);
        spFree(heap, fans);
    }
}

static void spFillFans(const spBody* body, spNodeFans* fans)
{
    int cornerCount = 3 * body->triangleCount;
    for (int i = 0; i < cornerCount; ++i)
    {
        fans->first[body->triangles[i] + 1] += 1;
    }
    for (int i = 0; i < body->userCount; ++i)
    {
        fans->first[i + 1] += fans->first[i];
    }
    for (int i = 0; i < cornerCount; ++i)
    {
        fans->triangles[fans->first[body->triangles[i]]++] = i / 3;
    }
    // Every beginning has moved on to the next one
    memmove(fans->first + 1, fans->first, (size_t)body->userCount * sizeof(int32_t));
    fans->first[0] = 0;
}

bool spUpdateNodeFans(spBody* body)
{
    if (body->fans != NULL && body->fans->version == body->topologyVersion)
    {
        return true;
    }
    spRefreshTopology(body);
    spFreeNodeFans(body->heap, body->fans);
    body->fans = NULL;
    if (body->triangleCount == 0)
    {
        return true;
    }
    spNodeFans* fans = spAllocZeroed(body->heap, sizeof(spNodeFans));
    if (fans != NULL)
    {
        fans->version = body->topologyVersion;
        fans->first = spAllocZeroed(body->heap, spArraySize((int64_t)body->userCount + 1, sizeof(int32_t)));
        fans->triangles = spAlloc(body->heap, spArraySize(body->triangleCount, 3 * sizeof(int32_t)));
    }
    if (fans == NULL || fans->first == NULL || fans->triangles == NULL)
    {
        spFreeNodeFans(body->heap, fans);
        return false;
    }
    spFillFans(body, fans);
    body->fans = fans;
    return true;
}

static spVec3 spReadCorner(const spBody* body, int corner)
{
    int node = body->order.rank[body->triangles[corner]];
    return spXyz(body->backend->view(body->x, node, node + 1)[node]);
}

spReal spGetNodeArea(const spBody* body, int node, spVec3 direction)
{
    spReal seen = 0, whole = 0;
    const spNodeFans* fans = body->fans;
    for (int i = fans != NULL ? fans->first[node] : 0; fans != NULL && i < fans->first[node + 1]; ++i)
    {
        int corner = 3 * fans->triangles[i];
        spVec3 a = spReadCorner(body, corner);
        spVec3 ab = spSub3(spReadCorner(body, corner + 1), a), ac = spSub3(spReadCorner(body, corner + 2), a);
        spVec3 normal = spCross3(ab, ac); // twice as long as the triangle is large
        spReal part = spDot3(normal, direction) / 6;
        whole += spLength3(normal) / 6;
        // Sheets have two sides
        seen += part > 0 ? part : (body->closed ? 0 : -part);
    }
    // Who looks along the surface, or from behind, sees nothing that a force could be shared by
    return seen > (spReal)1e-3 * whole ? seen : whole;
}
