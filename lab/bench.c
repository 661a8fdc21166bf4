// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench: named benchmarks. What is timed is built by testbed/, which the tests use too.
// bench_implicit.c has those of implicit steps, bench_xpbd.c those of XPBD, bench_beam.c pairs of beams,
// bench_mesh.c mesh files, bench_contact.c, bench_contact_scenes.c and bench_contact_organ.c bodies that touch,
// bench_cut.c cuts, bench_torture.c the torture grid, bench_storm.c random scenes, bench_view.c the live page,
// bench_volumes.c contact by volume.

#include "bench.h"
#include "cli/commands.h"
#include "cli/lab_options.h"
#include "cli/machine.h"
#include "cli/options.h"
#include "cli/tools.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static spTestWorld spBuildBenchCloth(const spTestDef* def, int size, int variant)
{
    return spBuildSpringCloth(def, size, 10, variant == 0 ? (spReal)1e-4 : 0);
}

static spTestWorld spBuildBenchBeam(const spTestDef* def, int size, int variant)
{
    (void)variant;
    return spBuildSpringBeam(def, size);
}

static spTestWorld spBuildBenchDrop(const spTestDef* def, int size, int variant)
{
    (void)variant;
    return spBuildSpringDrop(def, size);
}

// The variant is the law. The beam is turned by its own swing only: what counts is that rotations are found
static spTestWorld spBuildBenchTets(const spTestDef* def, int size, int variant)
{
    spTetDef tets = spDefaultTetDef();
    tets.law = (spTetLaw)variant;
    tets.youngModulus = (spReal)1e5;
    tets.poissonRatio = (spReal)0.4;
    return spBuildTetBeam(def, size, &tets);
}

static spTestWorld spBuildBenchBall(const spTestDef* def, int size, int variant)
{
    (void)variant;
    spTestWorld test = spBuildGasBall(def, size, 2, 1, (spReal)0.1);
    if (test.world != NULL)
    {
        spAddTestGround(test.world, (spReal)0.5, (spReal)0.3);
    }
    return test;
}

// Forces of one law on the beam of 4M x M x M cells; further arguments are the sizes
#define SP_TET_FAMILY(name, law, ...)                                                                        \
    {                                                                                                        \
        .stem = "tet-force-" name "-", .doc = "beam of 4M x M x M cells in 6 tets each, law " name,          \
        .run = spRunPlain, .build = spBuildBenchTets, .dt = 1.0 / 2400.0, .substeps = 16, .warmup = 3,       \
        .steps = 20, .sizes = {__VA_ARGS__}, .least = 1, .most = 60, .variant = law                          \
    }

// 20 sweeps of Gauss-Seidel in each step of a frame
#define SP_XPBD_FAMILY(stem_, doc_, variant_, least_, most_, ...)                                            \
    {                                                                                                        \
        .stem = stem_, .doc = doc_, .run = spRunXpbd, .dt = 1.0 / 60.0, .substeps = 1, .warmup = 10,         \
        .steps = 50, .sizes = {__VA_ARGS__}, .least = least_, .most = most_, .variant = variant_,            \
        .iterations = 20                                                                                     \
    }

static spRunBenchFcn spRunPlain;

