// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows of the slides' checklist that no other test would miss: the warning of the repulsive ground, a whole
// lattice over the ground, areas, pressure sums in 2D, the smallest ring, the work that gas saves.
// docs/seeds.md says where the other rows are tested.

#include "base/timer.h"
#include "body/body.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

#ifdef SOUPLE_DOUBLE_PRECISION
#define SUM_TOLERANCE 1e-12
#define GRADIENT_TOLERANCE 1e-6
#define GRADIENT_STEP 1e-6
#else
#define SUM_TOLERANCE 1e-6
#define GRADIENT_TOLERANCE 2e-3
#define GRADIENT_STEP 1e-3
#endif

// A body of 2D gas without springs inside a closed outline
static spTestWorld MakeOutline(const spVec3* x, int count)
{
    spTestWorld test = {.springs = -1, .gas = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    test.world = spCreateWorld(&worldDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = x;
    bodyDef.positionCount = count;
    bodyDef.nodeMass = 1;
    test.body = spCreateBody(test.world, &bodyDef);
    int32_t* outline = malloc((size_t)count * sizeof(int32_t));
    assert_non_null(outline);
    for (int i = 0; i < count; ++i)
    {
        outline[i] = i;
    }
    spGasDef gasDef = spDefaultGasDef();
    gasDef.ambient = false;
    gasDef.outline = outline;
    gasDef.outlineCount = count;
    gasDef.restPressure = 50;
    test.gas = spBody_AddGas(test.world, test.body, &gasDef);
    assert_true(test.gas >= 0);
    free(outline);
    return test;
}

// A simple polygon that is not star-shaped: random radii, then random teeth of a comb in its lowest side
static int MakePolygon(spVec3* x, int count, uint64_t* seed)
{
    int n = 0;
    for (int i = 0; i < count; ++i)
    {
        double angle = PI * (i + spRandomRange(seed, -0.4, 0.4)) / (count - 1);
        double radius = spRandomRange(seed, 0.4, 1.6);
        double y = fmax(0.0, radius * sin(angle));
        x[n++] = (spVec3){(spReal)(radius * cos(angle)), (spReal)y, 0};
    }
    double left = (double)x[count - 1].x, right = (double)x[0].x;
    int teeth = 2 + (int)spRandomRange(seed, 0, 5);
    for (int i = 1; i < 4 * teeth; ++i)
    {
        double depth = i % 4 < 2 ? -0.1 : -spRandomRange(seed, 1.0, 3.0);
        x[n++] = (spVec3){(spReal)(left + (right - left) * i / (4 * teeth)), (spReal)depth, 0};
    }
    return n;
}

static double GetShoelace(const spVec3* x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        const spVec3 *a = x + i, *b = x + (i + 1) % count;
        sum += 0.5 * ((double)a->x * (double)b->y - (double)b->x * (double)a->y);
    }
    return sum;
}

// S8: the area of random simple polygons; sums are double in every build
static void TestPolygonArea(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 808;
    for (int round = 0; round < 200; ++round)
    {
        spVec3 x[128];
        int count = MakePolygon(x, 8 + round % 60, &seed);
        double want = GetShoelace(x, count);
        assert_true(want > 0.0);
        spTestWorld test = MakeOutline(x, count);
        double got = spBody_GetVolume(test.world, test.body);
        CHECK_NEAR(got, want, 1e-12 * want);
        CHECK_NEAR(spBody_GetPressure(test.world, test.body, test.gas), 50.0, 1e-4);
        spDestroyTestWorld(&test);
    }
}

static void Shift(const spTestWorld* test, spVec3 shift)
{
    int count = spBody_GetNodeCount(test->world, test->body);
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    assert_non_null(x);
    spBody_CopyPositions(test->world, test->body, x, count);
    for (int i = 0; i < count; ++i)
    {
        x[i] = (spVec3){x[i].x + shift.x, x[i].y + shift.y, x[i].z + shift.z};
    }
    assert_true(spBody_SetPositions(test->world, test->body, x, count));
    free(x);
}

// S8: the volume of an icosphere, and what a translation by a hundred radii does to it
static void TestVolumeFarAway(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    spTestWorld ball = spBuildGasBall(&def, 4, 1, 1, 0);
    spTestWorld disc = spBuildGasDisc(&def, 48, 2, 1, 0);
    double exact = 4.0 / 3.0 * PI * 0.125;
    CHECK_NEAR(spBody_GetVolume(ball.world, ball.body), exact, 0.003 * exact);
#ifdef SOUPLE_DOUBLE_PRECISION
    const double tolerance = 1e-9;
#else
    // Positions 50 m away are rounded to 4e-6 m
    const double tolerance = 2e-5;
#endif
    const spTestWorld* tests[2] = {&ball, &disc};
    for (int k = 0; k < 2; ++k)
    {
        double before = spBody_GetVolume(tests[k]->world, tests[k]->body);
        Shift(tests[k], (spVec3){50, -50, k == 0 ? 50 : 0});
        double after = spBody_GetVolume(tests[k]->world, tests[k]->body);
        printf("volume %.9f changes by %.2e of it 100 radii away\n", before, fabs(after - before) / before);
        CHECK_LESS(fabs(after - before), tolerance * before);
    }
    spDestroyTestWorld(&ball);
    spDestroyTestWorld(&disc);
}

static void EvaluateForces(spBody* body)
{
    spForceContext context = {.body = body, .state = spGetNodeState(body)};
    spMeasureForces(&context);
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spAddPatchForces(&context, p);
    }
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spSumPatchForces(&context, p);
    }
}

