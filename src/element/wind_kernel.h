// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The force of a moving fluid on one triangle, over R lanes. w is the velocity of the fluid relative to the
// triangle, N = (x1 - x0) x (x2 - x0) twice its area vector, n = N / |N|.
//
//   f = 1/2 rho A (Cn |w.n| (w.n) n + Ct |t| t),  t = w - (w.n) n,  A = |N| / 2
//
// One-sided triangles feel it only while they move outwards through the fluid, w.n < 0: on a closed body the
// fluid pushes on the faces in front and leaves those behind.
//
// Tu, Terzopoulos. Artificial Fishes: Physics, Locomotion, Perception, Behavior. 1994

#pragma once

#include "math/lanes_mat3.h"

typedef struct spWindFluid
{
    RVec3 velocity;    // m/s
    R normal, tangent; // rho Cn / 4 and rho Ct / 4
} spWindFluid;

typedef struct spWindShape
{
    R size;   // |N|
    RVec3 n;  // unit normal; 0 without area
    R across; // w . n
    RVec3 t;
    R speed;    // |t|
    RMask calm; // no force
} spWindShape;

SP_KERNEL spWindShape spGetWindShape(RVec3 e1, RVec3 e2, RVec3 w, bool oneSided)
{
    spWindShape s;
    RVec3 area = spCrossR(e1, e2);
    s.size = spSqrt(spDotR(area, area));
    s.n = spScaleR(spSplat(1) / spMax(s.size, spSplat(SP_TINY_REAL)), area);
    s.across = spDotR(w, s.n);
    s.t = spSubR(w, spScaleR(s.across, s.n));
    s.speed = spSqrt(spDotR(s.t, s.t));
    s.calm = oneSided ? s.across >= spSplat(0) : s.size < spSplat(0);
    return s;
}

SP_KERNEL RVec3 spGetWindForce(const spWindShape* s, const spWindFluid* fluid)
{
    R across = fluid->normal * spMax(s->across, -s->across) * s->across;
    RVec3 f = spAddR(spScaleR(across, s->n), spScaleR(fluid->tangent * s->speed, s->t));
    return spScaleR(spSelect(s->calm, spSplat(0), s->size), f);
}

// Its change for a change dw of the relative velocity
SP_KERNEL RVec3 spGetWindDifference(const spWindShape* s, RVec3 dw, const spWindFluid* fluid)
{
    R dAcross = spDotR(dw, s->n);
    RVec3 dt = spSubR(dw, spScaleR(dAcross, s->n));
    R dSpeed = spDotR(s->t, dt) / spMax(s->speed, spSplat(SP_TINY_REAL));
    RVec3 f = spAddR(spScaleR(spSplat(2) * fluid->normal * spMax(s->across, -s->across) * dAcross, s->n),
                     spScaleR(fluid->tangent, spAddR(spScaleR(s->speed, dt), spScaleR(dSpeed, s->t))));
    return spScaleR(spSelect(s->calm, spSplat(0), s->size), f);
}
