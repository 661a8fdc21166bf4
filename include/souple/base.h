// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Types that every part of Souple shares: numbers and vectors, errors, the user's allocator, logger and task
// system, ids. Units are SI everywhere: metre, kilogram, second, newton, pascal, joule, radian.

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
/// Opens the declarations of a header for C++.
#define SP_EXTERN_C_BEGIN                                                                                    \
    extern "C"                                                                                               \
    {
/// Closes what SP_EXTERN_C_BEGIN opened.
#define SP_EXTERN_C_END }
/// Zero-initialises any Souple struct in C and in C++: `spError error = SP_ZERO_INIT;`
#define SP_ZERO_INIT                                                                                         \
    {                                                                                                        \
    }
#else
/// Opens the declarations of a header for C++.
#define SP_EXTERN_C_BEGIN
/// Closes what SP_EXTERN_C_BEGIN opened.
#define SP_EXTERN_C_END
/// Zero-initialises any Souple struct in C and in C++: `spError error = SP_ZERO_INIT;`
#define SP_ZERO_INIT                                                                                         \
    {                                                                                                        \
        0                                                                                                    \
    }
#endif

/// Marks a function that the library exports.
#if defined(__GNUC__)
#define SP_API __attribute__((visibility("default")))
#else
#define SP_API
#endif

/// Version of these headers, first number. Compare with spGetVersion() to detect a library of another
/// version.
#define SP_VERSION_MAJOR 0
/// Version of these headers, second number.
#define SP_VERSION_MINOR 1
/// Version of these headers, third number.
#define SP_VERSION_PATCH 0

/// Most worker threads that a world accepts.
#define SP_MAX_WORKERS 64

/// Bytes of an error message, terminator included. Longer messages are cut.
#define SP_ERROR_MESSAGE_SIZE 512

SP_EXTERN_C_BEGIN

/// The number type of the simulated state: float, or double when the library was built with
/// SOUPLE_DOUBLE_PRECISION. A program must be compiled with the same define as its library (the CMake package
/// and the pkg-config file pass it on); a mismatch fails at link time.
#ifdef SOUPLE_DOUBLE_PRECISION
typedef double spReal;
#else
typedef float spReal;
#endif

/// A vector or a point of the simulated state.
typedef struct spVec3
{
    spReal x; ///< along the first axis
    spReal y; ///< along the second axis, by convention up
    spReal z; ///< along the third axis
} spVec3;

/// A point in double precision. Meshes keep their coordinates like this whatever spReal is, so that reading
/// and writing a file loses nothing.
typedef struct spDVec3
{
    double x; ///< along the first axis, m
    double y; ///< along the second axis, m
    double z; ///< along the third axis, m
} spDVec3;

/// A rotation as a unit quaternion, `w` being the scalar part. The identity is {0, 0, 0, 1}.
typedef struct spQuat
{
    spReal x; ///< first component of the vector part
    spReal y; ///< second component of the vector part
    spReal z; ///< third component of the vector part
    spReal w; ///< scalar part
} spQuat;

/// A rigid placement: rotate, then translate.
typedef struct spTransform
{
    spVec3 position; ///< translation, m
    spQuat rotation; ///< rotation, unit quaternion
} spTransform;

/// Read-only vectors that belong to the library. Valid until the next step or edit of the world it came from.
typedef struct spVec3View
{
    const spVec3* data; ///< first vector, NULL when count is 0
    int count;          ///< number of vectors
} spVec3View;

/// What went wrong. spErrorCode_GetName gives the name as text.
typedef enum spErrorCode
{
    sp_errorNone = 0,     ///< nothing went wrong
    sp_errorOutOfMemory,  ///< the allocator returned NULL
    sp_errorBadDef,       ///< a definition struct did not come from its spDefault...Def function
    sp_errorBadArgument,  ///< a number is NaN, infinite or out of range, or a pointer is NULL
    sp_errorBadIndex,     ///< a node, element or vertex index is out of range
    sp_errorStaleId,      ///< the object behind an id was destroyed, or never existed
    sp_errorBadMesh,      ///< a mesh cannot be used for what was asked
    sp_errorFileNotFound, ///< a file does not exist or may not be read
    sp_errorFileWrite,    ///< a file could not be written (folder missing, disk full, no permission)
    sp_errorFileFormat,   ///< a file is damaged, cut off, or not of the format it claims
    sp_errorUnsupported,  ///< understood, but this build or this combination of parts cannot do it
    sp_errorScene,        ///< a scene file is wrong; line and column say where
    sp_errorLimit,        ///< a size is over a stated limit
    sp_errorThread,       ///< the operating system gave no thread
    sp_errorCodeCount     ///< number of codes
} spErrorCode;

/// An error as a value. Start with `spError error = SP_ZERO_INIT;`. Every function that takes an spError*
/// also takes NULL there, and leaves the struct alone when all went well.
typedef struct spError
{
    spErrorCode code;                    ///< sp_errorNone when nothing happened
    int line;                            ///< line in the file that was read, from 1; 0 when it has none
    int column;                          ///< column in that line, from 1; 0 when unknown
    char message[SP_ERROR_MESSAGE_SIZE]; ///< names the thing and, where there is one, the remedy
} spError;

/// @return the name of a code, for example "sp_errorBadMesh"; never NULL.
SP_API const char* spErrorCode_GetName(spErrorCode code);

/// Allocates `size` bytes aligned to `alignment` (a power of two, at most 64).
/// @return NULL when there is no memory: the call that asked then reports sp_errorOutOfMemory.
typedef void* spAllocFcn(size_t size, size_t alignment, void* context);

/// Frees what spAllocFcn returned. `size` is what was asked for.
typedef void spFreeFcn(void* memory, size_t size, void* context);

/// The user's memory functions. All zero means the C library's.
typedef struct spAllocator
{
    spAllocFcn* alloc; ///< NULL means aligned_alloc
    spFreeFcn* free;   ///< NULL means free
    void* context;     ///< passed back to both
} spAllocator;

/// How serious a log message is.
typedef enum spLogLevel
{
    sp_logError = 0, ///< a call failed
    sp_logWarning,   ///< something was accepted that is probably not meant
    sp_logInfo,      ///< what the library decided by itself
} spLogLevel;

/// Receives log messages. May be called from any thread that calls into the library.
typedef void spLogFcn(spLogLevel level, const char* message, void* context);

/// The user's logger. All zero means no logging.
typedef struct spLogger
{
    spLogFcn* log; ///< NULL means silence
    void* context; ///< passed back to log
} spLogger;

/// One piece of parallel work, to be called once by the user's task system from any thread.
typedef void spTaskFcn(void* taskContext);

/// Hands a task to the user's task system. The task must be started at some time before the matching
/// spFinishTaskFcn returns; the tasks of one step need not run at the same time: a step makes progress even
/// when they all run one after the other.
/// @return a handle for spFinishTaskFcn, may be NULL.
typedef void* spEnqueueTaskFcn(spTaskFcn* task, void* taskContext, void* userContext);

/// Waits until a task that spEnqueueTaskFcn took has returned.
typedef void spFinishTaskFcn(void* handle, void* userContext);

/// A body in a world. Zero is null. Ids stay valid until the body is destroyed; a stale id is recognised.
typedef struct spBodyId
{
    uint32_t index1;     ///< slot + 1; 0 is the null id
    uint32_t generation; ///< counts how often the slot was used
} spBodyId;

/// A collider in a world. Zero is null.
typedef struct spColliderId
{
    uint32_t index1;     ///< slot + 1; 0 is the null id
    uint32_t generation; ///< counts how often the slot was used
} spColliderId;

/// A link in a world. Zero is null.
typedef struct spLinkId
{
    uint32_t index1;     ///< slot + 1; 0 is the null id
    uint32_t generation; ///< counts how often the slot was used
} spLinkId;

/// True when an id of any sort is the null id.
#define SP_IS_NULL(id) ((id).index1 == 0)

/// True when two ids of the same sort name the same object.
#define SP_ID_EQUALS(a, b) ((a).index1 == (b).index1 && (a).generation == (b).generation)

/// @return the version of the library as major * 10000 + minor * 100 + patch.
SP_API int spGetVersion(void);

/// @return the number of lanes that the fastest kernels of this build have on this processor: 1, 4, 8 or 16.
SP_API int spGetLaneCount(void);

SP_EXTERN_C_END
