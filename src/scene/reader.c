// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The generic reader: one function per type of value, all of them driven by the rows of the table. Recursion
// follows the table, whose depth is fixed, never the file.

#include "scene/reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* spDescribe(const json_t* json)
{
    switch (json_typeof(json))
    {
        case JSON_OBJECT:
            return "an object";
        case JSON_ARRAY:
            return "a list";
        case JSON_STRING:
            return "a text";
        case JSON_INTEGER:
        case JSON_REAL:
            return "a number";
        case JSON_TRUE:
            return "true";
        case JSON_FALSE:
            return "false";
        default:
            return "null";
    }
}

static void spWrongType(spReader* reader, int place, const char* wanted, const json_t* json)
{
    spReportAt(reader->problems, place, "must be %s, but is %s", wanted, spDescribe(json));
}

// The place of the first member; -1 stays -1
static int spFirstChild(const spReader* reader, int place)
{
    return place >= 0 ? reader->places->data[place].firstChild : -1;
}

static int spNextPlace(const spReader* reader, int place)
{
    return place >= 0 ? reader->places->data[place].next : -1;
}

// Checks range and reports; unit is added to the limit
static bool spCheckRange(spReader* reader, const spKey* key, double value, int place)
{
    char limit[40], is[40];
    const char* unit = key->unit != NULL ? key->unit : "";
    const char* space = key->unit != NULL ? " " : "";
    spFormatNumber(is, value);
    bool exclusive = (key->flags & sp_keyAboveLower) != 0;
    if (!(exclusive ? value > key->lower : value >= key->lower))
    {
        spFormatNumber(limit, key->lower);
        spReportAt(reader->problems, place, "must be %s %s%s%s, but is %s",
                   exclusive ? "greater than" : "at least", limit, space, unit, is);
        return false;
    }
    if (!(value <= key->upper))
    {
        spFormatNumber(limit, key->upper);
        spReportAt(reader->problems, place, "must be at most %s%s%s, but is %s", limit, space, unit, is);
        return false;
    }
    return true;
}

static bool spReadNumber(spReader* reader, const spKey* key, const json_t* json, int place, double* target)
{
    if (!json_is_number(json))
    {
        const char* wanted = (key->flags & sp_keyAuto) != 0 ? "a number or \"auto\"" : "a number";
        spWrongType(reader, place, wanted, json);
        return false;
    }
    double value = json_number_value(json);
    if (!spCheckRange(reader, key, value, place))
    {
        return false;
    }
    *target = value;
    return true;
}

static bool spReadInteger(spReader* reader, const spKey* key, const json_t* json, int place, int* target)
{
    double value = json_number_value(json);
    if (!json_is_number(json) || value != floor(value))
    {
        if (json_is_real(json))
        {
            char is[40];
            spFormatNumber(is, value);
            spReportAt(reader->problems, place, "must be a whole number, but is %s", is);
        }
        else
        {
            const char* wanted =
                (key->flags & sp_keyAuto) != 0 ? "a whole number or \"auto\"" : "a whole number";
            spWrongType(reader, place, wanted, json);
        }
        return false;
    }
    if (!spCheckRange(reader, key, value, place))
    {
        return false;
    }
    *target = (int)value;
    return true;
}

static bool spReadString(spReader* reader, const json_t* json, int place, const char** target)
{
    if (!json_is_string(json))
    {
        spWrongType(reader, place, "a text", json);
        return false;
    }
    const char* copy = spPoolCopy(reader->pool, json_string_value(json), json_string_length(json));
    if (copy == NULL)
    {
        reader->outOfMemory = true;
        return false;
    }
    *target = copy;
    return true;
}

static const char* spGetChoice(int index, const void* context)
{
    return ((const spKey*)context)->choices[index];
}

// "a, b or c", for messages
static void spListChoices(const spKey* key, char* buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = 0;
    for (int i = 0; i < key->choiceCount && at < size; ++i)
    {
        const char* between = i == 0 ? "" : (i == key->choiceCount - 1 ? " or " : ", ");
        at += (size_t)snprintf(buffer + at, size - at, "%s\"%s\"", between, key->choices[i]);
    }
}

