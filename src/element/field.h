// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Fields: forces from outside on every node, through the same table as element kinds.

#pragma once

#include "element/element.h"

#include "souple/element.h"

typedef struct spFieldSet
{
    spElementSet base;
    spFieldDef def;
    const spReal* mass; // of the body, kg
    int nodeCount;
    int32_t* neighbourBegin; // coherence: first neighbour of each node (nodeCount + 1), else NULL
    int32_t* neighbours;     // nodes at the other end of its edges
} spFieldSet;

// edges: pairs of nodes that coherence acts between; other fields do not need them. Returns NULL when there
// is no memory.
spFieldSet* spCreateFieldSet(spHeap* heap, const spFieldDef* def, const spReal* mass, int nodeCount,
                             const int32_t* edges, int edgeCount);
void spDestroyFieldSet(spElementSet* base, spHeap* heap);

extern const spElementKind spDragKind;
extern const spElementKind spMassDragKind;
extern const spElementKind spCoherenceKind;
extern const spElementKind spRepulsiveGroundKind;
