// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies that touch each other and themselves, by every method and by mixtures.

#include "contact/contact_surface.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_bdf2, sp_xpbd};
static const double gravity = 9.81;

static spMethodDef MakeMethod(spMethodType type)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = type;
    return method;
}

static spWorld* MakeWorld(int workers)
{
    spWorldDef def = spDefaultWorldDef();
    def.workerCount = workers;
    spWorld* world = spCreateWorld(&def, NULL);
    assert_non_null(world);
    return world;
}

typedef struct Solid
{
    spMesh* mesh; // taken over
    spReal youngModulus, density, drag;
    spMethodDef method;
    spVec3 velocity;
    spReal friction;
} Solid;

static spBodyId AddSolid(spWorld* world, const Solid* solid)
{
    assert_non_null(solid->mesh);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = solid->mesh;
    def.density = solid->density;
    def.method = solid->method;
    def.velocity = solid->velocity;
    def.friction = solid->friction;
    spBodyId body = spCreateBody(world, &def);
    assert_false(SP_IS_NULL(body));
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = solid->youngModulus;
    tets.poissonRatio = (spReal)0.3;
    assert_true(spBody_AddTets(world, body, &tets) >= 0);
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = solid->drag;
    if (solid->drag > 0)
    {
        assert_true(spBody_AddField(world, body, &drag) >= 0);
    }
    spDestroyMesh(solid->mesh);
    return body;
}

static spMesh* MakeBox(spDVec3 origin, spDVec3 size, int cells)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = origin;
    box.size = size;
    box.cells[0] = box.cells[1] = box.cells[2] = cells;
    return spMakeBoxMesh(&box, NULL);
}

// Boxes of 0.1 m on each other on the ground
static void StackBoxes(spWorld* world, spBodyId* bodies, int count, const spMethodType* methods, spReal e, double shift)
{
    for (int i = 0; i < count; ++i)
    {
        Solid solid = {
            .mesh = MakeBox((spDVec3){shift * i, 0.1 * i, -shift * i}, (spDVec3){0.1, 0.1, 0.1}, 3),
            .youngModulus = e,
            .density = 1000,
            .drag = 5,
            .method = MakeMethod(methods[i]),
            .friction = (spReal)0.5,
        };
        bodies[i] = AddSolid(world, &solid);
    }
}

void TestStack(void** state);void TestStack(void** state)
{
    SP_UNUSED(state);
    enum
    {
        count = 4
    };
    for (int m = 0; m < SP_COUNT(types) + 1; ++m)
    {
        spWorld* world = MakeWorld(1);
        spMethodType methods[count];
        for (int i = 0; i < count; ++i)
        {
            methods[i] = types[m < SP_COUNT(types) ? m : i];
        }
        spBodyId bodies[count];
        spColliderId ground = spAddTestGround(world, (spReal)0.5, 0);
        StackBoxes(world, bodies, count, methods, (spReal)1e5, 0.01);
        uint32_t flags = 0;
        spReal start[count];
        for (int i = 0; i < 240; ++i)
        {
            uint32_t now = spWorld_Step(world, (spReal)1 / 60);
            flags |= i > 120 ? now : 0;
            if (i == 200)
            {
                for (int k = 0; k < count; ++k)
                {
                    start[k] = spBody_GetCenter(world, bodies[k]).y;
                }
            }
        }
        printf("stack %d: flags %x, ground %.4f N of %.4f, contacts %d, sweeps %d, ", m, flags,
               -(double)spCollider_GetForce(world, ground).y, count * gravity, spWorld_GetContactCount(world),
               spWorld_GetReport(world).sweepCount);
        for (int k = 0; k < count; ++k)
        {
            spVec3 c = spBody_GetCenter(world, bodies[k]);
            printf("y %.6f drift %.1e  ", (double)c.y, (double)(c.y - start[k]));
        }
        printf("\n");
        spDestroyWorld(world);
    }
}

static double GetEnergy(const spWorld* world, const spBodyId* bodies, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        spEnergy e = spBody_GetEnergy(world, bodies[i]);
        sum += e.kinetic + e.elastic + e.potential;
    }
    return sum;
}

static void TestCollide(void** state)
{
    SP_UNUSED(state);
    for (int m = 0; m < (getenv("ALL") ? SP_COUNT(types) * SP_COUNT(types) : 1); ++m)
    {
        spWorld* world = MakeWorld(1);
        spWorld_SetGravity(world, (spVec3){0, 0, 0});
        spBodyId bodies[2];
        for (int i = 0; i < 2; ++i)
        {
            spRoundMeshDef round = spDefaultRoundMeshDef();
            round.radius = 0.1;
            round.resolution = 4;
            round.center = (spDVec3){i == 0 ? -0.12 : 0.12, i == 0 ? 0.02 : 0.0, 0.0};
            spMesh* mesh = spMakeBallMesh(&round, NULL);
            Solid solid = {.mesh = mesh,
                           .youngModulus = (spReal)5e4,
                           .density = 1000,
                           .method = MakeMethod(types[i == 0 ? m % SP_COUNT(types) : m / SP_COUNT(types)]),
                           .velocity = {(spReal)(i == 0 ? 1 : -1), 0, 0},
                           .friction = (spReal)0.3};
            bodies[i] = AddSolid(world, &solid);
        }
        double most = GetEnergy(world, bodies, 2);
        uint32_t flags = 0;
        double most2 = 0, deepest = 0;
        for (int i = 0; i < 40; ++i)
        {
            flags |= spWorld_Step(world, (spReal)1 / 100);
            most2 = fmax(most2, GetEnergy(world, bodies, 2));
            spContact contacts[256];
            int n = spWorld_GetContacts(world, contacts, 256);
            for (int k = 0; k < n; ++k)
                deepest = fmin(deepest, (double)contacts[k].gap);
        }
        spVec3 v[2];
        for (int i = 0; i < 2; ++i)
            v[i] = spBody_GetMomentum(world, bodies[i]);
        printf("collide %d on %d: flags %x energy %.4f most %.4f end %.4f, momentum %.3e %.3e of %.3f, deepest %.2e\n", types[m % SP_COUNT(types)], types[m / SP_COUNT(types)], flags, most, most2, GetEnergy(world, bodies, 2),
               (double)(v[0].x + v[1].x), (double)(v[0].y + v[1].y), (double)v[0].x, deepest);
        spDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(TestStack), cmocka_unit_test(TestCollide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
