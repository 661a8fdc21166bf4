// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reading side of the recording format. A file is hostile until it was checked: every count is held against
// the bytes that are there before anything is allocated or pointed at, every index against the things that
// came before. Reading goes through the chunks once and ends at the first one that is cut off, has a wrong
// checksum or says something impossible; what came before that stays.

#include "record/recording.h"

#include "base/error.h"
#include "record/chunk.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

// What became of one chunk
typedef enum spChunkResult
{
    sp_chunkGood = 0,
    sp_chunkBad,
    sp_chunkNoMemory,
} spChunkResult;

// A payload and how far it was read
typedef struct spCursor
{
    const uint8_t* data;
    size_t left;
} spCursor;

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
static spChunkResult spReadStress(spRecording* recording, spCursor cursor, bool ofNodes)
{
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
        const float** place = ofNodes ? &entry->nodeStress : &entry->tetStates;
        const uint8_t* data = spTake(&cursor, count * (ofNodes ? 1 : SP_TET_NUMBERS) * sizeof(float));
        if (spGetU32(head + 4) != count || count == 0 || data == NULL || *place != NULL)
        {
            return sp_chunkBad;
        }
        *place = (const float*)(const void*)data;
    }
    recording->hasNodeStress |= ofNodes;
    recording->hasTetStates |= !ofNodes;
    return cursor.left == 0 ? sp_chunkGood : sp_chunkBad;
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

static spChunkResult spReadChunk(spRecording* recording, uint32_t type, spCursor cursor, uint64_t offset)
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
        case sp_chunkNodeStress:
            return spReadStress(recording, cursor, true);
        case sp_chunkTetStates:
            return spReadStress(recording, cursor, false);
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

static void spSetDamage(spRecording* recording, uint64_t offset, const char* what)
{
    snprintf(recording->damage, sizeof(recording->damage),
             "%s at byte %llu of %llu; %d frames and %d steps could be read", what,
             (unsigned long long)offset, (unsigned long long)recording->dataSize, recording->frameCount,
             recording->rowCount);
}

// Reads all chunks up to the end or the first damage. Returns false only when there is no memory.
static bool spReadChunks(spRecording* recording)
{
    spCrcTable crc;
    spMakeCrcTable(&crc);
    uint64_t offset = SP_RECORD_HEADER_SIZE;
    while (offset < recording->dataSize)
    {
        const uint8_t* head = recording->data + offset;
        uint64_t left = recording->dataSize - offset;
        if (recording->isComplete)
        {
            recording->isComplete = false;
            spSetDamage(recording, offset, "unexpected bytes after the end");
            return true;
        }
        if (left < SP_CHUNK_HEADER_SIZE || spGetU64(head + 8) > left - SP_CHUNK_HEADER_SIZE ||
            spPadLength(spGetU64(head + 8)) > left - SP_CHUNK_HEADER_SIZE)
        {
            spSetDamage(recording, offset, "cut off or damaged");
            return true;
        }

        uint32_t type = spGetU32(head);
        uint64_t length = spGetU64(head + 8);
        spCursor cursor = {head + SP_CHUNK_HEADER_SIZE, (size_t)length};
        if (spHashChunk(&crc, type, length, cursor.data) != spGetU32(head + 4))
        {
            spSetDamage(recording, offset, "wrong checksum");
            return true;
        }
        spChunkResult result = spReadChunk(recording, type, cursor, offset);
        if (result == sp_chunkNoMemory)
        {
            return false;
        }
        if (result == sp_chunkBad)
        {
            spSetDamage(recording, offset, "impossible content");
            return true;
        }
        offset += SP_CHUNK_HEADER_SIZE + spPadLength(length);
    }
    if (!recording->isComplete)
    {
        spSetDamage(recording, offset, "cut off between chunks");
    }
    return true;
}

