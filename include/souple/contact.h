// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contacts, to be read after a step: what pressed on what, with which force, since when, and what came and went.

#pragma once

#include "souple/collider.h"
#include "souple/world.h"

SP_EXTERN_C_BEGIN

/// A point of a body: the weighted sum of one to three nodes.
typedef struct spContactSide
{
    int count;    ///< nodes: 1 a node, 2 a point on an edge, 3 on a triangle, or those that carry most of a
                  ///< volume; 0 without a body
    int nodes[3]; ///< which
    spReal weights[3]; ///< their weights, which add up to 1
} spContactSide;

/// A point of a body that pressed on a collider, on another body or on the body itself during the last step.
typedef struct spContact
{
    spBodyId body;           ///< whose point
    int node;                ///< its first node
    spColliderId collider;   ///< on what; null when that is a body
    spBodyId otherBody;      ///< on what; null when that is a collider
    spContactSide side;      ///< the point of the body
    spContactSide otherSide; ///< the point of the other body
    spVec3 position;         ///< of the point, m
    spVec3 normal;           ///< from the collider or the other body to the point, unit length
    spReal gap;              ///< distance at the end of the step, m; negative when it penetrates
    spVec3
        force; ///< on the body, mean over the step, N: normal part and friction; the other side feels the opposite
    spReal
        area; ///< of the surface of the body around the point, seen along the normal: a third of each triangle
    ///< at its nodes, m^2; of the other body where the body has no triangles, 0 where neither has any
    spVec3 slip;  ///< velocity of the body along the other side at the point, at the end of the step, m/s
    int age;      ///< steps in a row in which it pressed, this one included: 1 when it is new
    uint64_t key; ///< stays the same as long as the contact lives
} spContact;

/// @return number of contacts in the last step.
SP_API int spWorld_GetContactCount(const spWorld* world);
/// Writes contacts of the last step: those between bodies, then those with colliders, ordered by body. A node that was
/// caught only at the end of the step has an entry of its own. @return how many were written.
SP_API int spWorld_GetContacts(const spWorld* world, spContact* contacts, int capacity);

/// What can touch: a body or a collider. One of the ids is null.
typedef struct spThing
{
    spBodyId body;         ///< the body, or null
    spColliderId collider; ///< the collider, or null
} spThing;

/// @return a body as a thing.
static inline spThing spBodyThing(spBodyId body)
{
    spThing thing = {body, {0, 0}};
    return thing;
}

/// @return a collider as a thing.
static inline spThing spColliderThing(spColliderId collider)
{
    spThing thing = {{0, 0}, collider};
    return thing;
}

/// What one thing feels of another in the last step, over all of their contacts.
typedef struct spPairLoad
{
    spVec3 force;     ///< on the thing, mean over the step, N
    spVec3 torque;    ///< the same about a point, N m
    int contactCount; ///< contacts between them
    spReal pressure;  ///< largest normal force of a contact over its area, N/m^2; 0 where there is no area
    spReal depth;     ///< deepest that a contact is inside at the end of the step, m; 0 when none is
    spReal slip;      ///< fastest that a contact slides, m/s
} spPairLoad;

/// Sums what a thing feels of another one. What the other one feels is the opposite force and torque, with the same
/// numbers beside them.
/// @param thing a body or a collider
/// @param other a body, the same body for its contacts with itself (whose forces add up to nothing), or a collider;
/// with both ids null everything that it touches but itself
/// @param point about which the torque is, m
SP_API spPairLoad spWorld_GetPairLoad(const spWorld* world, spThing thing, spThing other, spVec3 point);

/// Measures the volume that closed things have in common now, from layered depth images of their surfaces
/// (docs/volumes.md): bodies with a closed surface whose contact is not off, whether they touch or not, and colliders
/// that are closed triangle meshes. What two others have in common with each other counts for each pair; of a
/// body with itself, where it has selfContact, what it covers twice.
/// @param thing a body or a collider; null: everything
/// @param other counts with this alone, the same body for a body with itself; null: with everything
/// @return m^3; 0 where there is none; NaN without memory
SP_API double spWorld_MeasureOverlap(spWorld* world, spThing thing, spThing other);

