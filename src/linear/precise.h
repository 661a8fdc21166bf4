// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Positions with remainders: what rounding a position to single precision leaves of it lies `remainder` places behind
// it, so that the two together are as good as double precision.

#pragma once

#include "base/node.h"

typedef double spWideQuad __attribute__((vector_size(4 * sizeof(double))));

// Without what stands in w
static inline spWideQuad spWidenNode(spVec4 a)
{
    return (spWideQuad){(double)a.x, (double)a.y, (double)a.z, 0.0};
}

static inline spWideQuad spGetPrecise(const spVec4* x, int remainder, int node)
{
    return spWidenNode(x[node]) + spWidenNode(x[node + remainder]);
}

// By whole vectors: from single numbers gcc 12 makes a remainder of nothing
static inline void spPutPrecise(spVec4* x, int remainder, int node, spWideQuad a)
{
    spQuad high = __builtin_convertvector(a, spQuad);
    spQuad low = __builtin_convertvector(a - __builtin_convertvector(high, spWideQuad), spQuad);
    high[3] = x[node].w;
    low[3] = 0;
    ((spQuadMemory*)x)[node] = high;
    ((spQuadMemory*)x)[node + remainder] = low;
}
