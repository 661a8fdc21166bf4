// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Between the thread that steps a world and the thread that talks to clients. Neither ever waits for the
// other: orders and news go through rings with room for so many, and of frames there is only the latest one.
//
//   stepper                                   network
//     spTakeOrder      <-- ring of orders <--   spGiveOrder
//     spGiveNews       --> ring of news   -->   spTakeNews
//     spBeginFrame, fill, spEndFrame  --> 3 frames, the middle one changes hands --> spTakeFrame
//     spGetWanted      <-- what clients wait for <-- spSetWanted

#pragma once

#include "drawn.h"
#include "message.h"

#include <stdatomic.h>

// Items that a ring has room for
#define SP_RING_SIZE 1024

// Hands in a frame at most
#define SP_MAX_FRAME_HANDS 32

// Frames whose way to the sockets is remembered
#define SP_LATENCY_COUNT 1024

// What clients wait for: the bit of each colour (1 << spViewColour), and
enum
{
    sp_wantNodes = 1 << 16, // all nodes, not only what is drawn
    sp_wantContacts = 1 << 18,
    sp_wantAnyway = 1 << 17, // a frame even when nothing has moved since the last one
};

// Something that a client wants to be done between steps
typedef enum spOrderType
{
    sp_orderAct,   // text
    sp_orderPause, // and the next ones as in the protocol
    sp_orderRun,
    sp_orderStep,
    sp_orderSpeed, // value
    sp_orderScene, // index
    sp_orderProbe, // index: the body, node
    sp_orderFile,  // text of `size` bytes, name; index: whether to open it
    sp_orderDrop,  // whoever held the hand is gone: what it held falls
} spOrderType;

typedef struct spOrder
{
    spOrderType type;
    int client; // number of the client
    int index;
    int node;
    double value;
    char* text; // terminated
    size_t size;
    char name[65]; // of a file
} spOrder;

void spDestroyOrder(spOrder* order);

// Something that clients should know
typedef enum spNewsType
{
    sp_newsScene,    // message, all bodies
    sp_newsBody,     // a body has another topology: one body, `body` says which
    sp_newsSettings, // message, and so on
    sp_newsPins,
    sp_newsStats,
    sp_newsNotice, // message, for one client or all; and what a probe found
} spNewsType;

typedef struct spNews
{
    spNewsType type;
    int client; // for whom; 0 means all
    uint32_t serial;
    spBuffer message; // whole, as it is sent
    spDrawn* bodies;
    int bodyCount;
    int body;
} spNews;

void spDestroyNews(spNews* news);

// What was gathered of one body. Arrays are as the world gives them, in the order of its nodes; those that
// nobody waits for have the count 0.
typedef struct spRawBody
{
    uint32_t version;
    spVec3* positions;
    spVec3* surface; // of the vertices of an attached surface
    spVec3* velocities;
    spReal* values[sp_viewColourCount]; // those that the world has as one number for each node
    int positionCount, surfaceCount, velocityCount, valueCounts[sp_viewColourCount];
    int positionCapacity, surfaceCapacity, velocityCapacity, valueCapacities[sp_viewColourCount];
} spRawBody;

typedef struct spRawFrame
{
    uint32_t serial, number, flags;
    double time; // s
    uint64_t step;
    double published; // wall clock, s
    unsigned wanted;  // for whom it was gathered
    spRawBody* bodies;
    spViewPose* poses;
    spViewHand hands[SP_MAX_FRAME_HANDS];
    spViewContact* contacts;
    int bodyCount, poseCount, handCount, contactCount;
    int bodyCapacity, poseCapacity, contactCapacity;
} spRawFrame;

// Room for items that are written anew: what was there is lost. Returns false when there is no memory.
bool spMakeRoom(void** items, int* capacity, int count, size_t size);

// One writes, the other reads
typedef struct spRing
{
    void* items[SP_RING_SIZE];
    atomic_uint head, tail; // items written and read up to now
} spRing;

typedef struct spExchange
{
    spRing orders, news;
    spRawFrame frames[3];
    int back, front;   // the stepper's frame, the network's
    atomic_int middle; // the third one, and whether it is new
    atomic_uint wanted;

    // What the network has done, for spViewStats
    atomic_int clientCount;
    atomic_int_fast64_t sentCount, refusedCount, latencyCount;
    atomic_uint_fast64_t sentBytes;
    atomic_uint latencies[SP_LATENCY_COUNT]; // in units of 10 ns
} spExchange;

spExchange* spCreateExchange(void);
void spDestroyExchange(spExchange* exchange);

// Takes over what is given. Returns false, and it stays the caller's, when the ring is full.
bool spGiveOrder(spExchange* exchange, spOrder* order);
bool spGiveNews(spExchange* exchange, spNews* news);
// NULL when there is none
spOrder* spTakeOrder(spExchange* exchange);
spNews* spTakeNews(spExchange* exchange);

// The frame to fill, and its publication
spRawFrame* spBeginFrame(spExchange* exchange);
void spEndFrame(spExchange* exchange);
// The latest frame, valid until the next call; NULL when there is no new one
const spRawFrame* spTakeFrame(spExchange* exchange);

// A frame reached a socket so many seconds after it was published
void spNoteLatency(spExchange* exchange, double seconds);
