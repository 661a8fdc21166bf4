// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whether implicit methods give the right answers: the linear system against a dense one in double, orders
// and damping against formulas, static shapes against each other, pins and links, and runs that repeat bit
// for bit whatever the threads do.

#include "test/element_test.h"
#include "test/memory_test.h"

#include "method/method.h"
#include "testbed/solver_beam.h"
#include "testbed/worlds.h"
#include "world/world.h"

#ifdef SOUPLE_DOUBLE_PRECISION
static const double tight = 1e-10;
static const bool isDouble = true;
#else
static const double tight = 1e-5;
static const bool isDouble = false;
#endif

static const double pi = 3.14159265358979323846;

static spTetDef MakeTets(spTetLaw law, double young)
{
    spTetDef def = spDefaultTetDef();
    def.law = law;
    def.youngModulus = (spReal)young;
    def.poissonRatio = (spReal)0.3;
    return def;
}

static spTestDef MakeTest(spMethodType type)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = type;
    return def;
}

// A build without the library that factors refuses the complete factor; the multilevel one may not be there
static bool HasPreconditioner(int type)
{
    spTestDef def = MakeTest(sp_backwardEuler);
    def.method.solver.preconditioner = (spPreconditionerType)type;
    spTestWorld test = spBuildParticle(&def, 1, 1);
    bool has = test.world != NULL && (type == sp_preconditionNone || spFindPreconditioner(type) != NULL);
    spDestroyTestWorld(&test);
    return has;
}

static bool HasLanes(int laneCount)
{
    spWorldDef def = spDefaultWorldDef();
    def.laneCount = laneCount;
    spWorld* world = spCreateWorld(&def, NULL);
    spDestroyWorld(world);
    return world != NULL;
}

static spTestWorld BuildBeam(const spTestDef* def, int m, const spTetDef* tets)
{
    spTestWorld test = spBuildTetBeam(def, m, tets);
    if (test.world == NULL)
    {
        fail_msg("%s", test.error.message);
    }
    return test;
}

static void AddBeamSprings(spTestWorld* test, double stiffness, double damping)
{
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    springs.stiffness = (spReal)stiffness;
    springs.damping = (spReal)damping;
    test->springs = spBody_AddSprings(test->world, test->body, &springs);
    assert_true(test->springs >= 0);
}

// ---- dense matrices in double, by rows; nodes as they lie in the body ----

// mass M + stiffness K, K from the elements one by one
static double* MakeDense(spBody* body, double mass, double stiffness)
{
    int n = 3 * body->nodeCount;
    double* a = calloc((size_t)n * (size_t)n, sizeof(double));
    for (int i = 0; i < n; ++i)
    {
        a[i * n + i] = mass * (double)body->mass[i / 3];
    }
    spNodeState state = spGetNodeState(body);
    for (int s = 0; s < body->setCount; ++s)
    {
        const spElementSet* set = body->sets[s];
        for (int e = 0; e < set->elementCount; ++e)
        {
            int32_t nodes[SP_MAX_ELEMENT_NODES];
            spMat3 blocks[SP_MAX_ELEMENT_NODES * SP_MAX_ELEMENT_NODES];
            int count = set->kind->getStiffness(set, &state, e, true, nodes, blocks);
            for (int k = 0; k < count * count; ++k)
            {
                double* at = a + 3 * nodes[k / count] * n + 3 * nodes[k % count];
                spVec3 columns[3] = {blocks[k].cx, blocks[k].cy, blocks[k].cz};
                for (int c = 0; c < 3; ++c)
                {
                    at[c] += stiffness * (double)columns[c].x;
                    at[n + c] += stiffness * (double)columns[c].y;
                    at[2 * n + c] += stiffness * (double)columns[c].z;
                }
            }
        }
    }
    return a;
}

// Takes the held nodes out: their rows and columns become those of the identity
static void HoldDense(double* a, const spBody* body)
{
    int n = 3 * body->nodeCount;
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j < n; ++j)
        {
            if (body->x[i / 3].w == 0 || body->x[j / 3].w == 0)
            {
                a[i * n + j] = i == j ? 1.0 : 0.0;
            }
        }
    }
}

