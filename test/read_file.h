// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reads whole files.

#pragma once

#include "base/whole_file.h"

#include <stdlib.h>
#include <string.h>

// The whole file with a terminator; NULL when it cannot be read. Free it with free.
static inline char* ReadWholeFile(const char* path, size_t* size)
{
    spHeap heap = spMakeHeap(NULL);
    char* data;
    char* text = NULL;
    size_t count = 0;
    if (spReadWholeFile(&heap, path, (size_t)1 << 32, &data, &count, NULL))
    {
        text = malloc(count + 1);
        memcpy(text, data, count);
        text[count] = 0;
        spFree(&heap, data);
    }
    if (size != NULL)
    {
        *size = count;
    }
    return text;
}
