// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Precise tets where others go by 8 lanes or more.

#define SP_LANES 4
#define SP_PRECISE_NAME(stem) stem##8
#include "element/tet_precise_lanes.h"
