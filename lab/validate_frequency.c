// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Natural frequencies on finer and finer meshes, against theory.
//
// The lowest mode comes from inverse iteration through the public API: forces = omega^2 M x on the nodes,
// static equilibrium u of the linear law, then omega^2 = 2 energy / u.M u (Rayleigh's quotient) and x = u. It
// is a linear law, so that displacements may be as long as the body, which keeps them far from rounding.
//
// Linear tets are too stiff, above all in bending, and lumped masses make a frequency lower: both errors fall
// with the square of the size of the elements. So the order is what is judged, with what the finest meshes
// extrapolate to.

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/tools.h"
#include "validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SP_PI 3.14159265358979323846
#define SP_MAX_MESHES 4
#define SP_MAX_ROUNDS 30

// Rounds end when the square of the frequency settles to this
#define SP_SETTLED 1e-5

// The error of a frequency is the square of that of its mode, so that the equilibrium need not be perfect: in
// single precision it is right to 0.1 %
#ifdef SOUPLE_DOUBLE_PRECISION
#define SP_RESIDUAL 1e-6
#else
#define SP_RESIDUAL 1e-3
#endif

// A bar or beam along x from 0 to 1 m, clamped at 0
typedef struct spBeamDef
{
    const char* name;
    double height, width; // of the section, m
    int cells[3];         // of the coarsest mesh; each next one has twice as many
    int meshCount;
    bool axial;       // the mode along x instead of bending
    double reference; // frequency of the theory, Hz
    const char* theory;
    double limit;        // difference of what the finest meshes extrapolate to
    int meshForCalculix; // this mesh is also given to CalculiX; -1 for none
    double massLimit;    // difference to CalculiX there, which has consistent masses
} spBeamDef;

#define SP_BEAM_YOUNG 1e6
#define SP_BEAM_DENSITY 1000.0

// Keeps what is symmetric about both middle planes: the mode along x. Bending and torsion are slower and
// would win. Cells of five tets, an even number of them, are symmetric too.
static void spKeepSymmetric(const spSolid* solid, const int cells[3], spDVec3* x)
{
    int ny = cells[1] + 1, nz = cells[2] + 1;
    for (int i = 0; i < solid->problem.nodeCount; ++i)
    {
        int section = i / (ny * nz) * (ny * nz), j = i / nz % ny, k = i % nz;
        int mirrorY = section + (cells[1] - j) * nz + k, mirrorZ = section + j * nz + cells[2] - k;
        int both = section + (cells[1] - j) * nz + cells[2] - k;
        // Each group of four images is met first at its lowest node
        if (i <= mirrorY && i <= mirrorZ)
        {
            double meanX = 0.25 * (x[i].x + x[mirrorY].x + x[mirrorZ].x + x[both].x);
            double meanY = 0.25 * (x[i].y - x[mirrorY].y + x[mirrorZ].y - x[both].y);
            double meanZ = 0.25 * (x[i].z + x[mirrorY].z - x[mirrorZ].z - x[both].z);
            x[i] = (spDVec3){meanX, meanY, meanZ};
            x[mirrorY] = (spDVec3){meanX, -meanY, meanZ};
            x[mirrorZ] = (spDVec3){meanX, meanY, -meanZ};
            x[both] = (spDVec3){meanX, -meanY, -meanZ};
        }
    }
}

// Scales x to a largest displacement of 1 m
static void spScaleMode(const spSolid* solid, spDVec3* x)
{
    double largest = 0.0;
    for (int i = 0; i < solid->problem.nodeCount; ++i)
    {
        largest = fmax(largest, fmax(fabs(x[i].x), fmax(fabs(x[i].y), fabs(x[i].z))));
    }
    for (int i = 0; i < solid->problem.nodeCount; ++i)
    {
        x[i] = (spDVec3){x[i].x / largest, x[i].y / largest, x[i].z / largest};
    }
}

// The mode is in solid->u, before and after
static bool spIterateMode(spSolid* solid, const spBeamDef* def, const int cells[3], double* frequency,
                          spError* error)
{
    double square = 4.0 * SP_PI * SP_PI * def->reference * def->reference;
    bool settled = false;
    for (int round = 0; settled == false && round < SP_MAX_ROUNDS; ++round)
    {
        if (def->axial)
        {
            spKeepSymmetric(solid, cells, solid->u);
        }
        spScaleMode(solid, solid->u);
        for (int i = 0; i < solid->problem.nodeCount; ++i)
        {
            double factor = square * solid->mass[i];
            spDVec3 x = solid->u[i];
            spDVec3 force = {factor * x.x, factor * x.y, factor * x.z};
            if (spLoadNode(solid, i, force, error) == false)
            {
                return false;
            }
        }
        spRelaxResult result;
        if (spRelaxSolid(solid, SP_RESIDUAL, &result, error) == false)
        {
            return false;
        }
        double inertia = 0.0;
        for (int i = 0; i < solid->problem.nodeCount; ++i)
        {
            spDVec3 u = solid->u[i];
            inertia += solid->mass[i] * (u.x * u.x + u.y * u.y + u.z * u.z);
        }
        double next = 2.0 * spBody_GetEnergy(solid->world, solid->body).elastic / inertia;
        settled = fabs(next - square) < SP_SETTLED * next;
        square = next;
    }
    *frequency = sqrt(square) / (2.0 * SP_PI);
    if (settled == false)
    {
        *error = (spError){.code = sp_errorLimit, .message = "the frequency does not settle"};
    }
    return settled;
}

