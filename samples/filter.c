// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A stiff cloth hangs from two corners and is stepped beyond the limit of its method. Without a filter on the
// velocities it explodes; with one it swings.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

enum
{
    count = 20 // nodes along each side
};

// A cloth of 1 m x 1 m in a world of its own. Returns the null id when something is wrong.
static spBodyId MakeCloth(spWorld* world, bool filtered)
{
    spError error = SP_ZERO_INIT;
    spClothMeshDef meshDef = spDefaultClothMeshDef();
    meshDef.sizeX = 1.0;
    meshDef.sizeZ = 1.0;
    meshDef.countX = count;
    meshDef.countZ = count;
    meshDef.bend = false;
    spMesh* mesh = spMakeClothMesh(&meshDef, &error);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.method.type = sp_symplecticEuler; // filters are for explicit methods
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = 0.01f;
    bodyDef.method.substeps = 1; // the step is ours to choose

    // Weights fall to 1/e over four edges: wide. Neighbours are the ends of all edges, 8 inside the cloth.
    bodyDef.method.filter.type = filtered ? sp_filterExponential : sp_filterNone;
    bodyDef.method.filter.lambda = 0.25f;
    spBodyId cloth = spCreateBody(world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.stiffness = 2000.0f;
    springDef.damping = 0.0f;
    const int32_t corners[2] = {0, (count - 1) * count};
    bool made = spBody_AddSprings(world, cloth, &springDef) >= 0 && spBody_PinNodes(world, cloth, corners, 2);
    spDestroyMesh(mesh);
    return made ? cloth : (spBodyId)SP_ZERO_INIT;
}

int main(void)
{
    spWorldDef worldDef = spDefaultWorldDef();
    double limits[2];
    bool alive[2];
    for (int filtered = 0; filtered < 2; ++filtered)
    {
        spWorld* world = spCreateWorld(&worldDef, NULL);
        spBodyId cloth = MakeCloth(world, filtered == 1);
        if (SP_IS_NULL(cloth))
        {
            fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
            return 1;
        }
        limits[filtered] = spBody_GetStableStep(world, cloth);

        // A quarter more than the cloth survives without a filter
        double dt = 1.25 * limits[0];
        uint32_t flags = 0;
        for (int i = 0; i < (int)(2.0 / dt); ++i)
        {
            flags |= spWorld_Step(world, (spReal)dt);
        }
        double energy = spBody_GetEnergy(world, cloth).kinetic;
        alive[filtered] = (flags & sp_stepNonFinite) == 0 && energy < 100.0;
        printf("%s: stable up to %.3f ms; steps of %.3f ms for 2 s: %s, kinetic energy %.3g J\n",
               filtered ? "filtered" : "unfiltered", 1e3 * limits[filtered], 1e3 * dt,
               alive[filtered] ? "it swings" : "it explodes", energy);
        spDestroyWorld(world);
    }
    return alive[0] == false && alive[1] && limits[1] > 1.25 * limits[0] ? 0 : 1;
}
