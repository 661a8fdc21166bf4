// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Old factors: how they lose their use while a beam bends or turns, what turning them with the nodes gives
// back, when to make a new one, and three models under three loads (Courtecuisse 2011, section 3.4.3, figure
// 3.15 and table 3.2).

#include "reproduce_preconditioner.h"

#include <math.h>
#include <stdio.h>

#define SP_QUARTER_TURN 1.5707963267948966

// Middle of the held end, m
static const spVec3 heldMiddle = {0, (spReal)0.125, (spReal)0.125};

// 0 at the start, 1 at the end, slow at both
static double spGetRamp(int step, int stepCount)
{
    double t = (double)step / stepCount;
    return t <= 0.0 ? 0.0 : t >= 1.0 ? 1.0 : t * t * (3.0 - 2.0 * t);
}

// By a quarter turn about z, then by another about x, each in half of the steps
static spVec3 spTurnTwice(spVec3 v, int step, int stepCount)
{
    int half = stepCount / 2;
    spVec3 once = spTurnZ(v, SP_QUARTER_TURN * spGetRamp(step, half));
    return spTurnX(once, SP_QUARTER_TURN * spGetRamp(step - half, half));
}

static spVec3 spTurnAboutHeld(spVec3 x, int step, int stepCount)
{
    spVec3 arm = {x.x - heldMiddle.x, x.y - heldMiddle.y, x.z - heldMiddle.z};
    spVec3 turned = spTurnTwice(arm, step, stepCount);
    return (spVec3){heldMiddle.x + turned.x, heldMiddle.y + turned.y, heldMiddle.z + turned.z};
}

// ---- age ----

// The held end turns, and every node has the velocity that takes it to where it would be in a rigid beam
static void spTurnRigidly(const spLoad* load)
{
    spWorld* world = load->test->world;
    spBodyId body = load->test->body;
    int last = load->stepCount - 1;
    spVec3View x = spBody_GetPositions(world, body);
    for (int i = 0; i < load->nodeCount; ++i)
    {
        spVec3 to = spTurnAboutHeld(load->rest[i], load->step + 1, last), from = x.data[i];
        spReal rate = (spReal)(1.0 / SP_BEAM_DT);
        load->work[i] = (spVec3){rate * (to.x - from.x), rate * (to.y - from.y), rate * (to.z - from.z)};
        if (i < spGetBeamEndCount(load->def))
        {
            spBody_DriveNode(world, body, i, to);
        }
    }
    spBody_SetVelocities(world, body, load->work, load->nodeCount);
}

// Bends for some steps; before the last one everything there is, the pull of gravity too, is turned about two
// axes. The system to solve is then the one of the run that is not turned, in another frame.
static void spTurnAll(const spLoad* load)
{
    spWorld* world = load->test->world;
    spBodyId body = load->test->body;
    if (load->step + 1 < load->stepCount)
    {
        return;
    }
    spVec3View x = spBody_GetPositions(world, body);
    for (int i = 0; i < load->nodeCount; ++i)
    {
        load->work[i] = spTurnTwice(x.data[i], 2, 2);
    }
    spBody_SetPositions(world, body, load->work, load->nodeCount);
    spVec3View v = spBody_GetVelocities(world, body);
    for (int i = 0; i < load->nodeCount; ++i)
    {
        load->work[i] = spTurnTwice(v.data[i], 2, 2);
    }
    spBody_SetVelocities(world, body, load->work, load->nodeCount);
    spWorld_SetGravity(world, spTurnTwice((spVec3){0, (spReal)-load->def->gravity, 0}, 2, 2));
}

// Iterations in the step after a rigid turn by 90 degrees about two axes, of a factor that is 5 steps old
static void spReportRigidTurn(spReproduction* r)
{
    enum
    {
        stepCount = 6
    };
    static spSolveRun run;
    double last[3];
    for (int k = 0; k < 3; ++k)
    {
        spSolverBeamDef def = spDefaultSolverBeamDef();
        spShrinkBeam(r, &def);
        def.moduli[0] = def.moduli[1] = def.moduli[2] = 2.5e5;
        def.test.method.solver = spMakeBeamSolver(sp_preconditionCholesky, false, k < 2, 1000000, 0);
        if (spRunBeam(r, &def, k == 0 ? NULL : spTurnAll, stepCount, &run) == false)
        {
            return;
        }
        last[k] = run.iterations[stepCount - 1];
    }
    spReportRow(r, "rigid turn: iterations of the step that is not turned", "", "", last[0], sp_notJudged);
    spReportRow(r, "rigid turn, turned with the nodes", "", "the same", last[1], last[1] == last[0]);
    spReportRow(r, "rigid turn, as it was made", "", "several times more", last[2], last[2] > 3.0 * last[0]);
}

