// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Debunne's thesis, chapters 3 and 5: what bodies of levels save, and whether they move like bodies of one mesh.
//
//   rod    E4: a rod of 4, 32 and 256 cells bends under gravity in a viscous medium, with mu = 5000 Pa. The thesis does
//          not tell its size (here 1 m, four times as long as wide, so that it hangs) nor its viscosity. Its lambda of
//          1e6 Pa locks linear tets on every mesh, so that no level knows the true shape: here it is 7500 Pa, and a
//          part of its own shows what the printed one does.
//   cube   E9: half of the cube by its coarsest mesh, half by its finest, which share no inner vertex
//   bar    what a free, undamped bar of three levels keeps, with both couplings

#include "cli/tools.h"
#include "reproduce.h"
#include "souple/levels.h"
#include "testbed/debunne_cube.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SP_ROD_LEVELS 3
#define SP_MOST_LEVELS 4
#define SP_ROD_STEP (1.0 / 60.0)
#define SP_ROD_MU 5000.0
#define SP_ROD_LAMBDA 7500.0
#define SP_ROD_DRAG 8.0

static const bool s_isDouble = sizeof(spReal) == sizeof(double);

// ---- bodies ----

typedef struct spRodDef
{
    double lambda;   // Pa
    int slenderness; // length over width
    int levelCount;  // that the body has
    int level;       // all of it by this level, by Verlet; -1: by error
    double splitError;
} spRodDef;

typedef struct spRod
{
    spWorld* world;
    spBodyId body;
    spMesh* meshes[SP_MOST_LEVELS];
    int nodeCount;
    spError error;
} spRod;

static spMesh* spMakeRodMesh(double width, int slenderness, int across, spError* error)
{
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.origin = (spDVec3){0.0, 0.0, 0.0};
    def.size = (spDVec3){1.0, width, width};
    def.cells[0] = slenderness * across;
    def.cells[1] = def.cells[2] = across;
    return spMakeBoxMesh(&def, error);
}

static void spDestroyRod(spRod* rod)
{
    spDestroyWorld(rod->world);
    rod->world = NULL;
    for (int i = 0; i < SP_MOST_LEVELS; ++i)
    {
        spDestroyMesh(rod->meshes[i]);
        rod->meshes[i] = NULL;
    }
}

static bool spHoldEnd(spRod* rod)
{
    spVec3View x = spBody_GetPositions(rod->world, rod->body);
    bool ok = true;
    for (int32_t i = 0; ok && i < x.count; ++i)
    {
        ok = x.data[i].x > (spReal)1e-6 || spBody_PinNodes(rod->world, rod->body, &i, 1);
    }
    return ok;
}

static bool spBuildRod(spReproduction* r, const spRodDef* def, spRod* rod)
{
    *rod = (spRod){0};
    spWorldDef worldDef = spDefaultWorldDef();
    rod->world = spCreateWorld(&worldDef, &rod->error);
    int count = def->level < 0 ? def->levelCount : 1;
    bool ok = rod->world != NULL;
    for (int i = 0; ok && i < count; ++i)
    {
        rod->meshes[i] = spMakeRodMesh(1.0 / def->slenderness, def->slenderness,
                                       1 << (def->level < 0 ? i : def->level), &rod->error);
        ok = rod->meshes[i] != NULL;
    }
    if (ok)
    {
        spBodyDef body = spDefaultBodyDef();
        body.mesh = rod->meshes[count - 1];
        body.levels = (const spMesh* const*)rod->meshes;
        body.levelCount = count - 1;
        body.method.type = def->level < 0 ? sp_multiresolution : sp_verlet;
        body.method.levels.splitError = (spReal)def->splitError;
        rod->body = spCreateBody(rod->world, &body);
        spTetDef tets = spDefaultTetDef();
        tets.law = sp_tetCorotational;
        tets.lameMu = (spReal)SP_ROD_MU;
        tets.lameLambda = (spReal)def->lambda;
        spFieldDef drag = spDefaultFieldDef();
        drag.type = sp_fieldMassDrag;
        drag.coefficient = (spReal)SP_ROD_DRAG;
        ok = SP_IS_NULL(rod->body) == false && spBody_AddTets(rod->world, rod->body, &tets) >= 0 &&
             spBody_AddField(rod->world, rod->body, &drag) >= 0 && spHoldEnd(rod);
        rod->error = ok ? rod->error : spWorld_GetLastError(rod->world);
        rod->nodeCount = spBody_GetNodeCount(rod->world, rod->body);
    }
    if (ok == false)
    {
        spReportFailure(r, "rod", &rod->error);
        spDestroyRod(rod);
    }
    return ok;
}