static const spBenchFamily s_families[] = {
    {.stem = "spring-cloth-",
     .doc = "sheet of N x N nodes: damped structural, shear and bend springs",
     .run = spRunPlain,
     .build = spBuildBenchCloth,
     .dt = 1.0 / 600.0,
     .substeps = 16,
     .warmup = 5,
     .steps = 40,
     .sizes = {100, 200, 400, 820},
     .least = 3,
     .most = 2000},
    {.stem = "spring-cloth-undamped-",
     .doc = "the same without dampers",
     .run = spRunPlain,
     .build = spBuildBenchCloth,
     .dt = 1.0 / 600.0,
     .substeps = 16,
     .warmup = 5,
     .steps = 40,
     .sizes = {200},
     .least = 3,
     .most = 2000,
     .variant = 1},
    {.stem = "spring-beam-",
     .doc = "cantilever of 4M x M x M cells, a spring on every edge",
     .run = spRunPlain,
     .build = spBuildBenchBeam,
     .dt = 1.0 / 240.0,
     .warmup = 3,
     .steps = 40,
     .sizes = {5, 8, 13, 20},
     .least = 1,
     .most = 60},
    {.stem = "spring-drop-",
     .doc = "cube of M^3 cells that falls on the ground and settles",
     .run = spRunPlain,
     .build = spBuildBenchDrop,
     .dt = 1.0 / 60.0,
     .warmup = 60,
     .steps = 240,
     .sizes = {9},
     .least = 1,
     .most = 60},
    {.stem = "gas-ball-",
     .doc = "two-layer icosphere of level N filled with gas, on the ground",
     .run = spRunPlain,
     .build = spBuildBenchBall,
     .dt = 1.0 / 60.0,
     .warmup = 60,
     .steps = 120,
     .sizes = {3, 4},
     .least = 0,
     .most = 7},
    SP_TET_FAMILY("linear", sp_tetLinear, 5, 8, 13, 20, 35),
    SP_TET_FAMILY("corotational", sp_tetCorotational, 5, 8, 13, 20, 35),
    SP_TET_FAMILY("corotationalEdge", sp_tetCorotationalEdge, 13),
    SP_TET_FAMILY("stVenantKirchhoff", sp_tetStVenantKirchhoff, 13),
    SP_TET_FAMILY("hybrid", sp_tetHybrid, 13),
    SP_TET_FAMILY("neoHookean", sp_tetNeoHookean, 13),
    SP_TET_FAMILY("mooneyRivlin", sp_tetMooneyRivlin, 13),
    {.stem = "visual-beam-",
     .doc = "the same beam with a surface of ten times the vertices, read after every step",
     .run = spRunVisualBeam,
     .sizes = {8, 13},
     .least = 1,
     .most = 60},
    {.stem = "order-beam-",
     .doc = "the same beam with shuffled vertices: nodes in that order, and renumbered",
     .run = spRunOrderBeam,
     .sizes = {13, 20},
     .least = 1,
     .most = 60},
    {.stem = "implicit-beam-",
     .doc = "the same beam, corotational, backward Euler; Bullet beside it",
     .run = spRunImplicitBeam,
     .dt = 1.0 / 60.0,
     .substeps = 1,
     .warmup = 10,
     .steps = 50,
     .sizes = {5, 8, 13},
     .least = 1,
     .most = 60,
     .variant = sp_preconditionAuto},
    {.stem = "implicit-",
     .doc = "a block of so many thousand tets, corotational, backward Euler, 25 plain iterations a step",
     .run = spRunImplicitBeam,
     .dt = 1.0 / 60.0,
     .substeps = 1,
     .warmup = 5,
     .steps = 20,
     .sizes = {12, 45, 1000},
     .least = 1,
     .most = 10000,
     .variant = sp_preconditionJacobi,
     .suffix = "k",
     .iterations = 25},
    SP_XPBD_FAMILY("xpbd-beam-", "the same beam, corotational, 20 sweeps of XPBD a step", sp_benchStrainBeam,
                   1, 60, 5, 8, 13, 20, 35),
    SP_XPBD_FAMILY("xpbd-colour-beam-", "the same in the order of a graph colouring", sp_benchColourBeam, 1,
                   60, 5, 8, 13),
    SP_XPBD_FAMILY("xpbd-energy-beam-", "the same by one row of energy for each tet", sp_benchEnergyBeam, 1,
                   60, 13),
    SP_XPBD_FAMILY("xpbd-green-beam-", "the same beam, St-Venant-Kirchhoff", sp_benchGreenBeam, 1, 60, 13),
    SP_XPBD_FAMILY("xpbd-links-beam-",
                   "the same beam, the length of every edge kept; Bullet's links beside it",
                   sp_benchDistanceBeam, 1, 60, 8, 13),
    SP_XPBD_FAMILY("xpbd-cloth-", "sheet of N x N nodes, distances kept; Bullet's links beside it",
                   sp_benchDistanceCloth, 3, 2000, 100, 200),
    {.stem = "mesh-io-",
     .doc = "a mesh of so many thousand tets, written and read in every format",
     .run = spRunMeshBench,
     .sizes = {1000},
     .least = 1,
     .most = 20000,
     .suffix = "k"},
#ifdef SOUPLE_VIEW
    {.stem = "view-",
     .doc = "cloth of so many thousand triangles: what a browser that watches it adds to a step",
     .run = spRunViewBench,
     .sizes = {50},
     .least = 1,
     .most = 2000,
     .suffix = "k"},
#endif
    {.stem = "contact-cloth-",
     .doc = "three sheets of N x N nodes that touch themselves and drape over a sphere; only when named",
     .run = spRunContactBench,
     .dt = 1.0 / 60.0,
     .warmup = 20,
     .steps = 20,
     .sizes = {100},
     .least = 3,
     .most = 1000,
     .variant = sp_benchSheets,
     .apart = true},
    {.stem = "contact-pile-",
     .doc = "so many soft blocks of 480 tets poured into a box; only when named",
     .run = spRunContactBench,
     .dt = 1.0 / 60.0,
     .warmup = 60,
     .steps = 10,
     .sizes = {200, 800},
     .least = 1,
     .most = 100000,
     .variant = sp_benchPile,
     .apart = true},
    {.stem = "contact-drop-",
     .doc = "a cube of M^3 cells falls on the ground, Bullet's beside it, and on its like",
     .run = spRunContactDrop,
     .dt = 1.0 / 60.0,
     .steps = 60,
     .sizes = {6},
     .least = 1,
     .most = 40,
     .apart = true},
    {.stem = "contact-beam-",
     .doc = "a beam of 5 x 5 x N nodes, friction 0.5, falls on a floor with a step: SOFA's scene",
     .run = spRunContactBeam,
     .dt = 0.01,
     .warmup = 20,
     .steps = 100,
     .sizes = {25},
     .least = 3,
     .most = 200,
     .apart = true},
    {.stem = "contact-compliance-",
     .doc = "a beam of 4M x M x M cells, 50 points of it joined to a body: what they add to a step",
     .run = spRunContactCompliance,
     .dt = 1.0 / 60.0,
     .steps = 30,
     .sizes = {8},
     .least = 4,
     .most = 40,
     .apart = true},
    {.stem = "gauss-seidel-",
     .doc = "a sheet lies on another with so many rows between them",
     .run = spRunGaussSeidel,
     .dt = 1.0 / 240.0,
     .warmup = 10,
     .steps = 20,
     .sizes = {2000, 1632},
     .least = 48,
     .most = 100000,
     .apart = true},
    {.stem = "contact-organ-",
     .doc = "irregular mesh 1 to 4 of data/, or --mesh, hanging, standing and squeezed, by every method",
     .run = spRunContactOrgan,
     .dt = 1.0 / 60.0,
     .steps = 60,
     .sizes = {1, 2, 3, 4},
     .least = 1,
     .most = 4,
     .variant = sp_tetNeoHookean,
     .apart = true},
    {.stem = "contact-organ-corotational-",
     .doc = "the same with the corotational law",
     .run = spRunContactOrgan,
     .dt = 1.0 / 60.0,
     .steps = 60,
     .sizes = {1},
     .least = 1,
     .most = 4,
     .variant = sp_tetCorotational,
     .apart = true},
    {.stem = "volumes-pile-",
     .doc = "forty rigid tori of so many thousand triangles together, found by volume: processor time",
     .run = spRunVolumePile,
     .warmup = 1,
     .steps = 3,
     .sizes = {90, 180, 360, 725},
     .least = 1,
     .most = 20000,
     .variant = 40,
     .suffix = "k",
     .apart = true},
    {.stem = "volumes-few-",
     .doc = "nine of them",
     .run = spRunVolumePile,
     .warmup = 1,
     .steps = 3,
     .sizes = {550},
     .least = 1,
     .most = 20000,
     .variant = 9,
     .suffix = "k",
     .apart = true},
    {.stem = "cut-beam-",
     .doc = "a beam of 4M x M x M cells that blades cut in every step: edits, longest steps, waits",
     .run = spRunCutBeam,
     .dt = 1.0 / 60.0,
     .sizes = {8, 13},
     .least = 2,
     .most = 40,
     .apart = true},
    {.stem = "torture-cut-",
     .doc =
         "so many blades, shapes and tets at random, degenerate ones among them, on bodies of every method",
     .run = spRunTortureCut,
     .sizes = {10000},
     .least = 1,
     .most = 10000000,
     .apart = true},
    {.stem = "torture-",
     .doc = "every Nth case of the torture grid, by how it ends; minutes, and only when named",
     .run = spRunTorture,
     .sizes = {1},
     .least = 1,
     .most = 100000,
     .apart = true},
    {.stem = "storm-",
     .doc = "every Nth of 640 random scenes, from 1e-4 to 1e4 m and 10 to 1e11 Pa; only when named",
     .run = spRunStorm,
     .sizes = {1},
     .least = 1,
     .most = 640,
     .apart = true},
};

