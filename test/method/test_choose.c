// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Which method sp_methodAuto takes: the rule itself, what worlds make of it, and that choosing changes no bit of
// what the chosen method does, through snapshots too. Damping by ratio, which means the same at any resolution.

#include "base/core.h"
#include "method/choose.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include <string.h>

static spMethodNeeds MakeNeeds(double stableStep, double work)
{
    return (spMethodNeeds){.dt = 1.0 / 60.0, .stableStep = stableStep, .safety = 0.8, .work = work};
}

static void CheckType(const spMethodNeeds* needs, spMethodType type, const char* why)
{
    spMethodChoice choice = spChooseMethod(needs);
    assert_int_equal(choice.type, type);
    assert_true(choice.automatic);
    assert_non_null(strstr(choice.reason, why));
}

static void TestRule(void** state)
{
    SP_UNUSED(state);
    spMethodNeeds soft = MakeNeeds(1e-3, 1e5), stiff = MakeNeeds(1e-5, 1000.0);
    CheckType(&soft, sp_symplecticEuler, "21 explicit substeps");
    CheckType(&stiff, sp_backwardEuler, "small enough");
    spMethodNeeds some = MakeNeeds(3e-4, 1000.0), more = MakeNeeds(3e-4, 3500.0);
    CheckType(&some, sp_symplecticEuler, "70 explicit substeps");
    CheckType(&more, sp_backwardEuler, "70 substeps");
    spMethodNeeds large = MakeNeeds(1e-5, 5000.0), none = MakeNeeds(0.0, 10.0),
                  any = MakeNeeds(INFINITY, 0.0);
    CheckType(&large, sp_xpbd, "bounded");
    CheckType(&none, sp_backwardEuler, "1e+09 substeps");
    CheckType(&any, sp_symplecticEuler, "1 explicit substep in");
    stiff.thin = true;
    CheckType(&stiff, sp_xpbd, "skin");
    soft.joined = true;
    CheckType(&soft, sp_xpbd, "beside a body");
    soft.filtered = true;
    CheckType(&soft, sp_symplecticEuler, "filter");
    soft.constrained = true;
    CheckType(&soft, sp_xpbd, "constraints");
    spMethodNeeds asked = MakeNeeds(1e-3, 100.0);
    asked.substeps = 25;
    CheckType(&asked, sp_symplecticEuler, "25 substeps");
    asked.substeps = 5;
    CheckType(&asked, sp_backwardEuler, "21 substeps");
}

static spTestWorld MakeBeam(spReal youngModulus, spMethodType type)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = type;
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = youngModulus;
    return spBuildTetBeam(&def, 3, &tets);
}

static void Step(const spTestWorld* test, int count)
{
    for (int i = 0; i < count; ++i)
    {
        assert_int_equal(spWorld_Step(test->world, (spReal)(1.0 / 60.0)), 0);
    }
}

static spMethodType GetChosen(const spTestWorld* test)
{
    assert_int_equal(spBody_GetMethod(test->world, test->body).type, sp_methodAuto);
    return spBody_GetMethodChoice(test->world, test->body).type;
}

// What was chosen moves the body as if it had been named
static void TestSameBitsAsNamed(void** state)
{
    SP_UNUSED(state);
    const struct
    {
        spReal youngModulus;
        spMethodType type;
    } cases[] = {{(spReal)1e5, sp_symplecticEuler}, {(spReal)1e8, sp_backwardEuler}};
    for (int i = 0; i < SP_COUNT(cases); ++i)
    {
        spTestWorld automatic = MakeBeam(cases[i].youngModulus, sp_methodAuto);
        spTestWorld named = MakeBeam(cases[i].youngModulus, cases[i].type);
        assert_int_equal(GetChosen(&automatic), sp_methodAuto);
        Step(&automatic, 10);
        Step(&named, 10);
        assert_int_equal(GetChosen(&automatic), cases[i].type);
        assert_true(spWorld_GetStateHash(automatic.world) == spWorld_GetStateHash(named.world));
        spDestroyTestWorld(&automatic);
        spDestroyTestWorld(&named);
    }
}

