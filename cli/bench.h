// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the files of souple bench share.

#pragma once

#include "testbed/worlds.h"

#include <jansson.h>

// A family of benchmarks; the number at the end of a name is the size
typedef struct spBenchFamily
{
    const char* stem; // name without the number and what follows it
    const char* doc;
    spTestWorld (*build)(const spTestDef* def, int size, int variant); // NULL: spRunImplicitBeam runs it
    double dt;
    int substeps; // 0: automatic
    int warmup;
    int steps;
    int sizes[6]; // of the standard run; 0 ends the list
    int least, most;
    int variant;        // handed to build; the preconditioner of implicit ones
    const char* suffix; // after the number; NULL for none
    int iterations; // implicit: conjugate gradients of every step; 0 means to a tolerance, Bullet beside it
} spBenchFamily;

typedef struct spBenchRun
{
    int threads[16];
    int threadCount;
    int lanes;
    int repeat;
    bool json;
    void (*head)(void); // prints the head of the table that was begun last
    json_t* results;
    int trouble;
} spBenchRun;

// Milliseconds per step
typedef struct spBenchTimes
{
    double median, mean, p95, best;
} spBenchTimes;

// The name of a benchmark
void spNameBenchmark(const spBenchFamily* family, int size, char* name, size_t capacity);

// Sorts the times of steps, ms
spBenchTimes spSummarizeTimes(double* times, int count);

// Prints the head of a table, unless that table goes on
void spBeginTable(spBenchRun* run, void (*head)(void));

// One beam in two ways; returns false when the family is another one. visual-beam: with a surface for the eye
// that has ten times the vertices of its own, and what reading its positions after every step adds.
// order-beam: with shuffled vertices, its nodes kept in that order and renumbered.
bool spRunBeamPair(spBenchRun* run, const spBenchFamily* family, int size);

// Implicit steps of the beam, with the other engine beside ours when the build has it
void spRunImplicitBeam(spBenchRun* run, const spBenchFamily* family, int size);
