// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Files that are there whole or not at all. Everything that Souple writes is written like this, except
// recordings, which can be read up to any cut.

#pragma once

#include "souple/base.h"

#include <stdio.h>

/// Bytes of a path, terminator included. Longer ones are refused.
#define SP_PATH_SIZE 4096

SP_EXTERN_C_BEGIN

/// A file that is being written. Until it is closed it lies beside its place as `<path>.part`: readers see
/// the old file or the new one, never half of it. A program that is killed leaves that one behind, and the
/// next one that writes the same file takes it over. While another process is writing the same file, the name
/// is `<path>.<process>.part`. Terminals, pipes and devices are written in place; of a link the target is
/// replaced.
typedef struct spWholeFile
{
    FILE* stream;                      ///< to write to; errors of it are told by spCloseWholeFile
    char path[SP_PATH_SIZE];           ///< where the file will be
    char temporary[SP_PATH_SIZE + 32]; ///< where it is now; empty when it is written in place
} spWholeFile;

/// Begins to write a file.
/// @param path where it will be; its folder must exist
/// @return false, with nothing to close, when it cannot be written; error names the path, the reason and,
/// where there is one, the remedy.
SP_API bool spOpenWholeFile(spWholeFile* file, const char* path, spError* error);

/// Ends a file: puts it under its name when all was written, else removes what there is.
/// @param keep false to give the file up; the old one, if any, stays
/// @return whether the file is there, or was given up as wished. Otherwise error names the path, the reason
/// and the remedy.
SP_API bool spCloseWholeFile(spWholeFile* file, bool keep, spError* error);

SP_EXTERN_C_END
