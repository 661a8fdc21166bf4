// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/debunne_cube.h"

#include <math.h>
#include <stdlib.h>

static const double cubeSide = 0.1; // m

// Joins the triangles of the surface of a grid to the centre of the cube
static spMesh* spMakeCone(const spMesh* grid, spError* error)
{
    spIndexList surface = {0};
    int count = spMesh_GetVertexCount(grid);
    if (spMesh_CollectBoundary(grid, &surface, error) == false)
    {
        return NULL;
    }
    int triangleCount = surface.count, used = 0;
    int32_t* numbers = calloc((size_t)count, sizeof(int32_t));
    spDVec3* vertices = calloc((size_t)count + 1, sizeof(spDVec3));
    int32_t* tets = calloc((size_t)triangleCount * 4, sizeof(int32_t));
    spMesh* mesh = NULL;
    if (numbers != NULL && vertices != NULL && tets != NULL)
    {
        for (int i = 0; i < 3 * triangleCount; ++i)
        {
            numbers[surface.data[i]] = 1;
        }
        for (int i = 0; i < count; ++i)
        {
            if (numbers[i] != 0)
            {
                numbers[i] = used;
                vertices[used++] = spMesh_GetVertices(grid)[i];
            }
        }
        vertices[used] = (spDVec3){0.5 * cubeSide, 0.5 * cubeSide, 0.5 * cubeSide};
        for (int t = 0; t < triangleCount; ++t)
        {
            const int32_t* v = surface.data + 3 * (size_t)t;
            int32_t* tet = tets + 4 * (size_t)t;
            tet[0] = numbers[v[0]];
            tet[1] = numbers[v[2]];
            tet[2] = numbers[v[1]];
            tet[3] = used;
        }
        spMeshDef def = spDefaultMeshDef();
        def.vertices = vertices;
        def.vertexCount = used + 1;
        def.tets = tets;
        def.tetCount = triangleCount;
        mesh = spCreateMesh(&def, error);
    }
    free(numbers);
    free(vertices);
    free(tets);
    spFreeIndexList(&surface);
    return mesh;
}

static spMesh* spMakeGrid(int cells, spError* error)
{
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.origin = (spDVec3){0.0, 0.0, 0.0};
    def.size = (spDVec3){cubeSide, cubeSide, cubeSide};
    def.cells[0] = def.cells[1] = def.cells[2] = cells;
    return spMakeBoxMesh(&def, error);
}

spMesh* spMakeDebunneCube(int level, spError* error)
{
    spMesh* grid = spMakeGrid(level + 2, error);
    if (grid == NULL || level == SP_CUBE_LEVELS - 1)
    {
        return grid;
    }
    spMesh* mesh = spMakeCone(grid, error);
    spDestroyMesh(grid);
    return mesh;
}

static bool spAddCubeTets(spTestWorld* test, spCubeModel model, double scale, double damping)
{
    spTetDef def = spDefaultTetDef();
    bool hybrid = model == sp_cubeHybrid;
    def.law = hybrid ? sp_tetHybrid : model == sp_cubeCauchy ? sp_tetLinear : sp_tetStVenantKirchhoff;
    def.lameMu = (spReal)(scale * (hybrid ? 2800.0 : 7000.0));
    def.lameLambda = (spReal)(scale * (hybrid ? 8000.0 : 20000.0));
    def.damping = (spReal)damping;
    test->tets = spBody_AddTets(test->world, test->body, &def);
    return test->tets >= 0;
}

static bool spAddCubeSprings(spTestWorld* test, int level, spCubeModel model, double scale)
{
    static const double shortSprings[SP_CUBE_LEVELS] = {20.0, 13.0, 6.0};
    spSpringDef def = spDefaultSpringDef();
    def.damping = 1;
    def.damping = 0;
    switch (model)
    {
        case sp_cubeLongSprings:
            def.law = sp_springProportional;
            def.stiffness = (spReal)(scale * 7000.0);
            break;
        case sp_cubeShortSprings:
            def.law = sp_springNormalised;
            def.stiffness = (spReal)(scale * shortSprings[level]);
            break;
        case sp_cubeVanGelder:
            def.youngModulus = (spReal)(scale * 20000.0);
            break;
        default:
            def.stiffness = (spReal)(scale * 350.0);
            break;
    }
    test->springs = spBody_AddSprings(test->world, test->body, &def);
    return test->springs >= 0;
}

