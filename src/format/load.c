// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Choosing the reader or writer of a mesh file.

#include "format/format.h"
#include "format/include.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef bool spReadFcn(const char* data, size_t size, spMesh* mesh, spError* error);
typedef bool spWriteFcn(const spMesh* mesh, spOutput* output, spError* error);

typedef struct spMeshFormat
{
    const char* name; // for spSaveMeshAs; the first of an ending is what spSaveMesh writes
    const char* ending;
    spReadFcn* read;
    spWriteFcn* write; // NULL: not written
} spMeshFormat;

// clang-format off
static const spMeshFormat formats[] = {
    {"vtu", "vtu", spReadVtu, spWriteVtu},
    {"vtu-ascii", "vtu", spReadVtu, spWriteVtuText},
    {"vtk", "vtk", spReadVtk, spWriteVtk},
    {"vtk-ascii", "vtk", spReadVtk, spWriteVtkText},
    {"msh", "msh", spReadMsh, spWriteMsh},
    {"msh-binary", "msh", spReadMsh, spWriteMshBinary},
    {"msh22", "msh", spReadMsh, spWriteMsh22},
    {"msh22-binary", "msh", spReadMsh, spWriteMsh22Binary},
    {"mesh", "mesh", spReadMedit, spWriteMedit},
    {"meshb", "meshb", spReadMedit, spWriteMeshb},
    {"inp", "inp", spReadInp, spWriteInp},
    {"veg", "veg", spReadVeg, NULL},
    {"obj", "obj", spReadObj, spWriteObj},
    {"stl", "stl", spReadStl, spWriteStl},
    {"stl-ascii", "stl", spReadStl, spWriteStlText},
    {"ply", "ply", spReadPly, spWritePly},
    {"ply-ascii", "ply", spReadPly, spWritePlyText},
    {"off", "off", spReadOff, spWriteOff},
    {"node", "node", spReadTetGenText, NULL},
    {"ele", "ele", spReadTetGenText, NULL},
    {"face", "face", spReadTetGenText, NULL},
};
// clang-format on

#define SP_READABLE                                                                                          \
    ".vtu, .vtk, .msh, .mesh, .meshb, .inp, .veg, .obj, .stl, .ply, .off, .node, .ele or .face"
