// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Detection: which nodes are near a collider, and which are held, become the node rows of a body.

#pragma once

#include "body/pair_table.h"
#include "contact/link.h"

typedef struct spDetectContext
{
    spTeam* team;
    spBody* body;
    int bodySlot;
    const spCollider* const* colliders; // by slot, NULL where the slot is empty
    int colliderCount;
    spLink* const* links; // by slot, NULL where the slot is empty
    int linkCount;
    const spPairTable* pairs;
    spReal dt;
    spReal reach;       // distance at which a resting node becomes a candidate, m
    int* contactCounts; // room for one number per patch
} spDetectContext;

// Replaces the rows of the body: contact candidates, which may touch within the next step of dt, and holds.
// Returns false when memory for rows ran out: the body then has no rows.
bool spDetectRows(const spDetectContext* context);
