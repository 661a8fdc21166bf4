// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The arithmetic of one spring with a damper, over R lanes. d = x1 - x0, dv = v1 - v0; forces are on node 0.
//
//   f = (k (l - l0) + c (dv . d) / l) d / l
//   df = k ((1 - l0/l) dx + (l0/l) e (e . dx)) + c e (e . dv),  e = d / l
//
// A tension spring gives nothing, its damper included, while it is shorter than l0. The normalised law is
// Hooke's with k / l0 in place of k and the proportional law with k l0, which is settled when the data is
// filled in.

#pragma once

#include "math/lanes.h"

// The square of the length below which a spring has no direction and its force fades out, m^2
#define SP_MIN_LENGTH2 ((spReal)1e-24)

// Numbers of one spring
typedef struct spSpringData
{
    R rest; // m
    R k;    // N/m
    R c;    // N s/m
} spSpringData;

typedef struct spSpringShape
{
    R length, inverse;
} spSpringShape;

SP_KERNEL spSpringShape spGetSpringShape(RVec3 d)
{
    // Root and division do not wait for each other this way
    spSpringShape shape;
    R length2 = spMax(spDotR(d, d), spSplat(SP_MIN_LENGTH2));
    shape.length = spSqrt(length2);
    shape.inverse = shape.length * (spSplat(1) / length2);
    return shape;
}

SP_KERNEL RVec3 spGetSpringForce(RVec3 d, const spSpringData* s)
{
    spSpringShape shape = spGetSpringShape(d);
    return spScaleR(s->k * (shape.length - s->rest) * shape.inverse, d);
}

SP_KERNEL RVec3 spGetDampedSpringForce(RVec3 d, RVec3 dv, const spSpringData* s)
{
    spSpringShape shape = spGetSpringShape(d);
    R rate = spDotR(dv, d) * shape.inverse;
    return spScaleR((s->k * (shape.length - s->rest) + s->c * rate) * shape.inverse, d);
}

SP_KERNEL RVec3 spGetTensionForce(RVec3 d, RVec3 dv, const spSpringData* s)
{
    spSpringShape shape = spGetSpringShape(d);
    R rate = spDotR(dv, d) * shape.inverse;
    R pull = s->k * (shape.length - s->rest) + s->c * rate;
    return spScaleR(spSelect(shape.length > s->rest, pull, spSplat(0)) * shape.inverse, d);
}

// The numbers that differences are taken with at d. A slack tension spring has no stiffness. A spring that is
// pressed pushes sideways: projected, it never pushes away from rest.
SP_KERNEL void spPrepareSpring(RVec3 d, bool tension, bool project, spSpringData* s)
{
    R length = spGetSpringShape(d).length;
    if (tension)
    {
        RMask taut = length > s->rest;
        s->k = spSelect(taut, s->k, spSplat(0));
        s->c = spSelect(taut, s->c, spSplat(0));
    }
    if (project)
    {
        s->rest = spMin(s->rest, length);
    }
}

SP_KERNEL RVec3 spGetSpringDifference(RVec3 d, RVec3 dx, RVec3 dv, const spSpringData* s)
{
    spSpringShape shape = spGetSpringShape(d);
    RVec3 e = spScaleR(shape.inverse, d);
    R shrink = s->rest * shape.inverse;
    R along = s->k * shrink * spDotR(e, dx) + s->c * spDotR(e, dv);
    return spAddR(spScaleR(s->k * (spSplat(1) - shrink), dx), spScaleR(along, e));
}
