// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Mesh files: every reader and writer, real files, damaged files.

#include "format/format.h"

#include "test/mesh_test.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA SOUPLE_SOURCE_DIR "/data"

static spMesh* Parse(const char* text, const char* hint, spError* error)
{
    return spParseMesh(text, strlen(text), hint, NULL, error);
}

static spMesh* ParseGood(const char* text, const char* hint)
{
    spError error = SP_ZERO_INIT;
    spMesh* mesh = Parse(text, hint, &error);
    if (mesh == NULL)
    {
        print_error("line %d: %s\n", error.line, error.message);
        fail();
    }
    return mesh;
}

// Refused with this code, at this line, with these words
static void CheckRefused(const char* text, const char* hint, spErrorCode code, int line, const char* words)
{
    spError error = SP_ZERO_INIT;
    spMesh* mesh = Parse(text, hint, &error);
    bool right =
        mesh == NULL && error.code == code && error.line == line && strstr(error.message, words) != NULL;
    if (!right)
    {
        print_error("%s, line %d: %s\nfor\n%s\n", spErrorCode_GetName(error.code), error.line, error.message,
                    text);
        fail();
    }
}

static void CheckNumber(const char* text)
{
    const char* stop;
    double value;
    assert_true(spParseReal(text, text + strlen(text), &stop, &value));
    double expected = strtod(text, NULL);
    if (memcmp(&value, &expected, sizeof(value)) != 0)
    {
        print_error("%s reads as %.17g instead of %.17g\n", text, value, expected);
        fail();
    }
    assert_true(*stop == 0);
}

// In as few digits as printf needs, 15 at least
static void CheckShortest(double value)
{
    char text[64], expected[64];
    spFormatReal(value, text);
    for (int digits = 15; digits <= 17; ++digits)
    {
        snprintf(expected, sizeof(expected), "%.*g", digits, value);
        if (strtod(expected, NULL) == value)
        {
            break;
        }
    }
    assert_string_equal(text, expected);
}

static void TestNumbers(void** state)
{
    SP_UNUSED(state);
    const char* const texts[] = {"0",
                                 "-0",
                                 "1",
                                 "-1.5e3",
                                 ".5",
                                 "5.",
                                 "+7",
                                 "1e22",
                                 "1e23",
                                 "9007199254740993",
                                 "9007199254740992.5",
                                 "1.4880100000000001",
                                 "18446744073709551615",
                                 "1844674407370955161600000",
                                 "0.1e-27",
                                 "123456789012345678e27",
                                 "1e308",
                                 "1e309",
                                 "4.9e-324",
                                 "2.4703282292062327e-324",
                                 "2.2250738585072011e-308",
                                 "0.000000000000000000000000000000000000001",
                                 "179769313486231580793728971405301e276",
                                 "1.00000000000000011102230246251565404236316680908203125",
                                 "1.00000000000000011102230246251565404236316680908203124",
                                 "1.00000000000000011102230246251565404236316680908203126",
                                 "00000000000000000000000000000000000001.5",
                                 "1e-400",
                                 "0e999999999"};
    for (int i = 0; i < SP_COUNT(texts); ++i)
    {
        CheckNumber(texts[i]);
    }
    for (int i = -330; i < 320; ++i)
    {
        // Around powers of ten, where rounding makes a number longer
        double power = pow(10.0, i), below = power, above = power;
        for (int k = 0; k < 20 && isfinite(above); ++k)
        {
            CheckShortest(below);
            CheckShortest(-above);
            below = nextafter(below, 0.0);
            above = nextafter(above, INFINITY);
        }
    }
    uint64_t seed = 9;
    for (int i = 0; i < 100000; ++i)
    {
        char text[64];
        uint64_t bits = spNextRandom(&seed);
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (i % 2 == 0)
        {
            value = spRandomRange(&seed, -10.0, 10.0) * pow(10.0, (double)(int)(bits % 60) - 30.0);
        }
        if (isfinite(value))
        {
            snprintf(text, sizeof(text), "%.*g", (int)(3 + bits % 18), value);
            CheckNumber(text);
            // What is written reads back as the same number
            const char* stop;
            double back;
            int length = spFormatReal(value, text);
            assert_true(spParseReal(text, text + length, &stop, &back));
            assert_true(back == value);
            CheckShortest(value);
        }
    }
    const char* stop;
    double value;
    const char* const none[] = {"", "-", "+", ".", "e5", "-.e1", "abc", "i", "na"};
    for (int i = 0; i < SP_COUNT(none); ++i)
    {
        assert_false(spParseReal(none[i], none[i] + strlen(none[i]), &stop, &value));
    }
    const char words[] = "-inf NaN";
    assert_true(spParseReal(words, words + 4, &stop, &value) && value == -INFINITY);
    assert_true(spParseReal(words + 5, words + 8, &stop, &value) && isnan(value));
    spScanner scanner = spMakeScanner("1.5x", 4);
    assert_false(spScanReal(&scanner, &value));
    int64_t integer;
    scanner = spMakeScanner("99999999999999999999", 20);
    assert_false(spScanInteger(&scanner, &integer));
}

// A comma as decimal point must change nothing, in either direction
static void TestLocale(void** state)
{
    SP_UNUSED(state);
    const char* const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8", "de_DE", "fr_FR"};
    bool set = false;
    for (int i = 0; i < SP_COUNT(names) && !set; ++i)
    {
        set = setlocale(LC_ALL, names[i]) != NULL && localeconv()->decimal_point[0] == ',';
    }
    if (!set)
    {
        setlocale(LC_ALL, "C");
        print_message("no locale with a decimal comma is installed here, so this is not tested\n");
        skip();
    }
    const char* stop;
    double value;
    const char* text = "1.2345678901234567890123e-5";
    bool ok = spParseReal(text, text + strlen(text), &stop, &value);
    char buffer[32];
    spFormatReal(0.1, buffer);
    setlocale(LC_ALL, "C");
    assert_true(ok && *stop == 0 && value == 1.2345678901234567890123e-5);
    assert_string_equal(buffer, "0.1");
}

static const char cubeObj[] = "# a cube\r\n"
                              "mtllib x.mtl\r\no cube\r\n"
                              "v 0 0 0\r\nv 1 0 0 1.0\r\nv 0 1 0 0.5 0.5 0.5\r\nv 1 1 0\r\n"
                              "vt 0 0\r\nvn 0 0 1\r\n"
                              "v 0 0 1 # up\r\nv 1 0 1\r\nv 0 1 1\r\nv 1 1 1\r\n"
                              "usemtl \\\r\nred\r\ns off\r\n"
                              "f 1 3 4 2\r\nf 5/1 6/1 8/1 7/1\r\nf 1//1 2//1 6//1 5//1\r\n"
                              "f 3/1/1 7/1/1 \\\r\n 8/1/1 4/1/1\r\nf -8 -4 -2 -6\r\nf -7 -5 -1 -3 # last\r\n"
                              "l 1 2 3\r\np 1\r\n";

static void TestObj(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = ParseGood(cubeObj, "obj");
    assert_int_equal(spMesh_GetVertexCount(mesh), 8);
    assert_int_equal(spMesh_GetTriangleCount(mesh), 12);
    assert_int_equal(spMesh_GetEdgeCount(mesh), 2);
    assert_string_equal(spMesh_GetFormatName(mesh), "OBJ");
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    assert_true(report.closed);
    CHECK_NEAR(report.volume, 1.0, 1e-15);
    for (int i = 0; i < sp_meshProblemCount; ++i)
    {
        assert_int_equal(report.problemCounts[i], 0);
    }
    spDestroyMesh(mesh);

    // A vertex may come after the face that uses it; old line ends; a byte-order mark
    mesh = ParseGood("\xEF\xBB\xBF"
                     "f 1 2 3\rv 0 0 0\rv 1 0 0\rv 0 1 0",
                     "mesh.OBJ");
    assert_int_equal(spMesh_GetTriangleCount(mesh), 1);
    spDestroyMesh(mesh);

    // A face with two corners is an edge
    mesh = ParseGood("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\nf 2/1 3/1\nf 1 2 3\n", "obj");
    assert_int_equal(spMesh_GetTriangleCount(mesh), 1);
    assert_int_equal(spMesh_GetEdgeCount(mesh), 2);
    assert_int_equal(spMesh_GetEdges(mesh)[3], 2);
    spDestroyMesh(mesh);

    CheckRefused("v 0 0 0\nv 1 0\n", "obj", sp_errorFileFormat, 2, "three coordinates");
    CheckRefused("v 0 nan 0\n", "obj", sp_errorFileFormat, 1, "not finite");
    CheckRefused("v 0 0 0\nv 1e999 0 0\n", "obj", sp_errorFileFormat, 2, "not finite");
    CheckRefused("v 0 0 0\n\nf 1 1 2\n", "obj", sp_errorFileFormat, 3, "vertex 2 does not exist");
    CheckRefused("v 0 0 0\nf 1 1 -2\n", "obj", sp_errorFileFormat, 2, "vertex -2");
    CheckRefused("v 0 0 0\nf 1 1 0\n", "obj", sp_errorFileFormat, 2, "vertex 0");
    CheckRefused("v 0 0 0\nf 1\n", "obj", sp_errorFileFormat, 2, "at least 3");
    CheckRefused("v 0 0 0\nf 1 1 99999999999999999999\n", "obj", sp_errorFileFormat, 2, "'99999999999999");
    CheckRefused("v 0 0 0\nf 1 x 1\n", "obj", sp_errorFileFormat, 2, "'x'");
    CheckRefused("v 0,5 0 0\n", "obj", sp_errorFileFormat, 1, "',5'");
    CheckRefused("hello\n", "obj", sp_errorFileFormat, 0, "no vertices");
    CheckRefused("hello\n", NULL, sp_errorUnsupported, 0, ".obj");
    CheckRefused("1 3 0 0\n", "node", sp_errorFileFormat, 2, ".node: line 2");
    CheckRefused("", "obj", sp_errorFileFormat, 0, "empty");
}

