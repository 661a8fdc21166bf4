// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Multiply and rotate over 8-byte words, with a final mix per call: fast enough to hash the state of every
// step.

#include "base/hash.h"

#include <string.h>

static uint64_t spMixHash(uint64_t hash, uint64_t word)
{
    hash ^= word * 0x9E3779B97F4A7C15ull;
    hash = (hash << 27) | (hash >> 37);
    return hash * 0xD6E8FEB86659FD93ull + 0x52DCE729DA3ED6F5ull;
}

uint64_t spHashBytes(uint64_t hash, const void* data, size_t size)
{
    const unsigned char* bytes = data;
    size_t wordCount = size / 8;
    for (size_t i = 0; i < wordCount; ++i)
    {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, 8);
        hash = spMixHash(hash, word);
    }
    size_t rest = size - 8 * wordCount;
    if (rest > 0)
    {
        uint64_t word = 0;
        memcpy(&word, bytes + 8 * wordCount, rest);
        hash = spMixHash(hash, word ^ ((uint64_t)rest << 56));
    }
    return hash;
}
