// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Every allocation of a world failing in turn, alone and with all after it. A call is refused with a sentence
// and changes nothing; a step says that it did less, or does the same by other means; nothing leaks; and when
// there is memory again the same call works and the world goes on. Files and what other libraries allocate
// are in test_malloc.c.

#include "base/core.h"
#include "souple/souple.h"
#include "test/memory_test.h"
#include "testbed/check.h"

#include <string.h>

static const spReal frame = (spReal)(1.0 / 60.0);

typedef enum Shape
{
    shapeBox,   // tets
    shapeCloth, // triangles
    shapeBall   // closed surface
} Shape;

typedef enum Kind
{
    kindSprings,
    kindModulus, // springs from Young's modulus
    kindTets,
    kindGas,
    kindCloth, // bends and wind
    kindField,
    kindConstraint,
    kindCount
} Kind;

typedef struct Recipe
{
    char name[80];
    Shape shape;
    Kind kind;
    int variant;         // law, type of the field or of the constraint
    spReal youngModulus; // of tets, Pa
    spMethodDef method;
} Recipe;

typedef struct Rig
{
    FailingAllocator failing;
    spMesh* mesh;
    spMesh* coarse; // of bodies of levels, else NULL
    Recipe recipe;
    spWorld* world;
    spBodyId body, second;
    spColliderId ground;
    spLinkId link;
    spSnapshot* snapshot;
    spError error; // of a call without a world
} Rig;

static spMesh* MakeBox(int cells)
{
    spError error = SP_ZERO_INIT;
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.cells[0] = cells;
    def.cells[1] = def.cells[2] = 1;
    def.size = (spDVec3){0.3, 0.1, 0.1};
    spMesh* mesh = spMakeBoxMesh(&def, &error);
    assert_non_null(mesh);
    return mesh;
}

static spMesh* MakeShape(Shape shape)
{
    spError error = SP_ZERO_INIT;
    spMesh* mesh = NULL;
    if (shape == shapeBox)
    {
        mesh = MakeBox(3);
    }
    else if (shape == shapeCloth)
    {
        spClothMeshDef def = spDefaultClothMeshDef();
        def.countX = def.countZ = 4;
        mesh = spMakeClothMesh(&def, &error);
    }
    else
    {
        spShellMeshDef def = spDefaultShellMeshDef();
        def.level = 1;
        mesh = spMakeIcosphereMesh(&def, &error);
    }
    if (mesh == NULL)
    {
        fail_msg("%s", error.message);
    }
    return mesh;
}

// ---- calls ----

static bool CreateWorld(Rig* rig)
{
    spWorldDef def = spDefaultWorldDef();
    def.allocator = MakeFailingAllocator(&rig->failing);
    rig->world = spCreateWorld(&def, &rig->error);
    return rig->world != NULL;
}

static bool CreateBodyAt(Rig* rig, spBodyId* body, spReal height)
{
    spBodyDef def = spDefaultBodyDef();
    def.mesh = rig->mesh;
    def.density = 100;
    def.transform.position.y = height;
    def.velocity = (spVec3){0, -2, 0};
    def.method = rig->recipe.method;
    const spMesh* levels[] = {rig->coarse};
    def.levels = levels;
    def.levelCount = rig->coarse != NULL ? 1 : 0;
    *body = spCreateBody(rig->world, &def);
    return SP_IS_NULL(*body) == false;
}

// Just above the ground, so that the first steps meet it
static bool CreateBody(Rig* rig)
{
    return CreateBodyAt(rig, &rig->body, (spReal)0.07);
}

static bool CreateSecondBody(Rig* rig)
{
    return CreateBodyAt(rig, &rig->second, (spReal)0.5);
}

