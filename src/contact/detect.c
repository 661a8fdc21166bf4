// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A node is a candidate when its distance from a collider is less than twice the way that it goes in a step,
// plus a reach. Candidates cost little: the method looks at them in every substep and acts only on those that
// touch. What comes from further away is caught by the response at the end of the step.

#include "contact/detect.h"

#include "body/contact_law.h"

// What all nodes of a body have in common with one collider
typedef struct spPair
{
    const spCollider* collider;
    spReal reach;  // distance at which a resting node is a candidate, m
    spReal way;    // times the speed of a node, s
    spVec3 normal; // of a plane
    spReal offset; // of a plane: contact radius included, m
    bool plane;
    uint64_t key; // of its rows
} spPair;

static spPair spMakePair(const spDetectContext* c, const spCollider* collider)
{
    const spTransform* t = &collider->def.transform;
    spPair pair = {.collider = collider, .reach = c->reach, .way = 2 * c->dt};
    if (collider->moving)
    {
        pair.reach +=
            2 * spDistance3(collider->target.position, collider->start.position) + collider->turnReach;
    }
    pair.plane = collider->def.shape == sp_shapePlane;
    pair.normal = spRotate(t->rotation, (spVec3){0, 1, 0});
    pair.offset = spDot3(pair.normal, t->position) + c->body->contactRadius;
    pair.key = spMakePairKey(sp_rowContact, SP_ID_NUMBER(c->body->id), SP_ID_NUMBER(collider->id));
    return pair;
}

// Gap of a node, the short way for planes; its normal is written as well
static spReal spGetGap(const spPair* pair, const spBody* body, spVec3 p, spVec3* normal)
{
    if (pair->plane)
    {
        *normal = pair->normal;
        return spDot3(pair->normal, p) - pair->offset;
    }
    const spPose pose = {.transform = pair->collider->def.transform};
    spSurfaceHit hit = spFindGap(pair->collider, &pose, body->contactRadius, p, NULL);
    *normal = hit.normal;
    return hit.distance;
}

// What the gap is not less than, without a search
static spReal spGetLeastGap(const spPair* pair, const spBody* body, spVec3 p)
{
    return spGetLeastDistance(pair->collider, pair->collider->def.transform, p) - body->contactRadius;
}

// Candidate when gap < reach + way |v|, without the root where it is not needed
static bool spIsNear(const spPair* pair, spReal gap, spReal speed2)
{
    spReal beyond = gap - pair->reach;
    return beyond < 0 || beyond * beyond < pair->way * pair->way * speed2;
}

// Walks the candidates of a patch, collider by collider; writes them when rows is given. Returns their
// number.
static int spVisitCandidates(const spDetectContext* c, int patch, spRow* rows)
{
    const spBody* body = c->body;
    int begin = body->order.patchBegin[patch], end = body->order.patchBegin[patch + 1];
    const spVec4* x = body->backend->view(body->x, begin, end);
    const spVec4* v = body->backend->view(body->v, begin, end);
    int count = 0;
    for (int k = 0; k < c->colliderCount; ++k)
    {
        if (c->colliders[k] == NULL)
        {
            continue;
        }
        spPairMaterial material = spGetPair(c->pairs, body, c->colliders[k]);
        if (material.touch == false)
        {
            continue;
        }
        spPair pair = spMakePair(c, c->colliders[k]);
        const spColliderDef* def = &pair.collider->def;
        for (int node = begin; node < end; ++node)
        {
            spVec3 p = spXyz(x[node]), normal;
            spReal speed2 = spLengthSquared3(spXyz(v[node]));
            if (x[node].w == 0 || spIsNear(&pair, spGetLeastGap(&pair, body, p), speed2) == false)
            {
                continue;
            }
            spReal gap = spGetGap(&pair, body, p, &normal);
            if (spIsNear(&pair, gap, speed2) == false)
            {
                continue;
            }
            if (rows != NULL)
            {
                rows[count] = (spRow){
                    .key = spMakeRowKey(pair.key, (uint32_t)body->order.order[node]),
                    .a = {.slot = c->bodySlot, .node = node, .count = 1},
                    .b = {.slot = k},
                    .law = sp_rowContact,
                    .friction = material.friction,
                    .restitution = material.restitution,
                    .normal = normal,
                    .gap = gap,
                    .from = spInvTransformPoint(def->transform, p),
                };
            }
            count += 1;
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
        if (c->contactCounts[patch] > 0)
        {
            spVisitCandidates(c, patch, c->body->rows + c->body->patchRow[patch]);
        }
    }
}

// Links of this body to a collider or to space
static bool spIsHold(const spDetectContext* c, int link)
{
    return c->links[link] != NULL && c->links[link]->body == c->bodySlot && c->links[link]->otherBody < 0;
}

// A hold that is so stiff that a step cannot tell it from a rigid one, nor a solver from noise, is rigid
static spReal spGetHoldCompliance(const spDetectContext* c, const spLink* link, int node)
{
    const spReal least = (spReal)1e-6;
    spReal yield = c->body->backend->view(c->body->x, node, node + 1)[node].w * c->dt * c->dt;
    return link->compliance < least * yield ? 0 : link->compliance;
}

static void spWriteHold(const spDetectContext* c, const spLink* link, int linkSlot, int i, spRow* row)
{
    *row = (spRow){
        .key = spMakeRowKey(spMakePairKey(sp_rowHold, SP_ID_NUMBER(link->id), 0), (uint32_t)i),
        .a = {.slot = c->bodySlot, .node = link->nodes[i], .count = 1},
        .b = {.slot = link->collider},
        .link = linkSlot,
        .law = sp_rowHold,
        .anchor = link->collider >= 0 ? link->anchors[i] : spAdd3(link->anchors[i], link->offset),
        .anchorStep = spSub3(link->target, link->offset),
        .compliance = spGetHoldCompliance(c, link, link->nodes[i]),
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
    if (total > INT32_MAX ||
        spReserve(body->heap, (void**)&body->rows, 0, &body->rowCapacity, (int)total, sizeof(spRow)) == false)
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
            spWriteHold(c, c->links[k], k, i, body->rows + body->patchRow[patch] + c->contactCounts[patch]++);
        }
    }
    return true;
}
