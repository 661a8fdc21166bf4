// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The rows of every kind that XPBD projects, 16 at a time.

#define SP_LANES 16
#include "element/rows_lanes.h"