// The value "region" of triangles, 0 where there is none
static void CheckObjRegions(const char* lines, const int* expected, int count)
{
    char text[400];
    snprintf(text, sizeof(text), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n%s", lines);
    spMesh* mesh = ParseGood(text, "obj");
    assert_int_equal(spMesh_GetTriangleCount(mesh), count);
    const double* regions = spFindTriangleRegions(mesh);
    for (int i = 0; i < count; ++i)
    {
        assert_int_equal(regions != NULL && isfinite(regions[i]) ? (int)regions[i] : 0, expected[i]);
    }
    spDestroyMesh(mesh);
}

static void TestObjGroups(void** state)
{
    SP_UNUSED(state);
    // A name that comes again is the same group; a quad is two triangles; before the first there is none
    CheckObjRegions(
        "f 1 2 3\ng left\nf 1 2 4 3\ng right side # x\nf 2 4 3\ng left\nf 1 3 2\ng right side\nf 2 3 4\n",
        (int[]){0, 1, 1, 2, 1, 2}, 6);
    // Groups count before objects, objects before materials, whatever stands first
    CheckObjRegions("o a\ng x\nusemtl m\nf 1 2 3\ng y\nf 2 4 3\n", (int[]){1, 2}, 2);
    CheckObjRegions("usemtl m\nusemtl n\no a\nf 1 2 3\no b\nusemtl m\nf 2 4 3\n", (int[]){1, 2}, 2);
    CheckObjRegions("g x\no a\nusemtl m\nf 1 2 3\nusemtl n\nf 2 4 3\n", (int[]){1, 2}, 2);
    // One group tells nothing, unless its name says a number
    CheckObjRegions("g\nf 1 2 3\n", (int[]){0}, 1);
    CheckObjRegions("g default\nf 1 2 3\n", (int[]){0}, 1);
    CheckObjRegions("g region_7\nf 1 2 3\n", (int[]){7}, 1);
    CheckObjRegions("g REGION_M3\nf 1 2 3\ng other\nf 2 4 3\n", (int[]){-3, 2}, 2);
    CheckObjRegions("g a \\\n b\nf 1 2 3\ng\nf 2 4 3", (int[]){1, 2}, 2);

    // There and back
    spMesh* mesh = ParseGood(cubeObj, "obj");
    double regions[12];
    for (int i = 0; i < 12; ++i)
    {
        regions[i] = i < 3 ? (double)NAN : i % 4 - 1.0;
    }
    assert_true(spMesh_SetValues(mesh, sp_meshTriangles, "region", 1, regions, NULL));
    const char* path = SOUPLE_BINARY_DIR "/test/groups.obj";
    assert_true(spSaveMesh(mesh, path, NULL));
    spMesh* back = spLoadMesh(path, NULL, NULL);
    assert_non_null(back);
    const double* read = spFindTriangleRegions(back);
    assert_non_null(read);
    for (int i = 0; i < 12; ++i)
    {
        assert_true(i < 3 ? isnan(read[i]) : read[i] == regions[i]);
    }
    spDestroyMesh(back);
    // A mesh without regions has no groups
    spMesh* plain = ParseGood("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "obj");
    assert_int_equal(spMesh_GetValueCount(plain, sp_meshTriangles), 0);
    spDestroyMesh(plain);
    spDestroyMesh(mesh);
    remove(path);
}

// The cube as STL
static size_t MakeStl(char* buffer, size_t size, bool binary, const char* header)
{
    spMesh* mesh = ParseGood(cubeObj, "obj");
    const spDVec3* v = spMesh_GetVertices(mesh);
    size_t length = 0;
    if (binary)
    {
        memset(buffer, 0, size);
        memcpy(buffer, header, strlen(header));
        buffer[80] = 12;
        length = 84;
        for (int i = 0; i < 12; ++i, length += 50)
        {
            for (int j = 0; j < 3; ++j)
            {
                spDVec3 p = v[spMesh_GetTriangles(mesh)[3 * i + j]];
                float xyz[3] = {(float)p.x, (float)p.y, (float)p.z};
                memcpy(buffer + length + 12 + 12 * j, xyz, 12);
            }
        }
    }
    else
    {
        length += (size_t)snprintf(buffer, size, "%s\n", header);
        for (int i = 0; i < 12; ++i)
        {
            length += (size_t)snprintf(buffer + length, size - length, " facet normal 0 0 0\n  outer loop\n");
            for (int j = 0; j < 3; ++j)
            {
                spDVec3 p = v[spMesh_GetTriangles(mesh)[3 * i + j]];
                length +=
                    (size_t)snprintf(buffer + length, size - length, "   vertex %g %g %g\n", p.x, p.y, p.z);
            }
            length += (size_t)snprintf(buffer + length, size - length, "  endloop\n endfacet\n");
        }
        length += (size_t)snprintf(buffer + length, size - length, "endsolid cube facet\n");
    }
    spDestroyMesh(mesh);
    return length;
}

static void CheckStl(const char* data, size_t size, const char* hint, const char* name)
{
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spParseMesh(data, size, hint, NULL, &error);
    if (mesh == NULL)
    {
        print_error("%s\n", error.message);
        fail();
    }
    assert_string_equal(spMesh_GetFormatName(mesh), name);
    assert_int_equal(spMesh_GetVertexCount(mesh), 8);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    assert_true(report.closed);
    CHECK_NEAR(report.volume, 1.0, 1e-15);
    spDestroyMesh(mesh);
}

static void TestStl(void** state)
{
    SP_UNUSED(state);
    char buffer[8192];
    size_t size = MakeStl(buffer, sizeof(buffer), false, "solid a cube, vertex or facet");
    CheckStl(buffer, size, "stl", "STL ascii");
    CheckStl(buffer, size, NULL, "STL ascii");
    // "end solid", "end facet" and "end loop" as two words
    char spaced[8192];
    size_t length = 0;
    for (size_t i = 0; i < size; ++i)
    {
        spaced[length++] = buffer[i];
        if (i >= 2 && memcmp(buffer + i - 2, "end", 3) == 0)
        {
            spaced[length++] = ' ';
        }
    }
    CheckStl(spaced, length, "stl", "STL ascii");
    CheckRefused("solid x\nend\n", "stl", sp_errorFileFormat, 2, "'end'");
    size = MakeStl(buffer, sizeof(buffer), true, "solid written by a program that likes confusion");
    CheckStl(buffer, size, "stl", "STL binary");
    CheckStl(buffer, size, NULL, "STL binary");
    CheckStl(buffer, size + 7, "stl", "STL binary"); // a few bytes too many
    size = MakeStl(buffer, sizeof(buffer), true, "$Nodes <xml>");
    CheckStl(buffer, size, "a.stl", "STL binary");

    spError error = SP_ZERO_INIT;
    assert_null(spParseMesh(buffer, size - 1, "stl", NULL, &error));
    assert_non_null(strstr(error.message, "cut off"));
    float bad = NAN;
    memcpy(buffer + 84 + 50 * 3 + 12 + 4, &bad, 4);
    assert_null(spParseMesh(buffer, size, "stl", NULL, &error));
    assert_non_null(strstr(error.message, "triangle 3"));
    CheckRefused("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\nendfacet\nendsolid", "stl",
                 sp_errorFileFormat, 6, "1 vertices");
    CheckRefused("solid x\nvertex 0 0 0 vertex 0 0 0\nvertex 0 0 0 vertex 0 0 0\n", "stl", sp_errorFileFormat,
                 3, "more than three");
    CheckRefused("solid x\nfaset\n", "stl", sp_errorFileFormat, 2, "'faset'");
    CheckRefused("solid x\n", "stl", sp_errorFileFormat, 2, "endsolid");
    CheckRefused("solid x\nendsolid\n", "stl", sp_errorFileFormat, 0, "no vertices");
}

static void WriteHere(const char* name, const char* text)
{
    char path[4096];
    snprintf(path, sizeof(path), SOUPLE_BINARY_DIR "/test/veg/%s", name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void CheckInclude(const char* text, spErrorCode code, const char* part)
{
    WriteHere("main.veg", text);
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spLoadMesh(SOUPLE_BINARY_DIR "/test/veg/main.veg", NULL, &error);
    if (error.code != code || (part != NULL && strstr(error.message, part) == NULL))
    {
        print_error("%s: %s\n", text, error.message);
        fail();
    }
    assert_true((mesh != NULL) == (code == sp_errorNone));
    if (mesh != NULL)
    {
        assert_int_equal(spMesh_GetVertexCount(mesh), 4);
        assert_int_equal(spMesh_GetTetCount(mesh), 1);
        assert_int_equal(spMesh_GetTetRegions(mesh)[0], 1);
    }
    spDestroyMesh(mesh);
}

#define VEG_END                                                                                              \
    "*ELEMENTS\nTETS\n*INCLUDE sub/tet.ele\n*MATERIAL m\nENU, 1000, 1e6, 0.4\n*REGION\nallElements, m\n"

// A Vega file may include others of its folder, and none else
static void TestVegIncludes(void** state)
{
    SP_UNUSED(state);
    mkdir(SOUPLE_BINARY_DIR "/test/veg", 0777);
    mkdir(SOUPLE_BINARY_DIR "/test/veg/sub", 0777);
    WriteHere("tet.node", "4 3 0 0\r\n1 0 0 0\r\n2 1 0 0\r\n3 0 1 0\r\n4 0 0 1 # last");
    WriteHere("sub/tet.ele", "# nested, relative to the mesh\n*include sub/deep.ele\n");
    WriteHere("sub/deep.ele", "1 4 0\n1 1 2 3 4\n");
    WriteHere("circle.node", "*INCLUDE circle.node\n");
    WriteHere("main.circle", "*INCLUDE main.veg\n");
    WriteHere("bad.node", "4 3 0 0\n1 0 0 0\n2 1 0 x\n");
    WriteHere("../outside.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
    remove(SOUPLE_BINARY_DIR "/test/veg/link.node");
    assert_int_equal(symlink("../outside.node", SOUPLE_BINARY_DIR "/test/veg/link.node"), 0);
    remove(SOUPLE_BINARY_DIR "/test/veg/pipe.node");
    assert_int_equal(mkfifo(SOUPLE_BINARY_DIR "/test/veg/pipe.node", 0600), 0);

    CheckInclude("*VERTICES\n  *Include tet.node \n" VEG_END, sp_errorNone, NULL);
    CheckInclude("*VERTICES\n*INCLUDE ../outside.node\n" VEG_END, sp_errorUnsupported,
                 "only files in the folder");
    CheckInclude("*VERTICES\n*INCLUDE sub/../tet.node\n" VEG_END, sp_errorUnsupported,
                 "only files in the folder");
    CheckInclude("*VERTICES\n*INCLUDE " SOUPLE_BINARY_DIR "/test/veg/tet.node\n" VEG_END, sp_errorUnsupported,
                 "line 2");
    CheckInclude("*VERTICES\n*INCLUDE link.node\n" VEG_END, sp_errorUnsupported, "no plain file");
    CheckInclude("*VERTICES\n*INCLUDE pipe.node\n" VEG_END, sp_errorUnsupported, "no plain file");
    CheckInclude("*VERTICES\n*INCLUDE sub\n" VEG_END, sp_errorUnsupported, "no plain file");
    CheckInclude("*VERTICES\n*INCLUDE\n" VEG_END, sp_errorUnsupported, "only files in the folder");
    CheckInclude("*VERTICES\n\n*INCLUDE absent.node\n" VEG_END, sp_errorFileNotFound, "main.veg: line 3");
    CheckInclude("*VERTICES\n*INCLUDE circle.node\n" VEG_END, sp_errorFileFormat, "a second time");
    CheckInclude("*VERTICES\n*INCLUDE main.circle\n" VEG_END, sp_errorFileFormat, "a second time");
    CheckInclude("*VERTICES\n*INCLUDE tet.node\n*VERTICES\n*INCLUDE tet.node\n", sp_errorFileFormat,
                 "a second time");
    CheckInclude("*VERTICES\n*INCLUDE bad.node\n" VEG_END, sp_errorFileFormat, "bad.node: line 3");
    CheckInclude("*VERTICES\n*INCLUDE tet.node\n*WRONG\n", sp_errorFileFormat, "main.veg: line 3");
    for (int i = 0; i < 10; ++i)
    {
        char name[32], text[64];
        snprintf(name, sizeof(name), "deep%d", i);
        snprintf(text, sizeof(text), "*INCLUDE deep%d\n", i + 1);
        WriteHere(name, text);
    }
    CheckInclude("*INCLUDE deep0\n", sp_errorLimit, "8 deep");
    CheckRefused("*INCLUDE tet.node\n", "veg", sp_errorUnsupported, 1, "read from a file");

    // Each allocation fails in turn
    WriteHere("main.veg", "*VERTICES\n*INCLUDE tet.node\n" VEG_END);
    FailingAllocator failing = {.failAt = 0};
    spAllocator allocator = MakeFailingAllocator(&failing);
    spMesh* mesh = NULL;
    for (int k = 0; mesh == NULL; ++k)
    {
        assert_true(k < 100);
        failing = (FailingAllocator){.failAt = k};
        spError error = SP_ZERO_INIT;
        mesh = spLoadMesh(SOUPLE_BINARY_DIR "/test/veg/main.veg", &allocator, &error);
        assert_int_equal(error.code, mesh != NULL ? sp_errorNone : sp_errorOutOfMemory);
        assert_true(mesh != NULL || failing.out == 0);
    }
    spDestroyMesh(mesh);
}

static const char smallMsh[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n"
    "$Nodes\n5\n30 0 0 0\n10 1 0 0\n-4 0 1 0\n1000000000000 0 0 1\n0 1 1 1\n$EndNodes\n"
    "$Elements\n7\n1 15 2 0 1 30\n2 1 2 0 1 30 10\n3 2 2 0 1 30 -4 10\n"
    "4 4 2 7 1 30 10 -4 1000000000000\n5 4 0 10 -4 1000000000000 0\n"
    "6 5 2 0 1 30 10 -4 0 30 10 -4 0\n7 77 2 0 1 9 9 9\n$EndElements\n";

static void TestMshText(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = ParseGood(smallMsh, NULL);
    assert_string_equal(spMesh_GetFormatName(mesh), "MSH 2.2 ascii");
    assert_int_equal(spMesh_GetVertexCount(mesh), 5);
    assert_int_equal(spMesh_GetEdgeCount(mesh), 1);
    assert_int_equal(spMesh_GetTriangleCount(mesh), 1);
    assert_int_equal(spMesh_GetTetCount(mesh), 2);
    assert_int_equal(spMesh_GetLoadReport(mesh).skippedCells, 2);
    const int32_t tets[8] = {0, 1, 2, 3, 1, 2, 3, 4}, regions[2] = {7, 0};
    assert_memory_equal(spMesh_GetTets(mesh), tets, sizeof(tets));
    assert_memory_equal(spMesh_GetTetRegions(mesh), regions, sizeof(regions));
    spDestroyMesh(mesh);

    // Second order: corners stay, middle nodes go unless something else uses them
    mesh = ParseGood("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                     "5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n$EndNodes\n"
                     "$Elements\n3\n1 11 2 3 1 1 2 3 4 5 6 7 8 9 10\n2 9 0 1 3 2 7 6 5\n3 1 0 4 10\n"
                     "$EndElements\n",
                     NULL);
    assert_int_equal(spMesh_GetVertexCount(mesh), 5);
    assert_int_equal(spMesh_GetEdges(mesh)[1], 4);
    assert_true(spMesh_GetVertices(mesh)[4].x == 0.5);
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], 3);
    assert_int_equal(spMesh_GetTriangleCount(mesh), 1);
    spDestroyMesh(mesh);

    mesh = ParseGood(
        "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 5 1 4 1 2 3 4\n$ENDELM\n", NULL);
    assert_string_equal(spMesh_GetFormatName(mesh), "MSH 1 ascii");
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], 5);
    spDestroyMesh(mesh);
}

static void TestMshRefuses(void** state)
{
    SP_UNUSED(state);
    const char* head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    static const struct
    {
        const char* text;
        int line; // after the head, from 1
        const char* words;
    } cases[] = {
        {"$Nodes\n2000000000\n1 0 0 0\n$EndNodes\n", 2, "2000000000"},
        {"$Nodes\n300000000\n1 0 0 0\n$EndNodes\n", 2, "only"},
        {"$Nodes\n-1\n$EndNodes\n", 2, "-1"},
        {"$Nodes\n1\n1 0 inf 0\n$EndNodes\n", 3, "not finite"},
        {"$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", 4, "second time (first in line 6)"},
        {"$Nodes\n3\n5 0 0 0\n1 0 0 0\n5 0 0 0\n$EndNodes\n", 5, "node 5"},
        {"$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", 4, "$EndNodes is missing"},
        {"$Nodes\n2\n1 0 0 0\n$EndNodes\n", 4, "whole number"},
        {"$Elements\n0\n$EndElements\n", 1, "before the nodes"},
        {"$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 1 1 3\n$EndElements\n", 7, "node 3"},
        {"$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 5000 1 1 1 3\n$EndElements\n", 7, "5000"},
        {"$Nodes\n1\n1 0 0 0\n$EndNodes\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", 5, "second list"},
        {"$Nodes\n1\n1 0 0 0\n$EndNodes\n$Data\n1 2 3\n", 5, "$EndData"},
        {"$Nodes\n1\n1 0 0 0\n$EndNodes\nrubbish\n", 5, "'rubbish'"},
    };
    for (int i = 0; i < SP_COUNT(cases); ++i)
    {
        char text[512];
        snprintf(text, sizeof(text), "%s%s", head, cases[i].text);
        CheckRefused(text, NULL, sp_errorFileFormat, cases[i].line + 3, cases[i].words);
    }
    CheckRefused("$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", NULL, sp_errorUnsupported, 2, "msh41");
    CheckRefused("$Nodes\n1\n1 0 0 0\n$EndNodes\n", NULL, sp_errorFileFormat, 1, "$MeshFormat");
    CheckRefused(
        "$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n2\n1 5 0 0 8 1 1 1 1 1 1 1 1\n2 6 0 0 6 1 1 1 1 1 1\n$ENDELM\n",
        NULL, sp_errorUnsupported, 0, "none of the 2 cells");
}

// The small mesh again, in binary of either byte order
static size_t MakeBinaryMsh(char* buffer, bool swapped)
{
    static const int32_t ids[5] = {30, 10, -4, 77, 0};
    static const double xyz[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const int32_t elements[] = {4,  2,  2,  1,  7,  1,  30, 10, -4, 77, 2,  0,
                                       1,  10, -4, 77, 0,                              // two tets
                                       15, 1,  0,  9,  30,                             // a point
                                       5,  1,  0,  10, 30, 10, -4, 0,  30, 10, -4, 0}; // a brick
    char* at = buffer;
    at += sprintf(at, "$MeshFormat\n2.2 1 8\n");
#define PUT(value)                                                                                           \
    do                                                                                                       \
    {                                                                                                        \
        const char* bytes = (const char*)&(value);                                                           \
        for (size_t b = 0; b < sizeof(value); ++b)                                                           \
        {                                                                                                    \
            *at++ = bytes[swapped ? sizeof(value) - 1 - b : b];                                              \
        }                                                                                                    \
    } while (0)
    int32_t one = 1;
    PUT(one);
    at += sprintf(at, "\n$EndMeshFormat\n$Nodes\n5\n");
    for (int i = 0; i < 5; ++i)
    {
        PUT(ids[i]);
        PUT(xyz[3 * i]);
        PUT(xyz[3 * i + 1]);
        PUT(xyz[3 * i + 2]);
    }
    at += sprintf(at, "\n$EndNodes\n$Elements\n4\n");
    for (int i = 0; i < SP_COUNT(elements); ++i)
    {
        PUT(elements[i]);
    }
#undef PUT
    at += sprintf(at, "\n$EndElements\n");
    return (size_t)(at - buffer);
}

static void TestMshBinary(void** state)
{
    SP_UNUSED(state);
    char buffer[2048];
    for (int swapped = 0; swapped < 2; ++swapped)
    {
        size_t size = MakeBinaryMsh(buffer, swapped != 0);
        spError error = SP_ZERO_INIT;
        spMesh* mesh = spParseMesh(buffer, size, NULL, NULL, &error);
        if (mesh == NULL)
        {
            print_error("%s\n", error.message);
            fail();
        }
        assert_string_equal(spMesh_GetFormatName(mesh), "MSH 2.2 binary");
        const int32_t tets[8] = {0, 1, 2, 3, 1, 2, 3, 4}, regions[2] = {7, 0};
        assert_int_equal(spMesh_GetTetCount(mesh), 2);
        assert_memory_equal(spMesh_GetTets(mesh), tets, sizeof(tets));
        assert_memory_equal(spMesh_GetTetRegions(mesh), regions, sizeof(regions));
        assert_int_equal(spMesh_GetLoadReport(mesh).skippedCells, 1);
        assert_true(spMesh_GetVertices(mesh)[4].z == 1.0);
        spDestroyMesh(mesh);
    }
}

static const char smallVtu[] =
    "<?xml version='1.0'?>\n<!-- a comment with <Piece> in it -->\n"
    "<VTKFile version='0.1' byte_order=\"BigEndian\" type='UnstructuredGrid'>\n <UnstructuredGrid>\n"
    "<Piece NumberOfCells='4' \n NumberOfPoints=\"5\">\n"
    "<PointData><DataArray type='Float32' Name='region' format='appended' offset='0'/></PointData>\n"
    "<CellData><DataArray Name='region' type='Float32' format='ascii'>0 0 3.0 -2</DataArray></CellData>\n"
    "<Cells><DataArray Name='types' type='UInt8' format='ascii'> 5 12 10 9 </DataArray>\n"
    "<DataArray format='ascii' type='Int32' Name=\"connectivity\">0 2 1 <!-- now --> 0 1 2 3 4 0 1 2\n"
    " 0 1 2 3  1 2 4 3</DataArray>\n"
    "<DataArray type='Int32' Name='offsets' format='ascii'>3 11 15 19</DataArray></Cells>\n"
    "<Points><DataArray NumberOfComponents='3' type='Float64'>0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1</DataArray>\n"
    "</Points></Piece>\n"
    "<Piece NumberOfPoints='3' NumberOfCells='1'><Points><DataArray NumberOfComponents='3'>5 0 0 6 0 0 5 1 "
    "0\n"
    "</DataArray></Points><Cells><DataArray Name='connectivity'>0 1 2</DataArray><DataArray "
    "Name='offsets'>3\n"
    "</DataArray><DataArray Name='types'>5</DataArray></Cells></Piece>\n"
    "</UnstructuredGrid></VTKFile>\n";

static void TestVtu(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = ParseGood(smallVtu, NULL);
    assert_string_equal(spMesh_GetFormatName(mesh), "VTU ascii");
    assert_int_equal(spMesh_GetVertexCount(mesh), 8);
    assert_int_equal(spMesh_GetTriangleCount(mesh), 4);
    assert_int_equal(spMesh_GetTetCount(mesh), 1);
    assert_int_equal(spMesh_GetLoadReport(mesh).skippedCells, 1);
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], 3);
    const int32_t triangles[12] = {0, 2, 1, 1, 2, 4, 1, 4, 3, 5, 6, 7};
    assert_memory_equal(spMesh_GetTriangles(mesh), triangles, sizeof(triangles));
    spDestroyMesh(mesh);

    // Second order, strip, pixel, lines
    mesh =
        ParseGood("<VTKFile type='UnstructuredGrid'><Piece NumberOfPoints='11' NumberOfCells='5'><Points>"
                  "<DataArray>0 0 0 1 0 0 0 1 0 0 0 1 4 0 0 5 0 0 6 0 0 7 0 0 8 0 0 9 0 0 0 5 0</DataArray>"
                  "</Points><Cells><DataArray Name='connectivity'>0 1 2 3 4 5 6 7 8 9 0 1 2 3 0 1 2 10 "
                  "0 1 2 0 1 9</DataArray><DataArray Name='offsets'>10 14 18 21 24</DataArray><DataArray "
                  "Name='types'>24 6 8 4 21</DataArray></Cells></Piece></VTKFile>",
                  NULL);
    assert_int_equal(spMesh_GetTetCount(mesh), 1);
    assert_int_equal(spMesh_GetTriangleCount(mesh), 4);
    assert_int_equal(spMesh_GetEdgeCount(mesh), 3);
    assert_int_equal(spMesh_GetVertexCount(mesh), 5); // 4 corners and the far one
    const int32_t triangles2[12] = {0, 1, 2, 2, 1, 3, 0, 1, 4, 0, 4, 2};
    assert_memory_equal(spMesh_GetTriangles(mesh), triangles2, sizeof(triangles2));
    spDestroyMesh(mesh);

    CheckRefused("<VTKFile type='PolyData'></VTKFile>", NULL, sp_errorUnsupported, 1, "PolyData");
    CheckRefused("<html></html>", NULL, sp_errorFileFormat, 1, "VTKFile");
    CheckRefused("<VTKFile type='UnstructuredGrid'>\n<Piece NumberOfPoints='1' NumberOfCells='0'>\n<Points>\n"
                 "<DataArray type='Float32' format='appended' offset='0'/></Points></Piece></VTKFile>",
                 NULL, sp_errorFileFormat, 4, "cut off");
    CheckRefused("<VTKFile type='UnstructuredGrid'>\n<Piece NumberOfPoints='1' NumberOfCells='0'>\n<Points>\n"
                 "<DataArray type='Float32' format='binary'>AAAA</DataArray></Points></Piece></VTKFile>",
                 NULL, sp_errorFileFormat, 4, "cut off");
    CheckRefused("<VTKFile type='UnstructuredGrid'>\n<Piece NumberOfPoints='2' NumberOfCells='0'>\n<Points>\n"
                 "<DataArray>0 0 0</DataArray></Points></Piece></VTKFile>",
                 NULL, sp_errorFileFormat, 4, "2 points, but 1");
    CheckRefused("<VTKFile type='UnstructuredGrid'>\n<Piece NumberOfPoints='1' NumberOfCells='1'>\n<Points>\n"
                 "<DataArray>0 0 nan</DataArray></Points></Piece></VTKFile>",
                 NULL, sp_errorFileFormat, 4, "not finite");
    CheckRefused("<VTKFile type='UnstructuredGrid'>\n<Piece NumberOfPoints='1' NumberOfCells='1'><Cells>\n"
                 "<DataArray Name='connectivity'>0 1</DataArray></Cells></Piece></VTKFile>",
                 NULL, sp_errorFileFormat, 3, "is 1, it must be between 0 and 0");
    CheckRefused("<VTKFile type='UnstructuredGrid'>\n<Piece NumberOfPoints='300000000' NumberOfCells='1'>\n"
                 "</Piece></VTKFile>",
                 NULL, sp_errorFileFormat, 3, "no points");
    CheckRefused("<VTKFile type='UnstructuredGrid'>\n<Piece NumberOfPoints='4000000000' NumberOfCells='1'>\n",
                 NULL, sp_errorFileFormat, 2, "between 0 and");
}

static void WriteFile(const char* path, const char* data, size_t size)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static spMesh* LoadTetGen(const char* node, const char* ele, spError* error)
{
    const char* path = SOUPLE_BINARY_DIR "/test/small.node";
    WriteFile(path, node, strlen(node));
    WriteFile(SOUPLE_BINARY_DIR "/test/small.ele", ele, strlen(ele));
    spMesh* mesh = spLoadMesh(path, NULL, error);
    spMesh* other = spLoadMesh(SOUPLE_BINARY_DIR "/test/small.ele", NULL, NULL);
    assert_true((mesh == NULL) == (other == NULL));
    spDestroyMesh(other);
    return mesh;
}

// Triangles beside the tets and without them, opened by any of the names
static void TestTetGenFaces(void** state)
{
    SP_UNUSED(state);
    static const char* const paths[3] = {SOUPLE_BINARY_DIR "/test/faces.node",
                                         SOUPLE_BINARY_DIR "/test/faces.ele",
                                         SOUPLE_BINARY_DIR "/test/faces.face"};
    const char* texts[3] = {
        "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n", "1 4 0\n1 1 2 3 4\n",
        "# faces\n4 1\n1 1 3 2 5\n2 1 2 4 -1 # here\n3 1 4 3 0\n4 2 3 4 2147483648 1 -1\n"};
    for (int i = 0; i < 3; ++i)
    {
        WriteFile(paths[i], texts[i], strlen(texts[i]));
    }
    for (int i = 0; i < 3; ++i)
    {
        spMesh* mesh = spLoadMesh(paths[i], NULL, NULL);
        assert_non_null(mesh);
        assert_int_equal(spMesh_GetTetCount(mesh), 1);
        assert_int_equal(spMesh_GetTriangleCount(mesh), 4);
        const double* markers = spFindTriangleRegions(mesh);
        assert_non_null(markers);
        assert_true(markers[0] == 5.0 && markers[1] == -1.0 && isnan(markers[2]) &&
                    markers[3] == 2147483648.0);
        spDestroyMesh(mesh);
    }
    remove(paths[1]);
    spError error = SP_ZERO_INIT;
    for (int i = 0; i < 3; ++i)
    {
        spMesh* mesh = spLoadMesh(paths[i], NULL, &error);
        assert_true((mesh == NULL) == (i == 1)); // the file that was asked for must be there
        if (mesh != NULL)
        {
            assert_int_equal(spMesh_GetTetCount(mesh), 0);
            spMeshReport report;
            assert_true(spMesh_Validate(mesh, &report, NULL));
            assert_true(report.closed);
            CHECK_NEAR(report.volume, 1.0 / 6.0, 1e-15);
            spDestroyMesh(mesh);
        }
    }
    assert_int_equal(error.code, sp_errorFileNotFound);
    assert_non_null(strstr(error.message, "faces.ele"));

    static const struct
    {
        const char* face;
        const char* words;
    } bad[] = {
        {"1 1\n1 1 2 9 0\n", "faces.face: line 2: triangle 1 uses point 9"},
        {"1 1\n1 1 2 3\n", "and a marker"},
        {"1 0\n1 1 2\n", "needs three points"},
        {"1 0\n1 1 2 x\n", "must be a whole number"},
        {"1000000 0\n", "cut off"},
        {"1 2\n", "boundary markers"},
        {"", "faces.face: line 1: the number of triangles"},
    };
    for (int i = 0; i < SP_COUNT(bad); ++i)
    {
        WriteFile(paths[2], bad[i].face, strlen(bad[i].face));
        error = (spError)SP_ZERO_INIT;
        assert_null(spLoadMesh(paths[0], NULL, &error));
        if (strstr(error.message, bad[i].words) == NULL)
        {
            print_error("%s\n", error.message);
            fail();
        }
    }
    remove(paths[2]);
    remove(paths[0]);

    // From memory, second order: the middle points of tets and triangles go
    const char joined[] = "10 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 2\n6 0 0 3\n7 0 0 4\n8 0 0 5\n"
                          "9 0 0 6\n10 0 0 7\n\0"
                          "1 10\n1 1 2 3 4 5 6 7 8 9 10\n\0"
                          "1 1\n1 1 2 3 5 6 7 8\n";
    spMesh* mesh = spParseMesh(joined, sizeof(joined) - 1, "node", NULL, NULL);
    assert_non_null(mesh);
    assert_int_equal(spMesh_GetVertexCount(mesh), 4);
    assert_int_equal(spMesh_GetLoadReport(mesh).reducedCells, 2);
    assert_int_equal(spMesh_GetLoadReport(mesh).droppedNodes, 6);
    assert_true(spFindTriangleRegions(mesh)[0] == 8.0);
    spDestroyMesh(mesh);
    const char surface[] = "3 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n\0"
                           "\0"
                           "1 0\n0 0 1 2\n";
    mesh = spParseMesh(surface, sizeof(surface) - 1, "node", NULL, NULL);
    assert_non_null(mesh);
    assert_int_equal(spMesh_GetTriangleCount(mesh), 1);
    spDestroyMesh(mesh);
}

static void TestTetGen(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    spMesh* mesh =
        LoadTetGen("# points\n4 3 1 1\n5 0 0 0 9.5 1\n # here\n7 1 0 0 9 1\n6 0 1 0 9 0\n9 0 0 1 9 0\n",
                   "1 4 1\n0 5 7 6 9 -3.0\n# end\n", &error);
    assert_non_null(mesh);
    assert_string_equal(spMesh_GetFormatName(mesh), "TetGen");
    assert_int_equal(spMesh_GetTetRegions(mesh)[0], -3);
    const int32_t tet[4] = {0, 1, 2, 3};
    assert_memory_equal(spMesh_GetTets(mesh), tet, sizeof(tet));
    spDestroyMesh(mesh);

    assert_null(LoadTetGen("1 3\n0 0 0 0\n", "1 4 0\n0 0 0 0 1\n", &error));
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.message, "small.ele: line 2: tet 0 uses point 1"));
    assert_null(LoadTetGen("2 3\n1 0 0 0\n1 0 0 0\n", "0 4 0\n", &error));
    assert_non_null(strstr(error.message, "small.node: line 3"));
    assert_null(LoadTetGen("2 2\n1 0 0\n1 0 0\n", "0 4 0\n", &error));
    assert_null(LoadTetGen("1 3\n1 0 0 0\n", "1000000 4 0\n", &error));
    assert_null(LoadTetGen("1 3\n1 0 0 0\n", "1 5 0\n1 1 1 1 1 1\n", &error));
    remove(SOUPLE_BINARY_DIR "/test/small.ele");
    assert_null(spLoadMesh(SOUPLE_BINARY_DIR "/test/small.node", NULL, &error));
    assert_int_equal(error.code, sp_errorFileNotFound);
    assert_non_null(strstr(error.message, "small.ele"));
    remove(SOUPLE_BINARY_DIR "/test/small.node");
}

