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

// Rows of a filter: v becomes v + own v + sum weight (v_j - v)
typedef struct spFilterEntry
{
    int32_t offset; // of the neighbour's first number, 4 * node
    spReal weight;
} spFilterEntry;

typedef struct spFilterRows
{
    int32_t* begin; // first entry of each node (nodeCount + 1)
    spFilterEntry* entries;
    spReal* own; // 0 where a uniform velocity is kept
} spFilterRows;

// A rotation about a centre: velocity turn x (x - centre)
typedef struct spRotation
{
    spVec3 centre; // m
    spVec3 turn;   // rad/s
} spRotation;

// Sums over nodes that tell their rotation, relative to an origin: m x with m in w, m v, m x cross v, m x^2,
// and m times the products yz, zx, xy
#define SP_ROTATION_SUMS 5

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
    // to = v + h w f
    void (*kick)(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, spReal h, int begin, int end);
    // to = A (v + h w f), A a 3x3 matrix of each node, by columns
    void (*kickSolve)(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, const spReal* matrices,
                      spReal h, int begin, int end);
    // v = from, filtered with a strength in 0..1, plus the rotation; then x += h v. Held nodes keep v.
    void (*filterDrift)(spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows, spReal strength,
                        const spRotation* rotation, spReal h, int begin, int end);
    // v -= the rotation
    void (*takeRotation)(spVec4* v, const spVec4* x, const spRotation* rotation, int begin, int end);
    // SP_ROTATION_SUMS of nodes that are all free
    void (*sumRotation)(spVec4* sums, const spVec4* x, const spVec4* v, spVec3 origin, int begin, int end);
    void (*copy)(spVec4* to, const spVec4* from, int begin, int end);
    // Whether every number is finite
    bool (*isFinite)(const spVec4* a, int begin, int end);
} spBackend;

// Plain loops that the compiler turns into vector instructions
extern const spBackend spCpuBackend;
