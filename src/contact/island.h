// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Islands: bodies that rows join to each other, directly or through others. The bodies of an island advance over a
// step in slices, side by side, and their rows are solved after each slice.

#pragma once

#include "contact/link.h"
#include "contact/touch.h"
#include "method/method.h"

typedef struct spIsland
{
    int firstRow;
    int rowCount;
    int slices; // as many as the body that needs most of them takes substeps; more at impacts, where bodies repeat
    bool repeats; // a body of it can take a slice again
    bool centred; // a body of it moves by Verlet: symplectic Euler goes along
} spIsland;

typedef struct spIslands
{
    spIsland* islands;
    int count;
    spRow* rows; // by islands: links first, then contacts
    int rowCount;
    spRowNode* pool; // entries of their sides
} spIslands;

typedef struct spIslandContext
{
    spArena* arena;
    spBody* const* bodies; // by slot, NULL where the slot is empty
    int bodyCount;
    spLink* const* links; // by slot
    int linkCount;
    const spTouches* touches;
    const spMultipliers* multipliers; // what rows begin with
} spIslandContext;

// Finds the islands and their rows, and tells the bodies which is theirs. False when there is no memory: then there
// are none.
bool spFindIslands(const spIslandContext* context, spIslands* islands);
// Counts the slices of every island, for a step of dt. Sets sp_stepUnstable when a body needs too many.
void spCountSlices(const spIslandContext* context, spIslands* islands, spReal dt, uint32_t* flags);
