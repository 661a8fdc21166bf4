// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Node or element numbers of a file: in any order, with gaps, from any first number. Looked up by bisection,
// or at once when they are consecutive.

#pragma once

#include "base/error.h"
#include "base/memory.h"

typedef struct spIdTable
{
    spHeap* heap;
    const char* what; // is numbered, for errors
    int64_t* ids;     // in order of the file
    int32_t* lines;   // line of each, 0 when unknown
    int32_t* order;   // positions by ascending id; NULL when consecutive
    int count, idCapacity, lineCapacity, orderCount;
    int readyCount; // of them the table is ready for
} spIdTable;

spIdTable spMakeIdTable(spHeap* heap, const char* what);
void spFreeIdTable(spIdTable* table);

// Appends the id of node number `count`
bool spAddId(spIdTable* table, int64_t id, int line, spError* error);

// Makes the table ready for lookups, unless it is. Fails on an id that comes twice.
bool spFinishIds(spIdTable* table, spError* error);

// The number of the node, or -1
int32_t spFindId(const spIdTable* table, int64_t id);

// For walking over ids in ascending order: how many are smaller, and the number of the node with the id that
// has so many before it
int spCountSmallerIds(const spIdTable* table, int64_t id);
int32_t spGetRankedId(const spIdTable* table, int rank);
