// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Precise tets where others go by 4 lanes.

#define SP_LANES 4
#define SP_PRECISE_NAME(stem) stem##4
#include "element/tet_precise_lanes.h"
