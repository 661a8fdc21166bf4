// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The C library's memory failing in turn, for us and for every library that we call: Jansson, libpng, zlib,
// CHOLMOD, libwebsockets. This program has its own malloc, which counts and fails on request. A call is
// refused with a sentence, nothing leaks, and the same call works when there is memory again. Too many
// allocations are sampled. Steps ask for nothing at all once they are warm. What worlds ask their allocator for is in test_memory.c.

#include "base/core.h"
#include "souple/record.h"
#include "souple/scene.h"
#include "souple/souple.h"
#include "testbed/check.h"
#ifdef SOUPLE_HAVE_VIEW
#include "souple/view.h"
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER SOUPLE_BINARY_DIR "/test/malloc/"

// ---- memory that fails ----

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);
SP_API void* memalign(size_t alignment, size_t size);
SP_API int posix_memalign(void** memory, size_t alignment, size_t size);

static volatile long s_count, s_failAt = -1, s_live;

static bool IsOut(void)
{
    long number = __atomic_fetch_add(&s_count, 1, __ATOMIC_RELAXED);
    long failAt = __atomic_load_n(&s_failAt, __ATOMIC_RELAXED);
    return failAt >= 0 && number >= failAt;
}

static void* Count(void* memory)
{
    __atomic_fetch_add(&s_live, memory != NULL ? 1 : 0, __ATOMIC_RELAXED);
    if (memory == NULL)
    {
        errno = ENOMEM;
    }
    return memory;
}

SP_API void* malloc(size_t size)
{
    return Count(IsOut() ? NULL : __libc_malloc(size));
}

SP_API void* calloc(size_t count, size_t size)
{
    return Count(IsOut() ? NULL : __libc_calloc(count, size));
}

SP_API void* realloc(void* memory, size_t size)
{
    if (memory == NULL)
    {
        return malloc(size);
    }
    void* grown = IsOut() ? NULL : __libc_realloc(memory, size);
    if (grown == NULL)
    {
        errno = ENOMEM;
    }
    return grown;
}

SP_API void* aligned_alloc(size_t alignment, size_t size)
{
    return Count(IsOut() ? NULL : __libc_memalign(alignment, size));
}

// Only libgomp asks in this way, which ends the program when it gets nothing
SP_API void* memalign(size_t alignment, size_t size)
{
    return Count(__libc_memalign(alignment, size));
}

SP_API int posix_memalign(void** memory, size_t alignment, size_t size)
{
    *memory = aligned_alloc(alignment, size);
    return *memory != NULL ? 0 : ENOMEM;
}

SP_API void free(void* memory)
{
    __atomic_fetch_sub(&s_live, memory != NULL ? 1 : 0, __ATOMIC_RELAXED);
    __libc_free(memory);
}

// ---- calls ----

static spScene* s_loaded;
static spRun* s_run;
static spRecording* s_recording;
static spMesh* s_mesh;
static const char* s_format;
static char s_path[4096];

static bool LoadScene(spError* error)
{
    spScene* scene = spLoadScene(SOUPLE_SOURCE_DIR "/scenes/demo.json", NULL, error);
    spDestroyScene(scene);
    return scene != NULL;
}

static bool CheckScene(spError* error)
{
    spSceneProblem problems[4];
    int count = 0;
    bool good = spCheckScene(SOUPLE_SOURCE_DIR "/scenes/demo.json", problems, 4, &count);
    *error = (spError){.code = good ? sp_errorNone : sp_errorOutOfMemory};
    snprintf(error->message, sizeof(error->message), "%.400s", count > 0 ? problems[0].message : "");
    return good;
}

static bool SaveScene(spError* error)
{
    return spSaveScene(s_loaded, FOLDER "scene.json", true, error);
}

static bool CopyScene(spError* error)
{
    spScene* scene = spCopySceneWithMethod(s_loaded, "bdf2:solver=ssor", NULL, error);
    spDestroyScene(scene);
    return scene != NULL;
}

