// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Cloth: bending against its energy and against plates and beams, wind against its formula and against free
// fall, drag and coherence, muscles. Same bits for every number of lanes and workers; bad input is refused.

#include "method/method.h"
#include "souple/scene.h"
#include "test/element_test.h"
#include "test/memory_test.h"
#include "testbed/worlds.h"
#include "world/world.h"

#ifdef SOUPLE_DOUBLE_PRECISION
#define ROUNDING 1e-12
#else
#define ROUNDING 1e-5
#endif

static const double s_pi = 3.14159265358979323846;

typedef struct SheetDef
{
    int countX, countZ;
    double sizeX, sizeZ;
    int laneCount, workerCount;
    spVec3 gravity;
    spReal density; // kg/m^2
    bool alternate;
} SheetDef;

static SheetDef MakeSheetDef(void)
{
    return (SheetDef){.countX = 9, .countZ = 7, .sizeX = 1.6, .sizeZ = 1.2, .workerCount = 1, .density = 1};
}

// A sheet in the xz plane with one corner in the origin, without any elements
static spTestWorld MakeSheet(const SheetDef* def)
{
    spTestWorld test = {.springs = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = def->gravity;
    worldDef.laneCount = def->laneCount;
    worldDef.workerCount = def->workerCount;
    test.world = spCreateWorld(&worldDef, NULL);
    spClothMeshDef meshDef = spDefaultClothMeshDef();
    meshDef.corner = (spDVec3){0, 0, 0};
    meshDef.countX = def->countX;
    meshDef.countZ = def->countZ;
    meshDef.sizeX = def->sizeX;
    meshDef.sizeZ = def->sizeZ;
    meshDef.bend = false;
    meshDef.alternate = def->alternate;
    spMesh* mesh = spMakeClothMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = def->density;
    bodyDef.method.type = sp_symplecticEuler;
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    assert_true(spBody_IsValid(test.world, test.body));
    return test;
}

// A ball of triangles without any elements
static spTestWorld MakeShell(int level, int laneCount)
{
    spTestWorld test = {.springs = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    worldDef.laneCount = laneCount;
    test.world = spCreateWorld(&worldDef, NULL);
    spShellMeshDef meshDef = spDefaultShellMeshDef();
    meshDef.level = level;
    spMesh* mesh = spMakeIcosphereMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = (spReal)0.01;
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    return test;
}

static int AddBends(const spTestWorld* test, double stiffness, double damping, bool flat)
{
    spBendDef def = spDefaultBendDef();
    def.stiffness = (spReal)stiffness;
    def.damping = (spReal)damping;
    def.flat = flat;
    int set = spBody_AddBends(test->world, test->body, &def);
    assert_true(set >= 0);
    return set;
}

static int AddSprings(const spTestWorld* test, double stiffness, double damping)
{
    spSpringDef def = spDefaultSpringDef();
    def.damping = 1;
    def.stiffness = (spReal)stiffness;
    def.damping = (spReal)damping;
    int set = spBody_AddSprings(test->world, test->body, &def);
    assert_true(set >= 0);
    return set;
}

static int AddWind(const spTestWorld* test, const spWindDef* def)
{
    int set = spBody_AddWind(test->world, test->body, def);
    assert_true(set >= 0);
    return set;
}

static void ShakeVelocities(spBody* body, double amount, uint64_t* seed)
{
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->v[i] = (spVec4){(spReal)spRandomRange(seed, -amount, amount),
                              (spReal)spRandomRange(seed, -amount, amount),
                              (spReal)spRandomRange(seed, -amount, amount), 0};
    }
}

static double GetLargestForce(const spBody* body)
{
    double largest = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        largest = fmax(largest,
                       fabs((double)body->f[i].x) + fabs((double)body->f[i].y) + fabs((double)body->f[i].z));
    }
    return largest;
}

// ---------------------------------------------------------------------------------------------------------
// Bending

static void TestBendDerivatives(void** state)
{
    SP_UNUSED(state);
    for (int k = 0; k < 3; ++k)
    {
        uint64_t seed = 50 + (uint64_t)k;
        SheetDef def = MakeSheetDef();
        spTestWorld test = k == 0 ? MakeSheet(&def) : MakeShell(1, 0);
        AddBends(&test, 2, 0, k == 2);
        spBody* body = spGetBody(test.world, test.body);
        Shake(body, 0.05, &seed);
        CheckForceIsGradient(body, seed);
        CheckDifference(body, seed);
        CheckMomentum(body);
        spDestroyTestWorld(&test);
    }
}

// One hinge with heights of 1 m, opened to an angle: node numbers are those of the user
static spTestWorld MakeHinge(double angle)
{
    spTestWorld test = {.springs = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    test.world = spCreateWorld(&worldDef, NULL);
    spVec3 flat[4] = {{0, 0, 0}, {0, 0, 1}, {1, 0, (spReal)0.25}, {-1, 0, (spReal)0.5}};
    const int32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    spMeshDef meshDef = spDefaultMeshDef();
    spDVec3 vertices[4];
    for (int i = 0; i < 4; ++i)
    {
        vertices[i] = (spDVec3){(double)flat[i].x, (double)flat[i].y, (double)flat[i].z};
    }
    meshDef.vertices = vertices;
    meshDef.vertexCount = 4;
    meshDef.triangles = triangles;
    meshDef.triangleCount = 2;
    spMesh* mesh = spCreateMesh(&meshDef, NULL);
    assert_non_null(mesh);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = 1;
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    AddBends(&test, 1, 0, false);
    flat[3] = (spVec3){(spReal)-cos(angle), (spReal)sin(angle), (spReal)0.5};
    assert_true(spBody_SetPositions(test.world, test.body, flat, 4));
    return test;
}

// The moment follows the angle over the whole turn: force at a tip = k' theta / height, k' = 3 l^2 / A
static void TestWholeTurn(void** state)
{
    SP_UNUSED(state);
    for (int i = -31; i <= 31; ++i)
    {
        double angle = 0.1 * i;
        spTestWorld test = MakeHinge(angle);
        spBody* body = spGetBody(test.world, test.body);
        EvaluateForces(body);
        spVec4 tip = body->f[body->order.rank[2]];
        CHECK_NEAR(fabs((double)tip.y), 3.0 * fabs(angle), 3.0 * ROUNDING);
        CHECK_NEAR(GetEnergy(body), 1.5 * angle * angle, 3.0 * ROUNDING);
        // It pulls back
        assert_true(i == 0 || (tip.y > 0) == (i < 0));
        spDestroyTestWorld(&test);
    }
}

// A triangle without area has no normal: its hinge lets go, and nothing becomes infinite on the way
static void TestDegenerateHinge(void** state)
{
    SP_UNUSED(state);
    const double scales[] = {1e-1, 1e-2, 1e-4, 1e-8, 1e-16, 0.0};
    double last = INFINITY;
    for (int k = 0; k < SP_COUNT(scales); ++k)
    {
        spTestWorld test = MakeHinge(1.0);
        spBody* body = spGetBody(test.world, test.body);
        spVec4* tip = body->x + body->order.rank[2];
        tip->x = (spReal)scales[k];
        EvaluateForces(body);
        double force = GetLargestForce(body);
        assert_true(isfinite(force));
        assert_true(k == 0 || force < last || force == 0.0);
        last = force;
        spVec4* dx = AllocNodes(4);
        spVec4* dv = AllocNodes(4);
        dx[body->order.rank[3]].y = 1;
        dv[body->order.rank[2]].y = 1;
        EvaluateDifference(body, dx, dv, false);
        assert_true(isfinite(GetLargestForce(body)));
        free(dx);
        free(dv);
        spDestroyTestWorld(&test);
    }
    CHECK_LESS(last, 1e-30);

    // All nodes in one place
    spTestWorld test = MakeHinge(1.0);
    spBody* body = spGetBody(test.world, test.body);
    for (int i = 0; i < 4; ++i)
    {
        body->x[i].x = body->x[i].y = body->x[i].z = 0;
    }
    EvaluateForces(body);
    CHECK_LESS(GetLargestForce(body), 1e-30);
    spDestroyTestWorld(&test);
}

// A rigid motion of the rest shape gives no force; a rigid spin no damping
static void TestRigidShell(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeShell(2, 0);
    AddBends(&test, 1, 1, false);
    spBody* body = spGetBody(test.world, test.body);
    spReal c = (spReal)cos(0.7), s = (spReal)sin(0.7);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        spVec4 x = body->x[i];
        body->x[i] = (spVec4){c * x.x - s * x.y + 2, s * x.x + c * x.y - 1, x.z + 3, x.w};
        body->v[i] = (spVec4){-5 * body->x[i].y + 1, 5 * body->x[i].x, 2, 0};
    }
    EvaluateForces(body);
    double turned = GetLargestForce(body);
    // The same damper against a motion that does change angles
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->v[i] = (spVec4){0, i % 2 == 0 ? 1 : -1, 0, 0};
    }
    EvaluateForces(body);
    printf("largest force %g in rigid motion, %g when shaken\n", turned, GetLargestForce(body));
    CHECK_LESS(turned, 100.0 * ROUNDING * GetLargestForce(body));
    spDestroyTestWorld(&test);
}

