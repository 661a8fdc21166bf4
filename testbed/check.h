// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What every test includes: cmocka with its prerequisites, near-equality, and repeatable random numbers.

#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "testbed/random.h"

/// Fails with both numbers printed unless |a - b| <= tolerance. NaN always fails.
#define CHECK_NEAR(a, b, tolerance)                                                                          \
    do                                                                                                       \
    {                                                                                                        \
        double checkA = (double)(a), checkB = (double)(b), checkT = (double)(tolerance);                     \
        if (!(fabs(checkA - checkB) <= checkT))                                                              \
        {                                                                                                    \
            print_error("%s = %.17g, %s = %.17g, differ by %g > %g\n", #a, checkA, #b, checkB,               \
                        fabs(checkA - checkB), checkT);                                                      \
            fail();                                                                                          \
        }                                                                                                    \
    } while (0)

/// Fails with the number printed unless the comparison holds, for example CHECK_LESS(error, 1e-6).
#define CHECK_LESS(a, limit)                                                                                 \
    do                                                                                                       \
    {                                                                                                        \
        double checkA = (double)(a), checkL = (double)(limit);                                               \
        if (!(checkA < checkL))                                                                              \
        {                                                                                                    \
            print_error("%s = %.17g is not below %s = %g\n", #a, checkA, #limit, checkL);                    \
            fail();                                                                                          \
        }                                                                                                    \
    } while (0)
