// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The backend: the array operations of the CPU against plain loops in double; and one that is closed to all but its own
// operations, for what a step asks of it.

#include "test/guarded_backend.h"
#include "testbed/random.h"
#include "testbed/worlds.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODES 133

#ifdef SOUPLE_DOUBLE_PRECISION
#define ROUNDING 4e-16
#else
#define ROUNDING 4e-7
#endif

// Aligned as the body's arrays are
typedef struct Arrays
{
    spVec4 x[NODES], v[NODES], f[NODES], stageX[NODES], stageV[NODES], sumX[NODES], sumV[NODES];
} Arrays;

static spVec4 RandomNode(uint64_t* seed, double w)
{
    return (spVec4){(spReal)spRandomRange(seed, -1, 1), (spReal)spRandomRange(seed, -1, 1),
                    (spReal)spRandomRange(seed, -1, 1), (spReal)w};
}

static void FillArrays(Arrays* a, uint64_t seed)
{
    for (int i = 0; i < NODES; ++i)
    {
        // Every fifth node is held: its inverse mass is 0
        a->x[i] = RandomNode(&seed, i % 5 == 0 ? 0.0 : spRandomRange(&seed, 0.1, 2.0));
        a->v[i] = RandomNode(&seed, 0.0);
        a->f[i] = RandomNode(&seed, 0.0);
        a->stageX[i] = RandomNode(&seed, 0.0);
        a->stageX[i].w = a->x[i].w;
        a->stageV[i] = RandomNode(&seed, 0.0);
        a->sumX[i] = RandomNode(&seed, 0.0);
        a->sumV[i] = RandomNode(&seed, 0.0);
    }
}

static double Get(const spVec4* a, int i, int k)
{
    return k == 0 ? (double)a[i].x : k == 1 ? (double)a[i].y : (double)a[i].z;
}

// The same operation in double, component by component
typedef enum Sample
{
    sampleDrift,
    sampleKickDrift,
    sampleDriftKick,
    sampleRungeStage,
    sampleRungeFinish,
    sampleCopy,
    sampleCount
} Sample;

static void TestBackendOperations(void** state)
{
    SP_UNUSED(state);
    const spBackend* backend = spFindBackend(1);
    const double h = (double)(spReal)0.37, hx = (double)(spReal)0.21, weight = 2.0;
    const int ranges[][2] = {{0, NODES}, {0, 0}, {5, 6}, {17, 64}, {NODES - 1, NODES}};
    for (int r = 0; r < SP_COUNT(ranges); ++r)
    {
        int begin = ranges[r][0], end = ranges[r][1];
        for (int sample = 0; sample < sampleCount; ++sample)
        {
            static Arrays before, after;
            FillArrays(&before, 1000 + (uint64_t)sample);
            after = before;
            spRungeArrays arrays = {after.stageX, after.stageV, after.sumX, after.sumV};
            switch (sample)
            {
                case sampleDrift:
                    backend->drift(after.x, after.v, (spReal)h, begin, end);
                    break;
                case sampleKickDrift:
                    backend->kickDrift(after.x, after.v, after.f, (spReal)h, (spReal)hx, begin, end);
                    break;
                case sampleDriftKick:
                    backend->driftKick(after.x, after.v, after.f, (spReal)h, begin, end);
                    break;
                case sampleRungeStage:
                    backend->rungeStage(after.x, after.v, after.f, &arrays, (spReal)weight, (spReal)h, begin,
                                        end);
                    break;
                case sampleRungeFinish:
                    backend->rungeFinish(after.x, after.v, &arrays, (spReal)h, begin, end);
                    break;
                default:
                    backend->copy(after.sumX, after.f, begin, end);
                    break;
            }
            for (int i = 0; i < NODES; ++i)
            {
                bool inside = i >= begin && i < end;
                double w = (double)before.x[i].w;
                // The inverse mass never changes, and the fourth numbers of the others stay 0
                assert_true(after.x[i].w == before.x[i].w && after.stageX[i].w == before.x[i].w);
                assert_true(after.v[i].w == 0 && after.f[i].w == 0 && after.stageV[i].w == 0 &&
                            after.sumX[i].w == 0 && after.sumV[i].w == 0);
                for (int k = 0; k < 3; ++k)
                {
                    double x = Get(before.x, i, k), v = Get(before.v, i, k), f = Get(before.f, i, k);
                    double stageX = Get(before.stageX, i, k), stageV = Get(before.stageV, i, k);
                    double sumX = Get(before.sumX, i, k), sumV = Get(before.sumV, i, k);
                    switch (inside ? sample : sampleCount)
                    {
                        case sampleDrift:
                            x += h * v;
                            break;
                        case sampleKickDrift:
                            v += h * w * f;
                            x += hx * v;
                            break;
                        case sampleDriftKick:
                            x += h * v;
                            v += h * w * f;
                            break;
                        case sampleRungeStage:
                            sumX += weight * stageV;
                            sumV += weight * w * f;
                            stageX = x + h * stageV;
                            stageV = v + h * w * f;
                            break;
                        case sampleRungeFinish:
                            x += h * sumX;
                            v += h * sumV;
                            break;
                        case sampleCopy:
                            sumX = f;
                            break;
                        default:
                            break;
                    }
                    double slack = inside && sample != sampleCopy ? 8 * ROUNDING : 0.0;
                    CHECK_NEAR(Get(after.x, i, k), x, slack);
                    CHECK_NEAR(Get(after.v, i, k), v, slack);
                    CHECK_NEAR(Get(after.f, i, k), f, 0.0);
                    CHECK_NEAR(Get(after.stageX, i, k), stageX, slack);
                    CHECK_NEAR(Get(after.stageV, i, k), stageV, slack);
                    CHECK_NEAR(Get(after.sumX, i, k), sumX, slack);
                    CHECK_NEAR(Get(after.sumV, i, k), sumV, slack);
                }
            }
        }
    }
}

