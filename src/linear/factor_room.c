// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// SuiteSparse has one table of memory functions for the whole process. Ours are put in front of those once,
// the first time that a room is used; on threads that are in no room they pass everything on. From version 6
// on the table is closed, and CHOLMOD goes on asking malloc.

#define _GNU_SOURCE // for RTLD_DEFAULT

#include "linear/factor_room.h"

#include <dlfcn.h>
#include <pthread.h>
#include <SuiteSparse_config.h>

#define SP_ROOM_ALIGNMENT 64

static pthread_once_t s_once = PTHREAD_ONCE_INIT;
static void* (*s_malloc)(size_t);
static void (*s_free)(void*);
static _Thread_local spFactorRoom* s_room;

static size_t spPadPiece(size_t size)
{
    return (size + SP_ROOM_ALIGNMENT - 1) / SP_ROOM_ALIGNMENT * SP_ROOM_ALIGNMENT;
}

size_t spGetFactorRoomSize(size_t first, size_t second)
{
    return spPadPiece(first) + spPadPiece(second);
}

#if SUITESPARSE_MAIN_VERSION < 6

static void* spAskRoom(size_t size)
{
    spFactorRoom* room = s_room;
    bool fits = room != NULL && (size == room->sizes[0] || size == room->sizes[1]) &&
                room->used + spPadPiece(size) <= room->size;
    if (fits == false)
    {
        return s_malloc(size);
    }
    void* piece = room->memory + room->used;
    room->used += spPadPiece(size);
    return piece;
}

static void spReturnToRoom(void* memory)
{
    const spFactorRoom* room = s_room;
    uintptr_t place = (uintptr_t)memory, begin = room != NULL ? (uintptr_t)room->memory : 0;
    if (room == NULL || place < begin || place >= begin + room->size)
    {
        s_free(memory);
    }
}

static void spPutInFront(void)
{
    struct SuiteSparse_config_struct* table = dlsym(RTLD_DEFAULT, "SuiteSparse_config");
    if (table != NULL)
    {
        s_malloc = table->malloc_func;
        s_free = table->free_func;
        table->malloc_func = spAskRoom;
        table->free_func = spReturnToRoom;
    }
}

#else

static void spPutInFront(void)
{
    s_malloc = NULL;
    s_free = NULL;
}

#endif

void spEnterFactorRoom(spFactorRoom* room)
{
    pthread_once(&s_once, spPutInFront);
    room->used = 0;
    s_room = room;
}

void spLeaveFactorRoom(void)
{
    s_room = NULL;
}
