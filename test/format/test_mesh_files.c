// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Mesh files of every format: what we write reads back as the same mesh; files as other programs write them;
// every file cut off anywhere, damaged anywhere, and read without memory.

#include "format/format.h"

#include "test/mesh_test.h"
#include "test/read_file.h"

#include <stdio.h>
#include <unistd.h>

static spMesh* ReadText(const char* text, const char* hint)
{
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spParseMesh(text, strlen(text), hint, NULL, &error);
    if (mesh == NULL)
    {
        print_error("line %d: %s\n", error.line, error.message);
        fail();
    }
    return mesh;
}

static void CheckCounts(const spMesh* mesh, int vertices, int edges, int triangles, int tets)
{
    assert_int_equal(spMesh_GetVertexCount(mesh), vertices);
    assert_int_equal(spMesh_GetEdgeCount(mesh), edges);
    assert_int_equal(spMesh_GetTriangleCount(mesh), triangles);
    assert_int_equal(spMesh_GetTetCount(mesh), tets);
}

// A ball with two regions, values on vertices and tets
static spMesh* MakeBall(void)
{
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.resolution = 2;
    spMesh* mesh = spMakeBallMesh(&def, NULL);
    int tets = spMesh_GetTetCount(mesh), vertices = spMesh_GetVertexCount(mesh);
    double* values = calloc((size_t)(tets > 3 * vertices ? tets : 3 * vertices), sizeof(double));
    for (int i = 0; i < tets; ++i)
    {
        spMesh_SetTetRegion(mesh, i, i % 3 == 0 ? 7 : 0);
        values[i] = 1000.0 + 0.1 * i;
    }
    assert_true(spMesh_SetValues(mesh, sp_meshTets, "youngModulus", 1, values, NULL));
    for (int i = 0; i < 3 * vertices; ++i)
    {
        values[i] = 0.001 * i;
    }
    assert_true(spMesh_SetValues(mesh, sp_meshVertices, "displacement", 3, values, NULL));
    free(values);
    return mesh;
}

// Every format that is written: .stl keeps single precision, surfaces lose the tets
static void TestRoundTrips(void** state)
{
    SP_UNUSED(state);
    spMesh* ball = MakeBall();
    spMeshReport before;
    assert_true(spMesh_Validate(ball, &before, NULL));
    const char* name;
    for (int i = 0; (name = spGetMeshFormatName(i)) != NULL; ++i)
    {
        char path[100];
        snprintf(path, sizeof(path), "test_mesh_files.%s", strncmp(name, "msh", 3) == 0 ? "msh" : name);
        char* dash = strchr(path, '-');
        if (dash != NULL)
        {
            *dash = 0;
        }
        spError error = SP_ZERO_INIT;
        assert_true(spSaveMeshAs(ball, path, name, &error));
        spMesh* back = spLoadMesh(path, NULL, &error);
        if (back == NULL)
        {
            print_error("%s: %s\n", name, error.message);
            fail();
        }
        spMeshReport after;
        assert_true(spMesh_Validate(back, &after, NULL));
        bool stl = strncmp(name, "stl", 3) == 0;
        assert_true(after.closed);
        CHECK_NEAR(after.volume / before.volume, 1.0, stl ? 1e-6 : 1e-13);
        assert_int_equal(after.boundaryTriangleCount, before.boundaryTriangleCount);
        bool solid = spMesh_GetTetCount(back) > 0;
        if (solid)
        {
            assert_int_equal(spMesh_GetTetCount(back), spMesh_GetTetCount(ball));
            assert_memory_equal(spMesh_GetTets(back), spMesh_GetTets(ball),
                                (size_t)spMesh_GetTetCount(ball) * 4 * sizeof(int32_t));
            assert_memory_equal(spMesh_GetVertices(back), spMesh_GetVertices(ball),
                                (size_t)spMesh_GetVertexCount(ball) * sizeof(spDVec3));
            assert_int_equal(spMesh_GetTetRegions(back)[0], 7);
            assert_int_equal(spMesh_GetTetRegions(back)[3], 7);
        }
        bool holdsValues = strncmp(name, "vt", 2) == 0 || strncmp(name, "msh", 3) == 0;
        if (holdsValues)
        {
            int modulus = spMesh_FindValues(back, sp_meshTets, "youngModulus");
            int moved = spMesh_FindValues(back, sp_meshVertices, "displacement");
            assert_true(modulus >= 0 && moved >= 0);
            assert_memory_equal(spMesh_GetValues(back, sp_meshTets, modulus),
                                spMesh_GetValues(ball, sp_meshTets, 0),
                                (size_t)spMesh_GetTetCount(ball) * sizeof(double));
            assert_memory_equal(spMesh_GetValues(back, sp_meshVertices, moved),
                                spMesh_GetValues(ball, sp_meshVertices, 0),
                                (size_t)spMesh_GetVertexCount(ball) * 3 * sizeof(double));
        }
        spDestroyMesh(back);
        remove(path);
    }
    spDestroyMesh(ball);
}

