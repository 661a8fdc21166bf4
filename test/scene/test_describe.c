// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a run tells a page about itself: for every scene all keys are there, every setting sent back as it is
// changes nothing, and with another value it is taken and told; methods come back as they were; bad input.

#include "scene/run.h"

#include "test/scene_test.h"

#include "souple/levels.h"

#include <dirent.h>
#include <jansson.h>

typedef struct Text
{
    char* data;
    size_t size;
} Text;

static void Append(const char* text, size_t size, void* context)
{
    Text* to = context;
    to->data = realloc(to->data, to->size + size + 1);
    memcpy(to->data + to->size, text, size);
    to->size += size;
    to->data[to->size] = 0;
}

static json_t* Describe(spRun* run, bool settingsOnly)
{
    Text text = {0};
    assert_true(settingsOnly ? spRun_DescribeSettings(run, Append, &text)
                             : spRun_Describe(run, Append, &text));
    json_error_t error;
    json_t* json = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
    {
        fail_msg("%d:%d: %s", error.line, error.column, error.text);
    }
    free(text.data);
    return json;
}

// ---------------------------------------------------------------------------------------------------------
// Settings as a page uses them

static bool IsKind(const json_t* setting, const char* kind)
{
    return strcmp(json_string_value(json_object_get(setting, "kind")), kind) == 0;
}

static const char* GetKey(const json_t* setting, size_t index)
{
    return json_string_value(json_array_get(json_object_get(setting, "path"), index));
}

// The method of a body, from the setting that is all of it
static const json_t* FindMethod(const json_t* settings, const json_t* body)
{
    size_t i;
    json_t* setting;
    json_array_foreach((json_t*)(uintptr_t)settings, i, setting)
    {
        if (json_equal(json_object_get(setting, "body"), body) && strcmp(GetKey(setting, 0), "method") == 0 &&
            GetKey(setting, 1) == NULL)
        {
            return json_object_get(setting, "value");
        }
    }
    return NULL;
}

// {"type": "set", "body": ..., <path>: value}; of a method the whole with that one value
static json_t* MakeEvent(const json_t* settings, const json_t* setting, const json_t* value)
{
    json_t* event = json_pack("{s:s}", "type", "set");
    json_t* body = json_object_get(setting, "body");
    if (json_is_null(body) == false)
    {
        json_object_set(event, "body", body);
    }
    json_object_update(event, json_object_get(setting, "extra"));
    size_t depth = json_array_size(json_object_get(setting, "path"));
    bool method = strcmp(GetKey(setting, 0), "method") == 0;
    json_t* copy = json_deep_copy(value);
    if (depth == 1)
    {
        json_object_set_new(event, GetKey(setting, 0), copy);
        return event;
    }
    json_t* object = method ? json_deep_copy(FindMethod(settings, body)) : json_object();
    json_object_set_new(event, GetKey(setting, 0), object);
    json_t* inner = depth == 3 ? json_object_get(object, GetKey(setting, 1)) : object;
    assert_true(json_is_object(inner));
    json_object_set_new(inner, GetKey(setting, depth - 1), copy);
    return event;
}

static void Send(spRun* run, const json_t* settings, const json_t* setting, const json_t* value)
{
    json_t* event = MakeEvent(settings, setting, value);
    char* text = json_dumps(event, JSON_COMPACT);
    spError error = SP_ZERO_INIT;
    if (spRun_Act(run, text, strlen(text), &error) == false)
    {
        fail_msg("%s: %s", text, error.message);
    }
    free(text);
    json_decref(event);
}

static const json_t* FindSetting(const json_t* settings, const json_t* like)
{
    size_t i;
    json_t* setting;
    json_array_foreach((json_t*)(uintptr_t)settings, i, setting)
    {
        if (json_equal(json_object_get(setting, "body"), json_object_get(like, "body")) &&
            json_equal(json_object_get(setting, "path"), json_object_get(like, "path")) &&
            json_equal(json_object_get(setting, "extra"), json_object_get(like, "extra")))
        {
            return setting;
        }
    }
    return NULL;
}

static bool IsSame(const json_t* a, const json_t* b)
{
    if (json_is_number(a) && json_is_number(b))
    {
        double x = json_number_value(a), y = json_number_value(b);
        return fabs(x - y) <= 1e-6 * fabs(x);
    }
    // A method that was given by its type alone comes back whole
    const json_t* type = json_object_get(a, "type");
    return type != NULL ? json_equal(type, json_object_get(b, "type")) : json_equal(a, b);
}

