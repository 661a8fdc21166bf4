// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The recorder: follows a world and feeds the writer. It remembers every body and collider that it saw by id,
// so that a body which is destroyed and another one in the same slot are two bodies of the recording.

#include "base/error.h"
#include "record/writer.h"
#include "souple/edit.h"
#include "souple/element.h"
#include "souple/levels.h"

#include <math.h>

typedef struct spTrackedBody
{
    spBodyId id;
    int body; // number in the recording
    uint32_t version;
    int nodeCount;
    int tetCount;
    int topology;
} spTrackedBody;

typedef struct spTrackedCollider
{
    spColliderId id;
    int collider; // number in the recording
} spTrackedCollider;

struct spRecorder
{
    spRecordWriter writer;

    spTrackedBody* bodies; // those of the last frame
    int bodyCapacity;
    int bodyCount;
    spTrackedCollider* colliders;
    int colliderCapacity;
    int colliderCount;

    // Gathered for one frame
    spBodyId* bodyIds;
    int bodyIdCapacity;
    spColliderId* colliderIds;
    int colliderIdCapacity;
    spFrameBody* frameBodies;
    int frameBodyCapacity;
    spFrameCollider* frameColliders;
    int frameColliderCapacity;
    spVec3* vectors;
    int vectorCapacity;
    float* numbers; // of all bodies: positions, velocities, stress
    int numberCapacity;
    int32_t* tets; // of one body
    int tetCapacity;
    int32_t* surfaceNodes; // of one body, likewise the next two
    int surfaceNodeCapacity;
    spReal* surfaceWeights;
    int surfaceWeightCapacity;
    float* surfaceNumbers;
    int surfaceNumberCapacity;
    spTetState* tetStates; // of one body
    int tetStateCapacity;
    spDecision* decisions; // of one step
    int decisionCapacity;
    spReal* values; // at the nodes of one body
    int valueCapacity;
    bool storeValues[sp_nodeValueCount];
    bool storeTetStates;
    bool storeContacts;
    spContact* worldContacts;
    int worldContactCapacity;
    spRecordedContact* contacts; // of one frame
    int contactCapacity;
    int64_t lastSerial; // of the step of the last row; -1 without rows
};

static bool spFailRecorderMemory(spRecorder* recorder)
{
    if (recorder->writer.error.code == sp_errorNone)
    {
        spFailMemory(&recorder->writer.error, "recorder", 0);
    }
    return false;
}

// The entry of a body; bodies usually stay in the same order, so that the first guess is right
static spTrackedBody* spFindTrackedBody(spRecorder* recorder, spBodyId id, int guess)
{
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        int k = (guess + i) % recorder->bodyCount;
        if (SP_ID_EQUALS(recorder->bodies[k].id, id))
        {
            return recorder->bodies + k;
        }
    }

    if (!spReserve(&recorder->writer.heap, (void**)&recorder->bodies, recorder->bodyCount,
                   &recorder->bodyCapacity, recorder->bodyCount + 1, sizeof(spTrackedBody)))
    {
        spFailRecorderMemory(recorder);
        return NULL;
    }
    spTrackedBody* body = recorder->bodies + recorder->bodyCount++;
    *body = (spTrackedBody){.id = id, .body = -1, .topology = -1};
    return body;
}

// Tets of all sets of a body
static int spCountTets(const spWorld* world, spBodyId id)
{
    int count = 0;
    for (int set = 0; set < spBody_GetSetCount(world, id); ++set)
    {
        count += spBody_GetTetCount(world, id, set);
    }
    return count;
}

static bool spGatherTets(spRecorder* recorder, const spWorld* world, spBodyId id, int tetCount)
{
    if (tetCount > INT32_MAX / SP_TET_NUMBERS ||
        !spReserve(&recorder->writer.heap, (void**)&recorder->tets, 0, &recorder->tetCapacity, 4 * tetCount,
                   sizeof(int32_t)))
    {
        return spFailRecorderMemory(recorder);
    }
    int done = 0;
    for (int set = 0; set < spBody_GetSetCount(world, id); ++set)
    {
        done += spBody_CopyTets(world, id, set, recorder->tets + 4 * (size_t)done, tetCount - done);
    }
    return true;
}

