// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The clients of a live page, as the network thread sees them: what waits to be sent to each, what each may
// do, who holds the hand. Knows nothing of sockets.

#pragma once

#include "client_message.h"
#include "exchange.h"
#include "inbox.h"

// Most clients that a view accepts
#define SP_MAX_CLIENTS 64

// Bytes, written once, that go to several clients
typedef struct spPacket
{
    int references;
    spBuffer bytes;
    uint32_t frame;   // number of the frame; 0 for other messages
    double published; // of a frame, wall clock, s
} spPacket;

typedef struct spQueued
{
    spPacket* packet;
    struct spQueued* next;
} spQueued;

typedef struct spClient
{
    int number;       // from 1, never used twice
    void* connection; // the server's
    spViewColour colour;
    bool contacts;
    bool nodes;

    spQueued* first; // packets to send
    spQueued* last;
    int queueCount;
    double frameSent;  // when a frame was published that is written but not yet on its way; 0 without one
    size_t sent;       // bytes of the first packet that were handed to the socket
    double progress;   // when it last took something, or had nothing to take; wall clock, s
    uint32_t under[2]; // frames under way
    int underCount;
    bool fresh; // has had no frame of this scene and colour yet: gets one even when nothing moves
    bool lost;  // there was no memory for it: it is to be closed

    double acted;            // when it last used the hand; wall clock, s
    double credit, credited; // messages that it may send, and when that was found
    char message[SP_CLIENT_MESSAGE_SIZE];
    size_t messageSize; // what has come of the message up to now

    spInbox inbox; // a file that it sends

    uint64_t upgradeSize;           // bytes of the request that it began with
    uint64_t heardSize, heardCount; // bytes of its messages, and messages
    uint64_t besideSize;            // bytes that were something else, when it was last looked at
} spClient;

typedef struct spCrowd
{
    spExchange* exchange;
    char* hello; // JSON object without "client"
    spClient* clients[SP_MAX_CLIENTS];
    int clientCount;
    int lastNumber; // that was given to a client
    int holder;     // number of the client that holds the hand; 0 when nobody does
    bool dropDue;   // the stepper has to be told that the hand has changed

    // What those who come later have to know
    spPacket* scene;
    spPacket* settings;
    spPacket* pins;
    uint32_t serial;
    spDrawn* bodies;
    spPacket** shapes;               // of each body: without tets, with tets, made when they are needed
    double tops[sp_viewColourCount]; // values of the last colours, which fade
    double topsAt;                   // when; wall clock, s
    int bodyCount;

    float* scratch; // points and values of a frame
    int scratchCapacity;
    spViewPoints* points;
    int pointsCapacity;
} spCrowd;

bool spOpenCrowd(spCrowd* crowd, spExchange* exchange, const char* hello);
void spCloseCrowd(spCrowd* crowd);

// A client comes: it gets all that it has to know. Returns false when there is no memory.
bool spJoinCrowd(spCrowd* crowd, spClient* client, void* connection);
// A client goes. What it held falls.
void spLeaveCrowd(spCrowd* crowd, spClient* client);

// A whole message of a client. Returns false with the reason when it must be closed.
bool spHearClient(spCrowd* crowd, spClient* client, const char* text, size_t size, spRefusal* refusal);

// Takes in what the stepper has to tell, and passes it on
void spTakeInNews(spCrowd* crowd);

// Tells the stepper what clients wait for
void spTellWanted(spCrowd* crowd);

// The next bytes for a client, at most `most`. Returns false when there are none.
bool spGetBytes(const spClient* client, size_t most, const uint8_t** bytes, size_t* size, bool* first,
                bool* last);
// So many bytes were written
void spTakeBytes(spCrowd* crowd, spClient* client, size_t size);
// All that was written is in the hands of the socket
void spNoteSent(spCrowd* crowd, spClient* client);