// getStiffness is the same matrix as addDifference, symmetric; projected it is not indefinite
static void TestBendStiffness(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 7;
    spTestWorld test = MakeShell(1, 0);
    int set = AddBends(&test, 1, 0, true);
    spBody* body = spGetBody(test.world, test.body);
    Shake(body, 0.1, &seed);
    spNodeState nodeState = spGetNodeState(body);
    const spElementSet* bends = body->sets[set];
    spVec4* dx = AllocNodes(body->nodeCount);
    spVec4* dv = AllocNodes(body->nodeCount);
    double* sum = calloc(3 * (size_t)body->nodeCount, sizeof(double));
    for (int i = 0; i < body->nodeCount; ++i)
    {
        dx[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                         (spReal)spRandomRange(&seed, -1, 1), 0};
    }
    for (int project = 0; project < 2; ++project)
    {
        memset(sum, 0, 3 * (size_t)body->nodeCount * sizeof(double));
        double scale = 0.0, work = 0.0;
        for (int e = 0; e < bends->elementCount; ++e)
        {
            int32_t nodes[SP_MAX_ELEMENT_NODES];
            spMat3 blocks[SP_MAX_ELEMENT_NODES * SP_MAX_ELEMENT_NODES];
            int n = bends->kind->getStiffness(bends, &nodeState, e, project == 1, nodes, blocks);
            assert_int_equal(n, 4);
            for (int i = 0; i < n * n; ++i)
            {
                spMat3 mirror = spTransposeMat3(blocks[n * (i % n) + i / n]);
                CHECK_LESS(spNormMat3(spSubMat3(blocks[i], mirror)), 1e3 * ROUNDING * spNormMat3(blocks[0]));
                spVec3 f = spMulMV3(blocks[i], spXyz(dx[nodes[i % n]]));
                double* target = sum + 3 * (size_t)nodes[i / n];
                target[0] -= (double)f.x;
                target[1] -= (double)f.y;
                target[2] -= (double)f.z;
            }
        }
        EvaluateDifference(body, dx, dv, project == 1);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            scale = fmax(scale, fabs(sum[3 * i]));
            work -= sum[3 * i] * (double)dx[i].x + sum[3 * i + 1] * (double)dx[i].y +
                    sum[3 * i + 2] * (double)dx[i].z;
        }
        for (int i = 0; i < body->nodeCount; ++i)
        {
            CHECK_NEAR(sum[3 * i], body->f[i].x, 10.0 * ROUNDING * scale);
            CHECK_NEAR(sum[3 * i + 1], body->f[i].y, 10.0 * ROUNDING * scale);
            CHECK_NEAR(sum[3 * i + 2], body->f[i].z, 10.0 * ROUNDING * scale);
        }
        assert_true(project == 0 || work >= 0.0);
    }
    free(sum);
    free(dx);
    free(dv);
    spDestroyTestWorld(&test);
}

// The bound holds in bent shapes too, where the second derivative of the angle counts
static void TestBendBound(void** state)
{
    SP_UNUSED(state);
    const double shakes[] = {0.0, 0.02, 0.1, 0.2};
    for (int k = 0; k < SP_COUNT(shakes); ++k)
    {
        uint64_t seed = 90 + (uint64_t)k;
        SheetDef def = MakeSheetDef();
        spTestWorld test = MakeSheet(&def);
        AddBends(&test, 1, 0, false);
        spBody* body = spGetBody(test.world, test.body);
        Shake(body, shakes[k], &seed);
        spVec4* dx = AllocNodes(body->nodeCount);
        spVec4* dv = AllocNodes(body->nodeCount);
        Shake(body, 0.0, &seed);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            dx[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                             (spReal)spRandomRange(&seed, -1, 1), 0};
        }
        double eigenvalue = 0.0;
        for (int round = 0; round < 200; ++round)
        {
            EvaluateDifference(body, dx, dv, false);
            double norm = 0.0;
            for (int i = 0; i < body->nodeCount; ++i)
            {
                spReal w = body->x[i].w;
                dx[i] = (spVec4){w * body->f[i].x, w * body->f[i].y, w * body->f[i].z, 0};
                norm += (double)dx[i].x * dx[i].x + (double)dx[i].y * dx[i].y + (double)dx[i].z * dx[i].z;
            }
            eigenvalue = sqrt(norm);
            for (int i = 0; i < body->nodeCount; ++i)
            {
                dx[i].x /= (spReal)eigenvalue;
                dx[i].y /= (spReal)eigenvalue;
                dx[i].z /= (spReal)eigenvalue;
            }
        }
        spMat3* scratch = calloc(2 * (size_t)body->nodeCount, sizeof(spMat3));
        double bound, damping;
        spBoundFrequencies(body, scratch, &bound, &damping);
        printf("shaken by %g m: largest eigenvalue %g, bound %g\n", shakes[k], eigenvalue, bound);
        CHECK_LESS(eigenvalue, bound * 1.001);
        CHECK_LESS(bound, (k == 0 ? 3.0 : 20.0) * eigenvalue);
        free(scratch);
        free(dx);
        free(dv);
        spDestroyTestWorld(&test);
    }
}

