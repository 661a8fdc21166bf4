// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rigid bodies against closed forms: flight, the free top, rest, slopes, bounces, pendulums, joints; and
// hostile ones.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/hanging_chain.h"

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bool single = sizeof(spReal) == sizeof(float);
static const double pi = 3.14159265358979323846;

typedef struct Rig
{
    spWorld* world;
    spBodyId body;
    double mass;
} Rig;

static spWorld* MakeWorld(int workers)
{
    spWorldDef def = spDefaultWorldDef();
    def.workerCount = workers;
    spWorld* world = spCreateWorld(&def, NULL);
    assert_non_null(world);
    return world;
}

static double GetMass(const spWorld* world, spBodyId body)
{
    int count = spBody_GetNodeCount(world, body);
    spReal* masses = calloc((size_t)count, sizeof(spReal));
    assert_non_null(masses);
    spBody_CopyMasses(world, body, masses, count);
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)masses[i];
    }
    free(masses);
    return sum;
}

static spBodyDef MakeDef(void)
{
    spBodyDef def = spDefaultBodyDef();
    def.contactRadius = 0;
    def.method.type = sp_rigid;
    return def;
}

static spBodyId AddBox(spWorld* world, const spBodyDef* given, spDVec3 size, int cells)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = (spDVec3){-0.5 * size.x, -0.5 * size.y, -0.5 * size.z};
    box.size = size;
    box.cells[0] = box.cells[1] = box.cells[2] = cells;
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    spBodyDef def = *given;
    def.mesh = mesh;
    spBodyId body = spCreateBody(world, &def);
    spDestroyMesh(mesh);
    assert_false(SP_IS_NULL(body));
    return body;
}

static Rig MakeBox(spDVec3 size, int cells, double height, double friction)
{
    Rig rig = {.world = MakeWorld(1)};
    spBodyDef def = MakeDef();
    def.transform.position = (spVec3){0, (spReal)(0.5 * size.y + height), 0};
    def.friction = (spReal)friction;
    rig.body = AddBox(rig.world, &def, size, cells);
    rig.mass = GetMass(rig.world, rig.body);
    return rig;
}

static uint32_t Step(spWorld* world, double dt, int count)
{
    uint32_t flags = 0;
    for (int i = 0; i < count; ++i)
    {
        flags |= spWorld_Step(world, (spReal)dt);
    }
    return flags;
}

// Turns all nodes about their centre at this spin, rad/s
static void Spin(const Rig* rig, const double w[3])
{
    spVec3View x = spBody_GetPositions(rig->world, rig->body);
    spVec3 c = spBody_GetCenter(rig->world, rig->body);
    spVec3* v = calloc((size_t)x.count, sizeof(spVec3));
    assert_non_null(v);
    for (int i = 0; i < x.count; ++i)
    {
        double r[3] = {(double)(x.data[i].x - c.x), (double)(x.data[i].y - c.y), (double)(x.data[i].z - c.z)};
        v[i] = (spVec3){(spReal)(w[1] * r[2] - w[2] * r[1]), (spReal)(w[2] * r[0] - w[0] * r[2]),
                        (spReal)(w[0] * r[1] - w[1] * r[0])};
    }
    assert_true(spBody_SetVelocities(rig->world, rig->body, v, x.count));
    free(v);
}

static double Length(spVec3 a)
{
    return sqrt((double)a.x * (double)a.x + (double)a.y * (double)a.y + (double)a.z * (double)a.z);
}

static double Distance(spVec3 a, spVec3 b)
{
    return Length((spVec3){a.x - b.x, a.y - b.y, a.z - b.z});
}

// ---- free motion ----

static void TestFreeFall(void** state)
{
    SP_UNUSED(state);
    Rig rig = MakeBox((spDVec3){0.3, 0.2, 0.1}, 2, 10.0, 0.5);
    Step(rig.world, 0.01, 100);
    double y = (double)spBody_GetCenter(rig.world, rig.body).y;
    printf("fell %.9f m\n", 10.1 - y);
    CHECK_NEAR(y, 10.1 - 0.5 * 9.81, single ? 2e-6 : 1e-12);
    spDestroyWorld(rig.world);
}

