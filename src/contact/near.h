// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Which leaves of two surfaces are near each other: lists that live until the surfaces have moved so far that something
// else may have come into reach.
//
// Lists hold more than a step asks for, and whoever uses them takes only what is within the reach of that step: what
// comes out does not depend on when a list was made, so that lists are no part of the state.

#pragma once

#include "base/arena.h"
#include "contact/contact_surface.h"

// What is near the leaves and vertices of the one surface on the other
typedef struct spNearSide
{
    spReal margin;   // leaves whose boxes were this near each other are listed, m
    spReal complete; // everything on the other surface that is this near a vertex or an edge now is listed, m
    spReal used;     // how far the surfaces may have moved against each other since, m
    int32_t* first;  // of each leaf: what is near it in `leaves` (leafCount + 1)
    int firstCapacity;
    int32_t* leaves; // of the other surface, rising
    int leafCapacity;
    int32_t* hints; // of each vertex: the triangle that was nearest when it was last looked for, -1 for none
    int hintCapacity;
    // Of each vertex, where the other surface is closed: how far outside of it the vertex was when the list was
    // made, at least; negative where it may have been inside
    spReal* clear;
    int clearCapacity;
} spNearSide;

typedef struct spNearList
{
    int32_t slots[2]; // of the bodies, the smaller one first, or twice the same
    spBodyId bodies[2];
    uint32_t versions[2]; // topology
    uint32_t epochs[2];   // of the references of the surfaces
    spReal drifts[2];     // when it was made
    spVec3 offset;        // of the second from the first since their references, when it was made
    spNearSide sides[2];  // on the second, on the first; one for a body with itself
} spNearList;

typedef struct spNearContext
{
    spHeap* heap;
    spArena* arena;
    spTeam* team;
    const spBody *a, *b;
    spReal reach[2]; // how near what must be listed is, m, of each side
    spReal slack;    // how much more a new list holds, m
} spNearContext;

// Makes the list anew unless it holds what is in reach. False without memory: it is then made next time.
bool spUpdateNear(spNearList* list, const spNearContext* context);
void spFreeNear(spHeap* heap, spNearList* list);