// ---- rod ----

typedef struct spRodRun
{
    double tip[3];         // where the middle of the free end has come to, from its place at rest, m
    double evaluations;    // of elements
    double time;           // of the processor, without the first step, s
    int least, most, last; // active nodes
} spRodRun;

// The free end is the last layer of vertices
static void spFindTip(const spRod* rod, const spRodDef* def, double tip[3])
{
    const spMesh* mesh = NULL;
    for (int i = 0; i < SP_MOST_LEVELS; ++i)
    {
        mesh = rod->meshes[i] != NULL ? rod->meshes[i] : mesh;
    }
    const spDVec3* rest = spMesh_GetVertices(mesh);
    spVec3View x = spBody_GetPositions(rod->world, rod->body);
    int across = 1 << (def->level < 0 ? def->levelCount - 1 : def->level), end = (across + 1) * (across + 1);
    tip[0] = tip[1] = tip[2] = 0.0;
    for (int i = x.count - end; i < x.count; ++i)
    {
        tip[0] += ((double)x.data[i].x - rest[i].x) / end;
        tip[1] += ((double)x.data[i].y - rest[i].y) / end;
        tip[2] += ((double)x.data[i].z - rest[i].z) / end;
    }
}

// Twice: what is counted would be in the time
static bool spRunRod(spReproduction* r, const spRodDef* def, int steps, spRodRun* run)
{
    *run = (spRodRun){.least = 1 << 30};
    for (int timed = 0; timed < 2; ++timed)
    {
        spRod rod;
        if (spBuildRod(r, def, &rod) == false)
        {
            return false;
        }
        int tets = 6 * def->slenderness << (3 * spMaxInt(def->level, 0));
        spWorld_Step(rod.world, (spReal)SP_ROD_STEP);
        double start = spGetProcessorClock();
        for (int i = 1; i < steps; ++i)
        {
            spWorld_Step(rod.world, (spReal)SP_ROD_STEP);
            if (timed == 0 && def->level < 0)
            {
                spLevelsReport report = spBody_GetLevels(rod.world, rod.body);
                int active = 0;
                for (int k = 0; k < report.levelCount; ++k)
                {
                    active += report.activeCounts[k];
                }
                run->evaluations += report.evaluations;
                run->least = spMinInt(run->least, active);
                run->most = spMaxInt(run->most, active);
                run->last = active;
            }
            else if (timed == 0)
            {
                run->evaluations += (double)tets * (double)spWorld_GetReport(rod.world).forceEvaluations;
                run->least = run->most = run->last = rod.nodeCount;
            }
        }
        run->time = spGetProcessorClock() - start;
        spFindTip(&rod, def, run->tip);
        spDestroyRod(&rod);
    }
    return true;
}

static double spGetTipError(const spRodRun* run, const spRodRun* fine)
{
    double sum = 0.0, all = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        sum += pow(run->tip[k] - fine->tip[k], 2.0);
        all += pow(fine->tip[k], 2.0);
    }
    return sqrt(sum / all);
}

static const char* const s_rods[SP_MOST_LEVELS + 1] = {"coarse", "middle", "fine", "finest", "by error"};

// Runs a rod by each of its levels alone, and by error
static bool spRunRods(spReproduction* r, const spRodDef* def, int steps, spRodRun* runs)
{
    for (int level = 0; level <= def->levelCount; ++level)
    {
        spRodDef one = *def;
        one.level = level < def->levelCount ? level : -1;
        if (spRunRod(r, &one, steps, runs + level) == false)
        {
            return false;
        }
    }
    return true;
}