// A flat sheet rolled to a cylinder has the energy of a plate, 1/2 D curvature^2 on its area, D = 3 k; the
// two border columns have no hinge, which is what the error falls with
static void TestPlateEnergy(void** state)
{
    SP_UNUSED(state);
    const double radius = 0.7;
    double last = INFINITY;
    for (int count = 9; count <= 65; count = 2 * count - 1)
    {
        SheetDef def = MakeSheetDef();
        def.countX = count;
        def.countZ = count;
        def.sizeX = def.sizeZ = 1.0;
        spTestWorld test = MakeSheet(&def);
        AddBends(&test, 2, 0, false);
        spBody* body = spGetBody(test.world, test.body);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            double angle = (double)body->x[i].x / radius;
            body->x[i].x = (spReal)(radius * sin(angle));
            body->x[i].y = (spReal)(radius * (1.0 - cos(angle)));
        }
        double want = 0.5 * 3.0 * 2.0 / (radius * radius);
        double error = fabs(GetEnergy(body) / want - 1.0);
        printf("%d x %d nodes: energy off by %.2f %%\n", count, count, 100.0 * error);
        CHECK_LESS(error, 0.6 * last);
        last = error;
        spDestroyTestWorld(&test);
    }
    CHECK_LESS(last, 0.03);
}

// Rolled along one diagonal and along the other: the energy of a sheet whose diagonals all run the same way
// differs three times, of one where they alternate not at all
static void TestDiagonals(void** state)
{
    SP_UNUSED(state);
    const double radius = 1.5, root = sqrt(0.5);
    for (int alternate = 0; alternate < 2; ++alternate)
    {
        double energies[2];
        for (int side = 0; side < 2; ++side)
        {
            SheetDef def = MakeSheetDef();
            def.countX = def.countZ = 33;
            def.sizeX = def.sizeZ = 1.0;
            def.alternate = alternate != 0;
            spTestWorld test = MakeSheet(&def);
            AddBends(&test, 2, 0, false);
            spBody* body = spGetBody(test.world, test.body);
            for (int i = 0; i < body->nodeCount; ++i)
            {
                double x = (double)body->x[i].x, z = (double)body->x[i].z * (side == 0 ? 1.0 : -1.0);
                double along = root * (x + z), across = root * (x - z), angle = along / radius;
                double arc = radius * sin(angle);
                body->x[i].x = (spReal)(root * (arc + across));
                body->x[i].z = (spReal)(root * (arc - across) * (side == 0 ? 1.0 : -1.0));
                body->x[i].y = (spReal)(radius * (1.0 - cos(angle)));
            }
            energies[side] = GetEnergy(body);
            spDestroyTestWorld(&test);
        }
        double ratio = fmax(energies[0], energies[1]) / fmin(energies[0], energies[1]);
        printf("%s diagonals: energies %.3f and %.3f J\n", alternate ? "alternating" : "parallel",
               energies[0], energies[1]);
        assert_true(alternate != 0 ? ratio < 1.02 : ratio > 2.5);
    }
}

// Young's modulus gives k = E t^3 / (36 (1 - nu^2)), a third of the plate's
static void TestBendFromModulus(void** state)
{
    SP_UNUSED(state);
    SheetDef sheetDef = MakeSheetDef();
    spTestWorld test = MakeSheet(&sheetDef);
    spBendDef def = spDefaultBendDef();
    def.youngModulus = (spReal)1e6;
    def.poissonRatio = (spReal)0.3;
    def.thickness = (spReal)0.01;
    int set = spBody_AddBends(test.world, test.body, &def);
    assert_true(set >= 0);
    double plate = 1e6 * 1e-6 / (12.0 * (1.0 - 0.09));
    CHECK_NEAR(spGetBendSet(spGetBody(test.world, test.body), set)->stiffness, plate / 3.0, ROUNDING);
    spDestroyTestWorld(&test);
}

// A strip that is clamped at one end and carries its weight sags as a beam does: w L^4 / (8 EI). Diagonals
// that all run the same way couple bending with twist, which makes EI the share s^2 / (r^2 + s^2) of D, r =
// width / length of the cells, s = r + 1 / r: docs/cloth.md.
static void TestCantilever(void** state)
{
    SP_UNUSED(state);
    const double length = 1.0, width = 0.0625, plate = 0.3, share = 6.25 / 6.5;
    SheetDef def = {.countX = 33,
                    .countZ = 5,
                    .sizeX = length,
                    .sizeZ = width,
                    .workerCount = 1,
                    .gravity = {0, (spReal)-1, 0},
                    .density = (spReal)0.05};
    spTestWorld test = MakeSheet(&def);
    AddBends(&test, plate / 3.0, 0, false);
    AddSprings(&test, 2000, 0.1);
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = 4;
    assert_true(spBody_AddField(test.world, test.body, &drag) >= 0);
    const int32_t clamped[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_true(spBody_PinNodes(test.world, test.body, clamped, SP_COUNT(clamped)));
    for (int i = 0; i < 300; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
    }
    spVec3View x = spBody_GetPositions(test.world, test.body);
    double tip = -(double)x.data[x.count - 3].y;
    double free = length * 63.0 / 64.0; // the first hinge bends half a cell on either side of it
    double want = 0.05 * free * free * free * free / (8.0 * share * plate);
    printf("the tip sags %.5f m, a beam %.5f m\n", tip, want);
    CHECK_NEAR(tip, want, 0.03 * want);
    spDestroyTestWorld(&test);
}

// ---------------------------------------------------------------------------------------------------------
// Wind

static spVec3 SumForces(const spBody* body)
{
    spVec3 sum = {0, 0, 0};
    for (int i = 0; i < body->nodeCount; ++i)
    {
        sum = spAdd3(sum, spXyz(body->f[i]));
    }
    return sum;
}

// On a sheet at rest: 1/2 rho A (Cn |w.n| w.n n + Ct |t| t)
static void TestWindForce(void** state)
{
    SP_UNUSED(state);
    SheetDef sheetDef = MakeSheetDef();
    spTestWorld test = MakeSheet(&sheetDef);
    spWindDef def = spDefaultWindDef();
    def.velocity = (spVec3){3, -2, 4};
    def.normalDrag = (spReal)1.3;
    def.tangentDrag = (spReal)0.2;
    def.gustAmplitude = (spReal)0.5;
    def.gustFrequency = (spReal)0.25;
    int set = AddWind(&test, &def);
    spBody* body = spGetBody(test.world, test.body);
    const double half = 0.5 * 1.2 * 1.6 * 1.2;
    for (int gust = 0; gust < 2; ++gust)
    {
        body->time = (double)gust; // a quarter of a period: the strongest
        double speed = gust == 0 ? 1.0 : 1.5;
        EvaluateForces(body);
        spVec3 f = SumForces(body);
        CHECK_NEAR(f.x, half * 0.2 * 5.0 * 3.0 * speed * speed, 100.0 * ROUNDING);
        CHECK_NEAR(f.y, -half * 1.3 * 4.0 * speed * speed, 100.0 * ROUNDING);
        CHECK_NEAR(f.z, half * 0.2 * 5.0 * 4.0 * speed * speed, 100.0 * ROUNDING);
    }
    assert_true(spBody_SetWind(test.world, test.body, set, (spVec3){0, 0, 0}));
    EvaluateForces(body);
    CHECK_LESS(GetLargestForce(body), 1e-30);

    // Moving with the wind there is none either
    assert_true(spBody_SetWind(test.world, test.body, set, (spVec3){1, 2, 3}));
    body->time = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->v[i] = (spVec4){1, 2, 3, 0};
    }
    EvaluateForces(body);
    CHECK_LESS(GetLargestForce(body), ROUNDING);
    spDestroyTestWorld(&test);
}