static bool spReadChoice(spReader* reader, const spKey* key, const json_t* json, int place, int* target)
{
    char words[240];
    spListChoices(key, words, sizeof(words));
    if (!json_is_string(json))
    {
        spWrongType(reader, place, words, json);
        return false;
    }
    const char* word = json_string_value(json);
    for (int i = 0; i < key->choiceCount; ++i)
    {
        if (strcmp(word, key->choices[i]) == 0)
        {
            *target = i;
            return true;
        }
    }
    const char* nearest = spFindNearestWord(word, key->choiceCount, spGetChoice, key);
    if (nearest != NULL)
    {
        spReportAt(reader->problems, place, "unknown word \"%.40s\"; did you mean \"%s\"?", word, nearest);
    }
    else
    {
        spReportAt(reader->problems, place, "unknown word \"%.40s\"; must be %s", word, words);
    }
    return false;
}

// Three numbers, each checked on its own
static bool spReadTriple(spReader* reader, const spKey* key, const json_t* json, int place, double* target)
{
    bool integers = key->type == sp_keyCounts;
    const char* wanted = integers                   ? "a list of 3 whole numbers"
                         : key->type == sp_keyScale ? "a number or a list of 3 numbers"
                                                    : "a list of 3 numbers";
    if (!json_is_array(json))
    {
        spWrongType(reader, place, wanted, json);
        return false;
    }
    if (json_array_size(json) != 3)
    {
        spReportAt(reader->problems, place, "must be %s, but has %zu", wanted, json_array_size(json));
        return false;
    }
    bool good = true;
    double values[3] = {0};
    int child = spFirstChild(reader, place);
    for (size_t i = 0; i < 3; ++i, child = spNextPlace(reader, child))
    {
        int integer = 0;
        const json_t* entry = json_array_get(json, i);
        if (integers)
        {
            good &= spReadInteger(reader, key, entry, child, &integer);
            values[i] = integer;
        }
        else
        {
            good &= spReadNumber(reader, key, entry, child, &values[i]);
        }
    }
    if (good && (key->flags & sp_keyNonZero) != 0 && values[0] == 0.0 && values[1] == 0.0 && values[2] == 0.0)
    {
        spReportAt(reader->problems, place, "must not be zero: it is a direction");
        good = false;
    }
    if (good)
    {
        memcpy(target, values, sizeof(values));
    }
    return good;
}

static bool spReadRange(spReader* reader, const spKey* key, const json_t* json, int place, double* target)
{
    if (!json_is_array(json) || json_array_size(json) != 2)
    {
        spWrongType(reader, place, "a list of 2 numbers", json);
        return false;
    }
    double values[2] = {0};
    int first = spFirstChild(reader, place);
    bool good = spReadNumber(reader, key, json_array_get(json, 0), first, &values[0]);
    good &= spReadNumber(reader, key, json_array_get(json, 1), spNextPlace(reader, first), &values[1]);
    if (good && !(values[0] < values[1]))
    {
        spReportAt(reader->problems, place, "the first number must be below the second");
        good = false;
    }
    if (good)
    {
        memcpy(target, values, sizeof(values));
    }
    return good;
}

