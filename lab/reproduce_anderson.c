// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Boukadida. Acceleration de la simulation des corps mous pour les applications en temps reel. 2020, chapter
// 3: how fast sweeps of XPBD with strain rows converge, plain and accelerated. The thesis gives no time step,
// no start and no numbers behind its curves: `ref` marks sweeps that a plain reference program took from the
// start used here, in double and in the order of the mesh. Targets of the automatic solver are our own.
//
// The thesis counts sweeps until the dual residual has fallen. Multipliers alone can bring that to zero, so
// the distance to the true end of the step is counted too, and decides between solvers.

#include "reproduce_anderson.h"

#include "cli/tools.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_PART_COUNT 7

// Sweeps that may be more or fewer than those of the reference program, as a share
#define SP_REF_SHARE 0.15

// ---- one body and modulus ----

// All solvers from one start
typedef struct spBentCase
{
    const spBentBody* body;
    double young;                    // Pa
    double gain[sp_bentSolverCount]; // sweeps of plain over those of the solver, by the residual
    spSweepRun runs[sp_bentSolverCount];
} spBentCase;

static bool spMakeRooms(spBentCase* c, int cap)
{
    bool ok = true;
    *c = (spBentCase){0};
    for (int i = 0; i < sp_bentSolverCount; ++i)
    {
        c->runs[i].records = calloc((size_t)cap + 1, sizeof(spSweepRecord));
        c->runs[i].at = calloc((size_t)cap + 1, sizeof(double));
        ok = ok && c->runs[i].records != NULL && c->runs[i].at != NULL;
    }
    return ok;
}

static void spFreeRooms(spBentCase* c)
{
    for (int i = 0; i < sp_bentSolverCount; ++i)
    {
        free(c->runs[i].records);
        free(c->runs[i].at);
    }
}

// Where plain sweeps did not come below a tenth, what counts is where they ended
static void spFindGains(spBentCase* c)
{
    const spSweepRun* plain = c->runs + sp_bentPlain;
    int sweeps = plain->residualSweepsTo[0];
    double level = g_bentTargets[0];
    if (sweeps < 0)
    {
        sweeps = plain->count - 1;
        level = plain->finalResidual;
    }
    for (int i = 0; i < sp_bentSolverCount; ++i)
    {
        int ours = spFindResidual(c->runs + i, level);
        c->gain[i] = i == sp_bentPlain ? 1.0 : ours > 0 ? (double)sweeps / ours : (double)NAN;
    }
}

static json_t* spMakeTargets(const int* counts, const double* values)
{
    json_t* object = json_object();
    for (int k = 0; k < SP_TARGET_COUNT; ++k)
    {
        json_t* value = counts == NULL  ? spMakeJsonNumber(values[k])
                        : counts[k] < 0 ? json_null()
                                        : json_integer(counts[k]);
        json_object_set_new(object, g_bentTargetNames[k], value);
    }
    return object;
}

static void spAddRuns(spReproduction* r, const spBentCase* c)
{
    for (int i = 0; i < sp_bentSolverCount; ++i)
    {
        const spSweepRun* run = c->runs + i;
        json_t* object = json_object();
        json_object_set_new(object, "mesh", json_string(c->body->name));
        json_object_set_new(object, "tets", json_integer(c->body->tetCount));
        json_object_set_new(object, "youngModulus", json_real(c->young));
        json_object_set_new(object, "truth", json_string(c->body->end));
        json_object_set_new(object, "solver", json_string(g_bentSolverNames[i]));
        json_object_set_new(object, "sweepsTo", spMakeTargets(run->sweepsTo, NULL));
        json_object_set_new(object, "msTo", spMakeTargets(NULL, run->msTo));
        json_object_set_new(object, "residualSweepsTo", spMakeTargets(run->residualSweepsTo, NULL));
        json_object_set_new(object, "finalResidual", spMakeJsonNumber(run->finalResidual));
        json_object_set_new(object, "finalTrueError", spMakeJsonNumber(run->finalError));
        json_object_set_new(object, "msPerSweep", spMakeJsonNumber(run->msPerSweep));
        json_object_set_new(object, "diverged", json_boolean(run->diverged));
        json_object_set_new(object, "rejected", json_integer(run->rejected));
        if (i == sp_bentAuto)
        {
            json_t* budgets = json_array();
            for (int k = 1; k < run->count; ++k)
            {
                json_t* budget = json_object();
                json_object_set_new(budget, "iterations", json_integer((json_int_t)run->at[k]));
                json_object_set_new(budget, "trueError",
                                    spMakeJsonNumber(run->records[k].distance / run->records[0].distance));
                json_object_set_new(budget, "ms", spMakeJsonNumber(1e3 * run->records[k].seconds));
                json_array_append_new(budgets, budget);
            }
            json_object_set_new(object, "budgets", budgets);
        }
        json_array_append_new(r->runs, object);
    }
}

