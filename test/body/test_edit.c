// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies with room: spare nodes that nobody sees, and edits that take them.

#include "base/core.h"
#include "souple/souple.h"
#include "testbed/check.h"
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
    for (int type = 0; type < sp_methodTypeCount; ++type)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRoomIsInvisible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
