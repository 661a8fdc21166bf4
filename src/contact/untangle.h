// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Moves bodies that are inside each other apart, without time passing.

#pragma once

#include "contact/touch.h"

#include "souple/world.h"

// False without memory. gravity: ways out do not lead down where others are as short.
bool spUntangleBodies(const spTouchContext* context, spVec3 gravity, int maxRounds, spUntangleReport* report);