// Cholesky's factor into the lower half. False when the matrix is not positive definite.
static bool FactorDense(double* a, int n)
{
    for (int j = 0; j < n; ++j)
    {
        for (int i = j; i < n; ++i)
        {
            double sum = a[i * n + j];
            for (int k = 0; k < j; ++k)
            {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j && !(sum > 0.0))
            {
                return false;
            }
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    }
    return true;
}

static void SolveDense(const double* l, int n, double* b)
{
    for (int i = 0; i < n; ++i)
    {
        for (int k = 0; k < i; ++k)
        {
            b[i] -= l[i * n + k] * b[k];
        }
        b[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i)
    {
        for (int k = i + 1; k < n; ++k)
        {
            b[i] -= l[k * n + i] * b[k];
        }
        b[i] /= l[i * n + i];
    }
}

static double GetPart(spVec4 a, int k)
{
    return (double)(k == 0 ? a.x : k == 1 ? a.y : a.z);
}

// ---- the linear system ----

// |b - A dv| / |b| over free nodes, for a step of backward Euler from (x0, v0) that ended with v1
static double GetDenseResidual(spBody* body, const spVec4* x0, const spVec4* v0, double h)
{
    int n = 3 * body->nodeCount;
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    spVec4* v1 = AllocNodes(body->nodeCount);
    memcpy(v1, body->v, size);
    memcpy(body->x, x0, size);
    memcpy(body->v, v0, size);
    EvaluateForces(body);
    double* a = MakeDense(body, 1.0, h * h);
    double* k = MakeDense(body, 0.0, h * h);
    double left = 0.0, all = 0.0;
    for (int i = 0; i < n; ++i)
    {
        if (body->x[i / 3].w == 0)
        {
            continue;
        }
        double b =
            h * (GetPart(body->f[i / 3], i % 3) - (i % 3 == 1 ? 9.81 * (double)body->mass[i / 3] : 0.0));
        double r = 0.0;
        for (int j = 0; j < n; ++j)
        {
            double from = GetPart(v0[j / 3], j % 3);
            b -= k[i * n + j] * from;
            r -= a[i * n + j] * (GetPart(v1[j / 3], j % 3) - from);
        }
        left += (b + r) * (b + r);
        all += b * b;
    }
    free(a);
    free(k);
    free(v1);
    return sqrt(left / all);
}

static void TestResiduals(void** state)
{
    SP_UNUSED(state);
    spTetLaw laws[] = {sp_tetCorotational, sp_tetNeoHookean, sp_tetStVenantKirchhoff};
    for (int type = sp_preconditionNone; type < sp_preconditionerTypeCount; ++type)
    {
        if (HasPreconditioner(type) == false)
        {
            continue;
        }
        for (int k = 0; k < 6; ++k)
        {
            spTestDef def = MakeTest(sp_backwardEuler);
            spReal tolerance = isDouble ? (spReal)1e-9 : (spReal)1e-4;
            def.method.solver.tolerance = tolerance;
            def.method.solver.maxIterations = 5000;
            def.method.solver.preconditioner = (spPreconditionerType)type;
            def.method.solver.operatorType = k < 3 ? sp_operatorAssembled : sp_operatorMatrixFree;
            spTetDef tets = MakeTets(laws[k % 3], 1e5);
            spTestWorld test = BuildBeam(&def, 1, &tets);
            AddBeamSprings(&test, 200, 0);
            spBody* body = spGetBody(test.world, test.body);
            size_t size = (size_t)body->nodeCount * sizeof(spVec4);
            spVec4 *x0 = AllocNodes(body->nodeCount), *v0 = AllocNodes(body->nodeCount);
            for (int i = 0; i < 12; ++i)
            {
                memcpy(x0, body->x, size);
                memcpy(v0, body->v, size);
                assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
                spSolverReport report = spBody_GetSolverReport(test.world, test.body);
                assert_true(report.converged);
                assert_int_equal(report.preconditioner, type);
                assert_int_equal(report.operatorType, def.method.solver.operatorType);
                CHECK_LESS(report.residual, (double)tolerance * 1.0001);
                CHECK_LESS(spWorld_GetReport(test.world).solverResidual, (double)tolerance * 1.0001);
                spVec4 *x1 = AllocNodes(body->nodeCount), *v1 = AllocNodes(body->nodeCount);
                memcpy(x1, body->x, size);
                memcpy(v1, body->v, size);
                CHECK_LESS(GetDenseResidual(body, x0, v0, (double)(spReal)(1.0 / 60.0)),
                           2.0 * (double)tolerance);
                memcpy(body->x, x1, size);
                memcpy(body->v, v1, size);
                free(x1);
                free(v1);
            }
            free(x0);
            free(v0);
            spDestroyTestWorld(&test);
        }
    }
}

// ---- oscillations ----

// The slowest mode of a body, of length 1 in the mass, and its frequency in rad/s, by inverse iteration
static double* FindMode(spBody* body, double* frequency)
{
    int n = 3 * body->nodeCount;
    double* k = MakeDense(body, 0.0, 1.0);
    HoldDense(k, body);
    assert_true(FactorDense(k, n));
    double* u = calloc((size_t)n, sizeof(double));
    for (int i = 0; i < n; ++i)
    {
        u[i] = body->x[i / 3].w > 0 ? 0.1 * (i % 3) + (double)body->x[i / 3].x : 0.0;
    }
    double scale = 0.0;
    for (int round = 0; round < 300; ++round)
    {
        double sum = 0.0;
        for (int i = 0; i < n; ++i)
        {
            u[i] *= body->x[i / 3].w > 0 ? (double)body->mass[i / 3] : 0.0;
        }
        SolveDense(k, n, u);
        for (int i = 0; i < n; ++i)
        {
            sum += (double)body->mass[i / 3] * u[i] * u[i];
        }
        scale = 1.0 / sqrt(sum);
        for (int i = 0; i < n; ++i)
        {
            u[i] *= scale;
        }
    }
    free(k);
    *frequency = sqrt(scale);
    return u;
}

// A mode that decays by itself: alpha through mass drag, beta through the tets
static void CheckDecay(spMethodType type, spTetLaw law, spTetDamping model, double alpha, double beta)
{
    spTestDef def = MakeTest(type);
    def.method.solver.tolerance = isDouble ? (spReal)1e-10 : (spReal)1e-5;
    spTetDef tets = MakeTets(law, 1e5);
    tets.damping = (spReal)beta;
    tets.dampingModel = model;
    spTestWorld test = BuildBeam(&def, 1, &tets);
    spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
    spBody* body = spGetBody(test.world, test.body);
    double w;
    double* mode = FindMode(body, &w);
    if (alpha > 0.0)
    {
        spFieldDef field = spDefaultFieldDef();
        field.type = sp_fieldMassDrag;
        field.coefficient = (spReal)alpha;
        assert_true(spBody_AddField(test.world, test.body, &field) >= 0);
    }
    int n = body->nodeCount;
    spVec4* rest = AllocNodes(n);
    memcpy(rest, body->x, (size_t)n * sizeof(spVec4));
    double most = 0.0;
    for (int i = 0; i < 3 * n; ++i)
    {
        most = fmax(most, fabs(mode[i]));
    }
    spReal start = (spReal)(2e-3 / most);
    for (int i = 0; i < n; ++i)
    {
        body->x[i] = (spVec4){body->x[i].x + start * (spReal)mode[3 * i],
                              body->x[i].y + start * (spReal)mode[3 * i + 1],
                              body->x[i].z + start * (spReal)mode[3 * i + 2], body->x[i].w};
    }
    double zeta = 0.5 * (alpha / w + beta * w), wd = w * sqrt(1.0 - zeta * zeta);
    int perPeriod = type == sp_bdf2 ? 100 : 200;
    double h = 2.0 * pi / (w * perPeriod);
    double lengths[2] = {0};
    for (int i = 0; i <= 3 * perPeriod; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)h), 0);
        if (i == perPeriod || i == 3 * perPeriod)
        {
            double q = 0.0, rate = 0.0;
            for (int j = 0; j < 3 * n; ++j)
            {
                double m = (double)body->mass[j / 3] * mode[j];
                q += m * (GetPart(body->x[j / 3], j % 3) - GetPart(rest[j / 3], j % 3));
                rate += m * GetPart(body->v[j / 3], j % 3);
            }
            lengths[i > perPeriod] = hypot(q, (rate + zeta * w * q) / wd);
        }
    }
    double got = log(lengths[0] / lengths[1]) / (2 * perPeriod * h);
    double want = zeta * w;
    if (type == sp_backwardEuler)
    {
        // With its own damping: |1 - h lambda| at every step
        want = log(hypot(1.0 + h * zeta * w, h * wd)) / h;
    }
    printf("method %d law %d model %d: w %.3f zeta %.4f, decay %.4f 1/s, expected %.4f\n", (int)type,
           (int)law, (int)model, w, zeta, got, want);
    CHECK_NEAR(got, want, 0.03 * want);
    free(rest);
    free(mode);
    spDestroyTestWorld(&test);
}

static void TestDecay(void** state)
{
    SP_UNUSED(state);
    for (int k = 0; k < 2; ++k)
    {
        spMethodType type = k == 0 ? sp_backwardEuler : sp_bdf2;
        CheckDecay(type, sp_tetLinear, sp_dampRayleigh, 2.0, 0.0);
        CheckDecay(type, sp_tetLinear, sp_dampRayleigh, 0.0, 2e-3);
        CheckDecay(type, sp_tetLinear, sp_dampRayleigh, 1.0, 1e-3);
        CheckDecay(type, sp_tetLinear, sp_dampStrainRate, 0.0, 2e-3);
        CheckDecay(type, sp_tetCorotational, sp_dampRayleigh, 1.0, 2e-3);
        CheckDecay(type, sp_tetNeoHookean, sp_dampStrainRate, 0.0, 2e-3);
    }
}

// Largest distance between the nodes of two states
static double GetDistance(const spVec3* a, const spVec3* b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; ++i)
    {
        double x = (double)a[i].x - (double)b[i].x, y = (double)a[i].y - (double)b[i].y;
        most = fmax(most, hypot(hypot(x, y), (double)a[i].z - (double)b[i].z));
    }
    return most;
}

// Two masses and a spring, stretched: distance from the exact motion after most of a period
static double GetOscillatorError(spMethodType type, int steps)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spVec3 x[2] = {{0, 0, 0}, {1, 0, 0}};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = x;
    bodyDef.positionCount = 2;
    bodyDef.nodeMass = (spReal)0.5;
    bodyDef.method.type = type;
    bodyDef.method.solver.tolerance = (spReal)1e-6;
    spBodyId body = spCreateBody(world, &bodyDef);
    int32_t edge[2] = {0, 1};
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    springs.edges = edge;
    springs.edgeCount = 1;
    springs.stiffness = 100;
    springs.damping = 0;
    assert_int_equal(spBody_AddSprings(world, body, &springs), 0);
    double w = 20.0, a = 0.2, duration = 0.8 * 2.0 * pi / w;
    spVec3 from[2] = {{(spReal)(-0.5 * a), 0, 0}, {(spReal)(1.0 + 0.5 * a), 0, 0}};
    assert_true(spBody_SetPositions(world, body, from, 2));
    for (int i = 0; i < steps; ++i)
    {
        assert_int_equal(spWorld_Step(world, (spReal)(duration / steps)), 0);
    }
    spVec3View end = spBody_GetPositions(world, body);
    double error = fabs((double)end.data[1].x - (double)end.data[0].x - (1.0 + a * cos(w * duration)));
    spDestroyWorld(world);
    return error;
}

