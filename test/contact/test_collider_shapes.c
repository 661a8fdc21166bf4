// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colliders that are made from meshes and heights: distances against all triangles one by one, sides, normals,
// bodies that rest on them, shells that nothing passes, and input that is refused.

#include "base/error.h"
#include "mesh/hull.h"
#include "test/memory_test.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#define G 9.81

// ---- meshes ----

static spMesh* MakeBox(spDVec3 size, int cells)
{
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.size = size;
    def.origin = (spDVec3){-0.5 * size.x, -0.5 * size.y, -0.5 * size.z};
    def.cells[0] = def.cells[1] = def.cells[2] = cells;
    return spMakeBoxMesh(&def, NULL);
}

static spMesh* MakeTorus(void)
{
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.radius = 0.5;
    def.tubeRadius = 0.2;
    def.resolution = 2;
    return spMakeTorusMesh(&def, NULL);
}

// The lower half of a ball, open at the top
static spMesh* MakeBowl(double radius, int rings, int sides)
{
    spDVec3* vertices = malloc((size_t)(rings * sides + 1) * sizeof(spDVec3));
    int32_t* triangles = malloc((size_t)(2 * rings * sides) * 3 * sizeof(int32_t));
    int count = 0;
    vertices[0] = (spDVec3){0.0, -radius, 0.0};
    for (int ring = 1; ring <= rings; ++ring)
    {
        for (int side = 0; side < sides; ++side)
        {
            double polar = 0.5 * 3.14159265358979 * ring / rings,
                   angle = 2.0 * 3.14159265358979 * side / sides;
            vertices[1 + (ring - 1) * sides + side] = (spDVec3){
                radius * sin(polar) * cos(angle), -radius * cos(polar), radius * sin(polar) * sin(angle)};
            int32_t here = 1 + (ring - 1) * sides + side, next = 1 + (ring - 1) * sides + (side + 1) % sides;
            int32_t below = ring == 1 ? 0 : here - sides, belowNext = ring == 1 ? 0 : next - sides;
            int32_t quad[2][3] = {{below, here, next}, {below, next, belowNext}};
            for (int k = 0; k < (ring == 1 ? 1 : 2); ++k)
            {
                memcpy(triangles + 3 * (size_t)count++, quad[k], sizeof(quad[k]));
            }
        }
    }
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = rings * sides + 1;
    def.triangles = triangles;
    def.triangleCount = count;
    spMesh* mesh = spCreateMesh(&def, NULL);
    free(vertices);
    free(triangles);
    return mesh;
}

// A square sheet in the xz plane
static spMesh* MakeSheet(double size)
{
    double h = 0.5 * size;
    const spDVec3 vertices[] = {{-h, 0.0, -h}, {h, 0.0, -h}, {h, 0.0, h}, {-h, 0.0, h}};
    const int32_t triangles[] = {0, 2, 1, 0, 3, 2};
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = 4;
    def.triangles = triangles;
    def.triangleCount = 2;
    return spCreateMesh(&def, NULL);
}

static spColliderDef MakeMeshDef(spShape shape, const spMesh* mesh)
{
    spColliderDef def = spDefaultColliderDef();
    def.shape = shape;
    def.mesh = mesh;
    return def;
}

// A world with one collider
static spWorld* MakeWorld(const spColliderDef* def, int workers, spCollider** collider)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = workers;
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spColliderId id = spCreateCollider(world, def);
    if (SP_IS_NULL(id))
    {
        print_error("%s\n", spWorld_GetLastError(world).message);
    }
    assert_false(SP_IS_NULL(id));
    *collider = spGetCollider(world, id);
    return world;
}

static spVec3 RandomPoint(uint64_t* random, double size)
{
    return (spVec3){(spReal)spRandomRange(random, -size, size), (spReal)spRandomRange(random, -size, size),
                    (spReal)spRandomRange(random, -size, size)};
}

// ---- distances ----

