// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Conservative advancement: no node gets closer to a collider than its gap, so that the whole body may move by
// the least of them. That holds for any shape whose distance is true.

#include "contact/approach.h"

#include "body/contact_law.h"

#include <math.h>

#define SP_ADVANCES 200

// What all free nodes of the body are pulled with, N
static spVec3 spSumLoad(const spBody* body, spVec3 gravity)
{
    spVec3 sum = {0, 0, 0};
    for (int patch = 0; patch < body->order.patchCount; ++patch)
    {
        int begin = body->order.patchBegin[patch], end = body->order.patchBegin[patch + 1];
        double mass = body->backend->sumFreeMass(body->mass, body->x, begin, end);
        const spVec4* given =
            body->nodeForces != NULL ? body->backend->view(body->nodeForces, begin, end) : NULL;
        sum = spMulAdd3(sum, (spReal)mass, gravity);
        for (int node = begin; given != NULL && node < end; ++node)
        {
            sum = spAdd3(sum, spXyz(given[node]));
        }
    }
    return sum;
}

// The least gap to a collider that is ahead, when the body has moved by so much, and what rounding leaves of it
static spReal spFindLeastGap(const spApproachContext* c, spVec3 along, spReal way, spReal* rounding)
{
    const spBody* body = c->body;
    const spVec4* x = body->backend->view(body->x, 0, body->nodeCount);
    spReal least = INFINITY;
    for (int k = 0; k < c->colliderCount; ++k)
    {
        bool touch = c->colliders[k] != NULL && spGetPair(c->pairs, body, c->colliders[k]).touch;
        for (int node = 0; touch && node < body->nodeCount; ++node)
        {
            const spPose pose = {.transform = c->colliders[k]->def.transform};
            spVec3 p = spMulAdd3(spXyz(x[node]), way, along);
            spSurfaceHit hit = spFindGap(c->colliders[k], &pose, body->contactRadius, p, NULL);
            if (x[node].w > 0 && hit.distance < least && spDot3(hit.normal, along) < 0)
            {
                least = hit.distance;
                *rounding = spGetGapRounding(p, body->contactRadius);
            }
        }
    }
    return least;
}

bool spApproachColliders(const spApproachContext* c)
{
    spBody* body = c->body;
    spReal length, rounding = 0, way = 0;
    spVec3 along = spNormalizeLength3(spSumLoad(body, spScale3(body->gravityScale, c->gravity)), &length);
    for (int i = 0; length > 0 && i < SP_ADVANCES; ++i)
    {
        spReal gap = spFindLeastGap(c, along, way, &rounding);
        if (!(gap > rounding))
        {
            const spRigidMotion none = {0};
            body->backend->moveRigidly(body->x, body->v, body->x, &none, spScale3(way, along), &none, 0.0, 0,
                                       body->nodeCount);
            return way > 0;
        }
        if (isfinite(gap) == false)
        {
            return false;
        }
        way += gap;
    }
    return false;
}
