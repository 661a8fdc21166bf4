// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inside of a world.

#pragma once

#include "base/arena.h"
#include "base/id_pool.h"
#include "base/log.h"
#include "contact/link.h"
#include "method/method.h"

#include "souple/collider.h"

struct spWorld
{
    spHeap heap;
    spWorldDef def;
    spTeam* team;
    spArena arena; // memory of one step
    int laneCount;

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
    spReal lastDt;
    double costPerSecond; // wall seconds per simulated second, smoothed; 0 before the first step

    // What the last step said
    spStepReport report;
    spProfile profile;
    spContact* contacts;
    int contactCount;
    int contactCapacity;
    bool rowsDirty; // something changed since the rows were found

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

// Records a failure in the world and logs it; returns false.
bool spRecordError(spWorld* world, const spError* error);

// Records a failed check of a call that changes a body; returns false.
bool spRefuse(spWorld* world, spErrorCode code, const char* body, const char* why);

// Takes a slot, with room for it in the array of pointers that goes with the pool. Returns the null id
// without memory.
spSlotId spTakeObjectSlot(spWorld* world, spIdPool* pool, void*** objects, int* capacity, spError* error);

// Finds the rows of all bodies for a step of dt. Sets sp_stepContactsFull in flags when memory runs out.
void spFindRows(spWorld* world, spTeam* team, spReal dt, uint32_t* flags);
