// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact forces, read in three ways, and friction: a soft cube stands on a plate, rides along when the plate
// moves, and is left behind when the friction is gone.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

static spWorld* world;
static spBodyId cube;
static spColliderId plate;

static void Run(int steps, spReal velocity)
{
    for (int i = 0; i < steps; ++i)
    {
        // A driven collider is moved before every step; what it touches feels its velocity
        spTransform pose = spCollider_GetTransform(world, plate);
        pose.position.x += velocity / 60.0f;
        spCollider_MoveTo(world, plate, pose);
        spWorld_Step(world, 1.0f / 60.0f);
    }
}

int main(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    world = spCreateWorld(&worldDef, &error);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){-0.1, 0.0, -0.1};
    meshDef.size = (spDVec3){0.2, 0.2, 0.2};
    spMesh* mesh = spMakeBoxMesh(&meshDef, &error);
    if (world == NULL || mesh == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    spColliderDef plateDef = spDefaultColliderDef();
    plateDef.shape = sp_shapeBox;
    plateDef.halfSize = (spVec3){2.0f, 0.05f, 1.0f};
    plateDef.transform.position.y = -0.05f; // its top at height 0
    plateDef.friction = 0.4f;
    plate = spCreateCollider(world, &plateDef);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.friction = 0.4f; // together sqrt(0.4 * 0.4)
    cube = spCreateBody(world, &bodyDef);
    spDestroyMesh(mesh);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.youngModulus = 2e5f;
    springDef.damping = 10.0f;
    if (spBody_AddSprings(world, cube, &springDef) < 0)
    {
        fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
        return 1;
    }

    // 1. At rest the plate carries the weight. Body, collider and contacts tell the same story.
    const double weight = 0.2 * 0.2 * 0.2 * 1000.0 * 9.81;
    Run(120, 0.0f);
    spVec3 onCube = spBody_GetContactForce(world, cube);
    spVec3 onPlate = spCollider_GetForce(world, plate);
    spContact contacts[64];
    int count = spWorld_GetContacts(world, contacts, 64);
    double sum = 0.0, smallestGap = INFINITY;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)contacts[i].force.y;
        smallestGap = fmin(smallestGap, (double)contacts[i].gap);
    }
    printf("at rest: weight %.2f N, on the cube %.2f N, on the plate %.2f N, sum of %d contacts %.2f N\n",
           weight, onCube.y, onPlate.y, count, sum);
    printf("smallest gap %.2g m\n", smallestGap);
    bool good = fabs(onCube.y - weight) < 0.02 * weight && fabs(onCube.y + onPlate.y) < 1e-3 * weight &&
                fabs(onCube.y - sum) < 1e-3 * weight && count == 25 && smallestGap > -1e-3;

    // 2. The plate starts to move: friction, at most 0.4 times the normal force, takes the cube along
    double largest = 0.0;
    for (int i = 0; i < 60; ++i)
    {
        Run(1, 0.5f);
        onCube = spBody_GetContactForce(world, cube);
        largest = fmax(largest, hypot(onCube.x, onCube.z) / onCube.y);
    }
    double rode = spBody_GetCenter(world, cube).x;
    printf("with friction: the plate moved 0.500 m, the cube %.3f m; largest friction / normal force %.3f\n",
           rode, largest);
    good = good && rode > 0.4 && rode < 0.52 && largest > 0.1 && largest < 0.401;

    // 3. Without friction the cube keeps its velocity and the plate slips away below it, backwards
    spBody_SetContact(world, cube, 0.0f, 0.0f);
    Run(60, -0.5f);
    double slid = spBody_GetCenter(world, cube).x - rode;
    printf("without friction: the plate moved -0.500 m, the cube %+.3f m\n", slid);
    good = good && fabs(slid - 0.5) < 0.05;
    spDestroyWorld(world);
    return good ? 0 : 1;
}
