// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Kinds of chunks, checksum and byte block of recording files.

#include "record/chunk.h"

const uint32_t g_nodeValueChunks[sp_nodeValueCount] = {sp_chunkNodeStress,   sp_chunkNodeStrain,
                                                       sp_chunkNodePressure, sp_chunkNodeModulus,
                                                       sp_chunkNodeLevel,    sp_chunkNodeRegion};

spNodeValue spFindNodeValue(uint32_t type)
{
    int value = 0;
    while (value < sp_nodeValueCount && g_nodeValueChunks[value] != type)
    {
        ++value;
    }
    return (spNodeValue)value;
}

// Entry k of table t is the CRC of byte k followed by t zero bytes: with eight tables, eight bytes are taken
// in by eight independent look-ups ("slicing by 8").
void spMakeCrcTable(spCrcTable* table)
{
    for (uint32_t k = 0; k < 256; ++k)
    {
        uint32_t crc = k;
        for (int bit = 0; bit < 8; ++bit)
        {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
        }
        table->entries[0][k] = crc;
    }

    for (int t = 1; t < 8; ++t)
    {
        for (int k = 0; k < 256; ++k)
        {
            uint32_t crc = table->entries[t - 1][k];
            table->entries[t][k] = (crc >> 8) ^ table->entries[0][crc & 0xFF];
        }
    }
}

uint32_t spUpdateCrc(const spCrcTable* table, uint32_t crc, const void* data, size_t size)
{
    const uint32_t(*t)[256] = table->entries;
    const uint8_t* p = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8)
    {
        uint32_t a = spGetU32(p) ^ crc;
        uint32_t b = spGetU32(p + 4);
        crc = t[7][a & 0xFF] ^ t[6][(a >> 8) & 0xFF] ^ t[5][(a >> 16) & 0xFF] ^ t[4][a >> 24] ^
              t[3][b & 0xFF] ^ t[2][(b >> 8) & 0xFF] ^ t[1][(b >> 16) & 0xFF] ^ t[0][b >> 24];
    }
    for (; size > 0; --size, ++p)
    {
        crc = (crc >> 8) ^ t[0][(crc ^ *p) & 0xFF];
    }
    return ~crc;
}

uint32_t spHashChunk(const spCrcTable* table, uint32_t type, uint64_t length, const void* padded)
{
    uint32_t crc = spUpdateCrc(table, 0, &type, sizeof(type));
    crc = spUpdateCrc(table, crc, &length, sizeof(length));
    return spUpdateCrc(table, crc, padded, (size_t)spPadLength(length));
}

void* spAppendBytes(spBytes* bytes, size_t size)
{
    if (bytes->failed || size > SIZE_MAX / 2 - bytes->count)
    {
        bytes->failed = true;
        return NULL;
    }

    size_t needed = bytes->count + size;
    if (needed > bytes->capacity)
    {
        size_t capacity = bytes->capacity < 1024 ? 1024 : 2 * bytes->capacity;
        capacity = capacity < needed ? needed : capacity;
        uint8_t* data = spAlloc(bytes->heap, capacity);
        if (data == NULL)
        {
            bytes->failed = true;
            return NULL;
        }
        if (bytes->count > 0)
        {
            memcpy(data, bytes->data, bytes->count);
        }
        spFree(bytes->heap, bytes->data);
        bytes->data = data;
        bytes->capacity = capacity;
    }

    void* place = bytes->data + bytes->count;
    bytes->count = needed;
    return place;
}

void spPutData(spBytes* bytes, const void* data, size_t size)
{
    if (size > 0)
    {
        void* place = spAppendBytes(bytes, size);
        if (place != NULL)
        {
            memcpy(place, data, size);
        }
    }
}

void spPutU32(spBytes* bytes, uint32_t value)
{
    spPutData(bytes, &value, sizeof(value));
}

void spPutU64(spBytes* bytes, uint64_t value)
{
    spPutData(bytes, &value, sizeof(value));
}

void spPutF32(spBytes* bytes, float value)
{
    spPutData(bytes, &value, sizeof(value));
}

void spPutF64(spBytes* bytes, double value)
{
    spPutData(bytes, &value, sizeof(value));
}

void spPutString(spBytes* bytes, const char* text)
{
    spPutStringBytes(bytes, text, text != NULL ? strlen(text) : 0);
}

void spPutStringBytes(spBytes* bytes, const char* text, size_t length)
{
    spPutU32(bytes, (uint32_t)length);
    spPutData(bytes, text, length);
    uint8_t zeros[4] = {0};
    spPutData(bytes, zeros, 4 - length % 4);
}

void spFreeBytes(spBytes* bytes)
{
    spFree(bytes->heap, bytes->data);
    bytes->data = NULL;
    bytes->count = 0;
    bytes->capacity = 0;
    bytes->failed = false;
}
