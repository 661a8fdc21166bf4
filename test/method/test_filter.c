// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The velocity filter: what it keeps and what it takes away, its stable steps against dense eigenvalues and
// against bisection, its strength, bad definitions, and that it gives the same bits everywhere.

#include "base/core.h"
#include "method/filter.h"
#include "method/method.h"
#include "method/spectrum.h"
#include "testbed/check.h"
#include "testbed/hanging_cloth.h"
#include "world/world.h"

#ifdef SOUPLE_HAVE_SCENE
#include "souple/scene.h"
#endif

#include <stdlib.h>
#include <string.h>

static spHangingClothDef MakeDef(spFilterReading reading, int neighbours, double lambda)
{
    spHangingClothDef def = spDefaultHangingClothDef();
    def.neighbours = neighbours;
    def.test.method.filter.type = sp_filterExponential;
    def.test.method.filter.reading = reading;
    def.test.method.filter.lambda = (spReal)lambda;
    return def;
}

static void SetUniform(const spTestWorld* test, spVec3 u)
{
    int n = spBody_GetNodeCount(test->world, test->body);
    spVec3* v = malloc((size_t)n * sizeof(spVec3));
    for (int i = 0; i < n; ++i)
    {
        v[i] = u;
    }
    assert_true(spBody_SetVelocities(test->world, test->body, v, n));
    free(v);
}

// A1: a uniform velocity stays what it is, to the last bit when the rotation is not looked at
static void TestUniformVelocity(void** state)
{
    SP_UNUSED(state);
    const spVec3 u = {(spReal)0.3, (spReal)-0.7, (spReal)0.2};
    for (int run = 0; run < 6; ++run)
    {
        spFilterReading reading = run / 2 == 0   ? sp_filterPreserving
                                  : run / 2 == 1 ? sp_filterSumNormalised
                                                 : sp_filterLiteral;
        spHangingClothDef def = MakeDef(reading, 4, 1.0);
        def.free = true;
        def.test.method.filter.keepRotation = run % 2 == 1;
        spTestWorld test = spBuildHangingCloth(&def);
        spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
        SetUniform(&test, u);
        int steps = reading == sp_filterLiteral ? 1 : 50;
        for (int i = 0; i < steps; ++i)
        {
            // Short steps: positions round, and springs answer
            spWorld_Step(test.world, (spReal)1e-9);
        }
        spVec3View v = spBody_GetVelocities(test.world, test.body);
        for (int i = 0; i < v.count; ++i)
        {
            if (reading == sp_filterLiteral)
            {
                // An inner node has four neighbours at one edge: B = 4 / e
                double b = 4.0 * exp(-1.0), share = (1.0 + 2.0 * b) / (2.0 + 2.0 * b);
                int row = i / def.count, column = i % def.count;
                if (row > 0 && row + 1 < def.count && column > 0 && column + 1 < def.count)
                {
                    CHECK_NEAR(v.data[i].y / u.y, share, 1e-5);
                    CHECK_NEAR(share, 0.80, 0.005);
                }
            }
            else if (def.test.method.filter.keepRotation == false)
            {
                assert_true(v.data[i].x == u.x && v.data[i].y == u.y && v.data[i].z == u.z);
            }
            else
            {
                double slack = sizeof(spReal) == sizeof(double) ? 1e-14 : 2e-5;
                CHECK_NEAR(v.data[i].x, u.x, slack);
                CHECK_NEAR(v.data[i].y, u.y, slack);
                CHECK_NEAR(v.data[i].z, u.z, slack);
            }
        }
        spDestroyTestWorld(&test);
    }
}

// Velocities after one filter of a random field
static void FilterNoise(const spHangingClothDef* def, spVec3* v)
{
    uint64_t seed = 77;
    spTestWorld test = spBuildHangingCloth(def);
    int n = def->count * def->count;
    spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
    for (int i = 0; i < n; ++i)
    {
        v[i] = (spVec3){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                        (spReal)spRandomRange(&seed, -1, 1)};
    }
    spBody_SetVelocities(test.world, test.body, v, n);
    spWorld_Step(test.world, (spReal)1e-9);
    assert_int_equal(spBody_CopyVelocities(test.world, test.body, v, n), n);
    spDestroyTestWorld(&test);
}

// A2: lambda counts in mean edges, so a scene ten times as large is filtered the same; kernels differ
static void TestScale(void** state)
{
    SP_UNUSED(state);
    static spVec3 a[144], b[144];
    double between = 0.0;
    for (int type = sp_filterExponential; type <= sp_filterGaussian; ++type)
    {
        spHangingClothDef def = MakeDef(sp_filterPreserving, 8, 2.0);
        def.test.method.filter.type = (spFilterType)type;
        FilterNoise(&def, a);
        def.size = 10;
        static spVec3 large[144];
        FilterNoise(&def, large);
        for (int i = 0; i < 144; ++i)
        {
            CHECK_NEAR(a[i].x, large[i].x, 1e-4);
            CHECK_NEAR(a[i].z, large[i].z, 1e-4);
            between = fmax(between, fabs((double)a[i].y - (double)b[i].y));
        }
        memcpy(b, a, sizeof(a));
    }
    CHECK_LESS(0.05, between);
}

