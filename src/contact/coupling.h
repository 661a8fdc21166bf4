// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What impulses on points do to the velocities of all points that a compliance couples them to.
//
// Gauss-Seidel over contacts does little else. A factor couples all points of a body, so that the blocks of a point
// with those that follow each other are kept side by side, entry by entry: a run is read in one stream.

#pragma once

#include "base/arena.h"
#include "body/row.h"

// Blocks of a point with `count` points from `first` on. Entry e of the transposed blocks, by rows, is at
// cells[e * count].
typedef struct spCouplingRun
{
    int32_t first, count;
    const spReal* cells;
} spCouplingRun;

typedef struct spPointCoupling
{
    spCouplingRun* runs;
    int* pointRun; // first run of each point (pointCount + 1)
    spReal* u[3];  // velocity, or displacement, of each point
    int pointCount;
} spPointCoupling;

// From the blocks of each point i, [pointBlock[i], pointBlock[i + 1]). Velocities begin with 0. False without memory.
bool spMakeCoupling(spPointCoupling* coupling, spArena* arena, const spComplianceBlock* blocks,
                    const int* pointBlock, int pointCount);

void spClearCoupled(spPointCoupling* coupling);
void spPushCoupled(spPointCoupling* coupling, int point, spVec3 impulse);

static inline spVec3 spGetCoupled(const spPointCoupling* coupling, int point)
{
    return spMakeVec3(coupling->u[0][point], coupling->u[1][point], coupling->u[2][point]);
}

static inline void spSetCoupled(spPointCoupling* coupling, int point, spVec3 u)
{
    coupling->u[0][point] = u.x;
    coupling->u[1][point] = u.y;
    coupling->u[2][point] = u.z;
}
