// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The network side of a view: a thread of its own that serves one page over HTTP and, for a live page, talks
// with clients over WebSocket. Everything that comes in is checked here or in client_message.c.

#pragma once

#include "exchange.h"

typedef struct spServer spServer;

// What spCreateServer needs. Texts are copied, pages must live as long as the server.
typedef struct spServerDef
{
    const char* address;
    int port;
    const char* token;        // NULL: none
    const char* const* hosts; // further names of this server, with their ports
    int hostCount;
    int clientLimit;
    const void* page; // HTML
    size_t pageSize;
    const void* compressedPage; // the same by gzip; NULL when there is none
    size_t compressedSize;
    spExchange* exchange; // NULL: the page is all there is
    const char* hello;    // what every client is told first, a JSON object; "client" is added
    spLogger logger;
} spServerDef;

spServer* spCreateServer(const spServerDef* def, spError* error);

// Ends all connections. NULL is allowed.
void spDestroyServer(spServer* server);

int spGetServerPort(const spServer* server);

// There is something new in the exchange. Does not wait.
void spWakeServer(spServer* server);