// Edges, triangles and tets with regions and awkward coordinates
static spMesh* MakeMixedMesh(void)
{
    spMesh* mesh = ParseGood(smallMsh, NULL);
    spTransform transform = {{0.1f, -0.3f, 7}, {0, 0, 0, 1}};
    assert_true(spMesh_Transform(mesh, (spDVec3){1.0 / 3.0, 1e-9, 1e200}, transform, NULL));
    return mesh;
}

static void TestRoundTrip(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = MakeMixedMesh();
    const char* const paths[] = {SOUPLE_BINARY_DIR "/test/round.vtu", SOUPLE_BINARY_DIR "/test/round.msh"};
    for (int i = 0; i < 2; ++i)
    {
        spError error = SP_ZERO_INIT;
        assert_true(spSaveMesh(mesh, paths[i], &error));
        assert_true(spSaveMesh(mesh, paths[i], &error)); // over the first one
        spMesh* back = spLoadMesh(paths[i], NULL, &error);
        assert_non_null(back);
        CheckSameMesh(mesh, back);
        spDestroyMesh(back);
        remove(paths[i]);
    }
    spDestroyMesh(mesh);

    // OBJ: triangles and lines; of a tet mesh the boundary
    const char* path = SOUPLE_BINARY_DIR "/test/round.obj";
    mesh = ParseGood(cubeObj, "obj");
    assert_true(spSaveMesh(mesh, path, NULL));
    spMesh* back = spLoadMesh(path, NULL, NULL);
    CheckSameMesh(mesh, back);
    spDestroyMesh(back);
    spDestroyMesh(mesh);
    spRoundMeshDef def = spDefaultRoundMeshDef();
    mesh = spMakeBallMesh(&def, NULL);
    assert_true(spSaveMesh(mesh, path, NULL));
    back = spLoadMesh(path, NULL, NULL);
    spMeshReport a, b;
    assert_true(spMesh_Validate(mesh, &a, NULL) && spMesh_Validate(back, &b, NULL));
    assert_true(b.closed);
    CHECK_NEAR(a.volume, b.volume, 1e-14);
    spDestroyMesh(back);
    spDestroyMesh(mesh);
    remove(path);
}

