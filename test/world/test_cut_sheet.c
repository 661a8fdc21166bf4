// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Sheets and springs under edits: what hangs on the cells of a mesh follows them.

#include "base/core.h"
#include "body/body.h"
#include "souple/souple.h"
#include "test/memory_test.h"
#include "testbed/check.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

static const double tight = sizeof(spReal) == sizeof(float) ? 1e-6 : 1e-12;
static const spReal frame = (spReal)(1.0 / 60.0);

typedef struct Rig
{
    spWorld* world;
    spBodyId id;
} Rig;

// What acts in the sheet, as bits
enum
{
    actSprings = 0x1,
    actBends = 0x2,
    actWind = 0x4,
    actKept = 0x8, // constraints of length and area in place of springs
    actAll = actSprings | actBends | actWind,
};

typedef struct RigDef
{
    int count, nodeRoom, acts, workers;
    bool shear; // and far springs: some that no triangle has
    const spMesh* mesh;
    spMethodType method;
    spAllocator allocator;
} RigDef;

static RigDef MakeRigDef(spMethodType method)
{
    return (RigDef){
        .count = 13, .nodeRoom = 600, .acts = actAll, .workers = 1, .shear = true, .method = method};
}

static spMesh* MakeSheet(const RigDef* def)
{
    spClothMeshDef cloth = spDefaultClothMeshDef();
    cloth.corner = (spDVec3){-0.5, 0, -0.5};
    cloth.sizeX = cloth.sizeZ = 1.0;
    cloth.countX = cloth.countZ = def->count;
    cloth.shear = cloth.bend = def->shear;
    return spMakeClothMesh(&cloth, NULL);
}

// A sheet of 1 m x 1 m about the origin
static Rig BuildRig(const RigDef* def)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->workers;
    worldDef.allocator = def->allocator;
    Rig rig = {.world = spCreateWorld(&worldDef, NULL)};
    spMesh* own = def->mesh == NULL ? MakeSheet(def) : NULL;
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = own != NULL ? own : def->mesh;
    bodyDef.density = (spReal)0.3;
    bodyDef.nodeRoom = def->nodeRoom;
    bodyDef.method.type = def->method;
    rig.id = spCreateBody(rig.world, &bodyDef);
    spSpringDef springs = spDefaultSpringDef();
    springs.youngModulus = 1e5;
    springs.thickness = (spReal)0.001;
    springs.damping = 0;
    if (def->shear)
    {
        // Some have no triangle to take a thickness from
        springs.youngModulus = 0;
        springs.damping = (spReal)0.01;
        springs.stiffness = 60;
    }
    assert_true((def->acts & actSprings) == 0 || spBody_AddSprings(rig.world, rig.id, &springs) >= 0);
    spBendDef bends = spDefaultBendDef();
    bends.stiffness = (spReal)1e-3;
    assert_true((def->acts & actBends) == 0 || spBody_AddBends(rig.world, rig.id, &bends) >= 0);
    spWindDef wind = spDefaultWindDef();
    wind.velocity = (spVec3){(spReal)0.3, 0, (spReal)0.1};
    assert_true((def->acts & actWind) == 0 || spBody_AddWind(rig.world, rig.id, &wind) >= 0);
    spConstraintDef kept = spDefaultConstraintDef();
    kept.compliance = (spReal)1e-4;
    assert_true((def->acts & actKept) == 0 || spBody_AddConstraints(rig.world, rig.id, &kept) >= 0);
    kept.type = sp_constraintArea;
    assert_true((def->acts & actKept) == 0 || spBody_AddConstraints(rig.world, rig.id, &kept) >= 0);
    spDestroyMesh(own);
    return rig;
}

static void EndRig(Rig* rig)
{
    spDestroyWorld(rig->world);
}

// Bulges and spins the sheet
static void Deform(Rig* rig)
{
    int count = spBody_GetNodeCount(rig->world, rig->id);
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    spVec3* v = malloc((size_t)count * sizeof(spVec3));
    spBody_CopyPositions(rig->world, rig->id, x, count);
    for (int i = 0; i < count; ++i)
    {
        v[i] = (spVec3){(spReal)0.1 - x[i].z, x[i].x, x[i].x * x[i].z};
        x[i].y += (spReal)0.6 * x[i].x * x[i].x - (spReal)0.3 * x[i].z * x[i].x;
        x[i].x *= (spReal)1.1;
    }
    assert_true(spBody_SetPositions(rig->world, rig->id, x, count));
    assert_true(spBody_SetVelocities(rig->world, rig->id, v, count));
    free(x);
    free(v);
}