// A one-sided ball feels half of the normal drag of a two-sided one, on the side that goes first
static void TestOneSidedWind(void** state)
{
    SP_UNUSED(state);
    double drag[2], front = 0.0, back = 0.0;
    for (int oneSided = 0; oneSided < 2; ++oneSided)
    {
        spTestWorld test = MakeShell(3, 0);
        spWindDef def = spDefaultWindDef();
        def.density = 1000;
        def.tangentDrag = 0;
        def.oneSided = oneSided == 1;
        AddWind(&test, &def);
        spBody* body = spGetBody(test.world, test.body);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            body->v[i] = (spVec4){2, 0, 0, 0};
        }
        EvaluateForces(body);
        drag[oneSided] = (double)SumForces(body).x;
        spVec3 centre = spBody_GetCenter(test.world, test.body);
        for (int i = 0; oneSided == 1 && i < body->nodeCount; ++i)
        {
            double x = (double)(body->x[i].x - centre.x);
            front += x > 0.1 ? fabs((double)body->f[i].x) : 0.0;
            back += x < -0.1 ? fabs((double)body->f[i].x) : 0.0;
        }
        spDestroyTestWorld(&test);
    }
    assert_true(drag[0] < 0.0 && back == 0.0 && front > 0.0);
    CHECK_NEAR(drag[1], 0.5 * drag[0], 1e-3 * fabs(drag[0]));
}

// The change for dv against the force itself
static void TestWindDifference(void** state)
{
    SP_UNUSED(state);
    for (int oneSided = 0; oneSided < 2; ++oneSided)
    {
        uint64_t seed = 11;
        spTestWorld test = MakeShell(1, 0);
        spWindDef def = spDefaultWindDef();
        def.velocity = (spVec3){5, 1, 0};
        def.tangentDrag = (spReal)0.5;
        def.oneSided = oneSided == 1;
        AddWind(&test, &def);
        spBody* body = spGetBody(test.world, test.body);
        ShakeVelocities(body, 0.5, &seed);
        int n = body->nodeCount;
        spVec4* dx = AllocNodes(n);
        spVec4* dv = AllocNodes(n);
        spVec4* saved = AllocNodes(n);
        double* want = calloc(3 * (size_t)n, sizeof(double));
        memcpy(saved, body->v, (size_t)n * sizeof(spVec4));
        for (int i = 0; i < n; ++i)
        {
            dv[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                             (spReal)spRandomRange(&seed, -1, 1), 0};
        }
        for (int side = -1; side <= 1; side += 2)
        {
            spReal h = (spReal)(side * STEP);
            for (int i = 0; i < n; ++i)
            {
                body->v[i] =
                    (spVec4){saved[i].x + h * dv[i].x, saved[i].y + h * dv[i].y, saved[i].z + h * dv[i].z, 0};
            }
            EvaluateForces(body);
            for (int i = 0; i < n; ++i)
            {
                want[3 * i] += side * (double)body->f[i].x / (2.0 * STEP);
                want[3 * i + 1] += side * (double)body->f[i].y / (2.0 * STEP);
                want[3 * i + 2] += side * (double)body->f[i].z / (2.0 * STEP);
            }
        }
        memcpy(body->v, saved, (size_t)n * sizeof(spVec4));
        EvaluateDifference(body, dx, dv, false);
        double scale = GetLargestForce(body), power = 0.0;
        for (int i = 0; i < n; ++i)
        {
            CHECK_NEAR(body->f[i].x, want[3 * i], FORCE_TOLERANCE * scale);
            CHECK_NEAR(body->f[i].y, want[3 * i + 1], FORCE_TOLERANCE * scale);
            CHECK_NEAR(body->f[i].z, want[3 * i + 2], FORCE_TOLERANCE * scale);
            power += (double)body->f[i].x * dv[i].x + (double)body->f[i].y * dv[i].y +
                     (double)body->f[i].z * dv[i].z;
        }
        CHECK_LESS(power, 0.0);
        free(dx);
        free(dv);
        free(saved);
        free(want);
        spDestroyTestWorld(&test);
    }
}

// A flat sheet falls at sqrt(2 m g / (rho Cn A)) in the end, in air and in water, where it gets there within
// a few centimetres and only small steps are stable
static void TestTerminalVelocity(void** state)
{
    SP_UNUSED(state);
    const double densities[] = {1.2, 1000.0};
    for (int k = 0; k < 2; ++k)
    {
        SheetDef sheetDef = MakeSheetDef();
        sheetDef.gravity = (spVec3){0, (spReal)-9.81, 0};
        sheetDef.density = (spReal)0.1;
        spTestWorld test = MakeSheet(&sheetDef);
        spWindDef def = spDefaultWindDef();
        def.density = (spReal)densities[k];
        AddWind(&test, &def);
        for (int i = 0; i < 45; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
        }
        double want = sqrt(2.0 * 0.1 * 9.81 / densities[k]);
        spVec3View v = spBody_GetVelocities(test.world, test.body);
        double mean = 0.0;
        for (int i = 0; i < v.count; ++i)
        {
            mean -= (double)v.data[i].y / v.count;
        }
        printf("falls at %.4f m/s, formula %.4f m/s\n", mean, want);
        CHECK_NEAR(mean, want, 1e-3 * want);
        spDestroyTestWorld(&test);
    }
}

// ---------------------------------------------------------------------------------------------------------
// The whole

// A flag of springs, bends and wind; returns the hash of its state
static uint64_t RunFlag(int lanes, int workers, int steps, double* largestSpeed)
{
    SheetDef def = {.countX = 41,
                    .countZ = 27,
                    .sizeX = 1.5,
                    .sizeZ = 1.0,
                    .laneCount = lanes,
                    .workerCount = workers,
                    .gravity = {0, 0, (spReal)9.81},
                    .density = (spReal)0.15};
    spTestWorld test = MakeSheet(&def);
    AddSprings(&test, 200, 0.05);
    AddBends(&test, 1e-4, 1e-5, true);
    spWindDef wind = spDefaultWindDef();
    wind.velocity = (spVec3){8, 1, 0};
    wind.gustAmplitude = (spReal)0.3;
    wind.gustFrequency = (spReal)1.5;
    AddWind(&test, &wind);
    int32_t pole[27];
    for (int i = 0; i < 27; ++i)
    {
        pole[i] = i;
    }
    assert_true(spBody_PinNodes(test.world, test.body, pole, 27));
    for (int i = 0; i < steps; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
        const spBody* body = spGetBody(test.world, test.body);
        for (int k = 0; largestSpeed != NULL && k < body->nodeCount; ++k)
        {
            *largestSpeed = fmax(*largestSpeed, (double)spLength3(spXyz(body->v[k])));
        }
    }
    uint64_t hash = spWorld_GetStateHash(test.world);
    spDestroyTestWorld(&test);
    return hash;
}

