// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the clock decides: budgets of implicit bodies, decisions of live runs and their repetition bit for
// bit, decisions that cannot be obeyed.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DECISIONS 256

static const spReal dt = (spReal)(1.0 / 60.0);

// How the bodies of a live world are solved
typedef struct LiveDef
{
    int workers, lanes;
    spMethodType type;
    int newtonSteps, substeps;
    bool linked; // the cube to a lattice with an explicit method
} LiveDef;

typedef struct Live
{
    spWorld* world;
    spBodyId beam, cube, lattice;
} Live;

static spMethodDef MakeMethod(const LiveDef* def)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = def->type;
    method.substeps = def->substeps;
    method.solver.newtonSteps = def->newtonSteps;
    method.solver.preconditioner = sp_preconditionIncomplete;
    method.solver.asynchronous = true;
    method.solver.warp = true;
    method.solver.refresh = 1;
    method.solver.age = 0;
    method.solver.tolerance = (spReal)1e-5;
    return method;
}

static spBodyId AddBox(spWorld* world, const spMethodDef* method, const char* name, spDVec3 origin, int cells,
                       spReal young)
{
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = origin;
    meshDef.size = (spDVec3){0.5, 0.25, 0.25};
    meshDef.cells[0] = 2 * cells;
    meshDef.cells[1] = cells;
    meshDef.cells[2] = cells;
    spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.name = name;
    bodyDef.mesh = mesh;
    bodyDef.method = *method;
    spBodyId body = spCreateBody(world, &bodyDef);
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    tets.youngModulus = young;
    spBody_AddTets(world, body, &tets);
    spDestroyMesh(mesh);
    return body;
}

// A beam of two patches with an end held, a cube that falls on the ground, and a lattice
static Live MakeLive(const LiveDef* def)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->workers;
    worldDef.laneCount = def->lanes;
    Live live = {.world = spCreateWorld(&worldDef, NULL)};
    assert_non_null(live.world);
    spAddTestGround(live.world, (spReal)0.5, 0);
    spMethodDef method = MakeMethod(def);
    live.beam = AddBox(live.world, &method, "beam", (spDVec3){0, 1, 0}, 8, (spReal)3e5);
    for (int32_t node = 0; node < 81; ++node)
    {
        assert_true(spBody_PinNodes(live.world, live.beam, &node, 1));
    }
    live.cube = AddBox(live.world, &method, "cube", (spDVec3){0, 0.02, 1}, 4, (spReal)1e5);
    if (def->linked)
    {
        spLatticeMeshDef latticeDef = spDefaultLatticeMeshDef();
        latticeDef.origin = (spDVec3){0.0, 0.4, 1.0};
        latticeDef.counts[0] = 4;
        latticeDef.counts[1] = 4;
        latticeDef.counts[2] = 2;
        spMesh* mesh = spMakeLatticeMesh(&latticeDef, NULL);
        spBodyDef bodyDef = spDefaultBodyDef();
        bodyDef.name = "lattice";
        bodyDef.mesh = mesh;
        bodyDef.nodeMass = (spReal)0.1;
        live.lattice = spCreateBody(live.world, &bodyDef);
        spSpringDef springDef = spDefaultSpringDef();
        springDef.damping = 1;
        springDef.stiffness = 200;
        springDef.damping = (spReal)0.1;
        spBody_AddSprings(live.world, live.lattice, &springDef);
        spDestroyMesh(mesh);
        int32_t nodes[2] = {0, 1};
        spLinkDef linkDef = spDefaultLinkDef();
        linkDef.body = live.lattice;
        linkDef.nodes = nodes;
        linkDef.nodeCount = 2;
        linkDef.otherBody = live.cube;
        assert_false(SP_IS_NULL(spCreateLink(live.world, &linkDef)));
    }
    assert_int_equal(spWorld_GetLastError(live.world).code, sp_errorNone);
    return live;
}

// A program beside this one that wants the processor, so that threads come late now and then
static atomic_bool s_quit;