static double GetMass(const Rig* rig)
{
    int count = spBody_GetNodeCount(rig->world, rig->id);
    spReal* masses = malloc((size_t)count * sizeof(spReal));
    spBody_CopyMasses(rig->world, rig->id, masses, count);
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)masses[i];
    }
    free(masses);
    return sum;
}

// A strip across the sheet at x, from outside up to z; a little slanted
static spBlade MakeBlade(double x, double z)
{
    return (spBlade){.begin = {{(spReal)x, -1, -1}, {(spReal)x, 1, -1}},
                     .end = {{(spReal)(x + 0.03), -1, (spReal)z}, {(spReal)(x + 0.03), 1, (spReal)z}}};
}

// ---- cuts ----

// Neither mass nor momentum nor the energy of springs that triangles hold changes by a cut. Hinges that it goes
// through are gone with their energy, and springs that lead over it.
static void TestCutIsExact(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_symplecticEuler);
    def.shear = false;
    def.acts = actSprings;
    Rig rig = BuildRig(&def);
    Deform(&rig);
    double mass = GetMass(&rig);
    spVec3 p = spBody_GetMomentum(rig.world, rig.id), l = spBody_GetAngularMomentum(rig.world, rig.id);
    spEnergy before = spBody_GetEnergy(rig.world, rig.id);
    int elements = spBody_GetElementCount(rig.world, rig.id);
    spBlade blade = MakeBlade(0.01, 1.0);
    spEditResult result;
    assert_true(spBody_Cut(rig.world, rig.id, &blade, &result));
    printf("  %d edges opened, %d copies, %d pieces\n", result.faceCount, result.copyCount,
           spBody_GetPieceCount(rig.world, rig.id));
    assert_true(result.faceCount >= 12 && result.copyCount >= 13);
    assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 2);
    spVec3 p2 = spBody_GetMomentum(rig.world, rig.id), l2 = spBody_GetAngularMomentum(rig.world, rig.id);
    spEnergy after = spBody_GetEnergy(rig.world, rig.id);
    assert_true(fabs(GetMass(&rig) - mass) <= tight * mass);
    for (int k = 0; k < 3; ++k)
    {
        assert_true(fabs((double)(&p.x)[k] - (double)(&p2.x)[k]) <= tight * mass);
        assert_true(fabs((double)(&l.x)[k] - (double)(&l2.x)[k]) <= tight * mass);
    }
    assert_true(before.elastic > 0.01 && before.kinetic > 0.001);
    assert_true(fabs(after.elastic - before.elastic) <= tight * before.elastic);
    assert_true(fabs(after.kinetic - before.kinetic) <= tight * before.kinetic);
    assert_int_equal(spBody_GetElementCount(rig.world, rig.id), elements);
    int bare = -1, triangles = 0;
    spBody_GetBareTriangles(rig.world, rig.id, &bare);
    spBody_GetTriangles(rig.world, rig.id, &triangles);
    assert_int_equal(bare, 0);
    assert_int_equal(triangles, 2 * 12 * 12);
    EndRig(&rig);
}