// A3: free fall over 1 s
static void TestFreeFall(void** state)
{
    SP_UNUSED(state);
    for (int reading = 0; reading < sp_filterFirstFormula; ++reading)
    {
        spHangingClothDef def = MakeDef((spFilterReading)reading, 8, 1.0);
        def.free = true;
        spTestWorld test = spBuildHangingCloth(&def);
        size_t bytes = 0;
        for (int i = 0; i < 1000; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)1e-3), 0);
            bytes = i == 10 ? spWorld_GetByteCount(test.world) : bytes;
        }
        // A step allocates nothing
        assert_true(spWorld_GetByteCount(test.world) == bytes);
        double mass = 0.01 * def.count * def.count;
        double speed = (double)spBody_GetMomentum(test.world, test.body).y / mass;
        printf("free fall, reading %d: %.4f m/s after 1 s\n", reading, speed);
        if (reading == sp_filterLiteral)
        {
            CHECK_LESS(fabs(speed), 0.1);
        }
        else
        {
            CHECK_NEAR(speed, -9.81, 0.01);
        }
        spDestroyTestWorld(&test);
    }
}

// A cloth that turns: with keepRotation it goes on, else the filter brakes it at its border
static void TestRotation(void** state)
{
    SP_UNUSED(state);
    double kept[2];
    for (int keep = 0; keep < 2; ++keep)
    {
        spHangingClothDef def = MakeDef(sp_filterPreserving, 8, 1.0);
        def.free = true;
        def.test.method.filter.keepRotation = keep == 1;
        spTestWorld test = spBuildHangingCloth(&def);
        spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
        spVec3 x[144], c = spBody_GetCenter(test.world, test.body);
        spBody_CopyPositions(test.world, test.body, x, 144);
        for (int i = 0; i < 144; ++i)
        {
            x[i] = (spVec3){2 * (x[i].z - c.z), 1, -2 * (x[i].x - c.x)};
        }
        spBody_SetVelocities(test.world, test.body, x, 144);
        spVec3 before = spBody_GetAngularMomentum(test.world, test.body);
        for (int i = 0; i < 500; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)1e-3), 0);
        }
        // About the moving centre: the momentum is the same all along
        spVec3 after = spBody_GetAngularMomentum(test.world, test.body);
        kept[keep] = (double)after.y / (double)before.y;
        spDestroyTestWorld(&test);
    }
    printf("angular momentum after 500 substeps: %.4f with keepRotation, %.4f without\n", kept[1], kept[0]);
    CHECK_NEAR(kept[1], 1.0, 0.01);
    CHECK_LESS(kept[0], 0.5);
}

// The filter as a matrix over nodes, held ones left out
static double* MakeDenseFilter(const spBody* body, const spFilter* filter)
{
    int n = body->nodeCount;
    double* s = calloc((size_t)n * (size_t)n, sizeof(double));
    for (int i = 0; i < n; ++i)
    {
        if (body->x[i].w == 0)
        {
            continue;
        }
        s[i * n + i] = 1.0 + (double)filter->rows.own[i];
        for (int e = filter->rows.begin[i]; e < filter->rows.begin[i + 1]; ++e)
        {
            int j = filter->rows.entries[e].offset / 4;
            s[i * n + i] -= (double)filter->rows.entries[e].weight;
            s[i * n + j] += body->x[j].w > 0 ? (double)filter->rows.entries[e].weight : 0.0;
        }
    }
    return s;
}

// Solves a x = b for many right-hand sides in place, by elimination with the diagonal as pivots
static void SolveDense(double* a, double* b, int n, int columns)
{
    for (int p = 0; p < n; ++p)
    {
        for (int i = 0; i < n; ++i)
        {
            double factor = a[i * n + p] / a[p * n + p];
            for (int k = 0; i != p && factor != 0.0 && k < n; ++k)
            {
                a[i * n + k] -= factor * a[p * n + k];
            }
            for (int k = 0; i != p && factor != 0.0 && k < columns; ++k)
            {
                b[i * columns + k] -= factor * b[p * columns + k];
            }
        }
    }
    for (int i = 0; i < n * columns; ++i)
    {
        b[i] /= a[(i / columns) * n + i / columns];
    }
}

