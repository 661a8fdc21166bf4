// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the solve of contacts between bodies leaves behind (Courtecuisse 2011, part 2): gaps that nothing pulls shut and
// forces that act where the gap is closed (F21), friction within its cone (F19), and how much of it the last step knew
// (F23).

#include "math/vec3.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <math.h>

typedef struct Block
{
    spDVec3 origin, size;
    int cells;
    spMethodType type;
    double youngModulus, drag;
    spVec3 velocity;
    bool held;
} Block;

static spBodyId AddBlock(spWorld* world, const Block* block)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = block->origin;
    box.size = block->size;
    box.cells[0] = box.cells[1] = box.cells[2] = block->cells;
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = 1000;
    def.method.type = block->type;
    def.velocity = block->velocity;
    def.friction = (spReal)0.3;
    spBodyId id = spCreateBody(world, &def);
    assert_false(SP_IS_NULL(id));
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)block->youngModulus;
    tets.poissonRatio = (spReal)0.3;
    assert_true(spBody_AddTets(world, id, &tets) >= 0);
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = (spReal)block->drag;
    assert_true(block->drag == 0 || spBody_AddField(world, id, &drag) >= 0);
    for (int32_t i = 0; block->held && i < spBody_GetNodeCount(world, id); ++i)
    {
        assert_true(spBody_PinNodes(world, id, &i, 1));
    }
    spDestroyMesh(mesh);
    return id;
}

static spWorld* MakeWorld(void)
{
    spWorldDef def = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&def, NULL);
    assert_non_null(world);
    return world;
}

static uint32_t Run(spWorld* world, double seconds, double h)
{
    uint32_t flags = 0;
    for (int i = 0; i < (int)(seconds / h + 0.5); ++i)
    {
        flags |= spWorld_Step(world, (spReal)h);
    }
    return flags;
}

// F19: a block slides on one that is held. Its faces keep their normals, so that the normal that can be read is the one
// that was solved with, which it is not where it turns in the step (test_touch.c TestCone).
static void CheckCone(spMethodType type, double h)
{
    const double mu = 0.3;
    spWorld* world = MakeWorld();
    Block base = {.origin = {-0.3, 0, -0.2},
                  .size = {0.6, 0.1, 0.4},
                  .cells = 3,
                  .type = sp_backwardEuler,
                  .youngModulus = 1e5,
                  .held = true};
    Block slider = {.origin = {-0.2, 0.1005, -0.05},
                    .size = {0.1, 0.05, 0.1},
                    .cells = 2,
                    .type = type,
                    .youngModulus = 1e6,
                    .velocity = {1, 0, (spReal)0.2}};
    spBodyId held = AddBlock(world, &base);
    AddBlock(world, &slider);
    double outside = -1.0, along = -1.0;
    int pressed = 0, sliding = 0;
    for (int i = 0; i < (int)(0.5 / h); ++i)
    {
        spWorld_Step(world, (spReal)h);
        spContact contacts[64];
        int count = spWorld_GetContacts(world, contacts, 64);
        for (int k = 0; k < count; ++k)
        {
            const spContact* c = contacts + k;
            double press = (double)spDot3(c->force, c->normal);
            if (c->otherBody.index1 != held.index1 || press < 1e-3)
            {
                continue;
            }
            spVec3 side = spMulSub3(c->force, (spReal)press, c->normal);
            double slip = (double)spLength3(c->slip), length = (double)spLength3(side);
            outside = fmax(outside, length / (mu * press) - 1.0);
            pressed += 1;
            if (slip > 0.05)
            {
                along = fmax(along, (double)spDot3(side, c->slip) / (length * slip));
                sliding += 1;
            }
        }
    }
    printf("method %d: %d contacts, %d slide; outside of the cone by %.1e, along the motion %.5f\n", type,
           pressed, sliding, outside, along);
    assert_true(pressed > 200 && sliding > 100);
    CHECK_LESS(outside, 1e-6);
    CHECK_LESS(along, -0.999);
    spDestroyWorld(world);
}

static void TestCone(void** state)
{
    SP_UNUSED(state);
    // Of many substeps the forces add up, while the motion is that at the end
    CheckCone(sp_symplecticEuler, 1.0 / 2400.0);
    CheckCone(sp_backwardEuler, 1.0 / 60.0);
    CheckCone(sp_bdf2, 1.0 / 60.0);
    CheckCone(sp_xpbd, 1.0 / 60.0);
    CheckCone(sp_rigid, 1.0 / 60.0);
}

