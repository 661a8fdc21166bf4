// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows of the table of scene files that are bound to definitions of the engine: the same defaults on both
// sides, and every value goes there and back.

#include "scene/scene_internal.h"
#include "souple/souple.h"
#include "testbed/check.h"

#include <string.h>

static const spSchema* FindObject(const spSchema* schema, const char* name)
{
    const spKey* key = spFindKey(schema, name, -1);
    assert_non_null(key);
    assert_non_null(key->object);
    return key->object;
}

// What a scene file does not say is what the engine has
#define EXPECT_DEFAULTS(data_, schema, selector, def_, defaults)                                             \
    {                                                                                                        \
        data_ data;                                                                                          \
        def_ def = defaults, before = def;                                                                   \
        spInitObject(schema, selector, &data);                                                               \
        spFillDef(&data, &def);                                                                              \
        assert_memory_equal(&def, &before, sizeof(def));                                                     \
    }

static void TestDefaults(void** state)
{
    SP_UNUSED(state);
    const spSchema* body = FindObject(&g_sceneSchema, "bodies");
    EXPECT_DEFAULTS(spSceneData, &g_sceneSchema, -1, spWorldDef, spDefaultWorldDef());
    EXPECT_DEFAULTS(spBodyData, body, -1, spBodyDef, spDefaultBodyDef());
    EXPECT_DEFAULTS(spMethodData, FindObject(body, "method"), -1, spMethodDef, spDefaultMethodDef());
    EXPECT_DEFAULTS(spTetsData, FindObject(body, "tets"), -1, spTetDef, spDefaultTetDef());
    EXPECT_DEFAULTS(spSpringsData, FindObject(body, "springs"), -1, spSpringDef, spDefaultSpringDef());
    EXPECT_DEFAULTS(spConstraintsData, FindObject(body, "constraints"), sp_constraintDistance,
                    spConstraintDef, spDefaultConstraintDef());
    EXPECT_DEFAULTS(spGasData, FindObject(body, "gas"), -1, spGasDef, spDefaultGasDef());
    EXPECT_DEFAULTS(spFieldData, FindObject(body, "fields"), sp_fieldDrag, spFieldDef, spDefaultFieldDef());
    EXPECT_DEFAULTS(spRelaxData, FindObject(body, "relax"), -1, spRelaxDef, spDefaultRelaxDef());
    EXPECT_DEFAULTS(spColliderData, FindObject(&g_sceneSchema, "colliders"), sp_shapePlane, spColliderDef,
                    spDefaultColliderDef());
    EXPECT_DEFAULTS(spAttachmentData, FindObject(&g_sceneSchema, "attachments"), -1, spLinkDef,
                    spDefaultLinkDef());
}

// A value that a row takes and that is not its default
static void ChangeValue(const spKey* key, char* value)
{
    switch (key->type)
    {
        case sp_keyBool:
            *(bool*)value = !*(bool*)value;
            break;
        case sp_keyNumber:
            *(double*)value = 0.375;
            break;
        case sp_keyVector:
            *(spDVec3*)value = (spDVec3){0.5, -0.25, 3};
            break;
        case sp_keyChoice:
            *(int*)value = key->choiceCount - 1;
            break;
        default:
            *(int*)value = 17;
            break;
    }
}

// Changes all bound rows, fills a definition, and reads it back into an object with defaults
static int CheckThereAndBack(const spSchema* schema, void* first, void* second, void* def)
{
    int count = 0;
    spInitObject(schema, -1, first);
    spInitObject(schema, -1, second);
    for (int i = 0; i < schema->keyCount; ++i)
    {
        const spKey* key = schema->keys + i;
        if (key->bound > 0 && key->type != sp_keyObject)
        {
            ChangeValue(key, (char*)first + key->offset);
            ((spObjectHead*)first)->given |= (uint64_t)1 << i;
        }
    }
    spFillDef(first, def);
    spReadDef(def, second);
    for (int i = 0; i < schema->keyCount; ++i)
    {
        const spKey* key = schema->keys + i;
        size_t size = key->type == sp_keyBool     ? sizeof(bool)
                      : key->type == sp_keyNumber ? sizeof(double)
                      : key->type == sp_keyVector ? sizeof(spDVec3)
                                                  : sizeof(int);
        if (key->bound > 0 && key->type != sp_keyObject)
        {
            assert_memory_equal((char*)first + key->offset, (char*)second + key->offset, size);
            count += 1;
        }
    }
    return count;
}

static void TestThereAndBack(void** state)
{
    SP_UNUSED(state);
    static _Alignas(64) char s_objects[2][sizeof(spBodyData) + sizeof(spSceneData)];
    static _Alignas(64) char s_def[4096];
    static const char* const s_parts[] = {"tets", "springs", "constraints", "bends", "gas",
                                          "wind", "fields",  "relax",       "method"};
    const spSchema* body = FindObject(&g_sceneSchema, "bodies");
    const spSchema* method = FindObject(body, "method");
    assert_in_range(CheckThereAndBack(&g_sceneSchema, s_objects[0], s_objects[1], s_def), 3, 64);
    assert_in_range(CheckThereAndBack(body, s_objects[0], s_objects[1], s_def), 6, 64);
    for (int i = 0; i < SP_COUNT(s_parts); ++i)
    {
        assert_in_range(CheckThereAndBack(FindObject(body, s_parts[i]), s_objects[0], s_objects[1], s_def), 3,
                        64);
    }
    assert_int_equal(CheckThereAndBack(FindObject(method, "solver"), s_objects[0], s_objects[1], s_def), 11);
    assert_int_equal(CheckThereAndBack(FindObject(method, "xpbd"), s_objects[0], s_objects[1], s_def), 11);
    assert_int_equal(CheckThereAndBack(FindObject(method, "filter"), s_objects[0], s_objects[1], s_def), 6);
}

// Objects inside count when they were given
static void TestObjectsInside(void** state)
{
    SP_UNUSED(state);
    spSpringsData springs;
    spSpringDef def = spDefaultSpringDef();
    def.damping = 1;
    spInitObject(FindObject(FindObject(&g_sceneSchema, "bodies"), "springs"), -1, &springs);
    springs.activation.amplitude = 0.5;
    spFillDef(&springs, &def);
    assert_true(def.activationAmplitude == 0);
    springs.head.given |= (uint64_t)1 << spFindRow(&springs.head, &springs.activation);
    spFillDef(&springs, &def);
    assert_true(def.activationAmplitude == (spReal)0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestDefaults),
        cmocka_unit_test(TestThereAndBack),
        cmocka_unit_test(TestObjectsInside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