// A rod as it is reported
typedef struct spRodCase
{
    const char* title;
    const char* file;
    int slenderness, levelCount;
    double splitError; // m
    bool published;    // it has the cells of the thesis
} spRodCase;

static void spReproduceRod(spReproduction* r, const spRodCase* c)
{
    static const char* const published[SP_ROD_LEVELS + 1] = {"0.87 units", "4.29 units", "38.90 units",
                                                             "5.27 units"};
    const spRodDef def = {.lambda = SP_ROD_LAMBDA,
                          .slenderness = c->slenderness,
                          .levelCount = c->levelCount,
                          .splitError = c->splitError};
    int steps = r->quick ? c->levelCount > SP_ROD_LEVELS ? 20 : 60 : 240, last = def.levelCount - 1;
    spRodRun runs[SP_MOST_LEVELS + 1];
    spStartPart(r, c->title);
    if (spRunRods(r, &def, steps, runs) == false)
    {
        return;
    }
    const spRodRun *fine = runs + last, *adaptive = runs + last + 1;
    for (int i = 0; i <= def.levelCount; ++i)
    {
        char quantity[96];
        const char* name = i == def.levelCount ? s_rods[SP_MOST_LEVELS] : s_rods[i];
        const char* units = c->published ? published[i] : "";
        snprintf(quantity, sizeof(quantity), "%s: element evaluations", name);
        spReportRow(r, quantity, "", units, runs[i].evaluations, sp_notJudged);
        snprintf(quantity, sizeof(quantity), "%s: processor time", name);
        spReportRow(r, quantity, "ms", units, 1e3 * runs[i].time, sp_notJudged);
        if (i != last)
        {
            snprintf(quantity, sizeof(quantity), "%s: tip beside that of the finest", name);
            double error = spGetTipError(runs + i, fine);
            spVerdict verdict = i == def.levelCount ? spInFull(r, error <= 0.02) : sp_notJudged;
            spReportTarget(r, quantity, "%", i == def.levelCount ? "at most 2 %" : "", 100.0 * error,
                           verdict);
        }
    }
    double evaluations = fine->evaluations / adaptive->evaluations, time = fine->time / adaptive->time;
    if (c->published)
    {
        spReportRow(r, "finest over by error, as published", "x", "7.4 x", evaluations,
                    spInFull(r, evaluations >= 7.4));
    }
    spReportTarget(r, "finest over by error, element evaluations", "x", "at least 5 x", evaluations,
                   spInFull(r, evaluations >= 5.0));
    spReportTarget(r, "finest over by error, processor time", "x", "at least 5 x", time,
                   spInFull(r, time >= 5.0));
    if (c->published)
    {
        spReportRow(r, "by error: active at least", "nodes", "4 particles", adaptive->least, sp_notJudged);
        spReportRow(r, "by error: active at most", "nodes", "88 particles", adaptive->most, sp_notJudged);
        spReportRow(r, "by error: active in the end", "nodes", "32 particles", adaptive->last, sp_notJudged);
    }
    double levels[SP_MOST_LEVELS + 1], counts[SP_MOST_LEVELS + 1], times[SP_MOST_LEVELS + 1],
        errors[SP_MOST_LEVELS + 1];
    for (int i = 0; i <= def.levelCount; ++i)
    {
        levels[i] = i == def.levelCount ? -1.0 : i;
        counts[i] = runs[i].evaluations;
        times[i] = 1e3 * runs[i].time;
        errors[i] = spGetTipError(runs + i, fine);
    }
    const spColumn columns[] = {{"level (-1: by error)", levels},
                                {"element evaluations", counts},
                                {"processor time [ms]", times},
                                {"tip error", errors}};
    spSaveColumns(r, c->file, columns, 4, def.levelCount + 1);
}

