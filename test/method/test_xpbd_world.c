// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// XPBD in a world: the same bits for any workers, snapshots in the middle of a run, methods, materials and
// time steps that change, budgets and their decisions, memory. Also runs under the thread sanitizer.

#include "base/core.h"
#include "test/memory_test.h"
#include "testbed/bent_beam.h"
#include "testbed/check.h"

#include <stdlib.h>

#define MAX_DECISIONS 16

static const spReal frame = (spReal)(1.0 / 60.0);

// Builds with asserts and sanitizers are slow
#ifdef NDEBUG
static const int pace = 1;
#else
static const int pace = 4;
#endif

static spMethodDef MakeMethod(spXpbdSolver solver, spAccelerator accelerator, int iterations)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_xpbd;
    method.xpbd.solver = solver;
    method.xpbd.accelerator = accelerator;
    method.xpbd.iterations = iterations;
    return method;
}

// What solves a substep
typedef enum Way
{
    wayGaussSeidel,
    wayAnderson,
    wayColours, // plain sweeps in the order of a graph colouring
    waySweeps,  // the automatic solver, where sweeps are enough
    wayLocal,   // with Newton's method, preconditioned node by node
    wayWhole,   // with a factor or several levels
    wayCount
} Way;

static const char* const wayNames[wayCount] = {"gaussSeidel",  "anderson",    "colours",
                                               "auto, sweeps", "auto, local", "auto, whole"};

static const double wayModuli[wayCount] = {1e5, 1e5, 1e5, 1e3, 1e6, 3e7};

static spMethodDef MakeWay(Way way, int iterations)
{
    spMethodDef method =
        MakeMethod(way < waySweeps ? sp_xpbdGaussSeidel : sp_xpbdAuto,
                   way == wayAnderson ? sp_accelerateAnderson : sp_accelerateNone, iterations);
    method.xpbd.order = way == wayColours ? sp_xpbdColours : sp_xpbdZones;
    return method;
}

static void CheckWay(const spTestWorld* test, Way way)
{
    spSolverReport report = spBody_GetSolverReport(test->world, test->body);
    bool local = report.preconditioner == sp_preconditionBlockJacobi;
    Way taken = report.sweeping ? waySweeps : local ? wayLocal : wayWhole;
    assert_int_equal(taken, way < waySweeps ? waySweeps : way);
}

// A block with one end held that falls: three patches and a dozen zones
static spTestWorld MakeBlock(Way way, int workers, int iterations)
{
    spTestDef def = spDefaultTestDef();
    def.workerCount = workers;
    def.method = MakeWay(way, iterations);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)wayModuli[way];
    spTestWorld test = spBuildTetBlock(&def, 12, &tets);
    assert_non_null(test.world);
    return test;
}

// A step in which sweeps may leave force over, and say so
static void CheckStep(const spTestWorld* test, spReal dt)
{
    assert_int_equal(spWorld_Step(test->world, dt) & ~(uint32_t)sp_stepSolverStopped, 0);
}

static void Run(const spTestWorld* test, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        CheckStep(test, frame);
    }
}

static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    const int workers[] = {1, 2, 3, 8};
    for (Way way = wayGaussSeidel; way < wayCount; ++way)
    {
        uint64_t first = 0;
        for (int i = 0; i < SP_COUNT(workers); ++i)
        {
            spTestWorld test = MakeBlock(way, workers[i], 20);
            Run(&test, 8 / pace);
            CheckWay(&test, way);
            uint64_t hash = spWorld_GetStateHash(test.world);
            first = i == 0 ? hash : first;
            if (hash != first)
            {
                fail_msg("%s: other bits with %d workers", wayNames[way], workers[i]);
            }
            spDestroyTestWorld(&test);
        }
    }
}

