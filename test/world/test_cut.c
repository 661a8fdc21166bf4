// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Edits as users make them: tets removed, shapes carved out, blades.

#include "base/core.h"
#include "souple/souple.h"
#include "test/memory_test.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

static const double tight = sizeof(spReal) == sizeof(float) ? 1e-6 : 1e-12;
static const spReal frame = (spReal)(1.0 / 60.0);

typedef struct Rig
{
    spWorld* world;
    spBodyId id;
} Rig;

typedef struct RigDef
{
    int cells[3];
    int nodeRoom, workers;
    bool selfContact, ground;
    spMethodDef method;
    spAllocator allocator;
} RigDef;

static RigDef MakeRigDef(spMethodType type)
{
    RigDef def = {.cells = {10, 4, 4}, .nodeRoom = 2000, .workers = 1, .method = spDefaultMethodDef()};
    def.method.type = type;
    return def;
}

// A beam of cells of 5 cm about the origin
static Rig BuildRig(const RigDef* def)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->workers;
    worldDef.allocator = def->allocator;
    Rig rig = {.world = spCreateWorld(&worldDef, NULL)};
    spBoxMeshDef box = spDefaultBoxMeshDef();
    memcpy(box.cells, def->cells, sizeof(box.cells));
    box.size = (spDVec3){0.05 * def->cells[0], 0.05 * def->cells[1], 0.05 * def->cells[2]};
    box.origin = (spDVec3){-0.5 * box.size.x, -0.5 * box.size.y, -0.5 * box.size.z};
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method = def->method;
    bodyDef.nodeRoom = def->nodeRoom;
    bodyDef.selfContact = def->selfContact;
    rig.id = spCreateBody(rig.world, &bodyDef);
    spTetDef tetDef = spDefaultTetDef();
    tetDef.damping = (spReal)0.002;
    assert_true(spBody_AddTets(rig.world, rig.id, &tetDef) >= 0);
    spDestroyMesh(mesh);
    if (def->ground)
    {
        spColliderDef ground = spDefaultColliderDef();
        ground.transform.position.y = (spReal)-0.11;
        spCreateCollider(rig.world, &ground);
    }
    return rig;
}

static void EndRig(Rig* rig)
{
    spDestroyWorld(rig->world);
}