// A beam that starts to fall: its state at the end, by a method with so many steps
static void RunBeam(spMethodType type, int steps, spVec3* x, int count)
{
    spTestDef def = MakeTest(type);
    def.method.solver.tolerance = isDouble ? (spReal)1e-9 : (spReal)1e-5;
    spTetDef tets = MakeTets(sp_tetNeoHookean, 1e5);
    spTestWorld test = BuildBeam(&def, 1, &tets);
    for (int i = 0; i < steps; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)(0.15 / steps)), 0);
    }
    assert_int_equal(spBody_CopyPositions(test.world, test.body, x, count), count);
    spDestroyTestWorld(&test);
}

static void CheckOrder(const char* name, spMethodType type, const double* errors, double want)
{
    double order = log2(errors[1] / errors[2]);
    printf("%s, method %d: errors %.3e %.3e %.3e, order %.3f\n", name, (int)type, errors[0], errors[1],
           errors[2], order);
    CHECK_NEAR(order, want, 0.2);
}

static void TestOrders(void** state)
{
    SP_UNUSED(state);
    struct
    {
        spMethodType type;
        int order;
        int steps[2]; // of the oscillator, of the beam
    } cases[] = {{sp_backwardEuler, 1, {200, 100}}, {sp_bdf2, 2, {50, 40}}, {sp_imex, 1, {200, 400}}};
    enum
    {
        count = 20
    };
    spVec3 exact[count], x[count];
    RunBeam(sp_rungeKutta4, 3000, exact, count);
    for (int k = 0; k < 3; ++k)
    {
        double errors[3];
        for (int i = 0; i < 3; ++i)
        {
            errors[i] = GetOscillatorError(cases[k].type, cases[k].steps[0] << i);
        }
        CheckOrder("oscillator", cases[k].type, errors, cases[k].order);
        for (int i = 0; i < 3; ++i)
        {
            RunBeam(cases[k].type, cases[k].steps[1] << i, x, count);
            errors[i] = GetDistance(x, exact, count);
        }
        CheckOrder("beam", cases[k].type, errors, cases[k].order);
    }
}

// ---- large steps ----

static void TestLargeSteps(void** state)
{
    SP_UNUSED(state);
    for (int type = sp_backwardEuler; type <= sp_quasiStatic; ++type)
    {
        for (int law = 0; law < sp_tetLawCount; ++law)
        {
            if (law == sp_tetHybrid || law == sp_tetCorotationalEdge)
            {
                continue; // no energy, or one that its forces do not follow
            }
            spTestDef def = MakeTest(sp_symplecticEuler);
            spTetDef tets = MakeTets((spTetLaw)law, 1e6);
            spTestWorld test = BuildBeam(&def, 2, &tets);
            AddBeamSprings(&test, 1e3, 0);
            spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
            double dt = 100.0 * spBody_GetStableStep(test.world, test.body);
            assert_true(isfinite(dt) && dt > 1e-3);
            def.method.type = (spMethodType)type;
            assert_true(spBody_SetMethod(test.world, test.body, &def.method));
            spBody* body = spGetBody(test.world, test.body);
            uint64_t seed = 3;
            for (int i = 0; i < body->nodeCount; ++i)
            {
                if (body->x[i].w > 0)
                {
                    body->x[i].x += (spReal)spRandomRange(&seed, -0.02, 0.02);
                    body->x[i].y += (spReal)spRandomRange(&seed, -0.02, 0.02);
                    body->x[i].z += (spReal)spRandomRange(&seed, -0.02, 0.02);
                }
            }
            spEnergy e = spBody_GetEnergy(test.world, test.body);
            double first = e.elastic + e.kinetic, last = first;
            uint32_t flags = 0;
            for (int i = 0; i < 60; ++i)
            {
                flags |= spWorld_Step(test.world, (spReal)dt);
                e = spBody_GetEnergy(test.world, test.body);
                CHECK_LESS(e.elastic + e.kinetic, last * 1.0001 + 1e-6 * first);
                last = e.elastic + e.kinetic;
            }
            printf("method %d law %d: step %g s, flags %x, energy %g J to %g J\n", type, law, dt, flags,
                   first, last);
            CHECK_LESS(last, 0.1 * first);
            spDestroyTestWorld(&test);
        }
    }
}

// ---- Newton's method ----

// Net force over load after so many linearisations of one step
static double GetNewtonResidual(spMethodType type, spTetLaw law, int steps, bool* rounded)
{
    spTestDef def = MakeTest(type);
    def.method.solver.newtonSteps = steps;
    def.method.solver.tolerance = isDouble ? (spReal)1e-12 : (spReal)1e-6;
    def.method.solver.newtonTolerance = (spReal)1e-30;
    spTetDef tets = MakeTets(law, 3e5);
    spTestWorld test = BuildBeam(&def, 2, &tets);
    spWorld_Step(test.world, (spReal)0.1);
    spSolverReport report = spBody_GetSolverReport(test.world, test.body);
    *rounded = report.rounded;
    spDestroyTestWorld(&test);
    return report.forceResidual;
}

static void TestNewton(void** state)
{
    SP_UNUSED(state);
    spTetLaw laws[] = {sp_tetCorotational, sp_tetStVenantKirchhoff, sp_tetNeoHookean, sp_tetMooneyRivlin};
    spMethodType types[] = {sp_backwardEuler, sp_quasiStatic};
    for (int k = 0; k < 8; ++k)
    {
        double last = 1.0, drop = 1.0, least = 1.0;
        bool rounded = false;
        printf("method %d law %d:", (int)types[k / 4], (int)laws[k % 4]);
        for (int steps = 2; steps <= 30 && rounded == false; ++steps)
        {
            double r = GetNewtonResidual(types[k / 4], laws[k % 4], steps, &rounded);
            printf(" %.1e", r);
            drop = fmin(drop, r / last);
            least = fmin(least, r);
            last = r;
        }
        printf("\n");
        assert_true(rounded);
        CHECK_LESS(least, isDouble ? 1e-9 : 5e-4);
        CHECK_LESS(drop, isDouble ? 1e-3 : 0.1);
    }
}

// ---- static shapes ----

enum
{
    shapeNodes = 81
};

// The shape that a cantilever comes to rest in
static void FindShape(spMethodType type, spVec3* x)
{
    spTestDef def = MakeTest(type);
    def.method.solver.tolerance = (spReal)1e-5;
    spTetDef tets = MakeTets(sp_tetCorotational, 4e5);
    spTestWorld test = BuildBeam(&def, 2, &tets);
    if (type != sp_quasiStatic)
    {
        spFieldDef field = spDefaultFieldDef();
        field.type = sp_fieldMassDrag;
        field.coefficient = 12;
        assert_true(spBody_AddField(test.world, test.body, &field) >= 0);
    }
    // The bound of IMEX slows bending down
    int steps = type == sp_imex ? 3000 : 300;
    for (int i = 0; i < steps; ++i)
    {
        uint32_t flags = spWorld_Step(test.world, (spReal)0.01);
        if (flags != 0)
        {
            fail_msg("method %d: flags %x in step %d", (int)type, flags, i);
        }
    }
    assert_int_equal(spBody_CopyPositions(test.world, test.body, x, shapeNodes), shapeNodes);
    spDestroyTestWorld(&test);
}

static void TestSameShape(void** state)
{
    SP_UNUSED(state);
    spVec3 rest[shapeNodes], want[shapeNodes], x[shapeNodes];
    spTestDef def = MakeTest(sp_quasiStatic);
    spTetDef tets = MakeTets(sp_tetCorotational, 4e5);
    spTestWorld test = BuildBeam(&def, 2, &tets);
    spBody_CopyPositions(test.world, test.body, rest, shapeNodes);
    spRelaxDef relaxDef = spDefaultRelaxDef();
    spRelaxResult relaxed;
    assert_true(spBody_Relax(test.world, test.body, &relaxDef, &relaxed) && relaxed.converged);
    spBody_CopyPositions(test.world, test.body, want, shapeNodes);
    spDestroyTestWorld(&test);
    double sag = GetDistance(rest, want, shapeNodes);
    assert_true(sag > 0.05);
    spMethodType types[] = {sp_verlet, sp_backwardEuler, sp_bdf2, sp_imex, sp_quasiStatic};
    for (int k = 0; k < 5; ++k)
    {
        FindShape(types[k], x);
        double apart = GetDistance(x, want, shapeNodes);
        printf("method %d: sag %g m, off by %.2e of it\n", (int)types[k], sag, apart / sag);
        CHECK_LESS(apart, 0.01 * sag);
    }
}

