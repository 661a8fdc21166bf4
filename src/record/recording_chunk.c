// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Chunks of a recording, one function for each sort. A file is hostile until it was checked: every count is held against
// the bytes that are there before anything is allocated or pointed at, every index against the things that came before.

#include "record/recording_chunk.h"

#include "base/error.h"
#include "record/chunk.h"

#include <limits.h>
#include <math.h>

// The next `size` bytes; NULL when there are fewer
static const uint8_t* spTake(spCursor* cursor, uint64_t size)
{
    if (size > cursor->left)
    {
        return NULL;
    }
    const uint8_t* data = cursor->data;
    cursor->data += size;
    cursor->left -= (size_t)size;
    return data;
}

// A string in place; NULL when it is cut off, unterminated or has a zero inside
static const char* spTakeString(spCursor* cursor)
{
    const uint8_t* head = spTake(cursor, 4);
    if (head == NULL)
    {
        return NULL;
    }
    uint64_t length = spGetU32(head);
    const uint8_t* text = spTake(cursor, length + 4 - length % 4);
    return text != NULL && memchr(text, 0, (size_t)length + 1) == text + length ? (const char*)text : NULL;
}

// Room for one more entry of one of the tables
#define SP_GROW(recording, array, entry)                                                                     \
    spReserve(&(recording)->heap, (void**)&(recording)->array, (recording)->entry##Count,                    \
              &(recording)->entry##Capacity, (recording)->entry##Count + 1, sizeof((recording)->array[0]))

static bool spIsFiniteVector(spDVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static spChunkResult spReadHead(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_HEAD_SIZE);
    if (p == NULL || recording->hasHead)
    {
        return sp_chunkBad;
    }
    uint32_t version = spGetU32(p);
    uint32_t count = spGetU32(p + 8);
    if (version > INT_MAX || count > SP_MAX_MEASUREMENTS)
    {
        return sp_chunkBad;
    }
    recording->libraryVersion = (int)version;
    recording->flags = spGetU32(p + 4);
    recording->numberSize = spGetU32(p + 12) == 8 ? 8 : 4;
    double numbers[10];
    memcpy(numbers, p + 16, sizeof(numbers));
    spCamera* camera = &recording->camera;
    camera->eye = (spDVec3){numbers[0], numbers[1], numbers[2]};
    camera->target = (spDVec3){numbers[3], numbers[4], numbers[5]};
    camera->up = (spDVec3){numbers[6], numbers[7], numbers[8]};
    camera->fieldOfView = numbers[9];
    if (!spIsFiniteVector(camera->eye) || !spIsFiniteVector(camera->target) ||
        !spIsFiniteVector(camera->up) || !isfinite(camera->fieldOfView))
    {
        return sp_chunkBad;
    }

    for (uint32_t i = 0; i < count; ++i)
    {
        spMeasurementInfo info = {0};
        info.name = spTakeString(&cursor);
        info.unit = spTakeString(&cursor);
        if (info.name == NULL || info.unit == NULL)
        {
            return sp_chunkBad;
        }
        if (!SP_GROW(recording, measurements, measurement))
        {
            return sp_chunkNoMemory;
        }
        recording->measurements[recording->measurementCount++] = info;
    }
    recording->rowSize = SP_ROW_SIZE + (size_t)count * sizeof(double);
    recording->hasHead = cursor.left == 0;
    return recording->hasHead ? sp_chunkGood : sp_chunkBad;
}

static spChunkResult spReadScene(spRecording* recording, spCursor cursor)
{
    if (cursor.left == 0 || recording->sceneText != NULL ||
        memchr(cursor.data, 0, cursor.left) != cursor.data + cursor.left - 1)
    {
        return sp_chunkBad;
    }
    recording->sceneText = (const char*)cursor.data;
    return sp_chunkGood;
}

static spChunkResult spReadPlay(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_PLAY_SIZE);
    const char* path = spTakeString(&cursor);
    if (p == NULL || path == NULL || cursor.left != 0 || recording->hasPlay)
    {
        return sp_chunkBad;
    }
    spPlayInfo play = {.scenePath = path, .dt = spGetF64(p), .budget = spGetF64(p + 8)};
    play.live = (spGetU32(p + 16) & sp_playLive) != 0;
    play.untangle = (spGetU32(p + 16) & sp_playUntangle) != 0;
    if (!(play.dt > 0.0 && isfinite(play.dt)) || !(play.budget >= 0.0 && isfinite(play.budget)))
    {
        return sp_chunkBad;
    }
    recording->play = play;
    recording->hasPlay = true;
    return sp_chunkGood;
}

