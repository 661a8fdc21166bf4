// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Questions to the table of scene files, defaults, and the nearest known word for a misspelt one.

#include "scene/schema.h"

#include "souple/scene.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int spFindRow(const spObjectHead* head, const void* member)
{
    size_t offset = (size_t)((const char*)member - (const char*)head);
    int selector = spGetSelector(head);
    for (int i = 0; i < head->schema->keyCount; ++i)
    {
        const spKey* key = &head->schema->keys[i];
        if (key->offset == offset &&
            (key->selector == 0 || (selector >= 0 && (key->selector >> selector & 1u) != 0)))
        {
            return i;
        }
    }
    return -1;
}

bool spIsGiven(const spObjectHead* head, const void* member)
{
    int row = spFindRow(head, member);
    return row >= 0 && (head->given >> row & 1u) != 0;
}

const spKey* spFindSelectorKey(const spSchema* schema)
{
    for (int i = 0; i < schema->keyCount; ++i)
    {
        if ((schema->keys[i].flags & sp_keySelector) != 0)
        {
            return &schema->keys[i];
        }
    }
    return NULL;
}

int spGetSelector(const void* object)
{
    const spObjectHead* head = object;
    const spKey* key = spFindSelectorKey(head->schema);
    return key != NULL ? *(const int*)((const char*)object + key->offset) : -1;
}

const spKey* spFindKey(const spSchema* schema, const char* name, int selector)
{
    for (int i = 0; i < schema->keyCount; ++i)
    {
        const spKey* key = &schema->keys[i];
        if (strcmp(key->name, name) == 0 &&
            (selector < 0 || key->selector == 0 || (key->selector >> selector & 1u) != 0))
        {
            return key;
        }
    }
    return NULL;
}

static void spInitValue(const spKey* key, char* target)
{
    switch (key->type)
    {
        case sp_keyBool:
            *(bool*)target = key->value[0] != 0.0;
            break;
        case sp_keyInteger:
        case sp_keyChoice:
            *(int*)target = (int)key->value[0];
            break;
        case sp_keyNumber:
            *(double*)target = key->value[0];
            break;
        case sp_keyString:
            *(const char**)target = "";
            break;
        case sp_keyVector:
        case sp_keyScale:
            *(spDVec3*)target = (spDVec3){key->value[0], key->value[1], key->value[2]};
            break;
        case sp_keyRange:
            memcpy(target, key->value, 2 * sizeof(double));
            break;
        case sp_keyCounts:
            for (int i = 0; i < 3; ++i)
            {
                ((int*)target)[i] = (int)key->value[i];
            }
            break;
        case sp_keyIntegers:
        case sp_keyTuples:
        case sp_keyObjects:
            *(spList*)target = (spList){NULL, 0};
            break;
        case sp_keyObject:
            spInitObject(key->object, -1, target);
            break;
    }
}

void spInitObject(const spSchema* schema, int selector, void* object)
{
    memset(object, 0, schema->size);
    spObjectHead* head = object;
    head->schema = schema;
    head->place = -1;

    // Rows that do not apply still get a value, so that nothing is left undefined; the one that applies wins
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int i = 0; i < schema->keyCount; ++i)
        {
            const spKey* key = &schema->keys[i];
            bool applies = key->selector == 0 || (selector >= 0 && (key->selector >> selector & 1u) != 0);
            if (applies == (pass == 1))
            {
                spInitValue(key, (char*)object + key->offset);
            }
        }
    }
    const spKey* selectorKey = spFindSelectorKey(schema);
    if (selectorKey != NULL)
    {
        *(int*)((char*)object + selectorKey->offset) = selector;
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
        if (distance <= limit && (best == NULL || distance < spWordDistance(word, best)))
        {
            best = candidate;
        }
    }
    return best;
}

void spFormatNumber(char* buffer, size_t size, double value)
{
    for (int digits = 6; digits <= 17; ++digits)
    {
        snprintf(buffer, size, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
        {
            break;
        }
    }
    char point = localeconv()->decimal_point[0];
    char* found = point != '.' ? strchr(buffer, point) : NULL;
    if (found != NULL)
    {
        *found = '.';
    }

    // The parser takes -0 for a whole number, which has no sign
    if (strcmp(buffer, "-0") == 0)
    {
        snprintf(buffer, size, "-0.0");
    }

    // 1e+06 and 1e-06 become 1e6 and 1e-6
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

// A word of a choice in the method of a body, or in an object of it
static const char* spGetMethodChoice(const char* object, const char* name, int value)
{
    const spKey* bodies = spFindKey(&g_sceneSchema, "bodies", -1);
    const spSchema* schema = spFindKey(bodies->object, "method", -1)->object;
    schema = object != NULL ? spFindKey(schema, object, -1)->object : schema;
    const spKey* key = spFindKey(schema, name, -1);
    return value >= 0 && value < key->choiceCount ? key->choices[value] : "";
}

const char* spGetMethodWord(spMethodType type)
{
    return spGetMethodChoice(NULL, "type", (int)type);
}

const char* spGetOperatorWord(spOperatorType type)
{
    return spGetMethodChoice("solver", "operator", (int)type);
}

const char* spGetPreconditionerWord(spPreconditionerType type)
{
    return spGetMethodChoice("solver", "preconditioner", (int)type);
}

const char* spGetXpbdSolverWord(spXpbdSolver solver)
{
    return spGetMethodChoice("xpbd", "solver", (int)solver);
}

const char* spGetAcceleratorWord(spAccelerator accelerator)
{
    return spGetMethodChoice("xpbd", "accelerator", (int)accelerator);
}
