// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/base64.h"

size_t spEncodeBase64(const void* data, size_t size, char* text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t* bytes = data;
    size_t length = 0;
    for (size_t i = 0; i < size; i += 3)
    {
        size_t count = size - i < 3 ? size - i : 3;
        uint32_t bits = (uint32_t)bytes[i] << 16;
        bits |= count > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= count > 2 ? (uint32_t)bytes[i + 2] : 0;
        for (int k = 0; k < 4; ++k)
        {
            text[length++] = k <= (int)count ? letters[bits >> (18 - 6 * k) & 63] : '=';
        }
    }
    return length;
}

static int spDecodeLetter(char c)
{
    if (c >= 'A' && c <= 'Z')
    {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z')
    {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9')
    {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : (c == '/' ? 63 : -1);
}

int spDecodeBase64(const char** text, const char* end, uint8_t bytes[3])
{
    uint32_t bits = 0;
    int count = 0, padding = 0;
    for (; *text < end && count < 4; *text += 1)
    {
        char c = **text;
        int value = spDecodeLetter(c);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        {
            continue;
        }
        if ((value < 0 && c != '=') || (value >= 0 && padding > 0) || (c == '=' && count < 2))
        {
            return 0;
        }
        bits = bits << 6 | (uint32_t)(value < 0 ? 0 : value);
        padding += value < 0;
        count += 1;
    }
    if (count < 4)
    {
        return 0;
    }
    bytes[0] = (uint8_t)(bits >> 16);
    bytes[1] = (uint8_t)(bits >> 8);
    bytes[2] = (uint8_t)bits;
    return 3 - padding;
}
