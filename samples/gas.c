// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A ball filled with gas: pressure times volume stays what it is while the ball is squeezed under a plate,
// and the ball grows and shrinks when it breathes.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

int main(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    spShellMeshDef meshDef = spDefaultShellMeshDef();
    meshDef.radius = 0.3;
    meshDef.center.y = 0.31;
    meshDef.level = 3;
    spMesh* mesh = spMakeIcosphereMesh(&meshDef, &error);
    if (world == NULL || mesh == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    spColliderDef colliderDef = spDefaultColliderDef();
    spCreateCollider(world, &colliderDef);
    colliderDef.shape = sp_shapeBox;
    colliderDef.halfSize = (spVec3){0.5f, 0.05f, 0.5f};
    colliderDef.transform.position.y = 0.7f;
    spColliderId plate = spCreateCollider(world, &colliderDef);

    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = 1.0f; // kg/m^2
    spBodyId ball = spCreateBody(world, &bodyDef);
    spDestroyMesh(mesh);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.stiffness = 300.0f;
    springDef.damping = 0.5f;
    spBody_AddSprings(world, ball, &springDef);
    spGasDef gasDef = spDefaultGasDef();
    gasDef.ambient = false;       // blown up against the springs alone
    gasDef.restPressure = 400.0f; // Pa above what is outside
    int gas = spBody_AddGas(world, ball, &gasDef);
    if (gas < 0)
    {
        fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
        return 1;
    }
    double knrt = spBody_GetPressure(world, ball, gas) * spBody_GetVolume(world, ball); // n R T, J

    // The plate comes down
    uint32_t flags = 0;
    double worst = 0.0, firstVolume = 0.0;
    for (int i = 1; i <= 180; ++i)
    {
        spTransform pose = spCollider_GetTransform(world, plate);
        pose.position.y = (spReal)(0.7 - 0.2 * fmin(1.0, i / 120.0));
        spCollider_MoveTo(world, plate, pose);
        flags |= spWorld_Step(world, 1.0f / 60.0f);
        double pressure = spBody_GetPressure(world, ball, gas), volume = spBody_GetVolume(world, ball);
        worst = fmax(worst, fabs(pressure * volume / knrt - 1.0));
        firstVolume = i == 30 ? volume : firstVolume;
        if (i % 30 == 0)
        {
            printf("plate at %.2f m: %.1f Pa in %.4f m^3, the plate feels %.1f N\n", pose.position.y,
                   pressure, volume, spCollider_GetForce(world, plate).y);
        }
    }
    bool squeezed = worst < 1e-3 && spBody_GetVolume(world, ball) < firstVolume &&
                    spCollider_GetForce(world, plate).y > 10.0f;
    spDestroyCollider(world, plate);

    // More gas makes it larger: let it breathe by changing n R T once in each step. A gas can also do this by
    // itself: breathAmplitude and breathFrequency in its definition.
    double smallest = INFINITY, largest = 0.0;
    for (int i = 1; i <= 180; ++i)
    {
        double phase = 2.0 * 3.14159265358979 * i / 60.0;
        spBody_SetGas(world, ball, gas, (spReal)(knrt * (1.0 + 0.3 * sin(phase))));
        flags |= spWorld_Step(world, 1.0f / 60.0f);
        if (i > 60)
        {
            smallest = fmin(smallest, spBody_GetVolume(world, ball));
            largest = fmax(largest, spBody_GetVolume(world, ball));
        }
    }
    printf("breathing: from %.4f m^3 to %.4f m^3\n", smallest, largest);
    spDestroyWorld(world);
    return flags == 0 && squeezed && largest > 1.05 * smallest ? 0 : 1;
}
