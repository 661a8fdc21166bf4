// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char* const g_viewColourWords[sp_viewColourCount] = {
    "none", "displacement", "strain", "stress", "velocity", "pressure", "modulus", "level", "region"};

spValueKind spGetValueKind(spViewColour colour)
{
    static const spValueKind kinds[] = {
        [sp_viewNone] = sp_valueDisplacement, [sp_viewDisplacement] = sp_valueDisplacement,
        [sp_viewStrain] = sp_valueStrain,     [sp_viewStress] = sp_valueStress,
        [sp_viewVelocity] = sp_valueSpeed,    [sp_viewPressure] = sp_valueStress,
        [sp_viewModulus] = sp_valueStress,    [sp_viewLevel] = sp_valueLevel,
        [sp_viewRegion] = sp_valueLevel,
    };
    _Static_assert(sizeof(kinds) / sizeof(kinds[0]) == sp_viewColourCount, "a kind for each colour");
    return kinds[colour];
}

void spFreeBuffer(spBuffer* buffer)
{
    free(buffer->data);
    *buffer = (spBuffer){0};
}

void spClearBuffer(spBuffer* buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

void* spExtend(spBuffer* buffer, size_t size)
{
    if (buffer->failed || size > SIZE_MAX / 4 - buffer->size)
    {
        buffer->failed = true;
        return NULL;
    }
    size_t needed = buffer->size + size;
    if (needed > buffer->capacity)
    {
        size_t capacity = needed + needed / 2 + 256;
        uint8_t* data = realloc(buffer->data, capacity);
        if (data == NULL)
        {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    void* place = buffer->data + buffer->size;
    buffer->size = needed;
    return place;
}

void spAppend(spBuffer* buffer, const void* data, size_t size)
{
    void* place = size > 0 ? spExtend(buffer, size) : NULL;
    if (place != NULL)
    {
        memcpy(place, data, size);
    }
}

void spAppendU32(spBuffer* buffer, uint32_t value)
{
    spAppend(buffer, &value, sizeof(value));
}

static void spAppendIndices(spBuffer* buffer, const int32_t* indices, int count)
{
    spAppend(buffer, indices, (size_t)count * sizeof(int32_t));
}

void spPadBuffer(spBuffer* buffer)
{
    static const uint8_t zeros[4] = {0};
    spAppend(buffer, zeros, (4 - buffer->size % 4) % 4);
}

void spAppendText(spBuffer* buffer, const char* json, size_t size)
{
    spAppendU32(buffer, sp_messageText);
    spAppend(buffer, json, size);
}

void spAppendTopology(spBuffer* buffer, const spViewShape* shape)
{
    const uint32_t head[] = {
        sp_messageTopology,
        shape->serial,
        shape->body,
        shape->version,
        (uint32_t)shape->vertexCount,
        (uint32_t)shape->triangleCount,
        (uint32_t)shape->edgeCount,
        (uint32_t)shape->nodeCount,
        (uint32_t)shape->tetCount,
    };
    spAppend(buffer, head, sizeof(head));
    int32_t* nodes = spExtend(buffer, (size_t)shape->vertexCount * sizeof(int32_t));
    for (int i = 0; nodes != NULL && i < shape->vertexCount; ++i)
    {
        nodes[i] = shape->vertexNodes != NULL ? shape->vertexNodes[i] : i;
    }
    spAppendIndices(buffer, shape->triangles, 3 * shape->triangleCount);
    spAppendIndices(buffer, shape->edges, 2 * shape->edgeCount);
    spAppendIndices(buffer, shape->tets, 4 * shape->tetCount);
    if (shape->bare != NULL)
    {
        spAppend(buffer, shape->bare, (size_t)shape->triangleCount);
        spPadBuffer(buffer);
    }
}

// A box around all points that are finite
static void spFindBox(const spViewPoints* points, float* corner, float* size)
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < points->count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            float x = points->points[3 * i + k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        bool empty = !isfinite(low[k]) || !isfinite(high[k]);
        corner[k] = empty ? 0.0f : low[k];
        size[k] = empty ? 0.0f : high[k] - low[k];
    }
}

static float spClampUnit(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; // not a number counts as 0
}

static void spAppendValues(spBuffer* buffer, const float* values, int count, float top)
{
    uint8_t* bytes = values != NULL ? spExtend(buffer, (size_t)count) : NULL;
    for (int i = 0; bytes != NULL && i < count; ++i)
    {
        bytes[i] = (uint8_t)(255.0f * spClampUnit(values[i] / top) + 0.5f);
    }
}

static uint32_t spGetPointFlags(const spViewPoints* points)
{
    uint32_t flags = points->nodes ? 1u : 0u;
    if (points->colours == NULL)
    {
        return flags | (points->values == NULL ? 2u : 0u);
    }
    for (int i = 0; i < sp_viewColourCount; ++i)
    {
        flags |= points->colours[i] != NULL ? 1u << (8 + i) : 0u;
    }
    return flags | 4u;
}

static void spAppendPoints(spBuffer* buffer, const spViewPoints* points, const spViewFrame* frame)
{
    float box[6];
    spFindBox(points, box, box + 3);
    const uint32_t head[] = {points->body, points->version, spGetPointFlags(points), (uint32_t)points->count};
    spAppend(buffer, head, sizeof(head));
    spAppend(buffer, box, sizeof(box));
    float scale[3];
    for (int k = 0; k < 3; ++k)
    {
        scale[k] = box[3 + k] > 0.0f ? 1.0f / box[3 + k] : 0.0f;
    }
    uint16_t* places = spExtend(buffer, 3 * (size_t)points->count * sizeof(uint16_t));
    for (int i = 0; places != NULL && i < points->count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            float share = spClampUnit((points->points[3 * i + k] - box[k]) * scale[k]);
            places[3 * i + k] = (uint16_t)(65535.0f * share + 0.5f);
        }
    }
    if (points->colours == NULL)
    {
        spAppendValues(buffer, points->values, points->count, frame->top);
    }
    for (int i = 0; points->colours != NULL && i < sp_viewColourCount; ++i)
    {
        spAppendValues(buffer, points->colours[i], points->count, frame->tops[i]);
    }
    spPadBuffer(buffer);
}

void spAppendFrame(spBuffer* buffer, const spViewFrame* frame)
{
    const uint32_t head[] = {sp_messageFrame, frame->serial, frame->number, frame->flags};
    spAppend(buffer, head, sizeof(head));
    spAppend(buffer, &frame->time, sizeof(frame->time));
    spAppend(buffer, &frame->step, sizeof(frame->step));
    spAppendU32(buffer, (uint32_t)frame->colour);
    spAppend(buffer, &frame->top, sizeof(frame->top));
    spAppendU32(buffer, (uint32_t)frame->bodyCount);
    spAppendU32(buffer, (uint32_t)frame->poseCount);
    spAppendU32(buffer, (uint32_t)frame->handCount);
    spAppend(buffer, frame->poses, (size_t)frame->poseCount * sizeof(spViewPose));
    spAppend(buffer, frame->hands, (size_t)frame->handCount * sizeof(spViewHand));
    for (int i = 0; i < frame->bodyCount; ++i)
    {
        spAppendPoints(buffer, frame->bodies + i, frame);
    }
    spAppendU32(buffer, (uint32_t)frame->contactCount);
    spAppend(buffer, frame->contacts, (size_t)frame->contactCount * sizeof(spViewContact));
}
