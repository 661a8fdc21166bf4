// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/levels.h"

#include <string.h>

#define SP_WIDTH 3
#include "linear/level_kernel.h"

#define SP_WIDTH 6
#include "linear/level_kernel.h"