static bool AddKind(Rig* rig)
{
    spWorld* world = rig->world;
    switch (rig->recipe.kind)
    {
        case kindSprings:
        case kindModulus:
        {
            spSpringDef def = spDefaultSpringDef();
            def.damping = 1;
            def.law = (spSpringLaw)rig->recipe.variant;
            def.stiffness = 200;
            def.youngModulus = rig->recipe.kind == kindModulus ? 10000 : 0;
            def.thickness = (spReal)0.01;
            return spBody_AddSprings(world, rig->body, &def) >= 0;
        }
        case kindTets:
        {
            spTetDef def = spDefaultTetDef();
            def.law = (spTetLaw)rig->recipe.variant;
            def.youngModulus = rig->recipe.youngModulus;
            return spBody_AddTets(world, rig->body, &def) >= 0;
        }
        case kindGas:
        {
            spGasDef def = spDefaultGasDef();
            def.ambient = false;
            def.restPressure = 100;
            def.triangles =
                rig->recipe.variant == 1 ? spBody_GetTriangles(world, rig->body, &def.triangleCount) : NULL;
            return spBody_AddGas(world, rig->body, &def) >= 0;
        }
        case kindCloth:
        {
            spBendDef bends = spDefaultBendDef();
            spWindDef wind = spDefaultWindDef();
            return rig->recipe.variant == 0 ? spBody_AddBends(world, rig->body, &bends) >= 0
                                            : spBody_AddWind(world, rig->body, &wind) >= 0;
        }
        case kindField:
        {
            spFieldDef def = spDefaultFieldDef();
            def.type = (spFieldType)rig->recipe.variant;
            def.coefficient = (spReal)1e-4;
            def.minDistance = (spReal)0.02;
            return spBody_AddField(world, rig->body, &def) >= 0;
        }
        default:
        {
            spConstraintDef def = spDefaultConstraintDef();
            def.type = (spConstraintType)rig->recipe.variant;
            def.compliance = (spReal)1e-4;
            return spBody_AddConstraints(world, rig->body, &def) >= 0;
        }
    }
}

static bool CreateGround(Rig* rig)
{
    spColliderDef def = spDefaultColliderDef();
    rig->ground = spCreateCollider(rig->world, &def);
    return SP_IS_NULL(rig->ground) == false;
}

static bool Grab(Rig* rig)
{
    static const int32_t nodes[] = {1, 2};
    spLinkDef def = spDefaultLinkDef();
    def.body = rig->body;
    def.nodes = nodes;
    def.nodeCount = 2;
    def.stiffness = 50;
    rig->link = spCreateLink(rig->world, &def);
    return SP_IS_NULL(rig->link) == false;
}

static bool LinkBodies(Rig* rig)
{
    static const int32_t nodes[] = {0, 3};
    spLinkDef def = spDefaultLinkDef();
    def.body = rig->body;
    def.otherBody = rig->second;
    def.nodes = nodes;
    def.nodeCount = 2;
    rig->link = spCreateLink(rig->world, &def);
    return SP_IS_NULL(rig->link) == false;
}

static bool Save(Rig* rig)
{
    rig->snapshot = spWorld_Save(rig->world);
    return rig->snapshot != NULL;
}

static bool SetForce(Rig* rig)
{
    return spBody_SetNodeForce(rig->world, rig->body, 2, (spVec3){0, (spReal)0.1, 0});
}

static bool Drive(Rig* rig)
{
    return spBody_DriveNode(rig->world, rig->body, 1, (spVec3){0, (spReal)0.3, 0});
}

static bool Pin(Rig* rig)
{
    static const int32_t nodes[] = {0, 1};
    return spBody_PinNodes(rig->world, rig->body, nodes, 2);
}

static bool SetMethod(Rig* rig)
{
    return spBody_SetMethod(rig->world, rig->body, &rig->recipe.method);
}

static bool AttachSurface(Rig* rig)
{
    return spBody_AttachSurface(rig->world, rig->body, rig->mesh);
}

static bool Relax(Rig* rig)
{
    spRelaxDef def = spDefaultRelaxDef();
    def.maxIterations = 50;
    spRelaxResult result;
    return spBody_Relax(rig->world, rig->body, &def, &result);
}