// How far the tip sinks, linear law
static double GetSag(double young, double softer, double* mass)
{
    spTestDef def = MakeTest(sp_quasiStatic);
    enum
    {
        tetCount = 6 * 8 * 4
    };
    spReal moduli[tetCount];
    for (int i = 0; i < tetCount; ++i)
    {
        moduli[i] = (spReal)(i % 2 == 0 ? young : softer * young);
    }
    spTetDef tets = MakeTets(sp_tetLinear, young);
    tets.youngModuli = softer != 1.0 ? moduli : NULL;
    spTestWorld test = BuildBeam(&def, 2, &tets);
    assert_int_equal(spBody_GetTetCount(test.world, test.body, test.tets), tetCount);
    assert_int_equal(spWorld_Step(test.world, (spReal)0.01), 0);
    spVec3 x[shapeNodes];
    spReal masses[shapeNodes];
    spBody_CopyPositions(test.world, test.body, x, shapeNodes);
    spBody_CopyMasses(test.world, test.body, masses, shapeNodes);
    *mass = 0.0;
    for (int i = 0; i < shapeNodes; ++i)
    {
        *mass += (double)masses[i];
    }
    // The pins carry all of it
    CHECK_NEAR((double)spBody_GetPinForce(test.world, test.body).y, 9.81 * *mass,
               9.81 * *mass * (isDouble ? 1e-6 : 2e-3));
    spDestroyTestWorld(&test);
    return 0.25 - (double)x[shapeNodes - 1].y;
}

static void TestModuli(void** state)
{
    SP_UNUSED(state);
    double mass;
    double soft = GetSag(1e6, 1.0, &mass);
    CHECK_NEAR(mass, 62.5, 62.5 * 1e-6);
    double stiff = GetSag(2e6, 1.0, &mass);
    CHECK_NEAR(soft / stiff, 2.0, 2e-3);
    double mixed = GetSag(1e6, 2.0, &mass);
    assert_true(mixed < soft && mixed > stiff);
    // Mixed by two is 1 / 1.5 of the soft one up to where the soft ones are
    CHECK_NEAR(mixed / soft, 1.0 / 1.5, 0.1);
    double twice = GetSag(2e6, 2.0, &mass);
    CHECK_NEAR(mixed / twice, 2.0, 2e-3);
}

// ---- pins and links ----

static void TestPins(void** state)
{
    SP_UNUSED(state);
    for (int type = sp_backwardEuler; type <= sp_quasiStatic; ++type)
    {
        spTestDef def = MakeTest((spMethodType)type);
        spTetDef tets = MakeTets(sp_tetCorotational, 1e5);
        spTestWorld test = BuildBeam(&def, 2, &tets);
        spVec3 start[shapeNodes], x[shapeNodes];
        spBody_CopyPositions(test.world, test.body, start, shapeNodes);
        for (int i = 0; i < 40; ++i)
        {
            spVec3 targets[9];
            for (int k = 0; k < 9; ++k)
            {
                spVec3 from = start[shapeNodes - 9 + k];
                targets[k] =
                    (spVec3){from.x + (spReal)(0.003 * i), from.y + (spReal)(0.01 * (i % 7)), from.z};
                assert_true(spBody_DriveNode(test.world, test.body, shapeNodes - 9 + k, targets[k]));
            }
            spWorld_Step(test.world, (spReal)(i % 3 == 0 ? 0.02 : 0.01));
            spBody_CopyPositions(test.world, test.body, x, shapeNodes);
            assert_memory_equal(x, start, 9 * sizeof(spVec3));
            for (int k = 0; k < 9; ++k)
            {
                spVec3 at = x[shapeNodes - 9 + k];
                if (at.x != targets[k].x || at.y != targets[k].y || at.z != targets[k].z)
                {
                    fail_msg("method %d step %d: driven node is off its target by %g %g %g", type, i,
                             (double)(at.x - targets[k].x), (double)(at.y - targets[k].y),
                             (double)(at.z - targets[k].z));
                }
            }
        }
        spDestroyTestWorld(&test);
    }
}

// A weight of 2 kg on a link: how far it drifts when all is at rest
static double GetDrift(spMethodType type, double stiffness)
{
    spTestDef def = MakeTest(type);
    spTestWorld test = spBuildParticle(&def, 1, 2);
    int32_t node = 0;
    spLinkDef linkDef = spDefaultLinkDef();
    linkDef.body = test.body;
    linkDef.nodes = &node;
    linkDef.nodeCount = 1;
    linkDef.stiffness = (spReal)stiffness;
    spLinkId link = spCreateLink(test.world, &linkDef);
    assert_true(spLink_IsValid(test.world, link));
    for (int i = 0; i < 600; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)0.2), 0);
    }
    CHECK_NEAR((double)spLink_GetForce(test.world, link).y, 19.62, 0.01 * 19.62);
    spVec3View x = spBody_GetPositions(test.world, test.body);
    double drift = 1.0 - (double)x.data[0].y;
    spDestroyTestWorld(&test);
    return drift;
}

static void TestLinks(void** state)
{
    SP_UNUSED(state);
    for (int type = sp_backwardEuler; type <= sp_quasiStatic; ++type)
    {
        for (double k = 1e2; k < 2e5; k *= 10.0)
        {
            double drift = GetDrift((spMethodType)type, k);
            CHECK_NEAR(drift, 19.62 / k, 0.01 * 19.62 / k + (isDouble ? 1e-12 : 1e-6));
        }
        CHECK_NEAR(GetDrift((spMethodType)type, 0), 0.0, 1e-6);
    }
    // A link that may give 15 N of the 19.62: the rest makes it fall
    for (int rigid = 0; rigid < 2; ++rigid)
    {
        spTestDef def = MakeTest(sp_backwardEuler);
        spTestWorld test = spBuildParticle(&def, 1, 2);
        int32_t node = 0;
        spLinkDef linkDef = spDefaultLinkDef();
        linkDef.body = test.body;
        linkDef.nodes = &node;
        linkDef.nodeCount = 1;
        linkDef.stiffness = rigid != 0 ? 0 : (spReal)1e7;
        linkDef.maxForce = 15;
        spLinkId link = spCreateLink(test.world, &linkDef);
        for (int i = 0; i < 10; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)0.01), 0);
            CHECK_NEAR((double)spLink_GetForce(test.world, link).y, 15.0, 0.01);
        }
        spVec3View v = spBody_GetVelocities(test.world, test.body);
        CHECK_NEAR((double)v.data[0].y, -0.1 * (9.81 - 7.5), 1e-3);
        spDestroyTestWorld(&test);
    }
}

// ---- the same bits ----

// A beam of two patches in all, of several laws, with springs
static spTestWorld BuildHashBeam(const spTestDef* def)
{
    spTetDef tets = MakeTets(sp_tetNeoHookean, 2e5);
    spTestWorld test = BuildBeam(def, 6, &tets);
    AddBeamSprings(&test, 50, 1);
    return test;
}

static uint64_t RunSteps(spTestWorld* test, int count)
{
    for (int i = 0; i < count; ++i)
    {
        uint32_t flags = spWorld_Step(test->world, (spReal)(1.0 / 60.0));
        if ((flags & ~(uint32_t)sp_stepSolverStopped) != 0)
        {
            fail_msg("flags %x", flags);
        }
    }
    return spWorld_GetStateHash(test->world);
}