// Bends and spins the body
static void Deform(Rig* rig)
{
    int count = spBody_GetNodeCount(rig->world, rig->id);
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    spVec3* v = malloc((size_t)count * sizeof(spVec3));
    spBody_CopyPositions(rig->world, rig->id, x, count);
    for (int i = 0; i < count; ++i)
    {
        v[i] = (spVec3){(spReal)0.1 - x[i].y, x[i].x, x[i].x * x[i].z};
        x[i].y += (spReal)0.4 * x[i].x * x[i].x;
        x[i].z += (spReal)0.3 * x[i].x * x[i].y;
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

// A strip across the whole beam at x, from above down to y
static spBlade MakeBlade(double x, double y)
{
    spBlade blade = {.begin = {{(spReal)x, 1, -1}, {(spReal)x, 1, 1}},
                     .end = {{(spReal)x, (spReal)y, -1}, {(spReal)x, (spReal)y, 1}}};
    return blade;
}

// Every edge of the surface is gone along as often forth as back
static void CheckClosed(const Rig* rig)
{
    int count = 0, n = spBody_GetNodeCount(rig->world, rig->id);
    const int32_t* triangles = spBody_GetTriangles(rig->world, rig->id, &count);
    int64_t* sums = calloc((size_t)n, sizeof(int64_t));
    for (int i = 0; i < 3 * count; ++i)
    {
        int from = triangles[i], to = triangles[i % 3 == 2 ? i - 2 : i + 1];
        int64_t weight = ((int64_t)(from < to ? from : to) * 2654435761LL) % 1000003 + 1;
        sums[from > to ? from : to] += from < to ? weight : -weight;
    }
    for (int i = 0; i < n; ++i)
    {
        assert_int_equal(sums[i], 0);
    }
    free(sums);
}

// ---- cuts ----

// A cut changes neither mass nor momentum nor energy, whatever way the body moves
static void TestCutIsExact(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_symplecticEuler);
    Rig rig = BuildRig(&def);
    Deform(&rig);
    double mass = GetMass(&rig);
    spVec3 p = spBody_GetMomentum(rig.world, rig.id), l = spBody_GetAngularMomentum(rig.world, rig.id);
    spEnergy before = spBody_GetEnergy(rig.world, rig.id);
    double volume = spBody_GetVolume(rig.world, rig.id);
    assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 1);
    spBlade blade = {.begin = {{(spReal)0.03, 1, -1}, {(spReal)-0.02, 1, 1}},
                     .end = {{(spReal)0.06, -1, -1}, {(spReal)0.01, -1, 1}}};
    spEditResult result;
    assert_true(spBody_Cut(rig.world, rig.id, &blade, &result));
    assert_true(result.faceCount > 30 && result.copyCount > 20);
    assert_int_equal(result.tetCount + result.nodeCount, 0);
    assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 2);
    assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 2);
    spVec3 p2 = spBody_GetMomentum(rig.world, rig.id), l2 = spBody_GetAngularMomentum(rig.world, rig.id);
    spEnergy after = spBody_GetEnergy(rig.world, rig.id);
    assert_true(fabs(GetMass(&rig) - mass) <= tight * mass);
    for (int k = 0; k < 3; ++k)
    {
        assert_true(fabs((double)(&p.x)[k] - (double)(&p2.x)[k]) <= tight * mass);
        assert_true(fabs((double)(&l.x)[k] - (double)(&l2.x)[k]) <= tight * mass);
    }
    assert_true(before.elastic > 0.1 && before.kinetic > 0.1);
    assert_true(fabs(after.elastic - before.elastic) <= tight * before.elastic);
    assert_true(fabs(after.kinetic - before.kinetic) <= tight * before.kinetic);
    assert_true(fabs(after.potential - before.potential) <= tight * mass);
    assert_true(fabs(spBody_GetVolume(rig.world, rig.id) - volume) <= tight * volume);
    // Both sides of every face are bare, nothing else
    int bare = 0, triangles = 0;
    const uint8_t* which = spBody_GetBareTriangles(rig.world, rig.id, &bare);
    assert_int_equal(bare, 2 * result.faceCount);
    spBody_GetTriangles(rig.world, rig.id, &triangles);
    for (int i = 0; i < triangles; ++i)
    {
        bare -= which[i];
    }
    assert_int_equal(bare, 0);
    CheckClosed(&rig);
    EndRig(&rig);
}

// A blade that comes down in steps makes the cut that it makes at once, and a snapshot in between keeps what is open
static void TestCutInSteps(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_backwardEuler);
    Rig whole = BuildRig(&def), steps = BuildRig(&def), restored = BuildRig(&def);
    spBlade blade = MakeBlade(0.025, -1.0);
    spEditResult result, sum = {0};
    assert_true(spBody_Cut(whole.world, whole.id, &blade, &result));
    for (int i = 0; i < 29; ++i)
    {
        spBlade part = blade;
        for (int k = 0; k < 2; ++k)
        {
            part.begin[k].y = (spReal)(0.3 - 0.021 * i);
            part.end[k].y = (spReal)(0.3 - 0.021 * (i + 1));
        }
        spEditResult now;
        assert_true(spBody_Cut(steps.world, steps.id, &part, &now));
        sum.faceCount += now.faceCount;
        sum.copyCount += now.copyCount;
        if (i == 14)
        {
            assert_int_equal(spBody_GetPieceCount(steps.world, steps.id), 1);
            spSnapshot* snapshot = spWorld_Save(steps.world);
            assert_true(spWorld_Restore(restored.world, snapshot));
            spDestroySnapshot(snapshot);
        }
        else if (i > 14)
        {
            assert_true(spBody_Cut(restored.world, restored.id, &part, NULL));
        }
    }
    assert_int_equal(sum.faceCount, result.faceCount);
    assert_int_equal(sum.copyCount, result.copyCount);
    assert_int_equal(spBody_GetPieceCount(steps.world, steps.id), 2);
    for (int i = 0; i < 5; ++i)
    {
        spWorld_Step(steps.world, frame);
        spWorld_Step(restored.world, frame);
    }
    assert_true(spWorld_GetStateHash(steps.world) == spWorld_GetStateHash(restored.world));
    EndRig(&whole);
    EndRig(&steps);
    EndRig(&restored);
}

