// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A body that gains energy though nobody gave it any says so; one that was given some, or only swings, does
// not.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

enum
{
    nodeCount = 20,
};

// 48 tets of 0.25 m, held at one end
static spTestWorld MakeBeam(spMethodType type, double young, double damping)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = type;
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)young;
    tets.damping = (spReal)damping;
    spTestWorld beam = spBuildTetBeam(&def, 1, &tets);
    assert_non_null(beam.world);
    assert_int_equal(spBody_GetNodeCount(beam.world, beam.body), nodeCount);
    return beam;
}

static double GetEnergy(const spTestWorld* beam)
{
    spEnergy e = spBody_GetEnergy(beam->world, beam->body);
    return e.kinetic + e.elastic + e.potential;
}

static uint32_t StepTimes(const spTestWorld* beam, double dt, int count)
{
    uint32_t flags = 0;
    for (int i = 0; i < count; ++i)
    {
        flags |= spWorld_Step(beam->world, (spReal)dt);
    }
    return flags;
}

static void SetVelocities(const spTestWorld* beam, double speed)
{
    spVec3 v[nodeCount];
    for (int i = 0; i < nodeCount; ++i)
    {
        v[i] = (spVec3){0, 0, (spReal)(i % 2 == 0 ? speed : -speed)};
    }
    assert_true(spBody_SetVelocities(beam->world, beam->body, v, nodeCount));
}

static const spMethodType s_types[] = {sp_localImplicit, sp_backwardEuler, sp_bdf2, sp_imex};

// Swings, is given energy in every way there is, and is never taken for one that gains
static void TestGiven(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; i < SP_COUNT(s_types); ++i)
    {
        spTestWorld beam = MakeBeam(s_types[i], 1e5, 0.001);
        const double dt = 1e-3;
        assert_int_equal(StepTimes(&beam, dt, 100), 0);
        SetVelocities(&beam, 1.0);
        assert_int_equal(StepTimes(&beam, dt, 50), 0);
        assert_true(
            spBody_SetTets(beam.world, beam.body, beam.tets, (spReal)1e6, (spReal)0.3, (spReal)0.001));
        assert_int_equal(StepTimes(&beam, dt, 50), 0);
        spWorld_SetGravity(beam.world, (spVec3){0, 30, 0});
        assert_int_equal(StepTimes(&beam, dt, 50), 0);
        assert_true(spBody_SetNodeForce(beam.world, beam.body, 19, (spVec3){0, 500, 0}));
        assert_int_equal(StepTimes(&beam, dt, 50), 0);
        assert_true(spBody_SetNodeForce(beam.world, beam.body, 19, (spVec3){0, 0, 0}));
        assert_int_equal(StepTimes(&beam, dt, 50), 0);
        for (int k = 1; k <= 50; ++k)
        {
            for (int32_t node = 0; node < 4; ++node)
            {
                spVec3View x = spBody_GetPositions(beam.world, beam.body);
                spVec3 target = {x.data[node].x, x.data[node].y, x.data[node].z + (spReal)0.004};
                assert_true(spBody_DriveNode(beam.world, beam.body, node, target));
            }
            assert_int_equal(StepTimes(&beam, dt, 1), 0);
        }
        spSnapshot* snapshot = spWorld_Save(beam.world);
        assert_int_equal(StepTimes(&beam, dt, 200), 0);
        assert_true(spWorld_Restore(beam.world, snapshot));
        spDestroySnapshot(snapshot);
        assert_int_equal(StepTimes(&beam, dt, 50), 0);
        spDestroyTestWorld(&beam);
    }
}

// Far from the origin a stiff body trembles with the rounding of its positions: that is no gain
static void TestRounding(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; i < SP_COUNT(s_types); ++i)
    {
        spTestWorld beam = MakeBeam(s_types[i], 1e8, 0.0);
        spVec3 x[nodeCount];
        spBody_CopyPositions(beam.world, beam.body, x, nodeCount);
        for (int k = 0; k < nodeCount; ++k)
        {
            x[k] = (spVec3){x[k].x + 1000, x[k].y + 1000, x[k].z};
        }
        spBody_SetPositions(beam.world, beam.body, x, nodeCount);
        spWorld_SetGravity(beam.world, (spVec3){0, 0, 0});
        uint32_t flags = StepTimes(&beam, 1e-2, 100);
        assert_int_equal(flags & sp_stepUnstable, 0);
        spDestroyTestWorld(&beam);
    }
}

// Soft rubber that its weight stretches many times, in steps of 1/60 s: what gains says so, what does not says
// nothing
static void TestGained(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        spMethodType type;
        spTetLaw law;
        bool gains;
    } s_cases[] = {{sp_forwardEuler, sp_tetStVenantKirchhoff, true}, {sp_bdf2, sp_tetCorotational, false}};
    for (int i = 0; i < SP_COUNT(s_cases); ++i)
    {
        spTetDef tets = spDefaultTetDef();
        tets.law = s_cases[i].law;
        tets.youngModulus = 100;
        tets.poissonRatio = (spReal)0.499;
        tets.damping = (spReal)0.01;
        spTestDef def = spDefaultTestDef();
        def.method.type = s_cases[i].type;
        def.method.maxSubsteps = 500;
        spTestWorld beam = spBuildTetBeam(&def, 1, &tets);
        double first = GetEnergy(&beam);
        bool gained = false, said = false;
        for (int k = 0; k < 60; ++k)
        {
            said = (spWorld_Step(beam.world, (spReal)(1.0 / 60.0)) & sp_stepUnstable) != 0 || said;
            gained = gained || GetEnergy(&beam) > first + 10.0;
        }
        print_message("%s: %g J of %g J\n", spGetTetLawName(tets.law), GetEnergy(&beam), first);
        assert_int_equal(gained, s_cases[i].gains);
        assert_int_equal(said, s_cases[i].gains);
        spDestroyTestWorld(&beam);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestGiven),
        cmocka_unit_test(TestRounding),
        cmocka_unit_test(TestGained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
