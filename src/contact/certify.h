// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The certificate: after a step no triangle of a body has passed one of another body, or of its own, or is in it.
//
// It looks at where bodies were at the start of the step (goodX) and where they are now. What would pass is moved back,
// node by node, and loses the velocity that took it there.

#pragma once

#include "contact/surface_pairs.h"
#include "contact/touch.h"

// Two facets that might meet
typedef struct spGuardedPair
{
    int32_t slots[2];
    int32_t nodes[2][3];
    int32_t counts[2]; // of nodes: 3 for a triangle, 2 for an edge
    bool known;        // what follows was found
    spDVec3 normal;    // from the second to the first where they were nearest at the start of the step
    double gap;        // along it, m; not above the rounding where they met already
    double least;      // distance that is kept, m
} spGuardedPair;

typedef struct spGuardedPairs
{
    spGuardedPair* pairs;
    int count, capacity;
} spGuardedPairs;

typedef struct spCertifyResult
{
    int cutCount;       // nodes that were moved back
    double cutLength;   // farthest of them, m
    int waivedCount;    // pairs of triangles that meet all the same
    int waivedSlots[2]; // the bodies of the first of them
    bool outOfMemory;   // nothing was done
} spCertifyResult;

// Of the mean edge: surfaces of bodies with the guarantee keep this distance by themselves
#define SP_GUARD_THICKNESS ((spReal)0.05)

void spFreeGuardedPairs(spHeap* heap, spGuardedPairs* pairs);

// Bodies that run and have a contact surface. The list keeps its memory from step to step.
spCertifyResult spCertifyMotion(const spTouchContext* context, spGuardedPairs* list);
