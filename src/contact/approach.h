// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where a free body that touches nothing goes in a world without inertia: along its load, until it does.

#pragma once

#include "body/pair_table.h"

typedef struct spApproachContext
{
    spBody* body;
    const spCollider* const* colliders; // by slot, NULL where the slot is empty
    int colliderCount;
    const spPairTable* pairs;
    spVec3 gravity; // of the world
} spApproachContext;

// Moves the body as a whole until a node touches a collider. Returns false, with nothing moved, where it would
// pass all of them, or touches one already.
bool spApproachColliders(const spApproachContext* context);