// Distance from all triangles, and the solid angle that they are seen under over 4 pi
static double MeasureAll(const spMesh* surface, spVec3 p, double* winding)
{
    spDVec3 point = {(double)p.x, (double)p.y, (double)p.z};
    const spDVec3* x = spMesh_GetVertices(surface);
    double least = INFINITY, angle = 0.0;
    for (int i = 0; i < spMesh_GetTriangleCount(surface); ++i)
    {
        const int32_t* t = spMesh_GetTriangles(surface) + 3 * i;
        int feature;
        spDVec3 place = spFindTrianglePlace(point, x[t[0]], x[t[1]], x[t[2]], &feature);
        least = fmin(least, spDDistance(point, place));
        spDVec3 a = spDSub(x[t[0]], point), b = spDSub(x[t[1]], point), c = spDSub(x[t[2]], point);
        double la = spDLength(a), lb = spDLength(b), lc = spDLength(c);
        angle += 2.0 * atan2(spDDet(a, b, c),
                             la * lb * lc + spDDot(a, b) * lc + spDDot(b, c) * la + spDDot(c, a) * lb);
    }
    *winding = angle / (4.0 * 3.14159265358979323846);
    return least;
}

static void CheckClosed(const spMesh* mesh, double size)
{
    spColliderDef def = MakeMeshDef(sp_shapeMesh, mesh);
    spCollider* collider;
    spWorld* world = MakeWorld(&def, 1, &collider);
    uint64_t random = (7);
    assert_true(collider->data->tree.closed);
    for (int i = 0; i < 2000; ++i)
    {
        spVec3 p = RandomPoint(&random, size);
        double winding, expected = MeasureAll(collider->def.mesh, p, &winding);
        expected = winding > 0.5 ? -expected : expected;
        spSurfaceHit hit = spQueryShape(collider, spIdentityTransform(), p, NULL);
        CHECK_NEAR(hit.distance, expected, 1e-6);
        CHECK_NEAR(spLength3(hit.normal), 1.0, 1e-5);
        // Along the normal by the distance lies the surface
        double unused;
        spVec3 foot = spMulAdd3(p, -hit.distance, hit.normal);
        CHECK_LESS(MeasureAll(collider->def.mesh, foot, &unused), 2e-5);
    }
    spDestroyWorld(world);
}

static void TestSignedDistance(void** state)
{
    SP_UNUSED(state);
    spMesh *torus = MakeTorus(), *box = MakeBox((spDVec3){1.0, 0.6, 0.3}, 3);
    CheckClosed(torus, 1.0);
    CheckClosed(box, 0.8);
    spDestroyMesh(torus);
    spDestroyMesh(box);
}

// On faces, edges and corners of a box, and just outside and inside of them
static void TestNormalsOfBox(void** state)
{
    SP_UNUSED(state);
    spMesh* box = MakeBox((spDVec3){1.0, 1.0, 1.0}, 1);
    spColliderDef def = MakeMeshDef(sp_shapeMesh, box);
    spCollider* collider;
    spWorld* world = MakeWorld(&def, 1, &collider);
    const double root2 = sqrt(0.5), root3 = sqrt(1.0 / 3.0);
    const spVec3 places[] = {{(spReal)0.5, (spReal)0.1, (spReal)0.2},
                             {(spReal)0.5, (spReal)0.5, (spReal)0.1},
                             {(spReal)0.5, (spReal)0.5, (spReal)0.5}};
    const double normals[][3] = {{1.0, 0.0, 0.0}, {root2, root2, 0.0}, {root3, root3, root3}};
    for (int i = 0; i < 3; ++i)
    {
        spVec3 n = {(spReal)normals[i][0], (spReal)normals[i][1], (spReal)normals[i][2]};
        spSurfaceHit on = spQueryShape(collider, spIdentityTransform(), places[i], NULL);
        CHECK_NEAR(on.distance, 0.0, 1e-7);
        CHECK_NEAR(spDistance3(on.normal, n), 0.0, 1e-5);
        spSurfaceHit out =
            spQueryShape(collider, spIdentityTransform(), spMulAdd3(places[i], (spReal)0.1, n), NULL);
        CHECK_NEAR(out.distance, 0.1, 1e-6);
        CHECK_NEAR(spDistance3(out.normal, n), 0.0, 1e-5);
        spSurfaceHit in =
            spQueryShape(collider, spIdentityTransform(), spMulAdd3(places[i], (spReal)-0.01, n), NULL);
        CHECK_NEAR(in.distance, i == 0 ? -0.01 : i == 1 ? -0.01 * root2 : -0.01 * root3, 1e-6);
        CHECK_LESS(-spDot3(in.normal, n), -0.5);
    }
    spDestroyWorld(world);
    spDestroyMesh(box);
}

