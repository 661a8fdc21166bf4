// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A beam swings under its weight in steps of 1/60 s: by an explicit method, which cuts every step into many,
// by backward Euler, which solves one linear system for each, and by the same with two preconditioners.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

// The beam in a world of its own. Returns the null id when something is wrong.
static spBodyId MakeBeam(spWorld* world, const spMethodDef* method)
{
    spError error = SP_ZERO_INIT;
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.size = (spDVec3){1.0, 0.25, 0.25};
    meshDef.cells[0] = 12;
    meshDef.cells[1] = 3;
    meshDef.cells[2] = 3;
    spMesh* mesh = spMakeBoxMesh(&meshDef, &error);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method = *method;
    spBodyId beam = spCreateBody(world, &bodyDef);
    spTetDef tetDef = spDefaultTetDef();
    tetDef.youngModulus = 1e6f;
    bool made = spBody_AddTets(world, beam, &tetDef) >= 0;

    // Nodes go layer by layer along x: the first 16 are the end that is held
    int32_t wall[16];
    for (int i = 0; i < 16; ++i)
    {
        wall[i] = i;
    }
    made = made && spBody_PinNodes(world, beam, wall, 16);
    spDestroyMesh(mesh);
    return made ? beam : (spBodyId)SP_ZERO_INIT;
}

int main(void)
{
    const char* const names[] = {"symplectic Euler", "backward Euler, 3x3 blocks",
                                 "backward Euler, incomplete"};
    double lowest[3] = {0};
    int iterations[3] = {0};
    for (int k = 0; k < 3; ++k)
    {
        spMethodDef method = spDefaultMethodDef();
        method.type = k == 0 ? sp_symplecticEuler : sp_backwardEuler;
        method.solver.preconditioner = k == 1 ? sp_preconditionBlockJacobi : sp_preconditionIncomplete;
        spWorldDef worldDef = spDefaultWorldDef();
        spWorld* world = spCreateWorld(&worldDef, NULL);
        spBodyId beam = MakeBeam(world, &method);
        if (SP_IS_NULL(beam))
        {
            fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
            return 1;
        }
        int tip = spBody_GetNodeCount(world, beam) - 1, substeps = 0;
        double start = (double)spBody_GetPositions(world, beam).data[tip].y;
        for (int i = 0; i < 60; ++i)
        {
            // Flags say when a solver did not come to its tolerance
            if (spWorld_Step(world, 1.0f / 60.0f) != 0)
            {
                return 1;
            }
            spSolverReport report = spBody_GetSolverReport(world, beam);
            iterations[k] += report.iterations;
            substeps += spWorld_GetReport(world).substepCount;
            lowest[k] = fmin(lowest[k], (double)spBody_GetPositions(world, beam).data[tip].y - start);
        }
        printf("%-27s %5d substeps, %5d iterations in 1 s; the tip went down by %.3f m\n", names[k], substeps,
               iterations[k], -lowest[k]);
        spDestroyWorld(world);
    }
    // The preconditioner changes the way to the solution, not the solution
    bool same = fabs(lowest[1] - lowest[2]) < 0.01 * fabs(lowest[1]);
    return same && iterations[2] < iterations[1] && lowest[1] < -0.05 ? 0 : 1;
}
