// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What XPBD projects beside tets: distances, tethers, areas, volumes, hinges, gas and the volume of a body.
// Derivatives, momentum, physical numbers that do not depend on steps and sweeps, damping, the same shapes as
// other methods find, refusals, memory, the same bits.

#include "element/constraint_set.h"
#include "method/xpbd.h"
#include "test/element_test.h"
#include "test/mesh_test.h"
#include "testbed/worlds.h"
#include "world/world.h"

#define G 9.81
#define FRAME ((spReal)(1.0 / 60.0))

#ifdef SOUPLE_DOUBLE_PRECISION
#define GRADIENT_TOLERANCE 1e-6
#define MOMENTUM_TOLERANCE 1e-12
#else
#define GRADIENT_TOLERANCE 2e-3
#define MOMENTUM_TOLERANCE 1e-5
#endif

static spMethodDef MakeMethod(int substeps, int iterations)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_xpbd;
    method.substeps = substeps;
    method.xpbd.solver = sp_xpbdGaussSeidel;
    method.xpbd.iterations = iterations;
    return method;
}

typedef struct BodyDef
{
    const spDVec3* vertices;
    int count;
    const int32_t* triangles;
    int triangleCount;
    const int32_t* tets;
    int tetCount;
    const spReal* masses; // NULL: 1 kg each
    spMethodDef method;
    double gravity; // downwards
    int workers, lanes;
} BodyDef;

static spTestWorld MakeBody(const BodyDef* def)
{
    spTestWorld test = {.springs = -1, .gas = -1, .tets = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, (spReal)-def->gravity, 0};
    worldDef.workerCount = def->workers > 0 ? def->workers : 1;
    worldDef.laneCount = def->lanes;
    test.world = spCreateWorld(&worldDef, NULL);
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = def->vertices;
    meshDef.vertexCount = def->count;
    meshDef.triangles = def->triangles;
    meshDef.triangleCount = def->triangleCount;
    meshDef.tets = def->tets;
    meshDef.tetCount = def->tetCount;
    spMesh* mesh = spCreateMesh(&meshDef, &test.error);
    assert_non_null(mesh);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = 1;
    bodyDef.nodeMasses = def->masses;
    bodyDef.method = def->method;
    test.body = spCreateBody(test.world, &bodyDef);
    assert_false(SP_IS_NULL(test.body));
    spDestroyMesh(mesh);
    return test;
}

static spVec3 GetPosition(const spTestWorld* test, int node)
{
    return spBody_GetPositions(test->world, test->body).data[node];
}

static void Run(const spTestWorld* test, int steps, spReal dt)
{
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(test->world, dt);
    }
}

// ---- one element of each kind ----

typedef enum Kind
{
    kindDistance,
    kindTether,
    kindArea,
    kindVolume,
    kindWhole,
    kindBend,
    kindSpring,
    kindGas,
    kindCount
} Kind;

static const spDVec3 tetVertices[4] = {{0, 0, 0}, {1, 0, 0.1}, {0.3, 0, -0.9}, {0.2, 0.8, -0.2}};
static const int32_t oneTet[4] = {0, 1, 2, 3};
static const int32_t hingeTriangles[6] = {0, 1, 2, 1, 0, 3};

// A body of four nodes with one element
static spTestWorld MakeElement(Kind kind, const BodyDef* given)
{
    BodyDef def = *given;
    def.vertices = tetVertices;
    def.count = 4;
    if (kind == kindBend)
    {
        def.triangles = hingeTriangles;
        def.triangleCount = 2;
    }
    else
    {
        def.tets = oneTet;
        def.tetCount = 1;
    }
    spTestWorld test = MakeBody(&def);
    int set = -1;
    if (kind <= kindWhole)
    {
        spConstraintDef c = spDefaultConstraintDef();
        c.type = (spConstraintType)kind;
        c.nodes = oneTet;
        c.count = 1;
        c.compliance = (spReal)1e-3;
        set = spBody_AddConstraints(test.world, test.body, &c);
    }
    else if (kind == kindBend)
    {
        spBendDef bends = spDefaultBendDef();
        bends.stiffness = 3;
        bends.damping = 0;
        set = spBody_AddBends(test.world, test.body, &bends);
    }
    else if (kind == kindSpring)
    {
        spSpringDef springs = spDefaultSpringDef();
        springs.damping = 1;
        springs.edges = oneTet;
        springs.edgeCount = 1;
        springs.damping = 0;
        set = spBody_AddSprings(test.world, test.body, &springs);
    }
    else
    {
        spGasDef gas = spDefaultGasDef();
        gas.ambient = false;
        set = spBody_AddGas(test.world, test.body, &gas);
    }
    assert_int_equal(set, 0);
    return test;
}

// Lays out what is in the body, as a step would begin
static spXpbdStep MakeStep(const spTestWorld* test, spReal h)
{
    spBody* body = spGetBody(test->world, test->body);
    spUpdateHeldNodes(body);
    body->method->begin(body, h, NULL);
    spXpbdState* state = body->methodState;
    assert_true(state->laidOut);
    spConstraintFill fill = {.x = body->x, .h = (double)h, .time = 0.0};
    for (int i = 0; i < state->setCount; ++i)
    {
        state->sets[i].kind->fill(state->sets + i, &fill);
    }
    memset(state->lambda, 0, (size_t)state->lambdaCount * sizeof(spReal));
    memcpy(state->start, body->x, (size_t)body->nodeCount * sizeof(spVec4));
    return (spXpbdStep){.body = body, .state = state, .sweep = {.x = body->x, .start = state->start}, .h = h};
}

// C of the only element. That of a gas is its pressure over a stiffness that changes too: it pushes along dV.
static double MeasureRow(spXpbdStep* s, Kind kind)
{
    return kind == kindGas ? spGetBodyVolume(s->body) : spMeasureDual(s);
}