// A4: 2 (I + S)^-1 S A on a 6 x 6 cloth, dense and by the iteration on forces
static void TestFilteredSpectrum(void** state)
{
    SP_UNUSED(state);
    enum
    {
        nodes = 36,
        size = 3 * nodes
    };
    for (int reading = 0; reading < sp_filterFirstFormula; ++reading)
    {
        spHangingClothDef def = MakeDef((spFilterReading)reading, 8, 0.5);
        def.count = 6;
        spTestWorld test = spBuildHangingCloth(&def);
        spBody* body = spGetBody(test.world, test.body);
        spFilter filter;
        spMethodDef method = body->methodDef;
        spError error;
        assert_true(spCreateFilter(&filter, body, &error));
        // Columns of A, in the order node by node, coordinate by coordinate
        static double a[size * size];
        _Alignas(64) static spVec4 unit[nodes], zeros[nodes];
        spForceContext context = {.body = body, .state = spGetNodeState(body)};
        spDifference difference = {.dx = unit, .dv = zeros, .project = true};
        for (int j = 0; j < size; ++j)
        {
            memset(unit, 0, sizeof(unit));
            spReal* place = j % 3 == 0 ? &unit[j / 3].x : j % 3 == 1 ? &unit[j / 3].y : &unit[j / 3].z;
            *place = body->x[j / 3].w > 0 ? 1 : 0;
            spMeasureDifference(&context, &difference);
            spAddPatchDifference(&context, &difference, 0);
            spSumPatchForces(&context, 0);
            for (int i = 0; i < size; ++i)
            {
                spVec4 f = body->f[i / 3];
                double component = i % 3 == 0 ? f.x : i % 3 == 1 ? f.y : f.z;
                a[i * size + j] = -(double)body->x[i / 3].w * component;
            }
        }
        // S A, then (I + S)^-1 of it
        double* s = MakeDenseFilter(body, &filter);
        static double t[size * size];
        memset(t, 0, sizeof(t));
        for (int i = 0; i < size; ++i)
        {
            for (int k = 0; k < nodes; ++k)
            {
                double share = 2.0 * s[(i / 3) * nodes + k];
                for (int j = 0; share != 0.0 && j < size; ++j)
                {
                    t[i * size + j] += share * a[(3 * k + i % 3) * size + j];
                }
            }
        }
        for (int i = 0; i < nodes; ++i)
        {
            s[i * nodes + i] += 1.0;
        }
        SolveDense(s, t, nodes, 3 * size);
        // Power iteration in double, without end
        static double x[size], y[size];
        double dense = 0.0;
        for (int i = 0; i < size; ++i)
        {
            x[i] = sin(1.0 + 3.7 * i);
        }
        for (int round = 0; round < 4000; ++round)
        {
            double norm2 = 0.0, product = 0.0, image2 = 0.0;
            for (int i = 0; i < size; ++i)
            {
                y[i] = 0.0;
                for (int j = 0; j < size; ++j)
                {
                    y[i] += t[i * size + j] * x[j];
                }
                product += x[i] * y[i];
                norm2 += x[i] * x[i];
                image2 += y[i] * y[i];
            }
            dense = product / norm2;
            for (int i = 0; i < size; ++i)
            {
                x[i] = y[i] / sqrt(image2);
            }
        }
        spSpectrum spectrum;
        spMat3* bounds = malloc(2 * nodes * sizeof(spMat3));
        double bound[2];
        assert_true(spCreateSpectrum(&spectrum, body));
        spBoundFrequencies(body, bounds, &bound[0], &bound[1]);
        spModesQuery query = {.modes = sp_stiffnessModes,
                              .bounds = bounds,
                              .bound = bound[0],
                              .filter = &filter,
                              .strength = 1,
                              .tolerance = 1e-6,
                              .maxRounds = 1000};
        double found = spFindLargestEigenvalue(&spectrum, body, &query);
        printf("reading %d: filtered eigenvalue %.6g, dense %.6g\n", reading, found, dense);
        CHECK_NEAR(found, dense, 0.01 * dense);
        free(bounds);
        free(s);
        spFreeSpectrum(&spectrum, body);
        spFreeFilter(&filter, body);
        body->methodDef = method;
        spDestroyTestWorld(&test);
    }
}

static double GetEstimate(const spHangingClothDef* def)
{
    spTestWorld test = spBuildHangingCloth(def);
    assert_non_null(test.world);
    double step = spBody_GetStableStep(test.world, test.body);
    spDestroyTestWorld(&test);
    return step;
}