// What a blade has cut off falls, what is held stays; cut faces touch each other
static void TestCutFalls(void** state)
{
    SP_UNUSED(state);
    const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_bdf2, sp_xpbd};
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        RigDef def = MakeRigDef(types[t]);
        Rig rig = BuildRig(&def);
        spVec3View x = spBody_GetPositions(rig.world, rig.id);
        int count = x.count;
        for (int i = 0; i < count; ++i)
        {
            if (x.data[i].x < (spReal)-0.249)
            {
                assert_true(spBody_PinNodes(rig.world, rig.id, &i, 1));
            }
        }
        for (int i = 0; i < 10; ++i)
        {
            spWorld_Step(rig.world, frame);
        }
        spBlade blade = MakeBlade(0.1, -1.0);
        spEditResult result;
        assert_true(spBody_Cut(rig.world, rig.id, &blade, &result));
        assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 2);
        for (int i = 0; i < 30; ++i)
        {
            assert_int_equal(spWorld_Step(rig.world, frame) & ~(uint32_t)sp_stepUnstable, 0);
        }
        x = spBody_GetPositions(rig.world, rig.id);
        double lowest = 1.0;
        for (int i = 0; i < x.count; ++i)
        {
            lowest = fmin(lowest, (double)x.data[i].y);
        }
        assert_true(lowest < -1.0); // half a second of free fall is 1.2 m
        assert_true((double)x.data[0].y > -0.3);
        EndRig(&rig);
    }
}

// The lower half of a block lies on the ground, the upper half is cut off and lies on it
static void TestCutTouches(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_backwardEuler);
    def.cells[0] = 4;
    def.selfContact = def.ground = true;
    Rig rig = BuildRig(&def);
    spBlade blade = {.begin = {{-1, 0, -1}, {-1, 0, 1}}, .end = {{1, 0, -1}, {1, 0, 1}}};
    spEditResult result;
    assert_true(spBody_Cut(rig.world, rig.id, &blade, &result));
    assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 2);
    for (int i = 0; i < 60; ++i)
    {
        spWorld_Step(rig.world, frame);
    }
    spVec3View x = spBody_GetPositions(rig.world, rig.id);
    double lowest = 1.0, highest = -1.0;
    for (int i = 0; i < x.count; ++i)
    {
        lowest = fmin(lowest, (double)x.data[i].y);
        highest = fmax(highest, (double)x.data[i].y);
    }
    printf("  the halves are %.4f m high together (0.2 before)\n", highest - lowest);
    assert_true(highest - lowest > 0.19);
    double self = 0.0;
    int count = spWorld_GetContactCount(rig.world);
    spContact* contacts = malloc((size_t)count * sizeof(spContact));
    spWorld_GetContacts(rig.world, contacts, count);
    for (int i = 0; i < count; ++i)
    {
        self += SP_ID_EQUALS(contacts[i].otherBody, rig.id) ? fabs((double)contacts[i].force.y) : 0.0;
    }
    free(contacts);
    printf("  they push each other with %.2f N (%.2f N is the weight of one)\n", self,
           9.81 * GetMass(&rig) / 2.0);
    assert_true(self > 0.8 * 9.81 * GetMass(&rig) / 2.0);
    EndRig(&rig);
}

// ---- removal ----

static void TestRemove(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_backwardEuler);
    Rig rig = BuildRig(&def);
    double mass = GetMass(&rig);
    int32_t tets[3] = {4, 100, 31}, numbers[2000];
    int before = spBody_CopyTetNumbers(rig.world, rig.id, numbers, 2000);
    spEditResult result;
    assert_true(spBody_RemoveTets(rig.world, rig.id, tets, 3, &result));
    assert_int_equal(result.tetCount, 3);
    assert_true(fabs(mass - result.mass - GetMass(&rig)) <= tight * mass);
    assert_int_equal(spBody_CopyTetNumbers(rig.world, rig.id, numbers, 2000), before - 3);
    assert_true(numbers[3] == 3 && numbers[4] == 5);
    assert_true(spBody_RemoveTets(rig.world, rig.id, NULL, 0, &result));
    assert_int_equal(result.tetCount, 0);
    uint64_t hash = spWorld_GetStateHash(rig.world);
    assert_false(spBody_RemoveTets(rig.world, rig.id, tets, 1, NULL)); // it went already
    int32_t twice[2] = {7, 7}, far = 1 << 30;
    assert_false(spBody_RemoveTets(rig.world, rig.id, twice, 2, NULL));
    assert_false(spBody_RemoveTets(rig.world, rig.id, &far, 1, NULL));
    assert_false(spBody_RemoveTets(rig.world, rig.id, NULL, 1, NULL));
    assert_false(spBody_RemoveTets(rig.world, rig.id, tets, -1, NULL));
    assert_true(spWorld_GetStateHash(rig.world) == hash);
    EndRig(&rig);
}