static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    for (int type = sp_preconditionNone; type < sp_preconditionerTypeCount; ++type)
    {
        if (HasPreconditioner(type) == false)
        {
            continue;
        }
        uint64_t want = 0;
        for (int k = 0; k < 6; ++k)
        {
            int lanes[] = {0, 0, 0, 1, 4, 8};
            if (HasLanes(lanes[k]) == false)
            {
                continue;
            }
            spTestDef def = MakeTest(sp_backwardEuler);
            def.workerCount = k < 3 ? k + 1 : 1;
            def.laneCount = lanes[k];
            def.method.solver.preconditioner = (spPreconditionerType)type;
            def.method.solver.operatorType = type % 2 == 0 ? sp_operatorMatrixFree : sp_operatorAssembled;
            def.method.solver.maxIterations = 100;
            def.method.solver.refresh = 2;
            spTestWorld test = BuildHashBeam(&def);
            uint64_t hash = RunSteps(&test, 3);
            want = k == 0 ? hash : want;
            if (hash != want)
            {
                fail_msg("preconditioner %d, %d workers, %d lanes: another hash", type, def.workerCount,
                         def.laneCount);
            }
            spDestroyTestWorld(&test);
        }
    }
    for (int type = sp_bdf2; type <= sp_quasiStatic; ++type)
    {
        uint64_t want = 0;
        for (int k = 0; k < 4; ++k)
        {
            spTestDef def = MakeTest((spMethodType)type);
            def.workerCount = k < 3 ? k + 1 : 1;
            def.laneCount = k < 3 ? 0 : 1;
            def.method.solver.maxIterations = 200;
            def.method.solver.newtonSteps = 3;
            spTestWorld test = BuildHashBeam(&def);
            uint64_t hash = RunSteps(&test, 3);
            want = k == 0 ? hash : want;
            assert_true(hash == want);
            spDestroyTestWorld(&test);
        }
    }
}

static spTestDef MakeAsynchronous(int type, int age)
{
    spTestDef def = MakeTest(sp_backwardEuler);
    def.method.solver.preconditioner = (spPreconditionerType)type;
    def.method.solver.asynchronous = true;
    def.method.solver.age = age;
    def.method.solver.refresh = 5;
    return def;
}

static void TestAsynchronousRepeats(void** state)
{
    SP_UNUSED(state);
    for (int type = sp_preconditionJacobi; type < sp_preconditionerTypeCount; ++type)
    {
        if (HasPreconditioner(type) == false)
        {
            continue;
        }
        uint64_t want = 0;
        for (int k = 0; k < 3; ++k)
        {
            spTestDef def = MakeAsynchronous(type, 3);
            def.workerCount = k < 2 ? 1 : 3;
            spTetDef tets = MakeTets(sp_tetCorotational, 1e5);
            spTestWorld test = BuildBeam(&def, 3, &tets);
            uint64_t hash = RunSteps(&test, 20);
            want = k == 0 ? hash : want;
            assert_true(hash == want);
            spSolverReport report = spBody_GetSolverReport(test.world, test.body);
            assert_true(report.factorCount > 2);
            spDestroyTestWorld(&test);
        }
    }
}

// Saves at every one of a few steps, goes on, goes back and on again, also in another world
static void CheckSnapshots(const spTestDef* def)
{
    spTetDef tets = MakeTets(sp_tetCorotational, 1e5);
    spTestWorld test = BuildBeam(def, 2, &tets);
    spTestWorld other = BuildBeam(def, 2, &tets);
    AddBeamSprings(&test, 50, 1);
    AddBeamSprings(&other, 50, 1);
    RunSteps(&test, 7);
    RunSteps(&other, 3);
    for (int i = 0; i < 6; ++i)
    {
        spSnapshot* snapshot = spWorld_Save(test.world);
        assert_non_null(snapshot);
        uint64_t want = RunSteps(&test, 9);
        assert_true(spWorld_Restore(test.world, snapshot));
        uint64_t again = RunSteps(&test, 9);
        assert_true(spWorld_Restore(other.world, snapshot));
        uint64_t elsewhere = RunSteps(&other, 9);
        if (again != want || elsewhere != want)
        {
            fail_msg("method %d, preconditioner %d, asynchronous %d, save %d: %s", (int)def->method.type,
                     (int)def->method.solver.preconditioner, (int)def->method.solver.asynchronous, i,
                     again != want ? "the same world goes another way" : "the other world goes another way");
        }
        assert_true(spWorld_Restore(test.world, snapshot));
        spDestroySnapshot(snapshot);
        RunSteps(&test, 1);
    }
    spDestroyTestWorld(&test);
    spDestroyTestWorld(&other);
}

static void TestSnapshots(void** state)
{
    SP_UNUSED(state);
    for (int type = sp_preconditionNone; type < sp_preconditionerTypeCount; ++type)
    {
        if (HasPreconditioner(type))
        {
            spTestDef def = MakeAsynchronous(type, 3);
            CheckSnapshots(&def);
            def.method.solver.asynchronous = false;
            CheckSnapshots(&def);
            def.method.solver.refresh = 0;
            CheckSnapshots(&def);
        }
    }
    for (int type = sp_bdf2; type <= sp_quasiStatic; ++type)
    {
        spTestDef def = MakeTest((spMethodType)type);
        CheckSnapshots(&def);
        if (HasPreconditioner(sp_preconditionCholesky))
        {
            def = MakeAsynchronous(sp_preconditionCholesky, 2);
            def.method.type = (spMethodType)type;
            CheckSnapshots(&def);
        }
    }
}

// ---- threads ----

static void TestAsynchronousEdits(void** state)
{
    SP_UNUSED(state);
    for (int type = sp_preconditionBlockJacobi; type < sp_preconditionerTypeCount; ++type)
    {
        if (HasPreconditioner(type) == false)
        {
            continue;
        }
        for (int age = 0; age < 3; age += 2)
        {
            spTestDef def = MakeAsynchronous(type, age);
            def.method.solver.refresh = 1;
            spTetDef tets = MakeTets(sp_tetCorotational, 1e5);
            spTestWorld test = BuildBeam(&def, 3, &tets);
            int n = spBody_GetNodeCount(test.world, test.body);
            for (int i = 0; i < 24; ++i)
            {
                assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
                int32_t node = n - 1 - i;
                switch (i % 6)
                {
                    case 0:
                        assert_true(spBody_SetTets(test.world, test.body, 0, (spReal)(1e5 + 1e4 * i),
                                                   (spReal)0.3, (spReal)0.001));
                        break;
                    case 1:
                        AddBeamSprings(&test, 10, 0);
                        break;
                    case 2:
                        assert_true(spBody_PinNodes(test.world, test.body, &node, 1));
                        break;
                    case 3:
                        def.method.type = i < 12 ? sp_bdf2 : sp_backwardEuler;
                        assert_true(spBody_SetMethod(test.world, test.body, &def.method));
                        break;
                    case 4:
                        assert_true(spBody_SetSprings(test.world, test.body, test.springs, 20, 1));
                        break;
                    default:
                        node = n - 1 - (i - 3);
                        assert_true(spBody_FreeNodes(test.world, test.body, &node, 1));
                        break;
                }
            }
            assert_true(spBody_IsRunning(test.world, test.body));
            spDestroyTestWorld(&test);
        }
    }
}

static void TestAsynchronousEnd(void** state)
{
    SP_UNUSED(state);
    int type =
        HasPreconditioner(sp_preconditionCholesky) ? sp_preconditionCholesky : sp_preconditionIncomplete;
    for (int i = 0; i < 40; ++i)
    {
        spTestDef def = MakeAsynchronous(type, i % 3);
        def.method.solver.refresh = 1;
        spTetDef tets = MakeTets(sp_tetCorotational, 1e5);
        spTestWorld test = BuildBeam(&def, 3, &tets);
        RunSteps(&test, 1 + i % 4);
        if (i % 2 == 1)
        {
            spDestroyBody(test.world, test.body);
        }
        spDestroyTestWorld(&test);
    }
}

// ---- memory ----

