// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Filling surfaces with tets, once and in several resolutions: angles of all stencils, volumes, surfaces that are open, cross themselves or look
// inwards, and everything that is refused.

#include "base/core.h"
#include "mesh/mesh.h"
#include "mesh/stuffing.h"
#include "mesh/winding.h"
#include "souple/fill.h"
#include "test/mesh_test.h"

#define PI 3.14159265358979323846

// ---------------------------------------------------------------------------------------------------------
// Surfaces

static spMesh* MakeSphere(int level, double radius)
{
    spShellMeshDef def = spDefaultShellMeshDef();
    def.level = level;
    def.radius = radius;
    spMesh* mesh = spMakeIcosphereMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

// Triangles of two meshes together, the second one moved and turned inside out on request; both are destroyed
static spMesh* Join(spMesh* a, spMesh* b, double x, bool turn)
{
    int first = a->vertexCount;
    for (int i = 0; i < b->vertexCount; ++i)
    {
        spDVec3 p = b->vertices[i];
        assert_true(spAddVertex(a, (spDVec3){p.x + x, p.y, p.z}, NULL));
    }
    for (int i = 0; i < b->triangleCount; ++i)
    {
        const int32_t* t = b->triangles + 3 * i;
        assert_true(spAddTriangle(a, first + t[0], first + t[turn ? 2 : 1], first + t[turn ? 1 : 2], NULL));
    }
    spDestroyMesh(b);
    return a;
}

static void TurnInwards(spMesh* mesh)
{
    for (int i = 0; i < mesh->triangleCount; ++i)
    {
        int32_t* t = mesh->triangles + 3 * i;
        int32_t second = t[1];
        t[1] = t[2];
        t[2] = second;
    }
}

static spMesh* Fill(const spMesh* surface, double size, spFillReport* report)
{
    spError error = SP_ZERO_INIT;
    spFillMeshDef def = spDefaultFillMeshDef();
    def.size = size;
    spMesh* mesh = spFillMesh(surface, &def, report, &error);
    if (mesh == NULL)
    {
        print_error("%s\n", error.message);
    }
    assert_non_null(mesh);
    return mesh;
}

static void Refuse(const spMesh* surface, const spFillMeshDef* def, spErrorCode code, const char* words)
{
    spError error = SP_ZERO_INIT;
    assert_null(spFillMesh(surface, def, NULL, &error));
    assert_int_equal(error.code, code);
    if (strstr(error.message, words) == NULL)
    {
        print_error("\"%s\" is not in: %s\n", words, error.message);
        assert_true(false);
    }
}

// Everything that holds for any filling: angles, nothing wrong with tets, and tets that do not overlap: their
// volumes make up what their boundary encloses
static spMeshReport Examine(const spMesh* mesh)
{
    spMeshReport report;
    spIndexList boundary;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    assert_true(report.minDihedral > 10.7 && report.maxDihedral < 164.8);
    assert_int_equal(report.problemCounts[sp_meshInvertedTets], 0);
    assert_int_equal(report.problemCounts[sp_meshDegenerateTets], 0);
    assert_int_equal(report.problemCounts[sp_meshDuplicateTets], 0);
    assert_int_equal(report.problemCounts[sp_meshDuplicateVertices], 0);
    assert_int_equal(report.problemCounts[sp_meshOrphanVertices], 0);
    assert_int_equal(report.problemCounts[sp_meshOpenEdges], 0);
    assert_true(spMesh_CollectBoundary(mesh, &boundary, NULL));
    double volume = 0.0;
    for (int i = 0; i < boundary.count; ++i)
    {
        const int32_t* t = boundary.data + 3 * i;
        volume += Dot(mesh->vertices[t[0]], Cross(mesh->vertices[t[1]], mesh->vertices[t[2]])) / 6.0;
    }
    CHECK_NEAR(volume, report.volume, 1e-12 * report.volume);
    spFreeIndexList(&boundary);
    return report;
}

// ---------------------------------------------------------------------------------------------------------
// Stencils

// A lattice tet with every vertex that has moved in some direction, or not at all, and every cut point at the
// ends and in the middle of where it may be
static const spDVec3 latticeTet[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, 0.5, -0.5}};

enum
{
    steps = 3,
    ways = 14
};

