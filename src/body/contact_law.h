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

#include "body/row.h"
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

// The gap between the surface of a collider and a point with this radius around it, and its normal. from: where
// the point was at the start of the step, in the frame of the collider; NULL when that is not known.
static inline spSurfaceHit spFindGap(const spCollider* collider, const spPose* pose, spReal radius, spVec3 p,
                                     const spVec3* from)
{
    spSurfaceHit hit = spQueryShape(collider, pose->transform, p, from);
    hit.distance -= radius;
    return hit;
}

// What rounding of the place makes of a gap, m: one that is less deep is none
static inline spReal spGetGapRounding(spVec3 p, spReal radius)
{
    spReal size = (spReal)(fabs((double)p.x) + fabs((double)p.y) + fabs((double)p.z));
    return (sizeof(spReal) == sizeof(float) ? (spReal)1e-6 : (spReal)1e-14) * (size + radius);
}

// Where a hold wants its point: fixed to a collider, or moving in space
static inline spVec3 spGetAnchor(const spRow* row, const spPose* poses, spReal fraction)
{
    return row->b.slot >= 0 ? spTransformPoint(poses[row->b.slot].transform, row->anchor)
                            : spMulAdd3(row->anchor, fraction, row->anchorStep);
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

// The new tangential multiplier p for the 2x2 block W_t of the compliance: the least of p W_t p / 2 + g p over
// |p| <= most, g being the slip without it. Inside the disc W_t p = -g; on its rim (W_t + l) p = -g with l > 0,
// found by Newton's method on 1/|p|, which comes from below (More, Sorensen. Computing a Trust Region Step. 1983).
static inline spVec3 spSolveFrictionBlock(spVec3 total, spVec3 slip, spMat3 w, spVec3 normal, spReal most)
{
    if (!(most > 0))
    {
        return spMakeVec3(0, 0, 0);
    }
    spVec3 s = spPerpendicular3(normal), t = spCross3(normal, s);
    spVec3 ws = spMulMV3(w, s), wt = spMulMV3(w, t);
    spReal a = spDot3(s, ws), b = (spDot3(s, wt) + spDot3(t, ws)) / 2, c = spDot3(t, wt);
    spReal p = spDot3(s, total), q = spDot3(t, total);
    spReal g = spDot3(s, slip) - (a * p + b * q), k = spDot3(t, slip) - (b * p + c * q);
    spReal l = 0, length = 0, rounding = sizeof(spReal) == sizeof(float) ? (spReal)1e-6 : (spReal)1e-13;
    if (!(a * c > b * b))
    {
        return spMakeVec3(0, 0, 0);
    }
    // Against a slip beyond all that the disc holds back only its direction counts, and l would overflow
    spReal size = (spReal)sqrt((double)g * (double)g + (double)k * (double)k);
    if (size * rounding > (a + c) * most)
    {
        return spMulAdd3(spScale3(-most * (g / size), s), -most * (k / size), t);
    }
    for (int i = 0; i < 30; ++i)
    {
        spReal d = (a + l) * (c + l) - b * b;
        p = (b * k - (c + l) * g) / d;
        q = (b * g - (a + l) * k) / d;
        length = (spReal)sqrt((double)(p * p + q * q));
        if (!(length > most * (1 + rounding)))
        {
            break;
        }
        // p (W_t + l)^-1 p
        spReal bend = ((c + l) * p * p - 2 * b * p * q + (a + l) * q * q) / d;
        if (!(bend > 0))
        {
            break; // underflow
        }
        l += length * length / bend * (length - most) / most;
    }
    spReal share = spGetShare(length, most);
    return spMulAdd3(spScale3(share * p, s), share * q, t);
}

// The change of impulse of a contact: the normal first, then friction against what the normal impulse is now.
// rate is what is above the target: of velocity, or, without friction, the gap.
static inline spVec3 spSolveContact(spVec3 total, spVec3 rate, spMat3 w, spVec3 normal, spReal friction)
{
    spVec3 wn = spMulMV3(w, normal);
    spReal yield = spDot3(normal, wn), old = spDot3(normal, total);
    if (!(yield > 0))
    {
        return spMakeVec3(0, 0, 0);
    }
    spReal more = spSolveNormal(old, spDot3(normal, rate), yield);
    spVec3 side = spGetTangent(total, normal), slip = spGetTangent(spMulAdd3(rate, more, wn), normal);
    spVec3 change = spSub3(spSolveFrictionBlock(side, slip, w, normal, friction * (old + more)), side);
    return spMulAdd3(change, more, normal);
}

// The same where the compliance is the same in all directions
static inline spVec3 spSolveEvenContact(spVec3 total, spVec3 rate, spReal w, spVec3 normal, spReal friction)
{
    spReal old = spDot3(normal, total), more = spSolveNormal(old, spDot3(normal, rate), w);
    if (more == 0 && old == 0)
    {
        // Apart, as most are
        return spNeg3(total);
    }
    spReal most = friction * (old + more);
    spVec3 side = spGetTangent(total, normal), slip = spGetTangent(rate, normal);
    spVec3 stop = most > 0 ? spSolveFriction(side, slip, w, most) : spMakeVec3(0, 0, 0);
    return spMulAdd3(spSub3(stop, side), more, normal);
}

// The nearest multiplier that a contact may have: no pull, friction in its cone
static inline spVec3 spKeepInCone(spVec3 total, spVec3 normal, spReal friction)
{
    spReal pressed = spDot3(total, normal);
    pressed = pressed > 0 ? pressed : 0;
    return spMulAdd3(spLimitLength(spGetTangent(total, normal), friction * pressed), pressed, normal);
}

// The change of impulse of a hold
static inline spVec3 spSolveHoldBlock(spVec3 total, spVec3 residual, spMat3 w, spReal soft)
{
    spMat3 inverse;
    if (spInvertMat3(spMulAddMat3(w, soft, spIdentityMat3()), &inverse) == false)
    {
        return spMakeVec3(0, 0, 0);
    }
    return spNeg3(spMulMV3(inverse, spMulAdd3(residual, soft, total)));
}
