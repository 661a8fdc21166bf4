// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Every kind that runs in lanes, 16 at a time.

#define SP_LANES 16
#include "element/kinds_lanes.h"