// The mesh of one level: its frequency, that of CalculiX where it is asked for
static bool spFindBeamFrequency(const spBeamDef* def, const spValidation* options, int level,
                                double* frequency, double* theirs, int* tetCount, spError* error)
{
    spBoxMeshDef boxDef = spDefaultBoxMeshDef();
    boxDef.origin = (spDVec3){0.0, -0.5 * def->height, -0.5 * def->width};
    boxDef.size = (spDVec3){1.0, def->height, def->width};
    for (int k = 0; k < 3; ++k)
    {
        boxDef.cells[k] = def->cells[k] << level;
    }
    boxDef.split = def->axial ? sp_fiveTets : sp_sixTets;
    spSolidDef solidDef = {sp_tetLinear, SP_BEAM_YOUNG, 0.0, SP_BEAM_DENSITY, {0.0, 0.0, 0.0}};
    spMesh* mesh = spMakeBoxMesh(&boxDef, error);
    spSolid solid = {0};
    bool good = mesh != NULL && spMakeSolid(&solid, mesh, &solidDef, error);
    for (int i = 0; good && i < solid.problem.nodeCount; ++i)
    {
        double x = solid.rest[i].x;
        solid.u[i] = def->axial ? (spDVec3){x, 0.0, 0.0} : (spDVec3){0.0, x * x, 0.0};
        if (x < 1e-6)
        {
            spHoldNode(&solid, i, (spDVec3){0.0, 0.0, 0.0});
        }
    }
    *tetCount = solid.problem.tetCount;
    good = good && spIterateMode(&solid, def, boxDef.cells, frequency, error);
    *theirs = NAN;
    if (good && level == def->meshForCalculix)
    {
        good = spFindFrequencyByCalculix(&solid.problem, options->folder, def->name, theirs, error);
    }
    spDestroySolid(&solid);
    spDestroyMesh(mesh);
    return good;
}

static json_t* spTellFrequency(spTable* table, const spBeamDef* def, const char* tets, double frequency,
                               double order, const char* note)
{
    char theory[80];
    snprintf(theory, sizeof(theory), "  theory: %s", def->theory);
    const spCell cells[] = {
        SP_TEXT_CELL("name", "frequency", -17, def->name),
        SP_TEXT_CELL(NULL, "tets", 7, tets),
        SP_NUMBER_CELL("frequency", "ours [Hz]", 12, "%.5f", frequency),
        SP_NUMBER_CELL("reference", "theory [Hz]", 12, "%.5f", def->reference),
        SP_NUMBER_CELL("difference", NULL, 0, "", frequency / def->reference - 1.0),
        SP_NUMBER_CELL(NULL, "difference", 12, "%+.3f %%", 100.0 * (frequency / def->reference - 1.0)),
        SP_NUMBER_CELL("order", "order", 8, "%.2f", order),
        SP_TEXT_CELL(NULL, theory, 0, note),
    };
    return spTellRow(table, cells, SP_CELL_COUNT(cells));
}

static void spDraftDifferences(const spValidation* options, const spBeamDef* def, const double* tets,
                               const double* differences)
{
    spPlotSeries series = {"ours", tets, differences, def->meshCount, sp_plotMarked};
    spPlotDef plot = spMakePlot(def->name, "tets", "difference from theory [%]", &series, 1);
    plot.xLog = true;
    plot.yLog = true;
    spDraftPlot(options->draft, &plot);
}

static void spReportMesh(spTable* table, const spBeamDef* def, json_t* rows, int tetCount, double frequency,
                         double theirs, double order)
{
    char tets[16], note[80] = "";
    snprintf(tets, sizeof(tets), "%d", tetCount);
    if (isnan(theirs) == false)
    {
        snprintf(note, sizeof(note), "  CalculiX, with consistent masses: %.5f Hz", theirs);
    }
    json_t* row = spTellFrequency(table, def, tets, frequency, order, note);
    json_object_set_new(row, "tets", json_integer(tetCount));
    json_object_set_new(row, "theirs", spMakeJsonNumber(theirs));
    json_array_append_new(rows, row);
}

