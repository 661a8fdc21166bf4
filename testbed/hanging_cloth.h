// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The cloth of the velocity filter's experiments: a horizontal square of 1 m, of count x count masses of 0.01
// kg, with structural and shear springs and bend springs of 2 % of their stiffness, pinned at two corners and
// let go.

#pragma once

#include "testbed/worlds.h"

typedef struct spHangingClothDef
{
    spTestDef test;
    int count;        // nodes along a side
    int neighbours;   // of the filter: 4 structural, 8 with shear
    bool irregular;   // a triangle mesh with moved nodes and random diagonals, which are all its edges
    bool free;        // nothing is pinned
    spReal stiffness; // of structural and shear springs, N/m
    spReal damping;   // of all springs, N s/m
    spReal size;      // m
} spHangingClothDef;

// 12 x 12, 2000 N/m, no damping, symplectic Euler with one substep, 8 neighbours
spHangingClothDef spDefaultHangingClothDef(void);

spTestWorld spBuildHangingCloth(const spHangingClothDef* def);

// Whether the cloth moves for a while with this step, s, and no spring ever exceeds `stretch` times its rest
// length
bool spSurvivesHanging(const spHangingClothDef* def, double dt, double duration, double stretch);

// The largest step that survives 2 s without that stretch, by bisection from a guess to half a percent, s. A
// tenth of the guess is the least that is looked at.
double spFindHangingLimit(const spHangingClothDef* def, double guess, double stretch);
