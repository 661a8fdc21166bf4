// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The backend of the CPU, 16 lanes.

#define SP_LANES 16
#include "method/backend_lanes.h"