// J from the transpose of a unit multiplier against central differences of C
static void TestDerivatives(void** state)
{
    SP_UNUSED(state);
    for (int kind = 0; kind < kindCount; ++kind)
    {
        BodyDef def = {.method = MakeMethod(1, 1)};
        spTestWorld test = MakeElement((Kind)kind, &def);
        spBody* body = spGetBody(test.world, test.body);
        spXpbdStep s = MakeStep(&test, FRAME);
        // Larger than at rest: the measure knows no sign
        for (int i = 0; i < 4; ++i)
        {
            spReal stretch = (spReal)1.4;
            body->x[i].x *= stretch;
            body->x[i].y *= stretch;
            body->x[i].z *= stretch;
        }
        uint64_t seed = 31 + (uint64_t)kind;
        Shake(body, 0.05, &seed);
        spReal* given = aligned_alloc(64, ((size_t)s.state->lambdaCount * sizeof(spReal) + 63) / 64 * 64);
        for (int64_t i = 0; i < s.state->lambdaCount; ++i)
        {
            given[i] = 1;
        }
        spTransposeRows(&s, given);
        double largest = 0.0, error = 0.0;
        for (int node = 0; node < 4; ++node)
        {
            const spReal gradient[3] = {s.state->work[node].x, s.state->work[node].y, s.state->work[node].z};
            spReal* places[3] = {&body->x[node].x, &body->x[node].y, &body->x[node].z};
            for (int axis = 0; axis < 3; ++axis)
            {
                spReal old = *places[axis];
                *places[axis] = old + (spReal)STEP;
                double forward = MeasureRow(&s, (Kind)kind), width = (double)*places[axis];
                *places[axis] = old - (spReal)STEP;
                double back = MeasureRow(&s, (Kind)kind);
                width -= (double)*places[axis];
                *places[axis] = old;
                double slope = (forward - back) / width;
                largest = fmax(largest, fabs(slope));
                error = fmax(error, fabs(slope - (double)gradient[axis]));
            }
        }
        printf("kind %d: gradient %.4g, error %.2g\n", kind, largest, error / largest);
        CHECK_LESS(error, GRADIENT_TOLERANCE * largest);
        free(given);
        spDestroyTestWorld(&test);
    }
}

// One projection keeps momentum and angular momentum, and leaves nothing of a linear row
static void TestMomentum(void** state)
{
    SP_UNUSED(state);
    const spReal masses[4] = {1, 2, (spReal)0.5, 3};
    for (int kind = 0; kind < kindCount; ++kind)
    {
        BodyDef def = {.masses = masses, .method = MakeMethod(1, 1)};
        spTestWorld test = MakeElement((Kind)kind, &def);
        spBody* body = spGetBody(test.world, test.body);
        spXpbdStep s = MakeStep(&test, FRAME);
        uint64_t seed = 7 + (uint64_t)kind;
        for (int i = 0; i < 4; ++i)
        {
            body->x[i].x *= (spReal)1.8;
            body->x[i].y *= (spReal)1.4;
        }
        Shake(body, 0.2, &seed);
        spVec4 before[4];
        memcpy(before, body->x, sizeof(before));
        double residual = spMeasureDual(&s);
        for (int k = 0; k < s.state->setCount; ++k)
        {
            s.state->sets[k].kind->project(s.state->sets + k, &s.sweep, 0);
        }
        if (s.state->setCount == 0)
        {
            // Whole rows go through a step: from rest, without forces from outside
            memcpy(body->x, before, sizeof(before));
            memset(body->v, 0, sizeof(before));
            spWorld_Step(test.world, FRAME);
        }
        double p[3] = {0}, l[3] = {0}, size = 0.0;
        for (int i = 0; i < 4; ++i)
        {
            double m = (double)body->mass[i];
            double x[3] = {before[i].x, before[i].y, before[i].z};
            double d[3] = {m * ((double)body->x[i].x - x[0]), m * ((double)body->x[i].y - x[1]),
                           m * ((double)body->x[i].z - x[2])};
            for (int a = 0; a < 3; ++a)
            {
                p[a] += d[a];
                l[a] += x[(a + 1) % 3] * d[(a + 2) % 3] - x[(a + 2) % 3] * d[(a + 1) % 3];
                size += fabs(d[a]);
            }
        }
        assert_true(size > 1e-4);
        double after = s.state->setCount > 0 ? spMeasureDual(&s) : 0.0;
        printf("kind %d: moved %.3g kg m, momentum %.2g, angular %.2g, residual %.3g to %.3g\n", kind, size,
               fabs(p[0]) + fabs(p[1]) + fabs(p[2]), fabs(l[0]) + fabs(l[1]) + fabs(l[2]), residual, after);
        CHECK_LESS(fabs(p[0]) + fabs(p[1]) + fabs(p[2]), MOMENTUM_TOLERANCE * fmax(size, 0.1));
        CHECK_LESS(fabs(l[0]) + fabs(l[1]) + fabs(l[2]), MOMENTUM_TOLERANCE * fmax(size, 0.1));
        CHECK_LESS(after, 0.7 * residual);
        spDestroyTestWorld(&test);
    }
}

// ---- physical numbers ----

// A body of four nodes whose last one is free and hangs below the others. size is how its extent grows with
// the height h below them: length h, area b h / 2, volume B h / 3.
static const spDVec3 topVertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, -0.5, 0}};
static const int32_t hangingTets[4] = {0, 1, 2, 3};
static const int32_t lowest[3][4] = {{0, 3}, {0, 1, 3}, {0, 1, 2, 3}};

