// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a body and a collider are to each other: whether they touch, friction and restitution.

#pragma once

#include "body/body.h"

typedef struct spPairEntry
{
    uint64_t body, collider; // numbers of their ids
    spPairMaterial material;
} spPairEntry;

// What users have set for single pairs, in ascending order
typedef struct spPairTable
{
    spPairEntry* entries;
    int count, capacity;
} spPairTable;

// Returns false without memory
bool spSetPair(spHeap* heap, spPairTable* table, uint64_t body, uint64_t collider,
               const spPairMaterial* material);

// Takes out the pair; with 0 for one of them all pairs of the other
void spRemovePairs(spPairTable* table, uint64_t body, uint64_t collider);

// What counts for two of them: what was set, else their groups, the geometric mean and the larger number
spPairMaterial spGetPair(const spPairTable* table, const spBody* body, const spCollider* collider);
