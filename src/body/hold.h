// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Which cells of a body with room hold the elements of a set (element/follow.h).

#pragma once

#include "body/body.h"

typedef struct spHold
{
    const int32_t* nodes; // of the elements, in the numbering of the body
    size_t stride;        // bytes from one to the next
    int count;
    int nodeCount; // of an element
    int first,
        second; // its nodes that both ends of a chain of cells have, as bits: all, when each cell has to
                // have all of them
} spHold;

// False without memory. Does nothing for a body without room. spFreeFollow comes after it.
bool spHoldElements(spFollow* follow, const spBody* body, const spHold* hold);
