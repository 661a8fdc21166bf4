// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Volumes in which bodies, and colliders that are closed triangle meshes, are inside each other: each pair in images of
// its own, whose window is what their boxes have in common.

#pragma once

#include "contact/touch.h"
#include "contact/volume.h"

// A closed surface that is looked at
typedef struct spVolumeSide
{
    int slot; // of a body, or of a collider
    bool isCollider;
    bool closed; // else it has no volume
    spLayerSurface surface;
    spBox box;
} spVolumeSide;

typedef struct spPairVolumes
{
    int slots[2]; // of bodies; the second one of a collider where that is said
    bool withCollider;
    const spVolumeSide* sides[2]; // the same twice for a body with itself
    spLayersDef def;
    spLayerSurface surfaces[2];
    spBox window;
    spLayers layers;
    spVolumes volumes;
} spPairVolumes;

// Whether a contact moves its nodes before the rest of the body follows: explicit methods
bool spMovesNodesAlone(const spBody* body);

// A body that may touch and has a surface, where it would be after a time if it fell freely. False without memory; a body
// without such a surface, and one with an open surface, is not closed.
bool spOpenBodySide(const spTouchContext* context, int slot, spReal time, spVolumeSide* side);
// A collider; what is no closed mesh is not closed.
bool spOpenColliderSide(spArena* arena, const spCollider* collider, int slot, spVolumeSide* side);

// Whether the boxes of two sides have something in common, or it is one
bool spDoSidesMeet(const spVolumeSide* a, const spVolumeSide* b);

// What of two sides is inside each other, in the arena. resolution: pixels across the window, at least half of them;
// cells: so many along the longest edge of the window, at least half of them, 0 for one.
spLayersResult spFindPairVolumes(const spTouchContext* context, const spVolumeSide* a, const spVolumeSide* b,
                                 int resolution, int cells, spPairVolumes* pair);

// Calls visit for all pairs that have a volume in common, in the order of slots, colliders after bodies. False without
// memory.
typedef void spVisitVolumesFcn(const spPairVolumes* pair, void* context);
bool spVisitPairVolumes(const spTouchContext* context, const spCollider* const* colliders, int colliderCount,
                        int resolution, spVisitVolumesFcn* visit, void* visitContext);
