// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/link.h"

#include "base/error.h"
#include "contact/contact_surface.h"
#include "math/quat.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

void spFreeLink(spHeap* heap, spLink* link)
{
    spFree(heap, link->nodes);
    spFree(heap, link->points);
    spFree(heap, link->pool);
    spFree(heap, link->anchors);
    spFree(heap, link);
}

// Nearest point on the surface of a body, or its nearest node when it has no triangles. Entries that it needs
// go to the pool, from `first` on.
static spRowSide spFindNearestPoint(const spBody* body, spVec3 p, spRowNode* pool, int first)
{
    spRowSide best = {.slot = (int32_t)body->id.index1 - 1, .count = 1};
    double bestDistance = DBL_MAX;
    for (int i = 0; i < body->triangleCount; ++i)
    {
        int32_t nodes[3];
        spVec3 corner[3];
        spReal weights[3];
        for (int k = 0; k < 3; ++k)
        {
            nodes[k] = body->order.rank[body->triangles[3 * (size_t)i + k]];
            corner[k] = spXyz(body->x[nodes[k]]);
        }
        spFindTriangleWeights(p, corner[0], corner[1], corner[2], weights);
        spVec3 q = spScale3(weights[0], corner[0]);
        q = spMulAdd3(spMulAdd3(q, weights[1], corner[1]), weights[2], corner[2]);
        double distance = spDistance3(p, q);
        if (distance < bestDistance)
        {
            bestDistance = distance;
            best.node = first;
            best.count = 3;
            for (int k = 0; k < 3; ++k)
            {
                pool[first + k] = (spRowNode){nodes[k], weights[k]};
            }
        }
    }
    for (int i = 0; body->triangleCount == 0 && i < body->nodeCount; ++i)
    {
        double distance = spDistance3(p, spXyz(body->x[i]));
        if (body->roles[i] != sp_nodeGone && distance < bestDistance)
        {
            bestDistance = distance;
            best.node = i;
        }
    }
    return best;
}

spLink* spBuildLink(spHeap* heap, const spLinkDef* def, const spBody* body, const spBody* other,
                    const spCollider* collider, spError* error)
{
    if (def->nodes == NULL || def->nodeCount < 1)
    {
        spFail(error, sp_errorBadArgument, "a link needs at least one node");
        return NULL;
    }
    if (!(def->stiffness >= 0 && isfinite(def->stiffness)) ||
        !(def->maxForce >= 0 && isfinite(def->maxForce)))
    {
        spFail(error, sp_errorBadArgument, "link stiffness %g N/m and limit %g N must not be negative",
               (double)def->stiffness, (double)def->maxForce);
        return NULL;
    }
    if (spIsFinite3(def->offset) == false)
    {
        spFail(error, sp_errorBadArgument, "the offset of a link must be finite");
        return NULL;
    }
    const spReal softest = (spReal)1e-12;
    spLink* link = spAllocZeroed(heap, sizeof(spLink));
    if (link == NULL)
    {
        spFailMemory(error, "a link", sizeof(spLink));
        return NULL;
    }
    link->nodeCount = def->nodeCount;
    // The softest is a hair above nothing, far from where its inverse has no number
    link->compliance = def->stiffness > 0 ? 1 / (def->stiffness > softest ? def->stiffness : softest) : 0;
    link->offset = def->offset;
    link->target = def->offset;
    link->maxForce = def->maxForce;
    link->nodes = spAlloc(heap, spArraySize(def->nodeCount, sizeof(int32_t)));
    link->anchors = spAlloc(heap, spArraySize(def->nodeCount, sizeof(spVec3)));
    size_t pointSize = spArraySize(def->nodeCount, sizeof(spRowSide));
    size_t poolSize = spArraySize(def->nodeCount, 3 * sizeof(spRowNode));
    link->points = other != NULL ? spAlloc(heap, pointSize) : NULL;
    link->pool = other != NULL ? spAlloc(heap, poolSize) : NULL;
    bool ok = link->nodes != NULL && link->anchors != NULL && def->nodeCount <= INT32_MAX / 3 &&
              (other == NULL || (link->points != NULL && link->pool != NULL));
    if (ok == false)
    {
        spFailMemory(error, "a link", poolSize);
    }
    for (int i = 0; ok && i < def->nodeCount; ++i)
    {
        int user = def->nodes[i];
        if (user < 0 || user >= body->userCount)
        {
            ok = spFail(error, sp_errorBadIndex, "the link holds node %d, but %s has %d nodes", user,
                        body->name, body->userCount);
            break;
        }
        int node = body->order.rank[user];
        spVec3 p = spXyz(body->x[node]);
        link->nodes[i] = node;
        if (def->anchors != NULL && spIsFinite3(def->anchors[i]) == false)
        {
            ok = spFail(error, sp_errorBadArgument, "anchor %d of the link is not finite", i);
            break;
        }
        if (other != NULL)
        {
            link->points[i] = spFindNearestPoint(other, p, link->pool, 3 * i);
            link->anchors[i] = spSub3(p, spSumSide(link->points + i, link->pool, other->x));
        }
        else
        {
            link->anchors[i] = collider != NULL ? spInvTransformPoint(collider->def.transform, p) : p;
        }
        link->anchors[i] = def->anchors != NULL ? def->anchors[i] : link->anchors[i];
    }
    if (ok == false)
    {
        spFreeLink(heap, link);
        return NULL;
    }
    return link;
}

static bool spIsPairLink(const spLink* link, spBody* const* bodies)
{
    return link != NULL && link->otherBody >= 0 && bodies[link->body]->running &&
           bodies[link->otherBody]->running;
}

int spCountLinkRows(spLink* const* links, int linkCount, spBody* const* bodies)
{
    int count = 0;
    for (int k = 0; k < linkCount; ++k)
    {
        count += spIsPairLink(links[k], bodies) ? links[k]->nodeCount : 0;
    }
    return count;
}

static spRow spMakeLinkRow(const spLink* link, int index, spRowNode* pool, int first)
{
    spRow row = {
        .key = spMakeRowKey(spMakePairKey(sp_rowHold, SP_ID_NUMBER(link->id), 0), (uint32_t)index),
        .a = {.slot = link->body, .node = link->nodes[index], .count = 1},
        .b = link->points[index],
        .law = sp_rowHold,
        .anchor = link->anchors[index],
        .compliance = link->compliance,
        .maxForce = link->maxForce,
        .link = (int32_t)link->id.index1 - 1,
    };
    if (row.b.count > 1)
    {
        memcpy(pool + first, link->pool + row.b.node, (size_t)row.b.count * sizeof(spRowNode));
        row.b.node = first;
    }
    return row;
}

void spMakeLinkRows(spLink* const* links, int linkCount, spBody* const* bodies, spRow* rows, spRowNode* pool)
{
    int count = 0;
    for (int k = 0; k < linkCount; ++k)
    {
        for (int i = 0; spIsPairLink(links[k], bodies) && i < links[k]->nodeCount; ++i)
        {
            rows[count] = spMakeLinkRow(links[k], i, pool, 3 * count);
            count += 1;
        }
    }
}