static void* Spin(void* context)
{
    volatile uint64_t* count = context;
    while (atomic_load(&s_quit) == false)
    {
        *count += 1;
    }
    return NULL;
}

// Runs live, with budgets from far too small to plenty, and again by its decisions: the same bits in every
// step
static void CheckRepeats(const LiveDef* def, const LiveDef* again, int steps)
{
    uint64_t count = 0, seed = 7;
    int factors = 0, stops = 0, shortened = 0, reports = 0;
    pthread_t thread;
    atomic_store(&s_quit, false);
    assert_int_equal(pthread_create(&thread, NULL, Spin, &count), 0);
    spDecision decisions[MAX_DECISIONS];
    Live live = MakeLive(def), replay = MakeLive(again);
    for (int i = 0; i < steps; ++i)
    {
        // Every third step has no budget; preconditioners are taken by the clock there too
        double budget = pow(10.0, spRandomRange(&seed, -4.5, -1.0));
        uint32_t flags =
            i % 3 == 2 ? spWorld_Step(live.world, dt) : spWorld_StepBudget(live.world, dt, budget);
        int decided = spWorld_GetDecisionCount(live.world);
        assert_in_range(decided, 0, MAX_DECISIONS);
        assert_int_equal(spWorld_GetDecisions(live.world, decisions, MAX_DECISIONS), decided);
        for (int k = 0; k < decided; ++k)
        {
            assert_int_equal(decisions[k].step, i);
            factors += decisions[k].factorStep >= 0;
            stops += decisions[k].stopAfter >= 0;
            shortened += SP_IS_NULL(decisions[k].body);
        }
        reports += (flags & sp_stepSolverStopped) != 0;
        assert_true(spWorld_Decide(replay.world, decisions, decided));
        uint32_t repeated = spWorld_Step(replay.world, dt);
        if (spWorld_GetStateHash(replay.world) != spWorld_GetStateHash(live.world) || repeated != flags)
        {
            fail_msg("step %d of %d decisions differs: flags 0x%x and 0x%x", i, decided, flags, repeated);
        }
        // What was obeyed is told again
        spDecision told[MAX_DECISIONS];
        assert_int_equal(spWorld_GetDecisions(replay.world, told, MAX_DECISIONS), decided);
        for (int k = 0; k < decided; ++k)
        {
            assert_int_equal(told[k].stopAfter, decisions[k].stopAfter);
            assert_int_equal(told[k].factorStep, decisions[k].factorStep);
            assert_int_equal(told[k].substep, decisions[k].substep);
            assert_true(told[k].dt == decisions[k].dt);
        }
        assert_int_equal(spWorld_GetLastError(replay.world).code, sp_errorNone);
    }
    atomic_store(&s_quit, true);
    pthread_join(thread, NULL);
    print_message("%d steps: %d preconditioners taken, %d solves stopped, %d steps shortened\n", steps,
                  factors, stops, shortened);
    assert_true(factors > 0 && stops > 0 && shortened > 0 && reports > 0);
    spDestroyWorld(live.world);
    spDestroyWorld(replay.world);
}

static void TestRepeats(void** state)
{
    SP_UNUSED(state);
    LiveDef def = {.workers = 1, .type = sp_backwardEuler};
    CheckRepeats(&def, &def, 36);
}

// Newton's method, substeps, other workers and lanes
static void TestRepeatsNewton(void** state)
{
    SP_UNUSED(state);
    LiveDef def = {.workers = 2, .type = sp_bdf2, .newtonSteps = 4, .substeps = 2};
    LiveDef again = def;
    again.workers = 1;
    again.lanes = 1;
    CheckRepeats(&def, &again, 9);
}

static void TestRepeatsLinked(void** state)
{
    SP_UNUSED(state);
    LiveDef def = {.workers = 2, .type = sp_backwardEuler, .linked = true};
    LiveDef again = def;
    again.workers = 3;
    CheckRepeats(&def, &again, 15);
}