// Takes the bytes over, whatever happens
static spRecording* spParseRecording(spHeap heap, spBytes bytes, const char* name, spError* error)
{
    spRecording* recording = spAllocZeroed(&heap, sizeof(spRecording));
    if (recording == NULL)
    {
        spFailMemory(error, "recording", sizeof(spRecording));
        spFree(&heap, bytes.data);
        return NULL;
    }
    recording->heap = heap;
    recording->data = bytes.data;
    recording->dataSize = bytes.count;
    recording->dataCapacity = bytes.capacity;

    if (bytes.count < SP_RECORD_HEADER_SIZE || memcmp(bytes.data, SP_RECORD_MAGIC, 8) != 0)
    {
        spFail(error, sp_errorFileFormat, "'%s' is not a Souple recording", name);
    }
    else if (spGetU32(bytes.data + 8) != SP_RECORD_VERSION || spGetU32(bytes.data + 12) != 0)
    {
        spFail(error, sp_errorFileFormat,
               "'%s' is a recording of version %u, this library reads version %u: use the library that wrote "
               "it or a later one",
               name, spGetU32(bytes.data + 8), SP_RECORD_VERSION);
    }
    else if (!spReadChunks(recording))
    {
        spFailMemory(error, "recording", bytes.count);
    }
    else if (!recording->hasHead)
    {
        spFail(error, sp_errorFileFormat, "recording '%s' is damaged: %s", name, recording->damage);
    }
    else
    {
        return recording;
    }
    spDestroyRecording(recording);
    return NULL;
}

spRecording* spReadRecording(const void* data, size_t size, const spAllocator* allocator, spError* error)
{
    if (data == NULL || size == 0)
    {
        spFail(error, sp_errorFileFormat, "an empty block of memory is not a Souple recording");
        return NULL;
    }
    spHeap heap = spMakeHeap(allocator);
    spBytes bytes = {.data = spAlloc(&heap, size), .count = size, .capacity = size};
    if (bytes.data == NULL)
    {
        spFailMemory(error, "recording", size);
        return NULL;
    }
    memcpy(bytes.data, data, size);
    return spParseRecording(heap, bytes, "memory", error);
}

// Reads a whole file without trusting its stated size: what is there is read, in growing pieces
static bool spReadFile(spBytes* bytes, const char* path, spError* error)
{
    errno = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL)
    {
        return spFail(error, errno == ENOMEM ? sp_errorOutOfMemory : sp_errorFileNotFound,
                      "cannot read '%s': %s", path, strerror(errno));
    }

    // One byte more than the file has, so that the end is seen without growing
    size_t piece = 65536;
    if (fseeko(file, 0, SEEK_END) == 0)
    {
        off_t end = ftello(file);
        piece = end > 0 && (uint64_t)end < SIZE_MAX / 4 ? (size_t)end + 1 : piece;
    }
    rewind(file);
    size_t got = 0;
    do
    {
        uint8_t* place = spAppendBytes(bytes, piece);
        got = place != NULL ? fread(place, 1, piece, file) : 0;
        bytes->count -= place != NULL ? piece - got : 0;
    } while (got == piece);

    bool damaged = ferror(file) != 0;
    int reason = errno;
    fclose(file);
    if (bytes->failed)
    {
        return spFailMemory(error, "recording", bytes->count + piece);
    }
    return !damaged || spFail(error, sp_errorFileNotFound, "cannot read '%s': %s", path, strerror(reason));
}

spRecording* spLoadRecording(const char* path, const spAllocator* allocator, spError* error)
{
    if (path == NULL)
    {
        spFail(error, sp_errorBadArgument, "recording: no path");
        return NULL;
    }
    spHeap heap = spMakeHeap(allocator);
    spBytes bytes = {.heap = &heap};
    if (!spReadFile(&bytes, path, error))
    {
        spFreeBytes(&bytes);
        return NULL;
    }
    return spParseRecording(heap, bytes, path, error);
}