static bool RelaxDynamically(Rig* rig)
{
    spRelaxDef def = spDefaultRelaxDef();
    def.maxIterations = 50;
    def.dynamic = true;
    spRelaxResult result;
    return spBody_Relax(rig->world, rig->body, &def, &result);
}

static bool Decide(Rig* rig)
{
    spDecision decision = {
        .step = spWorld_GetStepCount(rig->world), .factorStep = -1, .stopAfter = -1, .dt = 0.01};
    return spWorld_Decide(rig->world, &decision, 1);
}

static bool RecordSweeps(Rig* rig)
{
    static spSweepRecord s_records[8];
    spVec3View x = spBody_GetPositions(rig->world, rig->body);
    spVec3 target[64] = {{0}};
    memcpy(target, x.data, (size_t)x.count * sizeof(spVec3));
    return spBody_RecordSweeps(rig->world, rig->body, s_records, 8, target);
}

// ---- failing ----

static int s_points;

static void Arm(Rig* rig, int failAt, bool after)
{
    rig->failing.count = 0;
    rig->failing.failAt = failAt;
    rig->failing.failAfter = after;
}

static void CheckError(const Rig* rig, const char* what, int k, const spError* error)
{
    if (error->code != sp_errorOutOfMemory || strstr(error->message, "memory") == NULL)
    {
        fail_msg("%s, %s, allocation %d: %s: %s", rig->recipe.name, what, k, spErrorCode_GetName(error->code),
                 error->message);
    }
}

// Calls until no allocation fails any more
static void FailEach(Rig* rig, const char* what, bool (*call)(Rig* rig))
{
    // Without memory for Newton's method there is dynamic relaxation
    bool hasOtherMeans = call == Relax;
    for (int k = 0;; ++k)
    {
        for (int after = 0; after < 2; ++after)
        {
            uint64_t hash = rig->world != NULL ? spWorld_GetStateHash(rig->world) : 0;
            int bodies = rig->world != NULL ? spWorld_GetBodyCount(rig->world) : 0;
            uint32_t topology = rig->world != NULL ? spBody_GetTopologyVersion(rig->world, rig->body) : 0;
            Arm(rig, k, after == 1);
            bool good = call(rig);
            bool reached = rig->failing.count > k;
            Arm(rig, -1, false);
            if (good && reached && hasOtherMeans)
            {
                continue;
            }
            if (good == reached)
            {
                fail_msg("%s, %s: allocation %d %s, and the call %s", rig->recipe.name, what, k,
                         reached ? "failed" : "was not reached", good ? "did not say so" : "failed");
            }
            if (good)
            {
                return;
            }
            s_points += 1;
            if (rig->world == NULL)
            {
                CheckError(rig, what, k, &rig->error);
                rig->error = (spError){0};
                assert_int_equal(rig->failing.out, 0);
                continue;
            }
            spError error = spWorld_GetLastError(rig->world);
            CheckError(rig, what, k, &error);
            spWorld_ClearError(rig->world);
            if (spWorld_GetStateHash(rig->world) != hash || spWorld_GetBodyCount(rig->world) != bodies ||
                spBody_GetTopologyVersion(rig->world, rig->body) != topology)
            {
                fail_msg("%s, %s, allocation %d: the world has changed", rig->recipe.name, what, k);
            }
        }
    }
}

static Rig MakeRig(const Recipe* recipe)
{
    bool levels = recipe->method.type == sp_multiresolution;
    return (Rig){.failing = {.failAt = -1},
                 .mesh = MakeShape(recipe->shape),
                 .coarse = levels ? MakeBox(2) : NULL,
                 .recipe = *recipe};
}

static void DestroyMeshes(Rig* rig)
{
    spDestroyMesh(rig->mesh);
    spDestroyMesh(rig->coarse);
}