static void TestBackendFindsWhatIsNotFinite(void** state)
{
    SP_UNUSED(state);
    const spBackend* backend = spFindBackend(spGetBestLaneCount());
    static Arrays a;
    FillArrays(&a, 3);
    a.x[4].x = (spReal)3e38; // large is fine
    assert_true(backend->isFinite(a.x, 0, NODES));
    assert_true(backend->isFinite(a.x, 9, 9));
    const spReal bad[] = {(spReal)NAN, (spReal)INFINITY, (spReal)-INFINITY};
    for (int k = 0; k < SP_COUNT(bad); ++k)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            for (int node = 0; node < NODES; node += 11)
            {
                spVec4 saved = a.x[node];
                spReal* place = axis == 0 ? &a.x[node].x : axis == 1 ? &a.x[node].y : &a.x[node].z;
                *place = bad[k];
                assert_false(backend->isFinite(a.x, 0, NODES));
                assert_false(backend->isFinite(a.x, node, node + 1));
                assert_true(backend->isFinite(a.x, 0, node));
                assert_true(backend->isFinite(a.x, node + 1, NODES));
                a.x[node] = saved;
            }
        }
    }
}

// Arrays that close and open cost two system calls an operation: the first steps, the last, and some between
static bool IsClosedStep(int step, int stepCount)
{
    return step < 2 || step % 16 == 0 || step == stepCount - 1;
}