// Back in the same world and in another one, which has made no step
static void TestSnapshot(void** state)
{
    SP_UNUSED(state);
    int before = pace == 1 ? 8 : 4, after = pace == 1 ? 14 : 4;
    for (Way way = wayGaussSeidel; way < wayCount; ++way)
    {
        spTestWorld tests[2] = {MakeBlock(way, 1, 20), MakeBlock(way, 2, 20)};
        Run(tests, before);
        spSnapshot* snapshot = spWorld_Save(tests[0].world);
        assert_non_null(snapshot);
        Run(tests, after);
        uint64_t hash = spWorld_GetStateHash(tests[0].world);
        for (int k = 0; k < 2; ++k)
        {
            if (spWorld_Restore(tests[k].world, snapshot) == false)
            {
                fail_msg("%s: %s", wayNames[way], spWorld_GetLastError(tests[k].world).message);
            }
            assert_true(spWorld_GetStateHash(tests[k].world) != hash);
            Run(tests + k, after);
            if (spWorld_GetStateHash(tests[k].world) != hash)
            {
                fail_msg("%s: other bits after restoring in %s world", wayNames[way],
                         k == 0 ? "the same" : "another");
            }
            spDestroyTestWorld(tests + k);
        }
        spDestroySnapshot(snapshot);
    }
}

// ---- what changes between steps ----

static spBentBeamDef MakeBeamDef(Way way, const spAllocator* allocator)
{
    spBentBeamDef def = spDefaultBentBeamDef();
    def.test.method = MakeWay(way, 20);
    def.allocator = allocator;
    def.gravity = 9.81;
    // For the small beam at 1/60 s
    const double moduli[wayCount] = {1e4, 1e4, 1e4, 1e3, 3e4, 1e7};
    def.young = moduli[way];
    return def;
}

static spTestWorld MakeBeam(Way way, const spAllocator* allocator)
{
    spBentBeamDef def = MakeBeamDef(way, allocator);
    spTestWorld test = spBuildBentBeam(&def);
    assert_non_null(test.world);
    return test;
}

// Finite, and no farther than a beam that swings can get
static void CheckNear(const spTestWorld* test)
{
    spVec3View x = spBody_GetPositions(test->world, test->body);
    for (int i = 0; i < x.count; ++i)
    {
        double way = hypot(hypot((double)x.data[i].x, (double)x.data[i].y), (double)x.data[i].z);
        CHECK_LESS(way, 0.3);
    }
}

// A snapshot before the first step, when nothing is known of the body yet: to take it changes nothing, and to
// go back to it gives the same run
static void TestEarlySnapshot(void** state)
{
    SP_UNUSED(state);
    for (int way = 0; way < wayCount; ++way)
    {
        spTestWorld plain = MakeBlock((Way)way, 1, 10), saved = MakeBlock((Way)way, 1, 10);
        spSnapshot* snapshot = spWorld_Save(saved.world);
        assert_non_null(snapshot);
        Run(&plain, 4);
        CheckWay(&plain, (Way)way);
        for (int round = 0; round < 2; ++round)
        {
            Run(&saved, 4);
            assert_true(spWorld_GetStateHash(saved.world) == spWorld_GetStateHash(plain.world));
            assert_true(spWorld_Restore(saved.world, snapshot));
        }
        spDestroySnapshot(snapshot);
        spDestroyTestWorld(&saved);
        spDestroyTestWorld(&plain);
    }
}

// A second body, of so many nodes along x
static void AddBar(const spTestWorld* test, int count)
{
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.cells[0] = count;
    spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.touches = 0; // it lies in the block
    assert_false(SP_IS_NULL(spCreateBody(test->world, &def)));
    spDestroyMesh(mesh);
}

// A snapshot whose first body was solved by another way, and whose second has another shape: it is looked
// through before it is refused, and that changes nothing, not even what the solver remembers
static void TestRefusedSnapshot(void** state)
{
    SP_UNUSED(state);
    for (int way = waySweeps; way < wayCount; ++way)
    {
        spTestWorld plain = MakeBlock((Way)way, 1, 10), asked = MakeBlock((Way)way, 1, 10);
        AddBar(&plain, 1);
        AddBar(&asked, 1);
        Run(&plain, 4);
        Run(&asked, 4);
        for (int other = waySweeps; other < wayCount; other += pace)
        {
            spTestWorld source = MakeBlock((Way)other, 1, 10);
            AddBar(&source, 2);
            Run(&source, 2);
            spSnapshot* snapshot = spWorld_Save(source.world);
            assert_false(spWorld_Restore(asked.world, snapshot));
            spDestroySnapshot(snapshot);
            spDestroyTestWorld(&source);
        }
        Run(&plain, 2);
        Run(&asked, 2);
        CheckWay(&asked, (Way)way);
        assert_true(spWorld_GetStateHash(asked.world) == spWorld_GetStateHash(plain.world));
        spDestroyTestWorld(&asked);
        spDestroyTestWorld(&plain);
    }
}

