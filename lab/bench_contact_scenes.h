// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What benchmarks of bodies in contact share: steps with their processor time and where it went.

#pragma once

#include "bench.h"

// Sums over some steps
typedef struct spContactSteps
{
    double* times; // processor time of the stepping thread, ms, one entry for each step
    int capacity, count;
    double detection, response; // wall clock, ms, of all steps together
    double rows, sweeps;        // of all steps together
    uint32_t flags;
} spContactSteps;

// False without memory
bool spBeginContactSteps(spContactSteps* steps, int capacity);
void spEndContactSteps(spContactSteps* steps);

// One step, counted
void spTakeContactStep(spContactSteps* steps, spWorld* world, double dt);

// Median and longest, ms. The list is sorted.
typedef struct spContactCost
{
    double median, longest;     // ms of the stepping thread
    double detection, response; // means, ms of wall clock
    double rows, sweeps;        // means
} spContactCost;
spContactCost spSummarizeContactSteps(spContactSteps* steps);

json_t* spMakeContactCostJson(const spContactCost* cost);

// Processor time of the calling thread, s
double spGetThreadClock(void);
