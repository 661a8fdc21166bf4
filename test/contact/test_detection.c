// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Detection between bodies: nothing passes anything however fast it is, lists of what is near change no bit, and bad
// inputs do no harm.

#include "contact/broad.h"
#include "contact/contact_surface.h"
#include "contact/near.h"
#include "contact/sweep_test.h"
#include "math/vec3.h"
#include "test/memory_test.h"
#include "testbed/check.h"
#include "testbed/random.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static const spMethodType types[] = {sp_symplecticEuler, sp_backwardEuler, sp_xpbd};

static spWorld* MakeWorld(int workers, bool gravity)
{
    spWorldDef def = spDefaultWorldDef();
    def.workerCount = workers;
    def.gravity = gravity ? def.gravity : (spVec3){0, 0, 0};
    spWorld* world = spCreateWorld(&def, NULL);
    assert_non_null(world);
    return world;
}

static uint32_t Run(spWorld* world, int steps)
{
    uint32_t flags = 0;
    for (int i = 0; i < steps; ++i)
    {
        flags |= spWorld_Step(world, 1 / (spReal)60);
    }
    return flags;
}

typedef struct Thing
{
    spMesh* mesh; // taken over
    spMethodType type;
    spVec3 position, velocity;
    spQuat rotation; // zero: none
    spReal contactRadius;
    bool selfContact;
    spReal youngModulus; // of solids, Pa; 0: 1e5
} Thing;

static spBodyId AddThing(spWorld* world, const Thing* thing)
{
    assert_non_null(thing->mesh);
    bool solid = spMesh_GetTetCount(thing->mesh) > 0;
    spBodyDef def = spDefaultBodyDef();
    def.mesh = thing->mesh;
    def.density = solid ? 1000 : (spReal)0.3;
    def.method.type = thing->type;
    def.transform.position = thing->position;
    def.transform.rotation = thing->rotation.w != 0 ? thing->rotation : def.transform.rotation;
    def.velocity = thing->velocity;
    def.contactRadius = thing->contactRadius;
    def.selfContact = thing->selfContact;
    spBodyId body = spCreateBody(world, &def);
    assert_false(SP_IS_NULL(body));
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = thing->youngModulus > 0 ? thing->youngModulus : (spReal)1e5;
    tets.poissonRatio = (spReal)0.3;
    spSpringDef springs = spDefaultSpringDef();
    springs.stiffness = 50;
    springs.damping = (spReal)0.02;
    int set = solid ? spBody_AddTets(world, body, &tets) : spBody_AddSprings(world, body, &springs);
    assert_true(set >= 0);
    spDestroyMesh(thing->mesh);
    return body;
}

static spMesh* MakeSheet(double size, int count)
{
    spClothMeshDef sheet = spDefaultClothMeshDef();
    sheet.sizeX = sheet.sizeZ = size;
    sheet.countX = sheet.countZ = count;
    sheet.corner = (spDVec3){-size / 2, 0, -size / 2};
    return spMakeClothMesh(&sheet, NULL);
}

static spMesh* MakeBall(double radius, int resolution)
{
    spRoundMeshDef ball = spDefaultRoundMeshDef();
    ball.radius = radius;
    ball.center = (spDVec3){0, 0, 0};
    ball.resolution = resolution;
    return spMakeBallMesh(&ball, NULL);
}

static spMesh* MakeBox(double size, int cells)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = (spDVec3){-size / 2, -size / 2, -size / 2};
    box.size = (spDVec3){size, size, size};
    box.cells[0] = box.cells[1] = box.cells[2] = cells;
    return spMakeBoxMesh(&box, NULL);
}

// ---- continuous detection ----

static spVec3 RandomVector(uint64_t* seed, double size)
{
    return (spVec3){(spReal)spRandomRange(seed, -size, size), (spReal)spRandomRange(seed, -size, size),
                    (spReal)spRandomRange(seed, -size, size)};
}