static void TestMethodChanges(void** state)
{
    SP_UNUSED(state);
    FailingAllocator counter = {.failAt = -1};
    spAllocator allocator = MakeFailingAllocator(&counter);
    spTestWorld test = MakeBeam(wayWhole, &allocator);
    spMethodDef implicit = spDefaultMethodDef();
    implicit.type = sp_backwardEuler;
    const spMethodDef methods[] = {MakeWay(wayGaussSeidel, 20), MakeWay(wayWhole, 20), implicit,
                                   MakeWay(wayAnderson, 20),    MakeWay(wayWhole, 20), implicit};
    size_t bytes = 0;
    for (int i = 0; i < 5 * SP_COUNT(methods); ++i)
    {
        int k = i % SP_COUNT(methods);
        assert_true(spBody_SetMethod(test.world, test.body, methods + k));
        Run(&test, 4);
        CheckNear(&test);
        spSolverReport report = spBody_GetSolverReport(test.world, test.body);
        assert_int_equal(report.sweeping, k == 0 || k == 3);
        if (k == 1)
        {
            // What a method held is given back
            bytes = bytes == 0 ? spWorld_GetByteCount(test.world) : bytes;
            assert_int_equal(spWorld_GetByteCount(test.world), bytes);
        }
    }
    spDestroyTestWorld(&test);
    assert_int_equal(counter.out, 0);
}

// Sweeps keep nothing from step to step: a world that comes back to a snapshot and goes on in another order
// than it was made in does what a world does that changes its order at that moment
static void TestOrderChanges(void** state)
{
    SP_UNUSED(state);
    const spMethodDef methods[] = {MakeWay(wayGaussSeidel, 20), MakeWay(wayColours, 20)};
    for (int first = 0; first < 2; ++first)
    {
        spTestWorld test = MakeBlock(first == 0 ? wayGaussSeidel : wayColours, 2, 20);
        uint64_t hashes[2][2] = {0};
        Run(&test, 3);
        spSnapshot* snapshot = spWorld_Save(test.world);
        assert_non_null(snapshot);
        size_t bytes = spWorld_GetByteCount(test.world);
        for (int i = 0; i < 4; ++i)
        {
            int other = (first + i) % 2;
            assert_true(spWorld_Restore(test.world, snapshot));
            assert_true(spBody_SetMethod(test.world, test.body, methods + other));
            assert_int_equal(spBody_GetMethod(test.world, test.body).xpbd.order, methods[other].xpbd.order);
            Run(&test, 3);
            hashes[i / 2][other] = spWorld_GetStateHash(test.world);
            assert_true(other != first || spWorld_GetByteCount(test.world) == bytes);
        }
        assert_true(hashes[0][0] == hashes[1][0] && hashes[0][1] == hashes[1][1]);
        assert_true(hashes[0][0] != hashes[0][1]);
        spDestroySnapshot(snapshot);
        spDestroyTestWorld(&test);
    }
    spTestWorld test = MakeBlock(wayGaussSeidel, 1, 20);
    spMethodDef bad = methods[0];
    bad.xpbd.order = sp_xpbdOrderCount;
    assert_false(spBody_SetMethod(test.world, test.body, &bad));
    assert_int_equal(spWorld_GetLastError(test.world).code, sp_errorBadArgument);
    spDestroyTestWorld(&test);
}