void spDestroyRecording(spRecording* recording)
{
    if (recording == NULL)
    {
        return;
    }
    spHeap heap = recording->heap;
    spRecording* r = recording;
    for (int i = 0; i < r->colliderCount; ++i)
    {
        spDestroyMesh((spMesh*)(uintptr_t)r->colliders[i].def.mesh);
    }
    spFree(&heap, r->measurements);
    spFree(&heap, r->bodies);
    spFree(&heap, r->topologies);
    spFree(&heap, r->colliders);
    spFree(&heap, r->rowBlocks);
    spFree(&heap, r->decisions);
    spFree(&heap, r->acts);
    spFree(&heap, r->frames);
    spFree(&heap, r->bodyEntries);
    spFree(&heap, r->data);
    spFree(&heap, r);
}

bool spRecording_IsComplete(const spRecording* recording)
{
    return recording != NULL && recording->isComplete;
}

const char* spRecording_GetDamage(const spRecording* recording)
{
    return recording != NULL ? recording->damage : "";
}

const char* spRecording_GetSceneText(const spRecording* recording)
{
    return recording != NULL ? recording->sceneText : NULL;
}

bool spRecording_GetCamera(const spRecording* recording, spCamera* camera)
{
    if (recording == NULL || (recording->flags & sp_headCamera) == 0)
    {
        return false;
    }
    *camera = recording->camera;
    return true;
}

bool spRecording_GetPlayInfo(const spRecording* recording, spPlayInfo* play)
{
    if (recording == NULL || play == NULL || recording->hasPlay == false)
    {
        return false;
    }
    *play = recording->play;
    return true;
}

int spRecording_GetNumberSize(const spRecording* recording)
{
    return recording != NULL ? recording->numberSize : 0;
}

int spRecording_GetDecisionCount(const spRecording* recording)
{
    return recording != NULL ? recording->decisionCount : 0;
}

// The first decision of this row, or of a later one
static int spFindDecision(const spRecording* recording, int row)
{
    int first = 0, last = recording->decisionCount;
    while (first < last)
    {
        int middle = first + (last - first) / 2;
        if (recording->decisions[middle].row < row)
        {
            first = middle + 1;
        }
        else
        {
            last = middle;
        }
    }
    return first;
}

int spRecording_GetDecisions(const spRecording* recording, int row, const spBodyId* bodies, int bodyCount,
                             spDecision* decisions, int capacity)
{
    if (row < 0 || row >= spRecording_GetRowCount(recording))
    {
        return 0;
    }
    int count = 0;
    int64_t step = spRecording_GetRow(recording, row).stepCount - 1;
    for (int i = spFindDecision(recording, row);
         i < recording->decisionCount && recording->decisions[i].row == row; ++i)
    {
        const spDecisionEntry* entry = recording->decisions + i;
        if (count < capacity && decisions != NULL)
        {
            spBodyId none = {0}, unknown = {.index1 = UINT32_MAX};
            bool known = entry->body < bodyCount && bodies != NULL;
            decisions[count] = (spDecision){
                .step = step,
                .body = entry->body < 0 ? none
                        : known         ? bodies[entry->body]
                                        : unknown,
                .substep = entry->substep,
                .factorStep = entry->factorStep,
                .stopAfter = entry->stopAfter,
                .dt = entry->dt,
            };
        }
        count += 1;
    }
    return count;
}

int spRecording_GetActCount(const spRecording* recording)
{
    return recording != NULL ? recording->actCount : 0;
}

int spRecording_FindActs(const spRecording* recording, int row, int* first)
{
    int low = 0, high = spRecording_GetActCount(recording);
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        if (recording->acts[middle].row < row)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    int count = 0;
    while (low + count < spRecording_GetActCount(recording) && recording->acts[low + count].row == row)
    {
        count += 1;
    }
    if (first != NULL)
    {
        *first = low;
    }
    return count;
}

const char* spRecording_GetAct(const spRecording* recording, int act, size_t* size)
{
    bool good = act >= 0 && act < spRecording_GetActCount(recording);
    if (size != NULL)
    {
        *size = good ? recording->acts[act].size : 0;
    }
    return good ? recording->acts[act].text : NULL;
}

int spRecording_GetLibraryVersion(const spRecording* recording)
{
    return recording != NULL ? recording->libraryVersion : 0;
}