// Sends a value and looks for it in what the run tells then. Other values of a method may take a setting
// away.
static void Try(spRun* run, const json_t* settings, const json_t* setting, const json_t* value)
{
    Send(run, settings, setting, value);
    json_t* after = Describe(run, true);
    const json_t* found = FindSetting(json_object_get(after, "settings"), setting);
    if (found == NULL)
    {
        char* text = json_dumps(setting, JSON_COMPACT);
        fail_msg("%s is not told any more", text);
    }
    if (IsSame(value, json_object_get(found, "value")) == false)
    {
        char *sent = json_dumps(value, JSON_ENCODE_ANY),
             *told = json_dumps(json_object_get(found, "value"), JSON_ENCODE_ANY);
        fail_msg("%s: sent %s, told %s", json_string_value(json_object_get(setting, "label")), sent, told);
    }
    // Ranges stay where they are: a slider does not move under the hand
    if (IsKind(setting, "log") || IsKind(setting, "vector"))
    {
        assert_true(json_equal(json_object_get(setting, "min"), json_object_get(found, "min")));
        assert_true(json_equal(json_object_get(setting, "max"), json_object_get(found, "max")));
    }
    json_decref(after);
}

static void CheckSetting(const json_t* setting)
{
    static const char* const strings[] = {"label", "unit", "kind"};
    for (size_t i = 0; i < SP_COUNT(strings); ++i)
    {
        assert_true(json_is_string(json_object_get(setting, strings[i])));
    }
    const json_t *value = json_object_get(setting, "value"), *choices = json_object_get(setting, "choices");
    assert_true(json_is_array(json_object_get(setting, "path")));
    assert_true(json_is_object(json_object_get(setting, "extra")));
    assert_true(json_is_array(choices));
    assert_non_null(value);
    if (IsKind(setting, "choice"))
    {
        bool among = false;
        size_t i;
        json_t* choice;
        json_array_foreach((json_t*)(uintptr_t)choices, i, choice)
        {
            assert_true(json_is_string(json_object_get(choice, "label")));
            among |= json_equal(json_object_get(choice, "value"), value) != 0;
        }
        assert_true(among);
        return;
    }
    double low = json_number_value(json_object_get(setting, "min"));
    double high = json_number_value(json_object_get(setting, "max"));
    assert_true(json_array_size(choices) == 0 && low < high);
    assert_true(IsKind(setting, "log") || IsKind(setting, "linear") || IsKind(setting, "integer") ||
                IsKind(setting, "vector"));
    assert_true(IsKind(setting, "log") == false || low > 0.0);
    assert_true(IsKind(setting, "integer") == false || json_is_integer(value));
    for (size_t i = 0; i < 3; ++i)
    {
        double x = json_number_value(IsKind(setting, "vector") ? json_array_get(value, i) : value);
        assert_true(x >= low && x <= high);
    }
}

static void CheckKeys(const json_t* json)
{
    static const struct
    {
        const char* name;
        json_type type;
    } keys[] = {
        {"name", JSON_STRING},    {"description", JSON_STRING}, {"text", JSON_STRING},
        {"dt", JSON_REAL},        {"duration", JSON_REAL},      {"gravity", JSON_ARRAY},
        {"bodies", JSON_ARRAY},   {"colliders", JSON_ARRAY},    {"measurements", JSON_ARRAY},
        {"settings", JSON_ARRAY}, {"states", JSON_ARRAY},
    };
    for (size_t i = 0; i < SP_COUNT(keys); ++i)
    {
        const json_t* value = json_object_get(json, keys[i].name);
        if (value == NULL || json_typeof(value) != keys[i].type)
        {
            fail_msg("%s is missing or no %d", keys[i].name, (int)keys[i].type);
        }
    }
    const json_t* camera = json_object_get(json, "camera");
    assert_true(json_is_null(camera) || json_array_size(json_object_get(camera, "up")) == 3);
    assert_int_equal(json_object_size(json), SP_COUNT(keys) + 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(json, "states"), 0)), "start");
}

// ---------------------------------------------------------------------------------------------------------