static spDVec3 GetWay(int way)
{
    if (way < 8)
    {
        return (spDVec3){way & 1 ? 0.5 : -0.5, way & 2 ? 0.5 : -0.5, way & 4 ? 0.5 : -0.5};
    }
    double sign = way & 1 ? 1.0 : -1.0;
    int axis = (way - 8) / 2;
    return (spDVec3){axis == 0 ? sign : 0.0, axis == 1 ? sign : 0.0, axis == 2 ? sign : 0.0};
}

// A vertex moves towards one that was on the other side, and that one not towards it: their edge had one cut
static bool IsPossible(const int8_t sides[4], const int towards[4])
{
    for (int signs = 0; signs < 16; ++signs)
    {
        bool good = true;
        for (int i = 0; i < 4; ++i)
        {
            int own = signs >> i & 1 ? sp_inside : sp_outside;
            good &= sides[i] == sp_onSurface || sides[i] == own;
            int other = towards[i];
            good &= other < 0 || ((signs >> other & 1) != (signs >> i & 1) && towards[other] != i);
        }
        if (good)
        {
            return true;
        }
    }
    return false;
}

static void MeasureAngles(const spDVec3 p[4], double* smallest, double* largest)
{
    int32_t tet[4] = {0, 1, 2, 3};
    spMesh mesh = {.vertices = (spDVec3*)p, .vertexCount = 4, .tets = tet, .tetCount = 1};
    spMeshReport report = SP_ZERO_INIT;
    spMeasureQuality(&mesh, &report);
    *smallest = fmin(*smallest, report.minDihedral);
    *largest = fmax(*largest, report.maxDihedral);
}

