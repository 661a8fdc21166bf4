// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What Young's modulus and Poisson's ratio do to the shape: figures 3.1 to 3.4 of Boukadida 2020. Bodies hang
// from one end in equilibrium under gravity; a bar that is pulled longer by 10 % gets thinner.

#include "cli/tools.h"
#include "reproduce_anderson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_SAG_COUNT 5

// Of one picture, pixels
#define SP_SAG_WIDTH 400
#define SP_SAG_HEIGHT 480

#define SP_GRAVITY 9.81

// ---- figures 3.1 to 3.3 ----

double spGetDrop(const spBentBody* body)
{
    double far = -INFINITY, drop = 0.0;
    int count = 0;
    spBody_CopyPositions(body->test.world, body->test.body, body->now, body->nodeCount);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        far = fmax(far, (double)body->rest[i].x);
    }
    for (int i = 0; i < body->nodeCount; ++i)
    {
        if ((double)body->rest[i].x > far - 1e-3 * body->length)
        {
            drop += (double)body->rest[i].y - (double)body->now[i].y;
            count += 1;
        }
    }
    return drop / count;
}

// Pictures of all frames side by side
static void spDrawSag(spReproduction* r, const char* recordingPath, const char* file)
{
    spError error = SP_ZERO_INIT;
    spRecording* recording = spLoadRecording(recordingPath, NULL, &error);
    size_t rowSize = 3 * (size_t)SP_SAG_WIDTH;
    uint8_t* one = malloc(rowSize * SP_SAG_HEIGHT);
    uint8_t* all = malloc(rowSize * SP_SAG_COUNT * SP_SAG_HEIGHT);
    bool ok = recording != NULL && one != NULL && all != NULL;
    spCamera camera = {0};
    if (ok)
    {
        camera = spFitCamera(recording, (double)SP_SAG_WIDTH / SP_SAG_HEIGHT);
    }
    for (int i = 0; i < SP_SAG_COUNT && ok; ++i)
    {
        char caption[40];
        snprintf(caption, sizeof(caption), "E = %.0e Pa", g_bentModuli[i]);
        spPictureDef def = spDefaultPictureDef();
        def.width = SP_SAG_WIDTH;
        def.height = SP_SAG_HEIGHT;
        def.camera = &camera;
        def.showEdges = true;
        def.caption = caption;
        // Frames go from the stiffest to the softest
        ok = spDrawPicture(recording, SP_SAG_COUNT - 1 - i, &def, one, &error);
        for (int y = 0; y < SP_SAG_HEIGHT && ok; ++y)
        {
            memcpy(all + ((size_t)y * SP_SAG_COUNT + (size_t)i) * rowSize, one + (size_t)y * rowSize,
                   rowSize);
        }
    }
    if (ok)
    {
        spSaveImage(r, file, all, SP_SAG_COUNT * SP_SAG_WIDTH, SP_SAG_HEIGHT);
    }
    else
    {
        spReportFailure(r, file, &error);
    }
    spDestroyRecording(recording);
    free(one);
    free(all);
}

// Every equilibrium is the start of that of the next softer body
static bool spSettleSags(spReproduction* r, const spBentBody* body, spRecorder* recorder, double* drops)
{
    const spTestWorld* test = &body->test;
    for (int i = SP_SAG_COUNT - 1; i >= 0; --i)
    {
        spRelaxDef def = spDefaultRelaxDef();
        spRelaxResult result = {0};
        if (spBody_SetTets(test->world, test->body, test->tets, (spReal)g_bentModuli[i],
                           (spReal)SP_BENT_POISSON, 0) == false ||
            spBody_Relax(test->world, test->body, &def, &result) == false ||
            spRecorder_AddFrame(recorder, test->world, NULL) == false)
        {
            spError error = spWorld_GetLastError(test->world);
            spReportFailure(r, body->name, &error);
            return false;
        }
        drops[i] = spGetDrop(body);
        if (result.converged == false)
        {
            spReportNote(r, "%d tets, %.0e Pa: no equilibrium found, net force over load %.2g",
                         body->tetCount, g_bentModuli[i], result.residual);
        }
    }
    return true;
}

static void spReportSag(spReproduction* r, const spBentBody* body, const double* drops, bool slender)
{
    char quantity[80], published[60];
    for (int i = 0; i < SP_SAG_COUNT; ++i)
    {
        snprintf(quantity, sizeof(quantity), "%d tets, %.0e Pa: the free end is lower by", body->tetCount,
                 g_bentModuli[i]);
        spReportRow(r, quantity, "mm", i == 0 ? "" : "less", 1e3 * drops[i],
                    i == 0 || drops[i] < drops[i - 1]);
    }
    if (slender)
    {
        // w L^4 / (8 E I), a square of side b: A / I = 12 / b^2
        double side = g_bentRows[0].cell * g_bentRows[0].cells[1];
        double theory = 12.0 * g_bentRows[0].density * SP_GRAVITY * pow(body->length, 4.0) /
                        (8.0 * g_bentModuli[SP_SAG_COUNT - 1] * side * side);
        double share = drops[SP_SAG_COUNT - 1] / theory;
        snprintf(quantity, sizeof(quantity), "%d tets, %.0e Pa: over the sag of a slender beam",
                 body->tetCount, g_bentModuli[SP_SAG_COUNT - 1]);
        snprintf(published, sizeof(published), "ref 0.66");
        spReportRow(r, quantity, "", published, share, share > 0.6 && share < 1.0);
    }
}

