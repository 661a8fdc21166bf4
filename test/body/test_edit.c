// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies with room: spare nodes that nobody sees, and edits that take them.

#include "base/core.h"
#include "base/timer.h"
#include "body/edit.h"
#include "linear/outlived.h"
#include "math/vec3.h"
#include "method/system.h"
#include "souple/souple.h"
#include "test/memory_test.h"
#include "testbed/check.h"
#include "world/edit.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static const spReal frame = (spReal)(1.0 / 60.0);

typedef struct Rig
{
    spWorld* world;
    spBodyId id;
    spBody* body;
} Rig;

typedef struct RigDef
{
    int cells[3];
    double size[3]; // m
    int nodeRoom, tetRoom;
    int workers;
    spMethodDef method;
    spTetLaw law;
    spReal young; // Pa
    spAllocator allocator;
} RigDef;

static RigDef MakeRigDef(void)
{
    RigDef def = {.cells = {14, 12, 9},
                  .size = {0.56, 0.48, 0.36},
                  .workers = 1,
                  .method = spDefaultMethodDef(),
                  .law = sp_tetCorotational,
                  .young = (spReal)1e5};
    return def;
}

static spMesh* MakeMesh(const RigDef* def)
{
    spError error = {0};
    spBoxMeshDef box = spDefaultBoxMeshDef();
    memcpy(box.cells, def->cells, sizeof(def->cells));
    box.size = (spDVec3){def->size[0], def->size[1], def->size[2]};
    spMesh* mesh = spMakeBoxMesh(&box, &error);
    assert_non_null(mesh);
    return mesh;
}

static bool BuildRig(Rig* rig, const RigDef* def, const spMesh* mesh)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->workers;
    worldDef.allocator = def->allocator;
    *rig = (Rig){.world = spCreateWorld(&worldDef, NULL)};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method = def->method;
    bodyDef.nodeRoom = def->nodeRoom;
    bodyDef.tetRoom = def->tetRoom;
    rig->id = spCreateBody(rig->world, &bodyDef);
    spTetDef tetDef = spDefaultTetDef();
    tetDef.law = def->law;
    tetDef.youngModulus = def->young;
    tetDef.damping = (spReal)0.002;
    if (SP_IS_NULL(rig->id) || spBody_AddTets(rig->world, rig->id, &tetDef) < 0)
    {
        return false;
    }
    rig->body = rig->world->bodies[0];
    return true;
}

// Pins the end at low x and gives the rest a twist
static void StartRig(Rig* rig)
{
    int count = spBody_GetNodeCount(rig->world, rig->id);
    spVec3* p = malloc((size_t)count * sizeof(spVec3));
    spVec3* v = malloc((size_t)count * sizeof(spVec3));
    spBody_CopyPositions(rig->world, rig->id, p, count);
    spReal least = INFINITY;
    for (int i = 0; i < count; ++i)
    {
        least = p[i].x < least ? p[i].x : least;
    }
    for (int i = 0; i < count; ++i)
    {
        bool held = p[i].x < least + (spReal)1e-6;
        if (held)
        {
            assert_true(spBody_PinNodes(rig->world, rig->id, &i, 1));
        }
        v[i] = held ? (spVec3){0, 0, 0} : (spVec3){0, -p[i].z, p[i].y + (spReal)0.3 * p[i].x};
    }
    assert_true(spBody_SetVelocities(rig->world, rig->id, v, count));
    free(p);
    free(v);
}

static void EndRig(Rig* rig)
{
    spDestroyWorld(rig->world);
    *rig = (Rig){0};
}

static double GetDistance(const Rig* a, const Rig* b)
{
    int count = spBody_GetNodeCount(a->world, a->id);
    assert_int_equal(count, spBody_GetNodeCount(b->world, b->id));
    spVec3View p = spBody_GetPositions(a->world, a->id), q = spBody_GetPositions(b->world, b->id);
    double most = 0.0;
    for (int i = 0; i < count; ++i)
    {
        double x = (double)p.data[i].x - q.data[i].x, y = (double)p.data[i].y - q.data[i].y;
        double z = (double)p.data[i].z - q.data[i].z;
        most = fmax(most, sqrt(x * x + y * y + z * z));
    }
    return most;
}

// ---- room ----

// A body with room moves as one without, counts as one, and hashes as one where no sum over nodes decides
static void TestRoomIsInvisible(void** state)
{
    SP_UNUSED(state);
    for (int type = 0; type < sp_rigid; ++type)
    {
        RigDef def = MakeRigDef();
        def.method.type = (spMethodType)type;
        def.method.substeps = type < sp_backwardEuler ? 40 : 1;
        def.method.xpbd.solver = sp_xpbdGaussSeidel;
        spMesh* mesh = MakeMesh(&def);
        Rig plain, roomy;
        assert_true(BuildRig(&plain, &def, mesh));
        def.nodeRoom = 700; // more than patches have place for
        def.tetRoom = 1000;
        assert_true(BuildRig(&roomy, &def, mesh));
        assert_true(roomy.body->order.patchCount > plain.body->order.patchCount);
        assert_int_equal(roomy.body->nodeCount, plain.body->nodeCount + 700);
        assert_int_equal(spBody_GetNodeCount(roomy.world, roomy.id), plain.body->nodeCount);
        StartRig(&plain);
        StartRig(&roomy);
        assert_true(spWorld_GetStateHash(plain.world) == spWorld_GetStateHash(roomy.world));
        double before = spBody_GetEnergy(plain.world, plain.id).elastic;
        for (int i = 0; i < 3; ++i)
        {
            spWorld_Step(plain.world, frame);
            spWorld_Step(roomy.world, frame);
        }
        bool explicitly = type < sp_backwardEuler;
        if (explicitly || type == sp_xpbd)
        {
            assert_true(spWorld_GetStateHash(plain.world) == spWorld_GetStateHash(roomy.world));
        }
        double most = GetDistance(&plain, &roomy);
        spEnergy a = spBody_GetEnergy(plain.world, plain.id), b = spBody_GetEnergy(roomy.world, roomy.id);
        double rounding = sizeof(spReal) == sizeof(float) ? 2e-4 : 1e-9; // of what the solvers leave
        assert_true(a.elastic > before);
        assert_true(most < 0.05 * rounding);
        assert_true(fabs(a.elastic - b.elastic) <= rounding * a.elastic);
        assert_true(fabs(a.kinetic - b.kinetic) <= rounding * (a.kinetic + a.elastic));
        assert_true(fabs(a.potential - b.potential) <= rounding * (fabs(a.potential) + a.elastic));
        EndRig(&plain);
        EndRig(&roomy);
        spDestroyMesh(mesh);
    }
}

// ---- edits ----

// An edit and the mesh that the body has after it
typedef struct Cut
{
    spEditDef def;
    int32_t *removed, *parents, *tets, *tetNodes;
} Cut;

static void FreeCut(Cut* cut)
{
    free(cut->removed);
    free(cut->parents);
    free(cut->tets);
    free(cut->tetNodes);
}

