// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whatever a scene file holds, it is a scene or a sentence. A scene is written and read again; with FUZZ_PLAY
// it is played instead, which takes much longer: a run of it, when it can be made, takes some steps.

#include "scene/scene_internal.h"

#include "bounded.h"

#include <string.h>
#include <unistd.h>

#define MEMORY_LIMIT ((size_t)8 << 20)
#define STEPS 2

// Mesh files of scenes are not read: every name is the same small box, with regions and a field. This stands
// in for the one in the library.
spMesh* spLoadMesh(const char* path, const spAllocator* allocator, spError* error)
{
    if (strstr(path, "none") != NULL)
    {
        error->code = sp_errorFileNotFound;
        snprintf(error->message, sizeof(error->message), "there is no such file");
        return NULL;
    }
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.cells[0] = def.cells[1] = def.cells[2] = 1;
    def.allocator = *allocator;
    spMesh* mesh = spMakeBoxMesh(&def, error);
    const double field[] = {1e4, 2e4, 3e4, 4e4, 5e4, 6e4};
    if (mesh != NULL && spMesh_SetValues(mesh, sp_meshTets, "E", 1, field, error) == false)
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    for (int i = 0; mesh != NULL && i < spMesh_GetTetCount(mesh); ++i)
    {
        spMesh_SetTetRegion(mesh, i, i % 3);
    }
    return mesh;
}

#ifdef FUZZ_PLAY
static void CountText(const char* text, size_t size, void* context)
{
    size_t* total = context;
    CHECK(text != NULL);
    *total += size;
}

// Relaxation is the one thing that takes long before the first step
static void LimitWork(spScene* scene)
{
    for (int i = 0; i < scene->data.bodies.count; ++i)
    {
        spBodyData* body = (spBodyData*)scene->data.bodies.data + i;
        body->relax.maxIterations = spMinInt(body->relax.maxIterations, 20);
    }
}

static void Play(const spScene* scene, const spAllocator* allocator)
{
    spRunDef def = spDefaultRunDef();
    def.threadCount = 1;
    def.laneCount = 1;
    def.allocator = *allocator;
    spError error = SP_ZERO_INIT;
    spRun* run = spCreateRun(scene, &def, &error);
    CHECK((run != NULL) == (error.code == sp_errorNone));
    CHECK(run != NULL || error.message[0] != 0);
    if (run == NULL)
    {
        return;
    }
    size_t total = 0;
    spRun_Describe(run, CountText, &total);
    for (int i = 0; i < STEPS; ++i)
    {
        spRun_PlayEvents(run);
        if (IsQuick(spRun_GetWorld(run), spRun_GetTimeStep(run)) == false)
        {
            break;
        }
        spRun_Step(run);
    }
    spRun_DescribeSettings(run, CountText, &total);
    spDestroyRun(run);
}

#else
// Writes a scene and gives back the text; NULL when it is too long for this
static char* Write(const spScene* scene, bool all, size_t* size)
{
    const size_t capacity = 1 << 16;
    char path[64];
    snprintf(path, sizeof(path), "/tmp/souple-fuzz-%ld.json", (long)getpid());
    spError error = SP_ZERO_INIT;
    CHECK(spSaveScene(scene, path, all, &error) || error.code == sp_errorOutOfMemory);
    FILE* file = error.code == sp_errorNone ? fopen(path, "rb") : NULL;
    if (file == NULL)
    {
        return NULL;
    }
    char* text = malloc(capacity);
    CHECK(text != NULL);
    *size = fread(text, 1, capacity, file);
    fclose(file);
    remove(path);
    if (*size == capacity)
    {
        free(text);
        text = NULL;
    }
    return text;
}

// A scene that was written is read as the same scene: written again it is the same text
static void CheckWritten(const spScene* scene, bool all)
{
    size_t size = 0, sizeAgain = 0;
    char* text = Write(scene, all, &size);
    if (text == NULL)
    {
        return;
    }
    spError error = SP_ZERO_INIT;
    spScene* again = spParseScene(text, size, "/tmp", NULL, &error);
    if (again == NULL)
    {
        fprintf(stderr, "%.*s\n%d: %s\n", (int)size, text, error.line, error.message);
    }
    CHECK(again != NULL);
    char* textAgain = Write(again, all, &sizeAgain);
    CHECK(textAgain == NULL || (sizeAgain == size && memcmp(text, textAgain, size) == 0));
    free(text);
    free(textAgain);
    spDestroyScene(again);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    Bounded bounded;
    spAllocator allocator = MakeBounded(&bounded, MEMORY_LIMIT);
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene((const char*)data, size, "/tmp", &allocator, &error);
    CHECK((scene != NULL) == (error.code == sp_errorNone));
    CHECK(scene != NULL || error.message[0] != 0);
    if (scene != NULL)
    {
#ifdef FUZZ_PLAY
        LimitWork(scene);
        Play(scene, &allocator);
#else
        CheckWritten(scene, size % 2 == 0);
#endif
        spDestroyScene(scene);
    }
    CHECK(atomic_load(&bounded.used) == 0);
    return 0;
}
