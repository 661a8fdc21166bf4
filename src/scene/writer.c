// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Writes a scene as JSON by walking the table of schema.h. Objects that fit go on one line. Numbers are
// written so that reading them gives the same double.

#include "base/whole_file.h"
#include "scene/scene_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_LINE_WIDTH 96

typedef struct spSceneWriter
{
    spHeap* heap;
    char* data;
    int count, capacity;
    bool outOfMemory;
    bool all;
    const char* folder; // goes before names of mesh files; "" when they stay as they are
} spSceneWriter;

static void spPut(spSceneWriter* writer, const char* text, size_t size)
{
    if (size > (size_t)(INT32_MAX / 2 - writer->count) ||
        !spReserve(writer->heap, (void**)&writer->data, writer->count, &writer->capacity,
                   writer->count + (int)size + 1, 1))
    {
        writer->outOfMemory = true;
        return;
    }
    memcpy(writer->data + writer->count, text, size);
    writer->count += (int)size;
    writer->data[writer->count] = 0;
}

static void spPutWords(spSceneWriter* writer, const char* text)
{
    spPut(writer, text, strlen(text));
}

static void spPutNumber(spSceneWriter* writer, double value)
{
    char number[40];
    spFormatNumber(number, value);
    spPutWords(writer, number);
}

static void spPutQuoted(spSceneWriter* writer, const char* text)
{
    spPutWords(writer, "\"");
    for (; *text != 0; ++text)
    {
        char escaped[8];
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
        {
            snprintf(escaped, sizeof(escaped), "\\%c", c);
        }
        else if (c < 0x20)
        {
            snprintf(escaped, sizeof(escaped), "\\u%04x", c);
        }
        else
        {
            snprintf(escaped, sizeof(escaped), "%c", c);
        }
        spPutWords(writer, escaped);
    }
    spPutWords(writer, "\"");
}

static void spPutNewLine(spSceneWriter* writer, int indent)
{
    static const char s_spaces[] = "                                        ";
    spPutWords(writer, "\n");
    spPut(writer, s_spaces, (size_t)spMinInt(4 * indent, (int)sizeof(s_spaces) - 1));
}

static bool spIsWritten(const spSceneWriter* writer, const spObjectHead* head, int row)
{
    const spKey* key = &head->schema->keys[row];
    int selector = spGetSelector(head);
    if (key->selector != 0 && (selector < 0 || (key->selector >> selector & 1u) == 0))
    {
        return false;
    }
    if ((head->given >> row & 1u) != 0)
    {
        return true;
    }
    bool object = key->type == sp_keyObject;
    bool list = key->type == sp_keyObjects || key->type == sp_keyIntegers || key->type == sp_keyTuples;
    return writer->all && (key->flags & (sp_keyNoDefault | sp_keySelector)) == 0 && key->text == NULL &&
           !list && (!object || (key->flags & sp_keyImplied) != 0);
}

static void spPutObject(spSceneWriter* writer, const void* object, int indent, bool inLine);

static void spPutIntegers(spSceneWriter* writer, const spKey* key, const spList* list)
{
    const int32_t* data = list->data;
    if (list->count < 0)
    {
        spPutWords(writer, "\"all\"");
        return;
    }
    int width = key->type == sp_keyTuples ? key->width : 0;
    spPutWords(writer, "[");
    for (int i = 0; i < list->count; ++i)
    {
        spPutWords(writer, i > 0 ? ", " : "");
        spPutWords(writer, width > 0 && i % width == 0 ? "[" : "");
        spPutNumber(writer, data[i]);
        spPutWords(writer, width > 0 && i % width == width - 1 ? "]" : "");
    }
    spPutWords(writer, "]");
}

static void spPutObjects(spSceneWriter* writer, const spKey* key, const spList* list, int indent, bool inLine)
{
    spPutWords(writer, "[");
    for (int i = 0; i < list->count; ++i)
    {
        spPutWords(writer, i > 0 ? "," : "");
        if (!inLine)
        {
            spPutNewLine(writer, indent + 1);
        }
        else if (i > 0)
        {
            spPutWords(writer, " ");
        }
        spPutObject(writer, (const char*)list->data + (size_t)i * key->object->size, indent + 1, inLine);
    }
    if (!inLine && list->count > 0)
    {
        spPutNewLine(writer, indent);
    }
    spPutWords(writer, "]");
}

static void spPutMeshFile(spSceneWriter* writer, const char* file)
{
    char* path = spJoinPath(writer->heap, writer->folder, file);
    if (path == NULL)
    {
        writer->outOfMemory = true;
        return;
    }
    spPutQuoted(writer, path);
    spFree(writer->heap, path);
}

