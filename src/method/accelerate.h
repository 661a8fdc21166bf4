// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Accelerators: what makes the sweeps of XPBD converge sooner. They wrap a sweep, a map from positions and
// multipliers to better ones, and know nothing of the constraints behind it.
//
//   SOR            x = x_k + w (x_g - x_k), multipliers as the sweep left them
//   lambda SOR     multipliers l_k + w D, D what the sweep added; x = x_k + M^-1 J^T w D
//   Chebyshev      u = om (u_g - u_(k-1)) + u_(k-1), u both together
//   Anderson       least |f_k - dF gamma| over the last differences dF of f = u_g - u, then
//                  u = u_g - dU gamma with the same gamma for positions and multipliers. f counts positions
//                  weighted by mass, and a sample of the multipliers
//   as printed     the same on D_k as if they were the iterates, times w, before a sweep
//
// Wang. A Chebyshev Semi-Iterative Approach for Accelerating Projective and Position-Based Dynamics. 2015
// Boukadida. Acceleration de la simulation des corps mous pour les applications en temps reel. 2020,
// algorithms 2.3 and 2.4: as printed
//
// Anderson's mixing is taken on trust and judged by the sweep after it, which costs nothing: where that moves
// much more than sweeps did before, the state goes back to what the mixture was made from. Any of them may
// diverge all the same: then the state goes back to the start and plain sweeps follow.

#pragma once

#include "base/backend.h"
#include "base/team.h"

#include "souple/body.h"

// What is iterated
typedef struct spIterate
{
    const spBackend* backend;
    spVec4* x; // nodes; w is left alone
    int nodeCount;
    const spReal* mass; // kg, of every node; nodes with inverse mass 0 in x do not count
    spReal* lambda;
    int64_t lambdaCount;
    void* context;
    void (*sweep)(void* context);                        // one sweep, in place
    double (*measure)(void* context);                    // the dual residual where x and lambda are
    void (*move)(void* context, const spReal* increase); // x += M^-1 J(x)^T increase, of all multipliers
    spTeam* team;
} spIterate;

typedef struct spAcceleratorState spAcceleratorState;

// The state for a number of nodes and multipliers. NULL when there is no memory. Never NULL for
// sp_accelerateNone either, which holds nothing.
// @param sampled so many of the multipliers, the first ones, may be in the sample; what it is does not depend
// on how many others there are
spAcceleratorState* spCreateAccelerator(spHeap* heap, const spXpbdDef* def, int nodeCount,
                                        int64_t lambdaCount, int64_t sampled);
void spDestroyAccelerator(spHeap* heap, spAcceleratorState* state);

// At the start of a substep, or wherever what is iterated has jumped: forgets the past. Between two resets
// nobody else changes positions and multipliers.
void spResetAccelerator(spAcceleratorState* state);

// One sweep and what the accelerator makes of it; two in the call that finds divergence. The last one of a
// substep ends with what a sweep gave: this one, or the one before it when the mixture between them was bad.
// After the last one it starts anew.
void spAccelerateSweep(spAcceleratorState* state, const spIterate* iterate, bool last);

// Since the last reset
typedef struct spAcceleratorReport
{
    int rejected;          // mixtures that were not taken
    int windowUsed;        // differences in the last mixture
    bool diverged;         // left out after making it worse
    double mixSeconds;     // of the accelerator itself, s
    double moveSeconds;    // of moving positions by multipliers, s
    double measureSeconds; // of residuals, s
} spAcceleratorReport;

spAcceleratorReport spGetAcceleratorReport(const spAcceleratorState* state);