static spChunkResult spReadBody(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_BODY_SIZE);
    const char* name = spTakeString(&cursor);
    if (p == NULL || name == NULL || cursor.left != 0 || spGetU32(p) != (uint32_t)recording->bodyCount)
    {
        return sp_chunkBad;
    }
    if (!SP_GROW(recording, bodies, body))
    {
        return sp_chunkNoMemory;
    }
    recording->bodies[recording->bodyCount++] = (spBodyInfo){name, -1, -1};
    return sp_chunkGood;
}

// Indices in place; NULL when they are cut off or one is not below nodeCount
static const int32_t* spTakeIndices(spCursor* cursor, uint64_t count, uint32_t nodeCount)
{
    const uint8_t* p = spTake(cursor, count * sizeof(int32_t));
    for (uint64_t i = 0; p != NULL && i < count; ++i)
    {
        if (spGetU32(p + i * sizeof(int32_t)) >= nodeCount)
        {
            return NULL;
        }
    }
    return (const int32_t*)(const void*)p;
}

static spChunkResult spReadTopology(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_TOPOLOGY_SIZE);
    if (p == NULL || spGetU32(p) != (uint32_t)recording->topologyCount ||
        spGetU32(p + 4) >= (uint32_t)recording->bodyCount)
    {
        return sp_chunkBad;
    }
    uint32_t nodeCount = spGetU32(p + 12);
    uint32_t triangleCount = spGetU32(p + 16);
    uint32_t edgeCount = spGetU32(p + 20);
    if (nodeCount > INT_MAX / 3 || triangleCount > INT_MAX / 3 || edgeCount > INT_MAX / 2)
    {
        return sp_chunkBad;
    }
    const int32_t* triangles = spTakeIndices(&cursor, (uint64_t)triangleCount * 3, nodeCount);
    const int32_t* edges =
        triangles != NULL ? spTakeIndices(&cursor, (uint64_t)edgeCount * 2, nodeCount) : NULL;
    if (edges == NULL || cursor.left != 0)
    {
        return sp_chunkBad;
    }

    if (!SP_GROW(recording, topologies, topology))
    {
        return sp_chunkNoMemory;
    }
    spTopologyEntry* entry = recording->topologies + recording->topologyCount++;
    *entry = (spTopologyEntry){0};
    entry->body = (int)spGetU32(p + 4);
    entry->nodeCount = (int)nodeCount;
    entry->triangles = triangleCount > 0 ? triangles : NULL;
    entry->triangleCount = (int)triangleCount;
    entry->edges = edgeCount > 0 ? edges : NULL;
    entry->edgeCount = (int)edgeCount;
    return sp_chunkGood;
}

static spChunkResult spReadTets(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_TETS_SIZE);
    if (p == NULL || spGetU32(p) >= (uint32_t)recording->topologyCount || spGetU32(p + 4) == 0 ||
        spGetU32(p + 4) > INT_MAX / SP_TET_NUMBERS)
    {
        return sp_chunkBad;
    }
    spTopologyEntry* entry = recording->topologies + spGetU32(p);
    uint32_t tetCount = spGetU32(p + 4);
    const int32_t* tets = spTakeIndices(&cursor, (uint64_t)tetCount * 4, (uint32_t)entry->nodeCount);
    if (tets == NULL || entry->tets != NULL || cursor.left != 0)
    {
        return sp_chunkBad;
    }
    entry->tets = tets;
    entry->tetCount = (int)tetCount;
    return sp_chunkGood;
}

