// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Scenes with another method: what a text stands for, what stays, what is refused.

#include "scene/scene_internal.h"
#include "testbed/check.h"

#include <string.h>

static const char* const s_text =
    "{\"souple\": 1, \"bodies\": [{\"name\": \"a\", \"mesh\": {\"generator\": \"box\"}, \"springs\": {},\n"
    "  \"method\": {\"type\": \"verlet\", \"substeps\": 7, \"contact\": \"off\", \"filter\": "
    "\"gaussian\"}},\n"
    "  {\"name\": \"b\", \"mesh\": {\"generator\": \"box\"}, \"springs\": {}, \"method\": \"verlet\"}],\n"
    " \"events\": {\"time\": 1, \"type\": \"set\", \"body\": \"a\", \"method\": \"localImplicit\"}}";

static spScene* Vary(const spScene* scene, const char* method)
{
    spError error = SP_ZERO_INIT;
    spScene* variant = spCopySceneWithMethod(scene, method, NULL, &error);
    if (variant == NULL)
    {
        print_error("%s\n", error.message);
    }
    assert_non_null(variant);
    return variant;
}

static const spMethodData* GetMethod(const spScene* scene, int body)
{
    return &((const spBodyData*)scene->data.bodies.data + body)->method;
}

static void TestVariant(void** state)
{
    SP_UNUSED(state);
    spScene* scene = spParseScene(s_text, strlen(s_text), NULL, NULL, NULL);
    assert_non_null(scene);

    // All bodies and events; contact stays, the rest has its default
    spScene* variant = Vary(scene, "rungeKutta4");
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(GetMethod(variant, i)->type, sp_rungeKutta4);
        assert_int_equal(GetMethod(variant, i)->contact, i == 0 ? sp_contactOff : sp_contactRows);
        assert_int_equal(GetMethod(variant, i)->substeps, 0);
        assert_int_equal(GetMethod(variant, i)->filter.type, sp_filterNone);
    }
    assert_int_equal(((const spEventData*)variant->data.events.data)->method.type, sp_rungeKutta4);
    assert_string_equal(spScene_GetName(variant), spScene_GetName(scene));
    spDestroyScene(variant);

    // Settings, of objects too, by name or by shorthand
    variant = Vary(scene, "symplecticEuler:substeps=4:safety=0.5:contact=rows:filter.type=exponential:"
                          "lambda=0.25:adaptive=true");
    const spMethodData* method = GetMethod(variant, 0);
    assert_int_equal(method->type, sp_symplecticEuler);
    assert_int_equal(method->contact, sp_contactRows);
    assert_int_equal(method->substeps, 4);
    assert_true(method->safety == 0.5);
    assert_int_equal(method->filter.type, sp_filterExponential);
    assert_true(method->filter.lambda == 0.25);
    assert_true(method->filter.adaptive);
    spDestroyScene(variant);
    variant = Vary(scene, "verlet:filter=gaussian:substeps=auto");
    assert_int_equal(GetMethod(variant, 1)->filter.type, sp_filterGaussian);
    spDestroyScene(variant);

    // The solver of xpbd is another one than that of implicit methods
    variant = Vary(scene, "xpbd:solver=gaussSeidel:accelerator=anderson:iterations=30:window=3:substeps=2");
    method = GetMethod(variant, 1);
    assert_int_equal(method->type, sp_xpbd);
    assert_int_equal(method->substeps, 2);
    assert_int_equal(method->xpbd.solver, sp_xpbdGaussSeidel);
    assert_int_equal(method->xpbd.accelerator, sp_accelerateAnderson);
    assert_int_equal(method->xpbd.iterations, 30);
    assert_int_equal(method->xpbd.window, 3);
    spDestroyScene(variant);
    variant = Vary(scene, "xpbd:xpbd.solver=jacobi:xpbd.tetRows=energy");
    assert_int_equal(GetMethod(variant, 0)->xpbd.solver, sp_xpbdJacobi);
    assert_int_equal(GetMethod(variant, 0)->xpbd.tetRows, sp_tetRowsEnergy);
    spDestroyScene(variant);
    variant = Vary(scene, "xpbd:solver=gaussSeidel:order=colours");
    assert_int_equal(GetMethod(variant, 0)->xpbd.order, sp_xpbdColours);
    spDestroyScene(variant);
    variant = Vary(scene, "bdf2:solver=ssor");
    assert_int_equal(GetMethod(variant, 0)->solver.preconditioner, sp_preconditionSsor);
    spDestroyScene(variant);
    spDestroyScene(scene);
}