static void TestMaterialChanges(void** state)
{
    SP_UNUSED(state);
    const double youngs[] = {1e3, 1e8, 1e4, 1e6, 1e5};
    const Way ways[] = {waySweeps, wayGaussSeidel, wayAnderson, wayColours};
    for (int i = 0; i < SP_COUNT(ways); ++i)
    {
        spTestWorld test = MakeBeam(ways[i], NULL);
        size_t bytes = 0;
        for (int k = 0; k < 4 * SP_COUNT(youngs); ++k)
        {
            double young = youngs[k % SP_COUNT(youngs)];
            assert_true(spBody_SetTets(test.world, test.body, test.tets, (spReal)young, (spReal)0.4, 0));
            Run(&test, 10);
            CheckNear(&test);
            bool sweeping = spBody_GetSolverReport(test.world, test.body).sweeping;
            assert_true(sweeping == (ways[i] != waySweeps) || young < 2e3);
            if (k % SP_COUNT(youngs) == 0)
            {
                bytes = k == SP_COUNT(youngs) ? spWorld_GetByteCount(test.world) : bytes;
                assert_true(k <= SP_COUNT(youngs) || spWorld_GetByteCount(test.world) == bytes);
            }
        }
        spDestroyTestWorld(&test);
    }
}

// Another time step in every step: the automatic solver may choose anew, and holds no more for it
static void TestStepChanges(void** state)
{
    SP_UNUSED(state);
    for (Way way = wayGaussSeidel; way < wayCount; ++way)
    {
        FailingAllocator counter = {.failAt = -1};
        spAllocator allocator = MakeFailingAllocator(&counter);
        spTestWorld test = MakeBeam(way, &allocator);
        uint64_t seed = 3;
        size_t most[2] = {0};
        int sweeps = 0, steps = 200 / pace;
        for (int i = 0; i < steps; ++i)
        {
            spReal dt = (spReal)pow(10.0, spRandomRange(&seed, -2.9, -1.2));
            CheckStep(&test, dt);
            CheckNear(&test);
            sweeps += spBody_GetSolverReport(test.world, test.body).sweeping;
            size_t bytes = spWorld_GetByteCount(test.world);
            most[2 * i / steps] = bytes > most[2 * i / steps] ? bytes : most[2 * i / steps];
        }
        print_message("%s: %d of %d steps swept\n", wayNames[way], sweeps, steps);
        assert_true(way != wayLocal || (sweeps > 0 && sweeps < steps));
        assert_true(most[1] <= most[0]);
        spDestroyTestWorld(&test);
        assert_int_equal(counter.out, 0);
    }
}

// ---- budgets ----

// Runs by the clock with budgets from far too small to plenty, and again by its decisions: the same bits
static void TestBudget(void** state)
{
    SP_UNUSED(state);
    for (Way way = wayGaussSeidel; way < wayCount; ++way)
    {
        spTestWorld live = MakeBlock(way, 2, 400 / pace), replay = MakeBlock(way, 1, 400 / pace);
        uint64_t seed = 11;
        int stops = 0, fewer = 0;
        // Enough time decides nothing
        assert_int_equal(spWorld_StepBudget(live.world, frame, 600.0), 0);
        assert_int_equal(spWorld_GetDecisionCount(live.world), 0);
        Run(&replay, 1);
        for (int i = 0; i < 12; ++i)
        {
            double budget = pow(10.0, spRandomRange(&seed, -4.0, -1.5));
            uint32_t flags = spWorld_StepBudget(live.world, frame, budget);
            spDecision decisions[MAX_DECISIONS];
            int count = spWorld_GetDecisions(live.world, decisions, MAX_DECISIONS);
            bool stopped = false;
            for (int k = 0; k < count; ++k)
            {
                stopped = stopped || decisions[k].stopAfter >= 0;
            }
            spSolverReport report = spBody_GetSolverReport(live.world, live.body);
            stops += stopped;
            // It says so, unless the last iteration has done
            bool unfinished = report.sweeping || report.converged == false;
            fewer += stopped && (report.sweeping == false || report.sweeps < 400 / pace);
            assert_int_equal((flags & sp_stepSolverStopped) != 0, stopped && unfinished);
            assert_true(spWorld_Decide(replay.world, decisions, count));
            assert_int_equal(spWorld_Step(replay.world, frame), flags);
            assert_int_equal(spWorld_GetLastError(replay.world).code, sp_errorNone);
            assert_true(spWorld_GetStateHash(replay.world) == spWorld_GetStateHash(live.world));
        }
        print_message("%s: %d of 12 steps stopped\n", wayNames[way], stops);
        assert_true(stops > 0);
        assert_int_equal(fewer, stops);
        spDestroyTestWorld(&live);
        spDestroyTestWorld(&replay);
    }
}