// A5, A10: the estimate against the bisected limit, for every reading, neighbourhood and symplectic method
static void TestPredictedStep(void** state)
{
    SP_UNUSED(state);
    spHangingClothDef plain = spDefaultHangingClothDef();
    double plainLimit = spFindHangingLimit(&plain, GetEstimate(&plain), 1.5);
    for (int run = 0; run < 8; ++run)
    {
        spHangingClothDef def = MakeDef((spFilterReading)(run % 4 == 3 ? 0 : run % 4), run < 4 ? 8 : 4,
                                        run % 2 == 0 ? 0.25 : 1.0);
        def.test.method.type = run % 4 == 3 ? sp_verlet : sp_symplecticEuler;
        double estimate = GetEstimate(&def), limit = spFindHangingLimit(&def, estimate, 1.5);
        printf("method %d, reading %d, %d neighbours, lambda %.2f: %.3f ms, limit %.3f ms, gain %.3f\n",
               (int)def.test.method.type, (int)def.test.method.filter.reading, def.neighbours,
               (double)def.test.method.filter.lambda, 1e3 * estimate, 1e3 * limit, limit / plainLimit);
        CHECK_NEAR(estimate / limit, 0.975, 0.025);
        CHECK_LESS(1.05, limit / plainLimit);
    }
    // The limits without a filter: 2 / sqrt(k0), and 2.83 / sqrt(k0) for Runge-Kutta. Estimates keep 2.5 %.
    double k0Step = GetEstimate(&plain) * sqrt(1.05);
    CHECK_NEAR(plainLimit / k0Step, 1.0, 0.02);
    plain.test.method.type = sp_rungeKutta4;
    double runge = spFindHangingLimit(&plain, GetEstimate(&plain), 1.5);
    CHECK_NEAR(runge / k0Step, 2.83 / 2.0, 0.06 * 2.83 / 2.0);
}

// A6: with 8 neighbours and lambda 0.25 a step 25 % beyond the limit runs; without the filter it explodes.
// A12: the same on a random triangle mesh.
static void TestGain(void** state)
{
    SP_UNUSED(state);
    for (int irregular = 0; irregular < 2; ++irregular)
    {
        spHangingClothDef def = spDefaultHangingClothDef();
        def.count = 20;
        def.irregular = irregular == 1;
        double step = GetEstimate(&def) * sqrt(1.05);
        double factor = irregular == 1 ? 1.2 : 1.25;
        assert_false(spSurvivesHanging(&def, factor * step, 3.0, 3.0));
        def.test.method.filter.type = sp_filterExponential;
        def.test.method.filter.lambda = (spReal)0.25;
        assert_true(spSurvivesHanging(&def, factor * step, 3.0, 3.0));
    }
}

// A8: no reading but the first formula can turn a mode over; that one is refused where it does
static void TestSigns(void** state)
{
    SP_UNUSED(state);
    const double lambdas[] = {0.01, 0.25, 1.0, 4.0};
    for (int run = 0; run < 24; ++run)
    {
        spHangingClothDef def =
            MakeDef((spFilterReading)(run / 8), run % 2 == 0 ? 4 : 8, lambdas[run / 2 % 4]);
        spTestWorld test = spBuildHangingCloth(&def);
        spBody* body = spGetBody(test.world, test.body);
        spFilter filter;
        spError error;
        assert_true(spCreateFilter(&filter, body, &error));
        for (int node = 0; node < body->nodeCount; ++node)
        {
            double neighbours = 0.0;
            for (int i = filter.rows.begin[node]; i < filter.rows.begin[node + 1]; ++i)
            {
                assert_true(filter.rows.entries[i].weight > 0);
                neighbours += (double)filter.rows.entries[i].weight;
            }
            CHECK_LESS(neighbours, 1.0 + (double)filter.rows.own[node] - neighbours);
        }
        spFreeFilter(&filter, body);
        body->methodDef.filter.edges = NULL;
        spDestroyTestWorld(&test);
    }
    spHangingClothDef def = MakeDef(sp_filterFirstFormula, 4, 1.0);
    spTestWorld test = spBuildHangingCloth(&def);
    assert_null(test.world);
    assert_non_null(strstr(test.error.message, "turns modes over"));
    def.test.method.filter.allowNegative = true;
    test = spBuildHangingCloth(&def);
    assert_non_null(test.world);
    assert_true(spBody_GetStableStep(test.world, test.body) == 0.0);
    assert_int_equal(spWorld_Step(test.world, (spReal)1e-4) & sp_stepUnstable, sp_stepUnstable);
    spDestroyTestWorld(&test);
    def = MakeDef(sp_filterFirstFormula, 4, 2.0);
    CHECK_LESS(1e-3, GetEstimate(&def));
}

// Kinetic energy, mean over a swing of 2 s
static double GetSwing(const spHangingClothDef* def, double dt, double* strength)
{
    spTestWorld test = spBuildHangingCloth(def);
    double sum = 0.0;
    int steps = (int)(2.0 / dt);
    *strength = 0.0;
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(test.world, (spReal)dt);
        sum += spBody_GetEnergy(test.world, test.body).kinetic / steps;
        *strength = fmax(*strength, spWorld_GetReport(test.world).filterStrength);
    }
    spDestroyTestWorld(&test);
    return sum;
}

