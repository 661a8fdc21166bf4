// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Which bodies may touch in the next step: sort and sweep along x of boxes with their motion.

#pragma once

#include "contact/touch.h"

// Slots; a body with itself is a pair too
typedef struct spBodyPair
{
    int first, second;
} spBodyPair;

// Pairs of bodies whose surfaces are near enough, in the arena, rising. False without memory.
bool spFindPairs(const spTouchContext* context, spBodyPair** pairs, int* pairCount);
