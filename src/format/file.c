// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What writers put into a file.

#include "format/format.h"

#include "base/text.h"

#include <stdarg.h>
#include <string.h>

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

void spPutDigits(spOutput* output, double value, int digits)
{
    char buffer[SP_NUMBER_SIZE];
    spPutBytes(output, buffer, (size_t)spFormatDigits(buffer, value, digits));
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

void spPutIndices(spOutput* output, const int32_t* indices, int count, int64_t first, const char* after)
{
    for (int i = 0; i < count; ++i)
    {
        spPutText(output, i > 0 ? " " : "");
        spPutInteger(output, indices[i] + first);
    }
    spPutText(output, after);
}

void spPutObjCells(spOutput* output, const char* word, const int32_t* indices, int count, int width,
                   int64_t first)
{
    for (int i = 0; i < count; ++i)
    {
        spPutText(output, word);
        spPutIndices(output, indices + (size_t)width * (size_t)i, width, first, "\n");
    }
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
    return spCloseWholeFile(&output->whole, keep, error);
}
