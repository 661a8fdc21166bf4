// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Numbering nodes for locality, and cutting them into patches.
//
// Nodes are sorted by recursive bisection along the longest side of their bounding box. The pieces of at most
// `patchSize` nodes are the patches: contiguous, compact, and independent of the number of threads. Inside a
// patch the bisection goes on, so that neighbours in space are neighbours in memory.
//
// A body that can be edited has spare nodes: places that no vertex has yet, some at the end of every patch
// and the rest in patches of their own behind the others.

#pragma once

#include "base/memory.h"

typedef struct spNodeOrder
{
    int nodeCount;   // spare ones included
    int vertexCount; // as the user counts
    int patchCount;
    int32_t* rank;       // node of the given vertex (vertexCount, room for nodeCount)
    int32_t* order;      // vertex of the given node, -1 for a spare one (nodeCount)
    int32_t* patchBegin; // first node of each patch (patchCount + 1)
} spNodeOrder;

// Returns false, with everything freed, when there is no memory. positions holds three numbers for each node;
// NULL keeps the order of the vertices and only cuts it into patches.
bool spOrderNodes(spNodeOrder* order, spHeap* heap, const double* positions, int nodeCount, int patchSize);
// Adds that many spare nodes. False, with the order as it was, when there is no memory.
bool spAddSpareNodes(spNodeOrder* order, spHeap* heap, int count, int patchSize);
void spFreeNodeOrder(spNodeOrder* order, spHeap* heap);

// Patch of a node by bisection over patchBegin
int spFindPatch(const int32_t* patchBegin, int patchCount, int node);