static int spRunBeam(const spBeamDef* def, const spValidation* options, json_t* rows)
{
    double f[SP_MAX_MESHES], tets[SP_MAX_MESHES], differences[SP_MAX_MESHES], order = NAN;
    int count = def->meshCount;
    bool passed = true;
    spTable table = {.print = options->print, .draft = options->draft};
    char title[120];
    snprintf(title, sizeof(title), "%s against theory", def->name);
    spDraftPart(options->draft, title);
    spDraftText(
        options->draft,
        "Theory: %s. The order is that of three meshes, each with cells of half the size; \"to zero\" is "
        "what the last two lead to.",
        def->theory);
    fputs(options->print ? "\n" : "", stdout);
    for (int level = 0; level < count; ++level)
    {
        spError error = SP_ZERO_INIT;
        double theirs;
        int tetCount = 0;
        if (spFindBeamFrequency(def, options, level, f + level, &theirs, &tetCount, &error) == false)
        {
            return spFailUsage("%s: %s", def->name, error.message);
        }
        // From three meshes, each with cells of half the size: theory does not enter
        order = level >= 2 ? log2((f[level - 2] - f[level - 1]) / (f[level - 1] - f[level])) : NAN;
        spReportMesh(&table, def, rows, tetCount, f[level], theirs, order);
        passed = passed && (isnan(theirs) || fabs(f[level] / theirs - 1.0) <= def->massLimit);
        tets[level] = (double)tetCount;
        differences[level] = fabs(100.0 * (f[level] / def->reference - 1.0));
    }
    double limit = f[count - 1] + (f[count - 1] - f[count - 2]) / 3.0;
    double difference = limit / def->reference - 1.0;
    passed = passed && fabs(difference) <= def->limit && fabs(order - 2.0) <= 0.4;
    char note[80];
    snprintf(note, sizeof(note), "  limit %.1f %%, order 2 +- 0.4%s", 100.0 * def->limit,
             passed ? "" : "  MISSED");
    json_decref(spTellFrequency(&table, def, "to zero", limit, NAN, note));
    spDraftDifferences(options, def, tets, differences);
    return passed ? SP_EXIT_FINE : SP_EXIT_TROUBLE;
}

// ---- theory ----

// Left side of the frequency equation of a clamped and free beam of Timoshenko, at b = omega L^2 sqrt(rho A /
// (E I)); r^2 = I / (A L^2), s^2 = E I / (k A G L^2). Huang. The Effect of Rotatory Inertia and of Shear
// Deformation on the Frequency and Normal Mode Equations of Uniform Beams. 1961
static double spEvaluateTimoshenko(double b, double r2, double s2)
{
    double root = sqrt((r2 - s2) * (r2 - s2) + 4.0 / (b * b));
    double alpha = sqrt(0.5 * (root - r2 - s2)), beta = sqrt(0.5 * (root + r2 + s2));
    return 2.0 + (b * b * (r2 - s2) * (r2 - s2) + 2.0) * cosh(b * alpha) * cos(b * beta) -
           b * (r2 + s2) / sqrt(1.0 - b * b * r2 * s2) * sinh(b * alpha) * sin(b * beta);
}

// First bending frequency of a rectangular section, Poisson's ratio 0, Hz
static double spFindTimoshenko(double height)
{
    // Cowper's coefficient of a rectangle is 10 / 12 here, and E / G is 2
    double r2 = height * height / 12.0, s2 = r2 * 2.0 * 12.0 / 10.0;
    // Without shear and rotation it is 3.516
    double low = 1.0, high = 4.0;
    for (int i = 0; i < 60; ++i)
    {
        double middle = 0.5 * (low + high);
        bool below = spEvaluateTimoshenko(low, r2, s2) * spEvaluateTimoshenko(middle, r2, s2) > 0.0;
        low = below ? middle : low;
        high = below ? high : middle;
    }
    return low * sqrt(SP_BEAM_YOUNG / SP_BEAM_DENSITY * r2) / (2.0 * SP_PI);
}

// ---- cases ----

static int spRunBar(const spValidation* options, json_t* rows)
{
    spBeamDef def = {.name = "frequency-bar",
                     .height = 0.25,
                     .width = 0.25,
                     .cells = {4, 2, 2},
                     .meshCount = 4,
                     .axial = true,
                     .reference = 0.25 * sqrt(SP_BEAM_YOUNG / SP_BEAM_DENSITY),
                     .theory = "bar, sqrt(E / rho) / 4 L",
                     .limit = 2e-3,
                     .meshForCalculix = -1};
    return spRunBeam(&def, options, rows);
}

static int spRunBending(const spValidation* options, json_t* rows)
{
    spBeamDef def = {.name = "frequency-beam",
                     .height = 0.2,
                     .width = 0.3,
                     .cells = {5, 1, 1},
                     .meshCount = 4,
                     .reference = spFindTimoshenko(0.2),
                     .theory = "beam of Timoshenko",
                     .limit = 1e-2,
                     .meshForCalculix = 1,
                     .massLimit = 2e-2};
    return spRunBeam(&def, options, rows);
}

static const spRunCase s_cases[] = {
    {"frequency-bar", "first mode along a clamped bar, on finer and finer meshes", spRunBar},
    {"frequency-beam", "first bending mode of a clamped beam, on finer and finer meshes", spRunBending},
};

const spRunCase* spGetFrequencyCases(int* count)
{
    *count = (int)(sizeof(s_cases) / sizeof(s_cases[0]));
    return s_cases;
}
