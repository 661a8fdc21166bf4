// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Snapshots: the state of a world as one block of bytes.
//
// Written and read by the same walk over the world (spWalkState), in three passes: measure, write, read.
// Reading first checks that every body is there with the same shape, so that a refusal changes nothing.
// Colliders and links are known by their ids: those that the snapshot does not know go, those that are gone
// stay so. What a method remembers is read back when the body has a method of the same kind, else its method
// starts anew. Rows are not stored: they follow from the rest; what they exerted last is.

#include "base/error.h"
#include "base/hash.h"
#include "body/edit.h"
#include "world/edit.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SP_SNAPSHOT_MAGIC 0x31504E5350530000ull
#define SP_SNAPSHOT_VERSION 12

typedef struct spSnapshotHeader
{
    uint64_t magic;
    uint32_t version;
    uint32_t realSize;
    uint64_t size; // of everything, header included
    uint64_t hash; // of everything after the header
} spSnapshotHeader;

struct spSnapshot
{
    spHeap heap;
    size_t size;
    unsigned char* data;
};

typedef enum spWalkMode
{
    sp_walkMeasure,
    sp_walkWrite,
    sp_walkCheck, // read without changing anything
    sp_walkRead,
} spWalkMode;

typedef struct spWalk
{
    spWalkMode mode;
    unsigned char* data; // NULL when measuring
    size_t size;
    size_t used;
    bool fits;
    bool noMemory;
} spWalk;

// Whether bytes, which may come from anywhere, are what they are taken for
static bool spIsOfSort(spPieceSort sort, const unsigned char* bytes, size_t size)
{
    bool good = true;
    int32_t count = 0;
    int64_t longCount = 0;
    switch (sort)
    {
        case sp_pieceFlag:
            return size == sizeof(bool) && bytes[0] <= 1;
        case sp_pieceCount:
            memcpy(size == sizeof(count) ? (void*)&count : (void*)&longCount, bytes, size);
            return count >= 0 && count <= INT32_MAX / 2 && longCount >= 0 && longCount <= INT64_MAX / 2;
        case sp_pieceFinite:
            for (size_t i = 0; i < size; i += sizeof(spReal))
            {
                spReal number;
                memcpy(&number, bytes + i, sizeof(number));
                good = good && isfinite(number);
            }
            return good;
        default:
            return true;
    }
}

// State: written, or read back
static void spWalkBytes(spWalk* walk, spPieceSort sort, void* bytes, size_t size)
{
    if (walk->mode != sp_walkMeasure && walk->size - walk->used < size)
    {
        walk->fits = false;
        return;
    }
    if (walk->mode == sp_walkCheck && spIsOfSort(sort, walk->data + walk->used, size) == false)
    {
        walk->fits = false;
    }
    if (walk->mode == sp_walkWrite && size > 0)
    {
        memcpy(walk->data + walk->used, bytes, size);
    }
    else if (walk->mode == sp_walkRead && size > 0)
    {
        memcpy(bytes, walk->data + walk->used, size);
    }
    walk->used += size;
}

// Shape: written, or compared
static void spWalkShape(spWalk* walk, uint64_t value)
{
    uint64_t stored = value;
    if (walk->mode == sp_walkCheck && walk->size - walk->used >= sizeof(stored))
    {
        memcpy(&stored, walk->data + walk->used, sizeof(stored));
        walk->fits = walk->fits && stored == value;
    }
    spWalkBytes(walk, sp_pieceAny, &stored, sizeof(stored));
}

static const void* spWalkMemory(void* context, spPieceSort sort, void* bytes, size_t size)
{
    spWalk* walk = context;
    bool stored = walk->mode == sp_walkCheck || walk->mode == sp_walkRead;
    bool whole = walk->used <= walk->size && walk->size - walk->used >= size;
    bool good = whole && spIsOfSort(sort, walk->data + walk->used, size);
    const void* piece = stored == false ? bytes : good ? walk->data + walk->used : NULL;
    spWalkBytes(walk, sort, bytes, size);
    return piece;
}

// State whose stored value is wanted whatever the world has
static uint64_t spWalkValue(spWalk* walk, uint64_t value)
{
    uint64_t stored = value;
    bool reads = walk->mode == sp_walkCheck || walk->mode == sp_walkRead;
    if (reads && walk->size - walk->used >= sizeof(stored))
    {
        memcpy(&stored, walk->data + walk->used, sizeof(stored));
    }
    spWalkBytes(walk, sp_pieceAny, &value, sizeof(value));
    return stored;
}

