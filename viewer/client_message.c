// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "client_message.h"

#include "base/base64.h"
#include "base/error.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const s_doWords[sp_doCount] = {"act",  "pause", "run",  "step", "speed", "scene",
                                                  "take", "leave", "show", "seen", "probe", "file"};

static bool spRefuse(spRefusal* refusal, int code, const char* format, ...) SP_PRINTF_FORMAT(3, 4);

static bool spRefuse(spRefusal* refusal, int code, const char* format, ...)
{
    refusal->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(refusal->reason, sizeof(refusal->reason), format, arguments);
    va_end(arguments);
    return false;
}

static int spFindWord(const char* word, const char* const* words, int count)
{
    for (int i = 0; i < count; ++i)
    {
        if (strcmp(word, words[i]) == 0)
        {
            return i;
        }
    }
    return -1;
}

// What each message may have beside "do". A key that nobody knows is an error: it was meant to do something.
static bool spKnowsKey(spClientDo type, const char* key)
{
    switch (type)
    {
        case sp_doAct:
            return strcmp(key, "event") == 0;
        case sp_doSpeed:
            return strcmp(key, "value") == 0;
        case sp_doScene:
            return strcmp(key, "index") == 0;
        case sp_doShow:
            return strcmp(key, "colour") == 0 || strcmp(key, "nodes") == 0 || strcmp(key, "contacts") == 0;
        case sp_doSeen:
            return strcmp(key, "frame") == 0;
        case sp_doProbe:
            return strcmp(key, "body") == 0 || strcmp(key, "node") == 0;
        case sp_doFile:
            return strcmp(key, "name") == 0 || strcmp(key, "size") == 0 || strcmp(key, "offset") == 0 ||
                   strcmp(key, "data") == 0 || strcmp(key, "open") == 0;
        default:
            return false;
    }
}

static bool spReadAct(const json_t* json, spClientMessage* message, spRefusal* refusal)
{
    const json_t* event = json_object_get(json, "event");
    if (json_is_object(event) == false)
    {
        return spRefuse(refusal, 1008, "\"act\" needs an \"event\", which is an object");
    }
    message->event = json_dumps(event, JSON_COMPACT);
    return message->event != NULL || spRefuse(refusal, 1011, "there is no memory for the event");
}

static bool spReadSpeed(const json_t* json, spClientMessage* message, spRefusal* refusal)
{
    const json_t* value = json_object_get(json, "value");
    double speed = json_is_number(value) ? json_number_value(value) : NAN;
    if ((speed >= 0.01 && speed <= 10.0) == false)
    {
        return spRefuse(refusal, 1008, "\"speed\" needs a \"value\" from 0.01 to 10");
    }
    message->speed = speed;
    return true;
}

static bool spReadIndex(const json_t* json, const char* key, json_int_t most, json_int_t* result,
                        spRefusal* refusal)
{
    const json_t* value = json_object_get(json, key);
    json_int_t index = json_is_integer(value) ? json_integer_value(value) : -1;
    if (index < 0 || index > most)
    {
        return spRefuse(refusal, 1008, "\"%s\" must be a whole number that is not negative", key);
    }
    *result = index;
    return true;
}

static bool spReadShow(const json_t* json, spClientMessage* message, spRefusal* refusal)
{
    const json_t* colour = json_object_get(json, "colour");
    const json_t* nodes = json_object_get(json, "nodes");
    const json_t* contacts = json_object_get(json, "contacts");
    message->hasContacts = contacts != NULL;
    message->hasColour = colour != NULL;
    message->hasNodes = nodes != NULL;
    int index = json_is_string(colour)
                    ? spFindWord(json_string_value(colour), g_viewColourWords, sp_viewColourCount)
                    : -1;
    if (colour != NULL && index < 0)
    {
        return spRefuse(refusal, 1008, "\"colour\" is not a colouring");
    }
    if (nodes != NULL && json_is_boolean(nodes) == false)
    {
        return spRefuse(refusal, 1008, "\"nodes\" must be true or false");
    }
    if (contacts != NULL && json_is_boolean(contacts) == false)
    {
        return spRefuse(refusal, 1008, "\"contacts\" must be true or false");
    }
    message->contacts = json_is_true(contacts);
    message->colour = index < 0 ? sp_viewNone : (spViewColour)index;
    message->nodes = json_is_true(nodes);
    return true;
}

