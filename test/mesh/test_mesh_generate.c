// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Generators: counts, layout, volumes, quality, bad numbers.

#include "base/core.h"
#include "test/mesh_test.h"

#define PI 3.14159265358979323846

static spMeshReport Validate(const spMesh* mesh)
{
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    return report;
}

static void CheckNoProblem(const spMeshReport* report)
{
    for (int i = 0; i < sp_meshProblemCount; ++i)
    {
        if (report->problemCounts[i] != 0)
        {
            print_error("%d times %s\n", report->problemCounts[i], spMeshProblem_GetName((spMeshProblem)i));
            fail();
        }
    }
}

static void TestBeamCounts(void** state)
{
    SP_UNUSED(state);
    // The cantilever of the workloads
    static const int rows[4][4] = {{5, 756, 3000, 4205},
                                   {8, 2673, 12288, 16112},
                                   {13, 10388, 52728, 66157},
                                   {20, 35721, 192000, 234920}};
    for (int i = 0; i < 4; ++i)
    {
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.origin = (spDVec3){0, 0, 0};
        def.size = (spDVec3){1, 0.25, 0.25};
        def.cells[0] = 4 * rows[i][0];
        def.cells[1] = rows[i][0];
        def.cells[2] = rows[i][0];
        spMesh* mesh = spMakeBoxMesh(&def, NULL);
        assert_int_equal(spMesh_GetVertexCount(mesh), rows[i][1]);
        assert_int_equal(spMesh_GetTetCount(mesh), rows[i][2]);
        spIndexList edges;
        assert_true(spMesh_CollectEdges(mesh, &edges, NULL));
        assert_int_equal(edges.count, rows[i][3]);
        spFreeIndexList(&edges);
        spDestroyMesh(mesh);
    }
}

static void TestKuhnOrder(void** state)
{
    SP_UNUSED(state);
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.cells[0] = def.cells[1] = def.cells[2] = 1;
    spMesh* mesh = spMakeBoxMesh(&def, NULL);
    // Node (i, j, k) is 4 i + 2 j + k. xyz; xzy, yxz with v1 and v2 swapped; yzx, zxy; zyx swapped
    const int32_t expected[24] = {0, 4, 6, 7, 0, 5, 4, 7, 0, 6, 2, 7, 0, 2, 3, 7, 0, 1, 5, 7, 0, 3, 1, 7};
    assert_memory_equal(spMesh_GetTets(mesh), expected, sizeof(expected));
    assert_true(spMesh_GetVertices(mesh)[6].x == 0.5 && spMesh_GetVertices(mesh)[6].y == 1.0 &&
                spMesh_GetVertices(mesh)[6].z == -0.5);
    spDestroyMesh(mesh);
}

static void TestFiveTets(void** state)
{
    SP_UNUSED(state);
    static const int rows[3][5] = {{23, 2, 2, 216, 460}, {31, 3, 3, 512, 1395}, {39, 4, 4, 1000, 3120}};
    static const double sides[3] = {0.005, 0.01 / 3.0, 0.0025};
    static const double grams[3] = {11.5, 10.3333, 9.75};
    for (int i = 0; i < 3; ++i)
    {
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.split = sp_fiveTets;
        memcpy(def.cells, rows[i], sizeof(def.cells));
        def.size = (spDVec3){sides[i] * rows[i][0], sides[i] * rows[i][1], sides[i] * rows[i][2]};
        spMesh* mesh = spMakeBoxMesh(&def, NULL);
        assert_int_equal(spMesh_GetVertexCount(mesh), rows[i][3]);
        assert_int_equal(spMesh_GetTetCount(mesh), rows[i][4]);
        spMeshReport report = Validate(mesh);
        CheckNoProblem(&report);
        assert_true(report.closed);
        CHECK_NEAR(report.volume * 1e6, grams[i], 1e-3); // 1000 kg/m^3
        assert_int_equal(report.boundaryTriangleCount,
                         4 * (rows[i][0] * rows[i][1] + rows[i][1] * rows[i][2] + rows[i][2] * rows[i][0]));
        spDestroyMesh(mesh);
    }
}