// After the first few steps nothing is allocated any more, on no thread
static void TestNoAllocations(void** state)
{
    SP_UNUSED(state);
    for (int type = sp_backwardEuler; type <= sp_quasiStatic; ++type)
    {
        for (int p = sp_preconditionNone; p < sp_preconditionerTypeCount; ++p)
        {
            bool wanted =
                type == sp_backwardEuler || p == sp_preconditionBlockJacobi || p == sp_preconditionCholesky;
            if (wanted == false || HasPreconditioner(p) == false)
            {
                continue;
            }
            FailingAllocator counter = {.failAt = -1};
            spWorldDef worldDef = spDefaultWorldDef();
            worldDef.allocator = MakeFailingAllocator(&counter);
            spWorld* world = spCreateWorld(&worldDef, NULL);
            spError error = {0};
            spMesh* mesh = spMakeBeamMesh(2, &error);
            spBodyDef bodyDef = spDefaultBodyDef();
            bodyDef.mesh = mesh;
            bodyDef.transform.position.y = (spReal)0.05;
            bodyDef.method = MakeAsynchronous(p, 2).method;
            bodyDef.method.type = (spMethodType)type;
            bodyDef.method.solver.asynchronous = p % 2 == 0;
            bodyDef.method.solver.refresh = 2;
            spBodyId body = spCreateBody(world, &bodyDef);
            spTetDef tets = MakeTets(sp_tetCorotational, 1e5);
            assert_int_equal(spBody_AddTets(world, body, &tets), 0);
            spDestroyMesh(mesh);
            int32_t pin = 0;
            assert_true(spBody_PinNodes(world, body, &pin, 1));
            spAddTestGround(world, (spReal)0.5, 0);
            for (int i = 0; i < 150; ++i)
            {
                spWorld_Step(world, (spReal)0.01);
            }
            long allocations = __atomic_load_n(&counter.count, __ATOMIC_RELAXED);
            size_t bytes = spWorld_GetByteCount(world);
            for (int i = 0; i < 20; ++i)
            {
                spWorld_Step(world, (spReal)0.01);
            }
            long more = __atomic_load_n(&counter.count, __ATOMIC_RELAXED) - allocations;
            if (more != 0 || spWorld_GetByteCount(world) != bytes)
            {
                fail_msg("method %d, preconditioner %d: %ld allocations in 20 steps", type, p, more);
            }
            spDestroyWorld(world);
            assert_int_equal(counter.out, 0);
        }
    }
}

// ---- everything in one body ----

