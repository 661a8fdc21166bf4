// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The stages of layered depth images for any processor.

#define SP_LANES 1
#include "contact/raster_lanes.h"
