// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Implicit methods: the matrix of every kind and law against the elements, the solver against its tolerance,
// orders, damping, large steps, pins, rows, snapshots, workers and lanes.

#include "test/element_test.h"

#include "linear/cg.h"
#include "method/implicit_solver.h"
#include "method/system.h"
#include "testbed/worlds.h"
#include "world/world.h"

#ifdef SOUPLE_DOUBLE_PRECISION
static const double tight = 1e-11;
#else
static const double tight = 2e-5;
#endif

static spTetDef MakeTets(spTetLaw law)
{
    spTetDef def = spDefaultTetDef();
    def.law = law;
    def.youngModulus = 1e5;
    def.poissonRatio = (spReal)0.35;
    return def;
}

static spTestDef MakeTest(spMethodType type)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = type;
    return def;
}

// Largest difference of two arrays over the largest entry of the first
static double Compare(const spVec4* a, const spVec4* b, int count)
{
    double size = 0.0, difference = 0.0;
    for (int i = 0; i < count; ++i)
    {
        size = fmax(size, fmax(fabs((double)a[i].x), fmax(fabs((double)a[i].y), fabs((double)a[i].z))));
        difference = fmax(difference, fabs((double)a[i].x - (double)b[i].x));
        difference = fmax(difference, fabs((double)a[i].y - (double)b[i].y));
        difference = fmax(difference, fabs((double)a[i].z - (double)b[i].z));
    }
    return difference / size;
}

// The product of a system with d, by one of its operators, without constraints
static void Multiply(spBodySystem* s, spBody* body, bool pairs, const spVec4* d, spVec4* to)
{
    spOperator op = pairs ? spGetPairOperator(s) : spGetElementOperator(s, body);
    if (op.prepare != NULL)
    {
        op.prepare(op.context, d, NULL);
    }
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        op.multiply(op.context, d, p);
    }
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spSumSlots(op.slots, op.product, p);
    }
    s->backend->finishProduct(op.product, d, s->ownA, s->crossed ? s->ownC : NULL, op.sign, 0,
                              body->nodeCount);
    for (int i = 0; i < s->columnCount; ++i)
    {
        double along = s->backend->dot(s->columns[i].g, d, 0, body->nodeCount);
        s->backend->addScaled(op.product, (spReal)((double)s->columns[i].c * along), s->columns[i].g, 0,
                              body->nodeCount);
    }
    memcpy(to, op.product, (size_t)body->nodeCount * sizeof(spVec4));
}

