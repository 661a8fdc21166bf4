// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Response: the rows that no method holds by itself are solved together. These are rows between two bodies
// (links, contacts), and contacts with colliders that a body ran into without having been a candidate.

#pragma once

#include "body/multipliers.h"
#include "method/method.h"

typedef struct spResponseContext
{
    spArena* arena;
    spHeap* heap;
    spMultipliers* multipliers; // of missed contacts: what they begin with, and where it is kept
    spBody* const* bodies;      // by slot, NULL where the slot is empty
    int bodyCount;
    const spCollider* const* colliders; // by slot
    spRow* pairs;                       // rows between two points of bodies, of any law; both bodies run
    int pairCount;
    const spRowNode* pool; // entries of their sides
    spReal dt;             // that the bodies have just covered, s
    spReal restitutionThreshold;
    bool solveContacts; // missed ones, of the bodies' node rows
    bool modelHeld; // contacts that methods hold are part of the model: of bodies that repeat, in this island
    int island;
} spResponseContext;

typedef struct spResponseResult
{
    int rowCount;
    int sweepCount;
    double residual; // largest change in the last sweep, m/s
    bool converged;
    bool outOfMemory;
} spResponseResult;

// Solves and corrects the bodies. Impulses are added to those of the rows. The gap of a contact is taken from
// its row and brought up to date there; that of a hold is measured.
spResponseResult spSolveRows(const spResponseContext* context);
