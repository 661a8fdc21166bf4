// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Files that name other files to be read in their place.

#pragma once

#include "format/text_scan.h"

#include "base/memory.h"

// Most files that one text may include, and how deep
#define SP_MAX_INCLUDES 64
#define SP_MAX_INCLUDE_DEPTH 8

typedef struct spIncludes spIncludes;

// The text of a file with what its lines "*INCLUDE name" name in their place. Names are relative to the folder
// of `path` and stay inside of it; each file is read once at most, so that nothing goes in circles. Destroyed
// by spDestroyIncludes; NULL on failure, with an error that names the file.
spIncludes* spCreateIncludes(spHeap* heap, const char* path, const char* data, size_t size, spError* error);
void spDestroyIncludes(spIncludes* includes);

const char* spGetIncludedText(const spIncludes* includes, size_t* size);

// Puts the file that an error is in, and the line in it, before its message
void spNameIncluded(const spIncludes* includes, spError* error);