static bool RunScene(spError* error)
{
    spRunDef def = spDefaultRunDef();
    spRun* run = spCreateRun(s_loaded, &def, error);
    spDestroyRun(run);
    return run != NULL;
}

static bool Act(spError* error)
{
    const char* text = "{\"type\": \"force\", \"body\": \"ball\", \"nodes\": [1, 2], \"force\": [0, 0, 0]}";
    return spRun_Act(s_run, text, strlen(text), error);
}

static void WriteText(const char* text, size_t size, void* context)
{
    SP_UNUSED(text);
    *(size_t*)context += size;
}

static bool Describe(spError* error)
{
    size_t size = 0;
    bool good = spRun_Describe(s_run, WriteText, &size) && spRun_DescribeSettings(s_run, WriteText, &size);
    // They say no more than that
    *error = good ? (spError){0} : (spError){.code = sp_errorOutOfMemory, .message = "not described"};
    return good;
}

static bool LoadRecording(spError* error)
{
    spRecording* recording = spLoadRecording(FOLDER "demo.souple", NULL, error);
    spDestroyRecording(recording);
    return recording != NULL;
}

static bool Record(spError* error)
{
    spRecorderDef def = spDefaultRecorderDef();
    def.path = FOLDER "record.souple";
    def.storeVelocities = true;
    spWorld* world = spRun_GetWorld(s_run);
    spRecorder* recorder = spCreateRecorder(world, &def, error);
    if (recorder == NULL)
    {
        return false;
    }
    spRecorder_AddFrame(recorder, world, NULL);
    return spCloseRecorder(recorder, error);
}

static bool ExportVtu(spError* error)
{
    spExportDef def = spDefaultExportDef();
    def.folder = FOLDER "export";
    return spExportVtu(s_recording, &def, error);
}

static bool ExportTables(spError* error)
{
    spExportDef def = spDefaultExportDef();
    def.folder = FOLDER "export";
    return spExportCsv(s_recording, &def, error) && spExportObj(s_recording, &def, error);
}

static bool ExportPng(spError* error)
{
    spExportDef def = spDefaultExportDef();
    spPictureDef picture = spDefaultPictureDef();
    def.folder = FOLDER "export";
    picture.width = 32;
    picture.height = 24;
    return spExportPng(s_recording, &def, &picture, error);
}

static bool SavePlot(const char* path, spError* error)
{
    static const double x[] = {0, 1, 2}, y[] = {0, 2, 1};
    static const spPlotSeries series[] = {{.name = "a", .x = x, .y = y, .count = 3}};
    spPlotDef def = spDefaultPlotDef();
    def.series = series;
    def.seriesCount = 1;
    return spSavePlot(&def, path, error);
}

static bool SaveSvg(spError* error)
{
    return SavePlot(FOLDER "plot.svg", error);
}

static bool SavePng(spError* error)
{
    return SavePlot(FOLDER "plot.png", error);
}

static bool SaveMesh(spError* error)
{
    return spSaveMeshAs(s_mesh, FOLDER "mesh", s_format, error);
}

static bool LoadMesh(spError* error)
{
    spMesh* mesh = spLoadMesh(s_path, NULL, error);
    spDestroyMesh(mesh);
    return mesh != NULL;
}

static bool RepairMesh(spError* error)
{
    spMesh* mesh = spLoadMesh(SOUPLE_SOURCE_DIR "/scenes/thirds.msh", NULL, error);
    spRepairDef def = spDefaultRepairDef();
    spRepairReport report;
    bool good = mesh != NULL && spMesh_Repair(mesh, &def, &report, error);
    spDestroyMesh(mesh);
    return good;
}