static void TestCarve(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_backwardEuler);
    spColliderDef shapes[4];
    for (int i = 0; i < 4; ++i)
    {
        shapes[i] = spDefaultColliderDef();
        shapes[i].transform.position = (spVec3){(spReal)0.07, (spReal)0.02, (spReal)0.003};
    }
    shapes[0].shape = sp_shapeSphere;
    shapes[0].radius = (spReal)0.07;
    shapes[1].shape = sp_shapeBox;
    shapes[1].halfSize = (spVec3){(spReal)0.05, (spReal)0.05, 1};
    shapes[2].shape = sp_shapeCapsule;
    shapes[2].radius = (spReal)0.05;
    shapes[2].halfHeight = (spReal)0.3;
    shapes[3].shape = sp_shapePlane; // everything below
    const double volumes[4] = {4.0 / 3.0 * 3.14159 * 0.07 * 0.07 * 0.07, 0.1 * 0.1 * 0.2,
                               3.14159 * 0.0025 * 0.2, 0.5 * 0.2 * 0.12};
    for (int i = 0; i < 4; ++i)
    {
        Rig rig = BuildRig(&def);
        double mass = GetMass(&rig);
        spEditResult result;
        assert_true(spBody_Carve(rig.world, rig.id, shapes + i, &result));
        printf("  %s: %d tets, %d nodes, %d copies, %d pieces, %.3f kg of %.3f kg in the shape\n",
               spShape_GetName(shapes[i].shape), result.tetCount, result.nodeCount, result.copyCount,
               spBody_GetPieceCount(rig.world, rig.id), result.mass, 1000.0 * volumes[i]);
        assert_true(fabs(result.mass / (1000.0 * volumes[i]) - 1.0) < 0.3);
        assert_true(i == 0 ||
                    spBody_GetPieceCount(rig.world, rig.id) == 1); // a sphere of cells leaves a crumb
        assert_true(fabs(mass - result.mass - GetMass(&rig)) <= tight * mass);
        CheckClosed(&rig);
        for (int k = 0; k < 5; ++k)
        {
            spWorld_Step(rig.world, frame);
        }
        // There is nothing left there
        spEditResult again;
        shapes[i].radius *= (spReal)0.5;
        shapes[i].transform.position.y -= (spReal)0.04;
        shapes[i].halfSize = (spVec3){(spReal)0.02, (spReal)0.02, (spReal)0.02};
        assert_true(spBody_Carve(rig.world, rig.id, shapes + i, &again));
        assert_true(i == 3 || again.tetCount < result.tetCount / 10 + 1);
        EndRig(&rig);
    }
}

// Whatever is left can be stepped, asked and restored: also nothing
static void TestCarveAll(void** state)
{
    SP_UNUSED(state);
    for (int type = 0; type < sp_rigid; ++type)
    {
        RigDef def = MakeRigDef((spMethodType)type);
        def.cells[0] = 3;
        def.selfContact = def.ground = true;
        Rig rig = BuildRig(&def);
        spWorld_Step(rig.world, frame);
        spSnapshot* snapshot = spWorld_Save(rig.world);
        spColliderDef all = spDefaultColliderDef();
        all.transform.position.y = 10;
        spEditResult result;
        assert_true(spBody_Carve(rig.world, rig.id, &all, &result));
        assert_int_equal(result.tetCount, 3 * 4 * 4 * 6);
        assert_int_equal(result.nodeCount, 4 * 5 * 5);
        assert_int_equal(spBody_GetPieceCount(rig.world, rig.id), 0);
        for (int i = 0; i < 3; ++i)
        {
            spWorld_Step(rig.world, frame);
        }
        assert_true(spBody_IsRunning(rig.world, rig.id));
        assert_true(GetMass(&rig) == 0.0);
        int count = -1;
        spBody_GetTriangles(rig.world, rig.id, &count);
        assert_int_equal(count, 0);
        assert_true(isfinite(spBody_GetEnergy(rig.world, rig.id).kinetic));
        assert_true(isfinite((double)spBody_GetCenter(rig.world, rig.id).y));
        spBlade blade = MakeBlade(0.0, -1.0);
        assert_true(spBody_Cut(rig.world, rig.id, &blade, &result));
        assert_int_equal(result.faceCount, 0);
        assert_true(spWorld_Restore(rig.world, snapshot));
        spWorld_Step(rig.world, frame);
        assert_true(GetMass(&rig) > 1.0);
        spDestroySnapshot(snapshot);
        EndRig(&rig);
    }
}

