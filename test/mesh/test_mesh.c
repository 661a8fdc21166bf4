// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Creating meshes, their connectivity, validation and repair.

#include "mesh/mesh.h"

#include "mesh/sort.h"
#include "test/mesh_test.h"

static const spDVec3 tetVertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int32_t oneTet[4] = {0, 1, 2, 3};

// A unit cube of twelve triangles, wound outwards
static const spDVec3 cubeVertices[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int32_t cubeTriangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static spMeshDef MakeTetDef(void)
{
    spMeshDef def = spDefaultMeshDef();
    def.vertices = tetVertices;
    def.vertexCount = 4;
    def.tets = oneTet;
    def.tetCount = 1;
    return def;
}

static spMeshDef MakeCubeDef(void)
{
    spMeshDef def = spDefaultMeshDef();
    def.vertices = cubeVertices;
    def.vertexCount = 8;
    def.triangles = cubeTriangles;
    def.triangleCount = 12;
    return def;
}

static spMesh* MakeBox(int nx, int ny, int nz, const spAllocator* allocator)
{
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.cells[0] = nx;
    def.cells[1] = ny;
    def.cells[2] = nz;
    if (allocator != NULL)
    {
        def.allocator = *allocator;
    }
    spMesh* mesh = spMakeBoxMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static void CheckRefused(const spMeshDef* def, spErrorCode code, const char* part)
{
    spError error = SP_ZERO_INIT;
    assert_null(spCreateMesh(def, &error));
    assert_int_equal(error.code, code);
    assert_non_null(strstr(error.message, part));
    assert_null(spCreateMesh(def, NULL));
}

static void TestCreate(void** state)
{
    SP_UNUSED(state);
    spMeshDef def = MakeTetDef();
    const int32_t regions[1] = {7};
    def.tetRegions = regions;
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spCreateMesh(&def, &error);
    assert_non_null(mesh);
    assert_int_equal(error.code, sp_errorNone);
    assert_int_equal(spMesh_GetVertexCount(mesh), 4);
    assert_int_equal(spMesh_GetTetCount(mesh), 1);
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], 7);
    assert_null(spMesh_GetEdges(mesh));
    assert_null(spMesh_GetTriangles(mesh));
    assert_string_equal(spMesh_GetFormatName(mesh), "memory");
    assert_int_equal(spMesh_GetLoadReport(mesh).skippedCells, 0);
    spDestroyMesh(mesh);
    spDestroyMesh(NULL);
}

static void TestCreateRefuses(void** state)
{
    SP_UNUSED(state);
    CheckRefused(NULL, sp_errorBadArgument, "NULL");
    spMeshDef def = MakeTetDef();
    def.internalValue = 0;
    CheckRefused(&def, sp_errorBadDef, "spDefaultMeshDef");
    def = MakeTetDef();
    def.vertexCount = 0;
    CheckRefused(&def, sp_errorBadArgument, "between 1 and");
    def = MakeTetDef();
    def.vertices = NULL;
    CheckRefused(&def, sp_errorBadArgument, "between 1 and");
    def = MakeTetDef();
    def.vertexCount = 3;
    CheckRefused(&def, sp_errorBadIndex, "tet 0 uses vertex 3");
    def = MakeTetDef();
    def.tetCount = -1;
    CheckRefused(&def, sp_errorBadArgument, "-1");
    def = MakeTetDef();
    def.triangleCount = 1;
    CheckRefused(&def, sp_errorBadArgument, "NULL");
    def = MakeTetDef();
    const int32_t negative[2] = {0, -1};
    def.edges = negative;
    def.edgeCount = 1;
    CheckRefused(&def, sp_errorBadIndex, "edge 0 uses vertex -1");
    def = MakeTetDef();
    spDVec3 bad[4];
    memcpy(bad, tetVertices, sizeof(bad));
    bad[2].y = NAN;
    def.vertices = bad;
    CheckRefused(&def, sp_errorBadArgument, "vertex 2");
}