static void TryStencil(const int8_t sides[4], double* smallest, double* largest)
{
    uint8_t pieces[3][4];
    int count = spStuffTet(sides, false, pieces);
    int options[10], chosen[10] = {0};
    for (int i = 0; i < 10; ++i)
    {
        bool used = false;
        for (int k = 0; k < 4 * count; ++k)
        {
            used |= pieces[k / 4][k % 4] == i;
        }
        bool moves = i < 4 && sides[i] == sp_onSurface;
        options[i] = !used ? 1 : i >= 4 ? steps : moves ? 1 + ways : 1;
    }
    for (int digit = 0; digit < 10 && count > 0;)
    {
        spDVec3 corners[10];
        int towards[4] = {-1, -1, -1, -1};
        for (int i = 0; i < 4; ++i)
        {
            spDVec3 p = latticeTet[i], way = GetWay(chosen[i] > 0 ? chosen[i] - 1 : 0);
            double part = chosen[i] == 0 ? 0.0 : chosen[i] <= 8 ? SP_SNAP_SHORT : SP_SNAP_LONG;
            corners[i] = (spDVec3){p.x + part * way.x, p.y + part * way.y, p.z + part * way.z};
            for (int k = 0; k < 4 && chosen[i] > 0; ++k)
            {
                spDVec3 end = {p.x + way.x, p.y + way.y, p.z + way.z};
                towards[i] = Length(Subtract(end, latticeTet[k])) < 1e-9 ? k : towards[i];
            }
        }
        for (int i = 0; i < 6; ++i)
        {
            const int* edge = spTetEdges[i];
            double snap = spIsLongEdge(edge[0], edge[1]) ? SP_SNAP_LONG : SP_SNAP_SHORT;
            double t = snap + (1.0 - 2.0 * snap) * chosen[4 + i] / (steps - 1.0);
            spDVec3 a = latticeTet[edge[0]], d = Subtract(latticeTet[edge[1]], a);
            corners[4 + i] = (spDVec3){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
        }
        for (int i = 0; i < count && IsPossible(sides, towards); ++i)
        {
            spDVec3 p[4];
            for (int k = 0; k < 4; ++k)
            {
                p[k] = corners[pieces[i][k]];
            }
            MeasureAngles(p, smallest, largest);
        }
        for (digit = 0; digit < 10 && ++chosen[digit] >= options[digit]; ++digit)
        {
            chosen[digit] = 0;
        }
    }
}

static void TestStencils(void** state)
{
    SP_UNUSED(state);
    double smallest = 180.0, largest = 0.0;
    for (int code = 0; code < 81; ++code)
    {
        int8_t sides[4] = {(int8_t)(code % 3 - 1), (int8_t)(code / 3 % 3 - 1), (int8_t)(code / 9 % 3 - 1),
                           (int8_t)(code / 27 - 1)};
        TryStencil(sides, &smallest, &largest);
    }
    print_message("angles of all stencils: %.3f to %.3f degrees\n", smallest, largest);
    assert_true(smallest > 10.7 && largest < 164.8);
}

// ---------------------------------------------------------------------------------------------------------
// Winding numbers

static void TestWinding(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = MakeSphere(4, 1.0);
    spHeap heap = spMakeHeap(NULL);
    spWindingTree tree;
    assert_true(spBuildWindingTree(&heap, mesh, &tree, NULL));
    uint64_t seed = 7;
    for (int i = 0; i < 2000; ++i)
    {
        spDVec3 p = {spRandomRange(&seed, -2, 2), spRandomRange(&seed, -2, 2), spRandomRange(&seed, -2, 2)};
        double r = Length(p);
        if (r < 0.99 || r > 1.0)
        {
            CHECK_NEAR(spGetWinding(&tree, p), r < 1.0 ? 1.0 : 0.0, 0.1);
        }
        double parts[4];
        spDVec3 far = {10.0 * p.x / r, 10.0 * p.y / r, 10.0 * p.z / r};
        int count = spFindCrossings(&tree.boxes, p, far, parts, 4);
        if (r < 0.99 || r > 1.0)
        {
            assert_int_equal(count, r < 1.0 ? 1 : 0);
        }
    }
    spFreeWindingTree(&heap, &tree);
    spDestroyMesh(mesh);
}

// Every edge of a lattice meets edges and vertices of the box: none is missed
static void TestCrossingsOfEdges(void** state)
{
    SP_UNUSED(state);
    spBoxMeshDef def = spDefaultBoxMeshDef();
    spMesh* box = spMakeBoxMesh(&def, NULL);
    for (int i = 0; i < 8; ++i)
    {
        spFillReport report;
        spMesh* mesh = Fill(box, 1.0 / (3 + i), &report);
        spMeshReport state1 = Examine(mesh);
        CHECK_NEAR(report.surfaceVolume, 1.0, 1e-12);
        assert_true(state1.volume > 0.8 && state1.volume <= 1.0 + 1e-12);
        spDestroyMesh(mesh);
    }
    spDestroyMesh(box);
}

// ---------------------------------------------------------------------------------------------------------
// Volumes

static void TestVolumesConverge(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(5, 0.5);
    double before = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        spFillReport report;
        spMesh* mesh = Fill(sphere, 0.2 / (1 << i), &report);
        spMeshReport result = Examine(mesh);
        double error = fabs(result.volume - report.surfaceVolume) / report.surfaceVolume;
        print_message("size %.3g: %d tets, volume off by %.4f %%, distance %.2g m, angles %.1f to %.1f\n",
                      report.size, result.tetCount, 100.0 * error, report.maxDistance, result.minDihedral,
                      result.maxDihedral);
        assert_true(report.closed && report.openEdgeCount == 0 && result.closed);
        assert_int_equal(result.componentCount, 1);
        assert_true(i == 0 || error < before / 3.0); // chords: of second order
        assert_true(report.maxDistance < 0.2 * report.size);
        before = error;
        spDestroyMesh(mesh);
    }
    spDestroyMesh(sphere);
}

// Same bits again, and for triangles that look inwards
static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(3, 0.5);
    spMesh* first = Fill(sphere, 0.1, NULL);
    spMesh* again = Fill(sphere, 0.1, NULL);
    CheckSameMesh(first, again);
    TurnInwards(sphere);
    spMesh* turned = Fill(sphere, 0.1, NULL);
    CheckSameMesh(first, turned);
    // Half of them turned
    for (int i = 0; i < 3 * (sphere->triangleCount / 2); i += 3)
    {
        int32_t second = sphere->triangles[i + 1];
        sphere->triangles[i + 1] = sphere->triangles[i + 2];
        sphere->triangles[i + 2] = second;
    }
    spMesh* mixed = Fill(sphere, 0.1, NULL);
    CheckSameMesh(first, mixed);
    spDestroyMesh(first);
    spDestroyMesh(again);
    spDestroyMesh(turned);
    spDestroyMesh(mixed);
    spDestroyMesh(sphere);
}

