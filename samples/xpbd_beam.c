// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A bent beam lets go, by XPBD: how near do sweeps come to the end of the implicit step that they solve, and
// what do accelerators gain? Every sweep of one step is recorded and compared with backward Euler.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

#define NODE_COUNT 216
#define SWEEP_COUNT 50
#define RECORD_COUNT (SWEEP_COUNT + 1) // one more: before the first sweep

// The beam in a world of its own, stretched by a tenth and bent by 3 cm. Returns the null id when something
// is wrong.
static spBodyId MakeBeam(spWorld* world, const spMethodDef* method)
{
    spError error = SP_ZERO_INIT;
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.size = (spDVec3){0.115, 0.01, 0.01};
    meshDef.cells[0] = 23;
    meshDef.cells[1] = 2;
    meshDef.cells[2] = 2;
    meshDef.split = sp_fiveTets;
    spMesh* mesh = spMakeBoxMesh(&meshDef, &error);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method = *method;
    spBodyId beam = spCreateBody(world, &bodyDef);
    spDestroyMesh(mesh);
    spTetDef tetDef = spDefaultTetDef();
    tetDef.youngModulus = 1e5f;

    // Nodes go layer by layer along x: the first 9 are the end that is held
    int32_t wall[9];
    for (int i = 0; i < 9; ++i)
    {
        wall[i] = i;
    }
    spVec3 x[NODE_COUNT];
    bool made = spBody_AddTets(world, beam, &tetDef) >= 0 && spBody_PinNodes(world, beam, wall, 9) &&
                spBody_CopyPositions(world, beam, x, NODE_COUNT) == NODE_COUNT;
    spReal end = made ? x[0].x : 0;
    for (int i = 9; made && i < NODE_COUNT; ++i)
    {
        spReal s = (x[i].x - end) / 0.115f;
        x[i].x = end + 0.1265f * s;
        x[i].y -= 0.03f * s * s;
    }
    made = made && spBody_SetPositions(world, beam, x, NODE_COUNT);
    return made ? beam : (spBodyId)SP_ZERO_INIT;
}

// One step of 1/60 s by a method. Writes where it ended, and the records of its sweeps when there is room.
static bool StepBeam(const spMethodDef* method, const spVec3* target, spSweepRecord* records, spVec3* end)
{
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyId beam = MakeBeam(world, method);
    bool good = SP_IS_NULL(beam) == false;
    good = good && (records == NULL || spBody_RecordSweeps(world, beam, records, RECORD_COUNT, target));
    // Sweeps that leave much of the load say so
    good = good && (spWorld_Step(world, 1.0f / 60.0f) & ~(uint32_t)sp_stepSolverStopped) == 0;
    good = good && (records == NULL || spBody_GetSweepRecordCount(world, beam) == RECORD_COUNT);
    good = good && spBody_CopyPositions(world, beam, end, NODE_COUNT) == NODE_COUNT;
    if (good == false)
    {
        fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
    }
    spDestroyWorld(world);
    return good;
}

int main(void)
{
    // The true end of the step: as many linearisations as it takes
    spVec3 target[NODE_COUNT], end[NODE_COUNT];
    spMethodDef truth = spDefaultMethodDef();
    truth.type = sp_backwardEuler;
    truth.solver.newtonSteps = 50;
    truth.solver.newtonTolerance = 1e-3f;
    if (StepBeam(&truth, NULL, NULL, target) == false)
    {
        return 1;
    }

    const char* const names[] = {"plain", "Chebyshev", "Anderson"};
    const spAccelerator accelerators[] = {sp_accelerateNone, sp_accelerateChebyshev, sp_accelerateAnderson};
    static spSweepRecord records[3][RECORD_COUNT];
    for (int k = 0; k < 3; ++k)
    {
        spMethodDef method = spDefaultMethodDef();
        method.type = sp_xpbd;
        method.xpbd.solver = sp_xpbdGaussSeidel;
        method.xpbd.accelerator = accelerators[k];
        method.xpbd.iterations = SWEEP_COUNT;
        if (StepBeam(&method, target, records[k], end) == false)
        {
            return 1;
        }
    }

    // Distances over that of the start
    const int rows[] = {0, 1, 2, 5, 10, 20, 50};
    double first = records[0][0].distance;
    printf("sweeps %14s %14s %14s   primal residual of the last, kg m\n", names[0], names[1], names[2]);
    for (int i = 0; i < (int)(sizeof(rows) / sizeof(rows[0])); ++i)
    {
        int row = rows[i];
        printf("%6d %14.4f %14.4f %14.4f   %.2e\n", row, records[0][row].distance / first,
               records[1][row].distance / first, records[2][row].distance / first, records[2][row].primal);
    }

    // Left to itself the method takes whatever comes nearest in the time of the sweeps
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_xpbd;
    method.xpbd.iterations = SWEEP_COUNT;
    if (StepBeam(&method, NULL, NULL, end) == false)
    {
        return 1;
    }
    double farthest = 0.0;
    for (int i = 0; i < NODE_COUNT; ++i)
    {
        double dx = (double)(end[i].x - target[i].x), dy = (double)(end[i].y - target[i].y),
               dz = (double)(end[i].z - target[i].z);
        farthest = fmax(farthest, sqrt(dx * dx + dy * dy + dz * dz));
    }
    printf("auto, in the time of %d sweeps: no node farther than %.3g mm from its place\n", SWEEP_COUNT,
           1e3 * farthest);
    bool nearer = records[0][SWEEP_COUNT].distance < first;
    bool sooner = records[2][SWEEP_COUNT].distance < records[0][SWEEP_COUNT].distance;
    return nearer && sooner && farthest < 0.02 ? 0 : 1;
}
