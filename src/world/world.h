// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inside of a world.

#pragma once

#include "base/arena.h"
#include "base/id_pool.h"
#include "base/log.h"
#include "body/multipliers.h"
#include "body/pair_table.h"
#include "contact/certify.h"
#include "contact/link.h"
#include "contact/touch.h"
#include "contact/volume_rows.h"
#include "method/method.h"
#include "world/contacts.h"

struct spWorld
{
    spHeap heap;
    spWorldDef def;
    spTeam* team;
    spArena arena; // memory of one step
    const spBackend* backend;

    // Objects by slot, NULL where the slot is empty
    spIdPool bodyIds;
    spBody** bodies;
    int bodyCapacity;
    spIdPool colliderIds;
    spCollider** colliders;
    int colliderCapacity;
    spIdPool linkIds;
    spLink** links;
    int linkCapacity;

    // Clock
    double time;
    int64_t stepCount;
    int64_t serial; // steps taken, those that a restored state undid included
    spReal lastDt;
    double stepCost; // wall seconds of a step without the methods of its bodies, smoothed; 0 before the first
    double overlap;  // wall seconds of the stage advance per second of a body's, smoothed; 0 before

    // What the clock decided in the last step, and what is decided for the next one
    spDecision* decisions;
    int decisionCount;
    int decisionCapacity;
    spDecision* given;
    int givenCount;
    int givenCapacity;
    bool decided; // the next step obeys

    // What the last step said
    spStepReport report;
    spProfile profile;
    spContact* contacts;
    int contactCount;
    int contactCapacity;
    spReal contactDt; // time that the contacts are of, s
    spContactHistory history;
    bool rowsDirty;         // something changed since the rows were found
    spTouches touches;      // contacts that bodies may have with each other in the step
    spGuardedPairs guarded; // that the guarantee looked at in the last step
    spPairTable pairTable;
    spDetectors detectors;
    // Of the rows that the response solved last: of missed contacts with colliders, of rows between bodies
    spMultipliers multipliers[sp_rowLawCount];

    spError lastError;
    spFrameFcn* frameFcn;
    void* frameContext;
};

// The object behind an id, or NULL. The second form records a stale id as the world's error.
spBody* spGetBody(const spWorld* world, spBodyId id);
spCollider* spGetCollider(const spWorld* world, spColliderId id);
spLink* spGetLink(const spWorld* world, spLinkId id);
spBody* spUseBody(spWorld* world, spBodyId id);
spCollider* spUseCollider(spWorld* world, spColliderId id);
spLink* spUseLink(spWorld* world, spLinkId id);

// The body behind an id, or an empty one: who reads numbers of a body that does not exist reads zeros
const spBody* spReadBody(const spWorld* world, spBodyId id);

// Records a failure in the world and logs it; returns false.
bool spRecordError(spWorld* world, const spError* error);

// Records a failed check of a call that changes a body; returns false.
bool spRefuse(spWorld* world, spErrorCode code, const char* body, const char* why);

// Takes a slot, with room for it in the array of pointers that goes with the pool. Returns the null id
// without memory.
spSlotId spTakeObjectSlot(spWorld* world, spIdPool* pool, void*** objects, int* capacity, spError* error);

// ---- decisions.c ----

// What a body may take of a step, and what it took, s
typedef struct spBodyTime
{
    double allowed; // 0 for as much as it needs
    double taken;
    double least; // of that: what it needs however early it is stopped
    int substeps; // in that time
} spBodyTime;

// Time that a step within the budget covers: dt, or less when the last steps show that it does not suffice
spReal spPlanTime(const spWorld* world, spReal dt, double budget);
// Shares what the rest of the step leaves of the budget among the bodies that the clock may stop
void spShareBudget(const spWorld* world, spReal dt, double budget, spBodyTime* times);
// Remembers what the step cost, s
void spNoteCosts(spWorld* world, const spBodyTime* times, double advance, double whole);

// The time that the next step covers when that is decided, else dt
spReal spGetDecidedTime(const spWorld* world, spReal dt);
// Room for the choices of all bodies, filled where they are decided. False, with a sentence, without memory or when
// a decision cannot be obeyed.
bool spPrepareChoices(spWorld* world, spAdvanceContext* advances, spReal dt, spError* error);
// Keeps what was chosen as the decisions of the step; dt is the time that it covered, 0 when it is what was
// asked for
void spKeepDecisions(spWorld* world, const spAdvanceContext* advances, double dt);

// Lets a body that nothing holds move along its load until it touches a collider. Returns whether it moved.
bool spApproach(spWorld* world, int slot);
// Finds the rows of a body for a step of dt, or for a static one. Sets sp_stepOutOfMemory in flags when memory
// runs out.
void spFindBodyRows(spWorld* world, int slot, bool isStatic, spTeam* team, spReal dt, uint32_t* flags);
// Takes the impulses over dt out of the node rows of a body: to the body, the colliders, the links and the list
// of contacts, all of which start at nothing.
void spHarvestRows(spWorld* world, int slot, spReal dt, uint32_t* flags);
void spClearForces(spWorld* world);

// Finds the rows of all bodies for a step of dt. Sets sp_stepOutOfMemory in flags when memory runs out.
void spFindRows(spWorld* world, spTeam* team, spReal dt, uint32_t* flags);

// Methods of the bodies that leave them open, for steps of dt. False when there is no memory: then some have theirs.
bool spChooseMethods(spWorld* world, spReal dt);

// Around the motion of a body in a step. The end says whether it has gained energy that nobody gave it.
void spBeginWatch(spBody* body, spVec3 gravity);
bool spEndWatch(spBody* body, spVec3 gravity);
// The body was given another state
void spForgetWatch(spBody* body);