// A shell has two sides, half its thickness away; who has crossed it belongs to where it came from
static void TestSidesOfShell(void** state)
{
    SP_UNUSED(state);
    spMesh* bowl = MakeBowl(1.0, 8, 24);
    spColliderDef def = MakeMeshDef(sp_shapeMesh, bowl);
    def.thickness = (spReal)0.02;
    spCollider* collider;
    spWorld* world = MakeWorld(&def, 1, &collider);
    uint64_t random = (11);
    assert_false(collider->data->tree.closed);
    for (int i = 0; i < 1000; ++i)
    {
        spVec3 p = RandomPoint(&random, 1.2);
        double unused, expected = MeasureAll(collider->def.mesh, p, &unused);
        spSurfaceHit hit = spQueryShape(collider, spIdentityTransform(), p, NULL);
        CHECK_NEAR(hit.distance, expected - 0.01, 1e-6);
    }
    const spVec3 above = {0, (spReal)-0.8, (spReal)0.1}, below = {0, (spReal)-1.3, (spReal)0.12};
    spSurfaceHit crossed = spQueryShape(collider, spIdentityTransform(), below, &above);
    spSurfaceHit back = spQueryShape(collider, spIdentityTransform(), above, &below);
    CHECK_LESS(crossed.distance, -0.29);
    CHECK_LESS(0.9, crossed.normal.y);
    CHECK_LESS(back.distance, -0.19);
    CHECK_LESS(back.normal.y, -0.9);
    // Over the rim, and in through the opening
    const spVec3 over = {0, (spReal)0.2, (spReal)0.1};
    CHECK_LESS(0.0, spQueryShape(collider, spIdentityTransform(), above, &over).distance);
    spDestroyWorld(world);
    spDestroyMesh(bowl);
}

// Two walls that meet at an acute angle: from near the one to near the other nothing is crossed
static void TestFoldOfShell(void** state)
{
    SP_UNUSED(state);
    const spDVec3 vertices[] = {{0, 0, -1},    {0, 0, 1},   {-0.2, 1, 1},
                                {-0.2, 1, -1}, {0.2, 1, 1}, {0.2, 1, -1}};
    const int32_t triangles[] = {0, 1, 2, 0, 2, 3, 1, 0, 4, 0, 5, 4};
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = vertices;
    meshDef.vertexCount = 6;
    meshDef.triangles = triangles;
    meshDef.triangleCount = 4;
    spMesh* fold = spCreateMesh(&meshDef, NULL);
    spColliderDef def = MakeMeshDef(sp_shapeMesh, fold);
    spCollider* collider;
    spWorld* world = MakeWorld(&def, 1, &collider);
    const spVec3 left = {(spReal)-0.08, (spReal)0.5, 0}, right = {(spReal)0.08, (spReal)0.5, (spReal)0.1};
    spSurfaceHit hit = spQueryShape(collider, spIdentityTransform(), right, &left);
    CHECK_LESS(0.0, hit.distance);
    CHECK_LESS(hit.normal.x, -0.9);
    spDestroyWorld(world);
    spDestroyMesh(fold);
}

// ---- hull, height field, distance field ----

static void CheckHull(const spDVec3* points, int count, double volume, double tolerance)
{
    spError error = {0};
    spAllocator allocator = {0};
    spMesh* hull = spMakeHullMesh(points, count, &allocator, &error);
    assert_non_null(hull);
    spMeshReport report;
    assert_true(spMesh_Validate(hull, &report, NULL));
    assert_true(report.closed);
    assert_int_equal(report.problemCounts[sp_meshBadWinding], 0);
    if (volume > 0.0)
    {
        CHECK_NEAR(report.volume, volume, 1e-9 * volume);
    }
    for (int i = 0; i < spMesh_GetTriangleCount(hull); ++i)
    {
        const int32_t* t = spMesh_GetTriangles(hull) + 3 * i;
        spDVec3 normal = spTriangleNormal(spMesh_GetVertices(hull), t), a = spMesh_GetVertices(hull)[t[0]];
        for (int k = 0; k < count; ++k)
        {
            CHECK_LESS(spDDot(normal, spDSub(points[k], a)), tolerance * spDLength(normal));
        }
    }
    spDestroyMesh(hull);
}

