// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reading contacts: events when something begins to touch, hits and lets go; force and torque between two things; the pressure
// under a soft cube; and a rigid plate on a slider whose motor presses it.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

static spWorld* world;

static spBodyId AddCube(spVec3 origin, spVec3 size, bool rigid)
{
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){origin.x, origin.y, origin.z};
    meshDef.size = (spDVec3){size.x, size.y, size.z};
    spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = 200.0f;
    def.method.type = rigid ? sp_rigid : sp_backwardEuler;
    spBodyId body = spCreateBody(world, &def);
    spDestroyMesh(mesh);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = 3e4f;
    if (rigid == false)
    {
        spBody_AddTets(world, body, &tets);
    }
    return body;
}

static const char* GetName(spThing thing)
{
    return SP_IS_NULL(thing.body) ? spCollider_GetDef(world, thing.collider).name
                                  : spBody_GetName(world, thing.body);
}

// What happened in the last step. The arrays are valid until the next one.
static int TellEvents(void)
{
    spContactEvents events = spWorld_GetContactEvents(world);
    for (int i = 0; i < events.beginCount; ++i)
    {
        printf("%.3f s: %s touches %s\n", spWorld_GetTime(world), GetName(events.begins[i].first),
               GetName(events.begins[i].second));
    }
    for (int i = 0; i < events.hitCount; ++i)
    {
        printf("%.3f s: a hit at %.2f m/s\n", spWorld_GetTime(world), events.hits[i].speed);
    }
    return events.beginCount;
}

int main(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    world = spCreateWorld(&worldDef, &error);
    if (world == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    spColliderDef groundDef = spDefaultColliderDef();
    groundDef.name = "ground";
    spColliderId ground = spCreateCollider(world, &groundDef);
    spBodyId cube = AddCube((spVec3){-0.1f, 0.1f, -0.1f}, (spVec3){0.2f, 0.2f, 0.2f}, false);
    spBodyId plate = AddCube((spVec3){-0.15f, 0.4f, -0.15f}, (spVec3){0.3f, 0.05f, 0.3f}, true);

    // The plate slides down, driven by a motor of at most 40 N
    spJointDef joint = spDefaultJointDef();
    joint.type = sp_jointSlider;
    joint.axis = (spVec3){0.0f, -1.0f, 0.0f};
    joint.motorSpeed = 0.2f;
    joint.motorLimit = 40.0f;
    int begins = 0;
    for (int i = 0; i < 300; ++i)
    {
        // It waits until the cube lies on the ground
        if (i == 0 || i == 60)
        {
            joint.motorSpeed = i == 0 ? 0.0f : 0.2f;
            spBody_SetJoint(world, plate, &joint);
        }
        spWorld_Step(world, 1.0f / 60.0f);
        begins += TellEvents();
    }

    // Force and torque between two things, about a point
    spVec3 middle = {0.0f, 0.0f, 0.0f};
    spPairLoad press = spWorld_GetPairLoad(world, spBodyThing(cube), spBodyThing(plate), middle);
    spPairLoad floor = spWorld_GetPairLoad(world, spBodyThing(cube), spColliderThing(ground), middle);
    spJointState state = spBody_GetJointState(world, plate);
    printf("the plate presses with %.2f N at %d places, the motor with %.2f N; the ground carries %.2f N, "
           "%.0f Pa at most\n",
           -press.force.y, press.contactCount, state.motor, floor.force.y, floor.pressure);

    // The pressure as a field on the nodes
    spReal pressures[512];
    int count = spBody_CopyContactPressures(world, cube, pressures, 512);
    double largest = 0.0;
    for (int i = 0; i < count; ++i)
    {
        largest = fmax(largest, (double)pressures[i]);
    }
    printf("largest pressure at a node %.0f Pa\n", largest);

    const double plateWeight = 0.3 * 0.05 * 0.3 * 200.0 * 9.81, cubeWeight = 0.2 * 0.2 * 0.2 * 200.0 * 9.81;
    bool good = begins == 2 && fabs(-(double)press.force.y - plateWeight - 40.0) < 1.0 &&
                fabs((double)floor.force.y - plateWeight - cubeWeight - 40.0) < 1.5 &&
                fabs((double)state.motor - 40.0) < 0.5 && largest > 500.0;
    spDestroyWorld(world);
    return good ? 0 : 1;
}
