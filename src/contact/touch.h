// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Detection between bodies: which vertices are near a triangle of another body, or of their own, and which edges
// near an edge, become rows between two points of bodies.

#pragma once

#include "base/arena.h"
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
} spTouches;

typedef struct spTouchContext
{
    spHeap* heap;
    spArena* arena;
    spBody* const* bodies; // by slot, NULL where the slot is empty
    int bodyCount;
    spLink* const* links; // by slot: bodies that a link joins do not touch each other
    int linkCount;
    spReal dt;
    spReal reach;       // distance at which what rests becomes a candidate, m
    bool betweenBodies; // look for contacts between bodies, beside those of bodies with themselves
    spTouches* touches;
} spTouchContext;

// Replaces the rows. False when memory ran out: there are then none.
bool spFindTouches(const spTouchContext* context);
void spFreeTouches(spHeap* heap, spTouches* touches);

// Normal, gap and points of a row where its bodies are now. What was near in the step that the row was found for is
// all that it looks at.
void spRefreshTouch(spRow* row, spRowNode* pool, spBody* const* bodies);