// The constants as printed: linear tets lock, on every mesh
static void spReproducePrintedRod(spReproduction* r)
{
    spRodRun runs[SP_ROD_LEVELS];
    spStartPart(r, "Rod with the printed lambda of 1e6 Pa");
    for (int level = 0; level < SP_ROD_LEVELS; ++level)
    {
        const spRodDef def = {.lambda = 1e6, .slenderness = 4, .levelCount = 1, .level = level};
        if (spRunRod(r, &def, r->quick ? 60 : 240, runs + level) == false)
        {
            return;
        }
    }
    for (int level = 0; level + 1 < SP_ROD_LEVELS; ++level)
    {
        char quantity[96];
        snprintf(quantity, sizeof(quantity), "%s: tip beside that of the finest", s_rods[level]);
        spReportRow(r, quantity, "%", "", 100.0 * spGetTipError(runs + level, runs + SP_ROD_LEVELS - 1),
                    sp_notJudged);
    }
}

// ---- cube ----

#define SP_CUBE_CURVE 4000

typedef struct spMixedCube
{
    const char* name;
    int level;   // of the half at the wall
    int further; // of the other half
} spMixedCube;

// The frequency of the corner, Hz. NaN when it cannot be built.
static double spSwingCube(spReproduction* r, const spMixedCube* c, spTetLaw law, double mu, double lambda)
{
    static double curve[SP_CUBE_CURVE];
    spError error = SP_ZERO_INIT;
    spMesh* meshes[SP_CUBE_LEVELS] = {NULL};
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    bool ok = world != NULL;
    for (int i = 0; ok && i < SP_CUBE_LEVELS; ++i)
    {
        meshes[i] = spMakeDebunneCube(i, &error);
        ok = meshes[i] != NULL;
    }
    double frequency = NAN;
    if (ok)
    {
        spRod cube = {.world = world};
        spBodyDef body = spDefaultBodyDef();
        body.mesh = meshes[SP_CUBE_LEVELS - 1];
        body.levels = (const spMesh* const*)meshes;
        body.levelCount = SP_CUBE_LEVELS - 1;
        body.method.type = sp_multiresolution;
        body.method.levels.fixed = true;
        body.method.maxSubsteps = 1000;
        cube.body = spCreateBody(world, &body);
        spTetDef tets = spDefaultTetDef();
        tets.law = law;
        tets.lameMu = (spReal)mu;
        tets.lameLambda = (spReal)lambda;
        const spVec3 lower = {-1, -1, -1}, middle = {(spReal)0.05001, -1, -1}, upper = {1, 1, 1};
        ok = SP_IS_NULL(cube.body) == false && spBody_AddTets(world, cube.body, &tets) >= 0 &&
             spHoldEnd(&cube) && spBody_Refine(world, cube.body, lower, upper, c->level) &&
             spBody_Refine(world, cube.body, middle, upper, c->further);
        error = ok ? error : spWorld_GetLastError(world);
        int corner = spBody_GetNodeCount(world, cube.body) - 1;
        for (int i = 0; ok && i < SP_CUBE_CURVE; ++i)
        {
            spWorld_Step(world, (spReal)(1.0 / 800.0));
            curve[i] = (double)spBody_GetPositions(world, cube.body).data[corner].y;
        }
        frequency = ok ? spMeasureSwing(curve, SP_CUBE_CURVE, 1.0 / 800.0).frequency : NAN;
    }
    if (ok == false)
    {
        spReportFailure(r, c->name, &error);
    }
    spDestroyWorld(world);
    for (int i = 0; i < SP_CUBE_LEVELS; ++i)
    {
        spDestroyMesh(meshes[i]);
    }
    return frequency;
}