static double spGetMost(const spSolveRun* run)
{
    double most = 0.0;
    for (int i = 0; i < run->count; ++i)
    {
        most = fmax(most, run->iterations[i]);
    }
    return most;
}

void spReproduceAge(spReproduction* r)
{
    static const char* const names[4] = {"bending, as it was made", "bending, turned with the nodes",
                                         "rotation, as it was made", "rotation, turned with the nodes"};
    static const char* const heads[4] = {"bending: iterations", "bending turned: iterations",
                                         "rotation: iterations", "rotation turned: iterations"};
    static spSolveRun runs[4];
    double most[4];
    spPlotSeries series[4];
    spColumn columns[5] = {{"age [steps]", runs[0].steps}};
    int stepCount = r->quick ? 21 : 61;
    spStartPart(r, "Age: one Cholesky factor of the first step, used for ever, beam of 250 kPa");
    spReportNote(r,
                 "It bends under gravity, or is turned by 90 degrees about two axes, one after the other.");
    for (int k = 0; k < 4; ++k)
    {
        spSolverBeamDef def = spDefaultSolverBeamDef();
        spShrinkBeam(r, &def);
        def.moduli[0] = def.moduli[1] = def.moduli[2] = 2.5e5;
        def.test.method.solver = spMakeBeamSolver(sp_preconditionCholesky, false, k % 2 == 1, 1000000, 0);
        if (spRunBeam(r, &def, k < 2 ? NULL : spTurnRigidly, stepCount, runs + k) == false)
        {
            return;
        }
        most[k] = spGetMost(runs + k);
        series[k] = (spPlotSeries){names[k], runs[k].steps, runs[k].iterations, runs[k].count,
                                   k % 2 == 1 ? sp_plotLine : sp_plotDashed};
        columns[k + 1] = (spColumn){heads[k], runs[k].iterations};
    }
    double fresh = runs[0].iterations[0];
    spReportRow(r, "fresh: iterations", "", "1", fresh, fresh <= 2.0);
    spReportRow(r, "bending, as it was made: most iterations", "", "degrades", most[0],
                most[0] > 3.0 * fresh);
    spReportRow(r, "bending, turned with the nodes", "", "fewer", most[1], most[1] < most[0]);
    spReportRow(r, "rotation, as it was made", "", "several times more", most[2], most[2] > 3.0 * most[3]);
    // The motion that turns the beam strains it a little, which a tight tolerance feels: what a rotation alone
    // does is in the rows after it
    spReportRow(r, "rotation, turned with the nodes", "", "", most[3], sp_notJudged);
    spReportRigidTurn(r);
    spPlotDef plot = spMakePlot("A Cholesky factor grows old", "age of the factor [steps]",
                                "conjugate gradients in the step", series, 4);
    plot.yLog = true;
    spSaveBestFigure(r, "age", &plot);
    spSaveColumns(r, "age.csv", columns, 5, stepCount);
}

// ---- figure 3.15: when to make a new one ----

enum
{
    sp_policyNone,
    sp_policyNever,
    sp_policyEach,
    sp_policyThirty,
    sp_policyThirtyApart,
    sp_policySoon,
    sp_policyCount
};

// The calmest of five runs, and the least time that each step took in any of them
static bool spRunCalmest(spReproduction* r, const spSolverBeamDef* def, int stepCount, spSolveRun* best,
                         double* leastMs)
{
    static spSolveRun run;
    for (int i = 0; i < (r->quick ? 1 : 5); ++i)
    {
        if (spRunBeam(r, def, NULL, stepCount, &run) == false)
        {
            return false;
        }
        for (int k = 0; k < run.count; ++k)
        {
            leastMs[k] = i == 0 ? run.stepMs[k] : fmin(leastMs[k], run.stepMs[k]);
        }
        if (i == 0 || run.meanStep < best->meanStep)
        {
            *best = run;
        }
    }
    return true;
}

