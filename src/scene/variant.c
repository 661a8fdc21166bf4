// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A scene again, with another method for its bodies. The method comes as a short text that can be typed on a
// command line, TYPE:KEY=VALUE:KEY=VALUE; it becomes the JSON object that the scene would have, and the
// reader judges it. So every word and key that scenes know works here, with the same checks.

#include "scene/reader.h"
#include "scene/scene_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

// Most characters of a type, a key or a value
#define SP_VARIANT_WORD 96

static const spSchema* spGetMethodSchema(void)
{
    const spKey* bodies = spFindKey(&g_sceneSchema, "bodies", -1);
    return spFindKey(bodies->object, "method", -1)->object;
}

// Names of the keys of the method, then of the objects in it
static const char* spGetSettingName(int index, const void* context)
{
    const spSchema* schema = context;
    if (index < schema->keyCount)
    {
        return schema->keys[index].name;
    }
    index -= schema->keyCount;
    for (int i = 0; i < schema->keyCount; ++i)
    {
        const spSchema* object = schema->keys[i].type == sp_keyObject ? schema->keys[i].object : NULL;
        if (object != NULL && index < object->keyCount)
        {
            return object->keys[index].name;
        }
        index -= object != NULL ? object->keyCount : 0;
    }
    return NULL;
}

static int spCountSettings(const spSchema* schema)
{
    int count = schema->keyCount;
    for (int i = 0; i < schema->keyCount; ++i)
    {
        count += schema->keys[i].type == sp_keyObject ? schema->keys[i].object->keyCount : 0;
    }
    return count;
}

static bool spFailUnknownSetting(const spSchema* schema, const char* key, spError* error)
{
    const char* nearest = spFindNearestWord(key, spCountSettings(schema), spGetSettingName, schema);
    if (nearest != NULL)
    {
        return spFail(error, sp_errorScene, "unknown key \"%s\"; did you mean \"%s\"?", key, nearest);
    }
    char words[300] = "";
    size_t at = 0;
    for (int i = 0; i < schema->keyCount && at < sizeof(words); ++i)
    {
        at += (size_t)snprintf(words + at, sizeof(words) - at, "%s%s", at > 0 ? ", " : "",
                               schema->keys[i].name);
    }
    return spFail(error, sp_errorScene, "unknown key \"%s\"; a method has: %s", key, words);
}

// The object inside the method that has a key: *owner is NULL for the method itself. A key may name its
// object, as in filter.lambda, and must when several have it; an object that is there for one type alone has
// its name and comes first, so that xpbd:solver= is that of xpbd.
static bool spFindSetting(const spSchema* schema, const char* type, const char* key, const spKey** owner,
                          const char** name, spError* error)
{
    *owner = NULL;
    *name = key;
    const char* dot = strchr(key, '.');
    if (dot != NULL)
    {
        char first[SP_VARIANT_WORD];
        snprintf(first, sizeof(first), "%.*s", (int)(dot - key), key);
        *owner = spFindKey(schema, first, -1);
        *name = dot + 1;
        if (*owner == NULL || (*owner)->type != sp_keyObject)
        {
            return spFailUnknownSetting(schema, first, error);
        }
        return spFindKey((*owner)->object, *name, -1) != NULL ||
               spFailUnknownSetting((*owner)->object, *name, error);
    }
    const spKey* own = spFindKey(schema, type, -1);
    if (own != NULL && spFindKey(own->object, key, -1) != NULL)
    {
        *owner = own;
        return true;
    }
    if (spFindKey(schema, key, -1) != NULL)
    {
        return true;
    }
    for (int i = 0; i < schema->keyCount; ++i)
    {
        const spKey* candidate = &schema->keys[i];
        if (candidate->type != sp_keyObject || spFindKey(candidate->object, key, -1) == NULL)
        {
            continue;
        }
        if (*owner != NULL)
        {
            return spFail(error, sp_errorScene, "both %s and %s have a \"%s\"; say which, as in %s.%s",
                          (*owner)->name, candidate->name, key, candidate->name, key);
        }
        *owner = candidate;
    }
    return *owner != NULL || spFailUnknownSetting(schema, key, error);
}