// Pairs, elements and the difference of the forces give the same product; the product is symmetric; rows of
// blocks tell the same matrix
static void CheckMatrix(spBody* body, bool project, bool wind, uint64_t seed)
{
    int n = body->nodeCount;
    spFill fill = {.stiffness = (spReal)0.01, .damping = (spReal)0.1, .project = project};
    spSystemNeeds needs = {.sparse = true, .matrixFree = true, .local = true};
    spBodySystem s;
    spError error = {0};
    assert_true(spCreateBodySystem(&s, body, &fill, &needs, &error));
    spForceContext force = {.body = body, .state = spGetNodeState(body)};
    spMeasureForces(&force);
    spAssembleSystem(&s, body, &force, 1, &fill, true);
    spVec4 *d = AllocNodes(n), *e = AllocNodes(n), *a = AllocNodes(n), *b = AllocNodes(n), *c = AllocNodes(n);
    for (int i = 0; i < n; ++i)
    {
        d[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                        (spReal)spRandomRange(&seed, -1, 1), 0};
        e[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                        (spReal)spRandomRange(&seed, -1, 1), 0};
    }
    Multiply(&s, body, true, d, a);
    Multiply(&s, body, false, d, b);
    double apart = Compare(a, b, n);
    if (apart > tight)
    {
        fail_msg("pairs and elements differ by %g", apart);
    }
    // The forces themselves: what is left out of the projected system is what project leaves out there
    spVec4 *dx = AllocNodes(n), *dv = AllocNodes(n);
    for (int i = 0; i < n; ++i)
    {
        dx[i] = (spVec4){fill.stiffness * d[i].x, fill.stiffness * d[i].y, fill.stiffness * d[i].z, 0};
        dv[i] = (spVec4){fill.damping * d[i].x, fill.damping * d[i].y, fill.damping * d[i].z, 0};
    }
    EvaluateDifference(body, dx, dv, project);
    for (int i = 0; i < n; ++i)
    {
        spReal m = body->mass[i];
        c[i] = (spVec4){m * d[i].x - body->f[i].x, m * d[i].y - body->f[i].y, m * d[i].z - body->f[i].z, 0};
    }
    apart = Compare(a, c, n);
    if ((project || wind == false) && apart > tight)
    {
        fail_msg("the matrix and the difference of the forces differ by %g", apart);
    }
    // Symmetric, and as rows
    Multiply(&s, body, true, e, b);
    double ed = s.backend->dot(e, a, 0, n), de = s.backend->dot(d, b, 0, n);
    assert_true(fabs(ed - de) <= 10.0 * tight * (fabs(ed) + sqrt(s.backend->dot(a, a, 0, n))));
    if (project)
    {
        assert_true(s.backend->dot(d, a, 0, n) > 0.0);
    }
    spBlockRows rows;
    assert_true(spCreateSystemRows(&rows, &s, body->heap));
    for (int i = 0; i < n; ++i)
    {
        c[i] = (spVec4){0, 0, 0, 1}; // nothing is held
    }
    spFillSystemRows(&rows, &s, c);
    memset(b, 0, (size_t)n * sizeof(spVec4));
    for (int i = 0; i < n; ++i)
    {
        spVec3 own = spMulMV3(rows.diagonal[i], spXyz(d[i]));
        b[i] = (spVec4){b[i].x + own.x, b[i].y + own.y, b[i].z + own.z, 0};
        for (int k = rows.begin[i]; k < rows.begin[i + 1]; ++k)
        {
            int j = rows.columns[k];
            assert_true(j < i && (k == rows.begin[i] || rows.columns[k - 1] < j));
            spVec3 p = spMulMV3(rows.blocks[k], spXyz(d[j])), q = spMulTMV3(rows.blocks[k], spXyz(d[i]));
            b[i] = (spVec4){b[i].x + p.x, b[i].y + p.y, b[i].z + p.z, 0};
            b[j] = (spVec4){b[j].x + q.x, b[j].y + q.y, b[j].z + q.z, 0};
        }
    }
    for (int i = 0; i < s.columnCount; ++i)
    {
        double along = s.backend->dot(s.columns[i].g, d, 0, n);
        s.backend->addScaled(b, (spReal)((double)s.columns[i].c * along), s.columns[i].g, 0, n);
    }
    assert_true(Compare(a, b, n) <= tight);
    spDestroyRows(&rows, body->heap);
    spDestroyBodySystem(&s, body);
    free(d);
    free(e);
    free(a);
    free(b);
    free(c);
    free(dx);
    free(dv);
}

static void TestTetMatrices(void** state)
{
    SP_UNUSED(state);
    for (int law = 0; law < sp_tetLawCount; ++law)
    {
        for (int damping = 0; damping < 3; ++damping)
        {
            for (int project = 0; project < 2; ++project)
            {
                spTetDef tets = MakeTets((spTetLaw)law);
                tets.damping = damping > 0 ? (spReal)0.01 : 0;
                tets.dampingModel = damping == 1 ? sp_dampStrainRate : sp_dampRayleigh;
                spTestDef def = spDefaultTestDef();
                spTestWorld test = spBuildTetBeam(&def, 2, &tets);
                spBody* body = spGetBody(test.world, test.body);
                uint64_t seed = 5 + (uint64_t)law;
                Shake(body, 0.02, &seed);
                CheckMatrix(body, project != 0, false, 11 + (uint64_t)law);
                spDestroyTestWorld(&test);
            }
        }
    }
}

static double GetTip(const spTestWorld* test)
{
    int n = spBody_GetNodeCount(test->world, test->body);
    spVec3View x = spBody_GetPositions(test->world, test->body);
    return (double)x.data[n - 1].y;
}