// Ends of the range, and all choices. The time step goes back: the state of a run that was saved knows it.
static void TryAll(spRun* run, const json_t* settings)
{
    size_t i, k;
    json_t *setting, *choice;
    json_array_foreach((json_t*)(uintptr_t)settings, i, setting)
    {
        const json_t *low = json_object_get(setting, "min"), *high = json_object_get(setting, "max");
        if (IsKind(setting, "vector"))
        {
            json_t* vector = json_pack("[OOO]", low, high, low);
            Try(run, settings, setting, vector);
            json_decref(vector);
        }
        else if (IsKind(setting, "choice") == false)
        {
            bool whole = IsKind(setting, "integer");
            json_t* ends[] = {whole ? json_integer((json_int_t)json_number_value(low))
                                    : json_copy((json_t*)(uintptr_t)low),
                              whole ? json_integer((json_int_t)json_number_value(high))
                                    : json_copy((json_t*)(uintptr_t)high)};
            for (int end = 0; end < 2; ++end)
            {
                Try(run, settings, setting, ends[end]);
                json_decref(ends[end]);
            }
        }
        // Of materials, which differ in numbers alone, some
        size_t stride = strcmp(GetKey(setting, 0), "tets") == 0 ? 5 : 1;
        json_array_foreach(json_object_get(setting, "choices"), k, choice)
        {
            if (k % stride != 0)
            {
                continue;
            }
            Try(run, settings, setting, json_object_get(choice, "value"));
        }
        Send(run, settings, setting, json_object_get(setting, "value"));
    }
}

static void CheckScene(const char* path)
{
    spError error = SP_ZERO_INIT;
    spScene* scene = spLoadScene(path, NULL, &error);
    if (scene == NULL)
    {
        fail_msg("%s: %s", path, error.message);
    }
    spRun *plain = Start(scene), *touched = Start(scene);
    json_t* json = Describe(touched, false);
    CheckKeys(json);
    const json_t* settings = json_object_get(json, "settings");
    size_t i;
    json_t* setting;
    json_array_foreach((json_t*)(uintptr_t)settings, i, setting)
    {
        CheckSetting(setting);
        Send(touched, settings, setting, json_object_get(setting, "value"));
    }
    json_t* again = Describe(touched, false);
    assert_true(json_equal(json, again));
    for (int step = 0; step < 3; ++step)
    {
        spRun_Step(plain);
        spRun_Step(touched);
    }
    bool same = spWorld_GetStateHash(spRun_GetWorld(plain)) == spWorld_GetStateHash(spRun_GetWorld(touched));
    print_message("%s: %zu settings, %s\n", path, json_array_size(settings),
                  same ? "same bits" : "OTHER BITS");
    assert_true(same);
    TryAll(touched, settings);
    json_decref(again);
    json_decref(json);
    spDestroyRun(touched);
    spDestroyRun(plain);
    spDestroyScene(scene);
}

static void TestScenes(void** state)
{
    SP_UNUSED(state);
    DIR* folder = opendir(SOUPLE_SOURCE_DIR "/scenes");
    assert_non_null(folder);
    int count = 0;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder))
    {
        const char* ending = strrchr(entry->d_name, '.');
        if (ending != NULL && strcmp(ending, ".json") == 0)
        {
            char path[1024];
            snprintf(path, sizeof(path), SOUPLE_SOURCE_DIR "/scenes/%s", entry->d_name);
            CheckScene(path);
            count += 1;
        }
    }
    closedir(folder);
    assert_true(count >= 20);
}

// ---------------------------------------------------------------------------------------------------------
// Methods

#define SHEET                                                                                                \
    "{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"bodies\": [{\"name\": \"sheet\", \"mesh\": "           \
    "{\"generator\": \"cloth\", \"countX\": 4, \"countZ\": 5}, \"density\": 0.3, \"springs\": "              \
    "[{\"edges\": \"structural\", \"stiffness\": 100}, {\"edges\": \"shear\", \"stiffness\": 0, "            \
    "\"damping\": 0}], \"fields\": [{\"type\": \"drag\"}, {\"type\": \"massDrag\", \"coefficient\": 2}], "   \
    "\"wind\": {\"velocity\": [1, 0, 0]}, \"bends\": {}}], \"colliders\": [{\"name\": \"a\", \"shape\": "    \
    "\"plane\"}, {\"name\": \"b\", \"shape\": \"sphere\", \"radius\": 0.25}, {\"name\": \"c\", \"shape\": "  \
    "\"box\", \"halfSize\": [1, 2, 3]}, {\"name\": \"d\", \"shape\": \"capsule\", \"halfHeight\": 2}], "     \
    "\"measurements\": {\"name\": \"energy\", \"type\": \"energy\"}, \"output\": {\"picture\": "             \
    "{\"camera\": "                                                                                          \
    "{\"position\": [1, 2, 3], \"fieldOfView\": 35}}}}"