#define SP_FAMILY_COUNT ((int)(sizeof(s_families) / sizeof(s_families[0])))

typedef struct spBenchResult
{
    char name[64];
    int threads, nodes, elements;
    double iterations; // force evaluations in each step
    spBenchTimes times;
    double nsPerElement;
    uint64_t hash;
    uint32_t flags;
} spBenchResult;

void spNameBenchmark(const spBenchFamily* family, int size, char* name, size_t capacity)
{
    snprintf(name, capacity, "%s%d%s", family->stem, size, family->suffix != NULL ? family->suffix : "");
}

void spFailBench(spBenchRun* run, const char* name, const char* message)
{
    fprintf(stderr, "souple: %s: %s\n", name,
            message[0] != 0 ? message : "there is not enough memory, or the body did not stay stable");
    run->trouble += 1;
}

spBenchTimes spSummarizeTimes(double* times, int count)
{
    spSortNumbers(times, count);
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sum += times[i];
    }
    return (spBenchTimes){
        .median = times[count / 2],
        .mean = sum / count,
        .p95 = times[(int)(0.95 * (count - 1))],
        .best = times[0],
    };
}

// Runs one benchmark `repeat` times and takes the steps of all runs together
static bool spMeasure(const spBenchFamily* family, int size, int threads, int lanes, int repeat,
                      spBenchResult* result)
{
    int stepCount = family->steps * repeat;
    double* times = malloc((size_t)stepCount * sizeof(double));
    if (times == NULL)
    {
        return false;
    }
    *result = (spBenchResult){.threads = threads};
    spNameBenchmark(family, size, result->name, sizeof(result->name));
    int taken = 0;
    bool ok = true;
    for (int run = 0; run < repeat && ok && spIsInterrupted() == false; ++run)
    {
        spTestDef def = spDefaultTestDef();
        def.workerCount = threads;
        def.laneCount = lanes;
        def.method.substeps = family->substeps;
        spTestWorld test = family->build(&def, size, family->variant);
        if (test.world == NULL)
        {
            fprintf(stderr, "souple: %s: %s\n", result->name, test.error.message);
            ok = false;
            break;
        }
        int64_t evaluations = 0;
        for (int i = 0; i < family->warmup + family->steps; ++i)
        {
            double start = spGetSeconds();
            result->flags |= spWorld_Step(test.world, (spReal)family->dt);
            double seconds = spGetSeconds() - start;
            if (i >= family->warmup)
            {
                times[taken++] = 1000.0 * seconds;
                evaluations += spWorld_GetReport(test.world).forceEvaluations;
            }
        }
        result->nodes = spBody_GetNodeCount(test.world, test.body);
        result->elements = spBody_GetElementCount(test.world, test.body);
        result->iterations = (double)evaluations / family->steps;
        result->hash = spWorld_GetStateHash(test.world);
        spDestroyTestWorld(&test);
    }
    if (ok && taken > 0)
    {
        result->times = spSummarizeTimes(times, taken);
        result->nsPerElement = 1e6 * result->times.median / (result->elements * result->iterations);
    }
    free(times);
    if ((result->flags & (sp_stepNonFinite | sp_stepUnstable)) != 0)
    {
        fprintf(stderr, "souple: %s: the body did not stay stable: its times mean nothing\n", result->name);
        return false;
    }
    return ok && taken > 0;
}