// Opens the faces of a plane x = `at` below height y: tets behind it get copies of the nodes on it. Removes
// `remove` tets, picked by their number.
static Cut MakeCut(const Rig* rig, double at, double height, int remove, uint64_t* seed)
{
    const spEditData* e = rig->body->edit;
    int n = rig->body->userCount;
    Cut cut = {.removed = calloc((size_t)e->tetCount, sizeof(int32_t)),
               .parents = calloc((size_t)n, sizeof(int32_t)),
               .tets = calloc((size_t)e->tetCount, sizeof(int32_t)),
               .tetNodes = calloc((size_t)e->tetCount, 4 * sizeof(int32_t))};
    spEditDef* def = &cut.def;
    uint8_t* gone = calloc((size_t)e->tetCount, 1);
    for (int i = 0; i < remove; ++i)
    {
        int tet = (int)(spNextRandom(seed) % (uint64_t)e->tetCount);
        if (gone[tet] == 0 && e->removed[tet] == 0)
        {
            gone[tet] = 1;
            cut.removed[def->removedCount++] = tet;
        }
    }
    // Which nodes on the plane have tets on both sides
    int32_t* copy = malloc((size_t)n * sizeof(int32_t));
    uint8_t* sides = calloc((size_t)n, 1);
    const spDVec3* p = rig->body->rest;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int i = 0; i < e->tetCount; ++i)
        {
            const int32_t* nodes = e->tets + 4 * (size_t)i;
            double x = 0.0;
            for (int k = 0; k < 4; ++k)
            {
                x += 0.25 * p[nodes[k]].x;
            }
            bool behind = x > at, changes = false;
            for (int k = 0; k < 4 && gone[i] == 0 && e->removed[i] == 0; ++k)
            {
                bool on = fabs(p[nodes[k]].x - at) < 1e-9 && p[nodes[k]].y < height;
                int to = nodes[k];
                if (pass == 0 && on)
                {
                    sides[nodes[k]] |= behind ? 2 : 1;
                }
                else if (pass == 1 && on && behind && copy[nodes[k]] >= 0)
                {
                    to = copy[nodes[k]];
                    changes = true;
                }
                cut.tetNodes[4 * (size_t)def->tetCount + (size_t)k] = to;
            }
            if (changes)
            {
                cut.tets[def->tetCount++] = i;
            }
        }
        for (int i = 0; pass == 0 && i < n; ++i)
        {
            copy[i] = sides[i] == 3 ? n + def->copyCount : -1;
            if (sides[i] == 3)
            {
                cut.parents[def->copyCount++] = i;
            }
        }
    }
    def->removed = cut.removed;
    def->parents = cut.parents;
    def->tets = cut.tets;
    def->tetNodes = cut.tetNodes;
    free(copy);
    free(sides);
    free(gone);
    return cut;
}

// The same body made so from the start. numbers: of each node of the rig in it, -1 for those that are gone.
static void BuildLike(Rig* like, const Rig* rig, const RigDef* def, int32_t* numbers)
{
    const spEditData* e = rig->body->edit;
    int n = rig->body->userCount;
    spMeshDef meshDef = spDefaultMeshDef();
    spDVec3* vertices = malloc((size_t)n * sizeof(spDVec3));
    int32_t* tets = malloc((size_t)e->tetCount * 4 * sizeof(int32_t));
    for (int i = 0; i < n; ++i)
    {
        numbers[i] = e->around[i] > 0 ? meshDef.vertexCount : -1;
        vertices[meshDef.vertexCount] = rig->body->rest[i];
        meshDef.vertexCount += e->around[i] > 0;
    }
    for (int i = 0; i < 4 * e->tetCount; ++i)
    {
        if (e->removed[i / 4] == 0)
        {
            tets[4 * meshDef.tetCount + i % 4] = numbers[e->tets[i]];
            meshDef.tetCount += i % 4 == 3;
        }
    }
    meshDef.vertices = vertices;
    meshDef.tets = tets;
    spError error = {0};
    spMesh* mesh = spCreateMesh(&meshDef, &error);
    assert_non_null(mesh);
    RigDef plain = *def;
    plain.nodeRoom = plain.tetRoom = 0;
    plain.workers = 1;
    assert_true(BuildRig(like, &plain, mesh));
    spDestroyMesh(mesh);
    free(vertices);
    free(tets);
    for (int i = 0; i < n; ++i)
    {
        if (numbers[i] >= 0 && spBody_GetNodeRole(rig->world, rig->id, i) == sp_nodeFixed)
        {
            assert_true(spBody_PinNodes(like->world, like->id, numbers + i, 1));
        }
    }
}

// Gives both the same motion: where the rig is, plus noise
static void MoveAlike(Rig* rig, Rig* like, const int32_t* numbers, double noise, uint64_t* seed)
{
    int n = rig->body->userCount, m = like->body->userCount;
    spVec3* x = malloc((size_t)n * sizeof(spVec3));
    spVec3* v = malloc((size_t)n * sizeof(spVec3));
    spVec3* y = malloc((size_t)m * sizeof(spVec3));
    spVec3* w = malloc((size_t)m * sizeof(spVec3));
    spBody_CopyPositions(rig->world, rig->id, x, n);
    spBody_CopyVelocities(rig->world, rig->id, v, n);
    for (int i = 0; i < n; ++i)
    {
        bool held = spBody_GetNodeRole(rig->world, rig->id, i) != sp_nodeFree;
        spReal* numbersOf[2] = {&x[i].x, &v[i].x};
        for (int k = 0; k < 6 && held == false; ++k)
        {
            numbersOf[k / 3][k % 3] += (spReal)(noise * (2.0 * spRandomRange(seed, 0.0, 1.0) - 1.0));
        }
        if (numbers[i] >= 0)
        {
            y[numbers[i]] = x[i];
            w[numbers[i]] = v[i];
        }
    }
    assert_true(spBody_SetPositions(rig->world, rig->id, x, n));
    assert_true(spBody_SetVelocities(rig->world, rig->id, v, n));
    assert_true(spBody_SetPositions(like->world, like->id, y, m));
    assert_true(spBody_SetVelocities(like->world, like->id, w, m));
    free(x);
    free(v);
    free(y);
    free(w);
}

// Forces, or with `change` their change for displacements that are the noise of each node of the rig
static void FillForces(const Rig* rig, const int32_t* names, int count, bool change, spVec3* forces)
{
    spBody* body = rig->body;
    spForceContext context = {.body = body, .state = spGetNodeState(body), .gravity = {0, -10, 0}};
    spHeap heap = spMakeHeap(NULL);
    spVec4* d = spAllocZeroed(&heap, (size_t)body->nodeCount * sizeof(spVec4)); // aligned, as lanes load it
    for (int i = 0; i < count; ++i)
    {
        uint64_t seed = 77 + (uint64_t)i;
        if (names[i] >= 0)
        {
            d[body->order.rank[names[i]]] =
                (spVec4){(spReal)spRandomRange(&seed, 0.0, 1.0), (spReal)spRandomRange(&seed, 0.0, 1.0),
                         (spReal)spRandomRange(&seed, 0.0, 1.0), 0};
        }
    }
    spDifference difference = {.dx = d, .dv = d};
    change ? spMeasureDifference(&context, &difference) : spMeasureForces(&context);
    for (int patch = 0; patch < body->order.patchCount; ++patch)
    {
        change ? spAddPatchDifference(&context, &difference, patch) : spAddPatchForces(&context, patch);
    }
    for (int patch = 0; patch < body->order.patchCount; ++patch)
    {
        spSumPatchForces(&context, patch);
    }
    for (int i = 0; i < count; ++i)
    {
        forces[i] = names[i] >= 0 ? spXyz(body->f[body->order.rank[names[i]]]) : (spVec3){0, 0, 0};
    }
    spFree(&heap, d);
}

