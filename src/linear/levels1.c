// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inner loops of levels, for any processor.

#define SP_WIDTH 3
#define SP_LEVEL_TABLE spLevelKernels3
#include "linear/level_width.h"

#define SP_WIDTH 6
#define SP_LEVEL_TABLE spLevelKernels6
#include "linear/level_width.h"
