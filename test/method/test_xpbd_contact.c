// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Node rows inside the sweeps of XPBD: rest, friction, restitution, deep starts, moving colliders, holds, and
// links to other bodies; forces that can be read; bodies that are squeezed and released.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#define G 9.81
#define FRAME ((spReal)(1.0 / 60.0))

// 0.5 m a side
#define CUBE_MASS 125.0

static spMethodDef MakeMethod(int substeps, int iterations)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_xpbd;
    method.substeps = substeps;
    method.xpbd.solver = sp_xpbdGaussSeidel;
    method.xpbd.iterations = iterations;
    return method;
}

typedef struct CubeDef
{
    int cells;
    double height; // of its lower face above the ground
    double slope;  // tangent of the angle that it is turned by, about z
    double stiffness;
    double friction;
    double restitution;
    spMethodDef method;
} CubeDef;

static CubeDef MakeCubeDef(void)
{
    return (CubeDef){.cells = 4, .stiffness = 1e5, .friction = 0.5, .method = MakeMethod(1, 20)};
}

static spQuat GetTurn(double slope)
{
    double angle = atan(slope);
    return (spQuat){0, 0, (spReal)sin(0.5 * angle), (spReal)cos(0.5 * angle)};
}

// W3 of the workloads with tets, in a world without a ground
static spTestWorld MakeCube(const CubeDef* def)
{
    spTestWorld test = {.springs = -1, .gas = -1, .tets = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    test.world = spCreateWorld(&worldDef, NULL);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){-0.25, def->height, -0.25};
    meshDef.size = (spDVec3){0.5, 0.5, 0.5};
    for (int axis = 0; axis < 3; ++axis)
    {
        meshDef.cells[axis] = def->cells;
    }
    spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method = def->method;
    bodyDef.friction = (spReal)def->friction;
    bodyDef.restitution = (spReal)def->restitution;
    bodyDef.transform.rotation = GetTurn(def->slope);
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)def->stiffness;
    tets.damping = (spReal)0.005;
    test.tets = spBody_AddTets(test.world, test.body, &tets);
    assert_int_equal(test.tets, 0);
    return test;
}

static spColliderId AddSlope(spWorld* world, double slope, double friction)
{
    spColliderDef def = spDefaultColliderDef();
    def.friction = (spReal)friction;
    def.transform.rotation = GetTurn(slope);
    return spCreateCollider(world, &def);
}

static void Run(const spTestWorld* test, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(test->world, FRAME);
    }
}

// A cube falls half a metre and comes to rest: its weight on both sides, nothing below the ground
static void TestRest(void** state)
{
    SP_UNUSED(state);
    // Whatever wraps the sweeps
    const struct
    {
        int substeps, iterations;
        spAccelerator accelerator;
    } settings[] = {
        {1, 20, sp_accelerateNone},     {5, 4, sp_accelerateNone},      {1, 20, sp_accelerateChebyshev},
        {1, 20, sp_accelerateAnderson}, {4, 10, sp_accelerateAnderson},
    };
    for (int k = 0; k < SP_COUNT(settings); ++k)
    {
        CubeDef def = MakeCubeDef();
        def.height = 0.5;
        def.method = MakeMethod(settings[k].substeps, settings[k].iterations);
        def.method.xpbd.accelerator = settings[k].accelerator;
        spTestWorld test = MakeCube(&def);
        spColliderId ground = spAddTestGround(test.world, (spReal)0.5, 0);
        double lowest = 1.0, force = 0.0, reaction = 0.0, sideways = 0.0;
        for (int i = 0; i < 360; ++i)
        {
            spWorld_Step(test.world, FRAME);
            lowest = fmin(lowest, spGetLowestHeight(&test));
            if (i >= 300)
            {
                spVec3 f = spBody_GetContactForce(test.world, test.body);
                force += (double)f.y / 60.0;
                sideways = fmax(sideways, fabs((double)f.x) + fabs((double)f.z));
                reaction -= (double)spCollider_GetForce(test.world, ground).y / 60.0;
            }
        }
        spEnergy energy = spBody_GetEnergy(test.world, test.body);
        printf("%d substeps of %d, accelerator %d: lowest %g m, force %.4f of the weight, sideways %.2g, "
               "kinetic %.2g J\n",
               settings[k].substeps, settings[k].iterations, (int)settings[k].accelerator, lowest,
               force / (CUBE_MASS * G), sideways / (CUBE_MASS * G), energy.kinetic);
        CHECK_LESS(-1e-4, lowest);
        CHECK_NEAR(force, CUBE_MASS * G, 0.01 * CUBE_MASS * G);
        CHECK_NEAR(reaction, CUBE_MASS * G, 0.01 * CUBE_MASS * G);
        CHECK_LESS(energy.kinetic, 1e-3);
        spDestroyTestWorld(&test);
    }
}

