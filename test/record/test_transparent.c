// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What can be seen through: pictures against triangles that are sorted by their distance and painted one over the other
// (Courtecuisse 2011, row C2-F43 of docs/seeds.md), and what must hold at the ends, fully solid and not there.

#include "record/camera.h"
#include "record/fragments.h"
#include "record/overlap_drawn.h"
#include "record/shading.h"
#include "souple/record.h"
#include "test/memory_test.h"
#include "test/record_sample.h"
#include "testbed/check.h"

#define FILE_NAME SOUPLE_BINARY_DIR "/test/transparent.rec"
#define BODIES 3
#define WIDTH 240
#define HEIGHT 180

static const double s_opacities[BODIES] = {0.35, 0.6, 0.5};
static const uint32_t s_colors[BODIES] = {0xE06A26, 0x1F7BBF, 0x17A07C};

static void AddBall(SampleBody* body, double radius, double x)
{
    MakeSampleBall(body, 14);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        float* p = body->rest + 3 * i;
        p[0] = (float)(radius * (double)p[0] + x), p[1] *= (float)radius, p[2] *= (float)radius;
    }
}

static void AddTorus(SampleBody* body, int rings, int sides, double large, double small)
{
    for (int i = 0; i < rings * sides; ++i)
    {
        double a = 6.28318530717959 * (i / sides) / rings, b = 6.28318530717959 * (i % sides) / sides;
        double r = large + small * cos(b);
        AddSampleNode(body, r * cos(a), 0.5 * r * sin(a) + 0.8 * small * sin(b), r * sin(a));
        int right = (i / sides + 1) % rings * sides, up = (i % sides + 1) % sides, own = i / sides * sides;
        AddSampleTriangle(body, i, own + up, right + i % sides);
        AddSampleTriangle(body, own + up, right + up, right + i % sides);
    }
}

// A ball in a ball, off its middle, and a tilted ring around both
static void MakeBodies(SampleBody bodies[BODIES])
{
    for (int i = 0; i < BODIES; ++i)
    {
        bodies[i] = MakeSampleBody();
    }
    AddBall(&bodies[0], 0.8, 0.0);
    AddBall(&bodies[1], 0.4, 0.25);
    AddTorus(&bodies[2], 40, 12, 1.3, 0.22);
}

static spRecording* Record(const SampleBody bodies[BODIES])
{
    spRecorderDef def = spDefaultRecorderDef();
    def.path = FILE_NAME;
    spError error = SP_ZERO_INIT;
    spRecordWriter writer;
    assert_true(spOpenWriter(&writer, &def, &error));
    spFrameBody frame[BODIES] = {0};
    for (int i = 0; i < BODIES; ++i)
    {
        spWriteBody(&writer, i == 0 ? "skin" : i == 1 ? "stone" : "ring");
        spTopologyData data = {.body = i, .version = 1, .nodeCount = bodies[i].nodeCount};
        data.triangles = bodies[i].triangles;
        data.triangleCount = bodies[i].triangleCount;
        frame[i] = (spFrameBody){.topology = spWriteTopology(&writer, &data),
                                 .nodeCount = bodies[i].nodeCount,
                                 .positions = bodies[i].rest};
    }
    spFrameData data = {.bodies = frame, .bodyCount = BODIES};
    spRecordRow row = {0};
    spWriteRow(&writer, &row, NULL);
    spWriteFrame(&writer, &data);
    assert_true(spCloseWriter(&writer, &error));
    spRecording* recording = spLoadRecording(FILE_NAME, NULL, &error);
    assert_non_null(recording);
    return recording;
}

static const spCamera s_camera = {{0.8, 1.6, 3.6}, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 40.0};

static spPictureDef MakeDef(bool flat, const double* opacities)
{
    spPictureDef def = spDefaultPictureDef();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.showCaption = false;
    def.camera = &s_camera;
    def.flatShading = flat;
    def.opacities = opacities;
    return def;
}

static uint8_t* Draw(const spRecording* recording, const spPictureDef* def)
{
    uint8_t* rgb = malloc((size_t)def->width * (size_t)def->height * 3);
    spError error = SP_ZERO_INIT;
    if (!spDrawPicture(recording, 0, def, rgb, &error))
    {
        print_error("%s\n", error.message);
        fail();
    }
    return rgb;
}