/// Says by what contacts between two bodies are found, from the next step on, until one of them is destroyed.
/// @param otherBody may be the same: a body with selfContact and itself
/// @return false where one of them is not there, or has an open surface and cannot go by volume
SP_API bool spWorld_SetPairDetector(spWorld* world, spBodyId body, spBodyId otherBody, spDetector detector);

/// @return by what contacts between two bodies are found; by distance for ids that are stale, and where a surface is
/// open.
SP_API spDetector spWorld_GetPairDetector(const spWorld* world, spBodyId body, spBodyId otherBody);

/// Says how finely contacts by volume between two bodies are cut up, from the next step on, until one of them is destroyed.
/// Each cell has a pressure and friction of its own. 1 is a single contact wherever what they have in common is connected.
/// @param otherBody may be the same: a body with selfContact and itself
/// @param cells at most so many along the longest edge of what both have in common, half of them at least, 1 to 64; 0: the
/// usual, which is 4
/// @return false where one of them is not there, or the number is out of range
SP_API bool spWorld_SetPairCells(spWorld* world, spBodyId body, spBodyId otherBody, int cells);

/// @return cells along the longest edge of what two bodies have in common, where their contact is by volume; 0 for ids
/// that are stale.
SP_API int spWorld_GetPairCells(const spWorld* world, spBodyId body, spBodyId otherBody);

/// @return force of all contacts with another body on a body, N: the mean over the last step; zero without any. The
/// other body feels the opposite.
SP_API spVec3 spWorld_GetPairForce(const spWorld* world, spBodyId body, spBodyId otherBody);

/// Copies the contact force on each node of a body, N: the mean over the last step. They add up to
/// spBody_GetContactForce.
/// @param forces room for spBody_GetNodeCount entries
/// @return number of nodes; 0 when there is no room for all of them
SP_API int spBody_CopyContactForces(const spWorld* world, spBodyId body, spVec3* forces, int capacity);

/// Copies the contact pressure at each node of a body, N/m^2: normal forces of its contacts over the area around it,
/// a third of each of its triangles, seen along the normal. Pressures times areas add up to the normal forces.
/// @param pressures room for spBody_GetNodeCount entries
/// @return number of nodes; 0 when there is no room for all of them, or the body has no triangles
SP_API int spBody_CopyContactPressures(const spWorld* world, spBodyId body, spReal* pressures, int capacity);

/// Two things that began to touch in the last step, or that touch no more.
typedef struct spTouchEvent
{
    spThing first; ///< a body
    spThing
        second; ///< another body, the same one, or a collider; in an end event one that may be destroyed by now
} spTouchEvent;

/// The fastest of the contacts between two things that are new in the last step.
typedef struct spHitEvent
{
    spThing first;   ///< a body
    spThing second;  ///< another body, the same one, or a collider
    spVec3 position; ///< of the contact, m
    spVec3 normal;   ///< from the second to the first, unit length
    spReal speed;    ///< with which they came together at the start of the step, m/s
    uint64_t key;    ///< of the contact
} spHitEvent;

/// What began, what ended and what hit in the last step, each ordered by the ids of the things.
typedef struct spContactEvents
{
    const spTouchEvent* begins; ///< pairs with a contact that did not touch before
    const spTouchEvent*
        ends;               ///< pairs that had one and have had none for four steps, or of which one is gone
    const spHitEvent* hits; ///< one at most for a pair, when faster than spWorldDef::hitSpeed
    int beginCount;         ///< number of begins
    int endCount;           ///< number of ends
    int hitCount;           ///< number of hits
} spContactEvents;

/// @return the events of the last step. They are valid until the next step, or until a state is restored. A contact
/// that is new by itself has spContact::age 1.
SP_API spContactEvents spWorld_GetContactEvents(const spWorld* world);

SP_EXTERN_C_END