static void TestOpen(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(4, 0.5);
    int kept = 0;
    for (int i = 0; i < sphere->triangleCount; ++i) // without a cap
    {
        const int32_t* t = sphere->triangles + 3 * i;
        if (sphere->vertices[t[0]].y < 0.4)
        {
            memmove(sphere->triangles + 3 * kept++, t, 3 * sizeof(int32_t));
        }
    }
    sphere->triangleCount = kept;
    spFillReport report;
    spMesh* mesh = Fill(sphere, 0.08, &report);
    spMeshReport result = Examine(mesh);
    assert_false(report.closed);
    assert_true(report.openEdgeCount > 0 && report.surfaceVolume == 0.0);
    double ball = 4.0 / 3.0 * PI * 0.125, cap = PI * 0.01 * (0.5 - 0.1 / 3.0);
    print_message("open sphere: volume %.4f between %.4f and %.4f\n", result.volume, ball - cap, ball);
    assert_true(result.volume > 0.95 * (ball - cap) && result.volume < ball);
    spDestroyMesh(mesh);
    spDestroyMesh(sphere);
}

static void TestCrossingItself(void** state)
{
    SP_UNUSED(state);
    // Two balls of radius r whose centres are r apart have 27/16 of the volume of one
    spMesh* pair = Join(MakeSphere(4, 0.5), MakeSphere(4, 0.5), 0.5, false);
    spFillReport report;
    spMesh* mesh = Fill(pair, 0.05, &report);
    spMeshReport result = Examine(mesh);
    CHECK_NEAR(result.volume, 27.0 / 16.0 * 4.0 / 3.0 * PI * 0.125, 0.02);
    assert_int_equal(result.componentCount, 1);
    spDestroyMesh(mesh);
    spDestroyMesh(pair);

    // A ball with a hollow: the inner surface looks inwards
    spMesh* hollow = Join(MakeSphere(4, 0.5), MakeSphere(4, 0.25), 0.0, true);
    mesh = Fill(hollow, 0.05, &report);
    result = Examine(mesh);
    CHECK_NEAR(result.volume, 7.0 / 8.0 * 4.0 / 3.0 * PI * 0.125, 0.02);
    spDestroyMesh(mesh);
    spDestroyMesh(hollow);
}

// Where thin walls are lost the largest part stays; surfaces of several parts keep them all
static void TestFragments(void** state)
{
    SP_UNUSED(state);
    spMesh* shark = spLoadMesh(SOUPLE_SOURCE_DIR "/data/shark_22_ascii.msh", NULL, NULL);
    assert_non_null(shark);
    spFillReport report;
    spMesh* mesh = Fill(shark, 0.0066, &report);
    spMeshReport result;
    assert_true(spMesh_Validate(mesh, &result, NULL));
    print_message("shark: %d tets, %d in %d parts left out\n", result.tetCount, report.droppedTetCount,
                  report.droppedParts);
    assert_true(report.droppedParts > 0 && report.droppedTetCount > 0 && report.droppedTetCount < 100);
    assert_true(result.componentCount == 1 && result.problemCounts[sp_meshOrphanVertices] == 0);
    spDestroyMesh(mesh);
    spDestroyMesh(shark);

    spMesh* pair = Join(MakeSphere(3, 0.5), MakeSphere(3, 0.3), 2.0, false);
    mesh = Fill(pair, 0.1, &report);
    result = Examine(mesh);
    assert_true(report.droppedParts == 0 && result.componentCount == 2);
    spDestroyMesh(mesh);
    spDestroyMesh(pair);
}

// Copies, flat triangles, and points that nothing uses change nothing
static void TestUntidy(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(3, 0.5);
    spMesh* clean = Fill(sphere, 0.1, NULL);
    int count = sphere->triangleCount;
    for (int i = 0; i < count; ++i)
    {
        const int32_t* t = sphere->triangles + 3 * i;
        int32_t a = t[0], b = t[1], c = t[2];
        assert_true(spAddTriangle(sphere, a, b, c, NULL) && spAddTriangle(sphere, a, b, b, NULL));
    }
    assert_true(spAddVertex(sphere, (spDVec3){100.0, 0.0, 0.0}, NULL));
    spMesh* untidy = Fill(sphere, 0.1, NULL);
    CheckSameMesh(clean, untidy);
    spDestroyMesh(clean);
    spDestroyMesh(untidy);
    spDestroyMesh(sphere);
}