// Friction holds below the cone and lets go above it, with the right acceleration
static void TestSlope(void** state)
{
    SP_UNUSED(state);
    const double slopes[] = {0.3, 0.45, 0.6, 0.9};
    for (int k = 0; k < 2 * SP_COUNT(slopes); ++k)
    {
        CubeDef def = MakeCubeDef();
        double slope = slopes[k / 2];
        def.slope = slope;
        def.stiffness = 1e6;
        def.method.xpbd.accelerator = k % 2 == 0 ? sp_accelerateNone : sp_accelerateAnderson;
        spTestWorld test = MakeCube(&def);
        AddSlope(test.world, slope, 0.5);
        double angle = atan(slope), down[2] = {-cos(angle), -sin(angle)};
        double expected = fmax(0.0, G * (sin(angle) - 0.5 * cos(angle)));
        Run(&test, 30);
        spVec3 from = spBody_GetCenter(test.world, test.body);
        spVec3 p = spBody_GetMomentum(test.world, test.body);
        double speed = ((double)p.x * down[0] + (double)p.y * down[1]) / CUBE_MASS;
        Run(&test, 60);
        spVec3 to = spBody_GetCenter(test.world, test.body);
        p = spBody_GetMomentum(test.world, test.body);
        double end = ((double)p.x * down[0] + (double)p.y * down[1]) / CUBE_MASS;
        double way = ((double)to.x - (double)from.x) * down[0] + ((double)to.y - (double)from.y) * down[1];
        printf("slope %.2f: acceleration %.4f m/s^2, expected %.4f, way %.4g m\n", slope, end - speed,
               expected, way);
        CHECK_NEAR(end - speed, expected, 0.03 * expected + 0.03);
        if (expected == 0.0)
        {
            CHECK_LESS(fabs(way), 5e-3);
        }
        spDestroyTestWorld(&test);
    }
}

// A particle bounces to e^2 of its height. Of a soft body restitution turns round the layer that hits, the
// rest is up to its own springs.
static void TestRestitution(void** state)
{
    SP_UNUSED(state);
    const double es[] = {0.0, 0.5, 0.8, 1.0};
    for (int k = 0; k < SP_COUNT(es); ++k)
    {
        spTestDef testDef = spDefaultTestDef();
        testDef.method = MakeMethod(20, 1);
        spTestWorld test = spBuildParticle(&testDef, 1, 1);
        spAddTestGround(test.world, 0, (spReal)es[k]);
        double top = 0.0, low = 1.0;
        bool touched = false;
        for (int i = 0; i < 100; ++i)
        {
            spWorld_Step(test.world, FRAME);
            double y = (double)spBody_GetPositions(test.world, test.body).data[0].y;
            bool rising = spBody_GetVelocities(test.world, test.body).data[0].y > 0;
            touched = touched || spWorld_GetContactCount(test.world) > 0;
            low = fmin(low, y);
            top = touched && rising ? fmax(top, y) : top;
        }
        printf("restitution %.1f: to %.3f m, lowest %.2g m\n", es[k], top, low);
        CHECK_NEAR(top, es[k] * es[k], 0.03);
        CHECK_LESS(-1e-6, low);
        spDestroyTestWorld(&test);
    }
}