static void CheckNumbers(const spVec3* a, const spVec3* b, int count, double tolerance)
{
    double most = 0.0, apart = 0.0;
    for (int i = 0; i < count; ++i)
    {
        const spReal *p = &a[i].x, *q = &b[i].x;
        for (int k = 0; k < 3; ++k)
        {
            most = fmax(most, fabs((double)p[k]));
            apart = fmax(apart, fabs((double)p[k] - (double)q[k]));
        }
    }
    assert_true(apart <= tolerance * most);
}

static const double tight = sizeof(spReal) == sizeof(float) ? 1e-5 : 1e-12;

// Masses, forces, energies and products with the stiffness are those of the body that was made so
static void CheckLike(Rig* rig, const RigDef* def, uint64_t* seed)
{
    int n = rig->body->userCount;
    int32_t* numbers = malloc((size_t)n * sizeof(int32_t));
    int32_t* names = malloc((size_t)n * sizeof(int32_t));
    Rig like;
    BuildLike(&like, rig, def, numbers);
    MoveAlike(rig, &like, numbers, 0.002, seed);
    spVec3* a = malloc((size_t)n * sizeof(spVec3));
    spVec3* b = malloc((size_t)n * sizeof(spVec3));
    for (int i = 0; i < n; ++i)
    {
        double m = (double)rig->body->mass[rig->body->order.rank[i]];
        double like1 = numbers[i] >= 0 ? (double)like.body->mass[like.body->order.rank[numbers[i]]] : 0.0;
        assert_true(fabs(m - like1) <= tight * like1);
        names[i] = numbers[i] >= 0 ? i : -1;
    }
    for (int change = 0; change < 2; ++change)
    {
        FillForces(rig, names, n, change == 1, a);
        FillForces(&like, numbers, n, change == 1, b);
        CheckNumbers(a, b, n, tight);
    }
    spEnergy e = spBody_GetEnergy(rig->world, rig->id), f = spBody_GetEnergy(like.world, like.id);
    assert_true(fabs(e.elastic - f.elastic) <= tight * f.elastic);
    assert_true(fabs(e.kinetic - f.kinetic) <= tight * f.kinetic);
    double scale = 10.0 * 1000.0 * 0.1 * 0.3;
    assert_true(fabs(e.potential - f.potential) <= tight * (fabs(f.potential) + scale));
    double volume = spBody_GetVolume(rig->world, rig->id), other = spBody_GetVolume(like.world, like.id);
    assert_true(fabs(volume - other) <= 10 * tight * fabs(other));
    assert_int_equal(spBody_GetElementCount(rig->world, rig->id),
                     spBody_GetElementCount(like.world, like.id));
    EndRig(&like);
    free(numbers);
    free(names);
    free(a);
    free(b);
}

static void TestEditedIsBuilt(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 5;
    RigDef def = MakeRigDef();
    def.nodeRoom = 400;
    spMesh* mesh = MakeMesh(&def);
    Rig rig;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    double middle = rig.body->rest[0].x + 7.0 * 0.04;
    Cut cut = MakeCut(&rig, middle, 0.1, 5, &seed);
    spEditReport report;
    assert_true(cut.def.copyCount > 20);
    assert_true(spEditBody(rig.world, rig.id, &cut.def, &report));
    FreeCut(&cut);
    CheckLike(&rig, &def, &seed);
    // Another one, which has to go to a patch of its own for some nodes
    cut = MakeCut(&rig, middle + 0.04, 1.0, 0, &seed);
    assert_true(spEditBody(rig.world, rig.id, &cut.def, &report));
    FreeCut(&cut);
    CheckLike(&rig, &def, &seed);
    EndRig(&rig);
    spDestroyMesh(mesh);
}

// ---- steps ----

static RigDef MakeSmallRig(spMethodType type, bool sweeps)
{
    RigDef def = MakeRigDef();
    const int cells[3] = {6, 3, 2};
    const double size[3] = {0.24, 0.12, 0.08};
    memcpy(def.cells, cells, sizeof(cells));
    memcpy(def.size, size, sizeof(size));
    def.nodeRoom = 60;
    def.young = (spReal)2e4;
    def.method.type = type;
    def.method.substeps = type < sp_backwardEuler ? 40 : 1;
    def.method.solver.tolerance = (spReal)1e-13;
    def.method.solver.maxIterations = 4000;
    def.method.xpbd.solver = sweeps ? sp_xpbdGaussSeidel : sp_xpbdAuto;
    def.method.xpbd.iterations = 20000;
    return def;
}

// A solved step of the edited body is that of the body made so
static void CheckStep(spMethodType type, bool sweeps, spTetLaw law, int remove)
{
    uint64_t seed = 11;
    RigDef def = MakeSmallRig(type, sweeps);
    def.law = law;
    spMesh* mesh = MakeMesh(&def);
    Rig rig, like;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    Cut cut = MakeCut(&rig, rig.body->rest[0].x + 3.0 * 0.04, rig.body->rest[0].y + 0.06, remove, &seed);
    assert_true(cut.def.copyCount > 3);
    assert_true(spEditBody(rig.world, rig.id, &cut.def, NULL));
    FreeCut(&cut);
    int32_t numbers[400];
    BuildLike(&like, &rig, &def, numbers);
    MoveAlike(&rig, &like, numbers, 0.0005, &seed);
    spWorld_Step(rig.world, frame);
    spWorld_Step(like.world, frame);
    spVec3View p = spBody_GetPositions(rig.world, rig.id), q = spBody_GetPositions(like.world, like.id);
    double most = 0.0;
    for (int i = 0; i < p.count; ++i)
    {
        for (int k = 0; k < 3 && numbers[i] >= 0; ++k)
        {
            most = fmax(most, fabs((double)(&p.data[i].x)[k] - (double)(&q.data[numbers[i]].x)[k]));
        }
    }
    printf("  method %d%s, law %d: apart by %.1e m after a step\n", (int)type, sweeps ? ", sweeps" : "",
           (int)law, most);
    // Where sweeps end depends on their order as far as rows turn between two projections: no tolerance mends
    // that, and those of a linear law do not turn
    bool turns = spBody_GetSolverReport(rig.world, rig.id).sweeping && law != sp_tetLinear;
    assert_true(most < (sizeof(spReal) == sizeof(float) ? 2e-5 : turns ? 1e-5 : 1e-10));
    EndRig(&rig);
    EndRig(&like);
    spDestroyMesh(mesh);
}

static void TestSteps(void** state)
{
    SP_UNUSED(state);
    for (int type = 0; type < sp_rigid; ++type)
    {
        CheckStep((spMethodType)type, false, sp_tetCorotational, 3);
    }
    CheckStep(sp_xpbd, true, sp_tetCorotational, 3);
    CheckStep(sp_xpbd, true, sp_tetLinear, 3);
}

// ---- the same bits ----

static const spMethodType everyFamily[] = {sp_symplecticEuler, sp_backwardEuler, sp_bdf2, sp_xpbd};

static void Edit(Rig* rig, double cells, int remove, uint64_t number)
{
    Cut cut = MakeCut(rig, rig->body->rest[0].x + cells * 0.04, rig->body->rest[0].y + 0.1, remove, &number);
    assert_true(spEditBody(rig->world, rig->id, &cut.def, NULL));
    FreeCut(&cut);
}

static void Run(Rig* rig, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(rig->world, frame);
    }
}

