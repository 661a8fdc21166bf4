// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What Jansson has no word for. For parts that link it.

#pragma once

#include <jansson.h>
#include <math.h>

// A number, or null when it is not finite
static inline json_t* spMakeJsonNumber(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}
