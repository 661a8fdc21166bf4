// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A flag on its pole in a gusty wind: springs against stretch and shear, hinges against bending, the drag of
// the air on every triangle. When the wind stops, it hangs down.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

enum
{
    countX = 31, // vertices along the wind
    countZ = 21  // vertices along the pole
};

// Adds the edges [first, first + edgeCount) of the mesh as springs
static bool AddEdges(spWorld* world, spBodyId flag, const spMesh* mesh, int first, int edgeCount,
                     spReal stiffness)
{
    spSpringDef def = spDefaultSpringDef();
    def.edges = spMesh_GetEdges(mesh) + 2 * first;
    def.edgeCount = edgeCount;
    def.stiffness = stiffness;
    def.damping = 0.02f;
    return spBody_AddSprings(world, flag, &def) >= 0;
}

// Mean distance of the free end from the pole, along the wind
static double MeasureReach(spWorld* world, spBodyId flag)
{
    double sum = 0.0;
    spVec3View x = spBody_GetPositions(world, flag);
    for (int j = 0; j < countZ; ++j)
    {
        sum += (double)x.data[(countX - 1) * countZ + j].x;
    }
    return sum / countZ;
}

int main(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);

    // 1.5 m x 1 m, without skip-one springs: hinges will resist bending
    spClothMeshDef meshDef = spDefaultClothMeshDef();
    meshDef.corner = (spDVec3){0, 0, 0};
    meshDef.sizeX = 1.5;
    meshDef.sizeZ = 1.0;
    meshDef.countX = countX;
    meshDef.countZ = countZ;
    meshDef.bend = false;
    spMesh* mesh = spMakeClothMesh(&meshDef, &error);
    if (world == NULL || mesh == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    // Turned upright: z of the mesh points down
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = 0.1f; // kg/m^2
    bodyDef.transform.position = (spVec3){0, 2, 0};
    bodyDef.transform.rotation = (spQuat){sqrtf(0.5f), 0, 0, sqrtf(0.5f)};
    spBodyId flag = spCreateBody(world, &bodyDef);
    int structural = (countX - 1) * countZ + countX * (countZ - 1);
    bool made = AddEdges(world, flag, mesh, 0, structural, 100.0f) &&
                AddEdges(world, flag, mesh, structural, spMesh_GetEdgeCount(mesh) - structural, 30.0f);
    spDestroyMesh(mesh);

    spBendDef bendDef = spDefaultBendDef();
    bendDef.stiffness = 2e-5f; // J: thin cotton
    made = made && spBody_AddBends(world, flag, &bendDef) >= 0;
    spWindDef windDef = spDefaultWindDef();
    windDef.velocity = (spVec3){7, 0, 0.8f};
    windDef.gustAmplitude = 0.3f;
    windDef.gustFrequency = 1.3f;
    int wind = spBody_AddWind(world, flag, &windDef);
    int32_t pole[countZ];
    for (int j = 0; j < countZ; ++j)
    {
        pole[j] = j;
    }
    made = made && wind >= 0 && spBody_PinNodes(world, flag, pole, countZ);
    if (made == false)
    {
        fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
        return 1;
    }

    uint32_t flags = 0;
    double reach[2] = {0};
    for (int part = 0; part < 2; ++part)
    {
        for (int i = 1; i <= 180; ++i)
        {
            flags |= spWorld_Step(world, 1.0f / 60.0f);
            reach[part] = MeasureReach(world, flag);
            if (i % 60 == 0)
            {
                spVec3 pull = spBody_GetPinForce(world, flag);
                printf("%g s: the free end is %.2f m from the pole, which holds (%.1f, %.1f, %.1f) N\n",
                       spWorld_GetTime(world), reach[part], (double)pull.x, (double)pull.y, (double)pull.z);
            }
        }
        if (part == 0)
        {
            printf("the wind stops\n");
            spBody_SetWind(world, flag, wind, (spVec3){0, 0, 0});
        }
    }
    spDestroyWorld(world);
    return flags == 0 && reach[0] > 1.0 && reach[1] < 0.5 ? 0 : 1;
}
