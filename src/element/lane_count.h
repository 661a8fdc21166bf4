// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// How many lanes the kernels run in. A kind has one table for each number: its stem with that number, defined
// through SP_LANES_NAME by the kind's *_lanes.h.

#pragma once

#include "element/element.h"

// Lanes that this build has and this processor can run: 1, 4, 8 or 16
int spGetBestLaneCount(void);

// The form of kinds that always give blocks
spPairForm spGetBlockForm(const spElementSet* set, const spFill* fill);

// Place of a number of lanes in the order 1, 4, 8, 16
int spGetLaneIndex(int laneCount);

#ifdef SOUPLE_DISABLE_SIMD
#define SP_DECLARE_KINDS(stem) extern const spElementKind stem##1
#define SP_PICK_KIND(laneCount, stem) ((void)(laneCount), &stem##1)
#else
#define SP_DECLARE_KINDS(stem) extern const spElementKind stem##1, stem##4, stem##8, stem##16
#define SP_PICK_KIND(laneCount, stem)                                                                        \
    ((const spElementKind* const[]){&stem##1, &stem##4, &stem##8, &stem##16}[spGetLaneIndex(laneCount)])
#endif