// ---- tears ----

// Pulls the ends of the beam apart by a share of its length, all at once
static void Stretch(Rig* rig, double share)
{
    int count = spBody_GetNodeCount(rig->world, rig->id);
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    spBody_CopyPositions(rig->world, rig->id, x, count);
    for (int i = 0; i < count; ++i)
    {
        x[i].x *= (spReal)(1.0 + share);
    }
    assert_true(spBody_SetPositions(rig->world, rig->id, x, count));
    free(x);
}

// A body bears what is below its strength; above it tears, so many nodes in a call, and keeps mass and momentum. It
// comes apart across the pull, and then bears what is left.
static void TestTear(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_backwardEuler);
    Rig rig = BuildRig(&def);
    int32_t ends[2 * 25];
    int held = 0, count = spBody_GetNodeCount(rig.world, rig.id);
    spVec3View x = spBody_GetPositions(rig.world, rig.id);
    for (int i = 0; i < count; ++i)
    {
        if (fabs((double)x.data[i].x) > 0.249)
        {
            ends[held++] = i;
        }
    }
    Stretch(&rig, 0.1);
    assert_true(spBody_PinNodes(rig.world, rig.id, ends, held));
    spTetState states[960];
    assert_int_equal(spBody_CopyTetStates(rig.world, rig.id, 0, states, 960), 960);
    double stress = (double)states[480].principalStress.x;
    double mass = GetMass(&rig);
    spTearDef tear = spDefaultTearDef();
    tear.strength = (spReal)(1.05 * stress);
    spEditResult result;
    uint64_t hash = spWorld_GetStateHash(rig.world);
    assert_true(spBody_Tear(rig.world, rig.id, &tear, &result));
    assert_int_equal(result.faceCount, 0);
    assert_true(spWorld_GetStateHash(rig.world) == hash);
    tear.strength = (spReal)(0.9 * stress);
    tear.mostNodes = 3;
    assert_true(spBody_Tear(rig.world, rig.id, &tear, &result));
    assert_true(result.faceCount > 0 && result.copyCount >= 1);
    assert_true(fabs(GetMass(&rig) - mass) <= tight * mass);
    tear.strength =
        (spReal)(0.4 * stress); // sides give way in the first steps: 0.467 of it is left of the pull
    tear.mostNodes = 10;
    int calls = 1;
    for (; calls < 200 && spBody_GetPieceCount(rig.world, rig.id) < 2; ++calls)
    {
        spWorld_Step(rig.world, frame);
        assert_true(spBody_Tear(rig.world, rig.id, &tear, &result));
    }
    printf("  in %d pieces after %d steps\n", spBody_GetPieceCount(rig.world, rig.id), calls);
    assert_true(spBody_GetPieceCount(rig.world, rig.id) >= 2);
    CheckClosed(&rig);
    for (int i = 0; i < 100; ++i)
    {
        spWorld_Step(rig.world, frame);
        assert_true(spBody_Tear(rig.world, rig.id, &tear, &result));
    }
    assert_true(result.faceCount == 0);
    // What is of no use says so
    const spReal bad[] = {0, -1, (spReal)NAN, (spReal)INFINITY};
    for (int i = 0; i < SP_COUNT(bad); ++i)
    {
        spTearDef wrong = spDefaultTearDef();
        wrong.strength = bad[i];
        assert_false(spBody_Tear(rig.world, rig.id, &wrong, NULL));
    }
    spTearDef none = spDefaultTearDef();
    none.mostNodes = 0;
    assert_false(spBody_Tear(rig.world, rig.id, &none, NULL));
    assert_false(spBody_Tear(rig.world, rig.id, NULL, NULL));
    assert_false(spBody_Tear(rig.world, (spBodyId){99, 99}, &tear, NULL));
    EndRig(&rig);
}

// ---- hostile ----

