// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Messages from engine to page, whoever sends them: a live world or a recording. docs/view_protocol.md says
// what is in them, byte by byte. A message is appended to a buffer; memory that runs out marks the buffer,
// which is looked at once at the end.

#pragma once

#include "base/value_range.h"
#include "souple/base.h"

enum
{
    sp_messageText = 1,
    sp_messageTopology = 2,
    sp_messageFrame = 3,
    sp_messageSeries = 4,
};

// What colours vertices
typedef enum spViewColour
{
    sp_viewNone = 0,
    sp_viewDisplacement,
    sp_viewStrain,
    sp_viewStress,
    sp_viewVelocity,
    sp_viewPressure,
    sp_viewModulus,
    sp_viewLevel,
    sp_viewRegion,
    sp_viewColourCount
} spViewColour;

// The rule of the range that a colour goes by
spValueKind spGetValueKind(spViewColour colour);

extern const char* const g_viewColourWords[sp_viewColourCount];

// Bytes that grow. Start from zeros; free with spFreeBuffer.
typedef struct spBuffer
{
    uint8_t* data;
    size_t size, capacity;
    bool failed; // memory ran out: what it holds is of no use
} spBuffer;

void spFreeBuffer(spBuffer* buffer);
void spClearBuffer(spBuffer* buffer); // keeps its memory
void spAppend(spBuffer* buffer, const void* data, size_t size);
void spAppendU32(spBuffer* buffer, uint32_t value);
void spPadBuffer(spBuffer* buffer); // with zeros, to a multiple of 4 bytes

// Room for `size` more bytes, which the caller fills; NULL when there is no memory
void* spExtend(spBuffer* buffer, size_t size);

// Kind and JSON text
void spAppendText(spBuffer* buffer, const char* json, size_t size);

// What is drawn of one body. Pointers are borrowed.
typedef struct spViewShape
{
    uint32_t serial, body, version;
    int vertexCount, triangleCount, edgeCount, nodeCount, tetCount;
    const int32_t* vertexNodes; // NULL: vertex i is node i
    const int32_t* triangles;
    const int32_t* edges;
    const int32_t* tets;
    const uint8_t* bare; // of each triangle: 1 where an edit laid it bare; NULL where none did
} spViewShape;

void spAppendTopology(spBuffer* buffer, const spViewShape* shape);

// Where the vertices or nodes of one body are
typedef struct spViewPoints
{
    uint32_t body, version;
    bool nodes;          // all nodes, not the vertices that are drawn
    const float* points; // x, y, z of each, m
    const float* values; // one for each, in the unit of the colour; NULL when there are none
    int count;
    const float* const* colours; // reports: instead of values, for each colour NULL or such an array
} spViewPoints;

typedef struct spViewPose
{
    uint32_t collider;
    float position[3];
    float rotation[4]; // x, y, z, w
} spViewPose;

#define SP_VIEW_TOOL 0xFFFFFFFFu

typedef struct spViewHand
{
    uint32_t body;
    float point[3], target[3], force[3]; // m, m, N
} spViewHand;

// Where a contact presses, and with which force on the body
typedef struct spViewContact
{
    float position[3], force[3]; // m, N
} spViewContact;

// Contacts in a frame at most
#define SP_MAX_VIEW_CONTACTS 4096

typedef struct spViewFrame
{
    uint32_t serial, number, flags;
    double time;
    uint64_t step;
    spViewColour colour;
    float top;         // value of the last colour, > 0
    const float* tops; // reports: of each colour, > 0 where some body has it
    const spViewPoints* bodies;
    const spViewPose* poses;
    const spViewHand* hands;
    const spViewContact* contacts;
    int bodyCount, poseCount, handCount, contactCount;
} spViewFrame;

void spAppendFrame(spBuffer* buffer, const spViewFrame* frame);