static spMethodDef MakeOddMethod(int type)
{
    spMethodDef def = spDefaultMethodDef();
    def.type = (spMethodType)type;
    def.contact = sp_contactBacktrack;
    def.substeps = 7;
    def.maxSubsteps = 77;
    def.safety = (spReal)0.3;
    def.solver = (spSolverDef){
        .operatorType = sp_operatorMatrixFree,
        .preconditioner = sp_preconditionIncomplete,
        .tolerance = (spReal)3.3e-5,
        .maxIterations = 333,
        .newtonSteps = 4,
        .newtonTolerance = (spReal)1.7e-3,
        .asynchronous = true,
        .warp = false,
        .refresh = 13,
        .age = 5,
        .dropTolerance = (spReal)0.0123,
    };
    def.xpbd = (spXpbdDef){
        .solver = sp_xpbdGaussSeidel,
        .accelerator = sp_accelerateChebyshev,
        .tetRows = sp_tetRowsEnergy,
        .order = sp_xpbdColours,
        .iterations = 33,
        .relaxation = (spReal)1.1,
        .window = 7,
        .conditionLimit = (spReal)1234.5,
        .safeguard = false,
        .radius = (spReal)0.7,
        .delay = 3,
    };
    return def;
}

static void CheckFilter(const spFilterDef* a, const spFilterDef* b)
{
    assert_true(a->type == b->type && a->reading == b->reading && a->lambda == b->lambda);
    assert_true(a->adaptive == b->adaptive && a->keepRotation == b->keepRotation);
    assert_true(a->allowNegative == b->allowNegative);
    assert_true((a->edges == NULL) == (b->edges == NULL));
    if (a->edges != NULL)
    {
        assert_int_equal(a->edgeCount, b->edgeCount);
        assert_memory_equal(a->edges, b->edges, 2 * (size_t)a->edgeCount * sizeof(int32_t));
    }
}

static void CheckSolver(const spSolverDef* a, const spSolverDef* b)
{
    assert_true(a->operatorType == b->operatorType && a->preconditioner == b->preconditioner);
    assert_true(a->tolerance == b->tolerance && a->maxIterations == b->maxIterations);
    assert_true(a->newtonSteps == b->newtonSteps && a->newtonTolerance == b->newtonTolerance);
    assert_true(a->asynchronous == b->asynchronous && a->warp == b->warp && a->refresh == b->refresh);
    assert_true(a->age == b->age && a->dropTolerance == b->dropTolerance);
}

static void CheckXpbd(const spXpbdDef* a, const spXpbdDef* b)
{
    assert_true(a->solver == b->solver && a->accelerator == b->accelerator && a->tetRows == b->tetRows);
    assert_true(a->iterations == b->iterations && a->relaxation == b->relaxation && a->window == b->window);
    assert_true(a->conditionLimit == b->conditionLimit && a->safeguard == b->safeguard);
    assert_true(a->radius == b->radius && a->delay == b->delay && a->order == b->order);
}

// Sets a method, reads it from the description, sets another one, and sends what was read
static void RoundTrip(spRun* run, const spMethodDef* def)
{
    spWorld* world = spRun_GetWorld(run);
    spBodyId body = spRun_FindBody(run, "sheet");
    assert_true(spBody_SetMethod(world, body, def));
    json_t* json = Describe(run, false);
    json_t* method = json_object_get(json_array_get(json_object_get(json, "bodies"), 0), "method");
    json_t* event = json_pack("{s:s, s:s, s:O}", "type", "set", "body", "sheet", "method", method);
    spMethodDef plain = spDefaultMethodDef();
    plain.type = def->type == sp_verlet ? sp_bdf2 : sp_verlet;
    spMethodDef given = spBody_GetMethod(world, body);
    int32_t* edges = NULL;
    if (given.filter.type != sp_filterNone && given.filter.edges != NULL)
    {
        size_t size = 2 * (size_t)given.filter.edgeCount * sizeof(int32_t);
        edges = malloc(size);
        memcpy(edges, given.filter.edges, size);
        given.filter.edges = edges;
    }
    assert_true(spBody_SetMethod(world, body, &plain));
    char* text = json_dumps(event, JSON_COMPACT);
    assert_true(strlen(text) < 4096);
    spError error = SP_ZERO_INIT;
    if (spRun_Act(run, text, strlen(text), &error) == false)
    {
        fail_msg("%s: %s", text, error.message);
    }
    spMethodDef read = spBody_GetMethod(world, body);
    assert_true(read.type == given.type && read.contact == given.contact && read.safety == given.safety);
    assert_true(read.substeps == given.substeps && read.maxSubsteps == given.maxSubsteps);
    if (given.type == sp_xpbd)
    {
        CheckXpbd(&given.xpbd, &read.xpbd);
    }
    else if (given.type >= sp_backwardEuler && given.type != sp_rigid)
    {
        CheckSolver(&given.solver, &read.solver);
    }
    else if (given.type != sp_rigid)
    {
        CheckFilter(&given.filter, &read.filter);
    }
    free(edges);
    free(text);
    json_decref(event);
    json_decref(json);
}