static void TestFlag(void** state)
{
    SP_UNUSED(state);
    double largest = 0.0;
    RunFlag(0, 1, 180, &largest);
    printf("largest speed of the flag %.2f m/s in a wind of 8 m/s\n", largest);
    CHECK_LESS(largest, 40.0);
    assert_true(largest > 1.0);
}

static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    const int lanes[] = {1, 4, 8, 16};
    uint64_t hash = RunFlag(0, 1, 20, NULL);
    printf("state hash %016llx\n", (unsigned long long)hash);
    assert_true(RunFlag(0, 2, 20, NULL) == hash);
    for (int k = 0; k < SP_COUNT(lanes) && lanes[k] <= spGetLaneCount(); ++k)
    {
        assert_true(RunFlag(lanes[k], 1, 20, NULL) == hash);
    }
}

// Forces and differences of every kind here in every number of lanes
static void TestLanesGiveTheSameBits(void** state)
{
    SP_UNUSED(state);
    const int lanes[] = {1, 4, 8, 16};
    for (int kind = 0; kind < 4; ++kind)
    {
        spVec4* reference[2] = {NULL, NULL};
        for (int k = 0; k < SP_COUNT(lanes) && lanes[k] <= spGetLaneCount(); ++k)
        {
            uint64_t seed = 77;
            spTestWorld test = MakeShell(2, lanes[k]);
            spWindDef wind = spDefaultWindDef();
            wind.velocity = (spVec3){3, 2, 1};
            wind.oneSided = kind == 2;
            spSpringDef muscle = spDefaultSpringDef();
            muscle.damping = 1;
            muscle.activationAmplitude = (spReal)0.3;
            muscle.activationPhase = 40;
            int set = kind == 0   ? AddBends(&test, 2, 1, false)
                      : kind == 3 ? spBody_AddSprings(test.world, test.body, &muscle)
                                  : AddWind(&test, &wind);
            assert_true(set >= 0);
            spBody* body = spGetBody(test.world, test.body);
            Shake(body, 0.1, &seed);
            ShakeVelocities(body, 1, &seed);
            spVec4* d = AllocNodes(body->nodeCount);
            for (int i = 0; i < body->nodeCount; ++i)
            {
                d[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                                (spReal)spRandomRange(&seed, -1, 1), 0};
            }
            size_t size = (size_t)body->nodeCount * sizeof(spVec4);
            for (int round = 0; round < 2; ++round)
            {
                if (round == 0)
                {
                    EvaluateForces(body);
                }
                else
                {
                    EvaluateDifference(body, d, body->v, false);
                }
                assert_true(GetLargestForce(body) > 0.0);
                if (reference[round] == NULL)
                {
                    reference[round] = malloc(size);
                    memcpy(reference[round], body->f, size);
                }
                assert_memory_equal(reference[round], body->f, size);
            }
            free(d);
            spDestroyTestWorld(&test);
        }
        free(reference[0]);
        free(reference[1]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Fields

// Every velocity decays as exp(-c t), light and heavy nodes alike
static void TestMassDrag(void** state)
{
    SP_UNUSED(state);
    SheetDef sheetDef = MakeSheetDef();
    spTestWorld test = MakeSheet(&sheetDef);
    spFieldDef def = spDefaultFieldDef();
    def.type = sp_fieldMassDrag;
    def.coefficient = 2;
    assert_true(spBody_AddField(test.world, test.body, &def) >= 0);
    spMethodDef method = spDefaultMethodDef();
    method.substeps = 100;
    assert_true(spBody_SetMethod(test.world, test.body, &method));
    spBody* body = spGetBody(test.world, test.body);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->v[i].x = 1;
    }
    for (int i = 0; i < 60; ++i)
    {
        spWorld_Step(test.world, (spReal)(1.0 / 60.0));
    }
    for (int i = 0; i < body->nodeCount; ++i)
    {
        CHECK_NEAR(body->v[i].x, exp(-2.0), 1e-3);
    }
    spDestroyTestWorld(&test);
}

// However strong drag is, automatic substeps never let it turn a velocity round
static void TestDragDoesNotTurn(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_symplecticEuler, sp_verlet, sp_rungeKutta4, sp_forwardEuler};
    const spFieldType fields[] = {sp_fieldDrag, sp_fieldMassDrag};
    for (int k = 0; k < 8; ++k)
    {
        for (int strength = 0; strength < 4; ++strength)
        {
            SheetDef sheetDef = MakeSheetDef();
            spTestWorld test = MakeSheet(&sheetDef);
            spFieldDef def = spDefaultFieldDef();
            def.type = fields[k % 2];
            def.coefficient = (spReal)(0.3 * pow(6.0, strength));
            assert_true(spBody_AddField(test.world, test.body, &def) >= 0);
            spMethodDef method = spDefaultMethodDef();
            method.type = types[k / 2];
            assert_true(spBody_SetMethod(test.world, test.body, &method));
            spBody* body = spGetBody(test.world, test.body);
            for (int i = 0; i < body->nodeCount; ++i)
            {
                body->v[i] = (spVec4){1, -2, 0, 0};
            }
            for (int i = 0; i < 3; ++i)
            {
                assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
            }
            for (int i = 0; i < body->nodeCount; ++i)
            {
                assert_true(body->v[i].x >= 0 && body->v[i].x <= 1 && body->v[i].y <= 0);
            }
            spDestroyTestWorld(&test);
        }
    }
}

// F6: over 1e5 random cases coherence never raises |v| nor turns v round, for any step up to the stable one
static void TestCoherence(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 2000;
    SheetDef sheetDef = MakeSheetDef();
    sheetDef.countX = sheetDef.countZ = 18;
    spTestWorld test = MakeSheet(&sheetDef);
    spFieldDef def = spDefaultFieldDef();
    def.type = sp_fieldCoherence;
    def.coefficient = 3;
    assert_true(spBody_AddField(test.world, test.body, &def) >= 0);
    spBody* body = spGetBody(test.world, test.body);
    double stable = spBody_GetStableStep(test.world, test.body);
    int cases = 0, acted = 0;
    while (cases < 100000)
    {
        // From all alike to all different
        double spread = spRandomRange(&seed, 0.0, 2.0), h = spRandomRange(&seed, 0.0, 1.0) * stable;
        ShakeVelocities(body, spread, &seed);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            body->v[i].x += 1;
        }
        EvaluateForces(body);
        for (int i = 0; i < body->nodeCount; ++i, ++cases)
        {
            double w = h * (double)body->x[i].w;
            double v[3] = {body->v[i].x, body->v[i].y, body->v[i].z};
            double u[3] = {v[0] + w * (double)body->f[i].x, v[1] + w * (double)body->f[i].y,
                           v[2] + w * (double)body->f[i].z};
            double before = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            double after = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
            double along = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
            assert_true(after <= before * (1.0 + ROUNDING));
            assert_true(along >= -before * ROUNDING);
            acted += body->f[i].x != 0 ? 1 : 0;
        }
    }
    printf("acted in %d of %d cases\n", acted, cases);
    assert_true(acted > cases / 20 && acted < cases);

    // One node that moves alone is slowed down as the formula says, and its neighbours are not pulled along
    memset(body->v, 0, (size_t)body->nodeCount * sizeof(spVec4));
    int node = body->order.rank[18 * 9 + 9];
    body->v[node].y = 2;
    EvaluateForces(body);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        CHECK_NEAR(body->f[i].y, i == node ? -6.0 : 0.0, ROUNDING);
    }

    // A uniform motion is left alone
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->v[i] = (spVec4){1, 2, 3, 0};
    }
    EvaluateForces(body);
    CHECK_LESS(GetLargestForce(body), 100.0 * ROUNDING);
    spDestroyTestWorld(&test);
}

