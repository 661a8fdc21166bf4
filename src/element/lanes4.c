// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Every kind that runs in lanes, 4 at a time.

#define SP_LANES 4
#include "element/bend_lanes.h"
#include "element/spring_lanes.h"
#include "element/tet_lanes.h"
#include "element/wind_lanes.h"