static void spFormatCount(char* text, size_t size, int count)
{
    snprintf(text, size, count < 0 ? "-" : "%d", count);
}

static void spFormatMs(char* text, size_t size, double ms)
{
    snprintf(text, size, isfinite(ms) ? "%.3g" : "-", ms);
}

static void spPrintCase(spReproduction* r, const spBentCase* c)
{
    char text[7][16];
    spReportNote(r, "%d tets, E = %.0e Pa. Newton's method for the true end: %s, %d linearisations.",
                 c->body->tetCount, c->young, c->body->end, c->body->newtonSteps);
    spReportNote(r, "%-14s %9s %7s %22s   %27s %9s", "", "sweeps to", "gain", "sweeps to true error",
                 "ms of a step to true error", "ms for a");
    spReportNote(r, "%-14s %9s %7s %7s %6s %7s   %9s %8s %8s %9s %10s %10s", "solver", "r/r0 0.1", "", "0.1",
                 "0.01", "0.001", "0.1", "0.01", "0.001", "sweep", "r/r0 at end", "true error");
    for (int i = 0; i < sp_bentSolverCount; ++i)
    {
        const spSweepRun* run = c->runs + i;
        if (run->done == false)
        {
            continue;
        }
        spFormatCount(text[0], sizeof(text[0]), run->residualSweepsTo[0]);
        for (int k = 0; k < SP_TARGET_COUNT; ++k)
        {
            spFormatCount(text[1 + k], sizeof(text[0]), run->sweepsTo[k]);
            spFormatMs(text[4 + k], sizeof(text[0]), run->msTo[k]);
        }
        spReportNote(r, "%-14s %9s %7.2f %7s %6s %7s   %9s %8s %8s %9.3g %10.2g %10.2g%s",
                     g_bentSolverNames[i], text[0], c->gain[i], text[1], text[2], text[3], text[4], text[5],
                     text[6], run->msPerSweep, run->finalResidual, run->finalError,
                     run->diverged ? "  diverged" : "");
    }
}

// ---- files ----

// Solvers in plots: those of the figures of the thesis, the corrected mixing and the automatic solver. Plain
// sweeps are drawn over what lies on top of them.
static const spBentSolver s_plotted[] = {sp_bentSor,     sp_bentLambdaSorFast, sp_bentChebyshev,
                                         sp_bentPrinted, sp_bentPrintedFast,   sp_bentAnderson5,
                                         sp_bentPlain,   sp_bentAuto};
#define SP_PLOTTED_COUNT ((int)(sizeof(s_plotted) / sizeof(s_plotted[0])))

// Curves of all solvers over sweeps, or of true errors over milliseconds
static void spPlotCase(spReproduction* r, const spBentCase* c, const char* stem, bool errors)
{
    spPlotSeries series[SP_PLOTTED_COUNT];
    double* values = calloc(2 * (size_t)SP_PLOTTED_COUNT * ((size_t)c->body->sweepCap + 1), sizeof(double));
    double* to = values;
    char title[160], file[60];
    if (values == NULL)
    {
        return;
    }
    for (int i = 0; i < SP_PLOTTED_COUNT; ++i)
    {
        const spSweepRun* run = c->runs + s_plotted[i];
        // Of the automatic solver there are no residuals
        int count = errors || s_plotted[i] != sp_bentAuto ? run->count : 0;
        for (int k = 0; k < count; ++k)
        {
            const spSweepRecord *record = run->records + k, *first = run->records;
            to[k] = errors ? 1e3 * record->seconds : run->at[k];
            to[count + k] = errors ? record->distance / first->distance : record->dual / first->dual;
        }
        series[i] = (spPlotSeries){g_bentSolverNames[s_plotted[i]], to, to + count, count,
                                   s_plotted[i] == sp_bentAuto    ? sp_plotMarked
                                   : s_plotted[i] == sp_bentPlain ? sp_plotDashed
                                                                  : sp_plotLine};
        to += 2 * count;
    }
    snprintf(title, sizeof(title), "%.80s, %d tets, E = %.0e Pa", c->body->name, c->body->tetCount, c->young);
    snprintf(file, sizeof(file), "%s_%s", errors ? "error" : "residual", stem);
    spPlotDef plot = spMakePlot(title, errors ? "milliseconds, one thread" : "sweep",
                                errors ? "distance to the true end over that of the start"
                                       : "dual residual over that of the start",
                                series, errors ? SP_PLOTTED_COUNT : SP_PLOTTED_COUNT - 1);
    plot.xLog = errors;
    plot.yLog = true;
    plot.yMin = errors ? 1e-4 : 1e-5;
    plot.yMax = errors ? 1e1 : 1e2;
    if (errors == false)
    {
        plot.xMin = 0.0;
        plot.xMax = fmin(c->body->sweepCap, 600.0);
    }
    spSaveBestFigure(r, file, &plot);
    free(values);
}