// Passes by what the world has no place for
static void spSkipBytes(spWalk* walk, size_t size)
{
    walk->fits = walk->fits && walk->size - walk->used >= size;
    walk->used += walk->fits ? size : 0;
}

// Forces on nodes: none are the same as zeros
static void spWalkForces(spWalk* walk, spBody* body)
{
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    bool stored = spWalkValue(walk, body->nodeForces != NULL) != 0;
    if (stored && body->nodeForces == NULL)
    {
        body->nodeForces = body->backend->allocate(body->heap, size);
        walk->noMemory |= body->nodeForces == NULL;
        walk->fits = walk->fits && body->nodeForces != NULL;
    }
    else if (stored == false && body->nodeForces != NULL && walk->mode == sp_walkRead)
    {
        memset(body->nodeForces, 0, size);
    }
    spWalkBytes(walk, sp_pieceFinite, body->nodeForces, stored ? size : 0);
}

// Methods with the same key remember the same pieces
static uint64_t spGetMemoryKey(const spMethodDef* def)
{
    const uint32_t key[] = {
        (uint32_t)def->type,
        (uint32_t)def->filter.type,
        (uint32_t)def->solver.operatorType,
        (uint32_t)def->solver.preconditioner,
        def->solver.asynchronous,
        (uint32_t)def->xpbd.solver,
    };
    return spHashBytes(SP_HASH_SEED, key, sizeof(key));
}

// What was chosen for a body that leaves its method open: before anything is read that the method remembers
static void spWalkChoice(spWalk* walk, spBody* body)
{
    bool reads = walk->mode == sp_walkCheck || walk->mode == sp_walkRead;
    spMethodChoice choice = body->choice;
    uint64_t type = spWalkValue(walk, (uint64_t)choice.type);
    uint64_t version = spWalkValue(walk, body->choiceVersion);
    spReal dt = body->choiceDt;
    spWalkBytes(walk, sp_pieceFinite, &dt, sizeof(dt));
    spWalkBytes(walk, sp_pieceAny, &choice.substeps, sizeof(choice.substeps));
    bool offered = type == sp_symplecticEuler || type == sp_backwardEuler || type == sp_xpbd;
    if (reads == false || body->automatic == false || offered == false)
    {
        return;
    }
    spError error = {0};
    choice.type = (spMethodType)type;
    bool same = choice.type == body->methodDef.type;
    if (body->choice.type != choice.type)
    {
        snprintf(choice.reason, sizeof(choice.reason), "it was chosen before the state was saved");
    }
    if (spTakeChoice(body, &choice, dt, &error) == false)
    {
        walk->noMemory |= error.code == sp_errorOutOfMemory;
        walk->fits = false;
    }
    body->choiceVersion = (uint32_t)version;
    if (walk->mode == sp_walkCheck && same == false)
    {
        // What does not fit in the end leaves the body to choose anew
        body->choice.type = sp_methodAuto;
    }
}

// What the method remembers, behind its key and its size. Returns whether the world has that method.
static bool spWalkMethod(spWalk* walk, spBody* body)
{
    uint64_t key = spGetMemoryKey(&body->methodDef);
    bool same = spWalkValue(walk, key) == key;
    size_t head = walk->used;
    uint64_t size = spWalkValue(walk, 0);
    if (same == false)
    {
        spSkipBytes(walk, (size_t)size);
        spError error = {0};
        spMethodDef def = body->methodDef;
        if (walk->mode == sp_walkRead && spInstallMethod(body, &def, &error) == false)
        {
            walk->noMemory = true;
        }
        return false;
    }
    if (body->method->walkMemory(body, spWalkMemory, walk) == false)
    {
        walk->noMemory = true;
        walk->fits = false;
    }
    uint64_t walked = walk->used - head - sizeof(size);
    if (walk->mode == sp_walkWrite && walk->fits)
    {
        memcpy(walk->data + head, &walked, sizeof(walked));
    }
    else if (walk->mode == sp_walkCheck)
    {
        walk->fits = walk->fits && walked == size;
    }
    return true;
}

