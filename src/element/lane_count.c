// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/lane_count.h"

int spGetBestLaneCount(void)
{
#if defined(SOUPLE_DISABLE_SIMD)
    return 1;
#elif defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
    {
        return 16;
    }
    return __builtin_cpu_supports("avx2") ? 8 : 4;
#else
    return 4;
#endif
}

int spGetLaneIndex(int laneCount)
{
    return laneCount == 16 ? 3 : (laneCount == 8 ? 2 : (laneCount == 4 ? 1 : 0));
}

spPairForm spGetBlockForm(const spElementSet* set, const spFill* fill)
{
    SP_UNUSED(set);
    SP_UNUSED(fill);
    return sp_pairsBlocks;
}
