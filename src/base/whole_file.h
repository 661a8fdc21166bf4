// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whole files in, whole files out, and the folders that they go to.

#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "souple/file.h"

// "cannot write '<path>': <reason>; <remedy>", the reason being an errno. Returns false.
bool spFailWrite(spError* error, const char* path, int reason);

// Reads a whole file, or all that a pipe gives, of at most `limit` bytes. The caller frees *data, of *size
// bytes, with spFree(heap, *data).
bool spReadWholeFile(spHeap* heap, const char* path, size_t limit, char** data, size_t* size, spError* error);

// Writes a whole file
bool spWriteWholeFile(const char* path, const void* data, size_t size, spError* error);

// Makes a folder and its parents. Returns false, with errno set, when that fails.
bool spMakeFolders(const char* path);
