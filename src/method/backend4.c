// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The backend of the CPU, 4 lanes.

#define SP_LANES 4
#include "method/backend_lanes.h"