static void TestCounts(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = spLoadMesh(SOUPLE_SOURCE_DIR "/data/bunny_tet.msh", NULL, NULL);
    assert_non_null(mesh);
    static const int counts[] = {300, 5000, 40000};
    for (int i = 0; i < SP_COUNT(counts); ++i)
    {
        spFillMeshDef def = spDefaultFillMeshDef();
        def.tetCount = counts[i];
        spFillReport report;
        spMesh* filled = spFillMesh(mesh, &def, &report, NULL);
        assert_non_null(filled);
        spMeshReport result = Examine(filled);
        print_message("%d tets wanted, %d made, size %.4f, angles %.1f to %.1f\n", counts[i], result.tetCount,
                      report.size, result.minDihedral, result.maxDihedral);
        assert_true(abs(result.tetCount - counts[i]) <= counts[i] / 4);
        spDestroyMesh(filled);
    }
    spDestroyMesh(mesh);
}

// ---------------------------------------------------------------------------------------------------------
// Larger tets inside, sharp edges

static spMesh* FillWith(const spMesh* surface, double size, double growth, double sharpAngle,
                        spFillReport* report)
{
    spError error = SP_ZERO_INIT;
    spFillMeshDef def = spDefaultFillMeshDef();
    def.size = size;
    def.growth = growth;
    def.sharpAngle = sharpAngle;
    spMesh* mesh = spFillMesh(surface, &def, report, &error);
    if (mesh == NULL)
    {
        print_error("%s\n", error.message);
    }
    assert_non_null(mesh);
    return mesh;
}

// Tets grow inside: the boundary stays what it was, bit by bit, and so does what it encloses
static void TestGrowth(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(4, 0.5);
    spMesh* plain = Fill(sphere, 0.05, NULL);
    spMeshReport before = Examine(plain);
    static const double growths[] = {0.1, 0.3, 1.0, 10.0};
    int last = plain->tetCount;
    for (int i = 0; i < SP_COUNT(growths); ++i)
    {
        spFillReport report;
        spMesh* mesh = FillWith(sphere, 0.05, growths[i], 0.0, &report);
        spMeshReport after = Examine(mesh);
        print_message("growth %.1f: %d tets of %d, angles %.1f to %.1f, edges up to %.3f m\n", growths[i],
                      after.tetCount, before.tetCount, after.minDihedral, after.maxDihedral, after.maxEdge);
        assert_true(after.tetCount <= last && after.maxEdge <= 0.05 + growths[i] * 0.5 + 1e-12);
        assert_int_equal(after.boundaryTriangleCount, before.boundaryTriangleCount);
        CHECK_NEAR(after.volume, before.volume, 1e-11);
        CHECK_NEAR(after.surfaceArea, before.surfaceArea, 1e-12);
        assert_true(after.minDihedral >= before.minDihedral - 1e-9 &&
                    after.maxDihedral <= before.maxDihedral + 1e-9);
        last = after.tetCount;
        spMesh* again = FillWith(sphere, 0.05, growths[i], 0.0, NULL);
        CheckSameMesh(mesh, again);
        spDestroyMesh(again);
        spDestroyMesh(mesh);
    }
    assert_true(last < 0.8 * plain->tetCount);
    spDestroyMesh(plain);
    spDestroyMesh(sphere);
}

// A box that stands askew gets its edges and corners back, and nothing gets worse than the bounds of the angles
static void TestSharp(void** state)
{
    SP_UNUSED(state);
    spBoxMeshDef def = spDefaultBoxMeshDef();
    static const double turns[][3] = {{0.3, 0.2, 0.1}, {0.1, 0.5, 0.4}, {0.6, 0.1, 0.2}};
    for (int i = 0; i < SP_COUNT(turns); ++i)
    {
        spMesh* box = spMakeBoxMesh(&def, NULL);
        double x = turns[i][0], y = turns[i][1], z = turns[i][2], w = sqrt(1.0 - x * x - y * y - z * z);
        spTransform askew = {{0, 0, 0}, {(spReal)x, (spReal)y, (spReal)z, (spReal)w}};
        assert_true(spMesh_Transform(box, (spDVec3){1, 1, 1}, askew, NULL));
        spFillReport blunt, sharp;
        spMesh *plain = FillWith(box, 0.1, 0.0, 0.0, &blunt), *mesh = FillWith(box, 0.1, 1.0, 40.0, &sharp);
        spMeshReport before = Examine(plain), after = Examine(mesh);
        print_message("askew box: volume off by %.2f and %.2f %%, at most %.2f and %.2f sizes away, angles "
                      "%.1f to %.1f\n",
                      100.0 * (1.0 - before.volume), 100.0 * (1.0 - after.volume), 10.0 * blunt.maxDistance,
                      10.0 * sharp.maxDistance, after.minDihedral, after.maxDihedral);
        assert_true(1.0 - after.volume < 0.3 * (1.0 - before.volume) && after.volume < 1.0 + 1e-9);
        assert_true(sharp.maxDistance < 0.8 * blunt.maxDistance);
        spDestroyMesh(plain);
        spDestroyMesh(mesh);
        spDestroyMesh(box);
    }
    // Nothing on a ball is sharp
    spMesh* sphere = MakeSphere(4, 0.5);
    spMesh *plain = Fill(sphere, 0.1, NULL), *mesh = FillWith(sphere, 0.1, 0.0, 40.0, NULL);
    CheckSameMesh(plain, mesh);
    spDestroyMesh(plain);
    spDestroyMesh(mesh);
    spDestroyMesh(sphere);
}