// Every preconditioner and both operators solve to the tolerance, with the same shape, and the better ones
// sooner; pins carry the weight
static void TestBeam(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        spPreconditionerType preconditioner;
        spOperatorType operatorType;
        double most; // iterations
    } runs[] = {
        {sp_preconditionNone, sp_operatorAssembled, 200},
        {sp_preconditionJacobi, sp_operatorAssembled, 180},
        {sp_preconditionBlockJacobi, sp_operatorAssembled, 180},
        {sp_preconditionBlockJacobi, sp_operatorMatrixFree, 180},
        {sp_preconditionSsor, sp_operatorAssembled, 50},
        {sp_preconditionIncomplete, sp_operatorAssembled, 30},
#ifdef SOUPLE_HAVE_CHOLMOD
        {sp_preconditionCholesky, sp_operatorAssembled, 5},
        {sp_preconditionCholesky, sp_operatorMatrixFree, 5},
#endif
        {sp_preconditionAuto, sp_operatorAuto, 200},
    };
    double tip = 0.0;
    for (int k = 0; k < SP_COUNT(runs); ++k)
    {
        spTestDef def = MakeTest(sp_backwardEuler);
        def.method.solver.operatorType = runs[k].operatorType;
        def.method.solver.preconditioner = runs[k].preconditioner;
        spTetDef tets = MakeTets(sp_tetCorotational);
        tets.youngModulus = (spReal)1e6;
        spTestWorld test = spBuildTetBeam(&def, 5, &tets);
        if (test.world == NULL)
        {
            fail_msg("%s", test.error.message);
        }
        int64_t iterations = 0;
        for (int i = 0; i < 30; ++i)
        {
            assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
            iterations += spWorld_GetReport(test.world).solverIterations;
            CHECK_LESS(spWorld_GetReport(test.world).solverResidual, 1.0001e-4);
        }
        spSolverReport report = spBody_GetSolverReport(test.world, test.body);
        assert_true(report.converged && report.newtonSteps == 1);
        assert_true(runs[k].operatorType == sp_operatorAuto || report.operatorType == runs[k].operatorType);
        print_message("preconditioner %d, operator %d: %.1f iterations a step\n", (int)report.preconditioner,
                      (int)report.operatorType, (double)iterations / 30.0);
        CHECK_LESS((double)iterations / 30.0, runs[k].most);
        tip = k == 0 ? GetTip(&test) : tip;
        CHECK_NEAR(GetTip(&test), tip, 2e-4);
        spDestroyTestWorld(&test);
    }
}

// W3 with tets: a soft cube falls on the ground and comes to rest with its weight on it
static void TestDrop(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_backwardEuler, sp_bdf2, sp_imex};
    for (int k = 0; k < SP_COUNT(types); ++k)
    {
        spWorldDef worldDef = spDefaultWorldDef();
        spWorld* world = spCreateWorld(&worldDef, NULL);
        spBoxMeshDef boxDef = spDefaultBoxMeshDef();
        boxDef.size = (spDVec3){0.5, 0.5, 0.5};
        boxDef.cells[0] = boxDef.cells[1] = boxDef.cells[2] = 4;
        spMesh* mesh = spMakeBoxMesh(&boxDef, NULL);
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.mesh = mesh;
        bodyDef.transform.position.y = (spReal)0.75;
        bodyDef.method.type = types[k];
        spBodyId body = spCreateBody(world, &bodyDef);
        spTetDef tets = MakeTets(sp_tetCorotational);
        tets.damping = (spReal)0.005;
        assert_true(spBody_AddTets(world, body, &tets) >= 0);
        spDestroyMesh(mesh);
        spAddTestGround(world, (spReal)0.5, 0);
        for (int i = 0; i < 240; ++i)
        {
            assert_int_equal(spWorld_Step(world, (spReal)(1.0 / 60.0)), 0);
            spVec3View x = spBody_GetPositions(world, body);
            for (int n = 0; n < x.count; ++n)
            {
                CHECK_LESS(-1e-4, x.data[n].y);
            }
        }
        // At rest nothing is factored any more. Without a complete factor contacts are an active set, which BDF2 moves
        // now and then.
        spSolverReport before = spBody_GetSolverReport(world, body);
        bool moves = types[k] == sp_bdf2 && before.preconditioner != sp_preconditionCholesky;
        for (int i = 0; i < 60; ++i)
        {
            assert_int_equal(spWorld_Step(world, (spReal)(1.0 / 60.0)), 0);
        }
        CHECK_LESS(spBody_GetSolverReport(world, body).factorCount - before.factorCount, moves ? 6.5 : 0.5);
        double weight = 1000 * 0.125 * 9.81;
        CHECK_NEAR(spBody_GetContactForce(world, body).y, weight, 0.01 * weight);
        CHECK_LESS(spBody_GetEnergy(world, body).kinetic, 1.0); // of 613 J that it fell with
        CHECK_NEAR(spBody_GetCenter(world, body).y, 0.243, 0.002);
        spDestroyWorld(world);
    }
}

