// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The backend of the CPU, one at a time.

#define SP_LANES 1
#include "method/backend_lanes.h"