// Every sweep of every solver: columns of solvers that ended sooner are not a number from there on
static void spSaveSweeps(spReproduction* r, const spBentCase* c, const char* stem)
{
    enum
    {
        fieldCount = 5,
        columnCount = 1 + fieldCount * sp_bentAuto
    };
    static const char* const fields[fieldCount] = {"r/r0", "primal [kg m]", "energy [J]", "true error", "ms"};
    static char names[columnCount][48];
    char file[64];
    int rowCount = 0;
    for (int i = 0; i < sp_bentAuto; ++i)
    {
        rowCount = c->runs[i].count > rowCount ? c->runs[i].count : rowCount;
    }
    double* values = malloc((size_t)rowCount * columnCount * sizeof(double));
    spColumn columns[columnCount];
    for (int column = 0; column < columnCount && values != NULL; ++column)
    {
        const spSweepRun* run = column > 0 ? c->runs + (column - 1) / fieldCount : NULL;
        double* to = values + (size_t)column * (size_t)rowCount;
        snprintf(names[column], sizeof(names[column]), column == 0 ? "sweep" : "%s: %s",
                 g_bentSolverNames[(column - 1) / fieldCount],
                 fields[(column + fieldCount - 1) % fieldCount]);
        columns[column] = (spColumn){names[column], to};
        for (int k = 0; k < rowCount; ++k)
        {
            bool there = run != NULL && k < run->count;
            const spSweepRecord* record = there ? run->records + k : NULL;
            double cells[fieldCount] = {0};
            if (there)
            {
                cells[0] = record->dual / run->records[0].dual;
                cells[1] = record->primal;
                cells[2] = record->energy;
                cells[3] = record->distance / run->records[0].distance;
                cells[4] = 1e3 * record->seconds;
            }
            to[k] = column == 0 ? k : there ? cells[(column - 1) % fieldCount] : (double)NAN;
        }
    }
    if (values != NULL)
    {
        snprintf(file, sizeof(file), "sweeps_%s.csv", stem);
        spSaveColumns(r, file, columns, columnCount, rowCount);
    }
    free(values);
}

// ---- rows ----

// Sweeps of the reference program until a residual or a true error is below a target: plain, printed with 1
// and 10, corrected with a window of 5. Negative: not in so many. 0: not known.
typedef struct spRefRow
{
    int tets;
    double young;
    bool error;
    int target;
    int sweeps[4];
} spRefRow;

// clang-format off
static const spRefRow s_ref[] = {
    {460, 1e3, false, 0, {50, 38, 27, 27}},
    {460, 1e4, false, 0, {342, 179, 121, 85}},
    {460, 1e5, false, 0, {1400, -600, 465, 136}},
    {460, 1e6, false, 0, {494, 256, 257, 43}},
    {460, 1e7, false, 0, {502, 259, 373, 42}},
    {460, 1e9, false, 0, {508, 262, 419, 43}},
    {1395, 1e3, false, 0, {111, 64, 69, 46}},
    {1395, 1e4, false, 0, {746, 381, -400, 133}},
    {1395, 1e5, false, 0, {2637, -400, -400, 191}},
    {1395, 1e9, false, 0, {826, -400, -400, 57}},
    {3120, 1e3, false, 0, {196, 112, 139, 73}},
    {3120, 1e5, false, 0, {-2500, -400, -400, 278}},
    {3120, 1e6, false, 0, {1227, -400, -400, 77}},
    {3120, 1e9, false, 0, {1257, -400, -400, 72}},
    {460, 1e3, false, 2, {233, 146, 127, 76}},
    {460, 1e4, false, 2, {1761, 0, 0, 262}},
    {460, 1e3, true, 0, {25, 0, 0, 0}},
    {460, 1e4, true, 0, {98, 55, 49, 33}},
    {460, 1e5, true, 0, {290, 155, 180, 37}},
    {3120, 1e3, true, 0, {71, 0, 0, 0}},
    {3120, 1e5, true, 0, {911, 0, 0, 0}},
};
// clang-format on