// Meshes are found from where the scene was
static void TestVariantOfFile(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    spScene* scene = spLoadScene(SOUPLE_SOURCE_DIR "/scenes/fish.json", NULL, &error);
    assert_non_null(scene);
    spScene* variant = Vary(scene, "verlet");
    spRunDef def = spDefaultRunDef();
    spRun* run = spCreateRun(variant, &def, &error);
    assert_non_null(run);
    spDestroyRun(run);
    spDestroyScene(variant);
    spDestroyScene(scene);
}

static void TestBadVariants(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        const char* method;
        const char* message; // part of it
    } s_bad[] = {
        {"", "unknown method \"\"; there are: symplecticEuler"},
        {"verlot", "method \"verlot\": unknown method \"verlot\"; there are: "},
        {"verlet:", "\"\" is no setting; write KEY=VALUE"},
        {"verlet:substeps", "\"substeps\" is no setting; write KEY=VALUE"},
        {"verlet:substeps=", "is no setting"},
        {"verlet:=4", "is no setting"},
        {"verlet:substep=4", "unknown key \"substep\"; did you mean \"substeps\"?"},
        {"verlet:lamda=4", "unknown key \"lamda\"; did you mean \"lambda\"?"},
        {"verlet:filter.lamda=4", "unknown key \"lamda\"; did you mean \"lambda\"?"},
        {"verlet:qqqq=4", "unknown key \"qqqq\"; a method has: type, contact"},
        {"verlet:type=verlet", "\"type\" is given twice"},
        {"verlet:substeps=4:substeps=4", "\"substeps\" is given twice"},
        {"verlet:filter=gaussian:lambda=1", "filter is given already; write filter.type instead"},
        {"verlet:substeps=many", "substeps"},
        {"verlet:substeps=-1", "-1"},
        {"verlet:safety.x=1", "unknown key \"safety\""},
        {"verlet:filter=gauss", "did you mean \"gaussian\"?"},
        {"xpbd:solver=gauss", "did you mean \"gaussSeidel\"?"},
        {"xpbd:solver=jacobi:xpbd.solver=jacobi", "\"xpbd.solver\" is given twice"},
        {"xpbd:acelerator=sor", "unknown key \"acelerator\"; did you mean \"accelerator\"?"},
        {"xpbd:iterations=0", "must be at least 1"},
        {"xpbd:filter=gaussian", "leave it out or choose an explicit method"},
        {"bdf2:solver=gaussSeidel", "unknown word \"gaussSeidel\""},
    };
    spScene* scene = spParseScene(s_text, strlen(s_text), NULL, NULL, NULL);
    for (int i = 0; i < SP_COUNT(s_bad); ++i)
    {
        spError error = SP_ZERO_INIT;
        assert_null(spCopySceneWithMethod(scene, s_bad[i].method, NULL, &error));
        if (strstr(error.message, s_bad[i].message) == NULL)
        {
            print_error("%s: %s\n", s_bad[i].method, error.message);
            fail();
        }
        assert_int_equal(error.line, 0);
    }
    char longText[600];
    memset(longText, 'x', sizeof(longText) - 1);
    longText[sizeof(longText) - 1] = 0;
    spError error = SP_ZERO_INIT;
    assert_null(spCopySceneWithMethod(scene, longText, NULL, &error));
    assert_null(spCopySceneWithMethod(NULL, "verlet", NULL, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    assert_null(spCopySceneWithMethod(scene, NULL, NULL, NULL));
    spDestroyScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestVariant),
        cmocka_unit_test(TestVariantOfFile),
        cmocka_unit_test(TestBadVariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
