// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the add_*.c files, which put element sets on a body, have in common. Definitions speak in the user's
// node numbers and get translated there.

#pragma once

#include "body/body.h"

// Whether there is room for one more set
bool spCheckRoom(const spBody* body, spError* error);

// Whether the user's number of a node exists. `what` and `index` name the thing that uses it.
bool spCheckNode(const spBody* body, const char* what, int index, int node, spError* error);

// Whether the numbers of an activation of springs are in range
bool spCheckActivation(spReal amplitude, spReal frequency, spReal phase, spError* error);

// The damping time, s, that gives the slowest vibration of a body this share of critical damping. Waves run through
// the body with `speed`, m/s; half a wave length is the longest side of the box around its nodes. It does not
// depend on the mesh.
double spGetDampingTime(const spBody* body, double ratio, double speed);

// Appends a set that has no blocks. Returns its number.
int spAppendSet(spBody* body, spElementSet* set);

// Appends a set with blocks and lays out the slots anew. On failure the set is destroyed; returns -1.
int spAppendLocalSet(spBody* body, spElementSet* set, spError* error);