static void TestSnapshots(void** state)
{
    SP_UNUSED(state);
    for (int f = 0; f < 4; ++f)
    {
        RigDef def = MakeRigDef();
        def.nodeRoom = 400;
        def.method.type = everyFamily[f];
        def.method.solver.asynchronous = false;
        def.method.xpbd.solver = sp_xpbdGaussSeidel;
        def.method.substeps = everyFamily[f] == sp_symplecticEuler ? 20 : 1;
        spMesh* mesh = MakeMesh(&def);
        Rig rig, other;
        assert_true(BuildRig(&rig, &def, mesh));
        assert_true(BuildRig(&other, &def, mesh));
        StartRig(&rig);
        Run(&rig, 1);
        spSnapshot* whole = spWorld_Save(rig.world);
        Run(&rig, 1);
        uint64_t uncut = spWorld_GetStateHash(rig.world);
        Edit(&rig, 4, 3, 1);
        Run(&rig, 1);
        spSnapshot* once = spWorld_Save(rig.world);
        Edit(&rig, 9, 3, 2);
        Run(&rig, 2);
        uint64_t twice = spWorld_GetStateHash(rig.world);
        // Back to one cut, and on; back to none; and all of it in a world that was never cut
        assert_true(spWorld_Restore(rig.world, once));
        Edit(&rig, 9, 3, 2);
        Run(&rig, 2);
        assert_true(spWorld_GetStateHash(rig.world) == twice);
        assert_true(spWorld_Restore(rig.world, whole));
        Run(&rig, 1);
        assert_true(spWorld_GetStateHash(rig.world) == uncut);
        assert_true(spWorld_Restore(other.world, once));
        Edit(&other, 9, 3, 2);
        Run(&other, 2);
        assert_true(spWorld_GetStateHash(other.world) == twice);
        spDestroySnapshot(once);
        spDestroySnapshot(whole);
        EndRig(&rig);
        EndRig(&other);
        spDestroyMesh(mesh);
    }
}

// Every snapshot between an edit and the new factor, taken up in the same world and in one that was never cut
static void CheckSnapshotsBetween(spMethodType type, bool asynchronous)
{
    enum
    {
        saved = 5
    };
    RigDef def = MakeSmallRig(type, false);
    def.method.solver.tolerance = (spReal)1e-4;
    def.method.solver.preconditioner = sp_preconditionAuto;
    def.method.solver.asynchronous = asynchronous;
    def.method.solver.age = 2;
    def.method.xpbd.iterations = 20;
    spMesh* mesh = MakeMesh(&def);
    Rig rig;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    Run(&rig, 3);
    spSnapshot* snapshots[saved];
    uint64_t ends[saved];
    for (int i = 0; i < saved; ++i)
    {
        if (i == 1 || i == 2)
        {
            Edit(&rig, 1 + 2 * i, 1, (uint64_t)i);
        }
        if (i == 3)
        {
            int node = spBody_GetNodeCount(rig.world, rig.id) - 1;
            assert_true(spBody_PinNodes(rig.world, rig.id, &node, 1));
        }
        snapshots[i] = spWorld_Save(rig.world);
        assert_non_null(snapshots[i]);
        Run(&rig, 1);
        ends[i] = spWorld_GetStateHash(rig.world);
    }
    for (int i = saved - 1; i >= 0; --i)
    {
        Rig other;
        assert_true(BuildRig(&other, &def, mesh));
        Rig* const both[2] = {&rig, &other};
        for (int k = 0; k < 2; ++k)
        {
            assert_true(spWorld_Restore(both[k]->world, snapshots[i]));
            for (int j = i; j < saved; ++j)
            {
                if (j > i && (j == 1 || j == 2))
                {
                    Edit(both[k], 1 + 2 * j, 1, (uint64_t)j);
                }
                if (j > i && j == 3)
                {
                    int node = spBody_GetNodeCount(both[k]->world, both[k]->id) - 1;
                    assert_true(spBody_PinNodes(both[k]->world, both[k]->id, &node, 1));
                }
                Run(both[k], 1);
                if (spWorld_GetStateHash(both[k]->world) != ends[j])
                {
                    fail_msg("method %d, %s: step %d after snapshot %d in world %d", (int)type,
                             asynchronous ? "asynchronous" : "synchronous", j, i, k);
                }
            }
        }
        EndRig(&other);
    }
    for (int i = 0; i < saved; ++i)
    {
        spDestroySnapshot(snapshots[i]);
    }
    EndRig(&rig);
    spDestroyMesh(mesh);
}

static void TestSnapshotsBetween(void** state)
{
    SP_UNUSED(state);
    static const spMethodType types[] = {sp_backwardEuler, sp_bdf2, sp_quasiStatic, sp_xpbd};
    for (int i = 0; i < 8; ++i)
    {
        CheckSnapshotsBetween(types[i / 2], i % 2 == 1);
    }
}

static void TestWorkers(void** state)
{
    SP_UNUSED(state);
    static const int counts[] = {1, 2, 3, 8};
    for (int f = 0; f < 4; ++f)
    {
        uint64_t hash = 0;
        for (int w = 0; w < 4; ++w)
        {
            RigDef def = MakeRigDef();
            def.nodeRoom = 400;
            def.workers = counts[w];
            def.method.type = everyFamily[f];
            def.method.solver.asynchronous = false;
            def.method.xpbd.solver = sp_xpbdGaussSeidel;
            def.method.substeps = everyFamily[f] == sp_symplecticEuler ? 20 : 1;
            spMesh* mesh = MakeMesh(&def);
            Rig rig;
            assert_true(BuildRig(&rig, &def, mesh));
            StartRig(&rig);
            Run(&rig, 1);
            Edit(&rig, 4, 3, 1);
            Run(&rig, 1);
            Edit(&rig, 9, 3, 2);
            Run(&rig, 1);
            hash = w == 0 ? spWorld_GetStateHash(rig.world) : hash;
            assert_true(spWorld_GetStateHash(rig.world) == hash);
            EndRig(&rig);
            spDestroyMesh(mesh);
        }
    }
}

// ---- cost, memory, chance ----

// Twice the body, the same cut: the same patches and blocks
static void TestCost(void** state)
{
    SP_UNUSED(state);
    static const int lengths[] = {20, 88};
    spEditReport reports[2];
    for (int i = 0; i < 2; ++i)
    {
        RigDef def = MakeRigDef();
        def.cells[0] = lengths[i];
        def.cells[1] = 11;
        def.cells[2] = 11;
        def.size[0] = 0.04 * lengths[i];
        def.size[1] = def.size[2] = 0.44;
        def.nodeRoom = 200 * (i == 0 ? 4 : 18);
        spMesh* mesh = MakeMesh(&def);
        Rig rig;
        uint64_t seed = 3;
        assert_true(BuildRig(&rig, &def, mesh));
        Cut cut = MakeCut(&rig, rig.body->rest[0].x + 0.16, rig.body->rest[0].y + 0.09, 2, &seed);
        double start = spGetSeconds();
        assert_true(spEditBody(rig.world, rig.id, &cut.def, reports + i));
        printf("  %d tets, %d of %d patches, %d blocks packed, %d copies: %.3f ms\n",
               rig.body->edit->tetCount, reports[i].patchCount, rig.body->order.patchCount,
               reports[i].blockCount, cut.def.copyCount, 1e3 * (spGetSeconds() - start));
        assert_false(reports[i].whole);
        FreeCut(&cut);
        EndRig(&rig);
        spDestroyMesh(mesh);
    }
    assert_true(reports[1].patchCount <= reports[0].patchCount + 1);
    assert_true(reports[1].blockCount <= 2 * reports[0].blockCount);
}