// A body of levels: its method from a scene and back, and what it measures
static void TestLevels(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    spScene* scene = spLoadScene(SOUPLE_SOURCE_DIR "/scenes/multiresolution.json", NULL, &error);
    assert_non_null(scene);
    spRun* run = Start(scene);
    spWorld* world = spRun_GetWorld(run);
    for (int i = 0; i < 30; ++i)
    {
        assert_int_equal(spRun_Step(run), 0);
    }
    spBodyId body = spRun_FindBody(run, "bar");
    spLevelsReport report = spBody_GetLevels(world, body);
    assert_int_equal(report.levelCount, 3);
    assert_true(report.splitCount > 0 && report.activeCounts[0] > 0);
    CHECK_NEAR(spRun_GetMeasurement(run, 1),
               report.activeCounts[0] + report.activeCounts[1] + report.activeCounts[2], 0);
    CHECK_NEAR(spRun_GetMeasurement(run, 2), report.evaluations, 0);
    json_t* json = Describe(run, false);
    json_t* method = json_object_get(json_array_get(json_object_get(json, "bodies"), 0), "method");
    assert_string_equal(json_string_value(json_object_get(method, "type")), "multiresolution");
    json_t* refinement = json_object_get(method, "refinement");
    CHECK_NEAR(json_number_value(json_object_get(refinement, "splitError")), 0.002, 1e-9);
    assert_string_equal(json_string_value(json_object_get(refinement, "coupling")), "conserving");
    json_decref(json);
    spDestroyRun(run);
    spDestroyScene(scene);
}

static void TestMethods(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(SHEET);
    spRun* run = Start(scene);
    const int32_t* edges = spBody_GetEdges(spRun_GetWorld(run), spRun_FindBody(run, "sheet"), NULL);
    for (int type = 0; type < sp_methodTypeCount; ++type)
    {
        if (type == sp_multiresolution)
        {
            continue; // takes no sheets: TestLevels
        }
        spMethodDef def = MakeOddMethod(type);
        RoundTrip(run, &def);
        def.substeps = 0;
        def.solver.newtonSteps = 0;
        def.solver.refresh = 0;
        RoundTrip(run, &def);
        if (type >= sp_backwardEuler)
        {
            continue;
        }
        // 4 x 5 nodes: 31 structural edges, 24 of shear. All, two groups, and pairs of no group
        static const int counts[] = {0, 31, 55, 5};
        for (size_t i = 0; i < SP_COUNT(counts); ++i)
        {
            def.filter = (spFilterDef){
                .type = sp_filterGaussian,
                .reading = sp_filterSumNormalised,
                .lambda = (spReal)0.7,
                .edges = counts[i] > 0 ? edges : NULL,
                .edgeCount = counts[i],
                .adaptive = true,
                .keepRotation = false,
                .allowNegative = true,
            };
            RoundTrip(run, &def);
        }
    }
    spDestroyRun(run);
    spDestroyScene(scene);
}

// ---------------------------------------------------------------------------------------------------------

static const json_t* Get(const json_t* settings, const char* label)
{
    size_t i;
    json_t* setting;
    json_array_foreach((json_t*)(uintptr_t)settings, i, setting)
    {
        if (strcmp(json_string_value(json_object_get(setting, "label")), label) == 0)
        {
            return setting;
        }
    }
    return NULL;
}

static double GetValue(const json_t* settings, const char* label)
{
    const json_t* setting = Get(settings, label);
    return setting != NULL ? json_number_value(json_object_get(setting, "value")) : (double)NAN;
}

static void Act(spRun* run, const char* text)
{
    spError error = SP_ZERO_INIT;
    if (spRun_Act(run, text, strlen(text), &error) == false)
    {
        fail_msg("%s: %s", text, error.message);
    }
}

