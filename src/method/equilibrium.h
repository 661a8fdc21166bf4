// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Static equilibrium by Newton's method.

#pragma once

#include "body/body.h"

// Moves the free nodes towards where their forces vanish. gravity is that of the world. Returns false, with
// nothing changed, when there is no memory; the report says how far it came.
bool spSolveEquilibrium(spBody* body, double tolerance, int maxIterations, spVec3 gravity, spTeam* team,
                        spSolverReport* report, spError* error);