// Least distance of a vertex from a triangle, or of two edges, at a share of the motion
static double GetDistance(const spVec3 x[4], const spVec3 d[4], double t, bool edges)
{
    spVec3 at[4];
    for (int i = 0; i < 4; ++i)
    {
        at[i] = spMulAdd3(x[i], (spReal)t, d[i]);
    }
    spReal w[3] = {0}, s, u;
    if (edges)
    {
        spFindSegmentWeights(at[0], at[1], at[2], at[3], &s, &u);
        return (double)spDistance3(spLerp3(at[0], at[1], s), spLerp3(at[2], at[3], u));
    }
    spFindTriangleWeights(at[0], at[1], at[2], at[3], w);
    spVec3 q = spMulAdd3(spMulAdd3(spScale3(w[0], at[1]), w[1], at[2]), w[2], at[3]);
    return (double)spDistance3(at[0], q);
}

// Against many moments one by one: an impact is never late, and nothing that comes near is missed
static void TestSweeps(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 3;
    int hits[2] = {0, 0};
    for (int i = 0; i < 4000; ++i)
    {
        bool edges = i % 2 == 1;
        spVec3 x[4], d[4];
        for (int k = 0; k < 4; ++k)
        {
            x[k] = RandomVector(&seed, 1.0);
            d[k] = RandomVector(&seed, 3.0);
        }
        spReal distance = (spReal)0.01;
        double start = GetDistance(x, d, 0.0, edges), first = 2.0;
        for (int k = 0; k <= 2000 && first > 1.0; ++k)
        {
            first = GetDistance(x, d, k / 2000.0, edges) <= (double)distance ? k / 2000.0 : first;
        }
        spImpact impact;
        bool hit = edges ? spSweepEdges(x, d, distance, &impact) : spSweepVertex(x, d, distance, &impact);
        hits[edges] += hit;
        assert_true(hit || first > 1.0);
        if (hit)
        {
            assert_true((double)impact.time <= first + 1e-6);
            double left = (double)spLength3(impact.offset) - (double)distance;
            assert_true(left <= 0.1 * (start - (double)distance) + 1e-6);
            CHECK_NEAR(GetDistance(x, d, (double)impact.time, edges), spLength3(impact.offset), 1e-4);
        }
    }
    printf("impacts of 2000: %d vertices, %d edges\n", hits[0], hits[1]);
    assert_true(hits[0] > 20 && hits[1] > 20);
}

// How many vertices of the surface are below y = 0 where the sheet is
static int CountBelow(const spWorld* world, spBodyId a, double half)
{
    const spBody* body = spGetBody(world, a);
    int below = 0;
    for (int i = 0; i < body->contactSurface->vertexCount; ++i)
    {
        spVec4 x = body->x[body->contactSurface->vertices[i]];
        below += fabs((double)x.x) < half && fabs((double)x.z) < half && x.y < 0;
    }
    return below;
}

static void PinAll(spWorld* world, spBodyId body)
{
    int32_t all[1024];
    int count = spBody_GetNodeCount(world, body);
    assert_in_range(count, 1, 1024);
    for (int i = 0; i < count; ++i)
    {
        all[i] = i;
    }
    assert_true(spBody_PinNodes(world, body, all, count));
}

typedef struct Shot
{
    const char* name;
    double speed; // m/s
    bool ball;    // against a sheet, else a sheet
    bool oblique;
    int methods; // the first so many of `types`
} Shot;

// What is fast and thin does not pass a sheet that is held, 0.9 m below
static void CheckShot(const Shot* shot, spMethodType type)
{
    spWorld* world = MakeWorld(1, false);
    Thing target = {.mesh = MakeSheet(1.0, 21), .type = type, .contactRadius = (spReal)0.0005};
    PinAll(world, AddThing(world, &target));
    spReal side = shot->oblique ? (spReal)0.5 : 0;
    Thing missile = {
        .mesh = shot->ball ? MakeBall(0.02, 2) : MakeSheet(0.6, 17),
        .type = type,
        .position = {(spReal)0.013 - side * (spReal)0.9, (spReal)0.9, (spReal)0.017},
        .velocity = {side * (spReal)shot->speed, (spReal)-shot->speed, 0},
        .contactRadius = (spReal)0.0005,
        .youngModulus = (spReal)1e7,
    };
    spBodyId body = AddThing(world, &missile);
    uint32_t flags = 0;
    int below = 0;
    for (int i = 0; i < 5; ++i)
    {
        flags |= Run(world, 1);
        below = spMaxInt(below, CountBelow(world, body, 0.5));
    }
    printf("%s at %g m/s, method %d: %d vertices below, centre at %.4f m, flags %x\n", shot->name,
           shot->speed, type, below, (double)spBody_GetCenter(world, body).y, flags);
    assert_int_equal(flags & (sp_stepNonFinite | sp_stepOutOfMemory), 0);
    assert_int_equal(below, 0);
    spDestroyWorld(world);
}