// The family and the size that a name stands for: the stem, a number, the suffix and nothing else; without
// the number, and the dash before it, the first size of the standard run. NULL when there is none; the size
// may be one that the family does not have
static const spBenchFamily* spFindFamily(const char* name, int* size)
{
    const spBenchFamily* found = NULL;
    for (int i = 0; i < SP_FAMILY_COUNT; ++i)
    {
        size_t length = strlen(s_families[i].stem);
        if (strlen(name) == length - 1 && strncmp(name, s_families[i].stem, length - 1) == 0)
        {
            found = s_families + i;
            *size = s_families[i].sizes[0];
        }
        if (strncmp(name, s_families[i].stem, length) == 0)
        {
            char* end;
            long value = strtol(name + length, &end, 10);
            const char* suffix = s_families[i].suffix != NULL ? s_families[i].suffix : "";
            if (end != name + length && strcmp(end, suffix) == 0)
            {
                found = s_families + i;
                *size = value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
            }
        }
    }
    return found;
}

static void spListBenchmarks(void)
{
    for (int i = 0; i < SP_FAMILY_COUNT; ++i)
    {
        for (int k = 0; k < 6 && s_families[i].sizes[k] != 0; ++k)
        {
            char name[64];
            spNameBenchmark(s_families + i, s_families[i].sizes[k], name, sizeof(name));
            printf("%-32s %s\n", name, k == 0 ? s_families[i].doc : "");
        }
    }
    printf("\nThe number can be any size, a name without one has the first; without names the ones above are "
           "run.\n");
}

static bool spAddThreads(const char* part, void* context)
{
    spBenchRun* run = context;
    char* end;
    long value = strtol(part, &end, 10);
    if (end == part || *end != '\0' || value < 1 || value > SP_MAX_WORKERS || run->threadCount == 16)
    {
        spFailUsage("--threads takes up to 16 numbers from 1 to %d, as in 1,2; '%s' is none", SP_MAX_WORKERS,
                    part);
        return false;
    }
    run->threads[run->threadCount++] = (int)value;
    return true;
}