// A ball of springs, bends, gas, wind and fields
static void TestMixedMatrix(void** state)
{
    SP_UNUSED(state);
    for (int project = 0; project < 2; ++project)
    {
        spTestDef def = spDefaultTestDef();
        spTestWorld test = spBuildGasBall(&def, 2, 2, 1, 2);
        spBendDef bends = spDefaultBendDef();
        bends.stiffness = 2;
        bends.damping = (spReal)0.1;
        assert_true(spBody_AddBends(test.world, test.body, &bends) >= 0);
        spFieldDef drag = spDefaultFieldDef();
        drag.type = sp_fieldDrag;
        drag.coefficient = 2;
        assert_true(spBody_AddField(test.world, test.body, &drag) >= 0);
        drag.type = sp_fieldMassDrag;
        assert_true(spBody_AddField(test.world, test.body, &drag) >= 0);
        if (project != 0)
        {
            // The wind's own difference is that of the mean of three nodes: no pairs hold that
            spWindDef wind = spDefaultWindDef();
            wind.velocity = (spVec3){5, 2, 1};
            assert_true(spBody_AddWind(test.world, test.body, &wind) >= 0);
        }
        spBody* body = spGetBody(test.world, test.body);
        uint64_t seed = 3;
        Shake(body, 0.01, &seed);
        CheckMatrix(body, project != 0, project == 0, 17);
        spDestroyTestWorld(&test);
    }
}

// A solver works on the arrays that it is given and writes nothing of the body: a substep beside the body ends
// where a step of the body then ends
static void TestSolverBesideBody(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_backwardEuler, sp_bdf2, sp_imex, sp_quasiStatic};
    for (int k = 0; k < 4; ++k)
    {
        spTestDef def = MakeTest(types[k]);
        spTetDef tets = MakeTets(sp_tetCorotational);
        spTestWorld test = spBuildTetBeam(&def, 2, &tets);
        spBody* body = spGetBody(test.world, test.body);
        size_t size = (size_t)body->nodeCount * sizeof(spVec4);
        spVec4 *x = AllocNodes(body->nodeCount), *v = AllocNodes(body->nodeCount);
        spVec4 *oldX = AllocNodes(body->nodeCount), *oldV = AllocNodes(body->nodeCount);
        uint64_t seed = 5;
        Shake(body, 0.01, &seed);
        spUpdateHeldNodes(body);
        memcpy(x, body->x, size);
        memcpy(v, body->v, size);
        memcpy(oldX, body->x, size);
        memcpy(oldV, body->v, size);
        spBody old;
        memcpy(&old, body, sizeof(old));

        spError error = {0};
        spImplicitDef solverDef = {.type = types[k], .solver = body->methodDef.solver};
        spImplicitSolver* solver = spCreateImplicitSolver(body, &solverDef, &error);
        assert_non_null(solver);
        assert_true(spPrepareSolver(solver, body, 0));
        spSolverReport report = spStartReport(solver);
        spStop stop = {.after = -1};
        spReal h = (spReal)(1.0 / 60.0);
        spSubstepProblem problem = {.x = x,
                                    .v = v,
                                    .h = h,
                                    .time = body->time + (double)h,
                                    .gravity = spWorld_GetGravity(test.world),
                                    .stepDt = h,
                                    .stop = &stop,
                                    .report = &report};
        spSubstepResult result = spSolveImplicitSubstep(solver, body, &problem);
        spDestroyImplicitSolver(solver, body);
        assert_int_equal(result.flags, 0);
        assert_true(report.converged && report.iterations > 0);
        assert_memory_equal(body, &old, sizeof(old));
        assert_memory_equal(body->x, oldX, size);
        assert_memory_equal(body->v, oldV, size);
        assert_memory_not_equal(body->x, x, size);

        assert_int_equal(spWorld_Step(test.world, h), 0);
        assert_memory_equal(body->x, x, size);
        assert_memory_equal(body->v, v, size);
        assert_int_equal(body->solverReport.iterations, report.iterations);
        assert_true(result.pinForce.y != 0);
        assert_memory_equal(&body->pinForce, &result.pinForce, sizeof(spVec3));
        free(x);
        free(v);
        free(oldX);
        free(oldV);
        spDestroyTestWorld(&test);
    }
}