static spTestWorld MakeHanging(spConstraintType type, spReal compliance, spReal damping, spReal mass,
                               double gravity, const spMethodDef* method, double* slope)
{
    const spReal masses[4] = {1, 1, 1, mass};
    BodyDef def = {.vertices = topVertices,
                   .count = 4,
                   .tets = hangingTets,
                   .tetCount = 1,
                   .masses = masses,
                   .method = *method,
                   .gravity = gravity};
    const int32_t pins[3] = {0, 1, 2};
    spTestWorld test = MakeBody(&def);
    assert_true(spBody_PinNodes(test.world, test.body, pins, 3));
    spConstraintDef c = spDefaultConstraintDef();
    c.type = type;
    c.count = 1;
    c.nodes = lowest[type == sp_constraintArea ? 1 : type < sp_constraintArea ? 0 : 2];
    c.compliance = compliance;
    c.damping = damping;
    int set = spBody_AddConstraints(test.world, test.body, &c);
    if (set < 0)
    {
        printf("%s\n", spWorld_GetLastError(test.world).message);
    }
    assert_int_equal(set, 0);
    *slope = type == sp_constraintArea ? 0.5 : type < sp_constraintArea ? 1.0 : 1.0 / 6.0;
    return test;
}

// A weight m g stretches by what the energy says: a distance by c m g, an area or a volume of size a h to
// m g = (a h - S0) a / (S0 c); whatever the substeps and sweeps
static void TestSettledStretch(void** state)
{
    SP_UNUSED(state);
    const int settings[3][2] = {{2, 1}, {1, 20}, {5, 3}};
    for (int type = 0; type < sp_constraintTypeCount; ++type)
    {
        for (int k = 0; k < 3; ++k)
        {
            double slope, c = type < sp_constraintArea ? 1e-3 : 1e-4, mass = 2.0;
            spMethodDef method = MakeMethod(settings[k][0], settings[k][1]);
            spTestWorld test = MakeHanging((spConstraintType)type, (spReal)c, (spReal)0.02, (spReal)mass, G,
                                           &method, &slope);
            Run(&test, 400, FRAME);
            // The edges of the tet pull sideways too where the free node may move: it stays below its corner
            double h = -(double)GetPosition(&test, 3).y, rest = 0.5 * slope;
            double stretch = type < sp_constraintArea ? c * mass * G : mass * G * rest * c / (slope * slope);
            printf("type %d, %d substeps of %d: stretch %.6g m, expected %.6g m\n", type, settings[k][0],
                   settings[k][1], h - 0.5, stretch);
            CHECK_NEAR(h - 0.5, stretch, 2e-3 * stretch);
            double size = slope * h, energy = type < sp_constraintArea
                                                  ? (h - 0.5) * (h - 0.5) / (2 * c)
                                                  : (size - rest) * (size - rest) / (2 * rest * c);
            CHECK_NEAR(spBody_GetEnergy(test.world, test.body).elastic, energy, 1e-2 * energy);
            // What holds it is read at the pins: their own weight and that of the free node
            CHECK_NEAR(spBody_GetPinForce(test.world, test.body).y, (3.0 + mass) * G, 1e-2 * (3 + mass) * G);
            spDestroyTestWorld(&test);
        }
    }
}

// Compliance over damping: what was stretched comes back as exp(-t / time), here by steps of backward Euler
static void TestDamping(void** state)
{
    SP_UNUSED(state);
    for (int type = 0; type < sp_constraintTypeCount; ++type)
    {
        if (type == sp_constraintTether)
        {
            continue; // never pushes, which is what slows the free node down
        }
        double slope, time = 0.1, h = 1e-3;
        spMethodDef method = MakeMethod(1, 20);
        spTestWorld test = MakeHanging((spConstraintType)type, (spReal)1e-3, (spReal)time, (spReal)1e-4, 0.0,
                                       &method, &slope);
        spVec3 positions[4];
        spBody_CopyPositions(test.world, test.body, positions, 4);
        positions[3].y -= (spReal)0.01;
        spBody_SetPositions(test.world, test.body, positions, 4);
        Run(&test, 100, (spReal)h);
        double left = (-0.5 - (double)GetPosition(&test, 3).y) / 0.01, expected = pow(1.0 + h / time, -100.0);
        printf("type %d: %.4f of the stretch is left, expected %.4f\n", type, left, expected);
        CHECK_NEAR(left, expected, 0.02 * expected);

        // Without effect where it is kept exactly
        assert_true(spBody_SetConstraints(test.world, test.body, 0, 0, 10));
        Run(&test, 3, (spReal)h);
        CHECK_NEAR(GetPosition(&test, 3).y, -0.5, 1e-6);
        spDestroyTestWorld(&test);
    }
}

// Compliance 0 keeps distances, areas and volumes of a falling, turning body
static void TestKept(void** state)
{
    SP_UNUSED(state);
    for (int type = 0; type < sp_constraintTypeCount; ++type)
    {
        BodyDef def = {.method = MakeMethod(1, 60), .gravity = G};
        spTestWorld test = MakeElement((Kind)type, &def);
        spBody* body = spGetBody(test.world, test.body);
        assert_true(spBody_SetConstraints(test.world, test.body, 0, 0, 0));
        const int32_t ranks[4] = {body->order.rank[0], body->order.rank[1], body->order.rank[2],
                                  body->order.rank[3]};
        spConstraintType size =
            type == sp_constraintBodyVolume ? sp_constraintVolume : (spConstraintType)type;
        double rest = spMeasureConstraint(size, body->x, ranks);
        spVec3 velocities[4] = {{1, 2, 0}, {-1, 0, (spReal)0.5}, {0, -2, 1}, {2, 1, -1}};
        spBody_SetVelocities(test.world, test.body, velocities, 4);
        double worst = 0.0;
        for (int i = 0; i < 60; ++i)
        {
            spWorld_Step(test.world, FRAME);
            double change = spMeasureConstraint(size, body->x, ranks) / rest - 1.0;
            // A tether keeps what is longer
            worst = fmax(worst, type == sp_constraintTether ? change : fabs(change));
        }
        printf("type %d: worst change %.2g\n", type, worst);
        CHECK_LESS(worst, 1e-5);
        spDestroyTestWorld(&test);
    }
}

