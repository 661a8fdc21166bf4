// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/backend.h"

#include "element/lane_count.h"

#ifdef SOUPLE_DISABLE_SIMD
extern const spBackend spBackend1;
#else
extern const spBackend spBackend1, spBackend4, spBackend8, spBackend16;
#endif

const spBackend* spFindBackend(int laneCount)
{
#ifdef SOUPLE_DISABLE_SIMD
    SP_UNUSED(laneCount);
    return &spBackend1;
#else
    static const spBackend* const backends[] = {&spBackend1, &spBackend4, &spBackend8, &spBackend16};
    return backends[spGetLaneIndex(laneCount)];
#endif
}
