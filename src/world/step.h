// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One step of the world: what its stages share. step.c runs them in their order.

#pragma once

#include "contact/island.h"
#include "contact/response.h"
#include "method/method.h"
#include "world/world.h"

typedef struct spStep
{
    spWorld* world;
    spTeam* team;
    spReal dt;
    spReal askedDt;
    double budget; // s; 0 for none
    spStepReport report;
    spAdvanceContext* advances; // by body slot
    spAdvanceResult* results;
    uint32_t* earlier; // flags of the slices before this one
    spBodyTime* times;
    spIslands islands;  // of bodies that advance together
    double detectionMs; // of contacts between bodies, within other stages
    double responseMs;  // of rows between bodies, within `advance`
    double sliceMs;     // of bodies that advance in slices
    double clock;       // s, when the last stage ended
    bool outOfMemory;
    spError error; // what keeps the step from being done
} spStep;

static inline const spCollider* const* spGetColliders(const spWorld* world)
{
    return (const spCollider* const*)world->colliders;
}

// Bodies of one patch are run side by side, each on one thread; larger ones one after the other, each on all
// threads
static inline bool spIsSmall(const spBody* body)
{
    return body->order.patchCount == 1;
}

// Who advances together, and by how many slices (advance.c)
void spFindGroups(spStep* step);
void spCountGroupSlices(spStep* step);
// Every method advances its body over the step; bodies that links join or that may touch, slice by slice, with their rows
// solved after each
void spRunAdvance(spStep* step);

spResponseContext spGetResponseContext(const spStep* step, spReal dt);
void spTellResponse(spStep* step, const spResponseResult* result);

// Whether a body without inertia was moved until it touches (candidates.c)
bool spApproachAll(spWorld* world);

// What rows exerted, for users to read and for the next step to begin with (harvest.c): of rows between bodies, after they
// have advanced; of rows of bodies by themselves
void spHarvestPairs(spStep* step);
void spHarvestAllRows(spStep* step);

// Bodies that are no longer finite go back to where they were before the step, and stop (stop.c)
void spSaveGoodStates(spWorld* world);
void spStopBadBodies(spStep* step);