// What ties the attached surface to the body
static bool spGatherSurface(spRecorder* recorder, const spWorld* world, spBodyId id, spTopologyData* data)
{
    spHeap* heap = &recorder->writer.heap;
    int count = spBody_GetSurfaceVertexCount(world, id);
    if (count > INT32_MAX / 4 ||
        !spReserve(heap, (void**)&recorder->surfaceNodes, 0, &recorder->surfaceNodeCapacity, 4 * count,
                   sizeof(int32_t)) ||
        !spReserve(heap, (void**)&recorder->surfaceWeights, 0, &recorder->surfaceWeightCapacity, 4 * count,
                   sizeof(spReal)) ||
        !spReserve(heap, (void**)&recorder->surfaceNumbers, 0, &recorder->surfaceNumberCapacity, 3 * count,
                   sizeof(float)))
    {
        return spFailRecorderMemory(recorder);
    }
    spBody_CopySurfaceWeights(world, id, recorder->surfaceNodes, recorder->surfaceWeights, count);
    for (int i = 0; i < 3 * count; ++i)
    {
        recorder->surfaceNumbers[i] = (float)recorder->surfaceWeights[i / 3 * 4 + i % 3 + 1];
    }
    data->surfaceNodes = recorder->surfaceNodes;
    data->surfaceWeights = recorder->surfaceNumbers;
    data->surfaceVertexCount = count;
    data->surfaceTriangles = spBody_GetSurfaceTriangles(world, id, &data->surfaceTriangleCount);
    return true;
}

// Makes sure that the file knows the body as it is now
static spTrackedBody* spTrackBody(spRecorder* recorder, const spWorld* world, spBodyId id, int guess)
{
    spTrackedBody* body = spFindTrackedBody(recorder, id, guess);
    if (body == NULL)
    {
        return NULL;
    }
    if (body->body < 0)
    {
        body->body = spWriteBody(&recorder->writer, spBody_GetName(world, id));
    }

    uint32_t version = spBody_GetTopologyVersion(world, id);
    int nodeCount = spBody_GetNodeCount(world, id);
    int tetCount = spCountTets(world, id);
    if (body->topology < 0 || body->version != version || body->nodeCount != nodeCount ||
        body->tetCount != tetCount)
    {
        if (!spGatherTets(recorder, world, id, tetCount))
        {
            return NULL;
        }
        spTopologyData data = {.body = body->body, .version = version, .nodeCount = nodeCount};
        data.triangles = spBody_GetTriangles(world, id, &data.triangleCount);
        data.edges = spBody_GetEdges(world, id, &data.edgeCount);
        data.triangleCount = data.triangles != NULL ? data.triangleCount : 0;
        data.edgeCount = data.edges != NULL ? data.edgeCount : 0;
        int bareCount = 0;
        const uint8_t* bare = spBody_GetBareTriangles(world, id, &bareCount);
        data.bare = bareCount > 0 ? bare : NULL;
        data.tets = recorder->tets;
        data.tetCount = tetCount;
        if (!spGatherSurface(recorder, world, id, &data))
        {
            return NULL;
        }
        body->version = version;
        body->nodeCount = nodeCount;
        body->tetCount = tetCount;
        body->topology = spWriteTopology(&recorder->writer, &data);
    }
    return body->topology >= 0 ? body : NULL;
}

// The number of a collider in the recording; -1 on failure
static int spTrackCollider(spRecorder* recorder, const spWorld* world, spColliderId id, int guess)
{
    for (int i = 0; i < recorder->colliderCount; ++i)
    {
        int k = (guess + i) % recorder->colliderCount;
        if (SP_ID_EQUALS(recorder->colliders[k].id, id))
        {
            return recorder->colliders[k].collider;
        }
    }

    if (!spReserve(&recorder->writer.heap, (void**)&recorder->colliders, recorder->colliderCount,
                   &recorder->colliderCapacity, recorder->colliderCount + 1, sizeof(spTrackedCollider)))
    {
        spFailRecorderMemory(recorder);
        return -1;
    }
    spColliderDef def = spCollider_GetDef(world, id);
    int number = spWriteCollider(&recorder->writer, &def);
    recorder->colliders[recorder->colliderCount++] = (spTrackedCollider){id, number};
    return number;
}