static spTestWorld MakeBeam(spPreconditionerType preconditioner)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = sp_backwardEuler;
    def.method.solver.preconditioner = preconditioner;
    def.method.solver.tolerance = (spReal)1e-4;
    def.method.solver.maxIterations = 2000;
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    tets.youngModulus = (spReal)1e6;
    return spBuildTetBeam(&def, 4, &tets);
}

// A solver that is told to stop does so, with the residual that it reached; nothing else of the step changes
static void TestStop(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeBeam(sp_preconditionNone);
    assert_non_null(test.world);
    double last = 1e30;
    for (int64_t after = 0; after < 40; after = 2 * after + 1)
    {
        spDecision decision = {.step = spWorld_GetStepCount(test.world),
                               .body = test.body,
                               .factorStep = -1,
                               .stopAfter = after};
        assert_true(spWorld_Decide(test.world, &decision, 1));
        spSnapshot* start = spWorld_Save(test.world);
        uint32_t flags = spWorld_Step(test.world, dt);
        spSolverReport report = spBody_GetSolverReport(test.world, test.body);
        assert_int_equal(flags, sp_stepSolverStopped);
        assert_int_equal(report.iterations, after + 1);
        assert_false(report.converged);
        assert_true(report.residual > 1e-4 && isfinite(report.residual));
        assert_true(spWorld_GetReport(test.world).dtTaken == dt);
        last = fmin(last, report.residual);
        assert_true(spWorld_Restore(test.world, start));
        spDestroySnapshot(start);
        // The next one looks at the clock again, which has nothing to say
        assert_int_equal(spWorld_Step(test.world, dt), 0);
        assert_int_equal(spWorld_GetDecisionCount(test.world), 0);
        assert_true(spBody_GetSolverReport(test.world, test.body).converged);
    }
    CHECK_LESS(last, 0.2);
    spDestroyTestWorld(&test);
}

// Implicit bodies: a budget that is too small stops the solver; one that does not suffice for one iteration
// shortens the step; a generous one does neither
static void TestBudget(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeBeam(sp_preconditionNone);
    spTestWorld plain = MakeBeam(sp_preconditionNone);
    for (int i = 0; i < 5; ++i)
    {
        assert_int_equal(spWorld_StepBudget(test.world, dt, 600.0), 0);
        assert_int_equal(spWorld_Step(plain.world, dt), 0);
    }
    assert_int_equal(spWorld_GetDecisionCount(test.world), 0);
    assert_true(spWorld_GetStateHash(test.world) == spWorld_GetStateHash(plain.world));
    spDestroyTestWorld(&plain);

    uint32_t flags = spWorld_StepBudget(test.world, dt, 1e-7);
    assert_int_equal(flags, sp_stepSolverStopped | sp_stepDeadlineMissed);
    assert_true(spWorld_GetReport(test.world).dtTaken < dt);
    assert_int_equal(spBody_GetSolverReport(test.world, test.body).iterations, 1);
    assert_int_equal(spWorld_GetDecisionCount(test.world), 2);

    // Half of what it takes: the whole time with fewer iterations, as long as nothing disturbs the clock
    bool stopped = false, whole = false;
    for (int i = 0; i < 200 && (stopped && whole) == false; ++i)
    {
        spWorld_Step(test.world, dt);
        double seconds = 1e-3 * spWorld_GetProfile(test.world).step;
        flags = spWorld_StepBudget(test.world, dt, 0.6 * seconds);
        stopped = (flags & sp_stepSolverStopped) != 0;
        whole = spWorld_GetReport(test.world).dtTaken == dt;
    }
    assert_true(stopped && whole);
    assert_true(spBody_GetSolverReport(test.world, test.body).iterations > 0);

    // No memory comes or goes
    size_t bytes = spWorld_GetByteCount(test.world);
    for (int i = 0; i < 5; ++i)
    {
        spWorld_StepBudget(test.world, dt, 1e-4);
        assert_true(spWorld_GetByteCount(test.world) == bytes);
    }

    double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; ++i)
    {
        uint64_t hash = spWorld_GetStateHash(test.world);
        assert_int_equal(spWorld_StepBudget(test.world, dt, bad[i]), sp_stepBadInput);
        assert_non_null(strstr(spWorld_GetLastError(test.world).message, "budget"));
        assert_true(spWorld_GetStateHash(test.world) == hash);
    }
    spDestroyTestWorld(&test);
}

