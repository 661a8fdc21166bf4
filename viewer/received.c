// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "received.h"

#include "base/error.h"
#include "souple/mesh.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A mesh that is larger or smaller than this was made in other units, m
#define SP_LARGEST 5.0
#define SP_SMALLEST 0.05

// Size that it gets then, m
#define SP_GOOD_SIZE 0.5

static bool spEndsWith(const char* text, const char* ending)
{
    size_t size = strlen(text), most = strlen(ending);
    return size >= most && strcmp(text + size - most, ending) == 0;
}

// ---------------------------------------------------------------------------------------------------------
// The folder

static bool spMakeFolder(spReceived* received, spError* error)
{
    if (received->folder[0] != 0)
    {
        return true;
    }
    const char* temporary = getenv("TMPDIR");
    int size = snprintf(received->folder, sizeof(received->folder), "%s/souple-view-XXXXXX",
                        temporary != NULL && temporary[0] != 0 ? temporary : "/tmp");
    if (size < (int)sizeof(received->folder) && mkdtemp(received->folder) != NULL)
    {
        return true;
    }
    received->folder[0] = 0;
    return spFail(error, sp_errorFileWrite, "there is no folder for files that pages send: is TMPDIR right?");
}

static void spMakePath(char* path, size_t size, const spReceived* received, const char* name)
{
    snprintf(path, size, "%s/%s", received->folder, name);
}

static bool spRemember(spReceived* received, const char* name, spError* error)
{
    for (int i = 0; i < received->count; ++i)
    {
        if (strcmp(received->names[i], name) == 0)
        {
            return true;
        }
    }
    char* copy = received->count < SP_MAX_RECEIVED ? malloc(strlen(name) + 1) : NULL;
    if (copy == NULL)
    {
        return spFail(error, sp_errorLimit,
                      "%d files were sent already, and no more fit: start the view again", received->count);
    }
    strcpy(copy, name);
    received->names[received->count++] = copy;
    return true;
}

static bool spWriteFile(spReceived* received, const char* name, const char* bytes, size_t size,
                        spError* error)
{
    if (spMakeFolder(received, error) == false || spRemember(received, name, error) == false)
    {
        return false;
    }
    char path[400];
    spMakePath(path, sizeof(path), received, name);
    FILE* file = fopen(path, "wb");
    bool good = file != NULL && fwrite(bytes, 1, size, file) == size;
    good = (file == NULL || fclose(file) == 0) && good;
    return good || spFail(error, sp_errorFileWrite, "%s cannot be kept: is the disk full?", name);
}

void spForgetReceived(spReceived* received)
{
    for (int i = 0; i < received->count; ++i)
    {
        char path[400];
        spMakePath(path, sizeof(path), received, received->names[i]);
        remove(path);
        free(received->names[i]);
    }
    if (received->folder[0] != 0)
    {
        rmdir(received->folder);
    }
    *received = (spReceived){0};
}

// ---------------------------------------------------------------------------------------------------------
// Scenes

// A text with a slash may be a path, wherever it stands: only what is read by people alone may have one
static bool spNamesFolder(const char* key, const json_t* json, const char** text)
{
    const char* word = json_string_value(json);
    if (word != NULL)
    {
        bool forPeople = key != NULL && (strcmp(key, "name") == 0 || strcmp(key, "description") == 0);
        *text = word;
        return forPeople == false && strchr(word, '/') != NULL;
    }
    const char* inner;
    json_t* value;
    size_t i;
    json_object_foreach((json_t*)(uintptr_t)json, inner, value)
    {
        if (spNamesFolder(inner, value, text))
        {
            return true;
        }
    }
    json_array_foreach(json, i, value)
    {
        if (spNamesFolder(key, value, text))
        {
            return true;
        }
    }
    return false;
}

bool spReceiveFile(spReceived* received, const char* name, const char* bytes, size_t size, spError* error)
{
    if (spEndsWith(name, ".json"))
    {
        // What is no JSON is told with its line when it is opened
        json_t* json = json_loadb(bytes, size, 0, NULL);
        const char* text = NULL;
        bool far = json != NULL && spNamesFolder(NULL, json, &text);
        if (far)
        {
            spFail(error, sp_errorBadArgument,
                   "a scene that a page sends may name files that came with it, and no paths as \"%.60s\"",
                   text);
        }
        json_decref(json);
        if (far)
        {
            return false;
        }
    }
    return spWriteFile(received, name, bytes, size, error);
}

// ---------------------------------------------------------------------------------------------------------
// A scene for a mesh

static void spMeasureMesh(const spMesh* mesh, spDVec3* low, spDVec3* high)
{
    const spDVec3* x = spMesh_GetVertices(mesh);
    *low = *high = x[0];
    for (int i = 1; i < spMesh_GetVertexCount(mesh); ++i)
    {
        *low = (spDVec3){fmin(low->x, x[i].x), fmin(low->y, x[i].y), fmin(low->z, x[i].z)};
        *high = (spDVec3){fmax(high->x, x[i].x), fmax(high->y, x[i].y), fmax(high->z, x[i].z)};
    }
}

// Above the ground by a third of its size, so that it falls; soft enough to be seen to give way. Surfaces are filled.
static json_t* spDescribeDrop(const spMesh* mesh, const char* file)
{
    spDVec3 low, high;
    spMeasureMesh(mesh, &low, &high);
    double size = fmax(fmax(high.x - low.x, high.y - low.y), high.z - low.z);
    double scale = size < SP_SMALLEST || size > SP_LARGEST ? SP_GOOD_SIZE / fmax(size, 1e-12) : 1.0;
    double x = -0.5 * scale * (low.x + high.x), z = -0.5 * scale * (low.z + high.z);
    double y = -scale * low.y + 0.3 * scale * size;
    bool solid = spMesh_GetTetCount(mesh) > 0;
    json_t* source = solid ? json_string(file) : json_pack("{s:s}", "fill", file);
    char words[200];
    snprintf(words, sizeof(words), "%s fell onto the page%s.", file,
             scale == 1.0 ? "" : ", and was scaled to half a metre");
    return json_pack("{s:i, s:s, s:f, s:[{s:o, s:{s:[fff], s:f}, s:{s:f, s:f}}], s:[{s:s}]}", "souple", 1,
                     "description", words, "duration", 10.0, "bodies", "mesh", source, "transform",
                     "position", x, y, z, "scale", scale, "tets", "youngModulus", 1e5 * scale * size,
                     "poissonRatio", 0.4, "colliders", "shape", "plane");
}

bool spMakeReceivedScene(spReceived* received, const char* name, spError* error)
{
    spMakePath(received->scene, sizeof(received->scene), received, name);
    if (spEndsWith(name, ".json"))
    {
        return true;
    }
    spMesh* mesh = spLoadMesh(received->scene, NULL, error);
    if (mesh == NULL)
    {
        return false;
    }
    json_t* json = NULL;
    if (spMesh_GetVertexCount(mesh) > 0)
    {
        json = spDescribeDrop(mesh, name);
    }
    spDestroyMesh(mesh);
    char* text = json != NULL ? json_dumps(json, JSON_INDENT(4) | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(json);
    char sceneName[80];
    snprintf(sceneName, sizeof(sceneName), "%.*s.json",
             (int)(strrchr(name, '.') != NULL ? strrchr(name, '.') - name : 64), name);
    bool good = text != NULL && spWriteFile(received, sceneName, text, strlen(text), error);
    free(text);
    spMakePath(received->scene, sizeof(received->scene), received, sceneName);
    return good || spFail(error, sp_errorBadArgument, "no scene can be made for %s", name);
}