// Collects the ids of everything in the world
static bool spGatherIds(spRecorder* recorder, const spWorld* world, int* bodyCount, int* colliderCount)
{
    spHeap* heap = &recorder->writer.heap;
    int bodies = spWorld_GetBodyCount(world);
    int colliders = spWorld_GetColliderCount(world);
    if (!spReserve(heap, (void**)&recorder->bodyIds, 0, &recorder->bodyIdCapacity, bodies,
                   sizeof(spBodyId)) ||
        !spReserve(heap, (void**)&recorder->frameBodies, 0, &recorder->frameBodyCapacity, bodies,
                   sizeof(spFrameBody)) ||
        !spReserve(heap, (void**)&recorder->colliderIds, 0, &recorder->colliderIdCapacity, colliders,
                   sizeof(spColliderId)) ||
        !spReserve(heap, (void**)&recorder->frameColliders, 0, &recorder->frameColliderCapacity, colliders,
                   sizeof(spFrameCollider)))
    {
        return spFailRecorderMemory(recorder);
    }
    *bodyCount = bodies > 0 ? spWorld_GetBodies(world, recorder->bodyIds, bodies) : 0;
    *colliderCount = colliders > 0 ? spWorld_GetColliders(world, recorder->colliderIds, colliders) : 0;
    return true;
}

static void spStoreVectors(float* to, const spVec3* from, int count)
{
    for (int i = 0; i < count; ++i)
    {
        to[3 * i + 0] = (float)from[i].x;
        to[3 * i + 1] = (float)from[i].y;
        to[3 * i + 2] = (float)from[i].z;
    }
}

// Whether a body is in a contact of this frame
static bool spFeelsContact(const spRecorder* recorder, const spWorld* world, spBodyId id)
{
    int count = spMinInt(spWorld_GetContactCount(world), recorder->worldContactCapacity);
    bool found = false;
    for (int i = 0; i < count && found == false; ++i)
    {
        const spContact* c = recorder->worldContacts + i;
        found = SP_ID_EQUALS(c->body, id) || SP_ID_EQUALS(c->otherBody, id);
    }
    return found;
}

static bool spFetchContacts(spRecorder* recorder, const spWorld* world)
{
    int count = recorder->storeContacts ? spWorld_GetContactCount(world) : 0;
    if (!spReserve(&recorder->writer.heap, (void**)&recorder->worldContacts, 0,
                   &recorder->worldContactCapacity, count, sizeof(spContact)) ||
        !spReserve(&recorder->writer.heap, (void**)&recorder->contacts, 0, &recorder->contactCapacity, count,
                   sizeof(spRecordedContact)))
    {
        return spFailRecorderMemory(recorder);
    }
    spWorld_GetContacts(world, recorder->worldContacts, count);
    return true;
}

static void spStoreVector(float to[3], spVec3 from)
{
    to[0] = (float)from.x;
    to[1] = (float)from.y;
    to[2] = (float)from.z;
}

// The contacts of the frame, by numbers of the recording. Returns their number, -1 on failure.
static int spGatherContacts(spRecorder* recorder, const spWorld* world)
{
    int count = recorder->storeContacts ? spMinInt(spWorld_GetContactCount(world), SP_MAX_FRAME_CONTACTS) : 0;
    for (int i = 0; i < count; ++i)
    {
        const spContact* c = recorder->worldContacts + i;
        spRecordedContact* to = recorder->contacts + i;
        const spTrackedBody* body = spFindTrackedBody(recorder, c->body, 0);
        if (body == NULL)
        {
            return -1;
        }
        *to = (spRecordedContact){.body = body->body,
                                  .otherBody = -1,
                                  .collider = -1,
                                  .age = c->age,
                                  .gap = (float)c->gap,
                                  .area = (float)c->area};
        spVec3 v = c->slip;
        to->slip =
            (float)sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
        spStoreVector(to->position, c->position);
        spStoreVector(to->force, c->force);
        spStoreVector(to->normal, c->normal);
        if (!SP_IS_NULL(c->otherBody))
        {
            const spTrackedBody* other = spFindTrackedBody(recorder, c->otherBody, 0);
            to->otherBody = other != NULL ? other->body : -1;
        }
        else
        {
            to->collider = spTrackCollider(recorder, world, c->collider, 0);
        }
    }
    return count;
}