// What starts deep inside comes out at a bounded speed and does not fly off
static void TestDeepStart(void** state)
{
    SP_UNUSED(state);
    CubeDef def = MakeCubeDef();
    def.height = -0.2;
    spTestWorld test = MakeCube(&def);
    spAddTestGround(test.world, (spReal)0.5, 0);
    double top = 0.0;
    for (int i = 0; i < 120; ++i)
    {
        spWorld_Step(test.world, FRAME);
        top = fmax(top, spGetLowestHeight(&test));
    }
    printf("from 0.2 m inside: lowest node at most %.3g m, at the end %.2g m\n", top,
           spGetLowestHeight(&test));
    // The lower half is pushed into the upper one, which then springs: backward Euler 0.26 m, explicit 0.9 m
    CHECK_LESS(top, 0.5);
    CHECK_NEAR(spGetLowestHeight(&test), 0.0, 1e-4);
    spDestroyTestWorld(&test);
}

// A floor that moves takes the cube along by friction, or lifts it
static void TestMovingFloor(void** state)
{
    SP_UNUSED(state);
    for (int up = 0; up < 2; ++up)
    {
        CubeDef def = MakeCubeDef();
        spTestWorld test = MakeCube(&def);
        spColliderId ground = spAddTestGround(test.world, (spReal)0.5, 0);
        Run(&test, 60);
        spVec3 before = spBody_GetCenter(test.world, test.body);
        for (int i = 1; i <= 180; ++i)
        {
            // Slowly enough for friction, half a metre in two seconds
            double t = fmin(i / 120.0, 1.0), way = 0.5 * t * t * (3.0 - 2.0 * t);
            spTransform to = {{up == 0 ? (spReal)way : 0, up == 1 ? (spReal)way : 0, 0}, {0, 0, 0, 1}};
            spCollider_MoveTo(test.world, ground, to);
            spWorld_Step(test.world, FRAME);
        }
        spVec3 after = spBody_GetCenter(test.world, test.body);
        double x = (double)after.x - (double)before.x, y = (double)after.y - (double)before.y;
        printf("floor moved %s: cube by %.4f m and up by %.4f m\n", up == 1 ? "up" : "aside", x, y);
        CHECK_NEAR(x, up == 1 ? 0.0 : 0.5, 2e-3);
        CHECK_NEAR(y, up == 1 ? 0.5 : 0.0, 2e-3);
        spDestroyTestWorld(&test);
    }
}

