// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Wall clock.

#pragma once

#include "base/core.h"

// Seconds since some fixed moment, from a clock that never goes back.
double spGetSeconds(void);
