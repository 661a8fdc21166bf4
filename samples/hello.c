// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A soft ball falls, bounces and settles.

#include "souple/souple.h"

#include <stdio.h>

int main(void)
{
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spColliderDef groundDef = spDefaultColliderDef();
    spCreateCollider(world, &groundDef);
    spRoundMeshDef meshDef = spDefaultRoundMeshDef();
    spMesh* mesh = spMakeBallMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.transform.position.y = 1.2f;
    spBodyId ball = spCreateBody(world, &bodyDef);
    spTetDef tetDef = spDefaultTetDef();
    tetDef.youngModulus = 3e5f;
    tetDef.damping = 0.02f;
    spBody_AddTets(world, ball, &tetDef);
    spDestroyMesh(mesh); // the body copied what it needs

    for (int i = 1; i <= 240; ++i)
    {
        spWorld_Step(world, 1.0f / 60.0f);
        if (i % 24 == 0)
        {
            printf("%.1f s: centre at %.3f m\n", spWorld_GetTime(world), spBody_GetCenter(world, ball).y);
        }
    }
    bool settled = spBody_GetEnergy(world, ball).kinetic < 0.01 && spBody_GetCenter(world, ball).y > 0.4f;
    spDestroyWorld(world);
    return settled ? 0 : 1;
}
