// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The stages of layered depth images for processors with AVX-512.

#define SP_LANES 16
#include "contact/raster_lanes.h"
