// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static const char* const errorNames[] = {
    "sp_errorNone",      "sp_errorOutOfMemory", "sp_errorBadDef",      "sp_errorBadArgument",
    "sp_errorBadIndex",  "sp_errorStaleId",     "sp_errorBadMesh",     "sp_errorFileNotFound",
    "sp_errorFileWrite", "sp_errorFileFormat",  "sp_errorUnsupported", "sp_errorScene",
    "sp_errorLimit",     "sp_errorThread",
};

_Static_assert(sizeof(errorNames) / sizeof(errorNames[0]) == sp_errorCodeCount, "one name per error code");

const char* spErrorCode_GetName(spErrorCode code)
{
    return (unsigned)code < (unsigned)sp_errorCodeCount ? errorNames[code] : "unknown error";
}

static void spFillError(spError* error, spErrorCode code, int line, int column, const char* format,
                        va_list arguments)
{
    if (error == NULL)
    {
        return;
    }
    error->code = code;
    error->line = line;
    error->column = column;
    vsnprintf(error->message, sizeof(error->message), format, arguments);
}

bool spFail(spError* error, spErrorCode code, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    spFillError(error, code, 0, 0, format, arguments);
    va_end(arguments);
    return false;
}

bool spFailAt(spError* error, spErrorCode code, int line, int column, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    spFillError(error, code, line, column, format, arguments);
    va_end(arguments);
    return false;
}

bool spFailMemory(spError* error, const char* what, size_t size)
{
    return spFail(error, sp_errorOutOfMemory, "out of memory: %s needs %zu bytes", what, size);
}