// Two tets, with an edge before them so that numbers of cells and tets differ
static spMesh* MakeValued(const double* values, const char* name)
{
    static const spDVec3 vertices[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    static const int32_t tets[8] = {0, 1, 2, 3, 1, 4, 2, 3}, edge[2] = {0, 4}, regions[2] = {3, 7};
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = 5;
    def.edges = edge;
    def.edgeCount = 1;
    def.tets = tets;
    def.tetCount = 2;
    def.tetRegions = regions;
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spCreateMesh(&def, &error);
    assert_true(spMesh_SetValues(mesh, sp_meshTets, name, 1, values, &error));
    return mesh;
}

// Values of vertices and tets go through every format that can hold them, and through repair
static void TestValues(void** state)
{
    SP_UNUSED(state);
    const double values[2] = {1.5e4, 0.1};
    const double shifts[15] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0.1};
    static const char* const forms[] = {"vtu", "vtu-ascii", "vtk", "vtk-ascii", "msh"};
    for (int i = 0; i < SP_COUNT(forms); ++i)
    {
        spError error = SP_ZERO_INIT;
        const char* path = "test_format_values.mesh_file";
        spMesh* mesh = MakeValued(values, "modulus_of_rest");
        assert_true(spMesh_SetValues(mesh, sp_meshVertices, "shift", 3, shifts, &error));
        assert_true(spSaveMeshAs(mesh, path, forms[i], &error));
        spDestroyMesh(mesh);
        mesh = spLoadMesh(path, NULL, &error);
        assert_non_null(mesh);
        spRepairDef repair = spDefaultRepairDef();
        assert_true(spMesh_Repair(mesh, &repair, NULL, &error));
        assert_int_equal(spMesh_GetValueCount(mesh, sp_meshTets), 1);
        assert_int_equal(spMesh_GetValueCount(mesh, sp_meshVertices), 1);
        int modulus = spMesh_FindValues(mesh, sp_meshTets, "modulus_of_rest");
        int shift = spMesh_FindValues(mesh, sp_meshVertices, "shift");
        assert_true(modulus == 0 && shift == 0);
        assert_string_equal(spMesh_GetValueName(mesh, sp_meshVertices, 0), "shift");
        assert_int_equal(spMesh_GetValueComponents(mesh, sp_meshVertices, 0), 3);
        assert_memory_equal(spMesh_GetValues(mesh, sp_meshTets, modulus), values, sizeof(values));
        assert_memory_equal(spMesh_GetValues(mesh, sp_meshVertices, shift), shifts, sizeof(shifts));
        assert_int_equal(spMesh_GetTetRegions(mesh)[1], 7);
        spDestroyMesh(mesh);
        remove(path);
    }
    spError error = SP_ZERO_INIT;
    spMesh* odd = MakeValued(values, "a \"<b>\" & c");
    assert_true(spSaveMesh(odd, "test_format_values.vtu", &error));
    assert_false(spMesh_SetValues(odd, sp_meshTets, "", 1, values, &error));
    assert_false(spMesh_SetValues(odd, sp_meshTets, NULL, 1, values, &error));
    assert_false(spMesh_SetValues(odd, sp_meshTets, "x", 0, values, &error));
    assert_false(spMesh_SetValues(odd, sp_meshTets, "x", 10, values, &error));
    assert_false(spMesh_SetValues(odd, sp_meshTets, "a \"<b>\" & c", 2, values, &error));
    assert_false(spMesh_SetValues(odd, (spMeshPart)7, "x", 1, values, &error));
    assert_false(spMesh_SetValues(odd, sp_meshTets, "x", 1, NULL, &error));
    assert_false(spSaveMeshAs(odd, "x", "vtx", &error));
    assert_null(spMesh_GetValues(odd, sp_meshTets, 1));
    assert_null(spMesh_GetValues(odd, sp_meshTets, -1));
    spDestroyMesh(odd);
    odd = spLoadMesh("test_format_values.vtu", NULL, &error);
    assert_non_null(odd);
    assert_int_equal(spMesh_FindValues(odd, sp_meshTets, "a __b__ _ c"), 0);
    spDestroyMesh(odd);
    remove("test_format_values.vtu");
}