// ---------------------------------------------------------------------------------------------------------
// Springs

static spTestWorld MakePair(const spSpringDef* springDef)
{
    spTestWorld test = {.gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    test.world = spCreateWorld(&worldDef, NULL);
    const spVec3 positions[2] = {{0, 0, 0}, {2, 0, 0}};
    static const int32_t edge[2] = {0, 1};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = positions;
    bodyDef.positionCount = 2;
    bodyDef.nodeMass = 1;
    test.body = spCreateBody(test.world, &bodyDef);
    spSpringDef def = *springDef;
    def.edges = edge;
    def.edgeCount = 1;
    test.springs = spBody_AddSprings(test.world, test.body, &def);
    assert_true(test.springs >= 0);
    return test;
}

// Debunne's rules for the stiffness of springs of different lengths: constant, with l0, with 1 / l0
static void TestSpringLaws(void** state)
{
    SP_UNUSED(state);
    const spSpringLaw laws[] = {sp_springHooke, sp_springProportional, sp_springNormalised};
    const double forces[] = {50.0 * 0.5, 50.0 * 2.0 * 0.5, 50.0 / 2.0 * 0.5};
    for (int k = 0; k < 3; ++k)
    {
        spSpringDef def = spDefaultSpringDef();
        def.damping = 1;
        def.law = laws[k];
        def.stiffness = 50;
        spTestWorld test = MakePair(&def);
        spBody* body = spGetBody(test.world, test.body);
        body->x[body->order.rank[1]].x = (spReal)2.5;
        EvaluateForces(body);
        CHECK_NEAR(body->f[body->order.rank[0]].x, forces[k], 10.0 * ROUNDING);
        CHECK_NEAR(GetEnergy(body), 0.5 * forces[k] * 0.5, 10.0 * ROUNDING);
        spDestroyTestWorld(&test);
    }
    // Van Gelder's rule gives the same stiffness in N/m whatever the law
    double reference = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        SheetDef sheetDef = MakeSheetDef();
        spTestWorld test = MakeSheet(&sheetDef);
        spSpringDef def = spDefaultSpringDef();
        def.damping = 1;
        def.law = laws[k];
        def.youngModulus = 1000;
        def.thickness = (spReal)0.01;
        assert_true(spBody_AddSprings(test.world, test.body, &def) >= 0);
        spBody* body = spGetBody(test.world, test.body);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            body->x[i].x *= (spReal)1.1;
        }
        double energy = GetEnergy(body);
        reference = k == 0 ? energy : reference;
        CHECK_NEAR(energy, reference, 10.0 * ROUNDING * reference);
        spDestroyTestWorld(&test);
    }
}

// The rest length follows 1 + amplitude sin(2 pi f t + phase)
static void TestMuscle(void** state)
{
    SP_UNUSED(state);
    for (int law = 0; law < sp_springLawCount; ++law)
    {
        spSpringDef def = spDefaultSpringDef();
        def.damping = 1;
        def.law = (spSpringLaw)law;
        def.stiffness = 40;
        def.restScale = (spReal)0.4;
        def.activationAmplitude = (spReal)0.25;
        def.activationFrequency = 2;
        def.activationPhase = 30;
        spTestWorld test = MakePair(&def);
        spBody* body = spGetBody(test.world, test.body);
        double rest = 0.8;
        double k = law == sp_springNormalised     ? 40.0 / rest
                   : law == sp_springProportional ? 40.0 * rest
                                                  : 40.0;
        for (int i = 0; i < 10; ++i)
        {
            body->time = 0.037 * i;
            double active = rest * (1.0 + 0.25 * sin(2.0 * s_pi * 2.0 * body->time + s_pi / 6.0));
            EvaluateForces(body);
            CHECK_NEAR(body->f[body->order.rank[0]].x, k * (2.0 - active), 200.0 * ROUNDING);
            CHECK_NEAR(GetEnergy(body), 0.5 * k * (2.0 - active) * (2.0 - active), 200.0 * ROUNDING);
        }
        // Off again
        assert_true(spBody_SetActivation(test.world, test.body, test.springs, 0, 2, 30));
        EvaluateForces(body);
        CHECK_NEAR(body->f[body->order.rank[0]].x, k * (2.0 - rest), 200.0 * ROUNDING);
        spDestroyTestWorld(&test);
    }
}

// A muscle between two free masses, slower than their own swing: the distance follows the rest length
static void TestMuscleMoves(void** state)
{
    SP_UNUSED(state);
    spSpringDef def = spDefaultSpringDef();
    def.damping = 1;
    def.stiffness = 2000;
    def.damping = 20;
    def.activationAmplitude = (spReal)-0.3;
    def.activationFrequency = (spReal)0.5;
    spTestWorld test = MakePair(&def);
    double shortest = INFINITY, longest = 0.0;
    for (int i = 0; i < 240; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
        spVec3View x = spBody_GetPositions(test.world, test.body);
        double distance = (double)spDistance3(x.data[0], x.data[1]);
        shortest = i > 60 ? fmin(shortest, distance) : shortest;
        longest = i > 60 ? fmax(longest, distance) : longest;
    }
    CHECK_NEAR(shortest, 1.4, 0.03);
    CHECK_NEAR(longest, 2.6, 0.03);
    spDestroyTestWorld(&test);
}

// ---------------------------------------------------------------------------------------------------------
// Bad input and scenes

static void CheckRefused(spWorld* world, bool refused, const char* part)
{
    assert_true(refused);
    if (strstr(spWorld_GetLastError(world).message, part) == NULL)
    {
        print_error("\"%s\" does not say \"%s\"\n", spWorld_GetLastError(world).message, part);
        fail();
    }
    spWorld_ClearError(world);
}