static bool spIsIndex(int index, int count)
{
    return index >= 0 && index < count;
}

int spRecording_GetMeasurementCount(const spRecording* recording)
{
    return recording != NULL ? recording->measurementCount : 0;
}

const char* spRecording_GetMeasurementName(const spRecording* recording, int measurement)
{
    return spIsIndex(measurement, spRecording_GetMeasurementCount(recording))
               ? recording->measurements[measurement].name
               : "";
}

const char* spRecording_GetMeasurementUnit(const spRecording* recording, int measurement)
{
    return spIsIndex(measurement, spRecording_GetMeasurementCount(recording))
               ? recording->measurements[measurement].unit
               : "";
}

int spRecording_FindMeasurement(const spRecording* recording, const char* name)
{
    int count = spRecording_GetMeasurementCount(recording);
    for (int i = 0; name != NULL && i < count; ++i)
    {
        if (strcmp(recording->measurements[i].name, name) == 0)
        {
            return i;
        }
    }
    return -1;
}

int spRecording_GetRowCount(const spRecording* recording)
{
    return recording != NULL ? recording->rowCount : 0;
}

// The block that a row is in, found by halving; NULL for a bad index
static const spRowBlock* spFindRowBlock(const spRecording* recording, int row)
{
    if (!spIsIndex(row, spRecording_GetRowCount(recording)))
    {
        return NULL;
    }
    int low = 0;
    int high = recording->rowBlockCount - 1;
    while (low < high)
    {
        int middle = (low + high + 1) / 2;
        if (recording->rowBlocks[middle].firstRow <= row)
        {
            low = middle;
        }
        else
        {
            high = middle - 1;
        }
    }
    return recording->rowBlocks + low;
}

// The bytes of a row; NULL for a bad index
static const uint8_t* spFindRow(const spRecording* recording, int row)
{
    const spRowBlock* block = spFindRowBlock(recording, row);
    return block != NULL ? block->rows + (size_t)(row - block->firstRow) * recording->rowSize : NULL;
}

spRecordRow spRecording_GetRow(const spRecording* recording, int row)
{
    spRecordRow result = {0};
    const spRowBlock* block = spFindRowBlock(recording, row);
    const uint8_t* p = spFindRow(recording, row);
    if (p != NULL)
    {
        result.time = spGetF64(p);
        result.stepCount = (int64_t)spGetU64(p + 8);
        result.dtTaken = spGetF64(p + 16);
        result.flags = spGetU32(p + 24);
        double stages[SP_PROFILE_COUNT];
        memcpy(stages, p + 32, sizeof(stages));
        result.profile.step = stages[0];
        result.profile.commands = stages[1];
        result.profile.freeMotion = stages[2];
        result.profile.detection = stages[3];
        result.profile.response = stages[4];
        result.profile.correction = stages[5];
        result.profile.adapt = stages[6];
        result.profile.publish = stages[7];
        const uint8_t* solver =
            block->solver != NULL ? block->solver + (size_t)(row - block->firstRow) * SP_SOLVER_SIZE : NULL;
        result.solverIterations = solver != NULL ? (int64_t)spGetU64(solver) : -1;
        result.solverResidual = solver != NULL ? spGetF64(solver + 8) : (double)NAN;
        result.contactCount = solver != NULL ? (int32_t)spGetU32(solver + 16) : -1;
        result.substepCount = solver != NULL ? (int32_t)spGetU32(solver + 20) : -1;
    }
    return result;
}

double spRecording_GetMeasurement(const spRecording* recording, int row, int measurement)
{
    const uint8_t* p = spFindRow(recording, row);
    return p != NULL && spIsIndex(measurement, recording->measurementCount)
               ? spGetF64(p + SP_ROW_SIZE + (size_t)measurement * sizeof(double))
               : (double)NAN;
}

int spRecording_CopySeries(const spRecording* recording, int measurement, double* values, int capacity)
{
    if (!spIsIndex(measurement, spRecording_GetMeasurementCount(recording)))
    {
        return 0;
    }
    int count = spMaxInt(0, spMinInt(capacity, recording->rowCount));
    for (int i = 0; i < count; ++i)
    {
        values[i] = spRecording_GetMeasurement(recording, i, measurement);
    }
    return count;
}

