// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Scenes: from a file or a text to a checked struct, and what others ask of it.

#include "base/whole_file.h"
#include "scene/reader.h"
#include "scene/run.h"
#include "scene/scene_internal.h"

#include <stdio.h>
#include <string.h>

#include <jansson.h>

char* spJoinPath(spHeap* heap, const char* folder, const char* file)
{
    if (file[0] == '/' || folder[0] == 0)
    {
        folder = "";
    }
    size_t folderSize = strlen(folder);
    bool slash = folderSize > 0 && folder[folderSize - 1] != '/';
    size_t size = folderSize + slash + strlen(file) + 1;
    char* path = spAlloc(heap, size);
    if (path != NULL)
    {
        snprintf(path, size, "%s%s%s", folder, slash ? "/" : "", file);
    }
    return path;
}

static size_t spFolderSize(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash == NULL ? 0 : (slash == path ? 1 : (size_t)(slash - path));
}

// Reads a whole file into the pool
static bool spReadFile(spScene* scene, const char* path, spError* error)
{
    char* data;
    size_t size;
    if (spReadWholeFile(scene->pool.heap, path, SP_SCENE_MAX_BYTES, &data, &size, error) == false)
    {
        return false;
    }
    scene->text = spPoolCopy(&scene->pool, data, size);
    scene->textSize = size;
    spFree(scene->pool.heap, data);
    return scene->text != NULL || spFailMemory(error, "scene", size + 1);
}

// Jansson's message ends in "near '...'", which is of use; its place is the end of the bad token
static void spReportSyntax(spProblems* problems, const json_error_t* jsonError)
{
    spError error = {0};
    spFailAt(&error, sp_errorScene, jsonError->line, jsonError->column > 0 ? jsonError->column : 1,
             "not JSON: %s", jsonError->text);
    spReportError(problems, &error);
}

// Reads and checks scene->text. Returns false when there is no memory; problems tell the rest.
static bool spReadScene(spScene* scene, spProblems* problems)
{
    // Some editors put a byte order mark in front
    if (scene->textSize >= 3 && memcmp(scene->text, "\xEF\xBB\xBF", 3) == 0)
    {
        scene->text += 3;
        scene->textSize -= 3;
    }
    json_error_t jsonError;
    bool memory = true;
    json_t* json = spLoadJson(scene->text, scene->textSize, JSON_REJECT_DUPLICATES, &jsonError, &memory);
    if (json == NULL)
    {
        if (memory == false)
        {
            return false;
        }
        spReportSyntax(problems, &jsonError);
        return true;
    }
    if (!spScanPlaces(&scene->places, &scene->heap, scene->text, scene->textSize))
    {
        json_decref(json);
        return false;
    }
    problems->places = &scene->places;
    spReader reader = {.pool = &scene->pool, .places = &scene->places, .problems = problems};
    spReadObject(&reader, &g_sceneSchema, json, 0, &scene->data);
    json_decref(json);
    return !reader.outOfMemory && spCheckSceneData(scene, problems);
}

static spScene* spAllocScene(const spAllocator* allocator)
{
    spHeap heap = spMakeHeap(allocator);
    spScene* scene = spAllocZeroed(&heap, sizeof(spScene));
    if (scene != NULL)
    {
        scene->heap = heap;
        scene->pool.heap = &scene->heap;
        scene->baseFolder = "";
        spInitObject(&g_sceneSchema, -1, &scene->data);
    }
    return scene;
}

// The name of a scene that does not say its own: that of the file
static bool spNameScene(spScene* scene, const char* path)
{
    if (scene->data.name[0] != 0)
    {
        return true;
    }
    const char* begin = path + spFolderSize(path);
    begin += *begin == '/';
    const char* dot = strrchr(begin, '.');
    size_t size = dot != NULL && dot != begin ? (size_t)(dot - begin) : strlen(begin);
    scene->data.name = spPoolCopy(&scene->pool, begin, size);
    return scene->data.name != NULL;
}

// The common part of everything that reads a scene. path is NULL for a text. Returns NULL when there is no
// scene at all; else the scene may still have problems.
static spScene* spReadSource(const char* path, const char* text, size_t size, const char* baseFolder,
                             const spAllocator* allocator, spProblems* problems)
{
    spError error = {0};
    spScene* scene = spAllocScene(allocator);
    bool good = scene != NULL;
    if (good && path != NULL)
    {
        size_t folderSize = spFolderSize(path);
        const char* folder = spPoolCopy(&scene->pool, path, folderSize);
        scene->baseFolder = folder != NULL ? folder : "";
        good = folder != NULL && spReadFile(scene, path, &error);
    }
    else if (good && size > SP_SCENE_MAX_BYTES)
    {
        good = spFail(&error, sp_errorLimit, "the scene has %zu bytes; the limit is %zu", size,
                      SP_SCENE_MAX_BYTES);
    }
    else if (good)
    {
        const char* folder = baseFolder != NULL ? baseFolder : "";
        scene->baseFolder = spPoolCopy(&scene->pool, folder, strlen(folder));
        scene->text = spPoolCopy(&scene->pool, text, size);
        scene->textSize = size;
        good = scene->text != NULL && scene->baseFolder != NULL;
    }
    good = good && spReadScene(scene, problems) && spNameScene(scene, path != NULL ? path : "scene");
    if (!good)
    {
        if (error.code == sp_errorNone)
        {
            spFailMemory(&error, "scene", size);
        }
        spReportError(problems, &error);
        spDestroyScene(scene);
        return NULL;
    }
    return scene;
}

static spScene* spTakeScene(spScene* scene, const spProblems* problems, spError* error)
{
    if (problems->errorCount > 0)
    {
        if (error != NULL)
        {
            *error = problems->first;
        }
        spDestroyScene(scene);
        return NULL;
    }
    spKeepWarnings(&scene->warnings, problems);
    return scene;
}