static void TestDegenerateBlades(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_symplecticEuler);
    Rig rig = BuildRig(&def);
    uint64_t hash = spWorld_GetStateHash(rig.world);
    spBlade blade = MakeBlade(0.0, -1.0), good = blade;
    for (int i = 0; i < 12; ++i)
    {
        spBlade bad = good;
        (i < 6 ? &bad.begin[i / 3].x : &bad.end[i / 3 - 2].x)[i % 3] = i % 2 ? (spReal)NAN : (spReal)INFINITY;
        assert_false(spBody_Cut(rig.world, rig.id, &bad, NULL));
        assert_non_null(strstr(spWorld_GetLastError(rig.world).message, "finite"));
    }
    assert_false(spBody_Cut(rig.world, rig.id, NULL, NULL));
    // One that rests, one that is a point, one that slides along itself, one far away: nothing is cut
    spBlade idle[4] = {good, good, good, good};
    memset(idle + 1, 0, sizeof(idle[1]));
    memcpy(idle[0].end, idle[0].begin, sizeof(idle[0].end));
    memcpy(idle[2].end, idle[2].begin, sizeof(idle[2].end));
    for (int k = 0; k < 2; ++k)
    {
        idle[2].end[k].z += 1;
        idle[3].begin[k].x = idle[3].end[k].x = (spReal)1e30;
    }
    for (int i = 0; i < 4; ++i)
    {
        spEditResult result;
        assert_true(spBody_Cut(rig.world, rig.id, idle + i, &result));
        assert_int_equal(result.faceCount + result.copyCount, 0);
    }
    assert_true(spWorld_GetStateHash(rig.world) == hash);
    // Through vertices, edges, faces and centres of tets: two pieces each time, of all the tets
    for (int i = 0; i <= 16; ++i)
    {
        Rig other = BuildRig(&def);
        spEditResult result;
        blade = MakeBlade(-0.1 + 0.0125 * i, -1.0);
        assert_true(spBody_Cut(other.world, other.id, &blade, &result));
        assert_int_equal(spBody_GetPieceCount(other.world, other.id), 2);
        // Again the same: nothing left to cut
        assert_true(spBody_Cut(other.world, other.id, &blade, &result));
        assert_int_equal(result.faceCount, 0);
        CheckClosed(&other);
        EndRig(&other);
    }
    EndRig(&rig);
}

static void TestRefusals(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_symplecticEuler);
    spBlade blade = MakeBlade(0.0, -1.0);
    const char* words[] = {"nodeRoom", "room for", "rigid", "gas", "surface", "filter", "link"};
    for (int i = 0; i < SP_COUNT(words); ++i)
    {
        RigDef own = def;
        own.nodeRoom = i == 0 ? 0 : i == 1 ? 3 : def.nodeRoom;
        own.method.type = i == 2 ? sp_rigid : sp_symplecticEuler;
        own.method.filter.type = i == 5 ? sp_filterGaussian : sp_filterNone;
        own.method.filter.lambda = 1;
        Rig rig = BuildRig(&own);
        if (i == 3)
        {
            spGasDef gas = spDefaultGasDef();
            gas.knrt = 100;
            assert_true(spBody_AddGas(rig.world, rig.id, &gas) >= 0);
        }
        if (i == 4)
        {
            spRoundMeshDef ball = spDefaultRoundMeshDef();
            ball.radius = 0.1;
            spMesh* mesh = spMakeBallMesh(&ball, NULL);
            assert_true(spBody_AttachSurface(rig.world, rig.id, mesh));
            spDestroyMesh(mesh);
        }
        spColliderDef all = spDefaultColliderDef();
        all.transform.position.y = 10;
        if (i == 6)
        {
            int32_t node = 5;
            spLinkDef link = spDefaultLinkDef();
            link.body = rig.id;
            link.nodes = &node;
            link.nodeCount = 1;
            assert_false(SP_IS_NULL(spCreateLink(rig.world, &link)));
        }
        uint64_t hash = spWorld_GetStateHash(rig.world);
        assert_false(i == 6 ? spBody_Carve(rig.world, rig.id, &all, NULL)
                            : spBody_Cut(rig.world, rig.id, &blade, NULL));
        const char* said = spWorld_GetLastError(rig.world).message;
        printf("  %s\n", said);
        assert_non_null(strstr(said, words[i]));
        assert_true(spWorld_GetStateHash(rig.world) == hash);
        EndRig(&rig);
    }
    Rig rig = BuildRig(&def);
    spColliderDef shape = spDefaultColliderDef();
    shape.shape = sp_shapeSphere;
    for (int i = 0; i < 5; ++i)
    {
        spColliderDef bad = shape;
        bad.radius = i == 0 ? 0 : i == 1 ? (spReal)NAN : 1;
        bad.shape = i == 2 ? sp_shapeMesh : i == 3 ? (spShape)77 : sp_shapeSphere;
        bad.transform.position.x = i == 4 ? (spReal)NAN : 0;
        assert_false(spBody_Carve(rig.world, rig.id, &bad, NULL));
        printf("  %s\n", spWorld_GetLastError(rig.world).message);
    }
    assert_false(spBody_Carve(rig.world, rig.id, NULL, NULL));
    spBodyId stale = {99, 99};
    assert_false(spBody_Cut(rig.world, stale, &blade, NULL));
    assert_false(spBody_Carve(rig.world, stale, &shape, NULL));
    assert_false(spBody_RemoveTets(rig.world, stale, NULL, 0, NULL));
    assert_int_equal(spBody_GetPieceCount(rig.world, stale), 0);
    assert_null(spBody_GetBareTriangles(rig.world, stale, NULL));
    EndRig(&rig);
}