static spChunkResult spReadSurface(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_SURFACE_SIZE);
    if (p == NULL || spGetU32(p) >= (uint32_t)recording->topologyCount || spGetU32(p + 4) == 0 ||
        spGetU32(p + 4) > INT_MAX / 4 || spGetU32(p + 8) == 0 || spGetU32(p + 8) > INT_MAX / 3)
    {
        return sp_chunkBad;
    }
    spTopologyEntry* entry = recording->topologies + spGetU32(p);
    uint32_t vertexCount = spGetU32(p + 4);
    uint32_t triangleCount = spGetU32(p + 8);
    const int32_t* nodes = spTakeIndices(&cursor, (uint64_t)vertexCount * 4, (uint32_t)entry->nodeCount);
    const uint8_t* weights =
        nodes != NULL ? spTake(&cursor, (uint64_t)vertexCount * 3 * sizeof(float)) : NULL;
    const int32_t* triangles =
        weights != NULL ? spTakeIndices(&cursor, (uint64_t)triangleCount * 3, vertexCount) : NULL;
    if (triangles == NULL || entry->surfaceNodes != NULL || cursor.left != 0)
    {
        return sp_chunkBad;
    }
    entry->surfaceNodes = nodes;
    entry->surfaceWeights = (const float*)(const void*)weights;
    entry->surfaceVertexCount = (int)vertexCount;
    entry->surfaceTriangles = triangles;
    entry->surfaceTriangleCount = (int)triangleCount;
    return sp_chunkGood;
}

static spChunkResult spReadBare(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_BARE_SIZE);
    if (p == NULL || spGetU32(p) >= (uint32_t)recording->topologyCount)
    {
        return sp_chunkBad;
    }
    spTopologyEntry* entry = recording->topologies + spGetU32(p);
    const uint8_t* bare =
        spGetU32(p + 4) == (uint32_t)entry->triangleCount ? spTake(&cursor, spGetU32(p + 4)) : NULL;
    if (bare == NULL || entry->bare != NULL || cursor.left != 0)
    {
        return sp_chunkBad;
    }
    entry->bare = bare;
    return sp_chunkGood;
}

// The entry of a body of the last frame by its topology; NULL when it was not there
static spBodyEntry* spFindLastEntry(spRecording* recording, uint32_t topology)
{
    if (topology >= (uint32_t)recording->topologyCount)
    {
        return NULL;
    }
    const spBodyInfo* info = recording->bodies + recording->topologies[topology].body;
    spBodyEntry* entry =
        info->frameMark == recording->frameCount - 1 ? recording->bodyEntries + info->lastEntry : NULL;
    return entry != NULL && (uint32_t)entry->topology == topology ? entry : NULL;
}

// Numbers on nodes or on tets of bodies of the last frame
static spChunkResult spReadValues(spRecording* recording, spCursor cursor, uint32_t type)
{
    spNodeValue value = spFindNodeValue(type);
    bool ofNodes = value != sp_nodeValueCount;
    const uint8_t* p = spTake(&cursor, SP_STRESS_SIZE);
    if (p == NULL || recording->frameCount == 0 || spGetU64(p) != (uint64_t)recording->frameCount - 1)
    {
        return sp_chunkBad;
    }
    uint32_t bodyCount = spGetU32(p + 8);
    for (uint32_t i = 0; i < bodyCount; ++i)
    {
        const uint8_t* head = spTake(&cursor, 8);
        spBodyEntry* entry = head != NULL ? spFindLastEntry(recording, spGetU32(head)) : NULL;
        if (entry == NULL)
        {
            return sp_chunkBad;
        }
        const spTopologyEntry* topology = recording->topologies + entry->topology;
        uint64_t count = (uint64_t)(ofNodes ? topology->nodeCount : topology->tetCount);
        const float** place = ofNodes ? &entry->nodeValues[value] : &entry->tetStates;
        const uint8_t* data = spTake(&cursor, count * (ofNodes ? 1 : SP_TET_NUMBERS) * sizeof(float));
        if (spGetU32(head + 4) != count || count == 0 || data == NULL || *place != NULL)
        {
            return sp_chunkBad;
        }
        *place = (const float*)(const void*)data;
    }
    *(ofNodes ? &recording->hasNodeValues[value] : &recording->hasTetStates) = true;
    return cursor.left == 0 ? sp_chunkGood : sp_chunkBad;
}

// A body or a collider that a contact is with: one that is known, or none
static bool spIsContactEnd(uint32_t number, int count)
{
    return number == SP_CONTACT_NONE || number < (uint32_t)count;
}