static void TestHull(void** state)
{
    SP_UNUSED(state);
    enum
    {
        N = 600
    };
    spDVec3 points[N];
    uint64_t random = (3);
    for (int i = 0; i < N; ++i)
    {
        points[i] = (spDVec3){spRandomRange(&random, -1.0, 1.0), spRandomRange(&random, -1.0, 1.0),
                              spRandomRange(&random, -1.0, 1.0)};
    }
    CheckHull(points, N, 0.0, 1e-9);
    for (int i = 0; i < N; ++i)
    {
        points[i] = spDScale(1.0 / spDLength(points[i]), points[i]);
    }
    CheckHull(points, N, 0.0, 1e-9);
    // A lattice: all faces coplanar, all edges collinear, every point twice
    for (int i = 0; i < 2 * 216; ++i)
    {
        int k = i % 216;
        points[i] = (spDVec3){0.2 * (k % 6), 0.2 * (k / 6 % 6), 0.2 * (k / 36)};
    }
    CheckHull(points, 432, 1.0, 1e-9);
    // The same turned, so that nothing is exact
    for (int i = 0; i < 432; ++i)
    {
        spDVec3 p = points[i];
        points[i] = (spDVec3){0.8 * p.x - 0.6 * p.y + 7.0, 0.6 * p.x + 0.8 * p.y, p.z + 1e-13 * (i % 7)};
    }
    CheckHull(points, 432, 0.0, 1e-6);
}

static void TestFlatClouds(void** state)
{
    SP_UNUSED(state);
    const spDVec3 point[] = {{1, 2, 3}, {1, 2, 3}};
    const spDVec3 line[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0.5, 0.5, 0.5}};
    const spDVec3 plane[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.4, 0}};
    spAllocator allocator = {0};
    spError error = {0};
    assert_null(spMakeHullMesh(point, 2, &allocator, &error));
    assert_non_null(strstr(error.message, "at one place"));
    assert_null(spMakeHullMesh(line, 4, &allocator, &error));
    assert_non_null(strstr(error.message, "on a line"));
    assert_null(spMakeHullMesh(plane, 5, &allocator, &error));
    assert_non_null(strstr(error.message, "in one plane"));
}

static void TestDistanceField(void** state)
{
    SP_UNUSED(state);
    spMesh* torus = MakeTorus();
    spColliderDef def = MakeMeshDef(sp_shapeDistanceField, torus);
    def.resolution = 40;
    spCollider* collider;
    spWorld* world = MakeWorld(&def, 1, &collider);
    uint64_t random = (5);
    double cell = collider->data->grid.cell;
    for (int i = 0; i < 2000; ++i)
    {
        spVec3 p = RandomPoint(&random, 0.72);
        double expected = spGetSignedDistance(&collider->data->tree, (spDVec3){p.x, p.y, p.z}, INFINITY);
        spSurfaceHit hit = spQueryShape(collider, spIdentityTransform(), p, NULL);
        if (fabs(expected) < 2.0 * cell)
        {
            CHECK_NEAR(hit.distance, expected, 0.35 * cell);
        }
        CHECK_LESS(hit.distance, fabs(expected) + cell);
    }
    spDestroyWorld(world);
    spDestroyMesh(torus);
}

// Ground with a slope: the distance from a plane, below as above; beside it a wall
static void TestHeightField(void** state)
{
    SP_UNUSED(state);
    spReal heights[5 * 4];
    for (int i = 0; i < 20; ++i)
    {
        heights[i] = (spReal)(0.25 * (i % 5 - 2)); // slope 1/2 along x
    }
    spColliderDef def = spDefaultColliderDef();
    def.shape = sp_shapeHeightField;
    def.heights = heights;
    def.heightCountX = 5;
    def.heightCountZ = 4;
    def.spacing = (spReal)0.5;
    spCollider* collider;
    spWorld* world = MakeWorld(&def, 1, &collider);
    const double share = sqrt(0.8);
    for (int i = -3; i <= 3; ++i)
    {
        spVec3 p = {(spReal)0.1, (spReal)(0.05 + 0.1 * i), (spReal)0.05};
        spSurfaceHit hit = spQueryShape(collider, spIdentityTransform(), p, NULL);
        CHECK_NEAR(hit.distance, 0.1 * i * share, 1e-6);
        CHECK_NEAR(hit.normal.y, share, 1e-5);
    }
    // Just below, anywhere within the rims: up, never sideways
    uint64_t random = 9;
    for (int i = 0; i < 1000; ++i)
    {
        double x = spRandomRange(&random, -1.0, 1.0), z = spRandomRange(&random, -0.75, 0.75);
        spVec3 p = {(spReal)x, (spReal)(0.5 * (double)(spReal)x - 0.01), (spReal)z};
        CHECK_LESS(0.8, spQueryShape(collider, spIdentityTransform(), p, NULL).normal.y);
    }
    spSurfaceHit beside = spQueryShape(collider, spIdentityTransform(), (spVec3){(spReal)1.5, -1, 0}, NULL);
    CHECK_NEAR(beside.distance, 0.5, 1e-6);
    CHECK_NEAR(beside.normal.x, 1.0, 1e-6);
    spDestroyWorld(world);
}