typedef int spCopyNodeValuesFcn(const spWorld* world, spBodyId body, spReal* values, int capacity);

static spCopyNodeValuesFcn* const s_copyNodeValues[sp_nodeValueCount] = {
    spBody_CopyNodeStress,  spBody_CopyNodeStrain, spBody_CopyContactPressures,
    spBody_CopyNodeModulus, spBody_CopyNodeLevels, spBody_CopyNodeRegions};

// What nodes and tets feel or are made of, where wanted and there is some. Returns where the numbers of the next body go.
static float* spGatherValues(spRecorder* recorder, const spWorld* world, spBodyId id, spFrameBody* body,
                             float* next)
{
    for (int value = 0; value < sp_nodeValueCount; ++value)
    {
        bool wanted =
            recorder->storeValues[value] && (value != sp_nodePressure || spFeelsContact(recorder, world, id));
        int count = wanted ? s_copyNodeValues[value](world, id, recorder->values, body->nodeCount) : 0;
        for (int i = 0; i < count; ++i)
        {
            next[i] = (float)recorder->values[i];
        }
        body->nodeValues[value] = count > 0 ? next : NULL;
        next += count;
    }
    if (recorder->storeTetStates && body->tetCount > 0)
    {
        size_t count = (size_t)body->tetCount;
        int done = 0;
        for (int set = 0; set < spBody_GetSetCount(world, id); ++set)
        {
            done += spBody_CopyTetStates(world, id, set, recorder->tetStates + done, body->tetCount - done);
        }
        for (size_t i = 0; i < count; ++i)
        {
            const spTetState* state = recorder->tetStates + i;
            next[i] = (float)state->vonMises;
            spStoreVectors(next + count + 3 * i, &state->principalStress, 1);
            next[4 * count + i] = (float)state->volumeRatio;
        }
        body->tetStates = next;
        next += SP_TET_NUMBERS * count;
    }
    return next;
}

// Positions, and velocities and stress where wanted, of all bodies
static bool spGatherBodies(spRecorder* recorder, const spWorld* world, int bodyCount)
{
    spRecordWriter* writer = &recorder->writer;
    int64_t total = 0;
    int64_t needed = 0;
    int valueCount = 0;
    for (int value = 0; value < sp_nodeValueCount; ++value)
    {
        valueCount += recorder->storeValues[value];
    }
    int most = 0;
    int mostTets = 0;
    for (int i = 0; i < bodyCount; ++i)
    {
        spTrackedBody* body = spTrackBody(recorder, world, recorder->bodyIds[i], i);
        if (body == NULL)
        {
            return false;
        }
        recorder->frameBodies[i] = (spFrameBody){
            .topology = body->topology, .nodeCount = body->nodeCount, .tetCount = body->tetCount};
        total += body->nodeCount;
        needed += (int64_t)body->nodeCount * (3 + (writer->storeVelocities ? 3 : 0) + valueCount);
        needed += recorder->storeTetStates ? (int64_t)SP_TET_NUMBERS * body->tetCount : 0;
        most = spMaxInt(most, body->nodeCount);
        mostTets = spMaxInt(mostTets, body->tetCount);
    }
    if (needed > INT32_MAX)
    {
        spFail(&writer->error, sp_errorLimit, "recording '%s': a frame of %lld nodes is too large",
               writer->path, (long long)total);
        return false;
    }
    if (!spReserve(&writer->heap, (void**)&recorder->vectors, 0, &recorder->vectorCapacity, most,
                   sizeof(spVec3)) ||
        !spReserve(&writer->heap, (void**)&recorder->numbers, 0, &recorder->numberCapacity, (int)needed,
                   sizeof(float)) ||
        !spReserve(&writer->heap, (void**)&recorder->values, 0, &recorder->valueCapacity,
                   valueCount > 0 ? most : 0, sizeof(spReal)) ||
        !spReserve(&writer->heap, (void**)&recorder->tetStates, 0, &recorder->tetStateCapacity,
                   recorder->storeTetStates ? mostTets : 0, sizeof(spTetState)))
    {
        return spFailRecorderMemory(recorder);
    }

    float* next = recorder->numbers;
    for (int i = 0; i < bodyCount; ++i)
    {
        spFrameBody* body = recorder->frameBodies + i;
        spBodyId id = recorder->bodyIds[i];
        int count = spBody_CopyPositions(world, id, recorder->vectors, body->nodeCount);
        SP_ASSERT(count == body->nodeCount);
        spStoreVectors(next, recorder->vectors, count);
        body->positions = next;
        next += (size_t)3 * (size_t)body->nodeCount;
        if (writer->storeVelocities)
        {
            count = spBody_CopyVelocities(world, id, recorder->vectors, body->nodeCount);
            spStoreVectors(next, recorder->vectors, count);
            body->velocities = next;
            next += (size_t)3 * (size_t)body->nodeCount;
        }
        next = spGatherValues(recorder, world, id, body, next);
    }
    return true;
}

