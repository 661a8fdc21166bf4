// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Plots: the file is well-formed whatever the data are, and shows what is there.

#include "souple/record.h"
#include "test/read_file.h"
#include "test/xml_check.h"
#include "testbed/check.h"

#include <float.h>

#define PATH SOUPLE_BINARY_DIR "/test/plot.svg"

// Saves, checks and returns the text
static char* SavePlot(const spPlotDef* def)
{
    spError error = SP_ZERO_INIT;
    if (!spSavePlot(def, PATH, &error))
    {
        print_error("%s\n", error.message);
        fail();
    }
    char* text = ReadWholeFile(PATH, NULL);
    assert_non_null(text);
    assert_true(IsWellFormedXml(text));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    return text;
}

static int CountText(const char* text, const char* what)
{
    int count = 0;
    for (const char* p = strstr(text, what); p != NULL; p = strstr(p + 1, what))
    {
        ++count;
    }
    return count;
}

// The data of the first path with this colour
static char* GetPath(const char* text, const char* color)
{
    const char* p = strstr(text, color);
    assert_non_null(p);
    p = strstr(p, " d=\"");
    assert_non_null(p);
    const char* end = strchr(p + 4, '"');
    char* path = calloc((size_t)(end - p), 1);
    memcpy(path, p + 4, (size_t)(end - p - 4));
    return path;
}

static void TestPlotLine(void** state)
{
    (void)state;
    double x[5] = {0, 1, 2, 3, 4}, y[5] = {0, 1, 4, 9, 16};
    spPlotSeries series[2] = {{"a < b & \"c\"", x, y, 5, sp_plotLine}, {"points", x, y, 5, sp_plotPoints}};
    spPlotDef def = spDefaultPlotDef();
    def.title = "Squares <1>";
    def.xLabel = "time [s]";
    def.yLabel = "area [m\u00B2]";
    def.series = series;
    def.seriesCount = 2;
    char* text = SavePlot(&def);
    assert_non_null(strstr(text, "Squares &lt;1&gt;"));
    assert_non_null(strstr(text, "a &lt; b &amp; &quot;c&quot;"));
    assert_non_null(strstr(text, "time [s]"));
    assert_non_null(strstr(text, "area [m\u00B2]"));
    assert_non_null(strstr(text, ">10<")); // a tick of the y axis
    char* path = GetPath(text, "#0072B2");
    assert_int_equal(CountText(path, "M"), 1);
    assert_int_equal(CountText(path, "L"), 4);
    free(path);
    free(text);
}

