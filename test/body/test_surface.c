// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Attached surfaces: where they are, what carries them, that nothing else feels them, and that recordings,
// exports and scenes have them.

#include "base/core.h"
#include "record/writer.h"
#include "souple/record.h"
#include "souple/scene.h"
#include "souple/souple.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER SOUPLE_BINARY_DIR "/test/"

// Rounding of positions of about 1 m
static const double rounding = sizeof(spReal) == sizeof(double) ? 1e-14 : 1e-6;

static spMesh* MakeBox(int cells)
{
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.cells[0] = def.cells[1] = def.cells[2] = cells;
    def.origin = (spDVec3){-0.5, -0.5, -0.5};
    spMesh* mesh = spMakeBoxMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

// Its poles are a little outside of the box
static spMesh* MakeSphere(int level)
{
    spShellMeshDef def = spDefaultShellMeshDef();
    def.radius = 0.6;
    def.level = level;
    spMesh* mesh = spMakeIcosphereMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static spWorld* MakeWorld(const spAllocator* allocator)
{
    spWorldDef def = spDefaultWorldDef();
    def.allocator = allocator != NULL ? *allocator : def.allocator;
    return spCreateWorld(&def, NULL);
}

static spBodyId MakeBody(spWorld* world, const spMesh* mesh)
{
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.transform.position = (spVec3){(spReal)0.3, (spReal)1.2, (spReal)-0.4};
    def.transform.rotation = (spQuat){0, (spReal)0.6, 0, (spReal)0.8};
    spBodyId body = spCreateBody(world, &def);
    spTetDef tets = spDefaultTetDef();
    if (SP_IS_NULL(body) == false && spMesh_GetTetCount(mesh) > 0)
    {
        spBody_AddTets(world, body, &tets);
    }
    return body;
}

// A shear with a stretch and a shift
static spVec3 Move(spDVec3 p)
{
    return (spVec3){(spReal)(0.1 + 1.2 * p.x - 0.3 * p.y + 0.5 * p.z), (spReal)(-0.2 + 0.4 * p.x + 0.9 * p.y),
                    (spReal)(0.3 * p.x + 1.1 * p.z)};
}

static void MoveBody(spWorld* world, spBodyId body, const spMesh* mesh)
{
    int count = spMesh_GetVertexCount(mesh);
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    for (int i = 0; i < count; ++i)
    {
        x[i] = Move(spMesh_GetVertices(mesh)[i]);
    }
    assert_true(spBody_SetPositions(world, body, x, count));
    free(x);
}

static void CheckAffine(spWorld* world, spBodyId body, const spMesh* surface)
{
    spVec3View y = spBody_GetSurfacePositions(world, body);
    assert_int_equal(y.count, spMesh_GetVertexCount(surface));
    for (int i = 0; i < y.count; ++i)
    {
        spVec3 expected = Move(spMesh_GetVertices(surface)[i]);
        CHECK_NEAR(y.data[i].x, expected.x, 3.0 * rounding);
        CHECK_NEAR(y.data[i].y, expected.y, 3.0 * rounding);
        CHECK_NEAR(y.data[i].z, expected.z, 3.0 * rounding);
    }
}

// Affine motion is followed, also by vertices outside of the tets, and whenever the surface is attached
static void TestAffineMotion(void** state)
{
    SP_UNUSED(state);
    spMesh* box = MakeBox(3);
    spMesh* sphere = MakeSphere(3);
    spWorld* world = MakeWorld(NULL);
    spBodyId body = MakeBody(world, box);
    uint32_t version = spBody_GetTopologyVersion(world, body);
    assert_int_equal(spBody_GetSurfaceVertexCount(world, body), 0);
    assert_true(spBody_AttachSurface(world, body, sphere));
    assert_true(spBody_GetTopologyVersion(world, body) > version);
    MoveBody(world, body, box);
    CheckAffine(world, body, sphere);

    // Placed at rest although the nodes have moved
    assert_true(spBody_AttachSurface(world, body, sphere));
    CheckAffine(world, body, sphere);

    int count = 0;
    const int32_t* triangles = spBody_GetSurfaceTriangles(world, body, &count);
    assert_int_equal(count, spMesh_GetTriangleCount(sphere));
    assert_memory_equal(triangles, spMesh_GetTriangles(sphere), (size_t)count * 3 * sizeof(int32_t));

    spVec3 few[5];
    assert_int_equal(spBody_CopySurfacePositions(world, body, few, 5), 5);
    assert_memory_equal(few, spBody_GetSurfacePositions(world, body).data, sizeof(few));
    assert_int_equal(spBody_CopySurfacePositions(world, body, NULL, 5), 0);
    assert_int_equal(spBody_CopySurfacePositions(world, body, few, -1), 0);

    assert_true(spBody_AttachSurface(world, body, NULL));
    assert_int_equal(spBody_GetSurfaceVertexCount(world, body), 0);
    assert_null(spBody_GetSurfaceTriangles(world, body, &count));
    assert_int_equal(count, 0);
    assert_int_equal(spBody_GetSurfacePositions(world, body).count, 0);
    spDestroyWorld(world);
    spDestroyMesh(sphere);
    spDestroyMesh(box);
}

// f.(J dp) = (J^T f).dp: weights carry motion one way and forces the other
static void TestPower(void** state)
{
    SP_UNUSED(state);
    spMesh* box = MakeBox(2);
    spMesh* sphere = MakeSphere(2);
    spWorld* world = MakeWorld(NULL);
    spBodyId body = MakeBody(world, box);
    assert_true(spBody_AttachSurface(world, body, sphere));
    int count = spBody_GetSurfaceVertexCount(world, body);
    int nodeCount = spBody_GetNodeCount(world, body);
    int32_t* nodes = malloc((size_t)count * 4 * sizeof(int32_t));
    spReal* weights = malloc((size_t)count * 4 * sizeof(spReal));
    spVec3* dp = malloc((size_t)nodeCount * sizeof(spVec3));
    double(*back)[3] = calloc((size_t)nodeCount, sizeof(*back));
    assert_int_equal(spBody_CopySurfaceWeights(world, body, nodes, weights, count), count);
    assert_int_equal(spBody_CopySurfaceWeights(world, body, NULL, weights, count), 0);

    uint64_t seed = 5;
    for (int i = 0; i < nodeCount; ++i)
    {
        dp[i] = (spVec3){(spReal)spRandomRange(&seed, -1.0, 1.0), (spReal)spRandomRange(&seed, -1.0, 1.0),
                         (spReal)spRandomRange(&seed, -1.0, 1.0)};
    }
    assert_true(spBody_SetPositions(world, body, dp, nodeCount));
    spVec3View moved = spBody_GetSurfacePositions(world, body);
    double power = 0.0, size = 0.0;
    for (int i = 0; i < count; ++i)
    {
        double f[3] = {spRandomRange(&seed, -1.0, 1.0), spRandomRange(&seed, -1.0, 1.0),
                       spRandomRange(&seed, -1.0, 1.0)};
        double here[3] = {(double)moved.data[i].x, (double)moved.data[i].y, (double)moved.data[i].z};
        for (int axis = 0; axis < 3; ++axis)
        {
            power += f[axis] * here[axis];
            size += fabs(f[axis] * here[axis]);
            for (int k = 0; k < 4; ++k)
            {
                back[nodes[4 * i + k]][axis] += (double)weights[4 * i + k] * f[axis];
            }
        }
    }
    double other = 0.0;
    for (int i = 0; i < nodeCount; ++i)
    {
        other += back[i][0] * (double)dp[i].x + back[i][1] * (double)dp[i].y + back[i][2] * (double)dp[i].z;
    }
    CHECK_NEAR(power, other, rounding * size);
    free(back);
    free(dp);
    free(weights);
    free(nodes);
    spDestroyWorld(world);
    spDestroyMesh(sphere);
    spDestroyMesh(box);
}

// A surface of tets keeps only what is outside; a sheet carries a finer sheet; tets that came without a mesh
// carry too
static void TestCarriers(void** state)
{
    SP_UNUSED(state);
    spMesh* box = MakeBox(4);
    spWorld* world = MakeWorld(NULL);
    spBodyId body = MakeBody(world, box);
    spMesh* fine = MakeBox(8);
    assert_true(spBody_AttachSurface(world, body, fine));
    assert_int_equal(spBody_GetSurfaceVertexCount(world, body), 9 * 9 * 9 - 7 * 7 * 7);
    assert_true(spBody_AttachSurface(world, body, box));
    assert_int_equal(spBody_GetSurfaceVertexCount(world, body), 5 * 5 * 5 - 3 * 3 * 3);

    // The surface of the body itself: its vertices stay on its nodes
    for (int i = 0; i < 10; ++i)
    {
        spWorld_Step(world, (spReal)0.002);
    }
    spVec3View x = spBody_GetPositions(world, body), y = spBody_GetSurfacePositions(world, body);
    int triangleCount = 0, ownCount = 0;
    const int32_t* triangles = spBody_GetSurfaceTriangles(world, body, &triangleCount);
    const int32_t* own = spBody_GetTriangles(world, body, &ownCount);
    assert_int_equal(triangleCount, ownCount);
    for (int i = 0; i < 3 * triangleCount; ++i)
    {
        CHECK_NEAR(y.data[triangles[i]].x, x.data[own[i]].x, 3.0 * rounding);
        CHECK_NEAR(y.data[triangles[i]].y, x.data[own[i]].y, 3.0 * rounding);
        CHECK_NEAR(y.data[triangles[i]].z, x.data[own[i]].z, 3.0 * rounding);
    }

    spClothMeshDef clothDef = spDefaultClothMeshDef();
    clothDef.countX = clothDef.countZ = 5;
    spMesh* sheet = spMakeClothMesh(&clothDef, NULL);
    clothDef.countX = clothDef.countZ = 23;
    spMesh* fineSheet = spMakeClothMesh(&clothDef, NULL);
    spBodyId cloth = MakeBody(world, sheet);
    assert_true(spBody_AttachSurface(world, cloth, fineSheet));
    MoveBody(world, cloth, sheet);
    CheckAffine(world, cloth, fineSheet);

    spVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t tet[4] = {0, 1, 2, 3};
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.positions = corners;
    bodyDef.positionCount = 4;
    bodyDef.nodeMass = 1;
    spBodyId bare = spCreateBody(world, &bodyDef);
    assert_false(spBody_AttachSurface(world, bare, fine));
    assert_non_null(strstr(spWorld_GetLastError(world).message, "neither tets nor triangles"));
    spTetDef tetDef = spDefaultTetDef();
    tetDef.tets = tet;
    tetDef.tetCount = 1;
    assert_int_equal(spBody_AddTets(world, bare, &tetDef), 0);
    assert_true(spBody_AttachSurface(world, bare, sheet));
    for (int i = 0; i < 4; ++i)
    {
        corners[i] = Move((spDVec3){corners[i].x, corners[i].y, corners[i].z});
    }
    assert_true(spBody_SetPositions(world, bare, corners, 4));
    CheckAffine(world, bare, sheet);

    spDestroyWorld(world);
    spDestroyMesh(fineSheet);
    spDestroyMesh(sheet);
    spDestroyMesh(fine);
    spDestroyMesh(box);
}

static void TestBadSurfaces(void** state)
{
    SP_UNUSED(state);
    spMesh* box = MakeBox(1);
    spMesh* sphere = MakeSphere(1);
    spShellMeshDef shellDef = spDefaultShellMeshDef();
    spMesh* disc = spMakeDiscMesh(&shellDef, NULL);
    spWorld* world = MakeWorld(NULL);
    spBodyId body = MakeBody(world, box);
    assert_true(spBody_AttachSurface(world, body, sphere));

    // The old one stays
    assert_false(spBody_AttachSurface(world, body, disc));
    spError error = spWorld_GetLastError(world);
    assert_int_equal(error.code, sp_errorBadMesh);
    assert_non_null(strstr(error.message, "needs triangles"));
    assert_int_equal(spBody_GetSurfaceVertexCount(world, body), spMesh_GetVertexCount(sphere));

    spDestroyBody(world, body);
    assert_false(spBody_AttachSurface(world, body, sphere));
    assert_int_equal(spBody_GetSurfaceVertexCount(world, body), 0);
    assert_null(spBody_GetSurfaceTriangles(world, body, NULL));
    assert_int_equal(spBody_GetSurfacePositions(world, body).count, 0);
    assert_false(spBody_AttachSurface(NULL, body, sphere));
    spDestroyWorld(world);
    spDestroyMesh(disc);
    spDestroyMesh(sphere);
    spDestroyMesh(box);
}

static int allocationsLeft;

static void* FailingAlloc(size_t size, size_t alignment, void* context)
{
    SP_UNUSED(context);
    return allocationsLeft-- > 0 ? aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                                 : NULL;
}

static void PlainFree(void* memory, size_t size, void* context)
{
    SP_UNUSED(size);
    SP_UNUSED(context);
    free(memory);
}

static void TestFailingMemory(void** state)
{
    SP_UNUSED(state);
    spMesh* box = MakeBox(1);
    spMesh* sphere = MakeSphere(1);
    spAllocator allocator = {FailingAlloc, PlainFree, NULL};
    allocationsLeft = 1000000;
    spWorld* world = MakeWorld(&allocator);
    spBodyId body = MakeBody(world, box);
    size_t before = spWorld_GetByteCount(world);
    bool done = false;
    for (int k = 0; done == false; ++k)
    {
        assert_true(k < 100);
        allocationsLeft = k;
        done = spBody_AttachSurface(world, body, sphere);
        assert_true(done || spWorld_GetLastError(world).code == sp_errorOutOfMemory);
        assert_true(done || spWorld_GetByteCount(world) == before);
    }
    allocationsLeft = 1000000;
    assert_true(spBody_AttachSurface(world, body, NULL));
    assert_true(spWorld_GetByteCount(world) == before);
    spDestroyWorld(world);
    spDestroyMesh(sphere);
    spDestroyMesh(box);
}

// Neither the state nor snapshots know it
static void TestNothingFeelsIt(void** state)
{
    SP_UNUSED(state);
    spMesh* box = MakeBox(2);
    spMesh* sphere = MakeSphere(2);
    uint64_t hashes[2];
    for (int k = 0; k < 2; ++k)
    {
        spWorld* world = MakeWorld(NULL);
        spBodyId body = MakeBody(world, box);
        spSnapshot* snapshot = spWorld_Save(world);
        assert_true(k == 0 || spBody_AttachSurface(world, body, sphere));
        for (int i = 0; i < 5; ++i)
        {
            spWorld_Step(world, (spReal)0.005);
        }
        hashes[k] = spWorld_GetStateHash(world);
        spVec3 fallen = k == 1 ? spBody_GetSurfacePositions(world, body).data[0] : (spVec3){0};
        assert_true(spWorld_Restore(world, snapshot));
        assert_true(k == 0 || spBody_GetSurfacePositions(world, body).data[0].y > fallen.y);
        spDestroySnapshot(snapshot);
        spDestroyWorld(world);
    }
    assert_true(hashes[0] == hashes[1]);
    spDestroyMesh(sphere);
    spDestroyMesh(box);
}

static int CountLines(const char* path, const char* start)
{
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    char line[4096];
    int count = 0;
    while (fgets(line, sizeof(line), file) != NULL)
    {
        count += strncmp(line, start, strlen(start)) == 0;
    }
    fclose(file);
    return count;
}

// The file ties the surface to the nodes: frames stay small, and everything is drawn from it
static void TestRecording(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    spMesh* box = MakeBox(3);
    spMesh* sphere = MakeSphere(3);
    spWorld* world = MakeWorld(NULL);
    spBodyId body = MakeBody(world, box);
    assert_true(spBody_AttachSurface(world, body, sphere));
    spRecorderDef def = spDefaultRecorderDef();
    def.path = FOLDER "surface.rec";
    def.storeVelocities = true;
    def.storeStress = true;
    spRecorder* recorder = spCreateRecorder(world, &def, &error);
    assert_non_null(recorder);
    spWorld_Step(world, (spReal)0.01);
    assert_true(spRecorder_AddFrame(recorder, world, NULL));
    int vertexCount = spBody_GetSurfaceVertexCount(world, body);
    spVec3* expected = malloc((size_t)vertexCount * sizeof(spVec3));
    float* stored = malloc((size_t)vertexCount * 3 * sizeof(float));
    assert_int_equal(spBody_CopySurfacePositions(world, body, expected, vertexCount), vertexCount);
    assert_true(spBody_AttachSurface(world, body, NULL));
    spWorld_Step(world, (spReal)0.01);
    assert_true(spRecorder_AddFrame(recorder, world, NULL));
    assert_true(spCloseRecorder(recorder, &error));

    spRecording* r = spLoadRecording(def.path, NULL, &error);
    assert_non_null(r);
    assert_true(spRecording_IsComplete(r));
    assert_int_equal(spRecording_GetSurfaceVertexCount(r, 0, 0), vertexCount);
    assert_int_equal(spRecording_GetSurfaceVertexCount(r, 1, 0), 0);
    assert_int_equal(spRecording_GetSurfaceVertexCount(r, 7, 3), 0);
    int count = 0;
    assert_memory_equal(spRecording_GetSurfaceTriangles(r, 0, 0, &count), spMesh_GetTriangles(sphere),
                        (size_t)spMesh_GetTriangleCount(sphere) * 3 * sizeof(int32_t));
    assert_int_equal(count, spMesh_GetTriangleCount(sphere));
    assert_null(spRecording_GetSurfaceTriangles(r, 1, 0, &count));
    assert_int_equal(spRecording_CopySurfacePositions(r, 0, 0, stored, vertexCount), vertexCount);
    for (int i = 0; i < vertexCount; ++i)
    {
        CHECK_NEAR(stored[3 * i], expected[i].x, 1e-6);
        CHECK_NEAR(stored[3 * i + 1], expected[i].y, 1e-6);
        CHECK_NEAR(stored[3 * i + 2], expected[i].z, 1e-6);
    }
    int32_t nodes[4 * 3];
    float weights[4 * 3];
    assert_int_equal(spRecording_CopySurfaceWeights(r, 0, 0, nodes, weights, 3), 3);
    assert_int_equal(spRecording_CopySurfaceWeights(r, 1, 0, nodes, weights, 3), 0);
    spPointView nodePositions = spRecording_GetPositions(r, 0, 0);
    for (int i = 0; i < 3; ++i)
    {
        float height = 0.0f;
        for (int k = 4 * i; k < 4 * i + 4; ++k)
        {
            height += weights[k] * nodePositions.data[3 * nodes[k] + 1];
        }
        CHECK_NEAR(height, expected[i].y, 1e-5);
    }

    spExportDef exportDef = spDefaultExportDef();
    exportDef.folder = FOLDER "surface";
    assert_true(spExportObj(r, &exportDef, &error));
    assert_int_equal(CountLines(FOLDER "surface/frame_000000.obj", "v "), vertexCount);
    assert_int_equal(CountLines(FOLDER "surface/frame_000000.obj", "f "), spMesh_GetTriangleCount(sphere));
    assert_int_equal(CountLines(FOLDER "surface/frame_000000.obj", "l "), 0);
    assert_int_equal(CountLines(FOLDER "surface/frame_000001.obj", "v "), spMesh_GetVertexCount(box));
    assert_true(spExportVtu(r, &exportDef, &error));
    char piece[160];
    int edgeCount = 0;
    spRecording_GetEdges(r, 0, 0, &edgeCount);
    snprintf(piece, sizeof(piece), "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">",
             spMesh_GetVertexCount(box) + vertexCount,
             spMesh_GetTetCount(box) + spMesh_GetTriangleCount(sphere) + edgeCount);
    assert_int_equal(CountLines(FOLDER "surface/frame_000000.vtu", piece), 1);

    // A ball is seen, not a box: the corner of the box shows the background, in every colouring; nothing is touched
    for (int color = 0; color < sp_colorPressure; ++color)
    {
        spCamera camera = {.eye = {0.3, 1.2, 5.0}, .target = {0.3, 1.2, 0.0}, .up = {0.0, 1.0, 0.0}};
        camera.fieldOfView = 20.0;
        spPictureDef pictureDef = spDefaultPictureDef();
        pictureDef.width = pictureDef.height = 128;
        pictureDef.camera = &camera;
        pictureDef.color = (spPictureColor)color;
        pictureDef.showCaption = false;
        static uint8_t rgb[2][128 * 128 * 3];
        assert_true(spDrawPicture(r, 0, &pictureDef, rgb[0], &error));
        assert_true(spDrawPicture(r, 1, &pictureDef, rgb[1], &error));
        int same = 0, middle = 3 * (64 * 128 + 64);
        for (int i = 0; i < (int)sizeof(rgb[0]); ++i)
        {
            same += rgb[0][i] == rgb[1][i];
        }
        assert_true(same < (int)sizeof(rgb[0]));
        assert_memory_not_equal(rgb[0] + middle, rgb[0], 3);
    }
    spCamera fit = spFitCamera(r, 1.0);
    CHECK_NEAR(fit.target.x, 0.3, 0.05);
    spDestroyRecording(r);
    free(stored);
    free(expected);
    spDestroyWorld(world);
    spDestroyMesh(sphere);
    spDestroyMesh(box);
}

// Indices out of range end the reading
static void TestLyingRecording(void** state)
{
    SP_UNUSED(state);
    for (int lie = 0; lie < 5; ++lie)
    {
        spError error = SP_ZERO_INIT;
        spRecorderDef def = spDefaultRecorderDef();
        def.path = FOLDER "surface_lie.rec";
        spRecordWriter writer;
        assert_true(spOpenWriter(&writer, &def, &error));
        int32_t nodes[12] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, lie == 1 ? 4 : 3};
        const float weights[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        int32_t triangle[3] = {0, 1, lie == 2 ? -1 : (lie == 3 ? 3 : 2)};
        assert_int_equal(spWriteBody(&writer, "body"), 0);
        spTopologyData data = {
            .nodeCount = 4,
            .surfaceNodes = nodes,
            .surfaceWeights = weights,
            .surfaceVertexCount = lie == 4 ? 0 : 3,
            .surfaceTriangles = triangle,
            .surfaceTriangleCount = 1,
        };
        assert_int_equal(spWriteTopology(&writer, &data), 0);
        assert_true(spCloseWriter(&writer, &error));
        spRecording* r = spLoadRecording(def.path, NULL, &error);
        assert_non_null(r);
        assert_true(spRecording_IsComplete(r) == (lie == 0));
        spDestroyRecording(r);
    }
}

static void TestScene(void** state)
{
    SP_UNUSED(state);
    spError error = SP_ZERO_INIT;
    const char* text = "{\"souple\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": {\"generator\": \"ball\", "
                       "\"resolution\": 2}, \"tets\": {}, \"surface\": {\"generator\": \"icosphere\", "
                       "\"level\": 4}, \"transform\": {\"position\": [1, 2, 3], \"scale\": 2}}]}";
    spScene* scene = spParseScene(text, strlen(text), NULL, NULL, &error);
    assert_non_null(scene);
    spRunDef def = spDefaultRunDef();
    spRun* run = spCreateRun(scene, &def, &error);
    assert_non_null(run);
    spWorld* world = spRun_GetWorld(run);
    spBodyId body;
    assert_int_equal(spWorld_GetBodies(world, &body, 1), 1);
    spVec3View y = spBody_GetSurfacePositions(world, body);
    assert_int_equal(y.count, 2562);
    for (int i = 0; i < y.count; ++i)
    {
        double d[3] = {(double)y.data[i].x - 1.0, (double)y.data[i].y - 2.0, (double)y.data[i].z - 3.0};
        CHECK_NEAR(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 1.0, 5.0 * rounding);
    }
    spDestroyRun(run);
    spDestroyScene(scene);

    static const char* const bad[][2] = {
        {"{\"generator\": \"disc\"}", "needs triangles"},
        {"{\"generator\": \"icosphere\", \"levels\": 2}", "level"},
        {"{}", "a mesh needs one of"},
        {"\"no_such_file.obj\"", "no_such_file"},
    };
    for (int i = 0; i < SP_COUNT(bad); ++i)
    {
        char broken[400];
        snprintf(broken, sizeof(broken),
                 "{\"souple\": 1, \"bodies\": [{\"mesh\": {\"generator\": \"box\"}, \"tets\": {}, "
                 "\"surface\": %s}]}",
                 bad[i][0]);
        scene = spParseScene(broken, strlen(broken), NULL, NULL, &error);
        run = scene != NULL ? spCreateRun(scene, &def, &error) : NULL;
        assert_null(run);
        assert_non_null(strstr(error.message, bad[i][1]));
        spDestroyScene(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestAffineMotion),  cmocka_unit_test(TestPower),
        cmocka_unit_test(TestCarriers),      cmocka_unit_test(TestBadSurfaces),
        cmocka_unit_test(TestFailingMemory), cmocka_unit_test(TestNothingFeelsIt),
        cmocka_unit_test(TestRecording),     cmocka_unit_test(TestLyingRecording),
        cmocka_unit_test(TestScene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