// S9: forces and torques of the pressure on an outline sum to nothing, against pressure times circumference,
// and the force is minus the gradient of -knrt ln S
static void TestPressureOnOutline(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 909;
    for (int round = 0; round < 20; ++round)
    {
        spVec3 x[128];
        int count = MakePolygon(x, 12 + round, &seed);
        spTestWorld test = MakeOutline(x, count);
        spBody* body = spGetBody(test.world, test.body);
        double around = 0.0, largest = 0.0;
        for (int i = 0; i < count; ++i)
        {
            const spVec3 *a = x + i, *b = x + (i + 1) % count;
            around += hypot((double)b->x - (double)a->x, (double)b->y - (double)a->y);
        }
        EvaluateForces(body);
        double sum[2] = {0}, torque = 0.0;
        for (int i = 0; i < count; ++i)
        {
            double u = body->f[i].x, v = body->f[i].y;
            sum[0] += u, sum[1] += v;
            torque += (double)body->x[i].x * v - (double)body->x[i].y * u;
            largest = fmax(largest, hypot(u, v));
            assert_true((double)body->f[i].z == 0.0);
        }
        CHECK_LESS(fabs(sum[0]), SUM_TOLERANCE * 50.0 * around);
        CHECK_LESS(fabs(sum[1]), SUM_TOLERANCE * 50.0 * around);
        CHECK_LESS(fabs(torque), SUM_TOLERANCE * 50.0 * around * 3.0);

        for (int k = 0; k < 8; ++k)
        {
            int node = (int)(spNextRandom(&seed) % (uint64_t)count);
            bool alongY = k % 2 == 1;
            spReal* coordinate = alongY ? &body->x[node].y : &body->x[node].x;
            double force = alongY ? body->f[node].y : body->f[node].x;
            spReal saved = *coordinate, high = saved + (spReal)GRADIENT_STEP,
                   low = saved - (spReal)GRADIENT_STEP;
            *coordinate = high;
            double above = spGetBodyEnergy(body, body->x, (spVec3){0, 0, 0}).elastic;
            *coordinate = low;
            double below = spGetBodyEnergy(body, body->x, (spVec3){0, 0, 0}).elastic;
            *coordinate = saved;
            CHECK_NEAR(-(above - below) / ((double)high - (double)low), force, GRADIENT_TOLERANCE * largest);
        }
        spDestroyTestWorld(&test);
    }
}

