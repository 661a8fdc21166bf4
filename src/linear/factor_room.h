// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Memory that CHOLMOD works in while it factors a matrix again. It asks malloc for it each time and gives it
// back; here it gets the same memory every time.

#pragma once

#include "base/core.h"

typedef struct spFactorRoom
{
    char* memory; // NULL: none yet
    size_t size, used;
    size_t sizes[2]; // of the two pieces that are asked for
} spFactorRoom;

// Bytes that a room for two pieces of such sizes needs
size_t spGetFactorRoomSize(size_t first, size_t second);

// From here on pieces of these sizes that CHOLMOD asks for on this thread come from the room, until it is
// left. All of them must have been given back by then.
void spEnterFactorRoom(spFactorRoom* room);
void spLeaveFactorRoom(void);