// Two tets, their triangles and an edge; values of both sorts of elements, some without a number
static spMesh* MakeMixed(void)
{
    static const spDVec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    static const int32_t edges[2] = {0, 4};
    static const int32_t triangles[9] = {0, 2, 1, 1, 2, 3, 0, 1, 3};
    static const int32_t tets[8] = {0, 1, 2, 3, 1, 4, 2, 3};
    spMeshDef def = spDefaultMeshDef();
    def.vertices = points;
    def.vertexCount = 5;
    def.edges = edges;
    def.edgeCount = 1;
    def.triangles = triangles;
    def.triangleCount = 3;
    def.tets = tets;
    def.tetCount = 2;
    spMesh* mesh = spCreateMesh(&def, NULL);
    const double heat[3] = {20.5, (double)NAN, 22.0}, tetHeat[2] = {30.0, 31.0};
    const double flow[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, regions[3] = {4, (double)NAN, -5};
    assert_true(spMesh_SetValues(mesh, sp_meshTriangles, "heat", 1, heat, NULL));
    assert_true(spMesh_SetValues(mesh, sp_meshTets, "heat", 1, tetHeat, NULL));
    assert_true(spMesh_SetValues(mesh, sp_meshTriangles, "flow", 3, flow, NULL));
    assert_true(spMesh_SetValues(mesh, sp_meshTriangles, "region", 1, regions, NULL));
    return mesh;
}

// The values of this name are the same; what is not a number may become 0, where `zero`
static void CheckSameValues(const spMesh* a, const spMesh* b, spMeshPart part, const char* name, bool zero)
{
    int x = spMesh_FindValues(a, part, name), y = spMesh_FindValues(b, part, name);
    if (x < 0 || y < 0)
    {
        print_error("%s: no values %s\n", spMesh_GetFormatName(b), name);
        fail();
    }
    int components = spMesh_GetValueComponents(a, part, x);
    assert_int_equal(spMesh_GetValueComponents(b, part, y), components);
    for (int i = 0; i < components * (part == sp_meshTets ? 2 : 3); ++i)
    {
        double expected = spMesh_GetValues(a, part, x)[i], found = spMesh_GetValues(b, part, y)[i];
        assert_true(found == expected || (isnan(expected) && (isnan(found) || (zero && found == 0.0))));
    }
}

// Values of triangles beside those of tets, in every format that holds them; with regions of tets that can be
// groups of Gmsh and with such that cannot
static void TestElementValues(void** state)
{
    SP_UNUSED(state);
    static const char* const forms[] = {"msh",       "msh-binary", "msh22",     "msh22-binary", "vtu",
                                        "vtu-ascii", "vtk",        "vtk-ascii", "mesh",         "meshb"};
    for (int i = 0; i < 2 * SP_COUNT(forms); ++i)
    {
        const char *form = forms[i / 2], *path = "test_mesh_files.values";
        spMesh* mesh = MakeMixed();
        spMesh_SetTetRegion(mesh, 0, i % 2 == 0 ? 7 : -7);
        spMesh_SetTetRegion(mesh, 1, 2);
        assert_true(spSaveMeshAs(mesh, path, form, NULL));
        spMesh* back = spLoadMesh(path, NULL, NULL);
        assert_non_null(back);
        CheckCounts(back, 5, 1, 3, 2);
        CheckSameValues(mesh, back, sp_meshTriangles, "region", strncmp(form, "vt", 2) == 0);
        if (strncmp(form, "mesh", 4) != 0)
        {
            CheckSameValues(mesh, back, sp_meshTriangles, "heat", false);
            CheckSameValues(mesh, back, sp_meshTets, "heat", false);
            CheckSameValues(mesh, back, sp_meshTriangles, "flow", false);
            assert_int_equal(spMesh_FindValues(back, sp_meshTets, "flow"), -1);
            assert_int_equal(spMesh_FindValues(back, sp_meshTets, "region"), -1);
        }
        assert_int_equal(spMesh_GetTetRegions(back)[0], i % 2 == 0 ? 7 : -7);
        assert_int_equal(spMesh_GetTetRegions(back)[1], 2);
        spDestroyMesh(back);
        spDestroyMesh(mesh);
        remove(path);
    }
}

// A quad is two triangles and has its data twice; groups of surfaces are regions of triangles; data of
// elements that are not there, and data that is cut off, do no harm
static void TestMshTriangles(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = ReadText(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n"
        "$Elements\n3\n10 2 2 0 1 1 2 3\n12 3 2 9 1 1 2 4 3\n11 2 2 8 1 2 4 3\n$EndElements\n"
        "$ElementData\n1\n\"p\"\n1\n0\n3\n0\n1\n4\n12 5\n10 6\n11 7\n99 8\n$EndElementData\n"
        "$ElementData\n1\n\"q\"\n1\n0\n3\n0\n1\n2\n12 5\n10 x\n$EndElementData\n"
        "$ElementData\n1\n\"w\"\n1\n0\n3\n0\n12\n0\n$EndElementData\n",
        NULL);
    CheckCounts(mesh, 4, 0, 4, 0);
    assert_int_equal(spMesh_GetValueCount(mesh, sp_meshTriangles), 2);
    const double* p =
        spMesh_GetValues(mesh, sp_meshTriangles, spMesh_FindValues(mesh, sp_meshTriangles, "p"));
    assert_true(p[0] == 6.0 && p[1] == 5.0 && p[2] == 5.0 && p[3] == 7.0);
    const double* regions = spFindTriangleRegions(mesh);
    assert_true(isnan(regions[0]) && regions[1] == 9.0 && regions[2] == 9.0 && regions[3] == 8.0);
    spDestroyMesh(mesh);

    mesh = ReadText("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 2 0\n5 0 0 0 1 1 1 1 42 0\n"
                    "1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n"
                    "0 1 0\n1 1 0\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 1 2 3\n2 5 2 1\n2 2 4 3\n"
                    "$EndElements\n",
                    NULL);
    regions = spFindTriangleRegions(mesh);
    assert_true(isnan(regions[0]) && regions[1] == 42.0);
    spDestroyMesh(mesh);

    spError error = SP_ZERO_INIT;
    const char* twice = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n0\n"
                        "$EndElements\n$Elements\n0\n$EndElements\n";
    assert_null(spParseMesh(twice, strlen(twice), NULL, NULL, &error));
    assert_non_null(strstr(error.message, "second list of elements"));
}

// Ten points of a tet: corners stay and the others go, and so do those of its triangles. One of them is the
// end of an edge and stays.
#define SP_TEN                                                                                               \
    "0 0 0", "1 0 0", "0 1 0", "0 0 1", ".5 0 0", ".5 .5 0", "0 .5 0", "0 0 .5", "0 .5 .5", ".5 0 .5"

static void TestSecondOrder(void** state)
{
    SP_UNUSED(state);
    static const char* const points[10] = {SP_TEN};
    char list[400] = "", numbered[500] = "", commas[500] = "", flagged[500] = "", tags[100] = "";
    for (int i = 0; i < 10; ++i)
    {
        double x, y, z;
        assert_int_equal(sscanf(points[i], "%lf %lf %lf", &x, &y, &z), 3);
        sprintf(list + strlen(list), "%s\n", points[i]);
        sprintf(numbered + strlen(numbered), "%d %s\n", i + 1, points[i]);
        sprintf(commas + strlen(commas), "%d, %g, %g, %g\n", i + 1, x, y, z);
        sprintf(flagged + strlen(flagged), "%s 0\n", points[i]);
        sprintf(tags + strlen(tags), "%d\n", i + 1);
    }
    static const struct
    {
        const char *hint, *before, *after;
        int list; // which of the texts above
    } files[] = {
        {"msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n",
         "$EndNodes\n$Elements\n3\n1 11 2 3 1 1 2 3 4 5 6 7 8 9 10\n2 9 0 1 3 2 7 6 5\n3 1 0 4 10\n"
         "$EndElements\n",
         1},
        {"msh", "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 10 1 10\n3 1 0 10\n",
         "$EndNodes\n$Elements\n3 3 1 3\n3 1 11 1\n1 1 2 3 4 5 6 7 8 9 10\n2 1 9 1\n2 1 3 2 7 6 5\n"
         "1 1 1 1\n3 4 10\n$EndElements\n",
         4},
        {"vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n",
         "CELLS 3 21\n10 0 1 2 3 4 5 6 7 8 9\n6 0 2 1 6 5 4\n2 3 9\nCELL_TYPES 3\n24\n22\n3\n", 0},
        {"vtu",
         "<VTKFile type='UnstructuredGrid'><UnstructuredGrid><Piece NumberOfPoints='10' "
         "NumberOfCells='3'><Points><DataArray NumberOfComponents='3' type='Float64'>",
         "</DataArray></Points><Cells><DataArray Name='connectivity'>0 1 2 3 4 5 6 7 8 9 0 2 1 6 5 4 3 9"
         "</DataArray><DataArray Name='offsets'>10 16 18</DataArray><DataArray Name='types'>24 22 3"
         "</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>",
         0},
        {"inp", "*NODE\n",
         "*ELEMENT, TYPE=C3D10\n1, 1, 2, 3, 4, 5, 6, 7,\n8, 9, 10\n*ELEMENT, TYPE=STRI65\n2, 1, 3, 2, 7, 6, "
         "5\n*ELEMENT, TYPE=T3D2\n3, 4, 10\n",
         2},
        {"mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n10\n",
         "TetrahedraP2\n1\n1 2 3 4 5 6 7 8 9 10 3\nTrianglesP2\n1\n1 3 2 7 6 5 0\nEdges\n1\n4 10 0\nEnd\n",
         3},
    };
    for (int i = 0; i < SP_COUNT(files); ++i)
    {
        const char* lists[] = {list, numbered, commas, flagged, tags};
        char text[2000];
        snprintf(text, sizeof(text), "%s%s%s%s", files[i].before, lists[files[i].list],
                 files[i].list == 4 ? list : "", files[i].after);
        spMesh* mesh = ReadText(text, files[i].hint);
        CheckCounts(mesh, 5, 1, 1, 1);
        const int32_t tet[4] = {0, 1, 2, 3}, edge[2] = {3, 4};
        assert_memory_equal(spMesh_GetTets(mesh), tet, sizeof(tet));
        assert_memory_equal(spMesh_GetEdges(mesh), edge, sizeof(edge));
        assert_true(spMesh_GetVertices(mesh)[4].x == 0.5 && spMesh_GetVertices(mesh)[4].z == 0.5);
        spLoadReport report = spMesh_GetLoadReport(mesh);
        assert_int_equal(report.reducedCells, 2);
        assert_int_equal(report.droppedNodes, 5);
        assert_int_equal(report.skippedCells, 0);
        // Repair does not forget it
        spRepairDef repair = spDefaultRepairDef();
        assert_true(spMesh_Repair(mesh, &repair, NULL, NULL));
        assert_int_equal(spMesh_GetLoadReport(mesh).reducedCells, 2);
        spDestroyMesh(mesh);
    }
}

static void TestPly(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh =
        ReadText("ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 5\nproperty float x\n"
                 "property float y\nproperty float z\nproperty uchar red\nelement face 2\nproperty "
                 "list uchar int vertex_indices\nproperty list uchar float texcoord\nproperty int "
                 "region\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nelement "
                 "nothing 3\nend_header\n0 0 0 10\n1 0 0 20\n1 1 0 30\n0 1 0 40\n2 2 2 50\n"
                 "4 0 1 2 3 8 0 0 1 0 1 1 0 1 5\n3 0 1 4 0 6\n0 4\n",
                 NULL);
    CheckCounts(mesh, 5, 1, 3, 0);
    assert_string_equal(spMesh_GetFormatName(mesh), "PLY ascii");
    int red = spMesh_FindValues(mesh, sp_meshVertices, "red");
    int region = spMesh_FindValues(mesh, sp_meshTriangles, "region");
    assert_true(spMesh_GetValues(mesh, sp_meshVertices, red)[4] == 50.0);
    assert_true(spMesh_GetValues(mesh, sp_meshTriangles, region)[1] == 5.0);
    assert_true(spMesh_GetValues(mesh, sp_meshTriangles, region)[2] == 6.0);
    spDestroyMesh(mesh);

    // Big-endian
    const char head[] =
        "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty float "
        "y\nproperty float z\nelement face 1\nproperty list uchar short vertex_index\n"
        "end_header\n";
    uint8_t file[400];
    size_t size = sizeof(head) - 1;
    memcpy(file, head, size);
    static const uint8_t one[4] = {0x3F, 0x80, 0, 0}, zero[4] = {0};
    for (int i = 0; i < 9; ++i, size += 4)
    {
        memcpy(file + size, i == 3 || i == 7 ? one : zero, 4);
    }
    static const uint8_t face[7] = {3, 0, 0, 0, 1, 0, 2};
    memcpy(file + size, face, sizeof(face));
    size += sizeof(face);
    spError error = SP_ZERO_INIT;
    mesh = spParseMesh(file, size, NULL, NULL, &error);
    assert_non_null(mesh);
    CheckCounts(mesh, 3, 0, 1, 0);
    assert_true(spMesh_GetVertices(mesh)[1].x == 1.0 && spMesh_GetVertices(mesh)[2].y == 1.0);
    spDestroyMesh(mesh);
    assert_null(spParseMesh(file, size - 1, NULL, NULL, &error));
}

static void TestOff(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh =
        ReadText("COFF # colours\n# comment\n4 2 0\n0 0 0 255 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 0.5 0.5\n"
                 "2 0 3\n",
                 "off");
    CheckCounts(mesh, 4, 1, 2, 0);
    spDestroyMesh(mesh);
    spError error = SP_ZERO_INIT;
    assert_null(spParseMesh("OFF\n4 300000000 0\n", 18, "off", NULL, &error));
    assert_non_null(strstr(error.message, "cut off"));
}

static void TestMedit(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh =
        ReadText("MeshVersionFormatted 2\nDimension\n3\n# comment\nVertices\n4\n0 0 0 1\n1 0 0 1\n0 1 0 1\n"
                 "0 0 1 1\nCorners\n2\n1 2\nTriangles\n1\n1 2 3 9\nTetrahedra\n1\n1 2 3 4 5\n"
                 "Normals\n1\n0 0 1\nEnd\n",
                 NULL);
    CheckCounts(mesh, 4, 0, 1, 1);
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], 5);
    assert_true(spMesh_GetValues(mesh, sp_meshTriangles, 0)[0] == 9.0);
    spDestroyMesh(mesh);

    // Binary, version 2: dimension, vertices, tets
    uint8_t file[400];
    size_t size = 0;
