// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Pictures: they show what is there, where it is, and nothing odd happens with odd input.

#include "record/ramp.h"
#include "souple/record.h"
#include "test/record_sample.h"
#include "test/xml_check.h"
#include "testbed/check.h"

#include <unistd.h>

#ifdef SOUPLE_HAVE_PNG
#include <png.h>
#endif

#define FOLDER SOUPLE_BINARY_DIR "/test/"
#define SAMPLE FOLDER "picture_sample.rec"

static const SampleDef s_sample = {
    .rings = 24, .lattice = 4, .cloth = 16, .frames = 16, .rowsPerFrame = 1, .torn = -1, .colliders = true};

static spRecording* MakeSample(const SampleDef* sample)
{
    spError error = SP_ZERO_INIT;
    assert_true(WriteSample(SAMPLE, sample, &error));
    spRecording* recording = spLoadRecording(SAMPLE, NULL, &error);
    assert_non_null(recording);
    return recording;
}

static spPictureDef MakeDef(int width, int height)
{
    spPictureDef def = spDefaultPictureDef();
    def.width = width;
    def.height = height;
    def.showCaption = false;
    return def;
}

static uint8_t* Draw(const spRecording* recording, int frame, const spPictureDef* def)
{
    uint8_t* rgb = malloc((size_t)def->width * (size_t)def->height * 3);
    spError error = SP_ZERO_INIT;
    if (!spDrawPicture(recording, frame, def, rgb, &error))
    {
        print_error("%s\n", error.message);
        fail();
    }
    return rgb;
}

// Strong orange: only the ball has it
static bool IsOrange(const uint8_t* p)
{
    return p[0] > 120 && p[0] > 2 * p[2] && p[0] > p[1] + 50;
}

// Where the ball is in the picture: share of the pixels, and its middle
static double FindBall(const uint8_t* rgb, const spPictureDef* def, double* x, double* y)
{
    double sumX = 0.0, sumY = 0.0, count = 0.0;
    for (int i = 0; i < def->width * def->height; ++i)
    {
        if (IsOrange(rgb + 3 * i))
        {
            sumX += i % def->width;
            sumY += i / def->width;
            count += 1.0;
        }
    }
    *x = sumX / count;
    *y = sumY / count;
    return count / ((double)def->width * def->height);
}

static void TestShowsBody(void** state)
{
    (void)state;
    spRecording* r = MakeSample(&s_sample);
    spPictureDef def = MakeDef(320, 180);
    uint8_t* low = Draw(r, 0, &def);
    uint8_t* high = Draw(r, 15, &def);
    double x0, y0, x1, y1;
    double area0 = FindBall(low, &def, &x0, &y0);
    double area1 = FindBall(high, &def, &x1, &y1);
    assert_in_range((int)(1000.0 * area0), 8, 200);
    assert_in_range((int)(1000.0 * area1), 8, 200);
    assert_true(y1 < y0 - 15.0); // the ball went up
    CHECK_NEAR(x0, x1, 12.0);

    // The sky is pale and has no detail; the ground below is not the sky
    assert_true(low[0] > 150 && low[1] > 150 && low[2] > 150);
    const uint8_t* bottom = low + 3 * (320 * 179 + 160);
    assert_true(abs(bottom[2] - low[2]) + abs(bottom[0] - low[0]) > 10);
    free(low);
    free(high);
    spDestroyRecording(r);
}

// The ball is where the camera says
static void TestProjection(void** state)
{
    (void)state;
    spRecording* r = MakeSample(&s_sample);
    spPictureDef def = MakeDef(400, 300);
    spCamera camera = {{0.0, 0.45, 6.3}, {0.0, 0.45, 0.3}, {0.0, 1.0, 0.0}, 40.0};
    def.camera = &camera;
    spPointView x = spRecording_GetPositions(r, 15, 0);
    double low = 1e9, high = -1e9;
    for (int i = 0; i < x.count; ++i)
    {
        low = fmin(low, (double)x.data[3 * i + 1]);
        high = fmax(high, (double)x.data[3 * i + 1]);
    }
    uint8_t* rgb = Draw(r, 15, &def);
    double px, py;
    FindBall(rgb, &def, &px, &py);
    double expected = 150.0 - 150.0 / tan(20.0 * 3.14159265 / 180.0) * (0.5 * (low + high) - 0.45) / 6.0;
    CHECK_NEAR(px, 200.0, 4.0);
    CHECK_NEAR(py, expected, 5.0);
    free(rgb);
    spDestroyRecording(r);
}