static void TestBadBends(void** state)
{
    SP_UNUSED(state);
    SheetDef sheetDef = MakeSheetDef();
    spTestWorld test = MakeSheet(&sheetDef);
    spWorld* w = test.world;
    spBendDef good = spDefaultBendDef(), def = good;
    CheckRefused(w, spBody_AddBends(w, test.body, NULL) < 0, "spDefaultBendDef");
    def.internalValue = 0;
    CheckRefused(w, spBody_AddBends(w, test.body, &def) < 0, "spDefaultBendDef");
    def = good;
    def.stiffness = -1;
    CheckRefused(w, spBody_AddBends(w, test.body, &def) < 0, "negative");
    def = good;
    def.damping = NAN;
    CheckRefused(w, spBody_AddBends(w, test.body, &def) < 0, "negative");
    def = good;
    def.youngModulus = 1000;
    CheckRefused(w, spBody_AddBends(w, test.body, &def) < 0, "thickness");
    def.thickness = (spReal)0.01;
    def.poissonRatio = 1;
    CheckRefused(w, spBody_AddBends(w, test.body, &def) < 0, "Poisson");
    int set = spBody_AddBends(w, test.body, &good);
    assert_int_equal(set, 0);
    CheckRefused(w, spBody_SetBends(w, test.body, 5, 1, 1) == false, "no bending");
    CheckRefused(w, spBody_SetBends(w, test.body, set, -1, 1) == false, "negative");
    CheckRefused(w, spBody_SetSprings(w, test.body, set, 1, 1) == false, "no springs");
    CheckRefused(w, spBody_SetWind(w, test.body, set, (spVec3){0, 0, 0}) == false, "no wind");
    CheckRefused(w, spBody_SetField(w, test.body, set, 1) == false, "no field");
    assert_true(spBody_SetBends(w, test.body, set, 1, 1));
    spDestroyTestWorld(&test);

    // Without triangles, and without an inner edge
    spTestDef pointDef = spDefaultTestDef();
    test = spBuildParticle(&pointDef, 1, 1);
    CheckRefused(test.world, spBody_AddBends(test.world, test.body, &good) < 0, "needs triangles");
    spWindDef wind = spDefaultWindDef();
    CheckRefused(test.world, spBody_AddWind(test.world, test.body, &wind) < 0, "needs triangles");
    spDestroyTestWorld(&test);
}

static void TestBadWind(void** state)
{
    SP_UNUSED(state);
    SheetDef sheetDef = MakeSheetDef();
    spTestWorld test = MakeSheet(&sheetDef);
    spWorld* w = test.world;
    spWindDef good = spDefaultWindDef(), def = good;
    CheckRefused(w, spBody_AddWind(w, test.body, NULL) < 0, "spDefaultWindDef");
    def.velocity.y = INFINITY;
    CheckRefused(w, spBody_AddWind(w, test.body, &def) < 0, "finite");
    def = good;
    def.gustAmplitude = -1;
    CheckRefused(w, spBody_AddWind(w, test.body, &def) < 0, "gusts");
    def = good;
    def.density = -1;
    CheckRefused(w, spBody_AddWind(w, test.body, &def) < 0, "density");
    def = good;
    def.tangentDrag = NAN;
    CheckRefused(w, spBody_AddWind(w, test.body, &def) < 0, "drag");
    int set = spBody_AddWind(w, test.body, &good);
    assert_true(set >= 0);
    CheckRefused(w, spBody_SetWind(w, test.body, set, (spVec3){NAN, 0, 0}) == false, "finite");
    CheckRefused(w, spBody_SetWind(w, test.body, -1, (spVec3){0, 0, 0}) == false, "no wind");
    spDestroyTestWorld(&test);
}

static void TestBadFieldsAndMuscles(void** state)
{
    SP_UNUSED(state);
    spTestDef pointDef = spDefaultTestDef();
    spTestWorld test = spBuildParticle(&pointDef, 1, 1);
    spFieldDef field = spDefaultFieldDef();
    field.type = sp_fieldCoherence;
    CheckRefused(test.world, spBody_AddField(test.world, test.body, &field) < 0, "share an edge");
    spDestroyTestWorld(&test);

    spSpringDef springs = spDefaultSpringDef();

    springs.damping = 1;
    test = MakePair(&springs);
    spWorld* w = test.world;
    field.coefficient = -1;
    CheckRefused(w, spBody_AddField(w, test.body, &field) < 0, "out of range");
    const spReal amplitudes[] = {1, -1, NAN, 2};
    for (int i = 0; i < SP_COUNT(amplitudes); ++i)
    {
        springs.activationAmplitude = amplitudes[i];
        CheckRefused(w, spBody_AddSprings(w, test.body, &springs) < 0, "activation");
        CheckRefused(w, spBody_SetActivation(w, test.body, test.springs, amplitudes[i], 1, 0) == false,
                     "activation");
    }
    CheckRefused(w, spBody_SetActivation(w, test.body, test.springs, 0, -1, 0) == false, "frequency");
    CheckRefused(w, spBody_SetActivation(w, test.body, 7, 0, 1, 0) == false, "no springs");
    spDestroyTestWorld(&test);
}

// Every allocation failing in turn: an error each time, nothing leaks, and the set can be added afterwards
static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    const spDVec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const int32_t triangles[6] = {0, 1, 2, 1, 3, 2};
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = vertices;
    meshDef.vertexCount = 4;
    meshDef.triangles = triangles;
    meshDef.triangleCount = 2;
    spMesh* mesh = spCreateMesh(&meshDef, NULL);
    FailingAllocator counter = {.failAt = -1, .failAfter = true};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.allocator = MakeFailingAllocator(&counter);
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = 1;
    spBodyId body = spCreateBody(world, &bodyDef);
    spDestroyMesh(mesh);
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    springs.edges = triangles;
    springs.edgeCount = 2;
    assert_int_equal(spBody_AddSprings(world, body, &springs), 0);
    spBendDef bends = spDefaultBendDef();
    spWindDef wind = spDefaultWindDef();
    spFieldDef coherence = spDefaultFieldDef();
    coherence.type = sp_fieldCoherence;
    for (int kind = 0; kind < 3; ++kind)
    {
        int set = -1, tries = 0;
        for (; set < 0; ++tries)
        {
            int64_t out = counter.out;
            counter.failAt = counter.count + tries;
            set = kind == 0   ? spBody_AddBends(world, body, &bends)
                  : kind == 1 ? spBody_AddWind(world, body, &wind)
                              : spBody_AddField(world, body, &coherence);
            assert_true(set >= 0 || counter.out == out);
            assert_true(set >= 0 || spWorld_GetLastError(world).code == sp_errorOutOfMemory);
            assert_true(tries < 100);
        }
        assert_int_equal(set, kind + 1);
        assert_true(tries > 3);
    }
    counter.failAt = -1;
    assert_int_equal(spWorld_Step(world, (spReal)(1.0 / 60.0)), 0);
    spDestroyWorld(world);
    assert_int_equal(counter.out, 0);
}

