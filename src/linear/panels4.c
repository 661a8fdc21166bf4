// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Substitution with panels, 4 lanes at a time.

#define SP_LANES 4
#include "linear/panel_lanes.h"