// ---------------------------------------------------------------------------------------------------------
// Painting

typedef struct Painted
{
    spDrawTriangle triangle;
    float distance; // of its middle
} Painted;

static Painted* MakeTriangles(const SampleBody bodies[BODIES], const spView* view, bool flat, int* count)
{
    *count = bodies[0].triangleCount + bodies[1].triangleCount + bodies[2].triangleCount;
    Painted* all = calloc((size_t)*count, sizeof(Painted));
    spFloat3* normals = calloc(SAMPLE_MAX_NODES, sizeof(spFloat3));
    Painted* next = all;
    for (int i = 0; i < BODIES; ++i)
    {
        memset(normals, 0, SAMPLE_MAX_NODES * sizeof(spFloat3));
        Painted* first = next;
        for (int t = 0; t < bodies[i].triangleCount; ++t, ++next)
        {
            spFloat3* x = next->triangle.x;
            for (int k = 0; k < 3; ++k)
            {
                x[k] = spLoadF3(bodies[i].rest + 3 * bodies[i].triangles[3 * t + k]);
                next->distance += spDotF3(spSubF3(x[k], view->eye), view->forward) / 3.0f;
            }
            spFloat3 n = spCrossF3(spSubF3(x[1], x[0]), spSubF3(x[2], x[0]));
            for (int k = 0; k < 3; ++k)
            {
                spFloat3* sum = normals + bodies[i].triangles[3 * t + k];
                *sum = spAddF3(*sum, n);
                next->triangle.n[k] = spNormalizeF3(n);
            }
            next->triangle.color = spMakeColor(s_colors[i]);
            next->triangle.opacity = (float)s_opacities[i];
        }
        for (int t = 0; t < bodies[i].triangleCount && !flat; ++t)
        {
            for (int k = 0; k < 3; ++k)
            {
                first[t].triangle.n[k] = spNormalizeF3(normals[bodies[i].triangles[3 * t + k]]);
            }
        }
    }
    free(normals);
    return all;
}

static int CompareDistances(const void* a, const void* b)
{
    float x = ((const Painted*)a)->distance, y = ((const Painted*)b)->distance;
    return (x < y) - (x > y);
}

// Whether a place of the picture is in a triangle, whichever way it faces
static bool IsInside(double p[3][2], double x, double y)
{
    int left = 0;
    for (int i = 0; i < 3; ++i)
    {
        const double *a = p[i], *b = p[(i + 1) % 3];
        left += (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) > 0.0 ? 1 : 0;
    }
    return left == 0 || left == 3;
}

// Paints one triangle over the samples
static void Paint(const spStage* stage, const spRaster* raster, spDrawTriangle* triangle, spFloat3* samples)
{
    const spView* view = &stage->view;
    int box[4];
    if (!spSetUpTriangle(view, triangle->x, box, &triangle->setup))
    {
        return;
    }
    double p[3][2];
    for (int i = 0; i < 3; ++i)
    {
        spFloat3 r = spSubF3(triangle->x[i], view->eye);
        double w = (double)spDotF3(r, view->forward);
        p[i][0] = (double)view->centerX + (double)view->focal * (double)spDotF3(r, view->right) / w;
        p[i][1] = (double)view->centerY - (double)view->focal * (double)spDotF3(r, view->up) / w;
    }
    for (int y = box[1]; y < box[3]; ++y)
    {
        for (int x = box[0]; x < box[2]; ++x)
        {
            for (int k = 0; k < raster->sampleCount; ++k)
            {
                float sx = (float)x + raster->shiftX[k], sy = (float)y + raster->shiftY[k];
                if (IsInside(p, (double)sx, (double)sy))
                {
                    spFloat3* own = samples + raster->sampleCount * (y * WIDTH + x) + k;
                    *own = spMixF3(*own, spShadeTriangle(stage, triangle, sx, sy), triangle->opacity);
                }
            }
        }
    }
}

