// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The guarantee in a step of the world.

#pragma once

#include "world/world.h"

// What detection between bodies sees of the world, for a step of dt
spTouchContext spGetTouchContext(spWorld* world, spReal dt);

// Before contacts are looked for. False without memory.
bool spThickenSurfaces(const spWorld* world, const spTouchContext* context);

// At the end of a step, when bodies are finite: cuts motion short where the guarantee asks for it, and counts what
// intersects.
void spGuardMotion(spWorld* world, spReal dt, spStepReport* report);