static spChunkResult spReadContacts(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_CONTACTS_SIZE);
    if (p == NULL || recording->frameCount == 0 || spGetU64(p) != (uint64_t)recording->frameCount - 1)
    {
        return sp_chunkBad;
    }
    spFrameEntry* frame = recording->frames + recording->frameCount - 1;
    uint32_t count = spGetU32(p + 8);
    const uint8_t* contacts = spTake(&cursor, (uint64_t)count * SP_CONTACT_SIZE);
    if (contacts == NULL || count == 0 || count > SP_MAX_FRAME_CONTACTS || frame->contacts != NULL ||
        cursor.left != 0)
    {
        return sp_chunkBad;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint8_t* c = contacts + (size_t)i * SP_CONTACT_SIZE;
        bool good = spGetU32(c) < (uint32_t)recording->bodyCount &&
                    spIsContactEnd(spGetU32(c + 4), recording->bodyCount) &&
                    spIsContactEnd(spGetU32(c + 8), recording->colliderCount) && spGetU32(c + 12) <= INT_MAX;
        for (int k = 16; k < SP_CONTACT_SIZE; k += 4)
        {
            good = good && isfinite(spGetF32(c + k));
        }
        if (good == false)
        {
            return sp_chunkBad;
        }
    }
    frame->contacts = contacts;
    frame->contactCount = (int)count;
    recording->hasContacts = true;
    return sp_chunkGood;
}

// Triangles of a collider, in its frame; none where it has none
static spChunkResult spReadShape(spRecording* recording, spCursor* cursor, uint32_t triangleCount,
                                 spMesh** mesh)
{
    *mesh = NULL;
    if (triangleCount == 0)
    {
        return sp_chunkGood;
    }
    const uint8_t* head = spTake(cursor, 4);
    uint64_t vertexCount = head != NULL ? spGetU32(head) : 0;
    const uint8_t* points = spTake(cursor, vertexCount * 3 * sizeof(float));
    const uint8_t* triangles = spTake(cursor, (uint64_t)triangleCount * 3 * sizeof(int32_t));
    if (head == NULL || points == NULL || triangles == NULL || vertexCount == 0 ||
        vertexCount > INT_MAX / 6 || triangleCount > INT_MAX / 6)
    {
        return sp_chunkBad;
    }
    spDVec3* vertices = spAlloc(&recording->heap, spArraySize((int64_t)vertexCount, sizeof(spDVec3)));
    if (vertices == NULL)
    {
        return sp_chunkNoMemory;
    }
    for (uint64_t i = 0; i < vertexCount; ++i)
    {
        float v[3];
        memcpy(v, points + i * sizeof(v), sizeof(v));
        vertices[i] = (spDVec3){(double)v[0], (double)v[1], (double)v[2]};
    }
    spError error = {0};
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = (int)vertexCount;
    def.triangles = (const int32_t*)(const void*)triangles;
    def.triangleCount = (int)triangleCount;
    def.allocator = recording->heap.allocator;
    *mesh = spCreateMesh(&def, &error);
    spFree(&recording->heap, vertices);
    return *mesh != NULL ? sp_chunkGood : error.code == sp_errorOutOfMemory ? sp_chunkNoMemory : sp_chunkBad;
}

static spChunkResult spReadCollider(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, SP_COLLIDER_SIZE);
    const char* name = spTakeString(&cursor);
    if (p == NULL || name == NULL || spGetU32(p) != (uint32_t)recording->colliderCount ||
        spGetU32(p + 4) >= sp_shapeCount)
    {
        return sp_chunkBad;
    }
    float numbers[7];
    memcpy(numbers, p + 8, sizeof(numbers));
    for (int i = 0; i < 7; ++i)
    {
        if (!isfinite(numbers[i]))
        {
            return sp_chunkBad;
        }
    }
    if (!SP_GROW(recording, colliders, collider))
    {
        return sp_chunkNoMemory;
    }
    spMesh* mesh;
    spChunkResult result = spReadShape(recording, &cursor, spGetU32(p + 36), &mesh);
    if (result != sp_chunkGood || cursor.left != 0)
    {
        spDestroyMesh(mesh);
        return result != sp_chunkGood ? result : sp_chunkBad;
    }

    spColliderInfo* info = recording->colliders + recording->colliderCount++;
    info->frameMark = -1;
    info->def = spDefaultColliderDef();
    info->def.name = name;
    info->def.shape = (spShape)spGetU32(p + 4);
    info->def.radius = (spReal)numbers[0];
    info->def.halfHeight = (spReal)numbers[1];
    info->def.halfSize = (spVec3){(spReal)numbers[2], (spReal)numbers[3], (spReal)numbers[4]};
    info->def.friction = (spReal)numbers[5];
    info->def.restitution = (spReal)numbers[6];
    info->def.mesh = mesh;
    return sp_chunkGood;
}