typedef spMesh* MakeRoundFcn(const spRoundMeshDef* def, spError* error);

static void TestRound(void** state)
{
    SP_UNUSED(state);
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.center = (spDVec3){1, -2, 3};
    static MakeRoundFcn* const makers[3] = {spMakeBallMesh, spMakeCylinderMesh, spMakeTorusMesh};
    static const char* const names[3] = {"ball", "cylinder", "torus"};
    const double volumes[3] = {4.0 / 3.0 * PI * 0.125, PI * 0.25, 2.0 * PI * PI * 0.5 * 0.15 * 0.15};
    for (int m = 0; m < 3; ++m)
    {
        double before = 0.0;
        for (int resolution = 1; resolution <= 8;
             resolution = resolution < 4 ? resolution + 1 : 2 * resolution)
        {
            def.resolution = resolution;
            spMesh* mesh = makers[m](&def, NULL);
            spMeshReport report = Validate(mesh);
            CheckNoProblem(&report);
            assert_true(report.closed);
            double lost = 1.0 - report.volume / volumes[m];
            assert_true(lost > 0.0);
            if (resolution == 8)
            {
                CHECK_NEAR(before / lost, 4.0, 0.3); // second order
            }
            if (resolution >= 4)
            {
                print_message(
                    "%s, resolution %d: %d tets, dihedral angles %.1f to %.1f degrees, volume %.2f %% low\n",
                    names[m], resolution, report.tetCount, report.minDihedral, report.maxDihedral,
                    100.0 * lost);
                assert_true(report.minDihedral > 25.0);
            }
            before = lost;

            // Surface vertices lie on the true surface
            spIndexList boundary;
            assert_true(spMesh_CollectBoundary(mesh, &boundary, NULL));
            for (int i = 0; i < 3 * boundary.count; ++i)
            {
                spDVec3 p = Subtract(spMesh_GetVertices(mesh)[boundary.data[i]], def.center);
                double r = sqrt(p.x * p.x + p.z * p.z), off;
                if (m == 0)
                {
                    off = Length(p) - 0.5;
                }
                else if (m == 1)
                {
                    off = fmin(fabs(r - 0.5), fabs(fabs(p.y) - 0.5));
                }
                else
                {
                    off = sqrt((r - 0.5) * (r - 0.5) + p.y * p.y) - 0.15;
                }
                CHECK_NEAR(off, 0.0, 1e-14);
            }
            spFreeIndexList(&boundary);
            spDestroyMesh(mesh);
        }
    }
    // A tube that nearly fills the hole
    def.tubeRadius = 0.49;
    spMesh* mesh = spMakeTorusMesh(&def, NULL);
    spMeshReport report = Validate(mesh);
    CheckNoProblem(&report);
    spDestroyMesh(mesh);
}

static void TestIcosphere(void** state)
{
    SP_UNUSED(state);
    spShellMeshDef def = spDefaultShellMeshDef();
    def.center = (spDVec3){1, 2, 3};
    for (int level = 0; level <= 5; ++level)
    {
        int n = 1 << 2 * level;
        def.level = level;
        def.layers = level % 3 + 1;
        spMesh* mesh = spMakeIcosphereMesh(&def, NULL);
        int perLayer = 10 * n + 2;
        assert_int_equal(spMesh_GetVertexCount(mesh), def.layers * perLayer);
        assert_int_equal(spMesh_GetTriangleCount(mesh), 20 * n);
        assert_int_equal(spMesh_GetEdgeCount(mesh),
                         def.layers * 30 * n + (def.layers - 1) * (perLayer + 60 * n));
        for (int i = 0; i < spMesh_GetVertexCount(mesh); ++i)
        {
            double r = Length(Subtract(spMesh_GetVertices(mesh)[i], def.center));
            CHECK_NEAR(r, 0.5 - 0.1 * (i / perLayer), 1e-12);
        }
        // Edges of the triangles, each once, are the first edges
        for (int i = 0; i < 30 * n; ++i)
        {
            assert_true(spMesh_GetEdges(mesh)[2 * i] < perLayer &&
                        spMesh_GetEdges(mesh)[2 * i + 1] < perLayer);
        }
        spIndexList edges;
        assert_true(spMesh_CollectEdges(mesh, &edges, NULL));
        assert_int_equal(edges.count, spMesh_GetEdgeCount(mesh));
        spFreeIndexList(&edges);
        spMeshReport report = Validate(mesh);
        CheckNoProblem(&report);
        assert_true(report.closed);
        double relative = report.volume / (4.0 / 3.0 * PI * 0.125);
        assert_true(relative < 1.0);
        if (level == 4)
        {
            print_message("icosphere of level 4: volume %.3f %% low\n", 100.0 * (1.0 - relative));
            assert_true(relative > 0.997);
        }
        spDestroyMesh(mesh);
    }
}