static const spBentSolver s_refSolvers[4] = {sp_bentPlain, sp_bentPrinted, sp_bentPrintedFast,
                                             sp_bentAnderson5};

static void spReportRef(spReproduction* r, const spBentCase* c)
{
    for (size_t i = 0; i < sizeof(s_ref) / sizeof(s_ref[0]); ++i)
    {
        const spRefRow* row = s_ref + i;
        for (int k = 0; k < 4; ++k)
        {
            const spSweepRun* run = c->runs + s_refSolvers[k];
            int ref = row->sweeps[k];
            int sweeps = row->error ? run->sweepsTo[row->target] : run->residualSweepsTo[row->target];
            if (row->tets != c->body->tetCount || row->young != c->young || ref == 0)
            {
                continue;
            }
            char quantity[80], published[40];
            double ours = sweeps < 0 ? (double)NAN : sweeps;
            // More than were made is more than the reference program needs, or not
            bool agrees = ref < 0      ? sweeps < 0 || sweeps > -(1.0 - SP_REF_SHARE) * ref
                          : sweeps < 0 ? ref > (1.0 - SP_REF_SHARE) * c->body->sweepCap
                                       : fabs(ours / ref - 1.0) <= SP_REF_SHARE;
            snprintf(quantity, sizeof(quantity), "%d tets, %.0e Pa, %s: %s %s", c->body->tetCount, c->young,
                     g_bentSolverNames[s_refSolvers[k]], row->error ? "true error" : "r/r0",
                     g_bentTargetNames[row->target]);
            snprintf(published, sizeof(published), ref < 0 ? "ref > %d" : "ref %d", abs(ref));
            spReportRow(r, quantity, "", published, ours, spInFull(r, agrees));
        }
    }
}

// Times of the automatic solver and of plain sweeps to a true error of a tenth
static void spReportAuto(spReproduction* r, const spBentCase* c)
{
    char quantity[80], target[40];
    const spSweepRun *plain = c->runs + sp_bentPlain, *automatic = c->runs + sp_bentAuto;
    int sweeps = plain->sweepsTo[0];
    double ms = sweeps < 0 ? plain->capMs : plain->msTo[0], gain = ms / automatic->msTo[0];
    // Where plain sweeps do not get there, the gain is at least this much
    bool hard = sweeps < 0 || sweeps > 100;
    double least = hard ? 4.0 : sweeps >= 25 ? 2.0 : 1.0 / 1.1;
    snprintf(quantity, sizeof(quantity), "%d tets, %.0e Pa, plain %s%d sweeps: plain over auto",
             c->body->tetCount, c->young, sweeps < 0 ? "more than " : "",
             sweeps < 0 ? plain->capSweeps : sweeps);
    snprintf(target, sizeof(target), "at least %.2g x", least);
    spReportTarget(r, quantity, "x", target, gain, spInFull(r, gain >= least));
}

// Least and most over the moduli, without those that are not numbers
static void spFindRange(const double* values, int count, double* least, double* most)
{
    *least = *most = (double)NAN;
    for (int i = 0; i < count; ++i)
    {
        *least = fmin(*least, values[i]);
        *most = fmax(*most, values[i]);
    }
}

// Over all moduli of a body
typedef struct spBentSummary
{
    double gains[sp_bentSolverCount][SP_MODULUS_COUNT];
    int count;
    int divergedCount; // moduli at which lambda SOR with 10 diverged
    int worse; // moduli at which the corrected mixing had a larger residual than plain after 50 sweeps
} spBentSummary;

