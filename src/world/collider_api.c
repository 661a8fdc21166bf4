// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colliders and links, as the public header offers them.

#include "base/error.h"
#include "body/edit.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "world/sleep.h"

#include <stdio.h>

spColliderDef spDefaultColliderDef(void)
{
    return (spColliderDef){
        .shape = sp_shapePlane,
        .transform = spIdentityTransform(),
        .radius = (spReal)0.5,
        .halfHeight = (spReal)0.5,
        .halfSize = {(spReal)0.5, (spReal)0.5, (spReal)0.5},
        .friction = (spReal)0.5,
        .resolution = 64,
        .spacing = 1,
        .group = 1,
        .touches = UINT32_MAX,
        .internalValue = SP_DEF_COOKIE,
    };
}

spColliderId spCreateCollider(spWorld* world, const spColliderDef* def)
{
    if (world == NULL)
    {
        return (spColliderId){0};
    }
    spError error = {0};
    spTransform transform = def != NULL ? def->transform : spIdentityTransform();
    spCollider* collider = NULL;
    spSlotId id = {0};
    bool ok = spCheckColliderDef(def, &error) && spCleanTransform(&transform, &error);
    if (ok)
    {
        collider = spAllocZeroed(&world->heap, sizeof(spCollider));
        ok = collider != NULL || spFailMemory(&error, "a collider", sizeof(spCollider));
        ok = ok && spMakeShapeData(&world->heap, def, &collider->data, &error);
    }
    if (ok)
    {
        id = spTakeObjectSlot(world, &world->colliderIds, (void***)&world->colliders,
                              &world->colliderCapacity, &error);
        ok = id.index1 != 0;
    }
    if (ok == false)
    {
        spFreeCollider(&world->heap, collider);
        spRecordError(world, &error);
        return (spColliderId){0};
    }
    snprintf(collider->name, sizeof(collider->name), "%s", def->name != NULL ? def->name : "collider");
    collider->id = (spColliderId){id.index1, id.generation};
    collider->def = *def;
    collider->def.name = collider->name;
    collider->def.transform = transform;
    collider->def.mesh = collider->data != NULL ? collider->data->surface : NULL;
    collider->def.heights = collider->data != NULL ? collider->data->heights : NULL;
    world->colliders[id.index1 - 1] = collider;
    collider->disturbed = true;
    world->rowsDirty = true;
    return collider->id;
}

void spDestroyCollider(spWorld* world, spColliderId id)
{
    spCollider* collider = spUseCollider(world, id);
    if (collider == NULL)
    {
        return;
    }
    int slot = (int)id.index1 - 1;
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        if (world->links[i] != NULL && world->links[i]->collider == slot)
        {
            spDestroyLink(world, world->links[i]->id);
        }
    }
    spFreeCollider(&world->heap, collider);
    world->colliders[slot] = NULL;
    world->contactCount = 0;
    world->rowsDirty = true;
    spRemovePairs(&world->pairTable, 0, SP_ID_NUMBER(id));
    spReleaseSlot(&world->colliderIds, slot);
}

bool spCollider_IsValid(const spWorld* world, spColliderId collider)
{
    return spGetCollider(world, collider) != NULL;
}

int spWorld_GetColliderCount(const spWorld* world)
{
    int count = 0;
    for (int i = 0; world != NULL && i < world->colliderIds.slotCount; ++i)
    {
        count += world->colliders[i] != NULL ? 1 : 0;
    }
    return count;
}

int spWorld_GetColliders(const spWorld* world, spColliderId* colliders, int capacity)
{
    int count = 0;
    for (int i = 0;
         world != NULL && colliders != NULL && i < world->colliderIds.slotCount && count < capacity; ++i)
    {
        if (world->colliders[i] != NULL)
        {
            colliders[count++] = world->colliders[i]->id;
        }
    }
    return count;
}

bool spCollider_SetTransform(spWorld* world, spColliderId id, spTransform transform)
{
    spCollider* collider = spUseCollider(world, id);
    spError error = {0};
    if (collider == NULL)
    {
        return false;
    }
    if (spCleanTransform(&transform, &error) == false)
    {
        return spRecordError(world, &error);
    }
    collider->def.transform = transform;
    collider->moving = false;
    world->rowsDirty = true;
    return true;
}

bool spCollider_MoveTo(spWorld* world, spColliderId id, spTransform target)
{
    spCollider* collider = spUseCollider(world, id);
    spError error = {0};
    if (collider == NULL)
    {
        return false;
    }
    if (spCleanTransform(&target, &error) == false)
    {
        return spRecordError(world, &error);
    }
    // The shorter way round
    if (spDotQuat(target.rotation, collider->def.transform.rotation) < 0)
    {
        spQuat q = target.rotation;
        target.rotation = (spQuat){-q.x, -q.y, -q.z, -q.w};
    }
    collider->start = collider->def.transform;
    collider->target = target;
    collider->moving = true;
    spQuat turn = spMulQuat(target.rotation, spConjugate(collider->start.rotation));
    collider->turnReach = 2 * spLength3(spRotationVectorFromQuat(turn)) *
                          g_shapeKinds[collider->def.shape].getReach(&collider->def, collider->data);
    return true;
}

