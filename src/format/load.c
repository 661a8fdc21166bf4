// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Choosing the reader or writer of a mesh file.

#include "format/format.h"

#include <math.h>
#include <string.h>

typedef bool spReadFcn(const char* data, size_t size, spMesh* mesh, spError* error);
typedef bool spWriteFcn(const spMesh* mesh, spOutput* output, spError* error);

typedef struct spMeshFormat
{
    const char* ending;
    spReadFcn* read;   // NULL: not from memory
    spWriteFcn* write; // NULL: not written
} spMeshFormat;

static const spMeshFormat formats[] = {
    {"obj", spReadObj, spWriteObj}, {"stl", spReadStl, NULL}, {"msh", spReadMsh, spWriteMsh},
    {"vtu", spReadVtu, spWriteVtu}, {"node", NULL, NULL},     {"ele", NULL, NULL},
};

#define SP_READABLE ".obj, .stl, .msh, .vtu, .node or .ele"

// "dir/liver.MSH" and ".MSH" are MSH; "obj" alone too, as a hint
static const spMeshFormat* spFindFormat(const char* name)
{
    if (name == NULL)
    {
        return NULL;
    }
    const char* slash = strrchr(name, '/');
    const char* dot = strrchr(slash != NULL ? slash : name, '.');
    const char* ending = dot != NULL ? dot + 1 : name;
    for (int i = 0; i < SP_COUNT(formats); ++i)
    {
        const char* expected = formats[i].ending;
        size_t n = 0;
        while (expected[n] != 0 && (ending[n] | 0x20) == expected[n])
        {
            ++n;
        }
        if (expected[n] == 0 && ending[n] == 0)
        {
            return formats + i;
        }
    }
    return NULL;
}

static char spFirstCharacter(const char* data, size_t size)
{
    spScanner scanner = spMakeScanner(data, size);
    spSkipSpace(&scanner);
    return spAtEnd(&scanner) ? 0 : *scanner.at;
}

// By mark where the content has one, else by ending. An ending .stl is believed first: the 80 bytes at the
// start of a binary file may be anything.
static const spMeshFormat* spChooseFormat(const char* data, size_t size, const char* name)
{
    const spMeshFormat* named = spFindFormat(name);
    if (named != NULL && named->read == spReadStl)
    {
        return named;
    }
    char first = spFirstCharacter(data, size);
    if (first == '$')
    {
        return spFindFormat("msh");
    }
    if (first == '<')
    {
        return spFindFormat("vtu");
    }
    if (named == NULL && spLooksLikeStl(data, size))
    {
        return spFindFormat("stl");
    }
    return named;
}

// The last part of a long path
static const char* spShortenPath(const char* path)
{
    size_t length = strlen(path);
    return length > 200 ? path + length - 200 : path;
}

void spNamePath(const char* path, spError* error)
{
    if (error == NULL)
    {
        return;
    }
    char message[SP_ERROR_MESSAGE_SIZE];
    snprintf(message, sizeof(message), "%s", error->message);
    path = spShortenPath(path);
    if (error->line > 0)
    {
        spFailAt(error, error->code, error->line, error->column, "%s: line %d: %s", path, error->line,
                 message);
    }
    else
    {
        spFail(error, error->code, "%s: %s", path, message);
    }
}

bool spWantsValues(const spMesh* mesh, spWord name)
{
    if (mesh->wantedName != NULL)
    {
        return spWordIs(name, mesh->wantedName);
    }
    return mesh->tetValues == NULL || spWordIs(name, mesh->valueName);
}

// Values are of use when every tet has one
static bool spCheckValues(spMesh* mesh, spError* error)
{
    for (int i = 0; mesh->tetValues != NULL && i < mesh->tetCount; ++i)
    {
        if (!isfinite(mesh->tetValues[i]))
        {
            if (mesh->wantedName != NULL)
            {
                return spFail(error, sp_errorFileFormat, "tet %d has no value in the array \"%.63s\"", i,
                              mesh->wantedName);
            }
            spDropTetValues(mesh);
        }
    }
    if (mesh->wantedName != NULL && (mesh->tetValues == NULL || mesh->tetCount == 0))
    {
        return spFail(
            error, sp_errorFileFormat,
            "the file has no array of cell values named \"%.63s\" with one number for each tet; VTU "
            "cell data in ascii and MSH 2.2 element data are read",
            mesh->wantedName);
    }
    return true;
}

// What a mesh must have, whatever it came from
static bool spCheckResult(const spMesh* mesh, spError* error)
{
    if (mesh->vertexCount == 0)
    {
        return spFail(error, sp_errorFileFormat, "the file holds no vertices; it is empty or not %s",
                      mesh->formatName);
    }
    if (mesh->skippedCount > 0 && mesh->edgeCount == 0 && mesh->triangleCount == 0 && mesh->tetCount == 0)
    {
        return spFail(error, sp_errorUnsupported,
                      "none of the %d cells of the file is an edge, a polygon or a tetrahedron; cut them "
                      "into tetrahedra first",
                      mesh->skippedCount);
    }
    return true;
}

static spMesh* spFinishMesh(spMesh* mesh, bool ok, spError* error)
{
    ok = ok && spCheckValues(mesh, error);
    mesh->wantedName = NULL;
    if (!ok)
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    spTrimMesh(mesh);
    return mesh;
}

