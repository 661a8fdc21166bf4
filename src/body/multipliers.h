// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What rows exerted when they were last solved, by their keys: where the next solve begins. Part of snapshots.

#pragma once

#include "base/memory.h"

typedef struct spMultiplier
{
    uint64_t key;
    spVec3 force; // on side a, N
    spVec3 slip;  // of a contact between bodies, since it sticks, m
    int32_t age;  // solves in a row that it took part in
} spMultiplier;

// Ordered by key
typedef struct spMultipliers
{
    spMultiplier* entries;
    int count;
    int capacity;
} spMultipliers;

// The one with this key, or zeros
spMultiplier spFindMultiplier(const spMultipliers* list, uint64_t key);
// Adds to the force of the one with this key, if there is one
void spAddToMultiplier(spMultipliers* list, uint64_t key, spVec3 force);
// Puts the entries in order, in place.
void spSortMultipliers(spMultipliers* list);
void spFreeMultipliers(spHeap* heap, spMultipliers* list);
