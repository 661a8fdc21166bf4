// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A body of three materials in the hand of a user, who moves and turns it, in real time: the armadillo of
// Courtecuisse 2011, section 3.4.4. The hand follows a script; steps keep to the wall clock.

#include "cli/tools.h"
#include "data.h"
#include "reproduce_preconditioner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Frames for each second
#define SP_HAND_RATE 60.0

// It has 3717 tets, that of the thesis 4406
static const char s_armadillo[] = "armadillo_4k.node";

typedef struct spHand
{
    spTestWorld test;
    int32_t* nodes; // that the hand holds
    spVec3* rest;   // where they were, m
    int nodeCount;
    spVec3 middle; // of them, m
    int tetCount;
} spHand;

static void spDestroyHand(spHand* hand)
{
    spDestroyTestWorld(&hand->test);
    free(hand->nodes);
    free(hand->rest);
}

// A mesh of 1 m height. NULL, with the reason in the error, when there is none.
static spMesh* spMakeHandMesh(spReproduction* r, const char** name, spError* error)
{
    *name = r->mesh != NULL ? r->mesh : r->quick ? "box" : s_armadillo;
    if (r->mesh == NULL && r->quick)
    {
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.size = (spDVec3){0.5, 1.0, 0.5};
        def.cells[0] = def.cells[1] = def.cells[2] = 3;
        return spMakeBoxMesh(&def, error);
    }
    spMesh* mesh = r->mesh != NULL ? spLoadMesh(r->mesh, NULL, error) : spLoadData(s_armadillo, error);
    spMeshReport report;
    if (mesh == NULL || spMesh_Validate(mesh, &report, error) == false)
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    double scale = 1.0 / (report.upper.y - report.lower.y);
    spTransform identity = {{0, 0, 0}, {0, 0, 0, 1}};
    if (report.tetCount == 0)
    {
        snprintf(error->message, sizeof(error->message), "the mesh has no tets; name one that has");
    }
    else if (spMesh_Transform(mesh, (spDVec3){scale, scale, scale}, identity, error))
    {
        return mesh;
    }
    spDestroyMesh(mesh);
    return NULL;
}

// Holds the uppermost 15 % of the body
static bool spTakeHold(spHand* hand)
{
    spVec3View x = spBody_GetPositions(hand->test.world, hand->test.body);
    double lower = INFINITY, upper = -INFINITY, sum[3] = {0.0, 0.0, 0.0};
    hand->nodes = malloc((size_t)x.count * sizeof(int32_t));
    hand->rest = malloc((size_t)x.count * sizeof(spVec3));
    if (hand->nodes == NULL || hand->rest == NULL)
    {
        return false;
    }
    for (int i = 0; i < x.count; ++i)
    {
        lower = fmin(lower, (double)x.data[i].y);
        upper = fmax(upper, (double)x.data[i].y);
    }
    for (int i = 0; i < x.count; ++i)
    {
        if ((double)x.data[i].y > upper - 0.15 * (upper - lower))
        {
            hand->nodes[hand->nodeCount] = i;
            hand->rest[hand->nodeCount] = x.data[i];
            hand->nodeCount += 1;
            sum[0] += (double)x.data[i].x;
            sum[1] += (double)x.data[i].y;
            sum[2] += (double)x.data[i].z;
        }
    }
    double n = hand->nodeCount;
    hand->middle = (spVec3){(spReal)(sum[0] / n), (spReal)(sum[1] / n), (spReal)(sum[2] / n)};
    return true;
}

static bool spBuildHand(const spMesh* mesh, const spSolverDef* solver, spHand* hand)
{
    static const double moduli[3] = {1e4, 5e4, 1e6}; // from the lowest third to the highest, Pa
    *hand = (spHand){.tetCount = spMesh_GetTetCount(mesh)};
    spWorldDef worldDef = spDefaultWorldDef();
    hand->test.world = spCreateWorld(&worldDef, &hand->test.error);
    spReal* young = malloc((size_t)hand->tetCount * sizeof(spReal));
    bool ok = hand->test.world != NULL && young != NULL;
    if (ok)
    {
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.mesh = mesh;
        bodyDef.method.type = sp_backwardEuler;
        bodyDef.method.solver = *solver;
        hand->test.body = spCreateBody(hand->test.world, &bodyDef);
        spFillThirds(mesh, 1, moduli, young);
        spTetDef tets = spDefaultTetDef();
        tets.youngModuli = young;
        ok = SP_IS_NULL(hand->test.body) == false &&
             spBody_AddTets(hand->test.world, hand->test.body, &tets) >= 0 && spTakeHold(hand);
        hand->test.error = spWorld_GetLastError(hand->test.world);
    }
    free(young);
    if (ok == false)
    {
        spDestroyHand(hand);
    }
    return ok;
}