// Every allocation of an edit failing in turn: it is refused, nothing has changed, and then it works
static void TestMemory(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeSmallRig(sp_backwardEuler, false);
    def.method.solver.tolerance = (spReal)1e-4;
    FailingAllocator failing = {.failAt = -1};
    def.allocator = MakeFailingAllocator(&failing);
    spMesh* mesh = MakeMesh(&def);
    uint64_t after = 0;
    for (int at = -1; at < 1000; ++at)
    {
        Rig rig;
        uint64_t seed = 9;
        failing.failAt = -1;
        assert_true(BuildRig(&rig, &def, mesh));
        StartRig(&rig);
        Run(&rig, 1);
        Cut cut = MakeCut(&rig, rig.body->rest[0].x + 0.08, rig.body->rest[0].y + 0.1, 2, &seed);
        uint64_t before = spWorld_GetStateHash(rig.world);
        double energy = spBody_GetEnergy(rig.world, rig.id).elastic;
        failing.count = 0;
        failing.failAt = at;
        bool done = spEditBody(rig.world, rig.id, &cut.def, NULL);
        failing.failAt = -1;
        if (done == false)
        {
            assert_true(at >= 0);
            assert_true(spWorld_GetStateHash(rig.world) == before);
            assert_true(spBody_GetEnergy(rig.world, rig.id).elastic == energy);
            assert_int_equal(spWorld_GetLastError(rig.world).code, sp_errorOutOfMemory);
            assert_true(spEditBody(rig.world, rig.id, &cut.def, NULL));
        }
        Run(&rig, 1);
        after = at < 0 ? spWorld_GetStateHash(rig.world) : after;
        assert_true(spWorld_GetStateHash(rig.world) == after);
        FreeCut(&cut);
        EndRig(&rig);
        if (done && at >= 0)
        {
            printf("  %d allocations\n", at);
            assert_true(at > 10);
            break;
        }
    }
    assert_int_equal(failing.out, 0);
    spDestroyMesh(mesh);
}

// Every allocation of the steps after an edit failing in turn: a step says so, and the next ones go on
static void TestStepMemory(void** state)
{
    SP_UNUSED(state);
    static const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_bdf2, sp_xpbd};
    for (int f = 0; f < 4; ++f)
    {
        RigDef def = MakeSmallRig(types[f], true);
        def.method.solver.tolerance = (spReal)1e-4;
        def.method.xpbd.iterations = 20;
        FailingAllocator failing = {.failAt = -1};
        def.allocator = MakeFailingAllocator(&failing);
        spMesh* mesh = MakeMesh(&def);
        bool done = false;
        for (int at = 0; at < 1000 && done == false; ++at)
        {
            Rig rig;
            failing.failAt = -1;
            assert_true(BuildRig(&rig, &def, mesh));
            StartRig(&rig);
            Run(&rig, 2);
            Edit(&rig, 2, 2, 9);
            failing.count = 0;
            failing.failAt = at;
            uint32_t flags = spWorld_Step(rig.world, frame);
            flags |= spWorld_Step(rig.world, frame);
            done = failing.count <= at;
            failing.failAt = -1;
            assert_true(done == false || (flags & sp_stepOutOfMemory) == 0);
            Run(&rig, 2);
            assert_true((spWorld_Step(rig.world, frame) & (sp_stepOutOfMemory | sp_stepSolverStopped)) == 0);
            assert_true(isfinite(spBody_GetEnergy(rig.world, rig.id).kinetic));
            if (done)
            {
                printf("  method %d: %d allocations\n", (int)types[f], at);
            }
            EndRig(&rig);
        }
        assert_true(done);
        assert_int_equal(failing.out, 0);
        spDestroyMesh(mesh);
    }
}

// Edits, pins, steps and restores in random order: who is taken back to where another was goes on as that one did
static void CheckRandomOrder(spMethodType type, bool asynchronous, uint64_t seed)
{
    enum
    {
        length = 24
    };
    RigDef def = MakeSmallRig(type, false);
    def.method.solver.tolerance = (spReal)1e-4;
    def.method.solver.asynchronous = asynchronous;
    def.method.solver.age = 2;
    def.method.xpbd.iterations = 20;
    spMesh* mesh = MakeMesh(&def);
    Rig rig;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    int acts[length];
    spSnapshot* snapshots[length];
    uint64_t hashes[length];
    for (int i = 0; i < length; ++i)
    {
        acts[i] = (int)(spNextRandom(&seed) % 5);
    }
    // First through, then from anywhere to the end
    for (int run = 0; run < 8; ++run)
    {
        Rig other = {0};
        Rig* r = &rig;
        int from = 0;
        if (run > 0)
        {
            from = (int)(spNextRandom(&seed) % length);
            if (run % 2 == 0)
            {
                assert_true(BuildRig(&other, &def, mesh));
                r = &other;
            }
            assert_true(spWorld_Restore(r->world, snapshots[from]));
        }
        for (int i = from; i < length; ++i)
        {
            if (run == 0)
            {
                snapshots[i] = spWorld_Save(r->world);
                assert_non_null(snapshots[i]);
            }
            uint64_t own = 1000 + (uint64_t)i;
            int node = (int)(spNextRandom(&own) % (uint64_t)spBody_GetNodeCount(r->world, r->id));
            if (acts[i] == 0)
            {
                Cut cut =
                    MakeCut(r, r->body->rest[0].x + 0.04 * (1 + i % 5), r->body->rest[0].y + 0.1, 1, &own);
                spEditBody(r->world, r->id, &cut.def, NULL); // or there is no room left
                FreeCut(&cut);
            }
            else if (acts[i] == 1)
            {
                bool there = spBody_GetNodeRole(r->world, r->id, node) == sp_nodeFree;
                assert_true(there == false || spBody_PinNodes(r->world, r->id, &node, 1));
            }
            else
            {
                Run(r, acts[i] - 1);
            }
            uint64_t hash = spWorld_GetStateHash(r->world);
            hashes[i] = run == 0 ? hash : hashes[i];
            if (hash != hashes[i])
            {
                fail_msg("method %d, %s: act %d (%d) of run %d from %d", (int)type,
                         asynchronous ? "asynchronous" : "synchronous", i, acts[i], run, from);
            }
        }
        if (r == &other)
        {
            EndRig(&other);
        }
    }
    for (int i = 0; i < length; ++i)
    {
        spDestroySnapshot(snapshots[i]);
    }
    EndRig(&rig);
    spDestroyMesh(mesh);
}

static void TestRandomOrder(void** state)
{
    SP_UNUSED(state);
    static const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_bdf2, sp_xpbd};
    for (int i = 0; i < 16; ++i)
    {
        CheckRandomOrder(types[i / 4], i % 2 == 1, 20261118 + (uint64_t)i);
    }
}

// Cuts anywhere and tets that go, until the room is used up
static void TestRandomEdits(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 20261116;
    printf("  seed %llu\n", (unsigned long long)seed);
    RigDef def = MakeRigDef();
    def.nodeRoom = 900;
    def.method.substeps = 20;
    spMesh* mesh = MakeMesh(&def);
    Rig rig;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    int done = 0;
    for (int i = 0; i < 30; ++i)
    {
        int cell = 1 + (int)(spNextRandom(&seed) % 12);
        double height = rig.body->rest[0].y + spRandomRange(&seed, 0.0, 0.3);
        Cut cut = MakeCut(&rig, rig.body->rest[0].x + 0.04 * cell, height, i % 4, &seed);
        bool fits = cut.def.copyCount <= rig.body->nodeCount - rig.body->userCount;
        bool changes = cut.def.tetCount + cut.def.removedCount > 0;
        assert_int_equal(spEditBody(rig.world, rig.id, &cut.def, NULL), fits && changes);
        done += fits && changes;
        FreeCut(&cut);
        if (i % 10 == 9)
        {
            CheckLike(&rig, &def, &seed);
            Run(&rig, 1);
        }
    }
    assert_true(done > 10);
    EndRig(&rig);
    spDestroyMesh(mesh);
}