// A9, and the adaptive strength: nothing at all while steps are stable anyway, then as much as needed
static void TestAdaptive(void** state)
{
    SP_UNUSED(state);
    spHangingClothDef plain = spDefaultHangingClothDef();
    spHangingClothDef full = MakeDef(sp_filterPreserving, 8, 0.25);
    spHangingClothDef adaptive = full;
    adaptive.test.method.filter.adaptive = true;
    adaptive.test.method.safety = 1;
    double strength, step = GetEstimate(&plain);
    double plainSwing = GetSwing(&plain, 0.8 * step, &strength);
    assert_true(strength == 0.0);
    double adaptiveSwing = GetSwing(&adaptive, 0.8 * step, &strength);
    assert_true(strength == 0.0);
    assert_true(adaptiveSwing == plainSwing);
    double fullSwing = GetSwing(&full, 0.8 * step, &strength);
    assert_true(strength == 1.0);
    printf("mean kinetic energy over 2 s: %.3f J plain, %.3f J filtered\n", plainSwing, fullSwing);
    CHECK_LESS(fullSwing, 0.5 * plainSwing);

    // Beyond the limit: part of the strength, and more motion left than with all of it
    assert_true(spSurvivesHanging(&adaptive, 1.15 * step, 2.0, 1.5));
    adaptiveSwing = GetSwing(&adaptive, 1.15 * step, &strength);
    fullSwing = GetSwing(&full, 1.15 * step, &strength);
    GetSwing(&adaptive, 1.15 * step, &strength);
    printf("1.15 times the limit: strength %.3f, %.3f J against %.3f J at full strength\n", strength,
           adaptiveSwing, fullSwing);
    CHECK_LESS(0.05, strength);
    CHECK_LESS(strength, 0.95);
    CHECK_LESS(1.1 * fullSwing, adaptiveSwing);

    // Automatic substeps count on the filter
    spHangingClothDef automatic = adaptive;
    automatic.test.method.substeps = 0;
    automatic.test.method.safety = (spReal)0.8;
    spTestWorld test = spBuildHangingCloth(&automatic);
    int substeps = (int)ceil(0.02 / (0.8 * spBody_GetStableStep(test.world, test.body)));
    for (int i = 0; i < 20; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)0.02), 0);
    }
    CHECK_NEAR(spWorld_GetReport(test.world).substepCount, substeps, 1);
    CHECK_LESS(0.0, spWorld_GetReport(test.world).filterStrength);
    CHECK_LESS(0.0, spWorld_GetReport(test.world).filterSeconds);
    spDestroyTestWorld(&test);
}

// Fixed nodes stay, driven ones arrive, whatever their neighbours do; all methods
static void TestHeldNodes(void** state)
{
    SP_UNUSED(state);
    for (int type = 0; type < sp_backwardEuler; ++type)
    {
        spHangingClothDef def = MakeDef(sp_filterPreserving, 8, 0.25);
        def.test.method.type = (spMethodType)type;
        def.test.method.substeps = 20;
        spTestWorld test = spBuildHangingCloth(&def);
        spVec3 start[144], x[144];
        spBody_CopyPositions(test.world, test.body, start, 144);
        for (int i = 0; i < 60; ++i)
        {
            spVec3 target = start[11];
            target.y += (spReal)(0.05 * sin(0.2 * i));
            spBody_DriveNode(test.world, test.body, 11, target);
            assert_int_equal(spWorld_Step(test.world, (spReal)0.005) & ~(unsigned)sp_stepUnstable, 0);
            spBody_CopyPositions(test.world, test.body, x, 144);
            assert_memory_equal(&x[0], &start[0], sizeof(spVec3));
            assert_memory_equal(&x[132], &start[132], sizeof(spVec3));
            assert_memory_equal(&x[11], &target, sizeof(spVec3));
        }
        spDestroyTestWorld(&test);
    }
}

