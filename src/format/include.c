// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "format/include.h"

#include "format/format.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Lines of the whole that are lines of one file
typedef struct spIncludedLines
{
    int first, fileFirst; // line in the whole and in the file, from 1
    int file;
} spIncludedLines;

typedef struct spIncludedFile
{
    char path[SP_PATH_SIZE];
    dev_t device;
    ino_t number;
} spIncludedFile;

struct spIncludes
{
    spHeap* heap;
    char folder[PATH_MAX];                     // of the first file, without links
    spIncludedFile files[SP_MAX_INCLUDES + 1]; // the first one, then those that were included
    spIncludedLines lines[2 * SP_MAX_INCLUDES + 1];
    int fileCount, lineCount;
    char* text;
    size_t size, capacity;
    int line; // that comes next in the whole
};

static bool spAppendText(spIncludes* includes, const char* text, size_t size, spError* error)
{
    if (size > SP_FILE_LIMIT - includes->size)
    {
        return spFail(error, sp_errorLimit, "with what it includes the file is larger than the limit of %zu",
                      SP_FILE_LIMIT);
    }
    if (includes->size + size > includes->capacity)
    {
        size_t capacity = 2 * (includes->size + size);
        char* grown = spAlloc(includes->heap, capacity);
        if (grown == NULL)
        {
            return spFailMemory(error, "a file and what it includes", capacity);
        }
        memcpy(grown, includes->text != NULL ? includes->text : "", includes->size);
        spFree(includes->heap, includes->text);
        includes->text = grown;
        includes->capacity = capacity;
    }
    memcpy(includes->text + includes->size, text, size);
    includes->size += size;
    return true;
}

// From one place of a file to another one, both at the start of a line
static bool spAppendLines(spIncludes* includes, int file, const spScanner* from, const spScanner* to,
                          spError* error)
{
    if (to->at == from->at)
    {
        return true;
    }
    includes->lines[includes->lineCount++] = (spIncludedLines){includes->line, from->line, file};
    includes->line += to->line - from->line;
    if (!spAppendText(includes, from->at, (size_t)(to->at - from->at), error))
    {
        return false;
    }
    // The last line of a file may lack its end
    bool whole = to->at[-1] == '\n' || to->at[-1] == '\r';
    includes->line += whole ? 0 : 1;
    return whole || spAppendText(includes, "\n", 1, error);
}

// Names go down from the folder only
static bool spGoesDown(const char* name)
{
    bool down = name[0] != 0 && name[0] != '/';
    for (const char* at = name; down && at != NULL;)
    {
        down = strncmp(at, "..", 2) != 0 || (at[2] != 0 && at[2] != '/');
        at = strchr(at, '/');
        at = at != NULL ? at + 1 : NULL;
    }
    return down;
}

// The path of what a line includes, after every link: a file inside the folder that was not read before
static bool spFindIncluded(spIncludes* includes, const char* name, spError* error)
{
    spIncludedFile* file = includes->files + includes->fileCount;
    char joined[2 * PATH_MAX], path[PATH_MAX];
    snprintf(joined, sizeof(joined), "%s/%s", includes->folder, name);
    size_t length = strlen(includes->folder);
    struct stat info;
    if (!spGoesDown(name))
    {
        return spFail(error, sp_errorUnsupported,
                      "the file includes \"%.60s\"; only files in the folder of the mesh are read", name);
    }
    if (realpath(joined, path) == NULL || stat(path, &info) != 0 || strlen(path) >= sizeof(file->path))
    {
        return spFail(error, sp_errorFileNotFound,
                      "the file includes \"%.60s\", which cannot be read; put it beside the mesh", name);
    }
    if (strncmp(path, includes->folder, length) != 0 || (length > 1 && path[length] != '/') ||
        !S_ISREG(info.st_mode))
    {
        return spFail(error, sp_errorUnsupported,
                      "the file includes \"%.60s\", which is no plain file in the folder of the mesh", name);
    }
    for (int i = 0; i < includes->fileCount; ++i)
    {
        if (includes->files[i].device == info.st_dev && includes->files[i].number == info.st_ino)
        {
            return spFail(error, sp_errorFileFormat, "the file includes \"%.60s\" a second time", name);
        }
    }
    memcpy(file->path, path, strlen(path) + 1);
    file->device = info.st_dev;
    file->number = info.st_ino;
    return true;
}