// A stiffer material, or another step, is another choice
static void TestChosenAgain(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeBeam((spReal)1e5, sp_methodAuto);
    assert_true(spWorld_ChooseMethods(test.world, (spReal)(1.0 / 60.0)));
    assert_int_equal(GetChosen(&test), sp_symplecticEuler);
    assert_true(spBody_SetTets(test.world, test.body, test.tets, (spReal)1e8, (spReal)0.4, 0));
    Step(&test, 1);
    assert_int_equal(GetChosen(&test), sp_backwardEuler);
    // Frames that waver do not change it
    double substeps = spBody_GetMethodChoice(test.world, test.body).substeps;
    assert_int_equal(spWorld_Step(test.world, (spReal)(1.4 / 60.0)), 0);
    assert_true(spBody_GetMethodChoice(test.world, test.body).substeps == substeps);
    assert_int_equal(spWorld_Step(test.world, (spReal)(1.6 / 60.0)), 0);
    assert_true(spBody_GetMethodChoice(test.world, test.body).substeps > substeps);
    assert_int_equal(spWorld_Step(test.world, (spReal)1e-5), 0);
    assert_int_equal(GetChosen(&test), sp_symplecticEuler);
    assert_false(spWorld_ChooseMethods(test.world, 0));
    spDestroyTestWorld(&test);
}

// A world that was never stepped takes over what the saved one has chosen, and goes on with the same bits
static void TestSnapshotKeepsChoice(void** state)
{
    SP_UNUSED(state);
    spTestWorld first = MakeBeam((spReal)1e8, sp_methodAuto), second = MakeBeam((spReal)1e8, sp_methodAuto);
    Step(&first, 5);
    spSnapshot* snapshot = spWorld_Save(first.world);
    assert_non_null(snapshot);
    assert_true(spWorld_Restore(second.world, snapshot));
    assert_int_equal(GetChosen(&second), sp_backwardEuler);
    Step(&first, 5);
    Step(&second, 5);
    assert_true(spWorld_GetStateHash(first.world) == spWorld_GetStateHash(second.world));
    spDestroySnapshot(snapshot);
    spDestroyTestWorld(&first);
    spDestroyTestWorld(&second);
}

// A solid of springs is no skin
static void TestSolidOfSprings(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    def.method.type = sp_methodAuto;
    spTestWorld test = spBuildSpringBeam(&def, 2);
    assert_true(spBody_SetSpringModulus(test.world, test.body, test.springs, (spReal)1e9, 0));
    assert_true(spWorld_ChooseMethods(test.world, (spReal)(1.0 / 60.0)));
    assert_int_equal(GetChosen(&test), sp_backwardEuler);
    spDestroyTestWorld(&test);
}

static void TestConstraintsAreKept(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    def.method.type = sp_methodAuto;
    spTestWorld test = spBuildSpringBeam(&def, 2);
    spConstraintDef constraints = spDefaultConstraintDef();
    assert_true(spBody_AddConstraints(test.world, test.body, &constraints) >= 0);
    assert_true((spWorld_Step(test.world, (spReal)(1.0 / 60.0)) & sp_stepNonFinite) == 0);
    assert_int_equal(GetChosen(&test), sp_xpbd);
    spDestroyTestWorld(&test);
}

static spBodyId AddBox(spWorld* world, double height, spReal youngModulus)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.size = (spDVec3){0.2, 0.2, 0.2};
    box.cells[0] = box.cells[1] = box.cells[2] = 3;
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.transform.position.y = (spReal)height;
    spBodyId body = spCreateBody(world, &def);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = youngModulus;
    assert_true(spBody_AddTets(world, body, &tets) >= 0);
    spDestroyMesh(mesh);
    return body;
}

// A soft body beside a stiff one would make that one solve its system in each of its own substeps
static void TestNeighboursCount(void** state)
{
    SP_UNUSED(state);
    for (int touching = 0; touching < 2; ++touching)
    {
        spWorldDef worldDef = spDefaultWorldDef();
        worldDef.bodyContacts = touching == 1;
        spWorld* world = spCreateWorld(&worldDef, NULL);
        spBodyId stiff = AddBox(world, 0.0, (spReal)1e8), soft = AddBox(world, 1.0, (spReal)1e5);
        assert_true(spWorld_ChooseMethods(world, (spReal)(1.0 / 60.0)));
        assert_int_equal(spBody_GetMethodChoice(world, stiff).type, sp_backwardEuler);
        assert_int_equal(spBody_GetMethodChoice(world, soft).type,
                         touching == 1 ? sp_backwardEuler : sp_symplecticEuler);
        spDestroyWorld(world);
    }
}