void spReproduceSag(spReproduction* r)
{
    static const int indices[3] = {0, SP_BEAM_COUNT, SP_BENT_COUNT - 1};
    double columns[3][3 * SP_SAG_COUNT];
    int made = 0, bodyCount = r->quick ? 1 : r->mesh != NULL ? 2 : 3;
    spStartPart(r, "Hanging under gravity: figures 3.1 to 3.3");
    spReportNote(
        r, "Neo-Hookean: where soft bodies are pressed together at the held end, the law of the thesis");
    spReportNote(r, "gives way. Equilibrium by spBody_Relax, from the stiffest to the softest.");
    for (int b = 0; b < bodyCount; ++b)
    {
        spBentBody body;
        spError error = SP_ZERO_INIT;
        char path[1024], file[64];
        double drops[SP_SAG_COUNT] = {0};
        if (spBuildBentBody(r, indices[b], sp_tetNeoHookean, SP_GRAVITY, &body) == false)
        {
            return;
        }
        snprintf(file, sizeof(file), "sag_%d.souple", body.tetCount);
        spRecorderDef def = spDefaultRecorderDef();
        def.path = path;
        spRecorder* recorder =
            spNameFile(r, path, sizeof(path), file) ? spCreateRecorder(body.test.world, &def, &error) : NULL;
        bool ok = recorder != NULL && spSettleSags(r, &body, recorder, drops);
        if (recorder == NULL || spCloseRecorder(recorder, &error) == false)
        {
            spReportFailure(r, file, &error);
            ok = false;
        }
        if (ok)
        {
            spReportSag(r, &body, drops, b == 0);
            snprintf(file, sizeof(file), "sag_%d.png", body.tetCount);
            spDrawSag(r, path, file);
            for (int i = 0; i < SP_SAG_COUNT; ++i)
            {
                columns[0][made] = body.tetCount;
                columns[1][made] = g_bentModuli[i];
                columns[2][made] = drops[i];
                made += 1;
            }
        }
        spDestroyBentBody(&body);
    }
    const spColumn table[3] = {
        {"tets", columns[0]}, {"Young's modulus [Pa]", columns[1]}, {"free end lower by [m]", columns[2]}};
    spSaveColumns(r, "sag.csv", table, 3, made);
}

// ---- figure 3.4 ----

// Five tets in each cell; the slices around the middle are far from both ends
#define SP_BAR_CELLS 24
#define SP_BAR_ACROSS 2
#define SP_BAR_CELL 0.005
#define SP_BAR_NODE_COUNT ((SP_BAR_CELLS + 1) * (SP_BAR_ACROSS + 1) * (SP_BAR_ACROSS + 1))
#define SP_BAR_STRETCH 1.1
#define SP_BAR_MODULUS 1e3 // Pa
#define SP_BAR_STEPS 200

static int spGetBarNode(int i, int j, int k)
{
    return (i * (SP_BAR_ACROSS + 1) + j) * (SP_BAR_ACROSS + 1) + k;
}

// Green strain of a length that has become `ratio` times as long
static double spGetGreenStrain(double ratio)
{
    return 0.5 * (ratio * ratio - 1.0);
}

// Thickness along y and z in the middle over that at rest, and length there
static void spMeasureBar(const spVec3* x, double* thickness, double* length)
{
    int middle = SP_BAR_CELLS / 2, n = SP_BAR_ACROSS;
    double across = 0.0, along = 0.0;
    for (int a = 0; a <= n; ++a)
    {
        across += (double)(x[spGetBarNode(middle, n, a)].y - x[spGetBarNode(middle, 0, a)].y);
        across += (double)(x[spGetBarNode(middle, a, n)].z - x[spGetBarNode(middle, a, 0)].z);
        for (int b = 0; b <= n; ++b)
        {
            along += (double)(x[spGetBarNode(middle + 2, a, b)].x - x[spGetBarNode(middle - 2, a, b)].x);
        }
    }
    *thickness = across / (2.0 * (n + 1) * n * SP_BAR_CELL);
    *length = along / ((n + 1.0) * (n + 1.0) * 4.0 * SP_BAR_CELL);
}

