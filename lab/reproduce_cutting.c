// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Cuts in Courtecuisse's thesis, part 2 (section 5.3.3, its examples of section 6.3), and how they are done here.
//
//   age     a factor made before the cut serves the body that is being cut: iterations over the tets that have changed
//   drift   the thesis keeps the inverse of the rest matrix and corrects it in every cut (dense_inverse.h): how far it
//           gets from the true one; beside it a body that was cut as often and one that was made so
//   rates   bodies of the sizes of its liver resections, carved or cut in every step

#include "bench.h"
#include "bench_contact_scenes.h"
#include "cli/tools.h"
#include "dense_inverse.h"
#include "reproduce.h"
#include "souple/edit.h"
#include "testbed/random.h"
#include "testbed/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_CUT_DT (1.0 / 60.0)

static const bool s_isDouble = sizeof(spReal) == sizeof(double);

// ---- bodies ----

typedef struct spCutBodyDef
{
    int cells[3];
    double size[3]; // m
    double youngModulus;
    int nodeRoom;
    spSolverDef solver;
} spCutBodyDef;

static spMesh* spMakeCutMesh(const spCutBodyDef* def, spError* error)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    memcpy(box.cells, def->cells, sizeof(box.cells));
    box.origin = (spDVec3){0.0, 0.0, 0.0};
    box.size = (spDVec3){def->size[0], def->size[1], def->size[2]};
    return spMakeBoxMesh(&box, error);
}

static bool spIsHeld(spDVec3 rest)
{
    return rest.x < 1e-6;
}

// Adds a body of a mesh to a world, by backward Euler, and holds what lies at x = 0
static bool spAddCutBody(spTestWorld* test, const spMesh* mesh, const spCutBodyDef* def)
{
    spBodyDef body = spDefaultBodyDef();
    body.mesh = mesh;
    body.nodeRoom = def->nodeRoom;
    body.method.type = sp_backwardEuler;
    body.method.solver = def->solver;
    test->body = spCreateBody(test->world, &body);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)def->youngModulus;
    bool ok = SP_IS_NULL(test->body) == false;
    test->tets = ok ? spBody_AddTets(test->world, test->body, &tets) : -1;
    ok = test->tets >= 0;
    const spDVec3* rest = spMesh_GetVertices(mesh);
    for (int32_t i = 0; ok && i < spMesh_GetVertexCount(mesh); ++i)
    {
        ok = spIsHeld(rest[i]) == false || spBody_PinNodes(test->world, test->body, &i, 1);
    }
    if (ok == false)
    {
        test->error = spWorld_GetLastError(test->world);
    }
    return ok;
}