// After budgets that no step can keep, steps are as long as before as soon as the budget is fair, and repeat
static void TestRecovers(void** state)
{
    SP_UNUSED(state);
    for (int k = 0; k < 2; ++k)
    {
        spTestDef def = spDefaultTestDef();
        spTestWorld test = k == 0 ? spBuildSpringBeam(&def, 3) : MakeBeam(sp_preconditionNone);
        spTestWorld replay = k == 0 ? spBuildSpringBeam(&def, 3) : MakeBeam(sp_preconditionNone);
        double seconds = 0.0, early = 0.0;
        int recovered = -1;
        for (int i = 0; i < 50; ++i)
        {
            bool fair = i < 5 || i >= 30;
            uint32_t flags = i < 5 ? spWorld_Step(test.world, dt)
                                   : spWorld_StepBudget(test.world, dt, fair ? 50.0 * seconds : 1e-7);
            double taken = (double)spWorld_GetReport(test.world).dtTaken;
            seconds = i < 5 ? fmax(seconds, 1e-3 * spWorld_GetProfile(test.world).step) : seconds;
            early = i == 6 ? taken : early;
            assert_true(taken > 0.0 && (fair || (flags & sp_stepDeadlineMissed) != 0));
            if (i == 29)
            {
                printf("%s: %.2g and then %.2g of the step with a budget of 1e-7 s\n",
                       k == 0 ? "explicit" : "implicit", early / (double)dt, taken / (double)dt);
                // They do not shrink from step to step; other programs may disturb the clock
                CHECK_LESS(0.01 * early, taken);
            }
            recovered = fair && i >= 30 && recovered < 0 && taken == (double)dt ? i : recovered;
            spDecision decisions[MAX_DECISIONS];
            int count = spWorld_GetDecisions(test.world, decisions, MAX_DECISIONS);
            assert_true(spWorld_Decide(replay.world, decisions, count));
            spWorld_Step(replay.world, dt);
            assert_true(spWorld_GetStateHash(replay.world) == spWorld_GetStateHash(test.world));
        }
        printf("whole steps again after %d\n", recovered - 30);
        assert_in_range(recovered, 30, 35);
        spDestroyTestWorld(&test);
        spDestroyTestWorld(&replay);
    }
}

// The least that bodies take of the budget stays theirs, whatever their neighbours need
static void TestShares(void** state)
{
    SP_UNUSED(state);
    LiveDef def = {.workers = 1, .type = sp_backwardEuler};
    Live live = MakeLive(&def);
    for (int i = 0; i < 10; ++i)
    {
        spWorld_StepBudget(live.world, dt, 1e-3);
        assert_true(spBody_GetSolverReport(live.world, live.beam).iterations >= 1);
        assert_true(spBody_GetSolverReport(live.world, live.cube).newtonSteps == 1);
    }
    spDestroyWorld(live.world);
}

static void CheckRefused(spWorld* world, const spDecision* decision, int count, const char* word)
{
    uint64_t hash = spWorld_GetStateHash(world);
    spWorld_ClearError(world);
    assert_false(spWorld_Decide(world, decision, count));
    spError error = spWorld_GetLastError(world);
    if (error.code == sp_errorNone || strstr(error.message, word) == NULL)
    {
        fail_msg("\"%s\" does not say \"%s\"", error.message, word);
    }
    assert_true(spWorld_GetStateHash(world) == hash);
}

