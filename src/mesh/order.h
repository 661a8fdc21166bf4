// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Numbering nodes for locality, and cutting them into patches.
//
// Nodes are sorted by recursive bisection along the longest side of their bounding box. The pieces of at most
// `patchSize` nodes are the patches: contiguous, compact, and independent of the number of threads. Inside a
// patch the bisection goes on, so that neighbours in space are neighbours in memory.

#pragma once

#include "base/memory.h"

typedef struct spNodeOrder
{
    int nodeCount;
    int patchCount;
    int32_t* rank;       // node of the given vertex (nodeCount)
    int32_t* order;      // vertex of the given node (nodeCount)
    int32_t* patchBegin; // first node of each patch (patchCount + 1)
} spNodeOrder;

// Returns false, with everything freed, when there is no memory. positions holds three numbers for each node;
// NULL keeps the order of the vertices and only cuts it into patches.
bool spOrderNodes(spNodeOrder* order, spHeap* heap, const double* positions, int nodeCount, int patchSize);
void spFreeNodeOrder(spNodeOrder* order, spHeap* heap);

// Patch of a node by bisection over patchBegin
int spFindPatch(const int32_t* patchBegin, int patchCount, int node);
