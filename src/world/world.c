// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Creating and destroying worlds, and what is read from them.

#include "world/sleep.h"

#include "base/error.h"
#include "base/hash.h"
#include "contact/contact_surface.h"
#include "math/vec3.h"

#include <string.h>

int spGetVersion(void)
{
    return SP_VERSION_MAJOR * 10000 + SP_VERSION_MINOR * 100 + SP_VERSION_PATCH;
}

int spGetLaneCount(void)
{
    return spGetBestLaneCount();
}

spWorldDef spDefaultWorldDef(void)
{
    return (spWorldDef){
        .gravity = {0, (spReal)-9.81, 0},
        .workerCount = 1,
        .contactSkin = (spReal)1e-3,
        .restitutionThreshold = (spReal)0.05,
        .hitSpeed = 1,
        .bodyContacts = true,
        .guarantee = sp_guaranteeBestEffort,
        .detector = sp_detectorDistance,
        .internalValue = SP_DEF_COOKIE,
    };
}

static bool spCheckWorldDef(const spWorldDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the world definition does not come from spDefaultWorldDef");
    }
    if (def->workerCount < 1 || def->workerCount > SP_MAX_WORKERS)
    {
        return spFail(error, sp_errorBadArgument, "workerCount %d must be between 1 and %d", def->workerCount,
                      SP_MAX_WORKERS);
    }
    if ((def->enqueueTask == NULL) != (def->finishTask == NULL))
    {
        return spFail(error, sp_errorBadArgument, "enqueueTask and finishTask go together");
    }
    if ((def->allocator.alloc == NULL) != (def->allocator.free == NULL))
    {
        return spFail(error, sp_errorBadArgument, "alloc and free of the allocator go together");
    }
    if (spIsFinite3(def->gravity) == false)
    {
        return spFail(error, sp_errorBadArgument, "gravity must be finite");
    }
    if ((int)def->guarantee < 0 || def->guarantee > sp_guaranteeNoIntersection)
    {
        return spFail(error, sp_errorBadArgument, "unknown guarantee %d", (int)def->guarantee);
    }
    if ((int)def->detector < 0 || def->detector > sp_detectorVolume)
    {
        return spFail(error, sp_errorBadArgument, "unknown detector %d", (int)def->detector);
    }
    if (!(def->contactSkin >= 0 && isfinite(def->contactSkin)) ||
        !(def->restitutionThreshold >= 0 && isfinite(def->restitutionThreshold)) ||
        !(def->hitSpeed >= 0 && isfinite(def->hitSpeed)))
    {
        return spFail(error, sp_errorBadArgument,
                      "contactSkin, restitutionThreshold and hitSpeed must not be negative");
    }
    int lanes = def->laneCount;
    if (lanes != 0 && lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
    {
        return spFail(error, sp_errorBadArgument, "laneCount %d must be 0, 1, 4, 8 or 16", lanes);
    }
    if (lanes > spGetBestLaneCount())
    {
        return spFail(error, sp_errorUnsupported, "this build and processor have at most %d lanes, not %d",
                      spGetBestLaneCount(), lanes);
    }
    return true;
}

spWorld* spCreateWorld(const spWorldDef* def, spError* error)
{
    if (spCheckWorldDef(def, error) == false)
    {
        return NULL;
    }
    spHeap heap = spMakeHeap(&def->allocator);
    spWorld* world = spAllocZeroed(&heap, sizeof(spWorld));
    if (world == NULL)
    {
        spFailMemory(error, "a world", sizeof(spWorld));
        return NULL;
    }
    world->heap = heap;
    world->def = *def;
    world->detectors.general = def->detector;
    world->backend = spFindBackend(def->laneCount != 0 ? def->laneCount : spGetBestLaneCount());
    spInitArena(&world->arena, &world->heap);
    if (def->workerCount > 1)
    {
        spTeamDef teamDef = {def->workerCount, def->enqueueTask, def->finishTask, def->taskContext};
        world->team = spCreateTeam(&world->heap, &teamDef, error);
        if (world->team == NULL)
        {
            spDestroyWorld(world);
            return NULL;
        }
    }
    return world;
}

