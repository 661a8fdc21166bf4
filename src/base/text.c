// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int spFormatDigits(char* buffer, double value, int digits)
{
    int length = snprintf(buffer, SP_NUMBER_SIZE, "%.*g", digits, value);
    // The locale may have put something else than a point, of one or more bytes
    int out = 0;
    for (int i = 0; i < length; ++i)
    {
        char c = buffer[i];
        bool known = (unsigned char)c < 0x80 && (isalnum((unsigned char)c) || c == '+' || c == '-');
        if (known)
        {
            buffer[out++] = c;
        }
        else if (out > 0 && buffer[out - 1] != '.')
        {
            buffer[out++] = '.';
        }
    }
    buffer[out] = 0;
    return out;
}

int spFormatShortest(char* buffer, double value, int digits)
{
    bool same = false;
    for (; same == false; ++digits)
    {
        snprintf(buffer, SP_NUMBER_SIZE, "%.*g", digits, value);
        same = digits >= 17 || strtod(buffer, NULL) == value;
    }
    return spFormatDigits(buffer, value, digits - 1);
}

void spFormatNumber(char* buffer, double value)
{
    spFormatShortest(buffer, value, 6);

    // The parser takes -0 for a whole number, which has no sign
    if (strcmp(buffer, "-0") == 0)
    {
        snprintf(buffer, SP_NUMBER_SIZE, "-0.0");
    }
    char* exponent = strchr(buffer, 'e');
    if (exponent != NULL)
    {
        char* to = exponent + 1 + (exponent[1] == '-');
        char* from = exponent + 2;
        while (*from == '0' && from[1] != 0)
        {
            from += 1;
        }
        memmove(to, from, strlen(from) + 1);
    }
}

const char* spGetXmlEntity(char c)
{
    switch (c)
    {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return NULL;
    }
}

#define SP_MAX_WORD 40

// Optimal string alignment: insertions, deletions, exchanges and swaps of neighbours, ignoring case
static int spWordDistance(const char* a, const char* b)
{
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > SP_MAX_WORD || m > SP_MAX_WORD)
    {
        return SP_MAX_WORD;
    }
    int d[SP_MAX_WORD + 1][SP_MAX_WORD + 1];
    for (int i = 0; i <= n; ++i)
    {
        for (int j = 0; j <= m; ++j)
        {
            if (i == 0 || j == 0)
            {
                d[i][j] = i + j;
                continue;
            }
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            int best = d[i - 1][j - 1] + (x != y);
            best = spMinInt(best, spMinInt(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
            {
                best = spMinInt(best, d[i - 2][j - 2] + 1);
            }
            d[i][j] = best;
        }
    }
    return d[n][m];
}

const char* spFindNearestWord(const char* word, int wordCount, spWordFcn* getWord, const void* context)
{
    int length = (int)strnlen(word, SP_MAX_WORD + 1);
    int limit = length <= 3 ? 1 : (length <= 5 ? 2 : length / 3 + 1);
    const char* best = NULL;
    int bestRank = INT_MAX;
    for (int i = 0; i < wordCount; ++i)
    {
        const char* candidate = getWord(i, context);
        if (candidate == NULL)
        {
            continue;
        }
        int distance = spWordDistance(word, candidate);

        // "elastic" for "elasticity": one is the beginning of the other
        size_t shorter = strlen(candidate) < strlen(word) ? strlen(candidate) : strlen(word);
        if (distance > limit && shorter >= 4 && strncmp(word, candidate, shorter) == 0)
        {
            distance = limit;
        }
        // Of two that are as near, the one that begins alike: "ot" is "out", not "dt"
        int rank = 2 * distance + (candidate[0] != word[0]);
        if (distance <= limit && rank < bestRank)
        {
            best = candidate;
            bestRank = rank;
        }
    }
    return best;
}

static const char* spGetListed(int i, const void* words)
{
    return ((const char* const*)words)[i];
}

const char* spFindNearestOf(const char* word, const char* const* words, int wordCount)
{
    return spFindNearestWord(word, wordCount, spGetListed, words);
}
