// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Writes a recording from plain arrays. The recorder feeds it from a world, tests from anything.
//
// Order of calls: open, then bodies, topologies, colliders, rows and frames in any order that names things
// before they are used, then close. The first failure sticks: later calls return false or -1 and do nothing.

#pragma once

#include "base/memory.h"
#include "record/chunk.h"
#include "souple/record.h"

#include <stdio.h>

typedef struct spRecordWriter
{
    spHeap heap;
    spCrcTable crc;
    FILE* file;
    char* path;
    size_t pathSize;
    uint64_t offset;      // bytes written
    spBytes chunk;        // the chunk in the making, room for its header included
    spBytes rows;         // rows that are not written yet
    spBytes solver;       // of those rows
    spBytes decisions;    // of those rows
    spBytes acts;         // before those rows, or after the last one
    spBytes frameOffsets; // u64 each, for the index
    int64_t rowCount;     // pending ones included
    int64_t pendingRows;
    int64_t decisionCount; // pending ones included
    int64_t actCount;      // pending ones included
    int64_t pendingActs;
    int measurementCount;
    bool storeVelocities;
    int bodyCount;
    int topologyCount;
    int colliderCount;
    int frameCount;
    spError error; // the first one
} spRecordWriter;

// Triangles, edges, tets and attached surface of a body from here on. Indices must be in range.
typedef struct spTopologyData
{
    int body;
    uint32_t version; // whatever the body says
    int nodeCount;
    const int32_t* triangles;
    int triangleCount;
    const int32_t* edges;
    int edgeCount;
    const int32_t* tets;
    int tetCount;
    const int32_t* surfaceNodes; // 4 for each vertex
    const float* surfaceWeights; // 3 for each vertex, of the second to the fourth node
    int surfaceVertexCount;
    const int32_t* surfaceTriangles;
    int surfaceTriangleCount; // 0 without an attached surface
    const uint8_t* bare;      // of each triangle: 1 where an edit laid it bare; NULL where none did
} spTopologyData;

typedef struct spFrameBody
{
    int topology;                               // its last one
    int nodeCount;                              // as in the topology
    const float* positions;                     // 3 * nodeCount
    const float* velocities;                    // 3 * nodeCount; ignored when velocities are not stored
    const float* nodeValues[sp_nodeValueCount]; // nodeCount each; NULL when they are not stored
    int tetCount;                               // as in the topology
    const float* tetStates; // tetCount von Mises stresses, 3 * tetCount principal stresses, tetCount volume
                            // ratios; NULL when they are not stored
} spFrameBody;

typedef struct spFrameCollider
{
    int collider;
    float position[3];
    float rotation[4]; // x, y, z, w
} spFrameCollider;

// A decision of the clock in the step of the next row
typedef struct spDecisionData
{
    int body; // -1 for the time that the step covered
    int substep;
    int64_t factorStep;
    int64_t stopAfter;
    double dt;
} spDecisionData;

// A frame of the last row
typedef struct spFrameData
{
    uint64_t stateHash;
    const spFrameBody* bodies;
    int bodyCount;
    const spFrameCollider* colliders;
    int colliderCount;
    const spRecordedContact* contacts;
    int contactCount; // 0 when they are not stored
} spFrameData;

bool spOpenWriter(spRecordWriter* writer, const spRecorderDef* def, spError* error);
// These return the number of the new thing, or -1
int spWriteBody(spRecordWriter* writer, const char* name);
int spWriteTopology(spRecordWriter* writer, const spTopologyData* data);
int spWriteCollider(spRecordWriter* writer, const spColliderDef* def);
// Of the step whose row comes next
bool spWriteDecision(spRecordWriter* writer, const spDecisionData* data);
// Before the step whose row comes next. The text has no zeros.
bool spWriteAct(spRecordWriter* writer, const char* text, size_t size);
// values NULL means NaN everywhere
bool spWriteRow(spRecordWriter* writer, const spRecordRow* row, const double* values);
bool spWriteFrame(spRecordWriter* writer, const spFrameData* data);
bool spCloseWriter(spRecordWriter* writer, spError* error);