// XPBD's rounds leave more of a gap than the sheets are thick where the motion of a step is large and oblique: not here
static void TestNothingPasses(void** state)
{
    SP_UNUSED(state);
    // In double backward Euler lets some through and says so, or, at 1000 m/s, does not (docs/contact.md)
    const int most = sizeof(spReal) == 4 ? 2 : 1;
    const Shot shots[] = {
        {"sheet", 100.0, false, false, 3},      {"sheet aside", 100.0, false, true, 2},
        {"sheet", 1000.0, false, false, most},  {"ball", 20.0, true, false, 2},
        {"ball aside", 20.0, true, true, most},
    };
    for (int i = 0; i < SP_COUNT(shots); ++i)
    {
        for (int k = 0; k < shots[i].methods; ++k)
        {
            CheckShot(shots + i, types[k]);
        }
    }
}

// Two sheets on edge, crosswise: nothing but their rims can meet, between their vertices
static void TestEdges(void** state)
{
    SP_UNUSED(state);
    const spReal h = (spReal)sqrt(0.5);
    for (int i = 0; i < SP_COUNT(types); ++i)
    {
        spWorld* world = MakeWorld(1, false);
        Thing low = {.mesh = MakeSheet(0.4, 5),
                     .type = types[i],
                     .position = {(spReal)0.021, (spReal)-0.2, 0},
                     .rotation = {h, 0, 0, h},
                     .contactRadius = (spReal)0.0005};
        Thing high = {.mesh = MakeSheet(0.4, 2),
                      .type = types[i],
                      .position = {0, (spReal)0.8, (spReal)0.033},
                      .rotation = {0, 0, h, h},
                      .velocity = {0, -30, 0},
                      .contactRadius = (spReal)0.0005};
        PinAll(world, AddThing(world, &low));
        spBodyId body = AddThing(world, &high);
        uint32_t flags = Run(world, 2);
        double center = (double)spBody_GetCenter(world, body).y;
        printf("edges, method %d: centre at %.4f m, flags %x\n", types[i], center, flags);
        assert_int_equal(flags & (sp_stepNonFinite | sp_stepOutOfMemory), 0);
        // Without contact it would be at -0.2 m
        assert_true(center > 0);
        spDestroyWorld(world);
    }
}

// ---- lists of what is near ----

// A cloth that folds over a ball and a box on the ground
static spWorld* MakeHeap(int workers)
{
    spWorld* world = MakeWorld(workers, true);
    spAddTestGround(world, (spReal)0.5, 0);
    Thing cloth = {.mesh = MakeSheet(0.8, 33), .position = {0, (spReal)0.42, 0}, .selfContact = true};
    Thing ball = {.mesh = MakeBall(0.15, 4), .position = {(spReal)-0.1, (spReal)0.15, 0}};
    Thing box = {.mesh = MakeBox(0.2, 4), .position = {(spReal)0.16, (spReal)0.1, (spReal)0.05}};
    AddThing(world, &cloth);
    AddThing(world, &ball);
    AddThing(world, &box);
    return world;
}

static spTouchContext MakeContext(spWorld* world, spArena* arena, spTouches* touches)
{
    return (spTouchContext){
        .heap = &world->heap,
        .arena = arena,
        .team = world->team,
        .bodies = world->bodies,
        .bodyCount = world->bodyIds.slotCount,
        .dt = 1 / (spReal)60,
        .reach = world->def.contactSkin + 2 * 9.81f / 3600,
        .multipliers = world->multipliers + sp_rowHold,
        .detectors = &world->detectors,
        .betweenBodies = true,
        .touches = touches,
    };
}

