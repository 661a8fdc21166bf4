// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Numbers in binary files, in either byte order. Whoever takes one has made sure before that its bytes are
// there.

#pragma once

#include "base/core.h"

#include <string.h>

typedef enum spNumberType
{
    sp_numberInt8 = 0,
    sp_numberUint8,
    sp_numberInt16,
    sp_numberUint16,
    sp_numberInt32,
    sp_numberUint32,
    sp_numberInt64,
    sp_numberUint64,
    sp_numberFloat,
    sp_numberDouble,
    sp_numberTypeCount // unknown
} spNumberType;

static inline size_t spGetNumberSize(spNumberType type)
{
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0};
    return sizes[type];
}

// A place in a binary file
typedef struct spByteCursor
{
    const uint8_t* at;
    const uint8_t* end;
    bool swapped; // numbers are in the other byte order than this machine's
} spByteCursor;

static inline size_t spCountBytes(const spByteCursor* bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

// Whether so many entries of so many bytes are still there
static inline bool spHasBytes(const spByteCursor* bytes, uint64_t count, size_t size)
{
    return count <= spCountBytes(bytes) / size;
}

static inline uint64_t spTakeBits(spByteCursor* bytes, int size)
{
    uint64_t bits = 0;
    for (int i = 0; i < size; ++i)
    {
        int shift = 8 * (bytes->swapped ? size - 1 - i : i);
        bits |= (uint64_t)bytes->at[i] << shift;
    }
    bytes->at += size;
    return bits;
}

static inline uint32_t spTakeU32(spByteCursor* bytes)
{
    return (uint32_t)spTakeBits(bytes, 4);
}

static inline int32_t spTakeI32(spByteCursor* bytes)
{
    return (int32_t)(uint32_t)spTakeBits(bytes, 4);
}

static inline uint64_t spTakeU64(spByteCursor* bytes)
{
    return spTakeBits(bytes, 8);
}

static inline float spTakeF32(spByteCursor* bytes)
{
    uint32_t bits = (uint32_t)spTakeBits(bytes, 4);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline double spTakeF64(spByteCursor* bytes)
{
    uint64_t bits = spTakeBits(bytes, 8);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

// A whole number of any type; real numbers are cut to what an int64_t holds
static inline int64_t spTakeWhole(spByteCursor* bytes, spNumberType type)
{
    switch (type)
    {
        case sp_numberInt8:
            return (int8_t)spTakeBits(bytes, 1);
        case sp_numberUint8:
            return (int64_t)spTakeBits(bytes, 1);
        case sp_numberInt16:
            return (int16_t)spTakeBits(bytes, 2);
        case sp_numberUint16:
            return (int64_t)spTakeBits(bytes, 2);
        case sp_numberInt32:
            return spTakeI32(bytes);
        case sp_numberUint32:
            return spTakeU32(bytes);
        case sp_numberInt64:
            return (int64_t)spTakeBits(bytes, 8);
        case sp_numberUint64:
        {
            uint64_t value = spTakeBits(bytes, 8);
            return value > INT64_MAX ? INT64_MAX : (int64_t)value;
        }
        default:
        {
            double value = type == sp_numberFloat ? (double)spTakeF32(bytes) : spTakeF64(bytes);
            return value >= -9e18 && value <= 9e18 ? (int64_t)value : INT64_MIN;
        }
    }
}

static inline double spTakeReal(spByteCursor* bytes, spNumberType type)
{
    switch (type)
    {
        case sp_numberFloat:
            return (double)spTakeF32(bytes);
        case sp_numberDouble:
            return spTakeF64(bytes);
        case sp_numberUint64:
            return (double)spTakeBits(bytes, 8);
        default:
            return (double)spTakeWhole(bytes, type);
    }
}