// The second axis is unstable: it tumbles
static void TestTop(void** state)
{
    SP_UNUSED(state);
    const double rates[] = {60.0, 240.0};
    for (int k = 0; k < 2; ++k)
    {
        Rig rig = MakeBox((spDVec3){0.3, 0.2, 0.1}, 3, 0.0, 0.5);
        spWorld_SetGravity(rig.world, (spVec3){0, 0, 0});
        Spin(&rig, (double[3]){0.1, 8.0, 0.1});
        spVec3View x = spBody_GetPositions(rig.world, rig.body);
        double side = Distance(x.data[0], x.data[x.count - 1]), energyError = 0.0, spinError = 0.0,
               turned = 0.0;
        Step(rig.world, 1.0 / rates[k], 1);
        spVec3 c = spBody_GetCenter(rig.world, rig.body);
        spVec3 l = spBody_GetAngularMomentum(rig.world, rig.body);
        double energy = spBody_GetEnergy(rig.world, rig.body).kinetic;
        spVec3 corner = spBody_GetPositions(rig.world, rig.body).data[0];
        for (int i = 0; i < (int)(10.0 * rates[k]); ++i)
        {
            Step(rig.world, 1.0 / rates[k], 1);
            spVec3 now = spBody_GetAngularMomentum(rig.world, rig.body);
            spinError = fmax(spinError, Distance(now, l) / Length(l));
            double e = spBody_GetEnergy(rig.world, rig.body).kinetic;
            energyError = fmax(energyError, fabs(e - energy) / energy);
            turned = fmax(turned, Distance(spBody_GetPositions(rig.world, rig.body).data[0], corner));
        }
        x = spBody_GetPositions(rig.world, rig.body);
        printf("top at 1/%g s: momentum %.2g, energy %.2g, shape %.2g, centre %.2g\n", rates[k], spinError,
               energyError, Distance(x.data[0], x.data[x.count - 1]) - side,
               Distance(c, spBody_GetCenter(rig.world, rig.body)));
        CHECK_LESS(spinError, single ? 1e-6 : 1e-10);
        CHECK_LESS(energyError, single ? 1e-4 : 1e-6);
        CHECK_NEAR(Distance(x.data[0], x.data[x.count - 1]), side, single ? 1e-7 : 1e-14);
        CHECK_LESS(0.2, turned);
        spDestroyWorld(rig.world);
    }
}

// ---- contact ----

static void AddGround(spWorld* world, double slope, double friction, double restitution)
{
    spColliderDef ground = spDefaultColliderDef();
    ground.friction = (spReal)friction;
    ground.restitution = (spReal)restitution;
    ground.transform.rotation = (spQuat){0, 0, (spReal)sin(0.5 * slope), (spReal)cos(0.5 * slope)};
    assert_false(SP_IS_NULL(spCreateCollider(world, &ground)));
}

static void TestRest(void** state)
{
    SP_UNUSED(state);
    const int cells[] = {1, 4, 16};
    for (int k = 0; k < SP_COUNT(cells); ++k)
    {
        Rig rig = MakeBox((spDVec3){0.4, 0.2, 0.4}, cells[k], 0.0, 0.5);
        AddGround(rig.world, 0.0, 0.5, 0.0);
        spVec3 before = spBody_GetCenter(rig.world, rig.body);
        uint32_t flags = 0;
        int64_t sweeps = 0, first = 0;
        int steps = cells[k] == 16 ? 200 : 1000;
        double weight = 9.81 * rig.mass, forceError = 0.0;
        for (int i = 0; i < steps; ++i)
        {
            flags |= Step(rig.world, 1.0 / 60.0, 1);
            spStepReport report = spWorld_GetReport(rig.world);
            sweeps += report.solverIterations;
            first = i == 0 ? report.solverIterations : first;
            if (i > 2)
            {
                spVec3 f = spBody_GetContactForce(rig.world, rig.body);
                forceError = fmax(forceError, Distance(f, (spVec3){0, (spReal)weight, 0}) / weight);
            }
        }
        double moved = Distance(before, spBody_GetCenter(rig.world, rig.body));
        spVec3View v = spBody_GetVelocities(rig.world, rig.body);
        printf("box of %d: moved %.3g m, force within %.2g, %lld sweeps first, %g mean, fastest corner %.2g, "
               "flags %x\n",
               cells[k], moved, forceError, (long long)first, (double)sweeps / steps, Length(v.data[0]),
               flags);
        CHECK_LESS(moved, 1e-6);
        CHECK_LESS(forceError, 1e-3);
        assert_int_equal(flags, 0);
        spDestroyWorld(rig.world);
    }
}