// Several sets have numbers; colliders, camera, measurements and the rest of what does not change
static void TestDescription(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(SHEET);
    spRun* run = Start(scene);
    json_t* json = Describe(run, false);
    CheckKeys(json);
    assert_string_equal(json_string_value(json_object_get(json, "text")), SHEET);
    CHECK_NEAR(json_real_value(json_object_get(json, "dt")), 0.01, 0);
    CHECK_NEAR(json_real_value(json_object_get(json, "duration")), 1.0, 1e-12);
    json_t *body, *colliders, *measurement = json_array_get(json_object_get(json, "measurements"), 0);
    body = json_array_get(json_object_get(json, "bodies"), 0);
    assert_string_equal(json_string_value(json_object_get(body, "name")), "sheet");
    assert_int_equal(json_integer_value(json_object_get(body, "nodes")), 20);
    assert_int_equal(json_integer_value(json_object_get(body, "triangles")), 24);
    assert_int_equal(json_integer_value(json_object_get(body, "tets")), 0);
    CHECK_NEAR(json_real_value(json_object_get(body, "mass")), 0.3 * 4.0, 1e-6);
    assert_true(json_integer_value(json_object_get(body, "elements")) >= 55);
    assert_string_equal(json_string_value(json_object_get(measurement, "name")), "energy");
    assert_string_equal(json_string_value(json_object_get(measurement, "unit")), "J");
    colliders = json_object_get(json, "colliders");
    json_t* wanted =
        json_loads("[{\"name\": \"a\", \"type\": \"plane\"}, {\"name\": \"b\", \"type\": \"sphere\", "
                   "\"radius\": 0.25}, {\"name\": \"c\", \"type\": \"box\", \"halfSize\": [1.0, "
                   "2.0, 3.0]}, {\"name\": \"d\", \"type\": \"capsule\", \"radius\": 0.5, "
                   "\"halfHeight\": 2.0}]",
                   0, NULL);
    assert_true(json_equal(colliders, wanted));
    json_decref(wanted);
    wanted =
        json_loads("{\"position\": [1.0, 2.0, 3.0], \"target\": [0.0, 0.0, 0.0], \"up\": [0.0, 1.0, 0.0], "
                   "\"fieldOfView\": 35.0}",
                   0, NULL);
    assert_true(json_equal(json_object_get(json, "camera"), wanted));
    json_decref(wanted);

    const json_t* settings = json_object_get(json, "settings");
    const json_t *first = Get(settings, "Springs 1: stiffness"),
                 *second = Get(settings, "Springs 2: stiffness");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(first, "extra"), "index")), 0);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(second, "extra"), "index")), 1);
    assert_true(IsKind(first, "log") && IsKind(second, "linear")); // 0 has no place on a log scale
    CHECK_NEAR(json_number_value(json_object_get(first, "min")), 0.1, 1e-12);
    CHECK_NEAR(json_number_value(json_object_get(first, "max")), 1e5, 1e-6);
    assert_string_equal(json_string_value(json_object_get(Get(settings, "Mass drag 2: coefficient"), "unit")),
                        "1/s");
    json_decref(json);

    // Acts and whoever changes the world
    Act(run,
        "{\"type\": \"set\", \"body\": \"sheet\", \"index\": 1, \"stiffness\": 12.5, \"damping\": 0.25}");
    Act(run, "{\"type\": \"set\", \"body\": \"sheet\", \"index\": 1, \"coefficient\": 3}");
    Act(run, "{\"type\": \"set\", \"gravity\": [0, 0, 30]}");
    Act(run, "{\"type\": \"save\", \"name\": \"mine\"}");
    spBody_SetContact(spRun_GetWorld(run), spRun_FindBody(run, "sheet"), (spReal)0.1, (spReal)0.2);
    json = Describe(run, true);
    assert_int_equal(json_object_size(json), 4);
    settings = json_object_get(json, "settings");
    CHECK_NEAR(GetValue(settings, "Springs 1: stiffness"), 100, 0);
    CHECK_NEAR(GetValue(settings, "Springs 2: stiffness"), 12.5, 0);
    CHECK_NEAR(GetValue(settings, "Springs 2: damping"), 0.25, 0);
    CHECK_NEAR(GetValue(settings, "Mass drag 2: coefficient"), 3, 0);
    CHECK_NEAR(GetValue(settings, "Friction"), 0.1, 0); // not 0.10000000149
    CHECK_NEAR(GetValue(settings, "Restitution"), 0.2, 0);
    CHECK_NEAR(json_number_value(json_object_get(Get(settings, "Gravity"), "max")), 30, 0);
    CHECK_NEAR(json_number_value(json_array_get(json_object_get(json, "gravity"), 2)), 30, 0);
    assert_string_equal(json_string_value(json_array_get(json_object_get(json, "states"), 1)), "mine");
    json_decref(json);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// What has no one value is not told: tets of two materials have a scale. Springs that got their stiffness from a modulus