// Crushed, flattened, turned inside out or at one point: nothing is torn apart, and all stays finite
static void TestCollapsed(void** state)
{
    SP_UNUSED(state);
    const double scales[][3] = {{0, 0, 0},       {1, 0, 0},     {1, 0, 1},     {1e-3, 1e-3, 1e-3},
                                {1e-6, 1, 1e-6}, {-1, 1, 1},    {1e-3, -1, 1}, {1e-9, 1e-9, 1e-9},
                                {3, 3, 3},       {1e3, 1e3, 1}, {0, 1e-20, 0}};
    for (int kind = 0; kind < kindCount; ++kind)
    {
        double farthest = 0.0;
        for (int k = 0; k < SP_COUNT(scales); ++k)
        {
            BodyDef def = {.method = MakeMethod(1, 20)};
            spTestWorld test = MakeElement((Kind)kind, &def);
            if (kind <= kindWhole)
            {
                assert_true(spBody_SetConstraints(test.world, test.body, 0, 0, 0));
            }
            spVec3 positions[4];
            double size = 1.0;
            for (int i = 0; i < 4; ++i)
            {
                positions[i] = (spVec3){(spReal)(scales[k][0] * tetVertices[i].x),
                                        (spReal)(scales[k][1] * tetVertices[i].y),
                                        (spReal)(scales[k][2] * tetVertices[i].z)};
                size = fmax(size, fabs((double)positions[i].x) + fabs((double)positions[i].z));
            }
            assert_true(spBody_SetPositions(test.world, test.body, positions, 4));
            spWorld_Step(test.world, FRAME);
            assert_true(spBody_IsRunning(test.world, test.body));
            for (int i = 0; i < 4; ++i)
            {
                spVec3 p = GetPosition(&test, i);
                farthest = fmax(farthest, (fabs((double)p.x) + fabs((double)p.y) + fabs((double)p.z)) / size);
            }
            Run(&test, 10, FRAME);
            assert_true(spBody_IsRunning(test.world, test.body));
            spDestroyTestWorld(&test);
        }
        printf("kind %d: after a step at most %.3g of the size away\n", kind, farthest);
        CHECK_LESS(farthest, 30.0);
    }
}

// ---- tethers ----