// Made anew when iterations have risen: while the beam bends, and while it rests
static void spReportByNeed(spReproduction* r, int stepCount)
{
    static spSolveRun run;
    for (int rest = 0; rest < 2; ++rest)
    {
        spSolverBeamDef def = spDefaultSolverBeamDef();
        spShrinkBeam(r, &def);
        def.moduli[0] = def.moduli[1] = def.moduli[2] = 2.5e5;
        def.gravity = rest == 1 ? 0.0 : def.gravity;
        def.test.method.solver = spMakeBeamSolver(sp_preconditionIncomplete, false, false, 0, 0);
        if (spRunBeam(r, &def, NULL, stepCount, &run) == false)
        {
            return;
        }
        double factors = (double)run.factorCount;
        spReportRow(r,
                    rest == 1 ? "   the same at rest: factors" : "when iterations have risen: factors made",
                    "", rest == 1 ? "1" : "", factors, rest == 1 ? factors <= 1.0 : factors > 1.0);
        if (rest == 0)
        {
            spReportRow(r, "   iterations", "", "", run.meanIterations, sp_notJudged);
        }
    }
}

// Where a factor is new, iterations are those of one that is made in every step: the most that they are above,
// and the least that they have fallen since the step before
static void spReportResets(spReproduction* r, const spSolveRun* kept, const spSolveRun* each)
{
    double above = 0.0, fall = INFINITY;
    for (int i = 2; i < kept->count; ++i)
    {
        if (kept->factorSteps[i] != kept->factorSteps[i - 1])
        {
            above = fmax(above, kept->iterations[i] / each->iterations[i]);
            fall = fmin(fall, kept->iterations[i - 1] / kept->iterations[i]);
        }
    }
    spReportRow(r, "PCG-30: iterations with a new one over those of PCG-1, most", "x", "1 x", above,
                above > 0.0 && above <= 1.1);
    spReportRow(r, "PCG-30: iterations of the step before over those with a new one, least", "x", "resets",
                fall, fall > 1.0 && fall < INFINITY);
}

static void spSavePolicies(spReproduction* r, spSolveRun* runs, double (*leastMs)[SP_MOST_STEPS],
                           const char* const* names)
{
    spPlotSeries iterations[sp_policyCount], times[sp_policyCount];
    spColumn columns[1 + 2 * sp_policyCount] = {{"step", runs[0].steps}};
    static const char* const heads[2][sp_policyCount] = {
        {"CG: iterations", "PCG-0: iterations", "PCG-1: iterations", "PCG-30: iterations",
         "PCG-30 async: iterations", "soon + turned: iterations"},
        {"CG: step [ms]", "PCG-0: step [ms]", "PCG-1: step [ms]", "PCG-30: step [ms]",
         "PCG-30 async: step [ms]", "soon + turned: step [ms]"}};
    for (int k = 0; k < sp_policyCount; ++k)
    {
        // The first step also makes what all later ones use again
        int count = runs[k].count - 1;
        iterations[k] =
            (spPlotSeries){names[k], runs[k].steps + 1, runs[k].iterations + 1, count, sp_plotLine};
        times[k] = (spPlotSeries){names[k], runs[k].steps + 1, leastMs[k] + 1, count, sp_plotLine};
        columns[1 + k] = (spColumn){heads[0][k], runs[k].iterations};
        columns[1 + sp_policyCount + k] = (spColumn){heads[1][k], leastMs[k]};
    }
    spPlotDef plot = spMakePlot("Iterations: incomplete Cholesky, made anew by several rules", "step",
                                "conjugate gradients in the step", iterations, sp_policyCount);
    plot.yLog = true;
    spSaveBestFigure(r, "policies_iterations", &plot);
    plot.title = "Time of a step: incomplete Cholesky, made anew by several rules";
    plot.yLabel =
        r->quick ? "wall clock of the step [ms]" : "wall clock of the step, least of five runs [ms]";
    plot.series = times;
    spSaveBestFigure(r, "policies_time", &plot);
    spSaveColumns(r, "policies.csv", columns, 1 + 2 * sp_policyCount, runs[0].count);
}