// The positions after a tenth of a second, and those at the start
static void RunMixed(spMethodType type, int steps, spReal dt, spVec3* start, spVec3* x, bool* good)
{
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spMesh* mesh = spMakeBeamMesh(2, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method.type = type;
    bodyDef.method.solver.tolerance = (spReal)1e-5;
    spBodyId body = spCreateBody(world, &bodyDef);
    spTetDef tets = MakeTets(sp_tetNeoHookean, 5e4);
    tets.damping = (spReal)0.002;
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    springs.stiffness = 100;
    spBendDef bends = spDefaultBendDef();
    bends.stiffness = 1;
    bends.damping = (spReal)0.01;
    spGasDef gas = spDefaultGasDef();
    gas.ambient = false;
    gas.restPressure = (spReal)2e3;
    gas.ambient = true;
    spFieldDef drag = spDefaultFieldDef();
    drag.coefficient = (spReal)0.5;
    spWindDef wind = spDefaultWindDef();
    wind.velocity = (spVec3){0, 3, 20};
    assert_true(spBody_AddTets(world, body, &tets) >= 0 && spBody_AddSprings(world, body, &springs) >= 0 &&
                spBody_AddBends(world, body, &bends) >= 0 && spBody_AddGas(world, body, &gas) >= 0 &&
                spBody_AddField(world, body, &drag) >= 0 && spBody_AddWind(world, body, &wind) >= 0);
    spDestroyMesh(mesh);
    for (int32_t node = 0; node < 9; ++node)
    {
        assert_true(spBody_PinNodes(world, body, &node, 1));
    }
    spBody_CopyPositions(world, body, start, shapeNodes);
    *good = true;
    for (int i = 0; i < steps; ++i)
    {
        uint32_t flags = spWorld_Step(world, dt);
        *good =
            *good && flags == 0 && (type < sp_backwardEuler || spBody_GetSolverReport(world, body).converged);
    }
    spBody_CopyPositions(world, body, x, shapeNodes);
    spDestroyWorld(world);
}

static void TestMixed(void** state)
{
    SP_UNUSED(state);
    spVec3 start[shapeNodes], want[shapeNodes], x[shapeNodes];
    bool good;
    RunMixed(sp_symplecticEuler, 200, (spReal)5e-4, start, want, &good);
    assert_true(good);
    double way = GetDistance(start, want, shapeNodes);
    for (int type = sp_backwardEuler; type <= sp_imex; ++type)
    {
        RunMixed((spMethodType)type, 200, (spReal)5e-4, start, x, &good);
        double apart = GetDistance(x, want, shapeNodes);
        printf("mixed, method %d: way %g m, off by %.2e of it\n", type, way, apart / way);
        assert_true(good);
        // IMEX damps by a bound, whatever the step
        CHECK_LESS(apart, (type == sp_imex ? 0.1 : 0.01) * way);
        RunMixed((spMethodType)type, 200, (spReal)(1.0 / 60.0), start, x, &good);
        assert_true(good);
        CHECK_LESS(GetDistance(start, x, shapeNodes), 2.0);
    }
}

// ---- what bodies lend to rows between them ----

enum
{
    pointCount = 8
};

static void MakePoints(spRowSide* sides, spRowNode* pool, const spBody* body, uint64_t* seed)
{
    for (int i = 0; i < pointCount; ++i)
    {
        sides[i] = (spRowSide){.node = 4 * i, .count = 1 + (int)(spNextRandom(seed) % 4)};
        for (int k = 0; k < sides[i].count; ++k)
        {
            pool[4 * i + k].node = (int32_t)(spNextRandom(seed) % (uint64_t)body->nodeCount);
            pool[4 * i + k].weight = (spReal)spRandomRange(seed, 0.1, 1.0);
        }
        sides[i].node = sides[i].count == 1 ? pool[4 * i].node : sides[i].node;
    }
}

// J A^-1 J^T of dense matrices, 3 pointCount in a row
static void GetDenseCompliance(spBody* body, double h, const spPoints* points, double* w)
{
    int n = 3 * body->nodeCount, m = 3 * pointCount;
    double* a = MakeDense(body, 1.0, h * h);
    HoldDense(a, body);
    assert_true(FactorDense(a, n));
    double* b = calloc((size_t)n, sizeof(double));
    for (int j = 0; j < m; ++j)
    {
        memset(b, 0, (size_t)n * sizeof(double));
        for (int k = 0; k < points->sides[j / 3].count; ++k)
        {
            spRowNode p = spGetSideNode(points->sides + j / 3, points->pool, k);
            b[3 * p.node + j % 3] += body->x[p.node].w > 0 ? (double)p.weight : 0.0;
        }
        SolveDense(a, n, b);
        for (int i = 0; i < m; ++i)
        {
            w[i * m + j] = 0.0;
            for (int k = 0; k < points->sides[i / 3].count; ++k)
            {
                spRowNode p = spGetSideNode(points->sides + i / 3, points->pool, k);
                w[i * m + j] += body->x[p.node].w > 0 ? (double)p.weight * b[3 * p.node + i % 3] : 0.0;
            }
        }
    }
    free(a);
    free(b);
}

static void GetFrozenCompliance(const spBody* body, const spPoints* points, double* w)
{
    int m = 3 * pointCount;
    spHeap heap = spMakeHeap(NULL);
    spArena arena;
    spInitArena(&arena, &heap);
    spComplianceList list = {0};
    assert_true(body->method->freeze(body, points, 0, &arena, &list));
    memset(w, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int k = 0; k < list.count; ++k)
    {
        const spComplianceBlock* block = list.blocks + k;
        spVec3 columns[3] = {block->block.cx, block->block.cy, block->block.cz};
        for (int c = 0; c < 3; ++c)
        {
            double* at = w + 3 * block->i * m + 3 * block->j + c;
            at[0] += (double)columns[c].x;
            at[m] += (double)columns[c].y;
            at[2 * m] += (double)columns[c].z;
        }
    }
    spFreeArena(&arena);
}

static double CompareDense(const double* a, const double* b, int count)
{
    double most = 0.0, apart = 0.0;
    for (int i = 0; i < count; ++i)
    {
        most = fmax(most, fabs(b[i]));
        apart = fmax(apart, fabs(a[i] - b[i]));
    }
    return apart / most;
}

// correct takes in what freeze promised, velocities and positions
static void CheckCorrection(spBody* body, const spPoints* points, const double* w, uint64_t* seed)
{
    int n = body->nodeCount, m = 3 * pointCount;
    spVec3 impulses[pointCount], shifts[pointCount];
    for (int i = 0; i < pointCount; ++i)
    {
        impulses[i] = (spVec3){(spReal)spRandomRange(seed, -1, 1), (spReal)spRandomRange(seed, -1, 1),
                               (spReal)spRandomRange(seed, -1, 1)};
        shifts[i] = (spVec3){(spReal)0.5 * impulses[i].z, impulses[i].x, impulses[i].y};
    }
    spVec4 *x0 = AllocNodes(n), *v0 = AllocNodes(n);
    memset(body->v, 0, (size_t)n * sizeof(spVec4));
    memcpy(x0, body->x, (size_t)n * sizeof(spVec4));
    memcpy(v0, body->v, (size_t)n * sizeof(spVec4));
    body->method->correct(body, points, impulses, shifts);
    double got[2][3 * pointCount] = {{0}}, want[2][3 * pointCount] = {{0}};
    for (int i = 0; i < m; ++i)
    {
        for (int k = 0; k < points->sides[i / 3].count; ++k)
        {
            spRowNode p = spGetSideNode(points->sides + i / 3, points->pool, k);
            double weight = (double)p.weight;
            got[0][i] += weight * (GetPart(body->v[p.node], i % 3) - GetPart(v0[p.node], i % 3));
            got[1][i] += weight * (GetPart(body->x[p.node], i % 3) - GetPart(x0[p.node], i % 3));
        }
        for (int j = 0; j < m; ++j)
        {
            spVec3 p = impulses[j / 3], s = shifts[j / 3];
            want[0][i] += w[i * m + j] * (double)(j % 3 == 0 ? p.x : j % 3 == 1 ? p.y : p.z);
            want[1][i] += w[i * m + j] * (double)(j % 3 == 0 ? s.x : j % 3 == 1 ? s.y : s.z);
        }
    }
    CHECK_LESS(CompareDense(got[0], want[0], m), isDouble ? 1e-12 : 2e-6);
    CHECK_LESS(CompareDense(got[1], want[1], m), isDouble ? 1e-11 : 1e-4);
    free(x0);
    free(v0);
}

static void TestCompliance(void** state)
{
    SP_UNUSED(state);
    if (HasPreconditioner(sp_preconditionCholesky) == false)
    {
        return;
    }
    const double h = (double)(spReal)(1.0 / 60.0);
    const int m = 3 * pointCount;
    double *got = calloc((size_t)(m * m), sizeof(double)), *want = calloc((size_t)(m * m), sizeof(double));
    for (int moved = 0; moved < 2; ++moved)
    {
        uint64_t seed = 77;
        spTestDef def = MakeTest(sp_backwardEuler);
        def.method.solver.preconditioner = sp_preconditionCholesky;
        def.method.solver.refresh = 100000;
        spTetDef tets = MakeTets(sp_tetCorotational, 1e5);
        spTestWorld test = BuildBeam(&def, 2, &tets);
        spBody* body = spGetBody(test.world, test.body);
        spVec4* x0 = AllocNodes(body->nodeCount);
        for (int i = 0; i < (moved ? 40 : 1); ++i)
        {
            memcpy(x0, body->x, (size_t)body->nodeCount * sizeof(spVec4));
            spWorld_Step(test.world, (spReal)h);
        }
        spRowSide sides[pointCount];
        spRowNode pool[4 * pointCount];
        const spPoints made = {sides, pool, pointCount, false, (spReal)h}, *points = &made;
        MakePoints(sides, pool, body, &seed);
        spVec4* x1 = AllocNodes(body->nodeCount);
        memcpy(x1, body->x, (size_t)body->nodeCount * sizeof(spVec4));
        memcpy(body->x, x0, (size_t)body->nodeCount * sizeof(spVec4));
        GetDenseCompliance(body, h, points, want);
        memcpy(body->x, x1, (size_t)body->nodeCount * sizeof(spVec4));
        GetFrozenCompliance(body, points, got);
        double near = CompareDense(got, want, m * m);
        printf("%s: compliance off by %.2e of its largest entry\n",
               moved ? "moved, turned factor" : "fresh factor", near);
        CHECK_LESS(near, moved ? 0.3 : tight);
        for (int i = 0; i < m; ++i)
        {
            for (int j = 0; j < i; ++j)
            {
                CHECK_NEAR(got[i * m + j], got[j * m + i],
                           tight * (fabs(got[i * m + i]) + fabs(got[j * m + j])));
            }
        }
        CheckCorrection(body, points, got, &seed);
        // Points may depend on each other: a little on the diagonal
        for (int i = 0; i < m; ++i)
        {
            got[i * m + i] *= 1.0 + (isDouble ? 1e-12 : 1e-5);
            got[i * m + i] += 1e-9;
        }
        assert_true(FactorDense(got, m));
        free(x0);
        free(x1);
        spDestroyTestWorld(&test);
    }
    free(got);
    free(want);
}

// A factor that was made at the start, turned with the nodes, and grows old: how far what it lends is from the
// dense inverse. Then everything is turned about an axis, which changes nothing but the frame.
static void TestComplianceWithAge(void** state)
{
    SP_UNUSED(state);
    if (HasPreconditioner(sp_preconditionCholesky) == false)
    {
        return;
    }
    const double h = (double)(spReal)(1.0 / 60.0);
    const int m = 3 * pointCount;
    static const int ages[] = {1, 2, 4, 8, 16};
    double *got = calloc((size_t)(m * m), sizeof(double)), *want = calloc((size_t)(m * m), sizeof(double));
    double errors[SP_COUNT(ages)];
    for (int k = 0; k <= SP_COUNT(ages); ++k)
    {
        bool turned = k == SP_COUNT(ages);
        uint64_t seed = 77;
        spTestDef def = MakeTest(sp_backwardEuler);
        def.method.solver.preconditioner = sp_preconditionCholesky;
        def.method.solver.refresh = 100000;
        def.method.solver.warp = true;
        spTetDef tets = MakeTets(sp_tetCorotational, 1e5);
        spTestWorld test = BuildBeam(&def, 2, &tets);
        spBody* body = spGetBody(test.world, test.body);
        size_t size = (size_t)body->nodeCount * sizeof(spVec4);
        spVec4 *x0 = AllocNodes(body->nodeCount), *x1 = AllocNodes(body->nodeCount);
        for (int i = 0; i < (turned ? 1 : ages[k]); ++i)
        {
            memcpy(x0, body->x, size);
            spWorld_Step(test.world, (spReal)h);
        }
        memcpy(x1, body->x, size);
        spMat3 r = spMat3FromQuat(spQuatFromAxisAngle(spNormalize3(spMakeVec3(1, 2, 3)), (spReal)1.7));
        for (int i = 0; turned && i < body->nodeCount; ++i)
        {
            spVec3 a = spMulMV3(r, spXyz(x0[i])), b = spMulMV3(r, spXyz(x1[i]));
            x0[i] = (spVec4){a.x, a.y, a.z, x0[i].w};
            x1[i] = (spVec4){b.x, b.y, b.z, x1[i].w};
        }
        if (turned)
        {
            // One more step, from rest in the new frame: the factor stays the one of the start
            memcpy(body->x, x0, size);
            memset(body->v, 0, size);
            spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
            spWorld_Step(test.world, (spReal)h);
            memcpy(x1, body->x, size);
        }
        spRowSide sides[pointCount];
        spRowNode pool[4 * pointCount];
        const spPoints made = {sides, pool, pointCount, false, (spReal)h}, *points = &made;
        MakePoints(sides, pool, body, &seed);
        memcpy(body->x, x0, size);
        GetDenseCompliance(body, h, points, want);
        memcpy(body->x, x1, size);
        GetFrozenCompliance(body, points, got);
        double error = CompareDense(got, want, m * m);
        printf("%s %d steps: compliance off by %.2e\n", turned ? "turned," : "age", turned ? 2 : ages[k],
               error);
        if (turned)
        {
            CHECK_LESS(error, 1e-6);
        }
        else
        {
            errors[k] = error;
            CHECK_LESS(k > 0 ? errors[k - 1] : 0.0, error);
        }
        free(x0);
        free(x1);
        spDestroyTestWorld(&test);
    }
    CHECK_LESS(errors[0], 1e-6);
    CHECK_LESS(errors[SP_COUNT(ages) - 1], 0.3);
    free(got);
    free(want);
}

// Rows between three bodies of different stiffness: what the bodies lend, added up with its signs, against the
// dense J A^-1 J^T of all three
static void TestComplianceOfThree(void** state)
{
    SP_UNUSED(state);
    if (HasPreconditioner(sp_preconditionCholesky) == false)
    {
        return;
    }
    static const double s_moduli[3] = {1e4, 1e5, 1e6};
    const double h = (double)(spReal)(1.0 / 60.0);
    const int m = 3 * pointCount;
    size_t size = (size_t)(m * m) * sizeof(double);
    double *got = calloc(1, size), *want = calloc(1, size), *part = calloc(1, size);
    uint64_t seed = 78;
    for (int k = 0; k < 3; ++k)
    {
        spTestDef def = MakeTest(sp_backwardEuler);
        def.method.solver.preconditioner = sp_preconditionCholesky;
        spTetDef tets = MakeTets(sp_tetCorotational, s_moduli[k]);
        spTestWorld test = BuildBeam(&def, 2, &tets);
        spBody* body = spGetBody(test.world, test.body);
        spVec4* x0 = AllocNodes(body->nodeCount);
        size_t nodes = (size_t)body->nodeCount * sizeof(spVec4);
        memcpy(x0, body->x, nodes);
        spWorld_Step(test.world, (spReal)h);
        spRowSide sides[pointCount];
        spRowNode pool[4 * pointCount];
        const spPoints points = {sides, pool, pointCount, false, (spReal)h};
        MakePoints(sides, pool, body, &seed);
        for (int side = 0; side < 2; ++side)
        {
            if (side == 0)
            {
                GetFrozenCompliance(body, &points, part);
                memcpy(body->x, x0, nodes);
            }
            else
            {
                GetDenseCompliance(body, h, &points, part);
            }
            for (int i = 0; i < m * m; ++i)
            {
                // Row r pulls body r % 3 one way and the next body the other way
                int a = i / m / 3 % 3, b = i % m / 3 % 3;
                double signA = a == k ? 1.0 : (a + 1) % 3 == k ? -1.0 : 0.0;
                double signB = b == k ? 1.0 : (b + 1) % 3 == k ? -1.0 : 0.0;
                (side == 0 ? got : want)[i] += signA * signB * part[i];
            }
        }
        free(x0);
        spDestroyTestWorld(&test);
    }
    double error = CompareDense(got, want, m * m);
    printf("three bodies: compliance off by %.2e\n", error);
    CHECK_LESS(error, tight);
    double largest = 0.0;
    for (int i = 0; i < m * m; ++i)
    {
        largest = fmax(largest, fabs(got[i]));
        CHECK_NEAR(got[i], got[i % m * m + i / m], tight * fabs(got[i / m * m + i / m]) + 1e-12);
    }
    for (int i = 0; i < m; ++i)
    {
        got[i * m + i] += (isDouble ? 1e-12 : 1e-5) * largest;
    }
    assert_true(FactorDense(got, m));
    free(got);
    free(want);
    free(part);
}

#ifdef SOUPLE_HAVE_CHOLMOD

// ---- the beams of Courtecuisse 2011 ----

// Mean iterations over some steps of 0.02 s but the first, of a beam of 3000 tets under the whole of gravity.
// Every step is solved: to 1e-7 in double, as in the thesis, to 1e-4 in float.
static double CountBeamIterations(const double moduli[3], spPreconditionerType type, bool asynchronous,
                                  int stepCount)
{
    spSolverBeamDef def = spDefaultSolverBeamDef();
    memcpy(def.moduli, moduli, sizeof(def.moduli));
    spSolverDef* solver = &def.test.method.solver;
    solver->preconditioner = type;
    solver->tolerance = (spReal)(sizeof(spReal) == sizeof(double) ? 1e-7 : 1e-4);
    solver->maxIterations = 10000;
    solver->asynchronous = asynchronous;
    solver->warp = asynchronous;
    solver->refresh = 1;
    solver->age = asynchronous ? 3 : 0; // a new one every four steps
    spTestWorld test = spBuildSolverBeam(&def);
    assert_non_null(test.world);
    double mean = 0.0;
    for (int i = 0; i < stepCount; ++i)
    {
        spWorld_Step(test.world, (spReal)0.02);
        spSolverReport report = spBody_GetSolverReport(test.world, test.body);
        assert_true(report.converged);
        mean += i > 0 ? report.iterations / (stepCount - 1.0) : 0.0;
    }
    spDestroyTestWorld(&test);
    return mean;
}

static const double s_mixedModuli[3] = {1e6, 5e4, 1e4}, s_oneModulus[3] = {1e6, 1e6, 1e6};

// F24: on the beam of 1000, 50 and 10 kPa each needs fewer than the one before, and Cholesky 1
static void TestFivePreconditioners(void** state)
{
    SP_UNUSED(state);
    static const spPreconditionerType types[] = {sp_preconditionNone, sp_preconditionJacobi,
                                                 sp_preconditionSsor, sp_preconditionIncomplete,
                                                 sp_preconditionCholesky};
    double last = INFINITY;
    for (int i = 0; i < SP_COUNT(types); ++i)
    {
        double iterations = CountBeamIterations(s_mixedModuli, types[i], false, 4);
        print_message("preconditioner %d: %.2f iterations\n", (int)types[i], iterations);
        CHECK_LESS(iterations, last);
        last = iterations;
    }
    CHECK_NEAR(last, 1.0, 0.0);
}

// F46: a factor of a thread of its own takes fewer than 10 iterations on three materials as on one
static void TestSameAccuracy(void** state)
{
    SP_UNUSED(state);
    double mixed = CountBeamIterations(s_mixedModuli, sp_preconditionCholesky, true, 60);
    double one = CountBeamIterations(s_oneModulus, sp_preconditionCholesky, true, 60);
    print_message("iterations on three materials %.2f, on one %.2f\n", mixed, one);
    CHECK_LESS(mixed, 10.0);
    CHECK_LESS(one, 10.0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestResiduals),
        cmocka_unit_test(TestDecay),
        cmocka_unit_test(TestOrders),
        cmocka_unit_test(TestLargeSteps),
        cmocka_unit_test(TestNewton),
        cmocka_unit_test(TestSameShape),
        cmocka_unit_test(TestModuli),
        cmocka_unit_test(TestPins),
        cmocka_unit_test(TestLinks),
        cmocka_unit_test(TestSameBits),
        cmocka_unit_test(TestAsynchronousRepeats),
        cmocka_unit_test(TestSnapshots),
        cmocka_unit_test(TestAsynchronousEdits),
        cmocka_unit_test(TestAsynchronousEnd),
        cmocka_unit_test(TestNoAllocations),
        cmocka_unit_test(TestMixed),
        cmocka_unit_test(TestCompliance),
        cmocka_unit_test(TestComplianceWithAge),
        cmocka_unit_test(TestComplianceOfThree),
#ifdef SOUPLE_HAVE_CHOLMOD
        cmocka_unit_test(TestFivePreconditioners),
        cmocka_unit_test(TestSameAccuracy),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
