// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The three beams of Boukadida 2020, chapter 3, about 10 cm x 1 cm x 1 cm, 1000 kg/m^3, Poisson's ratio 0.4:
// grids of cubes, five tets each, that have the printed numbers of particles and tets. The thesis does not
// say how they were deformed: here by 10 % along x, bent as a parabola whose sections tilt with it, and
// twisted by 0.4 rad.

#pragma once

#include "testbed/worlds.h"

// 460, 1395 and 3120 tets
#define SP_BENT_BEAM_COUNT 3

typedef struct spBentBeamDef
{
    spTestDef test;
    const spAllocator* allocator; // NULL: the C library's
    int beam;                     // 0 .. SP_BENT_BEAM_COUNT - 1
    spTetLaw law;
    double young;   // Pa
    double gravity; // m/s^2, downwards
    double drag;    // rate at which velocities fall, 1/s; 0 for none
    bool held;      // nodes at x = 0
    bool bent;      // starts deformed, at rest
} spBentBeamDef;

// 460 tets, co-rotated, 1e4 Pa, no gravity, no drag, held, not bent; sp_xpbd
spBentBeamDef spDefaultBentBeamDef(void);

spTestWorld spBuildBentBeam(const spBentBeamDef* def);

// Size of a beam along x, and along y and z, m
double spGetBentBeamLength(int beam);
double spGetBentBeamWidth(void);

// Places the nodes of a beam at rest where they start deformed
void spBendBeam(const spVec3* rest, int count, spVec3* bent);

// Mean depth of the free end of a beam below where it is at rest, m
double spGetTipSag(const spTestWorld* test, const spBentBeamDef* def);