#define PUT(type, ...)                                                                                       \
    {                                                                                                        \
        const type numbers[] = {__VA_ARGS__};                                                                \
        memcpy(file + size, numbers, sizeof(numbers));                                                       \
        size += sizeof(numbers);                                                                             \
    }
    PUT(int32_t, 1, 2)
    PUT(int32_t, 3, 20, 3)
    PUT(int32_t, 4, 20 + 12 + 4 * 28, 4)
    PUT(double, 0, 0, 0)
    PUT(int32_t, 0)
    PUT(double, 1, 0, 0)
    PUT(int32_t, 0)
    PUT(double, 0, 1, 0)
    PUT(int32_t, 0)
    PUT(double, 0, 0, 1)
    PUT(int32_t, 0)
    PUT(int32_t, 8, 20 + 12 + 4 * 28 + 12 + 20, 1, 1, 2, 3, 4, -3)
    PUT(int32_t, 54, 0)
#undef PUT
    spError error = SP_ZERO_INIT;
    mesh = spParseMesh(file, size, "meshb", NULL, &error);
    assert_non_null(mesh);
    CheckCounts(mesh, 4, 0, 0, 1);
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], -3);
    assert_string_equal(spMesh_GetFormatName(mesh), "Medit binary");
    spDestroyMesh(mesh);
}

