// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Dynamic relaxation: a body goes to its static equilibrium.

#pragma once

#include "body/body.h"

// Moves the free nodes to where their forces vanish; velocities end at zero. gravity is that of the world.
// Returns false, with nothing changed, when there is no memory.
bool spRelaxBody(spBody* body, const spRelaxDef* def, spVec3 gravity, spTeam* team, spRelaxResult* result,
                 spError* error);
