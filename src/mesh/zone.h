// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Zones: an order of Gauss-Seidel sweeps with two colours and long parts.
//
// Nodes are sorted by their distance, in elements, from one end of the body; a zone is a run of at least two
// such levels. An element belongs to the lowest zone of its nodes and reaches at most the first level of the
// next one. So zones 0, 2, 4 ... never touch the same node, nor do 1, 3, 5 ...: a sweep is two colours,
// whatever the elements are, and inside of a zone one block after the other.
//
//   levels   0 1 2 | 3 4 | 5 6 7 | 8 9
//   zones      0      1      2      3      elements of zone 0 reach level 3, those of zone 2 begin at 5

#pragma once

#include "mesh/sweep_order.h"

typedef struct spZones
{
    int zoneCount;
    int nodeCount;
    int32_t* zoneOf; // zone of each node (nodeCount)
} spZones;

// Returns false, with all freed, when there is no memory. Lists may be empty; a node without elements is a
// level of its own.
// @param leastNodes nodes that a zone has at least, where the body has them: lanes need nodes to choose from
bool spBuildZones(spZones* zones, spHeap* heap, const spElementList* lists, int listCount, int nodeCount,
                  int leastNodes);
void spFreeZones(spZones* zones, spHeap* heap);

// The order of sweeps: parts are zones by number, the even ones are one colour and the odd ones another.
// Returns false, with all freed, when there is no memory.
bool spOrderByZones(spSweepOrder* order, spHeap* heap, const spElementList* lists, int listCount,
                    int nodeCount, int leastNodes);