// A rope along an L: nodes 0 .. count - 1, a tenth apart, with soft springs
static spTestWorld MakeRope(int count, spReal stiffness)
{
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    int32_t* edges = malloc(2 * (size_t)count * sizeof(int32_t));
    spTestWorld test = {.springs = -1, .gas = -1, .tets = -1};
    for (int i = 0; i < count; ++i)
    {
        int first = count / 2;
        x[i] = i < first ? (spVec3){0, (spReal)(-0.1 * i), 0}
                         : (spVec3){(spReal)(0.1 * (i - first + 1)), (spReal)(-0.1 * (first - 1)), 0};
        edges[2 * i] = i;
        edges[2 * i + 1] = i + 1;
    }
    spWorldDef worldDef = spDefaultWorldDef();
    test.world = spCreateWorld(&worldDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = x;
    bodyDef.positionCount = count;
    bodyDef.nodeMass = (spReal)0.1;
    bodyDef.method = MakeMethod(1, 20);
    test.body = spCreateBody(test.world, &bodyDef);
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    springs.edges = edges;
    springs.edgeCount = count - 1;
    springs.stiffness = stiffness;
    springs.damping = 0;
    test.springs = spBody_AddSprings(test.world, test.body, &springs);
    assert_int_equal(test.springs, 0);
    free(x);
    free(edges);
    return test;
}

static void TestTethers(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeRope(20, 20);
    const int32_t pin = 0;
    spBody_PinNodes(test.world, test.body, &pin, 1);
    spConstraintDef c = spDefaultConstraintDef();
    c.type = sp_constraintTether;
    c.restScale = (spReal)1.05;
    assert_int_equal(spBody_AddConstraints(test.world, test.body, &c), 1);
    const spBody* body = spGetBody(test.world, test.body);
    const spConstraintSet* set = spGetConstraintSet(body, 1);
    assert_int_equal(set->base.elementCount, 19);
    for (int i = 0; i < 19; ++i)
    {
        // Along the rope, not through the air
        assert_int_equal(body->order.order[set->nodes[2 * i]], 0);
        CHECK_NEAR(set->rest[i], 1.05 * 0.1 * body->order.order[set->nodes[2 * i + 1]], 1e-5);
    }
    // A violent pull
    spBody_SetNodeForce(test.world, test.body, 19, (spVec3){2000, 0, 500});
    double worst = 0.0;
    for (int i = 0; i < 120; ++i)
    {
        spWorld_Step(test.world, FRAME);
        spVec3View x = spBody_GetPositions(test.world, test.body);
        for (int k = 1; k < 20; ++k)
        {
            spVec3 p = x.data[k];
            double distance = sqrt((double)p.x * p.x + (double)p.y * p.y + (double)p.z * p.z);
            worst = fmax(worst, distance / (0.105 * k) - 1.0);
        }
    }
    printf("pulled by 2000 N: %.2g beyond the tethers\n", worst);
    CHECK_LESS(worst, 1e-5);
    CHECK_LESS(-1e-2, worst);
    spDestroyTestWorld(&test);
}

// A tether that is slack does nothing at all; neither does a tension spring, and both catch
static void TestSlack(void** state)
{
    SP_UNUSED(state);
    const spVec3 positions[2] = {{0, 0, 0}, {0, (spReal)-0.5, 0}};
    const int32_t edge[2] = {0, 1}, pin = 0;
    const spReal rest = 2;
    for (int k = 0; k < 3; ++k)
    {
        spWorldDef worldDef = spDefaultWorldDef();
        spWorld* world = spCreateWorld(&worldDef, NULL);
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.positions = positions;
        bodyDef.positionCount = 2;
        bodyDef.nodeMass = 1;
        bodyDef.method = MakeMethod(1, 10);
        spBodyId body = spCreateBody(world, &bodyDef);
        spBody_PinNodes(world, body, &pin, 1);
        if (k == 1)
        {
            spConstraintDef c = spDefaultConstraintDef();
            c.type = sp_constraintTether;
            c.nodes = edge;
            c.count = 1;
            c.rest = &rest;
            assert_int_equal(spBody_AddConstraints(world, body, &c), 0);
        }
        else if (k == 2)
        {
            spSpringDef springs = spDefaultSpringDef();
            springs.damping = 1;
            springs.law = sp_springTension;
            springs.edges = edge;
            springs.edgeCount = 1;
            springs.restLengths = &rest;
            springs.stiffness = (spReal)1e5;
            springs.damping = 100;
            assert_int_equal(spBody_AddSprings(world, body, &springs), 0);
        }
        static spVec3 free20;
        for (int i = 0; i < 20; ++i)
        {
            spWorld_Step(world, FRAME);
        }
        spVec3 x = spBody_GetPositions(world, body).data[1];
        free20 = k == 0 ? x : free20;
        assert_memory_equal(&x, &free20, sizeof(x));
        for (int i = 0; i < 300; ++i)
        {
            spWorld_Step(world, FRAME);
        }
        double y = (double)spBody_GetPositions(world, body).data[1].y;
        CHECK_NEAR(y, k == 0 ? y : k == 1 ? -2.0 : -2.0 - G / 1e5, 1e-5);
        assert_true(k > 0 || y < -10.0);
        spDestroyWorld(world);
    }
}

// ---- muscles ----

static void TestMuscles(void** state)
{
    SP_UNUSED(state);
    const spVec3 positions[2] = {{0, 0, 0}, {1, 0, 0}};
    const int32_t edge[2] = {0, 1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = positions;
    bodyDef.positionCount = 2;
    bodyDef.nodeMass = 1;
    bodyDef.method = MakeMethod(2, 10);
    spBodyId body = spCreateBody(world, &bodyDef);
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    springs.edges = edge;
    springs.edgeCount = 1;
    springs.stiffness = (spReal)1e6;
    springs.damping = 0;
    springs.activationAmplitude = (spReal)0.3;
    springs.activationFrequency = (spReal)0.5;
    assert_int_equal(spBody_AddSprings(world, body, &springs), 0);
    for (int i = 1; i <= 120; ++i)
    {
        spWorld_Step(world, FRAME);
        spVec3View x = spBody_GetPositions(world, body);
        double length = (double)x.data[1].x - (double)x.data[0].x;
        CHECK_NEAR(length, 1.0 + 0.3 * sin(2.0 * 3.14159265358979 * 0.5 * i / 60.0), 1e-3);
    }
    spDestroyWorld(world);
}

// ---- gas ----

static spTestWorld MakeGasBall(const spMethodDef* method, bool planar, spReal breath, bool ambient)
{
    spTestWorld test = {.springs = -1, .gas = -1, .tets = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    test.world = spCreateWorld(&worldDef, NULL);
    spShellMeshDef meshDef = spDefaultShellMeshDef();
    meshDef.level = 1;
    meshDef.points = 24;
    spMesh* mesh = planar ? spMakeDiscMesh(&meshDef, NULL) : spMakeIcosphereMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = (spReal)0.05;
    bodyDef.method = *method;
    test.body = spCreateBody(test.world, &bodyDef);
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    springs.stiffness = 300;
    springs.damping = 3;
    test.springs = spBody_AddSprings(test.world, test.body, &springs);
    spGasDef gas = spDefaultGasDef();
    gas.ambient = false;
    int32_t outline[24];
    for (int i = 0; i < 24; ++i)
    {
        outline[i] = i;
    }
    gas.restPressure = planar ? 100 : 200;
    gas.ambient = ambient;
    gas.breathAmplitude = breath;
    gas.breathFrequency = 1;
    gas.outline = planar ? outline : NULL;
    gas.outlineCount = planar ? 24 : 0;
    test.gas = spBody_AddGas(test.world, test.body, &gas);
    assert_true(test.springs >= 0 && test.gas >= 0);
    spDestroyMesh(mesh);
    return test;
}

// The pressure and volume that backward Euler finds
static void TestGas(void** state)
{
    SP_UNUSED(state);
    for (int planar = 0; planar < 2; ++planar)
    {
        double volume[2], pressure[2];
        for (int k = 0; k < 2; ++k)
        {
            // What J turns within a substep keeps the sweeps away from the balance: less the shorter it is
            spMethodDef method = MakeMethod(8, 40);
            method.type = k == 0 ? sp_backwardEuler : sp_xpbd;
            spTestWorld test = MakeGasBall(&method, planar == 1, 0, false);
            double before = spBody_GetVolume(test.world, test.body);
            Run(&test, 300, FRAME);
            volume[k] = spBody_GetVolume(test.world, test.body);
            pressure[k] = spBody_GetPressure(test.world, test.body, test.gas);
            assert_true(volume[k] > 1.05 * before);
            spDestroyTestWorld(&test);
        }
        printf("%dD: volume %.6g and %.6g, pressure %.6g and %.6g\n", planar == 1 ? 2 : 3, volume[0],
               volume[1], pressure[0], pressure[1]);
        CHECK_NEAR(volume[1], volume[0], 1e-3 * volume[0]);
        CHECK_NEAR(pressure[1], pressure[0], 1e-3 * pressure[0]);
    }
}

// With ambient pressure and breathing, step by step as backward Euler, which Newton's method solves
static void TestBreathing(void** state)
{
    SP_UNUSED(state);
    double volumes[60];
    for (int k = 0; k < 2; ++k)
    {
        spMethodDef method = MakeMethod(8, 60);
        method.type = k == 0 ? sp_backwardEuler : sp_xpbd;
        method.solver.newtonSteps = 8;
        spTestWorld test = MakeGasBall(&method, false, (spReal)0.5, true);
        double worst = 0.0, largest = 0.0, rest = spBody_GetVolume(test.world, test.body);
        for (int i = 0; i < 60; ++i)
        {
            spWorld_Step(test.world, FRAME);
            double volume = spBody_GetVolume(test.world, test.body);
            volumes[i] = k == 0 ? volume : volumes[i];
            largest = fmax(largest, fabs(volume / rest - 1.0));
            worst = fmax(worst, fabs(volume - volumes[i]) / rest);
        }
        printf("method %d: volume changes by %.3g, differs by %.2g\n", k, largest, worst);
        assert_true(largest > 0.02);
        CHECK_LESS(worst, 0.01 * largest);
        spDestroyTestWorld(&test);
    }
}

// ---- bends ----

static spTestWorld MakeStrip(const spMethodDef* method)
{
    spTestWorld test = {.springs = -1, .gas = -1, .tets = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    test.world = spCreateWorld(&worldDef, NULL);
    spClothMeshDef meshDef = spDefaultClothMeshDef();
    meshDef.countX = 9;
    meshDef.countZ = 3;
    meshDef.sizeX = 0.4;
    meshDef.sizeZ = 0.1;
    spMesh* mesh = spMakeClothMesh(&meshDef, &test.error);
    assert_non_null(mesh);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = (spReal)1e-3;
    bodyDef.method = *method;
    test.body = spCreateBody(test.world, &bodyDef);
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    springs.edges = spMesh_GetEdges(mesh);
    springs.edgeCount = spMesh_GetEdgeCount(mesh);
    springs.stiffness = 20;
    springs.damping = (spReal)0.01;
    test.springs = spBody_AddSprings(test.world, test.body, &springs);
    spBendDef bends = spDefaultBendDef();
    bends.stiffness = (spReal)1e-2;
    bends.damping = (spReal)1e-4;
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = 5;
    assert_true(test.springs >= 0 && spBody_AddBends(test.world, test.body, &bends) >= 0 &&
                spBody_AddField(test.world, test.body, &drag) >= 0);
    int32_t pins[6];
    for (int i = 0; i < 6; ++i)
    {
        pins[i] = i;
    }
    spBody_PinNodes(test.world, test.body, pins, 6);
    spDestroyMesh(mesh);
    return test;
}

// The shape that the quasi-static method finds
static void TestStrip(void** state)
{
    SP_UNUSED(state);
    spVec3 shape[2][27];
    double start = 0.0;
    for (int k = 0; k < 2; ++k)
    {
        spMethodDef method = MakeMethod(k == 0 ? 1 : 8, 100);
        method.type = k == 0 ? sp_quasiStatic : sp_xpbd;
        spTestWorld test = MakeStrip(&method);
        start = (double)GetPosition(&test, 25).y;
        Run(&test, k == 0 ? 3 : 300, FRAME);
        spBody_CopyPositions(test.world, test.body, shape[k], 27);
        spDestroyTestWorld(&test);
    }
    double worst = 0.0, sag = start - (double)shape[0][25].y;
    for (int i = 0; i < 27; ++i)
    {
        worst = fmax(worst, fabs((double)shape[0][i].x - (double)shape[1][i].x));
        worst = fmax(worst, fabs((double)shape[0][i].y - (double)shape[1][i].y));
    }
    printf("strip of 0.4 m sags by %.4g m, differs by %.2g m\n", sag, worst);
    assert_true(sag > 0.05);
    CHECK_LESS(worst, 0.01 * sag);
}

// ---- refusals ----

static void CheckRefused(const spTestWorld* test, const spConstraintDef* def, spErrorCode code,
                         const char* part)
{
    spWorld_ClearError(test->world);
    assert_int_equal(spBody_AddConstraints(test->world, test->body, def), -1);
    spError error = spWorld_GetLastError(test->world);
    if (error.code != code || strstr(error.message, part) == NULL)
    {
        print_error("code %d, \"%s\" instead of \"%s\"\n", (int)error.code, error.message, part);
        fail();
    }
}

static void TestRefusals(void** state)
{
    SP_UNUSED(state);
    BodyDef bodyDef = {
        .vertices = tetVertices, .count = 4, .tets = oneTet, .tetCount = 1, .method = MakeMethod(1, 5)};
    spTestWorld test = MakeBody(&bodyDef);
    spConstraintDef good = spDefaultConstraintDef(), c;
    CheckRefused(&test, NULL, sp_errorBadDef, "spDefaultConstraintDef");
    c = (spConstraintDef){0};
    CheckRefused(&test, &c, sp_errorBadDef, "spDefaultConstraintDef");
    c = good;
    c.type = sp_constraintTypeCount;
    CheckRefused(&test, &c, sp_errorBadArgument, "does not exist");
    const spReal bad[3] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; ++i)
    {
        c = good;
        c.compliance = bad[i];
        CheckRefused(&test, &c, sp_errorBadArgument, "compliance");
        c = good;
        c.damping = bad[i];
        CheckRefused(&test, &c, sp_errorBadArgument, "damping");
        c = good;
        c.restScale = bad[i];
        CheckRefused(&test, &c, sp_errorBadArgument, "rest scale");
    }
    const int32_t outside[4] = {0, 4, 1, 2}, negative[4] = {-1, 0, 1, 2}, twice[4] = {0, 1, 1, 0};
    const int32_t mirrored[4] = {1, 0, 2, 3};
    const spReal zero = 0, below = -1;
    c = good;
    c.nodes = oneTet;
    CheckRefused(&test, &c, sp_errorBadArgument, "must be positive");
    for (int type = 0; type < sp_constraintBodyVolume; ++type)
    {
        c = good;
        c.type = (spConstraintType)type;
        c.count = 1;
        c.nodes = outside;
        CheckRefused(&test, &c, sp_errorBadIndex, "node 4");
        c.nodes = negative;
        CheckRefused(&test, &c, sp_errorBadIndex, "node -1");
        c.nodes = type < sp_constraintArea ? twice + 1 : twice;
        CheckRefused(&test, &c, sp_errorBadIndex, "twice");
        c.nodes = oneTet;
        c.rest = &below;
        CheckRefused(&test, &c, sp_errorBadArgument, "rest value");
        if (type >= sp_constraintArea)
        {
            c.rest = &zero;
            CheckRefused(&test, &c, sp_errorBadArgument, "rest value");
        }
    }
    c = good;
    c.type = sp_constraintVolume;
    c.count = 1;
    c.nodes = mirrored;
    CheckRefused(&test, &c, sp_errorBadMesh, "exchange two");
    c = good;
    c.type = sp_constraintBodyVolume;
    c.rest = &zero;
    CheckRefused(&test, &c, sp_errorBadMesh, "must be positive");
    c = good;
    c.type = sp_constraintTether;
    CheckRefused(&test, &c, sp_errorBadArgument, "spBody_PinNodes");
    c.rest = &zero;
    CheckRefused(&test, &c, sp_errorBadArgument, "not their nodes");
    // Flat
    spVec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
    spBody_SetPositions(test.world, test.body, positions, 4);
    for (int type = sp_constraintArea; type <= sp_constraintVolume; ++type)
    {
        c = good;
        c.type = (spConstraintType)type;
        CheckRefused(&test, &c, sp_errorBadMesh, "flat");
    }
    assert_int_equal(spBody_GetSetCount(test.world, test.body), 0);

    // Only XPBD
    c = good;
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_symplecticEuler;
    assert_true(spBody_SetMethod(test.world, test.body, &method));
    CheckRefused(&test, &c, sp_errorBadArgument, "sp_xpbd");
    method = MakeMethod(1, 5);
    assert_true(spBody_SetMethod(test.world, test.body, &method));
    assert_int_equal(spBody_AddConstraints(test.world, test.body, &c), 0);
    for (int type = 0; type < sp_methodTypeCount; ++type)
    {
        method = spDefaultMethodDef();
        method.type = (spMethodType)type;
        bool kept = type == sp_xpbd || type == sp_methodAuto;
        assert_int_equal(spBody_SetMethod(test.world, test.body, &method), kept);
        assert_true(kept || strstr(spWorld_GetLastError(test.world).message, "constraints") != NULL);
    }
    spRelaxDef relax = spDefaultRelaxDef();
    assert_false(spBody_Relax(test.world, test.body, &relax, NULL));
    assert_non_null(strstr(spWorld_GetLastError(test.world).message, "constraints"));
    assert_true(spBody_SetConstraints(test.world, test.body, 0, 1, 1));
    assert_false(spBody_SetConstraints(test.world, test.body, 1, 1, 1));
    assert_false(spBody_SetConstraints(test.world, test.body, -1, 1, 1));
    assert_false(spBody_SetConstraints(test.world, test.body, 0, -1, 1));
    assert_false(spBody_SetConstraints(test.world, test.body, 0, 1, NAN));
    assert_false(spBody_SetSprings(test.world, test.body, 0, 1, 1));
    int set = 0;
    while (set >= 0)
    {
        set = spBody_AddConstraints(test.world, test.body, &c);
    }
    assert_int_equal(spWorld_GetLastError(test.world).code, sp_errorLimit);
    spDestroyTestWorld(&test);

    // A body that has none of what is asked for
    const spVec3 lone = {0, 0, 0};
    spWorldDef worldDef = spDefaultWorldDef();
    test.world = spCreateWorld(&worldDef, NULL);
    spBodyDef loneDef = spDefaultBodyDef();
    loneDef.positions = &lone;
    loneDef.positionCount = 1;
    loneDef.nodeMass = 1;
    loneDef.method = MakeMethod(1, 5);
    test.body = spCreateBody(test.world, &loneDef);
    for (int type = 0; type < sp_constraintTypeCount; ++type)
    {
        c = good;
        c.type = (spConstraintType)type;
        CheckRefused(&test, &c, sp_errorBadArgument, "has none");
    }
    // It falls all the same
    assert_int_equal(spWorld_Step(test.world, FRAME), 0);
    CHECK_NEAR(GetPosition(&test, 0).y, -G / 3600.0, 1e-6);
    spDestroyTestWorld(&test);
}

// ---- memory, threads, lanes ----

// A block with everything on it: 13 x 13 x 13 nodes, held at one face, above the ground
static spTestWorld MakeBlock(int workers, int lanes, const spAllocator* allocator, int cells, bool whole)
{
    spTestWorld test = {.springs = -1, .gas = -1, .tets = -1};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = workers;
    worldDef.laneCount = lanes;
    if (allocator != NULL)
    {
        worldDef.allocator = *allocator;
    }
    test.world = spCreateWorld(&worldDef, NULL);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0, 0.01, 0};
    for (int axis = 0; axis < 3; ++axis)
    {
        meshDef.cells[axis] = cells;
    }
    spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method = MakeMethod(1, 4);
    test.body = spCreateBody(test.world, &bodyDef);
    spDestroyMesh(mesh);
    int32_t pins[400];
    int pinCount = (cells + 1) * (cells + 1);
    for (int i = 0; i < pinCount; ++i)
    {
        pins[i] = i;
    }
    spBody_PinNodes(test.world, test.body, pins, pinCount);
    spAddTestGround(test.world, (spReal)0.5, 0);
    for (int type = 0; type < sp_constraintTypeCount && whole; ++type)
    {
        spConstraintDef c = spDefaultConstraintDef();
        c.type = (spConstraintType)type;
        c.compliance = type == sp_constraintTether ? 0
                       : type < sp_constraintArea  ? (spReal)1e-6
                                                   : (spReal)1e-7;
        c.damping = type == sp_constraintVolume ? 0 : (spReal)0.01;
        assert_int_equal(spBody_AddConstraints(test.world, test.body, &c), type);
    }
    if (whole)
    {
        spBendDef bends = spDefaultBendDef();
        spGasDef gas = spDefaultGasDef();
        gas.ambient = false;
        assert_true(spBody_AddBends(test.world, test.body, &bends) >= 0);
        assert_true(spBody_AddGas(test.world, test.body, &gas) >= 0);
    }
    return test;
}

// Gives the block sweeps with Anderson's mixing, which is what the automatic solver does for constraints
static void Accelerate(const spTestWorld* test)
{
    spMethodDef method = MakeMethod(2, 6);
    method.xpbd.accelerator = sp_accelerateAnderson;
    assert_true(spBody_SetMethod(test->world, test->body, &method));
}

static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    const int workers[] = {1, 2, 3, 1, 1, 1}, lanes[] = {0, 0, 0, 1, 4, 8};
    for (int accelerated = 0; accelerated < 2; ++accelerated)
    {
        uint64_t first = 0;
        for (int k = 0; k < SP_COUNT(workers); ++k)
        {
            if (lanes[k] > spGetLaneCount())
            {
                continue;
            }
            spTestWorld test = MakeBlock(workers[k], lanes[k], NULL, 12, true);
            if (accelerated == 1)
            {
                Accelerate(&test);
            }
            Run(&test, 6, FRAME);
            uint64_t hash = spWorld_GetStateHash(test.world);
            assert_true(spBody_IsRunning(test.world, test.body));
            assert_true(spWorld_GetContactCount(test.world) > 0);
            first = k == 0 ? hash : first;
            assert_true(hash == first);
            spDestroyTestWorld(&test);
        }
    }
}

// Back in the same world, and in another one that has never seen as many contacts
static void TestSnapshot(void** state)
{
    SP_UNUSED(state);
    for (int accelerated = 0; accelerated < 2; ++accelerated)
    {
        spTestWorld tests[2] = {MakeBlock(1, 0, NULL, 4, true), MakeBlock(1, 0, NULL, 4, true)};
        for (int k = 0; k < 2 && accelerated == 1; ++k)
        {
            Accelerate(tests + k);
        }
        Run(tests, 10, FRAME);
        spSnapshot* snapshot = spWorld_Save(tests[0].world);
        size_t bytes = spWorld_GetByteCount(tests[0].world);
        Run(tests, 10, FRAME);
        uint64_t hash = spWorld_GetStateHash(tests[0].world);
        // A step allocates nothing
        assert_int_equal(spWorld_GetByteCount(tests[0].world), bytes);
        for (int k = 0; k < 2; ++k)
        {
            assert_true(spWorld_Restore(tests[k].world, snapshot));
            assert_true(spWorld_GetStateHash(tests[k].world) != hash);
            Run(tests + k, 10, FRAME);
            assert_true(spWorld_GetStateHash(tests[k].world) == hash);
            spDestroyTestWorld(tests + k);
        }
        spDestroySnapshot(snapshot);
    }
}

// Every allocation failing in turn: an error each time, nothing leaks, and the set can be added afterwards;
// then in the layout of the first step, after which the body stands still until there is memory
static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    FailingAllocator failing = {.failAt = -1};
    spAllocator allocator = MakeFailingAllocator(&failing);
    spTestWorld test = MakeBlock(1, 0, &allocator, 2, false);
    for (int type = 0; type < sp_constraintTypeCount; ++type)
    {
        spConstraintDef c = spDefaultConstraintDef();
        c.type = (spConstraintType)type;
        int set = -1, tries = 0;
        for (; set < 0; ++tries)
        {
            int64_t out = failing.out;
            failing.count = 0;
            failing.failAt = tries;
            set = spBody_AddConstraints(test.world, test.body, &c);
            assert_true(set >= 0 || failing.out == out);
            assert_true(set >= 0 || spWorld_GetLastError(test.world).code == sp_errorOutOfMemory);
            assert_true(tries < 100);
        }
        assert_int_equal(set, type);
        assert_true(tries > 3);
    }
    int stopped = 0;
    failing.failAfter = true;
    for (uint32_t flags = 1; flags != 0; ++stopped)
    {
        failing.count = 0;
        failing.failAt = stopped;
        flags = spWorld_Step(test.world, FRAME);
        assert_true(stopped < 200);
    }
    printf("%d steps without memory\n", stopped - 1);
    assert_true(stopped > 10);
    failing.failAt = -1;
    assert_int_equal(spWorld_Step(test.world, FRAME), 0);
    spDestroyTestWorld(&test);
    assert_int_equal(failing.out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestDerivatives),    cmocka_unit_test(TestMomentum),
        cmocka_unit_test(TestSettledStretch), cmocka_unit_test(TestDamping),
        cmocka_unit_test(TestKept),           cmocka_unit_test(TestCollapsed),
        cmocka_unit_test(TestTethers),        cmocka_unit_test(TestSlack),
        cmocka_unit_test(TestMuscles),        cmocka_unit_test(TestGas),
        cmocka_unit_test(TestBreathing),      cmocka_unit_test(TestStrip),
        cmocka_unit_test(TestRefusals),       cmocka_unit_test(TestSameBits),
        cmocka_unit_test(TestSnapshot),       cmocka_unit_test(TestFailingAllocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