static void CheckSameRows(const spTouches* a, const spTouches* b)
{
    assert_int_equal(a->rowCount, b->rowCount);
    assert_int_equal(a->poolCount, b->poolCount);
    for (int i = 0; i < a->rowCount; ++i)
    {
        const spRow *p = a->rows + i, *q = b->rows + i;
        assert_true(p->key == q->key);
        assert_memory_equal(&p->normal, &q->normal, sizeof(spVec3));
        assert_memory_equal(&p->gap, &q->gap, sizeof(spReal));
        assert_memory_equal(p->features, q->features, sizeof(p->features));
        assert_true(p->a.node == q->a.node && p->b.node == q->b.node);
    }
    for (int i = 0; i < a->poolCount; ++i)
    {
        assert_int_equal(a->pool[i].node, b->pool[i].node);
        assert_memory_equal(&a->pool[i].weight, &b->pool[i].weight, sizeof(spReal));
    }
}

// Rows by lists of any age are those of lists that are made anew
static void TestAge(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeHeap(1);
    spArena arena;
    spInitArena(&arena, &world->heap);
    spTouches kept = {0};
    int most = 0;
    for (int i = 0; i < 40; ++i)
    {
        Run(world, 1);
        spTouches fresh = {0};
        spTouchContext context = MakeContext(world, &arena, &kept);
        spResetArena(&arena);
        assert_true(spFindTouches(&context));
        context.touches = &fresh;
        assert_true(spFindTouches(&context));
        CheckSameRows(&kept, &fresh);
        most = spMaxInt(most, kept.rowCount);
        spFreeTouches(&world->heap, &fresh);
    }
    printf("up to %d rows\n", most);
    assert_true(most > 100);
    spFreeTouches(&world->heap, &kept);
    spFreeArena(&arena);
    spDestroyWorld(world);
}

// Of every vertex near another surface, the nearest place of all its triangles
static void TestAllNear(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeHeap(1);
    Run(world, 25);
    spArena arena;
    spInitArena(&arena, &world->heap);
    spTouches touches = {0};
    spTouchContext context = MakeContext(world, &arena, &touches);
    assert_true(spFindTouches(&context));
    const spBody *cloth = world->bodies[0], *ball = world->bodies[1];
    const spContactSurface *a = cloth->contactSurface, *b = ball->contactSurface;
    int expected = 0, found = 0;
    for (int i = 0; i < a->vertexCount; ++i)
    {
        spNearest best = {.triangle = -1, .distance2 = INFINITY};
        spVec3 x = spXyz(cloth->x[a->vertices[i]]);
        for (int t = 0; t < b->triangleCount; ++t)
        {
            spNearest at = spMeasureTriangle(b, ball->x, x, t);
            best = spIsNearer(&at, &best) ? at : best;
        }
        const spRow* row = NULL;
        for (int k = 0; k < touches.rowCount; ++k)
        {
            const spRow* r = touches.rows + k;
            // Rows of what is fast come last
            row = row == NULL && r->a.slot == 0 && r->b.slot == 1 && r->features[0] < 0 &&
                          r->a.node == a->vertices[i]
                      ? r
                      : row;
        }
        bool near = sqrt((double)best.distance2) < (double)(context.reach + a->thickness + b->thickness);
        expected += near;
        found += row != NULL;
        assert_true(near == false || (row != NULL && row->features[1] == best.triangle));
    }
    printf("%d vertices near the ball, %d rows\n", expected, found);
    assert_true(expected > 20);
    spFreeTouches(&world->heap, &touches);
    spFreeArena(&arena);
    spDestroyWorld(world);
}

// What rests keeps its lists; what lies flat has rows of vertices alone
static void TestRest(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeWorld(1, true);
    spAddTestGround(world, (spReal)0.5, 0);
    Thing low = {.mesh = MakeBox(0.2, 3), .type = sp_backwardEuler, .position = {0, (spReal)0.1, 0}};
    Thing high = {.mesh = MakeBox(0.1, 3), .type = sp_backwardEuler, .position = {0, (spReal)0.25, 0}};
    AddThing(world, &low);
    AddThing(world, &high);
    Run(world, 60);
    assert_int_equal(world->touches.pairCount, 1);
    const spNearList* list = world->touches.near[0];
    spNearList before = *list;
    Run(world, 60);
    assert_true(world->touches.near[0] == list);
    assert_memory_equal(before.epochs, list->epochs, sizeof(before.epochs));
    assert_memory_equal(&before.offset, &list->offset, sizeof(spVec3));
    for (int i = 0; i < world->touches.rowCount; ++i)
    {
        assert_true(world->touches.rows[i].features[0] < 0);
    }
    printf("%d rows at rest\n", world->touches.rowCount);
    assert_in_range(world->touches.rowCount, 16, 32);
    spDestroyWorld(world);
}