// What a blade cuts off falls, by every method and whatever acts in the sheet; no spring leads over the cut
static void TestCutFalls(void** state)
{
    SP_UNUSED(state);
    for (int type = 0; type < sp_rigid; ++type)
    {
        // What is cut off has no equilibrium
        for (int kept = 0; type != sp_quasiStatic && kept < (type == sp_xpbd ? 2 : 1); ++kept)
        {
            RigDef def = MakeRigDef((spMethodType)type);
            def.acts = kept ? actKept | actBends : actAll;
            Rig rig = BuildRig(&def);
            spVec3View x = spBody_GetPositions(rig.world, rig.id);
            int count = x.count;
            for (int i = 0; i < count; ++i)
            {
                assert_true(x.data[i].x > (spReal)-0.49 || spBody_PinNodes(rig.world, rig.id, &i, 1));
            }
            for (int i = 0; i < 5; ++i)
            {
                spWorld_Step(rig.world, frame);
            }
            spBlade blade = MakeBlade(0.1, 1.0);
            spEditResult result;
            assert_true(spBody_Cut(rig.world, rig.id, &blade, &result));
            assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 2);
            for (int i = 0; i < 35; ++i)
            {
                spWorld_Step(rig.world, frame);
            }
            assert_true(spBody_IsRunning(rig.world, rig.id));
            x = spBody_GetPositions(rig.world, rig.id);
            double lowest = 1.0;
            for (int i = 0; i < x.count; ++i)
            {
                lowest = fmin(lowest, (double)x.data[i].y);
            }
            int fallen = 0;
            for (int i = 0; i < x.count; ++i)
            {
                fallen += (double)x.data[i].y < 0.75 * lowest;
            }
            printf("  method %d: lowest %.2f m, %d of %d nodes have fallen\n", type, lowest, fallen, x.count);
            assert_true(lowest < -0.5 && fallen > x.count / 5 && fallen < x.count / 2); // 0.4 of the sheet
            EndRig(&rig);
        }
    }
}

static uint32_t s_seed;

static double Random(double low, double high)
{
    s_seed = s_seed * 1664525u + 1013904223u;
    return low + (high - low) * (double)(s_seed >> 8) / (double)(1 << 24);
}

// A cut or a hole anywhere
static bool EditAtRandom(Rig* rig, int i)
{
    if (i % 3 == 2)
    {
        spColliderDef ball = spDefaultColliderDef();
        ball.shape = sp_shapeSphere;
        ball.radius = (spReal)Random(0.03, 0.06);
        ball.transform.position = (spVec3){(spReal)Random(-0.5, 0.5), 0, (spReal)Random(-0.5, 0.5)};
        return spBody_Carve(rig->world, rig->id, &ball, NULL);
    }
    double x = Random(-0.5, 0.5), z = Random(-0.5, 0.5), u = Random(-0.2, 0.2), w = Random(-0.2, 0.2);
    spBlade blade = {.begin = {{(spReal)x, -1, (spReal)z}, {(spReal)x, 1, (spReal)z}},
                     .end = {{(spReal)(x + u), -1, (spReal)(z + w)}, {(spReal)(x + u), 1, (spReal)(z + w)}}};
    return spBody_Cut(rig->world, rig->id, &blade, NULL);
}

// The triangles of a body as they are now, as a mesh of their own. names: of each node of that, its number in the body
static spMesh* TakeMesh(const Rig* rig, const spVec3* rest, int32_t* names)
{
    int count = 0, n = spBody_GetNodeCount(rig->world, rig->id), used = 0;
    const int32_t* from = spBody_GetTriangles(rig->world, rig->id, &count);
    spDVec3* vertices = malloc((size_t)n * sizeof(spDVec3));
    int32_t* numbers = malloc((size_t)n * sizeof(int32_t));
    int32_t* triangles = malloc((size_t)count * 3 * sizeof(int32_t));
    for (int i = 0; i < n; ++i)
    {
        numbers[i] = spBody_GetNodeRole(rig->world, rig->id, i) == sp_nodeGone ? -1 : used;
        names[used] = i;
        vertices[used] = (spDVec3){(double)rest[i].x, (double)rest[i].y, (double)rest[i].z};
        used += numbers[i] >= 0;
    }
    for (int i = 0; i < 3 * count; ++i)
    {
        triangles[i] = numbers[from[i]];
    }
    spMeshDef def = spDefaultMeshDef();
    def.triangles = triangles;
    def.triangleCount = count;
    def.vertices = vertices;
    def.vertexCount = used;
    spMesh* mesh = spCreateMesh(&def, NULL);
    free(vertices);
    free(numbers);
    free(triangles);
    return mesh;
}

