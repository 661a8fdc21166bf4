// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inner loops of linear algebra, one at a time.

#define SP_LANES 1
#include "linear/linear_lanes.h"