// What a step asks of the backend, for every method, on a body of one patch and on one of many
static void TestCallsOfAStep(void** state)
{
    SP_UNUSED(state);
    const int sizes[2] = {8, 80};
    for (int k = 0; k < 2; ++k)
    {
        for (int run = 0; run < 2 * sp_backwardEuler; ++run)
        {
            // Anew each time: an operation opens and closes all arrays that were ever given out
            MakeGuardedBackend();
            const int substeps = 5;
            int type = run / 2;
            bool filtered = run % 2 == 1;
            spTestDef def = spDefaultTestDef();
            def.method.type = (spMethodType)type;
            def.method.substeps = substeps;
            def.method.filter.type = filtered ? sp_filterExponential : sp_filterNone;
            spTestWorld plain = spBuildLattice(&def, sizes[k], 400, (spReal)0.1, (spReal)0.001);
            spTestWorld counted = spBuildLattice(&def, sizes[k], 400, (spReal)0.1, (spReal)0.001);
            spAddTestGround(plain.world, (spReal)0.5, 0);
            spAddTestGround(counted.world, (spReal)0.5, 0);
            spBody* body = spGetBody(counted.world, counted.body);
            assert_ptr_equal(body->backend, s_guard.cpu);
            GuardBody(counted.world, counted.body);
            int patches = body->order.patchCount;
            int64_t nodeBytes = (int64_t)body->nodeCount * (int64_t)sizeof(spVec4);
            assert_true(k == 0 ? patches == 1 : patches > 3);
            const int steps = 50;
            for (int step = 0; step < steps; ++step)
            {
                spWorld_Step(plain.world, (spReal)1e-3);
                ResetCounts();
                if (IsClosedStep(step, steps))
                {
                    CloseArrays();
                }
                spWorld_Step(counted.world, (spReal)1e-3);
                OpenArrays();
                bool euler = type == sp_symplecticEuler, runge = type == sp_rungeKutta4;
                bool verlet = type == sp_verlet, forward = type == sp_forwardEuler;
                bool local = type == sp_localImplicit;
                int each = substeps * patches;
                assert_int_equal(s_guard.calls[op_kickDrift],
                                 (euler || verlet) && filtered == false ? each : 0);
                assert_int_equal(s_guard.calls[op_driftKick], forward && filtered == false ? each : 0);
                assert_int_equal(s_guard.calls[op_kick], (euler || verlet || forward) && filtered ? each : 0);
                assert_int_equal(s_guard.calls[op_kickSolve], local ? each : 0);
                assert_int_equal(s_guard.calls[op_filterDrift], filtered ? each : 0);
                int rotations = s_guard.calls[op_sumRotation] + s_guard.calls[op_takeRotation];
                assert_in_range(rotations, filtered ? each + substeps : 0, filtered ? 2 * each : 0);
                assert_int_equal(s_guard.calls[op_rungeStage], runge ? 4 * substeps * patches : 0);
                assert_int_equal(s_guard.calls[op_rungeFinish], runge ? substeps * patches : 0);
                // Drifts, copies and checks may take several patches in one call, but touch every node once.
                // The state before the step is kept, and the one after it checked
                bool drifts = verlet || (forward && filtered) || (local && filtered == false);
                assert_in_range(s_guard.calls[op_drift], drifts ? substeps : 0, drifts ? each : 0);
                int copies = runge ? (filtered ? 3 : 2) : 0;
                assert_in_range(s_guard.calls[op_copy], 2 + copies * substeps, 2 + copies * each);
                assert_in_range(s_guard.calls[op_isFinite], 2, 2 * patches);
                int64_t arrays = 2 * 2 + 2;
                arrays += substeps * (runge ? 4 * 7 + 4 : filtered || local ? 4 : 3);
                arrays += substeps * (2 * copies + (drifts ? 2 : 0) + (filtered ? 2 * 2 + 3 : 0));
                const Operation moves[] = {op_drift,       op_kickDrift,    op_driftKick, op_rungeStage,
                                           op_rungeFinish, op_kick,         op_kickSolve, op_filterDrift,
                                           op_sumRotation, op_takeRotation, op_copy,      op_isFinite};
                int64_t bytes = 0;
                for (int i = 0; i < SP_COUNT(moves); ++i)
                {
                    bytes += s_guard.bytes[moves[i]];
                }
                assert_int_equal(bytes, arrays * nodeBytes);
            }
            assert_true(body->rowCount > 0);
            // Nothing but the table changed: the same bits
            assert_true(spWorld_GetStateHash(plain.world) == spWorld_GetStateHash(counted.world));
            spDestroyTestWorld(&plain);
            spDestroyTestWorld(&counted);
            FreeGuardedBackend();
        }
    }
}

// ---- a step touches state through the table alone ----

typedef spTestWorld BuildFcn(const spTestDef* def);

static spTestWorld BuildSprings(const spTestDef* def)
{
    return spBuildSpringBeam(def, 4);
}

