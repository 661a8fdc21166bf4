// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool spFailWrite(spError* error, const char* path, int reason)
{
    static const struct
    {
        int reason;
        const char* remedy;
    } s_remedies[] = {
        {ENOENT, "; create its folder first"},
        {ENOTDIR, "; a part of the path is a file, not a folder"},
        {EISDIR, "; give the name of a file, not of a folder"},
        {EACCES, "; check the permissions of its folder"},
        {EROFS, "; choose a folder on another disk"},
        {ENOSPC, "; make room on the disk"},
        {EDQUOT, "; make room: the quota of this user is used up"},
        {EFBIG, "; raise the limit for the size of files (ulimit -f), or choose another disk"},
        {ENAMETOOLONG, "; choose a shorter name"},
    };
    const char* remedy = "";
    for (int i = 0; i < SP_COUNT(s_remedies); ++i)
    {
        remedy = s_remedies[i].reason == reason ? s_remedies[i].remedy : remedy;
    }
    spErrorCode code = reason == ENOMEM ? sp_errorOutOfMemory : sp_errorFileWrite;
    return spFail(error, code, "cannot write '%.300s': %s%s", path,
                  reason != 0 ? strerror(reason) : "write error", remedy);
}

// Whether a name still leads to an open file: another process may have renamed it in between
static bool spIsStillThere(int descriptor, const char* path)
{
    struct stat open, named;
    return fstat(descriptor, &open) == 0 && stat(path, &named) == 0 && open.st_dev == named.st_dev &&
           open.st_ino == named.st_ino;
}

// Opens and locks a temporary file. A left-over is taken over: nobody has its lock. Returns -1, with the
// reason in errno: EWOULDBLOCK when another process is writing it.
static int spOpenLocked(const char* path)
{
    for (;;)
    {
        int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor < 0)
        {
            return -1;
        }
        // A file system without locks has to do without
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        {
            close(descriptor);
            errno = EWOULDBLOCK;
            return -1;
        }
        if (spIsStillThere(descriptor, path))
        {
            if (ftruncate(descriptor, 0) == 0)
            {
                return descriptor;
            }
            int reason = errno;
            close(descriptor);
            errno = reason;
            return -1;
        }
        close(descriptor);
    }
}

static int spOpenTemporary(spWholeFile* file)
{
    snprintf(file->temporary, sizeof(file->temporary), "%s.part", file->path);
    int descriptor = spOpenLocked(file->temporary);
    if (descriptor < 0 && errno == EWOULDBLOCK)
    {
        snprintf(file->temporary, sizeof(file->temporary), "%s.%ld.part", file->path, (long)getpid());
        descriptor = spOpenLocked(file->temporary);
    }
    return descriptor;
}

bool spOpenWholeFile(spWholeFile* file, const char* path, spError* error)
{
    *file = (spWholeFile){0};
    if (path == NULL || path[0] == 0)
    {
        return spFail(error, sp_errorBadArgument, "cannot write a file without a name");
    }
    if (strlen(path) >= sizeof(file->path))
    {
        return spFailWrite(error, path, ENAMETOOLONG);
    }
    snprintf(file->path, sizeof(file->path), "%s", path);
    struct stat info;
    bool exists = stat(path, &info) == 0;
    bool inPlace = exists && S_ISREG(info.st_mode) == false;
    char resolved[PATH_MAX];
    if (exists && inPlace == false && realpath(path, resolved) != NULL &&
        strlen(resolved) < sizeof(file->path))
    {
        snprintf(file->path, sizeof(file->path), "%s", resolved);
    }
    int descriptor = inPlace ? open(file->path, O_WRONLY | O_CLOEXEC) : spOpenTemporary(file);
    if (descriptor < 0)
    {
        return spFailWrite(error, path, errno);
    }
    if (exists && inPlace == false)
    {
        // Keep the permissions; that this may fail is no reason not to write
        int ignored = fchmod(descriptor, info.st_mode & 07777);
        SP_UNUSED(ignored);
    }
    file->stream = fdopen(descriptor, "wb");
    if (file->stream == NULL)
    {
        int reason = errno;
        if (inPlace == false)
        {
            unlink(file->temporary);
        }
        close(descriptor);
        return spFailWrite(error, path, reason);
    }
    return true;
}

// The stream remembers that it failed, not why: the next byte fails for the same reason
static int spFindReason(FILE* stream)
{
    errno = 0;
    ssize_t written = write(fileno(stream), "", 1);
    return written < 0 ? errno : 0;
}

