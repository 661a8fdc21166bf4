// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Questions to the table of scene files, and defaults.

#include "scene/schema.h"

#include "souple/scene.h"

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
    const spKey* found = NULL;
    for (int i = 0; i < schema->keyCount; ++i)
    {
        const spKey* key = &schema->keys[i];
        bool applies = selector >= 0 && (key->selector == 0 || (key->selector >> selector & 1u) != 0);
        if (strcmp(key->name, name) == 0 && (selector < 0 || applies))
        {
            // Without a selector a row that needs none comes first
            if (selector >= 0 || key->selector == 0)
            {
                return key;
            }
            found = found == NULL ? key : found;
        }
    }
    return found;
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