// What the thesis says in words
static void spReportClaims(spReproduction* r, const spBentBody* body, const spBentSummary* summary)
{
    static const struct
    {
        spBentSolver solver;
        const char* least;
        const char* most;
        double leastGain, mostGain;
    } claims[] = {
        {sp_bentSor, "1 x, on top of plain", "1 x", 0.8, 1.25},
        {sp_bentChebyshev, "slightly above 1 x", "", 1.0, INFINITY},
        {sp_bentPrinted, "3 x", "", 3.0, INFINITY},
        {sp_bentPrintedFast, "3 x", "5 x", 3.0, INFINITY},
        {sp_bentAnderson5, "3 x", "5 x", 3.0, INFINITY},
    };
    char quantity[100];
    int tetCount = body->tetCount, count = summary->count;
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); ++i)
    {
        double least, most;
        spFindRange(summary->gains[claims[i].solver], count, &least, &most);
        snprintf(quantity, sizeof(quantity), "%d tets, %s: gain in sweeps, least", tetCount,
                 g_bentSolverNames[claims[i].solver]);
        spReportRow(r, quantity, "x", claims[i].least, least,
                    spInFull(r, least >= claims[i].leastGain && least <= claims[i].mostGain));
        snprintf(quantity, sizeof(quantity), "%d tets, %s: gain in sweeps, most", tetCount,
                 g_bentSolverNames[claims[i].solver]);
        spReportRow(r, quantity, "x", claims[i].most, most,
                    spInFull(r, most >= claims[i].leastGain && most <= claims[i].mostGain));
    }
    char published[40];
    snprintf(published, sizeof(published), "all %d", count);
    snprintf(quantity, sizeof(quantity), "%d tets, lambdaSor 10: moduli at which it diverges", tetCount);
    spReportRow(r, quantity, "", published, summary->divergedCount, summary->divergedCount == count);
    snprintf(quantity, sizeof(quantity), "%d tets, anderson 5: moduli with a larger r after 50 sweeps",
             tetCount);
    spReportRow(r, quantity, "", "0", summary->worse, summary->worse == 0);
}

// ---- one body ----

typedef struct spBentTable
{
    double rows[SP_BENT_COUNT * SP_MODULUS_COUNT * sp_bentSolverCount][17];
    int count;
} spBentTable;

static void spAddTableRows(spBentTable* table, const spBentCase* c)
{
    for (int i = 0; i < sp_bentSolverCount; ++i)
    {
        const spSweepRun* run = c->runs + i;
        if (run->done == false)
        {
            continue;
        }
        double* row = table->rows[table->count];
        double values[17] = {c->body->tetCount, c->young, i};
        for (int k = 0; k < SP_TARGET_COUNT; ++k)
        {
            values[3 + k] = run->residualSweepsTo[k] < 0 ? (double)NAN : run->residualSweepsTo[k];
            values[6 + k] = run->sweepsTo[k] < 0 ? (double)NAN : run->sweepsTo[k];
            values[9 + k] = run->msTo[k];
        }
        values[12] = c->gain[i];
        values[13] = run->finalResidual;
        values[14] = run->finalError;
        values[15] = run->msPerSweep;
        values[16] = run->diverged;
        memcpy(row, values, sizeof(values));
        table->count += 1;
    }
}

static void spSaveTable(spReproduction* r, const spBentTable* table, const char* file)
{
    static const char* const names[17] = {
        "tets",
        "Young's modulus [Pa]",
        ("solver (0 plain 1 sor 1.5 2 lambda sor 1.5 3 lambda sor 10 4 chebyshev 5 printed 1 6 printed 10 "
         "7 anderson 2 8 anderson 5 9 anderson 10 10 auto)"),
        "sweeps to r/r0 0.1",
        "sweeps to r/r0 0.01",
        "sweeps to r/r0 0.001",
        "sweeps to true error 0.1",
        "sweeps to true error 0.01",
        "sweeps to true error 0.001",
        "to true error 0.1 [ms]",
        "to true error 0.01 [ms]",
        "to true error 0.001 [ms]",
        "gain in sweeps over plain",
        "r/r0 at the end",
        "true error at the end",
        "sweep [ms]",
        "diverged",
    };
    double* values = malloc(17 * (size_t)table->count * sizeof(double));
    spColumn columns[17];
    for (int c = 0; c < 17 && values != NULL; ++c)
    {
        double* to = values + (size_t)c * (size_t)table->count;
        columns[c] = (spColumn){names[c], to};
        for (int i = 0; i < table->count; ++i)
        {
            to[i] = table->rows[i][c];
        }
    }
    if (values != NULL)
    {
        spSaveColumns(r, file, columns, 17, table->count);
    }
    free(values);
}