spTransform spCollider_GetTransform(const spWorld* world, spColliderId id)
{
    const spCollider* collider = spGetCollider(world, id);
    return collider != NULL ? collider->def.transform : spIdentityTransform();
}

spColliderDef spCollider_GetDef(const spWorld* world, spColliderId id)
{
    const spCollider* collider = spGetCollider(world, id);
    return collider != NULL ? collider->def : (spColliderDef){0};
}

spVec3 spCollider_GetForce(const spWorld* world, spColliderId id)
{
    const spCollider* collider = spGetCollider(world, id);
    return collider != NULL ? collider->force : (spVec3){0, 0, 0};
}

spVec3 spCollider_GetTorque(const spWorld* world, spColliderId id)
{
    const spCollider* collider = spGetCollider(world, id);
    return collider != NULL ? collider->torque : (spVec3){0, 0, 0};
}

bool spWorld_SetPairMaterial(spWorld* world, spBodyId bodyId, spColliderId colliderId,
                             const spPairMaterial* material)
{
    const spBody* body = spUseBody(world, bodyId);
    const spCollider* collider = body != NULL ? spUseCollider(world, colliderId) : NULL;
    spError error = {0};
    if (collider == NULL)
    {
        return false;
    }
    world->rowsDirty = true;
    if (material == NULL)
    {
        spRemovePairs(&world->pairTable, SP_ID_NUMBER(bodyId), SP_ID_NUMBER(colliderId));
        return true;
    }
    if (!(material->friction >= 0 && isfinite(material->friction)) ||
        !(material->restitution >= 0 && material->restitution <= 1))
    {
        spFail(&error, sp_errorBadArgument,
               "friction %g between %s and %s must not be negative, restitution %g between 0 and 1",
               (double)material->friction, body->name, collider->name, (double)material->restitution);
        return spRecordError(world, &error);
    }
    if (spSetPair(&world->heap, &world->pairTable, SP_ID_NUMBER(bodyId), SP_ID_NUMBER(colliderId),
                  material) == false)
    {
        spFailMemory(&error, "a pair material", sizeof(spPairEntry));
        return spRecordError(world, &error);
    }
    return true;
}

spPairMaterial spWorld_GetPairMaterial(const spWorld* world, spBodyId bodyId, spColliderId colliderId)
{
    const spBody* body = spGetBody(world, bodyId);
    const spCollider* collider = spGetCollider(world, colliderId);
    return body != NULL && collider != NULL ? spGetPair(&world->pairTable, body, collider)
                                            : (spPairMaterial){0};
}

bool spWorld_SetPairDetector(spWorld* world, spBodyId bodyId, spBodyId otherId, spDetector detector)
{
    const spBody* body = spUseBody(world, bodyId);
    const spBody* other = body != NULL ? spUseBody(world, otherId) : NULL;
    spError error = {0};
    if (other == NULL)
    {
        return false;
    }
    const spBody* open = body->closed == false ? body : other->closed == false ? other : NULL;
    if ((int)detector < 0 || detector > sp_detectorVolume)
    {
        spFail(&error, sp_errorBadArgument, "unknown detector %d", (int)detector);
        return spRecordError(world, &error);
    }
    if (detector == sp_detectorVolume && open != NULL)
    {
        spFail(&error, sp_errorBadArgument,
               "the surface of %s is not closed, so it has no volume: its contacts go by distance",
               open->name);
        return spRecordError(world, &error);
    }
    if (spSetDetector(&world->heap, &world->detectors, SP_ID_NUMBER(bodyId), SP_ID_NUMBER(otherId),
                      detector) == false)
    {
        spFailMemory(&error, "the detector of a pair", sizeof(spDetectorEntry));
        return spRecordError(world, &error);
    }
    world->rowsDirty = true;
    return true;
}

spDetector spWorld_GetPairDetector(const spWorld* world, spBodyId bodyId, spBodyId otherId)
{
    const spBody *body = spGetBody(world, bodyId), *other = spGetBody(world, otherId);
    bool closed = body != NULL && other != NULL && body->closed && other->closed;
    return closed ? spGetDetector(&world->detectors, SP_ID_NUMBER(bodyId), SP_ID_NUMBER(otherId))
                  : sp_detectorDistance;
}

bool spWorld_SetPairCells(spWorld* world, spBodyId bodyId, spBodyId otherId, int cells)
{
    const spBody* body = spUseBody(world, bodyId);
    const spBody* other = body != NULL ? spUseBody(world, otherId) : NULL;
    spError error = {0};
    if (other == NULL)
    {
        return false;
    }
    if (cells < 0 || cells > 64)
    {
        spFail(&error, sp_errorBadArgument, "cells of a pair are %d: give 1 to 64, or 0 for the usual",
               cells);
        return spRecordError(world, &error);
    }
    if (spSetVolumeCells(&world->heap, &world->detectors, SP_ID_NUMBER(bodyId), SP_ID_NUMBER(otherId),
                         cells) == false)
    {
        spFailMemory(&error, "the cells of a pair", sizeof(spDetectorEntry));
        return spRecordError(world, &error);
    }
    world->rowsDirty = true;
    return true;
}