bool spCloseWholeFile(spWholeFile* file, bool keep, spError* error)
{
    int reason = 0;
    bool good = true;
    if (fflush(file->stream) != 0)
    {
        good = false;
        reason = errno;
    }
    else if (ferror(file->stream) != 0)
    {
        good = false;
        reason = spFindReason(file->stream);
    }
    else
    {
        // Some file systems tell only at a close that there was no room
        int copy = dup(fileno(file->stream));
        good = copy < 0 || close(copy) == 0;
        reason = good ? 0 : errno;
    }
    // Renamed while it is locked, so that nobody takes it over
    bool renames = file->temporary[0] != 0;
    if (renames && keep && good && rename(file->temporary, file->path) != 0)
    {
        good = false;
        reason = errno;
    }
    if (renames && (keep == false || good == false))
    {
        unlink(file->temporary);
    }
    fclose(file->stream);
    file->stream = NULL;
    return good || keep == false || spFailWrite(error, file->path, reason);
}

bool spWriteWholeFile(const char* path, const void* data, size_t size, spError* error)
{
    spWholeFile file;
    if (spOpenWholeFile(&file, path, error) == false)
    {
        return false;
    }
    fwrite(data, 1, size, file.stream);
    return spCloseWholeFile(&file, true, error);
}

static bool spFailRead(spError* error, const char* path, int reason)
{
    const char* remedy = reason == ENOENT   ? "; check the name and the folder"
                         : reason == EACCES ? "; check its permissions"
                                            : "";
    return spFail(error, sp_errorFileNotFound, "cannot read %.300s: %s%s", path, strerror(reason), remedy);
}

// More room while reading. What has a size gets one byte more, which shows the end without growing.
static bool spGrowBuffer(spHeap* heap, char** data, size_t size, size_t* capacity, size_t room,
                         spError* error)
{
    char* memory = spAlloc(heap, room);
    if (memory == NULL)
    {
        return spFailMemory(error, "reading a file", room);
    }
    if (size > 0)
    {
        memcpy(memory, *data, size);
    }
    spFree(heap, *data);
    *data = memory;
    *capacity = room;
    return true;
}

static bool spReadDescriptor(spHeap* heap, int descriptor, const char* path, size_t limit, char** data,
                             size_t* size, spError* error)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0)
    {
        return spFailRead(error, path, errno);
    }
    if (S_ISDIR(info.st_mode))
    {
        return spFail(error, sp_errorFileNotFound,
                      "cannot read %.300s: it is a folder; give the name of a file in it", path);
    }
    if (S_ISREG(info.st_mode) && (uint64_t)info.st_size > limit)
    {
        return spFail(error, sp_errorLimit, "%.300s has %" PRIu64 " bytes; the limit is %zu", path,
                      (uint64_t)info.st_size, limit);
    }
    size_t capacity = 0, room = S_ISREG(info.st_mode) ? (size_t)info.st_size + 1 : 1 << 16;
    for (ssize_t got = 1; got != 0;)
    {
        if (*size > limit)
        {
            return spFail(error, sp_errorLimit, "%.300s has more bytes than the limit of %zu", path, limit);
        }
        if (*size == capacity)
        {
            if (spGrowBuffer(heap, data, *size, &capacity, room, error) == false)
            {
                return false;
            }
            room = 2 * capacity;
        }
        got = read(descriptor, *data + *size, capacity - *size);
        if (got < 0 && errno != EINTR)
        {
            return spFailRead(error, path, errno);
        }
        *size += got > 0 ? (size_t)got : 0;
    }
    return true;
}

bool spReadWholeFile(spHeap* heap, const char* path, size_t limit, char** data, size_t* size, spError* error)
{
    *data = NULL;
    *size = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
    {
        return spFailRead(error, path, errno);
    }
    bool ok = spReadDescriptor(heap, descriptor, path, limit, data, size, error);
    close(descriptor);
    if (ok == false)
    {
        spFree(heap, *data);
        *data = NULL;
        *size = 0;
    }
    return ok;
}

bool spMakeFolders(const char* path)
{
    char copy[SP_PATH_SIZE];
    if ((size_t)snprintf(copy, sizeof(copy), "%s", path) >= sizeof(copy))
    {
        errno = ENAMETOOLONG;
        return false;
    }
    if (copy[0] == 0)
    {
        errno = ENOENT;
        return false;
    }
    for (char* c = copy + 1; *c != 0; ++c)
    {
        if (*c == '/')
        {
            *c = 0;
            if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            {
                return false;
            }
            *c = '/';
        }
    }
    struct stat info;
    if (mkdir(copy, 0777) != 0 && errno != EEXIST)
    {
        return false;
    }
    if (stat(copy, &info) != 0 || !S_ISDIR(info.st_mode))
    {
        errno = ENOTDIR;
        return false;
    }
    return true;
}