static bool Restore(spError* error)
{
    spSnapshot* snapshot = spWorld_Save(spRun_GetWorld(s_run));
    if (snapshot == NULL)
    {
        *error = spWorld_GetLastError(spRun_GetWorld(s_run));
        return false;
    }
    size_t size = 0;
    const void* data = spSnapshot_GetData(snapshot, &size);
    spSnapshot* copy = spCreateSnapshot(data, size, error);
    bool good = copy != NULL;
    spDestroySnapshot(copy);
    spDestroySnapshot(snapshot);
    return good;
}

#ifdef SOUPLE_HAVE_CHOLMOD
// CHOLMOD's own memory too
static bool StepWithFactor(spError* error)
{
    spWorldDef worldDef = spDefaultWorldDef();
    spBodyDef bodyDef = spDefaultBodyDef();
    spTetDef tetDef = spDefaultTetDef();
    bodyDef.mesh = s_mesh;
    bodyDef.method.type = sp_backwardEuler;
    bodyDef.method.solver.preconditioner = sp_preconditionCholesky;
    spWorld* world = spCreateWorld(&worldDef, error);
    if (world == NULL)
    {
        return false;
    }
    spBodyId body = spCreateBody(world, &bodyDef);
    bool good = SP_IS_NULL(body) == false && spBody_AddTets(world, body, &tetDef) >= 0;
    uint32_t flags = good ? spWorld_Step(world, (spReal)0.01) : 0;
    *error = spWorld_GetLastError(world);
    // A factor that could not be made is done without; a step that did less has a flag for it
    if (good && flags != 0 && error->code == sp_errorNone)
    {
        *error = (spError){.code = sp_errorOutOfMemory, .message = "the flags say so"};
    }
    good = good && flags == 0 && error->code == sp_errorNone;
    spVec3 center = spBody_GetCenter(world, body);
    assert_true(isfinite(center.y));
    spDestroyWorld(world);
    return good;
}
#endif

// ---- steps ----

typedef struct StepCase
{
    const char* name;
    spMethodType type;
    spPreconditionerType preconditioner;
    bool asynchronous;
} StepCase;

// A box that hangs from one end and lies on the ground with the other
static spWorld* MakeStepWorld(const StepCase* c)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    assert_non_null(world);
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.cells[0] = 12;
    box.cells[1] = box.cells[2] = 4;
    box.size = (spDVec3){1.2, 0.4, 0.4};
    spMesh* mesh = spMakeBoxMesh(&box, &error);
    assert_non_null(mesh);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method.type = c->type;
    bodyDef.method.solver.preconditioner = c->preconditioner;
    bodyDef.method.solver.asynchronous = c->asynchronous;
    bodyDef.method.solver.refresh = 1;
    bodyDef.method.solver.age = c->asynchronous ? 2 : 0;
    spBodyId body = spCreateBody(world, &bodyDef);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)2e5;
    tets.damping = (spReal)0.01;
    if (SP_IS_NULL(body) || spBody_AddTets(world, body, &tets) < 0)
    {
        fail_msg("%s: %s", c->name, spWorld_GetLastError(world).message);
    }
    spDestroyMesh(mesh);
    spColliderDef ground = spDefaultColliderDef();
    ground.transform.position.y = (spReal)-0.01;
    assert_false(SP_IS_NULL(spCreateCollider(world, &ground)));
    return world;
}

