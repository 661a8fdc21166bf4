// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Substitution with panels, 1 lane at a time.

#define SP_LANES 1
#include "linear/panel_lanes.h"
