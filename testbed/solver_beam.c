// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/solver_beam.h"

#include <math.h>
#include <stdlib.h>

static const double beamSize[3] = {1.0, 0.25, 0.25}; // m
static const spReal beamPoisson = (spReal)0.4;

spSolverBeamDef spDefaultSolverBeamDef(void)
{
    spSolverBeamDef def = {.test = spDefaultTestDef(),
                           .cells = {20, 5, 5},
                           .model = sp_beamCorotational,
                           .moduli = {1e6, 1e6, 1e6},
                           .gravity = 9.81};
    def.test.method.type = sp_backwardEuler;
    return def;
}

int spGetBeamEndCount(const spSolverBeamDef* def)
{
    return (def->cells[1] + 1) * (def->cells[2] + 1);
}

static double spGetCoordinate(spDVec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

void spFillThirds(const spMesh* mesh, int axis, const double moduli[3], spReal* youngModuli)
{
    const spDVec3* x = spMesh_GetVertices(mesh);
    const int32_t* tets = spMesh_GetTets(mesh);
    double lower = INFINITY, upper = -INFINITY;
    for (int i = 0; i < spMesh_GetVertexCount(mesh); ++i)
    {
        lower = fmin(lower, spGetCoordinate(x[i], axis));
        upper = fmax(upper, spGetCoordinate(x[i], axis));
    }
    for (int t = 0; t < spMesh_GetTetCount(mesh); ++t)
    {
        double centre = 0.0;
        for (int k = 0; k < 4; ++k)
        {
            centre += 0.25 * spGetCoordinate(x[tets[4 * t + k]], axis);
        }
        int third = (int)(3.0 * (centre - lower) / (upper - lower));
        youngModuli[t] = (spReal)moduli[third > 2 ? 2 : third];
    }
}

static bool spAddBeamElements(spTestWorld* test, const spSolverBeamDef* def, const spMesh* mesh)
{
    if (def->model == sp_beamSprings)
    {
        spSpringDef springs = spDefaultSpringDef();
        springs.damping = 1;
        springs.youngModulus = (spReal)def->moduli[0];
        springs.damping = 0;
        test->springs = spBody_AddSprings(test->world, test->body, &springs);
        return test->springs >= 0;
    }
    spReal* moduli = malloc((size_t)spMesh_GetTetCount(mesh) * sizeof(spReal));
    if (moduli == NULL)
    {
        return false;
    }
    spFillThirds(mesh, 0, def->moduli, moduli);
    spTetDef tets = spDefaultTetDef();
    tets.law = def->model == sp_beamCorotational ? sp_tetCorotational : sp_tetStVenantKirchhoff;
    tets.youngModuli = moduli;
    tets.poissonRatio = beamPoisson;
    test->tets = spBody_AddTets(test->world, test->body, &tets);
    free(moduli);
    return test->tets >= 0;
}

spTestWorld spBuildSolverBeam(const spSolverBeamDef* def)
{
    spTestWorld test = {.springs = -1, .tets = -1, .gas = -1};
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size = (spDVec3){beamSize[0], beamSize[1], beamSize[2]};
    for (int axis = 0; axis < 3; ++axis)
    {
        meshDef.cells[axis] = def->cells[axis];
    }
    spMesh* mesh = spMakeBoxMesh(&meshDef, &test.error);
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, (spReal)-def->gravity, 0};
    worldDef.workerCount = def->test.workerCount;
    worldDef.laneCount = def->test.laneCount;
    test.world = mesh != NULL ? spCreateWorld(&worldDef, &test.error) : NULL;
    if (test.world != NULL)
    {
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.mesh = mesh;
        bodyDef.method = def->test.method;
        test.body = spCreateBody(test.world, &bodyDef);
        bool ok = SP_IS_NULL(test.body) == false && spAddBeamElements(&test, def, mesh);
        for (int32_t node = 0; ok && node < spGetBeamEndCount(def); ++node)
        {
            ok = spBody_PinNodes(test.world, test.body, &node, 1);
        }
        if (ok == false)
        {
            test.error = spWorld_GetLastError(test.world);
            spDestroyTestWorld(&test);
        }
    }
    spDestroyMesh(mesh);
    return test;
}
