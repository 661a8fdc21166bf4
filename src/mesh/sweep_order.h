// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The order of a Gauss-Seidel sweep over elements, laid out for threads.
//
// Every element belongs to a part, every part to a colour. Parts of one colour share no node. A sweep runs
// through the colours one after the other, through the parts of a colour at once, and through the blocks of a
// part one after the other: its result does not depend on the number of threads.
//
// Two layouts fill it:
//
//   zones (mesh/zone.h)         two colours, of a few long parts each: what lies in a part stays in the cache
//   colouring (mesh/colour.h)   many colours, of short parts; no two elements of a colour share a node

#pragma once

#include "mesh/patch.h"

// Elements of one sort: nodesPerElement node indices each
typedef struct spElementList
{
    const int32_t* nodes;
    int count;
    int nodesPerElement;
    const int32_t* elements; // number of each, rising; NULL: 0, 1, 2 ...
} spElementList;

typedef struct spSweepOrder
{
    int nodeCount;
    int colourCount;
    int partCount;
    int32_t* colourBegin; // first of each colour in parts (colourCount + 1)
    int32_t* parts;       // the parts, colour by colour (partCount)
    int32_t* partOf;      // part of each element, list after list
} spSweepOrder;

// Makes room, with nodeCount, colourCount and partCount set. Returns false, with all freed, when there is no
// memory.
bool spAllocSweepOrder(spSweepOrder* order, spHeap* heap, const spElementList* lists, int listCount);
void spFreeSweepOrder(spSweepOrder* order, spHeap* heap);

// Blocks by part, as spBuildBlocks makes them by patch, of at least one element: patchBlock is the first
// block of each part. Forces have no slots.
// @param partOf part of each element of the list
bool spBuildPartBlocks(spBlocks* blocks, spHeap* heap, const spElementList* list, const spSweepOrder* order,
                       const int32_t* partOf);