static void DestroyRig(Rig* rig)
{
    spDestroySnapshot(rig->snapshot);
    spDestroyWorld(rig->world);
    rig->world = NULL;
    rig->snapshot = NULL;
    if (rig->failing.out != 0)
    {
        fail_msg("%s: %ld bytes leaked", rig->recipe.name, (long)rig->failing.out);
    }
}

// What holds the body together when its own elements do not
static void AddSkeleton(Rig* rig)
{
    Kind kind = rig->recipe.kind;
    if (kind == kindGas || kind == kindCloth || kind == kindField)
    {
        spSpringDef def = spDefaultSpringDef();
        def.damping = 1;
        def.stiffness = 200;
        assert_true(spBody_AddSprings(rig->world, rig->body, &def) >= 0);
    }
    else if (kind == kindConstraint && rig->recipe.variant != sp_constraintDistance)
    {
        spConstraintDef def = spDefaultConstraintDef();
        assert_true(spBody_AddConstraints(rig->world, rig->body, &def) >= 0);
    }
}

static void Build(Rig* rig)
{
    assert_true(CreateWorld(rig) && CreateBody(rig));
    AddSkeleton(rig);
    bool tethered = rig->recipe.kind == kindConstraint && rig->recipe.variant == sp_constraintTether;
    bool resting = rig->recipe.method.type == sp_quasiStatic; // what falls has no equilibrium
    assert_true((tethered == false && resting == false) || Pin(rig));
    if (AddKind(rig) == false)
    {
        fail_msg("%s: %s", rig->recipe.name, spWorld_GetLastError(rig->world).message);
    }
    assert_true(CreateGround(rig));
}

static void CheckFinite(const Rig* rig)
{
    spVec3View x = spBody_GetPositions(rig->world, rig->body);
    for (int i = 0; i < x.count; ++i)
    {
        if (!(fabs((double)x.data[i].x) < 10 && fabs((double)x.data[i].y) < 10 &&
              fabs((double)x.data[i].z) < 10))
        {
            fail_msg("%s: node %d is at (%g, %g, %g)", rig->recipe.name, i, (double)x.data[i].x,
                     (double)x.data[i].y, (double)x.data[i].z);
        }
    }
}

// ---- recipes ----

static Recipe MakeRecipe(const char* name, Shape shape, Kind kind, int variant, spMethodType type)
{
    Recipe recipe = {.shape = shape,
                     .kind = kind,
                     .variant = variant,
                     .youngModulus = 20000,
                     .method = spDefaultMethodDef()};
    snprintf(recipe.name, sizeof(recipe.name), "%s %d, method %d", name, variant, (int)type);
    recipe.method.type = type;
    return recipe;
}

// Kinds of elements, each with its variants
static const struct
{
    const char* name;
    Shape shape;
    Kind kind;
    int variantCount;
} s_kinds[] = {
    {"springs", shapeBox, kindSprings, sp_springLawCount},
    {"springs of tets", shapeBox, kindModulus, 1},
    {"springs of a sheet", shapeCloth, kindModulus, 1},
    {"tets", shapeBox, kindTets, sp_tetLawCount},
    {"gas", shapeBall, kindGas, 2},
    {"cloth", shapeCloth, kindCloth, 2},
    {"field", shapeBox, kindField, sp_fieldTypeCount},
    {"constraint", shapeBox, kindConstraint, sp_constraintTypeCount},
};

static int ListKinds(Recipe* recipes, spMethodType type)
{
    int count = 0;
    for (int i = 0; i < SP_COUNT(s_kinds); ++i)
    {
        for (int k = 0; k < s_kinds[i].variantCount; ++k)
        {
            bool constraint = s_kinds[i].kind == kindConstraint;
            if (constraint == false || type == sp_xpbd)
            {
                recipes[count++] = MakeRecipe(s_kinds[i].name, s_kinds[i].shape, s_kinds[i].kind, k, type);
            }
        }
    }
    return count;
}