// Where the hand is after a frame: it swings to and fro by 0.25 m and turns by up to 90 degrees
static void spMoveHand(const spHand* hand, int frame)
{
    double t = frame / SP_HAND_RATE;
    double shift[3] = {0.25 * sin(2.0 * t), 0.15 * sin(3.1 * t), 0.25 * (1.0 - cos(1.3 * t))};
    double turnZ = 1.57 * sin(1.1 * t), turnX = 1.0 * sin(1.7 * t);
    for (int i = 0; i < hand->nodeCount; ++i)
    {
        spVec3 x = hand->rest[i], m = hand->middle;
        spVec3 arm = spTurnX(spTurnZ((spVec3){x.x - m.x, x.y - m.y, x.z - m.z}, turnZ), turnX);
        spVec3 target = {m.x + arm.x + (spReal)shift[0], m.y + arm.y + (spReal)shift[1],
                         m.z + arm.z + (spReal)shift[2]};
        spBody_DriveNode(hand->test.world, hand->test.body, hand->nodes[i], target);
    }
}

static void spSleepUntil(double clock)
{
    double rest = clock - spGetSeconds();
    if (rest > 0.0)
    {
        struct timespec time = {.tv_sec = (time_t)rest, .tv_nsec = (long)(1e9 * (rest - floor(rest)))};
        nanosleep(&time, NULL);
    }
}

// Moves the hand for some frames, in real time or as fast as it goes. Returns seconds of wall clock.
static double spPlayHand(spHand* hand, int frames, bool paced, spSolveRun* run)
{
    *run = (spSolveRun){0};
    // The first step makes what all later ones use
    spWorld_Step(hand->test.world, (spReal)(1.0 / SP_HAND_RATE));
    double start = spGetSeconds();
    for (int frame = 1; frame <= frames; ++frame)
    {
        spMoveHand(hand, frame);
        spTakeStep(&hand->test, 1.0 / SP_HAND_RATE, run);
        if (paced)
        {
            spSleepUntil(start + frame / SP_HAND_RATE);
        }
    }
    double wall = spGetSeconds() - start;
    spSummarizeRun(run);
    return wall;
}

static void spReportHand(spReproduction* r, const spSolveRun* run, double wall)
{
    double most = 0.0, rate = run->count / wall, real = run->count / SP_HAND_RATE / wall;
    int late = 0;
    for (int i = 0; i < run->count; ++i)
    {
        most = fmax(most, run->stepMs[i]);
        late += run->stepMs[i] > 1e3 / SP_HAND_RATE ? 1 : 0;
    }
    spReportRow(r, "kept to the clock: frames per second", "", "50 to 80", rate, spInFull(r, rate >= 50.0));
    spReportRow(r, "simulated time over wall clock", "", "1 within 2 %", real,
                spInFull(r, fabs(real - 1.0) <= 0.02));
    spReportRow(r, "step, median", "ms", "", run->medianStep, sp_notJudged);
    spReportRow(r, "step, processor time, median", "ms", "", run->medianOwn, sp_notJudged);
    spReportRow(r, "step, most", "ms", "no jerks", most, spInFull(r, most < 1e3 / 25.0));
    spReportRow(r, "processor time of the stepping thread: most over the median", "x", "no jerks",
                run->ownRatio, spInFull(r, run->ownRatio < 5.0));
    spReportRow(r, "steps longer than a frame", "", "", late, spInFull(r, late <= run->count / 100));
    spReportRow(r, "iterations", "", "", run->meanIterations, sp_notJudged);
    spReportRow(r, "steps from factor to factor", "", "", (double)run->count / run->handOvers, sp_notJudged);
    spReportRow(r, "steps that waited for a factor", "", "0", (double)run->waits, run->waits == 0);
    spReportRow(r, "steps that did not reach the residual", "", "", run->unsolved, run->unsolved == 0);
}