// The angles, of all the meshes that are here, coarse and fine, with everything switched on
static void TestAngles(void** state)
{
    SP_UNUSED(state);
    static const char* const names[] = {"armadillo_4k.node", "bunny_tet.msh", "liver_like.msh",
                                        "raptor_like.msh", "shark_22_ascii.msh"};
    double smallest = 180.0, largest = 0.0;
    int count = 0;
    for (int i = 0; i < SP_COUNT(names); ++i)
    {
        char path[1024];
        snprintf(path, sizeof(path), "%s/data/%s", SOUPLE_SOURCE_DIR, names[i]);
        spMesh* surface = spLoadMesh(path, NULL, NULL);
        assert_non_null(surface);
        spMeshReport state1;
        assert_true(spMesh_Validate(surface, &state1, NULL));
        double extent = Length(Subtract(state1.upper, state1.lower));
        for (int k = 0; k < 12; ++k)
        {
            double size = extent / (17.0 + 3.7 * k);
            spMesh* mesh = FillWith(surface, size, k % 3 * 0.5, k % 2 * 30.0, NULL);
            spMeshReport report;
            assert_true(spMesh_Validate(mesh, &report, NULL));
            smallest = fmin(smallest, report.minDihedral);
            largest = fmax(largest, report.maxDihedral);
            assert_true(report.minDihedral > 10.7 && report.maxDihedral < 164.8);
            assert_int_equal(report.problemCounts[sp_meshInvertedTets], 0);
            count += 1;
            spDestroyMesh(mesh);
        }
        spDestroyMesh(surface);
    }
    print_message("%d fillings: angles %.2f to %.2f degrees\n", count, smallest, largest);
}

// ---------------------------------------------------------------------------------------------------------
// Levels

// Seven resolutions of one body: each sound by itself, of the size that was asked for, near the others
static void TestLevels(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(4, 0.5);
    spFillLevelsDef def = spDefaultFillLevelsDef();
    def.finest.size = 0.06;
    def.levelCount = SP_MAX_FILL_LEVELS;
    def.ratio = 1.4;
    spMesh* levels[SP_MAX_FILL_LEVELS];
    spMesh* again[SP_MAX_FILL_LEVELS];
    spFillReport reports[SP_MAX_FILL_LEVELS];
    assert_true(spFillLevels(sphere, &def, levels, reports, NULL));
    assert_true(spFillLevels(sphere, &def, again, NULL, NULL));
    double size = 0.06;
    for (int i = 0; i < SP_MAX_FILL_LEVELS; ++i)
    {
        spMeshReport result = Examine(levels[i]);
        CHECK_NEAR(reports[i].size, size, 1e-12);
        assert_int_equal(result.componentCount, 1);
        assert_true(result.maxEdge < 1.8 * size && reports[i].maxDistance < 0.4 * size);
        assert_true(i == 0 || levels[i]->tetCount < levels[i - 1]->tetCount / 2);
        CheckSameMesh(levels[i], again[i]);
        size *= 1.4;
    }
    for (int i = 0; i < SP_MAX_FILL_LEVELS; ++i)
    {
        spDestroyMesh(levels[i]);
        spDestroyMesh(again[i]);
    }
    spDestroyMesh(sphere);
}

