// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where node arrays are worked on: the array operations that methods are made of. A method never loops over
// nodes itself, so that the same driver runs on another filling of this table.
//
// Operations work on nodes [begin, end); x carries the inverse mass in w, v and f carry 0 there.

#pragma once

#include "base/node.h"

// Arrays of a Runge-Kutta step
typedef struct spRungeArrays
{
    spVec4* stageX; // where the next forces are evaluated
    spVec4* stageV;
    spVec4* sumX; // weighted sums of the slopes
    spVec4* sumV;
} spRungeArrays;

typedef struct spBackend
{
    const char* name;

    // x += h v
    void (*drift)(spVec4* x, const spVec4* v, spReal h, int begin, int end);
    // v += h w f, then x += hx v
    void (*kickDrift)(spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end);
    // x += h v, then v += h w f
    void (*driftKick)(spVec4* x, spVec4* v, const spVec4* f, spReal h, int begin, int end);
    // One stage: slopes (stageV, w f) are summed with `weight`; the next stage starts `advance` along them
    // from (x, v)
    void (*rungeStage)(const spVec4* x, const spVec4* v, const spVec4* f, const spRungeArrays* arrays,
                       spReal weight, spReal advance, int begin, int end);
    // x += h sumX, v += h sumV
    void (*rungeFinish)(spVec4* x, spVec4* v, const spRungeArrays* arrays, spReal h, int begin, int end);
    void (*copy)(spVec4* to, const spVec4* from, int begin, int end);
    // Whether every number is finite
    bool (*isFinite)(const spVec4* a, int begin, int end);
} spBackend;

// Plain loops that the compiler turns into vector instructions
extern const spBackend spCpuBackend;