int spWorld_GetPairCells(const spWorld* world, spBodyId bodyId, spBodyId otherId)
{
    bool there = spGetBody(world, bodyId) != NULL && spGetBody(world, otherId) != NULL;
    return there ? spGetVolumeCells(&world->detectors, SP_ID_NUMBER(bodyId), SP_ID_NUMBER(otherId)) : 0;
}

// ---- links ----

spLinkDef spDefaultLinkDef(void)
{
    return (spLinkDef){.internalValue = SP_DEF_COOKIE};
}

// The objects that a link definition names. The null id is allowed for the other side; a stale one is not.
static bool spFindLinkEnds(spWorld* world, const spLinkDef* def, spBody** body, spBody** other,
                           spCollider** collider, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the link definition does not come from spDefaultLinkDef");
    }
    *body = spGetBody(world, def->body);
    *other = spGetBody(world, def->otherBody);
    *collider = spGetCollider(world, def->collider);
    if (*body == NULL || (SP_IS_NULL(def->otherBody) == false && *other == NULL) ||
        (SP_IS_NULL(def->collider) == false && *collider == NULL))
    {
        return spFail(error, sp_errorStaleId, "a body or the collider of a link does not exist");
    }
    if (*other != NULL && *collider != NULL)
    {
        return spFail(error, sp_errorBadArgument, "a link goes to a body or to a collider, not to both");
    }
    if (*body == *other)
    {
        return spFail(error, sp_errorBadArgument, "a link cannot join %s to itself; use a spring",
                      (*body)->name);
    }
    return true;
}

spLinkId spCreateLink(spWorld* world, const spLinkDef* def)
{
    if (world == NULL)
    {
        return (spLinkId){0};
    }
    spError error = {0};
    spBody* body = NULL;
    spBody* other = NULL;
    spCollider* collider = NULL;
    spLink* link = NULL;
    spSlotId id = {0};
    bool ok = spFindLinkEnds(world, def, &body, &other, &collider, &error);
    if (ok && other != NULL)
    {
        spRefreshTopology(other); // points on its surface are looked for
    }
    if (ok)
    {
        link = spBuildLink(&world->heap, def, body, other, collider, &error);
        ok = link != NULL;
    }
    if (ok)
    {
        id = spTakeObjectSlot(world, &world->linkIds, (void***)&world->links, &world->linkCapacity, &error);
        ok = id.index1 != 0;
    }
    if (ok == false)
    {
        if (link != NULL)
        {
            spFreeLink(&world->heap, link);
        }
        spRecordError(world, &error);
        return (spLinkId){0};
    }
    link->id = (spLinkId){id.index1, id.generation};
    link->body = (int)def->body.index1 - 1;
    link->otherBody = other != NULL ? (int)def->otherBody.index1 - 1 : -1;
    link->collider = collider != NULL ? (int)def->collider.index1 - 1 : -1;
    world->links[id.index1 - 1] = link;
    world->rowsDirty = true;
    spWakeBody(world, body);
    return link->id;
}

void spDestroyLink(spWorld* world, spLinkId id)
{
    spLink* link = spGetLink(world, id);
    if (link != NULL)
    {
        spWakeBody(world, world->bodies[link->body]);
        spFreeLink(&world->heap, link);
        world->links[id.index1 - 1] = NULL;
        world->rowsDirty = true;
        spReleaseSlot(&world->linkIds, (int)id.index1 - 1);
    }
}

bool spLink_IsValid(const spWorld* world, spLinkId link)
{
    return spGetLink(world, link) != NULL;
}

bool spLink_MoveTo(spWorld* world, spLinkId id, spVec3 offset)
{
    spLink* link = spUseLink(world, id);
    if (link == NULL)
    {
        return false;
    }
    spError error = {0};
    if (spIsFinite3(offset) == false)
    {
        spFail(&error, sp_errorBadArgument, "the offset of a link must be finite");
        return spRecordError(world, &error);
    }
    if (link->collider >= 0 || link->otherBody >= 0)
    {
        spFail(&error, sp_errorBadArgument,
               "only a link to space can be moved; move the collider or the other body");
        return spRecordError(world, &error);
    }
    link->target = offset;
    return true;
}

int spLink_CopyAnchors(const spWorld* world, spLinkId id, spVec3* anchors, int capacity)
{
    const spLink* link = spGetLink(world, id);
    int count = link != NULL && anchors != NULL ? spMinInt(link->nodeCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        anchors[i] = link->anchors[i];
    }
    return spMaxInt(count, 0);
}

spVec3 spLink_GetForce(const spWorld* world, spLinkId id)
{
    const spLink* link = spGetLink(world, id);
    return link != NULL ? link->force : (spVec3){0, 0, 0};
}
