// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Detection between bodies: which vertices are near a triangle of another body, or of their own, and which edges
// near an edge, become rows between two points of bodies.

#pragma once

#include "base/arena.h"
#include "base/team.h"
#include "body/multipliers.h"
#include "contact/link.h"

// Rows that may touch within the next step, and the entries of their sides
typedef struct spTouches
{
    spRow* rows;
    int rowCount;
    int rowCapacity;
    spRowNode* pool;
    int poolCount;
    int poolCapacity;
    // What is near what (contact/near.h), of the pairs of the last step, rising; then lists to be used again
    struct spNearList** near;
    int pairCount;
    int nearCount;
    int nearCapacity;
} spTouches;

typedef struct spTouchContext
{
    spHeap* heap;
    spArena* arena;
    spTeam* team;
    spBody* const* bodies; // by slot, NULL where the slot is empty
    int bodyCount;
    spLink* const* links; // by slot: bodies that a link joins do not touch each other
    int linkCount;
    spReal dt;
    spVec3 gravity;
    spReal reach; // distance at which what rests becomes a candidate, m
    const spMultipliers*
        multipliers; // what rows exerted in the last step: it tells on which side of a sheet things are
    const struct spDetectors* detectors; // by what pairs are looked at
    bool betweenBodies; // look for contacts between bodies, beside those of bodies with themselves
    spTouches* touches;
} spTouchContext;

// Replaces the rows. False when memory ran out: there are then none.
bool spFindTouches(const spTouchContext* context);
// Whether two bodies, or a body and itself, are looked at; those that run and have a contact surface may be.
bool spMayPairTouch(const spTouchContext* context, int slotA, int slotB);
void spFreeTouches(spHeap* heap, spTouches* touches);

// Normal, gap and points of a row where its bodies are now. What was near in the step that the row was found for is
// all that it looks at.
void spRefreshTouch(spRow* row, spRowNode* pool, spBody* const* bodies);
