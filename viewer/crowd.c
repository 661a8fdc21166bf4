// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "crowd.h"

#include "base/json.h"
#include "base/timer.h"
#include "base/value_range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Messages that a client may send in a second, and in one go
#define SP_MESSAGE_RATE 400.0

// A hand that did nothing for so long may be taken by another client, s
#define SP_IDLE_HAND 10.0

// News that the next news makes up for are left out when so many packets wait
#define SP_CROWDED_QUEUE 64

// The range of a colour shrinks by this share in a second when nothing reaches its end any more
#define SP_TOP_FADE 0.2

// ---------------------------------------------------------------------------------------------------------
// Packets and queues

// Takes over the bytes of a buffer. NULL when there is no memory.
static spPacket* spMakePacket(spBuffer* bytes)
{
    spPacket* packet = bytes->failed ? NULL : calloc(1, sizeof(spPacket));
    if (packet == NULL)
    {
        spFreeBuffer(bytes);
        return NULL;
    }
    packet->references = 1;
    packet->bytes = *bytes;
    *bytes = (spBuffer){0};
    return packet;
}

static void spDropPacket(spPacket* packet)
{
    if (packet != NULL && --packet->references == 0)
    {
        spFreeBuffer(&packet->bytes);
        free(packet);
    }
}

// Without memory for a message a client would see something else than what is: it has to begin anew
static void spQueue(spClient* client, spPacket* packet)
{
    spQueued* queued = packet != NULL ? calloc(1, sizeof(spQueued)) : NULL;
    if (queued == NULL)
    {
        client->lost = true;
        return;
    }
    queued->packet = packet;
    packet->references += 1;
    if (client->first == NULL)
    {
        client->first = queued;
        client->progress = spGetSeconds();
    }
    else
    {
        client->last->next = queued;
    }
    client->last = queued;
    client->queueCount += 1;
}

static void spDropFirst(spClient* client)
{
    spQueued* first = client->first;
    client->first = first->next;
    client->last = client->first != NULL ? client->last : NULL;
    client->queueCount -= 1;
    client->sent = 0;
    spDropPacket(first->packet);
    free(first);
}

static void spQueueForAll(spCrowd* crowd, spPacket* packet, int most)
{
    for (int i = 0; i < crowd->clientCount; ++i)
    {
        if (crowd->clients[i]->queueCount < most)
        {
            spQueue(crowd->clients[i], packet);
        }
    }
}

// A JSON object as a message; the object is destroyed
static spPacket* spMakeJsonPacket(json_t* json)
{
    spBuffer bytes = {0};
    char* text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (text == NULL)
    {
        return NULL;
    }
    spAppendText(&bytes, text, strlen(text));
    free(text);
    return spMakePacket(&bytes);
}

static void spNotify(spClient* client, const char* text)
{
    if (client->queueCount < SP_CROWDED_QUEUE)
    {
        spPacket* packet =
            spMakeJsonPacket(json_pack("{ssssss}", "type", "notice", "level", "warning", "text", text));
        spQueue(client, packet);
        spDropPacket(packet);
    }
}

bool spGetBytes(const spClient* client, size_t most, const uint8_t** bytes, size_t* size, bool* first,
                bool* last)
{
    if (client->first == NULL)
    {
        return false;
    }
    const spBuffer* buffer = &client->first->packet->bytes;
    size_t left = buffer->size - client->sent;
    *bytes = buffer->data + client->sent;
    *size = left < most ? left : most;
    *first = client->sent == 0;
    *last = *size == left;
    return true;
}

void spTakeBytes(spCrowd* crowd, spClient* client, size_t size)
{
    spPacket* packet = client->first->packet;
    client->sent += size;
    client->progress = spGetSeconds();
    atomic_fetch_add_explicit(&crowd->exchange->sentBytes, size, memory_order_relaxed);
    if (client->sent < packet->bytes.size)
    {
        return;
    }
    client->frameSent = packet->frame != 0 ? packet->published : client->frameSent;
    spDropFirst(client);
}

void spNoteSent(spCrowd* crowd, spClient* client)
{
    if (client->frameSent > 0.0)
    {
        spNoteLatency(crowd->exchange, spGetSeconds() - client->frameSent);
        atomic_fetch_add_explicit(&crowd->exchange->sentCount, 1, memory_order_relaxed);
        client->frameSent = 0.0;
    }
}

// ---------------------------------------------------------------------------------------------------------
// What everybody has to know

