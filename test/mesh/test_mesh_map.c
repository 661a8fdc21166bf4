// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Maps from meshes to points: exactness, nearest element, forces, bad input.

#include "base/core.h"
#include "test/mesh_test.h"

static spMesh* MakeBall(int resolution)
{
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.resolution = resolution;
    spMesh* mesh = spMakeBallMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static void MakePoints(spDVec3* points, int count, double size, uint64_t seed)
{
    for (int i = 0; i < count; ++i)
    {
        points[i] = (spDVec3){spRandomRange(&seed, -size, size), spRandomRange(&seed, -size, size),
                              spRandomRange(&seed, -size, size)};
    }
}

enum
{
    pointCount = 2000
};

static spDVec3 points[pointCount], moved[pointCount];

static void TestAffine(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = MakeBall(4);
    int vertexCount = spMesh_GetVertexCount(mesh);
    MakePoints(points, pointCount, 0.8, 1); // inside and outside
    spMeshMap* map = spCreateMeshMap(mesh, points, pointCount, NULL);
    assert_non_null(map);
    assert_int_equal(spMeshMap_GetPointCount(map), pointCount);
    int outside = 0;
    for (int i = 0; i < pointCount; ++i)
    {
        const double* w = spMeshMap_GetWeights(map) + 4 * i;
        CHECK_NEAR(w[0] + w[1] + w[2] + w[3], 1.0, 1e-14);
        outside += fmin(fmin(w[0], w[1]), fmin(w[2], w[3])) < -1e-10;
    }
    assert_int_equal(outside, spMeshMap_GetOutsideCount(map));
    assert_in_range(outside, 1, pointCount - 1);

    spDVec3* x = malloc((size_t)vertexCount * sizeof(spDVec3));
    for (int i = 0; i < vertexCount; ++i)
    {
        spDVec3 p = spMesh_GetVertices(mesh)[i];
        x[i] = (spDVec3){1.0 + 2.0 * p.x - p.y + 0.5 * p.z, -2.0 + p.x + p.y, 0.3 * p.x + 3.0 * p.z};
    }
    spMeshMap_Apply(map, x, moved);
    for (int i = 0; i < pointCount; ++i)
    {
        spDVec3 p = points[i];
        spDVec3 expected = {1.0 + 2.0 * p.x - p.y + 0.5 * p.z, -2.0 + p.x + p.y, 0.3 * p.x + 3.0 * p.z};
        CHECK_NEAR(Length(Subtract(moved[i], expected)), 0.0, 1e-12);
    }
    free(x);
    spDestroyMeshMap(map);
    spDestroyMesh(mesh);
    spDestroyMeshMap(NULL);
}

static void TestForces(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = MakeBall(3);
    int vertexCount = spMesh_GetVertexCount(mesh);
    MakePoints(points, pointCount, 0.7, 2);
    MakePoints(moved, pointCount, 1.0, 3); // forces
    spMeshMap* map = spCreateMeshMap(mesh, points, pointCount, NULL);
    spDVec3* f = calloc((size_t)vertexCount, sizeof(spDVec3));
    f[0].x = 5.0; // added to
    spMeshMap_ApplyTranspose(map, moved, f);
    f[0].x -= 5.0;
    spDVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    for (int i = 0; i < pointCount; ++i)
    {
        spDVec3 t = Cross(points[i], moved[i]);
        force = (spDVec3){force.x + moved[i].x, force.y + moved[i].y, force.z + moved[i].z};
        torque = (spDVec3){torque.x + t.x, torque.y + t.y, torque.z + t.z};
    }
    for (int i = 0; i < vertexCount; ++i)
    {
        spDVec3 t = Cross(spMesh_GetVertices(mesh)[i], f[i]);
        force = Subtract(force, f[i]);
        torque = Subtract(torque, t);
    }
    CHECK_NEAR(Length(force), 0.0, 1e-11);
    CHECK_NEAR(Length(torque), 0.0, 1e-11);
    free(f);
    spDestroyMeshMap(map);
    spDestroyMesh(mesh);
}

// Distance from a tet by brute force: the smallest of many points of its faces, refined
static double TetDistance(const spMesh* mesh, int tet, spDVec3 p)
{
    const spDVec3* v = spMesh_GetVertices(mesh);
    const int32_t* t = spMesh_GetTets(mesh) + 4 * tet;
    // Frank-Wolfe with away steps is slow; projected barycentric gradient descent is enough here
    double w[4] = {0.25, 0.25, 0.25, 0.25};
    for (int round = 0; round < 400; ++round)
    {
        spDVec3 q = {0, 0, 0};
        for (int i = 0; i < 4; ++i)
        {
            q = (spDVec3){q.x + w[i] * v[t[i]].x, q.y + w[i] * v[t[i]].y, q.z + w[i] * v[t[i]].z};
        }
        spDVec3 d = Subtract(p, q);
        // Move weight from the worst vertex to the best one, by exact line search
        int best = 0, worst = -1;
        for (int i = 0; i < 4; ++i)
        {
            best = Dot(d, v[t[i]]) > Dot(d, v[t[best]]) ? i : best;
            if (w[i] > 0.0 && (worst < 0 || Dot(d, v[t[i]]) < Dot(d, v[t[worst]])))
            {
                worst = i;
            }
        }
        spDVec3 e = Subtract(v[t[best]], v[t[worst]]);
        double s = Dot(e, e) > 0.0 ? fmin(Dot(d, e) / Dot(e, e), w[worst]) : 0.0;
        w[best] += s;
        w[worst] -= s;
        if (s <= 0.0)
        {
            break;
        }
    }
    spDVec3 q = p;
    for (int i = 0; i < 4; ++i)
    {
        q = (spDVec3){q.x - w[i] * v[t[i]].x, q.y - w[i] * v[t[i]].y, q.z - w[i] * v[t[i]].z};
    }
    return Length(q);
}

static void TestNearest(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = MakeBall(2);
    MakePoints(points, 100, 1.5, 4);
    for (int i = 0; i < 100; ++i)
    {
        spMeshMap* map = spCreateMeshMap(mesh, points + i, 1, NULL);
        const int32_t* found = spMeshMap_GetIndices(map);
        double nearest = INFINITY, chosen = INFINITY;
        for (int t = 0; t < spMesh_GetTetCount(mesh); ++t)
        {
            double d = TetDistance(mesh, t, points[i]);
            nearest = fmin(nearest, d);
            if (memcmp(found, spMesh_GetTets(mesh) + 4 * t, 16) == 0)
            {
                chosen = d;
            }
        }
        CHECK_NEAR(chosen, nearest, 1e-4);
        spDestroyMeshMap(map);
    }
    spDestroyMesh(mesh);
}

static void TestVerticesAreInside(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = MakeBall(4);
    int count = spMesh_GetVertexCount(mesh);
    spMeshMap* map = spCreateMeshMap(mesh, spMesh_GetVertices(mesh), count, NULL);
    assert_int_equal(spMeshMap_GetOutsideCount(map), 0);
    for (int i = 0; i < count; ++i)
    {
        double largest = 0.0;
        for (int j = 0; j < 4; ++j)
        {
            if (spMeshMap_GetIndices(map)[4 * i + j] == i)
            {
                largest = spMeshMap_GetWeights(map)[4 * i + j];
            }
        }
        CHECK_NEAR(largest, 1.0, 1e-12);
    }
    spDestroyMeshMap(map);
    spDestroyMesh(mesh);
}

static void TestSliverAndFar(void** state)
{
    SP_UNUSED(state);
    // A sliver and a flat tet: the flat one is never used
    const spDVec3 vertices[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 1e-7}, {1, 1, 0}};
    const int32_t tets[8] = {0, 1, 2, 4, 0, 1, 2, 3};
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = 5;
    def.tets = tets;
    def.tetCount = 2;
    spMesh* mesh = spCreateMesh(&def, NULL);
    const spDVec3 near[3] = {{0.25, 0.25, 5e-8}, {0.9, 0.9, 0.0}, {0.5, 0.25, 1e-7}};
    spMeshMap* map = spCreateMeshMap(mesh, near, 3, NULL);
    assert_non_null(map);
    assert_memory_equal(spMeshMap_GetIndices(map), tets + 4, 16);
    spMeshMap_Apply(map, vertices, moved);
    for (int i = 0; i < 3; ++i)
    {
        CHECK_NEAR(Length(Subtract(moved[i], near[i])), 0.0, 1e-12);
    }
    spDestroyMeshMap(map);

    const spDVec3 far[1] = {{1e308, -1e308, 1e308}};
    spError error = SP_ZERO_INIT;
    map = spCreateMeshMap(mesh, far, 1, &error);
    assert_true(map != NULL || error.code == sp_errorBadArgument);
    spDestroyMeshMap(map);
    const spDVec3 broken[1] = {{0, NAN, 0}};
    assert_null(spCreateMeshMap(mesh, broken, 1, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    assert_null(spCreateMeshMap(mesh, NULL, 1, &error));
    map = spCreateMeshMap(mesh, NULL, 0, &error);
    assert_non_null(map);
    spDestroyMeshMap(map);
    spDestroyMesh(mesh);

    def.tetCount = 1; // the flat one only
    mesh = spCreateMesh(&def, NULL);
    assert_null(spCreateMeshMap(mesh, near, 1, &error));
    assert_int_equal(error.code, sp_errorBadMesh);
    spDestroyMesh(mesh);
    def.tetCount = 0;
    mesh = spCreateMesh(&def, NULL);
    assert_null(spCreateMeshMap(mesh, near, 1, &error));
    assert_int_equal(error.code, sp_errorBadMesh);
    spDestroyMesh(mesh);
}

static void TestTriangles(void** state)
{
    SP_UNUSED(state);
    spClothMeshDef def = spDefaultClothMeshDef();
    spMesh* mesh = spMakeClothMesh(&def, NULL);
    const spDVec3 above[3] = {{0.123, 2.0, 0.456}, {0.5, 2.4, 1.5}, {1.5, 2.0, 1.0}};
    spMeshMap* map = spCreateMeshMap(mesh, above, 3, NULL);
    assert_int_equal(spMeshMap_GetOutsideCount(map), 2);
    spMeshMap_Apply(map, spMesh_GetVertices(mesh), moved);
    for (int i = 0; i < 3; ++i)
    {
        // Projected on the plane of the sheet
        assert_true(spMeshMap_GetWeights(map)[4 * i + 3] == 0.0);
        CHECK_NEAR(moved[i].x, above[i].x, 1e-12);
        CHECK_NEAR(moved[i].y, 2.0, 1e-12);
        CHECK_NEAR(moved[i].z, above[i].z, 1e-12);
    }
    spDestroyMeshMap(map);
    spDestroyMesh(mesh);
}

static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    FailingAllocator failing = {.failAt = -1};
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.allocator = MakeFailingAllocator(&failing);
    spMesh* mesh = spMakeBoxMesh(&def, NULL);
    int64_t before = failing.out;
    MakePoints(points, 10, 1.0, 5);
    spMeshMap* map = NULL;
    for (int k = 0; map == NULL; ++k)
    {
        assert_true(k < 100);
        failing.failAt = k;
        failing.count = 0;
        spError error = SP_ZERO_INIT;
        map = spCreateMeshMap(mesh, points, 10, &error);
        assert_int_equal(error.code, map != NULL ? sp_errorNone : sp_errorOutOfMemory);
        assert_true(map != NULL || failing.out == before);
    }
    spDestroyMesh(mesh);
    spDestroyMeshMap(map); // outlives its mesh
    assert_int_equal(failing.out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestAffine),
        cmocka_unit_test(TestForces),
        cmocka_unit_test(TestNearest),
        cmocka_unit_test(TestVerticesAreInside),
        cmocka_unit_test(TestSliverAndFar),
        cmocka_unit_test(TestTriangles),
        cmocka_unit_test(TestFailingAllocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