// The scene by painting over a picture of what is behind; triangles by their distance, or just one after the other
static uint8_t* PaintAll(const SampleBody bodies[BODIES], const uint8_t* behind, bool flat, bool sorted)
{
    spStage* stage = calloc(1, sizeof(spStage));
    assert_true(spMakeView(&s_camera, WIDTH, HEIGHT, &stage->view));
    spLightStage(stage);
    spHeap heap = spMakeHeap(NULL);
    spRaster raster; // for the places of its samples
    assert_true(spCreateRaster(&raster, &heap, WIDTH, HEIGHT, 2));
    int n = raster.sampleCount;
    spFloat3* samples = malloc((size_t)(n * WIDTH * HEIGHT) * sizeof(spFloat3));
    for (int i = 0; i < n * WIDTH * HEIGHT; ++i)
    {
        const uint8_t* p = behind + 3 * (i / n);
        samples[i] = spMakeColor((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | (uint32_t)p[2]);
    }
    int count;
    Painted* all = MakeTriangles(bodies, &stage->view, flat, &count);
    if (sorted)
    {
        qsort(all, (size_t)count, sizeof(Painted), CompareDistances);
    }
    for (int i = 0; i < count; ++i)
    {
        Paint(stage, &raster, &all[i].triangle, samples);
    }
    uint8_t* rgb = malloc(3 * WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; ++i)
    {
        spFloat3 sum = {0};
        for (int k = 0; k < n; ++k)
        {
            sum = spMulAddF3(sum, 1.0f / (float)n, samples[n * i + k]);
        }
        const float linear[3] = {sum.x, sum.y, sum.z};
        for (int k = 0; k < 3; ++k)
        {
            double c = fmin(fmax((double)linear[k], 0.0), 1.0);
            rgb[3 * i + k] =
                (uint8_t)(255.0 * (c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055) + 0.5);
        }
    }
    free(all);
    free(samples);
    free(stage);
    spFreeRaster(&raster, &heap);
    return rgb;
}

// Over the pixels in which a picture differs from what is behind, dB
static double GetPsnr(const uint8_t* a, const uint8_t* b, const uint8_t* behind)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < WIDTH * HEIGHT; ++i)
    {
        if (memcmp(a + 3 * i, behind + 3 * i, 3) != 0 || memcmp(b + 3 * i, behind + 3 * i, 3) != 0)
        {
            for (int k = 0; k < 3; ++k)
            {
                double d = (double)a[3 * i + k] - (double)b[3 * i + k];
                sum += d * d;
            }
            count += 3;
        }
    }
    return 10.0 * log10(255.0 * 255.0 * count / fmax(sum, 1e-9));
}

static void TestSortedTriangles(void** state)
{
    (void)state;
    SampleBody bodies[BODIES];
    MakeBodies(bodies);
    spRecording* recording = Record(bodies);
    const double nothing[BODIES] = {0};
    spPictureDef def = MakeDef(false, nothing);
    uint8_t* behind = Draw(recording, &def);
    uint8_t* pictures[2];
    for (int flat = 0; flat < 2; ++flat)
    {
        def = MakeDef(flat == 1, s_opacities);
        pictures[flat] = Draw(recording, &def);
        uint8_t* painted = PaintAll(bodies, behind, flat == 1, true);
        uint8_t* unsorted = PaintAll(bodies, behind, flat == 1, false);
        double psnr = GetPsnr(pictures[flat], painted, behind);
        double wrong = GetPsnr(pictures[flat], unsorted, behind);
        print_message("%s: %.1f dB of sorted triangles, %.1f dB of unsorted ones\n",
                      flat == 1 ? "flat" : "Phong", psnr, wrong);
        CHECK_LESS(40.0, psnr);
        CHECK_LESS(wrong, 35.0); // the order is what is measured
        free(painted);
        free(unsorted);
    }
    CHECK_LESS(GetPsnr(pictures[0], pictures[1], behind), 40.0); // and so is the way of shading
    free(pictures[0]);
    free(pictures[1]);
    free(behind);
    spDestroyRecording(recording);
    for (int i = 0; i < BODIES; ++i)
    {
        FreeSampleBody(&bodies[i]);
    }
}

