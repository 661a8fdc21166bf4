// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The rows of every kind that XPBD projects, 16 at a time.

#define SP_LANES 16
#include "element/bend_rows_lanes.h"
#include "element/distance_rows_lanes.h"
#include "element/energy_rows_lanes.h"
#include "element/extent_rows_lanes.h"
#include "element/green_rows_lanes.h"
#include "element/hyper_rows_lanes.h"
#include "element/tet_rows_lanes.h"
