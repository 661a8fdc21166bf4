// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact by volumes: what two closed bodies have in common where they will be at the end of the step is one row for
// each cell and part of it. Its normal is the way in which the volume shrinks fastest when one side moves as a whole, its
// sides are the nodes with their shares of the gradient along that, its gap is minus the volume over the area that the
// gradient has. A pressure over that area is the force that the row exerts; friction is that of the cell.

#pragma once

#include "contact/broad.h"

// Which pairs are looked at by volumes
typedef struct spDetectorEntry
{
    uint64_t first, second; // numbers of the ids of bodies, the smaller one first
    bool hasDetector;       // else the general one
    spDetector detector;
    int cells; // along the longest edge of what they have in common; 0: the usual
} spDetectorEntry;

typedef struct spDetectors
{
    spDetector general; // of all other pairs
    spDetectorEntry* entries;
    int count, capacity;
} spDetectors;

// False without memory
bool spSetDetector(spHeap* heap, spDetectors* detectors, uint64_t a, uint64_t b, spDetector detector);
spDetector spGetDetector(const spDetectors* detectors, uint64_t a, uint64_t b);
bool spSetVolumeCells(spHeap* heap, spDetectors* detectors, uint64_t a, uint64_t b, int cells);
int spGetVolumeCells(const spDetectors* detectors, uint64_t a, uint64_t b);
// Forgets the pairs of a body
void spRemoveDetectors(spDetectors* detectors, uint64_t body);

// Puts the pairs that are looked at by volumes behind the others, in their order; returns how many others there are. Open
// surfaces have no volume: they are looked at by distance.
int spSplitPairs(const spTouchContext* context, spBodyPair* pairs, int pairCount, spBodyPair* temp);
// Adds the rows of pairs. False without memory.
bool spAddVolumeRows(const spTouchContext* context, const spBodyPair* pairs, int pairCount);