static spClient* spFindClient(const spCrowd* crowd, int number)
{
    for (int i = 0; i < crowd->clientCount; ++i)
    {
        if (crowd->clients[i]->number == number)
        {
            return crowd->clients[i];
        }
    }
    return NULL;
}

static spPacket* spMakeHandPacket(const spCrowd* crowd)
{
    json_t* json = json_pack("{sssi}", "type", "hand", "clients", crowd->clientCount);
    json_object_set_new(json, "client", crowd->holder != 0 ? json_integer(crowd->holder) : json_null());
    return spMakeJsonPacket(json);
}

static void spTellHand(spCrowd* crowd)
{
    spPacket* packet = spMakeHandPacket(crowd);
    spQueueForAll(crowd, packet, INT32_MAX);
    spDropPacket(packet);
}

// The topology of a body, with tets for those who draw all nodes
static spPacket* spGetShape(spCrowd* crowd, int body, bool withTets)
{
    spPacket** shape = crowd->shapes + 2 * body + withTets;
    if (*shape == NULL)
    {
        const spDrawn* drawn = crowd->bodies + body;
        const spViewShape view = {
            .serial = crowd->serial,
            .body = (uint32_t)body,
            .version = drawn->version,
            .vertexCount = drawn->vertexCount,
            .triangleCount = drawn->triangleCount,
            .edgeCount = drawn->edgeCount,
            .nodeCount = drawn->nodeCount,
            .tetCount = withTets ? drawn->tetCount : 0,
            .vertexNodes = drawn->vertexNodes,
            .triangles = drawn->triangles,
            .edges = drawn->edges,
            .tets = drawn->tets,
            .bare = drawn->bare,
        };
        spBuffer bytes = {0};
        spAppendTopology(&bytes, &view);
        *shape = spMakePacket(&bytes);
    }
    return *shape;
}

static void spQueueShapes(spCrowd* crowd, spClient* client)
{
    for (int i = 0; i < crowd->bodyCount; ++i)
    {
        spQueue(client, spGetShape(crowd, i, client->nodes));
    }
    client->fresh = true;
}

// The scene as it is now
static void spQueueScene(spCrowd* crowd, spClient* client)
{
    client->underCount = 0; // frames of another scene may never be answered
    if (crowd->scene == NULL)
    {
        return;
    }
    spQueue(client, crowd->scene);
    spQueueShapes(crowd, client);
    if (crowd->settings != NULL)
    {
        spQueue(client, crowd->settings);
    }
    if (crowd->pins != NULL)
    {
        spQueue(client, crowd->pins);
    }
}

