// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Links: nodes of a body held to space, to a collider, or to another body.

#pragma once

#include "base/memory.h"
#include "body/body.h"

typedef struct spLink
{
    spLinkId id;
    int body;      // slot
    int otherBody; // slot, -1 for none
    int collider;  // slot, -1 for none
    int nodeCount;
    int32_t* nodes;    // of the body
    spRowSide* points; // on the other body; NULL without one
    spRowNode* pool;   // entries of the points, 3 for each
    spVec3*
        anchors; // in the collider's frame, or in space; for another body: offset of the node from the point
    spVec3 offset; // of the anchors in space, now
    spVec3 target; // at the end of the next step
    spReal compliance;
    spReal maxForce;
    spVec3 force;     // on the body, mean over the last step
    spVec3 restForce; // the same when its body fell asleep
} spLink;

// Returns NULL with a sentence why. other and collider may be NULL.
spLink* spBuildLink(spHeap* heap, const spLinkDef* def, const spBody* body, const spBody* other,
                    const spCollider* collider, spError* error);
void spFreeLink(spHeap* heap, spLink* link);

// Links between bodies that run
int spCountLinkRows(spLink* const* links, int linkCount, spBody* const* bodies);
// Their rows, and what these need in the pool: 3 entries for each
void spMakeLinkRows(spLink* const* links, int linkCount, spBody* const* bodies, spRow* rows, spRowNode* pool);