#define TWO_TETS                                                                                             \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"         \
    "$EndNodes\n$Elements\n2\n10 4 2 0 0 1 2 3 4\n30 4 2 0 0 2 5 3 4\n$EndElements\n"

// What is wrong with values does not keep a mesh from being read
static void TestPoorValues(void** state)
{
    SP_UNUSED(state);
    static const char* const sections[] = {
        "$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n2\n10 nan\n30 inf\n$EndElementData\n", // not finite
        "$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n9\n10 5\n30 5\n$EndElementData\n",     // too few
        "$ElementData\nx\n$EndElementData\n",
    };
    char text[1000];
    for (int i = 0; i < SP_COUNT(sections); ++i)
    {
        snprintf(text, sizeof(text), "%s%s", TWO_TETS, sections[i]);
        spMesh* mesh = ParseGood(text, NULL);
        assert_int_equal(spMesh_GetTetCount(mesh), 2);
        assert_int_equal(spMesh_GetValueCount(mesh, sp_meshTets), 0);
        spDestroyMesh(mesh);
    }
    snprintf(text, sizeof(text), "%s%s%s", TWO_TETS,
             "$ElementData\n1\n\"V\"\n1\n0\n3\n0\n3\n1\n30 5 6 7\n$EndElementData\n",
             "$ElementData\n1\n\"E\"\n1\n0\n3\n0\n1\n3\n30 5\n10 4\n99 1\n$EndElementData\n");
    spMesh* mesh = ParseGood(text, NULL);
    const double* vectors = spMesh_GetValues(mesh, sp_meshTets, 0);
    const double* values = spMesh_GetValues(mesh, sp_meshTets, 1);
    assert_true(values[0] == 4.0 && values[1] == 5.0);
    assert_true(isnan(vectors[0]) && vectors[3] == 5.0 && vectors[5] == 7.0);
    spDestroyMesh(mesh);
}

