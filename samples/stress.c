// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reading stress: a bar hangs from its upper end and carries a weight. Far from the ends the stress is weight
// over area, as in any textbook. Then the stress is recorded, and goes into a picture and into a file for
// ParaView.

#include "souple/record.h"
#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

enum
{
    cellsAlong = 16,
    cellsAcross = 2,
    tetCount = 6 * cellsAlong * cellsAcross * cellsAcross,
    endNodes = (cellsAcross + 1) * (cellsAcross + 1)
};

static spBodyId MakeBar(spWorld* world)
{
    spError error = SP_ZERO_INIT;
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size = (spDVec3){1.0, 0.1, 0.1};
    meshDef.cells[0] = cellsAlong;
    meshDef.cells[1] = cellsAcross;
    meshDef.cells[2] = cellsAcross;
    spMesh* mesh = spMakeBoxMesh(&meshDef, &error);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.name = "bar";
    bodyDef.mesh = mesh;
    bodyDef.gravityScale = 0.0f;                                            // the weight alone counts
    bodyDef.transform.position.y = 1.2f;                                    // m
    bodyDef.transform.rotation = (spQuat){0, 0, -0.70710678f, 0.70710678f}; // hangs down
    spBodyId bar = spCreateBody(world, &bodyDef);
    spDestroyMesh(mesh);
    spTetDef tetDef = spDefaultTetDef();
    tetDef.youngModulus = 1e6f; // Pa
    tetDef.poissonRatio = 0.3f;
    spBody_AddTets(world, bar, &tetDef);
    return bar;
}

int main(void)
{
    const double weight = 500.0, area = 0.01; // N, m^2
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    spColliderDef groundDef = spDefaultColliderDef();
    spCreateCollider(world, &groundDef);
    spBodyId bar = MakeBar(world);
    int nodeCount = spBody_GetNodeCount(world, bar);
    int32_t held[endNodes];
    for (int i = 0; i < endNodes; ++i)
    {
        held[i] = i;
        spBody_SetNodeForce(world, bar, nodeCount - 1 - i, (spVec3){0, (spReal)(-weight / endNodes), 0});
    }
    spBody_PinNodes(world, bar, held, endNodes);

    // Two frames: as made, and in equilibrium
    spRecorderDef def = spDefaultRecorderDef();
    def.path = "stress.souple";
    def.storeStress = true;    // at the nodes, for pictures
    def.storeTetStates = true; // of every tet, for ParaView
    spRecorder* recorder = spCreateRecorder(world, &def, &error);
    if (recorder == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    spRecorder_AddFrame(recorder, world, NULL);
    spRelaxDef relaxDef = spDefaultRelaxDef();
    spRelaxResult relax;
    spBody_Relax(world, bar, &relaxDef, &relax);
    spRecorder_AddFrame(recorder, world, NULL);
    if (!spCloseRecorder(recorder, &error))
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }

    // The middle half of the bar: tets are in the order of the mesh, from end to end
    spTetState states[tetCount];
    int count = spBody_CopyTetStates(world, bar, 0, states, tetCount);
    double vonMises = 0.0, largest = 0.0, strain = 0.0;
    for (int i = count / 4; i < 3 * count / 4; ++i)
    {
        vonMises += 2.0 * (double)states[i].vonMises / count;
        largest += 2.0 * (double)states[i].principalStress.x / count;
        strain += 2.0 * (double)states[i].principalStrain.x / count;
    }
    printf("weight over area %.0f Pa: von Mises %.0f Pa, largest principal stress %.0f Pa, strain %.4f\n",
           weight / area, vonMises, largest, strain);
    spDestroyWorld(world);

    spRecording* recording = spLoadRecording("stress.souple", NULL, &error);
    spExportDef exportDef = spDefaultExportDef();
    exportDef.folder = "vtu";
    exportDef.baseName = "stress";
    bool good = recording != NULL && spExportVtu(recording, &exportDef, &error);
    spPictureDef picture = spDefaultPictureDef();
    picture.color = sp_colorStress;
    picture.rangeHigh = 1e5; // Pa; without it the largest stress of the recording, which is at an end
    if (good && spHasPng())
    {
        good = spSavePicture(recording, 1, &picture, "stress.png", &error);
    }
    if (!good)
    {
        fprintf(stderr, "%s\n", error.message);
    }
    spDestroyRecording(recording);

    // Strain of a few percent makes the area smaller: the true stress is a little above weight over area
    double ratio = vonMises / (weight / area);
    return good && relax.converged && ratio > 1.0 && ratio < 1.1 ? 0 : 1;
}