static bool spGatherColliders(spRecorder* recorder, const spWorld* world, int colliderCount)
{
    for (int i = 0; i < colliderCount; ++i)
    {
        spColliderId id = recorder->colliderIds[i];
        int number = spTrackCollider(recorder, world, id, i);
        if (number < 0)
        {
            return false;
        }
        spTransform t = spCollider_GetTransform(world, id);
        recorder->frameColliders[i] = (spFrameCollider){
            .collider = number,
            .position = {(float)t.position.x, (float)t.position.y, (float)t.position.z},
            .rotation = {(float)t.rotation.x, (float)t.rotation.y, (float)t.rotation.z, (float)t.rotation.w},
        };
    }
    return true;
}

spRecorder* spCreateRecorder(const spWorld* world, const spRecorderDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        spFail(error, sp_errorBadDef, "recorder: start from spDefaultRecorderDef");
        return NULL;
    }
    if (world == NULL)
    {
        spFail(error, sp_errorBadArgument, "recorder: no world");
        return NULL;
    }

    spHeap heap = spMakeHeap(&def->allocator);
    spRecorder* recorder = spAllocZeroed(&heap, sizeof(spRecorder));
    if (recorder == NULL)
    {
        spFailMemory(error, "recorder", sizeof(spRecorder));
        return NULL;
    }
    if (!spOpenWriter(&recorder->writer, def, error))
    {
        spFree(&heap, recorder);
        return NULL;
    }

    recorder->lastSerial = -1;
    recorder->storeValues[sp_nodeStress] = def->storeStress;
    recorder->storeValues[sp_nodeStrain] = def->storeStrain;
    recorder->storeValues[sp_nodePressure] = def->storeContacts;
    recorder->storeValues[sp_nodeModulus] = def->storeModulus;
    recorder->storeValues[sp_nodeLevel] = def->storeLevels;
    recorder->storeValues[sp_nodeRegion] = def->storeRegions;
    recorder->storeTetStates = def->storeTetStates;
    recorder->storeContacts = def->storeContacts;

    // The recorder itself is counted with the rest
    recorder->writer.heap.byteCount += heap.byteCount;

    // What is there already
    int bodyCount = 0;
    int colliderCount = 0;
    bool ok = spGatherIds(recorder, world, &bodyCount, &colliderCount);
    for (int i = 0; ok && i < bodyCount; ++i)
    {
        ok = spTrackBody(recorder, world, recorder->bodyIds[i], i) != NULL;
    }
    if (!ok || !spGatherColliders(recorder, world, colliderCount))
    {
        spCloseRecorder(recorder, error);
        return NULL;
    }
    return recorder;
}

// What the clock decided in the last step
static bool spAddDecisions(spRecorder* recorder, const spWorld* world)
{
    int count = spWorld_GetDecisionCount(world);
    if (!spReserve(&recorder->writer.heap, (void**)&recorder->decisions, 0, &recorder->decisionCapacity,
                   count, sizeof(spDecision)))
    {
        return spFailRecorderMemory(recorder);
    }
    spWorld_GetDecisions(world, recorder->decisions, count);
    for (int i = 0; i < count; ++i)
    {
        const spDecision* d = recorder->decisions + i;
        spDecisionData data = {-1, d->substep, d->factorStep, d->stopAfter, d->dt};
        // A body that was destroyed since its step takes its decisions with it
        if (!SP_IS_NULL(d->body))
        {
            if (!spBody_IsValid(world, d->body))
            {
                continue;
            }
            const spTrackedBody* body = spTrackBody(recorder, world, d->body, 0);
            if (body == NULL)
            {
                return false;
            }
            data.body = body->body;
        }
        if (!spWriteDecision(&recorder->writer, &data))
        {
            return false;
        }
    }
    return true;
}