static void spReproduceCube(spReproduction* r)
{
    static const spMixedCube cases[] = {{"27 points", 0, 0},
                                        {"57 points", 1, 1},
                                        {"125 points", 2, 2},
                                        {"27 points at the wall, 125 beyond", 0, 2},
                                        {"27 points at the wall, 57 beyond", 0, 1},
                                        {"57 points at the wall, 125 beyond", 1, 2}};
    static const struct
    {
        const char* name;
        spTetLaw law;
        double mu, lambda;
    } laws[] = {{"Cube of mixed levels, hybrid (E9g)", sp_tetHybrid, 2800.0, 8000.0},
                {"Cube of mixed levels, Green-Lagrange with 0.6 of the printed constants",
                 sp_tetStVenantKirchhoff, 4200.0, 12000.0}};
    for (int law = 0; law < 2; ++law)
    {
        double least = INFINITY, most = 0.0;
        spStartPart(r, laws[law].name);
        for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); ++i)
        {
            char quantity[96];
            double f = spSwingCube(r, cases + i, laws[law].law, laws[law].mu, laws[law].lambda);
            snprintf(quantity, sizeof(quantity), "%s: frequency", cases[i].name);
            bool pure = cases[i].level == cases[i].further;
            least = pure ? fmin(least, f) : least;
            most = pure ? fmax(most, f) : most;
            spReportRow(r, quantity, "Hz", pure ? "" : "between the pure ones", f,
                        pure ? sp_notJudged : f >= least && f <= most);
        }
    }
}

// ---- bar ----

typedef struct spBarRun
{
    double momentum;    // most change, over that at the start
    double most, drift; // energy over that at the start: most, and last third over first
    double rise;        // most from a step to the next, over that at the start
} spBarRun;

// Half of a free bar by its coarsest mesh, a quarter by each of the others
static bool spRunBar(spReproduction* r, spCoupling coupling, double safety, double damping, int steps,
                     spBarRun* run)
{
    static const int cells[3][3] = {{4, 1, 1}, {9, 2, 2}, {17, 4, 4}};
    spError error = SP_ZERO_INIT;
    spMesh* meshes[3] = {NULL};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    spWorld* world = spCreateWorld(&worldDef, &error);
    bool ok = world != NULL;
    for (int i = 0; ok && i < 3; ++i)
    {
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.origin = (spDVec3){0.0, 0.0, 0.0};
        def.size = (spDVec3){1.0, 0.25, 0.25};
        for (int k = 0; k < 3; ++k)
        {
            def.cells[k] = cells[i][k];
        }
        meshes[i] = spMakeBoxMesh(&def, &error);
        ok = meshes[i] != NULL;
    }
    *run = (spBarRun){0};
    if (ok)
    {
        spBodyDef def = spDefaultBodyDef();
        def.mesh = meshes[2];
        def.levels = (const spMesh* const*)meshes;
        def.levelCount = 2;
        def.method.type = sp_multiresolution;
        def.method.safety = (spReal)safety;
        def.method.levels = (spLevelsDef){.fixed = true, .coupling = coupling};
        spBodyId body = spCreateBody(world, &def);
        spTetDef tets = spDefaultTetDef();
        tets.law = sp_tetCorotational;
        tets.youngModulus = (spReal)1e5;
        tets.poissonRatio = (spReal)0.3;
        tets.damping = (spReal)damping;
        int count = spBody_GetNodeCount(world, body);
        spVec3* x = calloc((size_t)spMaxInt(count, 1), sizeof(spVec3));
        spVec3* v = calloc((size_t)spMaxInt(count, 1), sizeof(spVec3));
        ok = x != NULL && v != NULL && spBody_AddTets(world, body, &tets) >= 0 &&
             spBody_CopyPositions(world, body, x, count) == count;
        for (int i = 0; ok && i < count; ++i)
        {
            v[i] = (spVec3){(spReal)0.2, x[i].z, (spReal)0.1 - x[i].y};
            x[i].y += (spReal)0.05 * x[i].x * x[i].x;
            x[i].x *= (spReal)1.05;
        }
        ok = ok && spBody_SetPositions(world, body, x, count) && spBody_SetVelocities(world, body, v, count);
        const spVec3 half = {(spReal)0.5, -9, -9}, last = {(spReal)0.75, -9, -9}, upper = {9, 9, 9};
        ok = ok && spBody_Refine(world, body, half, upper, 1) && spBody_Refine(world, body, last, upper, 2);
        error = ok ? error : spWorld_GetLastError(world);
        spLevelsReport first = spBody_GetLevels(world, body);
        double start = first.kinetic + first.elastic, before = start, thirds[3] = {0};
        double px = first.momentum.x, py = first.momentum.y, pz = first.momentum.z;
        for (int i = 0; ok && i < steps; ++i)
        {
            spWorld_Step(world, (spReal)(1.0 / 60.0));
            spLevelsReport now = spBody_GetLevels(world, body);
            double dx = now.momentum.x - px, dy = now.momentum.y - py, dz = now.momentum.z - pz;
            double energy = now.kinetic + now.elastic;
            run->momentum =
                fmax(run->momentum, sqrt(dx * dx + dy * dy + dz * dz) / sqrt(px * px + py * py + pz * pz));
            run->most = fmax(run->most, energy / start);
            run->rise = fmax(run->rise, (energy - before) / start);
            before = energy;
            thirds[3 * i / steps] += energy / start / (steps / 3);
        }
        run->drift = thirds[2] / thirds[0] - 1.0;
        free(x);
        free(v);
    }
    if (ok == false)
    {
        spReportFailure(r, "bar", &error);
    }
    spDestroyWorld(world);
    for (int i = 0; i < 3; ++i)
    {
        spDestroyMesh(meshes[i]);
    }
    return ok;
}