static void TestPlotGaps(void** state)
{
    (void)state;
    double x[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    double y[9] = {1, 2, (double)NAN, 3, (double)INFINITY, 2, 1, 2, (double)NAN};
    spPlotSeries series = {"gaps", x, y, 9, sp_plotLine};
    spPlotDef def = spDefaultPlotDef();
    def.series = &series;
    def.seriesCount = 1;
    char* text = SavePlot(&def);
    char* path = GetPath(text, "#0072B2");
    assert_int_equal(CountText(path, "M"), 3);
    assert_int_equal(CountText(path, "h0.01"), 1); // the lone value between two gaps
    free(path);
    free(text);
}

static void TestPlotNothing(void** state)
{
    (void)state;
    double x[2] = {0, 1}, y[2] = {(double)NAN, (double)NAN};
    spPlotSeries series = {"empty", x, y, 2, sp_plotLine};
    spPlotDef def = spDefaultPlotDef();
    char* text = SavePlot(&def);
    assert_non_null(strstr(text, "no data"));
    free(text);
    def.series = &series;
    def.seriesCount = 1;
    text = SavePlot(&def);
    assert_non_null(strstr(text, "no data"));
    free(text);
    def.xLog = true;
    def.yLog = true;
    free(SavePlot(&def));
    series.count = 0;
    series.x = NULL;
    series.y = NULL;
    free(SavePlot(&def));
}

static void TestPlotOnePoint(void** state)
{
    (void)state;
    const double values[] = {0.0, 5.0, -3e-12, 1e15, 1e-300, 1e299, -1e299};
    for (int i = 0; i < 7; ++i)
    {
        spPlotSeries series = {"one", &values[i], &values[i], 1, sp_plotLine};
        spPlotDef def = spDefaultPlotDef();
        def.series = &series;
        def.seriesCount = 1;
        char* text = SavePlot(&def);
        assert_null(strstr(text, "no data"));
        free(text);
        def.xLog = true;
        def.yLog = true;
        free(SavePlot(&def));
    }
}

static void TestPlotLogarithm(void** state)
{
    (void)state;
    double x[6] = {-1, 0, 1e-3, 1, 1e3, 1e5}, y[6] = {1, 1, 1e-8, 1e-4, 0, 10};
    spPlotSeries series = {"log", x, y, 6, sp_plotLine};
    spPlotDef def = spDefaultPlotDef();
    def.series = &series;
    def.seriesCount = 1;
    def.xLog = true;
    def.yLog = true;
    char* text = SavePlot(&def);
    assert_non_null(strstr(text, "10\u207B\u2078"));
    assert_non_null(strstr(text, "10\u00B9"));
    char* path = GetPath(text, "#0072B2");
    assert_int_equal(CountText(path, "M"), 2); // the value at y = 0 is a gap
    free(path);
    free(text);
}

// Any data and any range give a well-formed file
static void TestPlotAnything(void** state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 500; ++round)
    {
        double x[20], y[20];
        for (int i = 0; i < 20; ++i)
        {
            double sign = (spNextRandom(&seed) & 1) != 0 ? 1.0 : -1.0;
            x[i] = sign * pow(10.0, spRandomRange(&seed, -320.0, 308.0));
            y[i] = (spNextRandom(&seed) & 7) == 0 ? 1e6 + spRandomRange(&seed, 0.0, 1e-6)
                                                  : sign * pow(10.0, spRandomRange(&seed, -3.0, 3.0));
        }
        spPlotSeries series = {"any", x, y, (int)(spNextRandom(&seed) % 21),
                               (spPlotStyle)(spNextRandom(&seed) % sp_plotStyleCount)};
        spPlotDef def = spDefaultPlotDef();
        def.series = &series;
        def.seriesCount = 1;
        def.xLog = (spNextRandom(&seed) & 1) != 0;
        def.yLog = (spNextRandom(&seed) & 1) != 0;
        def.xMin = (spNextRandom(&seed) & 3) == 0 ? 1e4 : (double)NAN;
        def.yMax = (spNextRandom(&seed) & 3) == 0 ? 1e-4 : (double)NAN;
        free(SavePlot(&def));
    }
}

// A marked line is a line and its markers, also in the legend
static void TestPlotMarked(void** state)
{
    (void)state;
    double x[3] = {1, 10, 100}, y[3] = {1e-2, 1e-3, 1e-4};
    spPlotSeries series = {"marked", x, y, 3, sp_plotMarked};
    spPlotDef def = spDefaultPlotDef();
    def.series = &series;
    def.seriesCount = 1;
    char* text = SavePlot(&def);
    assert_int_equal(CountText(text, "stroke=\"#0072B2\""), 2);
    assert_int_equal(CountText(text, "fill=\"#0072B2\""), 2);
    free(text);
}

// The width and height of a PNG file; zeros when it is none
static void ReadPngSize(const char* path, int size[2])
{
    unsigned char head[24] = {0};
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof(head), file), sizeof(head));
    fclose(file);
    assert_memory_equal(head, "\x89PNG", 4);
    for (int i = 0; i < 2; ++i)
    {
        const unsigned char* p = head + 16 + 4 * i;
        size[i] = p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
    }
}