#define SP_WRITABLE ".vtu, .vtk, .msh, .mesh, .meshb, .inp, .obj, .stl, .ply or .off"

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
    static const struct
    {
        const char* mark;
        const char* ending;
    } marks[] = {
        {"# vtk DataFile", "vtk"}, {"MeshVersionFormatted", "mesh"}, {"*VERTICES", "veg"}, {"OFF\n", "off"}};
    for (int i = 0; i < SP_COUNT(marks); ++i)
    {
        size_t length = strlen(marks[i].mark);
        if (size >= length && memcmp(data, marks[i].mark, length) == 0)
        {
            return spFindFormat(marks[i].ending);
        }
    }
    if (size >= 4 && memcmp(data, "ply", 3) == 0 && (data[3] == '\n' || data[3] == '\r'))
    {
        return spFindFormat("ply");
    }
    if (named == NULL && spLooksLikeMeshb(data, size))
    {
        return spFindFormat("meshb");
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

// What a mesh must have, whatever it came from
static bool spCheckResult(const spMesh* mesh, spError* error)
{
    if (mesh->vertexCount == 0)
    {
        return spFail(error, sp_errorFileFormat, "the file holds no vertices; it is empty or not %s",
                      mesh->formatName);
    }
    if (mesh->loadReport.skippedCells > 0 && mesh->edgeCount == 0 && mesh->triangleCount == 0 &&
        mesh->tetCount == 0)
    {
        return spFail(error, sp_errorUnsupported,
                      "none of the %d cells of the file is an edge, a polygon or a tetrahedron; cut them "
                      "into tetrahedra first",
                      mesh->loadReport.skippedCells);
    }
    return true;
}

static spMesh* spFinishMesh(spMesh* mesh, bool ok, spError* error)
{
    if (!ok || !spFinishValues(mesh, error))
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    spTrimMesh(mesh);
    return mesh;
}

spMesh* spParseMesh(const void* data, size_t size, const char* formatHint, const spAllocator* allocator,
                    spError* error)
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
    spMesh* mesh = spAllocMesh(allocator, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    return spFinishMesh(mesh, format->read(data, size, mesh, error) && spCheckResult(mesh, error), error);
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

// Files of a TetGen mesh that stand side by side
typedef struct spTetGenFiles
{
    spTetGenText texts[sp_tetGenFileCount];
    char* data[sp_tetGenFileCount];
    char paths[sp_tetGenFileCount][4096];
} spTetGenFiles;

// Reads those that are there: the one that was asked for, the points, and tets or triangles
static bool spReadTetGenFiles(spTetGenFiles* files, const char* path, const char* ending, spHeap* heap,
                              spError* error)
{
    static const char* const endings[sp_tetGenFileCount] = {"node", "ele", "face"};
    for (int i = 0; i < sp_tetGenFileCount; ++i)
    {
        spTetGenText* text = files->texts + i;
        text->path = files->paths[i];
        if (!spSwapEnding(path, endings[i], files->paths[i], sizeof(files->paths[i])))
        {
            return spFail(error, sp_errorFileNotFound, "the path of the TetGen file is too long");
        }
        spError trouble = SP_ZERO_INIT;
        bool ok = spReadWholeFile(heap, text->path, SP_FILE_LIMIT, &files->data[i], &text->size, &trouble);
        text->data = files->data[i];
        bool needed = i == sp_tetGenNode || strcmp(endings[i], ending) == 0;
        if (!ok && (needed || trouble.code != sp_errorFileNotFound))
        {
            return spFail(error, trouble.code, "%s", trouble.message);
        }
    }
    return files->data[sp_tetGenEle] != NULL || files->data[sp_tetGenFace] != NULL ||
           spFail(error, sp_errorFileNotFound,
                  "there is neither %s nor a .face file; a .node file holds points only",
                  spShortenPath(files->paths[sp_tetGenEle]));
}

static spMesh* spLoadTetGen(const char* path, const char* ending, const spAllocator* allocator,
                            spError* error)
{
    spHeap heap = spMakeHeap(allocator);
    spTetGenFiles files = {0};
    spMesh* mesh =
        spReadTetGenFiles(&files, path, ending, &heap, error) ? spAllocMesh(allocator, error) : NULL;
    if (mesh != NULL)
    {
        bool ok = spReadTetGen(files.texts, mesh, error);
        if (ok && !spCheckResult(mesh, error))
        {
            spNamePath(files.paths[sp_tetGenNode], error);
            ok = false;
        }
        mesh = spFinishMesh(mesh, ok, error);
    }
    for (int i = 0; i < sp_tetGenFileCount; ++i)
    {
        spFree(&heap, files.data[i]);
    }
    return mesh;
}

// A text that may include others
static spMesh* spLoadIncluding(spHeap* heap, const char* path, const char* data, size_t size, spError* error)
{
    spIncludes* includes = spCreateIncludes(heap, path, data, size, error);
    if (includes == NULL)
    {
        return NULL;
    }
    size_t wholeSize;
    const char* whole = spGetIncludedText(includes, &wholeSize);
    spMesh* mesh = spParseMesh(whole, wholeSize, path, &heap->allocator, error);
    if (mesh == NULL)
    {
        spNameIncluded(includes, error);
    }
    spDestroyIncludes(includes);
    return mesh;
}

spMesh* spLoadMesh(const char* path, const spAllocator* allocator, spError* error)
{
    if (path == NULL)
    {
        spFail(error, sp_errorBadArgument, "the path of the mesh file is NULL");
        return NULL;
    }
    const spMeshFormat* named = spFindFormat(path);
    if (named != NULL && named->read == spReadTetGenText)
    {
        return spLoadTetGen(path, named->ending, allocator, error);
    }
    spHeap heap = spMakeHeap(allocator);
    char* data;
    size_t size;
    if (!spReadWholeFile(&heap, path, SP_FILE_LIMIT, &data, &size, error))
    {
        return NULL;
    }
    const spMeshFormat* format = size > 0 ? spChooseFormat(data, size, path) : NULL;
    bool including = format != NULL && format->read == spReadVeg;
    spMesh* mesh = including ? spLoadIncluding(&heap, path, data, size, error)
                             : spParseMesh(data, size, path, allocator, error);
    if (mesh == NULL && !including)
    {
        spNamePath(path, error);
    }
    spFree(&heap, data);
    return mesh;
}

static bool spSaveWith(const spMesh* mesh, const char* path, const spMeshFormat* format, spError* error)
{
    spOutput output;
    if (!spOpenOutput(&output, path, error))
    {
        return false;
    }
    bool ok = format->write(mesh, &output, error);
    // Meshes take long to make: they are on the disk before the old one is gone
    if (ok && output.failed == false && fflush(output.whole.stream) == 0)
    {
        fsync(fileno(output.whole.stream));
    }
    return spCloseOutput(&output, ok, error) && ok;
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
                      "%s: the ending does not name a format that can be written; use " SP_WRITABLE,
                      spShortenPath(path));
    }
    return spSaveWith(mesh, path, format, error);
}

bool spSaveMeshAs(const spMesh* mesh, const char* path, const char* formatName, spError* error)
{
    if (mesh == NULL || path == NULL || formatName == NULL)
    {
        return spFail(error, sp_errorBadArgument, "the mesh, the path to save it at or the format is NULL");
    }
    for (int i = 0; i < SP_COUNT(formats); ++i)
    {
        if (formats[i].write != NULL && strcmp(formats[i].name, formatName) == 0)
        {
            return spSaveWith(mesh, path, formats + i, error);
        }
    }
    return spFail(error, sp_errorUnsupported,
                  "no mesh is written as \"%.40s\"; formats are named as spGetMeshFormatName says",
                  formatName);
}

const char* spGetMeshFormatName(int index)
{
    for (int i = 0; index >= 0 && i < SP_COUNT(formats); ++i)
    {
        if (formats[i].write != NULL && index-- == 0)
        {
            return formats[i].name;
        }
    }
    return NULL;
}