static void spCheckRoles(spWalk* walk, size_t count)
{
    bool whole = walk->mode == sp_walkCheck && walk->size - walk->used >= count;
    for (size_t i = 0; whole && i < count; ++i)
    {
        walk->fits = walk->fits && walk->data[walk->used + i] <= sp_nodeGone;
    }
}

static void spWalkEdits(spWalk* walk, spBody* body)
{
    spTopologyWalk mode = walk->mode == sp_walkCheck  ? sp_topologyCheck
                          : walk->mode == sp_walkRead ? sp_topologyRead
                                                      : sp_topologyWrite;
    walk->fits = walk->fits && spWalkTopology(body, spWalkMemory, walk, mode, &walk->noMemory);
}

// What rows begin with: entries one by one, for they may have gaps
static void spWalkMultipliers(spWalk* walk, spHeap* heap, spMultipliers* list)
{
    uint64_t stored = spWalkValue(walk, (uint64_t)list->count), last = 0;
    if (walk->mode == sp_walkCheck)
    {
        // Each has more than 16 bytes
        bool fits = stored <= (walk->size - walk->used) / 16 && stored <= INT32_MAX / 2;
        walk->noMemory |= fits && spReserve(heap, (void**)&list->entries, list->count, &list->capacity,
                                            (int)stored, sizeof(spMultiplier)) == false;
        walk->fits = walk->fits && fits && walk->noMemory == false;
    }
    list->count = walk->mode == sp_walkRead ? (int)stored : list->count;
    for (uint64_t i = 0; walk->fits && i < stored; ++i)
    {
        spMultiplier none = {0}, *entry = walk->mode == sp_walkCheck ? &none : list->entries + i;
        uint64_t key = spWalkValue(walk, entry->key);
        walk->fits = walk->fits && (i == 0 || key >= last);
        last = key;
        entry->key = key;
        spWalkBytes(walk, sp_pieceFinite, &entry->force, sizeof(spVec3));
        spWalkBytes(walk, sp_pieceFinite, &entry->slip, sizeof(spVec3));
        spWalkBytes(walk, sp_pieceCount, &entry->age, sizeof(entry->age));
    }
}

// Pairs that touched, of whatever there was: nothing is looked up by them
static void spWalkPairs(spWalk* walk, spHeap* heap, spTouchingPairs* list)
{
    uint64_t stored = spWalkValue(walk, (uint64_t)list->count);
    spTouchingPair last = {0};
    if (walk->mode == sp_walkCheck)
    {
        bool fits = stored <= (walk->size - walk->used) / (2 * sizeof(uint64_t)) && stored <= INT32_MAX / 2;
        walk->noMemory |= fits && spReserve(heap, (void**)&list->entries, list->count, &list->capacity,
                                            (int)stored, sizeof(spTouchingPair)) == false;
        walk->fits = walk->fits && fits && walk->noMemory == false;
    }
    list->count = walk->mode == sp_walkRead ? (int)stored : list->count;
    for (uint64_t i = 0; walk->fits && i < stored; ++i)
    {
        // Where it is read or checked, what stands in the list is nothing yet
        bool stands = walk->mode == sp_walkMeasure || walk->mode == sp_walkWrite;
        spTouchingPair entry = stands ? list->entries[i] : (spTouchingPair){0}, pair = {0};
        pair.first = spWalkValue(walk, entry.first);
        pair.second = spWalkValue(walk, entry.second);
        pair.collider = spWalkValue(walk, entry.collider) != 0;
        pair.idle = (int32_t)(spWalkValue(walk, (uint64_t)entry.idle) & 0xFF);
        walk->fits = walk->fits && (i == 0 || spIsPairBefore(&last, &pair));
        last = pair;
        if (walk->mode == sp_walkRead)
        {
            list->entries[i] = pair;
        }
    }
}