void spReproducePolicies(spReproduction* r)
{
    static const char* const names[sp_policyCount] = {"CG",
                                                      "PCG-0, never again",
                                                      "PCG-1, every step",
                                                      "PCG-30, every 30 steps",
                                                      "PCG-30, asynchronous",
                                                      "as soon as possible, turned"};
    static const char* const claims[sp_policyCount] = {
        "reference", "fair, degrades", "lowest", "low, rises in between", "above PCG-30", "as PCG-1"};
    static spSolveRun runs[sp_policyCount];
    static double leastMs[sp_policyCount][SP_MOST_STEPS];
    int stepCount = r->quick ? 40 : 120;
    spStartPart(r, "When to make a new one: beam of 250 kPa under gravity, incomplete Cholesky");
    for (int k = 0; k < sp_policyCount; ++k)
    {
        spSolverBeamDef def = spDefaultSolverBeamDef();
        spShrinkBeam(r, &def);
        def.moduli[0] = def.moduli[1] = def.moduli[2] = 2.5e5;
        bool apart = k >= sp_policyThirtyApart, soon = k == sp_policySoon;
        int refresh = k == sp_policyNever ? 1000000 : k == sp_policyThirty ? 30 : 1;
        // A thread that takes 30 steps for each and starts again at once, as the thesis has it
        int age = k == sp_policyThirtyApart ? 30 : 0;
        def.test.method.solver = spMakeBeamSolver(
            k == sp_policyNone ? sp_preconditionNone : sp_preconditionIncomplete, apart, soon, refresh, age);
        if (spRunCalmest(r, &def, stepCount, runs + k, leastMs[k]) == false)
        {
            return;
        }
    }
    const spSolveRun *none = runs, *never = runs + sp_policyNever, *each = runs + sp_policyEach,
                     *thirty = runs + sp_policyThirty, *apart = runs + sp_policyThirtyApart,
                     *soon = runs + sp_policySoon;
    const bool agrees[sp_policyCount] = {
        false, // the one that the others are compared with
        never->meanIterations < 0.5 * none->meanIterations && never->meanIterations > each->meanIterations,
        each->meanIterations <= 1.05 * fmin(never->meanIterations, thirty->meanIterations),
        (thirty->meanIterations < never->meanIterations),
        (apart->meanIterations > thirty->meanIterations),
        soon->meanIterations < 2.0 * each->meanIterations};
    for (int k = 0; k < sp_policyCount; ++k)
    {
        char quantity[80];
        snprintf(quantity, sizeof(quantity), "%s: iterations", names[k]);
        spReportRow(r, quantity, "", claims[k], runs[k].meanIterations,
                    k == sp_policyNone ? sp_notJudged : spInFull(r, agrees[k]));
    }
    int same = 0;
    for (int i = 0; i < 30 && i < stepCount; ++i)
    {
        same += never->iterations[i] == thirty->iterations[i] && never->iterations[i] == apart->iterations[i];
    }
    spReportRow(r, "of the first 30 steps, PCG-0 and both PCG-30 with the same", "", "30", same, same == 30);
    for (int k = 0; k < sp_policyCount; ++k)
    {
        char quantity[80];
        snprintf(quantity, sizeof(quantity), "%s: step, mean", names[k]);
        spReportRow(r, quantity, "ms", k == sp_policyEach ? "4 x of CG" : "", runs[k].meanStep, sp_notJudged);
    }
    spReportResets(r, thirty, each);
    spReportRow(r, "PCG-30: step that makes a new one over the next step", "x", "spikes", thirty->spike,
                spInFull(r, thirty->spike > 1.5));
    spReportRow(r, "as soon as possible: steps that waited for a factor", "", "0", (double)soon->waits,
                soon->waits == 0);
    char quantity[80];
    snprintf(quantity, sizeof(quantity), "as soon as possible: median of %d hand-overs over all steps",
             soon->handOvers);
    double ratio = soon->handOver / soon->medianStep;
    spReportRow(r, quantity, "x", "no spikes", ratio, spInFull(r, ratio < 2.0));
    spReportRow(r, "   processor time of the stepping thread: most over the median", "x", "no spikes",
                soon->ownRatio, spInFull(r, soon->ownRatio < 2.0));
    spReportRow(r, "   the slowest step over the median, wall clock", "x", "below 2 x", soon->mostRatio,
                spInFull(r, soon->mostRatio < 2.0));
    spReportRow(r, "   the slowest in twenty steps over the median", "x", "", soon->highRatio, sp_notJudged);
    spReportRow(r, "   the same without any factor thread (PCG-0)", "x", "", never->highRatio, sp_notJudged);
    spReportRow(r, "   oldest factor over the longest way between two", "x", "2 x",
                (double)soon->oldest / soon->longest, spInFull(r, soon->oldest <= 2 * soon->longest));
    spReportByNeed(r, stepCount);
    spSavePolicies(r, runs, leastMs, names);
}