// S9 in 3D: against pressure times area
static void TestPressureOnSurface(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    for (int level = 1; level <= 4; ++level)
    {
        spTestWorld test = spBuildGasBall(&def, level, 1, 1, 0);
        spBody* body = spGetBody(test.world, test.body);
        uint64_t seed = 42;
        for (int i = 0; i < body->nodeCount; ++i)
        {
            body->x[i].x += (spReal)spRandomRange(&seed, -0.02, 0.02);
            body->x[i].z += (spReal)spRandomRange(&seed, -0.02, 0.02);
        }
        // The gas alone
        spGasSet* gas = spGetGasSet(body, test.gas);
        spNodeState nodes = spGetNodeState(body);
        memset(body->f, 0, (size_t)(body->nodeCount + body->slots.slotCount) * sizeof(spVec4));
        gas->base.kind->measure(&gas->base, &nodes, NULL);
        for (int p = 0; p < body->order.patchCount; ++p)
        {
            gas->base.kind->addForces(&gas->base, &nodes, p, body->f);
        }
        double sum[3] = {0}, torque[3] = {0};
        for (int i = 0; i < body->nodeCount; ++i)
        {
            double x = body->x[i].x, y = body->x[i].y, z = body->x[i].z;
            double u = body->f[i].x, v = body->f[i].y, w = body->f[i].z;
            sum[0] += u, sum[1] += v, sum[2] += w;
            torque[0] += y * w - z * v, torque[1] += z * u - x * w, torque[2] += x * v - y * u;
        }
        double pressureArea = spBody_GetPressure(test.world, test.body, test.gas) * PI;
        for (int k = 0; k < 3; ++k)
        {
            CHECK_LESS(fabs(sum[k]), SUM_TOLERANCE * pressureArea);
            CHECK_LESS(fabs(torque[k]), SUM_TOLERANCE * pressureArea);
        }
        spDestroyTestWorld(&test);
    }
}

// S5: a step that is too long for the repulsive ground is told, also to a body that falls from above; one
// that follows the rule dt = 0.45 d / v is not
static void TestRepulsiveGroundWarns(void** state)
{
    SP_UNUSED(state);
    const double g = 9.81, k = 0.1;
    double v = sqrt(2.0 * g), d = 2.0 * k / (v * v);
    const double factors[2] = {0.5, 10.0};
    const double heights[2] = {d, 1.0};
    for (int i = 0; i < 4; ++i)
    {
        spTestDef def = spDefaultTestDef();
        def.method.type = sp_rungeKutta4;
        def.method.substeps = 1;
        spTestWorld test = spBuildParticle(&def, (spReal)heights[i / 2], 1);
        assert_true(spAddRepulsiveGround(&test, k) >= 0);
        double dt = factors[i % 2] * 0.45 * d / v;
        uint32_t flags = spWorld_Step(test.world, (spReal)dt);
        printf("from %.3f m, step of %.2f ms: flags 0x%x\n", heights[i / 2], 1e3 * dt, flags);
        assert_int_equal(flags & sp_stepUnstable, i % 2 == 0 ? 0 : sp_stepUnstable);
        spDestroyTestWorld(&test);
    }
}

