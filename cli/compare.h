// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the parts of `souple compare` share: compare.c has the command and the reference, compare_play.c plays
// scenes and measures how far apart they are, compare_tell.c prints, writes and plots.

#pragma once

#include "report_tools.h"
#include "souple/scene.h"
#include "tools.h"

// Most runs in one comparison, and characters of a method
#define SP_MAX_ENTRIES 64
#define SP_METHOD_SIZE 256

// Nodes of a scene at the times of comparison. The first frame is the start, which counts for displacements
// only.
typedef struct spTrack
{
    int bodyCount;
    int nodeCount;   // of all bodies
    int* firstNodes; // bodyCount + 1 numbers: where each body begins
    int frameCount;
    spVec3* x;       // frameCount * nodeCount positions, m
    double* energy;  // of each frame, J
    double* kinetic; // likewise
} spTrack;

// How a track differs from another one
typedef struct spDifference
{
    double error;      // root mean square distance of nodes over size, non-dimensional
    double largest;    // largest distance over size
    double drift;      // largest difference of energies over the largest kinetic energy, with its sign
    double* bodyError; // as error, over the size of each body
} spDifference;

// One method at one step, and what came of it
typedef struct spEntry
{
    char method[SP_METHOD_SIZE]; // "scene" leaves the bodies as they are
    double dt;                   // s; 0 means that of the scene, until it was played
    spTrack track;
    int64_t steps;
    double simulatedSeconds;
    double processorSeconds; // of all steps, all threads together
    double medianStep;       // s of processor time
    int64_t forceEvaluations;
    int64_t solverIterations;
    double solverResidual; // the largest
    uint32_t flags;
    bool stopped;    // a body turned non-finite; the run ended there
    double stopTime; // s
    bool settled;    // with --settle
    spDifference difference;
} spEntry;

// The reference and how sure it is
typedef struct spReference
{
    spEntry entry;
    double change;   // what the last halving of its step did, as an error; NaN when it was not halved
    bool converged;  // below a tenth of the smallest error
    bool relaxed;    // an equilibrium, found without steps
    double residual; // of the relaxation
    double size;     // largest displacement, m
} spReference;

typedef struct spComparison
{
    const char* path;
    spScene* scene;
    char (*bodyNames)[64];
    int bodyCount;
    double* times; // of comparison, frameCount of them, s; the first is 0
    int frameCount;
    double duration; // s
    int threads, lanes;
    bool settle, json, quiet;
    bool mayEndEarly; // nothing happens later on: a scene at rest stays at rest
    bool isStatic;    // nothing but the bodies themselves: a relaxation finds where they come to rest
    spEntry entries[SP_MAX_ENTRIES];
    int entryCount;
    spReference reference;
    spBar bar;
    double share, part; // of the bar: what is done, and what the run that is played now adds
} spComparison;

// Plays the scene by the method and at the step of an entry. Returns false with the reason.
bool spPlayEntry(spComparison* comparison, spEntry* entry, spError* error);

// A run of an entry that has not begun, and the scene that it must not outlive; both are the caller's
spRun* spStartEntry(const spComparison* comparison, const spEntry* entry, spScene** scene, spError* error);

// Puts the nodes of a world into a frame of a track, which is made at the first call
bool spKeepFrame(spTrack* track, spWorld* world, int frameCount, int frame);

// Forgets what was played
void spFreeEntry(spEntry* entry);

// Largest displacement in a track, of one body or of all (-1), m
double spGetSize(const spTrack* track, int body);

// Compares an entry with a reference. Everything is NaN when the entry did not come to its end.
void spCompareEntries(const spEntry* reference, const spEntry* entry, spDifference* difference);

// Prints the table or the JSON
void spTellComparison(const spComparison* comparison);
json_t* spMakeComparisonJson(const spComparison* comparison);

// Files. Return exit codes; what went wrong is printed.
int spWriteComparison(const spComparison* comparison, const char* path);
int spPlotComparison(const spComparison* comparison, const char* path);

// The same as parts of a report
void spDraftComparison(const spComparison* comparison, spDraft* draft);
