// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The weights of Anderson's mixing. From the last results g_0, g_1, ... of an iteration and their errors e_0,
// e_1, ..., newest first, it makes
//
//   g_0 - sum gamma_j (g_j - g_(j+1)),  gamma that makes |e_0 - sum gamma_j (e_j - e_(j+1))| least
//
// which is g_0 - sum c_j (g_0 - g_j) with c_j = gamma_(j-1) - gamma_j: one pass over what was kept, without
// differences.
//
// Anderson. Iterative Procedures for Nonlinear Integral Equations. 1965
// Walker, Ni. Anderson Acceleration for Fixed-Point Iterations. 2011

#pragma once

#include "base/core.h"

// Differences at most
#define SP_MAX_WINDOW 20

// Dot products of errors
typedef double spWindowDots[SP_MAX_WINDOW + 1][SP_MAX_WINDOW + 1];

// Weights c_1, c_2, ... from the dot products of columnCount + 1 errors. Old differences are left out while
// the condition number of the normal equations is above the limit and there are more than columnsAtLeast, and
// where differences are zero or depend on newer ones. Returns the number of differences used, which may be 0.
int spFindWeights(spWindowDots dots, int columnCount, int columnsAtLeast, double conditionLimit,
                  spReal* weights);
