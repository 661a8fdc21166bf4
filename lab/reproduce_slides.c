// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The slides on deformable solids: integrators, the repulsive ground, backtracking, frames per 0.40 s,
// lattice against gas. Their plots are lost; what they claim in words is the published column, with numbers
// of an independent program (written in C with RK4 and double) where there are any, marked "ref".

#include "cli/tools.h"
#include "reproduce.h"
#include "testbed/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static spTestDef spMakeSlidesDef(spMethodType type, spContactMode contact)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = type;
    def.method.contact = contact;
    def.method.substeps = 1;
    return def;
}

// ---- integrators ----

// A lattice of 8 x 8 falls 0.2 m onto the ground and is watched for 2 s. Above 20 J it has exploded: it
// starts with less than 4 J.
static bool spSurvives(spReproduction* r, spMethodType type, double damping, double dt)
{
    spTestDef def = spMakeSlidesDef(type, sp_contactBacktrack);
    spTestWorld test = spBuildLattice(&def, 8, 400, (spReal)damping, (spReal)0.2);
    if (test.world == NULL)
    {
        spReportFailure(r, "lattice", &test.error);
        return false;
    }
    spAddTestGround(test.world, 0, (spReal)0.3);
    bool alive = true;
    for (int i = 0; alive && i < (int)(2.0 / dt); ++i)
    {
        alive = (spWorld_Step(test.world, (spReal)dt) & sp_stepNonFinite) == 0;
        if (alive && i % 32 == 0)
        {
            spEnergy e = spBody_GetEnergy(test.world, test.body);
            alive = e.kinetic + e.elastic < 20.0;
        }
    }
    spDestroyTestWorld(&test);
    return alive;
}