static void spSummarize(spBentSummary* summary, const spBentCase* c)
{
    const spSweepRun *plain = c->runs + sp_bentPlain, *mixed = c->runs + sp_bentAnderson5;
    for (int i = 0; i < sp_bentSolverCount; ++i)
    {
        summary->gains[i][summary->count] = c->gain[i];
    }
    summary->count += 1;
    summary->divergedCount += c->runs[sp_bentLambdaSorFast].diverged ? 1 : 0;
    // Residuals that are rounding are all alike
    double rounding = (sizeof(spReal) == sizeof(double) ? 1e-10 : 1e-5) * plain->records[0].dual;
    bool there = plain->count > 50 && mixed->count > 50;
    summary->worse += there && mixed->records[50].dual > fmax(plain->records[50].dual, rounding) ? 1 : 0;
}

// What the body is beside what was published
static void spReportBody(spReproduction* r, const spBentBody* body, int index)
{
    static const char* const names[3] = {"nodes", "tets", "mass"};
    const spBentRow* row = g_bentRows + index;
    const double ours[3] = {body->nodeCount, body->tetCount, body->mass};
    const double theirs[3] = {row->nodeCount, row->tetCount, row->mass};
    for (int k = 0; k < 3; ++k)
    {
        char quantity[80], published[40];
        // Generated bodies stand for the animals by their number of tets alone
        spVerdict verdict = index < SP_BEAM_COUNT ? fabs(ours[k] - theirs[k]) <= (k == 2 ? 0.005 : 0.0)
                            : k == 1              ? spInFull(r, fabs(ours[k] / theirs[k] - 1.0) < 0.01)
                                                  : sp_notJudged;
        snprintf(quantity, sizeof(quantity), "%d tets: %s", body->tetCount, names[k]);
        snprintf(published, sizeof(published), "%g%s", theirs[k], k == 2 ? " g" : "");
        spReportRow(r, quantity, k == 2 ? "g" : "", published, ours[k], verdict);
    }
}

static bool spIsRefSolver(int solver)
{
    bool is = false;
    for (int k = 0; k < 4; ++k)
    {
        is = is || (int)s_refSolvers[k] == solver;
    }
    return is;
}

// All solvers at one modulus, or those of the reference program alone
static bool spRunCase(spReproduction* r, spBentBody* body, double young, bool refs, spBar* bar, double share,
                      double part, spBentCase* c)
{
    if (spMakeRooms(c, body->sweepCap) == false || spFindTruth(r, body, young) == false)
    {
        return false;
    }
    c->body = body;
    c->young = young;
    for (int i = 0; i < sp_bentSolverCount; ++i)
    {
        char text[80];
        if (refs && spIsRefSolver(i) == false)
        {
            continue;
        }
        snprintf(text, sizeof(text), "%d tets, %.0e Pa, %s, ", body->tetCount, young, g_bentSolverNames[i]);
        spShowBar(bar, share + part * i / sp_bentSolverCount, text);
        spRunBentSolver(r, body, (spBentSolver)i, c->runs + i);
    }
    spClearBar(bar);
    if (refs == false)
    {
        spFindGains(c);
    }
    return true;
}

static void spReportCase(spReproduction* r, const spBentCase* c)
{
    spPrintCase(r, c);
    spAddRuns(r, c);
    if (strcmp(c->body->end, "not converged") == 0)
    {
        char quantity[80];
        snprintf(quantity, sizeof(quantity), "%d tets, %.0e Pa: true end by Newton's method",
                 c->body->tetCount, c->young);
        spReportRow(r, quantity, "", "converged", (double)NAN, false);
    }
    if (c->young == 1e4 || c->young == 1e6)
    {
        char stem[40];
        snprintf(stem, sizeof(stem), "%d_%.0e", c->body->tetCount, c->young);
        spPlotCase(r, c, stem, false);
        spPlotCase(r, c, stem, true);
        spSaveSweeps(r, c, stem);
    }
}

// Begins a body: its heading, and what it is
static bool spStartBody(spReproduction* r, int index, spTetLaw law, spBentBody* body)
{
    char title[200];
    if (spBuildBentBody(r, index, law, 0.0, body) == false)
    {
        return false;
    }
    snprintf(title, sizeof(title), "%.120s: %d nodes, %d tets, %s", body->name, body->nodeCount,
             body->tetCount, law == sp_tetStVenantKirchhoff ? "Green strain" : "co-rotated strain");
    spStartPart(r, title);
    return true;
}