static void TestWorkers(void** state)
{
    SP_UNUSED(state);
    static const int workers[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int i = 0; i < SP_COUNT(workers); ++i)
    {
        spWorld* world = MakeHeap(workers[i]);
        Run(world, 12);
        uint64_t hash = spWorld_GetStateHash(world);
        first = i == 0 ? hash : first;
        assert_true(hash == first);
        spDestroyWorld(world);
    }
}

// ---- bad inputs ----

static void CheckFinite(const spWorld* world, spBodyId body)
{
    static spVec3 x[20000];
    int count = spBody_CopyPositions(world, body, x, 20000);
    for (int i = 0; i < count; ++i)
    {
        assert_true(spIsFinite3(x[i]));
    }
}

// Two sheets at the same place, and two boxes
static void TestCoincident(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; i < 2 * SP_COUNT(types); ++i)
    {
        bool boxes = i % 2 == 1;
        spWorld* world = MakeWorld(1, true);
        spAddTestGround(world, (spReal)0.5, 0);
        spBodyId bodies[2];
        for (int k = 0; k < 2; ++k)
        {
            Thing thing = {.mesh = boxes ? MakeBox(0.2, 2) : MakeSheet(0.5, 11),
                           .type = types[i / 2],
                           .position = {0, (spReal)0.101, 0},
                           .selfContact = true};
            bodies[k] = AddThing(world, &thing);
        }
        uint32_t flags = Run(world, 20);
        assert_int_equal(flags & (sp_stepNonFinite | sp_stepOutOfMemory), 0);
        CheckFinite(world, bodies[0]);
        CheckFinite(world, bodies[1]);
        spDestroyWorld(world);
    }
}

// A sheet with triangles that are there twice and others without area, whose corners still touch
static void TestBadTriangles(void** state)
{
    SP_UNUSED(state);
    spMesh* sheet = MakeSheet(0.4, 5);
    int vertexCount = spMesh_GetVertexCount(sheet), triangleCount = spMesh_GetTriangleCount(sheet);
    spDVec3 vertices[25];
    int32_t triangles[3 * 40];
    memcpy(vertices, spMesh_GetVertices(sheet), (size_t)vertexCount * sizeof(spDVec3));
    memcpy(triangles, spMesh_GetTriangles(sheet), 3 * (size_t)triangleCount * sizeof(int32_t));
    // A triangle in a line, one on a single edge, and one once more
    const int32_t more[] = {0, 1, 2, 7, 8, 7};
    memcpy(triangles + 3 * triangleCount, more, sizeof(more));
    memcpy(triangles + 3 * triangleCount + 6, triangles, 3 * sizeof(int32_t));
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = vertexCount;
    def.triangles = triangles;
    def.triangleCount = triangleCount + 3;
    spDestroyMesh(sheet);
    spWorld* world = MakeWorld(1, true);
    Thing low = {.mesh = MakeSheet(1.0, 11), .type = sp_symplecticEuler};
    spBodyId floor = AddThing(world, &low);
    PinAll(world, floor);
    Thing high = {
        .mesh = spCreateMesh(&def, NULL), .position = {(spReal)0.01, (spReal)0.12, 0}, .selfContact = true};
    spBodyId body = AddThing(world, &high);
    uint32_t flags = Run(world, 60);
    assert_int_equal(flags & (sp_stepNonFinite | sp_stepOutOfMemory), 0);
    CheckFinite(world, body);
    // Every corner of the sheet lies on the other one, at the distance of their thickness
    assert_int_equal(CountBelow(world, body, 0.5), 0);
    assert_true(spBody_GetCenter(world, body).y > 0 && spBody_GetCenter(world, body).y < (spReal)0.1);
    spDestroyWorld(world);
}

