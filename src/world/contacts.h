// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a step keeps of its contacts for whoever reads them: ages, pairs that touch, events.

#pragma once

#include "body/multipliers.h"

#include "souple/contact.h"

// Two things that touch, by the numbers of their ids
typedef struct spTouchingPair
{
    uint64_t first;  // a body
    uint64_t second; // a body, or a collider
    bool collider;   // which of both
    int32_t idle;    // steps since they pressed last
} spTouchingPair;

// Ordered as spIsPairBefore says
typedef struct spTouchingPairs
{
    spTouchingPair* entries;
    int count;
    int capacity;
} spTouchingPairs;

typedef struct spContactHistory
{
    // Part of snapshots: what pressed in the last step, and since when
    spMultipliers pressed;
    spTouchingPairs pairs;

    // Scratch: what pressed in the step before, and contacts in the order of their pairs
    spMultipliers lastPressed;
    spTouchingPairs lastPairs;
    spTouchingPairs found; // that press in this step
    int32_t* order;
    int32_t* temp;
    int orderCapacity;
    int tempCapacity;

    // Events of the last step
    spTouchEvent* begins;
    int beginCount;
    int beginCapacity;
    spTouchEvent* ends;
    int endCount;
    int endCapacity;
    spHitEvent* hits;
    int hitCount;
    int hitCapacity;
} spContactHistory;

bool spIsPairBefore(const spTouchingPair* a, const spTouchingPair* b);
void spFreeContactHistory(spHeap* heap, spContactHistory* history);

// No events, as before the first step
void spForgetEvents(spWorld* world);
// Areas and slip of the contacts of the world. False when memory for areas ran out.
bool spDescribeContacts(spWorld* world);
// Ages of the contacts of a step that is done, and its events. False when memory ran out: there are then none.
bool spFollowContacts(spWorld* world);
