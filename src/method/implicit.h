// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The driver of implicit methods, which the automatic solver of XPBD shares: a solver over the substeps of a
// step.

#pragma once

#include "method/implicit_solver.h"

// Advances the body as spMethodKind has it
spAdvanceResult spAdvanceBySolver(spBody* body, spImplicitSolver* solver, const spAdvanceContext* context);
