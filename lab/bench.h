// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the files of souple bench share.

#pragma once

#include "cli/table.h"
#include "peer.h"
#include "testbed/worlds.h"

#include <jansson.h>

typedef struct spBenchRun spBenchRun;
typedef struct spBenchFamily spBenchFamily;

// Measures one benchmark on all numbers of threads, prints and collects what it found
typedef void spRunBenchFcn(spBenchRun* run, const spBenchFamily* family, int size);

// What XPBD benchmarks step: spBenchFamily.variant of spRunXpbd
typedef enum spXpbdVariant
{
    sp_benchStrainBeam, // corotational tets by rows of strain
    sp_benchColourBeam, // the same in the order of a graph colouring
    sp_benchEnergyBeam, // the same by one row of energy
    sp_benchGreenBeam,  // St-Venant-Kirchhoff
    sp_benchDistanceBeam,
    sp_benchDistanceCloth,
} spXpbdVariant;

// A family of benchmarks; the number at the end of a name is the size
struct spBenchFamily
{
    const char* stem; // name without the number and what follows it
    const char* doc;
    spRunBenchFcn* run;
    spTestWorld (*build)(const spTestDef* def, int size, int variant); // of spRunPlain
    double dt;
    int substeps; // 0: automatic
    int warmup;
    int steps;
    int sizes[6]; // of the standard run; 0 ends the list
    int least, most;
    int variant;        // handed to build; the preconditioner of implicit ones; spXpbdVariant
    const char* suffix; // after the number; NULL for none
    bool apart;         // takes minutes: only when it is named
    int iterations; // implicit: conjugate gradients of every step, 0 means to a tolerance, Bullet beside it;
                    // XPBD: sweeps
};

struct spBenchRun
{
    int threads[16];
    int threadCount;
    int lanes;
    int repeat;
    const char* mesh; // of contact-organ; NULL: those of data/
    bool json;
    spTable table;
    json_t* results;
    int trouble;
};

// Milliseconds per step
typedef struct spBenchTimes
{
    double median, mean, p95, best;
} spBenchTimes;

// The name of a benchmark
void spNameBenchmark(const spBenchFamily* family, int size, char* name, size_t capacity);

// Sorts the times of steps, ms
spBenchTimes spSummarizeTimes(double* times, int count);

// Says why a benchmark has no numbers
void spFailBench(spBenchRun* run, const char* name, const char* message);

// bench_beam.c: one beam in two ways. With an attached surface that has ten times the vertices of its own,
// and what reading its positions after every step adds; with shuffled vertices, its nodes kept in that order
// and renumbered.
spRunBenchFcn spRunVisualBeam, spRunOrderBeam;

// bench_implicit.c: implicit steps of the beam, with the other engine beside ours when the build has it
spRunBenchFcn spRunImplicitBeam;

// bench_xpbd.c: sweeps of XPBD, with the links of the other engine beside distances when the build has it
spRunBenchFcn spRunXpbd;

// bench_mesh.c: writing and reading mesh files
spRunBenchFcn spRunMeshBench;

// bench_contact_scenes.c: bodies that fall, with the other engine's beside one of them; what touched points cost
spRunBenchFcn spRunContactDrop, spRunContactBeam, spRunContactCompliance, spRunGaussSeidel;

// bench_contact_organ.c: irregular meshes hanging, standing and squeezed
spRunBenchFcn spRunContactOrgan;

// bench_storm.c: random scenes over the whole range of sizes, materials and steps
spRunBenchFcn spRunStorm;
// bench_cut.c: a beam that is cut in every step, and edits at random
spRunBenchFcn spRunCutBeam, spRunTortureCut;
// bench_torture.c: what materials, steps and troubles do to bodies with every method
spRunBenchFcn spRunTorture;

// What contact benchmarks step: spBenchFamily.variant of spRunContactBench
typedef enum spContactVariant
{
    sp_benchSheets, // over a sphere
    sp_benchPile,   // blocks in a box
} spContactVariant;

// bench_contact.c: detection between bodies
spRunBenchFcn spRunContactBench;

// bench_volumes.c: contact by volume
spRunBenchFcn spRunVolumePile;

// bench_view.c: what a live page adds to steps, in a build that has one
spRunBenchFcn spRunViewBench;

// ---- bench_side.c: two engines side by side ----

// What one of the engines did. Lists have an entry for each step timed in all runs
typedef struct spBenchSide
{
    double* wall;            // ms
    double* processor;       // the same in processor time of all threads, ms
    double* solve;           // of the solver, ms
    double* elementSolve;    // the same per element and iteration, ns
    double* elementAssemble; // filling the matrix, per element, ns
    int stepCount;
    double* tip;         // of the last run: how far the free end is above its rest after each step, m
    double iterations;   // of these steps together
    double residual;     // largest of any of them
    double buildSeconds; // of the last preconditioner
    spBenchTimes wallTimes, processorTimes; // ms per step
    // Medians of the lists: steps in which the machine did something else have no weight
    double solveMs, nsPerElementIteration, assembleNsPerElement;
} spBenchSide;

// The nodes whose mean height is the tip
typedef struct spTipNodes
{
    int first, stride, count;
} spTipNodes;

// Returns false when memory is short; what there is can be freed.
bool spAllocateSide(spBenchSide* side, int stepCount, int tipCount);
void spFreeSide(spBenchSide* side);

// A step that began at these clocks has just ended
void spAddTimes(spBenchSide* side, double wallStart, double processorStart);
// What its solver did
void spAddSolve(spBenchSide* side, int elements, int iterations, double residual, double solveSeconds,
                double assembleSeconds);
void spSummarizeSide(spBenchSide* side);

double spGetTipHeight(const spTestWorld* test, spTipNodes nodes);
double spGetPeerTipHeight(const spPeer* peer, spTipNodes nodes);

json_t* spMakeTimesJson(const spBenchTimes* times);

// What one number of threads gave
typedef struct spSideResult
{
    char name[64];
    int threads, nodes, elements;
    bool ran; // ours has numbers; error says why it has none
    spError error;
    uint64_t hash;
    uint32_t flags; // of all steps
    spBenchSide ours;
} spSideResult;

// Sums ours up when it ran without one of the flags that make its times worthless, else tells why not
void spJudgeResult(spBenchRun* run, spSideResult* result, bool ours, uint32_t bad);

// What is told of a result: `told` is the JSON of the row of ours, NULL when it did not run, which is taken
// and completed
json_t* spMakeSideJson(const spSideResult* result, json_t* told, int tipCount);
// The same of the other engine, with a line on the screen that compares both
json_t* spMakePeerJson(spBenchRun* run, const spSideResult* result, const spBenchSide* peer,
                       const char* engine, json_t* told, int tipCount);
