// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The bodies of Boukadida 2020, chapter 3. The beams are the grids that have the printed numbers of
// particles and tets; a ball and a torus, stretched to the printed size, stand for the two animals. One end
// is held. The thesis does not say how its bodies were deformed: here by 10 % along x, bent as a parabola
// whose sections tilt with it, and twisted, at rest.

#include "reproduce_anderson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Of the length: how much bodies that are not beams are held by
#define SP_HELD_SHARE 0.05

// The start: stretch along x, deflection of the tip over the length, and turn of the tip, rad
#define SP_START_STRETCH 0.1
#define SP_START_BEND (0.03 / 0.115)
#define SP_START_TWIST 0.4

const double g_bentModuli[SP_MODULUS_COUNT] = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
const double g_bentTargets[SP_TARGET_COUNT] = {0.1, 0.01, 0.001};
const char* const g_bentTargetNames[SP_TARGET_COUNT] = {"0.1", "0.01", "0.001"};

// clang-format off
const spBentRow g_bentRows[SP_BENT_COUNT] = {
    {"beam", {23, 2, 2}, 0.005, {0}, 1000.0, 216, 460, 11.5, 2500},
    {"beam", {31, 3, 3}, 0.01 / 3.0, {0}, 1000.0, 512, 1395, 10.33, 2500},
    {"beam", {39, 4, 4}, 0.0025, {0}, 1000.0, 1000, 3120, 9.75, 2500},
    {"ball like the hippopotamus", {0}, 0.0, {0.173, 0.090, 0.058}, 1227.0, 2885, 10361, 350.0, 1000},
    {"torus like the armadillo", {0}, 0.0, {0.135, 0.086, 0.104}, 1027.0, 14779, 54855, 125.0, 300},
};
// clang-format on

// Stretches a mesh to a size
static bool spStretchMesh(spMesh* mesh, const double size[3], spError* error)
{
    spMeshReport report;
    spTransform identity = {{0, 0, 0}, {0, 0, 0, 1}};
    return spMesh_Validate(mesh, &report, error) &&
           spMesh_Transform(mesh,
                            (spDVec3){size[0] / (report.upper.x - report.lower.x),
                                      size[1] / (report.upper.y - report.lower.y),
                                      size[2] / (report.upper.z - report.lower.z)},
                            identity, error);
}

static spMesh* spMakeBentMesh(const spReproduction* r, int index, spError* error)
{
    const spBentRow* row = g_bentRows + index;
    if (index < SP_BEAM_COUNT)
    {
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.origin = (spDVec3){0.0, 0.0, 0.0};
        def.size = (spDVec3){row->cell * row->cells[0], row->cell * row->cells[1], row->cell * row->cells[2]};
        def.split = sp_fiveTets;
        for (int axis = 0; axis < 3; ++axis)
        {
            def.cells[axis] = row->cells[axis];
        }
        return spMakeBoxMesh(&def, error);
    }
    if (r->mesh != NULL)
    {
        return spLoadMesh(r->mesh, NULL, error);
    }
    // With these numbers there are 10368 and 54600 tets
    bool torus = index == SP_BENT_COUNT - 1;
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.radius = 0.29;
    def.tubeRadius = 0.1;
    def.resolution = torus ? 5 : 6;
    if (r->quick)
    {
        def.resolution = 2;
    }
    spMesh* mesh = torus ? spMakeTorusMesh(&def, error) : spMakeBallMesh(&def, error);
    if (mesh != NULL && spStretchMesh(mesh, row->size, error) == false)
    {
        spDestroyMesh(mesh);
        mesh = NULL;
    }
    return mesh;
}

// Holds the end with the smallest x, and deforms the rest
static bool spDeformBody(spBentBody* body, double heldShare)
{
    spVec3 lower = body->rest[0], upper = body->rest[0];
    for (int i = 0; i < body->nodeCount; ++i)
    {
        spVec3 x = body->rest[i];
        lower = (spVec3){fmin(lower.x, x.x), fmin(lower.y, x.y), fmin(lower.z, x.z)};
        upper = (spVec3){fmax(upper.x, x.x), fmax(upper.y, x.y), fmax(upper.z, x.z)};
    }
    double held = (double)lower.x + (heldShare + 1e-6) * (double)(upper.x - lower.x), begin = (double)lower.x;
    for (int32_t i = 0; i < body->nodeCount; ++i)
    {
        double x = (double)body->rest[i].x;
        if (x <= held)
        {
            begin = fmax(begin, x);
            body->heldCount += 1;
            if (spBody_PinNodes(body->test.world, body->test.body, &i, 1) == false)
            {
                return false;
            }
        }
    }
    body->length = (double)upper.x - begin;
    double middleY = 0.5 * (double)(lower.y + upper.y), middleZ = 0.5 * (double)(lower.z + upper.z);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        spVec3 x = body->rest[i];
        double along = fmax((double)x.x - begin, 0.0), share = along / body->length;
        double c = cos(SP_START_TWIST * share), s = sin(SP_START_TWIST * share);
        double y = (double)x.y - middleY, z = (double)x.z - middleZ;
        double up = c * y - s * z, side = s * y + c * z;
        // Sections tilt as the parabola rises
        double slope = 2.0 * SP_START_BEND * share, rise = SP_START_BEND * body->length * share * share;
        body->start[i] = (spVec3){(spReal)((double)x.x + SP_START_STRETCH * along - slope * up),
                                  (spReal)(middleY + up + rise), (spReal)(middleZ + side)};
    }
    return true;
}