// Moduli of a body: Pa
static int spGetModuli(const spReproduction* r, double* moduli)
{
    static const double quick[2] = {1e3, 1e4};
    int count = r->quick ? 2 : SP_MODULUS_COUNT;
    memcpy(moduli, r->quick ? quick : g_bentModuli, (size_t)count * sizeof(double));
    return count;
}

// All moduli and solvers of one body
static void spRunBody(spReproduction* r, int index, spBentTable* table)
{
    spBentBody body;
    spBentCase cases[SP_MODULUS_COUNT] = {0};
    spBentSummary summary = {0};
    double moduli[SP_MODULUS_COUNT];
    int count = spGetModuli(r, moduli);
    if (spStartBody(r, index, sp_tetCorotational, &body) == false)
    {
        return;
    }
    if (index < SP_BEAM_COUNT || r->mesh == NULL)
    {
        spReportBody(r, &body, index);
    }
    spBar bar = spMakeBar("anderson", r->json == false);
    for (int i = 0; i < count; ++i)
    {
        if (spRunCase(r, &body, moduli[i], false, &bar, (double)i / count, 1.0 / count, cases + i) == false)
        {
            count = i;
            break;
        }
        spReportCase(r, cases + i);
        spAddTableRows(table, cases + i);
        spSummarize(&summary, cases + i);
    }
    spStartPart(r, "What the thesis says of its curves: sweeps of plain over those of the solver");
    spReportClaims(r, &body, &summary);
    spStartPart(r, "Milliseconds to a true error of 0.1, against targets of our own");
    for (int i = 0; i < count; ++i)
    {
        spReportAuto(r, cases + i);
    }
    for (int i = 0; i < SP_MODULUS_COUNT; ++i)
    {
        spFreeRooms(cases + i);
    }
    spDestroyBentBody(&body);
}

static void spRunBodies(spReproduction* r, int first, int end, const char* file)
{
    static spBentTable table;
    table.count = 0;
    for (int i = first; i < end; ++i)
    {
        spRunBody(r, i, &table);
    }
    spSaveTable(r, &table, file);
}

// The strain of the thesis, beside the reference program
static void spReproduceGreen(spReproduction* r)
{
    static spBentTable table;
    double moduli[SP_MODULUS_COUNT];
    int count = spGetModuli(r, moduli);
    table.count = 0;
    for (int index = 0; index < (r->quick ? 1 : SP_BEAM_COUNT); ++index)
    {
        spBentBody body;
        if (spStartBody(r, index, sp_tetStVenantKirchhoff, &body) == false)
        {
            return;
        }
        spBar bar = spMakeBar("anderson", r->json == false);
        for (int i = 0; i < count; ++i)
        {
            spBentCase c;
            if (spRunCase(r, &body, moduli[i], true, &bar, (double)i / count, 1.0 / count, &c))
            {
                spAddTableRows(&table, &c);
                spReportRef(r, &c);
            }
            spFreeRooms(&c);
        }
        spDestroyBentBody(&body);
    }
    spSaveTable(r, &table, "green.csv");
}

static void spReproduceBeams(spReproduction* r)
{
    spRunBodies(r, 0, r->quick ? 1 : SP_BEAM_COUNT, "beams.csv");
}

// A mesh of the user takes the place of both
static void spReproduceBodies(spReproduction* r)
{
    bool one = r->mesh != NULL || r->quick;
    spRunBodies(r, SP_BEAM_COUNT, one ? SP_BEAM_COUNT + 1 : SP_BENT_COUNT, "bodies.csv");
}

// ---- figure 3.10: what a sweep costs ----