static bool spReadIntegers(spReader* reader, const spKey* key, const json_t* json, int place, spList* target)
{
    bool tuples = key->type == sp_keyTuples;
    bool alone = !tuples && json_is_integer(json);
    if (!json_is_array(json) && !alone)
    {
        char tupled[60];
        snprintf(tupled, sizeof(tupled), "a list of lists of %d node numbers", key->width);
        const char* wanted = tuples                          ? tupled
                             : (key->flags & sp_keyAll) != 0 ? "a list of node numbers or \"all\""
                                                             : "a list of node numbers";
        spWrongType(reader, place, wanted, json);
        return false;
    }
    size_t size = alone ? 1 : json_array_size(json);
    if (size > (size_t)key->limit)
    {
        spReportAt(reader->problems, place, "has %zu entries; the limit is %d", size, key->limit);
        return false;
    }
    size_t width = tuples ? (size_t)key->width : 1;
    if (size == 0)
    {
        *target = (spList){NULL, 0};
        return true;
    }
    int32_t* data = spPoolAlloc(reader->pool, size * width * sizeof(int32_t));
    if (data == NULL)
    {
        reader->outOfMemory = true;
        return false;
    }
    bool good = true;
    int child = alone ? place : spFirstChild(reader, place);
    for (size_t i = 0; i < size; ++i, child = alone ? place : spNextPlace(reader, child))
    {
        const json_t* entry = alone ? json : json_array_get(json, i);
        if (tuples && (!json_is_array(entry) || json_array_size(entry) != width))
        {
            static const char* const s_examples[] = {"[0, 1]", "[0, 1, 2]", "[0, 1, 2, 3]"};
            spReportAt(reader->problems, child, "must be a list of %d node numbers, as in %s", key->width,
                       s_examples[spClampInt(key->width - 2, 0, 2)]);
            good = false;
            continue;
        }
        int grandChild = tuples ? spFirstChild(reader, child) : child;
        for (size_t j = 0; j < width; ++j, grandChild = spNextPlace(reader, grandChild))
        {
            int value = 0;
            good &= spReadInteger(reader, key, tuples ? json_array_get(entry, j) : entry, grandChild, &value);
            data[i * width + j] = value;
        }
    }
    *target = (spList){data, (int)(size * width)};
    return good;
}

static bool spReadObjects(spReader* reader, const spKey* key, const json_t* json, int place, spList* target)
{
    bool list = json_is_array(json);
    size_t size = list ? json_array_size(json) : 1;
    if (size > (size_t)key->limit)
    {
        spReportAt(reader->problems, place, "has %zu entries; the limit is %d", size, key->limit);
        return false;
    }
    if (size == 0)
    {
        return true;
    }
    char* data = spPoolAlloc(reader->pool, size * key->object->size);
    if (data == NULL)
    {
        reader->outOfMemory = true;
        return false;
    }
    int child = list ? spFirstChild(reader, place) : place;
    for (size_t i = 0; i < size; ++i)
    {
        const json_t* entry = list ? json_array_get(json, i) : json;
        spReadObject(reader, key->object, entry, child, data + i * key->object->size);
        child = list ? spNextPlace(reader, child) : child;
    }
    *target = (spList){data, (int)size};
    return true;
}

static bool spReadValue(spReader* reader, const spKey* key, const json_t* json, int place, char* target)
{
    if (json_is_string(json))
    {
        const char* word = json_string_value(json);
        if ((key->flags & sp_keyAuto) != 0 && strcmp(word, "auto") == 0)
        {
            key->type == sp_keyInteger ? (void)(*(int*)target = 0) : (void)(*(double*)target = 0.0);
            return true;
        }
        if ((key->flags & sp_keyAll) != 0 && strcmp(word, "all") == 0)
        {
            *(spList*)target = (spList){NULL, -1};
            return true;
        }
    }
    switch (key->type)
    {
        case sp_keyBool:
            if (!json_is_boolean(json))
            {
                spWrongType(reader, place, "true or false", json);
                return false;
            }
            *(bool*)target = json_is_true(json);
            return true;
        case sp_keyInteger:
            return spReadInteger(reader, key, json, place, (int*)target);
        case sp_keyNumber:
            return spReadNumber(reader, key, json, place, (double*)target);
        case sp_keyString:
            return spReadString(reader, json, place, (const char**)target);
        case sp_keyChoice:
            return spReadChoice(reader, key, json, place, (int*)target);
        case sp_keyScale:
            if (json_is_number(json))
            {
                double value = 0.0;
                bool good = spReadNumber(reader, key, json, place, &value);
                *(spDVec3*)target = good ? (spDVec3){value, value, value} : *(spDVec3*)target;
                return good;
            }
            return spReadTriple(reader, key, json, place, (double*)target);
        case sp_keyVector:
            return spReadTriple(reader, key, json, place, (double*)target);
        case sp_keyRange:
            return spReadRange(reader, key, json, place, (double*)target);
        case sp_keyCounts:
        {
            double values[3];
            bool good = spReadTriple(reader, key, json, place, values);
            for (int i = 0; good && i < 3; ++i)
            {
                ((int*)target)[i] = (int)values[i];
            }
            return good;
        }
        case sp_keyIntegers:
        case sp_keyTuples:
            return spReadIntegers(reader, key, json, place, (spList*)target);
        case sp_keyObject:
            spReadObject(reader, key->object, json, place, target);
            return true;
        case sp_keyObjects:
            return spReadObjects(reader, key, json, place, (spList*)target);
    }
    return false;
}