static void TestInp(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = ReadText(
        "*HEADING\nsome words\n** comment\n*Node, nset=Nall\n1, 0., 0., 0.\n2, 1., 0, 0\n"
        "3, 0, 1., 0\n4, 0, 0, 1.\n15, 1, 1, 1\n*ELEMENT, TYPE=C3D4,\n ELSET=Soft\n10, 1, 2, 3,\n 4\n"
        "20, 2, 15, 3, 4\n*Element, type=S3\n30, 1, 2, 3\n*element, type=C3D8\n40, 1,2,3,4,1,2,3,4\n"
        "*ELSET, ELSET=Hard\n20,\n*NSET, NSET=Fixed, GENERATE\n1, 3, 2\n*MATERIAL, NAME=X\n*ELASTIC\n"
        "210000., 0.3\n",
        "inp");
    CheckCounts(mesh, 5, 0, 1, 2);
    assert_int_equal(spMesh_GetLoadReport(mesh).skippedCells, 1);
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], 1);
    assert_int_equal(spMesh_GetTetRegions(mesh)[1], 2);
    const double* fixed =
        spMesh_GetValues(mesh, sp_meshVertices, spMesh_FindValues(mesh, sp_meshVertices, "Fixed"));
    assert_non_null(fixed);
    assert_true(fixed[0] == 1.0 && isnan(fixed[1]) && fixed[2] == 1.0 && isnan(fixed[4]));
    spDestroyMesh(mesh);

    // Cards in any order: a set before its elements, nodes behind them; the last set that names a tet counts,
    // and case does not
    mesh =
        ReadText("*ELSET, ELSET=Hard, GENERATE\n11, 11\n*ELEMENT, TYPE=C3D4, ELSET=soft\n10, 1, 2, 3, 4\n"
                 "11, 2, 5, 3, 4\n*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*NODE\n5, 1, 1, 1\n3, 0, 1, 0\n4, 0, 0, 1\n"
                 "*ELEMENT, TYPE=C3D4, ELSET=SOFT\n3, 1, 2, 3, 5\n",
                 "inp");
    CheckCounts(mesh, 5, 0, 0, 3);
    const int32_t regions[3] = {2, 1, 2};
    assert_memory_equal(spMesh_GetTetRegions(mesh), regions, sizeof(regions));
    spDestroyMesh(mesh);

    // Blanks before a card do not hide it, wherever it stands
    mesh = ReadText("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n"
                    "*ELEMENT, TYPE=B31\n1, 1, 2\n  *ELEMENT, TYPE=C3D4, ELSET=A\n2, 1, 2, 3, 4\n"
                    "*MATERIAL, NAME=X\n1\n \t*ELEMENT, TYPE=C3D4, ELSET=B\n3, 2, 5, 3, 4\n",
                    "inp");
    CheckCounts(mesh, 5, 1, 0, 2);
    const int32_t indented[2] = {1, 2};
    assert_memory_equal(spMesh_GetTetRegions(mesh), indented, sizeof(indented));
    spDestroyMesh(mesh);

    // Written: one set for each region, whatever their order
    mesh = MakeBall();
    for (int i = 0; i < spMesh_GetTetCount(mesh); ++i)
    {
        spMesh_SetTetRegion(mesh, i, i % 3 == 0 ? -4 : i % 3);
    }
    assert_true(spSaveMesh(mesh, "test_mesh_files.inp", NULL));
    size_t size;
    char* text = ReadWholeFile("test_mesh_files.inp", &size);
    text[size] = 0;
    int sets = 0;
    for (const char* at = strstr(text, "*ELSET"); at != NULL; at = strstr(at + 1, "*ELSET"))
    {
        sets += 1;
    }
    assert_int_equal(sets, 3);
    assert_non_null(strstr(text, "*ELSET, ELSET=REGION_M4\n"));
    free(text);
    spMesh* back = spLoadMesh("test_mesh_files.inp", NULL, NULL);
    assert_memory_equal(spMesh_GetTetRegions(mesh), spMesh_GetTetRegions(back),
                        (size_t)spMesh_GetTetCount(mesh) * sizeof(int32_t));
    spDestroyMesh(back);
    spDestroyMesh(mesh);
    remove("test_mesh_files.inp");

    spError error = SP_ZERO_INIT;
    const char* twice = "*NODE\n1,0,0,0\n*ELEMENT, TYPE=C3D4, ELSET=A\n1,1,1,1,1\n1,1,1,1,1\n";
    assert_null(spParseMesh(twice, strlen(twice), "inp", NULL, &error));
    assert_non_null(strstr(error.message, "element 1 comes a second time"));
    const char* include = "*NODE\n1,0,0,0\n*INCLUDE, INPUT=other.inp\n";
    assert_null(spParseMesh(include, strlen(include), "inp", NULL, &error));
    assert_int_equal(error.code, sp_errorUnsupported);
    assert_int_equal(error.line, 3);
}