// A number that is none stops the body that has it and nobody else
static void TestNotFinite(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeHeap(1);
    Run(world, 10);
    world->bodies[0]->x[17].y = NAN;
    spWorld_Step(world, 1 / (spReal)60);
    Run(world, 5);
    for (int i = 1; i < 3; ++i)
    {
        CheckFinite(world, world->bodies[i]->id);
    }
    spDestroyWorld(world);
}

// Everything far from the origin, in single precision where its steps are a tenth of a millimetre: soft boxes of 1 m
// bounce on each other
static void TestFarAway(void** state)
{
    SP_UNUSED(state);
    const spReal far = sizeof(spReal) == 4 ? (spReal)1e3 : (spReal)1e4;
    spWorld* world = MakeWorld(1, true);
    spColliderDef ground = spDefaultColliderDef();
    ground.transform.position = (spVec3){far, far, far};
    assert_false(SP_IS_NULL(spCreateCollider(world, &ground)));
    spBodyId bodies[2];
    for (int i = 0; i < 2; ++i)
    {
        Thing box = {.mesh = MakeBox(1.0, 2),
                     .type = sp_backwardEuler,
                     .position = {far, far + (spReal)(0.5 + 1.01 * i), far}};
        bodies[i] = AddThing(world, &box);
    }
    Run(world, 60);
    double apart = (double)(spBody_GetCenter(world, bodies[1]).y - spBody_GetCenter(world, bodies[0]).y);
    printf("boxes far away: centres %.4f m apart\n", apart);
    CHECK_NEAR(apart, 0.8, 0.15);
    spDestroyWorld(world);
}

// A small box inside a large one is pushed out, and nothing blows up
static void TestBoxInBox(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; i < SP_COUNT(types); ++i)
    {
        spWorld* world = MakeWorld(1, false);
        Thing large = {.mesh = MakeBox(0.4, 4), .type = types[i]};
        Thing small = {.mesh = MakeBox(0.1, 2), .type = types[i], .position = {0, (spReal)0.05, 0}};
        AddThing(world, &large);
        spBodyId body = AddThing(world, &small);
        uint32_t flags = Run(world, 60);
        printf("method %d: small box at %.3f m, flags %x\n", types[i],
               (double)spLength3(spBody_GetCenter(world, body)), flags);
        assert_int_equal(flags & (sp_stepNonFinite | sp_stepOutOfMemory), 0);
        CheckFinite(world, body);
        spDestroyWorld(world);
    }
}

// Memory that fails in the middle of detection: the step says so, and the next one finds everything
static void TestMemory(void** state)
{
    SP_UNUSED(state);
    spWorld* world = MakeHeap(1);
    Run(world, 20);
    FailingAllocator failing = {.failAt = -1};
    spHeap heap = {.allocator = MakeFailingAllocator(&failing)};
    spArena arena;
    spTouches touches = {0};
    spInitArena(&arena, &heap);
    spTouchContext context = MakeContext(world, &arena, &touches);
    context.heap = &heap;
    assert_true(spFindTouches(&context));
    int asked = failing.count, rows = touches.rowCount;
    spFreeTouches(&heap, &touches);
    spFreeArena(&arena);
    assert_true(failing.out == 0 && asked > 10);
    for (int k = 0; k < asked; ++k)
    {
        spInitArena(&arena, &heap);
        failing.count = 0;
        failing.failAt = k;
        assert_false(spFindTouches(&context));
        assert_int_equal(touches.rowCount, 0);
        failing.failAt = -1;
        spResetArena(&arena);
        assert_true(spFindTouches(&context));
        assert_int_equal(touches.rowCount, rows);
        spFreeTouches(&heap, &touches);
        spFreeArena(&arena);
        assert_true(failing.out == 0);
    }
    spDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSweeps),        cmocka_unit_test(TestEdges),
        cmocka_unit_test(TestAge),           cmocka_unit_test(TestAllNear),
        cmocka_unit_test(TestRest),          cmocka_unit_test(TestWorkers),
        cmocka_unit_test(TestCoincident),    cmocka_unit_test(TestBadTriangles),
        cmocka_unit_test(TestNotFinite),     cmocka_unit_test(TestFarAway),
        cmocka_unit_test(TestBoxInBox),      cmocka_unit_test(TestMemory),
        cmocka_unit_test(TestNothingPasses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
