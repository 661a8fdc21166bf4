// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rotations as unit quaternions, and rigid placements. A product q p rotates by p first. All functions except
// spNormalizeQuat expect unit quaternions; q and -q are the same rotation.

#pragma once

#include "math/vec3.h"

static inline spQuat spMakeQuat(spReal x, spReal y, spReal z, spReal w)
{
    spQuat q = {x, y, z, w};
    return q;
}

static inline spQuat spIdentityQuat(void)
{
    return spMakeQuat(0, 0, 0, 1);
}

static inline spTransform spIdentityTransform(void)
{
    spTransform t = {{0, 0, 0}, {0, 0, 0, 1}};
    return t;
}

// The inverse rotation
static inline spQuat spConjugate(spQuat q)
{
    return spMakeQuat(-q.x, -q.y, -q.z, q.w);
}

static inline spQuat spMulQuat(spQuat a, spQuat b)
{
    return spMakeQuat(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,  //
                      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,  //
                      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,  //
                      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z); //
}

static inline spReal spDotQuat(spQuat a, spQuat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline bool spIsFiniteQuat(spQuat q)
{
    return isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && isfinite(q.w);
}

// What has no direction (zero, NaN, infinite) gives the identity.
static inline spQuat spNormalizeQuat(spQuat q)
{
    double x = q.x, y = q.y, z = q.z, w = q.w;
    double length = sqrt(x * x + y * y + z * z + w * w);
    if (!(length > 0.0 && isfinite(length)))
    {
        return spIdentityQuat();
    }
    double inverse = 1.0 / length;
    return spMakeQuat((spReal)(inverse * x), (spReal)(inverse * y), (spReal)(inverse * z),
                      (spReal)(inverse * w));
}

// q a q*, as a + 2 w (u x a) + 2 u x (u x a) with q = (u, w)
static inline spVec3 spRotate(spQuat q, spVec3 a)
{
    spVec3 u = spMakeVec3(q.x, q.y, q.z);
    spVec3 t = spScale3(2, spCross3(u, a));
    return spAdd3(spMulAdd3(a, q.w, t), spCross3(u, t));
}

static inline spVec3 spInvRotate(spQuat q, spVec3 a)
{
    return spRotate(spConjugate(q), a);
}

static inline spVec3 spTransformPoint(spTransform t, spVec3 point)
{
    return spAdd3(spRotate(t.rotation, point), t.position);
}

static inline spVec3 spInvTransformPoint(spTransform t, spVec3 point)
{
    return spInvRotate(t.rotation, spSub3(point, t.position));
}

// First b, then a
static inline spTransform spMulTransform(spTransform a, spTransform b)
{
    spTransform t = {spTransformPoint(a, b.position), spMulQuat(a.rotation, b.rotation)};
    return t;
}

static inline spTransform spInvTransform(spTransform a)
{
    spTransform t = {spNeg3(spInvRotate(a.rotation, a.position)), spConjugate(a.rotation)};
    return t;
}

// The rotation by |v| radians about v: the exponential map. Exact at zero.
static inline spQuat spQuatFromRotationVector(spVec3 v)
{
    double x = v.x, y = v.y, z = v.z;
    double half = 0.5 * sqrt(x * x + y * y + z * z);
    if (!isfinite(half))
    {
        return spIdentityQuat();
    }
    // sin(half) / (2 half), by its series where the quotient would lose digits
    double s = half < 1.0e-4 ? 0.5 - half * half / 12.0 : 0.5 * sin(half) / half;
    return spMakeQuat((spReal)(s * x), (spReal)(s * y), (spReal)(s * z), (spReal)cos(half));
}

// The rotation by `angle` radians about `axis`, which need not have unit length. A zero axis gives the
// identity.
static inline spQuat spQuatFromAxisAngle(spVec3 axis, spReal angle)
{
    return spQuatFromRotationVector(spScale3(angle, spNormalize3(axis)));
}

// Logarithm of q: axis times angle, of the shorter way round (at most pi)
static inline spVec3 spRotationVectorFromQuat(spQuat q)
{
    double sign = q.w < 0 ? -1.0 : 1.0;
    double x = sign * q.x, y = sign * q.y, z = sign * q.z, w = sign * q.w;
    double s = sqrt(x * x + y * y + z * z);
    double factor = s < 1.0e-8 ? 2.0 : 2.0 * atan2(s, w) / s;
    return spMakeVec3((spReal)(factor * x), (spReal)(factor * y), (spReal)(factor * z));
}

// q turned over the time h at the constant angular velocity omega (rad/s, world axes). Exact for any angle,
// and normalised, so that it can be repeated for ever.
static inline spQuat spIntegrateQuat(spQuat q, spVec3 omega, spReal h)
{
    return spNormalizeQuat(spMulQuat(spQuatFromRotationVector(spScale3(h, omega)), q));
}

// From a (t = 0) to b (t = 1) along the shorter way; cheap, the speed varies a little
static inline spQuat spNlerp(spQuat a, spQuat b, spReal t)
{
    spReal s = spDotQuat(a, b) < 0 ? -t : t;
    spReal r = 1 - t;
    return spNormalizeQuat(
        spMakeQuat(r * a.x + s * b.x, r * a.y + s * b.y, r * a.z + s * b.z, r * a.w + s * b.w));
}

// From a (t = 0) to b (t = 1) along the shorter way at constant angular velocity
static inline spQuat spSlerp(spQuat a, spQuat b, spReal t)
{
    spVec3 v = spRotationVectorFromQuat(spMulQuat(b, spConjugate(a)));
    return spNormalizeQuat(spMulQuat(spQuatFromRotationVector(spScale3(t, v)), a));
}

// A placement between two: the position on the straight line, the rotation by spSlerp
static inline spTransform spLerpTransform(spTransform a, spTransform b, spReal t)
{
    spTransform c = {spLerp3(a.position, b.position, t), spSlerp(a.rotation, b.rotation, t)};
    return c;
}