static void TestVeg(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh =
        ReadText("# Vega\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n\n*ELEMENTS\nTET\n"
                 "2 4 0\n1 1 2 3 4\n2 2 5 3 4\n*MATERIAL soft\nENU, 1000, 1e6, 0.45\n*MATERIAL hard\n"
                 "ENU, 2000, 5e6, 0.3\n*SET top\n2\n*REGION\nallElements, soft\n*REGION\ntop, hard\n",
                 "veg");
    CheckCounts(mesh, 5, 0, 0, 2);
    assert_int_equal(spMesh_GetTetRegions(mesh)[1], 2);
    const double* young =
        spMesh_GetValues(mesh, sp_meshTets, spMesh_FindValues(mesh, sp_meshTets, "youngModulus"));
    assert_true(young[0] == 1e6 && young[1] == 5e6);
    const double* density =
        spMesh_GetValues(mesh, sp_meshTets, spMesh_FindValues(mesh, sp_meshTets, "density"));
    const double* poisson =
        spMesh_GetValues(mesh, sp_meshTets, spMesh_FindValues(mesh, sp_meshTets, "poissonRatio"));
    assert_true(density[0] == 1000.0 && density[1] == 2000.0 && poisson[0] == 0.45 && poisson[1] == 0.3);
    spDestroyMesh(mesh);

    // Counted from 0, a set over several lines, a material of another model, a tet in no region
    const char* head = "*VERTICES\n5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n*ELEMENTS\nTETS\n"
                       "3 4 0\n0 0 1 2 3\n1 1 4 2 3\n2 0 1 2 4\n*MATERIAL m\nENU, 900, 2e5, 0.4\n"
                       "*MATERIAL rubber\nMOONEYRIVLIN, 1000, 1, 2, 3\n";
    char text[600];
    snprintf(text, sizeof(text), "%s*SET a\n0,\n1\n*SET b\n1\n*REGION\na, m\n*REGION\nb, rubber\n", head);
    mesh = ReadText(text, "veg");
    young = spMesh_GetValues(mesh, sp_meshTets, spMesh_FindValues(mesh, sp_meshTets, "youngModulus"));
    assert_true(young[0] == 2e5 && isnan(young[1]) && isnan(young[2]));
    const int32_t regions[3] = {1, 2, 0};
    assert_memory_equal(spMesh_GetTetRegions(mesh), regions, sizeof(regions));
    spDestroyMesh(mesh);
    static const struct
    {
        const char *lines, *words;
    } bad[] = {
        {"*REGION\nallElements, steel\n", "\"steel\", which the file does not define"},
        {"*REGION\nnone, m\n", "\"none\", which the file does not define"},
        {"*SET a\n3\n*REGION\na, m\n", "a set names element 3, but there are 3"},
        {"*SET a\nx\n*REGION\na, m\n", "the number of an element must stand here"},
        {"*MATERIAL n\nENU, 900\n", "Young's modulus"},
    };
    for (int i = 0; i < SP_COUNT(bad); ++i)
    {
        spError error = SP_ZERO_INIT;
        snprintf(text, sizeof(text), "%s%s", head, bad[i].lines);
        assert_null(spParseMesh(text, strlen(text), "veg", NULL, &error));
        if (strstr(error.message, bad[i].words) == NULL)
        {
            print_error("%s\n", error.message);
            fail();
        }
    }
}

