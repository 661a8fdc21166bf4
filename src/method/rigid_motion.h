// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rigid motion of a body: the part of its motion that stiffness does not resist.

#pragma once

#include "base/node.h"

// The rigid motion with given sums of m v and of (x - centre) cross m v
typedef struct spRigidMotion
{
    double mass;
    double centre[3];
    double velocity[3];
    double spin[3];
    double inverseInertia[6]; // xx yy zz yz zx xy; 0 for a body that is a line or a point
} spRigidMotion;

// The motion that takes up the impulses p of all nodes at positions x; perMass: p are velocities
spRigidMotion spFindRigidMotion(const spReal* mass, const spVec4* x, const spVec4* p, bool perMass,
                                int count);

// a += share times the velocity of the motion at x
void spAddRigidMotion(const spRigidMotion* w, double share, const spVec4* x, int count, spVec4* a);

// Limits the spin to what stays close to its tangent in h
void spLimitRotation(spRigidMotion* w, double h);

// Where the motion takes a point in h: Cayley's rotation, so that distances are kept
spVec3 spMoveRigidly(const spRigidMotion* w, double h, spVec4 x);

// Applies an impulse at an arm from the centre
void spApplyRigidImpulse(spRigidMotion* w, const double arm[3], const double p[3]);
// Velocity at an arm along a direction, for a unit impulse there along it, 1/kg
double spGetRigidCompliance(const spRigidMotion* w, const double arm[3], const double direction[3]);

// v = velocity + spin x arm
void spGetRigidVelocity(const spRigidMotion* w, const double arm[3], double v[3]);

// Moves nodes from their start by a motion over h, and by a lift, and gives them the velocities that another
// one leaves them with about the centre there
void spMoveNodesRigidly(spVec4* x, spVec4* v, const spVec4* start, const spRigidMotion* motion,
                        const spRigidMotion* after, double h, spVec3 lift, int count);
