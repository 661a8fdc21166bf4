// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Scenes of bodies that touch do what their descriptions say.

#include "base/core.h"
#include "test/scene_test.h"

static spRun* StartFile(const char* name, spScene** scene)
{
    char path[1024];
    snprintf(path, sizeof(path), SOUPLE_SOURCE_DIR "/scenes/%s", name);
    spError error = SP_ZERO_INIT;
    *scene = spLoadScene(path, NULL, &error);
    assert_non_null(*scene);
    return Start(*scene);
}

static void RunTo(spRun* run, double time)
{
    while (spRun_GetTime(run) < time - 1e-6 && !spRun_IsDone(run))
    {
        uint32_t flags = spRun_Step(run);
        assert_true((flags & (sp_stepNonFinite | sp_stepUnstable)) == 0);
    }
}

static spVec3 GetCenter(spRun* run, const char* name)
{
    spBodyId body = spRun_FindBody(run, name);
    assert_false(SP_IS_NULL(body));
    return spBody_GetCenter(spRun_GetWorld(run), body);
}

// The jaws lift the organ by friction, carry it aside and let it fall
static void TestGripper(void** state)
{
    SP_UNUSED(state);
    spScene* scene;
    spRun* run = StartFile("gripper.json", &scene);
    RunTo(run, 1.1);
    double low = (double)GetCenter(run, "organ").y;
    RunTo(run, 2.9);
    spVec3 high = GetCenter(run, "organ");
    RunTo(run, 4.0);
    spVec3 end = GetCenter(run, "organ");
    printf("organ at %.3f m, lifted to %.3f m and %.3f m aside, in the end at %.3f m\n", low, (double)high.y,
           (double)high.x, (double)end.y);
    assert_true((double)high.y - low > 0.22 && (double)high.x > 0.27);
    assert_true((double)end.y < 0.1);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// Nine marbles lie in the bowl, none has fallen out or through
static void TestMarbles(void** state)
{
    SP_UNUSED(state);
    spScene* scene;
    spRun* run = StartFile("marbles.json", &scene);
    RunTo(run, 2.0);
    for (int i = 1; i <= 9; ++i)
    {
        char name[24];
        snprintf(name, sizeof(name), "marble%d", i);
        spVec3 c = GetCenter(run, name);
        assert_true((double)c.y > 0.04 && sqrt((double)(c.x * c.x + c.z * c.z)) < 0.2);
    }
    spDestroyRun(run);
    spDestroyScene(scene);
}

// What has been poured is in the glass, nothing beside or below it
static void TestGlass(void** state)
{
    SP_UNUSED(state);
    spScene* scene;
    spRun* run = StartFile("glass.json", &scene);
    RunTo(run, 0.4);
    spBodyId bodies[64];
    int count = spWorld_GetBodies(spRun_GetWorld(run), bodies, 64);
    assert_int_equal(count, 40);
    for (int i = 0; i < count; ++i)
    {
        spVec3 c = spBody_GetCenter(spRun_GetWorld(run), bodies[i]);
        assert_true((double)c.y > 0.0 && sqrt((double)(c.x * c.x + c.z * c.z)) < 0.25);
    }
    spDestroyRun(run);
    spDestroyScene(scene);
}

// The cloth lies over the ball, and the ball in the ring
static void TestLayers(void** state)
{
    SP_UNUSED(state);
    spScene* scene;
    spRun* run = StartFile("layers.json", &scene);
    RunTo(run, 1.0);
    spVec3 ball = GetCenter(run, "ball");
    double top = spRun_GetMeasurement(run, 1);
    printf("ball at %.3f m, cloth up to %.3f m\n", (double)ball.y, top);
    assert_true((double)ball.y > 0.15 && (double)ball.y < 0.35 && fabs((double)ball.x) < 0.1);
    assert_true(top > (double)ball.y + 0.15 && top < (double)ball.y + 0.3);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// Corners of the box, where the cloth folds round them, and the top of the ball do not come through it
static void TestDrape(void** state)
{
    SP_UNUSED(state);
    spScene* scene;
    spRun* run = StartFile("drape.json", &scene);
    for (int i = 1; i <= 6; ++i)
    {
        RunTo(run, 0.2 * i);
        spIntersection found[8];
        assert_int_equal(spWorld_FindIntersections(spRun_GetWorld(run), found, 8), 0);
    }
    spDestroyRun(run);
    spDestroyScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestGripper), cmocka_unit_test(TestMarbles), cmocka_unit_test(TestLayers),
        cmocka_unit_test(TestGlass),   cmocka_unit_test(TestDrape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