// ---- bodies ----

static const spMethodType s_methods[] = {sp_symplecticEuler, sp_backwardEuler, sp_bdf2, sp_xpbd};

// A soft block of 0.3 m, its lowest nodes at this height
static spBodyId AddBlock(spWorld* world, spMethodType method, double height, spReal radius, spReal speed)
{
    spMesh* mesh = MakeBox((spDVec3){0.3, 0.3, 0.3}, 2);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.method.type = method;
    def.contactRadius = radius;
    def.velocity.x = speed;
    def.transform.position = (spVec3){0, (spReal)(height + 0.15), 0};
    spBodyId body = spCreateBody(world, &def);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)5e4;
    tets.damping = (spReal)0.02;
    assert_true(spBody_AddTets(world, body, &tets) >= 0);
    spDestroyMesh(mesh);
    return body;
}

static double Lowest(spWorld* world, spBodyId body)
{
    spVec3View x = spBody_GetPositions(world, body);
    double least = INFINITY;
    for (int i = 0; i < x.count; ++i)
    {
        least = fmin(least, (double)x.data[i].y);
    }
    return least;
}

// The force of a body at rest is its weight
static void CheckRest(const spColliderDef* def, spMethodType method, double top, double limit)
{
    spCollider* collider;
    spWorld* world = MakeWorld(def, 1, &collider);
    spBodyId body = AddBlock(world, method, top + 0.002, 0, 0);
    double weight = 1000.0 * 0.027 * G, sum = 0.0;
    for (int i = 0; i < 150; ++i)
    {
        spWorld_Step(world, (spReal)(1.0 / 60.0));
        sum += i >= 90 ? (double)spBody_GetContactForce(world, body).y / 60.0 : 0.0;
    }
    CHECK_NEAR(sum, weight, limit * weight);
    CHECK_NEAR(Lowest(world, body), top, 2e-3);
    CHECK_NEAR(spCollider_GetForce(world, collider->id).y, -(double)spBody_GetContactForce(world, body).y,
               1e-3 * weight);
    spDestroyWorld(world);
}

static void TestRestOnShapes(void** state)
{
    SP_UNUSED(state);
    spMesh *slab = MakeBox((spDVec3){1.0, 0.2, 1.0}, 3), *sheet = MakeSheet(1.0);
    spReal heights[9] = {0};
    for (size_t i = 0; i < SP_COUNT(s_methods); ++i)
    {
        spColliderDef mesh = MakeMeshDef(sp_shapeMesh, slab), shell = MakeMeshDef(sp_shapeMesh, sheet);
        spColliderDef convex = MakeMeshDef(sp_shapeConvex, slab);
        spColliderDef field = MakeMeshDef(sp_shapeDistanceField, slab);
        field.resolution = 20;
        spColliderDef ground = spDefaultColliderDef();
        ground.shape = sp_shapeHeightField;
        ground.heights = heights;
        ground.heightCountX = ground.heightCountZ = 3;
        CheckRest(&mesh, s_methods[i], 0.1, 0.01);
        CheckRest(&convex, s_methods[i], 0.1, 0.01);
        CheckRest(&field, s_methods[i], 0.1, 0.01);
        CheckRest(&shell, s_methods[i], 0.5e-3 * sqrt(2.0), 0.01);
        CheckRest(&ground, s_methods[i], 0.0, 0.01);
    }
    spDestroyMesh(slab);
    spDestroyMesh(sheet);
}

// A block that falls into a bowl from the side stays in it
static void TestBowlHolds(void** state)
{
    SP_UNUSED(state);
    spMesh* bowl = MakeBowl(0.8, 8, 24);
    spColliderDef def = MakeMeshDef(sp_shapeMesh, bowl);
    for (size_t i = 0; i < SP_COUNT(s_methods); ++i)
    {
        spCollider* collider;
        spWorld* world = MakeWorld(&def, 1, &collider);
        spBodyId body = AddBlock(world, s_methods[i], 0.0, 0, 1);
        for (int step = 0; step < 150; ++step)
        {
            spWorld_Step(world, (spReal)(1.0 / 60.0));
        }
        spVec3View x = spBody_GetPositions(world, body);
        for (int k = 0; k < x.count; ++k)
        {
            CHECK_LESS(spLength3(x.data[k]), 0.8);
        }
        spDestroyWorld(world);
    }
    spDestroyMesh(bowl);
}