static bool spReadDecision(const spRecording* recording, const uint8_t* p, spDecisionEntry* entry)
{
    uint32_t body = spGetU32(p + 8), substep = spGetU32(p + 12);
    bool ofStep = body == SP_DECISION_OF_STEP;
    if ((ofStep == false && body >= (uint32_t)recording->bodyCount) || substep > INT_MAX)
    {
        return false;
    }
    *entry = (spDecisionEntry){
        .row = (int64_t)spGetU64(p),
        .body = ofStep ? -1 : (int)body,
        .substep = (int)substep,
        .factorStep = (int64_t)spGetU64(p + 16),
        .stopAfter = (int64_t)spGetU64(p + 24),
        .dt = spGetF64(p + 32),
    };
    return entry->row >= recording->rowCount && entry->factorStep >= -1 && entry->stopAfter >= -1 &&
           isfinite(entry->dt) && entry->dt >= 0.0;
}

static spChunkResult spReadDecisions(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, 8);
    if (p == NULL || spGetU64(p) != (uint64_t)recording->decisionCount || cursor.left == 0 ||
        cursor.left % SP_DECISION_SIZE != 0 ||
        cursor.left / SP_DECISION_SIZE > (size_t)(INT_MAX - recording->decisionCount))
    {
        return sp_chunkBad;
    }
    int64_t last = 0;
    while (cursor.left > 0)
    {
        spDecisionEntry entry;
        if (!spReadDecision(recording, spTake(&cursor, SP_DECISION_SIZE), &entry) || entry.row < last)
        {
            return sp_chunkBad;
        }
        last = entry.row;
        if (!SP_GROW(recording, decisions, decision))
        {
            return sp_chunkNoMemory;
        }
        recording->decisions[recording->decisionCount++] = entry;
    }
    return sp_chunkGood;
}

static spChunkResult spReadActs(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, 8);
    if (p == NULL || spGetU64(p) != (uint64_t)recording->actCount || cursor.left == 0)
    {
        return sp_chunkBad;
    }
    while (cursor.left > 0)
    {
        const uint8_t* head = spTake(&cursor, SP_ACT_SIZE);
        const char* text = head != NULL ? spTakeString(&cursor) : NULL;
        int last = recording->actCount > 0 ? recording->acts[recording->actCount - 1].row : 0;
        if (text == NULL || spGetU64(head) < (uint64_t)last || spGetU64(head) > INT_MAX ||
            recording->actCount == INT_MAX)
        {
            return sp_chunkBad;
        }
        if (!SP_GROW(recording, acts, act))
        {
            return sp_chunkNoMemory;
        }
        recording->acts[recording->actCount++] =
            (spActEntry){(int)spGetU64(head), text, spGetU32(head + SP_ACT_SIZE)};
    }
    return sp_chunkGood;
}

static spChunkResult spReadRows(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, 8);
    if (p == NULL || spGetU64(p) != (uint64_t)recording->rowCount || cursor.left == 0 ||
        cursor.left % recording->rowSize != 0 ||
        cursor.left / recording->rowSize > (size_t)(INT_MAX - recording->rowCount))
    {
        return sp_chunkBad;
    }
    int count = (int)(cursor.left / recording->rowSize);
    for (int i = 0; i < count; ++i)
    {
        const uint8_t* row = cursor.data + (size_t)i * recording->rowSize;
        if (!isfinite(spGetF64(row)) || spGetU64(row + 8) >= INT64_MAX || !isfinite(spGetF64(row + 16)))
        {
            return sp_chunkBad;
        }
    }
    if (!SP_GROW(recording, rowBlocks, rowBlock))
    {
        return sp_chunkNoMemory;
    }
    recording->rowBlocks[recording->rowBlockCount++] =
        (spRowBlock){.firstRow = recording->rowCount, .rowCount = count, .rows = cursor.data};
    recording->rowCount += count;
    return sp_chunkGood;
}

