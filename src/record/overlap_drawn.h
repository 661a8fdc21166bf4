// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What closed bodies of a frame have in common, for pictures: the spans that rays see of it along one axis, and the gradient of the
// volume at each node (contact/volume.h).

#pragma once

#include "base/arena.h"
#include "record/float3.h"
#include "record/recording.h"

typedef struct spDrawnSpan
{
    spFloat3 ends[2];
    int bodies[2]; // whose surface is at the ends
} spDrawnSpan;

typedef struct spDrawnGradient
{
    spFloat3 x;
    spFloat3 gradient; // of the volume, m^2
    int body;
} spDrawnGradient;

// All in the arena
typedef struct spDrawnOverlap
{
    spDrawnSpan* spans; // along the axis that sees the largest area
    int spanCount;
    spDrawnGradient* gradients;
    int gradientCount;
    double volume; // of all pairs of bodies, m^3
    float pixel;   // m
} spDrawnOverlap;

// Looks along about `pixels` rays on the longest edge of what boxes have in common. Bodies without a closed surface have no volume.
// Returns false without memory.
bool spFindDrawnOverlap(spArena* arena, const spRecording* recording, int frame, int pixels,
                        spDrawnOverlap* overlap);