static void TestBadDecisions(void** state)
{
    SP_UNUSED(state);
    LiveDef def = {.workers = 1, .type = sp_backwardEuler, .linked = true};
    Live live = MakeLive(&def);
    spWorld_Step(live.world, dt);
    assert_int_equal(spWorld_GetDecisions(NULL, NULL, 3), 0);
    assert_false(spWorld_Decide(NULL, NULL, 0));
    const spDecision good = {.step = 1, .body = live.cube, .factorStep = -1, .stopAfter = 3};
    const spDecision time = {.step = 1, .factorStep = -1, .stopAfter = -1, .dt = 0.001};
    spDecision bad = good;
    CheckRefused(live.world, NULL, 2, "array");
    CheckRefused(live.world, &good, -1, "array");
    bad.step = 5;
    CheckRefused(live.world, &bad, 1, "step 5");
    bad = good;
    bad.body.index1 = 77;
    CheckRefused(live.world, &bad, 1, "77");
    bad = good;
    bad.body = live.lattice;
    CheckRefused(live.world, &bad, 1, "lattice");
    bad = good;
    bad.substep = -1;
    CheckRefused(live.world, &bad, 1, "substep");
    bad = good;
    bad.stopAfter = -2;
    CheckRefused(live.world, &bad, 1, "stopAfter");
    bad = good;
    bad.dt = 1.0;
    CheckRefused(live.world, &bad, 1, "dt");
    bad = time;
    bad.dt = NAN;
    CheckRefused(live.world, &bad, 1, "finite");
    bad = time;
    bad.stopAfter = 1;
    CheckRefused(live.world, &bad, 1, "stopAfter");
    const spDecision twice[2] = {time, time};
    CheckRefused(live.world, twice, 2, "both");

    // A preconditioner that nobody makes
    bad = good;
    bad.factorStep = 0;
    bad.body = live.beam;
    CheckRefused(live.world, &bad, 1, "no preconditioner of step 0");

    // What was refused is not obeyed, and leaves what was decided before
    assert_true(spWorld_Decide(live.world, &time, 1));
    CheckRefused(live.world, &bad, 1, "beam");
    spWorld_ClearError(live.world);
    assert_true((spWorld_Step(live.world, dt) & sp_stepDeadlineMissed) != 0);
    assert_true(spWorld_GetReport(live.world).dtTaken == (spReal)0.001);
    assert_int_equal(spWorld_GetLastError(live.world).code, sp_errorNone);

    // A substep that the body does not take: nothing moves
    bad = good;
    bad.body = live.beam;
    bad.step = 2;
    bad.substep = 3;
    assert_true(spWorld_Decide(live.world, &bad, 1));
    uint64_t hash = spWorld_GetStateHash(live.world);
    assert_true((spWorld_Step(live.world, dt) & sp_stepBadInput) != 0);
    assert_non_null(strstr(spWorld_GetLastError(live.world).message, "substep 3"));
    assert_true(spWorld_GetStateHash(live.world) == hash);
    assert_int_equal(spWorld_GetStepCount(live.world), 2);

    // A solver that ends before it could be stopped
    bad.substep = 0;
    bad.stopAfter = 100000;
    spWorld_ClearError(live.world);
    assert_true(spWorld_Decide(live.world, &bad, 1));
    spWorld_Step(live.world, dt);
    assert_non_null(strstr(spWorld_GetLastError(live.world).message, "beam"));

    // A body that only factors by age
    spMethodDef method = MakeMethod(&def);
    method.solver.age = 4;
    assert_true(spBody_SetMethod(live.world, live.cube, &method));
    bad = good;
    bad.step = 3;
    bad.factorStep = 0;
    CheckRefused(live.world, &bad, 1, "age 0");
    spDestroyWorld(live.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestStop),          cmocka_unit_test(TestBudget),
        cmocka_unit_test(TestRecovers),      cmocka_unit_test(TestShares),
        cmocka_unit_test(TestRepeats),       cmocka_unit_test(TestRepeatsNewton),
        cmocka_unit_test(TestRepeatsLinked), cmocka_unit_test(TestBadDecisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