bool spRecorder_AddMeasurements(spRecorder* recorder, const spWorld* world, const double* values)
{
    if (recorder == NULL || world == NULL)
    {
        return false;
    }
    spStepReport report = spWorld_GetReport(world);
    spRecordRow row = {0};
    row.time = spWorld_GetTime(world);
    row.stepCount = spWorld_GetStepCount(world);
    row.dtTaken = (double)report.dtTaken;
    row.flags = report.flags;
    row.profile = spWorld_GetProfile(world);
    row.solverIterations = report.solverIterations;
    row.solverResidual = report.solverResidual;
    row.contactCount = report.contactCount;
    row.substepCount = report.substepCount;
    if (recorder->lastSerial != report.serial && !spAddDecisions(recorder, world))
    {
        return false;
    }
    recorder->lastSerial = report.serial;
    return spWriteRow(&recorder->writer, &row, values);
}

bool spRecorder_AddFrame(spRecorder* recorder, const spWorld* world, const double* values)
{
    if (recorder == NULL || world == NULL || recorder->writer.error.code != sp_errorNone)
    {
        return false;
    }
    if (recorder->lastSerial != spWorld_GetReport(world).serial &&
        !spRecorder_AddMeasurements(recorder, world, values))
    {
        return false;
    }

    int bodyCount = 0;
    int colliderCount = 0;
    if (!spFetchContacts(recorder, world) || !spGatherIds(recorder, world, &bodyCount, &colliderCount) ||
        !spGatherBodies(recorder, world, bodyCount) || !spGatherColliders(recorder, world, colliderCount))
    {
        return false;
    }
    int contactCount = spGatherContacts(recorder, world);
    if (contactCount < 0)
    {
        return false;
    }
    spFrameData data = {0};
    data.stateHash = spWorld_GetStateHash(world);
    data.bodies = recorder->frameBodies;
    data.bodyCount = bodyCount;
    data.colliders = recorder->frameColliders;
    data.colliderCount = colliderCount;
    data.contacts = recorder->contacts;
    data.contactCount = contactCount;
    return spWriteFrame(&recorder->writer, &data);
}

bool spRecorder_AddAct(spRecorder* recorder, const char* text, size_t size)
{
    return recorder != NULL && spWriteAct(&recorder->writer, text, size);
}

uint64_t spRecorder_GetByteCount(const spRecorder* recorder)
{
    return recorder != NULL ? recorder->writer.offset : 0;
}

spError spRecorder_GetError(const spRecorder* recorder)
{
    return recorder != NULL ? recorder->writer.error : (spError){.code = sp_errorNone};
}

bool spCloseRecorder(spRecorder* recorder, spError* error)
{
    if (recorder == NULL)
    {
        return true;
    }
    bool ok = spCloseWriter(&recorder->writer, error);

    spHeap heap = recorder->writer.heap;
    spFree(&heap, recorder->bodies);
    spFree(&heap, recorder->colliders);
    spFree(&heap, recorder->bodyIds);
    spFree(&heap, recorder->colliderIds);
    spFree(&heap, recorder->frameBodies);
    spFree(&heap, recorder->frameColliders);
    spFree(&heap, recorder->vectors);
    spFree(&heap, recorder->numbers);
    spFree(&heap, recorder->tets);
    spFree(&heap, recorder->surfaceNodes);
    spFree(&heap, recorder->surfaceWeights);
    spFree(&heap, recorder->surfaceNumbers);
    spFree(&heap, recorder->tetStates);
    spFree(&heap, recorder->decisions);
    spFree(&heap, recorder->values);
    spFree(&heap, recorder->worldContacts);
    spFree(&heap, recorder->contacts);
    spFree(&heap, recorder);
    return ok;
}