// Methods, with all that they can be made of
static int ListMethods(Recipe* recipes)
{
    int count = 0;
    for (int type = 0; type < sp_methodTypeCount; ++type)
    {
        recipes[count++] = MakeRecipe("tets", shapeBox, kindTets, sp_tetCorotational, (spMethodType)type);
    }
    recipes[sp_forwardEuler].method.substeps = 200;
    Recipe filter = MakeRecipe("filter", shapeBox, kindTets, sp_tetCorotational, sp_symplecticEuler);
    filter.method.filter.type = sp_filterGaussian;
    filter.method.filter.lambda = 1;
    recipes[count++] = filter;
    for (int type = 0; type < sp_preconditionerTypeCount; ++type)
    {
#ifndef SOUPLE_HAVE_CHOLMOD
        if (type == sp_preconditionCholesky)
        {
            continue;
        }
#endif
        for (int asynchronous = 0; asynchronous < 2; ++asynchronous)
        {
            Recipe recipe = MakeRecipe("tets", shapeBox, kindTets, sp_tetCorotational, sp_backwardEuler);
            snprintf(recipe.name, sizeof(recipe.name), "preconditioner %d%s", type,
                     asynchronous ? ", asynchronous" : "");
            recipe.method.solver.preconditioner = (spPreconditionerType)type;
            recipe.method.solver.asynchronous = asynchronous == 1;
            recipe.method.solver.age = 1;
            recipe.method.solver.newtonSteps = 1 + asynchronous;
            recipe.method.solver.operatorType = asynchronous ? sp_operatorMatrixFree : sp_operatorAssembled;
            recipes[count++] = recipe;
        }
    }
    for (int solver = 0; solver < sp_xpbdSolverCount; ++solver)
    {
        for (int accelerator = 0; accelerator < sp_acceleratorCount; ++accelerator)
        {
            if (solver == sp_xpbdAuto && accelerator != sp_accelerateNone)
            {
                continue;
            }
            Recipe recipe = MakeRecipe("tets", shapeBox, kindTets, sp_tetCorotational, sp_xpbd);
            snprintf(recipe.name, sizeof(recipe.name), "xpbd solver %d, accelerator %d", solver, accelerator);
            recipe.method.xpbd.solver = (spXpbdSolver)solver;
            recipe.method.xpbd.accelerator = (spAccelerator)accelerator;
            recipe.method.xpbd.relaxation = 1;
            recipes[count++] = recipe;
        }
    }
    Recipe coloured = MakeRecipe("coloured tets", shapeBox, kindTets, sp_tetCorotational, sp_xpbd);
    coloured.method.xpbd.solver = sp_xpbdGaussSeidel;
    coloured.method.xpbd.order = sp_xpbdColours;
    recipes[count++] = coloured;
    // Stiff enough for Newton's method, with a factor or without
    for (int i = 0; i < 2; ++i)
    {
        Recipe recipe = MakeRecipe(i == 0 ? "stiff tets" : "stiffer tets", shapeBox, kindTets,
                                   sp_tetCorotational, sp_xpbd);
        recipe.youngModulus = i == 0 ? 300000 : (spReal)1e7;
        recipes[count++] = recipe;
    }
    return count;
}

#define MOST_RECIPES 64

// ---- tests ----

// The elements of a body
static void FailElements(const Recipe* recipe)
{
    Rig rig = MakeRig(recipe);
    assert_true(CreateWorld(&rig) && CreateBody(&rig) && Pin(&rig));
    AddSkeleton(&rig);
    FailEach(&rig, "elements", AddKind);
    DestroyRig(&rig);
    DestroyMeshes(&rig);
}