// The upper face held: in space, by a collider, by another body. The weight can be read.
static void TestHolds(void** state)
{
    SP_UNUSED(state);
    for (int kind = 0; kind < 4; ++kind)
    {
        for (int soft = 0; soft < 2; ++soft)
        {
            CubeDef def = MakeCubeDef();
            def.height = 1.0;
            def.method = MakeMethod(4, 20);
            spTestWorld test = MakeCube(&def);
            spColliderDef colliderDef = spDefaultColliderDef();
            colliderDef.shape = sp_shapeSphere;
            colliderDef.radius = (spReal)0.1;
            colliderDef.transform.position = (spVec3){3, 3, 3};
            spColliderId collider = spCreateCollider(test.world, &colliderDef);
            int32_t nodes[25];
            for (int i = 0; i < 5; ++i)
            {
                for (int k = 0; k < 5; ++k)
                {
                    nodes[5 * i + k] = (i * 5 + 4) * 5 + k;
                }
            }
            spLinkDef link = spDefaultLinkDef();
            link.body = test.body;
            link.nodes = nodes;
            link.nodeCount = 25;
            link.stiffness = soft == 1 ? 5000 : 0;
            spBodyId other = {0};
            double weight = CUBE_MASS * G;
            if (kind == 1)
            {
                link.collider = collider;
            }
            else if (kind >= 2)
            {
                // Another cube above it, of XPBD or of another method, whose nodes are fixed
                spBoxMeshDef meshDef = spDefaultBoxMeshDef();
                meshDef.origin = (spDVec3){-0.25, 1.5, -0.25};
                meshDef.size = (spDVec3){0.5, 0.1, 0.5};
                meshDef.cells[1] = 1;
                spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
                spBodyDef bodyDef = spDefaultBodyDef();
                bodyDef.mesh = mesh;
                bodyDef.method = MakeMethod(4, 20);
                bodyDef.method.type = kind == 2 ? sp_xpbd : sp_backwardEuler;
                other = spCreateBody(test.world, &bodyDef);
                spDestroyMesh(mesh);
                spTetDef tets = spDefaultTetDef();
                tets.youngModulus = (spReal)1e6;
                assert_int_equal(spBody_AddTets(test.world, other, &tets), 0);
                int32_t pins[25];
                for (int i = 0; i < 25; ++i)
                {
                    pins[i] = 10 * (i / 5) + 5 + i % 5;
                }
                spBody_PinNodes(test.world, other, pins, 25);
                link.otherBody = other;
            }
            spLinkId id = spCreateLink(test.world, &link);
            assert_true(spLink_IsValid(test.world, id));
            double start = (double)spBody_GetCenter(test.world, test.body).y, force = 0.0, torn = 0.0;
            Run(&test, 240);
            for (int i = 0; i < 60; ++i)
            {
                spWorld_Step(test.world, FRAME);
                force += (double)spLink_GetForce(test.world, id).y / 60.0;
            }
            spVec3View x = spBody_GetPositions(test.world, test.body);
            for (int i = 0; i < 25; ++i)
            {
                torn = fmax(torn, fabs((double)x.data[nodes[i]].y - 1.5));
            }
            double drop = start - (double)spBody_GetCenter(test.world, test.body).y;
            printf("held by %d, %s: force %.4f of the weight, held nodes moved by %.3g m, centre by %.3g m\n",
                   kind, soft == 1 ? "soft" : "rigid", force / weight, torn, drop);
            CHECK_NEAR(force, weight, 0.01 * weight);
            CHECK_LESS(torn, soft == 1 ? 0.03 : kind < 2 ? 1e-4 : 0.02);
            if (kind == 1)
            {
                CHECK_NEAR(spCollider_GetForce(test.world, collider).y, -weight, 0.02 * weight);
            }
            spDestroyTestWorld(&test);
        }
    }
}

// A grab with a limit lets go of what is too heavy, and a moving one takes the cube along
static void TestGrab(void** state)
{
    SP_UNUSED(state);
    for (int limited = 0; limited < 2; ++limited)
    {
        CubeDef def = MakeCubeDef();
        def.height = 1.0;
        def.method = MakeMethod(4, 20);
        spTestWorld test = MakeCube(&def);
        const int32_t nodes[4] = {20, 24, 120, 124};
        spLinkDef link = spDefaultLinkDef();
        link.body = test.body;
        link.nodes = nodes;
        link.nodeCount = 4;
        link.maxForce = limited == 1 ? (spReal)(0.1 * CUBE_MASS * G) : 0;
        spLinkId id = spCreateLink(test.world, &link);
        for (int i = 1; i <= 60; ++i)
        {
            spLink_MoveTo(test.world, id, (spVec3){(spReal)(0.005 * i), 0, 0});
            spWorld_Step(test.world, FRAME);
        }
        spVec3 x = spBody_GetPositions(test.world, test.body).data[20];
        double force = (double)spLink_GetForce(test.world, id).y;
        printf("grab, limit %d: node at %.4f %.4f, force %.4f of the weight\n", limited, (double)x.x,
               (double)x.y, force / (CUBE_MASS * G));
        if (limited == 0)
        {
            CHECK_NEAR(x.x, 0.3 - 0.25, 1e-4);
            CHECK_NEAR(x.y, 1.5, 1e-4);
        }
        else
        {
            CHECK_LESS(x.y, 0.0);
            CHECK_LESS(force, 0.41 * CUBE_MASS * G);
        }
        spDestroyTestWorld(&test);
    }
}

// ---- squeezed and released ----

#define LIVER SOUPLE_SOURCE_DIR "/data/liver_like.msh"