// After many edits masses, energy and motion are those of a sheet made so: a spring at a cut has the triangles of its
// side, a hinge is where two triangles meet
static void TestAsMadeSo(void** state)
{
    SP_UNUSED(state);
    s_seed = 20;
    RigDef def = MakeRigDef(sp_symplecticEuler);
    def.shear = false;
    def.nodeRoom = 3000;
    Rig rig = BuildRig(&def);
    for (int i = 0; i < 120; ++i)
    {
        assert_true(EditAtRandom(&rig, i));
    }
    int n = spBody_GetNodeCount(rig.world, rig.id);
    spVec3* x = malloc((size_t)n * sizeof(spVec3));
    spBody_CopyPositions(rig.world, rig.id, x, n);
    int32_t* names = malloc((size_t)n * sizeof(int32_t));
    spMesh* mesh = TakeMesh(&rig, x, names);
    RigDef made = def;
    made.nodeRoom = 0;
    made.mesh = mesh;
    Rig like = BuildRig(&made);
    int m = spBody_GetNodeCount(like.world, like.id);
    printf("  %d nodes, %d of them copies, %d gone, in %d pieces\n", n, n - 13 * 13, n - m,
           spBody_GetPieceCount(rig.world, rig.id));
    assert_true(n > 13 * 13 + 100);
    spReal* a = malloc((size_t)n * sizeof(spReal));
    spReal* b = malloc((size_t)n * sizeof(spReal));
    spBody_CopyMasses(rig.world, rig.id, a, n);
    spBody_CopyMasses(like.world, like.id, b, m);
    for (int i = 0; i < m; ++i)
    {
        assert_true(fabs((double)(a[names[i]] - b[i])) <= 10.0 * tight * (double)b[i]);
    }
    free(a);
    free(b);
    Deform(&rig);
    Deform(&like);
    double elastic = spBody_GetEnergy(rig.world, rig.id).elastic,
           other = spBody_GetEnergy(like.world, like.id).elastic;
    assert_true(elastic > 0.01 && fabs(elastic - other) <= 100.0 * tight * other);
    spWorld_Step(rig.world, frame);
    spWorld_Step(like.world, frame);
    spVec3View p = spBody_GetPositions(rig.world, rig.id), q = spBody_GetPositions(like.world, like.id);
    double apart = 0.0;
    for (int i = 0; i < m; ++i)
    {
        spVec3 d = {p.data[names[i]].x - q.data[i].x, p.data[names[i]].y - q.data[i].y,
                    p.data[names[i]].z - q.data[i].z};
        apart = fmax(apart, fabs((double)d.x) + fabs((double)d.y) + fabs((double)d.z));
    }
    printf("  a step apart by %g m, energies by %g J of %g J\n", apart, elastic - other, other);
    assert_true(apart < 1e3 * tight);
    free(x);
    free(names);
    spDestroyMesh(mesh);
    EndRig(&rig);
    EndRig(&like);
}

// What the elements are follows from the cells alone: a snapshot of a sheet in shreds makes a whole one the same, and a
// whole one makes it whole again; steps go on with the same bits, on several threads too
static void TestRestore(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_xpbd};
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        s_seed = 7;
        RigDef def = MakeRigDef(types[t]);
        Rig rig = BuildRig(&def);
        def.workers = 3;
        Rig other = BuildRig(&def);
        spSnapshot* whole = spWorld_Save(rig.world);
        for (int i = 0; i < 30; ++i)
        {
            assert_true(EditAtRandom(&rig, i));
            if (i % 6 == 0)
            {
                spWorld_Step(rig.world, frame);
            }
        }
        spSnapshot* shreds = spWorld_Save(rig.world);
        assert_true(spWorld_Restore(other.world, shreds));
        for (int i = 0; i < 4; ++i)
        {
            spWorld_Step(rig.world, frame);
            spWorld_Step(other.world, frame);
            assert_true(spWorld_GetStateHash(rig.world) == spWorld_GetStateHash(other.world));
        }
        double shredded = spBody_GetEnergy(rig.world, rig.id).elastic;
        assert_true(spBody_GetEnergy(other.world, other.id).elastic == shredded);
        assert_true(spWorld_Restore(rig.world, whole));
        assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 1);
        RigDef freshDef = def;
        freshDef.workers = 1;
        Rig fresh = BuildRig(&freshDef);
        for (int i = 0; i < 3; ++i)
        {
            spWorld_Step(rig.world, frame);
            spWorld_Step(fresh.world, frame);
        }
        assert_true(spWorld_GetStateHash(rig.world) == spWorld_GetStateHash(fresh.world));
        spDestroySnapshot(whole);
        spDestroySnapshot(shreds);
        EndRig(&rig);
        EndRig(&other);
        EndRig(&fresh);
    }
}