static void RefuseLevels(const spMesh* surface, const spFillLevelsDef* def, spErrorCode code,
                         const char* words)
{
    spError error = SP_ZERO_INIT;
    spMesh* levels[SP_MAX_FILL_LEVELS];
    memset(levels, 0xFF, sizeof(levels));
    assert_false(spFillLevels(surface, def, levels, NULL, &error));
    assert_int_equal(error.code, code);
    if (strstr(error.message, words) == NULL)
    {
        print_error("\"%s\" is not in: %s\n", words, error.message);
        assert_true(false);
    }
    bool checked = code == sp_errorBadMesh || code == sp_errorLimit || code == sp_errorNone;
    for (int i = 0; checked && i < def->levelCount; ++i)
    {
        assert_null(levels[i]);
    }
}

static bool StopThird(double fraction, void* context)
{
    int* starts = context;
    *starts += fraction == 0.0;
    return *starts < 3;
}

static void TestLevelsRefused(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(2, 0.5);
    spFillLevelsDef def = spDefaultFillLevelsDef(), bad = SP_ZERO_INIT;
    RefuseLevels(sphere, NULL, sp_errorBadDef, "spDefaultFillLevelsDef");
    RefuseLevels(sphere, &bad, sp_errorBadDef, "spDefaultFillLevelsDef");
    def.levelCount = 1;
    RefuseLevels(sphere, &def, sp_errorBadArgument, "the number of levels");
    def.levelCount = SP_MAX_FILL_LEVELS + 1;
    RefuseLevels(sphere, &def, sp_errorBadArgument, "the number of levels");
    def.levelCount = 4;
    static const double ratios[] = {1.0, 9.0, -2.0, NAN};
    for (int i = 0; i < SP_COUNT(ratios); ++i)
    {
        def.ratio = ratios[i];
        RefuseLevels(sphere, &def, sp_errorBadArgument, "the ratio of levels");
    }
    def.ratio = 8.0;
    def.finest.size = 0.1;
    RefuseLevels(sphere, &def, sp_errorBadMesh, "level 2 of tets of 6.4 m is empty");
    def.finest.size = 1e-6;
    RefuseLevels(sphere, &def, sp_errorLimit, "ask for a larger size");
    int starts = 0;
    def.finest.size = 0.1;
    def.ratio = 1.2;
    def.finest.progress = StopThird;
    def.finest.progressContext = &starts;
    RefuseLevels(sphere, &def, sp_errorNone, "cancelled");
    assert_int_equal(starts, 3);
    spDestroyMesh(sphere);
}

// ---------------------------------------------------------------------------------------------------------
// What is refused