// There is a shadow under the ball: the ground is darker than without bodies there
static void TestShadow(void** state)
{
    (void)state;
    spRecording* r = MakeSample(&s_sample);
    spPictureDef def = MakeDef(320, 240);
    spCamera camera = {{0.0, 8.0, 0.31}, {0.0, 0.0, 0.3}, {0.0, 0.0, -1.0}, 40.0};
    def.camera = &camera;
    uint8_t* rgb = Draw(r, 15, &def);
    int dark = 0;
    for (int i = 0; i < 320 * 240; ++i)
    {
        const uint8_t* p = rgb + 3 * i;
        bool isGrey = abs(p[0] - p[1]) < 25 && abs(p[1] - p[2]) < 25;
        dark += isGrey && p[1] < 190 && p[1] > 90 ? 1 : 0;
    }
    assert_true(dark > 300);
    free(rgb);
    spDestroyRecording(r);
}

// The fitted camera sees every node of every frame
static void TestFitCamera(void** state)
{
    (void)state;
    for (int flat = 0; flat < 2; ++flat)
    {
        SampleDef sample = s_sample;
        sample.ring = flat != 0;
        spRecording* r = MakeSample(&sample);
        const double aspects[] = {0.4, 1.0, 16.0 / 9.0, 3.0};
        for (int a = 0; a < 4; ++a)
        {
            spCamera camera = spFitCamera(r, aspects[a]);
            double f[3] = {camera.target.x - camera.eye.x, camera.target.y - camera.eye.y,
                           camera.target.z - camera.eye.z};
            double length = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
            double s[3] = {-f[2], 0.0, f[0]}; // forward x (0, 1, 0)
            double side = sqrt(s[0] * s[0] + s[2] * s[2]);
            double limit = tan(0.5 * camera.fieldOfView * 3.14159265 / 180.0);
            for (int i = 0; i < 3; ++i)
            {
                f[i] /= length;
                s[i] /= side;
            }
            double u[3] = {s[1] * f[2] - s[2] * f[1], s[2] * f[0] - s[0] * f[2], s[0] * f[1] - s[1] * f[0]};
            for (int frame = 0; frame < spRecording_GetFrameCount(r); ++frame)
            {
                for (int body = 0; body < spRecording_GetBodyCount(r); ++body)
                {
                    spPointView x = spRecording_GetPositions(r, frame, body);
                    for (int i = 0; i < x.count; ++i)
                    {
                        double p[3] = {(double)x.data[3 * i] - camera.eye.x,
                                       (double)x.data[3 * i + 1] - camera.eye.y,
                                       (double)x.data[3 * i + 2] - camera.eye.z};
                        double depth = p[0] * f[0] + p[1] * f[1] + p[2] * f[2];
                        double right = p[0] * s[0] + p[1] * s[1] + p[2] * s[2];
                        double up = p[0] * u[0] + p[1] * u[1] + p[2] * u[2];
                        assert_true(depth > 0.0);
                        CHECK_LESS(fabs(up) / depth, limit);
                        CHECK_LESS(fabs(right) / depth, limit * aspects[a]);
                    }
                }
            }
        }
        spDestroyRecording(r);
    }
    spCamera nothing = spFitCamera(NULL, 1.0);
    assert_true(isfinite(nothing.eye.x) && nothing.eye.z > 0.0);
}

// The same picture twice, and nearly the same one with more samples
static void TestRepeatable(void** state)
{
    (void)state;
    spRecording* r = MakeSample(&s_sample);
    spPictureDef def = MakeDef(160, 90);
    uint8_t* first = Draw(r, 3, &def);
    uint8_t* second = Draw(r, 3, &def);
    assert_memory_equal(first, second, 3 * 160 * 90);
    for (int samples = 1; samples <= 4; ++samples)
    {
        def.samples = samples;
        uint8_t* other = Draw(r, 3, &def);
        double sum = 0.0;
        for (int i = 0; i < 3 * 160 * 90; ++i)
        {
            sum += abs(first[i] - other[i]);
        }
        CHECK_LESS(sum / (3 * 160 * 90), 3.0);
        free(other);
    }
    free(first);
    free(second);
    spDestroyRecording(r);
}

