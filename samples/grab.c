// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Links: a hand takes a soft ball, lifts it and lets go; then the ball is glued to a bar, and a second ball
// to the first.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

static spBodyId AddBall(spWorld* world, spVec3 center)
{
    spRoundMeshDef meshDef = spDefaultRoundMeshDef();
    meshDef.radius = 0.15;
    meshDef.resolution = 3;
    spMesh* mesh = spMakeBallMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.transform.position = center;
    spBodyId ball = spCreateBody(world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.youngModulus = 3e5f;
    springDef.damping = 30.0f;
    spBody_AddSprings(world, ball, &springDef);
    spDestroyMesh(mesh);
    return ball;
}

static double GetWeight(const spWorld* world, spBodyId body)
{
    spReal masses[1000];
    int count = spBody_CopyMasses(world, body, masses, 1000);
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)masses[i];
    }
    return 9.81 * sum;
}

// Finds the nodes within `distance` of a point
static int FindNodes(spWorld* world, spBodyId body, spVec3 point, double distance, int32_t* nodes,
                     int capacity)
{
    int count = 0;
    spVec3View x = spBody_GetPositions(world, body);
    for (int i = 0; i < x.count && count < capacity; ++i)
    {
        double dx = x.data[i].x - point.x, dy = x.data[i].y - point.y, dz = x.data[i].z - point.z;
        if (sqrt(dx * dx + dy * dy + dz * dz) < distance)
        {
            nodes[count++] = i;
        }
    }
    return count;
}

static void Run(spWorld* world, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(world, 1.0f / 60.0f);
    }
}

int main(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    if (world == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    spColliderDef groundDef = spDefaultColliderDef();
    spCreateCollider(world, &groundDef);
    spBodyId ball = AddBall(world, (spVec3){0, 0.15f, 0});
    double weight = GetWeight(world, ball);
    Run(world, 120);

    // Grab the top of the ball and lift it by half a metre in a second
    int32_t nodes[64];
    spLinkDef linkDef = spDefaultLinkDef();
    linkDef.body = ball;
    linkDef.nodes = nodes;
    linkDef.nodeCount = FindNodes(world, ball, (spVec3){0, 0.3f, 0}, 0.08, nodes, 64);
    spLinkId hand = spCreateLink(world, &linkDef);
    if (SP_IS_NULL(hand))
    {
        fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
        return 1;
    }
    double resting = spBody_GetCenter(world, ball).y;
    for (int i = 1; i <= 60; ++i)
    {
        spLink_MoveTo(world, hand, (spVec3){0, (spReal)(0.5 * i / 60.0), 0});
        Run(world, 1);
    }
    Run(world, 60);
    double lifted = spBody_GetCenter(world, ball).y;
    double pull = spLink_GetForce(world, hand).y;
    printf("held: centre %.3f m, before %.3f m; the hand pulls with %.1f N, the weight is %.1f N\n", lifted,
           resting, pull, weight);
    bool good = lifted > resting + 0.4 && fabs(pull - weight) < 0.03 * weight;

    // Let go
    spDestroyLink(world, hand);
    Run(world, 180);
    double fallen = spBody_GetCenter(world, ball).y;
    printf("released: centre %.3f m\n", fallen);
    good = good && fabs(fallen - resting) < 0.02;
    spDestroyBody(world, ball);

    // Glue a ball to a bar, and a second ball below the first one. Links keep the places that nodes have at
    // creation relative to the other side.
    spColliderDef barDef = spDefaultColliderDef();
    barDef.shape = sp_shapeCapsule;
    barDef.radius = 0.05f;
    barDef.halfHeight = 0.3f;
    barDef.transform.position.y = 1.55f;
    barDef.transform.rotation = (spQuat){0, 0, 0.70710678f, 0.70710678f}; // along x
    barDef.touches = 0; // the glue holds; a bar that also pushes would strain it
    spColliderId bar = spCreateCollider(world, &barDef);
    spBodyId upper = AddBall(world, (spVec3){0, 1.35f, 0});
    spBodyId lower = AddBall(world, (spVec3){0, 1.05f, 0});
    linkDef = spDefaultLinkDef();
    linkDef.body = upper;
    linkDef.collider = bar;
    linkDef.nodes = nodes;
    linkDef.nodeCount = FindNodes(world, upper, (spVec3){0, 1.5f, 0}, 0.08, nodes, 64);
    spLinkId glue = spCreateLink(world, &linkDef);
    linkDef.body = lower;
    linkDef.collider = (spColliderId){0};
    linkDef.otherBody = upper;
    linkDef.nodeCount = FindNodes(world, lower, (spVec3){0, 1.2f, 0}, 0.08, nodes, 64);
    spLinkId hook = spCreateLink(world, &linkDef);
    Run(world, 240);
    double glueForce = spLink_GetForce(world, glue).y, hookForce = spLink_GetForce(world, hook).y;
    printf("hanging: the glue carries %.1f N, the hook %.1f N; the lower ball is at %.3f m\n", glueForce,
           hookForce, spBody_GetCenter(world, lower).y);
    good = good && fabs(glueForce - 2.0 * weight) < 0.06 * weight && fabs(hookForce - weight) < 0.03 * weight;
    spDestroyWorld(world);
    return good ? 0 : 1;
}
