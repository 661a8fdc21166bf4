// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rounds: the bodies of an island advance over a slice of a step together, until the rows between them hold.

#pragma once

#include "contact/response.h"

typedef struct spRoundsContext
{
    spResponseContext response;
    int island; // whose bodies these are
    // Advances a body over the slice; or once more, after it was put back to where the slice began
    void (*advance)(void* step, int slot, bool again);
    void* step;
} spRoundsContext;

// Advances every body of the island. Impulses are added to those of the rows.
spResponseResult spSolveRounds(const spRoundsContext* context);
