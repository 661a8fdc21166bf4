// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The messages that are packed into a report.

#pragma once

#include "base/base64.h"
#include "record/chunk.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct Messages
{
    uint8_t* bytes;
    size_t size;
    const uint8_t* items[4096]; // after their sizes
    uint32_t sizes[4096];
    int count;
} Messages;

// Strict: nothing but letters and at most two '=' at the end
static uint8_t* DecodeBase64(const char* text, size_t length, size_t* size)
{
    assert_int_equal(length % 4, 0);
    uint8_t* bytes = malloc(length / 4 * 3 + 1);
    *size = 0;
    const char* end = text + length;
    for (int group = 3; group > 0; *size += (size_t)group)
    {
        assert_true(group == 3 || text == end);
        group = spDecodeBase64(&text, end, bytes + *size);
    }
    assert_true(text == end);
    return bytes;
}

static Messages* ReadMessages(const char* html)
{
    const char* head = "<script type=\"application/souple\" id=\"pack\">";
    const char* begin = strstr(html, head);
    assert_non_null(begin);
    begin += strlen(head);
    const char* end = strstr(begin, "</script>");
    assert_non_null(end);
    size_t packedSize = 0;
    uint8_t* packed = DecodeBase64(begin, (size_t)(end - begin), &packedSize);

    Messages* messages = calloc(1, sizeof(Messages));
    size_t capacity = (size_t)64 << 20;
    messages->bytes = malloc(capacity);
    uLongf size = (uLongf)capacity;
    assert_int_equal(uncompress(messages->bytes, &size, packed, (uLong)packedSize), Z_OK);
    messages->size = (size_t)size;
    free(packed);
    for (size_t at = 0; at < messages->size;)
    {
        uint32_t length = spGetU32(messages->bytes + at);
        assert_true(at + 4 + length <= messages->size && length >= 4 && messages->count < 4096);
        messages->sizes[messages->count] = length;
        messages->items[messages->count++] = messages->bytes + at + 4;
        at += 4 + length;
    }
    return messages;
}

static void FreeMessages(Messages* messages)
{
    free(messages->bytes);
    free(messages);
}