// ---- table 3.2: models and loads ----

// Pulled along its axis by the weight of 30 % of strain: the material
static void spPull(const spLoad* load)
{
    int count = spGetBeamEndCount(load->def);
    double force = 0.3 * load->def->moduli[0] * 0.0625 / count * spGetRamp(load->step, load->stepCount / 2);
    for (int i = load->nodeCount - count; i < load->nodeCount; ++i)
    {
        spBody_SetNodeForce(load->test->world, load->test->body, i, (spVec3){(spReal)force, 0, 0});
    }
}

// The held end turns, twice by 90 degrees, and the beam with it: rotations
static void spTurnEnd(const spLoad* load)
{
    for (int i = 0; i < spGetBeamEndCount(load->def); ++i)
    {
        spBody_DriveNode(load->test->world, load->test->body, i,
                         spTurnAboutHeld(load->rest[i], load->step + 1, load->stepCount));
    }
}

// Drawn down and wrung at the free end: both
static void spBendAndTwist(const spLoad* load)
{
    int count = spGetBeamEndCount(load->def);
    double ramp = spGetRamp(load->step, load->stepCount / 2), square = 0.0;
    for (int i = load->nodeCount - count; i < load->nodeCount; ++i)
    {
        double y = (double)(load->rest[i].y - heldMiddle.y), z = (double)(load->rest[i].z - heldMiddle.z);
        square += y * y + z * z;
    }
    // By a quarter turn and by 0.3 m for a slender beam of small strain
    double torque = 3.1e-4 * load->def->moduli[0] * ramp, down = 3e-4 * load->def->moduli[0] * ramp;
    for (int i = load->nodeCount - count; i < load->nodeCount; ++i)
    {
        double y = (double)(load->rest[i].y - heldMiddle.y), z = (double)(load->rest[i].z - heldMiddle.z);
        spVec3 force = {0, (spReal)(-torque / square * z - down / count), (spReal)(torque / square * y)};
        spBody_SetNodeForce(load->test->world, load->test->body, i, force);
    }
}

enum
{
    modeCount = 5,
    loadCount = 3
};

// Iterations and milliseconds of the thesis: load, model, mode
static const double s_thesis[loadCount][sp_beamModelCount][modeCount][2] = {
    {{{301.52, 138.12}, {18.65, 38.33}, {13.77, 30.10}, {9.87, 20.38}, {9.19, 20.46}},
     {{198.11, 29.34}, {17.40, 31.63}, {18.56, 34.41}, {5.50, 11.17}, {5.32, 12.34}},
     {{167.54, 24.48}, {22.53, 32.27}, {22.36, 32.82}, {7.13, 13.29}, {6.88, 14.40}}},
    {{{301.98, 138.08}, {33.55, 69.46}, {9.14, 20.08}, {10.59, 21.73}, {9.58, 21.13}},
     {{217.50, 31.59}, {19.25, 34.72}, {14.42, 27.00}, {8.27, 16.47}, {7.79, 17.06}},
     {{193.87, 27.74}, {26.14, 36.25}, {14.23, 21.11}, {9.27, 17.31}, {8.68, 17.93}}},
    {{{303.99, 142.99}, {122.04, 262.16}, {18.91, 41.38}, {13.33, 28.67}, {12.05, 26.93}},
     {{220.26, 35.38}, {48.42, 86.38}, {36.79, 69.24}, {10.77, 21.25}, {10.53, 22.58}},
     {{174.16, 27.40}, {83.96, 118.24}, {36.84, 56.17}, {7.32, 13.79}, {11.39, 23.50}}}};

static const char* const s_modes[modeCount] = {"none", "never again", "never again, turned", "async",
                                               "async, turned"};