static void TestDisc(void** state)
{
    SP_UNUSED(state);
    spShellMeshDef def = spDefaultShellMeshDef();
    for (int points = 3; points <= 40; points += 37)
    {
        for (int layers = 1; layers <= 3; ++layers)
        {
            def.points = points;
            def.layers = layers;
            spMesh* mesh = spMakeDiscMesh(&def, NULL);
            assert_int_equal(spMesh_GetVertexCount(mesh), points * layers);
            assert_int_equal(spMesh_GetEdgeCount(mesh), points * layers + 3 * points * (layers - 1));
            int neighbours[120] = {0};
            double area = 0.0;
            const spDVec3* v = spMesh_GetVertices(mesh);
            for (int i = 0; i < spMesh_GetEdgeCount(mesh); ++i)
            {
                int a = spMesh_GetEdges(mesh)[2 * i], b = spMesh_GetEdges(mesh)[2 * i + 1];
                assert_int_not_equal(a, b);
                bool along = a / points == b / points;
                assert_true(along == (i < points * layers));
                neighbours[a] += along;
                neighbours[b] += along;
                if (i < points)
                {
                    area += 0.5 * (v[a].x * v[b].y - v[a].y * v[b].x);
                }
            }
            for (int i = 0; i < points * layers; ++i)
            {
                assert_int_equal(neighbours[i], 2);
                CHECK_NEAR(Length(v[i]), 0.5 - 0.1 * (i / points), 1e-15);
            }
            // Counter-clockwise
            CHECK_NEAR(area, 0.5 * points * 0.25 * sin(2.0 * PI / points), 1e-14);
            spIndexList edges;
            assert_true(spMesh_CollectEdges(mesh, &edges, NULL));
            assert_int_equal(edges.count, spMesh_GetEdgeCount(mesh));
            spFreeIndexList(&edges);
            spDestroyMesh(mesh);
        }
    }
}

static void TestCloth(void** state)
{
    SP_UNUSED(state);
    spClothMeshDef def = spDefaultClothMeshDef();
    def.countX = def.countZ = 100;
    spMesh* mesh = spMakeClothMesh(&def, NULL);
    assert_int_equal(spMesh_GetVertexCount(mesh), 10000);
    assert_int_equal(spMesh_GetTriangleCount(mesh), 2 * 99 * 99);
    // Structural 19800, shear 2 * 9801, bend 19600
    assert_int_equal(spMesh_GetEdgeCount(mesh), 19800 + 19602 + 19600);
    const spDVec3* v = spMesh_GetVertices(mesh);
    assert_true(v[100 * 37 + 5].x == 2.0 * 37 / 99 - 1.0 && v[100 * 37 + 5].y == 2.0 &&
                v[100 * 37 + 5].z == 2.0 * 5 / 99);
    const int32_t first[6] = {0, 101, 100, 0, 1, 101};
    assert_memory_equal(spMesh_GetTriangles(mesh), first, sizeof(first));
    const int32_t structural[4] = {0, 100, 0, 1}, shear[4] = {0, 101, 1, 100}, bend[4] = {0, 200, 0, 2};
    assert_memory_equal(spMesh_GetEdges(mesh), structural, sizeof(structural));
    assert_memory_equal(spMesh_GetEdges(mesh) + 2 * 19800, shear, sizeof(shear));
    assert_memory_equal(spMesh_GetEdges(mesh) + 2 * (19800 + 19602), bend, sizeof(bend));
    spIndexList edges;
    assert_true(spMesh_CollectEdges(mesh, &edges, NULL));
    assert_int_equal(edges.count, spMesh_GetEdgeCount(mesh));
    spFreeIndexList(&edges);
    spMeshReport report = Validate(mesh);
    assert_int_equal(report.problemCounts[sp_meshOpenEdges], 4 * 99);
    assert_int_equal(report.problemCounts[sp_meshBadWinding], 0);
    CHECK_NEAR(report.surfaceArea, 4.0, 1e-12);
    spDestroyMesh(mesh);

    def.countX = 2;
    def.countZ = 3;
    def.shear = false;
    mesh = spMakeClothMesh(&def, NULL);
    assert_int_equal(spMesh_GetEdgeCount(mesh), 7 + 2);
    spDestroyMesh(mesh);
}