// ---- memory ----

static void TestStepsAllocateNothing(void** state)
{
    SP_UNUSED(state);
    for (Way way = wayGaussSeidel; way < wayCount; ++way)
    {
        FailingAllocator counter = {.failAt = -1};
        spAllocator allocator = MakeFailingAllocator(&counter);
        spBentBeamDef def = MakeBeamDef(way, &allocator);
        // The large one, whose factor another thread makes
        def.beam = way == wayWhole ? 2 : 0;
        def.bent = true;
        spTestWorld test = spBuildBentBeam(&def);
        assert_non_null(test.world);
        Run(&test, 120 / pace);
        long before = __atomic_load_n(&counter.count, __ATOMIC_RELAXED);
        size_t bytes = spWorld_GetByteCount(test.world);
        Run(&test, 40 / pace);
        if (way != waySweeps)
        {
            // Sweeps leave force in a bent beam, which Newton's method then takes over, soon
            CheckWay(&test, way);
        }
        assert_int_equal(__atomic_load_n(&counter.count, __ATOMIC_RELAXED), before);
        assert_int_equal(spWorld_GetByteCount(test.world), bytes);
        spDestroyTestWorld(&test);
        assert_int_equal(counter.out, 0);
    }
}

// Every allocation failing in turn, alone and with all after it: an error, a step that says so, or a step
// that is made in another way; never a crash, a leak, or a body that stands still without a word
static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    for (Way way = wayGaussSeidel; way < wayCount; ++way)
    {
        bool whole = false;
        int tried = 0, refused = 0, said = 0;
        for (long k = 0; whole == false; ++tried, k += 2 * pace - 1)
        {
            for (int after = 0; after < 2; ++after)
            {
                FailingAllocator counter = {.failAt = (int)k, .failAfter = after == 1};
                spAllocator allocator = MakeFailingAllocator(&counter);
                spBentBeamDef def = MakeBeamDef(way, &allocator);
                spTestWorld test = spBuildBentBeam(&def);
                if (test.world == NULL)
                {
                    assert_int_equal(test.error.code, sp_errorOutOfMemory);
                    refused += 1;
                }
                else
                {
                    double height = spGetMeanHeight(&test);
                    uint32_t flags = spWorld_Step(test.world, frame);
                    assert_true(flags != 0 || spGetMeanHeight(&test) < height);
                    said += flags != 0;
                    whole = whole || counter.count <= k;
                    // Memory comes back, and with it the solver: a stiff beam may spring back from where
                    // sweeps let it sag
                    counter.failAt = -1;
                    height = spGetMeanHeight(&test);
                    CheckStep(&test, frame);
                    assert_true(spGetMeanHeight(&test) != height);
                    spDestroyTestWorld(&test);
                }
                assert_int_equal(counter.out, 0);
            }
            assert_true(tried < 1000);
        }
        print_message("%s: %d points of failure, %d refused, %d said by a step\n", wayNames[way], tried,
                      refused, said);
        assert_true(refused > 10 / pace && said > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSameBits),
        cmocka_unit_test(TestSnapshot),
        cmocka_unit_test(TestEarlySnapshot),
        cmocka_unit_test(TestRefusedSnapshot),
        cmocka_unit_test(TestMethodChanges),
        cmocka_unit_test(TestOrderChanges),
        cmocka_unit_test(TestMaterialChanges),
        cmocka_unit_test(TestStepChanges),
        cmocka_unit_test(TestBudget),
        cmocka_unit_test(TestStepsAllocateNothing),
        cmocka_unit_test(TestFailingAllocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
