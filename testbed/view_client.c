// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/view_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double spGetClientClock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool spReserveBytes(uint8_t** data, size_t* capacity, size_t size)
{
    if (size > *capacity)
    {
        uint8_t* grown = realloc(*data, size + size / 2 + 4096);
        if (grown == NULL)
        {
            return false;
        }
        *data = grown;
        *capacity = size + size / 2 + 4096;
    }
    return true;
}

bool spConnectClient(spTestClient* client, int port)
{
    *client = (spTestClient){.handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (client->handle < 0 || connect(client->handle, (struct sockaddr*)&place, sizeof(place)) != 0)
    {
        spCloseTestClient(client);
        return false;
    }
    int on = 1;
    setsockopt(client->handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return true;
}

void spCloseTestClient(spTestClient* client)
{
    if (client->handle >= 0)
    {
        close(client->handle);
    }
    free(client->data);
    free(client->message);
    *client = (spTestClient){.handle = -1};
}

bool spSendBytes(spTestClient* client, const void* bytes, size_t size)
{
    const uint8_t* at = bytes;
    while (size > 0)
    {
        struct pollfd wait = {.fd = client->handle, .events = POLLOUT};
        if (poll(&wait, 1, 5000) <= 0)
        {
            return false;
        }
        ssize_t sent = send(client->handle, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
        {
            return false;
        }
        at += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool spSendRequest(spTestClient* client, const char* text)
{
    return spSendBytes(client, text, strlen(text));
}

// Waits for more bytes until a moment. Returns false when there are none.
static bool spReadMore(spTestClient* client, double end)
{
    double left = end - spGetClientClock();
    struct pollfd wait = {.fd = client->handle, .events = POLLIN};
    if (client->ended || !spReserveBytes(&client->data, &client->capacity, client->size + 65536) ||
        poll(&wait, 1, left > 0.0 ? (int)(1e3 * left) + 1 : 0) <= 0)
    {
        return false;
    }
    ssize_t got = recv(client->handle, client->data + client->size, client->capacity - client->size, 0);
    client->ended = got <= 0;
    client->size += got > 0 ? (size_t)got : 0;
    return got > 0;
}

static void spDropBytes(spTestClient* client, size_t size)
{
    memmove(client->data, client->data + size, client->size - size);
    client->size -= size;
}

int spReadStatus(spTestClient* client, double seconds)
{
    double end = spGetClientClock() + seconds;
    for (;;)
    {
        for (size_t i = 3; i < client->size; ++i)
        {
            if (memcmp(client->data + i - 3, "\r\n\r\n", 4) == 0)
            {
                char line[64];
                size_t size = i < sizeof(line) - 1 ? i : sizeof(line) - 1;
                memcpy(line, client->data, size);
                line[size] = 0;
                spDropBytes(client, i + 1);
                const char* space = strchr(line, ' ');
                return space != NULL ? atoi(space + 1) : 0;
            }
        }
        if (!spReadMore(client, end))
        {
            return 0;
        }
    }
}

bool spReadBytes(spTestClient* client, size_t size, double seconds)
{
    double end = spGetClientClock() + seconds;
    while (client->size < size && spReadMore(client, end))
    {
    }
    return client->size >= size;
}

int spUpgradeClient(spTestClient* client, int port, const char* query, const char* extra)
{
    char request[1024];
    bool ownHost = extra != NULL && strstr(extra, "Host:") != NULL;
    char host[64];
    snprintf(host, sizeof(host), "Host: 127.0.0.1:%d\r\n", port);
    snprintf(request, sizeof(request),
             "GET /live%s HTTP/1.1\r\n%sUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Protocol: souple-1\r\n%s\r\n",
             query != NULL ? query : "", ownHost ? "" : host, extra != NULL ? extra : "");
    return spSendRequest(client, request) ? spReadStatus(client, 5.0) : 0;
}

int spJoinView(spTestClient* client, int port, const char* query)
{
    if (!spConnectClient(client, port))
    {
        return 0;
    }
    int status = spUpgradeClient(client, port, query, NULL);
    if (status != 101)
    {
        spCloseTestClient(client);
    }
    return status;
}

bool spSendFrame(spTestClient* client, int opcode, bool final, const void* bytes, size_t size)
{
    static const uint8_t mask[4] = {0x12, 0x34, 0x56, 0x78};
    uint8_t head[14] = {(uint8_t)((final ? 0x80 : 0) | opcode)};
    size_t headSize = 2;
    if (size < 126)
    {
        head[1] = (uint8_t)(0x80 | size);
    }
    else
    {
        int count = size < 65536 ? 2 : 8;
        head[1] = (uint8_t)(0x80 | (count == 2 ? 126 : 127));
        for (int i = 0; i < count; ++i)
        {
            head[headSize++] = (uint8_t)(size >> (8 * (count - 1 - i)));
        }
    }
    memcpy(head + headSize, mask, 4);
    headSize += 4;
    uint8_t* whole = malloc(headSize + size);
    if (whole == NULL)
    {
        return false;
    }
    memcpy(whole, head, headSize);
    for (size_t i = 0; i < size; ++i)
    {
        whole[headSize + i] = ((const uint8_t*)bytes)[i] ^ mask[i % 4];
    }
    bool good = spSendBytes(client, whole, headSize + size);
    free(whole);
    return good;
}

bool spSendMessage(spTestClient* client, const char* text)
{
    return spSendFrame(client, sp_frameText, true, text, strlen(text));
}

// The frame that has come first: its head, and where its payload is. Returns false when it is not complete.
static bool spFindFrame(const spTestClient* client, int* opcode, bool* final, size_t* begin, size_t* size)
{
    const uint8_t* data = client->data;
    if (client->size < 2)
    {
        return false;
    }
    int count = (data[1] & 0x7F) == 126 ? 2 : ((data[1] & 0x7F) == 127 ? 8 : 0);
    if (client->size < 2 + (size_t)count)
    {
        return false;
    }
    uint64_t length = count == 0 ? data[1] & 0x7F : 0;
    for (int i = 0; i < count; ++i)
    {
        length = length << 8 | data[2 + i];
    }
    *opcode = data[0] & 0x0F;
    *final = (data[0] & 0x80) != 0;
    *begin = 2 + (size_t)count;
    *size = (size_t)length;
    return client->size >= *begin + *size;
}

bool spReadMessage(spTestClient* client, double seconds)
{
    double end = spGetClientClock() + seconds;
    client->messageSize = 0;
    for (;;)
    {
        int opcode;
        bool final;
        size_t begin, size;
        if (!spFindFrame(client, &opcode, &final, &begin, &size))
        {
            if (!spReadMore(client, end))
            {
                return false;
            }
            continue;
        }
        const uint8_t* payload = client->data + begin;
        if (opcode == sp_framePing)
        {
            spSendFrame(client, sp_framePong, true, payload, size);
        }
        else if (opcode == sp_frameClose)
        {
            client->opcode = sp_frameClose;
            client->closeCode = size >= 2 ? payload[0] << 8 | payload[1] : 0;
            client->ended = true;
            return false;
        }
        else if (opcode != sp_framePong)
        {
            client->opcode = opcode != sp_frameContinued ? opcode : client->opcode;
            if (!spReserveBytes(&client->message, &client->messageCapacity, client->messageSize + size + 1))
            {
                return false;
            }
            memcpy(client->message + client->messageSize, payload, size);
            client->messageSize += size;
            client->message[client->messageSize] = 0;
        }
        spDropBytes(client, begin + size);
        if (opcode <= sp_frameBinary && final)
        {
            return true;
        }
    }
}