static void TestVtk(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = ReadText(
        "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
        "0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\nMETADATA\nINFORMATION 0\n\nCELLS 3 8\nOFFSETS vtktypeint64\n"
        "0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 4 2 3\nCELL_TYPES 2\n10\n10\nCELL_DATA 2\n"
        "SCALARS E double 1\nLOOKUP_TABLE default\n5 6\nVECTORS w float\n1 2 3 4 5 6\nPOINT_DATA 5\n"
        "FIELD FieldData 1\nheat 1 5 float\n1 2 3 4 5\n",
        NULL);
    CheckCounts(mesh, 5, 0, 0, 2);
    assert_int_equal(spMesh_GetValueCount(mesh, sp_meshTets), 2);
    assert_true(spMesh_GetValues(mesh, sp_meshTets, 1)[5] == 6.0);
    assert_true(spMesh_GetValues(mesh, sp_meshVertices, 0)[4] == 5.0);
    spDestroyMesh(mesh);
    mesh = ReadText("# vtk DataFile Version 2.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 double\n0 0 0\n1 0 "
                    "0\n1 1 0\n0 1 0\n"
                    "POLYGONS 1 5\n4 0 1 2 3\nLINES 1 3\n2 0 2\n",
                    NULL);
    CheckCounts(mesh, 4, 1, 2, 0);
    spDestroyMesh(mesh);
}