static spVec3 RandomPlace(const Rig* rig, const RigDef* def, uint64_t* seed)
{
    spDVec3 at = rig->body->rest[0];
    return (spVec3){(spReal)(at.x + spRandomRange(seed, 0.0, def->size[0])),
                    (spReal)(at.y + spRandomRange(seed, 0.0, def->size[1])),
                    (spReal)(at.z + spRandomRange(seed, 0.0, def->size[2]))};
}

// A blade, a sphere or tets, all small
static bool EditAnywhere(Rig* rig, const RigDef* def, int number, uint64_t* seed, spEditResult* result)
{
    if (number % 10 < 7)
    {
        spBlade blade = {.follows = false};
        spVec3* places[4] = {blade.begin, blade.begin + 1, blade.end, blade.end + 1};
        spVec3 at = RandomPlace(rig, def, seed);
        for (int k = 0; k < 12; ++k)
        {
            (&places[k / 3]->x)[k % 3] = (&at.x)[k % 3] + (spReal)spRandomRange(seed, -0.06, 0.06);
        }
        return spBody_Cut(rig->world, rig->id, &blade, result);
    }
    if (number % 10 < 9)
    {
        spColliderDef sphere = spDefaultColliderDef();
        sphere.shape = sp_shapeSphere;
        sphere.radius = (spReal)0.015;
        sphere.transform.position = RandomPlace(rig, def, seed);
        return spBody_Carve(rig->world, rig->id, &sphere, result);
    }
    int32_t numbers[2000];
    int count = spBody_CopyTetNumbers(rig->world, rig->id, numbers, 2000);
    int tet = (int)(spNextRandom(seed) % (uint64_t)count);
    return spBody_RemoveTets(rig->world, rig->id, numbers + tet, 1, result);
}

// A thousand blades, shapes and tets anywhere: the body is the one that was made so, and so is its solved step
static void TestThousandEdits(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 20261119;
    printf("  seed %llu\n", (unsigned long long)seed);
    RigDef def = MakeSmallRig(sp_backwardEuler, false);
    const int cells[3] = {8, 6, 5};
    const double size[3] = {0.32, 0.24, 0.2};
    memcpy(def.cells, cells, sizeof(cells));
    memcpy(def.size, size, sizeof(size));
    def.nodeRoom = 6000;
    spMesh* mesh = MakeMesh(&def);
    Rig rig, like;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    spEditResult all = {0};
    for (int i = 0; i < 1000; ++i)
    {
        spEditResult result;
        assert_true(EditAnywhere(&rig, &def, i, &seed, &result));
        all.tetCount += result.tetCount;
        all.copyCount += result.copyCount;
        all.faceCount += result.faceCount;
        if (i % 200 == 199)
        {
            CheckLike(&rig, &def, &seed);
        }
    }
    printf("  %d tets went, %d faces opened, %d nodes came, %d pieces\n", all.tetCount, all.faceCount,
           all.copyCount, spBody_GetPieceCount(rig.world, rig.id));
    assert_true(all.tetCount > 200 && all.tetCount < 1200 && all.faceCount > 500);
    int32_t* numbers = malloc((size_t)rig.body->userCount * sizeof(int32_t));
    BuildLike(&like, &rig, &def, numbers);
    MoveAlike(&rig, &like, numbers, 0.0005, &seed);
    spWorld_Step(rig.world, frame);
    spWorld_Step(like.world, frame);
    spVec3View p = spBody_GetPositions(rig.world, rig.id), q = spBody_GetPositions(like.world, like.id);
    double most = 0.0;
    for (int i = 0; i < 3 * p.count; ++i)
    {
        int to = numbers[i / 3];
        double apart = to >= 0 ? (double)(&p.data[i / 3].x)[i % 3] - (double)(&q.data[to].x)[i % 3] : 0.0;
        most = fmax(most, fabs(apart));
    }
    printf("  apart by %.1e m after a solved step\n", most);
    assert_true(most < (sizeof(spReal) == sizeof(float) ? 2e-5 : 1e-10));
    free(numbers);
    EndRig(&rig);
    EndRig(&like);
    spDestroyMesh(mesh);
}

// What cannot be edited says why, and stays as it is
static void TestRefusals(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeSmallRig(sp_symplecticEuler, false);
    spMesh* mesh = MakeMesh(&def);
    Rig rig;
    assert_true(BuildRig(&rig, &def, mesh));
    int n = rig.body->userCount;
    int32_t tet = 0, far = 1 << 30, two[2] = {0, 0}, nodes[4];
    memcpy(nodes, rig.body->edit->tets, sizeof(nodes));
    nodes[0] = (nodes[0] + 1) % n;
    const spEditDef bad[] = {
        {0},
        {.removedCount = 1},
        {.removed = &far, .removedCount = 1},
        {.removed = two, .removedCount = 2},
        {.parents = &far, .copyCount = 1, .removed = &tet, .removedCount = 1},
        {.parents = &tet, .copyCount = 1, .removed = &tet, .removedCount = 1}, // nobody takes the copy
        {.tets = &tet, .tetNodes = nodes, .tetCount = 1},
    };
    uint64_t hash = spWorld_GetStateHash(rig.world);
    for (int i = 0; i < (int)(sizeof(bad) / sizeof(bad[0])); ++i)
    {
        assert_false(spEditBody(rig.world, rig.id, bad + i, NULL));
        assert_true(strlen(spWorld_GetLastError(rig.world).message) > 10);
    }
    spGasDef gas = spDefaultGasDef();
    gas.knrt = 10;
    assert_true(spBody_AddGas(rig.world, rig.id, &gas) >= 0);
    spEditDef good = {.removed = &tet, .removedCount = 1};
    assert_false(spEditBody(rig.world, rig.id, &good, NULL));
    assert_non_null(strstr(spWorld_GetLastError(rig.world).message, "gas"));
    assert_true(spWorld_GetStateHash(rig.world) == hash);
    EndRig(&rig);
    def.nodeRoom = 0;
    assert_true(BuildRig(&rig, &def, mesh));
    assert_false(spEditBody(rig.world, rig.id, &good, NULL));
    assert_non_null(strstr(spWorld_GetLastError(rig.world).message, "nodeRoom"));
    EndRig(&rig);
    spDestroyMesh(mesh);
}

// ---- a factor that outlives an edit ----

#ifdef SOUPLE_HAVE_CHOLMOD

typedef struct Matrix
{
    spBodySystem system;
    spBlockRows rows;
    spBody* body;
} Matrix;

// M + h^2 K at rest
static Matrix MakeMatrix(const Rig* rig)
{
    Matrix a = {.body = rig->body};
    spError error = {0};
    spFill fill = {.stiffness = frame * frame, .project = true};
    spSystemNeeds needs = {.sparse = true};
    assert_true(spCreateBodySystem(&a.system, rig->body, &fill, &needs, &error));
    assert_true(spCreateSystemRows(&a.rows, &a.system, rig->body->heap));
    spForceContext force = {.body = rig->body, .state = spGetNodeState(rig->body)};
    spAssembleSystem(&a.system, rig->body, &force, 1, &fill, true);
    spFillSystemRows(&a.rows, &a.system, rig->body->x);
    a.rows.x = rig->body->x;
    return a;
}