static void TestFileErrors(void** state)
{
    SP_UNUSED(state);
    spMesh* mesh = ParseGood(cubeObj, "obj");
    spError error = SP_ZERO_INIT;
    assert_false(spSaveMesh(mesh, SOUPLE_BINARY_DIR "/no/such/folder/a.obj", &error));
    assert_int_equal(error.code, sp_errorFileWrite);
    assert_non_null(strstr(error.message, "no/such/folder/a.obj"));
    assert_non_null(strstr(error.message, "folder first"));
    assert_false(spSaveMesh(mesh, SOUPLE_BINARY_DIR "/a.xyz", &error));
    assert_int_equal(error.code, sp_errorUnsupported);
    mkdir(SOUPLE_BINARY_DIR "/test/folder.obj", 0777);
    assert_false(spSaveMesh(mesh, SOUPLE_BINARY_DIR "/test/folder.obj", &error));
    assert_int_equal(error.code, sp_errorFileWrite);
    assert_null(spLoadMesh(SOUPLE_BINARY_DIR "/test/folder.obj", NULL, &error));
    assert_int_equal(error.code, sp_errorFileNotFound);
    rmdir(SOUPLE_BINARY_DIR "/test/folder.obj");
    assert_null(spLoadMesh(SOUPLE_BINARY_DIR "/test/absent.obj", NULL, &error));
    assert_int_equal(error.code, sp_errorFileNotFound);
    assert_null(spLoadMesh(NULL, NULL, &error));
    // Formats of triangles alone do not take edges alone
    spMesh* edges = ParseGood("v 0 0 0\nv 1 0 0\nl 1 2\n", "obj");
    static const char* const forms[] = {"stl", "stl-ascii", "off"};
    for (int i = 0; i < 3; ++i)
    {
        assert_false(spSaveMeshAs(edges, SOUPLE_BINARY_DIR "/test/edges", forms[i], &error));
        assert_int_equal(error.code, sp_errorUnsupported);
        assert_non_null(strstr(error.message, "1 edge "));
        assert_int_not_equal(access(SOUPLE_BINARY_DIR "/test/edges", F_OK), 0);
    }
    spDestroyMesh(edges);
    assert_false(spSaveMesh(NULL, "a.obj", &error));

    // A full device: the error is seen when the file is closed
    if (access("/dev/full", W_OK) == 0)
    {
        const char* link = SOUPLE_BINARY_DIR "/test/full.obj";
        remove(link);
        assert_int_equal(symlink("/dev/full", link), 0);
        assert_false(spSaveMesh(mesh, link, &error));
        assert_int_equal(error.code, sp_errorFileWrite);
        remove(link);
    }

    // A link stays a link
    const char* link = SOUPLE_BINARY_DIR "/test/link.obj";
    const char* target = SOUPLE_BINARY_DIR "/test/target.obj";
    remove(link);
    WriteFile(target, "old", 3);
    assert_int_equal(symlink(target, link), 0);
    assert_true(spSaveMesh(mesh, link, &error));
    struct stat info;
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    spMesh* back = spLoadMesh(target, NULL, &error);
    assert_non_null(back);
    spDestroyMesh(back);
    remove(link);
    remove(target);
    spDestroyMesh(mesh);
}