static void TestMsh4(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh =
        ReadText("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 0 2\n1 0 0 0 0\n"
                 "1 0 0 0 1 1 1 1 42 0\n2 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 5 1 9\n0 1 0 1\n9\n1 1 1\n"
                 "3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n3 1 4 1\n"
                 "1 1 2 3 4\n3 2 4 1\n2 2 9 3 4\n$EndElements\n",
                 NULL);
    CheckCounts(mesh, 5, 0, 0, 2);
    assert_string_equal(spMesh_GetFormatName(mesh), "MSH 4.1 ascii");
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], 42);
    assert_int_equal(spMesh_GetTetRegions(mesh)[1], 0);
    spDestroyMesh(mesh);
}

// VTU as other programs write it: inline base64 with 32-bit headers, big-endian, appended raw
static void TestVtuForms(void** state)
{
    SP_UNUSED(state);
    // One triangle. Points 0 0 0, 1 0 0, 0 1 0 as big-endian floats behind a big-endian header of 36 bytes.
    spMesh* mesh = ReadText(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"BigEndian\"><UnstructuredGrid><Piece "
        "NumberOfPoints=\"3\" NumberOfCells=\"1\"><Points><DataArray type=\"Float32\" "
        "NumberOfComponents=\"3\" "
        "format=\"binary\">AAAAJAAAAAAAAAAAAAAAAD+AAAAAAAAAAAAAAAAAAAA/gAAAAAAAAA==</DataArray></"
        "Points><Cells>"
        "<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray><DataArray "
        "type=\"Int32\" Name=\"offsets\" format=\"binary\">AAAABAAAAAM=</DataArray><DataArray type=\"UInt8\" "
        "Name=\"types\" format=\"binary\">AAAAAQU=</DataArray></Cells></Piece></UnstructuredGrid></VTKFile>",
        NULL);
    CheckCounts(mesh, 3, 0, 1, 0);
    assert_true(spMesh_GetVertices(mesh)[1].x == 1.0 && spMesh_GetVertices(mesh)[2].y == 1.0);
    spDestroyMesh(mesh);

    uint8_t file[1000];
    const char* head =
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"
        "<UnstructuredGrid><Piece NumberOfPoints=\"3\" NumberOfCells=\"1\"><Points><DataArray "
        "type=\"Float64\" "
        "NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points><Cells><DataArray "
        "type=\"Int64\" "
        "Name=\"connectivity\" format=\"appended\" offset=\"80\"/><DataArray type=\"Int64\" Name=\"offsets\" "
        "format=\"appended\" offset=\"112\"/><DataArray type=\"UInt8\" Name=\"types\" format=\"appended\" "
        "offset=\"128\"/></Cells></Piece></UnstructuredGrid><AppendedData encoding=\"raw\">\n   _";
    size_t size = strlen(head);
    memcpy(file, head, size);
    struct
    {
        uint64_t pointSize;
        double points[9];
        uint64_t connectivitySize;
        int64_t connectivity[3];
        uint64_t offsetSize;
        int64_t offset;
        uint64_t typeSize;
        uint8_t type[8];
    } data = {72, {0, 0, 0, 1, 0, 0, 0, 1, 0}, 24, {0, 1, 2}, 8, 3, 1, {5}};
    memcpy(file + size, &data, sizeof(data));
    size += sizeof(data);
    const char* tail = "</AppendedData></VTKFile>";
    memcpy(file + size, tail, strlen(tail));
    size += strlen(tail);
    spError error = SP_ZERO_INIT;
    mesh = spParseMesh(file, size, NULL, NULL, &error);
    assert_non_null(mesh);
    CheckCounts(mesh, 3, 0, 1, 0);
    assert_string_equal(spMesh_GetFormatName(mesh), "VTU appended");
    spDestroyMesh(mesh);

    // A thousand pieces that name the same appended data would be a large mesh out of a small file
    char* many = malloc(300000);
    size_t length = (size_t)sprintf(many, "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian' "
                                          "header_type='UInt64'><UnstructuredGrid>");
    for (int i = 0; i < 1000; ++i)
    {
        length +=
            (size_t)sprintf(many + length, "<Piece NumberOfPoints='3' NumberOfCells='0'><Points><DataArray "
                                           "type='Float64' NumberOfComponents='3' format='appended' "
                                           "offset='0'/></Points><Cells/></Piece>");
    }
    length += (size_t)sprintf(many + length, "</UnstructuredGrid><AppendedData encoding='raw'>_");
    memcpy(many + length, &data, 80);
    length += 80 + (size_t)sprintf(many + length + 80, "</AppendedData></VTKFile>");
    assert_null(spParseMesh(many, length, NULL, NULL, &error));
    assert_non_null(strstr(error.message, "more appended data than there is"));
    free(many);
}