// A name without folders, as files of all systems have it
static bool spIsFileName(const char* name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t size = name != NULL ? strlen(name) : 0;
    return size > 0 && size < SP_FILE_NAME_SIZE && name[0] != '.' && strspn(name, letters) == size;
}

static bool spReadFile(const json_t* json, spClientMessage* message, spRefusal* refusal)
{
    const char* name = json_string_value(json_object_get(json, "name"));
    const char* text = json_string_value(json_object_get(json, "data"));
    const json_t* open = json_object_get(json, "open");
    json_int_t size = 0, offset = 0;
    if (spIsFileName(name) == false)
    {
        return spRefuse(refusal, 1008, "a file has a \"name\" of 1 to 64 letters, digits, dots and dashes");
    }
    if (text == NULL || json_is_boolean(open) == false)
    {
        return spRefuse(refusal, 1008, "a file has \"data\" in base64, and \"open\" is true or false");
    }
    if (spReadIndex(json, "size", SP_FILE_SIZE, &size, refusal) == false ||
        spReadIndex(json, "offset", SP_FILE_SIZE, &offset, refusal) == false)
    {
        return false;
    }
    memcpy(message->name, name, strlen(name) + 1);
    message->total = (size_t)size;
    message->offset = (size_t)offset;
    message->open = json_is_true(open);
    const char* end = text + strlen(text);
    int count = spDecodeBase64(&text, end, message->data);
    for (; count > 0; count = spDecodeBase64(&text, end, message->data + message->dataSize))
    {
        message->dataSize += (size_t)count;
    }
    return (message->dataSize > 0 && text == end) ||
           spRefuse(refusal, 1008, "the \"data\" of a file is no base64, or empty");
}

static bool spReadFields(const json_t* json, spClientMessage* message, spRefusal* refusal)
{
    json_int_t index = 0;
    bool good = true;
    switch (message->type)
    {
        case sp_doAct:
            return spReadAct(json, message, refusal);
        case sp_doSpeed:
            return spReadSpeed(json, message, refusal);
        case sp_doScene:
            good = spReadIndex(json, "index", INT32_MAX, &index, refusal);
            message->index = (int)index;
            return good;
        case sp_doShow:
            return spReadShow(json, message, refusal);
        case sp_doSeen:
            good = spReadIndex(json, "frame", UINT32_MAX, &index, refusal);
            message->frame = (uint32_t)index;
            return good;
        case sp_doProbe:
            good = spReadIndex(json, "body", INT32_MAX, &index, refusal);
            message->index = (int)index;
            good = good && spReadIndex(json, "node", INT32_MAX, &index, refusal);
            message->node = (int)index;
            return good;
        case sp_doFile:
            return spReadFile(json, message, refusal);
        default:
            return true;
    }
}

static bool spReadJson(json_t* json, spClientMessage* message, spRefusal* refusal)
{
    const json_t* word = json_object_get(json, "do");
    int type = json_is_string(word) ? spFindWord(json_string_value(word), s_doWords, sp_doCount) : -1;
    if (type < 0)
    {
        return spRefuse(refusal, 1008, "a message is an object with a \"do\" that the server knows");
    }
    message->type = (spClientDo)type;
    const char* key;
    json_t* value;
    json_object_foreach(json, key, value)
    {
        if (strcmp(key, "do") != 0 && spKnowsKey(message->type, key) == false)
        {
            return spRefuse(refusal, 1008, "\"%s\" has no key of that name", s_doWords[type]);
        }
    }
    return spReadFields(json, message, refusal);
}

bool spReadClientMessage(const char* text, size_t size, spClientMessage* message, spRefusal* refusal)
{
    *message = (spClientMessage){0};
    if (size > SP_CLIENT_MESSAGE_SIZE)
    {
        return spRefuse(refusal, 1009, "a message has at most %d bytes", SP_CLIENT_MESSAGE_SIZE);
    }
    json_t* json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    if (json == NULL)
    {
        return spRefuse(refusal, 1007, "the message is not JSON");
    }
    bool good = spReadJson(json, message, refusal);
    json_decref(json);
    return good;
}

void spFreeClientMessage(spClientMessage* message)
{
    free(message->event);
    *message = (spClientMessage){0};
}