// Rotations of nodes by shape matching: that of a body that was turned as a whole, about two axes, is found
// in every node, of tets, of springs, and of a flat cloth
static void TestTurns(void** state)
{
    SP_UNUSED(state);
    for (int k = 0; k < 3; ++k)
    {
        spTestDef def = spDefaultTestDef();
        spTetDef tets = MakeTets(sp_tetCorotational);
        spTestWorld test = k == 0   ? spBuildTetBeam(&def, 2, &tets)
                           : k == 1 ? spBuildSpringBeam(&def, 2)
                                    : spBuildSpringCloth(&def, 10, 100, 0);
        spBody* body = spGetBody(test.world, test.body);
        int n = body->nodeCount;
        uint64_t seed = 9;
        Shake(body, 0.01, &seed);
        spFill fill = {.stiffness = 1, .project = true};
        spSystemNeeds needs = {.sparse = true};
        spBodySystem s;
        spError error = {0};
        assert_true(spCreateBodySystem(&s, body, &fill, &needs, &error));
        int count = n + s.sparse.slots.slotCount;
        spVec4* now = AllocNodes(n);
        spVec4* sums[3] = {AllocNodes(count), AllocNodes(count), AllocNodes(count)};
        spMat3* turns = malloc((size_t)n * sizeof(spMat3));
        // A quarter about x, then 70 degrees about y, and a shift
        const double c = cos(1.2217), d = sin(1.2217);
        for (int i = 0; i < n; ++i)
        {
            double x = (double)body->x[i].x, y = -(double)body->x[i].z, z = (double)body->x[i].y;
            now[i] = (spVec4){(spReal)(c * x + d * z + 1.0), (spReal)(y - 2.0), (spReal)(-d * x + c * z), 0};
        }
        for (int p = 0; p < s.sparse.patchCount; ++p)
        {
            s.backend->sumTurns(&s.sparse, body->x, now, p, sums);
        }
        for (int p = 0; p < s.sparse.patchCount; ++p)
        {
            for (int column = 0; column < 3; ++column)
            {
                spSumSlots(&s.sparse.slots, sums[column], p);
            }
            s.backend->findTurns(sums, body->order.patchBegin[p], body->order.patchBegin[p + 1], turns);
        }
        const double want[9] = {c, 0, -d, d, 0, c, 0, -1, 0}; // by columns
        double worst = 0.0, skew = 0.0;
        for (int i = 0; i < n; ++i)
        {
            spMat3 square = spMulTMat3(turns[i], turns[i]);
            skew = fmax(skew, fabs((double)spTrace3(square) - 3.0));
            for (int j = 0; j < 9; ++j)
            {
                worst = fmax(worst, fabs((double)(&turns[i].cx.x)[j] - want[j]));
            }
        }
        print_message("rotations off by %.2g, not orthonormal by %.2g\n", worst, skew);
        CHECK_LESS(worst, sizeof(spReal) == 8 ? 1e-6 : 2e-4);
        CHECK_LESS(skew, sizeof(spReal) == 8 ? 1e-6 : 1e-4);
        for (int column = 0; column < 3; ++column)
        {
            free(sums[column]);
        }
        free(now);
        free(turns);
        spDestroyBodySystem(&s, body);
        spDestroyTestWorld(&test);
    }
}