// A picture at the ends: solid as without any opacity, and not there as without the body; a body that is solid hides what is
// behind it, and one number for all bodies is the same as one for each
static void TestEnds(void** state)
{
    (void)state;
    SampleBody bodies[BODIES];
    MakeBodies(bodies);
    spRecording* recording = Record(bodies);
    const size_t size = 3 * WIDTH * HEIGHT;
    spPictureDef def = MakeDef(false, NULL);
    uint8_t* solid = Draw(recording, &def);
    uint8_t* other;
    const double ones[BODIES] = {1.0, 1.0, 1.0}, noStone[BODIES] = {1.0, 0.0, 1.0},
                 half[BODIES] = {0.5, 0.5, 0.5};
    def.opacities = ones;
    other = Draw(recording, &def);
    assert_memory_equal(solid, other, size);
    free(other);
    def.opacities = noStone; // in the skin, nobody misses it
    other = Draw(recording, &def);
    assert_memory_equal(solid, other, size);
    free(other);
    free(solid);

    def.opacity = 0.0;
    def.opacities = NULL;
    uint8_t* behind = Draw(recording, &def);
    def.opacities = half;
    solid = Draw(recording, &def);
    def.opacities = NULL;
    def.opacity = 0.5;
    other = Draw(recording, &def);
    assert_memory_equal(solid, other, size);
    free(other);

    // The same twice, with every number of samples
    for (def.samples = 1; def.samples <= 4; ++def.samples)
    {
        other = Draw(recording, &def);
        CHECK_LESS(def.samples == 2 ? 90.0 : 25.0, GetPsnr(solid, other, behind));
        free(other);
    }
    free(solid);
    free(behind);
    def = MakeDef(false, NULL);
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    const double bad[BODIES] = {1.0, 1.0, 1.5};
    const double wrong[3] = {-0.1, 1.1, (double)NAN};
    spError error = SP_ZERO_INIT;
    def.opacities = bad;
    assert_false(spDrawPicture(recording, 0, &def, rgb, &error));
    assert_non_null(strstr(error.message, "\"ring\" has an opacity of 1.5"));
    def.opacities = NULL;
    for (int i = 0; i < 3; ++i)
    {
        def.opacity = wrong[i];
        assert_false(spDrawPicture(recording, 0, &def, rgb, &error));
        assert_int_equal(error.code, sp_errorBadArgument);
    }
    spDestroyRecording(recording);
    for (int i = 0; i < BODIES; ++i)
    {
        FreeSampleBody(&bodies[i]);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Fragments

typedef struct Layers
{
    spHeap heap;
    spView view;
    spRaster raster;
    spFragments fragments;
} Layers;

static Layers Gather(const spCamera* camera, int width, int height, int samples, spDrawTriangle* triangles,
                     int count)
{
    Layers layers = {.heap = spMakeHeap(NULL)};
    assert_true(spMakeView(camera, width, height, &layers.view));
    assert_true(spCreateRaster(&layers.raster, &layers.heap, width, height, samples));
    assert_true(spFindTransparent(&layers.fragments, &layers.heap, &layers.view, triangles, count));
    assert_true(spGatherFragments(&layers.fragments, &layers.heap, &layers.raster, &layers.view, triangles, 0,
                                  height));
    return layers;
}

static void FreeLayers(Layers* layers)
{
    spFreeFragments(&layers->fragments, &layers->heap);
    spFreeRaster(&layers->raster, &layers->heap);
    assert_int_equal(layers->heap.byteCount, 0);
}

// A closed surface is left as often as it is entered, on every sample: from outside an even number of layers, from within an
// odd one, also where triangles reach behind the eye
static void TestClosed(void** state)
{
    (void)state;
    SampleBody ball = MakeSampleBody();
    MakeSampleBall(&ball, 24);
    spDrawTriangle* triangles = calloc((size_t)ball.triangleCount, sizeof(spDrawTriangle));
    for (int i = 0; i < 3 * ball.triangleCount; ++i)
    {
        triangles[i / 3].x[i % 3] = spLoadF3(ball.rest + 3 * ball.triangles[i]);
        triangles[i / 3].opacity = 0.5f;
    }
    for (int test = 0; test < 12; ++test)
    {
        // Straight on first: edges of the ball then go through samples
        double distance = test < 8 ? 1.4 + 0.3 * test : 0.2 * (test - 8), turn = test % 4 * 0.37;
        spCamera camera = {
            {distance * sin(turn), 0.1 * turn, distance * cos(turn)}, {0, 0, -1.5}, {0, 1, 0}, 60.0};
        Layers layers = Gather(&camera, WIDTH, HEIGHT, 1 + test % 4, triangles, ball.triangleCount);
        int samples = WIDTH * HEIGHT * layers.raster.sampleCount, covered = 0;
        for (int i = 0; i < samples; ++i)
        {
            int count = layers.fragments.first[i + 1] - layers.fragments.first[i];
            assert_int_equal(count % 2, test < 8 ? 0 : 1);
            covered += count > 0 ? 1 : 0;
        }
        assert_true(covered > samples / 20);
        FreeLayers(&layers);
    }
    free(triangles);
    FreeSampleBody(&ball);
}

// A thousand sheets one behind the other, given out of order: all of them are there, from near to far; degenerate ones, such
// without finite corners, and such behind the eye are not
static void TestManyLayers(void** state)
{
    (void)state;
    enum
    {
        count = 1000
    };
    spDrawTriangle* triangles = calloc(count + 4, sizeof(spDrawTriangle));
    for (int i = 0; i < count + 4; ++i)
    {
        float z = -0.001f * (float)(i * 617 % count);
        const spFloat3 x[3] = {{-9.0f, -9.0f, z}, {9.0f, -9.0f, z}, {0.0f, 20.0f, z}};
        memcpy(triangles[i].x, x, sizeof(x));
        triangles[i].opacity = 0.01f;
    }
    triangles[count].x[1] = triangles[count].x[0];
    triangles[count + 1].x[2].y = NAN;
    triangles[count + 2].x[0].x = INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        triangles[count + 3].x[k].z = 9.0f;
    }
    spCamera camera = {{0, 0, 4}, {0, 0, 0}, {0, 1, 0}, 20.0};
    Layers layers = Gather(&camera, 24, 18, 1, triangles, count + 4);
    for (int i = 0; i < 24 * 18; ++i)
    {
        const uint64_t* keys = layers.fragments.keys + layers.fragments.first[i];
        assert_int_equal(layers.fragments.first[i + 1] - layers.fragments.first[i], count);
        for (int k = 0; k < count; ++k)
        {
            assert_int_equal(spGetFragmentTriangle(keys[k]) * 617 % count, k);
        }
    }
    FreeLayers(&layers);
    free(triangles);
}

static void AddBox(SampleBody* body, double x, double y, double z, double size)
{
    static const int32_t faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 8; ++i)
    {
        AddSampleNode(body, x + size * (i & 1), y + size * (i >> 1 & 1), z + size * (i >> 2));
    }
    memcpy(body->triangles, faces, sizeof(faces));
    body->triangleCount = 12;
}