// Swing of the tip of a beam that was bent by gravity, which then goes: how much is left of it after some swings
static double MeasureDecay(int m)
{
    spTestDef def = spDefaultTestDef();
    spTetDef tets = spDefaultTetDef();
    tets.damping = -1;
    tets.dampingRatio = (spReal)0.5;
    tets.youngModulus = (spReal)1e5;
    spTestWorld test = spBuildTetBeam(&def, m, &tets);
    assert_true(spWorld_SetGravity(test.world, (spVec3){0, -1, 0}));
    spRelaxDef relax = spDefaultRelaxDef();
    assert_true(spBody_Relax(test.world, test.body, &relax, NULL));
    assert_true(spWorld_SetGravity(test.world, (spVec3){0, 0, 0}));
    double before = spBody_GetEnergy(test.world, test.body).elastic;
    Step(&test, 60);
    spEnergy energy = spBody_GetEnergy(test.world, test.body);
    spDestroyTestWorld(&test);
    return (energy.elastic + energy.kinetic) / before;
}

static void TestRatioAtAnyResolution(void** state)
{
    SP_UNUSED(state);
    double coarse = MeasureDecay(2), fine = MeasureDecay(4);
    print_message("energy left after 1 s: %.3f and %.3f\n", coarse, fine);
    // Cells half as large would halve a damping that knew nothing but springs and tets
    assert_true(coarse > 0.1 && coarse < 0.8);
    CHECK_NEAR(log(coarse) / log(fine), 1.0, 0.35);
}

// Springs: the same damping time for a sheet of any resolution, and no damping for a ratio of 0
static void TestRatioOfSprings(void** state)
{
    SP_UNUSED(state);
    spReal times[2] = {0, 0};
    for (int i = 0; i < 3; ++i)
    {
        spClothMeshDef cloth = spDefaultClothMeshDef();
        cloth.countX = cloth.countZ = i == 1 ? 21 : 11;
        spMesh* mesh = spMakeClothMesh(&cloth, NULL);
        spWorldDef worldDef = spDefaultWorldDef();
        spWorld* world = spCreateWorld(&worldDef, NULL);
        spBodyDef def = spDefaultBodyDef();
        def.mesh = mesh;
        spBodyId body = spCreateBody(world, &def);
        spSpringDef springs = spDefaultSpringDef();
        springs.dampingRatio = i == 2 ? 0 : springs.dampingRatio;
        int set = spBody_AddSprings(world, body, &springs);
        spReal stiffness = 0, damping = -1;
        assert_true(spBody_GetSprings(world, body, set, &stiffness, &damping));
        if (i == 2)
        {
            assert_true(damping == 0);
        }
        else
        {
            times[i] = damping / stiffness;
        }
        spDestroyWorld(world);
        spDestroyMesh(mesh);
    }
    // A sheet of n x n nodes has n - 1 springs along its side, which its waves cross at the speed of the chain
    CHECK_NEAR(times[1] / times[0], 1.0, 0.1);
}

// What a sheet and a solid weigh, and how far a sheet keeps off, when nobody says
static void TestDefaultsOfSheets(void** state)
{
    SP_UNUSED(state);
    spClothMeshDef cloth = spDefaultClothMeshDef();
    cloth.sizeX = 2;
    cloth.sizeZ = 1;
    spMesh* mesh = spMakeClothMesh(&cloth, NULL);
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    spBodyId body = spCreateBody(world, &def);
    int count = spBody_GetNodeCount(world, body);
    spReal* masses = test_calloc((size_t)count, sizeof(spReal));
    double sum = 0.0;
    assert_int_equal(spBody_CopyMasses(world, body, masses, count), count);
    for (int i = 0; i < count; ++i)
    {
        sum += (double)masses[i];
    }
    CHECK_NEAR(sum, 0.2 * 2.0, 1e-4);
    test_free(masses);
    spDestroyWorld(world);
    spDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRule),
        cmocka_unit_test(TestSameBitsAsNamed),
        cmocka_unit_test(TestChosenAgain),
        cmocka_unit_test(TestSnapshotKeepsChoice),
        cmocka_unit_test(TestSolidOfSprings),
        cmocka_unit_test(TestConstraintsAreKept),
        cmocka_unit_test(TestNeighboursCount),
        cmocka_unit_test(TestRatioAtAnyResolution),
        cmocka_unit_test(TestRatioOfSprings),
        cmocka_unit_test(TestDefaultsOfSheets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
