// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A recording in memory: the bytes of the file as they are, and tables of where things are in them. Strings,
// indices, positions and velocities are used in place; everything that a table points to was checked.

#pragma once

#include "base/memory.h"
#include "record/chunk.h"
#include "souple/record.h"

typedef struct spTopologyEntry
{
    int body;
    int nodeCount;
    const int32_t* triangles;
    int triangleCount;
    const int32_t* edges;
    int edgeCount;
    const int32_t* tets;
    int tetCount;
    const int32_t* surfaceNodes; // 4 for each vertex; NULL without an attached surface
    const float* surfaceWeights; // 3 for each vertex, of the second to the fourth node
    int surfaceVertexCount;
    const int32_t* surfaceTriangles;
    int surfaceTriangleCount;
    const uint8_t* bare; // of each triangle: 1 where an edit laid it bare; NULL where none did
} spTopologyEntry;

typedef struct spRowBlock
{
    int firstRow;
    int rowCount;
    const uint8_t* rows;
    const uint8_t* solver; // SP_SOLVER_SIZE for each row; NULL when it was not stored
} spRowBlock;

typedef struct spDecisionEntry
{
    int64_t row; // of its step; none may follow where the recording was cut
    int body;    // -1 for the time that the step covered
    int substep;
    int64_t factorStep;
    int64_t stopAfter;
    double dt;
} spDecisionEntry;

typedef struct spActEntry
{
    int row; // it comes before the step of this row
    const char* text;
    size_t size;
} spActEntry;

typedef struct spBodyEntry
{
    int topology;
    const float* positions;
    const float* velocities;                    // NULL when not stored
    const float* nodeValues[sp_nodeValueCount]; // NULL when not stored
    const float* tetStates; // von Mises stresses, principal stresses, volume ratios; NULL when not stored
} spBodyEntry;

typedef struct spFrameEntry
{
    int row;
    uint64_t stateHash;
    uint64_t offset; // of its chunk in the file
    int firstBody;   // in bodyEntries
    int bodyCount;
    const uint8_t* colliders; // SP_FRAME_COLLIDER_SIZE each
    int colliderCount;
    const uint8_t* contacts; // SP_CONTACT_SIZE each
    int contactCount;
} spFrameEntry;

typedef struct spBodyInfo
{
    const char* name;
    int frameMark; // last frame that had it, while reading
    int lastEntry; // what that frame has of it
} spBodyInfo;

typedef struct spColliderInfo
{
    spColliderDef def;
    int frameMark;
} spColliderInfo;

typedef struct spMeasurementInfo
{
    const char* name;
    const char* unit;
} spMeasurementInfo;

struct spRecording
{
    spHeap heap;
    uint8_t* data; // the file
    size_t dataSize;
    size_t dataCapacity;

    bool hasHead;
    bool isComplete;
    char damage[256];
    bool hasNodeValues[sp_nodeValueCount]; // in some frame
    bool hasTetStates;
    bool hasContacts;
    uint32_t flags;
    int libraryVersion;
    int numberSize;
    spCamera camera;
    const char* sceneText;
    spPlayInfo play;
    bool hasPlay;
    size_t rowSize;

    spMeasurementInfo* measurements;
    int measurementCount;
    int measurementCapacity;
    spBodyInfo* bodies;
    int bodyCount;
    int bodyCapacity;
    spTopologyEntry* topologies;
    int topologyCount;
    int topologyCapacity;
    spColliderInfo* colliders;
    int colliderCount;
    int colliderCapacity;
    spRowBlock* rowBlocks;
    int rowBlockCount;
    int rowBlockCapacity;
    int rowCount;
    spDecisionEntry* decisions; // by row
    int decisionCount;
    int decisionCapacity;
    spActEntry* acts; // by row
    int actCount;
    int actCapacity;
    spFrameEntry* frames;
    int frameCount;
    int frameCapacity;
    spBodyEntry* bodyEntries;
    int bodyEntryCount;
    int bodyEntryCapacity;
};

// Numbers at the nodes of a body in a frame; empty when they were not stored or it was not there
spValueView spGetNodeValues(const spRecording* recording, int frame, int body, spNodeValue value);

// What a body consisted of in a frame; NULL when it was not there
const spTopologyEntry* spGetTopologyEntry(const spRecording* recording, int frame, int body);

// Numbers at a vertex of the attached surface, from `size` numbers at each node
void spMapToSurface(const spTopologyEntry* topology, const float* values, int size, int vertex,
                    float* result);