// tell that, until they all get one stiffness.
static void TestLeftOut(void** state)
{
    SP_UNUSED(state);
    spScene* scene =
        Parse("{\"souple\": 1, \"duration\": 1, \"bodies\": [{\"mesh\": {\"generator\": \"box\", \"cells\": "
              "[1, 2, 1]}, \"springs\": {\"youngModulus\": 1000}}, {\"mesh\": {\"generator\": \"box\", "
              "\"cells\": [1, 1, 1]}, \"tets\": {\"regions\": [{\"region\": 0, \"youngModulus\": 5000}]}}, "
              "{\"mesh\": {\"generator\": \"box\", \"cells\": [1, 1, 1]}, \"constraints\": {\"type\": "
              "\"volume\"}, \"method\": \"xpbd\"}]}");
    spRun* run = Start(scene);
    json_t* json = Describe(run, true);
    const json_t* settings = json_object_get(json, "settings");
    assert_null(Get(settings, "Springs: stiffness"));
    CHECK_NEAR(GetValue(settings, "Springs: Young's modulus"), 1000, 0);
    assert_null(Get(settings, "Young's modulus"));
    assert_null(Get(settings, "Material"));
    CHECK_NEAR(GetValue(settings, "Stiffness of all materials"), 1, 0);
    assert_non_null(Get(settings, "Constraints: compliance"));
    // Only xpbd keeps constraints, and what chooses it
    size_t i;
    json_t* setting;
    int methods = 0;
    json_array_foreach((json_t*)(uintptr_t)settings, i, setting)
    {
        if (GetKey(setting, 1) == NULL && strcmp(GetKey(setting, 0), "method") == 0)
        {
            bool kept = strcmp(json_string_value(json_object_get(setting, "body")), "body3") == 0;
            assert_int_equal(json_array_size(json_object_get(setting, "choices")),
                             kept ? 2 : sp_methodTypeCount - 1); // no levels
            methods += 1;
        }
    }
    assert_int_equal(methods, 3);
    json_decref(json);
    Act(run, "{\"type\": \"set\", \"body\": \"body\", \"youngModulus\": 2500}");
    Act(run, "{\"type\": \"set\", \"body\": \"body\", \"damping\": 7}");
    json = Describe(run, true);
    CHECK_NEAR(GetValue(json_object_get(json, "settings"), "Springs: Young's modulus"), 2500, 0);
    CHECK_NEAR(GetValue(json_object_get(json, "settings"), "Springs: damping"), 7, 0);
    json_decref(json);
    Act(run, "{\"type\": \"set\", \"body\": \"body\", \"stiffness\": 30}");
    json = Describe(run, true);
    assert_null(Get(json_object_get(json, "settings"), "Springs: Young's modulus"));
    CHECK_NEAR(GetValue(json_object_get(json, "settings"), "Springs: stiffness"), 30, 0);
    CHECK_NEAR(GetValue(json_object_get(json, "settings"), "Springs: damping"), 7, 0);
    json_decref(json);
    Act(run, "{\"type\": \"set\", \"body\": \"body2\", \"tets\": {\"scale\": 4}}");
    json = Describe(run, true);
    CHECK_NEAR(GetValue(json_object_get(json, "settings"), "Stiffness of all materials"), 4, 0);
    json_decref(json);
    Act(run, "{\"type\": \"set\", \"body\": \"body2\", \"tets\": {\"youngModulus\": 3000, \"poissonRatio\": "
             "0.2}}");
    json = Describe(run, true);
    assert_null(Get(json_object_get(json, "settings"), "Stiffness of all materials"));
    CHECK_NEAR(GetValue(json_object_get(json, "settings"), "Young's modulus"), 3000, 0);
    json_decref(json);
    static const char* const wrong[] = {
        "{\"type\": \"set\", \"body\": \"body2\", \"tets\": {\"scale\": 0}}",
        "{\"type\": \"set\", \"body\": \"body2\", \"tets\": {\"scale\": 2, \"damping\": 1}}",
        "{\"type\": \"set\", \"body\": \"body\", \"youngModulus\": 1, \"stiffness\": 1}",
        "{\"type\": \"set\", \"body\": \"body\", \"youngModulus\": 0}",
        "{\"type\": \"set\", \"body\": \"body2\", \"youngModulus\": 1}",
    };
    for (size_t k = 0; k < SP_COUNT(wrong); ++k)
    {
        spError error = SP_ZERO_INIT;
        assert_false(spRun_Act(run, wrong[k], strlen(wrong[k]), &error));
        assert_true(error.message[0] != 0);
    }
    spDestroyRun(run);
    spDestroyScene(scene);
}