static void CheckBadScene(const char* generator, const char* keys, const char* event, const char* part)
{
    char text[1024];
    snprintf(text, sizeof(text),
             "{\"souple\": 1, \"bodies\": [{\"name\": \"a\", \"mesh\": {\"generator\": \"%s\"}, "
             "\"nodeMass\": 0.01, \"springs\": {}%s}], \"events\": [%s]}",
             generator, keys, event);
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene(text, strlen(text), NULL, NULL, &error);
    spRunDef runDef = spDefaultRunDef();
    spRun* run = scene != NULL ? spCreateRun(scene, &runDef, &error) : NULL;
    assert_null(run);
    if (strstr(error.message, part) == NULL)
    {
        print_error("\"%s\" does not say \"%s\"\n", error.message, part);
        fail();
    }
    spDestroyScene(scene);
}

static void TestBadScenes(void** state)
{
    SP_UNUSED(state);
    CheckBadScene("cloth", ",\"bends\": {\"stiffness\": 1, \"youngModulus\": 1000, \"thickness\": 1}", "",
                  "exclude");
    CheckBadScene("cloth", ",\"bends\": {\"youngModulus\": 1000}", "", "thickness");
    CheckBadScene("cloth", ",\"bends\": {\"stiffness\": -1}", "", "stiffness");
    CheckBadScene("disc", ",\"bends\": {}", "", "needs triangles");
    CheckBadScene("disc", ",\"wind\": {}", "", "needs triangles");
    CheckBadScene("cloth", ",\"wind\": {\"gustAmplitud\": 1}", "", "gustAmplitude");
    CheckBadScene("cloth", ",\"fields\": {\"type\": \"coherent\"}", "", "coherence");
    const char* set = "{\"time\": 0, \"type\": \"set\", \"body\": \"a\", ";
    const struct
    {
        const char *keys, *part;
    } events[] = {
        {"\"wind\": [1, 0, 0]}", "has no wind"},
        {"\"bendStiffness\": 1}", "has no bends"},
        {"\"activation\": {\"amplitude\": 1.5}}", "amplitude"},
        {"\"index\": 3, \"activation\": {}}", "no number 3"},
    };
    for (int i = 0; i < SP_COUNT(events); ++i)
    {
        char event[256];
        snprintf(event, sizeof(event), "%s%s", set, events[i].keys);
        CheckBadScene("cloth", ", \"friction\": 0.5", event, events[i].part);
    }
}

static void TestScene(void** state)
{
    SP_UNUSED(state);
    static const char text[] =
        "{\"souple\": 1, \"gravity\": [0, 0, 0], \"duration\": 1, \"bodies\": [{\"name\": \"flag\","
        "\"mesh\": {\"generator\": \"cloth\", \"countX\": 6, \"countZ\": 5, \"bend\": false}, "
        "\"material\": \"rubber\","
        "\"springs\": {\"stiffness\": 50, \"law\": \"proportional\", "
        "\"activation\": {\"amplitude\": 0.1, \"frequency\": 2, \"phase\": 90}},"
        "\"bends\": {\"thickness\": 0.001, \"damping\": 1e-5, \"flat\": true},"
        "\"wind\": {\"velocity\": [4, 1, 0], \"gustAmplitude\": 0.2, \"gustFrequency\": 3, \"density\": 1.5, "
        "\"normalDrag\": 1.1, \"tangentDrag\": 0.1, \"oneSided\": true},"
        "\"fields\": [{\"type\": \"massDrag\", \"coefficient\": 0.5}, {\"type\": \"coherence\"}]}],"
        "\"events\": [{\"time\": 0.1, \"type\": \"set\", \"body\": \"flag\", \"wind\": [0, 0, 2], "
        "\"bendStiffness\": 0.25, \"activation\": {\"amplitude\": 0}}]}";
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene(text, strlen(text), NULL, NULL, &error);
    spRunDef runDef = spDefaultRunDef();
    spRun* run = scene != NULL ? spCreateRun(scene, &runDef, &error) : NULL;
    if (run == NULL)
    {
        print_error("%d:%d: %s\n", error.line, error.column, error.message);
    }
    assert_non_null(run);
    const spBody* body = spGetBody(spRun_GetWorld(run), spRun_FindBody(run, "flag"));
    const spSpringSet* springs = spGetSpringSet(body, 0);
    assert_int_equal(springs->law, sp_springProportional);
    CHECK_NEAR(springs->amplitude, 0.1, ROUNDING);
    CHECK_NEAR(springs->phase, 0.5 * s_pi, ROUNDING);
    const spBendSet* bends = spGetBendSet(body, 1);
    assert_non_null(bends);
    const spMaterial* rubber = spFindMaterial("rubber");
    double nu = rubber->poissonRatio;
    double k = rubber->youngModulus * 1e-9 / (36.0 * (1.0 - nu * nu));
    CHECK_NEAR(bends->stiffness, k, ROUNDING * k);
    const spWindSet* wind = spGetWindSet(body, 2);
    assert_non_null(wind);
    assert_true(wind->def.oneSided && wind->def.density == (spReal)1.5);
    assert_int_equal(spGetFieldSet(body, 3)->def.type, sp_fieldMassDrag);
    assert_int_equal(spGetFieldSet(body, 4)->def.type, sp_fieldCoherence);
    while (spRun_GetTime(run) < 0.2)
    {
        assert_int_equal(spRun_Step(run), 0);
    }
    assert_true(springs->amplitude == 0.0);
    CHECK_NEAR(bends->stiffness, 0.25, ROUNDING);
    CHECK_NEAR(bends->damping, 1e-5, ROUNDING * 1e-5);
    CHECK_NEAR(wind->def.velocity.z, 2.0, ROUNDING);
    spDestroyRun(run);
    spDestroyScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBendDerivatives),
        cmocka_unit_test(TestWholeTurn),
        cmocka_unit_test(TestDegenerateHinge),
        cmocka_unit_test(TestRigidShell),
        cmocka_unit_test(TestBendStiffness),
        cmocka_unit_test(TestBendBound),
        cmocka_unit_test(TestPlateEnergy),
        cmocka_unit_test(TestDiagonals),
        cmocka_unit_test(TestBendFromModulus),
        cmocka_unit_test(TestCantilever),
        cmocka_unit_test(TestWindForce),
        cmocka_unit_test(TestOneSidedWind),
        cmocka_unit_test(TestWindDifference),
        cmocka_unit_test(TestTerminalVelocity),
        cmocka_unit_test(TestFlag),
        cmocka_unit_test(TestSameBits),
        cmocka_unit_test(TestLanesGiveTheSameBits),
        cmocka_unit_test(TestMassDrag),
        cmocka_unit_test(TestDragDoesNotTurn),
        cmocka_unit_test(TestCoherence),
        cmocka_unit_test(TestSpringLaws),
        cmocka_unit_test(TestMuscle),
        cmocka_unit_test(TestMuscleMoves),
        cmocka_unit_test(TestBadBends),
        cmocka_unit_test(TestBadWind),
        cmocka_unit_test(TestBadFieldsAndMuscles),
        cmocka_unit_test(TestFailingAllocations),
        cmocka_unit_test(TestBadScenes),
        cmocka_unit_test(TestScene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
