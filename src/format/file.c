// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whole files in, whole files out.

#include "format/format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Grows a buffer while reading something that has no size, such as a pipe
static bool spGrowBuffer(spHeap* heap, char** data, size_t size, size_t* capacity, const char* path,
                         spError* error)
{
    size_t grown = *capacity == 0 ? 1 << 16 : 2 * *capacity;
    if (grown > SP_FILE_LIMIT)
    {
        return spFail(error, sp_errorLimit, "%s is larger than the limit of %zu bytes", path, SP_FILE_LIMIT);
    }
    char* memory = spAlloc(heap, grown);
    if (memory == NULL)
    {
        return spFailMemory(error, "reading a file", grown);
    }
    if (size > 0)
    {
        memcpy(memory, *data, size);
    }
    spFree(heap, *data);
    *data = memory;
    *capacity = grown;
    return true;
}

static bool spReadDescriptor(spHeap* heap, int descriptor, const char* path, char** data, size_t* size,
                             size_t* capacity, spError* error)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0)
    {
        return spFail(error, sp_errorFileNotFound, "%s cannot be read: %s", path, strerror(errno));
    }
    if (S_ISDIR(info.st_mode))
    {
        return spFail(error, sp_errorFileNotFound, "%s is a folder; give the name of a file in it", path);
    }
    if (S_ISREG(info.st_mode))
    {
        if ((uint64_t)info.st_size >= SP_FILE_LIMIT)
        {
            return spFail(error, sp_errorLimit, "%s has %" PRIu64 " bytes, the limit is %zu", path,
                          (uint64_t)info.st_size, SP_FILE_LIMIT);
        }
        // One byte more shows the end without growing
        *capacity = (size_t)info.st_size + 1;
        *data = spAlloc(heap, *capacity);
        if (*data == NULL)
        {
            size_t needed = *capacity;
            *capacity = 0;
            return spFailMemory(error, "reading a file", needed);
        }
    }
    for (;;)
    {
        if (*size == *capacity && !spGrowBuffer(heap, data, *size, capacity, path, error))
        {
            return false;
        }
        ssize_t got = read(descriptor, *data + *size, *capacity - *size);
        if (got < 0 && errno == EINTR)
        {
            continue;
        }
        if (got < 0)
        {
            return spFail(error, sp_errorFileNotFound, "%s cannot be read: %s", path, strerror(errno));
        }
        if (got == 0)
        {
            return true;
        }
        *size += (size_t)got;
    }
}

bool spReadWholeFile(spHeap* heap, const char* path, char** data, size_t* size, size_t* capacity,
                     spError* error)
{
    *data = NULL;
    *size = 0;
    *capacity = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
    {
        const char* remedy = errno == ENOENT   ? "; check the name and the folder"
                             : errno == EACCES ? "; check its permissions"
                                               : "";
        return spFail(error, sp_errorFileNotFound, "%s cannot be opened: %s%s", path, strerror(errno),
                      remedy);
    }
    bool ok = spReadDescriptor(heap, descriptor, path, data, size, capacity, error);
    close(descriptor);
    if (!ok)
    {
        spFree(heap, *data);
        *data = NULL;
        *size = 0;
        *capacity = 0;
    }
    return ok;
}

bool spOpenOutput(spOutput* output, const char* path, spError* error)
{
    output->failed = false;
    return spOpenWholeFile(&output->whole, path, error);
}

void spPutBytes(spOutput* output, const void* data, size_t size)
{
    output->failed = output->failed || (size > 0 && fwrite(data, 1, size, output->whole.stream) != size);
}

void spPutText(spOutput* output, const char* text)
{
    spPutBytes(output, text, strlen(text));
}

void spPutInteger(spOutput* output, int64_t value)
{
    char buffer[24];
    char* at = buffer + sizeof(buffer);
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do
    {
        *--at = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude != 0);
    if (value < 0)
    {
        *--at = '-';
    }
    spPutBytes(output, at, (size_t)(buffer + sizeof(buffer) - at));
}

void spPutReal(spOutput* output, double value)
{
    char buffer[32];
    int length = spFormatReal(value, buffer);
    spPutBytes(output, buffer, (size_t)length);
}

void spPutPoint(spOutput* output, spDVec3 point)
{
    spPutReal(output, point.x);
    spPutText(output, " ");
    spPutReal(output, point.y);
    spPutText(output, " ");
    spPutReal(output, point.z);
    spPutText(output, "\n");
}

void spPutIndices(spOutput* output, const int32_t* indices, int count, int first, const char* after)
{
    for (int i = 0; i < count; ++i)
    {
        spPutText(output, i > 0 ? " " : "");
        spPutInteger(output, (int64_t)indices[i] + first);
    }
    spPutText(output, after);
}

void spPutName(spOutput* output, const char* name)
{
    spPutText(output, "\"");
    for (; *name != 0; ++name)
    {
        bool plain = (unsigned char)*name >= 32 && strchr("\"<>&", *name) == NULL;
        char text[2] = {plain ? *name : '_', 0};
        spPutText(output, text);
    }
    spPutText(output, "\"");
}

void spPutFormat(spOutput* output, const char* format, ...)
{
    char buffer[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    spPutText(output, buffer);
}

bool spCloseOutput(spOutput* output, bool keep, spError* error)
{
    // Meshes take long to make: they are on the disk before the old one is gone
    if (keep && output->failed == false && fflush(output->whole.stream) == 0)
    {
        fsync(fileno(output->whole.stream));
    }
    return spCloseWholeFile(&output->whole, keep, error);
}