int spRecording_CopyTimes(const spRecording* recording, double* times, int capacity)
{
    int count = spMaxInt(0, spMinInt(capacity, spRecording_GetRowCount(recording)));
    for (int i = 0; i < count; ++i)
    {
        times[i] = spGetF64(spFindRow(recording, i));
    }
    return count;
}

int spRecording_GetFrameCount(const spRecording* recording)
{
    return recording != NULL ? recording->frameCount : 0;
}

static const spFrameEntry* spGetFrame(const spRecording* recording, int frame)
{
    return spIsIndex(frame, spRecording_GetFrameCount(recording)) ? recording->frames + frame : NULL;
}

int spRecording_GetFrameRow(const spRecording* recording, int frame)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    return entry != NULL ? entry->row : -1;
}

double spRecording_GetFrameTime(const spRecording* recording, int frame)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    return entry != NULL ? spGetF64(spFindRow(recording, entry->row)) : 0.0;
}

uint64_t spRecording_GetStateHash(const spRecording* recording, int frame)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    return entry != NULL ? entry->stateHash : 0;
}

int spRecording_FindFrame(const spRecording* recording, double time)
{
    int count = spRecording_GetFrameCount(recording);
    int best = count > 0 ? 0 : -1;
    double bestDistance = (double)INFINITY;
    for (int i = 0; i < count; ++i)
    {
        double distance = fabs(spRecording_GetFrameTime(recording, i) - time);
        if (distance < bestDistance)
        {
            bestDistance = distance;
            best = i;
        }
    }
    return best;
}

int spRecording_GetBodyCount(const spRecording* recording)
{
    return recording != NULL ? recording->bodyCount : 0;
}

const char* spRecording_GetBodyName(const spRecording* recording, int body)
{
    return spIsIndex(body, spRecording_GetBodyCount(recording)) ? recording->bodies[body].name : "";
}

// What a frame knows of a body. Without bodies that came and went, the guess is right.
static const spBodyEntry* spFindBodyEntry(const spRecording* recording, int frame, int body)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    if (entry == NULL || entry->bodyCount == 0 || !spIsIndex(body, recording->bodyCount))
    {
        return NULL;
    }
    const spBodyEntry* entries = recording->bodyEntries + entry->firstBody;
    for (int i = 0; i < entry->bodyCount; ++i)
    {
        const spBodyEntry* candidate = entries + (body + i) % entry->bodyCount;
        if (recording->topologies[candidate->topology].body == body)
        {
            return candidate;
        }
    }
    return NULL;
}

const spTopologyEntry* spGetTopologyEntry(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    return entry != NULL ? recording->topologies + entry->topology : NULL;
}

spPointView spRecording_GetPositions(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    int count = entry != NULL ? recording->topologies[entry->topology].nodeCount : 0;
    return (spPointView){count > 0 ? entry->positions : NULL, count};
}

spPointView spRecording_GetVelocities(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    int count =
        entry != NULL && entry->velocities != NULL ? recording->topologies[entry->topology].nodeCount : 0;
    return (spPointView){count > 0 ? entry->velocities : NULL, count};
}

const int32_t* spRecording_GetTriangles(const spRecording* recording, int frame, int body, int* triangleCount)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    *triangleCount = topology != NULL ? topology->triangleCount : 0;
    return topology != NULL ? topology->triangles : NULL;
}

const int32_t* spRecording_GetEdges(const spRecording* recording, int frame, int body, int* edgeCount)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    *edgeCount = topology != NULL ? topology->edgeCount : 0;
    return topology != NULL ? topology->edges : NULL;
}

const int32_t* spRecording_GetTets(const spRecording* recording, int frame, int body, int* tetCount)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    *tetCount = topology != NULL ? topology->tetCount : 0;
    return topology != NULL ? topology->tets : NULL;
}