static spMesh* spParseWithValues(const void* data, size_t size, const char* formatHint, const char* name,
                                 const spAllocator* allocator, spError* error)
{
    if (data == NULL || size == 0)
    {
        spFail(error, sp_errorFileFormat, "the mesh file is empty");
        return NULL;
    }
    const spMeshFormat* format = spChooseFormat(data, size, formatHint);
    if (format == NULL)
    {
        spFail(error, sp_errorUnsupported,
               "the format of the mesh is not known; name it, or give the file the ending " SP_READABLE);
        return NULL;
    }
    if (format->read == NULL)
    {
        spFail(error, sp_errorUnsupported, "a TetGen mesh is two files; load it from the disk");
        return NULL;
    }
    spMesh* mesh = spAllocMesh(allocator, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    mesh->wantedName = name;
    return spFinishMesh(mesh, format->read(data, size, mesh, error) && spCheckResult(mesh, error), error);
}

spMesh* spParseMesh(const void* data, size_t size, const char* formatHint, const spAllocator* allocator,
                    spError* error)
{
    return spParseWithValues(data, size, formatHint, NULL, allocator, error);
}

// path with another ending of the same case. Returns false when it is too long.
static bool spSwapEnding(const char* path, const char* ending, char* buffer, size_t size)
{
    const char* dot = strrchr(path, '.');
    size_t stem = (size_t)(dot - path) + 1;
    if (stem + strlen(ending) + 1 > size)
    {
        return false;
    }
    memcpy(buffer, path, stem);
    strcpy(buffer + stem, ending);
    for (char* c = buffer + stem; dot[1] < 'a' && *c != 0; ++c)
    {
        *c = (char)(*c & ~0x20);
    }
    return true;
}

static spMesh* spLoadTetGen(const char* path, const spAllocator* allocator, spError* error)
{
    char nodePath[4096], elePath[4096];
    if (!spSwapEnding(path, "node", nodePath, sizeof(nodePath)) ||
        !spSwapEnding(path, "ele", elePath, sizeof(elePath)))
    {
        spFail(error, sp_errorFileNotFound, "the path of the TetGen file is too long");
        return NULL;
    }
    spHeap heap = spMakeHeap(allocator);
    char *nodeData = NULL, *eleData = NULL;
    size_t nodeSize = 0, nodeCapacity = 0, eleSize = 0, eleCapacity = 0;
    spMesh* mesh = NULL;
    if (spReadWholeFile(&heap, nodePath, &nodeData, &nodeSize, &nodeCapacity, error) &&
        spReadWholeFile(&heap, elePath, &eleData, &eleSize, &eleCapacity, error))
    {
        mesh = spAllocMesh(allocator, error);
    }
    if (mesh != NULL)
    {
        spTetGenText node = {nodeData, nodeSize, nodePath}, ele = {eleData, eleSize, elePath};
        bool ok = spReadTetGen(&node, &ele, mesh, error);
        if (ok && !spCheckResult(mesh, error))
        {
            spNamePath(nodePath, error);
            ok = false;
        }
        mesh = spFinishMesh(mesh, ok, error);
    }
    spFree(&heap, nodeData, nodeCapacity);
    spFree(&heap, eleData, eleCapacity);
    return mesh;
}

static spMesh* spLoadWithValues(const char* path, const char* name, const spAllocator* allocator,
                                spError* error)
{
    if (path == NULL)
    {
        spFail(error, sp_errorBadArgument, "the path of the mesh file is NULL");
        return NULL;
    }
    const spMeshFormat* named = spFindFormat(path);
    if (named != NULL && named->read == NULL)
    {
        if (name != NULL)
        {
            spFail(error, sp_errorUnsupported,
                   "%s: TetGen files have no named values; write the mesh as .vtu or .msh",
                   spShortenPath(path));
            return NULL;
        }
        return spLoadTetGen(path, allocator, error);
    }
    spHeap heap = spMakeHeap(allocator);
    char* data;
    size_t size, capacity;
    if (!spReadWholeFile(&heap, path, &data, &size, &capacity, error))
    {
        return NULL;
    }
    spMesh* mesh = spParseWithValues(data, size, path, name, allocator, error);
    if (mesh == NULL)
    {
        spNamePath(path, error);
    }
    spFree(&heap, data, capacity);
    return mesh;
}

spMesh* spLoadMesh(const char* path, const spAllocator* allocator, spError* error)
{
    return spLoadWithValues(path, NULL, allocator, error);
}

spMesh* spLoadMeshValues(const char* path, const char* name, const spAllocator* allocator, spError* error)
{
    if (name == NULL || name[0] == 0 || strlen(name) >= SP_VALUE_NAME_SIZE)
    {
        spFail(error, sp_errorBadArgument, "the name of the values to read must have 1 to %d bytes",
               SP_VALUE_NAME_SIZE - 1);
        return NULL;
    }
    return spLoadWithValues(path, name, allocator, error);
}

bool spSaveMesh(const spMesh* mesh, const char* path, spError* error)
{
    if (mesh == NULL || path == NULL)
    {
        return spFail(error, sp_errorBadArgument, "the mesh or the path to save it at is NULL");
    }
    const spMeshFormat* format = spFindFormat(path);
    if (format == NULL || format->write == NULL)
    {
        return spFail(error, sp_errorUnsupported,
                      "%s: the ending does not name a format that can be written; use .vtu, .msh or .obj",
                      spShortenPath(path));
    }
    spOutput output;
    if (!spOpenOutput(&output, path, error))
    {
        return false;
    }
    bool ok = format->write(mesh, &output, error);
    output.failed |= !ok;
    return spCloseOutput(&output, ok ? error : NULL) && ok;
}