// A closed surface has no pinholes: seen from inside the outline there is only the ball
static void TestNoPinholes(void** state)
{
    (void)state;
    SampleDef sample = s_sample;
    sample.rings = 60;
    spRecording* r = MakeSample(&sample);
    spPictureDef def = MakeDef(300, 300);
    spCamera camera = {{0.1, 0.6, 1.8}, {0.0, 0.45, 0.3}, {0.0, 1.0, 0.0}, 20.0};
    def.camera = &camera;
    def.samples = 1;
    def.showGround = false;
    uint8_t* rgb = Draw(r, 0, &def);
    int holes = 0;
    for (int y = 140; y < 160; ++y)
    {
        for (int x = 100; x < 200; ++x)
        {
            holes += IsOrange(rgb + 3 * (300 * y + x)) ? 0 : 1;
        }
    }
    assert_int_equal(holes, 0);
    free(rgb);
    spDestroyRecording(r);
}

// A camera inside the scene, inside a body, on the ground, far away: always a picture
static void TestOddCameras(void** state)
{
    (void)state;
    spRecording* r = MakeSample(&s_sample);
    spPictureDef def = MakeDef(96, 64);
    def.showEdges = true;
    def.showCaption = true;
    def.caption = "odd \xFF\x01 caption that is rather long, longer than fits into the picture by far";
    uint64_t seed = 11;
    for (int round = 0; round < 84; ++round)
    {
        spCamera camera = {
            {spRandomRange(&seed, -2, 2), spRandomRange(&seed, -1, 2), spRandomRange(&seed, -2, 2)},
            {spRandomRange(&seed, -2, 2), spRandomRange(&seed, -1, 2), spRandomRange(&seed, -2, 2)},
            {spRandomRange(&seed, -1, 1), 1.0, spRandomRange(&seed, -1, 1)},
            spRandomRange(&seed, 1.0, 170.0)};
        if (round % 7 == 0)
        {
            camera.eye.x *= 1e6;
        }
        def.camera = &camera;
        def.lineWidth = round % 3 == 0 ? 3.0 : 0.0;
        free(Draw(r, round % 16, &def));
    }
    spDestroyRecording(r);
}

// Perceived lightness of a colour, CIE L*
static double GetLightness(const uint8_t* c)
{
    const double weights[3] = {0.2126, 0.7152, 0.0722};
    double y = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        double s = c[k] / 255.0;
        y += weights[k] * (s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
    }
    return 116.0 * cbrt(y) - 16.0;
}

// Lightness alone tells values apart: it grows evenly, so that no colour vision is needed
static void TestRamp(void** state)
{
    (void)state;
    uint8_t color[3], same[3];
    double before = 0.0;
    for (int i = 0; i <= 16; ++i)
    {
        spGetRampColor((float)i / 16.0f, color);
        double lightness = GetLightness(color);
        if (i > 0)
        {
            assert_true(lightness - before > 3.0 && lightness - before < 7.0);
        }
        before = lightness;
    }
    spGetRampColor(2.0f, same);
    assert_memory_equal(color, same, 3);
    spGetRampColor(NAN, color);
    spGetRampColor(-1.0f, same);
    assert_memory_equal(color, same, 3);
}

// Lightness around a pixel
static double MeanLightness(const uint8_t* rgb, const spPictureDef* def, int x, int y)
{
    double sum = 0.0;
    for (int i = 0; i < 25; ++i)
    {
        sum += GetLightness(rgb + 3 * ((y - 2 + i / 5) * def->width + x - 2 + i % 5));
    }
    return sum / 25.0;
}