// The samples that are damaged below
typedef struct Sample
{
    const char* hint;
    char data[8192];
    size_t size;
} Sample;

enum
{
    sampleCount = 8
};

static void MakeSamples(Sample* samples)
{
    const char* const texts[3] = {cubeObj, smallMsh, smallVtu};
    static const char* const hints[3] = {"obj", "msh", "vtu"};
    for (int i = 0; i < 3; ++i)
    {
        samples[i].hint = hints[i];
        samples[i].size = strlen(texts[i]);
        memcpy(samples[i].data, texts[i], samples[i].size);
    }
    samples[3].hint = "stl";
    samples[3].size = MakeStl(samples[3].data, sizeof(samples[3].data), false, "solid cube");
    samples[4].hint = "stl";
    samples[4].size = MakeStl(samples[4].data, sizeof(samples[4].data), true, "binary");
    for (int i = 0; i < 2; ++i)
    {
        samples[5 + i].hint = "msh";
        samples[5 + i].size = MakeBinaryMsh(samples[5 + i].data, i == 1);
    }
    const char* old =
        "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 5 1 4 1 2 3 4\n$ENDELM\n";
    samples[7].hint = "msh";
    samples[7].size = strlen(old);
    memcpy(samples[7].data, old, samples[7].size);
}

// Parses a copy that ends where its memory ends, so that the sanitizer sees one byte too far. Whatever comes
// back must be whole.
static bool ParseExactly(const char* data, size_t size, const char* hint)
{
    char* copy = malloc(size > 0 ? size : 1);
    memcpy(copy, data, size);
    spError error = SP_ZERO_INIT;
    FailingAllocator counting = {.failAt = -1};
    spAllocator allocator = MakeFailingAllocator(&counting);
    spMesh* mesh = spParseMesh(copy, size, hint, &allocator, &error);
    free(copy);
    bool ok = mesh != NULL;
    if (ok)
    {
        spMeshReport report;
        assert_true(spMesh_Validate(mesh, &report, NULL));
        assert_int_equal(error.code, sp_errorNone);
        spDestroyMesh(mesh);
    }
    else
    {
        assert_int_not_equal(error.code, sp_errorNone);
        assert_int_not_equal(error.code, sp_errorOutOfMemory);
        assert_true(error.message[0] != 0);
    }
    assert_int_equal(counting.out, 0);
    // Memory follows the size of the file, not what it claims
    assert_true(counting.peak < 100000);
    return ok;
}

static Sample samples[sampleCount];

static void TestTruncation(void** state)
{
    SP_UNUSED(state);
    MakeSamples(samples);
    for (int i = 0; i < sampleCount; ++i)
    {
        assert_true(ParseExactly(samples[i].data, samples[i].size, samples[i].hint));
        int whole = 0;
        for (size_t size = 0; size < samples[i].size; ++size)
        {
            whole += ParseExactly(samples[i].data, size, samples[i].hint);
        }
        // OBJ has no end mark; of the others only white space at the end may go
        assert_true(i == 0 || whole <= 20);
    }
}

static void TestDamage(void** state)
{
    SP_UNUSED(state);
    MakeSamples(samples);
    uint64_t seed = 2026;
    static char data[8192];
    for (int i = 0; i < sampleCount; ++i)
    {
        for (int round = 0; round < 4000; ++round)
        {
            size_t size = samples[i].size;
            memcpy(data, samples[i].data, size);
            int changes = 1 + (int)(spNextRandom(&seed) % 4);
            for (int c = 0; c < changes; ++c)
            {
                uint64_t r = spNextRandom(&seed);
                size_t at = (r >> 32) % size;
                switch (r % 5)
                {
                    case 0:
                        data[at] ^= (char)(1 << (r >> 8 & 7));
                        break;
                    case 1:
                        data[at] = (char)(r >> 8);
                        break;
                    case 2: // a digit or a sign where something else was
                        data[at] = "0123456789-+.eE/\\\"'<>$ \n"[(r >> 8) % 24];
                        break;
                    case 3: // a piece from elsewhere
                    {
                        size_t from = (r >> 8 & 0xFFFF) % size, length = 1 + (r >> 24) % 12;
                        length = from + length > size ? size - from : length;
                        length = at + length > size ? size - at : length;
                        memmove(data + at, data + from, length);
                        break;
                    }
                    default: // a piece taken out
                    {
                        size_t length = 1 + (r >> 8) % 6;
                        length = at + length > size ? size - at : length;
                        memmove(data + at, data + at + length, size - at - length);
                        size = size - length > 0 ? size - length : size;
                        break;
                    }
                }
            }
            ParseExactly(data, size, samples[i].hint);
        }
    }
}

// Points, tets and triangles of a TetGen mesh, each in memory that ends where the text ends
static bool ParseTetGen(const char* const* texts, const size_t* sizes, int failAt)
{
    char* copies[sp_tetGenFileCount];
    spTetGenText files[sp_tetGenFileCount];
    for (int i = 0; i < sp_tetGenFileCount; ++i)
    {
        copies[i] = malloc(sizes[i] + 1);
        memcpy(copies[i] + 1, texts[i], sizes[i]);
        files[i] = (spTetGenText){copies[i] + 1, sizes[i], "a"};
    }
    FailingAllocator failing = {.failAt = failAt};
    spAllocator allocator = MakeFailingAllocator(&failing);
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spAllocMesh(&allocator, &error);
    bool ok = mesh != NULL && spReadTetGen(files, mesh, &error);
    assert_true(ok == (error.code == sp_errorNone));
    spDestroyMesh(mesh);
    for (int i = 0; i < sp_tetGenFileCount; ++i)
    {
        free(copies[i]);
    }
    assert_int_equal(failing.out, 0);
    assert_true(failing.peak < 100000);
    return ok;
}

static void TestDamagedTetGen(void** state)
{
    SP_UNUSED(state);
    const char* const texts[sp_tetGenFileCount] = {
        ("# points\n6 3 1 1\n5 0 0 0 9.5 1\n7 1 0 0 9 1\n6 0 1 0 9 0\n9 0 0 1 9 0\n1 2 2 2 0 0\n"
         "2 3 3 3 0 0\n"),
        "2 10 1\n0 5 7 6 9 1 1 2 2 1 2 -3.0\n1 9 7 6 5 1 1 1 1 2 2 4\n",
        "2 1\n0 5 7 6 1 2 1 12\n1 5 6 7 1 1 1 13\n"};
    size_t whole[sp_tetGenFileCount];
    for (int i = 0; i < sp_tetGenFileCount; ++i)
    {
        whole[i] = strlen(texts[i]);
    }
    assert_true(ParseTetGen(texts, whole, -1));
    for (int i = 0; i < sp_tetGenFileCount; ++i)
    {
        for (size_t size = 0; size < whole[i] - 3; ++size)
        {
            size_t sizes[sp_tetGenFileCount];
            memcpy(sizes, whole, sizeof(whole));
            sizes[i] = size;
            // What is left of a marker is a number too
            assert_true(!ParseTetGen(texts, sizes, -1) || i == sp_tetGenFace);
        }
    }
    for (int k = 0; !ParseTetGen(texts, whole, k); ++k)
    {
        assert_true(k < 100);
    }
    uint64_t seed = 77;
    for (int round = 0; round < 8000; ++round)
    {
        char damaged[sp_tetGenFileCount][200];
        const char* pointers[sp_tetGenFileCount];
        for (int i = 0; i < sp_tetGenFileCount; ++i)
        {
            memcpy(damaged[i], texts[i], whole[i]);
            pointers[i] = damaged[i];
        }
        for (int i = 0; i < 2; ++i)
        {
            uint64_t r = spNextRandom(&seed);
            char c = r & 1 ? (char)(r >> 8) : "0123456789-.e# \n"[(r >> 8) % 16];
            int file = (int)((r >> 1) % sp_tetGenFileCount);
            damaged[file][(r >> 32) % whole[file]] = c;
        }
        ParseTetGen(pointers, whole, -1);
    }
}