static spTestWorld BuildTets(const spTestDef* def)
{
    spTetDef tets = spDefaultTetDef();
    return spBuildTetBeam(def, 4, &tets);
}

static spTestWorld BuildBall(const spTestDef* def)
{
    return spBuildGasBall(def, 2, 2, 1, 1);
}

static spTestWorld BuildDistances(const spTestDef* def)
{
    return spBuildDistanceBeam(def, 3);
}

static spTestWorld BuildLevels(const spTestDef* def)
{
    spTestWorld test = {.gas = -1};
    spMesh* meshes[2];
    for (int i = 0; i < 2; ++i)
    {
        spBoxMeshDef box = spDefaultBoxMeshDef();
        box.size = (spDVec3){1.0, 0.25, 0.25};
        box.cells[0] = i == 0 ? 4 : 9;
        box.cells[1] = box.cells[2] = i == 0 ? 1 : 3;
        meshes[i] = spMakeBoxMesh(&box, NULL);
    }
    spWorldDef worldDef = spDefaultWorldDef();
    test.world = spCreateWorld(&worldDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = meshes[1];
    bodyDef.levels = (const spMesh* const*)meshes;
    bodyDef.levelCount = 1;
    bodyDef.method = def->method;
    bodyDef.method.levels.splitError = (spReal)1e-5;
    test.body = spCreateBody(test.world, &bodyDef);
    spTetDef tets = spDefaultTetDef();
    assert_int_equal(spBody_AddTets(test.world, test.body, &tets), 0);
    assert_true(spBody_PinNodes(test.world, test.body, (int32_t[]){0, 10, 20, 30}, 4));
    spDestroyMesh(meshes[0]);
    spDestroyMesh(meshes[1]);
    return test;
}

typedef struct Guarded
{
    const char* name;
    BuildFcn* build;
    spMethodType type;
    void (*change)(spMethodDef* def);
} Guarded;

static void TakeFew(spMethodDef* def)
{
    def->substeps = 4;
}

static void Filter(spMethodDef* def)
{
    def->filter.type = sp_filterExponential;
    def->filter.keepRotation = true;
}

static void Sweep(spMethodDef* def)
{
    def->xpbd.solver = sp_xpbdGaussSeidel;
}

static void SweepAnderson(spMethodDef* def)
{
    def->xpbd.solver = sp_xpbdGaussSeidel;
    def->xpbd.accelerator = sp_accelerateAnderson;
}

static void SweepJacobi(spMethodDef* def)
{
    def->xpbd.solver = sp_xpbdJacobi;
    def->xpbd.accelerator = sp_accelerateChebyshev;
}

static void SolveFree(spMethodDef* def)
{
    def->solver.operatorType = sp_operatorMatrixFree;
    def->solver.preconditioner = sp_preconditionNone;
}

static void SolveLocal(spMethodDef* def)
{
    def->solver.preconditioner = sp_preconditionBlockJacobi;
    def->solver.newtonSteps = 4;
}

static void SolveLevels(spMethodDef* def)
{
    def->solver.preconditioner = sp_preconditionMultilevel;
}

static const Guarded s_guardedCases[] = {
    {"symplectic Euler, springs", BuildSprings, sp_symplecticEuler, NULL},
    {"forward Euler, springs", BuildSprings, sp_forwardEuler, TakeFew},
    {"Verlet, springs", BuildSprings, sp_verlet, NULL},
    {"Runge-Kutta, springs", BuildSprings, sp_rungeKutta4, NULL},
    {"local implicit, springs", BuildSprings, sp_localImplicit, NULL},
    {"symplectic Euler, tets", BuildTets, sp_symplecticEuler, NULL},
    {"symplectic Euler, tets, filtered", BuildTets, sp_symplecticEuler, Filter},
    {"Verlet, gas ball", BuildBall, sp_verlet, NULL},
    {"Verlet, gas ball, filtered", BuildBall, sp_verlet, Filter},
    {"XPBD, tets", BuildTets, sp_xpbd, Sweep},
    {"XPBD, gas ball", BuildBall, sp_xpbd, Sweep},
    {"XPBD, distances, Anderson", BuildDistances, sp_xpbd, SweepAnderson},
    {"XPBD that chooses, tets", BuildTets, sp_xpbd, NULL},
    {"backward Euler, tets", BuildTets, sp_backwardEuler, NULL},
    {"backward Euler, tets, matrix-free", BuildTets, sp_backwardEuler, SolveFree},
    {"backward Euler, tets, block Jacobi", BuildTets, sp_backwardEuler, SolveLocal},
    {"backward Euler, tets, multilevel", BuildTets, sp_backwardEuler, SolveLevels},
    {"backward Euler, gas ball", BuildBall, sp_backwardEuler, SolveLevels},
    {"BDF2, tets", BuildTets, sp_bdf2, NULL},
    {"IMEX, springs", BuildSprings, sp_imex, NULL},
    {"quasi-static, tets", BuildTets, sp_quasiStatic, NULL},
    {"XPBD, distances, Jacobi, Chebyshev", BuildDistances, sp_xpbd, SweepJacobi},
    {"rigid, tets", BuildTets, sp_rigid, NULL},
    {"multiresolution, tets", BuildLevels, sp_multiresolution, NULL},
};

// Who goes past the table is found
static void TestClosedArraysAreClosed(void** state)
{
    SP_UNUSED(state);
    MakeGuardedBackend();
    spTestDef def = spDefaultTestDef();
    spTestWorld test = BuildSprings(&def);
    GuardBody(test.world, test.body);
    const volatile spVec4* x = spGetBody(test.world, test.body)->x;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        signal(SIGSEGV, SIG_DFL);
        CloseArrays();
        _exit(x[0].w == 2 ? 1 : 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    spDestroyTestWorld(&test);
    FreeGuardedBackend();
}

// What is covered: all methods on bodies without contact, links and driven nodes. Explicit methods with contact are
// in TestCallsOfAStep.
static void TestStateIsTouchedThroughTheTableAlone(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; i < SP_COUNT(s_guardedCases); ++i)
    {
        const Guarded* c = s_guardedCases + i;
        MakeGuardedBackend();
        spTestDef def = spDefaultTestDef();
        def.method.type = c->type;
        if (c->change != NULL)
        {
            c->change(&def.method);
        }
        spTestWorld plain = c->build(&def), guarded = c->build(&def);
        assert_non_null(plain.world);
        assert_non_null(guarded.world);
        spError error = {0};
        spMethodDef again = spGetBody(plain.world, plain.body)->methodDef;
        assert_true(spSetBodyMethod(spGetBody(plain.world, plain.body), &again, &error));
        GuardBody(guarded.world, guarded.body);
        int calls = 0;
        int64_t bytes = 0;
        const int steps = 40;
        ResetCounts();
        for (int step = 0; step < steps; ++step)
        {
            spWorld_Step(plain.world, (spReal)2e-3);
            if (IsClosedStep(step, steps))
            {
                CloseArrays();
            }
            spWorld_Step(guarded.world, (spReal)2e-3);
            OpenArrays();
        }
        for (int k = 0; k < op_count; ++k)
        {
            calls += s_guard.calls[k];
            bytes += s_guard.bytes[k];
        }
        print_message("%-36s %6d nodes, %7.1f calls and %9.1f kB a step\n", c->name,
                      spGetBody(guarded.world, guarded.body)->nodeCount, (double)calls / steps,
                      1e-3 * (double)bytes / steps);
        assert_int_equal(s_guard.calls[op_advance], steps);
        // Elements of a rigid body exert nothing
        assert_true((c->type == sp_rigid || s_guard.calls[op_elements] >= steps) && bytes > 0);
        assert_true(spWorld_GetStateHash(plain.world) == spWorld_GetStateHash(guarded.world));
        spDestroyTestWorld(&plain);
        spDestroyTestWorld(&guarded);
        FreeGuardedBackend();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBackendOperations),
        cmocka_unit_test(TestBackendFindsWhatIsNotFinite),
        cmocka_unit_test(TestCallsOfAStep),
        cmocka_unit_test(TestClosedArraysAreClosed),
        cmocka_unit_test(TestStateIsTouchedThroughTheTableAlone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