// Two blocks, a little aside, at rest on the ground
static spWorld* StackBlocks(spMethodType upper, spMethodType lower, double h)
{
    spWorld* world = MakeWorld();
    spAddTestGround(world, (spReal)0.5, 0);
    const Block blocks[2] = {
        {.size = {0.1, 0.1, 0.1}, .cells = 2, .type = lower, .youngModulus = 1e6, .drag = 10},
        {.origin = {0.01, 0.102, 0.01},
         .size = {0.1, 0.1, 0.1},
         .cells = 2,
         .type = upper,
         .youngModulus = 1e6,
         .drag = 10},
    };
    AddBlock(world, blocks);
    AddBlock(world, blocks + 1);
    assert_int_equal(Run(world, 1.0, h), 0);
    return world;
}

// F21: nothing overlaps, nothing pulls, and what has a force has no gap. Contacts between implicit bodies give way by a
// share of what the bodies do, and it is that which is left of them.
static void CheckComplementarity(spMethodType type, double h, double gapLimit)
{
    spWorld* world = StackBlocks(type, type, h);
    double lowest = 0.0, pull = 0.0, product = 0.0, most = 0.0;
    int pressed = 0;
    for (int i = 0; i < 60; ++i)
    {
        assert_int_equal(spWorld_Step(world, (spReal)h), 0);
        spContact contacts[64];
        int count = spWorld_GetContacts(world, contacts, 64);
        for (int k = 0; k < count; ++k)
        {
            if (SP_IS_NULL(contacts[k].otherBody) == false)
            {
                double force = (double)spDot3(contacts[k].force, contacts[k].normal), gap = contacts[k].gap;
                lowest = fmin(lowest, gap);
                pull = fmin(pull, force);
                most = fmax(most, force);
                product = fmax(product, fabs(force * gap));
                pressed += force > 1e-3;
            }
        }
    }
    printf("method %d, %g s: gap %.1e m, force from %.1e to %.2f N, gap times force %.1e N m, %d times "
           "pressed\n",
           type, h, lowest, pull, most, product, pressed);
    assert_true(pressed > 200 && most > 1.0);
    CHECK_LESS(-gapLimit, lowest);
    CHECK_LESS(-1e-6, pull);
    CHECK_LESS(product, gapLimit * most);
    spDestroyWorld(world);
}

static void TestComplementarity(void** state)
{
    SP_UNUSED(state);
    CheckComplementarity(sp_symplecticEuler, 1.0 / 60.0, 1e-6);
    CheckComplementarity(sp_symplecticEuler, 1e-3, 1e-6);
    CheckComplementarity(sp_backwardEuler, 1.0 / 60.0, 3e-4);
    CheckComplementarity(sp_backwardEuler, 1e-3, 1e-5);
    CheckComplementarity(sp_bdf2, 1.0 / 60.0, 3e-4);
}

// F23: sweeps of one more step of what rests, from the forces of the last step and from none
static void CheckWarmStart(spMethodType upper, spMethodType lower)
{
    const spReal h = (spReal)(1.0 / 60.0);
    spWorld* world = StackBlocks(upper, lower, (double)h);
    spSnapshot* snapshot = spWorld_Save(world);
    assert_non_null(snapshot);
    int sweeps[2];
    for (int cold = 0; cold < 2; ++cold)
    {
        assert_true(spWorld_Restore(world, snapshot));
        const spMultipliers* list = world->multipliers + sp_rowHold;
        assert_true(list->count > 3);
        for (int i = 0; cold && i < list->count; ++i)
        {
            list->entries[i].force = (spVec3){0, 0, 0};
            list->entries[i].age = 0;
        }
        spWorld_Step(world, h);
        sweeps[cold] = spWorld_GetReport(world).sweepCount;
    }
    printf("method %d on %d: %d sweeps, %d from nothing\n", upper, lower, sweeps[0], sweeps[1]);
    assert_true(sweeps[0] > 0);
    CHECK_LESS(2 * sweeps[0], sweeps[1]);
    spDestroySnapshot(snapshot);
    spDestroyWorld(world);
}

static void TestWarmStart(void** state)
{
    SP_UNUSED(state);
    CheckWarmStart(sp_backwardEuler, sp_backwardEuler);
    CheckWarmStart(sp_bdf2, sp_bdf2);
    CheckWarmStart(sp_rigid, sp_backwardEuler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestCone),
        cmocka_unit_test(TestComplementarity),
        cmocka_unit_test(TestWarmStart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