// One line of the table: five modes, and for the times a sixth that never waits
static bool spRunModes(spReproduction* r, int load, spBeamModel model, double (*means)[2], int* unsolved)
{
    static spSolveRun run;
    static spLoadFcn* const loads[loadCount] = {spPull, spTurnEnd, spBendAndTwist};
    for (int mode = 0; mode <= modeCount; ++mode)
    {
        spSolverBeamDef def = spDefaultSolverBeamDef();
        spShrinkBeam(r, &def);
        def.model = model;
        def.gravity = 0.0;
        bool apart = mode >= 3, soon = mode == modeCount;
        def.test.method.solver = spMakeBeamSolver(mode == 0 ? sp_preconditionNone : sp_preconditionCholesky,
                                                  apart, mode == 2 || mode >= 4, apart ? 1 : 1000000,
                                                  apart && soon == false ? SP_FACTOR_AGE : 0);
        if (spRunBeam(r, &def, loads[load], r->quick ? 20 : 120, &run) == false)
        {
            return false;
        }
        means[mode][0] = run.meanIterations;
        means[mode][1] = run.meanStep;
        // In single precision a factor that fits no more may keep the residual from getting there
        *unsolved += mode == 1 ? 0 : run.unsolved;
    }
    return true;
}

void spReproduceModels(spReproduction* r)
{
    static const char* const loadNames[loadCount] = {"pull", "turn", "bend and twist"};
    static const char* const modelNames[sp_beamModelCount] = {"corotational", "StVK", "springs"};
    double columns[7][loadCount * sp_beamModelCount * modeCount];
    int made = 0, unsolved = 0;
    spStartPart(r, "Models and loads: beam of 1000 kPa, Cholesky");
    spReportNote(r, "Asynchronous: a new one every %d steps. The loads of the thesis are not known.",
                 SP_FACTOR_AGE + 1);
    for (int load = 0; load < loadCount; ++load)
    {
        for (int model = 0; model < sp_beamModelCount; ++model)
        {
            double ours[modeCount + 1][2];
            if (spRunModes(r, load, (spBeamModel)model, ours, &unsolved) == false)
            {
                return;
            }
            for (int mode = 0; mode < modeCount; ++mode)
            {
                const double* thesis = s_thesis[load][model][mode];
                // A preconditioner helps, whatever the load; one that is never made anew may not
                bool agrees = mode == 0   ? ours[0][0] > 0.5 * thesis[0] && ours[0][0] < 2.0 * thesis[0]
                              : mode == 1 ? ours[1][0] < ours[0][0]
                              : mode == 2 ? ours[2][0] < ours[0][0]
                                          : ours[mode][0] <= 2.0 * thesis[0];
                char quantity[80], published[40];
                snprintf(quantity, sizeof(quantity), "%s, %s, %s: iterations", loadNames[load],
                         modelNames[model], s_modes[mode]);
                snprintf(published, sizeof(published), "%.1f", thesis[0]);
                spReportRow(r, quantity, "", published, ours[mode][0], spInFull(r, agrees));
                double values[7] = {load, model, mode, ours[mode][0], thesis[0], ours[mode][1], thesis[1]};
                for (int c = 0; c < 7; ++c)
                {
                    columns[c][made] = values[c];
                }
                made += 1;
            }
            char quantity[80], published[40];
            const double(*thesis)[2] = s_thesis[load][model];
            snprintf(quantity, sizeof(quantity), "%s, %s: step, plain over async at once, turned",
                     loadNames[load], modelNames[model]);
            snprintf(published, sizeof(published), "%.2f x", thesis[0][1] / thesis[4][1]);
            spReportRow(r, quantity, "x", published, ours[0][1] / ours[modeCount][1], sp_notJudged);
            if (load == 1)
            {
                snprintf(quantity, sizeof(quantity), "%s, %s: never again over the same turned",
                         loadNames[load], modelNames[model]);
                snprintf(published, sizeof(published), "%.2f x", thesis[1][0] / thesis[2][0]);
                double gain = ours[1][0] / ours[2][0];
                spReportRow(r, quantity, "x", published, gain, spInFull(r, gain > 1.3));
            }
        }
    }
    spReportRow(r, "steps that did not reach the residual, 'never again' apart", "", "", unsolved,
                unsolved == 0);
    const spColumn table[7] = {
        {"load (0 pull 1 turn 2 bend and twist)", columns[0]},
        {"model (0 corotational 1 St-Venant-Kirchhoff 2 springs)", columns[1]},
        {"mode (0 none 1 never 2 never turned 3 asynchronous 4 asynchronous turned)", columns[2]},
        {"iterations", columns[3]},
        {"thesis: iterations", columns[4]},
        {"step [ms]", columns[5]},
        {"thesis: step [ms]", columns[6]}};
    spSaveColumns(r, "models.csv", table, 7, made);
}
