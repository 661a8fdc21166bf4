// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The four methods side by side: a lattice without damping swings for a second. Forward Euler gains
// energy, symplectic Euler and Verlet keep it bounded, Runge-Kutta keeps it to many digits while the step is
// small. Above its stable step a method says so.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

static const char* const names[sp_backwardEuler] = {
    [sp_symplecticEuler] = "symplectic Euler",
    [sp_forwardEuler] = "forward Euler",
    [sp_verlet] = "Verlet",
    [sp_rungeKutta4] = "Runge-Kutta 4",
};

// A lattice in the xy plane, free of gravity, stretched by 5 percent along x
static spBodyId AddLattice(spWorld* world, spMethodType type)
{
    spLatticeMeshDef meshDef = spDefaultLatticeMeshDef();
    spMesh* mesh = spMakeLatticeMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.name = names[type];
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = 0.01f;
    bodyDef.method.type = type;
    bodyDef.method.substeps = 1; // take the step as it is, however long
    spBodyId body = spCreateBody(world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.stiffness = 100.0f;
    springDef.damping = 0.0f;
    spBody_AddSprings(world, body, &springDef);
    spDestroyMesh(mesh);

    spVec3 x[64];
    int count = spBody_CopyPositions(world, body, x, 64);
    for (int i = 0; i < count; ++i)
    {
        x[i].x *= 1.05f;
    }
    spBody_SetPositions(world, body, x, count);
    return body;
}

static double GetEnergy(const spWorld* world, spBodyId body)
{
    spEnergy energy = spBody_GetEnergy(world, body);
    return energy.kinetic + energy.elastic + energy.potential;
}

int main(void)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    const spReal dt = 0.0001f;
    double ratio[sp_backwardEuler];
    bool good = true;
    printf("%-18s %14s %22s\n", "method", "stable step", "energy after / before");
    for (int type = 0; type < sp_backwardEuler; ++type)
    {
        spError error = SP_ZERO_INIT;
        spWorld* world = spCreateWorld(&worldDef, &error);
        if (world == NULL)
        {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        spBodyId body = AddLattice(world, (spMethodType)type);
        double start = GetEnergy(world, body), stable = spBody_GetStableStep(world, body);
        uint32_t flags = 0;
        for (int i = 0; i < 10000; ++i)
        {
            flags |= spWorld_Step(world, dt);
        }
        ratio[type] = GetEnergy(world, body) / start;
        printf("%-18s %12.5f s %22.6f\n", names[type], stable, ratio[type]);

        // Forward Euler has no stable step without damping, and says so; the others only above theirs
        bool warned = (flags & sp_stepUnstable) != 0;
        good = good && warned == (type == sp_forwardEuler);
        if (stable > 0.0)
        {
            flags = spWorld_Step(world, (spReal)(1.5 * stable));
            good = good && (flags & sp_stepUnstable) != 0;
        }
        spDestroyWorld(world);
    }
    good = good && ratio[sp_forwardEuler] > 1.2 && fabs(ratio[sp_symplecticEuler] - 1.0) < 0.01 &&
           fabs(ratio[sp_verlet] - 1.0) < 0.001 && fabs(ratio[sp_rungeKutta4] - 1.0) < 0.001;
    return good ? 0 : 1;
}
