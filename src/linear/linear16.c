// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inner loops of linear algebra, 16 at a time.

#define SP_LANES 16
#include "linear/linear_lanes.h"