static void TestHugeClaims(void** state)
{
    SP_UNUSED(state);
    char buffer[256] = {0};
    memset(buffer + 80, 0xFF, 4);
    ParseExactly(buffer, sizeof(buffer), "stl");
    char msh[512];
    int32_t block[3] = {4, INT32_MAX, 1000};
    int length = snprintf(msh, sizeof(msh), "$MeshFormat\n2.2 1 8\n");
    int32_t one = 1;
    memcpy(msh + length, &one, 4);
    length += 4;
    length += snprintf(msh + length, sizeof(msh) - (size_t)length,
                       "\n$EndMeshFormat\n$Nodes\n0\n\n$EndNodes\n$Elements\n20\n");
    memcpy(msh + length, block, sizeof(block));
    assert_false(ParseExactly(msh, (size_t)length + 100, "msh"));

    // A million levels of tags, a million sections, a long line: time must stay linear
    size_t size = 4000000;
    char* deep = malloc(size);
    for (size_t i = 0; i + 4 <= size; i += 4)
    {
        memcpy(deep + i, "<a b", 4);
    }
    memcpy(deep, "<VTKFile type='UnstructuredGrid'>", 33);
    spError error = SP_ZERO_INIT;
    assert_null(spParseMesh(deep, size, NULL, NULL, &error));
    for (size_t i = 33; i + 3 <= size; i += 3)
    {
        memcpy(deep + i, "<a>", 3);
    }
    assert_null(spParseMesh(deep, size, NULL, NULL, &error));
    for (size_t i = 0; i + 5 <= size; i += 5)
    {
        memcpy(deep + i, "$End\n", 5);
    }
    assert_null(spParseMesh(deep, size, NULL, NULL, &error));
    memset(deep, '1', size);
    deep[0] = 'v';
    deep[1] = ' ';
    assert_null(spParseMesh(deep, size, "obj", NULL, &error));
    memset(deep, '\\', size);
    assert_null(spParseMesh(deep, size, "obj", NULL, &error));
    for (size_t i = 0; i + 2 <= size; i += 2)
    {
        memcpy(deep + i, "\\\n", 2);
    }
    assert_null(spParseMesh(deep, size, "obj", NULL, &error));
    free(deep);
}

static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    MakeSamples(samples);
    for (int i = 0; i < sampleCount; ++i)
    {
        bool ok = false;
        for (int k = 0; !ok; ++k)
        {
            assert_true(k < 500);
            FailingAllocator failing = {.failAt = k};
            spAllocator allocator = MakeFailingAllocator(&failing);
            spError error = SP_ZERO_INIT;
            spMesh* mesh = spParseMesh(samples[i].data, samples[i].size, samples[i].hint, &allocator, &error);
            // Giving back spare room may fail without harm
            ok = mesh != NULL && failing.count <= k;
            assert_int_equal(error.code, mesh != NULL ? sp_errorNone : sp_errorOutOfMemory);
            spDestroyMesh(mesh);
            assert_int_equal(failing.out, 0);
        }
    }
    // Files: reading, and the boundary when an OBJ is written
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.resolution = 2;
    FailingAllocator failing = {.failAt = -1};
    def.allocator = MakeFailingAllocator(&failing);
    spMesh* mesh = spMakeBallMesh(&def, NULL);
    int64_t before = failing.out;
    const char* path = SOUPLE_BINARY_DIR "/test/failing.obj";
    bool saved = false;
    for (int k = 0; !saved; ++k)
    {
        failing.failAt = k;
        failing.count = 0;
        spError error = SP_ZERO_INIT;
        saved = spSaveMesh(mesh, path, &error);
        assert_int_equal(error.code, saved ? sp_errorNone : sp_errorOutOfMemory);
        assert_int_equal(failing.out, before);
        assert_int_equal(access(path, F_OK) == 0, saved);
    }
    spDestroyMesh(mesh);
    mesh = NULL;
    for (int k = 0; mesh == NULL; ++k)
    {
        failing = (FailingAllocator){.failAt = k};
        spError error = SP_ZERO_INIT;
        mesh = spLoadMesh(path, &def.allocator, &error);
        assert_int_equal(error.code, mesh != NULL ? sp_errorNone : sp_errorOutOfMemory);
        assert_true(mesh != NULL || failing.out == 0);
    }
    spDestroyMesh(mesh);
    assert_int_equal(failing.out, 0);
    remove(path);
}

// A file that others made, or a program of another language
typedef struct RealFile
{
    const char* name;
    const char* format;
    int vertexCount, triangleCount, tetCount;
    bool closed;
    double volume; // as meshio and NumPy have it, m^3; area where it is not closed and has no tets, m^2
} RealFile;

static void CheckRealFile(const char* folder, const RealFile* file)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, file->name);
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spLoadMesh(path, NULL, &error);
    if (mesh == NULL)
    {
        print_error("%s\n", error.message);
        fail();
    }
    assert_string_equal(spMesh_GetFormatName(mesh), file->format);
    assert_int_equal(spMesh_GetVertexCount(mesh), file->vertexCount);
    assert_int_equal(spMesh_GetTriangleCount(mesh), file->triangleCount);
    assert_int_equal(spMesh_GetTetCount(mesh), file->tetCount);
    assert_int_equal(spMesh_GetLoadReport(mesh).skippedCells, 0);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    print_message("%s: %d vertices, closed %d, volume %g, problems", file->name, report.vertexCount,
                  report.closed, report.volume);
    for (int p = 0; p < sp_meshProblemCount; ++p)
    {
        if (report.problemCounts[p] > 0)
        {
            print_message(" %d %s", report.problemCounts[p], spMeshProblem_GetName((spMeshProblem)p));
        }
    }
    print_message("\n");
    assert_int_equal(report.closed, file->closed);
    bool open = file->tetCount == 0 && !file->closed;
    CHECK_NEAR((open ? report.surfaceArea : report.volume) / file->volume, 1.0, 1e-8);
    assert_true(file->tetCount == 0 || report.minTetVolume > 0.0);
    spDestroyMesh(mesh);
}

static void TestDataFiles(void** state)
{
    SP_UNUSED(state);
    static const RealFile files[] = {
        {"armadillo_4k.node", "TetGen", 1180, 0, 3717, true, 1.85960005},
        {"armadillo_4k.ele", "TetGen", 1180, 0, 3717, true, 1.85960005},
        {"shark_22_ascii.msh", "MSH 2.2 ascii", 425, 0, 1070, false, 0.000110305549},
        {"shark_22_binary.msh", "MSH 2.2 binary", 429, 0, 1073, false, 0.000110256059},
        {"bunny_tet.msh", "MSH 2.2 ascii", 1869, 0, 7356, true, 0.832220406},
        {"liver_like.msh", "MSH 2.2 ascii", 442, 0, 1571, true, 0.00126378324},
        {"raptor_like.msh", "MSH 2.2 ascii", 2394, 0, 8403, true, 0.0620530776},
    };
    for (int i = 0; i < SP_COUNT(files); ++i)
    {
        CheckRealFile(DATA, files + i);
    }
}

// Files under licences that keep them out of this repository, in a folder that the environment names
static void TestFilesFromOutside(void** state)
{
    SP_UNUSED(state);
    static const RealFile files[] = {
        {"liver.msh", "MSH 1 ascii", 181, 0, 596, true, 36.5608511},
        {"liver-smooth.obj", "OBJ", 2194, 4384, 0, true, 39.267352},
        {"raptorTetra_8418.vtu", "VTU ascii", 2996, 0, 8418, false, 27.251767},
        {"spot.obj", "OBJ", 2930, 5856, 0, true, 0.718258788},
        {"bunny.obj", "OBJ", 2503, 4968, 0, false, 0.0564686331},
    };
    const char* folder = getenv("SOUPLE_OUTSIDE_MESHES");
    if (folder == NULL)
    {
        print_message("SOUPLE_OUTSIDE_MESHES does not name the folder of the SOFA and MuJoCo meshes\n");
        skip();
    }
    for (int i = 0; i < SP_COUNT(files); ++i)
    {
        CheckRealFile(folder, files + i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestNumbers),
        cmocka_unit_test(TestLocale),
        cmocka_unit_test(TestVegIncludes),
        cmocka_unit_test(TestObj),
        cmocka_unit_test(TestObjGroups),
        cmocka_unit_test(TestStl),
        cmocka_unit_test(TestMshText),
        cmocka_unit_test(TestMshRefuses),
        cmocka_unit_test(TestMshBinary),
        cmocka_unit_test(TestVtu),
        cmocka_unit_test(TestTetGenFaces),
        cmocka_unit_test(TestTetGen),
        cmocka_unit_test(TestRoundTrip),
        cmocka_unit_test(TestValues),
        cmocka_unit_test(TestPoorValues),
        cmocka_unit_test(TestFileErrors),
        cmocka_unit_test(TestTruncation),
        cmocka_unit_test(TestDamage),
        cmocka_unit_test(TestDamagedTetGen),
        cmocka_unit_test(TestHugeClaims),
        cmocka_unit_test(TestFailingAllocations),
        cmocka_unit_test(TestDataFiles),
        cmocka_unit_test(TestFilesFromOutside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
