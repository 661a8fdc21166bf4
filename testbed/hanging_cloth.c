// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/hanging_cloth.h"

#include "testbed/random.h"

#include <math.h>
#include <stdlib.h>

spHangingClothDef spDefaultHangingClothDef(void)
{
    spHangingClothDef def = {
        .test = spDefaultTestDef(), .count = 12, .neighbours = 8, .stiffness = 2000, .size = 1};
    def.test.method.substeps = 1;
    return def;
}

static bool spAddClothSprings(spTestWorld* test, const int32_t* edges, int edgeCount, spReal stiffness,
                              spReal damping)
{
    spSpringDef def = spDefaultSpringDef();
    def.damping = 1;
    def.edges = edges;
    def.edgeCount = edgeCount;
    def.stiffness = stiffness;
    def.damping = damping;
    return edgeCount == 0 || spBody_AddSprings(test->world, test->body, &def) >= 0;
}

static bool spPinCorners(const spHangingClothDef* def, const spTestWorld* test)
{
    int32_t pins[2] = {0, (def->count - 1) * def->count};
    return def->free || spBody_PinNodes(test->world, test->body, pins, 2);
}

static bool spBuildRegular(const spHangingClothDef* def, spTestWorld* test)
{
    spClothMeshDef meshDef = spDefaultClothMeshDef();
    meshDef.countX = def->count;
    meshDef.countZ = def->count;
    meshDef.sizeX = def->size;
    meshDef.sizeZ = def->size;
    spMesh* mesh = spMakeClothMesh(&meshDef, &test->error);
    if (mesh == NULL)
    {
        return false;
    }
    // Edges come structural, shear, bend
    int n = def->count, structural = 2 * n * (n - 1), shear = 2 * (n - 1) * (n - 1);
    const int32_t* edges = spMesh_GetEdges(mesh);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = (spReal)0.01;
    bodyDef.method = def->test.method;
    bodyDef.method.filter.edges = edges;
    bodyDef.method.filter.edgeCount = structural + (def->neighbours == 8 ? shear : 0);
    test->body = spCreateBody(test->world, &bodyDef);
    bool ok = SP_IS_NULL(test->body) == false &&
              spAddClothSprings(test, edges, structural + shear, def->stiffness, def->damping) &&
              spAddClothSprings(test, edges + 2 * (structural + shear), 2 * n * (n - 2), def->stiffness / 50,
                                def->damping / 50) &&
              spPinCorners(def, test);
    spDestroyMesh(mesh);
    return ok;
}

// Nodes are moved by up to 30 % of the spacing, but for the border across it; each cell has one diagonal
static bool spBuildIrregular(const spHangingClothDef* def, spTestWorld* test)
{
    int n = def->count;
    uint64_t seed = 12;
    double spacing = (double)def->size / (n - 1);
    spVec3* positions = malloc((size_t)n * (size_t)n * sizeof(spVec3));
    int32_t* edges = malloc((size_t)n * (size_t)n * 6 * sizeof(int32_t));
    int edgeCount = 0;
    bool ok = positions != NULL && edges != NULL;
    for (int i = 0; ok && i < n * n; ++i)
    {
        int row = i / n, column = i % n;
        double dx = spRandomRange(&seed, -0.3, 0.3), dz = spRandomRange(&seed, -0.3, 0.3);
        dx = column == 0 || column == n - 1 ? 0.0 : dx;
        dz = row == 0 || row == n - 1 ? 0.0 : dz;
        positions[i] = (spVec3){(spReal)(spacing * (column + dx)), 0, (spReal)(spacing * (row + dz))};
        const bool right = column + 1 < n, down = row + 1 < n;
        bool falling = spRandomRange(&seed, 0.0, 1.0) < 0.5;
        const int32_t pairs[3][2] = {
            {i, i + 1}, {i, i + n}, {falling ? i : i + 1, falling ? i + n + 1 : i + n}};
        const bool exists[3] = {right, down, right && down};
        for (int k = 0; k < 3; ++k)
        {
            if (exists[k])
            {
                edges[2 * edgeCount] = pairs[k][0];
                edges[2 * edgeCount + 1] = pairs[k][1];
                edgeCount += 1;
            }
        }
    }
    if (ok)
    {
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.positions = positions;
        bodyDef.positionCount = n * n;
        bodyDef.nodeMass = (spReal)0.01;
        bodyDef.method = def->test.method;
        bodyDef.method.filter.edges = edges;
        bodyDef.method.filter.edgeCount = edgeCount;
        test->body = spCreateBody(test->world, &bodyDef);
        ok = SP_IS_NULL(test->body) == false &&
             spAddClothSprings(test, edges, edgeCount, def->stiffness, def->damping) &&
             spPinCorners(def, test);
    }
    free(positions);
    free(edges);
    return ok;
}