static void spWalkBody(spWalk* walk, spBody* body)
{
    size_t n = (size_t)body->nodeCount;
    spWalkShape(walk, body->id.generation);
    spWalkShape(walk, (uint64_t)body->nodeCount);
    // Edits do not count: snapshots bring their topology along
    spWalkShape(walk, spGetSetVersion(body));
    spWalkEdits(walk, body);
    spWalkBytes(walk, sp_pieceFinite, body->x, n * sizeof(spVec4));
    if (body->precise)
    {
        spWalkBytes(walk, sp_pieceFinite, body->x + n, n * sizeof(spVec4));
    }
    spWalkBytes(walk, sp_pieceFinite, body->v, n * sizeof(spVec4));
    bool reads = walk->mode == sp_walkRead;
    bool sameRoles = reads == false || memcmp(body->roles, walk->data + walk->used, n) == 0;
    spCheckRoles(walk, n);
    spWalkBytes(walk, sp_pieceAny, body->roles, n);
    if (sameRoles == false)
    {
        // What was made for other roles is of no use, but for what the method reads back now. Saving must not
        // write: the thread of a preconditioner may read the body meanwhile.
        body->matrixVersion += 1;
    }
    spWalkForces(walk, body);
    spWalkMultipliers(walk, body->heap, &body->multipliers);
    spWalkChoice(walk, body);
    bool same = spWalkMethod(walk, body);
    if (reads && body->method->pause != NULL)
    {
        // What was read back may have started a thread that reads the body, which is written to below
        body->method->pause(body);
    }
    same &= spWalkValue(walk, body->materialVersion) == body->materialVersion;
    spWalkBytes(walk, sp_pieceFlag, &body->running, sizeof(body->running));
    spWalkBytes(walk, sp_pieceFlag, &body->asleep, sizeof(body->asleep));
    spWalkBytes(walk, sp_pieceFinite, &body->calmTime, sizeof(body->calmTime));
    spWalkBytes(walk, sp_pieceFinite, &body->sleepLower, sizeof(spVec3));
    spWalkBytes(walk, sp_pieceFinite, &body->sleepUpper, sizeof(spVec3));
    spWalkBytes(walk, sp_pieceAny, &body->time, sizeof(body->time));
    spWalkBytes(walk, sp_pieceAny, &body->stableStep, sizeof(body->stableStep));
    spWalkBytes(walk, sp_pieceFlag, &body->stableStepDirty, sizeof(body->stableStepDirty));
    spWalkBytes(walk, sp_pieceCount, &body->estimateAge, sizeof(body->estimateAge));
    spWalkBytes(walk, sp_pieceAny, &body->contactForce, sizeof(body->contactForce));
    spWalkBytes(walk, sp_pieceAny, &body->pinForce, sizeof(body->pinForce));
    spWalkBytes(walk, sp_pieceAny, &body->jointState, sizeof(body->jointState));
    if (reads)
    {
        // Targets that nobody has stepped to are commands, not state
        for (int i = 0; i < body->drivenCount; ++i)
        {
            body->drivenIndex[body->driven[i].node] = -1;
        }
        body->drivenCount = 0;
        body->heldDirty = true;
        spSettleRoles(body);
        spForgetWatch(body);
        // Nor is what was made for the stiffness of another method or material
        body->stableStepDirty |= same == false;
        body->matrixVersion += same == false;
    }
}

static void spWalkCollider(spWalk* walk, spCollider* collider)
{
    spWalkBytes(walk, sp_pieceFinite, &collider->def.transform, sizeof(spTransform));
    spWalkBytes(walk, sp_pieceFinite, &collider->start, sizeof(spTransform));
    spWalkBytes(walk, sp_pieceFinite, &collider->target, sizeof(spTransform));
    spWalkBytes(walk, sp_pieceFlag, &collider->moving, sizeof(collider->moving));
    spWalkBytes(walk, sp_pieceAny, &collider->turnReach, sizeof(collider->turnReach));
    spWalkBytes(walk, sp_pieceAny, &collider->force, sizeof(spVec3));
    spWalkBytes(walk, sp_pieceAny, &collider->torque, sizeof(spVec3));
}

static void spWalkLink(spWalk* walk, spLink* link)
{
    spWalkBytes(walk, sp_pieceFinite, &link->offset, sizeof(spVec3));
    spWalkBytes(walk, sp_pieceFinite, &link->target, sizeof(spVec3));
    spWalkBytes(walk, sp_pieceAny, &link->force, sizeof(spVec3));
}

