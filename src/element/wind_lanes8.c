// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#define SP_LANES 8
#include "element/wind_lanes.h"