// Stress grows with the height in the ball: so does the lightness, and the legend says what it means
static void TestColors(void** state)
{
    (void)state;
    SampleDef sample = s_sample;
    sample.stress = true;
    sample.velocities = true;
    spRecording* r = MakeSample(&sample);
    spPictureDef def = MakeDef(400, 300);
    spCamera camera = {{0.0, 0.45, 6.3}, {0.0, 0.45, 0.3}, {0.0, 1.0, 0.0}, 25.0};
    def.camera = &camera;
    uint8_t* plain = Draw(r, 15, &def);
    double x, y;
    FindBall(plain, &def, &x, &y);
    def.color = sp_colorStress;
    uint8_t* stress = Draw(r, 15, &def);
    double top = MeanLightness(stress, &def, (int)x, (int)y - 25);
    double bottom = MeanLightness(stress, &def, (int)x, (int)y + 25);
    assert_true(top > bottom + 20.0);

    // The last colour of the bar is that of 2000 Pa, the largest in the recording
    uint8_t first[3], last[3];
    spGetRampColor(0.5f / 108.0f, first); // the bar has 0.36 of 300 pixels
    spGetRampColor(107.5f / 108.0f, last);
    int firsts = 0, lasts = 0;
    for (int i = 0; i < def.width * def.height; ++i)
    {
        bool corner = i / def.width > 230 && i % def.width > 230;
        firsts += corner && memcmp(stress + 3 * i, first, 3) == 0;
        lasts += corner && memcmp(stress + 3 * i, last, 3) == 0;
    }
    assert_true(firsts > 0 && lasts > 0);

    // A range of its own: everything above it has the last colour
    def.rangeHigh = 1.0;
    uint8_t* clipped = Draw(r, 15, &def);
    assert_true(MeanLightness(clipped, &def, (int)x, (int)y + 25) > bottom + 20.0);
    def.rangeLow = 1e6;
    def.rangeHigh = 2e6;
    free(clipped);
    clipped = Draw(r, 15, &def);
    assert_true(MeanLightness(clipped, &def, (int)x, (int)y - 25) < top - 20.0);

    // The other quantities colour every body, threads too; in the first frame nothing has moved
    for (int color = sp_colorDisplacement; color <= sp_colorVelocity; ++color)
    {
        def.color = (spPictureColor)color;
        def.rangeLow = 0.0;
        def.rangeHigh = 0.0;
        uint8_t* other = Draw(r, 15, &def);
        assert_true(memcmp(other, plain, 3 * 400 * 300) != 0);
        assert_true(memcmp(other, stress, 3 * 400 * 300) != 0);
        free(other);
    }
    free(plain);
    free(stress);
    free(clipped);
    spDestroyRecording(r);
}

static void TestColorErrors(void** state)
{
    (void)state;
    spRecording* r = MakeSample(&s_sample);
    static uint8_t rgb[3 * 64 * 64];
    spError error = SP_ZERO_INIT;
    spPictureDef def = MakeDef(64, 64);
    def.color = sp_colorStress;
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    assert_non_null(strstr(error.message, "no stress to colour by"));
    def.color = sp_colorVelocity;
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    assert_non_null(strstr(error.message, "no velocities"));
    def.color = (spPictureColor)9;
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    def.color = sp_colorDisplacement;
    def.rangeLow = 2.0;
    def.rangeHigh = 1.0;
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    assert_non_null(strstr(error.message, "the first must be less"));
    def.rangeHigh = (double)NAN;
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    def.rangeHigh = 3.0;
    assert_true(spDrawPicture(r, 0, &def, rgb, &error));
    spDestroyRecording(r);
}