static void spReproduceCost(spReproduction* r)
{
    enum
    {
        solverCount = 4,
        partCount = 5
    };
    static const spBentSolver solvers[solverCount] = {sp_bentPlain, sp_bentPrintedFast, sp_bentAnderson5,
                                                      sp_bentAnderson10};
    static const char* const parts[partCount] = {"sweep", "positions", "residual", "mixing", "all"};
    double columns[2 + partCount][SP_BENT_COUNT * solverCount];
    double tets[SP_BENT_COUNT], stacks[solverCount][partCount][SP_BENT_COUNT];
    int made = 0, bodyCount = 0, most = r->quick ? 1 : SP_BENT_COUNT;
    spStartPart(r, "What a sweep costs: 1e5 Pa, one thread, parts of figure 3.10");
    for (int index = 0; index < most; ++index)
    {
        spBentBody body;
        if (spBuildBentBody(r, index, sp_tetCorotational, 0.0, &body) == false)
        {
            return;
        }
        double plain = (double)NAN;
        bool ok = spFindTruth(r, &body, 1e5);
        tets[bodyCount] = body.tetCount;
        for (int i = 0; i < solverCount && ok; ++i)
        {
            spSweepCost cost = spTimeSweeps(r, &body, solvers[i], index < SP_BEAM_COUNT ? 50 : 20);
            const double ms[partCount] = {cost.sweep, cost.move, cost.measure, cost.mix, cost.total};
            const char* name = g_bentSolverNames[solvers[i]];
            plain = i == 0 ? cost.total : plain;
            double sum = 0.0, ratio = cost.total / plain;
            spReportNote(r,
                         "%6d tets, %-12s %9.4f ms: sweep %5.1f %%, positions %4.1f %%, residual %4.1f %%, "
                         "mixing %4.1f %%",
                         body.tetCount, name, cost.total, 100.0 * cost.sweep / cost.total,
                         100.0 * cost.move / cost.total, 100.0 * cost.measure / cost.total,
                         100.0 * cost.mix / cost.total);
            columns[0][made] = body.tetCount;
            columns[1][made] = solvers[i];
            for (int k = 0; k < partCount; ++k)
            {
                columns[2 + k][made] = ms[k];
                sum += ms[k];
                stacks[i][k][bodyCount] = sum / plain;
            }
            made += 1;
            char quantity[80];
            snprintf(quantity, sizeof(quantity), "%d tets, %s: sweep over a plain one", body.tetCount, name);
            if (solvers[i] == sp_bentPrintedFast)
            {
                spReportRow(r, quantity, "x", "about 2 x", ratio, spInFull(r, ratio <= 2.2));
            }
            else if (solvers[i] == sp_bentAnderson5)
            {
                spReportTarget(r, quantity, "x", "at most 1.9 x", ratio, spInFull(r, ratio <= 1.9));
            }
        }
        bodyCount += ok ? 1 : 0;
        spDestroyBentBody(&body);
    }
    const spColumn table[2 + partCount] = {
        {"tets", columns[0]},
        {"solver (0 plain 6 printed 10 8 anderson 5 9 anderson 10)", columns[1]},
        {"sweep [ms]", columns[2]},
        {"positions [ms]", columns[3]},
        {"residual [ms]", columns[4]},
        {"mixing [ms]", columns[5]},
        {"all [ms]", columns[6]}};
    spSaveColumns(r, "cost.csv", table, 2 + partCount, made);
    for (int i = 1; i <= 2; ++i)
    {
        spPlotSeries series[partCount - 1];
        char names[partCount - 1][48], title[120];
        for (int k = 0; k + 1 < partCount; ++k)
        {
            snprintf(names[k], sizeof(names[k]), "%s%s", k > 0 ? "and " : "", parts[k]);
            series[k] = (spPlotSeries){names[k], tets, stacks[i][k], bodyCount, sp_plotMarked};
        }
        snprintf(title, sizeof(title), "A sweep with '%s' over a plain one, its parts added up",
                 g_bentSolverNames[solvers[i]]);
        spPlotDef plot = spMakePlot(title, "tets", "time over that of a plain sweep", series, partCount - 1);
        plot.xLog = true;
        plot.yMin = 0.0;
        spSaveBestFigure(r, i == 1 ? "cost_printed" : "cost_anderson", &plot);
    }
}

// ---- all ----

void spReproduceAnderson(spReproduction* r)
{
    static const struct
    {
        const char* name;
        void (*run)(spReproduction* r);
    } parts[SP_PART_COUNT] = {
        {"beams", spReproduceBeams},     {"green", spReproduceGreen}, {"bodies", spReproduceBodies},
        {"cost", spReproduceCost},       {"sag", spReproduceSag},     {"settle", spReproduceSettle},
        {"poisson", spReproducePoisson},
    };
    for (int i = 0; i < SP_PART_COUNT; ++i)
    {
        if (r->part == NULL || strcmp(r->part, parts[i].name) == 0)
        {
            parts[i].run(r);
        }
    }
}