// A sheet that is pulled comes apart where it bears no more, and keeps its mass
static void TestTear(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_backwardEuler);
    def.shear = false;
    def.acts = actSprings;
    Rig rig = BuildRig(&def);
    int count = spBody_GetNodeCount(rig.world, rig.id);
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    spBody_CopyPositions(rig.world, rig.id, x, count);
    for (int i = 0; i < count; ++i)
    {
        bool end = fabs((double)x[i].x) > 0.49;
        x[i].x *= (spReal)1.1;
        assert_true(end == false || spBody_PinNodes(rig.world, rig.id, &i, 1));
    }
    assert_true(spBody_SetPositions(rig.world, rig.id, x, count));
    free(x);
    // Young's modulus times thickness times stretch is 10 N/m; springs that count their triangles whole pull more
    double mass = GetMass(&rig);
    spTearDef tear = spDefaultTearDef();
    tear.strength = 40;
    spEditResult result;
    assert_true(spBody_Tear(rig.world, rig.id, &tear, &result));
    assert_int_equal(result.faceCount, 0);
    tear.strength = 10;
    assert_true(spBody_Tear(rig.world, rig.id, &tear, &result));
    assert_true(result.faceCount > 0);
    int calls = 1;
    for (; calls < 200 && spBody_GetPieceCount(rig.world, rig.id) < 2; ++calls)
    {
        spWorld_Step(rig.world, frame);
        assert_true(spBody_Tear(rig.world, rig.id, &tear, &result));
    }
    printf("  in %d pieces after %d steps\n", spBody_GetPieceCount(rig.world, rig.id), calls);
    assert_true(spBody_GetPieceCount(rig.world, rig.id) >= 2);
    assert_true(fabs(GetMass(&rig) - mass) <= 10.0 * tight * mass);
    EndRig(&rig);
}

// ---- springs of solids ----

// Springs on the edges of tets have the tets of their side: a cut changes no energy, and what is cut off falls
static void TestSpringsOfTets(void** state)
{
    SP_UNUSED(state);
    spBoxMeshDef box = spDefaultBoxMeshDef();
    memcpy(box.cells, (int[3]){8, 3, 3}, sizeof(box.cells));
    box.size = (spDVec3){0.8, 0.3, 0.3};
    box.origin = (spDVec3){0, 0, 0};
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    RigDef def = {.nodeRoom = 500,
                  .acts = actSprings | actWind,
                  .workers = 1,
                  .mesh = mesh,
                  .method = sp_backwardEuler};
    Rig rig = BuildRig(&def);
    Deform(&rig);
    spEnergy before = spBody_GetEnergy(rig.world, rig.id);
    double mass = GetMass(&rig);
    spBlade blade = {.begin = {{(spReal)0.43, 3, -3}, {(spReal)0.43, 3, 3}},
                     .end = {{(spReal)0.43, -3, -3}, {(spReal)0.43, -3, 3}}};
    spEditResult result;
    assert_true(spBody_Cut(rig.world, rig.id, &blade, &result));
    assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 2);
    spEnergy after = spBody_GetEnergy(rig.world, rig.id);
    assert_true(before.elastic > 0.01 &&
                fabs(after.elastic - before.elastic) <= 10.0 * tight * before.elastic);
    assert_true(fabs(GetMass(&rig) - mass) <= tight * mass);
    for (int i = 0; i < 10; ++i)
    {
        spWorld_Step(rig.world, frame);
    }
    assert_true(spBody_IsRunning(rig.world, rig.id));
    EndRig(&rig);
    spDestroyMesh(mesh);
}

// ---- hostile ----