// Colliders or links, by their slots: the generation of what was in each, 0 for nothing, and its state
static void spWalkObjects(spWalk* walk, spWorld* world, bool links)
{
    const spIdPool* pool = links ? &world->linkIds : &world->colliderIds;
    int slotCount = pool->slotCount;
    uint64_t storedCount = spWalkValue(walk, (uint64_t)slotCount);
    if (storedCount > INT32_MAX)
    {
        walk->fits = false;
    }
    for (int i = 0; walk->fits && (i < slotCount || (uint64_t)i < storedCount); ++i)
    {
        spCollider* collider = links == false && i < slotCount ? world->colliders[i] : NULL;
        spLink* link = links && i < slotCount ? world->links[i] : NULL;
        bool there = collider != NULL || link != NULL;
        uint64_t generation = there ? pool->slots[i].generation : 0;
        uint64_t stored = (uint64_t)i < storedCount ? spWalkValue(walk, generation) : 0;
        if (stored != 0 && stored != generation)
        {
            // Gone since
            spLink noLink = {0};
            spCollider noCollider = {0};
            links ? spWalkLink(walk, &noLink) : spWalkCollider(walk, &noCollider);
        }
        else if (stored != 0)
        {
            links ? spWalkLink(walk, link) : spWalkCollider(walk, collider);
        }
        if (there && stored != generation && walk->mode == sp_walkRead)
        {
            links ? spDestroyLink(world, link->id) : spDestroyCollider(world, collider->id);
        }
    }
}

static void spWalkState(spWalk* walk, spWorld* world)
{
    walk->used = sizeof(spSnapshotHeader);
    walk->fits = true;
    spWalkShape(walk, (uint64_t)world->bodyIds.slotCount);
    spWalkBytes(walk, sp_pieceAny, &world->time, sizeof(world->time));
    spWalkBytes(walk, sp_pieceCount, &world->stepCount, sizeof(world->stepCount));
    spWalkBytes(walk, sp_pieceFinite, &world->lastDt, sizeof(world->lastDt));
    bool rowsDirty = world->rowsDirty;
    spWalkBytes(walk, sp_pieceFlag, &rowsDirty, sizeof(rowsDirty));
    spWalkBytes(walk, sp_pieceFinite, &world->def.gravity, sizeof(spVec3));
    for (int i = 0; walk->fits && i < world->bodyIds.slotCount; ++i)
    {
        spWalkShape(walk, world->bodies[i] != NULL);
        if (walk->fits && world->bodies[i] != NULL)
        {
            spWalkBody(walk, world->bodies[i]);
        }
    }
    if (walk->fits)
    {
        spWalkObjects(walk, world, false);
        spWalkObjects(walk, world, true);
    }
    for (int i = 0; walk->fits && i < sp_rowLawCount; ++i)
    {
        spWalkMultipliers(walk, &world->heap, world->multipliers + i);
    }
    if (walk->fits)
    {
        spWalkMultipliers(walk, &world->heap, &world->history.pressed);
        spWalkPairs(walk, &world->heap, &world->history.pairs);
    }
    world->rowsDirty = rowsDirty;
}

static spSnapshot* spAllocSnapshot(const spAllocator* allocator, size_t size)
{
    spHeap heap = spMakeHeap(allocator);
    spSnapshot* snapshot = spAlloc(&heap, sizeof(spSnapshot));
    unsigned char* data = spAllocZeroed(&heap, size);
    if (snapshot == NULL || data == NULL)
    {
        spFree(&heap, snapshot);
        spFree(&heap, data);
        return NULL;
    }
    *snapshot = (spSnapshot){.heap = heap, .size = size, .data = data};
    return snapshot;
}

spSnapshot* spWorld_Save(spWorld* world)
{
    if (world == NULL)
    {
        return NULL;
    }
    spWalk walk = {.mode = sp_walkMeasure};
    spWalkState(&walk, world);
    spSnapshot* snapshot = walk.fits ? spAllocSnapshot(&world->def.allocator, walk.used) : NULL;
    if (snapshot == NULL)
    {
        spError error = {0};
        spFailMemory(&error, "a snapshot", walk.used);
        spRecordError(world, &error);
        return NULL;
    }
    walk = (spWalk){.mode = sp_walkWrite, .data = snapshot->data, .size = snapshot->size};
    spWalkState(&walk, world);
    SP_ASSERT(walk.fits && walk.used == snapshot->size);
    spSnapshotHeader header = {
        .magic = SP_SNAPSHOT_MAGIC,
        .version = SP_SNAPSHOT_VERSION,
        .realSize = sizeof(spReal),
        .size = snapshot->size,
        .hash = spHashBytes(SP_HASH_SEED, snapshot->data + sizeof(header), snapshot->size - sizeof(header)),
    };
    memcpy(snapshot->data, &header, sizeof(header));
    return snapshot;
}

