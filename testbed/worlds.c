// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/worlds.h"

#include <math.h>
#include <stdlib.h>

static const spReal latticeSpacing = (spReal)0.1;
static const spReal latticeMass = (spReal)0.01;
static const spReal clothBendCompliance = 1; // m/N

spTestDef spDefaultTestDef(void)
{
    spTestDef def = {.workerCount = 1, .method = spDefaultMethodDef()};
    def.method.type = sp_symplecticEuler;
    return def;
}

void spDestroyTestWorld(spTestWorld* test)
{
    spDestroyWorld(test->world);
    test->world = NULL;
}

static spTestWorld spStartTestWorld(const spTestDef* def)
{
    spTestWorld test = {.springs = -1, .tets = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->workerCount;
    worldDef.laneCount = def->laneCount;
    test.world = spCreateWorld(&worldDef, &test.error);
    return test;
}

// Ends building: a world without its body or its elements is no world
static spTestWorld spFinishTestWorld(spTestWorld test, spMesh* mesh, bool ok)
{
    spDestroyMesh(mesh);
    if (ok == false && test.world != NULL)
    {
        test.error = spWorld_GetLastError(test.world);
        spDestroyTestWorld(&test);
    }
    return test;
}

static bool spAddTestBody(spTestWorld* test, const spTestDef* def, const spMesh* mesh, spReal nodeMass)
{
    if (test->world == NULL || mesh == NULL)
    {
        return false;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = nodeMass;
    bodyDef.contactRadius = 0;
    bodyDef.method = def->method;
    test->body = spCreateBody(test->world, &bodyDef);
    return SP_IS_NULL(test->body) == false;
}

static bool spAddTestSprings(spTestWorld* test, const spMesh* mesh, spReal stiffness, spReal young,
                             spReal damping)
{
    spSpringDef springDef = spDefaultSpringDef();
    springDef.damping = 1;
    if (spMesh_GetEdgeCount(mesh) > 0)
    {
        springDef.edges = spMesh_GetEdges(mesh);
        springDef.edgeCount = spMesh_GetEdgeCount(mesh);
    }
    springDef.stiffness = stiffness;
    springDef.youngModulus = young;
    springDef.damping = damping;
    test->springs = spBody_AddSprings(test->world, test->body, &springDef);
    return test->springs >= 0;
}

spColliderId spAddTestGround(spWorld* world, spReal friction, spReal restitution)
{
    spColliderDef def = spDefaultColliderDef();
    def.name = "ground";
    def.friction = friction;
    def.restitution = restitution;
    return spCreateCollider(world, &def);
}

// The sheet of W2 with edges for springs
static spMesh* spMakeSheetMesh(int count, spError* error)
{
    spClothMeshDef meshDef = spDefaultClothMeshDef();
    meshDef.corner = (spDVec3){-1.0, 2.0, 0.0};
    meshDef.countX = count;
    meshDef.countZ = count;
    return spMakeClothMesh(&meshDef, error);
}

// The body of W2, pinned at two corners; elements are still to be added
static bool spAddSheetBody(spTestWorld* test, const spTestDef* def, const spMesh* mesh, int count)
{
    int32_t pins[2] = {0, (count - 1) * count};
    return spAddTestBody(test, def, mesh, (spReal)(0.8 / ((double)count * count))) &&
           spBody_PinNodes(test->world, test->body, pins, 2);
}

spTestWorld spBuildSpringCloth(const spTestDef* def, int count, spReal stiffness, spReal damping)
{
    spTestWorld test = spStartTestWorld(def);
    spMesh* mesh = spMakeSheetMesh(count, &test.error);
    bool ok = spAddSheetBody(&test, def, mesh, count) && spAddTestSprings(&test, mesh, stiffness, 0, damping);
    return spFinishTestWorld(test, mesh, ok);
}

// Writes the pairs of W2-dist whose second node is so many steps away. Returns the new number of pairs
static int spListClothPairs(int32_t* pairs, int pairCount, int count, int reach, bool diagonal)
{
    for (int i = 0; i < count; ++i)
    {
        for (int j = 0; j < count; ++j)
        {
            int32_t node = i * count + j;
            const bool there[3] = {i + reach < count, j + reach < count,
                                   diagonal && i + 1 < count && j + 1 < count};
            const int32_t other[3] = {node + reach * count, node + reach, node + count + 1};
            for (int k = 0; k < 3; ++k)
            {
                if (there[k])
                {
                    pairs[2 * pairCount] = node;
                    pairs[2 * pairCount + 1] = other[k];
                    pairCount += 1;
                }
            }
        }
    }
    return pairCount;
}

spMesh* spMakeDistanceClothMesh(int count, int* stretchCount, spError* error)
{
    spMesh* sheet = spMakeSheetMesh(count, error);
    // Five pairs for each node at most
    int32_t* pairs = sheet != NULL ? malloc((size_t)count * (size_t)count * 10 * sizeof(int32_t)) : NULL;
    spMesh* mesh = NULL;
    if (pairs != NULL)
    {
        *stretchCount = spListClothPairs(pairs, 0, count, 1, true);
        spMeshDef def = spDefaultMeshDef();
        def.vertices = spMesh_GetVertices(sheet);
        def.vertexCount = spMesh_GetVertexCount(sheet);
        def.triangles = spMesh_GetTriangles(sheet);
        def.triangleCount = spMesh_GetTriangleCount(sheet);
        def.edges = pairs;
        def.edgeCount = spListClothPairs(pairs, *stretchCount, count, 2, false);
        mesh = spCreateMesh(&def, error);
    }
    free(pairs);
    spDestroyMesh(sheet);
    return mesh;
}

static bool spAddTestDistances(spTestWorld* test, const int32_t* pairs, int count, spReal compliance)
{
    spConstraintDef def = spDefaultConstraintDef();
    def.nodes = pairs;
    def.count = count;
    def.compliance = compliance;
    return spBody_AddConstraints(test->world, test->body, &def) >= 0;
}

spTestWorld spBuildDistanceCloth(const spTestDef* def, int count)
{
    spTestWorld test = spStartTestWorld(def);
    int stretchCount = 0;
    spMesh* mesh = spMakeDistanceClothMesh(count, &stretchCount, &test.error);
    bool ok = spAddSheetBody(&test, def, mesh, count);
    if (ok)
    {
        const int32_t* pairs = spMesh_GetEdges(mesh);
        int bendCount = spMesh_GetEdgeCount(mesh) - stretchCount;
        ok = spAddTestDistances(&test, pairs, stretchCount, 0) &&
             spAddTestDistances(&test, pairs + 2 * (size_t)stretchCount, bendCount, clothBendCompliance);
    }
    return spFinishTestWorld(test, mesh, ok);
}

spMesh* spMakeBeamMesh(int m, spError* error)
{
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size = (spDVec3){1.0, 0.25, 0.25};
    meshDef.cells[0] = 4 * m;
    meshDef.cells[1] = m;
    meshDef.cells[2] = m;
    return spMakeBoxMesh(&meshDef, error);
}

// The beam of W1, one end fixed; elements are still to be added
static spTestWorld spStartBeam(const spTestDef* def, int m, spMesh** mesh, bool* ok)
{
    spTestWorld test = spStartTestWorld(def);
    *mesh = spMakeBeamMesh(m, &test.error);
    *ok = spAddTestBody(&test, def, *mesh, 0);
    for (int32_t node = 0; *ok && node < (m + 1) * (m + 1); ++node)
    {
        *ok = spBody_PinNodes(test.world, test.body, &node, 1);
    }
    return test;
}

spTestWorld spBuildSpringBeam(const spTestDef* def, int m)
{
    bool ok;
    spMesh* mesh;
    spTestWorld test = spStartBeam(def, m, &mesh, &ok);
    ok = ok && spAddTestSprings(&test, mesh, 0, (spReal)1e6, 0);
    return spFinishTestWorld(test, mesh, ok);
}

spTestWorld spBuildTetBeam(const spTestDef* def, int m, const spTetDef* tets)
{
    bool ok;
    spMesh* mesh;
    spTestWorld test = spStartBeam(def, m, &mesh, &ok);
    test.tets = ok ? spBody_AddTets(test.world, test.body, tets) : -1;
    return spFinishTestWorld(test, mesh, test.tets >= 0);
}

spTestWorld spBuildDistanceBeam(const spTestDef* def, int m)
{
    bool ok;
    spMesh* mesh;
    spTestWorld test = spStartBeam(def, m, &mesh, &ok);
    ok = ok && spAddTestDistances(&test, NULL, 0, 0);
    return spFinishTestWorld(test, mesh, ok);
}

spMesh* spMakeBlockMesh(int thousands, int* tipCount, spError* error)
{
    // Cells in the ratio 10 : 3 : 2, six tets each
    double cells = cbrt(1000.0 * thousands / 360.0);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size = (spDVec3){1.0, 0.3, 0.2};
    meshDef.cells[0] = (int)(10.0 * cells + 0.5);
    meshDef.cells[1] = (int)(3.0 * cells + 0.5);
    meshDef.cells[2] = (int)(2.0 * cells + 0.5);
    *tipCount = (meshDef.cells[1] + 1) * (meshDef.cells[2] + 1);
    return spMakeBoxMesh(&meshDef, error);
}

spTestWorld spBuildTetBlock(const spTestDef* def, int thousands, const spTetDef* tets)
{
    int tipCount = 0;
    spTestWorld test = spStartTestWorld(def);
    spMesh* mesh = spMakeBlockMesh(thousands, &tipCount, &test.error);
    bool ok = spAddTestBody(&test, def, mesh, 0);
    for (int32_t node = 0; ok && node < tipCount; ++node)
    {
        ok = spBody_PinNodes(test.world, test.body, &node, 1);
    }
    test.tets = ok ? spBody_AddTets(test.world, test.body, tets) : -1;
    return spFinishTestWorld(test, mesh, test.tets >= 0);
}

spTestWorld spBuildSpringDrop(const spTestDef* def, int m)
{
    spTestWorld test = spStartTestWorld(def);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){-0.25, 0.5, -0.25};
    meshDef.size = (spDVec3){0.5, 0.5, 0.5};
    for (int axis = 0; axis < 3; ++axis)
    {
        meshDef.cells[axis] = m;
    }
    spMesh* mesh = spMakeBoxMesh(&meshDef, &test.error);
    bool ok = spAddTestBody(&test, def, mesh, 0) && spAddTestSprings(&test, mesh, 0, (spReal)1e5, 20) &&
              SP_IS_NULL(spAddTestGround(test.world, (spReal)0.5, 0)) == false;
    return spFinishTestWorld(test, mesh, ok);
}

spTestWorld spBuildLattice(const spTestDef* def, int count, spReal stiffness, spReal damping, spReal height)
{
    spTestWorld test = spStartTestWorld(def);
    spLatticeMeshDef meshDef = spDefaultLatticeMeshDef();
    meshDef.origin = (spDVec3){0.0, height, 0.0};
    meshDef.spacing = latticeSpacing;
    meshDef.counts[0] = count;
    meshDef.counts[1] = count;
    spMesh* mesh = spMakeLatticeMesh(&meshDef, &test.error);
    bool ok =
        spAddTestBody(&test, def, mesh, latticeMass) && spAddTestSprings(&test, mesh, stiffness, 0, damping);
    return spFinishTestWorld(test, mesh, ok);
}

spTestWorld spBuildLattice3(const spTestDef* def, int count, spReal spacing, spReal height)
{
    spTestWorld test = spStartTestWorld(def);
    spLatticeMeshDef meshDef = spDefaultLatticeMeshDef();
    meshDef.origin = (spDVec3){0.0, height, 0.0};
    meshDef.spacing = spacing;
    for (int axis = 0; axis < 3; ++axis)
    {
        meshDef.counts[axis] = count;
    }
    spMesh* mesh = spMakeLatticeMesh(&meshDef, &test.error);
    bool ok =
        spAddTestBody(&test, def, mesh, latticeMass) && spAddTestSprings(&test, mesh, 400, 0, (spReal)0.05);
    return spFinishTestWorld(test, mesh, ok);
}

spTestWorld spBuildGasDisc(const spTestDef* def, int points, int layers, spReal diameter, spReal height)
{
    spTestWorld test = spStartTestWorld(def);
    spShellMeshDef meshDef = spDefaultShellMeshDef();
    meshDef.radius = 0.5 * (double)diameter;
    meshDef.center = (spDVec3){0.0, (double)height + meshDef.radius, 0.0};
    meshDef.points = points;
    meshDef.layers = layers;
    meshDef.layerDistance = 0.08 * (double)diameter;
    spMesh* mesh = spMakeDiscMesh(&meshDef, &test.error);
    bool ok =
        spAddTestBody(&test, def, mesh, latticeMass) && spAddTestSprings(&test, mesh, 400, 0, (spReal)0.05);
    int32_t* outline = malloc((size_t)points * sizeof(int32_t));
    if (ok && outline != NULL)
    {
        for (int i = 0; i < points; ++i)
        {
            outline[i] = i;
        }
        // The pressure carries the weight on a footprint of a fifth of the diameter
        spGasDef gasDef = spDefaultGasDef();
        gasDef.ambient = false;
        gasDef.outline = outline;
        gasDef.outlineCount = points;
        double weight = (double)points * layers * (double)latticeMass * 9.81;
        gasDef.restPressure = (spReal)(weight / (0.2 * (double)diameter));
        test.gas = spBody_AddGas(test.world, test.body, &gasDef);
    }
    ok = ok && test.gas >= 0;
    free(outline);
    return spFinishTestWorld(test, mesh, ok);
}

spTestWorld spBuildGasBall(const spTestDef* def, int level, int layers, spReal diameter, spReal height)
{
    spTestWorld test = spStartTestWorld(def);
    spShellMeshDef meshDef = spDefaultShellMeshDef();
    meshDef.radius = 0.5 * (double)diameter;
    meshDef.center = (spDVec3){0.0, (double)height + meshDef.radius, 0.0};
    meshDef.level = level;
    meshDef.layers = layers;
    meshDef.layerDistance = 0.08 * (double)diameter;
    spMesh* mesh = spMakeIcosphereMesh(&meshDef, &test.error);
    bool ok =
        spAddTestBody(&test, def, mesh, latticeMass) && spAddTestSprings(&test, mesh, 400, 0, (spReal)0.05);
    if (ok)
    {
        spGasDef gasDef = spDefaultGasDef();
        gasDef.ambient = false;
        double weight = (double)spMesh_GetVertexCount(mesh) * (double)latticeMass * 9.81;
        double foot = 0.2 * (double)diameter;
        gasDef.restPressure = (spReal)(weight / (foot * foot));
        test.gas = spBody_AddGas(test.world, test.body, &gasDef);
        ok = test.gas >= 0;
    }
    return spFinishTestWorld(test, mesh, ok);
}

spTestWorld spBuildParticle(const spTestDef* def, spReal height, spReal mass)
{
    spTestWorld test = spStartTestWorld(def);
    spVec3 x = {0, height, 0};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = &x;
    bodyDef.positionCount = 1;
    bodyDef.nodeMass = mass;
    bodyDef.method = def->method;
    if (test.world != NULL)
    {
        test.body = spCreateBody(test.world, &bodyDef);
    }
    return spFinishTestWorld(test, NULL, SP_IS_NULL(test.body) == false);
}

int spAddRepulsiveGround(const spTestWorld* test, double k)
{
    spFieldDef field = spDefaultFieldDef();
    field.type = sp_fieldRepulsiveGround;
    field.coefficient = (spReal)k;
    field.minDistance = (spReal)1e-6;
    return spBody_AddField(test->world, test->body, &field);
}

static double spReduceHeight(const spTestWorld* test, bool lowest)
{
    spVec3View x = spBody_GetPositions(test->world, test->body);
    double sum = 0.0, low = INFINITY;
    for (int i = 0; i < x.count; ++i)
    {
        sum += (double)x.data[i].y;
        low = fmin(low, (double)x.data[i].y);
    }
    return lowest ? low : sum / x.count;
}

double spGetMeanHeight(const spTestWorld* test)
{
    return spReduceHeight(test, false);
}

double spGetLowestHeight(const spTestWorld* test)
{
    return spReduceHeight(test, true);
}