static void TestTransform(void** state)
{
    SP_UNUSED(state);
    spMeshDef def = MakeTetDef();
    spMesh* mesh = spCreateMesh(&def, NULL);
    // A quarter turn about z: x becomes y, y becomes -x
    spReal h = (spReal)sqrt(0.5);
    spTransform transform = {{10, 20, 30}, {0, 0, h, h}};
    assert_true(spMesh_Transform(mesh, (spDVec3){2, 3, 4}, transform, NULL));
    const spDVec3* v = spMesh_GetVertices(mesh);
    const spDVec3 expected[4] = {{10, 20, 30}, {10, 22, 30}, {7, 20, 30}, {10, 20, 34}};
    for (int i = 0; i < 4; ++i)
    {
        CHECK_NEAR(Length(Subtract(v[i], expected[i])), 0.0, 1e-12);
    }
    spError error = SP_ZERO_INIT;
    spTransform skewed = {{0, 0, 0}, {0, 0, 0, 2}};
    assert_false(spMesh_Transform(mesh, (spDVec3){1, 1, 1}, skewed, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    spTransform identity = {{0, 0, 0}, {0, 0, 0, 1}};
    assert_false(spMesh_Transform(mesh, (spDVec3){1, NAN, 1}, identity, &error));
    assert_false(spMesh_Transform(mesh, (spDVec3){1e308, 1, 1}, identity, &error));
    CHECK_NEAR(v[1].y, 22.0, 1e-12);
    assert_true(spMesh_Transform(mesh, (spDVec3){-1, 1, 1}, identity, &error));
    assert_true(v[0].x == -10.0);
    spDestroyMesh(mesh);
}

static void TestEdgesAndBoundary(void** state)
{
    SP_UNUSED(state);
    // Two tets on a face, a given edge and a triangle
    const spDVec3 vertices[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {9, 9, 9}};
    const int32_t tets[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    const int32_t edges[6] = {5, 4, 4, 5, 3, 3};
    const int32_t triangles[3] = {2, 1, 0};
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = 6;
    def.tets = tets;
    def.tetCount = 2;
    def.edges = edges;
    def.edgeCount = 3;
    def.triangles = triangles;
    def.triangleCount = 1;
    spMesh* mesh = spCreateMesh(&def, NULL);
    spIndexList list;
    assert_true(spMesh_CollectEdges(mesh, &list, NULL));
    const int32_t expected[20] = {4, 5, 1, 2, 0, 1, 0, 2, 0, 3, 1, 3, 2, 3, 1, 4, 2, 4, 3, 4};
    assert_int_equal(list.count, 10);
    assert_int_equal(list.tupleSize, 2);
    assert_memory_equal(list.data, expected, sizeof(expected));
    spFreeIndexList(&list);
    assert_null(list.data);
    spFreeIndexList(&list);
    spFreeIndexList(NULL);

    assert_true(spMesh_CollectBoundary(mesh, &list, NULL));
    assert_int_equal(list.count, 6);
    // Outwards: enclosed volume equals that of the tets, which are upright
    double volume = 0.0;
    for (int i = 0; i < list.count; ++i)
    {
        const int32_t* t = list.data + 3 * i;
        volume += Dot(vertices[t[0]], Cross(vertices[t[1]], vertices[t[2]])) / 6.0;
    }
    CHECK_NEAR(volume, 1.0 / 6.0 + 1.0 / 3.0, 1e-15);
    spFreeIndexList(&list);
    spDestroyMesh(mesh);

    // Nothing to collect
    def = MakeTetDef();
    def.tetCount = 0;
    mesh = spCreateMesh(&def, NULL);
    assert_true(spMesh_CollectEdges(mesh, &list, NULL));
    assert_int_equal(list.count, 0);
    spFreeIndexList(&list);
    assert_true(spMesh_CollectBoundary(mesh, &list, NULL));
    assert_int_equal(list.count, 0);
    spFreeIndexList(&list);
    spDestroyMesh(mesh);
}

static void TestAdjacency(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = MakeBox(2, 2, 2, NULL);
    spHeap heap = spMakeHeap(NULL);
    spAdjacency adjacency;
    assert_true(spBuildVertexElements(&heap, mesh->tets, 4, mesh->tetCount, mesh->vertexCount, &adjacency));
    assert_int_equal(adjacency.offsets[0], 0);
    assert_int_equal(adjacency.offsets[mesh->vertexCount], 4 * mesh->tetCount);
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        for (int i = adjacency.offsets[v]; i < adjacency.offsets[v + 1]; ++i)
        {
            const int32_t* tet = mesh->tets + 4 * adjacency.items[i];
            assert_true(tet[0] == v || tet[1] == v || tet[2] == v || tet[3] == v);
            assert_true(i == adjacency.offsets[v] || adjacency.items[i] > adjacency.items[i - 1]);
        }
    }
    // The middle vertex has all that touch it: 24 in Kuhn's split
    assert_int_equal(adjacency.offsets[14] - adjacency.offsets[13], 24);
    spFreeAdjacency(&heap, &adjacency);

    spIndexList edges;
    assert_true(spMesh_CollectEdges(mesh, &edges, NULL));
    assert_true(spBuildVertexNeighbours(&heap, edges.data, edges.count, mesh->vertexCount, &adjacency));
    assert_int_equal(adjacency.offsets[14] - adjacency.offsets[13], 14);
    spFreeAdjacency(&heap, &adjacency);
    spFreeIndexList(&edges);
    assert_int_equal(heap.byteCount, 0);
    spDestroyMesh(mesh);
}

static bool Descends(int32_t a, int32_t b, const void* context)
{
    const int32_t* values = context;
    return values[a] > values[b];
}

static void TestSort(void** state)
{
    SP_UNUSED(state);
    enum
    {
        count = 5000
    };
    static int32_t values[count], items[count], temp[count];
    uint64_t seed = 5;
    for (int n = 0; n < count; n = n < 40 ? n + 1 : n * 3)
    {
        for (int i = 0; i < n; ++i)
        {
            values[i] = (int32_t)(spNextRandom(&seed) % 50);
            items[i] = i;
        }
        spSortIndices(items, temp, n, Descends, values);
        for (int i = 1; i < n; ++i)
        {
            int32_t a = items[i - 1], b = items[i];
            assert_true(values[a] > values[b] || (values[a] == values[b] && a < b));
        }
    }
}

static void CheckOnly(const spMeshReport* report, spMeshProblem problem, int count, int first)
{
    for (int i = 0; i < sp_meshProblemCount; ++i)
    {
        int expected = i == (int)problem ? count : 0;
        if (report->problemCounts[i] != expected)
        {
            print_error("%s: %d instead of %d\n", spMeshProblem_GetName((spMeshProblem)i),
                        report->problemCounts[i], expected);
            fail();
        }
        assert_int_equal(report->firstProblem[i], expected > 0 ? first : -1);
    }
}

static void TestValidateGood(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = MakeBox(3, 4, 5, NULL);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    CheckOnly(&report, sp_meshProblemCount, 0, -1);
    assert_true(report.closed);
    assert_int_equal(report.componentCount, 1);
    assert_int_equal(report.tetCount, 360);
    assert_int_equal(report.boundaryTriangleCount, 4 * (12 + 15 + 20));
    CHECK_NEAR(report.volume, 1.0, 1e-14);
    CHECK_NEAR(report.surfaceArea, 6.0, 1e-14);
    CHECK_NEAR(report.minTetVolume, 1.0 / 360.0, 1e-15);
    CHECK_NEAR(report.maxTetVolume, 1.0 / 360.0, 1e-15);
    CHECK_NEAR(report.minEdge, 0.2, 1e-15);
    CHECK_NEAR(report.lower.x, -0.5, 0.0);
    CHECK_NEAR(report.upper.y, 1.0, 0.0);
    int angles = 0;
    for (int i = 0; i < 18; ++i)
    {
        angles += report.dihedralHistogram[i];
    }
    assert_int_equal(angles, 6 * 360);
    spDestroyMesh(mesh);

    // A regular tet: dihedral angle acos(1/3), aspect 1
    const spDVec3 regular[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const int32_t upright[4] = {0, 1, 3, 2};
    spMeshDef def = MakeTetDef();
    def.vertices = regular;
    def.tets = upright;
    mesh = spCreateMesh(&def, NULL);
    assert_true(spMesh_Validate(mesh, &report, NULL));
    CheckOnly(&report, sp_meshProblemCount, 0, -1);
    CHECK_NEAR(report.minDihedral, 180.0 / 3.14159265358979 * acos(1.0 / 3.0), 1e-10);
    CHECK_NEAR(report.maxDihedral, report.minDihedral, 1e-10);
    CHECK_NEAR(report.worstAspect, 1.0, 1e-14);
    CHECK_NEAR(report.worstEdgeRatio, 1.0, 1e-14);
    CHECK_NEAR(report.volume, 8.0 / 3.0, 1e-14);
    spDestroyMesh(mesh);

    def = MakeCubeDef();
    mesh = spCreateMesh(&def, NULL);
    assert_true(spMesh_Validate(mesh, &report, NULL));
    CheckOnly(&report, sp_meshProblemCount, 0, -1);
    CHECK_NEAR(report.volume, 1.0, 1e-14);
    CHECK_NEAR(report.surfaceArea, 6.0, 1e-14);
    CHECK_NEAR(report.minDihedral, 45.0, 1e-12);
    CHECK_NEAR(report.maxDihedral, 90.0, 1e-12);
    spDestroyMesh(mesh);
}

// Validates a mesh made from the cube with some changes, and repairs it
static spMeshReport ValidateCube(const spDVec3* vertices, int vertexCount, const int32_t* triangles,
                                 int triangleCount)
{
    spMeshDef def = MakeCubeDef();
    def.vertices = vertices;
    def.vertexCount = vertexCount;
    def.triangles = triangles;
    def.triangleCount = triangleCount;
    spMesh* mesh = spCreateMesh(&def, NULL);
    assert_non_null(mesh);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    spDestroyMesh(mesh);
    return report;
}

static void TestValidateSurfaceProblems(void** state)
{
    SP_UNUSED(state);
    spDVec3 vertices[16];
    int32_t triangles[72];
    memcpy(vertices, cubeVertices, sizeof(cubeVertices));
    memcpy(triangles, cubeTriangles, sizeof(cubeTriangles));

    spMeshReport report = ValidateCube(vertices, 8, triangles, 11);
    CheckOnly(&report, sp_meshOpenEdges, 3, 2); // the hole touches triangles 2, 4 and 10
    assert_false(report.closed);
    assert_true(report.volume == 0.0);

    vertices[8] = (spDVec3){5, 5, 5};
    report = ValidateCube(vertices, 9, triangles, 12);
    CheckOnly(&report, sp_meshOrphanVertices, 1, 8);

    triangles[0] = cubeTriangles[1];
    triangles[1] = cubeTriangles[0];
    report = ValidateCube(vertices, 8, triangles, 12);
    CheckOnly(&report, sp_meshBadWinding, 3, 0);
    memcpy(triangles, cubeTriangles, sizeof(cubeTriangles));

    for (int i = 0; i < 12; ++i)
    {
        triangles[3 * i + 1] = cubeTriangles[3 * i + 2];
        triangles[3 * i + 2] = cubeTriangles[3 * i + 1];
    }
    report = ValidateCube(vertices, 8, triangles, 12);
    CheckOnly(&report, sp_meshInwardSurface, 1, 0);
    CHECK_NEAR(report.volume, -1.0, 1e-14);
    memcpy(triangles, cubeTriangles, sizeof(cubeTriangles));

    // A copy of a triangle, turned: three edges have three triangles
    triangles[36] = cubeTriangles[2];
    triangles[37] = cubeTriangles[1];
    triangles[38] = cubeTriangles[0];
    report = ValidateCube(vertices, 8, triangles, 13);
    assert_int_equal(report.problemCounts[sp_meshDuplicateTriangles], 1);
    assert_int_equal(report.firstProblem[sp_meshDuplicateTriangles], 12);
    assert_int_equal(report.problemCounts[sp_meshNonManifoldEdges], 3);
    assert_false(report.closed);

    // A repeated vertex
    triangles[37] = triangles[36];
    report = ValidateCube(vertices, 8, triangles, 13);
    CheckOnly(&report, sp_meshDegenerateTriangles, 1, 12);

    // A second cube, at the same place as the first: 8 copies, 2 components
    for (int i = 0; i < 8; ++i)
    {
        vertices[8 + i] = cubeVertices[i];
    }
    for (int i = 0; i < 36; ++i)
    {
        triangles[36 + i] = cubeTriangles[i] + 8;
    }
    report = ValidateCube(vertices, 16, triangles, 24);
    assert_int_equal(report.problemCounts[sp_meshDuplicateVertices], 8);
    assert_int_equal(report.problemCounts[sp_meshSeveralComponents], 1);
    assert_int_equal(report.firstProblem[sp_meshSeveralComponents], 8);
    assert_int_equal(report.componentCount, 2);
    CHECK_NEAR(report.volume, 2.0, 1e-14);
    assert_string_equal(spMeshProblem_GetName(sp_meshOpenEdges), "open edges");
    assert_string_equal(spMeshProblem_GetName((spMeshProblem)77), "unknown problem");
}

static void TestValidateTetProblems(void** state)
{
    SP_UNUSED(state);
    const spDVec3 vertices[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1e-14}};
    const int32_t tets[16] = {0, 2, 1, 3, 0, 1, 2, 4, 1, 1, 2, 3, 3, 1, 2, 0};
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = 5;
    def.tets = tets;
    def.tetCount = 4;
    spMesh* mesh = spCreateMesh(&def, NULL);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    assert_int_equal(report.problemCounts[sp_meshInvertedTets], 2);
    assert_int_equal(report.firstProblem[sp_meshInvertedTets], 0);
    assert_int_equal(report.problemCounts[sp_meshDegenerateTets], 2);
    assert_int_equal(report.firstProblem[sp_meshDegenerateTets], 1);
    assert_int_equal(report.problemCounts[sp_meshDuplicateTets], 1);
    assert_int_equal(report.firstProblem[sp_meshDuplicateTets], 3);
    assert_true(isinf(report.worstAspect));

    spRepairDef repair = spDefaultRepairDef();
    spRepairReport done;
    assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
    assert_int_equal(done.droppedTets, 3);
    assert_int_equal(done.flippedTets, 1);
    assert_int_equal(done.droppedOrphans, 1);
    assert_int_equal(spMesh_GetTetCount(mesh), 1);
    assert_int_equal(spMesh_GetVertexCount(mesh), 4);
    assert_true(spMesh_Validate(mesh, &report, NULL));
    CheckOnly(&report, sp_meshProblemCount, 0, -1);
    spDestroyMesh(mesh);
}

// Huge numbers overflow in the middle of every formula: the report may hold infinities, but must come back
static void TestValidateExtremes(void** state)
{
    SP_UNUSED(state);
    const double sizes[4] = {1e308, 1e160, 1e-160, 5e-324};
    for (int s = 0; s < 4; ++s)
    {
        spDVec3 vertices[8];
        for (int i = 0; i < 8; ++i)
        {
            vertices[i] = (spDVec3){sizes[s] * (2 * cubeVertices[i].x - 1), sizes[s] * cubeVertices[i].y,
                                    sizes[s] * cubeVertices[i].z};
        }
        ValidateCube(vertices, 8, cubeTriangles, 12);
        spMeshDef def = MakeTetDef();
        def.vertices = vertices;
        spMesh* mesh = spCreateMesh(&def, NULL);
        spMeshReport report;
        assert_true(spMesh_Validate(mesh, &report, NULL));
        spRepairDef repair = spDefaultRepairDef();
        assert_true(spMesh_Repair(mesh, &repair, NULL, NULL));
        repair.mergeDistance = 1e-3;
        spError error = SP_ZERO_INIT;
        bool ok = spMesh_Repair(mesh, &repair, NULL, &error);
        assert_true(ok || error.code == sp_errorBadArgument);
        spDestroyMesh(mesh);
    }
}

static void TestRepairSoup(void** state)
{
    SP_UNUSED(state);
    // Every triangle of the cube with its own three vertices, moved by up to 1e-6, wound at random
    spDVec3 vertices[36];
    int32_t triangles[36];
    uint64_t seed = 11;
    for (int i = 0; i < 36; ++i)
    {
        spDVec3 p = cubeVertices[cubeTriangles[i]];
        vertices[i] = (spDVec3){p.x + spRandomRange(&seed, -1e-6, 1e-6), p.y, p.z};
        triangles[i] = i;
    }
    for (int i = 0; i < 12; ++i)
    {
        if (spNextRandom(&seed) & 1)
        {
            triangles[3 * i] = 3 * i + 1;
            triangles[3 * i + 1] = 3 * i;
        }
    }
    spMeshDef def = MakeCubeDef();
    def.vertices = vertices;
    def.vertexCount = 36;
    def.triangles = triangles;
    spMesh* mesh = spCreateMesh(&def, NULL);
    spRepairDef repair = spDefaultRepairDef();
    spRepairReport done;

    // Exact copies only: nothing to merge along x, so the pieces stay apart
    repair.mergeDistance = -1.0;
    assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
    assert_int_equal(done.mergedVertices, 0);

    repair.mergeDistance = 1e-5;
    assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
    assert_int_equal(done.mergedVertices, 28);
    assert_int_equal(spMesh_GetVertexCount(mesh), 8);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    CheckOnly(&report, sp_meshProblemCount, 0, -1);
    CHECK_NEAR(report.volume, 1.0, 1e-5);

    repair.mergeDistance = NAN;
    assert_false(spMesh_Repair(mesh, &repair, &done, NULL));
    repair.internalValue = 0;
    spError error = SP_ZERO_INIT;
    assert_false(spMesh_Repair(mesh, &repair, &done, &error));
    assert_int_equal(error.code, sp_errorBadDef);
    spDestroyMesh(mesh);
}

// Merging by distance agrees with comparing every pair, and everything in one place stays fast
static void TestMergeDistance(void** state)
{
    SP_UNUSED(state);
    enum
    {
        count = 600
    };
    static spDVec3 vertices[count];
    uint64_t seed = 3;
    for (int i = 0; i < count; ++i)
    {
        vertices[i] =
            (spDVec3){spRandomRange(&seed, -1, 1), spRandomRange(&seed, -1, 1), spRandomRange(&seed, -1, 1)};
    }
    double distance = 0.15;
    int kept[count], keptCount = 0;
    for (int i = 0; i < count; ++i)
    {
        bool close = false;
        for (int j = 0; j < keptCount; ++j)
        {
            close |= Length(Subtract(vertices[i], vertices[kept[j]])) < distance;
        }
        if (!close)
        {
            kept[keptCount++] = i;
        }
    }
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = count;
    spMesh* mesh = spCreateMesh(&def, NULL);
    spRepairDef repair = spDefaultRepairDef();
    repair.mergeDistance = distance;
    repair.dropOrphans = false;
    spRepairReport done;
    assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
    assert_int_equal(spMesh_GetVertexCount(mesh), keptCount);
    assert_int_equal(done.mergedVertices, count - keptCount);
    for (int i = 0; i < keptCount; ++i)
    {
        assert_true(spMesh_GetVertices(mesh)[i].x == vertices[kept[i]].x);
    }
    spDestroyMesh(mesh);

    mesh = MakeBox(40, 40, 40, NULL);
    repair.mergeDistance = 10.0;
    repair.dropOrphans = true;
    assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
    assert_int_equal(spMesh_GetVertexCount(mesh), 1);
    assert_int_equal(spMesh_GetTetCount(mesh), 0);
    spDestroyMesh(mesh);
}

// The cube with vertices along its edge from vertex a to b, which triangles t and u share. `cuts` places from
// a to b; triangle t becomes a fan, u stays, and between them stand flat triangles or, without them, a slit.
static spMesh* MakeCubeWithSlit(const double* cuts, int count, bool caps)
{
    spDVec3 vertices[16];
    int32_t triangles[120];
    memcpy(vertices, cubeVertices, sizeof(cubeVertices));
    memcpy(triangles, cubeTriangles, sizeof(cubeTriangles));
    int32_t a = cubeTriangles[0], b = cubeTriangles[1], top = cubeTriangles[2], last = a;
    int triangleCount = 12;
    for (int i = 0; i < count; ++i)
    {
        spDVec3 way = Subtract(vertices[b], vertices[a]);
        vertices[8 + i] = (spDVec3){vertices[a].x + cuts[i] * way.x, vertices[a].y + cuts[i] * way.y,
                                    vertices[a].z + cuts[i] * way.z};
        int32_t* t = triangles + (i == 0 ? 0 : 3 * triangleCount++);
        t[0] = last, t[1] = 8 + i, t[2] = top;
        last = 8 + i;
    }
    int32_t* t = triangles + 3 * (int64_t)triangleCount++;
    t[0] = last, t[1] = b, t[2] = top;
    for (int i = 0; caps && i < count; ++i)
    {
        t = triangles + 3 * (int64_t)triangleCount++;
        t[0] = a, t[1] = i + 1 < count ? 9 + i : b, t[2] = 8 + i;
    }
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = 8 + count;
    def.triangles = triangles;
    def.triangleCount = triangleCount;
    spMesh* mesh = spCreateMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static bool IsIdle(const spRepairReport* done)
{
    const spRepairReport nothing = {0};
    return memcmp(done, &nothing, sizeof(nothing)) == 0;
}

// Flat triangles, and holes that only flat triangles close, go without leaving a hole
static void TestRepairCaps(void** state)
{
    SP_UNUSED(state);
    const double cuts[] = {0.2, 0.3, 0.45, 0.7, 0.75};
    for (int round = 0; round < 10; ++round)
    {
        int count = round / 2 + 1;
        bool caps = round % 2 == 0;
        spMesh* mesh = MakeCubeWithSlit(cuts, count, caps);
        spRepairDef repair = spDefaultRepairDef();
        repair.closeHoles = caps ? 0 : count + 2;
        spRepairReport done;
        assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
        spMeshReport report;
        assert_true(spMesh_Validate(mesh, &report, NULL));
        assert_int_equal(report.problemCounts[sp_meshDegenerateTriangles], 0);
        assert_int_equal(report.problemCounts[sp_meshOpenEdges], 0);
        assert_int_equal(report.problemCounts[sp_meshNonManifoldEdges], 0);
        assert_int_equal(report.problemCounts[sp_meshBadWinding], 0);
        assert_true(report.closed);
        CHECK_NEAR(report.volume, 1.0, 1e-14);
        assert_true(done.turnedEdges >= count);
        assert_int_equal(done.droppedTriangles, 0);
        // A second repair finds nothing to do
        assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
        assert_true(IsIdle(&done));
        spDestroyMesh(mesh);
    }

    // At an open edge a flat triangle is dropped: there is nothing to join it to
    spMeshDef def = spDefaultMeshDef();
    const spDVec3 vertices[] = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    const int32_t triangles[] = {0, 2, 3, 2, 1, 3, 0, 1, 2};
    def.vertices = vertices;
    def.vertexCount = 4;
    def.triangles = triangles;
    def.triangleCount = 3;
    spMesh* mesh = spCreateMesh(&def, NULL);
    spRepairDef repair = spDefaultRepairDef();
    spRepairReport done;
    assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
    assert_int_equal(done.droppedTriangles, 1);
    assert_int_equal(done.turnedEdges, 0);
    assert_int_equal(spMesh_GetTriangleCount(mesh), 2);
    spDestroyMesh(mesh);

    // A tetrahedron with a flat face that ends at the apex of its neighbour: turning its edge would lay one
    // triangle onto another
    const spDVec3 flat[] = {{0, 0, 0}, {2, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    const int32_t faces[] = {0, 1, 2, 1, 0, 3, 0, 2, 3, 2, 1, 3};
    def.vertices = flat;
    def.triangles = faces;
    def.triangleCount = 4;
    mesh = spCreateMesh(&def, NULL);
    assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
    assert_int_equal(done.turnedEdges, 0);
    assert_int_equal(done.droppedTriangles, 1);
    spDestroyMesh(mesh);
}

// A ball whose coordinates were rounded, as files with few digits have them
static void TestRepairCoarse(void** state)
{
    SP_UNUSED(state);
    spShellMeshDef shell = spDefaultShellMeshDef();
    shell.level = 4;
    shell.center = (spDVec3){0.123, 0.234, 0.345};
    spMesh* fine = spMakeIcosphereMesh(&shell, NULL);
    assert_non_null(fine);
    int turned = 0;
    for (int grid = 16; grid <= 40; ++grid)
    {
        spDVec3* vertices = malloc(sizeof(spDVec3) * (size_t)spMesh_GetVertexCount(fine));
        for (int i = 0; i < spMesh_GetVertexCount(fine); ++i)
        {
            spDVec3 p = spMesh_GetVertices(fine)[i];
            vertices[i] =
                (spDVec3){rint(p.x * grid) / grid, rint(p.y * grid) / grid, rint(p.z * grid) / grid};
        }
        spMeshDef def = spDefaultMeshDef();
        def.vertices = vertices;
        def.vertexCount = spMesh_GetVertexCount(fine);
        def.triangles = spMesh_GetTriangles(fine);
        def.triangleCount = spMesh_GetTriangleCount(fine);
        spMesh* mesh = spCreateMesh(&def, NULL);
        assert_non_null(mesh);
        spRepairDef repair = spDefaultRepairDef();
        repair.closeHoles = 30;
        spRepairReport done;
        spMeshReport report;
        assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
        assert_true(spMesh_Validate(mesh, &report, NULL));
        turned += done.turnedEdges;
        assert_true(report.closed);
        assert_int_equal(report.problemCounts[sp_meshDegenerateTriangles], 0);
        assert_true(spMesh_Repair(mesh, &repair, &done, NULL));
        assert_true(IsIdle(&done));
        spDestroyMesh(mesh);
        free(vertices);
    }
    assert_true(turned > 100);
    spDestroyMesh(fine);
}

// Each allocation fails in turn: a clean error, nothing lost, the mesh as before
static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    FailingAllocator failing = {.failAt = -1};
    spAllocator allocator = MakeFailingAllocator(&failing);
    spMesh* reference = MakeBox(2, 2, 2, NULL);
    spMesh* mesh = MakeBox(2, 2, 2, &allocator);
    int64_t before = failing.out;
    for (int operation = 0; operation < 5; ++operation)
    {
        bool ok = false;
        for (int k = 0; !ok; ++k)
        {
            assert_true(k < 100);
            failing.failAt = k;
            failing.count = 0;
            spError error = SP_ZERO_INIT;
            spIndexList list = {0};
            spMeshReport report;
            spRepairDef repair = spDefaultRepairDef();
            repair.mergeDistance = operation == 3 ? 0.0 : 1e-6;
            switch (operation)
            {
                case 0:
                    ok = spMesh_CollectEdges(mesh, &list, &error);
                    break;
                case 1:
                    ok = spMesh_CollectBoundary(mesh, &list, &error);
                    break;
                case 2:
                    ok = spMesh_Validate(mesh, &report, &error);
                    break;
                default:
                    ok = spMesh_Repair(mesh, &repair, NULL, &error);
                    break;
            }
            assert_int_equal(error.code, ok ? sp_errorNone : sp_errorOutOfMemory);
            spFreeIndexList(&list);
            assert_int_equal(failing.out, before);
            CheckSameMesh(mesh, reference);
        }
    }
    spDestroyMesh(mesh);
    assert_int_equal(failing.out, 0);

    // Creation and surface repair
    spMeshDef def = MakeCubeDef();
    def.allocator = allocator;
    mesh = NULL;
    for (int k = 0; mesh == NULL; ++k)
    {
        failing = (FailingAllocator){.failAt = k};
        spError error = SP_ZERO_INIT;
        mesh = spCreateMesh(&def, &error);
        assert_int_equal(error.code, mesh != NULL ? sp_errorNone : sp_errorOutOfMemory);
        assert_true(mesh != NULL || failing.out == 0);
    }
    bool ok = false;
    for (int k = 0; !ok; ++k)
    {
        failing.failAt = k;
        failing.count = 0;
        spRepairDef repair = spDefaultRepairDef();
        ok = spMesh_Repair(mesh, &repair, NULL, NULL);
    }
    spDestroyMesh(mesh);
    assert_int_equal(failing.out, 0);
    spDestroyMesh(reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestCreate),
        cmocka_unit_test(TestCreateRefuses),
        cmocka_unit_test(TestTransform),
        cmocka_unit_test(TestEdgesAndBoundary),
        cmocka_unit_test(TestAdjacency),
        cmocka_unit_test(TestSort),
        cmocka_unit_test(TestValidateGood),
        cmocka_unit_test(TestValidateSurfaceProblems),
        cmocka_unit_test(TestValidateTetProblems),
        cmocka_unit_test(TestValidateExtremes),
        cmocka_unit_test(TestRepairSoup),
        cmocka_unit_test(TestMergeDistance),
        cmocka_unit_test(TestRepairCaps),
        cmocka_unit_test(TestRepairCoarse),
        cmocka_unit_test(TestFailingAllocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
