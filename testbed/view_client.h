// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A client of a live page made of a bare socket: what it sends is up to whoever uses it, right or wrong.
// docs/view_protocol.md says what is right.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Codes of WebSocket frames
enum
{
    sp_frameContinued = 0,
    sp_frameText = 1,
    sp_frameBinary = 2,
    sp_frameClose = 8,
    sp_framePing = 9,
    sp_framePong = 10,
};

typedef struct spTestClient
{
    int handle;    // of the socket; -1 when it is closed
    uint8_t* data; // what has come and was not taken yet
    size_t size, capacity;
    uint8_t* message; // the last whole message
    size_t messageSize, messageCapacity;
    int opcode; // of that message; sp_frameClose with the code in closeCode
    int closeCode;
    bool ended; // the other side has closed the socket
} spTestClient;

// A TCP connection to 127.0.0.1. Returns false when there is none.
bool spConnectClient(spTestClient* client, int port);
void spCloseTestClient(spTestClient* client);

// Sends bytes as they are. Returns false when the connection is gone or takes nothing for 5 s.
bool spSendBytes(spTestClient* client, const void* bytes, size_t size);
bool spSendRequest(spTestClient* client, const char* text);

// Waits for the head of an answer. Returns its status; 0 when the connection ended without one or time ran
// out. What follows the head stays in `data`.
int spReadStatus(spTestClient* client, double seconds);

// Waits until so many bytes are in `data`
bool spReadBytes(spTestClient* client, size_t size, double seconds);

// Asks for /live as a browser does. `extra` are further or other header lines, each with its end; NULL means
// none. Returns the status, 101 when it became a WebSocket.
int spUpgradeClient(spTestClient* client, int port, const char* query, const char* extra);
// Connects, upgrades, and closes again when it was refused
int spJoinView(spTestClient* client, int port, const char* query);

// Sends a frame, masked
bool spSendFrame(spTestClient* client, int opcode, bool final, const void* bytes, size_t size);
bool spSendMessage(spTestClient* client, const char* text);

// Waits for a message, answering pings. Returns false when time ran out or the connection ended.
bool spReadMessage(spTestClient* client, double seconds);