// What solvers did in the steps of the last chunk of rows
static spChunkResult spReadSolver(spRecording* recording, spCursor cursor)
{
    const uint8_t* p = spTake(&cursor, 8);
    spRowBlock* block =
        recording->rowBlockCount > 0 ? recording->rowBlocks + recording->rowBlockCount - 1 : NULL;
    if (p == NULL || block == NULL || block->solver != NULL || spGetU64(p) != (uint64_t)block->firstRow ||
        cursor.left != (size_t)block->rowCount * SP_SOLVER_SIZE)
    {
        return sp_chunkBad;
    }
    for (int i = 0; i < block->rowCount; ++i)
    {
        const uint8_t* entry = cursor.data + (size_t)i * SP_SOLVER_SIZE;
        if ((int64_t)spGetU64(entry) < -1 || (int32_t)spGetU32(entry + 16) < -1 ||
            (int32_t)spGetU32(entry + 20) < -1)
        {
            return sp_chunkBad;
        }
    }
    block->solver = cursor.data;
    return sp_chunkGood;
}

// The bodies of a frame: each one once, each with its last known number of nodes
static spChunkResult spReadFrameBodies(spRecording* recording, const uint8_t* bodies, uint32_t bodyCount,
                                       spCursor* cursor)
{
    if (bodyCount > (uint32_t)(INT_MAX - recording->bodyEntryCount))
    {
        return sp_chunkBad;
    }
    int first = recording->bodyEntryCount;
    if (!spReserve(&recording->heap, (void**)&recording->bodyEntries, first, &recording->bodyEntryCapacity,
                   first + (int)bodyCount, sizeof(spBodyEntry)))
    {
        return sp_chunkNoMemory;
    }

    for (uint32_t i = 0; i < bodyCount; ++i)
    {
        uint32_t topology = spGetU32(bodies + i * SP_FRAME_BODY_SIZE);
        uint32_t nodeCount = spGetU32(bodies + i * SP_FRAME_BODY_SIZE + 4);
        if (topology >= (uint32_t)recording->topologyCount ||
            nodeCount != (uint32_t)recording->topologies[topology].nodeCount)
        {
            return sp_chunkBad;
        }
        spBodyInfo* info = recording->bodies + recording->topologies[topology].body;
        const uint8_t* positions = spTake(cursor, (uint64_t)nodeCount * 3 * sizeof(float));
        if (positions == NULL || info->frameMark == recording->frameCount)
        {
            return sp_chunkBad;
        }
        info->frameMark = recording->frameCount;
        info->lastEntry = first + (int)i;
        recording->bodyEntries[first + (int)i] =
            (spBodyEntry){.topology = (int)topology, .positions = (const float*)(const void*)positions};
    }

    for (uint32_t i = 0; (recording->flags & sp_headVelocities) != 0 && i < bodyCount; ++i)
    {
        spBodyEntry* entry = recording->bodyEntries + first + (int)i;
        uint64_t nodeCount = (uint64_t)recording->topologies[entry->topology].nodeCount;
        entry->velocities = (const float*)(const void*)spTake(cursor, nodeCount * 3 * sizeof(float));
        if (entry->velocities == NULL)
        {
            return sp_chunkBad;
        }
    }
    return cursor->left == 0 ? sp_chunkGood : sp_chunkBad;
}