static void spRunPlain(spBenchRun* run, const spBenchFamily* family, int size)
{
    double single = 0.0;
    for (int t = 0; t < run->threadCount && spIsInterrupted() == false; ++t)
    {
        spBenchResult result;
        if (spMeasure(family, size, run->threads[t], run->lanes, run->repeat, &result) == false)
        {
            run->trouble += 1;
            continue;
        }
        single = t == 0 ? result.times.median : single;
        spHashText hash;
        spFormatHash(hash, result.hash);
        const spCell cells[] = {
            SP_TEXT_CELL("name", "name", -32, result.name),
            SP_WHOLE_CELL("threads", "threads", 7, result.threads),
            SP_WHOLE_CELL("nodes", "nodes", 9, result.nodes),
            SP_WHOLE_CELL("elements", "elements", 9, result.elements),
            SP_NUMBER_CELL("iterations", "evals", 7, "%.1f", result.iterations),
            SP_NUMBER_CELL(NULL, "ms/step", 10, "%.3f", result.times.median),
            SP_NUMBER_CELL(NULL, "p95", 10, "%.3f", result.times.p95),
            SP_NUMBER_CELL("nsPerElementIteration", "ns/elem", 8, "%.3f", result.nsPerElement),
            SP_NUMBER_CELL(NULL, "speed-up", 8, "%.2fx", single / result.times.median),
            SP_TEXT_CELL("stateHash", "state hash", 0, hash),
            SP_WHOLE_CELL("flags", NULL, 0, result.flags),
        };
        json_t* json = spTellRow(&run->table, cells, SP_CELL_COUNT(cells));
        json_object_set_new(json, "msPerStep", spMakeTimesJson(&result.times));
        json_array_append_new(run->results, json);
    }
}

int spRunBench(int argc, char** argv)
{
    spBenchOptions options;
    int code = spParseBench(&options, argc, argv);
    spBenchRun run = {.repeat = options.repeat,
                      .lanes = options.lanes,
                      .mesh = options.mesh,
                      .json = options.json,
                      .table = {.print = options.json == false}};
    if (code == SP_GO_ON && options.list)
    {
        spListBenchmarks();
        code = SP_EXIT_FINE;
    }
    if (code == SP_GO_ON && spForEachPart(options.threads, spAddThreads, &run) == false)
    {
        code = SP_EXIT_USAGE;
    }
    if (code == SP_GO_ON && run.threadCount == 0)
    {
        code = spFailUsage("--threads needs a number");
    }
    if (code == SP_GO_ON && run.lanes != 0 && run.lanes != 1 && run.lanes != 4 && run.lanes != 8 &&
        run.lanes != 16)
    {
        code = spFailUsage("--lanes must be 1, 4, 8 or 16, but is %d", run.lanes);
    }
    for (int i = 0; code == SP_GO_ON && i < options.nameCount; ++i)
    {
        int size = 0;
        const spBenchFamily* family = spFindFamily(options.names[i], &size);
        if (family == NULL)
        {
            code =
                spFailUsage("there is no benchmark '%s'; 'souple bench --list' names them", options.names[i]);
        }
        else if (size < family->least || size > family->most)
        {
            code = spFailUsage("%s: the number must be from %d to %d", options.names[i], family->least,
                               family->most);
        }
    }
    if (code != SP_GO_ON)
    {
        return code;
    }

    spCatchInterrupt();
    run.results = json_array();
    if (run.json == false)
    {
        spPrintMachine();
    }
    for (int i = 0; i < options.nameCount; ++i)
    {
        int size = 0;
        const spBenchFamily* family = spFindFamily(options.names[i], &size);
        family->run(&run, family, size);
    }
    for (int i = 0; options.nameCount == 0 && i < SP_FAMILY_COUNT; ++i)
    {
        for (int k = 0; s_families[i].apart == false && k < 6 && s_families[i].sizes[k] != 0; ++k)
        {
            s_families[i].run(&run, s_families + i, s_families[i].sizes[k]);
        }
    }
    if (run.json)
    {
        json_t* json = spMakeMeasuredJson();
        json_object_set_new(json, "benchmarks", run.results);
        spPrintJson(json);
    }
    else
    {
        json_decref(run.results);
    }
    if (spIsInterrupted())
    {
        return SP_EXIT_INTERRUPTED;
    }
    return run.trouble > 0 ? SP_EXIT_TROUBLE : SP_EXIT_FINE;
}