bool spJoinCrowd(spCrowd* crowd, spClient* client, void* connection)
{
    json_t* hello = json_loads(crowd->hello, 0, NULL);
    if (hello == NULL || crowd->clientCount == SP_MAX_CLIENTS)
    {
        json_decref(hello);
        return false;
    }
    double now = spGetSeconds();
    *client = (spClient){.number = ++crowd->lastNumber,
                         .connection = connection,
                         .progress = now,
                         .acted = now,
                         .credit = SP_MESSAGE_RATE,
                         .credited = now};
    crowd->clients[crowd->clientCount++] = client;
    atomic_store_explicit(&crowd->exchange->clientCount, crowd->clientCount, memory_order_relaxed);
    json_object_set_new(hello, "client", json_integer(client->number));
    spPacket* packet = spMakeJsonPacket(hello);
    spQueue(client, packet);
    spDropPacket(packet);
    spQueueScene(crowd, client);
    crowd->holder = crowd->holder != 0 ? crowd->holder : client->number;
    spTellHand(crowd);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// The hand

static void spGiveDrop(spCrowd* crowd)
{
    spOrder* order = crowd->dropDue ? calloc(1, sizeof(spOrder)) : NULL;
    if (order == NULL)
    {
        return;
    }
    order->type = sp_orderDrop;
    crowd->dropDue = spGiveOrder(crowd->exchange, order) == false;
    if (crowd->dropDue)
    {
        spDestroyOrder(order);
    }
}

// The hand goes to a client, or to nobody: what it held falls
static void spPassHand(spCrowd* crowd, int number)
{
    crowd->dropDue = crowd->dropDue || crowd->holder != 0;
    crowd->holder = number;
    spGiveDrop(crowd);
    spTellHand(crowd);
}

void spLeaveCrowd(spCrowd* crowd, spClient* client)
{
    int index = 0;
    while (index < crowd->clientCount && crowd->clients[index] != client)
    {
        index += 1;
    }
    if (index == crowd->clientCount)
    {
        return;
    }
    while (client->first != NULL)
    {
        spDropFirst(client);
    }
    spEmptyInbox(&client->inbox);
    for (int i = index; i + 1 < crowd->clientCount; ++i)
    {
        crowd->clients[i] = crowd->clients[i + 1];
    }
    crowd->clientCount -= 1;
    atomic_store_explicit(&crowd->exchange->clientCount, crowd->clientCount, memory_order_relaxed);
    if (crowd->holder == client->number)
    {
        spPassHand(crowd, 0);
    }
    else
    {
        spTellHand(crowd);
    }
}

static void spTakeHand(spCrowd* crowd, spClient* client)
{
    const spClient* holder = spFindClient(crowd, crowd->holder);
    if (holder == client)
    {
        return;
    }
    if (holder != NULL && spGetSeconds() - holder->acted < SP_IDLE_HAND)
    {
        spNotify(client, "Someone else is using the hand; it can be taken when it has been idle for 10 s.");
        return;
    }
    client->acted = spGetSeconds();
    spPassHand(crowd, client->number);
}

// ---------------------------------------------------------------------------------------------------------
// What clients say

static bool spRefuseWith(spRefusal* refusal, int code, const char* reason)
{
    refusal->code = code;
    strncpy(refusal->reason, reason, sizeof(refusal->reason) - 1);
    refusal->reason[sizeof(refusal->reason) - 1] = 0;
    return false;
}

// A probe changes nothing: nobody needs the hand for it. Where there is no room for it, the next one will do.
static void spProbeFor(spCrowd* crowd, const spClient* client, const spClientMessage* message)
{
    spOrder* order = calloc(1, sizeof(spOrder));
    if (order == NULL)
    {
        return;
    }
    *order = (spOrder){
        .type = sp_orderProbe, .client = client->number, .index = message->index, .node = message->node};
    if (spGiveOrder(crowd->exchange, order) == false)
    {
        spDestroyOrder(order);
    }
}

// Passes on to the stepper what needs the hand
static bool spOrderFor(spCrowd* crowd, spClient* client, spClientMessage* message, spRefusal* refusal)
{
    static const spOrderType types[] = {sp_orderAct,  sp_orderPause, sp_orderRun,
                                        sp_orderStep, sp_orderSpeed, sp_orderScene};
    if (crowd->holder == 0)
    {
        spPassHand(crowd, client->number);
    }
    if (crowd->holder != client->number)
    {
        spNotify(client, "Someone else holds the hand: watch, or take it.");
        return true;
    }
    client->acted = spGetSeconds();
    spOrder* order = calloc(1, sizeof(spOrder));
    if (order == NULL)
    {
        return spRefuseWith(refusal, 1011, "there is no memory for the message");
    }
    *order = (spOrder){.type = types[message->type],
                       .client = client->number,
                       .index = message->index,
                       .value = message->speed,
                       .text = message->event};
    message->event = NULL;
    if (spGiveOrder(crowd->exchange, order) == false)
    {
        spDestroyOrder(order);
        return spRefuseWith(refusal, 1013, "the simulation is too slow for so many messages");
    }
    return true;
}

// A file goes to the stepper when it is whole
static bool spFileFor(spCrowd* crowd, spClient* client, const spClientMessage* message, spRefusal* refusal)
{
    if (crowd->holder == 0)
    {
        spPassHand(crowd, client->number);
    }
    if (crowd->holder != client->number)
    {
        if (message->offset == 0)
        {
            spNotify(client, "Someone else holds the hand: watch, or take it.");
        }
        return true;
    }
    client->acted = spGetSeconds();
    spInbox whole;
    if (spTakePiece(&client->inbox, message, &whole, refusal) == false)
    {
        return false;
    }
    spOrder* order = whole.bytes != NULL ? calloc(1, sizeof(spOrder)) : NULL;
    if (order == NULL)
    {
        spEmptyInbox(&whole);
        return true;
    }
    *order = (spOrder){.type = sp_orderFile,
                       .client = client->number,
                       .index = message->open,
                       .text = whole.bytes,
                       .size = whole.size};
    memcpy(order->name, whole.name, sizeof(whole.name));
    if (spGiveOrder(crowd->exchange, order) == false)
    {
        spDestroyOrder(order);
        return spRefuseWith(refusal, 1013, "the simulation is too slow for so many messages");
    }
    return true;
}

static void spShow(spCrowd* crowd, spClient* client, const spClientMessage* message)
{
    bool otherNodes = message->hasNodes && message->nodes != client->nodes;
    client->fresh = client->fresh || otherNodes ||
                    (message->hasColour && message->colour != client->colour) ||
                    (message->hasContacts && message->contacts != client->contacts);
    client->contacts = message->hasContacts ? message->contacts : client->contacts;
    client->colour = message->hasColour ? message->colour : client->colour;
    client->nodes = message->hasNodes ? message->nodes : client->nodes;
    if (otherNodes)
    {
        spQueueShapes(crowd, client);
    }
}

// A frame that was drawn stands for all before it
static void spNoteSeen(spClient* client, uint32_t frame)
{
    int count = 0;
    for (int i = 0; i < client->underCount; ++i)
    {
        if ((int32_t)(client->under[i] - frame) > 0)
        {
            client->under[count++] = client->under[i];
        }
    }
    client->underCount = count;
}

static bool spIsTooFast(spClient* client)
{
    double now = spGetSeconds();
    client->credit = fmin(client->credit + SP_MESSAGE_RATE * (now - client->credited), SP_MESSAGE_RATE);
    client->credited = now;
    client->credit -= 1.0;
    return client->credit < 0.0;
}

bool spHearClient(spCrowd* crowd, spClient* client, const char* text, size_t size, spRefusal* refusal)
{
    spClientMessage message;
    if (spIsTooFast(client))
    {
        return spRefuseWith(refusal, 1008, "too many messages in a second");
    }
    if (spReadClientMessage(text, size, &message, refusal) == false)
    {
        return false;
    }
    bool good = true;
    switch (message.type)
    {
        case sp_doTake:
            spTakeHand(crowd, client);
            break;
        case sp_doLeave:
            if (crowd->holder == client->number)
            {
                spPassHand(crowd, 0);
            }
            break;
        case sp_doShow:
            spShow(crowd, client, &message);
            break;
        case sp_doSeen:
            spNoteSeen(client, message.frame);
            break;
        case sp_doProbe:
            spProbeFor(crowd, client, &message);
            break;
        case sp_doFile:
            good = spFileFor(crowd, client, &message, refusal);
            break;
        default:
            good = spOrderFor(crowd, client, &message, refusal);
            break;
    }
    spFreeClientMessage(&message);
    return good;
}

// ---------------------------------------------------------------------------------------------------------
// Frames

// Vectors as numbers, in the order of some nodes or, without them, in their own: those of a float build are
// already what is wanted
static const float* spGatherVectors(const spVec3* vectors, const int32_t* nodes, int count, float* room)
{
#ifndef SOUPLE_DOUBLE_PRECISION
    if (nodes == NULL)
    {
        return &vectors->x;
    }
#endif
    for (int i = 0; i < count; ++i)
    {
        const spVec3* x = vectors + (nodes != NULL ? nodes[i] : i);
        room[3 * i] = (float)x->x;
        room[3 * i + 1] = (float)x->y;
        room[3 * i + 2] = (float)x->z;
    }
    return room;
}

static float spGetLength(spReal x, spReal y, spReal z)
{
    return sqrtf((float)(x * x + y * y + z * z));
}

static void spGatherLengths(const spVec3* vectors, const int32_t* nodes, int count, float* values)
{
    for (int i = 0; i < count; ++i)
    {
        const spVec3* v = vectors + (nodes != NULL ? nodes[i] : i);
        values[i] = spGetLength(v->x, v->y, v->z);
    }
}

static void spGatherDistances(const spVec3* vectors, const spVec3* start, const int32_t* nodes, int count,
                              float* values)
{
    for (int i = 0; i < count; ++i)
    {
        int node = nodes != NULL ? nodes[i] : i;
        const spVec3* x = vectors + node;
        const spVec3* x0 = start + node;
        values[i] = spGetLength(x->x - x0->x, x->y - x0->y, x->z - x0->z);
    }
}

static void spGatherNumbers(const spReal* numbers, const int32_t* nodes, int count, float* values)
{
    for (int i = 0; i < count; ++i)
    {
        values[i] = (float)numbers[nodes != NULL ? nodes[i] : i];
    }
}

// How strongly vertices are coloured, in the unit of the colour. Returns false when the body has no such
// values.
static bool spGatherValues(const spRawBody* raw, const spDrawn* drawn, spViewColour colour,
                           const int32_t* nodes, int count, float* values)
{
    int available = colour == sp_viewDisplacement ? raw->positionCount
                    : colour == sp_viewVelocity   ? raw->velocityCount
                                                  : raw->valueCounts[colour];
    if (colour == sp_viewNone || available != drawn->nodeCount)
    {
        return false;
    }
    switch (colour)
    {
        case sp_viewDisplacement:
            spGatherDistances(raw->positions, drawn->start, nodes, count, values);
            break;
        case sp_viewVelocity:
            spGatherLengths(raw->velocities, nodes, count, values);
            break;
        default:
            spGatherNumbers(raw->values[colour], nodes, count, values);
            break;
    }
    return true;
}

// Points and values of a body. Returns false when it does not fit to what is drawn.
static bool spGatherPoints(spCrowd* crowd, const spRawFrame* raw, int body, spViewColour colour, bool nodes,
                           float** room, spViewPoints* points)
{
    const spRawBody* rawBody = raw->bodies + body;
    const spDrawn* drawn = crowd->bodies + body;
    bool attached = drawn->attached && nodes == false;
    if (rawBody->version != drawn->version ||
        (attached ? rawBody->surfaceCount != drawn->vertexCount : rawBody->positionCount != drawn->nodeCount))
    {
        return false;
    }
    int count = nodes ? drawn->nodeCount : drawn->vertexCount;
    const int32_t* order = nodes || drawn->every ? NULL : drawn->vertexNodes;
    float* values = *room + 3 * (size_t)count;
    const float* numbers = attached ? spGatherVectors(rawBody->surface, NULL, count, *room)
                                    : spGatherVectors(rawBody->positions, order, count, *room);
    bool coloured = spGatherValues(rawBody, drawn, colour, order, count, values);
    *points = (spViewPoints){.body = (uint32_t)body,
                             .version = drawn->version,
                             .nodes = nodes,
                             .points = numbers,
                             .values = coloured ? values : NULL,
                             .count = count};
    *room = values + count;
    return true;
}

static float spGetColourFloor(const spCrowd* crowd, spViewColour colour)
{
    float size = 0.0f;
    for (int i = 0; i < crowd->bodyCount; ++i)
    {
        size = fmaxf(size, crowd->bodies[i].size);
    }
    return spGetValueFloor(spGetValueKind(colour), size);
}

// The value of the last colour: by the values that are shown, and it shrinks slowly
static float spFindTop(spCrowd* crowd, spViewColour colour, int pointsCount)
{
    spValueCounts counts = {0};
    float floor = spGetColourFloor(crowd, colour);
    for (int i = 0; i < pointsCount; ++i)
    {
        const spViewPoints* points = crowd->points + i;
        const spDrawn* drawn = crowd->bodies + points->body;
        if (points->values != NULL)
        {
            bool corners = points->nodes == false && drawn->triangleCount > 0;
            spCountValues(&counts, points->values, corners ? drawn->triangles : NULL,
                          corners ? 3 * drawn->triangleCount : points->count, floor);
        }
    }
    crowd->tops[colour] = fmax((double)spFindValueTop(&counts, floor), crowd->tops[colour]);
    return spRoundUpTop(crowd->tops[colour]);
}

// Ranges shrink with time
static void spFadeTops(spCrowd* crowd)
{
    double now = spGetSeconds();
    double factor = exp(-SP_TOP_FADE * (now - crowd->topsAt));
    for (int i = 0; i < sp_viewColourCount; ++i)
    {
        crowd->tops[i] *= factor;
    }
    crowd->topsAt = now;
}

static spPacket* spEncodeFrame(spCrowd* crowd, const spRawFrame* raw, spViewColour colour, bool nodes,
                               bool contacts)
{
    size_t numbers = 0;
    for (int i = 0; i < crowd->bodyCount; ++i)
    {
        const spDrawn* drawn = crowd->bodies + i;
        numbers +=
            4 * (size_t)(drawn->nodeCount > drawn->vertexCount ? drawn->nodeCount : drawn->vertexCount);
    }
    if (numbers > INT32_MAX ||
        spMakeRoom((void**)&crowd->scratch, &crowd->scratchCapacity, (int)numbers, sizeof(float)) == false ||
        spMakeRoom((void**)&crowd->points, &crowd->pointsCapacity, crowd->bodyCount, sizeof(spViewPoints)) ==
            false)
    {
        return NULL;
    }
    float* room = crowd->scratch;
    int count = 0;
    for (int i = 0; i < crowd->bodyCount && i < raw->bodyCount; ++i)
    {
        count += spGatherPoints(crowd, raw, i, colour, nodes, &room, crowd->points + count);
    }
    const spViewFrame frame = {
        .serial = raw->serial,
        .number = raw->number,
        .flags = raw->flags,
        .time = raw->time,
        .step = raw->step,
        .colour = colour,
        .top = spFindTop(crowd, colour, count),
        .bodies = crowd->points,
        .poses = raw->poses,
        .hands = raw->hands,
        .bodyCount = count,
        .poseCount = raw->poseCount,
        .handCount = raw->handCount,
        .contacts = raw->contacts,
        .contactCount = contacts ? raw->contactCount : 0,
    };
    spBuffer bytes = {0};
    spAppendFrame(&bytes, &frame);
    spPacket* packet = spMakePacket(&bytes);
    if (packet != NULL)
    {
        packet->frame = raw->number;
        packet->published = raw->published;
    }
    return packet;
}

static bool spIsReady(const spClient* client)
{
    return client->underCount < 2 && client->lost == false;
}

static bool spSuits(const spRawFrame* raw, const spClient* client)
{
    return (raw->wanted & (1u << client->colour)) != 0 &&
           (client->nodes == false || (raw->wanted & sp_wantNodes) != 0) &&
           (client->contacts == false || (raw->wanted & sp_wantContacts) != 0);
}

// Each kind of frame is made once, for all who see the world that way
static void spPassOnFrame(spCrowd* crowd, const spRawFrame* raw)
{
    spPacket* packets[sp_viewColourCount][4] = {{NULL}};
    if (raw->serial != crowd->serial)
    {
        return;
    }
    spFadeTops(crowd);
    for (int i = 0; i < crowd->clientCount; ++i)
    {
        spClient* client = crowd->clients[i];
        if (spIsReady(client) == false || spSuits(raw, client) == false)
        {
            continue;
        }
        spPacket** packet = &packets[client->colour][client->nodes + 2 * client->contacts];
        if (*packet == NULL)
        {
            *packet = spEncodeFrame(crowd, raw, client->colour, client->nodes, client->contacts);
        }
        if (*packet != NULL)
        {
            spQueue(client, *packet);
            client->under[client->underCount++] = raw->number;
            client->fresh = false;
        }
    }
    for (int i = 0; i < 4 * sp_viewColourCount; ++i)
    {
        spDropPacket(packets[i / 4][i % 4]);
    }
}

void spTellWanted(spCrowd* crowd)
{
    unsigned wanted = 0;
    for (int i = 0; i < crowd->clientCount; ++i)
    {
        const spClient* client = crowd->clients[i];
        if (spIsReady(client))
        {
            wanted |= 1u << client->colour | (client->nodes ? sp_wantNodes : 0u) |
                      (client->contacts ? sp_wantContacts : 0u) | (client->fresh ? sp_wantAnyway : 0u);
        }
    }
    atomic_store_explicit(&crowd->exchange->wanted, wanted, memory_order_release);
}

// ---------------------------------------------------------------------------------------------------------
// News

static void spKeepPacket(spPacket** place, spPacket* packet)
{
    spDropPacket(*place);
    *place = packet;
    if (packet != NULL)
    {
        packet->references += 1;
    }
}

static void spForgetScene(spCrowd* crowd)
{
    spKeepPacket(&crowd->scene, NULL);
    spKeepPacket(&crowd->settings, NULL);
    spKeepPacket(&crowd->pins, NULL);
    for (int i = 0; i < crowd->bodyCount; ++i)
    {
        spFreeDrawn(crowd->bodies + i);
        spDropPacket(crowd->shapes[2 * i]);
        spDropPacket(crowd->shapes[2 * i + 1]);
    }
    free(crowd->bodies);
    free(crowd->shapes);
    crowd->bodies = NULL;
    crowd->shapes = NULL;
    crowd->bodyCount = 0;
}

// Bodies that are drawn whole need no sorting out
static void spFindEvery(spDrawn* drawn)
{
    drawn->every = drawn->attached == false && drawn->vertexCount == drawn->nodeCount;
    for (int i = 0; drawn->every && i < drawn->vertexCount; ++i)
    {
        drawn->every = drawn->vertexNodes[i] == i;
    }
}

static void spTakeInScene(spCrowd* crowd, spNews* news, spPacket* packet)
{
    spForgetScene(crowd);
    crowd->shapes = calloc(2 * (size_t)news->bodyCount + 1, sizeof(spPacket*));
    if (crowd->shapes == NULL)
    {
        return;
    }
    crowd->bodies = news->bodies;
    crowd->bodyCount = news->bodyCount;
    news->bodies = NULL;
    news->bodyCount = 0;
    crowd->serial = news->serial;
    for (int i = 0; i < crowd->bodyCount; ++i)
    {
        spFindEvery(crowd->bodies + i);
    }
    memset(crowd->tops, 0, sizeof(crowd->tops));
    spKeepPacket(&crowd->scene, packet);
    for (int i = 0; i < crowd->clientCount; ++i)
    {
        spQueueScene(crowd, crowd->clients[i]);
    }
}

static void spTakeInBody(spCrowd* crowd, spNews* news)
{
    int body = news->body;
    if (news->serial != crowd->serial || body >= crowd->bodyCount)
    {
        return;
    }
    // Displacements are counted from the start of the scene as long as there are the same nodes
    spDrawn* drawn = crowd->bodies + body;
    if (drawn->nodeCount == news->bodies->nodeCount)
    {
        spVec3* start = drawn->start;
        drawn->start = news->bodies->start;
        news->bodies->start = start;
    }
    spDrawn old = *drawn;
    *drawn = *news->bodies;
    *news->bodies = old;
    spFindEvery(drawn);
    for (int i = 0; i < 2; ++i)
    {
        spKeepPacket(&crowd->shapes[2 * body + i], NULL);
    }
    for (int i = 0; i < crowd->clientCount; ++i)
    {
        spQueue(crowd->clients[i], spGetShape(crowd, body, crowd->clients[i]->nodes));
        crowd->clients[i]->fresh = true;
    }
}

static void spTakeInOne(spCrowd* crowd, spNews* news)
{
    spPacket* packet = news->message.size > 0 ? spMakePacket(&news->message) : NULL;
    spClient* client = news->client != 0 ? spFindClient(crowd, news->client) : NULL;
    switch (news->type)
    {
        case sp_newsScene:
            spTakeInScene(crowd, news, packet);
            break;
        case sp_newsBody:
            spTakeInBody(crowd, news);
            break;
        case sp_newsSettings:
        case sp_newsPins:
            if (news->serial == crowd->serial)
            {
                spKeepPacket(news->type == sp_newsPins ? &crowd->pins : &crowd->settings, packet);
                spQueueForAll(crowd, packet, INT32_MAX);
            }
            break;
        case sp_newsStats:
            if (news->serial == crowd->serial && packet != NULL)
            {
                spQueueForAll(crowd, packet, SP_CROWDED_QUEUE);
            }
            break;
        case sp_newsNotice:
            if (news->client == 0 && packet != NULL)
            {
                spQueueForAll(crowd, packet, SP_CROWDED_QUEUE);
            }
            if (client != NULL && packet != NULL && client->queueCount < SP_CROWDED_QUEUE)
            {
                spQueue(client, packet);
            }
            break;
    }
    spDropPacket(packet);
}

void spTakeInNews(spCrowd* crowd)
{
    spGiveDrop(crowd);
    for (spNews* news = spTakeNews(crowd->exchange); news != NULL; news = spTakeNews(crowd->exchange))
    {
        spTakeInOne(crowd, news);
        spDestroyNews(news);
    }
    const spRawFrame* raw = spTakeFrame(crowd->exchange);
    if (raw != NULL)
    {
        spPassOnFrame(crowd, raw);
    }
}

bool spOpenCrowd(spCrowd* crowd, spExchange* exchange, const char* hello)
{
    *crowd = (spCrowd){.exchange = exchange, .topsAt = spGetSeconds()};
    crowd->hello = malloc(strlen(hello) + 1);
    if (crowd->hello != NULL)
    {
        strcpy(crowd->hello, hello);
    }
    return crowd->hello != NULL;
}

void spCloseCrowd(spCrowd* crowd)
{
    spForgetScene(crowd);
    free(crowd->hello);
    free(crowd->scratch);
    free(crowd->points);
    *crowd = (spCrowd){0};
}