void spDestroyWorld(spWorld* world)
{
    if (world == NULL)
    {
        return;
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        if (world->links[i] != NULL)
        {
            spFreeLink(&world->heap, world->links[i]);
        }
    }
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        if (world->bodies[i] != NULL)
        {
            world->bodies[i]->method->destroy(world->bodies[i]);
            spDestroyContactSurface(&world->heap, world->bodies[i]->contactSurface);
            spDestroyBodyData(world->bodies[i]);
        }
    }
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        spFreeCollider(&world->heap, world->colliders[i]);
    }
    spFree(&world->heap, world->bodies);
    spFree(&world->heap, world->colliders);
    spFree(&world->heap, world->links);
    spFree(&world->heap, world->contacts);
    spFreeContactHistory(&world->heap, &world->history);
    spFreeTouches(&world->heap, &world->touches);
    spFreeGuardedPairs(&world->heap, &world->guarded);
    spFree(&world->heap, world->pairTable.entries);
    spFree(&world->heap, world->detectors.entries);
    for (int i = 0; i < sp_rowLawCount; ++i)
    {
        spFreeMultipliers(&world->heap, world->multipliers + i);
    }
    spFree(&world->heap, world->decisions);
    spFree(&world->heap, world->given);
    spFreeIdPool(&world->bodyIds, &world->heap);
    spFreeIdPool(&world->colliderIds, &world->heap);
    spFreeIdPool(&world->linkIds, &world->heap);
    spFreeArena(&world->arena);
    spDestroyTeam(&world->heap, world->team);
    spHeap heap = world->heap;
    spFree(&heap, world);
    SP_ASSERT(heap.byteCount == 0);
}

spBody* spGetBody(const spWorld* world, spBodyId id)
{
    int slot = world != NULL ? spFindSlot(&world->bodyIds, id.index1, id.generation) : -1;
    return slot >= 0 ? world->bodies[slot] : NULL;
}

const spBody* spReadBody(const spWorld* world, spBodyId id)
{
    static const spBody s_none;
    const spBody* body = spGetBody(world, id);
    return body != NULL ? body : &s_none;
}

spCollider* spGetCollider(const spWorld* world, spColliderId id)
{
    int slot = world != NULL ? spFindSlot(&world->colliderIds, id.index1, id.generation) : -1;
    return slot >= 0 ? world->colliders[slot] : NULL;
}

spLink* spGetLink(const spWorld* world, spLinkId id)
{
    int slot = world != NULL ? spFindSlot(&world->linkIds, id.index1, id.generation) : -1;
    return slot >= 0 ? world->links[slot] : NULL;
}

static void spRecordStale(spWorld* world, const char* what, uint32_t index1)
{
    if (world == NULL)
    {
        return;
    }
    spError error = {0};
    spFail(&error, sp_errorStaleId, "the %s id (%u) is null or names one that was destroyed", what, index1);
    spRecordError(world, &error);
}

spBody* spUseBody(spWorld* world, spBodyId id)
{
    spBody* body = spGetBody(world, id);
    if (body == NULL)
    {
        spRecordStale(world, "body", id.index1);
    }
    else if (body->method->pause != NULL)
    {
        body->method->pause(body);
    }
    if (body != NULL)
    {
        spWakeBody(world, body);
    }
    return body;
}

spCollider* spUseCollider(spWorld* world, spColliderId id)
{
    spCollider* collider = spGetCollider(world, id);
    if (collider == NULL)
    {
        spRecordStale(world, "collider", id.index1);
    }
    else
    {
        spWakeNear(world, collider);
        collider->disturbed = true;
    }
    return collider;
}

spLink* spUseLink(spWorld* world, spLinkId id)
{
    spLink* link = spGetLink(world, id);
    if (link == NULL)
    {
        spRecordStale(world, "link", id.index1);
    }
    else
    {
        spWakeBody(world, world->bodies[link->body]);
    }
    return link;
}

bool spRecordError(spWorld* world, const spError* error)
{
    world->lastError = *error;
    spLog(&world->def.logger, sp_logError, "%s", error->message);
    return false;
}

bool spRefuse(spWorld* world, spErrorCode code, const char* body, const char* why)
{
    spError error = {0};
    spFail(&error, code, "%s: %s", body, why);
    return spRecordError(world, &error);
}