// Largest step that survives, by bisection on a logarithmic scale, s
static double spFindLargestStep(spReproduction* r, spMethodType type, double damping)
{
    double low = 2e-5, high = 2e-2;
    for (int i = 0; i < 9; ++i)
    {
        double middle = sqrt(low * high);
        if (spSurvives(r, type, damping, middle))
        {
            low = middle;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

static void spReproduceIntegrators(spReproduction* r)
{
    static const struct
    {
        double damping;
        double ref[3];
    } cases[] = {
        {0.0, {0.05, 3.6, 5.4}}, {0.05, {0.18, 3.5, 5.6}}, {0.2, {0.57, 3.2, 5.7}}, {1.0, {2.5, 2.1, 5.3}}};
    static const spMethodType types[3] = {sp_forwardEuler, sp_symplecticEuler, sp_rungeKutta4};
    static const char* const names[3] = {"forward Euler", "symplectic Euler", "Runge-Kutta 4"};
    spStartPart(
        r, "Largest step without explosion: 8 x 8 lattice, k = 400 N/m, m = 0.01 kg, drop of 0.2 m, 2 s");
    double dampings[4], limits[3][4];
    for (int k = 0; k < 4; ++k)
    {
        dampings[k] = cases[k].damping;
        for (int m = 0; m < 3; ++m)
        {
            char quantity[80], published[40];
            limits[m][k] = 1e3 * spFindLargestStep(r, types[m], cases[k].damping);
            snprintf(quantity, sizeof(quantity), "%s, spring damping %.2f N s/m", names[m], cases[k].damping);
            snprintf(published, sizeof(published), "ref %.2f ms", cases[k].ref[m]);
            // Undamped, forward Euler gains energy at any step: its limit is how small a step takes longer
            // than 2 s, which tells of the watch and not of the method
            double ratio = limits[m][k] / cases[k].ref[m];
            bool watched = types[m] == sp_forwardEuler && cases[k].damping == 0.0;
            spReportRow(r, quantity, "ms", published, limits[m][k],
                        watched ? sp_notJudged : ratio < 1.6 && ratio > 0.7);
        }
    }
    char claim[] = "explodes / stable";
    spReportRow(r, "step of Runge-Kutta 4 over step of forward Euler, undamped", "x", claim,
                limits[2][0] / limits[0][0], limits[2][0] > 20.0 * limits[0][0]);
    spReportRow(r, "the same per force evaluation, symplectic over Runge-Kutta 4", "x", "ref 2.6 x",
                4.0 * limits[1][0] / limits[2][0], limits[1][0] * 4.0 > 2.0 * limits[2][0]);
    const spColumn columns[] = {{"spring damping [N s/m]", dampings},
                                {"forward Euler [ms]", limits[0]},
                                {"symplectic Euler [ms]", limits[1]},
                                {"Runge-Kutta 4 [ms]", limits[2]}};
    spSaveColumns(r, "integrators.csv", columns, 4, 4);
}

// The lattice hangs free, a force pulls one corner for 0.1 s, then it is left alone
static void spReproducePerturbation(spReproduction* r)
{
    enum
    {
        runs = 4,
        samples = 600
    };
    static const struct
    {
        spMethodType type;
        double damping;
        const char* name;
    } cases[runs] = {{sp_forwardEuler, 0.05, "forward Euler"},
                     {sp_symplecticEuler, 0.05, "symplectic Euler"},
                     {sp_rungeKutta4, 0.05, "Runge-Kutta 4"},
                     {sp_rungeKutta4, 0.2, "Runge-Kutta 4, four times the damping"}};
    static double times[samples], energies[runs][samples];
    double settled[runs];
    spStartPart(r, "Return to rest after a force on one corner, steps of 1 ms");
    spPlotSeries series[runs];
    for (int k = 0; k < runs; ++k)
    {
        spTestDef def = spMakeSlidesDef(cases[k].type, sp_contactOff);
        spTestWorld test = spBuildLattice(&def, 8, 400, (spReal)cases[k].damping, 0);
        if (test.world == NULL)
        {
            spReportFailure(r, "lattice", &test.error);
            return;
        }
        spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
        spBody_SetNodeForce(test.world, test.body, 0, (spVec3){-5, -5, 0});
        spBody_SetNodeForce(test.world, test.body, 63, (spVec3){5, 5, 0});
        double peak = 0.0;
        settled[k] = 0.0;
        for (int i = 0; i < samples * 10; ++i)
        {
            if (i == 100)
            {
                spBody_SetNodeForce(test.world, test.body, 0, (spVec3){0, 0, 0});
                spBody_SetNodeForce(test.world, test.body, 63, (spVec3){0, 0, 0});
            }
            spWorld_Step(test.world, (spReal)1e-3);
            spEnergy e = spBody_GetEnergy(test.world, test.body);
            double energy = spBody_IsRunning(test.world, test.body) ? e.kinetic + e.elastic : NAN;
            peak = i <= 100 ? fmax(peak, energy) : peak;
            settled[k] = energy > 0.01 * peak || isnan(energy) ? 1e-3 * (i - 100) : settled[k];
            times[i / 10] = 1e-3 * i;
            energies[k][i / 10] = energy;
        }
        series[k] = (spPlotSeries){cases[k].name, times, energies[k], samples, sp_plotLine};
        spDestroyTestWorld(&test);
    }
    bool exploded = isnan(energies[0][samples - 1]) || energies[0][samples - 1] > 1e3;
    spReportRow(r, "forward Euler explodes (1 = yes)", "", "explodes", exploded ? 1.0 : 0.0, exploded);
    spReportRow(r, "symplectic Euler: time to 1 % of the energy", "s", "", settled[1], settled[1] < 5.5);
    spReportRow(r, "Runge-Kutta 4: time to 1 % of the energy", "s", "returns to rest", settled[2],
                settled[2] < 5.5);
    spReportRow(r, "Runge-Kutta 4 with damping 0.2: time to 1 %", "s", "faster", settled[3],
                settled[3] < settled[2]);
    spPlotDef plot = spMakePlot("Energy of an 8 x 8 lattice after a push of 0.1 s", "time [s]",
                                "kinetic + elastic energy [J]", series, runs);
    plot.yLog = true;
    plot.yMin = 1e-7;
    plot.yMax = 1e4;
    spSaveFigure(r, "perturbation.svg", &plot);
    const spColumn columns[] = {{"time [s]", times},
                                {"forward Euler [J]", energies[0]},
                                {"symplectic Euler [J]", energies[1]},
                                {"Runge-Kutta 4 [J]", energies[2]},
                                {"Runge-Kutta 4 damping 0.2 [J]", energies[3]}};
    spSaveColumns(r, "perturbation.csv", columns, 5, samples);
}

// ---- ground ----

// One mass of 1 kg from 1 m. Returns the energy after 1 s over the energy before; infinity when it went
// through.
static double spBounceParticle(spReproduction* r, double k, double dt, spMethodType type)
{
    spTestDef def = spMakeSlidesDef(type, sp_contactOff);
    spTestWorld test = spBuildParticle(&def, 1, 1);
    if (test.world == NULL || spAddRepulsiveGround(&test, k) < 0)
    {
        spReportFailure(r, "particle", &test.error);
        spDestroyTestWorld(&test);
        return NAN;
    }
    spEnergy before = spBody_GetEnergy(test.world, test.body);
    bool through = false;
    for (int i = 0; i < (int)(1.0 / dt); ++i)
    {
        spWorld_Step(test.world, (spReal)dt);
        through = through || spGetLowestHeight(&test) < 0.0;
    }
    spEnergy after = spBody_GetEnergy(test.world, test.body);
    spDestroyTestWorld(&test);
    return through ? INFINITY : (after.kinetic + after.potential) / (before.kinetic + before.potential);
}

static void spReproduceMagneticGround(spReproduction* r)
{
    static const struct
    {
        double k, dt;
        const char* published;
        double low, high; // of the energy ratio that supports it
    } cases[] = {
        {1.0, 1e-2, "ref: fine", 0.9, 1.1},
        {0.1, 1e-3, "ref: error 0.01 %", 0.999, 1.001},
        {0.1, 1e-2, "ref: x 577", 1.05, INFINITY},
        {0.01, 1e-4, "ref: fine", 0.99, 1.01},
        {0.01, 1e-3, "ref: x 14", 1.5, INFINITY},
        {0.01, 1e-2, "ref: goes through", 2.0, INFINITY},
        {1e-4, 1e-2, "ref: goes through", 2.0, INFINITY},
        {1e-4, 1e-3, "ref: goes through", 2.0, INFINITY},
        {1e-4, 1e-4, "ref: goes through", 2.0, INFINITY},
    };
    spStartPart(r,
                "Repulsive ground K/d^2: 1 kg from 1 m, Runge-Kutta 4, energy after 1 s over energy before");
    for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); ++i)
    {
        char quantity[80];
        double ratio = spBounceParticle(r, cases[i].k, cases[i].dt, sp_rungeKutta4);
        snprintf(quantity, sizeof(quantity), "K = %g N m^2, step %g ms", cases[i].k, 1e3 * cases[i].dt);
        spReportRow(r, quantity, "x", cases[i].published, ratio,
                    ratio >= cases[i].low && ratio <= cases[i].high);
    }
    spReportNote(r, "inf: it went through the ground. A small K makes the barrier thinner than a step: "
                    "smaller is worse.");

    // The slides' plots: mean height of the lattice over time for four K
    enum
    {
        runs = 4,
        samples = 500
    };
    static const double ks[runs] = {1.0, 1e-1, 1e-2, 1e-4};
    static const char* const names[runs] = {"K = 1", "K = 0.1", "K = 0.01", "K = 0.0001"};
    static double times[samples], heights[runs][samples];
    spPlotSeries series[runs];
    for (int k = 0; k < runs; ++k)
    {
        spTestDef def = spMakeSlidesDef(sp_rungeKutta4, sp_contactOff);
        spTestWorld test = spBuildLattice(&def, 8, 400, (spReal)0.2, 1);
        if (test.world == NULL || spAddRepulsiveGround(&test, ks[k]) < 0)
        {
            spReportFailure(r, "lattice", &test.error);
            return;
        }
        for (int i = 0; i < samples; ++i)
        {
            for (int s = 0; s < 20; ++s)
            {
                spWorld_Step(test.world, (spReal)2.5e-4);
            }
            times[i] = spWorld_GetTime(test.world);
            double height = spGetMeanHeight(&test);
            heights[k][i] = spBody_IsRunning(test.world, test.body) && fabs(height) < 20.0 ? height : NAN;
        }
        series[k] = (spPlotSeries){names[k], times, heights[k], samples, sp_plotLine};
        spDestroyTestWorld(&test);
    }
    double highest = 0.0;
    for (int i = 0; i < samples; ++i)
    {
        highest = fmax(highest, heights[0][i]);
    }
    spReportRow(r, "lattice of 0.01 kg masses from 1.35 m, K = 1: thrown up to", "m", "\"enormous\" force",
                highest, highest > 2.0);
    spReportRow(r, "lattice, K = 0.0001: mean height after 2.5 s", "m", "", heights[3][samples - 1],
                heights[3][samples - 1] > 0.3 && heights[3][samples - 1] < 0.7);
    spReportNote(r, "The height over the ground scales with sqrt(K / (m g)): which K is right depends on the "
                    "mass of a node.");
    spPlotDef plot = spMakePlot("Repulsive ground: mean height of an 8 x 8 lattice, steps of 0.25 ms",
                                "time [s]", "mean height [m]", series, runs);
    plot.yMin = -0.5;
    plot.yMax = 2.5;
    spSaveFigure(r, "repulsive_ground.svg", &plot);
    const spColumn columns[] = {{"time [s]", times},
                                {"K = 1 [m]", heights[0]},
                                {"K = 0.1 [m]", heights[1]},
                                {"K = 0.01 [m]", heights[2]},
                                {"K = 0.0001 [m]", heights[3]}};
    spSaveColumns(r, "repulsive_ground.csv", columns, 5, samples);
}

static void spReproduceBacktracking(spReproduction* r)
{
    enum
    {
        samples = 600
    };
    static double times[samples], backtrack[samples], rows[samples];
    double least = 1.0;
    double* heights[2] = {backtrack, rows};
    spStartPart(
        r, "Backtracking and rows on the ground: 8 x 8 lattice from 1 m, restitution 0.3, steps of 1 ms");
    for (int mode = 0; mode < 2; ++mode)
    {
        spTestDef def = spMakeSlidesDef(sp_rungeKutta4, mode == 0 ? sp_contactBacktrack : sp_contactRows);
        spTestWorld test = spBuildLattice(&def, 8, 400, (spReal)0.2, 1);
        if (test.world == NULL)
        {
            spReportFailure(r, "lattice", &test.error);
            return;
        }
        spAddTestGround(test.world, (spReal)0.3, (spReal)0.3);
        for (int i = 0; i < samples; ++i)
        {
            for (int s = 0; s < 5; ++s)
            {
                spWorld_Step(test.world, (spReal)1e-3);
                least = fmin(least, spGetLowestHeight(&test));
            }
            times[i] = spWorld_GetTime(test.world);
            heights[mode][i] = spGetMeanHeight(&test);
        }
        spDestroyTestWorld(&test);
    }
    spReportRow(r, "lowest node at any time", "m", "retained", least, least > -1e-6);
    spReportRow(r, "mean height at rest, backtracking", "m", "", backtrack[samples - 1],
                backtrack[samples - 1] > 0.3);
    spReportRow(r, "mean height at rest, rows", "m", "", rows[samples - 1],
                fabs(rows[samples - 1] - backtrack[samples - 1]) < 0.02);
    spPlotSeries series[2] = {{"backtracking", times, backtrack, samples, sp_plotLine},
                              {"rows", times, rows, samples, sp_plotDashed}};
    spPlotDef plot = spMakePlot("A lattice falls on the ground", "time [s]", "mean height [m]", series, 2);
    spSaveFigure(r, "backtracking.svg", &plot);
    const spColumn columns[] = {{"time [s]", times}, {"backtracking [m]", backtrack}, {"rows [m]", rows}};
    spSaveColumns(r, "backtracking.csv", columns, 3, samples);
}

// ---- cost ----

// Processor time of some steps, s
static double spTimeBatch(spTestWorld* test, int steps)
{
    double start = spGetProcessorClock();
    for (int i = 0; test->world != NULL && i < steps; ++i)
    {
        spWorld_Step(test->world, (spReal)5e-4);
    }
    return spGetProcessorClock() - start;
}

// Microseconds of processor time for one Runge-Kutta step of each body: the best of many short batches, after a
// while on the ground. Bodies take turns, so that what else the machine does weighs on all of them.
static void spTimeSteps(spReproduction* r, spTestWorld* tests, int count, double* us)
{
    const double warmUp = 0.2, batchSeconds = 5e-4;
    const int rounds = 300;
    int batch[3];
    for (int k = 0; k < count; ++k)
    {
        us[k] = tests[k].world != NULL ? INFINITY : NAN;
        if (tests[k].world == NULL)
        {
            spReportFailure(r, "cost", &tests[k].error);
            continue;
        }
        spAddTestGround(tests[k].world, (spReal)0.5, (spReal)0.3);
        double spent = 0.0, last = 0.0;
        while (spent < warmUp)
        {
            last = spTimeBatch(tests + k, 8) / 8;
            spent += 8 * last;
        }
        batch[k] = (int)fmax(1.0, batchSeconds / last);
    }
    for (int i = 0; i < rounds; ++i)
    {
        for (int k = 0; k < count; ++k)
        {
            us[k] =
                tests[k].world != NULL ? fmin(us[k], 1e6 * spTimeBatch(tests + k, batch[k]) / batch[k]) : NAN;
        }
    }
    for (int k = 0; k < count; ++k)
    {
        spDestroyTestWorld(tests + k);
    }
}

static void spReproduceCost2(spReproduction* r)
{
    enum
    {
        count = 5
    };
    static const int sizes[count] = {5, 8, 16, 32, 64};
    static const double refTwo[count] = {1.0, 1.7, 3.4, 6.8, 13.8},
                        refOne[count] = {2.9, 3.3, 10.0, 21.0, 42.0};
    double n[count], lattice[count], two[count], one[count];
    spTestDef def = spMakeSlidesDef(sp_rungeKutta4, sp_contactRows);
    spStartPart(r, "Lattice of n x n masses against a gas-filled ring of the same height, Runge-Kutta 4");
    for (int i = 0; i < count; ++i)
    {
        int points = (int)(3.14159265 * (sizes[i] - 1) + 0.5);
        spReal diameter = (spReal)(0.1 * (sizes[i] - 1));
        n[i] = sizes[i];
        double us[3];
        spTestWorld tests[3] = {spBuildLattice(&def, sizes[i], 400, (spReal)0.05, (spReal)0.2),
                                spBuildGasDisc(&def, points, 2, diameter, (spReal)0.2),
                                spBuildGasDisc(&def, points, 1, diameter, (spReal)0.2)};
        spTimeSteps(r, tests, 3, us);
        lattice[i] = us[0];
        two[i] = us[1];
        one[i] = us[2];
        char quantity[80], published[40];
        snprintf(quantity, sizeof(quantity), "n = %d: lattice %.1f us, two layers %.1f us: ratio", sizes[i],
                 lattice[i], two[i]);
        snprintf(published, sizeof(published), "m n to m + n, ref %.1f", refTwo[i]);
        // Five times is asked for at n = 32. The vectorised lattice costs less per spring than in the
        // reference, so that our ratios are smaller
        spReportRow(r, quantity, "x", published, lattice[i] / two[i],
                    sizes[i] == 32 ? lattice[i] / two[i] >= 5.0 : sp_notJudged);
        snprintf(quantity, sizeof(quantity), "n = %d: one layer %.1f us: ratio", sizes[i], one[i]);
        snprintf(published, sizeof(published), "ref %.1f", refOne[i]);
        spReportRow(r, quantity, "x", published, lattice[i] / one[i],
                    sizes[i] >= 32 ? lattice[i] / one[i] >= 5.0 : sp_notJudged);
    }
    spPlotSeries series[3] = {{"lattice", n, lattice, count, sp_plotLine},
                              {"gas, two layers", n, two, count, sp_plotLine},
                              {"gas, one layer", n, one, count, sp_plotLine}};
    spPlotDef plot = spMakePlot("Cost of one Runge-Kutta step in 2D", "masses across [-]",
                                "time for one step [us]", series, 3);
    plot.xLog = true;
    plot.yLog = true;
    spSaveFigure(r, "cost_2d.svg", &plot);
    const spColumn columns[] = {
        {"n", n}, {"lattice [us]", lattice}, {"two layers [us]", two}, {"one layer [us]", one}};
    spSaveColumns(r, "cost_2d.csv", columns, 4, count);

    // Frames per 0.40 s, as the slides counted them
    spReportRow(r, "frames computed in 0.40 s, lattice 8 x 8", "frames", "number lost", 0.4e6 / lattice[1],
                sp_notJudged);
    spReportRow(r, "frames computed in 0.40 s, disc of the same height", "frames", "more", 0.4e6 / one[1],
                one[1] < lattice[1]);
    spReportRow(r, "frames computed in 0.40 s, lattice 32 x 32", "frames", "number lost", 0.4e6 / lattice[3],
                sp_notJudged);
    spReportRow(r, "frames computed in 0.40 s, disc of the same height", "frames", "more", 0.4e6 / one[3],
                one[3] < lattice[3]);
}

static void spReproduceCost3(spReproduction* r)
{
    enum
    {
        count = 5
    };
    static const int sizes[count] = {4, 8, 11, 21, 41}, levels[count] = {1, 2, 2, 3, 4};
    static const double ref[count] = {0.6, 1.2, 3.4, 8.8, 18.0};
    double n[count], lattice[count], ball[count];
    spTestDef def = spMakeSlidesDef(sp_rungeKutta4, sp_contactRows);
    spStartPart(r, "Lattice of n^3 masses against a two-layer icosphere of the same height");
    for (int i = 0; i < count; ++i)
    {
        n[i] = sizes[i];
        spReal diameter = (spReal)(0.1 * (sizes[i] - 1));
        double us[2];
        spTestWorld tests[2] = {spBuildLattice3(&def, sizes[i], (spReal)0.1, (spReal)0.2),
                                spBuildGasBall(&def, levels[i], 2, diameter, (spReal)0.2)};
        spTimeSteps(r, tests, 2, us);
        lattice[i] = us[0];
        ball[i] = us[1];
        char quantity[96], published[40];
        snprintf(quantity, sizeof(quantity), "n = %d: lattice %.0f us, icosphere level %d %.0f us: ratio",
                 sizes[i], lattice[i], levels[i], ball[i]);
        snprintf(published, sizeof(published), "n^3 to n^2, ref %.1f", ref[i]);
        spReportRow(r, quantity, "x", published, lattice[i] / ball[i],
                    sizes[i] >= 21 ? lattice[i] / ball[i] > 3.0 : sp_notJudged);
    }
    const spColumn columns[] = {{"n", n}, {"lattice [us]", lattice}, {"icosphere [us]", ball}};
    spSaveColumns(r, "cost_3d.csv", columns, 3, count);
}

// The disc and the lattice of the same height fall together
static void spReproduceDrop(spReproduction* r)
{
    enum
    {
        samples = 600
    };
    static double times[samples], lattice[samples], disc[samples], ball[samples];
    double* heights[3] = {lattice, disc, ball};
    double start = 0.0, least[3] = {1.0, 1.0, 1.0};
    spStartPart(r, "Lattice, gas disc and gas icosphere of 0.7 m fall 0.2 m");
    for (int k = 0; k < 3; ++k)
    {
        spTestDef def = spMakeSlidesDef(sp_rungeKutta4, sp_contactRows);
        def.method.substeps = 0;
        spTestWorld test = k == 0   ? spBuildLattice(&def, 8, 400, (spReal)0.2, (spReal)0.2)
                           : k == 1 ? spBuildGasDisc(&def, 22, 2, (spReal)0.7, (spReal)0.2)
                                    : spBuildGasBall(&def, 2, 2, (spReal)0.7, (spReal)0.2);
        if (test.world == NULL)
        {
            spReportFailure(r, "drop", &test.error);
            return;
        }
        spAddTestGround(test.world, (spReal)0.3, (spReal)0.3);
        start = spBody_GetVolume(test.world, test.body);
        for (int i = 0; i < samples; ++i)
        {
            spWorld_Step(test.world, (spReal)5e-3);
            times[i] = spWorld_GetTime(test.world);
            heights[k][i] = spGetMeanHeight(&test);
            least[k] = k > 0 ? fmin(least[k], spBody_GetVolume(test.world, test.body) / start) : 1.0;
        }
        spDestroyTestWorld(&test);
    }
    spReportRow(r, "disc: smallest area over the first", "x", "keeps its shape", least[1], least[1] > 0.5);
    spReportRow(r, "icosphere: smallest volume over the first", "x", "keeps its shape", least[2],
                least[2] > 0.5);
    spPlotSeries series[3] = {{"lattice", times, lattice, samples, sp_plotLine},
                              {"gas disc", times, disc, samples, sp_plotLine},
                              {"gas icosphere", times, ball, samples, sp_plotLine}};
    spPlotDef plot =
        spMakePlot("Bodies of equal height fall 0.2 m", "time [s]", "mean height [m]", series, 3);
    spSaveFigure(r, "drop.svg", &plot);
    const spColumn columns[] = {
        {"time [s]", times}, {"lattice [m]", lattice}, {"disc [m]", disc}, {"icosphere [m]", ball}};
    spSaveColumns(r, "drop.csv", columns, 4, samples);
}

void spReproduceSlides(spReproduction* r)
{
    spReproduceIntegrators(r);
    spReproducePerturbation(r);
    spReproduceMagneticGround(r);
    spReproduceBacktracking(r);
    spReproduceCost2(r);
    spReproduceCost3(r);
    spReproduceDrop(r);
}