// After some steps nothing asks for memory any more: not a world, and no library that it calls
static void TestSteps(void** state)
{
    SP_UNUSED(state);
    static const StepCase s_cases[] = {
        {"symplecticEuler", sp_symplecticEuler, sp_preconditionNone, false},
        {"verlet", sp_verlet, sp_preconditionNone, false},
        {"rungeKutta4", sp_rungeKutta4, sp_preconditionNone, false},
        {"xpbd", sp_xpbd, sp_preconditionNone, false},
        {"jacobi", sp_backwardEuler, sp_preconditionJacobi, false},
        {"ssor", sp_bdf2, sp_preconditionSsor, false},
        {"incomplete", sp_backwardEuler, sp_preconditionIncomplete, false},
        {"incomplete, own thread", sp_backwardEuler, sp_preconditionIncomplete, true},
#ifdef SOUPLE_HAVE_CHOLMOD
        {"cholesky", sp_backwardEuler, sp_preconditionCholesky, false},
        {"cholesky, own thread", sp_backwardEuler, sp_preconditionCholesky, true},
#endif
    };
    for (int i = 0; i < SP_COUNT(s_cases); ++i)
    {
        spWorld* world = MakeStepWorld(s_cases + i);
        for (int k = 0; k < 40; ++k)
        {
            spWorld_Step(world, (spReal)(1.0 / 60.0));
        }
        s_count = 0;
        for (int k = 0; k < 20; ++k)
        {
            spWorld_Step(world, (spReal)(1.0 / 60.0));
        }
        long count = s_count;
        print_message("%-24s %ld allocations in 20 steps\n", s_cases[i].name, count);
        assert_int_equal(count, 0);
        spDestroyWorld(world);
    }
}

#ifdef SOUPLE_HAVE_VIEW
static bool SaveReport(spError* error)
{
    spReportDef def = spDefaultReportDef();
    def.recording = s_recording;
    return spSaveReport(&def, FOLDER "report.html", error);
}

static bool CreateView(spError* error)
{
    static const char* const paths[] = {SOUPLE_SOURCE_DIR "/scenes/demo.json"};
    spViewDef def = spDefaultViewDef();
    def.scenePaths = paths;
    def.sceneCount = 1;
    spView* view = spCreateView(&def, error);
    spDestroyView(view);
    return view != NULL;
}
#endif

// ---- failing ----

// From some allocation on there is no memory; at most so many points
static void FailFrom(const char* what, bool (*call)(spError* error), int most)
{
    spError error = SP_ZERO_INIT;
    // What libraries keep for good is kept now
    for (int i = 0; i < 2; ++i)
    {
        if (call(&error) == false)
        {
            fail_msg("%s: %s", what, error.message);
        }
    }
    s_count = 0;
    assert_true(call(&error));
    long count = s_count, stride = count / most + 1;
    long refused = 0, without = 0;
    for (long k = 0; k < count; k += stride)
    {
        error = (spError){0};
        long live = s_live;
        s_count = 0;
        s_failAt = k;
        bool good = call(&error);
        s_failAt = -1;
        refused += good == false;
        without += good;
        if (good == false && (error.code != sp_errorOutOfMemory || error.message[0] == 0))
        {
            fail_msg("%s, allocation %ld of %ld: %s: %s", what, k, count, spErrorCode_GetName(error.code),
                     error.message);
        }
        // libwebsockets 4.1 loses three pieces of its own where lws_create_vhost fails
        bool theirs =
            strstr(error.message, "the network library cannot listen") != NULL && s_live == live + 3;
        if (s_live != live && theirs == false)
        {
            fail_msg("%s, allocation %ld of %ld: %ld pieces leaked; %s", what, k, count, s_live - live,
                     error.message);
        }
    }
    error = (spError){0};
    if (call(&error) == false)
    {
        fail_msg("%s: with memory again: %s", what, error.message);
    }
    print_message("%-16s %6ld allocations: %ld refused, %ld done without\n", what, count, refused, without);
}

static void TestScenes(void** state)
{
    SP_UNUSED(state);
    FailFrom("load a scene", LoadScene, 150);
    FailFrom("check a scene", CheckScene, 150);
    FailFrom("save a scene", SaveScene, 50);
    FailFrom("another method", CopyScene, 100);
    FailFrom("start a run", RunScene, 60);
    FailFrom("act", Act, 100);
    FailFrom("describe", Describe, 100);
    FailFrom("snapshot", Restore, 20);
}

