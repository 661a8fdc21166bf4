// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The fish of scenes/fish.json swims: its muscles and the water drive it, and nothing else does.

#include "base/core.h"
#include "souple/element.h"
#include "souple/scene.h"
#include "testbed/check.h"

// How far the fish comes in five seconds, m, and how far it strays, with all muscles at this share of their
// amplitude
static void Swim(double share, double* ahead, double* aside)
{
    spError error = {0};
    spScene* scene = spLoadScene(SOUPLE_SOURCE_DIR "/scenes/fish.json", NULL, &error);
    spRunDef runDef = spDefaultRunDef();
    spRun* run = scene != NULL ? spCreateRun(scene, &runDef, &error) : NULL;
    if (run == NULL)
    {
        fail_msg("%s", error.message);
    }
    spWorld* world = spRun_GetWorld(run);
    spBodyId fish = spRun_FindBody(run, "fish");
    assert_int_equal(spBody_GetNodeCount(world, fish), 23);
    assert_int_equal(spBody_GetElementCount(world, fish), 91 + 42);
    if (share == 0.0)
    {
        for (int set = 0; set < 32; ++set)
        {
            spBody_SetActivation(world, fish, set, 0, 0, 0);
        }
    }
    spVec3 start = spBody_GetCenter(world, fish);
    double volume = spBody_GetVolume(world, fish);
    while (spRun_IsDone(run) == false)
    {
        assert_int_equal(spRun_Step(run), 0);
        CHECK_NEAR(spBody_GetVolume(world, fish), volume, 0.15 * volume);
    }
    spVec3 end = spBody_GetCenter(world, fish);
    *ahead = (double)end.x - (double)start.x;
    *aside = fabs((double)end.z - (double)start.z) + fabs((double)end.y - (double)start.y);
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestFishSwims(void** state)
{
    SP_UNUSED(state);
    double ahead, aside, glide;
    Swim(1.0, &ahead, &aside);
    print_message("in 5 s: %.3f m ahead, %.3f m aside\n", ahead, aside);
    assert_true(ahead > 1.0);
    CHECK_LESS(aside, 0.3 * ahead);
    // It starts bent, as its muscles are at that moment: straightening pushes it a little
    Swim(0.0, &glide, &aside);
    print_message("without muscles: %.3f m ahead, %.3f m aside\n", glide, aside);
    CHECK_LESS(fabs(glide), 0.2 * ahead);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(TestFishSwims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
