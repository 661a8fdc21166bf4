// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rigid motion of a body: the part of its motion that stiffness does not resist.

#pragma once

#include "body/body.h"

// The motion that takes up the impulses p of all nodes at positions x; perMass: p are velocities
spRigidMotion spFindRigidMotion(const spBody* body, const spVec4* x, const spVec4* p, bool perMass);

// Limits the spin to what stays close to its tangent in h
void spLimitRotation(spRigidMotion* w, double h);

// Applies an impulse at an arm from the centre
void spApplyRigidImpulse(spRigidMotion* w, const double arm[3], const double p[3]);
// Velocity at an arm for an impulse there, 1/kg
spMat3 spGetRigidCompliance(const spRigidMotion* w, const double arm[3]);
