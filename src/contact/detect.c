// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A node is a candidate when its distance from a collider is less than twice the way that it goes in a step,
// plus a reach. Candidates cost little: the method looks at them in every substep and acts only on those that
// touch. What comes from further away is caught by the response at the end of the step.

#include "contact/detect.h"

#include "math/quat.h"
#include "math/vec3.h"

static bool spIsCandidate(const spDetectContext* c, const spCollider* collider, int node, spNodeRow* row)
{
    const spBody* body = c->body;
    spVec3 p = spXyz(body->x[node]);
    spVec3 v = spXyz(body->v[node]);
    spSurfaceHit hit = spQueryShape(&collider->def, collider->def.transform, p);
    spReal gap = hit.distance - body->contactRadius;
    spReal way = 2 * c->dt * spLength3(v) + c->reach;
    if (collider->moving)
    {
        way += 2 * spDistance3(collider->target.position, collider->start.position) + collider->turnReach;
    }
    if (!(gap < way))
    {
        return false;
    }
    *row = (spNodeRow){
        .node = node,
        .link = -1,
        .law = sp_rowContact,
        .friction = (spReal)sqrt((double)(body->friction * collider->def.friction)),
        .restitution =
            body->restitution > collider->def.restitution ? body->restitution : collider->def.restitution,
        .normal = hit.normal,
        .gap = gap,
    };
    return true;
}

// Walks the candidates of a patch; writes them when rows is given. Returns their number.
static int spVisitCandidates(const spDetectContext* c, int patch, spNodeRow* rows)
{
    const spBody* body = c->body;
    int count = 0;
    for (int node = body->order.patchBegin[patch]; node < body->order.patchBegin[patch + 1]; ++node)
    {
        if (body->x[node].w == 0)
        {
            continue;
        }
        for (int k = 0; k < c->colliderCount; ++k)
        {
            spNodeRow row;
            if (c->colliders[k] != NULL && spIsCandidate(c, c->colliders[k], node, &row))
            {
                if (rows != NULL)
                {
                    row.collider = k;
                    rows[count] = row;
                }
                count += 1;
            }
        }
    }
    return count;
}

static void spCountStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spDetectContext* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        c->contactCounts[patch] = spVisitCandidates(c, patch, NULL);
    }
}

static void spFillStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spDetectContext* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spVisitCandidates(c, patch, c->body->rows + c->body->patchRow[patch]);
    }
}

// Links of this body to a collider or to space
static bool spIsHold(const spDetectContext* c, int link)
{
    return c->links[link] != NULL && c->links[link]->body == c->bodySlot && c->links[link]->otherBody < 0;
}

static void spWriteHold(const spLink* link, int linkSlot, int i, spNodeRow* row)
{
    *row = (spNodeRow){
        .node = link->nodes[i],
        .collider = link->collider,
        .link = linkSlot,
        .law = sp_rowHold,
        .anchor = link->collider >= 0 ? link->anchors[i] : spAdd3(link->anchors[i], link->offset),
        .anchorStep = spSub3(link->target, link->offset),
        .compliance = link->compliance,
        .maxForce = link->maxForce,
    };
}

bool spDetectRows(const spDetectContext* c)
{
    spBody* body = c->body;
    int patchCount = body->order.patchCount;
    bool contacts = body->methodDef.contact != sp_contactOff && c->colliderCount > 0;
    for (int patch = 0; patch < patchCount; ++patch)
    {
        c->contactCounts[patch] = 0;
        body->patchRow[patch] = 0;
    }
    if (contacts)
    {
        spParallelFor(c->team, spCountStage, patchCount, 1, (void*)c);
    }

    // Rows of a patch: contacts, then holds, which have the last word
    for (int k = 0; k < c->linkCount; ++k)
    {
        for (int i = 0; spIsHold(c, k) && i < c->links[k]->nodeCount; ++i)
        {
            body->patchRow[spFindPatch(body->order.patchBegin, patchCount, c->links[k]->nodes[i])] += 1;
        }
    }
    int64_t total = 0;
    for (int patch = 0; patch < patchCount; ++patch)
    {
        int holds = body->patchRow[patch];
        body->patchRow[patch] = (int32_t)total;
        total += c->contactCounts[patch] + holds;
    }
    body->patchRow[patchCount] = (int32_t)total;
    if (total > INT32_MAX || spReserve(body->heap, (void**)&body->rows, 0, &body->rowCapacity, (int)total,
                                       sizeof(spNodeRow)) == false)
    {
        for (int patch = 0; patch <= patchCount; ++patch)
        {
            body->patchRow[patch] = 0;
        }
        body->rowCount = 0;
        return false;
    }
    body->rowCount = (int)total;
    if (contacts)
    {
        spParallelFor(c->team, spFillStage, patchCount, 1, (void*)c);
    }
    for (int k = 0; k < c->linkCount; ++k)
    {
        for (int i = 0; spIsHold(c, k) && i < c->links[k]->nodeCount; ++i)
        {
            int patch = spFindPatch(body->order.patchBegin, patchCount, c->links[k]->nodes[i]);
            spWriteHold(c->links[k], k, i, body->rows + body->patchRow[patch] + c->contactCounts[patch]++);
        }
    }
    return true;
}
