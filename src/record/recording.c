// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reading side of the recording format: the file, and its chunks one after the other (recording_chunk.c). Reading goes
// through them once and ends at the first one that is cut off, has a wrong checksum or says something impossible; what came
// before that stays.

#include "record/recording.h"

#include "base/error.h"
#include "record/chunk.h"
#include "record/recording_chunk.h"

#include <errno.h>
#include <stdio.h>

static void spSetDamage(spRecording* recording, uint64_t offset, const char* what)
{
    snprintf(recording->damage, sizeof(recording->damage),
             "%s at byte %llu of %llu; %d frames and %d steps could be read", what,
             (unsigned long long)offset, (unsigned long long)recording->dataSize, recording->frameCount,
             recording->rowCount);
}

// Reads all chunks up to the end or the first damage. Returns false only when there is no memory.
static bool spReadChunks(spRecording* recording)
{
    spCrcTable crc;
    spMakeCrcTable(&crc);
    uint64_t offset = SP_RECORD_HEADER_SIZE;
    while (offset < recording->dataSize)
    {
        const uint8_t* head = recording->data + offset;
        uint64_t left = recording->dataSize - offset;
        if (recording->isComplete)
        {
            recording->isComplete = false;
            spSetDamage(recording, offset, "unexpected bytes after the end");
            return true;
        }
        if (left < SP_CHUNK_HEADER_SIZE || spGetU64(head + 8) > left - SP_CHUNK_HEADER_SIZE ||
            spPadLength(spGetU64(head + 8)) > left - SP_CHUNK_HEADER_SIZE)
        {
            spSetDamage(recording, offset, "cut off or damaged");
            return true;
        }

        uint32_t type = spGetU32(head);
        uint64_t length = spGetU64(head + 8);
        spCursor cursor = {head + SP_CHUNK_HEADER_SIZE, (size_t)length};
        if (spHashChunk(&crc, type, length, cursor.data) != spGetU32(head + 4))
        {
            spSetDamage(recording, offset, "wrong checksum");
            return true;
        }
        spChunkResult result = spReadChunk(recording, type, cursor, offset);
        if (result == sp_chunkNoMemory)
        {
            return false;
        }
        if (result == sp_chunkBad)
        {
            spSetDamage(recording, offset, "impossible content");
            return true;
        }
        offset += SP_CHUNK_HEADER_SIZE + spPadLength(length);
    }
    if (!recording->isComplete)
    {
        spSetDamage(recording, offset, "cut off between chunks");
    }
    return true;
}

// Takes the bytes over, whatever happens
static spRecording* spParseRecording(spHeap heap, spBytes bytes, const char* name, spError* error)
{
    spRecording* recording = spAllocZeroed(&heap, sizeof(spRecording));
    if (recording == NULL)
    {
        spFailMemory(error, "recording", sizeof(spRecording));
        spFree(&heap, bytes.data);
        return NULL;
    }
    recording->heap = heap;
    recording->data = bytes.data;
    recording->dataSize = bytes.count;
    recording->dataCapacity = bytes.capacity;

    if (bytes.count < SP_RECORD_HEADER_SIZE || memcmp(bytes.data, SP_RECORD_MAGIC, 8) != 0)
    {
        spFail(error, sp_errorFileFormat, "'%s' is not a Souple recording", name);
    }
    else if (spGetU32(bytes.data + 8) != SP_RECORD_VERSION || spGetU32(bytes.data + 12) != 0)
    {
        spFail(error, sp_errorFileFormat,
               "'%s' is a recording of version %u, this library reads version %u: use the library that wrote "
               "it or a later one",
               name, spGetU32(bytes.data + 8), SP_RECORD_VERSION);
    }
    else if (!spReadChunks(recording))
    {
        spFailMemory(error, "recording", bytes.count);
    }
    else if (!recording->hasHead)
    {
        spFail(error, sp_errorFileFormat, "recording '%s' is damaged: %s", name, recording->damage);
    }
    else
    {
        return recording;
    }
    spDestroyRecording(recording);
    return NULL;
}

spRecording* spReadRecording(const void* data, size_t size, const spAllocator* allocator, spError* error)
{
    if (data == NULL || size == 0)
    {
        spFail(error, sp_errorFileFormat, "an empty block of memory is not a Souple recording");
        return NULL;
    }
    spHeap heap = spMakeHeap(allocator);
    spBytes bytes = {.data = spAlloc(&heap, size), .count = size, .capacity = size};
    if (bytes.data == NULL)
    {
        spFailMemory(error, "recording", size);
        return NULL;
    }
    memcpy(bytes.data, data, size);
    return spParseRecording(heap, bytes, "memory", error);
}

// Reads a whole file without trusting its stated size: what is there is read, in growing pieces
static bool spReadFile(spBytes* bytes, const char* path, spError* error)
{
    errno = 0;
    FILE* file = fopen(path, "rb");
    if (file == NULL)
    {
        return spFail(error, errno == ENOMEM ? sp_errorOutOfMemory : sp_errorFileNotFound,
                      "cannot read '%s': %s", path, strerror(errno));
    }

    // One byte more than the file has, so that the end is seen without growing
    size_t piece = 65536;
    if (fseeko(file, 0, SEEK_END) == 0)
    {
        off_t end = ftello(file);
        piece = end > 0 && (uint64_t)end < SIZE_MAX / 4 ? (size_t)end + 1 : piece;
    }
    rewind(file);
    size_t got = 0;
    do
    {
        uint8_t* place = spAppendBytes(bytes, piece);
        got = place != NULL ? fread(place, 1, piece, file) : 0;
        bytes->count -= place != NULL ? piece - got : 0;
    } while (got == piece);

    bool damaged = ferror(file) != 0;
    int reason = errno;
    fclose(file);
    if (bytes->failed)
    {
        return spFailMemory(error, "recording", bytes->count + piece);
    }
    return !damaged || spFail(error, sp_errorFileNotFound, "cannot read '%s': %s", path, strerror(reason));
}

spRecording* spLoadRecording(const char* path, const spAllocator* allocator, spError* error)
{
    if (path == NULL)
    {
        spFail(error, sp_errorBadArgument, "recording: no path");
        return NULL;
    }
    spHeap heap = spMakeHeap(allocator);
    spBytes bytes = {.heap = &heap};
    if (!spReadFile(&bytes, path, error))
    {
        spFreeBytes(&bytes);
        return NULL;
    }
    return spParseRecording(heap, bytes, path, error);
}

void spDestroyRecording(spRecording* recording)
{
    if (recording == NULL)
    {
        return;
    }
    spHeap heap = recording->heap;
    spRecording* r = recording;
    for (int i = 0; i < r->colliderCount; ++i)
    {
        spDestroyMesh((spMesh*)(uintptr_t)r->colliders[i].def.mesh);
    }
    spFree(&heap, r->measurements);
    spFree(&heap, r->bodies);
    spFree(&heap, r->topologies);
    spFree(&heap, r->colliders);
    spFree(&heap, r->rowBlocks);
    spFree(&heap, r->decisions);
    spFree(&heap, r->acts);
    spFree(&heap, r->frames);
    spFree(&heap, r->bodyEntries);
    spFree(&heap, r->data);
    spFree(&heap, r);
}
