// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Between the structs of scene files and the definitions of the engine, by the rows of the table that are
// bound.

#include "scene/build.h"

#include <stdio.h>
#include <stdlib.h>

double spShorten(spReal value)
{
    char text[SP_NUMBER_SIZE];
    double number = (double)value;
    for (int digits = 1; digits <= 17; ++digits)
    {
        snprintf(text, sizeof(text), "%.*g", digits, (double)value);
        number = strtod(text, NULL);
        if ((spReal)number == value)
        {
            break;
        }
    }
    return number;
}

// Numbers of definitions are spReal, some of them double
static void spStoreReal(char* to, size_t size, double value)
{
    if (size == sizeof(spReal))
    {
        *(spReal*)to = (spReal)value;
    }
    else
    {
        *(double*)to = value;
    }
}

static double spLoadReal(const char* from, size_t size)
{
    return size == sizeof(spReal) ? spShorten(*(const spReal*)from) : *(const double*)from;
}

static void spStoreValue(const spKey* key, const char* value, char* to)
{
    switch (key->type)
    {
        case sp_keyBool:
            *(bool*)to = *(const bool*)value;
            break;
        case sp_keyNumber:
            spStoreReal(to, key->boundSize, *(const double*)value);
            break;
        case sp_keyVector:
            *(spVec3*)to = spToVec3(*(const spDVec3*)value);
            break;
        case sp_keyObject:
            spFillDef(value, to);
            break;
        default: // integers and choices
            *(int*)to = *(const int*)value;
            break;
    }
}

static void spLoadValue(const spKey* key, const char* from, char* value)
{
    switch (key->type)
    {
        case sp_keyBool:
            *(bool*)value = *(const bool*)from;
            break;
        case sp_keyNumber:
            *(double*)value = spLoadReal(from, key->boundSize);
            break;
        case sp_keyVector:
        {
            const spVec3* v = (const spVec3*)from;
            *(spDVec3*)value = (spDVec3){spShorten(v->x), spShorten(v->y), spShorten(v->z)};
            break;
        }
        case sp_keyObject:
            spReadDef(from, value);
            break;
        default:
            *(int*)value = *(const int*)from;
            break;
    }
}

void spFillDef(const void* object, void* def)
{
    const spObjectHead* head = object;
    for (int i = 0; i < head->schema->keyCount; ++i)
    {
        const spKey* key = &head->schema->keys[i];
        bool given = (head->given >> i & 1u) != 0;
        bool optional = key->type == sp_keyObject || (key->flags & sp_keyNoDefault) != 0;
        if (key->bound > 0 && (given || optional == false))
        {
            spStoreValue(key, (const char*)object + key->offset, (char*)def + key->bound - 1);
        }
    }
}

void spReadDef(const void* def, void* object)
{
    const spObjectHead* head = object;
    for (int i = 0; i < head->schema->keyCount; ++i)
    {
        const spKey* key = &head->schema->keys[i];
        bool given = (head->given >> i & 1u) != 0;
        if (key->bound > 0 && (given || key->type != sp_keyObject))
        {
            spLoadValue(key, (const char*)def + key->bound - 1, (char*)object + key->offset);
        }
    }
}
