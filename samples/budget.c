// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Budgets: a step that may not take longer than it is given covers less time instead (slow motion), and says
// so. What the clock decided is one number, dtTaken: with it the run can be repeated bit for bit.

#include "souple/souple.h"

#include <inttypes.h>
#include <stdio.h>

enum
{
    stepCount = 30
};

static spWorld* Build(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    for (int axis = 0; axis < 3; ++axis)
    {
        meshDef.cells[axis] = 8;
    }
    spMesh* mesh = spMakeBoxMesh(&meshDef, &error);
    if (world == NULL || mesh == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        spDestroyMesh(mesh);
        spDestroyWorld(world);
        return NULL;
    }
    spColliderDef groundDef = spDefaultColliderDef();
    spCreateCollider(world, &groundDef);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.transform.position.y = 0.01f;
    spBodyId cube = spCreateBody(world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.youngModulus = 1e6f;
    springDef.damping = 10.0f;
    spBody_AddSprings(world, cube, &springDef);
    spDestroyMesh(mesh);
    return world;
}

int main(void)
{
    spWorld* live = Build();
    spWorld* replay = Build();
    if (live == NULL || replay == NULL)
    {
        spDestroyWorld(live);
        spDestroyWorld(replay);
        return 1;
    }

    // Half of the budget is far more than enough, the other half far too little
    spReal dtTaken[stepCount];
    int missed = 0;
    for (int i = 0; i < stepCount; ++i)
    {
        uint32_t flags = spWorld_StepBudget(live, 1.0f / 60.0f, i < stepCount / 2 ? 1000.0 : 1e-5);
        missed += (flags & sp_stepDeadlineMissed) != 0 ? 1 : 0;
        dtTaken[i] = spWorld_GetReport(live).dtTaken;
    }
    spStepReport report = spWorld_GetReport(live);
    spProfile profile = spWorld_GetProfile(live);
    printf("%d of %d steps covered less than 1/60 s; the last one %.2g s\n", missed, stepCount,
           report.dtTaken);
    printf("last step: %d nodes, %d elements, %d substeps, %d contacts, stable step %.2g s\n",
           report.nodeCount, report.elementCount, report.substepCount, report.contactCount,
           report.stableStep);
    printf("it took %.3f ms: advance %.3f, detection %.3f, response %.3f\n", profile.step, profile.advance,
           profile.detection, profile.response);

    // The same steps again, without a clock
    for (int i = 0; i < stepCount; ++i)
    {
        spWorld_Step(replay, dtTaken[i]);
    }
    uint64_t a = spWorld_GetStateHash(live), b = spWorld_GetStateHash(replay);
    printf("hash %016" PRIx64 " live, %016" PRIx64 " replayed\n", a, b);
    bool good = missed == stepCount / 2 && dtTaken[0] == 1.0f / 60.0f && report.dtTaken < 1.0f / 60.0f &&
                profile.step > 0.0 && a == b;
    spDestroyWorld(replay);
    spDestroyWorld(live);
    return good ? 0 : 1;
}
