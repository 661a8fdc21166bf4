// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whether stiffness means something: how far the beams hang once they have come to rest, over their
// equilibrium, for several time steps and for as many plain sweeps as users take. The thesis has no such
// table; that plain sweeps leave stiff bodies soft is its starting point.

#include "cli/tools.h"
#include "reproduce_anderson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_GRAVITY 9.81
#define SP_DRAG 5.0   // 1/s: swinging has died out at the end
#define SP_SETTLE 6.0 // s

#define SP_STEP_COUNT 3
static const double s_steps[SP_STEP_COUNT] = {1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0};

// 0 stands for the automatic solver
#define SP_BUDGET_COUNT 5
static const int s_budgets[SP_BUDGET_COUNT] = {0, 5, 10, 20, 50};

// Moduli of the table: 1e4 to 1e7 Pa of g_bentModuli
#define SP_FIRST_MODULUS 1
#define SP_SETTLE_MODULI 4

// Sweeps in whose time the automatic solver is to do it
static int spGetAutoBudget(int beam)
{
    return beam == SP_BEAM_COUNT - 1 ? 20 : 60;
}

// Gives the body a modulus and a method, at rest where it was built
static bool spPrepare(spReproduction* r, const spBentBody* body, double young, spBentSolver solver,
                      int iterations)
{
    spMethodDef method = spMakeBentMethod(solver, iterations);
    if (spSetBent(r, body, young, &method) == false)
    {
        return false;
    }
    spPlaceBody(body, body->rest);
    return true;
}

// Lets the body come to rest. Returns the median milliseconds of a step.
static double spSettleBody(const spBentBody* body, double dt, double seconds, double* times)
{
    int count = (int)(seconds / dt + 0.5);
    for (int i = 0; i < count; ++i)
    {
        double start = spGetSeconds();
        spWorld_Step(body->test.world, (spReal)dt);
        times[i] = spGetSeconds() - start;
    }
    spSortNumbers(times, count);
    return 1e3 * times[count / 2];
}

typedef struct spSettleTable
{
    double* columns[6]; // tets, modulus, step, sweeps, sag over equilibrium, ms
    int count;
    double* times; // of the steps of one run
} spSettleTable;

static void spAddEntry(spSettleTable* t, double tets, double young, double dt, double sweeps, double share,
                       double ms)
{
    const double entry[6] = {tets, young, dt, sweeps, share, ms};
    for (int k = 0; k < 6; ++k)
    {
        t->columns[k][t->count] = entry[k];
    }
    t->count += 1;
}

// One beam and modulus
static void spSettleCase(spReproduction* r, const spBentBody* body, int beam, double young, spSettleTable* t)
{
    spRelaxDef relax = spDefaultRelaxDef();
    spRelaxResult result = {0};
    char quantity[100], target[40];
    int budget = spGetAutoBudget(beam);
    if (spPrepare(r, body, young, sp_bentAuto, budget) == false ||
        spBody_Relax(body->test.world, body->test.body, &relax, &result) == false)
    {
        return;
    }
    double equilibrium = spGetDrop(body);
    if (result.converged == false)
    {
        spReportNote(r, "%d tets, %.0e Pa: no equilibrium found, net force over load %.2g", body->tetCount,
                     young, result.residual);
    }
    for (int d = r->quick ? 1 : 0; d < (r->quick ? 2 : SP_STEP_COUNT); ++d)
    {
        double sags[SP_BUDGET_COUNT] = {0}, autoMs = 0.0, sweepMs = 0.0;
        for (int b = 0; b < SP_BUDGET_COUNT; ++b)
        {
            bool whole = s_budgets[b] == 0;
            if (spPrepare(r, body, young, whole ? sp_bentAuto : sp_bentPlain,
                          whole ? budget : s_budgets[b]) == false)
            {
                return;
            }
            double ms = spSettleBody(body, s_steps[d], SP_SETTLE, t->times);
            sags[b] = spGetDrop(body) / equilibrium;
            autoMs = whole ? ms : autoMs;
            sweepMs = whole ? sweepMs : ms / s_budgets[b];
            spAddEntry(t, body->tetCount, young, s_steps[d], s_budgets[b], sags[b], ms);
        }
        snprintf(quantity, sizeof(quantity), "%d tets, %.0e Pa, 1/%.0f s: sag over equilibrium, auto",
                 body->tetCount, young, 1.0 / s_steps[d]);
        spReportTarget(r, quantity, "", "0.98 to 1.02", sags[0], fabs(sags[0] - 1.0) <= 0.02);
        snprintf(quantity, sizeof(quantity), "  time of a step, in plain sweeps");
        snprintf(target, sizeof(target), "at most %d", budget);
        spReportTarget(r, quantity, "", target, autoMs / sweepMs, spInFull(r, autoMs <= budget * sweepMs));
        spReportNote(r, "  plain sweeps: 5: %.2f, 10: %.2f, 20: %.2f, 50: %.2f", sags[1], sags[2], sags[3],
                     sags[4]);
    }
}

void spReproduceSettle(spReproduction* r)
{
    int beamCount = r->quick ? 1 : SP_BEAM_COUNT,
        most = SP_BEAM_COUNT * SP_SETTLE_MODULI * SP_STEP_COUNT * SP_BUDGET_COUNT;
    spSettleTable t = {.times =
                           calloc((size_t)(SP_SETTLE / s_steps[SP_STEP_COUNT - 1] + 2.0), sizeof(double))};
    bool ok = t.times != NULL;
    for (int k = 0; k < 6; ++k)
    {
        t.columns[k] = calloc((size_t)most, sizeof(double));
        ok = ok && t.columns[k] != NULL;
    }
    spStartPart(r, "Settled sag under gravity, over the equilibrium of the same material");
    spReportNote(r, "Drag of %g 1/s, %g s, medians of steps. One over the compliance counts, not the sweeps.",
                 SP_DRAG, SP_SETTLE);
    for (int beam = 0; beam < beamCount && ok; ++beam)
    {
        spBentBody body;
        if (spBuildBentBody(r, beam, sp_tetCorotational, SP_GRAVITY, &body) == false)
        {
            break;
        }
        spFieldDef drag = spDefaultFieldDef();
        drag.type = sp_fieldMassDrag;
        drag.coefficient = (spReal)SP_DRAG;
        if (spBody_AddField(body.test.world, body.test.body, &drag) >= 0)
        {
            int first = r->quick ? SP_FIRST_MODULUS + 1 : SP_FIRST_MODULUS;
            for (int i = first; i < (r->quick ? first + 1 : SP_FIRST_MODULUS + SP_SETTLE_MODULI); ++i)
            {
                spSettleCase(r, &body, beam, g_bentModuli[i], &t);
            }
        }
        spDestroyBentBody(&body);
    }
    if (ok)
    {
        const spColumn table[6] = {{"tets", t.columns[0]},
                                   {"Young's modulus [Pa]", t.columns[1]},
                                   {"time step [s]", t.columns[2]},
                                   {"plain sweeps, 0 for auto", t.columns[3]},
                                   {"sag over equilibrium", t.columns[4]},
                                   {"median step [ms]", t.columns[5]}};
        spSaveColumns(r, "settle.csv", table, 6, t.count);
    }
    for (int k = 0; k < 6; ++k)
    {
        free(t.columns[k]);
    }
    free(t.times);
}