static bool spMakeCutWorld(spReproduction* r, spTestWorld* test, const spMesh* mesh, const spCutBodyDef* def)
{
    *test = (spTestWorld){.springs = -1, .tets = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    test->world = mesh != NULL ? spCreateWorld(&worldDef, &test->error) : NULL;
    if (test->world == NULL || spAddCutBody(test, mesh, def) == false)
    {
        spReportFailure(r, "body", &test->error);
        spDestroyTestWorld(test);
        test->world = NULL;
    }
    return test->world != NULL;
}

static spSolverReport spGetCutReport(const spTestWorld* test)
{
    return spBody_GetSolverReport(test->world, test->body);
}

// ---- age ----

#define SP_AGE_STEPS 36

typedef struct spAgeRun
{
    double tets[SP_AGE_STEPS];  // that have other nodes than when the factor was made
    double steps[SP_AGE_STEPS]; // since then
    double iterations[SP_AGE_STEPS];
    int64_t factors; // that were taken in use while it was cut
} spAgeRun;

// Nodes of all tets, which keep their order as none goes
static int32_t* spCopyCutTets(const spTestWorld* test, int* count)
{
    *count = spBody_CopyTets(test->world, test->body, test->tets, NULL, 0);
    *count = spBody_GetElementCount(test->world, test->body);
    int32_t* tets = calloc(4 * (size_t)spMaxInt(*count, 1), sizeof(int32_t));
    if (tets != NULL)
    {
        *count = spBody_CopyTets(test->world, test->body, test->tets, tets, *count);
    }
    return tets;
}

typedef struct spAgeDef
{
    spPreconditionerType preconditioner;
    int steps;          // that the blade takes
    double deep, width; // of the cut, from an edge, m
} spAgeDef;

// A bar is cut in its middle, from above, a little in every step
static bool spRunAge(spReproduction* r, const spAgeDef* age, spAgeRun* run)
{
    *run = (spAgeRun){0};
    spCutBodyDef def = {.cells = {10, 5, 5}, .size = {0.5, 0.25, 0.25}, .youngModulus = 1e6, .nodeRoom = 100};
    def.solver = spDefaultMethodDef().solver;
    def.solver.preconditioner = age->preconditioner;
    def.solver.tolerance = (spReal)1e-3;
    def.solver.asynchronous = true;
    def.solver.refresh = 1000000;
    def.solver.age = 1000;
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spMakeCutMesh(&def, &error);
    spTestWorld test;
    bool ok = spMakeCutWorld(r, &test, mesh, &def);
    // It hangs as it will before a factor is made
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_backwardEuler;
    method.solver = def.solver;
    for (int i = 0; ok && i < 60; ++i)
    {
        ok = i != 59 || spBody_SetMethod(test.world, test.body, &method);
        spWorld_Step(test.world, (spReal)SP_CUT_DT);
    }
    int count = 0;
    int32_t* before = ok ? spCopyCutTets(&test, &count) : NULL;
    int64_t factor = ok ? spGetCutReport(&test).factorStep : 0;
    ok = ok && before != NULL;
    for (int i = 0; ok && i < age->steps; ++i)
    {
        double high = 0.26 - age->deep * i / age->steps, low = 0.26 - age->deep * (i + 1) / age->steps;
        spReal x = (spReal)0.25, z = (spReal)age->width;
        spBlade blade = {.begin = {{x, (spReal)high, -1}, {x, (spReal)high, z}},
                         .end = {{x, (spReal)low, -1}, {x, (spReal)low, z}},
                         .follows = i > 0};
        ok = spBody_Cut(test.world, test.body, &blade, NULL);
        test.error = spWorld_GetLastError(test.world);
        spWorld_Step(test.world, (spReal)SP_CUT_DT);
        int32_t* now = ok ? spCopyCutTets(&test, &count) : NULL;
        for (int k = 0; now != NULL && k < count; ++k)
        {
            run->tets[i] += memcmp(now + 4 * k, before + 4 * k, 4 * sizeof(int32_t)) != 0;
        }
        free(now);
        spSolverReport report = spGetCutReport(&test);
        run->steps[i] = i + 1;
        run->iterations[i] = report.iterations;
        run->factors += report.factorStep != factor;
        factor = report.factorStep;
    }
    if (test.world != NULL && ok == false)
    {
        spReportFailure(r, "cut", &test.error);
    }
    spDestroyTestWorld(&test);
    spDestroyMesh(mesh);
    free(before);
    return ok;
}

// The whole cut in one step, so that the factor is no older than that
static bool spReportSingleCuts(spReproduction* r)
{
    static const double sizes[4][2] = {
        {0.07, 0.12}, {0.12, 0.17}, {0.17, 0.22}, {0.28, 1.0}}; // deep and wide, m
    bool ok = true;
    for (int i = 0; ok && i < 4; ++i)
    {
        const spAgeDef age = {sp_preconditionCholesky, 1, sizes[i][0], sizes[i][1]};
        spAgeRun run;
        ok = spRunAge(r, &age, &run);
        if (ok)
        {
            char quantity[96];
            bool severed = i == 3, fits = severed ? run.tets[0] >= 150.0 : run.tets[0] <= 100.0;
            snprintf(quantity, sizeof(quantity), "one cut, %.0f tets: iterations of the next step",
                     run.tets[0]);
            spReportTarget(r, quantity, "", severed ? "at most 28" : "at most 12", run.iterations[0],
                           fits && run.factors == 0 && run.iterations[0] <= (severed ? 28.0 : 12.0));
        }
    }
    return ok;
}

static void spReproduceCutAge(spReproduction* r)
{
    static spAgeRun runs[2];
    const spAgeDef kept = {sp_preconditionCholesky, SP_AGE_STEPS, 0.28, 1.0},
                   none = {sp_preconditionBlockJacobi, SP_AGE_STEPS, 0.28, 1.0};
    spStartPart(r, "Age: a factor from before the cut, bar of 1500 tets, residual 1e-3");
    if (spReportSingleCuts(r) == false || spRunAge(r, &kept, runs) == false ||
        spRunAge(r, &none, runs + 1) == false)
    {
        return;
    }
    double most = 0.0, all = 0.0, without = 0.0, cut = runs[0].tets[SP_AGE_STEPS - 1];
    for (int i = 0; i < SP_AGE_STEPS; ++i)
    {
        // Sixty tets: up to the first step that has so many
        most = i == 0 || runs[0].tets[i - 1] < 60.0 ? fmax(most, runs[0].iterations[i]) : most;
        all = fmax(all, runs[0].iterations[i]);
        without += runs[1].iterations[i] / SP_AGE_STEPS;
    }
    spReportRow(r, "a blade in 36 steps: tets that have other nodes then", "", "", cut, sp_notJudged);
    spReportTarget(r, "   factors taken in use meanwhile", "", "0", (double)runs[0].factors,
                   cut >= 60.0 && runs[0].factors == 0);
    spReportTarget(r, "   iterations until 60 tets are cut, most", "", "at most 12", most, most <= 12.0);
    spReportTarget(r, "   iterations until it is cut through, most", "", "at most 28", all, all <= 28.0);
    spReportRow(r, "   by block Jacobi, mean", "", "", without, sp_notJudged);
    const spPlotSeries series[2] = {
        {"factor from before the cut", runs[0].tets, runs[0].iterations, SP_AGE_STEPS, sp_plotLine},
        {"block Jacobi", runs[1].tets, runs[1].iterations, SP_AGE_STEPS, sp_plotDashed}};
    spPlotDef plot = spMakePlot("A factor outlives a cut", "tets cut since it was made",
                                "conjugate gradients in the step", series, 2);
    plot.yLog = true;
    spSaveBestFigure(r, "age", &plot);
    const spColumn columns[4] = {{"age [steps]", runs[0].steps},
                                 {"tets cut", runs[0].tets},
                                 {"iterations", runs[0].iterations},
                                 {"block Jacobi: iterations", runs[1].iterations}};
    spSaveColumns(r, "age.csv", columns, 4, SP_AGE_STEPS);
}

// ---- the updated inverse ----

// A body of linear tets at rest, as the thesis keeps it: M / h^2 + K
typedef struct spRestMatrix
{
    int nodeCount, tetCount, freeCount;
    spDVec3* rest;
    int32_t* tets;
    uint8_t* gone;   // tets
    int32_t* places; // of each node among the rows, in threes; -1: held
    double* masses;  // kg
} spRestMatrix;

#define SP_REST_MU 3.6e5     // Pa
#define SP_REST_LAMBDA 1.4e6 // Pa
#define SP_REST_DENSITY 1000.0

static spDVec3 spMinus(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static spDVec3 spCross(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double spDot(spDVec3 a, spDVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Six times the volume and the gradients of the four shape functions
static double spFindGradients(const spRestMatrix* m, int tet, spDVec3 gradients[4])
{
    const int32_t* nodes = m->tets + 4 * (size_t)tet;
    spDVec3 e[3];
    for (int k = 0; k < 3; ++k)
    {
        e[k] = spMinus(m->rest[nodes[k + 1]], m->rest[nodes[0]]);
    }
    double det = spDot(e[0], spCross(e[1], e[2]));
    gradients[0] = (spDVec3){0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        spDVec3 c = spCross(e[(k + 1) % 3], e[(k + 2) % 3]);
        gradients[k + 1] = (spDVec3){c.x / det, c.y / det, c.z / det};
        gradients[0] = spMinus(gradients[0], gradients[k + 1]);
    }
    return fabs(det);
}

// Block of the stiffness of a tet between its corners a and b, times `factor`, added to nine numbers of a matrix
static void spAddRestBlock(const spRestMatrix* m, int tet, int a, int b, double factor, double* out,
                           int stride)
{
    spDVec3 gradients[4];
    double volume = spFindGradients(m, tet, gradients) / 6.0;
    const double *p = &gradients[a].x, *q = &gradients[b].x;
    double dot = spDot(gradients[a], gradients[b]);
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            double value =
                SP_REST_LAMBDA * p[i] * q[j] + SP_REST_MU * q[i] * p[j] + (i == j ? SP_REST_MU * dot : 0.0);
            out[i * stride + j] += factor * volume * value;
        }
    }
}

static void spDestroyRestMatrix(spRestMatrix* m)
{
    free(m->rest);
    free(m->tets);
    free(m->gone);
    free(m->places);
    free(m->masses);
}

static bool spCreateRestMatrix(spRestMatrix* m, const spMesh* mesh, int room)
{
    int nodes = spMesh_GetVertexCount(mesh), tets = spMesh_GetTetCount(mesh);
    *m = (spRestMatrix){.nodeCount = nodes, .tetCount = tets};
    m->rest = calloc((size_t)(nodes + room), sizeof(spDVec3));
    m->tets = calloc(4 * (size_t)tets, sizeof(int32_t));
    m->gone = calloc((size_t)tets, 1);
    m->places = calloc((size_t)(nodes + room), sizeof(int32_t));
    m->masses = calloc((size_t)(nodes + room), sizeof(double));
    if (m->rest == NULL || m->tets == NULL || m->gone == NULL || m->places == NULL || m->masses == NULL)
    {
        return false;
    }
    memcpy(m->rest, spMesh_GetVertices(mesh), (size_t)nodes * sizeof(spDVec3));
    memcpy(m->tets, spMesh_GetTets(mesh), 4 * (size_t)tets * sizeof(int32_t));
    for (int i = 0; i < nodes; ++i)
    {
        m->places[i] = spIsHeld(m->rest[i]) ? -1 : m->freeCount;
        m->freeCount += m->places[i] >= 0;
    }
    for (int i = 0; i < 4 * tets; ++i)
    {
        spDVec3 gradients[4];
        m->masses[m->tets[i]] += SP_REST_DENSITY * spFindGradients(m, i / 4, gradients) / 24.0;
    }
    return true;
}

static bool spCreateRestInverse(const spRestMatrix* m, int room, spDenseInverse* inverse)
{
    if (spCreateDenseInverse(inverse, 3 * (m->freeCount + room)) == false)
    {
        return false;
    }
    int stride = inverse->room;
    inverse->count = 3 * m->freeCount;
    for (int i = 0; i < m->nodeCount; ++i)
    {
        for (int k = 0; k < 3 && m->places[i] >= 0; ++k)
        {
            inverse->rows[(size_t)(3 * m->places[i] + k) * (size_t)(stride + 1)] =
                m->masses[i] / (SP_CUT_DT * SP_CUT_DT);
        }
    }
    for (int i = 0; i < 16 * m->tetCount; ++i)
    {
        const int32_t* nodes = m->tets + 4 * (size_t)(i / 16);
        int a = m->places[nodes[i / 4 % 4]], b = m->places[nodes[i % 4]];
        if (m->gone[i / 16] == 0 && a >= 0 && b >= 0)
        {
            spAddRestBlock(m, i / 16, i / 4 % 4, i % 4, 1.0,
                           inverse->rows + (size_t)(3 * a) * (size_t)stride + 3 * b, stride);
        }
    }
    return spInvertInPlace(inverse->rows, inverse->count, stride);
}

// What an edit touches: nodes that are free, and three rows for each
#define SP_MOST_TOUCHED 128

typedef struct spTouched
{
    int nodeCount;
    int nodes[SP_MOST_TOUCHED];
    int rows[3 * SP_MOST_TOUCHED];
    double* correction; // of the matrix there (9 nodeCount^2), with room for the most
} spTouched;

// Place of a node among those touched; -1: held
static int spTouch(spTouched* t, const spRestMatrix* m, int node)
{
    int place = 0;
    while (place < t->nodeCount && t->nodes[place] != node)
    {
        place += 1;
    }
    if (m->places[node] < 0)
    {
        return -1;
    }
    if (place == t->nodeCount)
    {
        for (int k = 0; k < 3; ++k)
        {
            t->rows[3 * place + k] = 3 * m->places[node] + k;
        }
        t->nodes[t->nodeCount++] = node;
    }
    return place;
}

static void spTouchTets(spTouched* t, const spRestMatrix* m, const int* tets, int count)
{
    t->nodeCount = 0;
    for (int i = 0; i < 4 * count; ++i)
    {
        spTouch(t, m, m->tets[4 * tets[i / 4] + i % 4]);
    }
    memset(t->correction, 0, 9 * (size_t)t->nodeCount * (size_t)t->nodeCount * sizeof(double));
}

// Takes tets away in one correction. Masses stay, as in the thesis.
static bool spRemoveRestTets(spRestMatrix* m, spTouched* t, spDenseInverse* inverse, const int* tets,
                             int count)
{
    spTouchTets(t, m, tets, count);
    int stride = 3 * t->nodeCount;
    for (int i = 0; i < 16 * count; ++i)
    {
        const int32_t* nodes = m->tets + 4 * (size_t)tets[i / 16];
        int a = spTouch(t, m, nodes[i / 4 % 4]), b = spTouch(t, m, nodes[i % 4]);
        m->gone[tets[i / 16]] = 1;
        if (a >= 0 && b >= 0)
        {
            spAddRestBlock(m, tets[i / 16], i / 4 % 4, i % 4, -1.0, t->correction + 3 * a * stride + 3 * b,
                           stride);
        }
    }
    return spCorrectInverse(inverse, t->rows, stride, t->correction);
}

static int spFindCorner(const spRestMatrix* m, int tet, int node)
{
    int corner = -1;
    for (int k = 0; k < 4; ++k)
    {
        corner = m->tets[4 * tet + k] == node ? k : corner;
    }
    return corner;
}

// Parts a node: these tets of it get a copy, and a share of its mass
static bool spPartRestNode(spRestMatrix* m, spTouched* t, spDenseInverse* inverse, int node, double share,
                           const int* tets, int count)
{
    spTouchTets(t, m, tets, count);
    int stride = 3 * t->nodeCount, own = spTouch(t, m, node), n = inverse->count;
    double inertia = share * m->masses[node] / (SP_CUT_DT * SP_CUT_DT), corner[9] = {0};
    double* across = calloc(3 * (size_t)n, sizeof(double));
    bool ok = across != NULL;
    for (int i = 0; ok && i < 4 * count; ++i)
    {
        int tet = tets[i / 4], a = spFindCorner(m, tet, node), b = i % 4;
        int other = spTouch(t, m, m->tets[4 * tet + b]);
        if (other == own)
        {
            spAddRestBlock(m, tet, a, a, 1.0, corner, 3);
            spAddRestBlock(m, tet, a, a, -1.0, t->correction + 3 * own * (stride + 1), stride);
        }
        else if (other >= 0)
        {
            spAddRestBlock(m, tet, a, b, -1.0, t->correction + 3 * own * stride + 3 * other, stride);
            spAddRestBlock(m, tet, b, a, -1.0, t->correction + 3 * other * stride + 3 * own, stride);
            spAddRestBlock(m, tet, a, b, 1.0, across + t->rows[3 * other], n);
        }
    }
    for (int k = 0; ok && k < 3; ++k)
    {
        t->correction[(3 * own + k) * (stride + 1)] -= inertia;
        corner[4 * k] += inertia;
    }
    ok = ok && spCorrectInverse(inverse, t->rows, stride, t->correction) &&
         spExtendInverse(inverse, across, corner, 3);
    free(across);
    int copy = m->nodeCount;
    m->rest[copy] = m->rest[node];
    m->masses[copy] = share * m->masses[node];
    m->masses[node] -= m->masses[copy];
    m->places[copy] = m->freeCount++;
    m->nodeCount += 1;
    for (int i = 0; i < count; ++i)
    {
        m->tets[4 * tets[i] + spFindCorner(m, tets[i], node)] = copy;
    }
    return ok;
}

// A cut at a random place: a tet goes, or the tets of a node on one side of a random plane through it get a copy of it.
// Returns 1 when something was cut, 0 when there was nothing to, -1 when the inverse was lost.
static int spCutRestMatrix(spRestMatrix* m, spTouched* t, spDenseInverse* inverse, bool removes,
                           uint64_t* seed)
{
    int tet = (int)(spNextRandom(seed) % (uint64_t)m->tetCount);
    if (removes)
    {
        return m->gone[tet] ? 0 : spRemoveRestTets(m, t, inverse, &tet, 1) ? 1 : -1;
    }
    int node = m->tets[4 * tet], tets[SP_MOST_TOUCHED / 4], count = 0;
    spDVec3 normal = {spRandomRange(seed, -1.0, 1.0), spRandomRange(seed, -1.0, 1.0),
                      spRandomRange(seed, -1.0, 1.0)};
    double whole = 0.0, part = 0.0;
    for (int i = 0; i < m->tetCount && count < SP_MOST_TOUCHED / 4; ++i)
    {
        if (m->gone[i] == 0 && spFindCorner(m, i, node) >= 0)
        {
            spDVec3 sum = {0, 0, 0}, gradients[4];
            for (int k = 0; k < 4; ++k)
            {
                spDVec3 d = spMinus(m->rest[m->tets[4 * i + k]], m->rest[node]);
                sum = (spDVec3){sum.x + d.x, sum.y + d.y, sum.z + d.z};
            }
            double volume = spFindGradients(m, i, gradients);
            bool beyond = spDot(sum, normal) > 0.0;
            whole += volume;
            part += beyond ? volume : 0.0;
            tets[count] = i;
            count += beyond;
        }
    }
    bool parts = m->places[node] >= 0 && part > 0.0 && part < whole && count < SP_MOST_TOUCHED / 4;
    return parts == false ? 0 : spPartRestNode(m, t, inverse, node, part / whole, tets, count) ? 1 : -1;
}

// Largest difference between the updated inverse and one made anew, over the largest number of that
static double spMeasureDrift(const spRestMatrix* m, const spDenseInverse* inverse)
{
    spDenseInverse fresh;
    double apart = 0.0, most = 0.0;
    bool ok = spCreateRestInverse(m, 0, &fresh) && fresh.count == inverse->count;
    for (int i = 0; ok && i < fresh.count; ++i)
    {
        for (int j = 0; j < fresh.count; ++j)
        {
            double a = fresh.rows[(size_t)i * (size_t)fresh.room + (size_t)j];
            apart = fmax(apart, fabs(a - inverse->rows[(size_t)i * (size_t)inverse->room + (size_t)j]));
            most = fmax(most, fabs(a));
        }
    }
    spDestroyDenseInverse(&fresh);
    return ok ? apart / most : NAN;
}

#define SP_DRIFT_CUTS 200
#define SP_DRIFT_MARKS 8

typedef enum spCutKind
{
    sp_cutRemoves,
    sp_cutParts,
    sp_cutBoth,
    sp_cutKindCount
} spCutKind;

// Cuts at random; after some of them the drift is measured
static bool spRunDrift(spReproduction* r, spCutKind kind, const int marks[SP_DRIFT_MARKS],
                       double drift[SP_DRIFT_MARKS])
{
    spCutBodyDef def = {.cells = {8, 4, 4}, .size = {0.5, 0.25, 0.25}};
    if (r->quick)
    {
        def.cells[0] = 5;
        def.cells[1] = def.cells[2] = 3;
    }
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spMakeCutMesh(&def, &error);
    spRestMatrix m = {0};
    spDenseInverse inverse = {0};
    spTouched touched = {.correction = calloc(9 * SP_MOST_TOUCHED * SP_MOST_TOUCHED, sizeof(double))};
    uint64_t seed = 20261119;
    bool ok = mesh != NULL && touched.correction != NULL && spCreateRestMatrix(&m, mesh, SP_DRIFT_CUTS) &&
              spCreateRestInverse(&m, SP_DRIFT_CUTS, &inverse);
    for (int cut = 0, mark = 0; ok && cut < SP_DRIFT_CUTS;)
    {
        bool removes = kind == sp_cutRemoves || (kind == sp_cutBoth && cut % 2 == 0);
        int done = spCutRestMatrix(&m, &touched, &inverse, removes, &seed);
        ok = done >= 0;
        cut += done > 0;
        if (ok && done > 0 && cut == marks[mark])
        {
            drift[mark++] = spMeasureDrift(&m, &inverse);
        }
    }
    if (ok == false)
    {
        error = mesh != NULL ? (spError){.message = "the updated inverse was lost"} : error;
        spReportFailure(r, "inverse", &error);
    }
    spDestroyDenseInverse(&inverse);
    spDestroyRestMatrix(&m);
    spDestroyMesh(mesh);
    free(touched.correction);
    return ok;
}

// One update for several tets at once, ms of the processor; NAN without memory
static double spTimeUpdate(const int cells[3], int tetCount, int* nodeCount)
{
    spCutBodyDef def = {.cells = {cells[0], cells[1], cells[2]}, .size = {0.5, 0.25, 0.25}};
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spMakeCutMesh(&def, &error);
    spRestMatrix m = {0};
    spDenseInverse inverse = {0};
    spTouched touched = {.correction = calloc(9 * SP_MOST_TOUCHED * SP_MOST_TOUCHED, sizeof(double))};
    double time = NAN;
    if (mesh != NULL && touched.correction != NULL && spCreateRestMatrix(&m, mesh, 0) &&
        spCreateRestInverse(&m, 0, &inverse))
    {
        int tets[SP_MOST_TOUCHED / 4];
        for (int i = 0; i < tetCount; ++i)
        {
            tets[i] = m.tetCount / 2 + i;
        }
        double start = spGetThreadClock();
        bool ok = spRemoveRestTets(&m, &touched, &inverse, tets, tetCount);
        time = ok ? 1e3 * (spGetThreadClock() - start) : NAN;
    }
    *nodeCount = m.freeCount;
    spDestroyDenseInverse(&inverse);
    spDestroyRestMatrix(&m);
    spDestroyMesh(mesh);
    free(touched.correction);
    return time;
}

// The mesh of what is left of a body that has not moved yet
static spMesh* spMakeLeftMesh(const spTestWorld* test, int32_t* numbers, spError* error)
{
    int count = 0, nodeCount = spBody_GetNodeCount(test->world, test->body), used = 0;
    int32_t* tets = spCopyCutTets(test, &count);
    spDVec3* vertices = calloc((size_t)nodeCount, sizeof(spDVec3));
    spVec3View x = spBody_GetPositions(test->world, test->body);
    spMesh* mesh = NULL;
    if (tets != NULL && vertices != NULL)
    {
        memset(numbers, -1, (size_t)nodeCount * sizeof(int32_t));
        for (int i = 0; i < 4 * count; ++i)
        {
            int node = tets[i];
            if (numbers[node] < 0)
            {
                vertices[used] =
                    (spDVec3){(double)x.data[node].x, (double)x.data[node].y, (double)x.data[node].z};
                numbers[node] = used++;
            }
            tets[i] = numbers[node];
        }
        spMeshDef def = spDefaultMeshDef();
        def.vertices = vertices;
        def.vertexCount = used;
        def.tets = tets;
        def.tetCount = count;
        mesh = spCreateMesh(&def, error);
    }
    free(tets);
    free(vertices);
    return mesh;
}

// A body that lost so many tets one by one, and one that was made so: how far apart they are after some steps, over how
// far they have come. NAN when one could not be built.
static double spCompareWithMade(spReproduction* r, int cuts)
{
    spCutBodyDef def = {.cells = {10, 5, 5}, .size = {0.5, 0.25, 0.25}, .youngModulus = 1e6, .nodeRoom = 400};
    def.solver = spDefaultMethodDef().solver;
    def.solver.tolerance = (spReal)(s_isDouble ? 1e-12 : 1e-6);
    spError error = SP_ZERO_INIT;
    spMesh *mesh = spMakeCutMesh(&def, &error), *left = NULL;
    spTestWorld cut, made = {0};
    uint64_t seed = 11;
    bool ok = spMakeCutWorld(r, &cut, mesh, &def);
    for (int i = 0; ok && i < cuts;)
    {
        int32_t tet = (int32_t)(spNextRandom(&seed) % (uint64_t)spMesh_GetTetCount(mesh));
        i += spBody_RemoveTets(cut.world, cut.body, &tet, 1, NULL); // false: it is gone already
    }
    int count = ok ? spBody_GetNodeCount(cut.world, cut.body) : 0;
    int32_t* numbers = calloc((size_t)spMaxInt(count, 1), sizeof(int32_t));
    left = ok && numbers != NULL ? spMakeLeftMesh(&cut, numbers, &error) : NULL;
    def.nodeRoom = 0;
    double apart = 0.0, most = 0.0;
    ok = left != NULL && spMakeCutWorld(r, &made, left, &def);
    for (int i = 0; ok && i < 4; ++i)
    {
        spWorld_Step(cut.world, (spReal)SP_CUT_DT);
        spWorld_Step(made.world, (spReal)SP_CUT_DT);
    }
    const spDVec3* rest = left != NULL ? spMesh_GetVertices(left) : NULL;
    for (int i = 0; ok && i < count; ++i)
    {
        if (numbers[i] >= 0)
        {
            spVec3 a = spBody_GetPositions(cut.world, cut.body).data[i],
                   b = spBody_GetPositions(made.world, made.body).data[numbers[i]];
            spDVec3 p = {(double)a.x, (double)a.y, (double)a.z}, q = {(double)b.x, (double)b.y, (double)b.z};
            spDVec3 d = spMinus(p, q), u = spMinus(q, rest[numbers[i]]);
            apart = fmax(apart, sqrt(spDot(d, d)));
            most = fmax(most, sqrt(spDot(u, u)));
        }
    }
    spDestroyTestWorld(&cut);
    spDestroyTestWorld(&made);
    spDestroyMesh(mesh);
    spDestroyMesh(left);
    free(numbers);
    return ok ? apart / most : NAN;
}

static void spReproduceDrift(spReproduction* r)
{
    static const int marks[SP_DRIFT_MARKS] = {1, 2, 5, 10, 20, 50, 100, 200};
    static const char* const names[sp_cutKindCount] = {"a tet goes", "a node parts", "one after the other"};
    double drift[sp_cutKindCount][SP_DRIFT_MARKS], cuts[SP_DRIFT_MARKS];
    spPlotSeries series[sp_cutKindCount];
    spColumn columns[1 + sp_cutKindCount] = {{"cuts", cuts}};
    spStartPart(r, "Drift: the inverse of the thesis, corrected in every cut, beside one made anew");
    for (int i = 0; i < SP_DRIFT_MARKS; ++i)
    {
        cuts[i] = marks[i];
    }
    for (int kind = 0; kind < sp_cutKindCount; ++kind)
    {
        char quantity[96];
        double* d = drift[kind];
        if (spRunDrift(r, (spCutKind)kind, marks, d) == false)
        {
            return;
        }
        snprintf(quantity, sizeof(quantity), "%s: difference after one cut", names[kind]);
        spReportTarget(r, quantity, "", "at most 1e-9", d[0], d[0] <= 1e-9);
        snprintf(quantity, sizeof(quantity), "%s: difference after 200 cuts", names[kind]);
        spReportRow(r, quantity, "", "accumulates", d[SP_DRIFT_MARKS - 1],
                    d[SP_DRIFT_MARKS - 1] > 2.0 * d[0]);
        series[kind] = (spPlotSeries){names[kind], cuts, d, SP_DRIFT_MARKS, sp_plotLine};
        columns[1 + kind] = (spColumn){names[kind], d};
    }
    double limit = s_isDouble ? 1e-9 : 1e-5, apart = spCompareWithMade(r, SP_DRIFT_CUTS);
    spReportTarget(r, "ours: a body that lost 200 tets beside one made so", "",
                   s_isDouble ? "at most 1e-9" : "rounding: 1e-5", apart, apart <= limit);
    spPlotDef plot = spMakePlot("An inverse that is corrected in every cut", "cuts",
                                "largest difference, relative", series, sp_cutKindCount);
    plot.yLog = true;
    spSaveBestFigure(r, "drift", &plot);
    spSaveColumns(r, "drift.csv", columns, 1 + sp_cutKindCount, SP_DRIFT_MARKS);
    // 750 free nodes
    static const int cells[3] = {20, 4, 6}, few[3] = {5, 4, 3};
    int nodes = 0;
    double time = spTimeUpdate(r->quick ? few : cells, 15, &nodes);
    char quantity[96];
    snprintf(quantity, sizeof(quantity), "inverse of %d nodes, 15 tets go: processor time", nodes);
    spReportRow(r, quantity, "ms", "1426 (CPU), 290 (GPU)", time, spInFull(r, time <= 289.5));
}

// ---- rates ----

typedef struct spRateCase
{
    const char* name;
    int cells[3], otherCells[3]; // of the body, and of one that it hangs on; 0: none
    bool carves;                 // else a blade cuts it
    const char* published;
    double rate;       // frames/s
    double iterations; // published; 0: none
} spRateCase;

static bool spAddOther(spTestWorld* test, const spCutBodyDef* like, const int cells[3])
{
    spCutBodyDef def = *like;
    memcpy(def.cells, cells, sizeof(def.cells));
    def.nodeRoom = 0;
    spTestWorld other = {.world = test->world};
    spMesh* mesh = spMakeCutMesh(&def, &test->error);
    bool ok = mesh != NULL && spAddCutBody(&other, mesh, &def);
    // The end of the cuttable part, which is not held, to the surface of the other one, which lies beyond
    spVec3View x = spBody_GetPositions(test->world, test->body);
    int32_t nodes[22];
    int count = 0;
    for (int32_t i = x.count - 1; i >= 0 && count < 22; --i)
    {
        nodes[count++] = i;
    }
    spLinkDef link = spDefaultLinkDef();
    link.body = test->body;
    link.nodes = nodes;
    link.nodeCount = count;
    link.otherBody = other.body;
    ok = ok && SP_IS_NULL(spCreateLink(test->world, &link)) == false;
    test->error = ok ? test->error : spWorld_GetLastError(test->world);
    spDestroyMesh(mesh);
    return ok;
}

typedef struct spRateRun
{
    spBenchTimes times;
    double slowest;    // ms
    double iterations; // mean
    int tets, nodes, gone, faces;
} spRateRun;

static bool spRunRate(spReproduction* r, const spRateCase* c, spRateRun* run)
{
    enum
    {
        most = 100
    };
    static double ms[most];
    int steps = r->quick ? 10 : most;
    *run = (spRateRun){0};
    spCutBodyDef def = {.cells = {c->cells[0], c->cells[1], c->cells[2]},
                        .size = {0.2, 0.1, 0.15},
                        .youngModulus = 1e4,
                        .nodeRoom = 1000};
    def.solver = spDefaultMethodDef().solver;
    def.solver.asynchronous = true;
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spMakeCutMesh(&def, &error);
    spTestWorld test;
    bool ok = spMakeCutWorld(r, &test, mesh, &def);
    run->tets = ok ? spMesh_GetTetCount(mesh) : 0;
    run->nodes = ok ? spMesh_GetVertexCount(mesh) : 0;
    if (ok && c->otherCells[0] > 0)
    {
        ok = spAddOther(&test, &def, c->otherCells);
    }
    for (int i = 0; ok && i < 10; ++i)
    {
        spWorld_Step(test.world, (spReal)SP_CUT_DT);
    }
    spVec3 middle = ok ? spBody_GetCenter(test.world, test.body) : (spVec3){0, 0, 0};
    for (int i = 0; ok && i < steps; ++i)
    {
        spEditResult result = {0};
        double start = spGetThreadClock(), from = (double)i / steps, to = (double)(i + 1) / steps;
        if (c->carves)
        {
            spColliderDef ball = spDefaultColliderDef();
            ball.shape = sp_shapeSphere;
            ball.radius = (spReal)0.012;
            ball.transform.position = (spVec3){middle.x, middle.y + (spReal)(0.05 - 0.03 * from),
                                               middle.z + (spReal)(0.15 * from - 0.075)};
            ok = spBody_Carve(test.world, test.body, &ball, &result);
        }
        else
        {
            spReal high = middle.y + (spReal)(0.07 - 0.14 * from),
                   low = middle.y + (spReal)(0.07 - 0.14 * to);
            spBlade blade = {.begin = {{middle.x, high, -1}, {middle.x, high, 1}},
                             .end = {{middle.x, low, -1}, {middle.x, low, 1}},
                             .follows = i > 0};
            ok = spBody_Cut(test.world, test.body, &blade, &result);
        }
        test.error = spWorld_GetLastError(test.world);
        spWorld_Step(test.world, (spReal)SP_CUT_DT);
        ms[i] = 1e3 * (spGetThreadClock() - start);
        run->slowest = fmax(run->slowest, ms[i]);
        run->gone += result.tetCount;
        run->faces += result.faceCount;
        run->iterations += (double)spGetCutReport(&test).iterations / steps;
    }
    if (ok)
    {
        run->times = spSummarizeTimes(ms, steps);
    }
    else if (test.world != NULL)
    {
        spReportFailure(r, c->name, &test.error);
    }
    spDestroyTestWorld(&test);
    spDestroyMesh(mesh);
    return ok;
}

static void spReproduceRates(spReproduction* r)
{
    static const spRateCase cases[] = {
        {"1000 tets, cut", {7, 5, 5}, {0}, false, "20 frames/s", 20.0, 0.0},
        {"4664 tets on 11251, carved", {11, 7, 10}, {13, 12, 12}, true, "about 15 frames/s", 15.0, 0.0},
        {"1999 tets, carved", {8, 6, 7}, {0}, true, "about 25 frames/s", 25.0, 5.82}};
    spStartPart(r, "Rates: boxes of the sizes of its livers, edited in every step, processor time");
    for (int i = 0; i < (int)(sizeof(cases) / sizeof(cases[0])); ++i)
    {
        const spRateCase* c = cases + i;
        char quantity[128];
        spRateRun run;
        if (spRunRate(r, c, &run) == false)
        {
            return;
        }
        double rate = 1e3 / run.times.median, least = 1e3 / run.slowest;
        snprintf(quantity, sizeof(quantity), "%s: rate of the median step", c->name);
        spReportRow(r, quantity, "frames/s", c->published, rate, spInFull(r, rate >= c->rate));
        snprintf(quantity, sizeof(quantity), "%s: rate of the slowest step", c->name);
        spReportRow(r, quantity, "frames/s", c->published, least, spInFull(r, least >= c->rate));
        snprintf(quantity, sizeof(quantity), "%s: %s", c->name,
                 c->carves ? "tets that went" : "faces opened");
        double edited = c->carves ? run.gone : run.faces;
        spReportTarget(r, quantity, "", "some", edited, edited > 0.0);
        if (c->iterations > 0.0)
        {
            snprintf(quantity, sizeof(quantity), "%s: iterations while edited, mean", c->name);
            spReportRow(r, quantity, "", "5.82, slightly more", run.iterations,
                        run.iterations <= 2.0 * c->iterations);
        }
    }
}

void spReproduceCutting(spReproduction* r)
{
    spReproduceCutAge(r);
    spReproduceDrift(r);
    spReproduceRates(r);
}