static bool spAddBentBody(spBentBody* body, const spMesh* mesh, spTetLaw law, double density,
                          double heldShare)
{
    spTestWorld* test = &body->test;
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = (spReal)density;
    test->body = spCreateBody(test->world, &def);
    spTetDef tets = spDefaultTetDef();
    tets.law = law;
    tets.poissonRatio = (spReal)SP_BENT_POISSON;
    test->tets = SP_IS_NULL(test->body) ? -1 : spBody_AddTets(test->world, test->body, &tets);
    if (test->tets < 0)
    {
        return false;
    }
    body->nodeCount = spBody_GetNodeCount(test->world, test->body);
    body->tetCount = spBody_GetTetCount(test->world, test->body, test->tets);
    size_t size = (size_t)body->nodeCount * sizeof(spVec3);
    body->rest = malloc(size);
    body->start = malloc(size);
    body->truth = malloc(size);
    body->now = malloc(size);
    body->still = calloc(1, size);
    body->masses = malloc((size_t)body->nodeCount * sizeof(spReal));
    if (body->rest == NULL || body->start == NULL || body->truth == NULL || body->now == NULL ||
        body->still == NULL || body->masses == NULL)
    {
        return false;
    }
    spBody_CopyPositions(test->world, test->body, body->rest, body->nodeCount);
    spBody_CopyMasses(test->world, test->body, body->masses, body->nodeCount);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->mass += 1e3 * (double)body->masses[i];
    }
    return spDeformBody(body, heldShare);
}

void spDestroyBentBody(spBentBody* body)
{
    spDestroyTestWorld(&body->test);
    free(body->rest);
    free(body->start);
    free(body->truth);
    free(body->now);
    free(body->still);
    free(body->masses);
}

bool spBuildBentBody(spReproduction* r, int index, spTetLaw law, double gravity, spBentBody* body)
{
    const spBentRow* row = g_bentRows + index;
    bool own = r->mesh != NULL && index >= SP_BEAM_COUNT;
    *body = (spBentBody){.name = own ? r->mesh : row->name, .sweepCap = row->sweepCap};
    if (r->quick)
    {
        body->sweepCap = index < SP_BEAM_COUNT ? 600 : 60;
    }
    spError* error = &body->test.error;
    spMesh* mesh = spMakeBentMesh(r, index, error);
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, (spReal)-gravity, 0};
    worldDef.workerCount = 1;
    body->test.world = mesh != NULL ? spCreateWorld(&worldDef, error) : NULL;
    bool ok = body->test.world != NULL;
    if (ok && spMesh_GetTetCount(mesh) == 0)
    {
        snprintf(error->message, sizeof(error->message), "the mesh has no tets; name one that has");
        ok = false;
    }
    else if (ok && spAddBentBody(body, mesh, law, row->density,
                                 index < SP_BEAM_COUNT ? 0.0 : SP_HELD_SHARE) == false)
    {
        *error = spWorld_GetLastError(body->test.world);
        ok = false;
    }
    spDestroyMesh(mesh);
    if (ok == false)
    {
        spReportFailure(r, body->name, error);
        spDestroyBentBody(body);
    }
    return ok;
}

void spPlaceBody(const spBentBody* body, const spVec3* positions)
{
    spBody_SetPositions(body->test.world, body->test.body, positions, body->nodeCount);
    spBody_SetVelocities(body->test.world, body->test.body, body->still, body->nodeCount);
}

static double spGetDistance(const spBentBody* body, const spVec3* a, const spVec3* b)
{
    double sum = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double dx = (double)a[i].x - (double)b[i].x, dy = (double)a[i].y - (double)b[i].y,
               dz = (double)a[i].z - (double)b[i].z;
        sum += (double)body->masses[i] * (dx * dx + dy * dy + dz * dz);
    }
    return sqrt(sum);
}

double spGetTrueError(const spBentBody* body)
{
    spBody_CopyPositions(body->test.world, body->test.body, body->now, body->nodeCount);
    return spGetDistance(body, body->now, body->truth) / body->distance;
}

bool spSetBent(spReproduction* r, const spBentBody* body, double young, const spMethodDef* method)
{
    const spTestWorld* test = &body->test;
    if (spBody_SetTets(test->world, test->body, test->tets, (spReal)young, (spReal)SP_BENT_POISSON, 0) ==
            false ||
        spBody_SetMethod(test->world, test->body, method) == false)
    {
        spError error = spWorld_GetLastError(test->world);
        spReportFailure(r, body->name, &error);
        return false;
    }
    return true;
}

bool spFindTruth(spReproduction* r, spBentBody* body, double young)
{
    const spTestWorld* test = &body->test;
    bool fine = sizeof(spReal) == sizeof(double);
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_backwardEuler;
    method.solver.newtonSteps = 300;
    method.solver.newtonTolerance = fine ? (spReal)1e-10 : (spReal)1e-6;
    method.solver.tolerance = fine ? (spReal)1e-8 : (spReal)1e-4;
    method.solver.maxIterations = 10000;
    body->young = young;
    if (spSetBent(r, body, young, &method) == false)
    {
        return false;
    }
    spPlaceBody(body, body->start);
    spWorld_Step(test->world, (spReal)SP_BENT_DT);
    spSolverReport report = spBody_GetSolverReport(test->world, test->body);
    spBody_CopyPositions(test->world, test->body, body->truth, body->nodeCount);
    body->distance = spGetDistance(body, body->start, body->truth);
    body->newtonSteps = report.newtonSteps;
    body->end = report.rounded ? "rounded" : report.converged ? "converged" : "not converged";
    return true;
}
