// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Surfaces with fewer or more even triangles: closed, open and with edges of three triangles; how far they
// come from where they were, what volume they keep, that no triangle turns over, and everything that is
// refused.

#include "mesh/corner_table.h"
#include "mesh/mesh.h"
#include "mesh/triangle_tree.h"
#include "souple/remesh.h"
#include "test/mesh_test.h"

static spMesh* MakeSphere(int level)
{
    spShellMeshDef def = spDefaultShellMeshDef();
    def.level = level;
    def.radius = 0.5;
    spMesh* mesh = spMakeIcosphereMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static spMesh* MakeTriangles(const spDVec3* points, int pointCount, const int32_t* triangles,
                             int triangleCount)
{
    spMeshDef def = spDefaultMeshDef();
    def.vertices = points;
    def.vertexCount = pointCount;
    def.triangles = triangles;
    def.triangleCount = triangleCount;
    spMesh* mesh = spCreateMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static spMesh* LoadData(const char* name)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/data/%s", SOUPLE_SOURCE_DIR, name);
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spLoadMesh(path, NULL, &error);
    if (mesh == NULL)
    {
        print_error("%s\n", error.message);
    }
    assert_non_null(mesh);
    return mesh;
}

static spMesh* Simplify(const spMesh* mesh, int count, double distance, spRemeshReport* report)
{
    spError error = SP_ZERO_INIT;
    spSimplifyMeshDef def = spDefaultSimplifyMeshDef();
    def.triangleCount = count;
    def.maxDistance = distance;
    spMesh* result = spSimplifyMesh(mesh, &def, report, &error);
    if (result == NULL)
    {
        print_error("%s\n", error.message);
    }
    assert_non_null(result);
    return result;
}

static spMesh* Remesh(const spMesh* mesh, double size, spRemeshReport* report)
{
    spError error = SP_ZERO_INIT;
    spRemeshMeshDef def = spDefaultRemeshMeshDef();
    def.size = size;
    spMesh* result = spRemeshMesh(mesh, &def, report, &error);
    if (result == NULL)
    {
        print_error("%s\n", error.message);
    }
    assert_non_null(result);
    return result;
}

// What holds for every result: nothing wrong with its triangles, and so many edges of more than two
static spMeshReport ExamineSheets(const spMesh* mesh, int edgeCount)
{
    static const spMeshProblem none[] = {sp_meshBadWinding, sp_meshDegenerateTriangles,
                                         sp_meshDuplicateTriangles, sp_meshOrphanVertices,
                                         sp_meshDuplicateVertices};
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    assert_int_equal(report.problemCounts[sp_meshNonManifoldEdges], edgeCount);
    for (int i = 0; i < SP_COUNT(none); ++i)
    {
        if (report.problemCounts[none[i]] > 0)
        {
            print_error("%d of %s\n", report.problemCounts[none[i]], spMeshProblem_GetName(none[i]));
        }
        assert_int_equal(report.problemCounts[none[i]], 0);
    }
    return report;
}

static spMeshReport Examine(const spMesh* mesh)
{
    return ExamineSheets(mesh, 0);
}

// Triangles that look to the inside of a ball around the origin
static int CountTurned(const spMesh* mesh)
{
    int count = 0;
    for (int i = 0; i < mesh->triangleCount; ++i)
    {
        const int32_t* t = mesh->triangles + 3 * i;
        count += Dot(spTriangleNormal(mesh->vertices, t), mesh->vertices[t[0]]) <= 0.0;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------------------
// Closed surfaces

static void TestSimplifySphere(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(4);
    spMeshReport before = Examine(sphere);
    static const int counts[] = {2000, 500, 100, 20, 4};
    for (int i = 0; i < SP_COUNT(counts); ++i)
    {
        spRemeshReport report;
        spMesh* mesh = Simplify(sphere, counts[i], INFINITY, &report);
        spMeshReport after = Examine(mesh);
        print_message("%d triangles, volume off by %.2g, at most %.3g m away\n", after.triangleCount,
                      after.volume / before.volume - 1.0, report.maxDistance);
        assert_int_equal(after.triangleCount, counts[i]);
        assert_int_equal(report.oldTriangleCount, sphere->triangleCount);
        assert_true(after.closed && after.componentCount == 1 && report.lockedCount == 0);
        assert_int_equal(CountTurned(mesh), 0);
        CHECK_NEAR(after.volume, before.volume, counts[i] >= 100 ? 1e-9 : 0.1);
        // A triangle of side s is s^2 / 12 / r away from a ball, and takes part sqrt(3) / 4 s^2 of its area
        assert_true(report.maxDistance < 5.0 / counts[i] || counts[i] < 100);
        spDestroyMesh(mesh);
    }
    spDestroyMesh(sphere);
}

static void TestRemeshSphere(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(4);
    static const double sizes[] = {0.02, 0.035, 0.07, 0.15};
    for (int i = 0; i < SP_COUNT(sizes); ++i)
    {
        spRemeshReport report;
        spMesh* mesh = Remesh(sphere, sizes[i], &report);
        spMeshReport after = Examine(mesh);
        print_message(
            "size %.3g: %d triangles, edges %.3g to %.3g m, angles %.1f to %.1f degrees, %.3g m away\n",
            sizes[i], after.triangleCount, after.minEdge, after.maxEdge, after.minDihedral, after.maxDihedral,
            report.maxDistance);
        assert_true(report.size == sizes[i] && after.closed && after.componentCount == 1);
        assert_int_equal(CountTurned(mesh), 0);
        assert_true(after.minEdge > 0.5 * sizes[i] && after.maxEdge < 1.6 * sizes[i]);
        assert_true(after.meanEdge > 0.8 * sizes[i] && after.meanEdge < 1.2 * sizes[i]);
        assert_true(after.minDihedral > 25.0 && after.maxDihedral < 120.0);
        assert_true(report.maxDistance < 0.6 * sizes[i] * sizes[i] + 1e-3); // and chords of what was given
        spDestroyMesh(mesh);
    }
    spDestroyMesh(sphere);
}

// Edges and corners of a box stay: the same volume and area
static void TestBox(void** state)
{
    SP_UNUSED(state);
    spBoxMeshDef def = spDefaultBoxMeshDef();
    spMesh* box = spMakeBoxMesh(&def, NULL);
    assert_non_null(box);
    for (int i = 0; i < 3; ++i)
    {
        spRemeshReport report;
        spMesh* mesh = Remesh(box, i == 0 ? 0.0 : i == 1 ? 0.09 : 0.4, &report);
        spMeshReport after = Examine(mesh);
        assert_true(after.closed);
        CHECK_NEAR(after.volume, 1.0, 1e-12);
        CHECK_NEAR(after.surfaceArea, 6.0, 1e-12);
        assert_true(report.maxDistance < 1e-12 && after.minDihedral > 15.0);
        spDestroyMesh(mesh);
    }
    spMesh* least = Simplify(box, 12, 1e-9, NULL);
    spMeshReport after = Examine(least);
    assert_int_equal(after.triangleCount, 12);
    CHECK_NEAR(after.volume, 1.0, 1e-12);
    spDestroyMesh(least);
    spDestroyMesh(box);
}

// The distance that was asked for is kept, whatever the surface is, and the volume with it
static void TestDistance(void** state)
{
    SP_UNUSED(state);
    static const char* const names[] = {"bunny_tet.msh", "liver_like.msh", "raptor_like.msh",
                                        "armadillo_4k.node", "shark_22_ascii.msh"};
    for (int i = 0; i < SP_COUNT(names); ++i)
    {
        spMesh* mesh = LoadData(names[i]);
        spAllocator allocator = SP_ZERO_INIT;
        spMesh* surface = spMakeSurfaceMesh(mesh, &allocator, NULL);
        spMeshReport before;
        assert_true(spMesh_Validate(surface, &before, NULL));
        double extent = Length(Subtract(before.upper, before.lower));
        int edgeCount = before.problemCounts[sp_meshNonManifoldEdges]; // none but in the shark
        for (int k = 0; k < 2; ++k)
        {
            spRemeshReport report;
            double distance = (k == 0 ? 0.001 : 0.01) * extent;
            spMesh* fewer = Simplify(mesh, 1, distance, &report);
            spMeshReport after = ExamineSheets(fewer, edgeCount);
            double off = before.closed ? after.volume / before.volume - 1.0 : 0.0;
            print_message("%s: %d of %d triangles within %.2g m, volume off by %.2g\n", names[i],
                          after.triangleCount, report.oldTriangleCount, distance, off);
            assert_true(report.maxDistance <= distance && fabs(off) < 1e-9);
            assert_true(after.triangleCount < (k == 0 ? 1.0 : 0.6) * report.oldTriangleCount);
            assert_int_equal(after.closed, before.closed);
            assert_int_equal(after.problemCounts[sp_meshOpenEdges], before.problemCounts[sp_meshOpenEdges]);
            spDestroyMesh(fewer);
        }
        // Triangles half as long: on the surface, with chords of their own
        spRemeshReport report;
        spMesh* even = Remesh(mesh, 0.5 * before.meanEdge, &report);
        spMeshReport after = ExamineSheets(even, edgeCount);
        double off = before.closed ? after.volume / before.volume - 1.0 : 0.0;
        print_message("%s: %d even triangles, at most %.2g m away, volume off by %.2g\n", names[i],
                      after.triangleCount, report.maxDistance, off);
        assert_true(report.maxDistance < 0.01 * extent && fabs(off) < 0.01);
        spDestroyMesh(even);
        spDestroyMesh(surface);
        spDestroyMesh(mesh);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Open surfaces, and edges of three triangles

static void TestOpen(void** state)
{
    SP_UNUSED(state);
    spClothMeshDef def = spDefaultClothMeshDef();
    spMesh* cloth = spMakeClothMesh(&def, NULL);
    spMeshReport before = Examine(cloth);
    spMesh* meshes[] = {Simplify(cloth, 2, 1e-6, NULL), Simplify(cloth, 50, INFINITY, NULL),
                        Remesh(cloth, 0.0, NULL), Remesh(cloth, 0.3, NULL)};
    for (int i = 0; i < SP_COUNT(meshes); ++i)
    {
        spMeshReport after = Examine(meshes[i]);
        assert_true(i != 0 || after.triangleCount == 2);
        CHECK_NEAR(after.surfaceArea, before.surfaceArea, 1e-9);
        assert_true(Length(Subtract(after.lower, before.lower)) < 1e-9);
        assert_true(Length(Subtract(after.upper, before.upper)) < 1e-9);
        assert_true(after.closed == false && after.componentCount == 1);
        spDestroyMesh(meshes[i]);
    }
    spDestroyMesh(cloth);

    // A ball with a hole keeps one border
    spMesh* sphere = MakeSphere(4);
    int kept = 0;
    for (int i = 0; i < sphere->triangleCount; ++i)
    {
        const int32_t* t = sphere->triangles + 3 * i;
        if (sphere->vertices[t[0]].y < 0.4)
        {
            memmove(sphere->triangles + 3 * kept++, t, 3 * sizeof(int32_t));
        }
    }
    sphere->triangleCount = kept;
    spRemeshReport report;
    spMesh* few = Simplify(sphere, 300, 0.02, &report);
    spMeshReport after = Examine(few);
    assert_true(after.closed == false && after.problemCounts[sp_meshOpenEdges] >= 3 &&
                report.maxDistance <= 0.02);
    assert_int_equal(CountTurned(few), 0);
    // V - E + F of a disc is 1
    assert_int_equal(2 * after.vertexCount - after.triangleCount - after.problemCounts[sp_meshOpenEdges], 2);
    spDestroyMesh(few);
    spDestroyMesh(sphere);
}

// Three sheets along one edge: what lies on it stays, the rest gets fewer triangles
static void TestThreeSheets(void** state)
{
    SP_UNUSED(state);
    enum
    {
        steps = 10
    };
    static const double angles[3] = {0.1, 2.2, 4.3};
    spDVec3 points[(steps + 1) * (3 * steps + 1)];
    int32_t triangles[3 * 6 * steps * steps];
    int count = 0;
    for (int i = 0; i <= steps; ++i)
    {
        points[i] = (spDVec3){0.0, 0.0, 0.1 * i};
        for (int k = 0; k < 3 * steps; ++k)
        {
            double r = 0.1 * (k % steps + 1), angle = angles[k / steps];
            points[steps + 1 + 3 * steps * i + k] = (spDVec3){r * cos(angle), r * sin(angle), 0.1 * i};
        }
    }
    for (int i = 0; i < steps; ++i)
    {
        for (int k = 0; k < 3 * steps; ++k)
        {
            int outer = steps + 1 + 3 * steps * i + k, inner = k % steps == 0 ? i : outer - 1;
            int above = outer + 3 * steps, innerAbove = k % steps == 0 ? i + 1 : above - 1;
            int32_t quad[6] = {inner, outer, above, inner, above, innerAbove};
            memcpy(triangles + 6 * count++, quad, sizeof(quad));
        }
    }
    spMesh* sheets = MakeTriangles(points, SP_COUNT(points), triangles, 2 * count);
    spRemeshReport report;
    spMesh* meshes[] = {Simplify(sheets, 1, 1e-6, &report), Remesh(sheets, 0.2, NULL),
                        Remesh(sheets, 0.06, NULL)};
    assert_int_equal(report.lockedCount, steps + 1);
    for (int i = 0; i < SP_COUNT(meshes); ++i)
    {
        spMeshReport after;
        assert_true(spMesh_Validate(meshes[i], &after, NULL));
        print_message("three sheets: %d triangles of %d\n", after.triangleCount, 2 * count);
        assert_int_equal(after.problemCounts[sp_meshNonManifoldEdges], steps);
        assert_int_equal(after.problemCounts[sp_meshDegenerateTriangles], 0);
        CHECK_NEAR(after.surfaceArea, 3.0, 1e-9);
        assert_true(i != 0 || after.triangleCount < count);
        spDestroyMesh(meshes[i]);
    }
    spDestroyMesh(sheets);
}

// ---------------------------------------------------------------------------------------------------------
// What is hardly a surface

// Noise, copies, flat triangles, parts that cross: two triangles at most at each edge before, and after
static void TestUntidy(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 11;
    for (int round = 0; round < 12; ++round)
    {
        spMesh* mesh = MakeSphere(3);
        int vertexCount = mesh->vertexCount, triangleCount = mesh->triangleCount;
        double noise = 0.01 * round;
        for (int i = 0; i < vertexCount; ++i)
        {
            spDVec3* p = mesh->vertices + i;
            *p = (spDVec3){p->x + spRandomRange(&seed, -noise, noise),
                           p->y + spRandomRange(&seed, -noise, noise),
                           p->z + spRandomRange(&seed, -noise, noise)};
        }
        for (int i = 0; i < 50; ++i)
        {
            const int32_t* t = mesh->triangles + 3 * (i % triangleCount);
            int32_t a = t[0], b = t[1], c = t[2];
            assert_true(spAddTriangle(mesh, a, b, c, NULL) && spAddTriangle(mesh, a, b, b, NULL));
        }
        spRemeshReport report;
        spMesh* meshes[] = {Simplify(mesh, 200, INFINITY, &report), Simplify(mesh, 1, 0.05, &report),
                            Remesh(mesh, 0.1, NULL), Remesh(mesh, 0.03, NULL)};
        assert_true(report.maxDistance <= 0.05 && report.oldTriangleCount == triangleCount);
        for (int i = 0; i < SP_COUNT(meshes); ++i)
        {
            spMeshReport after = Examine(meshes[i]);
            assert_true(after.closed && after.componentCount == 1);
            spDestroyMesh(meshes[i]);
        }
        spDestroyMesh(mesh);
    }
}

// The smallest surfaces stay what they are; a fan with more triangles than are looked at does too
static void TestSmallest(void** state)
{
    SP_UNUSED(state);
    const spDVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t tet[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    spMesh* meshes[] = {MakeTriangles(points, 4, tet, 4), MakeTriangles(points, 3, tet, 1)};
    for (int i = 0; i < SP_COUNT(meshes); ++i)
    {
        spMesh* least = Simplify(meshes[i], 1, INFINITY, NULL);
        assert_int_equal(least->triangleCount, meshes[i]->triangleCount);
        spDestroyMesh(least);
        spMesh* even = Remesh(meshes[i], 5.0, NULL);
        assert_int_equal(even->triangleCount, meshes[i]->triangleCount);
        spDestroyMesh(even);
        spDestroyMesh(meshes[i]);
    }
    enum
    {
        spokes = 3 * SP_FAN_LIMIT
    };
    spDVec3 ring[spokes + 1];
    int32_t fan[3 * spokes];
    for (int i = 0; i < spokes; ++i)
    {
        double angle = 6.283185307179586 * i / spokes;
        ring[i] = (spDVec3){cos(angle), sin(angle), 0.0};
        int32_t t[3] = {i, (i + 1) % spokes, spokes};
        memcpy(fan + 3 * i, t, sizeof(t));
    }
    ring[spokes] = (spDVec3){0.0, 0.0, 0.5};
    spMesh* disc = MakeTriangles(ring, spokes + 1, fan, spokes);
    spMesh* fewer = Simplify(disc, 10, INFINITY, NULL);
    spMesh* even = Remesh(disc, 0.2, NULL);
    Examine(fewer);
    Examine(even);
    spDestroyMesh(fewer);
    spDestroyMesh(even);
    spDestroyMesh(disc);
}

// Small and large by 30 orders of magnitude: the same triangles
static void TestScales(void** state)
{
    SP_UNUSED(state);
    static const double scales[] = {0x1p-100, 0x1p100};
    for (int i = 0; i < SP_COUNT(scales); ++i)
    {
        spMesh *sphere = MakeSphere(3), *scaled = MakeSphere(3);
        for (int k = 0; k < scaled->vertexCount; ++k)
        {
            spDVec3* p = scaled->vertices + k;
            *p = (spDVec3){scales[i] * p->x, scales[i] * p->y, scales[i] * p->z};
        }
        spMesh *plain = Simplify(sphere, 200, INFINITY, NULL), *other = Simplify(scaled, 200, INFINITY, NULL);
        assert_int_equal(plain->triangleCount, other->triangleCount);
        assert_memory_equal(plain->triangles, other->triangles, 12 * (size_t)plain->triangleCount);
        spMesh *even = Remesh(sphere, 0.1, NULL), *otherEven = Remesh(scaled, 0.1 * scales[i], NULL);
        assert_int_equal(even->triangleCount, otherEven->triangleCount);
        spDestroyMesh(plain);
        spDestroyMesh(other);
        spDestroyMesh(even);
        spDestroyMesh(otherEven);
        spDestroyMesh(sphere);
        spDestroyMesh(scaled);
    }
}

static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = LoadData("bunny_tet.msh");
    spMesh* first[] = {Simplify(mesh, 400, INFINITY, NULL), Simplify(mesh, 1, 0.02, NULL),
                       Remesh(mesh, 0.0, NULL)};
    spMesh* again[] = {Simplify(mesh, 400, INFINITY, NULL), Simplify(mesh, 1, 0.02, NULL),
                       Remesh(mesh, 0.0, NULL)};
    for (int i = 0; i < SP_COUNT(first); ++i)
    {
        CheckSameMesh(first[i], again[i]);
        spDestroyMesh(first[i]);
        spDestroyMesh(again[i]);
    }
    spDestroyMesh(mesh);
}

// ---------------------------------------------------------------------------------------------------------
// What is refused

static void CheckRefused(const spMesh* result, const spError* error, spErrorCode code, const char* words)
{
    assert_null(result);
    assert_int_equal(error->code, code);
    if (strstr(error->message, words) == NULL)
    {
        print_error("\"%s\" is not in: %s\n", words, error->message);
        assert_true(false);
    }
}

static void RefuseSimplify(const spMesh* mesh, const spSimplifyMeshDef* def, spErrorCode code,
                           const char* words)
{
    spError error = SP_ZERO_INIT;
    spRemeshReport report;
    CheckRefused(spSimplifyMesh(mesh, def, &report, &error), &error, code, words);
}

static void RefuseRemesh(const spMesh* mesh, const spRemeshMeshDef* def, spErrorCode code, const char* words)
{
    spError error = SP_ZERO_INIT;
    spRemeshReport report;
    CheckRefused(spRemeshMesh(mesh, def, &report, &error), &error, code, words);
}

static bool Stop(double fraction, void* context)
{
    double* last = context;
    assert_true(fraction >= *last && fraction <= 1.0);
    *last = fraction;
    return fraction < 0.3;
}

static void TestRefused(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(3);
    spSimplifyMeshDef fewer = spDefaultSimplifyMeshDef(), badFewer = SP_ZERO_INIT;
    spRemeshMeshDef even = spDefaultRemeshMeshDef(), badEven = SP_ZERO_INIT;
    RefuseSimplify(NULL, &fewer, sp_errorBadArgument, "NULL");
    RefuseSimplify(sphere, NULL, sp_errorBadDef, "spDefaultSimplifyMeshDef");
    RefuseSimplify(sphere, &badFewer, sp_errorBadDef, "spDefaultSimplifyMeshDef");
    RefuseRemesh(NULL, &even, sp_errorBadArgument, "NULL");
    RefuseRemesh(sphere, NULL, sp_errorBadDef, "spDefaultRemeshMeshDef");
    RefuseRemesh(sphere, &badEven, sp_errorBadDef, "spDefaultRemeshMeshDef");
    fewer.triangleCount = 0;
    RefuseSimplify(sphere, &fewer, sp_errorBadArgument, "the number of triangles");
    static const double bad[] = {-1.0, NAN, INFINITY};
    for (int i = 0; i < SP_COUNT(bad); ++i)
    {
        fewer = spDefaultSimplifyMeshDef();
        even = spDefaultRemeshMeshDef();
        fewer.maxDistance = i < 2 ? bad[i] : 0.0;
        even.size = bad[i];
        RefuseSimplify(sphere, &fewer, sp_errorBadArgument, "the largest distance");
        RefuseRemesh(sphere, &even, sp_errorBadArgument, "the size of triangles");
        even.size = 0.0;
        even.featureAngle = bad[i];
        RefuseRemesh(sphere, &even, sp_errorBadArgument, "the angle of sharp edges");
        even.featureAngle = 40.0;
        even.passes = i == 0 ? 0 : 101;
        RefuseRemesh(sphere, &even, sp_errorBadArgument, "the number of passes");
    }
    even = spDefaultRemeshMeshDef();
    even.size = 1e-9;
    RefuseRemesh(sphere, &even, sp_errorLimit, "ask for a larger size");
    even.size = 1e-300;
    RefuseRemesh(sphere, &even, sp_errorLimit, "ask for a larger size");
    double last = 0.0;
    fewer = spDefaultSimplifyMeshDef();
    fewer.triangleCount = 10;
    fewer.progress = even.progress = Stop;
    fewer.progressContext = even.progressContext = &last;
    even.size = 0.05;
    RefuseRemesh(sphere, &even, sp_errorNone, "cancelled");
    last = 0.0;
    spDestroyMesh(sphere);
    sphere = MakeSphere(5);
    RefuseSimplify(sphere, &fewer, sp_errorNone, "cancelled");
    spDestroyMesh(sphere);
}

static void TestNoSurface(void** state)
{
    SP_UNUSED(state);
    spSimplifyMeshDef fewer = spDefaultSimplifyMeshDef();
    spRemeshMeshDef even = spDefaultRemeshMeshDef();
    const spDVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    const spDVec3 huge[3] = {{0, 0, 0}, {1e70, 0, 0}, {0, 1e70, 0}};
    const spDVec3 tiny[3] = {{0, 0, 0}, {1e-70, 0, 0}, {0, 1e-70, 0}};
    const spDVec3 largest[3] = {{-1e308, 0, 0}, {1e308, 0, 0}, {0, 1e308, 0}};
    const int32_t one[3] = {0, 1, 2}, flat[3] = {0, 1, 3};
    spMesh* meshes[] = {MakeTriangles(points, 4, flat, 1), MakeTriangles(points, 4, NULL, 0),
                        MakeTriangles(huge, 3, one, 1), MakeTriangles(tiny, 3, one, 1),
                        MakeTriangles(largest, 3, one, 1)};
    static const char* const words[] = {"area", "neither triangles nor tets", "large", "", ""};
    for (int i = 0; i < SP_COUNT(meshes); ++i)
    {
        RefuseSimplify(meshes[i], &fewer, sp_errorBadMesh, words[i]);
        RefuseRemesh(meshes[i], &even, sp_errorBadMesh, words[i]);
        spDestroyMesh(meshes[i]);
    }
}

static void TestMemory(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(2);
    for (int kind = 0; kind < 3; ++kind)
    {
        for (int i = -1, count = 0; i < count; ++i)
        {
            FailingAllocator failing = {.failAt = i};
            spError error = SP_ZERO_INIT;
            spRemeshReport report;
            spSimplifyMeshDef fewer = spDefaultSimplifyMeshDef();
            spRemeshMeshDef even = spDefaultRemeshMeshDef();
            fewer.allocator = even.allocator = MakeFailingAllocator(&failing);
            fewer.triangleCount = 50;
            fewer.maxDistance = kind == 1 ? 0.1 : INFINITY;
            even.size = 0.1;
            even.passes = 2;
            spMesh* mesh = kind < 2 ? spSimplifyMesh(sphere, &fewer, &report, &error)
                                    : spRemeshMesh(sphere, &even, &report, &error);
            assert_true(mesh != NULL ? i < 0 || error.code == sp_errorNone
                                     : error.code == sp_errorOutOfMemory);
            count = i < 0 ? failing.count : count;
            spDestroyMesh(mesh);
            assert_int_equal(failing.out, 0);
        }
    }
    spDestroyMesh(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSimplifySphere),
        cmocka_unit_test(TestRemeshSphere),
        cmocka_unit_test(TestBox),
        cmocka_unit_test(TestDistance),
        cmocka_unit_test(TestOpen),
        cmocka_unit_test(TestThreeSheets),
        cmocka_unit_test(TestUntidy),
        cmocka_unit_test(TestSmallest),
        cmocka_unit_test(TestScales),
        cmocka_unit_test(TestSameBits),
        cmocka_unit_test(TestRefused),
        cmocka_unit_test(TestNoSurface),
        cmocka_unit_test(TestMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
