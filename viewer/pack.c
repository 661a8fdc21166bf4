// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "pack.h"

#include "base/base64.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#define SP_PACK_PIECE 49152 // bytes of the compressed stream at a time; a multiple of 3

struct spPack
{
    FILE* file;
    z_stream stream;
    uint8_t bytes[SP_PACK_PIECE + 2]; // compressed; up to 2 are left over from the piece before
    size_t left;
    char letters[SP_BASE64_LENGTH(SP_PACK_PIECE + 2)];
    bool failed, outOfMemory;
};

spPack* spOpenPack(FILE* file)
{
    spPack* pack = calloc(1, sizeof(spPack));
    if (pack != NULL && deflateInit(&pack->stream, 6) != Z_OK)
    {
        free(pack);
        pack = NULL;
    }
    if (pack != NULL)
    {
        pack->file = file;
    }
    return pack;
}

// Writes all whole groups of the bytes that are there; at the end the rest too
static void spWriteLetters(spPack* pack, size_t count, bool last)
{
    size_t whole = last ? count : count / 3 * 3;
    size_t letterCount = spEncodeBase64(pack->bytes, whole, pack->letters);
    pack->left = count - whole;
    memmove(pack->bytes, pack->bytes + whole, pack->left);
    pack->failed |= fwrite(pack->letters, 1, letterCount, pack->file) != letterCount;
}

// Compresses what the stream was given, and at the end all that it holds back
static void spCompress(spPack* pack, int flush)
{
    bool full = true;
    while (full && pack->failed == false)
    {
        pack->stream.next_out = pack->bytes + pack->left;
        pack->stream.avail_out = (uInt)(sizeof(pack->bytes) - pack->left);
        int result = deflate(&pack->stream, flush);
        full = pack->stream.avail_out == 0;
        pack->failed |= result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
        spWriteLetters(pack, sizeof(pack->bytes) - pack->stream.avail_out,
                       flush == Z_FINISH && result == Z_STREAM_END);
    }
}

static void spPutBytes(spPack* pack, const uint8_t* data, size_t size)
{
    while (size > 0 && pack->failed == false)
    {
        uInt piece = size < INT_MAX ? (uInt)size : (uInt)INT_MAX;
        pack->stream.next_in = data;
        pack->stream.avail_in = piece;
        spCompress(pack, Z_NO_FLUSH);
        data += piece;
        size -= piece;
    }
}

void spPutMessage(spPack* pack, const spBuffer* message)
{
    pack->outOfMemory |= message->failed;
    pack->failed |= message->failed || message->size > UINT32_MAX;
    if (pack->failed == false)
    {
        uint32_t size = (uint32_t)message->size;
        spPutBytes(pack, (const uint8_t*)&size, sizeof(size));
        spPutBytes(pack, message->data, message->size);
    }
}

bool spClosePack(spPack* pack, bool* outOfMemory)
{
    spCompress(pack, Z_FINISH);
    bool good = pack->failed == false;
    *outOfMemory = pack->outOfMemory;
    deflateEnd(&pack->stream);
    free(pack);
    return good;
}