static void TestRefused(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(2, 0.5);
    spFillMeshDef def = spDefaultFillMeshDef();
    Refuse(NULL, &def, sp_errorBadArgument, "NULL");
    Refuse(sphere, NULL, sp_errorBadDef, "spDefaultFillMeshDef");
    spFillMeshDef bad = SP_ZERO_INIT;
    Refuse(sphere, &bad, sp_errorBadDef, "spDefaultFillMeshDef");
    static const double sizes[] = {-1.0, NAN, INFINITY};
    for (int i = 0; i < SP_COUNT(sizes); ++i)
    {
        def.size = sizes[i];
        Refuse(sphere, &def, sp_errorBadArgument, "the size of tets");
    }
    def.size = 1e-6;
    Refuse(sphere, &def, sp_errorLimit, "2e+18 points");
    def.size = 1e-300;
    Refuse(sphere, &def, sp_errorLimit, "points");
    def.size = 0.1;
    for (int i = 0; i < SP_COUNT(sizes); ++i)
    {
        def.growth = sizes[i];
        Refuse(sphere, &def, sp_errorBadArgument, "the growth of tets");
        def.growth = 0.0;
        def.sharpAngle = sizes[i];
        Refuse(sphere, &def, sp_errorBadArgument, "the angle of sharp edges");
        def.sharpAngle = 0.0;
    }
    def.size = 3.0;
    Refuse(sphere, &def, sp_errorBadMesh, "ask for a smaller size");
    def.size = 0.0;
    def.tetCount = 0;
    Refuse(sphere, &def, sp_errorBadArgument, "the number of tets");
    def.tetCount = SP_MESH_LIMIT;
    Refuse(sphere, &def, sp_errorLimit, "ask for a larger size");
    spDestroyMesh(sphere);
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

static void TestNothingInside(void** state)
{
    SP_UNUSED(state);
    spFillMeshDef def = spDefaultFillMeshDef();
    spClothMeshDef clothDef = spDefaultClothMeshDef();
    spMesh* cloth = spMakeClothMesh(&clothDef, NULL);
    Refuse(cloth, &def, sp_errorBadMesh, "the surface has no inside");
    def.size = 0.1;
    Refuse(cloth, &def, sp_errorBadMesh, "souple mesh repair --holes");
    spDestroyMesh(cloth);

    // One triangle, all in one point, everything flat, no triangles, too large
    const spDVec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
    const spDVec3 same[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    const spDVec3 huge[3] = {{0, 0, 0}, {1e70, 0, 0}, {0, 1e70, 0}};
    const spDVec3 largest[3] = {{-1e308, 0, 0}, {1e308, 0, 0}, {0, 1e308, 0}};
    const int32_t one[3] = {0, 1, 2}, flat[3] = {0, 1, 3};
    spMesh* meshes[] = {MakeTriangles(points, 4, one, 1),  MakeTriangles(same, 3, one, 1),
                        MakeTriangles(points, 4, flat, 1), MakeTriangles(points, 4, NULL, 0),
                        MakeTriangles(huge, 3, one, 1),    MakeTriangles(largest, 3, one, 1)};
    static const char* const words[] = {"no inside", "flat", "flat", "no triangles", "large", ""};
    for (int i = 0; i < SP_COUNT(meshes); ++i)
    {
        Refuse(meshes[i], &def, sp_errorBadMesh, words[i]);
        spDestroyMesh(meshes[i]);
    }

    // Far from the origin a cell is lost in rounding
    spMesh* sphere = MakeSphere(1, 0.5);
    for (int i = 0; i < sphere->vertexCount; ++i)
    {
        sphere->vertices[i].x += 1e10;
    }
    Refuse(sphere, &def, sp_errorBadArgument, "move the surface to the origin");
    spDestroyMesh(sphere);
}

static bool Stop(double fraction, void* context)
{
    double* last = context;
    assert_true(fraction >= *last && fraction <= 1.0);
    *last = fraction;
    return fraction < 0.5;
}

static void TestProgress(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(2, 0.5);
    spFillMeshDef def = spDefaultFillMeshDef();
    double last = 0.0;
    def.size = 0.05;
    def.progress = Stop;
    def.progressContext = &last;
    Refuse(sphere, &def, sp_errorNone, "cancelled");
    assert_true(last >= 0.5);
    spDestroyMesh(sphere);
}

static void TestMemory(void** state)
{
    SP_UNUSED(state);
    spMesh* sphere = MakeSphere(1, 0.5);
    FailingAllocator failing = {.failAt = -1};
    spFillMeshDef def = spDefaultFillMeshDef();
    def.size = 0.15;
    def.growth = 1.0;
    def.sharpAngle = 10.0;
    def.allocator = MakeFailingAllocator(&failing);
    spFillReport report;
    spMesh* mesh = spFillMesh(sphere, &def, &report, NULL);
    assert_non_null(mesh);
    spDestroyMesh(mesh);
    assert_int_equal(failing.out, 0);
    int count = failing.count;
    for (int i = 0; i < count; ++i)
    {
        failing = (FailingAllocator){.failAt = i};
        spError error = SP_ZERO_INIT;
        mesh = spFillMesh(sphere, &def, &report, &error);
        assert_true(mesh != NULL || error.code == sp_errorOutOfMemory);
        spDestroyMesh(mesh);
        assert_int_equal(failing.out, 0);
    }
    print_message("%d allocations\n", count);
    spDestroyMesh(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestStencils),         cmocka_unit_test(TestWinding),
        cmocka_unit_test(TestCrossingsOfEdges), cmocka_unit_test(TestVolumesConverge),
        cmocka_unit_test(TestSameBits),         cmocka_unit_test(TestOpen),
        cmocka_unit_test(TestCrossingItself),   cmocka_unit_test(TestFragments),
        cmocka_unit_test(TestUntidy),           cmocka_unit_test(TestCounts),
        cmocka_unit_test(TestGrowth),           cmocka_unit_test(TestSharp),
        cmocka_unit_test(TestAngles),           cmocka_unit_test(TestLevels),
        cmocka_unit_test(TestLevelsRefused),    cmocka_unit_test(TestRefused),
        cmocka_unit_test(TestNothingInside),    cmocka_unit_test(TestProgress),
        cmocka_unit_test(TestMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