// Two boxes share 0.2 x 0.7 x 0.6 m^3: so long are rays in it, and so large are the gradients; a sheet shares nothing
static void TestOverlap(void** state)
{
    (void)state;
    SampleBody bodies[BODIES] = {MakeSampleBody(), MakeSampleBody(), MakeSampleBody()};
    AddBox(&bodies[0], 0.0, 0.0, 0.0, 1.0);
    AddBox(&bodies[1], 0.8, 0.3, 0.4, 1.0);
    MakeSampleCloth(&bodies[2], 4);
    spRecording* recording = Record(bodies);
    spHeap heap = spMakeHeap(NULL);
    spArena arena;
    spInitArena(&arena, &heap);
    spDrawnOverlap overlap;
    assert_true(spFindDrawnOverlap(&arena, recording, 0, 70, &overlap));
    CHECK_NEAR(overlap.volume, 0.2 * 0.7 * 0.6, 1e-3);
    CHECK_NEAR(overlap.spanCount * (double)(overlap.pixel * overlap.pixel), 0.7 * 0.6, 0.02);
    for (int i = 0; i < overlap.spanCount; ++i)
    {
        // Along x, which sees the largest area: from the face of the second box to that of the first
        const spDrawnSpan* span = overlap.spans + i;
        CHECK_NEAR(span->ends[0].x, 0.8, 1e-5);
        CHECK_NEAR(span->ends[1].x, 1.0, 1e-5);
        CHECK_NEAR(span->ends[0].y, span->ends[1].y, 0.0);
        assert_true(span->ends[0].y > 0.3f && span->ends[0].y < 1.0f);
        assert_true(span->ends[0].z > 0.4f && span->ends[0].z < 1.0f);
        assert_int_equal(span->bodies[0], 1);
        assert_int_equal(span->bodies[1], 0);
    }
    spFloat3 sums[2] = {{0}};
    for (int i = 0; i < overlap.gradientCount; ++i)
    {
        const spDrawnGradient* own = overlap.gradients + i;
        assert_in_range(own->body, 0, 1);
        sums[own->body] = spAddF3(sums[own->body], own->gradient);
    }
    // To move the first box along x, y, z adds the area that the overlap has across it
    CHECK_NEAR(sums[0].x, 0.7 * 0.6, 0.02);
    CHECK_NEAR(sums[0].y, 0.2 * 0.6, 0.01);
    CHECK_NEAR(sums[0].z, 0.2 * 0.7, 0.01);
    CHECK_LESS(spLengthF3(spAddF3(sums[0], sums[1])), 1e-5);

    // It is in the picture
    const double faint[BODIES] = {0.1, 0.1, 0.1};
    spPictureDef def = MakeDef(false, faint);
    uint8_t* without = Draw(recording, &def);
    def.showOverlap = true;
    uint8_t* with = Draw(recording, &def);
    CHECK_LESS(GetPsnr(with, without, without), 30.0);
    free(with);
    free(without);
    spDestroyRecording(recording);

    // What has no volume in common is not an error, nor is a body that is gone
    for (int i = 0; i < 8; ++i)
    {
        bodies[1].rest[3 * i] += 5.0f;
    }
    bodies[0].rest[0] = NAN;
    recording = Record(bodies);
    spResetArena(&arena);
    assert_true(spFindDrawnOverlap(&arena, recording, 0, 70, &overlap));
    assert_int_equal(overlap.spanCount, 0);
    assert_int_equal(overlap.gradientCount, 0);
    spFreeArena(&arena);
    assert_int_equal(heap.byteCount, 0);
    spDestroyRecording(recording);
    for (int i = 0; i < BODIES; ++i)
    {
        FreeSampleBody(&bodies[i]);
    }
}