static const char* spGetKeyName(int index, const void* context)
{
    return ((const spSchema*)context)->keys[index].name;
}

// Words of the selector for which some row with this name applies: "ball, torus"
static void spListSelectors(const spSchema* schema, const char* name, char* buffer, size_t size)
{
    const spKey* selectorKey = spFindSelectorKey(schema);
    size_t at = 0;
    buffer[0] = 0;
    for (int i = 0; i < selectorKey->choiceCount && at < size; ++i)
    {
        if (spFindKey(schema, name, i) != NULL)
        {
            at +=
                (size_t)snprintf(buffer + at, size - at, "%s%s", at > 0 ? ", " : "", selectorKey->choices[i]);
        }
    }
}

// The object in this one that has a key of that name; NULL when none has
static const char* spFindHome(const spSchema* schema, const char* name)
{
    for (int i = 0; schema != NULL && i < schema->keyCount; ++i)
    {
        const spKey* key = &schema->keys[i];
        if (key->type == sp_keyObject && spFindKey(key->object, name, -1) != NULL)
        {
            return key->name;
        }
    }
    return NULL;
}

static void spReportUnknownKey(spReader* reader, const spSchema* schema, const char* name, int selector,
                               int place)
{
    if (spFindKey(schema, name, -1) != NULL)
    {
        char words[160];
        const spKey* selectorKey = spFindSelectorKey(schema);
        spListSelectors(schema, name, words, sizeof(words));
        spReportAtKey(reader->problems, place, "\"%s\" has no meaning for %s \"%s\", only for: %s", name,
                      selectorKey->name, selectorKey->choices[selector], words);
        return;
    }
    const char* nearest = spFindNearestWord(name, schema->keyCount, spGetKeyName, schema);
    const char* inside = spFindHome(schema, name);
    const char* beside = spFindHome(reader->outer, name);
    if (inside != NULL)
    {
        spReportAtKey(reader->problems, place, "unknown key \"%.40s\"; it belongs into \"%s\" here", name,
                      inside);
    }
    else if (reader->outer != NULL && spFindKey(reader->outer, name, -1) != NULL)
    {
        spReportAtKey(reader->problems, place,
                      "unknown key \"%.40s\" of %s; it belongs into the %s around it", name, schema->name,
                      reader->outer->name);
    }
    else if (beside != NULL)
    {
        spReportAtKey(reader->problems, place,
                      "unknown key \"%.40s\" of %s; it belongs into \"%s\" beside it", name, schema->name,
                      beside);
    }
    else if (nearest != NULL)
    {
        spReportAtKey(reader->problems, place, "unknown key \"%.40s\"; did you mean \"%s\"?", name, nearest);
    }
    else
    {
        spReportAtKey(reader->problems, place, "unknown key \"%.40s\"; see 'souple help scene-format', %s",
                      name, schema->name);
    }
}

// The selector must be known before the other keys can be looked up. -1: absent or not readable
static int spReadSelector(const spSchema* schema, const json_t* json)
{
    const spKey* key = spFindSelectorKey(schema);
    const json_t* value = key != NULL ? json_object_get(json, key->name) : NULL;
    const char* word = value != NULL ? json_string_value(value) : NULL;
    for (int i = 0; word != NULL && i < key->choiceCount; ++i)
    {
        if (strcmp(word, key->choices[i]) == 0)
        {
            return i;
        }
    }
    return -1;
}

