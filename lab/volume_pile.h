// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rigid tori that lie in and on each other, found by volume: what souple bench volumes-pile
// measures detection with. Without gravity, so that a step is little but detection.

#pragma once

#include "souple/souple.h"

// Tori of a pile, at most
#define SP_MOST_TORI 64

typedef struct spVolumePileDef
{
    int count;          // of tori
    int around, across; // quads of each: twice as many triangles
    int workerCount;    // threads
    int laneCount;      // 0: those of the machine
} spVolumePileDef;

typedef struct spVolumePile
{
    spWorld* world; // NULL when it could not be built; error says why
    spBodyId bodies[SP_MOST_TORI];
    int count;
    int triangles;
    spError error;
} spVolumePile;

spVolumePile spBuildVolumePile(const spVolumePileDef* def);

// A step that is measured: processor time of detection, of all threads, ms. The clock of the processor runs over the step;
// detection has the share of it that it has of the step.
double spTimePileDetection(spVolumePile* pile);