static Rig MakeSlope(double slope, double friction)
{
    Rig rig = {.world = MakeWorld(1)};
    spBodyDef def = MakeDef();
    def.friction = (spReal)friction;
    def.transform.rotation = (spQuat){0, 0, (spReal)sin(0.5 * slope), (spReal)cos(0.5 * slope)};
    def.transform.position = (spVec3){(spReal)(-0.05 * sin(slope)), (spReal)(0.05 * cos(slope)), 0};
    rig.body = AddBox(rig.world, &def, (spDVec3){0.4, 0.1, 0.4}, 3);
    AddGround(rig.world, slope, friction, 0.0);
    return rig;
}

static void TestSlope(void** state)
{
    SP_UNUSED(state);
    const double slope = 20.0 * pi / 180.0, grip = tan(slope);
    Rig rig = MakeSlope(slope, 1.02 * grip);
    spVec3 before = spBody_GetCenter(rig.world, rig.body);
    Step(rig.world, 1.0 / 60.0, 300);
    double moved = Distance(before, spBody_GetCenter(rig.world, rig.body));
    printf("stands on the slope: %.3g m\n", moved);
    CHECK_LESS(moved, 1e-5);
    spDestroyWorld(rig.world);

    rig = MakeSlope(slope, 0.5 * grip);
    before = spBody_GetCenter(rig.world, rig.body);
    uint32_t flags = Step(rig.world, 1.0 / 60.0, 60);
    moved = Distance(before, spBody_GetCenter(rig.world, rig.body));
    double way = 0.5 * 9.81 * (sin(slope) - 0.5 * grip * cos(slope));
    printf("slides down: %.6f of %.6f m, flags %x\n", moved, way, flags);
    CHECK_NEAR(moved, way, 0.01 * way);
    spDestroyWorld(rig.world);
}

static void TestBounce(void** state)
{
    SP_UNUSED(state);
    const double bounces[] = {0.0, 0.5, 0.9, 1.0};
    for (int k = 0; k < SP_COUNT(bounces); ++k)
    {
        Rig rig = MakeBox((spDVec3){0.2, 0.2, 0.2}, 2, 1.0, 0.5);
        AddGround(rig.world, 0.0, 0.5, bounces[k]);
        double highest = 0.0, last = 1e9;
        bool up = false;
        for (int i = 0; i < 240; ++i)
        {
            Step(rig.world, 1.0 / 120.0, 1);
            double y = (double)spBody_GetCenter(rig.world, rig.body).y - 0.1;
            up = up || y > last + 1e-6;
            if (up && y < last - 1e-9)
            {
                break;
            }
            highest = up ? fmax(highest, y) : 0.0;
            last = y;
        }
        printf("bounces %g: to %.5f m\n", bounces[k], highest);
        CHECK_NEAR(highest, bounces[k] * bounces[k], 0.005);
        spDestroyWorld(rig.world);
    }
}

// ---- held nodes ----