static void TestPictureErrors(void** state)
{
    (void)state;
    spRecording* r = MakeSample(&s_sample);
    static uint8_t rgb[3 * 64 * 64];
    spError error = SP_ZERO_INIT;
    spPictureDef def = MakeDef(64, 64);
    assert_false(spDrawPicture(r, 16, &def, rgb, &error));
    assert_int_equal(error.code, sp_errorBadIndex);
    assert_false(spDrawPicture(r, -1, &def, rgb, &error));
    assert_false(spDrawPicture(NULL, 0, &def, rgb, &error));
    assert_false(spDrawPicture(r, 0, &def, NULL, &error));
    assert_false(spDrawPicture(r, 0, NULL, rgb, NULL));
    spCamera camera = {{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, 40.0};
    def.camera = &camera;
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    camera.eye.y = 1.0; // looks along up
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    camera.eye.x = (double)NAN;
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    def = MakeDef(8, 64);
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    def = MakeDef(64, 64);
    def.samples = 5;
    assert_false(spDrawPicture(r, 0, &def, rgb, &error));
    spDestroyRecording(r);
}

#ifdef SOUPLE_HAVE_PNG

static uint8_t* ReadPng(const char* path, int* width, int* height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path) != 0);
    image.format = PNG_FORMAT_RGB;
    uint8_t* rgb = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, rgb, 0, NULL) != 0);
    *width = (int)image.width;
    *height = (int)image.height;
    return rgb;
}

static void TestPng(void** state)
{
    (void)state;
    assert_true(spHasPng());
    spRecording* r = MakeSample(&s_sample);
    spPictureDef def = MakeDef(200, 120);
    spError error = SP_ZERO_INIT;
    assert_true(spSavePicture(r, 5, &def, FOLDER "picture.png", &error));
    uint8_t* drawn = Draw(r, 5, &def);
    int width = 0, height = 0;
    uint8_t* read = ReadPng(FOLDER "picture.png", &width, &height);
    assert_int_equal(width, 200);
    assert_int_equal(height, 120);
    assert_memory_equal(drawn, read, 3 * 200 * 120);
    free(read);

    // Side by side: the first one is where it should be
    int frames[3] = {5, 0, 15};
    assert_true(spSaveContactSheet(r, frames, 3, 2, &def, FOLDER "sheet.png", &error));
    read = ReadPng(FOLDER "sheet.png", &width, &height);
    assert_int_equal(width, 404);
    assert_int_equal(height, 244);
    for (int y = 0; y < 120; ++y)
    {
        assert_memory_equal(read + 3 * 404 * y, drawn + 3 * 200 * y, 3 * 200);
    }
    free(read);
    free(drawn);

    assert_false(spSavePicture(r, 0, &def, FOLDER "no such folder/a.png", &error));
    assert_int_equal(error.code, sp_errorFileWrite);
    assert_non_null(strstr(error.message, "no such folder/a.png"));
    spDestroyRecording(r);
}

static void TestPngSeries(void** state)
{
    (void)state;
    spRecording* r = MakeSample(&s_sample);
    spPictureDef def = MakeDef(64, 48);
    spExportDef exportDef = spDefaultExportDef();
    exportDef.folder = FOLDER "pictures";
    exportDef.firstFrame = 2;
    exportDef.frameStride = 7;
    spError error = SP_ZERO_INIT;
    assert_true(spExportPng(r, &exportDef, &def, &error));
    assert_int_equal(access(FOLDER "pictures/frame_000002.png", F_OK), 0);
    assert_int_equal(access(FOLDER "pictures/frame_000009.png", F_OK), 0);
    assert_int_not_equal(access(FOLDER "pictures/frame_000003.png", F_OK), 0);
    spDestroyRecording(r);
}

#else

static void TestPng(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spRecording* r = MakeSample(&s_sample);
    spPictureDef def = MakeDef(64, 64);
    assert_false(spHasPng());
    assert_false(spSavePicture(r, 0, &def, FOLDER "picture.png", &error));
    assert_int_equal(error.code, sp_errorUnsupported);
    assert_non_null(strstr(error.message, "libpng"));
    spDestroyRecording(r);
}

static void TestPngSeries(void** state)
{
    (void)state;
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestShowsBody),     cmocka_unit_test(TestProjection),
        cmocka_unit_test(TestShadow),        cmocka_unit_test(TestFitCamera),
        cmocka_unit_test(TestRepeatable),    cmocka_unit_test(TestNoPinholes),
        cmocka_unit_test(TestOddCameras),    cmocka_unit_test(TestRamp),
        cmocka_unit_test(TestColors),        cmocka_unit_test(TestColorErrors),
        cmocka_unit_test(TestPictureErrors), cmocka_unit_test(TestPng),
        cmocka_unit_test(TestPngSeries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
