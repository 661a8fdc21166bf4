// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The motion of a body as a whole, which stiffness does not resist.

#pragma once

#include "body/body.h"

// A motion that has the sums of m v and of (x - centre) cross m v
typedef struct spWholeMotion
{
    double mass;
    double centre[3];
    double velocity[3];
    double turn[3];
    double yield[6]; // inverse of the inertia: xx yy zz yz zx xy. 0 for a body that is a line or a point
} spWholeMotion;

// The motion that takes up the impulses p of all nodes at places x; perMass: p are velocities
spWholeMotion spFindWholeMotion(const spBody* body, const spVec4* places, const spVec4* p, bool perMass);

// a += share times the motion
void spAddWholeMotion(const spWholeMotion* w, double share, const spVec4* places, int count, spVec4* a);

// Leaves of a motion that turns far in a substep as much as stays close to its tangent
void spLimitTurn(spWholeMotion* w, double h);

// An impulse at an arm from the centre; and the velocity there along a direction for an impulse along it
void spPushWhole(spWholeMotion* w, const double arm[3], const double p[3]);
double spGetWholeYield(const spWholeMotion* w, const double arm[3], const double direction[3]);

// v = velocity + turn x arm
void spGetWholeVelocity(const spWholeMotion* w, const double arm[3], double v[3]);
