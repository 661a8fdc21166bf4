// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Errors as values: filling an spError, and the sentences that several parts share.

#pragma once

#include "base/core.h"

#if defined(__GNUC__)
#define SP_PRINTF_FORMAT(formatIndex, firstArgument)                                                         \
    __attribute__((format(printf, formatIndex, firstArgument)))
#else
#define SP_PRINTF_FORMAT(formatIndex, firstArgument)
#endif

// Fills the error (which may be NULL) and returns false, so that a function can end with `return
// spFail(...)`.
bool spFail(spError* error, spErrorCode code, const char* format, ...) SP_PRINTF_FORMAT(3, 4);

// The same with a place in a file. line and column count from 1; 0 means unknown.
bool spFailAt(spError* error, spErrorCode code, int line, int column, const char* format, ...)
    SP_PRINTF_FORMAT(5, 6);

// "out of memory: <what> needs <size> bytes"
bool spFailMemory(spError* error, const char* what, size_t size);