// Everything at once: two linked cloths of several patches on the ground, for threads and lanes
static uint64_t RunLinked(int workers, int lanes, spMethodType type, bool restore)
{
    spHangingClothDef def = MakeDef(sp_filterPreserving, 8, 0.5);
    def.test.workerCount = workers;
    def.test.laneCount = lanes;
    def.test.method.type = type;
    def.test.method.substeps = 0;
    def.test.method.filter.adaptive = type == sp_verlet;
    def.count = 36;
    def.damping = (spReal)0.05;
    spTestWorld test = spBuildHangingCloth(&def);
    spAddTestGround(test.world, (spReal)0.5, 0);
    spVec3 nodes[4] = {{0, 3, 0}, {1, 3, 0}, {0, 3, 1}, {1, 3, 1}};
    const int32_t edges[10] = {0, 1, 1, 3, 3, 2, 2, 0, 0, 3};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = nodes;
    bodyDef.positionCount = 4;
    bodyDef.nodeMass = (spReal)0.1;
    bodyDef.method.filter = (spFilterDef){
        .type = sp_filterGaussian, .lambda = 1, .edges = edges, .edgeCount = 5, .keepRotation = true};
    spBodyId other = spCreateBody(test.world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.damping = 1;
    springDef.edges = edges;
    springDef.edgeCount = 5;
    springDef.stiffness = 1000;
    assert_true(spBody_AddSprings(test.world, other, &springDef) >= 0);
    int32_t joint[2] = {40, 300};
    spLinkDef linkDef = spDefaultLinkDef();
    linkDef.body = test.body;
    linkDef.nodes = joint;
    linkDef.nodeCount = 2;
    linkDef.otherBody = other;
    assert_false(SP_IS_NULL(spCreateLink(test.world, &linkDef)));
    uint32_t flags = 0;
    for (int i = 0; i < 20; ++i)
    {
        flags |= spWorld_Step(test.world, (spReal)(1.0 / 120.0));
    }
    if (restore)
    {
        // The strength and the stiffness of nodes are part of the state
        spSnapshot* snapshot = spWorld_Save(test.world);
        for (int i = 0; i < 45; ++i)
        {
            spWorld_Step(test.world, (spReal)(1.0 / 120.0));
        }
        assert_true(spWorld_Restore(test.world, snapshot));
        spDestroySnapshot(snapshot);
    }
    for (int i = 0; i < 40; ++i)
    {
        flags |= spWorld_Step(test.world, (spReal)(1.0 / 120.0));
    }
    assert_int_equal(flags, 0);
    uint64_t hash = spWorld_GetStateHash(test.world);
    spDestroyTestWorld(&test);
    return hash;
}

static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_symplecticEuler, sp_verlet, sp_rungeKutta4, sp_localImplicit};
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        uint64_t hash = RunLinked(1, 1, types[t], false);
        printf("method %d: state hash %016llx\n", (int)types[t], (unsigned long long)hash);
        assert_true(RunLinked(2, 0, types[t], false) == hash);
        assert_true(RunLinked(3, 0, types[t], true) == hash);
    }
}

static void Refuse(spFilterDef filter, const char* words)
{
    spHangingClothDef def = spDefaultHangingClothDef();
    def.count = 4;
    spTestWorld test = spBuildHangingCloth(&def);
    spMethodDef method = spBody_GetMethod(test.world, test.body);
    method.filter = filter;
    spWorld_ClearError(test.world);
    assert_false(spBody_SetMethod(test.world, test.body, &method));
    assert_non_null(strstr(spWorld_GetLastError(test.world).message, words));
    // The old method goes on
    assert_true(spBody_GetMethod(test.world, test.body).filter.type == sp_filterNone);
    assert_int_equal(spWorld_Step(test.world, (spReal)1e-4), 0);
    spDestroyTestWorld(&test);
}