// The body of the thesis has 4406 tets: a box with no fewer
static void spReportLarge(spReproduction* r, const spSolverDef* solver, int frames)
{
    static spSolveRun run;
    spError error = SP_ZERO_INIT;
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.size = (spDVec3){0.5, 1.0, 0.5};
    def.cells[0] = def.cells[2] = 8;
    def.cells[1] = 12;
    spMesh* mesh = spMakeBoxMesh(&def, &error);
    spHand hand;
    if (mesh != NULL && spBuildHand(mesh, solver, &hand))
    {
        char quantity[80];
        double rate = frames / spPlayHand(&hand, frames, false, &run);
        snprintf(quantity, sizeof(quantity), "a box of %d tets, as fast as it goes: frames per second",
                 hand.tetCount);
        spReportRow(r, quantity, "", "4406 tets: 50", rate, spInFull(r, rate >= 50.0));
        // What other programs do is not in it: the frames that the steps alone allow
        spReportRow(r, "   by processor time of the median step: frames per second", "", "4406 tets: 50",
                    1e3 / run.medianOwn, run.medianOwn <= 20.0);
        spDestroyHand(&hand);
    }
    spDestroyMesh(mesh);
}

void spReproduceHand(spReproduction* r)
{
    static spSolveRun paced, quickest, plain;
    spError error = SP_ZERO_INIT;
    const char* name;
    spMesh* mesh = spMakeHandMesh(r, &name, &error);
    if (mesh == NULL)
    {
        spReportFailure(r, name, &error);
        return;
    }
    char title[200];
    snprintf(title, sizeof(title), "In the hand of a user: %s, %d tets, 1000, 50 and 10 kPa", name,
             spMesh_GetTetCount(mesh));
    spStartPart(r, title);
    spReportNote(r, "Held above, moved and turned; Cholesky, asynchronous, as soon as it is there, turned.");
    int frames = r->quick ? 30 : 600;
    spHand hand;
    spSolverDef solver = spMakeBeamSolver(sp_preconditionCholesky, true, true, 1, 0);
    if (spBuildHand(mesh, &solver, &hand))
    {
        double wall = spPlayHand(&hand, frames, true, &paced);
        spReportHand(r, &paced, wall);
        spDestroyHand(&hand);
        double rate = 0.0;
        if (spBuildHand(mesh, &solver, &hand))
        {
            rate = frames / spPlayHand(&hand, frames, false, &quickest);
            spDestroyHand(&hand);
        }
        spReportRow(r, "as fast as it goes: frames per second", "", "50 to 80", rate,
                    spInFull(r, rate >= 50.0));
        spReportLarge(r, &solver, r->quick ? 5 : 600);
        const spColumn columns[3] = {
            {"frame", paced.steps}, {"step [ms]", paced.stepMs}, {"iterations", paced.iterations}};
        spSaveColumns(r, "hand.csv", columns, 3, paced.count);
        static double frameMs[2] = {1e3 / SP_HAND_RATE, 1e3 / SP_HAND_RATE};
        double ends[2] = {0.0, paced.count};
        const spPlotSeries series[2] = {{"step", paced.steps, paced.stepMs, paced.count, sp_plotLine},
                                        {"one frame", ends, frameMs, 2, sp_plotDashed}};
        spPlotDef plot = spMakePlot("Moved and turned by hand: time of each step", "frame, 60 in a second",
                                    "wall clock of the step [ms]", series, 2);
        plot.yMin = 0.0;
        spSaveBestFigure(r, "hand", &plot);
    }
    else if (hand.test.error.code == sp_errorUnsupported)
    {
        spReportNote(r, "not in this build: %s", hand.test.error.message);
    }
    else
    {
        spReportFailure(r, name, &hand.test.error);
    }
    solver = spMakeBeamSolver(sp_preconditionNone, false, false, 0, 0);
    if (spBuildHand(mesh, &solver, &hand))
    {
        spPlayHand(&hand, r->quick ? 5 : 60, false, &plain);
        spReportRow(r, "without a preconditioner: iterations", "", "does not converge in time",
                    plain.meanIterations, spInFull(r, plain.meanIterations > 10.0 * paced.meanIterations));
        spReportRow(r, "without a preconditioner: step", "ms", "", plain.meanStep, sp_notJudged);
        spDestroyHand(&hand);
    }
    spDestroyMesh(mesh);
}
