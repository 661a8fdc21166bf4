// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Relaxation: a body goes to its static equilibrium.

#pragma once

#include "method/equilibrium.h"

// Moves the free nodes to where their forces vanish, those of the node rows of the body among them; velocities
// end at zero. How far, def says, not around. Returns false, with nothing changed, when there is no memory.
bool spRelaxBody(spBody* body, const spRelaxDef* def, const spEquilibriumDef* around, spRelaxResult* result,
                 spError* error);