// A liver on the ground, without gravity, below a plate that faces down
static spTestWorld MakeSqueeze(spTetLaw law, double young, const spMethodDef* method, spColliderId* plate,
                               double* height)
{
    spTestWorld test = {.springs = -1, .gas = -1, .tets = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    test.world = spCreateWorld(&worldDef, NULL);
    spMesh* mesh = spLoadMesh(LIVER, NULL, NULL);
    assert_non_null(mesh);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    *height = report.upper.y - report.lower.y;
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = 500;
    bodyDef.method = *method;
    bodyDef.friction = (spReal)0.2;
    bodyDef.transform.position.y = (spReal)-report.lower.y;
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    spTetDef tets = spDefaultTetDef();
    tets.law = law;
    tets.youngModulus = (spReal)young;
    tets.poissonRatio = (spReal)0.35;
    tets.damping = (spReal)0.03;
    test.tets = spBody_AddTets(test.world, test.body, &tets);
    spAddTestGround(test.world, (spReal)0.5, 0);
    spColliderDef def = spDefaultColliderDef();
    def.transform.position.y = (spReal)(1.02 * *height);
    def.transform.rotation = (spQuat){1, 0, 0, 0};
    *plate = spCreateCollider(test.world, &def);
    return test;
}

static void MovePlate(spWorld* world, spColliderId plate, double height)
{
    spTransform to = spCollider_GetTransform(world, plate);
    to.position.y = (spReal)height;
    assert_true(spCollider_MoveTo(world, plate, to));
}

// A plate closes on a body to a sixth of its height within a second, and opens: nothing stays inside out, and
// next to none of the energy stays in it
static void TestSqueeze(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        spTetLaw law;
        double young;
        spXpbdSolver solver;
    } cases[] = {{sp_tetCorotational, 2e4, sp_xpbdAuto},        {sp_tetCorotational, 1e5, sp_xpbdAuto},
                 {sp_tetCorotational, 1e6, sp_xpbdAuto},        {sp_tetNeoHookean, 2e4, sp_xpbdAuto},
                 {sp_tetMooneyRivlin, 1e5, sp_xpbdAuto},        {sp_tetHybrid, 1e5, sp_xpbdAuto},
                 {sp_tetCorotational, 1e5, sp_xpbdGaussSeidel}, {sp_tetNeoHookean, 2e4, sp_xpbdGaussSeidel}};
    for (int i = 0; i < SP_COUNT(cases); ++i)
    {
        spMethodDef method = MakeMethod(1, 20);
        method.xpbd.solver = cases[i].solver;
        spColliderId plate;
        double height, most = 0.0;
        int inverted = 0;
        uint32_t flags = 0;
        spTestWorld test = MakeSqueeze(cases[i].law, cases[i].young, &method, &plate, &height);
        for (int step = 1; step <= 160; ++step)
        {
            double closed = step < 60 ? step / 60.0 : 1.0, opened = step < 72 ? 0.0 : (step - 72) / 10.0;
            MovePlate(test.world, plate, height * (1.02 - 0.87 * closed + opened));
            flags |= spWorld_Step(test.world, FRAME);
            int now = spBody_CountInvertedTets(test.world, test.body);
            inverted = now > inverted ? now : inverted;
            most = fmax(most, spBody_GetEnergy(test.world, test.body).elastic);
        }
        double left = spBody_GetEnergy(test.world, test.body).elastic;
        printf("%s %.0e Pa, solver %d: %d inside out at most, %d in the end; elastic energy %.3g of %.3g J\n",
               spGetTetLawName(cases[i].law), cases[i].young, (int)cases[i].solver, inverted,
               spBody_CountInvertedTets(test.world, test.body), left, most);
        assert_int_equal(flags & (sp_stepNonFinite | sp_stepUnstable), 0);
        assert_true(inverted > 20);
        assert_int_equal(spBody_CountInvertedTets(test.world, test.body), 0);
        CHECK_LESS(left, 0.01 * most);
        spDestroyTestWorld(&test);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRest),      cmocka_unit_test(TestSlope),       cmocka_unit_test(TestRestitution),
        cmocka_unit_test(TestDeepStart), cmocka_unit_test(TestMovingFloor), cmocka_unit_test(TestHolds),
        cmocka_unit_test(TestGrab),      cmocka_unit_test(TestSqueeze),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