void spMapToSurface(const spTopologyEntry* topology, const float* values, int size, int vertex, float* result)
{
    const int32_t* nodes = topology->surfaceNodes + 4 * (size_t)vertex;
    const float* weights = topology->surfaceWeights + 3 * (size_t)vertex;
    const float* a = values + (size_t)size * (size_t)nodes[0];
    for (int i = 0; i < size; ++i)
    {
        result[i] = a[i];
        for (int k = 1; k < 4; ++k)
        {
            const float* b = values + (size_t)size * (size_t)nodes[k];
            result[i] += weights[k - 1] * (b[i] - a[i]);
        }
    }
}

int spRecording_GetSurfaceVertexCount(const spRecording* recording, int frame, int body)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    return topology != NULL ? topology->surfaceVertexCount : 0;
}

const int32_t* spRecording_GetSurfaceTriangles(const spRecording* recording, int frame, int body,
                                               int* triangleCount)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    *triangleCount = topology != NULL ? topology->surfaceTriangleCount : 0;
    return topology != NULL ? topology->surfaceTriangles : NULL;
}

int spRecording_CopySurfacePositions(const spRecording* recording, int frame, int body, float* positions,
                                     int capacity)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    spPointView x = spRecording_GetPositions(recording, frame, body);
    int count = topology != NULL ? spMinInt(topology->surfaceVertexCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        spMapToSurface(topology, x.data, 3, i, positions + 3 * (size_t)i);
    }
    return spMaxInt(count, 0);
}

int spRecording_CopySurfaceWeights(const spRecording* recording, int frame, int body, int32_t* nodes,
                                   float* weights, int capacity)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    int count = topology != NULL ? spMinInt(topology->surfaceVertexCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        const float* w = topology->surfaceWeights + 3 * (size_t)i;
        memcpy(nodes + 4 * (size_t)i, topology->surfaceNodes + 4 * (size_t)i, 4 * sizeof(int32_t));
        float* result = weights + 4 * (size_t)i;
        result[0] = 1.0f - w[0] - w[1] - w[2];
        memcpy(result + 1, w, 3 * sizeof(float));
    }
    return spMaxInt(count, 0);
}

spValueView spRecording_GetNodeStress(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    bool stored = entry != NULL && entry->nodeStress != NULL;
    return stored ? (spValueView){entry->nodeStress, recording->topologies[entry->topology].nodeCount}
                  : (spValueView){0};
}

spTetStateView spRecording_GetTetStates(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    if (entry == NULL || entry->tetStates == NULL)
    {
        return (spTetStateView){0};
    }
    int count = recording->topologies[entry->topology].tetCount;
    const float* numbers = entry->tetStates;
    return (spTetStateView){numbers, numbers + count, numbers + 4 * (size_t)count, count};
}

int spRecording_GetTopology(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    return entry != NULL ? entry->topology : -1;
}

int spRecording_GetColliderCount(const spRecording* recording)
{
    return recording != NULL ? recording->colliderCount : 0;
}

spColliderDef spRecording_GetColliderDef(const spRecording* recording, int collider)
{
    return spIsIndex(collider, spRecording_GetColliderCount(recording)) ? recording->colliders[collider].def
                                                                        : (spColliderDef){0};
}

bool spRecording_GetColliderTransform(const spRecording* recording, int frame, int collider,
                                      spTransform* transform)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    for (int i = 0; entry != NULL && collider >= 0 && i < entry->colliderCount; ++i)
    {
        int k = (collider + i) % entry->colliderCount;
        const uint8_t* p = entry->colliders + (size_t)k * SP_FRAME_COLLIDER_SIZE;
        if (spGetU32(p) == (uint32_t)collider)
        {
            if (transform != NULL)
            {
                float n[7];
                memcpy(n, p + 4, sizeof(n));
                transform->position = (spVec3){(spReal)n[0], (spReal)n[1], (spReal)n[2]};
                transform->rotation = (spQuat){(spReal)n[3], (spReal)n[4], (spReal)n[5], (spReal)n[6]};
            }
            return true;
        }
    }
    return false;
}