static spChunkResult spReadFrame(spRecording* recording, spCursor cursor, uint64_t offset)
{
    const uint8_t* p = spTake(&cursor, SP_FRAME_SIZE);
    if (p == NULL || spGetU64(p) >= (uint64_t)recording->rowCount || recording->frameCount == INT_MAX)
    {
        return sp_chunkBad;
    }
    uint32_t bodyCount = spGetU32(p + 16);
    uint32_t colliderCount = spGetU32(p + 20);
    const uint8_t* bodies = spTake(&cursor, (uint64_t)bodyCount * SP_FRAME_BODY_SIZE);
    const uint8_t* colliders = spTake(&cursor, (uint64_t)colliderCount * SP_FRAME_COLLIDER_SIZE);
    if (bodies == NULL || colliders == NULL)
    {
        return sp_chunkBad;
    }
    for (uint32_t i = 0; i < colliderCount; ++i)
    {
        uint32_t collider = spGetU32(colliders + (size_t)i * SP_FRAME_COLLIDER_SIZE);
        if (collider >= (uint32_t)recording->colliderCount ||
            recording->colliders[collider].frameMark == recording->frameCount)
        {
            return sp_chunkBad;
        }
        recording->colliders[collider].frameMark = recording->frameCount;
    }

    spChunkResult result = spReadFrameBodies(recording, bodies, bodyCount, &cursor);
    if (result != sp_chunkGood)
    {
        return result;
    }
    if (!SP_GROW(recording, frames, frame))
    {
        return sp_chunkNoMemory;
    }
    spFrameEntry* frame = recording->frames + recording->frameCount++;
    *frame = (spFrameEntry){0};
    frame->row = (int)spGetU64(p);
    frame->stateHash = spGetU64(p + 8);
    frame->offset = offset;
    frame->firstBody = recording->bodyEntryCount;
    frame->bodyCount = (int)bodyCount;
    frame->colliders = colliders;
    frame->colliderCount = (int)colliderCount;
    recording->bodyEntryCount += (int)bodyCount;
    return sp_chunkGood;
}

static spChunkResult spReadDone(spRecording* recording, spCursor cursor, uint64_t offset)
{
    const uint8_t* p = spTake(&cursor, 16);
    if (p == NULL || spGetU64(p) != (uint64_t)recording->rowCount ||
        spGetU64(p + 8) != (uint64_t)recording->frameCount)
    {
        return sp_chunkBad;
    }
    const uint8_t* offsets = spTake(&cursor, (uint64_t)recording->frameCount * sizeof(uint64_t));
    const uint8_t* tail = spTake(&cursor, 16);
    if (offsets == NULL || tail == NULL || cursor.left != 0 || spGetU64(tail) != offset ||
        memcmp(tail + 8, SP_RECORD_TAIL, 8) != 0)
    {
        return sp_chunkBad;
    }
    for (int i = 0; i < recording->frameCount; ++i)
    {
        if (spGetU64(offsets + (size_t)i * sizeof(uint64_t)) != recording->frames[i].offset)
        {
            return sp_chunkBad;
        }
    }
    recording->isComplete = true;
    return sp_chunkGood;
}

spChunkResult spReadChunk(spRecording* recording, uint32_t type, spCursor cursor, uint64_t offset)
{
    if (!recording->hasHead && type != sp_chunkHead)
    {
        return sp_chunkBad;
    }
    switch (type)
    {
        case sp_chunkHead:
            return spReadHead(recording, cursor);
        case sp_chunkScene:
            return spReadScene(recording, cursor);
        case sp_chunkPlay:
            return spReadPlay(recording, cursor);
        case sp_chunkDecisions:
            return spReadDecisions(recording, cursor);
        case sp_chunkActs:
            return spReadActs(recording, cursor);
        case sp_chunkBody:
            return spReadBody(recording, cursor);
        case sp_chunkTopology:
            return spReadTopology(recording, cursor);
        case sp_chunkTets:
            return spReadTets(recording, cursor);
        case sp_chunkSurface:
            return spReadSurface(recording, cursor);
        case sp_chunkBare:
            return spReadBare(recording, cursor);
        case sp_chunkNodeStress:
        case sp_chunkNodeStrain:
        case sp_chunkNodePressure:
        case sp_chunkNodeModulus:
        case sp_chunkNodeLevel:
        case sp_chunkNodeRegion:
        case sp_chunkTetStates:
            return spReadValues(recording, cursor, type);
        case sp_chunkContacts:
            return spReadContacts(recording, cursor);
        case sp_chunkCollider:
            return spReadCollider(recording, cursor);
        case sp_chunkRows:
            return spReadRows(recording, cursor);
        case sp_chunkSolver:
            return spReadSolver(recording, cursor);
        case sp_chunkFrame:
            return spReadFrame(recording, cursor, offset);
        case sp_chunkDone:
            return spReadDone(recording, cursor, offset);
        default:
            // A later version may add chunks that this one can do without
            return sp_chunkGood;
    }
}
