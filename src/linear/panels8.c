// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Substitution with panels, 8 lanes at a time.

#define SP_LANES 8
#include "linear/panel_lanes.h"