// The rest of a line, without the blanks around it
static void spScanName(spScanner* scanner, char* name, size_t size)
{
    spSkipBlanks(scanner);
    size_t length = 0;
    for (; !spAtLineEnd(scanner); ++scanner->at)
    {
        name[length < size - 1 ? length++ : length] = *scanner->at;
    }
    while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == '\t'))
    {
        --length;
    }
    name[length] = 0;
}

static bool spAppendFile(spIncludes* includes, int file, int depth, const char* data, size_t size,
                         spError* error);

static bool spAppendIncluded(spIncludes* includes, const char* name, int depth, spError* error)
{
    if (includes->fileCount > SP_MAX_INCLUDES || depth >= SP_MAX_INCLUDE_DEPTH)
    {
        return spFail(error, sp_errorLimit, "more than %d files, or files more than %d deep, are included",
                      SP_MAX_INCLUDES, SP_MAX_INCLUDE_DEPTH);
    }
    char* data;
    size_t size;
    if (!spFindIncluded(includes, name, error) ||
        !spReadWholeFile(includes->heap, includes->files[includes->fileCount].path, SP_FILE_LIMIT, &data,
                         &size, error))
    {
        return false;
    }
    bool ok = spAppendFile(includes, includes->fileCount++, depth + 1, data, size, error);
    spFree(includes->heap, data);
    return ok;
}

static bool spAppendFile(spIncludes* includes, int file, int depth, const char* data, size_t size,
                         spError* error)
{
    spScanner scanner = spMakeScanner(data, size), begin = scanner;
    while (!spAtEnd(&scanner))
    {
        spScanner start = scanner;
        spSkipBlanks(&scanner);
        if (!spWordIsAnyCase(spScanWord(&scanner), "*include"))
        {
            spSkipLine(&scanner);
            continue;
        }
        char name[PATH_MAX];
        spScanName(&scanner, name, sizeof(name));
        if (!spAppendLines(includes, file, &begin, &start, error))
        {
            return false;
        }
        int files = includes->fileCount;
        if (!spAppendIncluded(includes, name, depth, error))
        {
            // Of a file that could not even be found, its name stands here
            if (includes->fileCount == files && error != NULL)
            {
                error->line = start.line;
                spNamePath(includes->files[file].path, error);
            }
            return false;
        }
        spSkipLine(&scanner);
        begin = scanner;
    }
    return spAppendLines(includes, file, &begin, &scanner, error);
}

static bool spFindFolder(spIncludes* includes, const char* path)
{
    char folder[SP_PATH_SIZE];
    spIncludedFile* file = includes->files;
    struct stat info;
    if ((size_t)snprintf(file->path, sizeof(file->path), "%s", path) >= sizeof(file->path) ||
        stat(path, &info) != 0)
    {
        return false;
    }
    file->device = info.st_dev;
    file->number = info.st_ino;
    includes->fileCount = 1;
    snprintf(folder, sizeof(folder), "%s", path);
    char* slash = strrchr(folder, '/');
    strcpy(slash != NULL ? slash + (slash == folder) : folder, slash != NULL ? "" : ".");
    return realpath(folder, includes->folder) != NULL;
}

spIncludes* spCreateIncludes(spHeap* heap, const char* path, const char* data, size_t size, spError* error)
{
    spIncludes* includes = spAllocZeroed(heap, sizeof(spIncludes));
    if (includes == NULL)
    {
        spFailMemory(error, "a file and what it includes", sizeof(spIncludes));
        return NULL;
    }
    includes->heap = heap;
    includes->line = 1;
    bool found = spFindFolder(includes, path);
    if (!found)
    {
        spFail(error, sp_errorFileNotFound, "%.300s: its folder cannot be read", path);
    }
    if (!found || !spAppendFile(includes, 0, 0, data, size, error))
    {
        spDestroyIncludes(includes);
        return NULL;
    }
    return includes;
}

void spDestroyIncludes(spIncludes* includes)
{
    if (includes != NULL)
    {
        spFree(includes->heap, includes->text);
        spFree(includes->heap, includes);
    }
}

const char* spGetIncludedText(const spIncludes* includes, size_t* size)
{
    *size = includes->size;
    return includes->text;
}

void spNameIncluded(const spIncludes* includes, spError* error)
{
    if (error == NULL)
    {
        return;
    }
    int place = 0;
    while (place + 1 < includes->lineCount && includes->lines[place + 1].first <= error->line)
    {
        ++place;
    }
    const spIncludedLines* lines = includes->lines + place;
    if (error->line > 0 && includes->lineCount > 0)
    {
        error->line += lines->fileFirst - lines->first;
    }
    spNamePath(includes->files[error->line > 0 && includes->lineCount > 0 ? lines->file : 0].path, error);
}