spScene* spLoadScene(const char* path, const spAllocator* allocator, spError* error)
{
    if (path == NULL)
    {
        spFail(error, sp_errorBadArgument, "spLoadScene: path is NULL");
        return NULL;
    }
    spSceneProblem kept[SP_KEPT_WARNINGS];
    spProblems problems = {.data = kept, .capacity = SP_KEPT_WARNINGS};
    return spTakeScene(spReadSource(path, NULL, 0, NULL, allocator, &problems), &problems, error);
}

spScene* spParseScene(const char* text, size_t size, const char* baseFolder, const spAllocator* allocator,
                      spError* error)
{
    if (text == NULL)
    {
        spFail(error, sp_errorBadArgument, "spParseScene: text is NULL");
        return NULL;
    }
    spSceneProblem kept[SP_KEPT_WARNINGS];
    spProblems problems = {.data = kept, .capacity = SP_KEPT_WARNINGS};
    return spTakeScene(spReadSource(NULL, text, size, baseFolder, allocator, &problems), &problems, error);
}

static bool spFinishCheck(spScene* scene, spProblems* problems, int* count)
{
    // What only shows while building: meshes that cannot be read, regions without nodes, open surfaces
    if (scene != NULL && problems->errorCount == 0)
    {
        spRunDef def = spDefaultRunDef();
        def.threadCount = 1;
        spRun* run = spBuildRun(scene, &def, problems);
        if (run != NULL)
        {
            spCheckStart(run, problems);
        }
        spDestroyRun(run);
    }
    spDestroyScene(scene);
    if (count != NULL)
    {
        *count = problems->count;
    }
    return problems->errorCount == 0;
}

bool spCheckScene(const char* path, spSceneProblem* problems, int capacity, int* count)
{
    spProblems collected = {.data = problems, .capacity = problems != NULL ? capacity : 0};
    spScene* scene = spReadSource(path != NULL ? path : "", NULL, 0, NULL, NULL, &collected);
    return spFinishCheck(scene, &collected, count);
}

bool spCheckSceneText(const char* text, size_t size, const char* baseFolder, spSceneProblem* problems,
                      int capacity, int* count)
{
    spProblems collected = {.data = problems, .capacity = problems != NULL ? capacity : 0};
    spScene* scene =
        spReadSource(NULL, text != NULL ? text : "", text != NULL ? size : 0, baseFolder, NULL, &collected);
    return spFinishCheck(scene, &collected, count);
}

void spDestroyScene(spScene* scene)
{
    if (scene == NULL)
    {
        return;
    }
    spFreePlaces(&scene->places);
    spFreePool(&scene->pool);
    spHeap heap = scene->heap;
    spFree(&heap, scene);
}

const char* spScene_GetName(const spScene* scene)
{
    return scene->data.name;
}

const char* spScene_GetDescription(const spScene* scene)
{
    return scene->data.description;
}

double spScene_GetDuration(const spScene* scene)
{
    return scene->data.duration;
}

double spScene_GetTimeStep(const spScene* scene)
{
    return scene->data.dt > 0.0 ? scene->data.dt : 1.0 / 60.0;
}

int spScene_GetThreadCount(const spScene* scene)
{
    return scene->data.threads;
}

int spScene_GetBodyCount(const spScene* scene)
{
    return scene->data.bodies.count;
}

int spScene_GetColliderCount(const spScene* scene)
{
    return scene->data.colliders.count;
}

int spScene_GetEventCount(const spScene* scene)
{
    return scene->data.events.count;
}

const char* spScene_GetText(const spScene* scene, size_t* size)
{
    if (size != NULL)
    {
        *size = scene->textSize;
    }
    return scene->text;
}

spSceneOutput spScene_GetOutput(const spScene* scene)
{
    const spOutputData* output = &scene->data.output;
    const spCameraData* camera = &output->picture.camera;
    return (spSceneOutput){
        .frameRate = output->frameRate,
        .contacts = output->contacts,
        .pictureWidth = output->picture.width,
        .pictureHeight = output->picture.height,
        .pictureColor = (spPictureColor)output->picture.colour,
        .pictureLow = output->picture.range[0],
        .pictureHigh = output->picture.range[1],
        .pictureOpacity = output->picture.opacity,
        .pictureFlat = output->picture.flat,
        .hasCamera = spIsGiven(&output->picture.head, camera),
        .cameraPosition = camera->position,
        .cameraTarget = camera->target,
        .cameraUp = camera->up,
        .fieldOfView = camera->fieldOfView,
    };
}

double spScene_GetOpacity(const spScene* scene, const char* body)
{
    const spBodyData* bodies = scene->data.bodies.data;
    for (int i = 0; i < scene->data.bodies.count; ++i)
    {
        if (strcmp(bodies[i].name, body) == 0 && spIsGiven(&bodies[i].head, &bodies[i].opacity))
        {
            return bodies[i].opacity;
        }
    }
    return scene->data.output.picture.opacity;
}

int spScene_GetRegionNames(const spScene* scene, spRegionName* names, int capacity)
{
    int count = 0;
    const spBodyData* bodies = scene->data.bodies.data;
    for (int i = 0; i < scene->data.bodies.count; ++i)
    {
        const spTetRegionData* regions = bodies[i].tets.regions.data;
        for (int k = 0; k < bodies[i].tets.regions.count; ++k)
        {
            if (regions[k].name != NULL && count < capacity)
            {
                names[count] = (spRegionName){regions[k].region, regions[k].name};
            }
            count += regions[k].name != NULL ? 1 : 0;
        }
    }
    return count;
}

const char* spGetJsonVersion(void)
{
    return jansson_version_str();
}
