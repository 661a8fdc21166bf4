// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the rows of all kinds share, for SP_LANES lanes.

#pragma once

#include "math/lanes.h"

// What is done with a row
typedef enum spRowTask
{
    sp_taskProject,
    sp_taskCollect,
    sp_taskMeasure,
    sp_taskTranspose,
} spRowTask;

#if SP_LANES == 1
SP_KERNEL void spStore(spReal* to, R a)
{
    *to = a;
}
#else
// to is aligned to a block
SP_KERNEL void spStore(spReal* to, R a)
{
    *(RMemory*)to = a;
}
#endif

// Numbers of a whole block in the order of its lanes, whatever their number
SP_KERNEL double spSumBlock(const spReal* numbers)
{
    double sum = 0.0;
    for (int i = 0; i < SP_BLOCK; ++i)
    {
        sum += (double)numbers[i];
    }
    return sum;
}