static bool spPinWall(const spTestWorld* test)
{
    spVec3View x = spBody_GetPositions(test->world, test->body);
    bool good = true;
    for (int32_t i = 0; good && i < x.count; ++i)
    {
        good = x.data[i].x > (spReal)1e-6 || spBody_PinNodes(test->world, test->body, &i, 1);
    }
    return good;
}

// A world with a cube that has neither tets nor springs yet, of a mesh that goes with the call. The error is
// that of the mesh when there is none.
static spTestWorld spPlaceCube(const spTestDef* def, spMesh* mesh, spError error)
{
    spTestWorld test = {.springs = -1, .tets = -1, .gas = -1, .error = error};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->workerCount;
    worldDef.laneCount = def->laneCount;
    test.world = mesh != NULL ? spCreateWorld(&worldDef, &test.error) : NULL;
    if (test.world == NULL)
    {
        spDestroyMesh(mesh);
        return test;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = 1000;
    bodyDef.method = def->method;
    bodyDef.method.type = sp_symplecticEuler;
    bodyDef.method.contact = sp_contactOff;
    bodyDef.method.substeps = 1;
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    return test;
}

static void spEndUnless(spTestWorld* test, bool good)
{
    if (good == false)
    {
        test->error = spWorld_GetLastError(test->world);
        spDestroyTestWorld(test);
    }
}

spTestWorld spBuildDebunneCube(const spTestDef* def, int level, spCubeModel model, double scale,
                               double damping)
{
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spMakeDebunneCube(level, &error);
    spTestWorld test = spPlaceCube(def, mesh, error);
    if (test.world != NULL)
    {
        spEndUnless(&test,
                    SP_IS_NULL(test.body) == false &&
                        (model <= sp_cubeGreenLagrange ? spAddCubeTets(&test, model, scale, damping)
                                                       : spAddCubeSprings(&test, level, model, scale)) &&
                        spPinWall(&test));
    }
    return test;
}

spTestWorld spBuildHybridGrid(const spTestDef* def, int cells)
{
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spMakeGrid(cells, &error);
    spTestWorld test = spPlaceCube(def, mesh, error);
    if (test.world != NULL)
    {
        spEndUnless(&test, SP_IS_NULL(test.body) == false && spAddCubeTets(&test, sp_cubeHybrid, 1.0, 0.0) &&
                               spPinWall(&test));
    }
    return test;
}

double spGetCubeStep(int level)
{
    return level < SP_CUBE_LEVELS - 1 ? 1.0 / 800.0 : 1.0 / 1600.0;
}

bool spTraceCube(const spTestWorld* test, int level, double* heights, int count)
{
    // The corner with the largest coordinates has the largest number on every grid, and the centre comes
    // after
    int corner = spBody_GetNodeCount(test->world, test->body) - (level < SP_CUBE_LEVELS - 1 ? 2 : 1);
    int stepCount = (int)(1.0 / (800.0 * spGetCubeStep(level)) + 0.5);
    for (int i = 0; i < count; ++i)
    {
        for (int k = 0; k < stepCount; ++k)
        {
            spWorld_Step(test->world, (spReal)spGetCubeStep(level));
        }
        heights[i] = (double)spBody_GetPositions(test->world, test->body).data[corner].y - cubeSide;
    }
    return spBody_IsRunning(test->world, test->body);
}

spSwing spMeasureSwing(const double* values, int count, double interval)
{
    spSwing swing = {0};
    double lowest = INFINITY, highest = -INFINITY;
    for (int i = 0; i < count; ++i)
    {
        swing.mean += values[i] / count;
        lowest = fmin(lowest, values[i]);
        highest = fmax(highest, values[i]);
    }
    swing.amplitude = 0.5 * (highest - lowest);
    // A crossing upwards counts when the curve was well below since the last one
    double first = 0.0, last = 0.0;
    int crossings = 0;
    bool below = false;
    for (int i = 1; i < count; ++i)
    {
        double before = values[i - 1] - swing.mean, now = values[i] - swing.mean;
        below = below || now < -0.1 * swing.amplitude;
        if (below && before < 0.0 && now >= 0.0)
        {
            last = interval * (i - now / (now - before));
            first = crossings == 0 ? last : first;
            crossings += 1;
            below = false;
        }
    }
    swing.frequency = crossings > 1 ? (crossings - 1) / (last - first) : 0.0;
    return swing;
}
