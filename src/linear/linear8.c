// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inner loops of linear algebra, 8 at a time.

#define SP_LANES 8
#include "linear/linear_lanes.h"