// All that makes a world with a body in it
static void FailBuilding(const Recipe* recipe)
{
    Rig rig = MakeRig(recipe);
    FailEach(&rig, "world", CreateWorld);
    FailEach(&rig, "body", CreateBody);
    assert_true(AddKind(&rig) && (recipe->method.type != sp_quasiStatic || Pin(&rig)));
    FailEach(&rig, "ground", CreateGround);
    FailEach(&rig, "grab", Grab);
    FailEach(&rig, "snapshot", Save);
    for (int i = 0; i < 4; ++i)
    {
        spWorld_Step(rig.world, frame);
        CheckFinite(&rig);
    }
    DestroyRig(&rig);
    DestroyMeshes(&rig);
}

static void TestBuilding(void** state)
{
    SP_UNUSED(state);
    Recipe recipes[MOST_RECIPES];
    const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_xpbd};
    s_points = 0;
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        int count = ListKinds(recipes, types[t]);
        for (int i = 0; i < count; ++i)
        {
            FailElements(recipes + i);
        }
    }
    int count = ListMethods(recipes);
    for (int i = 0; i < count; ++i)
    {
        FailBuilding(recipes + i);
    }
    print_message("%d points of failure\n", s_points);
}

// Calls between steps
static void TestEditing(void** state)
{
    SP_UNUSED(state);
    s_points = 0;
    static const struct
    {
        const char* name;
        bool (*call)(Rig* rig);
    } s_calls[] = {
        {"force", SetForce},
        {"driven node", Drive},
        {"pins", Pin},
        {"surface", AttachSurface},
        {"second body", CreateSecondBody},
        {"link", LinkBodies},
        {"snapshot", Save},
        {"decision", Decide},
        {"relax", Relax},
        {"relax dynamically", RelaxDynamically},
        {"method", SetMethod},
    };
    const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_xpbd};
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        Recipe recipe = MakeRecipe("tets", shapeBox, kindTets, sp_tetCorotational, types[t]);
        Rig rig = MakeRig(&recipe);
        Build(&rig);
        for (int i = 0; i < SP_COUNT(s_calls); ++i)
        {
            if (s_calls[i].call == SetMethod)
            {
                rig.recipe.method.type = types[(t + 1) % SP_COUNT(types)];
            }
            FailEach(&rig, s_calls[i].name, s_calls[i].call);
            assert_int_equal(spWorld_Step(rig.world, frame) & (sp_stepNonFinite | sp_stepBadInput), 0);
            CheckFinite(&rig);
        }
        DestroyRig(&rig);
        DestroyMeshes(&rig);
    }
    Recipe recipe = MakeRecipe("tets", shapeBox, kindTets, sp_tetCorotational, sp_xpbd);
    recipe.method.xpbd.solver = sp_xpbdGaussSeidel;
    Rig rig = MakeRig(&recipe);
    Build(&rig);
    FailEach(&rig, "records of sweeps", RecordSweeps);
    assert_int_equal(spWorld_Step(rig.world, frame), 0);
    DestroyRig(&rig);
    DestroyMeshes(&rig);
    print_message("%d points of failure\n", s_points);
}

// What steps did
typedef struct Told
{
    uint32_t flags;
    bool error;
    uint64_t hash;
    spVec3 center;
    spSolverReport solver; // of the last one
} Told;

static Told TakeSteps(Rig* rig, int count)
{
    Told told = {0};
    for (int i = 0; i < count; ++i)
    {
        uint32_t flags = spWorld_Step(rig->world, frame);
        spError error = spWorld_GetLastError(rig->world);
        told.flags |= flags;
        if (error.code != sp_errorNone)
        {
            assert_true(error.code != sp_errorOutOfMemory || (flags & sp_stepOutOfMemory) != 0);
            CheckError(rig, "step", i, &error);
            told.error = true;
            spWorld_ClearError(rig->world);
        }
    }
    told.hash = spWorld_GetStateHash(rig->world);
    told.center = spBody_GetCenter(rig->world, rig->body);
    told.solver = spBody_GetSolverReport(rig->world, rig->body);
    return told;
}

// What makes later steps grow: another body, linked to the first, a hand, a force, more colliders to touch
static void Edit(Rig* rig)
{
    assert_true(CreateSecondBody(rig) && LinkBodies(rig) && Grab(rig) && SetForce(rig) && CreateGround(rig));
}