// Pulls a bar longer and lets it come to rest. What moves is stopped after every step. Substeps are short, so
// that little is left of the step when the multipliers, which begin at zero, have grown to what they should
// be.
static bool spSettleBar(spWorld* world, spBodyId body, double* thickness, double* length)
{
    spVec3 x[SP_BAR_NODE_COUNT], still[SP_BAR_NODE_COUNT] = {0};
    spBody_CopyPositions(world, body, x, SP_BAR_NODE_COUNT);
    for (int i = 0; i < SP_BAR_NODE_COUNT; ++i)
    {
        x[i].x *= (spReal)SP_BAR_STRETCH;
    }
    spBody_SetPositions(world, body, x, SP_BAR_NODE_COUNT);
    for (int32_t i = 0; i < spGetBarNode(1, 0, 0); ++i)
    {
        int32_t ends[2] = {i, SP_BAR_NODE_COUNT - 1 - i};
        if (spBody_PinNodes(world, body, ends, 2) == false)
        {
            return false;
        }
    }
    for (int step = 0; step < SP_BAR_STEPS; ++step)
    {
        spWorld_Step(world, (spReal)SP_BENT_DT);
        spBody_SetVelocities(world, body, still, SP_BAR_NODE_COUNT);
    }
    spBody_CopyPositions(world, body, x, SP_BAR_NODE_COUNT);
    spMeasureBar(x, thickness, length);
    return true;
}

// Returns false, with the reason reported, when the bar cannot be built
static bool spPullBar(spReproduction* r, double poisson, double* thickness, double* length)
{
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size =
        (spDVec3){SP_BAR_CELL * SP_BAR_CELLS, SP_BAR_CELL * SP_BAR_ACROSS, SP_BAR_CELL * SP_BAR_ACROSS};
    meshDef.cells[0] = SP_BAR_CELLS;
    meshDef.cells[1] = meshDef.cells[2] = SP_BAR_ACROSS;
    meshDef.split = sp_fiveTets;
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spMakeBoxMesh(&meshDef, &error);
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    spWorld* world = mesh != NULL ? spCreateWorld(&worldDef, &error) : NULL;
    bool ok = world != NULL;
    if (ok)
    {
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.mesh = mesh;
        bodyDef.method = spMakeBentMethod(sp_bentPlain, 10);
        bodyDef.method.substeps = 10;
        spBodyId body = spCreateBody(world, &bodyDef);
        spTetDef tets = spDefaultTetDef();
        tets.law = sp_tetStVenantKirchhoff;
        tets.youngModulus = (spReal)SP_BAR_MODULUS;
        tets.poissonRatio = (spReal)poisson;
        ok = SP_IS_NULL(body) == false && spBody_AddTets(world, body, &tets) >= 0 &&
             spSettleBar(world, body, thickness, length);
        error = spWorld_GetLastError(world);
    }
    if (ok == false)
    {
        spReportFailure(r, "bar", &error);
    }
    spDestroyWorld(world);
    spDestroyMesh(mesh);
    return ok;
}

void spReproducePoisson(spReproduction* r)
{
    enum
    {
        ratioCount = 7
    };
    static const double ratios[ratioCount] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.45, 0.49};
    const double* given = ratios + (r->quick ? ratioCount - 2 : 0);
    double ours[ratioCount], thinner[ratioCount];
    int count = r->quick ? 2 : ratioCount;
    spStartPart(r, "A bar pulled longer by 10 %: figure 3.4");
    spReportNote(r, "Both ends are clamped; the ratio is that of Green's strains in the middle.");
    for (int i = 0; i < count; ++i)
    {
        double thickness = 1.0, length = 1.0;
        if (spPullBar(r, given[i], &thickness, &length) == false)
        {
            return;
        }
        char quantity[80], published[40];
        ours[i] = -spGetGreenStrain(thickness) / spGetGreenStrain(length);
        thinner[i] = 100.0 * (1.0 - thickness);
        snprintf(quantity, sizeof(quantity), "Poisson's ratio %.2f: measured", given[i]);
        snprintf(published, sizeof(published), "%.2f", given[i]);
        spReportRow(r, quantity, "", published, ours[i], fabs(ours[i] - given[i]) < 0.01);
        snprintf(quantity, sizeof(quantity), "Poisson's ratio %.2f: thinner by", given[i]);
        spReportRow(r, quantity, "%", i == 0 ? "" : "more", thinner[i],
                    i == 0 || thinner[i] > thinner[i - 1]);
    }
    const spColumn table[3] = {{"Poisson's ratio", given}, {"measured", ours}, {"thinner by [%]", thinner}};
    spSaveColumns(r, "poisson.csv", table, 3, count);
    const spPlotSeries series[2] = {{"as given", given, given, count, sp_plotDashed},
                                    {"measured", given, ours, count, sp_plotPoints}};
    spPlotDef plot = spMakePlot("A bar pulled longer by 10 %, settled by XPBD", "Poisson's ratio",
                                "lateral over longitudinal strain in the middle", series, 2);
    spSaveBestFigure(r, "poisson", &plot);
}