static void TestRefusals(void** state)
{
    SP_UNUSED(state);
    // A spring right across, edges of three triangles, a triangle that is none
    const char* words[] = {"element 0", "share a side", "twice"};
    const spDVec3 vertices[5] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 0}};
    const int32_t triangles[3][9] = {
        {0, 1, 2, 1, 3, 2, 0, 4, 1}, {0, 1, 2, 1, 0, 3, 0, 1, 4}, {0, 1, 2, 1, 3, 2, 1, 1, 3}};
    for (int i = 0; i < 3; ++i)
    {
        spMeshDef meshDef = spDefaultMeshDef();
        meshDef.vertices = vertices;
        meshDef.vertexCount = i == 2 ? 4 : 5;
        meshDef.triangles = triangles[i];
        meshDef.triangleCount = 3;
        spMesh* mesh = spCreateMesh(&meshDef, NULL);
        RigDef def = {.nodeRoom = 20, .acts = 0, .workers = 1, .mesh = mesh};
        RigDef sheet = MakeRigDef(sp_symplecticEuler);
        sheet.acts = 0;
        assert_non_null(mesh);
        Rig rig = BuildRig(i == 0 ? &sheet : &def);
        spSpringDef springs = spDefaultSpringDef();
        const int32_t across[2] = {0, 13 * 13 - 1};
        springs.edges = across;
        springs.edgeCount = 1;
        assert_true(i > 0 || spBody_AddSprings(rig.world, rig.id, &springs) >= 0);
        int32_t all[3] = {0, 1, 2};
        uint64_t hash = spWorld_GetStateHash(rig.world);
        assert_false(spBody_RemoveTets(rig.world, rig.id, all, 1, NULL));
        const char* said = spWorld_GetLastError(rig.world).message;
        printf("  %s\n", said);
        assert_non_null(strstr(said, i == 2 ? words[2] : words[i]));
        assert_true(spWorld_GetStateHash(rig.world) == hash);
        EndRig(&rig);
        spDestroyMesh(mesh);
    }
}

// Every allocation failing in turn: the edit is refused, nothing has changed, and then it works
static void TestMemory(void** state)
{
    SP_UNUSED(state);
    FailingAllocator failing = {.failAt = -1};
    RigDef def = MakeRigDef(sp_symplecticEuler);
    def.count = 5;
    def.nodeRoom = 20;
    def.allocator = MakeFailingAllocator(&failing);
    spBlade blade = MakeBlade(0.01, 0.2);
    uint64_t after = 0;
    bool done = false;
    for (int at = -1; done == false || at <= 0; ++at)
    {
        failing.failAt = -1;
        Rig rig = BuildRig(&def);
        uint64_t before = spWorld_GetStateHash(rig.world);
        failing.count = 0;
        failing.failAt = at;
        done = spBody_Cut(rig.world, rig.id, &blade, NULL);
        failing.failAt = -1;
        if (done == false)
        {
            assert_int_equal(spWorld_GetLastError(rig.world).code, sp_errorOutOfMemory);
            assert_true(spWorld_GetStateHash(rig.world) == before);
            assert_true(spBody_Cut(rig.world, rig.id, &blade, NULL));
        }
        spWorld_Step(rig.world, frame);
        after = at < 0 ? spWorld_GetStateHash(rig.world) : after;
        assert_true(spWorld_GetStateHash(rig.world) == after);
        EndRig(&rig);
    }
}

// Edits until little is left
static void TestShreds(void** state)
{
    SP_UNUSED(state);
    s_seed = 3;
    for (int type = 0; type < sp_rigid; ++type)
    {
        RigDef def = MakeRigDef((spMethodType)type);
        def.count = 9;
        def.nodeRoom = 300;
        Rig rig = BuildRig(&def);
        for (int i = 0; i < 100; ++i)
        {
            assert_true(EditAtRandom(&rig, i) || spWorld_GetLastError(rig.world).code != sp_errorOutOfMemory);
            if (i % 20 == 0)
            {
                spWorld_Step(rig.world, frame);
            }
        }
        assert_true(spBody_IsRunning(rig.world, rig.id));
        assert_true(isfinite(spBody_GetEnergy(rig.world, rig.id).kinetic));
        EndRig(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestCutIsExact), cmocka_unit_test(TestCutFalls), cmocka_unit_test(TestAsMadeSo),
        cmocka_unit_test(TestRestore),    cmocka_unit_test(TestTear),     cmocka_unit_test(TestSpringsOfTets),
        cmocka_unit_test(TestRefusals),   cmocka_unit_test(TestMemory),   cmocka_unit_test(TestShreds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
