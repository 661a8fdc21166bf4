// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#define SP_LANES 1
#include "element/bend_lanes.h"