static void BuildFor(Rig* rig, int steps, bool edits)
{
    Build(rig);
    if (edits)
    {
        TakeSteps(rig, steps);
        Edit(rig);
    }
}

static void CheckNear(const Recipe* recipe, int k, spVec3 a, spVec3 b)
{
    double distance = hypot(hypot((double)(a.x - b.x), (double)(a.y - b.y)), (double)(a.z - b.z));
    if (!(distance < 1e-3))
    {
        fail_msg("%s, allocation %d of the steps: off by %g m without a word", recipe->name, k, distance);
    }
}

// Builds with asserts and sanitizers are slow
#ifdef NDEBUG
static const int pace = 1;
#else
static const int pace = 5;
#endif

// Every stride-th allocation, from the first-th on, of the first steps or of those after an edit
static void FailSteps(const Recipe* recipe, int first, int stride, bool edits)
{
    const int steps = 3;
    Rig rig = MakeRig(recipe);
    BuildFor(&rig, steps, edits);
    Told reference = TakeSteps(&rig, steps);
    Told later = TakeSteps(&rig, steps);
    DestroyRig(&rig);
    bool reached = true;
    for (int k = first; reached; k += stride)
    {
        for (int after = 0; after < 2 && reached; ++after)
        {
            BuildFor(&rig, steps, edits);
            Arm(&rig, k, after == 1);
            Told told = TakeSteps(&rig, steps);
            reached = rig.failing.count > k;
            Arm(&rig, -1, false);
            CheckFinite(&rig);
            s_points += reached;
            bool speaks = (told.flags & ~reference.flags) != 0 || told.error;
            if (told.hash != reference.hash && speaks == false)
            {
                // By other means, with another preconditioner for example: to the tolerance of the solver
                if (reached == false)
                {
                    fail_msg("%s: the same steps do not give the same bits", recipe->name);
                }
                CheckNear(recipe, k, told.center, reference.center);
            }

            // Memory comes back
            Told mended = TakeSteps(&rig, steps);
            if ((mended.flags & ~(later.flags | reference.flags)) != 0 || mended.error)
            {
                fail_msg("%s, allocation %d of the steps: then flags 0x%x", recipe->name, k, mended.flags);
            }
            if (mended.solver.sweeping != later.solver.sweeping ||
                mended.solver.preconditioner != later.solver.preconditioner)
            {
                fail_msg("%s, allocation %d of the steps: another solver for good", recipe->name, k);
            }
            assert_true(spBody_IsRunning(rig.world, rig.body));
            CheckFinite(&rig);
            DestroyRig(&rig);
        }
    }
    DestroyMeshes(&rig);
}

static void TestSteps(void** state)
{
    SP_UNUSED(state);
    Recipe recipes[MOST_RECIPES];
    const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_xpbd};
    s_points = 0;
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        int count = ListKinds(recipes, types[t]);
        for (int i = 0; i < count; ++i)
        {
            FailSteps(recipes + i, i % 7, 7 * pace, false);
        }
    }
    int count = ListMethods(recipes);
    for (int i = 0; i < count; ++i)
    {
        FailSteps(recipes + i, i % 3, 3 * pace, false);
    }
    print_message("%d points of failure\n", s_points);
}

// The steps after a change grow too
static void TestStepsAfterEdits(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_symplecticEuler, sp_localImplicit, sp_backwardEuler, sp_bdf2, sp_xpbd};
    s_points = 0;
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        Recipe recipe = MakeRecipe("edited tets", shapeBox, kindTets, sp_tetCorotational, types[t]);
        FailSteps(&recipe, 0, 2 * pace, true);
    }
    print_message("%d points of failure\n", s_points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBuilding),
        cmocka_unit_test(TestEditing),
        cmocka_unit_test(TestSteps),
        cmocka_unit_test(TestStepsAfterEdits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