static void spPutValue(spSceneWriter* writer, const spKey* key, const char* value, int indent, bool inLine)
{
    switch (key->type)
    {
        case sp_keyBool:
            spPutWords(writer, *(const bool*)value ? "true" : "false");
            break;
        case sp_keyInteger:
        case sp_keyNumber:
        {
            double number = key->type == sp_keyInteger ? *(const int*)value : *(const double*)value;
            if ((key->flags & sp_keyAuto) != 0 && number == 0.0)
            {
                spPutWords(writer, "\"auto\"");
            }
            else
            {
                spPutNumber(writer, number);
            }
            break;
        }
        case sp_keyString:
            if (strcmp(key->name, "file") == 0)
            {
                spPutMeshFile(writer, *(const char* const*)value);
            }
            else
            {
                spPutQuoted(writer, *(const char* const*)value);
            }
            break;
        case sp_keyChoice:
            spPutQuoted(writer, key->choices[*(const int*)value]);
            break;
        case sp_keyVector:
        case sp_keyScale:
        case sp_keyRange:
        case sp_keyCounts:
            for (int i = 0; i < (key->type == sp_keyRange ? 2 : 3); ++i)
            {
                spPutWords(writer, i == 0 ? "[" : ", ");
                spPutNumber(writer,
                            key->type == sp_keyCounts ? ((const int*)value)[i] : ((const double*)value)[i]);
            }
            spPutWords(writer, "]");
            break;
        case sp_keyIntegers:
        case sp_keyTuples:
            spPutIntegers(writer, key, (const spList*)value);
            break;
        case sp_keyObject:
            spPutObject(writer, value, indent, inLine);
            break;
        case sp_keyObjects:
            spPutObjects(writer, key, (const spList*)value, indent, inLine);
            break;
    }
}

// First all on one line; when that gets too long, again with a line for each key
static void spPutObject(spSceneWriter* writer, const void* object, int indent, bool inLine)
{
    const spObjectHead* head = object;
    int begin = writer->count;
    bool tryLine = indent > 0;
    for (int attempt = tryLine ? 0 : 1; attempt < 2 && !writer->outOfMemory; ++attempt)
    {
        bool oneLine = inLine || attempt == 0;
        bool first = true;
        writer->count = begin;
        spPutWords(writer, "{");
        for (int i = 0; i < head->schema->keyCount; ++i)
        {
            const spKey* key = &head->schema->keys[i];
            if (!spIsWritten(writer, head, i))
            {
                continue;
            }
            spPutWords(writer, first ? "" : (oneLine ? ", " : ","));
            if (!oneLine)
            {
                spPutNewLine(writer, indent + 1);
            }
            first = false;
            spPutQuoted(writer, key->name);
            spPutWords(writer, ": ");
            spPutValue(writer, key, (const char*)object + key->offset, indent + 1, oneLine);
        }
        if (!oneLine && !first)
        {
            spPutNewLine(writer, indent);
        }
        spPutWords(writer, "}");
        if (inLine || writer->count - begin <= SP_LINE_WIDTH - 4 * indent)
        {
            break;
        }
    }
}

// Whether a path lies in the folder that mesh files of the scene are relative to
static bool spIsSameFolder(const spScene* scene, const char* path)
{
    const char* slash = strrchr(path, '/');
    size_t size = slash != NULL ? (size_t)(slash - path) : 0;
    return strlen(scene->baseFolder) == size && strncmp(scene->baseFolder, path, size) == 0;
}

bool spSaveScene(const spScene* scene, const char* path, bool all, spError* error)
{
    if (scene == NULL || path == NULL)
    {
        return spFail(error, sp_errorBadArgument, "spSaveScene: scene or path is NULL");
    }
    spHeap heap = spMakeHeap(&scene->heap.allocator);
    spSceneWriter writer = {.heap = &heap, .all = all, .folder = ""};
    char* folder = NULL;
    if (!spIsSameFolder(scene, path) && scene->baseFolder[0] != '/')
    {
        // Another folder: names become absolute, so that they keep their meaning
        folder = realpath(scene->baseFolder[0] != 0 ? scene->baseFolder : ".", NULL);
        writer.folder = folder != NULL ? folder : scene->baseFolder;
    }
    else if (!spIsSameFolder(scene, path))
    {
        writer.folder = scene->baseFolder;
    }
    spPutObject(&writer, &scene->data, 0, false);
    spPutWords(&writer, "\n");
    bool good = !writer.outOfMemory || spFailMemory(error, "scene", (size_t)writer.count);
    good = good && spWriteWholeFile(path, writer.data, (size_t)writer.count, error);
    spFree(&heap, writer.data);
    free(folder);
    return good;
}