static void spReproduceBar(spReproduction* r)
{
    spBarRun conserving, half, ghost, damped;
    int steps = r->quick ? 300 : 1800;
    spStartPart(r, "Free bar of three levels: what is kept");
    // The seed's coupling gains without end: some steps are enough
    if (spRunBar(r, sp_couplingConserving, 0.8, 0.0, steps, &conserving) == false ||
        spRunBar(r, sp_couplingConserving, 0.4, 0.0, steps, &half) == false ||
        spRunBar(r, sp_couplingGhost, 0.8, 0.0, 120, &ghost) == false ||
        spRunBar(r, sp_couplingConserving, 0.8, 0.002, steps, &damped) == false)
    {
        return;
    }
    double limit = s_isDouble ? 1e-10 : 2e-5;
    spReportTarget(r, "conserving: change of momentum", "", s_isDouble ? "at most 1e-10" : "rounding: 2e-5",
                   conserving.momentum, conserving.momentum <= limit);
    spReportRow(r, "ghost, 120 steps: change of momentum", "", "not told", ghost.momentum, sp_notJudged);
    spReportTarget(r, "conserving: energy at most over that at the start", "", "never rising: 1",
                   conserving.most, conserving.most <= 1.0 + 1e-6);
    spReportTarget(r, "   with half the steps: what it rises by, over that", "x",
                   "second order: 0.35 at most", (half.most - 1.0) / (conserving.most - 1.0),
                   (half.most - 1.0) <= 0.35 * (conserving.most - 1.0));
    spReportTarget(r, "conserving: last third of the energy over the first", "%", "no drift: 0.2 % at most",
                   100.0 * conserving.drift, fabs(conserving.drift) <= 0.002);
    spReportTarget(r, "conserving, damped: most that energy rises in a step", "", "never rising: 1e-6",
                   damped.rise, damped.rise <= 1e-6);
    spReportRow(r, "ghost, 120 steps: energy at most", "", "amplifies oscillations", ghost.most,
                ghost.most > 1.5);
}

void spReproduceMultires(spReproduction* r)
{
    static const spRodCase rods[] = {
        {"Rod of 4, 32 and 256 cells (E4)", "rod.csv", 4, SP_ROD_LEVELS, 0.0265, true},
        {"Rod of 5, 40 and 320 cells", "rod_longer.csv", 5, SP_ROD_LEVELS, 0.02, false},
        {"Rod of 5, 40, 320 and 2560 cells", "rod_finer.csv", 5, SP_MOST_LEVELS, 0.02, false}};
    for (int i = 0; i < (int)(sizeof(rods) / sizeof(rods[0])); ++i)
    {
        spReproduceRod(r, rods + i);
    }
    spReproducePrintedRod(r);
    spReproduceCube(r);
    spReproduceBar(r);
}
