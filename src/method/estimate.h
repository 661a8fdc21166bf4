// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The largest step that an explicit method survives, estimated from the fastest modes of the body.
//
// Stability limits for a mode of frequency w and damping rate b, x'' = -w^2 x - b x':
//   symplectic, Verlet   b h + w^2 h^2 / 2 < 2            (damping is evaluated with the old velocity)
//   forward Euler        h < b / w^2, and h < 2 / b when overdamped; nothing when b = 0
//   Runge-Kutta 4        h |lambda| < 2.78, lambda the larger root of lambda^2 + b lambda + w^2
//   local implicit       as symplectic, with the largest eigenvalue of A - 2 D / m in place of w^2
// with w and b of the fastest modes. Bounds of the element kinds come from above, power iteration on the
// forces from below; what is taken is the smaller of the bound and a little more than the iteration finds. A
// velocity filter leaves a share of w^2 and of b, for symplectic Euler and Verlet; the other methods are
// counted as without.

#pragma once

#include "method/spectrum.h"

// Strengths of a filter that the stable step is known for: 0, 1/4, 1/2, 3/4, 1
#define SP_STRENGTH_COUNT 5

// What is remembered from estimate to estimate
typedef struct spEstimateMemory
{
    double ratios[sp_modesCount];                    // of w^2 and b to their bounds, from the last iteration
    double shares[sp_modesCount][SP_STRENGTH_COUNT]; // of w^2 and b that filters leave
    double steps[SP_STRENGTH_COUNT];                 // stable steps, s
    int64_t age;                                     // estimates since the last iteration
} spEstimateMemory;

typedef struct spEstimator
{
    spMat3* bounds; // scratch (2 * nodeCount)
    spMat3* local;  // local implicit: 2 D / m of every node as of the last estimate, 1/s^2, then as much
                    // scratch; else NULL
    spSpectrum spectrum;
    spEstimateMemory memory;
} spEstimator;

// False, with all freed, when there is no memory. Nothing is allocated later.
bool spCreateEstimator(spEstimator* estimator, const spBody* body);
void spFreeEstimator(spEstimator* estimator, const spBody* body);

// Makes body->stableStep anew. @param filter NULL for none
void spUpdateStableStep(spEstimator* estimator, spBody* body, const spFilter* filter, spTeam* team);

// The same without changing anything, so that asking does not change the motion
double spGetStableStepNow(const spEstimator* estimator, spBody* body, const spFilter* filter);

// The smallest strength of the filter that makes a step stable, 1 when none does
spReal spChooseStrength(const spEstimator* estimator, double step);
