// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Copies the world as it is into a frame: bare arrays, and only those that somebody waits for. The network
// thread makes a message of them.

#include "base/timer.h"
#include "session.h"
#include "souple/element.h"
#include "souple/levels.h"

#include <stdlib.h>
#include <string.h>

// Room for the bodies and colliders of the scene
static bool spMakeFrameRoom(spRawFrame* frame, int bodyCount, int poseCount)
{
    if (bodyCount > frame->bodyCapacity)
    {
        spRawBody* grown = realloc(frame->bodies, (size_t)bodyCount * sizeof(spRawBody));
        if (grown == NULL)
        {
            return false;
        }
        memset(grown + frame->bodyCapacity, 0, (size_t)(bodyCount - frame->bodyCapacity) * sizeof(spRawBody));
        frame->bodies = grown;
        frame->bodyCapacity = bodyCount;
    }
    frame->bodyCount = bodyCount;
    return spMakeRoom((void**)&frame->poses, &frame->poseCapacity, poseCount, sizeof(spViewPose));
}

typedef int spCopyValuesFcn(const spWorld* world, spBodyId body, spReal* values, int capacity);

static spCopyValuesFcn* const s_copyValues[sp_viewColourCount] = {
    [sp_viewStrain] = spBody_CopyNodeStrain,         [sp_viewStress] = spBody_CopyNodeStress,
    [sp_viewPressure] = spBody_CopyContactPressures, [sp_viewModulus] = spBody_CopyNodeModulus,
    [sp_viewLevel] = spBody_CopyNodeLevels,          [sp_viewRegion] = spBody_CopyNodeRegions,
};

static bool spFillBody(spRawBody* raw, spWorld* world, spBodyId id, unsigned wanted)
{
    int nodes = spBody_GetNodeCount(world, id);
    int surface = spBody_GetSurfaceVertexCount(world, id);
    bool needsNodes = surface == 0 || (wanted & (sp_wantNodes | 1u << sp_viewDisplacement)) != 0;
    raw->version = spBody_GetTopologyVersion(world, id);
    raw->positionCount = raw->surfaceCount = raw->velocityCount = 0;
    if (needsNodes)
    {
        if (!spMakeRoom((void**)&raw->positions, &raw->positionCapacity, nodes, sizeof(spVec3)))
        {
            return false;
        }
        raw->positionCount = spBody_CopyPositions(world, id, raw->positions, nodes);
    }
    if (surface > 0)
    {
        if (!spMakeRoom((void**)&raw->surface, &raw->surfaceCapacity, surface, sizeof(spVec3)))
        {
            return false;
        }
        raw->surfaceCount = spBody_CopySurfacePositions(world, id, raw->surface, surface);
    }
    if ((wanted & 1u << sp_viewVelocity) != 0)
    {
        if (!spMakeRoom((void**)&raw->velocities, &raw->velocityCapacity, nodes, sizeof(spVec3)))
        {
            return false;
        }
        raw->velocityCount = spBody_CopyVelocities(world, id, raw->velocities, nodes);
    }
    for (int colour = 0; colour < sp_viewColourCount; ++colour)
    {
        raw->valueCounts[colour] = 0;
        if (s_copyValues[colour] == NULL || (wanted & 1u << colour) == 0)
        {
            continue;
        }
        if (!spMakeRoom((void**)&raw->values[colour], &raw->valueCapacities[colour], nodes, sizeof(spReal)))
        {
            return false;
        }
        raw->valueCounts[colour] = s_copyValues[colour](world, id, raw->values[colour], nodes);
    }
    return true;
}

static void spStoreVector(float* numbers, spVec3 vector)
{
    numbers[0] = (float)vector.x;
    numbers[1] = (float)vector.y;
    numbers[2] = (float)vector.z;
}

