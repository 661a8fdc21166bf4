// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colliders as the rows see them: a shape, where it is, how it moves during a step.

#pragma once

#include "base/core.h"
#include "body/shape_data.h"

#include "souple/collider.h"

#define SP_NAME_SIZE 64

typedef struct spCollider
{
    char name[SP_NAME_SIZE];
    spColliderId id;
    spColliderDef def;  // its transform is where the collider is now
    spShapeData* data;  // of shapes that are made from arrays, else NULL
    spTransform start;  // of the motion over the step
    spTransform target; // of that motion, or of the next step's
    bool moving;        // there is such a motion
    bool disturbed;     // users have changed something about it since the last step
    spReal turnReach;   // how far the rotation of that motion moves any place of the surface, m
    spVec3 force;       // on the collider, mean over the last step, N
    spVec3 torque;      // about its position, N m
} spCollider;

// A collider at one moment of a step
typedef struct spPose
{
    spTransform transform;
    spVec3 velocity; // of its origin, m/s
    spVec3 spin;     // angular velocity, rad/s
} spPose;

// The pose at a fraction of a step of dt seconds that goes from start to target
spPose spGetColliderPose(const spCollider* collider, spReal fraction, spReal dt);

// Nearest place on the surface of a shape
typedef struct spSurfaceHit
{
    spReal distance; // m, negative inside
    spVec3 normal;   // outwards, unit length
} spSurfaceHit;

// A shape of colliders, in its own frame: one row of the table for each
typedef struct spShapeKind
{
    const char* word; // in scene files, on the page and in reports
    int sizes;        // bits of spShapeSize
    // from: where the point was before, on the side where it belongs; NULL when that is not known
    spSurfaceHit (*query)(const spColliderDef* def, const spShapeData* data, spVec3 point,
                          const spVec3* from);
    // How far its surface is from any axis through its origin
    spReal (*getReach)(const spColliderDef* def, const spShapeData* data);
} spShapeKind;

extern const spShapeKind g_shapeKinds[sp_shapeCount];

// Distance and normal of a point in world coordinates that was at a place in the frame of the collider before, or
// NULL
spSurfaceHit spQueryShape(const spCollider* collider, spTransform transform, spVec3 point,
                          const spVec3* from);

// A distance that a point is at least away from all that is solid, m; 0 where that takes a query
spReal spGetLeastDistance(const spCollider* collider, spTransform transform, spVec3 point);

// NULL is allowed
void spFreeCollider(spHeap* heap, spCollider* collider);

// Checks a definition; the sentence says what is wrong.
bool spCheckColliderDef(const spColliderDef* def, spError* error);

// Makes the rotation one of length 1, or fails
bool spCleanTransform(spTransform* transform, spError* error);
