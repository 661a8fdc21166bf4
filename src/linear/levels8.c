// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inner loops of levels, for processors with eight lanes: six unknowns fit in one register.

#define SP_WIDTH 3
#define SP_LEVEL_TABLE spWideLevelKernels3
#include "linear/level_width.h"

#define SP_WIDTH 6
#define SP_LEVEL_TABLE spWideLevelKernels6
#include "linear/level_width.h"