// Particles at speeds that take them through sheets and thin plates many times within a step
static void TestNothingPassesShell(void** state)
{
    SP_UNUSED(state);
    spMesh *sheet = MakeSheet(4.0), *plate = MakeBox((spDVec3){4.0, 0.01, 4.0}, 2);
    for (int closed = 0; closed < 2; ++closed)
    {
        for (size_t i = 0; i < SP_COUNT(s_methods); ++i)
        {
            for (int speed = 1; speed <= 1000; speed *= 10)
            {
                spColliderDef def = MakeMeshDef(sp_shapeMesh, closed != 0 ? plate : sheet);
                spCollider* collider;
                spWorld* world = MakeWorld(&def, 1, &collider);
                spVec3 start = {(spReal)0.13, (spReal)0.4, (spReal)0.07};
                spBodyDef bodyDef = spDefaultBodyDef();
                bodyDef.positions = &start;
                bodyDef.positionCount = 1;
                bodyDef.nodeMass = 1;
                bodyDef.velocity = (spVec3){0, (spReal)-speed, 0};
                bodyDef.method.type = s_methods[i];
                spBodyId body = spCreateBody(world, &bodyDef);
                for (int step = 0; step < 60; ++step)
                {
                    spWorld_Step(world, (spReal)(1.0 / 60.0));
                }
                CHECK_LESS(0.0, spBody_GetPositions(world, body).data[0].y);
                spDestroyWorld(world);
            }
        }
    }
    spDestroyMesh(sheet);
    spDestroyMesh(plate);
}

// ---- pairs ----

static spBodyId AddParticle(spWorld* world, double x, uint32_t group, uint32_t touches)
{
    spVec3 start = {(spReal)x, (spReal)0.1, 0};
    spBodyDef def = spDefaultBodyDef();
    def.positions = &start;
    def.positionCount = 1;
    def.nodeMass = 1;
    def.group = group;
    def.touches = touches;
    def.velocity.z = 1;
    return spCreateBody(world, &def);
}

// Both sides must touch the group of the other; what was set for a pair counts before that
static void TestGroupsAndPairs(void** state)
{
    SP_UNUSED(state);
    spColliderDef def = spDefaultColliderDef();
    def.group = 2;
    def.touches = 5;
    spCollider* collider;
    spWorld* world = MakeWorld(&def, 1, &collider);
    const uint32_t bits[][2] = {{1, 2}, {4, UINT32_MAX}, {1, 1}, {2, 2}, {1, 2}, {1, 1}};
    const bool holds[] = {true, true, false, false, false, true};
    spBodyId bodies[6];
    for (int i = 0; i < 6; ++i)
    {
        bodies[i] = AddParticle(world, i, bits[i][0], bits[i][1]);
    }
    spPairMaterial pair = {.touch = false};
    assert_true(spWorld_SetPairMaterial(world, bodies[4], collider->id, &pair));
    pair = (spPairMaterial){.touch = true, .friction = 0};
    assert_true(spWorld_SetPairMaterial(world, bodies[5], collider->id, &pair));
    for (int i = 0; i < 120; ++i)
    {
        spWorld_Step(world, (spReal)(1.0 / 60.0));
    }
    for (int i = 0; i < 6; ++i)
    {
        double y = (double)spBody_GetPositions(world, bodies[i]).data[0].y;
        assert_true(holds[i] ? y > -1e-4 : y < -1.0);
        assert_true(spWorld_GetPairMaterial(world, bodies[i], collider->id).touch == holds[i]);
    }
    CHECK_NEAR(spBody_GetVelocities(world, bodies[0]).data[0].z, 0.0, 1e-6); // friction 0.5
    CHECK_NEAR(spBody_GetVelocities(world, bodies[5]).data[0].z, 1.0, 1e-6); // none
    pair.friction = -1;
    assert_false(spWorld_SetPairMaterial(world, bodies[5], collider->id, &pair));
    assert_non_null(strstr(spWorld_GetLastError(world).message, "must not be negative"));
    assert_true(spWorld_SetPairMaterial(world, bodies[5], collider->id, NULL));
    assert_false(spWorld_GetPairMaterial(world, bodies[5], collider->id).touch);
    spDestroyCollider(world, collider->id);
    assert_int_equal(world->pairTable.count, 0);
    spDestroyWorld(world);
}

