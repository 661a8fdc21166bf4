// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The rows of every kind that XPBD projects, 1 at a time.

#define SP_LANES 1
#include "element/rows_lanes.h"