static void TestBadInput(void** state)
{
    SP_UNUSED(state);
    const spFilterDef good = {.type = sp_filterExponential, .lambda = 1};
    const spReal lambdas[] = {0, -1, (spReal)NAN, (spReal)INFINITY};
    for (int i = 0; i < SP_COUNT(lambdas); ++i)
    {
        spFilterDef bad = good;
        bad.lambda = lambdas[i];
        Refuse(bad, "lambda");
    }
    spFilterDef bad = good;
    bad.type = (spFilterType)7;
    Refuse(bad, "does not exist");
    bad = good;
    bad.reading = sp_filterReadingCount;
    Refuse(bad, "does not exist");
    const int32_t edges[3][2] = {{0, 16}, {-1, 2}, {3, 3}};
    for (int i = 0; i < 3; ++i)
    {
        bad = good;
        bad.edges = edges[i];
        bad.edgeCount = 1;
        Refuse(bad, "edge 0");
    }
    bad.edgeCount = 0;
    Refuse(bad, "number of edges");

    // A body that has no edges yet says what to do; with springs it works
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spVec3 x[2] = {{0, 0, 0}, {1, 0, 0}};
    int32_t edge[2] = {0, 1};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = x;
    bodyDef.positionCount = 2;
    bodyDef.nodeMass = 1;
    bodyDef.method.filter.type = sp_filterExponential;
    assert_true(SP_IS_NULL(spCreateBody(world, &bodyDef)));
    assert_non_null(strstr(spWorld_GetLastError(world).message, "springs first"));
    bodyDef.method.filter.type = sp_filterNone;
    spBodyId body = spCreateBody(world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.damping = 1;
    springDef.edges = edge;
    springDef.edgeCount = 1;
    assert_true(spBody_AddSprings(world, body, &springDef) >= 0);
    spMethodDef method = spDefaultMethodDef();
    method.filter.type = sp_filterExponential;
    assert_true(spBody_SetMethod(world, body, &method));
    // What the world gives back can be set again, edges included
    int32_t twice[4] = {0, 1, 1, 0};
    method.filter.edges = twice;
    method.filter.edgeCount = 2;
    assert_true(spBody_SetMethod(world, body, &method));
    method = spBody_GetMethod(world, body);
    assert_true(method.filter.edges != twice && method.filter.edges[3] == 0);
    assert_true(spBody_SetMethod(world, body, &method));
    assert_int_equal(spWorld_Step(world, (spReal)1e-3), 0);
    spDestroyWorld(world);
}

// An allocator that fails once, at a chosen allocation
static int s_allocationsLeft;

static void* AllocOrFail(size_t size, size_t alignment, void* context)
{
    SP_UNUSED(context);
    s_allocationsLeft -= 1;
    return s_allocationsLeft == 0 ? NULL
                                  : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void FreeIt(void* memory, size_t size, void* context)
{
    SP_UNUSED(size);
    SP_UNUSED(context);
    free(memory);
}

static void TestOutOfMemory(void** state)
{
    SP_UNUSED(state);
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.allocator = (spAllocator){.alloc = AllocOrFail, .free = FreeIt};
    s_allocationsLeft = -1;
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spVec3 x[2] = {{0, 0, 0}, {1, 0, 0}};
    int32_t edge[2] = {0, 1};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = x;
    bodyDef.positionCount = 2;
    bodyDef.nodeMass = 1;
    spBodyId body = spCreateBody(world, &bodyDef);
    size_t bytes = spWorld_GetByteCount(world);
    spMethodDef method = spDefaultMethodDef();
    method.filter.type = sp_filterExponential;
    method.filter.edges = edge;
    method.filter.edgeCount = 1;
    method.type = sp_localImplicit;
    bool stands = false;
    for (int n = 1; stands == false; ++n)
    {
        s_allocationsLeft = n;
        stands = spBody_SetMethod(world, body, &method);
        assert_true(stands || spWorld_GetLastError(world).code == sp_errorOutOfMemory);
        assert_true(stands || spWorld_GetByteCount(world) == bytes);
        assert_true(n < 100);
    }
    s_allocationsLeft = -1;
    spDestroyWorld(world);
}

#ifdef SOUPLE_HAVE_SCENE

static const char s_scene[] =
    "{\"souple\": 1, %s \"bodies\": [{\"name\": \"cloth\", \"mesh\": {\"generator\": \"%s\"}, "
    "\"nodeMass\": 0.01, \"springs\": [{\"stiffness\": 500}], \"method\": %s}], \"duration\": 0.1, "
    "\"events\": [{\"type\": \"set\", \"time\": 0.05, \"body\": \"cloth\", \"method\": {\"type\": "
    "\"verlet\", \"filter\": {\"type\": \"gaussian\", \"lambda\": 2, \"neighbours\": "
    "\"structuralAndShear\"}}}]}";

static spScene* ParseScene(const char* head, const char* generator, const char* method, spError* error)
{
    char text[1000];
    int size = snprintf(text, sizeof(text), s_scene, head, generator, method);
    return spParseScene(text, (size_t)size, "", NULL, error);
}

// Every key of a filter, from a file and from an event
static void TestSceneKeys(void** state)
{
    SP_UNUSED(state);
    spError error = {0};
    spScene* scene = ParseScene("", "cloth",
                                "{\"type\": \"localImplicit\", \"filter\": {\"type\": \"exponential\", "
                                "\"reading\": \"sumNormalised\", \"lambda\": 0.5, \"neighbours\": "
                                "\"structural\", \"adaptive\": true, \"keepRotation\": false, "
                                "\"allowNegative\": true}}",
                                &error);
    assert_non_null(scene);
    spRunDef runDef = spDefaultRunDef();
    spRun* run = spCreateRun(scene, &runDef, &error);
    assert_non_null(run);
    spBodyId body = spRun_FindBody(run, "cloth");
    spMethodDef method = spBody_GetMethod(spRun_GetWorld(run), body);
    assert_true(method.type == sp_localImplicit);
    assert_true(method.filter.type == sp_filterExponential &&
                method.filter.reading == sp_filterSumNormalised);
    assert_true(method.filter.lambda == (spReal)0.5 && method.filter.edgeCount == 2 * 20 * 19);
    assert_true(method.filter.adaptive && method.filter.keepRotation == false && method.filter.allowNegative);
    while (spRun_IsDone(run) == false)
    {
        assert_int_equal(spRun_Step(run), 0);
    }
    method = spBody_GetMethod(spRun_GetWorld(run), body);
    assert_true(method.type == sp_verlet && method.filter.type == sp_filterGaussian);
    assert_int_equal(method.filter.edgeCount, 2 * 20 * 19 + 2 * 19 * 19);
    assert_true(method.filter.lambda == 2 && method.filter.adaptive == false && method.filter.keepRotation);
    spDestroyRun(run);
    spDestroyScene(scene);

    // Pairs, and a text alone
    scene = ParseScene("", "cloth", "{\"filter\": {\"type\": \"gaussian\", \"pairs\": [[0, 1], [1, 2]]}}",
                       &error);
    assert_non_null(scene);
    run = spCreateRun(scene, &runDef, &error);
    assert_non_null(run);
    assert_int_equal(spBody_GetMethod(spRun_GetWorld(run), spRun_FindBody(run, "cloth")).filter.edgeCount, 2);
    spDestroyRun(run);
    spDestroyScene(scene);
    scene = ParseScene("", "cloth", "{\"filter\": \"exponential\"}", &error);
    assert_non_null(scene);
    spDestroyScene(scene);

    // Bad ones say what is wrong
    static const char* const bad[][3] = {
        {"lattice", "\"verlet\"", "cloth"},
        {"cloth", "{\"filter\": {\"lambda\": 0}}", "lambda"},
        {"cloth", "{\"filter\": {\"type\": \"box\"}}", "box"},
        {"cloth", "{\"filter\": {\"neighbours\": \"structural\", \"pairs\": [[0, 1]]}}", "exclude"},
    };
    for (int i = 0; i < SP_COUNT(bad); ++i)
    {
        assert_null(ParseScene("", bad[i][0], bad[i][1], &error));
        if (strstr(error.message, bad[i][2]) == NULL)
        {
            print_error("scene %d: %s\n", i, error.message);
            fail();
        }
    }
    // Weights that turn modes over, and nodes that do not exist, are found when the body is made
    static const char* const unfit[] = {
        "{\"filter\": {\"type\": \"exponential\", \"reading\": \"firstFormula\", \"neighbours\": "
        "\"structural\"}}",
        "{\"filter\": {\"type\": \"exponential\", \"pairs\": [[0, 4000]]}}"};
    for (int i = 0; i < 2; ++i)
    {
        scene = ParseScene("", "cloth", unfit[i], &error);
        assert_non_null(scene);
        assert_null(spCreateRun(scene, &runDef, &error));
        assert_non_null(strstr(error.message, "filter"));
        spDestroyScene(scene);
    }
}

// A step that is left open is one that bodies with a fixed number of substeps survive
static void TestAutomaticStep(void** state)
{
    SP_UNUSED(state);
    static const char* const methods[] = {"{\"type\": \"symplecticEuler\", \"substeps\": 1}",
                                          "{\"type\": \"symplecticEuler\", \"substeps\": 4}", "{}"};
    double steps[3];
    for (int i = 0; i < 3; ++i)
    {
        spError error = {0};
        spScene* scene = ParseScene("\"dt\": \"auto\",", "cloth", methods[i], &error);
        assert_non_null(scene);
        spRunDef runDef = spDefaultRunDef();
        runDef.stepCount = 2;
        spRun* run = spCreateRun(scene, &runDef, &error);
        assert_non_null(run);
        steps[i] = spRun_GetTimeStep(run);
        double parts = 1.0 / 60.0 / steps[i];
        CHECK_NEAR(parts, round(parts), 1e-9);
        assert_int_equal(spRun_Step(run), 0);
        assert_int_equal(spRun_Step(run), 0);
        assert_true(spRun_IsDone(run));
        double stable = spBody_GetStableStep(spRun_GetWorld(run), spRun_FindBody(run, "cloth"));
        CHECK_LESS(i < 2 ? steps[i] / (i == 0 ? 1 : 4) : 0.0, 0.85 * stable);
        spDestroyRun(run);
        runDef.stepCount = -1;
        assert_null(spCreateRun(scene, &runDef, &error));
        spDestroyScene(scene);
    }
    CHECK_LESS(steps[0], steps[1]);
    CHECK_NEAR(steps[2], 1.0 / 60.0, 1e-15);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestUniformVelocity),
        cmocka_unit_test(TestScale),
        cmocka_unit_test(TestFreeFall),
        cmocka_unit_test(TestRotation),
        cmocka_unit_test(TestFilteredSpectrum),
        cmocka_unit_test(TestPredictedStep),
        cmocka_unit_test(TestGain),
        cmocka_unit_test(TestSigns),
        cmocka_unit_test(TestAdaptive),
        cmocka_unit_test(TestHeldNodes),
        cmocka_unit_test(TestSameBits),
        cmocka_unit_test(TestBadInput),
        cmocka_unit_test(TestOutOfMemory),
#ifdef SOUPLE_HAVE_SCENE
        cmocka_unit_test(TestSceneKeys),
        cmocka_unit_test(TestAutomaticStep),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