spTestWorld spBuildHangingCloth(const spHangingClothDef* def)
{
    spTestWorld test = {.gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->test.workerCount;
    worldDef.laneCount = def->test.laneCount;
    test.world = spCreateWorld(&worldDef, &test.error);
    bool ok =
        test.world != NULL && (def->irregular ? spBuildIrregular(def, &test) : spBuildRegular(def, &test));
    if (ok == false && test.world != NULL)
    {
        test.error = spWorld_GetLastError(test.world);
        spDestroyTestWorld(&test);
    }
    return test;
}

// Longest edge, over its length in the rest positions
static double spGetLargestStretch(const spTestWorld* test, const spVec3* rest)
{
    double largest = 0.0;
    int count = 0;
    spVec3View x = spBody_GetPositions(test->world, test->body);
    const int32_t* edges = spBody_GetEdges(test->world, test->body, &count);
    for (int i = 0; i < count; ++i)
    {
        spVec3 a = x.data[edges[2 * i]], b = x.data[edges[2 * i + 1]];
        spVec3 c = rest[edges[2 * i]], d = rest[edges[2 * i + 1]];
        double now[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
        double then[3] = {(double)d.x - (double)c.x, (double)d.y - (double)c.y, (double)d.z - (double)c.z};
        double stretch2 = (now[0] * now[0] + now[1] * now[1] + now[2] * now[2]) /
                          (then[0] * then[0] + then[1] * then[1] + then[2] * then[2]);
        largest = fmax(largest, stretch2);
    }
    return sqrt(largest);
}

bool spSurvivesHanging(const spHangingClothDef* def, double dt, double duration, double stretch)
{
    spTestWorld test = spBuildHangingCloth(def);
    spVec3* rest = malloc((size_t)def->count * (size_t)def->count * sizeof(spVec3));
    bool alive = test.world != NULL && rest != NULL;
    if (alive)
    {
        spBody_CopyPositions(test.world, test.body, rest, def->count * def->count);
    }
    int steps = (int)(duration / dt);
    for (int i = 0; alive && i < steps; ++i)
    {
        alive = (spWorld_Step(test.world, (spReal)dt) & sp_stepNonFinite) == 0;
        if (alive && (i % 16 == 0 || i + 1 == steps))
        {
            alive = spGetLargestStretch(&test, rest) < stretch;
        }
    }
    free(rest);
    spDestroyTestWorld(&test);
    return alive;
}

double spFindHangingLimit(const spHangingClothDef* def, double guess, double stretch)
{
    double low = 0.1 * guess, high = 10.0 * guess;
    if (spSurvivesHanging(def, guess, 2.0, stretch))
    {
        low = guess;
    }
    else
    {
        high = guess;
    }
    while (high / low > 1.005)
    {
        double middle = high / low > 1.5 ? (low < guess ? high / 1.2 : low * 1.2) : sqrt(low * high);
        if (spSurvivesHanging(def, middle, 2.0, stretch))
        {
            low = middle;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}
