// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Checks and small macros that every source file may use.
//
// Three levels: SP_CHECK (the caller or the data is wrong; always on; reports and returns), SP_ASSERT (we are
// wrong; builds without NDEBUG), SP_VALIDATE (an expensive invariant of ours; builds with SOUPLE_VALIDATE).

#pragma once

#include "souple/base.h"

#include <assert.h>

#ifndef SP_ASSERT
#define SP_ASSERT(condition) assert(condition)
#endif

#ifdef SOUPLE_VALIDATE
#define SP_VALIDATE(condition) SP_ASSERT(condition)
#else
#define SP_VALIDATE(condition) ((void)0)
#endif

#define SP_UNUSED(x) ((void)(x))
#define SP_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// Set in every definition struct by its spDefault...Def function
#define SP_DEF_COOKIE 0x50504F53

// A cache line: what different threads write must not share one
#define SP_CACHE_LINE 64

static inline int spMinInt(int a, int b)
{
    return a < b ? a : b;
}

static inline int spMaxInt(int a, int b)
{
    return a > b ? a : b;
}

static inline int spClampInt(int a, int lower, int upper)
{
    return a < lower ? lower : (a > upper ? upper : a);
}