static void FreeMatrix(Matrix* a)
{
    spDestroyRows(&a->rows, a->body->heap);
    spDestroyBodySystem(&a->system, a->body);
}

static void Multiply(const spBlockRows* a, const spVec4* x, spVec4* y)
{
    for (int i = 0; i < a->nodeCount; ++i)
    {
        spVec3 sum = spMulMV3(a->diagonal[i], spXyz(x[i]));
        y[i] = (spVec4){sum.x, sum.y, sum.z, 0};
    }
    for (int i = 0; i < a->nodeCount; ++i)
    {
        for (int k = a->begin[i]; k < a->begin[i + 1]; ++k)
        {
            int j = a->columns[k];
            spVec3 p = spMulMV3(a->blocks[k], spXyz(x[j])), q = spMulTMV3(a->blocks[k], spXyz(x[i]));
            y[i] = (spVec4){y[i].x + p.x, y[i].y + p.y, y[i].z + p.z, 0};
            y[j] = (spVec4){y[j].x + q.x, y[j].y + q.y, y[j].z + q.z, 0};
        }
    }
}

static double Dot(const spVec4* a, const spVec4* b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
    {
        sum += (double)a[i].x * b[i].x + (double)a[i].y * b[i].y + (double)a[i].z * b[i].z;
    }
    return sum;
}

static void AddScaled(spVec4* to, double s, const spVec4* from, int n)
{
    for (int i = 0; i < n; ++i)
    {
        to[i] = (spVec4){to[i].x + (spReal)s * from[i].x, to[i].y + (spReal)s * from[i].y,
                         to[i].z + (spReal)s * from[i].z, 0};
    }
}

// Iterations of preconditioned conjugate gradients to 1e-3
static int CountIterations(const Matrix* a, spPreconditioner* p)
{
    int n = a->rows.nodeCount, count = 0;
    spVec4* all = calloc((size_t)n * 5, sizeof(spVec4));
    spVec4 *r = all, *z = all + n, *d = all + 2 * n, *q = all + 3 * n;
    uint64_t seed = 4;
    for (int i = 0; i < n; ++i)
    {
        bool free = a->body->x[i].w > 0;
        spReal s = free ? 1 : 0;
        r[i] = (spVec4){s * (spReal)spRandomRange(&seed, -1, 1), s * (spReal)spRandomRange(&seed, -1, 1),
                        s * (spReal)spRandomRange(&seed, -1, 1), 0};
    }
    double first = sqrt(Dot(r, r, n)), old = 0.0;
    while (count < 1000 && sqrt(Dot(r, r, n)) > 1e-3 * first)
    {
        p->kind->apply(p, NULL, r, z);
        double rz = Dot(r, z, n);
        assert_true(rz > 0.0); // positive definite
        for (int i = 0; i < n; ++i)
        {
            spReal beta = count > 0 ? (spReal)(rz / old) : 0;
            d[i] = (spVec4){z[i].x + beta * d[i].x, z[i].y + beta * d[i].y, z[i].z + beta * d[i].z, 0};
        }
        old = rz;
        Multiply(&a->rows, d, q);
        AddScaled(r, -rz / Dot(d, q, n), q, n);
        count += 1;
    }
    free(all);
    return count;
}

static spPreconditioner* MakePreconditioner(const Matrix* a, spPreconditionerType type)
{
    spError error = {0};
    spPreconditionerDef def = {.allocator = a->body->heap->allocator,
                               .pattern = &a->rows,
                               .patchBegin = a->body->order.patchBegin,
                               .patchCount = a->body->order.patchCount,
                               .laneCount = a->body->laneCount};
    const spPreconditionerKind* kind = spFindPreconditioner(type);
    spPreconditioner* p = kind->create(&def, &error);
    assert_non_null(p);
    assert_true(kind->build(p, &a->rows));
    return p;
}

// A bar of 0.5 x 0.25 x 0.25 m, 10 x 5 x 5 cells, 1500 tets, 1e6 Pa, 1/60 s, held at one end
static RigDef MakeBar(void)
{
    RigDef def = MakeRigDef();
    const int cells[3] = {10, 5, 5};
    const double size[3] = {0.5, 0.25, 0.25};
    memcpy(def.cells, cells, sizeof(cells));
    memcpy(def.size, size, sizeof(size));
    def.young = (spReal)1e6;
    def.nodeRoom = 64;
    return def;
}

// Cuts it in the middle, so high and so deep, and removes so many tets
static Cut CutBar(const Rig* rig, double high, double deep, int remove)
{
    spBody* body = rig->body;
    spDVec3 corner = body->rest[0];
    for (int i = 0; i < body->userCount; ++i)
    {
        corner.x = fmin(corner.x, body->rest[i].x);
        corner.y = fmin(corner.y, body->rest[i].y);
        corner.z = fmin(corner.z, body->rest[i].z);
    }
    // Only as deep as asked for: what lies deeper is moved off the plane while the cut is looked for
    for (int i = 0; i < body->userCount; ++i)
    {
        body->rest[i].y += body->rest[i].z < corner.z + deep ? 0.0 : 10.0;
    }
    uint64_t seed = 1;
    Cut cut = MakeCut(rig, corner.x + 0.25, corner.y + high, remove, &seed);
    for (int i = 0; i < body->userCount; ++i)
    {
        body->rest[i].y -= body->rest[i].z < corner.z + deep ? 0.0 : 10.0;
    }
    return cut;
}

static void CheckOutlived(double high, double deep, int most, int* order)
{
    RigDef def = MakeBar();
    spMesh* mesh = MakeMesh(&def);
    Rig rig;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    Matrix before = MakeMatrix(&rig);
    spPreconditioner* old = MakePreconditioner(&before, sp_preconditionCholesky);
    spBody* body = rig.body;
    Cut cut = CutBar(&rig, high, deep, 0);
    int first = body->userCount;
    assert_true(spEditBody(rig.world, rig.id, &cut.def, NULL));
    Matrix after = MakeMatrix(&rig);

    // Copies and nodes of the tets that changed, before and after, in the numbering of the body
    int32_t nodes[64], parents[64], changed[512];
    spVec4 ownA[512], ownC[512] = {0};
    uint8_t* touched = calloc((size_t)body->nodeCount, 1);
    for (int i = 0; i < cut.def.copyCount; ++i)
    {
        nodes[i] = body->order.rank[first + i];
        parents[i] = body->order.rank[cut.def.parents[i]];
        touched[parents[i]] = touched[nodes[i]] = 1;
    }
    for (int i = 0; i < 4 * cut.def.tetCount; ++i)
    {
        touched[body->order.rank[cut.def.tetNodes[i]]] = 1;
    }
    spOutlivedDef outlived = {.old = old,
                              .nodes = nodes,
                              .parents = parents,
                              .copyCount = cut.def.copyCount,
                              .changed = changed,
                              .matrix = &after.system.sparse,
                              .ownA = ownA,
                              .ownC = ownC};
    for (int i = 0; i < body->nodeCount; ++i)
    {
        changed[outlived.changedCount] = i;
        ownA[outlived.changedCount] = after.system.ownA[i];
        outlived.changedCount += touched[i] != 0 && body->x[i].w > 0;
    }
    spError error = {0};
    spPreconditioner* p = spCreateOutlived(&body->heap->allocator, &outlived, &error);
    assert_non_null(p);
    // Beside it: no factor, and copies with their own diagonal block alone
    spPreconditioner* local = MakePreconditioner(&after, sp_preconditionBlockJacobi);
    spSparse diagonal = after.system.sparse;
    int32_t* begin = calloc((size_t)body->nodeCount + 1, sizeof(int32_t));
    diagonal.rowBegin = begin;
    spOutlivedDef ownDef = {.old = old, .changed = changed, .matrix = &diagonal, .ownA = ownA, .ownC = ownC};
    for (int i = 0; i < body->nodeCount; ++i)
    {
        changed[ownDef.changedCount] = i;
        ownA[ownDef.changedCount] = after.system.ownA[i];
        ownDef.changedCount += body->order.order[i] >= first;
    }
    spPreconditioner* own = spCreateOutlived(&body->heap->allocator, &ownDef, &error);
    assert_non_null(own);
    int count = CountIterations(&after, p);
    printf("  %3d copies, %3d tets at the cut: block Jacobi %d, old factor and own blocks %d, outlived %d "
           "(at most %d)\n",
           cut.def.copyCount, cut.def.tetCount, CountIterations(&after, local), CountIterations(&after, own),
           count, most);
    assert_true(count <= most);
    assert_true(cut.def.tetCount > *order);
    *order = cut.def.tetCount;
    p->kind->destroy(p);
    own->kind->destroy(own);
    local->kind->destroy(local);
    old->kind->destroy(old);
    FreeMatrix(&after);
    FreeMatrix(&before);
    free(begin);
    free(touched);
    FreeCut(&cut);
    EndRig(&rig);
    spDestroyMesh(mesh);
}