// Automatic substeps carry a falling body through the bounce for any K: its energy stays what it was
static void TestRepulsiveGroundAutomatic(void** state)
{
    SP_UNUSED(state);
    const double ks[] = {1.0, 0.1, 0.01, 1e-3};
    for (int type = 0; type < sp_backwardEuler; ++type)
    {
        if (type == sp_forwardEuler)
        {
            continue;
        }
        for (int i = 0; i < SP_COUNT(ks); ++i)
        {
            spTestDef def = spDefaultTestDef();
            def.method.type = (spMethodType)type;
            spTestWorld test = spBuildParticle(&def, 1, 1);
            assert_true(spAddRepulsiveGround(&test, ks[i]) >= 0);
            spEnergy start = spBody_GetEnergy(test.world, test.body);
            uint32_t flags = 0;
            double highest = 0.0;
            for (int s = 0; s < 180; ++s)
            {
                flags |= spWorld_Step(test.world, (spReal)(1.0 / 60.0));
                highest = fmax(highest, spGetMeanHeight(&test));
            }
            spEnergy end = spBody_GetEnergy(test.world, test.body);
            double ratio = (end.kinetic + end.potential) / (start.kinetic + start.potential);
            printf("method %d, K = %g: energy x %.4f, highest %.3f m\n", type, ks[i], ratio, highest);
            assert_int_equal(flags, 0);
            CHECK_NEAR(ratio, 1.0, 0.005);
            spDestroyTestWorld(&test);
        }
    }
}

// S6: no node of a lattice is below the ground after any step, with backtracking and with rows
static void TestLatticeStaysAboveGround(void** state)
{
    SP_UNUSED(state);
    // Implicit methods stop where the gap is small enough (C2-F21)
    const spMethodType types[] = {sp_symplecticEuler, sp_verlet, sp_rungeKutta4, sp_backwardEuler, sp_bdf2};
    for (int mode = sp_contactRows; mode <= sp_contactBacktrack; ++mode)
    {
        for (int type = 0; type < SP_COUNT(types); ++type)
        {
            spTestDef def = spDefaultTestDef();
            def.method.type = types[type];
            def.method.contact = (spContactMode)mode;
            def.method.substeps = 1;
            spTestWorld test = spBuildLattice(&def, 8, 400, (spReal)0.2, (spReal)0.5);
            spAddTestGround(test.world, (spReal)0.3, (spReal)0.3);
            double lowest = 1.0;
            for (int i = 0; i < 1500; ++i)
            {
                assert_int_equal(spWorld_Step(test.world, (spReal)1e-3), 0);
                lowest = fmin(lowest, spGetLowestHeight(&test));
            }
            CHECK_LESS(type < 3 ? -1e-9 : -1e-6, lowest);
            CHECK_LESS(lowest, 1e-3);
            spDestroyTestWorld(&test);
        }
    }
}

// S10: the smallest ring, three points in two layers, is a body that falls, bounces and keeps its area
static void TestSmallestRing(void** state)
{
    SP_UNUSED(state);
    for (int layers = 1; layers <= 3; ++layers)
    {
        spTestDef def = spDefaultTestDef();
        spTestWorld test = spBuildGasDisc(&def, 3, layers, 1, (spReal)0.2);
        assert_non_null(test.world);
        spAddTestGround(test.world, (spReal)0.5, (spReal)0.3);
        assert_int_equal(spBody_GetNodeCount(test.world, test.body), 3 * layers);
        int edgeCount = 0;
        const int32_t* edges = spBody_GetEdges(test.world, test.body, &edgeCount);
        assert_int_equal(edgeCount, 3 * layers + 9 * (layers - 1));
        int neighbours[9] = {0};
        for (int i = 0; i < 2 * edgeCount; ++i)
        {
            neighbours[edges[i]] += edges[i] / 3 == edges[i ^ 1] / 3 ? 1 : 0;
        }
        for (int i = 0; i < 3 * layers; ++i)
        {
            assert_int_equal(neighbours[i], 2);
        }
        double area = spBody_GetVolume(test.world, test.body);
        CHECK_NEAR(area, 3.0 * sqrt(3.0) / 16.0, 1e-6);
        for (int i = 0; i < 240; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
            CHECK_LESS(0.5 * area, spBody_GetVolume(test.world, test.body));
        }
        spDestroyTestWorld(&test);
    }
}