static void spEndRestore(spWorld* world)
{
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        if (world->bodies[i] != NULL)
        {
            spEndTopologyWalk(world->bodies[i]);
        }
    }
}

bool spWorld_Restore(spWorld* world, const spSnapshot* snapshot)
{
    if (world == NULL)
    {
        return false;
    }
    spWalk walk = {.mode = sp_walkCheck};
    spError error = {0};
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        if (world->bodies[i] != NULL && world->bodies[i]->method->pause != NULL)
        {
            world->bodies[i]->method->pause(world->bodies[i]);
        }
    }
    if (snapshot != NULL)
    {
        walk.data = snapshot->data;
        walk.size = snapshot->size;
        spWalkState(&walk, world);
    }
    if (snapshot == NULL || walk.fits == false || walk.used != snapshot->size)
    {
        spEndRestore(world);
        walk.noMemory
            ? spFailMemory(&error, "a snapshot", walk.size)
            : spFail(&error, sp_errorBadArgument,
                     "the snapshot does not fit: this world has not the bodies that it was taken from");
        return spRecordError(world, &error);
    }
    walk.mode = sp_walkRead;
    spWalkState(&walk, world);
    spEndRestore(world);
    if (walk.noMemory)
    {
        // The state is there; a method goes on with what it remembers of another
        spFailMemory(&error, "a method", 0);
        spRecordError(world, &error);
    }

    // The rows as the last step left them: with colliders and links at rest
    for (int i = 0; i < world->bodyIds.slotCount; ++i)
    {
        if (world->bodies[i] != NULL)
        {
            world->bodies[i]->rowCount = 0;
        }
    }
    world->contactCount = 0;
    spForgetEvents(world);
    world->decided = false;
    if (world->lastDt > 0 && world->rowsDirty == false)
    {
        uint32_t flags = 0;
        spFindRows(world, NULL, world->lastDt, &flags);
        world->rowsDirty = (flags & sp_stepOutOfMemory) != 0;
    }
    return true;
}

void spDestroySnapshot(spSnapshot* snapshot)
{
    if (snapshot != NULL)
    {
        spHeap heap = snapshot->heap;
        spFree(&heap, snapshot->data);
        spFree(&heap, snapshot);
    }
}

const void* spSnapshot_GetData(const spSnapshot* snapshot, size_t* size)
{
    if (size != NULL)
    {
        *size = snapshot != NULL ? snapshot->size : 0;
    }
    return snapshot != NULL ? snapshot->data : NULL;
}

spSnapshot* spCreateSnapshot(const void* data, size_t size, spError* error)
{
    spSnapshotHeader header;
    if (data == NULL || size < sizeof(header))
    {
        spFail(error, sp_errorFileFormat, "a snapshot has at least %zu bytes, not %zu", sizeof(header), size);
        return NULL;
    }
    memcpy(&header, data, sizeof(header));
    if (header.magic != SP_SNAPSHOT_MAGIC || header.version != SP_SNAPSHOT_VERSION)
    {
        spFail(error, sp_errorFileFormat, "these bytes are not a snapshot, or one of another version");
        return NULL;
    }
    if (header.realSize != sizeof(spReal))
    {
        spFail(error, sp_errorUnsupported, "the snapshot is of a %s build, this one is %s",
               header.realSize == sizeof(float) ? "float" : "double",
               sizeof(spReal) == sizeof(float) ? "float" : "double");
        return NULL;
    }
    const unsigned char* bytes = data;
    if (header.size != size ||
        header.hash != spHashBytes(SP_HASH_SEED, bytes + sizeof(header), size - sizeof(header)))
    {
        spFail(error, sp_errorFileFormat, "the snapshot is damaged or cut off");
        return NULL;
    }
    spSnapshot* snapshot = spAllocSnapshot(NULL, size);
    if (snapshot == NULL)
    {
        spFailMemory(error, "a snapshot", size);
        return NULL;
    }
    memcpy(snapshot->data, data, size);
    return snapshot;
}