// Without memory at any place a picture is refused, and nothing is lost
static void TestMemory(void** state)
{
    (void)state;
    SampleBody bodies[BODIES] = {MakeSampleBody(), MakeSampleBody(), MakeSampleBody()};
    AddBox(&bodies[0], 0.0, 0.0, 0.0, 1.0);
    AddBox(&bodies[1], 0.8, 0.3, 0.4, 1.0);
    AddBall(&bodies[2], 0.4, 0.5);
    spDestroyRecording(Record(bodies));
    FailingAllocator failing = {.failAt = -1};
    spAllocator allocator = MakeFailingAllocator(&failing);
    spError error = SP_ZERO_INIT;
    spRecording* recording = spLoadRecording(FILE_NAME, &allocator, &error);
    assert_non_null(recording);
    spPictureDef def = MakeDef(false, s_opacities);
    def.width = 64;
    def.height = 48;
    def.showOverlap = true;
    static uint8_t rgb[3 * 64 * 48];
    failing.count = 0;
    assert_true(spDrawPicture(recording, 0, &def, rgb, &error));
    int count = failing.count;
    int64_t out = failing.out;
    assert_true(count > 20);
    for (int i = 0; i < 2 * count; ++i)
    {
        failing.count = 0;
        failing.failAt = i / 2;
        failing.failAfter = i % 2 == 1;
        bool good = spDrawPicture(recording, 0, &def, rgb, &error);
        assert_true(!good || !failing.failAfter); // the arena does without one block, not without all of them
        assert_true(good || error.code == sp_errorOutOfMemory);
        assert_int_equal(failing.out, out);
    }
    failing.failAt = -1;
    assert_true(spDrawPicture(recording, 0, &def, rgb, &error));
    spDestroyRecording(recording);
    assert_int_equal(failing.out, 0);
    for (int i = 0; i < BODIES; ++i)
    {
        FreeSampleBody(&bodies[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSortedTriangles), cmocka_unit_test(TestEnds),    cmocka_unit_test(TestClosed),
        cmocka_unit_test(TestManyLayers),      cmocka_unit_test(TestOverlap), cmocka_unit_test(TestMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