// Complete elliptic integral by the arithmetic-geometric mean
static double GetPeriod(double inertia, double moment, double amplitude)
{
    double a = 1.0, b = cos(0.5 * amplitude);
    for (int i = 0; i < 20; ++i)
    {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * pi * sqrt(inertia / (9.81 * moment)) / a;
}

// Swings in the plane of x and y from rest; returns the time of two passages of the lowest point
static double Swing(const Rig* rig, double dt, double side)
{
    double times[3] = {0}, last = side;
    int found = 0;
    for (int i = 1; i < 20000 && found < 3; ++i)
    {
        Step(rig->world, dt, 1);
        double x = (double)spBody_GetCenter(rig->world, rig->body).x;
        if (last * x < 0.0)
        {
            times[found++] = dt * (i - x / (x - last));
        }
        last = x;
    }
    return times[2] - times[0];
}

static void TestPendulum(void** state)
{
    SP_UNUSED(state);
    // A rod of five nodes on a line, 2 rad from its lowest place, held at one end
    const double amplitude = 2.0, masses[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    Rig rig = {.world = MakeWorld(1)};
    spVec3 x[5];
    spReal m[5];
    double inertia = 0.0, moment = 0.0;
    for (int i = 0; i < 5; ++i)
    {
        double r = 0.1 * i;
        x[i] = (spVec3){(spReal)(r * sin(amplitude)), (spReal)(-r * cos(amplitude)), 0};
        m[i] = (spReal)masses[i];
        inertia += masses[i] * r * r;
        moment += masses[i] * r;
    }
    spBodyDef def = MakeDef();
    def.positions = x;
    def.positionCount = 5;
    def.nodeMasses = m;
    rig.body = spCreateBody(rig.world, &def);
    int32_t node = 0;
    assert_true(spBody_PinNodes(rig.world, rig.body, &node, 1));
    double start = 9.81 * (double)spBody_GetCenter(rig.world, rig.body).y * 1.5;
    double period = Swing(&rig, 1.0 / 240.0, 1.0), theory = GetPeriod(inertia, moment, amplitude);
    spEnergy energy = spBody_GetEnergy(rig.world, rig.body);
    printf("pendulum: %.6f of %.6f s, energy %.6f of %.6f J\n", period, theory,
           energy.kinetic + energy.potential, start);
    CHECK_NEAR(period, theory, 1e-3 * theory);
    CHECK_NEAR(energy.kinetic + energy.potential, start, 1e-3 * fabs(start));
    spDestroyWorld(rig.world);
}

// A box on two nodes of an edge
static void TestHinge(void** state)
{
    SP_UNUSED(state);
    Rig rig = {.world = MakeWorld(1)};
    spBodyDef def = MakeDef();
    rig.body = AddBox(rig.world, &def, (spDVec3){0.4, 0.1, 0.2}, 2);
    rig.mass = GetMass(rig.world, rig.body);
    spVec3View x = spBody_GetPositions(rig.world, rig.body);
    int32_t edge[2] = {-1, -1};
    spReal masses[27];
    assert_int_equal(spBody_CopyMasses(rig.world, rig.body, masses, 27), 27);
    double inertia = 0.0;
    for (int i = 0; i < x.count; ++i)
    {
        double dx = (double)x.data[i].x + 0.2, dy = (double)x.data[i].y - 0.05;
        inertia += (double)masses[i] * (dx * dx + dy * dy);
        if (fabs(dx) + fabs(dy) < 1e-6 && fabs((double)x.data[i].z) > 0.05)
        {
            edge[x.data[i].z > 0 ? 1 : 0] = i;
        }
    }
    spVec3 c = spBody_GetCenter(rig.world, rig.body);
    double arm[2] = {(double)c.x + 0.2, (double)c.y - 0.05}, length = hypot(arm[0], arm[1]);
    double amplitude = atan2(arm[0], -arm[1]);
    assert_true(spBody_PinNodes(rig.world, rig.body, edge, 2));
    // The centre is at x > -0.2: count from there
    double times[3] = {0}, last = 1.0, dt = 1.0 / 240.0;
    int found = 0;
    for (int i = 1; i < 20000 && found < 3; ++i)
    {
        Step(rig.world, dt, 1);
        double side = (double)spBody_GetCenter(rig.world, rig.body).x + 0.2;
        if (last * side < 0.0)
        {
            times[found++] = dt * (i - side / (side - last));
        }
        last = side;
    }
    double period = times[2] - times[0], theory = GetPeriod(inertia, rig.mass * length, amplitude);
    c = spBody_GetCenter(rig.world, rig.body);
    double now = hypot((double)c.x + 0.2, (double)c.y - 0.05);
    printf("hinge: %.6f of %.6f s, arm %.3g off, sideways %.3g\n", period, theory, now - length, (double)c.z);
    CHECK_NEAR(period, theory, 1e-3 * theory);
    CHECK_NEAR(now, length, single ? 1e-6 : 1e-12);
    CHECK_NEAR(c.z, 0.0, 1e-6);

    // A third node holds it, and the pins carry it
    int32_t corner = x.count - 1;
    assert_true(spBody_PinNodes(rig.world, rig.body, &corner, 1));
    spVec3 before = spBody_GetCenter(rig.world, rig.body);
    uint32_t flags = Step(rig.world, dt, 50);
    spVec3 f = spBody_GetPinForce(rig.world, rig.body);
    double moved = Distance(before, spBody_GetCenter(rig.world, rig.body));
    printf("fixed: moved %.3g m, %.5f of %.5f N, flags %x\n", moved, (double)f.y, 9.81 * rig.mass, flags);
    CHECK_LESS(moved, single ? 1e-6 : 1e-12);
    CHECK_NEAR(f.y, 9.81 * rig.mass, 1e-4 * 9.81 * rig.mass);
    assert_int_equal(flags, 0);
    spDestroyWorld(rig.world);
}

// Three driven nodes carry the body along
static void TestDriven(void** state)
{
    SP_UNUSED(state);
    Rig rig = MakeBox((spDVec3){0.3, 0.2, 0.1}, 1, 0.0, 0.5);
    spVec3View x = spBody_GetPositions(rig.world, rig.body);
    spVec3 start[8];
    for (int i = 0; i < 8; ++i)
    {
        start[i] = x.data[i];
    }
    uint32_t flags = 0;
    for (int i = 1; i <= 100; ++i)
    {
        double a = 0.02 * i, c = cos(a), s = sin(a);
        for (int k = 0; k < 3; ++k)
        {
            spVec3 p = start[k == 2 ? 7 : k];
            spVec3 to = {(spReal)(c * (double)p.x - s * (double)p.y + 0.01 * i),
                         (spReal)(s * (double)p.x + c * (double)p.y), p.z};
            assert_true(spBody_DriveNode(rig.world, rig.body, k == 2 ? 7 : k, to));
        }
        flags |= Step(rig.world, 0.01, 1);
    }
    double c = cos(2.0), s = sin(2.0), error = 0.0;
    x = spBody_GetPositions(rig.world, rig.body);
    for (int i = 0; i < 8; ++i)
    {
        spVec3 p = start[i];
        spVec3 to = {(spReal)(c * (double)p.x - s * (double)p.y + 1.0),
                     (spReal)(s * (double)p.x + c * (double)p.y), p.z};
        error = fmax(error, Distance(to, x.data[i]));
    }
    printf("driven: %.3g m off, flags %x\n", error, flags);
    CHECK_LESS(error, single ? 1e-6 : 1e-12);
    assert_int_equal(flags, 0);
    spDestroyWorld(rig.world);
}

// ---- links ----

// Bars that hang on each other: a rigid one stretches no more, and carries the load of those below
static void CheckHanging(spMethodType upper, spMethodType middle, spMethodType lower, double ratio)
{
    const spMethodType types[] = {upper, middle, lower};
    spHangingChainDef def = spDefaultHangingChainDef();
    def.count = 3;
    def.massRatio = ratio;
    double theory = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        def.methods[i] = spDefaultMethodDef();
        def.methods[i].type = types[i];
        // Each stretches by half of its own weight and all of that below, over its length
        double below = i < 2 ? spGetChainLoad(&def, i) : 0.0,
               own = (i > 0 ? spGetChainLoad(&def, i - 1) : 0.0) - below;
        own = i == 0 ? 9.81 * 1000.0 * 0.05 * 0.05 * 0.2 : own;
        theory += types[i] == sp_rigid ? 0.0 : (below + 0.5 * own) * 0.2 / (def.youngModulus * 0.05 * 0.05);
    }
    spHangingChain chain = spBuildHangingChain(&def);
    assert_non_null(chain.world);
    uint32_t flags = 0;
    int rounds = 0;
    for (int i = 0; i < 90; ++i)
    {
        uint32_t now = spWorld_Step(chain.world, (spReal)(1.0 / 60.0));
        flags |= i >= 60 ? now : 0;
        rounds += spWorld_GetReport(chain.world).sweepCount;
    }
    double stretch = spGetChainStretch(&chain), error = 0.0;
    for (int i = 0; i < 2; ++i)
    {
        double force = spGetChainForce(&chain, i), load = spGetChainLoad(&def, i);
        error = fmax(error, fabs(force - load) / load);
    }
    printf("%d %d %d, 1 : %g: stretch %.5f of %.5f mm, forces within %.1e, %d sweeps, flags %x\n", (int)upper,
           (int)middle, (int)lower, ratio, 1e3 * stretch, 1e3 * theory, error, rounds, flags);
    // What the sweeps over the links do not solve is told
    bool solved = (flags & sp_stepNotConverged) == 0;
    CHECK_NEAR(stretch, theory, 0.02 * theory + (solved ? 1e-6 : 1e-3));
    CHECK_LESS(error, 1e-3);
    assert_true(solved || ratio > 1.0);
    spDestroyHangingChain(&chain);
}

static void TestChains(void** state)
{
    SP_UNUSED(state);
    CheckHanging(sp_rigid, sp_rigid, sp_rigid, 1.0);
    CheckHanging(sp_rigid, sp_rigid, sp_rigid, 100.0);
    CheckHanging(sp_rigid, sp_backwardEuler, sp_rigid, 1.0);
    CheckHanging(sp_backwardEuler, sp_rigid, sp_backwardEuler, 1.0);
    CheckHanging(sp_rigid, sp_symplecticEuler, sp_rigid, 1.0);
    CheckHanging(sp_xpbd, sp_rigid, sp_bdf2, 1.0);
}

// A chain of rods on ball joints swings without gaining energy, and does not come apart
static void TestSwingingChain(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld(1);
    spBodyId rods[5];
    const spVec3 x[2] = {{0, 0, 0}, {(spReal)0.2, 0, 0}};
    double first = 0.0, most = 0.0, apart = 0.0;
    uint32_t flags = 0;
    for (int i = 0; i < 5; ++i)
    {
        spBodyDef def = MakeDef();
        def.positions = x;
        def.positionCount = 2;
        def.nodeMass = (spReal)0.5;
        def.transform.position = (spVec3){(spReal)(0.2 * i), 0, 0};
        rods[i] = spCreateBody(world, &def);
        int32_t node = 0;
        spLinkDef link = spDefaultLinkDef();
        link.body = rods[i];
        link.otherBody = rods[i > 0 ? i - 1 : 0];
        link.nodes = &node;
        link.nodeCount = 1;
        assert_true(i == 0 ? spBody_PinNodes(world, rods[i], &node, 1)
                           : SP_IS_NULL(spCreateLink(world, &link)) == false);
    }
    for (int step = 0; step < 480; ++step)
    {
        flags |= Step(world, 1.0 / 240.0, 1);
        double energy = 0.0;
        for (int i = 0; i < 5; ++i)
        {
            spEnergy e = spBody_GetEnergy(world, rods[i]);
            energy += e.kinetic + e.potential;
            if (i > 0)
            {
                apart = fmax(apart, Distance(spBody_GetPositions(world, rods[i]).data[0],
                                             spBody_GetPositions(world, rods[i - 1]).data[1]));
            }
        }
        first = step == 0 ? energy : first;
        most = fmax(most, energy);
    }
    printf("five rods: energy %.4f, at most %.4f J, apart by %.2g m, flags %x\n", first, most, apart, flags);
    CHECK_LESS(most, first + 0.01);
    CHECK_LESS(apart, 1e-5);
    spDestroyWorld(world);
}

// Nodes held to space by links: a rod on one swings as a pendulum, a box on four is carried, a soft one gives
// way
static void TestHolds(void** state)
{
    SP_UNUSED(state);
    Rig rig = MakeBox((spDVec3){0.3, 0.2, 0.1}, 1, 0.5, 0.5);
    const int32_t nodes[4] = {0, 1, 4, 5};
    spLinkDef def = spDefaultLinkDef();
    def.body = rig.body;
    def.nodes = nodes;
    def.nodeCount = 4;
    spLinkId link = spCreateLink(rig.world, &def);
    assert_false(SP_IS_NULL(link));
    spVec3 before = spBody_GetCenter(rig.world, rig.body);
    uint32_t flags = Step(rig.world, 1.0 / 60.0, 120);
    double moved = Distance(before, spBody_GetCenter(rig.world, rig.body));
    double force = (double)spLink_GetForce(rig.world, link).y, weight = 9.81 * rig.mass;
    printf("held by four: moved %.3g m, %.6f of %.6f N, flags %x\n", moved, force, weight, flags);
    CHECK_LESS(moved, 1e-6);
    CHECK_NEAR(force, weight, 1e-3 * weight);
    assert_true(spLink_MoveTo(rig.world, link, (spVec3){1, 0, 0}));
    Step(rig.world, 1.0 / 60.0, 1);
    CHECK_NEAR(Distance(before, spBody_GetCenter(rig.world, rig.body)), 1.0, 1e-3);
    spDestroyLink(rig.world, link);
    def.nodeCount = 1;
    def.stiffness = (spReal)(100.0 * weight);
    link = spCreateLink(rig.world, &def);
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = 20;
    assert_true(spBody_AddField(rig.world, rig.body, &drag) >= 0);
    double anchor = (double)spBody_GetPositions(rig.world, rig.body).data[0].y;
    Step(rig.world, 1.0 / 60.0, 600);
    double sunk = anchor - (double)spBody_GetPositions(rig.world, rig.body).data[0].y;
    printf("soft hold: %.6f m\n", sunk);
    CHECK_NEAR(sunk, 0.01, 1e-4);
    spDestroyWorld(rig.world);
}

// ---- the same bits ----

// Boxes that fall, spin, slide and swing
static spWorld* MakePile(int workers)
{
    spWorld* world = MakeWorld(workers);
    AddGround(world, 0.1, 0.4, 0.3);
    for (int i = 0; i < 4; ++i)
    {
        spBodyDef def = MakeDef();
        def.transform.position = (spVec3){(spReal)i, (spReal)(0.5 + 0.1 * i), 0};
        def.transform.rotation = (spQuat){0, 0, (spReal)sin(0.4 * i), (spReal)cos(0.4 * i)};
        def.velocity = (spVec3){1, 0, (spReal)(0.3 * i)};
        spBodyId body = AddBox(world, &def, (spDVec3){0.3, 0.2, 0.1}, i == 3 ? 12 : 2);
        int32_t node = 0;
        assert_true(i != 1 || spBody_PinNodes(world, body, &node, 1));
    }
    return world;
}

static void TestBits(void** state)
{
    SP_UNUSED(state);
    const int workers[] = {1, 2, 3, 8};
    uint64_t hash = 0;
    for (int i = 0; i < SP_COUNT(workers); ++i)
    {
        spWorld* world = MakePile(workers[i]);
        Step(world, 1.0 / 60.0, 60);
        spSnapshot* snapshot = spWorld_Save(world);
        Step(world, 1.0 / 60.0, 60);
        uint64_t end = spWorld_GetStateHash(world);
        assert_true(i == 0 || end == hash);
        hash = end;
        assert_true(spWorld_Restore(world, snapshot));
        Step(world, 1.0 / 60.0, 60);
        assert_true(spWorld_GetStateHash(world) == hash);
        spWorld* other = MakePile(1);
        assert_true(spWorld_Restore(other, snapshot));
        Step(other, 1.0 / 60.0, 60);
        assert_true(spWorld_GetStateHash(other) == hash);
        spDestroySnapshot(snapshot);
        spDestroyWorld(other);
        spDestroyWorld(world);
    }
}

// ---- what users do to it, and hostile bodies ----

static void TestUsers(void** state)
{
    SP_UNUSED(state);
    Rig rig = MakeBox((spDVec3){0.3, 0.2, 0.1}, 2, 1.0, 0.5);
    spMethodDef method = spBody_GetMethod(rig.world, rig.body);
    method.filter.type = sp_filterGaussian;
    assert_false(spBody_SetMethod(rig.world, rig.body, &method));
    spRelaxDef relax = spDefaultRelaxDef();
    assert_false(spBody_Relax(rig.world, rig.body, &relax, NULL));
    assert_non_null(strstr(spWorld_GetLastError(rig.world).message, "rigid"));

    // Where positions are set, that is its shape from now on; other methods take it over and give it back
    spVec3View x = spBody_GetPositions(rig.world, rig.body);
    spVec3* given = calloc((size_t)x.count, sizeof(spVec3));
    for (int i = 0; i < x.count; ++i)
    {
        given[i] = (spVec3){2 * x.data[i].x + 1, x.data[i].y, x.data[i].z};
    }
    double side = 2.0 * (double)(x.data[0].x - x.data[x.count - 1].x);
    assert_true(spBody_SetPositions(rig.world, rig.body, given, x.count));
    free(given);
    Spin(&rig, (double[3]){0.0, 0.0, 3.0});
    spTetDef tets = spDefaultTetDef();
    assert_true(spBody_AddTets(rig.world, rig.body, &tets) >= 0);
    Step(rig.world, 0.01, 10);
    double spin = (double)spBody_GetVelocities(rig.world, rig.body).data[0].x;
    method.filter.type = sp_filterNone;
    method.type = sp_backwardEuler;
    assert_true(spBody_SetMethod(rig.world, rig.body, &method));
    CHECK_NEAR(spBody_GetVelocities(rig.world, rig.body).data[0].x, spin, 0.0);
    method.type = sp_rigid;
    assert_true(spBody_SetMethod(rig.world, rig.body, &method));
    Step(rig.world, 0.01, 1);
    x = spBody_GetPositions(rig.world, rig.body);
    CHECK_NEAR(Distance(x.data[0], x.data[x.count - 1]), sqrt(side * side + 0.04 + 0.01), 1e-6);
    CHECK_NEAR(spBody_GetEnergy(rig.world, rig.body).elastic, 0.0, 0.0);
    spReal levels[27];
    assert_int_equal(spBody_CopyNodeStress(rig.world, rig.body, levels, 27), 0);

    // A force at a corner pushes and turns: momentum and spin are what it gave
    spWorld_SetGravity(rig.world, (spVec3){0, 0, 0});
    Spin(&rig, (double[3]){0.0, 0.0, 0.0});
    assert_true(spBody_SetNodeForce(rig.world, rig.body, 0, (spVec3){0, 0, 5}));
    Step(rig.world, 1e-3, 100);
    CHECK_NEAR(spBody_GetMomentum(rig.world, rig.body).z, 0.5, 1e-5);
    // What is not finite stops it, and it can go on
    assert_true(spBody_SetNodeForce(rig.world, rig.body, 0, (spVec3){0, 0, 0}) &&
                (spBody_SetNodeForce(rig.world, rig.body, 0, (spVec3){0, (spReal)3e38, 0}) || true));
    Step(rig.world, 1e-3, 100);
    spBody_SetNodeForce(rig.world, rig.body, 0, (spVec3){0, 0, 0});
    spBody_Restart(rig.world, rig.body);
    Step(rig.world, 1e-3, 2);
    assert_true(isfinite((double)spBody_GetCenter(rig.world, rig.body).x));
    spDestroyWorld(rig.world);
}

// A point, a line, and masses that are far apart fall, land and come to rest on the ground
static void TestHostile(void** state)
{
    SP_UNUSED(state);
    const double masses[] = {1e-6, 1.0, 1e6};
    for (int k = 0; k < 9; ++k)
    {
        spWorld* world = MakeWorld(1);
        AddGround(world, 0.0, 0.5, 0.0);
        const spVec3 x[3] = {
            {0, (spReal)0.1, 0}, {(spReal)0.1, (spReal)0.15, 0}, {(spReal)0.2, (spReal)0.2, 0}};
        spBodyDef def = MakeDef();
        def.positions = x;
        def.positionCount = k % 3 == 0 ? 1 : 3;
        def.nodeMass = (spReal)masses[k / 3];
        spBodyId body = spCreateBody(world, &def);
        if (k % 3 == 2)
        {
            // All at one place
            const spVec3 same[3] = {x[0], x[0], x[0]};
            assert_true(spBody_SetPositions(world, body, same, 3));
        }
        uint32_t flags = Step(world, 1.0 / 120.0, 360);
        spVec3View p = spBody_GetPositions(world, body), v = spBody_GetVelocities(world, body);
        double weight = 9.81 * masses[k / 3] * def.positionCount,
               force = (double)spBody_GetContactForce(world, body).y;
        printf("hostile %d: at %.3g and %.3g m, %.2g m/s, force %.6f of the weight, flags %x\n", k,
               (double)p.data[0].y, (double)p.data[p.count - 1].y, Length(v.data[0]), force / weight, flags);
        for (int i = 0; i < p.count; ++i)
        {
            CHECK_NEAR(p.data[i].y, 0.0, 1e-5);
            CHECK_LESS(Length(v.data[i]), 1e-4);
        }
        CHECK_NEAR(force / weight, 1.0, 1e-3);
        spDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestFreeFall),      cmocka_unit_test(TestTop),     cmocka_unit_test(TestRest),
        cmocka_unit_test(TestSlope),         cmocka_unit_test(TestBounce),  cmocka_unit_test(TestPendulum),
        cmocka_unit_test(TestHinge),         cmocka_unit_test(TestDriven),  cmocka_unit_test(TestChains),
        cmocka_unit_test(TestSwingingChain), cmocka_unit_test(TestHolds),   cmocka_unit_test(TestBits),
        cmocka_unit_test(TestUsers),         cmocka_unit_test(TestHostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
