// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The law of contact and of holds, one point at a time, as pure functions.
//
// With the compliance W of the point (what an impulse does to the velocity), the relative velocity u of its
// two sides and the impulse p that it has so far:
//
//   contact    u_n >= target, p_n >= 0, one of them equal;  |p_t| <= mu p_n, and p_t against u_t where it slides
//   hold       u + c p = target, c the compliance of the hold over h^2;  |p| <= maxForce h
//
// The same holds for positions: gaps for velocities, displacements per inverse mass for impulses. Methods
// differ in W and in the level. Explicit methods and XPBD measure multipliers by what they do to the node, so
// that W = 1; the response passes the blocks that bodies lend; a body that moves as a whole that of its inertia.
// Implicit methods solve for a set of active rows, and take from here what a row asks for.

#pragma once

#include "body/collider.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"

// Nodes that start inside a collider leave it at most this fast, m/s: pushing them out at once would tear the
// body
#define SP_PUSH_SPEED ((spReal)5)

// ---- geometry ----

// Velocity of the surface of a collider at a place, m/s
static inline spVec3 spGetSurfaceVelocity(const spPose* pose, spVec3 p)
{
    return spAdd3(pose->velocity, spCross3(pose->spin, spSub3(p, pose->transform.position)));
}

// Where a hold wants its point: fixed to a collider, or moving in space. pose is NULL in space.
static inline spVec3 spGetAnchor(spVec3 anchor, spVec3 anchorStep, const spPose* pose, spReal fraction)
{
    return pose != NULL ? spTransformPoint(pose->transform, anchor) : spMulAdd3(anchor, fraction, anchorStep);
}

// Part of a vector along the surface
static inline spVec3 spGetTangent(spVec3 v, spVec3 normal)
{
    return spMulSub3(v, spDot3(v, normal), normal);
}

// ---- what a contact asks for ----

// How far a point that is inside may be moved out in h: as far as it came in, at its speed along the normal
// (negative when it comes in), and a little more
static inline spReal spGetPushReach(spReal normalSpeed, spReal h)
{
    return h * (SP_PUSH_SPEED + (normalSpeed < 0 ? -normalSpeed : 0));
}

// Speed along the normal after an impact; slow ones do not bounce
static inline spReal spGetBounceSpeed(spReal normalSpeed, spReal restitution, spReal threshold)
{
    return normalSpeed < -threshold ? -restitution * normalSpeed : 0;
}

// ---- multipliers ----

// The share of a vector of this length that a limit leaves
static inline spReal spGetShare(spReal length, spReal most)
{
    return length > most ? most / length : 1;
}

static inline spVec3 spLimitLength(spVec3 v, spReal most)
{
    spReal length = spLength3(v);
    return length > most ? spScale3(most / length, v) : v;
}

// Change of a normal multiplier: the rate (speed above its target, or gap) goes to zero, without a pull in all
static inline spReal spSolveNormal(spReal total, spReal rate, spReal w)
{
    spReal change = -rate / w;
    return change < -total ? -total : change;
}

// The new tangential multiplier where the compliance is the same in all directions of the surface
static inline spVec3 spSolveFriction(spVec3 total, spVec3 slip, spReal w, spReal most)
{
    return spLimitLength(spMulSub3(total, 1 / w, slip), most);
}

// The new multiplier of a hold whose residual is w times it, and soft times it
static inline spVec3 spSolveHold(spVec3 total, spVec3 residual, spReal w, spReal soft)
{
    return spMulSub3(total, 1 / (w + soft), spMulAdd3(residual, soft, total));
}
