// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Edits: tets of a body go, and tets take copies of their nodes in place of them. Nodes and tets keep their
// numbers; a copy has one parent, whose place, velocity, role and memory it takes over, and the mass of the
// tets that come to it. A node whose last tet goes is gone. An edit is taken in whole or refused with a
// sentence; its cost grows with the patches that it touches.
//
// edit.c has the list of everything that holds the index of a node or an element.

#pragma once

#include "method/memory_walk.h"
#include "world/world.h"

// In the user's numbering
typedef struct spEditDef
{
    const int32_t* removed; // tets of the mesh that go
    int removedCount;
    const int32_t* parents; // of new nodes, whose numbers follow those that the body has
    int copyCount;
    const int32_t* tets;     // tets of the mesh that take copies
    const int32_t* tetNodes; // their nodes from now on: the same, or copies of the same (tetCount x 4)
    int tetCount;
} spEditDef;

// What it took
typedef struct spEditReport
{
    int patchCount; // of the body, that were packed anew
    int blockCount; // of elements, that were packed anew
    bool whole;     // there was no room in a patch: sets were laid out anew
} spEditReport;

// Whether a body can be edited at all, else a sentence
bool spCheckEditable(const spBody* body, spError* error);
// report may be NULL
bool spTakeEditDef(spWorld* world, spBody* body, const spEditDef* def, spEditReport* report, spError* error);
// The same by id; the world has the error
bool spEditBody(spWorld* world, spBodyId id, const spEditDef* def, spEditReport* report);

typedef enum spTopologyWalk
{
    sp_topologyWrite, // or measure
    sp_topologyCheck, // prepares what will be read, and changes nothing
    sp_topologyRead,
} spTopologyWalk;

// What snapshots keep of the tets of a body with room, where its nodes are placed, and their masses. False when
// that cannot be true of this body; noMemory says when it could not be prepared.
bool spWalkTopology(spBody* body, spWalkMemoryFcn* fcn, void* walk, spTopologyWalk mode, bool* noMemory);
// Roles that fit the masses, whatever a snapshot says: nodes without mass are gone
void spSettleRoles(spBody* body);
// Lets go of what was prepared
void spEndTopologyWalk(spBody* body);