static void TestLattice(void** state)
{
    SP_UNUSED(state);
    for (int n = 1; n <= 9; ++n)
    {
        spLatticeMeshDef def = spDefaultLatticeMeshDef();
        def.counts[0] = def.counts[1] = n;
        spMesh* mesh = spMakeLatticeMesh(&def, NULL);
        assert_int_equal(spMesh_GetVertexCount(mesh), n * n);
        assert_int_equal(spMesh_GetEdgeCount(mesh), (n - 1) * n * 2 + 2 * (n - 1) * (n - 1));
        assert_int_equal(spMesh_GetTriangleCount(mesh), 2 * (n - 1) * (n - 1));
        spDestroyMesh(mesh);
    }
    // 3D: every inner mass has 26 neighbours, the outside is closed and looks outwards
    spLatticeMeshDef def = spDefaultLatticeMeshDef();
    def.counts[0] = 4;
    def.counts[1] = 5;
    def.counts[2] = 6;
    spMesh* mesh = spMakeLatticeMesh(&def, NULL);
    int inner = (1 * 5 + 1) * 6 + 1, neighbours = 0;
    for (int i = 0; i < 2 * spMesh_GetEdgeCount(mesh); ++i)
    {
        neighbours += spMesh_GetEdges(mesh)[i] == inner;
    }
    assert_int_equal(neighbours, 26);
    spMeshReport report = Validate(mesh);
    CheckNoProblem(&report);
    assert_true(report.closed);
    CHECK_NEAR(report.volume, 0.3 * 0.4 * 0.5, 1e-15);
    CHECK_NEAR(report.maxEdge, 0.1 * sqrt(3.0), 1e-15);
    spDestroyMesh(mesh);
}