static void spReportMissingKeys(spReader* reader, const spSchema* schema, const spObjectHead* head,
                                int selector, bool selectorBad)
{
    for (int i = 0; i < schema->keyCount; ++i)
    {
        const spKey* key = &schema->keys[i];
        bool applies = key->selector == 0 || (selector >= 0 && (key->selector >> selector & 1u) != 0);
        bool given = head->keyPlaces != NULL && head->keyPlaces[i] >= 0;
        if ((key->flags & sp_keyRequired) == 0 || !applies || given ||
            (selectorBad && (key->flags & sp_keySelector) != 0))
        {
            continue;
        }
        if (key->type == sp_keyChoice)
        {
            char words[240];
            spListChoices(key, words, sizeof(words));
            spReportAt(reader->problems, head->place, "\"%s\" is missing: must be %s", key->name, words);
        }
        else
        {
            spReportAt(reader->problems, head->place, "\"%s\" is missing: %s", key->name, key->doc);
        }
    }
}

static int32_t* spMakeKeyPlaces(spReader* reader, const spSchema* schema)
{
    int32_t* places = spPoolAlloc(reader->pool, (size_t)schema->keyCount * sizeof(int32_t));
    for (int i = 0; places != NULL && i < schema->keyCount; ++i)
    {
        places[i] = -1;
    }
    return places;
}

json_t* spLoadJson(const char* text, size_t size, size_t flags, json_error_t* error, bool* memory)
{
    // Jansson calls no memory an error of syntax at most places, but malloc leaves a word
    errno = 0;
    json_t* json = json_loadb(text, size, flags, error);
    *memory = json != NULL || errno != ENOMEM;
    return json;
}

void spReadObject(spReader* reader, const spSchema* schema, const json_t* json, int place, void* object)
{
    int selector = json_is_object(json) ? spReadSelector(schema, json) : -1;
    spInitObject(schema, selector, object);
    spObjectHead* head = object;
    head->place = place;
    head->keyPlaces = spMakeKeyPlaces(reader, schema);
    if (head->keyPlaces == NULL)
    {
        reader->outOfMemory = true;
        return;
    }

    // A bare value stands for one key
    if (!json_is_object(json))
    {
        const spKey* key = schema->shorthand != NULL ? spFindKey(schema, schema->shorthand, -1) : NULL;
        if (key == NULL || json_is_null(json) || (json_is_array(json) && key->type != sp_keyIntegers))
        {
            spWrongType(reader, place, "an object", json);
            return;
        }
        head->keyPlaces[key - schema->keys] = place;
        if (spReadValue(reader, key, json, place, (char*)object + key->offset))
        {
            head->given |= (uint64_t)1 << (key - schema->keys);
        }
        return;
    }

    bool selectorBad = false;
    int child = spFirstChild(reader, place);
    const spSchema* outer = reader->outer;
    const char* name;
    json_t* value;
    json_object_foreach((json_t*)(uintptr_t)json, name, value)
    {
        if (reader->outOfMemory)
        {
            return;
        }
        const spKey* key = spFindKey(schema, name, selector);
        if (key == NULL)
        {
            spReportUnknownKey(reader, schema, name, selector, child);
        }
        else if (selector < 0 && key->selector != 0)
        {
            // The selector is missing or wrong, which is reported on its own unless it may be missing
            const spKey* selectorKey = spFindSelectorKey(schema);
            if ((selectorKey->flags & sp_keyRequired) == 0 &&
                json_object_get(json, selectorKey->name) == NULL)
            {
                spReportAtKey(reader->problems, child, "\"%s\" only has a meaning with \"%s\"", name,
                              selectorKey->name);
            }
        }
        else
        {
            head->keyPlaces[key - schema->keys] = child;
            reader->outer = schema;
            bool good = spReadValue(reader, key, value, child, (char*)object + key->offset);
            reader->outer = outer;
            if (good)
            {
                head->given |= (uint64_t)1 << (key - schema->keys);
            }
            else if ((key->flags & sp_keySelector) != 0)
            {
                selectorBad = true;
            }
        }
        child = spNextPlace(reader, child);
    }
    spReportMissingKeys(reader, schema, head, selector, selectorBad);
}