// Every format, cut off anywhere, with any byte changed, and without memory: a mesh or a sentence
static void TestDamage(void** state)
{
    SP_UNUSED(state);
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.cells[0] = def.cells[1] = def.cells[2] = 1;
    spMesh* box = spMakeBoxMesh(&def, NULL);
    const double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_true(spMesh_SetValues(box, sp_meshVertices, "v", 1, values, NULL));
    const char* name;
    uint64_t seed = 3;
    for (int i = 0; (name = spGetMeshFormatName(i)) != NULL; ++i)
    {
        const char* path = "test_mesh_files_damage";
        char hint[16];
        snprintf(hint, sizeof(hint), "%s", name);
        hint[strcspn(hint, "-2")] = 0;
        assert_true(spSaveMeshAs(box, path, name, NULL));
        size_t size;
        char* data = ReadWholeFile(path, &size);
        remove(path);
        char* copy = malloc(size);
        for (size_t cut = 0; cut <= size; ++cut)
        {
            memcpy(copy, data, size);
            spError error = SP_ZERO_INIT;
            spMesh* mesh = spParseMesh(copy, cut, hint, NULL, &error);
            assert_true(mesh != NULL || error.message[0] != 0);
            spDestroyMesh(mesh);
        }
        for (int k = 0; k < 3000; ++k)
        {
            memcpy(copy, data, size);
            for (int change = 0; change <= k % 4; ++change)
            {
                copy[spNextRandom(&seed) % size] = (char)spNextRandom(&seed);
            }
            spError error = SP_ZERO_INIT;
            spMesh* mesh = spParseMesh(copy, size, hint, NULL, &error);
            assert_true(mesh != NULL || error.message[0] != 0);
            spDestroyMesh(mesh);
        }
        for (int failAt = 0;; ++failAt)
        {
            FailingAllocator failing = {.failAt = failAt};
            spAllocator allocator = MakeFailingAllocator(&failing);
            spError error = SP_ZERO_INIT;
            spMesh* mesh = spParseMesh(data, size, hint, &allocator, &error);
            bool reached = failing.count > failAt;
            if (mesh == NULL && error.code != sp_errorOutOfMemory)
            {
                print_error("%s, allocation %d: %s\n", name, failAt, error.message);
                fail();
            }
            spDestroyMesh(mesh);
            assert_int_equal(failing.out, 0);
            if (!reached)
            {
                break;
            }
        }
        free(copy);
        free(data);
    }
    spDestroyMesh(box);
}

// Two balls, one with holes: the large one stays, holes of three and more edges are closed
static void TestRepairParts(void** state)
{
    SP_UNUSED(state);
    spShellMeshDef def = spDefaultShellMeshDef();
    def.level = 2;
    spMesh* ball = spMakeIcosphereMesh(&def, NULL);
    int count = spMesh_GetTriangleCount(ball), vertices = spMesh_GetVertexCount(ball);
    spMeshReport whole;
    assert_true(spMesh_Validate(ball, &whole, NULL));

    // All triangles but two that do not touch, and those around one vertex; and a triangle far away
    int32_t* triangles = malloc((size_t)(3 * count + 3) * sizeof(int32_t));
    spDVec3* points = malloc((size_t)(vertices + 3) * sizeof(spDVec3));
    memcpy(points, spMesh_GetVertices(ball), (size_t)vertices * sizeof(spDVec3));
    int kept = 0, around = 0;
    int32_t hub = spMesh_GetTriangles(ball)[3 * (count / 2)];
    for (int i = 0; i < count; ++i)
    {
        const int32_t* t = spMesh_GetTriangles(ball) + 3 * i;
        bool touches = t[0] == hub || t[1] == hub || t[2] == hub;
        around += touches;
        if (i != 0 && !touches)
        {
            memcpy(triangles + 3 * kept++, t, 3 * sizeof(int32_t));
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        points[vertices + k] = (spDVec3){10.0 + k, k == 1, 0};
        triangles[3 * kept + k] = vertices + k;
    }
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = points;
    meshDef.vertexCount = vertices + 3;
    meshDef.triangles = triangles;
    meshDef.triangleCount = kept + 1;
    spMesh* mesh = spCreateMesh(&meshDef, NULL);
    spRepairDef repair = spDefaultRepairDef();
    repair.keepLargest = true;
    repair.closeHoles = 4;
    spRepairReport report;
    assert_true(spMesh_Repair(mesh, &repair, &report, NULL));
    assert_int_equal(report.droppedParts, 1);
    assert_int_equal(report.closedHoles, 1);
    assert_int_equal(report.addedTriangles, 1);
    repair.closeHoles = SP_MAX_HOLE;
    assert_true(spMesh_Repair(mesh, &repair, &report, NULL));
    assert_int_equal(report.closedHoles, 1);
    assert_int_equal(report.addedTriangles, around);
    spMeshReport after;
    assert_true(spMesh_Validate(mesh, &after, NULL));
    assert_true(after.closed && after.componentCount == 1 && after.problemCounts[sp_meshBadWinding] == 0);
    CHECK_NEAR(after.volume / whole.volume, 1.0, 0.02);
    repair.closeHoles = SP_MAX_HOLE + 1;
    assert_false(spMesh_Repair(mesh, &repair, &report, NULL));
    spDestroyMesh(mesh);
    spDestroyMesh(ball);
    free(triangles);
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRoundTrips),   cmocka_unit_test(TestElementValues),
        cmocka_unit_test(TestMshTriangles), cmocka_unit_test(TestSecondOrder),
        cmocka_unit_test(TestPly),          cmocka_unit_test(TestOff),
        cmocka_unit_test(TestMedit),        cmocka_unit_test(TestInp),
        cmocka_unit_test(TestVeg),          cmocka_unit_test(TestVtk),
        cmocka_unit_test(TestMsh4),         cmocka_unit_test(TestVtuForms),
        cmocka_unit_test(TestDamage),       cmocka_unit_test(TestRepairParts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
