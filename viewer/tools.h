// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the files of the viewer share: errors, the wall clock, JSON.

#pragma once

#include "souple/base.h"

#include <jansson.h>

// internalValue of definitions that come from their spDefault...Def function
#define SP_VIEW_COOKIE 0x50504F53

// Fills an error unless it is NULL. Always returns false.
bool spFailView(spError* error, spErrorCode code, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

// Seconds on a clock that only goes forward
double spGetWall(void);

// A number, or null when it is not finite: JSON has no word for that
json_t* spMakeNumber(double value);

// Says something to whoever listens
void spSay(const spLogger* logger, spLogLevel level, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
