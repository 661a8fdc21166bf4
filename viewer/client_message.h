// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a client may say: "Page to engine" of docs/view_protocol.md. The bytes come from a network and may be
// anything. What they ask for is judged elsewhere; here only whether they are well formed.

#pragma once

#include "message.h"

// Most bytes of a message
#define SP_CLIENT_MESSAGE_SIZE 4096

// Of files that clients send: letters of a name with its end, and bytes at most
#define SP_FILE_NAME_SIZE 65
#define SP_FILE_SIZE (16 << 20)

typedef enum spClientDo
{
    sp_doAct = 0,
    sp_doPause,
    sp_doRun,
    sp_doStep,
    sp_doSpeed,
    sp_doScene,
    sp_doTake,
    sp_doLeave,
    sp_doShow,
    sp_doSeen,
    sp_doProbe,
    sp_doFile,
    sp_doCount
} spClientDo;

typedef struct spClientMessage
{
    spClientDo type;
    char* event;      // sp_doAct: JSON text, terminated, to be freed
    double speed;     // sp_doSpeed: simulated seconds in a second
    int index;        // sp_doScene; sp_doProbe: the body
    int node;         // sp_doProbe
    bool hasColour;   // sp_doShow: whether it says which
    bool hasNodes;    // sp_doShow: whether it says so
    bool hasContacts; // sp_doShow: whether it says so
    spViewColour colour;
    bool nodes;
    bool contacts;
    uint32_t frame; // sp_doSeen
    // sp_doFile: a piece of a file
    char name[SP_FILE_NAME_SIZE];
    uint8_t data[SP_CLIENT_MESSAGE_SIZE];
    size_t dataSize, offset, total;
    bool open; // it is what is to be seen, not only needed for that
} spClientMessage;

// Why a message closes the connection
typedef struct spRefusal
{
    int code;         // of WebSocket: 1007 not JSON, 1008 not of this protocol, 1009 too long, 1011 no memory
    char reason[100]; // one sentence
} spRefusal;

// Reads a message. Returns false with the reason, and nothing to free, when it is not one.
bool spReadClientMessage(const char* text, size_t size, spClientMessage* message, spRefusal* refusal);

void spFreeClientMessage(spClientMessage* message);