static void spFillPoses(const spSession* session, spRawFrame* frame)
{
    const spWorld* world = spRun_GetWorld(session->run);
    frame->poseCount = 0;
    for (int i = 0; i < session->colliderCount; ++i)
    {
        if (spCollider_IsValid(world, session->colliders[i]))
        {
            spTransform transform = spCollider_GetTransform(world, session->colliders[i]);
            spViewPose* pose = frame->poses + frame->poseCount++;
            pose->collider = (uint32_t)i;
            spStoreVector(pose->position, transform.position);
            pose->rotation[0] = (float)transform.rotation.x;
            pose->rotation[1] = (float)transform.rotation.y;
            pose->rotation[2] = (float)transform.rotation.z;
            pose->rotation[3] = (float)transform.rotation.w;
        }
    }
    spVec3 center;
    spReal radius;
    if (spRun_GetTool(session->run, &center, &radius, NULL))
    {
        spViewPose* pose = frame->poses + frame->poseCount++;
        *pose = (spViewPose){.collider = SP_VIEW_TOOL, .rotation = {(float)radius}};
        spStoreVector(pose->position, center);
    }
}

static void spFillHands(const spSession* session, spRawFrame* frame)
{
    spHandInfo info;
    frame->handCount = 0;
    for (int i = 0; i < spRun_GetHandCount(session->run) && frame->handCount < SP_MAX_FRAME_HANDS; ++i)
    {
        if (spRun_GetHand(session->run, i, &info))
        {
            spViewHand* hand = frame->hands + frame->handCount++;
            hand->body = (uint32_t)info.bodyIndex;
            spStoreVector(hand->point, info.point);
            spStoreVector(hand->target, info.hand);
            spStoreVector(hand->force, info.force);
        }
    }
}

// Of more contacts than a frame has room for every second one, every third one and so on
static bool spFillContacts(spSession* session, spRawFrame* frame, unsigned wanted)
{
    const spWorld* world = spRun_GetWorld(session->run);
    int count = (wanted & sp_wantContacts) != 0 ? spWorld_GetContactCount(world) : 0;
    int stride = 1 + (count - 1) / SP_MAX_VIEW_CONTACTS;
    frame->contactCount = 0;
    if (spMakeRoom((void**)&session->contacts, &session->contactCapacity, count, sizeof(spContact)) ==
            false ||
        spMakeRoom((void**)&frame->contacts, &frame->contactCapacity, count, sizeof(spViewContact)) == false)
    {
        return false;
    }
    count = spWorld_GetContacts(world, session->contacts, count);
    for (int i = 0; i < count; i += stride)
    {
        spViewContact* contact = frame->contacts + frame->contactCount++;
        spStoreVector(contact->position, session->contacts[i].position);
        spStoreVector(contact->force, session->contacts[i].force);
    }
    return true;
}

// A body whose topology has changed is shown anew before it is seen
static bool spRenewBodies(spSession* session)
{
    spWorld* world = spRun_GetWorld(session->run);
    for (int i = 0; i < session->bodyCount; ++i)
    {
        uint32_t version = spBody_GetTopologyVersion(world, session->bodies[i]);
        if (version == session->versions[i])
        {
            continue;
        }
        spNews* news = calloc(1, sizeof(spNews));
        if (news == NULL)
        {
            return false;
        }
        *news = (spNews){.type = sp_newsBody, .serial = session->serial, .body = i};
        news->bodies = calloc(1, sizeof(spDrawn));
        news->bodyCount =
            news->bodies != NULL && spMakeDrawn(news->bodies, world, session->bodies[i]) ? 1 : 0;
        if (news->bodyCount == 0 || spGiveNews(session->exchange, news) == false)
        {
            spDestroyNews(news);
            return false;
        }
        session->versions[i] = version;
    }
    return true;
}

bool spFillFrame(spSession* session, spRawFrame* frame, unsigned wanted)
{
    spWorld* world = spRun_GetWorld(session->run);
    if (spRenewBodies(session) == false ||
        spMakeFrameRoom(frame, session->bodyCount, session->colliderCount + 1) == false)
    {
        return false;
    }
    for (int i = 0; i < session->bodyCount; ++i)
    {
        if (spFillBody(frame->bodies + i, world, session->bodies[i], wanted) == false)
        {
            return false;
        }
    }
    spFillPoses(session, frame);
    spFillHands(session, frame);
    if (spFillContacts(session, frame, wanted) == false)
    {
        return false;
    }
    frame->serial = session->serial;
    frame->number = ++session->frameNumber;
    frame->flags = session->flags;
    frame->time = spRun_GetTime(session->run);
    frame->step = (uint64_t)spWorld_GetStepCount(world);
    frame->wanted = wanted;
    frame->published = spGetSeconds();
    return true;
}