// A scene has the name of its file, which may be anything
static void TestOddName(void** state)
{
    SP_UNUSED(state);
    const char* path = SOUPLE_BINARY_DIR "/test/describe-\xff\xfe.json";
    const char* text = "{\"souple\": 1, \"duration\": 1}";
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(text, 1, strlen(text), file);
    fclose(file);
    spError error = SP_ZERO_INIT;
    spScene* scene = spLoadScene(path, NULL, &error);
    assert_non_null(scene);
    spRun* run = Start(scene);
    json_t* json = Describe(run, false);
    CheckKeys(json);
    assert_string_equal(json_string_value(json_object_get(json, "name")), "describe-\?\?");
    json_decref(json);
    spDestroyRun(run);
    spDestroyScene(scene);
    remove(path);
}

static void TestBadInput(void** state)
{
    SP_UNUSED(state);
    Text text = {0};
    spScene* scene = Parse(SHEET);
    spRun* run = Start(scene);
    assert_false(spRun_Describe(NULL, Append, &text));
    assert_false(spRun_DescribeSettings(NULL, Append, &text));
    assert_false(spRun_Describe(run, NULL, NULL));
    assert_false(spRun_DescribeSettings(run, NULL, NULL));
    assert_null(text.data);
    // Nothing is left behind in the run, and nothing is changed by being looked at
    size_t bytes = spWorld_GetByteCount(spRun_GetWorld(run));
    uint64_t hash = spWorld_GetStateHash(spRun_GetWorld(run));
    for (int i = 0; i < 100; ++i)
    {
        json_decref(Describe(run, i % 2 == 0));
    }
    assert_int_equal(spWorld_GetByteCount(spRun_GetWorld(run)), bytes);
    assert_true(spWorld_GetStateHash(spRun_GetWorld(run)) == hash);
    spDestroyRun(run);
    spDestroyScene(scene);
}

// The JSON library gets no memory at some point: nothing is written, nothing is lost
static int allocationsLeft = -1;

static void* AllocateSome(size_t size)
{
    if (allocationsLeft == 0)
    {
        return NULL;
    }
    allocationsLeft -= allocationsLeft > 0 ? 1 : 0;
    return malloc(size);
}

static void TestNoMemory(void** state)
{
    SP_UNUSED(state);
    spScene* scene = Parse(SHEET);
    spRun* run = Start(scene);
    spMethodDef method = MakeOddMethod(sp_verlet);
    method.filter.type = sp_filterGaussian;
    method.filter.edges = spBody_GetEdges(spRun_GetWorld(run), spRun_FindBody(run, "sheet"), NULL);
    method.filter.edgeCount = 5;
    assert_true(spBody_SetMethod(spRun_GetWorld(run), spRun_FindBody(run, "sheet"), &method));
    Text whole = {0};
    assert_true(spRun_Describe(run, Append, &whole));
    json_set_alloc_funcs(AllocateSome, free);
    int failures = 0;
    for (int i = 0;; ++i)
    {
        Text text = {0};
        allocationsLeft = i;
        bool written = spRun_Describe(run, Append, &text);
        allocationsLeft = -1;
        if (written)
        {
            assert_string_equal(text.data, whole.data);
            free(text.data);
            break;
        }
        assert_null(text.data);
        failures += 1;
    }
    json_set_alloc_funcs(malloc, free);
    print_message("%d points of failure\n", failures);
    assert_true(failures > 1000);
    free(whole.data);
    spDestroyRun(run);
    spDestroyScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestLevels),   cmocka_unit_test(TestMethods), cmocka_unit_test(TestDescription),
        cmocka_unit_test(TestLeftOut),  cmocka_unit_test(TestOddName), cmocka_unit_test(TestBadInput),
        cmocka_unit_test(TestNoMemory), cmocka_unit_test(TestScenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