// Pixels: twice the size, whatever the data are
static void TestPlotPixels(void** state)
{
    (void)state;
    const char* path = SOUPLE_BINARY_DIR "/test/plot.png";
    spError error = SP_ZERO_INIT;
    spPlotDef def = spDefaultPlotDef();
    if (!spHasPng())
    {
        assert_false(spSavePlot(&def, path, &error));
        assert_int_equal(error.code, sp_errorUnsupported);
        return;
    }
    uint64_t seed = 11;
    for (int round = 0; round < 12; ++round)
    {
        double x[20], y[20];
        for (int i = 0; i < 20; ++i)
        {
            x[i] = (round & 1) != 0 ? pow(10.0, spRandomRange(&seed, -300.0, 300.0)) : (double)i;
            y[i] = i == 7 ? (double)NAN : 1e7 * spRandomRange(&seed, -1.0, 1.0);
        }
        spPlotSeries series[10];
        for (int k = 0; k < 10; ++k)
        {
            series[k] = (spPlotSeries){k == 3 ? NULL : "name m\u00B2 \u4E16", x, y, round == 5 ? 0 : 20,
                                       (spPlotStyle)(k % sp_plotStyleCount)};
        }
        def.series = series;
        def.seriesCount = round == 0 ? 0 : 10;
        def.title = round == 1 ? NULL : "A title that is far too long for a plot of a small size, by far";
        def.xLabel = "time [s]";
        def.yLabel =
            round == 2 ? NULL : "a label that is longer than the axis which it stands beside, by far";
        def.xLog = (round & 1) != 0;
        def.yLog = (round & 2) != 0;
        def.yMax = round == 8 ? 1.0 : (double)NAN;
        def.width = 200 + 20 * round;
        def.height = 150 + 10 * round;
        assert_true(spSavePlot(&def, path, &error));
        int size[2];
        ReadPngSize(path, size);
        assert_int_equal(size[0], 2 * def.width);
        assert_int_equal(size[1], 2 * def.height);
    }
    def = spDefaultPlotDef();
    assert_false(spSavePlot(&def, SOUPLE_BINARY_DIR "/no such folder/plot.png", &error));
    assert_int_equal(error.code, sp_errorFileWrite);
}

static void TestPlotErrors(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spPlotDef zero = SP_ZERO_INIT;
    assert_false(spSavePlot(NULL, PATH, &error));
    assert_int_equal(error.code, sp_errorBadDef);
    assert_false(spSavePlot(&zero, PATH, NULL));

    spPlotDef def = spDefaultPlotDef();
    assert_false(spSavePlot(&def, SOUPLE_BINARY_DIR "/no such folder/plot.svg", &error));
    assert_int_equal(error.code, sp_errorFileWrite);
    assert_non_null(strstr(error.message, "no such folder/plot.svg"));
    def.xMin = 2.0;
    def.xMax = 1.0;
    assert_false(spSavePlot(&def, PATH, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    def = spDefaultPlotDef();
    def.yLog = true;
    def.yMin = 0.0;
    assert_false(spSavePlot(&def, PATH, &error));
    def = spDefaultPlotDef();
    def.seriesCount = 1;
    assert_false(spSavePlot(&def, PATH, &error));
    def = spDefaultPlotDef();
    def.width = 10;
    assert_false(spSavePlot(&def, PATH, &error));
}

typedef struct TextCopy
{
    char text[100000];
    size_t size;
} TextCopy;

static void CopyText(const char* text, size_t size, void* context)
{
    TextCopy* copy = context;
    assert_true(copy->size + size < sizeof(copy->text));
    memcpy(copy->text + copy->size, text, size);
    copy->size += size;
}

// The text is that of the file
static void TestPlotText(void** state)
{
    (void)state;
    double x[3] = {0, 1, 2}, y[3] = {1, 0, 1};
    spPlotSeries series = {"up & down", x, y, 3, sp_plotLine};
    spPlotDef def = spDefaultPlotDef();
    def.series = &series;
    def.seriesCount = 1;
    char* file = SavePlot(&def);
    TextCopy* copy = calloc(1, sizeof(TextCopy));
    spError error = SP_ZERO_INIT;
    assert_true(spWritePlot(&def, CopyText, copy, &error));
    assert_string_equal(copy->text, file);
    def.width = 10;
    copy->size = 0;
    assert_false(spWritePlot(&def, CopyText, copy, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    assert_int_equal(copy->size, 0);
    free(copy);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestPlotLine),      cmocka_unit_test(TestPlotGaps),
        cmocka_unit_test(TestPlotNothing),   cmocka_unit_test(TestPlotOnePoint),
        cmocka_unit_test(TestPlotLogarithm), cmocka_unit_test(TestPlotAnything),
        cmocka_unit_test(TestPlotMarked),    cmocka_unit_test(TestPlotPixels),
        cmocka_unit_test(TestPlotText),      cmocka_unit_test(TestPlotErrors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