static void TestOutlived(void** state)
{
    SP_UNUSED(state);
    int order = 0;
    CheckOutlived(0.06, 0.06, 6, &order);
    CheckOutlived(0.11, 0.11, 7, &order);
    CheckOutlived(0.11, 0.16, 8, &order);
    CheckOutlived(1.0, 1.0, 14, &order);
}

// Courtecuisse 2011, part 2, F33: a bar that is cut through. A pull on one part moves nothing of the other,
// in the matrix that the step solves with.
static void TestSevered(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeBar();
    spMesh* mesh = MakeMesh(&def);
    Rig rig;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    double middle = rig.body->rest[0].x + 0.25, across[2];
    for (int cutThrough = 0; cutThrough < 2; ++cutThrough)
    {
        Cut cut = CutBar(&rig, 1.0, 1.0, 0);
        assert_true(cutThrough == 0 || spEditBody(rig.world, rig.id, &cut.def, NULL));
        FreeCut(&cut);
        spBody* body = rig.body;
        Matrix a = MakeMatrix(&rig);
        spPreconditioner* p = MakePreconditioner(&a, sp_preconditionCholesky);
        spVec4* all = calloc((size_t)a.rows.nodeCount * 2, sizeof(spVec4));
        spVec4 *force = all, *moved = all + a.rows.nodeCount;
        for (int i = 0; i < body->userCount; ++i)
        {
            spReal pull = body->rest[i].x > middle + 0.2 ? 1 : 0;
            force[body->order.rank[i]] = (spVec4){pull, pull, pull, 0};
        }
        p->kind->apply(p, NULL, force, moved);
        double here = 0.0, there = 0.0;
        for (int i = 0; i < body->userCount; ++i)
        {
            double length = (double)spLength3(spXyz(moved[body->order.rank[i]]));
            here = body->rest[i].x > middle + 1e-6 ? fmax(here, length) : here;
            there = body->rest[i].x < middle - 1e-6 ? fmax(there, length) : there;
        }
        across[cutThrough] = there / here;
        free(all);
        p->kind->destroy(p);
        FreeMatrix(&a);
    }
    print_message("moved across the middle: %g whole, %g cut through\n", across[0], across[1]);
    assert_true(across[0] > 1e-3);
    assert_true(across[1] < 1e-9);
    EndRig(&rig);
    spDestroyMesh(mesh);
}

// The step after a cut goes on with the factor that there is, then a new one comes
static void CheckStepAfterCut(double high, double deep, int remove, bool asynchronous, int substeps, int most)
{
    RigDef def = MakeBar();
    def.method.type = sp_backwardEuler;
    def.method.substeps = substeps;
    def.method.solver.tolerance = (spReal)1e-3;
    def.method.solver.preconditioner = sp_preconditionCholesky;
    def.method.solver.asynchronous = asynchronous;
    def.method.solver.age = 2 * substeps;
    spMesh* mesh = MakeMesh(&def);
    Rig rig;
    assert_true(BuildRig(&rig, &def, mesh));
    StartRig(&rig);
    Run(&rig, 4);
    spSolverReport before = spBody_GetSolverReport(rig.world, rig.id);
    Cut cut = CutBar(&rig, high, deep, remove);
    assert_true(cut.def.removedCount >= remove / 2);
    assert_true(spEditBody(rig.world, rig.id, &cut.def, NULL));
    Run(&rig, 1);
    spSolverReport after = spBody_GetSolverReport(rig.world, rig.id);
    Run(&rig, 1);
    spSolverReport next = spBody_GetSolverReport(rig.world, rig.id);
    Run(&rig, 2);
    spSolverReport last = spBody_GetSolverReport(rig.world, rig.id);
    printf("  %3d tets at the cut, %s, %d substeps: %d iterations, %d and %d, then %d (at most %d)\n",
           cut.def.tetCount, asynchronous ? "asynchronous" : "synchronous", substeps, before.iterations,
           after.iterations, next.iterations, last.iterations, most);
    assert_true(after.iterations <= most * substeps);
    // Nothing was made in that step, or waited for
    assert_true(after.factorStep == before.factorStep);
    assert_true(after.factorCount == before.factorCount + (asynchronous ? 1 : 0));
    assert_true(after.waitCount == before.waitCount);
    assert_true(last.factorStep > after.factorStep);
    assert_true(last.iterations <= before.iterations + 3 * substeps);
    FreeCut(&cut);
    EndRig(&rig);
    spDestroyMesh(mesh);
}

static void TestStepAfterCut(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; i < 4; ++i)
    {
        bool asynchronous = i % 2 == 1;
        int substeps = i < 2 ? 1 : 3;
        CheckStepAfterCut(0.06, 0.06, 0, asynchronous, substeps, 6);
        CheckStepAfterCut(0.11, 0.11, 0, asynchronous, substeps, 7);
        CheckStepAfterCut(0.11, 0.16, 0, asynchronous, substeps, 8);
        CheckStepAfterCut(1.0, 1.0, 0, asynchronous, substeps, 14);
        // Tets that go, anywhere in the bar
        CheckStepAfterCut(0.06, 0.06, 6, asynchronous, substeps, 8);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRoomIsInvisible),
        cmocka_unit_test(TestEditedIsBuilt),
        cmocka_unit_test(TestSteps),
        cmocka_unit_test(TestSnapshots),
        cmocka_unit_test(TestSnapshotsBetween),
        cmocka_unit_test(TestWorkers),
        cmocka_unit_test(TestCost),
        cmocka_unit_test(TestMemory),
        cmocka_unit_test(TestStepMemory),
        cmocka_unit_test(TestRandomOrder),
        cmocka_unit_test(TestRandomEdits),
        cmocka_unit_test(TestThousandEdits),
        cmocka_unit_test(TestRefusals),
#ifdef SOUPLE_HAVE_CHOLMOD
        cmocka_unit_test(TestOutlived),
        cmocka_unit_test(TestSevered),
        cmocka_unit_test(TestStepAfterCut),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
