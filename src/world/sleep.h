// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies that rest sleep: a step passes them by until something comes near or is told to them.

#pragma once

#include "world/world.h"

// Wakes a body that is given a command, and all that sleeps beside it
void spWakeBody(spWorld* world, spBody* body);
// Wakes what sleeps near a collider, where it is and where it goes
void spWakeNear(spWorld* world, const spCollider* collider);
void spWakeAll(spWorld* world);

// Around a step of dt: wakes what is to be woken and hides the rest from it; then shows it again and lets bodies fall
// asleep
void spBeginSleep(spWorld* world, spReal dt);
void spEndSleep(spWorld* world, spReal dt, spStepReport* report);

// After the forces of the last step were cleared, of which there were so many contacts: brings those of bodies that
// sleep back
void spKeepSleepingForces(spWorld* world, int contactCount);