// S15: a gas body that is blown up to its equilibrium and then falls 0.2 m keeps more than half of its
// volume. (Against the volume at creation, as in test_contact.c, it is easy: the gas blows the body up while
// it falls.)
static void TestBounceKeepsVolume(void** state)
{
    SP_UNUSED(state);
    for (int solid = 0; solid < 2; ++solid)
    {
        spTestDef def = spDefaultTestDef();
        spTestWorld test = solid ? spBuildGasBall(&def, 3, 2, 1, 10) : spBuildGasDisc(&def, 48, 2, 1, 10);
        spAddTestGround(test.world, (spReal)0.5, (spReal)0.3);
        spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
        for (int i = 0; i < 600; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
        }
        int count = spBody_GetNodeCount(test.world, test.body);
        spVec3* rest = calloc((size_t)count, sizeof(spVec3));
        assert_non_null(rest);
        assert_true(spBody_SetVelocities(test.world, test.body, rest, count));
        free(rest);
        Shift(&test, (spVec3){0, (spReal)(0.2 - spGetLowestHeight(&test)), 0});
        spWorld_SetGravity(test.world, (spVec3){0, (spReal)-9.81, 0});
        double most = spBody_GetVolume(test.world, test.body), least = most;
        bool touched = false;
        for (int i = 0; i < 240; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
            touched = touched || spWorld_GetContactCount(test.world) > 0;
            least = fmin(least, spBody_GetVolume(test.world, test.body));
            most = fmax(most, spBody_GetVolume(test.world, test.body));
        }
        assert_true(touched);
        printf("%s: least volume %.3f of the most\n", solid ? "ball" : "disc", least / most);
        CHECK_LESS(0.5 * most, least);
        spDestroyTestWorld(&test);
    }
}

static double TimeSteps(spTestWorld* test)
{
    double best = INFINITY;
    for (int round = 0; round < 20; ++round)
    {
        double start = spGetSeconds();
        for (int i = 0; i < 50; ++i)
        {
            spWorld_Step(test->world, (spReal)5e-4);
        }
        best = fmin(best, (spGetSeconds() - start) / 50.0);
    }
    return best;
}

// S12: the two-layer ring of the height of a 32 x 32 lattice has at least five times fewer elements. Time
// follows less closely, because vector instructions help the lattice more: half of that is asked for here
static void TestCostOfGas(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    def.method.type = sp_rungeKutta4;
    def.method.substeps = 1;
    spTestWorld lattice = spBuildLattice(&def, 32, 400, (spReal)0.05, (spReal)0.2);
    spTestWorld disc = spBuildGasDisc(&def, 97, 2, (spReal)3.1, (spReal)0.2);
    int most = spBody_GetElementCount(lattice.world, lattice.body);
    int least = spBody_GetElementCount(disc.world, disc.body);
    assert_int_equal(most, 31 * 32 * 2 + 2 * 31 * 31);
    assert_int_equal(least, 5 * 97 + 97);
    assert_true(most >= 5 * least);
    double slow = TimeSteps(&lattice), fast = TimeSteps(&disc);
    printf("lattice %.1f us, disc %.1f us: %.2f times\n", 1e6 * slow, 1e6 * fast, slow / fast);
    CHECK_LESS(2.5, slow / fast);
    spDestroyTestWorld(&lattice);
    spDestroyTestWorld(&disc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRepulsiveGroundWarns),    cmocka_unit_test(TestRepulsiveGroundAutomatic),
        cmocka_unit_test(TestLatticeStaysAboveGround), cmocka_unit_test(TestPolygonArea),
        cmocka_unit_test(TestVolumeFarAway),           cmocka_unit_test(TestPressureOnOutline),
        cmocka_unit_test(TestPressureOnSurface),       cmocka_unit_test(TestSmallestRing),
        cmocka_unit_test(TestBounceKeepsVolume),       cmocka_unit_test(TestCostOfGas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