static void TestRecordings(void** state)
{
    SP_UNUSED(state);
    FailFrom("record", Record, 60);
    FailFrom("load a recording", LoadRecording, 60);
    FailFrom("export vtu", ExportVtu, 60);
    FailFrom("export tables", ExportTables, 60);
    if (spHasPng())
    {
        FailFrom("export png", ExportPng, 60);
        FailFrom("plot as png", SavePng, 60);
    }
    FailFrom("plot as svg", SaveSvg, 60);
}

static void TestMeshes(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; spGetMeshFormatName(i) != NULL; ++i)
    {
        char name[64];
        spError error = SP_ZERO_INIT;
        s_format = spGetMeshFormatName(i);
        // The ending is what comes before the form: "vtu-ascii"
        snprintf(s_path, sizeof(s_path), FOLDER "mesh_%d.%.*s", i, (int)strcspn(s_format, "-"), s_format);
        if (spSaveMeshAs(s_mesh, s_path, s_format, &error) == false)
        {
            fail_msg("%s: %s", s_format, error.message);
        }
        snprintf(name, sizeof(name), "save %s", s_format);
        FailFrom(name, SaveMesh, 30);
        snprintf(name, sizeof(name), "load %s", s_format);
        FailFrom(name, LoadMesh, 30);
    }
    FailFrom("repair", RepairMesh, 60);
}

#ifdef SOUPLE_HAVE_CHOLMOD
static void TestFactor(void** state)
{
    SP_UNUSED(state);
    FailFrom("Cholesky factor", StepWithFactor, 300);
}
#endif

#ifdef SOUPLE_HAVE_VIEW
static void TestView(void** state)
{
    SP_UNUSED(state);
    if (spHasPage())
    {
        FailFrom("report", SaveReport, 100);
    }
    if (spHasView())
    {
        FailFrom("live page", CreateView, 60);
    }
}
#endif

static int SetUpAll(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    mkdir(FOLDER, 0777);
    s_loaded = spLoadScene(SOUPLE_SOURCE_DIR "/scenes/demo.json", NULL, &error);
    spRunDef def = spDefaultRunDef();
    s_run = s_loaded != NULL ? spCreateRun(s_loaded, &def, &error) : NULL;
    spRecorderDef recorderDef = spDefaultRecorderDef();
    recorderDef.path = FOLDER "demo.souple";
    recorderDef.storeVelocities = true;
    recorderDef.sceneText = s_loaded != NULL ? spScene_GetText(s_loaded, NULL) : NULL;
    spRecorder* recorder =
        s_run != NULL ? spCreateRecorder(spRun_GetWorld(s_run), &recorderDef, &error) : NULL;
    for (int i = 0; i < 2 && recorder != NULL; ++i)
    {
        spRun_Step(s_run);
        spRecorder_AddFrame(recorder, spRun_GetWorld(s_run), NULL);
    }
    spBoxMeshDef box = spDefaultBoxMeshDef();
    s_mesh = spMakeBoxMesh(&box, &error);
    s_recording = recorder != NULL && spCloseRecorder(recorder, &error)
                      ? spLoadRecording(FOLDER "demo.souple", NULL, &error)
                      : NULL;
    return s_recording != NULL && s_mesh != NULL ? 0 : -1;
}

static int TearDownAll(void** state)
{
    SP_UNUSED(state);
    spDestroyMesh(s_mesh);
    spDestroyRecording(s_recording);
    spDestroyRun(s_run);
    spDestroyScene(s_loaded);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSteps),      cmocka_unit_test(TestScenes),
        cmocka_unit_test(TestRecordings), cmocka_unit_test(TestMeshes),
#ifdef SOUPLE_HAVE_CHOLMOD
        cmocka_unit_test(TestFactor),
#endif
#ifdef SOUPLE_HAVE_VIEW
        cmocka_unit_test(TestView),
#endif
    };
    return cmocka_run_group_tests(tests, SetUpAll, TearDownAll);
}