// Every generator with numbers that make no sense, and with every allocation failing
static void TestAbuse(void** state)
{
    SP_UNUSED(state);
    const double bad[5] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
    spError error = SP_ZERO_INIT;
    for (int i = 0; i < 5; ++i)
    {
        spBoxMeshDef box = spDefaultBoxMeshDef();
        box.size.y = bad[i];
        assert_null(spMakeBoxMesh(&box, &error));
        spRoundMeshDef round = spDefaultRoundMeshDef();
        round.radius = bad[i];
        assert_null(spMakeBallMesh(&round, &error));
        round = spDefaultRoundMeshDef();
        round.height = bad[i];
        assert_null(spMakeCylinderMesh(&round, &error));
        round.tubeRadius = bad[i];
        assert_null(spMakeTorusMesh(&round, &error));
        spClothMeshDef cloth = spDefaultClothMeshDef();
        cloth.sizeZ = bad[i];
        assert_null(spMakeClothMesh(&cloth, &error));
        spLatticeMeshDef lattice = spDefaultLatticeMeshDef();
        lattice.spacing = bad[i];
        assert_null(spMakeLatticeMesh(&lattice, &error));
        spShellMeshDef shell = spDefaultShellMeshDef();
        shell.radius = bad[i];
        assert_null(spMakeDiscMesh(&shell, &error));
        assert_null(spMakeIcosphereMesh(&shell, &error));
        assert_int_equal(error.code, sp_errorBadArgument);
    }
    const int counts[4] = {0, -5, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; ++i)
    {
        spBoxMeshDef box = spDefaultBoxMeshDef();
        box.cells[0] = box.cells[1] = box.cells[2] = counts[i];
        assert_null(spMakeBoxMesh(&box, &error));
        spRoundMeshDef round = spDefaultRoundMeshDef();
        round.resolution = counts[i];
        assert_null(spMakeBallMesh(&round, &error));
        spClothMeshDef cloth = spDefaultClothMeshDef();
        cloth.countX = cloth.countZ = counts[i];
        assert_null(spMakeClothMesh(&cloth, &error));
        spLatticeMeshDef lattice = spDefaultLatticeMeshDef();
        lattice.counts[0] = lattice.counts[1] = counts[i];
        assert_null(spMakeLatticeMesh(&lattice, &error));
        spShellMeshDef shell = spDefaultShellMeshDef();
        shell.points = shell.level = counts[i];
        if (counts[i] != 0)
        {
            assert_null(spMakeIcosphereMesh(&shell, &error));
        }
        assert_null(spMakeDiscMesh(&shell, &error));
    }
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.cells[0] = box.cells[1] = box.cells[2] = 50000;
    assert_null(spMakeBoxMesh(&box, &error));
    assert_int_equal(error.code, sp_errorLimit);
    spRoundMeshDef round = spDefaultRoundMeshDef();
    round.height = 1e300;
    assert_null(spMakeCylinderMesh(&round, &error));
    round = spDefaultRoundMeshDef();
    round.tubeRadius = 0.5;
    assert_null(spMakeTorusMesh(&round, &error));
    spShellMeshDef shell = spDefaultShellMeshDef();
    shell.layers = 6;
    assert_null(spMakeDiscMesh(&shell, &error));
    memset(&shell, 0, sizeof(shell));
    assert_null(spMakeDiscMesh(&shell, &error));
    assert_int_equal(error.code, sp_errorBadDef);
}

static spMesh* Make(int which, const spAllocator* allocator, spError* error)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.allocator = *allocator;
    spRoundMeshDef round = spDefaultRoundMeshDef();
    round.allocator = *allocator;
    spClothMeshDef cloth = spDefaultClothMeshDef();
    cloth.allocator = *allocator;
    spLatticeMeshDef lattice = spDefaultLatticeMeshDef();
    lattice.allocator = *allocator;
    spShellMeshDef shell = spDefaultShellMeshDef();
    shell.allocator = *allocator;
    switch (which)
    {
        case 0:
            return spMakeBoxMesh(&box, error);
        case 1:
            return spMakeBallMesh(&round, error);
        case 2:
            return spMakeCylinderMesh(&round, error);
        case 3:
            return spMakeTorusMesh(&round, error);
        case 4:
            return spMakeClothMesh(&cloth, error);
        case 5:
            return spMakeLatticeMesh(&lattice, error);
        case 6:
            return spMakeDiscMesh(&shell, error);
        default:
            return spMakeIcosphereMesh(&shell, error);
    }
}

static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    for (int which = 0; which < 8; ++which)
    {
        spMesh* mesh = NULL;
        FailingAllocator failing = {0};
        for (int k = 0; mesh == NULL; ++k)
        {
            assert_true(k < 100);
            failing = (FailingAllocator){.failAt = k};
            spAllocator allocator = MakeFailingAllocator(&failing);
            spError error = SP_ZERO_INIT;
            mesh = Make(which, &allocator, &error);
            assert_int_equal(error.code, mesh != NULL ? sp_errorNone : sp_errorOutOfMemory);
            assert_true(mesh != NULL || failing.out == 0);
        }
        spDestroyMesh(mesh);
        assert_int_equal(failing.out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBeamCounts), cmocka_unit_test(TestKuhnOrder),
        cmocka_unit_test(TestFiveTets),   cmocka_unit_test(TestRound),
        cmocka_unit_test(TestIcosphere),  cmocka_unit_test(TestDisc),
        cmocka_unit_test(TestCloth),      cmocka_unit_test(TestLattice),
        cmocka_unit_test(TestAbuse),      cmocka_unit_test(TestFailingAllocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