// KEY=VALUE into the object. Numbers and truth values are what JSON takes for one, all else is a text.
static bool spReadSetting(const spSchema* schema, const char* setting, json_t* method, spError* error)
{
    char key[SP_VARIANT_WORD];
    const char* equals = strchr(setting, '=');
    if (equals == NULL || equals == setting || equals[1] == 0)
    {
        return spFail(error, sp_errorScene, "\"%s\" is no setting; write KEY=VALUE, as in substeps=4",
                      setting);
    }
    snprintf(key, sizeof(key), "%.*s", (int)(equals - setting), setting);
    const spKey* owner;
    const char* name;
    const char* type = json_string_value(json_object_get(method, "type"));
    if (spFindSetting(schema, type, key, &owner, &name, error) == false)
    {
        return false;
    }
    json_t* target = method;
    if (owner != NULL)
    {
        target = json_object_get(method, owner->name);
        if (target == NULL)
        {
            target = json_object();
            json_object_set_new(method, owner->name, target);
        }
        else if (json_is_object(target) == false)
        {
            return spFail(error, sp_errorScene, "%s is given already; write %s.%s instead", owner->name,
                          owner->name, owner->object->shorthand);
        }
    }
    if (json_object_get(target, name) != NULL)
    {
        return spFail(error, sp_errorScene, "\"%s\" is given twice", key);
    }
    bool memory = true;
    json_error_t jsonError;
    json_t* value = spLoadJson(equals + 1, strlen(equals + 1), JSON_DECODE_ANY, &jsonError, &memory);
    value = value != NULL || memory == false ? value : json_string(equals + 1);
    return json_object_set_new(target, name, value) == 0 || spFailMemory(error, "method", 0);
}

// The type must be one that there is: the reader's message has no place for a word that was never in a file
static bool spReadType(const spSchema* schema, const char* word, json_t* method, spError* error)
{
    const spKey* key = spFindKey(schema, "type", -1);
    char words[300] = "";
    size_t at = 0;
    for (int i = 0; i < key->choiceCount; ++i)
    {
        if (strcmp(word, key->choices[i]) == 0)
        {
            return json_object_set_new(method, "type", json_string(word)) == 0 ||
                   spFailMemory(error, "method", 0);
        }
        at += at < sizeof(words) ? (size_t)snprintf(words + at, sizeof(words) - at, "%s%s",
                                                    at > 0 ? ", " : "", key->choices[i])
                                 : 0;
    }
    return spFail(error, sp_errorScene, "unknown method \"%s\"; there are: %s", word, words);
}

// The whole text. Returns NULL with the reason.
static json_t* spReadMethodText(const char* text, spError* error)
{
    const spSchema* schema = spGetMethodSchema();
    json_t* method = json_object();
    bool good = method != NULL || spFailMemory(error, "method", 0);
    for (const char* part = text; good && part != NULL;)
    {
        char word[2 * SP_VARIANT_WORD];
        size_t size = strcspn(part, ":");
        if (size >= SP_VARIANT_WORD)
        {
            good = spFail(error, sp_errorScene, "a setting has %zu characters, more than any has", size);
            break;
        }
        snprintf(word, sizeof(word), "%.*s", (int)size, part);
        good = part == text ? spReadType(schema, word, method, error)
                            : spReadSetting(schema, word, method, error);
        part = part[size] == ':' ? part + size + 1 : NULL;
    }
    if (good == false)
    {
        json_decref(method);
        return NULL;
    }
    return method;
}

// Contact is part of the scene, not of the method: it stays unless the text has it
static void spExchangeMethod(json_t* owner, const json_t* method)
{
    json_t* copy = json_deep_copy(method);
    json_t* contact = json_object_get(json_object_get(owner, "method"), "contact");
    if (contact != NULL && json_object_get(copy, "contact") == NULL)
    {
        json_object_set(copy, "contact", contact);
    }
    json_object_set_new(owner, "method", copy);
}

// One object alone stands for a list of one
static json_t* spGetEntry(json_t* list, size_t index)
{
    return json_is_array(list) ? json_array_get(list, index) : (index == 0 ? list : NULL);
}

static char* spWriteVariant(const spScene* scene, const json_t* method)
{
    json_t* root = json_loadb(scene->text, scene->textSize, 0, NULL);
    if (root == NULL)
    {
        return NULL;
    }
    json_t* entry;
    for (size_t i = 0; (entry = spGetEntry(json_object_get(root, "bodies"), i)) != NULL; ++i)
    {
        spExchangeMethod(entry, method);
    }
    for (size_t i = 0; (entry = spGetEntry(json_object_get(root, "events"), i)) != NULL; ++i)
    {
        if (json_object_get(entry, "method") != NULL)
        {
            spExchangeMethod(entry, method);
        }
    }
    json_object_set_new(root, "name", json_string(scene->data.name));
    char* text = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    return text;
}

spScene* spCopySceneWithMethod(const spScene* scene, const char* method, const spAllocator* allocator,
                               spError* error)
{
    if (scene == NULL || method == NULL)
    {
        spFail(error, sp_errorBadArgument, "spCopySceneWithMethod: scene or method is NULL");
        return NULL;
    }
    spError inner = SP_ZERO_INIT;
    spScene* variant = NULL;
    json_t* object = spReadMethodText(method, &inner);
    if (object != NULL)
    {
        char* text = spWriteVariant(scene, object);
        if (text == NULL)
        {
            spFailMemory(&inner, "scene", scene->textSize);
        }
        else
        {
            variant = spParseScene(text, strlen(text), scene->baseFolder, allocator, &inner);
        }
        free(text);
        json_decref(object);
    }
    if (variant == NULL)
    {
        // A line of the text that was made here would tell nothing
        spFail(error, inner.code, "method \"%.120s\": %s", method, inner.message);
    }
    return variant;
}
