// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Every kind that runs in lanes. Included once per width by lanes<n>.c, which is compiled for the processor level
// that has them.

#include "element/bend_lanes.h"
#include "element/spring_lanes.h"
#include "element/tet_lanes.h"
#include "element/wind_lanes.h"