// ---- the same bits ----

static uint64_t RunHash(const spColliderDef* def, int workers)
{
    spCollider* collider;
    spWorld* world = MakeWorld(def, workers, &collider);
    for (size_t i = 0; i < SP_COUNT(s_methods); ++i)
    {
        AddBlock(world, s_methods[i], 0.3 * (double)i, (spReal)0.01, 0);
    }
    spTransform target = spIdentityTransform();
    for (int step = 0; step < 20; ++step)
    {
        target.position.y += (spReal)0.005;
        spCollider_MoveTo(world, collider->id, target);
        spWorld_Step(world, (spReal)(1.0 / 60.0));
    }
    uint64_t hash = spWorld_GetStateHash(world);
    spDestroyWorld(world);
    return hash;
}

static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    spMesh *torus = MakeTorus(), *bowl = MakeBowl(0.5, 4, 12);
    spColliderDef defs[] = {MakeMeshDef(sp_shapeMesh, torus), MakeMeshDef(sp_shapeMesh, bowl),
                            MakeMeshDef(sp_shapeDistanceField, torus)};
    defs[2].resolution = 16;
    for (size_t i = 0; i < SP_COUNT(defs); ++i)
    {
        uint64_t one = RunHash(defs + i, 1);
        assert_true(RunHash(defs + i, 2) == one);
        assert_true(RunHash(defs + i, 3) == one);
        assert_true(RunHash(defs + i, 8) == one);
    }
    spDestroyMesh(torus);
    spDestroyMesh(bowl);
}

// ---- bad input ----

static void CheckRefused(const spColliderDef* def, const char* words)
{
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    assert_true(SP_IS_NULL(spCreateCollider(world, def)));
    spError error = spWorld_GetLastError(world);
    if (strstr(error.message, words) == NULL)
    {
        print_error("\"%s\" does not say \"%s\"\n", error.message, words);
        fail();
    }
    spDestroyWorld(world);
}

static void TestRefused(void** state)
{
    SP_UNUSED(state);
    const spDVec3 points[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1e12, 0, 0}, {0, 1e12, 0}};
    const int32_t flat[] = {0, 1, 2, 1, 1, 0}, large[] = {0, 3, 4};
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = points;
    meshDef.vertexCount = 5;
    spMesh* empty = spCreateMesh(&meshDef, NULL);
    meshDef.triangles = flat;
    meshDef.triangleCount = 2;
    spMesh* needles = spCreateMesh(&meshDef, NULL);
    meshDef.triangles = large;
    meshDef.triangleCount = 1;
    spMesh* huge = spCreateMesh(&meshDef, NULL);
    spMesh *sheet = MakeSheet(1.0), *box = MakeBox((spDVec3){1, 1, 1}, 1);
    spColliderDef def = MakeMeshDef(sp_shapeMesh, NULL);
    CheckRefused(&def, "needs a mesh");
    def.mesh = empty;
    CheckRefused(&def, "neither triangles nor tets");
    def.mesh = needles;
    CheckRefused(&def, "has an area (2 were left out)");
    def.mesh = huge;
    CheckRefused(&def, "is its unit metres");
    def = MakeMeshDef(sp_shapeConvex, sheet);
    CheckRefused(&def, "in one plane");
    def = MakeMeshDef(sp_shapeDistanceField, sheet);
    CheckRefused(&def, "closed mesh");
    def.mesh = box;
    def.resolution = 3;
    CheckRefused(&def, "must be 4 to 512");
    def = MakeMeshDef(sp_shapeMesh, box);
    def.thickness = -1;
    CheckRefused(&def, "thickness");
    spReal heights[4] = {0, 0, NAN, 0};
    def = MakeMeshDef(sp_shapeHeightField, NULL);
    CheckRefused(&def, "2 to 8192");
    def.heights = heights;
    def.heightCountX = def.heightCountZ = 2;
    CheckRefused(&def, "height 2");
    heights[2] = 0;
    def.spacing = 0;
    CheckRefused(&def, "spacing");
    spDestroyMesh(empty);
    spDestroyMesh(needles);
    spDestroyMesh(huge);
    spDestroyMesh(sheet);
    spDestroyMesh(box);
}