spSlotId spTakeObjectSlot(spWorld* world, spIdPool* pool, void*** objects, int* capacity, spError* error)
{
    // Room first: a pool never has more slots than its array
    int old = *capacity;
    if (spReserve(&world->heap, (void**)objects, old, capacity, pool->slotCount + 1, sizeof(void*)) == false)
    {
        spFailMemory(error, "a list of objects", (size_t)(pool->slotCount + 1) * sizeof(void*));
        return (spSlotId){0};
    }
    for (int i = old; i < *capacity; ++i)
    {
        (*objects)[i] = NULL;
    }
    spSlotId id = spTakeSlot(pool, &world->heap);
    if (id.index1 == 0)
    {
        spFailMemory(error, "a list of objects", sizeof(spSlot));
    }
    return id;
}

spStepReport spWorld_GetReport(const spWorld* world)
{
    spStepReport report = world != NULL ? world->report : (spStepReport){0};
    report.serial = world != NULL ? world->serial : 0;
    return report;
}

spProfile spWorld_GetProfile(const spWorld* world)
{
    return world != NULL ? world->profile : (spProfile){0};
}

double spWorld_GetTime(const spWorld* world)
{
    return world != NULL ? world->time : 0.0;
}

int64_t spWorld_GetStepCount(const spWorld* world)
{
    return world != NULL ? world->stepCount : 0;
}

size_t spWorld_GetByteCount(const spWorld* world)
{
    return world != NULL ? world->heap.byteCount : 0;
}

spError spWorld_GetLastError(const spWorld* world)
{
    return world != NULL ? world->lastError : (spError){0};
}

void spWorld_ClearError(spWorld* world)
{
    if (world != NULL)
    {
        world->lastError = (spError){0};
    }
}

bool spWorld_SetGravity(spWorld* world, spVec3 gravity)
{
    if (world == NULL)
    {
        return false;
    }
    if (spIsFinite3(gravity) == false)
    {
        spError error = {0};
        spFail(&error, sp_errorBadArgument, "gravity must be finite");
        return spRecordError(world, &error);
    }
    bool same = memcmp(&world->def.gravity, &gravity, sizeof(gravity)) == 0;
    world->def.gravity = gravity;
    if (same == false)
    {
        spWakeAll(world);
    }
    return true;
}

spVec3 spWorld_GetGravity(const spWorld* world)
{
    return world != NULL ? world->def.gravity : (spVec3){0, 0, 0};
}

int spWorld_GetWorkerCount(const spWorld* world)
{
    return world != NULL ? world->def.workerCount : 0;
}

void spWorld_SetFrameCallback(spWorld* world, spFrameFcn* fcn, void* context)
{
    if (world != NULL)
    {
        world->frameFcn = fcn;
        world->frameContext = context;
    }
}

// Nodes that have a number, as they lie in memory: room for edits leaves the hash as it is
static uint64_t spHashNodes(uint64_t hash, const spBody* body, const void* state, size_t size)
{
    const unsigned char* bytes = state;
    unsigned char packed[64 * sizeof(spVec4)];
    if (body->nodeCount == body->userCount)
    {
        return spHashBytes(hash, bytes, (size_t)body->nodeCount * size);
    }
    size_t used = 0;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        if (body->order.order[node] >= 0)
        {
            memcpy(packed + used, bytes + (size_t)node * size, size);
            used += size;
        }
        if (used == sizeof(packed))
        {
            hash = spHashBytes(hash, packed, used);
            used = 0;
        }
    }
    return used > 0 ? spHashBytes(hash, packed, used) : hash;
}

uint64_t spWorld_GetStateHash(const spWorld* world)
{
    if (world == NULL)
    {
        return 0;
    }
    uint64_t hash = SP_HASH_SEED;
    hash = spHashBytes(hash, &world->time, sizeof(world->time));
    hash = spHashBytes(hash, &world->stepCount, sizeof(world->stepCount));
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        if (body != NULL)
        {
            hash = spHashBytes(hash, &body->running, sizeof(body->running));
            hash = spHashNodes(hash, body, body->x, sizeof(spVec4));
            hash = spHashNodes(hash, body, body->v, sizeof(spVec4));
            hash = spHashNodes(hash, body, body->roles, 1);
        }
    }
    for (int i = 0; i < world->colliderIds.slotCount; ++i)
    {
        const spCollider* collider = world->colliders[i];
        if (collider != NULL)
        {
            hash = spHashBytes(hash, &collider->def.transform, sizeof(spTransform));
        }
    }
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        const spLink* link = world->links[i];
        if (link != NULL)
        {
            hash = spHashBytes(hash, &link->offset, sizeof(spVec3));
            hash = spHashBytes(hash, &link->target, sizeof(spVec3));
        }
    }
    return hash;
}
