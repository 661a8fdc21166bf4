// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Response: the rows that no method holds by itself are solved together. These are links between two bodies,
// and contacts that a body ran into without having been a candidate.

#pragma once

#include "body/multipliers.h"
#include "contact/link.h"
#include "method/method.h"

typedef struct spResponseContext
{
    spArena* arena;
    spHeap* heap;
    spMultipliers* multipliers; // where rows begin, and where they are kept; NULL to begin at zero
    spBody* const* bodies;      // by slot, NULL where the slot is empty
    int bodyCount;
    const spCollider* const* colliders; // by slot
    spLink* const* links;
    int linkCount;
    spReal dt;     // that the bodies have just covered, s
    spReal stepDt; // of the whole step, s: forces are means over it
    spReal restitutionThreshold;
    bool solveLinks;    // between bodies
    bool solveContacts; // missed ones
} spResponseContext;

typedef struct spResponseResult
{
    int rowCount;
    int sweepCount;
    double residual; // largest change in the last sweep, m/s
    bool converged;
    bool outOfMemory;
} spResponseResult;

// Solves and corrects the bodies. Impulses of contacts are added to their node rows, those of links to the
// links' force.
spResponseResult spSolveRows(const spResponseContext* context);