// Three sheets at one edge, each triangle twice, and separate vertices: a shell all the same
static void TestNonManifold(void** state)
{
    SP_UNUSED(state);
    const spDVec3 v[] = {{0, 0, -1}, {0, 0, 1},  {1, 0, 0}, {0, 0, -1}, {0, 0, 1},
                         {-1, 0, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}};
    const int32_t triangles[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 2, 1, 8, 7, 6, 0, 0, 1};
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = v;
    meshDef.vertexCount = 9;
    meshDef.triangles = triangles;
    meshDef.triangleCount = 6;
    spMesh* mesh = spCreateMesh(&meshDef, NULL);
    spColliderDef def = MakeMeshDef(sp_shapeMesh, mesh);
    def.thickness = (spReal)0.02;
    spCollider* collider;
    spWorld* world = MakeWorld(&def, 1, &collider);
    assert_int_equal(spMesh_GetTriangleCount(collider->def.mesh), 3);
    const spVec3 p = {(spReal)0.1, (spReal)0.05, 0}, below = {(spReal)0.1, (spReal)-0.05, 0};
    spSurfaceHit hit = spQueryShape(collider, spIdentityTransform(), below, &p);
    CHECK_NEAR(hit.distance, -0.06, 1e-6);
    CHECK_NEAR(hit.normal.y, 1.0, 1e-6);
    spDestroyWorld(world);
    spDestroyMesh(mesh);
}

// Points that are no places get an answer that is no contact
static void TestPointsNotFinite(void** state)
{
    SP_UNUSED(state);
    spMesh *torus = MakeTorus(), *sheet = MakeSheet(1.0);
    spReal heights[4] = {0};
    for (int i = 0; i < 5; ++i)
    {
        spColliderDef def =
            MakeMeshDef(i < 4 ? (spShape)(sp_shapeMesh + i) : sp_shapeMesh, i < 4 ? torus : sheet);
        def.resolution = 4;
        def.heights = heights;
        def.heightCountX = def.heightCountZ = 2;
        spCollider* collider;
        spWorld* world = MakeWorld(&def, 1, &collider);
        const spVec3 bad[] = {{NAN, NAN, NAN}, {NAN, 0, 0}, {0, NAN, 0}, {0, 0, INFINITY}, {0, INFINITY, 0}};
        const spVec3 from = {0, 1, 0};
        for (size_t k = 0; k < SP_COUNT(bad); ++k)
        {
            assert_false(spQueryShape(collider, spIdentityTransform(), bad[k], &from).distance < 0);
            assert_false(spQueryShape(collider, spIdentityTransform(), bad[k], NULL).distance < 0);
        }
        spDestroyWorld(world);
    }
    spDestroyMesh(torus);
    spDestroyMesh(sheet);
}

static void TestMemoryFails(void** state)
{
    SP_UNUSED(state);
    spMesh* torus = MakeTorus();
    spReal heights[9] = {0};
    for (int shape = sp_shapeMesh; shape < sp_shapeCount; ++shape)
    {
        bool made = false;
        for (int failAt = 0; made == false && failAt < 400; ++failAt)
        {
            FailingAllocator failing = {.failAt = -1};
            spWorldDef worldDef = spDefaultWorldDef();
            worldDef.allocator = MakeFailingAllocator(&failing);
            spWorld* world = spCreateWorld(&worldDef, NULL);
            failing.failAt = failing.count + failAt;
            spColliderDef def = MakeMeshDef((spShape)shape, torus);
            def.resolution = 4;
            def.heights = heights;
            def.heightCountX = def.heightCountZ = 3;
            made = SP_IS_NULL(spCreateCollider(world, &def)) == false;
            assert_true(made || spWorld_GetLastError(world).code == sp_errorOutOfMemory);
            spDestroyWorld(world);
            assert_int_equal(failing.out, 0);
        }
        assert_true(made);
    }
    spDestroyMesh(torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSignedDistance),
        cmocka_unit_test(TestNormalsOfBox),
        cmocka_unit_test(TestSidesOfShell),
        cmocka_unit_test(TestFoldOfShell),
        cmocka_unit_test(TestHull),
        cmocka_unit_test(TestFlatClouds),
        cmocka_unit_test(TestDistanceField),
        cmocka_unit_test(TestHeightField),
        cmocka_unit_test(TestRestOnShapes),
        cmocka_unit_test(TestBowlHolds),
        cmocka_unit_test(TestNothingPassesShell),
        cmocka_unit_test(TestGroupsAndPairs),
        cmocka_unit_test(TestSameBits),
        cmocka_unit_test(TestRefused),
        cmocka_unit_test(TestNonManifold),
        cmocka_unit_test(TestPointsNotFinite),
        cmocka_unit_test(TestMemoryFails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