// Every allocation failing in turn: the edit is refused, nothing has changed, and then it works
static void TestMemory(void** state)
{
    SP_UNUSED(state);
    RigDef def = MakeRigDef(sp_backwardEuler);
    def.cells[0] = 4;
    FailingAllocator failing = {.failAt = -1};
    def.allocator = MakeFailingAllocator(&failing);
    spColliderDef sphere = spDefaultColliderDef();
    sphere.shape = sp_shapeSphere;
    sphere.radius = (spReal)0.06;
    spBlade blade = MakeBlade(0.01, -0.01);
    for (int carve = 0; carve < 2; ++carve)
    {
        uint64_t after = 0;
        bool done = false;
        for (int at = -1; done == false || at <= 0; ++at)
        {
            failing.failAt = -1;
            Rig rig = BuildRig(&def);
            spEditResult result;
            uint64_t before = spWorld_GetStateHash(rig.world);
            failing.count = 0;
            failing.failAt = at;
            for (int i = 0; i < 2; ++i)
            {
                bool ok = carve ? spBody_Carve(rig.world, rig.id, &sphere, &result)
                                : spBody_Cut(rig.world, rig.id, &blade, &result);
                done = i == 0 ? ok : done;
                failing.failAt = -1;
                if (ok)
                {
                    break;
                }
                assert_int_equal(spWorld_GetLastError(rig.world).code, sp_errorOutOfMemory);
                assert_true(spWorld_GetStateHash(rig.world) == before && i == 0);
            }
            assert_true(carve ? result.tetCount > 10 : result.copyCount > 5);
            spWorld_Step(rig.world, frame);
            after = at < 0 ? spWorld_GetStateHash(rig.world) : after;
            assert_true(spWorld_GetStateHash(rig.world) == after);
            EndRig(&rig);
        }
    }
}

// The same bits with one thread and with several
static void TestWorkers(void** state)
{
    SP_UNUSED(state);
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i)
    {
        RigDef def = MakeRigDef(sp_bdf2);
        def.workers = 1 + 3 * i;
        def.selfContact = def.ground = true;
        Rig rig = BuildRig(&def);
        for (int k = 0; k < 12; ++k)
        {
            spBlade blade = MakeBlade(-0.1 + 0.02 * k, 0.1 - 0.02 * k);
            assert_true(k % 3 != 0 || spBody_Cut(rig.world, rig.id, &blade, NULL));
            spWorld_Step(rig.world, frame);
        }
        hashes[i] = spWorld_GetStateHash(rig.world);
        EndRig(&rig);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestCutIsExact),       cmocka_unit_test(TestCutInSteps),
        cmocka_unit_test(TestCutFalls),         cmocka_unit_test(TestCutTouches),
        cmocka_unit_test(TestRemove),           cmocka_unit_test(TestCarve),
        cmocka_unit_test(TestCarveAll),         cmocka_unit_test(TestTear),
        cmocka_unit_test(TestDegenerateBlades), cmocka_unit_test(TestRefusals),
        cmocka_unit_test(TestMemory),           cmocka_unit_test(TestWorkers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
