// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "format/packed.h"

#include "base/base64.h"

#include <string.h>

#ifdef SOUPLE_ZLIB
#include <zlib.h>
#endif

// Bytes of a block before it is compressed, as VTK has it
#define SP_BLOCK_SIZE 32768

// ---------------------------------------------------------------------------------------------------------
// Reading. Several texts of base64 may follow each other, each padded to its own end: a header and its data.

typedef struct spSource
{
    const char* at;
    const char* end;
    bool base64;
    uint8_t left[3]; // bytes that were decoded but not asked for yet
    int leftCount;
} spSource;

// Most bytes that can still come
static size_t spCountSource(const spSource* source)
{
    size_t left = (size_t)(source->end - source->at);
    return source->base64 ? left / 4 * 3 + (size_t)source->leftCount : left;
}

static bool spPull(spSource* source, uint8_t* data, size_t size)
{
    if (!source->base64)
    {
        if ((size_t)(source->end - source->at) < size)
        {
            return false;
        }
        memcpy(data, source->at, size);
        source->at += size;
        return true;
    }
    size_t done = 0;
    while (done < size)
    {
        if (source->leftCount == 0)
        {
            source->leftCount = spDecodeBase64(&source->at, source->end, source->left);
            if (source->leftCount == 0)
            {
                return false;
            }
        }
        data[done++] = source->left[0];
        source->left[0] = source->left[1];
        source->left[1] = source->left[2];
        source->leftCount -= 1;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Unpacking

static bool spFailCut(spError* error)
{
    return spFail(error, sp_errorFileFormat, "binary data is cut off or is not base64");
}

static bool spPullCount(spSource* source, const spPacking* packing, uint64_t* count)
{
    uint8_t data[8];
    int size = packing->wideHeader ? 8 : 4;
    if (!spPull(source, data, (size_t)size))
    {
        return false;
    }
    spByteCursor bytes = {data, data + size, packing->swapped};
    *count = spTakeBits(&bytes, size);
    return true;
}

static bool spUnpackPlain(spHeap* heap, spSource* source, const spPacking* packing, uint8_t** data,
                          size_t* size, spError* error)
{
    uint64_t count;
    if (!spPullCount(source, packing, &count) || count > spCountSource(source))
    {
        return spFailCut(error);
    }
    *data = spAlloc(heap, (size_t)count);
    if (*data == NULL && count > 0)
    {
        return spFailMemory(error, "binary data of a file", (size_t)count);
    }
    *size = (size_t)count;
    return spPull(source, *data, *size) || spFailCut(error);
}

#ifdef SOUPLE_ZLIB

bool spHasZlib(void)
{
    return true;
}

// Sizes of the compressed blocks, and one block of each sort
typedef struct spBlocks
{
    uint64_t count, size, lastSize;
    uint64_t* packedSizes;
    uint8_t* packed;
    size_t packedCapacity;
} spBlocks;

static bool spPullBlocks(spSource* source, const spBlocks* blocks, uint8_t* data, spError* error)
{
    for (uint64_t i = 0; i < blocks->count; ++i)
    {
        bool last = i + 1 == blocks->count && blocks->lastSize > 0;
        uLongf expected = (uLongf)(last ? blocks->lastSize : blocks->size), made = expected;
        if (!spPull(source, blocks->packed, (size_t)blocks->packedSizes[i]))
        {
            return spFailCut(error);
        }
        int result = uncompress(data, &made, blocks->packed, (uLong)blocks->packedSizes[i]);
        if (result == Z_MEM_ERROR)
        {
            return spFailMemory(error, "compressed data", (size_t)expected);
        }
        if (result != Z_OK || made != expected)
        {
            return spFail(error, sp_errorFileFormat, "block %llu of compressed data is damaged",
                          (unsigned long long)i);
        }
        data += expected;
    }
    return true;
}

static bool spUnpackBlocks(spHeap* heap, spSource* source, const spPacking* packing, uint8_t** data,
                           size_t* size, spError* error)
{
    spBlocks blocks = {0};
    if (!spPullCount(source, packing, &blocks.count) || !spPullCount(source, packing, &blocks.size) ||
        !spPullCount(source, packing, &blocks.lastSize) || blocks.lastSize > blocks.size ||
        blocks.count > spCountSource(source) / (packing->wideHeader ? 8 : 4))
    {
        return spFailCut(error);
    }
    // What follows decides how much memory may be asked for
    uint64_t most = (uint64_t)spCountSource(source) * SP_MOST_EXPANSION;
    uint64_t whole = blocks.count - (blocks.count > 0 && blocks.lastSize > 0);
    if ((whole > 0 && blocks.size > most / whole) || blocks.lastSize > most)
    {
        return spFail(error, sp_errorFileFormat,
                      "%llu blocks of %llu bytes cannot come out of %zu bytes; the file is damaged",
                      (unsigned long long)blocks.count, (unsigned long long)blocks.size,
                      spCountSource(source));
    }
    uint64_t total = whole * blocks.size + (blocks.count > 0 ? blocks.lastSize : 0);
    size_t sizesSize = (size_t)blocks.count * sizeof(uint64_t);
    blocks.packedSizes = spAlloc(heap, sizesSize);
    *data = spAlloc(heap, (size_t)total);
    *size = (size_t)total;
    bool ok = (blocks.packedSizes != NULL && *data != NULL) || total == 0;
    if (!ok)
    {
        spFailMemory(error, "compressed data of a file", (size_t)total);
    }
    for (uint64_t i = 0; ok && i < blocks.count; ++i)
    {
        ok = spPullCount(source, packing, blocks.packedSizes + i) &&
             blocks.packedSizes[i] <= spCountSource(source);
        size_t packedSize = ok ? (size_t)blocks.packedSizes[i] : 0;
        blocks.packedCapacity = packedSize > blocks.packedCapacity ? packedSize : blocks.packedCapacity;
        ok = ok || spFailCut(error);
    }
    if (ok && total > 0)
    {
        blocks.packed = spAlloc(heap, blocks.packedCapacity + 1);
        ok = blocks.packed != NULL ? spPullBlocks(source, &blocks, *data, error)
                                   : spFailMemory(error, "compressed data of a file", blocks.packedCapacity);
        spFree(heap, blocks.packed);
    }
    spFree(heap, blocks.packedSizes);
    return ok;
}

#else

bool spHasZlib(void)
{
    return false;
}

static bool spUnpackBlocks(spHeap* heap, spSource* source, const spPacking* packing, uint8_t** data,
                           size_t* size, spError* error)
{
    SP_UNUSED(heap);
    SP_UNUSED(source);
    SP_UNUSED(packing);
    SP_UNUSED(data);
    SP_UNUSED(size);
    return spFail(error, sp_errorUnsupported,
                  "this build has no zlib; build it with zlib, or write the file without compression");
}

#endif

bool spUnpack(spHeap* heap, const char* text, const char* end, const spPacking* packing, uint8_t** data,
              size_t* size, spError* error)
{
    *data = NULL;
    *size = 0;
    spSource source = {.at = text, .end = end, .base64 = packing->base64};
    bool ok = packing->compressed ? spUnpackBlocks(heap, &source, packing, data, size, error)
                                  : spUnpackPlain(heap, &source, packing, data, size, error);
    if (!ok)
    {
        spFree(heap, *data);
        *data = NULL;
        *size = 0;
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------------------
// Packing

bool spPackPlain(spHeap* heap, const uint8_t* data, size_t dataSize, char** text, size_t* size,
                 spError* error)
{
    // The header with the first byte of the data is a whole number of groups
    uint8_t head[9];
    uint64_t count = dataSize;
    size_t first = dataSize > 0 ? 1 : 0;
    memcpy(head, &count, sizeof(count));
    *text = spAlloc(heap, SP_BASE64_LENGTH(sizeof(count) + dataSize));
    if (*text == NULL)
    {
        return spFailMemory(error, "data of a file", dataSize);
    }
    head[8] = first > 0 ? data[0] : 0;
    *size = spEncodeBase64(head, sizeof(count) + first, *text);
    if (dataSize > first)
    {
        *size += spEncodeBase64(data + first, dataSize - first, *text + *size);
    }
    return true;
}

#ifdef SOUPLE_ZLIB

bool spPack(spHeap* heap, const uint8_t* data, size_t dataSize, char** text, size_t* size, spError* error)
{
    size_t blockCount = (dataSize + SP_BLOCK_SIZE - 1) / SP_BLOCK_SIZE;
    size_t headSize = (3 + blockCount) * sizeof(uint64_t);
    size_t packedCapacity = blockCount * (size_t)compressBound(SP_BLOCK_SIZE);
    *size = 0;
    size_t capacity = SP_BASE64_LENGTH(headSize) + SP_BASE64_LENGTH(packedCapacity);
    *text = spAlloc(heap, capacity);
    uint64_t* head = spAlloc(heap, headSize);
    uint8_t* packed = spAlloc(heap, packedCapacity);
    bool ok = *text != NULL && head != NULL && (packed != NULL || packedCapacity == 0);
    size_t packedSize = 0;
    if (ok)
    {
        head[0] = blockCount;
        head[1] = SP_BLOCK_SIZE;
        head[2] = dataSize % SP_BLOCK_SIZE;
    }
    for (size_t i = 0; ok && i < blockCount; ++i)
    {
        size_t begin = i * SP_BLOCK_SIZE;
        uLong count = (uLong)(dataSize - begin < SP_BLOCK_SIZE ? dataSize - begin : SP_BLOCK_SIZE);
        uLongf made = (uLongf)(packedCapacity - packedSize);
        ok = compress2(packed + packedSize, &made, data + begin, count, Z_BEST_SPEED) == Z_OK;
        head[3 + i] = made;
        packedSize += made;
    }
    if (ok)
    {
        *size = spEncodeBase64(head, headSize, *text);
        *size += spEncodeBase64(packed, packedSize, *text + *size);
    }
    else
    {
        spFailMemory(error, "compressed data of a file", capacity);
        spFree(heap, *text);
        *text = NULL;
    }
    spFree(heap, head);
    spFree(heap, packed);
    return ok;
}

#else

bool spPack(spHeap* heap, const uint8_t* data, size_t dataSize, char** text, size_t* size, spError* error)
{
    SP_UNUSED(heap);
    SP_UNUSED(data);
    SP_UNUSED(dataSize);
    SP_UNUSED(text);
    SP_UNUSED(size);
    return spFail(error, sp_errorUnsupported, "this build has no zlib, so it writes no compressed files");
}

#endif