// Several linearisations: nodes that are driven, held rigidly or by springs come to where they should, in
// steps without inertia and with it
static void TestHands(void** state)
{
    SP_UNUSED(state);
    for (int k = 0; k < 6; ++k)
    {
        spTestDef def = MakeTest(k < 3 ? sp_quasiStatic : sp_backwardEuler);
        def.method.solver.newtonSteps = k < 3 ? 0 : 10;
        def.method.solver.newtonTolerance = (spReal)1e-3;
        spTetDef tets = MakeTets(sp_tetCorotational);
        tets.damping = (spReal)0.05;
        spTestWorld test = spBuildTetBeam(&def, 2, &tets);
        spWorld_SetGravity(test.world, (spVec3){0, 0, 0});
        int n = spBody_GetNodeCount(test.world, test.body);
        int32_t tip = n - 5;
        spVec3 start = spBody_GetPositions(test.world, test.body).data[tip];
        spLinkDef linkDef = spDefaultLinkDef();
        linkDef.body = test.body;
        linkDef.nodes = &tip;
        linkDef.nodeCount = 1;
        linkDef.stiffness = k % 3 == 2 ? 200 : 0;
        spLinkId link = {0};
        if (k % 3 != 0)
        {
            link = spCreateLink(test.world, &linkDef);
            assert_false(SP_IS_NULL(link));
        }
        const int steps = 60;
        for (int i = 1; i <= steps; ++i)
        {
            double way = -0.2 * fmin(1.0, 2.0 * i / steps);
            spVec3 place = {start.x, start.y + (spReal)way, start.z};
            assert_true(k % 3 == 0 ? spBody_DriveNode(test.world, test.body, tip, place)
                                   : spLink_MoveTo(test.world, link, (spVec3){0, (spReal)way, 0}));
            uint32_t flags = spWorld_Step(test.world, (spReal)(1.0 / 60.0));
            assert_int_equal(flags, 0);
        }
        spVec3 end = spBody_GetPositions(test.world, test.body).data[tip];
        double sunk = (double)start.y - (double)end.y;
        print_message("hand %d: %.6f m\n", k, sunk);
        if (k % 3 != 2)
        {
            CHECK_NEAR(sunk, 0.2, 1e-5);
        }
        else
        {
            // Where the spring and the beam pull alike
            CHECK_NEAR(200.0 * (0.2 - sunk), -(double)spLink_GetForce(test.world, link).y, 0.5);
            CHECK_LESS(sunk, 0.19);
            CHECK_LESS(0.01, sunk);
        }
        spDestroyTestWorld(&test);
    }
}

// What cannot work is refused with a sentence
static void TestBadInput(void** state)
{
    SP_UNUSED(state);
    spTestDef def = MakeTest(sp_backwardEuler);
    spTetDef tets = MakeTets(sp_tetLinear);
    spTestWorld test = spBuildTetBeam(&def, 1, &tets);
    spMethodDef bad[9];
    for (int i = 0; i < SP_COUNT(bad); ++i)
    {
        bad[i] = def.method;
    }
    bad[0].solver.tolerance = 0;
    bad[1].solver.tolerance = NAN;
    bad[2].solver.maxIterations = 0;
    bad[3].solver.newtonSteps = -1;
    bad[4].solver.preconditioner = sp_preconditionerTypeCount;
    bad[5].solver.operatorType = sp_operatorTypeCount;
    bad[6].filter.type = sp_filterGaussian;
    bad[7].solver.age = -1;
    bad[8].solver.newtonTolerance = INFINITY;
    for (int i = 0; i < SP_COUNT(bad); ++i)
    {
        assert_false(spBody_SetMethod(test.world, test.body, bad + i));
        assert_true(strlen(spWorld_GetLastError(test.world).message) > 20);
        assert_int_equal(spBody_GetMethod(test.world, test.body).type, sp_backwardEuler);
    }
    assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
    // A solver that may not iterate enough says so
    spMethodDef hasty = def.method;
    hasty.solver.preconditioner = sp_preconditionNone;
    hasty.solver.maxIterations = 2;
    assert_true(spBody_SetMethod(test.world, test.body, &hasty));
    assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), sp_stepSolverStopped);
    spSolverReport report = spBody_GetSolverReport(test.world, test.body);
    assert_false(report.converged);
    assert_int_equal(report.iterations, 2);
    CHECK_LESS(1e-4, report.residual);
    spDestroyTestWorld(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestTetMatrices), cmocka_unit_test(TestMixedMatrix),
        cmocka_unit_test(TestBeam),        cmocka_unit_test(TestDrop),
        cmocka_unit_test(TestTurns),       cmocka_unit_test(TestHands),
        cmocka_unit_test(TestBadInput),    cmocka_unit_test(TestSolverBesideBody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
