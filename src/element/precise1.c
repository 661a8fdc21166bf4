// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Precise tets where others go by one lane.

#define SP_LANES 1
#define SP_PRECISE_NAME(stem) stem##1
#include "element/tet_precise_lanes.h"
